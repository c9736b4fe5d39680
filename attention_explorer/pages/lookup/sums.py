"""The sum behind a weight and an output, with the real numbers: as lines of text and as formulas."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial

from attention_explorer.core.numerals import compact, coordinate, plain, scientific, signed, subscript, vector
from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.numbers import FloatArray, LookupFrame
from attention_explorer.pages.lookup.state import QUERY, REST, LookupState, Part, ValueKind

LARGEST_EXPONENT = 12.0
"""Beyond e^12 the powers are unreadable; the model subtracts the maximum anyway, so there the words do the same."""

POWER_DIGITS = 7
"""Significant digits of a power: with these, dividing the powers shown gives the six decimals of the weight."""

FORMULA_TERMS, FORMULA_DIGITS = 2, 5
"""Of a formula beside the picture the terms of a long sum, and the digits of a power: they give four decimals."""

MOST_TERMS = 3
"""Terms of a sum that are written out before the rest is counted instead."""


def key_name(index: int) -> str:
    """Return k₁ for index 0, and what all keys without a name are called."""
    return "the rest" if index == REST else f"k{subscript(index + 1)}"


def weight_name(index: int) -> str:
    """Return α₁ for index 0."""
    return f"α{'…' if index == REST else subscript(index + 1)}"


def rest_terms(frame: LookupFrame) -> str:
    """Return what stands for the powers of all keys without a name."""
    return f"{frame.numbers_of_keys[REST]} powers"


def best_name(index: int) -> str:
    """Return what the highest score of an entry is called in a hard lookup."""
    return "best of the rest" if index == REST else f"q·k{subscript(index + 1)}"


def logit_text(state: LookupState) -> str:
    """Return how a score enters the exponent: q·k, q·k/√2 or q·k/(√2·T), T being the temperature."""
    below = [*(["√2"] if state.scaled else []), *(["T"] if state.temperature != 1 else [])]
    if not below:
        return "q·k"
    return "q·k/" + (below[0] if len(below) == 1 else f"({'·'.join(below)})")


def score_name(frame: LookupFrame) -> str:
    """Return what a score is: q·k, or q·k + b if a bias is added to it, as in some heads."""
    return "q·k + b" if frame.row is not None and frame.row.has_bias else "q·k"


def exponent_text(frame: LookupFrame) -> str:
    """Return how a score of a frame enters the exponent."""
    name, logit = score_name(frame), logit_text(frame.state)
    return logit.replace("q·k", name if logit == "q·k" or name == "q·k" else f"({name})")


def weight_sum(frame: LookupFrame, index: int) -> list[str]:
    """Return the arithmetic that made one weight, line by line, with the real numbers."""
    return _hard_sum(frame, index) if frame.state.hard else _soft_sum(frame, index)


def _hard_sum(frame: LookupFrame, index: int) -> list[str]:
    scores = frame.scores
    order = sorted(range(len(scores)), key=lambda j: -scores[j])[:4]
    best = ", ".join(f"{best_name(j)} = {signed(scores[j])}" for j in order)
    weight = round(float(frame.weights[index]))
    verdict = "the highest score takes everything" if weight else "not the highest score, so nothing"
    if index in frame.winners and len(frame.winners) > 1:
        picked = "the first" if frame.tie_is_exact else "the one picked"
        verdict = f"of the tied keys, {picked}" if weight else "it ties, but only one key is picked"
    return [best + (" …" if len(scores) > 4 else ""), f"{verdict}:", f"{weight_name(index)} = {weight}"]


def _soft_sum(frame: LookupFrame, index: int) -> list[str]:
    power, powers, term, terms = _soft_terms(frame, index)
    return [
        f"{weight_name(index)} = {power} ÷ ({powers})",
        f"= {term} ÷ ({terms})",
        f"= {weight_text(float(frame.weights[index]))}",
    ]


def _soft_terms(
    frame: LookupFrame, index: int, digits: int = POWER_DIGITS, most: int = MOST_TERMS
) -> tuple[str, str, str, str]:
    """Return what stands above and below in the fraction of a weight: as powers of e, and with their numbers.

    ``digits`` are those of a power, ``most`` the terms that are written where there are more than `MOST_TERMS`.
    """
    logits = (frame.attention.masked / frame.state.temperature).tolist()
    shift = _taken_off(frame)
    powers = [math.exp(x - shift) for x in logits]
    order = [index, *(j for j in range(len(logits)) if j != index)] if len(logits) > MOST_TERMS else range(len(logits))
    shown = sorted(list(order)[: most if len(logits) > MOST_TERMS else MOST_TERMS])
    rest = sum(frame.numbers_of_keys) - sum(frame.numbers_of_keys[j] for j in shown)
    more = f" + {rest} more" if rest else ""
    decimals = _exponent_decimals([logits[j] - shift for j in shown], digits)
    named = [rest_terms(frame) if j == REST else f"e^{plain(logits[j] - shift, decimals)}" for j in range(len(logits))]
    exponents = " + ".join(named[j] for j in shown) + more
    terms = " + ".join(_power_text(powers[j], digits) for j in shown) + more
    return named[index], exponents, _power_text(powers[index], digits), terms


_EXPONENT, _WORDS = re.compile(r"e\^([−\d.]+)"), re.compile(r"\d+ (?:more|powers)|best of the rest|the rest")


def _as_formula(text: str) -> str:
    """Return a sum as formulas are written: exponents in braces, words in quotation marks."""
    return _EXPONENT.sub(r"e^{\1}", _WORDS.sub(lambda found: f'"{found[0]}"', text))


def sum_formulas(frame: LookupFrame, index: int) -> tuple[str, ...]:
    """Return the arithmetic that made one weight and the output, as formulas with the real numbers."""
    name = f"[weight:key]{{{weight_name(index)}}}"
    if frame.state.hard:
        scores, _, _ = _hard_sum(frame, index)
        return _as_formula(scores), f"{name} = {round(float(frame.weights[index]))}", *_output_formulas(frame)
    power, powers, term, terms = map(_as_formula, _soft_terms(frame, index, FORMULA_DIGITS, FORMULA_TERMS))
    weight = float(frame.weights[index])
    found = f"[weight:key]{{{f'{weight:.4f}' if weight >= 1e-3 or weight == 0 else scientific(weight)}}}"
    return f"{name} = {{{power}}}/{{{powers}}}", f"= {{{term}}}/{{{terms}}} = {found}", *_output_formulas(frame)


def _output_formulas(frame: LookupFrame) -> tuple[str, ...]:
    """Return the sum that makes the output; in two lines where it has many terms."""
    left, terms, right = output_sum(frame).split(" = ")
    sum_ = f"[o:output]{{{left}}} = " + re.sub(r"·([kv][₀-₉…]+)", r" [\1:value]{\1}", terms)
    found = f"= [o:output]{{{right}}}"
    return (f"{sum_} {found}",) if terms.count("+") < MOST_TERMS - 1 else (sum_, found)


def _exponent_decimals(exponents: list[float], most: int) -> int:
    """Return how many decimals, at least 2, the exponents need so that a calculator gives the powers shown."""
    close = 0.5 * 10.0**-most  # such an error changes a power by less than its last digit
    return next(d for d in range(2, most + 1) if d == most or all(abs(x - round(x, d)) <= close for x in exponents))


def _power_text(power: float, digits: int) -> str:
    return f"{power:.{digits}g}" if power >= 1e-3 else scientific(power, digits - 1)


def weight_text(weight: float) -> str:
    """Return a weight with six decimals, or a very small one in powers of ten."""
    return f"{weight:.6f}" if weight >= 1e-4 or weight == 0 else scientific(weight)


def exponent_note(frame: LookupFrame) -> str:
    """Return what stands in the exponents of the sum, and the largest of them where it was taken off all."""
    if frame.state.hard:
        return "arg max: no sum"
    shift = _taken_off(frame)
    taken = f" {'+' if shift < 0 else '−'} {compact(abs(shift))}" if shift else ""
    return f"above each e stands {exponent_text(frame)}{taken}"


def _taken_off(frame: LookupFrame) -> float:
    """Return what is taken off every exponent: the largest where one is far from 0, else nothing."""
    logits = frame.attention.masked / frame.state.temperature
    return float(logits.max()) if float(abs(logits).max()) > LARGEST_EXPONENT else 0.0


def output_sum(frame: LookupFrame) -> str:
    """Return o = 0.91·v₁ + 0.09·v₂ = (+1.78, +0.37)."""
    letter = "k" if frame.state.values is ValueKind.KEYS else "v"
    order = sorted(range(len(frame.weights)), key=lambda j: -frame.weights[j])
    shown = sorted(order[:MOST_TERMS])
    terms = [f"{frame.weights[j]:.2f}·{letter}{'…' if j == REST else subscript(j + 1)}" for j in shown]
    more = " + …" if len(order) > MOST_TERMS else ""
    return f"o = {' + '.join(terms)}{more} = {output_text(frame.output)}"


def output_text(output: FloatArray) -> str:
    """Return an output; a plain number with a digit more."""
    return vector(tuple(output.tolist()), 3 if len(output) == 1 else 2)


# ---- The exact table ----
# The exact numbers of a lookup as rows and columns: coordinates that can be typed, and everything computed of them.


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    X = 1
    Y = 2
    LENGTH = 3
    SCORE = 4
    COSINE = 5
    WEIGHT = 6
    VALUE_X = 7
    VALUE_Y = 8
    CONTRIBUTION = 9


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of the table.

    Attributes
    ----------
    text : str
        How it is written.
    ink : str
        A field of `Theme`.
    is_bold : bool
        Whether its letters are bold.
    number : float or None
        What it shows, with every digit; None if it has no number, or more than one.
    edits : (Part, int) or None
        The part that typing moves, and which of its coordinates.
    tip : str
        What else there is to say of it.
    """

    text: str = ""
    ink: str = "text"
    is_bold: bool = False
    number: float | None = None
    edits: tuple[Part, int] | None = None
    tip: str = ""


