"""The view *Row*: one query, all its keys, and what becomes of them step by step; every number explains itself."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from attention_explorer.core.numbers_export import Table as NumbersTable
from attention_explorer.core.numerals import coordinate, counted, exact, readable, scientific
from attention_explorer.core.words import capital
from attention_explorer.kit.drawing.text_table import Column as TextColumn
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import Arrays, Hit, Item, Value
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, is_quick
from attention_explorer.pages.heads.parts import Part
from attention_explorer.pages.heads.reading import gloss, reading_table
from attention_explorer.pages.heads.row import (
    RowNumbers,
    RowSteps,
    exponentials_of,
    row_arrays,
    row_numbers,
)
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.feature_bars import FeatureBars
from attention_explorer.pages.heads.ui.row_item import RowCell, RowTable
from attention_explorer.pages.heads.wording import (
    Step,
    arithmetic,
    arithmetic_title,
    isolated,
    key_name,
    one,
    pair_name,
    products,
    query_name,
    score_text,
    weight_text,
    why,
    why_short,
)

ROW, PRODUCTS, ARITHMETIC, NUMBERS = "Row", "Products", "Arithmetic", "All numbers of the row"
MOST_LISTED = 64
"""Lines of the table in the drawer; files hold all."""


class RowPicture(Picture[HeadsState, RowNumbers]):
    """Keys down; q · k, ÷ √d, mask, exp, weight, × v across; the output below."""

    axes = "one number a key; products and weighted values: row = key, column = feature"
    truths = (
        "The weights of a row sum to 1, or are all 0 where a query has nothing to attend to.",
        "The bars of α · v and of the output have one scale, so that they can be seen to add up.",
    )
    follows = False
    compute = staticmethod(lambda state, _pixels: row_numbers(state))
    is_quick = staticmethod(lambda state: is_quick(state.setup))

    def headline(self, numbers: RowNumbers) -> str:
        steps = numbers.steps
        return row_headline(steps) if numbers.is_done else steps.caption(numbers.moment)

    def says(self, numbers: RowNumbers) -> tuple[str, ...]:
        steps, frame = numbers.steps, numbers.frame
        more = f"The last line adds up {counted(steps.others, 'more token')} of little weight."
        return tuple(
            filter(
                None,
                (
                    f"{capital(steps.title)}.",
                    f"{capital(steps.reading.note)}.",
                    gloss(frame, *numbers.cell) if frame.is_one_head else "",
                    why(frame, *numbers.cell),
                    more if steps.others else "",
                ),
            )
        )

    def item(self, numbers: RowNumbers) -> Item[Any]:
        return row_item(numbers, fills=True)

    def panel(self, numbers: RowNumbers) -> Panel:
        frame, cell = numbers.frame, numbers.cell
        formula = weight_formula(numbers)
        items: tuple[Item[Any], ...] = () if formula else (steps_item(arithmetic(frame, *cell)),)
        if numbers.steps.has_scores:
            items = (*items, products_item(numbers))
        sentence = (gloss(frame, *cell) or why_short(frame, *cell)) if frame.is_one_head else ""
        return Panel(arithmetic_title(frame, *cell), items, sentence, formula)

    def words(self, numbers: RowNumbers, hit: Hit) -> str:
        if hit.item != NUMBERS:
            return row_words(numbers, hit)
        header, rows = reading_table(numbers.frame, numbers.steps.reading)
        token, place, *scores = rows[_listed(numbers)[hit.part]]
        told = (f"{title} {exact(float(str(score)))}" for title, score in zip(header[2:], scores, strict=True))
        return f"“{token}” ({place}): {', '.join(told)}"

    def changed(self, state: HeadsState, numbers: RowNumbers, hit: Hit, to: Value) -> Change[HeadsState] | None:
        return row_clicked(state, numbers, hit)

    def press(self, state: HeadsState, numbers: RowNumbers, key: int) -> Change[HeadsState] | None:
        """Go a step back or on, to the first or to the last."""
        last = len(numbers.steps.moments) - 1
        to = {
            int(Qt.Key.Key_Left): numbers.moment - 1,
            int(Qt.Key.Key_Right): numbers.moment + 1,
            int(Qt.Key.Key_Home): 0,
            int(Qt.Key.Key_End): last,
        }.get(key)
        if to is None or not 0 <= to <= last or to == numbers.moment:
            return None
        return Change(state.with_view(step=to), "Go to another step", "heads step")

    def made_of(self, state: HeadsState) -> tuple[str, ...]:
        return (f"step {min(state.view.step, state.last_step) + 1} of {state.last_step + 1}",)

    def told(self, numbers: RowNumbers) -> dict[str, object]:
        frame, reading = numbers.frame, numbers.steps.reading
        return {
            "row" if reading.is_row else "column": frame.count.number(reading.index),
            "note": "the products of a query and its keys, feature by feature; what each value adds to the output",
            "queries": list(frame.exact_tokens[0]),
            "keys": list(frame.exact_tokens[1]),
        }

    @staticmethod
    def arrays(numbers: RowNumbers) -> Arrays:
        """Return all numbers of all keys."""
        return row_arrays(numbers.steps)

    @staticmethod
    def lines(numbers: RowNumbers) -> NumbersTable:
        """Return a line a key with every digit."""
        return NumbersTable.of(*reading_table(numbers.frame, numbers.steps.reading))

    def table(self, numbers: RowNumbers) -> Item[Any]:
        header, rows = reading_table(numbers.frame, numbers.steps.reading)
        lines = [rows[place] for place in _listed(numbers)]
        texts = tuple((str(token), str(place), *map(_number, scores)) for token, place, *scores in lines)
        ranks = {"position": 3, "masked score": 2, "raw score": 1}  # of what stays whole the weight says most
        columns = tuple(
            TextColumn(title.removesuffix(" score"), is_right=at > 0, rank=ranks.get(title, 0))
            for at, title in enumerate(header)
        )
        return Table(NUMBERS, columns, texts, fills=False, high=22.0)

    def height(self, numbers: RowNumbers, _width: float) -> float:
        return 40.0 + 28.0 * (len(numbers.steps.lines) + 1)


def _listed(numbers: RowNumbers) -> list[int]:
    """Return which tokens the table in the drawer has: of very many the heaviest."""
    return sorted(numbers.steps.reading.order[:MOST_LISTED])


def _number(cell: object) -> str:
    number = float(str(cell))
    return score_text(number) if number < 0.0 or number > 1.0 else weight_text(number)


# ---- For this view and for those that show a row beside a map ----


def row_item(numbers: RowNumbers, *, fills: bool = False) -> RowTable:
    """Return the row as an item: with ``fills`` large, as far as the moment; else all of it, for a panel."""
    steps = numbers.steps
    named = steps.named.tolist()
    chosen = named.index(numbers.chosen) if numbers.chosen in named else None
    moment = numbers.moment if fills else len(steps.moments) - 1
    return RowTable(ROW, steps, moment, chosen, fills)


def cell_pointed(numbers: RowNumbers, hit: Hit) -> tuple[int, int] | None:
    """Return the query and the key of a line that was hit; None of the output, and of all others together."""
    steps = numbers.steps
    if hit.item != ROW or hit.part.line >= len(steps.named):
        return None
    return steps.cell(int(steps.named[hit.part.line]))


def row_headline(steps: RowSteps) -> str:
    """Return who asks and who answers, in one short sentence."""
    frame, reading = steps.frame, steps.reading
    if not reading.is_row:
        most, weight = reading.order[0], float(reading.weights.max(initial=0.0))
        who = f"“{isolated(frame.queries[most])}” attends" if weight else "No query attends"
        return f"{who} most to “{isolated(frame.keys[reading.index])}”: {weight:.2f}." if weight else f"{who} to it."
    asks = f"“{isolated(frame.queries[reading.index])}”"
    if not reading.weights.any():
        return f"{asks} has nothing to attend to."
    best = reading.order[0]
    return f"{asks} asks, “{isolated(frame.keys[best])}” answers with {float(reading.weights[best]):.2f}."


def row_clicked(state: HeadsState, numbers: RowNumbers, hit: Hit) -> Change[HeadsState] | None:
    """Return what a click on a line of a row means: its key is pinned, and with it the cell; again, it is let go."""
    cell = cell_pointed(numbers, hit)
    if cell is None:
        return None
    row, column = cell
    if (state.view.row, state.view.column) == cell:
        row, column = (row, None) if numbers.steps.reading.is_row else (None, column)  # type: ignore[assignment]
    return Change(state.with_view(row=row, column=column), "Pin a token")


def row_words(numbers: RowNumbers, hit: Hit) -> str:
    """Return where the number that was hit comes from, with all numbers that lead to it."""
    steps, frame = numbers.steps, numbers.frame
    if hit.item == PRODUCTS:
        return product_words(frame, *numbers.cell, hit.part[1])
    if hit.item != ROW:
        return ""
    cell: RowCell = hit.part
    column = None if cell.column is None or cell.column >= len(steps.columns) else steps.columns[cell.column]
    if cell.line >= len(steps.lines):
        return _output_words(steps, cell)
    if cell.line >= len(steps.named):
        share = float(steps.reading.weights.sum() - steps.reading.weights[steps.named].sum())
        return f"{counted(steps.others, 'other')} together: weight {readable(max(share, 0.0))}"
    key = int(steps.named[cell.line])
    if column is not None and cell.feature is not None and column.part is Part.PRODUCTS:
        return product_words(frame, *steps.cell(key), cell.feature)
    if column is not None and cell.feature is not None and steps.values is not None:
        weight, value = float(steps.reading.weights[key]), float(steps.values[key, cell.feature])
        feature = frame.count.number(cell.feature)
        product = readable(weight * value)
        factors = f"weight {readable(weight)} × value {readable(value)} of {key_name(frame, key)}"
        return f"feature {feature}: {factors} = {product}"
    at = steps.cell(key)
    told = "; ".join(f"{step.name} = {step.value}" for step in arithmetic(frame, *at))
    return f"{pair_name(frame, *at)}: {told}"


def _output_words(steps: RowSteps, cell: RowCell) -> str:
    if steps.output is None:
        return capital(steps.reading.note)
    name = f"output of {query_name(steps.frame, steps.reading.index)}"
    if cell.feature is None:
        return f"{name}: {len(steps.output)} features, the sum of all α · v"
    number = steps.frame.count.number(cell.feature)
    return f"{name}, feature {number}: {readable(float(steps.output[cell.feature]))}, the sum of all α · v"


def product_words(frame: HeadsFrame, row: int, key: int, feature: int) -> str:
    """Return one product of q · k with its factors."""
    q, k, product = (readable(float(number)) for number in products(frame, row, key)[feature])
    name = frame.count.number(feature)
    return f"feature {name}: {q} of {query_name(frame, row)} × {k} of {key_name(frame, key)} = {product}"


def products_item(numbers: RowNumbers) -> Item[Any]:
    """Return query, key and their products, feature by feature."""
    q, k, product = products(numbers.frame, *numbers.cell).T
    rows = (("q", q, "query"), ("k", k, "key"), ("q × k", product, "muted"))
    return Above((Title("", "Feature by feature", size=13.0), FeatureBars(PRODUCTS, rows)), gap=2)


def steps_item(steps: tuple[Step, ...]) -> Item[Any]:
    """Return the arithmetic of a weight, a line a step."""
    columns = (TextColumn("step"), TextColumn("number", is_right=True, is_bold=True))
    return Table(ARITHMETIC, columns, tuple((step.name, step.value) for step in steps), fills=False)


def weight_formula(numbers: RowNumbers) -> str:
    """Return the arithmetic of the cell that is looked at as formulas with its numbers; empty where no softmax is."""
    frame, (row, key) = numbers.frame, numbers.cell
    setup = frame.setup
    at = one(row), slice(None)
    if not numbers.steps.has_scores or setup.hard or not frame.map.allowed(one(row), one(key))[0, 0]:
        return ""
    raw, scaled, masked = (
        frame.map.scores(*at, stage=stage)[0] for stage in (Stage.SCORES, Stage.SCALED, Stage.MASKED)
    )
    found = exponentials_of(masked, frame.map.allowed(one(row))[0], setup.temperature)
    if found is None:
        return ""
    exponentials, shift = found
    q, k = (f"{name}_{frame.count.number(place)}" for name, place in (("q", row), ("k", key)))
    lines = [f"[q:query]{{{q}}} · [k:key]{{{k}}} = {score_text(float(raw[key]))}"]
    if setup.scaled:
        lines.append(
            f"s = {{{score_text(float(raw[key]))}}}/{{√{frame.head_width}}} = {score_text(float(scaled[key]))}"
        )
    if masked[key] != scaled[key]:
        lines.append(f"s = {score_text(float(masked[key]))} with its bias")
    inner = score_text(float(masked[key]))
    if setup.temperature != 1.0:
        inner = f"{inner} ÷ {coordinate(setup.temperature, 4)}"
    if shift:
        inner = f"{inner} − {score_text(shift).lstrip('+')}"
    exponential, total = scientific(float(exponentials[key])), scientific(float(exponentials.sum()))
    weight = float(frame.map.weights(one(row), one(key))[0, 0])
    lines += [f"exp({inner}) = {exponential}", f"α = {{{exponential}}}/{{{total}}} = {weight_text(weight)}"]
    return "\n".join(lines)
