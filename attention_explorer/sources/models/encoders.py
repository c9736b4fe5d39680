"""Encoders, which fill in masked words or compare sentences: BERT, RoBERTa, DistilBERT and ALBERT."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attention_explorer.errors import FileError
from attention_explorer.model.transformer import Embedding, Head, Layer, Linear, Stack, Transformer
from attention_explorer.sources.models.building import Sizes, activation_of, read_sizes
from attention_explorer.sources.models.heads import HeadNames, are_tied, masked_word_head
from attention_explorer.sources.models.lazy_layers import LazyLayers
from attention_explorer.sources.models.post_norm import AttentionNames, LayerNames, PostNormLayers
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors, Words

_BERT = LayerNames(
    AttentionNames(
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "attention.output.LayerNorm",
    ),
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
_DISTILBERT = LayerNames(
    AttentionNames("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm"),
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
)
_ALBERT = LayerNames(
    AttentionNames("attention.query", "attention.key", "attention.value", "attention.dense", "attention.LayerNorm"),
    "ffn",
    "ffn_output",
    "full_layer_layer_norm",
)
_BERT_HEAD = HeadNames(
    "cls.predictions.transform.dense",
    "cls.predictions.transform.LayerNorm",
    "cls.predictions.bias",
    "cls.predictions.decoder",
)
_ROBERTA_HEAD = HeadNames("lm_head.dense", "lm_head.layer_norm", "lm_head.bias", "lm_head.decoder")
_DISTILBERT_HEAD = HeadNames("vocab_transform", "vocab_layer_norm", "vocab_projector.bias", "vocab_projector")
_ALBERT_HEAD = HeadNames("predictions.dense", "predictions.LayerNorm", "predictions.bias", "predictions.decoder")
_TABLE = "embeddings.word_embeddings.weight"
_OTHER_HEADS = (
    r".*position_ids",
    r".*pooler.*",
    r"classifier\..*",
    r"pre_classifier\..*",
    r"qa_outputs\..*",
    r"cls\.seq_relationship\..*",
    r"sop_classifier\..*",
)
"""Tensors that hidden states do not depend on."""
_DISTILBERT_EPS = 1e-12
"""No configuration says it."""


def read_bert(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return BERT: Devlin et al. 2019."""
    _refuse_decoder(settings)
    sizes = _bert_sizes(settings)
    words, embedding = _embedding(settings, tensors, sizes.width, _BERT_HEAD)
    eps, activation = settings.number("layer_norm_eps"), activation_of(settings, "hidden_act")
    layers = PostNormLayers(tensors, _BERT, sizes, activation, eps)
    fetchers = [layers.fetcher(f"encoder.layer.{place}.") for place in range(sizes.layers)]
    head = masked_word_head(settings, tensors, words, _BERT_HEAD, sizes.width, activation, eps)
    tensors.check_rest(*_OTHER_HEADS)
    return _encoder(embedding, fetchers, sizes, room, head)


