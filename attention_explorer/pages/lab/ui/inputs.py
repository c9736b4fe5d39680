"""Two sentences through one layer: the operations follow from their lengths, the weights from their words."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Laid, Panel
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.inputs import (
    InputsPicture,
    inputs_picture,
    inputs_sentences,
    product_words,
    weight_words,
)
from attention_explorer.pages.lab.ui.counted import Counted

MAPS = "Weights of the first sentence", "Weights of the second sentence"
OPERATIONS = "Operations"
COLUMNS = (
    Column("operations", is_bold=True),
    Column("shapes", is_muted=True, rank=1),
    Column("first", is_right=True),
    Column("second", is_right=True),
)


class Inputs(Counted[InputsPicture]):
    """The weights of both sentences beside one another."""

    def compute(self, state: CostState, _pixels: tuple[int, int]) -> InputsPicture:
        return inputs_picture(state)

    def item(self, numbers: InputsPicture) -> Beside:
        head = numbers.state.count.head(0)
        titles = (f"{which} sentence, {head}" for which in ("first", "second"))
        return Beside(
            tuple(
                Above((Title(title, title), Map(name, picture, is_tall=True)), gap=4.0)
                for title, name, picture in zip(titles, MAPS, numbers.maps, strict=True)
            ),
            narrow=440.0,
        )

    def headline(self, numbers: InputsPicture) -> str:
        if numbers.reason:
            return "There is nothing to attend to yet."
        if not numbers.is_same_list:
            return "Other lengths, other operations."
        return f"{'Other words, other' if numbers.difference else 'The same'} weights: the same operations."

    def panel(self, numbers: InputsPicture) -> Panel:
        title = "What is calculated"
        if numbers.reason:
            return Panel(title)
        said = "The operations depend on the length alone, the weights on the words."
        return Panel(title, (_operations(numbers),), said)

    def words(self, numbers: InputsPicture, hit: Hit) -> str:
        if hit.item in MAPS:
            return weight_words(numbers, *hit.part)
        if hit.part < len(numbers.products[0]):
            return product_words(numbers, hit.part)
        first, second = (grouped(total) for total in numbers.totals)
        return f"Together: {first} operations for the first sentence, {second} for the second"

    def says(self, numbers: InputsPicture) -> tuple[str, ...]:
        return inputs_sentences(numbers)

    def mark(self, painter: QPainter, numbers: InputsPicture, laid: Laid | QRectF, look: Look, hit: Hit) -> None:
        """Light up the same cell in both maps."""
        for name, picture in zip(MAPS, numbers.maps, strict=True):
            if all(at < count for at, count in zip(hit.part, picture.cells, strict=True)):
                super().mark(painter, numbers, laid, look, replace(hit, item=name))


def _operations(numbers: InputsPicture) -> Table:
    rows = []
    for one, other in zip(*numbers.products, strict=True):
        shapes = one.shapes if one == other else f"{one.shapes}; {other.shapes}"
        rows.append((one.name, shapes, grouped(one.operations), grouped(other.operations)))
    first, second = (grouped(total) for total in numbers.totals)
    return Table(OPERATIONS, COLUMNS, (*rows, ("together", "", first, second)), fills=False)
