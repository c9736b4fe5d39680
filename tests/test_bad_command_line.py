"""What is typed by mistake on the command line, and ends of pipes that are not there: a sentence and an exit code."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from attention_explorer import cli
from attention_explorer.commands.output import encoded
from attention_explorer.errors import LONGEST_QUOTE, quoted


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    try:
        code = cli.main(arguments)
    except SystemExit as error:  # how argparse ends
        code = error.code
    assert code in (1, 2)
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("name", ["", " ", "\udcff", "no\x1b[31m", "x" * 5000])
def test_presets_that_there_are_not(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("--preset", name), ("render", name, "a.png")):
        said = complaint(capsys, *arguments)
        assert f"There is no preset {quoted(name)}. “attention-explorer presets” lists them all." in said
        assert "\x1b" not in said


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("rendr", "There is no command or file “rendr”. Did you mean “render”?"),
        ("quizz", "There is no command or file “quizz”. Did you mean “quiz”? A preset follows “--preset”."),
        ("xyz", "There is no command or file “xyz”. “attention-explorer --help” lists the commands."),
        ("quiz", "“quiz” is a preset: open the window with “--preset quiz”."),
    ],
)
def test_words_that_are_no_commands(word: str, advice: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([word], ["--page", "lookup", word, "--no-such-option"]):
        assert complaint(capsys, *arguments) == f"attention-explorer: {advice}\n"


def test_a_size_of_thousands_of_digits_is_no_size(capsys: pytest.CaptureFixture[str]) -> None:
    said = complaint(capsys, "gallery", "out", "--size", "9" * 5000 + "x1")
    assert "is not a size such as 1280x800" in said
    assert len(said) < 500


def test_standard_input_and_output_that_are_closed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "Standard input is closed." in complaint(capsys, "render", "-", str(tmp_path / "a.png"))
    monkeypatch.setattr(sys, "stdout", None)
    assert "Standard output is closed." in complaint(capsys, "presets")
    assert list(tmp_path.iterdir()) == []


def test_words_that_the_terminal_cannot_write(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert cli.main(["presets"]) == 0
    assert b"?" in terminal.buffer.getvalue()  # type: ignore[attr-defined] # it is a BytesIO
    assert encoded("3 pictures in \udcff") == b"3 pictures in ?"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "“a”"), ("a\nb\tc", "“a b c”"), ("\u202eabc", "“�abc”"), ("\ud800", "“�”"), ("\x00\x1b", "“��”")],
)
def test_what_was_typed_is_repeated_without_harm(text: str, shown: str) -> None:
    assert quoted(text) == shown
    assert len(quoted("x" * 10**6)) == LONGEST_QUOTE + 2
