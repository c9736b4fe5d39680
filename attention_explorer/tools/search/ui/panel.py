"""The search of a window: a field, below it what the typed letters find, and the way there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from attention_explorer.core.terms import terms
from attention_explorer.kit.accessible import announce
from attention_explorer.kit.controls.made import Card, in_column, words
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.reach import written
from attention_explorer.kit.theme import Look
from attention_explorer.pages.registry import PAGES, PARTS, presets_in
from attention_explorer.session.jobs import Working
from attention_explorer.session.later import later
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.lesson import Lesson

# ---- What can be found ----


NOT_FOUND = 9


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to go to or to do.

    Attributes
    ----------
    kind : str
        What it is: “Preset”, “Term” …
    title : str
        What it is called.
    note : str
        What else is said of it; it is searched too, and counts least.
    words : tuple of str
        Other names of it.
    keys : str
        The keys that do the same.
    run : callable
        Goes there, or does it.
    """

    kind: str
    title: str
    note: str = ""
    words: tuple[str, ...] = ()
    keys: str = ""
    run: Callable[[], object] = field(default=lambda: None, compare=False)


def found(entries: Iterable[Entry], text: str) -> tuple[Entry, ...]:
    """Return the entries that a text finds, the best first; all of them if it is empty.

    Best are titles that begin with it, then those whose words begin with all that was typed, then other names, and last
    those that have it anywhere. Equally good ones keep their order.
    """
    typed = text.casefold().split()
    if not typed:
        return tuple(entries)
    ranked = [(_rank(entry, typed), entry) for entry in entries]
    kept = [pair for pair in ranked if pair[0] < NOT_FOUND]
    return tuple(entry for _, entry in sorted(kept, key=lambda pair: pair[0]))


def _rank(entry: Entry, typed: Sequence[str]) -> int:
    title, names = entry.title.casefold(), " ".join((entry.title, entry.kind, *entry.words)).casefold()
    if title.startswith(" ".join(typed)):
        return 0
    if _begin(title, typed):
        return 1
    if _begin(names, typed):
        return 2
    if all(each in names for each in typed):
        return 3
    everything = f"{names} {entry.note.casefold()}"
    return 4 if all(each in everything for each in typed) else NOT_FOUND


def _begin(text: str, typed: Sequence[str]) -> bool:
    """Whether each typed word is the beginning of a word of a text."""
    words = [word.strip("“”(),:;.") for word in text.replace("-", " ").split()] + text.split()
    return all(any(word.startswith(each) for word in words) for each in typed)


WIDE, ROWS, FEWEST_ROWS = 620, 11, 3
"""Pixels at 100 %, and how many entries are seen at a time, at most and at least."""
ROW_HIGH = 30
NOTHING = "Nothing is called so. Try another word."
_WALKING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)

_Index = QModelIndex | QPersistentModelIndex


class _Found(QAbstractListModel):
    """What was found."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: tuple[Entry, ...] = ()

    def show(self, entries: tuple[Entry, ...]) -> None:
        """Hold other entries."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 # as Qt has it
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{entry.title}, {entry.kind}"
        return entry if role == Qt.ItemDataRole.UserRole else None


