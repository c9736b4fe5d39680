"""Decoders that research is done on: GPT-NeoX, which Pythia is, and OPT."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import PROJECTIONS, NormPlace, NormSpec, Places, Spec
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.reading import layers_alike, read_activation, read_count, read_sizes
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.rope_settings import RopeNames, read_rope
from attention_explorer.sources.models.settings import Settings

_QKV = frozenset({"q", "k", "v", "output"})

# ---- GPT-NeoX ----

_NEOX_NAMES = TowerNames(
    words="embed_in.weight",
    layer="layers.{}.",
    attention=AttentionNames(("attention.query_key_value",), "attention.dense", ("input_layernorm",), by_head=True),
    network=NetworkNames(("mlp.dense_h_to_4h",), "mlp.dense_4h_to_h", ("post_attention_layernorm",)),
    final_norm="final_layer_norm",
)
_NEOX_ROPE = RopeNames("rotary_emb_base", share="rotary_pct", usual_share=0.25)


def _neox(said: Settings) -> Spec:
    """GPT-NeoX: Black et al. 2022, section 2.1; Pythia: Biderman et al. 2023."""
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads")
    width, base = sizes["head_width"], said.number("rotary_emb_base", 10000.0)
    if said.number("rope_theta", base) != base:
        raise FileError(f"{said.where} says {quoted('rope_theta')} and {quoted('rotary_emb_base')}, which differ.")
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, "num_hidden_layers"), width**-0.5, read_rope(said, width, _NEOX_ROPE)),
        is_causal=True,
        norm=NormSpec(NormKind.LAYER, said.number("layer_norm_eps"), NormPlace.PRE),
        activation=read_activation(said, "hidden_act"),
        biases=PROJECTIONS if said.flag("attention_bias", True) else PROJECTIONS - _QKV,
        parallel=said.flag("use_parallel_residual", True),
    )


GPT_NEOX = Family(
    towers=(Tower(spec=_neox, names=_NEOX_NAMES),),
    head=HeadNames("embed_out"),
    prefixes=("gpt_neox.",),
    usually_tied=False,
    unused=(r"layers\.\d+\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)", r"score\.weight"),
)

# ---- OPT ----

_OPT_NAMES = TowerNames(
    words="embed_tokens.weight",
    places="embed_positions.weight",
    widen="project_in",
    widen_has_bias=False,
    layer="layers.{}.",
    attention=AttentionNames(
        tuple(f"self_attn.{part}_proj" for part in "qkv"), "self_attn.out_proj", ("self_attn_layer_norm",)
    ),
    network=NetworkNames(("fc1",), "fc2", ("final_layer_norm",)),
    final_norm="final_layer_norm",
)
_OPT_OFFSET = 2
"""Rows at the start of the positions that no token has, for historical reasons."""
_OPT_EPS = 1e-5
"""PyTorch's own, which no configuration says."""


def _opt(said: Settings) -> Spec:
    """OPT: Zhang et al. 2022. The one of 350 M has narrower words, and norms behind each part."""
    sizes = read_sizes(said, "hidden_size", "ffn_dim", "num_attention_heads")
    if not said.flag("layer_norm_elementwise_affine", True):
        raise refused(said, "layer_norm_elementwise_affine", False, "Norms without gains are not supported.")
    place = NormPlace.PRE if said.flag("do_layer_norm_before", True) else NormPlace.POST
    narrow = said.whole("word_embed_proj_dim", sizes["width"])
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, "num_hidden_layers"), sizes["head_width"] ** -0.5),
        is_causal=True,
        norm=NormSpec(NormKind.LAYER, _OPT_EPS, place),
        activation=read_activation(said, "activation_function"),
        biases=PROJECTIONS if said.flag("enable_bias", True) else frozenset(),
        places=Places(said.whole("max_position_embeddings") + _OPT_OFFSET, _OPT_OFFSET, is_wide=True),
        narrow=narrow if narrow != sizes["width"] else None,
    )


def opt(said: Settings) -> Family:
    """Return the family of an OPT, some of which have no last norm."""
    has_last = said.flag("do_layer_norm_before", True) and not said.flag("_remove_final_layer_norm", False)
    names = _OPT_NAMES if has_last else replace(_OPT_NAMES, final_norm="")
    is_narrow = said.has("word_embed_proj_dim") and said.peek("word_embed_proj_dim") != said.peek("hidden_size")
    return Family(
        towers=(Tower(spec=_opt, names=names),),
        head=HeadNames(narrow="project_out"),
        prefixes=("model.decoder.", "decoder."),
        unused=(r"score\.weight", *([r"project_out\.weight"] if is_narrow else [])),  # of what has no head
    )
