"""The numbers of the Heads page as files: exactly what is on show, with tokens and settings, every digit of them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from attention_explorer import __version__
from attention_explorer.errors import ExportError
from attention_explorer.model import Stage
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.state.colour_scale import FloatArray
from attention_explorer.state.heads.differences import what_differs
from attention_explorer.state.heads.frame import HeadsFrame, head_name
from attention_explorer.state.heads.large_picture import MOST_PRINTED_LINE_ROWS, part_shown
from attention_explorer.state.heads.shown_map import shown_map, stage_shown
from attention_explorer.state.heads.stages import stage_steps
from attention_explorer.state.heads.state import Aggregate, Cell, HeadsSetup, HeadsView
from attention_explorer.state.heads.wording import map_title, part_words
from attention_explorer.state.map_picture import Window
from attention_explorer.state.numbers_export import Numbers, as_csv, as_document

MOST_NUMBERS = 2**23
"""The most numbers of a file: 64 MiB of them, several times that as text."""

NO_DISTRIBUTIONS = "not every row of weights sums to 1: see what is shown"


def map_numbers(frame: HeadsFrame, view: HeadsView) -> Numbers:
    """Return the map in the large picture: the stage on show, with the weights and the mask behind it.

    That is the whole map, of which the picture may show a part: a row of a part would not sum to 1.
    """
    _require_room(frame.shape[0] * frame.shape[1])
    stage = stage_shown(frame, view)
    shown = shown_map(frame, view)
    values = shown.stage(stage) if shown.has_scores else shown.weights()
    arrays: dict[str, np.typing.NDArray[Any]] = {stage.value: values}
    if stage is not Stage.WEIGHTS or shown is not frame.map:
        arrays["raw_weights"] = frame.map.weights()
    arrays["allowed"] = frame.map.allowed()
    parameters = {"what": map_title(frame), "numbers": stage.value, **_settings(frame)}
    part = part_shown(view, frame.shape, MOST_PRINTED_LINE_ROWS)
    if part != Window.whole(frame.shape):
        parameters["in_view"] = f"{part_words(part, frame.shape)}; the numbers are those of the whole map"
    if shown is not frame.map:
        parameters["hidden_keys"] = f"{view.hidden.value}; the rest of each row is renormalised"
    elif not frame.rows_are_distributions:
        parameters["note"] = NO_DISTRIBUTIONS
    return _numbers(arrays, frame, parameters, _csv(frame, values))


def stages_numbers(frame: HeadsFrame) -> Numbers:
    """Return all four stages of the chosen head: an array each, and a table with the stage in its first column."""
    _require_room(4 * frame.shape[0] * frame.shape[1])
    stages = {stage.value: frame.head_map.stage(stage) for stage in Stage}
    table = _blocks(list(stages.items()), "stage", frame.queries, frame.keys)
    # The weights first: a file of a single array holds what the stages lead to.
    arrays = {Stage.WEIGHTS.value: stages[Stage.WEIGHTS.value], **stages, "allowed": frame.head_map.allowed()}
    name = head_name(frame, frame.layer, frame.head)
    settings = setup_words(replace(frame.setup, layer=frame.layer, head=frame.head, aggregate=Aggregate.ONE))
    parameters = {
        "what": f"stages of {name}",
        "numbers": [stage.value for stage in Stage],
        "steps": list(stage_steps(frame)),
        **_settings(frame),
        "settings": settings,
    }
    return _numbers(arrays, frame, parameters, table)


def difference_numbers(a: HeadsFrame, b: HeadsFrame, view: HeadsView) -> Numbers:
    """Return A − B with both maps, each under its name.

    Raises
    ------
    ExportError
        The maps differ in size.
    """
    if a.shape != b.shape:
        raise ExportError(
            f"A has {a.shape} cells and B {b.shape}: only maps of the same size can be subtracted. Choose sentences of "
            "the same length."
        )
    _require_room(a.shape[0] * a.shape[1])
    if not (a.map.has_scores and b.map.has_scores):
        view = replace(view, stage=Stage.WEIGHTS)
    left, right = (shown_map(frame, view).stage(view.stage) for frame in (a, b))
    # Nothing can be subtracted from −∞, the score of a masked cell; its weight is 0.
    seen = np.isfinite(left) & np.isfinite(right)
    arrays = {"difference": np.subtract(left, right, out=np.full_like(left, np.nan), where=seen), "a": left, "b": right}
    names = [
        title.removeprefix(f"{letter}: ") for letter, title in zip("AB", what_differs(a.setup, b.setup), strict=True)
    ]
    parameters = {
        "what": "A, B and A − B",
        "title_a": names[0],
        "title_b": names[1],
        "numbers": view.stage.value,
        **_settings(a),
        "settings_b": _setup_shown(b),
    }
    if any(shown_map(frame, view) is not frame.map for frame in (a, b)):
        parameters["hidden_keys"] = f"{view.hidden.value}; the rest of each row is renormalised"
    elif not (a.rows_are_distributions and b.rows_are_distributions):
        parameters["note"] = NO_DISTRIBUTIONS
    tokens = [_both(*pair) for pair in ((a.queries, b.queries), (a.keys, b.keys))]
    blocks = [("A", left), ("B", right), ("A − B", arrays["difference"])]
    if (a.queries, a.keys) != (b.queries, b.keys):
        arrays |= {"queries_b": np.asarray(b.queries), "keys_b": np.asarray(b.keys)}
    return _numbers(arrays, a, parameters, _blocks(blocks, "map", *tokens))


def _both(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens of A and B, where they differ one after the other."""
    return tuple(first if first == second else f"{first} | {second}" for first, second in zip(a, b, strict=True))


