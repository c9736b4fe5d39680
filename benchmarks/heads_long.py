"""A long text in several layers on the Heads page: a new mask, and the memory after it is gone.

No mask comes twice, because numbers of one met before may be kept. Its time is compared with the arithmetic of the
layers up to the one on show that no program can do without, in plain NumPy: projections, products, exponentials and,
below the one on show, what they mix. The memory is `RssAnon` of Linux before the long text and some seconds after a
short one is back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import numpy as np
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.session.requests import TIDY_AFTER_MILLISECONDS
from attention_explorer.sources.recipe import ToyRecipe
from benchmarks.heads_stage import HeadsStage, sentence_of
from benchmarks.report import Row
from benchmarks.stage import paint
from benchmarks.timing import Contender, Samples, in_turns

SHORT = ToyRecipe(sentence_of(12), d_model=64, heads=8)
LONG = ToyRecipe(sentence_of(2048), d_model=768, heads=12, layers=4)
ROUNDS = 3
AIM, AIM_OF_THE_FIRST_SIGN, SECONDS_OF_THE_FIRST_SIGN = 1.3, 1.0, 0.2
AIM_OF_MEMORY, MEMORY_TO_SPARE = 1.0, 100.0
MEBIBYTE = 2.0**20


def measure_long() -> list[Row]:
    """Measure a new mask with the first and the last layer on show, and the memory before and after."""
    with TemporaryDirectory() as folder:
        stage = HeadsStage(Path(folder) / "settings.ini", SHORT)
        before = _anonymous_memory()
        rows = [row for layer in (0, LONG.layers - 1) for row in _new_mask(stage, layer)]
        _show(stage, recipe=SHORT, layer=0, mask=MaskChoice())
        sleep(TIDY_AFTER_MILLISECONDS / 1000)
        for _ in range(20):  # the timer runs out, and what it begins on another thread comes to its end
            paint()
            sleep(0.1)
        more = Samples((max(_anonymous_memory() - before, 0.1),))
        stage.close()
    spare = Samples((MEMORY_TO_SPARE,))
    what = "memory kept after 2048 tokens × 4 layers × 12 heads"
    return [*rows, Row(what, more, "what is allowed", spare, AIM_OF_MEMORY, "MiB")]


def _new_mask(stage: HeadsStage, layer: int) -> list[Row]:
    _show(stage, recipe=LONG, layer=layer, mask=MaskChoice())
    signs: list[float] = []
    pictures: list[float] = []
    step = 0

    def change() -> None:
        nonlocal step
        sign, picture = _time_of(stage, MaskChoice(MaskKind.CAUSAL_WINDOW, 1000 + 10 * layer + step))
        signs.append(sign)
        pictures.append(picture)
        step += 1

    _, bare = in_turns(Contender(change), Contender(_bare(layer)), rounds=ROUNDS, warm_up=1)
    name = f"new mask, 2048 tokens × 12 heads, layer {layer + 1} of {LONG.layers}"
    within = Samples((SECONDS_OF_THE_FIRST_SIGN,))
    return [
        Row(f"{name}: first sign", Samples(tuple(signs[1:])), "what is felt as at once", within, AIM_OF_THE_FIRST_SIGN),
        Row(f"{name}: picture", Samples(tuple(pictures[1:])), "bare layers up to it", bare, AIM),
    ]


def _time_of(stage: HeadsStage, mask: MaskChoice) -> tuple[float, float]:
    """Return the seconds until something is said or shown of a new mask, and until its picture is on show."""
    times: dict[str, float] = {}
    start = perf_counter()

    def seen(what: str) -> None:
        times.setdefault(what, perf_counter() - start)

    def delivered(_request: object, part: object) -> None:
        if not isinstance(part, HeadsFrame):
            seen("picture")

    progressed: Callable[[float], None] = lambda _share: seen("progress")  # noqa: E731
    stage.heads.requests.delivered.connect(delivered)
    stage.heads.requests.progressed.connect(progressed)
    _apply(stage, mask=mask)
    while "picture" not in times:
        QApplication.processEvents()
        sleep(0.001)
    stage.heads.requests.delivered.disconnect(delivered)
    stage.heads.requests.progressed.disconnect(progressed)
    stage.wait()
    return min(times.values()), times["picture"]


def _show(stage: HeadsStage, **changes: object) -> None:
    _apply(stage, **changes)
    stage.wait()


def _apply(stage: HeadsStage, **changes: object) -> None:
    state = stage.session.state
    stage.session.apply(replace(state, heads=state.heads.with_setup(**changes)), "Measure")


def _bare(layer: int) -> Callable[[], None]:
    """Return what runs the layers below one, and of that one all weights, in plain NumPy, and keeps nothing."""
    frame = heads_frame(HeadsSetup(LONG))
    attentions = [each.attention for each in frame.layers[: layer + 1] if each.attention is not None]
    embeddings, heads, width = frame.layers[0].x, LONG.heads, LONG.head_width
    scores = np.empty((len(embeddings), len(embeddings)))

    def weights(q: np.ndarray, k: np.ndarray) -> None:
        np.matmul(q, k.T, out=scores)
        np.subtract(scores, scores.max(axis=1, keepdims=True), out=scores)
        np.exp(scores, out=scores)
        np.divide(scores, scores.sum(axis=1, keepdims=True), out=scores)

    def run() -> None:
        x = embeddings
        for number, attention in enumerate(attentions):
            q, k = x @ attention.w_q / math.sqrt(width), x @ attention.w_k
            v = None if number == layer else x @ attention.w_v
            found = np.empty_like(x)
            for own in (slice(head * width, (head + 1) * width) for head in range(heads)):
                weights(q[:, own], k[:, own])
                if v is not None:
                    np.matmul(scores, v[:, own], out=found[:, own])
            x = x + found @ attention.w_o
            x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)

    return run


def _anonymous_memory() -> float:
    """Return the MiB that the process has for itself: of Linux; elsewhere nothing is known, and nothing grows."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) * 1024 / MEBIBYTE for line in lines if line.startswith("RssAnon"))
