"""What decides a run: the task, the sizes of its network, how it learns, and the seed."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.head_axis import check_width
from attention_explorer.model.scalars import LARGEST_SEED

MOST = {
    "layers": 6,
    "encoder_layers": 6,
    "heads": 16,
    "d_model": 256,
    "d_ff": 1024,
    "length": 64,
    "batch": 1024,
    "warm_up": 10_000,
    "seed": LARGEST_SEED,
}
"""The largest of each number that a run can have."""

LEAST = {"layers": 0, "encoder_layers": 0, "d_ff": 0, "seed": 0, "length": 2}
"""The smallest, where that is not 1."""


LARGEST_RATE = 1e12
"""Far beyond all that learns: explosions may be seen."""


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
    """

    task: str = "it"
    layers: int = 2
    heads: int = 1
    d_model: int = 32
    d_ff: int = 0
    encoder_layers: int = 0
    length: int = 11
    hard: bool = False
    scaled: bool = True
    positions: bool = True
    residual: bool = True
    batch: int = 96
    rate: float = 0.006
    warm_up: int = 20
    seed: int = 0

    def checked(self) -> LearningSetup:
        """Return the setup itself, or refuse numbers that are out of range."""
        for name, most in MOST.items():
            least, value = LEAST.get(name, 1), getattr(self, name)
            if not least <= value <= most:
                raise ExplorerError(f"{name} must be a whole number from {least} to {most}, not {value}.")
        if not 0.0 < self.rate <= LARGEST_RATE:
            raise ExplorerError(f"rate must be above 0, and {LARGEST_RATE:g} at most, not {self.rate:g}.")
        check_width("d_model", self.d_model, self.heads)
        return self
