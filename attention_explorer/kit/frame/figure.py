"""What a view shows of a state, as a figure: the one way from a page in the frame to files and the clipboard."""

from __future__ import annotations

from typing import Any

from attention_explorer.kit.frame.view import View
from attention_explorer.kit.pictures.figure import TILES, PicturesFigure


def figure_of(view: View[Any], state: Any, page: str, shown: object = None) -> PicturesFigure:  # noqa: ANN401 # of its part
    """Return the figure of a view of a page; ``shown`` are the numbers of its picture, if they have been computed."""
    picture = view.picture
    numbers = picture.compute(state, TILES if picture.uses_pixels else (0, 0)) if shown is None else shown
    title, settings = picture.title(numbers).removesuffix("."), view.settings(state)
    return PicturesFigure(
        state,
        picture,
        title,
        f"{title}. {settings}",
        settings,
        lambda arrays: view.numbers(state, numbers, arrays),
        numbers,
        page=page,
    )
