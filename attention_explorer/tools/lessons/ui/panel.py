"""The card of a lesson: what to do or what is asked, an answer, what it is worth, and the way on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from attention_explorer.kit.controls.made import Card, discard, words
from attention_explorer.kit.controls.text_block import TermLabel
from attention_explorer.kit.reach import in_order
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.answers import Outcome
from attention_explorer.tools.lessons.lesson import Kind
from attention_explorer.tools.lessons.ui.asking import Asked, Asking, Choosing, EnterButton, SkipButton, Typing
from attention_explorer.tools.lessons.ui.asking_picks import Bars, Cells, Order, Words
from attention_explorer.tools.lessons.words import rich, spoken

WIDEST_TEXT, WIDEST = 900, 1240
"""Of a line of words, and of all that is in the card: on a large screen the buttons stay near the words."""
LOWEST, HIGHEST = 104, 160
"""Of the card: a line of buttons and three of words at least, and up to what height it is kept for a long step."""


@dataclass(frozen=True, slots=True)
class CardView:
    """All that the card shows.

    Attributes
    ----------
    title : str
        Of the lesson.
    step, count : int
        The step from 0, and how many there are.
    text : str
        What to do, with the marks of lessons.
    question : Asked or None
        What is asked; None for a task, and once it is answered where nothing is to be seen of the answer.
    outcome : Outcome or None
        The answer and the truth, once they are known.
    is_done : bool
        Whether the task is done.
    hint, verdict : str
        What is said below the text; empty for nothing.
    has_back, has_hint, has_skip, has_another : bool
        Which buttons are there; *Show me* is, wherever something can be skipped and is told.
    skip_text : str
        The words of the button that goes on without it.
    is_told : bool
        Whether answers are told.
    next_text : str
        The words of the button that goes on; empty for none.
    """

    title: str
    step: int
    count: int
    text: str
    question: Asked | None = None
    outcome: Outcome | None = None
    hint: str = ""
    verdict: str = ""
    is_done: bool = False
    has_back: bool = False
    has_hint: bool = False
    has_skip: bool = False
    has_another: bool = False
    skip_text: str = "Skip"
    is_told: bool = True
    next_text: str = ""


class LessonCard(Card):
    """Stands above the page while a lesson is under way.

    Signals
    -------
    given : object
        An answer, as `Asking` gives it.
    written : str
        What the field for the answer says now.
    term_wanted : str
        A term is to be explained, by its name.
    """

    given = Signal(object)
    written = Signal(str)
    term_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        self._title, self._count, self._dots = words("", "cardTitle"), words("", "muted"), words("", "muted")
        self._text, self._hint, self._verdict = _words(), _words(), _words()
        self.back, self.hint, self.tell = EnterButton("Back"), EnterButton("Hint"), EnterButton("Show me")
        self.another, self.skip, self.next = EnterButton("Another one"), SkipButton("Skip"), EnterButton("Next")
        self.leave = EnterButton("Leave")
        self._ways = self.back, self.hint, self.tell, self.another, self.next
        self._asked = Asking()
        self._view: CardView | None = None
        self._said: tuple[tuple[str, ...], ...] = ()
        self._kept_for = 0
        super().__init__(look)
        self._measure = _words()
        self._measure.setParent(self)
        self.setAccessibleName("Lesson")
        for label in (self._title, self._count, self._dots):
            self.head.addWidget(label)
            label.setMinimumWidth(1)  # they go where there is no room, and keep no window from getting narrower
        self.head.addStretch(1)
        for button in (*self._ways, self.skip):
            self.head.addWidget(button)
            button.hide()  # until a step wants it: all at once need more room than a small window has
        self.head.addWidget(self.leave)
        self.body.addLayout(self.head)
        for part in (self._text, self._hint, self._verdict, self._asked):
            self.body.addWidget(part)
        self.body.addStretch(1)
        for each in (self._text, self._hint, self._verdict):
            each.term_wanted.connect(self.term_wanted)
        self.leave.setAccessibleName("Leave the lesson")
        self.leave.setToolTip("End the lesson. What you had before it comes back.")
        self.tell.setToolTip("Do it for me, or tell the answer")
        self.skip.setToolTip("Go on without it")
        self.another.setToolTip("Ask the same with other numbers")

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self._look = look
        self._asked.set_look(look)
        for each in (self._text, self._hint, self._verdict):
            each.setMaximumWidth(look.px(WIDEST_TEXT))
        self._kept_for = 0
        self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    # ---- Its height ----

    def keep_room(self, said: Sequence[tuple[str, ...]]) -> None:
        """Be as high from now on as the longest of what is said below one another; "" is the line of an answer.

        So no step of a lesson moves the page.
        """
        self._said, self._kept_for = tuple(said), 0
        self._turn()

    def _keep_height(self, width: int) -> None:
        """Be as high as that takes for words of a width."""
        if width == self._kept_for:
            return
        self._kept_for = width
        px, line, between = self._look.px, self.next.sizeHint().height(), self.body.spacing()
        needs = (sum(between + self._high(text, width) for text in texts) for texts in self._said)
        margins = self.body.contentsMargins()
        whole = margins.top() + line + max(needs, default=0) + between + margins.bottom() + 2  # and the frame
        self.setMinimumHeight(min(max(whole, px(LOWEST)), px(HIGHEST)))

    def _high(self, text: str, width: int) -> int:
        self._measure.setText(rich(text))
        return self._measure.heightForWidth(width) if text else self.next.sizeHint().height()

    def _turn(self) -> None:
        """Keep all near the words on a large screen, and leave out what there is no room for beside the buttons.

        They stand at the top, where no number of lines moves them: *Skip* and *Next* share one place.
        """
        if self._title.parentWidget() is None:  # not in its place yet: shown now, it would be a window of its own
            return
        px = self._look.px
        beside = max(px(12), self.width() - px(WIDEST))
        self.body.setContentsMargins(px(12), px(9), beside, px(9))
        leads = max(button.sizeHint().width() for button in (self.skip, self.next))
        for button in (self.skip, self.next):
            button.setMinimumWidth(max(leads, px(64)))
        room = self.width() - px(12) - beside
        self._keep_height(min(room, px(WIDEST_TEXT)))
        needed: dict[QWidget, int] = {
            part: part.sizeHint().width() + self.head.spacing()
            for part in (*self._ways, self.skip, self.leave, self._count, self._title, self._dots)
        }
        shown = [part for part in (*self._ways, self.skip, self.leave) if part.isVisibleTo(self)]
        self._count.setVisible(room >= sum(needed[part] for part in (*shown, self._count)))
        room -= sum(needed[part] for part in (*self._ways, self.leave, self._count))
        for label in (self._title, self._dots):  # whichever buttons are there, so that no step makes them come and go
            room -= needed[label]
            label.setVisible(room >= 0)

    # ---- Showing ----

    def show_view(self, view: CardView) -> None:
        """Show a step. What was typed stays while the question is the same."""
        before, self._view = self._view, view
        self._title.setText(view.title)
        place = (
            f"{'Step' if view.is_told else 'Question'} {view.step + 1} of {view.count}"
            if view.step < view.count
            else "The end"
        )
        place += " · Done." if view.is_done else ""
        self._count.setText(place)
        self._count.setAccessibleName(place)
        self._dots.setText("●" * min(view.step + 1, view.count) + "○" * (view.count - view.step - 1))
        _say(self._text, view.text)
        _say(self._hint, f"*Hint:* {view.hint}" if view.hint else "")
        _say(self._verdict, view.verdict)
        if before is None or before.question != view.question:
            self._ask(view.question)
        if view.outcome is not None:
            self._asked.show_truth(*view.outcome)
        wanted = []
        for button, shown in (
            (self.back, view.has_back),
            (self.hint, view.has_hint),
            (self.tell, view.has_skip and view.is_told),
            (self.another, view.has_another),
            (self.skip, view.has_skip),
            (self.next, bool(view.next_text)),
        ):
            if not shown:
                button.hide()
            else:
                wanted.append(button)
        for button in wanted:  # once those are gone that make room for it
            button.show()
        self.next.setText(view.next_text)
        self.skip.setText(view.skip_text)
        # Like a chosen one: the one button that leads on stands out.
        self.next.setCheckable(bool(view.next_text))
        self.next.setChecked(bool(view.next_text))
        self._turn()

    def _ask(self, asked: Asked | None) -> None:
        """Make what a question is answered with anew."""
        discard(self._asked)
        self._asked = Asking() if asked is None else _asking(asked, self._look)
        self._asked.given.connect(self.given)
        self._asked.written.connect(self.written)
        self.body.insertWidget(self.body.count() - 1, self._asked)
        self._asked.show()  # now: what is shown an event later cannot take the keyboard
        buttons = self.back, self.hint, self.tell, self.another, self.skip, self.next, self.leave
        in_order(self._asked, *buttons)

    @property
    def asking(self) -> Asking:
        """What the question is answered with; an `Asking` that takes nothing if there is none."""
        return self._asked

    def take_keyboard(self) -> None:
        """Give the keyboard to what is to be done here: the answer, or the way on."""
        if self._view is not None and self._view.question is not None and self._view.outcome is None:
            self._asked.first().setFocus()
        else:
            (self.next if self.next.isVisible() else self.leave).setFocus()

    def write(self, text: str) -> None:
        """Write an answer into its field, as if it had been typed."""
        self._asked.write(text)

    # ---- Words ----

    def spoken(self) -> str:
        """Say the step, for a screen reader."""
        return f"{self._title.text()}. {self._count.accessibleName().rstrip('.')}. {self._text.accessibleName()}"

    def spoken_verdict(self) -> str:
        """Say what the answer is worth."""
        return self._verdict.accessibleName()


def _asking(asked: Asked, look: Look) -> Asking:
    """Return what a kind of answer is given with."""
    match asked.answer.kind:
        case Kind.CHOICE:
            return Choosing(asked)
        case Kind.TOKEN:
            return Words(asked)
        case Kind.ORDER:
            return Order(asked)
        case Kind.BARS:
            return Bars(asked, look)
        case Kind.CELLS:
            return Cells(asked, look)
    return Typing(asked, look)


class _Words(TermLabel):
    """Wraps within its largest width too: Qt asks how high it is in the width of the card, and would cut a line."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, self.maximumWidth()))


def _words(text: str = "") -> _Words:
    label = _Words()
    label.setWordWrap(True)
    _say(label, text)
    return label


def _say(label: QLabel, text: str) -> None:
    label.setText(rich(text))
    label.setAccessibleName(spoken(text))
    label.setVisible(bool(text))