def read_roberta(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return RoBERTa: Liu et al. 2019. Positions count from behind the id of the padding."""
    _refuse_decoder(settings)
    sizes, padding = _bert_sizes(settings), settings.whole("pad_token_id", least=0)
    words, embedding = _embedding(settings, tensors, sizes.width, _ROBERTA_HEAD, padding=padding)
    eps = settings.number("layer_norm_eps")
    layers = PostNormLayers(tensors, _BERT, sizes, activation_of(settings, "hidden_act"), eps)
    fetchers = [layers.fetcher(f"encoder.layer.{place}.") for place in range(sizes.layers)]
    head = masked_word_head(settings, tensors, words, _ROBERTA_HEAD, sizes.width, "gelu", eps)
    tensors.check_rest(*_OTHER_HEADS)
    return _encoder(embedding, fetchers, sizes, room, head)


def read_distilbert(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return DistilBERT: Sanh et al. 2019. It has no vectors for the sentences of a pair."""
    sizes = read_sizes(settings, width="dim", inner="hidden_dim", layers="n_layers", heads="n_heads")
    vocabulary, eps, activation = settings.whole("vocab_size"), _DISTILBERT_EPS, activation_of(settings, "activation")
    tables = _DISTILBERT_HEAD.tables(_TABLE, tied=are_tied(settings))
    words = Words(tensors, tensors.first(tables, vocabulary, sizes.width))
    places = settings.whole("max_position_embeddings")
    embedding = Embedding(
        words,
        vocabulary,
        positions=tensors.vector("embeddings.position_embeddings.weight", places, sizes.width)(),
        norm=tensors.norm("embeddings.LayerNorm", sizes.width, eps)(),
    )
    layers = PostNormLayers(tensors, _DISTILBERT, sizes, activation, eps)
    fetchers = [layers.fetcher(f"transformer.layer.{place}.") for place in range(sizes.layers)]
    head = masked_word_head(settings, tensors, words, _DISTILBERT_HEAD, sizes.width, activation, eps)
    tensors.check_rest(*_OTHER_HEADS)
    return _encoder(embedding, fetchers, sizes, room, head)


def read_albert(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return ALBERT: Lan et al. 2020. Its layers share weights in groups, and its word vectors are narrower."""
    _refuse_decoder(settings)
    sizes = read_sizes(
        settings,
        width="hidden_size",
        inner="intermediate_size",
        layers="num_hidden_layers",
        heads="num_attention_heads",
    )
    groups = settings.whole("num_hidden_groups", 1, most=sizes.layers)
    inside = settings.whole("inner_group_num", 1, most=100)
    narrow = settings.whole("embedding_size")
    eps, activation = settings.number("layer_norm_eps"), activation_of(settings, "hidden_act")
    widen = tensors.fused(tensors.linear("encoder.embedding_hidden_mapping_in", narrow, sizes.width))
    words, embedding = _embedding(settings, tensors, narrow, _ALBERT_HEAD, widen=widen)
    layers = PostNormLayers(tensors, _ALBERT, sizes, activation, eps)
    shared = [
        [layers.fetcher(f"encoder.albert_layer_groups.{group}.albert_layers.{place}.") for place in range(inside)]
        for group in range(groups)
    ]
    fetchers = [fetch for place in range(sizes.layers) for fetch in shared[place * groups // sizes.layers]]
    head = masked_word_head(settings, tensors, words, _ALBERT_HEAD, sizes.width, activation, eps, narrow)
    tensors.check_rest(*_OTHER_HEADS)
    return _encoder(embedding, fetchers, sizes, room, head)


def _refuse_decoder(settings: Settings) -> None:
    settings.refuse_unless("is_decoder", False, "Encoders that were turned into decoders are not supported.")
    settings.refuse_unless("position_embedding_type", "absolute", "Relative positions in encoders are not supported.")


def _bert_sizes(settings: Settings) -> Sizes:
    return read_sizes(
        settings,
        width="hidden_size",
        inner="intermediate_size",
        layers="num_hidden_layers",
        heads="num_attention_heads",
    )


def _embedding(
    settings: Settings,
    tensors: Tensors,
    d: int,
    head: HeadNames,
    *,
    padding: int | None = None,
    widen: Callable[[], Linear] | None = None,
) -> tuple[Words, Embedding]:
    """Return the table of words, and the embedding, which is small but for it."""
    vocabulary, places = settings.whole("vocab_size"), settings.whole("max_position_embeddings")
    words = Words(tensors, tensors.first(head.tables(_TABLE, tied=are_tied(settings)), vocabulary, d))
    offset = 0 if padding is None else padding + 1
    if places <= offset:
        raise FileError(f"{settings.where} has {places} positions, of which none is for a token: it is damaged.")
    embedding = Embedding(
        words,
        vocabulary,
        positions=tensors.vector("embeddings.position_embeddings.weight", places, d)(),
        offset=offset,
        padding=padding,
        types=tensors.vector("embeddings.token_type_embeddings.weight", settings.whole("type_vocab_size"), d)(),
        norm=tensors.norm("embeddings.LayerNorm", d, settings.number("layer_norm_eps"))(),
        widen=None if widen is None else widen(),
    )
    return words, embedding


def _encoder(
    embedding: Embedding,
    fetchers: Sequence[Callable[[], Layer]],
    sizes: Sizes,
    room: int,
    head: Callable[[], Head] | None,
) -> Transformer:
    return Transformer(Stack(embedding, LazyLayers(fetchers, room), sizes.heads, is_causal=False), head=head)
