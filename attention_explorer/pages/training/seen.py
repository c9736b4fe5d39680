"""What a picture of the page is drawn from, and what files of it hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numbers_export import Arrays, Table
from attention_explorer.core.numbers_files import Contents as Contents
from attention_explorer.core.numbers_files import Report, as_csv, check_kind
from attention_explorer.pages.training import pair_words, words
from attention_explorer.pages.training.held_out import HeldAnswer, held_answers
from attention_explorer.pages.training.moment import (
    Moment,
    MomentRequest,
    Worth,
    model_at,
    moment_at,
    picture_of,
    trained,
    worth_at,
)
from attention_explorer.pages.training.state import Head, TrainingState
from attention_explorer.sources.learned.model_file import model_bytes
from attention_explorer.sources.learned.run import Curve
from attention_explorer.sources.learned.setup import LearningSetup

ROWS = "Each row sums to 1"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A moment as a state looks at it.

    Attributes
    ----------
    state : TrainingState
        At the step of the moment.
    moment : Moment
        What is seen of that step.
    worth : Worth or None
        What heads are worth, where that was asked for.
    answers : tuple of HeldAnswer
        What is answered to held-out sentences, where that was asked for.
    """

    state: TrainingState
    moment: Moment
    worth: Worth | None = None
    answers: tuple[HeldAnswer, ...] = ()

    @property
    def row(self) -> int:
        """The query that is followed."""
        return self.moment.row_of(self.state)

    @property
    def heads(self) -> list[Head]:
        """All heads."""
        setup = self.state.setup
        return [(layer, head) for layer in range(setup.layers) for head in range(setup.heads)]

    def map_of(self, head: Head) -> MapPicture:
        """Return the map of a head."""
        return self.moment.picture(head, is_causal=self.state.task.causal)

    @property
    def map_of_other(self) -> MapPicture | None:
        """B's map of the head on show; None where it has no answer, or there is no B."""
        other = self.moment.other
        if other is None or other.answer is None:
            return None
        head = replace(self.state, setup=other.setup).head_shown
        return picture_of(other.answer, head, is_causal=self.state.task.causal)


def seen(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seen:
    """Compute what is seen of a state, training that far where nobody has."""
    return Seen(state, moment_at(MomentRequest.of(state)))


def seen_with_worth(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seen:
    """Compute that, and what each head is worth."""
    found = worth_at(state.setup, state.step, state.broken)
    return replace(seen(state), worth=found)


def seen_with_answers(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seen:
    """Compute that, and what is answered to held-out sentences."""
    found = seen(state)
    return replace(found, answers=held_answers(state.setup, state.step, state.broken))


def arrays(found: Seen) -> Arrays:
    """Return the weights of all heads, the answers, and the curves so far, for files."""
    answer, curve = found.moment.answer, found.moment.curve
    named: Arrays = {f"weights_layer_{layer + 1}": weights for layer, weights in enumerate(answer.weights)}
    named |= {"probabilities": answer.probabilities, "steps": curve.steps, "loss": curve.loss}
    named |= {"accuracy": curve.accuracy, "training_loss": curve.training_loss}
    other = found.moment.other
    if other is None or other.answer is None:
        return named
    named |= {f"b_weights_layer_{layer + 1}": weights for layer, weights in enumerate(other.answer.weights)}
    named["b_probabilities"] = other.answer.probabilities
    curve_of_b = other.curve
    return named if curve_of_b is None else named | {
        "b_steps": curve_of_b.steps, "b_loss": curve_of_b.loss, "b_accuracy": curve_of_b.accuracy
    }  # fmt: skip


def lines(found: Seen) -> Table:
    """Return what a CSV file holds: a line a weight."""
    answer = found.moment.answer
    rows = [
        (layer + 1, head + 1, asking, key, float(weights[head, row, column]))
        for layer, weights in enumerate(answer.weights)
        for head in range(len(weights))
        for row, asking in enumerate(answer.tokens)
        for column, key in enumerate(answer.context_tokens)
    ]
    return Table.of(("layer", "head", "query", "key", "weight"), rows)


def told(found: Seen) -> dict[str, object]:
    """Return what files say besides arrays and settings."""
    state, answer, written = found.state, found.moment.answer, found.moment.written
    return {
        "what": words.origin(state),
        "setup": asdict(state.setup),
        "step": state.step,
        "other_setup": state.other and asdict(state.other),
        "tokens": list(answer.tokens),
        "context_tokens": list(answer.context_tokens),
        "written": None if written is None else state.task.said(written, state.setup),
        "off": sorted(state.broken.off),
        "as_drawn": sorted(state.broken.drawn),
        "hidden": sorted(state.hidden),
        "weights": [weights.tolist() for weights in answer.weights],
    }


def made_of(state: TrainingState) -> tuple[str, ...]:
    """Return where the numbers come from, for captions."""
    compared = () if state.other is None else (f"B: {pair_words.how_it_differs(state.other, state.setup)}",)
    origin = words.origin(state)
    return (f"{origin[0].upper()}{origin[1:]}", *compared, ROWS)


# ---- Files ----
# What was learned, as weights, and curves as numbers. Made on a worker.


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
