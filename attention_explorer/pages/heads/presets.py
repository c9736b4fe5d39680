"""Ready-made states of the Heads page, each with a sentence that says what to look for."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.model import Stage
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import (
    Aggregate,
    HeadsSetup,
    HeadsState,
    HeadsView,
    MaskChoice,
    MaskKind,
)
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.recipe import Encoding, ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.tutorials import TUTORIALS

_NO_W_O = "The tutorial has no W_O: its output is A·V, and what comes after that is this program’s own."

_FROM_TUTORIALS = {
    "dot-products": (
        "Tutorial: length counts too",
        HeadsView(stage=Stage.SCORES),
        "cat·mat = 1.36 is the highest of the three pairs. Yet mat·mat is only 1.26: the dot product measures length "
        "as well as direction. Click a cell and open its four products.",
    ),
    "five-token": (
        "Tutorial: attention not mutual",
        HeadsView(),
        "Look at The → cat (0.382) and cat → The (0.470): attention is not mutual. W_q and W_k differ, and so do "
        "the scores; and each row has a softmax of its own. "
        f"sat → cat is 0.148, less than an even share: random weights know no grammar. {_NO_W_O}",
    ),
    "four-token": (
        "Tutorial: nearly even, 4 tokens",
        HeadsView(),
        "The colours end at the largest weight; choose “colours 0…1”, and the picture is flat. A gain of 0.1 makes "
        f"small scores: the weight furthest from an even 1/4 is 0.0181 off. {_NO_W_O}",
    ),
    "three-token": (
        "Tutorial: nearly even, 3 vectors",
        HeadsView(),
        "The tutorial prints “how much that position attends to positions 0, 1, 2”, but the weight furthest from 1/3 "
        f"is only 0.00697 off. Raise the gain (press More) and watch the rows come apart. {_NO_W_O}",
    ),
    "multi-head": (
        "Tutorial: 8 heads, large gain",
        HeadsView(row=0),
        "The tutorial’s head 0, token 0 is the first row of the first head. "
        "A third of all rows put more than 95 % on one key, but nothing was learned: a gain of 0.3 at d_model = 64 "
        "makes scores with a standard deviation of 5, which softmax makes sharp. "
        "Set the gain to 1/√d_model and compare.",
    ),
    "pipeline": (
        "Tutorial: positions and 8 heads",
        HeadsView(),
        "Embeddings, position encoding and eight heads, as in the tutorial. Every pair gets at least 0.131 from some "
        "head: show the largest of all heads to see it.",
    ),
}


def _tutorials() -> tuple[Preset[HeadsState], ...]:
    return tuple(
        Preset(
            tutorial.id,
            title,
            look_for,
            HeadsState(HeadsSetup(tutorial.recipe), view, preset=tutorial.id),
        )
        for tutorial in TUTORIALS
        for title, view, look_for in (_FROM_TUTORIALS[tutorial.id],)
    )


def _recorded(model: str, layer: int, head: int, row: int, title: str, look_for: str) -> Preset[HeadsState]:
    """Return a head of a recording on the sentence that ends in “tired”, with that of “soft” to compare with."""
    tired, soft = (HeadsSetup(BoxRecipe(f"{model}-{word}"), layer=layer, head=head) for word in ("tired", "soft"))
    return Preset(model, title, look_for, HeadsState(tired, HeadsView(row=row, in_grid=True), soft, preset=model))


def _learned(name: str, title: str, look_for: str, recipe: LearnedRecipe, **focus: int) -> Preset[HeadsState]:
    """Return a model of the box, on a layer and with a row pinned; what “it” refers to has a twin to compare with."""
    setup = HeadsSetup(recipe, layer=focus["layer"])
    twin = replace(recipe, sentence=recipe.sentence.replace("tired", "soft"))
    other = None if twin == recipe else replace(setup, recipe=twin)
    return Preset(name, title, look_for, HeadsState(setup, HeadsView(row=focus["row"]), other, preset=name))


HIDING = "hide-a-word"
"""The preset in which a model guesses, and a word can be hidden from it."""
_ON_THE_BED = HeadsSetup(LearnedRecipe(*BOX["it"], sentence="The cat slept on the bed because it was soft"), layer=1)
_WITHOUT_SOFT = MaskChoice().with_word(9, 10, hide=True)

HEADS_PRESETS: tuple[Preset[HeadsState], ...] = (
    Preset(
        "random-words",
        "Random heads",
        "Type a sentence. Click a cell to pin it and see the arithmetic behind it; the arrow keys move on. Then choose "
        "the causal mask: each row is renormalised over what is left.",
        HeadsState(view=HeadsView(row=7)),
    ),
    Preset(
        HIDING,
        "Hide a word",
        "A tiny transformer learned here says what “it” means: the bed. Click the eye below “soft”, "
        "which hides it from the model, and it says the cat; click again, and the bed is back. Of the other words it "
        "needs only the bed itself. Compare shows both.",
        HeadsState(_ON_THE_BED, HeadsView(row=7), replace(_ON_THE_BED, mask=_WITHOUT_SOFT), preset=HIDING),
    ),
    _learned(
        "learned-it",
        "Learned: it",
        "A tiny transformer learned here, in 300 steps, what “it” refers to: in layer 2 it attends to “cat” with "
        "0.909. Type “soft” in place of “tired”: “mat” gets 1.00. Ten seeds learned it; in only three "
        "can the map be read.",
        LearnedRecipe(*BOX["it"]),
        layer=1,
        row=7,
    ),
    _learned(
        "learned-repeat",
        "Learned: induction",
        "Seven letters come twice. Look at the second “c”: in layer 2 it attends to the “m” that followed the first, "
        "with 0.9998, and so knows what comes next. Layer 1 looks at the letter before: without its head, 25 % of the "
        "answers are right.",
        LearnedRecipe(*BOX["repeat"], sentence=" ".join("qcmbtfkqcmbtfk")),
        layer=1,
        row=8,
    ),
    _learned(
        "learned-translation",
        "Learned: translation",
        "Look at the order: “the red car” is “la voiture rouge”. Each row is the word written last, and attends to the "
        "one to write next: “la” to “car” with 0.999, “voiture” to “red” with 1.00. Nobody told it the order.",
        LearnedRecipe(*BOX["translation"], sentence="start la voiture rouge", context="the red car"),
        layer=0,
        row=1,
    ),
    _recorded(
        *("minilm", 3, 1, 8),
        "Recorded: MiniLM, soft / tired",
        "A trained model: in the head shown first, “it” attends to “cat” with 0.491. Click Compare: where the sentence "
        "ends in “soft”, “cat” gets 0.149 and “mat” 0.196. Most heads look elsewhere: in 48 of 72, “it” attends most "
        "to [CLS].",
    ),
    _recorded(
        *("smollm2", 13, 8, 9),
        "Recorded: SmolLM2",
        "A trained model that reads from left to right. “it” cannot see the last word, so its rows are the same with "
        "“soft” and with “tired”. But “tired” attends to “cat” with 0.741. Click Compare: “soft” attends to “mat” with "
        "0.748.",
    ),
    Preset(
        "hand-made",
        "Hand-made heads",
        "The patterns that trained models are known for, made by hand: previous token, first token, same word, and "
        "what “it” refers to. Change “soft” to “tired” and the weight of “it” moves from mat to cat.",
        HeadsState(HeadsSetup(HandMadeRecipe(), head=3), HeadsView(row=7), preset="hand-made"),
    ),
    Preset(
        "causal",
        "Causal mask",
        "Each row sees the keys up to its own, so the first has only itself: weight 1. Masked cells are grey, without "
        "a colour of the bar: they are not small weights, but none at all. Try “strictly causal”: the first row has "
        "nothing left.",
        HeadsState(HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL)), HeadsView(row=7), preset="causal"),
    ),
    Preset(
        "running-mean",
        "Running mean",
        "All scores are 0, so each row is even over the keys it sees: 1, then ½ and ½, then three times ⅓ … "
        "Its output is the mean of the values so far. Switch to “no mask” and every weight is 1/10: the mean of all.",
        HeadsState(
            HeadsSetup(HandMadeRecipe(), MaskChoice(MaskKind.CAUSAL), head=5), HeadsView(row=2), preset="running-mean"
        ),
    ),
    Preset(
        "translation",
        "Translation, two sentences",
        "Queries come from the French sentence, keys and values from the English one: the map is not square. The "
        "alignment is made by hand: chat → cat, tapis → mat.",
        HeadsState(
            HeadsSetup(HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat"), head=2),
            HeadsView(row=1),
            preset="translation",
        ),
    ),
    Preset(
        "stacked",
        "Four layers and a rollout",
        "Each layer mixes what the one before it mixed. The rollout multiplies the layers and asks how much of each "
        "token reaches the last layer. Switch the identity (the residual connection) on and off, or show one head.",
        HeadsState(
            HeadsSetup(
                ToyRecipe(d_model=64, heads=4, layers=4, encoding=Encoding.SINUSOIDAL), aggregate=Aggregate.ROLLOUT
            ),
            preset="stacked",
        ),
    ),
    *_tutorials(),
)


def heads_preset(identifier: str) -> Preset[HeadsState]:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    return preset_of(HEADS_PRESETS, identifier)


def loaded(ready: Preset[HeadsState], now: HeadsState) -> HeadsState:
    """Return the state of a preset, with its own B or the one that a person has kept: not that of another preset."""
    return replace(ready.state, other=ready.state.other or kept_by_hand(now))


def has_own_other(heads: HeadsState) -> bool:
    """Whether B comes with the preset: nobody has kept it."""
    return heads.other is not None and bool(heads.preset) and _same(heads.other, heads_preset(heads.preset).state.other)


def _same(a: HeadsSetup, b: HeadsSetup | None) -> bool:
    return b is not None and replace(a, count=b.count) == b


def kept_by_hand(heads: HeadsState) -> HeadsSetup | None:
    """Return the B that a person has kept, if any."""
    return None if has_own_other(heads) else heads.other


def other_setup(heads: HeadsState) -> HeadsSetup | None:
    """Return B: that of a preset shows the same head as A, also after walking on; one that was kept stays as it was."""
    if heads.other is None or not has_own_other(heads):
        return heads.other
    a = heads.setup
    return replace(
        heads.other,
        layer=a.layer,
        head=a.head,
        aggregate=a.aggregate,
        identity=a.identity,
        switched_off=a.switched_off,
    )


def is_changed(state: HeadsState) -> bool:
    """Whether the numbers are no longer those of the preset; which head is shown and how does not count."""
    if not state.preset:
        return False
    ready = resolved(heads_preset(state.preset).state.setup)
    now = replace(
        resolved(state.setup), layer=ready.layer, head=ready.head, aggregate=ready.aggregate, count=ready.count
    )
    return now != ready