class _Row(QStyledItemDelegate):
    """Draws an entry: its title, what is said of it, and at the right what it is."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(0, self._look.px(ROW_HIGH))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry, look = index.data(Qt.ItemDataRole.UserRole), self._look
        box: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, colour_of(look.theme.track))
        room = box.adjusted(look.px(12), 0, -look.px(12), 0)
        right = f"{entry.kind}   {entry.keys}" if entry.keys else entry.kind
        end = self._write(painter, room, right, muted=True, at_right=True)
        room.setRight(room.right() - end - look.px(16))
        wide = self._write(painter, room, entry.title, muted=False)
        room.setLeft(room.left() + wide + look.px(10))
        if room.width() > look.px(60):
            self._write(painter, room, entry.note, muted=True)
        painter.restore()

    def _write(self, painter: QPainter, room: QRect, text: str, *, muted: bool, at_right: bool = False) -> int:
        look = self._look
        font = look.font(12.5 if muted else 13.0, bold=not muted)
        metrics = QFontMetrics(font)
        short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.muted if muted else look.theme.text))
        side = Qt.AlignmentFlag.AlignRight if at_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, short)
        return metrics.horizontalAdvance(short)


class SearchBox(QDialog):
    """Finds while somebody types; Enter or a click takes an entry, Esc or a click elsewhere closes it.

    Signals
    -------
    chosen : Entry
        It was taken; the box is closed.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.look = look
        self.setAccessibleName("Search")
        self._entries: tuple[Entry, ...] = ()
        self.field, self.list = QLineEdit(), QListView()
        self.field.setPlaceholderText("Search examples, terms, pages, commands and lessons")
        self.field.setAccessibleName("Search examples, terms, pages, commands and lessons")
        self.list.setAccessibleName("Found")
        self.list.setObjectName("list")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the field
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.model = _Found(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Row(look, self))
        self.list.setMinimumHeight(look.px(ROW_HIGH) * FEWEST_ROWS)
        self.none = words(NOTHING, "muted")
        self.none.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.none.setMinimumHeight(self.list.minimumHeight())
        card = Card(look)
        card.setFixedWidth(look.px(WIDE))
        card.body.addWidget(self.field)
        card.body.addWidget(self.list)
        card.body.addWidget(self.none)
        in_column(card, within=self)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._find)
        self.list.clicked.connect(self._take)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Search among these from now on."""
        self._entries = tuple(entries)
        self._find(self.field.text())

    def open_over(self, window: QWidget) -> None:
        """Open at the top of a window, in its middle, with nothing typed and as many entries as there is room for."""
        self.field.clear()
        top, row = min(60, window.height() // 12), self.look.px(ROW_HIGH)
        least = self.minimumSizeHint().height()
        more = min(max((window.height() - top - least) // row, 0), ROWS - FEWEST_ROWS)
        self.resize(self.sizeHint().width(), least + more * row)
        place = window.mapToGlobal(window.rect().topLeft())
        self.move(place.x() + (window.width() - self.width()) // 2, place.y() + top)
        self.show()
        self.field.setFocus()

    # ---- Finding ----

    def _find(self, text: str) -> None:
        self.model.show(found(self._entries, text))
        self.list.setVisible(bool(self.model.entries))
        self.none.setVisible(not self.model.entries)
        self._go_to(0)

    def _go_to(self, row: int) -> None:
        count = len(self.model.entries)
        if not count:
            announce(self.field, NOTHING)
            return
        row = min(max(row, 0), count - 1)
        index = self.model.index(row)
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)
        announce(self.field, f"{index.data()}, {row + 1} of {count}")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            key, row = Qt.Key(event.key()), self.list.currentIndex().row()
            if key in _WALKING:
                page = self.list.height() // self.look.px(ROW_HIGH) - 1
                self._go_to(row + dict(zip(_WALKING, (-1, 1, -page, page), strict=True))[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _take(self, index: QModelIndex) -> None:
        if index.isValid():
            entry = self.model.entries[index.row()]
            self.accept()
            self.chosen.emit(entry)


NOT_OFFERED = ("search", *(f"page-{entry.id}" for entry in PAGES))
"""Actions of the window that the search leaves out: itself, and the pages, which it lists as such."""


class Searcher(QObject):
    """The search of a window, which is its parent."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window = window
        self._lessons: tuple[Lesson, ...] = ()
        self.box: SearchBox | None = None
        self.working = Working(self)  # reading all lessons takes longer than a window may stand still
        self.working.find_out(reading.lessons, self._on_lessons)  # the lessons page says what is wrong with them

    def open(self) -> None:
        """Open the box."""
        if self.box is None or self.box.look != self._window.look:
            if self.box is not None:
                self.box.deleteLater()  # else every change of the look would leave one
            self.box = SearchBox(self._window, self._window.look)
            # Once the box has given the keyboard back.
            self.box.chosen.connect(lambda entry: later(self, lambda: entry.run()))
        self.box.set_entries(tuple(self.entries()))
        self.box.open_over(self._window)

    def _on_lessons(self, lessons: tuple[Lesson, ...]) -> None:
        self._lessons = lessons
        if self.box is not None:
            self.box.set_entries(tuple(self.entries()))

    def entries(self) -> Iterator[Entry]:
        """Yield all that can be found now: in a lesson no presets, which would take its place."""
        window = self._window
        for number, page in enumerate(PAGES, 1):
            yield Entry(
                "Page", page.title, page.tip, (page.id,), written(f"Alt+{number}"), partial(window.show_page, page.id)
            )
        for lesson in self._lessons:
            note = f"{lesson.minutes:g} min. {lesson.learned}"
            yield Entry("Lesson", lesson.title, note, (), "", partial(window.tools.lessons.start, lesson))
        if not window.tools.has_lesson:
            yield from self._presets()
        for term in terms():
            words = (*term.also, *term.quiet)
            yield Entry("Term", term.name, term.says, words, "", partial(window.tools.terms.explain, term.name))
        yield from self._commands()

    def _presets(self) -> Iterator[Entry]:
        titles = {page.id: page.title for page in PAGES}
        for part in PARTS:
            for ready in presets_in(part):
                run = partial(self._window.show_preset, ready)
                yield Entry(f"Example · {titles[ready.page]}", ready.title, ready.look_for, (ready.id,), "", run)

    def _commands(self) -> Iterator[Entry]:
        """Yield what the menus offer now."""
        window = self._window
        page = window.page
        for offered in page.actions_offered():
            if offered.text:
                keys, run = written(offered.shortcut), partial(offered.run, page)
                yield Entry("Command", offered.text.rstrip("…"), offered.tip, (), keys, run)
        for action in window.actions_offered():
            if action.isEnabled() and action.menu() is None and action.objectName() not in NOT_OFFERED:
                title = action.text().replace("&", "").rstrip("…")
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                yield Entry("Command", title, action.statusTip(), (), keys, action.trigger)
