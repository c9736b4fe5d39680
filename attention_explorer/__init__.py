"""Attention Explorer: see and touch attention, the operation inside every transformer.

Floors, from top to bottom; imports point down only::

    window    the main window, its actions and dialogs
    tools     lessons, terms, search, presenting, code
    pages     what each page shows, and ExplorerState, which holds it all
    kit       what pages are made of
    session   a state over time: undo, the worker, settings
    sources   where attention comes from
    core      fields, numbers, files, the cache, masks, maps
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
    from attention_explorer.api import View, load, load_model, show
    from attention_explorer.core.counting import Count
    from attention_explorer.core.map_picture import Contrast, Window
    from attention_explorer.core.weighing import Weighing
    from attention_explorer.errors import ArrayError, ExplorerError
    from attention_explorer.model import Stage
    from attention_explorer.model.transformer import Change
    from attention_explorer.pages.circuits.state import CircuitsState, CircuitsView
    from attention_explorer.pages.explorer import ExplorerState
    from attention_explorer.pages.heads.parts import Experiment, Writing
    from attention_explorer.pages.heads.state import (
        Aggregate,
        HeadsSetup,
        HeadsState,
        HeadsView,
        Hidden,
        MaskChoice,
        MaskKind,
        Picture,
        RowSpeed,
        SortBy,
        Threshold,
    )
    from attention_explorer.pages.lab.cost_state import CostState
    from attention_explorer.pages.lab.scores_state import BenchState, ScalingState
    from attention_explorer.pages.lab.state import LabState, LabView
    from attention_explorer.pages.lookup.plane import Extent
    from attention_explorer.pages.lookup.state import (
        DescentSpeed,
        Entry,
        HeadRow,
        LookupState,
        LookupView,
        Overlay,
        ValueKind,
    )
    from attention_explorer.pages.lookup.words_state import Word, WordsHead, WordsState
    from attention_explorer.pages.positions.kinds.registry import PositionKind
    from attention_explorer.pages.positions.state import PositionsState
    from attention_explorer.pages.stack.choices import LearnedStack
    from attention_explorer.pages.stack.state import BlockState
    from attention_explorer.pages.training.state import Speed, TrainingState, TrainingView
    from attention_explorer.rendering import render
    from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
    from attention_explorer.sources.learned.setup import LearningSetup
    from attention_explorer.sources.learned_recipe import LearnedRecipe
    from attention_explorer.sources.model_recipe import ModelRecipe
    from attention_explorer.sources.recipe import Encoding, GainKind, Projections, TokenVectors, ToyRecipe
    from attention_explorer.sources.recorded_recipe import BoxRecipe, FileRecipe, Rows
    from attention_explorer.sources.source import Recipe
    from attention_explorer.training import Trained, train

__all__ = [
    "Aggregate",
    "ArrayError",
    "BenchState",
    "BlockState",
    "BoxRecipe",
    "Change",
    "CircuitsState",
    "CircuitsView",
    "Contrast",
    "CostState",
    "Count",
    "DescentSpeed",
    "Encoding",
    "Entry",
    "Experiment",
    "ExplorerError",
    "ExplorerState",
    "Extent",
    "FileRecipe",
    "GainKind",
    "HandMadeRecipe",
    "HeadRow",
    "HeadsSetup",
    "HeadsState",
    "HeadsView",
    "Hidden",
    "LabState",
    "LabView",
    "LearnedRecipe",
    "LearnedStack",
    "LearningSetup",
    "LookupState",
    "LookupView",
    "MaskChoice",
    "MaskKind",
    "ModelRecipe",
    "Overlay",
    "Picture",
    "PositionKind",
    "PositionsState",
    "Projections",
    "Recipe",
    "RowSpeed",
    "Rows",
    "ScalingState",
    "SortBy",
    "Speed",
    "Stage",
    "Threshold",
    "TokenVectors",
    "ToyRecipe",
    "Trained",
    "TrainingState",
    "TrainingView",
    "ValueKind",
    "View",
    "Weighing",
    "Window",
    "Word",
    "WordsHead",
    "WordsState",
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
    "Aggregate": "pages.heads.state",
    "ArrayError": "errors",
    "BenchState": "pages.lab.scores_state",
    "BlockState": "pages.stack.state",
    "BoxRecipe": "sources.recorded_recipe",
    "Change": "model.transformer",
    "CircuitsState": "pages.circuits.state",
    "CircuitsView": "pages.circuits.state",
    "Contrast": "core.map_picture",
    "CostState": "pages.lab.cost_state",
    "Count": "core.counting",
    "DescentSpeed": "pages.lookup.state",
    "Encoding": "sources.recipe",
    "Entry": "pages.lookup.state",
    "Experiment": "pages.heads.parts",
    "ExplorerError": "errors",
    "ExplorerState": "pages.explorer",
    "Extent": "pages.lookup.plane",
    "FileRecipe": "sources.recorded_recipe",
    "GainKind": "sources.recipe",
    "HandMadeRecipe": "sources.hand_made_recipe",
    "HeadRow": "pages.lookup.state",
    "HeadsSetup": "pages.heads.state",
    "HeadsState": "pages.heads.state",
    "HeadsView": "pages.heads.state",
    "Hidden": "pages.heads.state",
    "LabState": "pages.lab.state",
    "LabView": "pages.lab.state",
    "LearnedRecipe": "sources.learned_recipe",
    "LearnedStack": "pages.stack.choices",
    "LearningSetup": "sources.learned.setup",
    "LookupState": "pages.lookup.state",
    "LookupView": "pages.lookup.state",
    "MaskChoice": "pages.heads.state",
    "MaskKind": "pages.heads.state",
    "ModelRecipe": "sources.model_recipe",
    "Overlay": "pages.lookup.state",
    "Picture": "pages.heads.state",
    "PositionKind": "pages.positions.kinds.registry",
    "PositionsState": "pages.positions.state",
    "Projections": "sources.recipe",
    "Recipe": "sources.source",
    "RowSpeed": "pages.heads.state",
    "Rows": "sources.recorded_recipe",
    "ScalingState": "pages.lab.scores_state",
    "SortBy": "pages.heads.state",
    "Speed": "pages.training.state",
    "Stage": "model",
    "Threshold": "pages.heads.state",
    "TokenVectors": "sources.recipe",
    "ToyRecipe": "sources.recipe",
    "Trained": "training",
    "TrainingState": "pages.training.state",
    "TrainingView": "pages.training.state",
    "ValueKind": "pages.lookup.state",
    "View": "api",
    "Weighing": "core.weighing",
    "Window": "core.map_picture",
    "Word": "pages.lookup.words_state",
    "WordsHead": "pages.lookup.words_state",
    "WordsState": "pages.lookup.words_state",
    "Writing": "pages.heads.parts",
    "load": "api",
    "load_model": "api",
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
