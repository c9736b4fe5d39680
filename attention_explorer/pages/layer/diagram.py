"""The layer as a diagram: its boxes, the ways around its sublayers, and what is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.numbers_export import Arrays, Table, listed, places_table, rows_of
from attention_explorer.core.weighing import Weighing
from attention_explorer.model import EncoderLayer, EncoderTrace
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.layer.boxes import Box, Form, Line, Rows, layer_boxes, with_dropout
from attention_explorer.pages.layer.model_layer import ModelLayer, model_layer
from attention_explorer.pages.stack.choices import ORDER
from attention_explorer.pages.stack.stack import block_stack, block_trace, without_view
from attention_explorer.pages.stack.stack import is_quick as is_quick_stack
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.masked_layers import lookup_of
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import PLAIN, LayerPart, Lookup, Recipe

QUICK = 1e7
"""Multiplications up to which a layer of what Heads shows takes less than about 20 ms."""


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
    keys : tuple of str
        One a key: the tokens again, unless keys are of a second sentence.
    boxes : tuple of Box
        In the order of computation.
    residuals : tuple of Residual
        The ways around; none without residuals.
    chosen : Box
        The one that is enlarged.
    mask : ndarray of bool, (n_q, n_k), or None
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
    lookup : Lookup
        How its scores became weights.
    """

    state: BlockState
    tokens: tuple[str, ...]
    keys: tuple[str, ...]
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
    lookup: Lookup = PLAIN

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
    def cuts(self) -> tuple[LayerPart, ...]:
        """The parts that can be cut out of the layer, or put back."""
        model = self.state.model_shown
        can_be = self.state.learned is None if model is None else source_of(model).can_be_cut
        return tuple(LayerPart) if can_be else ()

    def box(self, name: str) -> Box:
        """Return a box by its name; that the diagram has it is the caller's to know."""
        return next(box for box in self.boxes if box.name == name)

    def head_name(self, head: int) -> str:
        """Return what a head is called: its number, or what it was made for."""
        shown = self.state.model_shown
        own = "" if shown is None else source_of(shown).head_name(self.state.layer_shown, head)
        return own or self.state.count.head(head)

    def has(self, *names: str) -> bool:
        """Whether the diagram has these boxes."""
        return {box.name for box in self.boxes} >= set(names)


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


def _of_model(state: BlockState, recipe: Recipe) -> DiagramPicture:
    found = _layer_of_model(*_asked(state, recipe))
    source, boxes = source_of(recipe), found.boxes
    names = [box.name for box in boxes]
    way = [box for box in boxes if box.line is not Line.MATRICES]
    (tokens, keys), first = source.labels, next(box for box in way if box.name in ("x", "q"))
    return DiagramPicture(
        state,
        tokens,
        keys,
        boxes,
        _residuals(names) if state.has_part(LayerPart.RESIDUAL) else (),
        boxes[nearest_box(state.box, names)],
        found.mask,
        np.linalg.norm(_rows(first), axis=-1),
        np.linalg.norm(_rows(way[-1]), axis=-1),
        None,
        None,
        None,
        len(source.heads),
        tuple(found.sizes.items()),
        found.lookup,
    )


def _rows(box: Box) -> Floats:
    """Return a row for each token, of all heads if there are several."""
    rows = box.first if not box.has_heads else box.first.swapaxes(0, 1)
    return rows.reshape(len(rows), -1)


_Asked: TypeAlias = tuple[Recipe, int, MaskChoice, Weighing, frozenset[tuple[int, LayerPart]], int | None, bool, bool]


def _asked(state: BlockState, recipe: Recipe) -> _Asked:
    """Return what decides the layer of a model: among others the seed of dropout, if there is any."""
    seed = state.dropout_seed if state.dropout else None
    has = state.model_biases, state.model_gains
    return recipe, state.layer, state.mask, state.weighing, state.cut, seed, *has


