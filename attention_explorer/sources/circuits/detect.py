"""Who looks like what: how much of its attention each head gives to the places that a kind of head looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer import ENCODER, SELF, together
from attention_explorer.model.transformer.stack import StackRun
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.circuits.asked import Circuits
    from attention_explorer.sources.models.model import Given
    from attention_explorer.sources.models.trace import Trace

MARGIN = 0.3
"""By how much a head must exceed what even weights would give, to be named."""
SEQUENCES, LONGEST = 4, 40
"""Random texts, and tokens of each before they are repeated."""
RARE, SPECIAL = 1000, 100
"""Ids from the first on are words; the last ones are often special."""


@dataclass(frozen=True, repr=False, eq=False)
class Detected(Results):
    """Scores of all heads, (layers, heads) each, from 0 to 1: the share of attention that goes where a kind looks.

    A row counts only if there is such a place. Those of the first line are of the texts that were given, or of the
    random ones; those of the second always of random tokens that are said twice.
    """

    previous: Result
    """To the token before."""
    next: Result
    """To the token after; 0 in decoders."""
    self_: Result
    """To the token itself."""
    earlier: Result
    """To the same token, where it stood earlier in the text."""
    sink: Result
    """To the first token, of all rows but the first."""
    duplicate: Result
    """Second line: from the second copy, to the same place of the first."""
    induction: Result
    """From the second copy, to the token that followed in the first (Olsson et al. 2022, “prefix matching”)."""
    even: Mapping[str, float]
    """What weights that are even over all visible keys would give."""

    @property
    def named(self) -> Mapping[str, list[tuple[int, int]]]:
        """Heads as (layer, head) whose score is higher than that of even weights by 0.3 or more, the highest first."""
        return self.named_heads()

    def named_heads(self) -> Mapping[str, list[tuple[int, int]]]:
        """Return `named`."""
        found = {}
        for name, scores in self.arrays().items():
            plain = np.asarray(scores)
            order = np.argsort(-plain.ravel(), kind="stable")
            places = [tuple(map(int, np.unravel_index(at, plain.shape))) for at in order]
            found[name] = [(a, b) for a, b in places if plain[a, b] >= self.even[name] + MARGIN]
        return found


Places = Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]


def detect(model: Circuits, texts: Sequence[Given] | None = None, seed: int = 0, kind: str = "self") -> Detected:
    """Score all heads: see `Model.detect`."""
    random: list[Given] = [*random_texts(model, seed)]
    if texts is None:
        found = _scores(model, random, kind, lambda ids: {**places(ids), **_copies(len(ids))})
    elif not texts:
        raise ArrayError("there is no text to look at: give one or more, or leave texts out")
    else:
        found = _scores(model, list(texts), kind, places) | _scores(model, random, kind, lambda ids: _copies(len(ids)))
    scores = {name: Result(array, ("layer", "head")) for name, (array, _) in found.items()}
    return Detected(**scores, even={name: even for name, (_, even) in found.items()})


def random_texts(model: Circuits, seed: int) -> list[list[int]]:
    """Return random tokens, each text said twice, with nothing before it.

    Of a vocabulary so small that tokens would meet again in one text they are all different: what followed an equal
    token would be uncertain.
    """
    stack = model.transformer.encoder or model.transformer.main
    vocabulary = stack.spec.vocabulary
    first, last = (RARE, vocabulary - SPECIAL) if vocabulary > 4 * RARE else (vocabulary // 4, vocabulary)
    length = min(LONGEST, (stack.embedding.longest or 2 * LONGEST) // 2)
    draw = np.random.default_rng(seed)
    if vocabulary < 2 * length:
        once = [draw.permutation(vocabulary)[: min(length, vocabulary)] for _ in range(SEQUENCES)]
    else:
        once = [draw.integers(first, last, length) for _ in range(SEQUENCES)]
    return [[*map(int, ids), *map(int, ids)] for ids in once]


def places(ids: Sequence[int]) -> Places:
    """Return where each kind looks, (n, n)."""
    n, row = len(ids), np.array(ids)
    same = (row[:, None] == row) & np.tri(n, k=-1, dtype=np.bool_)
    sink = np.zeros((n, n), np.bool_)
    sink[1:, 0] = True
    return {
        "previous": np.eye(n, k=-1, dtype=np.bool_),
        "next": np.eye(n, k=1, dtype=np.bool_),
        "self_": np.eye(n, dtype=np.bool_),
        "earlier": same,
        "sink": sink,
    }


def _copies(n: int) -> Places:
    """Return where heads look that know what was said before, in a text that is said twice."""
    second = (np.arange(n) >= n // 2)[:, None]
    return {
        "duplicate": np.eye(n, k=-(n // 2), dtype=np.bool_) & second,
        "induction": np.eye(n, k=1 - n // 2, dtype=np.bool_) & second,
    }


class _Tally:
    """Sums what heads give to places, over the rows that have one."""

    def __init__(self, layers: int, heads: int) -> None:
        self.given, self.even, self.rows = np.zeros((layers, heads)), np.zeros(layers), 0

    def add(self, layer: int, weights: Floats, places: Floats, visible: Floats) -> None:
        """Add the rows of a layer, (heads, n, n)."""
        self.given[layer] += weights.reshape(len(weights), -1) @ places.ravel()
        even = visible / np.maximum(visible.sum(axis=1, keepdims=True), 1.0)
        self.even[layer] += float((even * places).sum())


def _scores(
    model: Circuits, texts: Sequence[Given], kind: str, places_of: Callable[[Sequence[int]], Places]
) -> dict[str, tuple[Floats, float]]:
    """Return the score of all heads for each kind, and the highest that even weights would have in any layer."""
    traces = [model.lazily(each, as_read(model, each)) for each in texts]
    towers = [tower_of(trace, kind) for trace in traces]
    ids = [trace.context_ids if kind == ENCODER else trace.ids for trace in traces]
    at = {
        id(tower): {name: p.astype(np.float32) for name, p in places_of(i).items()}
        for tower, i in zip(towers, ids, strict=True)
    }
    stack = towers[0].stack
    tallies = {name: _Tally(len(stack.layers), stack.spec.heads) for name in places_of(ids[0])}
    for name, tally in tallies.items():
        tally.rows = sum(int(places[name].any(axis=1).sum()) for places in at.values())

    def keep(run: StackRun, of: str, layer: int, weights: Floats) -> None:
        if of == SELF and id(run) in at:
            visible = run.surroundings(layer).visible
            sees = np.ones(weights.shape[1:]) if visible is None else visible.astype(np.float64)
            for name, tally in tallies.items():
                tally.add(layer, weights, at[id(run)][name], sees)

    together((trace.run for trace in traces), keep)
    counts = {name: max(tally.rows, 1) for name, tally in tallies.items()}
    return {name: (t.given / counts[name], float((t.even / counts[name]).max())) for name, t in tallies.items()}


def as_read(model: Circuits, text: Given) -> Given | None:
    """Return what a decoder is given that looks at an encoder: the same."""
    return None if model.transformer.encoder is None else text


def tower_of(trace: Trace, kind: str) -> StackRun:
    """Return the tower whose heads are looked at.

    Raises
    ------
    ArrayError
        If there is no such tower.
    """
    if kind == ENCODER and trace.run.encoder is not None:
        return trace.run.encoder
    if kind != SELF:
        raise ArrayError(f"kind is “self”, or of an encoder–decoder “encoder”, not {kind!r:.40}")
    return trace.run.main
