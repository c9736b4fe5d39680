"""One row of a head, from the products of query and keys to the output (Vaswani et al. 2017, eq. 1), as far as known.

Of several heads in one, and of weights that were recorded, there are no scores: their row begins at the weights. A
column of the map, one key read down its queries, has the scores and weights of its cells and no output.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numerals import compact, coordinate, counted, plain, scientific, signed
from attention_explorer.core.words import capital
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, head_name
from attention_explorer.pages.heads.parts import MOST_KEYS, Part, moments
from attention_explorer.pages.heads.reading import Reading, column_reading, places_of, row_reading
from attention_explorer.pages.heads.state import LAST_STEP, HeadsState
from attention_explorer.pages.heads.wording import (
    LARGEST_PLAIN_EXPONENT,
    isolated,
    key_name,
    map_title,
    query_name,
    score_text,
    weight_text,
)
from attention_explorer.sources.source import Made


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One step of the arithmetic: a number a key, or an array a key.

    Attributes
    ----------
    part : Part
        When it comes.
    title, short : str
        What is done: "÷ √32"; and in a narrow place.
    caption : str
        The step in a sentence.
    texts, brief : tuple of str
        The number of each line in words, and with fewer digits in a narrow place; empty where there is none.
    numbers : ndarray, (lines,), or None
        What is drawn as a bar, 0 … 1.
    arrays : ndarray, (lines, features), or None
        What is drawn feature by feature, line after line.
    told : tuple of str
        Where the lines come one by one: each in a sentence.
    total : str
        What all lines add up to.
    """

    part: Part
    title: str
    caption: str
    texts: tuple[str, ...] = ()
    numbers: FloatArray | None = None
    arrays: FloatArray | None = None
    told: tuple[str, ...] = ()
    total: str = ""
    short: str = ""
    brief: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RowSteps:
    """A row, or a column of the map, with all that is done, and the moments in which that comes one after the other.

    Attributes
    ----------
    frame : HeadsFrame
        Whose row it is.
    reading : Reading
        The weights of all keys, (n_k,), or of all queries.
    named : ndarray of int
        The keys that have a line; the others are together in the last one.
    lines : tuple of str
        What stands at the left of each line.
    columns : tuple of Column
        What is known of them, from left to right.
    values : ndarray, (n_k, d_v), or None
        What is blended; None where the values are not known.
    output : ndarray, (d_v,), or None
        o; None likewise.
    """

    frame: HeadsFrame
    reading: Reading
    named: np.typing.NDArray[np.intp]
    lines: tuple[str, ...]
    columns: tuple[Column, ...]
    values: FloatArray | None = None
    output: FloatArray | None = None

    @property
    def others(self) -> int:
        """How many keys have no line of their own."""
        return len(self.reading.tokens) - len(self.named)

    def cell(self, token: int) -> tuple[int, int]:
        """Return the query and the key of one of its tokens."""
        at = self.reading.index
        return (at, token) if self.reading.is_row else (token, at)

    @property
    def title(self) -> str:
        """Whose row it is."""
        where = head_name(self.frame, self.frame.layer, self.frame.head)
        where = where if self.frame.is_one_head else map_title(self.frame)
        if not self.reading.is_row:
            return f"{where}: who attends to {key_name(self.frame, self.reading.index)}"
        return f"{where}: what query {query_name(self.frame, self.reading.index)} does"

    @property
    def has_scores(self) -> bool:
        """Whether it begins at the products."""
        return self.columns[0].part is Part.PRODUCTS

    @property
    def moments(self) -> tuple[tuple[Part, int], ...]:
        """How far the picture is at each moment: the newest part, and how many of its lines are there."""
        if not self.reading.is_row:
            return ((Part.WEIGHTS, len(self.lines)),)
        return moments(len(self.lines), has_scores=self.has_scores, has_values=self.output is not None)

    def caption(self, moment: int) -> str:
        """Return what happens at a moment, as a sentence."""
        if not self.reading.is_row:
            return self.columns[-1].caption
        part, line = self.moments[moment]
        columns = [column for column in self.columns if column.part is part]
        if not columns:
            return self._not_done(part)
        told = columns[-1].told
        return told[line - 1] if told else " ".join(column.caption for column in columns)

    def _not_done(self, part: Part) -> str:
        """Return why a part changes nothing."""
        if part is Part.SCALE:
            return "The scores are not divided by √d_k here."
        if part is Part.MASK:
            return "Nothing is hidden from this query."
        if self.frame.setup.hard:
            return "A hard lookup takes no exp: it looks for the largest score."
        if self.reading.masked.all():
            return "There is no key of whose score exp could be taken."
        return "exp of these scores is beyond the range of numbers."


