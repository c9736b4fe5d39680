"""What a model says of the sentence, and what it said before words were hidden from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.mask import MOST_NAMED
from attention_explorer.core.numerals import listed, percent, plain
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.heads.compare import axes_of
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, heads_run_without
from attention_explorer.pages.heads.parts import Writing
from attention_explorer.pages.heads.reading import Reading
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, MaskChoice
from attention_explorer.pages.heads.wording import isolated, query_name
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.masked_layers import layers_and_mask, words_hidden
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Guess, Predictions


@dataclass(frozen=True, slots=True)
class Guessed:
    """A guess.

    Attributes
    ----------
    now : Guess
        With all that is hidden from the model.
    before : Guess or None
        With every word to be seen; None where none is hidden.
    hidden : tuple of str
        The words that are hidden.
    """

    now: Guess
    before: Guess | None = None
    hidden: tuple[str, ...] = ()

    @property
    def is_other(self) -> bool:
        """Whether hiding words has changed it."""
        return self.before is not None and self.before.word != self.now.word

    @property
    def spoken(self) -> str:
        """The guess in words."""
        said = f"{self.now.about} {quoted(self.now.word)}, {percent(self.now.probability)}"
        if self.before is None:
            return f"The model’s guess: {said}"
        was = "the same" if not self.is_other else quoted(self.before.word)
        hidden = listed(map(quoted, self.hidden), MOST_NAMED)
        return f"The model’s guess without {hidden}: {said}. With every word to be seen: {was}"


def hidden_words(heads: HeadsState) -> tuple[int, ...]:
    """Return the keys that no query may look at; none where the source takes no mask."""
    return () if source_of(heads.setup.recipe).traits.reason_against(Ability.MASKS) else heads.words_hidden


def can_hide_words(setup: HeadsSetup) -> bool:
    """Whether there is a guess, and words can be hidden from who makes it; known without running anything."""
    source = source_of(setup.recipe)
    return source.guesses and not source.traits.reason_against(Ability.MASKS)


def guess_setup(setup: HeadsSetup) -> HeadsSetup:
    """Return all of a setup that a guess depends on: not which head is looked at."""
    return replace(setup.without_focus, switched_off=heads_run_without(setup))


def without_word(heads: HeadsState, column: int) -> Guess | None:
    """Return the guess with one more word hidden; errors as of `guessed`."""
    return _guess(guess_setup(heads.with_word(column, hide=True).setup))


@kept
def guessed(setup: HeadsSetup) -> Guessed | None:
    """Return what the model says; None where it says nothing.

    Parameters
    ----------
    setup : HeadsSetup
        Made by `guess_setup`.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    now, source = _guess(setup), source_of(setup.recipe)
    words = words_hidden(source, resolved(setup).mask)
    if now is None or not words:
        return None if now is None else Guessed(now)
    return Guessed(now, _guess(replace(setup, mask=without_hidden(setup, words))), tuple(words.values()))


def without_hidden(setup: HeadsSetup, words: Iterable[int]) -> MaskChoice:
    """Return the mask of a setup with words to be seen again."""
    mask: MaskChoice = setup.mask
    for word in words:
        mask = mask.with_word(word, len(source_of(setup.recipe).tokens), hide=False)
    return mask


def _guess(setup: HeadsSetup) -> Guess | None:
    return source_of(setup.recipe).guess(run_of(setup))


def run_of(setup: HeadsSetup) -> Sequence[Layer]:
    """Return the layers of what a setup names, opened if it is not, to ask what comes out of the last.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    source_of(setup.recipe).open()
    setup = resolved(setup)
    how = setup.scaled, setup.temperature, setup.hard, setup.switched_off
    return layers_and_mask(setup.recipe, setup.mask, *how)[0]


# ---- Surprise ----


def shows_surprise(heads: HeadsState) -> bool:
    """Whether the tokens are to have it, and the model foretells them; known without running it."""
    return heads.view.surprise and source_of(heads.setup.recipe).writes


@kept
def surprise(setup: HeadsSetup) -> tuple[float, ...]:
    """Return −log₂ p of each token in bits, NaN for the first; none where the model foretells none.

    Parameters
    ----------
    setup : HeadsSetup
        Made by `guess_setup`.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    found = source_of(setup.recipe).surprise(run_of(setup))
    return () if found is None else tuple(found.tolist())


def surprise_words(bits: tuple[float, ...], full: float, unit: str) -> str:
    """Return what the bars below the tokens mean, and the mean of the text.

    Parameters
    ----------
    bits : tuple of float
        Of each token; NaN for one that nothing foretells.
    full : float
        The bits at which a bar has its full colour.
    unit : str
        What each is of: token or word.
    """
    known = [each for each in bits if not math.isnan(each)]
    if not known:
        return f"Surprise: no {unit} comes after another one" if bits else "Surprise: …"
    mean = sum(known) / len(known)
    scale = f"pale 0 bits, full colour {plain(full, 0)} or more"
    return f"Surprise, {scale}: {plain(mean, 1)} bits a {unit} on average (perplexity {plain(2**mean, 1)})"


