"""Words in the plane: every number against a loop, every slope against finite differences, and what is typed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.lookup import words_said as said
from attention_explorer.pages.lookup.presets import WORDS_PRESETS, preset
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.words_plane import (
    PREFIXES,
    WordsNumbers,
    numbers_of,
    otherwise,
    words_arrays,
    words_lines,
    words_numbers,
)
from attention_explorer.pages.lookup.words_state import (
    FARTHEST,
    MATRICES,
    MOST_KNOWN,
    MOST_WORDS,
    Matrix,
    Word,
    WordsHead,
    WordsState,
    lexicon_text,
    matrix_text,
    parsed_lexicon,
    parsed_matrix,
)

Pair = tuple[float, float]

NUMBER = st.floats(-4, 4, allow_nan=False).map(lambda number: round(number, 3))
PLACE = st.tuples(NUMBER, NUMBER)
MATRIX = st.tuples(PLACE, PLACE)
HEAD = st.builds(WordsHead, MATRIX, MATRIX, MATRIX)


@st.composite
def states(draw: st.DrawFn) -> WordsState:
    names = ["bank", "of", "the", "river", "money"][: draw(st.integers(1, 5))]
    lexicon = tuple(Word(name, draw(PLACE)) for name in names)
    return WordsState(
        sentence=" ".join(names),
        asks=draw(st.sampled_from(names)),
        lexicon=lexicon,
        first=draw(HEAD),
        two=draw(st.booleans()),
        second=draw(HEAD),
        toward=names[-1],
    )


def carried(place: Pair, matrix: Matrix) -> Pair:
    """Return place · matrix, number by number."""
    (a, b), (c, d) = matrix
    return place[0] * a + place[1] * c, place[0] * b + place[1] * d


def by_hand(state: WordsState, head: WordsHead, hard: bool) -> tuple[list[float], list[float], Pair]:
    """Return scores, weights and what a head hands over, word by word."""
    q = carried(state.places[state.asking], head.w_q)
    keys = [carried(place, head.w_k) for place in state.places]
    values = [carried(place, head.w_v) for place in state.places]
    scores = [q[0] * k[0] + q[1] * k[1] for k in keys]
    if hard:
        weights = [float(j == scores.index(max(scores))) for j in range(len(scores))]
    else:
        powers = [math.exp((score - max(scores)) / math.sqrt(2)) for score in scores]
        weights = [power / sum(powers) for power in powers]
    o = tuple(sum(weight * v[axis] for weight, v in zip(weights, values, strict=True)) for axis in (0, 1))
    return scores, weights, (o[0], o[1])


@given(states(), st.booleans())
@settings(deadline=None, max_examples=60)
def test_every_number_is_that_of_a_loop(state: WordsState, hard: bool) -> None:
    numbers = numbers_of(state, hard)
    o = np.zeros(2)
    for head, made in zip(state.heads, numbers.heads, strict=True):
        scores, weights, handed = by_hand(state, head, hard)
        np.testing.assert_allclose(made.attention.scores, scores, rtol=1e-12, atol=1e-12)
        best = sorted(scores)[-2:]
        if not hard or len(best) < 2 or best[1] - best[0] > 1e-9:  # at a tie rounding decides
            np.testing.assert_allclose(made.weights, weights, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(made.attention.output, handed, rtol=1e-9, atol=1e-9)
        assert made.weights.sum() == pytest.approx(1.0)
        o += made.attention.output
    np.testing.assert_allclose(numbers.output, o, atol=1e-12)
    np.testing.assert_allclose(numbers.moved, np.array(state.places[state.asking]) + o, atol=1e-12)


def loss(numbers: WordsNumbers, of: int, query: np.ndarray, keys: np.ndarray, values: np.ndarray) -> float:
    """Return ½|x + o − t|² where one head has another query, other keys or other values."""
    powers = np.exp(keys @ query / math.sqrt(2))
    o = powers / powers.sum() @ values
    o = o + sum(head.attention.output for i, head in enumerate(numbers.heads) if i != of)
    return float(0.5 * ((numbers.place + o - numbers.target) ** 2).sum())


@given(states())
@settings(deadline=None, max_examples=25)
def test_slopes_are_those_of_finite_differences(state: WordsState) -> None:
    state = replace(state, first=replace(state.first, w_q=((0.3, 0.1), (-0.2, 0.4))))  # no power is too large
    numbers, step = numbers_of(replace(state, two=False), hard=False), 1e-6
    head, slope = numbers.head, numbers.slopes[0]
    given_ = head.queries[numbers.asking], head.keys, head.values
    for place, found in enumerate((slope.query, slope.keys, slope.values)):
        for index in np.ndindex(found.shape):
            ends = []
            for by in (step, -step):
                moved = [array.copy() for array in given_]
                moved[place][index] += by
                ends.append(loss(numbers, 0, *moved))
            assert found[index] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-4, abs=1e-5)


def test_a_hard_lookup_has_no_slope_but_by_the_value_of_the_winner() -> None:
    numbers = numbers_of(replace(WordsState(), gradients=True), hard=True)
    slope = numbers.slopes[0]
    assert not slope.query.any()
    assert not slope.keys.any()
    assert slope.values.any(axis=1).tolist() == [False, False, False, True]
    assert "no slope by q and k" in said.says(numbers)[-1]


# ---- What it is to show ----


def test_bank_moves_toward_river_and_with_money_toward_that() -> None:
    numbers = words_numbers(LookupState())
    assert numbers.head.weights == pytest.approx([0.198, 0.016, 0.016, 0.769], abs=6e-4)
    assert numbers.output == pytest.approx([-0.52, 0.59], abs=6e-3)
    assert numbers.distances == pytest.approx((1.34, 0.62), abs=6e-3)
    assert said.headline(numbers) == "“bank” moves toward “river”"
    other = otherwise(numbers)
    assert other is not None
    assert other[0] == "money"
    money = numbers_of(replace(WordsState(), sentence="bank of the money"), hard=False)
    assert money.moved.tolist() == list(other[1])
    assert money.distances == pytest.approx((1.34, 0.52), abs=6e-3)
    assert said.headline(money) == "“bank” moves toward “money”"


def test_what_is_found_is_not_what_is_handed_over() -> None:
    """In the library keys are labels and values contents: a book of other content is found as before."""
    state = preset("library").state.words
    before = numbers_of(state, hard=False)
    after = numbers_of(state.moved("Tides", (2.0, -1.6)), hard=False)
    assert before.tokens[before.heaviest] == "Tides"
    assert before.head.weights.tolist() == after.head.weights.tolist()
    assert before.output[1] > 1.0 > -1.0 > after.output[1]
    labels = numbers_of(state.moved("Tides", (-2.0, 1.6)), hard=False)
    assert labels.tokens[labels.heaviest] != "Tides"


def test_two_heads_hand_over_two_things_that_no_mean_of_values_is() -> None:
    one, two = (words_numbers(preset(name).state) for name in ("one-head", "two-heads"))
    animal, tired = (one.tokens.index(word) for word in ("animal", "tired"))
    assert one.head.weights[animal] == pytest.approx(one.head.weights[tired])
    assert one.found_by(one.head) == ("animal", "tired")
    assert [two.found_by(head) for head in two.heads] == [("animal",), ("tired",)]
    first, second = (head.attention.output for head in two.heads)
    assert first[1] == second[0] == 0.0
    assert min(first[0], second[1]) > 1.2
    # Of the values of the one head no mean has both coordinates as large: they lie on one side of a line.
    assert (one.head.values.sum(axis=1) < two.output.sum() - 0.5).all()
    assert "animal" in said.sentence(two)
    assert "mean of their values" in said.sentence(one)


@pytest.mark.parametrize("ready", WORDS_PRESETS, ids=lambda ready: ready.id)
def test_what_stands_beside_the_picture_is_short(ready) -> None:
    assert len(said.sentence(words_numbers(ready.state)).split()) <= 35


def test_the_headline_says_when_a_word_stays_or_goes_away() -> None:
    nothing = WordsState(first=replace(WordsHead(), w_v=((0.0, 0.0), (0.0, 0.0))))
    assert said.headline(numbers_of(nothing, hard=False)) == "“bank” stays where it is"
    away = WordsState(first=replace(WordsHead(), w_v=((0.5, 0.3), (0.4, -0.4))))
    assert said.headline(numbers_of(away, hard=False)) == "“bank” moves away from “river”"
    alone = WordsState(sentence="bank")
    assert said.headline(numbers_of(alone, hard=False)) == "“bank” moves by what it hands itself"
    assert otherwise(numbers_of(alone, hard=False)) is None


# ---- Words and places ----


def test_a_word_without_a_place_has_one_and_keeps_it_once_it_is_moved() -> None:
    state = WordsState(sentence="bank of the Seine and Loire")
    first, second = (state.known[word] for word in ("seine", "loire"))
    assert first != second
    moved = state.moved("Seine", (0.3, 1.9))
    assert moved.known["seine"] == (0.3, 1.9)
    assert moved.lexicon[-1] == Word("seine", (0.3, 1.9))
    assert moved.moved("seine", (1e9, -1e9)).known["seine"] == (FARTHEST, -FARTHEST)


def test_who_asks_stays_the_same_word_and_is_the_first_if_it_is_gone() -> None:
    state = WordsState(sentence="the Bank of the river")
    assert (state.asking, state.tokens[state.asking]) == (1, "Bank")
    assert replace(state, asks="money").asking == 0
    assert len(replace(state, sentence="word " * 40).tokens) == MOST_WORDS


def test_in_a_full_lexicon_a_word_that_is_not_in_the_sentence_gives_up_its_place() -> None:
    full = tuple(Word(text, (0.0, 0.0)) for text in ("bank", *(f"word{number}" for number in range(1, MOST_KNOWN))))
    state = WordsState(lexicon=full)
    assert state.moved("word3", (1.0, 2.0)).known["word3"] == (1.0, 2.0)
    moved = state.moved("river", (1.0, 2.0))
    assert [word.text for word in moved.lexicon] == ["bank", *(f"word{i}" for i in range(2, MOST_KNOWN)), "river"]


def test_a_matrix_of_the_head_on_show_is_turned() -> None:
    state = WordsState(two=True, second_shown=True).turned("w_k", 1, (0.25, 1e9))
    assert state.second.w_k == ((1.0, 0.0), (0.25, FARTHEST))
    assert state.first == WordsHead()
    assert replace(state, two=False).w_k == WordsHead().w_k


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), PLACE), unique_by=lambda pair: pair[0]), MATRIX)
@settings(deadline=None)
def test_what_is_written_is_read_again(words: list[tuple[str, Pair]], matrix: Matrix) -> None:
    lexicon = tuple(Word(text, (x + 0.0, y + 0.0)) for text, (x, y) in words)
    assert parsed_lexicon(lexicon_text(lexicon)) == lexicon
    assert parsed_matrix(matrix_text(matrix)) == matrix


@pytest.mark.parametrize(
    ("text", "said_of_it"),
    [
        ("river 1", "needs a word and two numbers"),
        ("river 1 2; River 3 4", "stands there twice"),
        ("river 1 x", "“x”"),
        ("river 1 1000", "out of range"),
        ("; ".join(f"w{i} 0 0" for i in range(25)), "room for 24"),
    ],
)
def test_features_that_cannot_be_read_are_refused(text: str, said_of_it: str) -> None:
    with pytest.raises(ExplorerError, match=said_of_it):
        parsed_lexicon(text)


@pytest.mark.parametrize("text", ["", "1 2", "1 2; 3", "1 2; 3 4; 5 6", "1 2; 3 wide"])
def test_matrices_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ExplorerError):
        parsed_matrix(text)


def test_files_have_a_row_for_every_word_and_head() -> None:
    numbers = words_numbers(preset("two-heads").state)
    arrays = words_arrays(numbers)
    for prefix, head in zip(PREFIXES, numbers.heads, strict=True):
        assert arrays[f"{prefix}weights"] is head.weights
    assert next(iter(arrays)) == "moved"
    lines = list(words_lines(numbers).rows())
    assert len(lines) == 2 * len(numbers.tokens)
    assert {line[1] for line in lines} == {"first", "second"}
    assert "d_loss_d_keys" not in arrays
    slopes = words_numbers(replace(LookupState(), words=replace(WordsState(), gradients=True)))
    assert words_arrays(slopes)["d_loss_d_keys"].shape == (4, 2)
    assert all(name in said.SYMBOLS for name in MATRICES)
