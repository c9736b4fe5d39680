"""The one frame of a page, as people use it on the Lab page: bar, picture, controls, panel, drawer, main quantity."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from frame_driver import FrameDriver
from heads_driver import widget_texts
from people_driver import press_tab
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from window_driver import TAKEN

from attention_explorer.core.declared import declaration_of
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.panel_scroll import bring_into_view
from attention_explorer.kit.frame.panel import FramePanel
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.pointed_picture import PointedPicture
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.model import NormPlacement
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.as_python import python_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.lab.ui.views import views
from attention_explorer.pages.registry import PAGES, find_preset
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.learned import learned_block
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.sources.learned.box import BOX
from attention_explorer.tools.code.programs import program_of
from attention_explorer.tools.code.ui.panel import COVERED

VIEWS = views(lambda: None)
QUICK = {
    "scaling": ScalingState(draws=50, source=ScoreSource.PROJECTED),
    "cost": CostState(windowed=True),
    "block": BlockState(d_model=16, heads=2, d_ff=32, layers=2, initialiser=Initialiser.NUMBER),
}
"""By part of the state: one in which every field does something, and no picture takes long."""


def is_within(widget: QWidget, outer: QWidget) -> bool:
    """Whether all of a widget is seen within another."""
    box = QRect(widget.mapTo(outer, QPoint()), widget.size())
    return outer.rect().contains(box) and widget.visibleRegion().boundingRect().size() == widget.size()


def test_every_name_of_a_view_is_that_of_one() -> None:
    missing = {view.name for view in LabView} - {view.id.name for view in VIEWS}
    assert not missing, f"Add a View of LabView.{missing.pop()} to pages/lab/ui/views.py."


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.id)
def test_every_view_has_an_example_and_a_program(view) -> None:
    wanted = f"Add a Preset of the {view.part.name} part with {view.part.shown_by}={view.shown!r}"
    assert view.presets, f"The view {view.title} has no example. {wanted} (“Add a view” in CONTRIBUTING.md)."
    program = program_of("lab", ExplorerState(lab=LabState(view.id), **QUICK))
    assert program.name == view.part.name


# ---- The bar ----


def test_a_narrow_window_has_a_list_of_views_and_a_wide_one_buttons(open_lab) -> None:
    at = open_lab(size=(740, 800), **QUICK)
    bar = at.page.bar
    assert not bar.view_row.isVisible()
    at.choose(bar.view_box, LabView.NORM)
    assert at.view.id is LabView.NORM
    assert bar.view_box.currentText() == "Norm"
    at.window.resize(1400, 800)
    QApplication.processEvents()
    assert bar.view_row.isVisible()
    assert not bar.view_box.isVisible()


def test_an_example_of_another_view_is_not_named_as_one_of_this(open_lab) -> None:
    at = open_lab(LabView.SOFTMAX, **QUICK)
    assert at.example.currentIndex() == -1
    assert at.example.placeholderText() == "Examples"
    at.show(LabView.INPUTS)
    assert at.example.count() == 1  # which can be taken up again
    assert at.example.isVisible()


# ---- The main quantity ----


def test_the_main_quantity_goes_to_the_ends_it_shows(open_lab) -> None:
    at = open_lab()
    ends = [label.text().replace("\N{NO-BREAK SPACE}", " ") for label in at.main.findChildren(type(at.main.label))]
    assert ends == ["n", "1", "16 777 216"]
    for by, end in ((2000.0, 2**24), (-2000.0, 1)):
        at.drag_slider(at.main.slider, by)
        assert at.state.n == end


def test_keys_step_and_a_number_is_typed_between_the_stops(open_lab) -> None:
    at = open_lab()
    QTest.keyClick(at.main.slider, Qt.Key.Key_Right)
    QTest.keyClick(at.main.slider, Qt.Key.Key_Right)
    assert at.state.n == 2048
    assert at.steps == 1
    at.type_into(at.main.box, "100777")
    assert at.state.n == 100_777
    assert at.main.box.text() == "100777"
    assert QApplication.focusWidget() is at.canvas  # Enter gives the keyboard back to the picture


def test_the_main_quantity_is_the_same_wherever_it_is_changed(open_lab) -> None:
    at = open_lab()
    at.key(Qt.Key.Key_Right)
    at.field("n")
    assert [at.main.box.text(), at.field("n").text()] == ["2048", "2048"]
    at.type_into(at.field("n"), "4096")
    assert at.main.slider.value() == at.main._position_of(4096)
    at.show(LabView.GROWTH)
    assert at.main.box.text() == "4096"


# ---- The drawer ----


def test_more_opens_the_drawer_and_less_and_escape_put_it_away(open_lab) -> None:
    at = open_lab()
    at.press(at.page.panel.more)
    assert at.drawer.isVisible()
    assert not at.page.panel.isVisible()
    assert QApplication.focusWidget() is at.drawer.search
    at.press(at.drawer.less)
    assert at.page.panel.isVisible()
    assert QApplication.focusWidget() is at.page.panel.more
    for part in ("search", "canvas", "heads"):
        field = at.field("heads")
        held = {"search": at.drawer.search, "canvas": at.canvas, "heads": field}[part]
        held.setFocus()
        QTest.keyClick(held, Qt.Key.Key_Escape)
        assert not at.drawer.isVisible(), part
    assert at.steps == 0


@pytest.mark.parametrize(
    ("words", "found"),
    [("d_ff", {"d_model", "d_ff"}), ("layers of the model", {"layers"}), ("windowED", {"windowed"}), ("xyz", set())],
)
def test_settings_are_found_by_label_tip_and_name(open_lab, words, found) -> None:
    at = open_lab()
    at.press(at.page.panel.more)
    QTest.keyClicks(at.drawer.search, words)
    assert {name for name, control in at.drawer.form.controls.items() if control.isVisible()} == found
    at.key(Qt.Key.Key_Right)  # what is found stays so
    assert {name for name, control in at.drawer.form.controls.items() if control.isVisible()} == found
    at.drawer.search.selectAll()
    QTest.keyClick(at.drawer.search, Qt.Key.Key_Delete)
    assert at.field("precision").isVisible()


def test_nothing_found_is_said_and_a_closed_drawer_forgets_what_was_searched(open_lab) -> None:
    at = open_lab()
    at.press(at.page.panel.more)
    QTest.keyClicks(at.drawer.search, "zzzz")
    assert at.drawer.nothing.isVisible()
    QTest.keyClick(at.drawer.search, Qt.Key.Key_Escape)
    at.press(at.page.panel.more)
    assert at.drawer.search.text() == ""
    assert not at.drawer.nothing.isVisible()
    assert at.field("precision").isVisible()


def test_whether_the_drawer_is_open_is_known_at_the_next_start(open_lab, make_window, settings_path) -> None:
    at = open_lab(**QUICK)
    at.press(at.page.panel.more)
    steps = at.steps, at.looks
    at.window.close()
    assert steps == (0, 0)
    again = make_window(settings=SettingsStore(settings_path).load())
    again.page.settle()
    assert again.page.drawer.isVisible()
    assert not again.page.panel.isVisible()
    assert again.page.drawer.says.text()
    assert again.focusWidget() is again.page.canvas
    QTest.keyClick(again.page.canvas, Qt.Key.Key_Escape)
    assert again.page.panel.isVisible()
    again.close()
    third = make_window(settings=SettingsStore(settings_path).load())
    assert not third.page.drawer.isVisible()
    assert third.page.panel.isVisible()


def test_an_open_drawer_stays_on_its_page_and_hides_nothing_of_others(make_window, settings_path, hand) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="lookup"))
    FrameDriver(window, hand).press(window.page.panel.more)
    window.show_page("heads")
    assert window.page.panel.tries.isVisible()
    window.show_page("lookup")
    assert window.page.drawer.isVisible()
    window.close()
    again = make_window(settings=SettingsStore(settings_path).load())
    assert again.page.drawer.isVisible()
    again.show_page("heads")
    assert again.page.panel.tries.isVisible()


def test_the_drawer_and_what_is_searched_stay_in_other_views(open_lab) -> None:
    at = open_lab(**QUICK)
    at.press(at.page.panel.more)
    QTest.keyClicks(at.drawer.search, "d_model")
    at.show(LabView.LINEAR)
    assert at.drawer.isVisible()
    assert at.drawer.search.text() == "d_model"
    assert at.field("d_model").isVisible()
    assert not at.field("seed").isVisible()
    at.show(LabView.INPUTS)  # which has no such setting
    assert at.drawer.search.text() == ""
    assert at.field("sentence").isVisible()
    assert not at.drawer.nothing.isVisible()
    at.press(at.drawer.less)
    at.show(LabView.COST)
    assert not at.drawer.isVisible()


def test_the_keyboard_goes_with_the_view_that_is_gone_back_to(open_lab) -> None:
    at = open_lab(LabView.COST, **QUICK)
    at.show(LabView.NORM)
    buttons = at.page.bar.view_row.buttons
    assert QApplication.focusWidget() is buttons[LabView.NORM]
    at.back()
    assert QApplication.focusWidget() is buttons[LabView.COST]
    at.canvas.setFocus()
    at.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert QApplication.focusWidget() is at.canvas


def test_a_page_that_was_asked_for_is_where_it_begins(make_window) -> None:
    window = make_window(settings=Settings(page="lookup"))
    for page, view in (("lab", LabView.WHY), ("cost", LabView.COST)):
        window.begin_on(page)
        assert window.page.view.id is view
        assert not window.session.can_go_back
        assert not window.session.can_undo


EVERY = [(view, part, name) for view in VIEWS for part in ("fields", "more") for name in getattr(view, part)]
TYPED = {"d_k": "32", "bench.rows": "1, 2; 3, 4"}


@pytest.mark.parametrize(("view", "part", "name"), EVERY, ids=lambda each: getattr(each, "id", each))
def test_every_field_is_reached_and_set_by_mouse_and_keys(open_lab, view, part, name) -> None:
    at = open_lab(view.id, **QUICK)
    before = at.value(name)
    at.set_by_hand(at.few(name) if part == "fields" else at.field(name), TYPED.get(name, ""))
    said = declaration_of(view.part.kind, name)
    assert at.value(name) != before
    assert at.undo_text == said.undo or said.is_view
    assert at.told == ""
    assert at.view.id is view.id


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.id)
def test_what_is_always_there_is_little(open_lab, view) -> None:
    at = open_lab(view.id, **QUICK)
    few = [control for control in at.page.form_of(view).controls.values() if control.isVisible()]
    assert len(few) + len(at.page.controls_of(view)) + bool(view.main) <= 6
    assert 1 <= len(at.tries) <= 3 or not view.tries
    assert len(f"{at.shown_title()} {at.page.panel.title.text()} {at.page.panel.sentence.text()}".split()) <= 60


def test_what_does_nothing_is_hidden_and_what_is_forbidden_says_why(open_lab) -> None:
    at = open_lab()
    assert not at.few("window").isVisible()
    at.press(at.few("windowed"))
    assert at.few("window").isVisible()
    assert at.field("window").isVisible()
    state = at.window.session.state
    learned = learned_block(*BOX["it"], "The cat sat on the mat because it was tired.")
    at.window.session.apply(replace(state, block=learned), "Open learned layers")
    at.show(LabView.LINEAR)
    assert not at.field("d_model").isEnabled()
    assert "were learned" in at.field("d_model").toolTip()
    assert at.field("eps").isEnabled()


# ---- Refusing ----


def test_what_does_not_fit_is_said_and_given_up_by_escape(open_lab) -> None:
    at = open_lab()
    at.press(at.few("windowed"))
    for box in (at.main.box, at.few("window"), at.field("layers")):
        before = box.text()
        at.type_into(box, "0")
        assert "whole number from 1" in at.told
        assert box.text() == "0"
        at.key(Qt.Key.Key_Escape, widget=box)
        assert box.text() == before
    assert at.state == replace(CostState(), windowed=True)


# ---- Try ----


def ticks(at) -> list[bool]:
    return [box.isChecked() for box in at.tries.values()]


def test_what_was_tried_is_ticked_and_stays_so(open_lab) -> None:
    at = open_lab()
    assert ticks(at) == [False] * 3
    at.key(Qt.Key.Key_Right)
    assert ticks(at) == [True, False, False]
    at.type_into(at.main.box, "4608")
    assert ticks(at) == [True, True, False]
    at.type_into(at.main.box, "1024")  # as the example has it
    assert ticks(at) == [True, True, False]
    at.show(LabView.GROWTH)
    assert "Double the tokens, to n = 2048" not in at.tries
    at.show(LabView.COST)
    assert ticks(at) == [True, True, False]


def test_what_is_undone_is_not_done_and_can_be_tried_again(open_lab) -> None:
    at = open_lab()
    at.key(Qt.Key.Key_Right)
    at.time += 2.0  # or both were one step
    at.type_into(at.main.box, "4608")
    at.undo()
    assert ticks(at) == [True, False, False]  # that it is twice as long stands again
    at.undo()
    assert ticks(at) == [False] * 3
    at.window.session.redo()
    at.settle()
    assert ticks(at) == [True, False, False]
    at.show(LabView.GROWTH)
    at.undo()  # which goes back to where it was done
    assert at.view.id is LabView.COST
    assert ticks(at) == [False] * 3


@pytest.mark.parametrize(("by", "is_same"), [("list", True), ("list", False), ("window", True)])
@pytest.mark.parametrize("is_changed", [True, False])
def test_choosing_an_example_begins_again(open_lab, by, is_same, is_changed) -> None:
    at = open_lab()
    at.key(Qt.Key.Key_Right)
    at.press(at.few("windowed"))
    shown = at.state.preset
    if not is_changed:
        at.press(at.few("windowed"))
        at.type_into(at.main.box, "1024")  # as the example has it
    assert ticks(at) == [True, False, True]
    name = next(ready.id for ready in at.view.presets if (ready.id == shown) is is_same)
    if by == "list":
        at.load(name)
    else:
        at.window.show_preset(find_preset(name, "cost"))
    assert not any(ticks(at))


def test_what_an_example_has_done_is_not_offered_and_is_once_another_is_open(open_lab) -> None:
    at = open_lab()
    done = next(ready for ready in at.view.presets if ready.state.windowed)
    at.load(done.id)
    assert "Keep it small with a window" not in at.tries
    at.press(at.few("windowed"))
    at.press(at.few("windowed"))  # as the example has it, which nobody had to be told
    assert "Keep it small with a window" not in at.tries
    while at.state.preset == done.id:
        at.undo()
    assert not at.tries["Keep it small with a window"].isChecked()


def test_a_click_on_it_shows_where_it_is_done_and_ticks_nothing(open_lab) -> None:
    at = open_lab()
    boxes = at.tries
    for words, part in (
        ("Double the tokens, to n = 2048", at.main.slider),
        ("Keep it small with a window", at.few("windowed")),
    ):
        at.click(QPointF(10, boxes[words].height() / 2), boxes[words])
        assert QApplication.focusWidget() is part
        assert not boxes[words].isChecked()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)  # its own button has the keyboard
    assert at.state.windowed
    assert boxes[words].isChecked()


def test_it_opens_the_drawer_where_that_has_the_control(open_lab) -> None:
    at = open_lab(LabView.SOFTMAX, size=(1280, 400), zoom=1.75)
    at.press(at.page.panel.more)
    QTest.keyClicks(at.drawer.search, "rows")
    at.press(at.drawer.less)
    box = at.tries["Make exp overflow in float16"]
    bring_into_view(box)
    at.click(QPointF(10, box.height() / 2), box)
    control = at.field("bench.subtract_max")
    assert at.drawer.isVisible()
    assert QApplication.focusWidget() is control
    assert is_within(control, at.page)
    at.press(control)
    at.choose(at.field("bench.precision"), Precision.FLOAT16)
    assert box.isChecked()


def test_what_depth_asks_to_try_is_seen_from_where_it_opens(open_lab) -> None:
    at = open_lab(LabView.DEPTH)
    seen = [at.shown_title()]
    at.choose(at.few("norm"), NormPlacement.NONE)
    seen.append(at.shown_title())
    at.choose(at.few("initialiser"), Initialiser.NUMBER)
    seen.append(at.shown_title())
    at.press(at.few("residual"))
    seen.append(at.shown_title())
    assert ["through" in seen[0], "explodes" in seen[1], "through" in seen[2], "vanishes" in seen[3]] == [True] * 4
    assert ticks(at) == [True] * 3
    assert len(set(seen)) == 4


# ---- The panel ----


def test_numbers_at_a_glance_say_their_words_when_pointed_at(open_lab) -> None:
    at = open_lab()
    items = at.page.panel.items
    layout = items._layout()
    middle = layout[0].layout  # of the picture of a layer
    assert middle is not None
    at.hand(items).move(QPointF(20, 20))
    assert at.said.startswith("Q, K, V = X·W: 3 × (n, d) · (d, d), 6·n·d²")
    at.hand(items).move(QPointF(items.width() - 10, 20))
    assert "n²" in at.said
    before = at.said
    at.key(Qt.Key.Key_Right)
    assert at.said != before
    assert at.page.panel.formula.isVisible()
    assert "4608" in at.page.panel.formula.spoken()


def test_a_view_without_a_formula_has_none(open_lab) -> None:
    at = open_lab(LabView.GROWTH)
    assert not at.page.panel.formula.isVisible()
    assert at.page.panel.items.isVisible()


# ---- Taking it away ----


def test_share_copies_writes_and_shows_the_code(open_lab, tmp_path: Path, monkeypatch) -> None:
    at = open_lab()
    share = at.page.bar.share
    offered = at.choose_in_menu(share, "Copy picture")
    assert offered == TAKEN
    size = at.page.figure().size
    assert QGuiApplication.clipboard().image().width() == 2 * size.width()
    assert at.told == "The picture is on the clipboard."
    at.choose_in_menu(share, "Copy numbers")
    assert at.page.copier.jobs.wait(60)
    assert "operations" in QGuiApplication.clipboard().text()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "cost"), "PDF page (*.pdf)"))
    at.choose_in_menu(share, "Export…")
    assert (tmp_path / "cost.pdf").read_bytes().startswith(b"%PDF")
    at.choose_in_menu(share, "Copy as Python")
    assert QGuiApplication.clipboard().text() == python_of(at.window.session.state, "lab")
    at.choose_in_menu(share, "Code in NumPy…")
    assert at.window.tools.code.isVisible()


def test_code_shows_the_program_of_the_view(open_lab, qtbot) -> None:
    at = open_lab(**QUICK)
    at.press(at.page.bar.code)
    code = at.window.tools.code
    qtbot.waitUntil(lambda: code.program is not None and code.program.name == "cost", timeout=60_000)
    at.show(LabView.NORM)
    qtbot.waitUntil(lambda: "norm" in code.text.toPlainText(), timeout=60_000)


def test_presented_are_title_picture_and_main_quantity_alone(open_lab) -> None:
    at = open_lab(**QUICK)
    at.press(at.page.panel.more)
    at.press(at.page.bar.present)
    settle_layout()
    for view in (LabView.COST, LabView.NORM, LabView.INPUTS):
        at.window.page.show_view(at.page.view_named(view))
        at.settle()
        settle_layout()
        page = at.page
        assert page.title.isVisible()
        assert page.canvas.isVisible()
        assert page.main.isVisible() is (view is not LabView.INPUTS)
        hidden = (page.bar, page.panel, page.drawer, page.form_of(page.view))
        assert not [part for part in hidden if part.isVisible()], view
        assert page.canvas.width() > 0.9 * at.window.width()
    QTest.keyClick(at.window, Qt.Key.Key_Escape)
    settle_layout()
    assert at.page.bar.isVisible()
    assert at.drawer.isVisible()
    assert at.page.form_of(at.view).isVisible()


def settle_layout() -> None:
    """Let what comes a moment later come."""
    for _ in range(3):
        QApplication.processEvents()


# ---- A lesson asks ----


@pytest.mark.parametrize("is_open", [False, True], ids=["panel", "drawer"])
def test_a_question_keeps_title_panel_drawer_and_examples_to_itself(open_lab, is_open) -> None:
    at = open_lab(**QUICK | {"cost": CostState()})
    if is_open:
        at.press(at.page.panel.more)
    told = ("576", "four times", "81.8", "4608", "18.2", "GPT")
    bar_wide = at.page.bar.view_row.geometry()
    assert at.page.withhold("Answer first.")
    settle_layout()
    texts = " ".join(widget_texts(at.page))
    assert not [word for word in told if word in f"{texts} {at.canvas.spoken()} {at.shown_title()}"]
    assert at.shown_title() == "Cost"
    assert not any(part.isVisible() for part in (at.page.panel, at.drawer, at.example))
    assert at.page.bar.view_row.geometry() == bar_wide  # nothing else moves
    at.hand().move(QPointF(100, 100))
    assert at.said == ""
    at.choose_in_menu(at.page.bar.share, "Copy picture")
    assert at.told == "Answer first."
    at.press(at.page.bar.code)
    assert at.window.tools.code.note.text() == COVERED
    at.show(LabView.SOFTMAX)
    at.show(LabView.COST)
    assert not at.example.isVisible()
    assert not at.page.panel.isVisible()
    at.page.withhold("")
    settle_layout()
    assert at.shown_title() == "Twice the words, four times the square."
    assert at.example.isVisible()
    assert (at.drawer if is_open else at.page.panel).isVisible()


# ---- Room and order ----


@pytest.mark.parametrize(
    ("size", "zoom"), [((740, 450), 1.0), ((1280, 480), 1.0), ((1280, 450), 1.75), ((1920, 1200), 1.0)]
)
@pytest.mark.parametrize("is_open", [False, True], ids=["panel", "drawer"])
def test_everything_is_reached_in_any_window(open_lab, size, zoom, is_open) -> None:
    at = open_lab(LabView.SOFTMAX, size, zoom=zoom, **QUICK)
    bar = at.page.bar
    for part in (bar.title, at.example, bar.chooser, bar.code, bar.share, bar.present):
        assert is_within(part, at.page)
    assert at.canvas.height() >= 280 * zoom - 1
    if is_open:
        bring_into_view(at.page.main)
        at.press(at.page.panel.more)
        settle_layout()
        assert is_within(at.drawer.search, at.page)
    at.page.focus_first()
    seen = []
    while QApplication.focusWidget() not in seen:
        seen.append(QApplication.focusWidget())
        held = seen[-1]
        if at.page.isAncestorOf(held) and not isinstance(held, PointedPicture):  # which may be larger than the window
            shown = held.parentWidget() if isinstance(held.parentWidget(), NumberBox) else held
            assert is_within(shown, at.page), (held, held.accessibleName())
        press_tab(at.window)
    wanted: list[Any] = [at.main.slider, at.main.box, at.few("bench.rows")]
    wanted += [at.field("bench.factor"), at.drawer.less] if is_open else [at.page.panel.more, *at.tries.values()]
    assert all(part in seen for part in wanted)


@pytest.mark.parametrize(("size", "zoom"), [((1280, 800), 1.0), ((1024, 768), 1.0), ((1600, 1000), 1.5)])
def test_no_control_of_the_drawer_is_cut(open_lab, size, zoom) -> None:
    at = open_lab(LabView.WHY, size, zoom=zoom, **QUICK)
    at.press(at.page.panel.more)
    for view in VIEWS:
        at.show(view.id)
        settle_layout()
        for name, control in at.drawer.form.controls.items():
            right = control.mapTo(at.page, QPoint(control.width(), 0)).x()
            assert not control.isVisible() or right <= at.page.width() - 20 * zoom, (view.id, name)


def test_a_panel_has_no_formula_before_there_is_a_picture(qtbot) -> None:
    panel = FramePanel(Look(LIGHT))
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.formula.isVisible()
    panel.show_panel(Panel("Title", formula="α = 1"))
    assert panel.formula.isVisible()


# ---- Small windows ----


@pytest.mark.parametrize("view", list(LabView))
@pytest.mark.parametrize("size", [(800, 600), (1024, 560)])
def test_picture_and_main_quantity_are_seen_together_in_a_small_window(open_lab, view, size) -> None:
    at = open_lab(view, size, **QUICK)
    assert not at.view.main or is_within(at.page.main, at.window)
    assert is_within(at.canvas, at.window)
    assert at.canvas.height() >= 279
    if size[0] < 900:
        assert at.page.panel.title.visibleRegion().boundingRect().height() > 10, "there is more below"


def test_the_main_quantity_stands_where_tab_reaches_it(open_lab) -> None:
    at = open_lab(LabView.COST, (800, 600), **QUICK)
    for size, is_between in (((800, 600), True), ((1280, 800), False), ((800, 600), True)):
        at.window.resize(*size)
        QApplication.processEvents()
        at.few("windowed").setFocus()
        press_tab(at.window)
        press_tab(at.window)  # the window's width is a control too
        reached = QApplication.focusWidget()
        assert at.page.main.isAncestorOf(reached) == is_between
        assert (at.page.main.y() < at.page._panel_scroll.y()) == is_between


def test_a_tall_narrow_window_is_filled_by_the_picture(open_lab) -> None:
    at = open_lab(LabView.COST, (800, 600), **QUICK)
    low = at.canvas.height()
    at.window.resize(800, 900)
    QApplication.processEvents()
    assert at.canvas.height() == low + 300
    assert is_within(at.page.main, at.window)


def test_a_panel_that_says_nothing_keeps_its_button_in_a_narrow_window(make_window: Any) -> None:
    """Nothing has learned yet, so the view has a button and no words."""
    state = ExplorerState(training=TrainingState(view=TrainingView.SEEDS))
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="training", zoom=1.5), (1366, 768))
    window.page.settle()
    assert is_within(window.page.panel.more, window)


def test_the_keyboard_goes_to_the_picture_where_what_had_it_is_not_in_another_view(make_window: Any) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads", zoom=2.0), size=(1366, 768))
    page, shown = window.page, {}
    page.canvas.setFocus()
    for number in (2, 3, 2, 4, 6):
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        page.settle()
        shown[number] = QApplication.focusWidget()
        assert page._scroll.verticalScrollBar().value() == 0
    assert shown == {2: page.wall, 3: page.canvas, 4: page.canvas, 6: page.canvas}


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.id)
def test_a_page_that_is_first_shown_with_its_drawer_open_shows_it(make_window: Any, entry: Any) -> None:
    """Its picture comes with its size, before it has shown any state."""
    other = "lab" if entry.id == "lookup" else "lookup"
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=other, drawers=(entry.id,)))
    window.show_page(entry.id)
    window.page.settle()
    assert window.page.drawer.isVisible()
