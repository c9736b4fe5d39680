"""The Cost page as people use it: real events on the shown window."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import painted_texts, pixels
from pictures_driver import PicturesDriver
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QSlider, QWidget
from window_driver import copied_numbers

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.sliding_number import SlidingNumber
from attention_explorer.kit.export.figure import encoded, write_figure
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.pages.cost.growth import growth_picture
from attention_explorer.pages.cost.layer import layer_picture
from attention_explorer.pages.cost.measure import MeasuredPoint, Measurement
from attention_explorer.pages.cost.presets import COST_PRESETS, cost_preset
from attention_explorer.pages.cost.state import CostPicture, CostState, Precision, Quantity, Scope
from attention_explorer.pages.cost.ui import page as cost_page
from attention_explorer.pages.cost.ui.growth_picture import cost_growth_layout, length_at
from attention_explorer.pages.cost.ui.layer_picture import DOUBLED, NOW, cost_layer_layout, segments
from attention_explorer.pages.cost.ui.pictures import cost_drawings
from attention_explorer.pages.cost.ui.roomy_look import roomy
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.session.settings import Settings, ThemeChoice

POINTS = Measurement(
    64, Precision.FLOAT32, tuple(MeasuredPoint(n, (n * 1e-5, n * 2e-5)) for n in (256, 512, 1024, 2048))
)


class Driver(PicturesDriver):
    """The window on the Cost page, with a hand on its mouse and an eye on what it says."""

    def drag(self, start: QPointF, end: QPointF) -> None:
        self.hand().drag(start, end)


@pytest.fixture
def open_cost(make_window, hand) -> Callable[..., Driver]:
    def make(
        state: CostState | None = None,
        *,
        theme: ThemeChoice = ThemeChoice.LIGHT,
        zoom: float = 1.0,
        size: tuple[int, int] = (1280, 800),
    ) -> Driver:
        whole = ExplorerState(cost=CostState() if state is None else state)
        return Driver(make_window(whole, Settings(theme=theme, zoom=zoom, page="cost"), size), hand)

    return make


# ---- Sizes ----


def test_sizes_are_typed_and_undone_one_by_one(open_cost) -> None:
    at = open_cost()
    bar = at.page.bar
    for box, text, field, undo in (
        (bar.d_model, "1600", "d_model", "Change d_model"),
        (bar.heads, "25", "heads", "Change heads"),
        (bar.layers, "48", "layers", "Change layers"),
    ):
        at.type_into(box, text)
        assert getattr(at.state, field) == int(text)
        assert at.undo_text == undo
    assert at.state.d_ff == 6400
    assert bar.d_ff.value() == 6400
    assert bar.d_k.value() == 64
    assert "4.69 GiB" in "\n".join(painted_texts(at.canvas.paint_picture))
    at.undo()
    at.undo()
    at.undo()
    assert at.state == CostState()


def test_d_k_changes_the_heads_or_says_why_it_cannot(open_cost) -> None:
    at = open_cost()
    at.type_into(at.page.bar.d_k, "96")
    assert at.state.heads == 8
    at.type_into(at.page.bar.d_k, "100")
    assert at.state.heads == 8
    assert "cannot be cut into heads of 100" in at.told
    assert at.page.bar.d_k.value() == 96


def test_heads_that_do_not_share_get_a_sentence_instead_of_a_picture(open_cost) -> None:
    at = open_cost()
    at.type_into(at.page.bar.heads, "11")
    assert "cannot be shared equally by 11 heads" in at.notes
    for picture in (CostPicture.LAYER, CostPicture.GROWTH, CostPicture.REACH):
        at.show_picture(picture)
        assert "by 11 heads" in " ".join(painted_texts(at.canvas.paint_picture))
        assert at.page.bar.heads.isVisible()
        assert not at.page.bar.d_k.isVisible()  # 69 would be no width of 11 heads
        at.point_at(QPointF(200, 200))
        assert at.canvas.hovered == NOWHERE
    copied_numbers(at.page)
    assert "There are no numbers to export" in at.told
    at.type_into(at.page.bar.heads, "12")
    assert not at.page.bar.heads.isVisible()  # nothing of Reach depends on them
    at.show_picture(CostPicture.LAYER)
    assert at.page.bar.d_k.isVisible()


def test_precision_halves_the_memory(open_cost) -> None:
    at = open_cost()
    at.press(at.page.bar.precision.buttons[Precision.FLOAT16])
    assert at.state.precision is Precision.FLOAT16
    assert at.undo_text == "Count in float16"
    assert "288 MiB" in painted_texts(at.canvas.paint_picture)


def test_presets_are_loaded_and_told_apart_from_what_was_made_of_them(open_cost) -> None:
    at = open_cost()
    box = at.page.bar.preset_box
    box.activated.emit(1)
    assert at.state == cost_preset("gpt2-xl").state
    assert at.undo_text == "Load “GPT-2 XL, 1024 tokens”"
    assert "48 layers of 25 heads" in at.page.hint.text.text()
    at.show_picture(CostPicture.GROWTH)
    at.press(at.page.controls.quantity.buttons[Quantity.BYTES])
    assert box.currentText() == "GPT-2 XL, 1024 tokens"
    at.key(Qt.Key.Key_Right)
    assert box.currentText() == "GPT-2 XL, 1024 tokens (changed)"


# ---- The number of tokens ----


def test_arrow_keys_double_and_halve_n_as_one_step(open_cost) -> None:
    at = open_cost()
    at.key(Qt.Key.Key_Right)
    at.key(Qt.Key.Key_Right)
    assert at.state.n == 4096
    assert at.page.controls.n.box.value() == 4096
    at.key(Qt.Key.Key_Left)
    assert at.state.n == 2048
    assert at.undo_text == "Change n to 2048"
    at.undo()
    assert at.state.n == 1024
    for _ in range(12):
        at.key(Qt.Key.Key_Left)
    assert at.state.n == 1


def test_n_can_be_typed_beyond_the_stops_of_its_slider(open_cost) -> None:
    at = open_cost()
    at.type_into(at.page.controls.n.box, "100000")
    assert at.state.n == 100_000
    stops = at.page.controls.n._stops
    assert stops[at.page.controls.n.slider.value()] == 100_000
    at.type_into(at.page.controls.n.box, "777")
    assert at.state.n == 777
    assert stops[at.page.controls.n.slider.value()] == 724
    assert at.page.controls.n.box.text() == "777"


def test_the_slider_goes_from_stop_to_stop(open_cost) -> None:
    at = open_cost()
    slider = at.page.controls.n.slider
    stops = at.page.controls.n._stops
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert at.state.n == min(stop for stop in stops if stop > 1024)
    slider.setSliderDown(True)
    slider.setValue(len(stops) - 1)
    assert at.state.n == stops[-1]
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    slider.setSliderDown(False)
    assert at.state.n < stops[-1]


# ---- One layer ----


def test_every_number_of_the_layer_explains_itself(open_cost) -> None:
    at = open_cost()
    picture, layout = at.canvas.picture, at.canvas.picture_layout
    for term, segment in enumerate(segments(picture, layout.bars[1], 1)):
        at.point_at(segment.center())
        assert at.canvas.hovered.row == term
        assert at.said.startswith(f"{picture.terms[term].name}: ")
        assert picture.terms[term].formula in at.said
        at.point_at(layout.terms.row(term).center())
        assert at.said.startswith(f"{picture.terms[term].name}: ")
    for row, amount in enumerate(picture.amounts):
        at.point_at(layout.amounts.row(row).center())
        assert at.said.startswith(f"{amount.name}: {amount.formula} = ")
    for bar, spot in zip(layout.bars, (NOW, DOUBLED), strict=True):
        at.point_at(QPointF(bar.right() + 5, bar.center().y()))
        assert at.canvas.hovered.row == spot
    assert at.said == "2n = 2048: 41 875 931 136 operations, 41 875 931 136 ÷ 17 716 740 096 = 2.3636"


def test_a_square_is_a_matrix_of_a_head(open_cost) -> None:
    at = open_cost()
    grid = at.canvas.picture_layout.grid
    at.point_at(QPointF(grid.left() + 4.5 * grid.width() / 12, grid.top() + 2.5 * grid.height() / 12))
    assert at.said.startswith("Layer 3, head 5: matrix, one head: n² = 1024² = 1 048 576 numbers · 4 bytes = 4 MiB")
    # Fewer layers: what was pointed at is no longer there.
    at.type_into(at.page.bar.layers, "1")
    at.canvas.grab()
    assert at.canvas.words() == ""


def test_the_bar_at_2n_doubles_n(open_cost) -> None:
    at = open_cost()
    at.click(at.canvas.picture_layout.bars[1].center())
    assert at.state.n == 2048
    at.click(at.canvas.picture_layout.bars[0].center())
    assert at.state.n == 2048


def test_bars_are_to_scale() -> None:
    picture = layer_picture(CostState())
    layout = cost_layer_layout(picture, Look(), QRectF(0, 0, 800, 560))
    now, then = layout.bars
    assert then.width() / now.width() == pytest.approx(2.363636, rel=1e-5)
    for which, bar in enumerate(layout.bars):
        found = segments(picture, bar, which)
        assert sum(segment.width() for segment in found) == pytest.approx(bar.width())
    quadratic = [sum(s.width() for s in segments(picture, bar, which)[:2]) for which, bar in enumerate(layout.bars)]
    assert quadratic[1] / quadratic[0] == pytest.approx(4.0)


def test_a_window_appears_with_its_width(open_cost) -> None:
    at = open_cost()
    assert not at.page.controls.width_box.isVisible()
    at.press(at.page.controls.windowed)
    assert at.state.windowed
    assert at.undo_text == "Use a window"
    at.type_into(at.page.controls.width_box, "128")
    assert at.state.window == 128
    assert "The window leaves each query 128 keys: 87.5 % of the matrix is never computed." in at.notes


# ---- Growth ----


def test_the_curves_say_their_formulas_and_take_clicks(open_cost) -> None:
    at = open_cost(replace(CostState(), picture=CostPicture.GROWTH))
    chart = at.canvas.picture_layout.chart
    place = QPointF(chart.x(4096) + 2, chart.plot.center().y())
    at.point_at(place)
    assert at.said.startswith("n = 4096: 4·n²·d = 51.5 GFLOP, 8·n·d² + 4·n·d·d_ff = 58 GFLOP")
    at.click(place)
    assert at.state.n == 4096
    assert at.undo_text == "Change n to 4096"
    assert "From n = 4096 to 8192" in at.notes


def test_the_line_at_n_is_dragged_as_one_step_and_put_back_by_esc(open_cost) -> None:
    at = open_cost(replace(CostState(), picture=CostPicture.GROWTH))
    chart = at.canvas.picture_layout.chart
    y = chart.plot.bottom() - 30
    at.drag(QPointF(chart.x(1024), y), QPointF(chart.x(16384), y))
    assert at.state.n == 16384
    at.undo()
    assert at.state.n == 1024
    mouse = at.hand()
    mouse.press(QPointF(chart.x(1024), y))
    mouse.move(QPointF(chart.x(8192), y))
    assert at.state.n == 8192
    at.key(Qt.Key.Key_Escape)
    mouse.release()
    assert at.state.n == 1024


def test_places_of_the_chart_and_numbers_are_each_others_inverse() -> None:
    picture = growth_picture(CostState())
    chart = cost_growth_layout(picture, Look(), QRectF(0, 0, 800, 560)).chart
    assert chart is not None
    for n in (64, 100, 1024, 3000, 100_000):
        assert chart.number_at(chart.x(n)) == pytest.approx(n)
        assert length_at(chart, chart.x(n)) == pytest.approx(n, rel=0.05)
    # n² is twice as steep as n.
    square, flat = (picture.curve(style) for style in ("square", "flat"))
    rises = [
        chart.y(picture.value_at(curve, 8192)) - chart.y(picture.value_at(curve, 65536)) for curve in (square, flat)
    ]
    assert rises[0] / rises[1] == pytest.approx(2.0)


@pytest.mark.parametrize("quantity", Quantity)
@pytest.mark.parametrize("scope", Scope)
def test_everything_drawn_lies_in_the_plot(quantity, scope) -> None:
    for windowed, n in itertools.product((False, True), (1, 1024, 2**24)):
        state = replace(CostState(), quantity=quantity, scope=scope, windowed=windowed, n=n)
        picture = growth_picture(state, POINTS)
        chart = cost_growth_layout(picture, Look(), QRectF(0, 0, 800, 560)).chart
        assert chart is not None
        for curve in picture.curves:
            for value in curve.values:
                assert chart.plot.top() - 1 <= chart.y(value) <= chart.plot.bottom() + 1
        for point in POINTS.points:
            y = chart.y(point.fastest * picture.per_second)
            assert chart.plot.top() - 1 <= y <= chart.plot.bottom() + 1


# ---- Measuring ----


class Steps:
    """Stands in for the measuring: yields a point each time it is let go on."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.ended: list[int] = []

    def __call__(self, state: CostState):
        for count in range(1, 5):
            while not self.gate.acquire(timeout=0.02):
                yield (count - 1) / 4, Measurement(state.d_k, state.precision, POINTS.points[: count - 1])
            yield count / 4, Measurement(state.d_k, state.precision, POINTS.points[:count])
        self.ended.append(1)


