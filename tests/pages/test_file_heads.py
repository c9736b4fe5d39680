"""How a file would be read: some of its heads as maps, what their rows sum to, and what is offered."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from attention_explorer.model import softmax
from attention_explorer.pages.heads.file_reading import LOOK_LIKE_SCORES, NO_SCORES, Choice, axis_word, given, read_as
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded_recipe import Rows

RNG = np.random.default_rng(6)
WEIGHTS = softmax(RNG.normal(size=(4, 5, 7, 7)) * 2)


@pytest.fixture
def read(tmp_path):
    def reading(array, **choice):
        np.savez(tmp_path / "a.npz", attention=array, tokens=np.array(list("abcdefg")))
        return read_as(tmp_path / "a.npz", Choice(**choice))

    return reading


@pytest.mark.parametrize(
    ("axes", "place", "letter", "then"),
    [("lhqk", 2, "k", "lhkq"), ("lhqk", 0, "b", "bhqk"), ("lhqk", 3, "k", "lhqk"), ("hqk", 0, "k", "kqh")],
)
def test_a_meaning_changes_places_with_another(axes, place, letter, then) -> None:
    assert given(axes, place, letter) == then


def test_axes_are_called_by_what_there_is_of_them() -> None:
    assert [axis_word(letter, 2) for letter in "lbhqk"] == ["layers", "in batch", "heads", "queries", "keys"]
    assert [axis_word(letter, 1) for letter in "lbhqk"] == ["layer", "in batch", "head", "query", "key"]


def test_some_heads_are_shown_as_they_are(read) -> None:
    heads = read(WEIGHTS).heads
    assert [head.name for head in heads.heads[:1]] + [heads.heads[-1].name] == ["L1 H1", "L4 H5"]
    assert (len(heads.heads), heads.count, heads.rows) == (8, 20, 7)
    np.testing.assert_array_equal(heads.heads[0].picture.values, WEIGHTS[0, 0])
    np.testing.assert_array_equal(heads.heads[-1].picture.values, WEIGHTS[3, 4])
    assert heads.heads[0].picture.row_tokens == tuple("abcdefg")
    assert heads.sums_words() == "Rows sum to 1."


def test_a_wrong_order_is_shown_as_it_is_and_the_right_one_is_said(read) -> None:
    reading = read(WEIGHTS, axes="lhkq")
    np.testing.assert_array_equal(reading.heads.heads[0].picture.values, WEIGHTS[0, 0].T)
    sums = WEIGHTS.sum(axis=-2)
    shown = reading.heads.sums
    assert sums.min() <= min(shown) < max(shown) <= sums.max()
    assert reading.heads.sums_words().endswith(": these are no weights.")
    assert "(lhqk) rows sum to 1" in reading.reasons[-1]
    assert (reading.recipe, reading.offer) == (None, ""), "other axes are what is wrong"


def test_scores_are_offered_a_softmax(read) -> None:
    scores = RNG.normal(size=(3, 7, 7))
    reading = read(scores)
    assert (reading.recipe, reading.offer) == (None, LOOK_LIKE_SCORES)
    assert reading.heads.heads[1].picture.scale.is_diverging
    made = read(scores, rows=Rows.SOFTMAX)
    assert made.recipe.rows is Rows.SOFTMAX
    np.testing.assert_allclose(made.heads.heads[2].picture.values, softmax(scores[2]))
    assert made.heads.sums_words() == "Rows sum to 1."


def test_what_has_no_number_below_0_is_offered_its_sums(read) -> None:
    times = 3 * WEIGHTS[0]
    assert read(times).offer == NO_SCORES
    assert read(times).heads.sums_words() == "Rows sum to 3: these are no weights."
    np.testing.assert_allclose(read(times, rows=Rows.NORMALISE).heads.heads[0].picture.values, WEIGHTS[0, 0])


def test_where_no_weight_can_be_made_nothing_is_opened_and_a_sentence_says_why(read) -> None:
    below = read(RNG.normal(size=(3, 7, 7)), rows=Rows.NORMALISE)
    assert below.recipe is None
    assert "none below 0" in below.reasons[0]
    nothing = read(np.full((3, 7, 7), np.nan))
    assert (nothing.recipe, nothing.offer) == (None, "")
    assert nothing.heads.sums_words() == "No row can be added up."
    assert read(np.full((3, 7, 7), np.nan), rows=Rows.NORMALISE).offer == "", "no sum can be taken of that either"
    assert read(np.full((3, 7, 7), 1.7e308)).offer == NO_SCORES, "its sums are beyond all floats, but not its weights"
    zeros = 2 * WEIGHTS[0]
    zeros[1, 2:4] = 0
    assert read(zeros, rows=Rows.NORMALISE).heads.sums_words() == "Rows sum to 1. 2 rows hold nothing."


def test_one_bad_head_is_named_and_the_others_are_shown(read) -> None:
    bad = WEIGHTS.copy()
    bad[0, 0, 1, 1] = np.nan
    first, *others = read(bad).heads.heads
    assert (first.picture, "holds nan" in first.refusal) == (None, True)
    assert all(head.picture is not None for head in others)


def test_letters_that_do_not_fit_leave_the_axes_to_be_chosen(read) -> None:
    reading = read(WEIGHTS[0], axes="bhk")
    assert (reading.recipe, reading.heads, reading.shape) == (None, None, (5, 7, 7))
    assert "must name q and k" in reading.reasons[0]


@pytest.mark.parametrize("axes", ["hqk", "hkq"])
def test_of_a_long_file_only_what_is_shown_is_read(tmp_path, monkeypatch, axes) -> None:
    scores = RNG.normal(size=(40, 400, 400)).astype(np.float32)
    weights = softmax(scores)
    path = tmp_path / "long.npy"
    np.save(path, weights if axes == "hqk" else weights.swapaxes(-1, -2))
    taken = []
    real = FileBytes.read_into

    def read_into(file, target, offset) -> None:
        taken.append(len(target))
        real(file, target, offset)

    monkeypatch.setattr(FileBytes, "read_into", read_into)
    reading = read_as(path, Choice(axes=axes))
    heads = reading.heads
    assert (len(heads.heads), heads.rows, heads.heads[0].picture.values.shape) == (8, 96, (96, 96))
    assert "96 of 400 rows" in heads.shown_words()
    np.testing.assert_array_equal(heads.heads[0].picture.values[0], _tiles(weights[0, 0]))
    if axes == "hqk":
        assert sum(taken) < path.stat().st_size / 3


def _tiles(row: np.ndarray) -> np.ndarray:
    """Return the largest of each of 96 tiles of a row."""
    ends = np.arange(97) * len(row) // 96
    return np.array([row[start:stop].max() for start, stop in pairwise(ends)])
