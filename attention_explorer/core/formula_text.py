"""Formulas as authors write them, read into a tree that can be drawn, spoken and copied.

    α_{i j} = softmax({[q:query]{q_i} · [k:key]{k_j}}/{√d_k})

- A single letter is a variable; letters that stand together are a word, such as softmax. Spaces only part them.
- ``_`` and ``^`` set what follows lower and higher: one sign, word or number, or several in braces. ² and ᵀ are ``^``.
- ``{above}/{below}`` is a fraction, with braces on both sides; any other ``/`` is a stroke.
- ``√`` takes what follows with its index, or what stands in braces.
- Parentheses, brackets and the bars of ``|x|`` and ``‖x‖`` grow with what they enclose. ``"words"`` are text.
- ``[name:role]{part}`` marks a part, which can be pointed at by its name and has the ink of its role, if it has one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import NoReturn

from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError, did_you_mean, full_stop, quoted


class Kind(Enum):
    """What a part is to those beside it, which decides the space between them."""

    LETTER = auto()
    """A variable: drawn slanted."""
    SIGN = auto()
    """A number, or anything else that stands upright and close to its neighbours."""
    WORD = auto()
    TEXT = auto()
    OPERATOR = auto()
    PRODUCT = auto()
    """The dot, and the stroke of a quotient, which stand closer than other operators."""
    RELATION = auto()
    COMMA = auto()
    SUM = auto()
    FENCED = auto()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A letter, number, word or sign."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Row:
    """Parts beside each other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Fraction:
    """One row above another."""

    above: Row
    below: Row


@dataclass(frozen=True, slots=True)
class Root:
    """A square root."""

    inside: Node


@dataclass(frozen=True, slots=True)
class Scripts:
    """A part with an index, an exponent, or both; with limits, if it is a sum."""

    base: Node
    below: Node | None
    above: Node | None


@dataclass(frozen=True, slots=True)
class Fenced:
    """What stands between two parentheses, brackets or bars."""

    left: str
    inside: Row
    right: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A part that has a name, and the ink of a role unless that is empty."""

    name: str
    role: str
    inside: Row


Node = Symbol | Row | Fraction | Root | Scripts | Fenced | Mark


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that has been read.

    Attributes
    ----------
    source : str
        As it was written.
    row : Row
        All of it.
    marks : tuple of Mark
        The marked parts in the order in which they are written.
    """

    source: str
    row: Row
    marks: tuple[Mark, ...]


ROLES = (*Role, "output", "loss")
LIMITED = ("max", "min", "argmax")
"""Words below which an index stands, as below a sum."""
_FENCES = {"(": ")", "[": "]", "|": "|", "‖": "‖"}
_KINDS = {
    Kind.LETTER: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεζηθικλμνξπρστυφχψω",
    Kind.SIGN: "∞∂%!…ΓΔΘΛΞΦΨΩ",
    Kind.OPERATOR: "+−±×÷",
    Kind.PRODUCT: "·/",
    Kind.RELATION: "=≈≠<>≤≥→←",
    Kind.COMMA: ",;",
    Kind.SUM: "ΣΠ",
}
SIGNS = {sign: kind for kind, signs in _KINDS.items() for sign in signs}
"""All single signs that a formula can have, apart from fences; those that the font of the program has."""
RAISED, _LOWERED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀ", "₀₁₂₃₄₅₆₇₈₉₊₋"
_WRITTEN_LARGE = str.maketrans(RAISED + _LOWERED, "0123456789+−T0123456789+−")
_TOKEN = re.compile(
    rf"""(?P<space>\s+) | (?P<mark>\[ (?P<name>[^\[\]{{}}:]+) (?: : (?P<role>\w+) )? \] (?={{))
    | "(?P<text>[^"]*)" | (?P<number>\d+ (?:\ \d{{3}}(?!\d))* (?:\.\d+)?) | (?P<word>[A-Za-z]{{2,}})
    | (?P<raised>[{RAISED}]+) | (?P<lowered>[{_LOWERED}]+) | (?P<sign>.)""",
    re.VERBOSE,
)
_DEEPEST = 20
"""Parts within parts that a formula may have."""


@lru_cache(maxsize=512)
def read_formula(source: str) -> Formula:
    """Return what a formula says.

    Raises
    ------
    ExplorerError
        It is not written as the notation wants it; the message says what is wrong and where.
    """
    reader = _Reader(source)
    row = reader.all()
    return Formula(source, row, tuple(reader.marks))


