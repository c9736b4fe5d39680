"""The pairs of an encoding as hands that turn, and the rotation that moves all of them by a shift."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import ColourScale, FloatArray, MapPicture, ScaleKind
from attention_explorer.core.numerals import counted, scientific, signed
from attention_explorer.model.encodings import clock_angles, shift_matrix, sinusoidal_rows
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import (
    dimensions_of_pair,
    numbers_of,
    reason_without_table,
    wavelengths_of,
)

MATRIX_SIDE = 64
"""Most rows of R_k in the picture: its blocks of 2 × 2 would be lost among more."""


@dataclass(frozen=True, slots=True, eq=False)
class ClocksPicture:
    """Hands at a position p and where a shift k takes them; ``reason`` says why there are none."""

    state: PositionsState
    position: int
    shift: int
    rates: FloatArray  # (pairs,), θ_i in radians a position
    angles: FloatArray  # (pairs,), p·θ_i
    advances: FloatArray  # (pairs,), k·θ_i
    lengths: FloatArray  # (pairs,), wavelengths
    matrix: MapPicture | None = None
    residual: float | None = None
    residual_name: str = ""
    """The formula of the residual, or why there is none."""
    reason: str = ""

    @property
    def pairs(self) -> int:
        """How many hands there are."""
        return len(self.angles)


def clocks_picture(state: PositionsState, tiles: tuple[int, int]) -> ClocksPicture:
    """Return the hands at the position of the state; all of them, whatever ``tiles`` says: they are few numbers.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    position, shift = state.position_shown, state.shift_shown
    reason = kind_of(state).no_clocks or reason_without_table(state)
    if reason:
        nothing = np.empty(0)
        return ClocksPicture(state, position, shift, nothing, nothing, nothing, nothing, reason=reason)
    rates, angles, advances = np.array(clock_angles([1.0, position, shift], state.d_model, state.base))
    for hands in (rates, angles, advances):
        hands[kind_of(state).turning_pairs(len(rates)) :] = 0.0
    lengths = wavelengths_of(state)
    matrix, residual, name = None, None, "d_model is odd: the last sine has no cosine to be turned with"
    if not kind_of(state).adds:
        matrix, name = _rotary_matrix(numbers_of(state), shift), "‖rotary(x, p + k) − R_k rotary(x, p)‖"
        residual = _rotary_residual(state, position, shift)
    elif state.d_model % 2 == 0:
        matrix, name = _matrix(state.d_model, state.base, shift), "‖PE(p + k) − R_k PE(p)‖"
        residual = _residual(state, position, shift)
    return ClocksPicture(state, position, shift, rates, angles, advances, lengths, matrix, residual, name)


@kept
def _shift(d_model: int, base: float, shift: int) -> FloatArray:
    return np.asarray(shift_matrix(shift, d_model, base), np.float64)


@kept
def _matrix(d_model: int, base: float, shift: int) -> MapPicture:
    return _matrix_picture(_shift(d_model, base, shift)[:MATRIX_SIDE, :MATRIX_SIDE])


def _matrix_picture(corner: FloatArray) -> MapPicture:
    names = tuple(map(str, range(len(corner))))
    scale = ColourScale(ScaleKind.DIVERGING, -1.0, 1.0, "R_k")
    return MapPicture(
        corner, np.zeros(corner.shape, np.bool_), scale, "viridis", names, names, row_title="dimension", column_title=""
    )


def _residual(state: PositionsState, position: int, shift: int) -> float:
    start, end = sinusoidal_rows([position, position + shift], state.d_model, state.base)
    return float(np.linalg.norm(end - _shift(state.d_model, state.base, shift) @ start))


def _turned(state: PositionsState, rows: FloatArray, position: int) -> FloatArray:
    """Return rows (n, d_model) as rotary turns them at one position."""
    return kind_of(state).turned(state, rows, np.full(len(rows), float(position)))


@kept
def _rotary_matrix(state: PositionsState, shift: int) -> MapPicture:
    # Rotary turns columns of the identity into columns of its matrix; here rows are vectors, hence the transpose.
    if state.d_model <= MATRIX_SIDE:
        return _matrix_picture(_turned(state, np.eye(state.d_model), shift).T)
    return _matrix_picture(_turned(state, np.eye(MATRIX_SIDE, state.d_model), shift).T[:MATRIX_SIDE])


def _rotary_residual(state: PositionsState, position: int, shift: int) -> float:
    content = np.random.RandomState(state.seed).randn(1, state.d_model)
    twice = _turned(state, _turned(state, content, position), shift)
    return float(np.linalg.norm(_turned(state, content, position + shift) - twice))


