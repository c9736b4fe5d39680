"""Watches that the GUI thread answers at once, and names what keeps it: where in our code, and how often it was seen.

A thread of its own asks the GUI thread for an answer, again and again, and until it comes looks where that thread is.
The answer waits behind whatever is being handled, as a mouse click would: what is measured is what a hand feels.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QObject, Qt, Signal, Slot

from attention_explorer.session import garbage, threads

LIMIT_SECONDS = 0.05
"""What takes longer is felt as a hitch."""
LOOK_SECONDS = 0.002
"""From one look at the GUI thread to the next."""
ASK_SECONDS = 0.01
"""From an answer to the next question."""
MOST_NAMED = 4
"""Culprits that are named."""

OUR_FOLDER = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of our code that the GUI thread was in."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}"


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the GUI thread did not answer.

    ``seconds`` have passed, and ``cpu_seconds`` of them the GUI thread worked: on a busy machine, or where it waits for
    a file, these are fewer. ``culprits`` are the deepest lines of our code that it was in and how often each was seen,
    the most frequent first; ``way`` leads from the event loop to all of them.
    """

    during: str
    seconds: float
    cpu_seconds: float
    looks: int
    culprits: tuple[tuple[Place, int], ...]
    way: tuple[Place, ...]

    @property
    def culprit(self) -> str:
        """Who it was, in one line."""
        if not self.culprits:
            return "Qt itself: none of our code was on the way"
        return ", ".join(f"{place} ({seen} of {self.looks})" for place, seen in self.culprits)

    def __str__(self) -> str:
        took = f"{1000 * self.seconds:.0f} ms ({1000 * self.cpu_seconds:.0f} ms of work)"
        way = " > ".join(place.function for place in self.way)
        return f"{took} {self.during}: {self.culprit}" + (f"; by way of {way}" if way else "")


class Watchdog(QObject):
    """Finds stalls of the thread it is made on, from `start` to `stop`.

    ``folder`` is where the code lies that may be the culprit. Meanwhile the garbage is collected on that thread only,
    as `garbage` asks for: otherwise the one that looks would do so.

    Signals
    -------
    stalled : Stall
        The thread answers again, after more than ``limit`` seconds.
    """

    stalled = Signal(object)
    _asked = Signal()

    def __init__(
        self, parent: QObject | None = None, *, limit: float = LIMIT_SECONDS, folder: Path = OUR_FOLDER
    ) -> None:
        super().__init__(parent)
        self.limit = limit
        self.during = ""
        """What is being done, for those who read about a stall."""
        self.stalls: list[Stall] = []
        self._folder = f"{folder}/"
        self._watched = threading.get_ident()
        self._seen: list[tuple[Place, ...]] = []
        self._asked_at = 0.0
        self._is_answered = True
        self._cpu = 0.0
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._asked.connect(self._answer, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Begin to watch."""
        if self._thread is None:
            self._end.clear()
            self._is_answered, self._cpu = True, time.thread_time()
            self._thread = threads.start(self._watch, "attention-explorer-watchdog")

    def stop(self) -> None:
        """Watch no longer; what is going on right now is not reported any more."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._end.set()
            thread.join()
            threads.let_go(thread)

    # ---- On the thread that looks ----

    def _watch(self) -> None:
        while not self._end.wait(ASK_SECONDS if self._is_answered else LOOK_SECONDS):
            if not self._is_answered:
                self._look()
                continue
            self._asked_at, self._is_answered = time.perf_counter(), False
            self._asked.emit()

    def _look(self) -> None:
        frame = sys._current_frames().get(self._watched)  # noqa: SLF001 - Python's only way to look at another thread
        way: list[Place] = []
        while frame is not None:
            place = self._place(frame)
            if place is not None:
                way.append(place)
            frame = frame.f_back
        self._seen.append(tuple(reversed(way)))

    def _place(self, frame: FrameType) -> Place | None:
        file = frame.f_code.co_filename
        if not file.startswith(self._folder):
            return None
        return Place(file.removeprefix(self._folder), frame.f_lineno, frame.f_code.co_name)

    # ---- On the thread that is watched ----

    @Slot()
    def _answer(self) -> None:
        if self._thread is None:
            return
        seen, self._seen = self._seen, []
        now, cpu = time.perf_counter(), time.thread_time()
        # Counted from the last answer: as long as Qt holds the interpreter, the other thread cannot even ask.
        busy = cpu - self._cpu
        waited = max(now - self._asked_at, busy)
        garbage.collect_if_due()
        self._cpu = time.thread_time()
        if waited > self.limit:
            self._report(waited, busy, seen)
        self._is_answered = True

    def _report(self, waited: float, busy: float, seen: list[tuple[Place, ...]]) -> None:
        deepest = Counter(way[-1] for way in seen if way).most_common(MOST_NAMED)
        stall = Stall(self.during, waited, busy, len(seen), tuple(deepest), _shared([way for way in seen if way]))
        self.stalls.append(stall)
        self.stalled.emit(stall)


def _shared(ways: list[tuple[Place, ...]]) -> tuple[Place, ...]:
    """Return how far all ways are the same, whichever line of a function they go through."""
    shared: list[Place] = []
    for places in zip(*ways, strict=False):
        if len({(place.file, place.function) for place in places}) > 1:
            break
        shared.append(places[0])
    return tuple(shared)
