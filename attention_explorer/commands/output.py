"""What the commands of the line have in common: what is printed and where, and values read from their words."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from typing import TypeVar

from attention_explorer.errors import ExplorerError, ExportError, UsageError, quoted


def complain(sentence: str) -> None:
    """Say something on standard error."""
    print(f"attention-explorer: {sentence}", file=sys.stderr)


def encoded(text: str) -> bytes:
    """Return words for standard output: a letter that its encoding does not have becomes a question mark."""
    return text.encode(getattr(sys.stdout, "encoding", None) or "utf-8", "replace")


def write_out(data: bytes) -> int:
    """Write to standard output and return the exit code: 1 if its reader has gone, which is no error to speak of."""
    if sys.stdout is None:  # closed before the start, as ">&-" does
        raise ExportError("Standard output is closed. Name a file instead.")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        # At its end Python would try again to write what is left, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 1
        raise ExportError(f"Standard output takes no more: {error.strerror}. Make room, or name a file.") from error
    return 0


# ---- Values ----


T = TypeVar("T")


def _read(reader: Callable[[str], T], text: str) -> T:
    """Return what a reader makes of a value; what it refuses is wrong usage."""
    try:
        return reader(text)
    except ExplorerError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def page_named(text: str) -> str:
    """Return the id of a page."""
    from attention_explorer.pages.registry import page_id

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
