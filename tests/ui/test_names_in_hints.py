"""What a hint names is there: a button, a choice, a page, a menu or a key, in the state that the hint is read in."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from people_driver import catch_up, widgets_shown
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QWidget
from said import headings_of, show

from attention_explorer.kit.controls.text_block import TextBlock
from attention_explorer.pages.registry import PAGE_IDS

NAMED = re.compile(
    r"\b(?i:press|choose|click|switch|open|try|tick|untick)(?: on| off| to)?(?: the)? (“[^”]+”|[A-Z](?! ).*)"
)
"""What stands behind a word that asks for something to be done: a name in quotation marks, or with a capital letter."""
KEY = re.compile(r"(?:Ctrl\+|Shift\+)*(?:[A-Z]|F\d+)\b")
MENU = re.compile(r"\b(?:File|Edit|View|Page|Help) → ([A-Z][A-Za-z ]+)")
PAGE = re.compile(r"\b[Tt]he ([A-Z][a-z]+) page\b")
A_PAPER = "et al."
PAGES = {page.capitalize() for page in PAGE_IDS}


@pytest.mark.parametrize("page_id", PAGE_IDS)
def test_what_a_hint_names_is_there(page_window, page_id: str) -> None:
    window = page_window(page_id)
    actions = window.findChildren(QAction)
    portable = QKeySequence.SequenceFormat.PortableText
    keys = {key.toString(portable) for action in actions for key in action.shortcuts()}
    menus = {action.text().replace("&", "").rstrip("…") for action in actions}
    missing = set[str]()
    for heading in headings_of(page_id):
        show(window, page_id, heading)
        hints, names = {*_hints(window.page)}, {*_names(window.page)}
        window.page.open_drawer(True)
        catch_up(window)
        hints, names = hints | {*_hints(window.page)}, names | {*_names(window.page)}
        window.page.open_drawer(False)
        for hint in hints:
            unknown = [
                found for found in NAMED.findall(hint) if A_PAPER not in found and not _is_there(found, names, keys)
            ]
            unknown += [found for found in MENU.findall(hint) if found not in menus]
            unknown += [found for found in PAGE.findall(hint) if found not in PAGES]
            missing.update(f"{heading}: “{found[:40]}” is not there, in “{hint[:80]}”" for found in unknown)
    assert not missing, "\n".join(sorted(missing))


def _hints(root: QWidget) -> Iterator[str]:
    """Yield whatever is written or told by a tip."""
    for widget in widgets_shown(root):
        yield _plain(widget.toolTip())
        if isinstance(widget, TextBlock | QLabel | QAbstractButton):
            yield _plain(widget.text())


def _names(root: QWidget) -> Iterator[str]:
    """Yield what can be pressed or chosen, by all names that it has."""
    for widget in widgets_shown(root):
        if isinstance(widget, QComboBox):
            yield from (widget.itemText(row) for row in range(widget.count()))
        elif isinstance(widget, QAbstractButton | QLabel | QLineEdit):
            yield from (_plain(widget.text()), widget.accessibleName().rpartition(": ")[2])


def _plain(text: str) -> str:
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").replace("&", "").split())


def _is_there(found: str, names: set[str], keys: set[str]) -> bool:
    key = KEY.match(found)
    if key is not None and key[0] in keys:
        return True
    words = found.strip("“”").casefold()
    return any(words.startswith(name.casefold().rstrip("…")) for name in names if len(name) > 1 or f"“{name}”" == found)
