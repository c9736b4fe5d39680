"""The files that what was learned becomes: weights, and curves as numbers. Made on a worker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np

from attention_explorer.core.numbers_files import Contents as Contents
from attention_explorer.core.numbers_files import Report, as_csv, check_kind
from attention_explorer.pages.training.moment import model_at, trained
from attention_explorer.sources.learned.model_file import model_bytes
from attention_explorer.sources.learned.run import Curve
from attention_explorer.sources.learned.setup import LearningSetup

WEIGHTS = {".safetensors": "Learned weights", ".npz": "Learned weights, NumPy archive"}
CURVES = {".csv": "Curves"}
"""Kinds of files by their endings, the usual one first."""

CURVE_COLUMNS = ("loss", "accuracy", "weight", "training_loss", "training_accuracy")
RUNS = ("", "b_")
"""What stands before the columns of A and of B."""


def weights_file(setup: LearningSetup, step: int, path: Path) -> Contents:
    """Return what writes the weights of a step to the file at a path, as its ending says."""
    return lambda file, report: file.write(model_bytes(path, model_at(setup, step, report)))


def curves_file(setups: Sequence[LearningSetup], step: int, path: Path) -> Contents:
    """Return what writes the curves of some runs up to a step as CSV."""

    def write(file: IO[bytes], report: Report) -> None:
        check_kind(path, CURVES)
        file.write(curves_csv([trained(setup, step, report).curve(step) for setup in setups]).encode())

    return write


def curves_csv(curves: Sequence[Curve]) -> str:
    """Return a line for each step, with five columns for each run; those of a second one begin with “b_”.

    Loss, accuracy and weight are those on held-out sentences, and empty where nothing was measured there or the task
    knows no weight to look for; training loss and accuracy are those on the batch that the next step learned from.
    """
    numbers = [_by_step(curve) for curve in curves]
    heads = ("step", *(f"{prefix}{name}" for prefix, _ in zip(RUNS, curves, strict=False) for name in CURVE_COLUMNS))
    nothing = (None,) * len(CURVE_COLUMNS)
    steps = sorted(set().union(*numbers))
    return as_csv(heads, ((step, *(cell for run in numbers for cell in run.get(step, nothing))) for step in steps))


def _by_step(curve: Curve) -> dict[int, tuple[float | None, ...]]:
    """Return the columns of a run, by step."""
    held_out = {
        step: (loss, accuracy, None if np.isnan(weight) else weight)
        for step, loss, accuracy, weight in zip(*(part.tolist() for part in curve[:4]), strict=True)
    }
    learned = dict(enumerate(zip(curve.training_loss.tolist(), curve.training_accuracy.tolist(), strict=True)))
    return {
        step: (*held_out.get(step, (None, None, None)), *learned.get(step, (None, None)))
        for step in held_out.keys() | learned.keys()
    }
