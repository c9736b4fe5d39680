"""The families that .gguf files are opened of, as llama.cpp writes them: names of tensors, and what headers say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import NormPlace, NormSpec, QkNorm, Rope, Spec
from attention_explorer.sources.models.family import AttentionNames, NetworkNames, TowerNames
from attention_explorer.sources.models.reading import (
    FULL,
    SLIDING,
    every,
    layers_alike,
    read_count,
    read_sizes,
    with_kinds,
    with_rope,
    with_windows,
)
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.rope_settings import (
    Yarn,
    checked_rope,
    inverse_wavelengths,
    plain_rope,
    yarn_rope,
)
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors


class GgufFamily(NamedTuple):
    """A family of models in .gguf files."""

    names: TowerNames
    spec: Callable[[Settings, Tensors, int | None], Spec]
    """Of what the header says behind the name of the family, the tensors, and how many tokens are listed."""


_ATTENTION = AttentionNames(("attn_q", "attn_k", "attn_v"), "attn_output", ("attn_norm",))
_NAMES = TowerNames(
    words="token_embd.weight",
    layer="blk.{}.",
    attention=_ATTENTION,
    network=NetworkNames(("ffn_gate", "ffn_up"), "ffn_down", ("ffn_norm",)),
    final_norm="output_norm",
)
_QK_NORMED = replace(_NAMES, attention=replace(_ATTENTION, qk_norms=("attn_q_norm", "attn_k_norm")))
_WITH_BIAS = {"attn_q": ("q", "k", "v"), "attn_output": ("output",), "ffn_up": ("up", "down")}
"""Tensors by whose bias, in the first layer, it is told which projections have one: no setting says it."""
_FREQUENCIES = "rope_freqs.weight"
_SHORT, _LONG = "rope_factors_short.weight", "rope_factors_long.weight"
_TURNLESS = 4
"""Every so many-th layer of SmolLM3 has no positions."""
_PATTERN, _FINAL_CAP = "attention.sliding_window_pattern", "final_logit_softcapping"
_SCALED_BY_WIDTH = (46, 62)
"""How many layers the Gemmas of 27 B have, whose scores are divided by √(d_model ÷ heads): no setting says it."""
_YARN_TURNS = (("fast", 32.0), ("slow", 1.0))


def _llama_like(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Return what all families have in common."""
    sizes = read_sizes(
        said,
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
    )
    width = sizes["head_width"]
    if said.whole("attention.value_length", width) != width:
        value = said.peek("attention.value_length")
        raise refused(said, "attention.value_length", value, "Values of another length than keys are not supported.")
    with_bias = (parts for name, parts in _WITH_BIAS.items() if tensors.has(f"blk.0.{name}.bias"))
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size", words),
        layers=layers_alike(read_count(said, "block_count"), width**-0.5),
        is_causal=True,
        norm=NormSpec(NormKind.RMS, said.number("attention.layer_norm_rms_epsilon"), NormPlace.PRE),
        activation="silu",
        gated=True,
        biases=frozenset(part for parts in with_bias for part in parts),
    )


