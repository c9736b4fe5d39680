"""The Lookup page in words: read-outs, what is worth noticing, and what is said of a row of a head."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attention_explorer.core.numerals import (
    coordinate,
    counted,
    full,
    grouped,
    percent,
    plain,
    scientific,
    signed,
    size_text,
    subscript,
    vector,
)
from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.frame import nearest_key
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.pages.lookup.state import MOST_KEYS, REST, LookupState, LookupView, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.sums import (
    exponent_note,
    key_name,
    output_text,
    weight_name,
    weight_sum,
    weight_text,
)

if TYPE_CHECKING:
    # Loaded when there is a row: sources would delay the first picture.
    from attention_explorer.pages.lookup.open_row import OpenRow

SMALL_GRADIENT = 0.01
"""Below this, o moves by less than a hundredth of what q moves: on the plane nothing is seen."""

NEAR_MISS = 1e-3
"""A key that q misses by less is worth naming. Farther away distance would only mislead: attention goes by q·k."""


def rival_name(frame: LookupFrame, rival: int) -> str:
    """Return what one of the keys that can have the highest score is called: k₁, or its token if it has no name."""
    if frame.row is None:
        return key_name(rival)
    key = frame.row.border[rival]
    entry = frame.row.entry_of(key)
    return frame.row.key_words(key) if entry == REST else key_name(entry)


def listed(names: list[str]) -> str:
    """Return "k₁", "k₁ and k₂" or "k₁, k₂ and k₃"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def told_apart(first: float, second: float) -> tuple[str, str]:
    """Return two numbers with as many decimals, at least two, as it takes to tell them apart."""
    pairs = ((plain(first, decimals), plain(second, decimals)) for decimals in range(2, 16))
    return next((pair for pair in pairs if pair[0] != pair[1]), (full(first), full(second)))


def region_words(frame: LookupFrame, winner: int) -> str:
    """Return which keys have the most weight in the region of a rival: equal keys share it, but in a hard lookup."""
    if frame.state.hard or frame.row is not None:
        return f"{rival_name(frame, winner)} {'wins' if frame.state.hard else 'weighs most'}"
    keys = frame.state.keys
    alike = [key_name(index) for index, key in enumerate(keys) if key == keys[winner]]
    return f"{listed(alike)} weigh{'s' * (len(alike) == 1)} most"


# ---- The status bar ----


def spot_in_words(frame: LookupFrame, spot: Part | Vector, hint: str = "") -> str:
    """Return what is under the pointer: a part of the lookup, or a place on the plane."""
    if isinstance(spot, Part):
        text = _part_in_words(frame, spot)
    elif frame.row is not None:
        text = f"({signed(spot[0])}, {signed(spot[1])})"
    else:
        full_house = len(frame.state.entries) >= MOST_KEYS
        adding = f"there are {MOST_KEYS} keys already" if full_house else "double click adds a key here"
        text = f"({signed(spot[0])}, {signed(spot[1])}) · {adding} · drag moves the view"
    return f"{text} · {hint}" if hint else text


def part_given(state: LookupState, part: Part) -> str:
    """Return where a part is, and nothing that is computed: “q = (1, 0)”."""
    return f"{part.symbol} = {_place(state, part)}"


def given_in_words(state: LookupState) -> str:
    """Return a lookup in words without anything that is computed."""
    kind = "Hard" if state.hard else "Soft"
    return f"{kind} lookup: {'; '.join(part_given(state, part) for part in state.parts())}; what comes out: ?"


def _place(state: LookupState, part: Part) -> str:
    x, y = state.position(part)
    return coordinate(x) if state.on_number_line(part) else f"({coordinate(x)}, {coordinate(y)})"


def _part_in_words(frame: LookupFrame, part: Part) -> str:
    state = frame.state
    place = _place(state, part)
    if frame.row is not None and part.role in (Role.KEY, Role.VALUE):
        return _row_part_in_words(frame, frame.row, part, place)
    text = f"{part.symbol} = {place}"
    if part.role is Role.QUERY:
        return f"{text} · length {plain(frame.query_length)} · o = {vector(tuple(frame.output.tolist()))}"
    if part.role is Role.KEY:
        score, weight = frame.attention.scores[part.index], frame.weights[part.index]
        return f"{text} · q·{part.symbol} = {signed(score)} · weight {full(weight)}"
    if part.role is Role.VALUE:
        return f"{text} · weight {full(frame.weights[part.index])}"
    return f"{text} · loss ½|o − t|² = {scientific(frame.loss)}"


