"""The view *Check*: one table of experiments with their results, and beside it the numbers of the chosen one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.numbers_export import Table as NumbersTable
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.marks import colour_of, draw_line, pen, text_size
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import TURNS, Arrays, Hit, Item, Value
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Change, Panel, Picture
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.check_report import CheckTable, Form
from attention_explorer.pages.heads.checks import TRIALS, CheckNumbers, check_numbers, check_stream, is_quick
from attention_explorer.pages.heads.parts import Check
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.wording import map_title

EXPERIMENTS, NUMBERS, FROM = "Experiments", "Numbers of the experiment", ", from row "
LETTERS, LARGEST, AROUND, NAMES = 13.0, 16.0, 8.0, 0.26
"""Pixels at zoom 1 of letters and above and below a line; the share of the width that names have."""
LINE, MOST_IN_PANEL, BAR = 21.0, 12, 90.0
"""Pixels at zoom 1 of a row of numbers; so many rows of a table stand beside the picture; and of a bar."""
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True, slots=True)
class ResultsLayout:
    """Where the lines are, and how large their letters."""

    boxes: tuple[QRectF, ...]
    names: float
    letters: float


@dataclass(frozen=True, slots=True)
class Results(Item[ResultsLayout]):
    """Experiments with their results in words; a `Hit` says which line.

    Attributes
    ----------
    rows : tuple of (str, str)
        What is tried, and what came of it.
    chosen : int
        Which of them is looked at.
    """

    name: str
    rows: tuple[tuple[str, str], ...]
    chosen: int
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> ResultsLayout:
        """Give each line the height of its words, in letters as large as there is room for, and share what is left."""
        letters = LARGEST
        while letters > LETTERS and sum(self._heights(look, box, letters)) > box.height():
            letters -= 0.5
        heights = list(self._heights(look, box, letters))
        more = max(box.height() - sum(heights), 0.0) / len(heights)
        boxes, top = [], box.top()
        for height in heights:
            high = height + min(more, look.px(24))
            boxes.append(QRectF(box.left(), top, box.width(), high))
            top += high
        return ResultsLayout(tuple(boxes), self._names(look, box, letters), letters)

    def _names(self, look: Look, box: QRectF, letters: float) -> float:
        widest = max(text_size(look.font(letters, bold=True), name)[0] for name, _ in self.rows)
        return min(widest + look.px(26), max(NAMES * box.width(), look.px(120)))

    def _heights(self, look: Look, box: QRectF, letters: float) -> Iterator[float]:
        names = self._names(look, box, letters)
        for name, result in self.rows:
            lines = (_high(look, letters, name, names - look.px(20), bold=True),
                     _high(look, letters, result, box.width() - names - look.px(8)))  # fmt: skip
            yield max(lines) + look.px(2 * AROUND)

    def data_box(self, layout: ResultsLayout) -> QRectF:
        return layout.boxes[0].united(layout.boxes[-1])

    def paint(self, painter: QPainter, layout: ResultsLayout, look: Look, *, vector: bool = False) -> None:
        theme, px = look.theme, look.px
        for number, ((name, result), box) in enumerate(zip(self.rows, layout.boxes, strict=True)):
            if number == self.chosen:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour_of(theme.track))
                painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), px(6), px(6))
                painter.setBrush(Qt.BrushStyle.NoBrush)
            elif number and number - 1 != self.chosen:
                draw_line(painter, box.topLeft(), box.topRight(), pen(theme.border, 1))
            painter.setFont(look.font(layout.letters, bold=True))
            painter.setPen(colour_of(theme.text))
            painter.drawText(box.adjusted(px(10), 0, layout.names - box.width() - px(10), 0), _WRAPPED, name)
            painter.setFont(look.font(layout.letters))
            painter.drawText(box.adjusted(layout.names, 0, -px(8), 0), _WRAPPED, result)

    def hit(self, layout: ResultsLayout, place: QPointF) -> Hit | None:
        return next((Hit(self.name, at) for at, box in enumerate(layout.boxes) if box.contains(place)), None)

    def mark(self, painter: QPainter, layout: ResultsLayout, look: Look, hit: Hit) -> None:
        if hit.item == self.name:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen(look.theme.text, 1.3 * look.zoom))
            painter.drawRoundedRect(layout.boxes[hit.part].adjusted(1, 2, -1, -2), look.px(6), look.px(6))

    def spoken(self) -> str:
        return " ".join(f"{name}: {result}" for name, result in self.rows)


def _high(look: Look, letters: float, words: str, width: float, *, bold: bool = False) -> float:
    room = QRectF(0.0, 0.0, max(width, 40.0), 9999.0)
    return QFontMetricsF(look.font(letters, bold=bold)).boundingRect(room, _WRAPPED, words).height()


class Checks(Picture[HeadsState, CheckNumbers]):
    """Every experiment with the head on show, and what came of it: click one to see its numbers and to change it."""

    compute = staticmethod(check_numbers)
    stream = staticmethod(check_stream)
    is_quick = staticmethod(is_quick)
    checkpoints = staticmethod(lambda _state: 0)
    follows = False

    def headline(self, numbers: CheckNumbers) -> str:
        return f"{len(Check)} experiments with {map_title(numbers.frame)}."

    def says(self, numbers: CheckNumbers) -> tuple[str, ...]:
        report = numbers.chosen
        return () if report is None else report.notes

    def notes(self, numbers: CheckNumbers) -> tuple[TextLine, ...]:
        """Return what it says, with the results of all of them, for who cannot see the table."""
        results = (f"{check.value}: {numbers.result(check)}" for check in Check)
        return (*super().notes(numbers), *(TextLine(said, size=12.5) for said in results))

    def item(self, numbers: CheckNumbers) -> Item[Any]:
        rows = tuple((check.value, numbers.result(check)) for check in Check)
        return Results(EXPERIMENTS, rows, tuple(Check).index(numbers.experiment.check))

    def panel(self, numbers: CheckNumbers) -> Panel:
        check, tables = numbers.experiment.check, numbers.tables
        most = max(2, MOST_IN_PANEL - 5 * (len(tables) - 1))
        items = tuple(_item_of(table, number, most) for number, table in enumerate(tables))
        return Panel(check.value, items, TRIALS[check].look_for)

    def table(self, numbers: CheckNumbers) -> Item[Any] | None:
        """Return all numbers of the chosen experiment, for the drawer."""
        items = tuple(_item_of(table, number, len(table.rows)) for number, table in enumerate(numbers.tables))
        return Above(items, gap=10) if items else None

    def words(self, numbers: CheckNumbers, hit: Hit) -> str:
        if hit.item == EXPERIMENTS:
            check = tuple(Check)[hit.part]
            return f"{check.value}: {TRIALS[check].look_for}"
        found, first = _table_of(numbers, hit)
        if found is None:
            return ""
        row = first + hit.part
        return "; ".join(
            f"{title}: {found.exact(row, column)}" if title and column else found.exact(row, column)
            for column, (title, _) in enumerate(found.columns)
        )

    def changed(self, state: HeadsState, numbers: CheckNumbers, hit: Hit, to: Value) -> Change[HeadsState] | None:
        if hit.item != EXPERIMENTS:
            return None
        return _at(state, hit.part)

    def press(self, state: HeadsState, numbers: CheckNumbers, key: int) -> Change[HeadsState] | None:
        """Go to the experiment above or below."""
        turn = TURNS.get(key, (0, 0))[0]
        place = tuple(Check).index(state.experiment.check) + turn
        return _at(state, place) if turn and 0 <= place < len(Check) else None

    def told(self, numbers: CheckNumbers) -> dict[str, object]:
        results = {check.value: numbers.result(check) for check in numbers.found}
        return {"experiment": numbers.experiment.check.value, "results": results, "notes": list(self.says(numbers))}

    @staticmethod
    def arrays(numbers: CheckNumbers) -> Arrays:
        """Return the numbers of the tables of the chosen experiment, a column an array, and the results in words."""
        found: Arrays = {}
        for place, table in enumerate(numbers.tables, start=1):
            for column, (title, _) in enumerate(table.columns):
                found[f"table {place}: {title or 'what'}"] = np.array([row[column] for row in table.rows])
        found["results"] = np.array([numbers.result(check) for check in Check])
        return found

    @staticmethod
    def lines(numbers: CheckNumbers) -> NumbersTable:
        """Return the tables of the chosen experiment below one another; the results of all where it has none."""
        if not numbers.tables:
            return NumbersTable.of(("experiment", "result"), [(check.value, numbers.result(check)) for check in Check])
        first, *others = numbers.tables
        rows: list[tuple[object, ...]] = list(first.rows)
        for table in others:
            rows += [(table.title or NUMBERS,), table.header, *table.rows]
        return NumbersTable.of(first.header, rows)


def _at(state: HeadsState, place: int) -> Change[HeadsState]:
    experiment = replace(state.experiment, check=tuple(Check)[place])
    return Change(replace(state, experiment=experiment), "Choose an experiment", "heads experiment")


def _table_of(numbers: CheckNumbers, hit: Hit) -> tuple[CheckTable | None, int]:
    """Return which table was hit, and the first row that it shows."""
    if not numbers.tables or not hit.item.startswith(NUMBERS):
        return None, 0
    number, _, row = hit.item.removeprefix(NUMBERS).partition(FROM)
    return numbers.tables[int(number) - 1], int(row or 1) - 1


def _item_of(table: CheckTable, number: int, most: int) -> Above:
    """Return a table of an experiment with its title above it, and below it how many rows it does not show."""
    above = (Title("", table.title, size=13.0, is_given=False),) if table.title else ()
    count = len(table.rows)
    shown = count if count <= most + 1 else most
    first = min(max((table.marked_row or 0) - shown // 2, 0), count - shown)  # the row that matters is among them
    lines = range(first, first + shown)
    texts = tuple(tuple(table.text(row, column) for column in range(len(table.columns))) for row in lines)
    columns = tuple(
        Column(title, is_right=at > 0, rank=0 if at == 0 or form is not Form.TEXT else 1)
        for at, (title, form) in enumerate(table.columns)
    )
    if table.bars:
        columns = (columns[0], Column("", least=BAR), *columns[1:])
        texts = tuple((row[0], "", *row[1:]) for row in texts)
    marked = None
    if table.marked_row is not None:
        marked = table.marked_row - first, table.marked_column
    bars = table.bars[first : first + shown]
    name = f"{NUMBERS} {number + 1}{f'{FROM}{first + 1}' if first else ''}"
    own = Table(name, columns, texts, fills=False, high=LINE, marked=marked, bars=bars)
    more = f"… and {count - shown} more rows: press More" if shown < count else table.more
    below = (Title("", more, ink="muted", size=13.0, bold=False, is_given=False),) if more else ()
    return Above((*above, own, *below), gap=2)
