"""Headers that lie, and files of other kinds: a sentence each, and no memory on their word."""

from __future__ import annotations

import io
import json
import re
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from attention_explorer.errors import FileError
from attention_explorer.sources.recorded import open_arrays
from attention_explorer.sources.recorded.npz_file import MOST_ARRAYS


def npy(header: str, data: bytes = b"", version: int = 1) -> bytes:
    text = header.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def described(descr: str = "'<f4'", shape: str = "(2, 2)", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def tensors(header: object, data: bytes = b"") -> bytes:
    text = header.encode() if isinstance(header, str) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(start: int, stop: int, shape: list[int], dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}


def archive(data: bytes, *, claims: int | None = None, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make an archive of one array, whose list may claim another size."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        made.writestr("attention.npy", data)
    found = file.getvalue()
    if claims is not None:
        place = found.rindex(b"PK\x01\x02") + 24
        found = found[:place] + struct.pack("<I", claims) + found[place + 4 :]
    return found


def many(count: int) -> bytes:
    """Make an archive of so many arrays, of which the first is at fault."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for number in range(count):
            made.writestr(f"a{number}.npy", b"nothing")
    return file.getvalue()


HUGE = 10**12
MOST_BYTES = 8 * 2**20
BOMB = npy(described("'|u1'", f"({2**22},)"), bytes(2**22))
REFUSED: dict[str, tuple[bytes, str]] = {
    "npy of 10**12 elements": (npy(described(shape=f"({HUGE},)")), f"takes {4 * HUGE} bytes, but has 0"),
    "npy beyond all numbers": (npy(described(shape=f"({10**18}, {10**18})")), "no array is that large"),
    "npy with a giant empty shape": (npy(described(shape=f"(0, {10**18}, {10**18})")), "no array is that large"),
    "npy of too many axes": (npy(described(shape="(" + "1," * 40 + ")"), bytes(4)), "no array is that large"),
    "npy that is too short": (npy(described(), bytes(15)), "takes 16 bytes, but has 15"),
    "npy that is too long": (npy(described(), bytes(17)), "takes 16 bytes, but has 17"),
    "npy of a negative length": (npy(described(shape="(-2, 2)")), "does not say type, order and shape"),
    "npy of objects": (npy(described("'|O'")), "Python objects"),
    "npy of records": (npy(described("[('a', '<f4'), ('b', '<f4')]")), "records"),
    "npy of complex numbers": (npy(described("'<c8'"), bytes(32)), "complex numbers"),
    "npy of text": (npy(described("'<U1'"), bytes(16)), "holds text"),
    "npy of a type there is not": (npy(described("'<q9'")), "unknown type"),
    "npy with a program for a header": (npy("__import__('os').system('true')"), "does not say type"),
    "npy with a type twice": (npy("{'descr': '<f4', 'descr': '<f4', 'shape': ()}"), "does not say type"),
    "npy with an endless header": (npy(" " * 70000, version=2), "header of 70000 bytes"),
    "npy of version 4": (npy(described(), version=4), "version 4.0"),
    "npy that ends in its magic": (b"\x93NUMPY", "ends after 6 bytes"),
    "safetensors of 10**12 elements": (
        tensors({"w": tensor(0, 4 * HUGE, [HUGE])}),
        f"should have {4 * HUGE} bytes of tensors, but has 0",
    ),
    "safetensors beyond all numbers": (tensors({"w": tensor(0, 0, [0, HUGE**2])}), "claims a shape that no array has"),
    "safetensors that overlap": (
        tensors({"a": tensor(0, 16, [4]), "b": tensor(8, 24, [4])}, bytes(24)),
        "“b” of “x.bin” overlaps with “a”",
    ),
    "safetensors with a gap": (tensors({"a": tensor(4, 8, [1])}, bytes(8)), "belong to nothing"),
    "safetensors that are too long": (tensors({"a": tensor(0, 4, [1])}, bytes(8)), "should have 4 bytes"),
    "safetensors of another size": (tensors({"a": tensor(0, 4, [2])}, bytes(4)), "takes 8 bytes, but the offsets"),
    "safetensors of an unknown type": (tensors({"a": tensor(0, 4, [1], "F33")}, bytes(4)), "unknown type “F33”"),
    "safetensors without offsets": (tensors({"a": {"dtype": "F32", "shape": [1]}}, bytes(4)), "has no type, shape"),
    "safetensors with a negative shape": (tensors({"a": tensor(0, 4, [-1])}, bytes(4)), "has no type, shape"),
    "safetensors with true for one": (tensors({"a": tensor(0, 4, [True])}), "has no type, shape"),
    "safetensors with a name twice": (tensors('{"a": 1, "a": 2}'), "stands there twice"),
    "safetensors of nested lists": (tensors('{"a": ' + "[" * 100_000 + "}"), "cannot be read"),
    "safetensors with odd metadata": (tensors({"__metadata__": {"a": 1}}), "metadata"),
    "safetensors of broken text": (tensors('{"a": \x00'), "cannot be read"),
    "zip bomb that says so": (archive(BOMB, claims=2**31), "has 2.0 GiB unpacked"),
    "zip bomb by its word": (archive(BOMB, claims=2**29), "which cannot be"),
    "zip bomb that hides": (archive(BOMB, claims=77), "unpacks to more than the 77 bytes"),
    "zip with a giant inside": (archive(npy(described(shape=f"({HUGE},)"))), f"takes {4 * HUGE} bytes"),
    "zip without arrays": (b"PK\x05\x06" + bytes(18), "without arrays"),
    "zip cut short": (archive(BOMB)[:-30], "damaged archive"),
    "zip of very many arrays": (many(MOST_ARRAYS + 1), "4097 arrays, but 4096 are looked through at most"),
    "zip packed otherwise": (archive(BOMB, method=zipfile.ZIP_BZIP2), ""),
    "nothing": (b"", "is empty"),
    "something else": (b"hello, world", "is no .npz, .npy or .safetensors file"),
    "a pickle": (b"\x80\x04\x95", "a pickle"),
    "an HDF5 file": (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(tmp_path: Path, name: str) -> None:
    content, words = REFUSED[name]
    path = tmp_path / "x.bin"
    path.write_bytes(content)
    if name == "zip packed otherwise":
        assert "numpy.savez" in open_arrays(path).unfit["attention"]
        return
    tracemalloc.start()
    with pytest.raises(FileError, match=re.escape(words)) as caught:
        open_arrays(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert isinstance(caught.value, ValueError)
    assert "x.bin" in str(caught.value)
    assert str(caught.value)[-1] in ".?", "a sentence"


def test_a_bomb_that_opens_is_stopped_where_its_list_says(tmp_path: Path) -> None:
    small = npy(described("'|u1'", f"({2**21},)"), bytes(2**21))
    made = archive(small + bytes(2**22), claims=len(small))
    (tmp_path / "x.npz").write_bytes(made)
    array = open_arrays(tmp_path / "x.npz").arrays["attention"]
    with pytest.raises(FileError, match=f"unpacks to more than the {len(small)} bytes"):
        array.read()


def test_other_numbers_than_were_packed(tmp_path: Path) -> None:
    inside = npy(described("'|u1'", "(100,)"), bytes(100))
    made = archive(inside)
    (tmp_path / "x.npz").write_bytes(made.replace(struct.pack("<I", zlib.crc32(inside)), bytes(4)))
    with pytest.raises(FileError, match="does not unpack to what was packed"):
        open_arrays(tmp_path / "x.npz").arrays["attention"].read()


def test_a_file_of_pytorch_is_never_run(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.pt", "w") as made:
        made.writestr("archive/data.pkl", b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(FileError, match="PyTorch"):
        open_arrays(tmp_path / "m.pt")
