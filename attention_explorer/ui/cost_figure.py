"""What a state of the Cost page shows, as a figure."""

from __future__ import annotations

from attention_explorer.state.cost import CostState
from attention_explorer.state.cost_export import cost_numbers
from attention_explorer.state.cost_measure import Measurement
from attention_explorer.state.cost_wording import description, picture_title, settings_words
from attention_explorer.ui.cost_pictures import cost_drawings
from attention_explorer.ui.pictures_figure import TILES, PicturesFigure


def cost_figure(state: CostState, measurement: Measurement | None = None) -> PicturesFigure:
    """Return the figure of a state, with what a machine was measured to take, which is no part of the state."""
    drawing = cost_drawings(lambda: measurement)[state.picture]
    picture = drawing.compute(state, TILES)
    return PicturesFigure(
        state,
        drawing,
        picture_title(state),
        description(state),
        settings_words(state),
        lambda _arrays: cost_numbers(picture),
        picture,
    )
