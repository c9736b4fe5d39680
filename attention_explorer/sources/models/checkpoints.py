"""The same model at other steps of its training: folders beside it, each named by a number of steps."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from attention_explorer.sources.model_recipe import CONFIG
from attention_explorer.sources.models.names import matching
from attention_explorer.sources.recorded.file_bytes import FileBytes

_STEP = re.compile(r"(?P<name>.*?)(?P<step>\d+)", re.DOTALL)
_HUB_REVISION = "refs"
"""Beside its snapshots, the folder in which Hugging Face's cache keeps which one each name stands for."""


@lru_cache(maxsize=16)  # asked at every change of a page
def checkpoints(path: Path) -> tuple[Path, ...]:
    """Return the folders of a model at all steps that were saved, by step; only itself where there are no others.

    They lie beside each other and are called alike but for a number at the end, such as ``step1000`` and
    ``checkpoint-500``; in Hugging Face's cache their revisions are, as those of Pythia.

    Parameters
    ----------
    path : Path
        The folder of a model.
    """
    found = _of_hub(path) or _beside(path)
    alone = (path,)
    return tuple(folder for _, folder in sorted(found.items())) if len(found) > 1 and path in found.values() else alone


def step_of(path: Path) -> str:
    """Return what a checkpoint is called: its folder's name, or that of its revision."""
    revisions = {folder: name for name, folder in _revisions(path).items()}
    return revisions.get(path, path.name)


def _beside(path: Path) -> dict[int, Path]:
    """Return the folders beside one that are called alike, by step."""
    own = _STEP.fullmatch(path.name)
    if own is None:
        return {}
    there = (folder for folder in matching(path.parent, f"{_plain(own['name'])}*") if (folder / CONFIG).is_file())
    pairs = ((_STEP.fullmatch(folder.name), folder) for folder in there)
    return {int(each["step"]): folder for each, folder in pairs if each is not None and each["name"] == own["name"]}


def _of_hub(path: Path) -> dict[int, Path]:
    """Return the snapshots of revisions that are named by steps, by step."""
    pairs = ((_STEP.fullmatch(name), folder) for name, folder in _revisions(path).items())
    return {int(each["step"]): folder for each, folder in pairs if each is not None and (folder / CONFIG).is_file()}


def _revisions(path: Path) -> dict[str, Path]:
    """Return the snapshot of each revision of a model in Hugging Face's cache; none elsewhere."""
    names = matching(path.parents[1] / _HUB_REVISION, "*") if path.parent.name == "snapshots" else ()
    texts = {
        name.name: FileBytes(name).read(0, min(name.stat().st_size, 64)).decode(errors="replace").strip()
        for name in names
        if name.is_file()
    }
    return {name: path.parent / text for name, text in texts.items() if text and Path(text).name == text}


def _plain(text: str) -> str:
    """Return a text as a pattern of file names that stands for itself."""
    return re.sub(r"([*?[])", r"[\1]", text)
