"""A row of a head on the Lookup page: its numbers are those of the head, computed here by loops."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from written_numbers import csv_text, json_text

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.counting import Count
from attention_explorer.core.formula_text import read_formula
from attention_explorer.core.formula_words import spoken
from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.core.numerals import percent, scientific
from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.model import QueryKeyMap, alibi_bias, causal_mask, rotary
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.file_places import files_of
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState
from attention_explorer.pages.lookup import open_row
from attention_explorer.pages.lookup.export import lookup_numbers
from attention_explorer.pages.lookup.frame import descended, lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.open_row import OpenRow, opened_row, row_field
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.state import QUERY, REST, HeadRow, LookupState, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.sums import exponent_note, sum_formulas, weight_name, weight_sum
from attention_explorer.pages.lookup.wording import (
    description,
    gradient_note,
    headline,
    notices,
    rescaled_note,
    spot_in_words,
    striking,
    tie_note,
)
from attention_explorer.pages.row_as_lookup import NOTHING_PINNED, SEVERAL_HEADS, as_lookup, reason_against_lookup
from attention_explorer.pages.session_file import read_session, session_bytes, session_from, write_session
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.layer import Layer, Values
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.registry import source_of

LONG = "In the beginning the universe was created and this has made a lot of people very angry , as they say"
CAUSAL, WINDOW = MaskChoice(MaskKind.CAUSAL), MaskChoice(MaskKind.CAUSAL_WINDOW, size=4)
SETUPS = {
    "toy": (HeadsSetup(head=3), 7),
    "causal": (HeadsSetup(head=1, mask=CAUSAL), 6),
    "window": (HeadsSetup(recipe=ToyRecipe(sentence=LONG), mask=WINDOW), 15),
    "long": (HeadsSetup(recipe=ToyRecipe(sentence=LONG, layers=2), layer=1, head=2, temperature=0.5), 18),
    "not scaled": (HeadsSetup(recipe=ToyRecipe(sentence=LONG), scaled=False, mask=CAUSAL), 20),
    "hard": (HeadsSetup(recipe=ToyRecipe(sentence=LONG), hard=True), 4),
    "two sentences": (HeadsSetup(recipe=ToyRecipe(sentence="red car", context=LONG)), 1),
    "made by hand": (HeadsSetup(recipe=HandMadeRecipe(), head=2), 7),
}
EACH = pytest.mark.parametrize("name", SETUPS)


def opened(setup: HeadsSetup, row: int) -> LookupState:
    return as_lookup(ExplorerState(heads=HeadsState(setup=setup)), heads_frame(setup), row).lookup


def opened_by(name: str) -> tuple[LookupFrame, OpenRow, HeadsSetup, int]:
    setup, row = SETUPS[name]
    frame = lookup_frame(opened(setup, row))
    assert frame.row is not None
    return frame, frame.row, setup, row


def softmax_by_loop(scores: list[float], temperature: float) -> list[float]:
    largest = max(scores)
    parts = [math.exp((score - largest) / temperature) for score in scores]
    return [part / math.fsum(parts) for part in parts]


def by_loop(setup: HeadsSetup, q: list[float], row: int) -> tuple[list[float], list[float]]:
    """Scores and soft weights of a query of the head, from its keys and the mask, without any map."""
    frame = heads_frame(setup)
    keys = frame.layers[setup.layer].queries_and_keys[1][setup.head].tolist()
    scale = 1 / math.sqrt(len(keys[0])) if setup.scaled else 1.0
    scores = [scale * math.fsum(a * b for a, b in zip(q, key, strict=True)) for key in keys]
    for key in range(len(keys)):
        if frame.mask is not None and not frame.mask[row, key]:
            scores[key] = -math.inf
    return scores, softmax_by_loop(scores, setup.temperature)


# ---- The head's own numbers ----


@EACH
def test_scores_and_weights_are_those_of_the_head(name: str) -> None:
    frame, row, setup, place = opened_by(name)
    q = heads_frame(setup).layers[setup.layer].queries_and_keys[0][setup.head, place].tolist()
    scores, weights = by_loop(setup, q, place)
    named = row.plane.heaviest.tolist()
    if setup.hard:
        weights = [float(score == max(scores)) for score in scores]
    assert frame.scores[: len(named)].tolist() == pytest.approx([scores[key] for key in named], abs=1e-12)
    assert frame.weights[: len(named)].tolist() == pytest.approx([weights[key] for key in named], abs=1e-12)
    assert float(frame.weights.sum()) == pytest.approx(1.0, abs=1e-12)
    heaviest = sorted((key for key in range(len(scores)) if scores[key] > -math.inf), key=lambda key: -weights[key])
    assert len(named) == min(len(heaviest), 12)
    assert min(weights[key] for key in named) >= max((weights[key] for key in heaviest[12:]), default=0.0) - 1e-12
    for index in range(len(named)):
        (kx, ky), (x, y) = frame.state.keys[index], frame.state.query
        assert y == 0.0
        assert kx * x + ky * y == pytest.approx(frame.scores[index], abs=1e-12), "the plane shows the score"
    assert frame.is_own
    assert heads_frame(setup).head_map.weights(place)[named].tolist() == frame.weights[: len(named)].tolist()


@EACH
def test_the_rest_goes_on_counting_wherever_the_query_is(name: str) -> None:
    frame, row, setup, place = opened_by(name)
    moved = lookup_frame(replace(frame.state, query=(-1.3, 0.7), hard=False))
    scale = 1 / math.sqrt(row.plane.key_directions.shape[1]) if setup.scaled else 1.0
    q = (np.array([-1.3, 0.7]) @ row.plane.key_directions / scale).tolist()
    _, weights = by_loop(setup, q, place)
    named = row.plane.heaviest.tolist()
    expected = [weights[key] for key in named]
    if len(row.plane.rest):
        expected.append(math.fsum(weights[key] for key in row.plane.rest.tolist()))
        assert frame.numbers_of_keys[REST] == len(row.plane.rest)
    assert moved.weights.tolist() == pytest.approx(expected, abs=1e-12)
    assert moved.entropy == pytest.approx(-math.fsum(w * math.log(w) for w in weights if w > 0), abs=1e-9)
    v = heads_frame(setup).layers[setup.layer].v[setup.head]
    assert row.plane.value_directions is not None
    output = np.asarray(weights) @ np.asarray(v, float) @ row.plane.value_directions.T
    assert moved.output.tolist() == pytest.approx(output.tolist(), abs=1e-12)
    assert not moved.is_own


def test_the_terms_of_the_sum_are_those_of_all_keys() -> None:
    frame, row, _, _ = opened_by("not scaled")
    logits = frame.attention.masked
    powers = np.exp(logits - logits.max())
    assert (powers / powers.sum()).tolist() == pytest.approx(frame.weights.tolist(), abs=1e-12)
    assert math.isnan(frame.attention.scores[REST]), "the rest is no key: it has no product with the query"
    assert math.isnan(frame.cosines[REST])
    *_, last = weight_sum(frame, REST)
    assert last == f"= {frame.weights[REST]:.6f}"
    assert f"{len(row.plane.rest)} powers" in weight_sum(frame, REST)[0]


@pytest.mark.parametrize("name", ["long", "window"])
def test_the_gradient_is_that_of_small_steps(name: str) -> None:
    frame, *_ = opened_by(name)
    state, step = replace(frame.state, query=(0.4, 0.3)), 1e-6
    found = lookup_frame(state).gradient
    for axis in (0, 1):
        ends = []
        for sign in (1, -1):
            query = [0.4, 0.3]
            query[axis] += sign * step
            ends.append(lookup_frame(replace(state, query=(query[0], query[1]))))
        slopes = (ends[0].weights - ends[1].weights) / (2 * step)
        assert found.weights[:, axis].tolist() == pytest.approx(slopes.tolist(), abs=1e-6)
        slopes = (ends[0].output - ends[1].output) / (2 * step)
        assert found.output[:, axis].tolist() == pytest.approx(slopes.tolist(), abs=1e-6)


def test_stepping_downhill_moves_the_output_to_the_target() -> None:
    frame, *_ = opened_by("long")
    state = frame.state.with_overlay(Overlay.TARGET, True)
    after = lookup_frame(descended(state))
    assert after.state.row == state.row
    assert after.loss < lookup_frame(state).loss


def test_another_softmax_is_said_not_to_be_the_head_s() -> None:
    frame, *_ = opened_by("long")
    assert rescaled_note(frame, 0) == "These are the head’s own weights of this row."
    warm = lookup_frame(frame.state.with_temperature(2.0))
    assert rescaled_note(warm, 0) == "Not the head’s own weights: it is soft, at temperature 0.5."
    assert rescaled_note(lookup_frame(replace(frame.state, hard=True)), 0).startswith("Not the head’s own weights")
    moved = lookup_frame(frame.state.moved(QUERY, (1.0, 1.0)))
    assert rescaled_note(moved, 0) == "q has been moved: the head would give these weights to such a query."
    q = float(frame.state.query[0])
    assert rescaled_note(lookup_frame(frame.state.moved(QUERY, (q, 0.0))), 0).startswith("These are the head’s own")


def test_the_weights_at_other_temperatures_are_those_of_all_keys() -> None:
    frame, *_ = opened_by("long")
    temperatures = np.array([0.2, 0.5, 7.0])
    found = frame.weights_at(temperatures)
    for temperature, row in zip(temperatures.tolist(), found.tolist(), strict=True):
        assert row == pytest.approx(lookup_frame(frame.state.with_temperature(temperature)).weights.tolist(), abs=1e-12)


def test_the_field_is_what_a_query_at_each_place_would_weigh() -> None:
    frame, row, *_ = opened_by("long")
    seen = Extent(-2.0, 2.0, -1.0, 1.0)
    field = row_field(row.of, 0.5, seen, 8)
    rows, columns = field.shape[:2]
    assert columns == 8
    for i, j in ((0, 0), (rows - 1, 3), (1, columns - 1)):
        place = (-2.0 + (j + 0.5) * 4.0 / columns, 1.0 - (i + 0.5) * 2.0 / rows)
        expected = lookup_frame(replace(frame.state, query=place, temperature=0.5)).weights
        assert field[i, j].tolist() == pytest.approx(expected.tolist(), abs=1e-12)


# ---- Rotary and bias ----


@pytest.fixture
def biased(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[LookupState, QueryKeyMap]]:
    """A row of a head with rotary positions, ALiBi and a causal mask."""
    rng, n = np.random.default_rng(3), 19
    q, k = (rotary(rng.normal(size=(n, 8)), np.arange(n)) for _ in "qk")
    map_ = QueryKeyMap(q, k, mask=causal_mask(n), bias=alibi_bias(2, n)[1])
    layer = Layer((map_,), q=q[None], k=k[None], values=Values(lambda: rng.normal(size=(1, n, 8))))
    monkeypatch.setattr(open_row, "layers_and_mask", lambda *_: ([layer], None))
    opened_row.cache_clear()
    of = HeadRow(ToyRecipe(sentence=" ".join(LONG.split()[:n]), heads=1), row=16)
    length = float(np.linalg.norm(q[16])) / math.sqrt(8)
    yield LookupState(query=(length, 0.0), values=ValueKind.VECTORS, preset="", row=of), map_
    opened_row.cache_clear()


def test_a_bias_is_added_and_said(biased: tuple[LookupState, QueryKeyMap]) -> None:
    state, map_ = biased
    frame = lookup_frame(state)
    assert frame.row is not None
    named = frame.row.plane.heaviest
    q, k = map_.q.tolist(), map_.k.tolist()
    slope = 2.0**-8
    scores = [
        math.fsum(a * b for a, b in zip(q[16], k[j], strict=True)) / math.sqrt(8) - slope * (16 - j) for j in range(17)
    ]
    assert frame.scores[:12].tolist() == pytest.approx([scores[key] for key in named.tolist()], abs=1e-12)
    weights = softmax_by_loop(scores, 1.0)
    assert frame.weights[:12].tolist() == pytest.approx([weights[key] for key in named.tolist()], abs=1e-12)
    assert exponent_note(frame) == "above each e stands q·k + b"
    assert exponent_note(lookup_frame(state.with_temperature(2.0))) == "above each e stands (q·k + b)/T"
    assert "A bias is added to the scores." in frame.row.hint.look_for
    key = spot_in_words(frame, Part(Role.KEY, 0))
    bias = float(frame.row.plane.bias[named[0]])
    assert f"{frame.attention.scores[0]:+.2f}".replace("-", "−") in key
    assert f"bias {bias:+.2f}".replace("-", "−") in key
    for overlay in (Overlay.TIE, Overlay.FIELD):
        assert "bias" in frame.reason_against(overlay)
        assert not frame.draws(overlay)


def test_far_out_no_bias_counts(biased: tuple[LookupState, QueryKeyMap]) -> None:
    state, _ = biased
    far = lookup_frame(replace(state, query=(30_000.0, 20_000.0)))
    assert lookup_frame(replace(state, query=(3.0, 2.0))).limit.tolist() == pytest.approx(far.output.tolist(), abs=1e-9)


# ---- What cannot be opened ----


def test_heads_say_why_a_row_cannot_be_opened() -> None:
    box = heads_frame(HeadsSetup(recipe=BoxRecipe()))
    assert (
        reason_against_lookup(box, 2) == "Only the weights were recorded, not the queries and keys that they came from."
    )
    assert reason_against_lookup(heads_frame(HeadsSetup(aggregate=Aggregate.MEAN)), 2) == SEVERAL_HEADS
    toy = heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.STRICT)))
    assert reason_against_lookup(toy, None) == NOTHING_PINNED
    assert reason_against_lookup(toy, 0) == "This query may attend to no key: there is nothing to look up."
    assert reason_against_lookup(toy, 1) == ""
    assert reason_against_lookup(toy, 11) == "There is no such row in A: pin a row of A."
    with pytest.raises(ExplorerError, match="Pin a row first"):
        as_lookup(ExplorerState(), toy, None)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (HeadRow(ToyRecipe(), layer=3), "There is no layer 4, head 1 in it"),
        (HeadRow(ToyRecipe(), head=99), "There is no layer 1, head 100 in it"),
        (HeadRow(ToyRecipe(), row=11), "There is no row 12: the head has 11."),
        (HeadRow(ToyRecipe(), mask=MaskChoice(MaskKind.STRICT)), "This query may attend to no key"),
        (HeadRow(BoxRecipe()), "Only the weights were recorded"),
    ],
    ids=["layer", "head", "row", "sees nothing", "no scores"],
)
def test_a_row_that_is_not_there_is_refused(row: HeadRow, reason: str) -> None:
    state = LookupState(values=ValueKind.VECTORS, preset="", row=row)
    with pytest.raises(ExplorerError, match=reason):
        lookup_frame(state)
    whole = ExplorerState(lookup=state)
    assert replace(whole, lookup=replace(state, hard=True)).followed(whole).lookup.hard, "the state takes no harm"


def test_keys_beyond_the_plane_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    q, k = np.ones((1, 2)), np.array([[1.0, 0.0], [0.0, 3e6]])
    layer = Layer((QueryKeyMap(q, k),), values=Values(lambda: np.ones((1, 2, 2))))
    monkeypatch.setattr(open_row, "layers_and_mask", lambda *_: ([layer], None))
    with pytest.raises(ExplorerError, match="the plane ends 1000000 units from its middle"):
        opened_row(HeadRow(ToyRecipe(sentence="a b", heads=1)))


def test_keys_and_values_of_a_head_stay_what_they_are() -> None:
    state = opened(*SETUPS["long"])
    for part in (Part(Role.KEY, 0), Part(Role.VALUE, 3), Part(Role.KEY, REST)):
        with pytest.raises(ExplorerError, match="only q and t move"):
            state.moved(part, (1.0, 1.0))
    for edit in (
        lambda: state.with_key_added((0.0, 0.0)),
        lambda: state.with_key_removed(0),
        lambda: state.with_values(ValueKind.KEYS),
    ):
        with pytest.raises(ExplorerError, match="keys and values of a head"):
            edit()


# ---- Trail, jumps, sessions ----


def test_another_row_begins_without_trail_and_jumps() -> None:
    setup, row = SETUPS["long"]
    first = replace(opened(setup, row), hard=True).with_overlay(Overlay.TRAIL, True)
    state = ExplorerState(lookup=first)
    for query in ((-1.0, 0.3), (0.5, -0.9), (0.4, 1.0)):
        state = replace(state, lookup=state.lookup.moved(QUERY, query)).followed(state)
    assert state.lookup.jumps > 0
    assert len(state.lookup.trail) > 1
    other = replace(state.lookup, row=replace(opened(setup, row - 1).row, row=row - 1))
    after = replace(state, lookup=other).followed(state).lookup
    assert (after.jumps, after.trail) == (0, ())


def test_jumps_between_keys_without_a_name_count() -> None:
    frame, row, *_ = opened_by("long")
    rest = [key for key in row.border if row.entry_of(key) == REST]
    assert len(rest) >= 2
    hard = replace(frame.state, hard=True)

    def towards(key: int) -> LookupState:
        directions = np.linspace(0, 2 * np.pi, 721)
        best = [int((row.plane.keys @ [math.cos(a), math.sin(a)]).argmax()) for a in directions.tolist()]
        angle = float(directions[best.index(key)])
        return replace(hard, query=(math.cos(angle), math.sin(angle)))

    winners = [key for key in rest if key in {lookup_frame(towards(key)).winner for key in rest}]
    first, second = ExplorerState(lookup=towards(winners[0])), ExplorerState(lookup=towards(winners[1]))
    assert lookup_frame(first.lookup).winners == lookup_frame(second.lookup).winners == (REST,)
    assert second.followed(first).lookup.jumps == 1


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A file with queries, keys and values of 2 layers of 2 heads of 15 tokens."""
    rng, n = np.random.default_rng(7), 15
    q, k, v = (rng.normal(size=(2, 2, n, 6)).astype(np.float32) for _ in "qkv")
    path = tmp_path / "mine.npz"
    np.savez(path, q=q, k=k, v=v, tokens=np.array(LONG.split()[:n]), mask=np.tril(np.ones((n, n), bool)))
    return path


