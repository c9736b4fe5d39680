"""What an action of the monkey has to do with: what is on the screen, and the dice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from soak.hand import WindowHand
from soak.world import World

CONTROLS = (QAbstractButton, QComboBox, QTabBar, QAbstractSlider, QAbstractSpinBox, QLineEdit, QPlainTextEdit)


@dataclass(frozen=True, slots=True)
class Scene:
    """What an action needs: the world, a hand in it, dice, and what has the user's attention."""

    world: World
    hand: WindowHand
    dice: Random
    surface: QWidget
    """The popup, dialog or window that gets what is done."""
    note: Callable[[str], None]
    """Writes down what is being done."""

    def widgets(self, *kinds: type[QWidget]) -> list[QWidget]:
        """Return the widgets of some kinds that can be seen and used."""
        found: dict[QWidget, None] = {}
        for kind in kinds:
            found |= dict.fromkeys(self.surface.findChildren(kind))
        return [each for each in found if each.isVisible() and each.isEnabled() and not each.visibleRegion().isEmpty()]

    def canvases(self) -> list[QWidget]:
        """Return the pictures that can be touched."""
        return [
            each
            for each in self.widgets(QWidget)
            if type(each).__module__.startswith("attention_explorer")
            and each.hasMouseTracking()
            and each.width() > 60
            and each.height() > 30
        ]

    def place_on(self, widget: QWidget) -> QPoint:
        """Return a place of a widget that can be seen."""
        box = widget.visibleRegion().boundingRect()
        if box.isEmpty():
            return widget.rect().center()
        return QPoint(self.dice.randint(box.left(), box.right()), self.dice.randint(box.top(), box.bottom()))

    def any_control(self, *kinds: type[QWidget]) -> QWidget | None:
        """Return one of the controls; every kind there is has the same chance, however many there are of it."""
        kinds = kinds or CONTROLS
        by_kind: dict[str, list[QWidget]] = {}
        for each in self.widgets(*kinds):
            by_kind.setdefault(type(each).__name__, []).append(each)
        return self.dice.choice(by_kind[self.dice.choice(sorted(by_kind))]) if by_kind else None

    def any_canvas(self) -> QWidget:
        """Return one of the pictures, larger ones more often, or the whole window where there is none."""
        found = self.canvases()
        if not found:
            return self.surface
        return self.dice.choices(found, [min(each.width() * each.height(), 160_000) for each in found])[0]


def named(widget: QWidget) -> str:
    """Return what a reader of the log recognises a widget by."""
    text = getattr(widget, "text", "")  # of a widget of our own it may be anything
    name = widget.accessibleName() or (text() if callable(text) else "") or widget.objectName()
    return f"{type(widget).__name__} “{str(name)[:40]}”"


def surface_of(world: World, dice: Random) -> QWidget:
    """Return what a person has to do with now: a popup, else a dialog that blocks the rest, else a window."""
    popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
    if popup is not None:
        return popup
    if modal is not None and modal.isVisible():
        return modal
    shown = world.shown_windows()
    return dice.choices(shown, [4 if each is world.window else 1 for each in shown])[0] if shown else world.window
