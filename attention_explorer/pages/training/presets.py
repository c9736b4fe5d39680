"""Ready-made runs: the tasks, and some that are to fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.preset import Preset
from attention_explorer.pages.training.state import FIRST_SEED, TrainingState
from attention_explorer.sources.learned.tasks import task_of


def _ready(task: str, look_for: str, *, id: str = "", title: str = "", **changes: Any) -> Preset[TrainingState]:  # noqa: A002, ANN401
    identifier = id or task
    state = replace(TrainingState(preset=identifier).with_task(task), preset=identifier)
    setup = replace(state.setup, **changes)
    return Preset(identifier, title or task_of(task).title, look_for, replace(state, setup=setup))


TRAINING_PRESETS: tuple[Preset[TrainingState], ...] = (
    _ready(
        "it",
        "Press Play and watch the row of “it”. It takes the mat first, and then finds the cat; other seeds take other "
        "ways. Then ask “the cat sat on the mat because it was soft”, and break a head.",
        seed=FIRST_SEED,
    ),
    _ready(
        "it",
        "With a hard lookup nothing tells queries and keys how to change, so they stay random. It learns what it can "
        "without them: compare its curve with the soft one.",
        id="it-hard",
        title="What “it” refers to, hard",
        hard=True,
    ),
    _ready(
        "dictionary",
        "Press Play: the keys move onto a ring, and each query moves towards its partner. The farther out they "
        "stand, the sharper the lookup. Try 4 entries and then 12: “length” says how many there are.",
    ),
    _ready(
        "previous",
        "Press Play: on the map a stripe grows beside the diagonal. Without positions only about 40 % of the answers "
        "become right; guessing would get 8 %.",
    ),
    _ready(
        "repeat",
        "Press Play: for a while nothing seems to happen. Then the first layer looks at the letter before, and the "
        "second at what followed an equal letter. Switch the first one off: only about a fifth of the answers are "
        "still right, where guessing would get 5 %.",
    ),
    _ready("reverse", "Press Play, and look at Map: it becomes the other diagonal."),
    _ready("sort", "Press Play. The answers become right: can you see from the map why? Not every map can be read."),
    _ready(
        "translation",
        "On the map each row is the French word written last, and looks at the English word to write next: in the end "
        "“la” looks at “car”, and “voiture” at “red”. Attention finds the other word order.",
    ),
    _ready(
        "translation",
        "With self-attention in the encoder the English words are mixed before they are looked at. Nearly all answers "
        "become right, but the weights may lie elsewhere, as they do with this seed: attention is not alignment. Other "
        "seeds find the plain order.",
        id="translation-mixed",
        title="Translation, words mixed first",
        encoder_layers=1,
        seed=2,
    ),
    _ready("brackets", "Press Play: which open bracket does each place look at? Ask it a row of your own."),
    _ready("die", "Nothing can be learned here: held-out answers stay at chance."),
    _ready(
        "own",
        "Numbers in words become digits: “three forty two -> 3 4 2”. Press “Your lines…” and paste your own, "
        "up to 2 000 of them. One in five is held out: only those tell whether a rule was found.",
    ),
)
"""In the order of the list. Every task has one of its own name."""
