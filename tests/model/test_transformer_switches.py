"""Every switch of a `Spec`, in random towers: what comes out is what loops in Python's floats compute."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plain_transformer import Found, PlainTower

from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import (
    PROJECTIONS,
    Attention,
    Blank,
    Buckets,
    Embedding,
    FastNorm,
    Head,
    Inputs,
    Layer,
    LayerSpec,
    Linear,
    Network,
    NormPlace,
    Norms,
    NormSpec,
    Places,
    QkNorm,
    RelativePositions,
    Rope,
    Spec,
    Stack,
    Transformer,
    bare,
)

CLOSE, CLOSE_NUMBERS = 2e-5, 2e-4
"""Of weights, and of numbers up to 30: rounding of float32 alone."""
WORDS, LENGTH, SEEN, ROOM = 11, 9, 4, 2**20
Chance = random.Random
Arrays = dict[str, np.ndarray]


# ---- A random tower ----


def drawn_spec(chance: Chance) -> Spec:
    """Draw every switch."""
    heads, kv_heads = chance.choice(((4, 4), (4, 2), (6, 2), (2, 1)))
    width, place = chance.choice((4, 6)), chance.choice(list(NormPlace))
    return Spec(
        width=chance.choice((10, 12)),
        inner=chance.choice((8, 14)),
        heads=heads,
        kv_heads=kv_heads,
        head_width=width,
        vocabulary=WORDS,
        layers=tuple(LayerSpec(str(layer), width**-0.5) for layer in range(2)),
        is_causal=chance.random() < 0.5,
        norm=NormSpec(chance.choice(list(NormKind)), chance.choice((1e-5, 1e-2)), place),
        activation=chance.choice(("relu", "gelu", "gelu_new", "silu")),
        gated=chance.random() < 0.5,
        biases=frozenset(name for name in sorted(PROJECTIONS) if chance.random() < 0.5),
        qk_norm=chance.choice(list(QkNorm)),
    )


def drawn_weights(spec: Spec, crosses: bool, draw: np.random.Generator) -> Arrays:
    """Draw every parameter, biases and norms too."""
    found: Arrays = {}
    d, narrow = spec.width, spec.narrow or spec.width

    def give(name: str, *shape: int, mean: float = 0.0) -> None:
        found[name] = (mean + 0.4 * draw.standard_normal(shape)).astype(np.float32)

    def norm(name: str, size: int) -> None:
        give(name, size, mean=1.0)
        if spec.norm.kind is NormKind.LAYER and spec.norm.has_bias:
            give(f"{name}.bias", size)

    def matrix(name: str, d_in: int, d_out: int, projection: str = "") -> None:
        give(name, d_in, d_out)
        if not projection or projection in spec.biases:
            give(f"{name}.bias", d_out)

    give("words", WORDS, narrow)
    norm("embedding", narrow)
    if spec.places is not None:
        give("places", spec.places.rows, d if spec.places.is_wide else narrow)
    if spec.kinds:
        give("kinds", spec.kinds, narrow)
    if spec.narrow is not None:
        matrix("widen", narrow, d)
    if spec.buckets is not None:
        give("relative", spec.buckets.number, spec.heads)
    for layer in range(len(spec.layers)):
        inner, keys = spec.heads * spec.head_width, spec.kv_heads * spec.head_width
        for part in ("attention", "cross") if crosses else ("attention",):
            at = f"{layer}.{part}"
            for name, size in (("q", inner), ("k", keys), ("v", keys)):
                matrix(f"{at}.{name}", d, size, name)
                if spec.qk_norm is not QkNorm.NONE and name != "v":
                    norm(f"{at}.{name}_norm", size if spec.qk_norm is QkNorm.WHOLE else spec.head_width)
            matrix(f"{at}.output", inner, d, "output")
            for place in spec.norm.place.value if spec.layers[layer].is_normed else ():
                norm(f"{at}.{place}", d)
        for name in ("gate", "up") if spec.gated else ("up",):
            matrix(f"{layer}.network.{name}", d, spec.inner, "up")
        matrix(f"{layer}.network.down", spec.inner, d, "down")
        for place in spec.norm.place.value:
            norm(f"{layer}.network.{place}", d)
    norm("final", d)
    matrix("head", d, WORDS)
    return found


def built(spec: Spec, w: Arrays) -> tuple[Stack, Head]:
    """Return the tower that the program runs."""

    def norm(name: str) -> FastNorm | None:
        return FastNorm(spec.norm.kind, w[name], w.get(f"{name}.bias"), spec.norm.eps) if name in w else None

    def linear(*names: str) -> Linear:
        biases = [w.get(f"{name}.bias", np.zeros(w[name].shape[1], np.float32)) for name in names]
        has_bias = any(f"{name}.bias" in w for name in names)
        joined = np.concatenate(biases) if has_bias else None
        return Linear(np.ascontiguousarray(np.concatenate([w[name] for name in names], axis=1)), joined)

    def norms(at: str) -> Norms:
        return Norms(*(norm(f"{at}.{place}") for place in Norms._fields))

    def attention(at: str, scale: float) -> Attention:
        q, k = norm(f"{at}.q_norm"), norm(f"{at}.k_norm")
        project = linear(f"{at}.q", f"{at}.k", f"{at}.v")
        return Attention(spec, scale, norms(at), project, linear(f"{at}.output"), (q, k) if q and k else None)

    layers = []
    for place, layer in enumerate(spec.layers):
        up = [f"{place}.network.{name}" for name in (("gate", "up") if spec.gated else ("up",))]
        network = Network(spec, norms(f"{place}.network"), linear(*up), linear(f"{place}.network.down"))
        cross = attention(f"{place}.cross", layer.scale) if f"{place}.cross.q" in w else None
        layers.append(Layer(spec, attention(f"{place}.attention", layer.scale), network, cross))
    widen = linear("widen") if "widen" in w else None
    embedding = Embedding(spec, lambda ids: w["words"][ids], w.get("places"), w.get("kinds"), norm("embedding"), widen)
    relative = None
    if spec.buckets is not None:
        relative = RelativePositions(w["relative"], spec.buckets.farthest, both_ways=not spec.is_causal)
    return Stack(spec, embedding, layers, norm("final"), relative), Head(
        linear("head"), spec.logit_scale, spec.logit_cap
    )


# ---- The switches ----


def layered(spec: Spec, *changes: dict[str, Any]) -> Spec:
    return replace(
        spec, layers=tuple(layer._replace(**change) for layer, change in zip(spec.layers, changes, strict=True))
    )


def rope(chance: Chance, width: int, turned: int) -> Rope:
    base = chance.choice((3.0, 500.0))
    frequencies = np.array([base ** (-2 * pair / width) for pair in range(turned // 2)], np.float32)
    return Rope(lambda _n: frequencies, interleaved=chance.random() < 0.5)


def turned(spec: Spec, chance: Chance, width: int) -> Spec:
    one = rope(chance, spec.head_width, width)
    return layered(spec, {"rope": one}, {"rope": one})


SWITCHES: dict[str, Callable[[Spec, Chance], Spec]] = {
    "as drawn": lambda spec, _: spec,
    "q and k normed by head": lambda spec, chance: replace(turned(spec, chance, 4), qk_norm=QkNorm.HEAD),
    "q and k normed as a whole": lambda spec, chance: replace(turned(spec, chance, 4), qk_norm=QkNorm.WHOLE),
    "scales": lambda spec, _: layered(spec, {"scale": 1.0}, {"scale": 0.1}),
    "soft cap": lambda spec, _: replace(spec, soft_cap=0.7),
    "buckets": lambda spec, _: replace(spec, buckets=Buckets(12, 11)),
    "one window": lambda spec, _: layered(spec, {"window": 3}, {"window": 3}),
    "windows by layer": lambda spec, _: layered(spec, {"window": 2}, {"window": None}),
    "symmetric windows": lambda spec, _: replace(layered(spec, {"window": 1}, {"window": 4}), is_causal=False),
    "rotary": lambda spec, chance: turned(spec, chance, spec.head_width),
    "rotary in a part": lambda spec, chance: turned(spec, chance, 2),
    "rotary by layer": lambda spec, chance: layered(
        spec, {"rope": rope(chance, 4, 4)}, {"rope": rope(chance, spec.head_width, 2)}
    ),
    "rotary but in one": lambda spec, chance: layered(spec, {"rope": rope(chance, 4, 4)}, {}),
    **{
        f"norms {place.name}": lambda spec, _, place=place: replace(spec, norm=spec.norm._replace(place=place))
        for place in NormPlace
    },
    "side by side": lambda spec, _: replace(spec, parallel=True, norm=spec.norm._replace(place=NormPlace.PRE)),
    "all biases": lambda spec, _: replace(spec, biases=PROJECTIONS),
    "some biases": lambda spec, _: replace(spec, biases=frozenset({"q", "v", "down"})),
    "no biases": lambda spec, _: replace(spec, biases=frozenset()),
    "factors": lambda spec, _: replace(spec, embedding_scale=3.5, residual_scale=0.6, logit_scale=0.25),
    "capped logits": lambda spec, _: replace(spec, logit_cap=1.5),
    "gate": lambda spec, _: replace(spec, gated=True),
    "places": lambda spec, _: replace(spec, places=Places(LENGTH + 2, 2)),
    "places behind padding": lambda spec, _: replace(spec, places=Places(LENGTH + 4, 4, 3)),
    "kinds": lambda spec, chance: replace(spec, kinds=chance.choice((1, 2))),
    "places of widened words": lambda spec, _: replace(spec, narrow=5, places=Places(LENGTH + 2, 2, is_wide=True)),
    "narrow words": lambda spec, _: replace(spec, narrow=5),
    "norms without a bias": lambda spec, _: replace(spec, norm=spec.norm._replace(kind=NormKind.LAYER, has_bias=False)),
    "a layer without a norm": lambda spec, _: layered(spec, {"is_normed": False}, {}),
    "a word without a vector": lambda spec, chance: replace(spec, blank=Blank(chance.randrange(WORDS), 0.12)),
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_does_what_loops_do(switch: str) -> None:
    for seed in range(4):
        chance = Chance(f"{switch} {seed}")
        compare(SWITCHES[switch](drawn_spec(chance), chance), chance, crosses=seed == 3)


def test_all_switches_at_once() -> None:
    """Any two of them may meet in a family that nobody has thought of."""
    names = list(SWITCHES)
    for seed in range(40):
        chance = Chance(f"all {seed}")
        spec = drawn_spec(chance)
        for name in chance.sample(names, 5):
            spec = SWITCHES[name](spec, chance)
        if spec.parallel:
            spec = replace(spec, norm=spec.norm._replace(place=NormPlace.PRE))
        compare(spec, chance, crosses=not spec.parallel and chance.random() < 0.3)


@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize("gains", [True, False])
def test_without_biases_or_gains_it_is_a_model_that_has_none(biases: bool, gains: bool) -> None:
    for seed, switch in enumerate(SWITCHES):
        chance = Chance(f"bare {switch}")
        spec = SWITCHES[switch](replace(drawn_spec(chance), biases=PROJECTIONS), chance)
        compare(spec, chance, crosses=seed % 4 == 3 and not spec.parallel, biases=biases, gains=gains)


def without(w: Arrays, *, biases: bool, gains: bool) -> Arrays:
    """Return the parameters of a model whose layers have no biases, or whose norms in them have learned nothing."""
    found = {}
    for name, array in w.items():
        path = name.removesuffix(".bias").split(".")
        is_norm = path[-1] in (*Norms._fields, "q_norm", "k_norm")
        if not path[0].isdecimal() or (gains if is_norm else biases):
            found[name] = array
        elif not name.endswith(".bias"):
            found[name] = np.ones_like(array) if is_norm else array
    return found


def compare(spec: Spec, chance: Chance, *, crosses: bool, biases: bool = True, gains: bool = True) -> None:
    draw = np.random.default_rng(chance.randrange(2**32))
    w = drawn_weights(spec, crosses, draw)
    ids = [chance.randrange(WORDS) for _ in range(LENGTH)]
    types = [chance.randrange(max(spec.kinds, 1)) for _ in ids]
    (stack, head), context = built(spec, w), None
    given = Inputs(np.array(ids), np.array(types) if any(types) else None)
    if crosses:
        of_encoder = drawn_weights(spec, False, draw)
        encoder, _ = built(spec, of_encoder)
        seen = Inputs(np.array(ids[:SEEN]))
        model = Transformer(stack, encoder, lambda: head)
        run = bare(model, biases=biases, gains=gains).run(seen, given, room=ROOM)
        assert run.encoder is not None
        context = run.encoder.hidden[-1]
        plain = PlainTower(spec, without(of_encoder, biases=biases, gains=gains))
        there = plain.run(ids[:SEEN], [0] * SEEN, None).hidden[-1]
        np.testing.assert_allclose(context, there, rtol=CLOSE_NUMBERS, atol=CLOSE_NUMBERS)
    else:
        run = bare(Transformer(stack, None, lambda: head), biases=biases, gains=gains).run(given, room=ROOM)
    expected = PlainTower(spec, without(w, biases=biases, gains=gains)).run(ids, types, context)
    agree(run, expected, crosses)


def agree(run: Any, expected: Found, crosses: bool) -> None:
    pairs = [*zip(run.main.weights, expected.weights, strict=True)]
    if crosses:
        pairs += zip(run.main.cross_weights, expected.cross, strict=True)
    for found, numbers in pairs:
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, numbers, rtol=0, atol=CLOSE)
    for found, numbers in (*zip(run.main.hidden, expected.hidden, strict=True), (run.logits(), expected.logits)):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, numbers, rtol=CLOSE_NUMBERS, atol=CLOSE_NUMBERS)


def test_scores_are_plain_where_they_are_only_divided() -> None:
    spec = drawn_spec(Chance("plain"))
    assert spec.divides_by_root
    others = ("scales", "soft cap", "buckets")
    assert not any(SWITCHES[name](spec, Chance(0)).divides_by_root for name in others)
