"""The layer as a diagram: its boxes, the ways around its sublayers, and what is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numbers_export import Arrays, Table, listed, places_table
from attention_explorer.model import EncoderLayer, EncoderTrace
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.layer.boxes import Box, layer_boxes
from attention_explorer.pages.layer.model_layer import ModelLayer, model_layer
from attention_explorer.pages.stack.choices import ORDER
from attention_explorer.pages.stack.stack import block_stack, block_trace, without_view
from attention_explorer.pages.stack.stack import is_quick as is_quick_stack
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.registry import source_of

RESIDUAL, FEED_FORWARD = "residual", "feed_forward"
"""The parts that can be cut, by the fields that do."""


@dataclass(frozen=True)
class Residual:
    """A way around a sublayer: from one box to the sum."""

    start: str
    end: str


@dataclass(frozen=True, eq=False)
class DiagramPicture:
    """The diagram of one layer.

    Attributes
    ----------
    state : BlockState
        What it was made for.
    tokens : tuple of str
        One a row.
    boxes : tuple of Box
        In the order of computation.
    residuals : tuple of Residual
        The ways around; none without residuals.
    chosen : Box
        The one that is enlarged.
    mask : ndarray of bool, (n, n), or None
        True where a query may attend.
    before, after : ndarray, (n,)
        Euclidean norm of every token's row as it enters and as it leaves the layer.
    layer : EncoderLayer or None
        The weights; of a model None.
    trace : EncoderTrace or None
        All arrays; of a model None: the boxes have them.
    embeddings : ndarray, (batch, n, d_model), or None
        The vectors before positions are added; in the first layer with positions only.
    layers : int
        How many there are.
    sizes : tuple of (str, int)
        How many learned numbers the parts of the layer have.
    """

    state: BlockState
    tokens: tuple[str, ...]
    boxes: tuple[Box, ...]
    residuals: tuple[Residual, ...]
    chosen: Box
    mask: Bools | None
    before: Floats
    after: Floats
    layer: EncoderLayer | None
    trace: EncoderTrace | None
    embeddings: Floats | None
    layers: int = 1
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def token(self) -> int | None:
        """The token that is followed, if it is there."""
        token = self.state.token
        return token if token is not None and token < len(self.tokens) else None

    @property
    def heads(self) -> int:
        """How many heads there are."""
        return len(self.box("weights").first)

    @property
    def head(self) -> int:
        """The head that is looked at: the one wished for, or the last."""
        return min(self.state.head, self.heads - 1)

    @property
    def cuts(self) -> tuple[str, ...]:
        """The parts that can be cut out of the layer, or put back."""
        of_drawn = self.trace is not None and self.state.learned is None
        return (RESIDUAL, FEED_FORWARD) if of_drawn else ()

    def box(self, name: str) -> Box:
        """Return a box by its name; that the diagram has it is the caller's to know."""
        return next(box for box in self.boxes if box.name == name)


def diagram_picture(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> DiagramPicture:
    """Compute the diagram of the layer that a state looks into.

    Raises
    ------
    ExplorerError
        The sizes do not go together, a number leaves the float range, or the model cannot be opened.
    """
    if state.model_shown is not None:
        return _of_model(state, state.model_shown)
    drawn, trace = block_stack(state), block_trace(state).layers[state.layer_shown]
    boxes = _boxes(replace(without_view(state), layer=state.layer_shown))
    names = [box.name for box in boxes]
    chosen = boxes[names.index(state.box)] if state.box in names else boxes[nearest_box(state.box, names)]
    return DiagramPicture(
        state,
        drawn.tokens,
        boxes,
        _residuals(names) if state.residual else (),
        chosen,
        drawn.mask,
        np.linalg.norm(trace.x[0], axis=-1),
        np.linalg.norm(trace.output[0], axis=-1),
        drawn.stack.layers[state.layer_shown],
        trace,
        drawn.embeddings if state.encoding and state.layer_shown == 0 else None,
        state.layers,
        tuple(drawn.stack.layers[state.layer_shown].parameter_counts().items()),
    )


def _of_model(state: BlockState, recipe: ModelRecipe) -> DiagramPicture:
    source, found = source_of(recipe), _layer_of_model(recipe, state.layer)
    boxes = found.boxes
    names = [box.name for box in boxes]
    return DiagramPicture(
        state,
        source.labels[0],
        boxes,
        _residuals(names),
        boxes[nearest_box(state.box, names)],
        found.mask,
        np.linalg.norm(boxes[0].first, axis=-1),
        np.linalg.norm(boxes[-1].first, axis=-1),
        None,
        None,
        None,
        len(source.heads),
        tuple(found.sizes.items()),
    )


@kept
def _layer_of_model(recipe: ModelRecipe, layer: int) -> ModelLayer:
    source = source_of(recipe)
    if not source.is_open:
        source.open()
    found = model_layer(source.whole_layer(layer), min(layer, len(source.heads) - 1))
    for box in found.boxes:
        checkpoint()
        _ = box.summary, box.largest  # here, where the worker is, and not when they are pointed at
    return found


def is_quick(state: BlockState) -> bool:
    """Whether the diagram takes less than about 20 ms."""
    if state.model_shown is None:
        return is_quick_stack(state)
    return _layer_of_model.peek(state.model_shown, state.layer) is not None


@kept
def _boxes(state: BlockState) -> tuple[Box, ...]:
    """Return the boxes of a state without a view but for its layer; what is computed of them lasts."""
    boxes = layer_boxes(state, block_trace(state).layers[state.layer])
    for box in boxes:
        checkpoint()
        _ = box.summary, box.largest  # here, where the worker is, and not when they are pointed at
    return boxes


def nearest_box(wanted: str, names: list[str]) -> int:
    """Return the place of the last box that comes no later than one that a switch has taken away."""
    place = ORDER.index(wanted) if wanted in ORDER else 0
    return max((index for index, name in enumerate(names) if ORDER.index(name) <= place), default=0)


def shape_trace(picture: DiagramPicture) -> str:
    """Return the shapes as tutorials write them: (6,64)→(8,6,8)→(8,6,6)→(8,6,8)→(6,64)→(6,64)."""
    names = ("x", "q", "weights", "head_output", "concat", "attention_output")
    return " → ".join(picture.box(name).shape_text for name in names)


def _residuals(names: list[str]) -> tuple[Residual, ...]:
    found = [Residual("x", "attention_sum")]
    if "feed_forward_sum" in names:
        found.append(Residual("middle" if "middle" in names else "attention_sum", "feed_forward_sum"))
    return tuple(found)


def diagram_arrays(picture: DiagramPicture) -> Arrays:
    """Return every array of the layer, the one that is looked at first."""
    arrays: Arrays = {picture.chosen.name: np.asarray(picture.chosen.array)}
    arrays.update({box.name: np.asarray(box.array) for box in picture.boxes})
    arrays["norm_before"], arrays["norm_after"] = np.asarray(picture.before), np.asarray(picture.after)
    arrays["tokens"] = np.array(picture.tokens)
    return arrays


def diagram_table(picture: DiagramPicture) -> Table:
    """Return every number of the layer with its place; of a large one those of the array that is looked at."""
    return places_table(listed(diagram_arrays(picture)))
