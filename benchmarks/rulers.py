"""How much is behind a move of the hand, and how much stands on the screen.

Calls are those of Python functions of this program, on all threads; of a letter they depend a little on when the parts
of its picture come. They are compared with what was counted when this suite was written. What stands on the screen is
compared with what a page is to have: there, controls are what takes input besides Export…, the list of examples
and the views among them, and words are those of titles and of texts of four words or more. Data marks are the smallest
rectangle round cells, curves, bars and points of the first picture of a page, over what lies between menu and status
line; of a diagram, round its boxes; of the plane, round its arrows and points. Tables of numbers, labels, axes and
legends are none. Of a page in the frame, each view is measured as it stands, with the panel: views, Code, Share,
Present and Try are no controls there, and all that can be taken hold of in the picture is one.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, TypeVar

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPolygonF
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

import attention_explorer
from attention_explorer.app import make_application
from attention_explorer.kit.controls.text_block import TextBlock
from attention_explorer.kit.frame.panel import TryBox
from attention_explorer.kit.items.item import around
from attention_explorer.pages.circuits.state import CircuitsState, CircuitsView
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, MaskChoice, MaskKind, Threshold
from attention_explorer.pages.heads.state import Picture as HeadsPicture
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.pages.heads.ui.pictures import HeadMap, MapLaid
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.lookup.state import QUERY, LookupState, LookupView
from attention_explorer.pages.lookup.ui.plane_view import PlaneView
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import Page
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.window.window import MainWindow
from benchmarks.heads_stage import HeadsStage, Typist
from benchmarks.random_models import write_minilm
from benchmarks.report import Row
from benchmarks.stage import SIZE, PointerDrag, lookup_stage, settle
from benchmarks.timing import Samples

POSITIONS_PRESETS = preset_list("positions")

TEN_WORDS = "the cat sat on the mat because it was tired"
PACKAGE = str(Path(attention_explorer.__file__).parent)
COVERAGE = Path(__file__).parents[1] / "build" / "coverage.json"
"""What `make coverage` has written."""
ROUNDS = 15
AT_FIRST = {"a drag of q": (2093, 52), "a letter typed with a model": (26_900, 128)}
"""Calls, and files that they are in."""
MOST_CONTROLS, MOST_WORDS = 8, 60
LEAST_MARKS = {(1280, 800): 24.0, (1024, 768): 17.0}
"""Per cent of the room that data marks are to take, by the size of the window."""
Shown = TypeVar("Shown", bound=QWidget)
INPUTS = (QAbstractButton, QComboBox, QAbstractSlider, QAbstractSpinBox, QLineEdit, QPlainTextEdit, QTabBar)
_WORD = re.compile(r"[^\W\d_]{2,}")
LEAST_SENTENCE = 4
"""Words of a text from which on it is a sentence, and no label and no number."""


def measure() -> list[Row]:
    """Count both, and read which branches the tests take, if `make coverage` has said that here."""
    make_application()
    return [*_calls(), *_screens(), *_branches()]


def _branches() -> Iterable[Row]:
    if COVERAGE.exists():
        totals = json.loads(COVERAGE.read_text(encoding="utf-8"))["totals"]
        share = 100 * totals["covered_branches"] / totals["num_branches"]
        yield Row("branches that the tests take", _once(share), "all", _once(100.0), unit="%")


# ---- Behind a move of the hand ----


class _Counter:
    """Knows the file of each function of ours that is called while it is on, on every thread that began after it."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self._is_on = False

    def start(self) -> None:
        """Look at this thread, and at those that begin from now on."""
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)

    @staticmethod
    def stop() -> None:
        """Look no more."""
        threading.setprofile(None)
        sys.setprofile(None)

    def count(self, act: Callable[[], object]) -> tuple[float, float]:
        """Do something, and return how many functions were called, and in how many files they are."""
        self.files, self._is_on = [], True
        act()
        self._is_on = False
        return len(self.files), len(set(self.files))

    def _on_event(self, frame: FrameType, event: str, _argument: object) -> None:
        if self._is_on and event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            self.files.append(frame.f_code.co_filename)


def _calls() -> list[Row]:
    counter = _Counter()
    counter.start()
    with TemporaryDirectory() as folder:
        stage = lookup_stage(Path(folder) / "settings.ini", LookupState())
        pointer = PointerDrag(stage, QUERY)
        rows = _counted("a drag of q", counter, pointer.aim, pointer.move)
        pointer.release()
        stage.close()
        model = write_minilm(Path(folder) / "model")
        typing = HeadsStage(Path(folder) / "settings.ini", model_recipe(model, TEN_WORDS))
        typist = Typist(typing)
        rows += _counted("a letter typed with a model", counter, typist.aim, typist.act)
        typing.close()
    counter.stop()
    return rows


