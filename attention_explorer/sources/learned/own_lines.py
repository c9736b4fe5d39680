"""Lines of one's own, “input -> answer”: read, cut into tokens, some held out, and what they are too few for."""

from __future__ import annotations

import csv
import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from attention_explorer.core.numerals import counted, grouped, percent
from attention_explorer.errors import ExplorerError, FileError, quoted
from attention_explorer.sources.learned.setup import MOST_LINES, LineCut
from attention_explorer.sources.learned.vocabulary import Vocabulary
from attention_explorer.sources.tokens import tokens_in

MOST_PLACES = 64
"""Of a line: its tokens, the arrow, and the end of its answer."""
MOST_CHARACTERS, MOST_OF_A_LINE = 300_000, 30_000
"""Of all lines, and of one: a session has to hold them."""
FEWEST = 5
"""Inputs that differ: one in five is held out."""
ENDINGS = (".txt", ".tsv", ".csv")
"""Of files of lines."""
ONE_IN = 5
"""So many inputs is one that is never learned from."""

ARROW, SPACE, END = "→", "␣", "■"
"""What stands between input and answer, for a space among characters, and what ends an answer."""
ARROWS = ("->", ARROW, "=>")
_SEPARATORS = ("\t", ",", ";")
"""Where there is no arrow: of a table with two columns."""
_SURE = 1.96
"""Standard deviations on both sides, within which are 95 %."""


class OwnLine(NamedTuple):
    """A line that can be learned.

    Attributes
    ----------
    number : int
        From 1.
    question, answer : tuple of str
        Its tokens on both sides of the arrow.
    """

    number: int
    question: tuple[str, ...]
    answer: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class OwnLines:
    """Lines that can be learned, and what became of the others.

    Attributes
    ----------
    cut : LineCut
        Into what they are cut: words or characters.
    learned, held_out : tuple of OwnLine
        Those to learn from, and those that nothing is ever learned from. No input is among both.
    left_out : tuple of (int, str)
        The number of each other line, and why.
    """

    cut: LineCut
    learned: tuple[OwnLine, ...]
    held_out: tuple[OwnLine, ...]
    left_out: tuple[tuple[int, str], ...]

    @cached_property
    def every(self) -> tuple[OwnLine, ...]:
        """All lines that are taken, in their order."""
        return tuple(sorted((*self.learned, *self.held_out)))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All tokens in order, and behind them the arrow and the end of an answer."""
        tokens = {token for line in self.every for token in (*line.question, *line.answer)}
        return Vocabulary((*sorted(tokens), ARROW, END))

    @cached_property
    def places(self) -> int:
        """How many tokens the longest line has, with its arrow; its end is no token that goes in."""
        return max(len(line.question) + 1 + len(line.answer) for line in self.every)

    @cached_property
    def answers(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Each input with its answer; the first of several."""
        return {line.question: line.answer for line in reversed(self.every)}

    def tokens_of(self, text: str) -> tuple[str, ...]:
        """Cut a text as the lines are cut."""
        return _cut_into(text, self.cut)

    def text_of(self, tokens: Sequence[str]) -> str:
        """Write tokens as somebody would who types."""
        return " ".join(tokens) if self.cut is LineCut.WORDS else "".join(tokens).replace(SPACE, " ")


# ---- Reading ----


def lines_from(text: str) -> tuple[tuple[str, ...], int]:
    """Return the lines of a text as the setup takes them, and how many more there are.

    Raises
    ------
    ExplorerError
        There are none, it is no text, or it is too long to be kept.
    """
    if "\0" in text:
        raise ExplorerError(
            "This is no text: it holds bytes that are 0. Choose a text file of lines “input -> answer”."
        )
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    if not any(lines):
        raise ExplorerError("There are no lines yet: write “input -> answer” on each.")
    kept = tuple(lines[:MOST_LINES])
    _check_length(kept)
    return kept, len(lines) - len(kept)


