"""Opening a model, of whatever format."""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from attention_explorer.core.byte_cache import ON_SHOW_BYTES
from attention_explorer.errors import FileAccessError, FileError
from attention_explorer.sources.models.adapter import base_of, read_adapter
from attention_explorer.sources.models.assembly import assembled
from attention_explorer.sources.models.dropout_rates import dropout_of
from attention_explorer.sources.models.families import family_of
from attention_explorer.sources.models.folder import (
    PICKLES,
    folder_settings,
    folder_tensors,
    pickle_refused,
    read_json,
)
from attention_explorer.sources.models.gguf_file import GgufFile, is_gguf, read_gguf
from attention_explorer.sources.models.gguf_model import read_gguf_model
from attention_explorer.sources.models.gguf_tokeniser import gguf_tokeniser
from attention_explorer.sources.models.marian_tokeniser import SOURCE, TARGET, has_two_languages, two_languages
from attention_explorer.sources.models.model import Model
from attention_explorer.sources.models.pooling import pooling_of
from attention_explorer.sources.models.sentencepieces import has_sentencepieces, sentencepieces
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tokeniser import Tokeniser, guarded, library
from attention_explorer.sources.models.wordpiece import VOCABULARIES, VOCABULARY
from attention_explorer.sources.recorded.file_bytes import FileBytes

WEIGHT_BYTES = 2**32
"""Weights that stay in memory once they were read; of larger models the rest is read again at every run."""
TOKENISER = "tokenizer.json"
_MAKES_A_TOKENISER = (
    "python -c \"from transformers import AutoTokenizer as t; t.from_pretrained('.').save_pretrained('.')\""
)


def load_model(
    path: str | PathLike[str], *, attention_bytes: int = ON_SHOW_BYTES, weight_bytes: int = WEIGHT_BYTES
) -> Model:
    """Open a model. Only headers are read and checked; its weights are read when it is first run.

    Where the file holds two tables that its configuration says are one, they are compared, and used as they are:
    ``notes`` of the model says if they differ.

    Parameters
    ----------
    path : str or path
        A folder as Hugging Face keeps models, with ``config.json`` and weights as safetensors, or one with a LoRA for
        such a model, as peft saves them; or a .gguf file.
    attention_bytes : int
        How much attention each run keeps; of more layers it is computed again when it is looked at.
    weight_bytes : int
        How much of the weights, as float32, stays in memory.

    Returns
    -------
    Model

    Raises
    ------
    ExplorerError
        If it cannot be read, is damaged, or is of a kind that this program cannot run; the message says which.

    Notes
    -----
    No code of a model is ever run, and nothing is downloaded.
    """
    place = Path(path).absolute()
    if place.is_dir():
        return _open_folder(place, attention_bytes, weight_bytes)
    if not place.exists():
        raise FileAccessError(f"There is no file or folder “{place}”: was it moved or renamed?")
    if place.suffix in PICKLES:
        raise pickle_refused(place)
    file = FileBytes(place)
    if is_gguf(file):
        return _open_gguf(place, read_gguf(file), attention_bytes, weight_bytes)
    raise FileError(f"“{place.name}” is no model: choose a folder with config.json, or a .gguf file.")


def _open_folder(folder: Path, attention_bytes: int, weight_bytes: int) -> Model:
    base = base_of(folder)
    settings = folder_settings(base)
    if base == folder:
        tensors = folder_tensors(folder, settings)
    else:
        adapter = read_adapter(folder)
        tensors = folder_tensors(base, settings, adapter.merged_into)
        tensors.notes.append(adapter.note)
    transformer = assembled(family_of(settings), settings, tensors, weight_bytes)
    start = settings.whole("decoder_start_token_id", least=0) if settings.has("decoder_start_token_id") else None
    tokeniser = _tokeniser(folder if (folder / TOKENISER).exists() else base, settings)
    return Model(
        folder,
        settings.text("model_type"),
        transformer,
        tokeniser,
        start,
        attention_bytes,
        partial(pooling_of, base),
        notes=tuple(tensors.notes),
        dropout=dropout_of(settings),
    )


def _open_gguf(path: Path, found: GgufFile, attention_bytes: int, weight_bytes: int) -> Model:
    where = f"“{path.name}”"
    transformer = read_gguf_model(where, found, weight_bytes)
    family = str(found.values["general.architecture"])
    return Model(path, family, transformer, gguf_tokeniser(where, found.values), None, attention_bytes)


def _tokeniser(folder: Path, settings: Settings) -> Tokeniser:
    path, family = folder / TOKENISER, settings.text("model_type")
    end = settings.whole("eos_token_id", least=0) if isinstance(settings.peek("eos_token_id"), int) else None
    if not path.exists() and has_two_languages(folder, family):
        written = Tokeniser(f"“{folder / TARGET}”", partial(two_languages, folder, TARGET), end)
        return Tokeniser(f"“{folder / SOURCE}”", partial(two_languages, folder, SOURCE), end, written)

    def make() -> Any:  # noqa: ANN401 - of a package that may not be installed
        by_words = VOCABULARIES.get(family)
        if not path.exists() and (folder / VOCABULARY).exists() and by_words is not None:
            return by_words(folder)
        if not path.exists() and has_sentencepieces(folder, family):
            return sentencepieces(folder, settings)
        if not path.exists():
            raise FileError(
                f"“{folder}” has no {TOKENISER}, so this model takes ids, but no text. Where transformers is "
                f"installed, this line makes one, in that folder: {_MAKES_A_TOKENISER}"
            )
        read_json(path)  # damage is said in our own words, where the library has few
        file = FileBytes(path)
        content = file.read(0, file.size)
        package = library()
        return guarded(f"“{path}”", lambda: package.Tokenizer.from_buffer(content))

    return Tokeniser(f"“{path}”", make, end)
