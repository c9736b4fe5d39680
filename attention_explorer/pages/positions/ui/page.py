"""The Positions page: how a transformer is told where a token stands, and what that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.kit.frame.view import View
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.clocks import has_clocks
from attention_explorer.pages.positions.order import shuffled_again
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import views
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.player import Player
from attention_explorer.pages.ui.session import Session

MILLISECONDS = 33
"""About 30 frames a second."""
SLOWEST = 12.0
"""Positions a second."""
LONGEST_SECONDS = 20.0
"""How long a walk over all positions may take."""


class PositionsPlayer(Player):
    """Moves the position."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._timer = QTimer(self)
        self._timer.setInterval(MILLISECONDS)
        self._timer.timeout.connect(self._on_timeout)
        self._clock = QElapsedTimer()
        self._start = 0

    def begin(self) -> None:
        self._start = self._session.state.positions.position_shown
        self._clock.start()
        self._timer.start()

    def end(self) -> None:
        self._timer.stop()

    def step(self) -> None:
        """Move on by one position, for who wants nothing to move by itself."""
        state = self._session.state
        position = (state.positions.position_shown + 1) % state.positions.length
        moved = replace(state, positions=state.positions.with_position(position))
        self._session.apply(moved, "Step", merge="positions step")

    def _on_timeout(self) -> None:
        state = self._session.state
        if not self.is_own(state):
            self.stop()  # a person took over
            return
        length = state.positions.length
        speed = max(SLOWEST, length / LONGEST_SECONDS)
        position = (self._start + int(self._clock.elapsed() / 1000.0 * speed)) % length
        self.go(replace(state, positions=state.positions.with_position(position)), "Play")


_PLAY = "Play", "Play: let the position move by itself", "Let the position move by itself, so that every hand turns."
_STEP = "Step", "Step: the next position", "Go on by one position: “Reduce motion” is on in the View menu."


class PositionsPage(FramePage):
    """The views of an encoding, and clocks that play."""

    name = "Positions"
    part = "positions"
    shown_by = "picture"
    gestures = (
        ("Point at the picture", "see the arithmetic in the status bar"),
        ("Drag the hand of a clock", "turn it: the position follows, and all other clocks"),
        ("Click a column of the map", "draw its wave, or remove it"),
        ("Click a row’s number or a wave", "move the position there"),
        ("Arrow keys, Page Up and Down on the picture", "move the position; Home and End go to the ends"),
        ("+ and −", "a step of the main quantity, wherever the keyboard is"),
        ("Space", "play, so that the hands turn; again to pause"),
        ("Esc while dragging", "put it back"),
        ("Esc", "stop computing; the picture stays as it is"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.play, self.shuffle = QPushButton(), QPushButton("Shuffle again")
        self.shuffle.setToolTip("Put the words in another order")
        super().__init__(session, look, parent)
        self.player = PositionsPlayer(session, self)
        self.player.running_changed.connect(self._show_playing)
        self.play.clicked.connect(self.toggle_play)
        self.shuffle.clicked.connect(self._on_shuffle)

    # ---- What the frame asks ----

    def make_views(self) -> tuple[View[Any], ...]:
        return views()

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        return (self.shuffle,) if view.id is PositionsPicture.ORDER else ()

    def _build(self) -> None:
        super()._build()
        self.main.lead(self.play)
        self._show_playing(False)

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        can_play = new.positions.picture is PositionsPicture.CLOCKS and has_clocks(new.positions)
        if self.player.is_running and not can_play:
            self.player.stop()
        self.play.setVisible(can_play)
        super().render_state(old, new)

    # ---- What people do ----

    def _on_shuffle(self) -> None:
        self.apply(Change(shuffled_again(self.state), "Shuffle the words"))

    def toggle_play(self) -> None:
        """Let the position move by itself, or stop it."""
        state: PositionsState = self.state
        if not has_clocks(state):
            self.refused.emit("Only a sinusoidal or a rotary encoding has hands that turn. Choose one of them.")
            return
        if state.picture is not PositionsPicture.CLOCKS:
            self.show_view(self.view_named(PositionsPicture.CLOCKS))
        if self.moves:
            self.player.toggle()
        else:
            self.player.step()

    def _show_playing(self, playing: bool) -> None:
        """Say what the button does: let the position move, stop it, or take it one step on."""
        text, name, tip = _PLAY if self.moves else _STEP
        self.play.setText("Pause" if playing else text)
        self.play.setAccessibleName("Pause: stop the position" if playing else name)
        self.play.setToolTip(f"{tip} (Space)")

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        if not moves:
            self.player.stop()
        self._show_playing(self.player.is_running)

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
            *cls.view_actions(views()),
        )

    def stop(self) -> None:
        self.player.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        self.player.stop()
        super().hideEvent(event)
