"""The numbers of random heads, in the drawer: sizes, seed, projections, gain and embeddings."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import declaration_of, with_value
from attention_explorer.core.numerals import plain, scientific
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.made import allow_unless
from attention_explorer.kit.controls.sliding_number import SlidingNumber
from attention_explorer.kit.form import Form
from attention_explorer.kit.theme import Look
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import (
    LARGEST_D_K,
    LARGEST_D_MODEL,
    MOST_HEADS,
    GainKind,
    Projections,
    TokenVectors,
    ToyRecipe,
)
from attention_explorer.sources.registry import recipe_as

DEFAULT = ToyRecipe()
GAIN = declaration_of(ToyRecipe, "gain")
FIELDS = (
    *("heads", "d_model", "head_width", "value_width", "layers", "seed"),
    *("projections", "gain_kind", "vectors", "embedding_scale", "case_sensitive", "encoding"),
)
NAMES = frozenset(declaration_of(ToyRecipe, field).label for field in FIELDS)
"""What its controls are called."""
SET_WITH: Final = {"head_width": ("d_k",), "value_width": ("d_v",), "gain_kind": ("gain_kind", "gain")}
"""The fields of a recipe that are put back together, where they are not the one that is named."""
MOST_MEASURED = 256
"""Tokens up to which the spread of the scores is measured at every change: that takes a few milliseconds."""


def changed(recipe: ToyRecipe, name: str, value: Any) -> ToyRecipe:  # noqa: ANN401 # of the type of its field
    """Return a recipe with another value in a field; whether it can be computed, the page will say."""
    if name == "gain":
        return replace(recipe, gain_kind=GainKind.NUMBER, gain=value)
    if name not in ("head_width", "value_width"):
        return with_value(recipe, name, value)
    if value > LARGEST_D_K:  # which no session may have
        label = declaration_of(ToyRecipe, name).label
        raise ExplorerError(f"A {label} of its own must be a whole number from 1 to {LARGEST_D_K}, not {value}.")
    return replace(recipe, **{SET_WITH[name][0]: value})


def as_usual(recipe: ToyRecipe, name: str) -> ToyRecipe:
    """Return a recipe with a field put back."""
    usual: dict[str, Any] = {field: getattr(DEFAULT, field) for field in SET_WITH.get(name, (name,))}
    return replace(recipe, **usual)


class RandomHeads(QWidget):
    """The fields of a `ToyRecipe`; hidden for all others, whose numbers they are not."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._frame: HeadsFrame | None = None
        heading = QLabel("Toy model")
        heading.setObjectName("cardTitle")
        self.form = Form(ToyRecipe, FIELDS, look, changed, in_column=True, usual=as_usual)
        self.form.changed.connect(self._on_changed)
        self.refused = self.form.refused
        self._make_widths()
        self._make_gain(look)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(heading)
        column.addWidget(self.form)
        self.set_look(look)

    # ---- Building ----

    def _make_widths(self) -> None:
        self.auto = self._switch("head_width", "auto", "d_k is d_model divided by the number of heads", self._on_auto)
        self.as_d_k = self._switch("value_width", "= d_k", "d_v is d_k", self._on_as_d_k)
        self.again = QPushButton("Draw again")
        self.again.setAccessibleName("Draw again, with the next seed")
        self.again.setToolTip("Draw all random numbers anew, with the next seed. What stays the same is no accident.")
        self.again.clicked.connect(self._on_again)
        self.form.add_beside("seed", self.again)
        self.one_draw = _muted("One random draw: see Lab for many.")
        self.one_draw.setToolTip(
            "Another d_k draws other numbers, so scores that spread more or less here may be luck.\n"
            "Lab draws many times for each d_k and shows what d_k itself does."
        )
        self.form.add_below("head_width", self.one_draw)

    def _switch(self, field: str, title: str, name: str, choose: Any) -> QPushButton:  # noqa: ANN401 # of one bool
        switch = QPushButton(title)
        switch.setCheckable(True)
        switch.setAccessibleName(name)
        switch.setToolTip(self.form.said(field).tip)
        switch.clicked.connect(choose)
        self.form.add_beside(field, switch)
        return switch

    def _make_gain(self, look: Look) -> None:
        self.gain: SlidingNumber[HeadsState] = SlidingNumber(
            self._session,
            "heads",
            GAIN.label,
            "gain",
            f"{GAIN.tip}\nDouble click: back to the default.",
            lambda heads, gain: heads.with_setup(recipe=changed(_toy(heads), "gain", gain)),
            GAIN.stops,
            undo=GAIN.undo,
            usual=lambda heads: heads.with_setup(recipe=as_usual(_toy(heads), "gain_kind")),
        )
        self.gain.box.setSingleStep(0.01)
        self.gain.box.refused.connect(self.refused)
        self.readout = _muted("")
        self.readout.setAccessibleName("Spread of the scores")
        self.readout.setToolTip(
            "Predicted for two different words in the first layer, over all draws;\n"
            "measured over all visible scores of the head on show."
        )
        self.form.add_below("gain_kind", self.readout)
        self.form.add_below("gain_kind", self.gain, self.gain.label)
        scale: Any = self.form.controls["embedding_scale"]
        scale.setSingleStep(0.1)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.form.set_look(look)
        self.gain.set_look(look)
        self.gain.slider.setMinimumWidth(look.px(60))
        # Room for two lines, so that nothing below jumps while the gain is dragged.
        self.readout.setMinimumHeight(2 * look.px(17))

    def show_state(self, heads: HeadsState) -> None:
        """Show the recipe of a state, if it is one of random heads."""
        found = recipe_as(heads.setup.recipe, ToyRecipe)
        self.setEnabled(found is not None)
        self.setVisible(found is not None)
        recipe = found or DEFAULT
        self.form.show_state(recipe)
        self._show_widths(recipe)
        low, high = GAIN.range_in(recipe)
        self.gain.show_value(recipe.gain_number, high, low)
        allow_unless(GAIN.reason_against(recipe), self.gain.slider, self.gain.box)
        given = recipe.vectors is TokenVectors.GIVEN or bool(recipe.given)
        vectors: Any = self.form.controls["vectors"]
        vectors.enable_values(lambda value: given or value is not TokenVectors.GIVEN)

    def _show_widths(self, recipe: ToyRecipe) -> None:
        shared = recipe.d_k is None or recipe.projections is Projections.IDENTITY
        boxes: Any = self.form.controls
        boxes["heads"].set_stops(_divisors(recipe.d_model) if shared else ())
        boxes["d_model"].set_stops(range(recipe.heads, LARGEST_D_MODEL + 1, recipe.heads) if shared else ())
        self.one_draw.setVisible(not shared)
        is_shared = recipe.d_k is None and recipe.d_model % recipe.heads == 0
        self.auto.setText(f"auto: {recipe.d_model} ÷ {recipe.heads}" if is_shared else "auto")
        self.auto.setChecked(recipe.d_k is None)
        self.as_d_k.setChecked(recipe.d_v is None)

    def show_spread(self, frame: HeadsFrame) -> None:
        """Show what the scores spread by; measured when it can be seen."""
        if frame is not self._frame:
            self._frame = frame
            self._show_spread()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_spread()

    def _show_spread(self) -> None:
        if self._frame is not None and self.isVisible():
            note = spread_note(self._frame)
            self.readout.setText(note)
            self.readout.setVisible(bool(note))

    # ---- Acting ----

    def _on_changed(self, recipe: ToyRecipe, label: str, merge: str = "") -> None:
        """Change the recipe, as one step."""
        state = self._session.state
        shown = recipe_as(state.heads.setup.recipe, ToyRecipe)
        if shown is None:
            return  # a box that loses the keyboard because it is greyed still enters what was typed
        # The word is the section's own, so that "seed" here never joins a step of another part of the window.
        heads = state.heads.with_setup(recipe=recipe)
        self._session.apply(replace(state, heads=heads), label, merge and f"random {merge}")

    def _change(self, label: str, **changes: Any) -> None:  # noqa: ANN401 # of the types of the fields
        self._on_changed(replace(_toy(self._session.state.heads), **changes), label)

    def _on_auto(self, auto: bool) -> None:
        if auto:
            self._change("d_k = d_model ÷ heads", d_k=None)
        else:
            self.form.set_value("head_width", _toy(self._session.state.heads).head_width)

    def _on_as_d_k(self, same: bool) -> None:
        self._change(
            "d_v = d_k" if same else "Own d_v", d_v=None if same else _toy(self._session.state.heads).head_width
        )

    def _on_again(self) -> None:
        # One undo step each: a draw that was better must be found again.
        seed = _toy(self._session.state.heads).seed
        self._change("Draw again", seed=(seed + 1) % (LARGEST_SEED + 1))


def _toy(heads: HeadsState) -> ToyRecipe:
    """Return the recipe of random heads."""
    return recipe_as(heads.setup.recipe, ToyRecipe) or DEFAULT


def _muted(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("muted")
    label.setWordWrap(True)
    return label


@lru_cache(maxsize=64)
def _divisors(number: int) -> tuple[int, ...]:
    return tuple(divisor for divisor in range(1, min(number, MOST_HEADS) + 1) if number % divisor == 0)


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
