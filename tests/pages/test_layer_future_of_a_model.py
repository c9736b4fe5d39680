"""Replacing a token in a real model: with its own mask, bit for bit, or a sentence why not."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.layer import future
from attention_explorer.pages.layer.future import Moved, future_numbers, future_picture, future_sentences, future_words
from attention_explorer.pages.layer.ui.views import view_of
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models.loading import load_model
from attention_explorer.sources.models.reference import model_reference
from attention_explorer.sources.registry import source_of

MODELS = Path(__file__).parents[1] / "data" / "models"
SENTENCE = "the cat sat on the mat"


def state_of(name: str, **changes) -> BlockState:
    found = BlockState(model=model_recipe(MODELS / name, SENTENCE), picture=BlockPicture.FUTURE, changed_token=3)
    return replace(found, **changes)


@pytest.mark.parametrize("name", ["gpt2", "llama", "gemma2", "opt", "gpt-neox"])
def test_a_decoder_keeps_every_bit_of_earlier_rows(name: str) -> None:
    picture = future_picture(state_of(name))
    assert list(picture.moved) == [True]
    moved, n = picture.moved[True], len(picture.tokens)
    assert (moved.numbers[:, :3] == 0).all()
    assert (moved.numbers[1:, 3:] > 0).all()
    assert moved.numbers[0].tolist() == [moved.width if token == 3 else 0 for token in range(n)]
    assert picture.layers == len(moved.change) - 1
    headline, _, stays = future_sentences(picture)
    assert headline == "Earlier rows do not change"
    assert "the 3 rows before it stay the same bit for bit" in stays
    assert f"all {moved.width} numbers are the same bit for bit" in future_words(picture, True, 0)
    assert set(future_numbers(picture)) == {"change_causal", "numbers_moved_causal", "tokens"}


def test_the_levels_are_those_of_runs_that_were_made_by_hand() -> None:
    """The vector is put into the model's own embedding, and the layers are called one after the other."""
    picture, model = future_picture(state_of("gpt2")), load_model(MODELS / "gpt2")
    run = model(SENTENCE).run
    rows = [run.main.hidden[0], run.main.hidden[0].copy()]
    rows[1][3] = np.random.RandomState([42, 3]).randn(rows[0].shape[1]) * 99
    for level, layer in enumerate((None, *range(run.main.count))):
        if layer is not None:
            given = run.main.surroundings(layer)
            rows = [run.main.stack.layers[layer](x, given).output for x in rows]
        wanted = np.abs(rows[1] - rows[0]).max(axis=1)
        np.testing.assert_allclose(picture.moved[True].change[level], wanted, rtol=1e-5, atol=1e-6)


def test_a_model_that_looks_both_ways_changes_in_every_row() -> None:
    picture = future_picture(state_of("bert"))
    assert list(picture.moved) == [False]
    assert picture.moved[False].same_rows(-1) == 0
    headline, _, said = future_sentences(picture)
    assert headline == "Every token sees every other"
    assert said.startswith("Without a mask all 8 rows change")


def test_rounding_is_called_rounding(monkeypatch) -> None:
    picture = future_picture(state_of("gpt2"))
    moved = picture.moved[True]
    change, numbers = moved.change.copy(), moved.numbers.copy()
    change[1, 0], numbers[1, 0] = 4e-7, 2
    rounded = replace(picture, moved={True: Moved(moved.width, change, numbers)})
    headline, _, said = future_sentences(rounded)
    assert headline == "Earlier rows change by rounding alone"
    assert "the 3 rows before it stay the same but for rounding, " in said
    monkeypatch.setattr(future, "ROUNDING", 1e-9)
    assert future_sentences(rounded)[0] == "Earlier rows change"


def test_what_is_masked_in_the_diagram_is_not_here_and_not_said() -> None:
    masked = state_of("gpt2", mask=MaskChoice(MaskKind.WINDOW, 2))
    assert future_picture(masked).moved is future_picture(state_of("gpt2")).moved
    assert "mask: " not in view_of(BlockPicture.FUTURE).settings(masked)


def test_two_towers_and_what_is_no_model_say_why() -> None:
    recipe = heads_preset("random-words").state.setup.recipe
    for state in (state_of("bart"), BlockState(model=recipe, picture=BlockPicture.FUTURE)):
        with pytest.raises(ExplorerError, match="A vector is replaced in models of one tower"):
            future_picture(state)


def test_a_model_that_is_not_open_yet_is_opened_before_its_token_is_counted(tmp_path: Path) -> None:
    copied = shutil.copytree(MODELS / "gpt2", tmp_path / "other")
    found = model_reference(copied)
    unopened = ModelRecipe(str(copied), found.size, found.modified_ns, found.digest, SENTENCE)
    state = BlockState(model=unopened, picture=BlockPicture.FUTURE, changed_token=5)
    assert not source_of(unopened).is_open
    assert future_picture(state).token == 5
    assert (future_picture(state).moved[True].numbers[0] > 0).tolist().index(True) == 5
