"""Words, buttons, rows and columns as the window has them, each made in a line; and widgets put out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, SignalInstance
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QPushButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.kit.theme import Look


def discard(widget: QWidget) -> None:
    """Take a widget out of the window now; Qt deletes it an event later.

    `deleteLater` alone would leave it in view until then. It is hidden before it loses its parent, because a layout
    shows a new widget an event later, and one without a parent would be shown as a window of its own.
    """
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()


def keep_out_of_sight(hidden: bool, *widgets: QWidget) -> None:
    """Hide widgets in their places, or show them again."""
    for widget in widgets:
        _keep_room(widget, hidden)  # only now: what is hidden in another way is to give up its room
        widget.setHidden(hidden)


def give_up_room(widget: QWidget) -> None:
    """Leave no room for a widget that is out of sight."""
    _keep_room(widget, False)


def _keep_room(widget: QWidget, kept: bool) -> None:
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(kept)
    widget.setSizePolicy(policy)


B = TypeVar("B", bound=QBoxLayout)

Part: TypeAlias = "QWidget | QLayout | tuple[QWidget | QLayout, int] | None"
"""Of a row or a column: with how much of the room that is left, or None for room that is left empty."""

_Flag = Qt.TextInteractionFlag


def words(
    text: str = "", style: str = "", *, wraps: bool = False, is_copied: bool = False, has_links: bool = False
) -> QLabel:
    """Return words in a style of the style sheet, which may wrap, be copied, or have links that a browser opens."""
    label = QLabel(text)
    label.setObjectName(style)
    label.setWordWrap(wraps)
    if is_copied:
        label.setTextInteractionFlags(_Flag.TextSelectableByMouse)
    if has_links:
        label.setTextInteractionFlags(_Flag.LinksAccessibleByMouse | _Flag.LinksAccessibleByKeyboard)
        label.setOpenExternalLinks(True)
    return label


def name_of(control: QWidget, text: str, tip: str = "") -> QLabel:
    """Return the name of a control, to stand beside it: the letter behind its & goes to the control."""
    label = QLabel(text)
    label.setBuddy(control)
    label.setToolTip(tip)
    return label


def button(
    text: str = "",
    tip: str = "",
    run: Callable[..., object] | SignalInstance | None = None,
    *,
    name: str = "",
    is_switch: bool = False,
) -> QPushButton:
    """Return a button that does something when it is clicked; ``name`` is what it is called where its words are few."""
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setAccessibleName(name)
    made.setCheckable(is_switch)
    if run is not None:
        made.clicked.connect(run)
    return made


def in_row(*parts: Part, within: QWidget | None = None, space: int | None = None) -> QHBoxLayout:
    """Return parts side by side, without a margin; ``within`` a widget they are all of it."""
    return _filled(QHBoxLayout(), parts, within, space)


def in_column(*parts: Part, within: QWidget | None = None, space: int | None = None) -> QVBoxLayout:
    """Return parts below each other, without a margin; ``within`` a widget they are all of it."""
    return _filled(QVBoxLayout(), parts, within, space)


def _filled(layout: B, parts: tuple[Part, ...], within: QWidget | None, space: int | None) -> B:
    layout.setContentsMargins(0, 0, 0, 0)
    if within is not None:
        within.setLayout(layout)
    if space is not None:
        layout.setSpacing(space)
    for each in parts:
        part, stretch = each if isinstance(each, tuple) else (each, 0)
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)
    return layout


# ---- Cards ----


class Card(QFrame):
    """A titled box; more widgets go into ``body``, ``note`` is what stands at the right of the title."""

    def __init__(self, look: Look, title: str = "", kind: str = "card", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(kind)
        self.body = QVBoxLayout(self)
        self.head = QHBoxLayout()
        if title:
            self.note = words("", "muted")
            self.head.addWidget(words(title, "cardTitle"))
            self.head.addStretch(1)
            self.head.addWidget(self.note)
            self.body.addLayout(self.head)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self.be_filled(look, filled=False)
        self.body.setSpacing(look.px(5))
        self.head.setSpacing(look.px(6))

    def be_filled(self, look: Look, *, filled: bool) -> None:
        """Let what is in it go from edge to edge, or stand inside; asked for again it lays out nothing anew."""
        across, along = (1, 1) if filled else (look.px(12), look.px(9))
        self.body.setContentsMargins(across, along, across, along)


# ---- What cannot be done now ----


_OWN_TIP = "tip of a control that can be used"


def allow_unless(reason: str, *controls: QWidget) -> None:
    """Grey controls, with the reason for a tip; without one, let them be used with the tip that they had.

    A tip that changes while a control is greyed must be set before, or it is lost.
    """
    for control in controls:
        if control.property(_OWN_TIP) is None:
            control.setProperty(_OWN_TIP, control.toolTip())
        control.setEnabled(not reason)
        tip = reason or str(control.property(_OWN_TIP))
        if tip != control.toolTip():  # Qt tells everybody of one that is set, also where it is the same
            control.setToolTip(tip)


# ---- What keeps its height ----


class Steady(QWidget):
    """A column that takes the height it is given: text that wraps inside must not make the whole page scroll."""

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        # Where it keeps its room while it is out of sight, that is its width.
        hint = super().minimumSizeHint()
        return QSize(hint.width(), 0) if self.isHidden() else hint


# ---- Tips ----


class TipWidget(QWidget):
    """Has a tip for every place: a subclass says in `tip_at` which."""

    def tip_at(self, place: QPointF) -> str:
        """Return what to say of a place; empty for nothing."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)


# ---- Lines that break like text ----


class FlowLayout(QLayout):
    """Places its items from left to right and begins a new line where the width ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Place the items, those of a line with their middles side by side, and return the height of all lines."""
        y, gap = rect.y(), self.spacing()
        for line in self._lines(rect.width()):
            x, high = rect.x(), max(size.height() for _, size in line)
            for item, size in line:
                if move:
                    item.setGeometry(QRect(QPoint(x, y + (high - size.height()) // 2), size))
                x += size.width() + gap
            y += high + gap
        return max(y - gap, rect.y()) - rect.y()

    def _lines(self, width: int) -> Iterator[list[tuple[QLayoutItem, QSize]]]:
        """Yield the items of each line with their sizes; a hidden widget takes no room."""
        line: list[tuple[QLayoutItem, QSize]] = []
        taken = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if line and taken + size.width() > width:
                yield line
                line, taken = [], 0
            line.append((item, size))
            taken += size.width() + self.spacing()
        if line:
            yield line
