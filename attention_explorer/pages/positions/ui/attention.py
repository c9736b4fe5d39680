"""What an encoding does to attention: scores against the distance, and the weights of one query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import plain, signed, weight_text
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Band, Bars, Curve, Handle, Label, Mark, widened
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Change, Hit, Item, Laid, Panel, Value
from attention_explorer.kit.theme import Look
from attention_explorer.model import tile_bounds
from attention_explorer.pages.positions import attention, said
from attention_explorer.pages.positions.attention import KindScores, PositionAttentionPicture, Term
from attention_explorer.pages.positions.kinds.registry import KINDS, kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.ui.moving import Changed, OfPosition, has_few, has_few_or_is_sampled, moved

SCORES, WEIGHTS = "Scores by distance", "Weights of the keys"
TERMS, LENGTHS = "Terms of the score", "Lengths of the vectors"
QUERY, KEY = "query", "key"
MOST_POINTS = 1200
"""Of a line; a longer one is thinned to its lowest and highest numbers."""
MOST_BARS = 200
"""Keys that have a bar of their own; of more the highest of each few is drawn."""


class Attention(OfPosition[PositionAttentionPicture]):
    """Scores of all kinds above the weights of the kind on show."""

    uses_pixels = False
    compute = staticmethod(attention.position_attention_picture)
    is_quick = staticmethod(has_few)
    headline = staticmethod(said.attention_headline)
    says = staticmethod(said.attention_says)
    arrays = staticmethod(attention.position_attention_numbers)

    def reason(self, _numbers: PositionAttentionPicture) -> str:
        return ""  # scores of the other kinds are there whatever is the matter with this one

    def is_step(self, shown: PositionsState, wanted: PositionsState) -> bool:
        """Whether at most key and query have moved: lines of other queries are kept, and waves are quickly summed."""
        return has_few_or_is_sampled(wanted) and super().is_step(
            replace(shown, query_position=wanted.query_position), wanted
        )

    def item(self, numbers: PositionAttentionPicture) -> Item[Any]:
        below: Item[Any] = Title(WEIGHTS, numbers.reason, "muted") if numbers.reason else _weights(numbers)
        return Above((_scores(numbers), below), (0.56, 0.44), gap=8.0)

    def panel(self, numbers: PositionAttentionPicture) -> Panel:
        items: tuple[Item[Any], ...] = ()
        if numbers.terms:
            hidden = " (masked)" if numbers.key >= numbers.visible else ""
            whole = Term("sum", sum(term.number for term in numbers.terms))
            title = f"score: query {numbers.query}, key {numbers.key}{hidden}"
            items += (_table(TERMS, title, (*numbers.terms, whole), is_signed=True),)
        formula = "" if numbers.reason else kind_of(numbers.state).formula_of_scores
        return Panel(f"Query {numbers.query}", items, said.attention_sentence(numbers), formula)

    def table(self, numbers: PositionAttentionPicture) -> Item[Any]:
        """Return how long the vectors are that are added."""
        return _table(LENGTHS, "length of", numbers.norms, is_signed=False)

    def words(self, numbers: PositionAttentionPicture, hit: Hit) -> str:
        if hit.item == TERMS:
            rows = (*numbers.terms, Term("sum", sum(term.number for term in numbers.terms)))
            return f"{rows[hit.part].name}: {signed(rows[hit.part].number, 5)}"
        if hit.item == LENGTHS:
            return f"length of {numbers.norms[hit.part].name}: {plain(numbers.norms[hit.part].number, 5)}"
        if hit.item == WEIGHTS:
            at = {QUERY: numbers.query, KEY: numbers.key}.get(hit.part) if isinstance(hit.part, str) else hit.part.x
            return _key_words(numbers, round(at)) if at is not None else ""
        distance = numbers.query - numbers.key if isinstance(hit.part, str) else round(hit.part.x)
        found = ((kind.kind, _main_score(kind, distance)) for kind in numbers.kinds)
        titles = said.titles_of(numbers)
        parts = (f"{titles[kind]} {signed(score, 2)}" for kind, score in found if score is not None)
        return f"distance {distance}: " + " · ".join(parts)

    def changed(self, state: PositionsState, numbers: PositionAttentionPicture, hit: Hit, to: Value) -> Changed:
        if hit.item not in (SCORES, WEIGHTS):
            return None
        key = round(to[0]) if hit.item == WEIGHTS else numbers.query - round(to[0])
        if not 0 <= key < state.length:
            return None
        if hit.part == QUERY:
            return Change(replace(state, query_position=key), "Move the query", "query_position")
        return Change(moved(state, key).state, "Move the key", "position p")

    def mark(
        self, painter: QPainter, numbers: PositionAttentionPicture, laid: Laid | QRectF, look: Look, hit: Hit
    ) -> None:
        super().mark(painter, numbers, laid, look, hit)
        if isinstance(hit.part, At) and hit.item in (SCORES, WEIGHTS):
            other = WEIGHTS if hit.item == SCORES else SCORES
            there = numbers.query - hit.part.x
            first, last = (0, numbers.state.length - 1) if other == WEIGHTS else numbers.distances
            if first <= there <= last:
                super().mark(painter, numbers, laid, look, Hit(other, At(there)))


def _table(name: str, title: str, terms: tuple[Term, ...], *, is_signed: bool) -> Table:
    write = signed if is_signed else plain
    rows = tuple((term.name, write(term.number, 3)) for term in terms)
    return Table(name, (Column(title), Column("", is_right=True)), rows, fills=False)


def _main_score(kind: KindScores, distance: int) -> float | None:
    return next((line.at(distance) for line in kind.lines if line.is_main), None)


def _key_words(numbers: PositionAttentionPicture, key: int) -> str:
    if not 0 <= key < len(numbers.weights):
        return ""
    weight = "masked" if key >= numbers.visible else weight_text(float(numbers.weights[key]))
    score = signed(float(numbers.scores[key]), 3)
    return f"query {numbers.query}, key {key} · distance {numbers.query - key} · score {score} · weight {weight}"


# ---- Scores ----


def _scores(numbers: PositionAttentionPicture) -> Plot:
    """Return the lines of every kind over the distance: those of the kind on show strong, with its other lines."""
    titles, marks, labels = said.titles_of(numbers), list[Mark](), list[Mark]()
    low, high = _range(numbers)
    for kind in sorted(numbers.kinds, key=lambda kind: kind.is_shown):
        for line in kind.lines:
            if len(line.scores) and (line.is_main or kind.is_shown):
                x = line.first + np.arange(len(line.scores), dtype=float)
                ink, wide = ("text", 2.6) if kind.is_shown and line.is_main else ("axis", 1.2)
                dash = (6.0, 4.0) if line.is_dashed else (0.0, 0.0)
                rough, places = len(x) > MOST_POINTS, _thinned(x, np.asarray(line.scores, np.float64))
                marks.append(Curve(*places, ink=ink, width=wide, dash=dash, is_rough=rough))
        main = next((line for line in kind.lines if line.is_main and len(line.scores)), None)
        if main is not None:
            labels.append(_name(numbers, kind, titles[kind.kind], low, high))
    low, high = widened(low, high)
    first, last = numbers.distances
    across = Axis(
        float(first), float(max(last, first + 1)), "distance i − j: query after key, or before it", is_whole=True
    )
    up = Axis(low, high, "score q · k ÷ √d_k", grid=True)
    handle = Handle(KEY, numbers.query - numbers.key)
    return Plot(SCORES, across, up, (*marks, handle, *reversed(labels)), snap=round, has_legend=False)


def _thinned(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return of a long line the lowest and the highest of each few, which is all that is seen of it."""
    if len(y) <= MOST_POINTS:
        return x, y
    starts = tile_bounds(len(y), MOST_POINTS // 2)[:-1]
    ends = np.stack([np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)], axis=1)
    return np.repeat(x[starts], 2) + np.tile([0.0, 1e-3], len(starts)), ends.ravel()


