"""The words of the Layer page: titles, and what is true of a layer."""

from __future__ import annotations

from attention_explorer.core.mask import MaskChoice
from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.stack.state import BlockState


def layer_title(state: BlockState, layers: int) -> str:
    """Return which layer of so many it is, in a short sentence."""
    if layers == 1:
        return "One layer, from tokens to output"
    return f"{state.count.layer(min(state.layer, layers - 1)).capitalize()} of {layers}, from its input to its output"


def layer_truths(state: BlockState) -> tuple[str, ...]:
    """Return what is true of a layer, the most important first."""
    lines = [_mixing_sentence(state), _residual_sentence(state), _norm_sentence(state)]
    if state.feed_forward:
        half = (
            " With random weights ReLU typically sets about half of the hidden units to 0."
            if state.activation is Activation.RELU and state.learned is None
            else ""
        )
        lines.append(f"The network does the same to every position, each by itself.{half}")
    lines += [_origin_sentence(state), _dropout_sentence(state)]
    headline = (
        "Only attention moves numbers from token to token."
        if state.feed_forward
        else "Attention alone, without a feed-forward network."
    )
    return headline, *(line for line in lines if line)


def _origin_sentence(state: BlockState) -> str:
    if state.learned is not None:
        return "These layers have no norms, no biases in attention and no dropout. Nothing in them is random."
    left_out = [
        *(("gain and bias of the norms",) if state.norm is not NormPlacement.NONE and not state.has_gains else ()),
        *(("biases of the projections",) if not state.has_biases else ()),
        *(("dropout",) if state.drops is None else ()),
    ]
    said = f"Not there, as in many tutorials: {', '.join(left_out)}. More has them. " if left_out else ""
    return f"{said}The weights are random: nothing has been learned."


def _dropout_sentence(state: BlockState) -> str:
    if state.drops is None:
        return ""
    places = "four" if state.feed_forward else "two"
    return (
        f"Dropout is for training: at {places} places numbers are left out at random, and the rest are divided by "
        "1 − p, so that their mean stays. A layer that is used, as everywhere else in this program, has none."
    )


def _mixing_sentence(state: BlockState) -> str:
    if state.drops is not None:
        return "Each token gets something from every token that the softmax lets it see and dropout leaves in."
    if state.mask != MaskChoice():
        return "The mask comes before the softmax: hidden keys have weight exactly 0. A row without any gives zeros."
    if state.causal:
        return "The mask comes before the softmax: later tokens have weight exactly 0."
    return "By the formula of the softmax every weight is above 0: each token gets something from every token."


def _residual_sentence(state: BlockState) -> str:
    if not state.residual:
        return "Without the residual nothing of X gets past attention unchanged."
    if state.norm is NormPlacement.POST:
        return "Post-norm (2017): the norm stands on the residual path, so X is rescaled on its way."
    return "The residual path is free: the layer adds to X and never replaces it."


def _norm_sentence(state: BlockState) -> str:
    if state.norm is NormPlacement.NONE:
        return "Without a norm the weights decide whether tokens grow or shrink: compare the bars."
    if state.d_model == 1 and state.norm_kind is NormKind.LAYER:
        return "A row of a single number has no variance: the layer norm makes it 0."
    if state.norm is NormPlacement.PRE:
        return (
            "Pre-norm, as in GPT-2: the rows that attention reads are all of one size; those that the layer puts out "
            "may grow."
        )
    if state.has_gains:
        return "The norm makes the size of every row the same, and its gains then stretch each feature as they do."
    before = "hardly varied" if state.norm_kind is NormKind.LAYER else "was nearly 0"
    return (
        f"After the norm every row has the length √{state.d_model} = {state.d_model**0.5:.3g}, unless it {before} "
        "before."
    )
