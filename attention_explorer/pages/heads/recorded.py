"""A file of attention, or a model, as a state of the Heads page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, HeadsView
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.recorded_source import file_recipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Recipe

MOST_THUMBNAILS = 24
"""Heads up to which each has a thumbnail with words at first; of more there is a grid, in which all are seen."""


def heads_of_file(
    path: Path, *, attention: str = "", axes: str = "", batch: int | None = 0, tokens: Sequence[str] = ()
) -> HeadsState:
    """Look at a file of attention, and return the page that shows its first head; options as for `file_recipe`.

    Raises
    ------
    ExplorerError
        It cannot be read, or holds no attention; the message says why.
    """
    return page_of(file_recipe(path, attention=attention, axes=axes, batch=batch, tokens=tokens))


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
