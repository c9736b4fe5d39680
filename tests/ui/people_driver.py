"""Eyes for what every person must be able to see and reach: what can be on show, what is written on it and where."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import shiboken6
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPixmap, QPolygonF, QRegion, QTransform
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QGraphicsView,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyleOptionButton,
    QTabBar,
    QWidget,
)

from attention_explorer.state.block.state import BlockPicture, BlockState
from attention_explorer.state.cost.state import CostPicture
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.heads.state import Picture
from attention_explorer.state.positions.state import PositionsPicture
from attention_explorer.state.ready_made import presets_of
from attention_explorer.state.scaling.state import ScalingPicture, ScalingState

if TYPE_CHECKING:
    from attention_explorer.ui.window import MainWindow

PAGE_IDS = ("lookup", "heads", "positions", "block", "scaling", "cost")
PICTURES_OF = {
    "positions": PositionsPicture,
    "block": BlockPicture,
    "scaling": ScalingPicture,
    "cost": CostPicture,
}

Show = Callable[["MainWindow"], None]


@dataclass(frozen=True)
class Scene:
    """Something that a page can show: its name, and what makes the page show it."""

    name: str
    show: Show


def scenes_of(page: str) -> list[Scene]:
    """Return every picture and tab of a page."""
    if page == "lookup":
        return [Scene(f"lookup tab {tab}", _tab(page, tab)) for tab in (0, 1)]
    first = first_state(page)
    if page == "heads":
        shown = [Scene(f"heads {picture}", _state(replace(first, heads=_with(first, picture)))) for picture in Picture]
        return shown + [Scene(f"heads tab {tab}", _tab(page, tab)) for tab in (1, 2)]
    part = _quick(getattr(first, page))
    return [
        Scene(f"{page} {picture}", _state(replace(first, **{page: replace(part, picture=picture)})))
        for picture in PICTURES_OF[page]
    ]


def _quick(part: Any) -> Any:
    """Return a state with what takes seconds to compute made smaller: what is drawn of it is the same."""
    if isinstance(part, BlockState):
        return part.with_sizes(d_model=16, heads=2, d_ff=32)
    return replace(part, draws=200) if isinstance(part, ScalingState) else part


def first_state(page: str) -> ExplorerState:
    """Return the first preset of a page."""
    return next(iter(presets_of(page))).state


def with_all_changed(page: str) -> ExplorerState:
    """Return a state of the preset with the longest name, with the settings of another one."""
    part = _quick(getattr(first_state(page), page))
    longest = max(presets_of(page), key=lambda ready: len(ready.title))
    return replace(first_state(page), **{page: replace(part, preset=longest.id)})


def _with(state: ExplorerState, picture: Picture) -> object:
    heads = replace(state.heads, other=state.heads.setup) if picture is Picture.COMPARE else state.heads
    return heads.with_view(picture=picture)


def _state(state: ExplorerState) -> Show:
    return lambda window: show_state(window, state)


def _tab(page: str, tab: int) -> Show:
    state = first_state(page)

    def show(window: MainWindow) -> None:
        show_state(window, state)
        if window.page.tabs.count() > tab:
            window.page.tabs.setCurrentIndex(tab)
            catch_up(window)

    return show


def show_state(window: MainWindow, state: ExplorerState) -> None:
    """Show a state as if it had been opened, and wait for all of it."""
    if hasattr(window.page, "tabs"):
        window.page.tabs.setCurrentIndex(0)
    window.session._restore(state)
    window.session.undo_stack.clear()
    catch_up(window)


def catch_up(window: MainWindow) -> None:
    """Wait until nothing is being computed and everything has its place."""
    for _ in range(2):
        for _ in range(3):
            QApplication.processEvents()
        for _ in range(12_000):
            if not is_busy(window):
                break
            QTest.qWait(5)
        assert not is_busy(window)
    QApplication.processEvents()


def is_busy(window: MainWindow) -> bool:
    """Whether a worker of the page has something to do."""
    page = window.page
    jobs = page.loader.jobs if hasattr(page, "loader") else getattr(page, "jobs", None)
    return jobs is not None and jobs.is_busy()


# ---- What is on show ----


def widgets_shown(root: QWidget) -> Iterator[QWidget]:
    """Yield every widget that a person can see or scroll to, the outer ones first."""
    for child in root.findChildren(QWidget):
        if child.isVisible() and child.window() is root.window() and not child.size().isEmpty():
            yield child


def name_of(widget: QWidget) -> str:
    """Return how a report calls a widget."""
    text = getattr(widget, "text", None)
    words = text() if callable(text) else ""
    return f"{type(widget).__name__} “{widget.accessibleName() or words or widget.objectName()}”"


# ---- What is written ----


@dataclass(frozen=True)
class Written:
    """A line of text as it is painted, and the shape around its letters, in pixels of what it is painted on."""

    text: str
    shape: QPolygonF
    room: QRectF
    """Where it may be: what lies beyond is cut off."""
    surface: int
    """Lines of different surfaces do not meet: a thumbnail is painted by itself."""
    colour: QColor
    grounds: tuple[QColor, ...] = ()
    """The colours that it stands on, the lightest and the darkest of what is not just a line, if they are known."""
    is_large: bool = False
    """24 pixels or more at zoom 1, or 18.7 and bold, as the guidelines for contrast call it."""

    @property
    def box(self) -> QRectF:
        """The box around its letters."""
        return self.shape.boundingRect()


def written_on(widget: QWidget) -> list[Written]:
    """Return what a widget paints itself, without its children, also what is cut off."""
    if _is_ours(widget):
        return _written_by_us(widget)
    # Most controls are the same in every picture of a page: each is measured once in each of its states.
    text, checked = getattr(widget, "text", None), getattr(widget, "isChecked", None)
    chosen = widget.currentText() if isinstance(widget, QComboBox) else ""
    state = text() if callable(text) else "", checked() if callable(checked) else False, chosen
    key = widget.size().toTuple(), widget.font().pixelSize(), state, widget.hasFocus()
    kept = _kept.setdefault(widget, {})
    if isinstance(widget, QTabBar) or key not in kept:
        kept[key] = _written_by_qt(widget)
    return kept[key]


_kept: WeakKeyDictionary[QWidget, dict[object, list[Written]]] = WeakKeyDictionary()
"""What Qt's controls write in each of their states."""


