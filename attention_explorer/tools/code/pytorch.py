"""What PyTorch does otherwise, for people who take a program along: said of its usual settings, version 2."""

from __future__ import annotations

from typing import NamedTuple


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