def text_in(path: Path) -> str:
    """Read a file of lines.

    Raises
    ------
    FileError
        It cannot be read, is too large, or holds no text.
    """
    name, most = quoted(path.name), 4 * MOST_CHARACTERS
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise FileError(
            f"{name} cannot be read ({getattr(error, 'strerror', None) or error}): choose another."
        ) from None
    if len(data) > most:
        raise FileError(f"{name} is too large for lines to learn: up to {grouped(most)} bytes are read.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise FileError(f"{name} is no text in UTF-8: choose a text file of lines “input -> answer”.")
    return text


@lru_cache(maxsize=4)  # of at most so many characters each
def own_lines(lines: tuple[str, ...], cut: LineCut) -> OwnLines:
    """Read lines of one's own, and hold some of them out.

    One in five inputs is held out, by a checksum of the input: for every seed the same, and all lines with that input.

    Raises
    ------
    ExplorerError
        Nothing can be learned from them; it says why, and what to do.
    """
    if len(lines) > MOST_LINES:
        raise ExplorerError(f"There are {grouped(len(lines))} lines, and at most {grouped(MOST_LINES)} are learned.")
    _check_length(lines)
    pairs, left_out = _pairs(lines)
    if not pairs:
        nothing = not any(line.strip() for line in lines)
        what = "There are no lines yet" if nothing else "No line has an arrow between an input and an answer"
        raise ExplorerError(f"{what}: write “input -> answer” on each, such as “walk -> walked”.")
    into = _cut_by_data(list(pairs.values())) if cut is LineCut.BY_THE_DATA else cut
    taken = _taken(pairs, into, left_out)
    groups = sorted({"".join(line.question) for line in taken}, key=_checksum)
    if len(groups) < FEWEST:
        why = "".join(f" Line {number} {reason}." for number, reason in sorted(left_out.items())[:1])
        raise ExplorerError(
            f"{counted(len(groups), 'input')} can be learned, and it takes {FEWEST} that differ, as one in {ONE_IN} is "
            f"held out. Write more lines.{why}"
        )
    if len({line.answer for line in taken}) == 1:
        only = quoted(pairs[taken[0].number][1])
        raise ExplorerError(f"Every answer is {only}: there is nothing to tell apart. Write others too.")
    held = set(groups[: max(round(len(groups) / ONE_IN), 1)])
    learned, held_out = (
        tuple(line for line in taken if ("".join(line.question) in held) is side) for side in (False, True)
    )
    return OwnLines(into, learned, held_out, tuple(sorted(left_out.items())))


def _check_length(lines: Sequence[str]) -> None:
    longest = max(range(len(lines)), key=lambda at: len(lines[at]), default=0)
    if lines and len(lines[longest]) > MOST_OF_A_LINE:
        raise ExplorerError(f"Line {longest + 1} has {grouped(len(lines[longest]))} characters: cut it into lines.")
    total = sum(map(len, lines))
    if total > MOST_CHARACTERS:
        raise ExplorerError(f"The lines have {grouped(total)} characters, and {grouped(MOST_CHARACTERS)} are possible.")


def _pairs(lines: Sequence[str]) -> tuple[dict[int, tuple[str, str]], dict[int, str]]:
    """Return input and answer of each line by its number, and why others have none; of empty ones nothing is said."""
    arrow = any(each in line for line in lines for each in ARROWS)
    column = "" if arrow else _column(lines)
    pairs, left_out = dict[int, tuple[str, str]](), dict[int, str]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        parts = parts_of(line) if arrow else _columns(line, column)
        if len(parts) != 2:
            between = "arrow" if arrow else {"\t": "tab", ",": "comma", ";": "semicolon"}.get(column, "arrow")
            left_out[number] = f"has no {between}" if len(parts) < 2 else f"has more than one {between}"
        elif not all(parts):
            left_out[number] = f"has no {'answer' if parts[0] else 'input'}"
        else:
            pairs[number] = parts[0], parts[1]
    return pairs, left_out


def parts_of(line: str) -> list[str]:
    """Return what stands before, between and behind the arrows of a line."""
    for each in ARROWS:
        line = line.replace(each, ARROW)
    return [part.strip() for part in line.split(ARROW)]


def _column(lines: Sequence[str]) -> str:
    """Return what separates two columns in most lines; empty if nothing does."""
    filled = [line for line in lines if line.strip()]
    counts = {each: sum(len(_columns(line, each)) == 2 for line in filled) for each in _SEPARATORS}
    best = max(_SEPARATORS, key=counts.__getitem__)
    return best if 2 * counts[best] > len(filled) else ""


def _columns(line: str, separator: str) -> list[str]:
    if not separator:
        return [line.strip()]
    if separator == "\t":
        return [part.strip() for part in line.strip("\t").split("\t")]
    try:
        return [part.strip() for part in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
    except csv.Error:
        return [line.strip()]


def _cut_by_data(pairs: Sequence[tuple[str, str]]) -> LineCut:
    """Return words if most inputs have several, and words come three times on average; else characters."""
    inputs = [tokens_in(question) for question, _ in pairs]
    words = Counter(word for each in inputs for word in each)
    have_several = sum(" " in question for question, _ in pairs)
    come_again = words.total() >= 3 * len(words)
    return LineCut.WORDS if 2 * have_several > len(pairs) and come_again else LineCut.CHARACTERS


def _cut_into(text: str, cut: LineCut) -> tuple[str, ...]:
    if cut is LineCut.WORDS:
        return tokens_in(text)
    return tuple(unicodedata.normalize("NFC", SPACE.join(text.split())))


def _taken(pairs: dict[int, tuple[str, str]], cut: LineCut, left_out: dict[int, str]) -> list[OwnLine]:
    """Return the lines that can be learned, and say of the others why they are left out."""
    taken, seen = list[OwnLine](), dict[tuple[tuple[str, ...], ...], int]()
    for number, texts in pairs.items():
        question, answer = (_cut_into(text, cut) for text in texts)
        places, tokens = len(question) + 1 + len(answer), (*question, *answer)
        if places > MOST_PLACES:
            left_out[number] = f"has {grouped(places)} {cut.value}, and at most {MOST_PLACES} are learned"
        elif not question or not answer or END in tokens or not all(map(_stands_alone, set(tokens))):
            left_out[number] = "has a character that cannot be learned by itself"
        elif (question, answer) in seen:
            left_out[number] = f"is the same as line {seen[question, answer]}"
        else:
            seen[question, answer] = number
            taken.append(OwnLine(number, question, answer))
    return taken


@lru_cache(maxsize=4096)
def _stands_alone(token: str) -> bool:
    """Whether a token is one token still where others stand around it, apart from it, as on other pages."""
    return tokens_in(token) == (token,)


def _checksum(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


# ---- In words ----


def said_of(found: OwnLines) -> tuple[str, ...]:
    """Say what the lines are, a sentence each: how many, into what they are cut, and what is held out."""
    lines, longest = found.every, max(found.every, key=lambda line: len(line.question) + len(line.answer))
    kind = "words" if found.cut is LineCut.WORDS else "characters"
    known = len(found.vocabulary) - 2  # without the arrow and the end
    return (
        f"{counted(len(lines), 'line')}, cut into {kind}: {grouped(known)} different ones.",
        f"The longest is line {longest.number}, with {len(longest.question)} → {len(longest.answer)} {kind}.",
        f"Held out are {grouped(len(found.held_out))}: one input in {ONE_IN}, never learned from, whatever the seed.",
    )


def said_of_left_out(found: OwnLines, most: int = 6) -> tuple[str, ...]:
    """Say which lines are left out and why, the first of them one by one."""
    if not found.left_out:
        return ()
    listed = [f"Line {number} {reason}." for number, reason in found.left_out[:most]]
    more = len(found.left_out) - most
    others = [f"So are {counted(more, 'other')}."] if more > 0 else []
    return (f"Left out: {counted(len(found.left_out), 'line')}.", *listed, *others)


def too_little_for(found: OwnLines) -> Iterator[str]:
    """Say what the lines are too few for, as far as that can be counted, a sentence each."""
    held, learned = found.held_out, found.learned
    low, high = sure_range(len(held) // 2, len(held))
    yield (
        f"With {counted(len(held), 'line')} held out the share that is right is known to about "
        f"±{round(50 * (high - low))} points; a difference below that says nothing."
    )
    known = {token for line in learned for token in line.answer}
    hopeless = sum(not known.issuperset(line.answer) for line in held)
    if hopeless:
        yield (
            f"{counted(hopeless, 'held-out answer')} cannot come out: "
            f"{'it needs' if hopeless == 1 else 'they need'} what no answer to learn from has."
        )
    both = Counter(line.question for line in found.every)
    unclear = sum(count for count in both.values() if count > 1)
    if unclear:
        yield f"{unclear} lines share their input with another answer: of those not all can be right."
    answer, most = Counter(line.answer for line in learned).most_common(1)[0]
    share = sum(line.answer == answer for line in held) / len(held)
    if most > 1:
        always = quoted(found.text_of(answer))
        yield f"Always answering {always} would be right for {percent(share)} of the held-out lines."


def sure_range(right: int, of: int) -> tuple[float, float]:
    """Return between which shares the truth lies, at 95 %, if so many of some lines drawn at random are right.

    Notes
    -----
    Wilson 1927: those shares p with |right/of − p| ≤ 1.96 √(p (1 − p)/of).
    """
    share, square = right / of, _SURE**2
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _SURE * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return max(middle - half, 0.0), min(middle + half, 1.0)
