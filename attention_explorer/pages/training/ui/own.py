"""Lines of one's own: typed, pasted, dropped or opened, with what can be learned from them said at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.declared import declarations
from attention_explorer.core.numerals import counted, grouped
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.made import button
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.sources.learned.own_lines import own_lines, said_of, said_of_left_out, too_little_for
from attention_explorer.sources.learned.own_text import ENDINGS, MOST_CHARACTERS, lines_from, text_in
from attention_explorer.sources.learned.setup import MOST_LINES, OWN, LearningSetup, LineCut

_SETTLES_MS = 150
"""After the last letter: thousands of lines are not read at each."""


def with_lines(state: TrainingState, lines: tuple[str, ...], cut: LineCut) -> TrainingState:
    """Return the state with lines of one's own to be learned, with the sizes on show if these learn such lines."""
    began = state if state.setup.task == OWN else replace(state.with_task(OWN), preset=OWN)
    return replace(began.with_setup(replace(began.setup, lines=lines, cut=cut)), row=-1)


def looked_over(text: str, cut: LineCut) -> tuple[tuple[str, ...], tuple[TextLine, ...]]:
    """Return the lines of a text, and what is said of what can be learned from them; for a worker.

    Raises
    ------
    ExplorerError
        Nothing can be learned from them.
    """
    lines, more = lines_from(text)
    found = own_lines(lines, cut)
    beyond = f"Only the first {grouped(MOST_LINES)} lines are taken: {counted(more, 'line')} more are left out."
    warnings = (beyond if more else "", " ".join(said_of_left_out(found)))
    return lines, (
        TextLine(" ".join(said_of(found)), bold=True),
        *(TextLine(each, "loss_ink") for each in warnings if each),
        *map(TextLine, too_little_for(found)),
    )


class LinesField(QPlainTextEdit):
    """A field for many lines.

    Parameters
    ----------
    read : callable
        Called with the path of a file that is dropped or pasted.
    refuse : callable
        Called with the reason why what is pasted is not taken.
    """

    def __init__(self, read: Callable[[Path], object], refuse: Callable[[str], object]) -> None:
        super().__init__()
        self._read, self._refuse = read, refuse
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
        elif len(source.text()) > MOST_CHARACTERS:
            self._refuse(f"That is too long to be pasted: up to {grouped(MOST_CHARACTERS)} characters can be learned.")
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
    typed : str
        What was written here before and not agreed to: it is there again, and Undo brings the lines of the setup.
    """

    def __init__(
        self,
        parent: QWidget,
        look: Look,
        setup: LearningSetup,
        then: Callable[[tuple[str, ...], LineCut], object],
        typed: str = "",
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Your own lines")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._then = then
        self._said: tuple[TextLine, ...] = ()
        self.cut, self.lines = setup.cut, setup.lines
        self.field = LinesField(self.read, self._refuse)
        self.field.setPlainText("\n".join(setup.lines))
        if typed:
            self._write(typed)
        self.says = TextBlock(look, 8, "What can be learned from these lines", ground="window")
        self._lay_out()
        self.resize(QSize(look.px(620), look.px(640)).boundedTo(self.screen().availableSize()))
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_looked_over)
        self.jobs.failed.connect(self._on_failed)
        self._settled = QTimer(self, singleShot=True, interval=_SETTLES_MS)
        self._settled.timeout.connect(self.look_over)
        self.field.textChanged.connect(self._on_typed)
        self.field.setFocus()
        self.look_over()

    def _lay_out(self) -> None:
        about = QLabel(
            "One line each: input, an arrow (minus and “greater” will do), answer. Or two columns, as in a table. "
            f"Up to {grouped(MOST_LINES)} lines."
        )
        about.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.learn = buttons.addButton("&Learn these", QDialogButtonBox.ButtonRole.AcceptRole)
        self.learn.setDefault(True)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.field, 1)
        column.addLayout(self._choices())
        column.addWidget(self.says)
        column.addWidget(buttons)

    def _choices(self) -> QHBoxLayout:
        """Return the row below the lines: into what they are cut, and a file to be opened."""
        said = declarations(LearningSetup)["cut"]
        label = QLabel("Cut into")
        label.setToolTip(said.tip)
        self.cuts = ChoiceRow("Cut into", [(each, said.called(each.value), said.tip) for each in LineCut], self._on_cut)
        self.cuts.show_value(self.cut)
        tip = "Read lines from a text file or a table with two columns; it may be dropped here too"
        open_file = button("Open a file…", tip, self._ask_for_file)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.cuts)
        row.addStretch(1)
        row.addWidget(open_file)
        return row

    def read(self, path: Path) -> None:
        """Put the lines of a file in place of those that are there, or say why not; Undo brings those back."""
        try:
            text = text_in(path)
        except ExplorerError as error:
            self._refuse(str(error))
            return
        self._write(text)
        self.look_over()

    def _write(self, text: str) -> None:
        self.field.selectAll()
        self.field.insertPlainText(text)

    def look_over(self) -> None:
        """Have what is there read: it is said what can be learned from it, or why nothing can."""
        self._settled.stop()
        self.learn.setEnabled(False)
        text, cut = self.field.toPlainText(), self.cut

        def work(_report: Report, deliver: Deliver) -> None:
            deliver(looked_over(text, cut))

        self.jobs.request((text, cut), work)

    def _on_typed(self) -> None:
        self.learn.setEnabled(False)  # until what is there now was looked over
        self._settled.start()

    def _on_looked_over(self, key: object, found: tuple[tuple[str, ...], tuple[TextLine, ...]]) -> None:
        if self._is_there(key):
            self.lines, self._said = found
            self.says.set_text(*self._said)
            self.learn.setEnabled(True)

    def _on_failed(self, key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError) and self._is_there(key):
            self._said = ()
            self._refuse(str(error))

    def _is_there(self, key: object) -> bool:
        """Whether what was looked over is still there as it was."""
        return key == (self.field.toPlainText(), self.cut)

    def _refuse(self, why: str) -> None:
        """Say why something cannot be learned, above what is said of the lines that are there, if these can."""
        self.says.set_text(TextLine(why, "loss_ink"), *self._said)

    def _on_cut(self, cut: object) -> None:
        self.cut = LineCut(str(cut))
        self.look_over()

    def _ask_for_file(self) -> None:
        kinds = " ".join(f"*{ending}" for ending in ENDINGS)
        name, _ = QFileDialog.getOpenFileName(self, "Open lines", "", f"Lines ({kinds});;All files (*)")
        if name:
            self.read(Path(name))

    def _on_accepted(self) -> None:
        self._then(self.lines, self.cut)
        self.accept()
