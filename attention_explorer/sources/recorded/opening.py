"""Opening a file of arrays, of whatever format."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from attention_explorer.errors import FileError
from attention_explorer.sources.recorded.array_file import ArrayFile
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.npy_file import is_npy, read_bare, read_npy
from attention_explorer.sources.recorded.npz_file import is_zip, read_npz
from attention_explorer.sources.recorded.safetensors_file import is_safetensors, read_safetensors
from attention_explorer.sources.recorded_recipe import ENDINGS

NPY_NAME = "array"
"""What the array of an .npy file is called, which has no name; messages call it by the name of the file."""
_START = 16
_ELSE = {
    b"\x80": "a pickle, which only running a program stored in it could open; that is never done here",
    b"\x89HDF": "an HDF5 file",
    b"\x1f\x8b": "a gzip file: unpack it first",
    b"GGUF": "a GGUF file, the weights of a model",
}


def open_arrays(path: str | PathLike[str], layout: str = "", offset: int = 0) -> ArrayFile:
    """Open a file of arrays. What it is its first bytes say, and only where they say nothing its ending.

    Parameters
    ----------
    path : str or path
        An .npy, .npz or .safetensors file, under any name.
    layout, offset : str, int
        Of an array in any other file, or in a part of one: its type, order and shape, written as in an .npy file, and
        its first byte.

    Returns
    -------
    ArrayFile
        Headers are read and checked against the size of the file; arrays are read when they are looked at.

    Raises
    ------
    FileAccessError
        If there is no such file, or it is a folder or may not be read.
    FileError
        If it is damaged, or of another format.
    """
    file = FileBytes(Path(path))
    if layout:
        return ArrayFile(file.path, {NPY_NAME: read_bare(file, NPY_NAME, layout, offset)}, {}, {})
    start = file.read(0, min(_START, file.size))
    ending = file.path.suffix.lower()
    if is_npy(start):
        return ArrayFile(file.path, {NPY_NAME: read_npy(file, NPY_NAME)}, {}, {})
    if is_zip(start):
        return read_npz(file)
    if is_safetensors(start, file.size):
        return read_safetensors(file)
    for magic, what in _ELSE.items():
        if start.startswith(magic):
            raise FileError(f"“{file.path.name}” is {what}. Save the weights with numpy.savez or safetensors.")
    if ending in ENDINGS:
        raise FileError(
            f"“{file.path.name}” does not begin as a {ending} file does: it is damaged or something else under that "
            "name. Save it again."
        )
    raise FileError(f"“{file.path.name}” is no .npz, .npy or .safetensors file: save the weights as one of these.")
