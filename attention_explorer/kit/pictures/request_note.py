"""How the request of a picture stands: its progress beside the title, or on the picture why it is not shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QColor, QKeyEvent, QMoveEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QWidget

from attention_explorer.kit.accessible import announce
from attention_explorer.kit.controls.made import button, in_row
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, PointedPicture
from attention_explorer.kit.theme import Look
from attention_explorer.session.requests import Requests, Standing
from attention_explorer.session.session import StateSession

APPEARS_AFTER_MILLISECONDS = 300
"""What is done sooner is not announced: a note that comes and goes with every letter typed would blink."""
WIDEST = 460
"""Pixels at zoom 1 of a sentence on the picture."""
DIMMED = 170
"""How much of the picture's ground covers a picture that is not that of the settings, 0…255."""


class RequestNote(QFrame):
    """Lies over a picture and its title; no layout moves.

    While the newest request is computed, progress and a button that stops it stand at the right end of the title, if it
    takes long. If it was refused, or stopped before there was a picture, the older picture is dimmed, and the reason
    stands on it. Esc stops computing, but within a gesture it belongs to the gesture.

    Parameters
    ----------
    title, area : QWidget
        What it lies over: two children of the same widget.
    pictures : sequence of PointedPicture
        The pictures in the area, one of which is on show.

    Signals
    -------
    said : str
        A read-out for the status bar.
    find_wanted, reopen_wanted : str
        The picture lacks a file, which was at this path: it is to be looked for, or opened as it is now.
    """

    said = Signal(str)
    find_wanted = Signal(str)
    reopen_wanted = Signal(str)

    def __init__(
        self,
        requests: Requests[Any],
        session: StateSession[Any],
        look: Look,
        title: QWidget,
        area: QWidget,
        pictures: Sequence[PointedPicture],
    ) -> None:
        super().__init__(area.parentWidget())
        self._requests, self._session, self._look = requests, session, look
        self._title, self._area, self._pictures = title, area, tuple(pictures)
        self._fraction = 0.0
        self.is_said_elsewhere: Callable[[], bool] = lambda: False
        """Whether the reason stands elsewhere on the page, and the older picture stays as bright as it was."""
        self.covers = [_Cover(look, area), _Cover(look, title)]
        self.setObjectName("note")
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)  # a reason may quote what was typed
        self.button = button(run=self._on_pressed)
        tip = "Look for the file somewhere else; what it holds is compared with what it held"
        self.find_button = button("&Find…", tip, lambda: self._ask_for(self.find_wanted))
        tip = "Show what the file holds now; Undo goes back"
        self.reopen_button = button("&Open it as it is now", tip, lambda: self._ask_for(self.reopen_wanted))
        self._ways = QWidget()
        in_row(self.find_button, self.reopen_button, within=self._ways)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.addWidget(self.words)
        for part in (self.button, self._ways):
            self._row.addWidget(part, 0, Qt.AlignmentFlag.AlignCenter)
        self._delay = QTimer(self, singleShot=True, interval=APPEARS_AFTER_MILLISECONDS)
        self._delay.timeout.connect(self._tell_of_work)
        for widget in (title, area, *self._pictures):
            widget.installEventFilter(self)
        requests.changed.connect(self._on_changed)
        requests.progressed.connect(self._on_progressed)
        self.set_look(look)
        self._on_changed()

    def dim_too(self, widget: QWidget, *, goes_on: bool = False) -> None:
        """Dim another widget along with the picture: it is computed for the same request.

        One that ``goes_on`` is not dimmed where it answers the newest request, though the picture cannot.
        """
        self.covers.append(_Cover(self._look, widget, goes_on=goes_on))

    # ---- What people do ----

    def stop(self) -> bool:
        """Stop what is being computed; return whether there was something. What is shown stays."""
        return self._requests.stop()

    def _on_pressed(self) -> None:
        if not self.stop():
            self._requests.resume()

    def _ask_for(self, signal: SignalInstance) -> None:
        if self._requests.lost is not None:
            signal.emit(self._requests.lost.path)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # By their classes: each type that is asked for is made anew, and a picture hears of a dozen events a frame.
        if isinstance(event, QResizeEvent | QMoveEvent):
            self._place()
        # Before the picture, whose Esc lets go of what is pinned.
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() is QEvent.Type.KeyPress and not self._session.is_previewing:
            event.setAccepted(self.stop())
            return event.isAccepted()
        return False

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Apply the theme and the zoom."""
        self._look = look
        for cover in self.covers:
            cover.look = look
            cover.update()
        self._place()

    def _on_changed(self) -> None:
        requests = self._requests
        for picture in self._pictures:
            picture.set_reason(requests.sentence if requests.misleads else "")
        misleads = requests.misleads and not self.is_said_elsewhere()
        for cover in self.covers:
            cover.dim(misleads and (not cover.goes_on or requests.is_old or requests.lost is not None))
        self._delay.stop()
        if requests.is_pending:
            self._fraction = 0.0
            if not self.isHidden():  # it may say why there was nothing to be computed
                self._write_of_work()
            self._delay.start()
            self.said.emit("computing …")
        elif requests.sentence:
            words = requests.sentence if requests.misleads else "stopped"
            self._write(words, "Compute", "Compute all that the settings ask for")
            if requests.misleads and not misleads:
                self.hide()
            else:
                self._appear()
            announce(self, requests.sentence)
            self.said.emit(requests.sentence if requests.standing is Standing.STOPPED else "")
        else:
            self.hide()

    def _tell_of_work(self) -> None:
        self._write_of_work()
        self._appear()

    def _write_of_work(self) -> None:
        self._write("computing …", "Cancel", "Stop computing (Esc); what is shown stays")
        self._place()

    def _on_progressed(self, fraction: float) -> None:
        if self._requests.is_pending:
            self._fraction = fraction
            self.words.setText(f"computing … {fraction:.0%}")
            self.update()
            if fraction and all(picture.hovered == NOWHERE for picture in self._pictures):  # else that is being read
                self.said.emit(f"computing … {fraction:.0%}; Esc stops it")

    def _write(self, words: str, button: str, tip: str) -> None:
        self.words.setText(words)
        self.button.setText(button)
        self.button.setToolTip(tip)
        self.button.setVisible(self._requests.standing is not Standing.REFUSED)
        lost = self._requests.lost
        self._ways.setVisible(lost is not None)
        self.reopen_button.setVisible(lost is not None and lost.is_there)

    def _appear(self) -> None:
        self._place()
        self.show()
        self.raise_()  # above the covers

    def _place(self) -> None:
        look, on_picture = self._look, self._requests.misleads
        margin = look.px(14) if on_picture else look.px(2)
        self._row.setContentsMargins(max(margin, look.px(9)), margin, margin, margin)
        self._row.setSpacing(look.px(8))
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._row.setDirection(down if on_picture else right)
        self.words.setWordWrap(on_picture)
        # While it is computed, wide enough for every percentage, so that it does not jump as they pass.
        widest = 0 if on_picture else self.words.fontMetrics().horizontalAdvance("computing … 100%")
        self.words.setMinimumWidth(widest)
        self._row.activate()
        over = self._seen() if on_picture else self._title.geometry()
        size = self._size_on(over.width()) if on_picture else self.sizeHint()
        left = over.center().x() - size.width() // 2 if on_picture else over.right() - size.width()
        self.setGeometry(QRect(QPoint(left, over.center().y() - size.height() // 2), size))

    def _seen(self) -> QRect:
        """Return where the area can be seen: the page may scroll."""
        seen = self._area.visibleRegion().boundingRect()
        return self._area.geometry() if seen.isEmpty() else seen.translated(self._area.pos())

    def _size_on(self, room: int) -> QSize:
        """Return the size of a sentence on a picture so wide."""
        margins, words = self._row.contentsMargins(), self.words
        around = margins.left() + margins.right() + 2
        in_a_line = words.fontMetrics().horizontalAdvance(words.text()) + around + self._look.px(4)
        width = min(in_a_line, self._look.px(WIDEST), max(room - self._look.px(24), 1))
        return QSize(width, self._row.totalHeightForWidth(width) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._requests.is_pending:
            high, inset = self._look.px(3), self._look.px(5)
            room = self.rect().adjusted(inset, self.height() - high - 1, -inset, -1)
            painter = QPainter(self)
            painter.fillRect(QRectF(room), colour_of(self._look.theme.track))
            room.setWidth(round(self._fraction * room.width()))
            painter.fillRect(QRectF(room), colour_of(self._look.theme.strong))
            painter.end()


class _Cover(QWidget):
    """Dims a widget while that is to be seen, as on a tab of its own; the mouse passes through."""

    def __init__(self, look: Look, over: QWidget, *, goes_on: bool = False) -> None:
        super().__init__(over.parentWidget())
        self.look, self.over, self.goes_on = look, over, goes_on
        self._dims = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def dim(self, dims: bool) -> None:
        """Dim from now on, or no longer."""
        if dims and not self._dims:
            self.raise_()  # not again when it is shown, as with the window: the note has come above it meanwhile
            self.over.installEventFilter(self)
        elif self._dims and not dims:
            self.over.removeEventFilter(self)  # it hears a dozen events a frame, for nothing
        self._dims = dims
        self.setVisible(dims and not self.over.isHidden())

    def showEvent(self, event: QShowEvent) -> None:
        self.setGeometry(self.over.geometry())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent | QMoveEvent):
            self.setGeometry(self.over.geometry())
        elif event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.dim(self._dims)
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        colour = QColor(colour_of(self.look.theme.card))
        colour.setAlpha(DIMMED)
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour)
        painter.end()
