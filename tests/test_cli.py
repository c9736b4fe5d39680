"""The command line: what it understands, what it refuses, and the pictures it draws without a screen."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from attention_explorer import __version__, app, cli
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.registry import PAGES, presets_of
from attention_explorer.session.settings import ThemeChoice

WITHOUT_DISPLAY = {
    name: value
    for name, value in os.environ.items()
    if name not in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "QT_QPA_PLATFORM")
}

# Draws what the command line draws, but only the first examples of each page: each picture is a whole window.
DRIVER = """
import sys
from itertools import islice
from attention_explorer import cli
from attention_explorer.window import gallery
count, examples = int(sys.argv[1]), gallery.presets_of
gallery.presets_of = lambda page: islice(examples(page), count)
cli.DEFAULT_SIZES = [(640, 480)]
sys.exit(cli.main(sys.argv[2:]))
"""


def first_examples() -> list[str]:
    """Return page and name of the first example of every page, as files are called after them."""
    return [f"{page.id}-{next(presets_of(page.id)).id}" for page in PAGES]


def run_without_display(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=WITHOUT_DISPLAY, cwd=cwd
    )


def png_size(path: Path) -> tuple[int, int]:
    """Return the size of a PNG file, every chunk of which is checked, down to the last pixel."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, []
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + body),), kind
        chunks.append((kind, body))
        at += 12 + length
    assert chunks[0][0] == b"IHDR"
    assert chunks[-1] == (b"IEND", b"")
    width, height, depth, colours = struct.unpack(">IIBB", chunks[0][1][:10])
    samples = {2: 3, 6: 4}[colours]
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    assert len(pixels) == height * (1 + width * samples * depth // 8)
    assert len(set(pixels)) > 100, "it is not blank"
    return width, height


# ---- Understanding ----


@pytest.mark.parametrize(
    ("text", "size"),
    [("1280x800", (1280, 800)), ("640×480", (640, 480)), ("320x240", (320, 240)), ("7680x4320", (7680, 4320))],
)
def test_sizes(text: str, size: tuple[int, int]) -> None:
    assert cli.parser().parse_args(["gallery", "out", "--size", text]).size == [size]


def test_sizes_may_repeat() -> None:
    options = cli.parser().parse_args(["gallery", "out", "--size", "640x480", "--size", "800x600", "--theme", "dark"])
    assert options.size == [(640, 480), (800, 600)]
    assert (options.folder, options.theme) == (Path("out"), "dark")


@pytest.mark.parametrize(
    "text", ["big", "640", "640x", "x480", "640x480x3", "-640x480", "640 x 480", "6.4x4.8", "", "640X480"]
)
def test_what_is_no_size_is_refused_in_words(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["gallery", "out", f"--size={text}"])
    assert caught.value.code == 2
    assert f"“{text}” is not a size such as 1280x800" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["319x240", "320x239", "7681x4320", "7680x4321", "0x0", f"{10**30}x480"])
def test_sizes_out_of_range_are_refused_in_words(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["gallery", "out", "--size", text])
    assert caught.value.code == 2
    assert f"“{text}” is out of range: from 320x240 to 7680x4320" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["gallery"], ["--speed"], ["gallery", "x", "--theme", "pink"]])
def test_wrong_usage_is_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage: attention-explorer" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"Attention Explorer {__version__}\n"


