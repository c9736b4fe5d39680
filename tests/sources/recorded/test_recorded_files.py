"""Files as the libraries write them that define the formats, and files that lie."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from attention_explorer.errors import ArrayError, ExplorerError, FileAccessError, FileError
from attention_explorer.sources.recorded import ArrayFile, file_bytes, open_arrays

NUMBERS = np.random.default_rng(1).normal(size=(2, 3, 4, 5))
TYPES = ["f2", "<f4", ">f4", "f8", "i1", "i2", ">i4", "i8", "u1", "u2", "?"]


def saved(path: Path, **arrays: np.ndarray) -> ArrayFile:
    """Write arrays as the ending says, with the library that defines the format, and open them with ours."""
    if path.suffix == ".npy":
        (array,) = arrays.values()
        np.save(path, array)
    elif path.suffix == ".safetensors":
        save_file({name: np.array(array, order="C") for name, array in arrays.items()}, path)
    else:
        (np.savez_compressed if "packed" in path.name else np.savez)(path, **arrays)
    return open_arrays(path)


def check_parts(file: ArrayFile, name: str, expected: np.ndarray) -> None:
    stored = file.arrays[name]
    assert (stored.shape, stored.dtype) == (expected.shape, expected.dtype.newbyteorder("="))
    assert stored.nbytes == expected.nbytes
    for part in ((), (1,), (slice(1, 2), 2), (0, slice(1, 3), 3), (0, slice(0, 2), slice(1, 3), 4), (1, 2, 3, 4)):
        found = stored.part(part)
        np.testing.assert_array_equal(found, expected[part])
        assert found.dtype == stored.dtype
        assert found.flags.writeable
        target = np.zeros_like(found)
        stored.part_into(part, target)
        np.testing.assert_array_equal(target, expected[part])
    for rows in (0, -1, slice(0, 1), slice(None, None, -1), [1, 0, 0], np.array([0, 1]), []):
        np.testing.assert_array_equal(stored[rows], expected[np.asarray(rows, int) if isinstance(rows, list) else rows])
    stored.read()[...] = 0
    np.testing.assert_array_equal(stored.read(), expected)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["a.npy", "plain.npz", "packed.npz", "a.safetensors"])
def test_any_part_of_any_type(tmp_path: Path, name: str, dtype: str, order: str) -> None:
    array = np.asarray(NUMBERS * 10 > 0 if dtype == "?" else np.abs(NUMBERS) * 10, dtype, order=order)
    if name.endswith("safetensors"):
        array = array.astype(array.dtype.newbyteorder("=") if dtype != "u2" else np.uint8)  # U16 is not read
    file = saved(tmp_path / name, x=array)
    check_parts(file, "array" if name == "a.npy" else "x", array)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (2, 1, 1)])
@pytest.mark.parametrize("name", ["a.npy", "plain.npz", "packed.npz", "a.safetensors"])
def test_any_shape(tmp_path: Path, name: str, shape: tuple[int, ...]) -> None:
    array = np.ones(shape, np.float32)
    (stored,) = saved(tmp_path / name, x=array).arrays.values()
    assert stored.shape == shape
    np.testing.assert_array_equal(stored.read(), array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_header(tmp_path: Path, version: tuple[int, int]) -> None:
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        np.lib.format.write_array(file, NUMBERS, version=version)
    check_parts(open_arrays(path), "array", NUMBERS)


def test_a_header_of_python_2(tmp_path: Path) -> None:
    header = b"{'shape': (2L, 3L), 'fortran_order': False, \"descr\": '<f4' }\n"
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(24))
    assert open_arrays(path).arrays["array"].shape == (2, 3)


def bfloat16_file(path: Path, numbers: np.ndarray) -> None:
    bits = (np.ascontiguousarray(numbers, np.float32).view(np.uint32) >> 16).astype("<u2")
    header = {"w": {"dtype": "BF16", "shape": list(numbers.shape), "data_offsets": [0, bits.nbytes]}}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bits.tobytes())


def test_bfloat16_becomes_float32(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    numbers = np.array([[0.5, -2.0, 0.0, np.inf], [1.5, 2.0**-100, 3e38, 0.0078125]], np.float32)
    bfloat16_file(path, numbers)
    stored = open_arrays(path).arrays["w"]
    assert (stored.dtype, stored.precision) == (np.float32, "bfloat16")
    np.testing.assert_array_equal(stored.read(), (numbers.view(np.uint32) & 0xFFFF0000).view(np.float32))


def test_text_and_what_cannot_be_used_stand_beside_the_arrays(tmp_path: Path) -> None:
    words = ["the", "Ġcat", "日本", ""]
    for number, save in enumerate((np.savez, np.savez_compressed)):
        path = tmp_path / f"{number}.npz"
        save(
             path, x=NUMBERS, words=np.array(words), swapped=np.array(words, ">U3"), one=np.array("text"),
             latin=np.array([b"a", b"bc"]), objects=np.array([None]), c=np.array([1j]),
             table=np.array(["a", "b"]).reshape(1, 2), bad=np.array([b"\xff"]),
        )  # fmt: skip
        file = open_arrays(path)
        assert list(file.arrays) == ["x"]
        assert file.texts["words"] == tuple(words)
        assert file.texts["swapped"] == tuple(word[:3] for word in words)
        assert (file.texts["one"], file.texts["latin"]) == ("text", ("a", "bc"))
        assert set(file.unfit) == {"objects", "c", "table", "bad"}
        assert "Python objects" in file.unfit["objects"]
        assert "complex" in file.unfit["c"]


def test_metadata_of_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"x": NUMBERS}, path, metadata={"tokens": '["a", "Ġb"]', "format": "np", "odd": "[1", "n": "[1]"})
    assert open_arrays(path).texts == {"tokens": ("a", "Ġb"), "format": "np", "odd": "[1", "n": "[1]"}


def test_the_content_says_what_a_file_is(tmp_path: Path) -> None:
    for name in ("a.npy", "a.npz", "a.safetensors"):
        saved(tmp_path / name, x=NUMBERS)
        other = (tmp_path / name).rename(tmp_path / f"{name}.bin")
        assert open_arrays(str(other)).arrays


# ---- What is refused ----


def test_what_the_system_refuses_is_an_oserror(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.npy", tmp_path):
        with pytest.raises(FileAccessError, match=r"There is no file|is a folder") as caught:
            open_arrays(path)
        assert isinstance(caught.value, OSError)
        assert isinstance(caught.value, ExplorerError)
    with pytest.raises(FileError, match="names no file"):
        open_arrays("a\0b")


def test_no_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")  # root, who may run the tests, may read anything

    np.save(tmp_path / "a.npy", NUMBERS)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileAccessError, match="You may not read") as caught:
        open_arrays(tmp_path / "a.npy")
    assert caught.value.errno == 13


def test_a_disk_that_fails_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(5, "Input/output error")

    array = saved(tmp_path / "a.npy", x=NUMBERS).arrays["array"]
    monkeypatch.setattr(file_bytes.FileBytes, "_read_some", fail)
    with pytest.raises(FileAccessError, match="cannot be read: Input/output error"):
        array.read()


def test_systems_that_seek_and_read_in_two_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bytes, "_READS_ANYWHERE", False)
    check_parts(saved(tmp_path / "plain.npz", x=NUMBERS), "x", NUMBERS)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes")
def test_neither_a_pipe_nor_a_device_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    for path in (tmp_path / "pipe.npy", Path("/dev/zero")):
        with pytest.raises(FileError, match="not an ordinary file"):
            open_arrays(path)


def shortened(path: Path) -> None:
    with path.open("rb+") as file:
        file.truncate(500)


def rewritten(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("change", [shortened, rewritten])
@pytest.mark.parametrize("name", ["a.npy", "plain.npz", "packed.npz", "a.safetensors"])
def test_a_file_that_changes_while_it_is_open(tmp_path: Path, name: str, change: Callable[[Path], None]) -> None:
    """A mapped file that is shortened would end the program here (SIGBUS)."""
    (array,) = saved(tmp_path / name, x=NUMBERS).arrays.values()
    change(tmp_path / name)
    with pytest.raises(FileError, match="was changed while it was open"):
        array.read()


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let go of an open file")
def test_a_file_that_vanishes_can_be_read_to_its_end(tmp_path: Path) -> None:
    array = saved(tmp_path / "a.npy", x=NUMBERS).arrays["array"]
    (tmp_path / "a.npy").unlink()
    np.testing.assert_array_equal(array.read(), NUMBERS)


@pytest.mark.parametrize("rows", [2, -3, "a", 1.5, [[0]], [5], slice("a")])
def test_rows_that_there_are_not(tmp_path: Path, rows: object) -> None:
    with pytest.raises(ArrayError):
        saved(tmp_path / "a.npy", x=NUMBERS).arrays["array"][rows]
