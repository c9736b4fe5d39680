"""A hand and an eye for the Positions page: real events go in, the state, texts and numbers come out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pictures_driver import PicturesDriver
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.state import PositionsState

if TYPE_CHECKING:
    from attention_explorer.kit.pictures.canvas import PicturesCanvas
    from attention_explorer.pages.positions.ui.bar import PositionsBar
    from attention_explorer.pages.positions.ui.controls import PositionsControls
    from attention_explorer.pages.positions.ui.page import PositionsPage


class PositionsDriver(PicturesDriver):
    """The window on the Positions page, with a hand on its mouse and an eye on what is drawn."""

    def begin_anew(self) -> None:
        """Put everything back as it is at the start: the state, and the little that is none."""
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        self.page.player.stop()
        self.window.session.revert()
        self.show()
        QApplication.sendEvent(self.canvas, QEvent(QEvent.Type.Leave))
        self.window.statusBar().clearMessage()
        self.window.say("")
        self.window.activateWindow()
        self.page.focus_first()
        QApplication.processEvents()

    def show(self, **changes: Any) -> None:
        """Show a state of the page, as if it had been opened with it."""
        self.window.session.restart(replace(ExplorerState(), positions=PositionsState(**changes)))
        self.settle()

    # ---- What there is ----

    @property
    def page(self) -> PositionsPage:
        return self.window.page

    @property
    def bar(self) -> PositionsBar:
        return self.page.bar

    @property
    def controls(self) -> PositionsControls:
        return self.page.controls

    @property
    def canvas(self) -> PicturesCanvas:
        return self.page.canvas

    @property
    def state(self) -> PositionsState:
        return self.window.session.state.positions