@pytest.fixture
def steps(monkeypatch) -> Steps:
    found = Steps()
    monkeypatch.setattr(cost_page, "measured", found)
    return found


def test_measuring_draws_points_as_they_come_and_keeps_them(open_cost, steps, qtbot) -> None:
    at = open_cost(cost_preset("measure").state)
    before = pixels(at.canvas.grab().toImage()).copy()
    at.press(at.page.controls.measure)
    assert "Cancel" in at.page.controls.measure.text()
    for count in range(1, 5):
        steps.gate.release()
        qtbot.waitUntil(lambda count=count: len(at.page.measurement.points) >= count if at.page.measurement else False)
    assert at.page.measuring.wait(5)
    assert at.page.controls.measure.text() == "Measure here"
    assert (pixels(at.canvas.grab().toImage()) != before).any()
    texts = " ".join(painted_texts(at.canvas.paint_picture))
    assert "measured here: seconds, on the right; one head, d_k = 64, float32" in texts
    assert "256→512 × 2.0, 512→1024 × 2.0" in at.notes
    # Measurements belong to the machine: undo leaves them, and so do other pictures and sizes.
    assert not at.window.session.can_undo
    at.show_picture(CostPicture.LAYER)
    at.key(Qt.Key.Key_Right)
    at.show_picture(CostPicture.GROWTH)
    assert at.page.measurement.points == POINTS.points
    chart = at.canvas.picture_layout.chart
    place = QPointF(chart.x(512), chart.y(512e-5 * at.canvas.picture.per_second))
    at.point_at(place)
    assert at.said.startswith("Measured: n = 512, 5.12 ms, the fastest of 2 runs")


