"""The two lines above the picture: the kind of encoding with its sizes, and which picture of it is shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureBar
from attention_explorer.pages.positions.presets import POSITIONS_PRESETS, is_changed
from attention_explorer.pages.positions.state import (
    PositionKind,
    PositionsPicture,
    PositionsState,
    RotaryLayout,
)
from attention_explorer.pages.positions.wording import RANDOM_PICTURES

KINDS = (
    (PositionKind.NONE, "none", "No encoding: attention is blind to order"),
    (
        PositionKind.SINUSOIDAL,
        "sinusoidal",
        "Sines and cosines of many wavelengths, added to the embeddings (Vaswani et al. 2017)",
    ),
    (PositionKind.LEARNED, "learned", "A free vector for each position, shown before training"),
    (PositionKind.ROTARY, "rotary", "RoPE: queries and keys are turned by their position (Su et al. 2021)"),
    (PositionKind.ALIBI, "ALiBi", "Scores fall with the distance, each head at its own slope (Press et al. 2022)"),
)
PICTURES = (
    (PositionsPicture.ENCODING, "Encoding", "Position × dimension as a map, and the waves of dimensions"),
    (PositionsPicture.CLOCKS, "Clocks", "Each pair as a hand that turns; a shift is a rotation"),
    (PositionsPicture.SIMILARITY, "Similarity", "How alike two positions are, before and after W_q and W_k"),
    (PositionsPicture.ATTENTION, "Attention", "What the encoding does to scores and weights"),
    (PositionsPicture.ORDER, "Order", "Shuffle the words: are the outputs the same rows in another order?"),
)
LAYOUTS = {
    RotaryLayout.HALF: "Dimension i turns with i + d/2 (GPT-NeoX, Llama)",
    RotaryLayout.INTERLEAVED: "Neighbours turn together (the paper, GPT-J)",
}


class PositionsBar(PictureBar[PositionsState]):
    """The bar of the Positions page."""

    page_title = "Positions"
    presets = POSITIONS_PRESETS
    pictures = PICTURES

    # ---- Building ----

    def build_lines(self) -> None:
        self._make_sizes()
        self.kinds = ChoiceRow("Encoding", KINDS, self._on_kind_chosen)
        self.layout_choice = ChoiceBox(
            "Which dimensions turn together",
            self.said["layout"].tip,
            [(layout, self.said["layout"].called(layout), tip) for layout, tip in LAYOUTS.items()],
            lambda value: self.change(self.said["layout"].undo, layout=RotaryLayout(str(value))),
        )
        self.seed = self.whole_field("seed", "Seed of the random numbers", width=96)
        self._rows = {
            name: self.labelled(self.said[name].label, box)
            for name, box in (
                ("length", self.length),
                ("d_model", self.d_model),
                ("base", self.base),
                ("heads", self.heads),
                ("seed", self.seed),
            )
        }
        length, d_model, base, heads, seed = self._rows.values()
        self.add_line(self.kinds, length, d_model, base, self.layout_choice, heads, seed)

    def _make_sizes(self) -> None:
        self.length = self.whole_field("length", "Number of positions")
        self.d_model = self.whole_field("d_model", "Number of dimensions")
        self.base = self.number_field("base", "Base of the wavelengths")
        self.heads = self.whole_field("heads", "Number of heads, each with a slope of its own for ALiBi", width=48)

    # ---- Showing ----

    def show_values(self, state: PositionsState) -> None:
        self.kinds.show_value(state.kind)
        self.layout_choice.show_value(state.layout)
        for box, number in (
            (self.length, state.length),
            (self.d_model, state.d_model),
            (self.base, state.base),
            (self.heads, state.heads),
            (self.seed, state.seed),
        ):
            show_number(box, number)
        self.show_only(self._needed(state))

    def _needed(self, state: PositionsState) -> tuple[tuple[QWidget, bool], ...]:
        """Return the controls that mean something for some states, and whether they do now."""
        is_random = state.picture in RANDOM_PICTURES
        order, alibi = state.picture is PositionsPicture.ORDER, state.kind is PositionKind.ALIBI
        return (
            (self._rows["length"], not order),  # there the words are as many as they are
            (self._rows["d_model"], not alibi or is_random),
            (self._rows["base"], state.kind in (PositionKind.SINUSOIDAL, PositionKind.ROTARY)),
            (self._rows["heads"], alibi or order),
            (self._rows["seed"], state.kind is PositionKind.LEARNED or is_random),
            (self.layout_choice, state.kind is PositionKind.ROTARY),
        )

    def is_changed(self, state: PositionsState) -> bool:
        return is_changed(state)

    # ---- Acting ----

    def _on_kind_chosen(self, value: object) -> None:
        kind = PositionKind(str(value))
        self.change(f"Encoding: {kind.value}", kind=kind)
