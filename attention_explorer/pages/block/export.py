"""The numbers of the Block page as files, with the settings they were made with."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.numbers_export import Arrays, Numbers
from attention_explorer.pages.block.diagram import DiagramPicture
from attention_explorer.pages.block.wording import picture_title, settings_words
from attention_explorer.pages.stack.export import stack_numbers
from attention_explorer.pages.stack.state import BlockState


def diagram_arrays(picture: DiagramPicture) -> Arrays:
    """Return every array of the layer, the one that is looked at first."""
    arrays: Arrays = {picture.chosen.name: np.asarray(picture.chosen.array)}
    arrays.update({box.name: np.asarray(box.array) for box in picture.boxes})
    arrays["norm_before"], arrays["norm_after"] = np.asarray(picture.before), np.asarray(picture.after)
    arrays["tokens"] = np.array(picture.tokens)
    return arrays


def block_numbers(state: BlockState, arrays: Arrays) -> Numbers:
    """Return the arrays of a picture, the main one first.

    Raises
    ------
    ExportError
        There is nothing to export.
    """
    return stack_numbers(state, f"{picture_title(state)}. {settings_words(state)}", arrays)
