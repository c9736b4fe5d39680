"""The Lab page in its window: what each view lets people set, measure, type, load, stop and take away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass, replace

import numpy as np
import pytest
from frame_driver import CTRL, FrameDriver
from heads_driver import painted_texts, pixels
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from window_driver import copied_numbers

from attention_explorer.core.declared import declarations
from attention_explorer.core.preset import preset_of
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.export.dialog import ExportDialog
from attention_explorer.kit.picture import NOTHING
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import LIGHT
from attention_explorer.model import NormPlacement
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.cost_state import CostState, Quantity
from attention_explorer.pages.lab.measure import MeasuredPoint, Measurement
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.scores_growth import is_measured as are_scores_measured
from attention_explorer.pages.lab.scores_state import GainRule, ScalingPicture, ScalingState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui import page as lab_page
from attention_explorer.pages.lab.ui.softmax import SoftmaxBench
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.state import BlockState

COST_PRESETS = preset_list("cost")
SCALING_PRESETS = preset_list("scaling")

SMALL = ScalingState(draws=300)
STACK = BlockState(d_model=16, heads=2, d_ff=32, layers=4)
QUICK = {"scaling": SMALL, "block": STACK}


def texts(at: FrameDriver) -> str:
    """Return what is written in the picture."""
    return "\n".join(at.texts())


# ---- Ready-made ----


def test_pages_that_were_are_views_now(open_lab) -> None:
    at = open_lab(LabView.NORM, cost=CostState(picture=preset_of(COST_PRESETS, "reach").state.picture))
    at.window.show_page("cost")
    assert at.view.id is LabView.REACH
    at.window.show_page("scaling")
    assert at.view.id is LabView.WHY


# ---- What attention costs ----


def test_sizes_are_typed_and_undone_one_by_one(open_lab) -> None:
    at = open_lab()
    for name, text, undo in (
        ("d_model", "1600", "Change d_model"),
        ("heads", "25", "Change heads"),
        ("layers", "48", "Change layers"),
    ):
        at.type_into(at.field(name), text)
        assert at.value(name) == int(text)
        assert at.undo_text == undo
    assert at.state.d_ff == 6400
    assert [at.field(name).text() for name in ("d_ff", "d_k")] == ["6400", "64"]
    assert "4.69 GiB" in texts(at)
    for _ in range(3):
        at.undo()
    assert at.state == CostState()


@pytest.mark.parametrize("view", [LabView.COST, LabView.GROWTH])
def test_d_k_changes_the_heads_or_says_why_it_cannot(open_lab, view) -> None:
    at = open_lab(view)
    at.type_into(at.field("d_k"), "96")
    assert at.state.heads == 8
    assert at.undo_text == "Change d_k"
    assert at.field("heads").text() == "8"
    at.type_into(at.field("d_k"), "100")
    assert at.state.heads == 8
    assert "cannot be cut into heads of 100" in at.told
    assert at.field("d_k").text() == "96"


def test_heads_that_do_not_share_get_a_sentence_instead_of_a_picture(open_lab) -> None:
    at = open_lab()
    at.type_into(at.field("heads"), "11")
    for view in (LabView.COST, LabView.GROWTH, LabView.REACH):
        at.show(view)
        assert at.shown_title() == NOTHING
        assert at.panel_words() == ("", "")
        assert not at.page.panel.formula.isVisibleTo(at.page.panel)
        assert not at.page.panel.items.isVisibleTo(at.page.panel)
        assert not at.drawer.table.isVisible()
        assert "cannot be shared equally by 11 heads" in at.notes
        assert "by 11 heads" in " ".join(at.texts())
        assert at.field("heads").isVisible()
        assert "d_k" not in at.drawer.form.controls or not at.field("d_k").isVisible()
        at.point_at(QPointF(200, 200))
        assert at.canvas.hovered == NOWHERE
        before = at.state
        at.key(Qt.Key.Key_Right)
        assert at.state == before
    copied_numbers(at.page)
    assert "There are no numbers to export" in at.told
    at.type_into(at.field("heads"), "12")
    assert not at.field("heads").isVisible()  # nothing of Reach depends on them
    at.show(LabView.COST)
    assert at.field("d_k").isVisible()


def test_precision_halves_the_memory_and_a_window_leaves_most_out(open_lab) -> None:
    at = open_lab()
    at.choose(at.field("precision"), Precision.FLOAT16)
    assert at.undo_text == "Choose the precision"
    assert "288 MiB" in texts(at)
    at.press(at.few("windowed"))
    at.type_into(at.few("window"), "128")
    assert "The window leaves each query 128 keys: 87.5 % of the matrix is never computed." in at.notes


def test_the_decay_is_moved_in_hundredths_or_typed(open_lab) -> None:
    at = open_lab(LabView.REACH, cost=preset_of(COST_PRESETS, "reach").state)
    QTest.keyClick(at.main.slider, Qt.Key.Key_Left)
    assert at.state.decay == 0.89
    at.type_into(at.main.box, "0.995")
    assert at.state.decay == 0.995
    assert "after ten steps ρ¹⁰ = 0.95 is left" in at.notes
    assert at.undo_text == "Move ρ of the recurrent state"


def test_sentences_are_typed_and_an_empty_one_is_refused(open_lab) -> None:
    at = open_lab(LabView.INPUTS, cost=preset_of(COST_PRESETS, "inputs").state)
    line = at.few("other_sentence")
    at.type_into(line, "one two")
    assert at.state.other_sentence == "one two"
    assert "First 6 tokens: 205 824 operations. Second 2 tokens: 66 560 operations." in at.notes
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    assert "Type at least one word" in at.told
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.text() == "one two"


# ---- Measuring ----

POINTS = Measurement(
    64, Precision.FLOAT32, tuple(MeasuredPoint(n, (n * 1e-5, n * 2e-5)) for n in (256, 512, 1024, 2048))
)


class Steps:
    """Stands in for the measuring: yields a point each time it is let go on."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.goes_on, self.is_held = threading.Event(), threading.Event()
        self.goes_on.set()
        self.ended: list[int] = []

    def __call__(self, state: CostState) -> Iterator[tuple[float, Measurement]]:
        for count in range(1, 5):
            while not self.gate.acquire(timeout=0.02):
                if not self.goes_on.is_set():
                    self.is_held.set()
                    self.goes_on.wait(20.0)
                yield (count - 1) / 4, Measurement(state.d_k, state.precision, POINTS.points[: count - 1])
            yield count / 4, Measurement(state.d_k, state.precision, POINTS.points[:count])
        self.ended.append(1)

    def hold(self) -> None:
        """Have the worker hear of nothing until it goes on."""
        self.goes_on.clear()
        assert self.is_held.wait(20.0)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    found = Steps()
    monkeypatch.setattr(lab_page, "measured", found)
    return found


