"""One head from raw scores to weights, and the shapes of the whole layer around it, with the frame's real numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import MapPicture, score_scale, weight_scale
from attention_explorer.core.numerals import coordinate, counted, readable
from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, head_name
from attention_explorer.pages.heads.row import RowNumbers, row_numbers
from attention_explorer.pages.heads.shown_map import stage_title
from attention_explorer.pages.heads.state import Aggregate, HeadsState, HeadsView
from attention_explorer.pages.heads.wording import cell_words, number_word, one, pair_name
from attention_explorer.sources.source import Ability

STAGE_NAMES = ("raw scores", "scaled", "masked", "weights")


@dataclass(frozen=True, slots=True)
class ShapeBox:
    """A step of a layer: what comes out of it, with its shape."""

    name: str
    shape: tuple[int, ...] = ()
    """Empty for an operation that keeps the shape before it."""
    role: Role | None = None
    beside: bool = False
    """Whether it is made at the same time as the box before it, and not from that."""


@dataclass(frozen=True, slots=True, eq=False)
class StagesPicture:
    """The four stages of a head, what is done between them, and the layer around it."""

    pictures: tuple[MapPicture, MapPicture, MapPicture, MapPicture]
    steps: tuple[str, str, str]
    """What turns each stage into the next."""
    boxes: tuple[ShapeBox, ...]
    note: str
    """Which head is shown, where it is not the large picture; else empty."""
    layer_heading: str
    layer_badge: str


@dataclass(frozen=True, slots=True, eq=False)
class StagesNumbers:
    """The stages of a head, with the row of it that is looked at."""

    picture: StagesPicture
    row: RowNumbers
    view: HeadsView

    @property
    def frame(self) -> HeadsFrame:
        """Whose stages they are."""
        return self.row.frame


def stages_numbers(heads: HeadsState, pixels: tuple[int, int]) -> StagesNumbers:
    """Return the stages of a state for so many (rows, columns) of pixels; of several heads in one, those of the first.

    Raises
    ------
    ExplorerError
        The attention cannot be computed, or only the weights of the head are known.
    """
    tiles = tuple(max(each // 2, 64) for each in pixels)
    found = stages_picture(frame_to_show(heads.setup), heads.view, (tiles[0], tiles[1]))
    one_head = heads.with_setup(aggregate=Aggregate.ONE)
    return StagesNumbers(found, row_numbers(one_head), heads.view)


def stages_picture(frame: HeadsFrame, view: HeadsView, tiles: tuple[int, int] = (1024, 1024)) -> StagesPicture:
    """Return all there is to paint of the stages; ``tiles`` are the most rows and columns of each map.

    Raises
    ------
    ExplorerError
        Only the weights of the head are known.
    """
    if not frame.head_map.has_scores:
        raise ExplorerError(f"{frame.source.traits.reason_against(Ability.SCORES)} Choose Map or Lines.")
    pictures = stage_pictures(frame, view, tiles)
    layers = len(frame.layers)
    layer = f"the whole {frame.count.layer(frame.layer)} of {layers}" if layers > 1 else "the whole layer"
    return StagesPicture(pictures, stage_steps(frame), layer_shapes(frame), _note(frame), layer, heads_shape(frame))


def stage_pictures(
    frame: HeadsFrame, view: HeadsView, tiles: tuple[int, int] = (1024, 1024)
) -> tuple[MapPicture, MapPicture, MapPicture, MapPicture]:
    """Return raw scores, scaled scores, masked scores and weights of the head chosen.

    Masked scores have the colours of the scaled ones, so that what is not masked stays as it was. Hidden keys are part
    of the picture: nothing is hidden from the arithmetic.
    """
    raw, scaled, masked, weights = (_stage_picture(frame, view, stage, tiles) for stage in Stage)
    return raw, scaled, replace(masked, scale=replace(scaled.scale, title=masked.scale.title)), weights


def _stage_picture(frame: HeadsFrame, view: HeadsView, stage: Stage, tiles: tuple[int, int]) -> MapPicture:
    pooled = frame.head_map.pooled(stage, *tiles)
    if stage is Stage.WEIGHTS:
        scale = weight_scale(view.contrast, pooled.values, pooled.masked)
    else:
        scale = score_scale(pooled.values, stage_title(frame, stage))
    return MapPicture(pooled.values, pooled.masked, scale, view.colour_map, frame.queries, frame.keys)


def stage_steps(frame: HeadsFrame) -> tuple[str, str, str]:
    """Return what is done from raw to scaled to masked scores, and from those to weights."""
    setup, root = frame.setup, math.sqrt(frame.head_width)
    scale = f"÷ √{frame.head_width} = ÷ {root:.3g}" if setup.scaled else "not scaled"
    hidden = 0 if frame.mask is None else int(np.count_nonzero(~frame.mask))
    mask = f"mask: {counted(hidden, 'cell')} hidden" if hidden else "no mask"
    last = "softmax over each row"
    if setup.hard:
        last = "arg max of each row"
    elif setup.temperature != 1.0:
        last = f"÷ T = {coordinate(setup.temperature, 4)}, then softmax"
    return scale, mask, last


def _note(frame: HeadsFrame) -> str:
    if frame.is_one_head:
        return ""
    return (
        f"Several heads in one have weights only: these are the stages of {head_name(frame, frame.layer, frame.head)}."
    )


def heads_shape(frame: HeadsFrame) -> str:
    """Return the shape of the maps of a layer in words: 8 heads × 11 × 11."""
    n_q, n_k = frame.shape
    return f"{counted(frame.heads, 'head')} × {n_q} × {n_k}"


def layer_shapes(frame: HeadsFrame) -> tuple[ShapeBox, ...]:
    """Return the steps of the layer shown, from its input to its output, each with the shape of what it gives.

    Heads made by hand have no projections: their chain begins with queries, keys and values and ends with what the
    heads find.
    """
    layer, setup = frame.layers[frame.layer], frame.setup
    scores = (frame.heads, *frame.shape)
    values = () if layer.values is None else (int(layer.v.shape[-1]),)
    q, k = layer.queries_and_keys
    boxes = [
        ShapeBox("Q", q.shape, Role.QUERY),
        ShapeBox("K", k.shape, Role.KEY, beside=True),
        *(ShapeBox("V", layer.v.shape, Role.VALUE, beside=True) for _ in values),
        ShapeBox("scores", scores),
    ]
    if layer.attention is not None:
        x, context = layer.inputs
        beside = [ShapeBox("context", context.shape, beside=True)] if frame.is_cross else []
        boxes = [ShapeBox("X", x.shape), *beside, *boxes]
    if setup.scaled:
        boxes.append(ShapeBox(f"÷ √{frame.head_width}"))
    if frame.mask is not None:
        boxes.append(ShapeBox("mask", frame.shape))
    if setup.temperature != 1.0 and not setup.hard:
        boxes.append(ShapeBox(f"÷ {coordinate(setup.temperature, 4)}"))
    boxes.append(ShapeBox("arg max" if setup.hard else "softmax", scores))
    boxes += [ShapeBox("· V", (frame.heads, frame.shape[0], d_v)) for d_v in values]
    if layer.attention is not None:
        boxes += [ShapeBox("concat", (frame.shape[0], frame.heads * d_v)) for d_v in values]
        boxes.append(ShapeBox("W_O", layer.attention.w_o.shape, beside=True))
        boxes.append(ShapeBox("output", (frame.shape[0], int(layer.attention.w_o.shape[1]))))
    return tuple(boxes)


def stage_words(stage: Stage, frame: HeadsFrame, view: HeadsView, row: int, column: int) -> str:
    """Return a cell of one of the four maps in one line for the status bar; before the mask nothing is hidden."""
    cell = one(row), one(column)
    if stage in (Stage.MASKED, Stage.WEIGHTS) or frame.head_map.allowed(*cell)[0, 0]:
        return cell_words(frame, replace(view, stage=stage), row, column)
    pair = pair_name(frame, row, column)
    score = readable(float(frame.head_map.scores(*cell, stage=stage)[0, 0]))
    return f"{pair}: {number_word(frame, stage)} {score}, later hidden {frame.what_hides(row, column)}"
