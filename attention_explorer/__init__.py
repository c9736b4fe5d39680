"""Attention Explorer: see and touch attention, the operation inside every transformer.

Floors, from top to bottom; imports point down only::

    ui        pages, widgets, window, theme, actions
    session   the current state, undo, settings
    state     ExplorerState and everything computed from it, without Qt
    sources   where attention comes from
    model     the NumPy layer that reads like the paper

Importing the package loads nothing of this. ``attention_explorer.model``, ``attention_explorer.render``, which draws
without a window, the states that it draws and what their fields hold come with their first use; of them only
``render`` starts Qt.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_explorer import model
    from attention_explorer.api import View, load, show
    from attention_explorer.core.colour_scale import Contrast
    from attention_explorer.core.counting import Count
    from attention_explorer.errors import ArrayError, ExplorerError
    from attention_explorer.model import Stage
    from attention_explorer.pages.training.state import Speed, TrainingState
    from attention_explorer.rendering import render
    from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
    from attention_explorer.sources.learned.setup import LearningSetup
    from attention_explorer.sources.models import load_model
    from attention_explorer.sources.recipe import Encoding, GainKind, Projections, TokenVectors, ToyRecipe
    from attention_explorer.sources.source import Recipe
    from attention_explorer.state.block.state import BlockState
    from attention_explorer.state.cost.state import CostState
    from attention_explorer.state.explorer import ExplorerState
    from attention_explorer.state.heads.state import (
        Aggregate,
        HeadsSetup,
        HeadsState,
        HeadsView,
        Hidden,
        MaskChoice,
        MaskKind,
        Picture,
        SortBy,
        Threshold,
    )
    from attention_explorer.state.heads.writing import Writing
    from attention_explorer.state.lookup.head_row import HeadRow
    from attention_explorer.state.lookup.state import DescentSpeed, Entry, LookupState, Overlay, ValueKind
    from attention_explorer.state.positions.state import PositionKind, PositionsState
    from attention_explorer.state.scaling.state import BenchState, ScalingState
    from attention_explorer.training import Trained, train

__all__ = [
    "Aggregate",
    "ArrayError",
    "BenchState",
    "BlockState",
    "Contrast",
    "CostState",
    "Count",
    "DescentSpeed",
    "Encoding",
    "Entry",
    "ExplorerError",
    "ExplorerState",
    "GainKind",
    "HandMadeRecipe",
    "HeadRow",
    "HeadsSetup",
    "HeadsState",
    "HeadsView",
    "Hidden",
    "LearningSetup",
    "LookupState",
    "MaskChoice",
    "MaskKind",
    "Overlay",
    "Picture",
    "PositionKind",
    "PositionsState",
    "Projections",
    "Recipe",
    "ScalingState",
    "SortBy",
    "Speed",
    "Stage",
    "Threshold",
    "TokenVectors",
    "ToyRecipe",
    "Trained",
    "TrainingState",
    "ValueKind",
    "View",
    "Writing",
    "__version__",
    "load",
    "load_model",
    "model",
    "render",
    "show",
    "train",
]

__version__ = "0.1.0"

_MODULE_OF = {
    "Aggregate": "state.heads.state",
    "ArrayError": "errors",
    "BenchState": "state.scaling.state",
    "BlockState": "state.block.state",
    "Contrast": "core.colour_scale",
    "CostState": "state.cost.state",
    "Count": "core.counting",
    "DescentSpeed": "state.lookup.state",
    "Encoding": "sources.recipe",
    "Entry": "state.lookup.state",
    "ExplorerError": "errors",
    "ExplorerState": "state.explorer",
    "GainKind": "sources.recipe",
    "HandMadeRecipe": "sources.hand_made_recipe",
    "HeadRow": "state.lookup.head_row",
    "HeadsSetup": "state.heads.state",
    "HeadsState": "state.heads.state",
    "HeadsView": "state.heads.state",
    "Hidden": "state.heads.state",
    "LearningSetup": "sources.learned.setup",
    "LookupState": "state.lookup.state",
    "MaskChoice": "state.heads.state",
    "MaskKind": "state.heads.state",
    "Overlay": "state.lookup.state",
    "Picture": "state.heads.state",
    "PositionKind": "state.positions.state",
    "PositionsState": "state.positions.state",
    "Projections": "sources.recipe",
    "Recipe": "sources.source",
    "ScalingState": "state.scaling.state",
    "SortBy": "state.heads.state",
    "Speed": "pages.training.state",
    "Stage": "model",
    "Threshold": "state.heads.state",
    "TokenVectors": "sources.recipe",
    "ToyRecipe": "sources.recipe",
    "Trained": "training",
    "TrainingState": "pages.training.state",
    "ValueKind": "state.lookup.state",
    "View": "api",
    "Writing": "state.heads.writing",
    "load": "api",
    "load_model": "sources.models",
    "render": "rendering",
    "show": "api",
    "train": "training",
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
