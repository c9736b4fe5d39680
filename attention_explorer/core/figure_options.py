"""How a figure is to be written: kind of file, size, resolution, colours, and which of its parts. No Qt."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.errors import ExportError, quoted

PIXELS_PER_INCH = 96
"""A figure is laid out in pixels of this size; they are the px of SVG and CSS."""
MILLIMETRES_PER_INCH = 25.4
USUAL_DPI = 192.0
LEAST_DPI, MOST_DPI = 24.0, 2400.0
NARROWEST, WIDEST = 0.4, 200.0
"""Inches."""

_LENGTH = re.compile(r"\s*([0-9]*[.,]?[0-9]+)\s*(mm|cm|in|inch|px|pt)\s*", re.IGNORECASE)


class LengthUnit(StrEnum):
    """What a width is given in. A pixel is one of the PNG at its resolution; in SVG and PDF it is 1/96 inch."""

    MM = "mm"
    INCH = "in"
    PX = "px"


class FigureTheme(StrEnum):
    """The colours of a figure: black on white for paper, or those of a screen."""

    PRINT = "print"
    LIGHT = "light"
    DARK = "dark"


class Cells(StrEnum):
    """What the cells of maps become in SVG and PDF."""

    AUTO = "auto"
    """Rectangles, but one image for a map of so many cells that nobody would edit them one by one."""
    RECTANGLES = "rectangles"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Length:
    """How wide a figure is to be.

    Raises
    ------
    ExportError
        It is not a number above 0, or far from any paper or screen.
    """

    value: float
    unit: LengthUnit = LengthUnit.MM

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and self.value > 0):
            raise ExportError(f"A figure cannot be {self.value:g} {self.unit} wide. Give a width above 0, like 89 mm.")
        if not NARROWEST <= self.inches(PIXELS_PER_INCH) <= WIDEST:
            raise ExportError(f"A figure of {self} is out of reach. Give a width from 10.2 mm to 5 m.")

    def inches(self, dpi: float) -> float:
        """Return the length in inches; ``dpi`` tells how large a pixel is."""
        per_inch = {LengthUnit.MM: MILLIMETRES_PER_INCH, LengthUnit.INCH: 1.0, LengthUnit.PX: dpi}
        return self.value / per_inch[self.unit]

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}"


def length_from(text: str) -> Length | None:
    """Return the width that a text asks for: 89mm, 3.5 in, 1200px; None for “natural”.

    Raises
    ------
    ExportError
        It is none of these.
    """
    if text.strip().lower() in ("natural", ""):
        return None
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise ExportError(f"{quoted(text)} is no width. Write a number with mm, cm, in or px, like 89mm, or “natural”.")
    value, unit = float(found[1].replace(",", ".")), found[2].lower()
    match unit:
        case "cm":
            return Length(10 * value, LengthUnit.MM)
        case "pt":
            return Length(value / 72, LengthUnit.INCH)
        case "inch":
            return Length(value, LengthUnit.INCH)
        case _:
            return Length(value, LengthUnit(unit))


def resolution_from(text: str) -> float:
    """Return the dots per inch that a text asks for.

    Raises
    ------
    ExportError
        It is no number, or out of reach.
    """
    try:
        dpi = float(text.strip().lower().removesuffix("dpi").replace(",", "."))
    except ValueError:
        raise ExportError(f"{quoted(text)} is not a resolution. Write dots per inch, like 300.") from None
    if not LEAST_DPI <= dpi <= MOST_DPI:
        raise ExportError(f"A resolution of {dpi:g} dpi is out of reach. Give {LEAST_DPI:g} to {MOST_DPI:g}.")
    return dpi


COMMON_WIDTHS: tuple[tuple[str, Length | None], ...] = (
    ("Natural", None),
    ("One column, 89 mm", Length(89)),
    ("One and a half columns, 120 mm", Length(120)),
    ("Two columns, 183 mm", Length(183)),
    ("Text on A4, 160 mm", Length(160)),
    ("A4 page, 210 mm", Length(210)),
    ("One column of a conference, 3.25 in", Length(3.25, LengthUnit.INCH)),
    ("Full-HD slide, 1920 px", Length(1920, LengthUnit.PX)),
)
"""Widths that papers, pages and slides ask for, by what they are called."""


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """What dialog, clipboard, command line and tests say about a figure that is written.

    Attributes
    ----------
    format : str
        The suffix of the kind of file, like ``.png``; empty takes that of the path.
    dpi : float
        Pixels per inch of a PNG, stored in the file; its pixels if no width in px is given.
    width : Length or None
        None for the width that suits the figure. A figure that can is laid out for the width, so that its words stay
        readable; another is made larger or smaller as a whole.
    theme : FigureTheme
        The colours.
    title, axis_names, colour_bar, caption : bool
        Whether these are drawn.
    cells : Cells
        What the cells of maps become in SVG and PDF.
    token_labels : bool
        Whether the tokens stand beside maps and lines.

    Raises
    ------
    ExportError
        The resolution is out of reach.
    """

    format: str = ""
    dpi: float = USUAL_DPI
    width: Length | None = None
    theme: FigureTheme = FigureTheme.PRINT
    title: bool = True
    axis_names: bool = True
    colour_bar: bool = True
    caption: bool = True
    cells: Cells = Cells.AUTO
    token_labels: bool = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.dpi) and self.dpi > 0):
            raise ExportError(f"There is no resolution of {self.dpi:g} dpi. Give {LEAST_DPI:g} to {MOST_DPI:g}.")

    def wide_in_pixels(self, *, is_raster: bool) -> float | None:
        """Return the width in pixels of 1/96 inch, None for the natural one."""
        if self.width is None:
            return None
        return self.width.inches(self.dpi if is_raster else PIXELS_PER_INCH) * PIXELS_PER_INCH
