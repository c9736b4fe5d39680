"""From a state to what is drawn: at once where that is quick, else on a worker, the old picture staying meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt

from attention_explorer.core.counting import Count, refusals_counted
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.kit.pictures.request import is_resized
from attention_explorer.model.checkpoint import watched
from attention_explorer.pages.heads.checks import is_quick as are_checks_quick
from attention_explorer.pages.heads.frame import HeadsFrame, blocks, frame_to_show, head_name, is_quick, operations
from attention_explorer.pages.heads.head_difference import (
    Measured,
    are_known,
    compared,
    effect_words,
    effects,
    frame_of_b,
    question_of,
    with_effects,
)
from attention_explorer.pages.heads.parts import Experiment
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.state import LAST_STEP, HeadsState, HeadsView, Picture, RowSpeed, SortBy
from attention_explorer.pages.heads.survey import HeadSurvey, coming, head_survey, not_computed, survey_heads
from attention_explorer.pages.heads.verdict import Verdict, verdict
from attention_explorer.session.jobs import Deliver, Report, Work, stoppable
from attention_explorer.session.requests import Requests
from attention_explorer.session.threads import side_by_side
from attention_explorer.sources.circuits.asking import Question
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.registry import source_of

DELIVERY_INTERVAL_SECONDS = 0.05
"""Heads are handed over about 20 times a second, as many as there are: one by one they would crowd the window."""
FIRST_DELIVERY_SECONDS = 0.15
"""What is done sooner comes in one piece: the window has the large picture to paint meanwhile."""

PAINTING_SECONDS = 0.03
"""How long the heads of the wall wait for the large picture to be painted, at the most."""

AFTER_PAINTING = Qt.EventPriority.LowEventPriority.value - 1
"""The priority of an event that comes after a paint event that waits: a timer may come before it, whatever its time."""

FEW_OPERATIONS = 1e9
"""Multiplications that take less than about a second: of a setup with no more, all heads are surveyed at once."""

MAPS_SHARE = 0.1
"""How much of the work the maps are, where every head is switched off too."""

CELLS_OF_A_LARGE_MAP = 2**16
"""From so many weights on, a head takes most of its time in arithmetic that does not hold up Python."""

CELLS_OF_A_LONG_MAP = 2**24
"""Weights of more than 4096 tokens: one head takes seconds, and nobody is to wait for it."""

Place: TypeAlias = tuple[int, int]
"""Layer and head."""


@dataclass(frozen=True, slots=True)
class NoPicture:
    """Stands for a large picture that cannot be made, of numbers that are no weights."""

    reason: str
    """What is wrong with them."""


Part: TypeAlias = HeadsFrame | NoPicture | Verdict | Measured | tuple[HeadSurvey, ...] | Any
"""What is delivered, one after the other: the frame, numbers of the picture, what is said of it, the heads so far."""

CHANGES_NOTHING = (Picture.HEATMAP, Picture.ALL, Picture.LINES, Picture.COMPARE, Picture.MARKED)
"""The views whose numbers are the same whatever is pinned."""


@dataclass(frozen=True, slots=True)
class HeadsRequest:
    """All that the page's pictures depend on: the state, and the pixels there are for the large picture."""

    state: HeadsState
    tiles: tuple[int, int]
    layers: tuple[int, ...] = (0,)
    """Whose heads are surveyed for the wall, in this order."""
    compares_heads: bool = False
    """Whether each is compared with B."""
    question: Question | None = None
    """The answer for which each is switched off."""

    @classmethod
    def of(cls, heads: HeadsState, tiles: tuple[int, int], in_view: frozenset[int] = frozenset()) -> HeadsRequest:
        """Return the request for a state; what does not alter the numbers or the colours is left out.

        Of a model that takes long, layers are run up to the one on show and those ``in_view`` on the wall.
        """
        compares_heads = heads.view.compares_heads
        other = other_setup(heads) if heads.view.picture is Picture.COMPARE or compares_heads else None
        # Stages and comparisons show whole maps, whatever part is in view.
        window = heads.view.window if heads.view.picture in (Picture.HEATMAP, Picture.LINES) else None
        marked = heads.view.marked if heads.view.picture is Picture.MARKED else frozenset()
        view = replace(heads.view, window=window, effect=False, answer="").arranged_as(HeadsView(marked=marked))
        if heads.view.picture in CHANGES_NOTHING:
            view = replace(view, row=None, column=None, step=LAST_STEP, speed=RowSpeed.STEADY)
        experiment = heads.experiment if heads.view.picture is Picture.CHECK else Experiment()
        heads_asked = HeadsState(heads.setup, view, other, preset="", experiment=experiment)
        return cls(heads_asked, tiles, _layers_looked_at(heads, in_view), compares_heads, question_of(heads))


