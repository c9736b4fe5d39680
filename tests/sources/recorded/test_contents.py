"""What is what in a file of arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from attention_explorer.errors import ExplorerError, FileError
from attention_explorer.sources.recorded import Contents, contents_of, open_arrays
from attention_explorer.sources.recorded_source import file_recipe

W = np.full((2, 3, 4, 4), 0.25, np.float32)
Q = np.ones((2, 3, 4, 5), np.float32)
T = np.array(["a", "b", "c", "d"])


def contents(path: Path, chosen: str | None = None, **arrays: Any) -> Contents:
    np.savez(path / "a.npz", **arrays)
    return contents_of(open_arrays(path / "a.npz"), chosen)


@pytest.mark.parametrize("name", ["attention", "attentions", "weights"])
def test_weights_by_their_name(tmp_path: Path, name: str) -> None:
    found = contents(tmp_path, **{name: W, "other": W, "scores": -W})
    assert (found.name, [array.name for array in found.attention], found.is_list) == (name, [name], False)
    assert (found.q, found.mask, found.tokens) == ((), None, None)


@pytest.mark.parametrize("numbers", [(0, 1), (1, 2), (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)])
@pytest.mark.parametrize("between", [".", "_", "", "/"])
def test_numbered_layers_stand_in_their_order(tmp_path: Path, between: str, numbers: tuple[int, ...]) -> None:
    if between == "/":  # NumPy takes it for a folder in the archive
        save_file({f"attention/{n}": W[0, : 1 + n % 3] for n in reversed(numbers)}, tmp_path / "a.safetensors")
        found = contents_of(open_arrays(tmp_path / "a.safetensors"))
    else:
        found = contents(tmp_path, **{f"attention{between}{n}": W[0, : 1 + n % 3] for n in reversed(numbers)})
    assert found.is_list
    assert [array.name for array in found.attention] == [f"attention{between}{n}" for n in numbers]


def test_layers_without_names(tmp_path: Path) -> None:
    """As after ``numpy.savez(path, *outputs.attentions)``."""
    found = contents(tmp_path, arr_0=W[:1], arr_1=W[:1], tokens=T)
    assert (found.name, found.is_list, len(found.attention)) == ("arr", True, 2)
    with pytest.raises(FileError, match="several arrays"):
        contents(tmp_path, arr_0=W, arr_1=W)


def test_the_only_array_that_fits(tmp_path: Path) -> None:
    assert contents(tmp_path, x=W, ids=np.arange(4), bias=np.ones(3), q=Q, k=Q).name == "x"
    assert contents(tmp_path, x=W, hidden=-W, other=3 * W).name == "x"
    np.save(tmp_path / "a.npy", W)
    assert contents_of(open_arrays(tmp_path / "a.npy")).attention[0].shape == W.shape


def test_what_stands_beside(tmp_path: Path) -> None:
    found = contents(tmp_path, weights=W, q=Q, k=Q, v=Q, mask=np.ones((4, 4), bool), tokens=T, context_tokens=T[::-1])
    assert [array.name for array in (*found.q, *found.k, *found.v)] == ["q", "k", "v"]
    assert found.mask is not None
    assert (found.tokens, found.context_tokens) == (("a", "b", "c", "d"), ("d", "c", "b", "a"))
    alone = contents(tmp_path, **{"q.0": Q[0], "q.1": Q[1], "k.0": Q[0], "k.1": Q[1]})
    assert (alone.name, alone.attention, len(alone.q), alone.is_list) == ("", (), 2, True)


def test_our_own_exports(tmp_path: Path) -> None:
    exported = {"weights": W[0, 0], "allowed": np.ones((4, 4), bool), "queries": T, "keys": T, "parameters": T[0]}
    found = contents(tmp_path, **exported)
    assert (found.name, found.tokens, found.context_tokens) == ("weights", ("a", "b", "c", "d"), None)
    assert found.mask is not None


def test_tokens_in_other_forms(tmp_path: Path) -> None:
    assert contents(tmp_path, weights=W, tokens=np.array([5, 6, 7, 8])).tokens == ("5", "6", "7", "8")
    assert contents(tmp_path, weights=W, tokens=np.array(json.dumps(["x", "y"]))).tokens == ("x", "y")
    save_file({"weights": W}, tmp_path / "a.safetensors", metadata={"tokens": '["Ġa", "b"]'})
    assert contents_of(open_arrays(tmp_path / "a.safetensors")).tokens == ("Ġa", "b")


def test_what_is_left_aside_is_said(tmp_path: Path) -> None:
    found = contents(tmp_path, weights=W, q=Q, extra=np.array([1j]))
    assert found.q == ()
    assert ["q alone" in found.notes[0], "complex" in found.notes[1]] == [True, True]


@pytest.mark.parametrize(
    ("chosen", "arrays", "words"),
    [
        (None, {"a": W, "b": W}, r"several arrays that could be weights: “a” \(2, 3, 4, 4\) float32, “b”"),
        (None, {"a": -W, "b": 5 * W}, "several arrays that could be weights"),
        (None, {"attention": W, "weights": W}, "several arrays"),
        (None, {"a": np.ones(3)}, r"holds no weights: “a” \(3,\) float64"),
        (None, {"q": Q}, "holds no weights"),
        (None, {"attention": np.array([W, None], object)}, "Python objects"),
        (None, {"attention": np.array([1j])}, "complex numbers"),
        (None, {"attention": W, "mask": np.ones((4, 4), object)}, "“mask” .* holds Python objects"),
        ("q, k", {"attention": W}, "no q and k from which weights could be computed"),
        (None, {"attention_0": W, "attention_2": W}, "none of number 1"),
        (None, {"attention_3": W, "attention_4": W}, "none of number"),
        (None, {"attention": W, "tokens": np.array("one text")}, "give a text for each token"),
        (None, {"attention": W, "tokens": np.ones(4)}, "holds no text"),
        ("atention", {"attention": W}, "Did you mean “attention”"),
        ("x", {"attention": W}, "no array “x”. It has “attention”"),
    ],
)
def test_refused_with_what_to_do(tmp_path: Path, chosen: str | None, arrays: dict[str, Any], words: str) -> None:
    with pytest.raises(FileError, match=words):
        contents(tmp_path, chosen, **arrays)


def test_one_of_several_by_its_name(tmp_path: Path) -> None:
    assert contents(tmp_path, "b", a=W, b=W).name == "b"
    layers = contents(tmp_path, "b", a=W, b_0=W[0], b_1=W[1])
    assert (layers.name, layers.is_list) == ("b", True)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (
            np.ones((4, 4), np.int64),
            r"holds no weights, but numbers of shape \(4, 4\), int64\. Save floating-point",
        ),
        (np.zeros((0, 4)), "no entries"),
        (np.full((4, 4), np.nan), "holds nan at index"),
        (-np.ones((4, 4)), r"holds -1\.0 at index"),
        (np.ones((4, 4)), "rows sum to 4"),
    ],
)
def test_what_is_wrong_with_a_file_without_names_is_said_of_the_file(tmp_path, array, said) -> None:
    path = tmp_path / "mine.npy"
    np.save(path, array)
    with pytest.raises(ExplorerError, match=said) as error:
        file_recipe(path)
    assert str(error.value).startswith("“mine.npy” ")
    assert "array" not in str(error.value)


def test_a_name_for_what_has_none_is_refused(tmp_path) -> None:
    path = tmp_path / "mine.npy"
    np.save(path, W)
    assert file_recipe(path, attention="array") == file_recipe(path), "as older sessions have it"
    with pytest.raises(ExplorerError, match=r"“mine\.npy” has no names in it, and so no “foo”: leave the name out"):
        file_recipe(path, attention="foo")
