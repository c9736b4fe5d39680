"""Lessons in the window: the list, the card, and whole lessons played with the mouse and the keys."""

from __future__ import annotations

import csv
import io
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from heads_driver import Gate
from people_driver import catch_up
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QWidget,
)
from test_people_names import unnamed
from window_driver import WindowDriver, drop

from attention_explorer.core import files
from attention_explorer.kit import reach
from attention_explorer.kit.controls.choice import PresetBox
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.learned_elsewhere import in_block
from attention_explorer.pages.lookup.state import QUERY, HeadRow, LookupState, ValueKind
from attention_explorer.pages.registry import find_preset
from attention_explorer.pages.session_file import SUFFIX, read_session, write_session
from attention_explorer.pages.subject import with_subject
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import truth
from attention_explorer.tools.lessons.lesson import Draw, Kind, Step
from attention_explorer.tools.lessons.names import names_of
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.reading import read_lesson
from attention_explorer.tools.lessons.ui import offering, player
from attention_explorer.tools.lessons.ui import place as places
from attention_explorer.tools.lessons.ui.page import LessonsPage
from attention_explorer.tools.lessons.words import drawn_words, is_met

OWN = ExplorerState(lookup=LookupState(query=(0.25, -1.25), temperature=2.0))


SOFT_BEGUN = [name == "soft" for name in reading.NAMES]
"""Which lessons are begun when “Soft” was begun and no other."""


