"""The questions that a recording proposes for a step: about what its page shows, of kinds that lessons ask already.

An answer is computed from the state, and what it tells is hidden until it is given. What has no answer in a state, or
nearly two, is not proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from attention_explorer.core import declared
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.lab.cost_state import CostPicture, CostState
from attention_explorer.pages.lab.scores_state import ScalingPicture, ScalingState
from attention_explorer.pages.lookup.state import LookupState, LookupView, ValueKind
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.tools.lessons.answers import Right, offered, truth
from attention_explorer.tools.lessons.expression import expression
from attention_explorer.tools.lessons.lesson import Answer, Kind, Labels, Option, Step
from attention_explorer.tools.lessons.names import names_in
from attention_explorer.tools.lessons.recording import Recording, view_of

APART = 0.03
"""Of the largest of some numbers: so far the next must be below it, or the two could be taken for each other."""
MOST_NAMED = 3
"""Fields that proposed words name."""
_SAID = frozenset(
    {declared.Kind.NUMBER, declared.Kind.POINT, declared.Kind.CHOICE, declared.Kind.SWITCH, declared.Kind.SENTENCE}
)
"""What fields hold that is said in a word or two."""
TOP = ".top"
"""Ends the name of the word that gets most weight."""
FAR = 8
"""Positions apart, which are compared with neighbours."""

Changed: TypeAlias = frozenset[str]
"""The dotted names of the fields in which the step differs from the one before."""


def proposed(state: ExplorerState, page: str, changed: Changed = frozenset()) -> tuple[Step, ...]:
    """Return the questions that can be asked of what a page shows, the one that fits best first.

    Each is a step without what it shows. What takes long to be computed is computed here: call it on a worker.
    """
    view = view_of(state, page)
    part = next(iter(view))
    return tuple(step for step in _OF_PART[part](view[part], changed) if _can_be_asked(step, state))


def why_none(state: ExplorerState, page: str) -> str:
    """Say why nothing can be asked of what a page shows."""
    part, shown = next(iter(view_of(state, page).items()))
    view = next((getattr(shown, name) for name in ("view", "picture") if hasattr(shown, name)), "")
    view = getattr(view, "picture", view)
    if next(iter(_OF_PART[part](shown, frozenset())), None) is None:
        return f"No lesson can ask about the picture “{view}” so far: its numbers have no names for lessons."
    return "Nothing can be asked here: the answer would be on the screen, or nearly two would be right."


def _can_be_asked(step: Step, state: ExplorerState) -> bool:
    """Whether a question has one answer in a state, which is told apart from the next best."""
    if step.answer is None:
        return False
    try:
        right = truth(step.answer, state)
        offered(step.answer, state)
        return _is_finite(right) and _is_clear(step.answer, state)
    except ExplorerError:
        return False


def _is_finite(right: Right) -> bool:
    return not isinstance(right, float | tuple) or bool(np.isfinite(right).all())


def _is_clear(answer: Answer, state: ExplorerState) -> bool:
    """Whether the word that gets most weight is told apart from the next."""
    text = "" if answer.of is None else answer.of.text
    if not text.endswith(TOP):
        return True
    weights = np.sort(np.asarray(expression(f"{text.removesuffix(TOP)}.weights").value(names_in(state))))
    return len(weights) > 1 and bool(weights[-1] - weights[-2] > APART)


def _asked(text: str, kind: Kind, of: str, *hide: str, within: float = 0.0, labels: Labels = ()) -> Step:
    answer = Answer(kind, expression(of), within, labels=labels)
    return Step(0, text, answer=answer, hide=tuple(map(expression, hide)))


def _choice(text: str, options: Mapping[str, str], *hide: str) -> Step:
    """Return a question with sentences to choose from, each with when it is right."""
    answer = Answer(Kind.CHOICE, options=tuple(Option(say, expression(holds)) for say, holds in options.items()))
    return Step(0, text, answer=answer, hide=tuple(map(expression, hide)))


def _first(steps: Sequence[Step], changed: Changed, *names: str) -> Sequence[Step]:
    """Return questions, the first of them last unless one of some fields was changed: it is about those."""
    return steps if any(name.startswith(names) for name in changed) else (*steps[1:], *steps[:1])


# ---- Words ----


def proposed_words(state: ExplorerState, page: str, label: str, changed: Changed = frozenset()) -> str:
    """Return what may be said of a step until somebody writes something better.

    Parameters
    ----------
    state, page : ExplorerState, str
        What is shown.
    label : str
        What was done, as the undo menu says it.
    changed : frozenset of str
        As in `proposed`; empty where another page is shown.
    """
    view = view_of(state, page)
    part, shown = next(iter(view.items()))
    if not changed or f"{part}.preset" in changed:
        ready = next((ready for ready in preset_list(part) if ready.id == getattr(shown, "preset", "")), None)
        if ready is not None:
            return f"{ready.title}."  # not what to look for in it: that tells answers
    said = [words for name in sorted(changed)[:MOST_NAMED] if (words := _said(shown, name.partition(".")[2]))]
    return f"Now: {', '.join(said)}." if said else f"{label or page.capitalize()}."


def with_proposed_words(recording: Recording) -> Recording:
    """Return a recording whose last step has the words that fit it, unless somebody has typed its own."""
    at = len(recording.moments) - 1
    if at < 0 or recording.moments[at].is_own:
        return recording
    last = recording.moments[at]
    words = proposed_words(last.state, last.page, last.label, recording.changed(at))
    return recording.with_moment(at, replace(last, words=words))


def _said(shown: Any, name: str) -> str:  # noqa: ANN401 # one of the parts
    """Return a field and what it holds, such as “temperature = 0.5”; empty where it is nothing, or takes many words."""
    try:
        is_short = declared.kind_of(type(shown), name) in _SAID and declared.value_of(shown, name) is not None
    except (AttributeError, ExplorerError, KeyError):  # an item of a list
        return ""
    return declared.said_of(shown, name) if is_short else ""


# ---- Page by page ----


def _lookup(lookup: LookupState, changed: Changed) -> Iterator[Step]:
    if lookup.view is LookupView.WORDS:
        yield from _words()
        return
    hide = "lookup.weights", "lookup.output", "lookup.contributions", "lookup.scores", "lookup.winner"
    order = _asked("Put the keys in order, the one with the largest score first.", Kind.ORDER, "lookup.scores", *hide)
    bars = _asked("How much does each key weigh?", Kind.BARS, "lookup.weights", *hide, within=0.1)
    sorted_out = _are_apart(lookup)
    steps = [*([order] if sorted_out else []), bars]
    if "lookup.query" not in changed:
        steps.reverse()
    yield from steps
    if lookup.values is ValueKind.NUMBERS:
        yield _asked("What comes out?", Kind.NUMBER, "lookup.output[0]", *hide, within=0.1)
    elif lookup.view is not LookupView.TEMPERATURE:
        yield _asked("Where does o come to lie? Click the plane there.", Kind.POINT, "lookup.output", *hide, within=0.3)


def _are_apart(lookup: LookupState) -> bool:
    from attention_explorer.pages.lookup.frame import lookup_frame

    try:
        scores = np.sort(lookup_frame(lookup).attention.scores)
    except ExplorerError:  # the row of a head that is not there
        return False
    return bool(len(scores) > 1 and np.diff(scores).min() > APART * np.abs(scores).max())


def _words() -> Iterator[Step]:
    hide = tuple(
        f"lookup.{name}" for name in ("word_scores", "word_weights", "word_output", "word_moved", "handed_over")
    )
    tokens = expression("lookup.tokens_in_plane")
    yield _asked("How much does each word weigh?", Kind.BARS, "lookup.word_weights", *hide, within=0.1, labels=tokens)
    text = "Where does the word come to lie, with o added to it? Click the plane there."
    yield _asked(text, Kind.POINT, "lookup.word_moved", *hide, within=0.3)


def _heads(heads: HeadsState, changed: Changed) -> Iterator[Step]:
    if heads.view.picture is Picture.CHECK:
        return
    from attention_explorer.pages.heads.frame import frame_to_show

    try:
        frame = frame_to_show(heads.setup)
    except ExplorerError:  # the page says why
        return
    row = len(frame.queries) - 1 if heads.view.row is None else min(heads.view.row, len(frame.queries) - 1)
    word, of = f"“{frame.queries[row]}”", f"heads.row({row})"
    hidden = None if frame.mask is None else ~frame.mask[row]
    if hidden is not None and hidden.any() and any(name.startswith("heads.setup.mask") for name in changed):
        yield _asked(f"Tick what {word} may *not* see.", Kind.CELLS, f"{of}.masked", "heads.masked", "heads.weights")
    yield _asked(f"Which word does {word} look at most?", Kind.TOKEN, f"{of}{TOP}", "heads.weights")
    text = f"With what weight does {word} attend to each word?"
    yield _asked(text, Kind.BARS, f"{of}.weights", "heads.weights", within=0.1)
    text = f"How large is the largest weight of {word}?"
    yield _asked(text, Kind.NUMBER, f"{of}.most", "heads.weights", within=0.05)


def _positions(positions: PositionsState, _changed: Changed) -> Iterator[Step]:
    match positions.picture:
        case PositionsPicture.CLOCKS:
            text = "By how many radians does the *second* hand turn from position p to p + k?"
            yield _asked(
                text, Kind.NUMBER, "positions.advances[1]", "positions.advances", "positions.angles", within=0.05
            )
            text = "At which angle does the *second* hand stand, in radians?"
            yield _asked(text, Kind.NUMBER, "positions.angles[1]", "positions.angles", within=0.05)
        case PositionsPicture.ORDER:
            yield _choice(
                "The words are shuffled. What becomes of the outputs, one for each word?",
                {
                    "The same outputs, shuffled like the words": "positions.is_equivariant",
                    "Other outputs": "not positions.is_equivariant",
                },
                "positions.is_equivariant",
            )
        case PositionsPicture.SIMILARITY | PositionsPicture.ENCODING:
            far = min(FAR, positions.length - 1)
            near, off = "positions.alike[1]", f"positions.alike[{far}]"
            yield _choice(
                f"Which two positions are more alike: neighbours, or two that are {far} apart?",
                {
                    "Neighbours": f"{near} > {off}",
                    f"Two that are {far} apart": f"{near} < {off}",
                    "Both are equally alike": f"{near} == {off}",
                },
                "positions.alike",
            )
    if kind_of(positions).has_slopes:
        text = "How much does ALiBi take off a score at the distance k?"
        yield _asked(text, Kind.NUMBER, "positions.penalty", "positions.penalty", within=0.01)


def _layer(block: BlockState, _changed: Changed) -> Iterator[Step]:
    match block.picture:
        case BlockPicture.LAYER:
            text = "How many weights are in all maps of this layer together?"
            yield _asked(text, Kind.NUMBER, "block.array('weights').count", "block.array('weights').count", within=0.5)
            text = "What is the standard deviation of the first row that comes out of the layer?"
            spread = "block.array('output').row_stds[0]"
            yield _asked(text, Kind.NUMBER, spread, spread, "block.array('output').std", within=0.05)
        case BlockPicture.DEPTH:
            yield _choice(
                "How alike are the words that come out? (Cosine: 1 is the same direction, 0 nothing in common.)",
                {
                    "All the same: 1": "block.likeness > 0.95",
                    "Half alike: 1/2": "block.likeness <= 0.95 and block.likeness > 0.3",
                    "Well apart: about 0.1": "block.likeness <= 0.3",
                },
                "block.likeness",
            )


def _scaling(scaling: ScalingState, changed: Changed) -> Iterator[Step]:
    if scaling.picture is ScalingPicture.BENCH:
        hide = "scaling.bench_weights", "scaling.bench_largest", "scaling.bench_slope"
        text = "What does softmax make of each score?"
        yield _asked(text, Kind.BARS, "scaling.bench_weights", *hide, within=0.1)
        if len(scaling.bench.rows) > 1:
            text = "Put the rows in order, the one with the largest weight first."
            yield _asked(text, Kind.ORDER, "scaling.bench_largest", *hide)
        return
    spread = "scaling.raw_std", "scaling.scaled_std", "scaling.raw_largest", "scaling.scaled_largest"
    near = max(round(0.05 * scaling.setting.predicted_std(False), 2), 0.05)
    text = "How far do the *raw* scores spread: what is their standard deviation?"
    raw = _asked(text, Kind.NUMBER, "scaling.raw_std", *spread, within=near)
    text = "Every score is divided by √d_k. What is the standard deviation of the *scaled* scores?"
    yield from _first(
        (raw, _asked(text, Kind.NUMBER, "scaling.scaled_std", *spread, within=0.1)), changed, "scaling.d_k"
    )


def _cost(cost: CostState, _changed: Changed) -> Iterator[Step]:
    if cost.picture is CostPicture.GROWTH:
        text = "How many times larger does the map of a head get when the text is twice as long?"
        yield _asked(text, Kind.NUMBER, "cost.matrix_growth", "cost.matrix_growth", "cost.layer_growth", within=0.1)
        text = "How many times more does a whole layer compute when the text is twice as long?"
        yield _asked(text, Kind.NUMBER, "cost.layer_growth", "cost.matrix_growth", "cost.layer_growth", within=0.3)
    text = "How many weights does the map of *one* head have?"
    yield _asked(text, Kind.NUMBER, "cost.matrix", "cost.matrix", "cost.matrix_bytes", within=0.5)


def _training(training: TrainingState, _changed: Changed) -> Iterator[Step]:
    hide = "training.accuracy", "training.weight"
    yield _choice(
        "What share of the answers to new sentences is right at this step?",
        {
            "Nearly all": "training.accuracy > 0.85",
            "About half": "training.accuracy > 0.4 and training.accuracy <= 0.65",
            "About three quarters": "training.accuracy > 0.65 and training.accuracy <= 0.85",
            "Fewer than half": "training.accuracy <= 0.4",
        },
        *hide,
    )
    words = training.sentence_shown.split()
    row = training.row if 0 <= training.row < len(words) else words.index("it") if "it" in words else None
    if row is not None:
        of, labels = f"training.row({row})", expression("training.words")
        text = f"Which word does “{words[row]}” look at most, in the head that is shown large?"
        yield _asked(text, Kind.TOKEN, f"{of}{TOP}", f"{of}.weights", *hide, labels=labels)


def _circuits(circuits: Any, _changed: Changed) -> Iterator[Step]:  # noqa: ANN401 # its page is loaded when it is shown
    match circuits.view.value:
        case "looks":
            text = "How many heads are named for it: how many look there much more than even weights would?"
            yield _asked(text, Kind.NUMBER, "circuits.named", "circuits.named", "circuits.score", within=0.5)
        case "breaks":
            text = "Each head is switched off **alone**. Which one is missed most?"
            labels = expression("circuits.heads")
            hide = "circuits.missed_most", "circuits.effect"
            yield _asked(text, Kind.TOKEN, "circuits.missed_most", *hide, labels=labels)
        case "found":
            yield _choice(
                "What happens if all heads that copy are switched off at once?",
                {
                    "Next to nothing": "circuits.without_copy - circuits.all_on < 0.1",
                    "The copy gets worse, but less than without those that look back": (
                        "circuits.without_copy - circuits.all_on >= 0.1 and "
                        "circuits.without_copy < circuits.without_back"
                    ),
                    "The copy gets worse than without those that look back": (
                        "circuits.without_copy - circuits.all_on >= 0.1 and "
                        "circuits.without_copy >= circuits.without_back"
                    ),
                },
                "circuits.without_copy",
                "circuits.without_back",
            )


_OF_PART: Mapping[str, Callable[[Any, Changed], Iterator[Step]]] = {
    "lookup": _lookup,
    "heads": _heads,
    "positions": _positions,
    "block": _layer,
    "scaling": _scaling,
    "cost": _cost,
    "training": _training,
    "circuits": _circuits,
}
"""By part of the state: what can be asked of it. `why_none` speaks where there is nothing."""