@pytest.mark.parametrize("by", ["button", "escape", "leaving"])
def test_measuring_is_stopped_and_what_there_is_stays(open_cost, steps, qtbot, by) -> None:
    at = open_cost(cost_preset("measure").state)
    at.press(at.page.controls.measure)
    steps.gate.release()
    qtbot.waitUntil(lambda: at.page.measurement is not None and len(at.page.measurement.points) == 1)
    page = at.page
    if by == "button":
        at.press(page.controls.measure)
    elif by == "escape":
        at.key(Qt.Key.Key_Escape)
    else:
        at.window.show_page("lookup")
    assert page.measuring.wait(5)
    assert not steps.ended
    assert len(page.measurement.points) == 1
    assert page.controls.measure.text() == "Measure here"
    if by != "leaving":
        assert "Measuring was stopped" in at.said


def test_the_window_answers_while_something_is_measured(open_cost, steps) -> None:
    at = open_cost(cost_preset("measure").state)
    at.press(at.page.controls.measure)
    at.key(Qt.Key.Key_Right)
    assert at.state.n == 2048
    at.press(at.page.controls.quantity.buttons[Quantity.BYTES])
    assert at.page.measuring.is_busy()
    at.page.measure()
    assert "already under way" in at.told
    at.key(Qt.Key.Key_Escape)
    at.page.measure()
    assert "has not quite ended yet" in at.told
    assert at.page.measuring.wait(5)