def _is_ours(widget: QWidget) -> bool:
    ours = type(widget).__module__.startswith("attention_explorer") and "paintEvent" in vars(type(widget))
    kept = any(
        "paintEvent" in vars(kind) for kind in type(widget).__mro__[:3] if "attention_explorer" in kind.__module__
    )
    return (ours or kept) and not isinstance(widget, (QAbstractButton, QComboBox))


class _Recorder:
    """Takes the place of `QPainter.drawText`: notes what is written instead of writing it."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, QPolygonF, QPolygonF, QColor, QFont, object]] = []

    def note(self, painter: QPainter, *arguments: object) -> None:
        text, place, metrics = str(arguments[-1]), arguments[0], QFontMetricsF(painter.font())
        flags = 0 if len(arguments) < 3 else arguments[1]
        flags = int(getattr(flags, "value", flags))
        transform = painter.deviceTransform()
        if isinstance(place, (QRect, QRectF)):
            within = QRectF(place)
            letters = metrics.boundingRect(within, flags, text)
            lines = max(round(letters.height() / metrics.lineSpacing()), 1)
            if lines == 1:  # what is cut of the line above small letters is not missed
                letters = _on_line(letters, metrics, text)
            room = QPolygonF() if flags & int(Qt.TextFlag.TextDontClip.value) else transform.map(QPolygonF(within))
        else:
            point = QPointF(*arguments[:2]) if len(arguments) == 3 else QPointF(place)
            letters = _on_line(metrics.boundingRect(text).translated(point), metrics, text)
            room = QPolygonF()
        if text.strip():
            colour = QColor(painter.pen().color())
            self.notes.append((text, transform.map(QPolygonF(letters)), room, colour, painter.font(), painter.device()))


def _on_line(box: QRectF, metrics: QFontMetricsF, text: str) -> QRectF:
    """Return the part of the box of a line in which its letters are."""
    tight = metrics.tightBoundingRect(text)
    middle = box.top() + metrics.ascent() if box.height() >= metrics.ascent() else box.bottom()
    return QRectF(box.left(), middle + tight.top(), box.width(), tight.height())


def _forget_pixels(widget: QWidget) -> None:
    """Have a widget paint anew what it keeps."""
    for name in ("_kept", "_ground_kept", "_backdrop_key"):
        if hasattr(widget, name):
            setattr(widget, name, None)
    if hasattr(widget, "_tiles"):
        widget._tiles.clear()


def _written_by_us(widget: QWidget) -> list[Written]:
    recorder, draw = _Recorder(), QPainter.drawText
    _forget_pixels(widget)
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(widget.palette().color(widget.backgroundRole()))
    QPainter.drawText = lambda painter, *arguments: recorder.note(painter, *arguments)
    try:
        widget.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawWindowBackground)
    finally:
        QPainter.drawText = draw
    _forget_pixels(widget)
    widget.update()
    surfaces: dict[int, QImage] = {}
    found = []
    for text, shape, allowed, colour, font, device in recorder.notes:
        surface = shiboken6.getCppPointer(device)[0]
        if surface not in surfaces:
            surfaces[surface] = device.toImage() if isinstance(device, QPixmap) else image
        whole = QRectF(surfaces[surface].rect())
        large = font.pixelSize() >= 24 or (font.pixelSize() >= 18.7 and font.bold())
        grounds = _grounds(surfaces[surface], shape.boundingRect())
        room = whole & allowed.boundingRect() if allowed.count() else whole
        found.append(Written(text, shape, room, surface, colour, grounds, large))
    return found


def _grounds(image: QImage, box: QRectF) -> tuple[QColor, ...]:
    """Return the darkest and the lightest colour of which there is more than a little in a box."""
    inside = box.toAlignedRect() & image.rect()
    if inside.isEmpty():
        return ()
    cut = image.copy(inside).convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(cut.constBits(), np.uint32).reshape(cut.height(), -1)[:, : cut.width()]
    colours, counts = np.unique(pixels & 0xFFFFFF, return_counts=True)
    often = [QColor.fromRgb(int(colour)) for colour in colours[counts >= 0.2 * pixels.size]]
    often = often or [QColor.fromRgb(int(colours[counts.argmax()]))]
    often.sort(key=lambda colour: colour.lightnessF())
    return often[0], often[-1]


def _written_by_qt(widget: QWidget) -> list[Written]:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    painter = QPainter(generator)
    try:
        widget.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawWindowBackground)
    finally:
        painter.end()  # a painter that outlives what it paints on takes the interpreter with it
    root = ET.fromstring(bytes(buffer.data().data()))  # noqa: S314  # our own output
    return [
        _of_svg(group, text, _room_in(widget))
        for group in root.iter(f"{_SVG}g")
        for text in group.findall(f"{_SVG}text")
    ]


_SVG = "{http://www.w3.org/2000/svg}"


def _of_svg(group: ET.Element, element: ET.Element, room: QRectF) -> Written:
    text = "".join(element.itertext()).replace("\N{NO-BREAK SPACE}", " ").strip()
    font = QFont("Inter")
    font.setPixelSize(round(float(element.get("font-size", "13"))))
    font.setWeight(QFont.Weight(int(element.get("font-weight", "400"))))
    metrics = QFontMetricsF(font)
    tight = metrics.tightBoundingRect(text)
    x, y = float(element.get("x", "0")), float(element.get("y", "0"))
    matrix = group.get("transform", "matrix(1,0,0,1,0,0)")[7:-1].split(",")
    box = QRectF(x, y + tight.top(), metrics.horizontalAdvance(text), tight.height())
    shape = QTransform(*map(float, matrix)).map(QPolygonF(box))
    return Written(text, shape, room, 0, QColor(group.get("fill", "#000000")))


def _room_in(widget: QWidget) -> QRectF:
    """Return where Qt lets a control write: a button cuts off what comes into its padding."""
    if isinstance(widget, QPushButton):
        option = QStyleOptionButton()
        widget.initStyleOption(option)
        return QRectF(widget.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, widget))
    return QRectF(widget.rect())


def is_measured(widget: QWidget) -> bool:
    """Whether what a widget writes is to be measured: fields and lists that scroll by themselves are not."""
    if isinstance(widget, QLineEdit):
        return isinstance(widget.parentWidget(), QDoubleSpinBox)
    if isinstance(widget, QTabBar) and widget.usesScrollButtons() and widget.sizeHint().width() > widget.width():
        return False
    scrolls = (QPlainTextEdit, QAbstractScrollArea, QStackedWidget, QMenuBar)
    parent = widget.parentWidget()
    return not isinstance(widget, scrolls) and not isinstance(parent, (QAbstractItemView, QGraphicsView))


def cut_texts(widget: QWidget, lines: list[Written]) -> list[str]:
    """Return what a widget writes beyond its room, or shortens without a tip that has all of it."""
    found = []
    for line in lines:
        if not line.room.adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(line.box):
            found.append(
                f"{name_of(widget)}: “{line.text}” lies at {rounded(line.box)}, its room is {rounded(line.room)}"
            )
        elif line.text.endswith("…") and not _is_ours(widget) and not _tells_all(widget, line.text):
            found.append(f"{name_of(widget)}: “{line.text}” is shortened, and no tip has the rest")
    return found


SLACK = 1.6
"""Pixels that letters may be measured too wide: hinting rounds."""


def _tells_all(widget: QWidget, text: str) -> bool:
    """Whether a person can come by what was cut off."""
    for own in ("text", "currentText"):
        method = getattr(widget, own, None)
        whole = method() if callable(method) else ""
        if whole.replace("&", "").strip().endswith(text):
            return True  # it ends so by itself: Export…, of which a mnemonic may stand alone
        if whole and whole in widget.toolTip():
            return True
    return False


def written_over(widget: QWidget, lines: list[Written]) -> list[str]:
    """Return what a widget writes over something else that it has written."""
    found = []
    for number, line in enumerate(lines):
        for other in lines[:number]:
            if not line.box.intersects(other.box):
                continue
            shared = line.shape.intersected(other.shape).boundingRect()
            if line.surface == other.surface and shared.width() > SLACK and shared.height() > SLACK:
                found.append(f"{name_of(widget)}: “{line.text}” over “{other.text}” by {rounded(shared)}")
    return found


def rounded(box: QRectF) -> tuple[int, ...]:
    """Return left, top, right and bottom for a report."""
    return tuple(round(part) for part in (box.left(), box.top(), box.right(), box.bottom()))


# ---- Where it is ----


def misplaced(root: QWidget) -> list[str]:
    """Return widgets that stick out of their parent, or lie over a widget beside them."""
    found = []
    by_parent: dict[QWidget, list[QWidget]] = {}
    for widget in widgets_shown(root):
        parent = widget.parentWidget()
        if widget.isWindow() or parent is None or _floats(widget):
            continue
        by_parent.setdefault(parent, []).append(widget)
        if not _scrolls_its_content(parent) and not parent.rect().adjusted(-1, -1, 1, 1).contains(widget.geometry()):
            found.append(f"{name_of(widget)} at {widget.geometry().getRect()} leaves {name_of(parent)} {parent.size()}")
    for siblings in by_parent.values():
        for number, widget in enumerate(siblings):
            for other in siblings[:number]:
                shared = widget.geometry().intersected(other.geometry())
                if shared.width() > 1 and shared.height() > 1 and not _belong(widget, other):
                    found.append(f"{name_of(widget)} lies over {name_of(other)} by {shared.getRect()}")
    return found


def _floats(widget: QWidget) -> bool:
    """Whether a widget is meant to lie over others."""
    return type(widget).__name__ in ("ComputingNote", "ComboBoxPrivateContainer", "QSizeGrip", "ZoomWindow")


def _scrolls_its_content(parent: QWidget) -> bool:
    return isinstance(parent.parentWidget(), QAbstractScrollArea)


def _belong(widget: QWidget, other: QWidget) -> bool:
    """Whether two widgets are parts of one control of Qt's own, which places them as it likes."""
    parent = widget.parentWidget()
    return isinstance(parent, (QAbstractScrollArea, QComboBox, QDoubleSpinBox, QTabBar, QMenuBar)) or (
        parent is not None and parent.inherits("QTabWidget")
    )


