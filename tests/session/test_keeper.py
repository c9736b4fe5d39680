"""What is not saved survives: a crash, closing the window, and a second window beside it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.session_file import read_session, session_bytes, write_session
from attention_explorer.pages.ui.session import Session
from attention_explorer.window import keeper as keeper_module
from attention_explorer.window.keeper import Keeper
from attention_explorer.window.open_session import OpenSession

FIRST = ExplorerState()
HARD = ExplorerState(lookup=LookupState(hard=True))
WARM = ExplorerState(lookup=LookupState(temperature=5.0))


class Program:
    """One start of the program: session, file and keeper, without a window."""

    def __init__(self, folder: Path) -> None:
        self.session = Session()
        self.opened = OpenSession(self.session, self.session)
        self.keeper = Keeper(folder, self.session, self.opened, lambda: "heads", milliseconds=20)

    def apply(self, state: ExplorerState) -> None:
        self.session.apply(state, "change")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sessions"


@pytest.fixture
def start(qapp, folder: Path):
    return lambda: Program(folder)


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("open-*.attn.json"))


def test_nothing_is_written_while_nothing_is_changed(start, folder: Path, qtbot) -> None:
    program = start()
    qtbot.wait(60)
    program.keeper.keep()
    assert not folder.exists()


def test_a_change_is_kept_after_a_while_by_itself(start, folder: Path, qtbot) -> None:
    program = start()
    program.apply(HARD)
    assert kept(folder) == []
    qtbot.waitUntil(lambda: len(kept(folder)) == 1)
    found = read_session(kept(folder)[0])
    assert (found.state, found.page, found.file) == (HARD, "heads", "")
    program.apply(WARM)
    qtbot.waitUntil(lambda: read_session(kept(folder)[0]).state == WARM)
    assert len(kept(folder)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_what_is_kept_nobody_else_reads(start, folder: Path) -> None:
    program = start()
    assert program.keeper.go_on() is None
    program.apply(HARD)
    program.keeper.keep()
    assert program.keeper.keep_for_next_start()
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("*.attn.json")} == {0o600}
    assert len(list(folder.glob("*.attn.json"))) == 2
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_drag_without_end_is_kept_on_the_way(start, folder: Path, qtbot) -> None:
    program = start()
    steps, deadline = count(), time.monotonic() + 20
    while not kept(folder) and time.monotonic() < deadline:
        program.session.preview(ExplorerState(lookup=LookupState(query=(next(steps) / 10, 1.0))), "drag")
        qtbot.wait(5)
    assert len(kept(folder)) == 1
    assert program.session.is_previewing


class HeldUp:
    """Stands in for `session_bytes`, and lets the worker go on only when it is told to."""

    def __init__(self) -> None:
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        self.threads: list[threading.Thread] = []

    def __call__(self, *arguments, **options) -> bytes:
        self.threads.append(threading.current_thread())
        if threading.current_thread() is not threading.main_thread():
            self.begun.set()
            assert self.may_go_on.wait(20)
        return session_bytes(*arguments, **options)


@pytest.fixture
def held_up(monkeypatch) -> Iterator[HeldUp]:
    held = HeldUp()
    monkeypatch.setattr(keeper_module, "session_bytes", held)
    yield held
    held.may_go_on.set()


def test_it_is_kept_on_the_worker(start, folder: Path, held_up: HeldUp, qtbot) -> None:
    program = start()
    program.apply(HARD)
    qtbot.waitUntil(held_up.begun.is_set)
    assert kept(folder) == []
    program.apply(WARM)  # the window goes on meanwhile
    held_up.may_go_on.set()
    qtbot.waitUntil(lambda: bool(kept(folder)) and read_session(kept(folder)[0]).state == WARM)
    assert threading.main_thread() not in held_up.threads
    program.keeper.jobs.wait(20)
    before = len(held_up.threads)
    qtbot.wait(60)
    assert len(held_up.threads) == before, "what is kept is not written again"


WAYS = {
    "undo": lambda program: program.session.undo(),
    "begin": lambda program: program.opened.begin(),
    "end": lambda program: program.keeper.end(goes_on=False),
}
"""What makes something to keep no such thing any more."""


@pytest.mark.parametrize("way", WAYS)
def test_what_is_over_while_it_is_written_does_not_come_back(
    start, folder: Path, held_up: HeldUp, qtbot, way: str
) -> None:
    program = start()
    program.apply(HARD)
    qtbot.waitUntil(held_up.begun.is_set)
    WAYS[way](program)
    held_up.may_go_on.set()
    assert program.keeper.jobs.wait(20)
    assert os.listdir(folder) == []


def test_an_older_state_is_not_written_over_a_newer_one(start, folder: Path, held_up: HeldUp, qtbot) -> None:
    program = start()
    program.apply(HARD)
    qtbot.waitUntil(held_up.begun.is_set)
    program.apply(WARM)
    program.keeper.keep()
    assert read_session(kept(folder)[0]).state == WARM
    held_up.may_go_on.set()
    assert program.keeper.jobs.wait(20)
    assert read_session(kept(folder)[0]).state == WARM


def test_late_news_of_an_older_copy_does_not_pass_for_the_newest(start, folder: Path, held_up: HeldUp, qtbot) -> None:
    program = start()
    program.apply(HARD)
    qtbot.waitUntil(held_up.begun.is_set)
    held_up.may_go_on.set()
    for _ in range(2000):  # until it is written, of which the window has not heard: it handles no events here
        if kept(folder):
            break
        time.sleep(0.01)
    program.apply(WARM)
    program.keeper.keep()
    assert program.keeper.jobs.wait(20)
    program.session.undo()
    program.keeper.keep()
    assert read_session(kept(folder)[0]).state == HARD, "back at a state that was kept before another one"


def test_what_was_kept_is_not_written_again(start, folder: Path) -> None:
    program = start()
    program.apply(HARD)
    program.keeper.keep()
    (path,) = kept(folder)
    path.write_text("mark")
    program.keeper.keep()
    assert path.read_text() == "mark"


@pytest.mark.parametrize("way", ["save", *WAYS])
def test_what_is_saved_or_over_is_kept_no_longer(start, folder: Path, tmp_path: Path, way: str) -> None:
    program = start()
    program.apply(HARD)
    program.keeper.keep()
    assert len(kept(folder)) == 1
    if way == "save":
        program.opened.save(tmp_path / "a.attn.json", "")
    else:
        WAYS[way](program)
    assert os.listdir(folder) == []


def test_a_folder_that_cannot_be_made_disturbs_nobody(qapp, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    program = Program(tmp_path / "file" / "sessions")
    said: list[str] = []
    program.keeper.failed.connect(said.append)
    assert program.keeper.left_over() is None
    assert program.keeper.go_on() is None
    program.apply(HARD)
    program.keeper.keep()
    program.keeper.keep()
    assert len(said) == 1, "once, however often it is tried"
    assert "save the session yourself" in said[0]
    assert not program.keeper.keep_for_next_start(), "so that the window asks"
    program.keeper.end(goes_on=True)
    assert program.session.state == HARD


# ---- After a crash ----

CRASH = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
application = QCoreApplication(["attention-explorer"])
from attention_explorer.window.keeper import Keeper
from attention_explorer.window.open_session import OpenSession
from attention_explorer.pages.ui.session import Session
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState

folder, file, goes_on = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
session = Session()
opened = OpenSession(session, session)
keeper = Keeper(folder, session, opened, lambda: "lookup")
if goes_on:
    keeper.go_on()
if file:
    opened.open(Path(file))
session.apply(ExplorerState(lookup=LookupState(hard=True)), "hard")
keeper.keep()
os._exit(1)
"""


