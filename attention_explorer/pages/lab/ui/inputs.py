"""Two sentences through one layer: the operations follow from their lengths, the weights from their words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core import numbers_export
from attention_explorer.core.numerals import grouped
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Arrays, Hit, Laid, Panel, Picture
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab import inputs
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.inputs import InputsPicture

MAPS = "Weights of the first sentence", "Weights of the second sentence"
OPERATIONS = "Operations"
COLUMNS = (
    Column("operations", is_bold=True),
    Column("shapes", is_muted=True, rank=1),
    Column("first", is_right=True),
    Column("second", is_right=True),
)


class Inputs(Picture[CostState, InputsPicture]):
    """The weights of both sentences beside one another."""

    truths = (
        "“… what gets computed depends on what's being processed” is true of the weights only: attention carries out "
        "the same operations on every input of a given length.",
    )
    compute = staticmethod(inputs.inputs_picture)
    says = staticmethod(inputs.inputs_sentences)

    def made_of(self, _state: CostState) -> tuple[str, ...]:
        return "one random layer, untrained", "d_model = 64", "8 heads"

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
        if not numbers.is_same_list:
            return "Other lengths, other operations."
        return f"{'Other words, other' if numbers.difference else 'The same'} weights: the same operations."

    def panel(self, numbers: InputsPicture) -> Panel:
        said = "The operations depend on the length alone, the weights on the words."
        return Panel("What is calculated", (_operations(numbers),), said)

    def words(self, numbers: InputsPicture, hit: Hit) -> str:
        if hit.item in MAPS:
            return inputs.weight_words(numbers, *hit.part)
        if hit.part < len(numbers.products[0]):
            return inputs.product_words(numbers, hit.part)
        first, second = (grouped(total) for total in numbers.totals)
        return f"Together: {first} operations for the first sentence, {second} for the second"

    def lines(self, numbers: InputsPicture) -> numbers_export.Table:
        listed = ((number, each) for number, side in enumerate(numbers.products, start=1) for each in side)
        rows = [(number, each.name, each.shapes, each.operations) for number, each in listed]
        return numbers_export.Table.of(("input", "product", "shapes", "operations"), rows)

    def arrays(self, numbers: InputsPicture) -> Arrays:
        operations = [[product.operations for product in listed] for listed in numbers.products]
        found: Arrays = {"operations": np.array(operations)}
        for number, (words, picture) in enumerate(zip(numbers.tokens, numbers.maps, strict=True), start=1):
            found[f"weights_{number}"] = np.asarray(picture.values)
            found[f"tokens_{number}"] = np.array(words)
        return found

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
