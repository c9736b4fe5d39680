"""One row of a head step by step, from the products of query and keys to the output (Vaswani et al. 2017, eq. 1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import compact, coordinate, counted, scientific
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.wording import (
    LARGEST_PLAIN_EXPONENT,
    isolated,
    key_name,
    one,
    query_name,
    score_text,
    weight_text,
)

MOST_KEYS = 12
"""Keys by name; of more, the heaviest, and all others together in one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One step of the arithmetic: a number a key, or an array a key.

    Attributes
    ----------
    title : str
        What is done: "÷ √32".
    caption : str
        The step in a sentence.
    texts : tuple of str
        The number of each line in words; empty where there is none.
    numbers : ndarray, (lines,), or None
        What is drawn as a bar, 0 … 1.
    arrays : ndarray, (lines, features), or None
        What is drawn feature by feature, line after line.
    told : tuple of str
        Where the lines come one by one: each in a sentence.
    total : str
        What all lines add up to.
    """

    title: str
    caption: str
    texts: tuple[str, ...] = ()
    numbers: FloatArray | None = None
    arrays: FloatArray | None = None
    told: tuple[str, ...] = ()
    total: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RowSteps:
    """A row with all its columns, and the moments in which they come one after the other."""

    title: str
    lines: tuple[str, ...]
    """The keys, the last perhaps standing for many."""
    columns: tuple[Column, ...]
    output: FloatArray | None
    """o, (d_v,); None where the values are not known."""

    @property
    def moments(self) -> tuple[tuple[int, int], ...]:
        """How far the picture is at each moment: the newest column, and how many of its lines are there."""
        return tuple(self._moments())

    def _moments(self) -> Iterator[tuple[int, int]]:
        for place, column in enumerate(self.columns):
            if column.told:
                yield from ((place, line) for line in range(1, len(column.told) + 1))
            else:
                yield place, len(self.lines)

    def caption(self, moment: int) -> str:
        """Return what happens at a moment, as a sentence."""
        place, line = self.moments[moment]
        column = self.columns[place]
        return column.told[line - 1] if column.told else column.caption


@kept
def row_steps(frame: HeadsFrame, row: int) -> RowSteps:
    """Take a row of the head on show apart.

    Raises
    ------
    ExplorerError
        Only the weights of the head are known.
    """
    return _Row(frame, row).steps()


class _Row:
    """What the columns of a row have in common."""

    def __init__(self, frame: HeadsFrame, row: int) -> None:
        self.frame, self.row = frame, row
        map_ = frame.query_key_map
        self.raw, self.scaled, self.masked = (
            map_.scores(one(row), stage=stage)[0] for stage in (Stage.SCORES, Stage.SCALED, Stage.MASKED)
        )
        self.allowed = map_.allowed(one(row))[0]
        self.weights = map_.weights(one(row))[0]
        n_k = len(self.weights)
        heaviest = np.argsort(-self.weights, kind="stable")
        self.named = np.sort(heaviest[: n_k if n_k <= MOST_KEYS else MOST_KEYS - 1])
        self.others = np.setdiff1d(np.arange(n_k), self.named)
        self.query = query_name(frame, row)

    def steps(self) -> RowSteps:
        """Return the row with its columns."""
        columns = [self._products(), *self._scaling(), *self._masking(), *self._softmax()]
        output = None
        if self.frame.layers[self.frame.layer].values is not None:
            values = self.frame.layers[self.frame.layer].v[self.frame.head]
            columns.append(self._blend(values))
            output = self.weights @ values
        lines = tuple(key_name(self.frame, key) for key in self.named)
        if len(self.others):
            lines = (*lines, f"{len(self.others)} others")
        where = head_name(self.frame, self.frame.layer, self.frame.head)
        return RowSteps(f"{where}: what query {self.query} does", lines, tuple(columns), output)

    def _word(self, key: int) -> str:
        return f"“{isolated(self.frame.keys[key])}”"

    def _texts(self, scores: FloatArray) -> tuple[str, ...]:
        """Return the scores of the keys that have a name, and nothing for the others."""
        texts = tuple(score_text(float(score)) for score in scores[self.named])
        return (*texts, "…") if len(self.others) else texts

    def _products(self) -> Column:
        map_ = self.frame.query_key_map
        with np.errstate(over="ignore", under="ignore"):
            arrays = map_.q[self.row] * map_.k[self.named]
        count = counted(self.frame.head_width, "product")
        told = [f"q · k of {self._word(key)}: {count}, which add up to {score_text(float(self.raw[key]))}."
                for key in self.named]  # fmt: skip
        if len(self.others):
            told.append(f"The same for {counted(len(self.others), 'other key')}: all at once, as one matrix product.")
        return Column("q · k", "", self._texts(self.raw), arrays=arrays, told=tuple(told))

    def _scaling(self) -> Iterator[Column]:
        if self.frame.setup.scaled:
            width = self.frame.head_width
            root = coordinate(math.sqrt(width), 4)
            said = f"Every sum is divided by √{width} = {root}, the root of how many products it adds up."
            yield Column(f"÷ √{width}", said, self._texts(self.scaled))

    def _masking(self) -> Iterator[Column]:
        if bool(np.any(self.masked[self.allowed] != self.scaled[self.allowed])):
            said = "A number that depends on the distance alone is added to every score."
            yield Column("+ bias", said, self._texts(np.where(self.allowed, self.masked, self.scaled)))
        hidden = int((~self.allowed).sum())
        if hidden:
            what = counted(hidden, "key")
            said = f"The mask hides {what}: −∞, of which exp makes exactly 0."
            yield Column("mask", said, self._texts(np.where(self.allowed, self.masked, -np.inf)))

    def _softmax(self) -> Iterator[Column]:
        weights = self.weights[self.named]
        if len(self.others):
            weights = np.append(weights, self.weights[self.others].sum())
        texts = tuple(weight_text(float(weight)) for weight in weights)
        if not self.allowed.any():
            yield Column("weight", "There is no key that this query may attend to: all weights are 0.", texts, weights)
            return
        if self.frame.setup.hard:
            said = (
                f"Hard lookup: the largest score, that of {self._word(int(self.weights.argmax()))}, takes everything."
            )
            yield Column("largest", said, texts, weights, total=weight_text(float(self.weights.sum())))
            return
        total = 0.0
        exponentials = self._exponentials()
        if exponentials is not None:
            total = float(exponentials[1].sum())
            yield exponentials[0]
        what = f"÷ {scientific(total)}" if exponentials is not None else "softmax"
        said = f"Each is divided by the sum of all, {scientific(total)}: the weights sum to 1."
        if exponentials is None:
            said = (
                "The softmax of scores beyond the range of numbers: the weights are known all the same, and sum to 1."
            )
        yield Column(what, said, texts, weights, total=weight_text(float(self.weights.sum())))

    def _exponentials(self) -> tuple[Column, FloatArray] | None:
        """Return exp of every score, of which the sum is shared out; None where the scores are beyond all numbers."""
        temperature = self.frame.setup.temperature
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            warm = np.where(self.allowed, self.masked, -np.inf) / temperature
            largest = float(warm.max())
            if not math.isfinite(largest):
                return None
            shift = largest if abs(largest) > LARGEST_PLAIN_EXPONENT else 0.0
            exponentials = np.exp(warm - shift)
        inner = "s" if temperature == 1.0 else f"s ÷ {coordinate(temperature, 4)}"
        name = f"exp({inner} − {compact(shift)})" if shift else ("exp" if temperature == 1.0 else f"exp({inner})")
        said = "exp makes every score positive; a score that is larger by 1 counts 2.718 times as much."
        if shift:
            said = f"{said} The largest is subtracted first, which changes no weight and keeps the numbers small."
        texts = tuple(scientific(float(number)) for number in exponentials[self.named])
        if len(self.others):
            texts = (*texts, scientific(float(exponentials[self.others].sum())))
        return Column(name, said, texts, total=scientific(float(exponentials.sum()))), exponentials

    def _blend(self, values: FloatArray) -> Column:
        arrays = self.weights[self.named, None] * values[self.named]
        told = [f"{weight_text(float(self.weights[key]))} of the value of {self._word(key)} goes into the output."
                for key in self.named]  # fmt: skip
        if len(self.others):
            arrays = np.vstack([arrays, self.weights[self.others] @ values[self.others]])
            share = weight_text(float(self.weights[self.others].sum()))
            told.append(f"{share} comes from all others. Their sum is o: what {self.query} takes with it.")
        else:
            told[-1] = f"{told[-1]} Their sum is o: what {self.query} takes with it."
        return Column("α · v", "", arrays=arrays, told=tuple(told))
