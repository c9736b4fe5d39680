"""What “it” refers to: the adjective tells whether it is the animal or the thing."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.arrays import Bools
from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import HELD_OUT, UNKNOWN, Pattern, Task, batch_of, one_key
from attention_explorer.sources.learned.vocabulary import Vocabulary

_ANIMALS = ("cat", "dog", "horse", "bird", "mouse", "goat", "sheep", "rabbit", "cow", "fox", "duck", "bear")
_THINGS = ("mat", "rug", "chair", "box", "bed", "stone", "bench", "sofa", "table", "wall", "roof", "cart")
_VERBS = ("sat", "lay", "slept", "stood")
_PLACES = ("on", "near", "beside")
_OF_ANIMALS = ("tired", "hungry", "sleepy", "thirsty", "afraid", "happy")
_OF_THINGS = ("soft", "flat", "wooden", "broken", "dusty", "new")
_WORDS = Vocabulary(
    (*_ANIMALS, *_THINGS, *_VERBS, *_PLACES, *_OF_ANIMALS, *_OF_THINGS, ".", "the", "because", "it", "was")
)
_FIRST, _SECOND, _IT, _ADJECTIVE = 1, 5, 7, 9
"""Places of the two nouns, of “it” and of the adjective in "the cat sat on the mat because it was tired ."."""

_SEED = 716


def _numbers(*words: str) -> Tokens:
    return _WORDS.numbers(*words)


_FRAME = _numbers("the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired", ".")
_FREE = {2: _numbers(*_VERBS), 3: _numbers(*_PLACES), _ADJECTIVE: _numbers(*_OF_ANIMALS, *_OF_THINGS)}
"""What stands at the places that are drawn word by word."""
_PAIRS = np.stack(np.meshgrid(_numbers(*_ANIMALS), _numbers(*_THINGS), indexing="ij"), axis=-1).reshape(-1, 2)
_HELD_OUT = (_PAIRS[:, 0] + 3 * (_PAIRS[:, 1] - len(_ANIMALS))) % len(_ANIMALS) == 0
"""One animal for each thing: 12 pairs of 144."""
_IT_NUMBER, _LAST_OF_ANIMALS = _WORDS.number("it"), _WORDS.number(_OF_ANIMALS[-1])


def _may_stand() -> Bools:
    """Return which words the grammar has at each place, (places, words)."""
    found = np.zeros((len(_FRAME), len(_WORDS)), np.bool_)
    found[np.arange(len(_FRAME)), _FRAME] = True
    for place, words in {_FIRST: _PAIRS[:, 0], _SECOND: _PAIRS[:, 1], **_FREE}.items():
        found[place, words] = True
    return found


_MAY_STAND = _may_stand()


class Reference(Task):
    """At “it”, name the noun that is meant. One pair of nouns in twelve is never learned from."""

    name = "it"
    title = "What “it” refers to"
    about = "At “it”, name the noun that is meant: an animal may be tired, a mat may be soft."
    every = 5
    before_answer = "“it” means"
    setup = LearningSetup()
    fixed = frozenset({"encoder_layers", "length"})

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return the words of the sentences."""
        return _WORDS

    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Draw sentences with pairs of nouns to learn from; see `Task`."""
        return self._sentences(numbers, count, _PAIRS[~_HELD_OUT], setup)

    def held_out(self, setup: LearningSetup) -> Batch:
        """Return sentences with pairs of nouns that were never seen together; see `Task`."""
        return self._sentences(np.random.RandomState(np.random.PCG64([_SEED])), HELD_OUT, _PAIRS[_HELD_OUT], setup)

    def probe(self, setup: LearningSetup) -> str:
        """Return the sentence of every tutorial."""
        return "The cat sat on the mat because it was tired."

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Take any row of its words that is not too long."""
        return 1, setup.length

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the noun that is meant, from “it”."""
        here = (batch.tokens == batch.targets.max(axis=1, keepdims=True)).argmax(axis=1)
        keys = np.where(batch.targets != NOT_ASKED, here[:, None], -1)
        return (Pattern("the noun that “it” means", one_key(keys, batch.tokens.shape[-1])),)

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return the noun that is meant at “it”; nobody can tell in a sentence of another form.

        The full stop may be missing.
        """
        found = np.where(tokens == _IT_NUMBER, UNKNOWN, NOT_ASKED)
        n = tokens.shape[-1]
        if n > _ADJECTIVE:
            is_known = _MAY_STAND[np.arange(n), tokens].all(axis=1)
            of_animals = tokens[:, _ADJECTIVE] <= _LAST_OF_ANIMALS
            meant = np.where(of_animals, tokens[:, _FIRST], tokens[:, _SECOND])
            found[is_known, _IT] = meant[is_known]
        return found

    def _sentences(self, numbers: np.random.RandomState, count: int, pairs: Tokens, setup: LearningSetup) -> Batch:
        tokens = np.tile(_FRAME, (count, 1))
        tokens[:, [_FIRST, _SECOND]] = pairs[numbers.randint(0, len(pairs), count)]
        for place, words in _FREE.items():
            tokens[:, place] = words[numbers.randint(0, len(words), count)]
        return batch_of(tokens, self.right_answers(tokens, setup))
