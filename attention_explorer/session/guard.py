"""No error ends the process because Qt was on the way: what a method of ours raises where Qt calls it is reported.

On Python 3.11, PySide takes the process down where Qt, called by Python, calls a method of ours in which Python itself
raises: `zip(strict=True)`, `math.log`, `int()`, an index, `max(())`, NumPy. Where it does not, the error comes out of
the call of Qt and leaves half of something done. So every method of this package that stands in for one of Qt's is
guarded as soon as its class is made: the error goes to ``sys.excepthook``, and Qt gets an empty answer.
"""

from __future__ import annotations

import enum
import functools
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

from shiboken6 import Shiboken

CALLED_BY_PYTHON_ALONE = frozenset({"drawImage", "setFont", "setText", "setToolTip"})
"""Methods of Qt that Qt never calls where a class of ours has one of that name: their errors go to who calls them."""


def install() -> None:
    """Guard all classes of this package that are made from now on."""
    Shiboken.Object.__init_subclass__ = classmethod(_guard)  # type: ignore[method-assign, assignment]


def overridden(kind: type) -> list[str]:
    """Return the names of the methods that a class has in place of Qt's, or of those that pyqtgraph has."""
    bases = [vars(base) for base in kind.__mro__[1:] if base.__module__.startswith(("PySide6.", "pyqtgraph."))]
    return [
        name
        for name, value in vars(kind).items()
        if isinstance(value, types.FunctionType)
        and not name.startswith("__")
        and name not in CALLED_BY_PYTHON_ALONE
        and any(name in base for base in bases)
    ]


def _guard(kind: type, /, **options: object) -> None:
    super(Shiboken.Object, kind).__init_subclass__(**options)  # type: ignore[misc]
    if kind.__module__.startswith(f"{__package__.partition('.')[0]}."):
        for name in overridden(kind):
            setattr(kind, name, guarded(vars(kind)[name]))


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that reports what it raises, and then returns an empty value of the type that it says."""

    @functools.wraps(method)
    def guard(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 # those of Qt
        try:
            return method(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 # whatever it is, Qt cannot go on with it
            trace = error.__traceback__ and error.__traceback__.tb_next
            sys.excepthook(type(error), error, trace)
            traceback.clear_frames(trace)  # a painter that lives on would paint beyond the end of the event
            return empty_answer(method)
        except BaseException:
            raise  # a whole object now, which PySide can pass on: what Python raises itself is none yet

    return guard


def empty_answer(method: Callable[..., Any]) -> Any:  # noqa: ANN401 # of whatever type
    """Return what a method returns that has nothing to say, such as None, False, 0, or a size of nothing."""
    try:
        return _empty(get_type_hints(method).get("return"))
    except NameError:  # a type that is known to type checkers only
        return None


def _empty(kind: Any) -> Any:  # noqa: ANN401 # a type as it is written
    if kind in (None, Any, object) or type(None) in get_args(kind):
        return None
    if get_origin(kind) is tuple:
        return tuple(_empty(part) for part in get_args(kind))
    made = get_origin(kind) or kind
    if made is type(None):
        return None
    return made(0) if issubclass(made, enum.Enum) else made()
