"""144 maps of 64 × 64, as the wall of heads and as a grid of Matplotlib's ``imshow``: on the screen and as a PNG file.

Both are given the numbers and draw the same number of pixels; Matplotlib writes the name of each head, we its summary
as well. A grid that stays and is given new numbers is Matplotlib's fast way on the screen; a file needs a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from itertools import cycle

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg
from matplotlib.figure import Figure
from PySide6.QtCore import QSize

from attention_explorer.app import make_application
from attention_explorer.core.map_picture import Contrast
from attention_explorer.kit.export.figure import encoded
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.heads.survey import HeadSurvey, surveys_of
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.pages.heads.ui.head_wall import HeadWall
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import ToyRecipe
from benchmarks.heads_stage import sentence_of
from benchmarks.report import Row
from benchmarks.stage import PaintCounter, paint, settle
from benchmarks.timing import Contender, in_turns

HEADS = LAYERS = 12
TOKENS = 64
RECIPE = ToyRecipe(sentence_of(TOKENS), d_model=768, heads=HEADS, layers=LAYERS)
STATE = HeadsState(HeadsSetup(RECIPE))
DOTS_PER_INCH = 100.0
ROUNDS = 7
AIM = 0.1


def measure_wall() -> list[Row]:
    """Measure both on the screen and as files, in turns."""
    make_application()
    figure = HeadsFigure(STATE, is_wall=True)
    surveys, size = surveys_of(figure.frame), figure.size
    wall, ours = _our_wall(size)
    grid = MatplotlibGrid(surveys, size, FigureCanvasQTAgg)
    grid.show()
    settle()
    ours_painted, theirs_painted, ours_written, theirs_written = in_turns(
        Contender(ours),
        Contender(grid.draw),
        Contender(lambda: encoded(HeadsFigure(STATE, is_wall=True), ".png")),
        Contender(lambda: MatplotlibGrid(surveys, size, FigureCanvasAgg).file("png")),
        rounds=ROUNDS,
        warm_up=1,
    )
    for widget in (wall, grid.canvas):
        widget.deleteLater()
    settle()
    return [
        Row("144 maps of 64×64 painted", ours_painted, "Matplotlib, imshow grid, draw()", theirs_painted, AIM),
        Row("144 maps of 64×64 to PNG", ours_written, "Matplotlib, imshow grid to PNG", theirs_written, AIM),
    ]


def _our_wall(size: QSize) -> tuple[HeadWall, Callable[[], None]]:
    """Return a wall in a window of its own with all heads in view, and what paints it anew.

    Other colours each time, so that no thumbnail is kept from the time before.
    """
    frame = heads_frame(STATE.setup)
    surveys = surveys_of(frame)
    wall = HeadWall(Session(ExplorerState(heads=STATE)), Look(LIGHT))
    wall.resize(size.width(), 10)
    wall.show_surveys(frame, STATE.view, surveys)
    wall.resize(size.width(), wall.minimumHeight())
    wall.show()
    settle()
    contrasts, counter = cycle((Contrast.UNIT, Contrast.MAX)), PaintCounter(wall)

    def run() -> None:
        wall.show_surveys(frame, replace(STATE.view, contrast=next(contrasts)), surveys)
        paint()
        counter.must_have_painted()

    return wall, run


class MatplotlibGrid:
    """The wall as one would write it with Matplotlib."""

    def __init__(
        self, surveys: tuple[HeadSurvey, ...], size: QSize, canvas: type[FigureCanvasAgg] | type[FigureCanvasQTAgg]
    ) -> None:
        figure = Figure((size.width() / DOTS_PER_INCH, size.height() / DOTS_PER_INCH), dpi=DOTS_PER_INCH)
        self.canvas = canvas(figure)
        self._surveys = surveys
        self._images = []
        for axes, survey in zip(figure.subplots(LAYERS, HEADS).flat, surveys, strict=True):
            self._images.append(axes.imshow(survey.pooled.values, cmap="viridis", vmin=0.0))
            axes.set_axis_off()
            axes.set_title(survey.name, fontsize=8)

    def show(self) -> None:
        """Open a window with it."""
        self.canvas.show()

    def draw(self) -> None:
        """Give the images their numbers and draw everything."""
        for image, survey in zip(self._images, self._surveys, strict=True):
            image.set_data(survey.pooled.values)
        self.canvas.draw()
        paint()

    def file(self, kind: str) -> bytes:
        """Return it as a file, ``png`` or ``svg``."""
        buffer = BytesIO()
        self.canvas.figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH)
        return buffer.getvalue()
