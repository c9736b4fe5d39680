"""Trained models: a run over its bare matrix products and over PyTorch's, opening, typing, and the memory of a run.

The models have the sizes of MiniLM and SmolLM2, random weights, and tokenisers of a few hundred words; the trained ones
are measured too where the packages that carry them are installed. The products are those of the projections, of queries
with keys, of weights with values and of the network, in every layer, on arrays of their sizes.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtTest import QTest

from attention_explorer.model.arrays import Floats
from attention_explorer.model.one_core import thread_switch
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, Picture
from attention_explorer.pages.heads.survey import HeadSurvey
from attention_explorer.pages.heads.ui.pictures import HeadNumbers
from attention_explorer.session import memory
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import Model, load_model
from attention_explorer.sources.models.found import find_models
from attention_explorer.sources.models.tokeniser import library
from attention_explorer.sources.registry import source_of
from benchmarks.heads_stage import HeadsStage
from benchmarks.random_models import write_minilm, write_smollm2
from benchmarks.report import Row
from benchmarks.stage import settle
from benchmarks.timing import Contender, Samples, in_turns

ROUNDS, WARM_UP = 20, 3
LENGTHS = (16, 64, 256, 512)
PRODUCTS_AIM, SHORT_TORCH_AIM, TYPING_AIM, MEMORY_AIM = 2.2, 1.0, 1.5, 0.3
TEN_WORDS = "the cat sat on the mat because it was tired"
MEBIBYTE = 2.0**20
AT_ONCE = Samples((0.1,))


class Case(NamedTuple):
    """A model, and what is asked of it."""

    name: str
    path: Path
    torch_aim: float
    """Over PyTorch, from 64 tokens on."""
    opening_aim: float
    """Seconds until the first map."""
    wall_aim: float
    """Over a run, from a keystroke until all heads are painted."""


_OF_MINILM, _OF_SMOLLM2 = (1.45, 0.3, 1.3), (1.3, 1.5, 1.5)


def measure() -> list[Row]:
    """Measure all models there are, one after the other."""
    library()  # its first import is not counted
    with TemporaryDirectory() as folder:
        place = Path(folder)
        cases = [
            Case("MiniLM-sized", write_minilm(place), *_OF_MINILM),
            Case("SmolLM2-sized", write_smollm2(place), *_OF_SMOLLM2),
            *_trained(),
        ]
        with _all_cores():
            return [row for case in cases for row in _rows(case, place)]


@contextmanager
def _all_cores() -> Iterator[None]:
    """Have matrix products use all cores, as PyTorch's and those of the program do; other suites measure on one."""
    threads = thread_switch()
    if threads is None:
        raise RuntimeError("Only with OpenBLAS can the number of threads be set.")
    read, write = threads
    before = read()
    write(os.cpu_count() or 1)
    try:
        yield
    finally:
        write(before)


def _trained() -> Iterator[Case]:
    for found in find_models():
        if found.place == "Python package":
            yield Case(found.name, found.path, *(_OF_MINILM if found.family == "bert" else _OF_SMOLLM2))


def _rows(case: Case, folder: Path) -> Iterator[Row]:
    model = load_model(case.path)
    for tokens in LENGTHS:
        yield from _run_rows(case, model, tokens)
    yield _memory_row(case, model)
    del model
    yield _opening_row(case)
    for layer in (0, -1):
        yield _typing_row(case, folder, layer)
    yield from _wall_rows(case, folder)


# ---- A run ----


def ids_of(tokens: int) -> list[int]:
    """Return ids that every model has."""
    return [3 + place % 200 for place in range(tokens)]


def _run_rows(case: Case, model: Model, tokens: int) -> Iterator[Row]:
    ids = ids_of(tokens)
    contenders, said, aims = [_warm(products(model, tokens))], ["its matrix products"], [PRODUCTS_AIM]
    if case.path.is_dir() and all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        contenders.append(_warm(torch_run(case.path, model, ids)))
        said.append("PyTorch, eager")
        aims.append(SHORT_TORCH_AIM if tokens <= min(LENGTHS) else case.torch_aim)
    ours, *theirs = in_turns(_warm(lambda: model(ids)), *contenders, rounds=ROUNDS, warm_up=WARM_UP)
    for compared_with, taken, aim in zip(said, theirs, aims, strict=True):
        yield Row(f"{case.name}: all attention of {tokens} tokens", ours, compared_with, taken, aim)


