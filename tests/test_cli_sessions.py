"""Session files on the command line, and the program itself opening one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attention_explorer import app, cli
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.session_file import read_session, write_session


@pytest.fixture(autouse=True)
def display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "has_display", lambda: True)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        (["lesson.attn.json"], "lesson.attn.json"),
        (["run", "lesson.attn.json"], "lesson.attn.json"),
        (["run", "lesson"], "lesson"),
        (["./lesson"], "lesson"),
        (["folder/lesson"], "folder/lesson"),
        (["--without-display", "a.json", "b.json"], "b.json"),
        (["--without-display=a.json", "gallery.json"], "gallery.json"),
        (["lesson.attn.json", "--without-display", "out"], "lesson.attn.json"),
    ],
)
def test_a_file_opens_in_the_window(arguments: list[str], path: str, opened) -> None:
    assert cli.main(arguments) == 7
    assert [call[:2] for call in opened] == [(None, Path(path))]


def test_a_file_and_a_preset_are_too_much(opened, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--preset", "long-key", "lesson.attn.json"]) == 1
    assert "“lesson.attn.json” or on the preset “long-key”: name one." in capsys.readouterr().err
    assert opened == []


@pytest.mark.parametrize("arguments", [["lesson"], ["a.json", "b.json"], ["gallery"]])
def test_what_is_neither_command_nor_file_is_wrong_usage(arguments: list[str], opened) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert opened == []


def test_where_unsaved_sessions_are_kept(qapp) -> None:
    assert app.data_folder().parts[-2:] == ("attention-explorer", "sessions")


DRIVER = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from attention_explorer import app, cli
from attention_explorer.window.window import MainWindow

def look():
    (window,) = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow))
    print(window.windowTitle(), window.session.state.lookup.hard, window.isWindowModified())
    window.close()

make = app.make_application
def make_and_look():
    application = make()
    QTimer.singleShot(300, look)
    return application

app.make_application = make_and_look
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="settings and data lie elsewhere")
def test_the_program_opens_a_file_and_keeps_to_the_users_folders(tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    state = ExplorerState(lookup=LookupState(hard=True))
    write_session(path, state)
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    env = {**os.environ, **home, "QT_QPA_PLATFORM": "offscreen"}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, *arguments], capture_output=True, text=True, check=False, env=env
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run(str(path)) == "lesson.attn.json[*] — Attention Explorer True False\n"
    assert run() == "Untitled[*] — Attention Explorer False False\n"
    last = tmp_path / "data" / "attention-explorer" / "sessions" / "last.attn.json"
    assert read_session(last).state == ExplorerState()
    write_session(last, state)
    assert run() == "Untitled[*] — Attention Explorer True True\n", "it goes on where it was left"
    assert run("--preset", "long-key") == "Untitled[*] — Attention Explorer False False\n"
    assert read_session(path).state == state
