"""Several runs at once: each layer of all of them is one product, for which its weights are read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TypeAlias

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.transformer.attention import AttentionRun
from attention_explorer.model.transformer.changes import CROSS, SELF, BatchChanges
from attention_explorer.model.transformer.layer import Surroundings
from attention_explorer.model.transformer.parts import normed
from attention_explorer.model.transformer.stack import StackRun, checked
from attention_explorer.model.transformer.transformer import TransformerRun

MOST = 2**22
"""Numbers of the largest array of a layer: of more runs the next ones wait, so that it stays at 16 MiB."""
Keep: TypeAlias = Callable[[StackRun, str, int, Floats], object]
"""Handed a tower, the kind of attention, its layer and its weights, (heads, n_q, n_k), as they come along."""


def let_go(_run: StackRun, _kind: str, _layer: int, _weights: Floats) -> None:
    """Let go of the weights."""


def together(runs: Iterable[TransformerRun], keep: Keep = let_go) -> None:
    """Run what is left of several runs of one model.

    Parameters
    ----------
    runs : iterable of TransformerRun
        Of any lengths; those of one length are run at once, as many as fit in memory.
    keep : callable
        Handed the weights of each tower and layer.

    Raises
    ------
    ArrayError
        As of `StackRun.reach`.
    """
    every = list(runs)
    _towers([run.encoder for run in every if run.encoder is not None], keep)
    _towers([run.main for run in every], keep)


def batches(runs: Sequence[StackRun]) -> Iterable[list[StackRun]]:
    """Yield those that go together: of one length, and few enough."""
    for (n, m), same in groupby(sorted(runs, key=_lengths), key=_lengths):
        spec, some = runs[0].stack.spec, list(same)
        most = max(1, MOST // (n * max(2 * spec.inner, spec.heads * max(n, m))))
        yield from (some[start : start + most] for start in range(0, len(some), most))


def _lengths(run: StackRun) -> tuple[int, int]:
    context = run.surroundings(0).context
    return len(run.latest), 0 if context is None else len(context)


def _towers(runs: Sequence[StackRun], keep: Keep) -> None:
    """Run towers of any lengths."""
    each = [run for run in dict.fromkeys(runs) if run.reached < run.count]
    for run in each:
        if run.goes_alone:
            run.reach(run.count, partial(_kept_alone, run, keep))
    for batch in batches([run for run in each if not run.goes_alone]):
        for place in range(min(run.reached for run in batch), batch[0].count):
            checkpoint()
            _layer([run for run in batch if run.reached == place], place, keep)


def _kept_alone(run: StackRun, keep: Keep, kind: str, place: int, found: AttentionRun) -> None:
    keep(run, kind, place, found.weights)


def _layer(runs: Sequence[StackRun], place: int, keep: Keep) -> None:
    """Run one layer of towers of one length that have all come to it."""
    stack = runs[0].stack
    found = stack.layers[place](np.stack([run.latest for run in runs]), _joined(runs, place))
    checked(place, found.output)
    for kind, attention in ((SELF, found.attention), (CROSS, found.cross)):
        for run, weights in zip(runs, () if attention is None else attention.weights, strict=attention is not None):
            keep(run, kind, place, weights)
    final = stack.final_norm if place == len(stack.layers) - 1 else None
    for run, output in zip(runs, normed(final, found.output), strict=True):
        run.came_out(output)


def _joined(runs: Sequence[StackRun], place: int) -> Surroundings:
    """Return what a layer is given besides what enters, for several runs at once."""
    given = [run.surroundings(place) for run in runs]
    contexts = [each.context for each in given if each.context is not None]
    context = contexts[0] if contexts else None
    if any(each is not context for each in contexts):
        context = np.stack(contexts)
    return replace(
        given[0],
        context=context,
        changes=BatchChanges([each.changes for each in given]),
        cross_changes=BatchChanges([each.cross_changes for each in given]),
    )
