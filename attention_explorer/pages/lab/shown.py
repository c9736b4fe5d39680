"""What lessons can ask of the Lab page besides its fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from attention_explorer.core.named import (
    ExpressionError,
    Member,
    Members,
    Shown,
    number_of,
)
from attention_explorer.model import ModelSize
from attention_explorer.pages.lab.bench import BenchPicture, bench_picture
from attention_explorer.pages.lab.cost_layer import layer_picture
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.scores import scores_picture
from attention_explorer.pages.lab.scores_state import ScalingState


def scaling_members(state: ScalingState) -> Members:
    """Return what is known of the scores that are drawn, and of the softmax bench."""

    def drawn(what: str, words: str, *, scaled: bool) -> Callable[[], Member]:
        kind = "scaled" if scaled else "raw"
        return lambda: Shown(getattr(scores_picture(state).of(scaled).summary, what).value, words.format(kind))

    def bench(read: Callable[[BenchPicture], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(bench_picture(state.bench)), name)

    numbers: Members = {}
    for scaled, kind in ((False, "raw"), (True, "scaled")):
        numbers[f"{kind}_std"] = partial(_predicted_std, state, scaled=scaled)
        numbers[f"{kind}_largest"] = drawn("largest", "the mean largest weight of {} scores", scaled=scaled)
        numbers[f"{kind}_saturated"] = drawn("saturated", "the share of sharp rows of {} scores", scaled=scaled)
    return {
        **numbers,
        "bench_scores": bench(lambda b: b.scores[b.row], lambda *i: f"score {number_of(i)}".strip()),
        "bench_weights": bench(lambda b: b.weights[b.row].astype(float), lambda *i: f"weight {number_of(i)}".strip()),
        "bench_largest": bench(lambda b: b.weights.astype(float).max(axis=1), lambda *i: f"row {number_of(i)}".strip()),
        "bench_gap": bench(lambda b: b.gap, "the largest score minus the second"),
        "bench_slope": bench(lambda b: b.slope, "p (1 − p) of the largest weight p"),
        "bench_fault": bench(lambda b: b.fault.value, "sound | NaN | all zero"),
    }


def _predicted_std(state: ScalingState, *, scaled: bool) -> Shown:
    words = f"the predicted standard deviation of {'scaled' if scaled else 'raw'} scores"
    return Shown(state.setting.predicted_std(scaled), words)


def cost_members(state: CostState) -> Members:
    """Return what is counted, and how it grows."""

    def counted(read: Callable[[ModelSize], float], words: str) -> Callable[[], Member]:
        return lambda: Shown(read(sizes()), words)

    def sizes() -> ModelSize:
        cost = layer_picture(state).cost
        if cost is None:
            raise ExpressionError(f"Cost on the page Lab refuses its settings: {layer_picture(state).reason}")
        return cost

    def growth(read: Callable[[ModelSize], float], words: str) -> Callable[[], Member]:
        return counted(lambda size: read(size.at(2 * size.tokens)) / read(size), f"{words} when n doubles")

    return {
        "matrix": counted(lambda size: size.matrix_elements, "how many weights the map of one head has"),
        "matrix_bytes": counted(lambda size: size.matrix_bytes, "the bytes of one map"),
        "cache": counted(lambda size: size.cache_elements, "how many numbers the KV cache has"),
        "parameters": counted(lambda size: size.parameters, "how many numbers are learned"),
        "matrix_growth": growth(lambda size: size.matrix_elements, "how much larger a map gets"),
        "layer_growth": growth(_layer_operations, "how much more a layer computes"),
    }


def _layer_operations(size: ModelSize) -> float:
    return size.projection_flops + size.score_flops + size.weighted_value_flops + size.feed_forward_flops
