"""Exported maps, read back by the standard readers: bit for bit what is shown, with what it takes to make it again."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from written_numbers import csv_text, json_text, npy_bytes, npz_bytes

from attention_explorer import __version__
from attention_explorer.core import numbers_files
from attention_explorer.core.numbers_export import Numbers
from attention_explorer.errors import ExportError
from attention_explorer.model import Stage
from attention_explorer.pages.heads.export import (
    difference_numbers,
    map_numbers,
    setup_words,
    stages_numbers,
    wall_numbers,
)
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, heads_frame
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe

CAUSAL = MaskChoice(MaskKind.CAUSAL)
STACKED = ToyRecipe(sentence="a b c d e", d_model=16, heads=4, layers=3)
CROSS = HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat")
AWKWARD = "he said, \"no\" — שלום سلام 👩‍👩‍👧 e\u0301té , 'x' ; =1+1\n新しい\tline"
CASES = [
    pytest.param(HeadsSetup(), HeadsView(), id="weights"),
    pytest.param(HeadsSetup(mask=CAUSAL), HeadsView(), id="causal weights"),
    pytest.param(HeadsSetup(), HeadsView(stage=Stage.SCORES), id="scores"),
    pytest.param(HeadsSetup(), HeadsView(stage=Stage.SCALED, hidden=Hidden.FIRST), id="scaled"),
    pytest.param(HeadsSetup(mask=CAUSAL), HeadsView(stage=Stage.MASKED), id="masked scores"),
    pytest.param(HeadsSetup(), HeadsView(hidden=Hidden.PUNCTUATION), id="hidden"),
    pytest.param(HeadsSetup(CROSS, head=2), HeadsView(), id="two sentences"),
    pytest.param(HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT), HeadsView(stage=Stage.SCORES), id="rollout"),
    pytest.param(HeadsSetup(STACKED, layer=2, aggregate=Aggregate.MAX), HeadsView(), id="largest"),
    pytest.param(HeadsSetup(ToyRecipe(sentence="cat")), HeadsView(), id="one token"),
    pytest.param(HeadsSetup(ToyRecipe(sentence=AWKWARD)), HeadsView(), id="awkward"),
]
EACH = pytest.mark.parametrize(("setup", "view"), CASES)


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def document_of(numbers: Numbers) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json_text(numbers), parse_constant=refuse)
    return document


def table_of(numbers: Numbers) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_text(numbers), newline=""), strict=True))


def archive_of(numbers: Numbers) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(npz_bytes(numbers)), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive}


def with_holes(array: np.ndarray) -> list[list[float | None]]:
    return [[number if np.isfinite(number) else None for number in row] for row in array.tolist()]


def export(setup: HeadsSetup, view: HeadsView) -> tuple[HeadsFrame, Numbers]:
    frame = heads_frame(setup)
    return frame, map_numbers(frame, view)


# ---- The large picture ----


@EACH
def test_the_table_is_what_is_shown_with_every_digit(setup: HeadsSetup, view: HeadsView) -> None:
    frame, numbers = export(setup, view)
    header, *rows = table_of(numbers)
    assert header == ["query \\ key", *frame.keys]
    assert [row[0] for row in rows] == list(frame.queries)
    found = np.array([[float(cell) for cell in row[1:]] for row in rows])
    np.testing.assert_array_equal(found, map_picture(frame, view).values)
    assert "\r" not in csv_text(numbers)
    assert "np." not in csv_text(numbers)


@EACH
def test_the_document_is_what_is_shown(setup: HeadsSetup, view: HeadsView) -> None:
    frame, numbers = export(setup, view)
    document, picture = document_of(numbers), map_picture(frame, view)
    assert document["program"] == f"Attention Explorer {__version__}"
    assert document["axes"] == ["query (row)", "key (column)"]
    assert (tuple(document["queries"]), tuple(document["keys"])) == (frame.queries, frame.keys)
    assert document[document["numbers"]] == with_holes(picture.values)
    assert document["allowed"] == frame.map.allowed().tolist()
    assert document["settings"]["sentence"] == setup.recipe.sentence
    assert json_text(numbers).endswith("}\n")


@EACH
def test_the_arrays_are_what_is_shown_and_load_without_pickle(setup: HeadsSetup, view: HeadsView) -> None:
    frame, numbers = export(setup, view)
    picture = map_picture(frame, view)
    main = np.load(io.BytesIO(npy_bytes(numbers)), allow_pickle=False)
    np.testing.assert_array_equal(main, picture.values)
    archive = archive_of(numbers)
    parameters = json.loads(str(archive["parameters"]))
    np.testing.assert_array_equal(archive[parameters["numbers"]], picture.values)
    assert tuple(archive["queries"].tolist()) == frame.queries
    assert tuple(archive["keys"].tolist()) == frame.keys
    np.testing.assert_array_equal(archive["allowed"], frame.map.allowed())
    if parameters["numbers"] != "weights" or view.hidden is not Hidden.NOTHING:
        np.testing.assert_array_equal(archive["raw_weights"], frame.map.weights())
    else:
        assert "raw_weights" not in archive


def test_masked_scores_are_minus_infinity_and_null_where_there_is_no_infinity() -> None:
    frame, numbers = export(HeadsSetup(mask=CAUSAL), HeadsView(stage=Stage.MASKED))
    above = np.triu(np.ones(frame.shape, bool), 1)
    np.testing.assert_array_equal(np.isneginf(archive_of(numbers)["masked"]), above)
    document = np.array(document_of(numbers)["masked"], dtype=object)
    np.testing.assert_array_equal(document == None, above)  # noqa: E711, cell by cell
    np.testing.assert_array_equal(np.array(table_of(numbers))[1:, 1:] == "-inf", above)


def test_tokens_that_a_table_must_quote_survive(monkeypatch) -> None:
    frame, numbers = export(HeadsSetup(ToyRecipe(sentence=AWKWARD)), HeadsView())
    assert {",", '"', "שלום", "سلام", "👩‍👩‍👧", "été", "'", "=", "新"} <= set(frame.keys)
    queries, keys = frame.exact_tokens
    broken = ('"quoted",\n', *queries[1:]), ("two\nlines", *keys[1:])
    monkeypatch.setattr(HeadsFrame, "exact_tokens", broken)
    header, *rows = table_of(map_numbers(frame, HeadsView()))
    assert header[1] == "two\nlines"
    assert rows[0][0] == '"quoted",\n'
    assert len(rows) == len(frame.queries)
    assert document_of(numbers)["settings"]["sentence"] == AWKWARD


@pytest.mark.parametrize(
    ("setup", "view", "said"),
    [
        (HeadsSetup(), HeadsView(hidden=Hidden.FIRST), "first token; the rest of each row is renormalised"),
        (HeadsSetup(), HeadsView(hidden=Hidden.PUNCTUATION), "punctuation; the rest of each row is renormalised"),
        (HeadsSetup(CROSS), HeadsView(hidden=Hidden.PUNCTUATION), None),
        (HeadsSetup(), HeadsView(hidden=Hidden.FIRST, stage=Stage.SCORES), None),
        (HeadsSetup(), HeadsView(), None),
    ],
)
def test_renormalised_rows_are_said_where_there_are_any(setup: HeadsSetup, view: HeadsView, said: str | None) -> None:
    frame, numbers = export(setup, view)
    assert document_of(numbers).get("hidden_keys") == said
    if said is None:
        assert frame.map.has_scores
        np.testing.assert_array_equal(next(iter(numbers.arrays.values())), frame.map.stage(view.stage))


def test_the_note_on_sums_is_true() -> None:
    for aggregate in Aggregate:
        for mask in (MaskChoice(), MaskChoice(MaskKind.STRICT)):
            _, numbers = export(HeadsSetup(STACKED, mask, aggregate=aggregate), HeadsView())
            sums = np.asarray(numbers.arrays["weights"]).sum(axis=1)
            true = bool(np.all((np.abs(sums - 1.0) < 1e-9) | (sums == 0.0)))
            assert str(numbers.parameters["note"]).startswith("every row of weights sums to 1") == true


def test_the_settings_are_those_that_made_it_counted_from_1() -> None:
    painted = MaskChoice(MaskKind.WINDOW, 2, frozenset({(3, 0), (0, 4)}), frozenset({(0, 3)}))
    setup = HeadsSetup(
        STACKED, painted, scaled=False, temperature=0.5, layer=1, head=2, switched_off=frozenset({(2, 0), (0, 1)})
    )
    said = document_of(export(setup, HeadsView())[1])["settings"]
    assert said["source"] == "toy, random weights"
    assert (said["seed"], said["d_model"], said["heads"], said["layers"]) == (42, 16, 4, 3)
    assert (said["mask"], said["mask_size"]) == ("window", 2)
    assert (said["hidden_by_hand"], said["shown_by_hand"]) == ([[1, 5], [4, 1]], [[1, 4]])
    assert (said["divided_by_sqrt_d_k"], said["lookup"], said["temperature"]) == (False, "soft", 0.5)
    assert (said["layer"], said["head"], said["shown"]) == (2, 3, "one head")
    assert said["heads_switched_off"] == [[1, 2], [3, 1]]
    assert setup_words(HeadsSetup(mask=CAUSAL))["mask_size"] is None
    assert setup_words(HeadsSetup(CROSS, hard=True)) | {
        "lookup": "hard",
        "source": "hand-made heads, not learned",
    } == setup_words(HeadsSetup(CROSS, hard=True))


def test_the_settings_are_of_what_is_shown_and_not_of_what_was_wished_for() -> None:
    said = document_of(export(HeadsSetup(layer=11, head=99), HeadsView())[1])["settings"]
    assert (said["layer"], said["head"]) == (1, 8)
    rolled = document_of(export(HeadsSetup(CROSS, aggregate=Aggregate.ROLLOUT), HeadsView())[1])
    assert rolled["settings"]["shown"] == "mean of heads"
    assert rolled["what"] == "mean of 3 heads"


def test_a_map_too_large_for_a_file_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers_files, "MOST_NUMBERS", 100)
    monkeypatch.setattr(numbers_files, "MOST_AS_TEXT", 100)
    frame = heads_frame(HeadsSetup())
    with pytest.raises(ExportError, match=r"121 numbers, more than the 100 .* Shorten the sentence"):
        npy_bytes(map_numbers(frame, HeadsView()))
    with pytest.raises(ExportError, match="968 numbers"):
        npy_bytes(wall_numbers(frame))
    with pytest.raises(ExportError, match="628 numbers"):  # with the tokens, the mask, and the weights as main array
        npz_bytes(stages_numbers(frame))
    for text in (csv_text, json_text):
        with pytest.raises(ExportError, match=r"(numbers|cells), more than the 100 .* Choose NP.*, shorten"):
            text(difference_numbers(frame, frame, HeadsView()))


# ---- The stages ----


@pytest.mark.parametrize(
    "setup",
    [
        HeadsSetup(head=2),
        HeadsSetup(mask=CAUSAL, temperature=0.5),
        HeadsSetup(CROSS, head=2, scaled=False),
        HeadsSetup(STACKED, layer=1, head=1, aggregate=Aggregate.MEAN),
    ],
)
def test_the_stages_are_exported_all_four(setup: HeadsSetup) -> None:
    frame = heads_frame(setup)
    numbers = stages_numbers(frame)
    archive, document = archive_of(numbers), document_of(numbers)
    header, *rows = table_of(numbers)
    assert header == ["stage", "query", *frame.keys]
    assert [row[0] for row in rows] == [stage for stage in document["numbers"] for _ in frame.queries]
    table = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(4, *frame.shape)
    assert document["numbers"] == ["scores", "scaled", "masked", "weights"]
    q, k = frame.head_map.q, frame.head_map.k
    scores = q @ k.T
    scaled = scores / np.sqrt(q.shape[1]) if setup.scaled else scores
    masked = scaled if frame.mask is None else np.where(frame.mask, scaled, -np.inf)
    powers = np.exp((masked - masked.max(axis=1, keepdims=True)) / setup.temperature)
    expected = (scores, scaled, masked, powers / powers.sum(axis=1, keepdims=True))
    for place, (stage, values) in enumerate(zip(document["numbers"], expected, strict=True)):
        np.testing.assert_allclose(archive[stage], values, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(table[place], archive[stage])
        assert document[stage] == with_holes(archive[stage])
    np.testing.assert_array_equal(np.load(io.BytesIO(npy_bytes(numbers))), archive["weights"])
    np.testing.assert_array_equal(archive["allowed"], frame.head_map.allowed())
    assert document["settings"]["shown"] == "one head", "an aggregate has no stages"
    assert document["what"] == f"stages of {head_name(frame, frame.layer, frame.head)}"


# ---- The wall ----


@pytest.mark.parametrize("setup", [HeadsSetup(STACKED, CAUSAL), HeadsSetup(CROSS), HeadsSetup(aggregate=Aggregate.MAX)])
def test_the_wall_has_every_head(setup: HeadsSetup) -> None:
    frame = heads_frame(setup)
    numbers = wall_numbers(frame)
    expected = np.array([map_.weights() for layer in frame.layers for map_ in layer.maps])
    archive = archive_of(numbers)
    np.testing.assert_array_equal(archive["weights"], expected)
    np.testing.assert_array_equal(np.array(document_of(numbers)["weights"]), expected)
    assert document_of(numbers)["heads"] == archive["heads"].tolist()
    header, *rows = table_of(numbers)
    assert header == ["head (from 1)", "query", *frame.keys]
    found = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(expected.shape)
    np.testing.assert_array_equal(found, expected)
    assert [row[0] for row in rows] == [name for name in archive["heads"].tolist() for _ in frame.queries]
    assert [row[1] for row in rows] == list(frame.queries) * len(expected)
    assert str(numbers.parameters["note"]).startswith("every row of weights sums to 1")


def test_the_wall_names_its_heads() -> None:
    names = archive_of(wall_numbers(heads_frame(HeadsSetup(STACKED))))["heads"].tolist()
    assert names[:5] == ["layer 1, head 1", "layer 1, head 2", "layer 1, head 3", "layer 1, head 4", "layer 2, head 1"]
    assert archive_of(wall_numbers(heads_frame(HeadsSetup(CROSS))))["heads"].tolist()[-1] == "translation"


# ---- A − B ----


def test_a_difference_is_exported_with_both_maps_and_both_setups() -> None:
    a, b = heads_frame(HeadsSetup()), heads_frame(HeadsSetup(mask=CAUSAL, temperature=2.0))
    numbers = difference_numbers(a, b, HeadsView())
    archive, document = archive_of(numbers), document_of(numbers)
    np.testing.assert_array_equal(archive["difference"], a.map.weights() - b.map.weights())
    np.testing.assert_array_equal(archive["a"], a.map.weights())
    np.testing.assert_array_equal(archive["b"], b.map.weights())
    assert document["difference"] == archive["difference"].tolist()
    assert document["b"] == b.map.weights().tolist()
    assert (document["settings"]["mask"], document["settings_b"]["mask"]) == ("none", "causal")
    assert (document["settings"]["temperature"], document["settings_b"]["temperature"]) == (1.0, 2.0)
    assert (document["title_a"], document["title_b"]) == ("T = 1", "causal, T = 2")
    header, *rows = table_of(numbers)
    assert header == ["map", "query", *a.keys]
    assert [row[0] for row in rows] == [name for name in ("A", "B", "A − B") for _ in a.queries]
    assert [row[1] for row in rows] == list(a.queries) * 3
    found = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(3, *a.shape)
    np.testing.assert_array_equal(found, [archive["a"], archive["b"], archive["difference"]])
    assert "keys_b" not in archive, "both have the same tokens"


def test_a_difference_of_two_sentences_has_the_tokens_of_both() -> None:
    a, b = (heads_frame(HeadsSetup(ToyRecipe(sentence=words))) for words in ("the cat sat", "dog the sat"))
    numbers = difference_numbers(a, b, HeadsView())
    archive = archive_of(numbers)
    together, in_a, in_b = ["dog", "the", "cat", "sat"], [1, 2, 3], [0, 1, 3]
    expected = np.full((3, 4, 4), np.nan)
    expected[0][np.ix_(in_a, in_a)] = a.map.weights()
    expected[1][np.ix_(in_b, in_b)] = b.map.weights()
    expected[2] = expected[0] - expected[1]
    for name, map_ in zip(("a", "b", "difference"), expected, strict=True):
        np.testing.assert_array_equal(archive[name], map_)
        assert document_of(numbers)[name] == with_holes(map_)
    assert archive["queries"].tolist() == archive["keys"].tolist() == together
    assert np.flatnonzero(archive["keys_in_a"]).tolist() == np.flatnonzero(archive["queries_in_a"]).tolist() == in_a
    assert np.flatnonzero(archive["keys_in_b"]).tolist() == np.flatnonzero(archive["queries_in_b"]).tolist() == in_b
    header, *rows = table_of(numbers)
    assert header == ["map", "query", *together]
    assert [row[:2] for row in rows] == [[name, token] for name in ("A", "B", "A − B") for token in together]
    found = [[float(cell) if cell else np.nan for cell in row[2:]] for row in rows]
    np.testing.assert_array_equal(np.reshape(found, (3, 4, 4)), expected)
    assert "empty cell in CSV" in numbers.parameters["no_counterpart"]


def test_a_difference_of_twins_is_place_by_place() -> None:
    a, b = (heads_frame(HeadsSetup(ToyRecipe(sentence=words))) for words in ("the cat sat", "the dog sat"))
    numbers = difference_numbers(a, b, HeadsView())
    archive = archive_of(numbers)
    np.testing.assert_array_equal(archive["difference"], a.map.weights() - b.map.weights())
    assert archive["keys"].tolist() == ["the", "cat", "sat"]
    assert archive["keys_b"].tolist() == ["the", "dog", "sat"]
    assert table_of(numbers)[0] == ["map", "query", "the", "cat | dog", "sat"]
    assert "no_counterpart" not in numbers.parameters


def test_no_score_is_subtracted_from_minus_infinity() -> None:
    a, b = heads_frame(HeadsSetup()), heads_frame(HeadsSetup(mask=CAUSAL, temperature=2.0))
    numbers = difference_numbers(a, b, HeadsView(stage=Stage.MASKED))
    difference = np.asarray(numbers.arrays["difference"])
    np.testing.assert_array_equal(np.isnan(difference), ~b.map.allowed())
    np.testing.assert_array_equal(difference[np.tril_indices(11)], np.zeros(66))
    assert document_of(numbers)["difference"][0][1] is None


def test_a_difference_with_several_heads_in_one_is_of_weights() -> None:
    one, mean = heads_frame(HeadsSetup()), heads_frame(HeadsSetup(aggregate=Aggregate.MEAN))
    for a, b in ((one, mean), (mean, one)):
        numbers = difference_numbers(a, b, HeadsView(stage=Stage.SCALED))
        assert numbers.parameters["numbers"] == "weights"
        np.testing.assert_array_equal(numbers.arrays["difference"], a.map.weights() - b.map.weights())


def test_a_difference_of_renormalised_rows_says_so() -> None:
    frame = heads_frame(HeadsSetup())
    view = HeadsView(hidden=Hidden.FIRST)
    numbers = difference_numbers(frame, frame, view)
    np.testing.assert_array_equal(numbers.arrays["a"], map_picture(frame, view).values)
    assert str(numbers.parameters["hidden_keys"]).startswith("first token")
    assert not np.asarray(numbers.arrays["difference"]).any()


def test_tokens_that_are_spelt_in_two_ways_are_exported_in_both() -> None:
    a, b = (heads_frame(HeadsSetup(BoxRecipe(name))) for name in ("minilm-tired", "smollm2-tired"))
    numbers = difference_numbers(a, b, HeadsView())
    archive, header = archive_of(numbers), table_of(numbers)[0]
    pieces = dict(zip(archive["keys"].tolist(), archive["keys_b"].tolist(), strict=True))
    assert pieces["cat"] == "Ġcat"
    assert pieces["[CLS]"] == "[CLS]", "only A has it"
    assert {"cat | Ġcat", "[CLS]", "The"} <= set(header)
    assert archive["keys"].tolist().index("[CLS]") == archive["keys_in_a"].tolist().index(True)


def test_without_a_common_token_both_maps_are_exported() -> None:
    a, b = heads_frame(HeadsSetup()), heads_frame(HeadsSetup(CROSS))
    archive = archive_of(difference_numbers(a, b, HeadsView()))
    assert np.isnan(archive["difference"]).all()
    assert archive["difference"].shape == (11 + 7, 11), "all of B's keys are keys of A"
    for name, frame in (("a", a), ("b", b)):
        own = np.ix_(archive[f"queries_in_{name}"], archive[f"keys_in_{name}"])
        np.testing.assert_array_equal(archive[name][own], frame.map.weights())
