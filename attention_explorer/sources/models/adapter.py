"""LoRA adapters: small matrices that were learned for a model, and are merged into those of its own folder.

Hu et al. 2021, section 4.1: W + (α ÷ r) · B·A. The files are those of the library peft; none of its code is run.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.core.numerals import counted, plain
from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.sources.model_recipe import ADAPTER_CONFIG, ADAPTER_WEIGHTS, CONFIG, is_adapter
from attention_explorer.sources.models.folder import read_json
from attention_explorer.sources.models.names import hub_folders, name_by_place
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.safetensors_file import read_safetensors
from attention_explorer.sources.recorded.stored_array import StoredArray

PREFIX = "base_model.model."
"""What the names of all tensors of an adapter begin with."""
_FACTOR = re.compile(r"(?P<module>.+)\.lora_(?P<embedding>embedding_)?(?P<factor>[AB])(?P<weight>\.weight)?")
_SAVED_WHOLE = re.compile(r"\.(modules_to_save|base_layer)(?=\.)")
_BEGUN_PLAINLY = (None, True, False, "gaussian", "orthogonal", "eva")
"""How A and B may have begun so that the model itself stayed as it was."""
_NOT_MERGED = (
    *("use_dora", "use_qalora", "lora_bias"),
    *("layer_replication", "alora_invocation_tokens", "target_parameters"),
)
"""Settings that ask for something else than W + (α ÷ r) · B·A."""


@dataclass(frozen=True, slots=True)
class Lora:
    """What is added to one matrix: scale · B·A.

    Attributes
    ----------
    a, b : StoredArray
        (r, d_in) and (d_out, r).
    scale : float
        α ÷ r, or α ÷ √r.
    is_turned : bool
        Whether the model's file holds the matrix as (d_in, d_out).
    """

    a: StoredArray
    b: StoredArray
    scale: float
    is_turned: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the matrix in the model's file."""
        shape = self.b.shape[0], self.a.shape[1]
        return shape[::-1] if self.is_turned else shape

    def part(self, rows: slice, columns: slice) -> Floats:
        """Return a part of what is added, of the matrix as it is in the model's file."""
        out, into = (columns, rows) if self.is_turned else (rows, columns)
        b = self.b.part((out,)).astype(np.float32) * np.float32(self.scale)
        found: Floats = b @ self.a.read().astype(np.float32)[:, into]
        return found.T if self.is_turned else found


