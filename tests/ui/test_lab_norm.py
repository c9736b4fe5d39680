"""Norm on the Lab page: dragged, clicked, pointed at, withheld and written to files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plot_marks import At
from attention_explorer.model import NormKind
from attention_explorer.pages.lab.norm import SCALES
from attention_explorer.pages.lab.ui.layers import AFTER, NormSize
from attention_explorer.pages.preset_lists import preset_list

block_preset = partial(preset_of, preset_list("block"))


@pytest.fixture
def shown(qtbot: Any, hand: Any) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, NormSize(), block_preset("norm").state)


def test_the_line_at_the_size_of_the_row_is_dragged(shown: PictureOnCanvas) -> None:
    start, end = (shown.laid.layout.place(size, 0.5) for size in (shown.state.norm_scale, 0.1))
    assert {"0.999", "0.707"} <= set(shown.texts())
    shown.mouse.drag(start, end)
    assert shown.state.norm_scale == pytest.approx(0.1, rel=0.05)
    assert set(shown.labels) == {"Move the size of the row"}
    assert {"0.999", "0.707"}.isdisjoint(shown.texts())
    assert shown.texts().count("1.000") == 2
    hand = shown.mouse
    hand.press(end)
    hand.move(QPointF(9999.0, 0.0))
    assert shown.state.norm_scale == 100.0, "held within the axis"
    shown.key(Qt.Key.Key_Escape)
    assert shown.state.norm_scale == pytest.approx(0.1, rel=0.05)


def test_keys_and_clicks_move_it_too(shown: PictureOnCanvas) -> None:
    shown.key(Qt.Key.Key_Right)
    assert shown.state.norm_scale == 2e-3
    shown.click(shown.laid.layout.place(2e-5, 0.3))
    assert shown.state.norm_scale == pytest.approx(2e-5, rel=0.05)
    assert shown.state.norm_scale == float(f"{shown.state.norm_scale:.1e}"), "two digits"
    for _ in SCALES:
        shown.key(Qt.Key.Key_Left)
    assert shown.state.norm_scale == SCALES[0]


def test_pointing_tells_both_outputs(shown: PictureOnCanvas) -> None:
    words = shown.point_at(shown.laid.layout.place(1e-4, 0.5))
    assert words.startswith("standard deviation in 10⁻⁴")
    assert "ε under the root 0.0995 · ε beside the root 0.9901" in words
    assert "in 0.001, out: ε under the root 0.7071" in shown.point_at(shown.laid.layout.place(1e-3, 0.2))
    bar = NormSize().words(shown.numbers, Hit(AFTER, At(3.5)))
    assert bar.startswith("feature 3: ")


@pytest.mark.parametrize(
    ("changes", "headline"),
    [
        ({}, "Under the root, ε shrinks larger rows too."),
        ({"eps": 0.5}, "ε shrinks small rows, wherever it stands."),
        ({"eps": 0.0, "norm_kind": NormKind.RMS}, "Without ε, rows of any size come out with 1."),
    ],
)
def test_what_stands_above_and_beside_it(qtbot: Any, hand: Any, changes: dict[str, Any], headline: str) -> None:
    shown = PictureOnCanvas(qtbot, hand, NormSize(), replace(block_preset("norm").state, **changes))
    panel = shown.picture.panel(shown.numbers)
    assert shown.picture.headline(shown.numbers) == headline
    assert shown.words_beside() <= 50
    assert "0.999" in panel.items[0].spoken() or changes
    assert shown.picture.says(shown.numbers)[0] in shown.canvas.spoken()
    for size in ((360, 330), (800, 540)):
        assert faults_of(drawing_of(shown.picture, shown.numbers, size), size) == []


def test_what_is_always_true_of_norms_is_true() -> None:
    (truth,) = NormSize.truths
    eps = 1e-6
    row = np.array([1.0, -1.0])  # of size 1
    for inside, size, wanted in ((True, eps**0.5, "0.707"), (False, eps, "0.5")):
        x = row * size
        out = x / np.sqrt(x.var() + eps) if inside else x / (x.std() + eps)
        assert f"{out.std():.3g}" == wanted
    assert "÷ √(σ² + ε) brings a row with σ = √ε to 0.707, ÷ (σ + ε) one with σ = ε to 0.5." in truth


def test_what_a_row_of_one_number_becomes_is_said(shown: PictureOnCanvas) -> None:
    assert shown.picture.says(shown.numbers)[-1].startswith("A row of one number repeated comes out as zeros")
    shown.show(replace(shown.state, norm_kind=NormKind.RMS, eps=0.5))
    under, beside = 0.5 / np.sqrt(0.5**2 + 0.5), 0.5 / (0.5 + 0.5)
    assert shown.picture.says(shown.numbers)[-1] == (
        f"A row of 0.5 repeated comes out as {under:.3f} and {beside:.3f}: RMS norm does not subtract the mean."
    )


def test_while_it_is_asked_for_nothing_tells(shown: PictureOnCanvas) -> None:
    shown.canvas.withhold(True)
    before = shown.pixels()
    assert shown.texts() == ["Size that comes out", "?"]
    assert shown.point_at(QPointF(300, 200)) == ""
    shown.state = replace(shown.state, eps=1e-2, norm_scale=3.0)
    shown.show()
    assert (shown.pixels() == before).all()