def wall_numbers(frame: HeadsFrame) -> Numbers:
    """Return the weights of every head, (layers · heads, n_q, n_k)."""
    count = frame.heads * len(frame.layers)
    _require_room(count * frame.shape[0] * frame.shape[1])
    weights = np.stack([map_.weights() for layer in frame.layers for map_ in layer.maps])
    names = [head_name(frame, layer, head) for layer in range(len(frame.layers)) for head in range(frame.heads)]
    table = _blocks(list(zip(names, weights, strict=True)), "head", frame.queries, frame.keys)
    arrays = {"weights": weights, "heads": np.asarray(names)}
    return _numbers(arrays, frame, {"what": "all heads", **_settings(frame)}, table)


def _blocks(maps: list[tuple[str, FloatArray]], kind: str, queries: tuple[str, ...], keys: tuple[str, ...]) -> str:
    """Return several maps as one table: what a line belongs to, its query, and a column a key."""
    rows = ((name, token, *row) for name, map_ in maps for token, row in zip(queries, map_.tolist(), strict=True))
    return as_csv((kind, "query", *keys), rows)


def _require_room(count: int) -> None:
    if count > MOST_NUMBERS:
        raise ExportError(
            f"That would be {count} numbers, more than the {MOST_NUMBERS} a file can take. Shorten the sentence, or "
            "export a single head."
        )


def _csv(frame: HeadsFrame, values: FloatArray) -> str:
    """Return a map with its tokens: a line a query, a column a key."""
    rows = ((token, *row) for token, row in zip(frame.queries, values.tolist(), strict=True))
    return as_csv(("query \\ key", *frame.keys), rows)


def _settings(frame: HeadsFrame) -> dict[str, Any]:
    return {
        "program": f"Attention Explorer {__version__}",
        "axes": ["query (row)", "key (column)"],
        "note": "every row of weights sums to 1, or is zero where a query has nothing to attend to",
        "queries": list(frame.queries),
        "keys": list(frame.keys),
        "settings": _setup_shown(frame),
    }


def _setup_shown(frame: HeadsFrame) -> dict[str, Any]:
    """Return the setup with what is shown in place of what was wished for: layer 4 of a model of 1 is its first."""
    return setup_words(replace(frame.setup, layer=frame.layer, head=frame.head, aggregate=frame.aggregate))


def setup_words(setup: HeadsSetup) -> dict[str, Any]:
    """Return a setup as it can be written down: everything that decides the numbers."""
    recipe = asdict(setup.recipe)
    return {
        "source": f"toy, {setup.recipe.origin}" if isinstance(setup.recipe, ToyRecipe) else "hand-made heads",
        **recipe,
        "mask": str(setup.mask.kind.value),
        "mask_size": setup.mask.size if setup.mask.kind.has_size else None,
        "hidden_by_hand": _cells(setup.mask.hidden),
        "shown_by_hand": _cells(setup.mask.shown),
        "divided_by_sqrt_d_k": setup.scaled,
        "lookup": "hard" if setup.hard else "soft",
        "temperature": setup.temperature,
        "layer": setup.layer + 1,
        "head": setup.head + 1,
        "shown": setup.aggregate.value,
        "rollout_with_identity": setup.identity,
        "heads_switched_off": sorted((layer + 1, head + 1) for layer, head in setup.switched_off),
    }


def _cells(cells: frozenset[Cell]) -> list[Cell]:
    """Return cells in order, counted from 1."""
    return sorted((row + 1, column + 1) for row, column in cells)


def _numbers(
    arrays: dict[str, np.typing.NDArray[Any]], frame: HeadsFrame, parameters: dict[str, Any], table: str
) -> Numbers:
    with_tokens = {**arrays, "queries": np.asarray(frame.queries), "keys": np.asarray(frame.keys)}
    return Numbers(table, as_document(parameters, arrays, indent=1), with_tokens, parameters)
