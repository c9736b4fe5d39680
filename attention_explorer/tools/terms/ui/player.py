"""Explains in the window: a term beside where it stands, a control by its name, all else in the help window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)

from attention_explorer.core.terms import Term, mentions, term_named
from attention_explorer.kit.controls.text_block import TermBlock
from attention_explorer.tools.host import Host
from attention_explorer.tools.terms.ui.page import KEYS, HelpWindow
from attention_explorer.tools.terms.ui.panel import IN_A_LESSON, TermCard, shown_by

CONTROLS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)


class Explainer(QObject):
    """What a window explains; its parent is the window."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window = window
        self.card: TermCard | None = None
        """The one that is opened again and again, for it keeps the pictures that it has drawn."""
        self.opened: HelpWindow | None = None

    # ---- One term ----

    def explain(self, name: str) -> None:
        """Say what a term means, beside where it was asked for."""
        term = term_named(name)
        if term is None:
            return
        reason = IN_A_LESSON if self._window.tools.has_lesson else ""
        place = self._place()
        if self.card is None or self.card.look != self._window.look:
            if self.card is not None:
                self.card.deleteLater()  # else every change of the look would leave one
            self.card = TermCard(self._window, self._window.look)
            self.card.view.show_wanted.connect(self._show)
        self.card.show_term(term, reason)
        self.card.open_at(place, self._window.screen().availableGeometry())

    def _place(self) -> QPoint:
        """Return where somebody asks: at the pointer, or where the keyboard is if the pointer is elsewhere."""
        asking = QApplication.focusWidget()
        pointer = QCursor.pos()
        if asking is None or asking.rect().contains(asking.mapFromGlobal(pointer)):
            return pointer
        if isinstance(asking, TermBlock):
            return asking.mapToGlobal(asking.foot_of_term())
        if isinstance(asking, (QLabel, *CONTROLS)):
            return asking.mapToGlobal(asking.rect().bottomLeft())
        window = self._window
        inside = window.rect().contains(window.mapFromGlobal(pointer))
        return pointer if inside else window.mapToGlobal(QPoint(window.width() // 3, window.height() // 8))

    def _show(self, term: Term) -> None:
        self._window.show_preset(shown_by(term))

    # ---- All else ----

    def help(self) -> None:
        """Say what the control with the keyboard is about, or what mouse and keys do."""
        asking = QApplication.focusWidget()
        found = mentions(asking.accessibleName()) if _is_control(asking, self._window) and asking is not None else ()
        if found:
            self.explain(found[0].term.name)
        else:
            self.show_help(KEYS)

    def show_help(self, tab: int) -> None:
        """Open the help window on a tab."""
        if self.opened is None:
            self.opened = HelpWindow(self._window)
            self.opened.show_wanted.connect(self._show)
            self.opened.finished.connect(self._forget_help)
            self.opened.show()
        else:
            self.opened.raise_()
        self.opened.show_tab(tab)
        self.opened.activateWindow()

    def _forget_help(self, _result: int) -> None:
        self.opened = None


def _is_control(widget: QWidget | None, window: Host) -> bool:
    return isinstance(widget, CONTROLS) and window.isAncestorOf(widget)
