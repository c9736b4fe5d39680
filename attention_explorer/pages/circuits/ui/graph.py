"""A graph of heads by layer: lines join who writes and who reads, the wider the more."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import colour_of, draw_circle, draw_line, pen
from attention_explorer.kit.items.item import Hit, Item, walked
from attention_explorer.kit.theme import Look

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
