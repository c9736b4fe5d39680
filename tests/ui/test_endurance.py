"""Thousands of frames: nothing leaks, and the interpreter's None keeps its references."""

from __future__ import annotations

import gc
import math
import resource
import sys
from dataclasses import replace

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from attention_explorer.core.role import Role
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, LookupState, LookupView, Overlay, Part

FRAMES = 2000
LARGEST_GROWTH = 24 * 1024  # KiB


def peak_memory() -> int:
    """Return the largest resident size so far, in KiB on Linux."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_thousands_of_painted_frames_leak_nothing(make_window, hand):
    """PySide6 6.12.0 on Python 3.11 lost a reference to None on every call that returns nothing, and then died."""
    state = replace(preset("descent").state, scaled=True)
    window = make_window(ExplorerState(lookup=state))
    canvas = window.page.canvas

    def frames(count: int, part: Part) -> None:
        mouse = hand(canvas)
        mouse.press(canvas.scene().place(part))
        for i in range(count):
            angle = i * 0.05
            mouse.move(QPointF(380 + 150 * math.cos(angle), 220 + 120 * math.sin(angle)))
            QApplication.processEvents()
        mouse.release()

    def everything_shown(count: int) -> None:
        show(state, frozenset(Overlay))
        window.page.open_drawer(True)  # the table is drawn too
        frames(count, QUERY)
        frames(count, Part(Role.KEY, 1))
        window.page.open_drawer(False)
        for i in range(count):  # and so are the curves
            show(replace(state, view=LookupView.TEMPERATURE, temperature=1.0 + 0.01 * i), frozenset())
            QApplication.processEvents()
        show(state, frozenset({Overlay.FIELD, Overlay.HULL}))

    def show(lookup: LookupState, overlays: frozenset[Overlay]) -> None:
        window.session.apply(ExplorerState(lookup=replace(lookup, overlays=overlays)), "Show")

    everything_shown(100)
    frames(100, QUERY)
    gc.collect()
    nones, memory = sys.getrefcount(None), peak_memory()
    frames(FRAMES, QUERY)
    everything_shown(200)
    gc.collect()
    # The loss is hundreds of references a frame. A gain is harmless: None is never freed for having too many.
    assert sys.getrefcount(None) > nones - 100
    assert peak_memory() - memory < LARGEST_GROWTH
