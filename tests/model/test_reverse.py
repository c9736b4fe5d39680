"""Gradients of random towers, by small moves of loops in Python's floats; the matrices of a head; slopes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plain_transformer import PlainTower
from test_changes import Case, drawn_case
from test_transformer_switches import SWITCHES, Chance, built, drawn_spec, drawn_weights

from attention_explorer.errors import ArrayError
from attention_explorer.model.transformer import Change, Transformer, head_weights, reverse, reverse_head
from attention_explorer.model.transformer.activations import ACTIVATIONS, SLOPES

STEP, CLOSE = 1e-6, 2e-4
"""Of small moves, and of gradients: float32 against moves of doubles."""
PARTS_OF_EACH = 4


def gradient_of(case: Case, d_logits: np.ndarray) -> Any:
    assert case.transformer.head is not None
    run = case.run()
    return reverse(run.main, reverse_head(case.transformer.head(), run.main.hidden[-1], d_logits))


def moved(case: Case, name: str, way: np.ndarray, by: float, d_logits: np.ndarray) -> float:
    """Return the number of which gradients are taken, with one part moved along a way."""
    found = case.expected(lambda part, array: array + by * way if part == name else array)
    return float((found.logits * d_logits).sum())


@pytest.mark.parametrize("switch", SWITCHES)
def test_gradients_are_what_small_moves_do(switch: str) -> None:
    """Of a tower with the switch: all of what enters the first layer, and some other parts."""
    chance = Chance(f"reverse {switch}")
    case = with_switch(switch, chance, two=chance.random() < 0.4 and switch != "side by side")
    draw = np.random.default_rng(chance.randrange(99))
    d_logits = draw.standard_normal(case.run().logits().shape)  # type: ignore[union-attr]
    found = gradient_of(case, d_logits.astype(np.float32))
    parts = named(found.layers[1], 1) | named(found.layers[0], 0)
    for name in ("0.residual", *chance.sample(list(parts), PARTS_OF_EACH)):
        compare(case, name, parts[name], d_logits, draw)


def with_switch(switch: str, chance: Chance, *, two: bool) -> Case:
    spec = replace(SWITCHES[switch](drawn_spec(chance), chance), kinds=0)
    case = drawn_case(chance, two=two)
    draw = np.random.default_rng(chance.randrange(2**32))
    weights, of_encoder = drawn_weights(spec, two, draw), drawn_weights(spec, False, draw) if two else None
    stack, head = built(spec, weights)
    encoder = None if of_encoder is None else built(spec, of_encoder)[0]
    return Case(Transformer(stack, encoder, lambda: head), case.given, case.target, spec, weights, of_encoder)


def named(gradient: Any, layer: int) -> dict[str, np.ndarray]:
    found = {f"{layer}.{part}": getattr(gradient, part) for part in ("residual", "between", "after", "network")}
    for kind, of in (("attention", gradient.attention), ("cross", gradient.cross)):
        if of is not None:
            parts = {"q": of.q, "k": of.k, "v": of.v, "scores": of.scores, "weights": of.weights, "head": of.mixed}
            found |= {f"{layer}.{kind}.{part}": array for part, array in parts.items()}
            found[f"{layer}.{kind}.attention"] = of.output
    return found


def compare(case: Case, name: str, array: np.ndarray, d_logits: np.ndarray, draw: np.random.Generator) -> None:
    """Move a part along a way that no other is like; of keys that heads share, all of them."""
    way = draw.standard_normal(array.shape)
    shared = case.spec.heads // case.spec.kv_heads if name.endswith((".k", ".v")) else 1
    up, down = (moved(case, name, np.repeat(way, shared, axis=0), by, d_logits) for by in (STEP, -STEP))
    size = float(np.linalg.norm(array) * np.linalg.norm(way))
    assert float((array * way).sum()) == pytest.approx((up - down) / (2 * STEP), abs=CLOSE * max(size, 1.0)), name


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_new", "silu"])
def test_slopes_are_what_small_moves_do(name: str) -> None:
    x = np.linspace(-9.0, 9.0, 91).astype(np.float32)
    up, down = (x.astype(np.float64) + by for by in (1e-3, -1e-3))
    for each in (up, down):
        ACTIVATIONS[name](each)
    away = np.abs(x) > 1e-3 if name == "relu" else np.ones(x.shape, np.bool_)
    np.testing.assert_allclose(SLOPES[name](x)[away], ((up - down) / 2e-3)[away], atol=5e-4)


def test_a_run_that_was_changed_has_no_gradients() -> None:
    case = drawn_case(Chance("bad"), two=False)
    run = case.run(Change("network", 0)).main
    with pytest.raises(ArrayError, match="without changes"):
        reverse(run, run.hidden[-1])
    with pytest.raises(ArrayError, match="d_hidden has shape"):
        reverse(case.run().main, np.zeros((2, 2), np.float32))


@pytest.mark.parametrize("switch", ["as drawn", "norms PRE", "norms POST", "norms SANDWICH", "no biases"])
def test_the_matrices_of_a_head_make_its_queries_keys_values_and_what_it_adds(switch: str) -> None:
    chance = Chance(f"matrices {switch}")
    case = with_switch(switch, chance, two=False)
    attention, run = case.transformer.main.layers[1].attention, case.run()
    layer = run.main.layer(1)
    norm, x = attention.norms.before, layer.residual
    entering = x if norm is None else norm(x)
    bare = x if norm is None else replace(norm, gain=np.ones_like(norm.gain), bias=None)(x)
    adds = np.zeros_like(x) if attention.output.bias is None else np.tile(attention.output.bias, (len(x), 1))
    for head in range(case.spec.heads):
        for folded, rows in ((False, entering), (True, bare)):
            of = head_weights(attention, head, folded=folded)
            np.testing.assert_allclose(rows @ of.v + of.v_bias, run.part("v", 1)[head], atol=1e-4)
            if case.spec.qk_norm.value == "none":
                np.testing.assert_allclose(rows @ of.q + of.q_bias, run.part("q", 1)[head], atol=1e-4)
                np.testing.assert_allclose(rows @ of.k + of.k_bias, run.part("k", 1)[head], atol=1e-4)
            np.testing.assert_allclose(of.ov(rows), rows @ (of.v @ of.o), atol=1e-4)
            np.testing.assert_allclose(of.qk(rows, rows), rows @ (of.q @ of.k.T) @ rows.T, rtol=1e-4, atol=1e-3)
        adds = adds + run.part("head", 1)[head] @ head_weights(attention, head).o
    np.testing.assert_allclose(adds, layer.attention.output, atol=1e-4)


def test_gradients_reach_the_encoder() -> None:
    """By small moves of what leaves it, along a direction."""
    case = drawn_case(Chance("encoder"), two=True)
    draw, run = np.random.default_rng(0), case.run()
    d_logits = draw.standard_normal(run.logits().shape)  # type: ignore[union-attr]
    found = gradient_of(case, d_logits.astype(np.float32))
    assert run.encoder is not None
    way = draw.standard_normal(run.encoder.hidden[-1].shape)
    ids = () if case.target is None else case.target.ids.tolist()
    tower = PlainTower(case.spec, case.weights)
    seen = (run.encoder.hidden[-1] + by * way for by in (STEP, -STEP))
    up, down = ((tower.run(ids, [0] * len(ids), each).logits * d_logits).sum() for each in seen)
    assert float((found.context * way).sum()) == pytest.approx((up - down) / (2 * STEP), rel=1e-3, abs=1e-3)
