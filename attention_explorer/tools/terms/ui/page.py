"""The help window: glossary, keys, sources, what the numbers are, and how to write a lesson. One field searches all."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from itertools import chain

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.terms import Term, terms
from attention_explorer.kit.controls.made import button, in_column, in_row, words
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.theme import Look
from attention_explorer.pages.registry import PAGES
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons.writing import sections
from attention_explorer.tools.terms.references import NUMBERS, PAPERS, TO_READ_ON, Reference
from attention_explorer.tools.terms.ui.panel import IN_A_LESSON, TermView

TABS = ("Glossary", "Keys", "Sources", "The numbers", "Write a lesson")
GLOSSARY, KEYS, SOURCES, THE_NUMBERS, LESSONS = range(5)
_ANYWHERE = Qt.AlignmentFlag(0)


def _has(words: Sequence[str], *texts: str) -> bool:
    """Whether each word stands somewhere in some texts."""
    within = " ".join(texts).casefold()
    return all(word in within for word in words)


class _Rows(QWidget):
    """Rows of words under headings, of which only those with the words that are looked for are shown."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._grid = QGridLayout(self)
        self._grid.setHorizontalSpacing(look.px(24))
        self._least = look.px(215)
        self._grid.setVerticalSpacing(look.px(6))
        self._grid.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(12))
        self._sections: list[tuple[QLabel, list[tuple[str, tuple[QLabel, ...]]]]] = []
        self._words: tuple[str, ...] = ()
        self._end = 0

    def add_section(
        self, title: str, rows: Sequence[tuple[str, ...]], *, is_linked: bool = False, is_small: bool = False
    ) -> None:
        """Add rows below a heading, with one or two columns."""
        heading = words(title, "cardTitle" if is_small else "title")
        self._put(heading, 0, 2)
        section = []
        for row in rows:
            labels = tuple(words(text, "link" * is_linked, wraps=True, has_links=is_linked) for text in row)
            if len(labels) == 2:
                self._grid.setColumnMinimumWidth(0, self._least)
                labels[0].setObjectName("cardTitle")
                self._grid.addWidget(labels[0], self._end, 0, Qt.AlignmentFlag.AlignTop)
                self._put(labels[1], 1, 1, Qt.AlignmentFlag.AlignTop)
            else:
                self._put(labels[0], 0, 2)
            section.append((" ".join(row), labels))
        self._sections.append((heading, section))
        self._grid.setColumnStretch(1, 1)
        self._grid.setRowStretch(self._end - 1, 0)
        self._grid.setRowStretch(self._end, 1)
        self.filter(self._words)

    def _put(self, label: QLabel, column: int, span: int, where: Qt.AlignmentFlag = _ANYWHERE) -> None:
        self._grid.addWidget(label, self._end, column, 1, span, where)
        self._end += 1

    def filter(self, words: tuple[str, ...]) -> int:
        """Show the rows in which all words stand, or whose heading has them; return how many there are."""
        self._words, count = words, 0
        for heading, rows in self._sections:
            shown = [_has(words, heading.text(), text) for text, _ in rows]
            for show, (_, labels) in zip(shown, rows, strict=True):
                for label in labels:
                    label.setVisible(show)
            heading.setVisible(any(shown))
            count += sum(shown)
        self._fit()
        return count

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _fit(self) -> None:
        """Be as high as all rows at this width: Qt asks how high they are at another."""
        self._grid.invalidate()
        self.setMinimumHeight(max(self._grid.heightForWidth(self.width()), 0))  # −1 if nothing is found


