"""The sizes and the seed of the toy model, as rows of the parameter panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox, show_number
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.setup_boxes import SetupSection
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import (
    LARGEST_D_K,
    LARGEST_D_MODEL,
    MOST_HEADS,
    Projections,
    ToyRecipe,
)
from attention_explorer.sources.registry import recipe_as

DEFAULT = ToyRecipe()
SAID = declarations(ToyRecipe)


class RecipeSection(SetupSection):
    """Rows that belong to a `ToyRecipe`; hidden for all others, whose numbers they are not."""

    def show_state(self, heads: HeadsState) -> None:
        recipe = recipe_as(heads.setup.recipe, ToyRecipe)
        self.show_recipe(recipe or DEFAULT)
        self.setEnabled(recipe is not None)
        self.setVisible(recipe is not None)

    def show_recipe(self, recipe: ToyRecipe) -> None:
        """Show the settings of a recipe."""
        raise NotImplementedError

    def add_field_row(self, field: str, *widgets: QWidget, called: str = "", beside: bool = False) -> None:
        """Add a row for a field of the recipe, with its label and tip; ``called`` is what is reset, or the label."""
        said = SAID[field]
        label, default = f"Reset {called or said.label}", getattr(DEFAULT, field)
        self.add_row(
            said.label, said.tip, lambda: self.change(label, field, **{field: default}), *widgets, beside=beside
        )

    def change(self, label: str, merge: str = "", **changes: object) -> None:
        """Change the recipe; whether it can be computed, the page will say."""
        old = recipe_as(self.session.state.heads.setup.recipe, ToyRecipe)
        if old is None:
            return  # a box that loses the keyboard because it is greyed still enters what was typed
        self.apply(self.session.state.heads.with_setup(recipe=replace(old, **changes)), label, merge)  # type: ignore[arg-type]


class SizesSection(RecipeSection):
    """Heads, d_model, d_k, d_v, layers and the seed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, "Toy model", parent)
        self._make_widths()
        self._make_head_width()
        self._make_value_width()
        self._make_layers()
        self._make_seed()

    # ---- Building ----

    def _make_widths(self) -> None:
        self.heads = self._whole_field("heads", "Number of heads")
        self.add_field_row("heads", self.heads)
        self.d_model = self._whole_field("d_model", "d_model, length of an embedding")
        self.add_field_row("d_model", self.d_model, beside=True)
        for box in (self.heads, self.d_model):
            self.keep_width(box, 56)

    def _make_head_width(self) -> None:
        # Up to d_model, as one head may have all of it.
        self.d_k = self._whole_box("d_k, length of a query and a key", 1, LARGEST_D_MODEL, self._on_d_k)
        self.auto = self.make_switch("auto", "d_k is d_model divided by the number of heads", "", self._on_auto)
        self.add_field_row("d_k", self.d_k, self.auto)
        self.keep_width(self.d_k, 56)
        self.one_draw = QLabel("One random draw: see Lab for many.")
        self.one_draw.setObjectName("muted")
        self.one_draw.setToolTip(
            "Another d_k draws other numbers, so scores that spread more or less here may be luck.\n"
            "Lab draws many times for each d_k and shows what d_k itself does."
        )
        self.add_wide(self.one_draw)

    def _make_value_width(self) -> None:
        self.d_v = self._whole_field("d_v", "d_v, length of a value")
        self.as_d_k = self.make_switch("= d_k", "d_v is d_k", "", self._on_as_d_k)
        self.add_field_row("d_v", self.d_v, self.as_d_k)
        self.keep_width(self.d_v, 56)

    def _make_layers(self) -> None:
        self.layers = self._whole_field("layers", "Number of layers")
        self.add_field_row("layers", self.layers)
        self.keep_width(self.layers, 56)

    def _make_seed(self) -> None:
        self.seed = self._whole_field("seed", "Seed of the random numbers")
        self.again = QPushButton("Draw again")
        self.again.setAccessibleName("Draw again, with the next seed")
        self.again.setToolTip("Draw all random numbers anew, with the next seed. What stays the same is no accident.")
        self.again.clicked.connect(self._on_again)
        self.add_field_row("seed", self.seed, self.again)
        self.keep_width(self.seed, 100)

    def _whole_field(self, field: str, name: str) -> WholeNumberBox:
        said = SAID[field]

        def choose(number: float) -> None:
            self.change(said.undo, field, **{field: round(number)})

        return self._whole_box(name, round(said.low), round(said.high), choose)

    def _whole_box(self, name: str, low: int, high: int, choose: Callable[[float], None]) -> WholeNumberBox:
        box = WholeNumberBox(low, high, name)
        box.refused.connect(self.refused)
        box.valueChanged.connect(choose)
        return box

    # ---- Showing ----

    def show_recipe(self, recipe: ToyRecipe) -> None:
        shared = recipe.d_k is None or recipe.projections is Projections.IDENTITY
        self.heads.set_stops(_divisors(recipe.d_model) if shared else ())
        self.d_model.set_stops(range(recipe.heads, LARGEST_D_MODEL + 1, recipe.heads) if shared else ())
        self.auto.setChecked(recipe.d_k is None)
        self.one_draw.setVisible(not shared)
        is_shared = recipe.d_k is None and recipe.d_model % recipe.heads == 0
        self.auto.setText(f"auto: {recipe.d_model} ÷ {recipe.heads}" if is_shared else "auto")
        self.as_d_k.setChecked(recipe.d_v is None)
        for box, number in (
            (self.heads, recipe.heads),
            (self.d_model, recipe.d_model),
            (self.d_k, recipe.head_width),
            (self.d_v, recipe.value_width),
            (self.layers, recipe.layers),
            (self.seed, recipe.seed),
        ):
            show_number(box, number)

    # ---- Acting ----

    def _on_d_k(self, number: float) -> None:
        self._set_d_k(SAID["d_k"].undo, "d_k", round(number))

    def _on_auto(self, auto: bool) -> None:
        if auto:
            self.change("d_k = d_model ÷ heads", d_k=None)
        else:
            self._set_d_k("Own d_k", "", round(self.d_k.value()))

    def _set_d_k(self, label: str, merge: str, d_k: int) -> None:
        if d_k > LARGEST_D_K:  # which no session may have
            self.refused.emit(f"A d_k of its own must be a whole number from 1 to {LARGEST_D_K}, not {d_k}.")
            self.show_state(self.session.state.heads)
            return
        self.change(label, merge, d_k=d_k)

    def _on_as_d_k(self, same: bool) -> None:
        self.change("d_v = d_k" if same else "Own d_v", d_v=None if same else round(self.d_v.value()))

    def _on_again(self) -> None:
        # One undo step each: a draw that was better must be found again.
        self.change("Draw again", seed=(round(self.seed.value()) + 1) % (LARGEST_SEED + 1))


@lru_cache(maxsize=64)
def _divisors(number: int) -> tuple[int, ...]:
    return tuple(divisor for divisor in range(1, min(number, MOST_HEADS) + 1) if number % divisor == 0)
