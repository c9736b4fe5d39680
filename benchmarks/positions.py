"""What a person waits for on the Positions page: from a step of a slider until everything is painted.

Compared with an empty repaint of the page, in which every widget is asked to paint itself and nothing has changed. No
position comes twice, because numbers of one met before are kept by the program.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QSlider

from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.page import PositionsPage
from benchmarks.bare import update_all
from benchmarks.report import Row
from benchmarks.stage import PaintCounter, Stage, paint, paint_when_done, settle
from benchmarks.timing import Contender, in_turns

SIZES = ((512, 512), (8192, 1024))
ROUNDS = 60
SECONDS_FOR_A_JOB = 30.0
AIM = 3.0
PICTURES = (PositionsPicture.ENCODING, PositionsPicture.CLOCKS, PositionsPicture.ATTENTION)
"""Those with a slider for a position below them."""


def measure() -> list[Row]:
    """Measure a step of the slider below each picture, at both sizes."""
    return [_step(picture, *size) for size in SIZES for picture in PICTURES]


def _step(picture: PositionsPicture, length: int, d_model: int) -> Row:
    state = PositionsState(length=length, d_model=d_model, picture=picture, position=5, query_position=5)
    with TemporaryDirectory() as folder:
        stage = Stage(Path(folder) / "settings.ini", ExplorerState(positions=state), "positions", PicturesCanvas)
        stepper = Stepper(stage, picture)
        steps, floor = in_turns(
            Contender(stepper.act, prepare=stepper.aim),
            Contender(paint, prepare=partial(update_all, stage.page)),
            rounds=ROUNDS,
            warm_up=5,
        )
        stage.close()
    return Row(f"slider step, {picture.value}, {length} × {d_model}", steps, "an empty repaint", floor, AIM)


class Stepper:
    """Moves the handle of the slider below a picture by a key, forth through the positions."""

    def __init__(self, stage: Stage[PicturesCanvas], picture: PositionsPicture) -> None:
        if not isinstance(stage.page, PositionsPage):
            raise TypeError("The window did not open the Positions page.")
        self._stage, self._page = stage, stage.page
        self._slider: QSlider = stage.page.main.slider_of(stage.page.view).slider
        if not self._slider.isVisible():
            raise RuntimeError(f"There is no slider below the picture “{picture.value}”.")
        self._moved = PaintCounter(self._slider)
        self._slider.setFocus()
        self._wait()
        settle()
        self._prove_that_pixels_arrive()

    def aim(self) -> None:
        """Let what is still to be painted be painted."""
        paint()

    def act(self) -> None:
        """Press the key, and return when everything is painted."""
        before = self._stage.session.state
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(self._slider, QKeyEvent(kind, Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier))
        self._wait()
        self._stage.counter.must_have_painted()
        self._moved.must_have_painted()
        if self._stage.session.state == before:
            raise RuntimeError("The key did not move the slider, so there is nothing to measure.")

    def _wait(self) -> None:
        paint_when_done(self._page.jobs, SECONDS_FOR_A_JOB)

    def _prove_that_pixels_arrive(self) -> None:
        for _ in range(3):
            before = self._stage.pixels()
            self.act()
            now = self._stage.pixels()
            settle()
            if now == before or self._stage.pixels() != now:
                raise RuntimeError("What was painted was not all there was to paint.")
