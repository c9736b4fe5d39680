"""What is said of two runs that are compared."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.declared import declarations
from attention_explorer.core.numerals import percent, plain
from attention_explorer.errors import quoted
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import Moment
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.sources.learned.learned_model import Answer
from attention_explorer.sources.learned.run import Curve
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Task

MOST_LISTED = 3

SAME = "The two are the same so far: change something in A first."
Caption = tuple[str, str]
"""What stands above a map: which run it is of, and what it answers."""


def how_it_differs(setup: LearningSetup, other: LearningSetup) -> str:
    """Name what a setup has otherwise than another: “hard, seed 3”; empty if they are the same."""
    said = []
    for name, field in declarations(LearningSetup).items():
        value = getattr(setup, name)
        if value == getattr(other, name):
            continue
        if isinstance(value, tuple):
            said.append(f"other {field.label}")
        elif not isinstance(value, bool):
            said.append(f"{field.label} {value}" if isinstance(value, str) else f"{field.label} {value:g}")
        elif field.names:
            said.append(field.called("on" if value else "off").lower())
        else:
            said.append(f"{'with' if value else 'without'} {field.label}")
    more = len(said) - MOST_LISTED
    return ", ".join(said) if more < 2 else f"{', '.join(said[:MOST_LISTED])} and {more} more"


def captions(moment: Moment, state: TrainingState) -> tuple[Caption, Caption]:
    """Return what stands above the maps of A and B; two empty ones if there is no B."""
    other = moment.other
    if other is None:
        return ("", ""), ("", "")
    row = moment.row_of(state)
    first, second = how_it_differs(state.setup, other.setup), how_it_differs(other.setup, state.setup)
    broken = " (nothing broken)" if state.is_broken else ""
    said = "no answer" if other.answer is None else _answer(other.answer, row)
    return (_title("A", first), _answer(moment.answer, row)), (_title("B", second) + broken, said)


def _title(name: str, differing: str) -> str:
    return f"{name}: {differing}" if differing else f"{name}: the same so far"


def _answer(answer: Answer, row: int) -> str:
    place = answer.places.index(row) if row in answer.places else len(answer.places) - 1
    word, right = answer.answers[place], answer.right[place]
    verdict = "" if right is None else ", right" if word == right else ", wrong"
    return f"says {quoted(word)} ({plain(float(answer.probabilities[place].max()))}){verdict}"


def cell(moment: Moment, state: TrainingState, place: tuple[int, int]) -> str:
    """Say what is in a cell of B's map, and in the same one of A's."""
    other = moment.other
    if other is None or other.answer is None:
        return ""
    row, column = place
    mine = float(moment.weights(state.head_shown)[row, column])
    theirs_of = replace(state, setup=other.setup)
    layer, number = theirs_of.head_shown
    theirs = float(other.answer.weights[layer][number][row, column])
    tokens, keys = other.answer.tokens, other.answer.context_tokens
    name = words.head_words((layer, number), theirs_of)
    return f"B, {name}: {quoted(tokens[row])} attends to {quoted(keys[column])} with {theirs:.4f}, in A with {mine:.4f}"


def spoken(moment: Moment, state: TrainingState) -> str:
    """Say what is compared, for who cannot see it; empty without B."""
    return " ".join(f"{title}, {said}." for title, said in captions(moment, state) if title)


def legend(task: Task) -> str:
    """Say what the lines of the curves are while two runs are compared."""
    where = ", held-out" if task.holds_out else ""
    return f"A solid, B dashed{where}; grey: guessing, and the most frequent answer"


def chart(curve: Curve) -> str:
    """Say what the curves of B show."""
    if not len(curve.steps):
        return ""
    return f"B: loss {curve.loss[-1]:.3f} and {percent(float(curve.accuracy[-1]))} at step {curve.steps[-1]}."
