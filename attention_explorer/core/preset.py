"""A ready-made state of a page, and how it is found by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from attention_explorer.errors import ExplorerError, did_you_mean, quoted

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Preset(Generic[S]):
    """A starting point with its name and what to look for in it."""

    id: str
    title: str
    look_for: str
    """The hint: something to do or something to see. It stays while the settings change, and speaks of ``state``."""
    state: S
    truths: tuple[str, ...] = ()
    """What is true of its state, in whole sentences, as long as nobody changes it."""


P = TypeVar("P", bound=Preset[Any])


def preset_of(presets: Sequence[P], identifier: str) -> P:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message names the nearest, or lists those there are.
    """
    for candidate in presets:
        if candidate.id == identifier:
            return candidate
    near = did_you_mean(identifier, (ready.id for ready in presets))
    raise ExplorerError(f"There is no preset {quoted(identifier)}. {near}")
