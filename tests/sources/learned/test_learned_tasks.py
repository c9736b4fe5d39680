"""The tasks: right answers and patterns against plain Python, what is held out, and what typed sentences become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.declared import declarations, ranges
from attention_explorer.errors import ExplorerError
from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import UNKNOWN, Task
from attention_explorer.sources.learned.tasks import TASKS, task_of
from attention_explorer.sources.learned.tasks.translation import END, START

EVERY = pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))


def drawn(task: Task, seed: int = 1, count: int = 60) -> Batch:
    return task.draw(np.random.RandomState(seed), count, task.setup)


def words_of(task: Task, batch: Batch) -> list[tuple[list[str], list[str | None]]]:
    """Each sentence with its right answers, as text; None where nothing is asked."""
    words, answers = task.vocabulary(task.setup).words, task.answers(task.setup).words
    known = words if batch.context is None else answers
    return [
        ([known[token] for token in tokens], [None if token < 0 else answers[token] for token in targets])
        for tokens, targets in zip(batch.tokens, batch.targets, strict=True)
    ]


# ---- What is right, in plain Python ----


def entries(words: list[str]) -> list[str | None]:
    return list(words)


def before(words: list[str]) -> list[str | None]:
    return [None, *words[:-1]]


def repeated(words: list[str]) -> list[str | None]:
    return [words[words.index(word) + 1] if words[:at].count(word) == 1 else None for at, word in enumerate(words)]


def closed(words: list[str]) -> list[str | None]:
    found, stack = list[str | None](), list[str]()
    for word in words:
        if word in "([{":
            stack.append(")]}"["([{".index(word)])
        else:
            assert stack.pop() == word
        found.append(stack[-1] if stack else "nothing")
    return found


def meant(words: list[str]) -> list[str | None]:
    of_animals = ("tired", "hungry", "sleepy", "thirsty", "afraid", "happy")
    noun = words[1] if words[9] in of_animals else words[5]
    return [noun if word == "it" else None for word in words]


RIGHT: dict[str, Callable[[list[str]], list[str | None]]] = {
    "dictionary": entries,
    "previous": before,
    "it": meant,
    "repeat": repeated,
    "reverse": lambda words: list(reversed(words)),
    "sort": sorted,
    "brackets": closed,
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_answers(name: str) -> None:
    task = TASKS[name]
    for batch in (drawn(task), task.held_out(task.setup)):
        for words, answers in words_of(task, batch)[:60]:
            assert answers == RIGHT[name](words)


def test_translations() -> None:
    task = TASKS["translation"]
    words = task.vocabulary(task.setup).words
    batch = task.held_out(task.setup)
    translated = {
        " ".join(words[token] for token in source): (put_in, written)
        for source, (put_in, written) in zip(batch.context, words_of(task, batch), strict=True)
    }
    for source, (put_in, written) in translated.items():
        assert put_in == [START, *written[:-1]]
        assert written[-1] == END
        assert len(source.split()) == 3
    question = task.question("the white car", task.setup)
    assert words_of(task, question.batch) == [
        (["start", "la", "voiture", "blanche"], ["la", "voiture", "blanche", "end"])
    ]
    question = task.question("A green dog", task.setup)
    assert words_of(task, question.batch)[0][1] == ["un", "chien", "vert", "end"]


# ---- What is held out ----


def kind_of(task: Task, tokens: np.ndarray) -> tuple[int, ...]:
    """What must not be the same in sentences to learn from and in those that are held out."""
    row = tokens.tolist()
    if task.name == "it":
        return row[1], row[5]
    return tuple(row[1:]) if task.name == "translation" else tuple(row)


@pytest.mark.parametrize("name", ["previous", "it", "repeat", "reverse", "sort", "brackets", "translation"])
def test_nothing_that_is_held_out_is_learned_from(name: str) -> None:
    task = replace_length(TASKS[name], 4) if name in ("reverse", "previous", "brackets") else (TASKS[name], None)
    task, setup = task[0], task[1] or task[0].setup
    learned = task.draw(np.random.RandomState(2), 4000, setup)
    held_out = task.held_out(setup)
    kept, seen = (
        {kind_of(task, row) for row in (batch.tokens if batch.context is None else batch.context)}
        for batch in (held_out, learned)
    )
    assert len(seen) > len(kept) > 1
    assert not kept & seen


def replace_length(task: Task, length: int) -> tuple[Task, LearningSetup]:
    """So short that the same row comes again by chance."""
    return task, replace(task.setup, length=length)


@EVERY
def test_the_same_numbers_draw_the_same_sentences(task: Task) -> None:
    for first, second in zip(drawn(task, 3), drawn(task, 3), strict=True):
        np.testing.assert_array_equal(first, second)
    for first, second in zip(task.held_out(task.setup), task.held_out(task.setup), strict=True):
        np.testing.assert_array_equal(first, second)
    if task.name != "dictionary":
        assert not np.array_equal(drawn(task, 3).targets, drawn(task, 4).targets)


@EVERY
def test_a_pattern_wants_keys_that_hold_the_answer(task: Task) -> None:
    """A readable head looks at what the answer is made of: the word itself, or what is to be translated or closed."""
    batch = drawn(task)
    patterns = task.patterns(batch)
    assert bool(patterns) == (task.name not in ("die", "own"))
    if not patterns:
        return
    wanted = patterns[-1].wanted
    looked_at = batch.tokens if batch.context is None else batch.context
    assert wanted.shape == (*batch.tokens.shape, looked_at.shape[1])
    words, answers = task.vocabulary(task.setup).words, task.answers(task.setup).words
    pairs = {"(": ")", "[": "]", "{": "}"}
    checked = 0
    for sentence, query, key in zip(*np.nonzero(wanted), strict=True):
        word, answer = words[looked_at[sentence, key]], answers[batch.targets[sentence, query]]
        if task.name == "translation":
            assert (word, query) in {(words[batch.context[sentence, 2]], 1), (words[batch.context[sentence, 1]], 2)}
        else:
            assert pairs.get(word, word) == answer
        checked += 1
    assert checked >= len(looked_at)


def test_the_score_of_a_pattern_is_the_mean_weight_of_the_rows_that_want_something() -> None:
    task = TASKS["previous"]
    batch = drawn(task, count=3)
    n = batch.tokens.shape[1]
    weights = np.random.default_rng(5).dirichlet(np.ones(n), size=(3, 2, n))
    expected = [np.mean([weights[s, head, i, i - 1] for s in range(3) for i in range(1, n)]) for head in range(2)]
    np.testing.assert_allclose(task.patterns(batch)[0].score(weights), expected)


# ---- Typed sentences ----


@EVERY
def test_the_probe_is_a_question(task: Task) -> None:
    question = task.question(task.probe(task.setup), task.setup)
    assert len(question.right) == question.batch.asked.size > 0
    assert all(answer >= 0 for answer in question.right) == (task.name != "die")
    np.testing.assert_array_equal(np.maximum(question.right, 0), question.batch.answers)


def test_only_of_sentences_of_the_grammar_is_it_known_what_it_means() -> None:
    task = TASKS["it"]
    soft, free = (
        task.question(text, task.setup) for text in ("the cat sat on the mat because it was soft", "it was the cat")
    )
    words = task.answers(task.setup).words
    assert [words[answer] for answer in soft.right] == ["mat"]
    assert free.right == (UNKNOWN,)
    for other in ("the mat sat on the cat because it was soft", "the cat sat on the mat because it was cat"):
        assert task.question(other, task.setup).right == (UNKNOWN,)


def test_behind_a_wrong_bracket_nobody_can_tell() -> None:
    task = TASKS["brackets"]
    answers = task.answers(task.setup).words
    right = task.question("( [ ) ]", task.setup).right
    assert [answers[each] for each in right[:2]] == [")", "]"]
    assert right[2:] == (UNKNOWN, UNKNOWN)


@pytest.mark.parametrize(
    ("name", "sentence", "said"),
    [
        ("it", "the cat sat on the mat because it was tyred", "not learned “tyred”. Did you mean “tired”"),
        ("it", "", "The sentence is empty"),
        ("it", "the " * 12, "has 12 words, and this model takes 1 to 11"),
        ("it", "the cat sat", "Nothing is asked in this sentence"),
        ("reverse", "a b c", "has 3 words, and this model takes 8"),
        ("translation", "car red the", "a determiner, an adjective and a noun"),
        ("brackets", "( a )", "not learned “a”. It knows (, [, {"),
        ("dictionary", "1", "A dictionary is shown as a whole: write “1 2 3 4 5 6 7 8”"),
        ("dictionary", "2 1 3 4 5 6 7 8", "shown as a whole"),
    ],
)
def test_sentences_that_a_model_does_not_take(name: str, sentence: str, said: str) -> None:
    with pytest.raises(ExplorerError) as error:
        TASKS[name].question(sentence, TASKS[name].setup)
    assert said in str(error.value)


# ---- Setups ----


@EVERY
def test_the_setup_of_a_task_is_its_own_and_fits(task: Task) -> None:
    assert task.setup.task == task.name
    assert task_of(task.name) is task
    task.check(task.setup)
    assert task.fixed <= set(declarations(LearningSetup))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"heads": 5}, "cannot be shared equally by 5 heads"),
        ({"length": 12}, "“What “it” refers to” has length 11: it cannot be 12"),
        ({"rate": 0.0}, "rate must be from 1e-06 to 1e+12"),
        ({"layers": 7}, "layers must be from 1 to 6"),
        ({"d_model": 2.5}, "d_model must be a whole number"),
    ],
)
def test_setups_that_do_not_fit(change: dict[str, float], said: str) -> None:
    with pytest.raises(ExplorerError) as error:
        TASKS["it"].check(replace(TASKS["it"].setup, **change))
    assert said in str(error.value)


def test_every_number_of_a_setup_has_a_range() -> None:
    numbers = {name for name, kind in LearningSetup.__annotations__.items() if kind in ("int", "float")}
    assert numbers == set(ranges(LearningSetup))
    LearningSetup().checked()


def test_a_task_that_there_is_not() -> None:
    with pytest.raises(ExplorerError, match=r"no task 'revers'\. Did you mean “reverse”"):
        task_of("revers")


def test_asked_places_are_those_that_are_not_marked() -> None:
    batch = Batch(np.zeros((2, 2), np.intp), np.array([[NOT_ASKED, 1], [0, NOT_ASKED]]))
    assert batch.asked.tolist() == [1, 2]
    assert batch.answers.tolist() == [1, 0]
