"""The words of the Positions page: titles, what a row comes to, and what is true of each kind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.numerals import coordinate
from attention_explorer.model.alibi import alibi_slopes
from attention_explorer.pages.positions.encoding import slope_words
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture, PositionsState
from attention_explorer.pages.positions.table import (
    FloatArray,
    angle_rates,
    encoding_at,
    pair_count,
    wavelength,
    wavelength_text,
)

KIND_NAMES = {
    PositionKind.NONE: "No encoding",
    PositionKind.SINUSOIDAL: "Sinusoidal encoding",
    PositionKind.LEARNED: "Learned encoding",
    PositionKind.ROTARY: "Rotary encoding",
    PositionKind.ALIBI: "ALiBi",
}
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
    return KIND_NAMES[state.kind] + (f": {what}" if what else "")


# ---- The encoding ----


def encoding_headline(state: PositionsState) -> str:
    """Return what the map of an encoding shows."""
    return {
        PositionKind.SINUSOIDAL: "Every position has its own row of waves.",
        PositionKind.LEARNED: "Before training, every position is noise.",
        PositionKind.ROTARY: "Every pair of dimensions turns at its own speed.",
        PositionKind.ALIBI: "Distance costs, and each head has its own rate.",
    }[state.kind]


def formulas(state: PositionsState) -> tuple[str, ...]:
    """Return how the numbers of a kind come about, a formula a line."""
    power = f"{coordinate(state.base)}^{{2 i/{state.d_model}}}"
    return {
        PositionKind.SINUSOIDAL: (f"PE(p, 2 i) = sin {{p}}/{{{power}}}", f"PE(p, 2 i + 1) = cos {{p}}/{{{power}}}"),
        PositionKind.ROTARY: (f"φ_i = {{p}}/{{{power}}}",),
        PositionKind.ALIBI: ("s_j = {q_i · k_j}/{√d_k} − m |i − j|",),
    }.get(state.kind, ())


def row_sentence(state: PositionsState) -> str:
    """Return what the numbers of the position of a state come to.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    if state.kind is PositionKind.ALIBI:
        slopes = alibi_slopes(state.heads)
        ends = " to ".join(dict.fromkeys((slope_words(float(slopes.max())), slope_words(float(slopes.min())))))
        return f"{ends} off the score for each position of distance."
    return norm_words(state, row_of(state))


def row_of(state: PositionsState) -> FloatArray:
    """Return the numbers of the position of a state, (d_model,)."""
    found = encoding_at(state, np.asarray([state.position_shown]), np.arange(state.d_model))
    return np.asarray(found[0])


def encoding_says(state: PositionsState) -> tuple[str, ...]:
    """Return what else is true of the numbers of an encoding."""
    found = verdict(state)
    truths = found.title, found.text
    if state.kind is PositionKind.ALIBI:
        added = "Added to the score q·k ÷ √d_k before the softmax: −slope · |i − j|."
        return (added, *truths, "Click a line or its name to see the map of that head.")
    if state.kind is PositionKind.LEARNED:
        return ("Columns have no wavelength, and a row is like the next only by chance.", *truths)
    last, power = pair_count(state) - 1, f"{coordinate(state.base)}^(2i/{state.d_model})"
    longest = f", {wavelength_text(wavelength(state, state.d_model - 1))} for i = {last}" if last else ""
    turned = "Pair i of a query or key at position p is turned by p / {0}; shown are cos and sin of that angle."
    made = turned if state.kind is PositionKind.ROTARY else "PE(p, 2i) = sin(p / {0}) and PE(p, 2i + 1) = cos(p / {0})."
    return (
        made.format(power),
        f"Also written p · exp(−2i · ln {coordinate(state.base)} / {state.d_model}): the same angle.",
        f"Wavelength 2π · {power}: {wavelength_text(wavelength(state, 0))} for i = 0{longest}.",
        *truths,
        "Click a column to draw its wave; click a row’s number or a wave to move there.",
    )


