"""The ready-made states of the Heads page: whole, distinct, and true to what they tell people to look for."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.map_picture import Contrast
from attention_explorer.core.preset import Preset
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset, is_changed, loaded
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, MaskChoice, MaskKind, Picture
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import GainKind, ToyRecipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability
from attention_explorer.sources.tutorials import TUTORIALS

EACH = pytest.mark.parametrize("ready", HEADS_PRESETS, ids=lambda ready: ready.id)


def frame_of(identifier: str, **changes: object) -> HeadsFrame:
    return heads_frame(heads_preset(identifier).state.with_setup(**changes).setup)


def says(identifier: str, *words: str) -> None:
    """Hold a sentence to words whose truth is tested here: who changes them must come back."""
    for word in words:
        assert word in heads_preset(identifier).look_for


# ---- All of them ----


def test_every_tutorial_is_one() -> None:
    assert {tutorial.id for tutorial in TUTORIALS} <= {ready.id for ready in HEADS_PRESETS}
    for tutorial in TUTORIALS:
        assert heads_preset(tutorial.id).state.setup == HeadsSetup(tutorial.recipe)


@EACH
def test_each_says_what_to_do(ready: Preset[HeadsState]) -> None:
    assert re.search(r"\b(Click|Change|Try|Look|Set|Switch|Type|Raise|choose|show|chat)\b", ready.look_for)


@EACH
def test_titles_say_what_is_seen_and_not_only_how_much_of_it(ready: Preset[HeadsState]) -> None:
    assert not re.fullmatch(r"Tutorial: (\w+ (words|tokens|heads|vectors)|whole pipeline)", ready.title)


@EACH
def test_each_shows_what_it_points_at(ready: Preset[HeadsState]) -> None:
    frame, view = heads_frame(ready.state.setup), ready.state.view
    assert (frame.layer, frame.head) == (ready.state.setup.layer, ready.state.setup.head), "nothing had to be clamped"
    assert view.picture is Picture.HEATMAP
    assert view.row is None or view.row < len(frame.queries)
    assert view.column is None or view.column < len(frame.keys)
    rounding = 1e-7 if frame.map.has_scores else 5e-4  # recorded in float16
    np.testing.assert_allclose(frame.map.weights().sum(axis=1), 1.0, rtol=rounding)


@EACH
def test_the_focus_does_not_change_a_preset_but_its_numbers_do(ready: Preset[HeadsState]) -> None:
    state = ready.state
    assert not is_changed(state)
    assert not is_changed(state.with_setup(head=1, layer=2, aggregate=Aggregate.MEAN).with_view(row=1))
    can = {each: not source_of(state.setup.recipe).traits.reason_against(each) for each in Ability}
    if can[Ability.TYPING]:
        assert is_changed(state.with_recipe(sentence="something else"))
    assert is_changed(state.with_setup(temperature=0.5)) is can[Ability.SCORES]
    assert is_changed(state.with_setup(scaled=False)) is can[Ability.SCORES]
    assert is_changed(state.with_setup(mask=MaskChoice(MaskKind.BLOCK))) is can[Ability.MASKS]


# ---- Each one's words ----


def test_random_words() -> None:
    says("random-words", "causal", "each row is renormalised over what is left")
    free, causal = frame_of("random-words").map.weights(), frame_of("causal").map.weights()
    for i in range(len(free)):
        np.testing.assert_allclose(causal[i, : i + 1], free[i, : i + 1] / free[i, : i + 1].sum(), rtol=1e-9)


def test_hand_made() -> None:
    says("hand-made", "“soft” to “tired”", "from mat to cat")
    soft = frame_of("hand-made")
    assert (soft.queries[7], soft.keys[1], soft.keys[5]) == ("it", "cat", "mat")
    tired = frame_of("hand-made", recipe=HandMadeRecipe(HandMadeRecipe().sentence.replace("soft", "tired")))
    before, after = soft.map.weights()[7], tired.map.weights()[7]
    assert (int(before.argmax()), int(after.argmax())) == (5, 1)
    assert before[5] == pytest.approx(0.72)
    assert after[1] == pytest.approx(0.72)
    assert after[5] == pytest.approx(0.08)


def test_hand_made_heads_are_what_they_are_called() -> None:
    says("hand-made", "previous token, first token, same word")
    previous, first, same = (frame_of("hand-made", head=head).map.weights() for head in range(3))
    assert previous.argmax(axis=1).tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert first.argmax(axis=1).tolist() == [0] * 10
    np.testing.assert_allclose(same[0, [0, 4]], same[4, [0, 4]])
    assert same[0, [0, 4]].sum() > 0.95
    assert same.argmax(axis=1)[[1, 2, 3, 5, 6, 7, 8, 9]].tolist() == [1, 2, 3, 5, 6, 7, 8, 9]


def test_causal() -> None:
    says("causal", "Each row sees the keys up to its own", "only itself: weight 1", "the first row has nothing left")
    frame = frame_of("causal")
    np.testing.assert_array_equal(frame.map.allowed(), np.tril(np.ones(frame.shape, bool)))
    assert frame.map.weights()[0, 0] == 1.0
    strict = frame_of("causal", mask=MaskChoice(MaskKind.STRICT))
    np.testing.assert_array_equal(strict.map.weights()[0], np.zeros(len(strict.keys)))


def test_running_mean() -> None:
    says("running-mean", "All scores are 0", "1, then ½ and ½, then three times ⅓", "every weight is 1/10")
    frame = frame_of("running-mean")
    weights = frame.map.weights()
    for i, row in enumerate(weights):
        assert row.tolist() == [1 / (i + 1)] * (i + 1) + [0.0] * (9 - i), "exactly, as a quotient"
    values = np.random.default_rng(0).normal(size=(10, 3))
    np.testing.assert_allclose(weights @ values, np.cumsum(values, axis=0) / np.arange(1, 11)[:, None], rtol=1e-12)
    assert np.all(frame_of("running-mean", mask=MaskChoice()).map.weights() == 1 / 10)


def test_the_head_and_the_token_that_a_tutorial_counts_from_0_are_open() -> None:
    says("multi-head", "head 0, token 0 is the first row of the first head")
    state = heads_preset("multi-head").state
    assert (state.setup.head, state.view.row) == (0, 0)
    printed = [0.807, 0.000, 0.186, 0.000, 0.001, 0.006]
    np.testing.assert_allclose(frame_of("multi-head").map.weights()[0], printed, atol=5e-4)


def test_translation() -> None:
    says("translation", "not square", "chat → cat, tapis → mat")
    frame = frame_of("translation")
    assert frame.shape == (7, 6)
    weights = frame.map.weights()
    for french, english in (("chat", "cat"), ("tapis", "mat"), ("assis", "sat"), ("sur", "on")):
        row = weights[frame.queries.index(french)]
        assert frame.keys[int(row.argmax())] == english
        assert row.max() > 0.98


def test_stacked() -> None:
    says("stacked", "identity")
    assert "Four layers" in heads_preset("stacked").title
    frame = frame_of("stacked", aggregate=Aggregate.ROLLOUT)
    assert len(frame.layers) == 4
    without = frame_of("stacked", aggregate=Aggregate.ROLLOUT, identity=False)
    assert np.abs(frame.map.weights() - without.map.weights()).max() > 0.05


def test_dot_products() -> None:
    says("dot-products", "cat·mat = 1.36 is the highest of the three pairs", "mat·mat is only 1.26", "four products")
    frame = frame_of("dot-products")
    assert frame.keys == ("cat", "sat", "mat")
    scores = frame.map.scores()
    assert scores[0, 2] == pytest.approx(1.36)
    assert scores[2, 2] == pytest.approx(1.26)
    assert scores[0, 2] > max(scores[0, 1], scores[1, 2])
    assert frame.head_width == 4
    view = heads_preset("dot-products").state.view
    np.testing.assert_array_equal(map_picture(frame, view).values, scores)


def test_five_tokens() -> None:
    says("five-token", "The → cat (0.382) and cat → The (0.470)", "sat → cat is 0.148, less than an even share")
    frame = frame_of("five-token")
    assert frame.keys == ("The", "cat", "sat", "on", "mat")
    weights = frame.map.weights()
    assert f"{weights[0, 1]:.3f} {weights[1, 0]:.3f} {weights[2, 1]:.3f}" == "0.382 0.470 0.148"
    assert weights[2, 1] < 1 / 5


def test_four_tokens() -> None:
    says("four-token", "choose “colours 0…1”", "gain of 0.1")
    frame = frame_of("four-token")
    assert isinstance(frame.setup.recipe, ToyRecipe)
    assert frame.setup.recipe.gain_number == 0.1
    off = f"{np.abs(frame.map.weights() - 0.25).max():.3g}"
    says("four-token", f"the weight furthest from an even 1/4 is {off} off")
    assert f"the largest deviation from 1/4 is {off}," in verdict(frame).text, "hint and note print the same digits"
    view = heads_preset("four-token").state.view
    assert view.contrast is Contrast.MAX
    assert np.ptp(map_picture(frame, view).positions) > 0.1
    assert np.ptp(map_picture(frame, replace(view, contrast=Contrast.UNIT)).positions) < 0.04


def test_three_tokens() -> None:
    says("three-token", "Raise the gain")
    frame = frame_of("three-token")
    assert frame.shape == (3, 3)
    off = f"{np.abs(frame.map.weights() - 1 / 3).max():.3g}"
    says("three-token", f"the weight furthest from 1/3 is only {off} off")
    assert f"the largest deviation from 1/3 is {off}," in verdict(frame).text
    raised = heads_frame(heads_preset("three-token").state.with_recipe(gain=2.0).setup)
    assert np.abs(raised.map.weights() - 1 / 3).max() > 0.3


def test_eight_heads() -> None:
    says("multi-head", "a gain of 0.3 at d_model = 64", "a standard deviation of 5", "1/√d_model")
    frame = frame_of("multi-head")
    recipe = frame.setup.recipe
    assert isinstance(recipe, ToyRecipe)
    assert (recipe.gain_number, recipe.d_model, recipe.heads) == (0.3, 64, 8)
    scaled = np.array([map_.scores(stage=Stage.SCALED) for map_ in frame.layers[0].maps])
    assert scaled.std() == pytest.approx(5.0, abs=0.1)
    weights = np.array([map_.weights() for map_ in frame.layers[0].maps])
    assert np.median(weights.max(axis=-1)) > 0.8, "these rows look decided"
    calm = heads_frame(heads_preset("multi-head").state.with_recipe(gain_kind=GainKind.NORMALISED).setup)
    calmer = np.array([map_.weights() for map_ in calm.layers[0].maps])
    assert np.median(calmer.max(axis=-1)) < 0.5


def test_the_whole_pipeline() -> None:
    says("pipeline", "at least 0.131 from some head", "the largest of all heads")
    frame = frame_of("pipeline", aggregate=Aggregate.MAX)
    weights = frame.map.weights()
    assert 0.131 <= weights.min() < 0.132
    np.testing.assert_array_equal(weights, np.max([map_.weights() for map_ in frame.layers[0].maps], axis=0))


def test_a_preset_brings_its_own_b_or_leaves_the_one_that_was_kept():
    random, minilm, mine = heads_preset("random-words"), heads_preset("minilm"), HeadsSetup(head=3)
    with_b = loaded(minilm, HeadsState(other=mine))
    assert with_b == minilm.state
    assert loaded(random, with_b).other is None, "which nobody has kept"
    assert loaded(random, HeadsState(other=mine)).other == mine
    assert loaded(random, replace(with_b, other=mine)).other == mine
