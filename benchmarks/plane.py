"""The plane alone, ours and Matplotlib's, redrawn for a query that moves: new state, its numbers, painted pixels.

Weight field, tie line and hull are on, and the field stays because the keys do. Matplotlib is measured twice: with a
plain ``canvas.draw()``, which is what one writes, and with blitting, which is what one writes when that is too slow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import QUERY, LookupState
from attention_explorer.pages.lookup.ui.canvas import LookupCanvas
from attention_explorer.pages.ui.session import Session
from benchmarks.drag import SOFT
from benchmarks.matplotlib_plane import MatplotlibPlane
from benchmarks.report import Row
from benchmarks.stage import PaintCounter, PointerDrag, Stage, lookup_stage, paint
from benchmarks.timing import Contender, in_turns

FRAMES = 150
AIM = 0.1


def measure() -> list[Row]:
    """Measure our canvas, the drag in the window and both ways of Matplotlib, in turns."""
    with TemporaryDirectory() as folder:
        stage = lookup_stage(Path(folder) / "settings.ini", SOFT)
        ours, canvas = _our_canvas(stage)
        theirs, theirs_blitted = _matplotlib(canvas, blitted=False), _matplotlib(canvas, blitted=True)
        stage.activate()
        pointer = PointerDrag(stage, QUERY)
        alone, dragged, drawn, blitted = in_turns(
            Contender(ours),
            Contender(pointer.move, prepare=pointer.aim),
            Contender(theirs),
            Contender(theirs_blitted),
            rounds=FRAMES,
            warm_up=5,
        )
        pointer.release()
        stage.close()
    return [
        Row("plane alone, q moves", alone, "Matplotlib, draw()", drawn, AIM),
        Row("plane alone, q moves", alone, "Matplotlib, blitting", blitted),
        Row("drag q in the whole window", dragged, "Matplotlib, draw(), plane alone", drawn),
    ]


def _our_canvas(stage: Stage[LookupCanvas]) -> tuple[Callable[[], None], LookupCanvas]:
    """Return what moves the query of a canvas in a window of its own, as large as the one on the page."""
    session = Session(ExplorerState(lookup=SOFT))
    canvas = LookupCanvas(session, stage.window.look)
    canvas.show_picture(stage.page.view.picture, lookup_frame(SOFT))
    session.changed.connect(canvas.render_state)
    canvas.resize(stage.canvas.size())
    canvas.show()
    states, counter = _walk(SOFT, 0.0), PaintCounter(canvas)

    def frame() -> None:
        session.preview(replace(session.state, lookup=next(states)), "Move query")
        paint()
        counter.must_have_painted()

    return frame, canvas


def _matplotlib(canvas: LookupCanvas, blitted: bool) -> Callable[[], None]:
    """Return what moves the query of a Matplotlib canvas that shows what ours shows."""
    scene = canvas.scene()
    plane = MatplotlibPlane(
        lookup_frame(SOFT), scene.transform.visible, canvas.size(), scene.field_columns, scene.look.theme
    )
    show: Callable[[LookupFrame], None] = plane.blit if blitted else plane.draw
    states = _walk(SOFT, 2.0 if blitted else 1.0)

    def frame() -> None:
        show(lookup_frame(next(states)))
        paint()

    return frame


def _walk(lookup: LookupState, phase: float) -> Iterator[LookupState]:
    """Yield states whose query goes round; another phase never meets the same state, whose numbers are kept."""
    for step in count():
        angle = 0.1 * step + phase
        yield lookup.moved(QUERY, (1.2 * math.cos(angle), 1.2 * math.sin(angle)))
