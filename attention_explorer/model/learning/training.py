"""Learning, a step at a time, with a memory: the numbers of every step so far can be had again."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from functools import cache
from typing import ClassVar, NoReturn

import numpy as np

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.learning.adam import AdamSetting, AdamState, adam_step
from attention_explorer.model.learning.cross_entropy import CrossEntropy, cross_entropy, cross_entropy_reverse
from attention_explorer.model.learning.network import AS_LEARNED, Batch, Network, NetworkTrace, Scoring

ROOM = 2**24
"""Bytes for what is kept of the steps."""

EXPLODED = 20.0
"""How many times as large the loss may be as that of a model that knows nothing, ln(answers)."""


class ExplodedError(ExplorerError):
    """Learning has left all bounds, and was put back to the last step at which it had not."""


class Training:
    """A network that learns from batches. Step 0 is the network as it was drawn; step s has seen s batches.

    A step counts as made once the network has answered the batch that comes next: it is a good one then, for good.
    One thread may advance it while others ask for networks of steps that were made.

    Parameters
    ----------
    network : Network
        What learns; its parameters are moved in place.
    batch_at : callable
        Makes the batch from which step s is made step s + 1; the same for the same s.
    setting : AdamSetting
        How it moves.
    room : int
        Bytes for what is kept. Where it does not do for every step, every second is kept, or every fourth …, and
        those between are computed again.
    """

    def __init__(
        self, network: Network, batch_at: Callable[[int], Batch], setting: AdamSetting, *, room: int = ROOM
    ) -> None:
        _prepare_memory()
        self.network, self.setting = network, setting
        self._batch_at, self._room = batch_at, room
        self._state = AdamState.start(network.parameters.vector)
        self._asked: tuple[NetworkTrace, CrossEntropy] | None = None
        """How the batch of this step was answered, where it was."""
        self._kept: dict[int, Floats] = {}  # (3, parameters) each; replaced as a whole: others read it meanwhile
        self._spacing = 1
        self._keep()

    @property
    def step(self) -> int:
        """Steps made."""
        return self._state.step

    @property
    def kept_bytes(self) -> int:
        """Bytes that the memory of the steps takes."""
        return sum(each.nbytes for each in self.kept_arrays)

    @property
    def kept_arrays(self) -> list[Floats]:
        """The memory of the steps: parameters and what Adam remembers, (3, parameters) for each that is kept."""
        return list(self._kept.values())

    _latest: ClassVar[weakref.ref[Training] | None] = None
    """What advanced last: it alone keeps how the batch that comes next was answered, which takes megabytes."""

    def advance(self) -> CrossEntropy:
        """Make a step.

        Returns
        -------
        CrossEntropy
            How well the batch was answered before the step.

        Raises
        ------
        ExplodedError
            If the loss or a number has left all bounds. The network is then what it was at the last good step.
        """
        checkpoint()
        self._take_the_room()
        asked = self._asked or self._ask()
        self._asked = None
        _move(self.network, asked, self._state, self.setting)
        self._asked = self._ask_guarded()
        self._keep()
        return asked[1]

    def refuse(self, reason: str) -> NoReturn:
        """Go back a step: the last one has left all bounds.

        Parameters
        ----------
        reason : str
            By what that was seen.

        Raises
        ------
        ExplodedError
            Always.
        """
        step = self.step
        self._asked = None
        self._back_to(step - 1)
        raise ExplodedError(
            f"Learning has exploded at step {step} with a rate of {self.setting.rate:g} ({reason}). Step {step - 1} "
            "was the last good one and is kept. Choose a smaller learning rate."
        )

    def network_at(self, step: int) -> Network:
        """Return the network as it was after so many steps, over numbers of its own.

        Parameters
        ----------
        step : int
            0 to `step`.

        Returns
        -------
        Network

        Raises
        ------
        ArrayError
            If that step was not made.
        """
        if not 0 <= step <= self.step:
            raise ArrayError(f"there is no step {step}: steps 0 to {self.step} were made")
        return self._again(step)[0]

    def _again(self, step: int) -> tuple[Network, AdamState]:
        """Compute a step again, from the nearest one before it that is kept."""
        twin = self.network.over(self.network.parameters.copy())
        kept = self._kept
        start = max(each for each in kept if each <= step)
        vector, mean, square = kept[start]
        twin.parameters.vector[:] = vector
        state = AdamState(start, mean.copy(), square.copy())
        while state.step < step:
            checkpoint()
            _move(twin, measure(twin, self._batch_at(state.step), is_learning=True), state, self.setting)
        return twin, state

    def forget_answers(self) -> None:
        """Let go of how the batch that comes next was answered; it can be answered again."""
        self._asked = None

    def _take_the_room(self) -> None:
        """Have the training that advanced before this one forget its answers."""
        before = None if Training._latest is None else Training._latest()
        if before is not self:
            Training._latest = weakref.ref(self)
            if before is not None:
                before.forget_answers()

    def _ask(self) -> tuple[NetworkTrace, CrossEntropy]:
        return measure(self.network, self._batch_at(self.step), is_learning=True)

    def _ask_guarded(self) -> tuple[NetworkTrace, CrossEntropy]:
        """Answer the next batch, and where that shows that learning has exploded, go back to the last good step."""
        try:
            asked = self._ask()
        except ArrayError as error:
            self.refuse(str(error))
        loss = asked[1].loss
        if loss > EXPLODED * max(math.log(asked[1].probabilities.shape[-1]), 1.0):
            self.refuse(f"the loss was {loss:.3g}")
        return asked

    def _back_to(self, step: int) -> None:
        before, self._state = self._again(step)
        self._kept = {each: kept for each, kept in self._kept.items() if each <= step}
        self.network.parameters.vector[:] = before.parameters.vector

    def _keep(self) -> None:
        """Keep this step, if its turn has come; where room runs out, forget every second."""
        if self.step % self._spacing:
            return
        vector = self.network.parameters.vector
        kept = self._kept | {self.step: np.stack((vector, self._state.mean, self._state.square))}
        while len(kept) * 3 * vector.nbytes > self._room and len(kept) > 1:
            self._spacing *= 2
            kept = {step: each for step, each in kept.items() if step % self._spacing == 0}
        self._kept = kept


@cache
def _prepare_memory() -> None:
    """Have the allocator keep what steps free for the next step, once a process.

    glibc gives blocks above 128 kB, and what is free at the end of its memory above 128 kB, back to the system and
    takes them anew, zeroed page by page: with arrays of that size a step takes twice as long. Once a larger block was
    freed, its thresholds are the size of that, and twice that; blocks above 32 MiB no longer count.
    """
    np.empty(2**25 - 2**16, np.uint8)  # and freed at once


def measure(
    network: Network, batch: Batch, scoring: Scoring = AS_LEARNED, *, is_learning: bool = False
) -> tuple[NetworkTrace, CrossEntropy]:
    """Let a network answer, and compare with the right answers.

    Parameters
    ----------
    network : Network
        Any.
    batch : Batch
        What is asked.
    scoring, is_learning
        As for a call of the network.

    Returns
    -------
    trace : NetworkTrace
    measured : CrossEntropy

    Raises
    ------
    ArrayError
        If a number leaves the float range.
    """
    trace = network(batch, scoring, is_learning=is_learning)
    return trace, cross_entropy(trace.logits, batch.answers, network.arithmetic(batch))


def _move(network: Network, asked: tuple[NetworkTrace, CrossEntropy], state: AdamState, setting: AdamSetting) -> None:
    """Move a network that has answered a batch one step: backward, Adam."""
    trace, measured = asked
    gradients = network.gradient(trace, cross_entropy_reverse(measured))
    adam_step(network.parameters.vector, network.parameters.row(gradients), state, setting)
