"""The window with the program of the page on show: it follows what is shown, and is copied or saved."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.script import Program
from attention_explorer.kit.controls.made import button, in_row, words
from attention_explorer.kit.reach import in_order
from attention_explorer.kit.theme import LIGHT, Theme
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Deliver, Report, stoppable
from attention_explorer.session.requests import Requests, Standing
from attention_explorer.tools.code.programs import DIFFERENCES, part_on_show, program_of
from attention_explorer.tools.host import Host

_PARTS = re.compile(
    r"(?P<text>\"\"\".*?\"\"\"|\"[^\"]*\"|'[^']*')"
    r"|(?P<comment>#.*)"
    rf"|(?P<word>\b(?:{'|'.join(sorted(keyword.kwlist))})\b)"
)


class CodeColours(QSyntaxHighlighter):
    """Sets a program a line at a time. No colour of the pages is used: those mean query, key, value and output."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.wear(LIGHT)

    def wear(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        inks = {"text": theme.muted, "comment": theme.muted, "word": theme.text}
        self._formats = {part: QTextCharFormat() for part in inks}
        for part, ink in inks.items():
            self._formats[part].setForeground(QColor(ink))
        self._formats["comment"].setFontItalic(True)
        self._formats["word"].setFontWeight(QFont.Weight.Bold)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour a line."""
        for found in _PARTS.finditer(text):
            self.setFormat(found.start(), found.end() - found.start(), self._formats[str(found.lastgroup)])


WIDTH, HEIGHT = 900, 660
"""Pixels at zoom 1, as far as the window behind it has them."""
QUICK = "lookup"
"""The page whose program is there within a mouse move, unless it shows a row of a head."""
COVERED = "Answer the question of the lesson first: then its program is here."
COMPUTING = "Computing …"
BESIDE = "Its larger arrays are in a file beside it, {}: “Save…” writes both."


class CodeRequest(NamedTuple):
    """What the program on show computes."""

    page: str
    state: PageState


class CodeWindow(QDialog):
    """Shows the NumPy program of the page on show, and what PyTorch does otherwise. It follows page and state."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window = window
        self._program: Program | None = None
        self._was_shown = False
        self.requests: Requests[CodeRequest] = Requests(self, akin=lambda shown, wanted: shown.page == wanted.page)
        self.jobs = self.requests.jobs
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Program in NumPy")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._colours = CodeColours(self.text.document())
        self.note = words("", "muted", wraps=True)
        self.copy = button("Copy", "Put the program on the clipboard", self.copy_program)
        self.save = button("Save…", "Save the program as a .py file, and what it loads beside it", self.save_program)
        self._close = button("Close", run=self.close)
        self._build()
        self._connect(window)
        self.wear()

    # ---- Building ----

    def _build(self) -> None:
        program, self._column = QWidget(), QVBoxLayout(self)
        self._rows = QVBoxLayout(program)
        self._rows.addWidget(self.text, 1)
        self._rows.addWidget(self.note)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("The program, and PyTorch")
        self.tabs.addTab(program, "NumPy")
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName("What PyTorch does otherwise")
        scroll.setWidget(_table())
        self.tabs.addTab(scroll, "What PyTorch does otherwise")
        for each in (self.copy, self.save):
            each.setAutoDefault(False)
        self._column.addWidget(self.tabs, 1)
        self._column.addLayout(in_row(self.copy, self.save, None, self._close))
        in_order(self.text, self.copy, self.save, self._close, self.tabs)

    def _connect(self, window: Host) -> None:
        session = window.session
        session.changed.connect(self._on_changed)
        window.turned.connect(self.follow)
        window.worn.connect(self.wear)
        self.requests.delivered.connect(self._on_delivered)
        self.requests.changed.connect(self._show_standing)
        # The menus of the main window do not hear these keys.
        for key, run in session.keys.items():
            QShortcut(QKeySequence(key), self).activated.connect(run)

    # ---- Showing ----

    def wear(self) -> None:
        """Wear the look of the window."""
        look = self._window.look
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(look.px(13))
        # A style sheet of all widgets names the font of the interface: only another one is stronger.
        self.text.setStyleSheet(f'QPlainTextEdit {{ font-family: "{font.family()}"; font-size: {look.px(13)}px; }}')
        self._colours.wear(look.theme)
        self._column.setContentsMargins(look.px(10), look.px(10), look.px(10), look.px(10))
        self._rows.setContentsMargins(look.px(8), look.px(8), look.px(8), look.px(8))
        for layout in (self._column, self._rows):
            layout.setSpacing(look.px(8))
        self.note.setMinimumHeight(2 * self.note.fontMetrics().lineSpacing())  # so that the program stays where it is

    def showEvent(self, event: QShowEvent) -> None:
        if not self._was_shown:
            self._was_shown = True
            behind, px = self._window.size(), self._window.look.px
            self.resize(min(px(WIDTH), behind.width() - 40), min(px(HEIGHT), behind.height() - 60))
        super().showEvent(event)
        self.follow()
        self.text.setFocus()

    def _on_changed(self, _old: ExplorerState, _new: ExplorerState) -> None:
        self.follow()

    def follow(self) -> None:
        """Show the program of what the window shows now."""
        if not self.isVisible():
            return
        page = self._window.settings.page
        self.setWindowTitle("Code: " + next(entry.title for entry in PAGES if entry.id == page))
        if self._window.page.withheld or not self._window.page.isVisible():
            self.requests.leave()
            self._show_program(None, COVERED)
            return
        state = self._window.session.state
        request = CodeRequest(page, part_on_show(page, state)[1])
        is_quick = page == QUICK and state.lookup.row is None
        if not self.requests.want(request, partial(_compute, page, state), at_once=is_quick):
            self._show_standing()

    def _on_delivered(self, _request: CodeRequest, program: Program) -> None:
        self._program = program
        self._show_standing()

    def _show_standing(self) -> None:
        standing = self.requests.standing
        if standing is Standing.REFUSED:
            self._show_program(None, self.requests.reason)
        elif standing is Standing.PENDING and (self._program is None or self.requests.shown != self.requests.wanted):
            self.note.setText(COMPUTING)
        elif standing is Standing.CURRENT and self._program is not None:
            program = self._program
            beside = BESIDE.format(f"{program.name}.npz") if program.data else ""
            self._show_program(program, " ".join(filter(None, (program.count, beside, program.note))))

    def _show_program(self, program: Program | None, note: str) -> None:
        """Show a program, the part of it that was in view still in view; or say why there is none."""
        text = "" if program is None else program.text
        if text != self.text.toPlainText():
            down, right = self.text.verticalScrollBar(), self.text.horizontalScrollBar()
            places = down.value(), right.value()
            self.text.setPlainText(text)
            down.setValue(places[0])
            right.setValue(places[1])
        self.note.setText(note)
        for each in (self.copy, self.save):
            each.setEnabled(program is not None)

    @property
    def program(self) -> Program | None:
        """The program on show; None while there is none of the newest state."""
        return self._program if self.requests.standing is Standing.CURRENT and self.copy.isEnabled() else None

    # ---- Taking it away ----

    def copy_program(self) -> None:
        """Put the program on the clipboard."""
        if self.program is not None:
            QGuiApplication.clipboard().setText(self.program.text)
            self._window.tell("The program is on the clipboard.")

    def save_program(self) -> None:
        """Ask where, and write the program, with the file that it loads beside it."""
        # File formats would delay the window.
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain

        if (program := self.program) is None:
            return
        path = ask_for_file(self, "Save program", program.name, {".py": "Python program"})
        if path is None:
            return
        program, beside = program.named(path.stem), path.with_suffix(".npz")
        if program.data and not self._may_replace(beside):
            return
        said = save_or_explain(self, _text_file(program), path)
        if program.data and said.startswith("Saved"):
            said = save_or_explain(self, _archive(program), beside)
        self._window.tell(said)

    def _may_replace(self, path: Path) -> bool:
        """Ask before another file goes that nobody has named."""
        yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
        question = f"The program needs “{path.name}” beside it, and there is one already. Replace it?"
        return not path.exists() or QMessageBox.question(self, "Replace the file?", question, yes | no, no) == yes

    # ---- Closing ----

    def hideEvent(self, event: QHideEvent) -> None:
        self.requests.leave()
        super().hideEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._window.page.focus_first()


def _compute(page: str, state: ExplorerState, report: Report, deliver: Deliver) -> None:
    """Put together the program of a page."""
    with stoppable(report):
        deliver(program_of(page, state))


Contents = Callable[[IO[bytes], Callable[[float], object]], object]


def _text_file(program: Program) -> Contents:
    return lambda file, _report: file.write(program.text.encode())


def _archive(program: Program) -> Contents:
    return lambda file, _report: np.savez(file, allow_pickle=False, **program.data)


def _table() -> QWidget:
    """Return the differences as rows of words."""
    sheet = QWidget()
    sheet.setObjectName("panel")
    grid = QGridLayout(sheet)
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(8)
    for column, title in enumerate(("", "Here", "PyTorch")):
        grid.addWidget(_cell(title, "cardTitle"), 0, column)
    for row, difference in enumerate(DIFFERENCES, start=1):
        for column, said in enumerate(difference):
            grid.addWidget(_cell(said, "" if column else "cardTitle"), row, column)
    for column, share in enumerate((2, 3, 5)):
        grid.setColumnStretch(column, share)
    grid.setRowStretch(len(DIFFERENCES) + 1, 1)
    return sheet


def _cell(text: str, style: str) -> QLabel:
    label = words(text, style, wraps=True, is_copied=True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return label
