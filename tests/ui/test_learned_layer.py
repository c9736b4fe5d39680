"""Layers that were learned, on the Layer page: typed into, looked at, learned again, by real keys and clicks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from layer_driver import LayerDriver
from PySide6.QtCore import Qt

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.learned import learned_block
from attention_explorer.pages.stack.state import LEARNED_WITH, BlockState
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned.tasks import TASKS

SMALL = replace(TASKS["reverse"].setup, length=4, d_model=8, batch=8)
SHOWN = replace(learned_block(*BOX["it"], "The cat sat on the mat because it was tired."), layer=1, box="weights")


@pytest.fixture
def block(make_window, hand):
    def make(state: BlockState) -> LayerDriver:
        window = make_window(ExplorerState(block=state), Settings(theme=ThemeChoice.LIGHT, page="layer"), (1280, 800))
        return LayerDriver(window, hand)

    return make


def weights_of_it(driver: LayerDriver) -> np.ndarray:
    picture = driver.canvas.picture
    assert picture.tokens[7] == "it"
    return picture.box("weights").first[0, 7]


def test_another_adjective_moves_the_weight_and_an_unknown_one_is_refused(block):
    driver = block(SHOWN)
    driver.page.settle()
    assert weights_of_it(driver).argmax() == 1
    field = driver.few("text")
    driver.type_into(field, "The cat sat on the mat because it was soft.")
    driver.page.settle()
    assert weights_of_it(driver).argmax() == 5
    driver.type_into(field, "The cat sat on the mat because it was tyred.")
    driver.page.settle()
    assert "The model has not learned “tyred”. Did you mean “tired”?" in driver.page.requests.reason
    assert driver.page.requests.misleads


def test_the_other_layer_is_looked_at(block):
    driver = block(SHOWN)
    driver.page.settle()
    before = weights_of_it(driver)
    driver.type_into(driver.main.box, "1")
    driver.page.settle()
    assert driver.page.title.text() == "Layer 1 of 2, from its input to its output"
    assert not np.allclose(weights_of_it(driver), before)
    assert driver.canvas.picture.box("x").title == "X = E + P"


def test_what_is_not_in_the_box_is_learned_again_with_progress_and_escape_stops_it(block, qtbot):
    driver = block(learned_block(replace(SMALL, seed=91), 100_000, "a b c d"))
    page, shares = driver.page, []
    page.requests.progressed.connect(shares.append)
    qtbot.waitUntil(lambda: page.note.isVisible() and any(share > 0 for share in shares), timeout=60_000)
    assert max(shares) < 1.0
    driver.key(Qt.Key.Key_Escape)
    assert not page.requests.is_pending
    assert driver.said.startswith("Stopped.")
    assert page.requests.jobs.wait(20)
    assert driver.canvas.picture is None


def test_lab_drags_no_number_that_learned_layers_have(open_lab):
    """A control for it stands grey, and a session with another number would be refused."""
    driver = open_lab(LabView.DEPTH, block=replace(SHOWN, picture=BlockPicture.DEPTH))
    plot = driver.layout.layout
    driver.hand().drag(plot.place(2, 1e-3), plot.place(13, 1e-3))
    assert driver.state.layers == 2


def test_no_key_steps_a_number_that_learned_layers_have(open_lab):
    driver = open_lab(LabView.DEPTH, block=replace(SHOWN, picture=BlockPicture.DEPTH))
    driver.key(Qt.Key.Key_Plus)
    assert driver.state.layers == 2
    assert driver.told == LEARNED_WITH
