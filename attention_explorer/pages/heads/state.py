"""What a person can change on the Heads page: where the attention comes from, its mask, and how it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from attention_explorer.core.counting import MOST_TOKENS, MOST_WISHED, Count, count_declared
from attention_explorer.core.declared import Kind, declared, derived
from attention_explorer.core.map_picture import SEQUENTIAL, Contrast, Window
from attention_explorer.core.mask import Cell as Cell
from attention_explorer.core.mask import MaskChoice as MaskChoice
from attention_explorer.core.mask import MaskKind as MaskKind
from attention_explorer.core.mask import mask_size_derived
from attention_explorer.core.weighing import (
    HIGHEST_TEMPERATURE,
    LOWEST_TEMPERATURE,
    hard_declared,
    scaled_declared,
    switched_off_declared,
    temperature_declared,
)
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.model import Stage
from attention_explorer.pages.heads.edited_sentence import place_after_edit
from attention_explorer.pages.heads.parts import MOST_KEYS, Check, Experiment, Writing, moments
from attention_explorer.pages.heads.parts import RowSpeed as RowSpeed
from attention_explorer.pages.heads.parts import SortBy as SortBy
from attention_explorer.pages.heads.parts import Threshold as Threshold
from attention_explorer.pages.preset_lists import preset_declared
from attention_explorer.sources.model_recipe import WHOLE_WORDS
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import context_tokens_of, source_of, tokens_of
from attention_explorer.sources.source import Ability, Recipe

NO_STEPS = "No more than the weights is known here, so there are no steps to walk through."
LAST_STEP = 99
"""More steps than the arithmetic of a row has: whoever looks at it there sees all of it."""
MOST_CHECKPOINTS = 10_000
"""More than anybody saves of one training."""
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
    scaled: bool = scaled_declared()
    hard: bool = hard_declared()
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
        shown=lambda heads: heads.setup.aggregate is Aggregate.ROLLOUT,
    )
    switched_off: frozenset[tuple[int, int]] = switched_off_declared()
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
    """The views of the page; files keep the values."""

    HEATMAP = "heatmap"
    """One head as a map."""
    ALL = "all heads"
    """Every head of the source, as a quilt."""
    ROW = "row"
    """One row of the head, from products to its output."""
    LINES = "lines"
    STAGES = "stages"
    COMPARE = "compare"
    MARKED = "marked"
    """The marked heads side by side."""
    CHECK = "check"
    """Experiments with the head on show."""


class Hidden(StrEnum):
    """Keys taken out of the picture; the rest of each row is renormalised, and a badge says so."""

    NOTHING = "nothing"
    FIRST = "first token"
    PUNCTUATION = "punctuation"


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
        "the small maps show every key.",
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
        "order",
        "The order of the small maps, the largest first",
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
        "a line a layer",
        "All heads as maps alone, a line a layer, however few there are; many always are.\n"
        "The arrow keys walk; typing L7H3 goes to layer 7, head 3.",
        "A line a layer",
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
        "Look only at heads with a summary above or below a value:\nthe small maps of the others are dimmed, the "
        "list leaves them out",
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
        stops=[step / 100 for step in range(1, 101)],
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
    step: int = declared(
        LAST_STEP,
        "step",
        "How far the row has been computed, from the products of query and keys to the output",
        "Go to another step",
        high=LAST_STEP,
        ends=lambda heads: (0, heads.last_step),
        forbids=lambda heads: "" if heads.last_step else NO_STEPS,
        is_view=True,
    )
    speed: RowSpeed = declared(
        RowSpeed.STEADY, "speed", "How long a step of the row stays while it plays", "Change the speed", is_view=True
    )
    surprise: bool = declared(
        False,
        "surprise",
        "Below each token, how little the model expected it from those before it: −log₂ p, in bits",
        "Show how little each token was expected",
        shown=lambda heads: source_of(heads.setup.recipe).writes,
        is_view=True,
    )
    signed: bool = declared(
        False,
        "A − B in all heads",
        "Show each small map as its weights less those of the same head of B, the setup kept for comparison",
        "Show how each head differs from B",
        shown=lambda heads: heads.other is not None,
        is_view=True,
    )

    effect: bool = declared(
        False,
        "effect on the answer",
        "Colour every head by how the answer changes without it: each is switched off alone, and the model runs again",
        "Colour heads by their effect",
        shown=lambda heads: source_of(heads.setup.recipe).can_be_asked and heads.view.picture is Picture.ALL,
        is_view=True,
    )
    answer: str = declared(
        "",
        "answer",
        "Whose logit is measured, at the pinned token or at the last: a word of one token; empty for the one that the\n"
        "model finds most probable. It is taken over the next most probable one",
        "Ask for another answer",
        kind=Kind.SENTENCE,
        shown=lambda heads: heads.view.effect and heads.view.picture is Picture.ALL,
        is_view=True,
    )

    @property
    def compares_heads(self) -> bool:
        """Whether the heads are shown as, or arranged by, how they differ from the setup kept for comparison."""
        by = None if self.threshold is None else self.threshold.by
        return self.signed or SortBy.DIFFERENCE in (self.sort, by)

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
    experiment: Experiment = declared(
        Experiment, "experiment", "The experiment of the view Check", "Change the experiment"
    )

    @property
    @mask_size_derived(shown=lambda heads: heads.setup.mask.kind.has_size, merge="mask size")
    def mask_size(self) -> int:
        """The number of the mask."""
        return self.setup.mask.size

    @property
    @derived(
        "token to change",
        "The token whose vector gets noise: the pinned one, or one in the middle, if none is chosen",
        "Change another token",
        high=MOST_TOKENS,
        ends=lambda heads: (heads.setup.count.first, heads.setup.count.number(heads.last_key)),
        shown=lambda heads: heads.experiment.check is Check.CHANGE,
    )
    def token_changed(self) -> int:
        """The number of the token that the experiment changes."""
        wished = next((each for each in (self.experiment.token, self.view.row) if each is not None), None)
        return self.setup.count.number(self.last_key // 2 if wished is None else min(wished, self.last_key))

    @property
    @derived(*WHOLE_WORDS, shown=lambda heads: source_of(heads.setup.recipe).cuts_words)
    def whole_words(self) -> bool:
        """Whether the tokens of a word are shown as one."""
        return self.setup.recipe.whole_words

    @property
    @derived(
        "checkpoint",
        "Which saved step of its training the model is read from: the folders that lie beside it, in order",
        "Go to another checkpoint",
        low=1,
        high=MOST_CHECKPOINTS,
        ends=lambda heads: (1, max(len(source_of(heads.setup.recipe).saved_steps), 1)),
        shown=lambda heads: bool(source_of(heads.setup.recipe).saved_steps),
        merge="checkpoint",
    )
    def checkpoint(self) -> int:
        """The number of the checkpoint that is open."""
        return source_of(self.setup.recipe).saved_step + 1

    @property
    def last_key(self) -> int:
        """The last key there is."""
        try:
            return max(len(context_tokens_of(self.setup.recipe)) - 1, 0)
        except ExplorerError:  # why it cannot be opened is said where it is to be seen
            return 0

    @property
    def last_step(self) -> int:
        """The last step of the row that is looked at: known without computing it."""
        if self.view.row is None and self.view.column is not None:
            return 0  # a column of the map, which is read at once
        try:
            source = source_of(self.setup.recipe)
            lines = min(len(source.context_tokens), MOST_KEYS)
        except ExplorerError:  # why it cannot be opened is said where it is to be seen
            return LAST_STEP
        is_one, lacks = self.setup.aggregate is Aggregate.ONE, source.traits.reason_against
        scores, values = (is_one and not lacks(each) for each in (Ability.SCORES, Ability.VALUES))
        return max(len(moments(lines, has_scores=scores, has_values=values)) - 1, 0)

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
        return self.with_setup(recipe=recipe, mask=self._mask_after_edit(recipe)).with_view(
            row=self._after_edit(view.row, tokens_of(old), tokens_of(recipe)),
            column=self._after_edit(view.column, context_tokens_of(old), context_tokens_of(recipe)),
        )

    @property
    def words_hidden(self) -> tuple[int, ...]:
        """The keys that no query may look at, as they were hidden one by one."""
        recipe = self.setup.recipe
        return self.setup.mask.words_hidden(len(tokens_of(recipe)), len(context_tokens_of(recipe)))

    def with_word(self, column: int, *, hide: bool) -> Self:
        """Return the state with a word hidden from all, or to be seen again."""
        n_q = len(tokens_of(self.setup.recipe))
        return self.with_setup(mask=self.setup.mask.with_word(column, n_q, hide=hide))

    def _mask_after_edit(self, recipe: Recipe) -> MaskChoice:
        """Return the mask for an edited sentence: a word that is hidden from all stays so, wherever it is now."""
        old, mask, words = self.setup.recipe, self.setup.mask, self.words_hidden
        before, after = context_tokens_of(old), context_tokens_of(recipe)
        if not words or not after or (before, tokens_of(old)) == (after, tokens_of(recipe)):
            return mask
        for word in words:
            mask = mask.with_word(word, len(tokens_of(old)), hide=False)
        for word in words:
            mask = mask.with_word(place_after_edit(word, before, after), len(tokens_of(recipe)), hide=True)
        return mask

    def _after_edit(self, place: int | None, before: tuple[str, ...], after: tuple[str, ...]) -> int | None:
        """Return where a pin is once its sentence was edited; in a comparison, B's tokens stand behind all of A's."""
        if place is None:
            return None
        is_of_b = self.view.picture is Picture.COMPARE and self.other is not None and place >= len(before)
        return place - len(before) + len(after) if is_of_b else place_after_edit(place, before, after)
