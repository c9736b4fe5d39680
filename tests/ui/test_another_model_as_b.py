"""B is another model with the same tokens: a LoRA and its model, head by head, with signs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QMenu
from safetensors.numpy import load_file, save_file

from attention_explorer.kit.drawing.colour_maps import DIVERGING, colour_table
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.recorded import as_b
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, Picture
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.window.model_dialog import ModelDialog

MODEL = Path(__file__).parents[1] / "data" / "models" / "gpt2"
TEXT = "Hello there, you"


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    """A LoRA that turns the queries of the second layer of GPT-2."""
    shutil.copytree(MODEL, tmp_path / "gpt2")
    folder, draw = tmp_path / "tuned", np.random.default_rng(1)
    folder.mkdir()
    wide = next(
        each for name, each in load_file(MODEL / "model.safetensors").items() if "h.1.attn.c_attn.weight" in name
    )
    name, shapes = (
        "base_model.model.transformer.h.1.attn.c_attn.lora_",
        {"A": (2, wide.shape[0]), "B": (wide.shape[1], 2)},
    )
    save_file(
        {f"{name}{each}.weight": draw.normal(0, 0.5, shape).astype(np.float32) for each, shape in shapes.items()},
        folder / "adapter_model.safetensors",
    )
    told = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "fan_in_fan_out": True, "base_model_name_or_path": "gpt2"}
    (folder / "adapter_config.json").write_text(json.dumps(told))
    return folder


@pytest.fixture
def driver(open_heads, tuned: Path):
    driver = open_heads(HeadsState().with_setup(recipe=model_recipe(tuned, TEXT), layer=1, head=1, temperature=2.0))
    driver.page.settle()
    return driver


def compare_with_base(driver, tuned: Path) -> None:
    """Choose the model of the LoRA in the list of models, from the menu of B."""
    driver.show(Picture.COMPARE)
    driver.page.settle()
    menu = QMenu(driver.window)
    driver.window.files.add_what_to_compare(menu)
    next(action for action in menu.actions() if "Model on this computer" in action.text()).trigger()
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, ModelDialog) and each.isVisible())
    dialog._open(tuned.parent / "gpt2")
    driver.window.files.recordings.jobs.wait(60)
    driver.page.settle()


def test_a_model_is_compared_at_the_same_head_under_the_same_settings(driver, tuned):
    compare_with_base(driver, tuned)
    other = driver.heads.other
    assert Path(other.recipe.path).name == "gpt2"
    assert other.recipe.sentence == TEXT
    assert (other.layer, other.head, other.temperature) == (1, 1, 2.0)
    assert driver.page.canvas.numbers.picture.difference.values.any()


def test_all_heads_show_a_minus_b_with_signs(driver, tuned):
    compare_with_base(driver, tuned)
    driver.show(Picture.ALL)
    driver.press(driver.controls.signed)
    driver.page.settle()
    surveys = {survey.place: survey for survey in driver.page.wall.all_surveys}
    frames = driver.frame, heads_frame(driver.heads.other)
    for (layer, head), survey in surveys.items():
        a, b = (frame.layers[layer].maps[head].weights() for frame in frames)
        np.testing.assert_allclose(survey.signed.pooled.values, a - b, atol=1e-6)
        assert (survey.signed.largest < 1e-6) is (layer == 0), "the first layer is the same"
    item = driver.page.wall.item
    assert item.scale.is_diverging
    assert item.scale.low == -item.scale.high < 0
    image = item._image(surveys[1, 1], driver.page.look)
    shown = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    assert shown & set(colour_table(DIVERGING).tolist())
    driver.press(driver.controls.signed)
    driver.page.settle()
    assert not driver.page.wall.item.scale.is_diverging


def test_a_head_that_b_does_not_have_is_compared_with_its_first(tuned):
    heads = HeadsState().with_setup(recipe=model_recipe(tuned, TEXT), layer=7)
    assert as_b(heads, HeadsSetup(model_recipe(MODEL, TEXT))).layer == 0