def _warm(act: Callable[[], object]) -> Contender:
    """Return what is measured when it has just run: for a while the threads of the one before wait by spinning."""

    def prepare() -> None:
        sleep(0.1)
        act()

    return Contender(act, prepare=prepare)


def products(model: Model, tokens: int) -> Callable[[], object]:
    """Return a call that does nothing but the matrix products of a run, on arrays of their sizes."""
    layers, random = tuple(model.transformer.main.layers), np.random.default_rng(0)

    def drawn(*shape: int) -> Floats:
        return random.standard_normal(shape, dtype=np.float32)

    spec = model.transformer.main.spec
    x, joined = drawn(tokens, spec.width), drawn(tokens, spec.heads * spec.head_width)
    q = drawn(spec.kv_heads, spec.heads // spec.kv_heads * tokens, spec.head_width)
    k, hidden = drawn(spec.kv_heads, tokens, spec.head_width), drawn(tokens, spec.inner)

    def run() -> None:
        for layer in layers:
            _ = x @ layer.attention.project.weight
            _ = (q @ k.swapaxes(1, 2)) @ k
            _ = joined @ layer.attention.output.weight
            _ = x @ layer.network.up.weight
            _ = hidden @ layer.network.down.weight

    return run


def torch_run(path: Path, model: Model, ids: list[int]) -> Callable[[], object]:
    """Return a call of the same model in PyTorch with all its attention, on as many threads as there are processors.

    Raises
    ------
    RuntimeError
        If its attention is not ours: then the two would not be comparable.
    """
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(os.cpu_count() or 1)
    transformers: Any = importlib.import_module("transformers")
    theirs = transformers.AutoModel.from_pretrained(
        path, attn_implementation="eager", dtype=torch.float32, local_files_only=True
    ).eval()
    given = torch.tensor([ids])

    def run() -> Any:  # noqa: ANN401 - of a package that is not typed
        with torch.inference_mode():
            return theirs(given, output_attentions=True)

    away = float(np.abs(run().attentions[-1][0].numpy() - model(ids).weights[-1]).max())
    if away > 1e-3:
        raise RuntimeError(f"PyTorch's attention is {away:.3g} off ours: the two are not the same computation")
    return run


def _memory_row(case: Case, model: Model) -> Row:
    """Return what a run allocates at the most beside the weights it keeps, over those."""
    ids, beyond, kept = ids_of(max(LENGTHS)), list[float](), 0.0
    for _ in range(3):
        tracemalloc.start()
        trace = model(ids)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        kept = sum(weights.nbytes for weights in trace.weights) / MEBIBYTE
        beyond.append(peak / MEBIBYTE - kept)
    what = f"{case.name}: memory beyond the attention of {len(ids)} tokens"
    return Row(what, Samples(tuple(beyond)), "that attention", Samples((kept,)), MEMORY_AIM, unit="MiB")


# ---- In the program ----


def _opening_row(case: Case) -> Row:
    """Return how long it takes from a path to the first map, with nothing of the model in memory."""
    seconds = []
    for _ in range(ROUNDS):
        memory.empty()
        source_of.cache_clear()
        gc.collect()
        start = perf_counter()
        heads_frame(HeadsSetup(model_recipe(case.path, TEN_WORDS))).map.weights()
        seconds.append(perf_counter() - start)
    aim = Samples((case.opening_aim,))
    return Row(f"{case.name}: opened, until the first map", Samples(tuple(seconds)), "what was aimed at", aim, 1.0)


class ModelTypist:
    """Types over a letter of a sentence, until what is waited for is painted of the new one.

    Each row of the table has a letter of its own: of a sentence that was typed before all layers may be kept.
    """

    def __init__(self, stage: HeadsStage, letter: int, is_waited_for: Callable[[object], bool]) -> None:
        sentence = stage.heads.subject.sentence
        sentence.edit()
        self._stage, self._letter, self._letters = stage, letter, count()
        self._field, self._is_waited_for = sentence.field, is_waited_for
        is_all = stage.heads.view.id is Picture.ALL
        self._counter = stage.wall_counter if is_all else stage.counter
        self._until = QEventLoop()  # which sleeps: asking again and again would take the time of the worker
        self._after_painting = QTimer(self._until, singleShot=True, interval=0)
        self._after_painting.timeout.connect(self._end_when_painted)
        self._painted = 0
        stage.heads.requests.delivered.connect(self._on_delivered)

    def _on_delivered(self, request: object, part: object) -> None:
        if request == self._stage.heads.requests.wanted and self._is_waited_for(part):
            self._painted = self._counter.paints
            self._after_painting.start()

    def _end_when_painted(self) -> None:
        if self._counter.paints > self._painted:
            self._until.quit()
        else:
            self._after_painting.start()  # what was laid out anew is painted an event later

    def aim(self) -> None:
        """Let all that was computed before come to its end, and select the letter."""
        self._stage.wait()
        settle()
        self._field.setFocus()
        self._field.setSelection(self._letter, 1)

    def act(self) -> None:
        """Press a key, and return when the picture answers it."""
        requests, before = self._stage.heads.requests, self._stage.session.state
        QTest.keyClicks(self._field, ascii_lowercase[next(self._letters) % 26])
        if not requests.is_pending:
            raise RuntimeError("The model was not run on the worker.")
        self._until.exec()
        if self._stage.session.state == before:
            raise RuntimeError("The keystroke did not arrive in the state.")


def _typing_row(case: Case, folder: Path, layer: int) -> Row:
    """Return the time from a keystroke to the map of a layer, over a run of the model on such a sentence."""
    which = "first" if layer == 0 else "last"
    typed, run = _typed(case, folder, layer, Picture.HEATMAP, lambda part: isinstance(part, HeadNumbers))
    return Row(f"{case.name}: a keystroke until the map of the {which} layer", typed, "a run", run, TYPING_AIM)


def _wall_rows(case: Case, folder: Path) -> Iterator[Row]:
    """Yield the time from a keystroke to all heads, over a run, and that to the first of them."""
    count = sum(source_of(model_recipe(case.path, TEN_WORDS)).heads)
    typed, run = _typed(case, folder, 0, Picture.ALL, lambda part: isinstance(part, tuple) and _are_all(part, count))
    yield Row(f"{case.name}: a keystroke until all heads", typed, "a run", run, case.wall_aim)
    first, _ = _typed(case, folder, 0, Picture.ALL, lambda part: isinstance(part, tuple), letter=3)
    yield Row(f"{case.name}: a keystroke until the first heads", first, "what is felt as at once", AT_ONCE, 1.0)


def _are_all(heads: tuple[HeadSurvey, ...], count: int) -> bool:
    return len(heads) == count and all(head.is_computed for head in heads)


def _typed(
    case: Case, folder: Path, layer: int, view: Picture, is_end: Callable[[object], bool], letter: int | None = None
) -> tuple[Samples, ...]:
    """Return the times from a keystroke until what is waited for is painted, and those of runs of such sentences."""
    recipe = model_recipe(case.path, TEN_WORDS)
    model = load_model(case.path)
    stage = HeadsStage(folder / "settings.ini", recipe, range(len(model.transformer.main.layers))[layer], view)
    typist = ModelTypist(stage, abs(layer) if letter is None else letter, is_end)
    samples = in_turns(
        Contender(typist.act, prepare=typist.aim),
        Contender(lambda: model(stage.heads.subject.sentence.field.text()), prepare=stage.wait),
        rounds=ROUNDS,
        warm_up=WARM_UP,
    )
    stage.close()
    return samples
