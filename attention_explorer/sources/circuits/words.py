"""Which words made it: a gradient's estimate for each word, and what is measured when its values are zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer import Gradients, reverse, reverse_head, together
from attention_explorer.model.transformer.change import Change
from attention_explorer.sources.circuits.metric import Metric, head_of, metric_of
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.models.trace import Trace


@dataclass(frozen=True, repr=False, eq=False)
class Words(Results):
    """What each word does to a number of a run, the two ways side by side."""

    estimate: Result
    """(tokens,): gradient × input, the sum over features of ∂L/∂x · x of what enters the first layer."""
    measured: Result
    """(tokens,): by how much the number sinks when the values of the word are 0 in all layers, run anew."""


@dataclass(frozen=True, eq=False)
class TowersGradients:
    """Gradients of a number by all that was computed of a run."""

    main: Gradients
    encoder: Gradients | None


def gradients(trace: Trace, metric: Metric) -> TowersGradients:
    """Return the gradients of a metric: see `Trace.gradients`."""
    if trace.run.is_altered:
        raise ArrayError("gradients are of a run without changes: run the text without them")
    head, run, rows = head_of(trace)(), trace.run, list(metric.rows)
    hidden: Floats = run.main.hidden[-1]
    d_hidden = np.zeros_like(hidden)
    np.add.at(d_hidden, rows, reverse_head(head, hidden[rows], metric.slope(head(hidden[rows]))))
    main = reverse(run.main, d_hidden)
    encoder = None if run.encoder is None or main.context is None else reverse(run.encoder, main.context)
    return TowersGradients(main, encoder)


def words(trace: Trace, answer: object, against: object = None, position: int = -1) -> Words:
    """Ask which words made it: see `Trace.words`."""
    run = trace.run
    metric = metric_of(trace, answer if against is None else (answer, against), position)
    found = gradients(trace, metric)
    towers = [
        (found.main, run.main),
        *([] if found.encoder is None or run.encoder is None else [(found.encoder, run.encoder)]),
    ]
    estimate = [(of.layers[0].residual.astype(np.float64) * tower.hidden[0]).sum(axis=1) for of, tower in towers]
    tokens = (*trace.tokens, *(trace.context_tokens if len(towers) > 1 else ()))
    labels = {"token": tokens}
    return Words(
        Result(np.concatenate(estimate), ("token",), labels), Result(_measured(trace, metric), ("token",), labels)
    )


def _measured(trace: Trace, metric: Metric) -> Floats:
    """Zero the values of each token in all layers, and of an encoder's what the decoder takes of them."""
    run = trace.run
    layers, n = list(range(run.main.count)), len(trace.ids)
    every = [[Change("v", layers, position=place)] for place in range(n)]
    if run.encoder is not None:
        of_encoder = list(range(run.encoder.count))
        every += [
            [Change("v", of_encoder, position=place, kind="encoder"), Change("v", layers, position=place, kind="cross")]
            for place in range(len(trace.context_tokens))
        ]
    given, target = run.inputs
    head = head_of(trace)()
    runs = [
        run.transformer.run(given, target, changes=each, since=run, room=0, lazily=True, insists=False)
        for each in every
    ]
    together(runs)
    before = metric.of(run, head)
    return np.array([before - metric.of(each, head) for each in runs])
