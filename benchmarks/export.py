"""144 maps of 32 × 32, written as a PNG, an SVG and a PDF: the wall of heads, and a grid of Matplotlib's ``imshow``.

Both are given the numbers and make files of the same size in pixels. Matplotlib writes the name of each head, we its
summary as well. Beside the times the sizes of the files are compared.
"""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from PySide6.QtCore import QSize

from attention_explorer.app import make_application
from attention_explorer.core.figure_options import PIXELS_PER_INCH, FigureOptions
from attention_explorer.kit.export.figure import figure_bytes
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.heads.survey import HeadSurvey, surveys_of
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.sources.recipe import ToyRecipe
from benchmarks.export_numbers import measure_numbers
from benchmarks.heads_stage import sentence_of
from benchmarks.heads_wall import HEADS, LAYERS, MatplotlibGrid
from benchmarks.report import Row
from benchmarks.timing import Contender, Samples, in_turns

TOKENS = 32
STATE = HeadsState(HeadsSetup(ToyRecipe(sentence_of(TOKENS), d_model=768, heads=HEADS, layers=LAYERS)))
ROUNDS = 7
AIMS = {"png": 0.1, "svg": 0.33, "pdf": None}
KILOBYTE = 1000


def measure() -> list[Row]:
    """Measure each kind of file, in turns, and how large they are; then files of numbers."""
    make_application()
    figure = HeadsFigure(STATE, is_wall=True)
    surveys, size = surveys_of(figure.frame), figure.size
    return [*(row for kind in AIMS for row in _compared(kind, surveys, size)), *measure_numbers()]


def _compared(kind: str, surveys: tuple[HeadSurvey, ...], size: QSize) -> list[Row]:
    options = FigureOptions(f".{kind}", dpi=PIXELS_PER_INCH)

    def ours() -> bytes:
        return figure_bytes(HeadsFigure(STATE, is_wall=True), options)

    def theirs() -> bytes:
        return MatplotlibGrid(surveys, size, FigureCanvasAgg).file(kind)

    ours_taken, theirs_taken = in_turns(Contender(ours), Contender(theirs), rounds=ROUNDS, warm_up=1)
    what, with_what = f"144 maps of 32×32 to {kind.upper()}", f"Matplotlib, imshow grid to {kind.upper()}"
    sizes = [Samples((len(write()) / KILOBYTE,)) for write in (ours, theirs)]
    return [
        Row(what, ours_taken, with_what, theirs_taken, AIMS[kind]),
        Row(f"size of the {kind.upper()}", sizes[0], with_what, sizes[1], unit="kB"),
    ]
