"""The lines above the picture of the Block page: presets, pictures, sizes, and the parts that can be switched."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QComboBox

from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.small_number_box import SmallNumberBox
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureBar
from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.stack.presets import BLOCK_PRESETS, is_changed, learned_settings
from attention_explorer.pages.stack.state import (
    LEARNED_WITH,
    OF_BLOCK,
    BlockPicture,
    BlockState,
    Initialiser,
)

PICTURES = (
    (BlockPicture.LAYER, "Layer", "The layer as a diagram: every box with its numbers"),
    (BlockPicture.FUTURE, "Future", "Replace a token, and see which rows of the output change"),
    (BlockPicture.CACHE, "Cache", "Decode token by token with a KV cache"),
)
INITIALISERS = (
    (Initialiser.HE, "√(2/d_in)", "He et al. 2015, made for ReLU; a tutorial uses it for the whole layer"),
    (Initialiser.NORMALISED, "1/√d_in", "LeCun et al. 1998: keeps the variance through a linear map"),
    (Initialiser.XAVIER, "√(2/(d_in + d_out))", "Glorot and Bengio 2010: a compromise between forward and backward"),
    (Initialiser.NUMBER, "number", "The same σ_w for all matrices, such as GPT-2’s 0.02"),
)
PLACEMENTS = (
    (NormPlacement.NONE, "none", "x + f(x): nothing keeps the size of the rows"),
    (NormPlacement.POST, "post", "norm(x + f(x)), as in 2017: the norm stands on the residual path"),
    (NormPlacement.PRE, "pre", "x + f(norm(x)), as in GPT-2: the residual path stays free"),
)
KINDS = (
    (NormKind.LAYER, "layer", "Layer norm: every row gets mean 0 and variance 1"),
    (NormKind.RMS, "RMS", "RMS norm: every row gets mean square 1; its mean stays"),
)
EPS_PLACES = (
    (True, "√(σ² + ε)", "ε under the root, as usual"),
    (False, "σ + ε", "ε beside the root, as in a tutorial: it only differs for rows near 0"),
)
ACTIVATIONS = (
    (Activation.RELU, "ReLU", "max(0, z): typically about half of the hidden units are 0"),
    (Activation.GELU, "GELU", "z·Φ(z), smooth"),
    (Activation.GELU_TANH, "GELU (tanh)", "The approximation of it that GPT-2 computes"),
    (Activation.SILU_GATED, "SiLU, gated", "z·σ(z) times a second projection: SwiGLU, as in LLaMA"),
)
LEAST_EPS, LARGEST_EPS, LARGEST_GAIN = 0.0, 1.0, 10.0


class BlockBar(PictureBar[BlockState]):
    """Title, presets, pictures and export; below them sizes, and below those the switches."""

    page_title = "Block"
    presets = tuple(ready for ready in BLOCK_PRESETS if ready.state.picture in OF_BLOCK)
    pictures = PICTURES

    # ---- Building ----

    def build_lines(self) -> None:
        self._make_sizes()
        self._make_weights()
        self._make_norm()
        self._make_switches()
        self.d_ff_row = self.labelled("d_ff", self.d_ff)
        sizes = (
            self.labelled("d_model", self.d_model),
            self.labelled("heads", self.heads),
            self.labelled("layers", self.layers),
        )
        self.drawn_row = self.labelled("weights σ", self.initialiser, self.gain)
        placement = self.labelled("norm", self.placement)
        self.add_line(*sizes[:2], self.d_ff_row, *sizes[2:], self.drawn_row, self.labelled("seed", self.seed))
        self.add_line(
            self.residual,
            placement,
            self.kind,
            self.eps_row,
            self.causal,
            self.encoding,
            self.feed_forward,
            self.activation,
        )

    def _make_sizes(self) -> None:
        self.d_model = self.whole_field("d_model")
        self.heads = self.whole_field("heads", width=46)
        self.d_ff = self.whole_field("d_ff")
        self.layers = self.whole_field("layers", width=46)

    def _make_weights(self) -> None:
        self.initialiser = ChoiceBox(
            "Initialiser",
            "How large the random weights are: the standard deviation σ_w of a matrix with d_in rows",
            INITIALISERS,
            lambda value: self.change("Choose the initialiser", initialiser=Initialiser(str(value))),
        )
        self.gain = self.number_box(
            "σ_w",
            "The standard deviation of all weights; typing one chooses “number”. 0 to 10",
            (0.0, LARGEST_GAIN),
            lambda value: self.apply(
                replace(self.state, initialiser=Initialiser.NUMBER).with_number("gain", value, 0.0, LARGEST_GAIN),
                "Change σ_w",
                "gain",
            ),
            width=58,
        )
        self.seed = self.whole_field("seed", width=74)

    def _make_norm(self) -> None:
        self.placement = ChoiceRow(
            "Norm",
            PLACEMENTS,
            lambda value: self.change(f"Choose norm: {value}", norm=NormPlacement(str(value))),
        )
        self.placement.setToolTip("Where the norm stands")
        self.kind = ChoiceRow(
            "Kind of norm",
            KINDS,
            lambda value: self.change(f"Choose the {value} norm", norm_kind=NormKind(str(value))),
        )
        self.eps = SmallNumberBox(LEAST_EPS, LARGEST_EPS, "ε")
        self.eps.setToolTip("Keeps the norm from dividing by 0; 0.00001 in PyTorch. 0 to 1; you can also type 1e-5")
        self.eps.valueChanged.connect(
            lambda value: self.apply(self.state.with_number("eps", value, LEAST_EPS, LARGEST_EPS), "Change ε", "eps")
        )
        self.eps.refused.connect(self.refused)
        self.keep_width(self.eps, 82)
        self.eps_place = ChoiceRow(
            "Place of ε",
            EPS_PLACES,
            lambda value: self.change("Move ε", eps_inside_sqrt=bool(value)),
        )
        self.eps_row = self.labelled("ε", self.eps, self.eps_place)

    def _make_switches(self) -> None:
        self.residual = self.switch(
            "residual",
            "Add the input of each sublayer to its output: a path past attention and past the network",
            lambda on: self.change("Add the residual" if on else "Remove the residual", residual=on),
        )
        self.causal = self.switch(
            "mask",
            "Causal mask: no token attends to a later one. A GPT has it, an encoder does not.",
            lambda on: self.change("Mask later tokens" if on else "Remove the mask", causal=on),
        )
        self.encoding = self.switch(
            "positions",
            "Add sinusoids to the embeddings. Without them attention does not know the order of the tokens.",
            lambda on: self.change("Add positions" if on else "Remove the positions", encoding=on),
        )
        self.feed_forward = self.switch(
            "feed-forward",
            "The second half of the layer: two matrices with an activation between them, position by position",
            lambda on: self.change("Add the network" if on else "Remove the network", feed_forward=on),
        )
        self.activation = ChoiceBox(
            "Activation",
            "The function that each hidden unit applies to its number",
            ACTIVATIONS,
            lambda value: self.change("Choose the activation", activation=Activation(str(value))),
        )
        for box in (self.initialiser, self.activation):  # their names must fit at any zoom
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activation.setMinimumContentsLength(11)  # what Qt takes for the room of a name is a pixel short at 200 %

    # ---- Showing ----

    def show_state(self, state: BlockState) -> None:
        super().show_state(state)
        if state.learned is not None:
            self.preset_box.show_other(learned_settings(state.learned))

    def show_values(self, state: BlockState) -> None:
        for box, number in (
            (self.d_model, state.d_model),
            (self.heads, state.heads),
            (self.d_ff, state.d_ff),
            (self.layers, state.layers),
            (self.seed, state.seed),
            (self.eps, state.eps),
            (self.gain, state.gain),
        ):
            show_number(box, number)
        self.initialiser.show_value(state.initialiser)
        self.placement.show_value(state.norm)
        self.kind.show_value(state.norm_kind)
        self.eps_place.show_value(state.eps_inside_sqrt)
        self.activation.show_value(state.activation)
        for button, on in (
            (self.residual, state.residual),
            (self.causal, state.causal),
            (self.encoding, state.encoding),
            (self.feed_forward, state.feed_forward),
        ):
            button.setChecked(on)
        self._show_possible(state)
        has_norm = state.norm is not NormPlacement.NONE
        self.show_only(
            (
                (self.drawn_row, state.learned is None),
                (self.gain, state.initialiser is Initialiser.NUMBER),
                (self.kind, has_norm),
                (self.eps_row, has_norm),
                (self.activation, state.feed_forward),
                (self.d_ff_row, state.feed_forward),
            )
        )

    def _show_possible(self, state: BlockState) -> None:
        """Grey what learned layers decide."""
        is_learned = state.learned is not None
        sizes = self.d_model, self.heads, self.d_ff, self.layers, self.seed
        switches = self.residual, self.placement, self.causal, self.encoding, self.feed_forward, self.activation
        allow_unless(LEARNED_WITH if is_learned else "", *sizes, *switches)

    def is_changed(self, state: BlockState) -> bool:
        return is_changed(state)
