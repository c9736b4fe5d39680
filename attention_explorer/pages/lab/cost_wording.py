"""The words of the pictures of cost: settings, and what is true of a state."""

from __future__ import annotations

from attention_explorer.core.numerals import counted, grouped
from attention_explorer.pages.lab.cost_layer import cost_of, reason_without_cost
from attention_explorer.pages.lab.cost_numerals import memory_words, ratio_words, share_words
from attention_explorer.pages.lab.cost_state import CostPicture, CostState
from attention_explorer.pages.lab.inputs import inputs_picture


def settings_words(state: CostState) -> str:
    """Return what decides the numbers, in a line."""
    if state.picture is CostPicture.INPUTS:
        return f"“{state.sentence}” and “{state.other_sentence}”; one random layer, d_model = 64, 8 heads."
    window = f", window of {grouped(state.window)} keys" if state.windowed else ""
    return (
        f"n = {grouped(state.n)}, d_model = {grouped(state.d_model)}, {counted(state.heads, 'head')}, d_ff = "
        f"{grouped(state.d_ff)}, {counted(state.layers, 'layer')}, {state.precision.value}"
        f"{window}; one sequence. An operation is one addition or multiplication."
    )


def verdict(state: CostState) -> tuple[str, ...]:
    """Return what is true of a state, the most important first."""
    return _VERDICTS[state.picture](state)


def _on_layer(state: CostState) -> tuple[str, ...]:
    if reason_without_cost(state):
        return "These sizes do not fit.", "Every head is d_model ÷ heads wide, and that has to be a whole number."
    cost = cost_of(state)
    width = f"d_k = {cost.d_k} a head: " + (
        "the size of the 2017 base model and of GPT-2." if cost.d_k == 64 else "64 is typical, not a rule."
    )
    if state.windowed:
        return _on_window(state, memory_words(cost.matrix_bytes), width)
    share = share_words(cost.quadratic_flops / cost.layer_flops)
    return (
        f"Twice the length, four times the cost? The matrix is × 4, the layer {ratio_words(cost.doubling_ratio)}.",
        "“Double your sequence length, and you quadruple your memory and compute requirements” holds for the "
        f"matrix and its two products, scores and weights · V. Here those are {share} of the operations; the "
        "projections and the feed-forward part only double.",
        "The memory shown is that of matrices that are stored whole. FlashAttention computes them in tiles and "
        "stores none, for some more operations: forward it rescales, and backward it computes the scores again.",
        width,
    )


def _on_window(state: CostState, size: str, width: str) -> tuple[str, ...]:
    if state.window >= state.n:
        return (
            "The window is not narrower than the input.",
            "Every query still sees every key, and the n² part grows with n². Beyond n = w it grows with n.",
            width,
        )
    return (
        "With a window the cost grows with n, not n².",
        f"n·w numbers in each head, {size}. The first queries have fewer keys than that.",
        width,
    )


def _on_growth(_state: CostState) -> tuple[str, ...]:
    return (
        "Counts are not seconds.",
        "Measured times depend on the machine, its caches and threads, and on what else it is doing. Only the "
        "counts are the same everywhere.",
        "Short contexts in early models are often put down to n². That is plausible, but a formula cannot show it.",
    )


def _on_reach(state: CostState) -> tuple[str, ...]:
    narrow = state.windowed and state.window < state.n
    apart = "any two tokens are one step apart"
    if narrow:
        apart = f"with a window of {grouped(state.window)}, distant tokens need several layers to reach one another"
    if narrow and state.window == 1:
        apart = "with a window of 1, no token sees another"
    return (
        "Reading is parallel; writing is still one token after another.",
        f"Attention needs no chain of n steps to read a text, and {apart}. It pays with more operations and with "
        f"memory that grows with {'the window' if narrow else 'n'}.",
        "“Much faster training” needs machines that do many things at once; the counts here are not seconds.",
    )


def _on_inputs(state: CostState) -> tuple[str, ...]:
    same = inputs_picture(state).is_same_list
    return (
        "The operations depend on the length, the weights on the words.",
        "“… what gets computed depends on what's being processed” is true of the weights only: attention carries "
        "out the same operations on every input of a given length.",
        *(() if same else ("The two lists differ because the lengths do.",)),
    )


_VERDICTS = {
    CostPicture.LAYER: _on_layer,
    CostPicture.GROWTH: _on_growth,
    CostPicture.REACH: _on_reach,
    CostPicture.INPUTS: _on_inputs,
}
