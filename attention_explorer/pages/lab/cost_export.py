"""The numbers of what attention costs as files: every count with its formula, and what was measured here."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from attention_explorer import __version__
from attention_explorer.core.numbers_export import Arrays, Numbers, Table
from attention_explorer.errors import ExportError
from attention_explorer.pages.lab.cost_growth import GrowthPicture
from attention_explorer.pages.lab.cost_layer import LayerPicture
from attention_explorer.pages.lab.cost_state import CostPicture, CostState
from attention_explorer.pages.lab.cost_wording import settings_words
from attention_explorer.pages.lab.inputs import InputsPicture
from attention_explorer.pages.lab.measure import Measurement
from attention_explorer.pages.lab.reach import ReachPicture

Picture = LayerPicture | GrowthPicture | ReachPicture | InputsPicture


def cost_numbers(picture: Picture) -> Numbers:
    """Return what a picture shows.

    Raises
    ------
    ExportError
        The settings make no layer; the message says why.
    """
    if picture.reason:
        raise ExportError(f"There are no numbers to export. {picture.reason}")
    if isinstance(picture, LayerPicture):
        header, rows, arrays = _layer(picture)
    elif isinstance(picture, GrowthPicture):
        header, rows, arrays = _growth(picture)
    elif isinstance(picture, ReachPicture):
        header, rows, arrays = _reach(picture)
    else:
        header, rows, arrays = _inputs(picture)
    parameters: dict[str, object] = {
        "program": f"Attention Explorer {__version__}",
        "what": settings_words(picture.state),
        "picture": picture.state.picture.value,
        "settings": _settings(picture.state),
    }
    if isinstance(picture, GrowthPicture) and picture.measurement is not None:
        parameters["measured"] = _measured(picture.measurement)
    listed = [dict(zip(header, row, strict=True)) for row in rows]
    return Numbers(Table.of(header, rows), {**parameters, "rows": listed}, arrays, parameters)


def _settings(state: CostState) -> dict[str, Any]:
    found = asdict(state)
    del found["preset"]
    if state.picture is CostPicture.INPUTS:
        return {name: found[name] for name in ("sentence", "other_sentence")}
    return found


def _whole(numbers: Sequence[int]) -> np.typing.NDArray[Any]:
    """Return whole numbers as an array: int64 where they fit, else as text with every digit."""
    fits = all(abs(number) < 2**63 for number in numbers)
    return np.array(numbers, np.int64) if fits else np.array([str(number) for number in numbers])


Contents = tuple[list[str], list[list[Any]], Arrays]


def _layer(picture: LayerPicture) -> Contents:
    header = ["what", "formula", "count", "unit", "bytes", "count at 2n"]
    rows: list[list[Any]] = [
        [term.name, term.formula, term.operations, "operations, one layer", None, term.doubled]
        for term in picture.terms
    ]
    now, then = picture.operations
    rows.append(["one layer", "sum", now, "operations, one layer", None, then])
    rows += [
        [amount.name, amount.formula, amount.elements, "numbers", amount.size, round(amount.elements * amount.growth)]
        for amount in picture.amounts
    ]
    arrays: Arrays = {
        "operations": _whole([term.operations for term in picture.terms]),
        "operations_at_2n": _whole([term.doubled for term in picture.terms]),
        "numbers": _whole([amount.elements for amount in picture.amounts]),
        "bytes": _whole([amount.size for amount in picture.amounts]),
        "terms": np.array([term.name for term in picture.terms]),
        "amounts": np.array([amount.name for amount in picture.amounts]),
    }
    return header, rows, arrays


def _growth(picture: GrowthPicture) -> Contents:
    header = ["curve", "n", "value", "run"]
    rows: list[list[Any]] = [
        [curve.name, int(n), value, None]
        for curve in picture.curves
        for n, value in zip(picture.lengths.tolist(), curve.values.tolist(), strict=True)
    ]
    arrays: Arrays = {"curves": np.array([curve.values for curve in picture.curves]), "n": picture.lengths}
    arrays["names"] = np.array([curve.name for curve in picture.curves])
    if picture.measurement is not None and picture.measurement.points:
        points = picture.measurement.points
        rows += [
            ["measured here, seconds", point.n, seconds, run]
            for point in points
            for run, seconds in enumerate(point.seconds, start=1)
        ]
        arrays["measured_n"] = np.array([point.n for point in points])
        arrays["measured_seconds"] = np.array([point.fastest for point in points])
    return header, rows, arrays


def _measured(found: Measurement) -> dict[str, Any]:
    said: dict[str, Any] = {
        "what": "scaled dot-product attention of one head, (n, d_k) each, no mask; the seconds of every run",
        "d_k": found.d_k,
        "precision": found.precision.value,
        "machine": platform.machine(),
        "numpy": np.__version__,
        "points": [{"n": point.n, "seconds": list(point.seconds)} for point in found.points],
    }
    if found.heads is not None:
        said["one product or one a head"] = asdict(found.heads)
    return said


def _reach(picture: ReachPicture) -> Contents:
    header = ["what", "recurrent", "self-attention", "tokens back", "left"]
    rows: list[list[Any]] = [[row.name, row.recurrent, row.attention, None, None] for row in picture.rows]
    for strip in picture.strips:
        rows += [
            [strip.name, None, None, back, None if np.isnan(value) else value]
            for back, value in enumerate(strip.values.tolist(), start=1)
        ]
    arrays: Arrays = {
        "left": np.array([strip.values for strip in picture.strips]),
        "names": np.array([strip.name for strip in picture.strips]),
    }
    return header, rows, arrays


def _inputs(picture: InputsPicture) -> Contents:
    header = ["input", "product", "shapes", "operations"]
    rows: list[list[Any]] = [
        [number, product.name, product.shapes, product.operations]
        for number, listed in enumerate(picture.products, start=1)
        for product in listed
    ]
    arrays: Arrays = {
        "operations": np.array([[product.operations for product in listed] for listed in picture.products])
    }
    for number, (words, map_) in enumerate(zip(picture.tokens, picture.maps, strict=True), start=1):
        arrays[f"weights_{number}"] = np.asarray(map_.values)
        arrays[f"tokens_{number}"] = np.array(words)
    return header, rows, arrays
