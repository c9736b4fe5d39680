"""What a person waits for on the Heads page: from a keystroke, a mouse move or a click until everything is painted.

A dozen tokens are compared with an empty repaint of the page, in which every widget is asked to paint itself and
nothing has changed. 512 tokens are compared with the arithmetic that no program can do without: queries and keys of
twelve heads, their products, and the softmax of those.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from attention_explorer.kit import tween
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, Picture
from attention_explorer.sources.recipe import ToyRecipe
from benchmarks.bare import update_all
from benchmarks.heads_long import measure_long
from benchmarks.heads_memory import measure_memory
from benchmarks.heads_stage import Chooser, HeadsStage, Pointer, Typist, sentence_of
from benchmarks.heads_wall import measure_wall
from benchmarks.report import Row
from benchmarks.stage import paint, settle
from benchmarks.timing import Contender, Samples, in_turns

SMALL = ToyRecipe(sentence_of(12), d_model=64, heads=8)
LARGE = ToyRecipe(sentence_of(512), d_model=768, heads=12)
ROUNDS, ROUNDS_OF_LARGE = 150, 40
AIM_OF_SMALL, AIM_OF_LARGE, AIM_OF_POINTING = 4.0, 2.0, 3.0


def measure() -> list[Row]:
    """Measure typing, pointing and choosing, the wall, the memory, and long texts."""
    return [*_small(), *_large(), *measure_wall(), measure_memory(), *measure_long()]


def _small() -> list[Row]:
    with TemporaryDirectory() as folder:
        stage = HeadsStage(Path(folder) / "settings.ini", SMALL)
        rows = [
            _over_repaint("type a letter, 12 tokens × 8 heads", stage, Typist(stage), AIM_OF_SMALL),
            _over_repaint("point at a cell, 12 × 8", stage, Pointer(stage), AIM_OF_POINTING),
            _over_repaint("choose a head, 12 × 8", stage, Chooser(stage)),
            _on_the_way(stage),
        ]
        stage.close()
        return [*rows, _quilt_on_the_way(Path(folder) / "settings.ini")]


def _on_the_way(stage: HeadsStage) -> Row:
    """Measure a frame of the way from one head to another: it must leave room for the hand within 16 ms."""
    chooser, usual = Chooser(stage), tween.MILLISECONDS
    stage.page.set_moves(True)
    tween.MILLISECONDS = 600_000  # for all the rounds
    chooser.aim()
    chooser.act()

    def change() -> None:
        stage.canvas.forget_pixels()
        stage.canvas.update()

    ours, floor = in_turns(
        Contender(paint, prepare=change),
        Contender(paint, prepare=partial(update_all, stage.page)),
        rounds=ROUNDS,
        warm_up=5,
    )
    tween.MILLISECONDS = usual
    stage.page.set_moves(False)
    return Row("a frame on the way to another head, 12 × 8", ours, "an empty repaint", floor)


def _quilt_on_the_way(settings: Path) -> Row:
    """Measure a frame of all heads on their way while one types: 144 of them, of as many cells as are seen to go."""
    stage = HeadsStage(settings, ToyRecipe(sentence_of(20), d_model=96, heads=12, layers=12))
    wall, usual, state = stage.heads.wall, tween.MILLISECONDS, stage.session.state
    stage.heads.set_moves(True)
    tween.MILLISECONDS = 600_000
    heads = state.heads.with_view(picture=Picture.ALL)
    for sentence in (sentence_of(20), sentence_of(20).upper()):
        stage.session.apply(replace(state, heads=heads.with_recipe(sentence=sentence)), "Change the sentence")
        stage.wait()
        settle()
    if not wall.travel.tween.is_under_way:
        raise RuntimeError("The heads are not on their way, so there is nothing to measure.")

    def frame() -> None:
        wall.travel.tween.moved.emit()
        paint()
        stage.wall_counter.must_have_painted()

    frames = in_turns(Contender(frame), rounds=ROUNDS, warm_up=5)[0]
    tween.MILLISECONDS = usual
    stage.close()
    return Row("a frame of 144 heads on their way, 20 tokens", frames, "a frame of 60 a second", Samples((0.016,)), 1.0)


def _over_repaint(
    what: str, stage: HeadsStage, change: Typist | Pointer | Chooser, aim: float | None = None, rounds: int = ROUNDS
) -> Row:
    ours, floor = in_turns(
        Contender(change.act, prepare=change.aim),
        Contender(paint, prepare=partial(update_all, stage.page)),
        rounds=rounds,
        warm_up=5,
    )
    return Row(what, ours, "an empty repaint", floor, aim)


def _large() -> list[Row]:
    with TemporaryDirectory() as folder:
        stage = HeadsStage(Path(folder) / "settings.ini", LARGE)
        typist = Typist(stage)
        typed, products = in_turns(
            Contender(typist.act, prepare=typist.aim),
            Contender(bare_arithmetic(LARGE)),
            rounds=ROUNDS_OF_LARGE,
            warm_up=3,
        )
        rows = [
            Row("type a letter, 512 tokens × 12 heads", typed, "bare products and softmax", products, AIM_OF_LARGE),
            _over_repaint("point at a cell, 512 × 12", stage, Pointer(stage), AIM_OF_POINTING, rounds=ROUNDS_OF_LARGE),
            _over_repaint("choose a head, 512 × 12", stage, Chooser(stage), rounds=ROUNDS_OF_LARGE),
        ]
        stage.close()
    return rows


def bare_arithmetic(recipe: ToyRecipe) -> Callable[[], None]:
    """Return what computes all weights of a layer in plain NumPy, head by head in one array, and keeps nothing.

    One array for all heads stays in the processor's cache: of several ways to write it, this is the fastest.
    """
    layer = heads_frame(HeadsSetup(recipe)).layers[0]
    if layer.attention is None:
        raise RuntimeError("The recipe has no projections, so there is nothing to compare with.")
    x, w_q, w_k = layer.x, layer.attention.w_q, layer.attention.w_k
    heads, d_k = recipe.heads, recipe.head_width
    scores = np.empty((len(x), len(x)))

    def run() -> None:
        q, k = x @ w_q, x @ w_k  # (n, heads · d_k)
        q *= 1.0 / math.sqrt(d_k)
        for head in range(heads):
            own = slice(head * d_k, (head + 1) * d_k)
            np.matmul(q[:, own], k[:, own].T, out=scores)  # (n, n)
            np.subtract(scores, scores.max(axis=1, keepdims=True), out=scores)
            np.exp(scores, out=scores)
            np.divide(scores, scores.sum(axis=1, keepdims=True), out=scores)

    return run
