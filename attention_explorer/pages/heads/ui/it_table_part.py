"""The table for “it”, to type into: shares, weights, the scores behind them, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.numerals import coordinate, exact, plain, signed
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.numbers_model import Index, NamedRowsTable
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.it_table import (
    HEADER,
    LAST_WORDS,
    ItTable,
    antecedent_head,
    it_reading,
    it_table,
    it_words,
    renormalised,
    with_last_word,
    with_score,
    with_share,
)
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.embeddings_part import TypingPart
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.source import Recipe

ROWS_SEEN = 16
SHARE, WEIGHT, SCORE, BEHIND, GLOSS = range(5)
_WHY = {True: "why, in the tutorial’s words", False: "why"}
_TITLES = (*HEADER, _WHY[False])
_TIPS = (
    "How much, in any unit: double click to type. The softmax divides by the sum",
    "What the softmax makes of the scores: without mask and at temperature 1, share ÷ sum",
    "The scaled score, ln of the share (√d_k times that without ÷√d_k): double click to type one",
    "How far this score lies behind the best visible one; at temperature 1, ln(largest weight ÷ this weight)",
    "What the word may have to do with “it”",
)


class ItModel(QAbstractTableModel):
    """The rows of an `ItTable`; ``edit`` is called with row, column and what was typed, and returns whether it took."""

    def __init__(self, edit: Callable[[int, int, str], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edit = edit
        self._table: ItTable | None = None
        self._numbers: list[list[float]] = []

    def show_table(self, table: ItTable) -> None:
        """Show these rows."""
        same = self._table is not None and self._table.tokens == table.tokens
        if not same:
            self.beginResetModel()
        self._table, self._numbers = table, table.numbers()
        if same:
            self.dataChanged.emit(self.index(0, 0), self.index(len(table.tokens) - 1, GLOSS))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, GLOSS, GLOSS)
        else:
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._numbers)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(_TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        across = orientation is Qt.Orientation.Horizontal
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(section) if across else self._tokens()[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section] if across else self._gloss(section)
        if role == Qt.ItemDataRole.TextAlignmentRole and across:
            side = Qt.AlignmentFlag.AlignLeft if section == GLOSS else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    @property
    def score_unit(self) -> float:
        """The unit in which scores are shown and typed."""
        return 1.0 if self._table is None else self._table.score_unit

    def _title(self, section: int) -> str:
        is_the_tutorials = self._table is not None and self._table.is_the_tutorials
        return _WHY[is_the_tutorials] if section == GLOSS else _TITLES[section]

    def _tokens(self) -> tuple[str, ...]:
        return () if self._table is None else self._table.tokens

    def _gloss(self, row: int) -> str:
        return "" if self._table is None else self._table.glosses[row]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (SHARE, SCORE) else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if column == GLOSS:
            return self._gloss(row) if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None
        number = self._numbers[row][column]
        if role == Qt.ItemDataRole.DisplayRole:
            return _shown(number, column)
        if role == Qt.ItemDataRole.EditRole:
            return exact(number)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{exact(number)}\n{self._gloss(row)}".strip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        typed = str(value)
        if role != Qt.ItemDataRole.EditRole or typed == self.data(index, role):
            return False
        return self._edit(index.row(), index.column(), typed)


def _shown(number: float, column: int) -> str:
    if column == SHARE:
        return coordinate(number, 4)
    return plain(number, 4) if column == WEIGHT else signed(number, 3) if column == SCORE else plain(number, 3)


class ItTablePart(TypingPart):
    """Change what “it” attends to, or the last word of the sentence, and read what the scores must have been."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self._card = Card(look)
        self.words = TextBlock(look, 2, "What these numbers are")
        self.reading = TextBlock(look, 2, "What the table says")
        self.model = ItModel(self._on_typed, self)
        self.table = NamedRowsTable(self.model, "What “it” attends to")
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(GLOSS, QHeaderView.ResizeMode.Stretch)
        self._make_buttons()
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._card)
        self._card.body.addWidget(self.words)
        self._card.body.addLayout(self._buttons)
        self._card.body.addWidget(self.table)
        self._card.body.addWidget(self.reading)
        self._card.body.addStretch(1)
        self.set_look(look)

    def _make_buttons(self) -> None:
        self._buttons = QHBoxLayout()
        self.last_words = {word: self._last_word_button(word) for word in LAST_WORDS}
        self.divide = self._button(
            "Divide by the sum", "Make the shares sum to 1; the weights stay what they are", self._on_divide
        )
        self.back = self._button(
            "Forget typed numbers", "Go back to the numbers from before you typed any", self._on_back
        )
        self.open = self._button(
            "Open the tutorial’s sentence", "The cat sat on the mat because it was soft", self._open
        )
        self._buttons.addStretch(1)

    def _last_word_button(self, word: str) -> QPushButton:
        tip = f"End the sentence in “{word}”: a mat is soft and a cat is tired, so the weight of “it” moves"
        title = f"… {word}"
        return self._button(title, tip, lambda: self.change_recipe(title, lambda r: with_last_word(r, word)))

    def _button(self, title: str, tip: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(tip)
        button.clicked.connect(lambda: act())
        self._buttons.addWidget(button)
        return button

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        px = look.px
        self._column.setContentsMargins(px(8), px(8), px(8), px(8))
        self._buttons.setSpacing(px(6))
        for part in (self._card, self.words, self.reading, self.table):
            part.set_look(look)
        for column in (SHARE, WEIGHT, SCORE, BEHIND):
            self.table.setColumnWidth(column, px(96))
        self._fit_table()

    def show_frame(self, frame: HeadsFrame) -> None:
        """Show the table of a frame."""
        try:
            table = it_table(frame)
        except ExplorerError as error:
            self.words.set_text(TextLine(str(error)))
            self._show_parts(there=False)
            return
        self._show_parts(there=True)
        self.words.set_text(TextLine(it_words(table), size=12.5))
        self.reading.set_text(TextLine(it_reading(table), bold=True))
        self.back.setEnabled(table.is_own)
        self.model.show_table(table)
        self._fit_table()

    def _fit_table(self) -> None:
        """Give the table the height of its rows, up to some."""
        self.table.setFixedHeight(self.table.height_of(min(max(self.model.rowCount(), 1), ROWS_SEEN)))

    def _show_parts(self, *, there: bool) -> None:
        for part in (*self.last_words.values(), self.divide, self.back, self.table, self.reading):
            part.setVisible(there)
        self.open.setVisible(not there)

    # ---- What people do ----

    def _on_typed(self, row: int, column: int, text: str) -> bool:
        def changed(recipe: Recipe) -> HandMadeRecipe:
            if column == SHARE:
                return with_share(recipe, row, text)
            return with_score(recipe, row, text, self.model.score_unit)

        return self.change_recipe("Change what “it” attends to", changed)

    def _on_divide(self) -> None:
        self.change_recipe("Divide by the sum", renormalised)

    def _on_back(self) -> None:
        heads = self._session.state.heads.with_recipe(own_shares=())
        self._session.apply(replace(self._session.state, heads=heads), "Forget typed numbers")

    def _open(self) -> None:
        self.open_preset("hand-made")

    def with_recipe(self, heads: HeadsState, recipe: Recipe) -> HeadsState:
        """Return the state of the page with another recipe, looking at the head of the table."""
        head = antecedent_head(recipe)
        return heads.with_setup(recipe=recipe, **({} if head is None else {"head": head}))
