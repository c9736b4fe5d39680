"""Pictures of how heads work together: who reads whom, and the circuit that was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core import numbers_export
from attention_explorer.core.numerals import counted, plain, signed
from attention_explorer.kit.drawing.marks import colour_of, draw_circle, draw_line, pen
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.item import Arrays, Hit, Item, Value, walked
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Change, Panel
from attention_explorer.kit.theme import Look
from attention_explorer.pages.circuits import said, seen
from attention_explorer.pages.circuits import said_of_text as told
from attention_explorer.pages.circuits.seen import FoundSeen, ReadsSeen
from attention_explorer.pages.circuits.state import CircuitsState, Reads
from attention_explorer.pages.circuits.ui.heads import AskedPicture, losses, with_head

Node = tuple[int, int]
LEFT, AROUND, WIDEST, LARGEST, SMALLEST = 64, 16, 9.0, 24.0, 3.5
"""Pixels at zoom 1: room for names at the left and around, of the widest line, and of the radius of a head."""
NAMED_FROM = 12.0
"""The radius from which a head has its name in it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from who writes to who reads, and how strong it is, 0 to 1."""

    writer: Node
    reader: Node
    strength: float


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Where the heads are."""

    box: QRectF
    area: QRectF
    rows: int
    columns: int
    radius: float

    def centre(self, node: Node) -> QPointF:
        """Return the middle of a head; the first layer is at the bottom."""
        inner = self.inner
        across, up = (at / max(count - 1, 1) for at, count in zip(node[::-1], (self.columns, self.rows), strict=True))
        return QPointF(inner.left() + across * inner.width(), inner.bottom() - up * inner.height())

    @property
    def inner(self) -> QRectF:
        """The box between the middles of the outermost heads."""
        return self.area.adjusted(self.radius, self.radius, -self.radius, -self.radius)


