"""Models in .gguf files: the Llama family, as llama.cpp names its parts."""

from __future__ import annotations

import numpy as np

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import NormPlace, NormSpec, Rope, Spec, Transformer
from attention_explorer.sources.models.assembly import assembled
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.gguf_file import ARCHITECTURE, GgufFile
from attention_explorer.sources.models.reading import layers_alike, read_count, read_sizes
from attention_explorer.sources.models.refusals import refused
from attention_explorer.sources.models.rope_settings import inverse_wavelengths
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors

ARCHITECTURES = ("llama",)
_NAMES = TowerNames(
    words="token_embd.weight",
    layer="blk.{}.",
    attention=AttentionNames(("attn_q", "attn_k", "attn_v"), "attn_output", ("attn_norm",)),
    network=NetworkNames(("ffn_gate", "ffn_up"), "ffn_down", ("ffn_norm",)),
    final_norm="output_norm",
)
_WITH_BIAS = {"attn_q": ("q", "k", "v"), "attn_output": ("output",), "ffn_up": ("up", "down")}
"""Tensors by whose bias, in the first layer, it is told which projections have one: no setting says it."""
_TOKENS = "tokenizer.ggml.tokens"
_FREQUENCIES = "rope_freqs.weight"


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
    tensors, listed = Tensors(where, file.arrays, file.unfit), file.values.get(_TOKENS)
    words = len(listed) if isinstance(listed, tuple) else None
    family = Family(
        towers=(Tower(spec=lambda said: _llama(said, tensors, words), names=_NAMES),),
        head=HeadNames(decode="output"),
        usually_tied=False,
        always_tied=True,
        unused=(r"blk\.\d+\.attn_rot_embd\.weight",),  # what the base of rotary positions gives, in old files
    )
    return assembled(family, Settings(where, file.values, f"{architecture}."), tensors, room)


def _llama(said: Settings, tensors: Tensors, words: int | None) -> Spec:
    """Llama as llama.cpp writes it."""
    sizes = read_sizes(
        said,
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
    )
    width = sizes["head_width"]
    if said.whole("attention.value_length", width) != width:
        value = said.peek("attention.value_length")
        raise refused(said, "attention.value_length", value, "Values of another length than keys are not supported.")
    with_bias = (parts for name, parts in _WITH_BIAS.items() if tensors.has(f"blk.0.{name}.bias"))
    return Spec(
        **sizes,
        vocabulary=said.whole("vocab_size", words),
        layers=layers_alike(read_count(said, "block_count"), width**-0.5, _rope(said, tensors, width)),
        is_causal=True,
        norm=NormSpec(NormKind.RMS, said.number("attention.layer_norm_rms_epsilon"), NormPlace.PRE),
        activation="silu",
        gated=True,
        biases=frozenset(part for parts in with_bias for part in parts),
    )


def _rope(said: Settings, tensors: Tensors, width: int) -> Rope:
    if width % 2:
        raise FileError(f"{said.where} says a head of {width} features, but rotary turns pairs of them.")
    turned = said.whole("rope.dimension_count", width)
    if turned != width:
        raise refused(
            said, "rope.dimension_count", turned, "Models that turn only a part of each head are not supported."
        )
    frequencies = inverse_wavelengths(said.number("rope.freq_base", 10000.0), width)
    if said.one_of("rope.scaling.type", ("none", "linear"), "none") == "linear":
        frequencies = frequencies / np.float32(said.number("rope.scaling.factor"))
    if tensors.has(_FREQUENCIES):  # Llama 3's stretching, by pair
        frequencies = _divided(said, frequencies, tensors.vector(_FREQUENCIES, width // 2)())
    return Rope(lambda _n: frequencies, interleaved=True)


def _divided(said: Settings, frequencies: Floats, factors: Floats) -> Floats:
    if not (factors > 0.0).all():
        raise FileError(f"{quoted(_FREQUENCIES)} of {said.where} holds numbers that are not above 0: it is damaged.")
    return np.asarray(frequencies / factors)
