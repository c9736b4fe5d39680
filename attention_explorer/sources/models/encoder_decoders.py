"""Encoder–decoders, which write a text for another: BART and T5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_explorer.errors import FileError
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import (
    Attention,
    Embedding,
    FastNorm,
    Layer,
    Network,
    RelativePositions,
    Stack,
    Transformer,
)
from attention_explorer.sources.models.building import Sizes, activation_of, attention_of, network_of, read_sizes
from attention_explorer.sources.models.heads import LAST, are_tied, language_head
from attention_explorer.sources.models.lazy_layers import LazyLayers
from attention_explorer.sources.models.post_norm import AttentionNames, LayerNames, PostNormLayers
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors, Words

_BART_SELF = AttentionNames(
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj", "self_attn_layer_norm"
)
_BART_CROSS = AttentionNames(
    "encoder_attn.q_proj",
    "encoder_attn.k_proj",
    "encoder_attn.v_proj",
    "encoder_attn.out_proj",
    "encoder_attn_layer_norm",
)
_BART_OFFSET = 2
"""Rows at the start of the positions that no token has, for historical reasons."""
_BART_EPS = 1e-5
"""PyTorch's own, which no configuration says."""
_BART_VARIANTS = {
    "normalize_before": False,
    "add_final_layer_norm": False,
    "normalize_embedding": True,
    "static_position_embeddings": False,
    "extra_pos_embeddings": 2,
}
TOWERS = ("encoder", "decoder")
_SHARED, _ENCODER, _DECODER = "shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"
"""Tables of words: those of the towers are tied to the shared one, and so is the last matrix."""
_OF_BART, _OF_T5 = (LAST, _DECODER, _ENCODER), (_ENCODER, _DECODER, LAST)
"""Which of them is the shared one where a file lacks that: the first, in the order in which transformers asks."""


