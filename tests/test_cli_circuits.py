"""What is asked of a model from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sentence_models import MODELS

from attention_explorer.cli import main
from attention_explorer.sources.models import load_model

TEXT, TWIN = "The cat sat on", "The dog sat on"


def test_heads_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detect", str(MODELS / "llama"), "--seed", "2", "--out", str(tmp_path / "found.npz")]) == 0
    assert "induction: layer (3) × head (4)" in capsys.readouterr().out
    with np.load(tmp_path / "found.npz") as stored:
        np.testing.assert_array_equal(stored["induction"], load_model(MODELS / "llama").detect(seed=2).induction)


def test_each_command_prints_what_python_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word is the one with a space before it: "the" alone is two tokens here."""
    model, path, word, other = load_model(MODELS / "llama"), str(MODELS / "llama"), "the", "cat"
    pair = ["--word", word, "--against", other]
    trace = model(TEXT)
    expected = {
        ("knock-out", path, TEXT, *pair, "--by", "mean"): [model.knock_out(TEXT, (word, other), by="mean")],
        ("knock-out", path, TEXT): [model.knock_out(TEXT, "loss")],
        ("lens", path, TEXT, "--word", word): [trace.lens(), trace.lens().probability(word), trace.lens().rank(word)],
        ("attribute", path, TEXT, *pair): [trace.contributions(word, other), trace.words(word, other)],
        ("patch", path, TEXT, TWIN, *pair, "--where", "network"): [model.patch(TEXT, TWIN, (word, other), "network")],
    }
    for command, results in expected.items():
        assert main([*command, "--out", str(tmp_path / "out.csv")]) == 0
        assert capsys.readouterr().out.strip() == "\n\n".join(map(str, results)).strip()
        assert (tmp_path / "out.csv").read_text().startswith(("layer,", "result,"))


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["patch", "MODEL", TEXT, TWIN], 2, "Name the answer"),
        (["attribute", "MODEL", TEXT], 2, "Name the answer"),
        (["detect", "MODEL", "--out", "found.txt"], 2, "ends in .csv or .npz"),
        (["detect", "nowhere"], 1, "nowhere"),
        (["lens", "MODEL", TEXT, "--position", "99"], 1, "no position 99"),
        (["knock-out", "MODEL", TEXT, "--word", "the cat sat on"], 1, "only one can be asked"),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence(
    arguments: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(MODELS / "llama") if each == "MODEL" else each for each in arguments]) == code
    assert reason in capsys.readouterr().err
