"""What the page says of what a model reads: where an answer is decided, who wrote it, which words made it, twins."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from attention_explorer.core.counting import Count
from attention_explorer.core.numerals import percent, plain, signed
from attention_explorer.model.arrays import Floats
from attention_explorer.pages.circuits.said import MEASURED, OF_WEIGHTS, SPLIT, largest, name, over
from attention_explorer.pages.circuits.seen import DecidedSeen, ReadsSeen, TwinsSeen, WordsSeen, WritesSeen
from attention_explorer.pages.circuits.state import PutIn, Reads
from attention_explorer.sources.circuits.asking import Answer, word_of

MOST_PARTS = 14
"""Parts that have a bar of their own; all others have one together."""
READ_BY = {Reads.KEYS: "keys", Reads.QUERIES: "queries", Reads.VALUES: "values"}


def at_token(answer: Answer, count: Count) -> str:
    """Return after which token it is asked."""
    return count.token(word_of(answer.tokens[answer.position]), answer.position)


def asked_words(answer: Answer, count: Count) -> str:
    """Return what is asked, and after which token."""
    return f"{over(answer.words)} after {at_token(answer, count)}"


# ---- Where it is decided ----


def settled(seen: DecidedSeen) -> int:
    """Return from which row on the answer at the position on show is what the model itself says."""
    _, position = seen.cell
    words = [row[position][0] for row in seen.decided.words]
    at = len(words) - 1
    while at > 0 and words[at - 1] == words[-1]:
        at -= 1
    return at


def row_name(seen: DecidedSeen, row: int) -> str:
    """Return what a row is: before the first layer, or after one."""
    return "before" if row == 0 else seen.state.count.layer(row - 1)


def row_place(seen: DecidedSeen, row: int) -> str:
    """Return where a row is read off."""
    return "before the first layer" if row == 0 else f"after {row_name(seen, row)}"


def decided_headline(seen: DecidedSeen) -> str:
    """Say where the answer at the position on show is settled."""
    _, position = seen.cell
    word, token = seen.decided.words[-1][position][0], word_of(seen.decided.tokens[position])
    row = settled(seen)
    if row == 0:
        return f"After “{token}” the answer “{word}” is there before the first layer."
    return f"After “{token}” the answer is “{word}” from {row_name(seen, row)} on."


def cell_words(seen: DecidedSeen, row: int, position: int) -> str:
    """Say what is most probable in a cell."""
    pairs = zip(seen.decided.words[row][position], seen.decided.probabilities[row, position], strict=True)
    told = ", ".join(f"“{word}” {plain(float(chance), 4)}" for word, chance in pairs)
    token = seen.state.count.token(word_of(seen.decided.tokens[position]), position)
    return f"{token}, {row_place(seen, row)}: {told}. {MEASURED}"


# ---- Who writes it ----


class PartOf(NamedTuple):
    """A part of a sum: what it is called below its bar and in words, which head it is, and how much it wrote."""

    short: str
    long: str
    head: tuple[int, int] | None
    value: float


def parts(seen: WritesSeen) -> list[PartOf]:
    """Return the parts of the sum, from below; those that wrote least of very many stand together at the end."""
    count, found = seen.state.count, seen.written.parts
    heads, networks = np.asarray(found.heads), np.asarray(found.networks)
    every = [PartOf("words", "the words themselves", None, found.embedding)]
    for layer, row in enumerate(heads):
        for head, value in enumerate(row.tolist()):
            at = layer, head
            every.append(PartOf(name(count, at), count.place(layer, head), at, value))
        if networks[layer]:
            number = count.number(layer)
            every.append(PartOf(f"net {number}", f"the network of layer {number}", None, float(networks[layer])))
    if found.cross is not None:
        total = float(np.asarray(found.cross).sum())
        every.append(PartOf("cross", "all looks at the encoder", None, total))
    every.append(PartOf("biases", "biases", None, found.rest))
    if len(every) <= MOST_PARTS + 1:
        return every
    shown = set(sorted(range(len(every)), key=lambda at: -abs(every[at].value))[:MOST_PARTS])
    kept = [each for at, each in enumerate(every) if at in shown]
    others = sum(each.value for at, each in enumerate(every) if at not in shown)
    return [*kept, PartOf("others", f"{len(every) - MOST_PARTS} other parts together", None, others)]


def most(seen: WritesSeen) -> PartOf:
    """Return the part that wrote most for the answer."""
    return max(parts(seen), key=lambda each: each.value)


def writes_headline(seen: WritesSeen) -> str:
    """Say who wrote most."""
    best, answer = most(seen), seen.written.answer
    return f"{best.long[0].upper()}{best.long[1:]} writes most of {over(answer.words)}: {signed(best.value)}."


def writes_sentence(seen: WritesSeen) -> str:
    """Say what adds up."""
    found, answer = seen.written.parts, seen.written.answer
    return (
        f"After {at_token(answer, seen.state.count)} the bars add up to the difference of the two logits, "
        f"{signed(found.total)}. "
        "That is what each part wrote straight to the answer, not what later parts made of it."
    )


def part_words(seen: WritesSeen, at: int) -> str:
    """Say what a part wrote, and the sum so far."""
    listed = parts(seen)
    part, so_far = listed[at], sum(each.value for each in listed[: at + 1])
    return f"{part.long} wrote {signed(part.value, 4)}; with all before it {signed(so_far, 4)}. {SPLIT}"


# ---- Which words ----


def made_arrays(seen: WordsSeen) -> tuple[Floats, Floats]:
    """Return what is measured, and the estimate, (tokens,) each."""
    return np.asarray(seen.made.words.measured), np.asarray(seen.made.words.estimate)


def tokens_of(seen: WordsSeen) -> tuple[str, ...]:
    """Return the tokens that may have made it, those of an encoder last."""
    own = seen.made.answer.tokens
    extra = len(np.asarray(seen.made.words.measured)) - len(own)
    return own + tuple(f"· {at + 1}" for at in range(extra))


def words_headline(seen: WordsSeen) -> str:
    """Say which word matters most."""
    measured, _ = made_arrays(seen)
    at = int(np.argmax(measured))
    token = seen.state.count.token(word_of(tokens_of(seen)[at]), at)
    return (
        f"{token} matters most: without its values {over(seen.made.answer.words)} loses {plain(float(measured[at]))}."
    )


def words_sentence(seen: WordsSeen) -> str:
    """Say how far the estimate is off."""
    measured, estimate = made_arrays(seen)
    at = int(np.argmax(np.abs(measured - estimate)))
    token = seen.state.count.token(word_of(tokens_of(seen)[at]), at)
    return (
        f"By how much the difference of logits sinks without a word’s values. The gradient errs most at {token}: "
        f"{signed(float(estimate[at]))} for {signed(float(measured[at]))}. It errs where a softmax gives nearly all to "
        "one key."
    )


def word_words(seen: WordsSeen, at: int) -> str:
    """Say what a word does."""
    measured, estimate = (float(each[at]) for each in made_arrays(seen))
    token = seen.state.count.token(word_of(tokens_of(seen)[at]), at)
    off = signed(estimate - measured, 4)
    return f"{token}: measured {signed(measured, 4)}, estimate {signed(estimate, 4)}, off by {off}."


# ---- Who reads whom ----


def strongest(scores: Floats, most_of: int) -> list[tuple[tuple[int, int], tuple[int, int], float]]:
    """Return who writes, who reads, and the score, of the pairs that are joined most, the strongest first."""
    plain_scores = np.nan_to_num(scores, nan=-np.inf).ravel()
    order = np.argsort(-plain_scores, kind="stable")[:most_of]
    found = []
    for flat in order:
        a, b, c, d = (int(each) for each in np.unravel_index(int(flat), scores.shape))
        if plain_scores[flat] > 0.0:
            found.append(((a, b), (c, d), float(plain_scores[flat])))
    return found


def reads_headline(seen: ReadsSeen) -> str:
    """Say who reads whom most."""
    best = strongest(seen.scores, 1)
    if not best:
        return f"By {READ_BY[seen.state.reads]} no head reads another more than chance has it."
    (writer, reader, score), count = best[0], seen.state.count
    by = READ_BY[seen.state.reads]
    return f"{name(count, reader)} reads {name(count, writer)} most by its {by}: {signed(score)} above chance."


def pair_words(seen: ReadsSeen, head: tuple[int, int]) -> str:
    """Say what a head reads and who reads it."""
    scores, count = seen.scores, seen.state.count
    into, out = scores[:, :, head[0], head[1]], scores[head[0], head[1]]
    said = [count.place(*head)]
    for what, found in (("reads most", into), ("is read most by", out)):
        at = largest(found)
        if at is not None:
            said.append(f"{what} {name(count, at)} ({signed(float(found[at]), 4)})")
    return f"{', '.join(said)}. {OF_WEIGHTS}"


# ---- Twins ----


def effect_words(seen: TwinsSeen, row: int, column: int) -> str:
    """Say how far the answer moves with one value put in."""
    effect, count = float(seen.brought.effect[row, column]), seen.state.count
    where = place_words(seen, row, column)
    if math.isnan(effect):
        return f"{where}: not measured yet."
    low, high = seen.brought.ends
    after = low + effect * (high - low)
    said = f"{over(seen.brought.words)} goes from {signed(low, 4)} to {signed(after, 4)}, {plain(effect, 4)} of the way"
    return f"{where}, put in: {said}. Layers and tokens {count.words}. {MEASURED}"


def place_words(seen: TwinsSeen, row: int, column: int) -> str:
    """Return where something is put in."""
    count = seen.state.count
    if seen.state.put_in is PutIn.HEAD:
        return count.place(row, column)
    token = word_of(seen.brought.twin[column])
    return f"{count.layer(row)}, {count.token(token, column)}"


def twins_headline(seen: TwinsSeen) -> str:
    """Say what brings the answer over."""
    at = largest(seen.brought.effect)
    one, other = seen.brought.words
    if at is None:
        return f"From “{other}” to “{one}”: putting values in, place after place …"
    share = max(float(seen.brought.effect[at]), 0.0)
    return f"{place_words(seen, *at).capitalize()} brings {percent(share)} of the answer “{one}” over."


def twins_sentence(seen: TwinsSeen) -> str:
    """Say what the map is."""
    low, high = seen.brought.ends
    return (
        f"{over(seen.brought.words)} is {signed(low)} in the twin and {signed(high)} in the sentence. Each cell puts "
        "one value of the sentence into the twin: 0 leaves the twin’s answer, 1 brings that of the sentence."
    )