@dataclass(frozen=True, slots=True)
class HeadGraph(Item[GraphLayout]):
    """The graph; a `Hit` says (layer, head).

    Attributes
    ----------
    rows : tuple of str
        What the layers are called.
    named : tuple of tuple of str
        What the heads are called, layer by layer.
    edges : tuple of Edge
        The strongest last, so that it lies on top.
    chosen : (int, int) or None
        The head that is looked at.
    ink : str
        A field of `Theme` for the lines.
    """

    name: str
    rows: tuple[str, ...]
    named: tuple[tuple[str, ...], ...]
    edges: tuple[Edge, ...]
    chosen: Node | None = None
    ink: str = "key"
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> GraphLayout:
        px, rows, columns = look.px, len(self.rows), len(self.named[0])
        area = box.adjusted(px(LEFT), px(8), -px(8), -px(8))
        cell = min(area.width() / columns, area.height() / rows)
        radius = min(max(0.32 * cell, SMALLEST * look.zoom), LARGEST * look.zoom)
        return GraphLayout(box, area, rows, columns, radius)

    def data_box(self, layout: GraphLayout) -> QRectF:
        around = layout.radius
        first, last = layout.centre((layout.rows - 1, 0)), layout.centre((0, layout.columns - 1))
        return QRectF(first, last).adjusted(-around, -around, around, around)

    def paint(self, painter: QPainter, layout: GraphLayout, look: Look, *, vector: bool = False) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for edge in self.edges:
            self._paint_edge(painter, layout, look, edge, self._is_quiet(edge))
        painter.setFont(look.font(12))
        for row, words in enumerate(self.rows):
            middle = layout.centre((row, 0)).y()
            line = QRectF(layout.box.left(), middle - look.px(9), look.px(LEFT - 8), look.px(18))
            step = max(1, round(look.px(18) / max(layout.area.height() / layout.rows, 1)))
            if row % step == 0:
                painter.setPen(colour_of(look.theme.muted))
                painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        for row, names in enumerate(self.named):
            for column in range(len(names)):
                self._paint_node(painter, layout, look, (row, column), lit=(row, column) == self.chosen)

    def _is_quiet(self, edge: Edge) -> bool:
        return self.chosen is not None and self.chosen not in (edge.writer, edge.reader)

    def _paint_edge(self, painter: QPainter, layout: GraphLayout, look: Look, edge: Edge, quiet: bool) -> None:
        width = max(WIDEST * edge.strength, 0.6) * look.zoom
        opacity = 0.22 if quiet else 0.35 + 0.6 * edge.strength
        stroke = pen(look.theme.axis if quiet else getattr(look.theme, self.ink), width, opacity=opacity)
        draw_line(painter, layout.centre(edge.writer), layout.centre(edge.reader), stroke)

    def _paint_node(self, painter: QPainter, layout: GraphLayout, look: Look, node: Node, *, lit: bool) -> None:
        theme, centre, radius = look.theme, layout.centre(node), layout.radius
        stroke = pen(theme.strong if lit else theme.axis, (2.0 if lit else 1.2) * look.zoom)
        draw_circle(painter, centre, radius, stroke, colour_of(theme.strong if lit else theme.card))
        if radius >= NAMED_FROM * look.zoom:
            painter.setFont(look.font(13, bold=lit))
            painter.setPen(colour_of(theme.strong_text if lit else theme.text))
            box = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.named[node[0]][node[1]])

    def hit(self, layout: GraphLayout, place: QPointF) -> Hit | None:
        if not layout.area.contains(place):
            return None
        inner = layout.inner
        column = round((place.x() - inner.left()) / max(inner.width(), 1.0) * (layout.columns - 1))
        row = round((inner.bottom() - place.y()) / max(inner.height(), 1.0) * (layout.rows - 1))
        return Hit(self.name, (min(max(row, 0), layout.rows - 1), min(max(column, 0), layout.columns - 1)))

    def mark(self, painter: QPainter, layout: GraphLayout, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = self._path(hit.part)
        for edge in path:
            self._paint_edge(painter, layout, look, edge, quiet=False)
        for node in {hit.part, *(end for edge in path for end in (edge.writer, edge.reader))}:
            self._paint_node(painter, layout, look, node, lit=node == hit.part)

    def _path(self, node: Node) -> list[Edge]:
        """Return the lines that lead to a head and on from it, through all layers."""
        found = []
        for forwards in (False, True):
            reached = {node}
            for edge in sorted(
                self.edges, key=lambda each: each.writer if forwards else each.reader, reverse=not forwards
            ):
                begin, end = (edge.writer, edge.reader) if forwards else (edge.reader, edge.writer)
                if begin in reached:
                    reached.add(end)
                    found.append(edge)
        return found

    def walk(self, hit: Hit | None, key: int) -> Hit | None:
        upside_down = {int(Qt.Key.Key_Up): int(Qt.Key.Key_Down), int(Qt.Key.Key_Down): int(Qt.Key.Key_Up)}
        return walked(self.name, hit, upside_down.get(key, key), (len(self.rows), len(self.named[0])))

    def spoken(self) -> str:
        lines = (f"{self._called(edge.writer)} to {self._called(edge.reader)}" for edge in reversed(self.edges))
        return f"{self.name}: {'; '.join(lines)}" if self.edges else self.name

    def _called(self, node: Node) -> str:
        return self.named[node[0]][node[1]]


READS, PAIRS, FOUND = "Who reads whom", "Joined most", "The heads of the circuit"
MOST_EDGES, MOST_PAIRS = 48, 5
"""Lines of the graph, and pairs beside it."""
INKS = {Reads.KEYS: "key", Reads.QUERIES: "query", Reads.VALUES: "value"}
COLUMNS = (
    Column("head", is_bold=True),
    Column("one back", is_right=True),
    Column("at what followed", is_right=True),
    Column("loss when off", is_right=True),
    Column("what it is", rank=1),
)


class ReadsPicture(AskedPicture):
    """Who reads whom, by the weights alone."""

    compute = staticmethod(seen.reads_seen)
    headline = staticmethod(told.reads_headline)
    axes = "writing layer, writing head, reading layer, reading head"
    truths = (
        "Weights know nothing of rotary positions, of how norms scale, nor of what networks do between.",
        "0 is what random heads of this size have.",
    )

    def shape(self, numbers: ReadsSeen) -> tuple[int, ...]:
        return numbers.scores.shape[:2]

    def item(self, numbers: ReadsSeen) -> Item[Any]:
        scores, count = numbers.scores, numbers.state.count
        pairs = told.strongest(scores, MOST_EDGES)
        top = pairs[0][2] if pairs else 1.0
        edges = tuple(Edge(writer, reader, score / top) for writer, reader, score in reversed(pairs))
        layers, heads = scores.shape[:2]
        names = tuple(tuple(said.name(count, (layer, head)) for head in range(heads)) for layer in range(layers))
        rows = tuple(map(count.layer, range(layers)))
        return HeadGraph(READS, rows, names, edges, numbers.head, INKS[numbers.state.reads])

    def panel(self, numbers: ReadsSeen) -> Panel:
        pairs, count = told.strongest(numbers.scores, MOST_PAIRS), numbers.state.count
        top = pairs[0][2] if pairs else 1.0
        bars = tuple(
            Bar("", score / top, signed(score), "", f"{said.name(count, writer)} → {said.name(count, reader)}")
            for writer, reader, score in pairs
        )
        items = (NamedBars(PAIRS, ("", "above chance"), bars, INKS[numbers.state.reads]),) if bars else ()
        by = told.READ_BY[numbers.state.reads]
        sentence = (
            f"How much of what a head writes a later one reads by its {by}, less what random heads have. From the "
            "weights alone: nothing was run. What breaks measures it."
        )
        return Panel(PAIRS, items, sentence)

    def says(self, numbers: ReadsSeen) -> tuple[str, ...]:
        return said.OF_WEIGHTS, said.how_counted(numbers.state.count)

    def words(self, numbers: ReadsSeen, hit: Hit) -> str:
        return told.pair_words(numbers, hit.part if hit.item == READS else numbers.head)

    def changed(self, state: CircuitsState, _numbers: object, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        return with_head(state, hit.part, state.count) if hit.item == READS else None

    def arrays(self, numbers: ReadsSeen) -> Arrays:
        return {numbers.state.reads.value: numbers.scores}


class Found(AskedPicture):
    """The circuit that copies: who looks back, who copies, and what breaks without them."""

    compute = staticmethod(seen.found_seen)
    stream = staticmethod(seen.found_stream)
    headline = staticmethod(said.found_headline)
    truths = ("Found on one random text that is said twice: other seeds can give other numbers.",)

    def item(self, numbers: FoundSeen) -> Item[Any]:
        found = numbers.finding
        rows = tuple(_row(numbers, head) for head in _heads(numbers))
        inks = tuple("key" if each in found.back else "value" if each in found.copy else "" for each in _heads(numbers))
        return Table(FOUND, COLUMNS, rows, inks)

    def panel(self, numbers: FoundSeen) -> Panel:
        found = numbers.finding
        named = (
            ("all on", found.all_on),
            (counted(len(found.others), "other"), said.mean_loss_of_others(found)),
            ("back off", found.without_back),
            ("copy off", found.without_copy),
            ("first time", found.first),
        )
        return Panel("Loss on the copy", (losses(named),), said.found_in_short(numbers))

    def says(self, numbers: FoundSeen) -> tuple[str, ...]:
        return *said.found_sentences(numbers), said.MEASURED, said.how_counted(numbers.state.count)

    def words(self, numbers: FoundSeen, hit: Hit) -> str:
        if hit.item != FOUND or hit.part >= len(_heads(numbers)):
            return " ".join(said.found_sentences(numbers))
        head = _heads(numbers)[hit.part]
        row = dict(zip((column.title for column in COLUMNS), _row(numbers, head), strict=True))
        told_of = f"looks one back {row['one back']}, at what followed {row['at what followed']}"
        place = numbers.state.count.place(*head)
        return f"{place}: {told_of}; loss on the copy when off {row['loss when off']}. {said.MEASURED}"

    def changed(self, state: CircuitsState, numbers: FoundSeen, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        return with_head(state, _heads(numbers)[hit.part], state.count) if hit.item == FOUND else None

    def has(self, numbers: FoundSeen, hit: Hit) -> bool:
        return hit.item == FOUND and hit.part < len(_heads(numbers))

    def arrays(self, numbers: FoundSeen) -> Arrays:
        found = numbers.finding
        arrays = {"loss": found.loss, "previous": found.previous, "induction": found.induction, "joined": found.joined}
        return {name: np.asarray(array) for name, array in arrays.items()}

    def told(self, numbers: FoundSeen) -> dict[str, object]:
        found = numbers.finding
        named = {name: [list(each) for each in heads] for name, heads in found.named_heads().items()}
        known = {"all_on": found.all_on, "first": found.first}
        off = {"without_back": found.without_back, "without_copy": found.without_copy}
        return {**named, **known, **{name: loss for name, loss in off.items() if not math.isnan(loss)}}

    def lines(self, numbers: FoundSeen) -> numbers_export.Table:
        found = numbers.finding
        rows = []
        for head in _heads(numbers):
            scores = (float(np.asarray(array)[head]) for array in (found.previous, found.induction, found.loss))
            rows.append((*head, *scores, said.verdict(found, head)))
        return numbers_export.Table.of(("layer", "head", "previous", "induction", "loss_off", "it"), rows)


def _heads(numbers: FoundSeen) -> list[tuple[int, int]]:
    """Return the heads of the table: who looks back, who copies, and the others."""
    found = numbers.finding
    return list(dict.fromkeys((*found.back, *found.copy, *found.others)))


def _row(numbers: FoundSeen, head: tuple[int, int]) -> tuple[str, ...]:
    found = numbers.finding
    loss = float(np.asarray(found.loss)[head])
    scores = (plain(float(np.asarray(array)[head])) for array in (found.previous, found.induction))
    off = "…" if math.isnan(loss) else plain(loss)
    return said.name(numbers.state.count, head), *scores, off, said.verdict(found, head)
