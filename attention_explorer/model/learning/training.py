"""Learning, a step at a time, with a memory: the numbers of every step so far can be had again."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.learning.adam import AdamSetting, AdamState, adam_step
from attention_explorer.model.learning.cross_entropy import CrossEntropy, cross_entropy, cross_entropy_reverse
from attention_explorer.model.learning.network import Batch, Network, NetworkTrace

ROOM = 2**24
"""Bytes for what is kept of the steps."""

EXPLODED = 20.0
"""How many times as large the loss may be as that of a model that knows nothing, ln(answers)."""


class ExplodedError(ExplorerError):
    """Learning has left all bounds, and was put back to the last step at which it had not."""


class Training:
    """A network that learns from batches. Step 0 is the network as it was drawn; step s has seen s batches.

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
        self._kept: dict[int, tuple[Floats, Floats, Floats]] = {}  # replaced as a whole: others read it meanwhile
        self._spacing = 1
        self._keep()

    @property
    def step(self) -> int:
        """Steps made."""
        return self._state.step

    @property
    def kept_bytes(self) -> int:
        """Bytes that the memory of the steps takes."""
        return len(self._kept) * 3 * self.network.parameters.vector.nbytes

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
        measured = self._guarded(self._moved)
        self._keep()
        return measured

    def check(self) -> None:
        """Make sure that the last step was a good one.

        Raises
        ------
        ExplodedError
            As `advance`.
        """
        self._guarded(lambda: measure(self.network, self._batch_at(self.step))[1])

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
            _move(twin, self._batch_at(state.step), state, self.setting)
        return twin, state

    def _guarded(self, action: Callable[[], CrossEntropy]) -> CrossEntropy:
        """Do something that fails where learning has exploded, and then go back to the last good step."""
        step = self.step
        try:
            measured = action()
        except ArrayError as error:
            if step == 0:  # nothing has moved yet: the batch or the network is at fault
                raise
            reason = str(error)
        else:
            largest = EXPLODED * max(math.log(measured.probabilities.shape[-1]), 1.0)
            if measured.loss <= largest or step == 0:
                return measured
            reason = f"the loss was {measured.loss:.3g}"
        self._back_to(step - 1)
        raise ExplodedError(
            f"Learning has exploded at step {step} with a rate of {self.setting.rate:g} ({reason}). Step {step - 1} "
            "was the last good one and is kept. Choose a smaller learning rate."
        )

    def _moved(self) -> CrossEntropy:
        return _move(self.network, self._batch_at(self.step), self._state, self.setting)

    def _back_to(self, step: int) -> None:
        before, self._state = self._again(step)
        self._kept = {each: kept for each, kept in self._kept.items() if each <= step}
        self.network.parameters.vector[:] = before.parameters.vector

    def _keep(self) -> None:
        """Keep this step, if its turn has come; where room runs out, forget every second."""
        if self.step % self._spacing:
            return
        vector = self.network.parameters.vector
        kept = self._kept | {self.step: (vector.copy(), self._state.mean.copy(), self._state.square.copy())}
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


def measure(network: Network, batch: Batch) -> tuple[NetworkTrace, CrossEntropy]:
    """Let a network answer, and compare with the right answers.

    Parameters
    ----------
    network : Network
        Any.
    batch : Batch
        What is asked.

    Returns
    -------
    trace : NetworkTrace
    measured : CrossEntropy

    Raises
    ------
    ArrayError
        If a number leaves the float range.
    """
    trace = network(batch)
    return trace, cross_entropy(trace.logits, batch.answers)


def _move(network: Network, batch: Batch, state: AdamState, setting: AdamSetting) -> CrossEntropy:
    """Move a network one step: forward, backward, Adam."""
    trace, measured = measure(network, batch)
    gradients = network.gradient(trace, cross_entropy_reverse(measured))
    vector = network.parameters.vector
    adam_step(vector, network.parameters.row(gradients), state, setting)
    return measured
