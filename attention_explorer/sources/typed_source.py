"""What sources have in common that read what somebody types."""

from __future__ import annotations

from typing import TypeVar

from attention_explorer.sources.source import Source, TypedRecipe

T = TypeVar("T", bound=TypedRecipe)


class TypedSource(Source[T]):
    """Reads what somebody types."""

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.recipe.tokens

    @property
    def context_tokens(self) -> tuple[str, ...]:
        return self.recipe.context_tokens

    @property
    def sentence(self) -> str:
        return self.recipe.sentence

    @property
    def context(self) -> str | None:
        return self.recipe.context
