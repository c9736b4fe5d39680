"""Find the circuit that copies: which heads look back, which copy, what joins them, and what breaks without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.transformer import Change
from attention_explorer.sources.circuits.composition import by_keys
from attention_explorer.sources.circuits.detect import Detected, detect, random_texts
from attention_explorer.sources.circuits.effects import changed
from attention_explorer.sources.circuits.metric import Metric, head_of, metric_of
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.circuits.asked import Circuits
    from attention_explorer.sources.models.trace import Trace

OTHERS = 10
"""Heads that nothing names, which are switched off for comparison."""
HARDLY = 0.05
"""Of what the copy gains over the first time: a head that costs less when it is off does hardly anything alone."""
Heads = tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False, eq=False)
class Finding(Results):
    """What was found on a random text that is said twice. Heads are (layer, head), losses in nats a token."""

    previous: Result
    """(layers, heads): how much looks one back."""
    induction: Result
    """(layers, heads): how much looks at what followed."""
    joined: Result
    """(layers, heads, layers, heads): how much of what the first writes the second reads by its keys; 0 is chance."""
    loss: Result
    """(layers, heads): on the copy with one head off, run again; NaN of heads that were not switched off."""
    back: Heads
    """Named for looking one back, the highest first."""
    copy: Heads
    """Named for looking at what followed, the highest first."""
    others: Heads
    """Some that nothing names."""
    all_on: float
    """The loss on the copy."""
    first: float
    """The loss the first time."""
    without_back: float
    """The loss on the copy with all off that look back; NaN if there are none, as long as it is not known."""
    without_copy: float
    """The same of those that copy."""

    @property
    def is_found(self) -> bool:
        """Whether all is known that it says: all named heads and the others were switched off."""
        at = self.back + self.copy + self.others
        return all(not np.isnan(np.asarray(self.loss)[each]) for each in at)

    @property
    def is_complete(self) -> bool:
        """Whether every head was switched off."""
        return not bool(np.isnan(np.asarray(self.loss)).any())

    @property
    def idle(self) -> Heads:
        """Named heads that look the part, without any of which alone the copy is hardly worse."""
        least = HARDLY * max(self.first - self.all_on, 0.0)
        plain = np.asarray(self.loss)
        return tuple(each for each in self.back + self.copy if plain[each] - self.all_on < least)

    @property
    def strongest(self) -> tuple[tuple[int, int], tuple[int, int], float] | None:
        """Who looks back, who copies, and how much they are joined: the pair with most; None where there is none."""
        plain = np.asarray(self.joined)
        pairs = [(a, b, float(plain[a + b])) for a in self.back for b in self.copy if not np.isnan(plain[a + b])]
        return max(pairs, key=lambda pair: pair[2], default=None)

    def named_heads(self) -> Mapping[str, list[tuple[int, int]]]:
        """Return who looks back, who copies, and who of them does hardly anything alone."""
        return {"look back": [*self.back], "copy": [*self.copy], "hardly anything alone": [*self.idle]}


class _Copy:
    """A random text that is said twice, and the loss of its second half."""

    def __init__(self, model: Circuits, seed: int) -> None:
        self.model, text = model, random_texts(model, seed)[0]
        half = len(text) // 2
        self.trace: Trace = model(text)
        self.metric: Metric = metric_of(self.trace, list(range(half + 1, len(text))))
        self._first = metric_of(self.trace, list(range(1, half)))

    @property
    def losses(self) -> tuple[float, float]:
        """On the copy, and the first time."""
        head = head_of(self.trace)()
        return self.metric.of(self.trace.run, head), self._first.of(self.trace.run, head)

    def without(self, heads: Heads) -> float:
        """Return the loss on the copy with all of some heads off."""
        if not heads:
            return float("nan")
        changes = [Change("head", layer, head) for layer, head in heads]
        before = self.trace.run
        run = self.model.transformer.run(*before.inputs, changes=changes, since=before, room=0)
        return self.metric.of(run, head_of(self.trace)())

    def each(self, heads: Heads) -> Iterator[tuple[Heads, list[float]]]:
        """Yield the losses without each of some heads alone, as they are measured."""
        for _, group in groupby(heads, key=lambda each: each[0]):
            some = tuple(group)
            yield some, changed(self.model, self.trace, self.metric, (Change("head", *each) for each in some))


def finding(model: Circuits, seed: int = 0, looks: Detected | None = None) -> Iterator[tuple[float, Finding]]:
    """Yield which share of the work is done, and what is known: the named heads come first, the whole grid at last.

    In a model of one layer nothing is joined. ``looks`` is what `detect` says of that seed, if it is known already.

    Raises
    ------
    ExplorerError
        If the model has two towers, foretells no tokens, or has no head for words.
    """
    if model.transformer.encoder is not None:
        raise ExplorerError(
            "What copies is looked for in a model of one tower, and this one has an encoder and a decoder: ask for an "
            "answer, or open another model."
        )
    copy = _Copy(model, seed)
    scores = detect(model, seed=seed) if looks is None else looks
    named = scores.named
    back, induction = tuple(named["previous"]), tuple(named["induction"])
    shape = np.asarray(scores.previous).shape
    joined = by_keys(model)
    every = [(layer, head) for layer, head in product(*map(range, shape))]
    left = [each for each in every if each not in {*back, *induction}]
    drawn = np.random.default_rng(seed).permutation(len(left))[:OTHERS].tolist()
    others = tuple(sorted(left[at] for at in drawn))
    all_on, first = copy.losses
    nothing = Result(np.full(shape, np.nan), ("layer", "head"))
    found = Finding(
        scores.previous,
        scores.induction,
        joined,
        nothing,
        back,
        induction,
        others,
        all_on,
        first,
        copy.without(back),
        copy.without(induction),
    )
    yield 0.0, found
    order = sorted({*back, *induction, *others})
    order += [each for each in every if each not in set(order)]
    done = 0
    for heads, losses in copy.each(tuple(order)):
        loss = np.array(found.loss)
        loss[tuple(zip(*heads, strict=True))] = losses
        done += len(heads)
        found = replace(found, loss=Result(loss, ("layer", "head")))
        yield done / len(order), found


def found_at(steps: Iterable[tuple[float, Finding]], *, whole: bool) -> Finding:
    """Return what the steps of `finding` know as soon as they say all they can say, or with ``whole`` at the end."""
    every = (found for _, found in steps)
    last = next(every)
    for found in every:
        if last.is_found and not whole:
            break
        last = found
    return last
