"""The lines above the picture of the Cost page: presets, pictures, and the sizes of the model."""

from __future__ import annotations

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureBar
from attention_explorer.pages.cost.presets import COST_PRESETS, is_changed
from attention_explorer.pages.cost.state import (
    MOST_HEADS,
    MOST_LAYERS,
    WIDEST,
    WIDEST_HIDDEN,
    CostPicture,
    CostState,
    Precision,
)

PICTURES = (
    (CostPicture.LAYER, "Layer", "Matrices, memory and operations of one layer, term by term"),
    (CostPicture.GROWTH, "Growth", "How they grow with the number of tokens, and what this machine takes"),
    (CostPicture.REACH, "Reach", "How far back a model sees, and in how many steps"),
    (CostPicture.INPUTS, "Inputs", "Two inputs of one length: the same operations, different weights"),
)
PRECISIONS = (
    (Precision.FLOAT16, "float16", "2 bytes a number; large models often run in it"),
    (Precision.FLOAT32, "float32", "4 bytes a number"),
    (Precision.FLOAT64, "float64", "8 bytes a number; this program computes its toy models in it"),
)
WIDTHS = (64, 128, 256, 512, 768, 1024, 1280, 1600, 2048, 4096, 8192, 12288)
POWERS = tuple(2**power for power in range(11))
LAYERS = (1, 2, 4, 6, 12, 24, 32, 48, 64, 80, 96, 128)


class CostBar(PictureBar[CostState]):
    """Title, presets, pictures and export; below them the sizes."""

    page_title = "Cost"
    presets = COST_PRESETS
    pictures = PICTURES

    def build_lines(self) -> None:
        self._make_widths()
        self._make_counts()
        self.precision = ChoiceRow("Precision", PRECISIONS, self._on_precision)
        self._boxes = {
            name: self.labelled(name, getattr(self, name)) for name in ("d_model", "heads", "d_k", "d_ff", "layers")
        }
        self.line = self.add_line(*self._boxes.values(), self.precision)

    def _make_widths(self) -> None:
        self.d_model = self.whole_box(
            "d_model",
            "d: how many numbers a token has. The n part of the operations grows with d², the n² part with d. A d_ff "
            "of 4·d stays 4·d.",
            (1, WIDEST),
            lambda value: self._resize("d_model", value),
            stops=WIDTHS,
            width=62,
        )
        self.d_k = self.whole_box(
            "d_k",
            "d_k = d_model ÷ heads: how many numbers a query and a key have in one head. 64 in the 2017 base model and "
            "in GPT-2, 128 in GPT-3. Changing it changes the number of heads.",
            (1, WIDEST),
            self._on_d_k,
            stops=POWERS,
            width=54,
        )
        self.d_ff = self.whole_box(
            "d_ff",
            "Hidden numbers of the feed-forward part, 4·d_model in most models. It costs 4·n·d·d_ff operations.",
            (1, WIDEST_HIDDEN),
            lambda value: self._resize("d_ff", value),
            stops=tuple(4 * width for width in WIDTHS),
            width=62,
        )

    def _make_counts(self) -> None:
        self.heads = self.whole_box(
            "heads",
            "h: heads in a layer. More heads make more matrices of n × n, each from narrower queries: the number of "
            "operations stays the same.",
            (1, MOST_HEADS),
            lambda value: self._resize("heads", value),
            stops=(1, 2, 4, 8, 12, 16, 25, 32, 48, 64, 96, 128),
            width=50,
        )
        self.layers = self.whole_box(
            "layers",
            "L: layers of the model. 6 in the 2017 base model, 12 in GPT-2 small, 48 in GPT-2 XL, 96 in GPT-3.",
            (1, MOST_LAYERS),
            lambda value: self._resize("layers", value),
            stops=LAYERS,
            width=50,
        )

    def show_values(self, state: CostState) -> None:
        for box, number in (
            (self.d_model, state.d_model),
            (self.heads, state.heads),
            (self.d_k, state.d_k),
            (self.d_ff, state.d_ff),
            (self.layers, state.layers),
        ):
            show_number(box, number)
        self.precision.show_value(state.precision)
        is_uneven = state.d_model % state.heads != 0
        reach, inputs = state.picture is CostPicture.REACH, state.picture is CostPicture.INPUTS
        self.show_only(
            (
                (self.line, not inputs),
                *((self._boxes[name], not reach) for name in ("d_ff", "layers")),
                # Heads that do not share d_model equally have no width to show, and are to be changed everywhere.
                (self._boxes["heads"], not reach or is_uneven),
                (self._boxes["d_k"], not reach and not is_uneven),
                (self.precision, not reach),
            )
        )

    def is_changed(self, state: CostState) -> bool:
        return is_changed(state)

    def _resize(self, field: str, value: int) -> None:
        self.apply(self.state.with_sizes(**{field: value}), f"Change {field}", field)

    def _on_d_k(self, value: int) -> None:
        try:
            new = self.state.with_d_k(value)
        except ExplorerError as error:
            self.refused.emit(str(error))
            show_number(self.d_k, self.state.d_k)
            return
        self.apply(new, "Change d_k", "d_k")

    def _on_precision(self, value: object) -> None:
        self.change(f"Count in {value}", precision=Precision(str(value)))