def parts_of(state: LookupState) -> tuple[Part | None, ...]:
    """Return of what the rows are: query, keys, the target where it is shown, and None for the output."""
    return (*(part for part in state.parts() if part.role is not Role.VALUE), None)


def cells_of(frame: LookupFrame, *, is_withheld: bool = False) -> list[list[TableCell]]:
    """Return the rows of the table; where it is withheld, with “?” for all that is computed."""
    rows = []
    for part in parts_of(frame.state):
        found = _output_cells(frame) if part is None else _part_cells(frame, part)
        if is_withheld:
            given = (Column.NAME,) if part is None else (Column.NAME, *_COORDINATES)
            found |= {
                column: TableCell("?", was.ink, was.is_bold) for column, was in found.items() if column not in given
            }
        rows.append([found.get(column, TableCell()) for column in Column])
    return rows


_COORDINATES = (Column.X, Column.Y, Column.VALUE_X, Column.VALUE_Y)


def _output_cells(frame: LookupFrame) -> dict[Column, TableCell]:
    total, output = float(frame.weights.sum()), frame.output.tolist()
    found = {Column.NAME: TableCell("o"), Column.WEIGHT: TableCell(_weight(total), number=total)}
    found |= {Column(Column.X + axis): _signed(at) for axis, at in enumerate(output)}
    found[Column.CONTRIBUTION] = TableCell(_sum(output))
    return {column: replace(cell, ink="output_ink", is_bold=True) for column, cell in found.items()}


