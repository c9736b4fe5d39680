"""What the mask of a model does: decoding token by token with keys and values that are kept, and replacing a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.errors import ExplorerError

if TYPE_CHECKING:
    # Of models alone: what runs them is loaded when one is opened.
    from collections.abc import Callable, Sequence

    from attention_explorer.model.transformer import Change, Inputs, Spec, Transformer, TransformerRun

MOST_DECODED = 128
"""Tokens that are decoded one by one: of more, weights of all steps would take too much room."""


@dataclass(frozen=True, slots=True, eq=False)
class Decoding:
    """All tokens decoded one after the other, and all at once."""

    k: tuple[FloatArray, ...]
    """Keys of all tokens, one array a layer, (heads, n, d_k): the cache after t tokens is the first t rows. Heads that
    share keys have them once."""
    v: tuple[FloatArray, ...]
    """Values, (heads, n, d_v)."""
    weights: tuple[FloatArray, ...]
    """Weights of each token as it was decoded, (heads, n, n)."""
    output: FloatArray
    """What came out, step by step, (n, d_model)."""
    full: FloatArray
    """What comes out if all tokens go through at once under a causal mask, (n, d_model)."""
    flops: tuple[float, float]
    """Of one layer, matrix products only: those of a token, and those of a query with a key."""

    def error(self, decoded: int) -> float:
        """Return the largest difference of the two, over the tokens decoded so far."""
        return float(np.abs(self.output - self.full)[:decoded].max(initial=0.0))

    def shared(self, layer: int) -> int:
        """Return how many heads of a layer share a key and a value."""
        return len(self.weights[layer]) // len(self.k[layer])


class Levels(NamedTuple):
    """What goes into the first layer and what comes out of each, (n, d_model), of two runs."""

    before: tuple[FloatArray, ...]
    after: tuple[FloatArray, ...]
    """With another vector at one token."""
    is_causal: bool
    """Whether no token sees a later one."""


def levels_of(change: Change, spec: Spec, run: Callable[[Sequence[Change]], TransformerRun]) -> Levels:
    """Run one tower as it is, and with another vector entering its first layer.

    Parameters
    ----------
    change : Change
        Puts a vector in the place of what enters the first layer at one token.
    spec : Spec
        Of the tower.
    run : callable
        Runs it with some changes.

    Raises
    ------
    ArrayError
        If the numbers pass the range of float32.
    """

    def levels(changes: Sequence[Change]) -> tuple[FloatArray, ...]:
        found = run(changes)
        last = found.part("after", found.main.count - 1)  # what leaves the last layer, and not its last norm
        return found.part("residual", 0), *found.main.hidden[1:-1], last

    return Levels(levels(()), levels((change,)), spec.is_causal)


def decoding_of(transformer: Transformer, given: Inputs) -> Decoding:
    """Let a decoder read tokens one after the other.

    Parameters
    ----------
    transformer : Transformer
        One tower, which sees no later tokens.
    given : Inputs
        What it reads.

    Raises
    ------
    ExplorerError
        If there are more than `MOST_DECODED`, or the numbers pass the range of float32.
    """
    from attention_explorer.model.transformer import Inputs
    from attention_explorer.model.transformer.writer import Writer

    n, layers, spec = len(given.ids), len(transformer.main.layers), transformer.main.spec
    if n > MOST_DECODED:
        raise ExplorerError(f"The cache is shown for up to {MOST_DECODED} tokens, and there are {n}: shorten the text.")
    weights = tuple(np.zeros((spec.heads, n, n), np.float32) for _ in range(layers))
    writer, output = Writer(transformer, Inputs(given.ids[:1])), np.zeros((n, spec.width), np.float32)
    for token in range(n):
        if token:
            writer.write(int(given.ids[token]))
        output[token] = writer.hidden
        for kept, row in zip(weights, writer.weights, strict=True):
            kept[:, token, : token + 1] = row
    keys, values = zip(*writer.past, strict=True)
    full = transformer.run(given, room=0).main.hidden[-1]
    return Decoding(keys, values, weights, output, full, flops_of(spec))


def flops_of(spec: Spec) -> tuple[float, float]:
    """Return the arithmetic of one layer of a tower: that of a token, and that of a query with a key."""
    inner, keys = spec.heads * spec.head_width, spec.kv_heads * spec.head_width
    row = 2 * spec.width * (2 * inner + 2 * keys) + 2 * (3 if spec.gated else 2) * spec.width * spec.inner
    return float(row), float(4 * inner)
