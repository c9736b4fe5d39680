"""The views of the Lookup page: which picture, which fields stand around it, what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

from attention_explorer.core.declared import is_same_subject
from attention_explorer.core.preset import Preset
from attention_explorer.kit.form import Written
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import LEARNED, PRESETS
from attention_explorer.pages.lookup.state import LookupState, LookupView
from attention_explorer.pages.lookup.trail import changed
from attention_explorer.pages.lookup.ui.pictures import GradientPicture, PlanePicture, WeightsByTemperature
from attention_explorer.pages.lookup.ui.words import WordsPicture
from attention_explorer.pages.lookup.words_plane import words_numbers
from attention_explorer.pages.lookup.words_state import (
    MATRICES,
    WordsHead,
    WordsShown,
    WordsState,
    lexicon_text,
    matrix_text,
    parsed_lexicon,
    parsed_matrix,
)

_MATRICES = tuple(f"words.{name}" for name in MATRICES)
_WRITTEN = {"words.lexicon": Written(lexicon_text, parsed_lexicon)} | dict.fromkeys(
    _MATRICES, Written(matrix_text, parsed_matrix)
)
PART = Part("lookup", LookupState, PRESETS, changed, _WRITTEN, shown_by="view")
_LOOKUPS = tuple(ready for ready in PRESETS if ready.state.view is not LookupView.WORDS)
_SET_BY_WORDS = ("words", "hard", "view", "preset", "row")
_SETTINGS = ("hard", "temperature", "scaled", "values")


class _OfLookup(View[LookupState]):
    """A view of a lookup; its examples leave words alone."""

    def example(self, state: LookupState, others: Iterable[str] = ()) -> Preset[LookupState] | None:
        ready = next((each for each in (*_LOOKUPS, LEARNED) if each.id == state.preset), None)
        # The query is there to be moved.
        is_kept = ready is LEARNED or (
            ready is not None and (state.entries, state.values) == (ready.state.entries, ready.state.values)
        )
        return ready if is_kept else None

    def fields_of_others(self, views: Iterable[View[Any]]) -> tuple[str, ...]:
        return (*(name for name in super().fields_of_others(views) if not name.startswith("words.")), "words")


class _OfWords(View[LookupState]):
    """The view of words; its examples leave the lookup alone, and it needs no row of a head, which may be lost."""

    def example(self, state: LookupState, others: Iterable[str] = ()) -> Preset[LookupState] | None:
        own = [ready for ready in self.presets if ready.id == state.preset] or self.presets
        return next((ready for ready in own if is_same_subject(ready.state.words, state.words)), None)

    def set_elsewhere(self, _state: LookupState, _start: LookupState | None = None) -> str:
        return ""  # its picture shows all that counts

    def fields_of_others(self, views: Iterable[View[Any]]) -> tuple[str, ...]:
        return tuple(part.name for part in fields(LookupState) if part.name not in _SET_BY_WORDS)

    def asked(self, state: LookupState) -> LookupState:
        shown = self.of(state)
        return shown if shown.row is None else replace(shown, row=None)


def views() -> tuple[View[Any], ...]:
    """Return the views, in their order."""
    plane: tuple[Try[LookupState], ...] = (
        Try("Drag q until k₂ weighs most", _has_second_first),
        Try("Put o halfway between two values", _is_halfway),
        Try("Press Hard, drag q until o jumps", lambda state: state.hard and state.jumps > 0, "hard"),
    )
    gradient: tuple[Try[LookupState], ...] = (
        Try("Let q walk until o is on t", _has_arrived),
        Try("Press Hard: the slope is gone", lambda state: state.hard, "hard"),
    )
    temperature: tuple[Try[LookupState], ...] = (
        Try("Make it all but hard", lambda state: max(_weights(state)) > 0.99, "temperature"),
        Try("Make the weights all but even", _is_even, "temperature"),
    )
    drag = "Drag a query and keys: the output blends or snaps"
    down = "How o moves when q moves, and the way of q to a target"
    curves = WeightsByTemperature()
    at_every = "The weights at every temperature"
    return (
        _view(LookupView.PLANE, "Plane", drag, PlanePicture(), "temperature", (), plane),
        # The way downhill has the place of a main quantity.
        _view(LookupView.GRADIENT, "Gradient", down, GradientPicture(), "", ("rate", "speed", "temperature"), gradient),
        _view(LookupView.TEMPERATURE, "Temperature", at_every, curves, "temperature", (), temperature),
        _words(),
    )


def _view(
    view: LookupView,
    title: str,
    tip: str,
    picture: Any,  # noqa: ANN401 # a `Picture` of a lookup
    main: str,
    more: tuple[str, ...],
    tries: tuple[Try[LookupState], ...],
) -> View[LookupState]:
    fitting = tuple(replace(each, fits=_may_change) for each in tries)
    return _OfLookup(
        view, title, tip, PART, view, picture, main, ("hard",), (*more, "values", "scaled"), fitting, _SETTINGS
    )


def _words() -> View[LookupState]:
    tries: tuple[Try[LookupState], ...] = (
        Try("Change “river” to “money”", _is_about_money, "words.sentence", _has_bank),
        Try("Press Two heads", _has_two_now, "words.two", _may_have_two),
        Try("Drag “Tides” up: weights stay", _has_other_tides, "", lambda state: "tides" in _asked(state)),
        Try(
            "Turn W_V: what is handed over?",
            lambda state: [head.w_v for head in state.words.heads] != [head.w_v for head in _began_heads(state)],
        ),
        Try("Make the word stay where it is", _stays, "", _has_bank),
    )
    tries = tuple(replace(each, fits=_where_all_is_shown(each.fits)) for each in tries)
    more = ("two", "second_shown", "shown", "gradients", "asks", "toward", "lexicon", "across", "up")
    return _OfWords(
        LookupView.WORDS,
        "Words",
        "Words as points: what each asks for, is found by and hands over, and where it moves",
        PART,
        LookupView.WORDS,
        WordsPicture(),
        "words.share",
        ("words.sentence", "words.two", "words.second_shown"),
        ("hard", *(f"words.{name}" for name in more), *_MATRICES),
        tries,
        ("words.sentence", "words.asks", "hard", "words.two"),
    )


def view_of(name: LookupView) -> View[Any]:
    """Return a view by its name."""
    return view_named(views(), name)


# ---- Whether something to try is done ----


def _may_change(state: LookupState) -> bool:
    """Whether a lookup is on show that people change, and not the row of a head."""
    return state.row is None


def _weights(state: LookupState) -> list[float]:
    weights: list[float] = [] if state.row is not None else lookup_frame(state).weights.tolist()
    return weights or [0.5]  # of a row of a head, which may not be there, nothing is done


def _has_second_first(state: LookupState) -> bool:
    weights, ready = _weights(state), next((ready for ready in PRESETS if ready.id == state.preset), None)
    is_moved = ready is None or state.query != ready.state.query  # in one example it weighs most already
    return is_moved and len(weights) > 1 and weights[1] == max(weights) and weights.count(weights[1]) == 1


def _is_halfway(state: LookupState) -> bool:
    first, second = sorted((*_weights(state), 0.0))[-2:][::-1]
    return not state.hard and abs(first - 0.5) < 0.02 and abs(second - 0.5) < 0.02


def _began(state: LookupState) -> WordsState:
    """Return the words of the example that a state was begun with."""
    return next((ready.state.words for ready in PRESETS if ready.id == state.preset), WordsState())


def _began_heads(state: LookupState) -> tuple[WordsHead, ...]:
    """Return the heads there are now, as the example had them."""
    return replace(_began(state), two=state.words.two).heads


def _where_all_is_shown(fits: Callable[[LookupState], bool]) -> Callable[[LookupState], bool]:
    """Return where something can be tried on words: not where a part is left out that it names."""
    return lambda state: state.words.shown is WordsShown.ALL and fits(state)


def _asked(state: LookupState) -> list[str]:
    """Return the words of the sentence, in small letters."""
    return [token.casefold() for token in state.words.tokens]


def _has_bank(state: LookupState) -> bool:
    return "bank" in _asked(state)


def _may_have_two(state: LookupState) -> bool:
    return not _began(state).two and "it" in _asked(state)


def _has_two_now(state: LookupState) -> bool:
    return state.words.two and not _began(state).two


def _has_other_tides(state: LookupState) -> bool:
    return state.words.known.get("tides", (0.0, 0.0))[1] != _began(state).known.get("tides", (0.0, 0.0))[1]


def _is_about_money(state: LookupState) -> bool:
    return "money" in _asked(state) and "river" not in _asked(state)


def _stays(state: LookupState) -> bool:
    return float(abs(words_numbers(state).output).max()) < 0.05


def _has_arrived(state: LookupState) -> bool:
    return state.row is None and len(state.descent) > 1 and lookup_frame(state).loss < 1e-6


def _is_even(state: LookupState) -> bool:
    weights = _weights(state)
    return len(weights) > 1 and max(weights) - min(weights) < 0.05
