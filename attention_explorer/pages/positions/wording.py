"""The words of the Positions page: titles, what a row holds, and what is true of each kind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.numerals import coordinate, counted
from attention_explorer.model.alibi import alibi_slopes
from attention_explorer.pages.positions.encoding import slope_words
from attention_explorer.pages.positions.order import WIDEST, heads_used
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture, PositionsState
from attention_explorer.pages.positions.table import (
    TURNING,
    FloatArray,
    IntArray,
    angle_rates,
    encoding_at,
    reason_without_table,
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
RANDOM_PICTURES = (PositionsPicture.SIMILARITY, PositionsPicture.ATTENTION, PositionsPicture.ORDER)
"""Those with random contents and projections whatever the kind."""
ROW_DIMENSIONS = 12
"""So many numbers of a row are listed."""


def picture_title(state: PositionsState) -> str:
    """Return what the large picture shows."""
    what = PICTURE_TITLES[state.picture]
    return KIND_NAMES[state.kind] + (f": {what}" if what else "")


def shape_badge(state: PositionsState) -> str:
    """Return the shape of the encoding: (64, 64); of ALiBi that of its biases."""
    if state.kind is PositionKind.NONE or state.picture is PositionsPicture.ORDER:
        return ""
    if state.kind is PositionKind.ALIBI:
        return f"({state.heads}, {state.length}, {state.length})"
    return f"({state.length}, {state.d_model})"


# ---- A row ----


@dataclass(frozen=True, slots=True)
class RowReading:
    """The numbers of one position, and what they come to."""

    title: str
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    summary: tuple[str, ...] = ()


def row_reading(state: PositionsState) -> RowReading:
    """Return the numbers of the position of a state, the first of them if they are many.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    position = state.position_shown
    if state.kind is PositionKind.ALIBI:
        slopes = alibi_slopes(state.heads).tolist()
        names = state.count.all_of(min(len(slopes), ROW_DIMENSIONS))
        ends = list(dict.fromkeys((slope_words(max(slopes)), slope_words(min(slopes)))))
        said = f"{' to '.join(ends)} off the score for each position of distance."
        return RowReading(f"Slopes by head, {state.count.value}", names, tuple(slopes[:ROW_DIMENSIONS]), (said,))
    if reason_without_table(state):
        why = "there is no encoding" if state.kind is PositionKind.NONE else "an odd d_model leaves a dimension alone"
        return RowReading(f"Position {position}", summary=(f"No numbers: {why}.",))
    row = _row(state, np.arange(state.d_model))
    shown = row[:ROW_DIMENSIONS].tolist()
    names = tuple(str(dimension) for dimension in range(len(shown)))
    title = f"PE[{position}]" if state.kind is not PositionKind.ROTARY else f"cos and sin at position {position}"
    first = () if len(shown) == state.d_model else (f"The first {len(shown)} of {state.d_model} dimensions.",)
    return RowReading(title, names, tuple(shown), (*first, norm_words(state, row)))


def _row(state: PositionsState, dimensions: IntArray) -> FloatArray:
    return np.asarray(encoding_at(state, np.asarray([state.position_shown]), dimensions)[0])


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


def description(state: PositionsState) -> str:
    """Return the picture in words, for those who cannot see it."""
    return f"{picture_title(state)}. {settings_words(state)}. {verdict(state).text}"


def settings_words(state: PositionsState) -> str:
    """Return what the numbers of the picture were made with."""
    order, is_random = state.picture is PositionsPicture.ORDER, state.picture in RANDOM_PICTURES
    all_kinds = order or state.picture is PositionsPicture.ATTENTION
    alibi = state.kind is PositionKind.ALIBI
    d_model = min(state.d_model, WIDEST) if order else state.d_model
    heads = heads_used(d_model, state.heads) if order else state.heads
    parts = (
        (counted(state.length, "position"), not order),
        (counted(d_model, "dimension"), not alibi or is_random),
        (counted(heads, "head"), alibi or all_kinds),
        (f"base {coordinate(state.base)}", state.kind in TURNING or all_kinds),
        (f"pairs {state.layout.value}", state.kind is PositionKind.ROTARY or all_kinds),
        (f"seed {state.seed}", state.kind is PositionKind.LEARNED or is_random),
        ("causal mask", state.causal and all_kinds),
        (f"embeddings × {coordinate(state.embedding_scale)}", state.embedding_scale != 1.0 and all_kinds),
        ("encodings concatenated", state.concatenated and all_kinds and not order),
    )
    return ", ".join(words for words, is_said in parts if is_said)
