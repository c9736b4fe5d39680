"""Tokens of two sentences that belong together."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.pages.heads import aligned as alignment
from attention_explorer.pages.heads.aligned import TokenAlignment, align_tokens

TOKENS = st.lists(st.sampled_from("abcde"), max_size=12).map(tuple)


def aligned(a: str, b: str) -> tuple[list[int], list[int], list[int], list[int]]:
    found = align_tokens(a.split(), b.split())
    unmatched = (np.flatnonzero(flags).tolist() for flags in (found.unmatched_a, found.unmatched_b))
    return (found.in_a.tolist(), found.in_b.tolist(), *unmatched)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("the cat sat", "the cat sat", ([0, 1, 2], [0, 1, 2], [], [])),
        ("the cat sat", "the big cat sat", ([0, 1, 2], [0, 2, 3], [], [1])),
        ("the cat sat", "the dog sat", ([0, 2], [0, 2], [1], [1])),
        ("it was soft .", "because it was tired .", ([0, 1, 3], [1, 2, 4], [2], [0, 3])),
        ("a a", "a a a", ([0, 1], [0, 1], [], [2])),
        ("x a b c y", "a b c", ([1, 2, 3], [0, 1, 2], [0, 4], [])),
        ("a b", "c d", ([], [], [0, 1], [0, 1])),
        ("", "a", ([], [], [], [0])),
        ("", "", ([], [], [], [])),
    ],
)
def test_equal_tokens_are_matched_in_their_order(a: str, b: str, expected: tuple[list[int], ...]) -> None:
    assert aligned(a, b) == expected


def assert_is_alignment(found: TokenAlignment, a: tuple[str, ...], b: tuple[str, ...]) -> None:
    assert [a[at] for at in found.in_a] == [b[at] for at in found.in_b]
    for places, unmatched, tokens in ((found.in_a, found.unmatched_a, a), (found.in_b, found.unmatched_b, b)):
        assert places.dtype == np.intp
        assert (np.diff(places) > 0).all()
        assert unmatched.shape == (len(tokens),)
        assert sorted([*places.tolist(), *np.flatnonzero(unmatched).tolist()]) == list(range(len(tokens)))


@given(TOKENS, TOKENS, st.sampled_from([0, 2**20]))
@settings(deadline=None)
def test_every_token_is_matched_once_or_not_at_all(a: tuple[str, ...], b: tuple[str, ...], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MOST_PAIRS", most)
        found = align_tokens(a, b)
    assert_is_alignment(found, a, b)
    assert found.is_complete == (a == b)


@given(TOKENS, TOKENS, TOKENS)
@settings(deadline=None)
def test_what_is_typed_into_a_sentence_leaves_the_rest_where_it_was(
    before: tuple[str, ...], typed: tuple[str, ...], after: tuple[str, ...]
) -> None:
    found = align_tokens(before + after, before + typed + after)
    assert not found.unmatched_a.any()
    assert int(found.unmatched_b.sum()) == len(typed)


@given(TOKENS, TOKENS)
@settings(deadline=None)
def test_without_equal_ends_the_matches_are_those_of_difflib(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    a, b = ("<", *a, "1"), (">", *b, "2")
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    found = align_tokens(a, b)
    assert found.in_a.tolist() == [block.a + at for block in blocks for at in range(block.size)]
    assert found.in_b.tolist() == [block.b + at for block in blocks for at in range(block.size)]


def test_rows_of_one_token_are_not_looked_at_pair_by_pair() -> None:
    a, b = ("x", *"a" * 3000, "y"), ("z", *"a" * 3001, "w")
    assert_is_alignment(align_tokens(a, b), a, b)
