"""Maps between whole words, against loops over the tokens."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import ArrayMap, QueryKeyMap
from attention_explorer.model.word_map import WordMap

QUERIES = (0, 0, 1, 2, 2, 2)
KEYS = (0, 1, 1, 2, 3, 3, 3)


def tokens(mask: np.ndarray | None = None) -> QueryKeyMap:
    draw = np.random.default_rng(4)
    return QueryKeyMap(draw.normal(size=(6, 3)), draw.normal(size=(7, 3)), mask=mask)


def summed(weights: np.ndarray) -> np.ndarray:
    """Return what words are to have: loops over every pair of them."""
    found = np.zeros((3, 4))
    for query in range(3):
        rows = [row for row in range(6) if QUERIES[row] == query]
        for row in rows:
            for column in range(7):
                found[query, KEYS[column]] += weights[row, column] / len(rows)
    return found


@pytest.mark.parametrize("masked", [False, True])
def test_weights_are_summed_over_keys_and_averaged_over_queries(masked: bool) -> None:
    mask = np.tril(np.ones((6, 7), bool), 0) if masked else None
    words = WordMap(tokens(mask), QUERIES, KEYS)
    expected = summed(tokens(mask).weights())
    assert words.shape == (3, 4)
    np.testing.assert_allclose(words.weights(), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(words.weights().sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(words.weights([2, 0], slice(1, 3)), expected[[2, 0], 1:3], rtol=0, atol=1e-12)


def test_a_word_sees_another_if_any_of_its_tokens_does() -> None:
    mask = np.zeros((6, 7), bool)
    mask[:, 0] = mask[4, 5] = True
    words = WordMap(tokens(mask), QUERIES, KEYS)
    assert words.allowed().tolist() == [[True, False, False, False]] * 2 + [[True, False, False, True]]
    assert not words.weights()[:2, 1:].any()


def test_only_weights_are_known_of_words() -> None:
    with pytest.raises(ArrayError, match="holds weights only"):
        WordMap(tokens(), QUERIES, KEYS).scores()


@pytest.mark.parametrize("queries", [QUERIES[1:], (0, 0, 1, 3, 3, 3), (1, 1, 2, 3, 3, 3), (0, 1, 0, 1, 2, 2)])
def test_words_that_do_not_fit_are_refused(queries: tuple[int, ...]) -> None:
    with pytest.raises(ArrayError, match="queries must name a word for each of 6 tokens"):
        WordMap(ArrayMap(np.full((6, 7), 1 / 7)), queries, KEYS)
