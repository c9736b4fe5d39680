"""The Scaling page in a window: presets, sliders, drags and keys, and what is drawn."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import numbers_in, painted_texts
from pictures_driver import PicturesDriver
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.scaling.bench import bench_picture
from attention_explorer.pages.scaling.growth import STOPS, growth_picture
from attention_explorer.pages.scaling.presets import SCALING_PRESETS, scaling_preset
from attention_explorer.pages.scaling.rows import score_pieces
from attention_explorer.pages.scaling.scores import scores_picture
from attention_explorer.pages.scaling.state import BenchState, GainRule, Precision, ScalingPicture, ScalingState
from attention_explorer.pages.scaling.ui.bench_columns import number_text, score_at
from attention_explorer.pages.scaling.ui.bench_hand import GAP_CHART, JACOBIAN, bench_spot, bench_words
from attention_explorer.pages.scaling.ui.bench_hand import WEIGHTS as WEIGHT_ROWS
from attention_explorer.pages.scaling.ui.bench_layout import bench_layout
from attention_explorer.pages.scaling.ui.growth_labels import growth_labels
from attention_explorer.pages.scaling.ui.growth_picture import (
    LEAST,
    QUANTITIES,
    growth_layout,
    growth_spot,
    growth_words,
    paint_growth,
)
from attention_explorer.pages.scaling.ui.notes import bench_notes
from attention_explorer.pages.scaling.ui.page import DRAWINGS
from attention_explorer.pages.scaling.ui.scores_layout import scores_layout
from attention_explorer.pages.scaling.ui.scores_picture import (
    EXAMPLE,
    RAW,
    SCALED,
    TABLE,
    WEIGHTS,
    scores_spot,
    scores_words,
)
from attention_explorer.pages.scaling.ui.softmax_bench_picture import paint_bench
from attention_explorer.session.settings import Settings, ThemeChoice

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SMALL = ScalingState(draws=300)
BENCH = ScalingState(picture=ScalingPicture.BENCH)
ROOMS = ((760, 560, 1.0), (470, 420, 1.0), (1900, 1200, 1.0), (1200, 800, 1.5))


class Driver(PicturesDriver):
    """The window on the Scaling page."""

    is_patient = True


@pytest.fixture
def open_scaling(make_window, hand):
    def make(scaling: ScalingState = SMALL, size: tuple[int, int] = (1280, 800)) -> Driver:
        window = make_window(ExplorerState(scaling=scaling), Settings(theme=ThemeChoice.LIGHT, page="scaling"), size)
        driver = Driver(window, hand)
        driver.settle()
        return driver

    return make


# ---- Presets and controls ----


def test_a_preset_loads_with_its_verdict(open_scaling) -> None:
    driver = open_scaling()
    driver.choose(driver.page.bar.preset_box, "overflow")
    ready = scaling_preset("overflow")
    assert driver.state == ready.state
    assert ready.truth in driver.verdict
    assert ready.title in driver.undo_text
    driver.press(driver.page.bar.subtract_max)
    assert driver.state.bench.subtract_max
    assert "(changed)" in driver.page.bar.preset_box.currentText()
    assert ready.truth not in driver.verdict
    driver.undo()
    driver.undo()
    assert driver.state == SMALL


def test_other_looks_are_no_changes(open_scaling) -> None:
    driver = open_scaling(ScalingState())
    driver.press(driver.page.bar.picture_row.buttons[ScalingPicture.BENCH])
    driver.press(driver.page.bar.picture_row.buttons[ScalingPicture.SCORES])
    driver.press(driver.page.bar.shared_axis)
    assert not driver.state.shared_axis
    assert "(changed)" not in driver.page.bar.preset_box.currentText()


def test_each_picture_has_its_own_controls(open_scaling) -> None:
    driver = open_scaling(replace(SMALL, source=ScoreSource.PROJECTED, draws=50))
    bar, controls = driver.page.bar, driver.page.controls
    assert all(widget.isVisible() for widget in (controls.d_k, controls.d_model, controls.gain, bar.shared_axis))
    assert not any(widget.isVisible() for widget in (controls.factor, bar.scores))
    driver.press(controls.rules.buttons[GainRule.NORMALISED])
    assert not controls.gain.isVisible()
    driver.press(bar.sources.buttons[ScoreSource.DIRECT])
    assert not controls.d_model.isVisible()
    driver.press(bar.picture_row.buttons[ScalingPicture.BENCH])
    assert all(widget.isVisible() for widget in (controls.factor, controls.shift, bar.scores, bar.precision))
    assert not any(widget.isVisible() for widget in (controls.d_k, bar.draws, bar.spoken_of))


def test_every_control_has_a_name_and_a_tip(open_scaling) -> None:
    driver = open_scaling(replace(SMALL, source=ScoreSource.PROJECTED, draws=50))
    bar, controls = driver.page.bar, driver.page.controls
    for widget in (
        bar.distribution,
        bar.keys,
        bar.draws,
        bar.seed,
        bar.scores,
        *(
            part
            for slider in (controls.d_k, controls.d_model, controls.gain, controls.factor, controls.shift)
            for part in (slider.slider, slider.box)
        ),
    ):
        assert widget.accessibleName()
        assert widget.toolTip()


def test_numbers_are_typed_and_undone(open_scaling) -> None:
    driver = open_scaling(replace(SMALL, source=ScoreSource.PROJECTED, draws=50))
    bar, controls = driver.page.bar, driver.page.controls
    for field, text, name, value in (
        (bar.keys, "9", "keys", 9),
        (bar.draws, "60", "draws", 60),
        (bar.seed, "7", "seed", 7),
        (controls.d_k.box, "30", "d_k", 30),
        (controls.d_model.box, "20", "d_model", 20),
        (controls.gain.box, "0.45", "gain", 0.45),
    ):
        before = getattr(driver.state, name)
        driver.type_into(field, text)
        assert getattr(driver.state, name) == value
        assert driver.picture.state == driver.state
        driver.undo()
        assert getattr(driver.state, name) == before
    driver.press(controls.follows)
    assert driver.state.d_model_shown == 64
    assert controls.d_model.box.value() == 64
    driver.type_into(controls.d_k.box, "600")
    assert driver.state.d_k == 64
    assert "512" in driver.told


def test_arrow_keys_walk_through_d_k_as_one_step(open_scaling) -> None:
    driver = open_scaling()
    driver.key(Qt.Key.Key_Right)
    driver.key(Qt.Key.Key_Right)
    assert driver.state.d_k == 128
    driver.undo()
    assert driver.state.d_k == 64
    for _ in range(12):
        driver.key(Qt.Key.Key_Left)
    assert driver.state.d_k == 1


def test_the_panel_and_the_table_say_what_was_measured(open_scaling) -> None:
    driver = open_scaling()
    found = scores_picture(SMALL)
    notes = driver.notes
    assert "√64 = 8.00" in notes
    assert "300 draws, 300 rows. Seed 42" in notes
    texts = painted_texts(driver.page.canvas.paint_picture)
    assert f"{found.raw.predicted_std:.3f}" in texts
    assert any("beyond ±30" in text for text in texts)
    assert {"scaled", "not scaled", "predicted"} <= set(texts)


# ---- Long work ----


def test_a_long_picture_is_there_at_once_and_grows(open_scaling) -> None:
    driver = open_scaling()
    counts: list[int] = []
    original = driver.page.canvas.show_picture

    def watched(drawing, picture) -> None:
        counts.append(picture.raw.summary.draws)
        original(drawing, picture)

    driver.page.canvas.show_picture = watched
    driver.type_into(driver.page.bar.draws, "20000")
    assert counts[0] < 100
    assert counts == sorted(counts)
    assert counts[-1] == 20_000
    assert len(counts) > 4
    assert "20 000 draws" in driver.notes.replace("\N{NO-BREAK SPACE}", " ")


def test_a_newer_order_does_not_wait_for_a_stream(open_scaling) -> None:
    driver = open_scaling()
    # A seed of its own: what another test has measured is kept.
    slow = replace(
        SMALL, picture=ScalingPicture.GROWTH, source=ScoreSource.PROJECTED, follows=True, draws=3000, seed=977
    )
    session = driver.window.session
    session.apply(ExplorerState(scaling=slow), "slow")
    deadline = time.monotonic() + 20
    while driver.picture.__class__.__name__ != "GrowthPicture" and time.monotonic() < deadline:
        QApplication.processEvents()
    assert not driver.picture.is_complete
    newer = replace(slow, seed=1, draws=5, keys=2)
    session.apply(ExplorerState(scaling=newer), "newer")
    driver.settle()
    assert driver.picture.state == newer
    assert driver.picture.is_complete
    from attention_explorer.pages.scaling.growth import is_measured

    assert not is_measured(slow)  # it was given up


def test_escape_stops_and_keeps_what_there_is(open_scaling) -> None:
    driver = open_scaling()
    slow = replace(SMALL, picture=ScalingPicture.GROWTH, source=ScoreSource.PROJECTED, follows=True, draws=2999)
    driver.window.session.apply(ExplorerState(scaling=slow), "slow")
    deadline = time.monotonic() + 20
    while driver.picture.__class__.__name__ != "GrowthPicture" and time.monotonic() < deadline:
        QApplication.processEvents()
    QTest.keyClick(driver.page.canvas, Qt.Key.Key_Escape)
    assert "Stopped" in driver.said
    driver.settle()
    assert not driver.picture.is_complete
    assert "so far" in driver.notes
    with pytest.raises(ExplorerError, match="Not all draws have been made yet"):
        driver.page.figure()


def test_another_size_of_the_window_draws_nothing_anew(open_scaling) -> None:
    driver = open_scaling(replace(SMALL, draws=5000, seed=123))
    before = driver.picture
    driver.window.resize(1100, 700)
    driver.settle()
    assert driver.picture is before


# ---- The bench ----


def test_a_bar_is_dragged_as_one_step(open_scaling) -> None:
    driver = open_scaling(BENCH)
    chart = driver.layout.columns.scores
    x = driver.layout.columns.slot(1)[0] + 10
    target = chart.y(-2.0)
    driver.hand().drag(QPointF(x, chart.y(0.5)), QPointF(x, target))
    driver.settle()
    assert driver.state.bench.rows[0][1] == pytest.approx(-2.0, abs=0.05)
    assert driver.undo_text == "Drag score 2"
    assert len(driver.window.session.history) == 1
    driver.undo()
    assert driver.state.bench.rows == BENCH.bench.rows


def test_escape_puts_a_dragged_bar_back(open_scaling) -> None:
    driver = open_scaling(BENCH)
    chart, mouse = driver.layout.columns.scores, driver.hand()
    x = driver.layout.columns.slot(0)[0] + 10
    mouse.press(QPointF(x, chart.y(1.0)))
    mouse.move(QPointF(x, chart.y(-1.0)))
    assert driver.state.bench.rows[0][0] == pytest.approx(-1.0, abs=0.05)
    driver.key(Qt.Key.Key_Up)
    assert driver.state.bench.rows[0][0] == pytest.approx(-1.0, abs=0.05)
    driver.key(Qt.Key.Key_Escape)
    mouse.move(QPointF(x, chart.y(2.0)))
    mouse.release()
    assert driver.state.bench == BENCH.bench
    assert len(driver.window.session.history) == 0


def test_keys_choose_and_move_a_score(open_scaling) -> None:
    driver = open_scaling(BENCH)
    driver.key(Qt.Key.Key_Right)
    driver.key(Qt.Key.Key_Right)
    driver.key(Qt.Key.Key_Up)
    driver.key(Qt.Key.Key_PageDown)
    assert driver.state.bench.key == 2
    assert driver.state.bench.rows[0] == (2.0, 1.0, pytest.approx(-0.9), -1.0)


def test_scores_are_typed_and_what_cannot_be_read_is_refused(open_scaling) -> None:
    driver = open_scaling(BENCH)
    field = driver.page.bar.scores
    driver.type_into(field, "1, 2; 3, 4")
    assert driver.state.bench.rows == ((1.0, 2.0), (3.0, 4.0))
    assert driver.undo_text == "Type scores"
    driver.type_into(field, "1, 2; 3")
    assert driver.state.bench.rows == ((1.0, 2.0), (3.0, 4.0))
    assert "same number of keys" in driver.told
    assert field.text() == "1, 2; 3, 4"


def test_a_click_on_a_row_looks_at_it(open_scaling) -> None:
    driver = open_scaling(scaling_preset("axis").state)
    driver.click(driver.layout.weights.rectangle(2, 1).center())
    assert driver.state.bench.row == 2
    assert "(changed)" not in driver.page.bar.preset_box.currentText()
    assert "Scores of query 3" in " ".join(painted_texts(driver.page.canvas.paint_picture))


def test_adding_a_constant_moves_scores_and_no_weight(open_scaling) -> None:
    driver = open_scaling(BENCH)
    before = driver.picture
    driver.type_into(driver.page.controls.shift.box, "300")
    assert driver.state.bench.shift == 300.0
    np.testing.assert_allclose(driver.picture.weights, before.weights, rtol=1e-12)
    np.testing.assert_allclose(driver.picture.scores, before.scores + 300.0)
    assert "moves no weight" in driver.notes


def test_nan_is_written_and_not_drawn(open_scaling) -> None:
    driver = open_scaling(scaling_preset("overflow").state)
    texts = painted_texts(driver.page.canvas.paint_picture)
    assert texts.count("NaN") >= 4
    assert texts.count("∞") == 6
    assert "exp overflows above 709.78" in texts
    driver.press(driver.page.bar.subtract_max)
    assert "NaN" not in painted_texts(driver.page.canvas.paint_picture)


# ---- Pointing ----


def test_what_is_pointed_at_is_said(open_scaling) -> None:
    driver = open_scaling()
    driver.hand().move(driver.layout.scores[0].plot.center())
    assert "not scaled" in driver.said
    assert "predicted" in driver.said
    driver.press(driver.page.bar.picture_row.buttons[ScalingPicture.BENCH])
    driver.hand().move(driver.layout.jacobian.rectangle(0, 1).center())
    assert "weight 1 by score 2" in driver.said
    p = bench_picture(BenchState()).weights[0]
    assert numbers_in(driver.said)[-1] == pytest.approx(-p[0] * p[1], abs=1e-4)


def test_a_click_on_a_curve_goes_to_its_d_k(open_scaling) -> None:
    driver = open_scaling(replace(SMALL, picture=ScalingPicture.GROWTH, draws=20))
    chart = driver.layout.charts[2]
    driver.click(QPointF(chart.x(15.0), chart.plot.center().y()))
    assert driver.state.d_k == 16
    assert driver.undo_text == "Change d_k"


def test_parts_of_the_scores_are_found_again() -> None:
    picture = scores_picture(SMALL)
    layout = scores_layout(picture, Look(), QRectF(0, 0, 760, 560))
    for part, scaled in ((RAW, False), (SCALED, True)):
        chart, edges = layout.scores[scaled], picture.bin_edges(scaled)
        for index in (0, 33, len(picture.counts) - 1):
            place = QPointF(chart.x(0.5 * float(edges[index] + edges[index + 1])), chart.plot.center().y())
            assert scores_spot(picture, layout, place) == Spot(part, index)
            assert scores_words(picture, Spot(part, index))
    key = QPointF(layout.example.x(4.0), layout.example.plot.center().y())
    assert scores_spot(picture, layout, key) == Spot(EXAMPLE, 3)
    assert f"{picture.scaled.example[3]:.4f}" in scores_words(picture, Spot(EXAMPLE, 3))
    weight = QPointF(layout.weights.x(0.51), layout.weights.plot.center().y())
    assert scores_spot(picture, layout, weight) == Spot(WEIGHTS, 20)
    row = QPointF(layout.table.center().x(), layout.table.top() + 1.5 * layout.table.height() / (len(layout.lines) + 1))
    assert scores_spot(picture, layout, row) == Spot(TABLE, 0)
    assert "standard error" in scores_words(picture, Spot(TABLE, 0))
    assert scores_spot(picture, layout, QPointF(1, 1)) == NOWHERE


def test_d_k_is_found_again_in_every_chart() -> None:
    picture = growth_picture(replace(SMALL, draws=20))
    layout = growth_layout(picture, Look(), QRectF(0, 0, 760, 560))
    for (number, chart), index in itertools.product(enumerate(layout.charts), (0, 9, len(STOPS) - 1)):
        place = QPointF(chart.x(STOPS[index]), chart.plot.center().y())
        assert growth_spot(picture, layout, place) == Spot(number, index)
        words = growth_words(picture, Spot(number, index))
        assert QUANTITIES[number][1] in words
        assert f"d_k = {STOPS[index]}:" in words


def test_a_number_below_the_axis_is_written_and_has_no_dot_on_it(qapp) -> None:
    state = replace(SMALL, source=ScoreSource.EMBEDDINGS, picture=ScalingPicture.GROWTH, d_k=512)
    picture, look = growth_picture(state), Look()
    layout = growth_layout(picture, look, QRectF(0, 0, 760, 560))
    chart, raw = layout.charts[3], picture.point_at(512).raw.gradient.value
    assert 0.0 <= raw < LEAST <= chart.up.low
    assert chart.y(raw) > chart.plot.bottom() + 10
    texts = painted_texts(lambda painter: paint_growth(painter, picture, layout, look))
    assert [text for text in texts if text.startswith("↓ ")]
    near = growth_picture(replace(state, d_k=2))
    assert not [t for t in painted_texts(lambda painter: paint_growth(painter, near, layout, look)) if "↓" in t]


@pytest.mark.parametrize("d_k", [1, 2, 64, 512])
@pytest.mark.parametrize("source", list(ScoreSource))
def test_numbers_in_the_charts_lie_beside_the_curves(qapp, source: ScoreSource, d_k: int) -> None:
    look, picture = Look(), growth_picture(replace(SMALL, source=source, d_k=d_k))
    layout = growth_layout(picture, look, QRectF(0, 0, 760, 560))
    for chart, (quantity, _) in zip(layout.charts, QUANTITIES, strict=True):
        pair = [label.box for label in growth_labels(picture, chart, look, quantity, d_k)]
        assert len(pair) == (1 if d_k == 1 else 2)
        assert not any(one.intersects(other) for one, other in itertools.combinations(pair, 2))
        for box in pair:
            assert chart.plot.adjusted(-1, -1, 1, 1).contains(box)
        for scaled, box in itertools.product((False, True), pair):
            ends = (chart.x(d_k) - 30, chart.x(d_k) + 30)
            x = [chart.x(other) for other in picture.d_ks.tolist()]
            y = [chart.y(value) for value in picture.values(quantity, scaled).tolist()]
            line = [(at, float(np.interp(at, x, y))) for at in np.arange(*ends) if x[0] <= at <= x[-1]]
            struck = sum(box.adjusted(1, 2, -1, -2).contains(QPointF(*place)) for place in line)
            assert struck <= 8


def test_parts_of_the_bench_are_found_again() -> None:
    state = scaling_preset("axis").state
    picture = bench_picture(state.bench)
    layout = bench_layout(picture, Look(), QRectF(0, 0, 760, 560))
    for row, column in ((0, 0), (2, 3)):
        assert bench_spot(picture, layout, layout.weights.rectangle(row, column).center()) == Spot(
            WEIGHT_ROWS + row, column
        )
        assert bench_spot(picture, layout, layout.jacobian.rectangle(row, column).center()) == Spot(
            JACOBIAN + row, column
        )
    left, right = layout.columns.slot(2)
    place = QPointF(0.5 * (left + right), layout.columns.steps[1].center().y())
    assert bench_spot(picture, layout, place) == Spot(0, 2)
    assert "key 3: exp(0.64 − max)" in bench_words(picture, Spot(0, 2)).replace("0.640", "0.64")
    gap = QPointF(layout.chart.x(4.0), layout.chart.plot.center().y())
    assert bench_spot(picture, layout, gap) == Spot(GAP_CHART, 80)
    assert "4.00 apart" in bench_words(picture, Spot(GAP_CHART, 80))


def test_bars_do_not_move_when_the_largest_score_is_left_in() -> None:
    bench = BenchState(((3.0, -1.5),))
    one, other = (
        bench_layout(bench_picture(state), Look(), QRectF(0, 0, 760, 560)).columns
        for state in (bench, replace(bench, subtract_max=False))
    )
    assert one == other


def test_a_height_of_a_score_bar_is_its_score() -> None:
    picture = bench_picture(BenchState(((3.0, -1.5),)))
    layout = bench_layout(picture, Look(), QRectF(0, 0, 760, 560)).columns
    for score in (3.0, 0.0, -1.5):
        assert score_at(layout, layout.scores.y(score)) == pytest.approx(score, abs=0.05)


# ---- Layout ----


@pytest.mark.parametrize("room", ROOMS)
def test_parts_do_not_overlap_or_leave_the_room(qapp, room: tuple[int, int, float]) -> None:
    width, height, zoom = room
    box, look = QRectF(0, 0, width, height), Look(LIGHT, zoom)
    one = scores_layout(scores_picture(SMALL), look, box)
    two = growth_layout(growth_picture(replace(SMALL, draws=20)), look, box)
    three = bench_layout(bench_picture(scaling_preset("axis").state.bench), look, box)
    groups = (
        [one.legend, one.table, one.weights.box, one.example.box, *(chart.box for chart in one.scores)],
        [two.legend, *(chart.box for chart in two.charts)],
        [three.columns.box, three.weights.cells, three.jacobian.cells, three.chart.box, three.weights.bar],
    )
    for boxes in groups:
        for part in boxes:
            assert box.adjusted(-1, -1, 1, 1).contains(part)
        for part, other in itertools.combinations(boxes, 2):
            assert not part.adjusted(1, 1, -1, -1).intersects(other.adjusted(1, 1, -1, -1))


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_in_a_narrow_room_both_maps_of_the_bench_have_room_for_their_numbers(qapp, zoom: float) -> None:
    look = Look(LIGHT, zoom)
    room = QRectF(0, 0, look.px(480), look.px(430))
    picture = bench_picture(scaling_preset("axis").state.bench)
    layout = bench_layout(picture, look, room)
    for map_ in (layout.weights, layout.jacobian):
        assert room.contains(map_.bar)
        assert map_.bar.width() >= look.px(100)
        assert map_.cell_width >= text_size(look.font(10, bold=True), "1.000")[0]  # shrunk a little at most
    assert layout.jacobian.cells.top() > layout.weights.bar.bottom()
    wide = bench_layout(picture, look, QRectF(0, 0, look.px(800), look.px(540)))
    assert wide.jacobian.cells.top() == wide.weights.cells.top()


# ---- Taking it away ----


@pytest.mark.parametrize("identifier", ["thirty", "iid", "axis", "overflow"])
def test_figures_have_their_numbers_and_words(open_scaling, identifier: str) -> None:
    ready = scaling_preset(identifier)
    driver = open_scaling(replace(ready.state, draws=30))
    figure = driver.page.figure()
    assert figure.shown is driver.picture
    assert figure.numbers().arrays
    texts = painted_texts(figure.paint)
    assert figure.title in texts
    assert ready.verdict in figure.description or "30 draws" in figure.caption


def test_every_preset_has_a_drawing() -> None:
    assert {ready.state.picture for ready in SCALING_PRESETS} == set(DRAWINGS)


# ---- The row on the curve of its gap ----


@pytest.mark.parametrize("over_queries", [False, True])
@pytest.mark.parametrize(
    ("rows", "precision", "subtract_max"),
    [
        (((10.0, 0.0),), "float64", True),
        (((2.0, 1.0, 0.0, -1.0),), "float64", True),
        (((1.0, 1.0, 1.0),), "float16", True),
        (((0.0, 900.0),), "float64", True),
        (((3.0,),), "float64", True),
        (((709.5, 709.4),), "float64", False),
        (((1000.0, 1001.0, 1002.0),), "float64", False),
        (((5.0, 1.0), (2.0, 3.0)), "float32", True),
    ],
)
def test_the_dot_of_a_row_is_its_own_number_or_there_is_none(
    qapp, rows: tuple[tuple[float, ...], ...], precision: str, subtract_max: bool, over_queries: bool
) -> None:
    bench = BenchState(rows, precision=Precision(precision), subtract_max=subtract_max, over_queries=over_queries)
    picture, look = bench_picture(bench), Look()
    layout = bench_layout(picture, look, QRectF(0, 0, 900, 640))
    texts = painted_texts(lambda painter: paint_bench(painter, picture, layout, look))
    told = [text for text in texts if text.startswith("this row: ")]
    weights = np.sort(picture.weights[0].astype(float))
    if over_queries or len(weights) < 2 or not np.isclose(weights.sum(), 1.0, atol=2e-2):
        assert not told
        return
    own = number_text(float(weights[-1] * weights[:-1].sum()))
    assert [text.split(" at a gap")[0] for text in told] == [f"this row: {own}"]
    assert f"p (1 − p) is {own};" in " ".join(line.text for line in bench_notes(picture))


# ---- The axes of the histograms ----


def test_the_axes_hold_still_while_d_k_moves_and_fit_again_on_request(open_scaling) -> None:
    driver = open_scaling()
    ends = [(chart.across.low, chart.across.high) for chart in driver.layout.scores]
    slider, bar = driver.page.controls.d_k, driver.page.bar
    for d_k, by in ((512, 900.0), (1, -900.0)):
        driver.drag_slider(slider.slider, by)
        driver.settle()
        assert driver.state.d_k == d_k
        assert [(chart.across.low, chart.across.high) for chart in driver.layout.scores] == ends
        assert bar.held_axis.isChecked()
        assert any("beyond the axis" in text for text in driver.texts()) == (d_k == 512)
    assert "(changed)" in bar.preset_box.currentText()
    driver.press(bar.held_axis)
    driver.settle()
    assert not driver.state.axis_d_k
    assert driver.layout.scores[0].across.high == pytest.approx(4.5)
    driver.undo()
    assert [(chart.across.low, chart.across.high) for chart in driver.layout.scores] == ends


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("held", "d_k"), [(64, 512), (64, 2), (2, 512)])
def test_what_the_held_axis_leaves_out_is_counted(held: int, d_k: int, shared: bool) -> None:
    picture = scores_picture(replace(SMALL, d_k=d_k, axis_d_k=held, shared_axis=shared))
    raw = np.concatenate(list(score_pieces(picture.setting, picture.draws, SMALL.seed)))
    for scaled, scores in ((False, raw), (True, raw / d_k**0.5)):
        end = picture.axis_ends(scaled)[1]
        assert end == pytest.approx(4.5 if scaled and not shared else 4.5 * held**0.5)
        assert picture.beyond(scaled) == pytest.approx(np.mean(np.abs(scores) > end), abs=0.01)