@dataclass(frozen=True, eq=False)
class RowNumbers:
    """A row at one moment, with the key that is looked at.

    Attributes
    ----------
    steps : RowSteps
        The row.
    moment : int
        How far it has been computed.
    chosen : int
        The key that is pinned, or else the heaviest; of a column of the map, the query.
    is_pinned : bool
        Whether it is pinned.
    """

    steps: RowSteps
    moment: int
    chosen: int
    is_pinned: bool = True

    @property
    def frame(self) -> HeadsFrame:
        """Whose row it is."""
        return self.steps.frame

    @property
    def cell(self) -> tuple[int, int]:
        """Query and key that are looked at."""
        return self.steps.cell(self.chosen)

    @property
    def is_done(self) -> bool:
        """Whether all of it is there."""
        return self.moment == len(self.steps.moments) - 1


def row_numbers(heads: HeadsState) -> RowNumbers:
    """Return the row that is pinned, or the last one; where only a key is pinned, its column.

    Raises
    ------
    ExplorerError
        The attention cannot be computed; the message says why.
    """
    view = heads.view
    return row_at(frame_to_show(heads.setup), view.row, view.column, view.step)


def row_at(frame: HeadsFrame, row: int | None, column: int | None, step: int = LAST_STEP) -> RowNumbers:
    """Return a row of a frame up to a step, looking at the key of a column; the last row if none is given.

    A column alone is read down its queries. In place of what lies beyond a shorter sentence stands its last token.
    """
    n_q, n_k = frame.shape
    is_row = row is not None or column is None
    at = min(n_q - 1 if row is None else row, n_q - 1) if is_row else min(column or 0, n_k - 1)
    pinned = min(column, n_k - 1) if is_row and column is not None else None
    steps = row_steps(frame, at, pinned) if is_row else column_steps(frame, at)
    chosen = int(steps.reading.order[0]) if pinned is None else pinned
    return RowNumbers(steps, min(step, len(steps.moments) - 1), chosen, pinned is not None)


@kept
def row_steps(frame: HeadsFrame, row: int, key: int | None = None) -> RowSteps:
    """Take a row of the map on show apart; ``key`` is one that has a line in any case."""
    reading = row_reading(frame, row)
    named = _named(reading, key)
    known = frame.is_one_head and frame.layers[frame.layer].values is not None
    values = frame.layers[frame.layer].v[frame.head] if known else None
    parts = _Row(frame, reading, named)
    columns = [*parts.weights(), *(() if values is None else (parts.blend(values),))]
    output = None if values is None else reading.weights @ values
    return RowSteps(frame, reading, named, _lines(reading, named), tuple(columns), values, output)


@kept
def column_steps(frame: HeadsFrame, column: int) -> RowSteps:
    """Read one key of the map on show down its queries: the scores and weights of its cells."""
    reading = column_reading(frame, column)
    named = _named(reading, None)
    return RowSteps(frame, reading, named, _lines(reading, named), tuple(_Row(frame, reading, named).cells()))


def _named(reading: Reading, key: int | None) -> np.typing.NDArray[np.intp]:
    """Return which keys have a line, in their order: the heaviest where they are many, and the one looked at."""
    count = len(reading.tokens)
    if count <= MOST_KEYS:
        return np.arange(count)
    first = list(reading.order[: MOST_KEYS - 1])
    if key is not None and key not in first:
        first[-1] = key
    return np.sort(np.array(first, np.intp))


def _lines(reading: Reading, named: np.typing.NDArray[np.intp]) -> tuple[str, ...]:
    """Return what stands at the left of each line: a token, with its place where it comes more than once."""
    places, others = places_of(reading), len(reading.tokens) - len(named)
    lines = tuple(f"{isolated(reading.tokens[key])}{places[key]}" for key in named)
    return (*lines, counted(others, "other")) if others else lines


