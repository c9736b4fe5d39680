"""What else an answer is given with: words to click, cells to tick, things to put in order, and bars to drag."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QSlider, QWidget

from attention_explorer.core.numerals import coordinate
from attention_explorer.kit.controls.made import FlowLayout, in_column, words
from attention_explorer.kit.reach import in_order
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.answers import Given, Right
from attention_explorer.tools.lessons.ui.asking import Asked, Asking, AskingLine, EnterButton

RIGHT, MISSED, WRONG = ("✓", "right"), ("○", "missed"), ("✗", "wrong")
HOW_TO_ORDER = "The first on the left. Drag them; ← and → move the chosen one."


class Words(Asking):
    """Takes one of several words, by a click on it."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self.words: tuple[QPushButton, ...] = tuple(QPushButton(word) for word in asked.offer.labels)
        flow = FlowLayout(self)
        flow.setSpacing(4)
        for word, button in zip(asked.offer.labels, self.words, strict=True):
            flow.addWidget(button)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, word=word: self.given.emit(word))
        Walk(self.words, len(self.words))

    def first(self) -> QWidget:
        return self.words[0]


class Cells(Asking):
    """Takes those cells of a row or of a map that are ticked, by clicks, or by the arrow keys and Space."""

    def __init__(self, asked: Asked, look: Look) -> None:
        super().__init__()
        self._labels, self._rows = asked.offer.labels, asked.offer.rows
        grid = QWidget()
        self.cells: dict[tuple[int, ...], QPushButton] = {}
        self._check = EnterButton(asked.check)
        self._check.clicked.connect(lambda: self.given.emit(self._ticked()))
        column = in_column(grid, within=self)
        if self._rows:
            self._make_map(QGridLayout(grid))
            column.addWidget(self._check, alignment=Qt.AlignmentFlag.AlignLeft)
        else:
            self._make_row(FlowLayout(grid))
        for place, button in self.cells.items():
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.setAccessibleName(self._name(place))
        Walk(tuple(self.cells.values()), len(self._labels))
        self.set_look(look)

    def _make_row(self, flow: FlowLayout) -> None:
        flow.setSpacing(4)
        for place, label in enumerate(self._labels):
            self.cells[(place,)] = button = QPushButton(label)
            flow.addWidget(button)
        for widget in (_gap(), self._check):
            flow.addWidget(widget)

    def _make_map(self, grid: QGridLayout) -> None:
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(2)
        for place, label in enumerate(self._labels):
            head = QLabel(label, alignment=Qt.AlignmentFlag.AlignCenter)
            head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            head.setToolTip(label)
            head.setObjectName("muted")
            grid.addWidget(head, 0, place + 1)
        for row, label in enumerate(self._rows):
            grid.addWidget(words(label, "muted"), row + 1, 0, Qt.AlignmentFlag.AlignRight)
            for place in range(len(self._labels)):
                self.cells[row, place] = button = QPushButton()
                button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
                grid.addWidget(button, row + 1, place + 1)
        grid.setColumnStretch(len(self._labels) + 1, 1)
        self._grid = grid

    def set_look(self, look: Look) -> None:
        if not self._rows:
            return
        for place in range(len(self._labels)):
            self._grid.setColumnMinimumWidth(place + 1, look.px(52))
        for button in self.cells.values():
            button.setFixedHeight(look.px(22))
            button.setStyleSheet("min-height: 0; padding: 0;")

    def _name(self, place: tuple[int, ...]) -> str:
        key = self._labels[place[-1]]
        return f"{self._rows[place[0]]} → {key}" if self._rows else key

    def first(self) -> QWidget:
        return next(iter(self.cells.values()))

    def _ticked(self) -> frozenset[tuple[int, ...]]:
        return frozenset(place for place, button in self.cells.items() if button.isChecked())

    def show_truth(self, given: Given | None, truth: Right) -> None:
        self._check.hide()
        if not isinstance(truth, frozenset):
            return
        guess = given if isinstance(given, frozenset) else frozenset()
        for place, button in self.cells.items():
            # Not switched off: its words are to be read as well as before.
            button.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            if place in truth | guess:
                mark, word = (RIGHT if place in guess else MISSED) if place in truth else WRONG
                button.setText(f"{mark} {button.text()}".strip())
                button.setAccessibleName(f"{self._name(place)}: {word}")


