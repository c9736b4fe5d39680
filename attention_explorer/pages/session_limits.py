"""What the numbers and texts of a session file may be: the ranges that the window itself keeps to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from attention_explorer.core import map_picture
from attention_explorer.core.declared import ranges
from attention_explorer.core.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.errors import ExplorerError
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.block import state as block
from attention_explorer.pages.block.learned import reason_against_state
from attention_explorer.pages.cost import state as cost
from attention_explorer.pages.heads import state as heads
from attention_explorer.pages.heads.writing import Writing
from attention_explorer.pages.lookup import plane
from attention_explorer.pages.lookup import state as lookup
from attention_explorer.pages.lookup.head_row import HeadRow
from attention_explorer.pages.positions import state as positions
from attention_explorer.pages.ready_made import preset_ids
from attention_explorer.pages.scaling import state as scaling
from attention_explorer.pages.training.state import TrainingState, are_asked_the_same
from attention_explorer.sources import recipe as toy
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import TASKS, task_of
from attention_explorer.sources.learned_recipe import MOST_STEPS, LearnedRecipe
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.recorded_recipe import RECORDINGS, BoxRecipe, FileRecipe
from attention_explorer.sources.tokens import MOST_TOKENS

MOST_CHARACTERS = 32_767
"""Of a text: as many as a field of the window takes."""

ANY_FINITE = sys.float_info.max
COLOUR_MAPS = ("viridis", "cividis", "magma")

_LAST_TOKEN = MOST_TOKENS - 1
_MOST_WISHED = 1023
"""A layer, head or dimension that is wished for; those that there are not are not shown."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a field may hold.

    Attributes
    ----------
    low, high : float
        The range of its numbers, ends included, at any depth of a list.
    fewest, most : int
        How many items its list may have.
    choices : tuple of object
        What it may be, if it is not any text or number.
    known : callable or None
        Returns the names there are. A name that is not among them is taken for the default, with a warning.
    has_words : bool
        Whether a text must hold at least one token: something that asks and is attended to.
    """

    low: float = -ANY_FINITE
    high: float = ANY_FINITE
    fewest: int = 0
    most: int = sys.maxsize
    choices: tuple[object, ...] = ()
    known: Callable[[], tuple[str, ...]] | None = None
    has_words: bool = False


def _known_boxes() -> tuple[str, ...]:
    from attention_explorer.pages.block.diagram import ORDER

    return tuple(ORDER)


def _declared(kind: type) -> dict[str, Limit]:
    """Return the limits of the numbers that a class declares."""
    return {name: Limit(*ends) for name, ends in ranges(kind).items()}


_COORDINATE = Limit(-plane.LARGEST_COORDINATE, plane.LARGEST_COORDINATE)
# An output is a mean of values, and rounding can carry it past the largest of them by a digit.
_OUTPUT = Limit(-2 * plane.LARGEST_COORDINATE, 2 * plane.LARGEST_COORDINATE)
_EDGE = Limit(-1e12, 1e12)
_CELLS = Limit(0, _LAST_TOKEN)
_PINNED = Limit(0, 2 * MOST_TOKENS - 1)  # tokens that only B of a comparison has are counted behind those of A
_AFTER_CELLS = Limit(1, MOST_TOKENS)
_SEED = Limit(0, LARGEST_SEED)
_SENTENCE = Limit(has_words=True)

LIMITS: dict[type, dict[str, Limit]] = {
    plane.Extent: {"left": _EDGE, "right": _EDGE, "bottom": _EDGE, "top": _EDGE},
    lookup.Entry: {"key": _COORDINATE, "value": _COORDINATE, "number": _COORDINATE},
    lookup.LookupState: {
        "query": _COORDINATE,
        "entries": Limit(fewest=1, most=lookup.MOST_KEYS),
        "temperature": Limit(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE),
        "target": _COORDINATE,
        "target_number": _COORDINATE,
        "rate": Limit(lookup.LOWEST_RATE, lookup.HIGHEST_RATE),
        "preset": Limit(known=lambda: (*preset_ids("lookup"), lookup.LEARNED_DICTIONARY, "")),
        "trail": Limit(_OUTPUT.low, _OUTPUT.high, most=lookup.LONGEST_TRAIL),
        "descent": Limit(_COORDINATE.low, _COORDINATE.high, most=lookup.LONGEST_DESCENT),
        "jumps": Limit(0, lookup.MOST_JUMPS),
        "last_jump": Limit(0.0, 3 * plane.LARGEST_COORDINATE),
    },
    HeadRow: {
        "temperature": Limit(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE),
        "layer": Limit(0, _MOST_WISHED),
        "head": Limit(0, _MOST_WISHED),
        "row": Limit(0, 2**31),
    },
    heads.MaskChoice: {"size": Limit(1, heads.LARGEST_MASK_SIZE), "hidden": _CELLS, "shown": _CELLS},
    heads.HeadsSetup: {
        "temperature": Limit(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE),
        "layer": Limit(0, _MOST_WISHED),
        "head": Limit(0, _MOST_WISHED),
        "switched_off": Limit(0, _MOST_WISHED),
    },
    heads.Threshold: {"value": Limit(-heads.LARGEST_THRESHOLD, heads.LARGEST_THRESHOLD)},
    heads.HeadsView: {
        "colour_map": Limit(choices=COLOUR_MAPS),
        "marked": Limit(0, _MOST_WISHED),
        "mass": Limit(0.01, 1.0),
        "row": _PINNED,
        "column": _PINNED,
    },
    map_picture.Window: {"top": _CELLS, "bottom": _AFTER_CELLS, "left": _CELLS, "right": _AFTER_CELLS},
    Writing: _declared(Writing),
    heads.HeadsState: {"preset": Limit(known=lambda: (*preset_ids("heads"), ""))},
    toy.ToyRecipe: {
        "sentence": _SENTENCE,
        "context": _SENTENCE,
        "d_model": Limit(1, toy.LARGEST_D_MODEL),
        "heads": Limit(1, toy.MOST_HEADS),
        "d_k": Limit(1, toy.LARGEST_D_K),
        "d_v": Limit(1, toy.LARGEST_D_K),
        "layers": Limit(1, toy.MOST_LAYERS),
        "seed": _SEED,
        "gain": Limit(0.0, toy.LARGEST_FACTOR),
        "embedding_scale": Limit(0.0, toy.LARGEST_FACTOR),
        "given": Limit(most=2 * MOST_TOKENS),
    },
    HandMadeRecipe: {"sentence": _SENTENCE, "context": _SENTENCE, "own_shares": Limit(5e-324, 1e6, most=MOST_TOKENS)},
    BoxRecipe: {"recording": Limit(known=lambda: tuple(RECORDINGS))},
    FileRecipe: {
        "size": Limit(0, 2**60),
        "modified_ns": Limit(0, 2**63 - 1),
        "batch": Limit(0, 2**31),
        "given_tokens": Limit(most=2**16),
        "offset": Limit(0, 2**60),
        "difference": Limit(0.0, 2.0),
    },
    ModelRecipe: {
        "size": Limit(0, 2**60),
        "modified_ns": Limit(0, 2**63 - 1),
        "sentence": _SENTENCE,
        "context": _SENTENCE,
    },
    LearnedRecipe: {"step": Limit(0, MOST_STEPS), "sentence": _SENTENCE, "context": _SENTENCE},
    block.LearnedStack: {"step": Limit(0, MOST_STEPS)},
    LearningSetup: {"task": Limit(choices=tuple(TASKS)), **_declared(LearningSetup)},
    positions.PositionsState: {
        "length": Limit(1, positions.LONGEST),
        "d_model": Limit(1, positions.WIDEST),
        "base": Limit(positions.LOWEST_BASE, positions.HIGHEST_BASE),
        "seed": _SEED,
        "heads": Limit(1, positions.MOST_HEADS),
        "head": Limit(0, positions.MOST_HEADS - 1),
        "position": Limit(0, positions.LONGEST - 1),
        "shift": Limit(0, positions.LONGEST - 1),
        "dimensions": Limit(0, positions.WIDEST - 1, most=positions.MOST_WAVES),
        "query_position": Limit(0, positions.LONGEST - 1),
        "embedding_scale": Limit(0.0, 100.0),
        "sentence": _SENTENCE,
        "shuffle": _SEED,
        "preset": Limit(known=partial(preset_ids, "positions")),
    },
    block.BlockState: {
        "batch": Limit(1, block.MOST_BATCH),
        "d_model": Limit(1, block.WIDEST),
        "heads": Limit(1, block.MOST_HEADS),
        "d_ff": Limit(1, block.WIDEST_HIDDEN),
        "layers": Limit(1, block.MOST_LAYERS),
        "seed": _SEED,
        "embedding_scale": Limit(0.0, 100.0),
        "gain": Limit(0.0, 10.0),
        "eps": Limit(0.0, 1.0),
        "layer": Limit(0, block.MOST_LAYERS - 1),
        "box": Limit(known=_known_boxes),
        "head": Limit(0, block.MOST_HEADS - 1),
        "token": Limit(0, _LAST_TOKEN),
        "factor": Limit(-block.LARGEST_FACTOR, block.LARGEST_FACTOR),
        "changed_token": Limit(0, _LAST_TOKEN),
        "decoded": Limit(0, _LAST_TOKEN),
        "norm_scale": Limit(1e-7, 100.0),
        "preset": Limit(known=partial(preset_ids, "block")),
    },
    scaling.BenchState: {
        "rows": Limit(-scaling.LARGEST_SCORE, scaling.LARGEST_SCORE, fewest=1, most=scaling.MOST_BENCH_ROWS),
        "row": Limit(0, scaling.MOST_BENCH_ROWS - 1),
        "key": Limit(0, scaling.MOST_BENCH_KEYS - 1),
        "factor": Limit(scaling.LEAST_FACTOR, scaling.LARGEST_FACTOR),
        "shift": Limit(-1000.0, 1000.0),
    },
    scaling.ScalingState: {
        "d_k": Limit(1, scaling.LARGEST_D_K),
        "axis_d_k": Limit(0, scaling.LARGEST_D_K),
        "d_model": Limit(1, scaling.LARGEST_D_MODEL),
        "gain": Limit(0.0, scaling.LARGEST_GAIN),
        "keys": Limit(1, scaling.MOST_KEYS),
        "draws": Limit(1, scaling.MOST_DRAWS),
        "seed": _SEED,
        "preset": Limit(known=partial(preset_ids, "scaling")),
    },
    cost.CostState: {
        "n": Limit(1, cost.LONGEST),
        "d_model": Limit(1, cost.WIDEST),
        "heads": Limit(1, cost.MOST_HEADS),
        "d_ff": Limit(1, cost.WIDEST_HIDDEN),
        "layers": Limit(1, cost.MOST_LAYERS),
        "window": Limit(1, cost.LONGEST),
        "longest_measured": Limit(choices=(512, 1024, 2048, 4096, 8192)),
        "decay": Limit(0.0, 1.0),
        "context": Limit(1, cost.LONGEST_CONTEXT),
        "sentence": _SENTENCE,
        "other_sentence": _SENTENCE,
        "preset": Limit(known=partial(preset_ids, "cost")),
    },
    TrainingState: {
        **_declared(TrainingState),
        "off": Limit(0, _MOST_WISHED),
        "drawn": Limit(0, _MOST_WISHED),
        "hidden": _CELLS,
        "row": Limit(-1, _LAST_TOKEN),
        "preset": Limit(known=partial(preset_ids, "training")),
    },
}
"""By class and field. A field with a number and without a limit is an oversight, which a test finds."""


# ---- What goes together ----


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
    reason = reason_against_state(state)
    return f"cannot be shown: {reason}".removesuffix(".") if reason else ""


def _against_training(state: TrainingState) -> str:
    if state.other is None or are_asked_the_same(state.setup, state.other):
        return ""
    return "has another run of another task or length: the two must have the same"


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
