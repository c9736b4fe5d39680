"""How the parts of a program look: comments and texts faint, the words of Python bold."""

from __future__ import annotations

import keyword
import re

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from attention_explorer.kit.theme import LIGHT, Theme

_PARTS = re.compile(
    r"(?P<text>\"\"\".*?\"\"\"|\"[^\"]*\"|'[^']*')"
    r"|(?P<comment>#.*)"
    rf"|(?P<word>\b(?:{'|'.join(sorted(keyword.kwlist))})\b)"
)


class CodeColours(QSyntaxHighlighter):
    """Sets a program a line at a time. No colour of the pages is used: those mean query, key, value and output."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.wear(LIGHT)

    def wear(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        inks = {"text": theme.muted, "comment": theme.muted, "word": theme.text}
        self._formats = {part: QTextCharFormat() for part in inks}
        for part, ink in inks.items():
            self._formats[part].setForeground(QColor(ink))
        self._formats["comment"].setFontItalic(True)
        self._formats["word"].setFontWeight(QFont.Weight.Bold)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour a line."""
        for found in _PARTS.finditer(text):
            self.setFormat(found.start(), found.end() - found.start(), self._formats[str(found.lastgroup)])
