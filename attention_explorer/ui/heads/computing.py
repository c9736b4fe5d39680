"""What the Heads page says and offers while its numbers are on their way: progress, stop, and after all."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from attention_explorer.session.session import Session
from attention_explorer.ui.heads.loader import HeadsLoader
from attention_explorer.ui.heads.picture_card import PictureCard
from attention_explorer.ui.pictures.pointed_picture import NOWHERE


class HeadsComputing(QObject):
    """Shows what a loader is doing in the note of a picture card, and stops it on Esc or by the note's button.

    Signals
    -------
    said : str
        A read-out for the status bar.
    done
        Nothing is on its way any more.
    stopped
        It was stopped by hand: what is shown stays as it is.
    again_wanted
        What was stopped is to be computed after all.
    """

    said = Signal(str)
    done = Signal()
    stopped = Signal()
    again_wanted = Signal()

    def __init__(self, session: Session, loader: HeadsLoader, card: PictureCard, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._loader, self._card = session, loader, card
        loader.busy_changed.connect(self._on_busy_changed)
        loader.progressed.connect(self._on_progressed)
        card.computing.cancel_wanted.connect(self.stop)
        card.computing.again_wanted.connect(self.again_wanted)
        for picture in card.widgets.values():
            picture.installEventFilter(self)

    def stop(self) -> bool:
        """Stop what is being computed; return whether there was something. What is shown stays."""
        if not self._loader.is_busy:
            return False
        self._loader.cancel()
        self._card.computing.show_stopped()
        self.stopped.emit()
        return True

    def overtaken(self) -> None:
        """Hear that something else is shown now: what was stopped before does not matter any more."""
        if not self._loader.is_busy:
            self._card.computing.show_done()

    def _on_busy_changed(self, busy: bool) -> None:
        if busy:
            self.said.emit("computing …")
            self._card.computing.show_busy()
        else:
            self._card.computing.show_done()
            self.done.emit()

    def _on_progressed(self, fraction: float) -> None:
        self._card.computing.show_fraction(fraction)
        if self._card.hovered == NOWHERE:  # what is pointed at is worth more
            self.said.emit(f"computing … {fraction:.0%}; Esc stops it")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Before the picture, whose Esc lets go of what is pinned, unless it is in the middle of a gesture.
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() is QEvent.Type.KeyPress and not self._session.is_previewing:
            return self.stop()
        return False