# ---- What comes next, and what was masked ----


MOST = 30
"""Tokens that are listed."""


MOST_BEFORE = 3
"""Tokens that are named of what is compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The most probable tokens at a query, and how probable they were before."""

    reading: Reading
    """Probabilities as bars."""
    before: FloatArray | None
    """What each was before, (n,); None where there is nothing to compare with."""
    against: str
    """What they are compared with, in words, and which tokens come first there; empty for nothing."""
    when: str = "before"
    """What stands above what each was."""

    @property
    def change(self) -> FloatArray | None:
        """By how much each grew, (n,)."""
        return None if self.before is None else self.reading.weights - self.before


@kept
def expected_tokens(setup: HeadsSetup, row: int | None, other: HeadsSetup | None = None) -> Expected | None:
    """Return the most probable tokens at a query; None where the source predicts nothing.

    Parameters
    ----------
    setup : HeadsSetup
        Of the model and what it reads.
    row : int or None
        The query; None for the last.
    other : HeadsSetup, optional
        B, if it is compared with that; else, where heads are off or words hidden from all, it is compared with all
        heads on and every word to be seen.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    frame = frame_to_show(setup)
    at = len(frame.queries) - 1 if row is None else min(row, len(frame.queries) - 1)
    found = frame.source.predictions(frame.layers, at, MOST)
    if found is None:
        return None
    reading = _reading(frame, at, found)
    name, first = _before(setup) if other is None else ("B", other)
    if not name:
        return Expected(reading, None, "")
    try:
        before = frame_to_show(first)
        place = len(before.queries) - 1 if row is None else axes_of(frame, before)[0].in_each(at)[1]
        top = None if place is None else before.source.predictions(before.layers, place, MOST_BEFORE)
        if place is None or top is None:
            return Expected(reading, None, f"{name} expects no token here")
        same = before.source.predictions(before.layers, place, 0, found.ids) if top.whose == found.whose else None
    except ExplorerError as error:
        return Expected(reading, None, f"{name}: {error}")
    listed = ", ".join(f"“{isolated(token)}” {plain(float(p), 3)}" for token, p in zip(*top[:2], strict=True))
    if same is None:
        return Expected(reading, None, f"{name}: {listed} come first")
    if other is not None:
        return Expected(reading, same.probabilities, f"In B {listed} come first", "in B")
    return Expected(reading, same.probabilities, f"Before, with {name}, {listed} came first")


def _before(setup: HeadsSetup) -> tuple[str, HeadsSetup]:
    """Return a setup with all heads on and every word to be seen, and what is other there; empty for nothing."""
    hidden, said = words_hidden(source_of(setup.recipe), resolved(setup).mask), []
    if heads_run_without(setup):
        said.append("all heads on")
        setup = replace(setup, switched_off=frozenset())
    if hidden:
        said.append("every word to be seen")
        setup = replace(setup, mask=without_hidden(setup, hidden))
    return " and ".join(said), setup


def _reading(frame: HeadsFrame, row: int, found: Predictions) -> Reading:
    place = query_name(frame, row)
    title = f"after {place} the model expects" if found.is_next else f"in place of {place} the model expects"
    count = len(found.tokens)
    note = f"{count} of {found.vocabulary} tokens, together {percent(float(found.probabilities.sum()))}"
    mask = frame.source.mask_token
    if mask and mask not in frame.source.tokens:
        note += f". Type {mask} in place of a word, and click it"
    hidden = np.zeros(count, np.bool_)
    return Reading(row, False, title, found.tokens, found.probabilities, hidden, tuple(range(count)), note, frame.count)


def next_text(setup: HeadsSetup, writing: Writing) -> str:
    """Return what the model writes next, one token; empty where it ends its text.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    frame = frame_to_show(setup)
    return frame.source.next_text(frame.layers, writing.temperature, writing.top_k, writing.seed)


@dataclass(frozen=True, slots=True)
class Nearness:
    """What a sentence model makes of two sentences."""

    title: str
    text: str


@kept
def nearness(setup: HeadsSetup) -> Nearness:
    """Return the cosine of the two sentences of a setup in words, or how to get one.

    Raises
    ------
    ExplorerError
        A sentence cannot be read; the message says why.
    """
    found = frame_to_show(setup).source.cosine()
    if found is None:
        return Nearness("How near are two sentences?", "“+ second” adds one: the cosine of the two is shown here.")
    value, how = found
    return Nearness(
        f"cosine {plain(value, 3)}",
        f"Of the two sentences, each read by itself: its vector is {how}. 1 is the same direction, 0 is at right "
        "angles. The maps are of both read as one text.",
    )