@kept
def _layer_of_model(
    recipe: Recipe,
    layer: int,
    mask: MaskChoice,
    weighing: Weighing,
    cut: frozenset[tuple[int, LayerPart]],
    seed: int | None,
    biases: bool,
    gains: bool,
) -> ModelLayer:
    how = weighing.scaled, weighing.temperature, weighing.hard, weighing.switched_off
    source, lookup = source_of(recipe), lookup_of(recipe, mask, *how)
    place = min(layer, len(source.heads) - 1)
    cut = cut if source.can_be_cut else frozenset()
    here = frozenset(part for each, part in cut if each == place)
    drops = None if seed is None or source.dropout is None else replace(source.dropout, seed=seed)
    lookup = lookup._replace(cut=cut, dropout=drops, biases=biases, gains=gains)
    found = model_layer(source.whole_layer(place, lookup), place, here)
    for box in found.boxes:
        checkpoint()
        _ = box.summary, box.largest  # here, where the worker is, and not when they are pointed at
    return found


def is_quick(state: BlockState) -> bool:
    """Whether the diagram takes less than about 20 ms."""
    if state.model_shown is None:
        return is_quick_stack(state)
    if _layer_of_model.peek(*_asked(state, state.model_shown)) is not None:
        return True
    source = source_of(state.model_shown)
    return source.is_open and source.operations() <= QUICK and not source.checkpoints()


@kept
def _boxes(state: BlockState) -> tuple[Box, ...]:
    """Return the boxes of a state without a view but for its layer; what is computed of them lasts."""
    drops = None if state.drops is None else state.drops.of_layer(state.layer)
    boxes = with_dropout(layer_boxes(state, block_trace(state).layers[state.layer]), drops, state.allowed)
    for box in boxes:
        checkpoint()
        _ = box.summary, box.largest  # here, where the worker is, and not when they are pointed at
    return boxes


def nearest_box(wanted: str, names: list[str]) -> int:
    """Return the place of the last box that comes no later than one that a switch has taken away."""
    place = ORDER.index(wanted) if wanted in ORDER else 0
    return max((index for index, name in enumerate(names) if ORDER.index(name) <= place), default=0)


def row_names(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    """Return the tokens of the rows of a box, or the numbers of features."""
    if box.rows is Rows.FEATURES:
        return tuple(map(str, range(box.first.shape[-2])))
    return picture.keys if box.rows is Rows.KEYS else picture.tokens


def column_names(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    """Return the keys of the columns of a box, or the numbers of features."""
    return picture.keys if box.form is Form.KEYS else tuple(map(str, range(box.first.shape[-1])))


def shape_trace(picture: DiagramPicture) -> str:
    """Return the shapes as tutorials write them: (6,64)→(8,6,8)→(8,6,6)→(8,6,8)→(6,64)→(6,64)."""
    names = ("x", "q", "weights", "head_output", "concat", "attention_output")
    return " → ".join(box.shape_text for box in picture.boxes if box.name in names)


def _residuals(names: list[str]) -> tuple[Residual, ...]:
    start = "self_sum" if "self_sum" in names else "x"
    found = [Residual(start, "attention_sum")] if "attention_sum" in names else []
    if "feed_forward_sum" in names:
        found.append(Residual("middle" if "middle" in names else "attention_sum", "feed_forward_sum"))
    return tuple(found)


def diagram_arrays(picture: DiagramPicture) -> Arrays:
    """Return every array of the layer, the one that is looked at first."""
    arrays: Arrays = {picture.chosen.name: np.asarray(picture.chosen.array)}
    arrays.update({box.name: np.asarray(box.array) for box in picture.boxes})
    arrays["norm_before"], arrays["norm_after"] = np.asarray(picture.before), np.asarray(picture.after)
    arrays["tokens"] = np.array(picture.tokens)
    if picture.keys != picture.tokens:
        arrays["keys"] = np.array(picture.keys)
    return arrays


def diagram_table(picture: DiagramPicture) -> Table:
    """Return every number of the layer with its place; of a large one those of the array that is looked at."""
    return places_table(listed(diagram_arrays(picture)))


def grown_table(picture: DiagramPicture) -> Table:
    """Return the box that has grown as it stands, of the head on show: a line a row, with every digit."""
    box = picture.chosen
    names, numbers = row_names(picture, box), box.part(picture.head)
    corner = "feature" if box.rows is Rows.FEATURES else "query" if box.form is Form.KEYS else "token"

    def rows() -> Iterator[tuple[object, ...]]:
        for name, line in zip(names, rows_of(numbers), strict=True):
            yield name, *line

    return Table((corner, *column_names(picture, box)), rows, len(names))
