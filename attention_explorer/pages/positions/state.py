"""What a person can change on the Positions page: the kind of encoding, its sizes, what is shown of it, and how."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from attention_explorer.core.counting import Count, count_declared
from attention_explorer.core.declared import Kind, declared, derived, with_value
from attention_explorer.core.numerals import coordinate
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.fields import CheckedFields
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.positions.kinds.kind import PositionEncoding
from attention_explorer.pages.positions.kinds.registry import KINDS, PositionKind, kind_of
from attention_explorer.pages.preset_lists import preset_declared

LONGEST, WIDEST = 8192, 1024
LOWEST_BASE, HIGHEST_BASE = 1.0, 1e8
MOST_HEADS = 64
MOST_WAVES = 8


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


_RANDOM = PositionsPicture.SIMILARITY, PositionsPicture.ATTENTION, PositionsPicture.ORDER
"""Views with random contents and projections whatever the kind."""
_ALL_KINDS = PositionsPicture.ATTENTION, PositionsPicture.ORDER
"""Views that show every kind."""


def _in(
    *pictures: PositionsPicture, of: Callable[[PositionEncoding], bool] = lambda _kind: False
) -> Callable[[Any], bool]:
    """Return (state) -> whether one of some views is on show, or one of some encodings."""
    return lambda state: state.picture in pictures or of(kind_of(state))


def _of_length(state: Any) -> tuple[float, float]:  # noqa: ANN401 # the state, whose class comes below
    return 0, state.length - 1


def _why_none(state: Any) -> str:  # noqa: ANN401 # the same
    """Return why no position can be looked at."""
    if state.picture is PositionsPicture.CLOCKS and not kind_of(state).turns:
        return "Only a sinusoidal or a rotary encoding has clocks. Choose one of them."
    if state.picture is PositionsPicture.ENCODING and state.kind is PositionKind.NONE:
        return "Without an encoding no position differs from another."
    return ""


@dataclass(frozen=True, slots=True)
class PositionsState(CheckedFields):
    """The Positions page."""

    kind: PositionKind = declared(
        PositionKind.SINUSOIDAL,
        "encoding",
        "\n".join(kind.tip for kind in KINDS.values()),
        "Choose the encoding",
    )
    length: int = declared(
        64,
        "length",
        "Number of positions; arrow keys step through powers of two",
        "Change length",
        low=1,
        high=LONGEST,
        stops=tuple(2**power for power in range(14)),
        shown=lambda state: state.picture is not PositionsPicture.ORDER,  # there the words are as many as they are
    )
    d_model: int = declared(
        64,
        "d_model",
        "Number of dimensions; arrow keys step through powers of two",
        "Change d_model",
        low=1,
        high=WIDEST,
        stops=tuple(2**power for power in range(11)),
        shown=_in(*_RANDOM, of=lambda kind: not kind.has_slopes),
    )
    base: float = declared(
        10000.0,
        "base",
        "Wavelengths are 2π · base^(2i/d_model): the higher the base, the slower the last hands",
        "Change the base",
        low=LOWEST_BASE,
        high=HIGHEST_BASE,
        shown=_in(*_ALL_KINDS, of=lambda kind: kind.turns),
    )
    seed: int = declared(
        42,
        "seed",
        "Decides the learned encoding, W_q, W_k and the contents: the same seed gives the same numbers",
        "Change the seed",
        high=LARGEST_SEED,
        shown=_in(*_RANDOM, of=lambda kind: kind.is_drawn),
    )
    layout: RotaryLayout = declared(
        RotaryLayout.HALF,
        "pairs",
        "Which two dimensions a rotary encoding turns together: the same rotations, in a different order.\n"
        "i, i + d/2: GPT-NeoX, Llama.\n2i, 2i + 1: neighbours, as in the paper and in GPT-J.",
        "Choose the pairs",
        names={"half": "i, i + d/2", "interleaved": "2i, 2i + 1"},
        shown=_in(*_ALL_KINDS, of=lambda kind: kind.has_layouts),
    )
    heads: int = declared(
        8,
        "heads",
        "Number of heads, each with a slope of its own for ALiBi",
        "Change heads",
        low=1,
        high=MOST_HEADS,
        shown=_in(*_ALL_KINDS, of=lambda kind: kind.has_slopes),
    )
    head: int = declared(
        0,
        "head",
        "Which head is shown. Each has weights of its own, and with ALiBi a slope of its own.",
        "Show another head",
        high=MOST_HEADS - 1,
        is_view=True,
    )
    picture: PositionsPicture = declared(
        PositionsPicture.ENCODING, "picture", "Which picture is shown", "Show another picture", is_view=True
    )
    position: int = declared(
        5,
        "position p",
        "Which position is looked at, from 0. Arrow keys on the picture move it too.",
        "Move the position",
        high=LONGEST - 1,
        is_view=True,
        ends=_of_length,
        forbids=_why_none,
    )
    shift: int = declared(
        3,
        "shift k",
        "From position p to p + k: each hand turns by its own angle k·θ, whatever p is.",
        "Move the shift",
        high=LONGEST - 1,
        ends=_of_length,
        shown=lambda state: state.picture is PositionsPicture.CLOCKS and kind_of(state).turns,
    )
    dimensions: tuple[int, ...] = declared(
        (0, 1, 8, 32),
        "waves of dimensions",
        f"Up to {MOST_WAVES} dimensions, counted from 0, with commas between them: 0, 1, 8, 32",
        "Choose the waves",
        kind=Kind.LIST,
        is_view=True,
        high=WIDEST - 1,
        most=MOST_WAVES,
        shown=lambda state: kind_of(state).turns or kind_of(state).adds,
    )
    query_position: int = declared(
        40,
        "query at",
        "Where the query stands, from 0; the keys stand at every position.",
        "Move the query",
        high=LONGEST - 1,
        is_view=True,
        ends=_of_length,
        shown=_in(PositionsPicture.ATTENTION),
    )
    causal: bool = declared(
        False,
        "causal mask",
        "Each query sees only itself and what comes before it. That alone tells attention about order.",
        "Switch the causal mask",
        shown=_in(*_ALL_KINDS),
    )
    concatenated: bool = declared(
        False,
        "encoding is",
        "Added to the embedding, as in the paper: the vectors do not get wider.\n"
        "Beside it (concatenated): content and position stay apart, and the vectors get twice as wide.",
        "Switch add and concatenate",
        names={"off": "added", "on": "concatenated"},
        shown=_in(PositionsPicture.ATTENTION),
    )
    embedding_scale: float = declared(
        1.0,
        "embedding scale",
        "What the token embeddings are multiplied by before the encoding is added",
        "Move the scale of the embeddings",
        high=100.0,
        stops=[step / 20 for step in range(641)],  # up to 32; more can be typed
        shown=_in(*_ALL_KINDS),
    )
    sentence: str = declared(
        "the dog bites the man",
        "sentence",
        "Type a sentence: its words are shuffled, with and without each encoding",
        "Type",
        has_words=True,
        shown=_in(PositionsPicture.ORDER),
    )
    shuffle: int = declared(
        0,
        "shuffle",
        "How many times the words have been shuffled again; together with the seed it decides their order",
        "Shuffle the words",
        high=LARGEST_SEED,
        shown=_in(PositionsPicture.ORDER),
    )
    likeness: Likeness = declared(
        Likeness.PRODUCT,
        "compare by",
        "product: PE(p) · PE(p′), the larger, the more alike, as attention compares them.\n"
        "distance: ‖PE(p) − PE(p′)‖; 0 would mean that two positions cannot be told apart.",
        "Compare otherwise",
        is_view=True,
        shown=lambda state: state.picture is PositionsPicture.SIMILARITY and kind_of(state).adds,
    )
    count: Count = count_declared()
    preset: str = preset_declared("positions", "sinusoidal")

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
    @derived(
        "head",
        "Which head is shown. Each has weights of its own, and with ALiBi a slope of its own.",
        "Show another head",
        is_view=True,
        high=MOST_HEADS,
        ends=lambda state: (state.count.first, state.count.number(state.heads - 1)),
        shown=lambda state: (
            state.picture is PositionsPicture.ORDER
            or (kind_of(state).has_slopes and state.picture is not PositionsPicture.CLOCKS)
        ),
    )
    def head_number(self) -> int:
        """The number of the head, as it is counted."""
        return self.count.number(self.head_shown)

    @property
    @derived(
        "× √d_model",
        "Multiply token embeddings by √d_model before the encoding is added, as the paper does",
        "Switch × √d_model",
        shown=_in(*_ALL_KINDS),
    )
    def scaled_by_root(self) -> bool:
        """Whether embeddings are multiplied by √d_model."""
        return math.isclose(self.embedding_scale, math.sqrt(self.d_model))

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

    @property
    def query_shown(self) -> int:
        """The position of the query wished for, or the last there is."""
        return min(self.query_position, self.length - 1)

    def with_dimension(self, dimension: int) -> Self:
        """Return the state with the wave of a dimension drawn, or no longer; of too many the oldest goes."""
        if dimension in self.dimensions:
            return replace(self, dimensions=tuple(d for d in self.dimensions if d != dimension))
        return replace(self, dimensions=(*self.dimensions, dimension)[-MOST_WAVES:])


def changed(state: PositionsState, name: str, value: Any) -> PositionsState:  # noqa: ANN401 # of the type of the field
    """Return the state with another value in a field, held within its range.

    Raises
    ------
    ExplorerError
        It cannot hold that; the message says why.
    """
    match name:
        case "position":
            return state.with_position(round(value))
        case "shift":
            return state.with_shift(round(value))
        case "length" | "d_model" | "heads":
            return state.with_sizes(**{name: value})
        case "base":
            return state.with_base(value)
        case "query_position":
            return replace(state, query_position=min(max(round(value), 0), state.length - 1))
        case "head_number":
            return replace(state, head=max(state.count.index_of(round(value)), 0))
        case "scaled_by_root":
            return replace(state, embedding_scale=math.sqrt(state.d_model) if value else 1.0)
        case "dimensions":
            typed = isinstance(value, str)
            return replace(state, dimensions=parsed_dimensions(value, state.d_model) if typed else value)
    return with_value(state, name, value)


# ---- Dimensions as people type them ----


def dimensions_text(dimensions: tuple[int, ...]) -> str:
    """Return dimensions as they stand in their field."""
    return ", ".join(map(str, dimensions))


def parsed_dimensions(text: str, d_model: int) -> tuple[int, ...]:
    """Read dimensions as people type them: "0, 1 8;32".

    Raises
    ------
    ExplorerError
        One is no whole number from 0 to below ``d_model``, or there are too many.
    """
    parts = text.replace(",", " ").replace(";", " ").split()
    for part in parts:
        if not (part.isdecimal() and len(part) < 10 and int(part) < d_model):
            last = coordinate(d_model - 1)
            wanted = f"type whole numbers from 0 to {last}, such as 0, 1, 8"
            raise ExplorerError(f"{quoted(part)} is not a dimension: {wanted}.")
    found = tuple(dict.fromkeys(int(part) for part in parts))
    if len(found) > MOST_WAVES:
        raise ExplorerError(f"There is room for {MOST_WAVES} waves, not {len(found)}. Choose fewer dimensions.")
    return found
