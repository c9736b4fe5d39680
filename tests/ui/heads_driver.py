"""A hand and an eye for the Heads page: real events go in, pixels, texts and numbers come out."""

from __future__ import annotations

import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QObject, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QWidget
from window_driver import WindowDriver

from attention_explorer.core import files
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui.pointing import NOBODY
from attention_explorer.pages.heads.ui.row_picture import row_headline

if TYPE_CHECKING:
    from attention_explorer.pages.heads.ui.drawer_parts import DrawerParts
    from attention_explorer.pages.heads.ui.map_canvas import HeadsCanvas
    from attention_explorer.pages.heads.ui.page import HeadsPage
    from attention_explorer.window.window import MainWindow


class HeadsDriver(WindowDriver):
    """The window on the Heads page, with a hand on its mouse and an eye on what is drawn."""

    def begin_anew(self) -> None:
        """Put everything back as it is at the start: the state, and the little that is none."""
        session, page = self.window.session, self.page
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        session.revert()
        session.restart(ExplorerState())
        for widget in (page.canvas, page.wall, page.panel.items):
            QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
        page.map_controls.paint.setChecked(False)
        if page.is_open:
            page.open_drawer(False)
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
    def canvas(self) -> HeadsCanvas:
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

    @property
    def read(self) -> str:
        """Whose row or column is read beside the map: what the panel says, in full."""
        row = self.page.row_beside()
        if row is None:
            assert self.page.panel.title.text() == NOBODY
            return ""
        assert self.page.panel.title.text().endswith(row_headline(row.steps))
        return row.steps.reading.title

    @property
    def read_cell(self) -> tuple[int, int]:
        """Query and key that are looked at beside the map."""
        return self.page.row_beside().cell

    @property
    def pin(self) -> tuple[int | None, int | None]:
        return self.heads.view.row, self.heads.view.column

    @property
    def controls(self) -> Controls:
        return Controls(self)

    # ---- The hand ----

    def keep(self) -> None:
        """Keep the setup as B, by its key."""
        self.key(Qt.Key.Key_B)

    def show(self, picture: Picture) -> None:
        """Show another view, by its button."""
        self.press(self.page.bar.view_row.buttons[picture])

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
        seen = self.heads.view.window
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
        return painted_texts(self.canvas.paint_picture)


class Controls:
    """What stands around the picture, by what it does; a control that is in the drawer is made seen first."""

    FIELDS: ClassVar = {
        "stages": "view.stage",
        "contrast": "view.contrast",
        "hidden": "view.hidden",
        "sort": "view.sort",
        "reverse": "view.reverse",
        "in_grid": "view.in_grid",
        "aggregate": "setup.aggregate",
        "identity": "setup.identity",
        "colours": "view.colour_map",
        "row_sums": "view.row_sums",
        "weighted": "view.value_weighted",
        "scaled": "setup.scaled",
        "surprise": "view.surprise",
        "whole_words": "whole_words",
        "checkpoint": "checkpoint",
        "signed": "view.signed",
        "masks": "setup.mask.kind",
        "mask_size": "mask_size",
        "hard": "setup.hard",
        "answer": "view.answer",
    }

    def __init__(self, shows: HeadsDriver | MainWindow) -> None:
        self._page: HeadsPage = shows.page

    def __getattr__(self, name: str) -> Any:
        page = self._page
        if name not in self.FIELDS:
            raise AttributeError(name)
        field, in_sight = self.FIELDS[name], page.form_of(page.view).controls
        return in_sight[field] if field in in_sight else self._in_drawer(page.drawer).form.controls[field]

    @property
    def sentence(self) -> QLineEdit:
        """The line in which the sentence is typed."""
        line = self._page.subject.sentence
        if not line.is_typed:
            line.edit()
        return line.field

    @property
    def context(self) -> QLineEdit:
        line = self._page.subject.context
        if not line.is_typed and line.isVisible():
            line.edit()
        return line.field

    @property
    def cross(self) -> QPushButton:
        return self._in_drawer(self._page.subject.cross)

    @property
    def paint(self) -> QPushButton:
        return self._in_drawer(self._page.map_controls.paint)

    @property
    def unpaint(self) -> QPushButton:
        return self._in_drawer(self._page.map_controls.unpaint)

    def _in_drawer(self, widget: Any) -> Any:
        if not self._page.is_open:
            self._page.open_drawer(True)
            QApplication.processEvents()
        return widget

    @property
    def pictures(self) -> Any:
        return self._page.bar.view_row

    @property
    def presets(self) -> Any:
        return self._page.bar.examples[self._page.view.id]

    @property
    def temperature(self) -> Any:
        return self._page.main.slider_of(self._page.view)

    @property
    def temperature_box(self) -> Any:
        """The field of the temperature: below the picture, or in the drawer where another slider has that place."""
        page = self._page
        if page.view.main == "setup.temperature":
            return self.temperature.box
        if not page.is_open:
            page.open_drawer(True)
            QApplication.processEvents()
        return page.drawer.form.controls["setup.temperature"]

    @property
    def mass(self) -> Any:
        """How much of each row is drawn as lines: a slider with its field."""
        assert self._page.view.main == "view.mass"
        return self._page.main.slider_of(self._page.view)

    @property
    def parts(self) -> DrawerParts:
        """The numbers of random heads, what a model expects next: in the drawer, below the fields."""
        if not self._page.is_open:
            self._page.open_drawer(True)
            QApplication.processEvents()
        return self._page.drawer_parts


def sequential(position: float, name: str = "viridis") -> str:
    """The colour of a place 0…1 on a colour map, from the file of the map."""
    lines = files.read_text(f"colour_maps/{name}.txt").split()
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


def panel_says(page: HeadsPage) -> str:
    """Return what stands beside the picture, whole: its headline, its sentence, and what its row says in words."""
    panel = page.panel
    row = panel.items.spoken() if panel.items.isVisible() else ""
    return "\n".join(filter(None, (panel.title.text(), panel.sentence.text(), row)))


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
    return driver.page.requests.jobs.is_busy()


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
