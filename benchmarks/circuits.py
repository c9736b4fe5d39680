"""Circuits: what is asked of all heads, over so many bare runs of the model; the reverse pass, and memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer

from attention_explorer.app import make_application
from attention_explorer.pages.circuits.state import CircuitsState, CircuitsView
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import Settings, SettingsStore
from attention_explorer.session.watchdog import LIMIT_SECONDS, Watchdog
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import Model, load_model
from attention_explorer.window.window import MainWindow
from benchmarks.models import MEBIBYTE
from benchmarks.random_models import write_smollm2
from benchmarks.report import Row
from benchmarks.responsiveness import QUIET_SECONDS, rest
from benchmarks.timing import Contender, Samples, in_turns

TOKENS, ROUNDS, WARM_UP = 16, 3, 1
KNOCK_OUT_AIM, PATCH_AIM, DETECT_AIM, REVERSE_AIM, MEMORY_AIM = 0.6, 0.6, 1.3, 2.5, 200.0
FIND_AIM, PATIENCE_MILLISECONDS = 40.0, 240_000
"""Seconds of two processors, for 20 of a person; and how long it is waited for."""
SURVEYED, SURVEY_AIM = 16, 1.3
"""Lines, of as many words."""
WORDS = 5000, 6000


def measure() -> list[Row]:
    """Measure on a model of the size of SmolLM2, with random weights."""
    with TemporaryDirectory() as folder:
        path = write_smollm2(Path(folder))
        model = load_model(path)
        draw = np.random.default_rng(0)
        ids = draw.integers(1000, 40_000, TOKENS).tolist()
        model(ids)  # reads the weights
        return [*_effects(model, ids), *_passes(model, ids), _memory(model, ids), *_window(path)]


def _effects(model: Model, ids: list[int]) -> list[Row]:
    """All knock-outs, and a map of all positions, over as many runs."""
    twin, stack = [*ids[:3], ids[3] + 1, *ids[4:]], model.transformer.main
    heads, places = len(stack.layers) * stack.spec.heads, len(stack.layers) * len(ids)
    return [
        _row(f"knock out all {heads} heads", lambda: model.knock_out(ids, WORDS), model, ids, heads, KNOCK_OUT_AIM),
        _row(f"put in {places} residuals", lambda: model.patch(ids, twin, WORDS), model, ids, places, PATCH_AIM),
    ]


def _passes(model: Model, ids: list[int]) -> list[Row]:
    """Detectors over their runs, and gradients over one."""
    trace, four = model(ids), [np.arange(1000, 1080).tolist()] * 4
    detect, bare = in_turns(
        Contender(model.detect), Contender(lambda: [model(each) for each in four]), rounds=ROUNDS, warm_up=WARM_UP
    )
    gradients, run = in_turns(
        Contender(lambda: trace.gradients(WORDS)), Contender(lambda: model(ids)), rounds=ROUNDS * 3, warm_up=WARM_UP
    )
    return [
        _survey(model),
        Row("circuits: score all heads, 4 × 80 tokens", detect, "their runs", bare, DETECT_AIM),
        Row("circuits: pull gradients back", gradients, "a run", run, REVERSE_AIM),
    ]


def _survey(model: Model) -> Row:
    """Return a survey over lines of a text, over as many bare runs."""
    lines = [" ".join(f"w{at * 7 + word}" for word in range(SURVEYED)) for at in range(SURVEYED)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text("\n".join(lines), encoding="utf-8")
        texts = [model.tokenize(line) for line in lines]
        asked, bare = in_turns(
            Contender(lambda: model.survey(path)),
            Contender(lambda: [model.lazily(text).run.whole() for text in texts]),
            rounds=ROUNDS,
            warm_up=WARM_UP,
        )
    return Row(f"circuits: survey {SURVEYED} lines", asked, "their runs", bare, SURVEY_AIM)


def _row(what: str, ours: Callable[[], object], model: Model, ids: list[int], runs: int, aim: float) -> Row:
    """Return a question over so many runs; one is measured, and counted as often."""
    asked, one = in_turns(Contender(ours), Contender(lambda: model(ids)), rounds=ROUNDS, warm_up=WARM_UP)
    theirs = Samples(tuple(value * runs for value in one.values))
    return Row(f"circuits: {what}, {len(ids)} tokens", asked, f"{runs} runs", theirs, aim)


def _window(path: Path) -> list[Row]:
    """Return how long finding the circuit takes in the window, and how long that works at a time meanwhile."""
    make_application()
    circuits = CircuitsState(model_recipe(path, "w1 w2 w3"), view=CircuitsView.FOUND)
    store = SettingsStore(path.with_name("settings.ini"))
    window = MainWindow(Session(ExplorerState(circuits=circuits)), store, replace(Settings(), page="lab"))
    window.resize(1280, 800)
    window.show()
    watchdog, found = Watchdog(window), QEventLoop()
    rest(QUIET_SECONDS)
    watchdog.start()
    begun = time.process_time()
    window.show_page("circuits")
    window.page.requests.delivered.connect(
        lambda _request, part: found.quit() if getattr(part.picture, "is_complete", False) else None
    )
    QTimer.singleShot(PATIENCE_MILLISECONDS, found, found.quit)
    found.exec()
    taken = Samples((time.process_time() - begun,))
    watchdog.stop()
    window.page.stop()
    window.deleteLater()
    longest = Samples((max((stall.cpu_seconds for stall in watchdog.stalls), default=0.0),))
    return [
        Row("circuits: find the circuit, CPU time", taken, "1 s", Samples((1.0,)), FIND_AIM),
        Row("circuits: work of the window at a time", longest, "a hitch", Samples((LIMIT_SECONDS,)), 1.0),
    ]


def _memory(model: Model, ids: list[int]) -> Row:
    """Return the memory that all knock-outs take beside the model, in MiB, over one MiB."""
    tracemalloc.start()
    model.knock_out(ids, WORDS)
    peak = tracemalloc.get_traced_memory()[1] / MEBIBYTE
    tracemalloc.stop()
    one = Samples((1.0,))
    return Row("circuits: memory of all knock-outs", Samples((peak,)), "1 MiB", one, MEMORY_AIM, unit="MiB")