def _llama(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Llama: Touvron et al. 2023.

    llama.cpp turns neighbouring pairs of features here, so the rows of queries and keys lie in another order than in a
    Hugging Face folder; scores are the same.
    """
    spec = _llama_like(said, tensors, words)
    return with_rope(spec, _rope(said, tensors, spec.head_width, interleaved=True))


def _qwen2(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Qwen2: Yang et al. 2024, section 2.2. Rows lie as in a folder, here and in the other families."""
    spec = _llama_like(said, tensors, words)
    return with_rope(spec, _rope(said, tensors, spec.head_width))


def _qwen3(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Qwen3: Yang et al. 2025, section 2."""
    return replace(_qwen2(said, tensors, words), qk_norm=QkNorm.HEAD)


def _gemma(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Return what Gemma 2 and 3 have in common; the 1 that is added to gains is in the file already."""
    spec = _llama_like(said, tensors, words)
    usual = spec.head_width if len(spec.layers) not in _SCALED_BY_WIDTH else spec.width // spec.heads
    scale = said.number("attention.scale", usual**-0.5)
    return replace(
        spec,
        layers=tuple(layer._replace(scale=scale) for layer in spec.layers),
        norm=spec.norm._replace(place=NormPlace.SANDWICH),
        activation="gelu_pytorch_tanh",
        embedding_scale=spec.width**0.5,
    )


def _gemma2(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Gemma 2: Gemma team 2024, section 2."""
    spec = _gemma(said, tensors, words)
    rope = _rope(said, tensors, spec.head_width)
    kinds = _kinds(said, len(spec.layers), 2)
    spec = with_kinds(spec, kinds, said.whole("attention.sliding_window", 4096), {FULL: rope, SLIDING: rope})
    caps = (said.number(f"{what}_logit_softcapping", usual) for what, usual in (("attn", 50.0), ("final", 30.0)))
    return replace(spec, soft_cap=next(caps), logit_cap=next(caps))


def _gemma3(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Gemma 3: Gemma team 2025, section 2.

    Older files do not say the base of layers with a window, nor which these are: it is 10 000, and five in six.
    """
    spec = _gemma(said, tensors, words)
    base, width = said.number("rope.freq_base_swa", 10000.0), spec.head_width
    ropes = {
        FULL: _rope(said, tensors, width, usual_base=1_000_000.0),
        SLIDING: checked_rope(said, base, lambda: plain_rope(base, width)),
    }
    spec = with_kinds(spec, _kinds(said, len(spec.layers), 6), said.whole("attention.sliding_window"), ropes)
    cap = said.number(_FINAL_CAP) if said.has(_FINAL_CAP) else None
    return replace(spec, qk_norm=QkNorm.HEAD, logit_cap=cap)


def _smollm3(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """SmolLM3: every fourth layer has no positions, which no setting says."""
    spec = _llama(said, tensors, words)
    turns = (bool(place % _TURNLESS) for place in range(1, len(spec.layers) + 1))
    layers = (layer if turned else layer._replace(rope=None) for layer, turned in zip(spec.layers, turns, strict=True))
    return replace(spec, layers=tuple(layers))


def _granite(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Granite 3 and 4, dense: Granite team 2024, section 2. Rows lie as those of Llama."""
    spec = _llama(said, tensors, words)
    scale = said.number("attention.scale", spec.head_width**-0.5)
    return replace(
        spec,
        layers=tuple(layer._replace(scale=scale) for layer in spec.layers),
        embedding_scale=said.number("embedding_scale", 1.0),
        residual_scale=said.number("residual_scale", 1.0),
        logit_scale=1.0 / said.number("logit_scale", 1.0),
    )


def _olmo2(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """OLMo 2: OLMo team 2024, section 3.3."""
    spec = _qwen2(said, tensors, words)
    return replace(spec, norm=spec.norm._replace(place=NormPlace.INNER), qk_norm=QkNorm.WHOLE)


def _phi3(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Phi-3 and Phi-4 mini: Abdin et al. 2024, section 2. A window of 0 stands for none."""
    spec = _llama_like(said, tensors, words)
    window = said.whole("attention.sliding_window", 0, least=0) or None
    turned = said.whole("rope.dimension_count", spec.head_width)
    if turned % 2 or turned > spec.head_width:
        raise FileError(f"{said.where} turns {turned} of the {spec.head_width} features of a head: it is damaged.")
    base = said.number("rope.freq_base", 10000.0)
    said.one_of("rope.scaling.type", ("none", "longrope"), "none")
    rope = checked_rope(said, base, lambda: _longrope(said, tensors, inverse_wavelengths(base, turned)))
    return with_windows(with_rope(spec, rope), (window,) * len(spec.layers))


def _longrope(said: Settings, tensors: Tensors, plain: Floats) -> Rope:
    """Return a rotation with a factor for each pair, if the file has any: Ding et al. 2024."""
    if not tensors.has(_LONG):
        return Rope(lambda _n: plain)
    short, long = (_divided(said, plain, tensors.vector(name, len(plain))(), name) for name in (_SHORT, _LONG))
    trained = said.whole("rope.scaling.original_context_length", said.whole("context_length"))
    return Rope(lambda n: long if n > trained else short, said.number("rope.scaling.attn_factor", 1.0))


def _kinds(said: Settings, count: int, usual: int) -> tuple[str, ...]:
    """Return the kind of each layer: by a list of which have a window, by every how many-th has none, or as usual."""
    pattern = said.peek(_PATTERN)
    if not isinstance(pattern, np.ndarray):
        return every(said.whole(_PATTERN, usual), count)
    has_window = said.flags(_PATTERN)
    if len(has_window) != count:
        raise FileError(f"{said.where} has {count} layers and {len(has_window)} of their types: it is damaged.")
    return tuple(SLIDING if each else FULL for each in has_window)


def _rope(
    said: Settings, tensors: Tensors, width: int, *, interleaved: bool = False, usual_base: float = 10000.0
) -> Rope:
    """Return how queries and keys are turned, in the way in which that was stretched for longer texts."""
    if width % 2:
        raise FileError(f"{said.where} says a head of {width} features, but rotary turns pairs of them.")
    turned = said.whole("rope.dimension_count", width)
    if turned != width:
        raise refused(
            said, "rope.dimension_count", turned, "Models that turn only a part of each head are not supported."
        )
    base = said.number("rope.freq_base", usual_base)
    kind = said.one_of("rope.scaling.type", ("none", "linear", "yarn"), "none")
    factor = 1.0 if kind == "none" else said.number("rope.scaling.factor")
    if kind == "yarn":
        trained = said.whole("rope.scaling.original_context_length", said.whole("context_length"))
        fast, slow = (said.number(f"rope.scaling.yarn_beta_{name}", usual) for name, usual in _YARN_TURNS)
        yarn = Yarn(factor, trained, fast, slow)
        return replace(checked_rope(said, base, lambda: yarn_rope(base, width, yarn)), interleaved=interleaved)
    frequencies = inverse_wavelengths(base, width) / np.float32(factor)
    if tensors.has(_FREQUENCIES):  # Llama 3's stretching, by pair
        frequencies = _divided(said, frequencies, tensors.vector(_FREQUENCIES, width // 2)())
    return checked_rope(said, base, lambda: Rope(lambda _n: frequencies, interleaved=interleaved))


def _divided(said: Settings, frequencies: Floats, factors: Floats, name: str = _FREQUENCIES) -> Floats:
    if not (factors > 0.0).all():
        raise FileError(f"{quoted(name)} of {said.where} holds numbers that are not above 0: it is damaged.")
    return np.asarray(frequencies / factors)


_GEMMA2_NAMES = replace(
    _NAMES,
    attention=replace(_ATTENTION, norms=("attn_norm", "post_attention_norm")),
    network=replace(_NAMES.network, norms=("ffn_norm", "post_ffw_norm")),
)
_GEMMA3_NAMES = replace(
    _GEMMA2_NAMES, attention=replace(_GEMMA2_NAMES.attention, qk_norms=("attn_q_norm", "attn_k_norm"))
)
_OLMO2_NAMES = replace(
    _NAMES,
    attention=replace(_QK_NORMED.attention, norms=("post_attention_norm",)),
    network=replace(_NAMES.network, norms=("post_ffw_norm",)),
)
_PHI3_NAMES = replace(
    _NAMES,
    attention=replace(_ATTENTION, project=("attn_qkv",)),
    network=replace(_NAMES.network, up=("ffn_up",)),
)
ARCHITECTURES: Mapping[str, GgufFamily] = {
    "llama": GgufFamily(_NAMES, _llama),
    "qwen2": GgufFamily(_NAMES, _qwen2),
    "qwen3": GgufFamily(_QK_NORMED, _qwen3),
    "gemma2": GgufFamily(_GEMMA2_NAMES, _gemma2),
    "gemma3": GgufFamily(_GEMMA3_NAMES, _gemma3),
    "smollm3": GgufFamily(_NAMES, _smollm3),
    "granite": GgufFamily(_NAMES, _granite),
    "olmo2": GgufFamily(_OLMO2_NAMES, _olmo2),
    "phi3": GgufFamily(_PHI3_NAMES, _phi3),
}
"""By what the header calls them."""
