"""Pictures of all heads: where they look, and what breaks without them; and what every picture of the page shares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import ColourScale, FloatArray, MapPicture, ScaleKind, score_scale
from attention_explorer.core.numerals import plain
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.columns import Beside
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.items.small_map import SmallMap
from attention_explorer.kit.picture import Arrays, Change, Hit, Item, Laid, Panel, Picture, Value
from attention_explorer.kit.theme import Look
from attention_explorer.pages.circuits import said, seen
from attention_explorer.pages.circuits.seen import BreaksSeen, LooksSeen
from attention_explorer.pages.circuits.state import LOOK_NAMES, Breaks, CircuitsState

LOOKS, OFF, HEAD_MAP, LOSSES = "Where heads look", "What breaks without a head", "Map of the head", "With heads off"
FEW = 16
"""Heads of a layer that have their whole names above them."""


class AskedPicture(Picture[CircuitsState, Any]):
    """An answer. A click asks of another head or token, once: it does not follow the pointer."""

    follows = False
    is_quick = staticmethod(seen.is_known)

    def made_of(self, state: CircuitsState) -> tuple[str, ...]:
        return said.origin(state), *said.asked_for(state)

    def shape(self, _numbers: Any) -> tuple[int, ...]:  # noqa: ANN401 # what the picture shows
        """Return how many places there are, as the parts of hits count them."""
        raise NotImplementedError

    def has(self, numbers: Any, hit: Hit) -> bool:  # noqa: ANN401 # what the picture shows
        return all(at < count for at, count in zip(hit.part, self.shape(numbers), strict=True))


def names_of(count: Count, shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what layers and heads are called beside a grid of them."""
    layers, heads = (range(size) for size in shape)
    if max(shape) > FEW:
        return count.all_of(shape[0]), count.all_of(shape[1])
    return tuple(map(count.layer, layers)), tuple(map(count.head, heads))


def grid(
    name: str,
    values: FloatArray,
    scale: ColourScale,
    state: CircuitsState,
    chosen: tuple[int, int],
    title: str,
    detail: str = "",
) -> RowsMap:
    """Return a grid of all heads, (layers, heads); NaN has no number yet."""
    rows, columns = names_of(state.count, values.shape)
    missing = np.isnan(values)
    if max(values.shape) > FEW:  # numbers alone stand beside them
        detail = f"{detail}; a row is a layer" if detail else "a row is a layer"
    picture = MapPicture(
        np.where(missing, 0.0, values), missing, scale, "viridis", rows, columns, masked_word="not measured yet"
    )
    return RowsMap(name, picture, names_columns=True, chosen=chosen, title=title, detail=detail)


def head_map(numbers: LooksSeen, side: float) -> SmallMap:
    """Return the map of the head on show, on the first of the random texts."""
    layer, head = numbers.head
    weights, tokens = numbers.looked.maps[layer][head], numbers.looked.tokens
    is_causal = not bool(np.triu(weights, 1).any())
    masked = np.triu(np.ones(weights.shape, np.bool_), 1) if is_causal else np.zeros(weights.shape, np.bool_)
    scale = ColourScale(ScaleKind.LINEAR, 0.0, max(float(weights.max()), 1e-9), "weight")
    picture = MapPicture(weights, masked, scale, "viridis", tokens, tokens)
    title = f"Head {said.name(numbers.state.count, numbers.head)} on a text said twice"
    return SmallMap(HEAD_MAP, picture, title, "each row looks at columns; click opens Heads", side=side)


def with_head(state: CircuitsState, head: tuple[int, int], count: Count) -> Change[CircuitsState]:
    """Return the state with another head on show."""
    return Change(replace(state, layer=head[0], head=head[1]), f"Show head {said.name(count, head)}", "head")


