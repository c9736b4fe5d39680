"""A hand and an eye for the Layer page."""

from __future__ import annotations

from dataclasses import replace

from frame_driver import FrameDriver
from positions_driver import placed
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from attention_explorer.kit.items.columns import Placed
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.layer.ui.lanes import Lanes
from attention_explorer.pages.stack.state import BlockState


class LayerDriver(FrameDriver):
    """The window on the Layer page."""

    between_keys = 60.0  # each its own undo step

    def open(self, state: BlockState | None = None, **changes) -> None:
        """Show a state of the page, as if it had been opened with it."""
        block = replace(BlockState() if state is None else state, **changes)
        self.window.session.restart(replace(ExplorerState(), block=block))
        self.settle()
        QApplication.processEvents()

    @property
    def lanes(self) -> Lanes:
        """Where the diagram is."""
        return self.layout.layout

    def item(self, name: str) -> Placed:
        """Return an item of the picture, and where it is."""
        return placed(self.layout, name)

    def box(self, name: str) -> QPointF:
        """Where a box of the diagram has its title."""
        return self.lanes.places[name].title.center()

    def cell(self, row: int, column: int) -> QPointF:
        """Return the middle of a number of the grown box."""
        return self.lanes.grown.rectangle(row, column).center()

    def label(self, row: int) -> QPointF:
        """Return where the name of a token is, in the first lane."""
        lane = self.lanes.lanes[0]
        return QPointF(lane.cells.left() - 12, lane.heat.rectangle(row, 0).center().y())

    def knot(self, what: str) -> QPointF:
        """Return where a part is cut."""
        return next(cut.centre for cut in self.lanes.cuts if cut.what == what)

    def names(self) -> list[str]:
        return [box.name for box in self.picture.boxes]
