"""A learned model as a source: the weights of the network itself, what is typed, and the models in the box."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core import files
from attention_explorer.core.numerals import percent
from attention_explorer.errors import ExplorerError
from attention_explorer.model import causal_mask
from attention_explorer.model.checkpoint import watched
from attention_explorer.pages.heads.frame import blocks, heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.sources.learned.box import BOX, file_name, name_in_box, record_of
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.model_file import read_model
from attention_explorer.sources.learned.run import Run, run_of
from attention_explorer.sources.learned.tasks import TASKS, task_of
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.learned_source import LearnedSource, learned_model
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Lookup

IT = LearnedRecipe(*BOX["it"])
REPEAT = LearnedRecipe(*BOX["repeat"], sentence="a b c a b")
TRANSLATION = LearnedRecipe(*BOX["translation"], sentence="start la voiture rouge", context="the red car")
SMALL = LearnedRecipe(replace(TASKS["reverse"].setup, length=4, d_model=8, heads=2, layers=2), 2, "a b c d")


AS_LEARNED = Lookup()


def weights_of(recipe: LearnedRecipe, lookup: Lookup = AS_LEARNED) -> list[np.ndarray]:
    return [np.stack([map_.weights() for map_ in layer.maps]) for layer in source_of(recipe).layers(lookup)]


def network_weights(model: LearnedModel, recipe: LearnedRecipe) -> list[np.ndarray]:
    batch = model.task.typed(recipe.sentence, recipe.context, recipe.setup)
    asked = batch._replace(targets=np.zeros_like(batch.targets))
    return [weights[0] for weights in model.network(asked).weights]


@pytest.mark.parametrize("recipe", [IT, REPEAT, TRANSLATION, SMALL])
def test_the_weights_are_those_of_the_network(recipe: LearnedRecipe) -> None:
    found = weights_of(recipe)
    expected = network_weights(learned_model(recipe.setup, recipe.step), recipe)
    assert len(found) == len(expected)
    for map_, weights in zip(found, expected, strict=True):
        np.testing.assert_allclose(map_, weights, atol=2e-6)


@pytest.mark.parametrize(
    "change", [{"scaled": False}, {"hard": True}, {"positions": False}, {"residual": False, "d_ff": 4}]
)
def test_networks_that_attend_in_another_way_are_shown_as_they_are(change: dict[str, bool]) -> None:
    recipe = replace(SMALL, setup=replace(SMALL.setup, **change))
    (first, second), expected = weights_of(recipe, Lookup(temperature=3.0)), None
    if "scaled" in change or "hard" in change:  # where nothing can be chosen, nothing that was chosen counts
        assert source_of(recipe).traits.reason_against(Ability.SCORES)
        expected = network_weights(learned_model(recipe.setup, recipe.step), recipe)
    else:
        expected = weights_of(recipe, Lookup(temperature=3.0))
        first, second = weights_of(recipe)
        assert not np.allclose(first, expected[0])
        expected = network_weights(learned_model(recipe.setup, recipe.step), recipe)
    np.testing.assert_allclose(first, expected[0], atol=2e-6)
    np.testing.assert_allclose(second, expected[1], atol=2e-6)


def test_a_mask_reaches_what_the_second_layer_is_made_of() -> None:
    """Layer 1 is masked, so what layer 2 compares is another: that is no picture of a mask laid over weights."""
    mask = np.eye(4, dtype=bool)
    first, second = weights_of(SMALL, Lookup(mask))
    np.testing.assert_array_equal(first, np.broadcast_to(np.eye(4), (2, 4, 4)))
    np.testing.assert_array_equal(second, first)
    q, masked_q = (source_of(SMALL).layers(Lookup(each))[1].q for each in (None, mask))
    assert not np.allclose(q, masked_q)


def test_of_a_causal_model_the_mask_is_its_own() -> None:
    source = source_of(REPEAT)
    assert "causal mask" in source.traits.reason_against(Ability.MASKS)
    np.testing.assert_array_equal(source.mask(0), causal_mask(5))
    assert source.mask_words() == "causal"
    frame = heads_frame(HeadsSetup(REPEAT, MaskChoice(MaskKind.BLOCK)))
    assert not np.triu(frame.layers[1].maps[0].weights(), 1).any()
    assert source_of(IT).mask(0) is None


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (replace(IT, sentence="the cat saw the mat"), "not learned “saw”"),
        (replace(IT, sentence="the " * 12), "has 12 words"),
        (replace(IT, context="the mat"), "takes one sentence"),
        (replace(TRANSLATION, context=None), "give it a second sentence"),
        (replace(TRANSLATION, context="the car"), "has 2 words, and this model takes 3"),
        (replace(TRANSLATION, sentence="le chien vert end end"), "has 5 words, and this model takes 1 to 4"),
        (replace(IT, setup=replace(IT.setup, task="nothing")), "There is no task “nothing”"),
        (replace(IT, setup=replace(IT.setup, heads=5)), "cannot be shared equally by 5 heads"),
        (replace(IT, setup=replace(IT.setup, layers=0)), "layers must be from 1 to 6"),
        (LearnedRecipe(TASKS["dictionary"].setup, 1, "1 2"), "shown as a whole"),
    ],
)
def test_what_a_model_does_not_take(recipe: LearnedRecipe, said: str) -> None:
    source = source_of(recipe)
    assert source.heads
    with pytest.raises(ExplorerError) as error:
        source.layers(Lookup())
    assert said in str(error.value)


def test_a_dictionary_is_a_source_too() -> None:
    recipe = LearnedRecipe(TASKS["dictionary"].setup, 200, "1 2 3 4 5 6 7 8")
    (weights,) = weights_of(recipe)
    assert weights[0].trace() / 8 >= 0.95


def test_what_is_said_of_it() -> None:
    source = source_of(IT)
    assert source.origin == "learned here: What “it” refers to, step 300, seed 1, 100 % right"
    title, said = source.verdict()
    assert title == "These weights were learned here, in 300 steps."
    assert said.startswith("100 % of its answers are right on sentences that it never saw. A right answer")
    assert source_of(REPEAT).verdict()[1].startswith("100 % of its answers")
    setup = replace(SMALL.setup, seed=9)
    unknown = source_of(replace(SMALL, setup=setup, step=5))  # nobody has learned it yet
    run = Run(setup)
    run.advance(5)
    measured = percent(run.measured().accuracy)
    assert unknown.verdict()[1].startswith(f"{measured} of its answers")
    assert unknown.caption() == (f"learned here: {TASKS['reverse'].title}, step 5, seed 9, {measured} right",)
    other = LearnedSource(replace(IT, step=20, setup=replace(IT.setup, seed=3)))
    assert [(a, b) for a, b in source.differences(other) if a != b] == [("seed 1", "seed 3"), ("step 300", "step 20")]


def test_learning_again_is_said_to_take_long() -> None:
    learning = LearnedSource(replace(SMALL, step=3000))
    assert learning.operations() > 1e9
    assert blocks(HeadsSetup(learning.recipe)).frame > 3000
    assert source_of(IT).operations() < 1e6
    assert blocks(HeadsSetup(IT)).frame < 100
    short = LearnedSource(replace(SMALL, step=7))
    assert short.checkpoints() == 7
    passed = []
    run_of.cache_clear()  # or it goes on from where another test has left off
    with watched(lambda: passed.append(1)):
        learned_model(short.recipe.setup, 7)
    assert len(passed) == 7
    assert short.checkpoints() == 0, "it is known by now"


# ---- In the box ----


@pytest.mark.parametrize("name", BOX)
def test_the_files_are_what_their_records_say(name: str) -> None:
    data, record = Path(files.path(file_name(name))).read_bytes(), record_of(name)
    assert hashlib.sha256(data).hexdigest() == record.digest
    assert len(data) < 100_000
    model = read_model(Path(files.path(file_name(name))))
    assert (model.setup, model.step) == BOX[name]
    assert name_in_box(*BOX[name]) == name
    measured = model.measured()
    assert (measured.accuracy, measured.weight) == pytest.approx((record.accuracy, record.weight), abs=1e-3)
    assert task_of(model.setup.task).is_reached(measured.accuracy, measured.weight or 0.0)


def test_a_short_one_is_learned_again() -> None:
    """On another machine sums may be rounded otherwise, which grows from step to step; here it is the same."""
    setup, step = BOX["translation"]
    run = Run(setup)
    run.advance(step)
    shipped = learned_model(setup, step)
    np.testing.assert_allclose(run.at().network.parameters.vector, shipped.network.parameters.vector, atol=0.02)


def test_what_the_presets_say_of_them() -> None:
    it = heads_preset("learned-it").state
    weights = heads_frame(it.setup).layers[1].maps[0].weights()
    assert f"{weights[it.view.row, 1]:.3f}" == "0.909"
    soft = heads_frame(it.other).layers[1].maps[0].weights()
    assert f"{soft[it.view.row, 5]:.2f}" == "1.00"

    repeat = heads_preset("learned-repeat").state
    weights = heads_frame(repeat.setup).layers[1].maps[0].weights()
    assert (repeat.setup.recipe.tokens[8], repeat.setup.recipe.tokens[2]) == ("c", "m")
    assert f"{weights[8, 2]:.4f}" == "0.9998"
    model = learned_model(*BOX["repeat"])
    assert round(model.without([(0, 0)]).measured().accuracy, 2) == 0.25
    assert model.measured().accuracy > 0.999

    translation = heads_preset("learned-translation").state
    weights = heads_frame(translation.setup).layers[0].maps[0].weights()
    assert [f"{weights[row, column]:.3f}" for row, column in ((1, 2), (2, 1))] == ["0.999", "1.000"]