def crash(folder: Path, file: Path | None = None, *, goes_on: bool = False) -> None:
    """Have another process change something and die."""
    arguments = [str(folder), str(file or ""), "yes" if goes_on else ""]
    done = subprocess.run([sys.executable, "-c", CRASH, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_crash_leaves_what_was_unsaved(start, folder: Path) -> None:
    crash(folder)
    program = start()
    left = program.keeper.left_over()
    assert left is not None
    assert (left.kept.state, left.kept.page, left.kept.file) == (HARD, "lookup", "")
    assert start().keeper.left_over() is None, "no other window offers it as well"
    program.keeper.take(left)
    assert program.session.state == HARD
    assert program.opened.is_changed
    assert not program.session.can_undo
    assert [read_session(path).state for path in kept(folder)] == [HARD], "kept again, by this window"
    assert start().keeper.left_over() is None
    program.keeper.end(goes_on=False)
    assert os.listdir(folder) == []


def test_a_crash_of_a_session_with_a_file(start, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    write_session(path, WARM)
    crash(folder, path)
    program = start()
    left = program.keeper.left_over()
    assert Path(left.kept.file).name == "lesson.attn.json"
    program.keeper.take(left)
    assert (program.session.state, program.opened.path, program.opened.is_changed) == (HARD, path, True)
    assert read_session(path).state == WARM, "the file is as it was saved"
    program.opened.save(path, "")
    assert read_session(path).state == HARD


def test_a_crash_of_a_session_whose_file_is_gone(start, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    write_session(path, WARM)
    crash(folder, path)
    path.unlink()
    program = start()
    program.keeper.take(program.keeper.left_over())
    assert (program.session.state, program.opened.path, program.opened.is_changed) == (HARD, None, True)


def test_what_is_not_wanted_is_deleted_and_what_is_left_is_offered_again(start, folder: Path) -> None:
    crash(folder)
    program = start()
    program.keeper.left_over().lock.unlock()
    again = program.keeper.left_over()
    assert again is not None
    again.forget()
    assert program.keeper.left_over() is None
    assert os.listdir(folder) == []


def test_the_youngest_is_offered_first(start, folder: Path) -> None:
    crash(folder)
    (older,) = kept(folder)
    os.utime(older, (1e9, 1e9))
    crash(folder)
    program = start()
    first = program.keeper.left_over()
    assert first.path != older
    first.forget()
    assert program.keeper.left_over().path == older


def test_a_window_that_is_open_is_not_offered_be_it_for_days(start, folder: Path) -> None:
    program = start()
    program.apply(HARD)
    program.keeper.keep()
    (lock,) = folder.glob("open-*.lock")
    assert start().keeper.left_over() is None
    os.utime(lock, (1e9, 1e9))
    assert start().keeper.left_over() is None


def test_what_cannot_be_read_stays_where_it_is(start, folder: Path) -> None:
    crash(folder)
    (path,) = kept(folder)
    path.write_text("{")
    assert start().keeper.left_over() is None
    assert path.read_text() == "{"


# ---- Until the next start ----


def test_going_on_where_it_was_left(start, folder: Path) -> None:
    program = start()
    assert program.keeper.go_on() is None
    program.apply(HARD)
    assert program.keeper.keep_for_next_start()
    program.keeper.end(goes_on=True)
    again = start()
    found = again.keeper.go_on()
    assert (found.state, found.page) == (HARD, "heads")
    assert again.session.state == HARD
    assert again.opened.is_changed, "it has never been saved"
    again.keeper.end(goes_on=False)
    assert os.listdir(folder) == [], "as is wished from now on"


def test_going_on_with_a_file_shows_what_the_file_holds(start, tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    write_session(path, WARM)
    program = start()
    program.keeper.go_on()
    program.opened.open(path)
    program.keeper.end(goes_on=True)
    write_session(path, HARD)
    again = start()
    again.keeper.go_on()
    assert (again.session.state, again.opened.path, again.opened.is_changed) == (HARD, path, False)


def test_going_on_with_a_file_that_is_gone_loses_nothing(start, tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    write_session(path, WARM)
    program = start()
    program.keeper.go_on()
    program.opened.open(path)
    program.keeper.end(goes_on=True)
    path.unlink()
    again = start()
    again.keeper.go_on()
    assert (again.session.state, again.opened.path, again.opened.is_changed) == (WARM, None, True)


def test_a_second_window_takes_nothing_from_the_first(start) -> None:
    first, second = start(), start()
    first.keeper.go_on()
    assert second.keeper.go_on() is None
    first.apply(HARD)
    second.apply(WARM)
    assert not second.keeper.keep_for_next_start(), "so that it asks"
    second.keeper.end(goes_on=True)
    assert first.keeper.keep_for_next_start()
    first.keeper.end(goes_on=True)
    third = start()
    third.keeper.go_on()
    assert third.session.state == HARD


def test_a_session_with_a_file_is_always_asked_about(start, tmp_path: Path) -> None:
    program = start()
    program.keeper.go_on()
    program.opened.save(tmp_path / "a.attn.json", "")
    program.apply(HARD)
    assert not program.keeper.keep_for_next_start()


def test_a_crash_of_the_window_that_goes_on_replaces_what_it_began_with(start, folder: Path) -> None:
    program = start()
    program.keeper.go_on()
    program.apply(WARM)
    program.keeper.end(goes_on=True)
    crash(folder, goes_on=True)
    again = start()
    again.keeper.take(again.keeper.left_over())
    assert again.session.state == HARD
    assert again.keeper.keep_for_next_start()
    again.keeper.end(goes_on=True)
    last = start()
    last.keeper.go_on()
    assert last.session.state == HARD


def test_a_crash_of_another_window_does_not(start, folder: Path) -> None:
    program = start()
    program.keeper.go_on()
    program.apply(WARM)
    program.keeper.end(goes_on=True)
    crash(folder)
    again = start()
    again.keeper.take(again.keeper.left_over())
    assert not again.keeper.keep_for_next_start(), "or what is to be gone on with would be lost"


def test_a_damaged_last_session_is_no_obstacle(start, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "last.attn.json").write_text('{"format":')
    program = start()
    assert program.keeper.go_on() is None
    assert program.session.state == FIRST
