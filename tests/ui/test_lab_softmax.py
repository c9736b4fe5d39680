"""The softmax bench on the Lab page: rings that are dragged, keys, faults, several rows, words and files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from heads_driver import numbers_in
from picture_on_canvas import PictureOnCanvas
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plot_marks import At, Label
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.scores_state import BenchState, ScalingPicture, ScalingState
from attention_explorer.pages.lab.ui.softmax import GAP, JACOBIAN, SoftmaxBench, _scores
from attention_explorer.pages.preset_lists import preset_list

SCALING_PRESETS = preset_list("scaling")


def bench(*rows: tuple[float, ...], **settings: Any) -> ScalingState:
    return ScalingState(picture=ScalingPicture.BENCH, bench=BenchState(rows, **settings))


FOUR = bench((2.0, 1.0, 0.0, -1.0))
AXIS = preset_of(SCALING_PRESETS, "axis").state


@pytest.fixture
def show(qtbot: Any, hand: Any) -> Any:
    return lambda state: PictureOnCanvas(qtbot, hand, SoftmaxBench(), state)


def ring(shown: PictureOnCanvas, key: int) -> QPointF:
    scores, _ = shown.layout
    place: QPointF = scores.layout.place(key + 0.5, float(shown.numbers.scores[shown.numbers.row, key]))
    return place


# ---- Scores ----


def test_the_top_of_a_bar_is_dragged_and_escape_puts_it_back(show: Any) -> None:
    shown = show(FOUR)
    target = shown.layout[0].layout.place(1.5, -1.5)
    shown.mouse.drag(ring(shown, 1), target)
    assert shown.state.bench.rows[0] == (2.0, pytest.approx(-1.5, abs=0.03), 0.0, -1.0)
    assert set(shown.labels) == {"Drag score 2"}
    kept, mouse, low = shown.state, shown.mouse, shown.layout[0].layout.up.low
    mouse.press(ring(shown, 0))
    mouse.move(QPointF(-9999.0, 9999.0))
    assert shown.state.bench.rows[0][0] == low, "held within the axis that was there"
    shown.key(Qt.Key.Key_Escape)
    assert shown.state == kept


def test_keys_choose_and_move_a_score(show: Any) -> None:
    shown = show(FOUR)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_PageDown):
        shown.key(key)
    assert shown.state.bench.key == 2
    assert shown.state.bench.rows[0] == (2.0, 1.0, pytest.approx(-0.9), -1.0)
    shown.click(shown.layout[1].layout.place(0.5, 0.2))
    assert shown.state.bench.key == 0, "a click in a column chooses it"


def test_scores_and_weights_share_their_columns(show: Any) -> None:
    for state in (FOUR, AXIS):
        scores, below = show(state).layout
        cells = below.layout.plot if state is FOUR else below.layout.cells
        assert cells.left() == pytest.approx(scores.layout.plot.left())
        assert cells.right() == pytest.approx(scores.layout.plot.right())


@pytest.mark.parametrize("row", [(3.0, -1.0), (4.0, -1.0), (2.0, -0.5), (-1.0, -2.0)])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_the_number_of_a_score_below_0_stands_clear_of_the_axis(show: Any, row: tuple[float, ...], zoom: float) -> None:
    plot = _scores(show(bench(row)).numbers, "made")
    layout, look = plot.layout(Look(LIGHT, zoom), QRectF(0, 0, 700, 230 * zoom)), Look(LIGHT, zoom)
    label = next(mark for mark in plot.of(Label) if mark.x == len(row) - 0.5)
    foot = layout.place(label.x, label.y).y() - look.px(label.gap)
    assert label.anchor == (0.5, 1.0), "its lower edge"
    assert layout.plot.top() - look.px(8) <= foot - look.px(label.size)
    assert foot < layout.plot.bottom() - look.px(label.size)


def test_far_below_0_a_number_stands_below_its_bar(show: Any) -> None:
    plot = _scores(show(bench((-100.0, -120.0))).numbers, "made")
    assert [mark.anchor for mark in plot.of(Label)] == [(0.5, 0.0)] * 2, "there is no room above 0"


# ---- What is wrong with weights ----


def test_what_is_wrong_with_one_weight_stands_in_its_column(show: Any) -> None:
    shown = show(preset_of(SCALING_PRESETS, "half").state)
    weights = shown.layout[1]
    label = next(mark for mark in weights.item.of(Label) if "NaN" in mark.text)
    broken = int(np.flatnonzero(np.isnan(shown.numbers.weights[0]))[0])
    left, right = (weights.layout.place(broken + side, 0.5).x() for side in (0.0, 1.0))
    wide = QFontMetricsF(Look(LIGHT).font(label.size, bold=True)).horizontalAdvance(label.text)
    middle = weights.layout.place(label.x, label.y).x()
    assert left < middle - wide / 2
    assert middle + wide / 2 < right


@pytest.mark.parametrize("name", ["overflow", "half", "silent", "gap", "constant", "axis"])
def test_the_words_of_a_preset_are_few_and_whole_and_cover_nothing(show: Any, name: str) -> None:
    shown = show(preset_of(SCALING_PRESETS, name).state)
    assert shown.words_beside() <= 50
    assert shown.picture.says(shown.numbers)[0] in shown.canvas.spoken()
    assert shown.badly_written(360, 460) == []
    assert shown.badly_written(800, 540) == []


@pytest.mark.parametrize("name", ["overflow", "silent", "half"])
def test_where_weights_are_wrong_the_panel_says_the_right_ones(show: Any, name: str) -> None:
    shown = show(preset_of(SCALING_PRESETS, name).state)
    scores = np.array(shown.state.bench.rows[0])
    right = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    sentence = shown.picture.panel(shown.numbers).sentence
    assert numbers_in(sentence.split("the weights are ")[1]) == pytest.approx(right.tolist(), rel=0.05)
    assert sentence in shown.canvas.spoken()


def test_far_below_0_every_exponential_is_0(show: Any) -> None:
    shown = show(bench((-800.0, -801.0), subtract_max=False))
    assert shown.picture.headline(shown.numbers) == "Every exp is 0: every weight is NaN."
    assert "0 ÷ 0 = NaN" in shown.texts()


def test_the_limit_is_a_line_where_it_counts(show: Any) -> None:
    state = bench((12.0, 9.0, 4.0), precision=Precision.FLOAT16, subtract_max=False)
    assert "exp overflows above 11.09" in show(state).texts()
    safe = replace(state, bench=replace(state.bench, subtract_max=True))
    assert not any("overflows" in text for text in show(safe).texts())


# ---- Several rows ----


def test_a_click_on_a_row_looks_at_it(show: Any) -> None:
    shown = show(AXIS)
    rows = shown.layout[1].layout
    assert shown.point_at(rows.cell(1, 2).center()).startswith("query 2, key 3: exp(1.3")
    shown.click(rows.cell(2, 1).center())
    assert shown.state.bench.row == 2
    assert shown.labels == ["Look at another row"]
    assert "scores of query 3" in shown.texts()
    assert {"sums to 1.40", "sums to 1.96", "sums to 0.64"} <= set(shown.texts())


def test_many_rows_of_many_keys_have_room(show: Any) -> None:
    shown = show(bench(*[(2.0, 1.0, 0.0, -1.0, 0.5, -9.25, -2.0, 1.75)] * 6, row=3))
    assert shown.badly_written(360, 460) == []


# ---- Pointing ----


def test_a_column_tells_the_arithmetic(show: Any) -> None:
    shown = show(FOUR)
    for placed in shown.layout:
        words = shown.point_at(placed.layout.place(1.3, 0.5))
        assert words.startswith("key 2: exp(1.000 − max) = exp(−1) = 0.3679, ÷ 1.5530 = 0.2369")
    assert shown.point_at(ring(shown, 3)).startswith("key 4: ")


def test_the_panel_shows_how_a_weight_answers(show: Any) -> None:
    four, two = show(FOUR), show(preset_of(SCALING_PRESETS, "gap").state)
    weights = four.numbers.weights[0]
    words = four.picture.words(four.numbers, Hit(JACOBIAN, (0, 1)))
    assert words.startswith("weight 1 by score 2")
    assert numbers_in(words)[-1] == pytest.approx(-weights[0] * weights[1], abs=1e-4)
    assert "4.54·10⁻⁵" in two.picture.panel(two.numbers).items[0].spoken()
    at_5 = two.picture.words(two.numbers, Hit(GAP, At(5.0)))
    assert at_5.startswith("two keys whose scores are 5.00 apart: p = 0.993307, p (1 − p) = 0.0066")
    (dot,) = [mark for mark in two.picture.panel(two.numbers).items[1].items[1].marks if hasattr(mark, "is_square")]
    assert (dot.x[0], dot.y[0]) == (10.0, pytest.approx(4.54e-5, rel=1e-3))


@pytest.mark.parametrize(
    "state",
    [bench((3.0,)), bench((0.0, 900.0)), bench((5.0, 1.0), (2.0, 3.0), over_queries=True), bench((0.0, 0.0, 0.0))],
)
def test_every_bench_has_a_panel(show: Any, state: ScalingState) -> None:
    shown = show(state)
    assert shown.words_beside() <= 50
    assert shown.picture.panel(shown.numbers).sentence
    assert np.isfinite(shown.layout[0].layout.up.high)


# ---- Asked for, and taken away ----


@pytest.mark.parametrize("state", [FOUR, AXIS])
def test_while_it_is_asked_for_only_scores_are_told(show: Any, state: ScalingState) -> None:
    shown = show(state)
    shown.canvas.withhold(True)
    texts, before = shown.texts(), shown.pixels()
    assert {"Weights", "?"} < set(texts)
    assert not any("exp" in text or "sum" in text for text in texts)
    assert shown.point_at(ring(shown, 0)) == ""
    other = Precision.FLOAT16 if state is FOUR else Precision.FLOAT64
    shown.show(replace(state, bench=replace(state.bench, precision=other, over_queries=False)))
    assert (shown.pixels() == before).all(), "how weights are computed does not show"
