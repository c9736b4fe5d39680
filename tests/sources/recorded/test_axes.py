"""Which axis is which: guessed from a sample, said with reasons, and never wrong without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.sources.recorded import StoredArray, check_axes, examine_axes, guess_axes, open_arrays
from attention_explorer.sources.recorded_recipe import Rows

SIZES = {"l": 3, "b": 1, "h": 4, "q": 7, "k": 7}


def weights(axes: str, *, causal: bool = False, **sizes: int) -> np.ndarray:
    """Draw weights with their axes in some order."""
    lengths = {**SIZES, **sizes}
    usual = "".join(sorted(axes, key="lbhqk".index))
    scores = np.random.default_rng(3).normal(size=[lengths[letter] for letter in usual]) * 2
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], k=lengths["k"] - lengths["q"]) > 0, scores, -np.inf)
    exponentials = np.exp(scores)
    found = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return found.transpose([usual.index(letter) for letter in axes])


def stored(path: Path, *arrays: np.ndarray) -> list[StoredArray]:
    np.savez(path / "a.npz", *arrays)
    return list(open_arrays(path / "a.npz").arrays.values())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "axes", ["qk", "kq", "hqk", "hkq", "qkh", "qhk", "kqh", "lhqk", "lhkq", "lqkh", "lqhk", "qklh", "lbhqk", "lbhkq"]
)
def test_every_order_is_found(tmp_path: Path, axes: str, causal: bool) -> None:
    guess = guess_axes(stored(tmp_path, weights(axes, causal=causal)))
    assert guess.problems == ()
    assert (guess.checked(), guess.is_causal) == (axes, causal)
    assert guess.reasons[0].startswith("The ")
    assert ("Keys come before queries" in " ".join(guess.reasons)) == (axes.index("k") < axes.index("q"))
    assert ("causal" in guess.reasons[-1]) == causal
    assert (guess.rows.least, guess.rows.most) == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize(
    ("axes", "sizes", "is_list", "expected"),
    [
        ("qk", {"q": 2}, False, "qk"),
        ("kq", {"q": 2}, False, "kq"),
        ("hqk", {"q": 2}, False, "hqk"),
        ("lhqk", {"l": 1}, False, "lhqk"),
        ("lbhqk", {"l": 1, "b": 5}, False, "blhqk"),  # a batch of one with five layers is what people have
        ("lbhqk", {"b": 5}, False, "lbhqk"),
        ("bhqk", {}, True, "bhqk"),
        ("hqk", {}, True, "hqk"),
        ("lhqk", {"q": 1}, False, "lhqk"),
        ("qk", {"q": 1, "k": 1}, False, "qk"),
    ],
)
def test_shapes_of_their_own(tmp_path: Path, axes: str, sizes: dict[str, int], is_list: bool, expected: str) -> None:
    assert guess_axes(stored(tmp_path, weights(axes, **sizes)), is_list=is_list).checked() == expected


def test_one_token_is_not_causal(tmp_path: Path) -> None:
    assert not guess_axes(stored(tmp_path, np.ones((2, 1, 1)))).is_causal


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (weights("hqk") * 3, "rows sum to 3, not to 1"),
        (np.random.default_rng(0).random((4, 7, 7)), "rows sum to between"),
        (np.random.default_rng(0).normal(size=(4, 7, 7)), "are these scores, before the softmax"),
        (np.where(np.eye(7) > 0, np.nan, weights("qk")), r"holds nan at index \(0, 0\)"),
        (np.where(np.eye(7, k=2) > 0, np.inf, weights("qk")), r"holds inf at index \(0, 2\)"),
        (np.where(np.eye(7, k=-6) > 0, -0.1, weights("qk")), r"holds -0.1 at index \(6, 0\)"),
    ],
)
def test_what_is_no_weight_is_refused(tmp_path: Path, array: np.ndarray, words: str) -> None:
    guess = guess_axes(stored(tmp_path, array))
    with pytest.raises(ArrayError, match=words):
        guess.checked()
    assert not guess.is_causal


@pytest.mark.parametrize("axes", ["hqk", "hkq"])
@pytest.mark.parametrize("least", [0.0, -1.0])
def test_what_is_said_to_help_makes_weights_of_it(tmp_path: Path, axes: str, least: float) -> None:
    w = stored(tmp_path, np.random.default_rng(0).uniform(least, 1, (4, 7, 9) if axes == "hqk" else (4, 9, 7)))
    with pytest.raises(ArrayError) as refused:
        examine_axes(w, axes).checked()
    said = str(refused.value)
    ways = [rows for rows in Rows if f'rows="{rows}" in Python, --rows {rows} on the command line' in said]
    assert ways == [Rows.SOFTMAX, Rows.NORMALISE][: 2 if least == 0.0 else 1]
    for rows in ways:
        assert not examine_axes(w, axes, rows=rows).problems


@pytest.mark.parametrize(("value", "said"), [(np.nan, "holds nan"), (-0.5, "holds -0.5"), (3.0, "sums to ")])
def test_one_bad_head_of_many_does_not_stop_the_others(tmp_path: Path, value: float, said: str) -> None:
    array = weights("lhqk", l=2, h=3)
    array[1, 2, :, 4] = value
    guess = guess_axes(stored(tmp_path, array))
    assert guess.checked() == "lhqk"
    assert guess.reasons[1].startswith("1 head will be refused: ")
    assert "[1, 2, " in guess.reasons[1]
    assert said in guess.reasons[1]
    array[0, :2, :, 4] = value
    assert guess_axes(stored(tmp_path, array)).problems, "half of the heads are bad"


@pytest.mark.parametrize("shape", [(), (3,), (1,) * 6, (0, 3), (2, 3, 0)])
def test_shapes_of_no_weights(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(ArrayError, match="has the shape"):
        guess_axes(stored(tmp_path, np.ones(shape)))


def test_nothing_but_zeros_speaks_for_nothing(tmp_path: Path) -> None:
    guess = guess_axes(stored(tmp_path, np.zeros((3, 5, 5))))
    assert guess.checked() == "hqk"
    assert "nothing speaks for" in guess.reasons[0]
    half = weights("qk")
    half[3] = 0.0
    assert guess_axes(stored(tmp_path, half)).rows.empty == 1


def test_rounding_is_no_reason_to_refuse_and_is_said(tmp_path: Path) -> None:
    rounded = (weights("hqk").astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
    (reason, *_) = guess_axes(stored(tmp_path, rounded)).reasons
    assert "more than float32 would round" in reason
    assert "more than" not in guess_axes(stored(tmp_path, weights("hqk").astype(np.float16))).reasons[0]


def test_a_wrong_choice_is_said(tmp_path: Path) -> None:
    arrays = stored(tmp_path, weights("hqk"))
    assert examine_axes(arrays, "HQK").problems == ()
    with pytest.raises(ArrayError, match="Choose other axes"):
        examine_axes(arrays, "hkq").checked()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hqx", "“x”"),
        ("hq", "names 2 axes"),
        ("qqk", "twice"),
        ("lhq", "must name q and k"),
        ("lqk", "leave out l"),
    ],
)
def test_letters_that_do_not_fit(text: str, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        check_axes(text, (2, 3, 4), is_list=True)
    assert check_axes(" L q K", (2, 3, 4)) == "lqk"


def test_only_a_sample_is_looked_at(tmp_path: Path) -> None:
    """A row that is no weights, outside of the sample, is found when it is looked at: `ArrayMap` sees to that."""
    many = weights("lhqk", l=12, h=12, q=40, k=40)
    assert guess_axes(stored(tmp_path, many)).rows.counted == 64
    assert guess_axes(stored(tmp_path, *[many[0]] * 100), is_list=True).rows.counted == 64


@pytest.mark.parametrize("order", ["C", "F"])
def test_long_rows_that_lie_scattered_are_three(tmp_path: Path, order: str) -> None:
    long = np.zeros((3, 5000))
    long[:, ::2] = 1 / 2500
    (guess, turned) = (guess_axes(stored(tmp_path, np.asarray(each, order=order))) for each in (long, long.T))
    assert (guess.checked(), turned.checked()) == ("qk", "kq")
