"""The pictures of a run: the film of a row, the map of a head, and the map with what heads are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from attention_explorer.core.numerals import percent, plain
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.columns import Above, Beside, Grid
from attention_explorer.kit.items.film import Film
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Label, Points
from attention_explorer.kit.items.small_map import SmallMap
from attention_explorer.kit.items.words import Message, Reading, Readings, Title
from attention_explorer.kit.picture import Change, Hit, Item, Panel, Picture, Value
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.pages.training import pair_words, seen, words
from attention_explorer.pages.training.moment import Film as FilmSeen
from attention_explorer.pages.training.moment import Moment, MomentRequest, is_worth_known, picture_of
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import Cell, Head, TrainingState
from attention_explorer.pages.training.ui.main_curves import Curves, gone
from attention_explorer.sources.learned.learned_model import Answer

FILM, FILM_OF_B, PLANE = "The row, step by step", "The row of B, step by step", "Where they stand"
MAP, MAP_OF_B, ANSWERS, RIGHT = "Attention", "Attention of B", "Answers", "Right answers"
HEAD = "Small map "
"""How the names of small maps begin."""
FIRST_KEYS = (int(Qt.Key.Key_Up), int(Qt.Key.Key_Down))
"""These choose the first cell; the others walk along the curves until one is chosen."""
CURVES_SHARE = 0.42
"""Of the height of a figure, by that of the picture itself."""


class LearningPicture(Picture[TrainingState, Seen]):
    """What the pictures of a moment share.

    Parameters
    ----------
    has_curves : bool
        Whether the curves stand below it, as in figures; on the page they are the main quantity.
    """

    compute = staticmethod(seen.seen)
    checkpoints = staticmethod(lambda state: MomentRequest.of(state).to_learn)
    arrays = staticmethod(seen.arrays)
    lines = staticmethod(seen.lines)
    axes = "weights: head, query, key"
    follows = False

    def __init__(self, *, has_curves: bool = False) -> None:
        self.has_curves = has_curves

    @staticmethod
    def is_quick(state: TrainingState) -> bool:
        return MomentRequest.of(state).is_known

    def item(self, numbers: Seen) -> Item[Any]:
        picture = self.picture(numbers)
        return Above((picture, Curves().item(numbers)), (1.0, CURVES_SHARE)) if self.has_curves else picture

    def picture(self, numbers: Seen) -> Item[Any]:
        """Return what it is made of but for the curves."""
        raise NotImplementedError

    def headline(self, numbers: Seen) -> str:
        return words.headline(numbers.moment, numbers.state)

    def says(self, numbers: Seen) -> tuple[str, ...]:
        moment, state = numbers.moment, numbers.state
        origin = words.origin(state)
        learned = (*Curves().says(numbers), f"In the curves: {_legend(moment)}.") if _has_learned(moment) else ()
        compared = pair_words.spoken(moment, state)
        sizes = words.sizes(moment.run.size, state.setup.batch)
        seen_now = filter(None, (words.largest(moment, state), self.beside(numbers), compared))
        return (f"{origin[0].upper()}{origin[1:]}.", *seen_now, *learned, sizes, *state.task.says(state.setup))

    def beside(self, _numbers: Seen) -> str:
        """Return what else of the picture is said, for who cannot see it."""
        return ""

    def panel(self, numbers: Seen) -> Panel:
        moment = numbers.moment
        title, verdict, told = words.answers(moment, numbers.row)
        bars = tuple(
            Bar("", chance, "", plain(chance), f"{word} ✓" if is_right else word, place == 0)
            for place, (word, chance, is_right) in enumerate(told)
        )
        answers = NamedBars(ANSWERS, ("", "probability"), bars, "output")
        sentence = " ".join(filter(None, (verdict, words.way(moment, numbers.state))))
        title += "."
        written, side = words.written(moment)
        if written:
            title, sentence = written, " ".join(filter(None, (side, title, sentence)))
        return Panel(title, (answers, *self.readings(numbers)), sentence)

    def readings(self, numbers: Seen) -> tuple[Item[Any], ...]:
        """Return how far it has come, at a glance."""
        moment, state = numbers.moment, numbers.state
        if not _has_learned(moment):
            return (Title("Progress", words.progress_of_taken(state.step), "muted", 13, bold=False),)
        last = int(moment.curve.steps.searchsorted(state.step, side="right")) - 1
        said = "right, if whole" if state.is_broken else words.what_is_right(state)
        found = [Reading(percent(float(moment.curve.accuracy[last])), said, "value_ink")]
        weight = float(moment.curve.weight[last])
        if not np.isnan(weight):
            found.append(Reading(percent(weight), "where it should look"))
        progress = words.progress(state.task, moment.curve, state.step)
        titles = [Title("Progress", progress, "muted", 13, bold=False)]
        if state.task.writes:
            count, what, surely = words.whole_lines(moment, state)
            found.append(Reading(count, what, "value_ink"))
            titles.append(Title("How surely", surely, "muted", 13, bold=False))
        return Readings(RIGHT, tuple(found), 26), *titles

    def words(self, numbers: Seen, hit: Hit) -> str:
        moment, state = numbers.moment, numbers.state
        if hit.item == MAP:
            return words.cell(moment, state, state.head_shown, *hit.part)
        if hit.item == MAP_OF_B:
            return pair_words.cell(moment, state, hit.part)
        if hit.item == ANSWERS:
            return " ".join(words.answers(moment, numbers.row)[:2])
        if hit.item == PLANE:
            return _point(moment, hit.part)
        return ""

    def made_of(self, state: TrainingState) -> tuple[str, ...]:
        return seen.made_of(state)

    def told(self, numbers: Seen) -> dict[str, object]:
        return seen.told(numbers)

    def walk(self, numbers: Seen, hit: Hit | None, key: int) -> Hit | None:
        if hit is None:
            return self.first(numbers) if key in FIRST_KEYS else None
        return self.picture(numbers).walk(hit, key)

    def first(self, numbers: Seen) -> Hit | None:
        """Return the cell that keys begin with: the largest weight of the row that is followed."""
        return Hit(MAP, (numbers.row, int(numbers.moment.weights(numbers.state.head_shown)[numbers.row].argmax())))

    def has(self, numbers: Seen, hit: Hit) -> bool:
        shape = self.shape(numbers, hit)
        return shape is not None and all(at < count for at, count in zip(hit.part, shape, strict=True))

    def shape(self, numbers: Seen, hit: Hit) -> tuple[int, ...] | None:
        """Return how many rows and columns what was hit has; None of what keys let go of."""
        return numbers.moment.weights(numbers.state.head_shown).shape if hit.item == MAP else None


class Watch(LearningPicture):
    """The row that is followed as a film; a click on a step goes there."""

    def picture(self, numbers: Seen) -> Item[Any]:
        moment, state = numbers.moment, numbers.state
        film = _film(FILM, moment.request, moment.film, state, numbers.row, numbers.map_of(state.head_shown).masked)
        other = moment.other
        if other is not None:
            both = pair_words.captions(moment, state)
            theirs: Item[Any] = Message(FILM_OF_B, other.reason)
            of_b = moment.request.of_other
            if other.answer is not None and of_b is not None:
                theirs = _film(
                    FILM_OF_B, of_b, other.film, replace(state, setup=other.setup), numbers.row, _masked(numbers)
                )
            return Beside((_captioned(MAP, both[0], film), _captioned(MAP_OF_B, both[1], theirs)))
        if moment.points is not None:
            return Beside((film, _plane(moment.points)), (1.0, 0.8))
        return film

    def words(self, numbers: Seen, hit: Hit) -> str:
        moment, row = numbers.moment, numbers.row
        of_b = moment.other is not None and hit.item == FILM_OF_B
        if hit.item != FILM and not of_b:
            return super().words(numbers, hit)
        film = moment.other.film if of_b and moment.other is not None else moment.film
        if hit.part[0] >= len(film):
            return "Not learned yet, or not so far: press Play, or drag the step."
        state = replace(numbers.state, setup=moment.other.setup) if of_b and moment.other else numbers.state
        (layer, head), (step, answer) = state.head_shown, film[hit.part[0]]
        return words.frame(moment, step, answer.weights[layer][head][row], row)

    def changed(self, state: TrainingState, numbers: Seen, hit: Hit, _to: Value) -> Change[TrainingState] | None:
        return None if hit.item != FILM else gone(state, numbers.moment.request.frames[hit.part[0]])

    def first(self, numbers: Seen) -> Hit | None:
        film = numbers.moment.film
        return Hit(FILM, (len(film) - 1, int(_row_of(film[-1][1], numbers.state, numbers.row).argmax())))

    def shape(self, numbers: Seen, hit: Hit) -> tuple[int, ...] | None:
        return (len(numbers.moment.film), len(numbers.moment.answer.context_tokens)) if hit.item == FILM else None


class HeadMap(LearningPicture):
    """The map of the head on show, all heads small beside it; a click follows a row, or shows a head large."""

    def picture(self, numbers: Seen) -> Item[Any]:
        moment, state = numbers.moment, numbers.state
        large: Item[Any] = Map(MAP, numbers.map_of(state.head_shown), framed_row=numbers.row, is_tall=True)
        if moment.other is not None:
            theirs, both = numbers.map_of_other, pair_words.captions(moment, state)
            beside: Item[Any] = Message(MAP_OF_B, moment.other.reason)
            if theirs is not None:
                beside = Map(MAP_OF_B, theirs, framed_row=numbers.row, is_tall=True)
            large = Beside((_captioned(MAP, both[0], large), _captioned(MAP_OF_B, both[1], beside)))
        elif moment.points is not None:
            large = Beside((large, _plane(moment.points)))
        heads = numbers.heads
        if len(heads) < self.fewest:
            return large
        columns = min(state.setup.heads, round((1.5 * len(heads)) ** 0.5))
        small = Grid(tuple(self._small(numbers, head) for head in heads), gap=8, columns=columns)
        each = 0.28 if moment.other is None else 0.16
        return Beside((small, large), (min(each * columns, 0.9), 1.0))

    fewest = 2
    """Of so many heads on they stand beside it."""

    def _small(self, numbers: Seen, head: Head) -> SmallMap:
        state = numbers.state
        title = words.short_head_words(head, state)
        return SmallMap(
            _head_name(head),
            numbers.map_of(head),
            title,
            self.below(numbers, head),
            head == state.head_shown,
            numbers.row,
        )

    def below(self, numbers: Seen, head: Head) -> str:
        """Return what stands below a small map."""
        state = numbers.state
        if head in state.broken.off:
            return "off"
        return (
            "as drawn" if head in state.broken.drawn else words.row_looks_at(numbers.moment.answer, head, numbers.row)
        )

    def beside(self, numbers: Seen) -> str:
        said = (f"{words.head_words(head, numbers.state)} {self.below(numbers, head)}" for head in numbers.heads)
        return f"All heads: {'; '.join(said)}." if len(numbers.heads) >= self.fewest else ""

    def words(self, numbers: Seen, hit: Hit) -> str:
        head = _head_of(hit)
        if head is None:
            return super().words(numbers, hit)
        return f"{words.head_words(head, numbers.state)}: {self.below(numbers, head)}; {self.does}"

    does = "click to see it large"

    def changed(self, state: TrainingState, _numbers: Seen, hit: Hit, _to: Value) -> Change[TrainingState] | None:
        head = _head_of(hit)
        if head is not None:
            return Change(replace(state, layer=head[0], head=head[1]), "Show another head", "head")
        if hit.item in (MAP, MAP_OF_B):
            return Change(replace(state, row=hit.part[0]), "Follow another query", "row")
        return None


class Break(HeadMap):
    """The same, where a click hides a cell, or switches a head off; below each head what breaks without it."""

    compute = staticmethod(seen.seen_with_worth)
    fewest = 1
    does = "click to switch it off, again to put it back as it was drawn, a third time to switch it on"

    @staticmethod
    def is_quick(state: TrainingState) -> bool:
        known = is_worth_known(state.setup, state.step, state.broken)
        return known and MomentRequest.of(state).is_known

    def below(self, numbers: Seen, head: Head) -> str:
        worth, state = numbers.worth, numbers.state
        if worth is None:
            return super().below(numbers, head)
        how = "off: " if head in state.broken.off else "as drawn: " if head in state.broken.drawn else ""
        return f"{how}{percent(worth.whole)} → {percent(worth.alone[head])}"

    def panel(self, numbers: Seen) -> Panel:
        usual = super().panel(numbers)
        said = "" if numbers.worth is None else words.broken(numbers.worth, numbers.state)
        return replace(usual, sentence=f"{said} Click a head to switch it off, a cell to hide it.")

    def readings(self, numbers: Seen) -> tuple[Item[Any], ...]:
        worth = numbers.worth
        if worth is None or not numbers.state.is_broken:
            return super().readings(numbers)
        now = Reading(percent(worth.together), "right, as it is", "value_ink")
        return (Readings(RIGHT, (now, Reading(percent(worth.whole), "right, if whole")), 26),)

    def changed(self, state: TrainingState, numbers: Seen, hit: Hit, to: Value) -> Change[TrainingState] | None:
        head = _head_of(hit)
        if head is not None:
            return switched(state, head)
        return hidden(state, numbers, hit.part) if hit.item == MAP else super().changed(state, numbers, hit, to)


# ---- What hands do ----


def switched(state: TrainingState, head: Head) -> Change[TrainingState]:
    """Return what a click on a head in Break it means."""
    name = words.head_words(head, state)
    put_back, verb = head in state.off, "on" if head in state.drawn else "off"
    label = f"Put {name} back as drawn" if put_back else f"Switch {name} {verb}"
    return Change(state.with_head_switched(head), label)


LAST_KEY = "Every query must have a key left to look at: show another cell of this row first."


def hidden(state: TrainingState, numbers: Seen, cell: Cell) -> Change[TrainingState]:
    """Return what hiding a cell means, or showing it again; nothing but why where its query would have nothing left."""
    left = np.flatnonzero(~numbers.map_of(state.head_shown).masked[cell[0]]).tolist()
    if cell not in state.hidden and left in ([], [cell[1]]):
        return Change(state, LAST_KEY)
    verb = "Show" if cell in state.hidden else "Hide"
    return Change(state.with_cell_switched(cell), f"{verb} a cell")


# ---- Parts ----


def _has_learned(moment: Moment) -> bool:
    """Whether there are curves up to the step on show: not of weights from a file."""
    return moment.request.learned >= moment.request.step


def _legend(moment: Moment) -> str:
    return words.legend(moment.run.task) if moment.other is None else pair_words.legend(moment.run.task)


def _row_of(answer: Answer, state: TrainingState, row: int) -> Floats:
    layer, head = state.head_shown
    found: Floats = answer.weights[layer][head][row]
    return found


def _masked(numbers: Seen) -> Bools:
    """Return where B may not look."""
    return picture_of(numbers.moment.answer, (0, 0), is_causal=numbers.state.task.causal).masked


def _film(name: str, asked: MomentRequest, film: FilmSeen, state: TrainingState, row: int, masked: Bools) -> Film:
    weights = np.stack([_row_of(answer, state, row) for _, answer in film])
    steps, answer = tuple(map(str, asked.frames)), film[-1][1]
    asking = row if answer.tokens == answer.context_tokens else None
    return Film(name, answer.context_tokens, steps, weights, masked[row], len(film) - 1, asking)


def _captioned(name: str, caption: pair_words.Caption, item: Item[Any]) -> Item[Any]:
    first = Title(f"{name}, which run", caption[0], "text", 13, is_given=False)
    second = Title(f"{name}, its answer", caption[1], "muted", 13, bold=False, is_given=False)
    return Above((first, second, item), gap=4)


def _plane(points: tuple[Floats, Floats]) -> Plot:
    """Return where the queries and keys of a dictionary stand: they learned it."""
    far = max(float(np.abs(np.concatenate(points)).max()), 1.0) * 1.15
    marks: list[Any] = []
    for name, rows, ink, is_square in (("queries", points[0], "query", False), ("keys", points[1], "key", True)):
        x, y = rows.T.tolist()
        marks.append(Points(name, x, y, ink=ink, is_square=is_square))
        marks += [
            Label(*place, f"{name[0]}{number}", f"{ink}_ink", 11.0, has_halo=False)
            for number, place in enumerate(zip(x, y, strict=True), start=1)
        ]
    return Plot(PLANE, Axis(-far, far, grid=True), Axis(-far, far, grid=True), tuple(marks), is_square=True)


def _point(moment: Moment, part: Any) -> str:  # noqa: ANN401 # a place of a plot
    if moment.points is None or not isinstance(part, At) or not part.points:
        return ""
    x, y = moment.points[part.points == "keys"][part.index].tolist()
    return f"{'key' if part.points == 'keys' else 'query'} {part.index + 1} at ({plain(x)}, {plain(y)})"


def _head_name(head: Head) -> str:
    return f"{HEAD}{head[0] + 1}.{head[1] + 1}"


def _head_of(hit: Hit) -> Head | None:
    if not hit.item.startswith(HEAD):
        return None
    layer, head = hit.item.removeprefix(HEAD).split(".")
    return int(layer) - 1, int(head) - 1
