"""A map between whole words, made of that between the tokens that they are cut into."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection, positions_of


class WordMap(AttentionMap):
    """The weights of words: summed over the tokens of a key, and of these sums the mean over those of a query.

    A row sums to what its tokens' rows sum to on average: to 1, if all of them do. So it is done by Clark et al. 2019,
    section 4.1.

    Parameters
    ----------
    map_ : AttentionMap
        The map of the tokens, (n_q, n_k).
    queries, keys : sequence of int, (n_q,) and (n_k,)
        The word that each token belongs to, counted from 0 in the order of the text.

    Raises
    ------
    ArrayError
        If there is not one word for each token, or a word is left out or comes back.
    """

    def __init__(self, map_: AttentionMap, queries: Sequence[int], keys: Sequence[int]) -> None:
        self._starts, self._key_starts = _starts("queries", queries, map_.n_q), _starts("keys", keys, map_.n_k)
        super().__init__((len(self._starts), len(self._key_starts)), map_.dtype)
        self._map = map_

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        tokens, starts, counts = self._tokens(rows)
        summed = np.add.reduceat(self._map.weights(tokens), self._key_starts, axis=1)[:, cols]
        found: Floats = np.add.reduceat(summed, starts, axis=0) / counts[:, None].astype(self._dtype)
        return found

    def _allowed_part(self, rows: Selection) -> Bools:
        """Tell whether any token of a query may attend to any of a key."""
        tokens, starts, _ = self._tokens(rows)
        allowed = np.logical_or.reduceat(self._map.allowed(tokens), self._key_starts, axis=1)
        found: Bools = np.logical_or.reduceat(allowed, starts, axis=0)
        return found

    def _tokens(self, rows: Selection) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the tokens of some words, where each word begins among them, and how many it has."""
        words, ends = positions_of(rows), np.append(self._starts[1:], self._map.n_q)
        counts = ends[words] - self._starts[words]
        tokens = np.concatenate([np.arange(self._starts[word], ends[word]) for word in words])
        return tokens, np.cumsum(counts) - counts, counts


def _starts(name: str, words: Sequence[int], n: int) -> npt.NDArray[np.intp]:
    """Return the first token of each word."""
    found = np.asarray(words, np.intp)
    steps = np.diff(found)
    if found.shape != (n,) or (n and (found[0] != 0 or not np.isin(steps, (0, 1)).all())):
        raise ArrayError(f"{name} must name a word for each of {n} tokens, from 0 and one after the other")
    return word_starts(found)


def word_starts(words: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return the first token of each word, for the words that tokens belong to, (n,)."""
    return np.flatnonzero(np.diff(np.asarray(words, np.intp), prepend=-1))
