"""The picture of other seeds: their maps beside one another, as they have learned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.kit.items.columns import Grid
from attention_explorer.kit.items.small_map import SmallMap
from attention_explorer.kit.picture import Arrays, Change, Hit, Item, Panel, Picture, Value
from attention_explorer.pages.training import seeds, seen
from attention_explorer.pages.training.moment import picture_of
from attention_explorer.pages.training.state import TrainingState, TrainingView

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
