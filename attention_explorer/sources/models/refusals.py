"""What configurations may ask for that is not computed in a family: refused by name, never left out in silence.

A family that reads a setting answers for it. What stands here is refused in all others, unless its value asks for
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.models.settings import Settings


class Asks(NamedTuple):
    """What a setting asks for."""

    why: str
    harmless: tuple[object, ...] = ()
    """Values that ask for nothing, beside those that are 0, false or empty."""


_EXPERTS = Asks("Mixtures of experts are not supported.")
_NORMS = Asks("Norms of queries and keys are not supported in models of this type.")
_PARALLEL = Asks("Layers whose parts stand side by side are not supported in models of this type.")
_WINDOWS = Asks("Windows of attention are not supported in models of this type.")
_FACTORS = Asks("Factors of this kind are not supported in models of this type.", (1,))
_SCORES = Asks("Scores that are altered so are not supported in models of this type.")
_ALIBI = Asks("Biases by distance (ALiBi) are not supported.")
_ROTARY = Asks("Rotary positions are not supported in models of this type.")
_PARTIAL = Asks("Models that turn only a part of each head are not supported.", (1,))
_UNTURNED = Asks("Layers without rotary positions are not supported in models of this type.")
_SINKS = Asks("Sinks of attention, which take a share of every row, are not supported.")
_LATENT = Asks("Keys and values that are kept in short (latent attention) are not supported.")
_GATES = Asks("Gates of the output of attention are not supported.")
_PLACES = Asks("Norms in these places are not supported in models of this type.")
_BOTH_WAYS = Asks("Decoders that look both ways are not supported.")
_VARIANT = "This variant of BART is not supported."

REFUSED: Mapping[str, Asks] = {
    **dict.fromkeys(("num_local_experts", "num_experts", "n_routed_experts", "num_experts_per_tok"), _EXPERTS),
    **dict.fromkeys(("use_qk_norm", "qk_norm", "qk_layernorm", "query_key_norm"), _NORMS),
    **dict.fromkeys(("parallel_attn", "use_parallel_residual", "parallel_residual"), _PARALLEL),
    **dict.fromkeys(("sliding_window", "use_sliding_window", "sliding_window_pattern", "local_attention"), _WINDOWS),
    **dict.fromkeys(("attention_chunk_size", "attention_window", "global_attn_every_n_layers"), _WINDOWS),
    **dict.fromkeys(("embedding_multiplier", "residual_multiplier", "logits_scaling", "logit_scale"), _FACTORS),
    **dict.fromkeys(("scale_emb", "scale_depth"), _FACTORS),
    **dict.fromkeys(("attn_logit_softcapping", "final_logit_softcapping", "clip_qkv", "use_logn_attn"), _SCORES),
    **dict.fromkeys(("attention_multiplier", "query_pre_attn_scalar"), _SCORES),
    **dict.fromkeys(("alibi", "use_alibi", "alibi_bias_max"), _ALIBI),
    **dict.fromkeys(("rope_theta", "rope_scaling", "rope_parameters", "rotary_emb_fraction", "rotary_value"), _ROTARY),
    **dict.fromkeys(("partial_rotary_factor", "rotary_pct", "rotary_dim"), _PARTIAL),
    **dict.fromkeys(("rope_local_base_freq", "global_rope_theta", "local_rope_theta"), _ROTARY),
    "no_rope_layer_interval": _UNTURNED,
    **dict.fromkeys(("attention_sinks", "attention_sink", "use_attention_sink", "add_sink_attention"), _SINKS),
    **dict.fromkeys(("kv_lora_rank", "q_lora_rank"), _LATENT),
    **dict.fromkeys(("attn_output_gate", "attention_gate", "use_gated_attention"), _GATES),
    **dict.fromkeys(("norm_after", "post_norm", "sandwich_norm", "use_post_norm"), _PLACES),
    **dict.fromkeys(("use_bidirectional_attention", "bidirectional"), _BOTH_WAYS),
    "is_decoder": Asks("Encoders that were turned into decoders are not supported."),
    "add_cross_attention": Asks("A single tower that looks at an encoder is not supported."),
    "position_embedding_type": Asks("Relative positions in encoders are not supported.", ("absolute",)),
    "relative_attention": Asks("Scores of positions with contents are not supported."),
    **dict.fromkeys(("normalize_before", "add_final_layer_norm", "static_position_embeddings"), Asks(_VARIANT)),
    "normalize_embedding": Asks(_VARIANT, (True,)),
    "extra_pos_embeddings": Asks(_VARIANT, (2,)),
    # ---- as .gguf files call them ----
    **dict.fromkeys(("expert_count", "expert_used_count"), _EXPERTS),
    **dict.fromkeys(("embedding_scale", "residual_scale"), _FACTORS),
    "attention.sliding_window": Asks("Sliding windows in .gguf files are not supported."),
    "attention.max_alibi_bias": _ALIBI,
    **dict.fromkeys(("attention.scale", "attention.clamp_kqv"), _SCORES),
    "rope.scaling.attn_factor": _FACTORS,
}
_ALL_OF: Mapping[str, tuple[object, Asks]] = {
    "layer_types": ("full_attention", Asks("Layers of these types are not supported in models of this type.")),
    "no_rope_layers": (1, _UNTURNED),
}
"""Lists that ask for nothing where all of them are one value."""
_CAUSAL = ("is_causal", "attention.causal")


def check_asked(said: Settings, *, is_causal: bool) -> None:
    """Make sure that a configuration asks for nothing that its family does not compute.

    Parameters
    ----------
    said : Settings
        Of which the family has read what it knows.
    is_causal : bool
        Whether tokens see only what stands before them.

    Raises
    ------
    FileError
        If it does; the message names the setting.
    """
    for name, asks in REFUSED.items():
        value = said.unread(name)
        if value and value not in asks.harmless:
            raise refused(said, name, value, asks.why)
    for name, (harmless, asks) in _ALL_OF.items():
        value = said.unread(name)
        if value and not (isinstance(value, list) and all(each == harmless for each in value)):
            raise refused(said, name, value, asks.why)
    for name in _CAUSAL:
        value = said.unread(name)
        if value is not None and bool(value) != is_causal:
            raise refused(said, name, value, "Models of this type that see what the others do not are not supported.")


def refused(said: Settings, name: str, value: object, why: str) -> FileError:
    """Return that a setting asks for something that is not computed."""
    return FileError(f"{said.where} says {quoted(name)}: {value!r:.40}. {why}")
