"""The learned models that come with the program: how each was learned. `make train` makes them again."""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

from attention_explorer.core import files
from attention_explorer.sources.learned.setup import LearningSetup


class Boxed(NamedTuple):
    """A learned model in the box.

    Attributes
    ----------
    setup : LearningSetup
        How it was learned; seeds were chosen for maps that can be read.
    step : int
        After how many steps.
    """

    setup: LearningSetup
    step: int


class Record(NamedTuple):
    """What is known of the file of a model, as it was made.

    Attributes
    ----------
    accuracy, weight : float
        On held-out sentences: the share of right answers, and the weight of the best head on what a readable head
        would look at.
    digest : str
        SHA-256 of the file.
    """

    accuracy: float
    weight: float
    digest: str


BOX = {
    "it": Boxed(LearningSetup(seed=1), 300),
    "repeat": Boxed(
        LearningSetup(task="repeat", d_model=48, length=24, batch=64, rate=0.005, warm_up=100, seed=2), 600
    ),
    "repeat-4": Boxed(
        LearningSetup(task="repeat", heads=4, d_model=48, length=24, batch=64, rate=0.005, warm_up=100), 600
    ),
    "translation": Boxed(
        LearningSetup(task="translation", layers=1, d_ff=64, length=3, rate=0.005, seed=1),
        300,
    ),
}
"""By their names."""

RECORDS = "models/models.json"
"""Where the records are, below resources/."""


def file_name(name: str) -> str:
    """Return where a model of the box lies below resources/."""
    return f"models/{name}.safetensors"


def name_in_box(setup: LearningSetup, step: int) -> str:
    """Return what a model is called in the box; empty if it is not there."""
    return next((name for name, boxed in BOX.items() if (boxed.setup, boxed.step) == (setup, step)), "")


@cache
def record_of(name: str) -> Record:
    """Return what is known of the file of a model in the box.

    Raises
    ------
    ExplorerError
        If the records are missing or damaged.
    """
    try:
        return Record(**json.loads(files.read_text(RECORDS))[name])
    except (ValueError, KeyError, TypeError):
        raise files.damaged(RECORDS) from None
