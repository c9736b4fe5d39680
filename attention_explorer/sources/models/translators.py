"""Encoder–decoders that translate: mBART, which is BART with norms before each part, and Marian."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attention_explorer.model.transformer import NormPlace, Places, Spec
from attention_explorer.sources.models.encoder_decoders import BART, BART_NAMES, DECODER, ENCODER, bart, bart_attention
from attention_explorer.sources.models.family import Family, Tower, TowerNames
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.settings import Settings

_OTHERWISE = "Models of this type have it otherwise, and no others are supported."


def _as_all_have_it(said: Settings, **usual: bool) -> None:
    """Make sure that a configuration says of its family what holds for all models of it."""
    for name, value in usual.items():
        if said.flag(name, value) is not value:
            raise refused(said, name, not value, _OTHERWISE)


def _mbart(said: Settings, tower: str) -> Spec:
    """mBART: Liu et al. 2020, section 2.2."""
    _as_all_have_it(said, normalize_before=True, add_final_layer_norm=True)
    spec = bart(said, tower)
    return replace(spec, norm=spec.norm._replace(place=NormPlace.PRE))


def _marian(said: Settings, tower: str) -> Spec:
    """Marian: Junczys-Dowmunt et al. 2018. Positions are sines and cosines, and words are not normed.

    One vocabulary serves both languages.
    """
    _as_all_have_it(said, normalize_embedding=False, static_position_embeddings=True)
    if not said.flag("share_encoder_decoder_embeddings", True):
        raise refused(
            said, "share_encoder_decoder_embeddings", False, "A vocabulary for each language is not supported."
        )
    spec = bart(said, tower)
    if said.whole("decoder_vocab_size", spec.vocabulary) != spec.vocabulary:
        value = said.peek("decoder_vocab_size")
        raise refused(said, "decoder_vocab_size", value, "A vocabulary for each language is not supported.")
    return replace(spec, places=Places(said.whole("max_position_embeddings")))


def _towers(spec: Callable[[Settings, str], Spec], names: TowerNames) -> tuple[Tower, Tower]:
    decoder = replace(names, cross=bart_attention("encoder_attn"))
    return (
        Tower(at=ENCODER, spec=lambda said: spec(said, "encoder"), names=names),
        Tower(at=DECODER, spec=lambda said: spec(said, "decoder"), names=decoder),
    )


MBART: Family = replace(BART, towers=_towers(_mbart, replace(BART_NAMES, final_norm="layer_norm")))
MARIAN = replace(BART, towers=_towers(_marian, replace(BART_NAMES, embedding_norm="", has_waves=True)))
