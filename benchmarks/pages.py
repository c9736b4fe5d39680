"""Every page alike: coming back to one that was seen before, a drag on it, and a window that nobody touches.

A visited page and a drag are compared with an empty repaint of the page, in which every widget is asked to paint
itself and nothing has changed. Idle is the work of the processor, in milliseconds a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from PySide6.QtCore import QEvent, QEventLoop, QPointF, QTimer
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider, QWidget

from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import JobQueue
from benchmarks.bare import update_all
from benchmarks.report import Row
from benchmarks.stage import PaintCounter, Stage, mouse_event, paint, paint_when_done, settle
from benchmarks.timing import Contender, Samples, in_turns

ROUNDS, ROUNDS_OF_A_SWITCH = 40, 12
AIM_OF_A_SWITCH, AIM_OF_A_DRAG, AIM_OF_IDLE = 2.0, 3.0, 0.01
SECONDS_FOR_A_JOB = 30.0
IDLE_SECONDS, IDLE_ROUNDS = 2.0, 3
STEPS = (4, 8, 12, 16, 12, 8, 4, 0)
"""Pixels from where the handle was, forth and back; quarters of a stop where that is more."""
OVER_THE_PICTURE = (9, 7)
"""So many places across and down a picture are tried for one that answers to the pointer."""


def measure() -> list[Row]:
    """Measure all pages, one after the other."""
    return [*(row for entry in PAGES for row in _page(entry.id)), _idle()]


def _page(name: str) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        stage = Stage(Path(folder) / "settings.ini", ExplorerState(), name, QWidget)
        stage.page.settle()
        settle()
        yield _switch(stage, name)
        if slider := _slider_of(stage.page):
            yield _drag(stage, name, slider)
        elif pictures := [each for each in stage.page.findChildren(PicturesCanvas) if each.isVisible()]:
            yield _point(stage, name, pictures[0])
        stage.close()


def _switch(stage: Stage[QWidget], name: str) -> Row:
    """Measure the way back to a page, from the one before it in the rail."""
    window, page = stage.window, stage.page
    other = next(entry.id for entry in PAGES if entry.id != name)
    counter, queues = PaintCounter(page), _queues_of(page)

    def leave() -> None:
        window.show_page(other)
        window.page.settle()
        settle()

    def come_back() -> None:
        window.show_page(name)
        _paint_when_done(queues)
        counter.must_have_painted()

    back, repaint = in_turns(
        Contender(come_back, prepare=leave),
        Contender(paint, prepare=partial(update_all, page)),
        rounds=ROUNDS_OF_A_SWITCH,
        warm_up=2,
    )
    return Row(f"back to the {name} page", back, "an empty repaint of it", repaint, AIM_OF_A_SWITCH)


def _queues_of(page: QWidget) -> list[JobQueue]:
    """Return the queues of a page. They are looked for once: going through all its widgets takes a millisecond."""
    return page.findChildren(JobQueue)


def _slider_of(page: QWidget) -> QSlider | None:
    """Return the largest slider in view that can be moved. The Heads page has none: its gestures are in `heads`."""
    seen = [each for each in page.findChildren(QSlider) if each.isVisible() and each.isEnabled()]
    return max(seen, key=lambda each: each.width(), default=None)


def _drag(stage: Stage[QWidget], name: str, slider: QSlider) -> Row:
    """Measure a slider that is dragged forth and back, from a mouse move until everything is painted."""
    start, path = _handle_of(slider), cycle(STEPS)
    before, counter, queues = stage.session.state, PaintCounter(slider), _queues_of(stage.page)
    unit = max(1.0, slider.width() / (4 * ((slider.maximum() - slider.minimum()) / slider.singleStep())))
    QApplication.sendEvent(slider, mouse_event(slider, QEvent.Type.MouseButtonPress, start))

    def move() -> None:
        place = start + QPointF(unit * next(path), 0)
        QApplication.sendEvent(slider, mouse_event(slider, QEvent.Type.MouseMove, place))
        _paint_when_done(queues)

    move()
    move()
    if stage.session.state == before:
        raise RuntimeError(f"The slider “{slider.accessibleName()}” of the {name} page changed nothing.")
    counter.must_have_painted()
    moves, repaint = in_turns(
        Contender(move),
        Contender(paint, prepare=partial(update_all, stage.page)),
        rounds=ROUNDS,
        warm_up=len(STEPS),
    )
    QApplication.sendEvent(slider, mouse_event(slider, QEvent.Type.MouseButtonRelease, start))
    what = f"drag “{slider.accessibleName()}”, {name} page"
    return Row(what, moves, "an empty repaint of it", repaint, AIM_OF_A_DRAG)


def _point(stage: Stage[QWidget], name: str, picture: PicturesCanvas) -> Row:
    """Measure a pointer that goes over a picture, from a mouse move until everything is painted."""
    counter, queues = PaintCounter(picture), _queues_of(stage.page)
    places = cycle(_places_that_differ(queues, picture, counter))

    def move() -> None:
        _point_at(queues, picture, next(places))
        counter.must_have_painted()

    moves, repaint = in_turns(
        Contender(move),
        Contender(paint, prepare=partial(update_all, stage.page)),
        rounds=ROUNDS,
        warm_up=5,
    )
    return Row(f"point at the picture, {name} page", moves, "an empty repaint of it", repaint, AIM_OF_A_DRAG)


def _places_that_differ(queues: list[JobQueue], picture: PicturesCanvas, counter: PaintCounter) -> list[QPointF]:
    """Return places over a picture, each of which shows something else than the one before, the first than the last."""
    across, down = OVER_THE_PICTURE
    grid = [
        QPointF(picture.width() * (column + 0.5) / across, picture.height() * (row + 0.5) / down)
        for row in range(down)
        for column in range(across)
    ]
    found = [place for place in grid if _answers(queues, picture, counter, place)]
    while len(found) > 1 and not _answers(queues, picture, counter, found[0]):
        found.pop()
        _point_at(queues, picture, found[-1])
    if len(found) < 2:
        raise RuntimeError("The picture does not answer to the pointer, so there is nothing to measure.")
    return found[1:] + found[:1]


def _answers(queues: list[JobQueue], picture: PicturesCanvas, counter: PaintCounter, place: QPointF) -> bool:
    painted = counter.paints
    _point_at(queues, picture, place)
    return counter.paints > painted


def _point_at(queues: list[JobQueue], picture: PicturesCanvas, place: QPointF) -> None:
    QApplication.sendEvent(picture, mouse_event(picture, QEvent.Type.MouseMove, place, pressed=False))
    _paint_when_done(queues)


def _handle_of(slider: QSlider) -> QPointF:
    """Return the middle of a slider's handle."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center().toPointF()


def _paint_when_done(queues: Iterable[JobQueue]) -> None:
    """Return when no worker of a page is busy any more, and everything is painted."""
    for jobs in queues:
        paint_when_done(jobs, SECONDS_FOR_A_JOB)
    paint()


def _idle() -> Row:
    """Measure what the processor does while the window only stands there, of all that it could do."""
    with TemporaryDirectory() as folder:
        stage = Stage(Path(folder) / "settings.ini", ExplorerState(), PAGES[0].id, QWidget)
        settle()
        worked = tuple(_work_of_a_second() for _ in range(IDLE_ROUNDS))
        stage.close()
    return Row("idle, work a second", Samples(worked), "a whole second", Samples((1.0,)), AIM_OF_IDLE)


def _work_of_a_second() -> float:
    loop, before = QEventLoop(), process_time()
    QTimer.singleShot(round(IDLE_SECONDS * 1000), loop.quit)
    loop.exec()
    return (process_time() - before) / IDLE_SECONDS
