"""The one family of errors that is shown to people, in their words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Self


class ExplorerError(Exception):
    """Something a person can act on: the message says what was wrong, where, and what to do."""

    def again(self) -> Self:
        """Return the same error to be raised once more.

        One that is kept and raised itself would keep every frame that it has passed through, and windows with them.
        """
        other = type(self).__new__(type(self), *self.args)
        vars(other).update(vars(self))
        return other


class ArrayError(ExplorerError, ValueError):
    """An array argument has the wrong shape, type or values; the message names it and its shape."""


class FileError(ExplorerError, ValueError):
    """A file does not hold what it should, or something else than when it was opened; the message names the file."""


class LostFileError(FileError):
    """A file that was looked at before is gone, or is no longer what it was.

    Attributes
    ----------
    path : str
        Where it was, as the recipe names it.
    is_there : bool
        Whether there still is a file, which could be opened as it is now.
    """

    def __init__(self, message: str, path: str, *, is_there: bool) -> None:
        super().__init__(message)
        self.path, self.is_there = path, is_there

    @staticmethod
    def behind(error: BaseException | None) -> LostFileError | None:
        """Return the lost file because of which something failed, however often that was said anew; else None."""
        while error is not None and not isinstance(error, LostFileError):
            error = error.__cause__
        return error


class FileAccessError(ExplorerError, OSError):
    """The operating system does not let a file be read: it is gone, is a folder, or may not be read."""


class ExportError(ExplorerError):
    """A file could not be written; nothing was left half-written."""


class UsageError(ExportError, ValueError):
    """There is no format or figure of the name that was given; on the command line that is wrong usage."""


LONGEST_QUOTE = 40
"""Characters of what somebody typed that a message repeats."""


def quoted(text: str) -> str:
    """Return what somebody typed as a message repeats it: in quotes, as `on_one_line` writes it."""
    return f"“{on_one_line(text)}”"


def on_one_line(text: str, longest: int = LONGEST_QUOTE) -> str:
    """Return what somebody typed on one line, short, and harmless to the words around it.

    Control characters, those that turn the direction of writing and halves of characters become U+FFFD.
    """
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    spaced = (" " if c.isspace() else c for c in short)
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in _UNSEEN else c for c in spaced)


def full_stop(text: str) -> str:
    """Return a text with a full stop, where it does not end a sentence already."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


_UNSEEN = ("Cc", "Cf", "Cs")

_MOST_GUESSES = 3
_NEAR = 0.7
"""How much of two names must be alike, from 0 to 1: “.pgn” is near “.png”, but “pink” is not near “print”."""


def did_you_mean(wrong: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return what to choose in place of a name that there is not, as a sentence.

    That is the nearest names, or where none is near what ``otherwise`` says, which is by default all of them.
    """
    from difflib import get_close_matches  # loaded when something was mistyped

    folded = {name.casefold(): name for name in known}
    text = wrong.casefold()
    near = get_close_matches(text, folded, _MOST_GUESSES, _NEAR)
    near += [name for name in folded if len(text) > 2 and text in name and name not in near]
    if near:
        *others, last = (f"“{folded[name]}”" for name in near[:_MOST_GUESSES])
        return f"Did you mean {', '.join(others)} or {last}?" if others else f"Did you mean {last}?"
    return otherwise or f"Choose one of: {', '.join(folded.values())}."