def test_a_recording_with_queries_and_keys_is_opened_and_comes_back(recording: Path, tmp_path: Path) -> None:
    heads = heads_of_file(recording).with_setup(layer=1, head=1)
    state = as_lookup(ExplorerState(heads=heads), heads_frame(heads.setup), 13)
    frame = lookup_frame(state.lookup)
    file = np.load(recording)
    q, k = (file[name][1, 1].astype(float) for name in "qk")
    scores = [math.fsum((q[13] * k[key]).tolist()) / math.sqrt(6) for key in range(14)]
    weights = softmax_by_loop(scores, 1.0)
    assert frame.row is not None
    named = frame.row.plane.heaviest.tolist()
    assert frame.weights.tolist() == pytest.approx(
        [*(weights[key] for key in named), 1 - sum(weights[key] for key in named)], abs=1e-6
    )
    assert frame.row.origin == "recorded in “mine.npz”, mask: recorded with the weights"
    assert frame.row.hidden_words == "1 key is masked, weighs 0 and is not drawn (recorded with the weights)."
    assert files_of(state) == (str(recording),)
    write_session(tmp_path / "row.attn.json", state, page="lookup")
    assert (
        json.loads((tmp_path / "row.attn.json").read_bytes())["state"]["lookup"]["row"]["recipe"]["path"] == "mine.npz"
    )
    (tmp_path / "moved").mkdir()
    for name in ("row.attn.json", "mine.npz"):
        (tmp_path / name).rename(tmp_path / "moved" / name)
    found = read_session(tmp_path / "moved" / "row.attn.json")
    assert not found.warnings
    assert lookup_frame(found.state.lookup).weights.tolist() == frame.weights.tolist()
    (tmp_path / "moved" / "mine.npz").unlink()
    CACHE.clear()
    source_of.cache_clear()
    lost = read_session(tmp_path / "moved" / "row.attn.json").state.lookup
    with pytest.raises(ExplorerError, match=r"mine\.npz"):
        lookup_frame(replace(lost, query=(9.0, 9.0)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"row": {"row": -1}}, "lookup.row.row"),
        ({"row": {"temperature": 1e9}}, "lookup.row.temperature"),
        ({"values": "keys"}, "its values must be “vectors”"),
        ({"scaled": True}, "scaled must be false"),
        ({"row": None}, "must name a preset, or a row of a head"),
        ({"preset": "two-keys"}, "must name a preset, or a row of a head"),
    ],
    ids=["row", "temperature", "values", "scaled", "neither", "both"],
)
def test_a_session_with_an_impossible_row_opens_without_the_page(change: dict[str, object], words: str) -> None:
    whole = json.loads(session_bytes(ExplorerState(lookup=opened(*SETUPS["toy"]))))
    part = whole["state"]["lookup"]
    for name, value in change.items():
        part[name] = part[name] | value if isinstance(value, dict) else value
    found = session_from(json.dumps(whole).encode(), "x")
    assert list(found.left_out) == ["lookup"]
    assert any(words in warning for warning in found.warnings)
    assert found.state.lookup == LookupState()


