"""What stands beside the picture of the Training page: asking the network, and breaking it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QCompleter, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.numerals import percent
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.discard import discard
from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.scene import Stage
from attention_explorer.kit.tab_order import in_order
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import Moment, Worth
from attention_explorer.pages.training.state import Head, TrainingState
from attention_explorer.pages.training.ui.pictures import BarsItem
from attention_explorer.pages.training.ui.take_card import TakeCard
from attention_explorer.pages.ui.session import Session

BARS_HEIGHT = 66


class _WordCompleter(QCompleter):
    """Offers words for the last one of a line; what stands before it stays."""

    def __init__(self, line: QLineEdit) -> None:
        super().__init__(line)
        self._line = line
        self.known: tuple[str, ...] = ()
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(" ")[2]]

    def pathFromIndex(self, index: object) -> str:
        before, gap, _ = self._line.text().rpartition(" ")
        return f"{before}{gap}{super().pathFromIndex(index)}"  # type: ignore[arg-type]

    def offer(self, known: tuple[str, ...]) -> None:
        """Offer these words from now on."""
        if known != self.known:
            from PySide6.QtCore import QStringListModel

            self.known = known
            self.setModel(QStringListModel(list(known), self))


class AskCard(Card):
    """A sentence, and what the network says to it.

    Signals
    -------
    refused : str
        Why a sentence cannot be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look) -> None:
        super().__init__(look, "Ask it")
        self.setAccessibleName("Ask it")
        self._session = session
        tip = "A sentence of words that it knows; if one is unknown, those that it knows are listed"
        self.line = SentenceField("Sentence", tip, lambda: session.state.training.sentence_shown)
        self.completer = _WordCompleter(self.line)
        self.line.setCompleter(self.completer)
        self.bars = BarsItem(look)
        self.stage = Stage(look, "Answers", self.bars.place)
        self.stage.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stage.add([self.bars])
        self.said = TextBlock(look, 2, "Answer")
        for widget in (self.line, self.stage, self.said):
            self.body.addWidget(widget)
        self.line.typed.connect(self._on_typed)
        self.line.refused.connect(self.refused)
        self.line.editingFinished.connect(session.commit)

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        if hasattr(self, "said"):
            self.stage.set_look(look)
            self.stage.setFixedHeight(look.px(BARS_HEIGHT))
            self.said.set_look(look)

    def show_state(self, state: TrainingState) -> None:
        """Show the sentence."""
        self.completer.offer(state.task.vocabulary(state.setup).words)
        self.line.show_sentence(state.sentence_shown)

    def show_moment(self, moment: Moment, state: TrainingState) -> None:
        """Show what is answered."""
        said, told = words.answers(moment, moment.row_of(state))
        self.bars.show_answers(told)
        self.said.set_text(TextLine(said))
        self.stage.set_words("; ".join(f"{word} {chance:.3f}" for word, chance, _ in told))

    def _on_typed(self, text: str) -> None:
        state = self._session.state
        training = replace(state.training, sentence=text, row=-1)
        self._session.apply(replace(state, training=training), "Ask", merge="training sentence")


class HeadSwitch(QCheckBox):
    """Switches a head off; it is as wide as with its longest words, so that nothing moves when they come."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} off")
        self._widest = f"{name} off:  100 % → 100 %"

    def sizeHint(self) -> QSize:
        measured = self.fontMetrics().horizontalAdvance
        return super().sizeHint() + QSize(max(measured(self._widest) - measured(self.text()), 0), 0)


class BreakCard(Card):
    """A switch for each head, with what the network is worth without it.

    Signals
    -------
    switched : (layer, head)
        A head is to be off that was on, or on that was off.
    needed_wanted
        The fewest heads that are needed are asked for.
    remade
        There are other switches: Tab is to be told what comes behind them.
    """

    switched = Signal(object)
    needed_wanted = Signal()
    remade = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Break it")
        self.setAccessibleName("Break it")
        self.boxes: dict[Head, HeadSwitch] = {}
        self._heads = QWidget()
        self._flow = FlowLayout(self._heads)
        self.said = TextBlock(look, 2, "What heads are worth")
        self.needed_button = QPushButton("Which heads does it need?")
        self.needed_button.setToolTip("Try sets of heads, and find the fewest that do nearly as well as all")
        self.needed_button.clicked.connect(self.needed_wanted)
        self.hide_cells = QPushButton("Hide cells")
        self.hide_cells.setCheckable(True)
        self.hide_cells.setToolTip(
            "While this is on, a click on a cell of the large map hides it in all layers and heads. Shift+click always "
            "does."
        )
        row = QHBoxLayout()
        row.addWidget(self.needed_button, 1)
        row.addWidget(self.hide_cells)
        for widget in (self._heads, self.said):
            self.body.addWidget(widget)
        self.body.addLayout(row)

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        if hasattr(self, "said"):
            self._flow.setSpacing(look.px(6))
            self.said.set_look(look)

    def show_state(self, state: TrainingState) -> None:
        """Show which heads there are, and which are off."""
        setup = state.setup
        heads = [(layer, head) for layer in range(setup.layers) for head in range(setup.heads)]
        if list(self.boxes) != heads:
            for box in self.boxes.values():
                self._flow.removeWidget(box)
                discard(box)
            self.boxes = {head: self._box(head, words.head_words(head, state)) for head in heads}
            in_order(self._heads, self.needed_button, self.hide_cells)
            self.remade.emit()
        for head, box in self.boxes.items():
            box.setCheckState(
                Qt.CheckState.Checked if head in state.off_shown
                else Qt.CheckState.PartiallyChecked if head in state.drawn_shown
                else Qt.CheckState.Unchecked
            )  # fmt: skip
        allow_unless("" if state.step else "Let it learn first: press Play.", self.needed_button)

    def _box(self, head: Head, name: str) -> HeadSwitch:
        box = HeadSwitch(name)
        box.setTristate(True)
        box.setToolTip(
            f"Click once to switch {name} off: its part of the output becomes 0.\nA second click puts its W_q, W_k, "
            "W_v and W_o back as they were drawn, a third switches it on again."
        )
        box.clicked.connect(lambda: self.switched.emit(head))
        self._flow.addWidget(box)
        return box

    def show_worth(self, worth: Worth | None, state: TrainingState) -> None:
        """Show what is left without each head; None while that is not known."""
        for head, box in self.boxes.items():
            name = f"{words.head_words(head, state)} {'as drawn' if head in state.drawn_shown else 'off'}"
            change = "" if worth is None else f":  {percent(worth.whole)} → {percent(worth.alone[head])}"
            if box.text() != name + change:
                box.setText(name + change)
                box.updateGeometry()
        said = "What a head is worth is what breaks without it." if worth is None else words.broken(worth, state)
        self.said.set_text(TextLine(said, ink="muted", size=12.5))


class TrainingPanel(QWidget):
    """The cards one below the other."""

    def __init__(self, session: Session, look: Look) -> None:
        super().__init__()
        self.ask = AskCard(session, look)
        self.break_it = BreakCard(look)
        self.take = TakeCard(session, look)
        self.break_it.remade.connect(self._order)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        for card in (self.ask, self.break_it, self.take):
            self.column.addWidget(card)
        self.column.addStretch(1)

    def _order(self) -> None:
        in_order(self.break_it, self.take)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self.column.setSpacing(look.px(8))
        for card in (self.ask, self.break_it, self.take):
            card.set_look(look)