# ---- Beside this lookup ----


def other_mode(state: LookupState) -> str:
    """Return what the lookup is not: hard or soft."""
    return "soft" if state.hard else "hard"


def other_note(frame: LookupFrame) -> str:
    """Return where the output of the other mode is, and how far from this one; empty where that is not shown."""
    if not frame.state.shows(Overlay.OTHER):
        return ""
    other = frame.other_output
    apart = math.dist(other, frame.output)
    away = f"{size_text(apart)} away" if apart else "the same"
    return f"The {other_mode(frame.state)} o of this query is {output_text(other)}, {away}."


def rescaled_note(frame: LookupFrame, index: int) -> str:
    """Return what the same lookup gives with ÷√d_k switched the other way; of a row, whose weights these are."""
    if frame.row is not None:
        return whose_weights(frame, frame.row)
    if frame.state.hard and bool((frame.rescaled.weights == frame.weights).all()):
        return "÷√d_k changes nothing here: the highest score stays the highest."
    weight = weight_text(float(frame.rescaled.weights[index]))
    without = "without" if frame.state.scaled else "with"
    return f"{without} ÷√d_k: {weight_name(index)} = {weight}, o = {output_text(frame.rescaled.output)}"


# ---- What is worth noticing ----


def spread_note(frame: LookupFrame) -> str:
    """Return the entropy and the number of keys in effect; or, as that is one in a hard lookup, how o has jumped."""
    if frame.state.hard:
        return f"entropy {frame.entropy:.2f} nats · {_jumps_words(frame.state)}"
    return f"entropy {frame.entropy:.2f} nats · {frame.keys_in_effect:.2f} keys in effect"


def _jumps_words(state: LookupState) -> str:
    if not state.jumps:
        return "o has not jumped yet"
    if state.jumps == 1:
        return f"o has jumped once, by {size_text(state.last_jump)}"
    return f"o has jumped {grouped(state.jumps)} times, the last time by {size_text(state.last_jump)}"


def headline(frame: LookupFrame) -> str:
    """Return who answers: "k₁ answers 91 %, k₂ 9 %"."""
    order = sorted(range(len(frame.weights)), key=lambda j: (-frame.weights[j], j))
    if frame.state.hard or len(order) == 1:
        return f"{key_name(order[0])} takes everything"
    if len(frame.winners) > 1 and REST not in frame.winners:  # which weighs as much as all its keys
        return f"{listed([key_name(i) for i in frame.winners])} answer alike, {percent(float(frame.weights[order[0]]))}"
    first, second = (f"{percent(float(frame.weights[j]))}" for j in order[:2])
    answers = "answer" if order[0] == REST else "answers"
    return f"{key_name(order[0])} {answers} {first}, {key_name(order[1])} {second}"


def striking(frame: LookupFrame) -> str:
    """Return one sentence beside the picture: what strikes here, or else how such a lookup works."""
    whose = "" if frame.row is None or frame.is_own else whose_weights(frame, frame.row)
    said = whose or other_note(frame) or tie_note(frame) or length_note(frame)
    if said:
        return said
    if frame.state.hard:
        return "Hard: the highest score takes everything. While q moves, o stands still or jumps."
    if frame.state.values is ValueKind.NUMBERS:
        return "Every value counts by its weight: o is their blend, between the least and the largest."
    return "Every value counts by its weight. Their blend is o, which never leaves the hull of the values."


def picture_says(frame: LookupFrame) -> tuple[str, ...]:
    """Return what the picture says besides headline and the sentence beside it, the most striking first."""
    beside = striking(frame)
    key = int(frame.weights.argmax())
    exact = " ".join(weight_sum(frame, key))
    said = exact, *notices(frame), rescaled_note(frame, key), spread_note(frame), exponent_note(frame)
    return tuple(_as_sentence(text) for text in said if text != beside)


def _as_sentence(text: str) -> str:
    """Return words with a capital and a full stop; a symbol that they begin with stays as it is."""
    is_word = text[:2].isascii() and text[:2].isalpha()
    return f"{text[0].upper() if is_word else text[0]}{text[1:].removesuffix('.')}."


def tie_note(frame: LookupFrame) -> str:
    """Return which keys tie for the highest score and what follows; empty without a tie."""
    if len(frame.winners) < 2:
        return ""
    names = listed([key_name(i) for i in frame.winners])
    if not frame.state.hard:
        return f"{names} tie: equal scores, equal weights."
    picked = key_name(int(frame.weights.argmax()))
    if frame.tie_is_exact and frame.row is not None:
        return f"{names} tie: arg max takes the first of them in the text, {picked}."
    if frame.tie_is_exact:
        return f"{names} tie: arg max takes the lowest index, {picked}."
    return f"{names} tie to within rounding; the last digit decides for {picked}."


