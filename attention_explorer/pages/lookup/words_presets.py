"""Ready-made words in the plane."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.preset import Preset
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.pages.lookup.state import LookupState, LookupView
from attention_explorer.pages.lookup.words_state import Word, WordsHead, WordsState


def _words(**places: Vector) -> tuple[Word, ...]:
    return tuple(Word(text, place) for text, place in places.items())


def _shown(identifier: str, words: WordsState) -> LookupState:
    return LookupState(view=LookupView.WORDS, words=words, preset=identifier)


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
    Preset(
        "bank-of-the-river",
        "Bank of the river",
        "“bank” asks every word with its query, finds “river” by its key, and receives its value: it moves toward "
        "“river”. Change “river” to “money” in the sentence: the same three matrices move “bank” the other way.",
        _shown("bank-of-the-river", WordsState()),
    ),
    Preset(
        "one-head",
        "One head, two things to find",
        "“it” needs to know who it is (animal) and how it is (tired). One head looks at both with the same weight, and "
        "hands over the mean of their values: neither the one nor the other. Press Two heads.",
        _shown("one-head", _TIRED),
    ),
    Preset(
        "two-heads",
        "Two heads hand over two things",
        "The first head asks who, finds “animal” and hands over the first feature alone; the second asks how, finds "
        "“tired” and hands over the second. Added up, “it” becomes both, which no mean of values is.",
        _shown(
            "two-heads",
            replace(
                _TIRED,
                two=True,
                first=WordsHead(((5.0, 0.0), (0.0, 0.0)), ((1.0, 0.0), (0.0, 1.0)), ((0.8, 0.0), (0.0, 0.0))),
            ),
        ),
    ),
    Preset(
        "library",
        "A library: label and content",
        "Each book stands at its label (left to right) and its content (up and down). W_K reads labels alone and W_V "
        "hands over contents alone: the question finds “Tides” by its label and receives what is inside. Drag “Tides” "
        "up and down: the weights stay, what is handed over moves.",
        _shown(
            "library",
            WordsState(
                sentence="question Tides Gardens Banks",
                asks="question",
                lexicon=_words(question=(1.0, 0.0), tides=(2.0, 1.6), gardens=(-0.5, 1.0), banks=(0.3, -1.3)),
                first=WordsHead(((4.0, 0.0), (0.0, 0.0)), ((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 1.0))),
                across="label: what it says on the spine",
                up="content: what is inside",
            ),
        ),
    ),
)
