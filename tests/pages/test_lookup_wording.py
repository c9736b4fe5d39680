"""Sentences about a lookup: one for each situation, and every number in them is the number computed."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.formula_text import read_formula
from attention_explorer.core.formula_words import spoken
from attention_explorer.core.numerals import size_text
from attention_explorer.core.preset import Preset
from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Vector, regions
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.lookup.state import QUERY, TARGET, Entry, LookupState, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.sums import (
    exponent_note,
    key_name,
    logit_text,
    output_sum,
    sum_formulas,
    weight_sum,
)
from attention_explorer.pages.lookup.wording import (
    descent_note,
    description,
    dictionary_note,
    gradient_headline,
    gradient_note,
    gradient_text,
    headline,
    length_note,
    listed,
    loss_gradient_text,
    notices,
    picture_says,
    region_words,
    spot_in_words,
    spread_note,
    striking,
    tie_note,
    values_note,
)

quick = settings(max_examples=50, deadline=None)
EACH_PRESET = pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)
DEFAULT = LookupState()
FRAME = lookup_frame(DEFAULT)

COORDINATES = st.integers(-40, 40).map(lambda i: i / 10)
VECTORS = st.tuples(COORDINATES, COORDINATES)
STATES = st.builds(
    LookupState,
    query=VECTORS,
    entries=st.lists(st.builds(Entry, VECTORS, VECTORS, COORDINATES), min_size=1, max_size=6).map(tuple),
    values=st.sampled_from(ValueKind),
    hard=st.just(False),
    temperature=st.sampled_from([0.05, 0.25, 1.0, 3.0, 30.0]),
    scaled=st.booleans(),
)

_ASCII = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
_NUMBER = r"[−+]?\d+(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"


def number(text: str) -> float:
    """Return the number that a text says: 0.91, −2.92 or 2.06·10⁻⁹."""
    mantissa, _, exponent = text.translate(_ASCII).partition("·10")
    return float(mantissa) * 10.0 ** int(exponent or 0)


def three(query: Vector, *keys: Vector) -> LookupState:
    return LookupState(query=query, entries=tuple(Entry(key, key, 10.0 * (i + 1)) for i, key in enumerate(keys)))


# ---- Names ----


def test_names() -> None:
    assert key_name(0) == "k₁"
    assert key_name(11) == "k₁₂"
    assert listed(["k₁"]) == "k₁"
    assert listed(["k₁", "k₂"]) == "k₁ and k₂"
    assert listed(["k₁", "k₂", "k₃"]) == "k₁, k₂ and k₃"


@pytest.mark.parametrize(
    ("scaled", "temperature", "text"),
    [(False, 1.0, "q·k"), (True, 1.0, "q·k/√2"), (False, 2.0, "q·k/T"), (True, 0.5, "q·k/(√2·T)")],
)
def test_what_stands_in_the_exponent(scaled: bool, temperature: float, text: str) -> None:
    state = replace(DEFAULT, scaled=scaled, temperature=temperature)
    assert logit_text(state) == text
    assert exponent_note(lookup_frame(state)) == f"above each e stands {text}"


def test_the_maximum_is_taken_off_where_the_powers_would_be_unreadable() -> None:
    assert exponent_note(lookup_frame(DEFAULT.moved(QUERY, (14.0, 6.0)))) == "above each e stands q·k − 29.200"
    assert exponent_note(lookup_frame(replace(DEFAULT, hard=True))) == "arg max: no sum"


# ---- The status bar ----


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (QUERY, "q = (1.4, 0.6) · length 1.52 · o = (+1.78, +0.37)"),
        (Part(Role.KEY, 0), "k₁ = (2, 0.2) · q·k₁ = +2.92 · weight 0.907207046882843"),
        (Part(Role.KEY, 1), "k₂ = (−0.4, 2) · q·k₂ = +0.64 · weight 0.09279295311715702"),
    ],
)
def test_parts_in_words(part: Part, text: str) -> None:
    said = spot_in_words(FRAME, part)
    assert said.rpartition(" ")[0] == text.rpartition(" ")[0]
    last, expected = (number(words.rpartition(" ")[2].strip("()")) for words in (said, text))
    assert last == pytest.approx(expected, rel=1e-14)


def test_the_weight_in_words_has_every_digit() -> None:
    said = spot_in_words(FRAME, Part(Role.KEY, 0)).rpartition(" ")[2]
    assert float(said) == FRAME.weights[0]


def test_values_and_targets_in_words() -> None:
    quiz = replace(preset("quiz").state, overlays=frozenset({Overlay.TARGET}))
    frame = lookup_frame(quiz)
    value = spot_in_words(frame, Part(Role.VALUE, 1))
    assert value.startswith("v₂ = 20 · weight 0.26894")
    target = spot_in_words(frame, TARGET)
    assert target.startswith("t = 15 · loss")
    assert number(target.rpartition(" = ")[2]) == pytest.approx((12.689414213699951 - 15) ** 2 / 2, rel=1e-3)
    plane = spot_in_words(lookup_frame(preset("descent").state), TARGET)
    assert plane.startswith("t = (0.4, 0.8) · loss")


def test_places_and_hints_in_words() -> None:
    assert spot_in_words(FRAME, (1.25, -0.5)).startswith("(+1.25, −0.50) · ")
    assert spot_in_words(FRAME, QUERY, "Esc puts it back").endswith(" · Esc puts it back")


# ---- The sum ----


def read_sum(lines: list[str]) -> tuple[float, list[float], float, list[float], float]:
    """Return the numbers of α = eˣ ÷ (eˣ + eʸ) = x ÷ (x + y) = z, in this order."""
    first = re.fullmatch(rf"α[₀-₉]+ = e\^({_NUMBER}) ÷ \((.*)\)", lines[0])
    second = re.fullmatch(rf"= ({_NUMBER}) ÷ \((.*)\)", lines[1])
    third = re.fullmatch(rf"= ({_NUMBER})", lines[2])
    assert first is not None, lines
    assert second is not None, lines
    assert third is not None, lines
    exponents = [number(term.removeprefix("e^")) for term in first[2].split(" + ") if "more" not in term]
    powers = [number(term) for term in second[2].split(" + ") if "more" not in term]
    return number(first[1]), exponents, number(second[1]), powers, number(third[1])


def last_digit(text: str) -> float:
    """Return what one more in the last digit of a number means, with a little for rounding: 0.01 for 1.35."""
    mantissa, _, power = text.partition("·")
    scale = number(f"1·{power}") if power else 1.0
    return max(1.001 * scale * 10.0 ** -len(mantissa.partition(".")[2]), 1e-300)


def assert_sum_multiplies_out(frame: LookupFrame, index: int) -> None:
    lines = weight_sum(frame, index)
    exponent, exponents, power, powers, weight = read_sum(lines)
    assert exponent in exponents
    assert power in powers
    assert len(exponents) == len(powers) == min(3, len(frame.weights))
    texts = re.findall(_NUMBER, lines[1].partition("(")[2].partition(" more")[0])
    for x, p, text in zip(exponents, powers, texts, strict=False):
        assert abs(p - math.exp(x)) <= last_digit(text), "each power is e to the exponent shown above it"
    assert weight == pytest.approx(float(frame.weights[index]), rel=5.1e-3, abs=5.1e-7)
    if len(frame.weights) <= 3:
        assert ("more" in lines[1]) is False
        assert abs(power / math.fsum(powers) - weight) <= last_digit(lines[2]), "the division comes out"
    else:
        assert f" + {len(frame.weights) - 3} more)" in lines[0]
        assert f" + {len(frame.weights) - 3} more)" in lines[1]
        assert power / math.fsum(powers) >= weight * (1 - 6e-3), "what is left out only makes the sum larger"


@quick
@given(STATES)
def test_every_sum_multiplies_out(state: LookupState) -> None:
    frame = lookup_frame(state)
    for index in range(len(frame.weights)):
        assert_sum_multiplies_out(frame, index)


def test_a_calculator_gives_what_the_sum_says() -> None:
    state = three((0.11, 0.31), (0.31, 0.0), (0.0, 0.05))
    assert weight_sum(lookup_frame(state), 0) == [
        "α₁ = e^0.0341 ÷ (e^0.0341 + e^0.0155)",
        "= 1.034688 ÷ (1.034688 + 1.015621)",
        "= 0.504650",
    ]


def test_the_sum_of_a_huge_score_takes_the_maximum_off() -> None:
    lines = weight_sum(lookup_frame(DEFAULT.moved(QUERY, (1400.0, 600.0))), 1)
    assert lines[0] == "α₂ = e^−2280.00 ÷ (e^0.00 + e^−2280.00)"
    assert lines[1:] == ["= 0 ÷ (1 + 0)", "= 0.000000"]


def test_the_key_that_is_explained_is_always_among_the_terms() -> None:
    state = three((1.0, 0.0), *[(0.1 * i, 1.0) for i in range(8)])
    for index in range(8):
        lines = weight_sum(lookup_frame(state), index)
        assert lines[0].startswith(f"{key_name(index).replace('k', 'α')} = ")
        assert_sum_multiplies_out(lookup_frame(state), index)


def test_a_hard_sum_names_the_winner() -> None:
    frame = lookup_frame(replace(DEFAULT, hard=True))
    assert weight_sum(frame, 0) == [
        "q·k₁ = +2.92, q·k₂ = +0.64",
        "the highest score takes everything:",
        "α₁ = 1",
    ]
    assert weight_sum(frame, 1) == ["q·k₁ = +2.92, q·k₂ = +0.64", "not the highest score, so nothing:", "α₂ = 0"]
    many = lookup_frame(replace(three((1.0, 0.0), *[(0.1 * i, 1.0) for i in range(6)]), hard=True))
    assert weight_sum(many, 5)[0] == "q·k₆ = +0.50, q·k₅ = +0.40, q·k₄ = +0.30, q·k₃ = +0.20 …"


def test_a_key_that_loses_a_hard_tie_is_not_said_to_score_less() -> None:
    frame = lookup_frame(replace(preset("three-keys").state, hard=True))
    assert frame.winners == (0, 2)
    assert "not the highest score" not in " ".join(weight_sum(frame, 2))


@pytest.mark.parametrize(("is_exact", "picked"), [(True, "the first"), (False, "the one picked")])
def test_a_hard_tie_goes_to_the_first_key_unless_rounding_decides(is_exact: bool, picked: str) -> None:
    frame = lookup_frame(replace(EXACT_TIE if is_exact else NEAR_TIE, hard=True))
    assert weight_sum(frame, int(frame.weights.argmax()))[1] == f"of the tied keys, {picked}:"


@quick
@given(STATES, st.booleans())
def test_the_sum_of_the_output_multiplies_out(state: LookupState, hard: bool) -> None:
    frame = lookup_frame(replace(state, hard=hard))
    left, terms, right = output_sum(frame).split(" = ")
    assert left == "o"
    letter = "k" if state.values is ValueKind.KEYS else "v"
    found = re.findall(rf"(\d\.\d\d)·{letter}([₀-₉]+)", terms)
    assert len(found) == min(3, len(frame.weights))
    assert terms.endswith(" + …") == (len(frame.weights) > 3)
    indices = [int(name.translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))) - 1 for _, name in found]
    assert indices == sorted(indices)
    dropped = [w for i, w in enumerate(frame.weights.tolist()) if i not in indices]
    assert max(dropped, default=0.0) <= min(frame.weights[i] for i in indices), "the heaviest are written out"
    shown = [number(text) for text in re.findall(_NUMBER, right)]
    assert shown == pytest.approx(frame.output.tolist(), abs=0.00501)
    if len(frame.weights) <= 3:
        for axis, total in enumerate(shown):
            again = math.fsum(float(w) * frame.values[i, axis] for (w, _), i in zip(found, indices, strict=True))
            rounding = 0.00501 * (1 + abs(frame.values[:, axis]).sum())
            assert again == pytest.approx(total, abs=rounding)


# ---- What is worth noticing ----


NEAR_TIE = three((0.1, 0.3), (0.0, 1.0), (3.0, 0.0))
EXACT_TIE = three((0.7, 0.7), (1.0, 0.0), (0.0, 1.0), (0.5, 0.0))


@pytest.mark.parametrize(
    ("state", "hard", "sentence"),
    [
        (DEFAULT, False, ""),
        (DEFAULT, True, ""),
        (EXACT_TIE, False, "k₁ and k₂ tie: equal scores, equal weights."),
        (EXACT_TIE, True, "k₁ and k₂ tie: arg max takes the lowest index, k₁."),
        (NEAR_TIE, False, "k₁ and k₂ tie: equal scores, equal weights."),
        (NEAR_TIE, True, "k₁ and k₂ tie to within rounding; the last digit decides for k₂."),
        (DEFAULT.moved(QUERY, (0.0, 0.0)), True, "k₁ and k₂ tie: arg max takes the lowest index, k₁."),
        (preset("three-keys").state, False, "k₁ and k₃ tie: equal scores, equal weights."),
        (preset("equal-scores").state, False, "k₁, k₂ and k₃ tie: equal scores, equal weights."),
    ],
)
def test_ties_in_words(state: LookupState, hard: bool, sentence: str) -> None:
    assert tie_note(lookup_frame(replace(state, hard=hard))) == sentence


def test_a_long_key_does_not_make_small_scores_tie() -> None:
    state = three((1.0, 0.0), (1e-10, 0.0), (2e-10, 0.0), (0.0, 1e6))
    assert lookup_frame(state).winners == (1,)
    assert tie_note(lookup_frame(state)) == ""


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (
            preset("long-key").state,
            "k₁ points closer to q (cos 1.00 against 0.80), but k₂ is 2.5× as long and scores more.",
        ),
        (
            three((1.0, 0.0), (-1.0, 0.0), (-3.0, 3.0)),
            "k₂ points closer to q (cos −0.71 against −1.00), but with negative scores the shorter k₁ scores more.",
        ),
        (
            three((1.0, 0.0), (1.0, 0.0), (1.0001, 0.01)),
            "k₁ points closer to q (cos 1.00000 against 0.99995), but k₂ is longer and scores more.",
        ),
        (DEFAULT, ""),
        (preset("three-keys").state, ""),
        (DEFAULT.moved(QUERY, (0.0, 0.0)), ""),
        (three((1.0, 0.0), (1.0, 0.0)), ""),
        (three((1.0, 0.0), (1.0, 0.0), (0.0, 0.0)), ""),
        (three((1.0, 0.0), (1.0, 0.0), (3.0, 0.0)), ""),
    ],
)
def test_lengths_in_words(state: LookupState, sentence: str) -> None:
    assert length_note(lookup_frame(state)) == sentence


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (preset("exact-miss").state, "A dict would find nothing: q misses k₁ by 1.00·10⁻⁷. Attention goes by q·k."),
        (
            preset("exact-miss").state.moved(QUERY, (1.0, 0.0)),
            "A dict would find k₁, which equals q. Attention goes by q·k instead.",
        ),
        (DEFAULT, "A dict would find nothing, because no key equals q. Attention goes by q·k instead."),
        (
            three((1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
            "A dict would find k₂, which equals q. Attention goes by q·k instead.",
        ),
    ],
)
def test_dictionaries_in_words(state: LookupState, sentence: str) -> None:
    assert dictionary_note(lookup_frame(state)) == sentence


def test_notices_leave_out_what_does_not_apply() -> None:
    tie = lookup_frame(preset("three-keys").state)
    assert notices(tie) == [tie_note(tie), dictionary_note(tie)]
    long = lookup_frame(preset("long-key").state)
    assert notices(long) == [length_note(long), dictionary_note(long), values_note(long)]
    assert notices(FRAME) == [values_note(FRAME), dictionary_note(FRAME)]


def test_what_is_true_of_values_that_are_keys_is_said_of_no_others() -> None:
    assert "keys with W_k and values with another matrix, W_v" in values_note(FRAME)
    for kind in (ValueKind.VECTORS, ValueKind.NUMBERS):
        frame = lookup_frame(DEFAULT.with_values(kind))
        assert values_note(frame) == ""
        assert notices(frame) == [dictionary_note(frame)]
    on_key = lookup_frame(DEFAULT.moved(QUERY, DEFAULT.keys[0]))
    assert notices(on_key) == [dictionary_note(on_key), values_note(on_key)], "a dict finds something just here"


@quick
@given(STATES)
def test_a_region_is_named_after_the_keys_that_weigh_most_in_it(state: LookupState) -> None:
    for region in regions(state.keys):
        middle = (region.start + region.end) / 2
        inside = replace(state, query=(2 * math.cos(middle), 2 * math.sin(middle)))
        weights = lookup_frame(inside).weights
        heaviest = [key_name(int(i)) for i in np.flatnonzero(weights >= weights.max() * (1 - 1e-12))]
        verb = "weighs" if len(heaviest) == 1 else "weigh"
        assert region_words(lookup_frame(inside), region.winner) == f"{listed(heaviest)} {verb} most"
        hard = replace(inside, hard=True)
        assert (
            region_words(lookup_frame(hard), region.winner)
            == f"{key_name(int(lookup_frame(hard).weights.argmax()))} wins"
        )


# ---- Gradient and descent ----


@pytest.mark.parametrize(
    ("state", "start"),
    [
        (DEFAULT.with_overlay(Overlay.GRADIENT, True), "The dotted circle around q"),
        (DEFAULT, "The dotted circle around q"),
        (
            replace(DEFAULT, hard=True),
            "A small move of q does not move o at all: there is nothing for q to learn from.",
        ),
        (DEFAULT.moved(QUERY, (14.0, 6.0)), "The softmax is saturated"),
        (preset("quiz").state, "While q moves on the dotted circle, o swings on the number line"),
    ],
)
def test_gradients_in_words(state: LookupState, start: str) -> None:
    assert gradient_note(lookup_frame(state)).startswith(start)


@pytest.mark.parametrize(
    "state",
    [
        replace(three((1.0, 0.0), (1.0, 0.0), (0.0, 1.0)), temperature=100.0),
        three((1.0, 0.0), (1.0, 1.0), (1.0, 1.0)),
        replace(three((1.0, 0.0), (0.01, 0.0), (0.0, 0.01))),
    ],
    ids=["hot", "equal keys", "tiny keys"],
)
def test_saturation_is_only_said_of_one_heavy_weight(state: LookupState) -> None:
    frame = lookup_frame(state)
    assert frame.weights.max() < 0.6
    assert "one weight is nearly 1" not in gradient_note(frame)


def test_weights_that_change_are_not_said_to_stay() -> None:
    frame = lookup_frame(preset("quiz").state.moved(Part(Role.VALUE, 1), (10.0, 0.0)))
    assert frame.gradient_norm == 0
    assert abs(frame.gradient.weights).max() > 0.19, "α(1 − α), as large as ever"
    assert "weights hardly change" not in gradient_note(frame)


def test_a_single_key_is_not_saturated() -> None:
    frame = lookup_frame(three((1.0, 0.0), (0.1, 0.2)))
    assert frame.weights.tolist() == [1.0]
    assert "saturated" not in gradient_note(frame)


def ties(direction: Vector, *places: float) -> LookupState:
    """Return a hard lookup whose keys all score the same: they lie on a line across the query."""
    (x, y), count = direction, len(places)
    keys = [(x - y * place, y + x * place) for place in places]
    values = [(float(i), float(i * i % 3)) for i in range(count)]
    entries = tuple(Entry(key, value, value[0]) for key, value in zip(keys, values, strict=True))
    return LookupState(query=direction, entries=entries, hard=True)


SMALL_INTEGERS = st.integers(-3, 3).map(float)
TIES = st.builds(
    lambda direction, places, at_origin, values: replace(
        ties(direction, *places), query=(0.0, 0.0) if at_origin else direction, values=values
    ),
    st.tuples(SMALL_INTEGERS, SMALL_INTEGERS),
    st.lists(SMALL_INTEGERS, min_size=1, max_size=5),
    st.booleans(),
    st.sampled_from(ValueKind),
)


def farthest_jump(state: LookupState) -> float:
    """Return how far the output of a hard lookup moves, at most, if the query moves by 10⁻⁵ in any of 720 directions.

    They are 0.25°, 0.75°, …: a query on the grid of small whole numbers meets no border there.
    """
    x, y = state.query
    here = lookup_frame(state).output
    turns = [math.radians(i / 2 + 0.25) for i in range(720)]
    steps = [(1e-5 * math.cos(turn), 1e-5 * math.sin(turn)) for turn in turns]
    moved = (lookup_frame(state.moved(QUERY, (x + dx, y + dy))).output for dx, dy in steps)
    return max(math.dist(here, there) for there in moved)


@settings(max_examples=60, deadline=None)
@given(st.one_of(TIES, STATES.map(lambda state: replace(state, hard=True))))
def test_a_hard_lookup_has_a_gradient_just_where_its_output_does_not_jump(state: LookupState) -> None:
    frame = lookup_frame(state)
    jump = farthest_jump(state)
    assert frame.jump == pytest.approx(jump, abs=1e-9)
    said = " ".join((gradient_text(frame), gradient_note(frame), loss_gradient_text(frame), descent_note(frame)))
    assert ("none" in gradient_text(frame)) == ("∂L/∂q: none" in said) == (jump > 0)
    assert ("exactly 0" in said) <= (jump == 0)
    if jump > 0:
        assert f"can make o jump by {size_text(frame.jump)}." in said
    elif len(frame.weights) > 1:
        assert "does not move o at all" in said
        assert not frame.gradient.output.any()


def test_in_a_hard_lookup_it_is_the_query_that_has_nothing_to_learn_from() -> None:
    hard = replace(preset("exact-miss").state, hard=True)
    moved = hard.moved(Part(Role.VALUE, 0), (3.5, 0.5))
    assert (lookup_frame(moved).output - lookup_frame(hard).output).tolist() == [1.5, 0.0]
    said = [gradient_note(lookup_frame(hard)), *(ready.look_for for ready in PRESETS)]
    about = [sentence for text in said for sentence in re.split(r"[.:] ", text) if "learn" in sentence]
    assert len(about) == 2
    assert all(re.search(r"\bq\b", sentence) for sentence in about)


def test_a_step_is_refused_just_where_the_gradient_is_said_to_have_vanished() -> None:
    state = preset("descent").state
    slopes = set()
    for length in range(1, 40):
        frame = lookup_frame(state.moved(QUERY, (float(length), 0.0)))
        assert frame.has_slope == descent_note(frame).startswith("The arrow at q is the next step")
        slopes.add(frame.has_slope)
    assert slopes == {True, False}


@pytest.mark.parametrize("hard", [False, True])
def test_on_the_target_nothing_is_left_to_learn(hard: bool) -> None:
    state = replace(preset("descent").state, hard=hard)
    there = replace(state, target=tuple(lookup_frame(state).output.tolist()))
    assert descent_note(lookup_frame(there)) == "o is on the target: nothing is left to learn."


# ---- The whole picture ----


@EACH_PRESET
@pytest.mark.parametrize("hard", [False, True])
def test_nothing_that_is_said_is_broken(ready: Preset[LookupState], hard: bool) -> None:
    for kind in ValueKind:
        for query in (ready.state.query, (0.0, 0.0), (1e6, -1e6)):
            frame = lookup_frame(replace(ready.state, hard=hard, values=kind).moved(QUERY, query))
            texts = [
                *notices(frame),
                spread_note(frame),
                exponent_note(frame),
                output_sum(frame),
                gradient_note(frame),
                descent_note(frame),
                description(frame),
                *weight_sum(frame, 0),
                *sum_formulas(frame, 0),
                headline(frame),
                striking(frame),
                gradient_headline(frame),
                *picture_says(frame),
                *(spot_in_words(frame, part) for part in (*frame.state.parts(), TARGET)),
            ]
            for text in texts:
                assert text
                assert "nan" not in text
                assert "np." not in text
                assert "None" not in text


# ---- Beside the picture ----


# What is said of examples as they are is in tests/data/said.
@pytest.mark.parametrize(
    ("state", "title", "sentence"),
    [
        (
            replace(DEFAULT, hard=True),
            "k₁ takes everything",
            "Hard: the highest score takes everything. While q moves, o stands still or jumps.",
        ),
        (
            replace(preset("three-keys").state, hard=True),
            "k₁ takes everything",
            "k₁ and k₃ tie: arg max takes the lowest index, k₁.",
        ),
        (
            DEFAULT.with_overlay(Overlay.OTHER, True),
            "k₁ answers 91 %, k₂ 9 %",
            "The hard o of this query is (+2.00, +0.20), 0.278 away.",
        ),
        (
            three((1.0, 0.0), (0.1, 0.2)),
            "k₁ takes everything",
            "Every value counts by its weight. Their blend is o, which never leaves the hull of the values.",
        ),
    ],
)
def test_what_stands_beside_the_plane(state: LookupState, title: str, sentence: str) -> None:
    frame = lookup_frame(state)
    assert headline(frame) == title
    assert striking(frame) == sentence


@pytest.mark.parametrize(
    ("state", "title"),
    [
        (replace(preset("descent").state, hard=True).moved(QUERY, (0.6, -1.0)), "Hard: the gradient is exactly 0"),
        (replace(preset("descent").state, hard=True).moved(QUERY, (0.6, -1.2)), "o jumps here: there is no gradient"),
        (preset("descent").state.moved(QUERY, (600.0, 0.0)), "The gradient has vanished"),
        (
            replace(preset("descent").state, target=tuple(lookup_frame(preset("descent").state).output.tolist())),
            "o is on the target",
        ),
    ],
)
def test_headlines_of_the_gradient(state: LookupState, title: str) -> None:
    assert gradient_headline(lookup_frame(state)) == title


def test_the_sum_of_the_first_screen_as_formulas() -> None:
    assert sum_formulas(FRAME, 0) == (
        "[weight:key]{α₁} = {e^{2.92}}/{e^{2.92} + e^{0.64}}",
        "= {18.541}/{18.541 + 1.8965} = [weight:key]{0.9072}",
        "[o:output]{o} = 0.91 [k₁:value]{k₁} + 0.09 [k₂:value]{k₂} = [o:output]{(+1.78, +0.37)}",
    )
    assert sum_formulas(FRAME, 1) == (
        "[weight:key]{α₂} = {e^{0.64}}/{e^{2.92} + e^{0.64}}",
        "= {1.8965}/{18.541 + 1.8965} = [weight:key]{0.0928}",
        "[o:output]{o} = 0.91 [k₁:value]{k₁} + 0.09 [k₂:value]{k₂} = [o:output]{(+1.78, +0.37)}",
    )
    assert sum_formulas(lookup_frame(replace(DEFAULT, hard=True)), 0) == (
        "q·k₁ = +2.92, q·k₂ = +0.64",
        "[weight:key]{α₁} = 1",
        "[o:output]{o} = 1.00 [k₁:value]{k₁} + 0.00 [k₂:value]{k₂} = [o:output]{(+2.00, +0.20)}",
    )


TWELVE = three((0.7, 1.3), *[(0.1 * i, 1.0) for i in range(12)])


def test_of_twelve_keys_two_terms_are_written_that_of_the_key_among_them() -> None:
    assert sum_formulas(lookup_frame(TWELVE), 11) == (
        '[weight:key]{α₁₂} = {e^{2.07}}/{e^{1.30} + e^{2.07} + "10 more"}',
        '= {7.9248}/{3.6693 + 7.9248 + "10 more"} = [weight:key]{0.1190}',
        "[o:output]{o} = 0.10 [k₁₀:value]{k₁₀} + 0.11 [k₁₁:value]{k₁₁} + 0.12 [k₁₂:value]{k₁₂} + …",
        "= [o:output]{(+0.63, +1.00)}",
    )


def formula_numbers(lines: tuple[str, ...]) -> tuple[float, list[float], float]:
    """Return what stands above and below in the second line of a sum, and the weight behind it."""
    found = re.fullmatch(r"= \{(.*)\}/\{(.*)\} = \[weight:key\]\{(.*)\}", lines[1])
    assert found is not None, lines
    below = [number(term) for term in found[2].split(" + ") if '"' not in term]
    return number(found[1]), below, number(found[3])


LOOKUPS = [*(ready.state for ready in PRESETS), TWELVE, DEFAULT.moved(QUERY, (1400.0, 600.0))]


@pytest.mark.parametrize("temperature", [0.01, 0.3, 1.0, 100.0])
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("kind", list(ValueKind))
def test_every_formula_can_be_read_and_says_the_weight(kind: ValueKind, hard: bool, temperature: float) -> None:
    for state in LOOKUPS:
        frame = lookup_frame(replace(state, values=kind, hard=hard, temperature=temperature))
        for index, weight in enumerate(frame.weights.tolist()):
            lines = sum_formulas(frame, index)
            formulas = [read_formula(line) for line in lines]
            said = [spoken(formula.row) for formula in formulas]
            assert all(said)
            assert f"alpha_{index + 1} equals" in " ".join(said)
            assert {mark.name for formula in formulas for mark in formula.marks} >= {"weight", "o"}
            if hard:
                assert f"= {weight:.0f}" in lines[1]
                continue
            above, below, found = formula_numbers(lines)
            assert above in below
            assert found == pytest.approx(weight, rel=6e-3, abs=5.1e-5)
            if len(below) == len(frame.weights):
                assert above / math.fsum(below) == pytest.approx(found, abs=1e-4), "the division comes out"