def length_note(frame: LookupFrame) -> str:
    """Return a sentence where the highest score and the best alignment disagree; empty where they agree."""
    scores, cosines = frame.attention.scores, frame.cosines
    if len(scores) < 2 or bool((cosines != cosines).any()):
        return ""
    winner, aligned = frame.winners[0], int(cosines.argmax())
    if aligned in frame.winners or cosines[aligned] - cosines[winner] < 1e-9:
        return ""
    ratio = frame.key_lengths[winner] / frame.key_lengths[aligned]
    longer = "longer" if f"{ratio:.3g}" == "1" else f"{ratio:.3g}× as long"
    reason = f"{key_name(winner)} is {longer} and scores more."
    if ratio < 1:
        reason = f"with negative scores the shorter {key_name(winner)} scores more."
    cosine, other = told_apart(cosines[aligned], cosines[winner])
    return f"{key_name(aligned)} points closer to q (cos {cosine} against {other}), but {reason}"


def dictionary_note(frame: LookupFrame) -> str:
    """Return what a Python dict with these keys would answer to this query."""
    if frame.exact_match is not None:
        return f"A dict would find {key_name(frame.exact_match)}, which equals q. Attention goes by q·k instead."
    index, distance = nearest_key(frame.state)
    if distance > NEAR_MISS:
        return "A dict would find nothing, because no key equals q. Attention goes by q·k instead."
    return f"A dict would find nothing: q misses {key_name(index)} by {scientific(distance)}. Attention goes by q·k."


def values_note(frame: LookupFrame) -> str:
    """Return in what way self-attention differs from a lookup whose values are its keys; empty for other values."""
    if frame.state.values is not ValueKind.KEYS:
        return ""
    return "Here values = keys. Self-attention makes keys with W_k and values with another matrix, W_v."


def notices(frame: LookupFrame) -> list[str]:
    """Return the sentences below the bars, most striking first."""
    if frame.row is not None:
        said_of_row = (other_note(frame), tie_note(frame), f"{frame.row.origin}.", length_note(frame))
        return [text for text in said_of_row if text]
    is_found = nearest_key(frame.state)[1] <= NEAR_MISS
    about_keys = (dictionary_note(frame), values_note(frame))
    said = (other_note(frame), tie_note(frame), length_note(frame), *(about_keys if is_found else reversed(about_keys)))
    return [text for text in said if text]


# ---- Gradient ----


def gradient_text(frame: LookupFrame) -> str:
    """Return ∂o/∂q, or that there is none because o jumps."""
    if frame.jump:
        return "∂o/∂q: none, as o jumps here"
    rows = " ; ".join(" ".join(signed(float(x), 3) for x in row) for row in frame.gradient.output)
    return f"∂o/∂q = [{rows}]"


def loss_gradient_text(frame: LookupFrame) -> str:
    """Return ∂L/∂q, or that there is none because o jumps."""
    if frame.jump:
        return "∂L/∂q: none"
    dx, dy = frame.loss_gradient.tolist()
    return f"∂L/∂q = ({signed(dx, 3)}, {signed(dy, 3)})"


def gradient_note(frame: LookupFrame) -> str:
    """Return what the gradient means here, in a sentence."""
    if len(frame.weights) == 1:
        return "A single key has all the weight wherever q is, so q does not move o."
    if frame.jump:
        names = listed([key_name(i) for i in frame.winners])
        return f"Hard, and {names} tie: the smallest move of q can make o jump by {size_text(frame.jump)}."
    if frame.state.hard:
        return "A small move of q does not move o at all: there is nothing for q to learn from."
    if frame.gradient_norm < SMALL_GRADIENT:
        return _small_gradient_note(frame)
    if frame.state.values is ValueKind.NUMBERS:
        said = "While q moves on the dotted circle, o swings on the number line as far as its arrows show."
    else:
        said = "The dotted circle around q becomes the dotted shape around o: that is how o moves when q moves."
    return said


def _small_gradient_note(frame: LookupFrame) -> str:
    if float(abs(frame.gradient.weights).max()) >= SMALL_GRADIENT:
        return "The weights change when q moves, but with these values the changes cancel, so o hardly moves."
    if frame.weights.max() > 0.99:
        return "The softmax is saturated: one weight is nearly 1, and the gradient is close to 0."
    return "The weights hardly change when q moves a little, so o hardly moves."