def read_bart(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return BART: Lewis et al. 2020."""
    _refuse_one_tower(tensors)
    for name, usual in _BART_VARIANTS.items():
        settings.refuse_unless(name, usual, "This variant of BART is not supported.")
    d, vocabulary = settings.whole("d_model"), settings.whole("vocab_size")
    tied = are_tied(settings)
    shared, tables = _tables(tensors, _OF_BART, vocabulary, d, tied=tied, said=tied)
    scale = d**0.5 if settings.flag("scale_embedding", False) else 1.0
    activation = activation_of(settings, "activation_function")

    def stack(tower: str, cross: AttentionNames | None) -> Stack:
        sizes = read_sizes(
            settings,
            width="d_model",
            inner=f"{tower}_ffn_dim",
            layers=f"{tower}_layers",
            heads=f"{tower}_attention_heads",
        )
        names = LayerNames(_BART_SELF, "fc1", "fc2", "final_layer_norm", cross)
        layers = PostNormLayers(tensors, names, sizes, activation, _BART_EPS)
        fetchers = [layers.fetcher(f"{tower}.layers.{place}.") for place in range(sizes.layers)]
        places = settings.whole("max_position_embeddings") + _BART_OFFSET
        embedding = Embedding(
            tables[tower],
            vocabulary,
            scale,
            tensors.vector(f"{tower}.embed_positions.weight", places, d)(),
            offset=_BART_OFFSET,
            norm=tensors.norm(f"{tower}.layernorm_embedding", d, _BART_EPS)(),
        )
        return Stack(embedding, LazyLayers(fetchers, room // 2), sizes.heads, is_causal=cross is not None)

    encoder, decoder = stack("encoder", None), stack("decoder", _BART_CROSS)
    head = language_head(settings, tensors, shared, tied=tied, bias="final_logits_bias")
    tensors.check_rest()
    return Transformer(decoder, encoder, head)


def read_t5(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return T5: Raffel et al. 2020; also 1.1, whose networks have a gate.

    Notes
    -----
    Scores are not divided by √d: training has made up for it.
    """
    _refuse_one_tower(tensors)
    sizes = read_sizes(
        settings, width="d_model", inner="d_ff", layers="num_layers", heads="num_heads", head_width="d_kv"
    )
    vocabulary = settings.whole("vocab_size")
    said = are_tied(settings)
    shared, tables = _tables(tensors, _OF_T5, vocabulary, sizes.width, tied=True, said=said)
    parts = T5Parts(settings, tensors, sizes, *_t5_network(settings))

    def stack(tower: str, layers: int, *, is_decoder: bool) -> Stack:
        fetchers = [parts.layer(f"{tower}.block.{place}.layer.", is_decoder=is_decoder) for place in range(layers)]
        return Stack(
            Embedding(tables[tower], vocabulary),
            LazyLayers(fetchers, room // 2),
            sizes.heads,
            is_causal=is_decoder,
            final_norm=parts.norm(f"{tower}.final_layer_norm")(),
            relative=parts.positions(tower, both_ways=not is_decoder),
            divides_by_root=False,
        )

    encoder = stack("encoder", sizes.layers, is_decoder=False)
    decoder = stack("decoder", settings.whole("num_decoder_layers", sizes.layers), is_decoder=True)
    scale = sizes.width**-0.5 if settings.flag("scale_decoder_outputs", said) else 1.0
    head = language_head(settings, tensors, shared, tied=True, said=said, scale=scale)
    tensors.check_rest(
        r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",  # old files have it, unused
    )
    return Transformer(decoder, encoder, head)


def _refuse_one_tower(tensors: Tensors) -> None:
    for tower, other in (TOWERS, TOWERS[::-1]):
        if tensors.has_any(f"{tower}.") and not tensors.has_any(f"{other}."):
            raise FileError(
                f"{tensors.where} holds only the {tower} of its model. Of BART and T5 only models with both towers can "
                f"be run here: save the whole model, with its {other}."
            )


def _tables(
    tensors: Tensors, others: tuple[str, ...], vocabulary: int, d: int, *, tied: bool, said: bool
) -> tuple[Words, dict[str, Words]]:
    """Return the shared table, and that of each tower, which is its own where the file has one.

    Parameters
    ----------
    others : tuple of str
        What may stand in for the shared table, where they are tied.
    tied, said : bool
        Whether they are, and whether the configuration says so.
    """
    shared = Words(tensors, tensors.first((_SHARED, *others) if tied else (_SHARED,), vocabulary, d))
    own = {tower: tensors.own(f"{tower}.embed_tokens.weight", shared.array, said=said) for tower in TOWERS}
    return shared, {tower: shared if array is shared.array else Words(tensors, array) for tower, array in own.items()}


def _t5_network(settings: Settings) -> tuple[str, bool]:
    """Return the activation of T5's networks, and whether they have a gate."""
    known = {
        "relu": ("relu", False),
        "gelu": ("gelu", False),
        "gated-gelu": ("gelu_new", True),
        "gated-silu": ("silu", True),
    }
    return known[settings.one_of("feed_forward_proj", known, "relu")]


@dataclass(frozen=True, slots=True)
class T5Parts:
    """Reads the parts of T5's towers."""

    settings: Settings
    tensors: Tensors
    sizes: Sizes
    activation: str
    gated: bool

    def norm(self, name: str) -> Callable[[], FastNorm]:
        """Return what reads a norm."""
        return self.tensors.norm(name, self.sizes.width, self.settings.number("layer_norm_epsilon"), NormKind.RMS)

    def layer(self, at: str, *, is_decoder: bool) -> Callable[[], Layer]:
        """Return what reads a layer; its tensors are checked now."""
        attention = self._attention(f"{at}0.", "SelfAttention")
        cross = self._attention(f"{at}1.", "EncDecAttention") if is_decoder else None
        network = self._network(f"{at}{2 if is_decoder else 1}.")
        return lambda: Layer(attention(), network(), None if cross is None else cross())

    def positions(self, tower: str, *, both_ways: bool) -> RelativePositions:
        """Return what a tower adds to its scores."""
        buckets = self.settings.whole("relative_attention_num_buckets", most=2**16)
        farthest = self.settings.whole("relative_attention_max_distance", 128)
        exact = buckets // (4 if both_ways else 2)
        if exact < 1 or farthest <= exact:
            raise FileError(
                f"{self.settings.where} has {buckets} classes of distances up to {farthest}, which cannot be: it is "
                "damaged."
            )
        name = f"{tower}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        return RelativePositions(self.tensors.vector(name, buckets, self.sizes.heads)(), farthest, both_ways)

    def _attention(self, at: str, name: str) -> Callable[[], Attention]:
        d, inner = self.sizes.width, self.sizes.heads * self.sizes.head_width
        q, k, v = (self.tensors.linear(f"{at}{name}.{each}", d, inner, bias=False) for each in "qkv")
        output = self.tensors.linear(f"{at}{name}.o", inner, d, bias=False)
        return attention_of(self.tensors, self.sizes, self.norm(f"{at}layer_norm"), (q, k, v), output, scale=1.0)

    def _network(self, at: str) -> Callable[[], Network]:
        d, inner = self.sizes.width, self.sizes.inner
        up = ("wi_0", "wi_1") if self.gated else ("wi",)
        into = tuple(self.tensors.linear(f"{at}DenseReluDense.{name}", d, inner, bias=False) for name in up)
        down = self.tensors.linear(f"{at}DenseReluDense.wo", inner, d, bias=False)
        return network_of(self.tensors, self.norm(f"{at}layer_norm"), into, down, self.activation)
