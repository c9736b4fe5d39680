"""What a person can change on the Positions page: the kind of encoding, its sizes, and what is shown of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields

LONGEST, WIDEST = 8192, 1024
LOWEST_BASE, HIGHEST_BASE = 1.0, 1e8
MOST_HEADS = 64
MOST_WAVES = 8


class PositionKind(StrEnum):
    """How a transformer is told where a token stands."""

    NONE = "none"
    SINUSOIDAL = "sinusoidal"
    LEARNED = "learned"
    ROTARY = "rotary"
    ALIBI = "ALiBi"


class RotaryLayout(StrEnum):
    """Which two dimensions of a rotary encoding turn together."""

    HALF = "half"
    INTERLEAVED = "interleaved"


class PositionsPicture(StrEnum):
    """What the page shows."""

    ENCODING = "encoding"
    CLOCKS = "clocks"
    SIMILARITY = "similarity"
    ATTENTION = "attention"
    ORDER = "order"


class Likeness(StrEnum):
    """By what two positions are compared."""

    PRODUCT = "product"
    DISTANCE = "distance"


@dataclass(frozen=True, slots=True)
class PositionsState(CheckedFields):
    """The Positions page."""

    kind: PositionKind = PositionKind.SINUSOIDAL
    length: int = 64
    d_model: int = 64
    base: float = 10000.0
    seed: int = 42
    """Of the learned encoding, of W_q and W_k, and of the content vectors."""
    layout: RotaryLayout = RotaryLayout.HALF
    heads: int = 8
    head: int = 0
    """The head whose ALiBi is looked at, from 0."""
    picture: PositionsPicture = PositionsPicture.ENCODING
    position: int = 5
    shift: int = 3
    dimensions: tuple[int, ...] = (0, 1, 8, 32)
    """The dimensions whose waves are drawn."""
    query_position: int = 40
    causal: bool = False
    concatenated: bool = False
    """Whether the encoding is put beside the embedding instead of being added to it."""
    embedding_scale: float = 1.0
    """The paper multiplies embeddings by √d_model before it adds the encoding."""
    sentence: str = "the dog bites the man"
    shuffle: int = 0
    """How many times the words have been shuffled again; together with the seed it decides their order."""
    likeness: Likeness = Likeness.PRODUCT
    count: Count = Count.FROM_ONE
    """How heads are numbered in words; a setting of the window. It alters no number."""
    preset: str = "sinusoidal"

    def with_sizes(self, **changes: int) -> Self:
        """Return the state with another length, width or number of heads, held within their ranges."""
        limits = {"length": LONGEST, "d_model": WIDEST, "heads": MOST_HEADS}
        held = {name: min(max(number, 1), limits[name]) for name, number in changes.items()}
        return replace(self, **held)  # type: ignore[arg-type]

    def with_base(self, base: float) -> Self:
        """Return the state with another base of the wavelengths, held within its range."""
        if math.isnan(base):
            raise ExplorerError("The base needs a number of at least 1, such as 10000.")
        return replace(self, base=min(max(base, LOWEST_BASE), HIGHEST_BASE))

    def with_position(self, position: int) -> Self:
        """Return the state at another position, held within the length."""
        return replace(self, position=min(max(position, 0), self.length - 1))

    def with_shift(self, shift: int) -> Self:
        """Return the state with another shift k from a position to p + k, held within the length."""
        return replace(self, shift=min(max(shift, 0), self.length - 1))

    @property
    def position_shown(self) -> int:
        """The position wished for, or the last there is."""
        return min(self.position, self.length - 1)

    @property
    def shift_shown(self) -> int:
        """The shift wished for, or the longest there is."""
        return min(self.shift, self.length - 1)

    @property
    def head_shown(self) -> int:
        """The head wished for, or the last there is."""
        return min(self.head, self.heads - 1)

    @property
    def dimensions_shown(self) -> tuple[int, ...]:
        """Those of the dimensions wished for that there are."""
        return tuple(dimension for dimension in self.dimensions if dimension < self.d_model)

    def with_dimension(self, dimension: int) -> Self:
        """Return the state with the wave of a dimension drawn, or no longer; of too many the oldest goes."""
        if dimension in self.dimensions:
            return replace(self, dimensions=tuple(d for d in self.dimensions if d != dimension))
        return replace(self, dimensions=(*self.dimensions, dimension)[-MOST_WAVES:])
