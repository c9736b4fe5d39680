"""The words of a figure of the Heads page say what is drawn: page, tokens, and the strongest weights."""

from __future__ import annotations

import re

import numpy as np
import pytest

from attention_explorer.core.map_picture import Window
from attention_explorer.model import Stage
from attention_explorer.pages.heads.alt_text import alt_text, strongest
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.shown_map import shown_map
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Hidden, MaskChoice, MaskKind, Picture


def three_largest(weights: np.ndarray) -> list[tuple[float, int, int]]:
    """The same in one line a weight, with Python's own sort."""
    listed = [(float(w), i, j) for (i, j), w in np.ndenumerate(weights) if w > 0]
    return sorted(listed, key=lambda entry: (-entry[0], entry[1], entry[2]))[:3]


@pytest.mark.parametrize("ready", HEADS_PRESETS, ids=lambda ready: ready.id)
def test_the_strongest_weights_are_those_of_the_map(ready):
    frame = heads_frame(ready.state.setup)
    weights = shown_map(frame, ready.state.view).weights()
    found = strongest(ready.state, frame, Window.whole(frame.shape))
    assert list(found) == three_largest(weights)
    said = alt_text(ready.state)
    assert said.startswith("Heads page. ")
    for _, row, column in found:
        pair = f"“{frame.queries[row]}” ({row + 1}) to “{frame.keys[column]}” ({column + 1}) "
        assert pair in said.replace("\u2068", "").replace("\u2069", "")


def test_the_weights_are_said_with_their_numbers():
    state = HeadsState()
    weights = heads_frame(state.setup).map.weights()
    numbers = [float(number) for number in re.findall(r"\) (0\.\d+)", alt_text(state))]
    assert numbers == pytest.approx([entry[0] for entry in three_largest(weights)], abs=5e-5)


@pytest.mark.parametrize("tokens", [1, 6, 40, 41, 300])
def test_the_tokens_are_listed(tokens):
    words = [f"w{i}" for i in range(tokens)]
    said = alt_text(HeadsState().with_recipe(sentence=" ".join(words)))
    assert "“w0”" in said
    assert f"“w{tokens - 1}”" in said
    assert (f"… {tokens - 40} more …" in said) is (tokens > 40)
    assert len(said) < 2500


def test_a_part_in_view_is_what_is_described():
    state = HeadsState().with_recipe(sentence=" ".join(f"w{i}" for i in range(30)))
    window = Window(10, 20, 4, 14)
    frame = heads_frame(state.setup)
    part = three_largest(frame.map.weights()[10:20, 4:14])
    assert list(strongest(state, frame, window)) == [(w, row + 10, column + 4) for w, row, column in part]
    said = alt_text(state.with_view(window=window))
    assert "attention of 10 queries (rows) to 10 keys (columns)" in said
    assert "In view: queries 11 to 20 of 30, keys 5 to 14 of 30." in said


@pytest.mark.parametrize("picture", Picture)
def test_a_part_is_named_where_a_part_is_drawn(picture):
    words = " ".join(f"w{i}" for i in range(200))
    state = HeadsState().with_recipe(sentence=words).with_view(picture=picture)
    said = alt_text(state.with_view(window=Window(10, 20, 4, 14)))
    if picture in (Picture.HEATMAP, Picture.LINES):
        assert "In view: queries 11 to 20 of 200, keys 5 to 14 of 200." in said
    else:
        assert said == alt_text(state)
    all_lines = "In view: queries 1 to 96 of 200, keys 1 to 96 of 200." in alt_text(state)
    assert all_lines is (picture is Picture.LINES), "as many as are drawn"


def test_queries_are_counted_as_queries_and_keys_as_keys():
    state = HeadsState().with_recipe(sentence=" ".join(f"w{i}" for i in range(30)))
    said = alt_text(state.with_view(window=Window(10, 13, 4, 14)))
    assert "attention of 3 queries (rows) to 10 keys (columns)" in said
    assert "In view: queries 11 to 13 of 30, keys 5 to 14 of 30." in said


def test_a_row_is_what_is_described():
    state = HeadsState().with_view(picture=Picture.ROW, row=1)
    weights = heads_frame(state.setup).map.weights()
    said = alt_text(state).replace("\u2068", "").replace("\u2069", "")
    assert "attention of 1 query (row) to 11 keys (columns)" in said
    assert f"“cat” (2) to “because” (7) {weights[1].max():.4f}" in said
    column = alt_text(state.with_view(row=None, column=3))
    assert "attention of 11 queries (rows) to 1 key (column)" in column
    assert f"{weights[:, 3].max():.4f}" in column


def test_a_map_larger_than_a_block_is_searched_in_full():
    state = HeadsState().with_recipe(sentence=" ".join(f"w{i}" for i in range(700)))
    frame = heads_frame(state.setup)
    assert list(strongest(state, frame, Window.whole(frame.shape))) == three_largest(frame.map.weights())


def test_mask_stage_and_hidden_keys_are_said():
    state = HeadsState().with_setup(mask=MaskChoice(MaskKind.CAUSAL))
    assert "mask: causal" in alt_text(state)
    assert "Colours show the raw score" in alt_text(state.with_view(stage=Stage.SCORES))
    hidden = state.with_view(hidden=Hidden.FIRST)
    frame = heads_frame(hidden.setup)
    assert strongest(hidden, frame, Window.whole(frame.shape))[0][2] != 0, "the first key is not drawn"


@pytest.mark.parametrize("picture", Picture)
def test_each_picture_says_what_it_is(picture):
    texts = {kind: alt_text(HeadsState(view=HeadsView(picture=kind))) for kind in Picture}
    assert len(set(texts.values())) == len(texts)
    assert "Tokens: “The” “cat”" in texts[picture]


def test_a_wall_says_every_head_and_its_largest_weight():
    state = heads_preset("causal").state
    said = alt_text(state, is_wall=True)
    frame = heads_frame(state.setup)
    assert "weights of 8 heads" in said
    for index, map_ in enumerate(frame.layers[0].maps):
        assert f"head {index + 1} {map_.weights().max():.3f}" in said


def test_the_view_of_all_heads_is_the_wall():
    state = heads_preset("causal").state
    assert alt_text(state.with_view(picture=Picture.ALL)) == alt_text(state, is_wall=True)