def test_help_shows_examples_that_work(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = capsys.readouterr().out
    examples = [line.split("  ")[1].split() for line in text.splitlines() if line.startswith("  attention-explorer")]
    assert len(examples) == 21
    for example in examples:
        given = example[1 : example.index("<")] if "<" in example else example[1:]
        options = cli.parser().parse_args(given)
        assert options.command not in (None, "run") or not options.preset or preset(options.preset)


# ---- Opening the window ----


PLAINLY = {"is_watched": False, "from_zero": False}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Instead of drawing galleries, remember what would be drawn."""
    calls: list[tuple[Any, ...]] = []

    def run_gallery(*arguments: Any) -> list[Path]:
        calls.append(arguments)
        return [Path("a.png"), Path("b.png")]

    monkeypatch.setattr(app, "run_gallery", run_gallery)
    return calls


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "has_display", lambda: False)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)


@pytest.mark.parametrize("arguments", [[], ["run"], ["--without-display", "out"], ["run", "--without-display", "out"]])
def test_with_a_display_the_window_opens(
    arguments: list[str],
    opened: list[tuple[object, ...]],
    drawn: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "has_display", lambda: True)
    assert cli.main(arguments) == 7, "the exit code is that of the window"
    assert opened == [(None, None, "", PLAINLY)]
    assert drawn == []


@pytest.mark.parametrize("platform", ["offscreen", "minimal"])
@pytest.mark.usefixtures("no_display")
def test_a_platform_that_needs_no_display_opens_the_window(
    platform: str, opened: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert cli.main([]) == 7
    assert opened == [(None, None, "", PLAINLY)]


def test_options_before_the_command_count(opened: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "has_display", lambda: True)
    cli.main(["--preset", "quiz", "run"])
    assert opened == [(ExplorerState(lookup=preset("quiz").state), None, "lookup", PLAINLY)]


@pytest.mark.usefixtures("no_display")
def test_without_a_display_a_sentence_says_what_to_do(
    opened: list[tuple[object, ...]], drawn: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([]) == 1
    said = capsys.readouterr().err
    assert "there is no display" in said
    assert "gallery DIR" in said
    assert opened == drawn == []


@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize("arguments", [["--without-display", "out"], ["run", "--without-display", "out"]])
def test_without_a_display_pages_are_drawn_instead(
    arguments: list[str],
    opened: list[tuple[object, ...]],
    drawn: list[tuple[Any, ...]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(arguments) == 0
    assert opened == []
    assert drawn == [(Path("out"), [(1280, 800)], [ThemeChoice.LIGHT, ThemeChoice.DARK], "")]
    said = capsys.readouterr().out
    assert "no display" in said
    assert "2 pictures in out" in said


@pytest.mark.parametrize(
    ("theme", "themes"),
    [
        ("light", [ThemeChoice.LIGHT]),
        ("dark", [ThemeChoice.DARK]),
        ("both", [ThemeChoice.LIGHT, ThemeChoice.DARK]),
    ],
)
def test_galleries_as_asked_for(theme: str, themes: list[ThemeChoice], drawn: list[tuple[Any, ...]]) -> None:
    assert cli.main(["gallery", "out", "--theme", theme, "--size", "640x480"]) == 0
    assert drawn == [(Path("out"), [(640, 480)], themes, "")]


# ---- As a program of its own ----


def test_the_program_says_its_version_without_a_display(tmp_path: Path) -> None:
    done = run_without_display("-m", "attention_explorer", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"Attention Explorer {__version__}\n")


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there is always a display")
def test_the_program_without_a_display_ends_with_a_sentence(tmp_path: Path) -> None:
    done = run_without_display("-m", "attention_explorer", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, "one sentence and no traceback"
    assert "there is no display to open a window on" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there is always a display")
def test_the_program_without_a_display_draws_its_pages(tmp_path: Path) -> None:
    done = run_without_display("-c", DRIVER, "1", "run", "--without-display", "pictures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert f"lookup-{PRESETS[0].id}" in first_examples()
    names = [f"{example}-{theme}-640x480.png" for example in first_examples() for theme in ("dark", "light")]
    assert sorted(os.listdir(tmp_path / "pictures")) == sorted(names)
    assert [png_size(tmp_path / "pictures" / name) for name in names] == [(640, 480)] * len(names)
    for dark, light in zip(names[::2], names[1::2], strict=True):
        assert (tmp_path / "pictures" / light).read_bytes() != (tmp_path / "pictures" / dark).read_bytes()
    assert done.stdout.splitlines()[-1] == f"{len(names)} pictures in pictures"


def test_the_gallery_of_a_page_is_drawn_at_every_size_asked_for(tmp_path: Path) -> None:
    done = run_without_display(
        "-c", DRIVER, "1", "gallery", "deep/er", "--theme", "light", "--size", "640x480", "--size", "900x700",
        "--page", "heads", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "no noise"
    expected = {
        f"{example}-light-{width}x{height}.png": (width, height)
        for example in first_examples()
        if example.startswith("heads-")
        for width, height in ((640, 480), (900, 700))
    }
    folder = tmp_path / "deep" / "er"
    assert {path.name: png_size(path) for path in folder.iterdir()} == expected


def test_a_gallery_in_the_place_of_a_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run_without_display("-c", DRIVER, "1", "gallery", "file", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("attention-explorer: ")
