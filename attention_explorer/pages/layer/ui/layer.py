"""The layer: every array on the way of the tokens through it, one of them grown, and the parts that can be cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt

from attention_explorer.core.mask import mask_of
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.item import Hit, Item, Value
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.pages.layer import diagram, wording
from attention_explorer.pages.layer.boxes import Box
from attention_explorer.pages.layer.diagram import DiagramPicture
from attention_explorer.pages.layer.diagram_words import (
    box_words,
    has_row_of,
    layer_sentences,
    norm_words,
    number_words,
    panel_sentence,
    row_words,
    short,
    token_name,
    token_path,
)
from attention_explorer.pages.layer.ui.diagram import Diagram, Spot
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.stack import without_view
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import layer_parts, model_parts
from attention_explorer.sources.source import LayerPart

DIAGRAM, TABLE = "The layer, array by array", "How long each token is before and after the layer"
LENGTHS, WAY = "Length of each token", "Length from box to box"
MOST_BARS = 16
"""Of more tokens the table in the drawer says how long they are."""
_CUT = {
    LayerPart.RESIDUAL: ("Put the residual back", "Cut the residual"),
    LayerPart.NETWORK: ("Put the network back", "Cut the network"),
}
_WALK = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)


class Layer(Picture[BlockState, DiagramPicture]):
    """The diagram: a click grows a box, follows a token, shows a head or cuts a part."""

    narrowest = 460.0
    follows = False
    axes = "batch, token, feature; with heads: batch, head, query, key or feature; −∞ is masked"
    compute = staticmethod(diagram.diagram_picture)
    is_quick = staticmethod(diagram.is_quick)
    checkpoints = staticmethod(steps_to_learn)
    says = staticmethod(layer_sentences)
    arrays = staticmethod(diagram.diagram_arrays)
    lines = staticmethod(diagram.diagram_table)

    def made_of(self, state: BlockState) -> tuple[str, ...]:
        shown = () if state.layer_count == 1 else (state.count.layer(state.layer_shown), state.count.words)
        if state.model_shown is None:
            return *layer_parts(state), *shown
        return *model_parts(state, state.model_shown), *shown

    def is_step(self, shown: BlockState, wanted: BlockState) -> bool:
        """Whether only what is looked at differs: another box, head or token of arrays that are there."""
        return shown.layer_shown == wanted.layer_shown and without_view(shown) == without_view(wanted)

    @staticmethod
    def goes_on(shown: DiagramPicture, wanted: DiagramPicture) -> bool:
        """Whether another box grows of the same arrays."""
        return shown.boxes is wanted.boxes and shown.head == wanted.head and shown.chosen is not wanted.chosen

    def height(self, _numbers: DiagramPicture, width: float) -> float:
        return 0.8 * width

    def headline(self, numbers: DiagramPicture) -> str:
        return wording.layer_title(numbers.state, numbers.layers)

    def item(self, numbers: DiagramPicture) -> Diagram:
        return Diagram(DIAGRAM, numbers)

    def panel(self, numbers: DiagramPicture) -> Panel:
        token, box, sentence = numbers.token, numbers.chosen, panel_sentence(numbers)
        if token is None:
            return Panel(box.what, _bars(LENGTHS, ("going in", "length coming out"), _lengths(numbers)), sentence)
        way = [(title, "", norm) for title, norm in token_path(numbers)]
        return Panel(f"Follow {token_name(numbers, token)}", _bars(WAY, ("", "its length"), way), sentence)

    def words(self, numbers: DiagramPicture, hit: Hit) -> str:
        spot = hit.part
        if hit.item != DIAGRAM:
            return _words_beside(numbers, hit)
        box = _box_named(numbers, spot.box)
        if spot.head is not None:
            return f"Weights of {numbers.head_name(spot.head)}. Click to look at it"
        if spot.cut is not None:
            return f"Click: {_CUT[spot.cut][numbers.state.has_part(spot.cut)].lower()}"
        if box is None:
            return "" if spot.row is None else f"{norm_words(numbers, spot.row)}. Click to follow it through all boxes"
        if spot.row is None or spot.row >= box.first.shape[-2]:
            return box_words(numbers, box)
        if spot.column is None or spot.column >= box.first.shape[-1]:
            return f"{row_words(numbers, box, spot.row)}. {box_words(numbers, box)}. Click to see it large"
        return number_words(numbers, box, numbers.head, spot.row, spot.column)

    def table(self, numbers: DiagramPicture) -> Item[Any]:
        count = numbers.state.count
        columns = Column("token", is_bold=True), *(Column(title, is_right=True) for title in ("before", "after"))
        rows = tuple(
            (count.token(token, place), f"{numbers.before[place]:.2f}", f"{numbers.after[place]:.2f}")
            for place, token in enumerate(numbers.tokens)
        )
        return Table(TABLE, columns, rows, fills=False)

    # ---- Acting ----

    def changed(self, state: BlockState, numbers: DiagramPicture, hit: Hit, _to: Value) -> Change[BlockState] | None:
        spot: Spot = hit.part
        if spot.cut is not None:
            is_there = state.has_part(spot.cut)
            return Change(state.with_part(spot.cut, not is_there), _CUT[spot.cut][is_there])
        if spot.head is not None:
            return _looked(state, replace(state, head=spot.head), f"Look at {numbers.head_name(spot.head)}")
        box = _box_named(numbers, spot.box)
        if box is not None and box is not numbers.chosen:
            return _looked(state, replace(state, box=box.name), f"Look at {box.what}")
        if spot.row is None or (box is not None and not has_row_of(numbers, box)):
            return None
        if numbers.chosen.name == "masked" and spot.column is not None:
            return _painted(state, numbers, (spot.row, spot.column))
        return _followed(state, numbers, None if spot.row == numbers.token else spot.row)

    def press(self, state: BlockState, numbers: DiagramPicture, key: int) -> Change[BlockState] | None:
        """Walk: left and right from box to box, up and down from token to token, page up and down from head to head."""
        place, last = numbers.boxes.index(numbers.chosen), len(numbers.boxes) - 1
        if key in _WALK:
            box = numbers.boxes[(max(place - 1, 0), min(place + 1, last), 0, last)[_WALK.index(Qt.Key(key))]]
            return _looked(state, replace(state, box=box.name), f"Look at {box.what}")
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            move, end = (1, 0) if key == Qt.Key.Key_Down else (-1, len(numbers.tokens) - 1)
            token = end if numbers.token is None else min(max(numbers.token + move, 0), len(numbers.tokens) - 1)
            return _followed(state, numbers, token)
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            head = min(max(numbers.head + (1 if key == Qt.Key.Key_PageDown else -1), 0), numbers.heads - 1)
            return _looked(state, replace(state, head=head), f"Look at {numbers.head_name(head)}")
        if key == Qt.Key.Key_Escape and numbers.token is not None:
            return _followed(state, numbers, None)
        return None


def _lengths(numbers: DiagramPicture) -> list[tuple[str, str, float]]:
    before, after = numbers.before.tolist(), numbers.after.tolist()
    return [(token, f"{x:.2f}", y) for token, x, y in zip(numbers.tokens, before, after, strict=True)]


def _bars(name: str, titles: tuple[str, str], rows: list[tuple[str, str, float]]) -> tuple[Item[Any], ...]:
    """Return bars of (what, number before it, how long it is); none of too many."""
    if len(rows) > MOST_BARS:
        return ()
    most = max((length for *_, length in rows), default=0.0) or 1.0
    found = tuple(Bar("", length / most, number, f"{length:.2f}", what) for what, number, length in rows)
    return (NamedBars(name, titles, found, ink="output"),)


def _words_beside(numbers: DiagramPicture, hit: Hit) -> str:
    """Return what is said of a row beside the diagram, or in the drawer."""
    row = hit.part if isinstance(hit.part, int) else hit.part[0]
    if hit.item == WAY:
        title, norm = token_path(numbers)[row]
        return f"{token_name(numbers, numbers.token or 0)}, {title}: norm {short(norm)}"
    return norm_words(numbers, row)


def _box_named(numbers: DiagramPicture, name: str) -> Box | None:
    return next((box for box in numbers.boxes if box.name == name), None)


def _looked(state: BlockState, new: BlockState, label: str) -> Change[BlockState] | None:
    return None if new == state else Change(new, label, "look")


def _painted(state: BlockState, numbers: DiagramPicture, cell: tuple[int, int]) -> Change[BlockState] | None:
    """Hide a cell of the mask, or show it; what the layer's own mask hides stays hidden."""
    is_seen, chosen = (
        mask is None or bool(mask[cell])
        for mask in (numbers.mask, mask_of(state.mask, len(numbers.tokens), len(numbers.keys)))
    )
    if chosen and not is_seen:
        return None
    mask = state.mask.with_painted(frozenset({cell}), hide=is_seen)
    return Change(replace(state, mask=mask), f"{'Hide' if is_seen else 'Show'} a cell of the mask")


def _followed(state: BlockState, numbers: DiagramPicture, token: int | None) -> Change[BlockState] | None:
    if token == state.token:
        return None
    label = "Follow no token" if token is None else f"Follow “{numbers.tokens[token]}”"
    return Change(replace(state, token=token), label, "look")
