"""The first start, and the light on what a lesson needs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from heads_driver import Controls
from people_driver import catch_up
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QSlider
from test_lessons import Learner
from window_driver import WindowDriver

from attention_explorer.core.mask import MaskKind
from attention_explorer.kit import reach
from attention_explorer.model import Stage
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState, LookupView
from attention_explorer.pages.registry import find_preset
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.names import PARTS, in_sight, names_of
from attention_explorer.tools.lessons.ui.page import LessonsPage


def open_at(make_window, page: str):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page))
    catch_up(window)
    return window


def test_no_query_is_moved_unseen(make_window, hand):
    driver = WindowDriver(open_at(make_window, "lookup"), hand)
    driver.window.show_preset(find_preset("descent", "lookup"))
    driver.press(driver.page.bar.view_row.buttons[LookupView.PLANE])
    before = driver.window.session.state
    driver.key(Qt.Key.Key_S)
    assert driver.window.session.state == before, "what S follows is not on show"
    assert "view Gradient" in driver.said
    driver.press(driver.page.bar.view_row.buttons[LookupView.GRADIENT])
    driver.key(Qt.Key.Key_S)
    assert driver.window.session.state.lookup.query != before.lookup.query


# The off-screen platform says this whenever a combo box opens.
def test_a_lesson_shows_what_it_needs(make_window, hand, tmp_path):
    window = open_at(make_window, "heads")
    learner = Learner(window, hand)
    assert not window.page.is_open
    learner.open_steps(
        tmp_path,
        'show = "causal"\nsay = "Look at the scores."\nlight = ["heads.stage"]\n'
        'until = "heads.view.stage == \'scores\'"\ndone = { "heads.view.stage" = "scores" }',
    )
    catch_up(window)
    stages = reach.part(window.page, PARTS["heads.stage"][0])
    assert stages.isVisible()
    learner.choose(Controls(window).stages, Stage.SCORES)
    assert "Done." in learner.words()
    learner.press(learner.card.leave)
    assert not stages.isVisible()


def test_a_slider_below_the_picture_is_lit_and_not_its_field_in_the_drawer(make_window, hand):
    window = open_at(make_window, "lab")
    Learner(window, hand).start("scaling")
    catch_up(window)
    assert not window.page.is_open
    slider = window.page.main.slider_of(window.page.view)
    assert slider.slider.isVisible()
    box = QRect(slider.slider.mapTo(window.page, QPoint()), slider.slider.size())
    assert any(place.contains(box) for place in window._spotlight.places())


def test_where_curves_stand_in_place_of_a_slider_a_lesson_brings_none(make_window, hand):
    window = open_at(make_window, "training")
    Learner(window, hand).start("learned")
    catch_up(window)
    curves = window.page.main.canvas
    box = QRect(curves.mapTo(window.page, QPoint()), curves.size())
    assert any(place.contains(box) for place in window._spotlight.places())
    assert not window.page.main.findChildren(QSlider)


@pytest.mark.parametrize("part", ["scaling", "lookup"])
def test_a_lesson_opens_the_drawer_for_what_is_in_it(make_window, hand, tmp_path, part):
    window = open_at(make_window, "lookup" if part == "lookup" else "lab")
    learner = Learner(window, hand)
    show, first = ("two-keys", '"lookup.scaled" = true') if part == "lookup" else ("variance", '"scaling.draws" = 200')
    learner.open_steps(
        tmp_path,
        f'show = "{show}"\nsay = "Do not divide."\nlight = ["{part}.scaled"]\n'
        f'set = {{ {first} }}\nuntil = "not {part}.scaled"\ndone = {{ "{part}.scaled" = false }}',
    )
    catch_up(window)
    scaled = window.page.drawer.form.controls["scaled"]
    assert not scaled.visibleRegion().isEmpty()
    (lit,) = window._spotlight.lit
    assert lit.isAncestorOf(scaled) or lit is scaled
    learner.press(scaled if part == "lookup" else scaled.buttons[False])
    assert "Done." in learner.words()
    learner.press(learner.card.leave)
    assert not window.page.drawer.isVisible()


def test_what_is_lit_is_that_of_the_view_on_show(make_window, hand, tmp_path):
    """Each view has its own Soft and Hard, and its own drawer."""
    window = open_at(make_window, "lookup")
    learner = Learner(window, hand)
    learner.open_steps(
        tmp_path,
        'show = "descent"\nsay = "x"\nlight = ["lookup.hard", "lookup.values"]\n'
        'until = "lookup.hard"\ndone = { "lookup.hard" = true }',
    )
    of_lookups = [view for view in LookupView if view is not LookupView.WORDS]
    for view in (*reversed(of_lookups), LookupView.GRADIENT):
        learner.press(window.page.bar.view_row.buttons[view])
        catch_up(window)
        hard, values = window._spotlight.lit
        assert hard.isVisible()
        assert hard.isAncestorOf(window.page.form_of(window.page.view).controls["hard"].buttons[True])
        assert values.findChild(QComboBox) is window.page.drawer.form.controls["values"]
        assert values.isVisible()
        assert len(window._spotlight.places()) >= 2


@pytest.mark.parametrize("light", ["lookup.gradient", "lookup.plane", "lookup.sum"])
def test_a_lesson_shows_the_view_that_has_what_it_needs(make_window, hand, tmp_path, light):
    """Also one that was written before there were views."""
    lookup = replace(LookupState(), view=LookupView.TEMPERATURE)
    window = make_window(ExplorerState(lookup=lookup), Settings(theme=ThemeChoice.LIGHT, page="lookup"))
    learner = Learner(window, hand)
    learner.open_steps(tmp_path, f'set = {{ "lookup.query" = [1, 0] }}\nsay = "Look."\nlight = ["{light}"]')
    catch_up(window)
    assert window._spotlight.lit
    assert all(lit.isVisible() for lit in window._spotlight.lit)
    assert (window.page.view.id is LookupView.GRADIENT) == (light == "lookup.gradient")


def test_what_a_step_does_not_need_is_dimmed_and_works_all_the_same(make_window, hand):
    window = open_at(make_window, "lookup")
    learner = Learner(window, hand)
    plain = window.page.grab().toImage()
    learner.start("soft")
    QTest.qWait(50)
    (canvas, weights) = window._spotlight.lit
    assert canvas is learner.canvas
    assert weights is learner.page.panel.items
    hard = learner.page.form_of(learner.page.view).controls["hard"].buttons[True]
    at = hard.mapTo(window.page, QPoint(6, 6))
    assert window.page.grab().toImage().pixelColor(at) != plain.pixelColor(at)
    places = window._spotlight.places()
    assert len(places) == 2
    assert places[0].contains(canvas.mapTo(window.page, canvas.rect().center()))
    learner.press(hard)
    assert window.session.state.lookup.hard
    learner.press(learner.card.tell)
    assert learner.place.is_done
    assert window._spotlight.lit == (canvas, weights), "and it stays so until the next step"
    learner.press(learner.card.leave)
    assert window._spotlight is None


@pytest.mark.parametrize("light", ["lookup.gradient", "training.play", "heads.wall", "positions.position"])
def test_a_page_that_scrolls_shows_what_a_step_lights(make_window, hand, tmp_path, light):
    page = light.partition(".")[0]
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page, zoom=1.75), size=(1280, 720))
    learner = Learner(window, hand)
    learner.open_steps(tmp_path, f'page = "{page}"\nsay = "Look."\nlight = ["{light}"]')
    catch_up(window)
    part = window._spotlight.lit[0]
    top = QRect(part.mapTo(window.page, QPoint()), QSize(1, min(part.height(), window.page.height() // 2)))
    seen = window._spotlight._seen(part)
    assert seen.contains(top.translated(seen.left() - top.left(), 0)), "its upper part at least"


def test_a_page_that_is_too_wide_scrolls_sideways_to_what_a_step_lights(make_window, hand, tmp_path):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="lookup", zoom=2.0), size=(1024, 768))
    learner = Learner(window, hand)
    learner.open_steps(tmp_path, 'page = "lookup"\nsay = "Look."\nlight = ["lookup.share"]')
    catch_up(window)
    slider = window._spotlight.lit[0]
    assert window._spotlight._seen(slider).width() == slider.width()


def test_a_step_that_lights_nothing_shows_the_top_of_its_page(make_window, hand, tmp_path):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="lookup", zoom=1.75), size=(1280, 720))
    learner = Learner(window, hand)
    learner.open_steps(tmp_path, 'page = "lookup"\nsay = "Look."\nlight = ["lookup.table"]', 'say = "And here?"')
    catch_up(window)
    plane = learner.canvas
    assert plane.visibleRegion().boundingRect().top() > 0, "the table is far below it"
    QTest.qWait(reach.SETTLES_MILLISECONDS)  # as long as the table is kept in view
    learner.press(learner.card.next)
    catch_up(window)
    assert plane.visibleRegion().boundingRect().top() == 0


def test_with_the_largest_letters_every_word_of_the_first_minute_has_its_eye(make_window, hand):
    """The guess stands below the sentence there, and not beside three words of it."""
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads", zoom=2.0), size=(1024, 768))
    learner = Learner(window, hand)
    window.tools.lessons.start(reading.lessons()[0])
    catch_up(window)
    learner.press(learner.card.skip)
    catch_up(window)
    line = window.page.subject.sentence.line
    assert "soft" in line.tokens.texts
    assert not any(line.eye_of(token).isEmpty() for token in range(len(line.tokens.texts)))


def test_a_label_and_the_heads_of_a_table_are_lit_with_what_they_belong_to(make_window):
    window = open_at(make_window, "lookup")
    window.light(names_of(("lookup.temperature", "lookup.table")))
    page = window.page
    for part in (page.main.slider_of(page.view).label, page.table.horizontalHeader()):
        assert part.isVisible()
        box = QRect(part.mapTo(page, QPoint()), part.size())
        assert any(place.contains(box) for place in window._spotlight.places())


def test_the_way_home_is_lit_while_the_plane_is_moved_away(make_window, hand):
    learner = Learner(open_at(make_window, "lookup"), hand)
    learner.start()
    home = reach.part(learner.page, "Home view")
    assert home not in learner.window._spotlight.lit
    learner.canvas.zoom(2.0)
    assert home in learner.window._spotlight.lit
    learner.press(home)
    assert home not in learner.window._spotlight.lit


def test_no_button_and_no_plane_moves_from_a_task_to_a_question(make_window, hand):
    learner = Learner(open_at(make_window, "lookup"), hand)
    learner.start()
    QApplication.processEvents()
    kept = (reach.part(learner.page, "lookup"), learner.page.panel.more, learner.canvas)
    before = [part.geometry() for part in kept]
    learner.press(learner.card.skip)
    QApplication.processEvents()
    assert learner.place.asked is not None
    assert [part.geometry() for part in kept] == before


@pytest.mark.parametrize("name", PARTS)
def test_every_part_that_a_lesson_can_light_is_on_its_page(make_window, name):
    window = open_at(make_window, name.partition(".")[0])
    window.session.apply(in_sight((name,), window.session.state), "Show it")
    window.light(names_of((name,)))
    for part in PARTS[name]:
        assert reach.part(window.page, part) is not None, part


# ---- The first time ----


@pytest.fixture
def newcomer(make_window, hand) -> Learner:
    """Somebody who is here for the first time."""
    learner = Learner(open_at(make_window, "lookup"), hand)
    learner.window.tools.welcome()
    catch_up(learner.window)
    return learner


def test_somebody_new_is_offered_the_first_lessons_or_to_explore_and_no_paper(newcomer):
    first = newcomer.window.tools.offers.first
    offered = [button.text() for button in first.findChildren(QAbstractButton) if button.isVisible()]
    assert offered[:2] == ["All lessons…", "Just explore"]
    assert [" ".join(words.split("\n")[:-1]) for words in offered[2:]] == [
        f"{number}  {lesson.title}" for number, lesson in enumerate(reading.lessons()[: len(offered) - 2])
    ]
    assert len(offered) > 5
    assert newcomer.canvas.isVisible(), "the plane is there to be touched meanwhile"
    first.buttons[0].setFocus()
    QTest.keyClick(first.buttons[0], Qt.Key.Key_Space)
    newcomer.acted()
    assert newcomer.place.lesson.name == "first-minute"
    assert "Step 1 of 5" in newcomer.words()
    assert newcomer.window.tools.offers.first is None
    newcomer.press(newcomer.card.leave)
    assert newcomer.window.settings.page == "lookup"


@pytest.mark.parametrize(("size", "zoom"), [((1280, 800), 1.0), ((1366, 768), 2.0), ((1024, 768), 2.0)])
def test_what_is_said_to_somebody_new_is_whole(newcomer, size, zoom):
    newcomer.window.resize(*size)
    newcomer.window.set_zoom(zoom)
    catch_up(newcomer.window)
    for label in newcomer.window.tools.offers.first.findChildren(QLabel):
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()


def test_somebody_new_can_see_all_lessons(newcomer):
    newcomer.press(newcomer.window.tools.offers.first.more)
    opened = newcomer.window.instead
    assert isinstance(opened, LessonsPage)
    assert not newcomer.window.tools.offers.first.isVisible(), "all of them are there now"
    newcomer.press(opened.cards[1])
    newcomer.press(opened.ways[0])
    assert newcomer.window.tools.offers.first is None
    assert newcomer.place.lesson.name == reading.NAMES[1]


def test_who_explores_finds_the_window_as_it_was(make_window, hand):
    learner = Learner(open_at(make_window, "lookup"), hand)
    before, size = learner.window.session.state, learner.canvas.size()
    learner.window.tools.welcome()
    catch_up(learner.window)
    assert learner.canvas.size() != size
    learner.press(learner.window.tools.offers.first.explore)
    catch_up(learner.window)
    assert learner.window.tools.offers.first is None
    assert learner.canvas.size() == size
    assert learner.window.session.state == before
    assert learner.card is None


@pytest.mark.parametrize(
    "name", ["block.picture", "scaling.picture", "cost.picture", "training.map", "training.curves"]
)
def test_a_picture_that_is_named_is_lit_as_a_whole(make_window, name):
    window = make_window(ExplorerState(), Settings(page=name.partition(".")[0]))
    window.light(names_of((name,)))
    page = window.page
    picture = page.main.canvas if name == "training.curves" else page.canvas
    box = QRect(picture.mapTo(page, QPoint()), picture.size()).intersected(page.rect())
    assert any(place.contains(box) for place in window._spotlight.places())


# The off-screen platform says this whenever a combo box opens.
def test_the_number_of_a_mask_is_lit_once_it_is_there(make_window, hand):
    learner = Learner(open_at(make_window, "heads"), hand)
    learner.window.light(names_of(("heads.mask",)))
    learner.choose(Controls(learner).masks, MaskKind.CAUSAL_WINDOW)
    QApplication.processEvents()
    size = Controls(learner).mask_size
    box = QRect(size.mapTo(learner.page, QPoint()), size.size())
    assert any(place.contains(box) for place in learner.window._spotlight.places())
