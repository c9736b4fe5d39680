"""A map of 2048 × 2048 that is on show, written from the window as NPY and CSV, and copied.

NumPy and Python's csv module are given the finished weights as an array. Ours computes them from queries and keys,
writes beside the file and renames, and waits for the disk.
"""

from __future__ import annotations

import csv
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.kit.export.writing import write_awake
from attention_explorer.model.arrays import Floats
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.sources.recipe import ToyRecipe
from benchmarks.heads_stage import HeadsStage, sentence_of
from benchmarks.report import Row
from benchmarks.timing import Contender, Samples, in_turns

TOKENS = 2048
RECIPE = ToyRecipe(sentence_of(TOKENS), d_model=768, heads=12)
ROUNDS = {".npy": 7, ".csv": 3}
MEGABYTE = 1e6
MOST_MEMORY = 150.0
AIM_OF_CSV = 1.5


def measure_numbers() -> list[Row]:
    """Measure each kind of file, and the memory that writing an array takes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        stage = HeadsStage(folder / "settings.ini", RECIPE)
        array = heads_frame(stage.session.state.heads.setup).map.weights()
        rows = [
            _compared("NPY", stage, folder, lambda: np.save(folder / "bare.npy", array), "np.save of the array", None),
            _memory(stage, folder),
            _compared("CSV", stage, folder, lambda: _bare_csv(folder, array), "csv.writer of the array", AIM_OF_CSV),
        ]
        stage.close()
    return rows


def _compared(
    kind: str, stage: HeadsStage, folder: Path, bare: Callable[[], object], bare_name: str, aim: float | None
) -> Row:
    suffix = f".{kind.lower()}"
    ours, theirs = in_turns(
        Contender(lambda: _write(stage, folder, suffix)), Contender(bare), rounds=ROUNDS[suffix], warm_up=1
    )
    return Row(f"{TOKENS} × {TOKENS} to {kind}, map on show", ours, bare_name, theirs, aim)


def _write(stage: HeadsStage, folder: Path, suffix: str) -> None:
    if not write_awake(stage.page, stage.page.figure(), folder / f"ours{suffix}", FigureOptions(suffix)):
        raise RuntimeError("The export was cancelled.")


def _bare_csv(folder: Path, array: Floats) -> None:
    with (folder / "bare.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(array.tolist())


def _memory(stage: HeadsStage, folder: Path) -> Row:
    tracemalloc.start()
    _write(stage, folder, ".npy")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    what = f"memory to write {TOKENS} × {TOKENS} to NPY"
    return Row(what, Samples((peak / MEGABYTE,)), "what it may take", Samples((MOST_MEMORY,)), 1.0, "MB")
