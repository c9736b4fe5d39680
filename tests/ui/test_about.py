"""The window about the program: what it claims, and the references that the pages need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QScrollArea

import attention_explorer
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.ui.dialogs import ABOUT, about_dialog
from attention_explorer.ui.references import PAPERS, TO_READ_ON, Reference

PACKAGE = Path(attention_explorer.__file__).parent
SPOKEN = "\n".join(
    path.read_text("utf-8")
    for folder in ("ui", "state", "sources")
    for path in sorted((PACKAGE / folder).rglob("*.py"))
    if path.name not in ("references.py", "dialogs.py") and path.parent.name != "models"
)
"""All that the pages say, among their code; readers of model files say where a format is from to programmers only."""


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.mention)
def test_pages_speak_of_each_paper(paper: Reference) -> None:
    assert paper.mention in SPOKEN


def test_each_paper_that_a_page_names_with_its_year_is_listed() -> None:
    named = set(re.findall(r"([A-Z]\w+(?: et al\.| and [A-Z]\w+)),? \(?((?:19|20)\d\d)", SPOKEN))
    assert len(named) >= 6
    for authors, year in named:
        assert f"{authors} ({year})" in ABOUT


def test_the_tutorials_sources_are_listed() -> None:
    for name in ("Alammar", "Karpathy", "Dive into Deep Learning", "Bendersky"):
        assert any(name in reading.line for reading in TO_READ_ON)


def test_the_window_shows_all_of_it_and_fits_the_screen(make_window) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT), size=(1024, 768))
    dialog = about_dialog(window)
    dialog.show()
    assert dialog.height() <= window.height()
    scroll = dialog.findChild(QScrollArea)
    label = dialog.findChild(QLabel)
    assert label.text() == ABOUT
    assert label.height() >= label.heightForWidth(label.width()), "no line is cut"
    assert scroll.horizontalScrollBar().maximum() == 0
    for reference in (*PAPERS, *TO_READ_ON):
        assert reference.line in ABOUT
    assert "Every number on screen" not in ABOUT
    assert "measured with PyTorch" in ABOUT
    dialog.close()
