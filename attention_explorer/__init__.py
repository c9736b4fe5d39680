"""Attention Explorer: see and touch attention, the operation inside every transformer.

Floors, from top to bottom; imports point down only::

    ui        pages, widgets, window, theme, actions
    session   the current state, undo, settings
    state     ExplorerState and everything computed from it, without Qt
    model     the NumPy layer that reads like the paper
"""

from __future__ import annotations

__version__ = "0.1.0"
