"""Small windows, none of which stops the program: questions about files, about the program, the report of an error."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from attention_explorer import __version__
from attention_explorer.kit.controls.made import words
from attention_explorer.kit.message import LESSON, ask, replace_question, with_ending
from attention_explorer.pages.session_file import SUFFIX
from attention_explorer.sources.model_recipe import CONFIG, GGUF
from attention_explorer.sources.recorded_recipe import ENDINGS
from attention_explorer.window.keeper import LeftOver

ABOUT = f"""<h2>Attention Explorer {__version__}</h2>
<p>See and touch attention, the operation inside every transformer. Everything works without a network.</p>
<p>The papers cited, and what the numbers are, can be found under Help.</p>
<p>MIT licence. Colours: Okabe and Ito (2008). Font: Inter, under the SIL Open Font License.</p>"""


def _shell(parent: QWidget | None, title: str) -> tuple[QDialog, QVBoxLayout]:
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog, QVBoxLayout(dialog)


def _close_row(dialog: QDialog) -> QDialogButtonBox:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    return buttons


def about_dialog(parent: QWidget) -> QDialog:
    """Return the window about the program."""
    dialog, column = _shell(parent, "About Attention Explorer")
    text = words(ABOUT, wraps=True, is_copied=True)
    text.setMargin(text.fontMetrics().height())
    column.addWidget(text)
    column.addWidget(_close_row(dialog))
    wide = 80 * text.fontMetrics().averageCharWidth()
    text.setFixedWidth(wide)
    text.setMinimumHeight(text.heightForWidth(wide))
    return dialog


def error_report(text: str) -> str:
    """Return a report of an error that can be sent to someone: versions first, then what happened."""
    return (
        f"Attention Explorer {__version__}\nPython {platform.python_version()} · Qt {qVersion()} · "
        f"{platform.platform()}\n\n{text}"
    )


def error_dialog(parent: QWidget | None, text: str) -> QDialog:
    """Return the window that says that something went wrong, with a report to copy."""
    dialog, column = _shell(parent, "Something went wrong")
    explanation = words(
        "<b>Something went wrong inside the program.</b><br>You can go on working, and undo still works. "
        "If it happens again, send this report to the makers of the program.",
        wraps=True,
    )
    report = QPlainTextEdit(error_report(text))
    report.setReadOnly(True)
    report.setAccessibleName("Report")
    buttons = _close_row(dialog)
    copy = buttons.addButton("Copy report", QDialogButtonBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(report.toPlainText()))
    for widget in (explanation, report, buttons):
        column.addWidget(widget)
    dialog.resize(640, 420)
    return dialog


_PATTERNS = " ".join(f"*{ending}" for ending in ENDINGS)
MODEL_FILTER = f"Models (*{GGUF} {CONFIG})"
RECORDING_FILTER = f"Attention: weights, or queries and keys ({_PATTERNS});;All files (*)"
OPEN_FILTER = (
    f"All that can be opened (*{SUFFIX} {_PATTERNS} *{GGUF} {CONFIG} *{LESSON});;Sessions (*{SUFFIX} *.json);;"
    f"Lessons (*{LESSON});;"
    f"{MODEL_FILTER};;{RECORDING_FILTER}"
)
FILTER = f"Sessions of Attention Explorer (*{SUFFIX});;JSON (*.json);;All files (*)"

_CANCEL, _SAVE = QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Save
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
    fate = "they stay for a while under File, Open recent" if is_kept else "they are lost"
    answers = (_SAVE, save), (("&Don’t save", _Role.DestructiveRole), go_on), (_CANCEL, cancel)
    more = f"If you don’t save them, {fate}."
    ask(parent, "Save the changes?", f"Save the changes to “{name}”?", answers, more=more, default=0)


def offer_left_over(
    parent: QWidget, left: LeftOver, take: Callable[[], object], drop: Callable[[], object], later: Callable[[], object]
) -> None:
    """Offer what a window that crashed has left; Esc leaves it for the next start."""
    what = f"“{Path(left.kept.file).name}”" if left.kept.file else "A session without a file"
    text = f"{what} was not saved when the program last ended."
    more = f"A copy from {left.time:%H:%M on %d %B %Y} was kept."
    restore, delete = ("&Restore", _Role.AcceptRole), ("&Delete it", _Role.DestructiveRole)
    answers = (restore, take), (delete, drop), (("Ask me &later", _Role.RejectRole), later)
    ask(parent, "Restore the session?", text, answers, more=more, default=0)


def ask_which_to_open(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for a session or a file of attention to open."""
    _choose(QFileDialog(parent, "Open a session or attention", str(folder), OPEN_FILTER), then)


def ask_which_to_compare(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for a file of attention to be compared with what is on show."""
    _choose(QFileDialog(parent, "Compare with a file of attention", str(folder), RECORDING_FILTER), then)


def ask_for_model_folder(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for the folder of a model."""
    _choose(QFileDialog(parent, f"A folder with {CONFIG}", str(folder)), then, QFileDialog.FileMode.Directory)


def ask_for_gguf(parent: QWidget, folder: Path, then: Callable[[Path], object]) -> None:
    """Ask for a model in a .gguf file."""
    _choose(QFileDialog(parent, "A model", str(folder), f"Models (*{GGUF})"), then)


def ask_where_it_is(parent: QWidget, was: Path, then: Callable[[Path], object]) -> None:
    """Ask for the file of attention that was at a path, beginning as near to it as there is a folder."""
    folder = next((each for each in was.parents if each.is_dir()), Path.home())
    _choose(QFileDialog(parent, f"Find {was.name}", str(folder), RECORDING_FILTER), then)


def ask_whether_another_will_do(parent: QWidget, name: str, difference: str, use: Callable[[], object]) -> None:
    """Say what is different about a file that was chosen for another, and ask whether it is to be used all the same."""
    answers = (("&Use it all the same", _Role.AcceptRole), use), (_CANCEL, None)
    more = "What is shown would be its numbers. Undo goes back."
    ask(parent, f"Not the same as {name}", difference, answers, more=more)


def ask_where_to_save(parent: QWidget, start: Path, then: Callable[[Path], object]) -> None:
    """Ask for the name of a session file; an existing one is asked about again."""

    def named(typed: Path) -> None:
        path = with_ending(typed, SUFFIX)
        question = replace_question(typed, path)
        if question:
            answers = (("&Replace", _Role.AcceptRole), lambda: then(path)), (_CANCEL, None)
            ask(parent, "Replace the file?", question, answers)
        else:
            then(path)

    dialog = QFileDialog(parent, "Save the session", str(start.parent), FILTER)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
    dialog.selectFile(start.name)
    _choose(dialog, named, QFileDialog.FileMode.AnyFile)


def _choose(
    dialog: QFileDialog,
    then: Callable[[Path], object],
    mode: QFileDialog.FileMode = QFileDialog.FileMode.ExistingFile,
) -> None:
    dialog.setFileMode(mode)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
