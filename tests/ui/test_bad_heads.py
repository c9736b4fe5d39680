"""Files in which one head is no attention, or has no causal mask though the others seem to: what is shown."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import panel_says
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import Aggregate
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recorded import contents_of, open_arrays
from attention_explorer.sources.recorded.axes_sample import sampled

LAYERS, HEADS, TOKENS = 2, 3, 24
BAD = (1, 2)
"""Layer and head, from 0."""


@pytest.fixture
def weights() -> np.ndarray:
    scores = np.random.default_rng(4).standard_normal((LAYERS, HEADS, TOKENS, TOKENS))
    exponentials = np.where(np.tri(TOKENS, dtype=np.bool_), np.exp(scores), 0.0)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def unseen_row(path) -> int:
    """Return a query of the bad head at which nobody looks when the file is opened."""
    rows = iter(range(5, TOKENS - 1))
    for row in rows:
        weights = np.load(path)
        weights[*BAD, row] = np.nan
        np.save(path.with_name("trial.npy"), weights)
        arrays = contents_of(open_arrays(path.with_name("trial.npy"))).attention
        if not any(each.wrong for each in sampled(arrays, 3, 2)):
            return row
    raise AssertionError("Every row is looked at.")


@pytest.fixture
def open_with(make_window, tmp_path, weights):
    """Open a window on a file of which one row of one head, that is not in the sample, is another."""

    def opened(row_of) -> tuple[object, int]:
        path = tmp_path / "model.npy"
        np.save(path, weights)
        row = unseen_row(path)
        weights[*BAD, row] = row_of(row)
        np.save(path, weights)
        heads = heads_of_file(path)
        assert heads.setup.recipe.is_causal
        window = make_window(ExplorerState(heads=heads), Settings(theme=ThemeChoice.LIGHT, page="heads"))
        window.page.settle()
        return window, row

    return opened


def choose(window, layer: int, head: int) -> None:
    wall = window.page.wall
    place = wall.box_of(wall.index_of(layer, head)).center().toPoint()
    QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=place)
    window.page.settle()
    QApplication.processEvents()


@pytest.mark.parametrize("wrong", [np.nan, -0.5, 7.0])
def test_a_head_that_is_no_attention_is_named_and_the_others_are_shown(open_with, weights, wrong):
    window, row = open_with(lambda _row: np.where(np.arange(TOKENS) == 1, wrong, weights[0, 0, 5]))
    page = window.page
    assert not page.requests.misleads
    assert [survey.place for survey in page.wall.surveys if survey.refusal] == [BAD]
    choose(window, *BAD)
    reason = page.requests.sentence
    assert "of layer 2, head 3 (counted from 1)" in reason
    assert f"({row}, 1)" in reason or f"row {row} " in reason
    assert page.note.words.text() == reason == panel_says(page)
    assert page.canvas.picture is None
    assert page.note.isVisible()
    assert {cover.over: cover.isVisible() for cover in page.note.covers}[page.wall] is False
    assert len(page.wall.surveys) == LAYERS * HEADS
    choose(window, 1, 1)
    assert not page.requests.misleads
    np.testing.assert_array_equal(page._frame.map.weights(), weights[1, 1])
    window.session.apply(
        ExplorerState(heads=window.session.state.heads.with_setup(aggregate=Aggregate.MEAN)), "Mean of all heads"
    )
    page.settle()
    assert "of layer 2, head 3 (counted from 1)" in page.requests.sentence
    (action,) = (each for each in window._menus["&View"].actions() if each.text() == "&Count from 0")
    action.trigger()
    page.settle()
    QApplication.processEvents()
    assert "of layer 1, head 2 (counted from 0)" in page.requests.sentence
    (bad,) = (survey for survey in page.wall.surveys if survey.refusal)
    assert "of layer 1, head 2 (counted from 0)" in bad.refusal
    choose(window, *BAD)
    reason = page.requests.sentence
    assert "of layer 1, head 2 (counted from 0)" in reason
    assert page.note.words.text() == reason == panel_says(page)


def test_a_file_whose_first_head_is_bad_can_still_be_walked(make_window, tmp_path, weights):
    np.save(tmp_path / "model.npy", weights)
    heads = heads_of_file(tmp_path / "model.npy").with_setup(layer=BAD[0], head=BAD[1])
    weights[*BAD, 7, 0] = -weights[*BAD, 7, 0]
    np.save(tmp_path / "model.npy", weights)
    recipe = heads_of_file(tmp_path / "model.npy").setup.recipe
    window = make_window(
        ExplorerState(heads=heads.with_setup(recipe=recipe)), Settings(theme=ThemeChoice.LIGHT, page="heads")
    )
    window.page.settle()
    assert "layer 2, head 3" in window.page.note.words.text()
    choose(window, 0, 1)
    np.testing.assert_array_equal(window.page._frame.map.weights(), weights[0, 1])


def test_the_guess_of_a_causal_mask_hides_no_weight(open_with, weights):
    window, row = open_with(lambda _row: np.full(TOKENS, 1 / TOKENS))
    page = window.page
    later = (row, TOKENS - 1)
    assert page._frame.mask is not None
    assert not page._frame.mask[later]
    choose(window, *BAD)
    assert not page.requests.misleads
    assert page._frame.mask[later]
    assert not page._frame.mask[row - 1, TOKENS - 1]
    assert not page.canvas.map_picture.masked[later]
    box = page.canvas.cell_box(*later)
    QTest.mouseMove(page.canvas, box.center().toPoint())
    assert "as recorded" in panel_says(page)
    assert f" {TOKENS} {1 / TOKENS:.4f}" in panel_says(page)
    QTest.mouseMove(page.canvas, page.canvas.cell_box(row - 1, TOKENS - 1).center().toPoint())
    assert "guessed from weights of 0" in window._readout.text()
