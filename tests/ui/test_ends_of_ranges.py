"""Wherever a field or a slider can be moved to, the session can be saved and opened again."""

from __future__ import annotations

import pytest
from people_driver import scenes_of, widgets_shown
from PySide6.QtWidgets import QSlider, QWidget
from shiboken6 import isValid

from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.pages.registry import PAGES
from attention_explorer.pages.session_file import session_bytes, session_from

SCENES = [(page.id, scene) for page in PAGES for scene in scenes_of(page.id)]


def movable(root: QWidget) -> list[NumberBox | QSlider]:
    """Return every control on show that has a lowest and a highest number."""
    return [each for each in widgets_shown(root) if isinstance(each, NumberBox | QSlider) and each.isEnabled()]


@pytest.mark.parametrize(("page", "scene"), SCENES, ids=[scene.name for _, scene in SCENES])
def test_both_ends_of_every_range_survive_a_file(page_window, page, scene):
    window = page_window(page)
    scene.show(window)
    first = window.session.state
    moved = 0
    for control in movable(window.page):
        for end in ("minimum", "maximum"):
            if not isValid(control):
                break
            control.setValue(getattr(control, end)())
            state = window.session.state
            moved += state != first
            opened = session_from(session_bytes(state), "lesson")
            assert opened.state == state, f"{control.accessibleName()} at its {end}: {opened.warnings}"
            window.session.restart(first)
    assert moved or not movable(window.page)