@pytest.fixture
def measuring(open_lab) -> Callable[..., FrameDriver]:
    def make(view: LabView = LabView.GROWTH, **changes: object) -> FrameDriver:
        return open_lab(view, cost=replace(preset_of(COST_PRESETS, "measure").state, **changes))

    return make


def test_measuring_draws_points_as_they_come_and_keeps_them(measuring, steps, qtbot) -> None:
    at = measuring()
    page, before = at.page, pixels(at.canvas.grab().toImage()).copy()
    at.press(page.measure_button)
    assert "Cancel" in page.measure_button.text()
    for count in range(1, 5):
        steps.gate.release()
        qtbot.waitUntil(lambda count=count: len(page.measurement.points) >= count if page.measurement else False)
    assert page.measuring.wait(5)
    assert page.measure_button.text() == "Measure here"
    assert (pixels(at.canvas.grab().toImage()) != before).any()
    assert "measured here: one head, d_k = 64, float32" in texts(at)
    assert "256→512 × 2.0, 512→1024 × 2.0" in at.notes
    # Measurements belong to the machine: undo leaves them, and so do other views and sizes.
    assert not at.window.session.can_undo
    at.show(LabView.COST)
    at.key(Qt.Key.Key_Right)
    at.show(LabView.GROWTH)
    assert page.measurement.points == POINTS.points
    assert "measured here" in texts(at)
    assert "measured_seconds" in page.figure().numbers().arrays


