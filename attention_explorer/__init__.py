"""Attention Explorer: see and touch attention, the operation inside every transformer.

Floors, from top to bottom; imports point down only::

    ui        pages, widgets, window, theme, actions
    session   the current state, undo, settings
    state     ExplorerState and everything computed from it, without Qt
    sources   where attention comes from
    model     the NumPy layer that reads like the paper

Importing the package loads nothing of this. ``attention_explorer.model`` and ``attention_explorer.render``, which draws
without a window, come with their first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_explorer import model
    from attention_explorer.rendering import render

__all__ = ["__version__", "model", "render"]

__version__ = "0.1.0"

if not TYPE_CHECKING:  # or it would tell a type checker that every name is there

    def __getattr__(name: str) -> object:
        """Load what is offered when it is first asked for."""
        if name == "model":
            return import_module("attention_explorer.model")
        if name == "render":
            return import_module("attention_explorer.rendering").render
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
