"""What is drawn on the Training page: all heads small, one large, and how its row came about."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.heatmap import paint_cells
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.drawing.marks import colour_of, pen
from attention_explorer.kit.map_item import BarItem, MapItem, SmallMapItem
from attention_explorer.kit.scene import Item
from attention_explorer.kit.theme import Look
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.pages.training import pair_words, words
from attention_explorer.pages.training.moment import WEIGHTS, Moment, picture_of
from attention_explorer.pages.training.state import Head, TrainingState
from attention_explorer.pages.training.ui.pair_pictures import CAPTION_HEIGHT, CaptionItem, OtherMapItem

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter

LEAST_STRIP = 42
"""Pixels at zoom 1 that a row of weights takes with its words."""
LEAST_SMALL = 84
"""Pixels at zoom 1 that a small map has of the width, however much the large one could use."""
WORDS_OF_SMALL = 36
"""Pixels at zoom 1 by which a small map with its words is higher than wide."""
NARROW = 640
"""Pixels at zoom 1 of a room that is too narrow for three columns."""

Strip = tuple[str, str, Floats]
"""A row of weights: what stands below it in two parts, and its weights."""


class StripsItem(Item):
    """The row that answers, at some steps one below the other; what is under the pointer is a strip and a key."""

    title = "how it came about"

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.strips: tuple[Strip, ...] = ()
        self.masked: Bools = np.zeros(0, bool)

    def show_strips(self, strips: Iterable[Strip], masked: Bools) -> None:
        """Show other rows; ``masked``, (n_k,), is True where none of them may look."""
        self.strips, self.masked = tuple(strips), masked
        self.update()

    def _rows(self) -> list[tuple[int, QRectF]]:
        """Return which strips there is room for and where they are: the first and the latest ones."""
        px, count = self.look.px, len(self.strips)
        room = self.box.height() - px(28)
        fitting = min(max(int(room // px(LEAST_STRIP)), 1), count)
        shown = [*range(min(fitting - 1, 1)), *range(count - max(fitting - 1, 1), count)]
        high = min(room / max(len(shown), 1), px(64))
        top = self.box.top() + px(28)
        return [
            (number, QRectF(self.box.left(), top + place * high, self.box.width(), px(20)))
            for place, number in enumerate(shown)
        ]

    def hit(self, place: QPointF) -> tuple[int, int] | None:
        for number, row in self._rows():
            if row.contains(place):
                return number, int((place.x() - row.left()) / row.width() * len(self.strips[number][2]))
        return None

    def draw(self, painter: QPainter) -> None:
        px, theme = self.look.px, self.look.theme
        if not self.strips:
            return
        painter.setFont(self.look.font(13, bold=True))
        painter.setPen(colour_of(theme.text))
        painter.drawText(QRectF(self.box.left(), self.box.top(), self.box.width(), px(22)), LEFT, self.title)
        for number, row in self._rows():
            when, what, weights = self.strips[number]
            picture = MapPicture(weights[None], self.masked[None], WEIGHTS, "viridis", ("",), ("",) * len(weights))
            layout = HeatmapLayout(row, 1, len(weights), Labels(1.0, 1), Labels(1.0, 1), QRectF())
            paint_cells(painter, picture, layout, self.look)
            below = QRectF(row.left(), row.bottom() + px(2), row.width(), px(18))
            painter.setFont(self.look.font(12))
            painter.setPen(colour_of(theme.text))
            painter.drawText(below, LEFT, when)
            painter.setPen(colour_of(theme.muted))
            painter.drawText(below, RIGHT, what)


class PlaneItem(Item):
    """Where the queries and keys of a dictionary stand: they learned it."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.points: tuple[Floats, Floats] | None = None

    def show_points(self, points: tuple[Floats, Floats] | None) -> None:
        """Show points, (queries, keys), each (n, 2)."""
        self.points = points
        self.update()

    def draw(self, painter: QPainter) -> None:
        if self.points is None:
            return
        px, theme = self.look.px, self.look.theme
        side = min(self.box.width(), self.box.height() - px(44))
        room = QRectF(self.box.left(), self.box.top() + px(24), side, side)
        painter.setFont(self.look.font(13, bold=True))
        painter.setPen(colour_of(theme.text))
        painter.drawText(QRectF(room.left(), self.box.top(), side, px(22)), LEFT, "where they stand")
        painter.setPen(pen(theme.border, 1.0))
        painter.setBrush(colour_of(theme.plane))
        painter.drawRect(room)
        far = max(float(np.abs(np.concatenate(self.points)).max()), 1.0) * 1.15
        painter.setPen(pen(theme.grid, 1.0))
        painter.drawLine(QPointF(room.left(), room.center().y()), QPointF(room.right(), room.center().y()))
        painter.drawLine(QPointF(room.center().x(), room.top()), QPointF(room.center().x(), room.bottom()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, rows, colour in (("q", self.points[0], theme.query), ("k", self.points[1], theme.key)):
            for number, (x, y) in enumerate(rows.tolist(), start=1):
                at = QPointF(room.center().x() + x / far * side / 2, room.center().y() - y / far * side / 2)
                self._mark(painter, at, f"{name}{number}", colour, is_key=name == "k")
        painter.setFont(self.look.font(12))
        painter.setPen(colour_of(theme.muted))
        below = QRectF(room.left(), room.bottom() + px(2), side, px(18))
        painter.drawText(below, LEFT, f"● queries   ■ keys   ±{far:.3g}")

    def _mark(self, painter: QPainter, at: QPointF, name: str, colour: str, *, is_key: bool) -> None:
        half = self.look.px(4)
        painter.setPen(pen(self.look.theme.card, 1.0))
        painter.setBrush(colour_of(colour))
        if is_key:
            painter.drawRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half))
        else:
            painter.drawEllipse(at, half, half)
        painter.setFont(self.look.font(10))
        painter.setPen(colour_of(self.look.theme.text))
        painter.drawText(QPointF(at.x() + half + 1, at.y() + (2.4 * half if is_key else -half)), name)


