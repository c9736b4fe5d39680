"""What attention does with V and X multiplied by a number: linear in the values, not in the tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import exact, signed, size_text
from attention_explorer.model import NormPlacement
from attention_explorer.pages.stack.maps import feature_map
from attention_explorer.pages.stack.stack import block_stack, block_trace, without_view
from attention_explorer.pages.stack.stack import is_quick as is_stack_quick
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
    return replace(without_view(state), layer=state.layer_shown, factor=state.factor)


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


def factor_text(factor: float) -> str:
    """Return a factor as it is written: 2, 0.5, −1."""
    return exact(factor)


def map_titles(picture: LinearPicture, which: int) -> tuple[str, str, str]:
    """Return what the three maps of V (0) or X (1) are called."""
    c = factor_text(picture.factor)
    inside = f"A · ({c} V) · W_O" if which == 0 else f"attention({c} X)"
    outside = f"{c} · (A · V · W_O)" if which == 0 else f"{c} · attention(X)"
    return inside, outside, "difference"


def verdict_of(picture: LinearPicture, which: int) -> str:
    """Return whether the output followed, with the largest difference."""
    error, name = picture.by[which].error, TITLES[which]
    if which == 1 and picture.factor in NO_PROOF:
        return f"Times {factor_text(picture.factor)} does not test X: largest difference {size_text(error)}"
    if _is_rounding(picture.by[which]):
        return f"Linear in {name}: largest difference {size_text(error)}"
    return f"Not linear in {name}: largest difference {size_text(error)}"


def _is_rounding(by: Scaled) -> bool:
    return by.error <= 1e-9 * float(np.abs(by.expected).max())


def linear_sentences(picture: LinearPicture) -> tuple[str, ...]:
    """Return what the panel says, the headline first."""
    by_v, c = picture.by[0], factor_text(picture.factor)
    left = _rounding(by_v.error, picture.factor)
    if not by_v.expected.any() and picture.factor != 0.0:
        return (
            "Nothing comes out",
            "The output is 0 throughout, and 0 times anything is 0. Make tokens and weights larger.",
        )
    alone = len(picture.tokens) == 1
    follows = picture.factor not in NO_PROOF and _is_rounding(picture.by[1])
    headline = "Linear in V, and here in X too" if follows else "Linear in V, not in X"
    sentences = [
        "One token: linear in V and in X" if alone else headline,
        f"Multiply the values by {c} and keep the weights: the output is {c} times as large. {left}",
        *(_one_token_sentences() if alone else _x_sentences(picture)),
    ]
    if picture.state.norm is NormPlacement.PRE:
        sentences.append(
            "Here X is what attention reads, the rows after the norm; a factor before the norm would be undone by it."
        )
    if picture.factor in NO_PROOF and not alone:
        why = "(−Q)(−K)ᵀ = QKᵀ leaves all weights as they are" if picture.factor == -1.0 else "any function passes it"
        sentences.append(f"Times {c} does not test X: {why}. Choose another factor.")
    return tuple(sentences)


def _one_token_sentences() -> tuple[str, ...]:
    return (
        "One token has only one weight, and that is 1 whatever its score is: as long as there is no second word, "
        "attention is linear in X too.",
    )


def _x_sentences(picture: LinearPicture) -> tuple[str, ...]:
    c, square = factor_text(picture.factor), factor_text(picture.factor**2)
    weights = (
        "leaves the weights as they are"
        if picture.moved == 0.0
        else f"changes the weights by up to {size_text(picture.moved)}"
    )
    return (
        f"Multiply the tokens X by {c}: Q and K are multiplied too, the scores by {square}, and the softmax {weights}. "
        f"The output is off by up to {size_text(picture.by[1].error)}.",
        "“Purely linear in V” is right for fixed weights. As a function of the tokens, attention in general is not "
        "linear, even without a feed-forward network.",
    )


def _rounding(error: float, factor: float) -> str:
    if error == 0.0:
        moves = abs(factor) not in NO_PROOF and abs(math.frexp(factor)[0]) == 0.5
        why = ": times 2, 4 or ½ moves only the exponent of a number" if moves else ""
        return f"There is not even a rounding difference{why}. Try 3."
    return f"The difference, {size_text(error)}, is rounding."


def is_quick(state: BlockState) -> bool:
    """Whether the comparison takes less than about 20 ms."""
    return is_stack_quick(state)


def linear_words(picture: LinearPicture, row: int, feature: int) -> str:
    """Return the numbers of a token and a feature."""
    if not (0 <= row < len(picture.tokens) and 0 <= feature < picture.by[0].found.shape[1]):
        return ""
    parts = []
    for name, each in zip(TITLES, picture.by, strict=True):
        found, expected, away = (float(a[row, feature]) for a in (each.found, each.expected, each.difference))
        times = f"{name} × {factor_text(picture.factor)}"
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
