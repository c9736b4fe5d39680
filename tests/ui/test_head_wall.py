"""The wall of heads: choosing, switching off, sorting, and the cell that lights up in every head."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pytest
from heads_driver import changed_box, pixels, sequential, widget_texts
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from attention_explorer.core.map_picture import Contrast
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.model import AttentionMap, Stage, entropy, rollout
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsState, MaskChoice, MaskKind, SortBy
from attention_explorer.pages.heads.survey import doing, line_words, summary_words, surveys_of

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def wall(driver):
    return driver.page.wall


@pytest.fixture
def stacked(driver):
    """Four layers of four heads."""
    session = driver.window.session
    session.restart(replace(session.state, heads=heads_preset("stacked").state))
    return driver


def middle(wall, layer: int, head: int) -> QPointF:
    return wall.box_of(wall.index_of(layer, head)).center()


def cells_box(wall, place: int) -> QRectF:
    """Where the map of a thumbnail of a square map is."""
    box = wall.box_of(place)
    side = box.width() - wall.look.px(12)
    return QRectF(box.left() + wall.look.px(6), box.top() + wall.look.px(6), side, side)


def all_weights(driver) -> np.ndarray:
    """The weights of the heads of the layer on show, (heads, n_q, n_k)."""
    return np.stack([map_.weights() for map_ in driver.frame.layers[driver.frame.layer].maps])


def order(wall) -> list[tuple[int, int]]:
    """The heads as they stand on the wall, read from their names: layer and head as 4.2, or the head alone."""
    found = []
    for text in widget_texts(wall):
        name = re.fullmatch(r"(?:head |(\d+)\.)(\d+)", text)
        if name is not None:
            found.append((int(name[1] or 1) - 1, int(name[2]) - 1))
    return found


# ---- What is drawn ----


def test_every_head_is_a_small_map_of_its_weights(driver, wall):
    image = wall.grab().toImage()
    driver.key(Qt.Key.Key_Escape)
    for head, weights in enumerate(all_weights(driver)):
        box = cells_box(wall, wall.index_of(0, head))
        for row, column in ((0, 0), (2, 9), (10, 3)):
            place = box.topLeft() + QPointF((column + 0.5) * box.width() / 11, (row + 0.5) * box.height() / 11)
            expected = sequential(weights[row, column] / all_weights(driver).max())
            assert image.pixelColor(place.toPoint()).name() == expected, (head, row, column)


def test_names_and_summaries_are_written_below(driver, wall):
    texts = widget_texts(wall)
    assert [text for text in texts if text.startswith("head")] == [f"head {i}" for i in range(1, 9)]
    means = [float(np.mean(entropy(weights))) for weights in all_weights(driver)]
    assert [text for text in texts if text.startswith("H ")] == [f"H {mean:.2f}" for mean in means]


def test_thumbnails_wear_the_contrast_of_the_large_picture(driver, wall):
    driver.key(Qt.Key.Key_Escape)
    driver.choose(driver.controls.contrast, Contrast.UNIT)
    image, box = wall.grab().toImage(), cells_box(wall, 0)
    place = box.topLeft() + QPointF(0.5 * box.width() / 11, 0.5 * box.height() / 11)
    assert image.pixelColor(place.toPoint()).name() == sequential(all_weights(driver)[0, 0, 0])


def test_masked_cells_are_grey_on_the_wall_too(driver, wall):
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.key(Qt.Key.Key_Escape)
    image = wall.grab().toImage()
    for place in range(8):
        box = cells_box(wall, place)
        corner = box.topLeft() + QPointF(10.5 * box.width() / 11, 0.5 * box.height() / 11)
        assert image.pixelColor(corner.toPoint()).name() == LIGHT.masked


def test_stacked_layers_are_all_there(stacked):
    wall = stacked.page.wall
    assert order(wall) == [(layer, head) for layer in range(4) for head in range(4)]
    assert wall.minimumHeight() >= wall.box_of(15).bottom() - 1


def test_every_place_of_the_wall_belongs_to_the_thumbnail_that_is_drawn_there(stacked):
    wall = stacked.page.wall
    boxes = [wall.box_of(index) for index in range(16)]
    found = set()
    for x in range(-3, wall.width() + 6, 7):
        for y in range(-3, wall.height() + 40, 11):
            place = QPointF(x, y)
            expected = next((index for index, box in enumerate(boxes) if box.contains(place)), None)
            assert wall.grid.index_at(place) == expected, place
            found.add(expected)
    assert found == {None, *range(16)}


@pytest.mark.parametrize("part", [(0, 0, 300, 20), (0, 300, 40, 60), (60, 610, 40, 900), (0, 0, 300, 3000)])
def test_what_is_painted_again_is_the_same(stacked, part):
    wall = stacked.page.wall
    whole = pixels(wall.grab().toImage())
    box = QRect(*part) & wall.rect()
    again = pixels(wall.grab(box).toImage())
    left, top, right, bottom = box.left(), box.top(), box.right() + 1, box.bottom() + 1
    assert np.array_equal(again, whole[top:bottom, left:right])


# ---- Pointing ----


@pytest.mark.parametrize(("row", "column"), [(0, 0), (7, 3), (10, 10)])
def test_a_cell_pointed_at_is_marked_in_every_head(driver, wall, row, column):
    driver.key(Qt.Key.Key_Escape)
    plain = pixels(wall.grab().toImage())
    driver.hover(row, column)
    marked = pixels(wall.grab().toImage())
    for place in range(8):
        box = cells_box(wall, place)
        left, top, right, bottom = changed_box(plain, marked, wall.box_of(place))
        cell = box.width() / 11
        assert left == pytest.approx(box.left() + column * cell, abs=2)
        assert right == pytest.approx(box.left() + (column + 1) * cell, abs=2)
        assert top == pytest.approx(box.top() + row * cell, abs=2)
        assert bottom == pytest.approx(box.top() + (row + 1) * cell, abs=2)


def test_a_row_and_a_column_are_marked_whole(driver, wall):
    driver.key(Qt.Key.Key_Escape)
    plain = pixels(wall.grab().toImage())
    for place, whole in ((driver.row_label(4), (0, 4, 11, 5)), (driver.column_label(6), (6, 0, 7, 11))):
        driver.hand().move(place)
        box = cells_box(wall, 3)
        found = changed_box(plain, pixels(wall.grab().toImage()), wall.box_of(3))
        expected = [share * box.width() / 11 for share in whole]
        origin = (box.left(), box.top(), box.left(), box.top())
        assert found == pytest.approx([start + part for start, part in zip(origin, expected, strict=True)], abs=2)


def test_what_is_pinned_stays_marked(driver, wall):
    driver.click_cell(3, 3)
    pinned = pixels(wall.grab().toImage())
    driver.hover(5, 5)
    assert not np.array_equal(pixels(wall.grab().toImage()), pinned)
    driver.leave()
    assert np.array_equal(pixels(wall.grab().toImage()), pinned)


def test_the_status_bar_says_a_line_of_the_summary_of_a_head_and_its_tip_all(driver, wall):
    weights = all_weights(driver)[2]
    driver.hand(wall).move(middle(wall, 0, 2))
    assert driver.said.startswith(f"head 3: entropy {float(np.mean(entropy(weights))):.2f} nats")
    assert f"mean of the row maxima {weights.max(axis=1).mean():.2f}" in driver.said
    tip = wall.tip_at(middle(wall, 0, 2))
    assert f"on itself {np.trace(weights) / 11:.2f}" in tip
    assert f"on the first {weights[:, 0].mean():.2f}" in tip
    QApplication.sendEvent(wall, QEvent(QEvent.Type.Leave))
    assert driver.said == ""


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("preset", [preset.id for preset in HEADS_PRESETS])
def test_the_line_on_a_head_fits_into_the_smallest_window(preset):
    metrics = QFontMetricsF(Look(LIGHT).font(13))
    surveys = surveys_of(heads_frame(heads_preset(preset).state.setup))
    assert max(metrics.horizontalAdvance(line_words(survey)) for survey in surveys) < 1024 - 160  # beside the history


def test_the_summary_under_a_pointer_that_rests_follows_the_numbers(driver, wall, wait):
    driver.hand(wall).move(middle(wall, 0, 2))
    before = driver.said
    driver.key(Qt.Key.Key_H)
    wait(driver)
    assert driver.said.startswith("head 3: entropy 0.00 nats, mean of the row maxima 1.00")
    driver.undo()
    wait(driver)
    assert driver.said == before
    QApplication.sendEvent(wall, QEvent(QEvent.Type.Leave))
    driver.key(Qt.Key.Key_H)
    assert driver.said == ""


# ---- Choosing ----


def test_a_click_shows_a_head_large(driver, wall):
    driver.click(middle(wall, 0, 5), wall)
    assert (driver.heads.setup.layer, driver.heads.setup.head) == (0, 5)
    assert driver.shown_title() == "head 6 of 8"
    weights = all_weights(driver)[5]
    assert driver.colour(2, 3) == sequential(weights[2, 3] / weights.max())
    assert driver.back_text == "Show head 6"
    driver.back()
    assert driver.shown_title() == "head 1 of 8"


def test_arrow_keys_walk_over_the_wall_and_stop_at_its_ends(driver, wall):
    wall.setFocus()
    for key, head in (
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Down, 2),
        (Qt.Key.Key_Up, 1),
        *[(Qt.Key.Key_Down, min(head, 7)) for head in range(2, 10)],
        (Qt.Key.Key_Right, 7),
    ):
        driver.key(key, widget=wall)
        assert driver.heads.setup.head == head
    assert driver.looks == 1


def test_n_and_p_step_through_all_layers(stacked):
    for _ in range(5):
        stacked.key(Qt.Key.Key_N)
    assert (stacked.heads.setup.layer, stacked.heads.setup.head) == (1, 1)
    assert stacked.shown_title() == "layer 2, head 2 of 4"
    for _ in range(9):
        stacked.key(Qt.Key.Key_P)
    assert (stacked.heads.setup.layer, stacked.heads.setup.head) == (0, 0)
    for _ in range(20):
        stacked.key(Qt.Key.Key_N)
    assert (stacked.heads.setup.layer, stacked.heads.setup.head) == (3, 3)


def test_a_click_between_thumbnails_does_nothing(driver, wall):
    gap = QPointF((wall.box_of(0).right() + wall.box_of(1).left()) / 2, 40)
    driver.click(gap, wall)
    assert driver.steps == 0
    assert driver.heads == HeadsState()


# ---- Several heads in one ----


def test_mean_and_max_are_those_of_the_heads(driver):
    each = all_weights(driver)
    driver.choose(driver.controls.aggregate, Aggregate.MEAN)
    assert driver.shown_title() == "mean of 8 heads"
    assert np.allclose(driver.weights, each.mean(axis=0), rtol=1e-12, atol=0)
    assert driver.colour(3, 4) == sequential(each.mean(axis=0)[3, 4] / each.mean(axis=0).max())
    driver.choose(driver.controls.aggregate, Aggregate.MAX)
    assert driver.shown_title() == "largest of 8 heads"
    assert np.array_equal(driver.weights, each.max(axis=0))
    assert "rows need not sum to 1" in driver.page.also.text()
    driver.hover(3, 4)
    assert "the largest weights of several heads need not sum to 1" in driver.page.row_beside().steps.reading.note
    assert not driver.controls.stages.isEnabled(), "several heads in one have no scores"


def test_rollout_multiplies_the_layers_with_and_without_identity(stacked):
    layers = [np.mean([map_.weights() for map_ in layer.maps], axis=0) for layer in stacked.frame.layers]
    assert stacked.heads.setup.aggregate is Aggregate.ROLLOUT, "the preset opens on what it is named for"
    stacked.choose(stacked.controls.aggregate, Aggregate.ONE)
    assert not stacked.controls.identity.isVisible()
    stacked.choose(stacked.controls.aggregate, Aggregate.ROLLOUT)
    product = np.eye(11)
    for weights in layers:
        product = (0.5 * weights + 0.5 * np.eye(11)) @ product
    assert np.allclose(stacked.weights, product, atol=1e-12)
    assert stacked.shown_title() == "rollout over 4 layers, with identity"
    assert stacked.controls.identity.isVisible()
    assert stacked.controls.identity.isChecked()
    stacked.press(stacked.controls.identity)
    assert stacked.heads.setup.identity is False
    assert np.allclose(stacked.weights, np.linalg.multi_dot(layers[::-1]), atol=1e-12)
    assert np.allclose(stacked.weights, rollout(layers, identity=False), atol=1e-12)
    assert stacked.shown_title() == "rollout over 4 layers, without identity"
    assert stacked.colour(2, 2) == sequential(stacked.weights[2, 2] / stacked.weights.max())


def test_a_rollout_needs_a_square_map(driver):
    driver.press(driver.controls.cross)
    driver.paste_into(driver.controls.context, "one two")
    item = driver.controls.aggregate.model().index(3, 0)
    assert not item.flags() & Qt.ItemFlag.ItemIsEnabled
    driver.press(driver.controls.cross)
    assert item.flags() & Qt.ItemFlag.ItemIsEnabled


def test_a_second_sentence_under_a_rollout_does_no_harm(stacked):
    stacked.choose(stacked.controls.aggregate, Aggregate.ROLLOUT)
    stacked.press(stacked.controls.cross)
    stacked.paste_into(stacked.controls.context, "one two")
    assert stacked.frame.shape == (11, 2)
    stacked.hover(3, 1)
    assert stacked.said.startswith("query “on” (4) → key “two” (2): weight ")
    assert "rollout" not in stacked.shown_title(), "what is drawn is no rollout: the title must not say so"


def test_ctrl_click_switches_a_head_off_and_out_of_the_mean(driver, wall):
    each = all_weights(driver)
    driver.choose(driver.controls.aggregate, Aggregate.MEAN)
    before = pixels(wall.grab().toImage())
    driver.click(middle(wall, 0, 2), wall, CTRL)
    assert driver.heads.setup.switched_off == {(0, 2)}
    assert driver.undo_text == "Switch head 3 off"
    left = np.delete(each, 2, axis=0)
    assert np.allclose(driver.weights, left.mean(axis=0), rtol=1e-12, atol=0)
    assert driver.shown_title() == "mean of 7 heads"
    assert "off" in widget_texts(wall)
    assert changed_box(before, pixels(wall.grab().toImage()), cells_box(wall, 2)) is not None, "it is greyed"
    driver.click(middle(wall, 0, 6), wall, CTRL)
    assert np.allclose(driver.weights, np.delete(each, (2, 6), axis=0).mean(axis=0), rtol=1e-12, atol=0)
    driver.click(middle(wall, 0, 2), wall, CTRL)
    assert driver.heads.setup.switched_off == {(0, 6)}
    assert driver.undo_text == "Switch head 3 on"


def test_a_rollout_leaves_out_what_is_switched_off(stacked):
    stacked.choose(stacked.controls.aggregate, Aggregate.ROLLOUT)
    all_on = stacked.weights
    stacked.click(middle(stacked.page.wall, 0, 1), stacked.page.wall, CTRL)
    first = [stacked.frame.layers[0].maps[head].weights() for head in (0, 2, 3)]
    layers = [np.mean(first, axis=0)]
    layers += [np.mean([map_.weights() for map_ in layer.maps], axis=0) for layer in stacked.frame.layers[1:]]
    assert np.allclose(stacked.weights, rollout(layers), atol=1e-12)
    assert not np.allclose(stacked.weights, all_on)


def test_later_layers_stay_as_they_are_when_a_head_is_switched_off(stacked):
    before = [map_.weights() for layer in stacked.frame.layers for map_ in layer.maps]
    stacked.click(middle(stacked.page.wall, 0, 1), stacked.page.wall, CTRL)
    after = [map_.weights() for layer in stacked.frame.layers for map_ in layer.maps]
    np.testing.assert_array_equal(before, after)
    assert "later layers stay as they are" in stacked.page.wall.tip_at(middle(stacked.page.wall, 0, 1))


def test_the_mean_of_heads_says_what_pytorch_does(driver):
    driver.choose(driver.controls.aggregate, Aggregate.MEAN)
    tip = driver.controls.aggregate.toolTip()
    for said in ("nn.MultiheadAttention", "average_attn_weights=False", "xavier_uniform_", "biases, which start at 0"):
        assert said in tip


def test_all_heads_off_is_the_same_as_all_on(driver, wall):
    each = all_weights(driver)
    driver.choose(driver.controls.aggregate, Aggregate.MEAN)
    for head in range(8):
        driver.click(middle(wall, 0, head), wall, CTRL)
    assert len(driver.heads.setup.switched_off) == 8
    assert np.allclose(driver.weights, each.mean(axis=0))


def test_a_head_shown_alone_is_as_it_was_when_it_is_switched_off(driver, wall):
    before = driver.weights
    wall.setFocus()
    driver.key(Qt.Key.Key_Space, widget=wall)
    assert driver.heads.setup.switched_off == {(0, 0)}
    assert np.array_equal(driver.weights, before)
    driver.key(Qt.Key.Key_Space, widget=wall)
    assert driver.heads == HeadsState()


def test_a_click_on_a_head_leaves_the_aggregate(driver, wall):
    driver.choose(driver.controls.aggregate, Aggregate.MEAN)
    driver.click(middle(wall, 0, 3), wall)
    assert driver.heads.setup.aggregate is Aggregate.ONE
    assert driver.controls.aggregate.currentText() == "one head"
    assert driver.shown_title() == "head 4 of 8"


def test_the_menu_of_a_head_switches_it_off(driver, wall):
    place = middle(wall, 0, 1).toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, wall.mapToGlobal(place))
    QApplication.sendEvent(wall, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(action for action in menu.actions() if action.text() == "Switch off")
    assert menu.toolTipsVisible()
    assert "later layers stay as they are" in action.toolTip()
    action.trigger()
    menu.close()
    assert driver.heads.setup.switched_off == {(0, 1)}
    assert driver.said == "Head 2 is off: left out of mean, largest and rollout; later layers stay as they are."


# ---- Sorting ----


def _measure(map_: AttentionMap, sort: SortBy) -> float:
    weights = map_.weights()
    n = len(weights)
    places = np.arange(n)
    return float(
        {
            SortBy.ENTROPY: np.mean(entropy(weights)),
            SortBy.EVENNESS: np.mean(entropy(weights)) / np.log(n),
            SortBy.SATURATED: (weights.max(axis=1) > 0.95).mean(),
            SortBy.SCORE_STD: map_.scores(stage=Stage.SCALED).std(),
            SortBy.MAX_WEIGHT: weights.max(axis=1).mean(),
            SortBy.DISTANCE: (weights * np.abs(places[:, None] - places[None, :])).sum(axis=1).mean(),
            SortBy.SELF: np.diagonal(weights).mean(),
            SortBy.PREVIOUS: np.diagonal(weights, -1).sum() / n,  # the first row has none
            SortBy.FIRST: weights[:, 0].mean(),
            SortBy.NEXT: np.diagonal(weights, 1).mean(),
            SortBy.SPECIAL: weights[:, -1].mean(),  # the full stop
            SortBy.BACK: max(np.diagonal(weights, -back).mean() for back in range(2, n // 2 + 1)),
        }[sort]
    )


# No word of the sentence comes twice, so there is no induction here; nothing is kept to differ from.
@pytest.mark.parametrize(
    "sort",
    [each for each in SortBy if each.is_measured and each not in (SortBy.SAME, SortBy.INDUCTION, SortBy.DIFFERENCE)],
)
def test_the_wall_is_sorted_by_every_summary_the_largest_first(driver, wall, sort):
    measures = [_measure(map_, sort) for map_ in driver.frame.layers[0].maps]
    driver.choose(driver.controls.sort, sort)
    assert driver.heads.view.sort is sort
    expected = [(0, int(head)) for head in np.argsort([-measure for measure in measures], kind="stable")]
    assert order(wall) == expected
    assert wall.index_of(*expected[0]) == 0
    said = [
        text
        for text in widget_texts(wall)
        if re.match(r"(H|even|mean|sat|std|dist|self|prev|first|next|marks|\d back)\w* ", text)
    ]
    assert said[0].endswith(f" {max(measures):.2f}")
    driver.click(wall.box_of(2).center(), wall)
    assert driver.heads.setup.head == expected[2][1], "a click shows the head that stands there now"
    driver.choose(driver.controls.sort, SortBy.NUMBER)
    assert order(wall) == [(0, head) for head in range(8)]


def test_heads_that_are_alike_stand_together(driver, wall):
    driver.choose(driver.controls.sort, SortBy.ALIKE)
    standing = [map_.weights() for _, head in order(wall) for map_ in [driver.frame.layers[0].maps[head]]]
    apart = [float(np.linalg.norm(a - b)) for a, b in pairwise(standing)]
    assert sorted(order(wall)) == [(0, head) for head in range(8)]
    assert sum(apart) < sum(np.linalg.norm(a.weights() - b.weights()) for a, b in pairwise(driver.frame.layers[0].maps))
    assert any(text.startswith("H ") for text in widget_texts(wall)), "each with its entropy"


def test_heads_stand_by_what_they_do_and_those_that_do_nothing_clear_are_the_last(driver, wall):
    driver.choose(driver.controls.presets, "minilm")
    driver.page.settle()
    driver.choose(driver.controls.sort, SortBy.DOING)
    said = [doing(survey) for survey in wall.surveys]
    groups = [name for name, _ in groupby(said)]
    assert len(groups) == len(set(groups)) > 3, "those that do the same stand together"
    assert groups[0] == "one back"
    assert groups[-1] == ""
    driver.press(driver.controls.reverse)
    assert [name for name, _ in groupby(map(doing, wall.surveys))] == [*groups[-2::-1], ""]


def test_an_arrow_reverses_the_order(driver, wall):
    driver.choose(driver.controls.sort, SortBy.ENTROPY)
    before, arrow = order(wall), driver.controls.reverse
    driver.press(arrow)
    assert order(wall) == before[::-1]
    assert (arrow.isChecked(), driver.heads.view.reverse) == (True, True)
    assert driver.back_text == "Reverse the order of the heads"
    driver.choose(driver.controls.sort, SortBy.NUMBER)
    assert order(wall) == [(0, head) for head in reversed(range(8))]
    driver.back()
    driver.back()
    assert order(wall) == before
    assert not arrow.isChecked()


def test_sorting_is_no_change_of_the_picture(driver, wall):
    before = driver.canvas.grab().toImage()
    driver.choose(driver.controls.sort, SortBy.FIRST)
    driver.canvas.setFocus()
    assert driver.canvas.grab().toImage() == before
    driver.back()
    assert order(wall) == [(0, head) for head in range(8)]


def test_all_heads_can_be_exported(driver, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "wall.npy"), ""))
    driver.page.export_wall()
    assert np.array_equal(np.load(tmp_path / "wall.npy", allow_pickle=False), all_weights(driver))


def test_one_head_and_one_empty_row_are_said_in_the_singular(open_heads):
    driver = open_heads(heads_preset("five-token").state.with_setup(mask=MaskChoice(MaskKind.STRICT)))
    assert driver.page.wall.spoken().startswith("1 head; ")
    (survey,) = surveys_of(driver.frame)
    assert summary_words(survey).endswith("; 1 row with nothing to attend to")
