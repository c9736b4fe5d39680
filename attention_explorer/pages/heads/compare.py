"""Two setups side by side: what tells them apart, their maps over the tokens of both, and the difference of the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import (
    BoolArray,
    ColourScale,
    Contrast,
    FloatArray,
    MapPicture,
    ScaleKind,
    all_absent,
    end_text,
    score_scale,
    weight_scale,
)
from attention_explorer.core.numerals import coordinate, counted, scientific
from attention_explorer.model import Stage
from attention_explorer.model.pooling import TilePool
from attention_explorer.pages.heads.aligned import NONE, AlignedAxis, AlignedMap, aligned_axis, blocks
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.shown_map import hidden_keys, scaled, shown_map, stage_shown
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, MaskChoice
from attention_explorer.pages.heads.wording import isolated, source_words
from attention_explorer.sources.masked_layers import words_of_mask
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

NO_MASK = "no mask"
LONGEST_SENTENCE = 24
"""Letters of a sentence that are quoted."""


def what_differs(a: HeadsSetup, b: HeadsSetup) -> tuple[str, str]:
    """Return titles for two setups that name what differs and nothing else: "A: head 3", "B: head 5, causal"."""
    pairs = [(first, second) for first, second in _aspects(a, b) if first != second]
    if not pairs:
        return "A: the same as B", "B: the same as A"
    first, second = zip(*pairs, strict=True)
    return f"A: {_listed(first)}", f"B: {_listed(second)}"


def _listed(words: tuple[str, ...]) -> str:
    # Without a mask is how a map is unless something is said: it is said only where nothing else is.
    return ", ".join([word for word in words if word and word != NO_MASK] or [words[0]])


def _aspects(a: HeadsSetup, b: HeadsSetup) -> Iterator[tuple[str, str]]:
    """Yield what there is to say about both setups, the most telling first."""
    first, second = source_of(a.recipe), source_of(b.recipe)
    yield first.traits.kind, second.traits.kind
    yield which_map(a, with_layer=_layer(a) != _layer(b)), which_map(b, with_layer=_layer(a) != _layer(b))
    yield _masks(a, b)
    yield ("scaled", "scaled") if a.scaled == b.scaled else (_scaled(a), _scaled(b))
    yield ("hard" if a.hard else "soft"), ("hard" if b.hard else "soft")
    if not (a.hard and b.hard):
        yield f"T = {coordinate(a.temperature, 4)}", f"T = {coordinate(b.temperature, 4)}"
    if a.aggregate is not Aggregate.ONE and b.aggregate is not Aggregate.ONE:
        yield _switched_off(a), _switched_off(b)
    if a.aggregate is b.aggregate is Aggregate.ROLLOUT:
        yield (
            ("with identity" if a.identity else "without identity"),
            ("with identity" if b.identity else "without identity"),
        )
    lack_typing = first.traits.reason_against(Ability.TYPING) and second.traits.reason_against(Ability.TYPING)
    if first.traits.kind == second.traits.kind or not lack_typing:  # else their names tell recordings apart
        yield _quoted(first.sentence, second.sentence)
        yield _contexts(first.context, second.context)
    if type(first) is type(second):
        yield from first.differences(second)


def _layer(setup: HeadsSetup) -> int:
    """Return the layer, which a rollout does not have: it takes all."""
    layers = len(source_of(setup.recipe).heads)
    return -1 if setup.aggregate is Aggregate.ROLLOUT else min(setup.layer, layers - 1)


def which_map(setup: HeadsSetup, *, with_layer: bool = True) -> str:
    """Return which map of its source a setup shows: “layer 4, head 2”, “mean of heads”."""
    source, shown = source_of(setup.recipe), _layer(setup)
    layer = f"{setup.count.layer(shown)}, " if with_layer and len(source.heads) > 1 and shown >= 0 else ""
    if setup.aggregate is not Aggregate.ONE:
        return f"{layer}{setup.aggregate.words}"
    head = min(setup.head, source.heads[shown] - 1)
    return source.head_name(shown, head) or f"{layer}{setup.count.head(head)}"


def _masks(a: HeadsSetup, b: HeadsSetup) -> tuple[str, str]:
    first, second = _mask(a), _mask(b)
    if first == second and (a.mask.hidden, a.mask.shown) != (b.mask.hidden, b.mask.shown):
        # As many cells, but other ones.
        return f"{first} {_own_cell(a.mask, b.mask, a.count)}", f"{second} {_own_cell(b.mask, a.mask, a.count)}"
    return first, second


def _own_cell(mask: MaskChoice, other: MaskChoice, count: Count) -> str:
    row, column = min((mask.hidden - other.hidden) | (mask.shown - other.shown))
    return f"(row {count.number(row)}, key {count.number(column)})"


def _mask(setup: HeadsSetup) -> str:
    """Return the mask that counts: that of the weights themselves, or else that of the setup."""
    source = source_of(setup.recipe)
    return source.mask_words() or words_of_mask(source, setup.mask) or NO_MASK


def _scaled(setup: HeadsSetup) -> str:
    return "scaled" if setup.scaled else "not scaled"


def _switched_off(setup: HeadsSetup) -> str:
    off = sorted(setup.switched_off)
    if not off:
        return "all heads on"
    layers = len(source_of(setup.recipe).heads)
    number = setup.count.number
    named = [f"{number(layer)}.{number(head)}" if layers > 1 else str(number(head)) for layer, head in off]
    return f"without head{'s' * (len(off) > 1)} {' and '.join(named) if len(named) < 3 else ' '.join(named)}"


def _quoted(a: str, b: str) -> tuple[str, str]:
    """Return both sentences in quotation marks, long ones from the first word that differs."""
    start = 0
    if max(len(a), len(b)) > LONGEST_SENTENCE:
        same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        start = a.rfind(" ", 0, same) + 1
    return _shortened(a, start), _shortened(b, start)


def _shortened(sentence: str, start: int) -> str:
    rest = sentence[start:].strip()
    if len(rest) > LONGEST_SENTENCE:
        rest = f"{rest[: LONGEST_SENTENCE - 1].rstrip()}…"
    return f"“{'… ' if start else ''}{rest}”"


def _contexts(a: str | None, b: str | None) -> tuple[str, str]:
    first, second = _quoted(a or "", b or "")
    return "on itself" if a is None else f"on {first}", "on itself" if b is None else f"on {second}"


Axes: TypeAlias = tuple[AlignedAxis, AlignedAxis]
"""Queries and keys of A and B, each put together; the same object where they are the same tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The maps A and B over the tokens of both, and A − B where both have a cell."""

    pictures: tuple[MapPicture, ...]
    """A, B and the difference, in this order; without it where they have no cell in common."""
    titles: tuple[str, str]
    words: str
    """How large the difference is, or why there is none."""
    frames: tuple[HeadsFrame, HeadsFrame]
    view: HeadsView
    """How both are shown: weights, where one of them has no scores."""
    rows: AlignedAxis
    columns: AlignedAxis

    @property
    def a(self) -> MapPicture:
        """The picture of A."""
        return self.pictures[0]

    @property
    def b(self) -> MapPicture:
        """The picture of B."""
        return self.pictures[1]

    @property
    def difference(self) -> MapPicture | None:
        """The picture of A − B; None where they have no cell in common."""
        return self.pictures[2] if len(self.pictures) > 2 else None

    @property
    def is_of_one_setup(self) -> bool:
        """Whether A and B are the same."""
        return self.frames[0].setup == self.frames[1].setup

    @property
    def all_titles(self) -> tuple[str, ...]:
        """One a picture."""
        return (*self.titles, "A − B")[: len(self.pictures)]

    @property
    def is_complete(self) -> bool:
        """Whether A and B have the same tokens."""
        return self.rows.is_complete and self.columns.is_complete

    @property
    def spoken(self) -> str:
        """All that is written below the maps."""
        return f"{alone_words(self.rows, self.columns)} {self.words}".strip()


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A − B over the tokens of both, reduced to tiles."""

    values: FloatArray  # (h, w): of each tile the difference furthest from 0
    masked: BoolArray  # (h, w)
    largest: float  # |difference|, over the cells themselves; 0 if there is none
    mean: float
    cells: int  # that have a difference