class Learner(WindowDriver):
    """Somebody who takes a lesson."""

    @property
    def card(self):
        return self.window.tools.lessons.card

    @property
    def place(self):
        return self.window.tools.lessons.place

    @property
    def query(self):
        return self.window.session.state.lookup.query

    def list(self) -> LessonsPage:
        """Press the button in the rail, and return the page of lessons."""
        self.press(self.window.rail.buttons["lessons"])
        assert isinstance(self.window.instead, LessonsPage)
        return self.window.instead

    def start(self, name: str = "dictionary") -> None:
        listed = self.list()
        self.press(listed.cards[reading.NAMES.index(name)])
        self.press(listed.ways[0])

    def comes_back(self) -> None:
        """Have the keyboard go back to the window, as on any platform when a dialog closes, save the off-screen one."""
        self.window.activateWindow()
        QApplication.processEvents()

    def acted(self) -> None:
        QApplication.processEvents()

    def words(self) -> str:
        return " ".join(label.accessibleName() for label in self.card.findChildren(QLabel) if label.isVisible())

    def answer(self, *, right: bool = True) -> None:
        """Answer the question that is open, by what the model layer computes."""
        answer = self.place.now.answer
        wanted = truth(answer, self.place.case)
        if answer.kind is not Kind.CHOICE:
            among = self.place.offer.labels
            self.give(answer.kind, wanted if right else wrong(answer.kind, wanted, among))
            return
        option = self.card.asking.options[wanted if right else (wanted + 1) % len(answer.options)]
        QTest.mouseClick(option, Qt.MouseButton.LeftButton, pos=QPoint(12, option.height() // 2))
        assert option.isChecked()
        self.check()

    def give(self, kind: Kind, given) -> None:
        """Give an answer of a kind with the mouse and the keys, as it is given in the card."""
        asking = self.card.asking
        match kind:
            case Kind.NUMBER:
                self.type_into(asking.field, str(given))
            case Kind.POINT:
                self.type_into(asking.field, f"{given[0]} {given[1]}")
            case Kind.TOKEN:
                self.press(next(button for button in asking.words if button.text() == given))
            case Kind.BARS:
                for bar, number in zip(asking.bars, given, strict=True):
                    QTest.mouseClick(
                        bar, Qt.MouseButton.LeftButton, pos=QPoint(3 + round(number * (bar.width() - 6)), 9)
                    )
                self.check()
            case Kind.CELLS:
                for place in given:
                    self.press(asking.cells[place])
                self.check()
            case Kind.ORDER:
                for there, place in enumerate(given):
                    tile = asking.tiles[place]
                    for _ in range(len(given)):
                        QTest.keyClick(tile, Qt.Key.Key_Left)
                    for _ in range(there):
                        QTest.keyClick(tile, Qt.Key.Key_Right)
                self.check()

    def check(self) -> None:
        self.press(next(b for b in self.card.findChildren(QPushButton) if b.text() == "Check" and b.isVisible()))

    def open(self, file: Path) -> None:
        """Open a lesson, and wait until it has been looked over."""
        self.window.files.open(file)
        self.learned()

    def open_steps(self, folder: Path, *steps: str) -> None:
        """Open a lesson of a file with some steps, each as its lines in TOML."""
        file = folder / "a.lesson.toml"
        text = "".join(f"[[step]]\n{step}\n" for step in steps)
        file.write_text(f'format = 1\ntitle = "x"\n{text}', encoding="utf-8")
        self.open(file)

    def refused(self) -> str:
        """Close the box that says why a file was not opened, and return what it says."""
        (box,) = (child for child in self.window.findChildren(QMessageBox) if child.isVisible())
        said = box.text()
        self.press(box.button(QMessageBox.StandardButton.Ok))
        return said

    def learned(self) -> None:
        """Wait until what is computed on the worker is known."""
        assert self.window.tools.lessons.working.jobs.wait(120)

    def drag_query(self, to: tuple[float, float]) -> None:
        scene, mouse = self.canvas.scene(), self.hand()
        mouse.press(scene.place(QUERY))
        mouse.move(scene.point(to))
        mouse.release()
        self.acted()

    def play_step(self, *, right: bool = True) -> None:
        """Do a step in the shortest way; one that is only to be read is done with."""
        if self.place.now.answer is not None:
            self.answer(right=right)
            self.learned()
            assert self.place.is_done
        elif self.place.now.until is not None:
            self.press(self.card.tell)
            assert self.place.is_done
        self.go_on(self.card.next)

    def go_on(self, button: QWidget) -> None:
        """Go to the next step, whose words may have to be learned."""
        self.press(button)
        self.learned()


def wrong(kind: Kind, right, among=()):
    """Return an answer of a kind that is not right; a word is one of some."""
    match kind:
        case Kind.NUMBER:
            return right + 5
        case Kind.POINT:
            return (right[0] + 1, right[1])
        case Kind.TOKEN:
            return next(word for word in among if word != right)
        case Kind.BARS:
            return tuple(0.5 for _ in right)
        case Kind.CELLS:
            return frozenset([*sorted(right)[1:], tuple(0 for _ in sorted(right)[0])])
    return right[::-1]


SCALING = (
    'say = "Scale."\nuntil = "lookup.scaled"\ndone = { "lookup.scaled" = true }',
    'say = "Scaled."\nset = { "lookup.scaled" = true }',
)
"""A lesson that has the scores scaled by who takes it, and then scales them itself."""
KINDS_FILE = Path(__file__).parents[1] / "data" / "lessons" / "kinds.lesson.toml"
KINDS = read_lesson(KINDS_FILE)


@pytest.fixture
def learner(make_window, hand) -> Learner:
    return Learner(make_window(OWN), hand)


def test_the_first_lesson_is_played_by_hand_and_ones_own_work_comes_back(learner):
    learner.start()
    assert "Step 1 of 6" in learner.words()
    assert not learner.card.next.isVisible(), "a task is not left by Next before it is done"
    for _ in range(4):
        assert not learner.place.is_done
        learner.key(Qt.Key.Key_Left)
    assert learner.query == (1.0, 0.0)
    assert "Done." in learner.words(), "it ticks itself"
    learner.press(learner.card.next)

    assert learner.query == (1.0000001, 0.0)
    assert learner.canvas.isVisible()
    assert not learner.page.panel.items.isVisible(), "the bars would say what the dict finds"
    learner.answer(right=False)
    assert learner.page.panel.items.isVisible()
    assert "Not this time. You said “v₁, because q is close enough”; it is “Nothing: a KeyError”." in learner.words()
    learner.press(learner.card.next)

    learner.key(Qt.Key.Key_H)
    assert "Done." in learner.words()
    learner.press(learner.card.next)
    learner.answer()
    assert "Right. q·k₁ = 0.2 and q·k₂ = 0.9" in learner.words()
    learner.press(learner.card.next)
    learner.drag_query((1.5, 0.25))
    assert "Done." in learner.words()
    learner.press(learner.card.next)

    drawn = learner.place.case.lookup.query
    learner.answer()
    assert f"It is {2 * drawn[0] - drawn[1]:g}".replace("-", "−") in learner.words()
    assert learner.query == drawn
    learner.press(learner.card.next)
    assert "2 of 3 questions right at the first try" in learner.words()
    learner.press(learner.card.leave)
    assert learner.card is None
    assert learner.window.session.state == OWN
    learner.undo()
    assert learner.query == drawn, "to go on from where the lesson ended"


@pytest.mark.parametrize("name", reading.NAMES)
@pytest.mark.parametrize("right", [True, False])
def test_every_lesson_can_be_played_to_its_end(learner, name, right):
    learner.start(name)
    lesson = learner.place.lesson
    for _ in lesson.steps:
        learner.play_step(right=right)
    assert "That was the lesson." in learner.words()
    done = learner.window.tools.lessons.progress.of(lesson)
    assert done.finished
    assert set(done.first_tries.values()) == {right}


@pytest.mark.parametrize("number", range(len(KINDS.steps)))
@pytest.mark.parametrize("right", [True, False])
def test_every_kind_of_answer_is_given_and_judged(learner, number, right):
    learner.open(KINDS_FILE)
    learner.comes_back()
    for _ in range(number):
        learner.press(learner.card.skip)
    assert not unnamed(learner.card)
    learner.answer(right=right)
    assert ("Right." if right else "Not this time.") in learner.words()
    assert learner.window.tools.lessons.progress.of(KINDS).first_tries == {number: right}
    assert not unnamed(learner.card)


def test_a_damaged_file_of_a_lesson_is_told_and_a_good_one_can_be_dropped(learner, tmp_path):
    bad = tmp_path / "bad.lesson.toml"
    bad.write_text(KINDS_FILE.read_text(encoding="utf-8").replace("lookup.weights", "lookup.wieghts"), encoding="utf-8")
    assert drop(learner.window, QUrl.fromLocalFile(str(bad)))
    learner.learned()
    assert "line 9, step 2: there is no “wieghts”. Did you mean “weights”?" in learner.refused()
    assert learner.card is None
    assert drop(learner.window, QUrl.fromLocalFile(str(KINDS_FILE)))
    learner.learned()
    assert "Step 1 of 8" in learner.words()


@pytest.mark.parametrize("step", [60, -1])
def test_a_file_is_walked_on_a_worker(learner, tmp_path, monkeypatch, step):
    threads, walk = [], offering.checked

    def watched(*given):
        threads.append(threading.current_thread())
        yield from walk(*given)

    monkeypatch.setattr(offering, "checked", watched)
    file = tmp_path / "learned.lesson.toml"
    text = files.read_text("lessons/learned.lesson.toml")
    file.write_text(text.replace('training.step" = 60', f'training.step" = {step}'), encoding="utf-8")
    assert drop(learner.window, QUrl.fromLocalFile(str(file)))
    assert learner.card is None
    assert "One moment" in learner.told
    learner.learned()
    if step == 60:
        assert learner.card is not None
        assert "One moment" not in learner.told
    else:
        assert "line 9, step 1: training.step is -1" in learner.refused()
        assert learner.card is None
    assert threads == [threads[0]]
    assert threads[0] is not threading.main_thread()


def asked_of(learner, kind: Kind):
    """Go to the question of a kind, and return what it is answered with."""
    learner.open(KINDS_FILE)
    learner.comes_back()
    while learner.place.now.answer.kind is not kind:
        learner.press(learner.card.skip)
    return learner.card.asking


def test_the_truth_stands_beside_the_guess_of_bars(learner):
    asking = asked_of(learner, Kind.BARS)
    for _ in range(6):
        QTest.keyClick(asking.bars[0], Qt.Key.Key_PageUp)
    QTest.keyClick(asking.bars[1], Qt.Key.Key_Right)
    learner.check()
    said = [bar.accessibleDescription() for bar in asking.bars]
    assert said == ["you: 0.6, truth: 0.907", "you: 0.01, truth: 0.0928"]
    assert "The worst bar is 0.307 off" in learner.words()
    assert asking.bars[0].truth == pytest.approx(0.907207046882843)
    QTest.keyClick(asking.bars[0], Qt.Key.Key_PageUp)
    assert asking.bars[0].value() == 60


def test_a_point_is_clicked_on_the_plane_and_stays_beside_the_truth(learner):
    asking = asked_of(learner, Kind.POINT)
    QApplication.processEvents()
    before, plain = learner.query, learner.canvas.grab().toImage()
    learner.click(learner.canvas.scene().point((0.5, 1.25)))
    x, y = map(float, asking.field.text().replace("−", "-").split())
    assert (x, y) == pytest.approx((0.5, 1.25), abs=0.01)
    assert learner.query == before, "a click guesses, and moves nothing"
    assert learner.canvas.grab().toImage() != plain
    learner.type_into(asking.field, "1 1")
    assert "You said (1, 1); it is (1.777, 0.367), so you were 1.002 off." in learner.words()
    learner.drag_query((0.0, 1.5))
    assert learner.query != before, "the plane is there to be touched again"
    learner.press(learner.card.leave)
    assert learner.canvas._guess is None


@pytest.mark.parametrize("way", ["leave", "skip"])
def test_no_guess_stays_on_a_page_that_is_out_of_view_when_the_question_is_left(learner, way):
    asked_of(learner, Kind.POINT)
    QApplication.processEvents()
    canvas, before = learner.canvas, learner.query
    learner.click(canvas.scene().point((0.5, 1.25)))
    assert canvas._guess is not None
    learner.window.show_page("cost")
    learner.press(getattr(learner.card, way))
    assert canvas._guess is None
    learner.window.tools.leave_lesson()
    learner.window.show_page("lookup")
    QApplication.processEvents()
    learner.drag_query((0.0, 1.5))
    assert learner.query != before, "the plane asks for no place any more"


def test_cells_are_ticked_by_keys_and_marked_as_right_missed_and_wrong(learner):
    cells = asked_of(learner, Kind.CELLS).cells
    QTest.keyClick(cells[(0,)], Qt.Key.Key_Space)
    for place in range(3):
        QTest.keyClick(cells[(place,)], Qt.Key.Key_Right)
    assert cells[(3,)].hasFocus()
    QTest.keyClick(cells[(3,)], Qt.Key.Key_Space)
    learner.check()
    assert [cells[(place,)].accessibleName() for place in range(5)] == [
        "the: wrong",
        "cat",
        "sat",
        "on: right",
        "the: missed",
    ]
    assert cells[(4,)].text() == "○ the"
    assert "7 are wrong: " in learner.words()


def test_a_map_of_cells_is_walked_in_both_directions(learner):
    learner.open(KINDS_FILE)
    learner.comes_back()
    while learner.place.case.heads.setup.recipe.sentence != "the cat sat down":
        learner.press(learner.card.skip)
    cells = learner.card.asking.cells
    for key, place in (
        (Qt.Key.Key_Left, (0, 0)),
        (Qt.Key.Key_Down, (1, 0)),
        (Qt.Key.Key_Right, (1, 1)),
        (Qt.Key.Key_Up, (0, 1)),
        (Qt.Key.Key_Up, (0, 1)),
    ):
        QTest.keyClick(QApplication.focusWidget(), key)
        assert cells[place].hasFocus()
    assert cells[0, 1].accessibleName() == "the → cat"
    learner.press(learner.card.tell)
    assert cells[0, 1].text() == "○"


ROW = replace(OWN, lookup=LookupState(row=HeadRow(ToyRecipe()), preset="", values=ValueKind.VECTORS))
"""What goes with no scaled scores."""


@pytest.mark.parametrize("way", ["skip", "tell"])
def test_what_a_step_sets_and_ones_own_work_cannot_hold_begins_from_nothing(make_window, hand, tmp_path, way):
    learner = Learner(make_window(ROW), hand)
    learner.open_steps(tmp_path, *SCALING)
    learner.comes_back()
    learner.press(getattr(learner.card, way))
    learner.comes_back()
    assert learner.window.session.state.lookup == LookupState(scaled=True)
    learner.press(learner.card.leave)
    assert learner.window.session.state == ROW


def test_a_step_that_cannot_begin_where_one_went_begins_as_the_lesson_leads_there(learner, tmp_path):
    learner.open_steps(tmp_path, *SCALING)
    learner.comes_back()
    learner.press(learner.card.tell)
    learner.window.session.apply(ROW, "Open a row")
    learner.press(learner.card.next)
    assert "Step 2 of 2" in learner.words()
    assert learner.window.session.state.lookup.scaled


def test_things_are_dragged_into_their_order(learner):
    asking = asked_of(learner, Kind.ORDER)
    assert asking.order == ("q·k₁", "q·k₂")
    QApplication.processEvents()
    first, second = asking.tiles
    mouse = learner.hand(first)
    mouse.press(QPointF(first.rect().center()))
    mouse.move(QPointF(second.geometry().center() - first.pos()))
    mouse.release()
    assert asking.order == ("q·k₂", "q·k₁")
    assert first.accessibleName() == "q·k₁, 2 of 2"


def test_a_slip_is_told_with_the_guess_beside_the_truth(learner):
    learner.start("soft")
    learner.press(learner.card.skip)
    learner.press(learner.card.skip)
    learner.type_into(learner.card.asking.field, "many")
    assert "is not a number" in learner.words(), "in the card, where the eyes are"
    learner.type_into(learner.card.asking.field, "13.302")
    assert "You said 13.302; it is 12.689, so you were 0.613 off. You divided the scores by √2" in learner.words()


def test_a_hint_leaves_what_was_typed_and_show_me_counts_as_no_answer(learner):
    learner.start("soft")
    learner.press(learner.card.skip)
    QTest.keyClicks(learner.card.asking.field, "1.2")
    learner.press(learner.card.hint)
    assert "Hint: Equal scores get equal weights." in learner.words()
    assert learner.card.asking.field.text() == "1.2"
    assert learner.card.asking.field.hasFocus(), "Enter checks, and tells nothing"
    learner.press(learner.card.tell)
    assert "It is 0.8." in learner.words()
    assert learner.window.tools.lessons.progress.of(learner.place.lesson).first_tries == {1: False}


def test_a_double_click_on_next_does_not_skip_the_step_after(learner):
    learner.start()
    learner.press(learner.card.tell)
    place = learner.card.next.mapTo(learner.window, learner.card.next.rect().center())
    QTest.mouseDClick(learner.window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert "Step 2 of 6" in learner.words()


@pytest.mark.parametrize("part", ["lookup.scaled", "heads.stage"])
def test_what_a_step_needed_stays_on_the_page_when_it_is_done(make_window, hand, tmp_path, part):
    """It was lent by the drawer."""
    learner = Learner(make_window(None, Settings(theme=ThemeChoice.LIGHT)), hand)
    done = "lookup.scaled" if part == "lookup.scaled" else "heads.view.stage == 'scores'"
    set_to = '"lookup.scaled" = true' if part == "lookup.scaled" else '"heads.view.stage" = "scores"'
    learner.open_steps(
        tmp_path,
        f'page = "{part.partition(".")[0]}"\nsay = "x"\nlight = ["{part}"]\nuntil = "{done}"\ndone = {{ {set_to} }}',
        'say = "y"',
    )
    needed = reach.part(learner.page, *names_of((part,)))
    assert needed.isVisible()
    learner.press(learner.card.tell)
    assert learner.place.is_done
    assert needed.isVisible(), "it says what was done with it"
    learner.press(learner.card.next)
    assert not needed.isVisible()


@pytest.mark.parametrize("way", ["answer", "show me"])
def test_what_has_to_be_learned_for_an_answer_is_learned_on_a_worker(learner, monkeypatch, way):
    threads = []

    def watched(compute):
        def computed(*given):
            threads.append(threading.current_thread())
            return compute(*given)

        return computed

    for name in ("judged", "truth"):
        monkeypatch.setattr(player, name, watched(getattr(player, name)))
    learner.start("learned")
    for _ in range(2):
        learner.press(learner.card.skip)
    assert "What share of answers stays right?" in learner.words()
    if way == "answer":
        QTest.mouseClick(learner.card.asking.options[1], Qt.MouseButton.LeftButton, pos=QPoint(12, 8))
        learner.check()
    else:
        learner.press(learner.card.tell)
    learner.learned()
    assert learner.place.is_done
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    assert "One moment" not in learner.words()


def test_whether_a_task_is_done_is_found_on_a_worker_where_its_layers_must_learn_first(learner, monkeypatch):
    threads = []

    def watched(task, state):
        threads.append(threading.current_thread())
        return is_met(task, state)

    learner.start("layer")
    while learner.place.now.until is None or "block.likeness" not in learner.place.now.until.text:
        learner.go_on(learner.card.skip)
    monkeypatch.setattr(player, "is_met", watched)
    state, setup = learner.window.session.state, replace(task_of("reverse").setup, seed=771)
    taken = in_block(replace(state, training=TrainingState().with_setup(setup).at_step(2)))
    learner.window.session.apply(taken, "Take along")
    learner.learned()
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    assert learner.place.is_done == is_met(learner.place.now, taken)


def test_words_to_choose_from_are_learned_before_their_question_comes(learner, monkeypatch):
    threads, made = [], places.offered

    def watched(answer, state):
        if answer.kind is Kind.TOKEN and answer.of.text.startswith("training."):
            threads.append(threading.current_thread())
        return made(answer, state)

    monkeypatch.setattr(places, "offered", watched)
    learner.start("learned")
    while not threads:
        learner.go_on(learner.card.skip)
    assert threads[0] is not threading.main_thread()
    assert learner.place.now.answer.kind is Kind.TOKEN
    assert learner.told == ""


def learned_behind(gate: Gate, learner: Learner, monkeypatch, name: str) -> None:
    """Go to the question of a lesson whose answer has to be learned, which waits for a gate before it does ``name``."""
    compute = getattr(player, name)

    def waiting(*given):
        gate.wait()
        return compute(*given)

    monkeypatch.setattr(player, name, waiting)
    learner.start("learned")
    for _ in range(2):
        learner.press(learner.card.skip)


def test_an_answer_that_is_still_being_learned_is_not_given_to_the_next_step(learner, monkeypatch):
    gate = Gate()
    learned_behind(gate, learner, monkeypatch, "truth")
    learner.press(learner.card.tell)
    assert "One moment: this is learned first." in learner.words()
    learner.press(learner.card.skip)
    gate.open()
    learner.learned()
    assert "Step 4 of" in learner.words()
    assert not learner.place.is_done


def test_a_hint_that_is_asked_for_while_an_answer_is_learned_does_not_cost_the_answer(learner, monkeypatch):
    gate = Gate()
    learned_behind(gate, learner, monkeypatch, "judged")
    QTest.mouseClick(learner.card.asking.options[1], Qt.MouseButton.LeftButton, pos=QPoint(12, 8))
    learner.check()
    learner.press(learner.card.hint)
    gate.open()
    learner.learned()
    assert learner.place.is_done
    assert learner.place.is_hinted
    assert "Right. Those in which the second noun is meant." in learner.words()


def test_another_one_asks_with_other_numbers(learner):
    learner.start()
    for _ in range(5):
        learner.press(learner.card.skip)
    cases = set()
    for _ in range(8):
        cases.add(learner.place.case.lookup.query)
        learner.press(learner.card.another)
    assert len(cases) > 1


def test_undo_works_within_a_step_and_back_begins_the_one_before(learner):
    learner.start("soft")
    learner.drag_query((0.0, 1.5))
    assert learner.place.is_done
    learner.undo()
    assert learner.query == (1.4, 0.6)
    assert learner.place.is_done, "what was done once was done"
    learner.press(learner.card.next)
    learner.press(learner.card.back)
    assert "Step 1 of 6" in learner.words()
    assert not learner.place.is_done


def test_the_card_stays_on_every_page(learner):
    learner.start()
    for page in ("lab", "layer", "lookup"):
        learner.press(learner.window.rail.buttons[page])
        assert learner.card.isVisible()
        assert learner.card.geometry().bottom() < learner.page.mapTo(learner.window, QPoint(0, 0)).y()
    learner.press(learner.card.leave)


@pytest.mark.parametrize("name", ["first-minute", "dictionary", "hard-and-soft", "masks"])
def test_what_leads_on_stays_in_one_place_however_much_the_card_says(learner, name):
    learner.start(name)
    places = set()
    while learner.place.now is not None:
        for _ in range(2):  # before the step is done, and after
            leads = learner.card.next if learner.card.next.isVisible() else learner.card.skip
            places.add(leads.mapTo(learner.window, leads.rect().topRight()).toTuple())
            if not learner.place.is_done:
                learner.press(learner.card.tell)
        learner.press(learner.card.next)
    assert len(places) == 1


@pytest.mark.parametrize("name", ["first-minute", "dictionary", "sentence", "several-heads"])
def test_no_step_makes_the_card_higher_and_moves_the_page(learner, name):
    learner.start(name)
    heights = set()
    while learner.place.now is not None:
        catch_up(learner.window)
        heights.add(learner.card.height())
        if learner.place.now.answer is not None:
            learner.answer(right=False)
        else:
            if learner.card.hint.isVisible():
                learner.press(learner.card.hint)
                heights.add(learner.card.height())
            learner.press(learner.card.tell)
        catch_up(learner.window)
        heights.add(learner.card.height())
        learner.go_on(learner.card.next)
    heights.add(learner.card.height())
    assert len(heights) == 1


@pytest.mark.parametrize(("name", "drawn"), [("masks", "random-words"), ("real", "minilm")])
def test_what_is_asked_about_stays_where_layer_has_drawn_what_heads_showed_before(make_window, hand, name, drawn):
    learner = Learner(make_window(with_subject(find_preset(drawn, "heads").state)), hand)
    learner.start(name)
    while learner.place.now.answer is None:
        learner.press(learner.card.skip)
    asked = learner.place.case.heads.setup
    learner.press(learner.card.tell)
    assert "It is" in learner.words()
    state = learner.window.session.state
    assert state.heads.setup == asked
    assert state.block.model == asked.recipe, "one model, on both pages"


def test_no_title_of_a_preset_tells_the_answer_and_the_presets_come_back(learner):
    presets = learner.page.findChild(PresetBox)
    learner.start("soft")
    while learner.place.now is not None:
        assert not presets.isVisible()
        learner.key(Qt.Key.Key_Left)
        assert not presets.isVisible(), "nor once something is done"
        learner.press(learner.card.skip if learner.card.skip.isVisible() else learner.card.next)
    learner.press(learner.card.leave)
    assert presets.isVisible()


def test_what_was_drawn_is_said_only_if_it_means_something():
    def said(name: str) -> str:
        return drawn_words(Step(0, "", draw=(Draw(name, (0,)),)), OWN)

    assert said("lookup.query") == "This time: q = (0.25, −1.25)."
    assert said("scaling.d_k").startswith("This time: d_k = ")
    assert said("heads.setup.recipe.sentence") == f"This time: “{OWN.heads.setup.recipe.sentence}”."
    assert said("heads.setup.recipe.seed") == ""


def test_progress_is_kept_until_the_next_start_and_can_be_forgotten(make_window, hand, settings_path):
    first = Learner(make_window(OWN), hand)
    first.start("soft")
    first.play_step()
    first.play_step()
    first.window.close()
    assert first.window.session.state == OWN, "a session that goes on is not left within a lesson"
    again = Learner(make_window(settings=SettingsStore(settings_path).load()), hand)
    listed = again.list()
    assert begun(listed) == SOFT_BEGUN
    assert [card.isChecked() for card in listed.cards[: len(reading.NAMES)]] == SOFT_BEGUN
    assert listed.ways[0].text() == "Continue"
    again.press(listed.ways[0])
    assert "Step 3 of 6" in again.words()
    again.press(again.card.leave)
    listed = again.list()
    again.press(named(listed, "Reset: Everybody answers"))
    assert not any(begun(again.window.instead)), "the page goes on being shown"


def begun(listed: LessonsPage) -> list[bool]:
    """Return of each lesson whether its card says at which step it goes on."""
    return [card.words.startswith("step ") for card in listed.cards[: len(reading.NAMES)]]


def named(listed: LessonsPage, name: str) -> QPushButton:
    """Return a button of the page; for one of a lesson its card is chosen first."""
    for card in listed.cards:
        if card.title.endswith(name.partition(": ")[2] or "nothing"):
            QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    return next(each for each in listed.findChildren(QPushButton) if name in (each.text(), each.accessibleName()))


def test_one_lesson_or_all_can_be_reset(learner):
    for name in ("dictionary", "soft"):
        learner.start(name)
        learner.press(learner.card.skip)
        learner.press(learner.card.leave)
    learner.press(named(learner.list(), "Reset: A dictionary"))
    assert begun(learner.window.instead) == SOFT_BEGUN
    learner.press(named(learner.window.instead, "Reset all"))
    listed = learner.window.instead
    assert not any(begun(listed))
    assert not named(listed, "Reset all").isEnabled()


@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_a_result_is_written_where_the_learner_says(learner, tmp_path, monkeypatch, ending):
    path = tmp_path / f"mine{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(path), ""))
    learner.start("soft")
    learner.press(learner.card.skip)
    learner.answer(right=False)
    learner.press(learner.card.back)
    learner.press(learner.card.skip)
    learner.answer()
    learner.press(learner.card.leave)
    listed = learner.list()
    QTest.keyClicks(listed.name, "=Ada")
    learner.press(named(listed, "Result…"))
    text = path.read_text(encoding="utf-8")
    assert "mine" in learner.told
    if ending == ".json":
        found = json.loads(text)
        assert found["name"] == "=Ada"
        (asked, *_) = found["lessons"][reading.NAMES.index("soft")]["questions"]
        assert (asked["tries"], asked["right_at_first_try"], asked["step"]) == (2, False, 2)
        assert found["lessons"][0]["questions"][0]["right_at_first_try"] is None
    else:
        lines = list(csv.DictReader(io.StringIO(text)))
        assert lines[0]["name"] == "'=Ada", "no table takes it for a formula"
        asked = next(line for line in lines if line["lesson"].startswith("Everybody"))
        assert (asked["tries"], asked["right_at_first_try"], asked["step"]) == ("2", "no", "2")
        assert asked["question"].startswith("A tie. k₁ =")
    assert learner.window.tools.lessons.progress.lessons["soft"].seconds > 0
    assert "Ada" not in learner.window.settings.lessons


def test_a_new_session_asks_about_ones_own_work_not_about_the_lesson(learner):
    own = ExplorerState(lookup=LookupState(query=(0.5, 0.5)))
    learner.window.session.apply(own, "Change")
    learner.start()
    assert learner.window.session.state != own
    learner.window._actions["new"].trigger()
    (asked,) = (child for child in learner.window.findChildren(QDialog) if child.isVisible())
    assert learner.card is None
    assert learner.window.session.state == own
    asked.reject()


def test_a_lesson_is_never_saved_over_ones_own_work(learner, tmp_path):
    own = tmp_path / "own.attn.json"
    write_session(own, ExplorerState())
    learner.window.files.open(own)
    before = own.read_bytes()
    learner.start()
    learner.window._actions["save"].trigger()
    assert "Leave it first" in learner.told
    assert own.read_bytes() == before


def test_what_a_crash_would_leave_is_ones_own_work(learner, tmp_path):
    files = learner.window.files
    files.start(tmp_path, goes_on=False)
    own = ExplorerState(lookup=LookupState(query=(0.5, 0.5)))
    learner.window.session.apply(own, "Change")
    learner.start()
    assert learner.window.session.state != own
    files.keep_now()
    (kept,) = tmp_path.glob(f"*{SUFFIX}")
    assert read_session(kept).state == own


def test_another_session_ends_the_lesson_and_nothing_comes_back(learner):
    learner.start()
    learner.window.session.restart(ExplorerState())
    assert learner.card is None
    assert learner.window.session.state == ExplorerState()


@pytest.mark.parametrize("zoom", [1.0, 1.75])
@pytest.mark.parametrize("size", [(1024, 768), (1280, 800), (2560, 1440)])
def test_no_word_of_the_card_is_cut_off(make_window, hand, size, zoom):
    settings = Settings(theme=ThemeChoice.DARK, zoom=zoom)
    learner = Learner(make_window(OWN, settings, size), hand)
    for lesson in reading.lessons():
        learner.start(lesson.name)
        for _ in lesson.steps:
            assert learner.window.size().toTuple() == size
            assert_whole(learner.card)
            if learner.card.hint.isVisible():
                learner.press(learner.card.hint)
                assert_whole(learner.card)
            learner.play_step(right=False)
        assert_whole(learner.card)
        learner.press(learner.card.leave)


def assert_whole(card: QWidget) -> None:
    QTest.qWait(30)
    for part in card.findChildren(QRadioButton):
        assert part.height() >= part.sizeHint().height(), part.text()
        assert part.width() >= part.sizeHint().width(), part.text()
    for part in (*card.findChildren(QLabel), *card.findChildren(QPushButton)):
        if part.isVisible():
            needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else part.sizeHint().height()
            assert part.height() >= needed, part.text()
            assert card.rect().contains(part.rect().translated(part.mapTo(card, QPoint(0, 0)))), part.text()


def test_enter_checks_and_goes_on_one_step_at_a_time(learner):
    learner.start()
    learner.press(learner.card.skip)
    QTest.keyClick(learner.card.asking.options[0], Qt.Key.Key_Return)
    assert not learner.place.is_done, "nothing was chosen"
    assert "Choose an answer first." in learner.words()
    QTest.keyClick(learner.card.asking.options[1], Qt.Key.Key_Space)
    QTest.keyClick(learner.card.asking.options[1], Qt.Key.Key_Return)
    assert "Right." in learner.words()
    assert learner.card.next.hasFocus()
    QTest.keyClick(learner.card.next, Qt.Key.Key_Return)
    assert "Step 3 of 6" in learner.words()


def test_keys_and_screen_readers_reach_everything(learner):
    listed = learner.list()
    assert not unnamed(listed)
    learner.press(listed.cards[reading.NAMES.index("dictionary")])
    QTest.keyClick(listed.ways[0], Qt.Key.Key_Space)
    assert not unnamed(learner.card)
    learner.press(learner.card.skip)
    assert QApplication.focusWidget() is learner.card.asking.options[0]
    QTest.keyClick(learner.card.asking.options[0], Qt.Key.Key_Space)
    QTest.keyClick(learner.card.asking.options[0], Qt.Key.Key_Right)  # they stand side by side
    assert learner.card.asking.options[1].isChecked()
    reached = set()
    for _ in range(8):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.add(QApplication.focusWidget())
    assert {learner.card.back, learner.card.tell, learner.card.skip, learner.card.leave} <= reached
    assert not unnamed(learner.card)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"soft": 3}',
        '{"soft": {"tries": {"1": -3, "2": 1e400}, "seconds": -1}}',
        '{"soft": {"step": -1, "first_tries": {"x": true}}}',
    ],
)
def test_settings_that_are_damaged_are_no_progress(text):
    assert not any(Progress.read(text).of(lesson).first_tries for lesson in reading.lessons())
    assert not any(Progress.read(text).of(lesson).step for lesson in reading.lessons())
    assert not any(Progress.read(text).of(lesson).tries for lesson in reading.lessons())
    assert not any(Progress.read(text).of(lesson).seconds for lesson in reading.lessons())


