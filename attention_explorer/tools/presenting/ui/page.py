"""Asks where a hand-out is to be saved, and writes it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.message import say
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.presenting.handout import items_of
from attention_explorer.tools.presenting.ui.figure import write_handout


def hand_out(window: Host, lesson: Lesson) -> None:
    """Ask for a PDF file, and write a lesson to it for paper."""
    named, _ = QFileDialog.getSaveFileName(window, "Save the hand-out", f"{lesson.name}.pdf", "PDF (*.pdf)")
    if not named:
        return
    path = Path(named)
    path = path if path.suffix else path.with_suffix(".pdf")
    try:
        write_handout(path, lesson, items_of(lesson))
    except ExplorerError as error:
        say(window, "Not saved", str(error))
        return
    window.tell(f"Saved {path.name}")
