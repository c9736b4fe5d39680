"""Weights that lie beside a session: taken in place of learning again, if they are what it would learn."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.model_file import ENDINGS, NotLearnedError, read_model
from attention_explorer.sources.learned.setup import LearningSetup

MOST_TAKEN = 4
"""Models; the oldest is let go of for another."""


class Taken(NamedTuple):
    """A model that was taken from a file.

    Attributes
    ----------
    model : LearnedModel
        Its numbers.
    name : str
        Of the file.
    """

    model: LearnedModel
    name: str


_taken: dict[tuple[LearningSetup, int], Taken] = {}  # one opens a session at a time; workers only look


def taken(setup: LearningSetup, step: int) -> Taken | None:
    """Return the model of a step, if it was taken from a file."""
    return _taken.get((setup, step))


def usual_name(setup: LearningSetup, step: int, what: str = "weights") -> str:
    """Return the name that a file of what was learned is proposed, without its ending."""
    return f"training-{setup.task}-step-{step}-{what}"


def take_beside(session: Path, suffix: str, setup: LearningSetup, step: int) -> str:
    """Take the weights of a step that lie beside a session, under its name or the one that is proposed.

    Parameters
    ----------
    session : Path
        The session's file.
    suffix : str
        What follows the name of a session.
    setup : LearningSetup
        How the session says that it was learned.
    step : int
        After how many steps.

    Returns
    -------
    str
        Why a file that is there was not taken; empty if one was, or there is none.
    """
    if not step:
        return ""
    reason = ""
    for stem in (session.name.removesuffix(suffix), usual_name(setup, step)):
        for path in (session.with_name(stem + ending) for ending in ENDINGS):
            if path.is_file():
                try:
                    model = _checked(path, setup, step)
                except NotLearnedError:
                    continue  # it has nothing to do with it
                except ExplorerError as error:
                    reason = reason or f"The weights beside the session were not taken, and are learned again: {error}"
                    continue
                while len(_taken) >= MOST_TAKEN:
                    _taken.pop(next(iter(_taken)))
                _taken[setup, step] = Taken(model, path.name)
                return ""
    if reason:
        _taken.pop((setup, step), None)
    return reason


def _checked(path: Path, setup: LearningSetup, step: int) -> LearnedModel:
    model = read_model(path, as_learned_here=True)
    if model.setup != setup:
        raise ExplorerError(f"{quoted(path.name)} was learned in another way than the session says.")
    if model.step != step:
        raise ExplorerError(f"{quoted(path.name)} is of step {model.step}, and the session is at step {step}.")
    return model
