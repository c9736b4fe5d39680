"""The views of the Training page: which picture, which fields stand around it, what to try."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from attention_explorer.core.preset import Preset
from attention_explorer.kit.frame.figure import figure_of
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.pictures.figure import PicturesFigure
from attention_explorer.pages.training.moment import MomentRequest, answer_at
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.pages.training.state import TrainingState, TrainingView, changed, reasons_against
from attention_explorer.pages.training.ui.held_out import HeldOut
from attention_explorer.pages.training.ui.pictures import Break, HeadMap, LearningPicture, Watch
from attention_explorer.pages.training.ui.seeds_picture import SeedsPicture

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.explorer import ExplorerState

_SIZES = ("layers", "heads", "d_model", "hard", "scaled", "positions", "residual", "d_ff", "encoder_layers", "length")
_LEARNING = ("seed", "rate", "warm_up", "batch")
_SETUP = tuple(f"setup.{name}" for name in ("cut", "seed", *_SIZES, *_LEARNING[1:]))
ASK = "sentence_shown"
_Tries = tuple[Try[TrainingState], ...]


@cache
def views() -> tuple[View[Any], ...]:
    """Return the views, in their order. They are the same for all pages: menus ask for them whenever one is shown."""
    watch: _Tries = (
        Try("Press Play", lambda state: state.step > 0, "step"),
        Try("See “it” turn to cat", _turns, fits=_is_of_it),
        Try("Ask with “soft” for “tired”", lambda state: " soft" in state.sentence, ASK, fits=_is_of_it),
        Try("Drag the step back", lambda state: state.step < state.learned, fits=lambda state: not _is_of_it(state)),
    )
    maps: _Tries = (
        Try("Follow another row: click it", lambda state: state.row >= 0, chosen=lambda state: state.row),
        Try("Keep this run as B", lambda state: state.other is not None, "is_compared"),
    )
    breaks: _Tries = (
        Try("Switch a head off", lambda state: bool(state.broken.off)),
        Try("Hide what the row looks at", lambda state: bool(state.hidden)),
    )
    held: _Tries = (
        Try("Press Play", lambda state: state.step > 0, "step"),
        Try("Click a line to ask it", lambda state: bool(state.sentence), chosen=lambda state: state.sentence),
    )
    more = ("speed", "is_compared", *_SETUP)
    row = "A row of attention being learned, step by step"
    every = "The map of a head, and of all heads small"
    without = "Switch heads off, hide cells, and see what breaks"
    beside = "The same recipe with other seeds, side by side: what they have in common, and what differs"
    unseen = "Sentences that are never learned from, and what it answers to each at this step"
    on, steps = TrainingView, ("step",)
    return (
        _view(on.WATCH, "Watch", row, Watch(), "step", (ASK,), more, watch, steps),
        _view(on.MAP, "Map", every, HeadMap(), "step", (ASK,), more, maps, steps),
        _view(on.BREAK, "Break it", without, Break(), "step", (ASK,), more, breaks, steps),
        _view(on.SEEDS, "Seeds", beside, SeedsPicture(), "", (), _SETUP, (), steps),
        _view(on.HELD_OUT, "Held out", unseen, HeldOut(), "step", (ASK,), more, held, steps),
    )


def _view(
    name: TrainingView, title: str, tip: str, picture: Picture[TrainingState, Any], main: str, *stands: tuple[Any, ...]
) -> View[TrainingState]:
    return View(name, title, tip, _part(name), name, picture, main, *stands)


def _part(view: TrainingView) -> Part[TrainingState]:
    """Return the part with all examples, each as a view shows it."""
    ready = tuple(
        Preset(each.id, each.title, each.look_for, replace(each.state, view=view)) for each in TRAINING_PRESETS
    )
    return Part("training", TrainingState, ready, changed, shown_by="view", reasons=reasons_against)


def view_of(name: TrainingView) -> View[Any]:
    """Return a view by its name."""
    return view_named(views(), name)


def drawn(state: ExplorerState, _what: str) -> Figure:
    """Return what the page shows large."""
    return training_figure(state.training)


def training_figure(state: TrainingState, shown: object = None) -> PicturesFigure:
    """Return the figure of a state with its curves below it, trained that far where nobody has.

    ``shown`` is what its picture was drawn from, if that is there.
    """
    view = view_of(state.view)
    if isinstance(view.picture, LearningPicture):
        view = replace(view, picture=type(view.picture)(has_curves=True))
    figure = figure_of(view, state, "Training", shown)
    return replace(figure, stem=f"training-{state.setup.task}-step-{state.step}")


# ---- Whether something to try is done ----


def _is_of_it(state: TrainingState) -> bool:
    return state.setup.task == "it"


TURNING = 5
"""Within so many steps it has turned."""


def _turns(state: TrainingState) -> bool:
    """Whether the row has begun to look at its noun some steps ago at most; of steps that were asked already."""
    before = state.step - TURNING
    if before < 0:
        return False
    return _finds(state, state.step) and not _finds(state, before)


def _finds(state: TrainingState, step: int) -> bool:
    answer = answer_at.peek(*MomentRequest.of(state).asked_at(step))
    if answer is None:
        return False
    layer, head = state.head_shown
    weights = answer.weights[layer][head][answer.places[-1]]
    return bool(answer.context_tokens[int(weights.argmax())] == answer.right[-1])
