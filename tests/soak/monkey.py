"""The monkey: one random thing after another, the same for the same seed."""

from __future__ import annotations

import random
import weakref
from collections import deque
from collections.abc import Callable
from random import Random
from typing import TextIO

from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from shiboken6 import isValid

from soak import actions
from soak.hand import WindowHand
from soak.scene import Scene, surface_of
from soak.world import World

LONGEST_STAY = 10
"""Steps in one dialog, after which it is left."""
NESTED_MILLISECONDS = 10
STEP_SECONDS = 0.3
"""How much later each step is, by the clock that tells which changes are one undo step."""
MOST_REMEMBERED = 30

WINDOW_ACTIONS: tuple[tuple[int, Callable[[Scene], None]], ...] = (
    (22, actions.click_control),
    (8, actions.click_anywhere),
    (16, actions.drag),
    (9, actions.turn_wheel),
    (5, actions.hover),
    (9, actions.press_keys),
    (9, actions.write_into_field),
    (3, actions.walk_with_tab),
    (4, actions.press_shortcut),
    (3, actions.undo_storm),
    (7, actions.choose_page),
    (3, actions.open_menu),
    (3, actions.open_context_menu),
    (3, actions.resize),
    (2, actions.change_look),
    (4, actions.take_lesson),
    (3, actions.open_helper),
    (1, actions.present),
    (1, actions.drop_file),
    (1, actions.drop_attention),
    (1.5, actions.take_along),
    (0.3, actions.close_window),
    (3, actions.open_and_close),
)
DIALOG_ACTIONS: tuple[tuple[int, Callable[[Scene], None]], ...] = (
    (10, actions.click_control),
    (3, actions.click_anywhere),
    (4, actions.drag),
    (3, actions.turn_wheel),
    (3, actions.press_keys),
    (4, actions.write_into_field),
    (2, actions.walk_with_tab),
    (2, actions.leave_dialog),
)


class Monkey:
    """Acts on a world, step by step, and remembers what it did."""

    def __init__(self, world: World, seed: int, log: TextIO) -> None:
        self.world, self.seed, self.step = world, seed, 0
        self.last: deque[str] = deque(maxlen=MOST_REMEMBERED)
        self._log = log
        self._hand = WindowHand(world.turn)
        self._stay: tuple[Callable[[], QWidget | None], int] = (lambda: None, 0)
        self._waited: dict[int, weakref.ref[QWidget]] = {}  # a dialog would keep a window that was closed
        self._nested = QTimer()
        self._nested.setSingleShot(True)
        self._nested.setInterval(NESTED_MILLISECONDS)
        self._nested.timeout.connect(self._act_in_dialog)

    def act(self) -> None:
        """Do the next thing."""
        world, self.step = self.world, self.step + 1
        # Dice of its own for each step: what was drawn before, by whatever was on the screen, does not matter.
        dice = Random(f"{self.seed}/{self.step}")  # noqa: S311 - a monkey needs no secrets
        random.seed(f"{self.seed}/{self.step}/program")  # by which lessons draw their questions
        world.time += STEP_SECONDS
        if not world.is_open:
            self._note("open a new window")
            world.open_again()
            return
        surface = surface_of(world, dice)
        scene = Scene(world, self._hand, dice, surface, self._note)
        action = self._choose(surface, dice)
        world.doing = f"step {self.step}: {action.__name__}"
        if not surface.isActiveWindow() and surface is not QApplication.activePopupWidget():
            world.turn(surface.activateWindow)  # as the desktop does with a window that is pointed at
        self._nested.start()  # goes off only if the action opens a dialog and waits for it
        self._do(action, scene)
        if dice.random() < 0.8:
            world.settle()

    def _do(self, action: Callable[[Scene], None], scene: Scene) -> None:
        try:
            action(scene)
        except RuntimeError as error:
            # The program's own errors end in the hook, not here: this is the hand on a dialog that it has just closed.
            if "already deleted" not in str(error):
                raise
            self._note("it is gone")

    def _choose(self, surface: QWidget, dice: Random) -> Callable[[Scene], None]:
        if surface is QApplication.activePopupWidget():
            return actions.act_on_popup
        if surface is self.world.window:
            return dice.choices(*reversed(list(zip(*WINDOW_ACTIONS, strict=True))))[0]
        stayed = self._stay[1] + 1 if surface is self._stay[0]() else 1
        self._stay = (weakref.ref(surface), stayed)
        if stayed > LONGEST_STAY:
            return actions.leave_dialog
        if isinstance(surface, QFileDialog):
            return actions.answer_file_dialog
        return dice.choices(*reversed(list(zip(*DIALOG_ACTIONS, strict=True))))[0]

    def _act_in_dialog(self) -> None:
        """Go on inside a dialog that the program waits for; nothing if it waits for none."""
        if QThread.currentThread().loopLevel() > self.world.steps_under_way and not self._is_about_to_end():
            self.world.steps_under_way += 1
            try:
                self.act()
            finally:
                self.world.steps_under_way -= 1
        self._nested.start()

    def _is_about_to_end(self) -> bool:
        """Whether the dialog whose events these are has just been closed: no person gets at what is behind it by now.

        What is done all the same would be handled before the program hears of the answer, and may delete the dialog.
        """
        level, now = QThread.currentThread().loopLevel(), QApplication.activeModalWidget()
        known = self._waited.pop(level, None)
        before = None if known is None else known()
        if known is not None and before is not now and not (before and isValid(before) and before.isVisible()):
            return True
        if now is not None:
            self._waited[level] = weakref.ref(now)
        return False

    def rest(self) -> None:
        """Leave every popup and dialog and wait, so that the state can be looked at."""
        for _ in range(20):
            surface = surface_of(self.world, Random(0))  # noqa: S311 - as above
            if surface is self.world.window or not self.world.is_open:
                break
            self._do(actions.leave_dialog, Scene(self.world, self._hand, Random(0), surface, self._note))  # noqa: S311
        if not self.world.is_open:
            self.world.open_again()
        self.world.settle()

    def _note(self, what: str) -> None:
        line = f"{self.step}: {what}"
        self.last.append(line)
        self._log.write(line + "\n")
        self._log.flush()
