"""What is in a file of arrays, whatever its format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attention_explorer.sources.recorded.stored_array import StoredArray


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """A file of arrays, of which nothing but headers and text is read yet."""

    path: Path
    arrays: Mapping[str, StoredArray]
    """Numbers and booleans, by name."""
    texts: Mapping[str, object]
    """Text, by name: a string, or a tuple of strings for a row of them."""
    unfit: Mapping[str, str]
    """Why other arrays cannot be used, by name."""
