"""What keeps the window free: nothing ticks, what is not seen is not dressed, and long work can be ended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from heads_driver import busy, sentence
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel

from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.heads import checks as heads_checks
from attention_explorer.pages.heads.parts import Check
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, Picture
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.requests import Standing
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recipe import ToyRecipe

LONG = 20_000
"""Milliseconds that no test takes unless it fails."""


def toy(tokens: int, letter: str = "w") -> HeadsState:
    return HeadsState(HeadsSetup(ToyRecipe(sentence(tokens, letter))), HeadsView())


# ---- A window that nobody touches ----


@pytest.mark.parametrize("page", [entry.id for entry in PAGES])
def test_nothing_ticks_while_nothing_happens(make_window, qtbot, page) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page), size=(1600, 1000))
    window.page.settle()

    def ticking() -> list[QTimer]:
        return [timer for timer in window.findChildren(QTimer) if timer.isActive()]

    qtbot.waitUntil(lambda: not ticking(), timeout=LONG)
    QTest.qWait(100)
    assert ticking() == []


def test_an_idle_window_paints_nothing(make_window) -> None:
    window = make_window()
    QTest.qWait(300)  # sizes settle
    counter = Paints(window)
    QTest.qWait(300)
    assert counter.seen == 0
    window.page.canvas.update()
    QTest.qWait(50)
    assert counter.seen > 0, "or it would not see any"


class Paints(QTimer):
    """Counts every paint event of the application."""

    def __init__(self, parent) -> None:
        super().__init__(parent)
        self.seen = 0
        QApplication.instance().installEventFilter(self)

    def eventFilter(self, _watched, event) -> bool:  # noqa: N802 - Qt's name
        self.seen += event.type() is QEvent.Type.Paint
        return False


# ---- Colours ----


def test_a_page_that_is_not_seen_is_dressed_when_it_is_shown(make_window) -> None:
    window = make_window()
    lookup = window.page
    window.show_page("cost")
    before = lookup.styleSheet()
    window.switch_theme()
    assert window.page.look == window.look
    assert window.page.styleSheet() != before
    assert (lookup.look.theme.name, lookup.styleSheet()) == ("light", before)
    window.show_page("lookup")
    assert window.page is lookup
    assert lookup.look == window.look
    assert lookup.styleSheet() != before
    assert lookup.bar.examples[lookup.view.id].palette().base().color().name() == window.look.theme.card


def test_dialogs_and_menus_of_the_window_wear_its_colours(make_window) -> None:
    window = make_window()
    window.show_about()
    dialog = window.findChild(QDialog)
    inside = dialog.findChild(QLabel)
    sheet = dialog.styleSheet()
    assert sheet
    assert sheet == window.page.styleSheet() == window.menuBar().styleSheet() == window.statusBar().styleSheet()
    assert dialog.grab().toImage().pixelColor(3, 3).name() == window.look.theme.window
    window.switch_theme()
    assert dialog.styleSheet() == window.page.styleSheet() != sheet
    assert dialog.grab().toImage().pixelColor(3, 3).name() == window.look.theme.window
    assert inside.font().family() == window.look.font().family()
    menu = window.files.recent_menu
    menu.popup(window.mapToGlobal(window.rect().center()))
    assert menu.styleSheet() == window.page.styleSheet()
    menu.close()


# ---- What is made when it is wanted ----


def test_the_numbers_of_random_heads_are_made_when_the_drawer_is_opened(make_window) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))
    page = window.page
    parts = page.drawer_parts
    assert not parts.made
    window.switch_theme()
    page.open_drawer(True)
    QApplication.processEvents()
    random, _embeddings = parts.made
    assert random.isVisible()
    assert parts._look == window.look, "in the colours of now"


# ---- The experiments ----


class Pieces:
    """An experiment in many pieces, of which so many are let through; counts those that were begun."""

    def __init__(self, monkeypatch) -> None:
        self.begun, self.allowed, self.asked = 0, 10**6, []
        self._carry_out = heads_checks.carry_out
        monkeypatch.setattr(heads_checks, "carry_out", self)

    def __call__(self, frame, experiment, row=None):
        self.asked.append(experiment)
        for _ in range(20):
            while self.begun >= self.allowed:
                checkpoint()
                QTest.qSleep(2)
            self.begun += 1
            checkpoint()
        return self._carry_out(frame, experiment, row)

    def done_now(self, page) -> str:
        """Return what comes out of the experiment on show, without waiting for anything."""
        heads = page.session.state.heads
        return self._carry_out(page.canvas.picture.frame, heads.experiment, heads.view.row).result


@pytest.fixture
def pieces(monkeypatch) -> Pieces:
    return Pieces(monkeypatch)


def open_checks(open_heads, pieces, qtbot, letter: str, tokens: int = 80):
    """Open the experiments on words that no other test has, with the worker held up in the first of them."""
    driver = open_heads(toy(tokens, letter))
    qtbot.waitUntil(lambda: not busy(driver), timeout=LONG)
    pieces.allowed = 3
    driver.show(Picture.CHECK)
    qtbot.waitUntil(lambda: pieces.begun == 3, timeout=LONG)
    return driver


def let_through(driver, pieces, qtbot) -> None:
    pieces.allowed = 10**6
    qtbot.waitUntil(lambda: not busy(driver), timeout=LONG)


def experiment(driver, **changes) -> None:
    session = driver.window.session
    heads = session.state.heads
    heads = replace(heads, experiment=replace(heads.experiment, **changes))
    session.apply(replace(session.state, heads=heads), "Choose")


def test_an_experiment_of_medium_size_leaves_the_window_free(open_heads, pieces, qtbot) -> None:
    driver = open_checks(open_heads, pieces, qtbot, "a")
    assert busy(driver), "nobody has to ask for it, and the window goes on"
    let_through(driver, pieces, qtbot)
    assert driver.canvas.picture.result(Check.SHUFFLE) == pieces.done_now(driver.page)


def test_of_many_experiments_the_newest_is_shown(open_heads, pieces, qtbot) -> None:
    driver = open_checks(open_heads, pieces, qtbot, "b")
    for seed in range(1, 6):
        experiment(driver, seed=seed)
    let_through(driver, pieces, qtbot)
    seeds = [asked.seed for asked in pieces.asked if asked.check is Check.SHUFFLE]
    assert seeds == [0, 5], "what came between was never begun"
    assert driver.canvas.picture.result(Check.SHUFFLE) == pieces.done_now(driver.page)


def test_another_kind_of_experiment_is_never_shown_the_numbers_of_the_one_before(open_heads, pieces, qtbot) -> None:
    driver = open_checks(open_heads, pieces, qtbot, "c")
    experiment(driver, check=Check.SYMMETRY)
    shown = []
    driver.page.requests.delivered.connect(
        lambda request, part: shown.append((request, part)) if isinstance(part, heads_checks.CheckNumbers) else None
    )
    let_through(driver, pieces, qtbot)
    assert shown
    for request, numbers in shown:  # what is still on show from before says so
        assert numbers.experiment == request.state.experiment
        assert numbers.experiment.check in numbers.found
    assert driver.canvas.picture.experiment.check is Check.SYMMETRY
    assert driver.canvas.picture.result(Check.SYMMETRY) == pieces.done_now(driver.page)


def test_a_long_experiment_is_cancelled_within_a_piece(open_heads, pieces, qtbot) -> None:
    driver = open_checks(open_heads, pieces, qtbot, "d", tokens=200)
    driver.key(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: driver.page.requests.standing is Standing.STOPPED, timeout=LONG)
    pieces.allowed = 10**6
    qtbot.waitUntil(lambda: not busy(driver), timeout=LONG)
    assert pieces.begun <= 4
    note = driver.page.note
    assert note.button.text() == "Compute"
    driver.press(note.button)
    qtbot.waitUntil(lambda: not busy(driver), timeout=LONG)
    assert driver.canvas.picture.result(Check.SHUFFLE) == pieces.done_now(driver.page)
