"""The sheets of a lesson as a PDF of A4 pages, written while the window goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QFont, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QFileDialog

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.core.files import write_whole
from attention_explorer.errors import ExplorerError, UsageError, quoted
from attention_explorer.kit.export.figure import Figure, painted, sheet_of
from attention_explorer.kit.export.svg_file import PROGRAM
from attention_explorer.kit.message import say
from attention_explorer.kit.theme import FONT_FAMILY
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Working
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.presenting.handout import Item, items_of, picture_name, questions_html, solutions_html

DPI = 96
MARGIN = 18.0
"""Millimetres."""
FOOT = 28
"""Pixels below the text, for the number of the page."""
WIDEST, HIGHEST = 657, 300
"""Pixels of a picture, so that two of them with their questions have room on a page."""
FINE = 3.0
"""Pixels of a picture for each of the page: 288 dpi."""
STYLE = """
h1 { font-size: 24px; margin-bottom: 6px; }
h2 { font-size: 15px; margin-top: 16px; margin-bottom: 3px; }
.option { margin-left: 18px; margin-top: 5px; margin-bottom: 2px; }
.small { font-size: 12px; color: #444444; margin-top: 10px; }
"""


def write_handout(path: Path, lesson: Lesson, items: tuple[Item, ...]) -> None:
    """Write the sheet with the questions, and the answers on pages of their own after it, to a PDF file.

    Where a window is to stay awake, `figures_of` and `write_sheets` go to a worker, and `painted_figures` does not.

    Raises
    ------
    ExplorerError
        The file does not end in .pdf, or cannot be written.
    """
    check_name(path)
    write_whole(path, handout_bytes(lesson, items))


def handout_bytes(lesson: Lesson, items: tuple[Item, ...]) -> bytes:
    """Return the contents of that file."""
    return _sheets(lesson, items, painted_figures(figures_of(items)))


def check_name(path: Path) -> None:
    """Refuse a name that is not that of a PDF file."""
    if path.suffix.lower() != ".pdf":
        raise UsageError(f"A hand-out is a PDF file: let {quoted(path.name)} end in .pdf.")


def figures_of(items: tuple[Item, ...]) -> dict[str, Figure]:
    """Compute the pictures that questions are answered by, by their names in the sheet; on any thread."""
    entries = {entry.id: entry for entry in PAGES}
    return {picture_name(item): entries[item.page].figure(item.case or ExplorerState()) for item in items if item.page}


def painted_figures(figures: Mapping[str, Figure]) -> dict[str, QImage]:
    """Paint them, as large as fits the sheet, without a caption; where the window is."""
    return {name: _painted(figure) for name, figure in figures.items()}


def write_sheets(path: Path, lesson: Lesson, items: tuple[Item, ...], pictures: Mapping[str, QImage]) -> None:
    """Write a hand-out with the pictures that were painted for it; on any thread."""
    write_whole(path, _sheets(lesson, items, pictures))


def _sheets(lesson: Lesson, items: tuple[Item, ...], pictures: Mapping[str, QImage]) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(MARGIN, MARGIN, MARGIN, MARGIN), QPageLayout.Unit.Millimeter)
    writer.setTitle(lesson.title)
    writer.setCreator(PROGRAM)
    with QPainter(writer) as painter:
        _paint(painter, writer, questions_html(lesson, items), lesson.title, pictures)
        writer.newPage()
        _paint(painter, writer, solutions_html(lesson, items), f"{lesson.title}: answers", {})
    return bytes(buffer.data().data())


def _painted(figure: Figure) -> QImage:
    sheet = sheet_of(figure, FigureOptions(".png", title=False, caption=False))
    size = QSizeF(sheet.figure.size).scaled(WIDEST, HIGHEST, Qt.AspectRatioMode.KeepAspectRatio)
    size = size.boundedTo(QSizeF(sheet.figure.size))
    image = painted(sheet, (size * FINE).toSize())
    image.setDevicePixelRatio(FINE)
    return image


def _paint(painter: QPainter, writer: QPdfWriter, text: str, foot: str, pictures: Mapping[str, QImage]) -> None:
    """Paint a text with its pictures on as many pages as it takes, from a new page on."""
    wide, high = writer.width(), writer.height() - FOOT
    document = QTextDocument()
    font = QFont(FONT_FAMILY)
    font.setPixelSize(14)
    font.setFeature(QFont.Tag("calt"), 0)  # other glyphs for brackets beside digits, which no reader finds
    document.setDefaultFont(font)
    document.setDocumentMargin(0)
    document.setDefaultStyleSheet(STYLE)
    for name, picture in pictures.items():
        document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), picture)
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


def hand_out(window: Host, lesson: Lesson, working: Working) -> None:
    """Ask for a PDF file, and write a lesson to it for paper: what is right is computed aside, and so is the file."""
    named, _ = QFileDialog.getSaveFileName(window, "Save the hand-out", f"{lesson.name}.pdf", "PDF (*.pdf)")
    if not named:
        return
    path = Path(named)
    path = path if path.suffix else path.with_suffix(".pdf")

    def refuse(error: ExplorerError) -> None:
        say(window, "Not saved", str(error))

    def compute() -> tuple[tuple[Item, ...], dict[str, Figure]]:
        check_name(path)
        items = items_of(lesson)
        return items, figures_of(items)

    def paint(found: tuple[tuple[Item, ...], dict[str, Figure]]) -> None:
        items, figures = found
        pictures = painted_figures(figures)
        working.find_out(lambda: write_sheets(path, lesson, items, pictures), saved, refuse)

    def saved(_nothing: None) -> None:
        window.tell(f"Saved {path.name}")

    window.tell(f"{path.name} is being written …")
    working.find_out(compute, paint, refuse)