def compare_pictures(
    a: HeadsFrame, b: HeadsFrame, view: HeadsView, tiles: tuple[int, int] = (1024, 1024)
) -> Comparison:
    """Return what to paint for two frames under one view: its stage, contrast and hidden keys.

    Parameters
    ----------
    a, b
        The frames of the two setups.
    view
        How to show them. Where one of the two has no scores, both show weights.
    tiles
        The most rows and columns of each map.
    """
    if not (a.map.has_scores and b.map.has_scores):
        view = replace(view, stage=Stage.WEIGHTS)
    axes, titles = axes_of(a, b), what_differs(a.setup, b.setup)
    maps = aligned_map(a, view, axes, 0), aligned_map(b, view, axes, 1)
    hidden = _hidden(a, view, maps[0]), _hidden(b, view, maps[1])
    first, second = (
        _picture(frame, view, map_, hides, tiles) for frame, map_, hides in zip((a, b), maps, hidden, strict=True)
    )
    scale, (queries, keys) = _shared_scale(view, first, second), (axis.labels for axis in axes)
    first, second = (
        replace(picture, scale=scale, row_tokens=queries, column_tokens=keys) for picture in (first, second)
    )
    if reason := nothing_in_common(*axes):
        return Comparison((first, second), titles, reason, (a, b), view, *axes)
    found = difference(*maps, view.stage, hidden[0] & hidden[1], tiles)
    third = replace(
        first,
        values=found.values,
        masked=found.masked,
        scale=score_scale(np.where(found.masked, 0.0, found.values), "A − B"),
        masked_word="masked in both",
        absent=_absent(found.values.shape, ~axes[0].both, ~axes[1].both),
    )
    words = _difference_words(a, b, view, found, of_all=all(axis.is_complete for axis in axes))
    return Comparison((first, second, third), titles, words, (a, b), view, *axes)


