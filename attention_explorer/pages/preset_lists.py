"""The lists of presets, page by page, found by name when they are first asked for: states need not know presets."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.preset import Preset

_LISTS = {
    "lookup": "lookup.presets.PRESETS",
    "heads": "heads.presets.HEADS_PRESETS",
    "positions": "positions.state.PositionsState",
    "block": "stack.state.BlockState",
    "scaling": "lab.scores_state.ScalingState",
    "cost": "lab.cost_state.CostState",
    "training": "training.presets.TRAINING_PRESETS",
    "circuits": "circuits.state.CircuitsState",
}
"""Where the list of presets of a page is; or the class of its state, where a file of `resources/presets` has them."""

PARTS = tuple(_LISTS)
"""The parts of the state that have presets: fields of `ExplorerState`. Most have a page of their name."""


def preset_list(page: str) -> tuple[Preset[Any], ...]:
    """Return the presets of a page, loaded when they are first asked for: the window starts with one page."""
    found = _named(_LISTS[page])
    presets: tuple[Preset[Any], ...] = found
    if isinstance(found, type):
        presets = _named("preset_files.presets_in_file")(page, found)
    return presets


def _named(name: str) -> Any:  # noqa: ANN401 # whatever is called so
    """Return what a module of `pages` calls so; it is loaded by its name, for it knows the states, which know this."""
    module, _, own = name.rpartition(".")
    return getattr(import_module(f"attention_explorer.pages.{module}"), own)


def preset_ids(page: str, *others: str) -> tuple[str, ...]:
    """Return the names of what is ready-made for a page, and other names that stand for some."""
    return (*(ready.id for ready in preset_list(page)), *others)


def preset_declared(page: str, default: str, *others: str) -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a page's state that says which preset it was made from, or another name in its place."""
    return declared(
        default,
        "example",
        "Examples; each says what to look for",
        "Load an example",
        kind=Kind.REFERENCE,
        known=partial(preset_ids, page, *others),
    )
