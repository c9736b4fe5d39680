"""The bundled files: all there, and no way out of their folder."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from attention_explorer.core import files
from attention_explorer.errors import ExplorerError

ICONS = ["arrow-down", "attention-explorer", "lookup", "redo", "theme", "tick-dark", "tick-light", "undo"]


@pytest.mark.parametrize("name", ["fonts/Inter-Regular.otf", "fonts/Inter-SemiBold.otf"])
def test_fonts_are_opentype(name: str) -> None:
    data = files.read_bytes(name)
    assert data[:4] == b"OTTO"
    assert len(data) > 10_000


def test_the_licence_of_the_fonts_comes_along() -> None:
    assert "SIL OPEN FONT LICENSE" in files.read_text("fonts/OFL.txt").upper()


@pytest.mark.parametrize("name", ICONS)
def test_icons_are_drawings(name: str) -> None:
    root = ElementTree.fromstring(files.read_text(f"icons/{name}.svg"))  # noqa: S314 - a file of our own
    assert root.tag.endswith("svg")
    assert root.get("viewBox")
    assert len(list(root.iter())) > 1


def test_every_page_has_its_icon() -> None:
    from attention_explorer.pages.registry import PAGES

    for entry in PAGES:
        assert files.read_bytes(f"icons/{entry.id}.svg")


def test_read_bytes_and_text_agree() -> None:
    assert files.read_text("icons/undo.svg").encode() == files.read_bytes("icons/undo.svg")


def test_a_path_is_where_the_file_lies() -> None:
    path = files.path("icons/arrow-down.svg")
    assert "\\" not in path
    assert Path(path).read_bytes() == files.read_bytes("icons/arrow-down.svg")


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../pyproject.toml", "icons/../../pyproject.toml", "..", "icons/..", "/"]
)
def test_names_that_leave_the_folder_are_refused(name: str) -> None:
    with pytest.raises(ExplorerError, match=r"relative to resources/"):
        files.read_bytes(name)


@pytest.mark.parametrize("name", ["icons/none.svg", "icons", "", "ICONS/undo.png", "icons/undo.svg/x"])
def test_missing_files_are_named(name: str) -> None:
    with pytest.raises(ExplorerError) as caught:
        files.read_bytes(name)
    assert repr(name) in str(caught.value)
    assert "reinstall" in str(caught.value)
