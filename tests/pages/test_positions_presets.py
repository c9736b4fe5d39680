"""Every sentence of a preset is true in numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from attention_explorer.core.preset import preset_of
from attention_explorer.model.alibi import alibi_slopes
from attention_explorer.model.encodings import learned_encoding, sinusoidal_encoding, wavelengths
from attention_explorer.model.rotary import rotary
from attention_explorer.pages.positions.attention import position_attention_picture
from attention_explorer.pages.positions.clocks import clocks_picture
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.order import order_picture
from attention_explorer.pages.positions.similarity import similarity_picture
from attention_explorer.pages.positions.state import Likeness, PositionsState
from attention_explorer.pages.positions.ui.views import PART, view_of, views
from attention_explorer.pages.preset_lists import preset_list

POSITIONS_PRESETS = preset_list("positions")
positions_preset = partial(preset_of, preset_list("positions"))


def example(state: PositionsState) -> object:
    """Return the preset that a state is still that of, as the page asks it."""
    return view_of(state.picture).example(state)


def test_presets_are_unchanged_until_a_size_is_another() -> None:
    assert PART.presets is POSITIONS_PRESETS
    for ready in POSITIONS_PRESETS:
        assert example(ready.state) is ready
        longer = ready.state.with_sizes(length=ready.state.length + 1 if ready.state.length < 100 else 50)
        assert example(longer) is None
    assert example(positions_preset("sinusoidal").state.with_position(9)) is not None


def test_every_view_has_two_examples() -> None:
    for view in views():
        assert len(view.presets) >= 2


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


def test_eight_clocks_are_true() -> None:
    state = positions_preset("eight-clocks").state
    picture, said = clocks_picture(state, (0, 0)), positions_preset("eight-clocks").look_for
    assert picture.pairs == 8
    assert f"moves by {picture.lengths[0]:.2f}" in said
    assert f"{picture.lengths[3]:.0f} positions, more than" in said
    assert picture.lengths[3] > state.length


def test_fingerprints_are_true() -> None:
    ready = positions_preset("fingerprints")
    picture = similarity_picture(ready.state)
    assert ready.state.likeness is Likeness.DISTANCE
    assert picture.curve is not None
    assert f"{picture.curve[1]:.3f} between neighbours" in ready.look_for
    assert f"{picture.curve.max():.3f} at most" in ready.look_for
    assert picture.maps[0].values[~np.eye(64, dtype=bool)].min() > 1.0
    assert picture.rises
    assert picture.spreads[0].range < 1e-12 < 0.1 < picture.spreads[1].range


def test_the_product_of_rotary_is_true() -> None:
    spreads = similarity_picture(positions_preset("rotary-product").state).spreads
    assert max(spread.range for spread in spreads) < 1e-12


def test_lines_are_true() -> None:
    state = positions_preset("lines").state
    lines = [position_attention_picture(replace(state, kind=kind, query_position=at)) for at in (10, 40)
             for kind in (PositionKind.SINUSOIDAL, PositionKind.ROTARY)]  # fmt: skip
    assert lines[0].shown.lines[-1].at(3) != pytest.approx(lines[2].shown.lines[-1].at(3))
    assert lines[1].shown.lines[-1].at(3) == pytest.approx(lines[3].shown.lines[-1].at(3))


def test_nearsighted_is_true() -> None:
    ready = positions_preset("nearsighted")
    weights = position_attention_picture(ready.state).weights
    assert f"gives itself {weights[40]:.3f}" in ready.look_for
    assert f"together {weights[30:41].sum():.3f}" in ready.look_for
    flat = position_attention_picture(replace(ready.state, head=7)).weights
    assert f"gives itself {flat[40]:.3f} and the first key still {flat[0]:.3f}" in ready.look_for


@pytest.mark.parametrize(("identifier", "is_lost"), [("bag-of-words", True), ("order-matters", False)])
def test_what_is_said_of_order_is_true(identifier: str, is_lost: bool) -> None:
    state = positions_preset(identifier).state
    picture = order_picture(state)
    assert picture.outcomes[picture.shown].is_equivariant == is_lost
    masked = order_picture(replace(state, causal=True))
    assert not masked.outcomes[masked.shown].is_equivariant
