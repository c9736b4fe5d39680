"""The words of the Block page: titles, settings, and what is true of a state."""

from __future__ import annotations

from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.block.cache import decoded_shown
from attention_explorer.pages.block.future import NOISE, changed_shown, token_count
from attention_explorer.pages.stack.state import BlockPicture, BlockState
from attention_explorer.pages.stack.wording import layer_parts, stack_parts


def picture_title(state: BlockState) -> str:
    """Return what the large picture shows."""
    return {
        BlockPicture.LAYER: _layer_title(state),
        BlockPicture.FUTURE: "Replace a token: which rows change",
        BlockPicture.CACHE: "Decode token by token with a KV cache",
    }[state.picture]


def _layer_title(state: BlockState) -> str:
    if state.layers == 1:
        return "One layer, from tokens to output"
    return f"{state.count.layer(state.layer_shown).capitalize()} of {state.layers}, from its input to its output"


def settings_words(state: BlockState) -> str:
    """Return what decides the numbers of the picture, in a line or two."""
    parts = _SETTINGS[state.picture](state)
    return ", ".join(filter(None, (*parts, state.count.said_of(picture_title(state), *parts)))) + "."


def _future_settings(state: BlockState) -> tuple[str, ...]:
    replaced = f"token {state.count.number(changed_shown(state))} replaced by noise × {NOISE:g}"
    return (*stack_parts(state), "with a causal mask and without one", replaced)


def _cache_settings(state: BlockState) -> tuple[str, ...]:
    layer = () if state.layers == 1 else (state.count.layer(state.layer_shown),)
    head = () if state.heads == 1 else (state.count.head(state.head_shown),)
    return (
        *stack_parts(state),
        "decoded causally",
        f"{decoded_shown(state)} of {token_count(state)} tokens",
        *layer,
        *head,
    )


_SETTINGS = {
    BlockPicture.LAYER: layer_parts,
    BlockPicture.FUTURE: _future_settings,
    BlockPicture.CACHE: _cache_settings,
}


def description(state: BlockState) -> str:
    """Return the picture in words, for those who cannot see it."""
    return f"{picture_title(state)}. {settings_words(state)}"


def verdict(state: BlockState) -> tuple[str, ...]:
    """Return what is true of a state, the most important first."""
    return _VERDICTS[state.picture](state)


def _on_layer(state: BlockState) -> tuple[str, ...]:
    lines = [_mixing_sentence(state), _residual_sentence(state), _norm_sentence(state)]
    if state.feed_forward:
        half = (
            " With random weights ReLU typically sets about half of the hidden units to 0."
            if state.activation is Activation.RELU and state.learned is None
            else ""
        )
        lines.append(f"The network does the same to every position, each by itself.{half}")
    lines.append(_origin_sentence(state))
    headline = (
        "Only attention moves numbers from token to token."
        if state.feed_forward
        else "Attention alone, without a feed-forward network."
    )
    return headline, *(line for line in lines if line)


def _origin_sentence(state: BlockState) -> str:
    if state.learned is not None:
        return "These layers have no norms, no biases in attention and no dropout. Nothing in them is random."
    norms = "" if state.norm is NormPlacement.NONE else "gain and bias of the norms, "
    return (
        f"Left out, as in many tutorials: {norms}biases of the projections, dropout. The weights are random: nothing "
        "has been learned."
    )


def _mixing_sentence(state: BlockState) -> str:
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
    before = "hardly varied" if state.norm_kind is NormKind.LAYER else "was nearly 0"
    return (
        f"After the norm every row has the length √{state.d_model} = {state.d_model**0.5:.3g}, unless it {before} "
        "before."
    )


def _on_future(state: BlockState) -> tuple[str, ...]:
    if state.causal:
        return (
            "“The model literally cannot attend to future tokens”: true to the last bit.",
            "Masked weights are exactly 0, and everything else works position by position.",
        )
    return (
        "Without a mask a change can reach every row.",
        "Each token attends to the one that is replaced, if only a little.",
    )


def _on_cache(_state: BlockState) -> tuple[str, ...]:
    return (
        "A cache changes the work, not the result.",
        "Under a causal mask the keys and values of earlier tokens never change, so they can be kept. That takes "
        "memory.",
    )


_VERDICTS = {
    BlockPicture.LAYER: _on_layer,
    BlockPicture.FUTURE: _on_future,
    BlockPicture.CACHE: _on_cache,
}