# ---- In words and in files ----


def test_the_picture_in_words_names_all_keys_and_the_source() -> None:
    frame, row, *_ = opened_by("long")
    said = description(frame)
    assert said.startswith("Soft lookup, row “as” (19) of layer 2, head 3: query at (")
    for index in range(12):
        assert f"“{row.names[index]}” at (" in said
    assert f"{len(row.plane.rest)} others at (" in said
    own = f"These are the head’s own weights of this row. {row.origin[0].upper()}{row.origin[1:]}."
    assert said.endswith(f"{own} Layers and heads counted from 1.")
    assert "random" in row.origin
    assert row.origin in notices(frame)[0]
    assert row.names[0] == LONG.split()[int(row.plane.heaviest[0])]


@EACH
@pytest.mark.parametrize("hard", [False, True])
def test_the_sum_of_a_row_can_be_read_as_formulas(name: str, hard: bool) -> None:
    frame, row, *_ = opened_by(name)
    frame = lookup_frame(replace(frame.state, hard=hard))
    for index, weight in enumerate(frame.weights.tolist()):
        lines = sum_formulas(frame, index)
        said = [spoken(read_formula(line).row) for line in lines]
        assert all(said)
        if hard:
            assert f"[weight:key]{{{weight_name(index)}}} = {weight:.0f}" in lines
            assert ("best of the rest" in lines[0]) <= bool(len(row.plane.rest))
            continue
        assert lines[0].startswith(f"[weight:key]{{{weight_name(index)}}} = {{")
        shown = f"{weight:.4f}" if weight >= 1e-3 else scientific(weight)
        assert lines[1].endswith(f"= [weight:key]{{{shown}}}")
        if index == REST:
            assert f'"{len(row.plane.rest)} powers"' in lines[0]
        # Two terms are written, and how many keys stand for the others is counted.
        written = lines[0].partition("/")[2]
        others = re.search(r'"(\d+) more"', written)
        of_rest = re.search(r'"(\d+) powers"', written)
        counted = sum(int(found[1]) for found in (others, of_rest) if found) + written.count("e^")
        assert counted == sum(frame.numbers_of_keys)


