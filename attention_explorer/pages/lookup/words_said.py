"""What the words of the plane say: who asks, who is found, what is handed over, and where the word moves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import coordinate, percent, plain, signed
from attention_explorer.pages.lookup.words_plane import HeadNumbers, WordsNumbers
from attention_explorer.pages.lookup.words_state import MATRICES, WordsShown

SYMBOLS = dict(zip(MATRICES, ("W_Q", "W_K", "W_V"), strict=True))
DOES = dict(zip(MATRICES, ("asks", "is found by", "hands over"), strict=True))
_STILL = 0.05
"""Units below which a word is said to stay."""


def pair(numbers: FloatArray | Sequence[float]) -> str:
    """Return (+0.28, +1.39)."""
    return f"({signed(float(numbers[0]))}, {signed(float(numbers[1]))})"


def headline(numbers: WordsNumbers) -> str:
    """Return where the word that asks moves, or as much of the way there as is on show."""
    word, (before, after) = f"“{numbers.word}”", numbers.distances
    match numbers.state.shown:
        case WordsShown.WORDS:
            return f"{word} stands at {pair(numbers.place)}"
        case WordsShown.QUERIES:
            return f"{word} asks {pair(numbers.head.queries[numbers.asking])}"
        case WordsShown.KEYS:
            most = int(numbers.head.weights.argmax())
            return f"{word} finds {'itself' if most == numbers.asking else f'“{numbers.tokens[most]}”'}"
    found = list(dict.fromkeys(each for head in numbers.heads for each in numbers.found_by(head)))
    if math.hypot(*numbers.output) < _STILL:
        return f"{word} stays where it is"
    if numbers.toward.casefold() == numbers.word.casefold():
        return f"{word} moves by what it hands itself"
    if len(found) == 2 and not numbers.state.toward:
        return f"{word} takes from “{found[0]}” and “{found[1]}”"
    way = "toward" if after < before - _STILL else "away from" if after > before + _STILL else "past"
    return f"{word} moves {way} “{numbers.toward}”"


def sentence(numbers: WordsNumbers) -> str:
    """Return what is found and what is handed over, and how far the word comes, or what comes before that."""
    before, after = numbers.distances
    match numbers.state.shown:
        case WordsShown.WORDS:
            across, up = numbers.state.across, numbers.state.up
            return f"A word is two numbers here, its features. Across: {across}. Up: {up}."
        case WordsShown.QUERIES:
            return "x is the word: its first number times the first row of W_Q, plus its second times the second row."
        case WordsShown.KEYS:
            return "Its query meets the key of every word, its own too. q·k is divided by √2; softmax makes weights."
    found = [_found(numbers, head) for head in numbers.heads]
    if len(found) == 2:
        return (
            f"Both heads find {found[0]}, and hand over two things, which are added."
            if found[0] == found[1]
            else f"One head finds {found[0]}, the other {found[1]}. Each hands over something else, and o is the sum."
        )
    if " and " in found[0]:
        return f"It finds {found[0]} alike, and receives the mean of their values: one head blends them."
    distance = f"From “{numbers.toward}”: {plain(before)} before, {plain(after)} after."
    if not found[0]:
        return f"It finds itself alone. {distance}"
    return f"It asks every word and finds {found[0]} by its key. It receives not the key but the value. {distance}"


def _found(numbers: WordsNumbers, head: HeadNumbers) -> str:
    return " and ".join(f"“{each}”" for each in numbers.found_by(head)[:2])


def query_sum(numbers: WordsNumbers) -> tuple[str, str]:
    """Return the query as so much of each row of W_Q, in two lines."""
    rows = zip(numbers.place.tolist(), numbers.head.matrices.w_q, strict=True)
    first, second = (f"{coordinate(share)}·{_short(row)}" for share, row in rows)
    return f"q = {first}", f"  + {second} = {_short(numbers.head.queries[numbers.asking])}"


def _short(numbers: FloatArray | Sequence[float]) -> str:
    """Return (2, −0.53)."""
    return f"({', '.join(coordinate(round(float(number), 2)) for number in numbers)})"


def says(numbers: WordsNumbers) -> tuple[str, ...]:
    """Return the arithmetic of what is handed over, and what slopes say."""
    if numbers.state.shown is not WordsShown.ALL:
        return ()
    lines = []
    for name, head in zip(("The first head", "The second head"), numbers.heads, strict=False):
        who = name if len(numbers.heads) == 2 else "The head"
        lines.append(f"{who} hands over {pair(head.attention.output)}: {_sum(numbers, head)}.")
    if numbers.state.gradients:
        slope = numbers.slopes[numbers.state.shown_head]
        j = int(numbers.head.weights.argmax())
        lines.append(
            f"Of the loss ½|x + o − t|² with t at “{numbers.toward}”: ∂L/∂q = {pair(slope.query)}; for "
            f"“{numbers.tokens[j]}” ∂L/∂k = {pair(slope.keys[j])} and ∂L/∂v = {pair(slope.values[j])}."
        )
        if numbers.hard:
            lines.append("A hard lookup has no slope by q and k; the value of the winner still learns.")
    return tuple(lines)


def _sum(numbers: WordsNumbers, head: HeadNumbers) -> str:
    order = sorted(range(len(numbers.tokens)), key=lambda j: -float(head.weights[j]))
    terms = [
        f"{percent(float(head.weights[j]))} of {pair(head.values[j])} from “{numbers.tokens[j]}”" for j in order[:4]
    ]
    rest = ["the rest from the others"] if len(order) > 4 else []
    return ", ".join([*terms, *rest])


def word_words(numbers: WordsNumbers, i: int) -> str:
    """Return a word with all that the head on show makes of it, as far as that is on show."""
    head, attention, shown = numbers.head, numbers.head.attention, numbers.state.shown
    made = zip(MATRICES, ("query", "key", "value"), strict=True)
    known = [f"“{numbers.tokens[i]}” {pair(numbers.points[i])}"]
    known += [f"{what} {pair(head.made_by(matrix)[i])}" for matrix, what in made if matrix in shown.matrices]
    if numbers.state.has_weights:
        known.append(f"q·k = {signed(float(attention.scores[i]))}, ÷ √2 {signed(float(attention.scaled[i]))}")
        known.append(f"weight {percent(float(head.weights[i]))}")
    if numbers.state.gradients and shown is WordsShown.ALL:
        slope = numbers.slopes[numbers.state.shown_head]
        known.append(f"∂L/∂k {pair(slope.keys[i])}, ∂L/∂v {pair(slope.values[i])}")
    return "; ".join(known)


def matrix_words(numbers: WordsNumbers, name: str, row: int) -> str:
    """Return where an axis goes, and what that makes of the word that asks or is found."""
    matrix = getattr(numbers.head.matrices, name)
    i = numbers.asking if name == "w_q" else numbers.heaviest
    made = numbers.head.made_by(name)[i]
    axis = numbers.state.up if row else numbers.state.across
    return f"{SYMBOLS[name]}: “{axis}” goes to {pair(matrix[row])}; “{numbers.tokens[i]}” {DOES[name]} {pair(made)}"


def moved_words(numbers: WordsNumbers) -> str:
    """Return where the word is with o added."""
    length = math.hypot(*numbers.output)
    return f"{numbers.word} + o = {pair(numbers.moved)}: o = {pair(numbers.output)} is {plain(length)} long"
