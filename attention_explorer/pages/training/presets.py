"""Ready-made runs: the tasks, and some that are to fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.pages.training.state import FIRST_SEED, TrainingState
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.state.preset import Preset


def _ready(task: str, look_for: str, *, id: str = "", title: str = "", **changes: Any) -> Preset[TrainingState]:  # noqa: A002, ANN401
    identifier = id or task
    state = replace(TrainingState(preset=identifier).with_task(task), preset=identifier)
    setup = replace(state.setup, **changes)
    return Preset(identifier, title or task_of(task).title, look_for, replace(state, setup=setup))


TRAINING_PRESETS: tuple[Preset[TrainingState], ...] = (
    _ready(
        "it",
        "Press Play and watch the framed row. It takes the mat first, and then finds the cat; other seeds take other "
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
        "Press Play: the keys move onto a ring, and each query towards its partner. The longer they get, the sharper "
        "the lookup. Try a length of 4 and of 12.",
    ),
    _ready(
        "previous", "Press Play: a stripe grows beside the diagonal. Switch the positions off, and it cannot learn."
    ),
    _ready(
        "repeat",
        "Learns for a while before anything happens. Then the first layer looks at the letter before, and the "
        "second at what followed an equal letter: break the first, and the second is worth nothing.",
    ),
    _ready("reverse", "Press Play: the map becomes the other diagonal."),
    _ready("sort", "Press Play. The answers become right: can you see from the map why? Not every map can be read."),
    _ready(
        "translation",
        "Each row is the French word written last, and looks at the English one to write next: in the end “la” at "
        "“car”, and “voiture” at “red”. Attention finds the other word order.",
    ),
    _ready(
        "translation",
        "With self-attention in the encoder the English words are mixed before they are looked at: the answers are as "
        "right, but the weights lie elsewhere. Attention is not alignment.",
        id="translation-mixed",
        title="Translation, words mixed first",
        encoder_layers=1,
    ),
    _ready("brackets", "Press Play: which open bracket does each place look at? Ask it a row of your own."),
    _ready("die", "Nothing can be learned here: held-out answers stay at chance."),
)
"""In the order of the list. Every task has one of its own name."""
