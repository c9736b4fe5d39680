"""Asking the model that a recipe names: each answer is computed once, and kept by what decides it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

import numpy as np

from attention_explorer.core.byte_cache import Kept, kept
from attention_explorer.errors import ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.sources.circuits.composition import Composition
from attention_explorer.sources.circuits.detect import Detected, as_read, random_texts
from attention_explorer.sources.circuits.effects import check_lengths, knock_out_steps, patch_steps
from attention_explorer.sources.circuits.find import Finding, finding
from attention_explorer.sources.circuits.lens import Decided, decided
from attention_explorer.sources.circuits.metric import head_of, metric_of, place_of, word_id
from attention_explorer.sources.circuits.split import Contributions, contributions
from attention_explorer.sources.circuits.words import Words, words
from attention_explorer.sources.models.model import Model
from attention_explorer.sources.models.tokeniser import Tokens
from attention_explorer.sources.models.trace import Trace
from attention_explorer.sources.registry import context_of, sentence_of, source_of
from attention_explorer.sources.source import Recipe

P = ParamSpec("P")
V = TypeVar("V")


class Question(NamedTuple):
    """An answer that is asked of what a model reads: empty words are chosen by the model."""

    recipe: Recipe
    answer: str = ""
    against: str = ""
    position: int = -1


class Answer(NamedTuple):
    """What is asked, as the model has it.

    Attributes
    ----------
    words : (str, str)
        The answer, and the word whose logit is taken off its own.
    ids : (int, int)
        Theirs.
    position : int
        From 0.
    tokens : tuple of str
        What the model reads, as it is drawn.
    probability : float
        Of the answer.
    """

    words: tuple[str, str]
    ids: tuple[int, int]
    position: int
    tokens: tuple[str, ...]
    probability: float


def model_of(recipe: Recipe) -> Model:
    """Return the model, opened now if it is not.

    Raises
    ------
    ExplorerError
        If there is none that can be asked.
    """
    return source_of(recipe).model_to_ask()


def given(recipe: Recipe) -> tuple[Model, Tokens, Tokens | None]:
    """Return the model and what it reads; of two towers what the encoder reads and what the decoder has written."""
    model, sentence, context = model_of(recipe), sentence_of(recipe), context_of(recipe)
    if model.transformer.encoder is not None and context is not None:
        return model, *model.taken(context, sentence)
    return model, *model.taken(sentence)


def read(recipe: Recipe) -> tuple[Model, Trace]:
    """Run the model on what it reads."""
    model, text, target = given(recipe)
    return model, model(text, target)


def labels(model: Model, trace: Trace) -> tuple[str, ...]:
    """Return tokens as they are drawn."""
    return tuple(map(model.label, trace.tokens))


def _best(trace: Trace, position: int) -> list[int]:
    """Return the ids of the two words that the model finds most probable."""
    logits = head_of(trace)()(trace.run.main.hidden[-1][[position]])
    return [int(each) for each in np.argsort(-logits[0], kind="stable")[:2]]


def asked(model: Model, trace: Trace, question: Question) -> Answer:
    """Take what is asked.

    Raises
    ------
    ExplorerError
        If a word is not one token, or the model has no head for words.
    """
    at = place_of(trace, min(question.position, len(trace.ids) - 1))
    best, other = _best(trace, at)
    answer = word_id(trace, question.answer) if question.answer.strip() else best
    usual = other if answer == best else best
    ids = answer, word_id(trace, question.against) if question.against.strip() else usual
    if ids[0] == ids[1]:
        raise ExplorerError("The answer and the word against it are the same: write another one.")
    head = head_of(trace)()
    logs = metric_of(trace, answer, at).of(trace.run, head)
    named = _shown(model, ids[0]), _shown(model, ids[1])
    return Answer(named, ids, at, labels(model, trace), float(np.exp(logs)))


# ---- Of the model alone ----


class Looked(NamedTuple):
    """Where heads look in random texts that are said twice.

    Attributes
    ----------
    detected : Detected
        Of four texts.
    tokens : tuple of str
        Those of the first.
    maps : tuple of ndarray, each (heads, n, n)
        Its attention by layer.
    """

    detected: Detected
    tokens: tuple[str, ...]
    maps: tuple[Floats, ...]


@kept
def looked(recipe: Recipe, seed: int) -> Looked:
    """Return where all heads look; ``recipe`` is that of the model alone."""
    model = model_of(recipe)
    text = random_texts(model, seed)[0]
    trace = model(text, as_read(model, text))
    return Looked(model.detect(seed=seed), labels(model, trace), tuple(trace.weights))


def random_attention(recipe: Recipe, seed: int) -> tuple[np.ndarray[Any, Any], Floats]:
    """Return the ids of all random texts, (texts, n), and their attention, (texts, layers, heads, n, n)."""
    model = model_of(recipe)
    texts = random_texts(model, seed)
    traces = [model(text, as_read(model, text)) for text in texts]
    return np.array(texts), np.stack([np.stack([*trace.weights]) for trace in traces])


@kept
def composed(recipe: Recipe) -> Composition:
    """Return who reads whom, by the weights."""
    return model_of(recipe).composition()


class _kept_at_end(Generic[P, V]):  # noqa: N801 - a decorator
    """Steps, each the share of the work that is done and what is known by then: the last is kept, as by `kept`.

    Arguments are given by their places.
    """

    def __init__(self, steps: Callable[P, Iterator[tuple[float, V]]]) -> None:
        functools.update_wrapper(self, steps)
        self._steps, self._whole = steps, Kept[V]()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[tuple[float, V]]:
        """Yield the steps, or all at once if it is kept."""
        known = self._whole.get(args)
        if known is not None:
            yield 1.0, known
            return
        last = None
        for share, last in self._steps(*args, **kwargs):
            yield share, last
        if last is not None:
            self._whole.keep(args, last)

    def peek(self, *args: P.args, **_kwargs: P.kwargs) -> V | None:
        """Return the whole if it is kept: nothing is worked out."""
        return self._whole.get(args)


@_kept_at_end
def found(recipe: Recipe, seed: int) -> Iterator[tuple[float, Finding]]:
    """Yield which share of the work is done, and what has been found: at last the whole grid."""
    known = looked.peek(recipe, seed)
    return finding(model_of(recipe), seed, None if known is None else known.detected)


# ---- Of what it reads ----


class Effects(NamedTuple):
    """What a change does, at each place.

    Attributes
    ----------
    effect : ndarray
        NaN where it was not measured yet.
    before : float
        Without any change.
    answer : Answer or None
        What was asked; None of the loss on the sentence.
    """

    effect: Floats
    before: float
    answer: Answer | None


@_kept_at_end
def knocked(recipe: Recipe, question: Question | None) -> Iterator[tuple[float, Effects]]:
    """Yield by how much the difference of logits rises without each head, or without a question the sentence’s loss."""
    model, text, target = given(recipe)
    trace = model(text, target)
    answer = None if question is None else asked(model, trace, question)
    wanted: object = "loss" if answer is None else answer.ids
    at = -1 if answer is None else answer.position
    before = metric_of(trace, wanted, at).of(trace.run, head_of(trace)())
    stack, known = trace.run.main.stack, _stopped.get((recipe, question))
    effect = np.full((len(stack.layers), stack.spec.heads), np.nan) if known is None else known
    left = [(layer, head) for layer, head in np.argwhere(np.isnan(effect)).tolist()]
    for measured in knock_out_steps(model, text, wanted, left, target=target, position=at):
        effect = np.where(np.isnan(effect), np.asarray(measured), effect)
        _stopped.keep((recipe, question), effect)
        yield _share(effect), Effects(effect, before, answer)


_stopped = Kept[Floats]()
"""What was measured of what somebody stopped: it goes on from there."""


def _share(effect: Floats) -> float:
    return float((~np.isnan(effect)).mean())


class DecidedAt(NamedTuple):
    """The most probable words by layer and position, (layers + 1, n, 5)."""

    tokens: tuple[str, ...]
    words: tuple[tuple[tuple[str, ...], ...], ...]
    probabilities: Floats


@kept
def decided_at(recipe: Recipe) -> DecidedAt:
    """Return what the model would say at each position, if it ended after each layer."""
    model, trace = read(recipe)
    lens: Decided = decided(trace)
    best = tuple(tuple(tuple(_shown(model, each) for each in row) for row in layer) for layer in lens.ids.tolist())
    return DecidedAt(labels(model, trace), best, lens.probabilities)


def _shown(model: Model, index: int) -> str:
    return word_of(model.label(model.token(index)))


def word_of(token: str) -> str:
    """Return a token as sentences write it: without the mark of the space before it, unless it is nothing else."""
    return token.strip().removeprefix("␣") or token


class Written(NamedTuple):
    """Who wrote an answer."""

    answer: Answer
    parts: Contributions


@kept
def written(question: Question) -> Written:
    """Return what each part wrote of the logit of an answer, or of a difference of two."""
    model, trace = read(question.recipe)
    answer = asked(model, trace, question)
    return Written(answer, contributions(trace, *answer.ids, answer.position))


class Made(NamedTuple):
    """Which words made an answer."""

    answer: Answer
    words: Words


@kept
def made(question: Question) -> Made:
    """Return what each word does to an answer: the estimate, and what is measured."""
    model, trace = read(question.recipe)
    answer = asked(model, trace, question)
    return Made(answer, words(trace, *answer.ids, answer.position))


class Brought(NamedTuple):
    """What of a text brings its answer into a twin.

    Attributes
    ----------
    effect : ndarray, (layers, tokens) or (layers, heads)
        0 is the twin's answer, 1 the text's; NaN where it was not measured yet.
    words : (str, str)
        The answers of the text and of the twin, whose logits' difference is measured.
    ends : (float, float)
        That difference in the twin, and in the text.
    tokens, twin : tuple of str
        What both are.
    """

    effect: Floats
    words: tuple[str, str]
    ends: tuple[float, float]
    tokens: tuple[str, ...]
    twin: tuple[str, ...]


@_kept_at_end
def brought(question: Question, twin: str, put_in: str) -> Iterator[tuple[float, Brought]]:
    """Yield the map as it is measured, place after place."""
    model, text, target = given(question.recipe)
    if target is not None:
        raise ExplorerError("Twins are asked of a model of one tower: this one has an encoder and a decoder.")
    source, other = model(text), model(twin)
    check_lengths(source, other)
    mine = asked(model, source, question)
    ids, named = mine.ids, mine.words
    if not question.against.strip():
        theirs = asked(model, other, Question(question.recipe, "", "", mine.position))
        if theirs.ids == mine.ids:
            raise ExplorerError(
                f"The sentence and its twin have the same answer, “{mine.words[0]}”: write a twin with another one, or "
                "a word against it."
            )
        ids, named = (mine.ids[0], theirs.ids[0]), (mine.words[0], theirs.words[0])
    metric, head = metric_of(source, ids, mine.position), head_of(source)()
    ends = metric.of(other.run, head), metric.of(source.run, head)
    for effect in patch_steps(model, text, twin, ids, put_in, position=mine.position):
        plain = np.asarray(effect)
        yield _share(plain), Brought(plain, named, ends, mine.tokens, labels(model, other))