def in_window(widget: QWidget) -> QRect:
    """Return where a widget is in its window."""
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


# ---- The keyboard ----


def press_tab(window: QWidget, back: bool = False) -> QWidget | None:
    """Press Tab, or Shift+Tab, and return who has the keyboard now."""
    target = QApplication.focusWidget() or window
    key = Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab
    QTest.keyClick(target, key, Qt.KeyboardModifier.ShiftModifier if back else Qt.KeyboardModifier.NoModifier)
    return QApplication.focusWidget()


# ---- Windows beside the page ----


def windows_beside(window: MainWindow) -> Iterator[QWidget]:
    """Show every other window that there is on the Heads page, each tab of the arrays, one at a time."""
    from attention_explorer.ui.dialogs import about_dialog, error_dialog, shortcuts_dialog
    from attention_explorer.ui.export.dialog import ExportDialog

    show_state(window, first_state("heads"))
    for make in (
        lambda: about_dialog(window),
        lambda: shortcuts_dialog(window, window.page, window.look),
        lambda: error_dialog(window, "ValueError: an example"),
        lambda: ExportDialog(window.page, window.page.figure()),
    ):
        dialog = make()
        dialog.show()
        QTest.qWait(30)  # a preview is painted a moment later
        QApplication.processEvents()
        yield dialog
        dialog.close()
    window.page.show_arrays()
    arrays = window.page.arrays
    QTest.qWaitForWindowExposed(arrays)
    for tab in range(arrays.tabs.count()):
        arrays.tabs.setCurrentIndex(tab)
        while arrays.jobs.is_busy():
            QTest.qWait(5)
        QApplication.processEvents()
        yield arrays
    arrays.close()
    window.activateWindow()
