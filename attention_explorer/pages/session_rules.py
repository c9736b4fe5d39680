"""What fields of a part of the state must have in common; what each of them may be is said where it is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attention_explorer.core import map_picture
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads import state as heads
from attention_explorer.pages.lab import scores_state as scaling
from attention_explorer.pages.lookup import plane
from attention_explorer.pages.lookup import state as lookup
from attention_explorer.pages.stack import state as block
from attention_explorer.pages.stack.learned import reason_against_state
from attention_explorer.pages.stack.typed import TYPED, reason_against_rows
from attention_explorer.pages.training.state import TrainingState, are_asked_the_same
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of


def reason_against(value: object) -> str:
    """Return why the fields of a part of the state do not go together; empty if they do."""
    rule = _RULES.get(type(value))
    return "" if rule is None else rule(value)


def _against_extent(extent: plane.Extent) -> str:
    if extent.left < extent.right and extent.bottom < extent.top:
        span = extent.span
        if plane.SMALLEST_SPAN / 2 <= span <= plane.LARGEST_SPAN * 2:
            return ""
        return f"is {span!r} units across, but must be between {plane.SMALLEST_SPAN:g} and {plane.LARGEST_SPAN:g}"
    return "must have its left below its right and its bottom below its top"


def _against_lookup(state: lookup.LookupState) -> str:
    camera, width = state.camera, len(state.value_rows[0])
    if camera is not None and max(map(abs, camera.centre)) > plane.LARGEST_COORDINATE * (1 + 1e-9):
        return f"has a camera whose middle lies farther out than {plane.LARGEST_COORDINATE:.0f}"
    if camera is not None and camera.span < camera.smallest_span / 2:
        return f"has a camera {camera.span!r} units across; so far out it must be {camera.smallest_span:.2g} at least"
    if (state.row is None) is not bool(state.preset):
        return "must name a preset, or a row of a head instead"
    if state.row is not None and (state.values is not lookup.ValueKind.VECTORS or state.scaled):
        return "has a row of a head: its values must be “vectors”, and scaled must be false"
    if any(len(output) != width for output in state.trail):
        return f"has a trail whose points must have {width} {'number' if width == 1 else 'numbers'} each, as the values"
    return ""


def _against_window(window: map_picture.Window) -> str:
    if window.top < window.bottom and window.left < window.right:
        return ""
    return "must have its top above its bottom and its left before its right"


def _against_mask(mask: heads.MaskChoice) -> str:
    both = mask.hidden & mask.shown
    return f"has the cell {list(min(both))} both hidden and shown: it must be in one of the two lists" if both else ""


def _against_setup(setup: LearningSetup) -> str:
    try:
        task_of(setup.task).check(setup)
    except ExplorerError as error:
        return f"cannot learn: {error}".removesuffix(".")
    return ""


def _against_block(state: block.BlockState) -> str:
    for name in TYPED:
        if odd := reason_against_rows(getattr(state, name)):
            return f"has {name}, which {odd}"
    reason = reason_against_state(state)
    return f"cannot be shown: {reason}".removesuffix(".") if reason else ""


def _against_training(state: TrainingState) -> str:
    if state.other is None or are_asked_the_same(state.setup, state.other):
        return ""
    return "has another run of another task, length or lines: the two must have the same"


def _against_bench(bench: scaling.BenchState) -> str:
    lengths = {len(row) for row in bench.rows}
    if len(lengths) == 1 and 1 <= max(lengths) <= scaling.MOST_BENCH_KEYS:
        return ""
    return f"must have rows of one length, from 1 to {scaling.MOST_BENCH_KEYS} scores each"


_RULES: dict[type, Callable[[Any], str]] = {
    plane.Extent: _against_extent,
    lookup.LookupState: _against_lookup,
    map_picture.Window: _against_window,
    heads.MaskChoice: _against_mask,
    scaling.BenchState: _against_bench,
    LearningSetup: _against_setup,
    block.BlockState: _against_block,
    TrainingState: _against_training,
}
