"""The sentence above the heads: its tokens, edited in place, a second one for cross-attention, and ways on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.kit.controls.made import FlowLayout, allow_unless, in_row
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED
from attention_explorer.kit.frame.subject import SubjectLine
from attention_explorer.kit.frame.token_line import MOST_BITS, Tokens
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.guess import (
    can_hide_words,
    guess_setup,
    hidden_words,
    shows_surprise,
    surprise,
    surprise_words,
)
from attention_explorer.pages.heads.offers import WayOn, unknown_said, unknown_words, ways_on
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.guess import FoundAside, GuessBeside
from attention_explorer.pages.heads.wording import one
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import context_tokens_of, recipe_as, sentence_of, source_of, tokens_of
from attention_explorer.sources.source import Ability

MOST_WEIGHED = 4096
"""Tokens up to which the weights of a row are shown on them."""
SECOND_TIP = (
    "A second sentence. In cross-attention the queries come from this one, keys and values from the second,\n"
    "as a translation looks at its source, and the map need not be square.\n"
    "A model that reads in both directions reads the two as one text."
)


class HeadsSubject(QWidget):
    """What is read. It shows the state and turns what is typed into a new one.

    Signals
    -------
    refused : str
        Why something cannot be done.
    pinned, pointed : Spot
        A token was clicked; or is pointed at, or nothing is any more.
    """

    refused = Signal(str)
    pinned = Signal(object)
    pointed = Signal(object)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._withheld = session, False
        self._on_show: tuple[HeadsState, HeadsFrame | None, Spot, bool] | None = None
        self._ways: tuple[WayOn, ...] = ()
        self.sentence, self.context = (
            self._line("Sentence", "sentence", look),
            self._line("Second sentence", "context", look),
        )
        self.cross = QPushButton("+ second")
        self.cross.setCheckable(True)
        self.cross.setAccessibleName("Second sentence, for cross-attention")
        self.cross.setToolTip(SECOND_TIP)
        self.cross.clicked.connect(self._on_cross_clicked)
        self.read_it = QPushButton()
        self.read_it.setToolTip("Opens a model that is on this computer; nothing is downloaded. Undo goes back.")
        self.read_it.clicked.connect(lambda: self._read())
        self.read_it.hide()
        self._read: Callable[[], object] = lambda: None
        self.guess = GuessBeside(look)
        self.surprise = FoundAside(surprise, self._show_surprise, self)
        self.second_words, self.surprise_words = QLabel(), QLabel()
        for label in (self.second_words, self.surprise_words):
            label.setObjectName("muted")
        self.surprise_words.hide()
        self._first, self._second = QHBoxLayout(), QWidget()
        self._first.addWidget(self.sentence, 1)
        self._first.addLayout(in_row(self.guess, None, self.read_it))
        second = QHBoxLayout(self._second)
        second.setContentsMargins(0, 0, 0, 0)
        second.addWidget(self.second_words)
        second.addWidget(self.context, 1)
        self._second.hide()
        self._ways_row = QWidget()
        self._flow = FlowLayout(self._ways_row)
        self.unknown_words = QLabel()
        self.unknown_words.setObjectName("muted")
        self._flow.addWidget(self.unknown_words)
        self._buttons: list[QPushButton] = []
        self._reason = self._shown = ""
        self._ways_row.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._first)
        self._column.addWidget(self.surprise_words)
        self._column.addWidget(self._second)
        self._column.addWidget(self._ways_row)
        self.sentence.line.clicked.connect(self._on_clicked)
        self.sentence.line.pointed.connect(self._on_pointed)
        self.sentence.line.eye_clicked.connect(self._on_eye_clicked)
        self.context.line.clicked.connect(lambda token: self.pinned.emit(Spot(None, token)))
        self.context.line.pointed.connect(
            lambda token: self.pointed.emit(NOWHERE if token is None else Spot(None, token))
        )

    def _line(self, name: str, field: str, look: Look) -> SubjectLine:
        tip = declarations(ToyRecipe)[field].tip
        line = SubjectLine(name, tip, lambda: getattr(self._session.state.heads.setup.recipe, field) or "", look)
        line.typed.connect(lambda text: self._on_typed(field, text))
        line.refused.connect(self.refused)
        line.typing_ended.connect(self._session.commit)
        return line

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._column.setSpacing(look.px(2))
        self._flow.setSpacing(look.px(6))
        for part in (self.sentence, self.context, self.guess):
            part.set_look(look)

    def offer_model(self, name: str, read: Callable[[], object]) -> None:
        """Offer to read the sentence with a model, wherever the small one of the box reads it."""
        self.read_it.setText(f"Read it with {name.rpartition('/')[2]}")
        self._read = read
        self._show_model(self._session.state.heads)

    def _show_model(self, heads: HeadsState) -> None:
        learned = recipe_as(heads.setup.recipe, LearnedRecipe)
        self.read_it.setVisible(learned is not None and bool(self.read_it.text()))

    def withhold(self, withheld: bool) -> None:
        """Show no weights and no guess while they are asked for."""
        self._withheld = withheld
        self.guess.withhold(withheld)

    def show_frame(self, heads: HeadsState, frame: HeadsFrame | None, lit: Spot) -> None:
        """Show the sentence, and what the row that is lit looks at, as far as the frame is of this sentence."""
        shown = heads, frame, lit, self._withheld
        if shown == self._on_show:
            return  # where a delivery is the last one, the page comes by here three times
        self._on_show = shown
        recipe = heads.setup.recipe
        source = source_of(recipe)
        no_typing, no_second = (
            source.traits.reason_against(each) for each in (Ability.TYPING, Ability.SECOND_SENTENCE)
        )
        is_cross = source.context is not None
        allow_unless(no_typing or no_second, self.cross)
        for line in (self.sentence, self.context):  # where nothing can be typed none asks
            line.field.setPlaceholderText("" if no_typing else "Type at least one word")
        self._shown = "" if frame is None else sentence_of(frame.setup.recipe)
        self._show_model(heads)
        self._show_ways(heads)
        self.cross.setChecked(is_cross)
        self._second.setVisible(is_cross)
        self.second_words.setText(source.second_words)
        known = frame if frame is not None and frame.setup.recipe == recipe else None
        queries = tokens_of(recipe) if known is None else known.queries
        row = lit.row if known is not None and lit.row is not None and lit.row < len(queries) else None
        weights = () if known is None or row is None else self._weights(known, row)
        unknown, hidden = frozenset(unknown_words(recipe)), hidden_words(heads)
        self._show_guess(heads, is_known=known is not None, guesses=source.guesses and not unknown)
        self._ask_for_surprise(heads, is_known=known is not None)
        own = ((), ()) if is_cross else (weights, hidden)
        has_eyes = can_hide_words(heads.setup) and not unknown and not is_cross
        tokens = Tokens(queries, row, own[0], unknown, no_typing, own[1], has_eyes, self._surprise(queries))
        self.sentence.show_sentence(source.sentence, tokens)
        self._say_surprise()
        self._keep_together()
        if is_cross:
            keys = context_tokens_of(recipe) if known is None else known.keys
            self.context.show_sentence(
                source.context or "", Tokens(keys, None, weights, unknown, no_typing or no_second, hidden)
            )

    def _show_guess(self, heads: HeadsState, *, is_known: bool, guesses: bool) -> None:
        """Have the guess found once there is a map: that of a model takes all of its layers."""
        if guesses and not is_known:
            self.guess.wait_for(heads.setup.recipe)
        else:
            self.guess.show_setup(guess_setup(heads.setup) if guesses else None)

    def _ask_for_surprise(self, heads: HeadsState, *, is_known: bool) -> None:
        """Have it found once there is a map: it takes all layers."""
        if not shows_surprise(heads):
            self.surprise.ask(None)
        elif is_known:
            self.surprise.ask(guess_setup(heads.setup))

    def _surprise(self, tokens: tuple[str, ...]) -> tuple[float, ...]:
        """Return what was found of these tokens; nothing while it is asked for."""
        found = () if self._withheld or self.surprise.found is None else self.surprise.found
        return found if len(found) == len(tokens) else ()

    def _show_surprise(self) -> None:
        line = self.sentence.line
        line.show_tokens(replace(line.tokens, surprise=self._surprise(line.tokens.texts)))
        self._say_surprise()

    def _say_surprise(self) -> None:
        """Say what the bars below the tokens mean."""
        heads = self._session.state.heads
        unit = "word" if heads.whole_words else "token"
        self.surprise_words.setText(surprise_words(self.sentence.line.tokens.surprise, MOST_BITS, unit))
        self.surprise_words.setVisible(shows_surprise(heads) and not self._withheld)

    def be_narrow(self, narrow: bool) -> None:
        """Let the guess stand below the words in a narrow window, and else beside them."""
        self._first.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    def _keep_together(self) -> None:
        """Let the guess stand behind the words, however wide the window is."""
        is_beside = not self.guess.isHidden()
        self.sentence.setMaximumWidth(self.sentence.line.widest if is_beside else UNBOUNDED)

    def _weights(self, frame: HeadsFrame, row: int) -> tuple[float, ...]:
        if self._withheld or len(frame.keys) > MOST_WEIGHED:
            return ()
        return tuple(frame.map.weights(one(row))[0].tolist())

    def show_reason(self, reason: str) -> None:
        """Say which words are unknown and offer the ways on, where a sentence cannot be read; none without a reason."""
        self._reason = reason
        self._show_ways(self._session.state.heads)

    def _show_ways(self, heads: HeadsState) -> None:
        self._ways = ways_on(heads) if self._reason else ()
        self.unknown_words.setText(unknown_said(heads, self._shown) if self._ways else "")
        self.unknown_words.setToolTip(self._reason)
        while len(self._buttons) < len(self._ways):
            button = QPushButton()
            button.clicked.connect(partial(self._take, len(self._buttons)))
            self._buttons.append(button)
            self._flow.addWidget(button)
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(self._ways))
            if place < len(self._ways):
                button.setText(self._ways[place].text)
        self._ways_row.setVisible(bool(self._ways))

    # ---- What people do ----

    def _take(self, place: int) -> None:
        state, way = self._session.state, self._ways[place]
        self._session.apply(replace(state, heads=way.change(state.heads)), way.label)

    def _on_clicked(self, token: int) -> None:
        view = self._session.state.heads.view
        is_pinned = view.row == token and view.column is None
        self.pinned.emit(NOWHERE if is_pinned else Spot(token))

    def _on_eye_clicked(self, token: int) -> None:
        state = self._session.state
        hide = token not in state.heads.words_hidden
        word = self.sentence.line.tokens.texts[token]
        heads = state.heads.with_word(token, hide=hide)
        self._session.apply(replace(state, heads=heads), f"Hide “{word}”" if hide else f"Show “{word}” again")

    def _on_pointed(self, token: int | None) -> None:
        self.pointed.emit(NOWHERE if token is None else Spot(token))

    def _on_typed(self, field: str, text: str) -> None:
        state = self._session.state
        heads = state.heads.with_recipe(**{field: text})
        self._session.apply(replace(state, heads=heads), "Type", merge=f"type {field}")

    def _on_cross_clicked(self, cross: bool) -> None:
        state = self._session.state
        context = sentence_of(state.heads.setup.recipe) if cross else None
        heads = state.heads.with_recipe(context=context)
        self._session.apply(replace(state, heads=heads), "Second sentence" if cross else "One sentence")
        if cross:
            self.context.edit()
            self.context.field.selectAll()