def test_measuring_from_another_picture_shows_the_curves(open_cost, steps) -> None:
    at = open_cost()
    at.page.measure()
    assert at.state.picture is CostPicture.GROWTH
    at.key(Qt.Key.Key_Escape)
    assert at.page.measuring.wait(5)


def test_too_little_memory_is_said(open_cost, monkeypatch) -> None:
    def exhausted(_state):
        raise ExplorerError("There is not enough memory.")
        yield

    monkeypatch.setattr(cost_page, "measured", exhausted)
    at = open_cost(cost_preset("measure").state)
    at.press(at.page.controls.measure)
    assert at.page.measuring.wait(5)
    assert at.told == "There is not enough memory."
    assert at.page.controls.measure.text() == "Measure here"


def test_this_machine_is_really_measured(open_cost) -> None:
    at = open_cost(replace(cost_preset("measure").state, longest_measured=512))
    at.press(at.page.controls.measure)
    assert at.page.measuring.wait(60)
    assert [point.n for point in at.page.measurement.points] == [256, 512]
    assert all(0 < point.fastest < 30 for point in at.page.measurement.points)
    assert at.page.measurement.heads.difference < 1e-4


# ---- Reach and inputs ----


def test_the_decay_is_moved_in_hundredths_or_typed(open_cost) -> None:
    at = open_cost(cost_preset("reach").state)
    decay = at.page.controls.decay
    decay.slider.setFocus()
    QTest.keyClick(decay.slider, Qt.Key.Key_Left)
    assert at.state.decay == 0.89
    at.type_into(decay.box, "0.995")
    assert at.state.decay == 0.995
    assert "ρ¹⁰ = 0.95 of a token" in at.notes
    layout = at.canvas.picture_layout
    at.point_at(layout.cell(2, 9).center())
    assert at.said == "recurrent state, 10 tokens back: ρ^10 = 0.995^10 = 0.9511 of it is left"
    at.point_at(layout.table.row(0).center())
    assert at.said.startswith("Recurrent: n − 1 = 64 − 1 = 63 steps")


