"""Two rows of tokens as one, compared with a search through all runs of equal tokens, and maps over such rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.model import Stage
from attention_explorer.pages.heads import aligned
from attention_explorer.pages.heads.aligned import NONE, AlignedMap, aligned_axis
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded.pieces import SPACE

TOKENS = st.lists(st.sampled_from(["a", "b", "c", f"{SPACE}a"]), max_size=8).map(tuple)

Pairs = list[tuple[int, int]]


def longest_run(a: list[str], b: list[str]) -> tuple[int, int, int]:
    """Try every run of equal tokens; of several longest ones the first in a, then in b."""
    runs = [
        (-size, i, j)
        for i in range(len(a))
        for j in range(len(b))
        for size in range(1, 1 + min(len(a) - i, len(b) - j))
        if a[i : i + size] == b[j : j + size]
    ]
    size, i, j = min(runs, default=(0, 0, 0))
    return -size, i, j


def matched(a: list[str], b: list[str], i0: int = 0, j0: int = 0) -> Pairs:
    """Match the longest run, and then what stands before it and behind it."""
    size, i, j = longest_run(a, b)
    if not size:
        return []
    before = matched(a[:i], b[:j], i0, j0)
    behind = matched(a[i + size :], b[j + size :], i0 + i + size, j0 + j + size)
    return before + [(i0 + i + at, j0 + j + at) for at in range(size)] + behind


def merged(a: tuple[str, ...], b: tuple[str, ...]) -> Pairs:
    """Walk through both rows token by token: what both have at their ends is one, the rest as `matched`."""
    first, second = ([token.strip(SPACE) or token for token in tokens] for tokens in (a, b))
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    middle = matched(first[start : len(first) - end], second[start : len(second) - end], start, start)
    both = [(at, at) for at in range(start)] + middle
    both += [(len(first) - at, len(second) - at) for at in range(end, 0, -1)]
    if len(a) == len(b) and both and all(i == j for i, j in both):
        return [(at, at) for at in range(len(a))]  # twins, place by place
    found: Pairs = []
    i = j = 0
    for pair in [*both, (len(first), len(second))]:
        while i < pair[0]:
            found.append((i, NONE))
            i += 1
        while j < pair[1]:
            found.append((NONE, j))
            j += 1
        found.append(pair)
        i, j = i + 1, j + 1
    return found[:-1]


@given(TOKENS, TOKENS)
@settings(deadline=None)
def test_rows_of_tokens_are_merged_as_a_search_through_all_runs_does(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    axis = aligned_axis(a, b)
    expected = merged(a, b)
    assert list(zip(axis.in_a.tolist(), axis.in_b.tolist(), strict=True)) == expected
    assert axis.is_complete == all(NONE not in pair for pair in expected)
    assert axis.alone() == tuple(a[i] for i, j in expected if j == NONE)
    assert axis.alone(of_b=True) == tuple(b[j] for i, j in expected if i == NONE)


@given(TOKENS, TOKENS)
@settings(deadline=None)
def test_every_token_has_one_number_and_those_of_a_have_their_places(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    axis = aligned_axis(a, b)
    numbers = axis.numbers.tolist()
    assert len(set(numbers)) == len(numbers)
    for place, number in enumerate(numbers):
        assert axis.place_of(number) == place
        in_a, in_b = axis.in_each(number)
        assert number == (in_a if in_a is not None else len(a) + (in_b or 0))
        assert {axis.tokens()[place], axis.tokens(of_b=True)[place]} <= {
            *(a[in_a : in_a + 1] if in_a is not None else ()),
            *(b[in_b : in_b + 1] if in_b is not None else ()),
        }
    assert [axis.in_each(number)[1] for number in axis.numbers_of_b] == list(range(len(b)))
    nowhere = len(a) + len(b)
    assert axis.place_of(nowhere) is None
    assert axis.in_each(nowhere) == (None, None)


def test_a_space_in_the_piece_does_not_make_another_word() -> None:
    axis = aligned_axis((f"{SPACE}cat", "sat", SPACE), ("cat", f"{SPACE}sat", SPACE, "x"))
    assert axis.alone(of_b=True) == ("x",)
    assert axis.labels == ("cat", "sat", SPACE, "x")
    assert axis.tokens(of_b=True) == ("cat", f"{SPACE}sat", SPACE, "x"), "the exact pieces are kept"


SETUP = HeadsSetup(ToyRecipe(sentence="a b c d e", context="k l m n"), mask=MaskChoice(MaskKind.WINDOW, 3))


@pytest.mark.parametrize("rows_at_once", [1, 2, 100])
@pytest.mark.parametrize("stage", list(Stage))
def test_a_map_over_more_rows_and_columns_has_its_numbers_where_they_belong(
    monkeypatch: pytest.MonkeyPatch, rows_at_once: int, stage: Stage
) -> None:
    monkeypatch.setattr(aligned, "rows_of_a_block", lambda _: rows_at_once)
    map_ = heads_frame(SETUP).map
    rows, columns = np.array([0, NONE, 1, 2, NONE, NONE, 3, 4]), np.array([NONE, 0, 1, NONE, 2, 3, NONE])
    spread = AlignedMap(map_, rows, columns)
    whole = np.full((8, 7), 0.0 if stage is Stage.WEIGHTS else -np.inf)
    allowed = np.zeros((8, 7), np.bool_)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if row != NONE and column != NONE:
                cell = slice(row, row + 1), slice(column, column + 1)
                whole[i, j] = map_.stage(stage, *cell)[0, 0]
                allowed[i, j] = map_.allowed(*cell)[0, 0]
    everything = slice(0, 8)
    np.testing.assert_allclose(spread.stage(stage, everything), whole, rtol=1e-12)
    np.testing.assert_array_equal(spread.allowed(everything), allowed)
    np.testing.assert_array_equal(spread.has(everything), (rows[:, None] != NONE) & (columns != NONE))
    pooled = spread.pooled(stage, 8, 7)
    hides = stage in (Stage.MASKED, Stage.WEIGHTS)
    np.testing.assert_array_equal(pooled.masked, ~(allowed if hides else spread.has(everything)))
    np.testing.assert_allclose(pooled.values[~pooled.masked], whole[~pooled.masked], rtol=1e-12)
