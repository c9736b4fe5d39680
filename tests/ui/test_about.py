"""The window about the program, and the references that the pages need, which the help window lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

import attention_explorer
from attention_explorer.core.terms import terms
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.tools.terms.references import PAPERS, TO_READ_ON, Reference
from attention_explorer.window.session_dialogs import ABOUT, about_dialog

PACKAGE = Path(attention_explorer.__file__).parent
SPOKEN = "\n".join(
    path.read_text("utf-8")
    for folder in ("window", "pages", "kit", "sources", "core")
    for path in sorted((PACKAGE / folder).rglob("*.py"))
    if path.name not in ("references.py", "session_dialogs.py") and path.parent.name != "models"
) + "".join(f"{term.says} {term.source}\n" for term in terms())
"""All that the pages say, among their code; readers of model files say where a format is from to programmers only."""


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.mention)
def test_pages_speak_of_each_paper(paper: Reference) -> None:
    assert paper.mention in SPOKEN


def test_each_paper_that_a_page_names_with_its_year_is_listed() -> None:
    named = set(re.findall(r"([A-Z]\w+(?: et al\.| and [A-Z]\w+)),? \(?((?:19|20)\d\d)", SPOKEN))
    assert len(named) >= 6
    listed = {(paper.authors, str(paper.year)) for paper in PAPERS}
    assert {(authors, year) for authors, year in named if f"{authors} ({year})" not in ABOUT} <= listed


def test_the_tutorials_sources_are_listed() -> None:
    for name in ("Alammar", "Karpathy", "Dive into Deep Learning", "Bendersky"):
        assert any(name in reading.line for reading in TO_READ_ON)


def test_every_reference_says_where_it_is_to_be_read() -> None:
    assert all(reference.link.startswith(("https://", "http://")) for reference in (*PAPERS, *TO_READ_ON))


def test_the_window_is_small_and_nothing_in_it_is_cut(make_window) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT), size=(1024, 768))
    dialog = about_dialog(window)
    dialog.show()
    assert dialog.height() <= 400
    label = dialog.findChild(QLabel)
    assert label.text() == ABOUT
    assert label.height() >= label.heightForWidth(label.width()), "no line is cut"
    dialog.close()
