"""A folder as Hugging Face keeps a model: a configuration, the weights in one file or in several, a tokeniser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.model_recipe import ADAPTER_WEIGHTS, CONFIG, INDEX, WEIGHTS, is_adapter
from attention_explorer.sources.models.families import family_of
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.safetensors_file import read_safetensors
from attention_explorer.sources.recorded.stored_array import StoredArray

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
MOST_JSON_BYTES = 2**27
"""No tokeniser is larger; Llama 3's has 9 MB."""


def read_json(path: Path) -> Mapping[str, Any]:
    """Read a file of settings.

    Raises
    ------
    FileError
        If it is no JSON, or no object.
    FileAccessError
        If it cannot be read.
    """
    found = _parsed(path)
    if not isinstance(found, dict):
        raise FileError(f"“{path}” holds no settings: it is damaged. Copy it again.")
    return found


def read_json_list(path: Path) -> Sequence[Any]:
    """Read a file that lists something; as `read_json`."""
    found = _parsed(path)
    if not isinstance(found, list):
        raise FileError(f"“{path}” holds no list: it is damaged. Copy it again.")
    return found


def _parsed(path: Path) -> object:
    file = FileBytes(path)
    if file.size > MOST_JSON_BYTES:
        raise FileError(f"“{path.name}” has {file.size} bytes, which no file of settings has.")
    try:
        return cast("object", json_from(file.read(0, file.size)))
    except JsonTextError as error:
        raise FileError(f"“{path}” cannot be read as JSON ({error}): it is damaged. Copy it again.") from None


def folder_settings(folder: Path) -> Settings:
    """Return the configuration of a folder.

    Raises
    ------
    FileError
        If there is none.
    """
    path = folder / CONFIG
    if not path.exists():
        raise FileError(
            f"“{folder}” cannot be opened: it is a folder. That of a model has a {CONFIG}: choose it, or a file."
        )
    return Settings(f"“{path}”", read_json(path))


def weights_of(path: Path) -> Path:
    """Return the file by which a model is known again: that of its weights, or of several the list of them."""
    if not path.is_dir():
        return path
    if is_adapter(path):
        return path / ADAPTER_WEIGHTS
    return next((path / name for name in (INDEX, WEIGHTS) if (path / name).exists()), path / CONFIG)


Merge: TypeAlias = Callable[[Mapping[str, StoredArray], tuple[str, ...]], Mapping[str, StoredArray]]
"""(tensors by name, what names may begin with) -> the tensors with those of an adapter in them."""


def folder_tensors(folder: Path, settings: Settings, merge: Merge = lambda arrays, _prefixes: arrays) -> Tensors:
    """List the weights of a folder; nothing but headers is read.

    Parameters
    ----------
    folder : Path
        That of the model itself.
    settings : Settings
        Its configuration.
    merge : callable
        Puts an adapter into them.

    Raises
    ------
    FileError
        If they are missing, damaged, or kept as a pickle.
    """
    prefixes = family_of(settings).prefixes
    if (folder / INDEX).exists():
        arrays, unfit = _shards(folder)
        return Tensors(f"“{folder}”", merge(arrays, prefixes), unfit, prefixes)
    if (folder / WEIGHTS).exists():
        found = read_safetensors(FileBytes(folder / WEIGHTS))
        return Tensors(f"“{folder / WEIGHTS}”", merge(found.arrays, prefixes), found.unfit, prefixes)
    for path in sorted(folder.iterdir()):
        if path.suffix in PICKLES:
            raise pickle_refused(path)
    raise FileError(f"“{folder}” has no weights: {WEIGHTS} is missing. Was it downloaded to its end?")


def pickle_refused(path: Path) -> FileError:
    """Return why a pickle is not opened, and the line that converts it."""
    return FileError(
        f"“{path.name}” is a pickle, which only running a program stored in it could open; that is never done here. "
        "Where PyTorch is installed, this line converts it, in its folder: "
        'python -c "import torch, safetensors.torch as s; s.save_file({k: v.contiguous().clone() for k, v in '
        f"torch.load('{path.name}', map_location='cpu', weights_only=True).items()}}, '{WEIGHTS}')\""
    )


def _shards(folder: Path) -> tuple[dict[str, StoredArray], dict[str, str]]:
    """Return the tensors of all files that an index names, and why some are unfit."""
    index = read_json(folder / INDEX)
    places = index.get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(name, str) for name in places.values()):
        raise FileError(f"“{folder / INDEX}” does not say which tensor is in which file: it is damaged.")
    arrays: dict[str, StoredArray] = {}
    unfit: dict[str, str] = {}
    for name in sorted(set(places.values())):
        if Path(name).name != name:
            raise FileError(f"“{folder / INDEX}” names {quoted(name)}, which is no file of its folder.")
        if Path(name).suffix in PICKLES:
            raise pickle_refused(Path(name))
        if not (folder / name).exists():
            raise FileError(f"“{folder}” lacks {quoted(name)}, a part of the weights: was it downloaded to its end?")
        part = read_safetensors(FileBytes(folder / name))
        twice = next((tensor for tensor in part.arrays if tensor in arrays), None)
        if twice is not None:
            raise FileError(f"“{folder}” has {quoted(twice)} in two files: it was put together from different models.")
        arrays |= part.arrays
        unfit |= part.unfit
    missing = next((tensor for tensor in places if tensor not in arrays and tensor not in unfit), None)
    if missing is not None:
        raise FileError(f"“{folder}” lacks the tensor {quoted(missing)}, which its index names: a file is damaged.")
    return arrays, unfit
