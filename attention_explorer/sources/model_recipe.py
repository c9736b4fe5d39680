"""The recipe of a trained model: where it is on this computer, and what it is given to read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attention_explorer.core.declared import Kind, declared
from attention_explorer.sources.recorded_recipe import (
    digest_declared,
    is_recording,
    modified_declared,
    size_declared,
)
from attention_explorer.sources.source import Recipe, context_declared, sentence_declared

GGUF = ".gguf"
CONFIG, ADAPTER_CONFIG = "config.json", "adapter_config.json"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER_WEIGHTS = "adapter_model.safetensors"
WHOLE_WORDS = (
    "whole words",
    "Show the tokens of a word as one: weights are summed over those of a key, and of these sums the mean is\n"
    "taken over those of a query, so that rows still sum to 1.",
    "Show whole words or their tokens",
)
"""What a field is called that says so, its tip, and what changing it is called."""


def model_at(path: Path) -> Path | None:
    """Return the model that a path stands for: a .gguf file, or a folder with a configuration, or a file of such a one.

    All other paths are those of sessions, or of files of attention.
    """
    if path.suffix.lower() == GGUF or is_blob(path) or _is_folder(path):
        return path
    is_part = path.name in (CONFIG, ADAPTER_CONFIG) or path.suffix.lower() == ".safetensors"
    return path.parent if is_part and _is_folder(path.parent) else None


def _is_folder(path: Path) -> bool:
    return (path / CONFIG).is_file() or is_adapter(path)


def is_adapter(path: Path) -> bool:
    """Whether a folder holds an adapter of a model, and not the model itself."""
    return (path / ADAPTER_CONFIG).is_file() and not any((path / name).exists() for name in (WEIGHTS, INDEX))


def is_blob(path: Path) -> bool:
    """Whether a path is that of a file of Ollama, which calls them by their digests."""
    return path.parent.name == "blobs" and path.name.startswith("sha256-")


def shows_attention(path: Path) -> bool:
    """Whether a path is that of a model, or of recorded attention; all others are taken for sessions."""
    return model_at(path) is not None or is_recording(path)


@dataclass(frozen=True, slots=True)
class ModelRecipe(Recipe):
    """A trained model and what it reads; never its weights.

    Attributes
    ----------
    path : str
        Its folder or file.
    size, modified_ns, digest : int, int, str
        What its weights were like when it was opened: see `FileReference`.
    sentence : str
        What it reads; in an encoder–decoder with a context, what the decoder writes.
    context : str or None
        What the encoder of an encoder–decoder reads: then cross-attention is shown, else that of the encoder itself.
    whole_words : bool
        Whether the tokens of a word are shown as one.
    """

    path: str = declared(
        "", "model", "The folder or the file of the model on this computer", "Open a model", kind=Kind.REFERENCE
    )
    size: int = size_declared()
    modified_ns: int = modified_declared()
    digest: str = digest_declared()
    sentence: str = sentence_declared()
    context: str | None = context_declared()
    whole_words: bool = declared(False, *WHOLE_WORDS)