ON_TARGET = 1e-10
"""A loss below which o is where it should be, as far as anybody can see."""


def gradient_headline(frame: LookupFrame) -> str:
    """Return in a few words how it stands with the descent."""
    return _descent(frame)[0]


def descent_note(frame: LookupFrame) -> str:
    """Return how the descent on the target stands, in a sentence."""
    return _descent(frame)[1]


def _descent(frame: LookupFrame) -> tuple[str, str]:
    if frame.loss < ON_TARGET:
        return "o is on the target", "o is on the target: nothing is left to learn."
    if frame.jump:
        note = "Hard, on a tie: without a gradient, Step and Play leave q where it is."
        return "o jumps here: there is no gradient", note
    if frame.state.hard:
        note = "Hard: the gradient is exactly 0, so Step and Play leave q where it is."
        return "Hard: the gradient is exactly 0", note
    if not frame.has_slope:
        note = "The gradient has vanished here, though o is not on the target: q learns nothing more."
        return "The gradient has vanished", note
    return "The arrow at q goes downhill", "The arrow at q is the next step: q − rate · ∂L/∂q."


def description(frame: LookupFrame) -> str:
    """Return the whole picture in words, for people who cannot see it."""
    state, row = frame.state, frame.row
    parts = [f"query at {vector(state.query)}"]
    for i, key in enumerate(state.keys):
        name = key_name(i) if row is None else _entry_name(frame, row, i)
        parts.append(f"{name} at {vector(key)} with weight {percent(float(frame.weights[i]))}")
    parts.append(f"output {vector(tuple(frame.output.tolist()))}{' in the plane of values' * (row is not None)}")
    said = f"{'Hard' if state.hard else 'Soft'} lookup{'' if row is None else f', {row.title}'}: {'; '.join(parts)}."
    whole = said if row is None else row_sentences(frame, row, said)
    return " ".join(filter(None, (whole, other_note(frame), _loss_in_words(frame))))


def _loss_in_words(frame: LookupFrame) -> str:
    """Return what the view of the gradient has besides; empty in other views."""
    if frame.state.view is not LookupView.GRADIENT:
        return ""
    slope = "no slope" if frame.jump else f"|∂o/∂q| = {frame.gradient_norm:.3f}"
    return f"Target {vector(frame.state.target_row)}; loss L = {scientific(frame.loss)}; {slope}."


# ---- A row of a head ----


def _row_part_in_words(frame: LookupFrame, row: OpenRow, part: Part, place: str) -> str:
    """Return a key or a value of a row, at a place, in one line."""
    weight = f"weight {full(frame.weights[part.index])}"
    if part.index == REST:
        what = "keys" if part.role is Role.KEY else "values"
        others = counted(frame.numbers_of_keys[REST], "other")
        return f"{others} · the mean of their {what} by their weights = {place} · together {weight}"
    text = f"{part.symbol} “{row.names[part.index]}” = {place}"
    if part.role is Role.VALUE:
        return f"{text} · {weight}"
    score = f"q·{part.symbol} = {signed(frame.attention.scores[part.index])}"
    if row.has_bias:
        score += f" · bias {signed(float(row.plane.bias[row.plane.heaviest[part.index]]))}"
    return f"{text} · {score} · {weight}"


def whose_weights(frame: LookupFrame, row: OpenRow) -> str:
    """Say whether the weights are those of the head, and if not, what they are."""
    if frame.is_own:
        return "These are the head’s own weights of this row."
    state, of = frame.state, row.of
    if state.hard is not of.hard or not (state.hard or state.temperature == of.temperature):
        own = "hard" if of.hard else f"soft, at temperature {of.temperature:g}"
        return f"Not the head’s own weights: it is {own}."
    return "q has been moved: the head would give these weights to such a query."


def row_sentences(frame: LookupFrame, row: OpenRow, *said: str) -> str:
    """Return what is said of a lookup in a row, and after it whose weights these are, what is masked, and of what."""
    found = (*said, whose_weights(frame, row), row.hidden_words, row.origin, row.of.count.said_of(row.title))
    return " ".join(f"{words[0].upper()}{words[1:].removesuffix('.')}." for words in found if words)


def _entry_name(frame: LookupFrame, row: OpenRow, index: int) -> str:
    """Return which key of a row an entry is, with its token, or how many keys it stands for."""
    if index == REST:
        return counted(frame.numbers_of_keys[REST], "other")
    return f"k{subscript(index + 1)} “{row.names[index]}”"
