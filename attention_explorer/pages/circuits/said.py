"""What the page says of heads that look, and of what breaks without them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_explorer.core.counting import Count
from attention_explorer.core.numerals import plain, signed
from attention_explorer.model.arrays import Floats
from attention_explorer.pages.circuits.seen import BreaksSeen, FoundSeen, LooksSeen
from attention_explorer.pages.circuits.state import LOOK_NAMES, Breaks, CircuitsState, CircuitsView
from attention_explorer.sources.circuits.find import Finding
from attention_explorer.sources.registry import source_of

MEASURED, ESTIMATE = "Measured: run again.", "Estimate: gradient × input."
SPLIT = "Measured: parts of one run."
OF_WEIGHTS = "From the weights alone: nothing was run."
MOST_LISTED, FEW = 4, 6
"""Heads that a sentence names; and so many in all that a headline has room for them."""


def name(count: Count, head: tuple[int, int]) -> str:
    """Return a head as papers write it: layer.head."""
    return f"{count.number(head[0])}.{count.number(head[1])}"


def listed(count: Count, heads: Sequence[tuple[int, int]], most: int = MOST_LISTED) -> str:
    """Return heads as a sentence names them: "1.4, 2.1 and 2.3", the first few of many."""
    names = [name(count, each) for each in heads[:most]]
    more = len(heads) - len(names)
    if more:
        return f"{', '.join(names)} and {more} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def over(words: tuple[str, str]) -> str:
    """Return an answer with the word that it is asked against: “m” over “p”."""
    return "“{}” over “{}”".format(*words)


def how_counted(count: Count) -> str:
    """Return how heads are written and counted."""
    return f"Heads are written layer.head, {count.words}."


def origin(state: CircuitsState) -> str:
    """Return which model is asked."""
    return source_of(state.recipe).traits.origin


def asked_for(state: CircuitsState) -> tuple[str, ...]:
    """Return what was asked for that the model does not choose itself."""
    words = ((state.answer, "answer"), (state.against, "against")) if state.asks_for_answer else ()
    asked = [f"{what} “{word.strip()}”" for word, what in words if word.strip()]
    if state.position >= 0 and (state.asks_for_answer or state.view is CircuitsView.DECIDED):
        asked.append(f"asked at token {state.count.number(state.position)}")
    return tuple(asked)


def _of(heads: Sequence[tuple[int, int]], one: str, many: str) -> str:
    """Return the word that goes with one head, or with several."""
    return one if len(heads) == 1 else many


def _named(count: Count, heads: Sequence[tuple[int, int]], most: int = MOST_LISTED) -> str:
    return f"{_of(heads, 'head', 'heads')} {listed(count, heads, most)}"


def largest(values: Floats) -> tuple[int, int] | None:
    """Return where the largest number of a table is; None as long as there is none."""
    if np.isnan(values).all():
        return None
    row, column = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return int(row), int(column)


# ---- Who looks like what ----


def looks_headline(seen: LooksSeen) -> str:
    """Say who looks there."""
    look, named = LOOK_NAMES[seen.state.look.value], seen.named
    if not named:
        return f"No head looks {look} much more than even weights would."
    return f"{_named(seen.state.count, named).capitalize()} {_of(named, 'looks', 'look')} {look}."


def looks_sentence(seen: LooksSeen) -> str:
    """Say what the score of the head on show means."""
    score = float(seen.scores[seen.head])
    even = plain(seen.even)
    return (
        f"Head {name(seen.state.count, seen.head)} gives {plain(score)} of its attention there; even weights give "
        f"{even}, and heads that give 0.3 more are named. The texts are random and said twice: what follows can only "
        "be copied. A pattern is not a function: What breaks says what a head is worth."
    )


def head_words(seen: LooksSeen, head: tuple[int, int]) -> str:
    """Say where a head looks."""
    layer, which = head
    look, score = LOOK_NAMES[seen.state.look.value], float(seen.scores[head])
    place = seen.state.count.place(layer, which)
    even = f"even weights give {plain(seen.even, 4)}"
    return f"{place}: looks {look} with {plain(score, 4)} of its attention; {even}. {MEASURED}"


# ---- What breaks ----


def what(seen: BreaksSeen) -> str:
    """Return what is measured."""
    if seen.state.breaks is Breaks.COPY:
        return "the loss on the copy"
    if seen.answer is None:
        return "the loss on the sentence"
    return f"the logit of {over(seen.answer.words)}"


def hurts(seen: BreaksSeen) -> float:
    """Return the sign of what hurts: a loss rises, the logit of an answer falls."""
    return 1.0 if seen.answer is None else -1.0


def worst(seen: BreaksSeen) -> tuple[int, int] | None:
    """Return the head that is missed most; None as long as nothing was measured."""
    return largest(hurts(seen) * seen.effect)


def counted_of(seen: BreaksSeen) -> str:
    """Return how many heads were measured, of how many."""
    return f"{int((~np.isnan(seen.effect)).sum())} of {seen.effect.size}"


def breaks_headline(seen: BreaksSeen) -> str:
    """Say what breaks most."""
    at = worst(seen)
    if at is None:
        return f"Switching heads off, one by one: {what(seen)} …"
    after = seen.before + float(seen.effect[at])
    off = f"Without head {name(seen.state.count, at)}, {what(seen)} goes from {plain(seen.before)} to {plain(after)}"
    return f"{off}." if seen.is_complete else f"{off} so far."


def breaks_sentence(seen: BreaksSeen) -> str:
    """Say who looks the part and does hardly anything."""
    if seen.state.breaks is not Breaks.COPY or not seen.is_complete:
        return "Each head is switched off alone, and all is run again."
    if not seen.named:
        return looks_headline(seen)
    stake = max(seen.first - seen.before, 0.0)
    idle = [each for each in seen.named if seen.effect[each] < 0.05 * stake]
    if not idle:
        there = _of(seen.named, "looks there and is", "look there and are")
        return f"{_named(seen.state.count, seen.named).capitalize()} {there} missed here."
    alone = f"Off alone, {_named(seen.state.count, idle)} {_of(idle, 'is', 'are')} hardly missed on this text"
    return f"{alone}, in spite of the look: others may do the same. Other seeds can give other numbers."


def off_words(seen: BreaksSeen, head: tuple[int, int]) -> str:
    """Say what happens without a head."""
    place, effect = seen.state.count.place(*head), float(seen.effect[head])
    if math.isnan(effect):
        return f"{place}: not measured yet."
    said = f"{what(seen)} goes from {plain(seen.before, 4)} to {plain(seen.before + effect, 4)} ({signed(effect, 4)})"
    return f"{place}, off: {said}. {MEASURED}"


# ---- The circuit ----


def found_headline(seen: FoundSeen) -> str:
    """Say what was found, in one line."""
    found, count = seen.finding, seen.state.count
    if not found.copy:
        return "No head copies what followed an equal word."
    copies = _of(found.copy, "copies", "copy")
    if not found.back:
        return f"{_named(count, found.copy).capitalize()} {copies}; no head was found that looks back."
    looks, most = _of(found.back, "looks", "look"), 2 if len(found.back + found.copy) > FEW else MOST_LISTED
    return f"{_named(count, found.back, most).capitalize()} {looks} back, {listed(count, found.copy, most)} {copies}."


def found_sentences(seen: FoundSeen) -> tuple[str, ...]:
    """Say what joins them, what breaks without them, and who does hardly anything alone."""
    found, count = seen.finding, seen.state.count
    said = []
    if found.strongest is not None:
        writer, reader, score = found.strongest
        joined = f"{name(count, reader)} reads by its keys what {name(count, writer)} wrote"
        said.append(f"{joined}: {signed(score)} above chance, by the weights alone.")
    for heads, loss in ((found.back, found.without_back), (found.copy, found.without_copy)):
        if heads:
            off = f"Without {listed(count, heads)}{_of(heads, '', f' (all {len(heads)} off at once)')}"
            said.append(f"{off} the loss on the copy goes from {plain(found.all_on)} to {plain(loss)}.")
    if found.is_found and found.idle:
        alone = f"Off alone, {_named(count, found.idle)} {_of(found.idle, 'is', 'are')} hardly missed"
        said.append(f"{alone}, though {_of(found.idle, 'it looks', 'they look')} the part.")
    return tuple(said)


def found_in_short(seen: FoundSeen) -> str:
    """Say the same in few words."""
    found, count, said = seen.finding, seen.state.count, []
    if found.strongest is not None:
        writer, reader, score = found.strongest
        said.append(f"{name(count, reader)} reads by its keys what {name(count, writer)} wrote: {signed(score)}.")
    off = [
        (found.back, found.without_back, "those that look back"),
        (found.copy, found.without_copy, "those that copy"),
    ]
    costs = [
        f"{plain(loss)} without {name(count, heads[0]) if len(heads) == 1 else who}"
        for heads, loss, who in off
        if heads
    ]
    if costs:
        said.append(f"The loss on the copy is {plain(found.all_on)}; {', and '.join(costs)}.")
    if found.is_found and found.idle:
        said.append(f"{len(found.idle)} of them, off alone, {_of(found.idle, 'is', 'are')} hardly missed.")
    return " ".join(said)


def mean_loss_of_others(found: Finding) -> float:
    """Return the mean loss with one of the others off; NaN where none was measured."""
    measured = [float(np.asarray(found.loss)[each]) for each in found.others]
    known = [loss for loss in measured if not math.isnan(loss)]
    return sum(known) / len(known) if known else math.nan


def verdict(found: Finding, head: tuple[int, int]) -> str:
    """Return what a head is, in a few words."""
    loss = float(np.asarray(found.loss)[head])
    if math.isnan(loss):
        return "not measured yet"
    if head in found.others:
        return "does neither"
    role = "looks back" if head in found.back else "copies"
    return f"{role}, hardly missed alone" if head in found.idle else f"{role}, and is missed"
