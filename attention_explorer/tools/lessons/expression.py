"""The conditions of lessons: a small language over dotted names. Nothing in it is run as Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from attention_explorer.core.named import Chooser, ExpressionError, Group, Member, Shown
from attention_explorer.core.numerals import parsed_number
from attention_explorer.errors import ExplorerError, quoted

LONGEST, DEEPEST = 500, 24
"""Characters of an expression, and parts within each other."""


Value: TypeAlias = "float | bool | str | npt.NDArray[Any]"

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_SUMS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = MappingProxyType({"abs": abs, "min": min, "max": max})
_NAMED = (ast.Name, ast.Attribute, ast.Subscript)
_FORMS = (
    *_NAMED,
    *(ast.Constant, ast.Call, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp),
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd, ast.Load),
    *_COMPARISONS,
    *_SUMS,
)
ALLOWED = "names, numbers, comparisons, and, or, not, + - * /, abs, min and max"


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of a lesson, parsed.

    Attributes
    ----------
    text : str
        As it stands in the file.
    tree : ast.expr
        Of the forms that are allowed only.
    """

    text: str
    tree: ast.expr

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it, each with its indices, in order: "lookup.weights[1]"."""
        found = dict.fromkeys(ast.unparse(node) for node in _outermost_names(self.tree))
        return tuple(found)

    def value(self, pages: Group) -> Value:
        """Return what it comes to.

        Parameters
        ----------
        pages : Group
            The pages by their names.

        Returns
        -------
        float, bool, str or ndarray
            An array where a name stands for one.

        Raises
        ------
        ExpressionError
            It names what is not there, compares what cannot be compared, or divides by zero.
        """
        return _value(self.tree, pages)

    def holds(self, pages: Group) -> bool:
        """Return whether a condition is met; errors as in `value`, or if it is no condition."""
        return _truth(self.value(pages), self.text)

    def words(self, pages: Group) -> tuple[tuple[str, str], ...]:
        """Return each name in it with what the window calls it: ("lookup.weights[1]", "α₂")."""
        return tuple((ast.unparse(node), _called(node, pages)) for node in _outermost_names(self.tree))


def expression(text: str, *, has_powers: bool = False) -> Expression:
    """Parse an expression; with powers it may have ``**`` too, which conditions need not have.

    Raises
    ------
    ExpressionError
        It is none, is too long, or holds something that is not allowed; the message says what.
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"it has {len(text)} characters, but may have {LONGEST} at most")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"it cannot be read at character {error.offset or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):  # a null character; thousands of brackets
        raise ExpressionError("it cannot be read") from None
    if not has_powers and any(isinstance(node, ast.Pow) for node in ast.walk(tree)):
        raise ExpressionError(f"Pow is not allowed in it: only {ALLOWED}")
    _check(tree, DEEPEST)
    return Expression(text, tree)


# ---- What may stand in it ----


def _check(node: ast.AST, deeper: int) -> None:
    if deeper == 0:
        raise ExpressionError(f"its parts are nested more than {DEEPEST} deep")
    if not isinstance(node, _FORMS):
        raise ExpressionError(f"{type(node).__name__} is not allowed in it: only {ALLOWED}")
    if isinstance(node, ast.Constant):
        _check_constant(node.value)
    elif isinstance(node, ast.Call):
        _check_call(node)
    elif isinstance(node, ast.Subscript):
        _index(node)
    elif isinstance(node, ast.Attribute) and not isinstance(node.value, (*_NAMED, ast.Call)):
        raise ExpressionError(f"“.{node.attr}” must follow a name")
    for inner in ast.iter_child_nodes(node):
        _check(inner, deeper - 1)


def _check_constant(value: object) -> None:
    if not isinstance(value, bool | int | float | str):
        raise ExpressionError(f"{value!r} is not allowed in it: only {ALLOWED}")
    if isinstance(value, int | float) and not abs(value) < 1e300:
        raise ExpressionError("it holds a number that is too large")


def _check_call(node: ast.Call) -> None:
    if node.keywords:
        raise ExpressionError("there are no arguments with names in it")
    if isinstance(node.func, ast.Attribute):
        chosen = node.args[0] if len(node.args) == 1 else None
        if not (isinstance(chosen, ast.Constant) and type(chosen.value) in (str, int)):
            raise ExpressionError(f'“.{node.func.attr}” takes one text or whole number, as in .{node.func.attr}("it")')
    elif not (isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS):
        raise ExpressionError(f"{quoted(ast.unparse(node.func))} is no function: there are abs, min and max")
    elif len(node.args) != 1 if node.func.id == "abs" else len(node.args) < 2:
        raise ExpressionError(f"{node.func.id} takes {'one number' if node.func.id == 'abs' else 'two or more'}")


def _index(node: ast.Subscript) -> int:
    """Return the index, which must be written out."""
    number = node.slice
    if not (isinstance(number, ast.Constant) and type(number.value) is int):
        raise ExpressionError(f"“[{ast.unparse(number)}]” must be a whole number, counted from 0")
    return number.value


# ---- Names ----


def _outermost_names(node: ast.AST) -> list[ast.expr]:
    """Return every name with all that belongs to it, as `heads.row("it").top`."""
    if isinstance(node, _NAMED):
        return [node]
    inner = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [node]
    return [name for part in inner for name in _outermost_names(part)]


