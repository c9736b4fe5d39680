"""The controls below the picture: what each of the five pictures needs, and no more."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from attention_explorer.core.numerals import coordinate
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.pictures.controls import PictureControls
from attention_explorer.pages.positions.order import shuffled_again
from attention_explorer.pages.positions.state import (
    MOST_WAVES,
    Likeness,
    PositionKind,
    PositionsPicture,
    PositionsState,
)
from attention_explorer.pages.positions.table import reason_without_table

BESIDE_OR_ADDED = (
    (False, "add", "The encoding is added to the embedding, as in the paper: the vectors do not get wider"),
    (
        True,
        "concatenate",
        "The encoding is put beside the embedding: content and position stay apart, vectors get twice as wide",
    ),
)
LIKENESSES = (
    (Likeness.PRODUCT, "product", "PE(p) · PE(p′): the larger, the more alike, as attention compares them"),
    (Likeness.DISTANCE, "distance", "‖PE(p) − PE(p′)‖: 0 would mean that two positions cannot be told apart"),
)
WITH_VECTORS = (PositionKind.SINUSOIDAL, PositionKind.LEARNED)


class PositionsControls(PictureControls[PositionsState]):
    """All controls below the picture, of which those of the picture on show are visible.

    Signals
    -------
    play_wanted
        The button was pressed.
    """

    play_wanted = Signal()

    # ---- Building ----

    def build(self) -> None:
        self._make_sliders()
        self._make_waves()
        self._make_attention()
        self._make_order()
        self.add_line(
            self.play,
            self.position,
            self.shift,
            self.query,
            self.head,
            self.waves_row,
            self.likeness,
            self.shuffle,
            self.causal,
            self.concatenated,
            self.scale_row,
            self.sentence_row,
        )

    def _make_sliders(self) -> None:
        self.play = QPushButton()
        self.show_moves(True)
        self.play.clicked.connect(self.play_wanted)
        self.keep_width(self.play, 70)
        self.position = self.sliding_field(
            "position", "position", lambda state, value: state.with_position(round(value))
        )
        self.shift = self.sliding_field("shift", "shift", lambda state, value: state.with_shift(round(value)))
        self.query = self.sliding_field(
            "query_position", "query position", lambda state, value: replace(state, query_position=round(value))
        )
        self.head = self.sliding_field(
            "head", "head", lambda state, value: replace(state, head=max(state.count.index_of(round(value)), 0))
        )

    def _make_waves(self) -> None:
        self.waves = QLineEdit()
        self.waves.setAccessibleName("Dimensions whose waves are drawn")
        self.waves.setToolTip(self.said["dimensions"].tip)
        self.waves.editingFinished.connect(self._on_waves_typed)
        self.keep_width(self.waves, 150)
        self.waves_row = self.labelled(self.said["dimensions"].label, self.waves)

    def _make_attention(self) -> None:
        self.causal = self.switch(
            self.said["causal"].label,
            self.said["causal"].tip,
            lambda on: self.change("Causal mask" if on else "No causal mask", causal=on),
        )
        self.concatenated = ChoiceRow(
            "Encoding and embedding",
            BESIDE_OR_ADDED,
            lambda value: self.change("Concatenate" if value else "Add", concatenated=value),
        )
        self.scale = self.sliding_field(
            "embedding_scale", "scale of the embeddings", lambda state, value: replace(state, embedding_scale=value)
        )
        self.root = self.switch(
            "√d_model",
            "Multiply embeddings by √d_model, as the paper does before it adds the encoding. Click again for 1.",
            self._on_root_clicked,
        )
        self.scale_row = self.beside(self.scale, self.root)

    def _make_order(self) -> None:
        self.sentence = self.sentence_field(
            "Sentence whose words are shuffled",
            self.said["sentence"].tip,
            "sentence",
            "Type at least one word: there is nothing to shuffle yet.",
            300,
        )
        self.sentence_row = self.labelled(self.said["sentence"].label, self.sentence)
        self.shuffle = QPushButton("Shuffle again")
        self.shuffle.setToolTip("Put the words into another random order; W_q, W_k, W_v and W_o stay the same.")
        self.shuffle.clicked.connect(lambda: self.apply(shuffled_again(self.state), self.said["shuffle"].undo))
        self.likeness = ChoiceRow(
            "Compare by", LIKENESSES, lambda value: self.change(f"Compare by {value}", likeness=Likeness(str(value)))
        )

    # ---- Showing ----

    def show_state(self, state: PositionsState) -> None:
        self._show_numbers(state)
        self.causal.setChecked(state.causal)
        self.concatenated.show_value(state.concatenated)
        self.likeness.show_value(state.likeness)
        self.root.setChecked(math.isclose(state.embedding_scale, math.sqrt(state.d_model)))
        self.sentence.show_sentence(state.sentence)
        waves = ", ".join(map(str, state.dimensions))
        # What is being typed and not used yet stays as it is.
        if waves != self.waves.text() and not (self.waves.hasFocus() and self.waves.isModified()):
            self.waves.setText(waves)
        self.show_only(self._needed(state))

    def show_moves(self, moves: bool) -> None:
        """Say what the button does: let the position move by itself, or take it one step on."""
        self.play.setText("Play" if moves else "Step")
        self.play.setAccessibleName("Play: let the position move by itself" if moves else "Step: the next position")
        self.play.setToolTip(
            "Let the position move by itself and watch every hand turn at its own speed. (Space)"
            if moves
            else "Go on by one position. Motion is reduced in the View menu, so nothing plays by itself. (Space)"
        )

    def show_playing(self, playing: bool) -> None:
        """Show whether the position moves by itself."""
        self.play.setText("Pause" if playing else "Play")

    def _show_numbers(self, state: PositionsState) -> None:
        last = state.length - 1
        self.position.label.setText("key position" if state.picture is PositionsPicture.ATTENTION else "position p")
        self.position.show_value(state.position_shown, last)
        self.shift.show_value(state.shift_shown, last)
        self.query.show_value(min(state.query_position, last), last)
        number = state.count.number
        self.head.show_value(number(state.head_shown), number(state.heads - 1), number(0))
        self.scale.show_value(state.embedding_scale, self.said["embedding_scale"].high)

    def _needed(self, state: PositionsState) -> tuple[tuple[QWidget, bool], ...]:
        """Return all controls, and whether the picture of a state needs them."""
        picture, kind = state.picture, state.kind
        has_table = not reason_without_table(state)
        turns = has_table and kind is not PositionKind.LEARNED
        encoding, clocks = picture is PositionsPicture.ENCODING, picture is PositionsPicture.CLOCKS
        attention, order = picture is PositionsPicture.ATTENTION, picture is PositionsPicture.ORDER
        return (
            (self.play, clocks and turns),
            (self.position, (encoding and has_table) or (clocks and turns) or attention),
            (self.shift, clocks and turns),
            (self.query, attention),
            (self.head, order or (kind is PositionKind.ALIBI and not clocks)),
            (self.waves_row, encoding and has_table),
            (self.likeness, picture is PositionsPicture.SIMILARITY and kind in WITH_VECTORS),
            (self.shuffle, order),
            (self.causal, attention or order),
            (self.concatenated, attention),
            (self.scale_row, attention or order),
            (self.sentence_row, order),
        )

    # ---- Acting ----

    def _on_root_clicked(self, on: bool) -> None:
        root = math.sqrt(self.state.d_model)
        self.change("Scale by √d_model" if on else "Do not scale", embedding_scale=root if on else 1.0)

    def _on_waves_typed(self) -> None:
        if not self.waves.isModified():
            return  # the field was only left
        try:
            dimensions = parsed_dimensions(self.waves.text(), self.state.d_model)
        except ExplorerError as error:
            self.refused.emit(str(error))
        else:
            self.change(self.said["dimensions"].undo, dimensions=dimensions)
        self.waves.setText(", ".join(map(str, self.state.dimensions)))


def parsed_dimensions(text: str, d_model: int) -> tuple[int, ...]:
    """Read dimensions as people type them: "0, 1 8;32".

    Raises
    ------
    ExplorerError
        One is no whole number from 0 to below ``d_model``, or there are too many.
    """
    parts = text.replace(",", " ").replace(";", " ").split()
    for part in parts:
        if not (part.isdecimal() and len(part) < 10 and int(part) < d_model):
            last = coordinate(d_model - 1)
            wanted = f"type whole numbers from 0 to {last}, such as 0, 1, 8"
            raise ExplorerError(f"{quoted(part)} is not a dimension: {wanted}.")
    found = tuple(dict.fromkeys(int(part) for part in parts))
    if len(found) > MOST_WAVES:
        raise ExplorerError(f"There is room for {MOST_WAVES} waves, not {len(found)}. Choose fewer dimensions.")
    return found