def _layers_looked_at(heads: HeadsState, in_view: frozenset[int]) -> tuple[int, ...]:
    """Return the layers that somebody looks at: the one on show first, and all of them where that is quick."""
    source = source_of(heads.setup.recipe)
    if not source.is_open:
        return (heads.setup.layer,)  # how many there are is known once it is open
    count = len(source.heads)
    shown = min(heads.setup.layer, count - 1)
    view = heads.view
    looks_at_all = view.sort is not SortBy.NUMBER or view.threshold is not None or view.effect
    needs_all = looks_at_all or operations(heads.setup) <= FEW_OPERATIONS
    others = [layer for layer in range(count) if layer != shown and (needs_all or layer in in_view)]
    return shown, *others


class HeadsLoader(Requests[HeadsRequest]):
    """Computes what a request needs and delivers it in parts, the large picture before all that it can do without."""

    def __init__(self, parent: QObject, compute: Callable[[HeadsState, tuple[int, int]], Iterator[object]]) -> None:
        """``compute`` yields the numbers of the view that a state shows, perhaps a part after the other."""
        self._numbers = compute
        super().__init__(
            parent,
            streams=lambda _request, part: isinstance(part, tuple),
            akin=lambda shown, wanted: shown.state.setup.recipe.whose == wanted.state.setup.recipe.whose,
            resized=is_resized,
        )
        self._surveyed: tuple[Sequence[Layer], Count, dict[Place, HeadSurvey]] = (), Count.FROM_ONE, {}
        self._differing: tuple[object, dict[HeadSurvey, HeadSurvey]] = None, {}
        self._painted = threading.Event()
        self.delivered.connect(self._on_shown)

    def load(self, request: HeadsRequest, *, only_aside: bool = False) -> bool:
        """Ask for a request, the newest one wins; return whether it was computed at once, unless that is not wanted."""
        is_quick = _is_quick(request.state) and (request.question is None or are_known(request.question))
        if is_quick and only_aside:
            return False
        return self.want(request, self.work_for(request), at_once=is_quick)

    # ---- The work ----

    def _parts(self, request: HeadsRequest, progress: _Progress) -> Iterator[Part]:
        frame = frame_to_show(request.state.setup)
        refused: ArrayError | None = None
        progress.has_frame()
        yield frame
        self._painted.clear()
        try:
            yield from self._numbers(request.state, request.tiles)
        except ArrayError as error:  # of this head: the others are still to be chosen from
            yield _no_picture(request, error)
            refused = error
        if request.state.view.picture is not Picture.ALL:  # there nothing large is painted, and nobody reads this
            self._let_paint()
            try:
                yield verdict(frame)
            except ArrayError as error:
                refused = error
                yield _no_picture(request, error)
        progress.has_picture()
        for heads in self._walls(frame, request):
            yield heads
        if request.question is not None:
            yield from _measured(request.question, frame, heads, progress)
        if refused is not None:
            raise refused

    def _let_paint(self) -> None:
        """Have the worker wait for a moment while the large picture is painted: each would hold up the other."""
        if threading.current_thread() is not threading.main_thread():
            self._painted.wait(PAINTING_SECONDS)

    def _on_shown(self, _request: HeadsRequest, part: Part) -> None:
        if not isinstance(part, HeadsFrame | Verdict | tuple):
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), AFTER_PAINTING)

    def customEvent(self, _event: QEvent) -> None:
        """Let the worker go on: the large picture is painted."""
        self._painted.set()

    def _walls(self, frame: HeadsFrame, request: HeadsRequest) -> Iterator[tuple[HeadSurvey, ...]]:
        """Yield the heads there are, now and then, and at the end all: those of other layers are not computed."""
        layers_surveyed, count, found = self._surveyed
        if layers_surveyed is not frame.layers:
            found = {}
        elif count is not frame.count:
            found = {
                place: replace(survey, name=head_name(frame, *place), refusal=frame.count.recounted(survey.refusal))
                for place, survey in found.items()
            }
        self._surveyed = frame.layers, frame.count, found
        layers = request.layers
        wanted = [place for layer in layers for place in frame.places if place[0] == layer]
        if frame.shape[0] * frame.shape[1] > CELLS_OF_A_LONG_MAP and not found:
            # From here on this makes way for what is wanted next, such as another part of the large picture.
            yield tuple(coming(frame, *place) for place in wanted)
        is_alone = request.state.view.picture is Picture.ALL
        first = DELIVERY_INTERVAL_SECONDS if is_alone else FIRST_DELIVERY_SECONDS
        due = time.monotonic() + first
        for survey in _surveys(frame, [place for place in wanted if place not in found], first):
            found[survey.place] = survey
            if time.monotonic() >= due:
                yield tuple(survey for survey in found.values() if survey.layer in layers)
                due = time.monotonic() + DELIVERY_INTERVAL_SECONDS
        heads = tuple(found[place] if place[0] in layers else not_computed(frame, *place) for place in frame.places)
        yield self._compared(frame, request, heads) if request.compares_heads else heads

    def _compared(
        self, frame: HeadsFrame, request: HeadsRequest, heads: tuple[HeadSurvey, ...]
    ) -> tuple[HeadSurvey, ...]:
        """Return heads with how much they differ from B, each measured once and known again by its picture."""
        b, signed = frame_of_b(request.state), request.state.view.signed
        known = self._differing[1] if self._differing[0] == (b, signed) else {}
        found = {head: known.get(head) or compared(frame, b, head, signed=signed) for head in heads}
        self._differing = (b, signed), found
        return tuple(found.values())

    def work_for(self, request: HeadsRequest) -> Work:
        """Return the work for a request."""

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                source_of(request.state.setup.recipe).open()
            progress = _Progress(request, report)
            with watched(progress.pass_block), refusals_counted(request.state.setup.count):
                for part in self._parts(request, progress):
                    deliver(part)

        return work


