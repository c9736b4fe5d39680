"""Lines of one's own: typed, pasted, dropped or opened, with what can be learned from them said at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.declared import declarations
from attention_explorer.core.numerals import counted, grouped
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.sources.learned.own_lines import (
    ENDINGS,
    lines_from,
    own_lines,
    said_of,
    said_of_left_out,
    text_in,
    too_little_for,
)
from attention_explorer.sources.learned.setup import MOST_LINES, OWN, LearningSetup, LineCut

_SETTLES_MS = 150
"""After the last letter: thousands of lines are not read at each."""


def with_lines(state: TrainingState, lines: tuple[str, ...], cut: LineCut) -> TrainingState:
    """Return the state with lines of one's own to be learned, with the sizes on show if these learn such lines."""
    began = state if state.setup.task == OWN else replace(state.with_task(OWN), preset=OWN)
    return replace(began.with_setup(replace(began.setup, lines=lines, cut=cut)), row=-1)


class LinesField(QPlainTextEdit):
    """A field for many lines; a file that is dropped on it is read."""

    def __init__(self, read: Callable[[Path], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Lines to learn")
        self.setPlaceholderText("walk -> walked\nplay -> played\ntry -> tried\n…")

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if paths:
            self._read(paths[0])
        else:
            super().insertFromMimeData(source)


class OwnLinesDialog(QDialog):
    """Asks for lines, and says at once what can be learned from them.

    Parameters
    ----------
    parent : QWidget
        The page.
    look : Look
        Its colours.
    setup : LearningSetup
        Whose lines it begins with, if it has some.
    then : callable
        Called with the lines, and into what they are cut, once they are agreed to.
    """

    def __init__(
        self, parent: QWidget, look: Look, setup: LearningSetup, then: Callable[[tuple[str, ...], LineCut], object]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Your own lines")
        self.cut = setup.cut
        self._then = then
        self.lines: tuple[str, ...] = ()
        about = QLabel(
            "One line each: input, an arrow (minus and “greater” will do), answer. Or two columns, as in a table. "
            f"Up to {grouped(MOST_LINES)} lines."
        )
        about.setWordWrap(True)
        self.field = LinesField(self.read)
        self.field.setPlainText("\n".join(setup.lines))
        said = declarations(LearningSetup)["cut"]
        choices = [(each, said.called(each.value), said.tip) for each in LineCut]
        self.cuts = ChoiceRow("Cut into", choices, self._on_cut)
        self.cuts.show_value(self.cut)
        open_file = QPushButton("Open a file…")
        open_file.setToolTip("Read lines from a text file or a table with two columns; it may be dropped here too")
        open_file.clicked.connect(self._ask_for_file)
        row = QHBoxLayout()
        label = QLabel("Cut into")
        label.setToolTip(said.tip)
        for widget in (label, self.cuts):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(open_file)
        self.says = TextBlock(look, 8, "What can be learned from these lines", ground="window")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.learn = buttons.addButton("&Learn these", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.field, 1)
        column.addLayout(row)
        column.addWidget(self.says)
        column.addWidget(buttons)
        self.resize(look.px(620), look.px(640))
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLES_MS)
        self._settled.timeout.connect(self.look_over)
        self.field.textChanged.connect(self._settled.start)
        self.look_over()

    def read(self, path: Path) -> None:
        """Put the lines of a file in place of those that are there, or say why not; Undo brings those back."""
        try:
            text = text_in(path)
        except ExplorerError as error:
            self._refuse(str(error))
            return
        self.field.selectAll()
        self.field.insertPlainText(text)
        self.look_over()

    def look_over(self) -> None:
        """Say what can be learned from what is there, or why nothing can."""
        self._settled.stop()
        try:
            self.lines, more = lines_from(self.field.toPlainText())
            found = own_lines(self.lines, self.cut)
        except ExplorerError as error:
            self._refuse(str(error))
            return
        beyond = f"Only the first {grouped(MOST_LINES)} lines are taken: {counted(more, 'line')} more are left out."
        says = [
            TextLine(" ".join(said_of(found)), bold=True),
            *(TextLine(beyond, "loss_ink") for _ in range(bool(more))),
            *(TextLine(" ".join(left), "loss_ink") for left in [said_of_left_out(found)] if left),
            *(TextLine(each) for each in too_little_for(found)),
        ]
        self.says.set_text(*says)
        self.learn.setEnabled(True)

    def _refuse(self, why: str) -> None:
        self.says.set_text(TextLine(why, "loss_ink"))
        self.learn.setEnabled(False)

    def _on_cut(self, cut: object) -> None:
        self.cut = LineCut(str(cut))
        self.look_over()

    def _ask_for_file(self) -> None:
        kinds = " ".join(f"*{ending}" for ending in ENDINGS)
        name, _ = QFileDialog.getOpenFileName(self, "Open lines", "", f"Lines ({kinds});;All files (*)")
        if name:
            self.read(Path(name))

    def _on_accepted(self) -> None:
        self.look_over()  # what was typed a moment ago counts
        if self.learn.isEnabled():
            self._then(self.lines, self.cut)
            self.accept()
