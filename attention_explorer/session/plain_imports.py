"""Imports as Python does them, once PySide is there: it reads the source of each module that is imported after it.

It looks for "PySide6" in the text, to know whose methods ``from __feature__ import snake_case`` may rename. Nobody here
asks for that. Without, the window opens a twentieth sooner, and the texts of 400 modules are not kept in memory.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 # puts its own import in place


def install() -> None:
    """Import without that reading from now on, in the whole process: for the program, not where it is a guest."""
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
