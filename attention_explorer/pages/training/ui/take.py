"""What was learned, on other pages and in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attention_explorer.errors import ExplorerError
from attention_explorer.pages import learned_elsewhere as elsewhere
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training.moment import MomentRequest
from attention_explorer.pages.training.seen import CURVES, WEIGHTS, Contents, Seen, curves_file, weights_file
from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.sources.learned.saved import usual_name

MANY_RUNS = "Seeds shows several runs: choose another view."
STILL_COMPUTED = "Wait a moment: where the points stand is still being computed."


class Taking(NamedTuple):
    """A way to take along what was learned: its words, what it does, why it cannot be done, and doing it for a page."""

    title: str
    tip: str
    reason: Callable[[TrainingState], str]
    act: Callable[[Any], object]


def _open(page: Any, to: str, label: str, changed: Callable[[ExplorerState], ExplorerState]) -> None:  # noqa: ANN401
    """Show on another page what is on show here."""
    page.player.stop()
    try:
        state = changed(page.session.state)
    except ExplorerError as error:
        page.refused.emit(str(error))
        return
    page.session.apply(state, label)
    page.page_wanted.emit(to)


def _open_lookup(page: Any) -> None:  # noqa: ANN401 # a `TrainingPage`
    def opened(state: ExplorerState) -> ExplorerState:
        seen = page.canvas.picture
        if not isinstance(seen, Seen) or seen.moment.points is None or (
            seen.moment.request != MomentRequest.of(state.training)
        ):  # fmt: skip
            raise ExplorerError(STILL_COMPUTED)
        return elsewhere.in_lookup(state, seen.moment.points)

    _open(page, "lookup", "Open in Lookup", opened)


def _save_weights(page: Any) -> None:  # noqa: ANN401 # a `TrainingPage`
    setup, step = page.state.setup, page.state.step
    _save(page, "Save weights", "weights", WEIGHTS, lambda path: weights_file(setup, step, path))


def _save_curves(page: Any) -> None:  # noqa: ANN401 # a `TrainingPage`
    setup, other, step = page.state.setup, page.state.other, page.state.reached
    setups = (setup,) if other is None else (setup, other)
    _save(page, "Save curves", "curves", CURVES, lambda path: curves_file(setups, step, path))


def _ask_animation(page: Any) -> None:  # noqa: ANN401 # a `TrainingPage`
    """Ask how many pictures, then where, and write the picture as it was learned."""
    # Drawing frames and their file format would delay the first picture.
    from attention_explorer.pages.training.ui.animation import ANIMATIONS, AnimationDialog, animation_file

    state = page.state
    dialog = AnimationDialog(page, page.look, state)

    def save() -> None:
        count = dialog.count
        _save(page, "Animation", "film", ANIMATIONS, lambda path: animation_file(state, count, path))

    dialog.accepted.connect(save)
    page.animation_dialog = dialog
    dialog.open()


def _save(
    page: Any,  # noqa: ANN401 # a `TrainingPage`
    title: str,
    what: str,
    kinds: Mapping[str, str],
    contents: Callable[[Path], Contents],
) -> None:
    # File formats would delay the first picture.
    from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain

    path = ask_for_file(page, title, usual_name(page.state.setup, page.state.step, what), kinds)
    if path is not None:
        page.done.emit(save_or_explain(page, contents(path), path))


def _nothing_yet(state: TrainingState) -> str:
    return "" if state.step else elsewhere.NOTHING_LEARNED


def _against_a_film(state: TrainingState) -> str:
    return MANY_RUNS if state.step and state.view is TrainingView.SEEDS else _nothing_yet(state)


TAKINGS = (
    Taking(
        "Open in Heads",
        "The network of this step as a source of the Heads page: type, mask, compare",
        elsewhere.reason_against_heads,
        lambda page: _open(page, "heads", "Open in Heads", elsewhere.in_heads),
    ),
    Taking(
        "Open in Lookup",
        "Its keys on the Lookup page, each with its query as its value, and the query of the framed row to drag",
        elsewhere.reason_against_lookup,
        _open_lookup,
    ),
    Taking(
        "Open in Layer",
        "Its layers on the Layer page: every array that this sentence passes through, with the learned weights",
        elsewhere.reason_against_block,
        lambda page: _open(page, "layer", "Open in Layer", elsewhere.in_block),
    ),
    Taking(
        "Save weights…",
        "All numbers as learned up to this step, and how they were learned (.safetensors, .npz)",
        _nothing_yet,
        _save_weights,
    ),
    Taking(
        "Save curves…",
        "Loss, right answers and weight of each step, of A and B where two are compared (CSV)",
        _nothing_yet,
        _save_curves,
    ),
    Taking(
        "Animation…",
        "The picture as it was learned, from step 0 to this one, as a film (GIF, PNG)",
        _against_a_film,
        _ask_animation,
    ),
)
"""In the order of the menus."""
