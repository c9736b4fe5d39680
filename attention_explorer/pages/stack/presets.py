"""Ready-made states of the Layer page, each with a sentence that says what to look for."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.model import Activation, NormPlacement
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser, LearnedStack
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Recipe

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
        "Click a box to see it large, or go from box to box with ← and →. ↑ and ↓ follow one token from X to the "
        "output.",
        _ENCODER,
    ),
    Preset(
        "full",
        "Full-size encoder layer, 512 wide",
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
        "Pipeline: tokens grow five times longer",
        "Norms before: 6.24 7.10 7.07 7.63 6.26 6.39; after: 36.72 32.60 38.34 32.56 30.44 34.79. W·0.3 makes every "
        "token about five times as long. Choose a norm, and it does not.",
        replace(_ATTENTION_ONLY, embedding_scale=0.5, box="attention_output", preset="pipeline"),
    ),
    Preset(
        "shapes",
        "Shapes, from X to the output",
        "(6, 64) → (8, 6, 8) → (8, 6, 6) → (8, 6, 8) → (6, 64) → (6, 64). Change d_model, the heads or the sentence, "
        "and the shapes follow; sizes that do not fit are refused.",
        replace(_ATTENTION_ONLY, encoding=False, box="q", preset="shapes"),
    ),
    Preset(
        "self-attention",
        "One head, almost one-hot weights",
        "Q, K and V come from the same X, (4, 8), and the output is (4, 8) again. With σ_w = 1 the softmax is almost a "
        "choice: the largest weights of the rows are 0.989, 0.535, 1.000 and 0.928. The tutorial’s code ends at A·V; "
        "W_O is added here.",
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
        "The norm stands before attention and before the network. The residual goes around both, so X itself is part "
        "of the output. No token sees a later one.",
        replace(_GPT, box="masked", preset="gpt"),
    ),
    Preset(
        "no-residual",
        "No residual: all tokens become alike",
        "Six layers with σ_w = 0.02: all tokens come out alike, because attention mixes them and no token keeps a "
        "part of its own. Switch the residual on, and they stay apart. With √(2/d_in) they become alike either way.",
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
        "The last of 24 layers",
        "With these weights all tokens point the same way after 24 layers, with or without the residual: look at the "
        "columns of X. With σ_w = 0.02 they stay apart as long as there is a residual.",
        replace(_ENCODER, layers=24, layer=23, box="x", preset="stack"),
    ),
    Preset(
        "depth",
        "Gradient through 24 layers",
        "σ_w = 0.02 and no norm: with the residual the gradient hardly changes on its way. Switch the residual off, "
        "and 10⁻⁷⁴ of it is left.",
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
        "Norm: ε under the root or beside it",
        "A row with a standard deviation of 0.001 comes out with 0.999 after (x − mean) ÷ (σ + ε), with 0.707 after "
        "÷ √(σ² + ε). At a standard deviation of 1 nobody can tell them apart.",
        replace(_ENCODER, eps=1e-6, picture=BlockPicture.NORM, preset="norm"),
    ),
    Preset(
        "linear",
        "Linear in V, not in X",
        "Doubling V doubles the output exactly. Doubling X does not, because the weights change too.",
        replace(_ATTENTION_ONLY, picture=BlockPicture.LINEAR, preset="linear"),
    ),
    Preset(
        "future",
        "A later token is replaced",
        "With the causal mask the rows before the replaced token stay the same to the last bit. Without a mask "
        "every row changes.",
        replace(_GPT, initialiser=Initialiser.HE, picture=BlockPicture.FUTURE, preset="future"),
    ),
    Preset(
        "cache",
        "Decode with a KV cache",
        "Decode one token at a time: the keys and values of earlier tokens are kept. The result is the same as for the "
        "whole sentence at once.",
        replace(_GPT, initialiser=Initialiser.HE, layers=2, picture=BlockPicture.CACHE, preset="cache"),
    ),
)


def learned_settings(learned: LearnedStack) -> Preset[BlockState]:
    """Return what is said of learned layers, which are in no list."""
    return Preset(
        "learned",
        f"Learned: {task_of(learned.setup.task).title}, step {learned.step}",
        "These numbers were learned on the Training page; none is random. Go from box to box with ← and →, and "
        "from layer to layer below; in the weights each word shows what it looks at. Type other words that it knows.",
        BlockState(),
    )


def block_preset(identifier: str) -> Preset[BlockState]:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    return preset_of(BLOCK_PRESETS, identifier)


def model_settings(model: Recipe) -> Preset[BlockState]:
    """Return what is said of the layer of what Heads shows, which is in no list."""
    return Preset(
        "model",
        source_of(model).traits.kind,
        "Every array that the sentence passes through in what Heads shows, with the same weights. Follow a word, go "
        "from head to head, and compare what a head looks at with what arrives.",
        BlockState(),
    )
