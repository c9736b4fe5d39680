"""The slider of the saved steps of a training, in the drawer of Heads."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from safetensors.numpy import load_file, save_file

from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.sources.model_source import model_recipe

MODEL = Path(__file__).parents[1] / "data" / "models" / "gpt-neox"


@pytest.fixture
def driver(open_heads, tmp_path: Path):
    draw = np.random.default_rng(6)
    for step in (1, 10, 200):
        folder = Path(shutil.copytree(MODEL, tmp_path / f"step{step}"))
        stored = load_file(folder / "model.safetensors")
        noisy = {
            name: (array + draw.normal(0, 0.2, array.shape).astype(array.dtype) if array.dtype.kind == "f" else array)
            for name, array in stored.items()
        }
        save_file(noisy, folder / "model.safetensors")
    driver = open_heads(HeadsState().with_setup(recipe=model_recipe(tmp_path / "step10", "Hello there")))
    driver.page.settle()
    return driver


def test_arrow_keys_go_from_step_to_step(driver):
    box, before = driver.controls.checkpoint, driver.weights.copy()
    assert box.isVisible()
    assert driver.heads.checkpoint == 2
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Up)
    driver.page.settle()
    assert Path(driver.heads.setup.recipe.path).name == "step200"
    assert not np.allclose(driver.weights, before)
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert driver.heads.checkpoint == 3, "there is no other after it"
    driver.undo()
    driver.page.settle()
    np.testing.assert_array_equal(driver.weights, before)


def test_a_model_that_lies_alone_has_none(open_heads):
    driver = open_heads(HeadsState().with_setup(recipe=model_recipe(MODEL, "Hello")))
    driver.page.settle()
    assert not driver.controls.checkpoint.isVisible()
