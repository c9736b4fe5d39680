"""What a page says of one of its views: its picture, and which fields stand where around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from attention_explorer.core.declared import (
    declaration_of,
    declarations,
    is_derived,
    is_same_subject,
    reasons_of,
    said_of,
    value_of,
    with_value,
)
from attention_explorer.core.numbers_export import Numbers, numbers_of
from attention_explorer.core.preset import Preset
from attention_explorer.errors import ExportError
from attention_explorer.kit.form import Form, Written
from attention_explorer.kit.items.item import Arrays
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.theme import Look

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class Try(Generic[S]):
    """Something to try, which is ticked once somebody has done it: what an example opens with counts for nothing.

    Attributes
    ----------
    words : str
        What to do, in a few words.
    is_done : callable
        (state) -> whether it is. Where an example opens with it done, it is not offered.
    light : str
        The field whose control does it; empty for the picture.
    example : str
        The id of the example that a click opens instead; empty for none.
    fits : callable
        (state) -> whether it can be done there at all; it is not offered otherwise.
    chosen : callable or None
        (state) -> what is chosen by doing it, where an example may open with some choice: another one has to be made.
    """

    words: str
    is_done: Callable[[S], bool] = lambda _state: True
    light: str = ""
    fits: Callable[[S], bool] = lambda _state: True
    example: str = ""
    chosen: Callable[[S], object] | None = None

    def is_offered(self, state: S, opened: S) -> bool:
        """Whether it can be done in a state, and was not done in the one with which its example opened."""
        return self.fits(state) and (self.chosen is not None or not self.is_done(opened))

    def is_ticked(self, state: S, opened: S) -> bool:
        """Whether it is done in a state, and by what was done since its example opened."""
        if not self.is_done(state):
            return False
        return not self.is_done(opened) if self.chosen is None else self.chosen(state) != self.chosen(opened)


@dataclass(frozen=True, slots=True)
class Part(Generic[S]):
    """A part of the window's state, as the views that show it need it.

    Attributes
    ----------
    name : str
        The field of the window's state.
    kind : type
        Its class.
    presets : tuple of Preset
        Its ready-made states.
    change : callable
        (state, field, value) -> the state with a field changed, which may change others.
    written : mapping
        How fields are typed that are neither numbers nor sentences.
    choices : mapping
        By field (value, title, tip) of each value, where they have words of their own.
    shown_by : str
        Its field that says which of its views is on show, by its dotted name.
    together : tuple of str
        Fields that make sense together alone: an example that sets one of them sets all.
    reasons : callable
        (state) -> by field why it cannot be set there, where the field does not say so itself.
    """

    name: str
    kind: type[S]
    presets: tuple[Preset[S], ...]
    change: Callable[[S, str, Any], S] = with_value
    written: Mapping[str, Written] = field(default_factory=dict)
    shown_by: str = "picture"
    together: tuple[str, ...] = ()
    reasons: Callable[[S], Mapping[str, str]] = lambda _state: {}
    choices: Mapping[str, Sequence[tuple[object, str, str]]] = field(default_factory=dict)

    def form(self, names: Iterable[str], look: Look, **laid_out: Any) -> Form[S]:  # noqa: ANN401 # as `Form` has them
        """Return controls for some of its fields."""
        return Form(
            self.kind,
            names,
            look,
            self.change,
            written=self.written,
            choices=self.choices,
            reasons_against=self.reasons_against,
            **laid_out,
        )

    def reasons_against(self, state: S, names: Iterable[str]) -> dict[str, str]:
        """Return for each of some fields why it cannot be set in a state; empty if it can."""
        given = self.reasons(state)
        return {name: given.get(name, "") or reason for name, reason in reasons_of(self.kind, state, names).items()}

    def reason_against_change(self, old: S, new: S) -> str:
        """Return why a drag or a click cannot make the one of the other; empty if it can."""
        names = {**declarations(self.kind), **self.reasons(old)}
        changed = [name for name in names if value_of(old, name) != value_of(new, name)]
        return next(filter(None, self.reasons_against(old, changed).values()), "")


@dataclass(frozen=True, slots=True)
class View(Generic[S]):
    """One picture of a page with what stands around it; fields are named by their dotted names in the part.

    Attributes
    ----------
    id : StrEnum
        Its name in the state.
    title, tip : str
        What its button says, and what it shows in a sentence.
    part : Part
        What of the state it shows.
    shown : StrEnum
        The value that stands for it in the field of the part that says which view is on show.
    picture : Picture
        The picture.
    main : str
        The main quantity, a slider below the picture.
    fields : tuple of str
        The few controls that are always there.
    more : tuple of str
        All others, in the drawer.
    tries : tuple of Try
        One to three things to try.
    made_with : tuple of str
        The fields that decide the numbers, if those in the drawer do not.
    """

    id: StrEnum
    title: str
    tip: str
    part: Part[S]
    shown: StrEnum
    picture: Picture[S, Any]
    main: str
    fields: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    tries: tuple[Try[S], ...] = ()
    made_with: tuple[str, ...] = ()

    def of(self, state: S) -> S:
        """Return the state of the part as this view shows it."""
        return state if self.shows(state) else with_value(state, self.part.shown_by, self.shown)

    def shows(self, state: Any) -> bool:  # noqa: ANN401 # a state of the part, whose class has the field
        """Whether a state of the part is as this view shows it."""
        return bool(value_of(state, self.part.shown_by) == self.shown)

    @property
    def presets(self) -> tuple[Preset[S], ...]:
        """The presets that are made for this view."""
        return tuple(ready for ready in self.part.presets if self.shows(ready.state))

    @property
    def names(self) -> frozenset[str]:
        """The fields that are set in this view."""
        found = frozenset((*self.fields, *self.more, *filter(None, (self.main,))))
        return found.union(self.part.together) if found.intersection(self.part.together) else found

    def fields_of_others(self, views: Iterable[View[Any]]) -> tuple[str, ...]:
        """Return the fields of its part that others of ``views`` set and it does not; its examples leave them alone."""
        found = {name for other in views if other.part is self.part for name in other.names} - self.names
        return tuple(sorted(name for name in found if not is_derived(self.part.kind, name)))

    def asked(self, state: S) -> S:
        """Return what its picture is computed of: a state of the part, without what the picture does not need."""
        return self.of(state)

    def example(self, state: S, others: Iterable[str] = ()) -> Preset[S] | None:
        """Return the preset that a state is still that of, save in fields of other views, however it is looked at."""
        ready = next((ready for ready in self.part.presets if ready.id == state.preset), None)  # type: ignore[attr-defined]
        return ready if ready is not None and is_same_subject(state, loaded(state, ready, others)) else None

    def opened(self, state: S, others: Iterable[str] = ()) -> S:
        """Return with what the preset of a state opened here, or the page, save in fields of other views."""
        ready = next((ready for ready in self.part.presets if ready.id == state.preset), None)  # type: ignore[attr-defined]
        return self.of(self.part.kind() if ready is None else loaded(state, ready, others))

    def settings(self, state: S) -> str:
        """Return what the numbers of a state were made with, in a line."""
        return " · ".join(
            (*self._said(state, self._decisive(state, self.made_with or self.more)), *self.picture.made_of(state))
        )

    def set_elsewhere(self, state: S, start: S | None = None) -> str:
        """Return what counts here and is not as it starts, of what is not set beside the picture, in a line."""
        start, beside = self.of(self.part.kind() if start is None else start), (*self.fields, self.main)
        begun = {
            name: value_of(start, name) for name in self._decisive(start, self.more)
        }  # without those that do nothing there
        others = (name for name in self._decisive(state, self.more) if name not in beside)
        return " · ".join(self._said(state, (name for name in others if begun.get(name) != value_of(state, name))))

    def _decisive(self, state: S, names: Iterable[str]) -> Iterator[str]:
        said = ((name, declaration_of(self.part.kind, name)) for name in names)
        return (name for name, each in said if not each.is_view and each.is_shown(state))

    def _said(self, state: S, names: Iterable[str]) -> Iterator[str]:
        written = self.part.written
        said = (name for name in names if name not in written or value_of(state, name))  # an empty line says nothing
        return (said_of(state, name, written[name].text if name in written else str) for name in said)

    def numbers(self, state: S, numbers: Any, arrays: Arrays) -> Numbers:  # noqa: ANN401 # of the picture
        """Return what is written to files of numbers.

        Raises
        ------
        ExportError
            There are none; the message says why.
        """
        reason = self.picture.reason(numbers)
        if reason:
            raise ExportError(f"There are no numbers to export. {reason}")
        what = f"{self.picture.headline(numbers)} {self.settings(state)}"
        said = declarations(self.part.kind)
        settings = {
            name: _in_order(value)
            for name, value in asdict(state).items()
            if name != "preset" and (name not in said or said[name].is_shown(state))
        }
        told = {"what": what, "picture": self.shown.value, "settings": settings, **self.picture.told(numbers)}
        if self.picture.axes:
            told["axes"] = self.picture.axes
        lines = self.picture.lines
        return numbers_of(arrays, told, None if lines is None else lambda _arrays: lines(numbers))


def view_named(views: Iterable[View[Any]], name: object) -> View[Any]:
    """Return one of some views by its name in the state."""
    return next(view for view in views if view.id == name)


def loaded(state: S, ready: Preset[S], others: Iterable[str]) -> S:
    """Return the state of a preset with some fields as another state has them."""
    return _with_fields_of(ready.state, state, others)


def _with_fields_of(found: S, state: S, names: Iterable[str]) -> S:
    taken: dict[str, Any] = {}
    inner: dict[str, list[str]] = {}
    for name in names:
        first, _, rest = name.partition(".")
        if rest:
            inner.setdefault(first, []).append(rest)
        else:
            taken[first] = getattr(state, first)
    for first, rests in inner.items():
        taken[first] = _with_fields_of(getattr(found, first), getattr(state, first), rests)
    return replace(found, **taken)


def _in_order(value: Any) -> Any:  # noqa: ANN401 # of a state
    """Return a value with lists in the place of sets, which files of numbers cannot hold."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {name: _in_order(each) for name, each in value.items()}
    return tuple(map(_in_order, value)) if isinstance(value, tuple | list) else value
