"""The views of the Heads page: which picture, which fields stand around it, what to try."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from attention_explorer.core.preset import Preset
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.kit.picture import Picture
from attention_explorer.pages.heads.change import changed, reasons_against
from attention_explorer.pages.heads.choices import CHOICES
from attention_explorer.pages.heads.guess import can_hide_words, hidden_words
from attention_explorer.pages.heads.parts import Check
from attention_explorer.pages.heads.presets import HEADS_PRESETS, HIDING, kept_by_hand
from attention_explorer.pages.heads.state import HeadsState, MaskKind
from attention_explorer.pages.heads.state import Picture as Name
from attention_explorer.pages.heads.ui.checks import Checks
from attention_explorer.pages.heads.ui.pictures import AllHeads, HeadLines, HeadMap, HeadsCompared, HeadsMarked
from attention_explorer.pages.heads.ui.row_picture import RowPicture
from attention_explorer.pages.heads.ui.stages import Stages
from attention_explorer.sources.registry import sentence_of, source_of
from attention_explorer.sources.source import Ability

Tries: TypeAlias = tuple[Try[HeadsState], ...]

PART = Part(
    "heads", HeadsState, HEADS_PRESETS, changed, shown_by="view.picture", reasons=reasons_against, choices=CHOICES
)
_SOFTMAX = ("setup.hard", "setup.scaled")
_MASK = ("setup.mask.kind", "mask_size")
_COLOURS = ("view.contrast", "view.colour_map")
_HEADS = ("setup.aggregate", "setup.identity")
_ORDER = ("view.sort", "view.reverse", "view.signed")
_MAP = ("view.stage", "view.value_weighted", "view.hidden", "view.row_sums")
_TEXT = ("whole_words", "view.surprise", "checkpoint")
_EXPERIMENT = (
    *(f"experiment.{name}" for name in ("seed", "precision", "demo", "amount", "constant")),
    "token_changed",
)


class HeadsViewOf(View[HeadsState]):
    """A view of the page: every example can be looked at in each of them."""

    @property
    def presets(self) -> tuple[Preset[HeadsState], ...]:
        return HEADS_PRESETS


def views() -> tuple[View[Any], ...]:
    """Return the views, in their order."""
    more = (*_MASK, *_SOFTMAX, *_HEADS, *_TEXT)
    first: Tries = (
        Try("Hide a word from a model", _guesses, fits=lambda s: _masks(s) and not _guesses(s), example=HIDING),
        Try("Click the eye below a word", lambda state: bool(hidden_words(state)), fits=_guesses),
        Try(
            "Click a token: whom does it ask?",
            lambda state: state.view.row is not None,
            chosen=lambda state: state.view.row,
        ),
        Try("Hide what comes later", lambda state: state.setup.mask.kind is MaskKind.CAUSAL, "setup.mask.kind", _masks),
    )
    typed: Try[HeadsState] = Try("Type another sentence", _is_typed, fits=_types)
    every: Tries = (
        Try("Let heads that look back come first", lambda state: state.view.sort.value == "on previous", "view.sort"),
        Try("Mark two heads with Shift+click", lambda state: len(state.view.marked) > 1),
        Try("Colour heads by what they do", lambda state: state.view.effect, "view.effect", _can_be_asked),
    )
    lines: Tries = (first[1], Try("Draw half of each row", lambda state: state.view.mass <= 0.55, "view.mass"), typed)
    rows: Tries = (Try("Press Play", lambda state: 0 < state.view.step < state.last_step),)
    stages: Tries = (
        Try(
            "Choose a mask: cells go",
            lambda state: state.setup.mask.kind is not MaskKind.NONE,
            "setup.mask.kind",
            _masks,
            chosen=lambda state: state.setup.mask.kind,
        ),
    )
    checks: Tries = (Try("Try four ways to mask", lambda state: state.experiment.check is Check.MASKING),)
    compare: Tries = (Try("Keep a B, then change A", _differs_from_kept, chosen=lambda state: state.setup),)
    return (
        _view(
            Name.HEATMAP,
            "Map",
            "One row per query, one column per key",
            HeadMap(),
            (*more, *_MAP, *_COLOURS, *_ORDER),
            first,
        ),
        _view(
            Name.ALL,
            "All heads",
            "Every head of every layer; click one to see it large",
            AllHeads(),
            ("view.answer", *_ORDER, "view.in_grid", *more, *_COLOURS),
            every,
            ("view.sort", "view.effect"),
        ),
        _view(
            Name.ROW,
            "Row",
            "One query: q · k, ÷ √d, exp, weight, × v, step by step",
            RowPicture(),
            ("view.speed", "setup.temperature", *more),
            rows,
            ("setup.hard",),
            main="view.step",
        ),
        _view(
            Name.LINES,
            "Lines",
            "Queries left, keys right, line width = weight",
            HeadLines(),
            ("view.mass", "setup.temperature", *more, "view.hidden", *_ORDER),
            lines,
            main="view.mass",
        ),
        _view(
            Name.STAGES,
            "Stages",
            "Raw scores → scaled → masked → weights, with the shapes of the whole layer",
            Stages(),
            (*more, *_COLOURS),
            stages,
        ),
        _view(
            Name.COMPARE,
            "Compare",
            "This setup (A) beside one you kept (B), and their signed difference",
            HeadsCompared(),
            (*more, "view.stage", "view.hidden", *_COLOURS, *_ORDER),
            compare,
            (),
        ),
        _view(
            Name.MARKED,
            "Side by side",
            "The marked heads, in the same colours",
            HeadsMarked(),
            (*more, *_MAP[:3], *_COLOURS, *_ORDER),
            every[1:2],
        ),
        _view(
            Name.CHECK,
            "Check",
            "Experiments: shuffle the words, compare S with Sᵀ, four ways to mask",
            Checks(),
            (*_EXPERIMENT, *more),
            checks,
            ("experiment.check", *_EXPERIMENT),
        ),
    )


def _view(
    name: Name,
    title: str,
    tip: str,
    picture: Picture[HeadsState, Any],
    more: tuple[str, ...],
    tries: Tries,
    fields: tuple[str, ...] = _MASK,
    main: str = "setup.temperature",
) -> View[HeadsState]:
    return HeadsViewOf(name, title, tip, PART, name, picture, main, fields, more, tries)


def view_of(name: Name) -> View[Any]:
    """Return a view by its name."""
    return view_named(views(), name)


@cache
def _picture_of(name: Name) -> Picture[HeadsState, Any]:
    return view_of(name).picture


def numbers_of(state: HeadsState, tiles: tuple[int, int]) -> Iterator[object]:
    """Yield the numbers of the view that a state shows, perhaps a part after the other."""
    picture = _picture_of(state.view.picture)
    if picture.stream is None:
        yield picture.compute(state, tiles)
    else:
        yield from (part for _, part in picture.stream(state, tiles) if part is not None)


# ---- Whether something to try is done ----


def _masks(state: HeadsState) -> bool:
    return not source_of(state.setup.recipe).traits.reason_against(Ability.MASKS)


def _differs_from_kept(state: HeadsState) -> bool:
    """Whether somebody has kept a B, and A is no longer that."""
    kept = kept_by_hand(state)
    return kept is not None and kept != state.setup


def _guesses(state: HeadsState) -> bool:
    return can_hide_words(state.setup)


def _can_be_asked(state: HeadsState) -> bool:
    return source_of(state.setup.recipe).can_be_asked


def _types(state: HeadsState) -> bool:
    return not source_of(state.setup.recipe).traits.reason_against(Ability.TYPING)


def _is_typed(state: HeadsState) -> bool:
    ready = next((ready for ready in HEADS_PRESETS if ready.id == state.preset), None)
    return ready is not None and sentence_of(state.setup.recipe) != sentence_of(ready.state.setup.recipe)
