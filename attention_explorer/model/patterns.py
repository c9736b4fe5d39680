"""Patterns that attention heads are known for: how much of a map's weight falls on the keys of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.labelled_keys import LabelledKeys, MassAndCount, Positions
from attention_explorer.model.map_selection import positions_of
from attention_explorer.model.map_summary import RowBlock
from attention_explorer.model.token_kinds import is_punctuation, is_special

FARTHEST_BACK = 8
"""The most positions that "k back" looks; the least are two."""


class Pattern(StrEnum):
    """Which keys a query attends to."""

    ITSELF = "itself"
    PREVIOUS = "previous"
    NEXT = "next"
    BACK = "k back"
    FIRST = "first"
    SPECIAL = "punctuation or special"
    SAME = "same token"
    INDUCTION = "induction"

    @property
    def meaning(self) -> str:
        """One sentence that says which keys they are."""
        return _MEANINGS[self]


_MEANINGS = {
    Pattern.ITSELF: "Each query attends to the key at its own position.",
    Pattern.PREVIOUS: "Each query attends to the key just before it.",
    Pattern.NEXT: "Each query attends to the key just after it.",
    Pattern.BACK: "Each query attends to the key a fixed number of positions before it.",
    Pattern.FIRST: "Every query attends to the first key, where heads put weight that they have no use for (a sink).",
    Pattern.SPECIAL: "Queries attend to punctuation, line breaks and special tokens such as [CLS] or <s>.",
    Pattern.SAME: "Each query attends to the same token elsewhere.",
    Pattern.INDUCTION: "Each query attends to what came after the same token earlier.",
}


class PatternScore(NamedTuple):
    """How much a map follows a pattern.

    Attributes
    ----------
    score : float
        The mean weight on the keys of the pattern, 0 to 1; NaN if the pattern was defined for no query.
    queries : int
        For how many queries it was defined: they attend to something, and see at least one key of the pattern.
    chance : float
        The mean over the same queries of the share of their visible keys that belong to the pattern: the score of a
        head that spreads its weight evenly. NaN if there is none.
    back : int or None
        How many positions back the keys are, for `Pattern.BACK` with a score.
    """

    score: float = math.nan
    queries: int = 0
    chance: float = math.nan
    back: int | None = None


class PatternPass:
    """Collects blocks of rows, each once, and adds up the weight on the keys of every pattern.

    Query i stands at key position p = i + n_k − n_q, the last query at the last key, as in `causal_mask`. Its keys are

    - itself, previous, next: p, p − 1 and p + 1.
    - k back: p − k, for the one k from 2 to 8 with the highest score. Only a k that at least half of the queries can
      look back competes: in a short text the farthest would else be a query or two that look at the first key.
    - first: 0.
    - punctuation or special: all keys of which `is_punctuation` or `is_special` holds, p among them.
    - same token: all j ≠ p whose token equals the query's, before and after it.
    - induction: all j + 1 with j < p whose token equals the query's, so that p itself is one of them where a token
      stands twice in a row. This is so also in a map that is not causal: what follows a later equal token does not
      count. In both a mask decides only which of the keys are visible.

    A pattern is defined for a query that attends to something and sees at least one of the keys; hidden keys do not
    count. Tokens are equal if their text is, exactly.

    Parameters
    ----------
    shape : tuple of int
        n_q and n_k of the map; in front of them how many maps come together, if several do.
    tokens : sequence of str
        One a key, n_k; in cross-attention one a query, n_q.
    context_tokens : sequence of str, optional
        One a key, n_k, in cross-attention. A query has no position among its keys then: only first, punctuation or
        special, and same token are defined, the latter for all keys whose token equals the query's.

    Raises
    ------
    ArrayError
        If there are not as many tokens.

    Notes
    -----
    Induction: Elhage et al. 2021, "Induction Heads", and Olsson et al. 2022, who call this weight the prefix matching
    score, measured there on random tokens that are repeated. The first token as a sink: Xiao et al. 2023.
    """

    def __init__(
        self, shape: tuple[int, ...], tokens: Sequence[str], context_tokens: Sequence[str] | None = None
    ) -> None:
        maps, (self._n_q, self._n_k) = shape[:-2], shape[-2:]
        self._is_one_sequence = context_tokens is None
        if context_tokens is None:
            _match("tokens", tokens, self._n_k, "keys")
        else:
            _match("tokens", tokens, self._n_q, "queries")
            _match("context_tokens", context_tokens, self._n_k, "keys")
        texts = tuple(tokens), None if context_tokens is None else tuple(context_tokens)
        self._text = _text_of((self._n_q, self._n_k), *texts)
        self._mass, self._share = np.zeros((*maps, _MEASURES)), np.zeros((*maps, _MEASURES))
        self._queries = np.zeros((*maps, _MEASURES), np.intp)
        self._attending = np.zeros((*maps, 1), np.intp)

    def add(self, block: RowBlock) -> None:
        """Take the next rows."""
        weights, allowed = block.weights, block.allowed
        if weights.size == 0:
            return
        total, special = self._text.row_sums(weights)  # (..., b)
        visible, visible_special = self._text.row_sums(np.ones((1, self._n_k)) if allowed is None else allowed)
        rows = positions_of(block.rows)
        # In cross-attention a query stands so far outside that nothing before or after it is a key.
        outside = np.full(len(rows), -self._n_k - FARTHEST_BACK)
        own = rows + (self._n_k - self._n_q) if self._is_one_sequence else outside
        places = own + _OFFSETS[:, None]  # (offsets, b)
        places[-1] = 0
        found = (
            _at(weights, allowed, places),
            (special[..., None, :], np.broadcast_to(visible_special, special.shape)[..., None, :]),
            self._elsewhere(weights, allowed, rows, own),
            self._text.followers.sums(weights, allowed, self._text.queries[rows], own),
        )
        # (..., measures, b)
        mass, members = (np.concatenate(parts, axis=-2) for parts in zip(*found, strict=True))
        self._count(mass, members, total > 0.0, visible)

    def scores(self) -> dict[Pattern, PatternScore]:
        """Return what all rows taken of the one map amount to, for every pattern in its order."""
        return dict(self.scores_of_maps()[0])

    def scores_of_maps(self) -> list[Mapping[Pattern, PatternScore]]:
        """Return what all rows taken of each map amount to, for every pattern in its order."""
        with np.errstate(invalid="ignore"):
            score, chance = self._mass / self._queries, self._share / self._queries
        competes = (self._queries > 0) & (2 * self._queries >= self._attending)
        back = np.where(competes, score, -1.0)[..., _BACK].argmax(axis=-1)  # the nearest among equals
        has_back = competes[..., _BACK].any(axis=-1)
        parts = (part.reshape(-1, _MEASURES) for part in (score, self._queries, chance))
        backs = np.where(has_back, back + _BACK.start, _NONE).ravel().tolist()
        return [_Scores(*each) for each in zip(*parts, backs, strict=True)]

    def _elsewhere(self, weights: Floats, allowed: Bools | None, rows: Positions, own: Positions) -> MassAndCount:
        """Add up over keys of the query's token, without the query's own place."""
        anywhere = np.full(len(rows), self._n_k)
        mass, members = self._text.equals.sums(weights, allowed, self._text.queries[rows], anywhere)
        own_mass, own_member = _at(weights, allowed, own[None])
        return np.maximum(mass - own_mass, 0.0), members - own_member  # below 0 by rounding

    def _count(self, mass: Floats, members: Floats, attends: Bools, visible: Floats) -> None:
        """Add rows up where a pattern is defined: mass and members (..., measures, b), the others (..., b)."""
        is_defined = attends[..., None, :] & (members > 0.0)
        share = members / np.maximum(visible, 1.0)[..., None, :]
        self._attending += np.count_nonzero(attends, axis=-1, keepdims=True)
        self._queries += np.count_nonzero(is_defined, axis=-1)
        self._mass += mass.sum(axis=-1, where=is_defined, dtype=np.float64)
        self._share += share.sum(axis=-1, where=is_defined, dtype=np.float64)


# Where the keys of a pattern stand from the query; the last, the first key, does not depend on it.
_OFFSETS = np.array([0, -1, 1, *range(-2, -FARTHEST_BACK - 1, -1), 0])
_PLACES = len(_OFFSETS)
_BACK = slice(3, _PLACES - 1)
# Special, same token and induction come after those.
_MEASURES = _PLACES + 3
_NONE = -1
_MEASURE_OF = dict(zip(Pattern, (*range(_BACK.start), _NONE, *range(_BACK.stop, _MEASURES)), strict=True))
"""Which measure is that of a pattern; that of k back is another for each map."""


class _Scores(Mapping[Pattern, PatternScore]):
    """The scores of a map by its measures, each put together when it is asked for: of most heads nobody asks."""

    __slots__ = ("_back", "_chances", "_queries", "_scores")

    def __init__(self, scores: Floats, queries: Positions, chances: Floats, back: int) -> None:
        """Take arrays (measures,), and which measure is that of k back, `_NONE` for none."""
        self._scores, self._queries, self._chances, self._back = scores, queries, chances, back

    def __getitem__(self, pattern: Pattern) -> PatternScore:
        is_back = pattern is Pattern.BACK
        measure = self._back if is_back else _MEASURE_OF[pattern]
        if measure == _NONE or not self._queries[measure]:
            return PatternScore()
        score, queries, chance = self._scores[measure], self._queries[measure], self._chances[measure]
        back = -int(_OFFSETS[measure]) if is_back else None
        return PatternScore(float(score), int(queries), float(chance), back)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(_MEASURE_OF)

    def __len__(self) -> int:
        return len(_MEASURE_OF)


def _at(weights: Floats, allowed: Bools | None, keys: Positions) -> MassAndCount:
    """Look at one key a row, or none where it is outside; keys (patterns, b), found (..., patterns, b)."""
    n, n_k = weights.shape[-2:]
    rows, at = np.arange(n), np.minimum(np.maximum(keys, 0), n_k - 1)  # np.clip takes four times as long
    is_member = (keys >= 0) & (keys < n_k)
    if allowed is not None:
        is_member = is_member & allowed[..., rows, at]
    mass = np.where(is_member, weights[..., rows, at], 0.0)
    return mass, np.broadcast_to(is_member.astype(np.float64), mass.shape)


class _Text(NamedTuple):
    """What the patterns need of the tokens."""

    queries: Positions
    """Which token each query has, (n_q,), counted from 0; −2 for none."""
    equals: LabelledKeys
    """Keys by their token."""
    followers: LabelledKeys
    """Keys by the token before them."""
    special: Bools
    """Keys that are punctuation or special tokens, (n_k,)."""

    def row_sums(self, rows: Floats | Bools) -> tuple[Floats, Floats]:
        """Sum rows (..., b, n_k) over all keys and over the special ones, (..., b); faster by a product than by sum."""
        numbers: Floats = rows.astype(np.result_type(rows, np.float32), copy=False)
        return numbers @ np.ones(numbers.shape[-1], numbers.dtype), numbers @ self.special.astype(numbers.dtype)


@lru_cache(maxsize=4)  # the heads of a layer ask for the same ones
def _text_of(shape: tuple[int, int], tokens: tuple[str, ...], context_tokens: tuple[str, ...] | None) -> _Text:
    n_q, n_k = shape
    key_tokens = tokens if context_tokens is None else context_tokens
    number: dict[str, int] = {}
    keys = np.array([number.setdefault(token, len(number)) for token in key_tokens], np.intp)
    if context_tokens is None:
        outside = np.full(max(n_q - n_k, 0), -2)
        queries = np.concatenate((outside, keys[max(n_k - n_q, 0) :]))
    else:
        queries = np.array([number.get(token, -2) for token in tokens], np.intp)
    before = np.concatenate(([-1], keys[:-1]))[:n_k]
    special = np.array([is_special(token) or is_punctuation(token) for token in key_tokens], np.bool_)
    return _Text(queries, LabelledKeys(keys), LabelledKeys(before), special)


def _match(name: str, tokens: Sequence[str], n: int, what: str) -> None:
    if isinstance(tokens, str):
        raise ArrayError(f"{name} is one text, {tokens!r:.40}: give a sequence of tokens")
    if len(tokens) != n:
        raise ArrayError(f"{name} has {len(tokens)} entries, but the map has {n} {what}: it must have as many")
