"""Two rows of tokens as one, so that two maps can be drawn over the same rows and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.core.map_picture import BoolArray, FloatArray, IntArray
from attention_explorer.model import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection, rows_of_a_block
from attention_explorer.model.pooling import Pooled, TilePool
from attention_explorer.pages.heads.edited_sentence import place_after_edit, shared_ends
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.registry import context_tokens_of, tokens_of

MOST_PAIRS = 2**20
"""Of equal tokens, up to which all are looked at: that takes some tenths of a second."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenAlignment:
    """Places of two rows of tokens that belong together.

    The weights of both between tokens that both have are ``map.weights(rows)[:, columns]`` with `in_a` and with `in_b`
    for rows and columns.
    """

    in_a: npt.NDArray[np.intp]
    """Where the m matched tokens are in the first, (m,), rising."""
    in_b: npt.NDArray[np.intp]
    """Where the same tokens are in the second, (m,), rising."""
    unmatched_a: npt.NDArray[np.bool_]
    """Which tokens of the first have no partner, (n_a,)."""
    unmatched_b: npt.NDArray[np.bool_]
    """Which tokens of the second have none, (n_b,)."""

    @property
    def is_complete(self) -> bool:
        """Whether every token has a partner."""
        return not (self.unmatched_a.any() or self.unmatched_b.any())


def align_tokens(a: Sequence[str], b: Sequence[str]) -> TokenAlignment:
    """Match equal tokens of two rows in their order, the longest run that both have first.

    Tokens that both have at their beginning and at their end are matched in any case: what is typed into a sentence
    leaves the rest where it was. In rows with more than `MOST_PAIRS` pairs of equal tokens those that are more than
    one in a hundred are matched only next to others, as difflib does with what is "popular".
    """
    a, b = tuple(a), tuple(b)
    start, end = shared_ends(a, b)
    changed_a, changed_b = a[start : len(a) - end], b[start : len(b) - end]
    pairs = [(at, at) for at in range(start)]
    matcher = SequenceMatcher(None, changed_a, changed_b, autojunk=_count_pairs(changed_a, changed_b) > MOST_PAIRS)
    for block in matcher.get_matching_blocks():
        pairs += [(start + block.a + at, start + block.b + at) for at in range(block.size)]
    pairs += [(len(a) - at, len(b) - at) for at in range(end, 0, -1)]
    in_a, in_b = np.array(pairs, np.intp).reshape(-1, 2).T
    return TokenAlignment(in_a, in_b, _others(in_a, len(a)), _others(in_b, len(b)))


