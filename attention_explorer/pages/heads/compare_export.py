"""The numbers of a comparison as files: A, B and A − B over the tokens of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.colour_scale import BoolArray
from attention_explorer.core.numbers_export import AnyArray, LargeArray, Numbers, Table, rows_of
from attention_explorer.model import Stage
from attention_explorer.pages.heads.aligned import NONE, AlignedMap, blocks, joined
from attention_explorer.pages.heads.compare import Axes, aligned_map, axes_of
from attention_explorer.pages.heads.differences import what_differs
from attention_explorer.pages.heads.export import NO_DISTRIBUTIONS, numbers_of, settings_words, setup_shown
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.shown_map import is_renormalised
from attention_explorer.pages.heads.state import HeadsView

NO_COUNTERPART = (
    "tokens are matched by difflib; what A or B does not have is NaN, null in JSON and an empty cell in CSV; over the "
    "keys that both have, a row of A − B need not sum to 0"
)

Has = tuple[BoolArray, BoolArray]
"""Which rows (m_q,) and which columns (m_k,) a map has."""


def difference_numbers(a: HeadsFrame, b: HeadsFrame, view: HeadsView) -> Numbers:
    """Return A − B with both maps, each under its name, over the tokens of both; NaN where one has no such cell."""
    axes = axes_of(a, b)
    if not (a.map.has_scores and b.map.has_scores):
        view = replace(view, stage=Stage.WEIGHTS)
    maps = aligned_map(a, view, axes, 0), aligned_map(b, view, axes, 1)
    left, right = (_stage(map_, view.stage) for map_ in maps)
    arrays: dict[str, AnyArray] = {"difference": _difference(left, right), "a": left, "b": right}
    tokens, of_b = _tokens(a, b, axes, of_b=False), _tokens(a, b, axes, of_b=True)
    parameters = _parameters(a, b, view) | {"queries": list(tokens[0]), "keys": list(tokens[1])}
    table = _table(arrays, [_has(map_) for map_ in maps], [_both(*pair) for pair in zip(tokens, of_b, strict=True)])
    if not all(axis.is_complete for axis in axes):
        parameters["no_counterpart"] = NO_COUNTERPART
        (queries_a, keys_a), (queries_b, keys_b) = (_has(map_) for map_ in maps)
        arrays |= {"queries_in_a": queries_a, "queries_in_b": queries_b, "keys_in_a": keys_a, "keys_in_b": keys_b}
    if tokens != of_b:
        arrays |= {"queries_b": np.asarray(of_b[0]), "keys_b": np.asarray(of_b[1])}
    return numbers_of(arrays, tokens, parameters, table)


def _parameters(a: HeadsFrame, b: HeadsFrame, view: HeadsView) -> dict[str, Any]:
    titles = what_differs(a.setup, b.setup)
    parameters = {
        "what": "A, B and A − B",
        "title_a": titles[0].removeprefix("A: "),
        "title_b": titles[1].removeprefix("B: "),
        "numbers": view.stage.value,
        **settings_words(a),
        "settings_b": setup_shown(b),
    }
    if any(is_renormalised(frame, view) for frame in (a, b)):
        parameters["hidden_keys"] = f"{view.hidden.value}; the rest of each row is renormalised"
    elif not (a.rows_are_distributions and b.rows_are_distributions):
        parameters["note"] = NO_DISTRIBUTIONS
    return parameters


def _tokens(a: HeadsFrame, b: HeadsFrame, axes: Axes, *, of_b: bool) -> list[tuple[str, ...]]:
    """Return the exact tokens of rows and columns, what both have as A has it, or as B."""
    exact = zip(axes, a.exact_tokens, b.exact_tokens, strict=True)
    return [axis.tokens(of_b=of_b, a=of_a, b=theirs) for axis, of_a, theirs in exact]


def _both(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens of A and B, where they differ one after the other."""
    return tuple(first if first == second else joined(first, second) for first, second in zip(a, b, strict=True))


def _has(map_: AlignedMap) -> Has:
    return map_.rows != NONE, map_.columns != NONE


def _stage(map_: AlignedMap, stage: Stage) -> LargeArray:
    """Return a stage over the tokens of both; NaN where the map has no such cell."""

    def parts() -> Iterator[np.typing.NDArray[Any]]:
        for rows in blocks(map_.shape):
            yield np.where(map_.has(rows), map_.stage(stage, rows), np.array(np.nan, map_.map.dtype))

    return LargeArray(map_.shape, map_.map.dtype, parts)


def _difference(left: LargeArray, right: LargeArray) -> LargeArray:
    """Return A − B; NaN where one has no such cell or a score of −∞: nothing can be subtracted from that."""
    dtype = np.result_type(left.dtype, right.dtype)

    def parts() -> Iterator[np.typing.NDArray[Any]]:
        for a, b in zip(left.parts(), right.parts(), strict=True):
            seen = np.isfinite(a) & np.isfinite(b)
            yield np.subtract(a, b, out=np.full(a.shape, np.nan, dtype), where=seen)

    return LargeArray(left.shape, dtype, parts)


def _table(arrays: dict[str, AnyArray], has: list[Has], tokens: Sequence[tuple[str, ...]]) -> Table:
    """Return three maps as one table: which map, its query, and a column a key; empty where a map has no such cell."""
    queries, keys = tokens
    both = has[0][0] & has[1][0], has[0][1] & has[1][1]
    maps = [("A", arrays["a"], has[0]), ("B", arrays["b"], has[1]), ("A − B", arrays["difference"], both)]

    def rows() -> Iterator[tuple[object, ...]]:
        for name, map_, (has_row, has_column) in maps:
            columns = has_column.tolist()
            for token, there, row in zip(queries, has_row.tolist(), rows_of(map_), strict=True):
                cells = (number if there and own else None for number, own in zip(row, columns, strict=True))
                yield name, token, *cells

    return Table(("map", "query", *keys), rows, len(maps) * len(queries))
