"""Models in .gguf files: the Llama family, as llama.cpp names its parts."""

from __future__ import annotations

import numpy as np

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import Embedding, Head, Linear, Rope, Stack, Transformer
from attention_explorer.sources.models.building import read_sizes
from attention_explorer.sources.models.decoders import LlamaLayers, LlamaNames
from attention_explorer.sources.models.gguf_file import ARCHITECTURE, GgufFile
from attention_explorer.sources.models.lazy_layers import LazyLayers
from attention_explorer.sources.models.rope_settings import inverse_wavelengths
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors, Words

ARCHITECTURES = ("llama",)
_NAMES = LlamaNames(
    "blk.{}.", "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"
)
_TOKENS = "tokenizer.ggml.tokens"


def read_gguf_model(where: str, file: GgufFile, room: int) -> Transformer:
    """Return the model of a file.

    Parameters
    ----------
    where : str
        The file, for messages.
    file : GgufFile
        What its header says.
    room : int
        Bytes of weights that may stay in memory.

    Raises
    ------
    FileError
        If it is of another family, or something does not fit.

    Notes
    -----
    llama.cpp turns neighbouring pairs of features, so the rows of queries and keys lie in another order than in a
    Hugging Face folder; scores are the same.
    """
    architecture = Settings(where, file.values).text(ARCHITECTURE)
    if architecture not in ARCHITECTURES:
        raise FileError(
            f"{where} is of a model of the type {quoted(architecture)}, which this program cannot run from a "
            f".gguf file. It runs {', '.join(ARCHITECTURES)}."
        )
    settings = Settings(where, file.values, f"{architecture}.")
    settings.refuse_unless("expert_count", 0, "Mixtures of experts are not supported.")
    settings.refuse_unless("attention.sliding_window", 0, "Sliding windows in .gguf files are not supported.")
    sizes = read_sizes(
        settings,
        width="embedding_length",
        inner="feed_forward_length",
        layers="block_count",
        heads="attention.head_count",
        kv_heads="attention.head_count_kv",
        head_width="attention.key_length",
    )
    settings.refuse_unless("attention.value_length", sizes.head_width, "Values of another length are not supported.")
    tensors = Tensors(where, file.arrays, file.unfit)
    layers = LlamaLayers(
        sizes,
        "silu",
        settings.number("attention.layer_norm_rms_epsilon"),
        qkv_bias=tensors.has("blk.0.attn_q.bias"),
        output_bias=tensors.has("blk.0.attn_output.bias"),
        network_bias=tensors.has("blk.0.ffn_up.bias"),
    )
    listed = file.values.get(_TOKENS)
    vocabulary = settings.whole("vocab_size", len(listed) if isinstance(listed, tuple) else None)
    words = Words(tensors, tensors.array("token_embd.weight", vocabulary, sizes.width))
    final = tensors.norm("output_norm", sizes.width, layers.eps, NormKind.RMS)
    fetchers = [layers.fetcher(tensors, place, None, _NAMES) for place in range(sizes.layers)]
    rope = _rope(settings, tensors, sizes.head_width)
    own = tensors.has("output.weight")
    last = tensors.fused(tensors.linear("output", sizes.width, vocabulary, bias=False)) if own else None
    tensors.check_rest(r"blk\.\d+\.attn_rot_embd\.weight")  # what the base of rotary positions gives, in old files
    stack = Stack(
        Embedding(words, vocabulary),
        LazyLayers(fetchers, room),
        sizes.heads,
        is_causal=True,
        final_norm=final(),
        rope=rope,
    )
    return Transformer(stack, head=lambda: Head(Linear(words.whole().T) if last is None else last()))


def _rope(settings: Settings, tensors: Tensors, width: int) -> Rope:
    settings.refuse_unless(
        "rope.dimension_count", width, "Models that turn only a part of each head are not supported."
    )
    if width % 2:
        raise FileError(f"{settings.where} says a head of {width} features, but rotary turns pairs of them.")
    frequencies = inverse_wavelengths(settings.number("rope.freq_base", 10000.0), width)
    if settings.one_of("rope.scaling.type", ("none", "linear"), "none") == "linear":
        frequencies = frequencies / np.float32(settings.number("rope.scaling.factor"))
    if tensors.has("rope_freqs.weight"):  # Llama 3's stretching, by pair
        frequencies = _divided(settings, frequencies, tensors.vector("rope_freqs.weight", width // 2)())
    return Rope(lambda _n: frequencies, interleaved=True)


def _divided(settings: Settings, frequencies: Floats, factors: Floats) -> Floats:
    if not (factors > 0.0).all():
        raise FileError(f"“rope_freqs.weight” of {settings.where} holds numbers that are not above 0: it is damaged.")
    return np.asarray(frequencies / factors)