def axes_of(a: HeadsFrame, b: HeadsFrame) -> Axes:
    """Return the queries and the keys of two frames, each put together."""
    rows = aligned_axis(a.queries, b.queries)
    return rows, rows if (a.keys, b.keys) == (a.queries, b.queries) else aligned_axis(a.keys, b.keys)


def aligned_map(frame: HeadsFrame, view: HeadsView, axes: Axes, side: int) -> AlignedMap:
    """Return the map that a view shows of A (side 0) or B (1), over the tokens of both."""
    return AlignedMap(shown_map(frame, view), *((axis.in_a, axis.in_b)[side] for axis in axes))


# ---- The maps ----


def _picture(
    frame: HeadsFrame, view: HeadsView, map_: AlignedMap, hidden: BoolArray, tiles: tuple[int, int]
) -> MapPicture:
    """Return the picture of A or B, in colours and with labels of its own."""
    pooled = map_.pooled(view.stage, *tiles)
    masked, word, scale = scaled(frame, view, pooled, hidden)
    absent = _absent(pooled.values.shape, map_.rows == NONE, map_.columns == NONE)
    return MapPicture(pooled.values, masked, scale, view.colour_map, (), (), masked_word=word, absent=absent)


def _absent(shape: tuple[int, ...], rows: BoolArray, columns: BoolArray) -> tuple[BoolArray, BoolArray] | None:
    """Return which of so many tiles have no token of a map, by the tokens (m_q,) and (m_k,) that it does not have."""
    if not (rows.any() or columns.any()):
        return None
    return all_absent(rows, shape[0]), all_absent(columns, shape[1])


def difference(a: AlignedMap, b: AlignedMap, stage: Stage, hidden: BoolArray, tiles: tuple[int, int]) -> Difference:
    """Subtract two maps where both have a cell, block by block.

    A weight that is masked in one of them counts as 0 there; a masked score is −∞, from which nothing can be
    subtracted. What is masked in both, or belongs to a ``hidden`` column (m_k,), stays masked.
    """
    pool = TilePool(a.shape, *tiles, np.dtype(np.float64), by_magnitude=True)
    largest = total = 0.0
    cells = 0
    for block in blocks(a.shape):
        values, seen = _block_difference(a, b, stage, block)
        if stage is Stage.WEIGHTS:
            seen &= ~hidden
        size = np.abs(values[seen])
        largest, total = max(largest, float(size.max(initial=0.0))), total + float(size.sum())
        cells += size.size
        pool.add(block.start, np.where(seen, values, -np.inf), seen)
    pooled = pool.pooled(0.0)
    return Difference(pooled.values, pooled.masked, largest, total / cells if cells else 0.0, cells)


def _block_difference(a: AlignedMap, b: AlignedMap, stage: Stage, rows: slice) -> tuple[FloatArray, BoolArray]:
    """Return A − B of some rows (h, m_k), 0 where there is none, and where there is one."""
    left, right = (map_.stage(stage, rows).astype(np.float64) for map_ in (a, b))
    both = a.has(rows) & b.has(rows)
    if stage is Stage.WEIGHTS:
        seen = both & (a.allowed(rows) | b.allowed(rows))
        return np.where(both, left - right, 0.0), seen
    seen = both & np.isfinite(left) & np.isfinite(right)
    return np.subtract(left, right, out=np.zeros_like(left), where=seen), seen


