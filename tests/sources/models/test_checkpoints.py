"""A model at the steps of its training: folders beside each other, and revisions in Hugging Face's cache."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from attention_explorer.sources.model_source import ModelSource, model_recipe
from attention_explorer.sources.models.checkpoints import checkpoints
from attention_explorer.sources.registry import source_of

MODEL = Path(__file__).parents[2] / "data" / "models" / "gpt-neox"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Checkpoints in one folder, and what is none."""
    for name in ("step1000", "step2", "step30", "other7", "stepless"):
        shutil.copytree(MODEL, tmp_path / name)
    (tmp_path / "step4").mkdir()  # has no model
    return tmp_path


def test_folders_that_are_called_alike_are_in_order_of_their_steps(folder: Path) -> None:
    found = checkpoints(folder / "step30")
    assert tuple(found.values()) == tuple(folder / name for name in ("step2", "step30", "step1000"))
    assert list(found) == ["step2", "step30", "step1000"]
    for alone in ("other7", "stepless"):
        assert tuple(checkpoints(folder / alone).values()) == (folder / alone,)
        assert ModelSource(model_recipe(folder / alone, "a")).saved_steps == ()


def test_another_step_reads_the_same_with_its_own_weights(folder: Path) -> None:
    source = ModelSource(replace(model_recipe(folder / "step30", "Hello you"), whole_words=True))
    assert source.saved_steps == ("step2", "step30", "step1000")
    assert source.saved_step == 1
    other = source.at_saved_step(2)
    assert other == replace(model_recipe(folder / "step1000", "Hello you"), whole_words=True)


def test_revisions_of_the_hub_are_checkpoints_by_their_names(tmp_path: Path) -> None:
    hub = tmp_path / "models--EleutherAI--pythia-14m"
    for name, commit in (("step512", "b" * 40), ("step0", "c" * 40), ("main", "a" * 40)):
        shutil.copytree(MODEL, hub / "snapshots" / commit)
        (hub / "refs").mkdir(exist_ok=True)
        (hub / "refs" / name).write_text(commit)
    (hub / "refs" / "step9").write_text("../../elsewhere")
    found = checkpoints(hub / "snapshots" / ("b" * 40))
    assert list(found) == ["step0", "step512"]
    assert tuple(found.values()) == tuple(hub / "snapshots" / (commit * 40) for commit in "cb")
    alone = hub / "snapshots" / ("a" * 40)
    assert tuple(checkpoints(alone).values()) == (alone,)


def test_a_revision_of_the_hub_is_called_by_its_step(tmp_path: Path) -> None:
    hub = tmp_path / "models--EleutherAI--pythia-14m"
    (hub / "refs").mkdir(parents=True)
    for name, commit in (("step512", "b" * 40), ("main", "a" * 40), ("step143000", "a" * 40)):
        shutil.copytree(MODEL, hub / "snapshots" / commit, dirs_exist_ok=True)
        (hub / "refs" / name).write_text(commit)
    (hub / "refs" / "empty").touch()
    tuned = ModelSource(model_recipe(hub / "snapshots" / ("b" * 40), "Hello you"))
    assert tuned.model.name == "EleutherAI/pythia-14m step512"
    assert tuned.traits.origin == "computed here by the model “EleutherAI/pythia-14m step512”"
    assert ModelSource(model_recipe(hub / "snapshots" / ("a" * 40), "a")).model.name == "EleutherAI/pythia-14m"


def test_a_checkpoint_that_is_saved_meanwhile_is_there_for_the_next_text(folder: Path) -> None:
    recipe = model_recipe(folder / "step30", "Hello you")
    assert source_of(recipe).saved_steps == ("step2", "step30", "step1000")
    shutil.copytree(MODEL, folder / "step2000")
    assert source_of(replace(recipe, sentence="Hello")).saved_steps == ("step2", "step30", "step1000", "step2000")
