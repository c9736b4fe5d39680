"""The links of the line view: which keys are the strongest of each query, and what is left out of the picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import BoolArray, FloatArray, Window
from attention_explorer.core.numerals import grouped, percent
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model import AttentionMap, Stage
from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.shown_map import shown_as, shown_map
from attention_explorer.pages.heads.state import HeadsView

IntArray = np.typing.NDArray[np.intp]

MOST_LINKS = 4000
"""More lines than this are a grey area, and a slow one."""

ROUNDING = 1e-6
"""A share this much short of the one asked for is that share: sums of float32 weights are no better."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Who attends to whom, the weakest first, so that the strongest are painted last."""

    row: IntArray  # (m,), counted from the first query of the map
    column: IntArray  # (m,)
    weight: FloatArray  # (m,)
    left_out: int = 0
    """Links that belong to the share asked for, but are weaker than the ``most`` that are kept."""
    out_of_view: int = 0
    """Links of that share to keys outside of the columns in view."""
    empty_rows: tuple[int, ...] = ()
    """Queries with nothing to attend to."""
    hidden_rows: tuple[int, ...] = ()
    """Queries all of whose weight is on keys that are hidden."""

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, slots=True, eq=False)
class LinePicture:
    """The line view of a map: links between the tokens in view."""

    links: Links
    mass: float
    row_tokens: tuple[str, ...]
    column_tokens: tuple[str, ...]
    first_row: int = 0
    first_column: int = 0
    is_renormalised: bool = False
    """Whether keys are hidden, and the links are shares of the weight that is left."""


def line_picture(
    frame: HeadsFrame, view: HeadsView, window: Window | None = None, most: int = MOST_LINKS
) -> LinePicture:
    """Return the line view of a frame: of its weights, without the hidden keys, up to the mass of the view."""
    seen = Window.whole(frame.shape) if window is None else window.held_within(frame.shape)
    rows, columns = range(seen.top, seen.bottom), range(seen.left, seen.right)
    view = replace(view, stage=Stage.WEIGHTS)
    links = line_links(shown_map(frame, view), rows, columns, view.mass, most)
    has_hidden = bool(shown_as(frame, view))
    if has_hidden:
        links = _hidden_rows_apart(links, frame.map)
    queries, keys = frame.queries[seen.rows], frame.keys[seen.columns]
    return LinePicture(links, view.mass, queries, keys, seen.top, seen.left, has_hidden)


def _hidden_rows_apart(links: Links, map_: AttentionMap) -> Links:
    """Return the links with those rows apart that are empty, though they have weight in the whole map."""
    rows = np.array(links.empty_rows, np.intp)
    has_weight = map_.row_summary(rows).total > 0
    return replace(links, empty_rows=tuple(rows[~has_weight].tolist()), hidden_rows=tuple(rows[has_weight].tolist()))


def line_links(map_: AttentionMap, rows: range, columns: range, mass: float, most: int = MOST_LINKS) -> Links:
    """Find the strongest keys of each query.

    Parameters
    ----------
    map_
        The map, n_q × n_k.
    rows, columns
        The queries and keys in view, with step 1. The share is counted over all keys.
    mass
        Of each row the strongest keys are taken while those before them hold less than this share of its weight, so
        at least one; of equal keys the first. A weight of 0 is no link.
    most
        Of all links in view so many are kept: the strongest of each query first, then the strongest of all.

    Raises
    ------
    ExplorerError
        The mass is no share above 0.
    ArrayError
        Rows or columns reach outside of the map.
    """
    if not 0.0 < mass <= 1.0:
        raise ExplorerError(f"The share of the weight must be above 0 and at most 1, not {mass:g}.")
    _require_within("rows", rows, map_.n_q)
    _require_within("columns", columns, map_.n_k)
    parts, empty = list[tuple[IntArray, IntArray, FloatArray]](), list[int]()
    counted = seen = 0
    for start, weights in _row_blocks(map_, rows):
        strong = _strongest(weights, mass)
        empty += (start + np.flatnonzero(~strong.any(axis=1))).tolist()
        counted += int(np.count_nonzero(strong))
        row, column = np.nonzero(strong[:, columns.start : columns.stop])
        seen += len(row)
        column = column + columns.start
        # Reduced already here: the links of a long map with even rows would not fit into memory.
        parts.append(_most_of(row + start, column, weights[row, column], most))
    nothing = np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, map_.dtype)
    row, column, weight = (np.concatenate(part) for part in zip(nothing, *parts, strict=True))
    row, column, weight = _most_of(row, column, weight, most)
    return Links(row, column, weight, seen - len(weight), counted - seen, tuple(empty))