def test_headline_and_sentence_of_a_row() -> None:
    frame, *_ = opened_by("long")
    first, second = (percent(float(weight)) for weight in frame.weights[:2])
    assert headline(frame) == f"k₁ answers {first}, k₂ {second}"
    assert striking(frame).startswith("Every value counts by its weight.")
    moved = lookup_frame(frame.state.moved(QUERY, (1.0, 1.0)))
    assert striking(moved) == "q has been moved: the head would give these weights to such a query."
    said = "Not the head’s own weights: it is soft, at temperature 0.5."
    assert striking(lookup_frame(frame.state.with_temperature(2.0))) == said
    assert headline(lookup_frame(replace(frame.state, hard=True))) == "k₁ takes everything"


def test_the_rest_is_not_said_to_answer_as_much_as_one_key() -> None:
    """At the origin all keys tie, and those without a name weigh together as much as there are of them."""
    long, toy = (lookup_frame(opened_by(name)[0].state.moved(QUERY, (0.0, 0.0))) for name in ("long", "toy"))
    assert long.numbers_of_keys[REST] == 9
    assert REST in long.winners
    assert headline(long) == "the rest answer 43 %, k₁ 5 %"
    assert headline(toy).endswith("k₁₀ and k₁₁ answer alike, 9 %")


