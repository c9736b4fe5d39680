"""Texts of lines “input -> answer”: read from files, and each line divided in two."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExplorerError, FileError, quoted
from attention_explorer.sources.learned.setup import MOST_LINES

MOST_CHARACTERS, MOST_OF_A_LINE = 300_000, 30_000
"""Of all lines, and of one: a session has to hold them."""
ENDINGS = (".txt", ".tsv", ".csv")
"""Of files of lines."""

ARROW = "→"
"""Between input and answer."""
_ARROWS = re.compile("[-–—−=]+>|[－＝]+＞|[→⇒⟶⟹➔➜]")
"""As people write them: ->, -->, =>, a dash of a text program before it, of full width, or drawn."""
_COLUMNS = {"\t": "tab", ",": "comma", ";": "semicolon"}
"""What stands between the two columns of a table, and what it is called."""

Pairs = dict[int, tuple[str, str]]
"""Input and answer, by the number of the line from 1."""


def text_in(path: Path) -> str:
    """Read a file of lines.

    Raises
    ------
    FileError
        It cannot be read, is too large, or holds no text.
    """
    name, most = quoted(path.name), 4 * MOST_CHARACTERS
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise FileError(
            f"{name} cannot be read ({getattr(error, 'strerror', None) or error}): choose another."
        ) from None
    if len(data) > most:
        raise FileError(f"{name} is too large for lines to learn: up to {grouped(most)} bytes are read.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
        lines_from(text)
    except UnicodeDecodeError:
        raise FileError(f"{name} is no text in UTF-8: save it as UTF-8, or choose another file.") from None
    except ExplorerError as error:
        raise FileError(f"{name}: {error}") from None
    return text


def lines_from(text: str) -> tuple[tuple[str, ...], int]:
    """Return the lines of a text as the setup takes them, and how many more there are.

    Raises
    ------
    ExplorerError
        There are none, it is no text, or it is too long to be kept.
    """
    if "\0" in text:
        raise ExplorerError(
            "This is no text in UTF-8, as it holds bytes that are 0. Choose a text of lines “input -> answer”."
        )
    lines = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise ExplorerError("There are no lines yet: write “input -> answer” on each.")
    kept = tuple(lines[:MOST_LINES])
    check_lines(kept)
    return kept, len(lines) - len(kept)


def check_lines(lines: Sequence[str]) -> None:
    """Refuse lines that are none, or more than a session could hold.

    Raises
    ------
    ExplorerError
        There are too many of them, or too many characters, or one is several.
    """
    if len(lines) > MOST_LINES:
        raise ExplorerError(f"There are {grouped(len(lines))} lines, and at most {grouped(MOST_LINES)} are learned.")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_OF_A_LINE:
            raise ExplorerError(f"Line {number} has {grouped(len(line))} characters: cut it into lines.")
        if len(line.splitlines()) > 1:
            raise ExplorerError(f"Line {number} goes over several lines: give each by itself.")
    total = sum(map(len, lines))
    if total > MOST_CHARACTERS:
        raise ExplorerError(f"The lines have {grouped(total)} characters, and {grouped(MOST_CHARACTERS)} are possible.")


def pairs_in(lines: Sequence[str]) -> tuple[Pairs, dict[int, str]]:
    """Return input and answer of each line by its number, and why others have none; of empty ones nothing is said."""
    filled = {number: line for number, line in enumerate(lines, 1) if line.strip()}
    column = _column(list(filled.values()))
    between = _COLUMNS.get(column, "arrow")
    pairs, left_out = Pairs(), dict[int, str]()
    for number, line in filled.items():
        parts = _columns(line, column) if column else parts_of(line)
        if column and _ARROWS.search(line):
            left_out[number] = f"has an arrow, where the others have a {between}"
        elif len(parts) != 2:
            left_out[number] = f"has no {between}" if len(parts) < 2 else f"has more than one {between}"
        elif not all(parts):
            left_out[number] = f"has no {'answer' if parts[0] else 'input'}"
        else:
            pairs[number] = parts[0], parts[1]
    return pairs, left_out


def parts_of(line: str) -> list[str]:
    """Return what stands before, between and behind the arrows of a line."""
    return [part.strip() for part in _ARROWS.split(line)]


def _column(lines: Sequence[str]) -> str:
    """Return what divides most lines in two columns; empty if half of them have an arrow, or nothing does."""
    if 2 * sum(_ARROWS.search(line) is not None for line in lines) >= len(lines):
        return ""
    counts = {each: sum(len(_columns(line, each)) == 2 for line in lines) for each in _COLUMNS}
    best = max(_COLUMNS, key=counts.__getitem__)
    return best if 2 * counts[best] > len(lines) else ""


def _columns(line: str, separator: str) -> list[str]:
    """Return the cells of a line; what is quoted holds commas and semicolons, and empty columns at its end are none."""
    if '"' in line and separator != "\t":
        cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    else:
        cells = line.split(separator)
    while len(cells) > 2 and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]
