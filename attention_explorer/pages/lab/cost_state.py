"""What a person can change of the pictures of cost: the sizes of a transformer, and what is shown of their price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.counting import Count, count_declared
from attention_explorer.core.declared import declared, derived, ranges
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.preset_lists import preset_declared

LONGEST, WIDEST, MOST_HEADS, MOST_LAYERS, WIDEST_HIDDEN = 2**24, 2**17, 1024, 1000, 2**20
LONGEST_CONTEXT = 64
_WIDTHS = (64, 128, 256, 512, 768, 1024, 1280, 1600, 2048, 4096, 8192, 12288)
_HALF_POWERS = {round(2 ** (step / 2)) for step in range(2 * LONGEST.bit_length() - 1)}
LENGTHS = tuple(sorted(_HALF_POWERS | {10**power for power in range(1, 8)}))
"""Numbers of tokens at which the slider and a drag stop."""


class CostPicture(StrEnum):
    """What the page shows."""

    LAYER = "layer"
    GROWTH = "growth"
    REACH = "reach"
    INPUTS = "inputs"


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
    """What is counted of a transformer. The sizes of GPT-2 small at the beginning."""

    n: int = declared(
        1024,
        "n",
        "n: tokens of the sequence. Arrow keys on the picture double and halve it.",
        "Move n",
        low=1,
        high=LONGEST,
        stops=LENGTHS,
    )
    d_model: int = declared(
        768,
        "d_model",
        "d: how many numbers a token has. The n part of the operations grows with d², the n² part with d. A "
        "d_ff of 4·d stays 4·d.",
        "Change d_model",
        low=1,
        high=WIDEST,
        stops=_WIDTHS,
    )
    heads: int = declared(
        12,
        "heads",
        "h: heads in a layer. More heads make more matrices of n × n, each from narrower queries: the number "
        "of operations stays the same.",
        "Change heads",
        low=1,
        high=MOST_HEADS,
        stops=(1, 2, 4, 8, 12, 16, 25, 32, 48, 64, 96, 128),
        shown=lambda state: state.picture is not CostPicture.REACH or state.d_model % state.heads != 0,
    )
    d_ff: int = declared(
        3072,
        "d_ff",
        "Hidden numbers of the feed-forward part, 4·d_model in most models. It costs 4·n·d·d_ff operations.",
        "Change d_ff",
        low=1,
        high=WIDEST_HIDDEN,
        stops=tuple(4 * width for width in _WIDTHS),
    )
    layers: int = declared(
        12,
        "layers",
        "L: layers of the model. 6 in the 2017 base model, 12 in GPT-2 small, 48 in GPT-2 XL, 96 in GPT-3.",
        "Change layers",
        low=1,
        high=MOST_LAYERS,
        stops=(1, 2, 4, 6, 12, 24, 32, 48, 64, 80, 96, 128),
    )
    precision: Precision = declared(
        Precision.FLOAT32, "precision", "How a number is kept: in 2, 4 or 8 bytes", "Choose the precision"
    )
    windowed: bool = declared(
        False,
        "window",
        "A sliding window: each query scores only itself and the nearest keys before it (Longformer, "
        "Mistral). n·w numbers instead of n².",
        "Switch the window",
    )
    window: int = declared(
        256,
        "w",
        "w: how many keys a query scores, itself included. Arrow keys step through powers of two.",
        "Change the window",
        low=1,
        high=LONGEST,
        stops=tuple(2**power for power in range(21)),
        shown=lambda state: state.windowed,
    )
    picture: CostPicture = declared(
        CostPicture.LAYER, "picture", "Which picture is shown", "Show another picture", is_view=True
    )
    quantity: Quantity = declared(
        Quantity.OPERATIONS,
        "quantity",
        "What is drawn against the number of tokens",
        "Draw another quantity",
        is_view=True,
    )
    scope: Scope = declared(
        Scope.LAYER, "scope", "One head, one layer or all layers", "Count another part", is_view=True
    )
    longest_measured: int = declared(
        4096,
        "longest measured",
        "The longest input that is measured: each doubling takes about four times as long",
        "Choose how far to measure",
        # 8192² numbers of 8 bytes are 0.5 GiB, and attention holds several such matrices.
        choices=(512, 1024, 2048, 4096, 8192),
        is_view=True,
    )
    decay: float = declared(
        0.9,
        "ρ",
        "How much of a token is left in a recurrent state after one step; after ten steps it is ρ¹⁰. 0 to 1",
        "Move ρ of the recurrent state",
        high=1.0,
        stops=tuple(step / 100 for step in range(101)),
    )
    context: int = declared(
        5,
        "fixed context",
        "How many tokens back a network with a fixed context sees, as Bengio’s network of 2003 did",
        "Change the context",
        low=1,
        high=LONGEST_CONTEXT,
    )
    sentence: str = declared(
        "The cat sat on the mat",
        "first",
        "First input: type a sentence. Sentences of the same length take the same operations.",
        "Type",
        has_words=True,
    )
    other_sentence: str = declared(
        "A bird sang in a tree",
        "second",
        "Second input: type a sentence. Sentences of the same length take the same operations.",
        "Type",
        has_words=True,
    )
    count: Count = count_declared()
    preset: str = preset_declared("cost", "gpt2")

    def with_sizes(self, **changes: int) -> Self:
        """Return the state with other sizes, held within their ranges; d_ff stays 4 · d_model where it was."""
        limits = ranges(type(self))
        held = {name: round(min(max(number, 1), limits[name][1])) for name, number in changes.items()}
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
    def is_narrow(self) -> bool:
        """Whether there is a window, and it leaves out some key."""
        return self.windowed and self.window < self.n

    @property
    def window_shown(self) -> int | None:
        """The window, if there is one."""
        return self.window if self.windowed else None

    @property
    @derived(
        "d_k",
        "d_k = d_model ÷ heads: how wide a head is. Setting it changes the number of heads.",
        "Change d_k",
        low=1,
        high=WIDEST,
        shown=lambda state: state.d_model % state.heads == 0,
    )
    def d_k(self) -> int:
        """The width of a head, rounded down where heads do not share d_model equally."""
        return max(self.d_model // self.heads, 1)
