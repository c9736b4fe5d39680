"""Encoders, which fill in masked words or compare sentences: BERT and its relatives with learned positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attention_explorer.errors import FileError
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import Buckets, NormPlace, NormSpec, Places, Spec
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.reading import Sizes, layers_alike, read_activation, read_count, read_sizes
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.settings import Settings

_BERT_NAMES = TowerNames(
    words="embeddings.word_embeddings.weight",
    places="embeddings.position_embeddings.weight",
    kinds="embeddings.token_type_embeddings.weight",
    embedding_norm="embeddings.LayerNorm",
    layer="encoder.layer.{}.",
    attention=AttentionNames(
        ("attention.self.query", "attention.self.key", "attention.self.value"),
        "attention.output.dense",
        ("attention.output.LayerNorm",),
    ),
    network=NetworkNames(("intermediate.dense",), "output.dense", ("output.LayerNorm",)),
)
_DISTILBERT_NAMES = replace(
    _BERT_NAMES,
    kinds="",
    layer="transformer.layer.{}.",
    attention=AttentionNames(
        ("attention.q_lin", "attention.k_lin", "attention.v_lin"), "attention.out_lin", ("sa_layer_norm",)
    ),
    network=NetworkNames(("ffn.lin1",), "ffn.lin2", ("output_layer_norm",)),
)
_ALBERT_NAMES = replace(
    _BERT_NAMES,
    widen="encoder.embedding_hidden_mapping_in",
    layer="encoder.albert_layer_groups.{}.",
    attention=AttentionNames(
        ("attention.query", "attention.key", "attention.value"), "attention.dense", ("attention.LayerNorm",)
    ),
    network=NetworkNames(("ffn",), "ffn_output", ("full_layer_layer_norm",)),
)
_ELECTRA_NAMES = replace(_BERT_NAMES, widen="embeddings_project")
_MPNET_NAMES = replace(
    _BERT_NAMES,
    kinds="",
    attention=AttentionNames(
        tuple(f"attention.attn.{part}" for part in "qkv"), "attention.attn.o", ("attention.LayerNorm",)
    ),
    relative="encoder.relative_attention_bias.weight",
)
_BERT_HEAD = HeadNames(
    "cls.predictions.decoder",
    "cls.predictions.bias",
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
)
_ROBERTA_HEAD = HeadNames("lm_head.decoder", "lm_head.bias", "lm_head.dense", "lm_head.layer_norm", "gelu")
_DISTILBERT_HEAD = HeadNames("vocab_projector", "vocab_projector.bias", "vocab_transform", "vocab_layer_norm")
_ALBERT_HEAD = HeadNames("predictions.decoder", "predictions.bias", "predictions.dense", "predictions.LayerNorm")
_ELECTRA_HEAD = HeadNames(
    "generator_lm_head",
    "generator_lm_head.bias",
    "generator_predictions.dense",
    "generator_predictions.LayerNorm",
    "gelu",
)
OTHER_HEADS = (
    r".*position_ids",
    r".*pooler.*",
    r"classifier\..*",
    r"pre_classifier\..*",
    r"qa_outputs\..*",
    r"cls\.seq_relationship\..*",
    r"sop_classifier\..*",
    r"discriminator_predictions\..*",
)
"""Tensors that hidden states do not depend on."""
_DISTILBERT_EPS = 1e-12
"""No configuration says it."""
_MPNET_PADDING, _MPNET_BUCKETS = 1, Buckets(32, 128)
"""Of all MPNets, whatever a configuration says: see ``modeling_mpnet.py`` of transformers."""


def _encoder(said: Settings, sizes: Sizes, layers: str, activation: str, eps: float) -> Spec:
    """Return what all encoders have in common: layers as Vaswani et al. 2017 have them, and learned positions."""
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size"),
        layers=layers_alike(read_count(said, layers), sizes["head_width"] ** -0.5),
        is_causal=False,
        norm=NormSpec(NormKind.LAYER, eps, NormPlace.POST),
        activation=read_activation(said, activation),
        places=Places(said.whole("max_position_embeddings")),
    )


def _bert(said: Settings) -> Spec:
    """BERT: Devlin et al. 2019."""
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads")
    spec = _encoder(said, sizes, "num_hidden_layers", "hidden_act", said.number("layer_norm_eps"))
    return replace(spec, kinds=said.whole("type_vocab_size"))


def _roberta(said: Settings) -> Spec:
    """RoBERTa: Liu et al. 2019; XLM-RoBERTa: Conneau et al. 2020; CamemBERT: Martin et al. 2020.

    Positions count from behind the id of the padding.
    """
    return replace(_bert(said), places=places_behind(said, said.whole("pad_token_id", least=0)))


def places_behind(said: Settings, padding: int) -> Places:
    """Return positions that count from behind the id of the padding.

    Raises
    ------
    FileError
        If there are none.
    """
    count = said.whole("max_position_embeddings")
    if count <= padding + 1:
        raise FileError(f"{said.where} has {count} positions, of which none is for a token: it is damaged.")
    return Places(count, padding + 1, padding)


def _electra(said: Settings) -> Spec:
    """ELECTRA: Clark et al. 2020. Word vectors of its smaller models are narrower."""
    spec, narrow = _bert(said), said.whole("embedding_size")
    return spec if narrow == spec.width else replace(spec, narrow=narrow)


def _mpnet(said: Settings) -> Spec:
    """MPNet: Song et al. 2020. Its layers share one bias by distance; there are no vectors for sentences of a pair."""
    sizes = read_sizes(said, "hidden_size", "intermediate_size", "num_attention_heads")
    spec = _encoder(said, sizes, "num_hidden_layers", "hidden_act", said.number("layer_norm_eps"))
    for name, only in (("pad_token_id", _MPNET_PADDING), ("relative_attention_num_buckets", _MPNET_BUCKETS.number)):
        if said.whole(name, only, least=0) != only:
            raise refused(said, name, said.peek(name), f"Only {only} is supported, which all models of this type have.")
    return replace(spec, places=places_behind(said, _MPNET_PADDING), buckets=_MPNET_BUCKETS)


def _distilbert(said: Settings) -> Spec:
    """DistilBERT: Sanh et al. 2019. It has no vectors for the sentences of a pair."""
    sizes = read_sizes(said, "dim", "hidden_dim", "n_heads")
    return _encoder(said, sizes, "n_layers", "activation", _DISTILBERT_EPS)


def _albert(said: Settings) -> Spec:
    """ALBERT: Lan et al. 2020. Its layers share weights in groups, and its word vectors are narrower.

    Where groups have several layers, each stands for as many of the tower.
    """
    spec = _bert(said)
    count = len(spec.layers)
    groups = said.whole("num_hidden_groups", 1, most=count)
    inside = range(said.whole("inner_group_num", 1, most=100))
    layers = (
        layer._replace(name=f"{place * groups // count}.albert_layers.{each}")
        for place, layer in enumerate(spec.layers)
        for each in inside
    )
    return replace(spec, layers=tuple(layers), narrow=said.whole("embedding_size"))


def _family(spec: Callable[[Settings], Spec], names: TowerNames, head: HeadNames, prefix: str) -> Family:
    return Family(towers=(Tower(spec=spec, names=names),), head=head, prefixes=(prefix,), unused=OTHER_HEADS)


BERT = _family(_bert, _BERT_NAMES, _BERT_HEAD, "bert.")
ROBERTA = _family(_roberta, _BERT_NAMES, _ROBERTA_HEAD, "roberta.")
DISTILBERT = _family(_distilbert, _DISTILBERT_NAMES, _DISTILBERT_HEAD, "distilbert.")
XLM_ROBERTA = ROBERTA
CAMEMBERT = replace(ROBERTA, prefixes=("roberta.", "camembert."))
ELECTRA = _family(_electra, _ELECTRA_NAMES, _ELECTRA_HEAD, "electra.")
MPNET = _family(_mpnet, _MPNET_NAMES, _ROBERTA_HEAD, "mpnet.")
ALBERT = _family(_albert, _ALBERT_NAMES, _ALBERT_HEAD, "albert.")
