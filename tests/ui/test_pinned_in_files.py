"""What is pinned is framed in an exported picture as it is in the window."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from heads_driver import HeadsDriver
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog

from attention_explorer.kit.theme import LIGHT
from attention_explorer.pages.heads.state import Picture

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def frames(driver: HeadsDriver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Return a function that exports the picture from the window and counts the frames of the file by their colour."""
    path = tmp_path / "head.svg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QInputDialog, "getItem", lambda *arguments: (arguments[3][1], True))

    def exported() -> Counter[str]:
        driver.window._actions["export"].trigger()
        groups = ET.parse(path).iter(f"{SVG}g")  # noqa: S314  # our own output
        return Counter(
            group.get("stroke")
            for group in groups
            if group.get("fill") == "none" and group.get("stroke-width") == "2"
            for _frame in group.iter(f"{SVG}path")
        )

    return exported


@pytest.mark.parametrize(("picture", "maps"), [(Picture.HEATMAP, 1), (Picture.STAGES, 4), (Picture.COMPARE, 3)])
@pytest.mark.parametrize(("place", "colour"), [("row_label", LIGHT.query), ("column_label", LIGHT.key)])
def test_a_pinned_token_is_framed_in_every_map_of_the_file(driver, frames, place, colour, picture, maps):
    driver.keep()
    driver.click(getattr(driver, place)(2))
    driver.press(driver.controls.pictures.buttons[picture])
    pinned = frames()
    driver.key(Qt.Key.Key_Escape)
    assert driver.pin == (None, None)
    assert pinned - frames() == {colour: maps}


def test_a_pinned_cell_is_framed_in_the_file_with_its_row(driver, frames):
    driver.click_cell(2, 3)
    pinned = frames()
    driver.key(Qt.Key.Key_Escape)
    assert pinned - frames() == {LIGHT.query: 1, driver.page.figure().look.theme.text: 1}
