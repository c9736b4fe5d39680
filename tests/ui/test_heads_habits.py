"""The Heads page in small and large windows, and what it says on the way: by real events in the real window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heads_driver import colour_distance, pixels
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea, QStyle, QStyleOptionComboBox

from attention_explorer.core.map_picture import Contrast
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, MaskChoice, MaskKind, Picture
from attention_explorer.pages.heads.ui.figure import DRAWN, HeadsFigure
from attention_explorer.pages.heads.wording import cell_words
from attention_explorer.session.settings import ThemeChoice

CAUSAL = HeadsState(HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL)))
SMALL = [((900, 650), 1.0), ((1280, 800), 1.5), ((1280, 800), 2.0)]


def place_on(widget, page) -> QRect:
    return QRect(widget.mapTo(page, QPoint(0, 0)), widget.size())


def turn_wheel(widget, place: QPointF, angle: int, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    """As the window system reports it: what a widget does not want goes on to its parents."""
    window = widget.window()
    at = widget.mapTo(window, place)
    QTest.wheelEvent(window.windowHandle(), at, QPoint(0, angle), stateKey=modifiers)
    QApplication.processEvents()


# ---- Small windows ----


@pytest.mark.parametrize(("size", "zoom"), SMALL)
def test_in_one_column_the_picture_comes_first_and_nothing_is_wider_than_the_window(open_heads, size, zoom):
    page = open_heads(size=size, zoom=zoom).page
    picture, main, panel = (place_on(part, page) for part in (page.card, page.main, page.panel))
    assert place_on(page.subject, page).bottom() < picture.top() < picture.bottom() < main.top()
    assert main.bottom() < panel.top()
    assert page.findChild(QScrollArea).horizontalScrollBar().maximum() == 0
    assert picture.top() < 0.4 * page.height()


def test_a_window_that_grows_has_the_picture_in_the_middle_again(open_heads):
    driver = open_heads(size=(900, 650))
    for width, is_beside in ((1400, True), (900, False), (1400, True)):
        driver.window.resize(width, 700)
        QApplication.processEvents()
        assert driver.page.wall_side.isVisible() == is_beside
    picture, wall = (place_on(part, driver.page) for part in (driver.page.card, driver.page.wall_side))
    assert wall.right() < picture.left()


@pytest.mark.parametrize("has_focus", [True, False])
def test_the_wheel_over_the_map_scrolls_a_page_that_scrolls(open_heads, has_focus):
    driver = open_heads(size=(900, 650))
    bar = driver.page.findChild(QScrollArea).verticalScrollBar()
    assert bar.maximum() > 0
    (driver.canvas if has_focus else driver.controls.sentence).setFocus()
    turn_wheel(driver.canvas, driver.cell(4, 4), -120)
    assert bar.value() > 0
    assert driver.heads.view.window is None
    turn_wheel(driver.canvas, driver.cell(4, 4), 240, Qt.KeyboardModifier.ControlModifier)
    assert driver.heads.view.window is not None, "with Ctrl it looks closer"


def test_the_wheel_changes_no_control_that_it_passes_over(driver):
    driver.canvas.setFocus()
    before = driver.heads
    bar = driver.controls
    for control in (bar.stages, bar.contrast, bar.hidden, bar.masks, bar.presets, driver.controls.sort):
        turn_wheel(control, QPointF(10, 10), -120)
    driver.show(Picture.LINES)
    mass = driver.page.main.slider_of(driver.page.view).box
    turn_wheel(mass, QPointF(10, 10), -120)
    assert driver.heads == before.with_view(picture=Picture.LINES)
    mass.setFocus()
    turn_wheel(mass, QPointF(10, 10), -120)
    assert driver.heads.view.mass < before.view.mass, "what has the keyboard has the wheel"


@pytest.mark.parametrize(("size", "zoom"), [*SMALL, ((1280, 800), 1.0)])
def test_what_a_combo_box_shows_is_not_cut(open_heads, size, zoom):
    driver = open_heads(size=size, zoom=zoom)
    for ready in HEADS_PRESETS:
        driver.window.session.apply(replace(driver.window.session.state, heads=ready.state), "Load")
        QApplication.processEvents()
        for combo in driver.page.findChildren(QComboBox):
            if not combo.isVisible():
                continue
            option = QStyleOptionComboBox()
            combo.initStyleOption(option)
            field = QStyle.SubControl.SC_ComboBoxEditField
            room = combo.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, combo).width()
            shown = range(combo.count()) if combo is not driver.controls.presets else []
            for index in shown:
                text = combo.itemText(index)
                assert combo.fontMetrics().horizontalAdvance(text) <= room, text


def test_the_list_of_presets_shows_all_of_them_whole(driver):
    presets = driver.controls.presets
    presets.showPopup()
    QApplication.processEvents()
    view = presets.view()
    last = view.visualRect(presets.model().index(presets.count() - 1, 0))
    assert view.viewport().rect().contains(last)
    assert view.viewport().width() >= view.sizeHintForColumn(0)
    presets.hidePopup()


# ---- The status bar ----


def test_the_status_bar_keeps_its_place_however_much_it_says(driver):
    read_out = driver.window._readout
    before = place_on(read_out, driver.window), place_on(driver.canvas, driver.window)
    for text in ("short", "a long read-out, " * 40, "two\nlines"):
        driver.window.say(text)
        QApplication.processEvents()
        assert (place_on(read_out, driver.window), place_on(driver.canvas, driver.window)) == before
        assert driver.said == text
    driver.window.say("x " * 600)
    seen = pixels(read_out.grab().toImage())
    inked = np.flatnonzero((seen != seen[0, 0]).any(axis=1))
    assert inked.max() - inked.min() <= 16, "one line, and no sliver of another"


def test_zooming_keeps_saying_what_is_under_the_pointer(open_heads):
    words = " ".join(f"w{i}" for i in range(40))
    driver = open_heads(HeadsState(view=HeadsView()).with_recipe(sentence=words))
    driver.hover(30, 12)
    said = driver.said
    assert said.startswith("query “w30” (31) → key “w12” (13)")
    for _ in range(4):
        driver.wheel(driver.cell(30, 12), 120)
        driver.hand().move(driver.cell(30, 12))
        assert driver.said == said
    place = driver.cell(30, 12)
    driver.key(Qt.Key.Key_Home)
    row, column = driver.canvas.map_layout.row_at(place.y()), driver.canvas.map_layout.column_at(place.x())
    assert driver.said.startswith(f"query “w{row}” ({row + 1}) → key “w{column}” ({column + 1})")


def test_walking_says_the_cell(driver):
    driver.click_cell(4, 4)
    driver.key(Qt.Key.Key_Right)
    assert driver.said.startswith("query “the” (5) → key “mat” (6): weight ")
    assert float(driver.said.rpartition(" ")[2]) == pytest.approx(driver.weights[4, 5], rel=5e-6)
    driver.key(Qt.Key.Key_Down)
    assert driver.said.startswith("query “mat” (6) → key “mat” (6)")
    driver.key(Qt.Key.Key_Escape)
    driver.click(driver.row_label(2))
    driver.key(Qt.Key.Key_Down)
    assert driver.said.startswith("query “on” (4)")


def test_what_the_status_bar_says_of_a_walk_follows_the_numbers(driver):
    driver.click_cell(4, 4)
    driver.key(Qt.Key.Key_Right)
    before = driver.said
    driver.key(Qt.Key.Key_N)
    assert driver.said.startswith("query “the” (5) → key “mat” (6): weight ")
    assert float(driver.said.rpartition(" ")[2]) == pytest.approx(driver.weights[4, 5], rel=5e-6)
    driver.back()
    assert driver.said == before
    driver.paste_into(driver.controls.sentence, "Only three words")
    assert driver.said == cell_words(driver.frame, driver.heads.view, 2, 2)
    assert driver.said.startswith("query “words” (3) → key “words” (3): weight ")


def test_the_status_bar_says_what_a_click_on_a_token_does(driver):
    for place, token, offer in (
        (driver.row_label(2), "query “sat” (3)", "click to keep its row"),
        (driver.column_label(6), "key “because” (7)", "click to see who attends to it"),
    ):
        driver.hand().move(place)
        assert driver.said == f"{token}: {offer}"
        driver.click(place)
        assert driver.said == f"{token}: kept, click again to let go"
        driver.click(place)
        assert driver.pin == (None, None)
        assert driver.said == f"{token}: {offer}"


def test_undoing_a_walk_says_where_one_is_again(driver):
    driver.click_cell(4, 4)
    driver.key(Qt.Key.Key_N)  # another step of the history in between
    driver.key(Qt.Key.Key_Down)
    assert driver.said.startswith("query “mat” (6) → key “the” (5)")
    driver.back()
    assert driver.pin == (4, 4)
    assert driver.said.startswith("query “the” (5) → key “the” (5)")


def test_what_was_said_of_something_else_is_left_alone(driver):
    driver.click_cell(4, 4)
    driver.key(Qt.Key.Key_Right)
    driver.press(driver.controls.paint)
    said = driver.said
    assert "Drag over cells" in said
    driver.choose(driver.controls.contrast, Contrast.UNIT)
    assert driver.said == said


def test_a_pointer_that_rests_sees_what_comes_below_it(driver):
    driver.hover(9, 9)
    assert "“tired” (10)" in driver.said
    driver.paste_into(driver.controls.sentence, "Only three words")
    assert "tired" not in driver.said
    spot = driver.canvas.hovered
    assert spot == Spot() or spot.lies_on((3, 3))


# ---- Painting ----


def test_leaving_the_map_leaves_the_painting(driver):
    bar = driver.controls
    for picture in (Picture.LINES, Picture.STAGES, Picture.COMPARE):
        driver.press(bar.paint)
        assert driver.canvas.paints_mask
        driver.press(bar.pictures.buttons[picture])
        assert not driver.canvas.paints_mask
        assert not bar.paint.isChecked()
        assert not bar.paint.isVisible()
        driver.press(bar.pictures.buttons[Picture.HEATMAP])
        assert bar.paint.isEnabled()
        assert not driver.canvas.paints_mask


@pytest.mark.parametrize("where", ["map", "button"])
def test_escape_leaves_the_painting_before_it_lets_go(driver, where):
    driver.click_cell(3, 3)
    driver.press(driver.controls.paint)
    widget = driver.canvas if where == "map" else driver.controls.paint
    widget.setFocus()
    driver.key(Qt.Key.Key_Escape, widget=widget)
    assert not driver.canvas.paints_mask
    assert driver.canvas.cursor().shape() is Qt.CursorShape.ArrowCursor
    assert driver.pin == (3, 3)
    driver.key(Qt.Key.Key_Escape)
    assert driver.pin == (None, None)


# ---- Marks ----


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_the_cell_under_the_pointer_is_outlined_on_dark_and_on_bright_cells(open_heads, theme):
    driver = open_heads(HeadsState(view=HeadsView()), theme=theme)
    for cell in (divmod(int(driver.weights.argmin()), 11), divmod(int(driver.weights.argmax()), 11)):
        ground = driver.colour(*cell)
        driver.hover(*cell)
        image, box = driver.canvas.grab().toImage(), driver.canvas.cell_box(*cell)
        edge = [image.pixelColor(QPointF(box.left() + x, box.center().y()).toPoint()).name() for x in range(-3, 4)]
        assert max(colour_distance(colour, ground) for colour in edge) > 100
        driver.leave()


# ---- Files ----


def test_every_picture_has_a_file_name_of_its_own(driver):
    stems = {}
    for picture in DRAWN:
        stems[picture] = HeadsFigure(driver.heads.with_view(picture=picture)).file_stem
    assert stems[Picture.HEATMAP] == "head-1-of-8"
    assert stems[Picture.LINES] == "head-1-of-8-lines"
    assert len(set(stems.values())) == len(DRAWN)


def test_events_of_a_pointer_that_left_are_over(driver):
    driver.hover(3, 3)
    QApplication.sendEvent(driver.canvas, QEvent(QEvent.Type.Leave))
    assert driver.said == ""
    driver.page.toggle_hard()
    assert driver.canvas.hovered == Spot()


@pytest.mark.parametrize("row", [None, 2])
def test_a_state_without_words_is_refused_and_the_picture_stays(driver, row):
    # The field refuses an empty sentence; a state may still come from elsewhere.
    state = driver.window.session.state
    wordless = driver.heads.with_recipe(sentence="  ").with_view(row=row, column=row)
    driver.window.session.apply(replace(state, heads=wordless), "Elsewhere")
    assert "has no words" in driver.told
    assert driver.canvas.frame.shape == (11, 11), "the old picture stays"
    driver.window.grab()
    with pytest.raises(ExplorerError, match="Type at least one"):
        driver.page.figure().numbers()
    driver.undo()
    assert driver.frame.shape == (11, 11)