def _hidden(frame: HeadsFrame, view: HeadsView, map_: AlignedMap) -> BoolArray:
    """Return which columns (m_k,) are keys of a map that are taken out of the picture."""
    hidden = np.zeros(len(map_.columns), np.bool_)
    own = map_.columns != NONE
    hidden[own] = hidden_keys(frame, view.hidden)[map_.columns[own]]
    return hidden


def _shared_scale(view: HeadsView, a: MapPicture, b: MapPicture) -> ColourScale:
    """Return one scale for both maps: up to the larger end."""
    if a.scale.is_diverging:
        return max(a.scale, b.scale, key=lambda scale: scale.high)
    if view.contrast is Contrast.ROW:  # rows scaled each to its own largest weight cannot be compared
        a, b = (replace(p, scale=weight_scale(Contrast.MAX, p.values, p.masked)) for p in (a, b))
    scale = max(a.scale, b.scale, key=lambda scale: scale.high)
    if scale.kind is not ScaleKind.LINEAR or not scale.badge:
        return scale
    return replace(scale, badge=f"colours end at {end_text(scale.high)}, the larger end of A and B")


def _difference_words(a: HeadsFrame, b: HeadsFrame, view: HeadsView, found: Difference, *, of_all: bool) -> str:
    same = "A and B are the same setup. " if a.setup == b.setup else ""
    if not found.cells:
        return f"{same}No cell is visible in both."
    what = "weight" if stage_shown(a, view) is Stage.WEIGHTS else "score"
    cells = counted(found.cells, "cell") if of_all else f"{counted(found.cells, 'cell')} that both have"
    return (
        f"{same}Largest absolute difference of a {what}: {scientific(found.largest)}; mean: "
        f"{scientific(found.mean)}, over {cells}."
    )


# ---- In words ----


def compared_sources(comparison: Comparison) -> tuple[str, ...]:
    """Return where the numbers of A and B come from, and under which masks: once, if that is the same."""
    sources = [source_words(frame) for frame in comparison.frames]
    masks = ["" if frame.mask is None else frame.mask_words for frame in comparison.frames]
    said = _of_each(sources, "", "{}: ") + _of_each(masks, "mask: ", "mask of {}: ")
    return tuple(said)


def _of_each(words: list[str], of_both: str, of_one: str) -> list[str]:
    """Return what is said of A and B: once, or under the name of each; nothing of what is empty."""
    if words[0] == words[1]:
        return [of_both + words[0]] if words[0] else []
    return [of_one.format(side) + each for side, each in zip("AB", words, strict=True) if each]


MOST_NAMED = 4
"""Tokens that only one has, up to which they are named."""


def nothing_in_common(rows: AlignedAxis, columns: AlignedAxis) -> str:
    """Return why nothing can be subtracted, where two maps have no token in common; empty if they have."""
    if rows.both.any() and columns.both.any():
        return ""
    what = "token" if rows is columns else "key" if rows.both.any() else "query"
    return f"A and B have no {what} in common, so no cell of one belongs to a cell of the other."


def alone_words(rows: AlignedAxis, columns: AlignedAxis) -> str:
    """Return as a sentence which tokens only A or only B has, or differ at one place; empty where they are the same."""
    one_axis = rows is columns
    axes = (("tokens", rows),) if one_axis else (("queries", rows), ("keys", columns))
    sides = list[str]()
    for of_b, side in ((False, "A"), (True, "B")):
        alone = [(axis.alone(of_b=of_b), what) for what, axis in axes]
        named = [_named(tokens, what, one_axis=one_axis) for tokens, what in alone if tokens]
        if named:
            sides.append(f"{'; only' if sides else 'Only'} in {side}: {', '.join(named)}")
    said = [f"{''.join(sides)}."] if sides else []
    return " ".join((*said, *filter(None, (_replaced(axis, what, one_axis) for what, axis in axes))))


def _replaced(axis: AlignedAxis, what: str, one_axis: bool) -> str:
    """Say which words of B stand at the places of which of A."""
    pairs = axis.replaced
    if not pairs:
        return ""
    if len(pairs) > MOST_NAMED:
        return f"Compared by place: {len(pairs)} {what} differ."
    named = ", ".join(f"“{isolated(first)}” with “{isolated(second)}”" for first, second in pairs)
    return f"Compared by place: {'' if one_axis else f'{what} '}{named}."


def _named(tokens: tuple[str, ...], what: str, *, one_axis: bool) -> str:
    """Return some tokens by name, or how many they are."""
    if len(tokens) > MOST_NAMED:
        return f"{len(tokens)} {what}"
    named = " ".join(f"“{isolated(token)}”" for token in tokens)
    return named if one_axis else f"{what} {named}"
