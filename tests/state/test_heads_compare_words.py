"""A comparison in words and numbers: A, B and A − B as the maps show them, each under its own name."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model import Stage
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.state.heads.compare import Comparison, compare_pictures
from attention_explorer.state.heads.compare_words import (
    compared_cell,
    compared_steps,
    compared_table,
    compared_title,
    compared_words,
    of_a,
)
from attention_explorer.state.heads.frame import heads_frame
from attention_explorer.state.heads.reading import column_reading, row_reading
from attention_explorer.state.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.state.numbers_files import as_csv

CAUSAL = MaskChoice(MaskKind.CAUSAL)
SIX = ToyRecipe(sentence="The cat sat on the mat", d_model=32, heads=4)
BASE = HeadsSetup(SIX)


def comparison(a: HeadsSetup, b: HeadsSetup, view: HeadsView | None = None) -> Comparison:
    return compare_pictures(heads_frame(a), heads_frame(b), view or HeadsView())


CASES = [
    (BASE, replace(BASE, head=2), HeadsView()),
    (BASE, replace(BASE, mask=CAUSAL), HeadsView()),
    (replace(BASE, mask=CAUSAL), replace(BASE, mask=CAUSAL, temperature=3.0), HeadsView()),
    (BASE, replace(BASE, mask=CAUSAL, head=1), HeadsView(stage=Stage.MASKED)),
    (BASE, replace(BASE, scaled=False), HeadsView(stage=Stage.SCALED)),
    (BASE, replace(BASE, aggregate=Aggregate.MEAN), HeadsView(stage=Stage.SCORES)),
    (BASE, replace(BASE, head=3), HeadsView(hidden=Hidden.FIRST)),
]


@pytest.mark.parametrize(("a", "b", "view"), CASES)
def test_every_cell_says_what_the_three_maps_show(a: HeadsSetup, b: HeadsSetup, view: HeadsView) -> None:
    shown = comparison(a, b, view)
    assert shown.difference is not None
    for row, column in np.ndindex(6, 6):
        cell = compared_cell(shown, row, column)
        for number, picture in zip((cell.a, cell.b, cell.difference), shown.pictures, strict=True):
            assert (number is None) == picture.masked[row, column]
            if number is not None:
                assert number == pytest.approx(picture.values[row, column], rel=1e-9, abs=1e-12)


def test_a_cell_is_said_with_six_digits_and_all_three_names() -> None:
    a, b = BASE, replace(BASE, head=2)
    said = compared_words(comparison(a, b), 1, 4)
    found = re.fullmatch(
        r"query “cat” \(2\) → key “the” \(5\): A weight (\S+); B weight (\S+); A − B ([+−])(\S+)", said
    )
    assert found is not None
    first, second = (heads_frame(setup).map.weights()[1, 4] for setup in (a, b))
    assert float(found[1]) == pytest.approx(first, rel=5e-6)
    assert float(found[2]) == pytest.approx(second, rel=5e-6)
    assert float(found[4]) == pytest.approx(abs(first - second), rel=5e-6)
    assert (found[3] == "+") == (first > second)


def test_what_is_hidden_is_said_and_counts_as_0_among_weights_only() -> None:
    a, b = BASE, replace(BASE, mask=CAUSAL)
    weights, scores = comparison(a, b), comparison(a, b, HeadsView(stage=Stage.MASKED))
    assert "; B hidden by the causal mask; A − B +0." in compared_words(weights, 0, 3)
    assert compared_words(scores, 0, 3).endswith("; B hidden by the causal mask; A − B none")
    both = comparison(b, replace(b, head=1))
    assert compared_words(both, 0, 3).endswith(": A hidden by the causal mask; B hidden by the causal mask; A − B none")
    assert compared_words(comparison(a, a), 2, 2).endswith("A − B 0")


def test_two_sentences_name_the_tokens_of_each() -> None:
    other = replace(BASE, recipe=replace(SIX, sentence="The dog sat on the mat"))
    shown = comparison(BASE, other)
    said = compared_words(shown, 1, 0)
    assert said.startswith("A, query “cat” (2) → key “The” (1): weight 0.")
    assert "; B, query “dog” (2) → key “The” (1): weight 0." in said
    assert compared_words(shown, 0, 2).startswith("query “The” (1) → key “sat” (3): A weight"), "these are the same"
    header, rows = compared_table(shown, row_reading(heads_frame(BASE), 0))
    assert header == ("token of A", "token of B", "position", "A weight", "B weight", "A − B")
    assert rows[1][:3] == ("cat", "dog", 2)


def test_a_cell_that_only_one_map_has() -> None:
    longer = replace(BASE, recipe=replace(SIX, sentence="The cat sat on the mat and slept"))
    for shown in (comparison(BASE, longer), comparison(longer, BASE)):
        assert compared_words(shown, 7, 7).startswith("query “slept” (8) → key “slept” (8): ")
        assert "no such cell" in compared_words(shown, 7, 7)
        assert compared_words(shown, 7, 7).endswith("A − B none")
        assert compared_words(shown, 1, 1).endswith("A − B none"), "maps of two sizes are not subtracted"
        assert compared_title(shown, 7, 7) == "“slept” (8) → “slept” (8)"


def test_the_steps_are_the_three_numbers_under_their_names() -> None:
    a, b = BASE, replace(BASE, head=2)
    steps = compared_steps(comparison(a, b), 1, 4)
    assert [step.name for step in steps] == ["A: weight", "B: weight", "A − B"]
    first, second = (heads_frame(setup).map.weights()[1, 4] for setup in (a, b))
    assert [step.value for step in steps[:2]] == [f"{first:.4f}", f"{second:.4f}"]
    assert steps[2].is_result
    assert float(steps[2].value.replace("−", "-")) == pytest.approx(first - second, abs=5.1e-5)
    masked = compared_steps(comparison(a, replace(BASE, mask=CAUSAL)), 0, 3)
    assert (masked[1].name, masked[1].value) == ("B", "hidden by the causal mask")


@pytest.mark.parametrize(("a", "b", "view"), CASES)
@pytest.mark.parametrize("is_row", [True, False])
def test_the_table_of_a_row_has_a_column_for_each(a: HeadsSetup, b: HeadsSetup, view: HeadsView, is_row: bool) -> None:
    shown, frame = comparison(a, b, view), heads_frame(a)
    reading = of_a(row_reading(frame, 3) if is_row else column_reading(frame, 3))
    assert reading.title.startswith("A: ")
    header, rows = compared_table(shown, reading)
    word = "weight" if shown.view.stage is Stage.WEIGHTS else "score"
    assert header == ("token", "position", f"A {word}", f"B {word}", "A − B")
    lines = list(csv.reader(io.StringIO(as_csv(header, rows)), strict=True))[1:]
    assert [line[0] for line in lines] == list(reading.tokens)
    for place, picture in enumerate(shown.pictures, 2):
        at = np.s_[3] if is_row else np.s_[:, 3]
        expected = np.where(picture.masked[at], np.nan, picture.values[at])
        found = [float(line[place]) if line[place] else np.nan for line in lines]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
