"""Every sentence of the Training page."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.numerals import counted, grouped, percent, plain
from attention_explorer.errors import quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.pages.training.moment import Moment, Worth
from attention_explorer.pages.training.state import Broken, Head, TrainingState
from attention_explorer.sources.learned.learned_model import Answer, Heads
from attention_explorer.sources.learned.own_lines import said_of_right
from attention_explorer.sources.learned.run import Curve, Run
from attention_explorer.sources.learned.saved import taken
from attention_explorer.sources.learned.task import Task
from attention_explorer.sources.learned.tasks import task_of

SURE = 0.5
"""The weight from which on a row looks at a word, and not only most at it."""
_BEGUN = 16
"""Letters of an answer, the last ones, behind which the next is asked."""


def head_words(head: Head, state: TrainingState) -> str:
    """Name a head: “layer 2”, or “layer 2, head 1” where there are several."""
    return state.count.place(*head) if state.setup.heads > 1 else state.count.layer(head[0])


def short_head_words(head: Head, state: TrainingState) -> str:
    """Name a head above its small map: “L2H1”, or “layer 2” where each layer has one."""
    number = state.count.number
    return f"L{number(head[0])}H{number(head[1])}" if state.setup.heads > 1 else head_words(head, state)


def headline(moment: Moment, state: TrainingState) -> str:
    """Say what happens at a step, such as “Step 23: it looks at mat (62 %). Wrong: it should be cat”."""
    head, row = state.head_shown, moment.row_of(state)
    weights = moment.weights(head)[row]
    best, keys = int(weights.argmax()), moment.answer.context_tokens
    verb = "looks at" if weights[best] >= SURE else "looks most at"
    found = f"{quoted(moment.answer.tokens[row])} {verb} {keys[best]} ({percent(float(weights[best]))})"
    is_last = state.setup.heads == 1 and head[0] == state.setup.layers - 1
    where = "" if is_last else f", {head_words(head, state)}"
    broken = state.broken
    off = ", switched off" if head in broken.off else ", as it was drawn" if head in broken.drawn else ""
    begun = (
        f"Step {grouped(moment.request.step)}{where}{off}" if moment.request.step else f"Nothing learned{where}{off}"
    )
    return f"{begun}: {found}.{_verdict(moment, row, best) if is_last and weights[best] >= SURE else ''}"


def _verdict(moment: Moment, row: int, best: int) -> str:
    """Say whether a row looks at what a readable head would; nothing where several words may be mixed in one."""
    wanted = moment.wanted(row)
    if wanted is None or moment.request.setup.encoder_layers or not moment.request.step:
        return ""
    if wanted[1][best]:
        return " Right."
    should = " or ".join(dict.fromkeys(np.array(moment.answer.context_tokens)[wanted[1]].tolist()))
    return f" Wrong: it should be {should}."


def way(moment: Moment, state: TrainingState) -> str:
    """Say what a row has looked at on the way, as far as the film has it: at each step where another word begins."""
    head, row, said = state.head_shown, moment.row_of(state), list[tuple[str, int]]()
    for step, answer in moment.film:
        weights = answer.weights[head[0]][head[1]][row]
        best = answer.context_tokens[int(weights.argmax())]
        if step and weights.max() >= SURE and (not said or said[-1][0] != best):
            said.append((best, step))
    if not said:
        return ""
    ways = ", then ".join(f"at {word} by step {grouped(step)}" for word, step in said[-3:])
    return f"{quoted(moment.answer.tokens[row])} looked {ways}."


def origin(state: TrainingState) -> str:
    """Say where the numbers come from."""
    broken = what_is_broken(state.broken)
    then = f"; with {broken}" if broken else ""
    if state.step == 0:
        return f"nothing learned yet: random numbers of seed {state.setup.seed}{then}"
    how = f"{state.task.title}, step {grouped(state.step)}, seed {state.setup.seed}"
    found = taken(state.setup, state.step)
    return f"learned here: {how}{then}" if found is None else f"learned: {how}, weights from {quoted(found.name)}{then}"


def cell(moment: Moment, state: TrainingState, head: Head, row: int, column: int) -> str:
    """Say what is in a cell, now and at the beginning."""
    tokens, keys = moment.answer.tokens, moment.answer.context_tokens
    now = moment.weights(head)[row, column]
    pair = f"{quoted(tokens[row])} attends to {quoted(keys[column])}"
    text = f"{head_words(head, state)}: {pair} with {plain(float(now), 4)}"
    if (row, column) in state.hidden:
        return f"{quoted(tokens[row])} may not look at {quoted(keys[column])}: it is hidden. H shows it again."
    before = [f"{plain(float(answer.weights[head[0]][head[1]][row, column]), 4)} at step {step}"
              for step, answer in moment.film[:-1] if answer.tokens == tokens]  # fmt: skip
    return "; ".join((f"{text} at step {moment.request.step}", *before[:1]))


def largest(moment: Moment, state: TrainingState) -> str:
    """Say the largest weights of the row that is followed."""
    weights = moment.weights(state.head_shown)[moment.row_of(state)]
    order = np.argsort(-weights, kind="stable")[:5].tolist()
    listed = ", ".join(f"{moment.answer.context_tokens[each]} {plain(float(weights[each]))}" for each in order)
    return f"Its largest weights: {listed}."


def frame(moment: Moment, step: int, weights: Floats, row: int) -> str:
    """Say what a row of the film holds: the three largest weights of a step."""
    order = np.argsort(-weights, kind="stable")[:3].tolist()
    listed = ", ".join(f"{moment.answer.context_tokens[each]} {plain(float(weights[each]))}" for each in order)
    return f"step {grouped(step)}: {quoted(moment.answer.tokens[row])} gives {listed}"


def row_looks_at(answer: Answer, head: Head, row: int) -> str:
    """Say what a row looks at, below its strip: “cat, 0.94”."""
    weights = answer.weights[head[0]][head[1]][row]
    best = int(weights.argmax())
    return f"{answer.context_tokens[best]}, {plain(float(weights[best]))}"


def answers(moment: Moment, row: int) -> tuple[str, str, tuple[tuple[str, float, bool], ...]]:
    """Return what it answers at a query, whether that is right, and the three most probable answers with that too."""
    answer = moment.answer
    place = answer.places.index(row) if row in answer.places else len(answer.places) - 1
    setup, task = moment.request.setup, moment.run.task
    known, chances = task.answers(setup).words, answer.probabilities[place]
    best = chances.argsort(kind="stable")[::-1][:3]
    right = answer.right[place]
    told = tuple((known[each], float(chances[each]), known[each] == right) for each in best.tolist())
    title = f"At {quoted(answer.tokens[answer.places[place]])} it answers {quoted(told[0][0])}"
    if task.writes:
        title = _going_on(moment, place, told[0][0])
    if right is None:
        return title, "The task does not know what is right here.", told
    would = "It should end there." if task.writes and right == known[-1] else f"{quoted(right)} would be right."
    return title, "That is right." if told[0][2] else would, told


def _going_on(moment: Moment, place: int, word: str) -> str:
    """Say what it puts behind the right beginning of an answer, of a task that writes."""
    answer, task, setup = moment.answer, moment.run.task, moment.request.setup
    begun = task.said(answer.tokens[answer.places[0] + 1 : answer.places[place] + 1], setup)
    begun = begun if len(begun) <= _BEGUN else f"…{begun[-_BEGUN:]}"
    does = "ends" if word == task.answers(setup).words[-1] else f"writes {quoted(word)}"
    return f"After {quoted(begun)} it {does}" if begun else f"First it {does}"


def written(moment: Moment) -> tuple[str, str]:
    """Return what it writes behind the sentence, with whether that is right, and whether it learns from this line.

    Two empty texts of a task that writes nothing.
    """
    sentence, setup = moment.request.sentence, moment.request.setup
    if moment.written is None:
        return "", ""
    task = task_of(setup.task)
    said, right = task.said(moment.written, setup), task.right_texts(sentence, setup)
    title = f"It writes {quoted(said)}." if said else "It writes nothing."
    if not right:
        return f"{title} No line has this input.", ""
    verdict = "That is right." if said in right else f"{' or '.join(map(quoted, right))} would be right."
    side = "This line is held out." if task.is_held_out(sentence, setup) else "It learns from this line."
    return f"{title} {verdict}", side


def what_is_right(state: TrainingState) -> str:
    """Say of what the share is that is right: beside that number."""
    return _right(state.task.part_of_answer(state.setup))


def whole_lines(moment: Moment, state: TrainingState) -> tuple[str, str, str]:
    """Return how many held-out lines are right throughout, what that is, and how surely it is known."""
    steps, of = moment.curve.steps, len(moment.run.trial.batch.tokens)
    measured = int(steps[steps.searchsorted(state.step, side="right") - 1])
    right = round(moment.run.measured(measured).whole * of)
    what = "held-out lines right" if measured == state.step else f"lines right at step {grouped(measured)}"
    what = "lines right, if whole" if state.is_broken else what
    return f"{grouped(right)} of {grouped(of)}", what, said_of_right(right, of)


def broken(worth: Worth, state: TrainingState) -> str:
    """Say what is left of the accuracy, broken as it is."""
    said = what_is_broken(state.broken)
    if not said:
        which = "held-out answers" if state.task.holds_out else "answers"
        return f"At step {grouped(state.step)} with all heads {percent(worth.whole)} of the {which} are right."
    return f"With {said}: {percent(worth.together)} right, instead of {percent(worth.whole)}."


def what_is_broken(broken: Broken) -> str:
    """Say how many heads are off or as drawn, and how many cells are hidden; empty if there are none."""
    off, drawn, hidden = map(len, broken)
    parts = [f"{counted(off, 'head')} off"] if off else []
    parts += [f"{counted(drawn, 'head')} as drawn"] if drawn else []
    parts += [f"{counted(hidden, 'cell')} hidden"] if hidden else []
    return ", ".join(parts)


def needed(heads: Heads, state: TrainingState) -> str:
    """Say which heads do the work."""
    if not heads:
        return "No head is needed: without any it is as often right as with all."
    names = " and ".join(head_words(head, state) for head in heads)
    return f"The fewest heads that do nearly as well as all: {names}."


def progress(task: Task, curve: Curve, step: int) -> str:
    """Say how far it has come at the step on show: beside the name of the task."""
    last = int(curve.steps.searchsorted(step, side="right")) - 1
    accuracy, weight, measured = float(curve.accuracy[last]), float(curve.weight[last]), int(curve.steps[last])
    asked = " (held-out)" if task.holds_out else ""
    when = "" if measured == step else f" at step {grouped(measured)}"
    made = len(curve.training_loss)
    where = counted(step, "step") if step == made else f"step {grouped(step)} of {grouped(made)}"
    parts = [where, f"{percent(accuracy)} right{when}{asked}"]
    verdict = task.short_words[not task.is_reached(accuracy, weight)]
    parts += [verdict] if verdict else []
    return " · ".join(parts)


def progress_of_taken(step: int) -> str:
    """Say why there are no curves: beside the name of the task."""
    return f"{counted(step, 'step')} · weights from a file; Play learns them again"


def sizes(parameters: int, batch: int) -> str:
    """Say how large the network is, in a tip."""
    return f"{grouped(parameters)} numbers are learned, from {counted(batch, 'sentence')} in each step."


def chart(run: Run, curve: Curve) -> str:
    """Say what the curves show."""
    (chance, frequent), parts = run.trial.baselines, run.task.part_of_answer(run.setup)
    where = ", on sentences that are held out" if run.task.holds_out else ""
    return (
        f"Loss {plain(float(curve.loss[-1]), 3)} and {percent(float(curve.accuracy[-1]))} {_right(parts)} at step "
        f"{int(curve.steps[-1])}{where}. Guessing would be right in {percent(chance)}, always giving the most frequent "
        f"{parts.removesuffix('s')} in {percent(frequent)}."
    )


def _right(parts: str) -> str:
    return "right answers" if parts == "answers" else f"{parts} right"


def legend(task: Task) -> str:
    """Say what the lines of the curves are."""
    solid = "held-out" if task.holds_out else "all entries"
    return f"solid: {solid}; faint: in training; dashed: guessing; dotted: most frequent answer"
