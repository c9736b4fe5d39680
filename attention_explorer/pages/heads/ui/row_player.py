"""Play: a row of attention is computed before one's eyes, a step after the other; and the same as a film."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSize, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton

from attention_explorer.core.numbers_files import Contents
from attention_explorer.kit.frame.view import View
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.row import row_numbers
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.ui.player import Player
from attention_explorer.pages.ui.session import Session

_PLAY = "Play", "Play: compute the row step by step", "Compute the row before your eyes, a step after the other."
_STEP = "Step", "Step: the next step of the row", "Go on by one step: “Reduce motion” is on in the View menu."


class RowPlayer(Player):
    """Takes the row from step to step, from the beginning where it is at the last one."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timeout)
        self._moves = True
        self.button = QPushButton()
        """Says what a press does: go through the row, stop, or take one step."""
        self.running_changed.connect(self._show)
        self._show(False)

    def set_moves(self, moves: bool) -> None:
        """Let the row go on by itself, or take one step at each press."""
        self._moves = moves
        if not moves:
            self.stop()
        self._show(self.is_running)

    def _show(self, running: bool) -> None:
        text, name, tip = _PLAY if self._moves else _STEP
        self.button.setText("Pause" if running else text)
        self.button.setAccessibleName("Pause: stop the row" if running else name)
        self.button.setToolTip(f"{tip} (Space)")

    def press(self) -> None:
        """Begin or stop; where nothing is to move by itself, take one step."""
        if self._moves:
            self.toggle()
        else:
            self.step()

    def begin(self) -> None:
        if self._is_at_end():
            self._go(0)
        self._timer.start(self._session.state.heads.view.speed.milliseconds)

    def end(self) -> None:
        self._timer.stop()

    def step(self) -> None:
        """Take one step, for who wants nothing to move by itself; after the last the first."""
        state = self._session.state
        self._session.apply(self._at(0 if self._is_at_end() else _shown(state.heads) + 1), "Step", merge="row step")

    def _is_at_end(self) -> bool:
        heads = self._session.state.heads
        return heads.view.step >= heads.last_step

    def _at(self, step: int) -> ExplorerState:
        state = self._session.state
        return replace(state, heads=state.heads.with_view(step=step))

    def _go(self, step: int) -> None:
        self.go(self._at(step), "Play")

    def _on_timeout(self) -> None:
        state = self._session.state
        if not self.is_own(state) or self._is_at_end():
            self.stop()  # a person took over, or all of it is there
            return
        self._timer.setInterval(state.heads.view.speed.milliseconds)
        self._go(_shown(state.heads) + 1)
        if self._is_at_end():
            self.stop()


def _shown(heads: HeadsState) -> int:
    return min(heads.view.step, heads.last_step)


def row_film(heads: HeadsState, view: View[HeadsState], path: Path) -> Contents:
    """Return what writes the row of a state step by step as GIF or APNG; to be called on the GUI thread.

    ``view`` is the view *Row*, whose figure each picture is.
    """
    # File formats would delay the first picture.
    from attention_explorer.kit.export.film import figure_image, film_file
    from attention_explorer.kit.pictures.figure import figure_of

    def paint(step: int, size: QSize | None) -> QImage:
        at = view.of(heads).with_view(step=step)
        return figure_image(figure_of(view, at, "Heads", row_numbers(at)), size)

    def steps(_report: object) -> Iterator[int]:
        row_numbers(heads)  # what takes long is done here, and not where it is painted
        return iter(range(heads.last_step + 1))

    return film_file(path, heads.last_step + 1, steps, paint, heads.view.speed.milliseconds)


def ask_for_film(page: Any) -> None:  # noqa: ANN401 # a `HeadsPage`, which knows this file
    """Ask for a file and write the row of a page, step by step, as a film."""
    # File formats would delay the first picture.
    from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain
    from attention_explorer.kit.export.film import ANIMATIONS

    heads, view = page.session.state.heads, page.view_named(Picture.ROW)
    path = ask_for_file(page, "Film of the row", "row", ANIMATIONS)
    if path is not None:
        page.done.emit(save_or_explain(page, row_film(heads, view, path), path))
