"""The lines above the picture of the Scaling page: presets, pictures, and what scores are made of."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLineEdit, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureBar
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.pages.scaling.bench import parsed_rows, rows_text
from attention_explorer.pages.scaling.presets import SCALING_PRESETS
from attention_explorer.pages.scaling.state import (
    MOST_DRAWS,
    MOST_KEYS,
    BenchState,
    Precision,
    ScalingPicture,
    ScalingState,
)

SOURCES = (
    (
        ScoreSource.DIRECT,
        "q, k drawn",
        "Every number of every query and key is drawn independently, as theory assumes",
    ),
    (
        ScoreSource.PROJECTED,
        "x·W",
        "Tokens x with d_model numbers each are drawn, and W_q and W_k project them, as in an untrained layer",
    ),
    (ScoreSource.EMBEDDINGS, "Q = K = X", "No projections: tokens are compared with tokens, themselves included"),
)
DISTRIBUTIONS = (
    (EntryDistribution.NORMAL, "normal", "N(0, 1)"),
    (EntryDistribution.UNIFORM, "uniform", "Between −√3 and √3, which has variance 1"),
    (EntryDistribution.LAPLACE, "Laplace", "A peak and long tails, variance 1"),
    (EntryDistribution.SIGNS, "±1", "−1 or 1 with equal chances, variance 1"),
)
PICTURES = (
    (ScalingPicture.SCORES, "Scores", "Histograms of raw and scaled scores, and what the softmax makes of them"),
    (ScalingPicture.GROWTH, "Against d_k", "Spread, largest weight, entropy and gradient from d_k = 1 to 512"),
    (ScalingPicture.BENCH, "Softmax bench", "Drag scores, and see every step, the Jacobian, and where it breaks"),
)
PRECISIONS = (
    (Precision.HALF, "float16", "11 bits of precision; exp overflows above 11.09"),
    (Precision.SINGLE, "float32", "24 bits of precision; exp overflows above 88.72"),
    (Precision.DOUBLE, "float64", "53 bits of precision; exp overflows above 709.78"),
)
AXES = (
    (False, "over keys", "Right: each query’s weights over the keys sum to 1 (the last axis)"),
    (True, "over queries", "Wrong: each key’s weights over the queries sum to 1 (axis 0). Watch the row sums."),
)
SPOKEN_OF = (
    (False, "not scaled", "Put q·k in the foreground; the scaled scores stay in the picture"),
    (True, "÷ √d_k", "Put q·k ÷ √d_k in the foreground; the scores that are not scaled stay in the picture"),
)
DRAWS = (1, 10, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)


class ScalingBar(PictureBar[ScalingState]):
    """The bar of the Scaling page."""

    page_title = "Why √d_k"
    presets = SCALING_PRESETS
    pictures = PICTURES

    # ---- Building ----

    def build_lines(self) -> None:
        self._make_entries()
        self._make_draws()
        self._make_views()
        self._make_bench()
        self._drawn = self.add_line(
            self.sources,
            self.labelled("entries", self.distribution),
            self._keys_row,
            self.labelled("draws", self.draws),
            self.labelled("seed", self.seed),
            self.spoken_of,
            self.beside(self.shared_axis, self.held_axis),
        )
        self._bench = self.add_line(
            self.labelled("scores", self.scores),
            self.subtract_max,
            self.precision,
            self.labelled("normalise", self.axis),
        )

    def _make_entries(self) -> None:
        self.sources = ChoiceRow(
            "How queries and keys are made",
            SOURCES,
            lambda value: self.change("Make q and k another way", source=ScoreSource(str(value))),
        )
        self.distribution = ChoiceBox(
            "Distribution of the entries",
            "What random numbers are drawn from; mean 0 and variance 1 in all cases",
            DISTRIBUTIONS,
            lambda value: self.change("Choose the distribution", distribution=EntryDistribution(str(value))),
        )

    def _make_draws(self) -> None:
        self.keys = self.whole_box(
            "Number of keys",
            "How many keys a query has, and with x·W or Q = K = X how many tokens there are",
            (1, MOST_KEYS),
            lambda value: self.change("Change the number of keys", "keys", keys=value),
            stops=(1, 2, 4, 6, 8, 10, 16, 32, 64),
            width=48,
        )
        self._keys_row = self.labelled("keys", self.keys)
        self.draws = self.whole_box(
            "Number of draws",
            "How many times everything is drawn: four times as many draws halve the error",
            (1, MOST_DRAWS),
            lambda value: self.change("Change the number of draws", "draws", draws=value),
            stops=DRAWS,
            width=66,
        )
        self.seed = self.whole_box(
            "Seed",
            "Decides all random numbers: the same seed gives the same numbers",
            (0, LARGEST_SEED),
            lambda value: self.change("Change the seed", "seed", seed=value),
            width=84,
        )

    def _make_views(self) -> None:
        self.spoken_of = ChoiceRow(
            "Scaling", SPOKEN_OF, lambda value: self.change("Scale" if value else "Do not scale", scaled=bool(value))
        )
        self.shared_axis = self.switch(
            "one axis for both",
            "Draw raw and scaled scores over the same axis. Off: each over its own, where both have the same shape.",
            lambda on: self.change("One axis" if on else "An axis each", shared_axis=on),
        )
        self.held_axis = self.switch(
            "hold the axes",
            "The axes stay as they are while d_k moves, for comparison. Click to fit them to the scores again.",
            lambda on: self.change("Hold the axes" if on else "Fit the axes", axis_d_k=self.state.d_k if on else 0),
        )

    def _make_bench(self) -> None:
        self.scores = QLineEdit()
        self.scores.setAccessibleName("Scores")
        self.scores.setToolTip(
            "Scores of a query with commas between them; a semicolon begins another query:\n2, 1, 0; 0, 3, 1"
        )
        self.scores.editingFinished.connect(self._on_scores_typed)
        self.keep_width(self.scores, 400)
        self.subtract_max = self.switch(
            "subtract max",
            "Subtract the largest score before exp: exact weights stay the same, and exp cannot overflow.",
            lambda on: self._change_bench("Subtract the largest score" if on else "Subtract nothing", subtract_max=on),
        )
        self.precision = ChoiceRow(
            "Precision",
            PRECISIONS,
            lambda value: self._change_bench(f"Compute in {value}", precision=Precision(str(value))),
        )
        self.axis = ChoiceRow(
            "Axis that is normalised",
            AXES,
            lambda value: self._change_bench(
                "Normalise over the queries" if value else "Normalise over the keys", over_queries=bool(value)
            ),
        )
        self.axis.setToolTip("Which sums are 1")

    # ---- Showing ----

    def show_values(self, state: ScalingState) -> None:
        is_bench = state.picture is ScalingPicture.BENCH
        lines: tuple[tuple[QWidget, bool], ...] = (
            (self._drawn, not is_bench),
            (self._bench, is_bench),
            (self.shared_axis, state.picture is ScalingPicture.SCORES),
            (self.held_axis, state.picture is ScalingPicture.SCORES),
        )
        self.show_only(lines)
        self.sources.show_value(state.source)
        self.spoken_of.show_value(state.scaled)
        self.shared_axis.setChecked(state.shared_axis)
        self.held_axis.setChecked(bool(state.axis_d_k))
        self.distribution.show_value(state.distribution)
        for box, number in ((self.keys, state.keys), (self.draws, state.draws), (self.seed, state.seed)):
            show_number(box, number)
        self._show_bench(state.bench)

    def _show_bench(self, bench: BenchState) -> None:
        text = rows_text(bench.rows)
        is_typing = self.scores.hasFocus() and self.scores.isModified()
        if not is_typing and self.scores.text() != text:
            self.scores.setText(text)
            self.scores.setCursorPosition(0)
        self.subtract_max.setChecked(bench.subtract_max)
        self.precision.show_value(bench.precision)
        self.axis.show_value(bench.over_queries)

    def is_changed(self, state: ScalingState) -> bool:
        """Whether the settings are no longer those of the preset; how they are looked at does not count."""
        ready = self.preset_of(state).state
        bench = replace(state.bench, row=ready.bench.row, key=ready.bench.key)
        looked_at = {"picture": ready.picture, "shared_axis": ready.shared_axis, "axis_d_k": 0, "bench": bench}
        changed: bool = replace(state, **looked_at) != ready
        return changed

    # ---- Acting ----

    def _change_bench(self, label: str, **changes: object) -> None:
        self.change(label, bench=replace(self.state.bench, **changes))  # type: ignore[arg-type]

    def _on_scores_typed(self) -> None:
        if not self.scores.isModified():
            return
        self.scores.setModified(False)
        try:
            rows = parsed_rows(self.scores.text())
        except ExplorerError as error:
            self.refused.emit(str(error))
            rows = self.state.bench.rows
        if rows != self.state.bench.rows:
            self._change_bench("Type scores", rows=rows)
        self._show_bench(self.state.bench)