def test_tokens_that_come_twice_are_told_apart() -> None:
    _, row, *_ = opened_by("toy")
    opened_twice = lookup_frame(opened(HeadsSetup(recipe=ToyRecipe(sentence="the cat and the dog")), 0)).row
    assert opened_twice is not None
    assert sorted(opened_twice.names) == ["and", "cat", "dog", "the (1)", "the (4)"]
    assert "the" in row.names
    assert row.title == "row “it” (8) of head 4"


def test_rows_are_counted_as_everything_else() -> None:
    state = ExplorerState(lookup=opened(*SETUPS["long"])).counted(Count.FROM_ZERO)
    frame = lookup_frame(state.lookup)
    assert frame.row is not None
    assert frame.row.title == "row “as” (18) of layer 1, head 2"
    assert description(frame).endswith("Layers and heads counted from 0.")
    places = json.loads(json_text(lookup_numbers(state.lookup)))["places"]
    assert places == frame.row.plane.heaviest.tolist()
    assert frame.weights.tolist() == opened_by("long")[0].weights.tolist()
    assert state.counted(Count.FROM_ONE).lookup == opened(*SETUPS["long"])


def test_parts_and_places_are_read_out() -> None:
    frame, row, *_ = opened_by("long")
    assert spot_in_words(frame, Part(Role.KEY, 0)).startswith(f"k₁ “{row.names[0]}” = (")
    rest = spot_in_words(frame, Part(Role.KEY, REST))
    assert rest.startswith(f"{len(row.plane.rest)} others · the mean of their keys by their weights = (")
    assert spot_in_words(frame, (1.0, 2.0)) == "(+1.00, +2.00)"
    assert "double click" not in spot_in_words(frame, QUERY)