class _Heads(AskedPicture):
    """What pictures of all heads share."""

    def shape(self, numbers: LooksSeen) -> tuple[int, ...]:
        return numbers.scores.shape

    def changed(self, state: CircuitsState, _numbers: object, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        return with_head(state, hit.part, state.count) if hit.item in (LOOKS, OFF) else None


class WhoLooks(_Heads):
    """Who looks like what."""

    compute = staticmethod(seen.looks_seen)
    headline = staticmethod(said.looks_headline)
    axes = "layer, head"
    truths = ("A pattern is not a function: of two heads that look alike one may matter and the other not.",)

    def item(self, numbers: LooksSeen) -> Item[Any]:
        title = f"Looks {LOOK_NAMES[numbers.state.look.value]}"
        scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "share of attention")
        return grid(LOOKS, numbers.scores, scale, numbers.state, numbers.head, title=title, detail="measured")

    def panel(self, numbers: LooksSeen) -> Panel:
        return Panel("", (head_map(numbers, 280),), said.looks_sentence(numbers))

    def says(self, numbers: LooksSeen) -> tuple[str, ...]:
        return f"Four random texts, each said twice. {said.MEASURED}", said.how_counted(numbers.state.count)

    def words(self, numbers: LooksSeen, hit: Hit) -> str:
        return said.head_words(numbers, hit.part) if hit.item == LOOKS else said.head_words(numbers, numbers.head)

    def arrays(self, numbers: LooksSeen) -> Arrays:
        every = {
            name.rstrip("_"): np.asarray(array, np.float32) for name, array in numbers.looked.detected.arrays().items()
        }
        first = numbers.state.look.value.rstrip("_")
        return {first: every.pop(first), **every}


class WhatBreaks(_Heads):
    """What breaks without a head, beside where it looks."""

    compute = staticmethod(seen.breaks_seen)
    stream = staticmethod(seen.breaks_stream)
    headline = staticmethod(said.breaks_headline)
    axes = "layer, head"

    def item(self, numbers: BreaksSeen) -> Item[Any]:
        state, head = numbers.state, numbers.head
        scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "share of attention")
        looks = grid(LOOKS, numbers.scores, scale, state, head, title=f"Looks {LOOK_NAMES[state.look.value]}")
        effect = np.where(np.isnan(numbers.effect), 0.0, numbers.effect)
        title = "When off" if numbers.is_complete else f"When off, {said.counted_of(numbers)}"
        broken = grid(OFF, numbers.effect, score_scale(effect, "change"), state, head, title=title, detail="measured")
        return Beside((looks, broken), narrow=420.0)

    def panel(self, numbers: BreaksSeen) -> Panel:
        items: tuple[Item[Any], ...] = (head_map(numbers, 220),)
        if numbers.state.breaks is Breaks.COPY:
            items = (*items, _losses(numbers))
        return Panel("", items, said.breaks_sentence(numbers))

    def says(self, numbers: BreaksSeen) -> tuple[str, ...]:
        return said.MEASURED, said.how_counted(numbers.state.count)

    def words(self, numbers: BreaksSeen, hit: Hit) -> str:
        if hit.item == LOOKS:
            return said.head_words(numbers, hit.part)
        return said.off_words(numbers, hit.part if hit.item == OFF else numbers.head)

    def arrays(self, numbers: BreaksSeen) -> Arrays:
        return {"effect": numbers.effect, numbers.state.look.value.rstrip("_"): np.asarray(numbers.scores, np.float32)}

    def told(self, numbers: BreaksSeen) -> dict[str, object]:
        return {"measured": said.what(numbers), "all_on": numbers.before}

    def mark(self, painter: QPainter, numbers: BreaksSeen, laid: Laid | QRectF, look: Look, hit: Hit) -> None:
        """Light up the same head in both grids."""
        for name in (LOOKS, OFF) if hit.item in (LOOKS, OFF) else (hit.item,):
            super().mark(painter, numbers, laid, look, replace(hit, item=name))


def _losses(numbers: BreaksSeen) -> NamedBars:
    """Return the loss on the copy with all heads on, with the one on show off, and the first time."""
    off = numbers.before + float(numbers.effect[numbers.head])
    named = (
        ("all on", numbers.before),
        (f"{said.name(numbers.state.count, numbers.head)} off", off),
        ("first time", numbers.first),
    )
    return losses(named)


def losses(named: tuple[tuple[str, float], ...]) -> NamedBars:
    """Return losses as bars, those that are known."""
    known = [(name, loss) for name, loss in named if not np.isnan(loss)]
    top = max([loss for _, loss in known] or [1.0]) or 1.0
    bars = tuple(Bar("", max(loss, 0.0) / top, plain(loss), "", name) for name, loss in known)
    return NamedBars(LOSSES, ("loss", "nats a token"), bars, "loss")
