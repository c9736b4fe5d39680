"""Two sentences through one layer: the same cell in both maps, and a list of operations that follows from lengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import pixels
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of, panel_words

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.picture import NOTHING
from attention_explorer.pages.lab.inputs import inputs_picture
from attention_explorer.pages.lab.ui.inputs import MAPS, OPERATIONS, Inputs
from attention_explorer.pages.preset_lists import preset_list

COST_PRESETS = preset_list("cost")

INPUTS = Inputs()
READY = preset_of(COST_PRESETS, "inputs").state
LONG = replace(READY, sentence=" ".join(["quick", "brown", "foxes"] * 9))
SHORT = replace(READY, other_sentence="one two")


@pytest.fixture
def shown(qtbot, hand) -> Callable[..., PictureOnCanvas]:
    return lambda state=READY: PictureOnCanvas(qtbot, hand, INPUTS, state)


def test_a_cell_is_lit_and_said_in_both_maps(shown) -> None:
    at = shown()
    first, second = (at.placed(name).layout for name in MAPS)
    before = pixels(at.canvas.grab().toImage()).copy()
    said = at.point_at(second.rectangle(2, 4).center())
    assert said.startswith("“sat” (3) attends to “the” (5): 0.1763; “sang” (3) attends to “a” (5): 0.2304")
    changed = pixels(at.canvas.grab().toImage()) != before
    for layout in (first, second):
        left, top, wide, high = layout.rectangle(2, 4).adjusted(-3, -3, 3, 3).toRect().getRect()
        assert changed[top : top + high, left : left + wide].any()


def test_a_cell_that_only_one_map_has_is_said_of_that(shown) -> None:
    at = shown(SHORT)
    said = at.point_at(at.placed(MAPS[0]).layout.rectangle(4, 4).center())
    assert said.startswith("“the” (5) attends to “the” (5)")
    assert ";" not in said
    at.canvas.grab()


def test_the_list_of_operations_is_told_row_by_row() -> None:
    numbers = inputs_picture(SHORT)
    (table,) = INPUTS.panel(numbers).items
    assert [row[2:] for row in table.rows][-1] == ("205\N{NO-BREAK SPACE}824", "66\N{NO-BREAK SPACE}560")
    said = panel_words(INPUTS, numbers, OPERATIONS, 1)
    assert said.startswith("Q·Kᵀ: 8 × (6, 8)·(8, 6) = 4608 operations for the first input")
    assert panel_words(INPUTS, numbers, OPERATIONS, 4).startswith("Together: 205 824 operations")


@pytest.mark.parametrize(
    ("state", "headline"),
    [
        (READY, "Other words, other weights: the same operations."),
        (SHORT, "Other lengths, other operations."),
        (replace(READY, other_sentence=READY.sentence), "The same weights: the same operations."),
        (replace(READY, sentence=" "), NOTHING),
    ],
)
def test_the_headline_is_true_of_every_state(state, headline) -> None:
    assert INPUTS.title(inputs_picture(state)) == headline


def test_lengths_operations_and_the_difference_of_the_weights_are_said() -> None:
    numbers = inputs_picture(READY)
    first, second = (np.asarray(each.values) for each in numbers.maps)
    count = 3 * 6 * 64 * 64 + 2 * 8 * 6 * 8 * 6 + 6 * 64 * 64  # multiplications of all products
    assert numbers.totals == (2 * count, 2 * count)
    lengths, weights = (line.replace("\N{NO-BREAK SPACE}", " ") for line in INPUTS.says(numbers))
    assert lengths == "First 6 tokens: 205 824 operations. Second 6 tokens: 205 824 operations."
    assert weights == f"The weights differ by up to {np.abs(first - second).max():.3f}."
    assert INPUTS.says(inputs_picture(LONG))[-1] == "Only the first 24 tokens of an input are used."


@pytest.mark.parametrize("state", [READY, SHORT, LONG])
@pytest.mark.parametrize("size", [(800, 540), (640, 500), (360, 560)])
def test_words_have_room(qapp, state, size) -> None:
    drawing = drawing_of(INPUTS, inputs_picture(state), size)
    assert faults_of(drawing, size) == []


def test_tokens_are_given_and_weights_are_not(shown) -> None:
    at = shown()
    at.canvas.withhold(True)
    texts = at.texts()
    assert {"cat", "bird"} <= set(texts)
    assert not [text for text in texts if text.startswith(".")]
    assert at.point_at(at.laid.layout[0].layout[1].layout.cells.center()) == ""


def test_it_says_why_there_is_nothing(shown) -> None:
    at = shown(replace(READY, sentence=" "))
    assert "Type at least one word" in " ".join(at.texts())
    assert "there is nothing to attend to yet" in at.canvas.spoken()
