"""The words of the Block page: titles, settings, and what is true of a state."""

from __future__ import annotations

from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.block.boxes import ACTIVATION_NAMES
from attention_explorer.pages.block.cache import decoded_shown
from attention_explorer.pages.block.depth import DRAWS, TOKENS, depth_setting
from attention_explorer.pages.block.future import NOISE, changed_shown, token_count
from attention_explorer.pages.block.learned import recipe_of
from attention_explorer.pages.block.linear import factor_text
from attention_explorer.pages.block.norm import FEATURES, norm_name
from attention_explorer.pages.block.numerals import brief
from attention_explorer.pages.block.state import BlockPicture, BlockState, Initialiser
from attention_explorer.sources.registry import source_of


def picture_title(state: BlockState) -> str:
    """Return what the large picture shows."""
    return {
        BlockPicture.LAYER: _layer_title(state),
        BlockPicture.DEPTH: "Gradient and tokens against depth",
        BlockPicture.NORM: "What a norm does to rows of any size",
        BlockPicture.LINEAR: "Scale V, scale X: what follows",
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


def _stack_parts(state: BlockState) -> tuple[str, ...]:
    """Return what decides the numbers of a stack that the sentence goes through."""
    network = f"d_ff = {state.d_ff}, {ACTIVATION_NAMES[state.activation]}" if state.feed_forward else "no feed-forward"
    return (
        f"“{state.sentence}”" + (f" and {state.batch - 1} random" if state.batch > 1 else ""),
        f"d_model = {state.d_model}",
        _heads_words(state.heads),
        network,
        "1 layer" if state.layers == 1 else f"{state.layers} layers",
        _norm_words(state),
        "residual" if state.residual else "no residual",
        *_origin_parts(state),
    )


def _origin_parts(state: BlockState) -> tuple[str, ...]:
    """Return where the numbers of a stack come from."""
    recipe = recipe_of(state)
    if recipe is not None:
        return "learned positions" if state.encoding else "no positions", source_of(recipe).origin
    return (
        "sinusoidal positions" if state.encoding else "no positions",
        _weights_words(state),
        f"embeddings × {state.embedding_scale:g}",
        f"seed {state.seed}",
    )


def _layer_settings(state: BlockState) -> tuple[str, ...]:
    return (*_stack_parts(state), "causal mask" if state.causal else "no mask")


def _depth_settings(state: BlockState) -> tuple[str, ...]:
    setting = depth_setting(state)
    return (
        f"{DRAWS} random stacks of {setting.layers} layers",
        f"{TOKENS} random tokens",
        f"d_model = {setting.d_model}",
        _heads_words(setting.heads),
        f"d_ff = {setting.d_ff}",
        ACTIVATION_NAMES[setting.activation],
        _norm_words(state),
        "residual" if state.residual else "no residual",
        "causal mask" if state.causal else "no mask",
        "sinusoidal positions" if state.encoding else "no positions",
        _weights_words(state),
        f"seeds {state.seed} to {(state.seed + DRAWS - 1) % (LARGEST_SEED + 1)}",
    )


def _norm_settings(state: BlockState) -> tuple[str, ...]:
    return (
        norm_name(state),
        f"ε = {brief(state.eps)}, under the root and beside it",
        f"rows of {FEATURES} random features with mean 0",
        f"standard deviation of the one drawn {brief(state.norm_scale)}",
        f"seed {state.seed}",
    )


def _linear_settings(state: BlockState) -> tuple[str, ...]:
    layer = () if state.layers == 1 else (state.count.layer(state.layer_shown),)
    return (*_layer_settings(state), *layer, f"multiplied by {factor_text(state.factor)}")


def _future_settings(state: BlockState) -> tuple[str, ...]:
    replaced = f"token {state.count.number(changed_shown(state))} replaced by noise × {NOISE:g}"
    return (*_stack_parts(state), "with a causal mask and without one", replaced)


def _cache_settings(state: BlockState) -> tuple[str, ...]:
    layer = () if state.layers == 1 else (state.count.layer(state.layer_shown),)
    head = () if state.heads == 1 else (state.count.head(state.head_shown),)
    return (
        *_stack_parts(state),
        "decoded causally",
        f"{decoded_shown(state)} of {token_count(state)} tokens",
        *layer,
        *head,
    )


_SETTINGS = {
    BlockPicture.LAYER: _layer_settings,
    BlockPicture.DEPTH: _depth_settings,
    BlockPicture.NORM: _norm_settings,
    BlockPicture.LINEAR: _linear_settings,
    BlockPicture.FUTURE: _future_settings,
    BlockPicture.CACHE: _cache_settings,
}


def _heads_words(heads: int) -> str:
    return "1 head" if heads == 1 else f"{heads} heads"


def _weights_words(state: BlockState) -> str:
    return f"σ_w = {state.gain:g}" if state.initialiser is Initialiser.NUMBER else f"σ_w = {state.initialiser.value}"


def _norm_words(state: BlockState) -> str:
    if state.norm is NormPlacement.NONE:
        return "no norm"
    kind = "layer norm" if state.norm_kind is NormKind.LAYER else "RMS norm"
    root = "under the root" if state.eps_inside_sqrt else "beside the root"
    return f"{state.norm.value}-norm ({kind}, ε = {brief(state.eps)} {root})"


def description(state: BlockState) -> str:
    """Return the picture in words, for those who cannot see it."""
    return f"{picture_title(state)}. {settings_words(state)}"


def verdict(state: BlockState) -> tuple[str, tuple[str, ...]]:
    """Return a headline, and what is true of the state."""
    return _VERDICTS[state.picture](state)


def _on_layer(state: BlockState) -> tuple[str, tuple[str, ...]]:
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
    return headline, tuple(line for line in lines if line)


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


def _on_depth(_state: BlockState) -> tuple[str, tuple[str, ...]]:
    return (
        "The residual prevents vanishing gradients with small weights and no norm.",
        (
            "“They allow gradients to flow directly through the network” is not the whole story, as the table shows: "
            "with He’s weights a norm alone keeps the gradient, with or without the residual, and without a norm the "
            "gradient explodes in spite of the residual.",
            "After 24 layers with He’s weights and post-norm all tokens are alike, with or without the residual. With "
            "0.02 the residual keeps them apart.",
            "All this is measured on random weights with a random gradient at the output, not in training.",
        ),
    )


def _on_norm(state: BlockState) -> tuple[str, tuple[str, ...]]:
    if state.eps == 0.0:
        return "Without ε both formulas are the same.", ("Both divide by σ alone.", _constant_row_sentence(state))
    root, eps = brief(state.eps**0.5), brief(state.eps)
    return (
        "The place of ε only matters for small rows.",
        (
            f"÷ √(σ² + ε) brings a row with σ = √ε = {root} to 0.707; ÷ (σ + ε) brings one with σ = ε = {eps} to 0.5. "
            "Much larger rows come out with 1.",
            _constant_row_sentence(state),
        ),
    )


def _constant_row_sentence(state: BlockState) -> str:
    if state.norm_kind is NormKind.LAYER:
        return "A row of one number repeated becomes 0 either way."
    return "A row of one number repeated does not become 0: RMS norm does not subtract the mean."


def _on_linear(state: BlockState) -> tuple[str, tuple[str, ...]]:
    if token_count(state) == 1:
        why = "With one token its weight is 1, whatever X is: here attention is linear in X too. Write a second word."
    else:
        why = "In general it is not linear in X, because the weights come from X too, through the softmax."
    return "Attention is “purely linear in V”: true for fixed weights.", (why,)


def _on_future(state: BlockState) -> tuple[str, tuple[str, ...]]:
    if state.causal:
        return (
            "“The model literally cannot attend to future tokens”: true to the last bit.",
            ("Masked weights are exactly 0, and everything else works position by position.",),
        )
    return (
        "Without a mask a change can reach every row.",
        ("Each token attends to the one that is replaced, if only a little.",),
    )


def _on_cache(_state: BlockState) -> tuple[str, tuple[str, ...]]:
    return (
        "A cache changes the work, not the result.",
        (
            "Under a causal mask the keys and values of earlier tokens never change, so they can be kept. That takes "
            "memory.",
        ),
    )


_VERDICTS = {
    BlockPicture.LAYER: _on_layer,
    BlockPicture.DEPTH: _on_depth,
    BlockPicture.NORM: _on_norm,
    BlockPicture.LINEAR: _on_linear,
    BlockPicture.FUTURE: _on_future,
    BlockPicture.CACHE: _on_cache,
}
