"""An eye for what widgets write: the lines of text, where they are, and the colours they stand on."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import shiboken6
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPicture,
    QPixmap,
    QPolygonF,
    QRegion,
    QTransform,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
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

from attention_explorer.kit.drawing import marks


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
        self._in_pictures: dict[int, list[tuple[str, QPolygonF, QPolygonF, QColor, QFont]]] = {}
        """What stands in a `QPicture`, by its address, until that is played: then it has its place."""

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
            colour, device = QColor(painter.pen().color()), painter.device()
            found = (text, transform.map(QPolygonF(letters)), room, colour, painter.font())
            if isinstance(device, QPicture):
                self._in_pictures.setdefault(_address(device), []).append(found)
            else:
                self.notes.append((*found, device))

    def play(self, picture: QPicture, painter: QPainter) -> None:
        """Note what stands in a picture, where it is played."""
        place = painter.deviceTransform()
        for text, letters, room, colour, font in self._in_pictures.pop(_address(picture), ()):
            self.notes.append((text, place.map(letters), place.map(room), colour, font, painter.device()))


def _address(device: object) -> int:
    return int(shiboken6.getCppPointer(device)[0])


def _on_line(box: QRectF, metrics: QFontMetricsF, text: str) -> QRectF:
    """Return the part of the box of a line in which its letters are."""
    tight = metrics.tightBoundingRect(text)
    middle = box.top() + metrics.ascent() if box.height() >= metrics.ascent() else box.bottom()
    return QRectF(box.left(), middle + tight.top(), box.width(), tight.height())


def _forget_pixels(widget: QWidget) -> None:
    """Have a widget paint anew what it keeps."""
    if hasattr(widget, "forget_pixels"):
        widget.forget_pixels()


def _written_by_us(widget: QWidget) -> list[Written]:
    recorder, draw, play = _Recorder(), QPainter.drawText, QPicture.play
    _forget_pixels(widget)
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(widget.palette().color(widget.backgroundRole()))
    QPainter.drawText = lambda painter, *arguments: recorder.note(painter, *arguments)
    QPicture.play = lambda picture, painter: (recorder.play(picture, painter), play(picture, painter))[1]
    try:
        widget.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawWindowBackground)
    finally:
        QPainter.drawText, QPicture.play = draw, play
        marks._kept_label.cache_clear()  # those made meanwhile have no text
    _forget_pixels(widget)
    widget.update()
    surfaces: dict[int, QImage] = {}
    found = []
    for text, shape, allowed, colour, font, device in recorder.notes:
        surface = _address(device)
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
    cut = image.copy(inside).convertToFormat(QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(cut.constBits(), np.uint32).reshape(cut.height(), -1)[:, : cut.width()]
    pixels = pixels[pixels >> 24 > OPAQUE]  # a label with a halo is a picture of its own, clear around that
    if not pixels.size:
        return ()
    colours, counts = np.unique(pixels & 0xFFFFFF, return_counts=True)
    often = [QColor.fromRgb(int(colour)) for colour in colours[counts >= 0.2 * pixels.size]]
    often = often or [QColor.fromRgb(int(colours[counts.argmax()]))]
    often.sort(key=lambda colour: colour.lightnessF())
    return often[0], often[-1]


OPAQUE = 127
"""How opaque a pixel is, of 255, whose colour is that of a ground."""


def _written_by_qt(widget: QWidget) -> list[Written]:
    flags = QWidget.RenderFlag.DrawWindowBackground
    return written_by(lambda painter: widget.render(painter, QPoint(), QRegion(), flags), _room_in(widget))


def svg_by(paint: Callable[[QPainter], None], size: QSize) -> ET.Element:
    """Return what a function paints as a file holds it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    painter = QPainter(generator)
    try:
        paint(painter)
    finally:
        painter.end()  # a painter that outlives what it paints on takes the interpreter with it
    return ET.fromstring(bytes(buffer.data().data()))  # noqa: S314  # our own output


def written_by(paint: Callable[[QPainter], None], room: QRectF) -> list[Written]:
    """Return what a function writes, which has to stay within a room."""
    root = svg_by(paint, QSize(math.ceil(room.right()), math.ceil(room.bottom())))
    lines = (_of_svg(group, text, room) for group in root.iter(f"{_SVG}g") for text in group.findall(f"{_SVG}text"))
    return [line for line in lines if line.text]


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
    for own in ("text", "currentText", "placeholderText"):
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
