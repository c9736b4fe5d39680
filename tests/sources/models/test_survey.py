"""Heads over many lines, against a loop that runs each line anew; and going on where it stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from families_of_fixtures import opened
from oracles import MODELS

from attention_explorer.cli import main
from attention_explorer.errors import ExplorerError

LINES = ("The cat sat on the mat.", "", "it was soft", "It was the cat, the cat.", "on", "The dog sat.") * 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "lines.txt"
    file.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(("name", "kind"), [("llama", "self"), ("bert", "self"), ("t5", "encoder")])
def test_mean_and_spread_are_those_of_the_lines(path: Path, name: str, kind: str) -> None:
    model, found = opened(name), opened(name).survey(path, kind=kind)
    numbers: dict[str, list[np.ndarray]] = {measure: [] for measure in found.mean.labels["measure"]}
    for line in filter(None, LINES):
        trace = model(line)
        weights = np.stack(list(trace.weights if kind == "self" else trace.encoder_weights or ())).astype(np.float64)
        n = weights.shape[-1]
        i, j = np.indices((n, n))
        ids = np.array(trace.context_ids)
        same = (ids[:, None] == ids) & (j < i)
        for measure, place in (
            ("previous", j == i - 1),
            ("next", j == i + 1),
            ("self_", i == j),
            ("earlier", same),
            ("sink", (j == 0) & (i > 0)),
        ):
            if place.any():
                numbers[measure].append((weights * place).sum((-1, -2)) / place.any(1).sum())
        logs = np.log2(np.where(weights > 0, weights, 1.0))
        numbers["entropy"].append(-(weights * logs).sum(-1).mean(-1))
        numbers["distance"].append((weights * abs(i - j)).sum(-1).mean(-1))
    for at, of_lines in enumerate(numbers.values()):
        np.testing.assert_allclose(found.mean[at], np.mean(of_lines, axis=0), atol=1e-4)
        np.testing.assert_allclose(found.spread[at], np.std(of_lines, axis=0), atol=2e-3)
    assert (found.lines, found.skipped) == (24, 4)


def test_it_goes_on_where_it_stopped(path: Path, tmp_path: Path) -> None:
    model, save = opened("llama"), tmp_path / "sums.npz"
    model.survey(path, 16, save=save)
    whole, again = model.survey(path), model.survey(path, save=save)
    np.testing.assert_allclose(again.mean, whole.mean, atol=1e-6)
    np.testing.assert_allclose(again.spread, whole.spread, atol=1e-4)
    assert (again.lines, again.skipped) == (24, 4)
    whole_file = save.read_bytes()
    for spoil in (
        lambda: path.write_text("another"),
        lambda: save.write_text("no archive"),
        lambda: save.write_bytes(whole_file[:200]),
    ):
        spoil()
        with pytest.raises(ExplorerError, match=r"of another text or model|no survey to go on with"):
            model.survey(path, save=save)


def test_what_cannot_be_surveyed_gets_a_sentence(path: Path, tmp_path: Path) -> None:
    model, blank, other = opened("llama"), tmp_path / "blank.txt", tmp_path / "latin.txt"
    blank.write_text("\n\n")
    other.write_bytes(b"caf\xe9\n")
    for file, options, reason in (
        (blank, {}, "no line that the model can read"),
        (other, {}, "no text in UTF-8"),
        (tmp_path / "nowhere.txt", {}, "cannot be read"),
        (path, {"most": 0}, "most"),
        (path, {"kind": "encoder"}, "kind is"),
    ):
        with pytest.raises(ExplorerError, match=reason):
            model.survey(file, **options)


def test_a_line_that_is_too_long_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("short\n" + "word " * 500 + "\n")
    assert opened("gpt2").survey(file).skipped == 1


def test_from_the_command_line(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.npz"
    assert main(["survey", str(MODELS / "llama"), str(path), "--most", "5", "--out", str(out)]) == 0
    assert "lines: 5" in capsys.readouterr().out
    with np.load(out) as stored:
        np.testing.assert_allclose(stored["mean"], opened("llama").survey(path, 5).mean, atol=1e-6)