# ---- Words ----


def clocks_headline(picture: ClocksPicture) -> str:
    """Return how far the hands have come."""
    turns = [_turns_text(float(angle)) for angle in picture.angles[[0, -1]]]
    made = f"made {turns[0]}" if picture.pairs == 1 else f"made {turns[0]}, the last {turns[1].split()[0]}"
    return f"At position {picture.position} the first hand has {made}."


def _turns_text(angle: float) -> str:
    turns = angle / (2 * math.pi)
    text = f"{turns:.1f}" if turns >= 10 else f"{turns:.2f}" if turns >= 0.01 or not turns else f"{turns:.1g}"
    return f"{text} turns"


def clocks_sentence(picture: ClocksPicture) -> str:
    """Return the sentence beside the clocks."""
    if not kind_of(picture.state).adds:
        return (
            "Nothing is added: pair i of a query or key is turned as far as the hand of clock i. Drag a hand: the "
            "position follows, and all other clocks with it."
        )
    return (
        f"Each clock gives two numbers: how far its hand points right (sine) and up (cosine). Together they are row "
        f"{picture.position}. Drag a hand: all others follow."
    )


def clocks_says(picture: ClocksPicture) -> tuple[str, ...]:
    """Return what a shift does to the hands."""
    fastest, slowest = f"{float(picture.advances[0]):.4g} rad", f"{float(picture.advances[-1]):.2g} rad"
    hands = f"{fastest} for the fastest hand and {slowest} for the slowest" if picture.pairs > 1 else fastest
    advance = f"A shift by k turns each hand by k·θ_i, whatever the position: for k = {picture.shift} by {hands}."
    if picture.residual is None:
        return advance, f"{picture.residual_name}."
    cause = ": exact" if picture.residual == 0 else ", which is rounding"
    return (
        advance,
        f"{picture.residual_name} {residual_text(picture)}{cause}.",
        "R_k is one 2 × 2 rotation for each pair; it is orthogonal and the same at every position.",
    )


def residual_text(picture: ClocksPicture) -> str:
    """Return the residual as it is written: = 0 or = 1.2·10⁻¹⁵."""
    if picture.residual is None:
        return ""
    return "= 0" if picture.residual == 0 else f"= {scientific(picture.residual)}"


def clock_words(picture: ClocksPicture, pair: int) -> str:
    """Return all about one hand."""
    first, *second = dimensions_of_pair(picture.state, pair)
    names = f"dimensions {first} and {second[0]}" if second else f"dimension {first}, a sine alone"
    return (
        f"pair {pair} ({names}): θ = {rate_text(float(picture.rates[pair]))}; at {picture.position} the hand stands at "
        f"{turn_text(float(picture.angles[pair]))}; k = {picture.shift} advances it by "
        f"{turn_text(float(picture.advances[pair]))}, whatever the position; "
        f"wavelength {wavelength_text(float(picture.lengths[pair]))}"
    )


def rate_text(rate: float) -> str:
    """Return θ with four digits."""
    return f"{rate:.4g}" if rate >= 1e-3 or not rate else scientific(rate)


def turn_text(angle: float) -> str:
    """Return an angle in radians and in degrees, whole turns apart: 7.500 rad (1 turn + 69.7°)."""
    turns, rest = divmod(angle, 2 * math.pi)
    degrees = f"{math.degrees(rest):.1f}°"
    if turns:
        degrees = f"{counted(round(turns), 'turn')} + {degrees}"
    return f"{angle:.3f} rad ({degrees})"


def matrix_words(picture: ClocksPicture, row: int, column: int) -> str:
    """Return a number of R_k with where it comes from."""
    if picture.matrix is None:
        return ""
    value = float(picture.matrix.values[row, column])
    where = f"R_{picture.shift}[{row}, {column}] = {signed(value, 5)}"
    for pair in range(picture.pairs):
        own = dimensions_of_pair(picture.state, pair)
        if row in own and column in own:
            sine = math.sin(picture.advances[pair])
            function = "cos" if row == column else "sin" if math.isclose(value, sine) else "−sin"
            return f"{where}: {function}(k·θ) of pair {pair}, k·θ = {float(picture.advances[pair]):.4f}"
    return f"{where}: dimensions {row} and {column} are not a pair"


def has_clocks(state: PositionsState) -> bool:
    """Whether the kind is made of hands that turn."""
    return kind_of(state).turns and not reason_without_table(state)
