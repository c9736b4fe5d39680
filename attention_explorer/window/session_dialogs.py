"""The questions and sentences about session files, none of which stops the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from attention_explorer.kit.file_names import LESSON, replace_question, with_ending
from attention_explorer.kit.message import message_box
from attention_explorer.pages.session_file import SUFFIX
from attention_explorer.sources.model_recipe import CONFIG, GGUF
from attention_explorer.sources.recorded_recipe import ENDINGS
from attention_explorer.window.keeper import LeftOver

_PATTERNS = " ".join(f"*{ending}" for ending in ENDINGS)
MODEL_FILTER = f"Models (*{GGUF} {CONFIG})"
RECORDING_FILTER = f"Attention: weights, or queries and keys ({_PATTERNS});;All files (*)"
OPEN_FILTER = (
    f"All that can be opened (*{SUFFIX} {_PATTERNS} *{GGUF} {CONFIG} *{LESSON});;Sessions (*{SUFFIX} *.json);;"
    f"Lessons (*{LESSON});;"
    f"{MODEL_FILTER};;{RECORDING_FILTER}"
)
FILTER = f"Sessions of Attention Explorer (*{SUFFIX});;JSON (*.json);;All files (*)"

_Button = QMessageBox.StandardButton
_Role = QMessageBox.ButtonRole


def ask_to_save(
    parent: QWidget,
    name: str,
    save: Callable[[], object],
    go_on: Callable[[], object],
    cancel: Callable[[], object],
    *,
    is_kept: bool,
) -> None:
    """Ask whether to save before what is open gives way; Esc and Cancel leave everything as it is.

    What is said of the changes is what becomes of them: ``is_kept`` says whether *Open recent* has them later.
    """
    box = message_box(parent, QMessageBox.Icon.Question, "Save the changes?", f"Save the changes to “{name}”?")
    fate = "they stay for a while under File, Open recent" if is_kept else "they are lost"
    box.setInformativeText(f"If you don’t save them, {fate}.")
    keep, drop = box.addButton(_Button.Save), box.addButton("&Don’t save", _Role.DestructiveRole)
    stay = box.addButton(_Button.Cancel)
    box.setDefaultButton(keep)
    box.setEscapeButton(stay)
    _answer(box, {keep: save, drop: go_on, stay: cancel})


def offer_left_over(
    parent: QWidget, left: LeftOver, take: Callable[[], object], drop: Callable[[], object], later: Callable[[], object]
) -> None:
    """Offer what a window that crashed has left; Esc leaves it for the next start."""
    what = f"“{left.name}”" if left.name else "A session without a file"
    box = message_box(
        parent, QMessageBox.Icon.Question, "Restore the session?", f"{what} was not saved when the program last ended."
    )
    box.setInformativeText(f"A copy from {left.time:%H:%M on %d %B %Y} was kept.")
    first = box.addButton("&Restore", _Role.AcceptRole)
    second = box.addButton("&Delete it", _Role.DestructiveRole)
    third = box.addButton("Ask me &later", _Role.RejectRole)
    box.setDefaultButton(first)
    box.setEscapeButton(third)
    _answer(box, {first: take, second: drop, third: later})


def _answer(box: QMessageBox, answers: dict[object, Callable[[], object]]) -> None:
    def on_finished(_result: int) -> None:
        chosen = answers.get(box.clickedButton())
        if chosen is not None:
            chosen()

    box.finished.connect(on_finished)
    box.open()


def ask_which_to_open(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for a session or a file of attention to open."""
    dialog = QFileDialog(parent, "Open a session or attention", str(folder), OPEN_FILTER)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    _ask(dialog, then)


def ask_which_to_compare(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for a file of attention to be compared with what is on show."""
    dialog = QFileDialog(parent, "Compare with a file of attention", str(folder), RECORDING_FILTER)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    _ask(dialog, then)


def ask_for_model_folder(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for the folder of a model."""
    dialog = QFileDialog(parent, f"A folder with {CONFIG}", str(folder))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    _ask(dialog, then)


def ask_for_gguf(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for a model in a .gguf file."""
    dialog = QFileDialog(parent, "A model", str(folder), f"Models (*{GGUF})")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    _ask(dialog, then)


def ask_where_it_is(parent: QWidget, was: Path, then: Callable[[Path], object]) -> None:
    """Ask for the file of attention that was at a path, beginning as near to it as there is a folder."""
    folder = next((each for each in was.parents if each.is_dir()), Path.home())
    dialog = QFileDialog(parent, f"Find {was.name}", str(folder), RECORDING_FILTER)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    _ask(dialog, then)


def ask_whether_another_will_do(parent: QWidget, name: str, difference: str, use: Callable[[], object]) -> None:
    """Say what is different about a file that was chosen for another, and ask whether it is to be used all the same."""
    box = message_box(parent, QMessageBox.Icon.Question, f"Not the same as {name}", difference)
    box.setInformativeText("What is shown would be its numbers. Undo goes back.")
    all_the_same = box.addButton("&Use it all the same", _Role.AcceptRole)
    box.setDefaultButton(box.addButton(_Button.Cancel))
    _answer(box, {all_the_same: use})


def ask_where_to_save(parent: QWidget, start: Path, then: Callable[[Path], object]) -> None:
    """Ask for the name of a session file; an existing one is asked about again."""

    def named(typed: Path) -> None:
        path = with_ending(typed, SUFFIX)
        question = replace_question(typed, path)
        if not question:
            then(path)
            return
        box = message_box(parent, QMessageBox.Icon.Question, "Replace the file?", question)
        replace = box.addButton("&Replace", _Role.AcceptRole)
        box.setDefaultButton(box.addButton(_Button.Cancel))
        _answer(box, {replace: lambda: then(path)})

    dialog = QFileDialog(parent, "Save the session", str(start.parent), FILTER)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
    dialog.selectFile(start.name)
    _ask(dialog, named)


def _ask(dialog: QFileDialog, then: Callable[[Path], object]) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
