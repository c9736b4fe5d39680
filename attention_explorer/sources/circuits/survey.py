"""Heads over many texts: what each looks at on average, and how much that differs from line to line (Clark 2019)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from attention_explorer.core.files import write_whole
from attention_explorer.errors import ArrayError, FileAccessError, FileError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.scalars import size_from
from attention_explorer.model.transformer import SELF, together
from attention_explorer.model.transformer.stack import StackRun
from attention_explorer.sources.circuits.detect import as_read, places, tower_of
from attention_explorer.sources.circuits.result import Result, Results, npz

if TYPE_CHECKING:
    from attention_explorer.sources.circuits.asked import Circuits
    from attention_explorer.sources.models.trace import Trace

MOST, AT_ONCE = 10_000, 16
MEASURES = ("previous", "next", "self_", "earlier", "sink", "entropy", "distance")
"""The first five as `Detected` has them; entropy of the rows in bits, and how many tokens away a row looks."""


@dataclass(frozen=True, repr=False, eq=False)
class Survey(Results):
    """What heads do over many lines."""

    mean: Result
    """(measures, layers, heads), over the lines in which there is such a place; NaN where none has one."""
    spread: Result
    """Likewise, the standard deviation between lines."""
    lines: int
    """How many were read."""
    skipped: int
    """How many were empty, or longer than the model can read."""


class _Sums:
    """What is added up, line by line."""

    def __init__(self, layers: int, heads: int) -> None:
        self.count = np.zeros(len(MEASURES), np.int64)
        self.total, self.squares = (np.zeros((len(MEASURES), layers, heads)) for _ in range(2))
        self.lines = self.skipped = 0

    def add(self, numbers: Floats) -> None:
        """Add those of a line, (measures, layers, heads), NaN of measures for which it has no place."""
        there = ~np.isnan(numbers[:, 0, 0])
        self.count += there
        self.total += np.where(there[:, None, None], numbers, 0.0)
        self.squares += np.where(there[:, None, None], np.square(numbers), 0.0)

    def survey(self) -> Survey:
        """Return mean and spread so far."""
        count = np.where(self.count > 0, self.count, np.nan)[:, None, None]
        mean = self.total / count
        spread = np.sqrt(np.maximum(self.squares / count - np.square(mean), 0.0))
        axes, labels = ("measure", "layer", "head"), {"measure": MEASURES}
        return Survey(Result(mean, axes, labels), Result(spread, axes, labels), self.lines, self.skipped)


def survey(model: Circuits, path: Path, most: int, save: Path | None, kind: str) -> Survey:
    """Look at every line of a file: see `Circuits.survey`."""
    stack = model.transformer.encoder if kind != SELF else model.transformer.main
    if stack is None:
        raise ArrayError(f"kind is “self”, or of an encoder–decoder “encoder”, not {kind!r:.40}")
    sums = _Sums(len(stack.layers), stack.spec.heads)
    if save is not None and save.exists():
        _go_on(sums, save, path)
    lines = islice(_lines(path), sums.lines, size_from(1, "most", most))
    while some := list(islice(lines, AT_ONCE)):
        traces = [trace for line in some if (trace := _trace(model, line)) is not None]
        for numbers in _measured(traces, kind):
            sums.add(numbers)
        sums.lines += len(some)
        sums.skipped += len(some) - len(traces)
        if save is not None:
            write_whole(save, _kept(sums, path))
    if sums.lines == sums.skipped:
        raise FileError(f"“{path.name}” holds no line that the model can read: give a text, one sentence a line.")
    return sums.survey()


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from (line.strip() for line in file)
    except OSError as error:
        raise FileAccessError(f"“{path}” cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise FileError(f"“{path.name}” is no text in UTF-8: save it as that.") from error


def _trace(model: Circuits, line: str) -> Trace | None:
    """Return what is to be run; None of a line that is empty or too long."""
    if not line:
        return None
    given = model.tokenize(line)
    try:
        return model.lazily(given, as_read(model, given))
    except ArrayError:  # longer than the model can read
        return None


def _measured(traces: list[Trace], kind: str) -> list[Floats]:
    """Return (measures, layers, heads) of each line."""
    towers = {id(tower_of(trace, kind)): at for at, trace in enumerate(traces)}
    ids = [trace.ids if kind == SELF else trace.context_ids for trace in traces]
    where = [{name: place.astype(np.float32) for name, place in places(each).items()} for each in ids]
    stacks = [tower_of(trace, kind).stack for trace in traces]
    found = [np.full((len(MEASURES), len(stack.layers), stack.spec.heads), np.nan) for stack in stacks]

    def keep(run: StackRun, of: str, layer: int, weights: Floats) -> None:
        at = towers.get(id(run))
        if of != SELF or at is None:
            return
        for which, place in enumerate(where[at].values()):
            rows = int(place.any(axis=1).sum())
            if rows:
                found[at][which, layer] = np.einsum("hqk,qk->h", weights, place) / rows
        found[at][-2, layer] = _entropy(weights)
        away = np.abs(np.subtract.outer(np.arange(weights.shape[1]), np.arange(weights.shape[2]))).astype(np.float32)
        found[at][-1, layer] = np.einsum("hqk,qk->h", weights, away) / weights.shape[1]

    together((trace.run for trace in traces), keep)
    return found


def _entropy(weights: Floats) -> Floats:
    """Return the mean entropy of the rows in bits, (heads,)."""
    logs = np.log2(np.where(weights > 0.0, weights, np.float32(1.0)))
    mean: Floats = -(weights * logs).sum(axis=-1).mean(axis=-1)
    return mean


# ---- Going on where it stopped ----


def _kept(sums: _Sums, path: Path) -> bytes:
    held = {"count": sums.count, "total": sums.total, "squares": sums.squares}
    state = np.array([sums.lines, sums.skipped, path.stat().st_size], np.int64)
    return npz({**held, "state": state})


def _go_on(sums: _Sums, save: Path, path: Path) -> None:
    """Take what was added up before, if it is of this file and a model of this shape."""
    try:
        with np.load(io.BytesIO(save.read_bytes())) as stored:
            held = {name: stored[name] for name in ("count", "total", "squares", "state")}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise FileError(f"“{save.name}” holds no survey to go on with: name another file, or delete it.") from error
    size = path.stat().st_size if path.exists() else -1
    if held["total"].shape != sums.total.shape or held["state"].shape != (3,) or held["state"][2] != size:
        raise FileError(f"“{save.name}” is a survey of another text or model: name another file, or delete it.")
    sums.count, sums.total, sums.squares = held["count"], held["total"], held["squares"]
    sums.lines, sums.skipped = int(held["state"][0]), int(held["state"][1])
