"""A hand and an eye for the Training page: real events go in, the state comes out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frame_driver import FrameDriver
from people_driver import catch_up
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from attention_explorer.kit.items.columns import Placed
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.training.ui.pictures import FILM, HEAD, MAP, RIGHT


class TrainingDriver(FrameDriver):
    """The window on the Training page, or on the one to which something was taken from there."""

    is_patient = False

    def acted(self) -> None:
        """Wait for the picture, if the hand is patient, unless it learns: then one looks meanwhile."""
        if self.is_patient and not self.page.player.is_running:
            catch_up(self.window)

    @property
    def training(self) -> TrainingState:
        """The page's part of the state."""
        return self.window.session.state.training

    # ---- What is on show ----

    def placed(self, name: str) -> Placed:
        """Return an item of the picture with where it is, by its name."""
        laid = self.canvas.picture_layout
        return next(each for each in _all(Placed(laid.item, laid.layout)) if each.item.name == name)

    def names(self) -> list[str]:
        """Return the names of all items of the picture."""
        laid = self.canvas.picture_layout
        return [each.item.name for each in _all(Placed(laid.item, laid.layout)) if each.item.name]

    def item(self, name: str) -> Any:
        """Return an item of the picture by its name."""
        return self.placed(name).item

    @property
    def map(self) -> Any:
        """The large map."""
        return self.item(MAP).picture

    @property
    def film(self) -> Any:
        """The row, step by step."""
        return self.item(FILM)

    @property
    def heads(self) -> list[tuple[int, int]]:
        """The heads that have a small map."""
        names = (name.removeprefix(HEAD).split(".") for name in self.names() if name.startswith(HEAD))
        return [(int(layer) - 1, int(head) - 1) for layer, head in names]

    @property
    def curves(self) -> Any:
        """The plot of the curves."""
        return self.page.main.canvas.picture_layout.item

    @property
    def progress(self) -> str:
        """What is said of how far it has come."""
        return next(item.text for item in self._beside() if item.name == "Progress")

    @property
    def answers(self) -> list[tuple[str, float]]:
        """The most probable answers with their probabilities; ✓ marks the right one."""
        bars = next(item for item in self._beside() if item.name == "Answers").bars
        return [(bar.words, bar.share) for bar in bars]

    @property
    def readings(self) -> tuple[str, ...]:
        """What the large numbers beside the picture are of."""
        return tuple(each.what for each in next(item for item in self._beside() if item.name == RIGHT).readings)

    def _beside(self) -> Any:
        return self.page.panel.items._items.items

    @property
    def chosen(self) -> Any:
        """What keys have chosen in the picture: a row and a column, or None."""
        return getattr(self.canvas.hovered, "part", None)

    # ---- Where it is ----

    def cell(self, row: int, column: int, name: str = MAP) -> QPointF:
        """Return the middle of a cell of a map."""
        return self.placed(name).layout.rectangle(row, column).center()

    def frame(self, row: int, column: int) -> QPointF:
        """Return the middle of a cell of the film."""
        return self.placed(FILM).layout.cell(row, column).center()

    def small(self, layer: int, head: int) -> QPointF:
        """Return the middle of a small map."""
        return self.placed(f"{HEAD}{layer + 1}.{head + 1}").layout.cells.center()

    def on_curves(self, step: float) -> QPointF:
        """Return where a step is on the curves."""
        layout = self.page.main.canvas.picture_layout.layout
        return QPointF(layout.place(max(step, layout.across.low), 50.0))

    # ---- Taking along ----

    def taking(self, title: str) -> tuple[bool, str]:
        """Return whether the menu of Share offers something, and its tip."""
        menu = QMenu(self.page)
        self.page.bar.share_wanted.emit(menu)
        action = next(each for each in menu.actions() if each.text() == title)
        found = action.isEnabled(), action.toolTip()
        menu.deleteLater()
        return found

    def take(self, title: str) -> None:
        """Open the menu of Share and click an entry, which may open a dialog."""
        menu = self.page.bar.share.menu()

        def click() -> None:
            shown = QApplication.activePopupWidget()
            assert isinstance(shown, QMenu)
            wanted = next(action for action in shown.actions() if action.text() == title)
            assert wanted.isEnabled()
            QTest.mouseClick(shown, Qt.MouseButton.LeftButton, pos=shown.actionGeometry(wanted).center())

        QTimer.singleShot(0, menu, click)
        self.press(self.page.bar.share)
        QApplication.processEvents()  # the menu opens behind the press


def _all(placed: Placed) -> Iterator[Placed]:
    yield placed
    if isinstance(placed.layout, tuple):
        for each in placed.layout:
            if isinstance(each, Placed):
                yield from _all(each)
