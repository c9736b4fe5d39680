"""The Heads page in the real window: typing, pointing and choosing, each until everything is painted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from string import ascii_lowercase

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, Picture
from attention_explorer.pages.heads.ui.map_canvas import HeadsCanvas
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.sources.source import Recipe
from benchmarks.stage import PaintCounter, Stage, mouse_event, paint, paint_when_done, settle

WORDS = ["the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "so", "very", "tired"]
SECONDS_FOR_A_JOB = 60.0
TYPED = 2
"""Letters at the front of the sentence that are typed over, in turns."""


def sentence_of(tokens: int) -> str:
    """Return a sentence of so many tokens; beyond a dozen they are all different, so that no word is drawn twice."""
    words = [word if i < len(WORDS) else f"{word}{i}" for i, word in zip(range(tokens), _words(), strict=False)]
    return " ".join(words)


def _words() -> Iterator[str]:
    return (WORDS[i % len(WORDS)] for i in count())


class HeadsStage(Stage[HeadsCanvas]):
    """A shown main window with the Heads page, where everything is computed and painted."""

    def __init__(self, settings: Path, recipe: Recipe, layer: int = 0, view: Picture = Picture.HEATMAP) -> None:
        state = HeadsState(HeadsSetup(recipe, layer=layer), HeadsView(picture=view, row=7))
        super().__init__(settings, ExplorerState(heads=state), "heads", HeadsCanvas)
        if not isinstance(self.page, HeadsPage):
            raise TypeError("The window did not open the Heads page.")
        self.heads: HeadsPage = self.page
        self.wall_counter = PaintCounter(self.heads.wall)
        QApplication.setCursorFlashTime(0)  # a caret that blinks would count as something painted late
        self.wait()
        settle()

    def wait(self) -> None:
        """Return when nothing is computed any more and everything is painted."""
        paint_when_done(self.heads.requests.jobs, SECONDS_FOR_A_JOB)

    def must_have_painted(self) -> None:
        """Raise unless large picture and wall were both painted since the last call."""
        self.counter.must_have_painted()
        self.wall_counter.must_have_painted()

    def prove_that_pixels_arrive(self, change: Typist | Pointer | Chooser) -> None:
        """Raise unless a change alters the picture, and is whole when it says so."""
        for _ in range(3):
            before = self.pixels()
            change.aim()
            change.act()
            now = self.pixels()
            settle()
            if now == before:
                raise RuntimeError("Nothing changed in the window, so there is nothing to measure.")
            if self.pixels() != now:
                raise RuntimeError("Something was painted later, so what was measured is too short.")


class Typist:
    """Types over the first two letters of the sentence in turns. No sentence comes twice in 650 keystrokes.

    Numbers of a sentence met before are kept by the program, so going back and forth between two would measure less
    than a person typing sees.
    """

    def __init__(self, stage: HeadsStage) -> None:
        sentence = stage.heads.subject.sentence
        sentence.edit()
        self._stage, self._field = stage, sentence.field
        self._place, self._letters = count(), _letters()
        self._letter = ""
        settle()
        stage.prove_that_pixels_arrive(self)

    def aim(self) -> None:
        """Select the letter to type over."""
        self._field.setSelection(next(self._place) % TYPED, 1)
        self._letter = next(self._letters)
        paint()

    def act(self) -> None:
        """Press the key, and return when everything is painted."""
        before = self._stage.session.state.heads
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            key = Qt.Key(ord(self._letter.upper()))
            event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, self._letter)
            QApplication.sendEvent(self._field, event)
        self._stage.wait()
        self._stage.must_have_painted()
        if self._stage.session.state.heads == before:
            raise RuntimeError("The keystroke did not arrive in the state.")


def _letters() -> Iterator[str]:
    """Yield letters for two places in turns: 26 for the one and 25 for the other, so that pairs return late."""
    for step in count(1):
        yield ascii_lowercase[step % 26]
        yield ascii_lowercase[step % 25]


class Pointer:
    """A mouse that goes over the map, each time to a cell of another row and column."""

    def __init__(self, stage: HeadsStage) -> None:
        self._stage, self._canvas = stage, stage.canvas
        self._row = PaintCounter(stage.heads.panel.items)
        self._steps = count(1)
        self._event = self._move_to(Spot(0, 0))
        stage.prove_that_pixels_arrive(self)

    def _move_to(self, spot: Spot) -> QMouseEvent:
        box = self._canvas.cell_box(spot.row or 0, spot.column or 0)
        if box.isEmpty():
            raise RuntimeError(f"The cell {spot} is not in view.")
        return mouse_event(self._canvas, QEvent.Type.MouseMove, box.center(), pressed=False)

    def aim(self) -> None:
        """Make the event for the next cell."""
        n_q, n_k = (1, 1) if self._canvas.frame is None else self._canvas.frame.shape
        step = next(self._steps)
        self._event = self._move_to(Spot(step % n_q, (3 * step) % n_k))

    def act(self) -> None:
        """Send it, and return when map, wall and the row beside the map are painted."""
        QApplication.sendEvent(self._canvas, self._event)
        self._stage.wait()
        self._stage.must_have_painted()
        self._row.must_have_painted()


class Chooser:
    """A mouse that clicks on the thumbnails in view, one after the other."""

    def __init__(self, stage: HeadsStage) -> None:
        self._stage, self._wall = stage, stage.heads.wall
        visible = self._wall.visibleRegion().boundingRect()
        frame = stage.canvas.frame
        heads = 0 if frame is None else frame.heads
        self._places = [self._wall.box_of(head).center() for head in range(heads)]
        self._places = [place for place in self._places if visible.contains(place.toPoint())]
        if len(self._places) < 2:
            raise RuntimeError("Fewer than two thumbnails are in view.")
        self._steps = count(1)
        self._place = QPointF()
        stage.prove_that_pixels_arrive(self)

    def aim(self) -> None:
        """Choose the next thumbnail."""
        self._place = self._places[next(self._steps) % len(self._places)]

    def act(self) -> None:
        """Click on it, and return when everything is painted."""
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            QApplication.sendEvent(self._wall, mouse_event(self._wall, kind, self._place))
        self._stage.wait()
        self._stage.must_have_painted()
