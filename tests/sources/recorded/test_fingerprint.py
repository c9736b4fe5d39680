"""What a file is known by again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from attention_explorer.errors import FileAccessError
from attention_explorer.sources.recorded import change_since, reference_to, whole_digest

MIB = 2**20


def changed(path: Path, place: int, byte: bytes = b"x") -> None:
    before = path.stat().st_mtime_ns
    with path.open("rb+") as file:
        file.seek(place, os.SEEK_END if place < 0 else os.SEEK_SET)
        file.write(byte)
    os.utime(path, ns=(before + 10**9, before + 10**9))


@pytest.fixture(params=[10, 3 * MIB, 20 * MIB])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found = tmp_path / "a.npy"
    found.write_bytes(bytes(request.param))
    return found


def test_a_file_that_stays_is_the_same(path: Path) -> None:
    reference = reference_to(path)
    assert (reference.path, reference.size, len(reference.digest)) == (path, path.stat().st_size, 64)
    assert change_since(reference) is None
    changed(path, 0, b"\0")
    assert reference_to(path).modified_ns != reference.modified_ns
    assert change_since(reference) is None, "written again, with the same bytes"


@pytest.mark.parametrize("place", [0, -1])
def test_a_file_with_other_bytes_is_not(path: Path, place: int) -> None:
    reference = reference_to(path)
    changed(path, place)
    assert change_since(reference) == "“a.npy” has other numbers now: it was changed."


def test_a_file_of_another_size_or_none_is_not(path: Path) -> None:
    reference = reference_to(path)
    changed(path, reference.size)
    assert f"has {reference.size + 1} bytes now, and had {reference.size}" in str(change_since(reference))
    path.unlink()
    assert "There is no file" in str(change_since(reference))
    with pytest.raises(FileAccessError):
        reference_to(path)


def test_all_bytes_of_a_smaller_file_count_and_samples_of_a_larger_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(4 * MIB))
    reference = reference_to(path)
    changed(path, 12345)
    assert change_since(reference) is not None
    path.write_bytes(bytes(64 * MIB))
    reference = reference_to(path)
    changed(path, 100_000)
    assert change_since(reference) is None, "between samples: only the whole digest sees it"


def test_the_whole(path: Path) -> None:
    changed(path, 5)
    shares: list[float] = []
    assert whole_digest(path, shares.append) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
