"""How a sentence model makes one vector of a sentence, by the files that sentence-transformers lays beside a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.sources.models.folder import read_json, read_json_list

MODULES = "modules.json"
POOLINGS: Mapping[str, Callable[[Floats], Floats]] = {
    "mean": lambda hidden: hidden.mean(axis=0),
    "cls": lambda hidden: hidden[0],
    "max": lambda hidden: hidden.max(axis=0),
}
"""What is made of the last hidden states, (n, d_model), of all tokens, special ones too: (d_model,)."""
_FLAGS = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}
_HARMLESS = ("Transformer", "Pooling", "Normalize")
"""Modules that are known; Normalize changes no cosine."""


def pooling_of(folder: Path) -> str:
    """Return which of `POOLINGS` a model has; empty if its folder does not say that it is a sentence model.

    Raises
    ------
    FileError
        If it is one of a kind that is not known.
    """
    path = folder / MODULES
    if not path.exists():
        return ""
    modules = [module for module in read_json_list(path) if isinstance(module, dict)]
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    unknown = next((kind for kind in kinds if kind not in _HARMLESS), None)
    if unknown is not None:
        raise FileError(f"“{path}” names the module {quoted(unknown)}; known are {', '.join(_HARMLESS)}.")
    names = [str(module.get("path", "")) for module, kind in zip(modules, kinds, strict=True) if kind == "Pooling"]
    if not names:
        return ""
    if Path(names[0]).name != names[0]:
        raise FileError(f"“{path}” names {quoted(names[0])}, which is no part of its folder.")
    return _mode(folder / names[0] / "config.json")


def _mode(path: Path) -> str:
    said: Mapping[str, Any] = read_json(path)
    chosen = (
        [said["pooling_mode"]]
        if "pooling_mode" in said
        else [
            next((mode for mode, flag in _FLAGS.items() if flag == name), name)
            for name, is_on in said.items()
            if name.startswith("pooling_mode_") and is_on is True
        ]
    )
    if len(chosen) == 1 and chosen[0] in POOLINGS:
        return str(chosen[0])
    said_modes = quoted(", ".join(map(str, chosen)))
    raise FileError(f"“{path}” pools by {said_modes}; known are {', '.join(POOLINGS)}, one alone.")
