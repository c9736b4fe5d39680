"""Masks as they are chosen and painted, compared with a rule for every pair of query and key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.mask import default_size, mask_of, mask_words, what_hides
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HIDING, heads_preset
from attention_explorer.pages.heads.state import Cell, MaskChoice, MaskKind

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
    shown_again = MaskChoice(MaskKind.STRICT, shown=frozenset({(0, 0)}))
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


def test_painting_alters_exactly_those_cells() -> None:
    hidden, shown = frozenset({(3, 0), (2, 2)}), frozenset({(0, 3)})
    plain = cells_of(MaskChoice(MaskKind.CAUSAL), 4, 4)
    changed = cells_of(MaskChoice(MaskKind.CAUSAL, hidden=hidden, shown=shown), 4, 4)
    assert visible(plain ^ changed) == hidden | shown
    assert changed[0, 3], "shown above the diagonal"
    assert not changed[3, 0], "hidden below it"


def test_a_cell_hidden_by_hand_is_hidden_under_a_mask_that_hides_it_too() -> None:
    painted = MaskChoice().with_painted(frozenset({(0, 3), (3, 0)}), hide=True)
    for kind in MaskKind:
        mask = cells_of(replace(painted, kind=kind), 4, 4)
        assert not mask[0, 3], kind
        assert not mask[3, 0], kind


def test_cells_beyond_the_sentence_are_remembered_and_have_no_effect() -> None:
    beyond = frozenset({(4, 0), (0, 4), (99, 99)})
    choice = MaskChoice(MaskKind.NONE, hidden=beyond)
    assert mask_of(choice, 4, 4) is None
    assert choice.hidden == beyond
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
    after = cells_of(before.with_painted(brush, hide=hide), 5, 5)
    for i in range(5):
        for j in range(5):
            assert after[i, j] == ((not hide) if (i, j) in brush else seen[i, j])


@given(st.lists(st.tuples(cells, st.booleans()), max_size=4), kinds, kinds, st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_what_the_hand_said_last_holds_under_every_kind(
    strokes: list[tuple[frozenset[Cell], bool]], first: MaskKind, then: MaskKind, size: int
) -> None:
    choice, said = MaskChoice(first, 3), dict[Cell, bool]()
    for brush, hide in strokes:
        choice = choice.with_painted(brush, hide=hide)
        said |= dict.fromkeys(brush, not hide)
    assert not choice.hidden & choice.shown
    other = replace(choice, kind=then, size=size)
    mask, plain = cells_of(other, 7, 7), cells_of(other.without_paint(), 7, 7)
    for cell in np.ndindex(7, 7):
        assert mask[cell] == said.get(cell, plain[cell])


@given(kinds, st.integers(1, 6), cells)
@settings(max_examples=100, deadline=None)
def test_hiding_and_showing_again_restores_the_mask(kind: MaskKind, size: int, brush: frozenset[Cell]) -> None:
    before = MaskChoice(kind, size)
    brush = brush & visible(cells_of(before, 7, 7))
    hidden = before.with_painted(brush, hide=True)
    assert not (visible(cells_of(hidden, 7, 7)) & brush)
    shown = hidden.with_painted(brush, hide=False)
    np.testing.assert_array_equal(cells_of(shown, 7, 7), cells_of(before, 7, 7))
    assert shown.without_paint() == hidden.without_paint() == before
    assert shown.is_painted == bool(brush)


def test_painting_twice_the_same_changes_nothing() -> None:
    brush = frozenset({(1, 1), (2, 1)})
    once = MaskChoice().with_painted(brush, hide=True)
    assert once.hidden == brush
    assert once.with_painted(brush, hide=True) == once


def test_a_mask_in_words() -> None:
    assert mask_words(MaskChoice()) == ""
    assert mask_words(MaskChoice(MaskKind.WINDOW, 4)) == "window 4"
    painted = MaskChoice(MaskKind.CAUSAL, hidden=frozenset({(1, 1)}), shown=frozenset({(0, 3), (0, 4)}))
    assert mask_words(painted) == "causal, 1 cell hidden by hand, 2 cells shown by hand"
    assert mask_words(MaskChoice(hidden=frozenset({(1, 1), (1, 2)}))) == "2 cells hidden by hand"


def test_a_word_that_is_hidden_is_named_in_captions() -> None:
    heads = heads_preset(HIDING).state.with_word(9, hide=True)
    assert heads_frame(heads.setup).mask_words == "“soft” hidden"
    more = replace(
        heads.setup, mask=heads.setup.mask.with_word(5, 10, hide=True).with_painted(frozenset({(0, 1)}), hide=True)
    )
    assert heads_frame(more).mask_words == "“bed” and “soft” hidden, 1 cell hidden by hand"


def test_what_hides_a_cell_is_the_hand_before_the_mask() -> None:
    choice = MaskChoice(MaskKind.BLOCK, 2, hidden=frozenset({(0, 3)}))
    assert what_hides(choice, (0, 3)) == "by hand"
    assert what_hides(choice, (0, 2)) == "by the block mask of 2"
    assert what_hides(MaskChoice(MaskKind.CAUSAL), (0, 2)) == "by the causal mask"


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
