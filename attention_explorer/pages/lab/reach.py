"""How far back models see, and how many steps information takes: a recurrent layer beside self-attention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import counted, grouped, operation_words, ratio_words
from attention_explorer.model import ModelSize, attention_path, recurrent_flops, recurrent_influence, recurrent_path
from attention_explorer.pages.lab.cost_layer import cost_of, reason_without_cost, square_name
from attention_explorer.pages.lab.cost_state import CostState

FloatArray = np.typing.NDArray[np.float64]

FARTHEST = 24
"""How many tokens back the strips go."""
DECAYS = (0.99, 0.95, 0.9, 0.8, 0.7)
"""The ρ whose tenth powers are named."""


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """How much of a token is left at each distance back, 0…1."""

    name: str
    detail: str
    values: FloatArray
    """(FARTHEST,), for 1, 2, … tokens back; NaN beyond the first token."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One property of both layers."""

    name: str
    recurrent: str
    attention: str
    why: str
    """The reason in a few words, recurrent first."""
    words: str
    """What it means, with formulas and numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class ReachPicture:
    """Strips and comparisons of a state."""

    state: CostState
    reason: str = ""
    strips: tuple[Strip, ...] = ()
    rows: tuple[Comparison, ...] = ()


@kept
def reach_picture(state: CostState, _tiles: tuple[int, int] = (1, 1)) -> ReachPicture:
    """Compute strips and comparisons."""
    reason = reason_without_cost(state)
    if reason:
        return ReachPicture(state, reason)
    return ReachPicture(state, "", _strips(state), _rows(state, cost_of(state)))


def _strips(state: CostState) -> tuple[Strip, ...]:
    back = np.arange(1, FARTHEST + 1)
    there = back < state.n
    seen = state.n - 1 if state.window_shown is None else min(state.window - 1, state.n - 1)

    def upto(reach: int) -> FloatArray:
        return np.where(there, (back <= reach).astype(np.float64), np.nan)

    kinds = (
        ("bigram", "the token before", upto(1)),
        ("fixed context", counted(state.context, "token"), upto(state.context)),
        (
            "recurrent state",
            f"ρ = {state.decay:g} a step",
            np.where(there, recurrent_influence(state.decay, back.astype(np.float64)), np.nan),
        ),
        (
            "self-attention",
            f"{counted(state.window - 1, 'token')}, w = {grouped(state.window)}"
            if state.windowed
            else _all_tokens(state.n),
            upto(seen),
        ),
    )
    return tuple(Strip(name, detail, values) for name, detail, values in kinds)


def _rows(state: CostState, cost: ModelSize) -> tuple[Comparison, ...]:
    n = grouped(state.n)
    return (
        _path_row(state),
        Comparison(
            "steps, reading",
            f"n = {n}",
            "1",
            "h_t needs h_(t−1); no position waits",
            f"h_t needs h_(t−1): n = {n} steps that wait for one another. In attention all positions are computed from "
            "the layer below at once. That says nothing about wall-clock time.",
        ),
        Comparison(
            "products in turn",
            f"n = {n}",
            "4",
            "h·U each step; X·W, Q·Kᵀ, ·V, ·W_O",
            f"The longest chain of products that wait for one another: in a recurrent layer n = {n} times h·U; in "
            "attention 4, however long the input: X·W, Q·Kᵀ, weights · V, heads · W_O.",
        ),
        _operations_row(state, cost),
        Comparison(
            "steps, writing",
            f"n = {n}",
            f"n = {n}",
            "each token comes before the next",
            f"Writing {n} tokens takes {n} steps in both: each token has to be known before the next.",
        ),
        _memory_row(state, cost),
    )


def _path_row(state: CostState) -> Comparison:
    """Compare the maximum path lengths of Vaswani et al. 2017, table 1."""
    n, longest = grouped(state.n), recurrent_path(state.n)
    path = attention_path(state.n, state.window_shown)
    layers = "layer" if path == 1 else "layers"
    return Comparison(
        "longest path",
        f"{grouped(longest)} steps",
        "never" if path is None else f"{grouped(path)} {layers}",
        "n − 1 through one state; any pair at once" if not state.windowed else "n − 1; ⌈(n − 1) ÷ (w − 1)⌉",
        f"Recurrent: n − 1 = {n} − 1 = {grouped(longest)} steps, each through the same state of d numbers. "
        f"Attention: {_path_words(state, path)}",
    )


def _operations_row(state: CostState, cost: ModelSize) -> Comparison:
    """Compare the operations of one layer, the feed-forward network left out."""
    n, d, square = grouped(state.n), grouped(state.d_model), square_name(state)
    recurrent = recurrent_flops(state.n, state.d_model)
    attention = cost.quadratic_flops + cost.projection_flops
    return Comparison(
        "operations",
        operation_words(recurrent),
        operation_words(attention),
        f"4·n·d²; 8·n·d² + 4·{square}·d",
        f"Recurrent: 4·n·d² = {grouped(recurrent)}. Attention without feed-forward: 8·n·d² + 4·{square}·d = "
        f"{grouped(attention)}, {ratio_words(attention / recurrent)} of that with n = {n}, d = {d}: more work, but "
        "less waiting.",
    )


def _all_tokens(n: int) -> str:
    return f"all {grouped(n)} tokens" if n > 1 else "the one token"


def _memory_row(state: CostState, cost: ModelSize) -> Comparison:
    """Compare what one layer keeps of the tokens before."""
    d, kept = grouped(state.d_model), grouped(cost.cache_elements // cost.layers)
    key, where = ("w", " in the window") if state.is_narrow else ("n", "")
    return Comparison(
        "what is kept",
        f"d = {d}",
        f"2·{key}·d = {kept}",
        f"one state; keys and values of every token{where}",
        f"In each layer a recurrent state has d = {d} numbers for the whole past, which is the bottleneck; attention "
        f"keeps a key and a value of each token{where}, {kept} numbers, and nothing from before its context.",
    )


def _path_words(state: CostState, path: int | None) -> str:
    if not state.is_narrow:
        return "every query sees every key, 1 layer." if path else "there is only one token."
    if path is None:
        return "a window of 1 key is the token itself, so nothing ever arrives from another."
    return (
        f"⌈(n − 1) ÷ (w − 1)⌉ = ⌈{grouped(state.n - 1)} ÷ {grouped(state.window - 1)}⌉ = {grouped(path)} layers, "
        "each carrying it one window on."
    )


# ---- Words ----


def strip_words(picture: ReachPicture, strip: int, column: int) -> str:
    """Return what is left at a distance."""
    found, back = picture.strips[strip], column + 1
    value = float(found.values[column])
    where = f"{found.name}, {back} {'token' if back == 1 else 'tokens'} back"
    if np.isnan(value):
        return f"{where}: there {'is' if picture.state.n == 1 else 'are'} only {counted(picture.state.n, 'token')}"
    if strip == 2:
        return f"{where}: ρ^{back} = {picture.state.decay:g}^{back} = {value:.4g} of it is left"
    if strip == 3:
        return f"{where}: {'one step away; the weight decides' if value else 'outside the window, in this layer'}"
    return f"{where}: {'seen' if value else 'not seen'}"


def recurrent_influence_words() -> str:
    """Return the tenth powers: 0.90, 0.60, … for ρ = 0.99, 0.95, …."""
    powers = ", ".join(f"{float(recurrent_influence(decay, 10.0)):.2f}" for decay in DECAYS)
    return f"{powers} for ρ = {', '.join(f'{decay:g}' for decay in DECAYS)}"