def _part_cells(frame: LookupFrame, part: Part) -> dict[Column, TableCell]:
    """Return what there is to say of the query, a key or the target."""
    state, index = frame.state, part.index
    is_key, is_fixed = part.role is Role.KEY, state.is_fixed(part)
    token = frame.row.names[index] if frame.row is not None and is_key else ""
    ink = "loss_ink" if part.role is Role.TARGET else f"{part.role}_ink"
    place = state.position(part)[: 1 if state.on_number_line(part) else 2]
    found = {Column.NAME: TableCell(part.symbol, ink, is_bold=True, tip=token)}
    # Those of a head are computed, with more digits than anybody would type.
    found |= _coordinates(Column.X, place, compact if is_fixed else coordinate, None if is_fixed else part)
    if part == QUERY:
        found[Column.LENGTH] = TableCell(compact(frame.query_length), number=frame.query_length)
    return found | _key_cells(frame, index) if is_key else found


def _key_cells(frame: LookupFrame, index: int) -> dict[Column, TableCell]:
    """Return what is computed of a key, and its value."""
    part, is_tied = Part(Role.VALUE, index), frame.state.values is ValueKind.KEYS
    is_fixed, ink = frame.state.is_fixed(part), "muted" if is_tied else "value_ink"
    shown = compact if is_fixed else partial(coordinate, digits=5)
    length, weight = float(frame.key_lengths[index]), float(frame.weights[index])
    return {
        Column.LENGTH: _cell(length, compact(length)),
        Column.SCORE: _signed(math.nan if index == REST else float(frame.scores[index])),
        Column.COSINE: _signed(float(frame.cosines[index])),
        Column.WEIGHT: TableCell(_weight(weight), number=weight),
        **_coordinates(Column.VALUE_X, frame.values[index].tolist(), shown, None if is_tied or is_fixed else part, ink),
        Column.CONTRIBUTION: TableCell(_sum(frame.contributions[index].tolist()), "value_ink"),
    }


def _coordinates(
    first: Column, numbers: Sequence[float], shown: Callable[[float], str], part: Part | None, ink: str = "text"
) -> dict[Column, TableCell]:
    """Return coordinates from a column on; of a ``part`` they are typed."""
    return {
        Column(first + axis): TableCell(shown(number), ink, number=number, edits=None if part is None else (part, axis))
        for axis, number in enumerate(numbers)
    }


def _signed(number: float) -> TableCell:
    return _cell(number, compact(number, sign=True))


def _cell(number: float, text: str) -> TableCell:
    return TableCell("–" if math.isnan(number) else text, number=number)


def _weight(number: float) -> str:
    return f"{number:.6f}" if number >= 1e-6 or number == 0 else f"{number:.2e}"


def _sum(row: list[float]) -> str:
    text = ", ".join(compact(number, sign=True) for number in row)
    return text if len(row) == 1 else f"({text})"
