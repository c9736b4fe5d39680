"""The Check tab: experiments are done while it is looked at, and what it shows are the numbers of the setup."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea, QWidget

from attention_explorer.kit.controls import tip_widget
from attention_explorer.kit.theme import DARK, LIGHT, Look, stylesheet
from attention_explorer.pages.heads.check_mask import MaskDemo, Precision
from attention_explorer.pages.heads.check_report import CheckTable, Form
from attention_explorer.pages.heads.checks import Check, Experiment, carry_out
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.pages.heads.ui import checks as heads_checks
from attention_explorer.pages.heads.ui.check_table import CheckTableView
from attention_explorer.pages.heads.ui.checks import HeadsChecks
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import ToyRecipe


def frame_of(preset: str, **changes: object):
    return heads_frame(replace(heads_preset(preset).state.setup, **changes))


def long_frame(count: int = 150):
    return heads_frame(HeadsSetup(ToyRecipe(sentence=" ".join(f"w{i}" for i in range(count)), d_model=8, heads=2)))


@pytest.fixture
def panel(qtbot):
    """The panel as it stands in its tab, 330 pixels wide."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made = HeadsChecks(Session(), Look())
    area.setWidget(made)
    qtbot.addWidget(area)
    area.resize(330, 700)
    area.show()
    qtbot.waitExposed(area)
    yield made
    made.jobs.stop()


def choose(box: QComboBox, title: str) -> None:
    """Pick an entry of a combo box with the arrow keys; a popup is more than the off-screen platform can do."""
    index = box.findText(title)
    assert index >= 0, title
    while box.currentIndex() != index:
        QTest.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < index else Qt.Key.Key_Up)


def visible_tables(panel: HeadsChecks) -> list[CheckTableView]:
    return [table for table in panel.tables if table.isVisible()]


def test_the_first_experiment_is_a_shuffle_of_the_setup(panel):
    panel.show_frame(frame_of("multi-head"), None)
    expected = carry_out(frame_of("multi-head"), Experiment(Check.SHUFFLE))
    assert panel.result.text() == expected.result
    assert panel.notes.text() == "\n".join(expected.notes)
    assert len(visible_tables(panel)) == len(expected.tables) == 3
    assert f"no encoding | {expected.tables[0].text(0, 1)} | " in panel.tables[0].text()


def test_shuffle_again_is_another_order(panel, qtbot):
    panel.show_frame(frame_of("multi-head"), None)
    before = panel.notes.text()
    qtbot.mouseClick(panel.shuffle, Qt.MouseButton.LeftButton)
    assert panel.notes.text() != before
    assert panel.notes.text().startswith("Shuffled: ")
    assert panel.result.text().startswith("Equivariant")


@pytest.mark.parametrize("check", list(Check))
def test_every_experiment_can_be_chosen_and_shows_its_numbers(panel, check):
    panel.show_frame(frame_of("causal"), None)
    choose(panel.choice, check.value)
    expected = carry_out(frame_of("causal"), Experiment(check))
    assert panel.result.text() == expected.result
    assert len(visible_tables(panel)) == len(expected.tables)
    for view, table in zip(panel.tables, expected.tables, strict=False):
        assert view.text().splitlines()[-1].split(" | ")[-1] in (
            table.text(len(table.rows) - 1, len(table.columns) - 1),
            table.more,
        )


def test_only_the_controls_of_the_experiment_are_there(panel):
    panel.show_frame(frame_of("causal"), None)
    assert panel.shuffle.isVisible()
    assert not panel.token.isVisible()
    choose(panel.choice, Check.CHANGE.value)
    assert panel.token.isVisible()
    assert panel.amount.isVisible()
    assert not panel.shuffle.isVisible()


