"""A hand and an eye for the Heads page: real events go in, pixels, texts and numbers come out."""

from __future__ import annotations

import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QObject, QPoint, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from window_driver import WindowDriver

from attention_explorer.core import assets
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsState

if TYPE_CHECKING:
    from attention_explorer.pages.heads.ui.heatmap_canvas import HeatmapCanvas
    from attention_explorer.pages.heads.ui.page import HeadsPage


class HeadsDriver(WindowDriver):
    """The window on the Heads page, with a hand on its mouse and an eye on what is drawn."""

    def begin_anew(self) -> None:
        """Put everything back as it is at the start: the state, and the little that is none."""
        session, page = self.window.session, self.page
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        session.revert()
        session.restart(ExplorerState())
        for widget in (*page._widgets.values(), page.wall, page.reading.bars):
            QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
        page.bar.paint.setChecked(False)
        page.tabs.setCurrentIndex(0)
        page.search.field.clear()
        page.search.close_row()
        self.window.statusBar().clearMessage()
        self.window.say("")
        self.window.activateWindow()
        page.focus_first()
        QApplication.processEvents()

    # ---- What there is ----

    @property
    def page(self) -> HeadsPage:
        return self.window.page

    @property
    def canvas(self) -> HeatmapCanvas:
        return self.page.canvas

    @property
    def heads(self) -> HeadsState:
        return self.window.session.state.heads

    @property
    def frame(self) -> HeadsFrame:
        return heads_frame(self.heads.setup)

    @property
    def weights(self) -> np.ndarray:
        return self.frame.map.weights()

    def cell_title(self, row: int, column: int) -> str:
        """Return what the card of the arithmetic should be titled for a cell that is not masked."""
        pair = f"“{self.frame.queries[row]}” → “{self.frame.keys[column]}”"
        return f"{pair}: where {self.weights[row, column]:.4f} comes from"

    @property
    def pin(self) -> tuple[int | None, int | None]:
        return self.heads.view.row, self.heads.view.column

    # ---- The hand ----

    def cell(self, row: int, column: int) -> QPointF:
        """The middle of a cell of the large map."""
        box = self.canvas.cell_box(row, column)
        assert not box.isEmpty(), f"cell {row}, {column} is out of view"
        return box.center()

    def row_label(self, row: int) -> QPointF:
        return QPointF(self.canvas.map_layout.cells.left() - 12, self.cell(row, self.first_seen[1]).y())

    def column_label(self, column: int) -> QPointF:
        return QPointF(self.cell(self.first_seen[0], column).x(), self.canvas.map_layout.cells.top() - 12)

    @property
    def first_seen(self) -> tuple[int, int]:
        seen = self.canvas.seen
        return (0, 0) if seen is None else (seen.top, seen.left)

    def hover(self, row: int, column: int) -> None:
        self.hand().move(self.cell(row, column))

    def leave(self) -> None:
        """Take the pointer off the map, to where nothing is."""
        self.hand().move(QPointF(2, 2))

    def click_cell(self, row: int, column: int) -> None:
        self.click(self.cell(row, column))

    # ---- The eye ----

    def colour(self, row: int, column: int) -> str:
        """The colour that is drawn for a cell: near its corner, where no number and no hatching is."""
        return self.colours((row, column))[0]

    def colours(self, *cells: tuple[int, int]) -> list[str]:
        image = self.canvas.grab().toImage()
        found = []
        for row, column in cells:
            box = self.canvas.cell_box(row, column)
            inset = QPointF(0.16 * box.width(), 0.16 * box.height())
            found.append(image.pixelColor((box.topLeft() + inset).toPoint()).name())
        return found

    def texts(self) -> list[str]:
        """What is written in the large picture on show, without its marks."""
        return painted_texts(self.page.pictures.currentWidget().paint_picture)


def sequential(position: float, name: str = "viridis") -> str:
    """The colour of a place 0…1 on a colour map, from the file of the map."""
    lines = assets.read_text(f"colour_maps/{name}.txt").split()
    return f"#{lines[round(position * (len(lines) - 1))].lower()}"


def numbers_in(text: str) -> list[float]:
    """Return the numbers that a read-out says, in order."""
    return [float(number.replace("−", "-")) for number in re.findall(r"[−-]?\d+\.?\d*(?:e[−-]?\d+)?", text)]


def painted_texts(paint: Callable[[QPainter], None]) -> list[str]:
    """Return the texts that a function paints."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(1000, 1000))
    painter = QPainter(generator)
    try:
        paint(painter)
    finally:
        painter.end()  # a painter that outlives what it paints on takes the interpreter with it
    root = ET.fromstring(bytes(buffer.data().data()))  # noqa: S314  # our own output
    found = (
        "".join(element.itertext()).replace("\xa0", " ").strip()
        for element in root.iter("{http://www.w3.org/2000/svg}text")
    )
    return [text for text in found if text]


def widget_texts(widget: QWidget) -> list[str]:
    """Return the texts that a widget paints."""
    return painted_texts(lambda painter: widget.render(painter, QPoint()))


def pixels(image: QImage) -> np.ndarray:
    """Return the pixels of an image, (h, w), as 0x00RRGGBB."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return rows[:, : image.width()] & 0xFFFFFF


def changed_box(before: np.ndarray, after: np.ndarray, within: QRectF) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of what differs between two images inside a box; None if nothing does."""
    box = within.toAlignedRect()
    cut = np.s_[max(box.top(), 0) : box.bottom() + 1, max(box.left(), 0) : box.right() + 1]
    rows, columns = np.nonzero(before[cut] != after[cut])
    if not len(rows):
        return None
    left, top = max(box.left(), 0), max(box.top(), 0)
    return left + columns.min(), top + rows.min(), left + columns.max() + 1, top + rows.max() + 1


def colour_distance(a: str, b: str) -> int:
    """Return how far apart two colours are in their furthest channel, 0 to 255."""
    first, second = QColor(a), QColor(b)
    return max(abs(first.red() - second.red()), abs(first.green() - second.green()), abs(first.blue() - second.blue()))


# ---- The worker ----


def sentence(tokens: int, letter: str = "w") -> str:
    """Make up a sentence of so many words."""
    return " ".join(f"{letter}{i}" for i in range(tokens))


def ask(driver, heads: HeadsState) -> None:
    """Show a state of the page, as one undo step."""
    session = driver.window.session
    session.apply(replace(session.state, heads=heads), "Ask")


def busy(driver) -> bool:
    """Whether the worker of the page has something to do."""
    return driver.page.loader.jobs.is_busy()


class Gate:
    """Holds up the worker until it is opened; what the window does itself is not held up."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self.passed = 0

    def open(self) -> None:
        self._open.set()

    def shut(self) -> None:
        self._open.clear()

    def wait(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            assert self._open.wait(20.0)
            self.passed += 1


class Watch(QObject):
    """Calls something whenever a widget is sent events of a kind."""

    def __init__(self, widget: QWidget, kind: QEvent.Type, call: Callable[[], object]) -> None:
        super().__init__(widget)
        self._kind, self._call = kind, call
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() is self._kind:
            self._call()
        return False
