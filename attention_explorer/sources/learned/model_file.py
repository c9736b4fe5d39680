"""Learned models in files: their numbers, and the setup and step that would learn them again."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from attention_explorer.core.files import write_whole
from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import ExplorerError, ExportError, FileError, did_you_mean, quoted
from attention_explorer.model.learning import ARITHMETIC, Network
from attention_explorer.sources.learned.first import first_network
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.recorded import open_arrays
from attention_explorer.sources.recorded.array_file import ArrayFile

ABOUT = "about"
"""The name under which a file says how its numbers were learned: JSON with setup, step, and what was measured."""

CHECKSUM = "sha256"
"""What it calls the checksum of the numbers."""

LEARNED_WITH = "arithmetic"
"""What it calls the arithmetic with which they were learned."""

ENDINGS = (".npz", ".safetensors")
"""Of the files that can be written."""


class NotLearnedError(FileError):
    """The file can be read, and holds no learned model."""


def check_ending(path: Path) -> None:
    """Refuse a path whose ending names no format.

    Raises
    ------
    ExportError
        The message lists those there are.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ExportError(
            f"A learned model is written as {' or '.join(ENDINGS)}, not as {quoted(ending or path.name)}. "
            f"{did_you_mean(ending, ENDINGS, 'Choose one of these endings.')}"
        )


def write_model(path: Path, model: LearnedModel) -> None:
    """Write the numbers of a model to a file, whole or not at all. The same model gives the same bytes.

    Parameters
    ----------
    path : Path
        Ending in .npz or .safetensors.
    model : LearnedModel
        What was learned.

    Raises
    ------
    ExportError
        In words: another ending, or the file cannot be written.
    """
    write_whole(path, model_bytes(path, model))


def model_bytes(path: Path, model: LearnedModel) -> bytes:
    """Return what the file of a model at a path holds.

    Raises
    ------
    ExportError
        The path has another ending.
    """
    check_ending(path)
    arrays = model.network.parameters.arrays
    made = _npz_bytes if path.suffix.lower() == ".npz" else _safetensors_bytes
    return made(arrays, json.dumps(_about(model), sort_keys=True))


def read_model(path: Path, *, as_learned_here: bool = False) -> LearnedModel:
    """Read a model that `write_model` wrote.

    Parameters
    ----------
    path : Path
        An .npz or .safetensors file, under any name.
    as_learned_here : bool
        Whether a file is refused that does not tell the checksum of its numbers, or that they were learned with the
        arithmetic of this version: learning again might not give them.

    Returns
    -------
    LearnedModel

    Raises
    ------
    ExplorerError
        If it cannot be read, is no learned model, its arrays are not those of the setup that it names, or its numbers
        not those of its checksum.
    """
    file = open_arrays(path)
    setup, step, checksum, arithmetic = _told(file)
    network = first_network(setup)
    parameters = network.parameters
    expected = {name: array.shape for name, array in parameters.arrays.items()}
    for name, shape in expected.items():
        stored = file.arrays.get(name)
        found = None if stored is None else stored.shape
        if stored is None or found != shape:
            raise FileError(f"{quoted(name)} of “{path.name}” must have shape {shape}, but it is {found or 'missing'}.")
        parameters[name][...] = stored.read()
    if not np.isfinite(parameters.vector).all():
        raise FileError(f"“{path.name}” holds numbers that are not finite: it is damaged. Train the model again.")
    if as_learned_here and (checksum is None or arithmetic != ARITHMETIC):
        lacks = "has no checksum" if checksum is None else "was learned with the arithmetic of another version"
        raise FileError(f"“{path.name}” {lacks}: save the weights again with this one.")
    if checksum is not None and checksum != _checksum(network):
        raise FileError(f"The numbers of “{path.name}” are not those of its checksum: it was changed, or is damaged.")
    return LearnedModel(setup, step, network)


def _checksum(network: Network) -> str:
    """Return the SHA-256 of all learned numbers, one behind the other as float32."""
    return hashlib.sha256(network.parameters.vector.astype("<f4").tobytes()).hexdigest()


def _about(model: LearnedModel) -> dict[str, Any]:
    measured = model.measured()
    weight = {} if measured.weight is None else {"weight": round(measured.weight, 6)}
    about = {"setup": asdict(model.setup), "step": model.step, "accuracy": round(measured.accuracy, 6)}
    return about | {CHECKSUM: _checksum(model.network), LEARNED_WITH: ARITHMETIC} | weight


def _told(file: ArrayFile) -> tuple[LearningSetup, int, object, object]:
    """Return what a file says of itself."""
    where, text = f"“{file.path.name}”", file.texts.get(ABOUT)
    if not isinstance(text, str):
        raise NotLearnedError(f"{where} is no learned model: it does not say how it was learned.")
    try:
        told = json_from(text)
        given, step = told["setup"], told["step"]
        checksum, arithmetic = told.get(CHECKSUM), told.get(LEARNED_WITH)
        known = {field.name for field in fields(LearningSetup)}
        setup = LearningSetup(**{name: value for name, value in given.items() if name in known})
    except (JsonTextError, ExplorerError) as error:
        raise FileError(f"{where} does not say how it was learned in a way that can be read: {error}.") from None
    except (TypeError, KeyError, AttributeError):
        raise FileError(
            f"{where} does not say how it was learned in a way that can be read: it needs “setup” and “step”."
        ) from None
    if type(step) is not int or step < 0:
        raise FileError(f"{where} must name a step from 0 on, not {step!r:.40}.")
    return setup, step, checksum, arithmetic


def _npz_bytes(arrays: dict[str, Any], about: str) -> bytes:
    with io.BytesIO() as file:
        np.savez(file, **arrays, **{ABOUT: np.array(about)})  # type: ignore[arg-type] # its stubs take names for options
        return file.getvalue()


def _safetensors_bytes(arrays: dict[str, Any], about: str) -> bytes:
    """Return the bytes of a .safetensors file: length of the header, header, and the numbers without gaps."""
    header: dict[str, Any] = {"__metadata__": {ABOUT: about}}
    parts, start = list[bytes](), 0
    for name, array in arrays.items():
        part = np.ascontiguousarray(array, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [start, start + len(part)]}
        parts.append(part)
        start += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers begin at a multiple of eight, as the format asks
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
