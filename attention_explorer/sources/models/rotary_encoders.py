"""Encoders whose positions are rotary: nomic-bert and ModernBERT."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import NormPlace, NormSpec, Spec
from attention_explorer.sources.models.encoders import OTHER_HEADS
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.reading import (
    FULL,
    SLIDING,
    Sizes,
    every,
    layers_alike,
    read_activation,
    read_biases,
    read_count,
    read_kinds,
    read_sizes,
    with_kinds,
    with_rope,
)
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.rope_settings import (
    RopeNames,
    checked_rope,
    dynamic_rope,
    plain_rope,
    read_rope,
    read_ropes,
)
from attention_explorer.sources.models.settings import Settings

# ---- nomic-bert ----

_NOMIC_NAMES = TowerNames(
    words="embeddings.word_embeddings.weight",
    kinds="embeddings.token_type_embeddings.weight",
    embedding_norm="emb_ln",
    layer="layers.{}.",
    attention=AttentionNames(("attn.Wqkv",), "attn.out_proj", ("norm1",)),
    network=NetworkNames(("mlp.fc12", "mlp.fc11"), "mlp.fc2", ("norm2",)),
)
_NOMIC_HEAD = HeadNames(
    "cls.predictions.decoder",
    "cls.predictions.bias",
    "cls.predictions.transform.dense",
    "cls.predictions.transform.layer_norm",
)
_PLAIN_NOMIC = {
    "prenorm": False,
    "use_rms_norm": False,
    "parallel_block": False,
    "rotary_emb_interleaved": False,
    "causal": False,
    "scale_attn_by_inverse_layer_idx": False,
    "scale_attn_weights": True,
}
"""What the published models of this type are, of all that its authors' program can make of a configuration."""


def _nomic(said: Settings, sizes: Sizes, layers: str, eps: str) -> Spec:
    """nomic-bert: Nussbaum et al. 2024, section 3."""
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, layers), sizes["head_width"] ** -0.5),
        is_causal=False,
        norm=NormSpec(NormKind.LAYER, said.number(eps), NormPlace.POST),
        activation="silu",
        gated=True,
        biases=frozenset(),
        kinds=said.whole("type_vocab_size"),
    )


def _of_transformers(said: Settings) -> Spec:
    """nomic-bert as transformers writes it since version 5."""
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads", head_width="head_dim")
    spec = _nomic(said, sizes, "num_hidden_layers", "layer_norm_eps")
    rope = read_rope(said, spec.head_width, RopeNames(usual_base=1000.0))
    return replace(with_rope(spec, rope), activation=read_activation(said, "hidden_act", "silu"))


def _published(said: Settings) -> Spec:
    """nomic-bert as its authors publish it."""
    for name, plain in _PLAIN_NOMIC.items():
        if said.flag(name, plain) is not plain:
            raise refused(said, name, not plain, "Only models as they were published are supported of this type.")
    said.one_of("activation_function", ("swiglu",))
    sizes = read_sizes(said, "n_embd", "n_inner", "n_head")
    spec = _nomic(said, sizes, "n_layer", "layer_norm_epsilon")
    biases = read_biases(said, "qkv_proj_bias", "q", "k", "v", "output") | read_biases(said, "mlp_fc1_bias", "up")
    base, trained = said.number("rotary_emb_base"), said.whole("max_trained_positions", 2048)
    if said.number("rotary_emb_fraction") != 1.0:
        raise refused(said, "rotary_emb_fraction", said.peek("rotary_emb_fraction"), "Only 1 is supported.")
    factor = said.number("rotary_scaling_factor") if said.has("rotary_scaling_factor") else 1.0
    rope = checked_rope(said, base, lambda: dynamic_rope(base, spec.head_width, factor, trained))
    if factor == 1.0:
        rope = checked_rope(said, base, lambda: plain_rope(base, spec.head_width))
    return replace(with_rope(spec, rope), biases=biases | read_biases(said, "mlp_fc2_bias", "down"))


_NOMIC_PREFIXES = tuple(f"{model}{tower}" for tower in ("encoder.", "") for model in ("nomic_bert.", "bert.", ""))
_BY_TRANSFORMERS = Family(
    towers=(Tower(spec=_of_transformers, names=_NOMIC_NAMES),),
    head=_NOMIC_HEAD,
    prefixes=_NOMIC_PREFIXES[:-1],
    unused=OTHER_HEADS,
)
_BY_AUTHORS = replace(
    _BY_TRANSFORMERS,
    towers=(Tower(spec=_published, names=_NOMIC_NAMES),),
    head=replace(_NOMIC_HEAD, dense_bias="mlp_fc1_bias", decode_bias="mlp_fc1_bias"),
)


def nomic_bert(said: Settings) -> Family:
    """Return the family of a nomic-bert, by who wrote its configuration; both call its tensors alike."""
    return _BY_AUTHORS if said.has("n_embd") else _BY_TRANSFORMERS


# ---- ModernBERT ----

_MODERN_NAMES = TowerNames(
    words="embeddings.tok_embeddings.weight",
    embedding_norm="embeddings.norm",
    layer="layers.{}.",
    attention=AttentionNames(("attn.Wqkv",), "attn.Wo", ("attn_norm",)),
    network=NetworkNames(("mlp.Wi",), "mlp.Wo", ("mlp_norm",)),
    final_norm="final_norm",
)
_MODERN_HEAD = HeadNames(
    "decoder", "decoder.bias", "head.dense", "head.norm", dense_bias="classifier_bias", decode_bias="decoder_bias"
)


def _modern(said: Settings) -> Spec:
    """ModernBERT: Warner et al. 2024, section 2.1.

    Every third layer sees all, the others half a window on each side; the first has no norm before its attention.
    """
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads")
    count, width = read_count(said, "num_hidden_layers"), sizes["head_width"]
    alike = layers_alike(count, width**-0.5)
    biases = read_biases(said, "attention_bias", "q", "k", "v", "output") | read_biases(said, "mlp_bias", "up", "down")
    spec = Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=(alike[0]._replace(is_normed=False), *alike[1:]),
        is_causal=False,
        norm=NormSpec(
            NormKind.LAYER, said.number("norm_eps", 1e-5), NormPlace.PRE, has_bias=said.flag("norm_bias", False)
        ),
        activation=read_activation(said, "hidden_activation", "gelu"),
        gated=True,
        biases=biases,
    )
    ropes = read_ropes(said, width, _MODERN_ROPES, old=_MODERN_ROPES)
    kinds = read_kinds(said, every(said.whole("global_attn_every_n_layers", 3), count, first=0))
    return with_kinds(spec, kinds, said.whole("local_attention", 128) // 2 + 1, ropes)


_MODERN_ROPES = {
    FULL: RopeNames("global_rope_theta", 160_000.0),
    SLIDING: RopeNames("local_rope_theta", 10_000.0),
}


def modernbert(said: Settings) -> Family:
    """Return the family of ModernBERT, whose head has an activation of its own."""
    return Family(
        towers=(Tower(spec=_modern, names=_MODERN_NAMES),),
        head=replace(_MODERN_HEAD, activation=read_activation(said, "classifier_activation", "gelu")),
        prefixes=("model.",),
        unused=(*OTHER_HEADS, r"head\..*"),
    )
