"""What is said of a row of a head that is shown as a lookup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attention_explorer.core.numerals import counted, full, percent, signed, subscript, vector
from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import REST, Part

if TYPE_CHECKING:
    # Loaded when there is a row: sources would delay the first picture.
    from attention_explorer.pages.lookup.open_row import OpenRow


def row_part_in_words(frame: LookupFrame, row: OpenRow, part: Part, place: str) -> str:
    """Return a key or a value of a row, at a place, in one line."""
    weight = f"weight {full(frame.weights[part.index])}"
    if part.index == REST:
        what = "keys" if part.role is Role.KEY else "values"
        others = counted(frame.numbers_of_keys[REST], "other")
        return f"{others} · the mean of their {what} by their weights = {place} · together {weight}"
    text = f"{part.symbol} “{row.names[part.index]}” = {place}"
    if part.role is Role.VALUE:
        return f"{text} · {weight}"
    score = f"q·{part.symbol} = {signed(frame.attention.scores[part.index])}"
    if row.has_bias:
        score += f" · bias {signed(float(row.plane.bias[row.plane.heaviest[part.index]]))}"
    return f"{text} · {score} · {weight}"


def rest_terms(frame: LookupFrame) -> str:
    """Return what stands for the powers of all keys without a name."""
    return f"{frame.numbers_of_keys[REST]} powers"


def best_name(index: int) -> str:
    """Return what the highest score of an entry is called in a hard lookup."""
    return "best of the rest" if index == REST else f"q·k{subscript(index + 1)}"


def whose_weights(frame: LookupFrame, row: OpenRow) -> str:
    """Say whether the weights are those of the head, and if not, what they are."""
    if frame.is_own:
        return "These are the head’s own weights of this row."
    state, of = frame.state, row.of
    if state.hard is not of.hard or not (state.hard or state.temperature == of.temperature):
        own = "hard" if of.hard else f"soft, at temperature {of.temperature:g}"
        return f"Not the head’s own weights: it is {own}."
    return "q has been moved: the head would give these weights to such a query."


def row_caption(frame: LookupFrame, row: OpenRow, lookup: str) -> str:
    """Return what a figure says below it: which row, the lookup in numbers, whose weights, what is masked."""
    return _sentences(row.title, lookup, whose_weights(frame, row), row.hidden_words, row.origin, _counted(row))


def _counted(row: OpenRow) -> str:
    return row.of.count.said_of(row.title)


def _sentences(*sentences: str) -> str:
    """Return what is there, each with a capital and a full stop."""
    return " ".join(f"{words[0].upper()}{words[1:].removesuffix('.')}." for words in sentences if words)


def row_description(frame: LookupFrame, row: OpenRow) -> str:
    """Return the whole picture in words, for people who cannot see it."""
    state = frame.state
    parts = [f"query at {vector(state.query)}"]
    for i, key in enumerate(state.keys):
        name = f"{counted(frame.numbers_of_keys[i], 'other')}" if i == REST else f"k{subscript(i + 1)} “{row.names[i]}”"
        parts.append(f"{name} at {vector(key)} with weight {percent(float(frame.weights[i]))}")
    kind = "Hard" if state.hard else "Soft"
    parts.append(f"output {vector(tuple(frame.output.tolist()))} in the plane of values")
    lookup = f"{kind} lookup, {row.title}: {'; '.join(parts)}"
    return _sentences(lookup, whose_weights(frame, row), row.hidden_words, row.origin, _counted(row))