def _count_pairs(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    of_b = Counter(b)
    return sum(count * of_b[token] for token, count in Counter(a).items())


def _others(matched: npt.NDArray[np.intp], n: int) -> npt.NDArray[np.bool_]:
    """Mark the places that are not matched, (n,)."""
    unmatched = np.ones(n, np.bool_)
    unmatched[matched] = False
    return unmatched


NONE = -1
"""The place of a token in a row that does not have it."""


@dataclass(frozen=True, slots=True, eq=False)
class AlignedAxis:
    """The m tokens that A or B has along one axis: those that both have once, at the same place.

    Where A and B are of one length and differ only in what stands at some places, these places are one too, under both
    words: twins such as “… it was tired” and “… it was soft” are compared place by place.

    To the rest of the page a token has one number: that of A, and for one that only B has its place in B behind all
    of A's. So what is pinned in A is pinned with and without a comparison.
    """

    a: tuple[str, ...]
    """The tokens of A, as they are drawn."""
    b: tuple[str, ...]
    in_a: IntArray
    """Where each of them is in A, (m,); `NONE` for what only B has."""
    in_b: IntArray

    @property
    def both(self) -> BoolArray:
        """Which of them both have, (m,)."""
        both: BoolArray = (self.in_a != NONE) & (self.in_b != NONE)
        return both

    @property
    def is_complete(self) -> bool:
        """Whether A and B have the same tokens."""
        return bool(self.both.all())

    @property
    def numbers(self) -> IntArray:
        """The number of each of them, (m,)."""
        return np.where(self.in_a == NONE, len(self.a) + self.in_b, self.in_a)

    @property
    def numbers_of_b(self) -> tuple[int, ...]:
        """The number of each token of B."""
        return tuple(self.numbers[self.in_b != NONE].tolist())

    def place_of(self, number: int | None) -> int | None:
        """Return where a token with a number stands among the m; None for no number, and where there is none such."""
        found = [] if number is None else np.flatnonzero(self.numbers == number).tolist()
        return found[0] if found else None

    def known_as(self, number: int | None) -> int | None:
        """Return the number of a token: of one of B that A has by now too, that of A. None where there is none such."""
        if number is not None and number >= len(self.a):
            found = np.flatnonzero(self.in_b == number - len(self.a))
            return int(self.numbers[found[0]]) if found.size else None
        return None if self.place_of(number) is None else number

    def in_each(self, number: int) -> tuple[int | None, int | None]:
        """Return which token of A and of B has a number."""
        place = self.place_of(number)
        if place is None:
            return None, None
        in_a, in_b = int(self.in_a[place]), int(self.in_b[place])
        return None if in_a == NONE else in_a, None if in_b == NONE else in_b

    def alone(self, *, of_b: bool = False) -> tuple[str, ...]:
        """Return the tokens that only A has, or only B."""
        tokens, own, others = (self.b, self.in_b, self.in_a) if of_b else (self.a, self.in_a, self.in_b)
        return tuple(tokens[at] for at in own[others == NONE].tolist())

    @property
    def labels(self) -> tuple[str, ...]:
        """All m tokens as they are drawn beside the maps; one that A and B spell with other spaces, without any."""
        pairs = zip(self.tokens(), self.tokens(of_b=True), strict=True)
        words = ((first, second) if first == second else (_word(first), _word(second)) for first, second in pairs)
        return tuple(joined(*dict.fromkeys(each)) for each in words)

    @property
    def replaced(self) -> tuple[tuple[str, str], ...]:
        """Words of A, each with another that stands at its place in B."""
        pairs = zip(self.tokens(), self.tokens(of_b=True), strict=True)
        return tuple((first, second) for first, second in pairs if _word(first) != _word(second))

    def tokens(self, *, of_b: bool = False, a: tuple[str, ...] = (), b: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return all m tokens, what both have as A has it, or as B; ``a`` and ``b`` in place of their labels."""
        a, b = a or self.a, b or self.b
        pairs = zip(self.in_a.tolist(), self.in_b.tolist(), strict=True)
        return tuple(b[y] if x == NONE or (of_b and y != NONE) else a[x] for x, y in pairs)


def joined(first: str, second: str = "") -> str:
    """Return what stands for a place at which A and B have different tokens, “tired | soft”, or the one they have."""
    return f"{first} | {second}" if second else first


def aligned_axis(a: tuple[str, ...], b: tuple[str, ...]) -> AlignedAxis:
    """Put two rows of tokens together: equal words in their order, what only one has in between, A's before B's.

    Rows of one length in which equal words stand at equal places are put together place by place. A space before or
    after a word, which some tokenizers have in the word's piece, does not make it another one.
    """
    found = align_tokens(tuple(map(_word, a)), tuple(map(_word, b)))
    if found.is_complete:
        return AlignedAxis(a, b, found.in_a, found.in_b)
    if len(a) == len(b) and found.in_a.size and np.array_equal(found.in_a, found.in_b):
        return AlignedAxis(a, b, np.arange(len(a)), np.arange(len(b)))
    in_a, in_b = np.array(_pairs(found), np.intp).reshape(-1, 2).T
    return AlignedAxis(a, b, in_a, in_b)


def _word(token: str) -> str:
    return token.strip(SPACE) or token


def _pairs(found: TokenAlignment) -> list[tuple[int, int]]:
    """Return the tokens of both, in order."""
    pairs = list[tuple[int, int]]()
    after_a = after_b = 0
    ends = len(found.unmatched_a), len(found.unmatched_b)
    for at_a, at_b in [*zip(found.in_a.tolist(), found.in_b.tolist(), strict=True), ends]:
        pairs += [(alone, NONE) for alone in range(after_a, at_a)]
        pairs += [(NONE, alone) for alone in range(after_b, at_b)]
        pairs.append((at_a, at_b))
        after_a, after_b = at_a + 1, at_b + 1
    return pairs[:-1]


@dataclass(frozen=True, slots=True, eq=False)
class AlignedMap:
    """A map over the rows and columns of an alignment, a part of which it does not have."""

    map: AttentionMap
    rows: IntArray
    """Which of its rows each row is, (m_q,); `NONE` for none."""
    columns: IntArray
    """Which of its columns each column is, (m_k,)."""

    @property
    def shape(self) -> tuple[int, int]:
        """m_q, m_k."""
        return len(self.rows), len(self.columns)

    def stage(self, stage: Stage, rows: slice) -> FloatArray:
        """Compute a stage of some rows, (h, m_k); where the map has no such cell, 0 for a weight and −∞ for a score."""
        fill = 0.0 if stage is Stage.WEIGHTS else -np.inf
        return self._spread(self.map.stage(stage, self._own(rows)), rows, fill)

    def allowed(self, rows: slice) -> BoolArray:
        """Tell who may attend to whom in some rows, (h, m_k); nobody where the map has no such cell."""
        return self._spread(self.map.allowed(self._own(rows)), rows, False)

    def has(self, rows: slice) -> BoolArray:
        """Tell which cells of some rows the map has, (h, m_k)."""
        has: BoolArray = (self.rows[rows, None] != NONE) & (self.columns != NONE)
        return has

    def pooled(self, stage: Stage, height: int, width: int) -> Pooled:
        """Reduce a stage to a picture as `AttentionMap.pooled` does; what the map does not have is masked."""
        if self._is_whole:
            return self.map.pooled(stage, height, width)
        is_weights, hides = stage is Stage.WEIGHTS, stage in (Stage.MASKED, Stage.WEIGHTS)
        pool = TilePool(self.shape, height, width, self.map.dtype, by_magnitude=not is_weights)
        for rows in blocks(self.shape):
            pool.add(rows.start, self.stage(stage, rows), self.allowed(rows) if hides else self.has(rows))
        return pool.pooled(0.0 if is_weights else -np.inf)

    @property
    def _is_whole(self) -> bool:
        return self.shape == self.map.shape and not (self.rows == NONE).any() and not (self.columns == NONE).any()

    def _own(self, rows: slice) -> Selection:
        own = self.rows[rows]
        return _as_slice(own[own != NONE])

    def _spread(self, part: np.typing.NDArray[Any], rows: slice, fill: float) -> np.typing.NDArray[Any]:
        if self._is_whole:
            return part
        has_row, has_column = self.rows[rows] != NONE, self.columns != NONE
        wide = part.take(np.maximum(self.columns, 0), axis=1)
        wide[:, ~has_column] = fill
        if has_row.all():
            return wide
        spread = np.full((len(has_row), len(has_column)), fill, part.dtype)
        spread[has_row] = wide
        return spread


def blocks(shape: tuple[int, int]) -> Iterator[slice]:
    """Walk over the rows of a map of a shape, a block at a time."""
    each = rows_of_a_block(shape[1])
    return (slice(start, min(start + each, shape[0])) for start in range(0, shape[0], each))


def _as_slice(places: IntArray) -> Selection:
    """Return places as a slice where they follow each other: a file is then read in one piece."""
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


# ---- B of a comparison ----


def other_shown(heads: HeadsState) -> HeadsSetup:
    """Return B: the setup itself where there is no other."""
    return other_setup(heads) or heads.setup


def is_own_other(heads: HeadsState) -> bool:
    """Whether A and B are the same."""
    return other_shown(heads) == heads.setup


def with_other_recipe(heads: HeadsState, **changes: object) -> HeadsState:
    """Return the state with some fields of B's recipe changed; what is pinned of B alone follows its token.

    Tokens that only B has are counted behind those of A.
    """
    old, own, view = other_shown(heads), heads.setup.recipe, heads.view
    recipe = replace(old.recipe, **changes)
    row, column = (
        place if place is None or place < n_a else n_a + place_after_edit(place - n_a, before, after)
        for place, n_a, before, after in (
            (view.row, len(tokens_of(own)), tokens_of(old.recipe), tokens_of(recipe)),
            (view.column, len(context_tokens_of(own)), context_tokens_of(old.recipe), context_tokens_of(recipe)),
        )
    )
    return replace(heads, other=replace(old, recipe=recipe)).with_view(row=row, column=column)
