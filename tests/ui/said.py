"""What every page says, in one text a page that somebody has read: ``python -m tests.kept`` writes it anew.

``tests/data/said/`` holds for each page what a person who cannot see would hear of it: the names of its controls with
their tips, and in every example, view and kept session whatever is written, the picture in words, what to try, what
is true, what the caption of a figure says and why something cannot be done. `test_said.py` compares.

A heading is an example, a scene of `people_driver` or a session of `kept`. One more is written by hand: an example
with fields that lessons could set, as ``== causal {"heads.view.stage" = "scores"}``; the command fills it in.
"""

from __future__ import annotations

import difflib
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kept import WALKED, sessions, stem
from people_driver import catch_up, scenes_of, show_state, widgets_shown
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)
from window_driver import window_on

from attention_explorer.app import make_application
from attention_explorer.errors import ExplorerError
from attention_explorer.kit import tween
from attention_explorer.kit.frame.panel import TryBox
from attention_explorer.kit.picture import Picture
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.registry import PAGE_IDS, find_preset, presets_of
from attention_explorer.pages.session_file import read_session
from attention_explorer.tools.lessons.names import with_fields

if TYPE_CHECKING:
    from attention_explorer.pages.ui.frame_page import FramePage
    from attention_explorer.window.window import MainWindow

