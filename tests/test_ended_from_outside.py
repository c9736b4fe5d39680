"""The program is ended by somebody else: what was not saved is offered at the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.session_file import read_session
from attention_explorer.session.settings import SettingsStore, ThemeChoice

HARD = ExplorerState(lookup=LookupState(hard=True))

PROGRAM = """
import sys
from PySide6.QtCore import QTimer, QtMsgType, qWarning
import attention_explorer.app as app
from attention_explorer.session.settings import ThemeChoice
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState

def change(window):
    window.set_theme(ThemeChoice.DARK)
    window.session.apply(ExplorerState(lookup=LookupState(hard=True)), "hard")
    if sys.argv[1] == "display":
        qWarning("The X11 connection broke (error 1). Did the X11 server die?")
        app.os._exit(1)  # as Qt does next
    print("changed", flush=True)

show = app.MainWindow.show
def show_and_change(window):
    show(window)
    QTimer.singleShot(0, lambda: change(window))
app.MainWindow.show = show_and_change
sys.exit(app.run_window())
"""


def started(tmp_path: Path, way: str) -> subprocess.Popen[str]:
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    environment = {**os.environ, **home, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, way],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="folders and signals are those of Linux")
@pytest.mark.parametrize("way", ["SIGINT", "SIGTERM", "SIGHUP", "display"])
def test_what_was_just_changed_is_kept(tmp_path: Path, way: str) -> None:
    program = started(tmp_path, way)
    if way != "display":
        assert program.stdout is not None
        assert program.stdout.readline() == "changed\n"
        program.send_signal(getattr(signal, way))
    _, said = program.communicate(timeout=60)
    assert program.returncode == (1 if way == "display" else -getattr(signal, way))
    assert "Traceback" not in said
    (kept,) = (tmp_path / "data" / "attention-explorer" / "sessions").glob("open-*.attn.json")
    assert read_session(kept).state == HARD
    (settings,) = (tmp_path / "config").rglob("*.*")
    assert SettingsStore(settings).load().theme is ThemeChoice.DARK


def test_settings_that_cannot_be_written_are_said_once(make_window, tmp_path: Path, qapp) -> None:
    (tmp_path / "file").write_text("in the way")
    assert SettingsStore(tmp_path / "settings.ini").problem() == ""
    window = make_window()
    window.files._store = SettingsStore(tmp_path / "file" / "settings.ini")
    window.files.start(tmp_path / "sessions")
    assert "are not remembered. Make its folder writable." in window.statusBar().currentMessage()
    assert not window.files._store.save(window.settings)


def test_what_cannot_be_kept_is_said_once_and_tried_again(make_window, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.write_text("in the way")
    window = make_window()
    window.files.start(folder)
    said: list[str] = []
    window.files.keeper.failed.connect(said.append)
    for temperature in (2.0, 3.0):
        window.session.apply(ExplorerState(lookup=LookupState(temperature=temperature)), "change")
        window.files.keep_now()
    assert len(said) == 1
    assert said[0].startswith("Unsaved changes cannot be backed up, so save the session yourself. The folder “")
    folder.unlink()
    window.files.keep_now()
    assert len(list(folder.glob("open-*.attn.json"))) == 1
    window.session.apply(HARD, "change")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_text("in the way again")
    window.files.keep_now()
    assert len(said) == 2
    folder.unlink()
    window.session.restart(ExplorerState())
