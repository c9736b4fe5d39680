"""A field that is declared once: what it may be, what it is called, what it does, and what changing it is called.

Forms, the ranges of session files, undo labels and the command line read it here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from attention_explorer.errors import ExplorerError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_KEY = "declaration"


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is said of a field.

    Attributes
    ----------
    label : str
        What stands beside its control, or on it: "layers".
    tip : str
        What it does, in a sentence.
    undo : str
        What changing it is called in the undo menu: "Change the layers".
    low, high : float
        The range of a number, ends included.
    stops : tuple of float
        The numbers that arrow keys go through; empty for every whole number.
    names : tuple of (str, str)
        What the values of a choice are called, by their texts; those of a switch are "off" and "on".
    """

    label: str
    tip: str
    undo: str
    low: float = 0.0
    high: float = 0.0
    stops: tuple[float, ...] = ()
    names: tuple[tuple[str, str], ...] = ()

    def called(self, value: str) -> str:
        """Return what a value of a choice is called: its own text, unless it has a name."""
        return dict(self.names).get(value, value)


def declared(
    default: Any,  # noqa: ANN401 # of the type of its field
    label: str,
    tip: str,
    undo: str,
    *,
    low: float = 0.0,
    high: float = 0.0,
    stops: Sequence[float] = (),
    names: Mapping[str, str] | None = None,
) -> Any:  # noqa: ANN401 # takes the place of the default, as `dataclasses.field` does
    """Return a field of a dataclass with its default and all that is said of it; see `Declaration`."""
    found = Declaration(label, tip, undo, low, high, tuple(stops), tuple((names or {}).items()))
    return field(default=default, metadata={_KEY: found})


def declarations(kind: type[DataclassInstance]) -> dict[str, Declaration]:
    """Return what is said of the fields of a class, by their names; of those of which something is said."""
    return {part.name: part.metadata[_KEY] for part in fields(kind) if _KEY in part.metadata}


def ranges(kind: type[DataclassInstance]) -> dict[str, tuple[float, float]]:
    """Return the ranges of the numbers among the declared fields of a class."""
    hints = get_type_hints(kind)
    return {name: (found.low, found.high) for name, found in declarations(kind).items() if hints[name] in (int, float)}


def check_range(kind: type[DataclassInstance], name: str, number: float) -> None:
    """Refuse a number beyond the range of its field.

    Raises
    ------
    ExplorerError
        The message names the field, the number and the range.
    """
    found = declarations(kind)[name]
    if not found.low <= number <= found.high:
        given = str(number) if isinstance(number, int) else f"{number:g}"
        raise ExplorerError(f"{name} must be from {found.low:g} to {found.high:g}, not {given}.")
