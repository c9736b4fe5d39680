"""Arrays handed over from Python: they lie in a private temporary folder, which is gone when that Python ends."""

from __future__ import annotations

import tempfile
from pathlib import Path

PREFIX = "attention-explorer-"
"""How the name of such a folder begins, in the folder for temporary files."""
UNNAMED = "arrays"
"""What arrays are called that were given no title."""


def is_handed_over(path: Path) -> bool:
    """Tell whether a file lies in a private folder, so that it will not be there for long."""
    temporary = Path(tempfile.gettempdir())
    return any(folder.parent == temporary and folder.name.startswith(PREFIX) for folder in path.parents)