def _found(node: ast.expr, pages: Group) -> tuple[Member, tuple[int, ...]]:
    """Return what a name stands for, and the indices that follow it."""
    if isinstance(node, ast.Name):
        return pages.member(node.id), ()
    if isinstance(node, ast.Attribute):
        group, indices = _found(node.value, pages)
        if not isinstance(group, Group) or indices:
            raise ExpressionError(f"{quoted(ast.unparse(node.value))} has nothing called {quoted(node.attr)}")
        return group.member(node.attr), ()
    if isinstance(node, ast.Call):
        chooser, _ = _found(node.func, pages)
        if not isinstance(chooser, Chooser):
            raise ExpressionError(f"{quoted(ast.unparse(node.func))} takes nothing in brackets")
        return chooser.choose(node.args[0].value), ()  # type: ignore[attr-defined] # `_check_call` saw to it
    subscript = cast("ast.Subscript", node)  # the last of the forms of a name
    member, indices = _found(subscript.value, pages)
    return member, (*indices, _index(subscript))


def _shown(node: ast.expr, pages: Group) -> tuple[Shown, tuple[int, ...]]:
    member, indices = _found(node, pages)
    if not isinstance(member, Shown):
        members = ", ".join(member.members) if isinstance(member, Group) else "a text or number in brackets"
        raise ExpressionError(f"{quoted(ast.unparse(node))} is no number: after it comes {members}")
    return member, indices


def _called(node: ast.expr, pages: Group) -> str:
    shown, indices = _shown(node, pages)
    _picked(node, shown.value, indices)
    return shown.called(*indices)


def _picked(node: ast.expr, value: object, indices: tuple[int, ...]) -> Value:
    picked: Any = value
    for index in indices:
        if isinstance(picked, str) or not isinstance(picked, tuple | np.ndarray) or np.ndim(picked) == 0:
            raise ExpressionError(f"{quoted(ast.unparse(node))} has an index too many")
        if not index < len(picked):
            raise ExpressionError(f"{quoted(ast.unparse(node))}: there are {len(picked)}, from 0 to {len(picked) - 1}")
        picked = picked[index]
    if isinstance(picked, tuple):
        return np.asarray(picked)
    if isinstance(picked, np.ndarray) and picked.ndim:
        return picked
    return picked if isinstance(picked, str | bool) else _as_number(picked)


def _as_number(value: float | np.bool_) -> float | bool:
    return bool(value) if isinstance(value, np.bool_) else float(value)


# ---- What it comes to ----


def _value(node: ast.expr, pages: Group) -> Value:
    if isinstance(node, ast.Constant):
        constant: Value = node.value if isinstance(node.value, str | bool) else float(node.value)  # type: ignore[arg-type]
        return constant
    if isinstance(node, ast.BoolOp):
        parts = (_truth(_value(part, pages), ast.unparse(part)) for part in node.values)
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp):
        return _turned(node, pages)
    if isinstance(node, ast.Compare):
        return _compared(node, pages)
    if isinstance(node, ast.BinOp):
        return _summed(node, pages)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _FUNCTIONS[node.func.id](*(_number(part, pages) for part in node.args))
    shown, indices = _shown(node, pages)
    return _picked(node, shown.value, indices)


def _turned(node: ast.UnaryOp, pages: Group) -> float | bool:
    if isinstance(node.op, ast.Not):
        return not _truth(_value(node.operand, pages), ast.unparse(node.operand))
    number = _number(node.operand, pages)
    return -number if isinstance(node.op, ast.USub) else number


def _compared(node: ast.Compare, pages: Group) -> bool:
    left = _single(node.left, pages)
    for kind, part in zip(node.ops, node.comparators, strict=True):
        right = _single(part, pages)
        if isinstance(left, str) != isinstance(right, str):
            raise ExpressionError(f"{quoted(ast.unparse(node))} compares a text with a number")
        if not _COMPARISONS[type(kind)](left, right):
            return False
        left = right
    return True


def _summed(node: ast.BinOp, pages: Group) -> float:
    left, right = _number(node.left, pages), _number(node.right, pages)
    if isinstance(node.op, ast.Div) and right == 0:
        raise ExpressionError(f"{quoted(ast.unparse(node))} divides by zero")
    return _finite(partial(_SUMS[type(node.op)], left, right), node)


def _finite(compute: Callable[[], float], node: ast.expr) -> float:
    try:
        number = compute()
    except (OverflowError, ValueError):  # of a power, also of a negative number that has none
        number = math.inf
    if not math.isfinite(number):
        raise ExpressionError(f"{quoted(ast.unparse(node))} is not finite")
    return number


def _single(node: ast.expr, pages: Group) -> float | bool | str:
    value = _value(node, pages)
    if isinstance(value, np.ndarray):
        shape = " × ".join(map(str, value.shape))
        raise ExpressionError(f"{quoted(ast.unparse(node))} holds {shape} numbers: say which, as in [0]")
    return value


def _number(node: ast.expr, pages: Group) -> float:
    value = _single(node, pages)
    if isinstance(value, str):
        raise ExpressionError(f"{quoted(ast.unparse(node))} is a text, not a number")
    return float(value)


def _truth(value: Value, text: str) -> bool:
    if isinstance(value, bool):
        return value
    raise ExpressionError(f"{quoted(text)} is no condition: compare it with something")


EXAMPLE_OF_A_SUM = "2·3 + e^2"
_AS_PYTHON = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "^": "~", ":": "/"})
_NAMES = Group({"e": lambda: Shown(math.e, "e")})


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