def _require_within(name: str, chosen: range, length: int) -> None:
    if chosen.step != 1 or not 0 <= chosen.start <= chosen.stop <= length:
        raise ArrayError(f"{name} is {chosen}: give a range of step 1 between 0 and {length}, what the map has")


def _row_blocks(map_: AttentionMap, rows: range) -> Iterator[tuple[int, FloatArray]]:
    """Yield the weights of some rows at a time, each with the first of them: a long map does not fit into memory."""
    each = rows_of_a_block(map_.n_k)
    for start in range(rows.start, rows.stop, each):
        yield start, map_.weights(slice(start, min(start + each, rows.stop)))


def _strongest(weights: FloatArray, mass: float) -> BoolArray:
    """Return which weights (h, n_k) are the strongest of their row up to a share of its sum."""
    if weights.shape[1] == 0:
        return np.zeros(weights.shape, np.bool_)
    falling = -np.sort(-weights, axis=1)
    total = falling.sum(axis=1, keepdims=True)
    before = np.cumsum(falling, axis=1) - falling
    # Nearly: a share of 0.9 made of 0.3 + 0.6 must not take a third key because of the last binary digit.
    enough = np.inf if mass == 1.0 else mass * (1.0 - ROUNDING) * total
    count = np.count_nonzero((before < enough) & (falling > 0), axis=1)
    rows = np.arange(len(weights))
    weakest = np.where(count > 0, falling[rows, np.maximum(count, 1) - 1], np.inf)[:, None]
    above, equal = weights > weakest, weights == weakest
    missing = (count - np.count_nonzero(above, axis=1))[:, None]
    return np.asarray(above | (equal & (np.cumsum(equal, axis=1) <= missing)))


def _most_of(row: IntArray, column: IntArray, weight: FloatArray, most: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return so many of the links (m,), the weakest first: each query's strongest, then the strongest of all."""
    falling = np.argsort(-weight, kind="stable")
    kept = falling[::-1]
    if len(weight) > most:
        first = np.zeros(len(weight), np.bool_)
        first[falling[np.unique(row[falling], return_index=True)[1]]] = True
        wanted = np.concatenate([falling[first[falling]], falling[~first[falling]]])[:most]
        kept = wanted[np.argsort(weight[wanted], kind="stable")]
    return row[kept], column[kept], weight[kept]


def line_legend(picture: LinePicture, notes_drawn: bool = True) -> str:
    """Return what the lines are and what is not drawn; ``notes_drawn`` if rows without any link say so themselves."""
    links, share = picture.links, percent(picture.mass)
    whole = "what is left of its weight" if picture.is_renormalised else "its weight"
    said = [f"lines: the strongest keys of each query, together at least {share} of {whole}"]
    if picture.mass == 1.0:
        which = "every key that is not hidden" if picture.is_renormalised else "every key"
        said = [f"lines: {which}, of each query with any weight"]
    if links.left_out:
        said.append(f"{grouped(links.left_out)} weaker ones are left out")
    if links.out_of_view:
        said.append(f"{grouped(links.out_of_view)} lead to keys out of view")
    if not notes_drawn:
        said += list(_rows_without_lines(links))
    return "; ".join(said)


def _rows_without_lines(links: Links) -> Iterator[str]:
    if some := len(links.empty_rows):
        yield f"{grouped(some)} {'query has' if some == 1 else 'queries have'} nothing to attend to"
    if some := len(links.hidden_rows):
        yield f"all that {grouped(some)} {'query attends' if some == 1 else 'queries attend'} to is hidden"
