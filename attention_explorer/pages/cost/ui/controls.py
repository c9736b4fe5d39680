"""The controls below the picture of the Cost page: what each picture needs, and no more."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.sentence_field import NOTHING, SentenceField
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureControls
from attention_explorer.pages.cost.state import (
    HIGHEST_MEASURED,
    LONGEST,
    LONGEST_CONTEXT,
    LOWEST_MEASURED,
    CostPicture,
    CostState,
    Quantity,
    Scope,
)

QUANTITIES = (
    (Quantity.OPERATIONS, "operations", "Additions and multiplications of floats, FLOP"),
    (Quantity.NUMBERS, "numbers", "How many numbers the attention matrices hold, and how many the keys and values"),
    (Quantity.BYTES, "bytes", "The memory those numbers take"),
)
SCOPES = (
    (Scope.HEAD, "one head", "One head of one layer, with its share of the projections"),
    (Scope.LAYER, "one layer", "All heads of a layer, and its feed-forward part"),
    (Scope.MODEL, "whole model", "All layers; embeddings and the last projection to the vocabulary are not counted"),
)
LENGTHS = tuple(sorted({round(2 ** (step / 2)) for step in range(41)} | {10, 100, 1000, 10_000, 100_000, 1_000_000}))
DECAYS = tuple(step / 100 for step in range(101))
WINDOWS = tuple(2**power for power in range(21))


class CostControls(PictureControls[CostState]):
    """All controls below the picture, of which those of the picture on show are visible.

    Signals
    -------
    measure_wanted, stop_wanted
        The button was pressed while nothing was measured, or while something was.
    """

    measure_wanted = Signal()
    stop_wanted = Signal()

    def build(self) -> None:
        self._fraction: float | None = None
        self.n = self.sliding(
            "n",
            "number of tokens",
            "n: tokens of the sequence. Arrow keys on the picture double and halve it.",
            lambda state, value: state.with_sizes(n=round(value)),
            LENGTHS,
        )
        self.windowed = self.switch(
            "window",
            "A sliding window: each query scores only itself and the nearest keys before it (Longformer, Mistral). "
            "n·w numbers instead of n².",
            self._on_windowed,
        )
        self.width_box = self.whole_box(
            "Width of the window",
            "w: how many keys a query scores, itself included. Arrow keys step through powers of two.",
            (1, LONGEST),
            lambda value: self.apply(self.state.with_sizes(window=value), "Change the window", "window"),
            stops=WINDOWS,
            width=78,
        )
        self.add_line(self.n, self.windowed, self.width_box)
        self._build_growth()
        self._build_reach()
        self._build_inputs()

    def _build_growth(self) -> None:
        self.quantity = ChoiceRow("Quantity", QUANTITIES, self._on_quantity)
        self.scope = ChoiceBox("How much is counted", "One head, one layer or all layers", SCOPES, self._on_scope)
        self.measure = QPushButton("Measure here")
        self.measure.setToolTip(
            "Run this machine’s attention (one head, queries, keys and values of n × d_k) at growing n and draw how "
            "long it takes. Esc stops."
        )
        self.measure.clicked.connect(self._on_measure)
        self.keep_width(self.measure, 128)
        lengths = [
            (2**power, f"up to {2**power} tokens", f"The longest is a matrix of {2**power} × {2**power}")
            for power in range(LOWEST_MEASURED.bit_length() - 1, HIGHEST_MEASURED.bit_length())
        ]
        self.longest = ChoiceBox(
            "Longest measured",
            "The longest input that is measured: each doubling takes about four times as long",
            lengths,
            self._on_longest,
        )
        self.growth_line = self.add_line(self.quantity, self.scope, self.measure, self.longest)

    def _build_reach(self) -> None:
        self.decay = self.sliding(
            "ρ",
            "ρ of the recurrent state",
            "How much of a token is left in a recurrent state after one step; after ten steps it is ρ¹⁰. 0 to 1",
            lambda state, value: replace(state, decay=min(max(float(value), 0.0), 1.0)),
            DECAYS,
        )
        self.context = self.whole_box(
            "Fixed context",
            "How many tokens back a network with a fixed context sees, as Bengio’s network of 2003 did",
            (1, LONGEST_CONTEXT),
            lambda value: self.apply(self.state.with_sizes(context=value), "Change the context", "context"),
            width=50,
        )
        self.reach_line = self.add_line(self.decay, self.labelled("fixed context", self.context))

    def _build_inputs(self) -> None:
        self.sentence, self.other_sentence = (
            self._sentence(name, field)
            for name, field in (("First input", "sentence"), ("Second input", "other_sentence"))
        )
        self.inputs_line = self.add_line(
            self.labelled("first", self.sentence), self.labelled("second", self.other_sentence)
        )

    def _sentence(self, name: str, field: str) -> SentenceField:
        tip = f"{name}: type a sentence. Sentences of the same length take the same operations."
        return self.sentence_field(name, tip, field, NOTHING, 260)

    # ---- Showing ----

    def show_state(self, state: CostState) -> None:
        self.n.show_value(state.n, LONGEST, 1)
        self.windowed.setChecked(state.windowed)
        show_number(self.width_box, state.window)
        self.quantity.show_value(state.quantity)
        self.scope.show_value(state.scope)
        self.longest.show_value(state.longest_measured)
        self.decay.show_value(state.decay, 1.0)
        show_number(self.context, state.context)
        self.sentence.show_sentence(state.sentence)
        self.other_sentence.show_sentence(state.other_sentence)
        picture = state.picture
        inputs = picture is CostPicture.INPUTS
        self.show_only(
            (
                (self.n, not inputs),
                (self.windowed, not inputs),
                (self.width_box, not inputs and state.windowed),
                (self.growth_line, picture is CostPicture.GROWTH),
                (self.reach_line, picture is CostPicture.REACH),
                (self.inputs_line, inputs),
            )
        )

    def show_measuring(self, fraction: float | None) -> None:
        """Say how much has been measured, 0…1; None if nothing is being measured."""
        self._fraction = fraction
        self.measure.setText("Measure here" if fraction is None else f"Cancel ({fraction:.0%})")

    # ---- Acting ----

    def _on_windowed(self, on: bool) -> None:
        self.change("Use a window" if on else "Use no window", windowed=on)

    def _on_quantity(self, value: object) -> None:
        self.change(f"Draw {value}", quantity=Quantity(str(value)))

    def _on_scope(self, value: object) -> None:
        self.change(f"Count {value}", scope=Scope(str(value)))

    def _on_longest(self, value: object) -> None:
        self.change("Choose how far to measure", longest_measured=int(str(value)))

    def _on_measure(self) -> None:
        (self.measure_wanted if self._fraction is None else self.stop_wanted).emit()
