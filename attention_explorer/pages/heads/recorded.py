"""A file of attention, or a model, as a state of the Heads page, and how such a file is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attention_explorer.errors import ExplorerError
from attention_explorer.model.token_kinds import is_content_word
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, HeadsView
from attention_explorer.pages.heads.survey import clarity, surveys_of
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.recorded_recipe import Rows
from attention_explorer.sources.recorded_source import FileSource, file_recipe
from attention_explorer.sources.registry import recipe_as, source_of
from attention_explorer.sources.source import Recipe

MOST_THUMBNAILS = 24
"""Heads up to which each has a thumbnail with words at first; of more there is a grid, in which all are seen."""

QUICK = 256 * 2**20
"""Bytes of a model up to which all its heads are looked at before the first is shown: some seconds at most."""


def heads_of_file(
    path: Path,
    *,
    attention: str = "",
    axes: str = "",
    batch: int | None = 0,
    tokens: Sequence[str] = (),
    rows: str = Rows.AS_THEY_ARE,
) -> HeadsState:
    """Look at a file of attention, and return the page that shows its first head; options as for `file_recipe`.

    Raises
    ------
    ExplorerError
        It cannot be read, or holds no attention; the message says why.
    """
    return page_of(file_recipe(path, attention=attention, axes=axes, batch=batch, tokens=tokens, rows=rows))


def warnings_of(heads: HeadsState, *, are_axes_told: bool) -> tuple[str, ...]:
    """Return what of a file on show is not read as somebody may have meant it, in sentences."""
    source = source_of(heads.setup.recipe)
    return source.warnings(are_axes_told=are_axes_told) if isinstance(source, FileSource) else ()


def heads_of_model(path: Path, sentence: str | None = None, target: str | None = None) -> HeadsState:
    """Open a model, and return the page that shows its first head on a sentence, or on one of ours.

    Parameters
    ----------
    path : Path
        A folder or a .gguf file.
    sentence : str, optional
        What it is to read.
    target : str, optional
        What the decoder of an encoder–decoder has written: then its cross-attention is shown.

    Raises
    ------
    ExplorerError
        It cannot be opened, or cannot read text; the message says why.
    """
    return page_of(model_recipe(path, sentence, target))


def page_of(recipe: Recipe) -> HeadsState:
    """Return the page that shows the first head of a recipe."""
    in_grid = sum(source_of(recipe).heads) > MOST_THUMBNAILS
    return HeadsState(HeadsSetup(recipe), HeadsView(in_grid=in_grid), preset="")


def as_b(heads: HeadsState, found: HeadsSetup) -> HeadsSetup:
    """Return what a file or a model is compared as: the head of the place that A has, if there is one.

    Two models are compared under the mask, the temperature and so on of A, and both by words or by tokens.
    """
    setup, counts = heads.setup, source_of(found.recipe).heads
    here, there = recipe_as(setup.recipe, ModelRecipe), recipe_as(found.recipe, ModelRecipe)
    if here is not None and there is not None:
        found = replace(setup, recipe=replace(there, whole_words=here.whole_words))
    has_place = setup.layer < len(counts) and setup.head < counts[setup.layer]
    layer, head = (setup.layer, setup.head) if has_place else (0, 0)
    return replace(found, layer=layer, head=head, aggregate=setup.aggregate)


def at_its_clearest(heads: HeadsState) -> HeadsState:
    """Return the page of a model with the head that looks at one kind of token most clearly, and a word pinned.

    The word is the first that names something; under a causal mask the last, which sees all the others. A model that
    takes long to read every layer of stays as it is.

    Raises
    ------
    ExplorerError
        Its numbers cannot be read.
    """
    recipe = recipe_as(heads.setup.recipe, ModelRecipe)
    if recipe is None or recipe.size > QUICK:
        return heads
    frame = heads_frame(heads.setup)
    best = max(surveys_of(frame), key=clarity)
    words = [place for place, token in enumerate(frame.exact_tokens[0]) if is_content_word(token)]
    row = max(words, key=lambda place: frame.visible[place], default=None)
    return heads.with_setup(layer=best.layer, head=best.head).with_view(row=row)


def looking_at(heads: HeadsState, layer: int | None, head: int | None) -> HeadsState:
    """Return the page with one of its heads, counted from 0; what is None stays.

    Raises
    ------
    ExplorerError
        There is no such layer or head.
    """
    if layer is None and head is None:
        return heads
    counts, count = source_of(heads.setup.recipe).heads, heads.setup.count
    layer = min(heads.setup.layer, len(counts) - 1) if layer is None else layer
    if not 0 <= layer < len(counts):
        raise ExplorerError(f"There is no {count.layer(layer)}: there are {len(counts)}, {count.words}.")
    head = 0 if head is None else head
    if not 0 <= head < counts[layer]:
        raise ExplorerError(
            f"{count.layer(layer).capitalize()} has no {count.head(head)}: it has {counts[layer]}, {count.words}."
        )
    return heads.with_setup(layer=layer, head=head, aggregate=Aggregate.ONE)
