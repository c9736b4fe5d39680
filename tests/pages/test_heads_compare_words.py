"""A comparison in words and numbers: A, B and A − B as the maps show them, each under its own name."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.counting import Count
from attention_explorer.core.numbers_files import as_csv
from attention_explorer.model import Stage
from attention_explorer.pages.heads.compare import Comparison, compare_pictures
from attention_explorer.pages.heads.compare_words import (
    compared_cell,
    compared_table,
    compared_token_words,
    compared_words,
    read_side,
)
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.reading import row_reading
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.sources.recipe import ToyRecipe

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


OTHER = replace(BASE, recipe=replace(SIX, sentence="The big dog sat on the mat"))
"""Instead of “cat” (2): “big” (2), which has number 7, and “dog” (3), which has number 8."""


def test_two_sentences_name_the_tokens_of_each() -> None:
    shown = comparison(BASE, OTHER)
    a, b = (frame.map.weights() for frame in shown.frames)
    said = compared_words(shown, 0, 2)
    assert said.startswith("A, query “The” (1) → key “sat” (3): weight 0.")
    assert "; B, query “The” (1) → key “sat” (4): weight 0." in said
    assert compared_words(shown, 0, 0).startswith("query “The” (1) → key “The” (1): A weight"), "these are the same"
    header, rows = compared_table(shown, 0, is_row=True)
    assert header == ("token", "position in A", "position in B", "A weight", "B weight", "A − B")
    tokens = ["The", "cat", "big", "dog", "sat", "on", "the", "mat"]
    in_a, in_b = [1, 2, "", "", 3, 4, 5, 6], [1, "", 2, 3, 4, 5, 6, 7]
    assert [row[:3] for row in rows] == list(zip(tokens, in_a, in_b, strict=True))
    for _, of_a, of_b, *numbers in rows:
        first, second = "" if of_a == "" else a[0, of_a - 1], "" if of_b == "" else b[0, of_b - 1]
        expected = [first, second, "" if "" in (of_a, of_b) else first - second]
        assert numbers == [number if number == "" else pytest.approx(number, rel=1e-12) for number in expected]


@pytest.mark.parametrize(
    ("row", "column", "said"),
    [
        (1, 1, "query “cat” (2) → key “cat” (2): weight 0"),
        (1, 0, "query “cat” (2) → key “The” (1): weight 0"),
        (8, 0, "query “dog” (3) → key “The” (1): weight 0"),
        (0, 7, "query “The” (1) → key “big” (2): weight 0"),
        (1, 7, "“cat” → “big”: no cell, as the query is only in A and the key only in B"),
        (8, 1, "“dog” → “cat”: no cell, as the query is only in B and the key only in A"),
        (99, 0, "no such cell"),
    ],
)
def test_a_cell_that_one_map_does_not_have(row: int, column: int, said: str) -> None:
    shown = comparison(BASE, OTHER)
    found = compared_words(shown, row, column)
    assert found.startswith(said)
    if "weight" in said:
        assert found.endswith(f", only in {'A' if 1 in (row, column) else 'B'}")
    assert compared_cell(shown, row, column).difference is None


def test_a_token_is_named_with_its_place_in_each() -> None:
    shown = comparison(BASE, OTHER)
    assert compared_token_words(shown, 2, is_row=True) == "query “sat” (3) in A and “sat” (4) in B"
    assert compared_token_words(shown, 1, is_row=False) == "key only “cat” (2) in A"
    assert compared_token_words(shown, 7, is_row=True) == "query only “big” (2) in B"
    assert compared_token_words(shown, 99, is_row=True) == "no such cell"


def test_places_are_counted_as_everything_else() -> None:
    shown = comparison(*(replace(setup, count=Count.FROM_ZERO) for setup in (BASE, OTHER)))
    assert compared_token_words(shown, 2, is_row=True) == "query “sat” (2) in A and “sat” (3) in B"
    assert compared_words(shown, 8, 0).startswith("query “dog” (2) → key “The” (0)")
    assert [row[1:3] for row in compared_table(shown, 0, is_row=True)[1]][2:5] == [("", 1), ("", 2), (2, 3)]


def test_a_row_that_only_b_has_is_read_there() -> None:
    shown = comparison(BASE, OTHER)
    assert [read_side(shown, row, None).letter for row in (0, 1, 7, 8, 99, None)] == list("AABBAA")
    assert [read_side(shown, None, column).letter for column in (1, 7)] == list("AB")
    side = read_side(shown, 8, 0)
    assert side.frame is shown.frames[1]
    assert (side.own(8, is_row=True), side.own(2, is_row=False), side.own(1, is_row=False)) == (2, 3, None)
    assert [side.rows[own] for own in range(7)] == [0, 7, 8, 2, 3, 4, 5]
    assert side.named(row_reading(side.frame, 2)).title == "B: “dog” (3) attends to"


@pytest.mark.parametrize(("a", "b", "view"), CASES)
@pytest.mark.parametrize("is_row", [True, False])
def test_the_table_of_a_row_has_a_column_for_each(a: HeadsSetup, b: HeadsSetup, view: HeadsView, is_row: bool) -> None:
    shown, frame = comparison(a, b, view), heads_frame(a)
    header, rows = compared_table(shown, 3, is_row=is_row)
    word = "weight" if shown.view.stage is Stage.WEIGHTS else "score"
    assert header == ("token", "position", f"A {word}", f"B {word}", "A − B")
    lines = list(csv.reader(io.StringIO(as_csv(header, rows)), strict=True))[1:]
    assert [line[0] for line in lines] == list(frame.keys if is_row else frame.queries)
    for place, picture in enumerate(shown.pictures, 2):
        at = np.s_[3] if is_row else np.s_[:, 3]
        expected = np.where(picture.masked[at], np.nan, picture.values[at])
        found = [float(line[place]) if line[place] else np.nan for line in lines]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_the_word_in_which_twins_differ_has_a_row_of_its_own() -> None:
    a, b = (replace(BASE, recipe=replace(SIX, sentence=f"The {word} sat on the mat")) for word in ("cat", "dog"))
    shown = comparison(a, b)
    assert shown.is_complete
    first, second = (heads_frame(setup).map.weights() for setup in (a, b))
    assert shown.difference is not None
    np.testing.assert_allclose(shown.difference.values, first - second, rtol=0, atol=1e-12)
    header, rows = compared_table(shown, 1, is_row=True)
    assert header[1] == "position"
    assert rows[1][0] == "cat | dog"
    said = compared_words(shown, 1, 4)
    assert said.startswith("A, query “cat” (2) → key “the” (5): weight ")
    assert "; B, query “dog” (2) → key “the” (5): weight " in said
    assert compared_token_words(shown, 1, is_row=True) == "query “cat” (2) in A and “dog” (2) in B"
