"""The Positions page: how a transformer is told where a token stands, and what that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.clocks import has_clocks
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.bar import PositionsBar
from attention_explorer.pages.positions.ui.controls import PositionsControls
from attention_explorer.pages.positions.ui.panel import PositionsPanel, verdict_lines
from attention_explorer.pages.positions.ui.pictures import drawing_of
from attention_explorer.pages.positions.ui.player import PositionsPlayer
from attention_explorer.pages.positions.wording import RowReading, picture_title, row_reading, shape_badge
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.picture_page import PicturesPage
from attention_explorer.pages.ui.session import Session

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure

LEAST_HEIGHT, LEAST_HEIGHTS = 360, {PositionsPicture.ATTENTION: 420, PositionsPicture.ORDER: 420}
"""Pixels at zoom 1 below which a picture could not be read, and those that need more."""


class PositionsPage(PicturesPage[PositionsState]):
    """The bar, one large picture with the controls it needs, and beside it the notes, the verdict and the row."""

    part = "positions"
    picture_name = "Picture of the encoding"
    gestures = (
        ("Point at the picture", "see the arithmetic in the status bar"),
        ("Click a column of the encoding", "draw its wave, or remove it"),
        ("Click a row’s number or a wave", "move the position there"),
        ("Arrow keys, Page Up and Down", "move the position; Home and End go to the ends"),
        ("Space", "play, so that the hands turn; again to pause"),
        ("Esc while dragging a slider", "put it back"),
        ("Esc", "stop computing; the picture stays as it is"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self.player = PositionsPlayer(session, self)
        self.player.running_changed.connect(self.positions_controls.show_playing)
        self.positions_controls.play_wanted.connect(self.toggle_play)

    # ---- What the frame asks ----

    def make_bar(self) -> PositionsBar:
        return PositionsBar(self.session, self.part, self.look)

    def make_controls(self) -> PositionsControls:
        self.positions_controls = PositionsControls(self.session, self.part, self.look)
        return self.positions_controls

    def make_panel(self) -> PositionsPanel:
        self.positions_panel = PositionsPanel(self.look)
        return self.positions_panel

    def drawing_of(self, state: PositionsState) -> PictureDrawing[PositionsState, Any, Any]:
        return drawing_of(state.picture)

    def title_of(self, state: PositionsState) -> str:
        return f"{picture_title(state)}   {shape_badge(state)}".strip()

    def verdict_of(self, state: PositionsState) -> tuple[TextLine, ...]:
        return verdict_lines(state)

    def least_height(self, state: PositionsState, *, narrow: bool) -> int:
        return LEAST_HEIGHTS.get(state.picture, LEAST_HEIGHT)

    @staticmethod
    def beside(state: PositionsState) -> RowReading:
        return row_reading(state)

    def picture_shown(self, state: PositionsState, picture: object, beside: RowReading) -> None:
        self.positions_panel.row.setVisible(state.picture is not PositionsPicture.ORDER)  # it is about no one position
        self.positions_panel.show_reading(beside)

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        state = new.positions
        if self.player.is_running and (state.picture is not PositionsPicture.CLOCKS or not has_clocks(state)):
            self.player.stop()
        super().render_state(old, new)

    # ---- What people do ----

    def toggle_play(self) -> None:
        """Let the position move by itself, or stop it."""
        state = self.state
        if not has_clocks(state):
            self.refused.emit("Only a sinusoidal or a rotary encoding has hands that turn. Choose one of them.")
            return
        if state.picture is not PositionsPicture.CLOCKS:
            self.bar.choose_picture(PositionsPicture.CLOCKS)
        if self.moves:
            self.player.toggle()
        else:
            self.player.step()

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        if not moves:
            self.player.stop()
        self.positions_controls.show_moves(moves)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.toggle_play()
        else:
            super().keyPressEvent(event)

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction(
                "Play or pause", lambda page: page.toggle_play(), "Ctrl+Space", "Let the hands of the clocks turn"
            ),
            PageAction(""),
            *cls.picture_actions((picture, picture.value, "") for picture in PositionsPicture),
        )

    def stop(self) -> None:
        self.player.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        self.player.stop()
        super().hideEvent(event)

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.pages.positions.ui.figure import PositionsFigure

        return PositionsFigure(self.state)
