"""A formula in words, for those who listen to it, and in one line of text; and where there is space in it."""

from __future__ import annotations

import re
import unicodedata

from attention_explorer.core.formula_text import (
    LIMITED,
    RAISED,
    Fenced,
    Fraction,
    Kind,
    Mark,
    Node,
    Root,
    Row,
    Scripts,
    Symbol,
    core_of,
)

# ---- Space ----

_AROUND = {
    Kind.RELATION: 0.28,
    Kind.TEXT: 0.28,
    Kind.OPERATOR: 0.22,
    Kind.WORD: 0.18,
    Kind.SUM: 0.16,
    Kind.PRODUCT: 0.08,
}
_A_SPACE = 0.15
"""What is wider is a space where the formula is one line of text."""


def gaps(parts: tuple[Node, ...]) -> list[float]:
    """Return the space before each part, as a share of the size of the letters."""
    found: list[float] = []
    before = None
    for part in parts:
        kind = part.kind if isinstance(part, Symbol) else _kind_of(part)
        if kind is Kind.OPERATOR and before in (None, Kind.OPERATOR, Kind.PRODUCT, Kind.RELATION, Kind.COMMA):
            kind = Kind.SIGN  # the minus of one number
        found.append(0.0 if before is Kind.WORD and _is_argument(part) else _gap(before, kind))
        before = kind
    return found


def _gap(before: Kind | None, kind: Kind) -> float:
    if before is None or kind is Kind.COMMA:
        return 0.0
    if before is Kind.COMMA:
        return 0.22
    least = 0.16 if before is Kind.FENCED else 0.0
    return max(_AROUND.get(before, 0.0), _AROUND.get(kind, 0.0), least)


def _is_argument(part: Node) -> bool:
    """Whether a part stands in parentheses; after a word that is what the word is applied to."""
    core = core_of(part)
    return isinstance(core, Fenced) and core.left == "("


def _kind_of(part: Node) -> Kind:
    core = core_of(part)
    if isinstance(core, Symbol):
        return core.kind
    return Kind.FENCED if isinstance(core, Fenced) else Kind.SIGN


def has_limits(base: Node) -> bool:
    """Whether the index of a part stands below it, not beside: that of a sum, or of max."""
    core = core_of(base)
    return isinstance(core, Symbol) and (core.kind is Kind.SUM or core.text in LIMITED)


# ---- One line of text ----


def plain(node: Node) -> str:
    """Return a formula as one line of text."""
    match node:
        case Symbol(text, _):
            return text
        case Row(parts):
            spaces = (" " * (gap > _A_SPACE) for gap in gaps(parts))
            return "".join(space + plain(part) for space, part in zip(spaces, parts, strict=True))
        case Fraction(above, below):
            return f"{_closed(above, or_product=False)}/{_closed(below)}"
        case Root(inside):
            return f"√{_closed(inside)}"
        case Scripts(base, below, above):
            return (
                plain(base)
                + ("" if below is None else f"_{_closed(below)}")
                + ("" if above is None else _raised(above))
            )
        case Fenced(left, inside, right):
            return f"{left}{plain(inside)}{right}"
        case Mark(_, _, inside):
            return plain(inside)


def _closed(node: Node, *, or_product: bool = True) -> str:
    """Return a part with parentheses, if it is a sum, or by default even a product."""
    core = core_of(node)
    several = isinstance(core, Row) and (or_product or any(_kind_of(part) in _AROUND for part in core.parts))
    return f"({plain(node)})" if several or isinstance(core, Fraction) else plain(node)


_AS_RAISED = {ord(sign): raised for sign, raised in zip("0123456789+−T", RAISED, strict=True)}


def _raised(node: Node) -> str:
    text = plain(node)
    return text.translate(_AS_RAISED) if all(ord(sign) in _AS_RAISED for sign in text) else f"^{_closed(node)}"


# ---- Words ----

_NAMES = (
    "+: plus, −: minus, ±: plus or minus, ·: dot, ×: times, ÷: divided by, /: over, =: equals, ≈: is about, "
    "≠: is not, <: is less than, >: is greater than, ≤: is at most, ≥: is at least, →: goes to, ←: becomes, "
    "∞: infinity, ∂: partial, %: percent, !: factorial, …: and so on, Σ: the sum, Π: the product"
)
_SAID = dict(pair.split(": ") for pair in _NAMES.split(", "))
_POWERS = {"2": "squared", "3": "cubed", "T": "transposed"}
_FENCED = {"(": ("open parenthesis", "close parenthesis"), "[": ("open bracket", "close bracket")}
_BARS = {"|": "the absolute value of", "‖": "the norm of"}


def spoken(node: Node) -> str:
    """Return a formula, or a part of one, as somebody reads it out; commas are where it takes a breath."""
    return re.sub(r"(?:\s*,)+(?: (?=,))*", ",", " ".join(_words(node).split())).strip(" ,")


def _words(node: Node) -> str:
    match node:
        case Symbol(text, kind):
            return _name(text) if kind is not Kind.TEXT else text
        case Row(parts):
            return " ".join(_words_after(before, part) for before, part in zip((None, *parts), parts, strict=False))
        case Fraction(above, below):
            if _is_sum(above) or _is_sum(below):
                return f"the fraction with {_words(above)} above and {_words(below)} below,"
            return f"{_words(above)} over {_words(below)}"
        case Root(inside):
            return f"square root of {_words(inside)}" + "," * _is_sum(inside)
        case Scripts():
            return _words_of_scripts(node)
        case Fenced(left, inside, _) if left in _BARS:
            return f"{_BARS[left]} {_words(inside)},"
        case Fenced(left, inside, _):
            return f"{_FENCED[left][0]} {_words(inside)} {_FENCED[left][1]}"
        case Mark(_, _, inside):
            return _words(inside)


def _words_after(before: Node | None, part: Node) -> str:
    """Return the words of a part; what stands in parentheses after a word is what that is of."""
    core = core_of(part)
    if before is not None and _kind_of(before) is Kind.WORD and isinstance(core, Fenced) and _is_argument(part):
        return f"of {_words(core.inside)},"
    return _words(part)


def _words_of_scripts(node: Scripts) -> str:
    base = _words(node.base)
    if has_limits(node.base):
        limits = "" if node.below is None else f" {'over' if node.above is None else 'from'} {_words(node.below)}"
        return f"{base}{limits}{'' if node.above is None else f' to {_words(node.above)}'} of"
    if node.below is not None:
        one = core_of(node.below)
        base += f"_{_name(one.text)}" if isinstance(one, Symbol) else f" sub {_words(node.below)}"
    if node.above is None:
        return base
    power = plain(node.above)
    return f"{base} {_POWERS[power]}" if power in _POWERS else f"{base} to the power of {_words(node.above)},"


def _is_sum(node: Node) -> bool:
    """Whether somebody who listens might not hear where a part ends."""
    core = core_of(node)
    return isinstance(core, Row) and any(_kind_of(part) in (Kind.OPERATOR, Kind.RELATION) for part in core.parts)


def _name(text: str) -> str:
    if text in _SAID:
        return _SAID[text]
    if len(text) == 1 and not text.isascii() and text.isalpha():
        name = unicodedata.name(text).removeprefix("GREEK ")
        return (
            name.replace("SMALL LETTER ", "").replace("CAPITAL LETTER ", "capital ").replace("LAMDA", "LAMBDA").lower()
        )
    return text.replace("−", "minus ")
