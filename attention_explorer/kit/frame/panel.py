"""The panel beside the picture: what the picture says at a glance, what to try, and a button for everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QWidget

from attention_explorer.core.formula_text import read_formula
from attention_explorer.kit.controls.formula_label import FormulaLabel
from attention_explorer.kit.controls.made import Card, button, in_column
from attention_explorer.kit.controls.number_box import ENTER
from attention_explorer.kit.controls.text_block import TermBlock, TextBlock, TextLine
from attention_explorer.kit.frame.view import Try
from attention_explorer.kit.items.columns import Above, Placed
from attention_explorer.kit.items.item import Item
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, PointedPicture
from attention_explorer.kit.theme import Look

FORMULA_SIZE = 18
FORMULA_MILLISECONDS = 60
"""How far formulas may lag behind a drag."""
LEAST_ITEM_WIDTH, ITEM_HEIGHT = 200, 150
"""Pixels at zoom 1: how narrow items may be, and how high one is that takes whatever it is given."""


class ItemsWidget(PointedPicture):
    """Items above one another, each as high as it needs.

    Signals
    -------
    clicked : Hit
        Something in them was clicked.
    """

    clicked = Signal(object)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self._items: Above | None = None
        self._laid: tuple[Placed, ...] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_items(self, items: Sequence[Item[Any]]) -> None:
        """Show other items; none hides the widget."""
        had = self.sizeHint()
        self._items = Above(tuple(items)) if items else None
        self.setVisible(bool(items))
        if self.sizeHint() != had:
            self.updateGeometry()
        self.picture_changed()

    @property
    def room(self) -> QRectF:
        return QRectF(self.rect())

    def picture_changed(self) -> None:
        self._laid = None
        super().picture_changed()

    def _layout(self) -> tuple[Placed, ...]:
        if self._laid is None:
            self._laid = () if self._items is None else self._items.layout(self.look, self.room)
        return self._laid

    def sizeHint(self) -> QSize:
        wide = self.look.px(LEAST_ITEM_WIDTH)
        return QSize(wide, self.heightForWidth(max(self.width(), wide)))

    def heightForWidth(self, width: int) -> int:
        if self._items is None:
            return 0
        own = [item.height(self.look, width) for item in self._items.items]
        high = sum(self.look.px(ITEM_HEIGHT) if each is None else each for each in own)
        return round(high + self.look.px(self._items.gap) * (len(own) - 1))

    def paint_picture(self, painter: QPainter) -> None:
        if self._items is not None:
            self.paint_item(painter, self._items, self._layout(), self.look)

    def paint_marks(self, painter: QPainter) -> None:
        if self._items is not None and self.hovered != NOWHERE:
            self._items.mark(painter, self._layout(), self.look, self.hovered)

    def spot_at(self, place: QPointF) -> Any:  # noqa: ANN401 # NOWHERE or a Hit
        found = None if self._items is None else self._items.hit(self._layout(), place)
        return NOWHERE if found is None else found

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self.spot_at(event.position())
        if spot != NOWHERE and event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(spot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        hovered = None if self.hovered == NOWHERE else self.hovered
        spot = None if self._items is None else self._items.walk(hovered, event.key())
        if spot is not None:
            self._point_at(spot)
        elif event.key() in ENTER and hovered is not None:
            self.clicked.emit(hovered)
        else:
            event.ignore()

    def spoken(self) -> str:
        return "" if self._items is None else self._items.spoken()


class Formulas(QWidget):
    """Formulas below one another. To set them takes longer than a frame of a drag may, so a drag sets fewer."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._column = in_column(within=self)
        self.lines: list[FormulaLabel] = []
        self._next: str | Callable[[], str] = ""
        self._waits = QTimer(self, singleShot=True, interval=FORMULA_MILLISECONDS)
        self._waits.timeout.connect(self._set)
        self.setAccessibleName("What is computed")
        self.hide()  # until there is one

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._column.setSpacing(look.px(2))
        for line in self.lines:
            line.set_look(look)

    def show_lines(self, formulas: str | Callable[[], str], *, waits: bool = False) -> None:
        """Show other formulas, one a line; none hides it. ``waits``: in a moment, the last of those until then."""
        self._next = formulas
        if not waits:
            self._waits.stop()
            self._set()
        elif not self._waits.isActive():
            self._waits.start()

    def _set(self) -> None:
        formulas = (self._next if isinstance(self._next, str) else self._next()).splitlines()
        while len(self.lines) < len(formulas):
            self.lines.append(FormulaLabel(self._look, read_formula("α"), FORMULA_SIZE))
            self._column.addWidget(self.lines[-1])
        for place, line in enumerate(self.lines):
            line.setVisible(place < len(formulas))
            if place < len(formulas):
                line.show_formula(read_formula(formulas[place]))
        self.setVisible(bool(formulas))

    def spoken(self) -> str:
        """Return the formulas in words."""
        return "; ".join(line.spoken() for line in self.lines if not line.isHidden())


