"""What a state of the Block page shows, as a figure."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.kit.pictures.figure import PicturesFigure
from attention_explorer.pages.block.export import block_numbers
from attention_explorer.pages.block.ui.pictures import block_drawing
from attention_explorer.pages.block.wording import description, picture_title, settings_words
from attention_explorer.pages.stack.state import BlockState


def block_figure(state: BlockState, shown: object = None) -> PicturesFigure:
    """Return the figure of a state; ``shown`` is its picture if it has been computed."""
    state = replace(state, picture=state.picture_shown)
    return PicturesFigure(
        state,
        block_drawing(state.picture),
        picture_title(state),
        description(state),
        settings_words(state),
        lambda arrays: block_numbers(state, arrays),
        shown,
    )
