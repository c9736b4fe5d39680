"""What stands beside a large picture: what it says, and what is true of the settings."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look


class NotesPanel(QWidget):
    """Two cards: the notes of the picture, and the verdict on the settings."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.notes = Card(look)
        self.notes_text = TextBlock(look, 3, "What the picture says")
        self.notes.body.addWidget(self.notes_text)
        self.verdict = Card(look, kind="note")
        self.verdict_text = TextBlock(look, 4, "What is true of these settings", ground="note")
        self.verdict.body.addWidget(self.verdict_text)
        self.column.addWidget(self.notes)
        self.column.addWidget(self.verdict)
        self.column.addStretch(1)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.column.setSpacing(look.px(8))
        for part in (self.notes, self.notes_text, self.verdict, self.verdict_text):
            part.set_look(look)

    def show_notes(self, notes: tuple[TextLine, ...]) -> None:
        """Show what the picture says."""
        heading = () if notes and notes[0].bold else (TextLine("What the picture says", bold=True),)
        self.notes_text.set_text(*heading, *notes)

    def show_verdict(self, lines: tuple[TextLine, ...]) -> None:
        """Show what is true of the settings."""
        self.verdict_text.set_text(*lines)
        self.verdict.setVisible(bool(lines))


def notes_of(sentences: tuple[str, ...]) -> tuple[TextLine, ...]:
    """Return sentences as the panel writes them, the first as a headline."""
    first, *rest = sentences
    return (TextLine(first, bold=True), *(TextLine(sentence) for sentence in rest))
