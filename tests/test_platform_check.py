"""What is missing for Qt, what it is called in Debian, and whether a display answers."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from attention_explorer import platform_check

if TYPE_CHECKING:
    from pathlib import Path

LDD_OUTPUT = """\
/somewhere/QtCore.abi3.so:
\tlinux-vdso.so.1 (0x00007ffd2a5f2000)
\tlibQt6Core.so.6 => /somewhere/Qt/lib/libQt6Core.so.6 (0x00007f4a1e200000)
\tlibglib-2.0.so.0 => not found
\t/lib64/ld-linux-x86-64.so.2 (0x00007f4a1ebd7000)
/somewhere/libqxcb.so:
\tlibxcb-icccm.so.4 => not found
\tlibglib-2.0.so.0 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f4a1e000000)
/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /somewhere/libqxcb.so)
"""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="ldd and X11 sockets are Linux's")


def test_ldd_output_gives_each_missing_library_once() -> None:
    assert platform_check.parse_ldd(LDD_OUTPUT) == ["libglib-2.0.so.0", "libxcb-icccm.so.4"]


@pytest.mark.parametrize(
    ("soname", "package"),
    [
        ("libxcb.so.1", "libxcb1"),
        ("libxcb-icccm.so.4", "libxcb-icccm4"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libX11-xcb.so.1", "libx11-xcb1"),
        ("libX11.so.6", "libx11-6"),
        ("libEGL.so.1", "libegl1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libgcc_s.so.1", "libgcc-s1"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
        ("libgthread-2.0.so.0", "libglib2.0-0"),
        ("libGLdispatch.so.0", "libglvnd0"),
        ("libz.so.1", "zlib1g"),
    ],
)
def test_debian_names(soname: str, package: str) -> None:
    assert platform_check.debian_package(soname) == package


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"libglib2.0-0", "libegl1"}, ["libegl1", "libglib2.0-0"]),
        ({"libglib2.0-0t64", "libegl1"}, ["libegl1", "libglib2.0-0t64"]),
        ({"libglib2.0-0t64", "libglib2.0-0"}, ["libegl1", "libglib2.0-0"]),
        (set(), ["libegl1", "libglib2.0-0"]),
    ],
)
def test_t64_only_where_apt_knows_no_other_name(
    known: set[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_check, "known_to_apt", known.intersection)
    sonames = ["libglib-2.0.so.0", "libgthread-2.0.so.0", "libEGL.so.1"]
    assert platform_check.debian_packages(sonames) == expected


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({}, False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, False),
    ],
)
def test_wayland_plugin_is_asked_only_where_it_is_used(environ: dict[str, str], asked: bool, tmp_path: Path) -> None:
    platforms = tmp_path / "Qt" / "plugins" / "platforms"
    platforms.mkdir(parents=True)
    for name in ("libqxcb.so", "libqoffscreen.so", "libqwayland.so"):
        (platforms / name).touch()
    names = {file.name for file in platform_check.qt_files(tmp_path, environ)}
    assert names == {"libqxcb.so", "libqoffscreen.so"} | ({"libqwayland.so"} if asked else set())


@linux_only
def test_every_file_asked_about_is_in_the_installed_pyside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that PySide6 renames would be left out without a word."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 1, stdout=LDD_OUTPUT)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert platform_check.missing_libraries() == ["libglib-2.0.so.0", "libxcb-icccm.so.4"]
    names = {os.path.basename(file) for file in commands[0][1:]}
    assert names == {f"{module}.abi3.so" for module in platform_check.MODULES} | {
        "libqxcb.so",
        "libqoffscreen.so",
        "libqwayland.so",
        "libqsvg.so",
        "libqsvgicon.so",
    }


class FakeSystem:
    """A machine with libraries missing; it records the commands that would have changed it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, root: bool, debian: bool, broken: str = "") -> None:
        self.missing = ["libEGL.so.1", "libxcb-icccm.so.4"]
        self.commands: list[list[str]] = []
        self.broken = broken
        monkeypatch.setattr(platform_check, "missing_libraries", lambda: self.missing)
        monkeypatch.setattr(platform_check, "known_to_apt", lambda _: set())
        monkeypatch.setattr(platform_check, "is_root", lambda: root)
        monkeypatch.setattr(platform_check, "is_debian", lambda: debian)
        monkeypatch.setattr(subprocess, "run", self.run)

    def run(self, command: list[str], *, check: bool, **_: object) -> None:
        self.commands.append(command)
        if check and command[1] == self.broken:
            raise subprocess.CalledProcessError(100, command)
        if command[:2] == ["apt-get", "install"]:
            self.missing = []


def test_nothing_missing_is_silent(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    system = FakeSystem(monkeypatch, root=True, debian=True)
    system.missing = []
    assert platform_check.main(["--install"]) == 0
    assert capsys.readouterr() == ("", "")
    assert system.commands == []


def test_root_on_debian_installs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    system = FakeSystem(monkeypatch, root=True, debian=True)
    assert platform_check.main(["--install"]) == 0
    assert [command[1] for command in system.commands] == ["update", "install"]
    assert system.commands[1][-2:] == ["libegl1", "libxcb-icccm4"]
    assert capsys.readouterr() == ("Installing the Debian packages Qt needs: libegl1 libxcb-icccm4\n", "")


@pytest.mark.parametrize(("root", "arguments"), [(False, ["--install"]), (True, []), (False, [])])
def test_others_are_told_the_line_to_type(
    root: bool, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    system = FakeSystem(monkeypatch, root=root, debian=True)
    assert platform_check.main(arguments) == 1
    assert system.commands == []
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("sudo apt-get install libegl1 libxcb-icccm4")


@pytest.mark.parametrize("step", ["update", "install"])
def test_a_failing_apt_is_named_and_the_line_still_given(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    FakeSystem(monkeypatch, root=True, debian=True, broken=step)
    assert platform_check.main(["--install"]) == 1
    error = capsys.readouterr().err
    assert f"apt-get {step} failed with exit code 100" in error
    assert "sudo apt-get install libegl1 libxcb-icccm4" in error


def test_other_systems_are_told_the_libraries(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    FakeSystem(monkeypatch, root=True, debian=False)
    assert platform_check.main(["--install"]) == 1
    error = capsys.readouterr().err
    assert "libEGL.so.1 libxcb-icccm.so.4" in error
    assert "apt-get" not in error


def test_the_check_does_not_load_qt() -> None:
    code = (
        "import sys; from attention_explorer import platform_check; platform_check.missing_libraries();"
        "print(any(name.startswith('PySide6') for name in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
