"""What a state of the Lab page shows, as a figure."""

from __future__ import annotations

from typing import Any

from attention_explorer.kit.frame.view import View
from attention_explorer.kit.pictures.figure import TILES, PicturesFigure
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.measure import Measurement
from attention_explorer.pages.lab.ui.views import views


def lab_figure(state: ExplorerState, measurement: Measurement | None = None) -> PicturesFigure:
    """Return the figure of a state, with what a machine was measured to take, which is no part of the state."""
    view = next(view for view in views(lambda: measurement) if view.id is state.lab.view)
    return figure_of(view, view.of(getattr(state, view.part.name)))


def figure_of(view: View[Any], state: Any, shown: object = None) -> PicturesFigure:  # noqa: ANN401 # of its part
    """Return the figure of a view; ``shown`` are the numbers of its picture, if they have been computed."""
    picture = view.picture
    numbers = picture.compute(state, TILES if picture.uses_pixels else (0, 0)) if shown is None else shown
    title, settings = picture.headline(numbers).removesuffix("."), view.part.settings(state)
    return PicturesFigure(
        state,
        picture,  # type: ignore[arg-type] # what draws a picture asks both kinds the same
        title,
        f"{title}. {settings}",
        settings,
        lambda arrays: view.part.numbers(state, numbers, arrays),
        numbers,
        page="Lab",
    )
