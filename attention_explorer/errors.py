"""The one family of errors that is shown to people, in their words."""

from __future__ import annotations

import unicodedata


class ExplorerError(Exception):
    """Something a person can act on: the message says what was wrong, where, and what to do."""


class ArrayError(ExplorerError, ValueError):
    """An array argument has the wrong shape, type or values; the message names it and its shape."""


class ExportError(ExplorerError):
    """A file could not be written; nothing was left half-written."""


LONGEST_QUOTE = 40
"""Characters of what somebody typed that a message repeats."""


def quoted(text: str) -> str:
    """Return what somebody typed as a message repeats it: on one line, short, and harmless to the words around it.

    Control characters, those that turn the direction of writing and halves of characters become U+FFFD.
    """
    short = text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
    spaced = (" " if c.isspace() else c for c in short)
    shown = "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _UNSEEN else c for c in spaced)
    return f"“{shown}”"


_UNSEEN = ("Cc", "Cf", "Cs")
