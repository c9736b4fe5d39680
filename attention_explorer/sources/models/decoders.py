"""Decoders, which predict the next word: Llama and its relatives, and GPT-2."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import NormPlace, NormSpec, Places, QkNorm, Spec
from attention_explorer.sources.models.family import AttentionNames, Family, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.reading import (
    layers_alike,
    read_activation,
    read_biases,
    read_count,
    read_sizes,
    read_windows,
    with_windows,
)
from attention_explorer.sources.models.rope_settings import RopeNames, read_rope
from attention_explorer.sources.models.settings import Settings

LLAMA_ATTENTION = AttentionNames(
    ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), "self_attn.o_proj", ("input_layernorm",)
)
LLAMA_NAMES = TowerNames(
    words="embed_tokens.weight",
    layer="layers.{}.",
    attention=LLAMA_ATTENTION,
    network=NetworkNames(("mlp.gate_proj", "mlp.up_proj"), "mlp.down_proj", ("post_attention_layernorm",)),
    final_norm="norm",
)
_QWEN3_NAMES = replace(
    LLAMA_NAMES, attention=replace(LLAMA_ATTENTION, qk_norms=("self_attn.q_norm", "self_attn.k_norm"))
)
_GPT2_NAMES = TowerNames(
    words="wte.weight",
    places="wpe.weight",
    layer="h.{}.",
    attention=AttentionNames(("attn.c_attn",), "attn.c_proj", ("ln_1",)),
    network=NetworkNames(("mlp.c_fc",), "mlp.c_proj", ("ln_2",)),
    final_norm="ln_f",
    input_first=True,
)
_QKV = ("q", "k", "v")


def llama_like(said: Settings, rope: RopeNames | None = None) -> Spec:
    """Return what all of the Llama family have in common: no biases, no windows."""
    sizes = read_sizes(
        said, "hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "head_dim"
    )
    width = sizes["head_width"]
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(
            read_count(said, "num_hidden_layers"), width**-0.5, read_rope(said, width, rope or RopeNames())
        ),
        is_causal=True,
        norm=NormSpec(NormKind.RMS, said.number("rms_norm_eps"), NormPlace.PRE),
        activation=read_activation(said, "hidden_act"),
        gated=True,
        biases=frozenset(),
    )


def _llama(said: Settings) -> Spec:
    """Llama 1 to 3, SmolLM: Touvron et al. 2023."""
    biases = read_biases(said, "attention_bias", *_QKV, "output") | read_biases(said, "mlp_bias", "up", "down")
    return replace(llama_like(said), biases=biases)


def _mistral(said: Settings) -> Spec:
    """Mistral, with one window for all layers: Jiang et al. 2023."""
    spec = llama_like(said)
    window = None if said.is_null("sliding_window") else said.whole("sliding_window", 4096)
    return with_windows(spec, (window,) * len(spec.layers))


def _qwen2(said: Settings) -> Spec:
    """Qwen2, with biases of queries, keys and values: Yang et al. 2024, section 2.2."""
    spec = replace(llama_like(said), biases=frozenset(_QKV))
    return with_windows(spec, read_windows(said, len(spec.layers)))


def _qwen3(said: Settings) -> Spec:
    """Qwen3, with norms of queries and keys: Yang et al. 2025, section 2."""
    biases = read_biases(said, "attention_bias", *_QKV, "output")
    spec = replace(llama_like(said), qk_norm=QkNorm.HEAD, biases=biases)
    return with_windows(spec, read_windows(said, len(spec.layers)))


def _gpt2(said: Settings) -> Spec:
    """GPT-2: Radford et al. 2019; its scores may be divided by the number of the layer too."""
    sizes = read_sizes(said, "n_embd", said.whole("n_inner", 4 * said.whole("n_embd")), "n_head")
    scale = sizes["head_width"] ** -0.5 if said.flag("scale_attn_weights", True) else 1.0
    by_depth = said.flag("scale_attn_by_inverse_layer_idx", False)
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=tuple(
            layer._replace(scale=scale / (place + 1) if by_depth else scale)
            for place, layer in enumerate(layers_alike(read_count(said, "n_layer"), scale))
        ),
        is_causal=True,
        norm=NormSpec(NormKind.LAYER, said.number("layer_norm_epsilon"), NormPlace.PRE),
        activation=read_activation(said, "activation_function"),
        places=Places(said.whole("n_positions")),
    )


_SCORE = r"score\.weight"
"""Of a head that tells classes."""
LLAMA = Family(
    towers=(Tower(spec=_llama, names=LLAMA_NAMES),),
    prefixes=("model.",),
    usually_tied=False,
    unused=(r".*rotary_emb\.inv_freq", _SCORE),
)
MISTRAL = replace(LLAMA, towers=(Tower(spec=_mistral, names=LLAMA_NAMES),))
QWEN2 = replace(LLAMA, towers=(Tower(spec=_qwen2, names=LLAMA_NAMES),))
QWEN3 = replace(LLAMA, towers=(Tower(spec=_qwen3, names=_QWEN3_NAMES),))
GPT2 = Family(
    towers=(Tower(spec=_gpt2, names=_GPT2_NAMES),),
    prefixes=("transformer.",),
    unused=(r"h\.\d+\.attn\.(bias|masked_bias)", _SCORE),
)
