"""The words of the Positions page: titles, what a row comes to, and what is true of each kind."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import coordinate
from attention_explorer.model.alibi import alibi_slopes
from attention_explorer.pages.positions.kinds.alibi import slope_words
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.table import (
    encoding_at,
    pair_count,
    wavelength,
)

PICTURE_TITLES = {
    PositionsPicture.ENCODING: "",
    PositionsPicture.CLOCKS: "as clocks",
    PositionsPicture.SIMILARITY: "how alike two positions are",
    PositionsPicture.ATTENTION: "what it does to attention",
    PositionsPicture.ORDER: "shuffling the words",
}


def picture_title(state: PositionsState) -> str:
    """Return what the large picture shows."""
    what = PICTURE_TITLES[state.picture]
    return kind_of(state).name + (f": {what}" if what else "")


# ---- The encoding ----


def encoding_headline(state: PositionsState) -> str:
    """Return what the map of an encoding shows."""
    return kind_of(state).headline


def row_sentence(state: PositionsState) -> str:
    """Return what the numbers of the position of a state come to.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    if kind_of(state).has_slopes:
        slopes = alibi_slopes(state.heads)
        ends = " to ".join(dict.fromkeys((slope_words(float(slopes.max())), slope_words(float(slopes.min())))))
        return f"{ends} off the score for each position of distance."
    return kind_of(state).norm(state, float(np.linalg.norm(row_of(state))))


def row_of(state: PositionsState) -> FloatArray:
    """Return the numbers of the position of a state, (d_model,)."""
    found = encoding_at(state, np.asarray([state.position_shown]), np.arange(state.d_model))
    return np.asarray(found[0])


def encoding_says(state: PositionsState) -> tuple[str, ...]:
    """Return what else is true of the numbers of an encoding."""
    kind, found = kind_of(state), kind_of(state).verdict(state)
    truths = found.title, found.text
    if kind.has_slopes:
        added = "Added to the score q·k ÷ √d_k before the softmax: −slope · |i − j|."
        return (added, *truths, "Click a line or its name to see the map of that head.")
    if not kind.turns:
        return ("Columns have no wavelength, and a row is like the next only by chance.", *truths)
    last, power = pair_count(state) - 1, f"{coordinate(state.base)}^(2i/{state.d_model})"
    longest = f", {wavelength_text(wavelength(state, state.d_model - 1))} for i = {last}" if last else ""
    return (
        kind.made.replace("{}", power),
        f"Also written p · exp(−2i · ln {coordinate(state.base)} / {state.d_model}): the same angle.",
        f"Wavelength 2π · {power}: {wavelength_text(wavelength(state, 0))} for i = 0{longest}.",
        *truths,
        "Click a column to draw its wave; click a row’s number or a wave to move there.",
    )
