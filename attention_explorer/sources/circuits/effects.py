"""Many changed runs of a text, and what each does to a metric: switched off, or put in from a twin."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.transformer import Change, together
from attention_explorer.model.transformer.changes import OF_HEADS, OF_ROWS
from attention_explorer.sources.circuits.metric import Metric, head_of, metric_of
from attention_explorer.sources.circuits.result import Labels, Result

if TYPE_CHECKING:
    from attention_explorer.sources.circuits.asked import Circuits
    from attention_explorer.sources.models.model import Given
    from attention_explorer.sources.models.trace import Trace

T = TypeVar("T")

MOST = 2**25
"""Bytes of hidden states of the runs that are held at a time."""


def in_parts(model: Circuits, trace: Trace, metric: Metric, changes: Iterable[Change]) -> Iterator[list[float]]:
    """Yield a metric of a text, run once for each change, as many at a time as there is room for.

    What lies before a change is not run again.

    Parameters
    ----------
    model : Model
        What runs.
    trace : Trace
        The text, unchanged.
    metric : Metric
        The number.
    changes : iterable of Change
        Each made alone; one that changes nothing is no error.
    """
    left = iter(changes)
    head, spec = head_of(trace)(), trace.run.main.stack.spec
    most = max(1, MOST // (4 * len(trace.ids) * spec.width * len(spec.layers)))
    given, target = trace.run.inputs
    while some := list(islice(left, most)):
        runs = [
            model.transformer.run(given, target, changes=[each], since=trace.run, room=0, lazily=True, insists=False)
            for each in some
        ]
        together(runs)
        yield [metric.of(run, head) for run in runs]


def changed(model: Circuits, trace: Trace, metric: Metric, changes: Iterable[Change]) -> list[float]:
    """Return all that `in_parts` yields."""
    return [value for part in in_parts(model, trace, metric, changes) for value in part]


def knock_out(model: Circuits, *args: Any, **options: Any) -> Result:  # noqa: ANN401 - those of the steps
    """Switch heads off: see `Model.knock_out`."""
    return last_of(knock_out_steps(model, *args, **options))


def last_of(steps: Iterable[T]) -> T:
    """Return what is known at the end."""
    return deque(steps, maxlen=1)[0]


def knock_out_steps(
    model: Circuits,
    text: Given,
    metric: object,
    heads: Iterable[tuple[int, int]] | None = None,
    by: str = "zero",
    *,
    texts: Sequence[Given] | None = None,
    target: Given | None = None,
    position: int = -1,
    kind: str = "self",
) -> Iterator[Result]:
    """Yield the map of `Model.knock_out` as it grows; NaN is not known yet."""
    if by not in ("zero", "mean"):
        raise ArrayError(f"by is “zero” or “mean”, not {by!r:.40}")
    trace = model(text, target)
    asked = metric_of(trace, metric, position)
    stack = trace.run.encoder.stack if kind == "encoder" and trace.run.encoder is not None else trace.run.main.stack
    shape = len(stack.layers), stack.spec.heads
    every = [*product(*map(range, shape))] if heads is None else list(heads)
    over = None if by == "zero" else [trace] if texts is None else [model(each, target) for each in texts]
    changes = [Change("head", layer, head, value=by, texts=over, kind=kind) for layer, head in _checked(every)]
    before = asked.of(trace.run, head_of(trace)())
    yield from _filled(shape, every, in_parts(model, trace, asked, changes), lambda after: after - before)


def _filled(
    shape: tuple[int, int],
    places: Iterable[tuple[int, ...]],
    parts: Iterable[list[float]],
    effect: Callable[[float], float],
    axes: tuple[str, str] = ("layer", "head"),
    labels: Labels | None = None,
) -> Iterator[Result]:
    """Yield a map, first without any numbers, then with those of each part more."""
    found, at = np.full(shape, np.nan), iter(places)
    yield Result(found.copy(), axes, labels)
    for part in parts:
        for value in part:
            found[next(at)] = effect(value)
        yield Result(found.copy(), axes, labels)


def _checked(heads: Sequence[object]) -> Iterable[tuple[int, int]]:
    for each in heads:
        if not isinstance(each, tuple) or len(each) != 2:
            raise ArrayError(f"heads must be a list of (layer, head), both from 0, but hold {each!r:.40}")
        yield each


def patch(model: Circuits, *args: Any, **options: Any) -> Result:  # noqa: ANN401 - those of the steps
    """Put values of a text into its twin: see `Model.patch`."""
    return last_of(patch_steps(model, *args, **options))


def patch_steps(
    model: Circuits,
    text: Given,
    twin: Given,
    metric: object,
    where: str = "residual",
    *,
    target: Given | None = None,
    twin_target: Given | None = None,
    position: int = -1,
    kind: str = "self",
) -> Iterator[Result]:
    """Yield the map of `Model.patch` as it grows; NaN is not known yet."""
    source, run = model(text, target), model(twin, target if twin_target is None else twin_target)
    asked = metric_of(source, metric, position)
    check_lengths(source, run)
    head = head_of(source)()
    whole, none = asked.of(source.run, head), asked.of(run.run, head)
    if whole == none:
        raise ArrayError("the text and its twin give the same answer, so nothing can be brought from one to the other")
    changes, shape, axes = _put_in(source, where, kind)
    tokens = run.tokens if kind != "encoder" else run.context_tokens
    labels = {"token": tokens} if "token" in axes else {}
    parts = in_parts(model, run, asked, changes)
    yield from _filled(shape, np.ndindex(shape), parts, lambda value: (value - none) / (whole - none), axes, labels)


def check_lengths(source: Trace, run: Trace) -> None:
    """Refuse a twin that is longer or shorter than the text.

    Raises
    ------
    ArrayError
        If the two have not as many tokens.
    """
    if len(source.ids) != len(run.ids) or len(source.context_tokens) != len(run.context_tokens):
        raise ArrayError(
            f"the text has {len(source.tokens)} tokens and its twin {len(run.tokens)}: values are put in by position, "
            "so give a twin of as many tokens"
        )


def _put_in(source: Trace, where: str, kind: str) -> tuple[Iterable[Change], tuple[int, int], tuple[str, str]]:
    """Return a change for each layer and position, or layer and head, with the value that the text has there."""
    encoder = source.run.encoder
    tower = encoder if kind == "encoder" and encoder is not None else source.run.main
    layers = len(tower.stack.layers)
    if where in OF_HEADS:
        heads = tower.stack.spec.heads
        by_head = (
            Change(where, layer, head, value=part[head], kind=kind)
            for layer in range(layers)
            for part in [source.part(where, layer, kind)]
            for head in range(heads)
        )
        return by_head, (layers, heads), ("layer", "head")
    if where not in OF_ROWS:
        raise ArrayError(f"where must be one of {', '.join((*OF_HEADS, *OF_ROWS))}, not {where!r:.40}")
    n = len(source.part(where, 0, kind))
    by_token = (
        Change(where, layer, position=place, value=part[place], kind=kind)
        for layer in range(layers)
        for part in [source.part(where, layer, kind)]
        for place in range(n)
    )
    return by_token, (layers, n), ("layer", "token")
