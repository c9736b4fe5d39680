"""Arrays handed over from Python: they lie in a private temporary folder, which is gone when that Python ends."""

from __future__ import annotations

import tempfile
from pathlib import Path

PREFIX = "attention-explorer-"
"""How the name of such a folder begins, in the folder for temporary files."""
UNNAMED = "arrays"
"""What arrays are called that were given no title."""
LONGEST_NAME = 80
"""Letters of a title that the name of a file takes over."""


def file_name_of(title: str) -> str:
    """Return a name, without an ending, under which every computer can keep a file of this title."""
    kept = "".join(letter if letter.isalnum() or letter in " -_.," else "_" for letter in title[:LONGEST_NAME])
    return kept.strip(" .") or UNNAMED


def is_handed_over(path: Path) -> bool:
    """Tell whether a file lies in a private folder, so that it will not be there for long."""
    temporary = Path(tempfile.gettempdir())
    return any(folder.parent == temporary and folder.name.startswith(PREFIX) for folder in path.parents)