class _Glossary(QWidget):
    """The list of terms, and what the chosen one means."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.list = QListWidget()
        self.list.setAccessibleName("Terms")
        self.list.setObjectName("list")
        self.list.setFixedWidth(look.px(200))
        self.view = TermView(look)
        for term in terms():
            item = QListWidgetItem(term.name)
            item.setData(Qt.ItemDataRole.UserRole, term)
            self.list.addItem(item)
        row = QHBoxLayout(self)
        row.setSpacing(look.px(16))
        row.addWidget(self.list)
        panel = QWidget()
        in_column(self.view, None, within=panel)
        row.addWidget(ColumnScroll(panel), 1)
        panel.setAutoFillBackground(False)  # which the scroll area has switched on

    def filter(self, words: tuple[str, ...]) -> int:
        """Show the terms in which all words stand, those whose name begins so first; return how many there are."""
        count, best = 0, None
        for item, term in self.items():
            shown = _has(words, term.name, term.says, *term.also, *term.quiet)
            item.setHidden(not shown)
            count += shown
            is_named = bool(words) and term.name.casefold().startswith(words[0])
            if shown and (best is None or (is_named and not best[1])):
                best = item, is_named
        current = self.list.currentItem()
        if best is not None and (words or current is None):
            self.list.setCurrentItem(best[0])
        return count

    def items(self) -> list[tuple[QListWidgetItem, Term]]:
        """Return each entry with its term."""
        found = (self.list.item(row) for row in range(self.list.count()))
        return [(item, item.data(Qt.ItemDataRole.UserRole)) for item in found]


class HelpWindow(QDialog):
    """Stands beside the window and answers questions.

    Signals
    -------
    show_wanted : Term
        The preset of a term is to be shown in the window.
    """

    show_wanted = Signal(object)

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window, look = window, window.look
        self.setWindowTitle("Help")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search terms, keys and sources")
        self.field.setAccessibleName("Search the help")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._filter)
        self._adding = QTimer(self, interval=0)
        """Adds the rest of the rows, a section at a time: so many labels take long. It starts when they are needed."""
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Help")
        self.glossary = _Glossary(look)
        self.keys, self.sources, self.numbers, self.lessons = _Rows(look), _Rows(look), _Rows(look), _Rows(look)
        self._fill()
        self._filters: tuple[Callable[[tuple[str, ...]], int], ...] = (
            self.glossary.filter,
            self.keys.filter,
            self.sources.filter,
            self.numbers.filter,
            self.lessons.filter,
        )
        for part, name in zip((self.keys, self.sources, self.numbers), TABS[KEYS:LESSONS], strict=True):
            self.tabs.addTab(_scrolled(part, name), name)
        self.tabs.insertTab(GLOSSARY, self.glossary, TABS[GLOSSARY])
        self.tabs.addTab(self._writing(), TABS[LESSONS])
        column = QVBoxLayout(self)
        column.addWidget(self.field)
        column.addWidget(self.tabs, 1)
        self.glossary.list.currentItemChanged.connect(self._explain)
        self.glossary.view.show_wanted.connect(self.show_wanted)
        self._filter("")
        room = window.height() - 60
        self.resize(min(look.px(680), window.width() - 40), min(look.px(560), max(room, 300)))

    # ---- What is in it ----

    def _writing(self) -> QWidget:
        """Return the tab about lesson files: the example stays in view above the format."""
        offers, tab = self._window.tools.offers, QWidget()
        self.play = button(
            "Open the example", "Play a lesson of three steps that was written to be changed", self.accept
        )
        self.play.clicked.connect(offers.start_example)
        tip = "Write its file to a folder of yours, with comments on what stands there"
        self.save = button("Save the example…", tip, offers.save_example)
        for each in (self.play, self.save):
            each.setAutoDefault(False)
        column = QVBoxLayout(tab)
        column.addLayout(in_row(self.play, self.save, None))
        column.addWidget(_scrolled(self.lessons, TABS[LESSONS]), 1)
        return tab

    def _fill(self) -> None:
        entry = next(entry for entry in PAGES if entry.id == self._window.settings.page)
        self.keys.add_section(entry.title, entry.kind.keys_offered())
        self.keys.add_section("Every page", self._window.keys_offered())
        others = ((other.title, other.kind.keys_offered()) for other in PAGES if other is not entry)
        self._rest = chain(((self.keys, of_page) for of_page in others), ((self.lessons, each) for each in sections()))
        self._adding.timeout.connect(self._add_section)
        self.tabs.currentChanged.connect(self._on_tab)
        self.sources.add_section("Papers cited", [(_line(paper),) for paper in PAPERS], is_linked=True)
        self.sources.add_section("Further reading", [(_line(reading),) for reading in TO_READ_ON], is_linked=True)
        for heading, text in NUMBERS:
            self.numbers.add_section(heading, [(text,)], is_small=True)

    def _on_tab(self, tab: int) -> None:
        if tab in (KEYS, LESSONS):
            self._adding.start()

    def _add_section(self) -> None:
        """Add the keys of one more page, or one more section about lesson files, and say how much is found now."""
        added = next(self._rest, None)
        if added is None:
            self._adding.stop()
        else:
            rows, (title, lines) = added
            rows.add_section(title, lines)
            self._search()

    def _explain(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            reason = IN_A_LESSON if self._window.tools.has_lesson else ""
            self.glossary.view.show_term(item.data(Qt.ItemDataRole.UserRole), reason=reason)

    # ---- Searching ----

    def _filter(self, text: str) -> None:
        if text.strip():
            self._adding.start()  # or else nothing would be found in what nobody has opened yet
        self._search()

    def _search(self) -> None:
        """Show what has the words of the field, on the first tab that has some if this one has none."""
        counts = self._count()
        if self.field.text().strip() and not counts[self.tabs.currentIndex()] and any(counts):
            self.tabs.setCurrentIndex(next(place for place, count in enumerate(counts) if count))

    def _count(self) -> list[int]:
        """Show what has the words of the field, and say on each tab how much that is."""
        words = tuple(self.field.text().casefold().split())
        counts = [filter_(words) for filter_ in self._filters]
        for place, (name, count) in enumerate(zip(TABS, counts, strict=True)):
            self.tabs.setTabText(place, f"{name} ({count})" if words else name)
        return counts

    def show_tab(self, tab: int) -> None:
        """Show a tab; the keyboard goes to the field."""
        self.tabs.setCurrentIndex(tab)
        self._on_tab(tab)
        self.field.setFocus()


def _scrolled(rows: QWidget, name: str) -> ColumnScroll:
    scroll = ColumnScroll(rows)
    scroll.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # to be scrolled by keys
    scroll.setAccessibleName(name)
    return scroll


def _line(reference: Reference) -> str:
    """Return a reference whose title is a link; the browser opens it, not the program."""
    link = f'<a href="{html.escape(reference.link)}" style="color: palette(text)">{reference.title}</a>'
    return f"{reference.cited}. {link}"
