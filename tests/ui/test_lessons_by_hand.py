"""The tasks of the lessons, done as a learner does them: with the mouse and the keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from heads_driver import Controls
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from test_lessons import Learner
from training_driver import TrainingDriver

from attention_explorer.core.mask import MaskKind
from attention_explorer.pages.heads.state import Hidden
from attention_explorer.pages.lookup.ui.words import PLANE, PLANES
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recipe import GainKind
from attention_explorer.tools.lessons import reading


def settle(learner: Learner) -> None:
    if hasattr(learner.page, "settle"):
        learner.page.settle()
    QApplication.processEvents()


def drag(*to: float) -> Callable[[Learner], None]:
    return lambda learner: learner.drag_query(to)


def pull(name: str, *moves: object) -> Callable[[Learner], None]:
    """Drag points of a plane of words, or tips of its arrows: each followed by where to."""

    def drag_all(learner: Learner) -> None:
        for part, to in zip(moves[::2], moves[1::2], strict=True):
            settle(learner)
            (plane, laid) = next(
                leaf for leaf in learner.canvas.picture_layout.item.leaves(learner.canvas.picture_layout.layout)
                if leaf[0].name == name
            )  # fmt: skip
            start = next(laid.pixel(at) for each, at in plane._parts() if each == part)
            learner.hand().drag(start, laid.pixel(to))

    return drag_all


def click_button(words: str) -> Callable[[Learner], None]:
    def click(learner: Learner) -> None:
        settle(learner)
        found = [each for each in learner.page.findChildren(QAbstractButton) if each.text().startswith(words)]
        (button,) = (each for each in found if each.isVisible())
        learner.press(button)

    return click


def click_cell(row: int, column: int) -> Callable[[Learner], None]:
    def click(learner: Learner) -> None:
        settle(learner)
        learner.click(learner.canvas.cell_box(row, column).center())

    return click


def click_head(layer: int, head: int) -> Callable[[Learner], None]:
    def click(learner: Learner) -> None:
        settle(learner)
        wall = learner.page.wall
        place = wall.box_of(wall.index_of(layer, head)).center()
        QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=place.toPoint())

    return click


def click_of_grid(layer: int, head: int) -> Callable[[Learner], None]:
    def click(learner: Learner) -> None:
        settle(learner)
        learner.click(learner.canvas.picture_layout.layout.rectangle(layer, head).center())

    return click


def click_of_graph(layer: int, head: int) -> Callable[[Learner], None]:
    def click(learner: Learner) -> None:
        settle(learner)
        learner.click(learner.canvas.picture_layout.layout.centre((layer, head)))

    return click


def click_eye(word: str) -> Callable[[Learner], None]:
    def click(learner: Learner) -> None:
        settle(learner)
        line = learner.page.subject.sentence.line
        learner.click(line.eye_of(line.tokens.texts.index(word)).center(), line)

    return click


def choose_mask(kind: MaskKind, size: int | None = None) -> Callable[[Learner], None]:
    def choose(learner: Learner) -> None:
        controls = Controls(learner)
        learner.choose(controls.masks, kind)
        if size is not None:
            learner.type_into(controls.mask_size, str(size))

    return choose


def choose_gain(learner: Learner) -> None:
    gain = Controls(learner).parts.random.form.controls["gain_kind"]
    assert gain.isVisible()
    QTest.keyClick(gain, Qt.Key.Key_Home)
    for _ in range(gain.findText(GainKind.NORMALISED)):
        QTest.keyClick(gain, Qt.Key.Key_Down)


def hide_first(learner: Learner) -> None:
    settle(learner)
    learner.choose(Controls(learner).hidden, Hidden.FIRST)


def type_number(control: str, number: float) -> Callable[[Learner], None]:
    def type_it(learner: Learner) -> None:
        (field,) = (
            each
            for each in learner.page.findChildren(object)
            if getattr(each, "accessibleName", str)() == f"{control}, exact" and each.isVisible()
        )
        learner.type_into(field, str(number))

    return type_it


def click_softmax(learner: Learner) -> None:
    settle(learner)
    learner.click(learner.canvas.picture_layout.layout.places["weights"].cells.center())


def press_down(learner: Learner) -> None:
    settle(learner)
    for _ in range(2):
        learner.key(Qt.Key.Key_Down)


def play(learner: Learner) -> None:
    settle(learner)
    learner.press(learner.page.main.play)
    for _ in range(600):
        if learner.place.is_done:
            break
        QTest.qWait(50)
    learner.page.player.stop()


def switch_off(layer: int, head: int) -> Callable[[Learner], None]:
    def act(learner: Learner) -> None:
        settle(learner)
        canvas = learner.page.canvas
        learner.click(TrainingDriver(learner.window, learner._hand).small(layer, head), canvas)

    return act


def run_down(learner: Learner) -> None:
    click_button("Play")(learner)
    for _ in range(400):
        if learner.place.is_done:
            break
        QTest.qWait(25)


HANDS: dict[str, tuple[Callable[[Learner], None], ...]] = {
    "first-minute": (click_eye("soft"), click_eye("soft")),
    "why-soft": (drag(0.9, 1.6), run_down, drag(1.6, 0.2)),
    "sentence": (
        pull(PLANE, "bank", (0.4, 1.6)),
        pull(PLANES["w_q"], ("w_q", 0), (0.1, 1.0)),
        pull(PLANES["w_k"], ("w_k", 1), (0.0, 0.2), ("w_k", 0), (2.5, 0.0)),
        pull(PLANES["w_v"], ("w_v", 1), (-0.4, -0.4)),
        type_number("Share of o", 1),
    ),
    "masks": (choose_mask(MaskKind.CAUSAL), choose_mask(MaskKind.CAUSAL_WINDOW, 2)),
    "scaling": (type_number("d_k", 4),),
    "several-heads": (click_button("Two heads"), click_head(0, 0), choose_gain),
    "positions": (click_button("Shuffle again"), type_number("Position p", 30)),
    "layer": (click_softmax, press_down, click_button("residual")),
    "learned": (play, switch_off(1, 0), play),
    "real": (click_head(11, 1), click_cell(1, 2)),
    "sinks": (click_head(18, 1), drag(2.0, 4.0), hide_first),
    "circuit": (click_of_grid(0, 3), click_button("Find the circuit"), click_of_graph(0, 3)),
}
"""By lesson, how its tasks are done, in their order."""
PLAYED_ELSEWHERE = ("dictionary", "soft", "hard-and-soft")


def test_hands_know_every_task() -> None:
    for lesson in reading.lessons():
        tasks = sum(step.until is not None for step in lesson.steps)
        assert lesson.name in PLAYED_ELSEWHERE or len(HANDS.get(lesson.name, ())) == tasks, lesson.name


@pytest.mark.parametrize("name", HANDS)
def test_the_tasks_of_a_lesson_can_be_done_by_hand(make_window, hand, name):
    learner = Learner(make_window(None, Settings(theme=ThemeChoice.LIGHT)), hand)
    learner.start(name)
    hands = iter(HANDS[name])
    for number, step in enumerate(learner.place.lesson.steps, 1):
        if step.until is None:
            learner.play_step()
            continue
        assert not learner.place.is_done
        next(hands)(learner)
        learner.acted()
        assert learner.place.is_done, f"step {number}"
        learner.go_on(learner.card.next)
    assert "That was the lesson." in learner.words()
