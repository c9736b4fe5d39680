"""The wish of the Lookup page: one query, some keys with their values, and how to look them up."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, replace
from enum import StrEnum
from typing import Any, Self

from attention_explorer.core.counting import MOST_WISHED, Count, count_declared
from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.numerals import full, plain, subscript
from attention_explorer.core.role import Role
from attention_explorer.core.weighing import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE, temperature_declared
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields, choice
from attention_explorer.pages.lookup.plane import LARGEST_COORDINATE, Extent, Vector
from attention_explorer.pages.lookup.words_state import WordsState
from attention_explorer.pages.preset_lists import preset_declared
from attention_explorer.sources.source import Recipe

# ---- A row of a head ----


@dataclass(frozen=True, slots=True)
class HeadRow(CheckedFields):
    """Names one query of a head, by all that decides the head's numbers.

    It is a reference, not the numbers: the keys that have no name go on counting wherever the query is dragged, and for
    that each of them must be known, which for a long text would be megabytes in every undo step and session file. And
    so no file can hold keys that are not those of its head. `opened_row` finds them.
    """

    recipe: Recipe = declared(
        MISSING, "source", "Where the attention comes from", "Open another source", kind=Kind.REFERENCE
    )
    mask: MaskChoice = declared(MaskChoice, "mask", "Which keys a query may attend to", "Change the mask")
    scaled: bool = declared(True, "÷√d_k", "Whether its scores are divided by √d_k", "Switch ÷√d_k")
    hard: bool = declared(
        False, "lookup", "Whether the best key takes all", "Switch soft and hard", names={"off": "Soft", "on": "Hard"}
    )
    temperature: float = temperature_declared()
    layer: int = declared(0, "layer", "The layer of the head", "Choose another head", high=MOST_WISHED)
    head: int = declared(0, "head", "The head in its layer", "Choose another head", high=MOST_WISHED)
    row: int = declared(0, "row", "The query whose row it is", "Choose another row", high=2**31)
    count: Count = count_declared()


# ---- The state ----


MOST_KEYS = 12
REST = MOST_KEYS
"""The place of the entry that stands for all keys of a row that have no name."""

ROW_IS_FIXED = "These are the keys and values of a head: only q and t move. Choose an example to edit keys."
SCALED_IN_ITS_HEAD = "Whether a head divides by √d_k is set on the Heads page: q is drawn as it is there."
HARD_HAS_NONE = "A hard lookup has no temperature: the highest score takes everything."
LEARNED_DICTIONARY = "learned-dictionary"
"""Stands for a preset where keys and queries were learned on another page."""
LONGEST_TRAIL = LONGEST_DESCENT = 240
"""Past outputs: about as many as a drag right across the plane makes."""

MOST_JUMPS = 1_000_000_000
"""Of the count, so that it can be saved: more than anybody makes."""

_FARTHEST_OUTPUT = 2 * LARGEST_COORDINATE
"""An output is a mean of values, and rounding can carry it past the largest of them by a digit."""

LOWEST_RATE, HIGHEST_RATE = 0.001, 100.0


class ValueKind(StrEnum):
    """Where the values come from."""

    KEYS = "keys"
    VECTORS = "vectors"
    NUMBERS = "numbers"


class LookupView(StrEnum):
    """A picture of the page."""

    PLANE = "plane"
    GRADIENT = "gradient"
    TEMPERATURE = "temperature"
    WORDS = "words"


class Overlay(StrEnum):
    """What can be drawn over the plane, each with its own switch and legend."""

    FIELD = "field"
    TIE = "tie"
    ANGLE = "angle"
    HULL = "hull"
    CHAIN = "chain"
    TRAIL = "trail"
    LIMIT = "limit"
    OTHER = "other mode"
    GRADIENT = "gradient"
    TARGET = "target"


OF_THE_GRADIENT = frozenset({Overlay.GRADIENT, Overlay.TARGET})
"""What the view of the gradient draws, whichever overlays are switched on."""


class DescentSpeed(StrEnum):
    """How fast Play goes downhill."""

    SLOW = "slow"
    STEADY = "steady"
    FULL = "full"

    @property
    def milliseconds(self) -> int:
        """How long a step takes."""
        return {DescentSpeed.SLOW: 500, DescentSpeed.STEADY: 120, DescentSpeed.FULL: 33}[self]


@dataclass(frozen=True, slots=True)
class Part(CheckedFields):
    """One thing on the page that a person can take hold of: the query, the third key, the target."""

    role: Role
    index: int = 0

    @property
    def symbol(self) -> str:
        """q, k₁, v₁ or t; k… and v… of the rest."""
        letter = {Role.QUERY: "q", Role.KEY: "k", Role.VALUE: "v", Role.TARGET: "t"}[self.role]
        if self.role not in (Role.KEY, Role.VALUE):
            return letter
        return letter + ("…" if self.index == REST else subscript(self.index + 1))

    @property
    def name(self) -> str:
        """The words for the undo menu and for screen readers: "query", "key 1"."""
        if self.index == REST:
            return f"{self.role}s of the rest"
        return f"{self.role} {self.index + 1}" if self.role in (Role.KEY, Role.VALUE) else str(self.role)


QUERY = Part(Role.QUERY)
TARGET = Part(Role.TARGET)

_REACH: dict[str, Any] = {"low": -LARGEST_COORDINATE, "high": LARGEST_COORDINATE}
_PLACE: dict[str, Any] = {"kind": Kind.POINT, **_REACH}
# No number depends on these, nor on what is in view. They are left out of the hash, which is taken often and would read
# 240 points. `attention_explorer.pages.lookup.trail` says what they are.
_PAST: dict[str, Any] = {"kind": Kind.HISTORY, "is_hashed": False}


@dataclass(frozen=True, slots=True)
class Entry(CheckedFields):
    """One entry of the soft dictionary: the key that is matched and the value that is delivered.

    ``value`` is used with `ValueKind.VECTORS`, ``number`` with `ValueKind.NUMBERS`; each waits while the other is in
    use. Freed from its key, a ``value`` starts on the key anew.
    """

    key: Vector = declared(MISSING, "key", "The vector that queries are matched with", "Move key", **_PLACE)
    value: Vector = declared(MISSING, "value", "The vector that it delivers", "Move value", **_PLACE)
    number: float = declared(MISSING, "number", "The number that it delivers", "Move value", **_REACH)


@dataclass(frozen=True, slots=True)
class LookupState(CheckedFields):
    """Everything that determines the Lookup page. Small, hashable, immutable; edits return a new one."""

    query: Vector = declared((1.4, 0.6), "q", "The query: what is looked up", "Move query", **_PLACE)
    entries: tuple[Entry, ...] = declared(
        (Entry((2.0, 0.2), (2.0, 0.2), 10.0), Entry((-0.4, 2.0), (-0.4, 2.0), 20.0)),
        "keys",
        "The entries of the soft dictionary: each key with the value that it delivers",
        "Change the keys",
        kind=Kind.LIST,
        fewest=1,
        most=MOST_KEYS,
    )
    values: ValueKind = declared(
        ValueKind.KEYS,
        "values",
        "values = keys: what is matched is what is delivered. Self-attention has W_k for keys and W_v for values,\n"
        "two different matrices, so its values are not its keys.\n"
        "own values: each key delivers a vector of its own (v₁, v₂, …), which you can drag.\n"
        "values are numbers: each key delivers a number, drawn on a number line.",
        "Change the values",
        names={"keys": "values = keys", "vectors": "own values", "numbers": "values are numbers"},
        forbids=lambda state: "" if state.row is None else ROW_IS_FIXED,
    )
    hard: bool = declared(
        False,  # the default
        "lookup",
        "Soft: every key contributes, weighted by softmax of the scores.\n"
        "Hard: the key with the highest score takes everything (arg max).",
        "Switch soft and hard",
        names={"off": "Soft", "on": "Hard"},
    )
    temperature: float = temperature_declared(forbids=lambda state: HARD_HAS_NONE if state.hard else "")
    scaled: bool = declared(
        False,  # the default
        "÷√d_k",
        "Divide every score by √d_k, here √2, as in “Attention Is All You Need”.\n"
        "The weights become more even: that of k₁ on the first screen falls from 90.7 % to 83.4 %.",
        "Switch ÷√d_k",
        forbids=lambda state: "" if state.row is None else SCALED_IN_ITS_HEAD,
    )
    overlays: frozenset[Overlay] = declared(
        frozenset({Overlay.FIELD, Overlay.TIE, Overlay.HULL}),
        "overlays",
        "What is drawn over the plane",
        "Show other overlays",
        is_view=True,
    )
    target: Vector = declared((0.4, 1.4), "t", "A place for the output to reach", "Move target", **_PLACE)
    target_number: float = declared(15.0, "t", "A number for the output to reach", "Move target", **_REACH)
    rate: float = declared(
        0.2,
        "rate",
        "The learning rate: how far a step follows the gradient. Large steps overshoot.",
        "Change rate",
        low=LOWEST_RATE,
        high=HIGHEST_RATE,
    )
    speed: DescentSpeed = declared(
        DescentSpeed.FULL, "speed", "How fast Play goes downhill", "Change speed", is_view=True
    )
    extent: Extent = declared(
        Extent(-3.0, 3.0, -2.0, 2.0), "first view", "The part of the plane that an example begins with", "Move the view"
    )
    preset: str = preset_declared("lookup", "two-keys", LEARNED_DICTIONARY, "")
    """Where the lookup comes from: a preset, or `LEARNED_DICTIONARY`; empty for a row of a head."""
    row: HeadRow | None = declared(
        None,
        "row of a head",
        "The row of a head whose keys and values are looked up, in place of the entries, which wait meanwhile",
        "Pinned row as a lookup",
        kind=Kind.REFERENCE,
    )
    camera: Extent | None = declared(
        None,
        "view",
        "The part of the plane in view; none for the first view, with room around it",
        "Move the view",
        is_view=True,
        is_hashed=False,
    )
    trail: tuple[tuple[float, ...], ...] = declared(
        (),
        "trail",
        "Past outputs, oldest first, each as wide as the values",
        "Clear the trail",
        **_PAST,
        low=-_FARTHEST_OUTPUT,
        high=_FARTHEST_OUTPUT,
        most=LONGEST_TRAIL,
    )
    descent: tuple[Vector, ...] = declared(
        (),
        "descent",
        "The queries that steps downhill have left behind, oldest first",
        "Step downhill",
        **_PAST,
        most=LONGEST_DESCENT,
        **_REACH,
    )
    jumps: int = declared(
        0,
        "jumps",
        "How often the output has jumped since the lookup became hard",
        "Move query",
        **_PAST,
        high=MOST_JUMPS,
    )
    last_jump: float = declared(
        0.0,
        "last jump",
        "How far it jumped the last time, in units of the values; 0 before the first time",
        "Move query",
        **_PAST,
        high=3 * LARGEST_COORDINATE,
    )
    view: LookupView = declared(
        LookupView.PLANE, "view", "Which picture is shown", "Show another picture", is_view=True
    )
    words: WordsState = declared(
        WordsState, "words", "Words as points of two features, and the matrices of a head", "Change the words"
    )

    # ---- Reading ----

    @property
    def keys(self) -> tuple[Vector, ...]:
        """The keys, in order."""
        return tuple(entry.key for entry in self.entries)

    @property
    def value_rows(self) -> tuple[tuple[float, ...], ...]:
        """The values that the lookup delivers: rows of two coordinates, or of one number."""
        if self.values is ValueKind.KEYS:
            return self.keys
        if self.values is ValueKind.VECTORS:
            return tuple(entry.value for entry in self.entries)
        return tuple((entry.number,) for entry in self.entries)

    @property
    def target_row(self) -> tuple[float, ...]:
        """The target in the space of the values."""
        return (self.target_number,) if self.values is ValueKind.NUMBERS else self.target

    def shows(self, overlay: Overlay) -> bool:
        """Return whether an overlay is drawn: it is switched on, or belongs to the view."""
        return overlay in self.overlays or (self.view is LookupView.GRADIENT and overlay in OF_THE_GRADIENT)

    def draws(self, overlay: Overlay) -> bool:
        """Return whether an overlay is switched on and has something to draw: numbers have no hull and no chain."""
        plain_numbers = self.values is ValueKind.NUMBERS and overlay in (Overlay.HULL, Overlay.CHAIN)
        return self.shows(overlay) and not plain_numbers

    def parts(self) -> tuple[Part, ...]:
        """Everything that can be taken hold of at the moment, in Tab order."""
        indices = range(len(self.entries))
        keys = tuple(Part(Role.KEY, i) for i in indices)
        values = () if self.values is ValueKind.KEYS else tuple(Part(Role.VALUE, i) for i in indices)
        return (QUERY, *keys, *values, *((TARGET,) if self.shows(Overlay.TARGET) else ()))

    def position(self, part: Part) -> Vector:
        """Return where a part is; a plain number is a point of the number line (number, 0)."""
        if part.role is Role.QUERY:
            return self.query
        if part.role is Role.TARGET:
            return (self.target_number, 0.0) if self.values is ValueKind.NUMBERS else self.target
        entry = self.entries[part.index]
        if part.role is Role.KEY:
            return entry.key
        return (entry.number, 0.0) if self.values is ValueKind.NUMBERS else entry.value

    def is_fixed(self, part: Part) -> bool:
        """Return whether a part cannot be moved: keys and values of a head are what they are."""
        return self.row is not None and part.role in (Role.KEY, Role.VALUE)

    def on_number_line(self, part: Part) -> bool:
        """Return whether a part is a plain number, drawn on the number line below the plane."""
        return self.values is ValueKind.NUMBERS and part.role in (Role.VALUE, Role.TARGET)

    # ---- Editing ----

    def moved(self, part: Part, to: Vector) -> Self:
        """Return the state with one part at ``to`` (for a plain number, its first coordinate counts)."""
        if self.is_fixed(part):
            raise ExplorerError(ROW_IS_FIXED)
        x, y = (checked_coordinate(part.symbol, number) for number in to)
        if part.role is Role.QUERY:
            return replace(self, query=(x, y))
        if part.role is Role.TARGET:
            return replace(self, target_number=x) if self.on_number_line(part) else replace(self, target=(x, y))
        entry = self.entries[part.index]
        if part.role is Role.KEY:
            return self._with_entry(part.index, replace(entry, key=(x, y)))
        changed = replace(entry, number=x) if self.on_number_line(part) else replace(entry, value=(x, y))
        return self._with_entry(part.index, changed)

    def _with_entry(self, index: int, entry: Entry) -> Self:
        return replace(self, entries=(*self.entries[:index], entry, *self.entries[index + 1 :]))

    def with_key_added(self, at: Vector) -> Self:
        """Return the state with one key more, its value lying on it.

        Raises
        ------
        ExplorerError
            There are twelve keys already, or they are those of a head.
        """
        self._check_free()
        if len(self.entries) >= MOST_KEYS:
            raise ExplorerError(f"There are {MOST_KEYS} keys already. Delete one before adding another.")
        x, y = (checked_coordinate("the new key", number) for number in at)
        return replace(self, entries=(*self.entries, Entry((x, y), (x, y), 10.0 * (len(self.entries) + 1))))

    def with_key_removed(self, index: int) -> Self:
        """Return the state without one key and its value.

        Raises
        ------
        ExplorerError
            It is the last key: a lookup needs something to find. Or the keys are those of a head.
        """
        self._check_free()
        if len(self.entries) == 1:
            raise ExplorerError("A lookup needs at least one key, so the last one stays.")
        return replace(self, entries=self.entries[:index] + self.entries[index + 1 :])

    def _check_free(self) -> None:
        if self.row is not None:
            raise ExplorerError(ROW_IS_FIXED)

    def with_values(self, kind: ValueKind) -> Self:
        """Return the state with values of another kind; freed vectors start on their keys, so nothing jumps."""
        kind = choice("values", kind, ValueKind, ExplorerError)
        if kind is self.values:
            return self
        self._check_free()
        if kind is ValueKind.VECTORS and self.values is ValueKind.KEYS:
            entries = tuple(replace(entry, value=entry.key) for entry in self.entries)
            return replace(self, values=kind, entries=entries)
        return replace(self, values=kind)

    def with_overlay(self, overlay: Overlay, shown: bool) -> Self:
        """Return the state with an overlay switched on or off."""
        overlay = choice("overlay", overlay, Overlay, ExplorerError)
        return replace(self, overlays=self.overlays | {overlay} if shown else self.overlays - {overlay})

    def with_camera(self, camera: Extent | None) -> Self:
        """Return the state with another part of the plane in view, held within what can be drawn; None: the first."""
        return replace(self, camera=None if camera is None else camera.held())

    def seen_as(self, other: Self) -> Self:
        """Return the state with the part of the plane in view, the picture and the past of another."""
        past = {name: getattr(other, name) for name in ("trail", "descent", "jumps", "last_jump")}
        return replace(self, camera=other.camera, view=other.view, **past)

    def without_view(self) -> Self:
        """Return the state as nobody has moved its view or its query yet: what is left is what numbers depend on."""
        is_first = self.camera is None and self.view is LookupView.PLANE
        return (self if is_first else replace(self, camera=None, view=LookupView.PLANE)).without_past()

    def without_past(self) -> Self:
        """Return the state as if its output had always been where it is: no trail, no descent, no jumps counted."""
        has_past = self.trail or self.descent or self.jumps
        return replace(self, trail=(), descent=(), jumps=0, last_jump=0.0) if has_past else self

    def with_temperature(self, temperature: float) -> Self:
        """Return the state at another temperature, held within what the slider reaches."""
        return replace(self, temperature=_held("The temperature", temperature, LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE))

    def with_rate(self, rate: float) -> Self:
        """Return the state with another step size of the descent, held within its range."""
        return replace(self, rate=_held("The rate", rate, LOWEST_RATE, HIGHEST_RATE))


def is_another(old: LookupState, new: LookupState) -> bool:
    """Return whether a change has begun another lookup: a preset, a row of a head, or values of another kind."""
    return new.values is not old.values or new.preset != old.preset or new.row != old.row


def _held(what: str, number: float, low: float, high: float) -> float:
    """Return ``number`` held within its range; NaN, which lies nowhere, is refused in words."""
    if math.isnan(number):
        raise ExplorerError(f"{what} needs a number from {plain(low, 3)} to {plain(high, 0)}.")
    return min(max(number, low), high)


def checked_coordinate(what: str, number: float) -> float:
    """Return ``number`` if it can be a coordinate.

    Raises
    ------
    ExplorerError
        It is not finite or lies further out than a million units.
    """
    if not math.isfinite(number):
        raise ExplorerError(f"{what} needs finite coordinates, not {number}.")
    if abs(number) > LARGEST_COORDINATE:
        raise ExplorerError(f"{what} cannot go to {full(number)}: coordinates reach from −1000000 to 1000000.")
    return number + 0.0  # −0.0 becomes 0.0, which reads better and compares equal
