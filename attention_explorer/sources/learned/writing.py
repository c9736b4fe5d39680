"""Answers of several tokens: a network writes one behind the other, the most probable each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from attention_explorer.model.learning import AS_LEARNED, NOT_ASKED, Batch, Network, Scoring
from attention_explorer.model.learning.network import Tokens


def written(
    network: Network,
    beginnings: Sequence[Tokens],
    end: int,
    places: int,
    scoring: Callable[[Batch], Scoring] = lambda _batch: AS_LEARNED,
) -> list[list[int]]:
    """Let a causal network go on with some sentences until it ends each, or has no place for what it wrote last.

    Parameters
    ----------
    network : Network
        Of which no token sees a later one.
    beginnings : sequence of ndarray of int, each (n,)
        What is given; one token each at least.
    end : int
        The answer that ends a sentence.
    places : int
        How many tokens the network has places for.
    scoring : callable
        (batch) -> what is to be otherwise than it was learned.

    Returns
    -------
    list of list of int
        What is written behind each beginning, without the end.
    """
    lengths = np.array([len(each) for each in beginnings])
    tokens = np.full((len(beginnings), places + 1), end)
    for row, each in enumerate(beginnings):
        tokens[row, : len(each)] = each
    starts, open_rows = lengths.copy(), np.arange(len(beginnings))
    while len(open_rows):
        longest = int(lengths[open_rows].max())
        targets = np.full((len(open_rows), longest), NOT_ASKED)
        targets[np.arange(len(open_rows)), lengths[open_rows] - 1] = end
        batch = Batch(tokens[open_rows, :longest], targets)
        said = network(batch, scoring(batch)).logits.argmax(axis=-1)
        open_rows, said = open_rows[said != end], said[said != end]
        tokens[open_rows, lengths[open_rows]] = said
        lengths[open_rows] += 1
        open_rows = open_rows[lengths[open_rows] <= places]
    return [tokens[row, start:stop].tolist() for row, (start, stop) in enumerate(zip(starts, lengths, strict=True))]
