"""What attention does with V and X multiplied by a number: linear in the values, not in the tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.numerals import exact, signed, size_text
from attention_explorer.model import NormPlacement
from attention_explorer.pages.stack.stack import block_stack, block_trace, feature_map, without_view
from attention_explorer.pages.stack.state import BlockState

FACTORS = (-10.0, -5.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Where the slider stops."""
TITLES = ("V", "X")
NO_PROOF = (-1.0, 0.0, 1.0)
"""Factors that attention follows in X too, though it is not linear: −1 leaves all scores as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """What came of multiplying one thing, each (n, d_model)."""

    found: FloatArray
    """The output with V, or X, multiplied."""
    expected: FloatArray
    """The output without, multiplied."""

    @property
    def difference(self) -> FloatArray:
        """What the two differ by."""
        return np.asarray(self.found - self.expected)

    @property
    def error(self) -> float:
        """The largest difference."""
        return float(np.abs(self.difference).max())


@dataclass(frozen=True, slots=True, eq=False)
class LinearPicture:
    """Multi-head attention of one layer, of the first sequence; V first, then X."""

    state: BlockState
    tokens: tuple[str, ...]
    by: tuple[Scaled, Scaled]
    maps: tuple[MapPicture, ...]
    """Of V: found, expected, difference; then the same of X."""
    moved: float
    """By how much a weight changes at most if X is multiplied."""

    @property
    def factor(self) -> float:
        """By what was multiplied."""
        return self.state.factor


def linear_picture(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> LinearPicture:
    """Multiply V, then X, by the factor of a state, and compare.

    Raises
    ------
    ExplorerError
        What the state asks for cannot be computed.
    """
    tokens, by, moved = _compared(_decisive(state))
    return LinearPicture(state, tokens, by, _maps(tokens, by), moved)


def _decisive(state: BlockState) -> BlockState:
    plain = replace(without_view(state), biases=False, gains=False, mask=MaskChoice())
    return replace(plain, layer=state.layer_shown, factor=state.factor)


@kept
def _compared(state: BlockState) -> tuple[tuple[str, ...], tuple[Scaled, Scaled], float]:
    whole, trace = block_stack(state), block_trace(state).layers[state.layer]
    attention, x = whole.stack.layers[state.layer].attention, trace.attention.before[0]
    plain, scaled = attention(x, mask=whole.mask), attention(x * state.factor, mask=whole.mask)
    # The same weights, other values: attention as a function of V alone.
    with_v = attention.project_output(plain.weights @ (plain.v * state.factor))
    by = Scaled(np.asarray(with_v), plain.output * state.factor), Scaled(scaled.output, plain.output * state.factor)
    return whole.tokens, by, float(np.abs(scaled.weights - plain.weights).max())


def _maps(tokens: tuple[str, ...], by: tuple[Scaled, Scaled]) -> tuple[MapPicture, ...]:
    """Return all maps on two scales: outputs on one, differences on the other."""
    outputs = max(float(np.abs(array).max()) for each in by for array in (each.found, each.expected))
    differences = max(each.error for each in by)
    maps = []
    for each in by:
        for array, end in ((each.found, outputs), (each.expected, outputs), (each.difference, differences)):
            maps.append(feature_map(array, tokens, end=end))
    return tuple(maps)


# ---- Words ----


def is_rounding(by: Scaled) -> bool:
    """Whether there is a difference, and only because numbers are rounded."""
    return 0.0 < by.error <= 1e-9 * float(np.abs(by.expected).max())


def linear_headline(picture: LinearPicture) -> str:
    """Return what follows a factor."""
    by_v, by_x = picture.by
    tests = picture.factor not in NO_PROOF
    if not by_v.expected.any() and picture.factor != 0.0:
        return "Nothing comes out: 0 times anything is 0."
    if len(picture.tokens) == 1:
        return "One token: linear in V and in X."
    if not tests and by_x.error == 0.0:
        return f"Linear in V. Times {exact(picture.factor)} does not test X."
    return (
        "Linear in V, and here in X too."
        if tests and (not by_x.error or is_rounding(by_x))
        else "Linear in V, not in X."
    )


def linear_panel(picture: LinearPicture) -> str:
    """Return the sentence beside the maps of what is left over."""
    c = exact(picture.factor)
    if len(picture.tokens) == 1:
        return "One token has one weight, which is 1 whatever X is. Write a second word."
    if picture.moved == 0.0:
        return f"Times {c} leaves the weights as they are, so it does not tell. Choose another factor."
    return (
        f"{c} × V leaves the weights as they are. {c} × X makes the scores {exact(picture.factor**2)} times as "
        f"large, and the softmax changes the weights by up to {size_text(picture.moved)}."
    )


def linear_sentences(picture: LinearPicture) -> tuple[str, ...]:
    """Return what else the picture says."""
    c, (v, x) = exact(picture.factor), (size_text(each.error) for each in picture.by)
    sentences = [
        f"A · ({c} V) · W_O differs from {c} · (A · V · W_O) by up to {v}, attention({c} X) from {c} · attention(X) by "
        f"up to {x}. {_rounding(picture.by[0].error, picture.factor)}"
    ]
    if picture.state.norm is NormPlacement.PRE:
        sentences.append(
            "Here X is what attention reads, the rows after the norm; a factor before the norm would be undone by it."
        )
    if picture.factor == -1.0:
        sentences.append("(−Q)(−K)ᵀ = QKᵀ leaves all weights as they are.")
    return tuple(sentences)


def _rounding(error: float, factor: float) -> str:
    if error == 0.0:
        moves = abs(factor) not in NO_PROOF and abs(math.frexp(factor)[0]) == 0.5
        why = ": times 2, 4 or ½ moves only the exponent of a number" if moves else ""
        return f"With V there is not even a rounding difference{why}. Try 3."
    return f"That with V, {size_text(error)}, is rounding."


def linear_words(picture: LinearPicture, row: int, feature: int) -> str:
    """Return the numbers of a token and a feature."""
    if not (0 <= row < len(picture.tokens) and 0 <= feature < picture.by[0].found.shape[1]):
        return ""
    parts = []
    for name, each in zip(TITLES, picture.by, strict=True):
        found, expected, away = (float(a[row, feature]) for a in (each.found, each.expected, each.difference))
        times = f"{name} × {exact(picture.factor)}"
        parts.append(f"{times}: {signed(found, 4)} against {signed(expected, 4)}, difference {size_text(abs(away))}")
    return f"{picture.state.count.token(picture.tokens[row], row)}, feature {feature} · " + " · ".join(parts)


def linear_numbers(picture: LinearPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture, each (n, d_model)."""
    by_v, by_x = picture.by
    return {
        "difference_x": by_x.difference,
        "difference_v": by_v.difference,
        "output_of_scaled_v": by_v.found,
        "output_of_scaled_x": by_x.found,
        "scaled_output": by_v.expected,
        "tokens": np.asarray(picture.tokens),
    }
