"""The projections of the toy model and their gain, as rows of the parameter panel, with what the scores spread by."""

from __future__ import annotations

import math

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from attention_explorer.core.numerals import plain, scientific
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.whole_number_box import show_number, show_position
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.ui.setup_boxes import GAIN_STEPS, gain_to_slider, show_choice, slider_to_gain
from attention_explorer.pages.heads.ui.setup_model import DEFAULT, SAID, RecipeSection
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import GainKind, Projections, ToyRecipe
from attention_explorer.sources.registry import recipe_as

MOST_MEASURED = 256
"""Tokens up to which the spread of the scores is measured at every change: that takes a few milliseconds."""

GAIN_KINDS = (
    (GainKind.NORMALISED, "1/√d_model"),
    (GainKind.HE, "He, √(2/d_model)"),
    (GainKind.NUMBER, "own number"),
)
PROJECTIONS = (
    (Projections.RANDOM, "random W_q, W_k, W_v"),
    (Projections.TIED, "W_q = W_k (tied)"),
    (Projections.IDENTITY, "none: Q = K = V = X"),
)


class ProjectionsSection(RecipeSection):
    """How queries, keys and values come from the embeddings, and how large the random numbers are."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, "", parent)
        self._frame: HeadsFrame | None = None
        self._make_projections()
        self._make_gain()

    # ---- Building ----

    def _make_projections(self) -> None:
        self.projections = self.make_combo("Projections", PROJECTIONS, self._on_projections)
        self.add_field_row("projections", self.projections)

    def _make_gain(self) -> None:
        self.gain_kind = self.make_combo("Kind of gain", GAIN_KINDS, self._on_gain_kind)
        self.gain = NumberBox(SAID["gain"].low, SAID["gain"].high, "Gain, exact")
        self.gain.setSingleStep(0.01)
        self.gain.refused.connect(self.refused)
        self.gain.valueChanged.connect(self._on_gain_typed)
        self.keep_width(self.gain, 68)
        self.gain_slider = self.make_slider("Gain", GAIN_STEPS, self._on_gain_moved)
        for field, widgets in (("gain_kind", (self.gain_kind,)), ("gain", (self.gain_slider, self.gain))):
            self.add_row(SAID[field].label, SAID[field].tip, self._reset_gain, *widgets)
        self._make_readout()

    def _make_readout(self) -> None:
        self.readout = QLabel()
        self.readout.setObjectName("muted")
        self.readout.setWordWrap(True)
        self.readout.setAccessibleName("Spread of the scores")
        self.readout.setToolTip(
            "Predicted for two different words in the first layer, over all draws;\n"
            "measured over all visible scores of the head on show."
        )
        self.add_wide(self.readout)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        # Room for two lines, so that nothing below jumps while the gain is dragged.
        self.readout.setMinimumHeight(2 * look.px(17))

    def show_recipe(self, recipe: ToyRecipe) -> None:
        show_choice(self.projections, recipe.projections)
        show_choice(self.gain_kind, recipe.gain_kind)
        show_number(self.gain, recipe.gain_number)
        show_position(self.gain_slider, gain_to_slider(recipe.gain_number))
        for widget in (self.gain_kind, self.gain, self.gain_slider):
            widget.setEnabled(recipe.projections is not Projections.IDENTITY)

    def show_spread(self, frame: HeadsFrame) -> None:
        """Show what the scores spread by; measured when it can be seen."""
        if frame is not self._frame:
            self._frame = frame
            self._show_spread()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_spread()

    def _show_spread(self) -> None:
        if self._frame is None or not self.isVisible():
            return
        note = spread_note(self._frame)
        self.readout.setText(note)
        self.readout.setVisible(bool(note))

    # ---- Acting ----

    def _on_projections(self, index: int) -> None:
        kind, title = PROJECTIONS[index]
        self.change(f"Projections: {title}", projections=kind)

    def _on_gain_kind(self, index: int) -> None:
        kind, title = GAIN_KINDS[index]
        self.change(f"Gain: {title}", gain_kind=kind)

    def _on_gain_typed(self, gain: float) -> None:
        self.change("Type gain", "gain", gain_kind=GainKind.NUMBER, gain=gain)

    def _on_gain_moved(self, step: int) -> None:
        heads = self.session.state.heads.with_recipe(gain_kind=GainKind.NUMBER, gain=slider_to_gain(step))
        self.slide(self.gain_slider, heads, SAID["gain"].undo, "gain")

    def _reset_gain(self) -> None:
        self.change("Reset gain", "gain", gain_kind=DEFAULT.gain_kind, gain=DEFAULT.gain)


def spread_note(frame: HeadsFrame) -> str:
    """Return how wide the entries of W and the scores spread: predicted, and as measured for the head on show.

    The spread is measured for few tokens only. The text is empty for other models than the toy.
    """
    recipe = recipe_as(frame.setup.recipe, ToyRecipe)
    if recipe is None:
        return ""
    has_w = recipe.projections is not Projections.IDENTITY
    entries = f"Entries of W: std {scientific(recipe.gain_number)}." if has_w else "No W: a score is x·x′."
    predicted = recipe.predicted_score_std(frame.setup.scaled) if frame.layer == 0 else None
    measured = verdict(frame).head.score_std if max(frame.shape) <= MOST_MEASURED else math.nan
    known = ["no simple prediction"] if has_w else []
    if predicted is not None:
        known = [f"std {_short(predicted)} predicted"]
    if not math.isnan(measured):
        known.append(f"{'std ' if predicted is None else ''}{_short(measured)} here")
    scores = "Scaled scores" if frame.setup.scaled else "Scores"
    return f"{entries} {scores}: {', '.join(known)}." if known else entries


def _short(spread: float) -> str:
    return plain(spread, 2) if spread >= 0.1 else scientific(spread)
