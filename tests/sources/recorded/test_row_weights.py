"""Files that hold scores, or weights that were not divided yet: softmax and sums, taken when they are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import attention_explorer
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model import causal_mask, softmax
from attention_explorer.pages.as_python import python_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.recorded import page_of
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.heads.wording import arithmetic, arithmetic_title
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.sources.lost_files import as_it_is
from attention_explorer.sources.recorded_recipe import FileRecipe, Rows
from attention_explorer.sources.recorded_source import file_recipe
from attention_explorer.sources.registry import source_of

RNG = np.random.default_rng(4)
SCORES = RNG.normal(size=(2, 3, 5, 7)) * 3
COUNTS = RNG.integers(1, 90, size=(3, 6, 6))


@pytest.fixture
def saved(tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "a.npz", **arrays)
        return tmp_path / "a.npz"

    return save


def maps_of(recipe: FileRecipe) -> np.ndarray:
    return np.array([[map_.weights() for map_ in layer.maps] for layer in heads_frame(HeadsSetup(recipe)).layers])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("axes", ["lhqk", "kqhl"])
def test_softmax_is_taken_along_the_keys(saved, dtype, axes) -> None:
    scores = SCORES.astype(dtype)
    order = ["lhqk".index(letter) for letter in axes]
    recipe = file_recipe(saved(attention=scores.transpose(order)), axes=axes, rows="softmax")
    found = maps_of(recipe)
    np.testing.assert_allclose(found, softmax(scores), rtol=1e-6)
    assert found.dtype == softmax(scores).dtype
    assert recipe.rows is Rows.SOFTMAX


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_rows_are_divided_by_their_sums(saved, dtype) -> None:
    counts = COUNTS.astype(dtype)
    counts[1, 2] = 0
    recipe = file_recipe(saved(attention=counts), attention="attention", rows=Rows.NORMALISE)
    sums = counts.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(maps_of(recipe)[0], counts / np.maximum(sums, 1), rtol=1e-6)


def test_sums_too_large_for_a_float_are_divided_all_the_same(saved) -> None:
    weights = np.full((2, 3, 3), 1e308)
    np.testing.assert_allclose(maps_of(file_recipe(saved(attention=weights), rows="normalise")), 1 / 3)


def test_scores_of_minus_infinity_are_masked_keys(saved) -> None:
    seen = RNG.random((3, 6, 6)) < 0.6
    seen[..., 0] = True
    seen[1, 4] = False
    recipe = file_recipe(saved(attention=np.where(seen, RNG.normal(size=seen.shape), -np.inf)), rows="softmax")
    for head in range(3):
        frame = heads_frame(HeadsSetup(recipe, head=head))
        np.testing.assert_array_equal(frame.map.allowed(), seen[head])
        assert not frame.map.weights()[~seen[head]].any()
    assert frame.mask_words == "−inf among the scores"
    assert not recipe.is_causal


def test_a_mask_of_the_largest_negative_number_is_a_causal_one(saved) -> None:
    lowest = np.finfo(np.float32).min
    scores = np.where(causal_mask(6), RNG.normal(size=(3, 6, 6)), lowest).astype(np.float32)
    recipe = file_recipe(saved(attention=scores), rows="softmax")
    frame = heads_frame(HeadsSetup(recipe))
    np.testing.assert_array_equal(frame.mask, causal_mask(6))
    assert (recipe.is_causal, frame.mask_words) == (True, "causal")


@pytest.mark.parametrize("how", ["file", "said"])
def test_what_a_mask_hides_is_hidden_before_the_softmax(saved, how) -> None:
    scores, mask = SCORES[0, :, :, :5], causal_mask(5)
    path = saved(attention=scores, **({"mask": mask} if how == "file" else {}))
    recipe = file_recipe(path, rows="softmax", is_causal=True if how == "said" else None)
    np.testing.assert_allclose(maps_of(recipe)[0], softmax(np.where(mask, scores, -np.inf)))
    assert ("hidden before" in source_of(recipe).verdict()[1]) is (how == "said")


def test_scores_beside_their_vectors_bring_the_stages_to_life(saved) -> None:
    q, k = RNG.normal(size=(2, 3, 6, 4))
    recipe = file_recipe(saved(attention=q @ k.swapaxes(-1, -2) / 2, q=q, k=k), rows="softmax")
    frame = heads_frame(HeadsSetup(recipe))
    assert frame.map.has_scores
    np.testing.assert_allclose(frame.map.weights(), softmax(q[0] @ k[0].T / 2))


@pytest.mark.parametrize(
    ("array", "rows", "said"),
    [
        (SCORES, "as they are", "are these scores, before the softmax"),
        (SCORES, "normalise", "holds -.* divided by their sum only where they hold finite numbers, none below 0"),
        (np.full((3, 4, 4), np.nan), "softmax", r"holds nan at index \(0, 0, 0\): no softmax"),
        (np.full((3, 4, 4), np.nan), "normalise", "holds nan"),
        (np.full((3, 4, 4), np.inf), "softmax", "holds inf"),
        (np.zeros((3, 4, 4)), "normalise", "hold nothing but zeros"),
        (np.full((3, 4, 4), -np.inf), "softmax", "hold nothing but −inf"),
        (SCORES, "sofmax", "Did you mean “softmax”"),
    ],
)
def test_of_what_no_weights_can_be_made_is_refused_in_a_sentence(saved, array, rows, said) -> None:
    with pytest.raises(ExplorerError, match=said):
        file_recipe(saved(attention=array), rows=rows)


def test_there_is_nothing_to_be_made_of_queries_and_keys(saved) -> None:
    with pytest.raises(ArrayError, match="computed from q and k"):
        file_recipe(saved(q=SCORES[0], k=SCORES[1]), rows="softmax")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_one_bad_head_is_refused_when_it_is_looked_at(saved, bad) -> None:
    scores = RNG.normal(size=(6, 5, 5))
    scores[4, 3, 1] = bad
    recipe = file_recipe(saved(attention=scores), rows="softmax")
    np.testing.assert_allclose(heads_frame(HeadsSetup(recipe, head=1)).map.weights(), softmax(scores[1]))
    with pytest.raises(ArrayError, match=rf"head 5 .* holds {bad} at index \(3, 1\): no softmax"):
        heads_frame(HeadsSetup(recipe, head=4)).map.weights()


@pytest.mark.parametrize(
    ("rows", "array", "words"),
    [
        ("softmax", SCORES[0], "softmax of the numbers in the file, taken here"),
        ("normalise", COUNTS.astype(float), "divided by"),
    ],
)
def test_what_the_weights_are_is_said(saved, rows, array, words) -> None:
    recipe = file_recipe(saved(attention=array), rows=rows)
    frame = heads_frame(HeadsSetup(recipe))
    title, said = source_of(recipe).verdict()
    assert title.startswith("These weights are ")
    assert " here" in title
    assert words in said
    assert words in verdict(frame).text
    assert words in arithmetic_title(frame, 0, 1)
    assert words in arithmetic(frame, 0, 1)[0].name
    assert "here" in source_of(recipe).traits.origin
    assert "as recorded" not in arithmetic_title(frame, 0, 1)


def test_it_is_kept_in_sessions_scripts_and_when_a_file_is_found_again(saved, tmp_path: Path) -> None:
    recipe = file_recipe(saved(attention=SCORES), rows="softmax")
    state = replace(ExplorerState(), heads=page_of(recipe))
    write_session(tmp_path / "mine.attn.json", state, page="heads")
    assert read_session(tmp_path / "mine.attn.json").state.heads.setup.recipe == recipe
    assert as_it_is(recipe) == recipe
    script = python_of(state, "heads")
    assert 'rows="softmax"' in script
    drawn: list[object] = []
    exec(script.replace("ae.render(", "drawn.append("), {"drawn": Drawn(drawn)})  # noqa: S102 # it stands above
    assert drawn == [state.heads]
    assert "rows" not in python_of(replace(state, heads=page_of(replace(recipe, rows=Rows.AS_THEY_ARE))), "heads")


class Drawn:
    """Keeps what a script would draw."""

    def __init__(self, drawn: list[object]) -> None:
        self._drawn = drawn

    def append(self, state: object, _path: str) -> None:
        """Keep a state."""
        self._drawn.append(state)


def test_python_says_it_by_a_keyword(tmp_path: Path) -> None:
    view = attention_explorer.show(SCORES, rows="softmax")
    np.testing.assert_allclose(view.weights(1, 2), softmax(SCORES[1, 2]))
    np.save(tmp_path / "counts.npy", COUNTS.astype(np.float32))
    counted = attention_explorer.load(tmp_path / "counts.npy", rows=attention_explorer.Rows.NORMALISE)
    np.testing.assert_allclose(counted.weights(0, 1), COUNTS[1] / COUNTS[1].sum(axis=-1, keepdims=True), rtol=1e-6)
    lying = np.lib.format.open_memmap(tmp_path / "lying.npy", "w+", np.float32, (3, 5, 5))
    lying[:] = SCORES[0, :, :, :5]
    lying.flush()
    np.testing.assert_allclose(
        attention_explorer.show(lying, rows="softmax").weights(0, 2), softmax(SCORES[0, 2, :, :5]), rtol=1e-5
    )
