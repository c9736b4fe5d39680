"""The exact numbers of a lookup as rows and columns: coordinates to type into, and everything computed from them."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from attention_explorer.core.numerals import compact, coordinate, full, parsed_number
from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import QUERY, REST, TARGET, LookupState, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.wording import score_name
from attention_explorer.pages.ui.session import Session

Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    X = 1
    Y = 2
    LENGTH = 3
    SCORE = 4
    COSINE = 5
    WEIGHT = 6
    VALUE_X = 7
    VALUE_Y = 8
    CONTRIBUTION = 9


_TITLES = ("", "x", "y", "length", "q·k", "cos", "weight α", "v x", "v y", "α·v")
_TITLES_OF_NUMBERS = {int(Column.VALUE_X): "v", int(Column.VALUE_Y): ""}
_TIPS = (
    "q is the query; k₁, k₂, … are the keys it is compared with; t is the target; o is the output",
    "First coordinate. Double click to type",
    "Second coordinate. Double click to type",
    "The length of the vector: a score is proportional to it, a cosine does not depend on it",
    "The score q·k: x times x plus y times y",
    "The cosine of the angle to q: q·k ÷ (|q||k|)",
    "How much of this key’s value reaches the output. The column sums to 1",
    "What this key delivers, first coordinate",
    "What this key delivers, second coordinate",
    "The weight times the value: these add up to the output o",
)

_COORDINATES = (Column.X, Column.Y, Column.VALUE_X, Column.VALUE_Y)

Cell = tuple[str, str, bool]
"""The text of a cell, its colour, and whether it is written bold."""


class NumbersModel(QAbstractTableModel):
    """The rows q, k₁ … kₙ, t and o of a frame, for a table view.

    Signals
    -------
    refused : str
        Why what was typed cannot be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._withheld = False
        self._frame = lookup_frame(LookupState())  # of the session when it is shown: a row may have to be opened first
        self._rows = _rows(self._frame.state)
        self._cells = self._all_cells()

    def set_look(self, look: Look) -> None:
        """Wear other colours."""
        self._look = look
        self._announce_changes()

    def set_frame(self, frame: LookupFrame) -> None:
        """Show the numbers of a frame."""
        rows = _rows(frame.state)
        if rows == self._rows:
            before = [self._title(section) for section in Column]
            self._frame = frame
            titles_change = before != [self._title(section) for section in Column]
            self._announce_changes()
            if titles_change:
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)
            return
        self.beginResetModel()
        self._frame, self._rows = frame, rows
        self._cells = self._all_cells()
        self.endResetModel()

    def withhold(self, withheld: bool) -> None:
        """Show “?” for all that is computed, or show it again."""
        self._withheld = withheld
        self._announce_changes()

    def _is_withheld(self, row: int, column: Column) -> bool:
        is_given = self._rows[row] is not None and column in _COORDINATES
        return self._withheld and not is_given and column is not Column.NAME

    def _all_cells(self) -> list[list[Cell]]:
        return [[self._cell(row, column) for column in Column] for row in range(len(self._rows))]

    def _announce_changes(self) -> None:
        """Tell the view which cells read differently: only those are painted again."""
        before, self._cells = self._cells, self._all_cells()
        for row, (old, new) in enumerate(zip(before, self._cells, strict=True)):
            for column in Column:
                if old[column] != new[column]:
                    # Cell by cell: of a range of cells Qt paints the whole view again.
                    cell = self.index(row, column)
                    self.dataChanged.emit(cell, cell, [Qt.ItemDataRole.DisplayRole])

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def part(self, row: int) -> Part | None:
        """Return the query, key or target of a row; None for the output."""
        return self._rows[row]

    def row_of(self, part: Part) -> int | None:
        """Return the row of a part; a value's row is that of its key."""
        wanted = Part(Role.KEY, part.index) if part.role is Role.VALUE else part
        return self._rows.index(wanted) if wanted in self._rows else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section != Column.NAME:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _title(self, section: int) -> str:
        if section == Column.SCORE:
            return score_name(self._frame)
        plain_numbers = self._frame.state.values is ValueKind.NUMBERS
        return _TITLES_OF_NUMBERS.get(section, _TITLES[section]) if plain_numbers else _TITLES[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self._edited(index) is not None else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells[row][column][0]
        if role == Qt.ItemDataRole.ToolTipRole and column is Column.NAME:
            return self._token(row)
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            number = self.number(row, column)
            return "" if number is None else full(number)
        return None

    def _token(self, row: int) -> str:
        """Return which token of a head a key belongs to; empty if it is no key of a head."""
        part, of = self._rows[row], self._frame.row
        return of.names[part.index] if of is not None and part is not None and part.role is Role.KEY else ""

    def cell(self, row: int, column: Column) -> Cell:
        """Return how a cell is written."""
        return self._cells[row][column]

    def _cell(self, row: int, column: Column) -> Cell:
        strong = column is Column.NAME or self._rows[row] is None
        return self._text(row, column), self._ink(row, column), strong

    # ---- Cells ----

    def number(self, row: int, column: Column) -> float | None:
        """Return the full number of a cell; None where there is none or more than one."""
        part = self._rows[row]
        if self._is_withheld(row, column):
            return None
        if part is None:
            return self._output_number(column)
        if column in (Column.X, Column.Y):
            if self._frame.state.on_number_line(part) and column is Column.Y:
                return None
            return self._frame.state.position(part)[column - Column.X]
        if part == QUERY:
            return self._frame.query_length if column is Column.LENGTH else None
        return self._key_number(part.index, column) if part.role is Role.KEY else None

    def _output_number(self, column: Column) -> float | None:
        output = self._frame.output
        if column is Column.WEIGHT:
            return float(self._frame.weights.sum())
        if column in (Column.X, Column.Y) and column - Column.X < len(output):
            return float(output[column - Column.X])
        return None

    def _key_number(self, index: int, column: Column) -> float | None:
        frame = self._frame
        if column is Column.VALUE_X:
            return float(frame.values[index, 0])
        if column is Column.VALUE_Y:
            return float(frame.values[index, 1]) if frame.values.shape[1] == 2 else None
        if column is Column.SCORE and index == REST:
            return math.nan
        columns = {
            Column.LENGTH: frame.key_lengths,
            Column.SCORE: frame.scores,
            Column.COSINE: frame.cosines,
            Column.WEIGHT: frame.weights,
        }
        return float(columns[column][index]) if column in columns else None

    def _text(self, row: int, column: Column) -> str:
        part = self._rows[row]
        if column is Column.NAME:
            return "o" if part is None else part.symbol
        if self._is_withheld(row, column):
            return "?" if self._has_number(row, column) else ""
        if column is Column.CONTRIBUTION:
            return self._contribution(part)
        number = self.number(row, column)
        if number is None:
            return ""
        if math.isnan(number):
            return "–"
        if column is Column.WEIGHT:
            return f"{number:.6f}" if number >= 1e-6 or number == 0 else f"{number:.2e}"
        if part is not None and self._frame.state.is_fixed(part) and column in _COORDINATES:
            return compact(number)  # computed, with more digits than anybody would type
        if part is None or column in (Column.SCORE, Column.COSINE):
            return compact(number, sign=True)
        if column in (Column.VALUE_X, Column.VALUE_Y):
            return coordinate(number, 5)
        return compact(number) if column is Column.LENGTH else coordinate(number)

    def _has_number(self, row: int, column: Column) -> bool:
        """Whether a cell that is withheld has a number at other times."""
        part = self._rows[row]
        if part is None:
            return column in (Column.X, Column.WEIGHT, Column.CONTRIBUTION)
        return part.role is Role.KEY or (part == QUERY and column is Column.LENGTH)

    def _contribution(self, part: Part | None) -> str:
        if part is not None and part.role is not Role.KEY:
            return ""
        row = self._frame.output if part is None else self._frame.contributions[part.index]
        text = ", ".join(compact(number, sign=True) for number in row.tolist())
        return text if len(row) == 1 else f"({text})"

    def _ink(self, row: int, column: Column) -> str:
        theme, part = self._look.theme, self._rows[row]
        if part is None:
            return theme.output_ink
        if column in (Column.VALUE_X, Column.VALUE_Y, Column.CONTRIBUTION):
            tied = self._frame.state.values is ValueKind.KEYS and column is not Column.CONTRIBUTION
            return theme.muted if tied else theme.value_ink
        return theme.ink_of_role(part.role) if column is Column.NAME else theme.text

    # ---- Typing ----

    def _edited(self, index: Index) -> tuple[Part, int] | None:
        """Return the part and the coordinate that a cell edits; None for a computed cell."""
        part, column = self._rows[index.row()], Column(index.column())
        if part is None or self._frame.state.is_fixed(part):
            return None
        if column in (Column.X, Column.Y):
            axis = column - Column.X
            return None if axis and self._frame.state.on_number_line(part) else (part, axis)
        kind = self._frame.state.values
        if part.role is Role.KEY and column in (Column.VALUE_X, Column.VALUE_Y) and kind is not ValueKind.KEYS:
            axis = column - Column.VALUE_X
            return None if axis and kind is ValueKind.NUMBERS else (Part(Role.VALUE, part.index), axis)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        target = self._edited(index)
        if target is None or role != Qt.ItemDataRole.EditRole:
            return False
        part, axis = target
        state = self._session.state
        try:
            number = parsed_number(str(value))
            x, y = state.lookup.position(part)
            moved = state.lookup.moved(part, (number, y) if axis == 0 else (x, number))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return False
        self._session.apply(replace(state, lookup=moved), f"Type {part.name}")
        return True


def _rows(state: LookupState) -> tuple[Part | None, ...]:
    keys = tuple(Part(Role.KEY, i) for i in range(len(state.entries)))
    target = (TARGET,) if state.shows(Overlay.TARGET) else ()
    return (QUERY, *keys, *target, None)
