"""A row step by step: every number that is said of it is computed here again, by loops over its vectors."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.core.numerals import parsed_number
from attention_explorer.model import QueryKeyMap, alibi_bias
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.parts import MOST_KEYS, Part
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.row import row_arrays, row_numbers, row_steps
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, HeadsView

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def setup_of(preset: str, **changes: object) -> HeadsSetup:
    return replace(heads_preset(preset).state.setup, **changes)


def written(text: str) -> float:
    """Read a number back as it is written: +1.777, 5.50·10⁻⁴, −∞."""
    if "∞" in text:
        return -math.inf
    mantissa, _, exponent = text.partition("·10")
    return parsed_number(mantissa) * 10.0 ** int(exponent.translate(SUPERSCRIPTS) or 0)


def vectors(setup: HeadsSetup, row: int) -> tuple[list[float], list[list[float]], list[list[float]]]:
    frame = heads_frame(setup)
    layer = frame.layers[frame.layer]
    q, k = (array[frame.head].tolist() for array in layer.queries_and_keys)
    return q[row], k, layer.v[frame.head].tolist()


def by_loops(setup: HeadsSetup, row: int, *, allowed: list[bool], bias: list[float]) -> dict[str, list[float]]:
    """Compute scores, exponentials, weights and output with one multiplication after the other."""
    q, keys, values = vectors(setup, row)
    raw = [sum(a * b for a, b in zip(q, key, strict=True)) for key in keys]
    scaled = [score / math.sqrt(len(q)) for score in raw] if setup.scaled else raw
    biased = [score + more for score, more in zip(scaled, bias, strict=True)]
    exps = [math.exp(score / setup.temperature) if may else 0.0 for score, may in zip(biased, allowed, strict=True)]
    weights = [number / sum(exps) for number in exps]
    if setup.hard:
        best = max(score for score, may in zip(biased, allowed, strict=True) if may)
        weights = [float(score == best) for score in biased]
    output = [sum(w * v[d] for w, v in zip(weights, values, strict=True)) for d in range(len(values[0]))]
    return {"raw": raw, "scaled": scaled, "biased": biased, "exp": exps, "weights": weights, "output": output}


CASES = {
    "learned": (setup_of("learned-it"), 7, None),
    "causal": (setup_of("causal"), 4, "causal"),
    "hard": (setup_of("multi-head", hard=True), 2, None),
    "temperature 0.5": (setup_of("multi-head", temperature=0.5), 2, None),
    "not scaled": (setup_of("multi-head", scaled=False), 5, None),
}


@pytest.mark.parametrize(("setup", "row", "mask"), CASES.values(), ids=CASES)
def test_every_number_is_that_of_loops(setup, row, mask):
    steps = row_steps(heads_frame(setup), row)
    n_k = len(steps.lines)
    allowed = [mask is None or key <= row for key in range(n_k)]
    expected = by_loops(setup, row, allowed=allowed, bias=[0.0] * n_k)
    columns = {column.title: column for column in steps.columns}
    titles = list(columns)

    np.testing.assert_allclose(columns["q · k"].arrays.sum(axis=1), expected["raw"], rtol=1e-6, atol=1e-9)
    said = [written(text) for text in columns["q · k"].texts]
    np.testing.assert_allclose(said, expected["raw"], atol=0.006)
    assert any("√" in title for title in titles) is setup.scaled
    assert ("mask" in titles) is (mask is not None)
    if mask:
        assert [text == "−∞" for text in columns["mask"].texts] == [not may for may in allowed]
    if not setup.hard:
        exps = next(column for title, column in columns.items() if title.startswith("exp"))
        np.testing.assert_allclose([written(text) for text in exps.texts], expected["exp"], rtol=6e-3)
        assert written(exps.total) == pytest.approx(sum(expected["exp"]), rel=1e-3)
    shares = next(column for column in steps.columns if column.numbers is not None)
    np.testing.assert_allclose(shares.numbers, expected["weights"], rtol=1e-6, atol=1e-12)
    assert written(shares.total) == 1.0
    np.testing.assert_allclose(columns["α · v"].arrays.sum(axis=0), expected["output"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(steps.output, expected["output"], rtol=1e-6, atol=1e-9)


def test_a_bias_is_a_step_of_its_own():
    setup, row = setup_of("multi-head"), 3
    frame = heads_frame(setup)
    layer, n = frame.layers[0], len(frame.keys)
    q, k = (array[0] for array in layer.queries_and_keys)
    bias = alibi_bias(2, n)[1]
    map_ = QueryKeyMap(q, k, bias=bias)
    frame = replace(frame, layers=[layer._replace(maps=(map_, *layer.maps[1:]))], map=map_)
    expected = by_loops(setup, row, allowed=[True] * n, bias=bias[row].tolist())
    columns = {column.title: column for column in row_steps(frame, row).columns}
    np.testing.assert_allclose([written(text) for text in columns["+ bias"].texts], expected["biased"], atol=0.006)
    np.testing.assert_allclose(columns[list(columns)[-2]].numbers, expected["weights"])


def test_large_scores_say_what_is_subtracted():
    setup = setup_of("learned-it", scaled=False)
    frame = heads_frame(setup)
    largest = max(frame.query_key_map.scores()[7].tolist())
    titles = [column.title for column in row_steps(frame, 7).columns]
    assert largest > 30
    assert f"exp(s − {largest:.3f})" in titles


def test_a_query_that_may_see_nothing_says_so():
    setup = setup_of("causal", mask=MaskChoice(MaskKind.STRICT))
    steps = row_steps(heads_frame(setup), 0)
    assert steps.columns[-2].caption == "There is no key that this query may attend to: all weights are 0."
    assert not steps.output.any()


def long_state(row: int | None = 12, column: int | None = None) -> HeadsState:
    setup = setup_of("multi-head")
    sentence = " ".join(f"word{n}" for n in range(30))
    return HeadsState(
        replace(setup, recipe=replace(setup.recipe, sentence=sentence)), HeadsView(row=row, column=column)
    )


def test_many_keys_are_the_heaviest_and_a_rest():
    frame = heads_frame(long_state().setup)
    steps, weights = row_steps(frame, 12), frame.map.weights()[12]
    assert len(steps.lines) == MOST_KEYS
    rest = 30 - (MOST_KEYS - 1)
    assert steps.lines[-1] == f"{rest} others"
    shares = next(column for column in steps.columns if column.numbers is not None)
    assert shares.numbers[-1] == pytest.approx(np.sort(weights)[:rest].sum())
    assert min(shares.numbers[:-1]) >= np.sort(weights)[rest - 1]
    np.testing.assert_allclose(steps.columns[-1].arrays.sum(axis=0), steps.output)


def test_the_key_that_is_looked_at_has_a_line_however_little_weight_it_has():
    lightest = int(heads_frame(long_state().setup).map.weights()[12].argmin())
    found = row_numbers(long_state(column=lightest))
    assert found.chosen == lightest
    assert lightest in found.steps.named
    assert len(found.steps.lines) == MOST_KEYS
    shares = next(column for column in found.steps.columns if column.numbers is not None)
    assert shares.numbers.sum() == pytest.approx(1.0)


def test_each_moment_adds_one_thing_and_says_what():
    steps = row_steps(heads_frame(setup_of("causal")), 4)
    lines = len(steps.lines)
    assert [part for part, _ in steps.moments] == [
        *[Part.PRODUCTS] * lines, Part.SCALE, Part.MASK, Part.EXP, Part.WEIGHTS, *[Part.VALUES] * lines
    ]  # fmt: skip
    assert list(steps.moments) == sorted(set(steps.moments))
    assert all(steps.caption(moment).endswith(".") for moment in range(len(steps.moments)))


def test_a_part_that_changes_nothing_says_so():
    steps = row_steps(heads_frame(setup_of("multi-head", scaled=False, hard=True)), 2)
    said = {part: steps.caption(moment) for moment, (part, _) in enumerate(steps.moments)}
    assert said[Part.SCALE] == "The scores are not divided by √d_k here."
    assert said[Part.MASK] == "Nothing is hidden from this query."
    assert said[Part.EXP] == "A hard lookup takes no exp: it looks for the largest score."


@pytest.mark.parametrize("preset", ["learned-it", "minilm", "causal", "translation", "stacked", "dot-products"])
def test_the_state_knows_the_last_step_without_computing_the_row(preset):
    heads = heads_preset(preset).state
    for wanted in (heads, heads.with_setup(aggregate=Aggregate.MEAN), heads.with_view(row=None, column=1)):
        found = row_numbers(wanted)
        assert wanted.last_step == len(found.steps.moments) - 1
        assert found.is_done, "all of it is on show at first"
    assert row_numbers(heads.with_view(step=0)).moment == 0


def test_recorded_weights_begin_at_the_weights():
    heads = heads_preset("minilm").state
    steps = row_numbers(heads).steps
    assert [column.title for column in steps.columns] == ["weight"]
    assert steps.caption(0).startswith("These weights are as recorded: no scores lead to them. Sum ")
    assert steps.output is None
    np.testing.assert_allclose(
        steps.columns[0].numbers, heads_frame(heads.setup).map.weights()[heads.view.row], rtol=1e-9
    )


def test_several_heads_in_one_have_weights_only():
    heads = heads_preset("multi-head").state.with_setup(aggregate=Aggregate.MEAN)
    steps = row_numbers(heads).steps
    assert [column.title for column in steps.columns] == ["weight"]
    assert steps.title == "mean of 8 heads: what query “The” (1) does"
    np.testing.assert_allclose(steps.columns[0].numbers, heads_frame(heads.setup).map.weights()[0], rtol=1e-9)


def test_a_key_alone_is_read_down_its_queries():
    heads = heads_preset("causal").state.with_view(row=None, column=3)
    found, frame = row_numbers(heads), heads_frame(heads.setup)
    assert not found.steps.reading.is_row
    assert found.cell == (int(frame.map.weights()[:, 3].argmax()), 3)
    raw, scaled, weight = found.steps.columns
    head = frame.query_key_map
    np.testing.assert_allclose([written(text) for text in raw.texts], head.q @ head.k[3], atol=0.006)
    np.testing.assert_allclose([written(text) for text in scaled.texts], head.q @ head.k[3] / math.sqrt(8), atol=6e-3)
    np.testing.assert_allclose(weight.numbers, frame.map.weights()[:, 3], rtol=1e-9)
    assert "columns need not sum to 1" in found.steps.caption(0)


def test_what_is_pinned_beyond_a_shorter_sentence_is_its_last_token():
    found = row_numbers(heads_preset("learned-it").state.with_view(row=99, column=98))
    assert found.cell == (10, 10)


def test_across_two_sentences_the_keys_are_those_of_the_second():
    heads = heads_preset("translation").state
    found = row_numbers(heads)
    assert [line.partition(" (")[0] for line in found.steps.lines] == list(found.frame.keys)
    assert len(found.steps.lines) == len(found.frame.keys)


def test_the_arrays_are_those_of_all_keys():
    steps = row_numbers(long_state()).steps
    arrays = row_arrays(steps)
    assert next(iter(arrays)) == "row_weights"
    assert len(arrays["row_weights"]) == 30
    np.testing.assert_allclose(arrays["products"].sum(axis=1), arrays["row_scores"])
    np.testing.assert_allclose(arrays["weighted_values"].sum(axis=0), arrays["row_output"])
    np.testing.assert_allclose(arrays["row_scaled"] * math.sqrt(8), arrays["row_scores"])
    assert arrays["tokens"][3] == "word3"


@pytest.mark.parametrize("setup", [case[0] for case in CASES.values()], ids=CASES)
def test_fewer_digits_say_the_same_numbers(setup):
    for column in row_steps(heads_frame(setup), 4).columns:
        assert len(column.brief) == len(column.texts)
        for short, long in zip(column.brief, column.texts, strict=True):
            assert written(short) == pytest.approx(written(long), rel=0.06, abs=0.0051)