class _Row:
    """What the columns of a row have in common."""

    def __init__(self, frame: HeadsFrame, reading: Reading, named: np.typing.NDArray[np.intp]) -> None:
        self.frame, self.reading, self.named = frame, reading, named
        self.row, self.has_scores = reading.index, frame.is_one_head and frame.map.has_scores
        self.others = np.setdiff1d(np.arange(len(reading.tokens)), named)
        self.weight, self.allowed = reading.weights, ~reading.masked
        if self.has_scores:
            self.raw, self.scaled, self.masked = (
                frame.map.scores(*reading.cells, stage=stage).ravel()
                for stage in (Stage.SCORES, Stage.SCALED, Stage.MASKED)
            )

    def weights(self) -> Iterator[Column]:
        """Yield the columns up to the weights, as far as they are known."""
        if self.has_scores:
            yield from (self._products(), *self._scaling(), *self._masking(), *self._softmax())
        else:
            yield self._shares("weight", f"{self._where_from()} {capital(self.reading.note)}.")

    def cells(self) -> Iterator[Column]:
        """Yield what is known of the cells of a column of the map."""
        if self.has_scores:
            yield self._scores(Part.WEIGHTS, "q · k", "", self.raw)
            if self.frame.setup.scaled:
                yield self._scores(Part.WEIGHTS, f"÷ √{self.frame.head_width}", "", self.scaled)
        said = f"Each is a share of the row of its query. {capital(self.reading.note)}."
        yield self._shares("weight", said)

    def _where_from(self) -> str:
        """Return where weights come from that no scores lead to."""
        if self.frame.is_one_head and self.frame.source.traits.made is Made.RECORDED:
            return f"These weights are {self.frame.source.weight_words()}: no scores lead to them."
        if self.frame.is_one_head:
            return "These weights are as they were computed: the scores are not shown."
        return f"The {map_title(self.frame)} has weights only."

    def _word(self, key: int) -> str:
        return f"“{isolated(self.frame.keys[key])}”"

    def _scores(self, part: Part, title: str, said: str, scores: FloatArray, **more: Any) -> Column:  # noqa: ANN401 # of it
        """Return a column of scores."""
        texts = self._ended(tuple(score_text(float(score)) for score in scores[self.named]))
        brief = self._ended(tuple(_brief(float(score), sign=True) for score in scores[self.named]))
        return Column(part, title, said, texts, brief=brief, **more)

    def _ended(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return texts of the keys that have a line, with nothing for the others."""
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
        return self._scores(Part.PRODUCTS, "q · k", "", self.raw, arrays=arrays, told=tuple(told))

    def _scaling(self) -> Iterator[Column]:
        if self.frame.setup.scaled:
            width = self.frame.head_width
            root = coordinate(math.sqrt(width), 4)
            said = f"Every sum is divided by √{width} = {root}, the root of how many products it adds up."
            yield self._scores(Part.SCALE, f"÷ √{width}", said, self.scaled)

    def _masking(self) -> Iterator[Column]:
        if bool(np.any(self.masked[self.allowed] != self.scaled[self.allowed])):
            said = "A number that depends on the distance alone is added to every score."
            yield self._scores(Part.MASK, "+ bias", said, np.where(self.allowed, self.masked, self.scaled))
        hidden = int((~self.allowed).sum())
        if hidden:
            what = counted(hidden, "key")
            said = f"The mask hides {what}: −∞, of which exp makes exactly 0."
            yield self._scores(Part.MASK, "mask", said, np.where(self.allowed, self.masked, -np.inf))

    def _softmax(self) -> Iterator[Column]:
        if not self.allowed.any():
            said = "There is no key that this query may attend to: all weights are 0."
            yield self._shares("weight", said, has_total=False)
            return
        if self.frame.setup.hard:
            best = self._word(int(self.weight.argmax()))
            yield self._shares("largest", f"Hard lookup: the largest score, that of {best}, takes everything.")
            return
        exponentials = self._exponentials()
        if exponentials is None:
            said = "The softmax of scores beyond the range of numbers: weights are known all the same, and sum to 1."
            yield self._shares("softmax", said)
            return
        yield exponentials[0]
        total = scientific(float(exponentials[1].sum()))
        yield self._shares(f"÷ {total}", f"Each is divided by the sum of all, {total}: the weights sum to 1.")

    def _shares(self, title: str, said: str, *, has_total: bool = True) -> Column:
        weights = self.weight[self.named]
        if len(self.others):
            weights = np.append(weights, self.weight[self.others].sum())
        texts = tuple(weight_text(float(weight)) for weight in weights)
        total = weight_text(float(self.weight.sum())) if has_total else ""
        brief = tuple(f"{weight:.2f}" if weight else "0" for weight in weights.tolist())
        return Column(Part.WEIGHTS, title, said, texts, weights, total=total, short="weight", brief=brief)

    def _exponentials(self) -> tuple[Column, FloatArray] | None:
        """Return exp of every score, of which the sum is shared out; None where the scores are beyond all numbers."""
        temperature = self.frame.setup.temperature
        found = exponentials_of(self.masked, self.allowed, temperature)
        if found is None:
            return None
        exponentials, shift = found
        inner = "s" if temperature == 1.0 else f"s ÷ {coordinate(temperature, 4)}"
        name = f"exp({inner} − {compact(shift)})" if shift else ("exp" if temperature == 1.0 else f"exp({inner})")
        said = "exp makes every score positive; a score that is larger by 1 counts 2.718 times as much."
        if shift:
            said = f"{said} The largest is subtracted first, which changes no weight and keeps the numbers small."
        shown = exponentials[self.named]
        if len(self.others):
            shown = np.append(shown, exponentials[self.others].sum())
        texts, brief = (tuple(write(number) for number in shown.tolist()) for write in (scientific, _brief))
        total = scientific(float(exponentials.sum()))
        return Column(Part.EXP, name, said, texts, total=total, short="exp", brief=brief), exponentials

    def blend(self, values: FloatArray) -> Column:
        """Return what each key adds to the output."""
        query = query_name(self.frame, self.row)
        arrays = self.weight[self.named, None] * values[self.named]
        told = [f"{weight_text(float(self.weight[key]))} of the value of {self._word(key)} goes into the output."
                for key in self.named]  # fmt: skip
        if len(self.others):
            arrays = np.vstack([arrays, self.weight[self.others] @ values[self.others]])
            share = weight_text(float(self.weight[self.others].sum()))
            told.append(f"{share} comes from all others. Their sum is o: what {query} takes with it.")
        else:
            told[-1] = f"{told[-1]} Their sum is o: what {query} takes with it."
        return Column(Part.VALUES, "α · v", "", arrays=arrays, told=tuple(told), short="× v")


def _brief(number: float, *, sign: bool = False) -> str:
    """Return a number with a digit or two behind the point, or in powers of ten."""
    size = abs(number)
    if not number:
        return "0"
    if not math.isfinite(number) or size >= 1000.0:
        return score_text(number) if sign and not math.isfinite(number) else scientific(number, 1)
    return (signed if sign else plain)(number, 2 if size < 10.0 else 1 if size < 100.0 else 0)


def exponentials_of(scores: FloatArray, allowed: BoolArray, temperature: float) -> tuple[FloatArray, float] | None:
    """Return exp of scores ÷ temperature less a number, (n_k,), and that number: 0 unless exp would be very large.

    None where the scores are beyond all numbers, or there are none.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        warm = np.where(allowed, scores, -np.inf) / temperature
        largest = float(warm.max(initial=-np.inf))
        if not math.isfinite(largest):
            return None
        shift = largest if abs(largest) > LARGEST_PLAIN_EXPONENT else 0.0
        return np.exp(warm - shift), shift


def row_arrays(steps: RowSteps) -> dict[str, np.typing.NDArray[np.generic]]:
    """Return all numbers of a row by their names, the weights first: of every key, also of those without a line."""
    frame, reading = steps.frame, steps.reading
    found: dict[str, np.typing.NDArray[np.generic]] = {
        "row_weights" if reading.is_row else "column_weights": reading.weights
    }
    if frame.is_one_head and frame.map.has_scores:
        for stage in (Stage.SCORES, Stage.SCALED, Stage.MASKED):
            name = f"{'row' if reading.is_row else 'column'}_{stage.value}"
            found[name] = frame.map.scores(*reading.cells, stage=stage).ravel()
        if reading.is_row:
            map_ = frame.query_key_map
            found["products"] = map_.q[reading.index] * map_.k
    if steps.values is not None and steps.output is not None:
        found["weighted_values"] = reading.weights[:, None] * steps.values
        found["row_output"] = steps.output
    found["row_allowed" if reading.is_row else "column_allowed"] = ~reading.masked
    found["tokens"] = np.asarray(reading.tokens)
    return found
