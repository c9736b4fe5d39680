"""The views of the Training page: which picture, which fields stand around it, what to try; two small pictures."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from attention_explorer.core.numbers_export import Table as Numbers
from attention_explorer.core.preset import Preset
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.kit.items.columns import Grid
from attention_explorer.kit.items.small_map import SmallMap
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Arrays, Change, Hit, Item, Panel, Picture, Value
from attention_explorer.kit.pictures.figure import PicturesFigure, figure_of
from attention_explorer.pages.training import held_out, seeds, seen
from attention_explorer.pages.training.held_out import held_answers
from attention_explorer.pages.training.moment import MomentRequest, answer_at, picture_of
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import TrainingState, TrainingView, changed, reasons_against
from attention_explorer.pages.training.ui.pictures import Break, HeadMap, LearningPicture, Watch

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.explorer import ExplorerState


# ---- Other seeds ----


SEED = "Seed "
"""How the names of their maps begin."""


class SeedsPicture(Picture[TrainingState, seeds.Seeds]):
    """The same recipe with other seeds, as they have learned; a click opens one."""

    compute = staticmethod(seeds.all_of)
    stream = staticmethod(seeds.stream)
    is_quick = staticmethod(seeds.is_known)
    follows = False

    def item(self, numbers: seeds.Seeds) -> Item[Any]:
        small = (self._small(numbers, found) for found in numbers.found)
        return Grid(tuple(small), columns=3)

    @staticmethod
    def _small(numbers: seeds.Seeds, found: seeds.SeedResult) -> SmallMap:
        state, answer = numbers.state, found.answer
        picture = None if answer is None else picture_of(answer, found.head, is_causal=state.task.causal)
        row = None if answer is None else found.row
        is_own = found.setup.seed == state.setup.seed
        return SmallMap(_seed_name(found), picture, seeds.title(found, state), seeds.below(found), is_own, row)

    def headline(self, numbers: seeds.Seeds) -> str:
        return seeds.summary(numbers.found, numbers.state)[0]

    def panel(self, numbers: seeds.Seeds) -> Panel:
        return Panel("One recipe, six seeds.", (), seeds.explanation(numbers.found))

    def says(self, numbers: seeds.Seeds) -> tuple[str, ...]:
        each = (f"{seeds.title(found, numbers.state)}: {seeds.below(found)}" for found in numbers.found)
        return *seeds.summary(numbers.found, numbers.state)[1:], f"{'; '.join(each)}."

    def words(self, numbers: seeds.Seeds, hit: Hit) -> str:
        found = _seed_of(numbers, hit)
        return "" if found is None else f"{seeds.title(found, numbers.state)}: {seeds.below(found)}; click to open it"

    def made_of(self, state: TrainingState) -> tuple[str, ...]:
        return seen.made_of(replace(state, other=None))

    def has(self, numbers: seeds.Seeds, hit: Hit) -> bool:
        return _seed_of(numbers, hit) is not None

    def arrays(self, numbers: seeds.Seeds) -> Arrays:
        return {
            f"weights_seed_{found.setup.seed}": found.answer.weights[found.head[0]][found.head[1]]
            for found in numbers.found
            if found.answer is not None
        }

    def changed(self, state: TrainingState, numbers: seeds.Seeds, hit: Hit, _to: Value) -> Change[TrainingState] | None:
        found = _seed_of(numbers, hit)
        if found is None or found.answer is None:
            return None
        opened = replace(seeds.opened(state, found), view=TrainingView.WATCH)
        return Change(opened, f"Open seed {found.setup.seed}")


def _seed_name(found: seeds.SeedResult) -> str:
    return f"{SEED}{found.setup.seed}"


def _seed_of(numbers: seeds.Seeds, hit: Hit) -> seeds.SeedResult | None:
    return next((found for found in numbers.found if _seed_name(found) == hit.item), None)


# ---- Sentences never learned from ----


LIST = "Held-out answers"


class HeldOut(LearningPicture):
    """A line a sentence; a click asks it."""

    compute = staticmethod(seen.seen_with_answers)

    @staticmethod
    def lines(numbers: Seen) -> Numbers:
        return held_out.lines(numbers.answers)

    def told(self, numbers: Seen) -> dict[str, object]:
        return super().told(numbers) | {"held_out": [each._asdict() for each in numbers.answers]}

    def made_of(self, state: TrainingState) -> tuple[str, ...]:
        return tuple(each for each in super().made_of(state) if each != seen.ROWS)

    @staticmethod
    def is_quick(state: TrainingState) -> bool:
        is_there = held_answers.peek(state.setup, state.step, state.broken) is not None
        return is_there and MomentRequest.of(state).is_known

    def picture(self, numbers: Seen) -> Item[Any]:
        rows = tuple((each.sentence, each.said, "✓" if each.is_right else each.right) for each in numbers.answers)
        inks = tuple("value" if each.is_right else "loss" for each in numbers.answers)
        asked = [each.sentence for each in numbers.answers]
        sentence = numbers.state.sentence_shown
        marked = (asked.index(sentence), None) if sentence in asked else None
        first = Column("never learned from" if numbers.state.task.holds_out else "asked")
        columns = (first, Column("it answers", is_bold=True), Column("right", is_muted=True))
        return Table(LIST, columns, rows, inks, marked=marked)

    def headline(self, numbers: Seen) -> str:
        return held_out.headline(numbers.answers, numbers.state, len(numbers.moment.run.trial.batch.tokens))

    def words(self, numbers: Seen, hit: Hit) -> str:
        return held_out.said_of(numbers.answers[hit.part]) if hit.item == LIST else super().words(numbers, hit)

    def changed(self, state: TrainingState, numbers: Seen, hit: Hit, _to: Value) -> Change[TrainingState] | None:
        if hit.item != LIST:
            return None
        return Change(replace(state, sentence=numbers.answers[hit.part].sentence, row=-1), "Ask a held-out sentence")

    def first(self, _numbers: Seen) -> Hit | None:
        return Hit(LIST, 0)

    def has(self, numbers: Seen, hit: Hit) -> bool:
        return hit.item == LIST and hit.part < len(numbers.answers)


# ---- The views ----


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
