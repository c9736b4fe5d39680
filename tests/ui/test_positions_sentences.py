"""What the Positions page says, at odd sizes, single positions and single heads too, against numbers of the model."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest

from attention_explorer.core.preset import preset_of
from attention_explorer.model import learned_encoding, sinusoidal_encoding
from attention_explorer.pages.positions.clocks import clocks_picture
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import Likeness, PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import view_of
from attention_explorer.pages.preset_lists import preset_list

positions_preset = partial(preset_of, preset_list("positions"))

SINUSOIDAL, LEARNED, ROTARY, ALIBI = (PositionKind(kind) for kind in ("sinusoidal", "learned", "rotary", "ALiBi"))


def said(picture: PositionsPicture, kind: PositionKind = SINUSOIDAL, **changes: object) -> str:
    """Return all sentences beside a picture, and what is true of its kind and of the row beside the map."""
    state = PositionsState(kind=kind, picture=picture, **changes)
    shown = view_of(picture).picture
    words = [line.text for line in shown.notes(shown.compute(state, (600, 600)))]
    row = view_of(PositionsPicture.ENCODING).picture
    return " ".join([*words, *(line.text for line in row.notes(row.compute(state, (600, 600))))])


def settings(picture: PositionsPicture, **changes: object) -> str:
    """Return what a caption says of the numbers."""
    return view_of(picture).settings(PositionsState(picture=picture, **changes)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("likeness", Likeness)
@pytest.mark.parametrize("picture", PositionsPicture)
@pytest.mark.parametrize("d_model", [1, 2, 3, 4, 5, 64])
def test_the_offset_alone_decides_only_where_it_does(
    picture: PositionsPicture, d_model: int, likeness: Likeness
) -> None:
    pe = sinusoidal_encoding(40, d_model)
    along = [np.ptp(np.diagonal(pe @ pe.T, offset)) for offset in range(40)]
    text = said(picture, d_model=d_model, length=40, likeness=likeness)
    claims = (
        "a shift is a rotation",
        "depends on p − q alone",
        "the offset alone: every diagonal",
        "the same for every",
    )
    assert any(claim in text for claim in claims) == (max(along) < 1e-9)
    assert ("the last sine has no cosine" in text) == (d_model % 2 == 1)


def test_products_are_told_of_position_0_where_they_differ_from_place_to_place() -> None:
    text = said(PositionsPicture.SIMILARITY, d_model=5)
    pe = sinusoidal_encoding(64, 5)
    assert f"Position 0 has {pe[0] @ pe[0]:.3f} with itself and {pe[0] @ pe[1]:.3f} with position 1." in text
    assert "no longer decides" not in text


def test_the_residual_of_the_clocks_is_below_the_hint_wherever_one_goes() -> None:
    ready = positions_preset("clocks")
    assert "within 2·10⁻¹⁴" in ready.look_for
    places = itertools.product(range(0, 100, 3), range(0, 100, 5))
    pictures = [clocks_picture(ready.state.with_position(p).with_shift(k), (4, 4)) for p, k in (*places, (99, 85))]
    assert 1e-14 < max(picture.residual or 0.0 for picture in pictures) < 2e-14


# ---- What it does to attention ----


@pytest.mark.parametrize("scale", [0.0, 1.0, 100.0])
def test_the_noise_of_an_untrained_encoding_is_measured(scale: float) -> None:
    shown = view_of(PositionsPicture.ATTENTION).picture
    state = PositionsState(LEARNED, 64, 512, picture=PositionsPicture.ATTENTION, embedding_scale=scale)
    picture = shown.compute(state, (600, 600))
    (number,) = [line.text.split(" varies by ")[1] for line in shown.notes(picture) if " varies by " in line.text]
    if scale == 100.0:
        assert float(number.removesuffix(".")) == pytest.approx(np.ptp(picture.scores), abs=0.005)
        assert np.ptp(picture.scores) > 1.0, "which nobody would call hardly anything"


# ---- Order ----


# ---- Settings under a picture ----

USED = {
    PositionsPicture.ENCODING: {"length": 9, "d_model": 9, "base": 9.0},
    PositionsPicture.SIMILARITY: {"length": 9, "d_model": 9, "base": 9.0, "seed": 9},
    PositionsPicture.ATTENTION: {"causal": True, "concatenated": True, "embedding_scale": 9.0, "heads": 9, "seed": 9},
    PositionsPicture.ORDER: {"causal": True, "embedding_scale": 9.0, "heads": 4, "d_model": 32, "base": 9.0, "seed": 9},
}
UNUSED = {
    PositionsPicture.ENCODING: {"heads": 4, "seed": 9, "causal": True, "concatenated": True, "embedding_scale": 9.0},
    PositionsPicture.SIMILARITY: {"heads": 4, "causal": True, "concatenated": True, "embedding_scale": 9.0},
    PositionsPicture.ORDER: {"length": 9, "concatenated": True, "d_model": 512},
}


@pytest.mark.parametrize(("fields", "are_told"), [(USED, True), (UNUSED, False)])
def test_settings_name_what_decides_the_numbers_and_nothing_else(
    fields: dict[PositionsPicture, dict[str, object]], are_told: bool
) -> None:
    for picture, changes in fields.items():
        usual = settings(picture)
        for name, value in changes.items():
            told = settings(picture, **{name: value})
            assert (told != usual) == are_told, (picture, name)


def test_an_untrained_row_is_no_more_like_the_next_than_like_another() -> None:
    rows = learned_encoding(64, 64, 42)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = units @ units.T
    assert abs(np.diagonal(likeness, 1).mean() - likeness[np.triu_indices(64, 2)].mean()) < 0.02
    assert "neighbours are alike only by chance" in said(PositionsPicture.ENCODING, LEARNED)
