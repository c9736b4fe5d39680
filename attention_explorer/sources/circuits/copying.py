"""Heads that copy or suppress what they look at, by the weights and the words as they are after the first layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.norm import NormKind
from attention_explorer.model.norms import centred_rows
from attention_explorer.model.transformer import FastNorm, Inputs, head_weights
from attention_explorer.model.transformer.parts import normed
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.circuits.asked import Circuits

WORDS, BEST = 512, 5


@dataclass(frozen=True, repr=False, eq=False)
class Copying(Results):
    """How often what a head moves raises, or lowers, the very word that it was moved from; (layers, heads) each."""

    copies: Result
    """Share of words that are among the 5 that their own vector raises most."""
    suppresses: Result
    """Share of words that are among the 5 that it lowers most."""


def copying(model: Circuits, words: int = WORDS, seed: int = 0) -> Copying:
    """Score all heads: see `Model.copying`."""
    transformer, main = model.transformer, model.transformer.main
    if transformer.encoder is not None or not main.spec.is_causal:
        raise ExplorerError("Which heads copy is asked of a decoder alone, whose words are those that it writes.")
    if transformer.head is None:
        raise ExplorerError("The file holds no head, so the model writes no words: ask a model that does.")
    ids = np.random.default_rng(seed).permutation(main.spec.vocabulary)[: max(2, words)]
    x, head = _effective(model, ids), transformer.head()
    unembedding = head.decode.weight[:, ids]
    shape = len(main.layers), main.spec.heads
    found = {name: np.zeros(shape) for name in ("copies", "suppresses")}
    for place, layer in enumerate(main.layers):
        checkpoint()
        rows = normed(layer.attention.norms.before, x)
        for which in range(shape[1]):
            of = head_weights(layer.attention, which)
            logits = _through_last(main.final_norm, (rows @ of.v + of.v_bias) @ of.o) @ unembedding
            own = np.diagonal(logits)[:, None]
            found["copies"][place, which] = np.mean((logits > own).sum(axis=1) < BEST)
            found["suppresses"][place, which] = np.mean((logits < own).sum(axis=1) < BEST)
    return Copying(**{name: Result(array, ("layer", "head")) for name, array in found.items()})


def _effective(model: Circuits, ids: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
    """Return what leaves the first layer for each word alone, (words, d_model)."""
    runs = [model.transformer.run(Inputs(np.array([each])), room=0, lazily=True) for each in ids]
    if len(model.transformer.main.layers) == 1:
        return np.stack([run.main.hidden[0][0] for run in runs])
    for run in runs:
        run.main.reach(1)
    return np.stack([run.main.latest[0] for run in runs])


def _through_last(norm: FastNorm | None, rows: Floats) -> Floats:
    """Return rows times the gain of the last norm; by what it divides them does not matter for their order."""
    if norm is None:
        return rows
    return (centred_rows(rows) if norm.kind is NormKind.LAYER else rows) * norm.gain
