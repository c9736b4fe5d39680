"""Scores of patterns against plain loops over whole matrices."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    ArrayMap,
    AttentionMap,
    QueryKeyMap,
    RenormalisedMap,
    causal_mask,
    labelled_keys,
    map_selection,
    strictly_causal_mask,
)
from attention_explorer.model.patterns import Pattern, PatternScore
from attention_explorer.model.token_kinds import is_punctuation, is_special

SPECIAL = {",", "[CLS]"}
VOCABULARY = ("a", "b", "c", ",", "[CLS]")


def keys_of(pattern: Pattern, k: int, p: int, n_k: int, token: str | None, key_tokens: tuple[str, ...]) -> set[int]:
    """List the keys of a pattern for the query at key position p, read off the definition."""
    wanted: dict[Pattern, Callable[[int], bool]] = {
        Pattern.ITSELF: lambda j: j == p,
        Pattern.PREVIOUS: lambda j: j == p - 1,
        Pattern.NEXT: lambda j: j == p + 1,
        Pattern.BACK: lambda j: j == p - k,
        Pattern.FIRST: lambda j: j == 0,
        Pattern.SPECIAL: lambda j: key_tokens[j] in SPECIAL,
        Pattern.SAME: lambda j: j != p and key_tokens[j] == token,
        Pattern.INDUCTION: lambda j: 0 < j <= p and key_tokens[j - 1] == token,
    }
    return {j for j in range(n_k) if wanted[pattern](j)}


def by_loop(map_: AttentionMap, tokens: tuple[str, ...], context: tuple[str, ...] | None) -> dict[Pattern, tuple]:
    weights, allowed = map_.weights(), map_.allowed()
    n_q, n_k = weights.shape
    attending = [i for i in range(n_q) if any(weights[i, j] > 0 for j in range(n_k))]

    def measured(pattern: Pattern, k: int = 0) -> tuple[float, int, float, int | None]:
        masses, shares = [], []
        for i in attending:
            if context is None:
                p = i + n_k - n_q
                token = tokens[p] if p >= 0 else None
            elif pattern in (Pattern.FIRST, Pattern.SPECIAL, Pattern.SAME):
                p, token = -100, tokens[i]
            else:
                continue
            visible = {j for j in range(n_k) if allowed[i, j]}
            members = keys_of(pattern, k, p, n_k, token, tokens if context is None else context) & visible
            if members:
                masses.append(sum(float(weights[i, j]) for j in members))
                shares.append(len(members) / len(visible))
        count = len(masses)
        back = k if pattern is Pattern.BACK else None
        return (sum(masses) / count, count, sum(shares) / count, back) if count else (math.nan, 0, math.nan, None)

    found = {pattern: measured(pattern) for pattern in Pattern if pattern is not Pattern.BACK}
    backs = [measured(Pattern.BACK, k) for k in range(2, 9)]
    long_enough = [back for back in backs if back[1] and back[1] >= len(attending) / 2]
    # Of scores that are equal but for rounding either may win.
    found[Pattern.BACK] = max(long_enough, key=lambda back: round(back[0], 9), default=(math.nan, 0, math.nan, None))
    return found


def assert_agree(found: dict[Pattern, PatternScore], expected: dict[Pattern, tuple], tolerance: float) -> None:
    assert list(found) == list(Pattern)
    for pattern, score in found.items():
        assert score[:3] == pytest.approx(expected[pattern][:3], abs=tolerance, nan_ok=True), pattern
        if pattern is not Pattern.BACK or tolerance < 1e-9:
            assert score.back == expected[pattern][3], pattern


@st.composite
def random_maps(draw: st.DrawFn) -> tuple[AttentionMap, int, int]:
    n_q, n_k = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    if draw(st.booleans()):
        n_q = n_k
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    masks = {
        "none": None,
        "causal": causal_mask(n_q, n_k),
        "strictly causal": strictly_causal_mask(n_q, n_k),
        "random": rng.random((n_q, n_k)) < 0.4,
    }
    mask = masks[draw(st.sampled_from(sorted(masks)))]
    q, k = (rng.normal(size=(n, 3)).astype(dtype) for n in (n_q, n_k))
    return QueryKeyMap(q, k, mask=mask), n_q, n_k


@given(random_maps(), st.data())
@settings(max_examples=150, deadline=None)
def test_scores_are_those_of_loops(drawn: tuple[AttentionMap, int, int], data: st.DataObject) -> None:
    map_, n_q, n_k = drawn
    words = st.sampled_from(VOCABULARY[: data.draw(st.integers(1, len(VOCABULARY)))])

    def text(n: int) -> tuple[str, ...]:
        return tuple(data.draw(st.lists(words, min_size=n, max_size=n)))

    cross = data.draw(st.booleans())
    tokens, context = (text(n_q), text(n_k)) if cross else (text(n_k), None)
    expected = by_loop(map_, tokens, context)
    tolerance = 1e-12 if map_.dtype == np.float64 else 1e-6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled_keys, "_SPARSE", data.draw(st.sampled_from([10**9, 16, 1e-9]), label="sparse"))
        entries = data.draw(st.sampled_from([1, 20, 2**18]), label="entries of a block")
        patch.setattr(map_selection, "_CACHED", entries)
        patch.setattr(map_selection, "_LARGEST", entries)
        assert_agree(map_.patterns(tokens, context), expected, tolerance)


def test_a_causal_map_has_no_next_and_its_first_query_no_previous() -> None:
    map_ = QueryKeyMap(np.zeros((4, 2)), np.zeros((4, 2)), mask=causal_mask(4))
    found = map_.patterns(("a", "b", "c", "d"))
    assert found[Pattern.PREVIOUS].queries == 3
    assert found[Pattern.PREVIOUS].score == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert found[Pattern.NEXT].queries == 0
    assert math.isnan(found[Pattern.NEXT].score)
    assert math.isnan(found[Pattern.NEXT].chance)


def test_even_weights_score_what_chance_would() -> None:
    tokens = ("[CLS]", "a", "b", ",", "a", "b", "a", "a", ".", "c")
    for mask in (None, causal_mask(10)):
        found = QueryKeyMap(np.zeros((10, 2)), np.zeros((10, 2)), mask=mask).patterns(tokens)
        for pattern, score in found.items():
            assert score.score == pytest.approx(score.chance, nan_ok=True), pattern


def pointing(targets: dict[int, int], n: int, mask: np.ndarray | None = None) -> ArrayMap:
    """Make a map whose queries put all their weight on one key each; those not named look at nothing."""
    weights = np.zeros((n, n), np.float32)
    for query, key in targets.items():
        weights[query, key] = 1.0
    return ArrayMap(weights, mask=mask)


def test_an_induction_head_looks_behind_the_earlier_equal_token() -> None:
    tokens = ("a", "b", "c", "a", "b", "c")
    found = pointing({3: 1, 4: 2, 5: 3}, 6, causal_mask(6)).patterns(tokens)
    assert found[Pattern.INDUCTION] == PatternScore(1.0, 3, pytest.approx((1 / 4 + 1 / 5 + 1 / 6) / 3))
    assert found[Pattern.SAME].score == 0.0
    assert found[Pattern.BACK][:2] == (1.0, 3)
    assert found[Pattern.BACK].back == 2


def test_what_follows_a_later_equal_token_is_no_induction_in_a_map_that_sees_it() -> None:
    found = pointing({0: 4, 3: 1}, 6).patterns(("a", "b", "c", "a", "b", "c"))
    assert found[Pattern.INDUCTION][:2] == (1.0, 1), "query 0 has no earlier equal token"


def test_a_token_twice_in_a_row_counts_as_induction_on_itself() -> None:
    found = pointing({1: 1}, 2, causal_mask(2)).patterns(("a", "a"))
    assert found[Pattern.INDUCTION][:2] == (1.0, 1)
    assert found[Pattern.SAME][:2] == (0.0, 1)


def test_same_token_means_elsewhere_and_both_ways() -> None:
    found = pointing({0: 2, 1: 1, 2: 0}, 3).patterns(("a", "b", "a"))
    assert found[Pattern.SAME] == PatternScore(1.0, 2, pytest.approx(1 / 3))


def test_k_back_is_not_one_late_query_that_looks_at_the_first_key() -> None:
    found = pointing(dict.fromkeys(range(9), 0), 9, causal_mask(9)).patterns(tuple("abcdefghi"))
    assert found[Pattern.FIRST][:2] == (1.0, 9)
    assert found[Pattern.BACK].back == 4, "9 of 9 queries look at the first key, query 4 from 4 back"
    assert found[Pattern.BACK].score == pytest.approx(1 / 5)


def test_the_nearest_of_equally_good_k_is_named() -> None:
    weights = np.zeros((6, 6))
    weights[2:, :] = np.eye(6)[:4, :] / 2
    weights[3:, :] += np.eye(6)[:3, :] / 2
    weights[2, 0] = 0.5
    assert ArrayMap(weights).patterns(tuple("abcdef"))[Pattern.BACK].back == 2


def test_rows_with_nothing_to_attend_to_do_not_count() -> None:
    mask = np.ones((3, 3), bool)
    mask[1] = False
    found = QueryKeyMap(np.zeros((3, 1)), np.zeros((3, 1)), mask=mask).patterns(("a", "a", "a"))
    assert [score.queries for score in found.values()] == [2, 1, 1, 1, 2, 0, 2, 1]
    nothing = QueryKeyMap(np.zeros((3, 1)), np.zeros((3, 1)), mask=np.zeros((3, 3), bool)).patterns(("a", "a", "a"))
    assert all(score.queries == 0 and math.isnan(score.score) and score.back is None for score in nothing.values())


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_a_map_of_nothing_has_no_scores(shape: tuple[int, int]) -> None:
    map_ = QueryKeyMap(np.zeros((shape[0], 2)), np.zeros((shape[1], 2)))
    found = map_.patterns(("a",) * shape[1])
    assert all(score == PatternScore(pytest.approx(math.nan, nan_ok=True), 0, score.chance) for score in found.values())


def test_one_token_looks_at_itself() -> None:
    found = QueryKeyMap(np.zeros((1, 1)), np.zeros((1, 1))).patterns((".",))
    expected = {Pattern.ITSELF: 1.0, Pattern.FIRST: 1.0, Pattern.SPECIAL: 1.0}
    for pattern, score in found.items():
        assert score.score == pytest.approx(expected.get(pattern, math.nan), nan_ok=True)


def test_one_pass_gives_picture_summary_and_patterns() -> None:
    rng = np.random.default_rng(0)
    map_ = QueryKeyMap(rng.normal(size=(20, 3)), rng.normal(size=(20, 3)), mask=causal_mask(20))
    tokens = tuple("the cat and the mat.")
    pooled, summary, patterns = map_.survey(8, 8, tokens)
    np.testing.assert_array_equal(pooled.values, map_.survey(8, 8)[0].values)
    assert summary == map_.summary()
    assert patterns == map_.patterns(tokens)
    assert patterns[Pattern.FIRST].score == pytest.approx(summary.first_mass)
    assert patterns[Pattern.ITSELF].score == pytest.approx(summary.self_mass)


def test_patterns_are_of_any_map() -> None:
    map_ = RenormalisedMap(QueryKeyMap(np.zeros((4, 2)), np.zeros((4, 2))), np.array([False, True, True, True]))
    found = map_.patterns(("a", "b", "a", "b"))
    assert found[Pattern.FIRST].score == 0.0
    assert found[Pattern.ITSELF].score == pytest.approx(1 / 4)


@pytest.mark.parametrize("tokens", [("a",) * 1500, tuple(f"word{i % 100}" for i in range(1500))], ids=["one", "many"])
def test_no_matrix_is_made(tokens: tuple[str, ...]) -> None:
    map_ = QueryKeyMap(np.zeros((1500, 2), np.float32), np.zeros((1500, 2), np.float32))
    map_.patterns(tokens)  # what is loaded once
    tracemalloc.start()
    try:
        map_.patterns(tokens)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1500 * 1500 * 4


def test_there_are_as_many_tokens_as_the_map_has_keys_and_queries() -> None:
    map_ = QueryKeyMap(np.zeros((2, 1)), np.zeros((3, 1)))
    with pytest.raises(ArrayError, match="tokens has 2 entries, but the map has 3 keys"):
        map_.patterns(("a", "b"))
    with pytest.raises(ArrayError, match="tokens has 3 entries, but the map has 2 queries"):
        map_.patterns(("a", "b", "c"), ("a", "b", "c"))
    with pytest.raises(ArrayError, match="context_tokens has 2 entries, but the map has 3 keys"):
        map_.patterns(("a", "b"), ("a", "b"))
    with pytest.raises(ArrayError, match="tokens is one text, 'abc'"):
        map_.patterns("abc")


def test_every_pattern_says_what_it_means() -> None:
    for pattern in Pattern:
        assert pattern.meaning.endswith(".")
    assert len({pattern.meaning for pattern in Pattern}) == len(Pattern)


@pytest.mark.parametrize(
    "token",
    ["[CLS]", "[SEP]", "[unused12]", "<s>", "</s>", "<pad>", "<extra_id_0>", "<|endoftext|>", "<|im_start|>", "<bos>"],
)
def test_special_tokens(token: str) -> None:
    assert is_special(token)


@pytest.mark.parametrize("token", ["", "a", "<", "[", "[]", "<0x0A>", "<3", "a<s>", "Ġ<", "||"])
def test_text_is_not_special(token: str) -> None:
    assert not is_special(token)


@pytest.mark.parametrize("token", [".", "Ġ,", "▁—", "##!", ").", "«", "$", "Ċ", "ĊĊ", "<0x0A>", "\n", "##", "#", " …"])
def test_punctuation(token: str) -> None:
    assert is_punctuation(token)


@pytest.mark.parametrize("token", ["", " ", "Ġ", "▁", "a.", "##s", "it's", "3", "ĠU.S.", "–a"])
def test_words_and_spaces_are_no_punctuation(token: str) -> None:
    assert not is_punctuation(token)
