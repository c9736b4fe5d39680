"""What a person can change on the Block page: the layer, its parts that can be switched, and what is shown of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.activations import Activation
from attention_explorer.model.norm import NormKind
from attention_explorer.model.sublayer import NormPlacement
from attention_explorer.sources.learned.setup import LearningSetup

WIDEST, WIDEST_HIDDEN = 1024, 4096
LARGEST_FACTOR = 10.0
"""Of the factor that V or X is multiplied by, in either direction."""
MOST_HEADS, MOST_LAYERS, MOST_BATCH = 64, 24, 8
MOST_TOKENS = 128


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


@dataclass(frozen=True, slots=True)
class LearnedStack(CheckedFields):
    """Names layers that were learned on the Training page, never their numbers: those are learned again."""

    setup: LearningSetup = field(default_factory=LearningSetup)
    step: int = 0


@dataclass(frozen=True, slots=True)
class BlockState(CheckedFields):
    """The Block page. Counted from 0; what does not fit is clamped while it is shown, never altered."""

    sentence: str = "The cat sat on the mat"
    batch: int = 1
    """Sequences at once: the sentence, and beside it others of the same length."""
    d_model: int = 64
    heads: int = 8
    d_ff: int = 256
    layers: int = 1
    seed: int = 42
    embedding_scale: float = 1.0
    """Standard deviation of the embeddings."""
    initialiser: Initialiser = Initialiser.HE
    gain: float = 0.02
    """σ_w itself, if the initialiser is NUMBER."""
    norm: NormPlacement = NormPlacement.POST
    norm_kind: NormKind = NormKind.LAYER
    eps: float = 1e-5
    eps_inside_sqrt: bool = True
    residual: bool = True
    feed_forward: bool = True
    """Whether the second half of the layer is there."""
    activation: Activation = Activation.RELU
    causal: bool = False
    encoding: bool = True
    """Whether sinusoids are added to the embeddings."""
    picture: BlockPicture = BlockPicture.LAYER
    layer: int = 0
    """The layer looked into."""
    box: str = "x"
    """The box of the diagram that is enlarged, by its name."""
    head: int = 0
    token: int | None = None
    """The token whose row is followed through all boxes."""
    factor: float = 2.0
    """By what V or X is multiplied to see what is linear."""
    changed_token: int = 4
    """The token that is replaced to see which rows of the output move."""
    decoded: int = 3
    """Tokens decoded so far with the KV cache."""
    norm_scale: float = 1e-3
    """Standard deviation of the rows that the norms are tried on."""
    learned: LearnedStack | None = None
    """The layers, if they were learned and not drawn from the seed; they decide the sizes and switches above."""
    count: Count = Count.FROM_ONE
    """How layers, heads and tokens are numbered in words; a setting of the window. It alters no number."""
    preset: str = "encoder"

    def with_sizes(self, **changes: int) -> Self:
        """Return the state with other sizes, held within their ranges. Whether they go together is told elsewhere."""
        limits = {
            "batch": MOST_BATCH,
            "d_model": WIDEST,
            "heads": MOST_HEADS,
            "d_ff": WIDEST_HIDDEN,
            "layers": MOST_LAYERS,
        }
        held = {name: min(max(number, 1), limits[name]) for name, number in changes.items()}
        return replace(self, **held)  # type: ignore[arg-type]

    def with_number(self, name: str, number: float, low: float, high: float) -> Self:
        """Return the state with another gain, eps, scale or factor, held between ``low`` and ``high``.

        Raises
        ------
        ExplorerError
            It is not a number.
        """
        if math.isnan(number):
            raise ExplorerError(f"The {name.replace('_', ' ')} needs a number from {low:g} to {high:g}.")
        return replace(self, **{name: min(max(number, low), high)})  # type: ignore[arg-type]

    @property
    def layer_shown(self) -> int:
        """The layer wished for, or the last there is."""
        return min(self.layer, self.layers - 1)

    @property
    def head_shown(self) -> int:
        """The head wished for, or the last there is."""
        return min(self.head, self.heads - 1)
