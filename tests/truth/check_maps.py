"""Maps: any part of them, their summaries and their pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_explorer import model
from attention_explorer.model.map_summary import SATURATED
from tests.truth import plain
from tests.truth.draw import Array, Draw
from tests.truth.register import Pair, checks


def _made(draw: Draw, dtype: Any) -> tuple[model.QueryKeyMap, dict[str, Array], Array]:
    """Return a map, its stages in loops, and its mask."""
    n_q, n_k, d_k = draw.size(), draw.size(), draw.size()
    q, k = draw.numbers(n_q, d_k, dtype=dtype), draw.numbers(n_k, d_k, dtype=dtype)
    mask, temperature = draw.mask(n_q, n_k), draw.pick(1.0, 0.5)
    given = (lambda start, stop: mask[start:stop]) if draw.chance() else mask  # an array, or a `RowMask`
    found = model.QueryKeyMap(q, k, mask=given, temperature=temperature)
    none = np.zeros((n_k, 0), plain.Long)
    return found, plain.attention_stages(plain.long(q), plain.long(k), none, mask=mask, temperature=temperature), mask


@checks("QueryKeyMap", "AttentionMap", "Stage", "RowMask", bound=64)
def query_key_map(draw: Draw) -> Iterator[Pair]:
    found, stages, mask = _made(draw, draw.dtype(np.float64, np.float32))
    rows, cols = (np.array([draw.size(0, n - 1) for _ in range(draw.size())]) for n in found.shape)
    for stage in model.Stage:
        yield found.stage(stage), stages[stage.value]
        yield found.stage(stage, rows, cols), stages[stage.value][rows][:, cols]
    yield found.allowed(), mask
    v = draw.numbers(found.n_k, 2, dtype=found.dtype)
    yield found.output(v), [[(row * column).sum() for column in plain.long(v).T] for row in stages["weights"]]
    if found.n_q == found.n_k:
        apart = [
            abs(stages["scaled"][i, j] - stages["scaled"][j, i]) for i in range(found.n_q) for j in range(found.n_q)
        ]
        yield np.array([found.asymmetry(), 1.0], found.dtype), np.array([max(apart), 1.0])


class _Elsewhere(model.RowArray):
    """Weights that are fetched by rows."""

    def __init__(self, weights: Array) -> None:
        self._weights = weights

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._weights), self._weights.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._weights.dtype

    def __getitem__(self, rows: Any) -> Array:
        return self._weights[rows].copy()


@checks("ArrayMap", "RowArray", "CombinedMap", "RenormalisedMap", bound=16)
def other_maps(draw: Draw) -> Iterator[Pair]:
    n_q, n_k, dtype = draw.size(), draw.size(), draw.dtype(np.float64, np.float32)
    arrays = [draw.weights(n_q, n_k, dtype=dtype) for _ in range(draw.size(1, 3))]
    maps, long = [model.ArrayMap(array) for array in arrays], [plain.long(array) for array in arrays]
    yield maps[0].weights(), arrays[0]
    yield model.ArrayMap(_Elsewhere(arrays[0])).weights(), arrays[0]
    yield model.CombinedMap(maps).weights(), sum(long) / len(long)
    largest = [[max(one[i, j] for one in long) for j in range(n_k)] for i in range(n_q)]
    yield model.CombinedMap(maps, largest=True).weights(), largest
    shown = draw.mask(n_k)
    kept = long[0] * shown
    yield model.RenormalisedMap(maps[0], shown).weights(), [row / (row.sum() or 1) for row in kept]


@checks("RowSummary", "MapSummary", bound=4096)
def summaries(draw: Draw) -> Iterator[Pair]:
    """Entropies come from differences of logarithms: beside weights near 1 some digits of a small one are lost."""
    found, stages, mask = _made(draw, np.float64)
    weights, offset = stages["weights"], found.n_k - found.n_q
    rows = found.row_summary()
    own = [i + offset for i in range(found.n_q)]

    def at(i: int, j: int) -> Any:
        return weights[i, j] if 0 <= j < found.n_k else plain.Long(0)

    some = np.array([1.0])  # so that small entropies are measured beside it
    yield np.append(rows.entropy, some), np.append([plain.entropy_row(row) for row in weights], some)
    yield rows.max_weight, [max(row) for row in weights]
    yield rows.best, [list(row).index(max(row)) for row in weights]
    yield rows.distance, [sum(w * abs(own[i] - j) for j, w in enumerate(row)) for i, row in enumerate(weights)]
    yield rows.self_mass, [at(i, own[i]) for i in range(found.n_q)]
    yield rows.previous_mass, [at(i, own[i] - 1) for i in range(found.n_q)]
    yield rows.first_mass, weights[:, 0]
    yield rows.total, [sum(row) for row in weights]
    yield from _whole(found.summary(), rows, stages["scaled"], mask)


def _whole(whole: model.MapSummary, rows: model.RowSummary, scaled: Array, mask: Array) -> Iterator[Pair]:
    attends = [bool(seen.any()) for seen in mask]
    yield whole.empty_rows, attends.count(False)
    if not any(attends):
        return
    for name in ("entropy", "max_weight", "distance", "self_mass", "previous_mass", "first_mass"):
        kept = [plain.Long(one) for one, counts in zip(getattr(rows, name), attends, strict=True) if counts]
        yield getattr(whole, name), sum(kept) / len(kept)
    yield whole.saturated, sum(rows.max_weight > SATURATED) / sum(attends)
    visible = scaled[mask]
    mean = sum(visible) / len(visible)
    std = np.sqrt(sum((one - mean) ** 2 for one in visible) / len(visible))
    yield np.array([whole.score_std, 1.0]), np.array([std, 1.0])
    even = [e / math.log(seen.sum()) for e, seen in zip(rows.entropy, mask, strict=True) if seen.sum() > 1]
    yield whole.evenness, sum(even) / len(even) if even else np.nan


@checks("Pooled", "tile_bounds", bound=64)
def pooled(draw: Draw) -> Iterator[Pair]:
    found, stages, mask = _made(draw, np.float64)
    height, width = draw.size(1, 4), draw.size(1, 4)
    down, across = model.tile_bounds(found.n_q, height), model.tile_bounds(found.n_k, width)
    for length, tiles, bounds in ((found.n_q, height, down), (found.n_k, width, across)):
        yield bounds, [t * length // min(tiles, length) for t in range(min(tiles, length) + 1)]
    for stage in model.Stage:
        picture = found.pooled(stage, height, width)
        hides = stage in (model.Stage.MASKED, model.Stage.WEIGHTS)
        seen = mask if hides else np.ones_like(mask)
        values, hidden = np.zeros(picture.values.shape, plain.Long), np.zeros(picture.masked.shape, bool)
        for i, j in np.ndindex(*values.shape):
            tile = slice(down[i], down[i + 1]), slice(across[j], across[j + 1])
            members = list(stages[stage.value][tile][seen[tile]])
            hidden[i, j] = not members
            empty = plain.Long(0) if stage is model.Stage.WEIGHTS else plain.Long(-np.inf)
            values[i, j] = max(members, key=lambda one: (abs(one), one), default=empty)
        yield picture.values, values
        yield picture.masked, hidden
    both = found.survey(height, width)
    yield both[0].values, found.pooled(model.Stage.WEIGHTS, height, width).values
