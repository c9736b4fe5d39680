"""The menu entry, its icon and the file type: put there, found by others, and taken away again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from attention_explorer import desktop
from attention_explorer.core import files
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import SUFFIX, write_session

pytestmark = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="for free desktops")

FILES = {
    "applications/attention-explorer.desktop",
    "mime/packages/attention-explorer.xml",
    "icons/hicolor/scalable/apps/attention-explorer.svg",
}
MIME = "application/x-attention-explorer-session+json"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for data of somebody who has nothing else."""
    folder = tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


def entries(text: str) -> dict[str, str]:
    """Return what a desktop entry says, with the escapes of its values undone."""
    lines = text.splitlines()
    assert lines[0] == "[Desktop Entry]"
    found = dict(line.split("=", 1) for line in lines[1:] if line)
    return {key: value.replace("\\\\", "\\") for key, value in found.items()}


def words_of(command: str) -> list[str]:
    """Return the arguments of an ``Exec`` line, read as its specification says."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', command)
    words = [re.sub(r"\\(.)", r"\1", quoted) if quoted else plain for quoted, plain in found]
    return [word.replace("%%", "%") for word in words]


def test_what_is_installed_goes_away_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign = home / "applications" / "other.desktop"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("[Desktop Entry]\n")
    assert desktop.main(["install"]) == 0
    assert {line.removeprefix(f"wrote {home}/") for line in capsys.readouterr().out.splitlines()} == FILES
    assert all((home / name).is_file() for name in FILES)
    assert desktop.main(["install"]) == 0, "twice is as good as once"
    capsys.readouterr()
    assert desktop.main(["uninstall"]) == 0
    assert {line.removeprefix(f"removed {home}/") for line in capsys.readouterr().out.splitlines()} == FILES
    assert not any((home / name).exists() for name in FILES)
    assert foreign.is_file()
    assert desktop.main(["uninstall"]) == 0
    assert capsys.readouterr().out == f"There was nothing to remove in {home}.\n"


def test_the_entry_starts_this_program(home: Path, tmp_path: Path) -> None:
    desktop.main(["install"])
    entry = entries((home / "applications/attention-explorer.desktop").read_text(encoding="utf-8"))
    assert entry["MimeType"] == f"{MIME};"
    assert entry["TryExec"] == sys.executable
    words = words_of(entry["Exec"])
    assert words[-1] == "%f"
    (tmp_path / "attention_explorer").mkdir()  # in the folder it is called from; not to be taken for the program
    (tmp_path / "attention_explorer" / "__init__.py").write_text("raise SystemExit(99)")
    done = subprocess.run([*words[:-1], "--version"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.startswith("Attention Explorer")


@pytest.mark.parametrize("folder", ["plain", "two words", 'a"b', "a$b`c", "a\\b", "100%f", "größe"])
def test_any_folder_can_be_named(folder: str) -> None:
    python = f"/home/{folder}/bin/python"
    entry = entries(desktop.desktop_entry(files.read_text("desktop/attention-explorer.desktop"), python))
    assert words_of(entry["Exec"]) == [python, "-P", "-m", "attention_explorer", "%f"]
    assert entry["TryExec"] == python


def test_a_line_break_in_a_folder_is_refused() -> None:
    with pytest.raises(ExplorerError, match="Move the program to a folder without line breaks"):
        desktop.desktop_entry("Exec=x\n", "/home/a\nb/python")


def test_the_bundled_files_fit_together() -> None:
    entry = entries(files.read_text("desktop/attention-explorer.desktop"))
    assert {entry["Type"], entry["Icon"], entry["Terminal"]} == {"Application", "attention-explorer", "false"}
    assert entry["StartupWMClass"] == "attention-explorer", "which the window says of itself"
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    (kind,) = ET.fromstring(files.read_bytes("desktop/attention-explorer.xml"))  # noqa: S314 # our own
    assert kind.get("type") == MIME == entry["MimeType"].removesuffix(";")
    assert kind.find(f"{space}glob").get("pattern") == f"*{SUFFIX}"


@pytest.mark.skipif(shutil.which("update-mime-database") is None, reason="there is no list of file types here")
def test_session_files_are_known_for_what_they_are(home: Path, tmp_path: Path) -> None:
    desktop.main(["install"])
    names = ["lesson.attn.json", "LESSON.ATTN.JSON", "other.json"]
    for name in names:
        write_session(tmp_path / name, ExplorerState())
    ask = (
        "import sys\nfrom PySide6.QtCore import QMimeDatabase\n"
        "kinds = [QMimeDatabase().mimeTypeForFile(name) for name in sys.argv[1:]]\n"
        "print(*(kind.name() for kind in kinds), kinds[0].inherits('application/json'), kinds[0].iconName())"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask, *(str(tmp_path / name) for name in names)],
        capture_output=True, text=True, check=True, env=os.environ,
    )  # fmt: skip
    assert done.stdout.split() == [MIME, MIME, "application/json", "True", "attention-explorer"]


@pytest.mark.parametrize("given", ["", "relative/folder"])
def test_without_an_absolute_folder_the_usual_one_counts(given: str, home: Path, tmp_path: Path) -> None:
    assert desktop.data_home({"XDG_DATA_HOME": given}) == tmp_path / "home" / ".local" / "share"
    assert desktop.data_home({}) == tmp_path / "home" / ".local" / "share"
    assert desktop.data_home({"XDG_DATA_HOME": str(home)}) == home


def test_what_is_in_the_way_is_said_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.write_text("a file")
    assert desktop.main(["install"]) == 1
    assert f"The folder “{home}/applications” cannot be made" in capsys.readouterr().err
    home.unlink()
    (home / "applications" / "attention-explorer.desktop").mkdir(parents=True)
    assert desktop.main(["uninstall"]) == 1
    assert "cannot be removed" in capsys.readouterr().err


def test_a_failing_update_is_said_in_words(home: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    program = tmp_path / "bin" / "update-mime-database"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no such luck >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert desktop.main(["install"]) == 1
    assert "The files are in place, but update-mime-database failed: no such luck" in capsys.readouterr().err
    assert all((home / name).is_file() for name in FILES)


def test_wrong_usage_is_two(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        desktop.main(["dance"])
    assert caught.value.code == 2
    assert "invalid choice" in capsys.readouterr().err
