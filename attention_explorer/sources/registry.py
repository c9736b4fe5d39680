"""Which sources there are. This is the only place where the type of a recipe counts."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, TypeVar

from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe, FileRecipe
from attention_explorer.sources.source import Recipe, Source

R = TypeVar("R", bound=Recipe)

KINDS: dict[type[Recipe], str] = {
    ToyRecipe: "toy",
    HandMadeRecipe: "hand-made",
    BoxRecipe: "in the box",
    FileRecipe: "file",
    LearnedRecipe: "learned",
    ModelRecipe: "model",
}
"""What each type of recipe is called in session files. A name stays for ever: files have it."""

_SOURCES: dict[type[Recipe], tuple[str, str]] = {
    ToyRecipe: ("toy_source", "ToySource"),
    HandMadeRecipe: ("hand_made_source", "HandMadeSource"),
    BoxRecipe: ("recorded_source", "BoxSource"),
    FileRecipe: ("recorded_source", "FileSource"),
    LearnedRecipe: ("learned_source", "LearnedSource"),
    ModelRecipe: ("model_source", "ModelSource"),
}
"""Module and class of the source for each type of recipe; it is imported when the first one is opened."""


@lru_cache(maxsize=32)
def source_of(recipe: Recipe) -> Source[Any]:
    """Return the source that a recipe names. Nothing is computed or read before it is asked for.

    Parameters
    ----------
    recipe : Recipe
        Of one of the types in `KINDS`.

    Returns
    -------
    Source
    """
    module, name = _SOURCES[type(recipe)]
    source: Source[Any] = getattr(import_module(f"attention_explorer.sources.{module}"), name)(recipe)
    return source


def tokens_of(recipe: Recipe) -> tuple[str, ...]:
    """Return the tokens that a recipe names, one a query; none if its source cannot be opened."""
    return source_of(recipe).tokens


def context_tokens_of(recipe: Recipe) -> tuple[str, ...]:
    """Return the tokens that are looked at, one a key."""
    return source_of(recipe).context_tokens


def sentence_of(recipe: Recipe) -> str:
    """Return what the queries belong to, as text."""
    return source_of(recipe).sentence


def context_of(recipe: Recipe) -> str | None:
    """Return what the keys belong to, as text; None if queries and keys belong to the same tokens."""
    return source_of(recipe).context


def recipe_as(recipe: Recipe, kind: type[R]) -> R | None:
    """Return a recipe if it is of a type, else None: for controls that edit recipes of this type and of no other.

    What is shown of a recipe, and whether something can be done with it, is for its source to say.
    """
    return recipe if isinstance(recipe, kind) else None
