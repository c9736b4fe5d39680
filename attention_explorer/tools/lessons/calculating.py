"""A calculator in the line where an answer is typed: 2·3 + e^2 is a number too."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

from attention_explorer.core.numerals import parsed_number
from attention_explorer.errors import ExplorerError, quoted

EXAMPLE = "2·3 + e^2"
LONGEST, DEEPEST = 200, 30
"""Characters, and parts within each other."""
_AS_PYTHON = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "^": "~", ":": "/"})
_DOES: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def calculated(text: str) -> float:
    """Return the number that is typed, or what a sum of numbers comes to.

    Numbers, ``e``, ``+ − · / ^`` and brackets. Nothing is run as Python.

    Raises
    ------
    ExplorerError
        It is neither.
    """
    try:
        return parsed_number(text)
    except ExplorerError:
        found = _sum(text)
        if found is None:
            raise
    if not math.isfinite(found):
        raise ExplorerError(f"{quoted(text)} comes to no number.")
    return found


def _sum(text: str) -> float | None:
    """Return what a sum comes to: infinite where it comes to nothing; None if it is none."""
    if len(text) > LONGEST:
        return None
    try:
        tree = ast.parse(text.strip().translate(_AS_PYTHON).replace("~", "**"), mode="eval").body
        return _value(tree, DEEPEST)
    except (SyntaxError, ValueError, _NoSum):
        return None
    except (OverflowError, ZeroDivisionError):
        return math.inf


class _NoSum(Exception):  # noqa: N818 # it is caught here
    """Something stands in a sum that is no part of one."""


def _value(tree: ast.expr, depth: int) -> float:
    if depth and isinstance(tree, ast.BinOp) and type(tree.op) in _DOES:
        left, right = _value(tree.left, depth - 1), _value(tree.right, depth - 1)
        return _DOES[type(tree.op)](left, right)
    if depth and isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
        found = _value(tree.operand, depth - 1)
        return -found if isinstance(tree.op, ast.USub) else found
    if isinstance(tree, ast.Name) and tree.id == "e":
        return math.e
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int | float) and not isinstance(tree.value, bool):
        return float(tree.value)
    raise _NoSum
