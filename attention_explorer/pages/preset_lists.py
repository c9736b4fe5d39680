"""The lists of presets, part by part, found by name when they are first asked for: states need not know presets."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.preset import Preset
from attention_explorer.fields import types_of

_MADE = {
    "lookup": "lookup.presets.PRESETS",
    "heads": "heads.presets.HEADS_PRESETS",
    "training": "training.presets.TRAINING_PRESETS",
}
"""Lists of presets that are made of one another, of what was learned, or at the start. Others are in a file."""


def preset_list(part: str) -> tuple[Preset[Any], ...]:
    """Return the presets of a part of the state, loaded when they are first asked for: the window starts with one page.

    Raises
    ------
    ExplorerError
        Their file is damaged; the message says where.
    """
    presets: tuple[Preset[Any], ...]
    if part in _MADE:
        presets = _named(_MADE[part])
    else:
        presets = _named("preset_files.presets_in_file")(part, types_of(_named("explorer.ExplorerState"))[part])
    return presets


def _named(name: str) -> Any:  # noqa: ANN401 # whatever is called so
    """Return what a module of `pages` calls so; it is loaded by its name, for it knows the states, which know this."""
    module, _, own = name.rpartition(".")
    return getattr(import_module(f"attention_explorer.pages.{module}"), own)


def preset_ids(part: str, *others: str) -> tuple[str, ...]:
    """Return the names of what is ready-made for a part, and other names that stand for some."""
    return (*(ready.id for ready in preset_list(part)), *others)


def preset_declared(part: str, default: str, *others: str) -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a page's state that says which preset it was made from, or another name in its place."""
    return declared(
        default,
        "example",
        "Examples; each says what to look for",
        "Load an example",
        kind=Kind.REFERENCE,
        known=partial(preset_ids, part, *others),
    )
