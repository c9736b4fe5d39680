"""A file of attention as a state of the Heads page."""

from __future__ import annotations

from pathlib import Path

from attention_explorer.sources.recorded_source import file_recipe
from attention_explorer.state.heads.state import HeadsSetup, HeadsState, HeadsView


def heads_of_file(path: Path) -> HeadsState:
    """Look at a file of attention, and return the page that shows its first head.

    Raises
    ------
    ExplorerError
        It cannot be read, or holds no attention; the message says why.
    """
    return HeadsState(HeadsSetup(file_recipe(path)), HeadsView(), preset="")
