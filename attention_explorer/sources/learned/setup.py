"""What decides a run: the task, the sizes of its network, how it learns, and the seed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module

from attention_explorer.core.declared import Kind, check_range, declared, ranges
from attention_explorer.fields import CheckedFields
from attention_explorer.model.head_axis import check_width
from attention_explorer.model.scalars import LARGEST_SEED

LARGEST_RATE = 1e12
"""Far beyond all that learns: explosions may be seen."""


def _tasks() -> tuple[str, ...]:
    """Return the names of all tasks, each of which has a setup: they are found by name when they are asked for."""
    return tuple(import_module("attention_explorer.sources.learned.tasks").TASKS)


OWN = "own"
"""The name of the task that learns lines of one's own."""
MOST_LINES = 2000
"""Of one's own."""


class LineCut(StrEnum):
    """Into what lines of one's own are cut, to be learned."""

    BY_THE_DATA = "by the data"
    """Words where most inputs have several, which come again in others; else characters."""
    WORDS = "words"
    CHARACTERS = "characters"


@dataclass(frozen=True, slots=True)
class LearningSetup(CheckedFields):
    """All that decides a run, step by step. With a step it names a model that was learned.

    The defaults are what the task "it" is learned with.

    Attributes
    ----------
    task : str
        Its name.
    layers, heads, d_model, d_ff : int
        Sizes of the network, of a translation's decoder; heads must divide d_model, and without hidden units (d_ff 0)
        a layer is its attention alone.
    encoder_layers : int
        Layers of a translation's encoder; 0 for every other task.
    length : int
        Tokens of a sentence, or entries of a dictionary.
    hard : bool
        Whether the best key takes all: then w_q and w_k learn nothing.
    scaled : bool
        Whether scores are divided by √d_k.
    positions : bool
        Whether the network is told where a token stands.
    residual : bool
        Whether what comes into a layer is added to what it makes of it.
    batch : int
        Sentences in a step.
    rate : float
        The largest learning rate.
    warm_up : int
        Steps up to it.
    seed : int
        Of the first numbers and of the sentences.
    lines : tuple of str
        Of the task "own": what is learned, as “input -> answer” each; none for every other task.
    cut : LineCut
        Into what they are cut.
    """

    task: str = declared("it", "task", "What is to be learned", "Choose a task", choices=_tasks)
    layers: int = declared(2, "layers", "How many layers, one behind the other", "Change the layers", low=1, high=6)
    heads: int = declared(
        1, "heads", "Heads of each layer; they share d_model equally", "Change the heads", low=1, high=16
    )
    d_model: int = declared(
        32, "d_model", "How many numbers a token is", "Change d_model", low=1, high=256, stops=(8, 16, 32, 48, 64, 128)
    )
    d_ff: int = declared(
        0,
        "d_ff",
        "Hidden units of the feed-forward network; 0 leaves it out, and a layer is its attention alone",
        "Change d_ff",
        high=1024,
        stops=(0, 32, 64, 96, 128, 256),
    )
    encoder_layers: int = declared(
        0,
        "encoder layers",
        "Layers of self-attention over the English words, before they are looked at; 0 leaves each word by itself",
        "Change the encoder",
        high=6,
    )
    length: int = declared(11, "length", "How many tokens a sentence has", "Change the length", low=2, high=64)
    hard: bool = declared(
        False,  # the default
        "lookup",
        "Soft blends all values; hard takes that of the best key, and queries and keys learn nothing",
        "Switch soft and hard",
        names={"off": "Soft", "on": "Hard"},
    )
    scaled: bool = declared(True, "÷√d_k", "Whether scores are divided by √d_k", "Switch the scaling")
    positions: bool = declared(
        True,
        "positions",
        "Whether the network is told where a token stands",
        "Switch the positions",
    )
    residual: bool = declared(
        True,
        "residual",
        "Whether what comes into a layer is added to what it makes of it",
        "Switch the residual",
    )
    batch: int = declared(
        96, "batch", "Sentences in a step", "Change the batch", low=1, high=1024, stops=(8, 16, 32, 64, 96, 128, 256)
    )
    rate: float = declared(
        0.006,
        "rate",
        "The largest learning rate: how far a step goes; a rate that is too large is stopped and said",
        "Change the learning rate",
        low=1e-6,
        high=LARGEST_RATE,
    )
    warm_up: int = declared(20, "warm-up", "Steps up to the largest rate", "Change the warm-up", low=1, high=10_000)
    seed: int = declared(
        0,
        "seed",
        "Decides the numbers to begin with and the sentences; others learn other heads",
        "Change the seed",
        high=LARGEST_SEED,
    )
    lines: tuple[str, ...] = declared(
        (),
        "lines",
        "Your own lines, each “input -> answer”; one in five is held out",
        "Change the lines",
        kind=Kind.LIST,
        most=MOST_LINES,
    )
    cut: LineCut = declared(
        LineCut.BY_THE_DATA,
        "cut into",
        "Whether the network is given words or characters of your lines; by the data: words, if they come again",
        "Cut the lines otherwise",
        shown=lambda training: training.setup.task == OWN,
        names={"by the data": "By the data", "words": "Words", "characters": "Characters"},
    )

    def checked(self) -> LearningSetup:
        """Return the setup itself, or refuse numbers that are out of range."""
        for name in ranges(type(self)):
            check_range(type(self), name, getattr(self, name))
        check_width("d_model", self.d_model, self.heads)
        return self