def test_a_demo_takes_the_place_of_the_row(panel):
    panel.show_frame(frame_of("causal"), None)
    choose(panel.choice, Check.MASKING.value)
    assert panel.result.text().startswith("−∞ and both kinds of −1e9 agree")
    choose(panel.demos, MaskDemo.LOW_SCORE.value)
    assert panel.result.text().startswith("−1e9 puts 100 % of the weight on the masked key")
    choose(panel.demos, MaskDemo.FULLY_MASKED.value)
    choose(panel.precision, Precision.FLOAT16.value)
    assert panel.result.text() == "In float16 −1e9 makes all 4 weights NaN; −∞ gives them 0."
    choose(panel.demos, MaskDemo.ADDED_FLOAT32.value)
    assert not panel.precision.isEnabled()
    assert panel.precision.currentText() == Precision.FLOAT32.value, "the one that counts"
    assert "always in float32" in panel.notes.text()
    assert "cannot be changed" in panel.notes.text()
    choose(panel.demos, "a row of this setup")
    assert panel.precision.isEnabled()
    assert panel.precision.currentText() == Precision.FLOAT16.value, "the choice of before"
    choose(panel.precision, Precision.FLOAT16.value)
    assert "in float16" in panel.notes.text()


def test_a_pinned_row_is_the_one_that_is_masked(panel):
    panel.show_frame(frame_of("causal"), None)
    choose(panel.choice, Check.MASKING.value)
    assert "“tired” (10)" in panel.notes.text()
    panel.show_frame(frame_of("causal"), 3)
    assert "“on” (4)" in panel.notes.text()


def test_a_token_can_be_chosen_and_a_newly_pinned_one_takes_over(panel):
    panel.show_frame(frame_of("causal"), None)
    choose(panel.choice, Check.CHANGE.value)
    choose(panel.token, "3  sat")
    assert "rows 1–2 do not change at all" in panel.result.text()
    choose(panel.amount, "noise × 99")
    assert "standard deviation 99" in panel.notes.text()
    assert "rows 1–2 do not change at all" in panel.result.text()
    panel.show_frame(frame_of("causal"), 7)
    assert panel.token.currentText() == "8  it"
    assert "rows 1–7 do not change at all" in panel.result.text()


def test_a_change_of_the_setup_is_followed(panel):
    panel.show_frame(frame_of("multi-head"), None)
    assert panel.result.text().startswith("Equivariant")
    panel.show_frame(frame_of("multi-head", mask=MaskChoice(MaskKind.CAUSAL)), None)
    assert panel.result.text().startswith("Order matters")


def test_what_cannot_be_done_says_why(panel):
    panel.show_frame(frame_of("hand-made"), None)
    choose(panel.choice, Check.RESHAPE.value)
    assert panel.result.text() == "Hand-made heads have no projections to reshape: choose random heads."
    assert visible_tables(panel) == []
    assert not panel.notes.isVisible()


def test_nothing_is_computed_while_nobody_looks(qtbot, monkeypatch):
    done = []

    def counted(frame, experiment):
        done.append(experiment.check)
        return carry_out(frame, experiment)

    monkeypatch.setattr(heads_checks, "carry_out", counted)
    panel = HeadsChecks(Session(), Look())
    qtbot.addWidget(panel)
    panel.show_frame(frame_of("multi-head"), None)
    assert done == []
    panel.show()
    qtbot.waitExposed(panel)
    assert done == [Check.SHUFFLE]
    panel.show_frame(frame_of("multi-head"), 2)  # a pinned row has no effect on a shuffle
    assert done == [Check.SHUFFLE]


def test_many_tokens_wait_for_compute(panel, qtbot):
    panel.show_frame(long_frame(), None)
    assert panel.compute.isVisible()
    assert "150 × 150 weights a head" in panel.result.text()
    assert visible_tables(panel) == []
    with qtbot.waitSignal(panel.shown, timeout=30_000):
        qtbot.mouseClick(panel.compute, Qt.MouseButton.LeftButton)
        assert panel.result.text() == "Computing …"
    assert panel.result.text() == carry_out(long_frame(), Experiment(Check.SHUFFLE)).result
    qtbot.waitUntil(lambda: not panel.compute.isVisible())  # there is something to cancel until the worker is done
    assert "… and 126 more rows" in panel.tables[2].text()


def test_back_at_the_setup_of_the_last_result_it_is_shown_again(panel, qtbot):
    panel.show_frame(frame_of("multi-head"), None)
    before = panel.result.text(), [table.text() for table in visible_tables(panel)]
    panel.show_frame(long_frame(), None)
    assert visible_tables(panel) == []
    panel.show_frame(frame_of("multi-head"), None)
    assert (panel.result.text(), [table.text() for table in visible_tables(panel)]) == before
    assert not panel.compute.isVisible()


