"""A lesson made by doing, in the window: the strip hears what is done, and the page of steps puts it in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from heads_driver import Watch
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from test_lessons import Learner
from test_people_names import unnamed

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import find_preset
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.tools.lessons.lesson import Kind
from attention_explorer.tools.lessons.reading import read_lesson
from attention_explorer.tools.lessons.recording import SOON
from attention_explorer.tools.lessons.ui.step_form import WordsField


class Teacher(Learner):
    """Somebody who records a lesson."""

    def __init__(self, window, hand) -> None:
        super().__init__(window, hand)
        self.recorder.clock = lambda: self.time

    @property
    def recorder(self):
        return self.window.tools.recorder

    @property
    def strip(self):
        return self.recorder.strip

    @property
    def steps_page(self):
        return self.recorder.page

    @property
    def moments(self):
        return self.recorder.recording.moments

    def record(self) -> None:
        self.window.action("record-lesson").trigger()
        self.later()

    def later(self) -> None:
        """Let some time pass, so that what comes next is a step of its own."""
        self.time += 2 * SOON
        QApplication.processEvents()

    def show(self, preset: str, page: str = "") -> None:
        self.window.show_preset(find_preset(preset, page))
        self.later()

    def finish(self) -> None:
        self.press(self.strip.finish)
        self.checked()

    def checked(self) -> None:
        """Wait until the check has said what it finds, and the questions are there."""
        if self.recorder._soon.isActive():
            self.recorder._soon.stop()
            self.recorder._check()
        for working in (self.recorder.checking, self.recorder.proposing):
            assert working.jobs.wait(120)

    def ask(self, form) -> None:
        """Ask the first question that is proposed."""
        assert self.recorder.proposing.jobs.wait(120)
        QTest.mouseClick(form.ask, Qt.MouseButton.LeftButton, pos=form.ask.rect().center())
        assert form.ask.isChecked()

    def write(self, field, text: str) -> None:
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)

    def verdict(self) -> str:
        self.checked()
        return self.steps_page.said.text()

    def box(self) -> QMessageBox:
        (box,) = (child for child in self.window.findChildren(QMessageBox) if child.isVisible())
        return box

    def answer_box(self, text: str) -> None:
        box = self.box()
        self.press(next(button for button in box.buttons() if button.text().replace("&", "") == text))


@pytest.fixture
def teacher(make_window, hand) -> Teacher:
    return Teacher(make_window(ExplorerState()), hand)


@pytest.fixture
def recorded(teacher) -> Teacher:
    """Three steps: two on Lookup, one on Heads."""
    teacher.record()
    teacher.key(Qt.Key.Key_H, widget=teacher.canvas)
    teacher.later()
    teacher.window.show_page("heads")
    teacher.later()
    return teacher


def pages(teacher: Teacher) -> list[str]:
    return [moment.page for moment in teacher.moments]


# ---- While it is recorded ----


def test_what_is_on_show_is_the_first_step_and_nothing_is_heard_before(teacher):
    teacher.key(Qt.Key.Key_H, widget=teacher.canvas)
    teacher.record()
    assert teacher.strip.isVisible()
    assert [moment.state.lookup.hard for moment in teacher.moments] == [True]
    assert teacher.strip.count.text() == "Step 1"


def test_a_drag_is_one_step_and_a_page_is_one(teacher):
    teacher.record()
    teacher.drag_query((-0.4, 1.6))
    teacher.later()
    teacher.drag_query((1.0, 1.0))
    assert len(teacher.moments) == 2, "the same field"
    teacher.later()
    teacher.window.show_page("heads")
    assert pages(teacher) == ["lookup", "lookup", "heads"]
    assert teacher.strip.count.text() == "Step 3"


def test_a_change_of_the_view_is_a_step_too(recorded):
    recorded.window.session.apply(
        find_preset("causal", "heads").put_into(recorded.window.session.state), "Load an example"
    )
    recorded.later()
    recorded.key(Qt.Key.Key_Down, widget=recorded.canvas)
    assert pages(recorded) == ["lookup", "lookup", "heads", "heads", "heads"]


def test_a_word_that_is_let_go_is_a_step_with_words(recorded):
    recorded.window.show_preset(find_preset("causal", "heads"))
    recorded.later()
    recorded.key(Qt.Key.Key_Escape, widget=recorded.canvas)
    assert recorded.window.session.state.heads.view.row is None
    assert recorded.moments[-1].words == "Let go."


def test_undo_and_back_take_the_last_step_back(recorded):
    recorded.back()
    assert pages(recorded) == ["lookup", "lookup"]
    recorded.undo()
    assert pages(recorded) == ["lookup"]
    recorded.undo()
    assert len(recorded.moments) == 1, "what was there first stays"


def test_words_and_a_question_are_given_in_the_strip(recorded):
    form = recorded.strip.form
    assert form.words.toPlainText() == ""
    assert form.words.placeholderText() == recorded.moments[2].words != "", "words are proposed"
    recorded.write(form.words, "All words ask at once.")
    recorded.ask(form)
    assert recorded.moments[2].words == "All words ask at once."
    assert recorded.moments[2].question.answer.kind is Kind.TOKEN
    assert recorded.strip.count.text() == "Step 3, 1 asked"
    QTest.keyClick(form.questions, Qt.Key.Key_Down)
    assert recorded.moments[2].question.answer.kind is Kind.BARS
    QTest.keyClick(form.ask, Qt.Key.Key_Space)
    assert recorded.moments[2].question is None


def test_escape_gives_up_what_was_typed_and_then_leaves_the_words(recorded):
    words = recorded.strip.form.words
    before = words.toPlainText()
    recorded.write(words, "Half a sen")
    QTest.keyClick(words, Qt.Key.Key_Escape)
    assert words.toPlainText() == before == ""
    assert recorded.moments[2].words == words.placeholderText() != ""
    QTest.keyClick(words, Qt.Key.Key_Escape)
    assert recorded.page.isAncestorOf(QApplication.focusWidget())


def test_a_step_is_deleted_from_the_strip(recorded):
    recorded.press(recorded.strip.delete)
    assert pages(recorded) == ["lookup", "lookup"]


# ---- The page of steps ----


def test_steps_are_chosen_moved_joined_and_deleted_and_each_can_be_undone(recorded):
    recorded.finish()
    page = recorded.steps_page
    assert page.steps.count() == 3
    recorded.press(page.up)
    assert pages(recorded) == ["lookup", "heads", "lookup"]
    recorded.press(page.down)
    recorded.press(page.join)
    assert pages(recorded) == ["lookup", "heads"]
    assert page.steps.currentRow() == 1
    page.steps.setFocus()
    QTest.keyClick(page.steps, Qt.Key.Key_Delete)
    assert pages(recorded) == ["lookup"]
    for there in (["lookup", "heads"], ["lookup", "lookup", "heads"], ["lookup", "heads", "lookup"]):
        QTest.keyClick(page.steps, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert pages(recorded) == there
    assert recorded.window.instead is page, "it was no undo of the window"


def test_another_step_is_worded_and_asked_about_there(recorded):
    recorded.finish()
    page = recorded.steps_page
    QTest.keyClick(page.steps, Qt.Key.Key_Up)
    recorded.write(page.form.words, "Hard: one key alone.")
    recorded.ask(page.form)
    assert recorded.moments[1].words == "Hard: one key alone."
    assert recorded.moments[1].question is not None
    assert page.steps.item(1).text().startswith("2  Lookup  ?")


def test_what_is_wrong_is_said_in_sentences(recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("nothing can be saved yet"))
    recorded.finish()
    page = recorded.steps_page
    assert recorded.verdict() == "The lesson has no title yet: type one above the steps."
    recorded.press(page.save)
    recorded.checked()
    recorded.type_into(page.title, "From soft to hard")
    recorded.write(page.form.words, "x" * 2001)
    assert "may have 2000 at most" in recorded.verdict()
    recorded.write(page.form.words, " ")
    assert recorded.verdict().startswith("It can be played: 3 steps"), "what is proposed stands there again"
    for _ in range(3):
        recorded.press(page.delete)
    assert "no steps yet" in recorded.verdict()
    assert not page.save.isEnabled()


def test_going_on_shows_the_step_that_is_chosen_and_records_behind_it(recorded):
    recorded.finish()
    page = recorded.steps_page
    page.steps.setCurrentRow(0)
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert recorded.window.settings.page == "lookup"
    assert not recorded.window.session.state.lookup.hard
    recorded.later()
    recorded.drag_query((-0.4, 1.6))
    assert pages(recorded) == ["lookup", "lookup", "lookup", "heads"]
    assert [moment.state.lookup.hard for moment in recorded.moments[:3]] == [False, False, True]


def test_a_question_that_has_no_answer_any_more_is_said_with_its_step(teacher):
    teacher.record()
    teacher.show("random-words", "heads")
    teacher.ask(teacher.strip.form)
    teacher.show("four-token", "heads")
    teacher.finish()
    teacher.type_into(teacher.steps_page.title, "A title")
    assert teacher.verdict().startswith("It can be played")
    teacher.press(teacher.steps_page.join)
    said = teacher.verdict()
    assert said.startswith("Step 2: ")
    assert "there is no row 7" in said


# ---- Trying and saving ----


def test_the_lesson_is_tried_with_the_real_player_and_comes_back_to_the_steps(recorded):
    recorded.ask(recorded.strip.form)
    recorded.finish()
    recorded.type_into(recorded.steps_page.title, "From soft to hard")
    own = recorded.window.session.state
    recorded.press(recorded.steps_page.preview)
    recorded.checked()
    assert [recorded.place.lesson.title, len(recorded.place.lesson.steps)] == ["From soft to hard", 3]
    recorded.press(recorded.card.next)
    recorded.press(recorded.card.next)
    assert recorded.place.now.answer.kind is Kind.TOKEN
    recorded.answer()
    assert recorded.place.verdict.startswith("**Right.**")
    recorded.press(recorded.card.leave)
    assert recorded.steps_page.isVisible()
    assert recorded.window.session.state == own
    assert not recorded.window.tools.lessons.progress.lessons, "trying is no progress"


def save(teacher: Teacher, path: Path, monkeypatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    teacher.press(teacher.steps_page.save)
    teacher.checked()


def test_it_is_saved_opened_and_played(recorded, tmp_path, monkeypatch):
    recorded.ask(recorded.strip.form)
    recorded.finish()
    page = recorded.steps_page
    recorded.type_into(page.title, "From soft to hard")
    recorded.type_into(page.about, "What is hard?")
    recorded.type_into(page.learned, "Hard is one key alone.")
    save(recorded, tmp_path / "mine", monkeypatch)
    lesson = read_lesson(tmp_path / "mine.lesson.toml")
    assert (lesson.title, lesson.about, lesson.learned) == (
        "From soft to hard",
        "What is hard?",
        "Hard is one key alone.",
    )
    assert [dict(step.set) for step in lesson.steps] == [{}, {"lookup.hard": True}, {}]
    assert "Saved" in page.said.text()
    recorded.press(page.close_button)
    assert recorded.recorder.recording.moments == ()
    recorded.open(tmp_path / "mine.lesson.toml")
    assert recorded.place.lesson.title == "From soft to hard"


def test_where_nothing_can_be_written_it_is_said_and_nothing_is_half_written(recorded, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(QMessageBox, "warning", lambda *given: said.append(given[-1]))
    recorded.finish()
    recorded.type_into(recorded.steps_page.title, "From soft to hard")
    (tmp_path / "folder.lesson.toml").mkdir()
    save(recorded, tmp_path / "folder.lesson.toml", monkeypatch)
    save(recorded, tmp_path / "no" / "such.lesson.toml", monkeypatch)
    assert "is a folder" in said[0]
    assert "does not exist" in said[1]
    save(recorded, tmp_path / "mine.toml", monkeypatch)
    assert recorded.steps_page.said.text().startswith("“mine.toml” was not written")
    assert not (tmp_path / "mine.toml").exists()
    assert list(tmp_path.rglob("*.part")) == []
    assert recorded.moments, "and nothing is lost"


def test_it_begins_from_the_list_of_lessons_too(teacher):
    listed = teacher.list()
    teacher.press(listed.record)
    assert teacher.window.instead is None
    assert teacher.strip.isVisible()


def test_a_lesson_that_is_begun_meanwhile_ends_it_and_is_no_part_of_it(recorded):
    before = recorded.moments
    recorded.start("soft")
    assert recorded.strip is None
    recorded.press(recorded.card.leave)
    assert recorded.moments == before
    recorded.record()
    assert recorded.strip.isVisible()


def test_all_of_it_has_names_and_is_reached_by_tab(recorded):
    recorded.finish()
    page = recorded.steps_page
    assert not unnamed(recorded.window)
    page.title.setFocus()
    reached = []
    for _ in range(40):
        reached.append(QApplication.focusWidget())
        QTest.keyClick(reached[-1], Qt.Key.Key_Tab)
    wanted = (page.steps, page.up, page.join, page.delete, page.form.words, page.form.ask, page.preview, page.save)
    assert set(wanted) <= set(reached)


@pytest.mark.parametrize(("size", "zoom"), [((1024, 768), 1.0), ((1024, 768), 1.75), ((1280, 800), 2.0)])
def test_it_fits_a_small_window(make_window, hand, qtbot, size, zoom):
    teacher = Teacher(make_window(ExplorerState(), Settings(theme=ThemeChoice.DARK, zoom=zoom), size), hand)
    teacher.record()
    assert (teacher.window.width(), teacher.window.height()) == size
    teacher.finish()
    page = teacher.steps_page
    parts = page.save, page.go_on, page.undo, page.close_button
    qtbot.waitUntil(lambda: all(page.rect().contains(part.mapTo(page, part.rect().bottomRight())) for part in parts))
    assert (teacher.window.width(), teacher.window.height()) == size


def test_the_picture_of_a_step_comes_and_goes_with_its_room(make_window, hand, qtbot):
    teacher = Teacher(make_window(ExplorerState(), Settings(zoom=1.75), (1024, 768)), hand)
    teacher.record()
    teacher.finish()
    picture = teacher.steps_page.picture
    qtbot.waitUntil(lambda: not picture.height() and picture.pixmap().isNull())
    teacher.window.resize(1280, 1500)
    qtbot.waitUntil(lambda: picture.pixmap().width() == picture.width() > 0)
    teacher.window.resize(1024, 768)
    qtbot.waitUntil(lambda: not picture.height() and picture.pixmap().isNull())


def test_where_nothing_can_be_asked_the_strip_says_why(teacher):
    teacher.record()
    teacher.show("writes", "circuits")
    assert teacher.recorder.proposing.jobs.wait(120)
    form = teacher.strip.form
    assert form.questions.currentText().startswith("No lesson can ask about the picture “writes”")
    assert not form.ask.isEnabled()


def test_words_that_are_given_up_are_those_that_were_proposed(recorded):
    words = recorded.strip.form.words
    proposed = recorded.moments[2].words
    recorded.write(words, "Mine.")
    QTest.keyClick(words, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(words, Qt.Key.Key_Delete)
    assert recorded.moments[2].words == words.placeholderText() == proposed


def test_other_words_that_are_proposed_are_painted_at_once(qtbot):
    field, painted = WordsField(2), []
    qtbot.addWidget(field)
    field.show()
    field.propose("Two keys.")
    QApplication.processEvents()
    Watch(field.viewport(), QEvent.Type.Paint, lambda: painted.append(field.placeholderText()))
    field.propose("Show Heads.")
    QApplication.processEvents()
    assert painted == ["Show Heads."]
