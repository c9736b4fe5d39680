"""What layers, heads, tokens and features are numbered from: 1 as people count, or 0 as papers and code do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from attention_explorer.core.declared import Kind, declared
from attention_explorer.errors import ArrayError

MOST_TOKENS = 4096
"""Of a sentence: what stands behind this many is left out."""

MOST_WISHED = 1023
"""A layer or head that is wished for, from 0; those that there are not are not shown."""

_NAMED = re.compile(r"layer (?P<layer>\d+), head (?P<head>\d+) \(counted (?P<known>from [01])\)")
"""As the heads of files are named: see `sources.recorded.heads`."""


class Count(StrEnum):
    """How what is stored from 0 is numbered in words. No number that is computed depends on it."""

    FROM_ONE = "from 1"
    FROM_ZERO = "from 0"

    @property
    def first(self) -> int:
        """The number of the first."""
        return 1 if self is Count.FROM_ONE else 0

    @property
    def words(self) -> str:
        """How it is counted, for what leaves the window: “counted from 1”."""
        return f"counted {self.value}"

    def number(self, index: int) -> int:
        """Return the number of what is at an index."""
        return index + self.first

    def index_of(self, number: int) -> int:
        """Return the index of what has a number, which may be one that there is not."""
        return number - self.first

    def layer(self, index: int) -> str:
        """Return “layer 5”."""
        return f"layer {self.number(index)}"

    def head(self, index: int) -> str:
        """Return “head 2”."""
        return f"head {self.number(index)}"

    def place(self, layer: int, head: int) -> str:
        """Return “layer 5, head 2”."""
        return f"{self.layer(layer)}, {self.head(head)}"

    def token(self, token: str, index: int) -> str:
        """Return “it” (8): a token with its place, as the same word may come twice."""
        return f"“{token}” ({self.number(index)})"

    def listed(self, tokens: tuple[str, ...], index: int) -> str:
        """Return a token as a line of a list begins with it: 8  it."""
        return f"{self.number(index)}  {tokens[index]}"

    def span(self, start: int, stop: int) -> str:
        """Return “3 to 9”, the first and the last of what lies from one index to before another."""
        return f"{self.number(start)} to {self.number(stop - 1)}"

    def said_of(self, *texts: str) -> str:
        """Return how what texts call by a number is counted, “layers and heads counted from 1”; nothing if none is."""
        text = " ".join(texts)
        named = [f"{kind}s" for kind in ("layer", "head", "token") if re.search(rf"\b{kind} \d", text, re.IGNORECASE)]
        if len(named) > 1:
            named[-2:] = [f"{named[-2]} and {named[-1]}"]
        return f"{', '.join(named)} {self.words}" if named else ""

    def recounted(self, sentence: str) -> str:
        """Return what is said of a head that is named with how it is counted, as files do, counted in this way."""

        def name(found: re.Match[str]) -> str:
            known = Count(found["known"])
            place = self.place(known.index_of(int(found["layer"])), known.index_of(int(found["head"])))
            return f"{place} ({self.words})"

        return _NAMED.sub(name, sentence)

    def all_of(self, count: int) -> tuple[str, ...]:
        """Return the numbers of so many."""
        return tuple(str(self.number(index)) for index in range(count))


def count_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a state that says how things are numbered in words."""
    tip = "What layers, heads and tokens are numbered from in words; a setting of the window, which alters no number"
    return declared(Count.FROM_ONE, "counting", tip, "Change the counting", kind=Kind.DERIVED, is_view=True)


@contextmanager
def refusals_counted(count: Count) -> Iterator[None]:
    """Do what may refuse the numbers of a head, which is then named as everything else is."""
    try:
        yield
    except ArrayError as error:
        said = count.recounted(str(error))
        if said == str(error):
            raise
        raise ArrayError(said) from error