def _range(numbers: PositionAttentionPicture) -> tuple[float, float]:
    """Return the lowest and highest score there is room for: ALiBi's, which fall far below, only where it is shown."""
    ranges = [kind.range for kind in numbers.kinds if kind.lines and (kind.is_shown or not KINDS[kind.kind].has_slopes)]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    return low - 0.04 * (high - low), high + 0.12 * (high - low)


def _name(numbers: PositionAttentionPicture, kind: KindScores, title: str, low: float, high: float) -> Label:
    """Return the name of a kind, beside its line: each at another distance, so that they do not crowd."""
    line = next(line for line in kind.lines if line.is_main)
    first, last = numbers.distances
    place = [*KINDS].index(kind.kind)
    wanted = round(first + (0.1 + 0.8 * place / (len(KINDS) - 1)) * (last - first))
    at = min(max(wanted, line.first), line.first + len(line.scores) - 1)
    score = line.at(at) or 0.0
    if score < low:  # where it leaves the picture
        inside = line.first + np.flatnonzero(line.scores > low + 0.1 * (high - low))
        at = int(inside[np.argmin(np.abs(inside - wanted))]) if len(inside) else at
        score = line.at(at) or 0.0
    text = title
    if KINDS[kind.kind].has_slopes and kind.is_shown:
        text = f"{title}, {numbers.state.count.head(numbers.state.head_shown)}: slope {line.label}"
    return Label(float(at), score, text, "text" if kind.is_shown else "muted", 13.0, bold=kind.is_shown)


# ---- Weights ----


def _weights(numbers: PositionAttentionPicture) -> Plot:
    """Return the weights as bars, the highest of each few where keys are thinner than that."""
    count, top = len(numbers.weights), float(numbers.weights.max(initial=0.0)) or 1.0
    marks: list[Mark] = []
    if numbers.visible < numbers.state.length:
        marks.append(Band(numbers.visible - 0.5, count - 0.5, "axis", 0.16))
        middle = (numbers.visible + count - 1) / 2
        marks.append(Label(middle, 0.5 * top, "masked", "muted", fixed=True, anchor=(0.5, 0.5)))
    bounds = tile_bounds(count, MOST_BARS)
    tops = np.maximum.reduceat(numbers.weights, bounds[:-1]).tolist()
    inset = 0.1 if count <= MOST_BARS else 0.0
    lows, highs = (bounds[:-1] - 0.5 + inset).tolist(), (bounds[1:] - 0.5 - inset).tolist()
    marks.append(Bars(lows, highs, tops, ink="key", opacity=1.0))
    marks.append(Handle(KEY, numbers.key, text=f"key {numbers.key}"))
    marks.append(Handle(QUERY, numbers.query, ink="query_ink", text=f"query {numbers.query}"))
    across = Axis(-0.5, count - 0.5, "key j", is_whole=True)
    up = Axis(0.0, 1.12 * top, f"weights of query {numbers.query}")
    return Plot(WEIGHTS, across, up, tuple(marks), snap=lambda x: min(max(round(x), 0), count - 1), has_legend=False)
