"""The list of checks: who checks what, against what, and how far apart the two may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module, util

import numpy.typing as npt

from tests.truth.draw import Draw

Pair = tuple[npt.ArrayLike, npt.ArrayLike]
"""What the model layer gives, and what it should be."""

PLAIN, REFERENCE, TORCH = "loops", "reference", "torch"
MODULES = ("attention", "counts", "layers", "maps", "positions", "reference", "softmax", "torch")
EXACT = 0.0


@dataclass(frozen=True)
class Check:
    """A generator of pairs, the public names it speaks for, and how many ulp it allows."""

    names: tuple[str, ...]
    against: str
    bound: float
    pairs: Callable[[Draw], Iterator[Pair]]


_checks: list[Check] = []


def checks(
    *names: str, bound: float, against: str = PLAIN
) -> Callable[[Callable[[Draw], Iterator[Pair]]], Callable[[Draw], Iterator[Pair]]]:
    """Register a generator as the check of some names. It is called once a case, against a reference just once."""

    def register(pairs: Callable[[Draw], Iterator[Pair]]) -> Callable[[Draw], Iterator[Pair]]:
        _checks.append(Check(names, against, bound, pairs))
        return pairs

    return register


def all_checks() -> list[Check]:
    """Return every check that can be done here: those with PyTorch only where there is one."""
    for module in MODULES:
        import_module(f"tests.truth.check_{module}")
    has_torch = util.find_spec("torch") is not None
    return [check for check in _checks if check.against != TORCH or has_torch]
