"""The numbers of the Heads page as files: exactly what is on show, with tokens and settings, every digit of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from attention_explorer import __version__
from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import BoolArray, Window
from attention_explorer.core.numbers_export import AnyArray, LargeArray, Numbers, Table, rows_of
from attention_explorer.model import AttentionMap, Stage
from attention_explorer.model.map_selection import Selection, row_blocks
from attention_explorer.pages.heads.aligned import NONE, AlignedMap, blocks, joined
from attention_explorer.pages.heads.compare import Axes, aligned_map, axes_of, what_differs
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.large_picture import MOST_PRINTED_LINE_ROWS, part_shown
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.shown_map import (
    is_renormalised,
    keys_left_out,
    lengths_shown,
    lengths_words,
    marked_frames,
    marked_title,
    shown_map,
    stage_shown,
)
from attention_explorer.pages.heads.stages import stage_steps
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView
from attention_explorer.pages.heads.survey import HeadSurvey, meets, surveys_of
from attention_explorer.pages.heads.wording import map_title, part_words
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Source

ALL_HEADS = HeadsView()
NO_DISTRIBUTIONS = "not every row of weights sums to 1: see what is shown"
NO_COUNTERPART = (
    "tokens are matched by difflib; what A or B does not have is NaN, null in JSON and an empty cell in CSV; over the "
    "keys that both have, a row of A − B need not sum to 0"
)

Has = tuple[BoolArray, BoolArray]
"""Which rows (m_q,) and which columns (m_k,) a map has."""


def map_numbers(frame: HeadsFrame, view: HeadsView) -> Numbers:
    """Return the map in the large picture: the stage on show, with the weights and the mask behind it.

    That is the whole map, of which the picture may show a part: a row of a part would not sum to 1.
    """
    stage = stage_shown(frame, view)
    shown = shown_map(frame, view)
    values = _stage(shown, stage)
    arrays: dict[str, AnyArray] = {_name_of_numbers(frame, view): values}
    if stage is not Stage.WEIGHTS or shown is not frame.map:
        arrays["raw_weights"] = _stage(frame.map, Stage.WEIGHTS)
    arrays["allowed"] = _allowed(frame.map)
    parameters = {"what": map_title(frame), "numbers": _name_of_numbers(frame, view), **settings_words(frame)}
    part = part_shown(view, frame.shape, MOST_PRINTED_LINE_ROWS)
    if part != Window.whole(frame.shape):
        parameters["in_view"] = f"{part_words(part, frame)}; the numbers are those of the whole map"
    parameters |= _shown_as(frame, view)
    if shown is frame.map and not frame.rows_are_distributions:
        parameters["note"] = NO_DISTRIBUTIONS
    return numbers_of(arrays, frame.exact_tokens, parameters, _one_map(frame, values))


def stages_numbers(frame: HeadsFrame) -> Numbers:
    """Return all four stages of the chosen head: an array each, and a table with the stage in its first column."""
    stages: dict[str, AnyArray] = {stage.value: _stage(frame.head_map, stage) for stage in Stage}
    table = _several_maps("stage", list(stages), stages.values, frame.exact_tokens)
    # The weights first: a file of a single array holds what the stages lead to.
    arrays = {Stage.WEIGHTS.value: stages[Stage.WEIGHTS.value], **stages, "allowed": _allowed(frame.head_map)}
    name = head_name(frame, frame.layer, frame.head)
    settings = setup_words(replace(frame.setup, layer=frame.layer, head=frame.head, aggregate=Aggregate.ONE))
    parameters = {
        "what": f"stages of {name}",
        "numbers": [stage.value for stage in Stage],
        "steps": list(stage_steps(frame)),
        **settings_words(frame),
        "settings": settings,
    }
    return numbers_of(arrays, frame.exact_tokens, parameters, table)


def wall_numbers(
    frame: HeadsFrame, view: HeadsView = ALL_HEADS, surveys: tuple[HeadSurvey, ...] = (), compared: str = ""
) -> Numbers:
    """Return the weights of every head, (heads of all layers, n_q, n_k), and which of them meet the threshold.

    ``surveys`` as for the picture of them; ``compared`` says from what their difference is one, if it was measured.
    """
    names = [head_name(frame, *place) for place in frame.places]

    def heads() -> Iterator[LargeArray]:
        return (_stage(map_, Stage.WEIGHTS) for layer in frame.layers for map_ in layer.maps)

    weights = _stacked(heads, (len(names), *frame.shape), frame.layers[0].maps[0].dtype)
    table = _several_maps(f"head ({frame.count.value})", names, heads, frame.exact_tokens)
    arrays: dict[str, AnyArray] = {"weights": weights, "heads": np.asarray(names)}
    parameters = {"what": "all heads", **settings_words(frame)}
    if view.threshold is not None:
        meeting = [survey.name for survey in surveys or surveys_of(frame) if meets(survey, view.threshold)]
        parameters |= {"threshold": view.threshold.words, "heads_that_meet_it": meeting}
    if compared:
        parameters["compared"] = f"{compared}: ½ Σ |A − B| of a query’s weights, the mean over the queries"
        arrays["differences"] = np.array([survey.difference for survey in surveys], np.float64)
    if any(survey.effect is not None for survey in surveys):
        arrays["effects"] = np.array([survey.effect for survey in surveys], np.float64)
    return numbers_of(arrays, frame.exact_tokens, parameters, table)


def marked_numbers(frame: HeadsFrame, view: HeadsView) -> Numbers:
    """Return the maps of all marked heads, also of those beyond what is drawn, (heads, n_q, n_k)."""
    frames = marked_frames(frame, view)
    names = [head_name(each, each.layer, each.head) for each in frames]
    stage = stage_shown(frames[0], view)
    maps = [shown_map(each, view) for each in frames]
    shape = (len(names), *frame.shape)
    name = _name_of_numbers(frames[0], view)
    arrays: dict[str, AnyArray] = {
        name: _stacked(lambda: (_stage(map_, stage) for map_ in maps), shape, maps[0].dtype),
        "heads": np.asarray(names),
        "allowed": _stacked(lambda: (_allowed(each.map) for each in frames), shape, np.dtype(np.bool_)),
    }
    parameters = {"what": marked_title(len(names)), "numbers": name, **settings_words(frame)}
    parameters |= _shown_as(frames[0], view)
    if stage is not Stage.WEIGHTS or any(map_ is not each.map for map_, each in zip(maps, frames, strict=True)):
        raw = [each.map for each in frames]
        arrays["raw_weights"] = _stacked(lambda: (_stage(map_, Stage.WEIGHTS) for map_ in raw), shape, raw[0].dtype)
    table = _several_maps(
        f"head ({frame.count.value})", names, lambda: (_stage(map_, stage) for map_ in maps), frame.exact_tokens
    )
    return numbers_of(arrays, frame.exact_tokens, parameters, table)


def _name_of_numbers(frame: HeadsFrame, view: HeadsView) -> str:
    """Return what the numbers in the picture are called."""
    stage = stage_shown(frame, view)
    is_weighted = stage is Stage.WEIGHTS and lengths_shown(frame, view) is not None
    return "value_weighted" if is_weighted else stage.value


def _shown_as(frame: HeadsFrame, view: HeadsView) -> dict[str, Any]:
    """Return what to know of numbers that are not the weights of the head."""
    found: dict[str, Any] = {}
    lengths, left_out = lengths_shown(frame, view), keys_left_out(frame, view)
    if _name_of_numbers(frame, view) == "value_weighted" and lengths is not None:
        found |= {"value_weighted": lengths_words(lengths), "note": NO_DISTRIBUTIONS}
    if is_renormalised(frame, view):
        found["hidden_keys"] = f"{view.hidden.value}; the rest of each row is renormalised"
    elif left_out.any():
        tokens = sorted({frame.exact_tokens[1][at] for at in np.flatnonzero(left_out)})
        found |= {
            "hidden_tokens": tokens,
            "hidden_keys": "left out; the rest of each row is as it was, and rows sum to it",
        }
        found["note"] = NO_DISTRIBUTIONS
    return found


# ---- Maps, written a block of rows at a time ----


def _stage(map_: AttentionMap, stage: Stage) -> LargeArray:
    return LargeArray(map_.shape, map_.dtype, lambda: (map_.stage(stage, rows) for rows in _blocks(map_)))


def _stacked(maps: Callable[[], Iterable[LargeArray]], shape: tuple[int, ...], dtype: np.dtype[Any]) -> LargeArray:
    """Return several maps of one shape as one array, (heads, n_q, n_k)."""
    return LargeArray(shape, dtype, lambda: (part for map_ in maps() for part in map_.parts()))


def _allowed(map_: AttentionMap) -> LargeArray:
    return LargeArray(map_.shape, np.dtype(np.bool_), lambda: (map_.allowed(rows) for rows in _blocks(map_)))


def _blocks(map_: AttentionMap) -> Iterator[Selection]:
    return (rows for _, rows in row_blocks(slice(0, map_.n_q), map_.n_k))


def _one_map(frame: HeadsFrame, values: LargeArray) -> Table:
    """Return a map with its tokens: a row a query, a column a key."""
    queries, keys = frame.exact_tokens

    def rows() -> Iterator[tuple[object, ...]]:
        return ((token, *row) for token, row in zip(queries, rows_of(values), strict=True))

    return Table(("query \\ key", *keys), rows, len(queries))


def _several_maps(
    kind: str, names: Sequence[str], maps: Callable[[], Iterable[AnyArray]], tokens: Sequence[tuple[str, ...]]
) -> Table:
    """Return several maps as one table: what a row belongs to, its query, and a column a key."""
    queries, keys = tokens

    def rows() -> Iterator[tuple[object, ...]]:
        for name, map_ in zip(names, maps(), strict=True):
            for token, row in zip(queries, rows_of(map_), strict=True):
                yield name, token, *row

    return Table((kind, "query", *keys), rows, len(names) * len(queries))


# ---- What the numbers mean ----


def settings_words(frame: HeadsFrame) -> dict[str, Any]:
    """Return what the numbers of a frame mean and what made them."""
    queries, keys = frame.exact_tokens
    return {
        "program": f"Attention Explorer {__version__}",
        "axes": ["query (row)", "key (column)"],
        "note": "every row of weights sums to 1, or is zero where a query has nothing to attend to",
        "queries": list(queries),
        "keys": list(keys),
        "settings": setup_shown(frame),
    }


def setup_shown(frame: HeadsFrame) -> dict[str, Any]:
    """Return the setup with what is shown in place of what was wished for: layer 4 of a model of 1 is its first."""
    return setup_words(replace(frame.setup, layer=frame.layer, head=frame.head, aggregate=frame.aggregate))


def setup_words(setup: HeadsSetup) -> dict[str, Any]:
    """Return a setup as it can be written down: everything that decides the numbers."""
    source, recipe = source_of(setup.recipe), asdict(setup.recipe)
    return {
        "source": source.origin,
        **recipe,
        **_mask_and_lookup(resolved(setup), source),
        "counted_from": setup.count.first,
        "layer": setup.count.number(setup.layer),
        "head": setup.count.number(setup.head),
        "shown": setup.aggregate.value,
        "rollout_with_identity": setup.identity,
        "heads_switched_off": _counted(setup.switched_off, setup.count),
    }


def _mask_and_lookup(setup: HeadsSetup, source: Source[Any]) -> dict[str, Any]:
    """Return how scores became weights, as far as that was done here."""
    mask, words = setup.mask, dict[str, Any]()
    if source.traits.reason_against(Ability.MASKS):
        words["mask"] = source.mask_words() or "none"
    else:
        words["mask"] = str(mask.kind.value)
        words["mask_size"] = mask.size if mask.kind.has_size else None
        words["hidden_by_hand"] = _counted(mask.hidden, setup.count)
        words["shown_by_hand"] = _counted(mask.shown, setup.count)
    if not source.traits.reason_against(Ability.SCORES):
        words["divided_by_sqrt_d_k"] = setup.scaled
        words["lookup"], words["temperature"] = "hard" if setup.hard else "soft", setup.temperature
    return words


def _counted(pairs: frozenset[tuple[int, int]], count: Count) -> list[tuple[int, int]]:
    """Return cells, or layers with heads, in order and by their numbers."""
    return sorted((count.number(first), count.number(second)) for first, second in pairs)


def numbers_of(
    arrays: dict[str, AnyArray], tokens: Sequence[tuple[str, ...]], parameters: dict[str, Any], table: Table
) -> Numbers:
    """Return arrays with the tokens of their rows and columns."""
    queries, keys = tokens
    with_tokens = {**arrays, "queries": np.asarray(queries), "keys": np.asarray(keys)}
    return Numbers(table, {**parameters, **arrays}, with_tokens, parameters, indent=1)


# ---- A, B and A − B ----


def difference_numbers(a: HeadsFrame, b: HeadsFrame, view: HeadsView) -> Numbers:
    """Return A − B with both maps, each under its name, over the tokens of both; NaN where one has no such cell."""
    axes = axes_of(a, b)
    if not (a.map.has_scores and b.map.has_scores):
        view = replace(view, stage=Stage.WEIGHTS)
    maps = aligned_map(a, view, axes, 0), aligned_map(b, view, axes, 1)
    left, right = (_aligned_stage(map_, view.stage) for map_ in maps)
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


def _aligned_stage(map_: AlignedMap, stage: Stage) -> LargeArray:
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
