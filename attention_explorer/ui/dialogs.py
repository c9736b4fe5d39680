"""Small windows: about the program, the shortcut sheet, the report of an error."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from attention_explorer import __version__
from attention_explorer.ui.actions import WINDOW_ACTIONS
from attention_explorer.ui.page import Page
from attention_explorer.ui.references import PAPERS, TO_READ_ON
from attention_explorer.ui.theme import Look

ABOUT = f"""<h2>Attention Explorer {__version__}</h2>
<p>See and touch attention, the operation inside every transformer.</p>
<p>Every number in a picture was computed by the model layer, or measured on this machine. Numbers in hints and
in tutorials’ tables are typed, not computed; the table under Block, Depth was measured with PyTorch. Everything works
without a network.</p>
<p>MIT licence. Colours: Okabe and Ito (2008). Font: Inter, under the SIL Open Font License.</p>
<h3>Papers cited</h3>
<p>{"<br>".join(paper.line for paper in PAPERS)}</p>
<h3>Further reading</h3>
<p>{"<br>".join(reading.line for reading in TO_READ_ON)}</p>"""


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
    text = QLabel(ABOUT)
    text.setWordWrap(True)
    text.setMargin(text.fontMetrics().height())
    text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    sheet = QWidget()
    sheet.setObjectName("panel")
    QVBoxLayout(sheet).addWidget(text)
    scroll = _scrolling(sheet, "About Attention Explorer")
    column.addWidget(scroll)
    column.addWidget(_close_row(dialog))
    wide = 120 * text.fontMetrics().averageCharWidth()
    high = text.heightForWidth(wide) + 5 * text.fontMetrics().height()
    room = max(parent.height() - 40, 300)
    if high <= room:
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # there is nothing to scroll to
    dialog.resize(wide + 3 * text.margin(), min(high, room))
    return dialog


def _scrolling(widget: QWidget, name: str) -> QScrollArea:
    """Return a widget in an area that scrolls where it is too high."""
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setAccessibleName(name)
    scroll.setWidget(widget)
    return scroll


def shortcut_rows(page: Page) -> list[tuple[str, str]]:
    """Return every gesture and shortcut with what it does, those of the page first."""
    rows = list(page.gestures)
    rows += [(action.shortcut, action.text) for action in page.actions_offered() if action.shortcut]
    for action in WINDOW_ACTIONS:
        keys = [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts]
        if keys:
            rows.append((", ".join(keys), action.text.replace("&", "").rstrip("…")))
    return rows


def shortcuts_dialog(parent: QWidget, page: Page, look: Look) -> QDialog:
    """Return the sheet of what mouse and keys do."""
    dialog, column = _shell(parent, "Shortcuts")
    sheet = QWidget()
    sheet.setObjectName("panel")
    grid = QGridLayout(sheet)
    grid.setHorizontalSpacing(look.px(24))
    grid.setColumnStretch(1, 1)
    for row, (keys, what) in enumerate(shortcut_rows(page)):
        gesture, meaning = QLabel(keys), QLabel(what)
        gesture.setObjectName("cardTitle")
        meaning.setWordWrap(True)
        grid.addWidget(gesture, row, 0)
        grid.addWidget(meaning, row, 1)
    column.addWidget(_scrolling(sheet, "Mouse and keys"))
    column.addWidget(_close_row(dialog))
    dialog.resize(look.px(720), min(look.px(680), max(parent.height() - 40, 300)))
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
    explanation = QLabel(
        "<b>Something went wrong inside the program.</b><br>You can go on working, and undo still works. "
        "If it happens again, send this report to the makers of the program."
    )
    explanation.setWordWrap(True)
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
