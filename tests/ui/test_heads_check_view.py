"""The table of experiments: chosen by clicks and keys, read number by number, with all digits in files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.pages.heads.checks import TRIALS, carry_out, is_quick
from attention_explorer.pages.heads.parts import Check, Experiment, MaskDemo, Precision
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.heads.ui.checks import MOST_IN_PANEL, NUMBERS, Checks
from attention_explorer.sources.recipe import ToyRecipe


def state_of(preset: str = "causal", check: Check = Check.SHUFFLE, **settings: Any) -> HeadsState:
    return replace(heads_preset(preset).state, experiment=Experiment(check, **settings))


def long_state(check: Check) -> HeadsState:
    recipe = ToyRecipe(sentence=" ".join(f"w{i}" for i in range(150)), d_model=8, heads=2)
    return replace(HeadsState(HeadsSetup(recipe)), experiment=Experiment(check))


@pytest.fixture
def shown(qtbot: Any, hand: Any) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, Checks(), state_of())


def line(shown: PictureOnCanvas, check: Check) -> QPointF:
    box = shown.laid.layout.boxes[list(Check).index(check)]
    return QPointF(box.left() + 60, box.center().y())


def tables(shown: PictureOnCanvas) -> list[Table]:
    return tables_in(shown.picture.panel(shown.numbers).items)


def tables_in(items: Any) -> list[Table]:
    """Return the tables among some items, each of which may hold others."""
    found: list[Table] = []
    for item in items:
        found += [item] if isinstance(item, Table) else tables_in(getattr(item, "items", ()))
    return found


def test_all_experiments_stand_in_the_table_with_their_results(shown: PictureOnCanvas) -> None:
    said = shown.canvas.spoken()
    for check in Check:
        expected = carry_out(shown.numbers.frame, Experiment(check), shown.state.view.row)
        assert f"{check.value}: {expected.result}" in said
    assert shown.words_beside() <= 60


@pytest.mark.parametrize("check", list(Check))
def test_a_click_chooses_an_experiment_and_the_panel_has_its_numbers(shown: PictureOnCanvas, check: Check) -> None:
    shown.show(state_of(check=Check.RESHAPE if check is not Check.RESHAPE else Check.CHANGE))
    shown.click(line(shown, check))
    assert shown.state.experiment.check is check
    assert shown.labels[-1] == "Choose an experiment"
    panel = shown.picture.panel(shown.numbers)
    assert (panel.title, panel.sentence) == (check.value, TRIALS[check].look_for)
    expected = carry_out(shown.numbers.frame, shown.state.experiment, shown.state.view.row)
    assert len(tables(shown)) == len(expected.tables)
    for table, numbers in zip(tables(shown), expected.tables, strict=True):
        rows = [tuple(text for text in row if text) for row in table.rows]
        all_rows = [
            tuple(filter(None, (numbers.text(row, column) for column in range(len(numbers.columns)))))
            for row in range(len(numbers.rows))
        ]
        start = all_rows.index(rows[0])
        assert rows == all_rows[start : start + len(rows)]


def test_arrow_keys_go_from_one_to_the_next(shown: PictureOnCanvas) -> None:
    for key, expected in (
        (Qt.Key.Key_Down, Check.SYMMETRY),
        (Qt.Key.Key_Up, Check.SHUFFLE),
        (Qt.Key.Key_Up, Check.WEIGHTS),
    ):
        shown.key(key)
        assert shown.state.experiment.check is expected
    shown.key(Qt.Key.Key_Up)
    assert shown.state.experiment.check is Check.WEIGHTS, "at the first nothing happens"


def test_settings_change_what_comes_out(shown: PictureOnCanvas) -> None:
    result = lambda: shown.numbers.result(shown.numbers.experiment.check)  # noqa: E731
    shown.show(state_of(check=Check.MASKING, demo=MaskDemo.LOW_SCORE))
    assert result().startswith("−1e9 puts 100 % of the weight on the masked key")
    shown.show(state_of(check=Check.MASKING, demo=MaskDemo.FULLY_MASKED, precision=Precision.FLOAT16))
    assert result() == "In float16 −1e9 makes all 4 weights NaN; −∞ gives them 0."
    shown.show(state_of(check=Check.MASKING, demo=MaskDemo.ADDED_FLOAT32))
    assert any("cannot be changed" in said for said in shown.picture.says(shown.numbers))
    shown.show(state_of(check=Check.CHANGE, token=2, amount=99.0))
    assert "rows 1–2 do not change at all" in result()
    shown.show(state_of(check=Check.CONSTANT, constant=-50.0))
    assert result().startswith("−50.0 on every score of “it” (8)")
    shown.show(state_of(check=Check.CHANGE).with_view(row=3))
    assert "rows 1–3 do not change at all" in result()


def test_shuffle_again_is_another_order(shown: PictureOnCanvas) -> None:
    before = shown.picture.says(shown.numbers)
    shown.show(state_of(seed=1))
    assert shown.picture.says(shown.numbers) != before
    assert any(said.startswith("Shuffled: ") for said in before)


def test_pointing_says_what_to_look_for_and_gives_all_digits(shown: PictureOnCanvas) -> None:
    assert shown.point_at(line(shown, Check.CONSTANT)) == f"Add a constant: {TRIALS[Check.CONSTANT].look_for}"
    report = shown.numbers.chosen
    said = shown.picture.words(shown.numbers, Hit(f"{NUMBERS} 1", 1))
    assert said == f"encoding; no mask: {report.tables[0].exact(1, 1)}; causal: {report.tables[0].exact(1, 2)}"
    assert len(said.partition("causal: ")[2]) > 12


def test_a_long_table_shows_rows_around_the_one_that_matters(shown: PictureOnCanvas) -> None:
    shown.show(replace(long_state(Check.CHANGE), view=replace(shown.state.view, row=100)))
    (table,) = tables(shown)
    assert len(table.rows) == MOST_IN_PANEL
    assert table.rows[table.marked[0]][0].endswith("w100")
    row = table.marked[0]
    said = shown.picture.words(shown.numbers, Hit(table.name, row))
    assert "w100" in said
    whole = shown.picture.table(shown.numbers)
    assert isinstance(whole, Above)
    assert max(len(table.rows) for table in tables_in(whole.items)) == 24


def test_what_takes_a_moment_is_not_done_unasked(shown: PictureOnCanvas) -> None:
    assert is_quick(shown.state)
    assert not is_quick(long_state(Check.SYMMETRY))
    shown.show(long_state(Check.SYMMETRY))
    assert shown.numbers.result(Check.SHUFFLE).startswith("Choose it to have it done")
    shown.click(line(shown, Check.SHUFFLE))
    assert shown.numbers.result(Check.SHUFFLE).startswith("Equivariant")


def test_what_cannot_be_done_says_why_in_the_table(qtbot: Any, hand: Any) -> None:
    shown = PictureOnCanvas(qtbot, hand, Checks(), state_of("hand-made", Check.RESHAPE))
    assert "Hand-made heads have no projections to reshape: choose random heads." in shown.canvas.spoken()
    assert tables(shown) == []
    assert shown.picture.table(shown.numbers) is None


@pytest.mark.parametrize("preset", [ready.id for ready in HEADS_PRESETS])
def test_nothing_is_cut_or_written_over(preset: str) -> None:
    picture = Checks()
    numbers = picture.compute(state_of(preset), (0, 0))
    for size in ((470, 470), (680, 560)):
        assert faults_of(drawing_of(picture, numbers, size), size) == [], size


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("check", list(Check))
def test_the_numbers_fit_the_panel(theme: Any, zoom: float, check: Check) -> None:
    picture, look = Checks(), Look(theme, zoom)
    for table in tables_in(picture.panel(picture.compute(state_of(check=check), (0, 0))).items):
        layout = table.layout(look, QRectF(0, 0, look.px(300), table.height(look, look.px(300))))
        assert len(layout.shown) >= len(table.columns) - 1, "what goes is where a token stood before"
        assert layout.shown[-1][1] + layout.shown[-1][2] <= look.px(300) + 1


def test_files_have_every_digit(shown: PictureOnCanvas) -> None:
    report = shown.numbers.chosen
    arrays = shown.picture.numbers(shown.numbers)
    errors = arrays["table 1: causal"]
    assert errors.tolist() == [row[2] for row in report.tables[0].rows]
    assert len(arrays["results"]) == len(Check)
    lines = shown.picture.lines(shown.numbers)
    assert tuple(lines.header) == report.tables[0].header
    assert next(iter(lines.rows()))[1] == report.tables[0].rows[0][1]
    assert "Shuffle" in shown.figure_texts()


# ---- A table with a marked row and bars ----


def test_bars_are_as_long_as_they_should_be(qapp: Any) -> None:
    columns = Column("key"), Column("", least=100.0), Column("weight", is_right=True)
    table = Table(
        "t", columns, (("cat", "", "1"), ("sat", "", "2")), fills=False, high=21, marked=(1, None), bars=(0.5, 1.0)
    )
    look, box = Look(LIGHT), QRectF(0, 0, 300, 63)
    layout, image = table.layout(look, box), QImage(300, 63, QImage.Format.Format_RGB32)
    image.fill(colour_of(LIGHT.card))
    with QPainter(image) as painter:
        table.paint(painter, layout, look)
    gold, ground = QColor(LIGHT.output).rgb(), QColor(LIGHT.track).rgb()

    def count(row: int, colour: int) -> int:
        return sum(image.pixel(x, round(layout.row(row).center().y())) == colour for x in range(300))

    assert count(1, gold) >= 99
    assert count(0, gold) == pytest.approx(count(1, gold) / 2, abs=2)
    assert image.pixel(2, round(layout.row(1).top()) + 2) == ground
    assert image.pixel(2, round(layout.row(0).top()) + 2) != ground
    assert np.isfinite(layout.bottom)
