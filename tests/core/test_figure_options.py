"""Sizes and options of figures: what is asked for, and what is refused in words."""

from __future__ import annotations

import math

import pytest

from attention_explorer.core.figure_options import COMMON_WIDTHS, FigureOptions, Length, LengthUnit, length_from
from attention_explorer.errors import ExportError


@pytest.mark.parametrize(
    ("text", "inches"),
    [
        ("89mm", 89 / 25.4),
        (" 89 MM ", 89 / 25.4),
        ("8.9 cm", 89 / 25.4),
        ("8,9cm", 89 / 25.4),
        ("3.25in", 3.25),
        ("3.25 inch", 3.25),
        ("72pt", 1.0),
        ("1200 px", 12.5),
        (".5in", 0.5),
    ],
)
def test_a_width_is_read_in_every_unit(text, inches):
    assert length_from(text).inches(96) == pytest.approx(inches)


@pytest.mark.parametrize("text", ["natural", " Natural ", ""])
def test_the_natural_width_is_none(text):
    assert length_from(text) is None


@pytest.mark.parametrize("text", ["89", "mm", "wide", "89 furlongs", "-89mm", "1e3 mm", "nan mm", "8 9 mm", "89 mm 3"])
def test_what_is_no_width_is_refused_with_an_example(text):
    with pytest.raises(ExportError, match="like 89mm, or “natural”"):
        length_from(text)


@pytest.mark.parametrize("text", ["0mm", "0.0 in"])
def test_no_width_at_all_is_refused(text):
    with pytest.raises(ExportError, match="width above 0"):
        length_from(text)


@pytest.mark.parametrize("text", ["1mm", "10mm", "99999999999 px", "6000mm"])
def test_a_width_that_no_paper_has_is_refused(text):
    with pytest.raises(ExportError, match=r"10\.2 mm to 5 m"):
        length_from(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_a_length_is_a_number_above_zero(value):
    with pytest.raises(ExportError, match="cannot be"):
        Length(value)


@pytest.mark.parametrize("dpi", [0.0, -1.0, math.nan, math.inf])
def test_a_resolution_is_a_number_above_zero(dpi):
    with pytest.raises(ExportError, match="no resolution"):
        FigureOptions(dpi=dpi)


def test_a_pixel_is_one_of_the_png_at_its_resolution():
    options = FigureOptions(dpi=288, width=Length(600, LengthUnit.PX))
    assert options.wide_in_pixels(is_raster=True) == pytest.approx(200)
    assert options.wide_in_pixels(is_raster=False) == pytest.approx(600)
    assert FigureOptions().wide_in_pixels(is_raster=True) is None


def test_every_width_that_is_offered_can_be_typed():
    for _, width in COMMON_WIDTHS:
        assert width is None or length_from(str(width)) == width
