"""What is seen of a recorded lesson: a strip above the page while it is recorded, and all its steps as a page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.numerals import counted
from attention_explorer.kit.controls.made import Card, FlowLayout, button, in_row, name_of, words
from attention_explorer.kit.controls.number_box import WholeNumberBox, show_number
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Step
from attention_explorer.tools.lessons.reading import LONGEST_TEXT
from attention_explorer.tools.lessons.recording import Moment, Recording, usual_minutes
from attention_explorer.tools.lessons.ui.step_form import StepForm
from attention_explorer.tools.lessons.words import spoken

LINES_OF_STRIP = 2
"""Of words that are seen at once."""


class RecordStrip(Card):
    """Stands above the page while a lesson is recorded.

    Signals
    -------
    titled : str
        A title was typed.
    """

    titled = Signal(str)

    def __init__(self, look: Look) -> None:
        self.form = StepForm(look, LINES_OF_STRIP)
        self.title, self.count = QLineEdit(), QLabel()
        tip = "Take the last step away; Undo does it too, and takes back what was done"
        self.delete = button("Delete step", tip)
        tip = "See all steps, put them in order, try the lesson and save it (Ctrl+Shift+R)"
        self.finish = button("Steps…", tip, is_switch=True)
        super().__init__(look)
        self.setAccessibleName("Recording a lesson")
        self.title.setAccessibleName("Title of the lesson")
        self.title.setPlaceholderText("Title of the lesson")
        self.title.setMaxLength(LONGEST_TEXT)
        self.title.setMinimumWidth(1)
        self.count.setObjectName("muted")
        self.finish.setChecked(True)  # the one button that leads on stands out
        self.head.addWidget(words("●  Recording", "cardTitle"))
        self.head.addWidget(self.title, 1)
        for part in (self.count, self.delete, self.finish):
            self.head.addWidget(part)
        self.body.addLayout(self.head)
        self.body.addWidget(self.form)
        self.form.stand_beside()
        self.title.textEdited.connect(self.titled)
        self.title.returnPressed.connect(self.form.left)

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self.form.set_look(look)

    def show_recording(self, recording: Recording, at: int, offered: Sequence[Step] | None, why_none: str) -> None:
        """Show the step that is being recorded."""
        if recording.title != self.title.text():
            self.title.setText(recording.title)
        asked = f", {recording.questions} asked" if recording.questions else ""
        self.count.setText(f"Step {at + 1}{asked}" if at >= 0 else "No step")
        self.count.setAccessibleName(self.count.text())
        self.delete.setEnabled(at >= 0)
        self.finish.setChecked(True)
        self.form.show_moment(recording.moments[at] if at >= 0 else None, offered, why_none)


LINES, LONGEST_MINUTES, MOST_SAID = 3, 600, 5
NO_STEPS = "No steps yet. Press Go on, and do in the window what the class is to see."


class RecordPage(QWidget):
    """Shows a recording; what is done to it is said by signals, for the recorder to do it.

    Signals
    -------
    chosen : int
        Another step is to be shown.
    moved : int
        The step on show is to go so many places down.
    described : (str, str, str, int)
        Title, what it is about, what is learned and minutes, which were typed.
    room_changed
        The picture has more room, or less.
    """

    chosen = Signal(int)
    moved = Signal(int)
    described = Signal(str, str, str, int)
    room_changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title, self.about, self.learned = (_line(name) for name in ("Title", "About", "Learned"))
        self.minutes = WholeNumberBox(1, LONGEST_MINUTES, "Minutes")
        self.steps, self.form = QListWidget(), StepForm(look, LINES)
        self.said, self.where = words("", wraps=True, is_copied=True), words("", "cardTitle")
        self.picture = _Seen()
        self.up = button("Up", "Let this step come earlier", lambda: self.moved.emit(-1))
        self.down = button("Down", "Let this step come later", lambda: self.moved.emit(1))
        self.join = button("Join", "Make this step and the one before one: what this one shows, and the words of both")
        self.delete = button("Delete", "Take this step away (Del)")
        self.undo = button("Undo", "Take back the last thing that was done here (Ctrl+Z)")
        self.go_on = button("Go on", "Record again, behind this step: the window shows it (Esc)")
        self.hand_out = button("Hand-out…", "Save it as a PDF to be printed: tasks and questions, then the answers")
        self.preview = button("Try it", "Take the lesson as the class will; leaving it comes back here")
        self.save = button("Save…", "Write the lesson to a file, which File → Open plays (Ctrl+S)", is_switch=True)
        self.discard = button("Discard…", "Delete this recording")
        self.close_button = button("Close", "Back to the window. What is not saved is kept, and offered next time.")
        self._flows = FlowLayout(), FlowLayout()
        """The buttons below the list and below the picture: in several lines where there is little room."""
        self._build(look)
        self._connect()
        self.set_look(look)

    # ---- Building ----

    def _build(self, look: Look) -> None:
        self._column = QVBoxLayout(self)
        title = words("Steps of the lesson", "title")
        self._column.addLayout(in_row((title, 1), self.discard, self.close_button))
        self._column.addLayout(in_row((self._list(look), 2), (self._right(look), 3)), 1)

    def _list(self, look: Look) -> QWidget:
        side = self._side = Card(look)
        self.steps.setAccessibleName("Steps")
        self.steps.setFrameShape(QListWidget.Shape.NoFrame)
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        buttons = self._flows[0]
        for each in (self.up, self.down, self.join, self.delete, self.undo):
            buttons.addWidget(each)
        side.body.addWidget(self.steps, 1)
        side.body.addLayout(buttons)
        return side

    def _right(self, look: Look) -> QWidget:
        self._card = Card(look)
        about = QFormLayout()
        about.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        first = in_row((self.title, 1), name_of(self.minutes, "&Minutes"), self.minutes)
        about.addRow(name_of(self.title, "&Title"), first)
        about.addRow("A&bout", self.about)
        about.addRow("&Learned", self.learned)
        self.said.setAccessibleName("Check")
        last = self._flows[1]
        for each in (self.save, self.preview, self.hand_out, self.go_on):
            last.addWidget(each)
        self.save.setChecked(True)
        self.form.stand_below()
        body = self._card.body
        body.addLayout(about)
        body.addWidget(self.where)
        body.addWidget(self.form)
        body.addWidget(self.picture, 1)
        body.addWidget(self.said)
        body.addLayout(last)
        return self._card

    def _connect(self) -> None:
        self.steps.currentRowChanged.connect(self.chosen)
        for line in (self.title, self.about, self.learned):
            line.textEdited.connect(self._describe)
        self.minutes.valueChanged.connect(self._describe)
        self.form.left.connect(self.steps.setFocus)
        self.picture.resized.connect(self.room_changed)

    def _describe(self) -> None:
        lines = (line.text() for line in (self.title, self.about, self.learned))
        self.described.emit(*lines, round(self.minutes.value()))

    # ---- Showing ----

    def show_recording(self, recording: Recording, at: int, *, can_undo: bool) -> None:
        """Show a recording, with one of its steps chosen; −1 if there is none."""
        with QSignalBlocker(self.steps):
            rows = [_row(number, moment) for number, moment in enumerate(recording.moments, 1)]
            self.steps.model().removeRows(len(rows), max(self.steps.count() - len(rows), 0))
            self.steps.addItems(rows[self.steps.count() :])
            for place, text in enumerate(rows):
                self.steps.item(place).setText(text)
                self.steps.item(place).setToolTip(text)
            self.steps.setCurrentRow(at)
        for line, text in zip(
            (self.title, self.about, self.learned), (recording.title, recording.about, recording.learned), strict=True
        ):
            if line.text() != text:
                line.setText(text)
        show_number(self.minutes, recording.minutes or usual_minutes(len(recording.moments)))
        last = len(recording.moments) - 1
        for each, is_possible in (
            (self.up, at > 0),
            (self.down, 0 <= at < last),
            (self.join, at > 0),
            (self.delete, at >= 0),
            (self.undo, can_undo),
            (self.save, last >= 0),
            (self.preview, last >= 0),
            (self.hand_out, last >= 0),
        ):
            each.setEnabled(is_possible)
        self.save.setChecked(True)
        page = recording.moments[at].page.capitalize() if at >= 0 else ""
        self.where.setText(f"Step {at + 1}, {page}" if at >= 0 else NO_STEPS)

    def show_form(self, moment: Moment | None, offered: Sequence[Step] | None, why_none: str) -> None:
        """Show the words and the questions of the step that is chosen."""
        self.form.show_moment(moment, offered, why_none)

    def say(self, *lines: str) -> None:
        """Show what the check says, or the first of it."""
        more = [f"And {len(lines) - MOST_SAID} more."] if len(lines) > MOST_SAID else []
        self.said.setText("\n".join((*lines[:MOST_SAID], *more)))

    def show_picture(self, picture: QPixmap, says: str = "") -> None:
        """Show what is seen at the step that is chosen, and what is said there."""
        self.picture.setPixmap(picture)
        self.picture.setAccessibleDescription(says or NO_STEPS)

    # ---- Look and keys ----

    def set_look(self, look: Look) -> None:
        """Take another look."""
        self._column.setContentsMargins(look.px(14), look.px(10), look.px(14), look.px(10))
        self._column.setSpacing(look.px(10))
        for row in self._flows:
            row.setSpacing(look.px(6))
        self.steps.setSpacing(look.px(3))
        for part in (self._side, self._card, self.form):
            part.set_look(look)

    def event(self, event: QEvent) -> bool:
        """Take the keys of undo, save and Esc before the window does, whose own work is not on show."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and self._own(event) is not None
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        meant = self._own(event)
        if meant is None:
            super().keyPressEvent(event)
        elif meant.isEnabled():
            meant.click()

    def _own(self, event: QKeyEvent) -> QPushButton | None:
        """Return the button that does what a key means here."""
        if event.matches(QKeySequence.StandardKey.Undo):
            return self.undo
        if event.matches(QKeySequence.StandardKey.Save):
            return self.save
        if event.key() == Qt.Key.Key_Escape:
            return self.go_on
        on_list = self.steps.hasFocus() and event.key() == Qt.Key.Key_Delete
        return self.delete if on_list else None


class _Seen(QLabel):
    """The picture of a step, which takes what room is left."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__(alignment=Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAccessibleName("What is seen at this step")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


def _line(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setMaxLength(LONGEST_TEXT)
    line.setMinimumWidth(1)
    return line


def _row(number: int, moment: Moment) -> str:
    """Return what the list says of a step."""
    said = spoken(moment.words if moment.question is None else moment.question.text)
    asked = "  ?" if moment.question is not None else ""
    return f"{number}  {moment.page.capitalize()}{asked}  {said or counted(0, 'word')}"
