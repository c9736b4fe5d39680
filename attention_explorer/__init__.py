"""Attention Explorer: see and touch attention, the operation inside every transformer.

Floors, from top to bottom; imports point down only::

    ui        pages, widgets, window, theme, actions
    session   the current state, undo, settings
    state     ExplorerState and everything computed from it, without Qt
    sources   where attention comes from
    model     the NumPy layer that reads like the paper

Importing the package loads nothing of this. ``attention_explorer.model``, ``attention_explorer.render``, which draws
without a window, and the states that it draws come with their first use; of them only ``render`` starts Qt.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_explorer import model
    from attention_explorer.errors import ExplorerError
    from attention_explorer.rendering import render
    from attention_explorer.state.block.state import BlockState
    from attention_explorer.state.cost.state import CostState
    from attention_explorer.state.explorer import ExplorerState
    from attention_explorer.state.heads.state import HeadsState
    from attention_explorer.state.lookup.state import LookupState
    from attention_explorer.state.positions.state import PositionsState
    from attention_explorer.state.scaling.state import ScalingState

__all__ = [
    "BlockState",
    "CostState",
    "ExplorerError",
    "ExplorerState",
    "HeadsState",
    "LookupState",
    "PositionsState",
    "ScalingState",
    "__version__",
    "model",
    "render",
]

__version__ = "0.1.0"

_MODULE_OF = {
    "BlockState": "state.block.state",
    "CostState": "state.cost.state",
    "ExplorerError": "errors",
    "ExplorerState": "state.explorer",
    "HeadsState": "state.heads.state",
    "LookupState": "state.lookup.state",
    "PositionsState": "state.positions.state",
    "ScalingState": "state.scaling.state",
    "render": "rendering",
}
"""Where each name that is offered comes from."""

if not TYPE_CHECKING:  # or it would tell a type checker that every name is there

    def __getattr__(name: str) -> object:
        """Load what is offered when it is first asked for."""
        if name == "model":
            return import_module("attention_explorer.model")
        if name in _MODULE_OF:
            return getattr(import_module(f"attention_explorer.{_MODULE_OF[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
