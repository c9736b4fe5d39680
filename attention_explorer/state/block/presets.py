"""Ready-made states of the Block page, each with a sentence that says what to look for."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.model import Activation, NormPlacement
from attention_explorer.state.block.state import BlockPicture, BlockState, Initialiser
from attention_explorer.state.preset import Preset, preset_of

_ENCODER = BlockState()
_ATTENTION_ONLY = replace(
    _ENCODER,
    initialiser=Initialiser.NUMBER,
    gain=0.3,
    norm=NormPlacement.NONE,
    residual=False,
    feed_forward=False,
)
_GPT = replace(
    _ENCODER,
    initialiser=Initialiser.NUMBER,
    gain=0.02,
    norm=NormPlacement.PRE,
    activation=Activation.GELU_TANH,
    causal=True,
)

BLOCK_PRESETS: tuple[Preset[BlockState], ...] = (
    Preset(
        "encoder",
        "Encoder layer, 64 wide",
        "Click a box to see it large, or walk them with ← and →. ↑ and ↓ follow one token from X to the output.",
        _ENCODER,
    ),
    Preset(
        "full",
        "Tutorial: full-size encoder layer",
        "3 148 288 parameters. Input and output are (2, 10, 512); every output row has mean 0 and standard deviation "
        "0.9999994, because ε stands beside the root. About half of the hidden units are 0.",
        replace(
            _ENCODER,
            sentence="The animal didn't cross the street because it was tired",
            batch=2,
            d_model=512,
            d_ff=2048,
            eps=1e-6,
            eps_inside_sqrt=False,
            encoding=False,
            box="output",
            preset="full",
        ),
    ),
    Preset(
        "pipeline",
        "Tutorial: the whole pipeline",
        "Norms before 6.24 7.10 7.07 7.63 6.26 6.39, after 36.72 32.60 38.34 32.56 30.44 34.79: weights of 0.3 make "
        "every token about five times as long. A norm would put it right.",
        replace(_ATTENTION_ONLY, embedding_scale=0.5, box="attention_output", preset="pipeline"),
    ),
    Preset(
        "shapes",
        "Tutorial: shape trace",
        "(6, 64) → (8, 6, 8) → (8, 6, 6) → (8, 6, 8) → (6, 64) → (6, 64). Change d_model, heads or the sentence: the "
        "shapes follow, and what cannot be is refused.",
        replace(_ATTENTION_ONLY, encoding=False, box="q", preset="shapes"),
    ),
    Preset(
        "self-attention",
        "Tutorial: four tokens, one head",
        "Q, K and V come from the same X, (4, 8), and the output is (4, 8) again. Weights of 1 make almost a choice of "
        "the softmax: the largest of the rows are 0.989, 0.535, 1.000 and 0.928. Other seeds draw other numbers.",
        replace(
            _ATTENTION_ONLY,
            sentence="one two three four",
            d_model=8,
            heads=1,
            seed=0,
            gain=1.0,
            encoding=False,
            box="weights",
            preset="self-attention",
        ),
    ),
    Preset(
        "gpt",
        "Pre-norm with a mask, GPT style",
        "The norm stands before attention and before the network; the residual goes past both, so X reaches the output "
        "as it is. No token sees a later one.",
        replace(_GPT, box="masked", preset="gpt"),
    ),
    Preset(
        "no-residual",
        "No residual",
        "Weights of 0.02, six layers: all tokens leave alike, for nothing of a token goes past attention. Switch the "
        "residual on and they stay apart. With √(2/d_in) they become alike either way.",
        replace(
            _ENCODER,
            initialiser=Initialiser.NUMBER,
            gain=0.02,
            residual=False,
            layers=6,
            layer=5,
            box="output",
            preset="no-residual",
        ),
    ),
    Preset(
        "stack",
        "24 layers, looked into the last",
        "With these weights all tokens point the same way after 24 layers, residual or not: see the columns of X. With "
        "weights of 0.02 they stay apart as long as there is a residual.",
        replace(_ENCODER, layers=24, layer=23, box="x", preset="stack"),
    ),
    Preset(
        "depth",
        "Gradient through 24 layers",
        "Weights of 0.02 and no norm: with the residual the gradient comes through as it is. Switch it off and 10⁻⁷⁴ "
        "is left.",
        replace(
            _ENCODER,
            sentence="one two three four five six seven eight nine ten",
            heads=4,
            layers=24,
            initialiser=Initialiser.NUMBER,
            gain=0.02,
            norm=NormPlacement.NONE,
            encoding=False,
            picture=BlockPicture.DEPTH,
            preset="depth",
        ),
    ),
    Preset(
        "norm",
        "Where ε stands in a norm",
        "Rows with a standard deviation of 0.001: (x − mean) ÷ (σ + ε) gives .999, ÷ √(σ² + ε) .707. At 1 nobody can "
        "tell them apart.",
        replace(_ENCODER, eps=1e-6, picture=BlockPicture.NORM, preset="norm"),
    ),
    Preset(
        "linear",
        "Linear in V, not in X",
        "Twice V is twice the output, exactly. Twice X is something else: the weights change too.",
        replace(_ATTENTION_ONLY, picture=BlockPicture.LINEAR, preset="linear"),
    ),
    Preset(
        "future",
        "A later token is replaced",
        "With the causal mask the rows before it stay the same to the last bit. Take the mask away.",
        replace(_GPT, initialiser=Initialiser.HE, picture=BlockPicture.FUTURE, preset="future"),
    ),
    Preset(
        "cache",
        "Decode with a KV cache",
        "One token at a time: keys and values of those before are kept. The result is that of the whole sentence.",
        replace(_GPT, initialiser=Initialiser.HE, layers=2, picture=BlockPicture.CACHE, preset="cache"),
    ),
)


def block_preset(identifier: str) -> Preset[BlockState]:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    return preset_of(BLOCK_PRESETS, identifier)


def is_changed(state: BlockState) -> bool:
    """Whether the settings are no longer those of the preset; which part of them is looked at does not count."""
    ready = block_preset(state.preset).state
    looked_at = {name: getattr(ready, name) for name in ("picture", "layer", "box", "head", "token")}
    return replace(state, **looked_at) != ready
