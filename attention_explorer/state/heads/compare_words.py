"""A cell, a row and a column of a comparison in words and numbers: A, B and A − B, each under its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from attention_explorer.model import Stage
from attention_explorer.numerals import MINUS, compact, readable, scientific
from attention_explorer.state.heads.compare import Comparison
from attention_explorer.state.heads.frame import HeadsFrame
from attention_explorer.state.heads.reading import Reading
from attention_explorer.state.heads.shown_map import hidden_keys, shown_map
from attention_explorer.state.heads.wording import Step, key_name, number_word, one, query_name, weight_text

NO_CELL = "no such cell"


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One cell of both maps, at the stage on show."""

    a: float | None
    b: float | None
    difference: float | None
    """A − B; None where there is nothing to subtract."""
    without: tuple[str, str] = ("", "")
    """Why A or B has no number here, or has 0 that is no weight: masked, hidden, no such cell."""


def compared_cell(comparison: Comparison, row: int, column: int) -> ComparedCell:
    """Return the numbers of a cell as the three maps show them: a masked weight counts as 0, a masked score is none."""
    found = [_number(frame, comparison, row, column) for frame in comparison.frames]
    (a, why_a), (b, why_b) = found
    difference = None
    if comparison.view.stage is Stage.WEIGHTS:
        some = not (why_a and why_b) and NO_CELL not in (why_a, why_b)
        difference = (a or 0.0) - (b or 0.0) if some else None
    elif a is not None and b is not None:
        difference = a - b
    return ComparedCell(a, b, difference if comparison.difference is not None else None, (why_a, why_b))


def _number(frame: HeadsFrame, comparison: Comparison, row: int, column: int) -> tuple[float | None, str]:
    """Return the number that a map shows in a cell, or why it shows none."""
    view = comparison.view
    if row >= frame.shape[0] or column >= frame.shape[1]:
        return None, NO_CELL
    if not frame.map.allowed(one(row), one(column))[0, 0]:
        return None, f"hidden {frame.what_hides(row, column)}"
    if view.stage is Stage.WEIGHTS and hidden_keys(frame, view.hidden)[column]:
        return None, "taken out of the picture"
    return float(shown_map(frame, view).stage(view.stage, one(row), one(column))[0, 0]), ""


# ---- In words ----


def compared_words(comparison: Comparison, row: int, column: int) -> str:
    """Return a cell in one line for the status bar: A, B and A − B."""
    cell = compared_cell(comparison, row, column)
    words = [
        f"{number_word(frame, comparison.view.stage)} {readable(number)}" if number is not None else why
        for frame, number, why in zip(comparison.frames, (cell.a, cell.b), cell.without, strict=True)
    ]
    pairs = [_pair(frame, row, column) for frame in comparison.frames]
    rest = f"A − B {_signed(readable, cell.difference)}"
    if pairs[0] == pairs[1] or not all(pairs):
        return f"{pairs[0] or pairs[1]}: A {words[0]}; B {words[1]}; {rest}"
    return f"A, {pairs[0]}: {words[0]}; B, {pairs[1]}: {words[1]}; {rest}"


def compared_title(comparison: Comparison, row: int, column: int) -> str:
    """Return which cell it is, by the tokens of A, or of B where A has none."""
    pairs = (_pair(frame, row, column, "") for frame in comparison.frames)
    return next((pair for pair in pairs if pair), NO_CELL)


def compared_steps(comparison: Comparison, row: int, column: int) -> tuple[Step, ...]:
    """Return A, B and A − B of a cell, a line each."""
    cell = compared_cell(comparison, row, column)
    text = weight_text if comparison.view.stage is Stage.WEIGHTS else _score_text
    lines = [
        Step(f"{name}: {number_word(frame, comparison.view.stage)}", text(number))
        if number is not None
        else Step(name, why)
        for name, frame, number, why in zip("AB", comparison.frames, (cell.a, cell.b), cell.without, strict=True)
    ]
    return (*lines, Step("A − B", _signed(_size_text, cell.difference), is_result=True))


def of_a(reading: Reading) -> Reading:
    """Return a reading that says whose it is: while two are compared, the list is A's."""
    return replace(reading, title=f"A: {reading.title}")


def compared_table(comparison: Comparison, reading: Reading) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return a row or column of A, B and A − B as a header and rows, with the tokens of both where they differ."""
    a, b = comparison.frames
    tokens = [frame.keys if reading.is_row else frame.queries for frame in (a, b)]
    rows: list[tuple[object, ...]] = []
    for place in range(max(map(len, tokens))):
        row, column = (reading.index, place) if reading.is_row else (place, reading.index)
        cell = compared_cell(comparison, row, column)
        numbers = ("" if number is None else number for number in (cell.a, cell.b, cell.difference))
        named = [side[place] if place < len(side) else "" for side in tokens]
        rows.append((*(named if tokens[0] != tokens[1] else named[:1]), a.count.number(place), *numbers))
    word = comparison.view.stage.value.removesuffix("s") if comparison.view.stage is Stage.WEIGHTS else "score"
    names = ("token",) if tokens[0] == tokens[1] else ("token of A", "token of B")
    return (*names, "position", f"A {word}", f"B {word}", "A − B"), rows


def _pair(frame: HeadsFrame, row: int, column: int, kind: str = "query ") -> str:
    if row >= frame.shape[0] or column >= frame.shape[1]:
        return ""
    return f"{kind}{query_name(frame, row)} → {'key ' if kind else ''}{key_name(frame, column)}"


def _signed(text: Callable[[float], str], difference: float | None) -> str:
    if difference is None:
        return "none"
    return f"{'+' if difference > 0 else MINUS if difference < 0 else ''}{text(abs(difference))}"


def _score_text(score: float) -> str:
    return compact(score, sign=True)


def _size_text(size: float) -> str:
    return weight_text(size) if size < 10 else scientific(size)
