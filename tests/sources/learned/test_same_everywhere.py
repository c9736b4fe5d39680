"""What is learned is the same on every processor, bit by bit: checksums that were written down once."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.sources.learned.run import Run
from attention_explorer.sources.learned.tasks import TASKS

LEARNED = {
    "it": ("a7ee979bebaa72db", "c0492ce01c870005"),
    "dictionary": ("cd32da7dfccbe494", "8a93bc497bb3d598"),
    "previous": ("ae0b998bebf94b64", "39ea6231cadf9b29"),
    "repeat": ("97837a69d614278e", "3686764350dd595b"),
    "reverse": ("3b96c58066732244", "921f0d95ee8663cc"),
    "sort": ("56c42461754be1b1", "ef81c591df1a153b"),
    "translation": ("a436384480c67fad", "10c01a9e12f71743"),
    "brackets": ("6f2c3208f4a754b1", "77b63f6b7d493b14"),
    "die": ("a48bf9390b9c1e65", "9f0e5e4a90bd70a0"),
    "own": ("6cc4f7b6ee59d9e6", "2d7c83f936217325"),
    "{'hard': True}": ("6f870ea2ada7a2fd",),
    "{'scaled': False, 'positions': False}": ("822607abba79b01a",),
    "{'heads': 4, 'd_ff': 64}": ("429ea414748ebd5f",),
}
"""The SHA-256 of weights and curves by task: of its own seed after all its steps, and of seed 7 after thirty."""


def checksum(run: Run) -> str:
    numbers = hashlib.sha256(run.at().network.parameters.vector.astype("<f4").tobytes())
    for part in run.curve():
        numbers.update(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).tobytes())
    return numbers.hexdigest()[:16]


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_learned_and_gives_the_same_weights_and_curves(name: str) -> None:
    task = TASKS[name]
    whole, other = Run(task.setup), Run(replace(task.setup, seed=7))
    whole.advance(task.steps)
    other.advance(30)
    assert (checksum(whole), checksum(other)) == LEARNED[name]
    first, last = whole.measured(0), whole.measured()
    assert task.is_reached(last.accuracy, last.weight or 0.0)  # `make bench` tries five seeds
    if name != "die":
        assert not task.is_reached(first.accuracy, first.weight or 0.0)
        assert last.loss < first.loss


@pytest.mark.parametrize("changes", [{"hard": True}, {"scaled": False, "positions": False}, {"heads": 4, "d_ff": 64}])
def test_steps_are_the_same_whatever_the_network_is_made_of(changes: dict[str, object]) -> None:
    run = Run(replace(TASKS["it"].setup, **changes))
    run.advance(20)
    assert checksum(run) == LEARNED[str(changes)][0]