def norm_words(state: PositionsState, row: FloatArray) -> str:
    """Return the length of a row (d_model,) with what is to be expected of it."""
    norm = float(np.linalg.norm(row))
    if state.kind is PositionKind.LEARNED:
        expected = 0.02 * math.sqrt(state.d_model)
        return f"Its norm is {norm:.4g}; about 0.02 · √{state.d_model} = {expected:.4g} is expected."
    if state.d_model % 2:
        return f"Its norm is {norm:.4f}; the norm differs from position to position, as the last sine has no cosine."
    return f"Its norm is {norm:.4f} = √({state.d_model}/2), the same for every position: sin² + cos² = 1 in each pair."


# ---- What is true of each kind ----


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to make of a kind of encoding."""

    title: str
    text: str


def verdict(state: PositionsState) -> Verdict:
    """Return what is true of the kind of a state, with its numbers."""
    return _VERDICTS[state.kind](state)


def _of_none(_state: PositionsState) -> Verdict:
    return Verdict(
        "Without an encoding, attention cannot see the order.",
        "Shuffle the words, and the outputs are the same rows in the new order: to attention a sentence is a bag of "
        "words. A causal mask changes that, because each word then sees only itself and the words before it.",
    )


def _of_sinusoid(state: PositionsState) -> Verdict:
    rates = angle_rates(state)
    fastest, slowest = (wavelength_text(2 * math.pi / rate) for rate in (float(rates[0]), float(rates[-1])))
    waves = f"The wavelengths go from {fastest} to {slowest} positions."
    if fastest == slowest:
        waves = f"Every wave is {fastest} positions long."
    if state.d_model % 2:
        return Verdict(
            "Every position has a fingerprint, but the last sine has no cosine.",
            f"{waves} d_model is odd. A shift rotates each pair of sine and cosine, but not the last sine, which is "
            "alone; so PE(p)·PE(q) depends on p and q, not on p − q alone. An even d_model has no such sine.",
        )
    return Verdict(
        "Every position has a fingerprint, and a shift is a rotation.",
        f"{waves} PE(p)·PE(q) depends on p − q alone, but it need not fall as the distance grows, and after random "
        "W_q and W_k it depends on p and q. A model can learn relative positions from this; it does not get them for "
        "free.",
    )


def _of_learned(state: PositionsState) -> Verdict:
    return Verdict(
        "Each position is a free vector, random until trained.",
        f"Before training, neighbours are alike only by chance. Position {state.length} has no vector at all: such a "
        "model cannot read a text longer than it was made for.",
    )


def _of_rotary(state: PositionsState) -> Verdict:
    layouts = (
        " The two layouts pair different dimensions: weights trained with one do not work with the other."
        if state.d_model > 2
        else ""
    )
    return Verdict(
        "Turned, not added: the score depends on the offset alone.",
        "Queries and keys are turned by p·θ before their product, so q·k depends on their offset alone, whatever W_q "
        f"and W_k are, and every vector keeps its length.{layouts}",
    )


def _of_alibi(state: PositionsState) -> Verdict:
    slopes = alibi_slopes(state.heads)
    steep, flat = float(slopes.max()), float(slopes.min())
    factor = f"e^(−10·{slope_words(steep)}) = {math.exp(-10 * steep):.3g}"
    if state.heads > 1:
        factor += f" in the steepest head and by {math.exp(-10 * flat):.3g} in the flattest,"
    return Verdict(
        "Distance costs, and each head has its own rate.",
        f"Ten positions away, a weight is multiplied by {factor} before it is normalised. "
        "Nothing is added to the embeddings, and texts may have any length.",
    )


_VERDICTS = {
    PositionKind.NONE: _of_none,
    PositionKind.SINUSOIDAL: _of_sinusoid,
    PositionKind.LEARNED: _of_learned,
    PositionKind.ROTARY: _of_rotary,
    PositionKind.ALIBI: _of_alibi,
}
