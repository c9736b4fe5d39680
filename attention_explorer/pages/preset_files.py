"""The files of ready-made states, one for a part of the window's state: `PART_presets.toml` beside its class."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from typing import Any

from attention_explorer.core import files
from attention_explorer.core.json_text import PlaceError, place_text
from attention_explorer.core.preset import Preset
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.session_codec import Decoder

WORDS = ("id", "title", "look_for")


@cache
def presets_in_file(part: str, kind: type[Any]) -> tuple[Preset[Any], ...]:
    """Return the presets of a part of the state: each as its class begins, but for what its ``state`` says.

    Raises
    ------
    ExplorerError
        The file is damaged, or says something that such a state cannot hold; the message says where.
    """
    name = f"{part}_presets.toml"
    try:
        found = tomllib.loads(files.read_text(name, kind.__module__.rpartition(".")[0]))["preset"]
        return tuple(_preset(name, kind, **each) for each in found)
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        raise files.damaged(name) from None


def _preset(
    name: str, kind: type[Any], *, state: dict[str, Any] | None = None, truths: tuple[str, ...] = (), **words: str
) -> Preset[Any]:
    decoder = Decoder()
    try:
        made = decoder.decoded(kind, state or {}, (words["id"],))
    except PlaceError as error:
        raise ExplorerError(f"{name}: {place_text(error.place)} {error.what}.") from None
    if decoder.warnings:
        raise ExplorerError(f"{name}: {decoder.warnings[0]}")
    return Preset(**words, state=replace(made, preset=words["id"]), truths=tuple(truths))
