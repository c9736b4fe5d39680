"""A lesson: its steps, its questions, and what their answers are. Pure values, read from a file by `reading`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from attention_explorer.tools.lessons.expression import Expression

Settings: TypeAlias = Mapping[str, Any]
"""Fields of the state by their dotted names, and what they are set to."""


Labels: TypeAlias = "tuple[str, ...] | Expression"
"""Names that stand in the file, or an expression for the texts of a page, as the tokens of a sentence."""

NAMES = (
    "first-minute",
    "dictionary",
    "soft",
    "hard-and-soft",
    "why-soft",
    "sentence",
    "masks",
    "scaling",
    "several-heads",
    "positions",
    "layer",
    "learned",
    "real",
    "circuit",
    "sinks",
    "recap",
)
"""The lessons that come with the program, in the order in which they are meant to be taken; they count from 0."""


class Kind(StrEnum):
    """What an answer is, which is also how it is given."""

    NUMBER = "number"
    """A number, typed."""
    POINT = "point"
    """A place on the plane."""
    BARS = "bars"
    """A row of numbers, each the length of a bar."""
    CELLS = "cells"
    """Some of a row or of a map, ticked: those of which it is true."""
    TOKEN = "token"  # noqa: S105 # of a sentence
    """One of the tokens."""
    ORDER = "order"
    """Numbers in order, the largest first."""
    CHOICE = "choice"
    """One of several sentences."""


@dataclass(frozen=True, slots=True)
class Option:
    """One of several sentences.

    Attributes
    ----------
    say : str
        The sentence.
    condition : Expression
        Whether it is the right one; asked of the state.
    reply : str
        What is said to somebody who chooses it.
    """

    say: str
    condition: Expression
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is asked for. Which answer is right is computed from the state, never written down.

    Attributes
    ----------
    kind : Kind
        What it is.
    of : Expression or None
        What it comes to; None for a choice.
    within : float
        How far a number, a coordinate or a bar may be off.
    options : tuple of Option
        The sentences of a choice.
    labels : Labels
        What bars, things in order, words or the cells of a row are called; empty for what the window calls them.
    rows : Labels
        What the rows of a map of cells are called.
    low, high : float
        Between which a bar is dragged.
    """

    kind: Kind
    of: Expression | None = None
    within: float = 0.0
    options: tuple[Option, ...] = ()
    labels: Labels = ()
    rows: Labels = ()
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistake that people make, told by what it comes to.

    Attributes
    ----------
    set : mapping
        The fields of the state in which the answer would be right.
    of : Expression or None
        What is asked instead; None for what the question asks.
    say : str
        What is said to somebody who makes it.
    """

    say: str
    set: Settings = field(default_factory=dict)
    of: Expression | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A number that a text says, and what it is.

    Attributes
    ----------
    said : str
        As it stands in the text, without its sign.
    of : Expression
        What it is, rounded to as many digits.
    set : mapping
        The fields of the state in which it is that; none for the state that the step begins with.
    """

    said: str
    of: Expression
    set: Settings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draw:
    """A field that is drawn afresh.

    Attributes
    ----------
    name : str
        The field, by its dotted name.
    values : tuple
        What it may become, one as likely as another.
    """

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: something to do, or a question.

    Attributes
    ----------
    line : int
        Where it begins in its file.
    text : str
        What to do, or the question, in Markdown.
    show : str
        The preset or session file that it begins with; empty to go on from where the step before ended.
    page : str
        The page of the preset, where several have one of its name.
    set : mapping
        Fields that are set after that.
    light : tuple of str
        The controls and pictures that it needs.
    hint : str
        Said when somebody asks for it.
    facts : tuple of Fact
        What the numbers are that its texts say.
    until : Expression or None
        What ends it; None for a question, and for what is only to be read.
    done : mapping
        Fields that *Show me* sets, so that `until` is met.
    answer : Answer or None
        Of a question.
    hide : tuple of Expression
        What must not be seen while the question is open.
    slips : tuple of Slip
        Mistakes that are known.
    right, wrong : str
        What is said after an answer.
    draw : tuple of Draw
        Fields that are drawn afresh, each time the question is asked.
    where : Expression or None
        What must hold of a case that was drawn.
    again : Step or None
        The question that comes in its place on another day; None for the same one.
    """

    line: int
    text: str
    show: str = ""
    page: str = ""
    set: Settings = field(default_factory=dict)
    light: tuple[str, ...] = ()
    hint: str = ""
    facts: tuple[Fact, ...] = ()
    until: Expression | None = None
    done: Settings = field(default_factory=dict)
    answer: Answer | None = None
    hide: tuple[Expression, ...] = ()
    slips: tuple[Slip, ...] = ()
    right: str = ""
    wrong: str = ""
    draw: tuple[Draw, ...] = ()
    where: Expression | None = None
    again: Step | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes
    ----------
    name : str
        That of its file, without the ending.
    title : str
        What it is called.
    minutes : float
        How long it takes.
    after : tuple of str
        The lessons that come before it, by their names.
    learned : str
        What its closing card says.
    steps : tuple of Step
        One at least.
    mark : str
        Of a file, what tells it from others of its name; empty for those of the program.
    edition : int
        Goes up when its steps become others: answers are kept by the numbers of steps, and mean nothing for those.
    about : str
        What it is about, in a sentence or two that tell no answer.
    picture : int
        The step, from 0, whose picture stands for the lesson; nothing of it is hidden.
    letters : str
        A few large letters in place of that picture; empty for the picture.
    """

    name: str
    title: str
    minutes: float
    after: tuple[str, ...]
    learned: str
    steps: tuple[Step, ...]
    mark: str = ""
    edition: int = 1
    about: str = ""
    picture: int = 0
    letters: str = ""

    @property
    def key(self) -> str:
        """What no other lesson is called."""
        return f"{self.name} {self.mark}" if self.mark else self.name
