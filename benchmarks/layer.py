"""A whole layer, over the bare matrix products it cannot do without, and over PyTorch's own layer where there is one.

Ours checks its arguments, looks for overflow, takes norms and softmax and keeps every intermediate; the products are
those of the four projections, of queries with keys, of weights with values and of the two matrices of the network.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from attention_explorer.model import EncoderLayer
from attention_explorer.model.arrays import Floats
from benchmarks.report import Row
from benchmarks.timing import Contender, in_turns

SIZES = ((2, 10, 512, 8, 2048, 300), (1, 512, 768, 12, 3072, 40))
"""(batch, tokens, d_model, heads, d_ff, rounds): the layer of 2017 on a short sentence, GPT-2's on a long one."""
AIM = 1.5


def measure() -> list[Row]:
    """Measure the layers of both sizes, float32."""
    rows = []
    for batch, tokens, d_model, heads, d_ff, rounds in SIZES:
        layer = random_layer(d_model, heads, d_ff)
        x = np.random.default_rng(1).standard_normal((batch, tokens, d_model), dtype=np.float32)
        what = f"EncoderLayer, {x.shape}, float32"
        rows.append(_row(what, layer, x, "its 8 matrix products", lambda: products(layer, x), rounds, AIM))  # noqa: B023 - called in this turn only
        if importlib.util.find_spec("torch") is not None:
            rows.append(_row(what, layer, x, "torch’s layer, eval", torch_layer(layer, x), rounds, None))
    return rows


def random_layer(d_model: int, heads: int, d_ff: int) -> EncoderLayer:
    """Return a post-norm layer with ReLU and He's weights, float32."""
    random = np.random.default_rng(0)

    def drawn(rows: int, columns: int) -> Floats:
        return random.standard_normal((rows, columns), dtype=np.float32) * np.float32((2 / rows) ** 0.5)

    w_q, w_k, w_v, w_o = (drawn(d_model, d_model) for _ in range(4))
    b1, b2 = np.zeros(d_ff, np.float32), np.zeros(d_model, np.float32)
    return EncoderLayer(
        *(w_q, w_k, w_v, w_o), w1=drawn(d_model, d_ff), b1=b1, w2=drawn(d_ff, d_model), b2=b2, heads=heads
    )


def products(layer: EncoderLayer, x: Floats) -> Floats:
    """Do nothing but the matrix products of a layer, on arrays of their sizes; (rows, d_model)."""
    attention, network = layer.attention, layer.feed_forward
    batch, tokens, d_model = x.shape
    rows = x.reshape(-1, d_model)
    q, k, v = (
        (rows @ weight).reshape(batch, tokens, attention.heads, -1).swapaxes(1, 2)
        for weight in (attention.w_q, attention.w_k, attention.w_v)
    )
    mixed = (q @ k.swapaxes(-1, -2)) @ v  # the scores stand for the weights
    joined = mixed.swapaxes(1, 2).reshape(-1, d_model)
    return np.asarray(joined @ attention.w_o @ network.w1 @ network.w2)


def torch_layer(layer: EncoderLayer, x: Floats) -> Callable[[], object]:
    """Return a call of PyTorch's layer with the same weights, on as many threads as there are processors.

    Raises
    ------
    RuntimeError
        Its output is not ours: then the two would not be comparable.
    """
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(os.cpu_count() or 1)
    attention, network = layer.attention, layer.feed_forward
    theirs = torch.nn.TransformerEncoderLayer(
        layer.d_model, attention.heads, network.w1.shape[1], dropout=0.0, batch_first=True
    ).eval()
    zeros = np.zeros(3 * layer.d_model, np.float32)
    given = {
        "self_attn.in_proj_weight": np.concatenate([attention.w_q, attention.w_k, attention.w_v], axis=1).T,
        "self_attn.in_proj_bias": zeros,
        "self_attn.out_proj.weight": attention.w_o.T,
        "self_attn.out_proj.bias": zeros[: layer.d_model],
        "linear1.weight": network.w1.T,
        "linear1.bias": network.b1,
        "linear2.weight": network.w2.T,
        "linear2.bias": network.b2,
    }
    arrays = {name: torch.from_numpy(np.array(array)) for name, array in given.items()}
    theirs.load_state_dict({**theirs.state_dict(), **arrays})
    tokens = torch.from_numpy(x)

    def run() -> object:
        with torch.inference_mode():
            return theirs(tokens)

    found: Any = run()
    away = float(np.abs(found.numpy() - layer(x).output).max())
    if away > 1e-3:
        raise RuntimeError(f"torch's layer is {away:.3g} off ours: the two are not the same computation")
    return run


def _row(
    what: str,
    layer: EncoderLayer,
    x: Floats,
    compared_with: str,
    theirs: Callable[[], object],
    rounds: int,
    aim: float | None,
) -> Row:
    measured, floor = in_turns(Contender(lambda: layer(x)), Contender(theirs), rounds=rounds, warm_up=5)
    return Row(what, measured, compared_with, floor, aim)
