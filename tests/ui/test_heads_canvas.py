"""The large heatmap under a real mouse and a real keyboard: hover, pin, walk, zoom, pan, paint the mask."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import changed_box, colour_distance, numbers_in, pixels, sequential
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication

from attention_explorer.core.map_picture import Window
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import LIGHT
from attention_explorer.pages.heads.state import Aggregate, HeadsState, MaskChoice, MaskKind

LONG = HeadsState().with_recipe(sentence=" ".join(f"w{i}" for i in range(40))).with_view(row=None)


@pytest.fixture
def long(driver):
    """Forty tokens, nothing pinned."""
    session = driver.window.session
    session.restart(replace(session.state, heads=LONG))
    return driver


def is_framed(driver, left: QPointF, right: QPointF, colour: str) -> bool:
    """Whether a line of a colour runs along the way from one place to another, two pixels off at most."""
    image = driver.canvas.grab().toImage()
    middle = ((left + right) / 2).toPoint()
    near = [image.pixelColor(middle + QPoint(x, y)).name() for x in range(-2, 3) for y in range(-2, 3)]
    return min(colour_distance(found, colour) for found in near) < 40


# ---- What is drawn ----


def test_every_cell_has_the_colour_of_its_weight(driver):
    weights = driver.weights
    cells = [(row, column) for row in range(11) for column in range(11)]
    assert driver.colours(*cells) == [sequential(weights[cell] / weights.max()) for cell in cells]


def test_the_ends_of_the_colour_map_are_those_of_viridis(driver):
    top = np.unravel_index(driver.weights.argmax(), driver.weights.shape)
    assert driver.colour(*top) == "#fde725"
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    assert driver.colour(0, 0) == "#fde725", "the only key takes all"


def test_cells_rows_and_columns_carry_their_numbers_and_tokens(driver):
    texts = driver.texts()
    tokens = driver.frame.queries
    assert [text for text in texts if text in tokens] == [*tokens, *tokens]
    numbers = [f"{weight:.3f}".removeprefix("0") for weight in driver.weights.ravel()]
    assert texts[: len(numbers)] == numbers
    assert {"rows ask", "columns answer", "0", f"{driver.weights.max():.3g}", "weight"} <= set(texts)


# ---- Hover ----


def test_hovering_a_cell_says_its_weight_and_lights_it(driver):
    driver.hover(2, 4)
    assert driver.said.startswith("query “sat” (3) → key “the” (5): weight ")
    assert numbers_in(driver.said.split("weight")[1]) == pytest.approx([driver.weights[2, 4]], rel=5e-6)
    assert driver.canvas.hovered == Spot(2, 4)
    box = driver.canvas.cell_box(2, 4)
    assert is_framed(driver, box.topLeft(), box.topRight(), LIGHT.text), "the cell is framed"
    row = driver.canvas.cell_box(2, 9)
    assert is_framed(driver, row.topLeft(), row.topRight(), LIGHT.query), "and its row"
    assert driver.heads == HeadsState(), "pointing is no change"
    assert driver.steps == 0


def test_hovering_updates_the_reading_and_marks_the_cell_in_every_head(driver):
    driver.hover(2, 4)
    assert driver.read == "“sat” (3) attends to"
    assert driver.read_cell == (2, 4)
    assert driver.page.wall.lit == Spot(2, 4)
    driver.hover(9, 0)
    assert driver.read == "“tired” (10) attends to"
    assert driver.page.wall.lit == Spot(9, 0)


def test_leaving_the_map_lights_what_is_pinned_again(driver):
    before = driver.canvas.grab().toImage()
    driver.hover(2, 4)
    assert driver.canvas.grab().toImage() != before
    driver.leave()
    assert driver.canvas.hovered == NOWHERE
    assert driver.said == ""
    assert driver.read == "“it” (8) attends to"
    assert driver.canvas.grab().toImage() == before
    driver.hover(2, 4)
    QApplication.sendEvent(driver.canvas, QEvent(QEvent.Type.Leave))
    assert driver.canvas.grab().toImage() == before


def test_a_label_lights_its_row_or_column(driver):
    mouse = driver.hand()
    mouse.move(driver.row_label(3))
    assert driver.said == "query “on” (4): click to keep its row"
    assert driver.canvas.hovered == Spot(3, None)
    mouse.move(driver.column_label(6))
    assert driver.said == "key “because” (7): click to see who attends to it"
    assert driver.canvas.hovered == Spot(None, 6)
    assert driver.read == "who attends to “because” (7)"
    box = driver.canvas.cell_box(5, 6)
    assert is_framed(driver, box.topLeft(), box.bottomLeft(), LIGHT.key)
    mouse.move(QPointF(3, 3))
    assert driver.canvas.hovered == NOWHERE


def test_what_is_lit_is_within_its_row(driver):
    driver.key(Qt.Key.Key_Escape)
    plain = pixels(driver.canvas.grab().toImage())
    driver.hand().move(driver.row_label(3))
    lit = pixels(driver.canvas.grab().toImage())
    left, top, right, bottom = changed_box(plain, lit, driver.canvas.map_layout.cells.adjusted(-200, -200, 200, 200))
    first, last = driver.canvas.cell_box(3, 0), driver.canvas.cell_box(3, 10)
    assert top == pytest.approx(first.top(), abs=4)
    assert bottom == pytest.approx(first.bottom(), abs=4)
    assert right == pytest.approx(last.right(), abs=4)
    assert left < first.left() - 10, "its token is lit too"


# ---- Pin ----


def test_a_click_pins_and_another_lets_go(driver):
    driver.click_cell(4, 1)
    assert driver.pin == (4, 1)
    assert driver.back_text == "Pin a cell"
    driver.leave()
    assert driver.read == "“the” (5) attends to"
    assert driver.page.wall.lit == Spot(4, 1)
    driver.click_cell(4, 1)
    assert driver.pin == (None, None)


def test_looking_here_and_there_is_one_step_however_long_it_takes(driver):
    driver.click_cell(4, 1)
    driver.click_cell(5, 1)
    assert driver.looks == 1
    driver.time += 2000.0
    driver.click_cell(6, 1)
    driver.time += 2000.0
    driver.click_cell(6, 1)
    assert driver.pin == (None, None)
    assert driver.looks == 1
    driver.back()
    assert driver.pin == (7, None)


def test_a_pin_that_comes_back_leaves_no_step_and_a_change_in_between_is_a_step_of_its_own(driver):
    driver.click(driver.row_label(7))
    assert driver.looks == 1
    driver.time += 60.0
    driver.click(driver.row_label(7))
    assert driver.pin == (7, None)
    assert driver.looks == 0, "nothing is different from before"
    driver.click_cell(4, 1)
    driver.page.toggle_hard()
    driver.click_cell(5, 1)
    assert (driver.looks, driver.steps) == (2, 1)
    driver.back()
    driver.undo()
    assert (driver.pin, driver.heads.setup.hard) == ((4, 1), False)


def test_a_click_on_a_token_pins_its_row_or_column_and_again_lets_go(driver):
    driver.click(driver.row_label(9))
    assert driver.pin == (9, None)
    driver.click(driver.column_label(3))
    assert driver.pin == (None, 3)
    assert driver.back_text == "Pin a token"
    driver.leave()
    assert driver.read == "who attends to “on” (4)"
    driver.click(driver.column_label(3))
    assert driver.pin == (None, None)


def test_a_click_beside_the_map_lets_go(driver):
    driver.click(QPointF(3, 3))
    assert driver.pin == (None, None)


def test_a_press_that_moves_away_pins_nothing(driver):
    driver.hand().drag(driver.cell(2, 2), driver.cell(6, 6))
    assert driver.pin == (7, None)
    assert driver.steps == 0


def test_other_buttons_pin_nothing(driver):
    mouse = driver.hand()
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        mouse.press(driver.cell(2, 2), button)
        mouse.release(button)
    assert driver.pin == (7, None)


# ---- Walk ----


def test_arrow_keys_walk_from_the_pin(driver):
    driver.click_cell(4, 4)
    driver.leave()
    for key, expected in (
        (Qt.Key.Key_Right, (4, 5)),
        (Qt.Key.Key_Down, (5, 5)),
        (Qt.Key.Key_Left, (5, 4)),
        (Qt.Key.Key_Up, (4, 4)),
        (Qt.Key.Key_Up, (3, 4)),
    ):
        driver.key(key)
        assert driver.pin == expected
        row, column = expected
        assert driver.read_cell == (row, column)
    assert driver.looks == 1


@pytest.mark.parametrize(
    ("key", "corner"),
    [
        (Qt.Key.Key_Right, (5, 10)),
        (Qt.Key.Key_Left, (5, 0)),
        (Qt.Key.Key_Down, (10, 5)),
        (Qt.Key.Key_Up, (0, 5)),
    ],
)
def test_walking_stops_at_the_edges(driver, key, corner):
    driver.click_cell(5, 5)
    for _ in range(15):
        driver.key(key)
    assert driver.pin == corner


def test_walking_begins_in_the_corner_and_a_row_walks_as_a_row(driver):
    for _ in range(3):
        driver.key(Qt.Key.Key_Down)
    assert driver.pin == (10, None)
    driver.key(Qt.Key.Key_Right)
    assert driver.pin == (10, None)
    driver.key(Qt.Key.Key_Escape)
    driver.key(Qt.Key.Key_Right)
    assert driver.pin == (0, 0)


def test_walking_takes_over_from_a_pointer_that_rests(driver):
    driver.click_cell(4, 4)
    driver.key(Qt.Key.Key_Right)
    assert driver.read_cell == (4, 5)
    driver.hover(4, 4)
    assert driver.read_cell == (4, 4)


def test_a_pin_outside_of_a_shorter_sentence_is_kept_and_does_no_harm(driver):
    driver.click_cell(10, 10)
    driver.paste_into(driver.controls.sentence, "Only three words")
    assert driver.pin == (10, 10)
    assert driver.read == "“words” (3) attends to"
    driver.canvas.grab()
    assert driver.canvas.pinned == Spot(2, 2), "the last cell there is stands for it"
    assert driver.page.wall.lit == Spot(2, 2)
    driver.key(Qt.Key.Key_Left)
    assert driver.pin == (2, 1), "walking begins on the map"


# ---- Zoom and pan ----


def test_the_wheel_zooms_around_the_pointer_and_home_shows_all(long):
    home = pixels(long.canvas.grab().toImage())
    place = long.cell(30, 10)
    long.wheel(place, 480)
    seen = long.heads.view.window
    assert seen is not None
    assert seen.bottom - seen.top == seen.right - seen.left < 20
    assert seen.top <= 30 < seen.bottom
    assert seen.left <= 10 < seen.right
    long.hand().move(place)
    near = long.canvas.hovered
    assert (near.row, near.column) == (pytest.approx(30, abs=1), pytest.approx(10, abs=1))
    weights = long.weights
    part = weights[seen.rows, seen.columns]
    assert long.colour(30, 10) == sequential(weights[30, 10] / part.max())
    assert set(long.frame.queries[seen.rows]) <= set(long.texts())
    assert "w0" not in long.texts()
    long.key(Qt.Key.Key_Home)
    long.leave()
    assert long.heads.view.window is None
    assert np.array_equal(pixels(long.canvas.grab().toImage()), home)
    assert (long.looks, long.back_text) == (2, "Show the whole map")


@pytest.mark.parametrize(("row", "column"), [(0, 0), (39, 39), (0, 39), (20, 20)])
def test_zooming_step_by_step_stays_at_the_pointer_and_ends(long, row, column):
    place = long.cell(row, column)
    sizes = []
    for _ in range(25):
        long.wheel(place, 120)
        seen = long.heads.view.seen(long.frame.shape)
        sizes.append(seen.bottom - seen.top)
        assert seen.top <= row < seen.bottom
        assert seen.left <= column < seen.right
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 4
    for _ in range(25):
        long.wheel(long.cell(row, column), -120)
    assert long.heads.view.window is None


def test_plus_and_minus_zoom_around_the_middle(long):
    long.key(Qt.Key.Key_Plus)
    seen = long.heads.view.window
    assert seen is not None
    assert (seen.top + seen.bottom) / 2 == pytest.approx(20, abs=2)
    for _ in range(3):
        long.key(Qt.Key.Key_Minus)
    assert long.heads.view.window is None


def test_a_small_wheel_turn_zooms_too(long):
    long.wheel(long.cell(20, 20), 15)
    assert long.heads.view.window is not None


def test_three_tokens_cannot_be_zoomed_into(driver):
    driver.paste_into(driver.controls.sentence, "one two three")
    driver.wheel(driver.cell(1, 1), 480)
    assert driver.heads.view.seen(driver.frame.shape) == Window(0, 3, 0, 3)
    driver.canvas.grab()


def test_dragging_moves_the_part_in_view_and_pins_nothing(long):
    long.wheel(long.cell(20, 20), 480)
    start = long.heads.view.window
    cell = long.canvas.cell_box(20, 20)
    from_, by = long.cell(20, 20), QPointF(3 * cell.width(), -2 * cell.height())
    long.hand().drag(from_, from_ + by)
    moved = long.heads.view.window
    assert (moved.top - start.top, moved.left - start.left) == (2, -3)
    assert moved.bottom - moved.top == start.bottom - start.top
    assert long.pin == (None, None)
    assert (long.looks, long.back_text) == (2, "Move the view")
    assert long.canvas.cell_box(20, 20).center() == from_ + by, "what was taken hold of is under the pointer"
    assert long.colour(20, 20) == sequential(long.weights[20, 20] / long.weights[moved.rows, moved.columns].max())


def test_dragging_stops_at_the_edges(long):
    long.wheel(long.cell(20, 20), 480)
    size = long.heads.view.window.bottom - long.heads.view.window.top
    for _ in range(4):
        long.hand().drag(QPointF(150, 150), QPointF(480, 480))
    assert long.heads.view.window == Window(0, size, 0, size)
    for _ in range(4):
        long.hand().drag(QPointF(480, 480), QPointF(150, 150))
    assert long.heads.view.window == Window(40 - size, 40, 40 - size, 40)


def test_hover_click_and_marks_hold_in_a_part(long):
    long.wheel(long.cell(35, 35), 720)
    long.hover(34, 36)
    assert long.said.startswith("query “w34” (35) → key “w36” (37): weight ")
    long.click_cell(34, 36)
    assert long.pin == (34, 36)
    long.leave()
    box = long.canvas.cell_box(34, 36)
    assert is_framed(long, box.topLeft(), box.topRight(), LIGHT.text)
    long.key(Qt.Key.Key_Home)
    assert long.pin == (34, 36)
    long.wheel(long.cell(2, 2), 720)
    assert long.canvas.cell_box(34, 36).isEmpty()
    long.canvas.grab()


def test_a_shorter_sentence_while_zoomed_shows_what_there_is(long):
    long.wheel(long.cell(35, 35), 720)
    size = long.heads.view.window.bottom - long.heads.view.window.top
    assert size > 3
    long.paste_into(long.controls.sentence, "now only five words left")
    seen = long.heads.view.seen(long.frame.shape)
    assert seen.bottom <= 5
    assert set(long.frame.queries[seen.rows]) <= set(long.texts())
    long.hover(seen.top, seen.left)
    assert long.said.startswith(f"query “{long.frame.queries[seen.top]}”")


# ---- Painting the mask ----


@pytest.fixture
def painter(driver):
    driver.press(driver.controls.paint)
    assert driver.canvas.paints_mask
    return driver


def test_the_pointer_says_that_the_mask_is_painted(painter):
    assert painter.canvas.cursor().shape() is Qt.CursorShape.CrossCursor
    assert "Drag over cells" in painter.said
    painter.press(painter.controls.paint)
    assert painter.canvas.cursor().shape() is Qt.CursorShape.ArrowCursor
    painter.click_cell(1, 1)
    assert painter.pin == (1, 1), "a click pins again"
    assert painter.frame.mask is None


def test_dragging_over_cells_hides_them_in_one_undo_step(painter):
    unmasked = painter.weights
    mouse = painter.hand()
    mouse.press(painter.cell(3, 2))
    for column in range(3, 7):
        mouse.move(painter.cell(3, column))
        assert not painter.frame.mask[3, 2 : column + 1].any(), "they go while the button is down"
        assert painter.colour(3, column) == LIGHT.masked
        assert painter.steps == 0
    mouse.release()
    assert painter.steps == 1
    assert painter.undo_text == "Hide cells"
    assert painter.heads.setup.mask.hidden == frozenset((3, column) for column in range(2, 7))
    assert painter.frame.mask.sum() == 121 - 5
    left = np.where(painter.frame.mask[3], unmasked[3], 0.0)
    assert painter.weights[3] == pytest.approx(left / left.sum())
    assert np.array_equal(painter.weights[4], unmasked[4])
    assert painter.controls.unpaint.isVisible()
    assert painter.pin == (7, None), "painting pins nothing"
    painter.undo()
    assert painter.heads == HeadsState()
    assert painter.colour(3, 4) == sequential(unmasked[3, 4] / unmasked.max())


def test_a_fast_hand_hides_all_cells_on_its_way(painter):
    """The mouse reports only where it was seen: at the first cell and at the last."""
    mouse = painter.hand()
    mouse.press(painter.cell(3, 2))
    mouse.move(painter.cell(3, 8))
    mouse.release()
    assert painter.heads.setup.mask.hidden == frozenset((3, column) for column in range(2, 9))


def test_painting_over_hidden_cells_shows_them_again(painter):
    painter.hand().drag(painter.cell(3, 2), painter.cell(3, 6), steps=30)
    assert painter.frame.mask.sum() == 116
    painter.hand().drag(painter.cell(3, 4), painter.cell(3, 8), steps=30)
    hidden = set(zip(*np.nonzero(~painter.frame.mask), strict=True))
    assert hidden == {(3, 2), (3, 3)}, "it began on a hidden cell: all it passes are shown"
    assert painter.undo_text == "Show cells"
    painter.hand().drag(painter.cell(3, 2), painter.cell(3, 3))
    assert painter.frame.mask is None
    assert painter.heads.setup.mask.shown == frozenset((3, column) for column in range(2, 9)), "as the hand said"
    painter.press(painter.controls.unpaint)
    assert painter.heads == HeadsState()
    assert not painter.controls.unpaint.isVisible()


def test_a_painted_cell_stays_as_the_hand_left_it_under_every_mask(painter):
    painter.click_cell(2, 7)  # hidden; a causal mask hides it too
    painter.click_cell(7, 2)  # hidden; a causal mask shows it
    painter.choose(painter.controls.masks, MaskKind.CAUSAL)
    painter.click_cell(1, 5)  # shown; without a mask it is shown too
    for kind in MaskKind:
        painter.choose(painter.controls.masks, kind)
        assert [bool(painter.frame.mask[cell]) for cell in ((2, 7), (7, 2), (1, 5))] == [False, False, True], kind
        assert painter.colour(2, 7) == LIGHT.masked


def test_a_cell_is_turned_once_however_often_the_pointer_passes(painter):
    mouse = painter.hand()
    mouse.press(painter.cell(5, 5))
    for column in (6, 5, 6, 5, 6, 5):
        mouse.move(painter.cell(5, column))
    mouse.release()
    assert painter.heads.setup.mask.hidden == {(5, 5), (5, 6)}


def test_where_a_tile_stands_for_many_cells_all_of_them_are_painted(driver, qtbot):
    many = HeadsState().with_recipe(sentence="so " * 1800, heads=1, d_model=4)
    session, canvas = driver.window.session, driver.canvas
    session.apply(replace(session.state, heads=many), "Eighteen hundred tokens")
    qtbot.waitUntil(lambda: canvas.frame.shape == (1800, 1800), timeout=20_000)
    qtbot.waitUntil(lambda: not driver.page.requests.is_pending, timeout=20_000)
    QApplication.processEvents()  # what is said above the map makes room for itself, and the map has fewer pixels
    assert len(canvas.map_picture.values) < 900, "a tile stands for two cells at least"
    driver.press(driver.controls.paint)
    driver.click(driver.cell(450, 300))
    rows, columns = (
        range(*next((a, b) for a, b in itertools.pairwise(ends.tolist()) if a <= at < b))
        for ends, at in zip(canvas.map_picture.tiles_end, (450, 300), strict=True)
    )
    assert driver.heads.setup.mask.hidden == frozenset(itertools.product(rows, columns))
    assert len(driver.heads.setup.mask.hidden) > 1
    qtbot.waitUntil(lambda: canvas.frame.mask is not None, timeout=20_000)
    assert canvas.map_picture.masked.sum() == 1, "one tile, and all of it"
    driver.click(driver.cell(450, 300))
    assert not driver.heads.setup.mask.hidden


def test_escape_while_painting_puts_everything_back(painter):
    before = painter.canvas.grab().toImage()
    mouse = painter.hand()
    mouse.press(painter.cell(3, 2))
    mouse.move(painter.cell(3, 5))
    assert painter.frame.mask is not None
    painter.key(Qt.Key.Key_Escape)
    assert painter.heads == HeadsState()
    mouse.move(painter.cell(8, 8))
    mouse.release()
    assert painter.heads == HeadsState(), "the rest of the drag does nothing"
    assert painter.steps == 0
    mouse.move(QPointF(2, 2))
    assert painter.canvas.grab().toImage() == before


def test_the_row_label_paints_a_row_and_the_column_label_a_column(painter):
    painter.click(painter.row_label(4))
    assert not painter.frame.mask[4].any()
    assert painter.frame.mask.sum() == 110
    assert painter.weights[4].tolist() == [0.0] * 11
    painter.hover(4, 4)
    assert painter.page.panel.title.text() == "“the” has nothing to attend to."
    painter.click(painter.column_label(2))
    assert not painter.frame.mask[:, 2].any()
    assert painter.frame.mask.sum() == 100
    painter.click(painter.row_label(4))
    assert painter.frame.mask[4].all(), "a row that is hidden is shown"
    assert painter.steps == 3


def test_painting_goes_over_a_mask_that_was_chosen(painter):
    painter.choose(painter.controls.masks, MaskKind.CAUSAL)
    painter.click_cell(0, 5)
    assert painter.frame.mask[0, 5], "it was hidden: it is shown"
    assert painter.undo_text == "Show cells"
    painter.click_cell(5, 0)
    assert not painter.frame.mask[5, 0]
    assert painter.heads.setup.mask == MaskChoice(MaskKind.CAUSAL, 3, frozenset({(5, 0)}), frozenset({(0, 5)}))
    painter.press(painter.controls.unpaint)
    assert painter.heads.setup.mask == MaskChoice(MaskKind.CAUSAL, 3)
    assert np.array_equal(painter.frame.mask, np.tri(11, dtype=bool))


def test_a_cell_can_be_painted_by_keyboard(painter):
    for _ in range(2):
        painter.key(Qt.Key.Key_Escape)
    painter.press(painter.controls.paint)
    painter.canvas.setFocus()
    painter.key(Qt.Key.Key_Down)
    painter.key(Qt.Key.Key_Space)
    assert painter.heads.setup.mask.hidden == {(0, 0)}
    painter.key(Qt.Key.Key_Down)
    painter.key(Qt.Key.Key_Return)
    assert painter.heads.setup.mask.hidden == {(0, 0), (1, 0)}
    assert painter.undo_text == "Hide cells"


def test_painting_in_a_part_of_the_map_paints_the_cells_that_are_seen(long):
    long.wheel(long.cell(35, 35), 720)
    long.press(long.controls.paint)
    long.hand().drag(long.cell(34, 35), long.cell(36, 35), steps=20)
    assert long.heads.setup.mask.hidden == {(34, 35), (35, 35), (36, 35)}
    assert long.heads.view.window is not None


def test_painting_while_an_aggregate_is_shown_masks_every_head(painter):
    painter.choose(painter.controls.aggregate, Aggregate.MEAN)
    painter.click_cell(6, 6)
    assert painter.weights[6, 6] == 0.0
    assert painter.colour(6, 6) == LIGHT.masked
    assert all(map_.weights()[6, 6] == 0.0 for map_ in painter.frame.layers[0].maps)
