"""What a person can change on the Heads page: where the attention comes from, its mask, and how it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.colour_scale import SEQUENTIAL, Contrast
from attention_explorer.core.counting import MOST_TOKENS, MOST_WISHED, Count, count_declared
from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.map_picture import Window
from attention_explorer.core.mask import LARGEST_MASK_SIZE as LARGEST_MASK_SIZE
from attention_explorer.core.mask import Cell as Cell
from attention_explorer.core.mask import MaskChoice as MaskChoice
from attention_explorer.core.mask import MaskKind as MaskKind
from attention_explorer.core.numerals import coordinate
from attention_explorer.core.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE, temperature_declared
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.model import Stage
from attention_explorer.pages.heads.edited_sentence import place_after_edit
from attention_explorer.pages.heads.writing import Writing
from attention_explorer.pages.preset_lists import preset_declared
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import context_tokens_of, tokens_of
from attention_explorer.sources.source import Recipe

LARGEST_THRESHOLD = 1e9
_LAST_PINNED = 2 * MOST_TOKENS - 1
"""Tokens that only B of a comparison has are counted behind those of A."""


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

    recipe: Recipe = declared(
        ToyRecipe, "source", "Where the attention comes from", "Open another source", kind=Kind.REFERENCE
    )
    mask: MaskChoice = declared(MaskChoice, "mask", "Which keys a query may attend to", "Change the mask")
    scaled: bool = declared(
        True,
        "÷ √d_k",
        "Divide every score by √d_k. Without it the scores spread √d_k times as far,\n"
        "and the softmax comes closer to all or nothing.",
        "Switch ÷ √d_k",
    )
    hard: bool = declared(
        False,
        "lookup",
        "How a row of scores becomes a row of weights: every key gets a share, or the best one takes all.",
        "Switch soft and hard",
        names={"off": "Soft", "on": "Hard"},
    )
    temperature: float = temperature_declared()
    layer: int = declared(
        0, "layer", "The layer that is shown large", "Show another layer", high=MOST_WISHED, is_view=True
    )
    head: int = declared(0, "head", "The head that is shown large", "Show another head", high=MOST_WISHED, is_view=True)
    aggregate: Aggregate = declared(
        Aggregate.ONE,
        "what is large",
        "One head, or several in one picture",
        "Show several heads in one",
        names={"max of heads": "largest of heads"},
        is_view=True,
    )
    identity: bool = declared(
        True,
        "identity (½W + ½I)",
        "Count the residual connection: every layer hands half of each token on unmixed.\n"
        "Without it the rollout is the plain product of the layers.",
        "Rollout identity",
    )
    switched_off: frozenset[tuple[int, int]] = declared(
        frozenset(),
        "heads off",
        "Heads that are greyed on the wall and left out of mean, max and rollout: layer and head, from 0",
        "Switch heads off or on",
        high=MOST_WISHED,
    )
    count: Count = count_declared()

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

    by: SortBy = declared(
        SortBy.ENTROPY,
        "summary of the threshold",
        "What is compared with the value",
        "Change the threshold",
        is_view=True,
    )
    value: float = declared(
        0.0,
        "value of the threshold",
        "From which value on, or up to which, heads are looked at",
        "Change the threshold",
        low=-LARGEST_THRESHOLD,
        high=LARGEST_THRESHOLD,
        is_view=True,
    )
    at_most: bool = declared(
        False,
        "at most",
        "At least the value, or at most",
        "Change the threshold",
        names={"off": "≥", "on": "≤"},
        is_view=True,
    )

    @property
    def words(self) -> str:
        """The condition as it is written: entropy ≥ 1.2."""
        return f"{self.by.words} {'≤' if self.at_most else '≥'} {coordinate(self.value, 5)}"


@dataclass(frozen=True, slots=True)
class HeadsView(CheckedFields):
    """How the maps are shown; nothing here alters a weight."""

    picture: Picture = declared(Picture.HEATMAP, "picture", "The large picture", "Change the picture", is_view=True)
    stage: Stage = declared(
        Stage.WEIGHTS, "stage", "How far the computation has gone in the picture", "Change the stage", is_view=True
    )
    contrast: Contrast = declared(
        Contrast.MAX,
        "contrast",
        "How weights become colours; the colour bar always says which weights they stand for",
        "Change the contrast",
        is_view=True,
    )
    colour_map: str = declared(
        "viridis",
        "colours",
        "The colours of the weights. All three grow steadily lighter;\n"
        "cividis reads alike with every kind of colour vision.",
        "Change the colours",
        choices=SEQUENTIAL,
        is_view=True,
    )
    value_weighted: bool = declared(
        False,
        "value-weighted",
        "Whether weights are multiplied by the lengths of what they weigh, where values are known",
        "Weigh the values",
        is_view=True,
    )
    row_sums: bool = declared(
        False,
        "row sums",
        "Write the sum beside each row: 1 for a head, or 0 where everything is masked.",
        "Show row sums",
        is_view=True,
    )
    hidden: Hidden = declared(
        Hidden.NOTHING,
        "hidden keys",
        "Take keys out of the picture; a note says that it no longer shows the raw weights.\n"
        "Numbers that are copied or exported are those of the picture, with the raw weights beside them in NPZ;\n"
        "the thumbnails show every key.",
        "Change the hidden keys",
        is_view=True,
    )
    hidden_tokens: frozenset[str] = declared(
        frozenset(),
        "hidden tokens",
        "Tokens that are not shown as keys; the rest of each row stays as it is",
        "Change the hidden keys",
        is_view=True,
    )
    sort: SortBy = declared(
        SortBy.NUMBER,
        "order of the heads",
        "The order of the thumbnails, the largest first",
        "Sort the heads",
        is_view=True,
    )
    reverse: bool = declared(
        False,
        "reverse",
        "The other way round (T): the smallest first, or the last head",
        "Reverse the order of the heads",
        is_view=True,
    )
    in_grid: bool = declared(
        False,
        "grid",
        "All heads at once, a line a layer. The arrow keys walk the grid; typing L7H3 goes to layer 7, head 3.",
        "All heads in a grid",
        is_view=True,
    )
    marked: frozenset[tuple[int, int]] = declared(
        frozenset(),
        "marked heads",
        "The heads that are drawn side by side: layer and head, from 0",
        "Mark heads",
        high=MOST_WISHED,
        is_view=True,
    )
    threshold: Threshold | None = declared(
        None,
        "threshold",
        "Look only at heads with a summary above or below a value:\nthe grid dims the others, the list leaves them out",
        "Only heads from a value on",
        is_view=True,
    )
    mass: float = declared(
        0.9,
        "share of each row",
        "Each query’s strongest keys are drawn until they hold this share of its weight",
        "Change the share of weight",
        low=0.01,
        high=1.0,
        is_view=True,
    )
    row: int | None = declared(
        None, "row", "The query that is pinned; with a key, a cell", "Pin a token", high=_LAST_PINNED, is_view=True
    )
    column: int | None = declared(
        None, "column", "The key that is pinned; with a query, a cell", "Pin a token", high=_LAST_PINNED, is_view=True
    )
    window: Window | None = declared(
        None,
        "part in view",
        "The part of the map that is in view; all of it if not given",
        "Move the view",
        is_view=True,
    )

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

    setup: HeadsSetup = declared(
        HeadsSetup, "setup", "Everything that decides the numbers of the maps", "Change the setup"
    )
    view: HeadsView = declared(lambda: HeadsView(row=7), "view", "How the maps are shown", "Change the view")
    other: HeadsSetup | None = declared(None, "B", "The setup that is kept for comparison", "Keep as B")
    writing: Writing = declared(Writing, "writing", "How a model goes on with the sentence", "Change the writing")
    preset: str = preset_declared("heads", "random-words", "")
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
