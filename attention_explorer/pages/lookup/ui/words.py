"""Words in the plane: where they stand, the matrices that carry them, and the word that moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import percent, signed
from attention_explorer.kit.items.bars import MANY, Bar, NamedBars
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.item import TURNS, Hit, Item, Value
from attention_explorer.kit.items.plane import Arrow, Dot, Plane, Point
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.pages.lookup import words_said as said
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.ui.words_items import MatrixNumbers, Sentence
from attention_explorer.pages.lookup.words_plane import (
    HeadNumbers,
    WordsNumbers,
    otherwise,
    words_arrays,
    words_lines,
    words_numbers,
    words_told,
)
from attention_explorer.pages.lookup.words_state import MATRICES, WordsShown

SENTENCE, PLANE, WEIGHTS, NUMBERS = "Sentence", "Words in the plane", "Weights of the row", "Numbers of the words"
PLANES = dict(zip(MATRICES, ("Plane of queries", "Plane of keys", "Plane of values"), strict=True))
MOVED = "moved"
_INKS = dict(zip(MATRICES, ("query", "key", "value"), strict=True))
_NUDGE = 0.1
_FORMULAS = dict(zip(MATRICES, ("[q:query]{q} = x W_Q", "[k:key]{k} = x W_K", "[v:value]{v} = x W_V"), strict=True))


class WordsPicture(Picture[LookupState, WordsNumbers]):
    """A large plane of words, and three small ones to which the matrices carry them."""

    fills_card = True
    asked_in = PLANE
    narrowest = 520.0
    compute = staticmethod(words_numbers)
    headline = staticmethod(said.headline)
    says = staticmethod(said.says)
    arrays = staticmethod(words_arrays)
    lines = staticmethod(words_lines)
    axes = "points, queries, keys, values: word, coordinate; weights, scores: word"
    truths = (
        "A score is linear in the word: halfway between two words it is halfway between their scores.",
        "Where W_K and W_V differ, what a word is found by is not what it hands over.",
        "Heads add up what they hand over; each can look at other words and hand over something else.",
    )

    def item(self, numbers: WordsNumbers) -> Above:
        return _whole(numbers)

    def given(self, numbers: WordsNumbers) -> Above:
        return _whole(numbers, is_given=True)

    def hides(self, _numbers: WordsNumbers) -> tuple[str, ...]:
        return "queries", "keys", "values", "weights", "o"

    def place_asked(self, numbers: WordsNumbers) -> Point:
        return _point(numbers.moved)

    def panel(self, numbers: WordsNumbers) -> Panel:
        shown = numbers.state.shown
        formula = " ,  ".join(_FORMULAS[name] for name in shown.matrices)
        if not numbers.state.has_weights:
            lines = zip(("Query", "Query, on"), said.query_sum(numbers), strict=True)
            items: tuple[Item[Any], ...] = tuple(Title(name, line, "query_ink", 15) for name, line in lines)
            items = items if shown is WordsShown.QUERIES else ()
            return Panel(said.headline(numbers), items, said.sentence(numbers), formula)
        bars = tuple(
            Bar("", weight, signed(scaled), percent(weight), token, is_strong=weight == max(numbers.head.weights))
            for token, weight, scaled in zip(
                numbers.tokens, numbers.head.weights.tolist(), numbers.head.attention.scaled.tolist(), strict=True
            )
        )
        items = (NamedBars(WEIGHTS, ("q·k ÷ √2", "weight"), bars, chosen=None),)
        if shown is WordsShown.ALL:
            handed = " + ".join(said.pair(head.attention.output) for head in numbers.heads)
            items += (
                Title("Output", f"o = {handed}", "output_ink", 15),
                Title("The word moved", f"{numbers.word} + o = {said.pair(numbers.moved)}", size=15),
            )
        formula = "" if len(bars) > MANY else formula
        return Panel(said.headline(numbers), items, said.sentence(numbers), formula)

    def table(self, numbers: WordsNumbers) -> Item[Any]:
        """Return queries, keys and values of all words, and the slopes where these are on show."""
        head, slope = numbers.head, numbers.slopes[numbers.state.shown_head]
        pairs = [{"x": numbers.points, "q": head.queries}, {"k": head.keys, "v": head.values}]
        if numbers.state.gradients:
            pairs.append({"∂L/∂k": slope.keys, "∂L/∂v": slope.values})
        return Above(tuple(_table(numbers, each) for each in pairs))

    def told(self, numbers: WordsNumbers) -> Mapping[str, object]:
        return words_told(numbers)

    # ---- Pointing, clicking and dragging ----

    def words(self, numbers: WordsNumbers, hit: Hit) -> str:
        if hit.part == MOVED:
            return said.moved_words(numbers)
        if isinstance(hit.part, tuple):
            return said.matrix_words(numbers, *hit.part)
        i = _place_of(numbers, hit)
        if i is None:
            known = numbers.state.known
            return f"“{hit.part}” {said.pair(known[hit.part])}, not in the sentence" if hit.part in known else ""
        return said.word_words(numbers, i)

    def changed(self, state: LookupState, numbers: WordsNumbers, hit: Hit, to: Value) -> Change[LookupState] | None:
        words = state.words
        if hit.item == SENTENCE:
            token = numbers.tokens[hit.part]
            return Change(replace(state, words=replace(words, asks=token.casefold())), f"Let “{token}” ask")
        if isinstance(hit.part, tuple) and to is not None:
            name, row = hit.part
            return Change(replace(state, words=words.turned(name, row, to)), f"Turn {said.SYMBOLS[name]}")
        if hit.item == PLANE and to is not None and isinstance(hit.part, str) and hit.part in words.known:
            return _moved(state, hit.part, to)
        return None

    def click(self, state: LookupState, numbers: WordsNumbers, laid: Any, place: Any) -> Change[LookupState] | None:  # noqa: ANN401
        """Let the word ask that is clicked in the sentence; the rest is dragged."""
        hit = self.spot_at(numbers, laid, place)
        return super().click(state, numbers, laid, place) if isinstance(hit, Hit) and hit.item == SENTENCE else None

    follows = False

    def press(self, state: LookupState, numbers: WordsNumbers, key: int) -> Change[LookupState] | None:
        """Move the word that asks by a tenth."""
        turn = TURNS.get(key)
        if turn is None:
            return None
        x, y = numbers.place.tolist()
        to = round(x + _NUDGE * turn[1], 10), round(y - _NUDGE * turn[0], 10)
        return _moved(state, numbers.word, to)


def _table(numbers: WordsNumbers, arrays: Mapping[str, FloatArray]) -> Item[Any]:
    """Return a table of pairs of numbers of each word."""
    # Not before the drawer is open: tables would delay the first picture.
    from attention_explorer.kit.drawing.text_table import Column
    from attention_explorer.kit.items.table import Table

    columns = Column("", is_bold=True), *(Column(title, is_right=True) for title in arrays)
    rows = ((token, *(said.pair(each[i]) for each in arrays.values())) for i, token in enumerate(numbers.tokens))
    return Table(f"{NUMBERS}: {', '.join(arrays)}", columns, tuple(rows), fills=False)


def _moved(state: LookupState, word: str, to: Point) -> Change[LookupState]:
    return Change(replace(state, words=state.words.moved(word, to)), f"Move “{word}”", f"word {word.casefold()}")


def _place_of(numbers: WordsNumbers, hit: Hit) -> int | None:
    """Return which word of the sentence was hit; None for another."""
    if isinstance(hit.part, int):
        return hit.part if hit.part < len(numbers.tokens) else None
    words = [token.casefold() for token in numbers.tokens]
    return words.index(hit.part) if hit.part in words else None


# ---- What it is made of ----


def _point(numbers: FloatArray) -> Point:
    return float(numbers[0]), float(numbers[1])


def _whole(numbers: WordsNumbers, *, is_given: bool = False) -> Above:
    """Return the picture, or only what is given of it: words and matrices, without what they come to."""
    is_told = numbers.state.has_weights and not is_given
    weights = tuple(numbers.head.weights.tolist()) if is_told else (0.0,) * len(numbers.tokens)
    line = Sentence(SENTENCE, numbers.tokens, weights, numbers.asking, is_told)
    names = numbers.state.shown.matrices
    plane = _main(numbers, is_given=is_given)
    if not names:
        return Above((line, plane), gap=6.0)
    together = Above if len(names) == 1 else Beside  # one alone has room for numbers above its plane
    pairs = (_matrix(numbers, name, is_given=is_given) for name in names)
    beside = Above(tuple(together(pair, (0.46, 0.54), 4.0) for pair in pairs), gap=6.0)
    return Above((line, Beside((plane, beside), (0.64, 0.36), 8.0)), gap=6.0)


def _main(numbers: WordsNumbers, *, is_given: bool) -> Plane:
    """Return the words, and the way of the one that asks: o, as the values that it is the sum of."""
    state, asks = numbers.state, numbers.word.casefold()
    written = {token.casefold(): token for token in numbers.tokens}
    is_found = state.has_weights and not is_given
    strong = {found.casefold() for head in numbers.heads for found in numbers.found_by(head) if is_found}
    has_way = state.shown is WordsShown.ALL and not is_given
    arrows, dots = _otherwise(numbers) if has_way else ([], [])
    dots += [
        Dot(text, at, text, "axis", 5.0, is_hollow=True, is_handle=True)
        for text, at in state.known.items()
        if text not in written
    ]
    for text, token in written.items():
        if text == asks:
            continue
        is_strong = text in strong
        ink, size = ("key", 17.0) if is_strong else ("muted", 14.0)
        dots.append(
            Dot(text, state.known[text], token, ink, 8.0 if is_strong else 5.5, size, is_bold=is_strong, is_handle=True)
        )
    if has_way:
        arrows += _way(numbers)
        dots += _end(numbers)
    place = _point(numbers.place)
    dots.append(Dot(asks, place, numbers.word, "query", 9.0, 18.0, is_hollow=True, is_bold=True, is_handle=True))
    return Plane(PLANE, tuple(dots), tuple(arrows), across=state.across, up=state.up, margin=28.0)


def _otherwise(numbers: WordsNumbers) -> tuple[list[Arrow], list[Dot]]:
    """Return where the word would go with another one in the sentence."""
    other = otherwise(numbers) if numbers.state.share == 1.0 and len(numbers.heads) == 1 else None
    if other is None:
        return [], []
    word, place = other
    dot = Dot("with", place, f"with “{word}”", "axis", 4.0, is_hollow=True)
    return [Arrow(_point(numbers.place), place, "axis", 1.4)], [dot]


def _end(numbers: WordsNumbers) -> list[Dot]:
    """Return the word with o added, with room for all of o, so that nothing else moves while less of it is added."""
    start, share = numbers.place, numbers.state.share
    steps = np.cumsum([start, *(head.attention.output for head in numbers.heads)], axis=0)
    dots = [Dot(None, _point(step), radius=0.0) for step in steps] + _names_of_heads(numbers)
    name = {0.0: "", 1.0: f"{numbers.word} + o"}.get(share, f"{numbers.word} + {share:g} o")
    return [*dots, Dot(MOVED, _point(start + share * numbers.output), name, "output", 9.0, 16.0, is_bold=True)]


def _way(numbers: WordsNumbers) -> list[Arrow]:
    """Return o as an arrow, one for each head, and of a single head the values that it is the sum of."""
    share, at, arrows = numbers.state.share, numbers.place, []
    if len(numbers.heads) == 1:
        corner = at
        for weight, value in zip(numbers.head.weights, numbers.head.values, strict=True):
            arrows.append(Arrow(_point(corner), _point(corner + share * weight * value), "value", 1.6))
            corner = corner + share * weight * value
    for head in numbers.heads:
        to = at + share * head.attention.output
        arrows.append(Arrow(_point(at), _point(to), "output", 5.0))
        at = to
    return arrows


def _names_of_heads(numbers: WordsNumbers) -> list[Dot]:
    """Return beside the arrows of two heads which is whose."""
    if len(numbers.heads) == 1 or numbers.state.share == 0.0:
        return []
    first, second = (numbers.state.share * head.attention.output for head in numbers.heads)
    middles = numbers.place + first / 2, numbers.place + first + second / 2
    names = zip(("first head", "second head"), middles, strict=True)
    return [Dot(None, _point(at), name, "output", 0.0, 13.0) for name, at in names]


def _matrix(numbers: WordsNumbers, name: str, *, is_given: bool) -> tuple[MatrixNumbers, Plane]:
    """Return a matrix and the plane to which it carries the words; these are left out of what is given."""
    head, ink = numbers.head, _INKS[name]
    rows = getattr(head.matrices, name)
    corner = rows[0][0] + rows[1][0], rows[0][1] + rows[1][1]
    arrows = [Arrow((0.0, 0.0), row, ink, 2.2, (name, number)) for number, row in enumerate(rows)]
    carried: tuple[Dot, ...] = ()
    does = "?"
    if not is_given:
        arrows += _slope_arrows(numbers, name)
        carried, does = _carried(numbers, head, name), said.DOES[name]
    area = (((0.0, 0.0), rows[0], corner, rows[1]), ink)
    plane = Plane(PLANES[name], carried, tuple(arrows), (area,), margin=16.0, has_step=True)
    cells = MatrixNumbers(f"{said.SYMBOLS[name]} in numbers", said.SYMBOLS[name], rows, does, ink)
    return cells, plane


def _carried(numbers: WordsNumbers, head: HeadNumbers, name: str) -> tuple[Dot, ...]:
    """Return the words where a matrix carries them: of queries the one that asks, of keys and values all.

    Those that ask or are found have their names there.
    """
    ink = _INKS[name]
    if name == "w_q":
        return (Dot(numbers.asking, _point(head.queries[numbers.asking]), numbers.word, ink, 5.0, is_bold=True),)
    made = head.made_by(name)
    found = numbers.found_by(head)
    named = {numbers.asking, *(numbers.tokens.index(each) for each in found[:3])}
    order = sorted(range(len(numbers.tokens)), key=lambda i: i in named)
    return tuple(
        Dot(
            i,
            _point(made[i]),
            numbers.tokens[i] if i in named else "",
            ink if i in named else "muted",
            5.0 if i in named else 3.0,
            is_bold=i != numbers.asking,
        )
        for i in order
    )


def _slope_arrows(numbers: WordsNumbers, name: str) -> list[Arrow]:
    """Return at each key, or value, the way that makes the loss smaller, where that is on show."""
    if not numbers.state.gradients:
        return []
    head, slope = numbers.head, numbers.slopes[numbers.state.shown_head]
    query = numbers.asking
    made, slopes = {
        "w_q": (head.queries[query : query + 1], slope.query[None]),
        "w_k": (head.keys, slope.keys),
        "w_v": (head.values, slope.values),
    }[name]
    return [
        Arrow(_point(at), _point(at - by), "loss", 2.4)
        for at, by in zip(made, slopes, strict=True)
        if np.hypot(*by) > 1e-6
    ]