def test_a_tie_in_a_head_is_a_tie_here() -> None:
    frame, row, *_ = opened_by("made by hand")
    other = lookup_frame(opened(HeadsSetup(recipe=HandMadeRecipe(sentence="it was it"), head=2, hard=True), 0))
    assert len(row.names) == len(frame.weights)
    assert other.tie_is_exact
    assert tie_note(other) == "k₁ and k₂ tie: arg max takes the first of them in the text, k₁."
    assert other.jump == 0.0, "the two have the same value"
    at_the_origin = lookup_frame(other.state.moved(QUERY, (0.0, 0.0)))
    assert at_the_origin.jump > 0.0
    assert gradient_note(at_the_origin).startswith(
        "Hard, and k₁, k₂ and k₃ tie: the smallest move of q can make o jump"
    )


def test_a_file_has_every_number_of_the_picture() -> None:
    frame, row, *_ = opened_by("long")
    numbers = lookup_numbers(frame.state)
    table = list(csv.DictReader(io.StringIO(csv_text(numbers)), strict=True))
    assert [line["name"] for line in table] == ["q", *(f"k{i + 1}" for i in range(12)), "rest", "o"]
    for index, line in enumerate(table[1:13]):
        key = int(row.plane.heaviest[index])
        assert (line["token"], line["place"], line["keys"]) == (LONG.split()[key], str(key + 1), "1")
        assert float(line["score"]) == float(frame.scores[index])
        assert float(line["weight"]) == float(frame.weights[index])
    assert table[13]["keys"] == str(len(row.plane.rest))
    assert [table[13][name] for name in ("length", "cosine")] == ["", ""]
    document = json.loads(json_text(numbers), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert document["settings"]["row"] == row.title
    assert document["settings"]["origin"] == row.origin
    assert document["weights"] == frame.weights.tolist()
    assert document["tokens"] == [LONG.split()[key] for key in row.plane.heaviest.tolist()]
    assert document["cosines"][REST] is None
    arrays = numbers.arrays
    assert np.asarray(arrays["all_weights"]).tolist() == heads_frame(SETUPS["long"][0]).head_map.weights(18).tolist()
    assert set(arrays) <= set(numbers.parameters["axes"])  # type: ignore[arg-type]
