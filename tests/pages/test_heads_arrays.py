"""The arrays behind a head: against the one call that computes all of them, and explicit loops."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.array import (
    MOST_SHOWN,
    ArrayKind,
    array_picture,
    array_table,
    array_words,
    arrays_of,
    formula,
    projections,
    reason_against,
    shape_note,
)
from attention_explorer.pages.heads.arrays import head_array
from attention_explorer.pages.heads.check_layer import shuffle_report
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.recipe import Encoding, Projections, ToyRecipe

MODELS = Path(__file__).parents[1] / "data" / "models"
CAUSAL = MaskChoice(MaskKind.CAUSAL)
WITH_ARRAYS = [ready for ready in HEADS_PRESETS if not reason_against(heads_frame(ready.state.setup))]
SETUPS = {
    "eight heads": HeadsSetup(head=3),
    "causal": HeadsSetup(mask=CAUSAL, head=7),
    "cross": HeadsSetup(ToyRecipe("le chat", "The cat sat on", d_model=12, heads=3), head=2),
    "one head, narrow": replace(heads_preset("three-token").state.setup),
    "encoded": HeadsSetup(ToyRecipe(encoding=Encoding.SINUSOIDAL, d_model=16, heads=2), head=1),
    "hot, unscaled": HeadsSetup(ToyRecipe(d_model=16, heads=2), scaled=False, temperature=3.0),
    "hard": HeadsSetup(ToyRecipe(d_model=16, heads=2), hard=True),
    "second layer": HeadsSetup(ToyRecipe(d_model=16, heads=2, layers=3), layer=1, head=1),
}


@pytest.mark.parametrize("name", SETUPS)
def test_every_array_is_that_of_one_call_of_the_layer(name):
    setup = SETUPS[name]
    frame = heads_frame(setup)
    layer = frame.layers[frame.layer]
    trace = layer.attention(
        layer.x,
        layer.context if frame.is_cross else None,
        mask=frame.mask,
        scale=None if setup.scaled else 1.0,
        temperature=setup.temperature,
        hard=setup.hard,
    )
    expected = {
        ArrayKind.X: trace.x,
        ArrayKind.Q: trace.q[frame.head],
        ArrayKind.K: trace.k[frame.head],
        ArrayKind.V: trace.v[frame.head],
        ArrayKind.SCORES: trace.scores[frame.head],
        ArrayKind.SCALED: trace.scaled[frame.head],
        ArrayKind.WEIGHTS: trace.weights[frame.head],
        ArrayKind.HEAD_OUTPUT: trace.head_output[frame.head],
        ArrayKind.CONCAT: trace.concat,
        ArrayKind.OUTPUT: trace.output,
    }
    for kind, values in expected.items():
        np.testing.assert_allclose(head_array(frame, kind).values, values, rtol=1e-12, atol=1e-13, err_msg=kind)


def test_the_arrays_of_a_head_multiply_as_they_say():
    frame = heads_frame(SETUPS["causal"])
    at = {array.kind: array for array in [head_array(frame, kind) for kind in arrays_of(frame)]}
    x, w = at[ArrayKind.X].values, at[ArrayKind.W_K].values
    for i in range(3):
        for j in range(w.shape[1]):
            by_hand = math.fsum(float(a) * float(b) for a, b in zip(x[i], w[:, j], strict=True))
            assert at[ArrayKind.K].values[i, j] == pytest.approx(by_hand, abs=1e-12)
    # The rows of W_O that belong to the head, times what it found, summed over the heads: the output.
    total = np.zeros_like(at[ArrayKind.OUTPUT].values)
    for head in range(frame.heads):
        own = heads_frame(replace(frame.setup, head=head))
        w_o = head_array(own, ArrayKind.W_O)
        total += head_array(own, ArrayKind.HEAD_OUTPUT).values @ w_o.values[w_o.own_rows]
    np.testing.assert_allclose(total, at[ArrayKind.OUTPUT].values, atol=1e-12)


def test_the_source_names_the_columns_of_the_head():
    frame = heads_frame(HeadsSetup(head=1))
    q = head_array(frame, ArrayKind.Q)
    assert q.source == "Q = X·W_Q, columns 9–16 of 64, those of head 2"
    assert (q.shape, q.whole) == ((11, 8), "(8, 11, 8)")
    w = head_array(frame, ArrayKind.W_Q)
    assert w.columns[0] == "9"
    assert w.columns[-1] == "16"
    assert "seed 42; columns 9–16 of 64" in w.source
    w_o = head_array(frame, ArrayKind.W_O)
    assert (w_o.shape, w_o.whole, w_o.own_rows) == ((64, 64), "", slice(8, 16))
    assert w_o.source.endswith("seed 42; framed: rows 9–16 of 64, those of head 2")
    assert array_words(frame, w_o, 8, 0).endswith("row 9 belongs to head 2")
    alone = heads_frame(SETUPS["one head, narrow"])
    assert head_array(alone, ArrayKind.Q).source == "Q = X·W_Q"
    narrow = heads_frame(HeadsSetup(ToyRecipe(d_model=8, heads=8), head=4))
    assert head_array(narrow, ArrayKind.V).source == "V = X·W_V, column 5 of 8, those of head 5"


def test_an_encoding_is_shown_before_it_is_added():
    frame = heads_frame(SETUPS["encoded"])
    e, pe, x = (head_array(frame, kind) for kind in (ArrayKind.EMBEDDINGS, ArrayKind.ENCODING, ArrayKind.X))
    assert np.array_equal(e.values + pe.values, x.values)
    assert pe.values[1, 0] == pytest.approx(math.sin(1))
    assert "E + PE" in x.source
    deep = heads_frame(HeadsSetup(ToyRecipe(encoding=Encoding.SINUSOIDAL, layers=2), layer=1))
    assert ArrayKind.ENCODING not in arrays_of(deep)
    assert head_array(deep, ArrayKind.X).source == "LayerNorm(X + attention(X)) of layer 1"


def test_heads_made_by_hand_have_no_projections():
    frame = heads_frame(HeadsSetup(HandMadeRecipe(), head=3))
    assert not {ArrayKind.W_Q, ArrayKind.W_O, ArrayKind.CONCAT, ArrayKind.OUTPUT} & set(arrays_of(frame))
    assert projections(frame) == ()
    assert head_array(frame, ArrayKind.Q).source == "made by hand, not projected"
    with pytest.raises(ExplorerError, match="There is no W_Q here"):
        head_array(frame, ArrayKind.W_Q)


def test_tied_and_identity_projections_say_so():
    tied = heads_frame(HeadsSetup(ToyRecipe(projections=Projections.TIED)))
    assert "the same matrix as W_Q" in head_array(tied, ArrayKind.W_K).source
    assert "seed 42" in head_array(tied, ArrayKind.W_Q).source
    plain = heads_frame(heads_preset("dot-products").state.setup)
    assert np.array_equal(head_array(plain, ArrayKind.W_V).values, np.eye(4))
    assert "no projection" in head_array(plain, ArrayKind.W_V).source


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("five-token", "The output (5, 8) has the shape of the input X."),
        ("random-words", "W_O (64, 64) brings all heads, side by side, back to (11, 64)."),
        ("three-token", "A·V (3, 2) need not have the shape of X (3, 4): W_O (2, 4) brings it back to (3, 4)."),
        ("translation", "A·V (7, 6) need not have the shape of X (7, 11): these values are unit vectors, so A·V is A."),
    ],
)
def test_a_result_of_another_shape_is_explained(preset, words):
    assert shape_note(heads_frame(heads_preset(preset).state.setup)).endswith(words)


@pytest.mark.parametrize(
    "ready", [ready for ready in HEADS_PRESETS if ready.title.startswith("Tutorial")], ids=lambda ready: ready.id
)
def test_where_a_tutorial_ends_before_w_o_the_page_says_so(ready):
    ends_early = ready.id in ("five-token", "four-token", "three-token")
    frame = heads_frame(ready.state.setup)
    said = [
        head_array(frame, ArrayKind.W_O).source,
        head_array(frame, ArrayKind.OUTPUT).source,
        shuffle_report(frame, tuple(range(len(frame.queries)))).notes[0],
        ready.look_for,
    ]
    assert [("A·V" in words) for words in said] == [ends_early] * 4
    own = heads_frame(ready.state.with_recipe(seed=7).setup)
    assert "tutorial" not in head_array(own, ArrayKind.W_O).source, "other numbers are no tutorial’s"


@pytest.mark.parametrize("ready", WITH_ARRAYS, ids=lambda ready: ready.id)
def test_the_colour_bar_of_an_array_has_a_name_that_fits(ready):
    frame = heads_frame(ready.state.setup)
    for kind in arrays_of(frame):
        title = array_picture(head_array(frame, kind), "viridis").scale.title
        assert title == ("weight" if kind is ArrayKind.WEIGHTS else kind)


def test_the_formula_leads_to_its_matrices():
    frame = heads_frame(HeadsSetup(head=2))
    pieces = dict(formula(frame))
    assert pieces["Q"] is ArrayKind.Q
    assert pieces["Kᵀ"] is ArrayKind.K
    assert pieces["V"] is ArrayKind.V
    assert pieces["softmax"] is ArrayKind.WEIGHTS
    assert pieces["÷ √8"] is ArrayKind.SCALED
    assert pieces["head 3"] is ArrayKind.HEAD_OUTPUT
    unscaled = heads_frame(HeadsSetup(scaled=False, hard=True))
    assert [text for text, _ in formula(unscaled)] == ["head 1", "=", "arg max", "(", "Q", "Kᵀ", ")", "V"]
    cross = heads_frame(SETUPS["cross"])
    assert [text for text, _ in projections(cross)][:9] == ["Q", "=", "X", "W_Q", " ", "K", "=", "X′", "W_K"]


@pytest.mark.parametrize("ready", WITH_ARRAYS, ids=lambda ready: ready.id)
def test_every_array_of_every_preset_can_be_drawn_and_copied(ready):
    frame = heads_frame(ready.state.setup)
    for array in [head_array(frame, kind) for kind in arrays_of(frame)]:
        assert array.values.shape == array.masked.shape == array.shape
        picture = array_picture(array, "viridis")
        assert picture.scale.is_diverging is (array.kind is not ArrayKind.WEIGHTS)
        header, rows = array_table(array)
        assert (len(header), len(rows)) == (array.shape[1] + 1, array.shape[0])
        assert rows[0][1] == array.values[0, 0]
        assert array_words(frame, array, 0, 0).startswith(f"{array.kind}[")


def test_masked_cells_are_told_apart():
    frame = heads_frame(SETUPS["causal"])
    weights = head_array(frame, ArrayKind.WEIGHTS)
    assert np.array_equal(weights.masked, np.triu(np.ones((11, 11), bool), 1))
    assert "masked" in array_words(frame, weights, 0, 5)
    assert not head_array(frame, ArrayKind.SCORES).masked.any()  # the mask comes later


def test_a_picture_of_fewer_tiles_keeps_what_is_furthest_from_zero():
    frame = heads_frame(HeadsSetup())
    array = head_array(frame, ArrayKind.X)
    picture = array_picture(array, "viridis", (4, 5))
    assert picture.values.shape == (4, 5)
    furthest = array.values[np.unravel_index(np.abs(array.values).argmax(), array.values.shape)]
    assert furthest in picture.values
    rows = np.arange(5) * 11 // 4
    columns = np.arange(6) * 64 // 5
    for i in range(4):
        for j in range(5):
            tile = array.values[rows[i] : rows[i + 1], columns[j] : columns[j + 1]].ravel()
            assert picture.values[i, j] == tile[np.abs(tile).argmax()]


def test_too_many_tokens_are_refused_in_words():
    long = heads_frame(HeadsSetup(ToyRecipe(" ".join(["w"] * (MOST_SHOWN + 1)), d_model=4, heads=1)))
    assert f"up to {MOST_SHOWN} tokens, and there are {MOST_SHOWN + 1}" in reason_against(long)
    with pytest.raises(ExplorerError, match="shorten the sentence"):
        head_array(long, ArrayKind.X)
    assert reason_against(heads_frame(HeadsSetup())) == ""


def test_the_role_cards_put_looking_for_under_the_query():
    frame = heads_frame(HeadsSetup())
    assert "looks for" in head_array(frame, ArrayKind.Q).card
    assert "looks for" not in head_array(frame, ArrayKind.K).card
    for kind in (ArrayKind.Q, ArrayKind.K, ArrayKind.V):
        assert "As in a library: you come with a question (query)" in head_array(frame, kind).card
    assert head_array(frame, ArrayKind.X).card == ""


def test_a_recording_has_no_arrays_and_says_so():
    assert {ready.id for ready in HEADS_PRESETS} - {ready.id for ready in WITH_ARRAYS} == {"minilm", "smollm2"}
    with pytest.raises(ExplorerError, match="Only the weights were recorded"):
        head_array(heads_frame(heads_preset("minilm").state.setup), ArrayKind.WEIGHTS)


@pytest.mark.parametrize(
    ("name", "kind", "whole", "said"),
    [
        ("bert", ArrayKind.Q, 4, "Q = X·W_Q + b; X is what enters the layer of “bert”"),
        ("gpt2", ArrayKind.V, 4, "V = X·W_V + b; X is what enters the layer of “gpt2”, after its norm"),
        ("llama", ArrayKind.Q, 4, "Q = X·W_Q, then turned by its token’s position (rotary); X is what enters"),
        ("llama", ArrayKind.K, 2, "; heads 3 to 4 have the same keys and values"),
        ("llama", ArrayKind.V, 2, "; heads 3 to 4 have the same keys and values"),
        ("bart", ArrayKind.K, 4, "K = X′·W_K + b; X′ is what leaves the encoder of “bart”"),
    ],
)
def test_of_a_trained_model_is_said_how_its_vectors_were_made(name, kind, whole, said):
    recipe = replace(model_recipe(MODELS / name, "The cat sat."), context="It slept." if name == "bart" else None)
    array = head_array(heads_frame(HeadsSetup(recipe, layer=1, head=3)), kind)
    assert said in array.source
    assert "by hand" not in array.source
    assert array.whole == f"({whole}, {array.shape[0]}, {array.shape[1]})"
    assert "antecedent" not in array.card


def test_what_was_learned_here_is_not_called_made_by_hand():
    frame = heads_frame(HeadsSetup(LearnedRecipe()))
    assert head_array(frame, ArrayKind.Q).source.startswith("learned here")
