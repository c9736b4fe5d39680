"""What a person waits for while dragging: from the mouse event until the whole Lookup page is painted.

Compared with an empty repaint of the same page in the same state: every widget is asked to paint itself, and nothing
has changed. That is what our painting costs; what is above it is what a change costs. As our painting is in both, it
is also compared with a repaint of plain widgets in the same places, which is what Qt costs alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.state import QUERY, LookupState, Overlay, Part
from benchmarks.bare import bare_copy, update_all
from benchmarks.report import Row
from benchmarks.stage import PointerDrag, lookup_stage, paint
from benchmarks.timing import Contender, in_turns

FRAMES = 300
AIM = 3.0
OVERLAYS = frozenset({Overlay.FIELD, Overlay.TIE, Overlay.HULL})

PLAIN = replace(LookupState(), overlays=frozenset())
SOFT = replace(LookupState(), overlays=OVERLAYS)
HARD = replace(LookupState(), overlays=OVERLAYS, hard=True)


def measure() -> list[Row]:
    """Measure the four drags."""
    return [
        *_drag("drag q, overlays off", PLAIN, QUERY, AIM),
        *_drag("drag q, weight field, tie line, hull", SOFT, QUERY),
        *_drag("drag k₁, the field computed anew", SOFT, Part(Role.KEY, 0)),
        *_drag("drag q, hard lookup", HARD, QUERY),
    ]


def _drag(what: str, lookup: LookupState, part: Part, aim: float | None = None) -> list[Row]:
    with TemporaryDirectory() as folder:
        stage = lookup_stage(Path(folder) / "settings.ini", lookup)
        bare = bare_copy(stage.page)
        bare.show()
        stage.activate()
        pointer = PointerDrag(stage, part)
        moves, floor, bottom = in_turns(
            Contender(pointer.move, prepare=pointer.aim),
            Contender(paint, prepare=partial(update_all, stage.page)),
            Contender(paint, prepare=partial(update_all, bare)),
            rounds=FRAMES,
            warm_up=5,
        )
        pointer.release()
        bare.deleteLater()
        stage.close()
    return [Row(what, moves, "an empty repaint", floor, aim), Row(what, moves, "plain widgets in its place", bottom)]
