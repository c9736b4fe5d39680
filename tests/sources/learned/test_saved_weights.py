"""Weights beside a session: taken where they fit, and said where they do not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.counting import Count
from attention_explorer.model.learning import ARITHMETIC
from attention_explorer.pages.circuits.state import CircuitsState
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.pages.stack.learned import learned_block
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import MomentRequest, moment_at
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.sources.learned import saved
from attention_explorer.sources.learned.first import first_network
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.model_file import CHECKSUM, LEARNED_WITH, read_model, write_model
from attention_explorer.sources.learned.run import run_of
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Lookup

STEP = 19


@pytest.fixture(autouse=True)
def _nothing_taken():
    saved._taken.clear()
    yield
    saved._taken.clear()


def told_apart(setup: LearningSetup, step: int = STEP) -> LearnedModel:
    """A model that no training would give."""
    network = first_network(setup)
    network.parameters.vector[:] *= 0.5
    return LearnedModel(setup, step, network)


def session(folder: Path, seed: int) -> tuple[Path, TrainingState]:
    state = replace(TrainingState(), step=STEP)
    state = replace(state, setup=replace(state.setup, seed=seed))
    path = folder / "lecture.attn.json"
    write_session(path, ExplorerState(training=state))
    return path, state


@pytest.mark.parametrize(
    ("seed", "name"),
    [(9001, "lecture.npz"), (9002, "lecture.safetensors"), (9003, f"training-it-step-{STEP}-weights.safetensors")],
)
def test_they_are_taken_and_nothing_is_learned(tmp_path, seed, name):
    path, state = session(tmp_path, seed)
    model = told_apart(state.setup)
    write_model(tmp_path / name, model)
    opened = read_session(path)
    assert opened.warnings == ()
    moment = moment_at(MomentRequest.of(opened.state.training))
    expected = model.ask(state.sentence_shown)
    for ours, theirs in zip(moment.answer.weights, expected.weights, strict=True):
        assert np.array_equal(ours, theirs)
    assert run_of(state.setup).step == 0
    assert [step for step, _ in moment.film] == [0, moment.request.step]
    assert words.origin(state).endswith(f"weights from “{name}”")
    source = source_of(LearnedRecipe(state.setup, STEP))
    assert source.checkpoints() == 0
    shown = source.layers(Lookup())[1].maps[0].weights()
    assert np.allclose(shown, expected.weights[1][0], atol=1e-6)
    run = run_of(state.setup)
    run.advance(STEP)
    assert not np.allclose(run.at().ask(state.sentence_shown).weights[1][0], expected.weights[1][0])


def without(name: str) -> Callable[[Path], None]:
    """Leave a line out of what a file says of itself."""

    def damage(path: Path) -> None:
        with np.load(path) as file:
            arrays = dict(file)
        about = json.loads(str(arrays["about"]))
        del about[name]
        np.savez(path, **(arrays | {"about": np.array(json.dumps(about))}))

    return damage


def with_another_number(path: Path) -> None:
    with np.load(path) as file:
        arrays = dict(file)
    arrays["b_out"][0] += 1.0
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("seed", "changes", "step", "damage", "said"),
    [
        (9011, {"rate": 0.5}, STEP, None, "was learned in another way than the session says"),
        (9012, {}, STEP + 1, None, f"is of step {STEP + 1}, and the session is at step {STEP}"),
        (9013, {}, STEP, without(CHECKSUM), "has no checksum"),
        (9016, {}, STEP, without(LEARNED_WITH), "was learned with the arithmetic of another version"),
        (9014, {}, STEP, with_another_number, "are not those of its checksum"),
        (9015, {}, STEP, lambda path: path.write_bytes(path.read_bytes()[:900]), "lecture.npz"),
    ],
)
def test_what_does_not_fit_is_said_and_learned_again(tmp_path, seed, changes, step, damage, said):
    path, state = session(tmp_path, seed)
    file = tmp_path / "lecture.npz"
    write_model(file, told_apart(replace(state.setup, **changes), step))
    if damage:
        damage(file)
    (warning,) = read_session(path).warnings
    assert warning.startswith("The weights beside the session were not taken, and are learned again: ")
    assert said in warning
    assert saved.taken(state.setup, STEP) is None


def test_what_has_nothing_to_do_with_it_is_left_alone(tmp_path):
    path, state = session(tmp_path, 9021)
    np.savez(tmp_path / "lecture.npz", weights=np.eye(3))
    assert read_session(path).warnings == ()
    assert saved.taken(state.setup, STEP) is None


def test_one_that_fits_is_taken_where_another_does_not(tmp_path):
    path, state = session(tmp_path, 9022)
    write_model(tmp_path / "lecture.npz", told_apart(state.setup, STEP + 1))
    write_model(tmp_path / "lecture.safetensors", told_apart(state.setup))
    assert read_session(path).warnings == ()
    assert saved.taken(state.setup, STEP).name == "lecture.safetensors"
    shutil.copy(tmp_path / "lecture.npz", tmp_path / "lecture.safetensors")
    (warning,) = read_session(path).warnings
    assert "lecture" in warning
    assert saved.taken(state.setup, STEP) is None


def test_a_file_of_an_earlier_version_is_read_by_name(tmp_path):
    path = tmp_path / "old.npz"
    model = told_apart(LearningSetup())
    write_model(path, model)
    without(CHECKSUM)(path)
    np.testing.assert_array_equal(read_model(path).network.parameters.vector, model.network.parameters.vector)


@pytest.mark.parametrize(("said", "whose"), [(None, "of an earlier version"), ("exact 99", "“exact 99”")])
@pytest.mark.parametrize("page", ["training", "back at the beginning", "heads", "block"])
def test_a_session_says_with_which_arithmetic_it_was_learned(tmp_path, page, said, whose):
    setup = TrainingState().setup
    state = {
        "training": ExplorerState(training=replace(TrainingState(), step=STEP)),
        "back at the beginning": ExplorerState(training=replace(TrainingState(), step=0, learned=STEP)),
        "heads": ExplorerState(heads=heads_preset("learned-it").state),
        "block": ExplorerState(block=learned_block(setup, STEP, "the cat sat")),
    }[page]
    path = tmp_path / "lecture.attn.json"
    write_session(path, state)
    assert read_session(path).warnings == ()
    document = json.loads(path.read_text())
    assert document.pop("learning") == ARITHMETIC
    path.write_text(json.dumps(document | ({} if said is None else {"learning": said})))
    opened = read_session(path)
    assert opened.state == state
    (warning,) = opened.warnings
    assert f"arithmetic {whose}" in warning
    assert "learned again here" in warning


def test_a_session_without_a_learned_model_names_no_arithmetic(tmp_path):
    path = tmp_path / "new.attn.json"
    write_session(path, ExplorerState())
    assert "learning" not in json.loads(path.read_text())


@pytest.mark.parametrize(
    ("state", "page", "is_named"),
    [
        (ExplorerState(), "heads", False),
        (ExplorerState().counted(Count.FROM_ZERO), "heads", False),
        (ExplorerState(), "circuits", True),
        (ExplorerState(circuits=CircuitsState(seed=3)), "heads", True),
    ],
)
def test_the_model_that_circuits_starts_with_counts_once_it_was_looked_at(tmp_path, state, page, is_named):
    path = tmp_path / "new.attn.json"
    write_session(path, state, page=page)
    document = json.loads(path.read_text())
    assert document.pop("learning", "") == (ARITHMETIC if is_named else "")
    path.write_text(json.dumps(document))
    assert bool(read_session(path).warnings) == is_named
