"""What a file is called that somebody named without an ending, and what is asked before it replaces another."""

from __future__ import annotations

from pathlib import Path

LESSON = ".lesson.toml"
"""How the files of lessons end."""


def with_ending(path: Path, ending: str) -> Path:
    """Return a path with an ending like ``.png`` if it has none: of “figure 2.1” the number is none."""
    own = path.suffix.removeprefix(".")
    return path if own and not own.isdecimal() else path.with_name(path.name + ending)


def replace_question(typed: Path, path: Path) -> str:
    """Return what to ask about a file that is there already; empty if nothing need be asked.

    File dialogs ask by themselves, but only about the name as it was ``typed``, without the ending it has now.
    """
    return f"“{path.name}” is there already. Replace it?" if path != typed and path.exists() else ""
