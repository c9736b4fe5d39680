"""The words of the pictures of layers on the Lab page: titles, settings, and what is true of a state."""

from __future__ import annotations

from attention_explorer.core.numerals import counted, size_text
from attention_explorer.model import NormKind, NormPlacement
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.lab.depth import DRAWS, TOKENS, DepthPicture, depth_setting, rows_beside
from attention_explorer.pages.lab.linear import NO_PROOF, LinearPicture, factor_text, linear_sentences
from attention_explorer.pages.lab.norm import FEATURES, norm_name
from attention_explorer.pages.stack.numerals import brief
from attention_explorer.pages.stack.state import MOST_LAYERS, BlockPicture, BlockState
from attention_explorer.pages.stack.wording import ACTIVATION_NAMES, heads_words, layer_parts, norm_words, weights_words
from attention_explorer.sources.tokens import tokens_in

TITLES = {
    BlockPicture.DEPTH: "Gradient and tokens against depth",
    BlockPicture.NORM: "What a norm does to rows of any size",
    BlockPicture.LINEAR: "Scale V, scale X: what follows",
}
"""What the large picture shows."""
_IS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"  # what is equal stands in one line
MIDDLING = 0.1
"""From this ε on its root is not much larger than ε itself."""


# ---- What the settings are ----


def settings_words(state: BlockState) -> str:
    """Return what decides the numbers of the picture, in a line or two."""
    parts = SETTINGS[state.picture](state)
    return ", ".join(filter(None, (*parts, state.count.said_of(TITLES[state.picture], *parts)))) + "."


def _depth_settings(state: BlockState) -> tuple[str, ...]:
    setting = depth_setting(state)
    return (
        f"{DRAWS} random stacks of {setting.layers} layers",
        f"{TOKENS} random tokens",
        f"d_model = {setting.d_model}",
        heads_words(setting.heads),
        f"d_ff = {setting.d_ff}",
        ACTIVATION_NAMES[setting.activation],
        norm_words(state),
        "residual" if state.residual else "no residual",
        "causal mask" if state.causal else "no mask",
        "sinusoidal positions" if state.encoding else "no positions",
        weights_words(state),
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
    return (*layer_parts(state), *layer, f"multiplied by {factor_text(state.factor)}")


SETTINGS = {
    BlockPicture.DEPTH: _depth_settings,
    BlockPicture.NORM: _norm_settings,
    BlockPicture.LINEAR: _linear_settings,
}
"""By picture, the function that says what decides its numbers."""


# ---- What is true of them ----


def verdict(state: BlockState) -> tuple[str, ...]:
    """Return what is true of a state, the most important first."""
    return VERDICTS[state.picture](state)


def _on_depth(_state: BlockState) -> tuple[str, ...]:
    return (
        "The residual prevents vanishing gradients with small weights and no norm.",
        "“They allow gradients to flow directly through the network” is not the whole story, as the table shows: "
        "with He’s weights a norm alone keeps the gradient, with or without the residual, and without a norm the "
        "gradient explodes in spite of the residual.",
        "After 24 layers with He’s weights and post-norm all tokens are alike, with or without the residual. With "
        "0.02 the residual keeps them apart.",
        "All this is measured on random weights with a random gradient at the output, not in training.",
    )


def _on_norm(state: BlockState) -> tuple[str, ...]:
    if state.eps == 0.0:
        return "Without ε both formulas are the same.", "Both divide by σ alone.", _constant_row_sentence(state)
    root, eps = brief(state.eps**0.5), brief(state.eps)
    return (
        "The place of ε only matters for small rows.",
        f"÷ √(σ² + ε) brings a row with σ = √ε = {root} to 0.707; ÷ (σ + ε) brings one with σ = ε = {eps} to 0.5. "
        "Much larger rows come out with 1.",
        _constant_row_sentence(state),
    )


def _constant_row_sentence(state: BlockState) -> str:
    if state.norm_kind is NormKind.LAYER:
        return "A row of one number repeated becomes 0 either way."
    return "A row of one number repeated does not become 0: RMS norm does not subtract the mean."


def _on_linear(state: BlockState) -> tuple[str, ...]:
    if len(tokens_in(state.sentence)) <= 1:
        why = "With one token its weight is 1, whatever X is: here attention is linear in X too. Write a second word."
    else:
        why = "In general it is not linear in X, because the weights come from X too, through the softmax."
    return "Attention is “purely linear in V”: true for fixed weights.", why


VERDICTS = {
    BlockPicture.DEPTH: _on_depth,
    BlockPicture.NORM: _on_norm,
    BlockPicture.LINEAR: _on_linear,
}
"""By picture, the function that says what is true of a state."""


# ---- What stands large above the picture, and beside it ----


def norm_headline(state: BlockState) -> str:
    """Return what the curves of a norm show."""
    if state.eps == 0.0:
        return "Without ε, rows of any size come out with 1."
    if state.eps >= MIDDLING:
        return "ε shrinks small rows, wherever it stands."
    return "ε under the root shrinks far larger rows."


def norm_panel(state: BlockState) -> tuple[str, str]:
    """Return the title and the sentence beside the curves of a norm."""
    title = f"A row of size {brief(state.norm_scale)}"
    if state.eps == 0.0:
        return title, "Both formulas divide by σ alone, so they are the same."
    if state.norm_kind is NormKind.RMS:
        larger = "These rows have mean 0: layer norm does the same."
    else:
        larger = "Much larger rows come out with 1 either way."
    return title, (
        f"Under the root ε counts as soon as σ is near √ε{_IS}{brief(state.eps**0.5)}, beside it as soon as σ is near "
        f"ε{_IS}{brief(state.eps)}. {larger}"
    )


def linear_headline(picture: LinearPicture) -> str:
    """Return what follows a factor."""
    headline, by_x = linear_sentences(picture)[0], picture.by[1]
    if picture.factor in NO_PROOF and len(picture.tokens) > 1 and by_x.error == 0.0:
        return f"Linear in V. Times {factor_text(picture.factor)} does not test X."
    return f"{headline}."


def linear_panel(picture: LinearPicture) -> tuple[str, str]:
    """Return the title and the sentence beside the maps of what is left over."""
    c, title = factor_text(picture.factor), "Largest difference"
    if len(picture.tokens) == 1:
        return title, "One token has one weight, which is 1 whatever X is. Write a second word."
    if picture.moved == 0.0:
        return title, f"Times {c} leaves the weights as they are, so it does not tell. Choose another factor."
    return title, (
        f"Of {c} × V the weights know nothing. {c} × X makes the scores {factor_text(picture.factor**2)} times as "
        f"large, and the softmax changes the weights by up to {size_text(picture.moved)}."
    )


def stack_words(state: BlockState) -> str:
    """Return the switches that depth is about: residual and norm."""
    norm = "no norm" if state.norm is NormPlacement.NONE else f"{state.norm.value}-norm"
    return f"{'' if state.residual else 'no '}residual, {norm}"


def depth_panel(picture: DepthPicture) -> tuple[str, str]:
    """Return the title and the sentence beside the curves of a stack."""
    if picture.survey is None:
        return "Nothing to draw", "Choose smaller weights, or a norm."
    draws = f"The line is the median of {picture.draws} random stacks, in grey lie all of them."
    beside = "" if not rows_beside(picture.state) and picture.row is None else " Squares were measured with PyTorch."
    return f"After {counted(min(picture.state.layers, MOST_LAYERS), 'layer')}", draws + beside
