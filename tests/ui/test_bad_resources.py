"""Bundled files that are missing or damaged, and pictures that cannot be painted: a sentence, never a crash."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings, QSize
from PySide6.QtGui import QPainter

from attention_explorer.core import files
from attention_explorer.errors import ExplorerError
from attention_explorer.kit import theme
from attention_explorer.kit.drawing import colour_maps
from attention_explorer.kit.export.svg_file import pdf_bytes, svg_bytes
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.session.settings import ThemeChoice
from attention_explorer.window import rail
from attention_explorer.window.gallery import window_image


@pytest.mark.parametrize("content", [b"", b"zz", b"\xff\xfe", b"440154", b"44015\n440256", b"-10000\n440256"])
def test_a_damaged_colour_map(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(files, "read_bytes", lambda _name, _package="": content)
    colour_maps.colour_table.cache_clear()
    with pytest.raises(ExplorerError, match=r"colour_maps/viridis.txt' is damaged: reinstall the program\.$"):
        colour_maps.load_colour_maps()
    colour_maps.colour_table.cache_clear()


@pytest.mark.parametrize("content", [b"", b"<svg", b"\xff\xfe", b"GIF89a"])
def test_a_damaged_icon(qapp, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(files, "read_bytes", lambda _name, _package="": content)
    monkeypatch.setattr(rail, "_drawing", rail._drawing.__wrapped__)  # other tests have seen it whole
    with pytest.raises(ExplorerError, match=r"icons/undo.svg' is damaged: reinstall the program\.$"):
        rail.icon("undo", "#000000", 16)


def test_a_damaged_and_a_missing_font(qapp, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "damaged.otf").write_bytes(b"no font")
    monkeypatch.setattr(files, "path", lambda _name: str(tmp_path / "damaged.otf"))
    with pytest.raises(ExplorerError, match=r"Inter-Regular.otf' is damaged: reinstall the program\.$"):
        theme.load_fonts()
    monkeypatch.setattr(theme, "_FONT_FILES", ("fonts/none.otf",))
    with pytest.raises(ExplorerError, match=r"fonts/none.otf' is missing: reinstall the program\.$"):
        theme.load_fonts()


@pytest.mark.parametrize("encode", [svg_bytes, pdf_bytes])
def test_a_picture_that_cannot_be_painted_does_not_crash_qt(qapp, encode) -> None:
    def paint(_painter: QPainter) -> None:
        raise ExplorerError("There is no room.")

    for _ in range(20):
        with pytest.raises(ExplorerError, match="There is no room"):
            encode(paint, QSize(20, 20), 1.0, "title", "description")


def test_a_window_that_is_only_drawn_writes_no_settings(qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []
    monkeypatch.setattr(QSettings, "setValue", lambda _settings, key, _value: written.append(key))
    window_image(ExplorerState(), "lookup", QSize(640, 480), ThemeChoice.LIGHT)
    for window in qapp.topLevelWidgets():
        window.close()
    assert written == []