class TryBox(QCheckBox):
    """Something to try: a click shows where, and it is ticked by being done, until Undo or Back takes that back."""

    def nextCheckState(self) -> None:
        """Stay as it is: only doing it ticks it."""


class TryCard(Card):
    """What to try in a view.

    Signals
    -------
    wanted : Try
        Somebody asks where that is done.
    """

    wanted = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        self.boxes: list[TryBox] = []
        self._tries: tuple[Try[Any], ...] = ()
        self._done: dict[str, set[str]] = {}
        """By view, what has been done since its example was chosen, save what was taken back."""
        self._least_height = 0
        super().__init__(look, "Try", kind="note", parent=parent)

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self.body.setSpacing(look.px(1))  # the boxes are high enough to be hit; a low window needs the rest
        self._least_height = look.px(24)
        for box in self.boxes:
            box.setMinimumHeight(self._least_height)

    def show_tries(self, key: str, tries: Sequence[Try[Any]], state: Any, opened: Any) -> None:  # noqa: ANN401 # states
        """Show what to try in a view of this name, and tick what was done since its example opened."""
        tries = [each for each in tries if each.is_offered(state, opened)]
        while len(self.boxes) < len(tries):
            box = TryBox()
            box.setMinimumHeight(self._least_height)
            box.clicked.connect(partial(self._ask, len(self.boxes)))
            self.boxes.append(box)
            self.body.addWidget(box)
        self._tries = tuple(tries)
        done = self._done.setdefault(key, set())
        done.update(each.words for each in tries if each.is_ticked(state, opened))
        for place, box in enumerate(self.boxes):
            box.setVisible(place < len(tries))
            if place < len(tries):
                box.setText(tries[place].words)
                box.setChecked(tries[place].words in done)
        self.setVisible(bool(tries))

    def forget(self, key: str) -> None:
        """Have nothing done in a view: it is begun again."""
        self._done.pop(key, None)

    def take_back(self, key: str, tries: Sequence[Try[Any]], old: Any, new: Any, opened: Any) -> None:  # noqa: ANN401
        """Have that not done which Undo or Back has taken back, from ``old`` to ``new``."""
        done = self._done.setdefault(key, set())
        done -= {each.words for each in tries if each.is_ticked(old, opened) and not each.is_ticked(new, opened)}

    def _ask(self, place: int) -> None:
        self.wanted.emit(self._tries[place])


class FramePanel(QWidget):
    """Title, numbers at a glance, one sentence, what to try, and *More*.

    Signals
    -------
    more_wanted
        Everything else is asked for.
    """

    more_wanted = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = Card(look)
        self.title = TextBlock(look, 1, "What the panel is about")
        self.items = ItemsWidget(look, "At a glance")
        self.sentence = TermBlock(look, 2, "What follows")
        self.formula = Formulas(look)
        self.tries = TryCard(look)
        self.more = button("More", "All other controls, and all that the picture says", self.more_wanted)
        top = QHBoxLayout()  # in a low window what stands further down is out of sight
        top.addWidget(self.title, 1)
        top.addStretch()
        top.addWidget(self.more, 0, Qt.AlignmentFlag.AlignTop)
        self.card.body.addLayout(top)
        for part in (self.items, self.sentence, self.formula):
            self.card.body.addWidget(part)
        self.card.body.addStretch(1)
        self.card.body.addWidget(self.tries)
        self.column = in_column((self.card, 1), within=self)

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """What Tab reaches, from top to bottom."""
        return self.more, self.items, self.sentence, self.formula, self.tries

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        for part in (self.card, self.title, self.items, self.sentence, self.formula, self.tries):
            part.set_look(look)
        self.card.body.setSpacing(look.px(8))

    def show_panel(self, panel: Panel, *, is_dragged: bool = False) -> None:
        """Show what stands beside a picture, which may be one of many that a drag makes."""
        self.title.set_text(TextLine(panel.title, bold=True, size=15))
        self.title.setVisible(bool(panel.title))
        self.items.show_items(panel.items)
        self.sentence.set_text(TextLine(panel.sentence, size=14))
        self.sentence.setVisible(bool(panel.sentence))
        self.formula.show_lines(panel.formula, waits=is_dragged)
