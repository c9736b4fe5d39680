"""Every sentence of a preset is true in numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.model.alibi import alibi_slopes
from attention_explorer.model.encodings import learned_encoding, sinusoidal_encoding, wavelengths
from attention_explorer.model.rotary import rotary
from attention_explorer.pages.positions.clocks import clocks_picture
from attention_explorer.pages.positions.presets import POSITIONS_PRESETS, is_changed, positions_preset


def test_presets_are_found_by_their_names_and_unchanged() -> None:
    for ready in POSITIONS_PRESETS:
        assert positions_preset(ready.id) is ready
        assert ready.state.preset == ready.id
        assert not is_changed(ready.state)
        assert is_changed(ready.state.with_sizes(length=ready.state.length + 1 if ready.state.length < 100 else 50))
    assert not is_changed(positions_preset("sinusoidal").state.with_position(9))
    with pytest.raises(ExplorerError, match="alibi"):
        positions_preset("nothing")


def test_sinusoidal_is_true() -> None:
    said, pe = positions_preset("sinusoidal").look_for, sinusoidal_encoding(64, 64)
    assert f"{wavelengths(64)[0]:.2f} positions" in said
    assert "dimension 40" in said
    assert np.abs(pe[:, 40:] - pe[0, 40:]).max() < 0.2
    assert np.abs(pe[:, 38:] - pe[0, 38:]).max() > 0.2
    assert f"√32 = {math.sqrt(32):.3f}" in said


def test_the_numbers_of_the_tutorial_are_true() -> None:
    said, pe = positions_preset("tutorial").look_for, sinusoidal_encoding(30, 64)
    dots = pe @ pe[0]
    for offset in (1, 19, 25, 15):
        assert f"{dots[offset]:.3f}" in said
    assert dots[25] > dots[15]


def test_clocks_are_true() -> None:
    picture = clocks_picture(positions_preset("clocks").state, (400, 400))
    assert picture.residual is not None
    assert picture.residual < 1e-14


def test_long_is_true() -> None:
    said, slowest = positions_preset("long").look_for, wavelengths(1024)[-1]
    assert f"{slowest:.0f}" in said
    assert f"{8191 / slowest:.2f} of a turn" in said


def test_learned_is_true() -> None:
    said, table = positions_preset("learned").look_for, learned_encoding(64, 64, 42)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert f"(cosine {unit[0] @ unit[5]:.2f})" in said
    assert f"({unit[0] @ unit[1]:.2f})" in said


def test_rotary_is_true() -> None:
    query, key = np.random.RandomState(0).randn(2, 1, 64)
    scores = [(rotary(query, [m]) @ rotary(key, [m - 7]).T).item() for m in (7, 20, 63)]
    assert scores == pytest.approx([scores[0]] * 3)


def test_alibi_is_true() -> None:
    said, slopes = positions_preset("alibi").look_for, alibi_slopes(8)
    assert (slopes[0], slopes[7]) == (1 / 2, 1 / 256)
    assert f"{math.exp(-10 * slopes[0]):.4f}" in said
    assert f"{math.exp(-10 * slopes[7]):.2f}" in said
