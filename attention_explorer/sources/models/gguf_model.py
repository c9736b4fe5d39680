"""Models in .gguf files, whose parts llama.cpp names alike in all families."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.transformer import Transformer
from attention_explorer.sources.models.assembly import assembled
from attention_explorer.sources.models.family import Family, HeadNames, Tower
from attention_explorer.sources.models.gguf_families import ARCHITECTURES
from attention_explorer.sources.models.gguf_file import ARCHITECTURE, GgufFile
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors

_TOKENS = "tokenizer.ggml.tokens"
_FAMILY = Family(
    towers=(),
    head=HeadNames(decode="output"),
    tables=("token_embd.weight",),  # which may stand in for the last matrix, but not the other way round
    usually_tied=False,
    always_tied=True,
    unused=(r"blk\.\d+\.attn_rot_embd\.weight",),  # what the base of rotary positions gives, in old files
)


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
    """
    name = Settings(where, file.values).text(ARCHITECTURE)
    if name not in ARCHITECTURES:
        raise FileError(
            f"{where} is of a model of the type {quoted(name)}, which this program cannot run from a .gguf file. It "
            f"runs {', '.join(ARCHITECTURES)}."
        )
    tensors, listed = Tensors(where, file.arrays, file.unfit), file.values.get(_TOKENS)
    words = len(listed) if isinstance(listed, tuple) else None
    found = ARCHITECTURES[name]
    tower = Tower(spec=lambda said: found.spec(said, tensors, words), names=found.names)
    return assembled(replace(_FAMILY, towers=(tower,)), Settings(where, file.values, f"{name}."), tensors, room)
