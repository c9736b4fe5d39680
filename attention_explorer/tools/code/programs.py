"""Where the program of each page comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.code.script import Program


def part_on_show(page: str, state: ExplorerState) -> tuple[str, Any]:
    """Return which part of a state a page shows, and the part with the picture that is on show named in it."""
    if page == "layer":
        return "block", replace(state.block, picture=state.block.picture_shown)
    if page != "lab":
        return page, getattr(state, page)
    view = state.lab.view
    return view.part, replace(getattr(state, view.part), picture=view.picture)


def program_of(page: str, state: ExplorerState) -> Program:
    """Return the program that computes what a page shows of a state.

    Parameters
    ----------
    page : str
        The id of the page.
    state : ExplorerState
        What the window shows. What takes long to compute is computed here, if nobody has done so before.

    Raises
    ------
    ExplorerError
        The page cannot show the state either; the message says why.
    """
    part, shown = part_on_show(page, state)
    # Not before it is wanted: what a page computes is loaded with the page.
    make: Callable[[Any], Program] = getattr(import_module(f"attention_explorer.tools.code.{part}"), f"{part}_program")
    return make(shown)
