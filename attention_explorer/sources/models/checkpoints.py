"""The same model at other steps of its training: folders beside it, each named by a number of steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from glob import escape
from pathlib import Path

from attention_explorer.sources.model_recipe import CONFIG
from attention_explorer.sources.models.names import matching, revisions

_STEP = re.compile(r"(?P<name>.*?)(?P<step>\d+)", re.DOTALL)


def checkpoints(path: Path) -> Mapping[str, Path]:
    """Return the folders of a model at all steps that were saved, by their names, the first step first.

    They lie beside each other and are called alike but for a number at the end, such as ``step1000`` and
    ``checkpoint-500``; in Hugging Face's cache their revisions are, as those of Pythia. Where there are no others, it
    is the folder alone.

    Parameters
    ----------
    path : Path
        The folder of a model.
    """
    found = _by_step(revisions(path)) or _by_step(_alike(path))
    has_others = len(found) > 1 and path in found.values()
    return found if has_others else {path.name: path}


def _by_step(folders: Mapping[str, Path]) -> dict[str, Path]:
    """Return those that hold a model and are named by a step, in order."""
    pairs = ((_STEP.fullmatch(name), name) for name, folder in folders.items() if (folder / CONFIG).is_file())
    steps = {int(match["step"]): name for match, name in pairs if match is not None}
    return {name: folders[name] for _, name in sorted(steps.items())}


def _alike(path: Path) -> dict[str, Path]:
    """Return the folders beside one that are called alike but for a number at the end, by their names."""
    own = _STEP.fullmatch(path.name)
    if own is None:
        return {}
    there = ((_STEP.fullmatch(folder.name), folder) for folder in matching(path.parent, f"{escape(own['name'])}*"))
    return {folder.name: folder for match, folder in there if match is not None and match["name"] == own["name"]}