def test_a_result_that_comes_too_late_is_not_shown(panel, qtbot):
    panel.show_frame(long_frame(), None)
    qtbot.mouseClick(panel.compute, Qt.MouseButton.LeftButton)
    panel.show_frame(frame_of("multi-head"), None)
    shown = panel.result.text()
    assert panel.jobs.wait(30)
    assert panel.result.text() == shown
    assert not panel.compute.isVisible()


def test_hiding_the_panel_gives_the_work_up_and_showing_it_asks_again(panel, qtbot):
    panel.show_frame(long_frame(), None)
    qtbot.mouseClick(panel.compute, Qt.MouseButton.LeftButton)
    panel.hide()
    assert panel.jobs.wait(30)
    panel.show()
    assert panel.compute.isVisible()
    assert panel.compute.isEnabled()
    assert "press Compute" in panel.result.text()


def test_too_many_tokens_are_refused_in_words(panel, qtbot):
    panel.show_frame(long_frame(600), None)
    with qtbot.waitSignal(panel.shown, timeout=30_000):
        qtbot.mouseClick(panel.compute, Qt.MouseButton.LeftButton)
    assert "The experiments go up to 512 tokens, and there are 600" in panel.result.text()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_no_text_is_cut_off_at_any_zoom(qapp, qtbot, theme, zoom):
    look = Look(theme, zoom)
    qapp.setStyleSheet(stylesheet(look))
    panel = HeadsChecks(Session(), Look())
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(panel)
    qtbot.addWidget(area)
    area.resize(look.px(320), look.px(600))
    area.show()
    panel.set_look(look)
    for check in Check:
        panel.experiment = Experiment(check)
        panel.show_frame(frame_of("causal"), None)
        QApplication.processEvents()
        for block in (panel.look_for, panel.result, panel.notes):
            assert block.height() >= block.heightForWidth(block.width()), (check, block.text())
        assert panel.width() <= area.viewport().width()
        for view in visible_tables(panel):
            assert view.column_edges()[0] > look.px(60)
    qapp.setStyleSheet("")


# ---- The painted table ----

TABLE = CheckTable(
    (("key", Form.TEXT), ("weight", Form.WEIGHT), ("score", Form.SIGNED)),
    (("cat", 1 / 3, -1.5), ("sat", 2 / 3, 0.25)),
    "A title",
    marked_row=1,
    bars=(0.5, 1.0),
)


@pytest.fixture
def view(qtbot):
    made = CheckTableView(Look())
    qtbot.addWidget(made)
    made.resize(300, 100)
    made.show_table(TABLE)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_a_table_says_its_numbers_to_those_who_cannot_see(view):
    assert view.accessibleName() == "A title"
    assert view.accessibleDescription() == "A title\nkey | weight | score\ncat | 0.3333 | −1.500\nsat | 0.6667 | +0.250"


def test_pointing_at_a_number_gives_all_its_digits(view, monkeypatch):
    said = []

    class Tip:
        @staticmethod
        def showText(_place: QPoint, text: str, _widget: QWidget) -> None:  # noqa: N802
            said.append(text)

    monkeypatch.setattr(tip_widget, "QToolTip", Tip)  # a real one is a window the off-screen platform cannot raise
    spot = QPoint(round(view.column_edges()[1]) - 5, view.height() * 5 // 8)
    assert view.cell_at(spot.x(), spot.y()) == (0, 1)
    for place in (spot, QPoint(spot.x(), 5)):
        QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, place, view.mapToGlobal(place)))
    assert said == ["0.3333333333333333", ""]


def test_a_table_is_copied_with_every_digit(view):
    view.actions()[0].trigger()
    assert (
        QGuiApplication.clipboard().text()
        == "key,weight,score\ncat,0.3333333333333333,-1.5\nsat,0.6666666666666666,0.25\n"
    )


def test_numbers_are_flush_right_and_bars_as_long_as_they_should_be(view):
    edges = view.column_edges()
    assert edges == sorted(edges)
    assert edges[-1] <= view.width()
    image = view.grab().toImage()
    gold = QColor(LIGHT.output).rgb()
    line = view.height() // 4

    def gold_in(row: int) -> int:
        y = line * (2 + row) + line // 2
        return sum(image.pixel(x, y) == gold for x in range(image.width()))

    assert gold_in(0) == pytest.approx(gold_in(1) / 2, abs=2)
    assert gold_in(1) > 40
