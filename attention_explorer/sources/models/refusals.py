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
    """What some settings ask for."""

    why: str
    names: str
    harmless: tuple[object, ...] = ()
    """The values that ask for nothing, if these are not those that are 0, false or empty."""

    def is_harmless(self, value: object) -> bool:
        """Whether a value asks for nothing."""
        return value is None or (value in self.harmless if self.harmless else not value)


_ALL: tuple[Asks, ...] = (
    Asks(
        "Mixtures of experts are not supported.",
        "num_local_experts num_experts n_routed_experts num_experts_per_tok expert_count expert_used_count "
        "moe_every_n_layers",
    ),
    Asks(
        "Norms of queries and keys are not supported in models of this type.",
        "use_qk_norm qk_norm qk_layernorm query_key_norm",
    ),
    Asks(
        "Norms in these places are not supported in models of this type.",
        "norm_after post_norm sandwich_norm use_post_norm",
    ),
    Asks(
        "Layers whose parts stand side by side are not supported in models of this type.",
        "parallel_attn use_parallel_residual parallel_residual",
    ),
    Asks(
        "Windows of attention are not supported in models of this type.",
        "sliding_window use_sliding_window sliding_window_pattern local_attention attention_chunk_size "
        "attention_window global_attn_every_n_layers attention.sliding_window",
    ),
    Asks("Layers of these types are not supported in models of this type.", "layer_types", ("full_attention",)),
    Asks("Layers without rotary positions are not supported in models of this type.", "no_rope_layers", (1,)),
    Asks("Layers without rotary positions are not supported in models of this type.", "no_rope_layer_interval"),
    Asks(
        "Rotary positions of this kind are not supported in models of this type.",
        "rope_theta rope_scaling rope_parameters rope_local_base_freq global_rope_theta local_rope_theta "
        "rope_interleaved rotary_emb_fraction rotary_emb_scale_base rotary_head_dim rotary_value",
    ),
    Asks(
        "Models that turn only a part of each head are not supported.",
        "partial_rotary_factor rotary_pct rotary_dim",
        (1,),
    ),
    Asks(
        "Factors of this kind are not supported in models of this type.",
        "embedding_multiplier residual_multiplier logits_scaling logit_scale scale_emb scale_depth embedding_scale "
        "residual_scale rope.scaling.attn_factor",
        (1,),
    ),
    Asks(
        "YaRN with numbers of its own is not supported.",
        "rope.scaling.yarn_ext_factor rope.scaling.yarn_attn_factor",
        (1,),
    ),
    Asks("YaRN with numbers of its own is not supported.", "rope.scaling.yarn_log_multiplier"),
    Asks(
        "Scores that are altered so are not supported in models of this type.",
        "attn_logit_softcapping final_logit_softcapping clip_qkv use_logn_attn attention_multiplier "
        "query_pre_attn_scalar attention.scale attention.clamp_kqv",
    ),
    Asks("Biases by distance (ALiBi) are not supported.", "alibi use_alibi alibi_bias_max attention.max_alibi_bias"),
    Asks(
        "Sinks of attention, which take a share of every row, are not supported.",
        "attention_sinks attention_sink use_attention_sink add_sink_attention",
    ),
    Asks("Gates of the output of attention are not supported.", "attn_output_gate attention_gate use_gated_attention"),
    Asks("Keys and values that are kept in short (latent attention) are not supported.", "kv_lora_rank q_lora_rank"),
    Asks("Decoders that look both ways are not supported.", "use_bidirectional_attention bidirectional"),
    Asks("A single tower that looks at an encoder is not supported.", "add_cross_attention"),
    Asks("Relative positions in encoders are not supported.", "position_embedding_type", ("absolute",)),
    Asks("Scores of positions with contents are not supported.", "relative_attention"),
    Asks("This variant of BART is not supported.", "normalize_before add_final_layer_norm static_position_embeddings"),
    Asks("This variant of BART is not supported.", "normalize_embedding", (True,)),
    Asks("This variant of BART is not supported.", "extra_pos_embeddings", (2,)),
)
REFUSED: Mapping[str, Asks] = {name: asks for asks in _ALL for name in asks.names.split()}
"""By the names that configurations, and headers of .gguf files behind that of the architecture, give them."""
_CAUSAL = ("is_causal", "attention.causal")
_DECODER = "Encoders that were turned into decoders are not supported."
_OTHERWISE = "Models of this type that see what others of it do not are not supported."


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
        for each in value if isinstance(value, list) and value else (value,):
            if not asks.is_harmless(each):
                raise refused(said, name, value, asks.why)
    if said.unread("is_decoder") and not is_causal:
        raise refused(said, "is_decoder", said.peek("is_decoder"), _DECODER)
    for name in _CAUSAL:
        value = said.unread(name)
        if value is not None and bool(value) != is_causal:
            raise refused(said, name, value, _OTHERWISE)


def refused(said: Settings, name: str, value: object, why: str) -> FileError:
    """Return that a setting asks for something that is not computed."""
    return FileError(f"{said.where} says {quoted(name)}: {value!r:.40}. {why}")
