"""The axes of an array as chips in a row: how long each is, and what it means. Meanings change places."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.made import in_row, words
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.file_reading import axis_word, given
from attention_explorer.sources.recorded.axes import LETTERS

TIP = (
    "Drag it onto another axis, or press ← or →, and what they mean changes places. A click offers all that an axis "
    "can be; the letters l, b, h, q and k choose it"
)
_INKS = {"q": "query_ink", "k": "key_ink"}
_SIDES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class AxisChip(QAbstractButton):
    """One axis: its length, and what it means in the colour of that."""

    def __init__(self, chips: AxisChips, look: Look, place: int) -> None:
        super().__init__(chips)
        self._chips, self._look, self.place = chips, look, place
        self.letter, self.length = "q", 0
        self.is_held = False
        self._pressed_at: QPoint | None = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(TIP)
        self.setAccessibleDescription(TIP)
        self.clicked.connect(lambda: chips.offer(place))

    def show_axis(self, letter: str, length: int, count: int) -> None:
        """Show what the axis is."""
        self.letter, self.length = letter, length
        self.setAccessibleName(f"Axis {self.place + 1} of {count}: {grouped(length)} {axis_word(letter, length)}")
        self.updateGeometry()
        self.update()

    @property
    def words(self) -> tuple[str, str]:
        """Its length and what it means, as they are drawn."""
        return grouped(self.length), axis_word(self.letter, self.length)

    def sizeHint(self) -> QSize:
        length, word = self.words
        wide = text_size(self._look.font(16, bold=True), length)[0] + text_size(self._look.font(14), word)[0]
        return QSize(round(wide) + self._look.px(46), self._look.px(38))

    # ---- Hand and keyboard ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is None:
            return
        at = event.position().toPoint()
        if not self._chips.is_dragged and (at - self._pressed_at).manhattanLength() >= QApplication.startDragDistance():
            self.setDown(False)
            self._chips.lift(self.place)
        if self._chips.is_dragged:
            self._chips.carry_to(self.mapToParent(at).x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = None
        if self._chips.is_dragged:
            self._chips.put_down()
            self.setDown(False)
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        letter, side = event.text().lower(), _SIDES.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_Escape and self._chips.is_dragged:
            self._pressed_at = None
            self._chips.put_back()
        elif side is not None and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._chips.move_by(self.place, side)
        elif letter in self._chips.meanings and letter:
            self._chips.give(self.place, letter)
            self._chips.focus(self.place + 1)
        else:
            super().keyPressEvent(event)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        look, theme = self._look, self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_strong = self.is_held or (self.hasFocus() and not self._chips.is_dragged)
        width = look.px(2) if is_strong else 1
        edge = theme.focus if is_strong else theme.axis if self.underMouse() else theme.border
        painter.setPen(QPen(QColor(edge), width))
        painter.setBrush(QColor(theme.track if self.is_held or self.isDown() else theme.card))
        box = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(box, look.px(9), look.px(9))
        length, word = self.words
        painter.setFont(look.font(16, bold=True))
        painter.setPen(QColor(theme.text))
        self._paint_grip(painter)
        left = look.px(26)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect().adjusted(left, 0, 0, 0), middle, length)
        left += round(text_size(painter.font(), length)[0]) + look.px(6)
        painter.setFont(look.font(14))
        painter.setPen(QColor(getattr(theme, _INKS.get(self.letter, "text"))))
        painter.drawText(self.rect().adjusted(left, 0, 0, 0), middle, word)
        painter.end()

    def _paint_grip(self, painter: QPainter) -> None:
        """Paint six dots, which say that it can be dragged."""
        look = self._look
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.theme.axis))
        for dot in range(6):
            middle = QPointF(look.px(11) + dot % 2 * look.px(5), self.height() / 2 + (dot // 2 - 1) * look.px(5))
            painter.drawEllipse(middle, 1.4 * look.zoom, 1.4 * look.zoom)
        painter.restore()


class AxisChips(QWidget):
    """A row of chips, one an axis. Lengths stay where they are; what is moved is what they mean.

    Signals
    -------
    changed : str
        Somebody chose other meanings: one letter an axis.
    """

    changed = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setAccessibleName("Which axis is which")
        self.letters = self.meanings = ""
        self._shape: tuple[int, ...] = ()
        self.chips: list[AxisChip] = []
        self.menu: QMenu | None = None
        self._lifted: tuple[int, str] | None = None
        self._at = 0
        self.before, self.said = words("", "muted"), words("", "muted", is_copied=True)
        self.said.setToolTip("What sessions, Python and the command line call these axes, one letter each")
        self._row = in_row(self.before, None, self.said, within=self, space=look.px(7))

    def show_axes(self, letters: str, shape: tuple[int, ...], layers: int = 0) -> None:
        """Show what the axes are, without telling anybody; ``layers`` arrays if there is one for each layer."""
        if len(shape) != len(self.chips):
            self._make_chips(len(shape))
        self._shape, self.meanings = shape, "bhqk" if layers else "lbhqk"
        self.before.setText(f"{layers} layers of" if layers else "")
        self.before.setVisible(bool(layers))
        self._show(letters)

    def _make_chips(self, count: int) -> None:
        for chip in self.chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = [AxisChip(self, self._look, place) for place in range(count)]
        for place, chip in enumerate(self.chips):
            self._row.insertWidget(1 + place, chip)
        if self.chips:
            self.setFocusProxy(self.chips[0])

    def _show(self, letters: str) -> None:
        self.letters = letters
        for chip, letter, length in zip(self.chips, letters, self._shape, strict=True):
            chip.show_axis(letter, length, len(self.chips))
        self.said.setText(f'axes="{letters}"')

    # ---- Changing ----

    def _change(self, letters: str) -> None:
        if letters != self.letters:
            self._show(letters)
            self.changed.emit(letters)

    def focus(self, place: int) -> None:
        """Give the keyboard to a chip, if there is one at that place."""
        if 0 <= place < len(self.chips):
            self.chips[place].setFocus(Qt.FocusReason.OtherFocusReason)

    def give(self, place: int, letter: str) -> None:
        """Have an axis mean something else; what meant that before changes places with it."""
        self._change(given(self.letters, place, letter))

    def move_by(self, place: int, side: int) -> None:
        """Have the meaning of an axis change places with that of a neighbour, which has the keyboard then."""
        if 0 <= place + side < len(self.chips):
            self.give(place, self.letters[place + side])
            self.focus(place + side)

    def offer(self, place: int) -> None:
        """Offer all that an axis can be; what would leave no queries or no keys is greyed."""
        self.menu = QMenu(self)
        self.menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for letter in self.meanings:
            action = self.menu.addAction(LETTERS[letter].capitalize(), partial(self.give, place, letter))
            action.setCheckable(True)
            action.setChecked(letter == self.letters[place])
            action.setEnabled({"q", "k"} <= set(given(self.letters, place, letter)))
        chip = self.chips[place]
        self.menu.popup(chip.mapToGlobal(chip.rect().bottomLeft()))

    # ---- Dragging ----

    @property
    def is_dragged(self) -> bool:
        """Whether a meaning is in somebody's hand."""
        return self._lifted is not None

    def lift(self, place: int) -> None:
        """Take the meaning of an axis in the hand."""
        self._lifted, self._at = (place, self.letters), place
        self._hold(place)

    def carry_to(self, x: int) -> None:
        """Have the meaning in the hand change places with that of the chip at a place, and all others stay."""
        if self._lifted is None:
            return
        start, letters = self._lifted
        reached = min(range(len(self.chips)), key=lambda place: abs(self.chips[place].geometry().center().x() - x))
        if reached != self._at:
            self._at = reached
            self._change(given(letters, start, letters[reached]))
            self._hold(reached)

    def put_down(self) -> None:
        """Leave the meaning in the hand where it is."""
        at = self._at
        self._lifted = None
        self._hold(None)
        self.focus(at)

    def put_back(self) -> None:
        """Leave all as it was before the drag."""
        if self._lifted is not None:
            place, letters = self._lifted
            self._change(letters)
            self._at = place
            self.put_down()

    def _hold(self, held: int | None) -> None:
        for place, chip in enumerate(self.chips):
            chip.is_held = place == held
            chip.setCursor(Qt.CursorShape.OpenHandCursor if held is None else Qt.CursorShape.ClosedHandCursor)
            chip.update()
