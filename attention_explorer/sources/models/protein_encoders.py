"""Encoders of proteins: ESM-1b and ESM-2, whose words are letters of amino acids."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import Blank, NormPlace, NormSpec, Spec
from attention_explorer.sources.models.encoders import OTHER_HEADS, places_behind
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.reading import layers_alike, read_count, read_sizes, with_rope
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.rope_settings import checked_rope, plain_rope
from attention_explorer.sources.models.settings import Settings

_NAMES = TowerNames(
    words="embeddings.word_embeddings.weight",
    places="embeddings.position_embeddings.weight",
    embedding_norm="embeddings.layer_norm",
    layer="encoder.layer.{}.",
    attention=AttentionNames(
        tuple(f"attention.self.{part}" for part in ("query", "key", "value")),
        "attention.output.dense",
        ("attention.LayerNorm",),
    ),
    network=NetworkNames(("intermediate.dense",), "output.dense", ("LayerNorm",)),
    final_norm="encoder.emb_layer_norm_after",
)
_HEAD = HeadNames("lm_head.decoder", "lm_head.bias", "lm_head.dense", "lm_head.layer_norm", "gelu")
_MASKED_SHARE = 0.15 * 0.8
"""Of the letters of a protein, in the training of all these models: see ``modeling_esm.py`` of transformers."""
_ABSOLUTE, _ROTARY = "absolute", "rotary"


def _esm(said: Settings) -> Spec:
    """ESM-1b: Rives et al. 2021; ESM-2: Lin et al. 2023, with rotary positions.

    Where it says token_dropout, masked letters have no vector, and the others make up for it.
    """
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads")
    width, drops = sizes["head_width"], said.flag("token_dropout", False)
    mask = said.whole("mask_token_id", None if drops else 0, least=0)
    spec = Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, "num_hidden_layers"), width**-0.5),
        is_causal=False,
        norm=NormSpec(NormKind.LAYER, said.number("layer_norm_eps"), NormPlace.PRE),
        activation="gelu",
        blank=Blank(mask, _MASKED_SHARE) if drops else None,
    )
    if said.flag("is_folding_model", False):
        raise refused(said, "is_folding_model", True, "Models that fold proteins are not supported.")
    base = said.number("rope_theta", 10000.0)
    if said.one_of("position_embedding_type", (_ABSOLUTE, _ROTARY), _ABSOLUTE) == _ABSOLUTE:
        return replace(spec, places=places_behind(said, said.whole("pad_token_id", least=0)))
    return with_rope(spec, checked_rope(said, base, lambda: plain_rope(base, width)))


def esm(said: Settings) -> Family:
    """Return the family of an ESM, of which only the older ones norm their words."""
    is_normed = said.flag("emb_layer_norm_before", False)
    names = _NAMES if is_normed else replace(_NAMES, embedding_norm="")
    return Family(
        towers=(Tower(spec=_esm, names=names),),
        head=_HEAD,
        prefixes=("esm.",),
        unused=(
            *OTHER_HEADS,
            r".*inv_freq",
            r"contact_head\..*",
            r"embeddings\.position_embeddings\.weight",  # in files of ESM-2, which does not add them
        ),
    )
