"""Exported numbers, read back by the standard readers."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import pytest
from written_numbers import csv_text, json_text

from attention_explorer import __version__
from attention_explorer.pages.lookup.export import CSV_COLUMNS, lookup_numbers
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import QUERY, LookupState, LookupView, Overlay, ValueKind

DEFAULT = LookupState()
ZERO_QUERY = DEFAULT.moved(QUERY, (0.0, 0.0))
STATES = [
    pytest.param(
        replace(ready.state, values=kind, hard=hard, scaled=scaled, temperature=temperature).with_overlay(
            Overlay.TARGET, target
        ),
        id=f"{ready.id}-{kind}-{'hard' if hard else 'soft'}",
    )
    for ready in PRESETS
    for kind in ValueKind
    for hard, scaled, temperature, target in ((False, True, 0.3, True), (True, False, 1.0, False))
]
EACH = pytest.mark.parametrize("state", [*STATES, pytest.param(ZERO_QUERY, id="zero query")])


def read_table(state: LookupState) -> dict[str, dict[str, str]]:
    text = csv_text(lookup_numbers(state))
    assert "\r" not in text
    assert text.endswith("\n")
    reader = csv.DictReader(io.StringIO(text), strict=True)
    rows = list(reader)
    assert tuple(reader.fieldnames or ()) == CSV_COLUMNS
    assert all(None not in row and None not in row.values() for row in rows), "as many cells as columns"
    names = [row["name"] for row in rows]
    keys = [f"k{i + 1}" for i in range(len(state.entries))]
    assert names == ["q", *keys, *(["t"] if state.shows(Overlay.TARGET) else []), "o"]
    return {row["name"]: row for row in rows}


def cells(row: dict[str, str], *columns: str) -> list[float | None]:
    return [float(row[column]) if row[column] else None for column in columns]


def padded(row: Any) -> list[float | None]:
    return [*row, *[None] * (2 - len(row))]


@EACH
def test_csv_is_the_frame_bit_for_bit(state: LookupState) -> None:
    table, frame = read_table(state), lookup_frame(state)
    assert cells(table["q"], "x", "y", "length") == [*state.query, frame.query_length]
    for i, key in enumerate(state.keys):
        row = table[f"k{i + 1}"]
        assert cells(row, "x", "y", "length") == [*key, float(frame.key_lengths[i])]
        assert cells(row, "score", "weight") == [float(frame.attention.scores[i]), float(frame.weights[i])]
        cosine = None if math.isnan(frame.cosines[i]) else float(frame.cosines[i])
        assert cells(row, "cosine") == [cosine]
        assert cells(row, "value_x", "value_y") == padded(state.value_rows[i])
        assert cells(row, "contribution_x", "contribution_y") == padded(frame.contributions[i].tolist())
    assert cells(table["o"], "x", "y") == padded(frame.output.tolist())
    assert cells(table["o"], "weight") == [float(frame.weights.sum())]
    if state.shows(Overlay.TARGET):
        assert cells(table["t"], "x", "y") == padded(state.target_row)


def test_a_zero_query_leaves_the_cosines_empty() -> None:
    table = read_table(ZERO_QUERY)
    assert [table[name]["cosine"] for name in ("k1", "k2")] == ["", ""]
    assert json.loads(json_text(lookup_numbers(ZERO_QUERY)))["cosines"] == [None, None]
    assert "" not in [read_table(DEFAULT)[name]["cosine"] for name in ("k1", "k2")]


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def read_document(state: LookupState) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json_text(lookup_numbers(state)), parse_constant=refuse)
    return document


@EACH
def test_json_is_the_frame_bit_for_bit(state: LookupState) -> None:
    document, frame = read_document(state), lookup_frame(state)
    assert document["program"] == f"Attention Explorer {__version__}"
    assert document["what"] == "lookup"
    assert document["query"] == list(state.query)
    assert document["keys"] == [list(key) for key in state.keys]
    assert document["values"] == [list(row) for row in state.value_rows]
    for name, array in (
        ("scores", frame.attention.scores),
        ("scaled", frame.attention.scaled),
        ("weights", frame.weights),
        ("contributions", frame.contributions),
        ("output", frame.output),
        ("d_output_d_query", frame.gradient.output),
        ("d_weights_d_query", frame.gradient.weights),
    ):
        assert document[name] == array.tolist(), name
    assert document["cosines"] == [None if math.isnan(c) else c for c in frame.cosines.tolist()]
    assert document["entropy_nats"] == frame.entropy
    assert document["tied_keys"] == ([i + 1 for i in frame.winners] if len(frame.winners) > 1 else [])
    assert document["settings"]["lookup"] == ("hard" if state.hard else "soft")
    assert document["settings"]["temperature"] == state.temperature
    assert document["settings"]["divided_by_sqrt_d_k"] is state.scaled
    expected = {ValueKind.KEYS: "the keys", ValueKind.VECTORS: "vectors", ValueKind.NUMBERS: "numbers"}
    assert document["settings"]["values"] == expected[state.values]


@EACH
def test_the_target_is_exported_only_where_it_is_shown(state: LookupState) -> None:
    plane = replace(state, view=LookupView.PLANE)
    shown, hidden = plane.with_overlay(Overlay.TARGET, True), plane.with_overlay(Overlay.TARGET, False)
    assert "t" in read_table(shown)
    assert "t" not in read_table(hidden)
    document, frame = read_document(shown), lookup_frame(shown)
    assert document["target"] == list(state.target_row)
    assert document["loss"] == frame.loss
    assert document["d_loss_d_query"] == frame.loss_gradient.tolist()
    assert not {"target", "loss", "d_loss_d_query"} & set(read_document(hidden))
    assert read_document(replace(hidden, view=LookupView.GRADIENT)) == document, "it belongs to that view"
    assert read_table(replace(hidden, view=LookupView.GRADIENT)) == read_table(shown)


def test_json_is_for_people_too() -> None:
    text = json_text(lookup_numbers(DEFAULT))
    assert text.endswith("}\n")
    assert text.count("\n") > 20
