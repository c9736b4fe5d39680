"""Lines of one's own, cut into tokens: some held out, and what they are too few for."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from attention_explorer.core.numerals import counted, grouped, percent
from attention_explorer.errors import ExplorerError, on_one_line, quoted
from attention_explorer.sources.learned.own_text import ARROW, Pairs, check_lines, pairs_in
from attention_explorer.sources.learned.setup import LineCut
from attention_explorer.sources.learned.vocabulary import Vocabulary
from attention_explorer.sources.tokens import tokens_in

MOST_PLACES = 64
"""Of a line: its tokens and the arrow."""
MOST_KNOWN = 2000
"""Tokens that differ: to answer with one of more would take seconds and gigabytes."""
FEWEST = 5
"""Inputs that differ: one in five is held out."""
ONE_IN = 5
"""So many inputs is one that is never learned from."""

SPACE, END = "␣", "■"
"""What stands for a space among characters, and what ends an answer."""
_BEGUN = 16
"""Letters by which a line is found again."""
_SURE = 1.96
"""Standard deviations on both sides, within which are 95 %."""


Tokens = tuple[str, ...]


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
    question: Tokens
    answer: Tokens


@dataclass(frozen=True, eq=False)
class OwnLines:
    """Lines that can be learned, and what became of the others.

    Attributes
    ----------
    lines : tuple of str
        All of them, as they were given.
    cut : LineCut
        Into what they are cut: words or characters.
    learned, held_out : tuple of OwnLine
        Those to learn from, and those that nothing is ever learned from. No input is among both.
    left_out : tuple of (int, str)
        The number of each other line, and why.
    """

    lines: tuple[str, ...]
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

    @property
    def known(self) -> int:
        """How many tokens differ, without the arrow and the end."""
        return len(self.vocabulary) - 2

    @cached_property
    def places(self) -> int:
        """How many tokens the longest line has, with its arrow; its end is no token that goes in."""
        return max(len(line.question) + 1 + len(line.answer) for line in self.every)

    @cached_property
    def answers(self) -> dict[Tokens, tuple[Tokens, ...]]:
        """Each input with its answers, of which there should be one, in the order of the lines."""
        found = dict[Tokens, tuple[Tokens, ...]]()
        for line in self.every:
            found[line.question] = (*found.get(line.question, ()), line.answer)
        return found

    @cached_property
    def held_inputs(self) -> frozenset[Tokens]:
        """The inputs that are held out."""
        return frozenset(line.question for line in self.held_out)

    def tokens_of(self, text: str) -> Tokens:
        """Cut a text as the lines are cut, into tokens as they have them."""
        return tuple(map(self.vocabulary.known, _cut_into(text, self.cut)))

    def text_of(self, tokens: Sequence[str]) -> str:
        """Write tokens as somebody would who types."""
        return " ".join(tokens) if self.cut is LineCut.WORDS else "".join(tokens).replace(SPACE, " ")


# ---- Held out ----


@lru_cache(maxsize=4)  # of at most so many characters each
def own_lines(lines: tuple[str, ...], cut: LineCut) -> OwnLines:
    """Read lines of one's own, and hold some of them out.

    One in five inputs is held out, by a checksum of the input: for every seed the same, and all lines with that input.

    Raises
    ------
    ExplorerError
        Nothing can be learned from them; it says why, and what to do.
    """
    check_lines(lines)
    pairs, left_out = pairs_in(lines)
    into = _cut_by_data([question for question, _ in pairs.values()]) if cut is LineCut.BY_THE_DATA else cut
    taken = _taken(pairs, into, left_out)
    inputs = sorted({"".join(line.question) for line in taken}, key=_checksum)
    if len(inputs) < FEWEST:
        raise ExplorerError(_too_few(len(inputs), left_out))
    if len({line.answer for line in taken}) == 1:
        only = quoted(pairs[taken[0].number][1])
        raise ExplorerError(f"Every answer is {only}: there is nothing to tell apart. Write others too.")
    held = set(inputs[: max(round(len(inputs) / ONE_IN), 1)])
    held_out = tuple(line for line in taken if "".join(line.question) in held)
    learned = tuple(line for line in taken if "".join(line.question) not in held)
    found = OwnLines(lines, into, learned, held_out, tuple(sorted(left_out.items())))
    if found.known > MOST_KNOWN:
        raise ExplorerError(_too_many(found))
    return found


def _too_few(count: int, left_out: dict[int, str]) -> str:
    """Say why so few inputs are not enough, and what is wrong with the first line that is left out."""
    first = "".join(f" Line {number} {reason}." for number, reason in sorted(left_out.items())[:1])
    if not count:
        what = "No line can be learned" if first else "There are no lines yet"
        return f"{what}: write “input -> answer” on each, such as “walk -> walked”.{first}"
    few = f"{counted(count, 'input')} can be learned, and it takes {FEWEST} that differ, as one in {ONE_IN} is held out"
    return f"{few}. Write more lines.{first}"


def _too_many(found: OwnLines) -> str:
    known, most = grouped(found.known), grouped(MOST_KNOWN)
    or_else = "cut into characters, or " if found.cut is LineCut.WORDS else ""
    return f"There are {known} different {found.cut.value}, and at most {most} are learned: {or_else}write fewer lines."


def _cut_by_data(inputs: Sequence[str]) -> LineCut:
    """Return words if most inputs have several, and words come three times on average; else characters."""
    if 2 * sum(" " in each for each in inputs) <= len(inputs):
        return LineCut.CHARACTERS
    words = Counter(chain.from_iterable(map(_words, inputs)))
    return LineCut.WORDS if words.total() >= 3 * len(words) else LineCut.CHARACTERS


def _cut_into(text: str, cut: LineCut) -> Tokens:
    if cut is LineCut.WORDS:
        return _words(text)
    seen = SPACE.join(text.split())
    if not seen.isprintable():  # what is not seen is no character of its own, as it is in no word
        seen = "".join(each for each in seen if unicodedata.category(each) not in ("Cc", "Cf"))
    return tuple(unicodedata.normalize("NFC", seen))


def _words(text: str) -> Tokens:
    """Cut into words as `tokens_in` does, which takes ten times as long for plain ones."""
    words = text.split()
    return tuple(words) if text.isascii() and "".join(words).isalnum() else tokens_in(text)


def _taken(pairs: Pairs, cut: LineCut, left_out: dict[int, str]) -> list[OwnLine]:
    """Return the lines that can be learned, and say of the others why they are left out."""
    lines = [OwnLine(number, *(_cut_into(text, cut) for text in texts)) for number, texts in pairs.items()]
    strange = _strange(token for line in lines for token in line.question + line.answer)
    taken, seen = list[OwnLine](), dict[tuple[Tokens, Tokens], int]()
    for number, question, answer in lines:
        tokens, first = question + answer, seen.setdefault((question, answer), number)
        if len(tokens) + 1 > MOST_PLACES:
            left_out[number] = f"has more than {MOST_PLACES - 1} {cut.value}"
        elif not question or not answer:
            left_out[number] = f"has no {'answer' if question else 'input'}"
        elif not strange.isdisjoint(tokens):
            which = next(token for token in tokens if token in strange)
            left_out[number] = f"has {quoted(which)}, which cannot be learned"
        elif first < number:
            left_out[number] = f"is the same as line {first}"
        else:
            taken.append(OwnLine(number, question, answer))
    return taken


def _strange(tokens: Iterable[str]) -> set[str]:
    """Return those that are no tokens of their own where others stand around them, apart, as on other pages."""
    return {token for token in set(tokens) if token == END or tokens_in(token) != (token,)}


def _checksum(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


# ---- In words ----


def said_of(found: OwnLines) -> tuple[str, ...]:
    """Say what the lines are, a sentence each: how many, into what they are cut, and what is held out."""
    longest = max(found.every, key=lambda line: len(line.question) + len(line.answer))
    kind, inputs, held = found.cut.value, len(found.answers), len(found.held_inputs)
    lines = "" if held == len(found.held_out) else f", in {counted(len(found.held_out), 'line')}"
    return (
        f"{counted(len(found.every), 'line')}, cut into {kind}: {grouped(found.known)} different ones.",
        f"The longest is line {longest.number}, with {len(longest.question)} → {len(longest.answer)} {kind}.",
        f"Held out, never learned from, whatever the seed: {grouped(held)} of {counted(inputs, 'input')}{lines}.",
    )


def said_of_left_out(found: OwnLines, most: int = 6) -> tuple[str, ...]:
    """Say which lines are left out and why, the first of them one by one."""
    if not found.left_out:
        return ()
    begun = {number: on_one_line(found.lines[number - 1].strip(), _BEGUN) for number, _ in found.left_out[:most]}
    listed = [f"Line {number}, “{begun[number]}”, {reason}." for number, reason in found.left_out[:most]]
    more = len(found.left_out) - most
    others = [f"So {'is' if more == 1 else 'are'} {counted(more, 'other')}."] if more > 0 else []
    return (f"Left out: {counted(len(found.left_out), 'line')}.", *listed, *others)


def too_little_for(found: OwnLines) -> Iterator[str]:
    """Say what the lines are too few for, as far as that can be counted, a sentence each."""
    held, learned = found.held_out, found.learned
    low, high = sure_range(len(held) // 2, len(held))
    yield (
        f"With {counted(len(held), 'line')} held out the share that is right is known to about "
        f"±{round(50 * (high - low))} points; a smaller difference says nothing."
    )
    read = {token for line in learned for token in line.question}
    strange = sum(not read.issuperset(question) for question in found.held_inputs)
    if strange:
        has = "has" if strange == 1 else "have"
        yield f"{counted(strange, 'held-out input')} {has} {found.cut.value} that no input to learn from has."
    known = {token for line in learned for token in line.answer}
    hopeless = sum(not known.issuperset(line.answer) for line in held)
    if hopeless:
        has, it = ("has", "it") if hopeless == 1 else ("have", "they")
        yield (
            f"{counted(hopeless, 'held-out answer')} {has} {found.cut.value} that no answer to learn from has: {it} "
            "cannot come out."
        )
    unclear = sum(len(answers) for answers in found.answers.values() if len(answers) > 1)
    if unclear:
        yield f"{grouped(unclear)} lines have an input that has another answer too: not all of them can be right."
    answer, most = Counter(line.answer for line in learned).most_common(1)[0]
    share = sum(line.answer == answer for line in held) / len(held)
    if most > 1:
        always = quoted(found.text_of(answer))
        yield f"Always answering {always} would be right for {percent(share)} of the held-out lines."


def said_of_right(right: int, of: int) -> str:
    """Say which share of all such lines is right, if so many of those held out are, and how surely that is known."""
    low, high = sure_range(right, of)
    return f"95 % sure: {percent(low)} to {percent(high)} of all such lines."


def sure_range(right: int, of: int) -> tuple[float, float]:
    """Return between which shares the truth lies, at 95 %, if so many of some lines drawn at random are right.

    Notes
    -----
    Wilson 1927: those shares p with |right/of − p| ≤ 1.96 √(p (1 − p)/of).
    """
    share, square = right / of, _SURE**2
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _SURE * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    # The last digits of the formula would say of none or all right that it is not quite none or all.
    return middle - half if right else 0.0, middle + half if right < of else 1.0