@pytest.mark.parametrize("by", ["button", "escape", "leaving"])
def test_measuring_is_stopped_and_what_there_is_stays(measuring, steps, qtbot, by) -> None:
    at = measuring()
    page = at.page
    at.press(page.measure_button)
    steps.gate.release()
    qtbot.waitUntil(lambda: page.measurement is not None and len(page.measurement.points) == 1)
    if by == "button":
        at.press(page.measure_button)
    elif by == "escape":
        page.open_drawer(True)
        at.key(Qt.Key.Key_Escape, widget=page.drawer.search)
        assert page.drawer.isVisible()  # one thing at a time
    else:
        at.window.show_page("lookup")
    assert page.measuring.wait(5)
    assert not steps.ended
    assert len(page.measurement.points) == 1
    assert page.measure_button.text() == "Measure here"
    if by != "leaving":
        assert "Measuring was stopped" in at.said


def test_the_window_answers_while_something_is_measured(measuring, steps) -> None:
    at = measuring()
    at.press(at.page.measure_button)
    at.key(Qt.Key.Key_Right)
    assert at.state.n == 2048
    at.choose(at.few("quantity"), Quantity.BYTES)
    assert at.page.measuring.is_busy()
    at.key(Qt.Key.Key_M, CTRL)
    assert "already under way" in at.told
    steps.hold()
    at.key(Qt.Key.Key_Escape)
    at.key(Qt.Key.Key_M, CTRL)
    assert "has not quite ended yet" in at.told
    steps.goes_on.set()
    assert at.page.measuring.wait(5)


def test_a_letter_by_itself_measures_nothing(measuring, steps) -> None:
    at = measuring()
    at.key(Qt.Key.Key_M)
    assert not at.page.measuring.is_busy()