def _measured(
    question: Question, frame: HeadsFrame, heads: tuple[HeadSurvey, ...], progress: _Progress
) -> Iterator[Part]:
    """Yield the heads with what the answer changes by without each, as it is measured, and what that is."""
    try:
        for share, found in effects(question):
            progress.measure(share)
            yield Measured(effect_words(frame.setup, found))
            yield with_effects(heads, found)
    except ExplorerError as error:  # the maps are still to be seen
        yield Measured(frame.count.recounted(str(error)))


def _no_picture(request: HeadsRequest, error: ArrayError) -> NoPicture:
    return NoPicture(request.state.setup.count.recounted(str(error)))


def _is_quick(heads: HeadsState) -> bool:
    """Whether what a request asks for, B too, is computed before anybody has to wait."""
    if heads.view.picture is Picture.CHECK and not are_checks_quick(heads):
        return False
    return all(is_quick(setup) for setup in (heads.setup, heads.other) if setup is not None)


def _surveys(frame: HeadsFrame, places: Sequence[Place], seconds: float) -> Iterator[HeadSurvey]:
    """Yield some heads: large maps side by side, for small ones threads would only wait for each other."""
    if frame.shape[0] * frame.shape[1] < CELLS_OF_A_LARGE_MAP:
        return survey_heads(frame, places, seconds)
    return side_by_side(partial(head_survey, frame, *place) for place in places)


class _Progress:
    """Counts the blocks that are computed, over those that are expected.

    What is kept from the time before is skipped, and what was not expected is not counted.
    """

    def __init__(self, request: HeadsRequest, report: Report) -> None:
        self._blocks, self._report = blocks(request.state.setup, request.layers), report
        self._done, self._end = 0, self._blocks.frame
        self._maps, self._share = 1.0 if request.question is None else MAPS_SHARE, 0.0

    def pass_block(self) -> None:
        """Count a block."""
        self._done = min(self._done + 1, self._end)
        self._share = max(self._share, self._maps * self._done / self._blocks.all)
        self._report(self._share)

    def measure(self, share: float) -> None:
        """Know how much of the effects is measured."""
        self._share = self._maps + (1.0 - self._maps) * share
        self._report(self._share)

    def has_frame(self) -> None:
        """Go on to the large picture."""
        self._done = self._blocks.frame
        self._end = self._done + self._blocks.picture

    def has_picture(self) -> None:
        """Go on to the wall."""
        self._done = self._end
        self._end = self._blocks.all