FOLDER = Path(__file__).parents[1] / "data" / "said"
HEADING = "== "
CONTROLS = "controls"
"""The heading of what is the same in all states."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ROUNDING = re.compile(r"[−+]?\d+(?:\.\d+)?·10⁻[¹²³][⁰¹²³⁴-⁹]+")
"""Numbers smaller than 10⁻⁹: every processor has others."""
DIGITS = re.compile(r"\d+\.\d{5,}")
TABLE, MOST_OF_A_TABLE = "All numbers", 160
"""A table of all numbers, and how many letters are kept of what it says: `kept` has its arrays."""
WAY_BACK = re.compile(r" Double click[^:]*: back to the default\.")
_SETS = QAbstractButton | QAbstractSlider | QAbstractSpinBox | QComboBox | QLineEdit
Said = dict[str, list[str]]
"""By heading what is said there, a line each."""


# ---- What there is to be heard ----


def headings_of(page: str) -> list[str]:
    """Return the headings of a page that are there by themselves."""
    examples = [ready.id for ready in presets_of(page) if ready.state.lab.view is not LabView.AGAINST]
    scenes = [f"scene {scene.name}" for scene in scenes_of(page) if "drawer" not in scene.name]
    walked = [stem(path) for path in sessions() if stem(path).startswith(WALKED)]
    of_page = [name for name in walked if _page_of(name) == page]
    return [*examples, *(name for name in scenes if name.removeprefix(f"scene {page} ") not in examples), *of_page]


def _page_of(name: str) -> str:
    return read_session(_session(name)).page


def _session(name: str) -> Path:
    return next(path for path in sessions() if stem(path) == name)


def show(window: MainWindow, page: str, heading: str) -> None:
    """Have a window show what a heading names."""
    name, brace, rest = heading.partition(" {")
    if name.startswith(WALKED):
        show_state(window, read_session(_session(name)).state)
    elif name.startswith("scene "):
        next(scene for scene in scenes_of(page) if scene.name == name.removeprefix("scene ")).show(window)
    else:
        fields = tomllib.loads(f"set = {{{rest}")["set"] if brace else {}
        show_state(window, with_fields(find_preset(name, page).state, fields))
    catch_up(window)


# ---- Listening ----


def heard(window: MainWindow) -> tuple[list[str], set[str]]:
    """Return what a page says of what is on show, and its controls with their tips."""
    page: FramePage = window.page
    lines, controls = _walk(page)
    page.open_drawer(True)
    catch_up(window)
    in_drawer, more = _walk(page.drawer)
    page.open_drawer(False)
    catch_up(window)
    lines = [f"Example: {page.bar.examples[page.view.id].currentText()}", *lines, *_pointed_at(page), *in_drawer]
    return [*lines, *_of_figure(page, lines)], controls | more


def _walk(root: QWidget) -> tuple[list[str], set[str]]:
    lines, controls = list[str](), set[str]()
    for widget in widgets_shown(root):
        name, told = _text(widget, "Name"), _text(widget, "Description")
        if isinstance(widget, TryBox):
            lines.append(f"Try: {name}")
        elif isinstance(widget, _SETS) or widget.toolTip():
            tip = _plain(widget.toolTip())
            if isinstance(widget, QComboBox):
                name, tip = "", told  # its name is what is chosen
            if not widget.isEnabled() and name and tip:
                lines.append(f"Not now: {_line(name, tip)}")
            elif widget.isEnabled() and tip and not name.endswith(", exact"):
                controls.add(_line(name, WAY_BACK.sub("", tip)))
        elif told or _is_sentence(widget):
            lines.append(_line(name, told)[: MOST_OF_A_TABLE if widget.accessibleName() == TABLE else None])
    return lines, controls


def _is_sentence(widget: QWidget) -> bool:
    """Whether a widget is a label that says something, and not before a control or above a card."""
    return isinstance(widget, QLabel) and widget.text().count(" ") > 2


def _pointed_at(page: FramePage) -> Iterator[str]:
    """Yield what is said of the first things that keys lead to in the picture."""
    numbers, picture, hit = page.canvas.picture, page.view.picture, None
    if numbers is None or type(picture).item is Picture.item:
        return  # the plane of Lookup, whose words say what is chosen
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        found = picture.walk(numbers, hit, key)
        if found is not None and found != hit:
            hit = found
            yield _line("Pointed at", picture.words(numbers, hit))


def _text(widget: QWidget, kind: str) -> str:
    """Return what a screen reader is told, in a line."""
    return _plain(QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text[kind]))


def _plain(text: str) -> str:
    """Return a text in a line, without digits that are others on another processor."""
    line = " ".join(text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{WORD JOINER}", "").split())
    return DIGITS.sub(lambda found: f"{float(found[0]):.4f}", ROUNDING.sub("0", line))


def _line(name: str, told: str) -> str:
    return ": ".join(filter(None, (name, _plain(told))))


def _of_figure(page: FramePage, lines: Iterable[str]) -> Iterator[str]:
    """Yield what a figure of the page says that no line does, or why there is none."""
    try:
        told = _plain(page.figure().description)
    except ExplorerError as error:
        yield _line("No figure", str(error))
        return
    for line in lines:
        words = line.partition(": ")[2] or line
        told = told.replace(words, "…") if " " in words else told
    yield _line("Caption", told)


# ---- Reading and writing ----


def path_of(page: str) -> Path:
    return FOLDER / f"{page}.txt"


def read(page: str) -> Said:
    """Return what is approved of a page, by heading."""
    found: Said = {}
    path = path_of(page)
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith(HEADING):
            found[line.removeprefix(HEADING)] = []
        elif line and found:
            found[next(reversed(found))].append(line)
    return found


def write(page: str, said: Said) -> None:
    """Write what a page says."""
    FOLDER.mkdir(exist_ok=True)
    parts = ("\n".join((f"{HEADING}{heading}", *lines)) for heading, lines in said.items())
    path_of(page).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def same(now: str, then: str) -> bool:
    """Whether two lines say the same: the last decimal may differ by one, for processors sum differently.

    What is a whole number on one is written without decimals there, and with them where it is nearly one.
    """
    if NUMBER.sub("#", now) != NUMBER.sub("#", then):
        return False
    return all(map(_near, NUMBER.findall(now), NUMBER.findall(then)))


def _near(now: str, then: str) -> bool:
    few, many = sorted(len(each.partition(".")[2]) for each in (now, then))
    return now == then or (few in (0, many) and many > 0 and abs(float(now) - float(then)) < 1.5 * 10.0**-many)


# ---- Anew ----


def said_now(page: str, window: MainWindow) -> Said:
    """Return what a page says now, under all its headings and those that were written by hand."""
    by_hand = [heading for heading in read(page) if "{" in heading]
    said: Said = {CONTROLS: []}
    controls = set[str]()
    for heading in (*headings_of(page), *by_hand):
        show(window, page, heading)
        said[heading], found = heard(window)
        controls |= found
    said[CONTROLS] = sorted(controls)
    return said


def differences(page: str, said: Said) -> list[str]:
    """Return what a page says otherwise than approved, and says no more, as a report has them."""
    then, found = read(page), list[str]()
    for heading in dict.fromkeys((*then, *said)):
        old, new = then.get(heading, []), said.get(heading, [])
        is_same = len(old) == len(new) and all(map(same, new, old))
        lines = () if is_same else difflib.unified_diff(old, new, heading, heading, "approved", "now", n=0, lineterm="")
        found.extend(lines)
    return found


def approve() -> None:
    """Write what all pages say now, and report what they said otherwise."""
    make_application()
    tween.MILLISECONDS = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in PAGE_IDS:
            window = window_on(page, Path(folder) / "settings.ini")
            said = said_now(page, window)
            changed = differences(page, said)
            if changed:
                write(page, said)
                sys.stdout.write("\n".join((f"{path_of(page).name}:", *changed, "")))
            window.close()
