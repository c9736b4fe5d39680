"""The lessons as a page: in place of the others, chosen by mouse and keys, with a picture for each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from test_lessons import OWN, Learner, named

from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.ui.page import LessonsPage
from attention_explorer.tools.lessons.ui.path import EDGE
from attention_explorer.window.actions import PAGE_MENU


@pytest.fixture
def learner(make_window, hand) -> Learner:
    return Learner(make_window(OWN), hand)


def rail(learner: Learner, name: str):
    return learner.window.rail.buttons[name]


def test_it_stands_in_place_of_the_page_until_escape_or_just_explore(learner):
    for leave in (lambda page: QTest.keyClick(page, Qt.Key.Key_Escape), lambda page: learner.press(page.close_button)):
        page = learner.list()
        assert page.isVisible()
        assert not learner.page.isVisible()
        assert rail(learner, "lessons").isChecked()
        assert not rail(learner, "lookup").isChecked()
        leave(page)
        assert learner.window.instead is None
        assert learner.page.isVisible()
        assert rail(learner, "lookup").isChecked()
        assert learner.page.isAncestorOf(QApplication.focusWidget())
        assert learner.window.session.state == OWN


def test_another_page_or_a_change_puts_it_away(learner):
    learner.list()
    learner.press(rail(learner, "lab"))
    assert learner.window.instead is None
    assert learner.window.settings.page == "lab"
    learner.press(rail(learner, "lookup"))
    learner.key(Qt.Key.Key_H, widget=learner.canvas)
    assert learner.window.session.state.lookup.hard
    learner.list()
    learner.undo()
    assert learner.window.instead is None, "what was undone is to be seen"
    assert learner.page.isVisible()


def test_no_key_changes_the_page_behind_it(learner):
    page = learner.list()
    menu = learner.window._menus[PAGE_MENU]
    keys = [action.shortcut()[0] for action in menu.actions() if not action.shortcut().isEmpty()]
    assert keys
    for key in keys:
        QTest.keyClick(page, key.key(), key.keyboardModifiers())
    assert learner.window.session.state == OWN
    assert not menu.menuAction().isEnabled()
    learner.press(page.close_button)
    learner.key(Qt.Key.Key_H, widget=learner.canvas)
    assert learner.window.session.state.lookup.hard, "they are back with the page"


def test_every_title_is_whole_below_its_picture_at_1280_pixels(make_window, hand):
    learner = Learner(make_window(size=(1280, 800)), hand)
    for card in learner.list().cards:
        wide = QFontMetrics(card.look.font(13.0, bold=True)).horizontalAdvance(card.title)
        assert wide <= card.width() - 2 * card.look.px(EDGE), card.title


def test_presenting_shows_the_page_again(learner):
    learner.list()
    learner.window.action("present").trigger()
    assert learner.window.instead is None
    assert learner.page.isVisible()
    learner.window.action("present").trigger()


def test_the_keyboard_goes_back_to_the_lesson_under_way(learner):
    learner.start("dictionary")
    learner.press(learner.card.skip)
    answers = learner.card.asking.options
    page = learner.list()
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is answers[0]
    QTest.keyClick(answers[0], Qt.Key.Key_Space)
    assert answers[0].isChecked()


def test_a_card_is_chosen_by_click_or_arrow_and_begun_by_a_second_click_or_enter(learner):
    page = learner.list()
    assert page.title.text() == "0  The first minute"
    page.cards[0].setFocus()
    QTest.keyClick(page.cards[0], Qt.Key.Key_Right)
    assert page.title.text() == "1  A dictionary"
    assert page.about.text() == reading.lessons()[1].about
    learner.press(page.cards[3])
    assert page.title.text() == "3  Hard and soft"
    QTest.mouseDClick(page.cards[4], Qt.MouseButton.LeftButton)
    assert learner.place.lesson.name == reading.NAMES[4]
    page = learner.list()
    QTest.keyClick(page.cards[5], Qt.Key.Key_Return)
    assert learner.place.lesson.name == reading.NAMES[5]
    page = learner.list()
    learner.press(page.cards[3])
    QTest.keyClick(page.ways[0], Qt.Key.Key_Return)
    assert learner.place.lesson.name == reading.NAMES[3]


def test_what_is_done_bears_a_tick_and_says_what_was_learned(learner):
    learner.start("first-minute")
    while learner.place.now is not None:
        learner.press(learner.card.skip)
    learner.press(learner.card.leave)
    page = learner.list()
    assert [card.is_done for card in page.cards] == [True, *[False] * (len(page.cards) - 1)]
    assert page.cards[1].isChecked(), "the next one"
    assert page.count.text() == f"1 of {len(reading.NAMES)} done"
    learner.press(page.cards[0])
    assert page.about.text() == reading.lessons()[0].learned
    assert page.ways[0].text() == "Again"
    assert named(page, "Reset: The first minute").isVisible()


def test_what_was_only_looked_at_cannot_be_reset(learner):
    learner.start("sentence")
    learner.press(learner.card.leave)
    page = learner.list()
    for card in page.cards:
        learner.press(card)
        assert not any(button.text() == "Reset" for button in page._beside.findChildren(QPushButton))
    assert not any(button.isEnabled() for button in page.findChildren(QPushButton) if button.text() == "Reset all")


def test_every_lesson_gets_its_picture(learner, qtbot):
    page = learner.list()
    lessons = page.cards[: len(reading.NAMES)]
    qtbot.waitUntil(lambda: all(not card.picture.isNull() for card in lessons), timeout=120_000)
    looks = {card.picture.toImage().cacheKey(): card.picture.toImage() for card in lessons}
    images = list(looks.values())
    assert all(one != other for at, one in enumerate(images) for other in images[:at]), "each its own"


def test_pictures_are_drawn_once_the_size_has_settled(learner, qtbot):
    page = learner.list()
    qtbot.waitUntil(lambda: all(not card.picture.isNull() for card in page.cards), timeout=120_000)
    before = [card.picture.cacheKey() for card in page.cards]
    for width in range(1279, 1260, -3):
        learner.window.resize(width, 800)
        QApplication.processEvents()
        assert [card.picture.cacheKey() for card in page.cards] == before
    qtbot.waitUntil(lambda: all(card.picture.deviceIndependentSize() == card.room for card in page.cards))


def test_computing_pictures_leaves_the_window_to_the_hand(learner, qtbot):
    page = learner.list()
    assert learner.window.tools.offers.pictures.jobs.is_busy()
    learner.press(page.cards[3])
    assert page.title.text() == "3  Hard and soft", "at once, and its picture once it is there"
    qtbot.waitUntil(lambda: not page.picture.pixmap().isNull(), timeout=120_000)
    assert learner.window.tools.offers.pictures.jobs.wait(120)
    learner.press(page.close_button)
    page = learner.list()
    assert not learner.window.tools.offers.pictures.jobs.is_busy()
    qtbot.waitUntil(lambda: all(not card.picture.isNull() for card in page.cards))


def cut(page: LessonsPage) -> list[str]:
    """Return the words beside the path that are not seen whole."""
    found = []
    for part in (page.title, page.said, page.about, *page.ways):
        place = part.rect().translated(part.mapTo(page, part.rect().topLeft()))
        needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else 0
        if not page.rect().contains(place) or part.height() < needed:
            found.append(part.text())
    return found


@pytest.mark.parametrize(("size", "zoom"), [((1024, 768), 1.0), ((1280, 800), 1.0), ((1024, 768), 1.75)])
@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_all_of_it_is_within_reach_in_a_small_window(make_window, hand, qtbot, size, zoom, theme):
    learner = Learner(make_window(OWN, Settings(theme=theme, zoom=zoom), size), hand)
    page = learner.list()
    assert learner.window.width() == size[0]
    for card in page.cards:
        learner.press(card)
        qtbot.waitUntil(lambda: not cut(page))  # a layout comes in a moment
    rows = {card.y() for card in page.cards}
    assert all(
        not one.geometry().intersects(other.geometry())
        for one in page.cards
        for other in page.cards
        if one is not other
    )
    assert len(rows) > 1


def test_it_wears_another_look_at_once(learner):
    page = learner.list()
    learner.window.set_theme(ThemeChoice.DARK)
    assert isinstance(learner.window.instead, LessonsPage)
    assert all(card.look.theme.name == "dark" for card in page.cards)
