"""What a state of the Scaling page shows, as a figure."""

from __future__ import annotations

from attention_explorer.kit.pictures.figure import PicturesFigure
from attention_explorer.pages.scaling.export import scaling_numbers
from attention_explorer.pages.scaling.state import ScalingState
from attention_explorer.pages.scaling.ui.pictures import DRAWINGS
from attention_explorer.pages.scaling.wording import description, picture_title, settings_words


def scaling_figure(state: ScalingState, shown: object = None) -> PicturesFigure:
    """Return the figure of a state; ``shown`` is its picture if it has been computed."""
    return PicturesFigure(
        state,
        DRAWINGS[state.picture],
        picture_title(state),
        description(state),
        settings_words(state) + ".",
        lambda arrays: scaling_numbers(state, arrays),
        shown,
    )
