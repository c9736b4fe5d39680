"""How much memory it takes to show 2048 tokens and twelve heads, over what all their weights would fill.

Counted is what Python and NumPy allocate at the most at any one time, from the state that is new until everything is
painted, with embeddings, projections, queries, keys and all. Qt's images are not counted; there is one for each
thumbnail and one for the large picture, none larger than its pixels.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from attention_explorer.sources.recipe import ToyRecipe
from benchmarks.heads_stage import HeadsStage, sentence_of
from benchmarks.report import Row
from benchmarks.timing import Samples

TOKENS, HEADS, D_MODEL = 2048, 12, 768
ROUNDS = 3
MEBIBYTE = 2.0**20
BYTES_OF_A_FLOAT = 8


def measure_memory() -> Row:
    """Show as many sentences as there are rounds, each drawn anew."""
    with TemporaryDirectory() as folder:
        stage = HeadsStage(Path(folder) / "settings.ini", ToyRecipe(sentence_of(12), d_model=64, heads=8))
        peaks = tuple(_peak(stage, seed) for seed in range(ROUNDS))
        stage.close()
    table = HEADS * TOKENS**2 * BYTES_OF_A_FLOAT / MEBIBYTE
    what = f"memory to show {TOKENS} tokens × {HEADS} heads"
    return Row(what, Samples(peaks), "a table of all weights", Samples((table,)), unit="MiB")


def _peak(stage: HeadsStage, seed: int) -> float:
    recipe = ToyRecipe(sentence_of(TOKENS), d_model=D_MODEL, heads=HEADS, seed=seed)
    state = stage.session.state
    tracemalloc.start()
    stage.session.apply(replace(state, heads=state.heads.with_setup(recipe=recipe)), "Load")
    stage.wait()
    stage.must_have_painted()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / MEBIBYTE
