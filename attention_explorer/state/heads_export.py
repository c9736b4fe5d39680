"""The numbers of the Heads page as files: exactly what is on show, with tokens and settings, every digit of them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from attention_explorer import __version__
from attention_explorer.errors import ExportError
from attention_explorer.model import Stage
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.state.colour_scale import FloatArray
from attention_explorer.state.heads import HeadsSetup, HeadsView
from attention_explorer.state.heads_frame import HeadsFrame, head_name
from attention_explorer.state.heads_wording import map_title
from attention_explorer.state.map_picture import shown_map, stage_shown
from attention_explorer.state.numbers_export import Numbers

MOST_NUMBERS = 2**23
"""The most numbers of a file: 64 MiB of them, several times that as text."""

NO_DISTRIBUTIONS = "not every row of weights sums to 1: see what is shown"


def map_numbers(frame: HeadsFrame, view: HeadsView) -> Numbers:
    """Return the map in the large picture: the stage on show, with the weights and the mask behind it."""
    _require_room(frame.shape[0] * frame.shape[1])
    stage = stage_shown(frame, view)
    shown = shown_map(frame, view)
    values = shown.stage(stage) if shown.has_scores else shown.weights()
    arrays: dict[str, np.typing.NDArray[Any]] = {stage.value: values}
    if stage is not Stage.WEIGHTS or shown is not frame.map:
        arrays["raw_weights"] = frame.map.weights()
    arrays["allowed"] = frame.map.allowed()
    parameters = {"what": map_title(frame), "numbers": stage.value, **_settings(frame)}
    if shown is not frame.map:
        parameters["hidden_keys"] = f"{view.hidden.value}; the rest of each row is renormalised"
    elif not frame.rows_are_distributions:
        parameters["note"] = NO_DISTRIBUTIONS
    return _numbers(arrays, frame, parameters, _csv(frame, values))


def difference_numbers(a: HeadsFrame, b: HeadsFrame, view: HeadsView) -> Numbers:
    """Return A − B with both maps.

    Raises
    ------
    ExportError
        The maps differ in size.
    """
    if a.shape != b.shape:
        raise ExportError(f"A has {a.shape} cells and B {b.shape}: only maps of the same size can be subtracted.")
    _require_room(a.shape[0] * a.shape[1])
    if not (a.map.has_scores and b.map.has_scores):
        view = replace(view, stage=Stage.WEIGHTS)
    left, right = (shown_map(frame, view).stage(view.stage) for frame in (a, b))
    # Nothing can be subtracted from −∞, the score of a masked cell; its weight is 0.
    seen = np.isfinite(left) & np.isfinite(right)
    arrays = {"difference": np.subtract(left, right, out=np.full_like(left, np.nan), where=seen), "a": left, "b": right}
    parameters = {"what": "A − B", "numbers": view.stage.value, **_settings(a), "settings_b": _setup_shown(b)}
    if any(shown_map(frame, view) is not frame.map for frame in (a, b)):
        parameters["hidden_keys"] = f"{view.hidden.value}; the rest of each row is renormalised"
    elif not (a.rows_are_distributions and b.rows_are_distributions):
        parameters["note"] = NO_DISTRIBUTIONS
    return _numbers(arrays, a, parameters, _csv(a, arrays["difference"]))


def wall_numbers(frame: HeadsFrame) -> Numbers:
    """Return the weights of every head, (layers · heads, n_q, n_k)."""
    count = frame.heads * len(frame.layers)
    _require_room(count * frame.shape[0] * frame.shape[1])
    weights = np.stack([map_.weights() for layer in frame.layers for map_ in layer.maps])
    names = [head_name(frame, layer, head) for layer in range(len(frame.layers)) for head in range(frame.heads)]
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(["head", "query", *frame.keys])
    for name, map_ in zip(names, weights, strict=True):
        for token, row in zip(frame.queries, map_.tolist(), strict=True):
            table.writerow([name, token, *map(repr, row)])
    arrays = {"weights": weights, "heads": np.asarray(names)}
    return _numbers(arrays, frame, {"what": "all heads", **_settings(frame)}, stream.getvalue())


def _require_room(count: int) -> None:
    if count > MOST_NUMBERS:
        raise ExportError(
            f"That would be {count} numbers, more than the {MOST_NUMBERS} a file can take. Shorten the sentence, or "
            "export a single head."
        )


def _csv(frame: HeadsFrame, values: FloatArray) -> str:
    """Return a map with its tokens: a line a query, a column a key."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(["query \\ key", *frame.keys])
    for token, row in zip(frame.queries, values.tolist(), strict=True):
        table.writerow([token, *map(repr, row)])
    return stream.getvalue()


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
        "source": "toy, random weights" if isinstance(setup.recipe, ToyRecipe) else "hand-made heads",
        **recipe,
        "mask": str(setup.mask.kind.value),
        "mask_size": setup.mask.size if setup.mask.kind.has_size else None,
        "painted_cells": sorted((row + 1, column + 1) for row, column in setup.mask.flipped),
        "divided_by_sqrt_d_k": setup.scaled,
        "lookup": "hard" if setup.hard else "soft",
        "temperature": setup.temperature,
        "layer": setup.layer + 1,
        "head": setup.head + 1,
        "shown": setup.aggregate.value,
        "rollout_with_identity": setup.identity,
        "heads_switched_off": sorted((layer + 1, head + 1) for layer, head in setup.switched_off),
    }


def _numbers(
    arrays: dict[str, np.typing.NDArray[Any]], frame: HeadsFrame, parameters: dict[str, Any], table: str
) -> Numbers:
    document = {**parameters, **{name: _jsonable(array) for name, array in arrays.items()}}
    with_tokens = {**arrays, "queries": np.asarray(frame.queries), "keys": np.asarray(frame.keys)}
    return Numbers(table, json.dumps(document, ensure_ascii=False, indent=1) + "\n", with_tokens, parameters)


def _jsonable(array: np.typing.NDArray[Any]) -> object:
    """Return an array as nested lists; −∞ of a masked score as null, which JSON has."""
    if array.dtype.kind != "f":
        return array.tolist()
    holes = array.astype(object)
    holes[~np.isfinite(array)] = None
    return holes.tolist()
