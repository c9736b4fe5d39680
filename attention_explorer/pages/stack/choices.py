"""What there is to choose among on the Layer page and in Lab: pictures, boxes, weights, layers that were learned."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.core.declared import Kind, declared
from attention_explorer.fields import CheckedFields
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned_recipe import MOST_STEPS

ORDER = (
    "embeddings",
    "positions",
    "x",
    "self_output",
    "self_sum",
    "context",
    "attention_input",
    "q",
    "k",
    "v",
    "scores",
    "scaled",
    "masked",
    "weights",
    "head_output",
    "concat",
    "attention_output",
    "attention_normed",
    "attention_sum",
    "middle",
    "cross_output",
    "cross_sum",
    "feed_forward_input",
    "before_activation",
    "linear_part",
    "hidden",
    "feed_forward_output",
    "feed_forward_normed",
    "feed_forward_sum",
    "output",
    "w_q",
    "w_k",
    "w_v",
    "w_o",
)
"""All boxes of the diagram that there can be, in the order of computation, and those of matrices behind them.

Two are no more: sessions that were saved with cross_output or cross_sum enlarged are still opened.
"""


class Initialiser(StrEnum):
    """The standard deviation σ_w of the random weights of a block, for weights with d_in inputs."""

    NUMBER = "number"
    HE = "√(2/d_in)"
    NORMALISED = "1/√d_in"
    XAVIER = "√(2/(d_in + d_out))"


class BlockPicture(StrEnum):
    """What the page shows."""

    LAYER = "layer"
    """The diagram: every box with its array."""
    DEPTH = "depth"
    """Gradient and likeness of tokens through a stack."""
    NORM = "norm"
    """Layer norm with both placements of ε against the size of its input."""
    LINEAR = "linear"
    """Scale V, scale X: what follows and what does not."""
    FUTURE = "future"
    """Change one token: which rows of the output move."""
    CACHE = "cache"
    """Decode token by token with a KV cache."""


OF_BLOCK = (BlockPicture.LAYER, BlockPicture.FUTURE, BlockPicture.CACHE)
"""The pictures of the Layer page; the others are views of Lab."""


@dataclass(frozen=True, slots=True)
class LearnedStack(CheckedFields):
    """Names layers that were learned on the Training page, never their numbers: those are learned again."""

    setup: LearningSetup = declared(
        LearningSetup, "run", "All that decides the run whose layers these are", "Open another run", kind=Kind.REFERENCE
    )
    step: int = declared(0, "step", "After how many steps of learning", "Go to step", high=MOST_STEPS)
