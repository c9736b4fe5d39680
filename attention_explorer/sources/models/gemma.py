"""Gemma 2 and 3, whose layers are of two kinds: Gemma team 2024, section 2; Gemma team 2025, section 2."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.errors import FileError
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import NormPlace, NormSpec, QkNorm, Spec
from attention_explorer.sources.models.decoders import LLAMA, LLAMA_ATTENTION, LLAMA_NAMES
from attention_explorer.sources.models.family import Family, Tower
from attention_explorer.sources.models.reading import (
    FULL,
    SLIDING,
    every,
    layers_alike,
    read_activation,
    read_biases,
    read_count,
    read_kinds,
    read_sizes,
    with_kinds,
)
from attention_explorer.sources.models.rope_settings import RopeNames, read_rope, read_ropes
from attention_explorer.sources.models.settings import Settings

_NAMES = replace(
    LLAMA_NAMES,
    attention=replace(LLAMA_ATTENTION, norms=("input_layernorm", "post_attention_layernorm")),
    network=replace(LLAMA_NAMES.network, norms=("pre_feedforward_layernorm", "post_feedforward_layernorm")),
)
_GEMMA3_NAMES = replace(_NAMES, attention=replace(_NAMES.attention, qk_norms=("self_attn.q_norm", "self_attn.k_norm")))
_GEMMA3_ROPES = {FULL: RopeNames("rope_theta", 1_000_000.0), SLIDING: RopeNames("rope_local_base_freq", 10_000.0)}


def _gemma(said: Settings) -> Spec:
    """Return what both have in common: gains that 1 is added to, and norms on both sides of each part."""
    said.whole("num_key_value_heads")  # where it is missing, transformers takes 4, and not one for each head
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads")
    sizes["head_width"] = said.whole("head_dim", 256)
    scale = said.number("query_pre_attn_scalar", 256.0) ** -0.5
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, "num_hidden_layers"), scale),
        is_causal=True,
        norm=NormSpec(NormKind.RMS, said.number("rms_norm_eps", 1e-6), NormPlace.SANDWICH, adds_one=True),
        activation=read_activation(said, "hidden_activation", "gelu_pytorch_tanh"),
        gated=True,
        biases=read_biases(said, "attention_bias", "q", "k", "v", "output"),
        embedding_scale=sizes["width"] ** 0.5,
    )


def _cap(said: Settings, name: str, usual: float | None) -> float | None:
    """Return a cap; null stands for none."""
    return said.number(name, usual) if said.has(name) or (usual and not said.is_null(name)) else None


def _window(said: Settings, kinds: tuple[str, ...]) -> int:
    if SLIDING in kinds and said.is_null("sliding_window"):
        raise FileError(f"{said.where} has windows without their size: it is damaged.")
    return said.whole("sliding_window", 4096)


def _gemma2(said: Settings) -> Spec:
    """Gemma 2: every other layer sees all; scores and logits are capped."""
    spec = replace(
        _gemma(said),
        soft_cap=_cap(said, "attn_logit_softcapping", 50.0),
        logit_cap=_cap(said, "final_logit_softcapping", 30.0),
    )
    kinds, rope = read_kinds(said, every(2, len(spec.layers))), read_rope(said, spec.head_width)
    return with_kinds(spec, kinds, _window(said, kinds), {FULL: rope, SLIDING: rope})


def _gemma3(said: Settings) -> Spec:
    """Gemma 3: every sixth layer sees all, and turns more slowly.

    EmbeddingGemma looks both ways, half a window on each side (``configuration_gemma3.py`` of transformers).
    """
    spec = replace(_gemma(said), qk_norm=QkNorm.HEAD, logit_cap=_cap(said, "final_logit_softcapping", None))
    ropes = read_ropes(said, spec.head_width, _GEMMA3_ROPES, old=(FULL,))
    kinds = read_kinds(said, every(said.whole("sliding_window_pattern", 6), len(spec.layers)))
    window, both_ways = _window(said, kinds), said.flag("use_bidirectional_attention", False)
    spec = with_kinds(spec, kinds, window // 2 + 1 if both_ways else window, ropes)
    return replace(spec, is_causal=not both_ways)


GEMMA2: Family = replace(LLAMA, towers=(Tower(spec=_gemma2, names=_NAMES),), usually_tied=True)
GEMMA3 = replace(GEMMA2, towers=(Tower(spec=_gemma3, names=_GEMMA3_NAMES),))
