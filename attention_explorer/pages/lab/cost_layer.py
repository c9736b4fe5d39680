"""What one layer costs, term by term, at n tokens and at twice as many."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import grouped, memory_words, operation_words, ratio_words, share_words
from attention_explorer.errors import ArrayError
from attention_explorer.model import ModelSize, product_flops
from attention_explorer.pages.lab.cost_state import CostState


@dataclass(frozen=True, slots=True)
class Term:
    """One kind of matrix product of the layer."""

    name: str
    product: str
    """The shapes that are multiplied."""
    formula: str
    filled: str
    """The formula with the numbers in it."""
    operations: int
    doubled: int
    """Operations for twice as many tokens."""

    @property
    def growth(self) -> float:
        """The factor on doubling n."""
        return self.doubled / self.operations if self.operations else 1.0


@dataclass(frozen=True, slots=True)
class Amount:
    """Numbers that are kept, and the room they take."""

    name: str
    formula: str
    filled: str
    elements: int
    size: int
    """Bytes."""
    growth: float
    """The factor on doubling n."""


@dataclass(frozen=True, slots=True)
class LayerPicture:
    """The terms and amounts of a state, or why there are none."""

    state: CostState
    reason: str = ""
    cost: ModelSize | None = None
    terms: tuple[Term, ...] = ()
    amounts: tuple[Amount, ...] = ()

    @property
    def operations(self) -> tuple[int, int]:
        """All operations at n and at 2n."""
        return sum(term.operations for term in self.terms), sum(term.doubled for term in self.terms)


def cost_of(state: CostState) -> ModelSize:
    """Return the sizes of a state, to count with.

    Raises
    ------
    ArrayError
        The heads do not share d_model equally.
    """
    return ModelSize(
        state.n, state.d_model, state.heads, state.layers, state.d_ff, state.precision.size, state.window_shown
    )


def reason_without_cost(state: CostState) -> str:
    """Return why a state cannot be counted; empty if it can."""
    try:
        cost_of(state)
    except ArrayError as error:
        return f"{error}. Or change d_model."
    return ""


@kept
def layer_picture(state: CostState, _tiles: tuple[int, int] = (1, 1)) -> LayerPicture:
    """Count everything that the picture shows."""
    reason = reason_without_cost(state)
    if reason:
        return LayerPicture(state, reason)
    cost = cost_of(state)
    return LayerPicture(state, "", cost, _terms(cost), _amounts(state, cost))


def _terms(cost: ModelSize) -> tuple[Term, ...]:
    n, d, f, w = grouped(cost.tokens), grouped(cost.d_model), grouped(cost.hidden_units), grouped(cost.keys)
    keys, square, filled = ("w", "2·n·w·d", f"2 · {n} · {w} · {d}")
    if cost.window is None:
        keys, square, filled = "n", "2·n²·d", f"2 · {n}² · {d}"
    double = cost.at(2 * cost.tokens)
    heads = f"{cost.heads} × " if cost.heads > 1 else ""
    rows = (
        ("scores Q·Kᵀ", f"{heads}(n, d_k) · (d_k, {keys})", square, filled, "score_flops"),
        ("weights · V", f"{heads}(n, {keys}) · ({keys}, d_k)", square, filled, "weighted_value_flops"),
        ("Q, K, V = X·W", "3 × (n, d) · (d, d)", "6·n·d²", f"6 · {n} · {d}²", "query_key_value_flops"),
        ("heads · W_O", "(n, d) · (d, d)", "2·n·d²", f"2 · {n} · {d}²", "output_flops"),
        ("feed-forward", "(n, d)·(d, d_ff)·(d_ff, d)", "4·n·d·d_ff", f"4 · {n} · {d} · {f}", "feed_forward_flops"),
    )
    return tuple(
        Term(name, product, formula, said, getattr(cost, field), getattr(double, field))
        for name, product, formula, said, field in rows
    )


def _amounts(state: CostState, cost: ModelSize) -> tuple[Amount, ...]:
    n, d, f, heads, layers = (
        grouped(size) for size in (cost.tokens, cost.d_model, cost.hidden_units, cost.heads, cost.layers)
    )
    kept, key = (n, "n") if cost.window is None else (grouped(cost.keys), "w")
    square, filled = ("n²", f"{n}²") if cost.window is None else ("n·w", f"{n} · {kept}")
    one, growth = cost.matrix_elements, cost.matrix_doubling_ratio
    cached = cost.at(2 * cost.tokens).cache_elements / cost.cache_elements
    weights = f"{layers} · (4 · {d}² + 2 · {d} · {f})"
    rows = (
        ("matrix, one head", square, filled, one, growth),
        ("one layer", f"h·{square}", f"{heads} · {filled}", cost.heads * one, growth),
        ("whole model", f"L·h·{square}", f"{layers} · {heads} · {filled}", cost.all_matrix_elements, growth),
        ("KV cache, model", f"L·2·{key}·d", f"{layers} · 2 · {kept} · {d}", cost.cache_elements, cached),
        ("all W, model", "L·(4·d² + 2·d·d_ff)", weights, cost.parameters, 1.0),
    )
    return tuple(
        Amount(name, formula, said, count, count * state.precision.size, growth)
        for name, formula, said, count, growth in rows
    )


# ---- Words ----


def term_words(picture: LayerPicture, term: Term) -> str:
    """Return the arithmetic of a term."""
    share = share_words(term.operations / picture.operations[0])
    return (
        f"{term.name}: {term.product}, {term.formula} = {term.filled} = {grouped(term.operations)} operations, "
        f"{share} of the layer; {ratio_words(term.growth)} on doubling n"
    )


def amount_words(picture: LayerPicture, amount: Amount) -> str:
    """Return the arithmetic of an amount."""
    precision = picture.state.precision
    return (
        f"{amount.name}: {amount.formula} = {amount.filled} = {grouped(amount.elements)} numbers · {precision.size} "
        f"bytes = {memory_words(amount.size)}; {ratio_words(amount.growth)} on doubling n"
    )


def total_words(picture: LayerPicture, doubled: bool) -> str:
    """Return what a whole bar says."""
    now, then = picture.operations
    n = picture.state.n
    if not doubled:
        cost = cost_of(picture.state)
        square, flat = cost.quadratic_flops, cost.linear_flops
        return (
            f"n = {grouped(n)}: {grouped(square)} for the {square_name(picture.state)} part + {grouped(flat)} for "
            f"the n part = {grouped(now)} operations ({operation_words(now)})"
        )
    return f"2n = {grouped(2 * n)}: {grouped(then)} operations, {grouped(then)} ÷ {grouped(now)} = {then / now:.4f}"


def layer_sentences(picture: LayerPicture) -> tuple[str, ...]:
    """Return what the picture says."""
    cost, state, now = cost_of(picture.state), picture.state, picture.operations[0]
    large = f"{square_name(state)} part (scores and weights · V) is {share_words(cost.quadratic_flops / now)}"
    lines = [f"The {large} of the layer’s operations.", *(_window_words(picture, cost) if state.windowed else ())]
    lines.append(
        f"One more token takes {operation_words(cost.next_token_flops)} in a layer with a KV cache; without one, all "
        f"{operation_words(now)} again."
    )
    lines.append(_one_product_words(cost))
    lines.append(
        f"Not counted: norms, activations and the softmax, which adds {share_words(cost.softmax_flops / now)}."
    )
    return tuple(lines)


def _window_words(picture: LayerPicture, cost: ModelSize) -> tuple[str, ...]:
    """Say what a window saves."""
    if not picture.state.is_narrow:
        wide = f"A window of {grouped(picture.state.window)} keys leaves out nothing at n = {grouped(cost.tokens)}."
        return (wide,)
    full = replace(cost, window=None)
    saved = share_words(1 - cost.matrix_elements / full.matrix_elements)
    return (
        f"The window leaves each query {grouped(cost.keys)} keys: {saved} of the matrix is never computed.",
        f"Without it the layer would take {operation_words(full.layer_flops)} instead of "
        f"{operation_words(cost.layer_flops)}, and a head’s matrix {memory_words(full.matrix_bytes)} instead of "
        f"{memory_words(cost.matrix_bytes)}.",
    )


def square_name(state: CostState) -> str:
    """Return what the part with the matrices grows with."""
    return "n·w" if state.windowed else "n²"


def _one_product_words(cost: ModelSize) -> str:
    """Say that one product does the work of many."""
    each = product_flops(cost.tokens, cost.d_model, cost.d_k)
    return (
        f"One product for all heads, X·W_q, takes 2·n·d² = {grouped(cost.heads * each)} operations: as many as "
        f"{cost.heads} products of 2·n·d·d_k = {grouped(each)}."
    )
