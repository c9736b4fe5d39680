"""What the README promises, and the files for people that it leads to."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from attention_explorer import cli

ROOT = Path(__file__).parents[1]
README, PYTHON, FIGURES = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "resources/python.md", "benchmarks/README.md")
)


def test_the_python_example_runs_and_its_rows_sum_to_one():
    examples = re.findall(r"```python\n(.*?)```", PYTHON, re.DOTALL)
    (example,) = (code for code in examples if "scaled_dot_product_attention" in code)
    names: dict[str, object] = {}
    exec(example, names)  # noqa: S102  # our own README
    np.testing.assert_allclose(names["attention"].weights.sum(axis=-1), np.ones(4), rtol=0, atol=1e-15)


def test_the_training_example_runs():
    (example,) = (code for code in re.findall(r"```python\n(.*?)```", PYTHON, re.DOTALL) if "train(" in code)
    names: dict[str, object] = {}
    exec(f"import attention_explorer\n{example}\nanswers = {example.splitlines()[-1]}", names)  # noqa: S102  # our own
    assert names["run"].accuracy[-1] == 1.0
    assert names["second"].shape == (1, 10, 10)
    assert names["answers"] == ("mat",)


@pytest.mark.usefixtures("qapp")
def test_the_drawing_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = (code for code in re.findall(r"```python\n(.*?)```", PYTHON, re.DOTALL) if "HeadsState" in code)
    exec(example, {})  # noqa: S102  # our own README
    assert (tmp_path / "heads.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "all-heads.pdf").read_bytes().startswith(b"%PDF")


def test_the_command_lines_are_understood():
    lines = re.findall(r"^attention-explorer(.*?)(?:  #.*)?$", PYTHON, re.MULTILINE)
    commands = [cli.parser().parse_args(line.split()).command for line in lines]
    assert commands == [
        "presets",
        "fields",
        None,
        "run",
        "run",
        "run",
        "render",
        "render",
        "render",
        "render",
        "train",
        "train",
        "gallery",
    ]


def test_the_picture_and_the_files_it_names_are_there():
    for text, folder in ((README, ROOT), (PYTHON, ROOT / "resources"), (FIGURES, ROOT / "benchmarks")):
        for target in re.findall(r"\]\(([^)h][^)]*)\)", text):
            assert (folder / target).is_file(), target


def test_the_commands_it_names_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z-]+)", README + PYTHON + FIGURES)) <= targets


def test_a_person_reads_it_in_one_go():
    assert len(README.splitlines()) <= 110