def test_sentences_are_typed_and_an_empty_one_is_refused(open_cost) -> None:
    at = open_cost(cost_preset("inputs").state)
    box = at.page.controls.other_sentence
    at.type_into(box, "one two")
    assert at.state.other_sentence == "one two"
    assert "6 and 2 tokens" in at.notes
    assert at.page.title.text() == "Two inputs of different lengths: different operations"
    box.setFocus()
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Delete)
    assert "Type at least one word" in at.told
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert box.text() == "one two"
    layout = at.canvas.picture_layout
    at.point_at(layout.table.row(1).center())
    assert at.said.startswith("Q·Kᵀ: 8 × (6, 8)·(8, 6) = 4608 operations for the first input")
    at.point_at(layout.maps[0].layout.cells.center())
    assert "attends to" in at.said


# ---- All pictures ----


def test_every_control_teaches_and_has_a_name(open_cost) -> None:
    at = open_cost()
    for kind in (QAbstractButton, QComboBox, QLineEdit, QSlider):
        for widget in (*at.page.bar.findChildren(kind), *at.page.controls.findChildren(kind)):
            inside = widget.parent()
            if isinstance(inside, QWidget) and inside.metaObject().className() in ("WholeNumberBox", "NumberBox"):
                continue  # the line edit of a number field
            if widget.objectName().startswith("qt_"):
                continue
            assert widget.toolTip(), widget
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget
    for sliding in at.page.controls.findChildren(SlidingNumber):
        assert sliding.slider.accessibleName()
        assert sliding.box.accessibleName()


