"""Ready-made lookups, each with a sentence that says what to look for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.pages.lookup.plane import Extent, Vector
from attention_explorer.pages.lookup.state import LEARNED_DICTIONARY, Entry, LookupState, LookupView, Overlay, ValueKind
from attention_explorer.pages.lookup.words_state import Word, WordsHead, WordsState


def _words(**places: Vector) -> tuple[Word, ...]:
    return tuple(Word(text, place) for text, place in places.items())


def _ready(identifier: str, title: str, look_for: str, **fields: Any) -> Preset[LookupState]:  # noqa: ANN401
    """Return a preset whose state knows where it comes from."""
    return Preset(identifier, title, look_for, LookupState(preset=identifier, **fields))


def _of_words(identifier: str, title: str, look_for: str, words: WordsState) -> Preset[LookupState]:
    return _ready(identifier, title, look_for, view=LookupView.WORDS, words=words)


_TIRED = WordsState(
    sentence="The animal didn't cross the street because it was too tired",
    asks="it",
    lexicon=(
        *_words(the=(0.1, 0.3), animal=(2.0, 0.2)),
        Word("didn't", (0.35, 0.45)),
        *_words(cross=(0.5, 0.15), street=(1.0, -0.3), because=(-0.2, 0.2)),
        *_words(it=(0.6, 0.6), was=(-0.1, 0.7), too=(-0.3, 1.0), tired=(0.2, 2.0)),
    ),
    first=WordsHead(((3.0, 0.0), (0.0, 3.0)), ((1.0, 0.0), (0.0, 1.0)), ((0.8, 0.0), (0.0, 0.8))),
    second=WordsHead(((0.0, 0.0), (0.0, 5.0)), ((1.0, 0.0), (0.0, 1.0)), ((0.0, 0.0), (0.0, 0.8))),
    across="who: how much of a creature",
    up="how: how much of a state",
)

WORDS_PRESETS: tuple[Preset[LookupState], ...] = (
    _of_words(
        "bank-of-the-river",
        "Bank of the river",
        "“bank” asks every word with its query, finds “river” by its key, and receives its value: it moves toward "
        "“river”. Change “river” to “money” in the sentence: the same three matrices move “bank” the other way.",
        WordsState(),
    ),
    _of_words(
        "one-head",
        "One head, two things to find",
        "“it” needs to know who it is (animal) and how it is (tired). One head looks at both with the same weight, and "
        "hands over the mean of their values: neither the one nor the other. Press Two heads.",
        _TIRED,
    ),
    _of_words(
        "two-heads",
        "Two heads hand over two things",
        "The first head asks who, finds “animal” and hands over the first feature alone; the second asks how, finds "
        "“tired” and hands over the second. Added up, “it” becomes both, which no mean of values is.",
        replace(
            _TIRED,
            two=True,
            first=WordsHead(((5.0, 0.0), (0.0, 0.0)), ((1.0, 0.0), (0.0, 1.0)), ((0.8, 0.0), (0.0, 0.0))),
        ),
    ),
    _of_words(
        "library",
        "A library: label and content",
        "Each book stands at its label (left to right) and its content (up and down). W_K reads labels alone and W_V "
        "hands over contents alone: the question finds “Tides” by its label and receives what is inside. Drag “Tides” "
        "up and down: the weights stay, what is handed over moves.",
        WordsState(
            sentence="question Tides Gardens Banks",
            asks="question",
            lexicon=_words(question=(1.0, 0.0), tides=(2.0, 1.6), gardens=(-0.5, 1.0), banks=(0.3, -1.3)),
            first=WordsHead(((4.0, 0.0), (0.0, 0.0)), ((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 1.0))),
            across="label: what it says on the spine",
            up="content: what is inside",
        ),
    ),
)


def _entries(keys: tuple[Vector, ...], values: tuple[Vector, ...] | None = None) -> tuple[Entry, ...]:
    values = keys if values is None else values
    return tuple(Entry(key, value, 10.0 * (i + 1)) for i, (key, value) in enumerate(zip(keys, values, strict=True)))


_THREE_KEYS = LookupState(
    query=(1.0, 0.0),
    entries=_entries(((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), ((10.0, 0.0), (0.0, 10.0), (5.0, 5.0))),
    values=ValueKind.VECTORS,
    scaled=True,
    overlays=frozenset({Overlay.HULL, Overlay.LIMIT, Overlay.CHAIN}),
    target=(9.0, 1.0),
    extent=Extent(-2.0, 11.0, -1.5, 10.8),
    preset="three-keys",
)

PRESETS: tuple[Preset[LookupState], ...] = (
    _ready(
        "two-keys",
        "Two keys, values are the keys",
        "Drag q across the dashed line. Soft: the output o slides along the segment between the keys. Press H for "
        "hard, guess what o does at the line, and drag again.",
    ),
    Preset(
        "three-keys",
        "Three keys and a hidden tie",
        "q = (1, 0) seems to single out k₁ = (1, 0), but k₃ = (1, 1) scores exactly the same: at first the weights "
        "are .401, .198 and .401. Make q longer (Ctrl and drag): softmax never takes o beyond (7.5, 2.5), the ◇. "
        "With q = (10, −10), typed into the table, k₁ gets nearly all the weight.",
        _THREE_KEYS,
    ),
    _ready(
        "quiz",
        "By hand: values 10 and 20",
        "q = (1, 0), k₁ = (1, 0), k₂ = (0, 1), values 10 and 20. Work it out on paper, without ÷√d_k: k₁ weighs "
        "e ÷ (e + 1) = 0.731, so o = 12.689. Did you get 13.302? Then you divided by √2: switch ÷√d_k on to see it.",
        query=(1.0, 0.0),
        entries=_entries(((1.0, 0.0), (0.0, 1.0))),
        values=ValueKind.NUMBERS,
    ),
    _ready(
        "equal-scores",
        "All scores equal",
        "All three scores q·k are 1.2, so a soft lookup gives every key 1/3, and o is the plain mean of the values: "
        "attention averages where the query has no preference. Press E to move q to the origin: there all scores are "
        "equal in any lookup.",
        query=(1.2, 0.0),
        entries=_entries(((1.0, -1.4), (1.0, 0.2), (1.0, 1.5))),
        overlays=frozenset({Overlay.FIELD, Overlay.HULL, Overlay.CHAIN}),
    ),
    _ready(
        "long-key",
        "A long key beats an aligned one",
        "q = (1, 0) points exactly along k₁ (cosine 1) and not along k₂ (cosine 0.8), yet k₂ scores 2 against 1, "
        "because it is 2.5 times as long. On the dotted line the angles are equal; on the dashed one, the scores.",
        query=(1.0, 0.0),
        entries=_entries(((1.0, 0.0), (2.0, 1.5))),
        overlays=frozenset({Overlay.FIELD, Overlay.TIE, Overlay.ANGLE}),
    ),
    _ready(
        "exact-miss",
        "A dictionary that misses by 0.0000001",
        "q misses k₁ by 10⁻⁷. A Python dict finds nothing: a key is equal or it is not. Attention hardly notices: "
        "compared with q = (1, 0), o moves by less than 10⁻⁷. Type 1 for the x of q, and the dict finds k₁.",
        query=(1.0000001, 0.0),
        entries=_entries(((1.0, 0.0), (0.0, 1.0)), ((2.0, 0.5), (-0.5, 1.5))),
        values=ValueKind.VECTORS,
        overlays=frozenset({Overlay.FIELD, Overlay.HULL}),
    ),
    _ready(
        "descent",
        "Let the gradient find the query",
        "The loss is ½|o − t|². Press Play: q walks downhill until the output o reaches the target t. Undo, press "
        "H for hard and play again: the gradient is exactly 0, so q stays where it is and learns nothing.",
        query=(0.2, -1.2),
        entries=_entries(((1.8, 0.4), (-0.6, 1.6), (-1.4, -1.2))),
        overlays=frozenset({Overlay.HULL, Overlay.TRAIL, Overlay.GRADIENT, Overlay.TARGET}),
        target=(0.4, 0.8),
        view=LookupView.GRADIENT,
    ),
    _ready(
        "temperatures",
        "From hard to even",
        "Three keys score 3, 2 and 1. Towards temperature 0 the first takes all, as in a hard lookup; at 1 the weights "
        "are e³, e² and e¹ shared out: 67 %, 24 % and 9 %; towards 100 each has a third.",
        query=(1.0, 0.0),
        entries=_entries(((3.0, 0.5), (2.0, 1.5), (1.0, -1.0))),
        view=LookupView.TEMPERATURE,
    ),
    *WORDS_PRESETS,
)


def preset(identifier: str) -> Preset[LookupState]:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    return preset_of(PRESETS, identifier)


LEARNED: Preset[LookupState] = Preset(
    LEARNED_DICTIONARY,
    "A learned dictionary",
    "These keys and queries were learned on the Training page: each value is the query that is to find this key. Drag "
    "q onto another value, and the weight moves to its key. Shorten q, and the lookup blends: its length is what makes "
    "it sharp.",
    LookupState(),
)
"""A lookup that is in no list: where it comes from is said until another is chosen."""
