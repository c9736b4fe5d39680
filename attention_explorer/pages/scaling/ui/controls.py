"""The controls below the picture of the Scaling page: sizes and gain, or what is done to the scores of the bench."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureControls
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.scaling.growth import STOPS
from attention_explorer.pages.scaling.state import (
    LARGEST_D_K,
    LARGEST_D_MODEL,
    LARGEST_FACTOR,
    LARGEST_GAIN,
    LEAST_FACTOR,
    GainRule,
    ScalingPicture,
    ScalingState,
)

RULES = (
    (GainRule.NUMBER, "number", "The same σ_w whatever d_model is, such as the 0.3 and 0.1 of tutorials"),
    (GainRule.NORMALISED, "1/√d_model", "Keeps the variance: entries of x·W have variance 1"),
    (GainRule.HE, "√(2/d_model)", "He initialisation, made for ReLU: entries of x·W have variance 2"),
)
D_MODEL_STOPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024)
GAINS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0)
FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
LARGEST_SHIFT = 1000


class ScalingControls(PictureControls[ScalingState]):
    """All controls below the picture, of which those of the picture on show are visible."""

    # ---- Building ----

    def build(self) -> None:
        self._make_sizes()
        self._make_gain()
        self._make_bench()
        self._lines = (
            self.add_line(self.d_k, self.d_model, self.follows),
            self.add_line(self.rules_row, self.gain),
            self.add_line(self.factor, self.shift),
        )

    def _make_sizes(self) -> None:
        self.d_k = self.sliding(
            "d_k",
            "d_k",
            "How many numbers a query and a key have. Arrow keys on the picture move it too.",
            lambda state, value: state.with_d_k(round(value)),
            STOPS,
        )
        self.d_model = self.sliding(
            "d_model",
            "d_model",
            "How many numbers a token has before W_q and W_k",
            lambda state, value: replace(state, d_model=round(value), follows=False),
            D_MODEL_STOPS,
        )
        self.follows = self.switch(
            "follows d_k",
            "Let d_model be whatever d_k is, as in a demo with one slider for both.",
            lambda on: self.change("d_model follows d_k" if on else "d_model stays", follows=on),
        )

    def _make_gain(self) -> None:
        self.rules = ChoiceRow(
            "Gain σ_w", RULES, lambda value: self.change("Choose the gain", rule=GainRule(str(value)))
        )
        self.rules.setToolTip("σ_w, the standard deviation of the entries of W_q and W_k")
        self.rules_row = self.labelled("gain σ_w", self.rules)
        self.gain = self.sliding(
            "=",
            "gain",
            "σ_w, the standard deviation of the entries of W_q and W_k",
            lambda state, value: replace(state, gain=value, rule=GainRule.NUMBER),
            GAINS,
        )

    def _make_bench(self) -> None:
        self.factor = self.sliding(
            "×",
            "factor",
            "What all scores are multiplied by: the larger, the sharper, until exp overflows",
            lambda state, value: replace(state, bench=replace(state.bench, factor=value)),
            FACTORS,
        )
        self.shift = self.sliding(
            "add",
            "constant",
            "A constant that is added to every score of the chosen row",
            lambda state, value: replace(state, bench=replace(state.bench, shift=float(value))),
        )

    # ---- Showing ----

    def show_state(self, state: ScalingState) -> None:
        self.d_k.show_value(state.d_k, LARGEST_D_K, 1)
        self.d_model.show_value(state.d_model_shown, LARGEST_D_MODEL, 1)
        self.follows.setChecked(state.follows)
        self.rules.show_value(state.rule)
        self.gain.show_value(state.gain, LARGEST_GAIN, 0.0)
        show_number(self.gain.box, state.gain)
        self.factor.show_value(state.bench.factor, LARGEST_FACTOR, LEAST_FACTOR)
        self.shift.show_value(state.bench.shift, LARGEST_SHIFT, -LARGEST_SHIFT)
        bench = state.picture is ScalingPicture.BENCH
        projected = not bench and state.source is ScoreSource.PROJECTED
        visible: tuple[tuple[QWidget, bool], ...] = (
            (self._lines[0], not bench),
            (self._lines[1], projected),
            (self._lines[2], bench),
            (self.d_model, projected),
            (self.follows, projected),
            (self.gain, state.rule is GainRule.NUMBER),
        )
        self.show_only(visible)
