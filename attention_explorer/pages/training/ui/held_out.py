"""The list of sentences that are never learned from, with what is answered to each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.numbers_export import Table as Numbers
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Change, Hit, Item, Value
from attention_explorer.pages.training import held_out, seen
from attention_explorer.pages.training.held_out import held_answers
from attention_explorer.pages.training.moment import MomentRequest
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.training.ui.pictures import LearningPicture

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
