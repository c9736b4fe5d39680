"""Presenting: the picture alone, large, scene after scene; and everything as before when it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QScrollBar, QWidget
from window_driver import WindowDriver

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.lab.ui.views import views
from attention_explorer.pages.lookup.state import LookupState, LookupView
from attention_explorer.pages.registry import PAGES, find_preset
from attention_explorer.pages.session_file import write_session
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.tools.lessons import reading

OWN = ExplorerState(lookup=LookupState(query=(0.25, -1.25), temperature=2.0))


class Speaker(WindowDriver):
    """Somebody who shows things to a room."""

    @property
    def presenter(self):
        return self.window.tools.presenting

    @property
    def caption(self) -> str:
        return self.presenter._caption.text()

    def acted(self) -> None:
        for _ in range(3):
            QApplication.processEvents()

    def press_key(self, key: Qt.Key, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.window, key, modifiers)
        self.acted()

    def settle(self, qtbot) -> None:
        qtbot.waitUntil(lambda: not self.presenter.jobs.is_busy(), timeout=20_000)
        self.page.settle()
        self.acted()

    def seen(self) -> set[QWidget]:
        """The widgets of the page that are on show."""
        return {widget for widget in self.page.findChildren(QWidget) if widget.isVisible()}


@pytest.fixture
def speaker(make_window, hand) -> Speaker:
    return Speaker(make_window(OWN), hand)


@pytest.fixture
def scenes(tmp_path) -> list[str]:
    """Three session files, on three pages, whose names give their order."""
    names = []
    for number, (preset, page) in enumerate((("quiz", "lookup"), ("causal", "heads"), ("gap", "scaling")), 1):
        path = tmp_path / f"{number} {preset}.attn.json"
        write_session(path, find_preset(preset, page).state, page=page)
        names.append(str(path))
    return names


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.id)
def test_the_picture_stands_alone_and_all_comes_back(make_window, hand, qtbot, entry):
    settings = Settings(theme=ThemeChoice.LIGHT, page=entry.id, zoom=1.1)
    speaker = Speaker(make_window(None, settings), hand)
    speaker.page.settle()
    speaker.acted()
    window, page, before = speaker.window, speaker.page, speaker.window.session.state
    seen, size = speaker.seen(), page.canvas.size()
    kept = [widget for widget in (getattr(page, name) for name in page.presented) if widget.isVisible()]
    speaker.press_key(Qt.Key.Key_F5)
    window.resize(1600, 1000)
    speaker.settle(qtbot)
    assert all(widget.isVisible() for widget in (page.canvas, *kept))
    assert page.canvas.width() > 0.9 * window.width() or page.canvas.height() > 0.7 * window.height()
    assert not window.menuBar().isVisible()
    assert not window.statusBar().isVisible()
    assert not any(button.isVisible() for button in window.rail.buttons.values())
    assert not page.panel.isVisible()
    assert window.look.zoom > 1.3, "large words"
    assert window.settings.zoom == 1.1
    assert speaker.caption
    assert speaker.presenter._caption.fontMetrics().height() > 22
    speaker.press_key(Qt.Key.Key_Escape)
    window.resize(1280, 800)
    speaker.acted()
    speaker.page.settle()
    speaker.acted()
    assert window.session.state == before
    assert not window.session.can_undo
    assert window.look.zoom == 1.1
    assert speaker.seen() == seen
    assert page.canvas.size() == size


def test_the_map_of_a_head_says_once_which_it_is_and_what_its_colours_mean(speaker, qtbot):
    window, page = speaker.window, speaker.window.show_page("heads") or speaker.window.page
    page.settle()
    speaker.acted()
    foot = page.also.text()
    assert "colours end at" in foot
    assert page.also.isVisible()
    speaker.press_key(Qt.Key.Key_F5)
    window.resize(1600, 1000)
    speaker.settle(qtbot)
    speaker.acted()
    assert page.canvas.heading == "head 1 of 8"
    assert not page.title.isVisible(), "it stands in the picture"
    assert not page.also.isVisible(), "it stands in the caption"
    assert "colours end at" in speaker.caption
    speaker.press_key(Qt.Key.Key_Escape)
    page.settle()
    speaker.acted()
    assert (page.also.text(), page.also.isVisible(), page.title.isVisible()) == (foot, True, False)


def test_what_is_shown_can_still_be_touched(speaker, qtbot):
    speaker.press_key(Qt.Key.Key_F5)
    speaker.settle(qtbot)
    before = speaker.caption
    speaker.canvas.setFocus()
    speaker.key(Qt.Key.Key_Right)
    speaker.settle(qtbot)
    assert speaker.window.session.state != OWN
    assert speaker.caption != before
    assert "q = (0.35, −1.25)" in speaker.caption
    speaker.press_key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert speaker.window.session.state == OWN
    speaker.press_key(Qt.Key.Key_F5)
    assert speaker.window.menuBar().isVisible()


def test_another_page_stands_alone_too(speaker, qtbot):
    speaker.press_key(Qt.Key.Key_F5)
    speaker.window.show_page("cost")
    speaker.settle(qtbot)
    assert speaker.page.canvas.isVisible()
    assert not speaker.page.panel.isVisible()
    speaker.press_key(Qt.Key.Key_Escape)
    assert speaker.page.panel.isVisible()
    speaker.window.show_page("lookup")
    assert speaker.page.panel.isVisible()


@pytest.mark.parametrize("page", ["lookup", "lab"])
def test_a_view_that_was_left_meanwhile_leaves_no_controls_behind(speaker, qtbot, page):
    """The plane has its controls in the line below, the weights by temperature have theirs below the picture."""
    plane, temperature = Qt.Key.Key_1, Qt.Key.Key_3
    seen = speaker.seen()
    speaker.press_key(temperature, Qt.KeyboardModifier.ControlModifier)
    speaker.press_key(Qt.Key.Key_F5)
    speaker.settle(qtbot)
    speaker.press_key(plane, Qt.KeyboardModifier.ControlModifier)
    speaker.settle(qtbot)
    speaker.window.show_page(page)
    speaker.press_key(Qt.Key.Key_Escape)
    speaker.window.show_page("lookup")
    speaker.settle(qtbot)
    assert speaker.page.view.id is LookupView.PLANE
    assert speaker.seen() == seen


def test_what_an_example_says_that_has_gone_meanwhile_stays_away(speaker, qtbot):
    window = speaker.window
    window.show_preset(find_preset("causal", "heads"))
    speaker.settle(qtbot)
    speaker.page.open_drawer(True)
    speaker.settle(qtbot)
    hint, state = speaker.page.drawer.example, window.session.state
    assert hint.isVisible()
    assert hint.text()
    speaker.press_key(Qt.Key.Key_F5)
    speaker.settle(qtbot)
    window.session.apply(replace(state, heads=replace(state.heads, preset="")), "As of a file")
    speaker.settle(qtbot)
    window.resize(1024, 768)
    speaker.settle(qtbot)
    speaker.press_key(Qt.Key.Key_Escape)
    speaker.settle(qtbot)
    assert not hint.text()
    window.show_preset(find_preset("causal", "heads"))
    speaker.settle(qtbot)
    assert hint.isVisible()
    assert hint.text()


def test_scenes_are_stepped_through_and_ones_own_work_comes_back(speaker, qtbot, monkeypatch, scenes):
    speaker.key(Qt.Key.Key_Right)
    own, steps = speaker.window.session.state, speaker.steps
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_a, **_k: (list(reversed(scenes)), ""))
    speaker.window.action("present-files").trigger()
    speaker.settle(qtbot)
    assert speaker.window.session.state.lookup.preset == "quiz"
    assert speaker.caption.startswith("1 / 3   1 quiz.")
    speaker.press_key(Qt.Key.Key_PageUp)
    assert speaker.window.settings.page == "lookup", "there is none before the first"
    speaker.press_key(Qt.Key.Key_PageDown)
    speaker.settle(qtbot)
    assert speaker.window.settings.page == "heads"
    assert speaker.window.session.state.heads.preset == "causal"
    for _ in range(3):
        speaker.press_key(Qt.Key.Key_PageDown)
    speaker.settle(qtbot)
    assert speaker.caption.startswith("3 / 3")
    speaker.press_key(Qt.Key.Key_PageUp)
    assert speaker.window.settings.page == "heads"
    speaker.press_key(Qt.Key.Key_Escape)
    assert speaker.window.session.state == own
    assert speaker.window.settings.page == "lookup"
    assert speaker.window.session.history.index == steps
    speaker.undo()
    assert speaker.window.session.state == OWN


def test_ones_own_work_comes_back_even_if_its_history_was_undone(speaker, qtbot, monkeypatch, scenes):
    speaker.key(Qt.Key.Key_Right)
    own = speaker.window.session.state
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_a, **_k: (scenes, ""))
    speaker.window.tools.presenting.ask()
    for _ in range(3):
        speaker.press_key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    speaker.canvas.setFocus()
    speaker.key(Qt.Key.Key_Up)
    speaker.press_key(Qt.Key.Key_Escape)
    assert speaker.window.session.state == own


def test_a_file_that_cannot_be_read_is_said_and_nothing_begins(speaker, qtbot, monkeypatch, scenes):
    from attention_explorer.tools.presenting.ui import player

    said = []
    monkeypatch.setattr(player, "say", lambda _window, title, text: said.append(f"{title}. {text}"))
    with open(scenes[1], "w", encoding="utf-8") as file:
        file.write("{")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_a, **_k: (scenes, ""))
    speaker.window.tools.presenting.ask()
    assert len(said) == 1
    assert "2 causal.attn.json" in said[0]
    assert speaker.window.session.state == OWN
    assert speaker.window.menuBar().isVisible()


def test_the_steps_of_a_lesson_are_gone_through(speaker, qtbot):
    window = speaker.window
    window.tools.lessons.start(reading.lessons()[2])
    speaker.press_key(Qt.Key.Key_F5)
    speaker.settle(qtbot)
    card = window.tools.lesson_card
    assert card.isVisible()
    speaker.press_key(Qt.Key.Key_PageDown)
    assert "Step 1 of" in card.spoken(), "a task is done first"
    speaker.press(card.tell)
    speaker.press_key(Qt.Key.Key_PageDown)
    assert "Step 2 of" in card.spoken()
    speaker.press_key(Qt.Key.Key_PageUp)
    assert "Step 1 of" in card.spoken()
    speaker.press_key(Qt.Key.Key_Escape)
    assert window.tools.has_lesson
    window.tools.leave_lesson()
    assert window.session.state == OWN


def test_a_hand_out_is_written_from_the_list_of_lessons(speaker, monkeypatch, tmp_path, qtbot):
    out = tmp_path / "sheet"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(out), ""))
    speaker.window.tools.show_lessons()
    button = next(way for way in speaker.window.instead.ways if way.text() == "Hand-out…")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert speaker.told == "sheet.pdf is being written …"
    qtbot.waitUntil(lambda: speaker.told == "Saved sheet.pdf", timeout=30_000)
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF-")


def test_a_hand_out_of_another_kind_of_file_is_refused(speaker, monkeypatch, tmp_path, qtbot):
    out, said = tmp_path / "sheet.docx", []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(out), ""))
    monkeypatch.setattr("attention_explorer.tools.presenting.ui.figure.say", lambda *words: said.append(words[1:]))
    speaker.window.tools.hand_out(reading.lessons()[0])
    qtbot.waitUntil(lambda: bool(said))
    assert said == [("Not saved", "A hand-out is a PDF file: let “sheet.docx” end in .pdf.")]
    assert not out.exists()


def test_what_records_is_not_presented(speaker, qtbot):
    tools = speaker.window.tools
    tools.recorder.start()
    speaker.settle(qtbot)
    assert tools.recorder.strip.isVisible()
    speaker.press_key(Qt.Key.Key_F5)
    speaker.settle(qtbot)
    assert not tools.recorder.strip.isVisible()
    assert tools.recorder.strip is not None, "it goes on"
    speaker.press_key(Qt.Key.Key_Escape)
    speaker.settle(qtbot)
    assert tools.recorder.strip.isVisible()


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.id)
@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (1366, 700)])
def test_words_are_large_and_nothing_is_cut_in_any_window(make_window, hand, qtbot, entry, size):
    speaker = Speaker(make_window(None, Settings(theme=ThemeChoice.LIGHT, page=entry.id)), hand)
    speaker.press_key(Qt.Key.Key_F5)
    speaker.window.resize(*size)
    speaker.settle(qtbot)
    window, page = speaker.window, speaker.page
    assert window.look.zoom >= 1.25
    for widget in (*(getattr(page, name) for name in page.presented), speaker.presenter._caption):
        box = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
        assert window.rect().contains(box) or not widget.isVisible()
    assert all(not bar.maximum() for bar in page.findChildren(QScrollBar) if bar.isVisible())
    assert page.canvas.width() > 0.9 * window.width() or page.canvas.height() > 0.5 * window.height()


def test_a_lesson_is_presented_whole_and_larger(speaker, qtbot):
    window = speaker.window
    window.tools.lessons.start(reading.lessons()[6])
    speaker.press_key(Qt.Key.Key_F5)
    window.resize(1024, 768)
    speaker.settle(qtbot)
    assert window.look.zoom > 1.15
    assert window.rect().contains(QRect(speaker.canvas.mapTo(window, QPoint(0, 0)), speaker.canvas.size()))
    assert speaker.canvas.height() > 0.35 * window.height()


# ---- Keys of the page, and a caption of one's own ----


@pytest.fixture
def lecture(make_window, hand, qtbot) -> Speaker:
    """The price on Lab, presented."""
    state = ExplorerState(lab=LabState(LabView.COST))
    speaker = Speaker(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="lab")), hand)
    speaker.press_key(Qt.Key.Key_F5)
    speaker.settle(qtbot)
    return speaker


@pytest.fixture
def line(lecture):
    return lecture.presenter._line


def key_of(view: LabView) -> Qt.Key:
    return Qt.Key(Qt.Key.Key_1 + [offered.id for offered in views(lambda: None)].index(view))


def test_views_and_the_main_quantity_have_their_keys(lecture, qtbot):
    norm = key_of(LabView.NORM), Qt.KeyboardModifier.ControlModifier
    lecture.press_key(*norm)
    assert lecture.page.view.id is LabView.NORM
    lecture.press_key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    lecture.settle(qtbot)
    assert lecture.page.view.id is LabView.COST
    before = lecture.page.state.n
    lengths = [before]
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Minus, Qt.Key.Key_Equal):
        lecture.key(key)
        lengths.append(lecture.page.state.n)
    assert lengths[1] > before > lengths[3]
    assert lengths[2] == lengths[4] == before
    assert lecture.page.main.isVisible()
    lecture.press_key(Qt.Key.Key_Escape)
    assert lecture.window.menuBar().isVisible()
    lecture.press_key(*norm)
    assert lecture.page.view.id is LabView.NORM, "the menu has its keys again"


def test_keys_are_those_of_the_page_that_was_turned_to(lecture, qtbot):
    lecture.window.show_page("lookup")
    lecture.settle(qtbot)
    lecture.press_key(key_of(LabView.NORM), Qt.KeyboardModifier.ControlModifier)
    lecture.window.show_page("lab")
    lecture.settle(qtbot)
    assert lecture.page.view.id is LabView.COST
    lecture.press_key(key_of(LabView.NORM), Qt.KeyboardModifier.ControlModifier)
    assert lecture.page.view.id is LabView.NORM


def test_a_caption_is_written_with_f2_and_escape_leaves_the_line_first(lecture, line):
    assert not line.isVisible()
    lecture.press_key(Qt.Key.Key_F2)
    assert QApplication.focusWidget() is line
    QTest.keyClicks(line, "Twice as long is 4 times as dear+")
    lecture.acted()
    lecture.press_key(Qt.Key.Key_Escape)
    assert lecture.presenter.is_on
    assert QApplication.focusWidget() is lecture.canvas
    assert (line.text(), line.isVisible()) == ("Twice as long is 4 times as dear+", True)
    assert line.fontMetrics().height() > lecture.presenter._caption.fontMetrics().height()
    assert lecture.window.rect().contains(QRect(line.mapTo(lecture.window, QPoint(0, 0)), line.size()))
    lecture.press_key(Qt.Key.Key_Escape)
    assert not lecture.presenter.is_on
    assert not line.isVisible()
    assert not lecture.window.session.can_undo


def test_each_picture_has_the_caption_that_was_written_below_it(lecture, line, qtbot):
    lecture.press_key(Qt.Key.Key_F2)
    QTest.keyClicks(line, "Dear")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert lecture.presenter.is_on
    assert QApplication.focusWidget() is lecture.canvas
    lecture.press_key(key_of(LabView.NORM), Qt.KeyboardModifier.ControlModifier)
    lecture.settle(qtbot)
    assert not line.isVisible()
    lecture.press_key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    lecture.settle(qtbot)
    assert (line.text(), line.isVisible()) == ("Dear", True)
    lecture.press_key(Qt.Key.Key_F5)
    assert not line.isVisible()
    lecture.press_key(Qt.Key.Key_F5)
    assert (line.text(), line.isVisible()) == ("Dear", True), "it is there the next time"


def test_a_caption_that_is_wiped_or_never_written_is_away(lecture, line):
    for text in ("x", "", "  "):
        lecture.press_key(Qt.Key.Key_F2)
        line.selectAll()
        QTest.keyClick(line, Qt.Key.Key_Delete)
        QTest.keyClicks(line, text)
        lecture.press_key(Qt.Key.Key_Escape)
        assert line.isVisible() == (text == "x")
    assert lecture.presenter.is_on
