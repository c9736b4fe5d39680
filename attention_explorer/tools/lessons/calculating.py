"""A calculator in the line where an answer is typed: 2·3 + e^2 is a number too."""

from __future__ import annotations

import math

from attention_explorer.core.numerals import parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.tools.lessons.expression import ExpressionError, Group, Shown, expression

EXAMPLE = "2·3 + e^2"
_AS_PYTHON = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "^": "~", ":": "/"})
_NAMES = Group({"e": lambda: Shown(math.e, lambda: "e")})


def calculated(text: str) -> float:
    """Return the number that is typed, or what a sum of numbers comes to.

    Numbers, ``e``, ``+ − · / ^`` and brackets, as conditions have them.

    Raises
    ------
    ExplorerError
        It is neither.
    """
    try:
        return parsed_number(text)
    except ExplorerError:
        try:
            typed = expression(text.translate(_AS_PYTHON).replace("~", "**"), has_powers=True)
        except ExpressionError:
            typed = None
        if typed is None or not _NAMES.members.keys() >= set(typed.names):
            raise
    try:
        found = typed.value(_NAMES)
    except ExpressionError:
        found = False
    if not isinstance(found, float):  # True and False are none
        raise ExplorerError(f"{quoted(text)} comes to no number.")
    return found
