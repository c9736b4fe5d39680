"""The sheets of a lesson as a PDF of A4 pages."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPainter, QPdfWriter, QTextDocument

from attention_explorer.errors import UsageError, quoted
from attention_explorer.files import write_whole
from attention_explorer.pages.lessons.lesson import Lesson
from attention_explorer.pages.presenting.handout import Item, questions_html, solutions_html
from attention_explorer.ui.export.pdf_file import PROGRAM
from attention_explorer.ui.theme import FONT_FAMILY

DPI = 96
MARGIN = 18.0
"""Millimetres."""
FOOT = 28
"""Pixels below the text, for the number of the page."""
STYLE = """
h1 { font-size: 24px; margin-bottom: 6px; }
h2 { font-size: 15px; margin-top: 16px; margin-bottom: 3px; }
.option { margin-left: 18px; margin-top: 5px; margin-bottom: 2px; }
.small { font-size: 12px; color: #444444; margin-top: 10px; }
"""


def write_handout(path: Path, lesson: Lesson, items: tuple[Item, ...]) -> None:
    """Write the sheet with the questions, and the answers on pages of their own after it, to a PDF file.

    Raises
    ------
    ExplorerError
        The file does not end in .pdf, or cannot be written.
    """
    if path.suffix.lower() != ".pdf":
        raise UsageError(f"A hand-out is a PDF file: let {quoted(path.name)} end in .pdf.")
    write_whole(path, handout_bytes(lesson, items))


def handout_bytes(lesson: Lesson, items: tuple[Item, ...]) -> bytes:
    """Return the contents of that file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(MARGIN, MARGIN, MARGIN, MARGIN), QPageLayout.Unit.Millimeter)
    writer.setTitle(lesson.title)
    writer.setCreator(PROGRAM)
    with QPainter(writer) as painter:
        _paint(painter, writer, questions_html(lesson, items), lesson.title)
        writer.newPage()
        _paint(painter, writer, solutions_html(lesson, items), f"{lesson.title}: answers")
    return bytes(buffer.data().data())


def _paint(painter: QPainter, writer: QPdfWriter, text: str, foot: str) -> None:
    """Paint a text on as many pages as it takes, from a new page on."""
    wide, high = writer.width(), writer.height() - FOOT
    document = QTextDocument()
    font = QFont(FONT_FAMILY)
    font.setPixelSize(14)
    font.setFeature(QFont.Tag("calt"), 0)  # other glyphs for brackets beside digits, which no reader finds
    document.setDefaultFont(font)
    document.setDocumentMargin(0)
    document.setDefaultStyleSheet(STYLE)
    document.setHtml(text)
    document.setPageSize(QSizeF(wide, high))
    pages = document.pageCount()
    for page in range(pages):
        if page:
            writer.newPage()
        painter.save()
        painter.translate(0, -page * high)
        document.drawContents(painter, QRectF(0, page * high, wide, high))
        painter.restore()
        font.setPixelSize(12)
        painter.setFont(font)
        place = QRectF(0, high, wide, FOOT)
        painter.drawText(place, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, foot)
        painter.drawText(place, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight, f"{page + 1} of {pages}")
