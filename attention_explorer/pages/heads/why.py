"""Why a query scores a key as it does, in words: the largest of the products that add up to q·k."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import MINUS, counted, readable
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.wording import one, products

MOST_NAMED, MOST_IN_SHORT = 3, 2
"""Products that are named, the others added up; and in the one line that there is room for beside the arithmetic."""
NOTHING = "all products of query and key are 0"


def why_short(frame: HeadsFrame, row: int, column: int) -> str:
    """Return the two largest products of a cell, in a line; empty where nothing is to be told."""
    terms = _terms(frame, row, column)
    if terms is None:
        return ""
    if not terms.any():
        return f"Why? {_sentence([NOTHING])}"
    named = [
        f"{_number(float(terms[feature]), sign=True)} from {'' if place else 'feature '}{frame.count.number(feature)}"
        for place, feature in enumerate(_largest(terms, MOST_IN_SHORT))
    ]
    return f"Why? {', '.join(named)}."


def why(frame: HeadsFrame, row: int, column: int) -> str:
    """Return which features decide the score of a cell, what the others come to, and how many keys it beats.

    Empty where nothing is to be told: several heads in one, weights alone, a hidden cell, products beyond the floats.
    """
    terms = _terms(frame, row, column)
    if terms is None:
        return ""
    parts = _named(frame, terms, MOST_NAMED)
    others = np.delete(terms, _largest(terms, MOST_NAMED))
    if len(others) and terms.any():
        parts.append(_rest(others))
    return f"Why? {_sentence(parts)} {_rank(frame, row, column)}"


def _terms(frame: HeadsFrame, row: int, column: int) -> FloatArray | None:
    """Return the products of a cell (d_k,); None where no products decide it."""
    if not (frame.is_one_head and frame.map.has_scores and frame.map.allowed(one(row), one(column))[0, 0]):
        return None
    terms = products(frame, row, column)[:, 2].astype(np.float64)
    return terms if np.isfinite(terms).all() else None


def _largest(terms: FloatArray, most: int) -> list[int]:
    """Return the features with the largest products, the largest first; those of 0 are no reason for anything."""
    return [int(feature) for feature in np.argsort(-np.abs(terms), kind="stable")[:most] if terms[feature]]


def _named(frame: HeadsFrame, terms: FloatArray, most: int) -> list[str]:
    """Return what the largest products do, those that add before those that take away."""
    if not terms.any():
        return [NOTHING]
    named = _largest(terms, most)
    signs = (("add", "", [f for f in named if terms[f] > 0]), ("take", " away", [f for f in named if terms[f] < 0]))
    return [_said(frame, terms, features, verb, end) for verb, end, features in signs if features]


def _sentence(parts: list[str]) -> str:
    said = _listed(parts)
    return f"{said[0].upper()}{said[1:]}."


def _rest(others: FloatArray) -> str:
    """Return what the products without a name come to."""
    is_one = len(others) == 1
    what = "the other product" if is_one else f"the other {len(others)} products"
    if not others.any():
        return f"{what} {'is' if is_one else 'are'} 0"
    return f"{what} {'comes' if is_one else 'come'} to {_number(float(others.sum()), sign=True)}"


def _number(number: float, *, sign: bool = False) -> str:
    size = readable(float(f"{abs(number):.3g}"), 3)
    return f"{MINUS if number < 0 else '+'}{size}" if sign else size


def _said(frame: HeadsFrame, terms: FloatArray, features: list[int], verb: str, end: str) -> str:
    """Return what some features do: features 3 and 7 add 0.42 and 0.33."""
    numbers = _listed([str(frame.count.number(feature)) for feature in features])
    sizes = _listed([_number(terms[feature]) for feature in features])
    is_one = len(features) == 1
    return f"feature{'s' * (not is_one)} {numbers} {verb}{'s' * is_one} {sizes}{end}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rank(frame: HeadsFrame, row: int, column: int) -> str:
    """Return how many of the other keys that the query sees score less."""
    scores = frame.map.scores(one(row), stage=Stage.MASKED)[0]
    seen = np.flatnonzero(frame.map.allowed(one(row))[0])
    others = len(seen) - 1
    if not others:
        return "It is the only key that this query sees."
    below = int((scores[seen] < scores[column]).sum())
    if below == others:
        return "No other key of the row scores as much."
    return f"Of the {counted(others, 'other key')}, {below or 'none'} score{'s' * (below == 1)} less."