class _Reader:
    """Reads from left to right, one part after another."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = [token for token in _TOKEN.finditer(source) if token.lastgroup != "space"]
        self._next, self._depth = 0, 0
        self.marks = list[Mark]()

    def all(self) -> Row:
        row = self._row("", 0)
        return row if row.parts else self._fail(0, "it is empty")

    def _fail(self, place: int, what: str) -> NoReturn:
        raise ExplorerError(
            f"The formula {quoted(self._source)} cannot be read at character {place + 1}: {full_stop(what)}"
        )

    def _sees(self, *texts: str) -> bool:
        return self._next < len(self._tokens) and self._tokens[self._next][0] in texts

    def _take(self, missing: str = "") -> re.Match[str]:
        if self._next == len(self._tokens):
            self._fail(len(self._source), missing)
        self._next += 1
        return self._tokens[self._next - 1]

    def _row(self, closing: str, opened: int) -> Row:
        """Read up to what closes it, or to the end if nothing does."""
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail(opened, f"more than {_DEEPEST} parts stand within each other")
        parts = []
        while self._next < len(self._tokens) and not self._sees(closing):
            parts.append(self._part())
        if closing:
            self._take(f"“{self._source[opened]}” of character {opened + 1} is not closed by “{closing}”")
        self._depth -= 1
        return Row(tuple(parts))

    def _group(self, missing: str) -> Row:
        """Read what stands in braces."""
        if not self._sees("{"):
            self._fail(
                self._tokens[self._next].start() if self._next < len(self._tokens) else len(self._source), missing
            )
        opened = self._take().start()
        row = self._row("}", opened)
        return row if row.parts else self._fail(opened, "there is nothing between the braces")

    def _part(self) -> Node:
        """Read an atom with its index and exponent."""
        base, scripts = self._atom(), dict[str, Node]()
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            where = {"raised": "^", "lowered": "_"}.get(token.lastgroup or "", token[0])
            if where not in ("_", "^"):
                break
            self._next += 1
            if where in scripts:
                self._fail(token.start(), f"a second “{where}” follows; put both in braces, as in x{where}{{i j}}")
            scripts[where] = self._script(token, where)
        return Scripts(base, scripts.get("_"), scripts.get("^")) if scripts else base

    def _script(self, token: re.Match[str], where: str) -> Node:
        if token.lastgroup != "sign":
            return Symbol(token[0].translate(_WRITTEN_LARGE), Kind.SIGN)
        if self._next == len(self._tokens) or self._sees("_", "^", "}", ")", "]"):
            self._fail(token.start(), f"nothing follows “{where}”; write x{where}2, or x{where}{{i + 1}}")
        return self._group("") if self._sees("{") else self._atom()

    def _atom(self) -> Node:
        token = self._take("something is missing at the end")
        match token.lastgroup:
            case "mark":
                return self._mark(token)
            case "text":
                return Symbol(token["text"], Kind.TEXT)
            case "number":
                return Symbol(token[0], Kind.SIGN)
            case "word":
                return Symbol(token[0], Kind.WORD)
            case "raised" | "lowered":
                self._fail(token.start(), f"nothing stands before “{token[0]}” that it could belong to")
        return self._sign(token[0], token.start())

    def _mark(self, token: re.Match[str]) -> Mark:
        role = token["role"] or ""
        if role and role not in ROLES:
            self._fail(token.start("role"), f"“{role}” is no role. {did_you_mean(role, ROLES)}")
        place = len(self.marks)  # before those within it
        mark = Mark(token["name"].strip(), role, self._group(""))
        self.marks.insert(place, mark)
        return mark

    def _sign(self, sign: str, place: int) -> Node:
        if sign == "{":
            self._next -= 1
            above = self._group("")
            if not self._sees("/"):
                return above
            self._take()
            return Fraction(above, self._group("a fraction has braces on both sides, as in {a}/{b}"))
        if sign == "√":
            return Root(self._group("") if self._sees("{") else self._part())
        if sign in _FENCES:
            return Fenced(sign, self._row(_FENCES[sign], place), _FENCES[sign])
        sign = "−" if sign == "-" else sign
        if sign in SIGNS:
            return Symbol(sign, SIGNS[sign])
        return self._fail(place, self._why_no_sign(sign))

    def _why_no_sign(self, sign: str) -> str:
        if sign in "_^":
            return f"nothing stands before “{sign}” that it could belong to"
        if sign in ")]}":
            return f"“{sign}” closes nothing"
        if sign == '"':
            return "the quotation mark has no second one"
        return f'there is no sign {quoted(sign)}; Greek letters, √ and Σ are written as such, other text in "…"'


def core_of(node: Node) -> Node:
    """Return what a part is without marks, braces, index and exponent."""
    match node:
        case Mark(_, _, Row((only,))) | Row((only,)) | Scripts(only, _, _):
            return core_of(only)
    return node
