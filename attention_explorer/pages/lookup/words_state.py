"""Words as points of two features, and the matrices that make queries, keys and values of them."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, replace
from enum import StrEnum
from typing import Any, Self, TypeAlias

from attention_explorer.core.declared import Kind, declared, derived
from attention_explorer.core.numerals import exact, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.sources.tokens import tokens_in

MOST_WORDS, MOST_KNOWN = 12, 24
"""Of a sentence; and of words with a place of their own."""
FARTHEST = 100.0
"""Of a feature and of an entry of a matrix: so far either way."""

Matrix: TypeAlias = tuple[Vector, Vector]
"""Row i is where the i-th axis goes: a word (x, y), a row, becomes x · row 0 + y · row 1."""
MATRICES = ("w_q", "w_k", "w_v")


class WordsShown(StrEnum):
    """How much of words in the plane is on show, each with what comes before it."""

    WORDS = "words"
    QUERIES = "queries"
    KEYS = "keys"
    ALL = "all"

    @property
    def matrices(self) -> tuple[str, ...]:
        """The matrices that are on show."""
        return MATRICES[: list(WordsShown).index(self)]


@dataclass(frozen=True, slots=True)
class Word(CheckedFields):
    """A word with its two features, which are where it stands in the plane."""

    text: str = declared(MISSING, "word", "The word, in small letters", "Rename a word", has_words=True)
    place: Vector = declared(
        MISSING,
        "features",
        "Its two features: where it stands",
        "Move a word",
        kind=Kind.POINT,
        low=-FARTHEST,
        high=FARTHEST,
    )


_TIP = "Makes the {} of a word: {}. A row is where an axis goes, as in: 1.5 1; 1 1.5"
_W_Q = "W_Q", _TIP.format("query", "what it asks for"), "Change W_Q"
_W_K = "W_K", _TIP.format("key", "what it is found by"), "Change W_K"
_W_V = "W_V", _TIP.format("value", "what it hands over"), "Change W_V"
_OF_MATRIX: dict[str, Any] = {"kind": Kind.LIST, "low": -FARTHEST, "high": FARTHEST}


@dataclass(frozen=True, slots=True)
class WordsHead(CheckedFields):
    """The three matrices of a head."""

    w_q: Matrix = declared(((1.5, 1.0), (1.0, 1.5)), *_W_Q, **_OF_MATRIX)
    w_k: Matrix = declared(((1.2, 0.4), (0.4, 1.2)), *_W_K, **_OF_MATRIX)
    w_v: Matrix = declared(((0.5, -0.3), (-0.4, 0.4)), *_W_V, **_OF_MATRIX)


_KNOWN = (
    Word("bank", (0.8, 0.8)),
    Word("river", (0.2, 2.0)),
    Word("money", (2.0, 0.2)),
    Word("of", (0.45, 0.05)),
    Word("the", (0.05, 0.45)),
)


@dataclass(frozen=True, slots=True)
class WordsState(CheckedFields):
    """A sentence of words in the plane, one of which asks the others."""

    sentence: str = declared(
        "bank of the river",
        "sentence",
        f"Up to {MOST_WORDS} words. One that has no place yet stands near the middle: drag it",
        "Change the words",
        has_words=True,
    )
    asks: str = declared(
        "bank", "asks", "The word that asks the others; click one to let it ask", "Let another word ask"
    )
    lexicon: tuple[Word, ...] = declared(
        _KNOWN,
        "features",
        "Words with their two features, as in: river 0.2 2; money 2 0.2",
        "Change the features",
        kind=Kind.LIST,
        low=-FARTHEST,
        high=FARTHEST,
        most=MOST_KNOWN,
    )
    first: WordsHead = declared(WordsHead, "first head", "The matrices of the first head", "Change a matrix")
    two: bool = declared(
        False,  # the default
        "Two heads",
        "Let a second head with matrices of its own look at the same words; what both hand over is added",
        "Switch two heads",
    )
    second: WordsHead = declared(
        lambda: WordsHead(((1.0, 0.0), (0.0, 3.0)), ((1.0, 0.0), (0.0, 1.0)), ((0.0, 0.0), (0.0, 1.0))),
        "second head",
        "The matrices of the second head",
        "Change a matrix",
    )
    second_shown: bool = declared(
        False,  # the default
        "Second head",
        "Show matrices and weights of the second head, and not those of the first",
        "Show the other head",
        is_view=True,
        shown=lambda state: state.words.two,  # forms show it as a field of the lookup
    )
    toward: str = declared(
        "",
        "toward",
        "The word that the distance is measured to; empty for the one with the most weight",
        "Choose where to",
    )
    gradients: bool = declared(
        False,  # the default
        "Gradients",
        "Arrows at keys and values: how each would have to move so that the word gets nearer to where it goes",
        "Switch gradients",
        is_view=True,
    )
    share: float = declared(
        1.0,
        "share of o",
        "How much of o is added to the word that asks",
        "Add less of o",
        is_view=True,
        shown=lambda state: state.words.shown is WordsShown.ALL,
        high=1.0,
        stops=tuple(number / 20 for number in range(21)),
    )
    across: str = declared(
        "how much it is about money",
        "across",
        "What the first feature says",
        "Name the first feature",
        has_words=True,
    )
    up: str = declared(
        "how much it is about water",
        "up",
        "What the second feature says",
        "Name the second feature",
        has_words=True,
    )
    shown: WordsShown = declared(
        WordsShown.ALL,
        "shown",
        "How much is on show: the words alone, with W_Q and the query, with W_K and the weights too, or all",
        "Show more or less",
        is_view=True,
        names={
            WordsShown.WORDS: "words alone",
            WordsShown.QUERIES: "and queries",
            WordsShown.KEYS: "and keys",
            WordsShown.ALL: "all",
        },
    )

    # ---- Reading ----

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the sentence as they are written, at most `MOST_WORDS`."""
        return tokens_in(self.sentence)[:MOST_WORDS]

    @property
    def asking(self) -> int:
        """Which word asks: the first that is so written, or else the first of all."""
        words = [token.casefold() for token in self.tokens]
        return words.index(self.asks.casefold()) if self.asks.casefold() in words else 0

    @property
    def known(self) -> dict[str, Vector]:
        """Where each word stands: those of the lexicon, then those of the sentence that have no place there."""
        found = {word.text.casefold(): word.place for word in self.lexicon}
        for token in self.tokens:
            if token.casefold() not in found:
                strangers = len(found) - len(self.lexicon)
                found[token.casefold()] = (1.2, round(0.4 + 0.35 * strangers, 2))
        return found

    @property
    def places(self) -> tuple[Vector, ...]:
        """Where the words of the sentence stand, in order."""
        known = self.known
        return tuple(known[token.casefold()] for token in self.tokens)

    @property
    def heads(self) -> tuple[WordsHead, ...]:
        """The heads that look at the words."""
        return (self.first, self.second) if self.two else (self.first,)

    @property
    def has_weights(self) -> bool:
        """Whether it is on show which words are found."""
        return self.shown in (WordsShown.KEYS, WordsShown.ALL)

    @property
    def shown_head(self) -> int:
        """Which of `heads` is looked at."""
        return int(self.two and self.second_shown)

    @property
    @derived(*_W_Q, **_OF_MATRIX)
    def w_q(self) -> Matrix:
        """W_Q of the head that is looked at."""
        return self.heads[self.shown_head].w_q

    @property
    @derived(*_W_K, **_OF_MATRIX)
    def w_k(self) -> Matrix:
        """W_K of the head that is looked at."""
        return self.heads[self.shown_head].w_k

    @property
    @derived(*_W_V, **_OF_MATRIX)
    def w_v(self) -> Matrix:
        """W_V of the head that is looked at."""
        return self.heads[self.shown_head].w_v

    # ---- Editing ----

    def moved(self, word: str, to: Vector) -> Self:
        """Return the state with a word at another place; one that had none of its own has one then.

        Where `MOST_KNOWN` have one already, the first of those that are not in the sentence gives it up.
        """
        moved = Word(word.casefold(), (_held(to[0]), _held(to[1])))
        known = {each.text.casefold(): each for each in self.lexicon}
        if moved.text not in known and len(known) >= MOST_KNOWN:
            written = {token.casefold() for token in self.tokens}
            del known[next(text for text in known if text not in written)]
        return replace(self, lexicon=tuple((known | {moved.text: moved}).values()))

    def turned(self, name: str, row: int, to: Vector) -> Self:
        """Return the state with one row of a matrix (w_q, w_k or w_v) of the head on show at another place."""
        rows: list[Vector] = [*getattr(self, name)]
        rows[row] = (_held(to[0]), _held(to[1]))
        return self.with_matrix(name, (rows[0], rows[1]))

    def with_matrix(self, name: str, matrix: Matrix) -> Self:
        """Return the state with another matrix (w_q, w_k or w_v) of the head on show."""
        changed = replace(self.heads[self.shown_head], **{name: matrix})
        return replace(self, second=changed) if self.shown_head else replace(self, first=changed)


