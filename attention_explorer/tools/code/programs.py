"""Where the program of each page comes from, and what PyTorch does otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

from attention_explorer.core.script import Program
from attention_explorer.pages.explorer import ExplorerState


def part_on_show(page: str, state: ExplorerState) -> tuple[str, Any]:
    """Return which part of a state a page shows, and the part with the picture that is on show named in it."""
    if page == "layer":
        return "block", replace(state.block, picture=state.block.picture_shown)
    if page != "lab":
        return page, getattr(state, page)
    view = state.lab.view
    return view.part, replace(getattr(state, view.part), picture=view.picture)


def program_of(page: str, state: ExplorerState) -> Program:
    """Return the program that computes what a page shows of a state.

    Parameters
    ----------
    page : str
        The id of the page.
    state : ExplorerState
        What the window shows. What takes long to compute is computed here, if nobody has done so before.

    Raises
    ------
    ExplorerError
        The page cannot show the state either; the message says why.
    """
    # Not before it is wanted: what a page computes is loaded with the page.
    make: Callable[[Any], Program] = getattr(
        import_module(f"attention_explorer.pages.{page}.program"), f"{page}_program"
    )
    return make(part_on_show(page, state)[1])


# ---- What PyTorch does otherwise ----
# For people who take a program along: said of its usual settings, version 2.


class Difference(NamedTuple):
    """What is one way here and another way there."""

    what: str
    here: str
    there: str


DIFFERENCES = (
    Difference(
        "Weights that are returned",
        "of every head, (heads, n_q, n_k)",
        "nn.MultiheadAttention returns their mean over the heads; average_attn_weights=False gives all.",
    ),
    Difference(
        "A mask of booleans",
        "True: may attend",
        "True in attn_mask and key_padding_mask of nn.MultiheadAttention: may not attend. "
        "In F.scaled_dot_product_attention True means may attend, as here.",
    ),
    Difference(
        "A row that may see nothing",
        "weights and output are 0",
        "torch.softmax of a row of −inf is NaN.",
    ),
    Difference(
        "Biases",
        "none in random layers",
        "nn.MultiheadAttention adds one to q, k, v and the output (0 at first); bias=False leaves them out.",
    ),
    Difference(
        "First weights",
        "normal, with the σ that the page says",
        "W_q, W_k and W_v are one matrix, xavier_uniform_ of (3·d, d): uniform within ±√(6 ÷ 4d). "
        "W_o is that of nn.Linear: uniform within ±1/√d.",
    ),
    Difference(
        "Matrices",
        "x @ W, so W is (in, out)",
        "x @ W.T + b: nn.Linear keeps W as (out, in).",
    ),
    Difference(
        "Order of the axes",
        "(batch, n, d)",
        "(n, batch, d), unless batch_first=True.",
    ),
    Difference(
        "Scale",
        "÷ √d_k, which can be switched off",
        "always ÷ √d_k; F.scaled_dot_product_attention takes another as scale=.",
    ),
    Difference(
        "Temperature, hard lookup",
        "a number, a switch",
        "neither: divide the scores, or F.one_hot(scores.argmax(-1), n_k).",
    ),
    Difference(
        "Dropout of the weights",
        "none, but where it is switched on in Layer",
        "0 in nn.MultiheadAttention, 0.1 in nn.TransformerEncoderLayer while it is in training mode.",
    ),
    Difference(
        "Layer norm",
        "without learned gain and bias",
        "both are learned; ε = 1e-5 inside the root, as here.",
    ),
    Difference("Numbers", "float64, models float32", "float32"),
)
"""What people trip over, most of it first."""
