"""Linear on the Lab page: what is left over in maps, the factor by keys, words, files, and nothing told too early."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.preset import preset_of
from attention_explorer.pages.lab.ui.layers import Linear
from attention_explorer.pages.preset_lists import preset_list

block_preset = partial(preset_of, preset_list("block"))

LONG = "the quick brown fox jumps over the lazy dog and then sleeps for a very long time under the old tree"


@pytest.fixture
def shown(qtbot: Any, hand: Any) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, Linear(), block_preset("linear").state)


def test_left_and_right_change_the_factor(shown: PictureOnCanvas) -> None:
    assert {"2 × output", "with 2 × V, minus that: 0", "with 2 × X, minus that: ≤ 10.09"} <= set(shown.texts())
    shown.key(Qt.Key.Key_Right)
    assert (shown.state.factor, shown.labels[-1]) == (3.0, "Multiply by 3")
    assert "3 × output" in shown.texts()
    for _ in range(9):
        shown.key(Qt.Key.Key_Right)
    assert shown.state.factor == 10.0
    assert len(shown.labels) == 3, "at the last factor a key changes nothing"
    shown.key(Qt.Key.Key_Left)
    assert shown.state.factor == 5.0


def test_a_cell_is_told_and_lit_in_every_map(shown: PictureOnCanvas) -> None:
    maps = shown.laid.layout
    before = shown.pixels()
    words = [shown.point_at(placed.layout.rectangle(1, 5).center()) for placed in maps]
    assert words[0].startswith("“cat” (2), feature 5 · V × 2: ")
    assert len(set(words)) == 1, "each map has the same tokens and features"
    changed = shown.pixels() != before
    for placed in maps:
        box = placed.layout.rectangle(1, 5).adjusted(-2, -2, 2, 2).toRect()
        assert changed[box.top() : box.bottom(), box.left() : box.right()].any()


def test_up_and_down_go_from_token_to_token(shown: PictureOnCanvas) -> None:
    shown.point_at(shown.laid.layout[2].layout.rectangle(1, 5).center())
    shown.key(Qt.Key.Key_Down)
    assert shown.said.startswith("“sat” (3), feature 5 · ")
    for _ in range(9):
        shown.key(Qt.Key.Key_Up)
    assert shown.said.startswith("“The” (1), feature 5 · ")
    shown.canvas.withhold(True)
    shown.key(Qt.Key.Key_Down)
    assert shown.said == ""


@pytest.mark.parametrize(
    ("changes", "headline"),
    [
        ({}, "Linear in V, not in X."),
        ({"factor": -1.0}, "Linear in V. Times −1 does not test X."),
        ({"factor": 1.0}, "Linear in V. Times 1 does not test X."),
        ({"sentence": "one"}, "One token: linear in V and in X."),
        ({"gain": 0.0}, "Nothing comes out: 0 times anything is 0."),
        ({"sentence": LONG, "d_model": 256, "factor": 3.0}, "Linear in V, not in X."),
    ],
)
def test_what_stands_above_and_beside_it(qtbot: Any, hand: Any, changes: dict[str, Any], headline: str) -> None:
    shown = PictureOnCanvas(qtbot, hand, Linear(), replace(block_preset("linear").state, **changes))
    assert shown.picture.headline(shown.numbers) == headline
    assert shown.words_beside() <= 50
    assert shown.picture.says(shown.numbers)[0] in shown.canvas.spoken()
    for size in ((360, 330), (800, 540)):
        assert faults_of(drawing_of(shown.picture, shown.numbers, size), size) == []


def test_both_differences_are_said(shown: PictureOnCanvas) -> None:
    arrays = shown.picture.arrays(shown.numbers)
    v, x = (np.abs(arrays[f"output_of_scaled_{name}"] - arrays["scaled_output"]).max() for name in "vx")
    assert v == 0
    assert shown.picture.says(shown.numbers)[0].startswith(
        f"A · (2 V) · W_O differs from 2 · (A · V · W_O) by up to 0, attention(2 X) from 2 · attention(X) by up to "
        f"{x:.4g}. With V there is not even a rounding difference: times 2"
    )
    shown.show(replace(shown.state, factor=-1.0))
    assert shown.picture.says(shown.numbers)[-1] == "(−Q)(−K)ᵀ = QKᵀ leaves all weights as they are."


def test_while_it_is_asked_for_nothing_tells(shown: PictureOnCanvas) -> None:
    shown.canvas.withhold(True)
    before = shown.pixels()
    texts = shown.texts()
    assert texts.count("cat") == 3, "the tokens are given"
    assert {"The output, multiplied", "What is left if V is multiplied", "What is left if X is multiplied"} < set(texts)
    told = [text for text in texts if any(map(str.isdigit, text))]
    assert told == ["feature 0…63 →, token ↓"], "how many features there are is no secret"
    assert shown.point_at(QPointF(300, 200)) == ""
    shown.state = replace(shown.state, factor=-3.0, causal=True)
    shown.show()
    assert (shown.pixels() == before).all()