def _held(number: float) -> float:
    return min(max(number, -FARTHEST), FARTHEST) + 0.0


# ---- How they are typed ----


def lexicon_text(lexicon: tuple[Word, ...]) -> str:
    """Return words with their features as they are typed."""
    return "; ".join(f"{word.text} {exact(word.place[0])} {exact(word.place[1])}" for word in lexicon)


def parsed_lexicon(text: str) -> tuple[Word, ...]:
    """Read words with their features: "river 0.2 2; money 2 0.2".

    Raises
    ------
    ExplorerError
        It cannot be read, or there are too many.
    """
    found: dict[str, Word] = {}
    for part in text.split(";"):
        pieces = part.split()
        if not pieces:
            continue
        if len(pieces) != 3 or not tokens_in(pieces[0]):
            raise ExplorerError(f"{quoted(part.strip())} needs a word and two numbers, as in: river 0.2 2")
        word = pieces[0].casefold()
        if word in found:
            raise ExplorerError(f"{quoted(word)} stands there twice: give it one place.")
        found[word] = Word(word, (_typed(pieces[1]), _typed(pieces[2])))
    if len(found) > MOST_KNOWN:
        raise ExplorerError(f"There is room for {MOST_KNOWN} words. Type fewer.")
    return tuple(found.values())


def matrix_text(matrix: Matrix) -> str:
    """Return a matrix as it is typed, its rows with a semicolon between them."""
    return "; ".join(f"{exact(row[0])} {exact(row[1])}" for row in matrix)


def parsed_matrix(text: str) -> Matrix:
    """Read two rows of two numbers: "1.5 1; 1 1.5".

    Raises
    ------
    ExplorerError
        It cannot be read.
    """
    rows = [part.replace(",", " ").split() for part in text.split(";") if part.strip()]
    if [len(row) for row in rows] != [2, 2]:
        raise ExplorerError("A matrix has two rows of two numbers, with a semicolon between them: 1.5 1; 1 1.5")
    (a, b), (c, d) = ((_typed(first), _typed(second)) for first, second in rows)
    return (a, b), (c, d)


def _typed(text: str) -> float:
    number = parsed_number(text)
    if abs(number) > FARTHEST:
        raise ExplorerError(f"{quoted(text)} is out of range: type numbers from −{FARTHEST:.0f} to {FARTHEST:.0f}.")
    return number
