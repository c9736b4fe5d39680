"""Decoders, which predict the next word: Llama and its relatives, and GPT-2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_explorer.errors import FileError
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import Embedding, Layer, Stack, Transformer
from attention_explorer.sources.models.building import (
    Sizes,
    activation_of,
    attention_of,
    network_of,
    read_sizes,
)
from attention_explorer.sources.models.heads import LAST, are_tied, language_head
from attention_explorer.sources.models.lazy_layers import LazyLayers
from attention_explorer.sources.models.rope_settings import read_rope
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors, Words


@dataclass(frozen=True, slots=True)
class LlamaNames:
    """What a file calls the parts of a layer of the Llama family."""

    layer: str = "layers.{}."
    attention_norm: str = "input_layernorm"
    q: str = "self_attn.q_proj"
    k: str = "self_attn.k_proj"
    v: str = "self_attn.v_proj"
    output: str = "self_attn.o_proj"
    network_norm: str = "post_attention_layernorm"
    gate: str = "mlp.gate_proj"
    up: str = "mlp.up_proj"
    down: str = "mlp.down_proj"


@dataclass(frozen=True, slots=True)
class LlamaLayers:
    """How the layers of a model of the Llama family differ from those of others."""

    sizes: Sizes
    activation: str
    eps: float
    qkv_bias: bool = False
    output_bias: bool = False
    network_bias: bool = False

    def fetcher(
        self, tensors: Tensors, place: int, window: int | None, names: LlamaNames = LlamaNames()
    ) -> Callable[[], Layer]:
        """Return what reads a layer, the tensors of which are checked now."""
        d, inner, at = self.sizes.width, self.sizes.inner, names.layer.format(place)
        queries, keys = (count * self.sizes.head_width for count in (self.sizes.heads, self.sizes.kv_heads))
        attention = attention_of(
            tensors,
            self.sizes,
            tensors.norm(at + names.attention_norm, d, self.eps, NormKind.RMS),
            (
                tensors.linear(at + names.q, d, queries, bias=self.qkv_bias),
                tensors.linear(at + names.k, d, keys, bias=self.qkv_bias),
                tensors.linear(at + names.v, d, keys, bias=self.qkv_bias),
            ),
            tensors.linear(at + names.output, queries, d, bias=self.output_bias),
            window=window,
        )
        network = network_of(
            tensors,
            tensors.norm(at + names.network_norm, d, self.eps, NormKind.RMS),
            tuple(tensors.linear(at + name, d, inner, bias=self.network_bias) for name in (names.gate, names.up)),
            tensors.linear(at + names.down, inner, d, bias=self.network_bias),
            self.activation,
        )
        return lambda: Layer(attention(), network())


def read_llama(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return a model of the Llama family: Llama 1 to 3, SmolLM, Mistral, Qwen2.

    Notes
    -----
    Touvron et al. 2023; Jiang et al. 2023 for Mistral's windows; Yang et al. 2024 for Qwen2's biases.
    """
    sizes = read_sizes(
        settings,
        width="hidden_size",
        inner="intermediate_size",
        layers="num_hidden_layers",
        heads="num_attention_heads",
        kv_heads="num_key_value_heads",
        head_width="head_dim",
    )
    if sizes.head_width % 2:
        raise FileError(f"{settings.where} says a head of {sizes.head_width} features, but rotary turns pairs of them.")
    bias = settings.flag("attention_bias", False) if settings.text("model_type") == "llama" else False
    layers = LlamaLayers(
        sizes,
        activation_of(settings, "hidden_act"),
        settings.number("rms_norm_eps"),
        qkv_bias=bias or settings.text("model_type") == "qwen2",
        output_bias=bias,
        network_bias=settings.flag("mlp_bias", False),
    )
    tied = are_tied(settings, usually=False)
    words = _words(tensors, "embed_tokens.weight", settings, sizes.width, tied=tied)
    final = tensors.norm("norm", sizes.width, layers.eps, NormKind.RMS)
    fetchers = [layers.fetcher(tensors, place, _window(settings, place)) for place in range(sizes.layers)]
    head = language_head(settings, tensors, words, tied=tied)
    tensors.check_rest(r".*rotary_emb\.inv_freq", r"score\.weight")
    stack = Stack(
        Embedding(words, settings.whole("vocab_size")),
        LazyLayers(fetchers, room),
        sizes.heads,
        is_causal=True,
        final_norm=final(),
        rope=read_rope(settings, sizes.head_width),
    )
    return Transformer(stack, head=head)


def _words(tensors: Tensors, name: str, settings: Settings, d: int, *, tied: bool) -> Words:
    """Return the table of words: of two that are tied, a file may hold only the last matrix."""
    return Words(tensors, tensors.first((name, LAST) if tied else (name,), settings.whole("vocab_size"), d))


def _window(settings: Settings, place: int) -> int | None:
    """Return how many keys a query sees in a layer; None for all before it."""
    family = settings.text("model_type")
    if family == "mistral":
        return settings.whole("sliding_window") if settings.has("sliding_window") else None
    if family != "qwen2" or not settings.flag("use_sliding_window", False) or not settings.has("sliding_window"):
        return None
    kinds = settings.texts("layer_types")
    slides = (
        kinds[place] == "sliding_attention"
        if place < len(kinds)
        else place >= settings.whole("max_window_layers", least=0)
    )
    return settings.whole("sliding_window") if slides else None


def read_gpt2(settings: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return GPT-2: Radford et al. 2019."""
    settings.refuse_unless("add_cross_attention", False, "A GPT-2 that looks at an encoder is not supported.")
    d = settings.whole("n_embd")
    inner = settings.whole("n_inner", 4 * d)
    sizes = read_sizes(settings, width="n_embd", inner=inner, layers="n_layer", heads="n_head")
    eps, activation = settings.number("layer_norm_epsilon"), activation_of(settings, "activation_function")
    scale = sizes.head_width**-0.5 if settings.flag("scale_attn_weights", True) else 1.0
    by_depth = settings.flag("scale_attn_by_inverse_layer_idx", False)

    def fetcher(place: int) -> Callable[[], Layer]:
        at = f"h.{place}."
        attention = attention_of(
            tensors,
            sizes,
            tensors.norm(f"{at}ln_1", d, eps),
            (tensors.linear(f"{at}attn.c_attn", d, 3 * d, input_first=True),),
            tensors.linear(f"{at}attn.c_proj", d, d, input_first=True),
            scale=scale / (place + 1) if by_depth else scale,
        )
        up = tensors.linear(f"{at}mlp.c_fc", d, inner, input_first=True)
        down = tensors.linear(f"{at}mlp.c_proj", inner, d, input_first=True)
        network = network_of(tensors, tensors.norm(f"{at}ln_2", d, eps), (up,), down, activation)
        return lambda: Layer(attention(), network())

    vocabulary, tied = settings.whole("vocab_size"), are_tied(settings)
    words = _words(tensors, "wte.weight", settings, d, tied=tied)
    places = tensors.vector("wpe.weight", settings.whole("n_positions"), d)
    final = tensors.norm("ln_f", d, eps)
    layers = LazyLayers([fetcher(place) for place in range(sizes.layers)], room)
    head = language_head(settings, tensors, words, tied=tied)
    tensors.check_rest(r"h\.\d+\.attn\.(bias|masked_bias)", r"score\.weight")
    embedding = Embedding(words, vocabulary, positions=places())
    divides = not by_depth and settings.flag("scale_attn_weights", True)
    stack = Stack(embedding, layers, sizes.heads, is_causal=True, final_norm=final(), divides_by_root=divides)
    return Transformer(stack, head=head)
