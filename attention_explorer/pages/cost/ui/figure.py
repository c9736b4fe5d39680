"""What a state of the Cost page shows, as a figure."""

from __future__ import annotations

from attention_explorer.kit.pictures.figure import TILES, PicturesFigure
from attention_explorer.pages.cost.export import cost_numbers
from attention_explorer.pages.cost.measure import Measurement
from attention_explorer.pages.cost.state import CostState
from attention_explorer.pages.cost.ui.pictures import cost_drawings
from attention_explorer.pages.cost.wording import description, picture_title, settings_words


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
