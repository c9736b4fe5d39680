"""What a person can change on the Layer page: the layer, its parts that can be switched, and what is shown of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from attention_explorer.core.counting import MOST_TOKENS as MOST_KNOWN
from attention_explorer.core.counting import Count, count_declared
from attention_explorer.core.declared import Kind, declared, derived, ranges, with_value
from attention_explorer.core.mask import BoolArray, MaskChoice, MaskKind, mask_of, mask_size_derived
from attention_explorer.core.weighing import Weighing
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.activations import Activation
from attention_explorer.model.dropout import Dropout
from attention_explorer.model.masks import causal_mask
from attention_explorer.model.norm import NormKind
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.model.sublayer import NormPlacement
from attention_explorer.pages.preset_lists import preset_declared
from attention_explorer.pages.stack.choices import OF_BLOCK, ORDER, BlockPicture, Initialiser, LearnedStack
from attention_explorer.pages.stack.typed import TYPED, WIDEST_TYPED, TypedRows, typed_declared
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, LayerPart, Recipe
from attention_explorer.sources.tokens import tokens_in

WIDEST, WIDEST_HIDDEN = 1024, 4096
LARGEST_FACTOR = 10.0
"""Of the factor that V or X is multiplied by, in either direction."""
MOST_HEADS, MOST_LAYERS, MOST_BATCH = 64, 24, 8
MOST_SHOWN = 256
"""Layers of a model, and heads of a layer, of which one can be looked at."""
MOST_TOKENS = 128
_LAST_TOKEN = MOST_KNOWN - 1
_WIDTHS = (8, 16, 32, 64, 96, 128, 256, 512, 768, 1024)
# Tip and undo text of a field that is counted from 0, and of its number as people count.
_SHOW_LAYER = "Which layer of the stack is shown", "Show another layer"
_SHOW_HEAD = "Which head is drawn large. Page Up and Page Down on the picture change it too.", "Show another head"
_REPLACE = (
    "The token whose vector is replaced by noise × 99. You can also click a token in the picture.",
    "Replace a token",
)


_PARTS_OF_LAYER = {"layer_residual": LayerPart.RESIDUAL, "layer_network": LayerPart.NETWORK}
LEARNED_WITH = "These weights were learned with it: train others on the Training page, or choose an example."


def _against_learned(state: BlockState) -> str:
    return "" if state.learned is None else LEARNED_WITH


def _of_stack(state: BlockState) -> bool:
    """Whether there is anything to set: a model has its sizes and parts."""
    return state.model_shown is None


def _against_typing(state: BlockState) -> str:
    shown = state.model_shown
    return "" if shown is None else source_of(shown).traits.reason_against(Ability.TYPING)


def _against_masks(state: BlockState) -> str:
    shown = state.model_shown
    return "" if shown is None else source_of(shown).traits.reason_against(Ability.MASKS)


def _can_be_cut(state: BlockState) -> bool:
    return state.model_shown is not None and source_of(state.model_shown).can_be_cut


def _can_be_bare(state: BlockState) -> bool:
    shown = state.model_shown
    return state.picture is BlockPicture.LAYER and shown is not None and source_of(shown).can_be_bare


def _against_model_biases(state: BlockState) -> str:
    shown = state.model_shown
    is_without = shown is not None and not source_of(shown).has_biases
    return "This model has no biases: its matrices only multiply." if is_without else ""


def _against_dropout(state: BlockState) -> str:
    shown = state.model_shown
    if shown is None:
        known = state.learned is None
    else:
        source = source_of(shown)
        known = not source.is_open or source.dropout is not None
    return "" if known else "Nothing says that these weights were learned with dropout."


def _is_drawn(state: BlockState) -> bool:
    return state.learned is None and _of_stack(state)


def _can_be_typed(state: BlockState) -> bool:
    is_small = state.d_model <= WIDEST_TYPED or any(getattr(state, name) for name in TYPED)
    return is_small and _is_drawn(state) and state.picture is BlockPicture.LAYER


def _has_norm(state: BlockState) -> bool:
    return state.picture is BlockPicture.NORM or (_of_stack(state) and state.norm is not NormPlacement.NONE)


F = TypeVar("F", bound=Callable[..., Any])


def _shown_of(label: str, tip: str, undo: str, count: Callable[[BlockState], int]) -> Callable[[F], F]:
    """Say of a property that it is the number of the layer or head on show, of so many, if there are several."""
    return derived(
        label,
        tip,
        undo,
        is_view=True,
        high=MOST_SHOWN,
        ends=lambda state: (state.count.first, state.count.number(count(state) - 1)),
        shown=lambda state: count(state) > 1,
    )


@dataclass(frozen=True, slots=True)
class BlockState(CheckedFields):
    """The Layer page. Counted from 0; what does not fit is clamped while it is shown, never altered."""

    sentence: str = declared(
        "The cat sat on the mat",
        "sentence",
        "The tokens that go through the layer. Each is a vector, one row of X: random, or learned with the layer.",
        "Type",
    )
    batch: int = declared(
        1,
        "batch",
        "Number of sequences. The sentence is the first; the others are as many random vectors.",
        "Change the batch",
        low=1,
        high=MOST_BATCH,
        shown=_is_drawn,
    )
    d_model: int = declared(
        64,
        "d_model",
        "Features of a token. The heads share them, so d_model must be a multiple of the number of heads.",
        "Change d_model",
        low=1,
        high=WIDEST,
        stops=_WIDTHS,
        shown=_of_stack,
        forbids=_against_learned,
    )
    heads: int = declared(
        8,
        "heads",
        "Heads share the d_model features: each is d_k = d_model ÷ heads wide.",
        "Change heads",
        low=1,
        high=MOST_HEADS,
        stops=(1, 2, 4, 8, 16, 32, 64),
        shown=_of_stack,
        forbids=_against_learned,
    )
    d_ff: int = declared(
        256,
        "d_ff",
        "Hidden units of the feed-forward network, usually 4·d_model",
        "Change d_ff",
        low=1,
        high=WIDEST_HIDDEN,
        stops=tuple(4 * width for width in _WIDTHS),
        shown=lambda state: state.feed_forward and _of_stack(state),
        forbids=_against_learned,
    )
    layers: int = declared(
        1,
        "layers",
        "Layers on top of each other: 6 in the 2017 base model, 12 in GPT-2 small, 96 in GPT-3",
        "Change layers",
        low=1,
        high=MOST_LAYERS,
        stops=(1, 2, 4, 6, 12, 24),
        shown=_of_stack,
        forbids=_against_learned,
    )
    seed: int = declared(
        42,
        "seed",
        "Decides all random numbers: the same seed gives the same layer, on every machine",
        "Change the seed",
        high=LARGEST_SEED,
        shown=_of_stack,
        forbids=_against_learned,
    )
    embedding_scale: float = declared(
        1.0,
        "embeddings ×",
        "How large the random vectors of the tokens are; 0.5 in one tutorial. 0 to 100",
        "Scale the embeddings",
        high=100.0,
        shown=_is_drawn,
    )
    initialiser: Initialiser = declared(
        Initialiser.HE,
        "weights σ",
        "How large the random weights are: the standard deviation σ_w of a matrix with d_in rows",
        "Choose the initialiser",
        shown=_is_drawn,
    )
    gain: float = declared(
        0.02,
        "σ_w",
        "The standard deviation of all weights; typing one chooses “number”. 0 to 10",
        "Change σ_w",
        high=10.0,
        shown=lambda state: state.initialiser is Initialiser.NUMBER and _is_drawn(state),
    )
    norm: NormPlacement = declared(
        NormPlacement.POST,
        "norm",
        "Where the norm stands",
        "Choose where the norm stands",
        shown=_of_stack,
        forbids=_against_learned,
    )
    norm_kind: NormKind = declared(
        NormKind.LAYER,
        "kind of norm",
        "What a norm does to each row: mean 0 and variance 1, or mean square 1",
        "Choose the kind of norm",
        names={"rms": "RMS"},
        shown=_has_norm,
    )
    eps: float = declared(
        1e-5,
        "ε",
        "Keeps the norm from dividing by 0; 0.00001 in PyTorch. 0 to 1; you can also type 1e-5",
        "Change ε",
        high=1.0,
        shown=_has_norm,
    )
    eps_inside_sqrt: bool = declared(
        True,
        "place of ε",
        "Whether ε stands under the root, as usual, or beside it",
        "Move ε",
        names={"off": "σ + ε", "on": "√(σ² + ε)"},
        shown=_has_norm,
    )
    residual: bool = declared(
        True,
        "residual",
        "Add the input of each sublayer to its output: a path past attention and past the network",
        "Switch the residual",
        shown=_of_stack,
        forbids=_against_learned,
    )
    feed_forward: bool = declared(
        True,
        "feed-forward",
        "The second half of the layer: two matrices with an activation between them, position by position",
        "Switch the network",
        shown=_of_stack,
        forbids=_against_learned,
    )
    activation: Activation = declared(
        Activation.RELU,
        "activation",
        "The function that each hidden unit applies to its number. “SiLU, gated” also multiplies it by a second\n"
        "projection: SwiGLU, as in LLaMA",
        "Choose the activation",
        names={"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)", "silu_gated": "SiLU, gated"},
        shown=lambda state: state.feed_forward and _of_stack(state),
        forbids=_against_learned,
    )
    causal: bool = declared(
        False,
        "mask",
        "Causal mask: no token attends to a later one. A GPT has it, an encoder does not.",
        "Switch the mask",
        shown=_of_stack,
        forbids=_against_learned,
    )
    encoding: bool = declared(
        True,
        "positions",
        "Add sinusoids to the embeddings. Without them attention does not know the order of the tokens.",
        "Switch the positions",
        shown=_of_stack,
        forbids=_against_learned,
    )
    picture: BlockPicture = declared(
        BlockPicture.LAYER, "picture", "Which picture is shown", "Show another picture", is_view=True
    )
    layer: int = declared(0, "layer shown", *_SHOW_LAYER, high=MOST_SHOWN - 1, is_view=True)
    box: str = declared(
        "x",
        "box",
        "The box of the diagram that is enlarged",
        "Enlarge a box",
        kind=Kind.CHOICE,
        known=lambda: ORDER,
        is_view=True,
    )
    head: int = declared(0, "head", *_SHOW_HEAD, high=MOST_SHOWN - 1, is_view=True)
    token: int | None = declared(
        None,
        "token",
        "The token whose row is followed through all boxes",
        "Follow a token",
        high=_LAST_TOKEN,
        is_view=True,
    )
    factor: float = declared(
        2.0,
        "multiply by",
        "The factor for V alone, or for X. Linear means that the output is multiplied by the same factor.",
        "Move the factor",
        low=-LARGEST_FACTOR,
        high=LARGEST_FACTOR,
        stops=(-10.0, -5.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
    )
    changed_token: int = declared(4, "replace token", *_REPLACE, high=_LAST_TOKEN)
    decoded: int = declared(
        3,
        "decoded",
        "How many tokens have been decoded, one after the other. ← and → on the picture do the same.",
        "Decode tokens",
        high=_LAST_TOKEN,
        ends=lambda state: (1, state.token_count),
    )
    norm_scale: float = declared(
        1e-3,
        "size of the row",
        "Standard deviation of the row before the norm. ε only matters where this is not much larger than ε or √ε.",
        "Move the size of the row",
        low=1e-7,
        high=100.0,
        stops=(*(float(f"{factor}e{power}") for power in range(-7, 2) for factor in (1, 2, 5)), 100.0),
    )
    learned: LearnedStack | None = declared(
        None,
        "learned layers",
        "The layers, if they were learned and not drawn from the seed; they decide the sizes and switches above",
        "Open learned layers",
        kind=Kind.REFERENCE,
    )
    count: Count = count_declared()
    preset: str = preset_declared("block", "encoder")
    biases: bool = declared(
        False,
        "biases",
        "Random biases, as trained layers have them: added after W_q, W_k, W_v, W_O, W₁ and W₂",
        "Switch the biases",
        shown=lambda state: _is_drawn(state) and state.picture in OF_BLOCK,
    )
    gains: bool = declared(
        False,
        "gains",
        "What a norm learns, drawn at random: a gain around 1 for each feature, and in a layer norm a bias",
        "Switch the gains of the norms",
        shown=lambda state: _is_drawn(state) and state.norm is not NormPlacement.NONE and state.picture in OF_BLOCK,
    )
    mask: MaskChoice = declared(
        MaskChoice,
        "mask",
        "Which keys a query may attend to, besides the causal mask",
        "Change the mask",
        forbids=_against_masks,
    )
    model: Recipe | None = declared(
        None,
        "model",
        "What of Heads the layer is drawn of, and what it reads; that of Heads goes along with it",
        "Show the layer of a model",
        kind=Kind.REFERENCE,
    )
    weighing: Weighing = declared(
        Weighing,
        "weighing",
        "How the scores of the model become weights, as on Heads",
        "Weigh otherwise",
        shown=lambda block: block.model is not None,
    )
    cut: frozenset[tuple[int, LayerPart]] = declared(
        frozenset(),
        "cut",
        "What is cut out of layers of the model while it runs: the layer, from 0, and its part",
        "Cut a part of a layer",
        high=MOST_SHOWN - 1,
        shown=_can_be_cut,
    )
    dropout: bool = declared(
        False,
        "dropout",
        "Leave numbers out at random and multiply the rest by 1/(1 − p), as in a step of training. A model that is\n"
        "used leaves out nothing.",
        "Switch dropout",
        shown=lambda state: state.picture is BlockPicture.LAYER,
        forbids=_against_dropout,
        term="dropout",
    )
    dropout_rate: float = declared(
        0.1,
        "p",
        "The probability that a number is left out: 0.1 in the 2017 transformer. A model says its own.",
        "Change the rate of dropout",
        high=0.95,
        stops=(0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8),
        shown=lambda state: state.dropout and _is_drawn(state) and state.picture is BlockPicture.LAYER,
    )
    dropout_seed: int = declared(
        0,
        "seed of dropout",
        "Decides which numbers are left out; each step of training draws others",
        "Leave out others",
        high=LARGEST_SEED,
        shown=lambda state: state.drops is not None,
    )
    typed_x: tuple[tuple[float, ...], ...] = typed_declared(
        "X, a row of d_model numbers for each token", shown=_can_be_typed
    )
    typed_q: tuple[tuple[float, ...], ...] = typed_declared(
        "W_Q, d_model rows of d_model, of the first layer", shown=_can_be_typed
    )
    typed_k: tuple[tuple[float, ...], ...] = typed_declared(
        "W_K, d_model rows of d_model, of the first layer", shown=_can_be_typed
    )
    typed_v: tuple[tuple[float, ...], ...] = typed_declared(
        "W_V, d_model rows of d_model, of the first layer", shown=_can_be_typed
    )

    model_biases: bool = declared(
        True,
        "biases",
        "The biases that the model learned: in all its layers, added after W_q, W_k, W_v, W_O, W₁ and W₂. Without\n"
        "them the model runs on.",
        "Switch the biases",
        shown=_can_be_bare,
        forbids=_against_model_biases,
    )
    model_gains: bool = declared(
        True,
        "gains",
        "What the norms of all layers learned: a gain for each feature, and in a layer norm a bias. Without, gains\n"
        "are 1 and these biases 0, and the model runs on. A norm before the first layer or behind the last stays.",
        "Switch the gains of the norms",
        shown=_can_be_bare,
    )

    def with_sizes(self, **changes: int) -> Self:
        """Return the state with other sizes, held within their ranges. Whether they go together is told elsewhere."""
        limits = ranges(type(self))
        held = {name: round(min(max(number, 1), limits[name][1])) for name, number in changes.items()}
        return replace(self, **held)  # type: ignore[arg-type]

    def with_number(self, name: str, number: float, low: float, high: float) -> Self:
        """Return the state with another gain, eps, scale or factor, held between ``low`` and ``high``.

        Raises
        ------
        ExplorerError
            It is not a number.
        """
        if math.isnan(number):
            raise ExplorerError(f"The {name.replace('_', ' ')} needs a number from {low:g} to {high:g}.")
        return replace(self, **{name: min(max(number, low), high)})  # type: ignore[arg-type]

    @property
    def picture_shown(self) -> BlockPicture:
        """What the Layer page shows: the diagram, if the picture wished for is one of Lab."""
        return self.picture if self.picture in OF_BLOCK else BlockPicture.LAYER

    @property
    def layer_shown(self) -> int:
        """The layer wished for, or the last there is."""
        return min(self.layer, self.layer_count - 1)

    @property
    def head_shown(self) -> int:
        """The head wished for, or the last there is."""
        return min(self.head, self.head_count - 1)

    @property
    def model_shown(self) -> Recipe | None:
        """What of Heads is shown; None of layers that are drawn or learned, and in pictures of these alone."""
        return self.model if self.picture in OF_BLOCK else None

    @property
    def layer_count(self) -> int:
        """How many layers there are; of a model, once it is open."""
        return self.layers if self.model_shown is None else len(source_of(self.model_shown).heads)

    @property
    def head_count(self) -> int:
        """How many heads a layer has."""
        return self.heads if self.model_shown is None else source_of(self.model_shown).heads[self.layer_shown]

    @property
    def has_biases(self) -> bool:
        """Whether the layers that are drawn have random biases; those of Lab have none."""
        return self.biases and self.learned is None and self.picture in OF_BLOCK

    @property
    def has_gains(self) -> bool:
        """Whether their norms have random gains."""
        return self.gains and self.norm is not NormPlacement.NONE and self.learned is None and self.picture in OF_BLOCK

    @property
    def drops(self) -> Dropout | None:
        """What a step of training leaves out of the layers on show; None of a model that is used, as it is."""
        if not self.dropout or self.learned is not None or self.picture is not BlockPicture.LAYER:
            return None
        if self.model is None:
            return Dropout.everywhere(self.dropout_rate, self.dropout_seed)
        known = source_of(self.model).dropout
        return None if known is None else replace(known, seed=self.dropout_seed)

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the model on show has learned and runs without, in words."""
        if not _can_be_bare(self):
            return ()
        has_biases = self.model_biases or bool(_against_model_biases(self))
        return (*(() if has_biases else ("biases",)), *(() if self.model_gains else ("gains of norms",)))

    @property
    def typed(self) -> dict[str, TypedRows]:
        """What is typed in the place of drawn numbers, by the names of its fields."""
        counts = self.learned is None and self.picture is BlockPicture.LAYER
        return {name: rows for name in TYPED if counts and (rows := getattr(self, name))}

    @property
    def allowed(self) -> BoolArray | None:
        """Who may attend to whom, (n, n); None if every token may attend to every one."""
        count = self.token_count
        more = mask_of(self.mask, count, count) if self.picture is BlockPicture.LAYER else None
        causal = causal_mask(count) if self.causal else None
        return more if causal is None else causal if more is None else causal & more

    @property
    @derived(
        "other mask",
        "Which keys a query may attend to, besides the causal mask. A click on a cell of the box “mask” paints.",
        "Change the mask",
        shown=lambda state: state.picture is BlockPicture.LAYER,
        forbids=_against_masks,
    )
    def mask_kind(self) -> MaskKind:
        """The kind of the mask besides the causal one."""
        return self.mask.kind

    @property
    @mask_size_derived(
        shown=lambda state: state.picture is BlockPicture.LAYER and state.mask.kind.has_size,
        forbids=_against_masks,
    )
    def mask_size(self) -> int:
        """Its number."""
        return self.mask.size

    def has_part(self, part: LayerPart) -> bool:
        """Whether a part is there: in all layers that are drawn, or in the layer of the model on show."""
        if self.model_shown is None:
            return self.residual if part is LayerPart.RESIDUAL else self.feed_forward
        return not _can_be_cut(self) or (self.layer_shown, part) not in self.cut

    def with_part(self, part: LayerPart, is_there: bool) -> Self:
        """Return the state with a part cut or put back, where it is one that can be."""
        if self.model_shown is None:
            return with_value(self, part.value, is_there)
        place = {(self.layer_shown, part)}
        return replace(self, cut=self.cut - place if is_there else self.cut | place)

    @property
    @derived(
        "residual of the layer",
        "Add the input of each half of this layer to its output. Without, the model runs on with what they write.",
        "Switch the residual of a layer",
        shown=_can_be_cut,
    )
    def layer_residual(self) -> bool:
        """Whether the layer of the model on show has its ways around."""
        return self.has_part(LayerPart.RESIDUAL)

    @property
    @derived(
        "feed-forward of the layer",
        "The second half of this layer. Without it the model runs on with what attention writes.",
        "Switch the network of a layer",
        shown=_can_be_cut,
    )
    def layer_network(self) -> bool:
        """Whether the layer of the model on show has its network."""
        return self.has_part(LayerPart.NETWORK)

    @property
    def token_count(self) -> int:
        """How many tokens the sentence has, at least 1."""
        shown = self.model_shown
        return max(len(tokens_in(self.sentence) if shown is None else source_of(shown).labels[0]), 1)

    @property
    @_shown_of("layer", *_SHOW_LAYER, lambda state: state.layer_count)
    def layer_number(self) -> int:
        """The number of the layer on show, as it is counted."""
        return self.count.number(self.layer_shown)

    @property
    @_shown_of("head", *_SHOW_HEAD, lambda state: state.head_count)
    def head_number(self) -> int:
        """The number of the head on show, as it is counted."""
        return self.count.number(self.head_shown)

    @property
    @derived(
        "replace token",
        *_REPLACE,
        high=MOST_KNOWN,
        ends=lambda state: (state.count.first, state.count.number(state.token_count - 1)),
    )
    def replaced_number(self) -> int:
        """The number of the token that is replaced, as it is counted."""
        return self.count.number(min(self.changed_token, self.token_count - 1))

    @property
    @derived(
        "sentence",
        "The tokens that go through the layer: words, or pieces of them, as its source cuts them",
        "Type",
        forbids=_against_typing,
    )
    def text(self) -> str:
        """What goes through the layer that is drawn."""
        return self.sentence if self.model_shown is None else source_of(self.model_shown).sentence

    def with_field(self, name: str, value: Any) -> Self:  # noqa: ANN401 # of the type of its field
        """Return the state with another value in a field, or in what is derived from fields."""
        numbered = {"layer_number": "layer", "head_number": "head", "replaced_number": "changed_token"}
        if name in numbered:
            return replace(self, **{numbered[name]: max(self.count.index_of(round(value)), 0)})  # type: ignore[arg-type]
        if name in _PARTS_OF_LAYER:
            return self.with_part(_PARTS_OF_LAYER[name], bool(value))
        if name in ("mask_kind", "mask_size"):
            return replace(self, mask=replace(self.mask, **{name.removeprefix("mask_"): value}))
        if name == "text" and self.model_shown is not None:
            return replace(self, model=replace(self.model_shown, sentence=value))  # type: ignore[call-arg] # it is typed
        return with_value(self, "sentence" if name == "text" else name, value)
