"""Layers that were learned, on the Layer page: their numbers, what is said of them, and what cannot be drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.numerals import percent
from attention_explorer.errors import ExplorerError
from attention_explorer.model import NormPlacement
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.layer import cache, future
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.diagram_words import layer_sentences
from attention_explorer.pages.layer.ui.views import view_of
from attention_explorer.pages.session_codec import Decoder, encoded
from attention_explorer.pages.stack import stack
from attention_explorer.pages.stack.choices import BlockPicture, LearnedStack
from attention_explorer.pages.stack.learned import learned_block, reason_against, steps_to_learn
from attention_explorer.pages.stack.stack import block_stack, block_trace
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned.run import Run
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.learned_source import learned_model

IT = "The cat sat on the mat because it was tired."
SMALL = replace(TASKS["reverse"].setup, length=5, d_model=8, heads=2, layers=2, d_ff=6)
"""All that a layer can have: several heads and a feed-forward network with biases."""
LETTERS = "a b c d e"


def softmax(rows: np.ndarray) -> np.ndarray:
    e = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def by_hand(setup: LearningSetup, step: int, sentence: str) -> list[dict[str, np.ndarray]]:
    """Compute all layers from the learned numbers alone, one head after the other."""
    parameters = {
        name: array.astype(np.float64) for name, array in learned_model(setup, step).network.parameters.arrays.items()
    }
    task = TASKS[setup.task]
    tokens = task.typed(sentence, None, setup).tokens[0]
    n, width = len(tokens), setup.d_model // setup.heads
    x = np.array([parameters["w_e"][token] for token in tokens])
    if setup.positions:
        x = x + parameters["w_p"][:n]
    found = []
    for number in range(setup.layers):
        own = {name.rpartition(".")[2]: array for name, array in parameters.items() if f"stack.{number}." in name}
        layer = {"x": x}
        weights, blends = [], []
        for head in range(setup.heads):
            part = slice(head * width, (head + 1) * width)
            scores = (x @ own["w_q"][:, part]) @ (x @ own["w_k"][:, part]).T / np.sqrt(width)
            if task.causal:
                scores[np.triu_indices(n, 1)] = -np.inf
            weights.append(softmax(scores))
            blends.append(weights[-1] @ (x @ own["w_v"][:, part]))
        added = np.hstack(blends) @ own["w_o"]
        layer |= {"weights": np.array(weights), "head_output": np.array(blends), "attention_output": added}
        x = x + added if setup.residual else added
        layer["middle"] = x
        if setup.d_ff:
            layer["before_activation"] = x @ own["w1"] + own["b1"]
            layer["hidden"] = np.maximum(layer["before_activation"], 0.0)
            added = layer["hidden"] @ own["w2"] + own["b2"]
            x = x + added if setup.residual else added
        layer["output"] = x
        found.append(layer)
    return found


@pytest.mark.parametrize(
    ("setup", "step", "sentence"),
    [
        (*BOX["it"], IT),
        (*BOX["repeat"], "a b c a b"),
        (SMALL, 5, LETTERS),
        (replace(SMALL, residual=False, positions=False), 3, LETTERS),
    ],
)
def test_every_array_is_that_of_the_network(setup: LearningSetup, step: int, sentence: str) -> None:
    state = learned_block(setup, step, sentence)
    trace = block_trace(state)
    for layer, expected in zip(trace.layers, by_hand(setup, step, sentence), strict=True):
        shown = layer.stages()
        for name, array in expected.items():
            np.testing.assert_allclose(shown[name][0], array, rtol=1e-9, atol=1e-12, err_msg=name)
    network = learned_model(setup, step).network
    batch = TASKS[setup.task].question(sentence, setup).batch if setup.task == "it" else None
    if batch is not None:  # and what the network itself computes with, in float32
        for mine, its in zip(trace.weights, network(batch).weights, strict=True):
            np.testing.assert_allclose(mine, its, atol=2e-6)


def test_it_finds_the_cat() -> None:
    picture = diagram_picture(replace(learned_block(*BOX["it"], IT), layer=1, box="weights"))
    assert picture.tokens[7] == "it"
    assert picture.chosen.first[0, 7].argmax() == 1
    assert not learned_block(*BOX["it"], IT).feed_forward
    assert picture.chosen.name == "weights"


def test_the_boxes_are_those_that_the_layers_have() -> None:
    names = [box.name for box in diagram_picture(learned_block(SMALL, 2, LETTERS)).boxes]
    assert {"hidden", "feed_forward_output", "attention_sum"} <= set(names)
    assert not {"middle", "attention_input", "masked"} & set(names)
    causal = diagram_picture(learned_block(*BOX["repeat"], "a b c"))
    assert "masked" in [box.name for box in causal.boxes]
    assert np.isneginf(causal.box("masked").first[0, 0, 1])


def test_captions_say_how_it_was_learned() -> None:
    run = Run(SMALL)
    run.advance(5)
    state = learned_block(SMALL, 5, LETTERS)
    origin = f"learned here: {TASKS['reverse'].title}, step 5, seed 0, {percent(run.measured().accuracy)} right"
    view, picture = view_of(BlockPicture.LAYER), diagram_picture(state)
    assert origin in view.settings(state)
    assert "σ_w" not in view.settings(state)
    assert "embeddings ×" not in view.settings(state)
    assert "Nothing in them is random." in layer_sentences(picture)[-1]
    assert f"{origin[0].upper()}{origin[1:]}." in layer_sentences(picture)
    numbers = view.numbers(state, picture, view.picture.numbers(picture))
    settings = numbers.parameters["settings"]
    assert settings["learned"]["step"] == 5  # type: ignore[index]
    assert not {"gain", "initialiser", "embedding_scale"} & set(settings)  # type: ignore[call-overload]
    assert origin in str(numbers.parameters["what"])


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        (TASKS["dictionary"].setup, "no layer around them"),
        (TASKS["translation"].setup, "looks at a second sentence"),
        (replace(SMALL, hard=True), "Layer draws a softmax"),
        (replace(SMALL, scaled=False), "does not divide its scores by √d_k"),
        (replace(SMALL, task="nothing"), "There is no task “nothing”"),
    ],
)
def test_what_cannot_be_drawn_is_refused_for_that_run_only(setup: LearningSetup, said: str) -> None:
    assert said in reason_against(setup)
    with pytest.raises(ExplorerError) as error:
        block_stack(BlockState(learned=LearnedStack(setup, 1)))
    assert said in str(error.value)


@pytest.mark.parametrize("task", [name for name in TASKS if name not in ("dictionary", "translation")])
def test_every_task_of_one_sentence_has_layers_to_draw(task: str) -> None:
    setup = TASKS[task].setup
    trace = block_trace(learned_block(setup, 1, TASKS[task].probe(setup)))
    assert [weights.shape[1] for weights in trace.weights] == [setup.heads] * setup.layers


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"d_model": 64}, "learned with d model 8: it cannot be 64"),
        ({"layers": 3}, "learned with layers 2: it cannot be 3"),
        ({"causal": True}, "learned with causal False"),
        ({"norm": NormPlacement.PRE}, "learned with norm none: it cannot be pre"),
        ({"sentence": "a b c d cat"}, "has not learned “cat”"),
        ({"sentence": "a b"}, "has 2 words"),
    ],
)
def test_what_was_learned_otherwise_is_refused_in_words(changes: dict[str, object], said: str) -> None:
    state = replace(learned_block(SMALL, 1, LETTERS), **changes)  # type: ignore[arg-type]
    with pytest.raises(ExplorerError) as error:
        block_stack(state)
    assert said in str(error.value)


def test_a_session_holds_how_it_was_learned_and_no_number() -> None:
    state = ExplorerState(block=learned_block(SMALL, 5, LETTERS))
    text = encoded(state)
    assert text["block"]["learned"]["step"] == 5  # type: ignore[index, call-overload]
    assert Decoder().decoded(ExplorerState, text, ()) == state
    text["block"]["heads"] = 4  # type: ignore[index, call-overload]
    with pytest.raises(Exception, match="learned with heads 2: it cannot be 4"):
        Decoder().decoded(ExplorerState, text, ())


def test_what_must_be_learned_again_goes_to_the_worker() -> None:
    state = learned_block(replace(SMALL, seed=77), 4, LETTERS)
    quick = stack.is_quick, future.is_quick, cache.is_quick
    assert not any(each(state) for each in quick)
    assert steps_to_learn(state) == 4
    block_trace(state)
    assert all(each(state) for each in quick)
    assert not steps_to_learn(state)
