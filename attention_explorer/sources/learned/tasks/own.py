"""Lines of one's own: after the input and an arrow the answer is written, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExplorerError
from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.own_lines import (
    END,
    MOST_PLACES,
    OwnLines,
    own_lines,
    said_of,
    said_of_left_out,
    too_little_for,
)
from attention_explorer.sources.learned.own_text import ARROW, parts_of
from attention_explorer.sources.learned.setup import OWN, LearningSetup, LineCut
from attention_explorer.sources.learned.task import UNKNOWN, Pattern, Question, Task
from attention_explorer.sources.learned.vocabulary import Vocabulary

_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def _example() -> tuple[str, ...]:
    """Return numbers in words, every eleventh of those in three digits: “three forty two -> 3 4 2”."""
    digits = [(number // 100, number // 10 % 10, number % 10) for number in range(121, 1000, 11)]
    return tuple(
        f"{_ONES[hundreds - 1]} {_TENS[tens - 2]} {_ONES[ones - 1]} -> {hundreds} {tens} {ones}"
        for hundreds, tens, ones in digits
        if tens > 1 and ones
    )


class Own(Task):
    """Write the answer behind the arrow, token by token, as a model of language does; one input in five is held out."""

    name = OWN
    title = "Your own lines"
    about = "Behind the arrow write the answer that belongs to the input, one token after the other."
    goal = 0.95
    steps = 300
    setup = LearningSetup(
        task=OWN,
        layers=2,
        heads=2,
        d_model=48,
        d_ff=96,
        length=MOST_PLACES,
        batch=64,
        rate=0.005,
        warm_up=50,
        lines=_example(),
    )
    fixed = frozenset({"encoder_layers", "length"})
    causal = True
    writes = True
    short_words = ("", "")  # of one's own lines nobody knows how many are enough

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return what the lines are made of, the arrow, and the end of an answer."""
        return lines_of(setup).vocabulary

    def places(self, setup: LearningSetup) -> int:
        """Return how many tokens the longest line has."""
        return lines_of(setup).places

    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Draw lines to learn from; see `Task`."""
        found = _batch(lines_of(setup), learned=True)
        at = numbers.randint(0, len(found.tokens), count)
        return Batch(found.tokens[at], found.targets[at])

    def held_out(self, setup: LearningSetup) -> Batch:
        """Return all lines that are held out."""
        return _batch(lines_of(setup), learned=False)

    def probe(self, setup: LearningSetup) -> str:
        """Return the input of the first line that is held out."""
        found = lines_of(setup)
        return found.text_of(found.held_out[0].question)

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Take what is shorter too, as no token sees a later one."""
        return 1, self.places(setup)

    def words_in(self, sentence: str, setup: LearningSetup) -> tuple[str, ...]:
        """Cut a line whose tokens stand apart from each other; see `Task`."""
        words = super().words_in(sentence, setup)
        if lines_of(setup).cut is LineCut.CHARACTERS and any(len(word) > 1 for word in words):
            apart, _ = self.texts(self.probe(setup), setup)
            raise ExplorerError(f"This model reads characters: write them apart, and the arrow, such as “{apart}”.")
        return words

    def question(self, sentence: str, setup: LearningSetup) -> Question:
        """Take an input that somebody typed, with its answer if a line has it; or an arrow and what is written so far.

        Raises
        ------
        ExplorerError
            As `Task.question`.
        """
        found = lines_of(setup)
        texts = parts_of(sentence)
        question = found.tokens_of(texts[0])
        if not question or len(texts) > 2:
            raise ExplorerError(
                f"Write an input such as “{self.probe(setup)}”: what belongs behind its arrow is asked."
            )
        if len(question) >= found.places:
            raise ExplorerError(
                f"This input has {grouped(len(question))} {found.cut.value}, and the model has room for "
                f"{found.places - 1} and the arrow: write a shorter one."
            )
        written = found.answers.get(question, ((),))[0] if len(texts) == 1 else found.tokens_of(texts[1])
        return self.asked((*question, ARROW, *written), setup)

    def beginning(self, sentence: str, setup: LearningSetup) -> Tokens:
        """Return the input that somebody typed and its arrow, (n,), behind which the answer is written."""
        tokens = self.question(sentence, setup).batch.tokens[0]
        arrow = int((tokens == self.vocabulary(setup).number(ARROW)).argmax())
        found: Tokens = tokens[: arrow + 1]
        return found

    def says(self, setup: LearningSetup) -> tuple[str, ...]:
        """Return what the lines are, which are left out and why, and what they are too few for."""
        found = lines_of(setup)
        asked = f"Each of the {found.cut.value} is asked behind the right ones before it; a line is right if all are."
        return (*said_of(found), *said_of_left_out(found), *too_little_for(found), asked)

    def part_of_answer(self, setup: LearningSetup) -> str:
        """Return what the answers are made of."""
        return lines_of(setup).cut.value

    def said(self, tokens: Sequence[str], setup: LearningSetup) -> str:
        """Return tokens as somebody would type them."""
        return lines_of(setup).text_of(tokens)

    def is_held_out(self, sentence: str, setup: LearningSetup) -> bool:
        """Whether nothing is learned from the line with an input."""
        found = lines_of(setup)
        return found.tokens_of(parts_of(sentence)[0]) in found.held_inputs

    def right_texts(self, sentence: str, setup: LearningSetup) -> tuple[str, ...]:
        """Return the answers that lines with an input have, as they are typed; none if no line has it."""
        found = lines_of(setup)
        return tuple(map(found.text_of, found.answers.get(found.tokens_of(parts_of(sentence)[0]), ())))

    def texts(self, sentence: str, setup: LearningSetup) -> tuple[str, str | None]:
        """Return the tokens of the line, apart from each other; see `Task`."""
        return self.vocabulary(setup).text(self.question(sentence, setup).batch.tokens[0]), None

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want nothing: what a head should look at nobody knows."""
        return ()

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return what comes next of the answer to this input, behind its arrow; of several answers if all go on so."""
        found, words = lines_of(setup), self.vocabulary(setup)
        right = np.full_like(tokens, NOT_ASKED)
        for row, line in enumerate(tokens.tolist()):
            named = tuple(words.words[token] for token in line)
            if ARROW not in named:
                continue
            arrow = named.index(ARROW)
            answers = [(*answer, END) for answer in found.answers.get(named[:arrow], ())]
            for place in range(arrow, len(named)):
                begun = named[arrow + 1 : place + 1]
                after = {answer[len(begun)] for answer in answers if answer[:-1][: len(begun)] == begun}
                right[row, place] = words.number(after.pop()) if len(after) == 1 else UNKNOWN
        return right

    def check(self, setup: LearningSetup) -> None:
        """Refuse a setup, and lines of which nothing can be learned; see `Task`."""
        super().check(setup)
        lines_of(setup)


def lines_of(setup: LearningSetup) -> OwnLines:
    """Return the lines of a setup."""
    return own_lines(setup.lines, setup.cut)


@lru_cache(maxsize=4)
def _batch(found: OwnLines, *, learned: bool) -> Batch:
    """Return the lines of one side, filled up with ends of answers, which no place before them sees."""
    lines, words = found.learned if learned else found.held_out, found.vocabulary
    tokens = np.full((len(lines), found.places), words.number(END))
    targets = np.full_like(tokens, NOT_ASKED)
    for row, line in enumerate(lines):
        whole = words.numbers(*line.question, ARROW, *line.answer)
        tokens[row, : len(whole)] = whole
        asked = len(line.question)
        targets[row, asked : len(whole)] = [*whole[asked + 1 :].tolist(), words.number(END)]
    return Batch(tokens, targets)
