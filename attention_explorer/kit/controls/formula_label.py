"""A formula whose marked symbols can be pointed at, by the mouse and by the keyboard."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.formula_text import Formula, Mark
from attention_explorer.core.formula_words import spoken
from attention_explorer.kit.accessible import WORDS, announce, tell_changed
from attention_explorer.kit.drawing.marks import paint_focus_frame
from attention_explorer.kit.formula import SMALLEST, FormulaLayout, layout
from attention_explorer.kit.theme import Look

MARGIN = 5.0
"""Pixels at zoom 1 around the formula, for the ground of what is lit and the frame of the keyboard."""
_STEPS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}


class FormulaLabel(QWidget):
    """Shows a formula, smaller where its room is too narrow; arrow keys walk its marked symbols, Ctrl+C copies it.

    Signals
    -------
    pointed : str
        The name of the marked symbol that is pointed at now; "" for none.
    """

    pointed = Signal(str)
    accessible_role = WORDS

    def __init__(self, look: Look, formula: Formula, size: float = 15.0, parent: QWidget | None = None) -> None:
        """Show a formula at a size in pixels at zoom 1."""
        super().__init__(parent)
        self._look, self._formula, self._size = look, formula, size
        self._lit: frozenset[str] = frozenset()
        self._pointed = ""
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Formula")
        self._take(formula)

    def show_formula(self, formula: Formula) -> None:
        """Show a formula; the one on show is not painted anew."""
        if formula is not self._formula:
            self._take(formula)

    def _take(self, formula: Formula) -> None:
        self._formula = formula
        self._point_at("")
        # One without marks is no stop for Tab.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if formula.marks else Qt.FocusPolicy.NoFocus)
        self.updateGeometry()
        self.update()
        tell_changed(self)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def light(self, names: Iterable[str]) -> None:
        """Light the symbols of these names, because somebody points at what they stand for."""
        self._lit = frozenset(names)
        self.update()

    def spoken(self) -> str:
        """Return the formula in words."""
        return self.laid_out.spoken()

    # ---- Its room ----

    @property
    def laid_out(self) -> FormulaLayout:
        """The formula as it is drawn in the width there is."""
        return layout(self._formula, self._look, self._size, self.width() - 2 * self._look.px(MARGIN))

    @property
    def origin(self) -> QPointF:
        """Where its baseline begins."""
        drawn = self.laid_out
        top = (self.height() - drawn.ascent - drawn.descent) / 2
        return QPointF(self._look.px(MARGIN), round(top + drawn.ascent))

    def sizeHint(self) -> QSize:
        return self._size_of(self._size)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._size_of(min(self._size, SMALLEST)).width(), self.sizeHint().height())

    def _size_of(self, size: float) -> QSize:
        drawn, margin = layout(self._formula, self._look, size), 2 * self._look.px(MARGIN)
        return QSize(int(drawn.width) + 1 + margin, int(drawn.ascent + drawn.descent) + 2 + margin)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.laid_out.paint(painter, self.origin, self._lit | {self._pointed})
            paint_focus_frame(painter, self, self._look)

    # ---- Pointing ----

    def _point_at(self, name: str) -> None:
        if name != self._pointed:
            self._pointed = name
            self.update()
            self.pointed.emit(name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.laid_out.at(event.position() - self.origin))

    def leaveEvent(self, _event: QEvent) -> None:
        self._point_at("")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point_at("")

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            ends = event.key() == Qt.Key.Key_Escape and self._pointed
            if ends or event.matches(QKeySequence.StandardKey.Copy):
                event.accept()  # else it is a shortcut of the window
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None and self._formula.marks:
            self._walk(step)
        elif event.key() == Qt.Key.Key_Escape and self._pointed:
            self._point_at("")
        elif event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.laid_out.plain())
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int) -> None:
        """Point at the next symbol, or at the first or the last if none is pointed at."""
        parts = dict[str, Mark]()
        for mark in self._formula.marks:
            parts.setdefault(mark.name, mark)
        names = list(parts)
        if self._pointed in names:
            place = min(max(names.index(self._pointed) + step, 0), len(names) - 1)
        else:
            place = 0 if step > 0 else -1
        self._point_at(names[place])
        mark = parts[names[place]]
        announce(self, f"{spoken(mark.inside)}, {mark.role}" if mark.role else spoken(mark.inside))
