"""Asks where a hand-out is to be saved, and writes it while the window goes on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.export.figure import Figure
from attention_explorer.kit.message import say
from attention_explorer.session.working import Working
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.presenting.handout import Item, items_of
from attention_explorer.tools.presenting.ui.figure import check_name, figures_of, painted_figures, write_sheets


def hand_out(window: Host, lesson: Lesson, working: Working) -> None:
    """Ask for a PDF file, and write a lesson to it for paper: what is right is computed aside, and so is the file."""
    named, _ = QFileDialog.getSaveFileName(window, "Save the hand-out", f"{lesson.name}.pdf", "PDF (*.pdf)")
    if not named:
        return
    path = Path(named)
    path = path if path.suffix else path.with_suffix(".pdf")

    def refuse(error: ExplorerError) -> None:
        say(window, "Not saved", str(error))

    def compute() -> tuple[tuple[Item, ...], dict[str, Figure]]:
        check_name(path)
        items = items_of(lesson)
        return items, figures_of(items)

    def paint(found: tuple[tuple[Item, ...], dict[str, Figure]]) -> None:
        items, figures = found
        pictures = painted_figures(figures)
        working.find_out(lambda: write_sheets(path, lesson, items, pictures), saved, refuse)

    def saved(_nothing: None) -> None:
        window.tell(f"Saved {path.name}")

    window.tell(f"{path.name} is being written …")
    working.find_out(compute, paint, refuse)
