"""What pages show by name, for lessons to ask: numbers, texts and arrays, alone, in groups, or to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.model.arrays import Floats


class ExpressionError(ExplorerError):
    """An expression is none, or names what is not there; the message is the end of a sentence about it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A number, a text or an array that a page shows, and what it is called.

    Attributes
    ----------
    value : float, bool, str, tuple or ndarray
        What it is now.
    name : str or callable
        What the window calls it, before its indices if there are any; or takes them and returns that: α₂.
    """

    value: Any
    name: str | Callable[..., str]

    def called(self, *indices: int) -> str:
        """Return what the window calls it, or the number of it at some indices."""
        return " ".join((self.name, *map(str, indices))) if isinstance(self.name, str) else self.name(*indices)


@dataclass(frozen=True, slots=True)
class Group:
    """What is named by a dot after it: the numbers of a page, or of a row.

    Attributes
    ----------
    members : mapping
        By name, what makes a `Shown`, a `Group` or a `Chooser`; called only for the member that is asked for.
    """

    members: Mapping[str, Callable[[], Member]]

    def member(self, name: str) -> Member:
        """Return a member; an ExpressionError if there is none of this name."""
        if name not in self.members:
            raise ExpressionError(f"there is no {quoted(name)}. {did_you_mean(name, self.members)}")
        return self.members[name]()


@dataclass(frozen=True, slots=True)
class Chooser:
    """What takes a text or a number in brackets, as `row` does, and returns what is chosen by it."""

    choose: Callable[[str | int], Member]


Member: TypeAlias = "Shown | Group | Chooser"
Members: TypeAlias = dict[str, Callable[[], Member]]
"""By name, what makes a member when it is asked for."""


# ---- What several pages name ----


def number_of(indices: tuple[int, ...]) -> str:
    """Return the first index counted from 1, as text; an empty text without indices."""
    return str(indices[0] + 1) if indices else ""


def place_of(tokens: Sequence[str], which: str | int) -> int:
    """Return the row of a token, the first such, or of a number from 0; an ExpressionError if there is none."""
    if isinstance(which, str) and which not in tokens:
        raise ExpressionError(f"there is no token {quoted(which)}. {did_you_mean(which, tokens)}")
    row = tokens.index(which) if isinstance(which, str) else which
    if not 0 <= row < len(tokens):
        raise ExpressionError(f"there is no row {which}: there are {len(tokens)}, from 0")
    return row


def members_of_row(token: str, keys: Sequence[str], weights: Floats) -> Members:
    """Return what there is to ask of a row of weights, (n_k,), of a token."""
    best = int(weights.argmax())
    return {
        "weights": lambda: Shown(
            weights, lambda *i: f"the weight of {token} on {quoted(keys[i[0]])}" if i else f"the row of {token}"
        ),
        "top": lambda: Shown(keys[best], f"the key that {token} attends to most"),
        "top_index": lambda: Shown(best, f"the key that {token} attends to most, from 0"),
        "most": lambda: Shown(weights[best], f"the largest weight of {token}"),
    }
