"""“the red car” becomes “la voiture rouge”: the words come in another order."""

from __future__ import annotations

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.learning import (
    NOT_ASKED,
    Batch,
    Network,
    NormalDraws,
    Parameters,
    TranslationNetwork,
    TranslationSetting,
)
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import HELD_OUT, Pattern, Question, Task, one_key, shared_sizes
from attention_explorer.sources.learned.vocabulary import Vocabulary

_DETERMINERS = {"the": ("le", "la"), "a": ("un", "une"), "this": ("ce", "cette"), "my": ("mon", "ma")}
_ADJECTIVES = {
    "red": ("rouge", "rouge"),
    "green": ("vert", "verte"),
    "white": ("blanc", "blanche"),
    "black": ("noir", "noire"),
    "yellow": ("jaune", "jaune"),
    "open": ("ouvert", "ouverte"),
    "quick": ("rapide", "rapide"),
    "clean": ("propre", "propre"),
}
_NOUNS = {
    "car": "voiture",
    "house": "maison",
    "door": "porte",
    "table": "table",
    "flower": "fleur",
    "dog": "chien",
    "cat": "chat",
    "boat": "bateau",
    "hat": "chapeau",
    "book": "livre",
}
_FEMININE = ("car", "house", "door", "table", "flower")
START, END = "start", "end"

_ENGLISH = Vocabulary((*_DETERMINERS, *_ADJECTIVES, *_NOUNS))
_FRENCH = Vocabulary(
    dict.fromkeys((START, END, *sum((*_DETERMINERS.values(), *_ADJECTIVES.values()), ()), *_NOUNS.values()))
)
_SEED = 718


def _all_sentences() -> tuple[Tokens, Tokens]:
    """Return every English sentence, (count, 3), and its translation with its end, (count, 4)."""
    english, french = [], []
    for determiner, determiners in _DETERMINERS.items():
        for adjective, adjectives in _ADJECTIVES.items():
            for noun, translated in _NOUNS.items():
                gender = int(noun in _FEMININE)
                english.append(_ENGLISH.numbers(determiner, adjective, noun))
                french.append(_FRENCH.numbers(determiners[gender], translated, adjectives[gender], END))
    return np.array(english), np.array(french)


_SENTENCES, _TRANSLATIONS = _all_sentences()
_ADJECTIVE_OF, _NOUN_OF = _SENTENCES[:, 1] - len(_DETERMINERS), _SENTENCES[:, 2] - len(_DETERMINERS) - len(_ADJECTIVES)
_HELD_OUT = (3 * _ADJECTIVE_OF + _NOUN_OF) % len(_NOUNS) < 2
"""Two nouns of ten for each adjective are never learned together."""


class Translation(Task):
    """Write the French sentence word by word. One pair of adjective and noun in five is never learned from."""

    name = "translation"
    title = "Word order in translation"
    about = "“the red car” is “la voiture rouge”: write it word by word, in the order of the other language."
    every = 5
    setup = LearningSetup(task="translation", layers=1, d_model=32, encoder_layers=0, d_ff=64, length=3, rate=0.005)
    fixed = frozenset({"length"})

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return the English words."""
        return _ENGLISH

    def answers(self, setup: LearningSetup) -> Vocabulary:
        """Return the French words, the start and the end."""
        return _FRENCH

    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Draw sentences to learn from; see `Task`."""
        return _batch(np.flatnonzero(~_HELD_OUT)[numbers.randint(0, int((~_HELD_OUT).sum()), count)])

    def held_out(self, setup: LearningSetup) -> Batch:
        """Return all sentences with adjectives and nouns that were never learned together."""
        return _batch(np.flatnonzero(_HELD_OUT)[:HELD_OUT])

    def probe(self, setup: LearningSetup) -> str:
        """Return a sentence that is a row of three words in both languages."""
        return "the red car"

    def question(self, sentence: str, setup: LearningSetup) -> Question:
        """Take a sentence that somebody typed; what was written so far is always the right beginning."""
        tokens = self.vocabulary(setup).read(sentence, *self.lengths(setup))
        found = np.flatnonzero((tokens == _SENTENCES).all(axis=1))
        if not found.size:
            raise ExplorerError(
                "The model has learned sentences of a determiner, an adjective and a noun: write one such as "
                f"“{self.probe(setup)}”."
            )
        batch = _batch(found)
        return Question(batch, tuple(batch.targets[0].tolist()))

    def texts(self, sentence: str, setup: LearningSetup) -> tuple[str, str | None]:
        """Return the right translation but its end, and the sentence; see `Task`."""
        return _FRENCH.text(self.question(sentence, setup).batch.tokens[0]), sentence

    def typed(self, sentence: str, context: str | None, setup: LearningSetup) -> Batch:
        """Take what was written so far, and the sentence it translates; see `Task`."""
        if context is None:
            raise ExplorerError("This model translates: give it a second sentence, such as “the red car”.")
        places = _TRANSLATIONS.shape[-1]
        written = _FRENCH.read(sentence, 1, places)[None]
        return Batch(
            written, np.full_like(written, NOT_ASKED), _ENGLISH.read(context, setup.length, setup.length)[None]
        )

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return the translations of English sentences, with their ends, (batch, 4)."""
        at = (tokens[:, None] == _SENTENCES).all(axis=-1).argmax(axis=1)
        found: Tokens = _TRANSLATIONS[at]
        return found

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the word that is translated: for the second word the third, for the third the second.

        A determiner needs the noun too, for its gender, and the end needs nothing: neither counts.
        """
        keys = np.tile([-1, 2, 1, -1], (len(batch.tokens), 1))
        return (Pattern("the word that is translated", one_key(keys, 3)),)

    def network(self, setup: LearningSetup, numbers: NormalDraws) -> Network:
        """Make encoder and decoder with their first numbers."""
        setting = TranslationSetting(
            vocabulary=len(_FRENCH),
            answers=len(_FRENCH),
            places=_TRANSLATIONS.shape[-1],
            context_vocabulary=len(_ENGLISH),
            context_places=setup.length,
            encoder_layers=setup.encoder_layers,
            causal=True,
            **shared_sizes(setup),
        )
        return TranslationNetwork(setting, Parameters(TranslationNetwork.first_parameters(setting, numbers)))


def _batch(at: Tokens) -> Batch:
    """Return sentences by their numbers: the decoder is given the translation one place later than it writes it."""
    written = _TRANSLATIONS[at]
    start = np.full((len(at), 1), _FRENCH.number(START))
    return Batch(np.concatenate([start, written[:, :-1]], axis=1), written, _SENTENCES[at])
