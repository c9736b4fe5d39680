"""Attention of files: how soon it is there, and what it takes, over what a user would pick instead and over the floor.

144 maps are compared with a grid of Matplotlib's ``imshow`` of the same numbers; 12 × 12 heads of 256 tokens with what
BertViz was measured to take on a machine like this, 16 s; long maps with reading the file once, or with the bare
products and exponentials of their queries and keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PySide6.QtWidgets import QApplication

import attention_explorer
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.ui.map_canvas import HeadsCanvas
from attention_explorer.pages.heads.ui.page import HeadsPage
from benchmarks.report import Row
from benchmarks.stage import Stage, settle
from benchmarks.timing import Contender, Samples, in_turns

LONG, WIDTH = 32_768, 64
SECONDS_OF_BERTVIZ = 16.0
ROUNDS, LONG_ROUNDS = 7, 3
CHUNK, ROWS = 2**24, 512
MEBIBYTE = 2.0**20

Floats = npt.NDArray[np.floating]


def measure() -> list[Row]:
    """Measure short and long files; the long one takes 2 GiB of disk for a moment."""
    with TemporaryDirectory() as folder:
        return [*_short(Path(folder)), *_long(Path(folder))]


def weights_of(*shape: int) -> Floats:
    """Return random weights, float32."""
    exponentials = np.exp(2 * np.random.default_rng(0).standard_normal(shape, dtype=np.float32))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


class Window:
    """The window, in which one file after the other is opened."""

    def __init__(self, folder: Path) -> None:
        self._stage = Stage(folder / "settings.ini", ExplorerState(), "heads", HeadsCanvas)
        page = self._stage.page
        if not isinstance(page, HeadsPage):
            raise TypeError("The window did not open the Heads page.")
        self._page = page

    def begin(self) -> None:
        """Show what the program begins with."""
        self._stage.session.apply(ExplorerState(), "Begin anew")
        self._page.settle()
        settle()

    def open(self, path: Path, *, whole: bool = True) -> tuple[float, float]:
        """Open a file; return the seconds until it is in the state, and until the picture, or all heads, are there."""
        before, start, opened = self._stage.session.state, perf_counter(), 0.0
        self._stage.window.files.open(path)
        while not opened or self._page.requests.shown is None or not self._is_there(whole):
            QApplication.processEvents()
            if not opened and self._stage.session.state is not before:
                opened = perf_counter() - start
            sleep(0.0005)
        return opened, perf_counter() - start

    def _is_there(self, whole: bool) -> bool:
        requests = self._page.requests
        is_new = requests.shown == requests.wanted
        return is_new and (not whole or requests.is_whole)

    def close(self) -> None:
        """Take the window away."""
        self._page.settle()
        self._stage.close()


def _short(folder: Path) -> Iterator[Row]:
    window, weights = Window(folder), weights_of(12, 12, 64, 64)
    paths = []
    for number in range(ROUNDS + 2):
        paths.append(folder / f"short-{number}.npz")  # each is new to the program
        np.savez(paths[-1], attention=weights)
    files = iter(paths)
    ours, theirs = in_turns(
        Contender(lambda: window.open(next(files)), prepare=window.begin),
        Contender(lambda: _drawn(weights)),
        rounds=ROUNDS,
        warm_up=1,
    )
    yield Row("144 maps of 64 × 64 from a file, opened and shown", ours, "Matplotlib, imshow grid", theirs, 0.1)
    many, took = weights_of(12, 12, 256, 256), []
    for number in range(LONG_ROUNDS):
        np.savez(folder / f"many-{number}.npz", attention=many)
        window.begin()
        took.append(window.open(folder / f"many-{number}.npz")[1])
    theirs = Samples((SECONDS_OF_BERTVIZ,))
    yield Row("12 × 12 heads of 256 tokens, opened and shown", Samples(tuple(took)), "BertViz", theirs, 0.01)
    window.close()
    view, numbers = attention_explorer.show(weights[0, 0]), weights[0, 0].tolist()
    ours, theirs = in_turns(
        Contender(view._repr_mimebundle_),
        Contender(lambda: json.dumps(numbers)),
        rounds=ROUNDS,
        warm_up=1,
    )
    yield Row("show one map of 64 × 64 to SVG", ours, "json.dumps of its numbers", theirs)


def _drawn(weights: Floats) -> None:
    figure = Figure(figsize=(12, 12))
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots(*weights.shape[:2])
    for each, map_ in zip(axes.flat, weights.reshape(-1, *weights.shape[-2:]), strict=True):
        each.imshow(map_)
        each.axis("off")
    canvas.draw()


def _long(folder: Path) -> Iterator[Row]:
    path, name = folder / "long.npy", f"{LONG} tokens"
    rows = weights_of(ROWS, LONG).astype(np.float16)
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=(LONG, LONG))
    for start in range(0, LONG, ROWS):
        table[start : start + ROWS] = rows
    del table
    yield from _rows_of(folder, path, f"{name} from 2 GiB of float16", "reading it once", lambda: _read(path))
    path.unlink()
    q, k = np.random.default_rng(1).standard_normal((2, LONG, WIDTH), dtype=np.float32)
    np.savez(folder / "vectors.npz", q=q, k=k)
    bare = "bare products and exponentials"
    yield from _rows_of(folder, folder / "vectors.npz", f"{name} from q and k", bare, lambda: _bare(q, k))


def _rows_of(folder: Path, path: Path, what: str, floor: str, run: Callable[[], None]) -> Iterator[Row]:
    window, before = Window(folder), _anonymous()
    opened, first, floors, held = [], [], [], []
    for _ in range(LONG_ROUNDS):
        start = perf_counter()
        run()
        floors.append(perf_counter() - start)
        window.begin()
        times = window.open(path, whole=False)
        opened.append(times[0])
        first.append(times[1])
        held.append(_anonymous() - before)
    window.close()
    yield Row(f"{what}: opened", Samples(tuple(opened)), "a second", Samples((1.0,)), 1.0)
    yield Row(f"{what}: first picture", Samples(tuple(first)), floor, Samples(tuple(floors)), 2.0)
    most = Samples((max(held),))
    yield Row(f"{what}: memory", most, "what is allowed", Samples((300.0,)), 1.0, unit="MiB")


def _read(path: Path) -> None:
    chunk = bytearray(CHUNK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(chunk):
            pass


def _bare(q: Floats, k: Floats) -> None:
    scores = np.empty((ROWS, LONG), np.float32)
    for start in range(0, LONG, ROWS):
        np.matmul(q[start : start + ROWS] * np.float32(WIDTH**-0.5), k.T, out=scores)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores.sum(axis=1)


def _anonymous() -> float:
    """Return the memory of this process that is no file, in MiB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")) / 1024
