"""What asks or says something without stopping the window, and what a file is called that somebody named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

Answer: TypeAlias = (
    "tuple[QMessageBox.StandardButton | tuple[str, QMessageBox.ButtonRole], Callable[[], object] | None]"
)
"""A button, and what is done when it is chosen."""


def say(parent: QWidget, title: str, text: str, *, is_error: bool = True) -> None:
    """Say in a box what went wrong, or what is worth knowing."""
    icon = QMessageBox.Icon.Warning if is_error else QMessageBox.Icon.Information
    box = _box(parent, icon, title, text)
    box.addButton(QMessageBox.StandardButton.Ok)
    box.open()


def ask(
    parent: QWidget, title: str, text: str, answers: Sequence[Answer], *, more: str = "", default: int = -1
) -> None:
    """Ask in a box, and do what belongs to the answer; Esc is the last one, and Enter that at ``default``."""
    box = _box(parent, QMessageBox.Icon.Question, title, text)
    box.setInformativeText(more)
    buttons = [box.addButton(*each) if isinstance(each, tuple) else box.addButton(each) for each, _ in answers]
    box.setDefaultButton(buttons[default])
    box.setEscapeButton(buttons[-1])

    def on_finished(_result: int) -> None:
        for button, (_, act) in zip(buttons, answers, strict=True):
            if button is box.clickedButton() and act is not None:
                act()

    box.finished.connect(on_finished)
    box.open()


def _box(parent: QWidget, icon: QMessageBox.Icon, title: str, text: str) -> QMessageBox:
    """Return a box that is deleted when it is closed, to which buttons are to be added."""
    box = QMessageBox(icon, title, text, QMessageBox.StandardButton.NoButton, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # a file may be called <b>
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box


# ---- Names of files ----


LESSON = ".lesson.toml"
"""How the files of lessons end."""


def with_ending(path: Path, ending: str) -> Path:
    """Return a path with an ending like ``.png`` if it has none: of “figure 2.1” the number is none."""
    own = path.suffix.removeprefix(".")
    return path if own and not own.isdecimal() else path.with_name(path.name + ending)


def replace_question(typed: Path, path: Path) -> str:
    """Return what to ask about a file that is there already; empty if nothing need be asked.

    File dialogs ask by themselves, but only about the name as it was ``typed``, without the ending it has now.
    """
    return f"“{path.name}” is there already. Replace it?" if path != typed and path.exists() else ""