def test_measuring_from_another_view_shows_the_curves(measuring, steps) -> None:
    at = measuring(LabView.NORM)
    at.key(Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert at.view.id is LabView.GROWTH
    assert at.page.measuring.is_busy()
    at.key(Qt.Key.Key_Escape)
    assert at.page.measuring.wait(5)


def test_too_little_memory_is_said(measuring, monkeypatch) -> None:
    def exhausted(_state: CostState) -> Iterator[tuple[float, Measurement]]:
        raise ExplorerError("There is not enough memory.")
        yield

    monkeypatch.setattr(lab_page, "measured", exhausted)
    at = measuring()
    at.press(at.page.measure_button)
    assert at.page.measuring.wait(5)
    assert at.told == "There is not enough memory."
    assert at.page.measure_button.text() == "Measure here"


def test_this_machine_is_really_measured(measuring) -> None:
    at = measuring(longest_measured=512)
    at.press(at.page.measure_button)
    assert at.page.measuring.wait(60)
    assert [point.n for point in at.page.measurement.points] == [256, 512]
    assert all(0 < point.fastest < 30 for point in at.page.measurement.points)
    assert at.page.measurement.heads.difference < 1e-4


# ---- Scores ----


def test_an_example_is_judged_until_it_is_changed(open_lab) -> None:
    at = open_lab(LabView.SOFTMAX, scaling=SMALL)
    at.load("overflow")
    ready = preset_of(SCALING_PRESETS, "overflow")
    assert at.state == replace(ready.state, draws=SMALL.draws)  # which other views set, and this one does not
    button = at.field("bench.subtract_max")
    assert "\n".join(ready.truths) in at.verdict
    at.press(button)
    assert at.state.bench.subtract_max
    assert "(changed)" in at.example.currentText()
    assert not [words for words in ready.truths if words in at.verdict]
    assert at.verdict == "\n".join(SoftmaxBench.truths), "what is always true stays"
    at.undo()
    at.undo()
    assert at.window.session.state.scaling == SMALL


def test_an_example_leaves_what_other_views_alone_set(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=SMALL)
    at.type_into(at.main.box, "256")
    at.show(LabView.SOFTMAX)
    at.load("overflow")
    at.show(LabView.WHY)
    assert (at.state.d_k, at.state.draws) == (256, 300)
    assert at.example.currentText() == ""
    at.press(at.field("shared_axis"))
    at.choose(at.field("source"), ScoreSource.PROJECTED)
    at.show(LabView.SOFTMAX)
    assert at.example.currentText() == preset_of(SCALING_PRESETS, "overflow").title  # nothing of the bench has changed
    at.press(at.field("bench.subtract_max"))
    assert at.example.currentText().endswith("(changed)")


def test_the_sizes_of_an_example_come_together_or_not_at_all(open_lab) -> None:
    at = open_lab(LabView.COST)
    at.load("gpt3")
    at.show(LabView.INPUTS)
    at.load("inputs")
    assert (at.state.n, at.state.d_model, at.state.precision) == (2048, 12288, Precision.FLOAT16)
    at.show(LabView.REACH)
    at.load("reach")
    assert (at.state.n, at.state.d_model, at.state.d_ff, at.state.layers) == (64, 512, 2048, 6)
    assert at.state.precision is Precision.FLOAT16


def test_what_was_set_elsewhere_and_counts_here_is_said(open_lab) -> None:
    at = open_lab(LabView.COST)
    also = at.page.also
    at.press(at.few("windowed"))
    assert not also.isVisible()  # it stands right there
    at.show(LabView.GROWTH)
    assert also.isVisible()
    assert also.text().replace("\N{NO-BREAK SPACE}", " ") == "Also set: window · w = 256"
    at.show(LabView.INPUTS)
    assert not also.isVisible()
    at.show(LabView.REACH)
    assert "w = 256" in also.text().replace("\N{NO-BREAK SPACE}", " ")
    at.load("reach")
    assert not also.isVisible()  # its name says what is set
    at.press(at.field("windowed"))
    assert also.isVisible()


def test_other_ways_of_looking_are_no_changes(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=ScalingState())
    at.show(LabView.SOFTMAX)
    at.show(LabView.WHY)
    at.press(at.field("shared_axis"))
    assert not at.state.shared_axis
    assert "(changed)" not in at.example.currentText()


def test_fields_are_there_where_they_do_something(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=replace(SMALL, source=ScoreSource.PROJECTED, draws=50))
    assert all(at.field(name).isVisible() for name in ("d_model", "gain", "rule", "follows"))
    at.choose(at.field("rule"), GainRule.NORMALISED)
    assert not at.field("gain").isVisible()
    at.set_by_hand(at.field("follows"))
    assert not at.field("d_model").isVisible()
    at.choose(at.field("source"), ScoreSource.DIRECT)
    assert not any(at.field(name).isVisible() for name in ("d_model", "rule", "follows"))
    at.show(LabView.NORM)
    assert set(at.drawer.form.controls) == {"norm_kind", "eps", "eps_inside_sqrt", "norm_scale", "seed"}


def test_a_number_that_is_too_large_is_refused_beside_the_slider(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=replace(SMALL, source=ScoreSource.PROJECTED, follows=True))
    assert at.state.d_model_at(at.state.d_k) == 64
    at.type_into(at.main.box, "600")
    assert at.state.d_k == 64
    assert "512" in at.told
    at.type_into(at.main.box, "30")
    assert (at.state.d_k, at.state.d_model_at(at.state.d_k)) == (30, 30)


def test_scores_are_typed_and_what_cannot_be_read_is_refused(open_lab) -> None:
    at = open_lab(LabView.SOFTMAX)
    line = at.few("bench.rows")
    at.type_into(line, "1, 2; 3,4")
    assert at.state.bench.rows == ((1.0, 2.0), (3.0, 4.0))
    assert at.undo_text == "Type scores"
    assert line.text() == "1, 2; 3, 4"
    at.type_into(line, "1, 2; 3")
    assert at.state.bench.rows == ((1.0, 2.0), (3.0, 4.0))
    assert "same number of keys" in at.told
    assert line.text() == "1, 2; 3"  # to be mended
    assert line.toolTip().startswith(at.told)
    assert QToolTip.text() == at.told
    assert line.grab().toImage().pixelColor(line.width() - 20, line.height() // 2) == QColor(LIGHT.note)
    line.setFocus()
    at.key(Qt.Key.Key_Escape, widget=line)
    assert line.text() == "1, 2; 3, 4"
    assert at.told not in line.toolTip()
    at.type_into(line, "x")
    QTest.keyClicks(line, ",")
    assert "x" not in line.toolTip()  # no longer said of what is being mended
    at.type_into(line, "5, 6")
    assert at.state.bench.rows == ((5.0, 6.0),)


def test_adding_a_constant_moves_scores_and_no_weight(open_lab) -> None:
    at = open_lab(LabView.SOFTMAX)
    before = at.picture
    at.type_into(at.few("bench.shift"), "300")
    assert at.state.bench.shift == 300.0
    np.testing.assert_allclose(at.picture.weights, before.weights, rtol=1e-12)
    np.testing.assert_allclose(at.picture.scores, before.scores + 300.0)
    assert "moves no weight" in at.notes


def test_a_drag_in_the_picture_is_one_step_and_escape_leaves_none(open_lab) -> None:
    at = open_lab(LabView.SOFTMAX)
    scores = at.layout.layout[0].layout
    start, end = scores.place(1.5, 1.0), scores.place(1.5, -1.5)
    at.hand().drag(start, end)
    assert at.state.bench.rows[0][1] == pytest.approx(-1.5, abs=0.03)
    assert at.undo_text == "Drag score 2"
    assert at.steps == 1
    at.undo()
    mouse = at.hand()
    mouse.press(start)
    mouse.move(end)
    assert at.state.bench.rows[0][1] != 1.0
    at.key(Qt.Key.Key_Escape)
    mouse.release()
    assert at.state.bench.rows[0][1] == 1.0
    assert not at.window.session.can_undo


def test_the_axis_holds_still_while_d_k_moves_and_fits_again_on_request(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=SMALL)

    def end() -> float:
        high: float = at.layout.layout.across.high
        return high

    first = end()
    for d_k, by in ((512, 2000.0), (1, -2000.0)):
        at.drag_slider(at.main.slider, by)
        at.settle()
        assert at.state.d_k == d_k
        assert end() == first
        assert at.field("holds_axes").isChecked()
        assert ("beyond the axis" in texts(at)) == (d_k == 512)
    assert "(changed)" in at.example.currentText()
    at.press(at.field("holds_axes"))
    assert not at.state.axis_d_k
    assert not at.field("holds_axes").isChecked()
    assert end() < first


# ---- What takes long ----

SLOW = replace(SMALL, picture=ScalingPicture.GROWTH, source=ScoreSource.PROJECTED, follows=True, draws=3000)


def ask_slowly(at: FrameDriver, state: ScalingState) -> None:
    """Ask for many draws, and wait for the first of them."""
    at.window.session.apply(replace(at.window.session.state, scaling=state), "slow")
    deadline = time.monotonic() + 20
    while at.picture.state != state and time.monotonic() < deadline:
        QApplication.processEvents()
    assert not at.picture.is_complete


def test_a_long_picture_is_there_at_once_and_grows(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=SMALL)
    counts: list[int] = []
    original = at.canvas.show_picture

    def watched(drawing: object, picture: object) -> None:
        counts.append(picture.raw.summary.draws)  # type: ignore[attr-defined]
        original(drawing, picture)

    at.canvas.show_picture = watched
    at.type_into(at.field("draws"), "20000")
    assert counts[0] < 100
    assert counts == sorted(counts)
    assert counts[-1] == 20_000
    assert len(counts) > 4
    assert "20 000 draws" in at.notes


def test_a_newer_order_does_not_wait_for_a_stream(open_lab) -> None:
    at = open_lab(LabView.AGAINST, scaling=SMALL)
    slow = replace(SLOW, seed=977)  # of its own: what another test has measured is kept
    ask_slowly(at, slow)
    newer = replace(slow, seed=1, draws=5, keys=2)
    at.window.session.apply(replace(at.window.session.state, scaling=newer), "newer")
    at.settle()
    assert at.picture.state == newer
    assert at.picture.is_complete
    assert not are_scores_measured(slow)  # it was given up


def test_escape_stops_and_keeps_what_there_is(open_lab) -> None:
    at = open_lab(LabView.AGAINST, scaling=SMALL)
    ask_slowly(at, replace(SLOW, seed=978))
    QTest.keyClick(at.canvas, Qt.Key.Key_Escape)
    assert "Stopped" in at.said
    at.settle()
    assert not at.picture.is_complete
    assert "so far" in at.notes
    with pytest.raises(ExplorerError, match="not finished yet"):
        at.page.figure()


def test_another_size_of_the_window_draws_nothing_anew(open_lab) -> None:
    at = open_lab(LabView.WHY, scaling=replace(SMALL, draws=5000, seed=123))
    before = at.picture
    at.window.resize(1100, 700)
    at.settle()
    assert at.picture is before


# ---- Layers ----


def test_epsilon_is_shown_without_a_power_and_typed_with_one(open_lab) -> None:
    at = open_lab(LabView.NORM)
    eps = at.field("eps")
    assert eps.text() == "0.00001"
    for typed, number, shown in (("1e-6", 1e-6, "0.000001"), ("0,002", 0.002, "0.002"), ("0", 0.0, "0")):
        at.type_into(eps, typed)
        assert (at.state.eps, eps.text()) == (number, shown)
    at.type_into(eps, "2")
    assert at.state.eps == 0.0
    assert "from 0 to 1" in at.told


def test_a_norm_by_itself_has_its_fields_whatever_the_layers_have(open_lab) -> None:
    at = open_lab(LabView.NORM, block=replace(STACK, norm=NormPlacement.NONE))
    assert all(at.field(name).isVisible() for name in ("norm_kind", "eps", "eps_inside_sqrt", "seed"))
    at.show(LabView.DEPTH)
    assert not at.field("eps").isVisible()
    at.choose(at.few("norm"), NormPlacement.PRE)
    assert at.field("eps").isVisible()


@pytest.mark.parametrize(("key", "layers"), [(Qt.Key.Key_Left, 12), (Qt.Key.Key_Right, 24)])
def test_a_number_between_the_stops_is_shown_between_them(open_lab, key, layers) -> None:
    at = open_lab(LabView.DEPTH, block=STACK)
    places = {}
    for number in (12, 18, 19, 24):
        at.type_into(at.main.box, str(number))
        places[number] = at.handle_of(at.main.slider).x()
    assert sorted(places, key=places.__getitem__) == [12, 18, 19, 24]
    assert len(set(places.values())) == 4
    assert places[18] == pytest.approx((places[12] + places[24]) / 2, abs=1)
    at.type_into(at.main.box, "18")
    QTest.keyClick(at.main.slider, key)
    assert at.state.layers == layers
    assert at.handle_of(at.main.slider).x() == places[layers]


def test_no_more_layers_are_stacked_than_there_is_room_for(open_lab) -> None:
    at = open_lab(LabView.DEPTH, block=BlockState(d_model=512, d_ff=2048, heads=8, layers=2))
    at.key(Qt.Key.Key_End)
    plot = at.layout.layout
    at.click(plot.place(24, 1.0))
    assert 1 < at.state.layers < 24
    assert at.told == ""


# ---- All views ----


@pytest.mark.parametrize("view", LabView)
def test_the_drawer_says_all_that_the_picture_says(open_lab, view) -> None:
    at = open_lab(view, (1600, 1000), **QUICK)
    picture, numbers = at.view.picture, at.picture
    sentence, title = at.panel_words()[1], at.shown_title()
    at.page.open_drawer(True)
    said = [line.replace("\N{NO-BREAK SPACE}", " ") for line in picture.says(numbers)]
    assert at.notes.split("\n") == [title, sentence, *said]
    assert len(set(at.notes.split("\n"))) == len(said) + 2, "nothing twice"
    assert at.verdict.endswith("\n".join(picture.truths).replace("\N{NO-BREAK SPACE}", " "))


def test_the_names_in_the_table_of_reach_are_whole(open_lab) -> None:
    at = open_lab(LabView.REACH)
    at.page.open_drawer(True)
    texts = painted_texts(at.drawer.table.paint_picture)
    assert {row[0] for row in at.view.picture.table(at.picture).rows} <= set(texts)


@pytest.mark.parametrize("view", [LabView.WHY, LabView.AGAINST, LabView.COST, LabView.REACH, LabView.DEPTH])
@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)])
def test_the_rows_of_the_table_in_the_drawer_are_told_apart_and_have_numbers(open_lab, view, size) -> None:
    at = open_lab(view, size, **QUICK)
    at.page.open_drawer(True)
    table = at.view.picture.table(at.picture)
    texts = "\n".join(painted_texts(at.drawer.table.paint_picture)).replace("\N{NO-BREAK SPACE}", " ")
    for each in getattr(table, "items", (table,)):
        names = [row[0].removeprefix("▸ ") for row in each.rows]  # a mark is painted in another font
        for name, (_, *cells) in zip(names, each.rows, strict=True):
            ends = (name[:end] for end in range(4, len(name) + 1))
            told_apart = next(begin for begin in ends if sum(other.startswith(begin) for other in names) == 1)
            assert told_apart in texts
            assert sum(cell.replace("\N{NO-BREAK SPACE}", " ") in texts for cell in cells) >= 2, name


