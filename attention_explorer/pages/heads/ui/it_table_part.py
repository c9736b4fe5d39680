"""The table for “it”, to type into: shares, weights, the scores behind them, and why."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QPushButton

from attention_explorer.core.numerals import coordinate, plain, signed
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.made import FlowLayout
from attention_explorer.kit.controls.numbers_model import MatrixModel, MatrixTable, NumbersColumn
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.it_table import (
    LAST_WORDS,
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

ROWS_SEEN, WIDTH = 16, 60
"""Rows of the table that are seen at most, and pixels at zoom 1 of a column of numbers."""
SHARE = 0
_COLUMNS = (
    NumbersColumn(
        "share",
        "How much, in any unit: double click to type. The softmax divides by the sum",
        partial(coordinate, digits=4),
        is_typed=True,
    ),
    NumbersColumn(
        "weight",
        "What the softmax makes of the scores: without mask and at temperature 1, share ÷ sum",
        partial(plain, decimals=4),
    ),
    NumbersColumn(
        "score",
        "The scaled score, ln of the share (√d_k times that without ÷√d_k): double click to type one",
        partial(signed, decimals=3),
        is_typed=True,
    ),
    NumbersColumn(
        "behind",
        "How far this score lies behind the best visible one; at temperature 1, ln(largest weight ÷ this weight)",
        partial(plain, decimals=3),
    ),
    NumbersColumn("why", "What the word may have to do with “it”", is_text=True),
)
_IN_THE_TUTORIALS_WORDS = (*_COLUMNS[:-1], replace(_COLUMNS[-1], title="why, in the tutorial’s words"))


class ItTablePart(TypingPart):
    """Change what “it” attends to, or the last word of the sentence, and read what the scores must have been."""

    def __init__(self, session: Session, look: Look) -> None:
        super().__init__(session, look, "The table for “it”")
        self.words = TextBlock(look, 2, "What these numbers are")
        self.reading = TextBlock(look, 2, "What the table says")
        self.model = MatrixModel(self._on_typed, self)
        self._score_unit = 1.0
        self.table = MatrixTable(self.model, look, "What “it” attends to", WIDTH)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.last_words = {word: self._last_word_button(word) for word in LAST_WORDS}
        self.divide = self.button(
            "Divide by the sum", "Make the shares sum to 1; the weights stay what they are", self._on_divide
        )
        self.back = self.button(
            "Forget typed numbers", "Go back to the numbers from before you typed any", self._on_back
        )
        buttons = FlowLayout()
        for button in (*self.last_words.values(), self.divide, self.back):
            buttons.addWidget(button)
        self._column.addWidget(self.words)
        self._column.addLayout(buttons)
        self._column.addWidget(self.table)
        self._column.addWidget(self.reading)
        self.set_look(look)

    def _last_word_button(self, word: str) -> QPushButton:
        tip = f"End the sentence in “{word}”: a mat is soft and a cat is tired, so the weight of “it” moves"
        title = f"… {word}"
        return self.button(title, tip, lambda: self.change_recipe(title, lambda r: with_last_word(r, word)))

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._column.setSpacing(look.px(8))
        for part in (self.words, self.reading, self.table):
            part.set_look(look)
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
        self._score_unit = table.score_unit
        columns = _IN_THE_TUTORIALS_WORDS if table.is_the_tutorials else _COLUMNS
        self.model.show_numbers(table.tokens, columns, table.cells(), table.glosses)
        self._fit_table()

    def _fit_table(self) -> None:
        """Give the table the height of its rows, up to some."""
        self.table.show_rows(min(max(self.model.rowCount(), 1), ROWS_SEEN))

    def _show_parts(self, *, there: bool) -> None:
        for part in (*self.last_words.values(), self.divide, self.back, self.table, self.reading):
            part.setVisible(there)

    # ---- What people do ----

    def _on_typed(self, row: int, column: int, text: str) -> bool:
        def changed(recipe: Recipe) -> HandMadeRecipe:
            if column == SHARE:
                return with_share(recipe, row, text)
            return with_score(recipe, row, text, self._score_unit)

        return self.change_recipe("Change what “it” attends to", changed)

    def _on_divide(self) -> None:
        self.change_recipe("Divide by the sum", renormalised)

    def _on_back(self) -> None:
        heads = self._session.state.heads.with_recipe(own_shares=())
        self._session.apply(replace(self._session.state, heads=heads), "Forget typed numbers")

    def with_recipe(self, heads: HeadsState, recipe: Recipe) -> HeadsState:
        """Return the state of the page with another recipe, looking at the head of the table."""
        head = antecedent_head(recipe)
        return heads.with_setup(recipe=recipe, **({} if head is None else {"head": head}))
