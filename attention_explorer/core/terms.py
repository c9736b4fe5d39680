"""The words of the subject: what each means, a preset that shows it, and where it stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from attention_explorer.core import files

FILE = "terms/terms.toml"
SCHEME = "term:"
"""What the links to terms begin with."""


WHOLE = (0.0, 0.0, 1.0, 1.0)
"""Of a picture."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the subject.

    Attributes
    ----------
    name : str
        What it is called.
    says : str
        Two sentences.
    show : str
        The preset that shows it.
    source : str
        Where it is from.
    page : str
        The page of the preset, where several have one of its name.
    also : tuple of str
        Other spellings, by which it is found in texts too.
    quiet : tuple of str
        Words by which it is found when somebody looks for it, and only then.
    picture : bool
        Whether the preset is drawn beside it.
    part : tuple of float
        What of that picture is enough, in shares of its size: left, top, width, height.
    set : mapping
        The fields of the state that the preset does not have as the term needs them, by their dotted names.
    """

    name: str
    says: str
    show: str
    source: str
    page: str = ""
    also: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    picture: bool = True
    part: tuple[float, ...] = WHOLE
    set: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place of a text, from ``start`` to before ``end``, at which a term stands."""

    start: int
    end: int
    term: Term


@cache
def terms() -> tuple[Term, ...]:
    """Return all terms by the alphabet; an ExplorerError if their file is missing or damaged."""
    import tomllib  # not for the first picture

    try:
        listed = tomllib.loads(files.read_text(FILE))["term"]
        read = [_term(table) for table in listed]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError):
        raise files.damaged(FILE) from None
    return tuple(sorted(read, key=lambda term: term.name.casefold()))


def is_read() -> bool:
    """Whether the terms have been read: it takes 20 ms."""
    return terms.cache_info().currsize > 0


def _term(table: dict[str, Any]) -> Term:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Term(**fields)


def term_named(text: str) -> Term | None:
    """Return the term that is called so, in any of its spellings; None if none is."""
    return _by_spelling().get(" ".join(text.split()).casefold())


@cache
def _by_spelling() -> dict[str, Term]:
    spelled = {word.casefold(): term for term in terms() for word in (*term.also, *term.quiet)}
    return spelled | {term.name.casefold(): term for term in terms()}


@cache
def _pattern() -> re.Pattern[str]:
    """Find whole words, the longest first: “hard lookup” and not “lookup”."""
    words = sorted((word for term in terms() for word in (term.name, *term.also)), key=len, reverse=True)
    no_others = r"(?<![\w-])(?<!arrow )"  # those of the keyboard are other keys
    return re.compile(rf"{no_others}(?:{'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)


def mentions(text: str) -> tuple[Mention, ...]:
    """Return where terms stand in a text, each at its first place only."""
    return tuple(_first(text))


def _first(text: str) -> Iterator[Mention]:
    seen: set[Term] = set()
    for found in _pattern().finditer(text):
        term = term_named(found[0])
        if term is not None and term not in seen:
            seen.add(term)
            yield Mention(found.start(), found.end(), term)


def term_of_link(link: str) -> Term | None:
    """Return the term that a link leads to; None if it leads to none."""
    return term_named(link.removeprefix(SCHEME)) if link.startswith(SCHEME) else None


def link_to(term: Term, words: str) -> str:
    """Return words, as HTML, as a link to a term: underlined by dots, and no other colour than the text."""
    return f'<a href="{SCHEME}{term.name}" style="text-underline-style: dotted; color: palette(text)">{words}</a>'