def test_a_stack_too_wide_to_be_measured_is_said_with_the_sizes_it_has(open_lab) -> None:
    at = open_lab(LabView.DEPTH, block=replace(STACK, d_model=128, heads=2, d_ff=512))
    caption = at.page.figure().caption.replace("\N{NO-BREAK SPACE}", " ")
    assert "7 random stacks of 24 layers · 10 random tokens · d_model = 64 · 4 heads · d_ff = 256 · ReLU" in caption
    assert "128" not in caption
    assert "which would take too long here" in at.notes


@pytest.mark.parametrize("view", LabView)
def test_every_place_has_words_and_a_mark(open_lab, view) -> None:
    at = open_lab(view, **QUICK)
    plain = pixels(at.canvas.grab().toImage()).copy()
    said, is_marked = set(), False
    for x in range(20, at.canvas.width(), 60):
        for y in range(20, at.canvas.height(), 45):
            at.hand().move(QPointF(x, y))
            assert bool(at.said) == (at.canvas.hovered != NOWHERE)
            if at.said and at.said not in said:
                said.add(at.said)
                is_marked = is_marked or bool((pixels(at.canvas.grab().toImage()) != plain).any())
    assert len(said) >= 3
    assert is_marked


@pytest.mark.parametrize("view", LabView)
def test_figures_say_what_is_set(open_lab, view) -> None:
    at = open_lab(view, **QUICK)
    at.page.measurement = POINTS
    figure = at.page.figure()
    assert figure.shown is at.picture
    assert figure.title == at.shown_title().removesuffix(".")
    assert figure.caption == at.view.settings(at.state)
    assert figure.description.startswith(f"Lab page. {figure.title}. {figure.caption}")
    said = figure.numbers().parameters
    assert said["what"] == f"{at.shown_title()} {figure.caption}"
    assert said["picture"] == at.state.picture.value
    known = declarations(type(at.state))
    counts = {name for name in asdict(at.state) if name not in known or known[name].is_shown(at.state)}
    assert set(said["settings"]) == counts - {"preset"}
    plain = {name: getattr(at.state, name) for name in said["settings"] if name != "mask"}
    assert {name: said["settings"][name] for name in plain} == {
        name: asdict(value) if is_dataclass(value) else value for name, value in plain.items()
    }


@pytest.mark.parametrize(("view", "has_maps"), [(LabView.GROWTH, False), (LabView.LINEAR, True)])
def test_what_only_maps_have_is_offered_for_them_alone(open_lab, qtbot, view, has_maps) -> None:
    at = open_lab(view, **QUICK)
    dialog = ExportDialog(at.page, at.page.figure())
    offered = {field: box.isEnabled() for field, box in dialog.form.parts.items()}
    assert offered == {field: has_maps or field not in ("token_labels", "colour_bar") for field in offered}