@pytest.mark.parametrize("ready", COST_PRESETS, ids=lambda ready: ready.id)
def test_no_text_of_a_table_is_cut_at_1280(open_cost, ready) -> None:
    at = open_cost(ready.state)
    for text in painted_texts(at.canvas.paint_picture):
        assert not text.endswith("…"), text


@pytest.mark.parametrize(
    ("width", "height", "zoom"), [(430, 378, 1.0), (800, 560, 1.0), (1900, 1200, 1.0), (1000, 756, 2.0)]
)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_pictures_stay_in_their_room(width, height, zoom, theme) -> None:
    """A margin around the room stays untouched, whatever is drawn."""
    look, margin = Look(theme, zoom), 12
    for ready in COST_PRESETS:
        for picture in CostPicture:
            state = replace(ready.state, picture=picture)
            drawing = cost_drawings(lambda: POINTS)[picture]
            image = QImage(QSize(width + 2 * margin, height + 2 * margin), QImage.Format.Format_RGB32)
            image.fill(0x00FF00FF)
            painter = QPainter(image)
            found = drawing.compute(state, (0, 0))
            layout = drawing.layout(found, look, QRectF(margin, margin, width, height))
            drawing.paint(painter, found, layout, look)
            painter.end()
            seen = pixels(image) != 0x00FF00FF
            seen[margin - 2 : height + margin + 2, margin - 2 : width + margin + 2] = False
            assert not seen.any(), (ready.id, picture)


@pytest.mark.parametrize(("width", "height"), [(800, 560), (1460, 880), (1990, 1180)])
@pytest.mark.parametrize(
    "ready", [cost_preset("gpt2"), cost_preset("reach"), cost_preset("inputs")], ids=lambda r: r.id
)
def test_pictures_of_text_fill_a_large_room(qapp, ready, width, height) -> None:
    drawing, look, room = cost_drawings(lambda: None)[ready.state.picture], Look(), QRectF(0, 0, width, height)
    layout = drawing.layout(drawing.compute(ready.state, (0, 0)), look, room)
    table = layout.terms if ready.id == "gpt2" else layout.table
    assert 0.92 * height <= table.bottom <= height + 1
    assert table.shown[-1][1] + table.shown[-1][2] >= 0.6 * width
    assert (roomy(look, room).zoom > 1.0) is (width > 1000)


@pytest.mark.parametrize("picture", CostPicture)
def test_every_spot_has_words_and_a_mark(open_cost, picture) -> None:
    at = open_cost(replace(CostState(), picture=picture))
    plain = pixels(at.canvas.grab().toImage()).copy()
    spots = 0
    for x, y in itertools.product(range(10, at.canvas.width(), 45), range(10, at.canvas.height(), 35)):
        at.point_at(QPointF(x, y))
        if at.canvas.hovered == NOWHERE:
            continue
        spots += 1
        assert at.said
        if spots % 9 == 0:
            assert (pixels(at.canvas.grab().toImage()) != plain).any()
    assert spots > 20


@pytest.mark.parametrize("picture", CostPicture)
def test_figures_are_written_in_every_format(open_cost, picture, tmp_path: Path) -> None:
    at = open_cost(replace(CostState(), picture=picture))
    at.page.measurement = POINTS
    figure = at.page.figure()
    for suffix in (".png", ".svg", ".pdf", ".csv", ".json", ".npy", ".npz"):
        assert len(encoded(figure, suffix)) > 100
    assert figure.description.startswith(f"Cost page. {figure.title}.")
    write_figure(figure, tmp_path / "numbers.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "numbers.npy"), next(iter(figure.numbers().arrays.values())))
