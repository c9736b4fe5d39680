"""What a person can change on the Cost page: the sizes of a transformer, and what is shown of their price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields

LONGEST, WIDEST, MOST_HEADS, MOST_LAYERS, WIDEST_HIDDEN = 2**24, 2**17, 1024, 1000, 2**20
LONGEST_CONTEXT = 64
LOWEST_MEASURED, HIGHEST_MEASURED = 512, 8192
"""Where measuring can end: 8192² numbers of 8 bytes are 0.5 GiB, and attention holds several such matrices."""


class CostPicture(StrEnum):
    """What the page shows."""

    LAYER = "layer"
    GROWTH = "growth"
    REACH = "reach"
    INPUTS = "inputs"


class Precision(StrEnum):
    """How a number is kept."""

    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return int(self.value.removeprefix("float")) // 8


class Quantity(StrEnum):
    """What is drawn against the number of tokens."""

    OPERATIONS = "operations"
    NUMBERS = "numbers"
    BYTES = "bytes"


class Scope(StrEnum):
    """How much of the model is counted."""

    HEAD = "one head"
    LAYER = "one layer"
    MODEL = "whole model"


@dataclass(frozen=True, slots=True)
class CostState(CheckedFields):
    """The Cost page. The sizes of GPT-2 small at the beginning."""

    n: int = 1024
    d_model: int = 768
    heads: int = 12
    d_ff: int = 3072
    layers: int = 12
    precision: Precision = Precision.FLOAT32
    windowed: bool = False
    window: int = 256
    """How many keys a query scores where there is a window, itself included."""
    picture: CostPicture = CostPicture.LAYER
    quantity: Quantity = Quantity.OPERATIONS
    scope: Scope = Scope.LAYER
    longest_measured: int = 4096
    decay: float = 0.9
    """ρ of the linear picture of a recurrent network: what is left of a token after one step."""
    context: int = 5
    """How many tokens back a network with a fixed context sees."""
    sentence: str = "The cat sat on the mat"
    other_sentence: str = "A bird sang in a tree"
    count: Count = Count.FROM_ONE
    """How layers, heads and tokens are numbered in words; a setting of the window. It alters no number."""
    preset: str = "gpt2"

    def with_sizes(self, **changes: int) -> Self:
        """Return the state with other sizes, held within their ranges; d_ff stays 4 · d_model where it was."""
        limits = {
            "n": LONGEST,
            "d_model": WIDEST,
            "heads": MOST_HEADS,
            "layers": MOST_LAYERS,
            "d_ff": WIDEST_HIDDEN,
            "window": LONGEST,
            "context": LONGEST_CONTEXT,
        }
        held = {name: min(max(number, 1), limits[name]) for name, number in changes.items()}
        if "d_model" in held and self.d_ff == 4 * self.d_model:
            held.setdefault("d_ff", 4 * held["d_model"])
        return replace(self, **held)  # type: ignore[arg-type]

    def with_d_k(self, d_k: int) -> Self:
        """Return the state with as many heads as make each of them so wide.

        Raises
        ------
        ExplorerError
            d_model is no multiple of it.
        """
        if d_k < 1 or self.d_model % d_k or self.d_model // d_k > MOST_HEADS:
            raise ExplorerError(
                f"d_model = {self.d_model} cannot be cut into heads of {d_k}: that would be "
                f"{self.d_model / max(d_k, 1):.4g} of them. Choose a divisor of {self.d_model}, at most {MOST_HEADS} "
                "heads."
            )
        return replace(self, heads=self.d_model // d_k)

    @property
    def window_shown(self) -> int | None:
        """The window, if there is one."""
        return self.window if self.windowed else None

    @property
    def d_k(self) -> int:
        """The width of a head, rounded down where heads do not share d_model equally."""
        return max(self.d_model // self.heads, 1)
