"""What decides the numbers of a stack, in words: for every picture that a sentence goes through layers in."""

from __future__ import annotations

from collections.abc import Iterator

from attention_explorer.core.mask import mask_words
from attention_explorer.core.numerals import counted, superscript
from attention_explorer.model import Activation, DropoutPlace, NormKind, NormPlacement
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser
from attention_explorer.pages.stack.learned import recipe_of
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.typed import TYPED
from attention_explorer.sources.masked_layers import left_out
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, LayerPart, Recipe

# ---- Sizes over many powers of ten ----


def brief(number: float) -> str:
    """Return a number of at least 0 in three digits at most: 0.5, 11.9, 0.00316, 10⁻⁵, 3.8·10⁴."""
    if number == 0 or 1e-3 <= float(f"{number:.3g}") < 1000:
        return f"{number:.3g}"
    text = f"{number:.2e}"
    mantissa, _, exponent = text.partition("e")
    power = "10" + superscript(int(exponent))
    digits = f"{float(mantissa):g}"
    return power if digits == "1" else f"{digits}·{power}"


# ---- Words ----


ACTIVATION_NAMES = {
    Activation.RELU: "ReLU",
    Activation.GELU: "GELU",
    Activation.GELU_TANH: "GELU (tanh)",
    Activation.SILU_GATED: "SiLU, gated",
}


_PLACES = {
    DropoutPlace.WEIGHTS: "weights",
    DropoutPlace.ATTENTION: "attention",
    DropoutPlace.HIDDEN: "hidden units",
    DropoutPlace.NETWORK: "network",
}


def stack_parts(state: BlockState) -> tuple[str, ...]:
    """Return what decides the numbers of a stack that the sentence goes through."""
    network = f"d_ff = {state.d_ff}, {ACTIVATION_NAMES[state.activation]}" if state.feed_forward else "no feed-forward"
    return (
        f"“{state.sentence}”" + (f" and {state.batch - 1} random" if state.batch > 1 else ""),
        f"d_model = {state.d_model}",
        heads_words(state.heads),
        network,
        "1 layer" if state.layers == 1 else f"{state.layers} layers",
        norm_words(state),
        "residual" if state.residual else "no residual",
        *(("random biases",) if state.has_biases else ()),
        *(("random gains of the norms",) if state.has_gains else ()),
        *dropout_words(state),
        *_origin_parts(state),
    )


def _origin_parts(state: BlockState) -> tuple[str, ...]:
    """Return where the numbers of a stack come from."""
    recipe = recipe_of(state)
    if recipe is not None:
        return "learned positions" if state.encoding else "no positions", source_of(recipe).origin
    return (
        "sinusoidal positions" if state.encoding else "no positions",
        weights_words(state),
        f"embeddings × {state.embedding_scale:g}",
        f"seed {state.seed}",
    )


def layer_parts(state: BlockState) -> tuple[str, ...]:
    """Return what decides the numbers of one layer of a stack."""
    more = mask_words(state.mask) if state.picture is BlockPicture.LAYER else ""
    typed = " and ".join(TYPED[name] for name in state.typed)
    own = "causal mask" if state.causal else "" if more else "no mask"
    return (
        *stack_parts(state),
        *filter(None, (own, f"mask: {more}" if more else "", f"{typed} typed" if typed else "")),
    )


def model_parts(state: BlockState, recipe: Recipe) -> tuple[str, ...]:
    """Return what decides the numbers of a layer of what Heads shows."""
    source, how, mask = source_of(recipe), state.weighing, mask_words(state.mask)
    return (
        *(f"“{text}”" for text in (source.sentence, source.context) if text),
        *source.caption(),
        *((f"mask: {mask}",) if mask and not source.traits.reason_against(Ability.MASKS) else ()),
        *(("hard lookup",) if how.hard else ()),
        *((f"temperature {how.temperature:g}",) if how.temperature != 1.0 and not how.hard else ()),
        *(() if how.scaled else ("not divided by √d_k",)),
        *dropout_words(state),
        *((f"run without {' and '.join(state.lacks)}",) if state.lacks else ()),
        *(_cut_words(state, recipe) if source.can_be_cut else ()),
        *((f"run without {counted(len(off), 'head')}",) if (off := left_out(recipe, how.switched_off)) else ()),
    )


def _cut_words(state: BlockState, recipe: Recipe) -> Iterator[str]:
    """Yield what is cut out of layers: layer 2 without the residual."""
    names = {LayerPart.RESIDUAL: "the residual", LayerPart.NETWORK: "the network"}
    for layer, part in sorted(state.cut):
        if layer < len(source_of(recipe).heads):
            yield f"{state.count.layer(layer)} without {names[part]}"


def dropout_words(state: BlockState) -> tuple[str, ...]:
    """Return what is left out of layers, if anything is: at which rates, and by which draw."""
    drops = state.drops
    if drops is None:
        return ()
    rates = {drops.rate(place) for place in drops.places}
    names = ", ".join(f"{_PLACES[place]} p = {drops.rate(place):g}" for place in drops.places)
    said = f"p = {rates.pop():g}" if len(rates) == 1 and len(drops.places) == len(_PLACES) else names or "p = 0"
    return (f"dropout as in training, {said}, draw {drops.seed}",)


def heads_words(heads: int) -> str:
    """Return how many heads there are."""
    return "1 head" if heads == 1 else f"{heads} heads"


def weights_words(state: BlockState) -> str:
    """Return how large the random weights are."""
    return f"σ_w = {state.gain:g}" if state.initialiser is Initialiser.NUMBER else f"σ_w = {state.initialiser.value}"


def norm_words(state: BlockState) -> str:
    """Return where the norm stands, and which it is."""
    if state.norm is NormPlacement.NONE:
        return "no norm"
    kind = "layer norm" if state.norm_kind is NormKind.LAYER else "RMS norm"
    root = "under the root" if state.eps_inside_sqrt else "beside the root"
    return f"{state.norm.value}-norm ({kind}, ε = {brief(state.eps)} {root})"
