"""A hand and an eye for the Positions page: real events go in, the state, texts and numbers come out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from frame_driver import FrameDriver
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtWidgets import QApplication, QDialog

from attention_explorer.kit.items.columns import Placed, Together
from attention_explorer.kit.picture import Laid
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.state import PositionsState


def placed(laid: Laid, name: str) -> Placed:
    """Return the item of a picture with a name, and where it is."""

    def among(found: Placed) -> list[Placed]:
        if isinstance(found.item, Together):
            return [one for each in found.layout for one in among(each)]
        return [found]

    return next(each for each in among(Placed(laid.item, laid.layout)) if each.item.name == name)


class PositionsDriver(FrameDriver):
    """The window on the Positions page, with a hand on its mouse and an eye on what is drawn."""

    def begin_anew(self) -> None:
        """Put everything back as it is at the start: the state, and the little that is none."""
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        self.page.player.stop()
        self.window.session.revert()
        self.page.open_drawer(False)
        for view in self.page.views:
            self.page.panel.tries.forget(view.id.value)
        self.open()
        QApplication.sendEvent(self.canvas, QEvent(QEvent.Type.Leave))
        self.window.statusBar().clearMessage()
        self.window.say("")
        self.window.activateWindow()
        self.page.focus_first()
        QApplication.processEvents()

    def open(self, **changes: Any) -> None:
        """Show a state of the page, as if it had been opened with it."""
        self.window.session.restart(replace(ExplorerState(), positions=PositionsState(**changes)))
        self.settle()

    # ---- What there is ----

    @property
    def state(self) -> PositionsState:
        return self.window.session.state.positions

    def item(self, name: str) -> Placed:
        """Return an item of the picture, and where it is."""
        return placed(self.layout, name)

    def cell(self, name: str, row: int, column: int) -> QPointF:
        """Return the middle of a cell of a numbered map."""
        found = self.item(name)
        across, down = (
            found.item.column_box(found.layout, column).center(),
            found.item.row_box(found.layout, row).center(),
        )
        return QPointF(across.x(), down.y())

    def across(self, name: str, number: float, high: float = 0.5) -> QPointF:
        """Return the place in a plot at a number across, and a share of its height above the foot."""
        layout = self.item(name).layout
        x = layout.place(number, layout.up.low).x()
        return QPointF(x, layout.plot.bottom() - high * layout.plot.height())

    def dial(self, pair: int) -> Any:
        """Return the hand of a pair, and the box of its dial."""
        placed = self.item("Clocks")
        found = ((placed.item.dial(number), box) for number, box in placed.layout.places)
        return next((dial, box) for dial, box in found if dial.pair == pair)

    def drawer_texts(self) -> str:
        """Return what the table of the drawer says."""
        return str(self._opened(lambda: self.drawer.table.spoken()))
