"""Small windows: about the program, the report of an error."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from attention_explorer import __version__
from attention_explorer.kit.controls.made import words

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
