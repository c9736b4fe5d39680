"""Values that options of several commands have in common, read from their words."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TypeVar

from attention_explorer.errors import ExplorerError, UsageError, quoted

T = TypeVar("T")


def _read(reader: Callable[[str], T], text: str) -> T:
    """Return what a reader makes of a value; what it refuses is wrong usage."""
    try:
        return reader(text)
    except ExplorerError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def page_named(text: str) -> str:
    """Return the id of a page."""
    from attention_explorer.pages.ready_made import page_id

    return _read(page_id, text)


def width_from(text: str) -> object:
    """Return a width with its unit."""
    from attention_explorer.core.figure_options import length_from

    return _read(length_from, text)


def dpi_from(text: str) -> float:
    """Return pixels per inch."""
    from attention_explorer.core.figure_options import resolution_from

    return _read(resolution_from, text)


def size_from(text: str) -> tuple[int, int]:
    """Return width and height in pixels."""
    match = re.fullmatch(r"([0-9]{1,4000})[x×]([0-9]{1,4000})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a size such as 1280x800")
    width, height = int(match[1]), int(match[2])
    if not (320 <= width <= 7680 and 240 <= height <= 4320):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is out of range: from 320x240 to 7680x4320")
    return width, height


def add_texts(command: argparse._ActionsContainer) -> None:
    """Add what a model reads and writes."""
    command.add_argument("--text", metavar="TEXT", help="what a model reads")
    command.add_argument("--target", metavar="TEXT", help="what the decoder of BART or T5 writes: its cross-attention")


def refuse_texts(text: str | None, target: str | None) -> None:
    """Refuse these where there is no model."""
    if text is not None or target is not None:
        raise UsageError(
            "--text is what a model reads, and --target what it writes: name a model, a folder or a .gguf file."
        )