TEACHERS = 'format = 1\ntitle = "Of a teacher"\n' + '[[step]]\nshow = "two-keys"\nsay = "Read."\n' * 3


def test_lessons_of_one_name_do_not_share_their_progress(learner, tmp_path):
    built_in = next(lesson for lesson in reading.lessons() if lesson.name == "soft")
    files = [tmp_path / folder / "soft.lesson.toml" for folder in ("a", "b")]
    for file, extra in zip(files, ("", 'learned = "Else."\n'), strict=True):
        file.parent.mkdir()
        file.write_text(TEACHERS.replace("[[step]]", extra + "[[step]]", 1), encoding="utf-8")
    learner.open(files[0])
    learner.press(learner.card.next)
    learner.press(learner.card.leave)
    learner.open(files[1])
    assert "Step 1 of 3" in learner.words()
    learner.press(learner.card.leave)
    learner.window.tools.lessons.start(built_in)
    assert "Step 1 of 6" in learner.words()
    learner.press(learner.card.leave)
    learner.open(files[0])
    assert "Step 2 of 3" in learner.words(), "where it was left"
    learner.press(learner.card.next)
    learner.press(learner.card.next)
    assert not learner.card.next.isVisible(), "no lesson of the program comes after it"
    kept = Progress.read(learner.window.settings.lessons)
    assert kept.of(read_lesson(files[0])).finished
    assert not kept.of(built_in).finished


def test_progress_kept_by_an_earlier_version_is_gone_on_with(tmp_path):
    file = tmp_path / "atoms.lesson.toml"
    file.write_text(TEACHERS, encoding="utf-8")
    lesson, built_in = read_lesson(file), reading.lessons()[2]
    old = Progress.read('{"atoms": {"step": 2}, "soft": {"step": 3, "first_tries": {"2": true}}}')
    assert old.of(lesson).step == 2
    assert old.of(built_in).step == 3
    assert old.of(built_in).first_tries == {2: True}
    new = Progress.read(old.at(lesson, 1).text())
    assert new.of(lesson).step == 1
    file.write_text(TEACHERS.replace("Read", "Look"), encoding="utf-8")
    assert new.of(read_lesson(file)).step == 0, "that of the old file was not for two"
    assert not new.without(lesson).of(lesson).step
