"""A field that is declared once: what it may be, what it is called, what it does, and what changing it is called.

Forms, the drawer, undo, the ranges of session files, lessons, the search, the manual and the command line read it here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from attention_explorer.core.numerals import coordinate, grouped, readable
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import types_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    S = TypeVar("S", bound=DataclassInstance)


F = TypeVar("F", bound=Callable[..., object])

_KEY = "declaration"
_SPACE = "\N{NO-BREAK SPACE}"
ANY_FINITE = sys.float_info.max


class Kind(StrEnum):
    """What sort of thing a field holds, and so by which control it is set."""

    NUMBER = "number"
    CHOICE = "choice"
    """A member of an enum, one of `Declaration.choices`, or one of the names that are known."""
    SWITCH = "switch"
    SENTENCE = "sentence"
    POINT = "point"
    """A place in the plane."""
    SET = "set"
    LIST = "list"
    REFERENCE = "reference"
    """Names something that is not in the state: a file, a source, a preset, a run of learning."""
    HISTORY = "history"
    """What earlier changes left behind, such as a trail; the program writes it, nobody sets it."""
    DERIVED = "derived"
    """Follows from something else, such as a setting of the window; nobody sets it here."""
    PART = "part"
    """A dataclass with fields of its own."""


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
    kind : Kind or None
        What sort of thing it holds; None where its type says so, see `kind_of`.
    is_view : bool
        Whether it is only a way of looking, which alters no number: Back sets it back, and not Undo.
    low, high : float
        The range of its numbers, ends included, at any depth of a list.
    stops : tuple of float
        The numbers that arrow keys and the slider go through; empty for every whole number.
    names : tuple of (str, str)
        What the values of a choice are called, by their texts; those of a switch are "off" and "on".
    fewest, most : int
        How many items its list may have.
    offers : tuple of object, or callable
        What it may be, if it is not any text or number, and no enum says so; or () -> that, where it is known later.
    known : callable or None
        () -> the names there are. A name in a file that is not among them is taken for the default, with a warning.
    has_words : bool
        Whether a text must hold at least one token: something that asks and is attended to.
    shown : callable or None
        (state) -> whether it does anything there; its control is not shown otherwise. None: everywhere.
    forbids : callable or None
        (state) -> why it cannot be set there, in a sentence, or an empty text. None: never.
    ends : callable or None
        (state) -> the ends of its range there, where other fields decide how far it reaches. None: low and high.
    merge : str
        Changes with the same word, soon after one another, are one step; the name of the field if empty, of a number.
    term : str
        What the glossary calls it; empty if it has no such word.
    """

    label: str
    tip: str
    undo: str
    kind: Kind | None = None
    is_view: bool = False
    low: float = 0.0
    high: float = ANY_FINITE
    stops: tuple[float, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    fewest: int = 0
    most: int = sys.maxsize
    offers: tuple[object, ...] | Callable[[], tuple[object, ...]] = ()
    known: Callable[[], tuple[str, ...]] | None = None
    has_words: bool = False
    shown: Callable[[Any], bool] | None = None
    forbids: Callable[[Any], str] | None = None
    ends: Callable[[Any], tuple[float, float]] | None = None
    merge: str = ""
    term: str = ""

    @property
    def choices(self) -> tuple[object, ...]:
        """What it may be; empty for any text or number, and where an enum says so."""
        return self.offers() if callable(self.offers) else self.offers

    def called(self, value: str) -> str:
        """Return what a value of a choice is called: its own text, unless it has a name."""
        return dict(self.names).get(value, value)

    def is_shown(self, state: object) -> bool:
        """Whether the field does anything in a state."""
        return self.shown is None or self.shown(state)

    def range_in(self, state: object) -> tuple[float, float]:
        """Return the ends of its range in a state."""
        return (self.low, self.high) if self.ends is None else self.ends(state)

    def reason_against(self, state: object) -> str:
        """Return why the field cannot be set in a state; empty if it can."""
        return "" if self.forbids is None else self.forbids(state)


def declared(
    default: Any,  # noqa: ANN401 # of the type of its field; a function without arguments makes a new one each time
    label: str,
    tip: str,
    undo: str,
    *,
    choices: tuple[object, ...] | Callable[[], tuple[object, ...]] = (),
    stops: Sequence[float] = (),
    names: Mapping[str, str] | None = None,
    is_hashed: bool = True,
    is_compared: bool = True,
    **said: Any,  # noqa: ANN401 # the rest of `Declaration`
) -> Any:  # noqa: ANN401 # takes the place of the default, as `dataclasses.field` does
    """Return a field of a dataclass with its default and all that is said of it; see `Declaration`.

    The default may be a function that makes one, or `MISSING`, which is the name of `dataclasses` for none.
    """
    found = Declaration(
        label, tip, undo, offers=choices, stops=tuple(stops), names=tuple((names or {}).items()), **said
    )
    made: Any = {"default_factory": default} if callable(default) else {"default": default}
    return field(**made, hash=None if is_hashed else False, compare=is_compared, metadata={_KEY: found})


def derived(label: str, tip: str, undo: str, **said: Any) -> Callable[[F], F]:  # noqa: ANN401 # as for `declared`
    """Say of the function of a property what `declared` says of a field.

    It follows from fields, so it is in no file. A form shows it beside them; setting it changes those it follows from.
    """

    def say(function: F) -> F:
        setattr(function, _KEY, Declaration(label, tip, undo, **said))
        return function

    return say


def declarations(kind: type[DataclassInstance]) -> dict[str, Declaration]:
    """Return what is said of the fields of a class, by their names; of those of which something is said."""
    return {part.name: part.metadata[_KEY] for part in fields(kind) if _KEY in part.metadata}


def class_with(kind: type[DataclassInstance], name: str) -> tuple[type[DataclassInstance], str]:
    """Return for a dotted name, such as "bench.factor", the class that declares it, and its name there."""
    for part in name.split(".")[:-1]:
        kind = _part_of(types_of(kind)[part])
    return kind, name.rpartition(".")[2]


def _part_of(hint: object) -> Any:  # noqa: ANN401 # a class of which there are fields
    return next(each for each in (*get_args(hint), hint) if hasattr(each, "__dataclass_fields__"))


def declaration_of(kind: type[DataclassInstance], name: str) -> Declaration:
    """Return what is said of a field, or of what is `derived` from fields, by its dotted name."""
    return _declaration_of(kind, name)


@cache
def _declaration_of(kind: type[DataclassInstance], name: str) -> Declaration:
    owner, own = class_with(kind, name)
    found: Declaration = getattr(_derives(owner, own), _KEY, None) or declarations(owner)[own]
    return found


def reasons_of(kind: type[DataclassInstance], state: object, names: Iterable[str]) -> dict[str, str]:
    """Return for each of some fields why it cannot be set in a state, as it says itself; empty if it can."""
    return {name: declaration_of(kind, name).reason_against(state) for name in names}


def is_derived(kind: type[DataclassInstance], name: str) -> bool:
    """Whether a dotted name is that of what follows from fields, and not of one."""
    return _derives(*class_with(kind, name)) is not None


def hint_of(kind: type[DataclassInstance], name: str) -> Any:  # noqa: ANN401 # a type, or a union of some
    """Return the type of a field, or of what is derived from fields, by its dotted name."""
    owner, own = class_with(kind, name)
    function = _derives(owner, own)
    return types_of(owner)[own] if function is None else get_type_hints(function)["return"]


def _derives(kind: type[DataclassInstance], name: str) -> Callable[..., object] | None:
    """Return the function of a property; None for a field."""
    found = getattr(kind, name, None)
    return found.fget if isinstance(found, property) else None


def usual_of(kind: type[DataclassInstance], name: str) -> Any:  # noqa: ANN401 # of the type of its field
    """Return the default of a declared field, by its dotted name; None if it has none."""
    owner, own = class_with(kind, name)
    default = next((part.default for part in fields(owner) if part.name == own), None)
    return None if default is MISSING else default


def value_of(state: object, name: str) -> Any:  # noqa: ANN401 # of the type of its field
    """Return what a field holds, by its dotted name."""
    for part in name.split("."):
        state = getattr(state, part)
    return state


def with_value(state: S, name: str, value: object) -> S:
    """Return a state with another value in a field, by its dotted name."""
    first, _, rest = name.partition(".")
    inner = with_value(getattr(state, first), rest, value) if rest else value
    return replace(state, **{first: inner})


def undo_of_reset(said: Declaration) -> str:
    """Return what putting a field back is called in the undo menu: "Reset number of layers"."""
    what = said.undo.partition(" ")[2].removeprefix("the ")
    return f"Reset {what or said.label}"


def said_of(state: DataclassInstance, name: str, text: Callable[[Any], str] = str) -> str:
    """Return a field with what it holds, as captions say it: "d_k = 64", "entries: normal", "no residual".

    ``text`` writes a list. A line is not broken within it. There are no words for a set, a part, or what is not given.
    """
    said, value, kind = declaration_of(type(state), name), value_of(state, name), kind_of(type(state), name)
    if kind is Kind.NUMBER:
        return f"{said.label}{_SPACE}={_SPACE}{grouped(value) if isinstance(value, int) else readable(value)}"
    if kind is Kind.POINT:
        return f"{said.label}{_SPACE}={_SPACE}({f',{_SPACE}'.join(map(coordinate, value))})"
    if kind is Kind.SWITCH:
        return dict(said.names).get("on" if value else "off", said.label if value else f"no{_SPACE}{said.label}")
    if kind is Kind.SENTENCE:
        return f"{said.label}: “{value}”"
    return f"{said.label}:{_SPACE}{text(value) if kind is Kind.LIST else said.called(str(value))}"


def kind_of(kind: type[DataclassInstance], name: str) -> Kind:
    """Return what sort of thing a declared field holds: as it says itself, or as its type says.

    Raises
    ------
    ExplorerError
        Its type does not say, and neither does the declaration.
    """
    said, hint = declaration_of(kind, name), hint_of(kind, name)
    if said.kind is not None:
        return said.kind
    if said.offers:
        return Kind.CHOICE
    hints = [each for each in get_args(hint) if each is not type(None)] if _is_union(hint) else [hint]
    for plain, found in _KINDS.items():
        if hints == [plain]:
            return found
    if len(hints) == 1 and isinstance(hints[0], type) and issubclass(hints[0], StrEnum):
        return Kind.CHOICE
    if len(hints) == 1 and get_origin(hints[0]) is frozenset:
        return Kind.SET
    if all(hasattr(each, "__dataclass_fields__") for each in hints):
        return Kind.PART
    raise ExplorerError(f"{kind.__name__}.{name} has to say of which kind it is.")


_KINDS: Mapping[type, Kind] = {
    bool: Kind.SWITCH,
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    str: Kind.SENTENCE,
}


def _is_union(hint: object) -> bool:
    return get_origin(hint) in (Union, UnionType)


def ranges(kind: type[DataclassInstance]) -> dict[str, tuple[float, float]]:
    """Return the ranges of the numbers among the declared fields of a class."""
    hints = types_of(kind)
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


# ---- Subject and view ----
# What a state is about, and how it is looked at: the two sorts of fields, told apart by `Declaration.is_view`.


T = TypeVar("T")


def is_same_subject(a: object, b: object) -> bool:
    """Return whether two states are about the same."""
    if a is b:
        return True
    if type(a) is not type(b) or not is_dataclass(a):
        return a == b
    views = _views(type(a))  # type: ignore[arg-type] # a class has a hash
    names = (part.name for part in fields(a) if part.name not in views)
    return all(is_same_subject(getattr(a, name), getattr(b, name)) for name in names)


def with_subject_of(state: T, other: T) -> T:
    """Return ``state`` with all that ``other`` is about, looked at as before.

    Where the two hold parts of different classes that of ``other`` is taken whole: a view of one is none of the other.

    Raises
    ------
    ExplorerError
        The two do not go together.
    """
    return with_step(state, other, other)


def with_view_of(state: T, other: T) -> T:
    """Return ``state`` looked at as ``other`` is; the counterpart of `with_subject_of`."""
    return with_subject_of(other, state)


def with_step(state: T, old: T, new: T) -> T:
    """Return ``state``, which is about the same as ``old``, with what a step from that to ``new`` changes.

    Of the view that is only what nobody has changed since; of the subject all of it. The rest is as `with_subject_of`.
    """
    if state is new:
        return state
    if not is_dataclass(state) or not type(state) is type(old) is type(new):
        return new
    views = _views(type(state))  # type: ignore[arg-type]
    changes = {}
    for name in (part.name for part in fields(state)):
        mine, before, after = (getattr(each, name) for each in (state, old, new))
        if name not in views:
            changes[name] = with_step(mine, before, after)
        elif mine == before:
            changes[name] = after
    changes = {name: value for name, value in changes.items() if value is not getattr(state, name)}
    return cast("T", replace(cast("Any", state), **changes)) if changes else state


@cache
def _views(kind: type) -> frozenset[str]:
    """Return the names of the fields of a class that are only a view."""
    return frozenset(name for name, said in declarations(cast("Any", kind)).items() if said.is_view)
