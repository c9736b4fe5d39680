"""The lists of presets, page by page, found by name when they are first asked for: states need not know presets."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.preset import Preset

_LISTS = {
    "lookup": "pages.lookup.presets.PRESETS",
    "heads": "pages.heads.presets.HEADS_PRESETS",
    "positions": "pages.positions.presets.POSITIONS_PRESETS",
    "block": "pages.stack.presets.BLOCK_PRESETS",
    "scaling": "pages.lab.scores_presets.SCALING_PRESETS",
    "cost": "pages.lab.cost_presets.COST_PRESETS",
    "training": "pages.training.presets.TRAINING_PRESETS",
    "circuits": "pages.circuits.presets.CIRCUITS_PRESETS",
}
"""Where the list of presets of a page is."""

PARTS = tuple(_LISTS)
"""The parts of the state that have presets: fields of `ExplorerState`. Most have a page of their name."""


def preset_list(page: str) -> tuple[Preset[Any], ...]:
    """Return the presets of a page, loaded when they are first asked for: the window starts with one page."""
    module, _, name = _LISTS[page].rpartition(".")
    presets: tuple[Preset[Any], ...] = getattr(import_module(f"attention_explorer.{module}"), name)
    return presets


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