class Order(Asking):
    """Takes things in an order, into which they are dragged, or moved with the arrow keys."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._labels = asked.offer.labels
        self.tiles: list[QPushButton] = [QPushButton(label) for label in self._labels]
        self._places = list(range(len(self.tiles)))
        for tile in self.tiles:
            tile.setAutoDefault(False)
            tile.setCursor(Qt.CursorShape.OpenHandCursor)
            tile.installEventFilter(self)
        self._held = QWidget()
        self._flow = FlowLayout(self._held)
        self._flow.setSpacing(4)
        self._behind = _gap(), EnterButton(asked.check)
        self._behind[1].clicked.connect(lambda: self.given.emit(tuple(self._places)))
        in_column(words(HOW_TO_ORDER, "muted", wraps=True), self._held, within=self)
        self._show()

    @property
    def order(self) -> tuple[str, ...]:
        """The names of the things as they stand now."""
        return tuple(self._labels[place] for place in self._places)

    def first(self) -> QWidget:
        return self.tiles[self._places[0]]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        place = next((place for place, tile in enumerate(self.tiles) if tile is watched), None)
        if place is None:
            return False
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
            self._move(place, self._places.index(place) + step)
            return bool(step)
        if isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseMove and event.buttons():
            self._drag(place, self.tiles[place].mapTo(self._held, event.position().toPoint()))
            return True
        return False

    def _drag(self, place: int, to: QPoint) -> None:
        under = (other for other, tile in enumerate(self.tiles) if tile.geometry().contains(to))
        there = next(under, place)
        if there != place:
            self._move(place, self._places.index(there))

    def _move(self, place: int, to: int) -> None:
        if 0 <= to < len(self._places) and self._places[to] != place:
            self._places.remove(place)
            self._places.insert(to, place)
            self._show()

    def _show(self) -> None:
        for widget in (*self.tiles, *self._behind):
            self._flow.removeWidget(widget)
        for number, place in enumerate(self._places, 1):
            self._flow.addWidget(self.tiles[place])
            self.tiles[place].setAccessibleName(f"{self._labels[place]}, {number} of {len(self._places)}")
        for widget in self._behind:
            self._flow.addWidget(widget)
        self._flow.activate()
        in_order(*(self.tiles[place] for place in self._places), self._behind[1])


def _gap() -> QWidget:
    """Return what stands between the things to choose from and *Check*, which is none of them."""
    gap = QWidget()
    gap.setFixedSize(8, 1)
    return gap


class Walk(QObject):
    """Lets the arrow keys go from button to button of a grid; Tab goes to the one that had the keyboard last."""

    def __init__(self, buttons: tuple[QPushButton, ...], width: int) -> None:
        super().__init__(buttons[0].parent())
        self._buttons, self._width = buttons, width
        for button in buttons:
            button.installEventFilter(self)
            button.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        buttons[0].setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        here = next(place for place, button in enumerate(self._buttons) if button is watched)
        steps: dict[int, Callable[[], int]] = {
            Qt.Key.Key_Left: lambda: here - 1 if here % self._width else here,
            Qt.Key.Key_Right: lambda: here + 1 if (here + 1) % self._width else here,
            Qt.Key.Key_Up: lambda: here - self._width,
            Qt.Key.Key_Down: lambda: here + self._width,
        }
        if event.key() not in steps:
            return False
        there = steps[event.key()]()
        if 0 <= there < len(self._buttons):
            self._buttons[here].setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            self._buttons[there].setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._buttons[there].setFocus(Qt.FocusReason.TabFocusReason)
        return True


STOPS = 100
"""From one end of a bar to the other: a hundredth of a weight."""


class Bar(QSlider):
    """A slider that is a bar: its end is dragged, or set with the arrow keys."""

    def __init__(self, name: str, look: Look) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, STOPS)
        self.setPageStep(STOPS // 10)
        self.setAccessibleName(name)
        self.truth: float | None = None
        """Where the true end is, from 0 to 1; None while nobody may know."""
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.setFixedHeight(look.px(22))
        self.setMinimumWidth(look.px(120))
        self.setMaximumWidth(look.px(420))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, px = self._look.theme, self._look.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(self.rect()).adjusted(px(3), px(4), -px(3), -px(4))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.track))
        painter.drawRoundedRect(room, px(3), px(3))
        painter.setBrush(QColor(theme.key))
        end = room.width() * self.value() / STOPS
        painter.drawRoundedRect(QRectF(room.left(), room.top(), end, room.height()), px(3), px(3))
        if self.truth is not None:
            painter.setPen(QPen(QColor(theme.text), px(3)))
            x = room.left() + room.width() * min(max(self.truth, 0.0), 1.0)
            painter.drawLine(round(x), 0, round(x), self.height())
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.focus), px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(4), px(4))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _follow(self, event: QMouseEvent) -> None:
        inset = self._look.px(3)
        self.setValue(round((event.position().x() - inset) / max(self.width() - 2 * inset, 1) * STOPS))
        event.accept()


class Bars(Asking):
    """Takes a row of numbers, each the length of a bar."""

    def __init__(self, asked: Asked, look: Look) -> None:
        super().__init__()
        self._low, self._high, self._within = asked.answer.low, asked.answer.high, asked.answer.within
        self.bars: tuple[Bar, ...] = tuple(Bar(name, look) for name in asked.offer.labels)
        self._numbers = tuple(QLabel() for _ in self.bars)
        grid = QGridLayout()
        grid.setVerticalSpacing(0)
        for row, (name, bar, number) in enumerate(zip(asked.offer.labels, self.bars, self._numbers, strict=True)):
            for column, widget in enumerate((QLabel(name), bar, number)):
                grid.addWidget(widget, row, column)
            bar.valueChanged.connect(self._show)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        self._line = AskingLine(asked)
        self._line.check.clicked.connect(lambda: self.given.emit(self._given()))
        in_column(grid, self._line, within=self)
        self.set_look(look)
        self._show()

    def set_look(self, look: Look) -> None:
        for bar, number in zip(self.bars, self._numbers, strict=True):
            bar.set_look(look)
            number.setMinimumWidth(look.px(150))

    def first(self) -> Bar:
        return self.bars[0]

    def show_truth(self, given: Given | None, truth: Right) -> None:
        self._line.check.hide()
        if not isinstance(truth, Sequence) or isinstance(truth, str):
            return
        for bar, label, number in zip(self.bars, self._numbers, truth, strict=True):
            bar.truth = (number - self._low) / (self._high - self._low)
            bar.setEnabled(False)
            guess = "" if given is None else f"you: {self._number(bar)}, "
            label.setText(f"{guess}truth: {coordinate(number, 3)}")
            bar.setAccessibleDescription(label.text())
            bar.update()

    def _given(self) -> tuple[float, ...]:
        return tuple(self._low + bar.value() / STOPS * (self._high - self._low) for bar in self.bars)

    def _show(self) -> None:
        for bar, label in zip(self.bars, self._numbers, strict=True):
            label.setText(self._number(bar))
            bar.setAccessibleDescription(label.text())

    def _number(self, bar: Bar) -> str:
        return coordinate(self._low + bar.value() / STOPS * (self._high - self._low), 3)
