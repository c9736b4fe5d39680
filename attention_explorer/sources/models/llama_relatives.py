"""Decoders that are Llama with something else: SmolLM3, Phi-3 and 4 mini, OLMo 2, Granite."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from attention_explorer.errors import FileError
from attention_explorer.model.transformer import NormPlace, QkNorm, Spec
from attention_explorer.sources.models.decoders import LLAMA, LLAMA_ATTENTION, LLAMA_NAMES, llama_like
from attention_explorer.sources.models.family import NetworkNames, Tower
from attention_explorer.sources.models.reading import (
    FULL,
    SLIDING,
    read_biases,
    read_kinds,
    with_windows,
)
from attention_explorer.sources.models.rope_settings import DEFAULT, LONGROPE, RopeNames
from attention_explorer.sources.models.settings import Settings

_QKV = ("q", "k", "v")

# ---- SmolLM3 ----


def _smollm3(said: Settings) -> Spec:
    """SmolLM3: every fourth layer has no positions (NoPE: Kazemnejad et al. 2023).

    What a configuration leaves out is what ``configuration_smollm3.py`` of transformers takes then.
    """
    said.whole("num_key_value_heads")  # where it is missing, transformers takes 4, and not one for each head
    spec = llama_like(said, RopeNames(usual_base=2_000_000.0))
    count, biases = len(spec.layers), read_biases(said, "attention_bias", *_QKV, "output")
    step = said.whole("no_rope_layer_interval", 4)
    turns = said.flags("no_rope_layers") or tuple(bool(place % step) for place in range(1, count + 1))
    if len(turns) != count:
        raise FileError(f"{said.where} has {count} layers, and says of {len(turns)} whether they turn: it is damaged.")
    layers = (layer if turned else layer._replace(rope=None) for layer, turned in zip(spec.layers, turns, strict=True))
    spec = replace(spec, layers=tuple(layers), biases=biases | read_biases(said, "mlp_bias", "up", "down"))
    size = said.whole("sliding_window") if said.has("sliding_window") else None
    has_size = said.flag("use_sliding_window", False) and size is not None
    kinds = read_kinds(said, [FULL if turned or not has_size else SLIDING for turned in turns])
    if SLIDING in kinds and not has_size:
        raise FileError(f"{said.where} has windows without their size: it is damaged.")
    return with_windows(spec, [size if kind == SLIDING else None for kind in kinds])


# ---- Phi-3 and Phi-4 mini ----

_PHI3_NAMES = replace(
    LLAMA_NAMES,
    attention=replace(LLAMA_ATTENTION, project=("self_attn.qkv_proj",)),
    network=NetworkNames(("mlp.gate_up_proj",), "mlp.down_proj", ("post_attention_layernorm",)),
)
_PHI3_ROPE = RopeNames(
    share="partial_rotary_factor",
    kinds=MappingProxyType({DEFAULT: DEFAULT, LONGROPE: LONGROPE, "su": LONGROPE, "yarn": LONGROPE}),
    usual_trained=4096,
)
"""Older files say “su”, or “yarn”, and mean LongRoPE (``configuration_phi3.py`` of transformers)."""


def _phi3(said: Settings) -> Spec:
    """Phi-3 mini: Abdin et al. 2024, section 2; Phi-4 mini turns three quarters of each head."""
    spec = llama_like(said, _PHI3_ROPE)
    window = said.whole("sliding_window") if said.has("sliding_window") else None
    return with_windows(spec, (window,) * len(spec.layers))


# ---- OLMo 2 ----

_OLMO2_NAMES = replace(
    LLAMA_NAMES,
    attention=replace(
        LLAMA_ATTENTION, norms=("post_attention_layernorm",), qk_norms=("self_attn.q_norm", "self_attn.k_norm")
    ),
    network=replace(LLAMA_NAMES.network, norms=("post_feedforward_layernorm",)),
)


def _olmo2(said: Settings) -> Spec:
    """OLMo 2: OLMo team 2024, section 3.3. Norms stand behind each part, and queries and keys are normed as a whole."""
    spec = llama_like(said)
    return replace(
        spec,
        norm=spec.norm._replace(place=NormPlace.INNER),
        qk_norm=QkNorm.WHOLE,
        biases=read_biases(said, "attention_bias", *_QKV, "output"),
    )


# ---- Granite ----


def _granite(said: Settings) -> Spec:
    """Granite 3 and 4, dense, with factors in four places: Granite team 2024, section 2."""
    spec, scale = llama_like(said), said.number("attention_multiplier", 1.0)
    biases = read_biases(said, "attention_bias", *_QKV, "output") | read_biases(said, "mlp_bias", "up", "down")
    return replace(
        spec,
        layers=tuple(layer._replace(scale=scale) for layer in spec.layers),
        embedding_scale=said.number("embedding_multiplier", 1.0),
        residual_scale=said.number("residual_multiplier", 1.0),
        logit_scale=1.0 / said.number("logits_scaling", 1.0),
        biases=biases,
    )


SMOLLM3 = replace(LLAMA, towers=(Tower(spec=_smollm3, names=LLAMA_NAMES),), usually_tied=True)
PHI3 = replace(LLAMA, towers=(Tower(spec=_phi3, names=_PHI3_NAMES),))
OLMO2 = replace(LLAMA, towers=(Tower(spec=_olmo2, names=_OLMO2_NAMES),))
GRANITE = replace(LLAMA, towers=(Tower(spec=_granite, names=LLAMA_NAMES),))
