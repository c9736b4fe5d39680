"""JSON of others: read, or refused in our own words wherever it is met."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attention_explorer import cli
from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import ExplorerError
from attention_explorer.sources.learned.model_file import read_model
from attention_explorer.sources.models.folder import read_json_list
from attention_explorer.sources.recorded.opening import open_arrays

BROKEN = {
    "": "it is empty",
    "[1, 2": "ends too early, in line 1",
    '["a", "b': "ends too early, in line 1",
    "[1,\n x]": "is no JSON in line 2, column 2",
    "[" * 100_000: "nested too deeply",
    f"[{'9' * 5000}]": "a number with thousands of digits",
}


@pytest.mark.parametrize("text", BROKEN)
def test_why_a_text_is_no_json_is_said_in_our_words(text: str) -> None:
    with pytest.raises(JsonTextError, match=BROKEN[text]):
        json_from(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_bytes_are_read_as_they_are_encoded(encoding: str) -> None:
    assert json_from('{"α": [1, "é"]}'.encode(encoding)) == {"α": [1, "é"]}
    with pytest.raises(JsonTextError, match="it is no text"):
        json_from(b'["\xff"]')


def _folder(text: str, folder: Path) -> None:
    (folder / "merges.json").write_text(text or " ")
    read_json_list(folder / "merges.json")


def _tensors(text: str, folder: Path) -> None:
    header = b'{"a": ' + text.encode()
    (folder / "a.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    open_arrays(folder / "a.safetensors")


def _learned(text: str, folder: Path) -> None:
    np.savez(folder / "a.npz", about=np.array(text or " "), w=np.eye(2))
    read_model(folder / "a.npz")


def _tokens(text: str, folder: Path) -> None:
    np.save(folder / "a.npy", np.eye(2))
    (folder / "tokens.json").write_text(text)
    if cli.main(["render", str(folder / "a.npy"), str(folder / "a.svg"), "--tokens", str(folder / "tokens.json")]):
        raise ExplorerError("")  # said on standard error


@pytest.mark.parametrize("read", [_folder, _tensors, _learned, _tokens])
@pytest.mark.parametrize("text", BROKEN)
def test_wherever_it_is_met(
    read: Callable[[str, Path], None], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ExplorerError) as refused:
        read(text, tmp_path)
    said = str(refused.value) + capsys.readouterr().err
    assert any(reason in said for reason in BROKEN.values())
    assert not any(word in said for word in ("recursion", "Expecting", "Exceeds", "char "))
