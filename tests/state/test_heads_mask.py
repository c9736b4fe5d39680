"""Masks as they are chosen and painted, compared with a rule for every pair of query and key."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ExplorerError
from attention_explorer.state.heads import Cell, MaskChoice, MaskKind
from attention_explorer.state.heads_mask import default_size, mask_of

SIZES = [(1, 1), (2, 2), (5, 5), (7, 6), (3, 8)]

Rule = Callable[[int, int, int, int, int], bool]
"""Query, key, number of the mask, n_q and n_k: may it attend?"""

RULES: dict[MaskKind, Rule] = {
    MaskKind.NONE: lambda i, j, size, n_q, n_k: True,
    MaskKind.CAUSAL: lambda i, j, size, n_q, n_k: j <= i + n_k - n_q,
    MaskKind.STRICT: lambda i, j, size, n_q, n_k: j < i + n_k - n_q,
    MaskKind.PADDING: lambda i, j, size, n_q, n_k: j < size,
    MaskKind.WINDOW: lambda i, j, size, n_q, n_k: abs(i - j) < size,
    MaskKind.CAUSAL_WINDOW: lambda i, j, size, n_q, n_k: abs(i - j) < size and j <= i,
    MaskKind.PREFIX: lambda i, j, size, n_q, n_k: j <= i or j < size,
    MaskKind.BLOCK: lambda i, j, size, n_q, n_k: i // size == j // size,
}


def cells_of(choice: MaskChoice, n_q: int, n_k: int) -> np.ndarray:
    """Return the mask as an array, also where there is none."""
    mask = mask_of(choice, n_q, n_k)
    return np.ones((n_q, n_k), bool) if mask is None else mask.copy()


def by_rule(choice: MaskChoice, n_q: int, n_k: int) -> np.ndarray:
    rule = RULES[choice.kind]
    return np.array([[rule(i, j, choice.size, n_q, n_k) for j in range(n_k)] for i in range(n_q)])


def visible(mask: np.ndarray) -> frozenset[Cell]:
    return frozenset((int(i), int(j)) for i, j in np.argwhere(mask))


@pytest.mark.parametrize("kind", MaskKind)
@pytest.mark.parametrize(("n_q", "n_k"), SIZES)
@pytest.mark.parametrize("size", [1, 2, 3, 4096])
def test_each_kind_follows_its_rule(kind: MaskKind, n_q: int, n_k: int, size: int) -> None:
    choice = MaskChoice(kind, size)
    np.testing.assert_array_equal(cells_of(choice, n_q, n_k), by_rule(choice, n_q, n_k))


def test_every_kind_has_a_rule_here() -> None:
    assert set(RULES) == set(MaskKind)
    assert {kind for kind in MaskKind if not kind.has_size} == {MaskKind.NONE, MaskKind.CAUSAL, MaskKind.STRICT}


def test_the_first_row_of_the_strict_mask_is_empty() -> None:
    mask = cells_of(MaskChoice(MaskKind.STRICT), 4, 4)
    assert not mask[0].any()
    assert mask[1:].any(axis=1).all()


def test_a_mask_that_hides_nothing_is_none() -> None:
    assert mask_of(MaskChoice(), 4, 4) is None
    assert mask_of(MaskChoice(MaskKind.CAUSAL), 1, 1) is None
    assert mask_of(MaskChoice(MaskKind.WINDOW, 9), 4, 4) is None
    shown_again = MaskChoice(MaskKind.STRICT, flipped=frozenset({(0, 0)}))
    assert mask_of(shown_again, 1, 1) is None


def test_a_mask_is_made_once_and_cannot_be_written() -> None:
    choice = MaskChoice(MaskKind.CAUSAL)
    mask = mask_of(choice, 5, 5)
    assert mask is not None
    assert mask_of(MaskChoice(MaskKind.CAUSAL), 5, 5) is mask
    assert mask.dtype == np.bool_
    with pytest.raises(ValueError, match="read-only"):
        mask[0, 0] = False


def test_a_number_that_no_mask_has_is_refused_in_words() -> None:
    with pytest.raises(ExplorerError, match="width must be"):
        mask_of(MaskChoice(MaskKind.WINDOW, -1), 3, 3)


# ---- Painting ----


def test_painting_flips_exactly_those_cells() -> None:
    painted = frozenset({(0, 3), (3, 0), (2, 2)})
    plain, changed = (cells_of(MaskChoice(MaskKind.CAUSAL, flipped=cells), 4, 4) for cells in (frozenset(), painted))
    assert visible(plain ^ changed) == painted
    assert changed[0, 3], "shown above the diagonal"
    assert not changed[3, 0], "hidden below it"


def test_cells_beyond_the_sentence_are_remembered_and_have_no_effect() -> None:
    beyond = frozenset({(4, 0), (0, 4), (99, 99)})
    choice = MaskChoice(MaskKind.NONE, flipped=beyond)
    assert mask_of(choice, 4, 4) is None
    assert choice.flipped == beyond
    longer = mask_of(choice, 5, 5)
    assert longer is not None
    assert visible(~longer) == {(4, 0), (0, 4)}


kinds = st.sampled_from(list(MaskKind))
cells = st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


@given(kinds, st.integers(1, 6), cells, cells, st.booleans())
@settings(max_examples=150, deadline=None)
def test_painting_hides_or_shows_all_cells_under_the_brush_and_no_other(
    kind: MaskKind, size: int, painted: frozenset[Cell], brush: frozenset[Cell], hide: bool
) -> None:
    before = MaskChoice(kind, size, painted)
    seen = cells_of(before, 5, 5)
    after = cells_of(before.with_painted(brush, visible(seen) & brush, hide=hide), 5, 5)
    for i in range(5):
        for j in range(5):
            assert after[i, j] == ((not hide) if (i, j) in brush else seen[i, j])


@given(kinds, st.integers(1, 6), cells)
@settings(max_examples=100, deadline=None)
def test_hiding_and_showing_again_restores_the_mask(kind: MaskKind, size: int, brush: frozenset[Cell]) -> None:
    before = MaskChoice(kind, size)
    brush = brush & visible(cells_of(before, 7, 7))
    hidden = before.with_painted(brush, brush, hide=True)
    assert not (visible(cells_of(hidden, 7, 7)) & brush)
    assert hidden.with_painted(brush, frozenset(), hide=False) == before


def test_painting_twice_the_same_changes_nothing() -> None:
    brush = frozenset({(1, 1), (2, 1)})
    once = MaskChoice().with_painted(brush, brush, hide=True)
    assert once.flipped == brush
    assert once.with_painted(brush, frozenset(), hide=True) == once


@pytest.mark.parametrize("kind", [kind for kind in MaskKind if kind.has_size])
@pytest.mark.parametrize("n", range(2, 13))
def test_the_default_number_makes_a_mask_that_can_be_seen(kind: MaskKind, n: int) -> None:
    mask = mask_of(MaskChoice(kind, default_size(kind, n)), n, n)
    assert mask is not None, "something is hidden"
    assert mask.any(axis=1).all(), "and no row is empty"


@pytest.mark.parametrize("kind", MaskKind)
def test_the_default_number_is_at_least_1(kind: MaskKind) -> None:
    assert default_size(kind, 1) == 1
    assert mask_of(MaskChoice(kind, default_size(kind, 0)), 0, 0) is None
