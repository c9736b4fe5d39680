"""What a person can change on the Heads page: where the attention comes from, its mask, and how it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.colour_scale import Contrast
from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import Window
from attention_explorer.core.mask import LARGEST_MASK_SIZE as LARGEST_MASK_SIZE
from attention_explorer.core.mask import Cell as Cell
from attention_explorer.core.mask import MaskChoice as MaskChoice
from attention_explorer.core.mask import MaskKind as MaskKind
from attention_explorer.core.numerals import coordinate
from attention_explorer.core.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.model import Stage
from attention_explorer.pages.heads.edited_sentence import place_after_edit
from attention_explorer.pages.heads.writing import Writing
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import context_tokens_of, tokens_of
from attention_explorer.sources.source import Recipe

LARGEST_THRESHOLD = 1e9


class Aggregate(StrEnum):
    """What the large picture shows: one head, or all of them in one."""

    ONE = "one head"
    MEAN = "mean of heads"
    MAX = "max of heads"
    ROLLOUT = "rollout"

    @property
    def words(self) -> str:
        """What the window calls it; files keep the value."""
        return "largest of heads" if self is Aggregate.MAX else self.value


@dataclass(frozen=True, slots=True)
class HeadsSetup(CheckedFields):
    """Everything that decides the numbers of one map: what two setups differ in is what can be compared."""

    recipe: Recipe = field(default_factory=ToyRecipe)
    mask: MaskChoice = field(default_factory=MaskChoice)
    scaled: bool = True
    hard: bool = False
    temperature: float = 1.0
    layer: int = 0
    head: int = 0
    aggregate: Aggregate = Aggregate.ONE
    identity: bool = True
    """Whether a rollout counts the residual connection: ½W + ½I for every layer."""
    switched_off: frozenset[tuple[int, int]] = frozenset()
    """(layer, head) of the heads that are greyed on the wall and left out of mean, max and rollout."""
    count: Count = Count.FROM_ONE
    """How layers, heads and tokens are numbered in words; a setting of the window. It alters no number."""

    @property
    def without_focus(self) -> Self:
        """The setup with nothing large: what is left decides the maps of all heads."""
        plain = replace(self, layer=0, head=0, aggregate=Aggregate.ONE, identity=True, switched_off=frozenset())
        return replace(plain, count=Count.FROM_ONE)

    def with_temperature(self, temperature: float) -> Self:
        """Return the setup at another temperature, held within its range."""
        if math.isnan(temperature):
            raise ExplorerError("The temperature needs a number from 0.01 to 100.")
        return replace(self, temperature=min(max(temperature, LOWEST_TEMPERATURE), HIGHEST_TEMPERATURE))


class Picture(StrEnum):
    """The large picture."""

    HEATMAP = "heatmap"
    LINES = "lines"
    STAGES = "stages"
    COMPARE = "compare"
    MARKED = "marked"
    """The marked heads side by side."""


class Hidden(StrEnum):
    """Keys taken out of the picture; the rest of each row is renormalised, and a badge says so."""

    NOTHING = "nothing"
    FIRST = "first token"
    PUNCTUATION = "punctuation"


class SortBy(StrEnum):
    """The order of the wall."""

    NUMBER = "head"
    ENTROPY = "entropy"
    EVENNESS = "evenness"
    MAX_WEIGHT = "mean of row maxima"
    SATURATED = "saturated rows"
    SCORE_STD = "spread of scores"
    DISTANCE = "distance"
    SELF = "on itself"
    PREVIOUS = "on previous"
    FIRST = "on first"
    NEXT = "on next"
    BACK = "k back"
    SAME = "on same token"
    SPECIAL = "on punctuation"
    INDUCTION = "induction"
    DIFFERENCE = "difference from B"

    @property
    def words(self) -> str:
        """What the number that heads are sorted by is called in a sentence."""
        named = {SortBy.BACK: "weight k back", SortBy.INDUCTION: "weight by induction"}
        return named.get(self, f"weight {self.value}" if self.value.startswith("on ") else self.value)


@dataclass(frozen=True, slots=True)
class Threshold(CheckedFields):
    """Which heads of the wall are looked at: those with a summary from a value on, or up to it."""

    by: SortBy = SortBy.ENTROPY
    value: float = 0.0
    at_most: bool = False

    @property
    def words(self) -> str:
        """The condition as it is written: entropy ≥ 1.2."""
        return f"{self.by.words} {'≤' if self.at_most else '≥'} {coordinate(self.value, 5)}"


@dataclass(frozen=True, slots=True)
class HeadsView(CheckedFields):
    """How the maps are shown; nothing here alters a weight."""

    picture: Picture = Picture.HEATMAP
    stage: Stage = Stage.WEIGHTS
    contrast: Contrast = Contrast.MAX
    colour_map: str = "viridis"
    value_weighted: bool = False
    """Whether weights are multiplied by the lengths of what they weigh, where values are known."""
    row_sums: bool = False
    hidden: Hidden = Hidden.NOTHING
    hidden_tokens: frozenset[str] = frozenset()
    """Tokens that are not shown as keys; the rest of each row stays as it is."""
    sort: SortBy = SortBy.NUMBER
    reverse: bool = False
    """Whether the wall begins at the other end: with the smallest, or with the last head."""
    in_grid: bool = False
    """Whether the wall shows all heads small, a line a layer, instead of thumbnails with words."""
    marked: frozenset[tuple[int, int]] = frozenset()
    """(layer, head) of the heads that are drawn side by side."""
    threshold: Threshold | None = None
    """Which heads of the wall are looked at; all of them if not given."""
    mass: float = 0.9
    """The line view draws the strongest keys of each row up to this share of its weight."""
    row: int | None = None
    column: int | None = None
    """The pinned query and key: both for a cell, one for a row or a column."""
    window: Window | None = None
    """The part of the map that is to be in view; all of it if not given."""

    @property
    def compares_heads(self) -> bool:
        """Whether the wall is arranged by how much its heads differ from the setup kept for comparison."""
        by = None if self.threshold is None else self.threshold.by
        return SortBy.DIFFERENCE in (self.sort, by)

    def arranged_as(self, other: HeadsView) -> Self:
        """Return the view with the wall arranged as in another: that alters neither a number nor a colour."""
        return replace(
            self,
            sort=other.sort,
            reverse=other.reverse,
            in_grid=other.in_grid,
            marked=other.marked,
            threshold=other.threshold,
        )

    def seen(self, shape: tuple[int, int]) -> Window:
        """Return the part in view of a map of this shape; what is wished for may lie beyond a shorter sentence."""
        return Window.whole(shape) if self.window is None else self.window.held_within(shape)


@dataclass(frozen=True, slots=True)
class HeadsState(CheckedFields):
    """The Heads page."""

    setup: HeadsSetup = field(default_factory=HeadsSetup)
    view: HeadsView = field(default_factory=lambda: HeadsView(row=7))
    other: HeadsSetup | None = None
    """The setup kept for comparison (B)."""
    writing: Writing = field(default_factory=Writing)
    """How a model goes on with the sentence."""
    preset: str = "random-words"
    """Where the settings come from; empty for what is no preset, such as a file."""

    def with_setup(self, **changes: object) -> Self:
        """Return the state with some fields of its setup changed."""
        return replace(self, setup=replace(self.setup, **changes))  # type: ignore[arg-type]

    def with_view(self, **changes: object) -> Self:
        """Return the state with some fields of its view changed."""
        return replace(self, view=replace(self.view, **changes))  # type: ignore[arg-type]

    def with_recipe(self, **changes: object) -> Self:
        """Return the state with some fields of its recipe changed; what is pinned follows its token."""
        old, view = self.setup.recipe, self.view
        recipe = replace(old, **changes)
        return self.with_setup(recipe=recipe).with_view(
            row=self._after_edit(view.row, tokens_of(old), tokens_of(recipe)),
            column=self._after_edit(view.column, context_tokens_of(old), context_tokens_of(recipe)),
        )

    def _after_edit(self, place: int | None, before: tuple[str, ...], after: tuple[str, ...]) -> int | None:
        """Return where a pin is once its sentence was edited; in a comparison, B's tokens stand behind all of A's."""
        if place is None:
            return None
        is_of_b = self.view.picture is Picture.COMPARE and self.other is not None and place >= len(before)
        return place - len(before) + len(after) if is_of_b else place_after_edit(place, before, after)
