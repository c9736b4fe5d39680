"""Encoder–decoders, which write a text for another: BART, T5 and mT5."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import Buckets, NormPlace, NormSpec, Places, Spec
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.reading import layers_alike, read_activation, read_count, read_sizes
from attention_explorer.sources.models.settings import Settings

ENCODER, DECODER = "encoder.", "decoder."


def bart_attention(name: str) -> AttentionNames:
    """Return the names of an attention, as all relatives of BART have them."""
    project = tuple(f"{name}.{part}_proj" for part in "qkv")
    return AttentionNames(project, f"{name}.out_proj", (f"{name}_layer_norm",))


def _t5_attention(at: str, name: str) -> AttentionNames:
    return AttentionNames(tuple(f"{at}.{name}.{part}" for part in "qkv"), f"{at}.{name}.o", (f"{at}.layer_norm",))


BART_NAMES = TowerNames(
    words="embed_tokens.weight",
    places="embed_positions.weight",
    embedding_norm="layernorm_embedding",
    layer="layers.{}.",
    attention=bart_attention("self_attn"),
    network=NetworkNames(("fc1",), "fc2", ("final_layer_norm",)),
)
_BART_OFFSET = 2
"""Rows at the start of the positions that no token has, for historical reasons."""
_BART_EPS = 1e-5
"""PyTorch's own, which no configuration says."""
_T5_NETWORKS = {
    "relu": ("relu", False),
    "gelu": ("gelu", False),
    "gated-gelu": ("gelu_new", True),
    "gated-silu": ("silu", True),
}
"""The activation of T5's networks, and whether they have a gate."""


def bart(said: Settings, tower: str) -> Spec:
    """BART: Lewis et al. 2020."""
    sizes = read_sizes(said, "d_model", f"{tower}_ffn_dim", f"{tower}_attention_heads")
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, f"{tower}_layers"), sizes["head_width"] ** -0.5),
        is_causal=tower == "decoder",
        norm=NormSpec(NormKind.LAYER, _BART_EPS, NormPlace.POST),
        activation=read_activation(said, "activation_function"),
        embedding_scale=sizes["width"] ** 0.5 if said.flag("scale_embedding", False) else 1.0,
        places=Places(said.whole("max_position_embeddings") + _BART_OFFSET, _BART_OFFSET),
    )


def _t5(said: Settings, *, is_decoder: bool) -> Spec:
    """T5: Raffel et al. 2020; also 1.1, whose networks have a gate."""
    spec = _t5_like(said, "relu", is_decoder=is_decoder)
    scaled = said.flag("scale_decoder_outputs", said.flag("tie_word_embeddings", True))
    return replace(spec, logit_scale=spec.width**-0.5) if scaled else spec


def _mt5(said: Settings, *, is_decoder: bool) -> Spec:
    """mT5: Xue et al. 2021. Its last hidden states are taken as they are (``modeling_mt5.py`` of transformers)."""
    return _t5_like(said, "gated-gelu", is_decoder=is_decoder)


def _t5_like(said: Settings, network: str, *, is_decoder: bool) -> Spec:
    """Return what both have in common. Scores are not divided by √d: training has made up for it."""
    sizes = read_sizes(said, "d_model", "d_ff", "num_heads", head_width="d_kv")
    count = read_count(said, "num_layers")
    activation, gated = _t5_network(said, network)
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, "num_decoder_layers", count) if is_decoder else count, 1.0),
        is_causal=is_decoder,
        norm=NormSpec(NormKind.RMS, said.number("layer_norm_epsilon"), NormPlace.PRE),
        activation=activation,
        gated=gated,
        biases=frozenset(),
        buckets=_buckets(said, both_ways=not is_decoder),
    )


def _t5_network(said: Settings, usual: str) -> tuple[str, bool]:
    """Return the activation and whether there is a gate, which newer versions say twice."""
    found = activation, gated = _T5_NETWORKS[said.one_of("feed_forward_proj", _T5_NETWORKS, usual)]
    if (said.text("dense_act_fn", activation), said.flag("is_gated_act", gated)) != found:
        raise FileError(
            f"{said.where} says of its networks by {quoted('feed_forward_proj')} what {quoted('dense_act_fn')} and "
            f"{quoted('is_gated_act')} deny: it was edited by hand, or is damaged."
        )
    return found


def _buckets(said: Settings, *, both_ways: bool) -> Buckets:
    count = said.whole("relative_attention_num_buckets", most=2**16)
    farthest = said.whole("relative_attention_max_distance", 128)
    exact = count // (4 if both_ways else 2)
    if exact < 1 or farthest <= exact:
        raise FileError(
            f"{said.where} has {count} classes of distances up to {farthest}, which cannot be: it is damaged."
        )
    return Buckets(count, farthest)


def _t5_names(*, is_decoder: bool) -> TowerNames:
    """Return the names of a tower, in whose layers the parts are numbered."""
    network = f"layer.{2 if is_decoder else 1}"
    matrices = f"{network}.DenseReluDense."
    return TowerNames(
        words="embed_tokens.weight",
        layer="block.{}.",
        attention=_t5_attention("layer.0", "SelfAttention"),
        cross=_t5_attention("layer.1", "EncDecAttention") if is_decoder else None,
        network=NetworkNames(
            (f"{matrices}wi_0", f"{matrices}wi_1"), f"{matrices}wo", (f"{network}.layer_norm",), f"{matrices}wi"
        ),
        final_norm="final_layer_norm",
        relative="block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    )


BART = Family(
    towers=(
        Tower(at=ENCODER, spec=partial(bart, tower="encoder"), names=BART_NAMES),
        Tower(
            at=DECODER,
            spec=partial(bart, tower="decoder"),
            names=replace(BART_NAMES, cross=bart_attention("encoder_attn")),
        ),
    ),
    head=HeadNames(bias="final_logits_bias"),
    prefixes=("model.",),
    tables=("shared.weight", "lm_head.weight", "decoder.embed_tokens.weight", "encoder.embed_tokens.weight"),
)
T5 = Family(
    towers=(
        Tower(at=ENCODER, spec=partial(_t5, is_decoder=False), names=_t5_names(is_decoder=False)),
        Tower(at=DECODER, spec=partial(_t5, is_decoder=True), names=_t5_names(is_decoder=True)),
    ),
    tables=("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"),
    always_tied=True,
    unused=(r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",),  # in old files
)
MT5 = replace(
    T5,
    towers=tuple(
        replace(tower, spec=partial(_mt5, is_decoder=is_decoder))
        for tower, is_decoder in zip(T5.towers, (False, True), strict=True)
    ),
)
