"""The words of the Cost page: titles, settings, and what is true of a state."""

from __future__ import annotations

from attention_explorer.state.cost.growth import growth_title
from attention_explorer.state.cost.inputs import inputs_picture
from attention_explorer.state.cost.layer import cost_of, reason_without_cost
from attention_explorer.state.cost.numerals import memory_words, ratio_words
from attention_explorer.state.cost.state import CostPicture, CostState
from attention_explorer.state.numerals import grouped


def picture_title(state: CostState) -> str:
    """Return what the large picture shows."""
    return {
        CostPicture.LAYER: f"What attention costs at n = {grouped(state.n)}",
        CostPicture.GROWTH: f"How it grows: {growth_title(state)}",
        CostPicture.REACH: "How far back, and in how many steps",
        CostPicture.INPUTS: _inputs_title(state),
    }[state.picture]


def _inputs_title(state: CostState) -> str:
    if state.picture is not CostPicture.INPUTS or inputs_picture(state).is_same_list:
        return "Two inputs: same operations, other weights"
    return "Two inputs: of other lengths, other operations"


def settings_words(state: CostState) -> str:
    """Return what decides the numbers, in a line."""
    if state.picture is CostPicture.INPUTS:
        return f"“{state.sentence}” and “{state.other_sentence}”; one random layer, d_model = 64, 8 heads."
    window = f", window of {grouped(state.window)} keys" if state.windowed else ""
    return (
        f"n = {grouped(state.n)}, d_model = {grouped(state.d_model)}, {state.heads} heads, d_ff = "
        f"{grouped(state.d_ff)}, {state.layers} {'layer' if state.layers == 1 else 'layers'}, {state.precision.value}"
        f"{window}; one sequence. An operation is one addition or multiplication."
    )


def description(state: CostState) -> str:
    """Return the picture in words, for those who cannot see it."""
    return f"{picture_title(state)}. {settings_words(state)}"


def verdict(state: CostState) -> tuple[str, tuple[str, ...]]:
    """Return a headline, and what is true of the state."""
    return _VERDICTS[state.picture](state)


def _on_layer(state: CostState) -> tuple[str, tuple[str, ...]]:
    if reason_without_cost(state):
        return "These sizes make no layer.", ("Every head is d_model ÷ heads wide, and that has to be a whole number.",)
    cost = cost_of(state)
    width = f"d_k = {cost.d_k} a head: " + (
        "the size of the 2017 base model and of GPT-2." if cost.d_k == 64 else "64 is typical, not a rule."
    )
    if state.windowed:
        return _on_window(state, memory_words(cost.matrix_bytes), width)
    ratio = ratio_words(cost.doubling_ratio)
    return (
        "“Double the length, quadruple memory and compute”: true of the matrix only.",
        (
            f"The matrix is exactly × 4. All operations of the layer are {ratio}, because most of them are the "
            "projections and the feed-forward part, which grow with n."
            if cost.doubling_ratio < 3
            else f"The matrix is exactly × 4, all operations of the layer {ratio}: at this length the n² part rules.",
            "Memory is that of matrices that are written down. FlashAttention computes them in tiles and keeps none, "
            "with the same operations.",
            width,
        ),
    )


def _on_window(state: CostState, size: str, width: str) -> tuple[str, tuple[str, ...]]:
    if state.window >= state.n:
        return (
            "The window is not narrower than the input.",
            (
                "Every query still sees every key, and the cost grows with n². From n = w on it grows with n.",
                width,
            ),
        )
    return (
        "With a window the cost grows with n, not n².",
        (f"n·w numbers a head, {size}, some of them empty for the first queries.", width),
    )


def _on_growth(_state: CostState) -> tuple[str, tuple[str, ...]]:
    return (
        "Counted operations are no seconds.",
        (
            "Measured times differ from the count: they depend on the machine, its caches and threads, and on what "
            "else it does. Only the count is the same everywhere.",
            "Short contexts in early models are often put down to n². That is plausible, and cannot be read off a "
            "formula.",
        ),
    )


def _on_reach(state: CostState) -> tuple[str, tuple[str, ...]]:
    narrow = state.windowed and state.window < state.n
    apart = (
        f"with a window of {grouped(state.window)} far tokens need several layers to reach one another"
        if narrow
        else "any two tokens are one step apart"
    )
    return (
        "Parallel in reading, still one by one in writing.",
        (
            f"Attention needs no chain of n steps to read a text, and {apart}. It pays with more operations and with "
            f"memory that grows with {'the window' if narrow else 'n'}.",
            "“Much faster training” is about machines that do many things at once: the counts here promise no seconds.",
        ),
    )


def _on_inputs(state: CostState) -> tuple[str, tuple[str, ...]]:
    same = inputs_picture(state).is_same_list
    return (
        "“What gets computed depends on the input”: no.",
        (
            "Attention carries out the same operations on every input of a given length. What depends on the input are "
            "the weights with which values are mixed.",
            *(() if same else ("The two lists differ because the lengths do.",)),
        ),
    )


_VERDICTS = {
    CostPicture.LAYER: _on_layer,
    CostPicture.GROWTH: _on_growth,
    CostPicture.REACH: _on_reach,
    CostPicture.INPUTS: _on_inputs,
}
