"""What is needed later is loaded while the window waits, and nothing is made of it yet."""

from __future__ import annotations

import subprocess
import sys

import pytest

from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Cancelled
from attention_explorer.window.load_ahead import load, modules_ahead

PROGRAM = """
import sys, threading
from attention_explorer.app import make_application
from attention_explorer.window.load_ahead import LoadAhead
from PySide6.QtCore import QObject
from PySide6.QtTest import QTest

application = make_application()
ahead = LoadAhead(QObject(application))
ahead.start()
assert "attention_explorer.pages.heads.ui.page" not in sys.modules, "not while the first picture is awaited"
QTest.qWait(500)
assert ahead.jobs.wait(60)
print(*sys.modules)
"""


def test_all_pages_are_loaded_after_a_while() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert {*modules_ahead(), "pyqtgraph"} <= set(run.stdout.split())


def test_every_page_is_among_them() -> None:
    names = modules_ahead()
    assert {f"{entry.package}.page" for entry in PAGES} <= set(names)
    assert {"attention_explorer.kit.export.dialog", "attention_explorer.kit.items.plot_drawing"} <= set(names)


def test_between_two_it_can_be_stopped() -> None:
    asked: list[float] = []

    def report(share: float) -> None:
        asked.append(share)
        if len(asked) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        load(report, lambda _result: None)
    assert asked == [0.0, 1 / len(modules_ahead())]


FIRST_START = """
import sys, threading
from attention_explorer.app import make_application
from attention_explorer.window.load_ahead import LoadAhead
from attention_explorer.tools.lessons import reading
from PySide6.QtCore import QObject
from PySide6.QtTest import QTest

read, found = [], []
parse = reading.lesson_from
reading.lesson_from = lambda *given: (read.append(threading.current_thread()), parse(*given))[1]
application = make_application()
ahead = LoadAhead(QObject(application))
ahead.lessons_ready.connect(lambda: found.append(True))
ahead.start(lessons_first=True)
while not found:
    QTest.qWait(50)
import attention_explorer.tools.lessons.reading as shelf
count = len(read)
assert len(shelf.lessons()) == count, "they are all read"
assert len(read) == count, "and not again"
assert threading.main_thread() not in read, "and not on the thread of the window"
assert ahead.jobs.wait(60)
names = list(sys.modules)
assert names.index("attention_explorer.tools.lessons.ui.player") < names.index("attention_explorer.pages.lab.ui.page")
"""


def test_at_the_first_start_the_lessons_are_read_first_and_on_the_worker() -> None:
    run = subprocess.run([sys.executable, "-c", FIRST_START], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
