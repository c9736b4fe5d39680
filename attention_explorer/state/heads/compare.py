"""Two setups side by side: their maps in the same colours, and the difference of the two, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.model import Stage
from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.model.pooling import TilePool
from attention_explorer.numerals import counted, scientific
from attention_explorer.state.colour_scale import (
    BoolArray,
    ColourScale,
    Contrast,
    FloatArray,
    ScaleKind,
    end_text,
    score_scale,
    weight_scale,
)
from attention_explorer.state.heads.differences import what_differs
from attention_explorer.state.heads.frame import HeadsFrame
from attention_explorer.state.heads.shown_map import hidden_keys, map_picture, shown_map, stage_shown
from attention_explorer.state.heads.state import HeadsView
from attention_explorer.state.map_picture import MapPicture


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The maps A and B, and A − B if they have the same size."""

    a: MapPicture
    b: MapPicture
    difference: MapPicture | None
    titles: tuple[str, str]
    words: str
    """How large the difference is, or why there is none."""
    frames: tuple[HeadsFrame, HeadsFrame]
    view: HeadsView
    """How both are shown: weights, where one of them has no scores."""

    @property
    def pictures(self) -> tuple[MapPicture, ...]:
        """The maps in the order in which they are drawn: A, B and the difference."""
        return (self.a, self.b) if self.difference is None else (self.a, self.b, self.difference)

    @property
    def is_of_one_setup(self) -> bool:
        """Whether A and B are the same."""
        return self.frames[0].setup == self.frames[1].setup

    @property
    def all_titles(self) -> tuple[str, ...]:
        """One a picture."""
        return self.titles if self.difference is None else (*self.titles, "A − B")


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A − B of two maps of the same size, reduced to tiles."""

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
    first, second = (map_picture(frame, view, tiles=tiles) for frame in (a, b))
    scale = _shared_scale(view, first, second)
    first, second = replace(first, scale=scale), replace(second, scale=scale)
    titles = what_differs(a.setup, b.setup)
    if a.shape != b.shape:
        return Comparison(first, second, None, titles, _no_difference(a.shape, b.shape), (a, b), view)
    found = difference(a, b, view, tiles)
    picture = replace(
        first,
        values=found.values,
        masked=found.masked,
        scale=score_scale(np.where(found.masked, 0.0, found.values), "A − B"),
        row_sums=(),
        masked_word="masked in both",
    )
    return Comparison(first, second, picture, titles, _difference_words(a, b, view, found), (a, b), view)


def difference(a: HeadsFrame, b: HeadsFrame, view: HeadsView, tiles: tuple[int, int]) -> Difference:
    """Subtract the maps of two frames of the same size, at the stage of the view, block by block.

    A weight that is masked in one of them counts as 0 there; a masked score is −∞, from which nothing can be
    subtracted. What is masked in both, or hidden, stays masked.
    """
    n_q, n_k = a.shape
    pool = TilePool(a.shape, *tiles, np.dtype(np.float64), by_magnitude=True)
    hidden = hidden_keys(a, view.hidden) & hidden_keys(b, view.hidden)
    largest = total = 0.0
    cells, each = 0, rows_of_a_block(n_k)
    for start in range(0, n_q, each):
        rows = slice(start, min(start + each, n_q))
        values, seen = _block_difference(a, b, view, rows)
        if view.stage is Stage.WEIGHTS:
            seen &= ~hidden
        size = np.abs(values[seen])
        largest, total = max(largest, float(size.max(initial=0.0))), total + float(size.sum())
        cells += size.size
        pool.add(start, np.where(seen, values, -np.inf), seen)
    pooled = pool.pooled(0.0)
    return Difference(pooled.values, pooled.masked, largest, total / cells if cells else 0.0, cells)


def _block_difference(a: HeadsFrame, b: HeadsFrame, view: HeadsView, rows: slice) -> tuple[FloatArray, BoolArray]:
    """Return A − B of some rows (h, n_k), 0 where there is none, and where there is one."""
    first, second = (shown_map(frame, view) for frame in (a, b))
    left, right = (map_.stage(view.stage, rows).astype(np.float64) for map_ in (first, second))
    if view.stage is Stage.WEIGHTS:
        return left - right, first.allowed(rows) | second.allowed(rows)
    seen = np.isfinite(left) & np.isfinite(right)
    return np.subtract(left, right, out=np.zeros_like(left), where=seen), seen


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


def _no_difference(a: tuple[int, int], b: tuple[int, int]) -> str:
    return f"A has {a[0]} × {a[1]} cells, B has {b[0]} × {b[1]}: only maps of the same size can be subtracted."


def _difference_words(a: HeadsFrame, b: HeadsFrame, view: HeadsView, found: Difference) -> str:
    same = "A and B are the same setup. " if a.setup == b.setup else ""
    if not found.cells:
        return f"{same}No cell is visible in both."
    what = "weight" if stage_shown(a, view) is Stage.WEIGHTS else "score"
    return (
        f"{same}Largest absolute difference of a {what}: {scientific(found.largest)}; mean: "
        f"{scientific(found.mean)}, over {counted(found.cells, 'cell')}."
    )
