"""The numbers in ``tests/data``, most of them computed with mpmath at 50 digits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from attention_explorer import model
from tests.truth.draw import Draw
from tests.truth.register import EXACT, REFERENCE, Pair, checks


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / name).read_text(encoding="utf-8"))
    return found


def _numbers(row: list[float | str]) -> list[float]:
    """Return numbers, also those that JSON has no word for: "-inf"."""
    return [float(one) for one in row]


NUMBERS, POSITIONS, COST = (_read(f"reference{part}.json") for part in ("", "_positions", "_cost"))


@checks("softmax", "entropy", bound=64, against=REFERENCE)
def softmax(_: Draw) -> Iterator[Pair]:
    for case in NUMBERS["softmax"]["cases"]:
        wanted = case["safe_zero"] if case["expected"] is None else case["expected"]
        yield model.softmax(_numbers(case["x"])), wanted
    for case in NUMBERS["temperature"]["cases"]:
        weights = model.softmax(NUMBERS["temperature"]["scores"], temperature=case["T"])
        yield weights, case["weights"]
        # Beside 1: near certainty an entropy is what rounding left of the weights.
        yield np.array([model.entropy(weights), 1.0]), np.array([case["entropy_nats"], 1.0])


@checks("softmax_jacobian", "softmax_gradient_norm", bound=8, against=REFERENCE)
def jacobian(_: Draw) -> Iterator[Pair]:
    held = NUMBERS["softmax_jacobian"]
    yield model.softmax_jacobian(held["logits"]), held["jacobian"]
    yield model.softmax_gradient_norm(held["logits"]), held["frobenius"]


@checks("two_key_slope", bound=8, against=REFERENCE)
def two_key_slope(_: Draw) -> Iterator[Pair]:
    for case in NUMBERS["softmax_jacobian"]["saturation"]:
        yield model.two_key_slope(case["gap"]), case["dp_dgap"]


@checks("lookup", bound=8, against=REFERENCE)
def lookup(_: Draw) -> Iterator[Pair]:
    for case in NUMBERS["lookup"]["cases"]:
        for scaled, name in ((False, "soft_unscaled"), (True, "soft_scaled_sqrt_dk")):
            found = model.lookup(case["q"], case["K"], case["V"], scaled=scaled)
            yield found.weights, case[name]["weights"]
            yield found.output, case[name]["output"]
        yield model.lookup(case["q"], case["K"], case["V"], hard=True).output, case["hard"]["output"]
    for case in NUMBERS["three_key"]["cases"]:
        found = model.lookup(case["q"], NUMBERS["three_key"]["K"], NUMBERS["three_key"]["V"], scaled=True)
        yield found.weights, case["weights"]
        yield found.output, case["output"]


@checks("lookup_gradient", bound=16, against=REFERENCE)
def lookup_gradient(_: Draw) -> Iterator[Pair]:
    held = NUMBERS["soft_lookup_2key"]
    keys = [held["k1"], held["k2"]]
    yield model.lookup_gradient(held["q"], keys, keys).output, held["d_output_d_q"]
    yield model.lookup_gradient(held["q"], keys, keys, hard=True).output, held["hard_d_output_d_q"]


@checks("scaled_dot_product_attention", "Attention", bound=16, against=REFERENCE)
def attention(_: Draw) -> Iterator[Pair]:
    for name in ("plain", "causal"):
        held = NUMBERS["sdpa_2d"][name]
        mask = np.array(held["mask_1_visible"], bool) if name == "causal" else None
        yield from _stages(held, held["expected"], mask)
    held = NUMBERS["sdpa_batched"]
    yield from _stages(held, held["expected"]["no_mask"], None)
    yield from _stages(held, held["expected"]["causal"], model.causal_mask(3))
    held = NUMBERS["cross_attention"]
    yield from _stages(held, held["expected"], None)


def _stages(held: dict[str, Any], expected: dict[str, Any], mask: Any) -> Iterator[Pair]:
    found = model.scaled_dot_product_attention(held["Q"], held["K"], held["V"], mask=mask)
    for name, wanted in expected.items():
        yield getattr(found, {"scores_scaled_premask": "scaled"}.get(name, name)), wanted


@checks("MultiHeadAttention", "MultiHeadTrace", bound=64, against=REFERENCE)
def multi_head(_: Draw) -> Iterator[Pair]:
    numbers = np.random.RandomState(42)
    x, *matrices = (numbers.randn(6, 64), *(numbers.randn(64, 64) * 0.3 for _ in range(4)))
    found = model.MultiHeadAttention(*matrices, 8)(x)
    yield found.weights, NUMBERS["multi_head"]["expected"]["weights"]
    yield found.output, NUMBERS["multi_head"]["expected"]["output"]


@checks("filled_weights", "MaskFill", bound=4, against=REFERENCE)
def filled(_: Draw) -> Iterator[Pair]:
    held = NUMBERS["mask_fill"]
    mask, scores = np.array([held["mask_1_visible"]], bool), [held["scores"]]
    yield model.filled_weights(scores, mask, model.MaskFill.MINUS_INFINITY), [held["weights"]]
    leak = held["leak_demo"]
    mask, scores = np.array([leak["mask_1_visible"]], bool), [leak["scores"]]
    yield model.filled_weights(scores, mask, model.MaskFill.MINUS_INFINITY), [leak["minus_inf_fill"]]
    yield model.filled_weights(scores, mask, model.MaskFill.LARGE_NEGATIVE), [leak["minus_1e9_fill_where"]]


@checks("layer_norm", bound=8, against=REFERENCE)
def layer_norm(_: Draw) -> Iterator[Pair]:
    held = NUMBERS["layer_norm"]
    for inside, name in ((True, "eps_inside_sqrt"), (False, "eps_outside_sqrt")):
        yield model.layer_norm(held["x"], eps=held["eps"], eps_inside_sqrt=inside), held[name]


@checks("EncoderLayer", "EncoderTrace", bound=64, against=REFERENCE)
def encoder(_: Draw) -> Iterator[Pair]:
    held = NUMBERS["encoder_layer"]
    matrices = {name.lower(): numbers for name, numbers in held["params"].items()}
    for name, expected in held["expected"].items():
        inside = name.startswith("eps_inside")
        layer = model.EncoderLayer(**matrices, heads=held["heads"], eps=held["eps"], eps_inside_sqrt=inside)
        found = layer(held["X"], mask=model.causal_mask(3) if name.endswith("causal") else None)
        yield found.output, expected["output"]
        if "attention_weights" in expected:
            yield found.weights, expected["attention_weights"]


@checks("sinusoidal_encoding", "sinusoidal_rows", bound=64, against=REFERENCE)
def sinusoidal(_: Draw) -> Iterator[Pair]:
    held = POSITIONS["positional_encoding"]
    length, d_model = held["shape"]
    for row, wanted in held["rows"].items():
        yield model.sinusoidal_encoding(length, d_model)[int(row)], wanted
        yield model.sinusoidal_rows([int(row)], d_model)[0], wanted


@checks("alibi_slopes", "alibi_bias", bound=2, against=REFERENCE)
def alibi(_: Draw) -> Iterator[Pair]:
    for heads, wanted in POSITIONS["alibi"]["slopes"].items():
        yield model.alibi_slopes(int(heads)), wanted
    held = POSITIONS["alibi"]["bias_head0_n4"]
    causal = np.array([_numbers(row) for row in held["bias"]])
    yield np.where(model.causal_mask(4), model.alibi_bias(held["heads"], 4)[0], -np.inf), causal


@checks("ModelSize", "GPT2_SMALL", "GPT2_XL", "LONG_CONTEXT", bound=EXACT, against=REFERENCE)
def cost(_: Draw) -> Iterator[Pair]:
    named = (model.GPT2_SMALL, model.GPT2_XL, model.LONG_CONTEXT)
    for case in COST["cases"]:
        size = model.ModelSize(case["n"], case["d_model"], case["heads"], case["layers"])
        yield size.matrix_elements, case["elements_one_matrix"]
        yield size.all_matrix_elements, case["elements_all"]
        if "layer_flops_mul_add" in case:
            yield size.layer_flops, case["layer_flops_mul_add"]
        for known in named:
            if (known.tokens, known.d_model, known.layers) == (size.tokens, size.d_model, size.layers):
                yield (known.flops, known.parameters), (size.flops, size.parameters)
    yield [sum(_is(known, case) for case in COST["cases"]) for known in named], [1, 1, 1]


def _is(size: model.ModelSize, case: dict[str, Any]) -> bool:
    return (size.tokens, size.heads, size.layers) == (case["n"], case["heads"], case["layers"])