class MergedArray(StoredArray):
    """A matrix of a model with what an adapter adds to it: both are read when a part is asked for.

    Parameters
    ----------
    base : StoredArray
        The matrix.
    lora : Lora
        What is added, of the same shape.
    """

    def __init__(self, base: StoredArray, lora: Lora) -> None:
        super().__init__(base.name, base.shape, np.dtype(np.float32), base.precision)
        self._base, self._lora = base, lora

    def _read(self, cuts: Sequence[slice]) -> npt.NDArray[Any]:
        rows, columns = cuts
        return np.asarray(self._base.part(cuts).astype(np.float32) + self._lora.part(rows, columns))


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter.

    Attributes
    ----------
    folder : Path
        Where it is.
    matrices : mapping of str to Lora
        What is added, by the names of tensors.
    whole : mapping of str to StoredArray
        Tensors that take the place of the model's own.
    """

    folder: Path
    matrices: Mapping[str, Lora]
    whole: Mapping[str, StoredArray]

    def merged_into(self, arrays: Mapping[str, StoredArray], prefixes: tuple[str, ...]) -> dict[str, StoredArray]:
        """Return the tensors of a model with those of the adapter in them.

        Parameters
        ----------
        arrays : mapping of str to StoredArray
            Those of the model, by name.
        prefixes : tuple of str
            What names may begin with, in files of which task they were saved for.

        Raises
        ------
        FileError
            If the adapter changes a matrix that the model does not have, or of another shape.
        """
        found = dict(arrays)
        for name, array in self.whole.items():
            found[_own_name(name, arrays, prefixes) or name] = array
        for name, lora in self.matrices.items():
            own = _own_name(name, arrays, prefixes)
            if own is None or arrays[own].shape != lora.shape:
                has = "does not have" if own is None else f"has as {list(arrays[own].shape)}"
                raise FileError(
                    f"“{self.folder}” changes {quoted(name)} of shape {list(lora.shape)}, which the model {has}: the "
                    "adapter belongs to another model."
                )
            found[own] = MergedArray(arrays[own], lora)
        return found

    @property
    def note(self) -> str:
        """What was merged, as a sentence."""
        ranks = {lora.a.shape[0] for lora in self.matrices.values()}
        scales = {lora.scale for lora in self.matrices.values()}
        scale = plain(scales.pop(), 2) if len(scales) == 1 else "(α ÷ r)"
        rank = f"rank {ranks.pop()}" if len(ranks) == 1 else f"ranks {min(ranks)} to {max(ranks)}"
        many = counted(len(self.matrices), "tensor")
        return f"LoRA “{name_by_place(self.folder)}” is merged into {many}: W + {scale} · B·A, {rank}."


def base_of(path: Path, environment: Mapping[str, str] = os.environ, home: Path | None = None) -> Path:
    """Return the folder of the model that is in a folder, or that the adapter in it is for.

    It is looked for by the name that the adapter gives it: as a folder, in the adapter's own, beside it, and where
    Hugging Face keeps models.

    Raises
    ------
    FileError
        If the adapter's model is not on this computer; the message says where to put it.
    """
    if not is_adapter(path):
        return path
    named = _settings(path).text("base_model_name_or_path", "")
    last = Path(named).name or "its model"
    places = (Path(named), path / named, path / "base", path.parent / last, *hub_folders(named, environment, home))
    found = next((place for place in places if named and place != path and (place / CONFIG).is_file()), None)
    if found is None:
        raise FileError(
            f"“{path}” is an adapter (LoRA) of the model {quoted(named)}, which is not where programs keep models. Put "
            f"the folder of that model beside it, as “{path.parent / last}”."
        )
    return found


def read_adapter(folder: Path) -> Adapter:
    """List what an adapter holds; nothing but headers is read.

    Raises
    ------
    FileError
        If it is damaged, or asks for something that is not computed here; the message names it.
    """
    settings = _checked(_settings(folder))
    path = folder / ADAPTER_WEIGHTS
    if not path.exists():
        raise FileError(f"“{folder}” has no {ADAPTER_WEIGHTS}: only adapters kept as .safetensors are opened.")
    read = read_safetensors(FileBytes(path))
    factors: dict[tuple[str, bool], dict[str, StoredArray]] = {}
    whole: dict[str, StoredArray] = {}
    for name, array in read.arrays.items():
        short = name.removeprefix(PREFIX)
        match = _FACTOR.fullmatch(short)
        if match is not None:
            factors.setdefault((match["module"], match["embedding"] is not None), {})[match["factor"]] = array
        elif "lora_" in short or short == name:
            raise FileError(f"{quoted(name)} of “{path}” is no tensor of a LoRA that can be merged here.")
        else:
            whole[_SAVED_WHOLE.sub("", short)] = array
    unfit = next(iter(read.unfit.values()), None)
    if unfit is not None or not factors:
        raise FileError(unfit or f"“{path}” holds no matrices of a LoRA.")
    matrices = {
        f"{module}.weight": _lora(path, settings, module, found, is_embedding=is_embedding)
        for (module, is_embedding), found in factors.items()
    }
    return Adapter(folder, matrices, whole)


def _settings(folder: Path) -> Settings:
    path = folder / ADAPTER_CONFIG
    return Settings(f"“{path}”", read_json(path))


def _checked(settings: Settings) -> Settings:
    """Refuse what would be merged wrongly."""
    kind = settings.text("peft_type", "")
    if kind != "LORA":
        raise FileError(f"{settings.where} is an adapter of the kind {quoted(kind)}: only LoRA can be merged here.")
    begun = settings.peek("init_lora_weights")
    if begun not in _BEGUN_PLAINLY:
        raise FileError(
            f"{settings.where} says “init_lora_weights”: {quoted(str(begun))}, which changes the model itself before "
            "learning begins: save the merged model, and open that."
        )
    asked = next((name for name in _NOT_MERGED if settings.peek(name)), None)
    if asked is not None:
        raise FileError(
            f"{settings.where} asks for {quoted(asked)}, which is not merged here: save the merged model and open that."
        )
    return settings


def _lora(
    path: Path, settings: Settings, module: str, factors: Mapping[str, StoredArray], *, is_embedding: bool
) -> Lora:
    """Return what is added to a module."""
    if set(factors) != {"A", "B"}:
        raise FileError(f"“{path}” has only one of the two matrices of {quoted(module)}: it is damaged.")
    a, b = factors["A"], factors["B"]
    if a.ndim != 2 or b.ndim != 2 or a.shape[0] != b.shape[1] or not a.shape[0]:
        raise FileError(
            f"The matrices of {quoted(module)} in “{path}”, {list(a.shape)} and {list(b.shape)}, do not fit together."
        )
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        raise FileError(f"The matrices of {quoted(module)} in “{path}” hold no floating-point numbers.")
    alpha = _alpha(settings, module)
    by_root = settings.flag("use_rslora", default=False)
    scale = alpha / (math.sqrt(a.shape[0]) if by_root else a.shape[0])
    return Lora(a, b, scale, is_embedding or settings.flag("fan_in_fan_out", default=False))


def _alpha(settings: Settings, module: str) -> float:
    """Return α of a module, which a name of its own may stand beside."""
    patterns = settings.peek("alpha_pattern") or {}
    if not isinstance(patterns, Mapping):
        raise FileError(f"{settings.where} has no names in “alpha_pattern”: it is damaged.")
    for name, alpha in patterns.items():
        if not re.fullmatch(r"[\w.]+", name):
            raise FileError(f"{settings.where} has the pattern {quoted(name)} in “alpha_pattern”: only names are read.")
        if module == name or module.endswith(f".{name}"):
            return Settings(settings.where, {"alpha_pattern": alpha}).number("alpha_pattern")
    return settings.number("lora_alpha")


def _own_name(name: str, arrays: Mapping[str, StoredArray], prefixes: tuple[str, ...]) -> str | None:
    """Return what the model's file calls a tensor, with or without what names begin with; None if it has none."""
    short = next((name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix)), name)
    known = (name, short, *(prefix + short for prefix in prefixes))
    return next((each for each in known if each in arrays), None)