def _counted(what: str, counter: _Counter, prepare: Callable[[], object], act: Callable[[], object]) -> list[Row]:
    found = []
    for _ in range(ROUNDS):
        prepare()
        found.append(counter.count(act))
    units = zip(("calls", "files"), AT_FIRST[what], zip(*found[ROUNDS // 3 :], strict=True), strict=True)
    return [Row(f"{what}: {unit}", Samples(now), "at first", _once(then), unit=unit) for unit, then, now in units]


def _once(number: float) -> Samples:
    return Samples((number,))


# ---- On the screen ----


def _screens() -> list[Row]:
    start = ExplorerState()
    framed = [replace(start, lookup=replace(start.lookup, view=view)) for view in LookupView]
    looked = [replace(start, heads=start.heads.with_view(picture=picture)) for picture in HeadsPicture]
    learned = TrainingState(step=23)
    watched = [replace(start, training=replace(learned, view=view)) for view in TrainingView]
    return [
        *(row for state in framed for row in _screen("lookup", f"lookup, {state.lookup.view}", state)),
        *(row for state in looked for row in _screen("heads", f"heads, {state.heads.view.picture}", state)),
        *(row for what, heads in _full_heads() for row in _screen("heads", what, replace(start, heads=heads))),
        *(row for state in watched for row in _screen("training", f"training, {state.training.view}", state)),
        *(
            row
            for ready in _of_positions()
            for row in _screen("positions", f"positions, {ready.picture}", replace(start, positions=ready))
        ),
        *(
            row
            for view in CircuitsView
            for row in _screen("circuits", f"circuits, {view}", replace(start, circuits=CircuitsState(view=view)))
        ),
        *(row for view in LabView for row in _screen("lab", f"lab, {view}", replace(start, lab=LabState(view)))),
    ]


def _full_heads() -> Iterator[tuple[str, HeadsState]]:
    """Yield those states of Heads that ask for more than others, and what they are."""
    all_of_model = heads_preset("learned-it").state.with_view(picture=HeadsPicture.ALL, effect=True)
    yield "heads, effect, some heads", all_of_model.with_view(threshold=Threshold(value=1.0))
    yield "heads, a mask with a size", HeadsState().with_setup(mask=MaskChoice(MaskKind.WINDOW))
    cross = heads_preset("translation").state.with_view(picture=HeadsPicture.COMPARE)
    yield "heads, a B of two sentences", replace(cross, other=replace(cross.setup, hard=True))


def _of_positions() -> list[PositionsState]:
    """Return the first example of each view of Positions."""
    states = [ready.state for ready in POSITIONS_PRESETS]
    return [next(state for state in states if state.picture is view) for view in PositionsPicture]


def _screen(page: str, where: str, state: ExplorerState) -> list[Row]:
    with TemporaryDirectory() as folder:
        settings = Settings(theme=ThemeChoice.LIGHT, page=page)
        window = MainWindow(Session(state), SettingsStore(Path(folder) / "settings.ini"), settings)
        marks = [_share_of_marks(window, where, *size) for size in LEAST_MARKS]
        window.resize(SIZE)
        window.show()
        window.page.settle()
        settle()
        controls, words = len(_controls(window.page)), sum(len(text.split()) for text in _prose(window.page))
        window.close()
        window.deleteLater()
        settle()
    return [
        Row(f"{where}: controls", _once(controls), "at most", _once(MOST_CONTROLS), 1.0, "controls"),
        Row(f"{where}: words", _once(words), "at most", _once(MOST_WORDS), 1.0, "words"),
        *marks,
    ]


def _share_of_marks(window: MainWindow, where: str, width: int, height: int) -> Row:
    window.resize(width, height)
    window.show()
    window.page.settle()
    settle()
    box, room = _data_marks(window.page), window.centralWidget().size()
    share = 100 * box.width() * box.height() / (room.width() * room.height())
    least = LEAST_MARKS[width, height]
    return Row(f"{where}: data marks, {width} × {height}", _once(share), "at least", _once(least), unit="% of the room")


def _data_marks(page: FramePage) -> QRectF:
    """Return the smallest rectangle round what is drawn from data."""
    canvas: Any = page.canvas
    if isinstance(canvas, PlaneView) and canvas.is_plane:
        scene = canvas.scene()
        places = [scene.origin, scene.output_place, *(scene.place(part) for part in scene.state.parts())]
        return QPolygonF(places).boundingRect()
    if isinstance(page, HeadsPage) and page.view.id is HeadsPicture.ALL:
        return around(map(page.wall.box_of, range(len(page.wall.surveys))))
    laid = canvas.picture_layout
    if isinstance(page, HeadsPage) and canvas.maps is not None:
        is_one = isinstance(laid, MapLaid)  # which fills its card
        shown: Any = HeadMap() if is_one else canvas.maps.item(canvas.numbers)
        return QRectF(shown.data_box(laid))
    box: QRectF = laid.item.data_box(laid.layout)
    return box


def _controls(page: FramePage) -> list[QWidget]:
    """Return what takes input on a page besides Export…; what is a part of another control is that one."""
    found = [each for each in _seen(page, INPUTS) if not isinstance(each, QScrollBar)]
    parts = (QAbstractSpinBox, QComboBox, QTabBar)
    counted: list[QWidget] = [
        each
        for each in found
        if not isinstance(each.parent(), parts)
        and not (isinstance(each, QAbstractButton) and each.text().startswith("Export"))
    ]
    bar = (page.bar.view_row, page.bar.view_box, page.bar.buttons)
    same_everywhere = [each for each in counted if any(each is part or part.isAncestorOf(each) for part in bar)]
    return [page.canvas, *(each for each in counted if each not in same_everywhere and not isinstance(each, TryBox))]


def _prose(page: Page) -> Iterable[str]:
    """Yield the sentences and titles of a page: no labels, tokens and numbers."""
    for each in _seen(page, (QLabel, TextBlock)):
        lines = each.text().splitlines()
        yield from (line for line in lines if len(_WORD.findall(line)) >= LEAST_SENTENCE or "itle" in each.objectName())


def _seen(page: Page, kinds: tuple[type[Shown], ...]) -> list[Shown]:
    """Return the widgets of some kinds of which something is in view."""
    inside = [each for each in page.findChildren(QWidget) if isinstance(each, kinds) and each.isVisibleTo(page)]
    return [each for each in inside if not each.visibleRegion().isEmpty()]