class BarsItem(Item):
    """The most probable answers as bars with their numbers."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.told: tuple[tuple[str, float, bool], ...] = ()

    def show_answers(self, told: tuple[tuple[str, float, bool], ...]) -> None:
        """Show answers: word, probability, whether it is right."""
        self.told = told
        self.update()

    def draw(self, painter: QPainter) -> None:
        px, theme = self.look.px, self.look.theme
        high = self.box.height() / max(len(self.told), 1)
        for place, (word, chance, is_right) in enumerate(self.told):
            row = QRectF(self.box.left(), self.box.top() + place * high, self.box.width(), high)
            painter.setFont(self.look.font(13, bold=place == 0))
            painter.setPen(colour_of(theme.text))
            painter.drawText(QRectF(row.left(), row.top(), px(74), high), RIGHT, f"✓ {word}" if is_right else word)
            painter.drawText(QRectF(row.right() - px(52), row.top(), px(52), high), RIGHT, f"{chance:.3f}")
            bar = QRectF(row.left() + px(82), row.center().y() - px(6), row.width() - px(140), px(12))
            painter.fillRect(bar, colour_of(theme.track))
            bar.setWidth(bar.width() * chance)
            painter.fillRect(bar, colour_of(theme.output))


class LearningScene:
    """The items of the page's picture, and where they stand in a room.

    Parameters
    ----------
    look : Look
        Their colours and size.
    """

    def __init__(self, look: Look) -> None:
        self.look = look
        self.large = MapItem(look)
        self.bar = BarItem(look)
        self.strips = StripsItem(look)
        self.plane = PlaneItem(look)
        self.other = OtherMapItem(look)
        self.large.has_bar = self.other.has_bar = False  # one bar serves both
        self.captions = CaptionItem(look), CaptionItem(look)
        self._room = QRectF()
        self.small: dict[Head, SmallMapItem] = {}
        self.moment: Moment | None = None
        self.state = TrainingState()
        self._withheld = False

    @property
    def items(self) -> tuple[Item, ...]:
        """All of them, those behind first."""
        return self.large, self.bar, self.strips, self.plane, self.other, *self.captions, *self.small.values()

    def fit_heads(self, state: TrainingState) -> tuple[tuple[SmallMapItem, ...], tuple[SmallMapItem, ...]]:
        """Have a small map for each head of a state; return those that are new and those that are gone."""
        heads = [(layer, head) for layer in range(state.setup.layers) for head in range(state.setup.heads)]
        wanted = heads if len(heads) > 1 else []
        gone = tuple(self.small.pop(head) for head in set(self.small) - set(wanted))
        new = {head: SmallMapItem(self.look, head) for head in wanted if head not in self.small}
        self.small = {head: self.small.get(head) or new[head] for head in wanted}
        return tuple(new.values()), gone

    def show(self, moment: Moment, state: TrainingState) -> None:
        """Show what is seen of a step. `fit_heads` was called for the state."""
        self.moment, self.state = moment, state
        head, row, causal = state.head_shown, moment.row_of(state), state.task.causal
        picture = moment.picture(head, is_causal=causal)
        self.large.show_picture(picture, framed_row=row)
        self.bar.show_picture(picture)
        for each, item in self.small.items():
            off = each in state.off_shown
            title = words.short_head_words(each, state)
            below = "off" if off else words.row_looks_at(moment.answer, each, row)
            below = "as drawn" if each in state.drawn_shown else below
            item.show_picture(moment.picture(each, is_causal=causal), title, below, is_chosen=each == head)
        self.strips.show_strips(self._strips(moment, head, row), picture.masked[row])
        self.plane.show_points(moment.points)
        self._show_other(moment, state, row)
        self.withhold(self._withheld)

    def withhold(self, withheld: bool) -> None:
        """Show the large map without its numbers and nothing else, or everything again."""
        self._withheld = self.large.is_unknown = withheld
        self.large.update()
        for item in self.items[1:]:
            item.setOpacity(0.0 if withheld else 1.0)  # whether it is visible says which of them there are

    def _show_other(self, moment: Moment, state: TrainingState, row: int) -> None:
        """Show B's map of the same head in place of how the row came about."""
        other, was = moment.other, self.other.isVisible()
        self.strips.setVisible(other is None and moment.points is None)
        self.plane.setVisible(other is None and moment.points is not None)
        for item, caption in zip(self.captions, pair_words.captions(moment, state), strict=True):
            item.show_caption(caption)
            item.setVisible(other is not None)
        self.other.setVisible(other is not None)
        if other is not None:
            self.other.reason = other.reason
            if other.answer is not None:
                head = replace(state, setup=other.setup).head_shown
                self.other.show_picture(picture_of(other.answer, head, is_causal=state.task.causal), framed_row=row)
        if was != self.other.isVisible():
            self.lay_out(self._room)

    @staticmethod
    def _strips(moment: Moment, head: Head, row: int) -> Iterable[Strip]:
        if moment.points is not None:
            return
        for step, answer in (*moment.earlier, (moment.request.step, moment.answer)):
            at = "step 0: random" if step == 0 else f"step {step}"
            yield at, words.row_looks_at(answer, head, row), answer.weights[head[0]][head[1]][row]

    def lay_out(self, room: QRectF) -> None:
        """Give every item its box: small maps at the left, the large one, and how it came about at the right.

        In a narrow room that stands below the small maps. The colour bar is below it: the large map has the height.
        """
        self._room = room
        px, wide = self.look.px, room.width()
        narrow, gap = wide < px(NARROW), px(14)
        if narrow:
            left = min(px(180), 0.34 * wide)
            if self.other.isVisible():  # the two large maps have the width
                left = min(self._lines()[0] * px(LEAST_SMALL), px(140)) if self.small else 0.0
            below = self._lay_out_small(QRectF(room.left(), room.top(), left, 0.56 * room.height()))
            beside = QRectF(room.left() + px(6), below + px(6), left - px(12), room.bottom() - below - px(10))
            middle = QRectF(room.left() + left + gap, room.top(), wide - left - gap - px(6), room.height() - px(4))
        else:
            right = min(max(px(170), wide * 0.25), px(420))
            left = self._width_of_small(room, wide - right - 2 * gap - room.height())
            self._lay_out_small(QRectF(room.left(), room.top(), left, room.height()))
            middle = QRectF(room.left() + left, room.top(), wide - left - right - 2 * gap, room.height() - px(4))
            beside = QRectF(middle.right() + gap, room.top() + px(16), right, room.height() - px(24))
        if self.other.isVisible():
            right_end = room.right() - px(8) if narrow else beside.right()
            self._lay_out_both(QRectF(middle.left(), room.top(), right_end - middle.left(), room.height()))
            return
        bar = px(BarItem.HEIGHT)
        self.large.place(middle)
        self.bar.place(QRectF(beside.left(), beside.bottom() - bar, beside.width(), bar))
        beside.setBottom(beside.bottom() - bar - px(4))
        self.strips.place(beside)
        self.plane.place(beside)

    def _lay_out_both(self, room: QRectF) -> None:
        """Place A and B side by side, equally large, each below its caption, and one colour bar below both."""
        gap, high, bar = (self.look.px(size) for size in (14, CAPTION_HEIGHT, BarItem.HEIGHT))
        wide = (room.width() - gap) / 2
        for place, (caption, item) in enumerate(zip(self.captions, (self.large, self.other), strict=True)):
            left = room.left() + place * (wide + gap)
            caption.place(QRectF(left, room.top(), wide, high))
            item.place(QRectF(left, room.top() + high, wide, room.height() - high - bar))
        left = room.left() if self.large.layout is None else self.large.layout.cells.left()
        self.bar.place(QRectF(left, room.bottom() - bar, room.right() - left, bar))

    def _lines(self) -> tuple[int, int, int]:
        """Return how many small maps stand side by side, how many lines a layer takes, and how many there are in all.

        A layer of many heads takes several lines, so that a cell stays large enough to be told from the next.
        """
        layers, heads = (max((head[axis] for head in self.small), default=-1) + 1 for axis in (0, 1))
        columns = heads if heads <= 2 else round(math.sqrt(heads * 1.5))
        each = -(-heads // max(columns, 1))
        return columns, each, layers * each

    def _width_of_small(self, room: QRectF, spare: float) -> float:
        """Return how wide the small maps are beside the large one, which has to leave no more than it has to spare."""
        columns, _, lines = self._lines()
        if not self.small:
            return 0.0
        px = self.look.px
        most = min(px(172), max(spare / columns, px(LEAST_SMALL)), 0.4 * room.width() / columns)
        return columns * min(max((room.height() - px(8)) / lines - px(WORDS_OF_SMALL), px(LEAST_SMALL) / 2), most)

    def _lay_out_small(self, room: QRectF) -> float:
        """Place the small maps, layer by layer downwards and heads side by side; return where they end."""
        if not self.small:
            return room.top()
        columns, each, lines = self._lines()
        px = self.look.px
        wide = min(px(172), room.width() / columns)
        high = min((room.height() - px(8)) / lines, wide + px(WORDS_OF_SMALL))
        top = room.top() + max(0.0, (room.height() - lines * high) / 2)
        left = room.left() + (room.width() - columns * wide) / 2
        for (layer, head), item in self.small.items():
            line = layer * each + head // columns
            item.place(QRectF(left + (head % columns) * wide, top + line * high, wide, high))
        return top + lines * high

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.look = look
        for item in self.items:
            item.set_look(look)

    def paint(self, painter: QPainter) -> None:
        """Paint all of it, for a file."""
        for item in self.items:
            if item.isVisible():
                item.draw(painter)


def spoken(moment: Moment, state: TrainingState) -> str:
    """Say what the picture shows, for who cannot see it."""
    row = moment.row_of(state)
    head = state.head_shown
    weights = moment.weights(head)[row]
    order = np.argsort(-weights, kind="stable")[:5].tolist()
    listed = ", ".join(f"{moment.answer.context_tokens[each]} {weights[each]:.2f}" for each in order)
    compared = pair_words.spoken(moment, state)
    return f"{words.title(moment, state)}; {words.origin(state)}. Its largest weights: {listed}. {compared}".strip()
