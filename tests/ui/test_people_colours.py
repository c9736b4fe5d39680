"""Colours can be told from their ground, and from one another, with every kind of colour vision: by computation."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from PySide6.QtGui import QColor

from attention_explorer.kit.drawing.colour_maps import (
    DIVERGING,
    GRAPHICS_CONTRAST,
    SEQUENTIAL,
    TEXT_CONTRAST,
    colour_table,
    contrast,
    luminance,
    readable_ink,
)
from attention_explorer.kit.theme import PRINT, THEMES, Theme

# Machado, Oliveira, Fernandes (2009), doi:10.1109/TVCG.2009.113: full loss of one kind of cone, for linear sRGB.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
FAR_ENOUGH = 12.0
"""In CIELAB; about 2 can just be seen side by side, 10 and more at a glance. Labels and shapes say it again."""

ROLES = ("query", "key", "value", "output", "loss")
INKS = ("text", "muted", *(f"{role}_ink" for role in ROLES))
GROUNDS = ("window", "rail", "card", "plane", "note", "track", "masked")
SIGNS = (*ROLES, "axis", "focus", "strong")
EVERYWHERE = pytest.mark.parametrize("theme", [*THEMES, PRINT], ids=lambda theme: theme.name)


def colour(theme: Theme, name: str) -> QColor:
    return QColor(getattr(theme, name))


def linear(names: np.ndarray) -> np.ndarray:
    """Return linear sRGB (n, 3) of colours (n,) as 0xRRGGBB."""
    parts = np.stack([(names >> 16) & 255, (names >> 8) & 255, names & 255], -1) / 255.0
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return CIELAB (n, 3), under D65, of linear sRGB (n, 3)."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    xyz = np.clip(rgb, 0, 1) @ to_xyz.T / np.array([0.95047, 1.0, 1.08883])
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def seen(colours: np.ndarray, vision: str) -> np.ndarray:
    """Return colours (n,) in CIELAB as people with a kind of vision see them."""
    return lab(linear(colours) @ VISIONS[vision].T)


def test_the_measures_themselves():
    white, black, red = QColor("#ffffff"), QColor("#000000"), QColor("#ff0000")
    assert contrast(white, black) == pytest.approx(21.0)
    assert contrast(red, white) == pytest.approx(3.998, abs=1e-3)
    assert contrast(red, red) == 1.0
    assert luminance(QColor("#777777")) == pytest.approx(0.1845, abs=1e-4)
    # Red of full strength, from the colour calculators: L* 53.24, a* 80.09, b* 67.20.
    np.testing.assert_allclose(seen(np.array([0xFF0000]), "usual"), [[53.24, 80.09, 67.20]], atol=0.02)
    grey = np.array([0x808080])
    for vision in VISIONS:  # grey is grey to everybody
        np.testing.assert_allclose(seen(grey, vision), seen(grey, "usual"), atol=0.05)


# ---- Contrast ----


@EVERYWHERE
def test_text_can_be_read_on_every_ground(theme):
    grounds = {name: colour(theme, name) for name in GROUNDS}
    grounds |= {f"tint {number}": QColor(tint) for number, tint in enumerate(theme.tints)}
    faint = {
        (ink, name): round(contrast(colour(theme, ink), ground), 2)
        for ink in INKS
        for name, ground in grounds.items()
        if contrast(colour(theme, ink), ground) < TEXT_CONTRAST
    }
    assert not faint


@EVERYWHERE
@pytest.mark.parametrize(
    ("ink", "ground"),
    [("strong_text", "strong"), ("card", "focus"), ("focus", "card"), ("text", "track"), ("key_ink", "card")],
)
def test_text_in_controls_can_be_read(theme, ink, ground):
    assert contrast(colour(theme, ink), colour(theme, ground)) >= TEXT_CONTRAST


@EVERYWHERE
def test_what_is_drawn_stands_out(theme):
    faint = {
        (sign, ground): round(contrast(colour(theme, sign), colour(theme, ground)), 2)
        for sign in SIGNS
        for ground in ("window", "card", "plane", "note")
        if contrast(colour(theme, sign), colour(theme, ground)) < GRAPHICS_CONTRAST
    }
    # Gold on white: any darker, and many could not tell it from the query. It has an edge in the colour of its ink.
    assert set(faint) <= {("output", ground) for ground in ("window", "card", "plane", "note")}
    assert contrast(colour(theme, "output_ink"), colour(theme, "plane")) >= TEXT_CONTRAST
    assert contrast(colour(theme, "focus_on_strong"), colour(theme, "strong")) >= GRAPHICS_CONTRAST


@pytest.mark.parametrize("name", [*SEQUENTIAL, DIVERGING])
def test_numbers_can_be_read_on_every_colour_of_a_map(name):
    for pixel in colour_table(name).tolist():
        assert contrast(readable_ink(pixel), QColor.fromRgb(pixel)) >= TEXT_CONTRAST


def test_numbers_can_be_read_on_every_grey():
    for grey in range(256):
        assert contrast(readable_ink(grey * 0x010101), QColor(grey, grey, grey)) >= TEXT_CONTRAST


# ---- Colour vision ----


@EVERYWHERE
@pytest.mark.parametrize("vision", VISIONS)
def test_roles_are_told_apart(theme, vision):
    names = np.array([int(getattr(theme, role)[1:], 16) for role in ROLES])
    places = seen(names, vision)
    near = {
        (ROLES[one], ROLES[other]): round(float(np.linalg.norm(places[one] - places[other])), 1)
        for one, other in combinations(range(len(ROLES)), 2)
        if np.linalg.norm(places[one] - places[other]) < FAR_ENOUGH
    }
    assert not near


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("name", SEQUENTIAL)
def test_maps_of_weights_grow_lighter_for_everybody(name, vision):
    lightness = seen(colour_table(name) & 0xFFFFFF, vision)[:, 0]
    steps = np.diff(lightness)
    assert lightness[-1] - lightness[0] > 55
    assert (steps > -0.6).all()  # a step of one in 256 of sRGB is as much
    assert (np.diff(lightness[::8]) > 0).all()


@pytest.mark.parametrize("vision", VISIONS)
def test_the_map_of_signs_grows_darker_to_both_sides(vision):
    colours = seen(colour_table(DIVERGING) & 0xFFFFFF, vision)
    middle = len(colours) // 2
    below, above = colours[: middle + 1, 0], colours[middle:, 0]
    assert all(one < other for one, other in pairwise(below[::8]))
    assert all(one > other for one, other in pairwise(above[::8]))
    for share in (0.0, 0.15, 0.3):  # where it is as dark, the two sides differ in hue
        place = round(share * middle)
        assert np.linalg.norm(colours[place] - colours[-1 - place]) > FAR_ENOUGH
