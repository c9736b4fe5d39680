"""Which tokens of two sentences belong together, so that heads can be compared on both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

from attention_explorer.pages.heads.edited_sentence import shared_ends

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
