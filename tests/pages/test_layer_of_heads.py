"""The layer of what Heads shows: its arrays are those of Heads, of one call that computes all, and of loops."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.weighing import Weighing
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.as_python import python_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.file_places import files_of
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, MaskChoice, MaskKind
from attention_explorer.pages.layer.boxes import Form, Rows
from attention_explorer.pages.layer.diagram import (
    DiagramPicture,
    column_names,
    diagram_arrays,
    diagram_picture,
    row_names,
)
from attention_explorer.pages.layer.diagram_words import cell_words, layer_sentences, number_words, panel_sentence
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.pages.subject import reason_against_subject, with_drawn_layer, with_subject
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.recipe import Encoding, Projections, ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.recorded_source import file_recipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import MOST_WITH_ARRAYS

MODELS = Path(__file__).parents[1] / "data" / "models"
TUTORIALS = [ready for ready in HEADS_PRESETS if ready.title.startswith("Tutorial")]
CAUSAL = MaskChoice(MaskKind.CAUSAL)
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


def subject(setup: HeadsSetup, **view) -> ExplorerState:
    return with_subject(ExplorerState(heads=HeadsState(setup).with_view(**view)))


def picture_of(setup: HeadsSetup) -> DiagramPicture:
    return diagram_picture(subject(setup).block)


def read(text: str) -> float:
    return float(text.replace("−", "-"))


# ---- The numbers ----


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
    picture = picture_of(setup)
    expected = {"x": trace.x, "q": trace.q, "k": trace.k, "v": trace.v, "scores": trace.scores, "scaled": trace.scaled}
    expected |= {"weights": trace.weights, "head_output": trace.head_output, "concat": trace.concat}
    expected |= {"attention_output": trace.output}
    for box, values in expected.items():
        np.testing.assert_allclose(picture.box(box).first, values, rtol=1e-12, atol=1e-13, err_msg=box)
    assert (picture.head, picture.chosen.name) == (frame.head, "weights")
    assert picture.tokens == frame.queries
    assert picture.keys == frame.keys


def test_the_arrays_of_a_head_multiply_as_they_say():
    picture = picture_of(SETUPS["causal"])
    x, w, k = picture.box("x").first, picture.box("w_k").part(7), picture.box("k").part(7)
    for i in range(3):
        for j in range(w.shape[1]):
            by_hand = math.fsum(float(a) * float(b) for a, b in zip(x[i], w[:, j], strict=True))
            assert k[i, j] == pytest.approx(by_hand, abs=1e-12)
    # What each head found times the rows of W_O that belong to it, summed over the heads: the output.
    total = np.einsum("hnd,hdo->no", picture.box("head_output").first, picture.box("w_o").first)
    np.testing.assert_allclose(total, picture.box("attention_output").first, atol=1e-12)


@pytest.mark.parametrize("ready", HEADS_PRESETS, ids=lambda ready: ready.id)
def test_every_preset_is_drawn_with_the_weights_of_heads_or_says_why_not(ready):
    state, frame = ExplorerState(heads=ready.state), heads_frame(ready.state.setup)
    if ready.id in ("minilm", "smollm2"):
        assert reason_against_subject(state).startswith("Only the weights were recorded, not the queries and keys")
        with pytest.raises(ExplorerError, match="Only the weights were recorded"):
            diagram_picture(with_subject(state).block)
        return
    assert reason_against_subject(state) == ""
    picture = diagram_picture(with_subject(state).block)
    for head, map_ in enumerate(frame.layers[frame.layer].maps):
        np.testing.assert_array_equal(picture.box("weights").part(head), map_.weights())
    for box in picture.boxes:
        rows, columns = box.part(picture.head).shape
        assert (len(row_names(picture, box)), len(column_names(picture, box))) == (rows, columns)
        assert "nan" not in number_words(picture, box, picture.head, rows - 1, columns - 1)
    assert panel_sentence(picture)
    assert "nan" not in " ".join(layer_sentences(picture))


@pytest.mark.parametrize("name", ["gpt2", "bert", "llama"])
def test_a_model_is_weighed_as_on_heads(name):
    """Mask, scale, temperature and heads that are off count here too; what they do to later layers as well."""
    recipe = model_recipe(MODELS / name, "the cat sat on the mat")
    setup = HeadsSetup(
        recipe, MaskChoice(MaskKind.WINDOW, 2), scaled=False, temperature=2.0, layer=1, switched_off=frozenset({(0, 1)})
    )
    frame, picture = heads_frame(setup), picture_of(setup)
    for head, map_ in enumerate(frame.layers[1].maps):
        np.testing.assert_allclose(picture.box("weights").part(head), map_.weights(), atol=1e-6)
        np.testing.assert_allclose(picture.box("scaled").part(head), map_.scores(stage="scaled"), rtol=1e-4, atol=1e-5)
    plain = picture_of(replace(setup, switched_off=frozenset()))
    assert not np.allclose(plain.box("x").first, picture.box("x").first)
    masked, scaled = (picture.box(box).first for box in ("masked", "scaled"))
    shares = np.exp((masked - masked.max(axis=-1, keepdims=True)) / 2.0, dtype=np.float64)
    np.testing.assert_allclose(picture.box("weights").first, shares / shares.sum(axis=-1, keepdims=True), atol=1e-5)
    assert np.array_equal(np.isfinite(masked), np.broadcast_to(picture.mask, masked.shape))
    assert np.isfinite(scaled).all()


@pytest.mark.parametrize("name", ["bart", "t5"])
def test_a_decoder_that_looks_at_an_encoder_shows_that_look(name):
    recipe = replace(model_recipe(MODELS / name, "the cat sat"), context="a dog slept on the mat")
    setup = HeadsSetup(recipe, layer=1, head=1)
    frame, picture = heads_frame(setup), picture_of(setup)
    for head, map_ in enumerate(frame.layers[1].maps):
        np.testing.assert_allclose(picture.box("weights").part(head), map_.weights(), atol=1e-6)
    keys = len(picture.keys)
    assert keys != len(picture.tokens)
    assert len(picture.box("context").first) == picture.box("k").first.shape[-2] == keys
    assert picture.box("k").sources == picture.box("v").sources == ("context",)
    inner = picture.box("self_sum").first
    np.testing.assert_allclose(
        picture.box("attention_sum").first, inner + picture.box("attention_output").first, rtol=1e-5, atol=1e-5
    )
    assert (picture.residuals[0].start, picture.residuals[0].end) == ("self_sum", "attention_sum")
    assert diagram_arrays(picture)["keys"].tolist() == list(picture.keys)


def test_of_a_recording_with_queries_and_keys_there_is_what_follows_from_them(tmp_path):
    vectors = np.random.default_rng(1).standard_normal((3, 4, 5))
    for given in ("qk", "qkv"):
        path = tmp_path / f"{given}.npz"
        np.savez(path, **dict.fromkeys(given, vectors))
        picture = picture_of(HeadsSetup(file_recipe(path)))
        assert picture.has("q", "k", "scores", "scaled", "weights")
        assert picture.has("v") is picture.has("head_output") is ("v" in given)
        assert not picture.has("x")
        assert panel_sentence(picture)


# ---- What it is called ----


def test_an_encoding_is_shown_before_it_is_added():
    picture = picture_of(SETUPS["encoded"])
    e, p, x = (picture.box(name) for name in ("embeddings", "positions", "x"))
    assert np.array_equal(e.first + p.first, x.first)
    assert p.first[1, 0] == pytest.approx(math.sin(1))
    assert (x.formula, x.sources) == ("X = E + P", ("embeddings", "positions"))
    deep = picture_of(HeadsSetup(ToyRecipe(encoding=Encoding.SINUSOIDAL, layers=2), layer=1))
    assert not deep.has("positions")
    assert deep.box("x").formula == "LayerNorm(X + attention(X)) of the layer before"


def test_tied_and_identity_projections_say_so():
    tied = picture_of(HeadsSetup(ToyRecipe(projections=Projections.TIED)))
    assert tied.box("w_k").formula == "the same matrix as W_Q"
    assert "seed 42" in tied.box("w_q").formula
    plain = picture_of(heads_preset("dot-products").state.setup)
    assert np.array_equal(plain.box("w_v").part(0), np.eye(4))
    assert "no projection" in plain.box("w_v").formula


def test_heads_made_by_hand_have_their_names_and_no_projections():
    picture = picture_of(HeadsSetup(HandMadeRecipe(), head=3))
    assert not picture.has("w_q")
    assert not picture.has("concat")
    assert picture.box("q").formula == "made by hand, not projected"
    assert picture.head_name(3) == "antecedent of “it”"
    assert "antecedent of “it”" in cell_words(picture, picture.box("weights"), 3, 7, 1)


@pytest.mark.parametrize(
    "ready", [each for each in HEADS_PRESETS if each.title.startswith("Tutorial")], ids=lambda ready: ready.id
)
def test_where_a_tutorial_ends_before_w_o_the_boxes_say_so(ready):
    ends_early = ready.id in ("five-token", "four-token", "three-token")
    picture = picture_of(ready.state.setup)
    assert [("A·V" in picture.box(name).formula) for name in ("w_o", "attention_output")] == [ends_early] * 2
    own = picture_of(ready.state.with_recipe(seed=7).setup)
    assert "tutorial" not in own.box("w_o").formula, "other numbers are no tutorial’s"


@pytest.mark.parametrize(
    ("name", "box", "said"),
    [
        ("bert", "q", "Q = X·W_Q + b; X is what enters the layer of “bert”"),
        ("gpt2", "v", "V = X·W_V + b; X is what enters the layer of “gpt2”, after its norm"),
        ("llama", "q", "Q = X·W_Q, then turned by its token’s position (rotary); X is what enters"),
        ("bart", "k", "K = X′·W_K + b; X′ is what leaves the encoder of “bart”"),
        ("bart", "q", "Q = Y·W_Q + b; Y is what the written words made of each other in the layer of “bart”"),
    ],
)
def test_of_a_trained_model_is_said_how_its_vectors_were_made(name, box, said):
    recipe = replace(model_recipe(MODELS / name, "The cat sat."), context="It slept." if name == "bart" else None)
    assert said in picture_of(HeadsSetup(recipe, layer=1, head=3)).box(box).formula


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("five-token", "The output (5, 8) has the shape of the input X."),
        ("random-words", "W_O brings all heads, side by side, back to (11, 64)."),
        ("three-token", "A·V (3, 2) need not have the shape of X (3, 4): W_O brings it back to (3, 4)."),
        ("translation", "A·V (7, 6) need not have the shape of X (7, 11)."),
    ],
)
def test_a_result_of_another_shape_is_explained(preset, words):
    block = with_subject(ExplorerState(heads=heads_preset(preset).state), "head_output").block
    assert any(said.endswith(words) for said in layer_sentences(diagram_picture(block)))


def test_the_roles_put_looking_for_under_the_query():
    said = {
        box: " ".join(layer_sentences(diagram_picture(replace(subject(HeadsSetup()).block, box=box)))) for box in "qkvx"
    }
    assert "looks for" in said["q"]
    assert "looks for" not in said["k"]
    for box in "qkv":
        assert "As in a library: you come with a question (query)" in said[box]
    assert "library" not in said["x"]


# ---- The arithmetic ----


def test_numbers_of_a_projection_say_what_was_multiplied():
    picture = picture_of(HeadsSetup(head=2))
    said = number_words(picture, picture.box("q"), 2, 1, 4)
    value = picture.box("q").part(2)[1, 4]
    assert said == (
        f"Queries, head 3, “cat” (2), feature 4: {repr(float(value)).replace('-', '−')}; row of X · column 4 of W_Q, "
        f"64 products = {value:+.3f}".replace("-", "−")
    )
    assert "row of concat · column 0 of W_O, 64 products" in cell_words(
        picture, picture.box("attention_output"), 2, 0, 0
    )
    assert "feature 1 of head 2" in cell_words(picture, picture.box("concat"), 2, 0, 9)
    assert "W_O, which mixes the heads, head 3, feature 1 → feature 5" in cell_words(
        picture, picture.box("w_o"), 2, 1, 5
    )


@pytest.mark.parametrize("name", ["hot, unscaled", "eight heads"])
def test_a_weight_is_what_its_arithmetic_gives(name):
    picture = picture_of(SETUPS[name])
    said = cell_words(picture, picture.box("weights"), 1, 3, 2)
    power = re.search(
        r"e\^\(+([+−][\d.]+) − ([+−][\d.]+)\)(?: ÷ (\d+))?.* ÷ ([\d.]+) = [\d.]+ ÷ [\d.]+ = ([\d.]+)$", said
    )
    score, top, divisor, total, weight = power.groups()
    found = math.exp((read(score) - read(top)) / float(divisor or 1)) / float(total)
    assert found == pytest.approx(float(weight), abs=2e-3)
    assert float(weight) == pytest.approx(picture.box("weights").part(1)[3, 2], abs=1e-4)


def test_a_hard_lookup_says_which_score_is_the_largest():
    picture = picture_of(SETUPS["hard"])
    best = int(picture.box("weights").part(0)[2].argmax())
    assert picture.box("weights").title == "arg max"
    assert cell_words(picture, picture.box("weights"), 0, 2, best).endswith("weight 1.0000")
    assert cell_words(picture, picture.box("weights"), 0, 2, (best + 1) % 11).endswith("weight 0.0000")


def test_what_is_hidden_says_by_what():
    by_hand = MaskChoice(MaskKind.CAUSAL, hidden=frozenset({(3, 1)}))
    picture = picture_of(HeadsSetup(mask=by_hand))
    box = picture.box("masked")
    assert "“sat” (3) is hidden by the causal mask: −∞, weight exactly 0" in cell_words(picture, box, 0, 0, 2)
    assert "“cat” (2) is hidden by hand: −∞" in cell_words(picture, box, 0, 3, 1)
    of_model = picture_of(HeadsSetup(model_recipe(MODELS / "gpt2", "the cat sat")))
    assert "comes later" in cell_words(of_model, of_model.box("masked"), 0, 0, 1)


def test_a_row_that_may_look_at_nothing_gives_zeros_and_says_so():
    hidden = MaskChoice(hidden=frozenset((1, column) for column in range(11)))
    picture = diagram_picture(subject(HeadsSetup(mask=hidden), row=1).block)
    assert not picture.box("weights").first[:, 1].any()
    assert not picture.box("head_output").first[:, 1].any()
    assert "may look at nothing" in panel_sentence(picture)
    assert any("but a row that may look at nothing" in said for said in layer_sentences(picture))


# ---- What cannot be shown ----


def test_too_many_tokens_are_refused_in_words():
    long = ExplorerState(
        heads=HeadsState(HeadsSetup(ToyRecipe(" ".join(["w"] * (MOST_WITH_ARRAYS + 1)), d_model=4, heads=1)))
    )
    assert f"up to {MOST_WITH_ARRAYS} tokens, and there are {MOST_WITH_ARRAYS + 1}" in reason_against_subject(long)
    with pytest.raises(ExplorerError, match="shorten the sentence"):
        diagram_picture(with_subject(long).block)


def test_no_token_is_refused_in_words():
    nothing = source_of(ToyRecipe(""))
    assert nothing.reason_against_arrays() == "There is no token, so there are no arrays: type a sentence."


# ---- One subject ----


def test_what_is_pinned_and_its_stage_come_along():
    state = ExplorerState(heads=HeadsState(HeadsSetup(layer=0, head=5)).with_view(row=3))
    block = with_subject(state, "scaled").block
    assert (block.box, block.head, block.token) == ("scaled", 5, 3)
    beyond = replace(state, heads=state.heads.with_view(row=11))
    assert with_subject(beyond).block.token is None, "a token of B alone"


def test_a_change_of_heads_is_followed_and_the_drawn_layer_is_as_before():
    state = subject(HeadsSetup())
    warmer = replace(state, heads=state.heads.with_setup(temperature=4.0, mask=CAUSAL)).followed(state)
    assert warmer.block.weighing == Weighing(temperature=4.0)
    assert warmer.block.mask == CAUSAL
    typed = replace(warmer, block=warmer.block.with_field("text", "a dog sat")).followed(warmer)
    assert typed.heads.setup.recipe.sentence == "a dog sat"
    assert with_drawn_layer(typed).block == replace(ExplorerState().block, box="weights", token=typed.block.token)


def test_another_recipe_on_layer_alone_leaves_the_sentence_of_heads():
    """As a session file may have it: what is recorded reads no other sentence."""
    state = subject(HeadsSetup(BoxRecipe("minilm-tired")))
    for other in (BoxRecipe("minilm-soft"), ToyRecipe("a dog sat")):
        new = replace(state, block=replace(state.block, model=other)).followed(state)
        assert new.heads == state.heads
        assert new.block.model == other


def test_a_model_learned_here_is_a_whole_layer_unless_heads_weighs_it_otherwise():
    recipe = LearnedRecipe(*BOX["it"], "The cat sat on the mat because it was tired.")
    plain = subject(HeadsSetup(recipe, layer=1))
    assert plain.block.learned is not None
    assert diagram_picture(plain.block).has("attention_sum")
    hidden = subject(HeadsSetup(recipe, MaskChoice(hidden=frozenset({(7, 1)})), layer=1))
    assert diagram_picture(hidden.block).box("weights").part(0)[7, 1] == 0.0
    hot = subject(HeadsSetup(recipe, temperature=3.0, layer=1))
    assert hot.block.learned is None
    np.testing.assert_array_equal(
        diagram_picture(hot.block).box("weights").part(0), heads_frame(hot.heads.setup).head_map.weights()
    )


def test_a_layer_of_heads_is_saved_and_said_in_python(tmp_path):
    off = frozenset({(0, 1)})
    state = subject(HeadsSetup(mask=CAUSAL, scaled=False, temperature=2.0, switched_off=off), row=3)
    assert state.block.weighing.switched_off == off
    write_session(tmp_path / "saved.attn.json", state, page="layer")
    assert read_session(tmp_path / "saved.attn.json").state == state
    script = python_of(state, "layer")
    names: dict[str, object] = {}
    exec(script[: script.index("ae.render")], names)  # noqa: S102 - of our own making
    assert names["state"] == state.block


def test_a_recording_is_named_relative_to_the_session_here_too(tmp_path):
    np.savez(tmp_path / "heads.npz", **dict.fromkeys("qk", np.random.default_rng(1).standard_normal((2, 4, 5))))
    state = replace(ExplorerState(), block=subject(HeadsSetup(file_recipe(tmp_path / "heads.npz"))).block)
    write_session(tmp_path / "saved.attn.json", state, page="layer")
    assert str(tmp_path) not in (tmp_path / "saved.attn.json").read_text(encoding="utf-8")
    assert read_session(tmp_path / "saved.attn.json").state == state
    assert files_of(state) == (str(tmp_path / "heads.npz"),)


def test_a_session_from_before_there_were_others_names_a_model(tmp_path):
    recipe = model_recipe(MODELS / "gpt2", "the cat sat")
    path = tmp_path / "older.attn.json"
    write_session(path, replace(ExplorerState(), block=replace(ExplorerState().block, model=recipe)), page="layer")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["state"]["block"]["model"].pop("kind") == "model"
    del document["state"]["block"]["weighing"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert read_session(path).state.block.model == recipe


def test_matrices_stand_in_a_line_of_their_own():
    picture = picture_of(HeadsSetup())
    matrices = [box for box in picture.boxes if box.form is Form.MATRIX]
    assert [box.name for box in matrices] == ["w_q", "w_k", "w_v", "w_o"]
    assert {box.rows for box in matrices} == {Rows.FEATURES}
