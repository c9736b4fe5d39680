"""The heads made by hand as a source, and what to say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attention_explorer.sources.hand_made import hand_made_heads, hand_made_layers
from attention_explorer.sources.hand_made_notes import pattern_words
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.hand_made_words import antecedent_gloss, translation_gloss
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.source import Ability, Lookup, Made, Traits
from attention_explorer.sources.typed_source import TypedSource

TRAITS = Traits(
    "hand-made heads",
    "hand-made heads, not learned",
    Made.BY_HAND,
    {
        Ability.DRAWING: "Hand-made heads have no random weights to draw.",
        Ability.EMBEDDINGS: "Hand-made heads have no embeddings: choose random heads to type some.",
    },
)


class HandMadeSource(TypedSource[HandMadeRecipe]):
    """Makes the heads of a `HandMadeRecipe`."""

    @property
    def traits(self) -> Traits:
        return TRAITS

    @property
    def heads(self) -> tuple[int, ...]:
        return (len(hand_made_heads(self.recipe)),)

    def layers(self, lookup: Lookup) -> Sequence[Layer]:
        return hand_made_layers(self.recipe, **lookup.weighing)

    def head_name(self, layer: int, head: int) -> str:
        return hand_made_heads(self.recipe)[head].name

    def formulas(self, place: int) -> Mapping[str, str]:
        own = "1 for the token’s own word; queries, keys and values were made by hand and not from it"
        vectors = dict.fromkeys(("q", "k", "v"), "made by hand, not projected")
        return {"x": own, "context": own, **vectors}

    def verdict(self) -> tuple[str, str]:
        return "These heads were made by hand.", "Nothing was learned."

    def pattern(self, head: int) -> str:
        return pattern_words(self.recipe, head)

    def gloss(self, head: int, row: int, column: int) -> str:
        asking, asked = self.recipe.tokens[row], self.recipe.context_tokens
        kind = hand_made_heads(self.recipe)[head].id
        if kind == "translation":
            return translation_gloss(asking, asked[column], asked)
        if kind != "antecedent":
            return ""
        if asking.casefold() != "it":
            return "Only “it” looks for a referent"
        if self.recipe.has_own_shares:
            return "A typed number"
        return antecedent_gloss(asked[column], asked) or ""

    def differences(self, other: HandMadeSource) -> Iterator[tuple[str, str]]:
        if self.recipe.own_shares != other.recipe.own_shares:
            yield _referents(self.recipe, "A"), _referents(other.recipe, "B")


def _referents(recipe: HandMadeRecipe, name: str) -> str:
    return f"“it” as typed in {name}" if recipe.has_own_shares else "“it” as first made"
