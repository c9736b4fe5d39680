"""Lines of one's own in the window: typed, pasted, opened and dropped; learned, asked, saved and taken along."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from people_driver import catch_up
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from training_driver import TrainingDriver

from attention_explorer.core.numerals import percent
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.pages.training import seeds
from attention_explorer.pages.training.held_out import headline, held_answers
from attention_explorer.pages.training.state import WHOLE, Speed, TrainingState, TrainingView
from attention_explorer.pages.training.ui.pictures import FILM
from attention_explorer.pages.training.ui.views import ASK, LIST, training_figure
from attention_explorer.sources.learned.own_lines import own_lines
from attention_explorer.sources.learned.run import run_of
from attention_explorer.sources.learned.setup import LineCut
from attention_explorer.sources.learned.tasks import TASKS

OWN = TrainingState().with_task("own")
VERBS = ("walk", "jump", "play", "call", "help", "look", "talk", "open", "wash", "push", "pull", "kick")
LINES = tuple(f"{verb} -> {verb}ed" for verb in VERBS)
SMALL = replace(OWN, speed=Speed.FULL, setup=replace(OWN.setup, lines=LINES, d_model=16, d_ff=0, batch=8, rate=0.01))


def asked(at: TrainingDriver):
    """Press the button of the few controls, and return the dialog."""
    at.press(next(each for each in at.page.lines_buttons if each.isVisible()))
    return read(at.page.lines_dialog)


def read(dialog):
    """Wait until what is there was read."""
    dialog.look_over()
    assert dialog.jobs.wait(10)
    return dialog


def paste(dialog, text: str) -> None:
    """Put a text in place of all lines, as hands do."""
    QGuiApplication.clipboard().setText(text)
    dialog.field.setFocus()
    QTest.keyClick(dialog.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(dialog.field, Qt.Key.Key_Delete)
    QTest.keyClick(dialog.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    read(dialog)


def press(button) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def test_lines_are_pasted_learned_and_asked(training, qtbot):
    at = training(replace(OWN, speed=Speed.FULL))
    dialog = asked(at)
    assert dialog.field.toPlainText() == "\n".join(TASKS["own"].setup.lines)
    paste(dialog, "\n".join((*LINES, "no arrow")))
    said = dialog.says.text()
    for part in ("12 lines, cut into characters", "2 of 12 inputs", "“no arrow”, has no arrow", "points"):
        assert part in said
    press(dialog.learn)
    catch_up(at.window)
    assert at.training.setup.lines == (*LINES, "no arrow")
    assert at.training.sentence_shown in VERBS
    assert "→" in at.film.tokens
    at.page.toggle()
    qtbot.waitUntil(lambda: at.training.step >= 20, timeout=60_000)
    at.page.stop()
    catch_up(at.window)
    title, _ = at.panel_words()
    assert title.startswith("It writes “")
    at.page.session.undo()
    at.page.session.undo()
    assert at.training.setup == OWN.setup


def test_what_cannot_be_learned_is_said_and_nothing_is_lost(training):
    at = training(SMALL)
    dialog = asked(at)
    for text, said in (
        ("", "There are no lines yet"),
        ("walk walked\nplay played", "No line can be learned"),
        ("\n".join(f"{verb} -> same" for verb in VERBS), "Every answer is “same”"),
        ("\n".join(LINES[:3]), "3 inputs can be learned"),
    ):
        paste(dialog, text)
        assert said in dialog.says.text()
        assert not dialog.learn.isEnabled()
        assert dialog.field.toPlainText() == text
    paste(dialog, "\n".join(f"{number} -> {number + 1}" for number in range(5000)))
    assert "3000 lines more are left out" in dialog.says.text()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert at.training.setup == SMALL.setup


def test_what_is_typed_counts_once_it_was_read(training, qtbot):
    at = training(SMALL)
    dialog = asked(at)
    assert dialog.learn.isEnabled()
    assert dialog.focusWidget() is dialog.field
    dialog.field.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.field, "zoom")
    assert not dialog.learn.isEnabled()
    qtbot.waitUntil(dialog.learn.isEnabled, timeout=10_000)
    assert "“zoom”, has no arrow" in dialog.says.text()
    QTest.keyClicks(dialog.field, " -> zoomed")
    qtbot.waitUntil(dialog.learn.isEnabled, timeout=10_000)
    press(dialog.learn)
    assert at.training.setup.lines == (*LINES, "zoom -> zoomed")


def test_what_was_typed_is_there_again_after_cancel(training):
    at = training(SMALL)
    dialog = asked(at)
    paste(dialog, "zoom -> zoomed")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    dialog = asked(at)
    assert dialog.field.toPlainText() == "zoom -> zoomed"
    QTest.keyClick(dialog.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert dialog.field.toPlainText() == "\n".join(LINES)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    at.load("own")
    assert asked(at).field.toPlainText() == "\n".join(OWN.setup.lines)


def test_a_text_that_no_session_could_hold_is_not_pasted(training):
    at = training(SMALL)
    dialog = asked(at)
    QGuiApplication.clipboard().setText("x -> y\n" * 60_000)
    dialog.field.setFocus()
    QTest.keyClick(dialog.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert "That is too long to be pasted" in dialog.says.text()
    assert dialog.field.toPlainText() == "\n".join(LINES)


def test_words_or_characters_are_chosen_and_said(training):
    at = training(OWN)
    dialog = asked(at)
    assert "cut into words" in dialog.says.text()
    press(dialog.cuts.buttons[LineCut.CHARACTERS])
    read(dialog)
    assert "cut into characters" in dialog.says.text()
    press(dialog.learn)
    assert at.training.setup.cut is LineCut.CHARACTERS


def test_files_are_read_where_they_are_dropped(training, tmp_path: Path):
    at = training(SMALL)
    path, image = tmp_path / "verbs.csv", tmp_path / "image.png"
    path.write_text("\n".join(f"{verb},{verb}ing" for verb in VERBS))
    image.write_bytes(b"\x89PNG\0\0")
    dialog = asked(at)
    before = dialog.field.toPlainText()
    drop(dialog.field.viewport(), image)
    assert dialog.says.text().startswith("“image.png” is no text in UTF-8")
    assert "12 lines, cut into characters" in dialog.says.text()
    assert dialog.field.toPlainText() == before
    assert read(dialog).learn.isEnabled()
    drop(dialog.field.viewport(), path)
    read(dialog)
    assert dialog.lines[0] == "walk,walking"
    assert "12 lines" in dialog.says.text()
    dialog.reject()


def test_a_file_dropped_on_the_page_is_asked_about(training, tmp_path: Path, qtbot):
    at = training(SMALL)
    path = tmp_path / "verbs.txt"
    path.write_text("\n".join(f"{verb} -> {verb}s" for verb in VERBS))
    drop(at.window, path)
    qtbot.waitUntil(lambda: hasattr(at.page, "lines_dialog"))
    assert read(at.page.lines_dialog).lines[0] == "walk -> walks"
    press(at.page.lines_dialog.learn)
    assert at.training.setup.lines[1] == "jump -> jumps"


def drop(widget, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    none, left, copy = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction
    QApplication.sendEvent(widget, QDragEnterEvent(QPoint(50, 50), copy, data, left, none))
    QApplication.sendEvent(widget, QDropEvent(QPointF(50, 50), copy, data, left, none))
    QApplication.processEvents()


def test_the_held_out_lines_are_listed_and_one_is_asked(training):
    state = replace(SMALL, step=40, view=TrainingView.HELD_OUT)
    at = training(state)
    found = own_lines(LINES, LineCut.BY_THE_DATA)
    texts = [("".join(line.question), "".join(line.answer)) for line in found.held_out]
    run = run_of(state.setup)
    written = ["".join(each) for each in run.at(40).write([question for question, _ in texts])]
    table = at.item(LIST)
    assert table.rows == tuple(
        (question, said, "✓" if said == right else right)
        for (question, right), said in zip(texts, written, strict=True)
    )
    right = sum(said == right for (_, right), said in zip(texts, written, strict=True))
    assert at.page.title.text() == f"Step 40: {right} of 2 held-out lines right."
    assert table.marked == (0, None)
    at.click(at.placed(LIST).layout.row(1).center())
    assert at.training.sentence == texts[1][0]
    catch_up(at.window)
    assert at.item(LIST).marked == (1, None)
    at.canvas.setFocus()
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Return):
        QTest.keyClick(at.canvas, key)
    assert at.training.sentence == texts[0][0]


def test_it_is_said_whether_the_line_that_is_asked_was_learned_from(training):
    at = training(replace(SMALL, step=40))
    found = own_lines(LINES, LineCut.BY_THE_DATA)
    held, learned = ("".join(line.question) for line in (found.held_out[0], found.learned[0]))
    for verb, said in ((held, "This line is held out."), (learned, "It learns from this line."), ("wall", "")):
        at.type_into(at.few(ASK), verb)
        catch_up(at.window)
        title, sentence = at.panel_words()
        assert sentence.startswith(said)
        assert ("No line has this input." in title) == (verb == "wall")
        assert (f"After “{verb}ed” it " if said else "First it ") in sentence
        assert "■" not in sentence


@pytest.mark.parametrize(
    ("off", "said"),
    [((), ("characters right", "held-out lines right")), (((1, 0),), ("right, if whole", "lines right, if whole"))],
)
def test_what_the_whole_network_gets_right_is_called_so_while_heads_are_off(training, off, said):
    at = training(replace(SMALL, step=40, off=frozenset(off)))
    assert at.readings == said


@pytest.mark.parametrize("task", ["it", "translation", "sort", "dictionary", "die"])
def test_every_task_lists_what_it_answers(task: str):
    setup = TASKS[task].setup
    found = held_answers(setup, 0, WHOLE)
    batch = TASKS[task].held_out(setup)
    assert len(found) == min(len(batch.tokens), 14)
    answers = TASKS[task].answers(setup).words
    first = [answers[token] for token in batch.targets[0] if token >= 0]
    assert found[0].right == " ".join(first)
    assert len(found[0].said.split()) == len(first)
    TASKS[task].question(found[0].sentence, setup)
    state = TrainingState().with_task(task)
    assert "the first" not in headline(found, state, len(found))
    assert "of the first" in headline(found, state, len(found) + 1)


def test_a_session_keeps_the_lines_and_learns_the_same(tmp_path: Path):
    path = tmp_path / "own.attn.json"
    write_session(path, ExplorerState(training=SMALL), page="training")
    assert '"walk -> walked"' in path.read_text()
    opened = read_session(path)
    assert opened.state.training == SMALL
    assert not opened.warnings
    broken = tmp_path / "broken.attn.json"
    broken.write_text(path.read_text().replace(" -> ", " "))
    assert "No line can be learned" in str(read_session(broken).warnings)


@pytest.mark.parametrize("to", ["Open in Heads", "Open in Layer"])
def test_what_was_learned_is_taken_to_other_pages(training, to):
    at = training(replace(SMALL, step=20))
    tokens = at.film.tokens
    at.take(to)
    catch_up(at.window)
    state = at.window.session.state
    assert at.window.page.name == to.removeprefix("Open in ")
    text = state.heads.setup.recipe.sentence if to.endswith("Heads") else state.block.sentence
    assert tuple(text.split()) == tokens


def test_other_lines_are_other_runs(training):
    at = training(replace(SMALL, step=20, other=SMALL.setup))
    assert FILM in at.names()
    changed = at.training.with_setup(replace(SMALL.setup, lines=LINES[:6]))
    assert changed.other is None
    assert changed.step == 0


@pytest.mark.parametrize("view", [TrainingView.HELD_OUT, TrainingView.BREAK])
def test_what_is_on_show_while_it_learns_is_computed_before_the_step_comes(training, qtbot, view):
    at = training(replace(SMALL, view=view))
    waited = []
    at.page.requests.jobs.started.connect(waited.append)
    at.page.toggle()
    qtbot.waitUntil(lambda: at.training.step >= 60, timeout=60_000)
    at.page.stop()
    assert not [each.state.step for each in waited]


def test_of_other_seeds_it_is_said_how_many_lines_are_right() -> None:
    found = seeds.all_of(replace(SMALL, step=20)).found
    shares = [run_of(each.setup).measured(20).whole for each in found]
    assert [each.right for each in found] == shares
    low, high = percent(min(shares)), percent(max(shares))
    assert seeds.summary(found, SMALL)[0] == f"Of held-out lines {low if low == high else f'{low} to {high}'} right."
    assert seeds.below(found[1]).startswith(f"{percent(shares[1])} of lines right · ")


def test_files_of_the_list_hold_what_is_answered(tmp_path: Path):
    state = replace(SMALL, step=20, view=TrainingView.HELD_OUT)
    figure = training_figure(state)
    assert "Each row sums to 1" not in figure.caption
    numbers = figure.numbers()
    found = held_answers(state.setup, 20, WHOLE)
    assert numbers.document["held_out"] == [each._asdict() for each in found]
    assert numbers.document["written"] == found[0].said
    assert list(numbers.table.rows()) == [(each.sentence, each.right, each.said, int(each.is_right)) for each in found]
