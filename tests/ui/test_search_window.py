"""The search: opened, walked and used by real keys and clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_driver import WindowDriver

from attention_explorer.core.terms import terms
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGE_IDS, PAGES, presets_of
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.search.ui.panel import ROW_HIGH, SearchBox
from attention_explorer.window.actions import WINDOW_ACTIONS

CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


class Seeker(WindowDriver):
    """Somebody who looks for something."""

    @property
    def searcher(self):
        return self.window.tools.search

    @property
    def box(self):
        return self.searcher.box

    def open(self, text: str = "") -> None:
        self.key(Qt.Key.Key_K, CTRL)
        assert self.box.isVisible()
        QTest.keyClicks(self.box.field, text)

    def titles(self) -> list[str]:
        return [entry.title for entry in self.box.model.entries]

    def kinds(self) -> set[str]:
        return {entry.kind.partition(" · ")[0] for entry in self.box.model.entries}

    def press_key(self, key: Qt.Key) -> None:
        QTest.keyClick(self.box.field, key)
        QApplication.processEvents()
        QApplication.processEvents()

    @property
    def current(self) -> str:
        return self.box.model.entries[self.box.list.currentIndex().row()].title


@pytest.fixture
def seeker(make_window, hand) -> Seeker:
    return Seeker(make_window(), hand)


def test_everything_is_in_it(seeker, qtbot):
    seeker.open()
    qtbot.waitUntil(lambda: "Lesson" in seeker.kinds(), timeout=20_000)
    titles = seeker.titles()
    wanted = [
        *(page.title for page in PAGES),
        *(lesson.title for lesson in reading.lessons()),
        *(ready.title for page in PAGE_IDS for ready in presets_of(page)),
        *(term.name for term in terms()),
        *(offered.text.rstrip("…") for offered in seeker.page.actions_offered() if offered.text),
    ]
    assert [title for title in wanted if title not in titles] == []
    for spec in WINDOW_ACTIONS:
        action = seeker.window.action(spec.id)
        if action.isEnabled() and not action.menu() and spec.id not in ("search",):
            plain = action.text().replace("&", "").rstrip("…")
            assert plain in titles or plain.split(" ", 1)[-1] in titles


def test_the_box_wears_the_look_of_the_window_and_there_is_one_of_it(seeker):
    for zoom in (1.0, 1.25, 1.5):
        seeker.window.set_zoom(zoom)
        seeker.open()
        assert seeker.box.look.zoom == zoom
        seeker.press_key(Qt.Key.Key_Escape)
        seeker.window.activateWindow()
        QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert seeker.window.findChildren(SearchBox) == [seeker.box]


@pytest.mark.parametrize(("zoom", "rows"), [(1.0, 11), (2.0, 10)])
def test_all_of_the_box_is_within_a_low_window_with_whole_entries(seeker, qtbot, zoom, rows):
    seeker.window.resize(1366, 768)
    seeker.window.set_zoom(zoom)
    seeker.open()
    assert seeker.window.frameGeometry().contains(seeker.box.frameGeometry())
    assert seeker.box.list.height() == rows * seeker.box.look.px(ROW_HIGH)
    qtbot.waitUntil(lambda: "Lesson" in seeker.kinds())  # they come from a worker, and begin the list again
    seeker.press_key(Qt.Key.Key_PageDown)
    assert seeker.box.list.currentIndex().row() == rows - 1


def test_a_preset_is_found_by_letters_and_taken_by_enter(seeker):
    seeker.open("runn")
    assert seeker.current == "Running mean"
    seeker.press_key(Qt.Key.Key_Return)
    assert not seeker.box.isVisible()
    assert seeker.window.settings.page == "heads"
    assert seeker.window.session.state.heads.preset == "running-mean"
    seeker.undo()
    assert seeker.window.session.state == ExplorerState()


def test_arrows_walk_what_was_found_and_stop_at_the_ends(seeker):
    seeker.open("mask")
    titles = seeker.titles()
    seeker.press_key(Qt.Key.Key_Up)
    assert seeker.current == titles[0]
    seeker.press_key(Qt.Key.Key_Down)
    seeker.press_key(Qt.Key.Key_Down)
    assert seeker.current == titles[2]
    seeker.press_key(Qt.Key.Key_PageDown)
    seeker.press_key(Qt.Key.Key_PageDown)
    seeker.press_key(Qt.Key.Key_PageDown)
    seeker.press_key(Qt.Key.Key_PageDown)
    assert seeker.current == titles[min(len(titles) - 1, 42)]


def test_a_command_is_carried_out(seeker):
    seeker.open("dark col")
    assert seeker.current == "Dark colours"
    seeker.press_key(Qt.Key.Key_Return)
    assert seeker.window.look.theme.name == "dark"


def test_a_command_of_the_page_too(seeker):
    hard = seeker.window.session.state.lookup.hard
    seeker.open("hard or")
    seeker.press_key(Qt.Key.Key_Enter)
    assert seeker.window.session.state.lookup.hard is not hard


def test_what_cannot_be_done_now_is_not_offered(seeker):
    seeker.open("undo")
    assert "Undo" not in seeker.titles()
    seeker.press_key(Qt.Key.Key_Escape)
    seeker.window.activateWindow()
    QApplication.processEvents()
    seeker.key(Qt.Key.Key_Right)
    seeker.open("undo")
    assert seeker.current == "Undo “Nudge query”"


def test_a_click_takes_an_entry_and_a_term_is_explained(seeker):
    seeker.open("entropy")
    view = seeker.box.list
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.currentIndex()).center())
    QApplication.processEvents()
    QApplication.processEvents()
    explainer = seeker.window.tools.terms
    assert explainer.card.isVisible()
    assert explainer.card.view.term.name == "entropy"


def test_escape_leaves_everything_as_it_was_and_what_finds_nothing_does_nothing(seeker):
    before = seeker.window.session.state
    seeker.open("qwertz")
    assert seeker.titles() == []
    seeker.press_key(Qt.Key.Key_Return)
    assert seeker.box.isVisible()
    seeker.press_key(Qt.Key.Key_Escape)
    assert not seeker.box.isVisible()
    assert seeker.window.session.state == before


def test_a_lesson_is_begun_and_offers_no_presets(seeker, qtbot):
    seeker.open()
    qtbot.waitUntil(lambda: "Lesson" in seeker.kinds(), timeout=20_000)
    QTest.keyClicks(seeker.box.field, reading.lessons()[0].title)
    seeker.press_key(Qt.Key.Key_Return)
    assert seeker.window.tools.has_lesson
    seeker.window.tools.search.open()
    assert "Example" not in seeker.kinds()
    assert {"Term", "Page", "Lesson", "Command"} <= seeker.kinds()


def test_a_reader_hears_what_is_chosen(seeker, monkeypatch):
    from attention_explorer.tools.search.ui import panel

    heard = []
    monkeypatch.setattr(panel, "announce", lambda _widget, sentence: heard.append(sentence))
    seeker.open("soft lookup")
    assert heard[-1] == "soft lookup, Term, 1 of 1" or heard[-1].startswith("soft lookup, Term, 1 of ")


# ---- Keys of pages ----


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_alt_and_a_number_show_a_page_and_its_tip_says_so(seeker, number):
    seeker.key(Qt.Key(Qt.Key.Key_1 + number), ALT)
    assert seeker.window.settings.page == PAGES[number].id
    assert seeker.window.rail.buttons[PAGES[number].id].toolTip().endswith(f"(Alt+{number + 1})")


def test_page_keys_with_ctrl_go_round_the_rail(seeker):
    for entry in (*PAGES[1:], PAGES[0]):
        seeker.key(Qt.Key.Key_PageDown, CTRL, widget=seeker.window)
        assert seeker.window.settings.page == entry.id
    seeker.key(Qt.Key.Key_PageUp, CTRL, widget=seeker.window)
    assert seeker.window.settings.page == PAGES[-1].id
