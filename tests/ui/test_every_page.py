"""What every page does, whichever it is: its views and examples, its main quantity, and what is taken away.

They run over all pages and examples that are registered: a page needs no tests of its own of the same.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from frame_driver import FrameDriver
from people_driver import catch_up, first_state, in_window, show_state
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from window_driver import TAKEN

from attention_explorer.core.declared import declaration_of
from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.export.figure import EXPORT_FORMATS, figure_bytes
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import Picture
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.pages.registry import PAGE_IDS, PAGES, ReadyMade, find_preset, presets_in, presets_of
from attention_explorer.pages.training.state import TrainingView
from attention_explorer.session.settings import Settings, ThemeChoice

CTRL = Qt.KeyboardModifier.ControlModifier
SPACE = "{http://www.w3.org/2000/svg}"
SHARPNESS = 2
"""Pixels of a PNG to one of the figure, if nothing else is asked for."""
EXAMPLES = [ready for page in PAGE_IDS for ready in presets_of(page) if ready.state.lab.view is not LabView.AGAINST]
"""All but those that learn for seconds."""


def views_of(at: FrameDriver) -> list[Any]:
    return [view for view in at.page.views if view.id is not LabView.AGAINST]


def name_of(ready: ReadyMade) -> str:
    return f"{ready.page}-{ready.id}"


@pytest.fixture
def on(page_window, hand) -> Callable[[str, ExplorerState], FrameDriver]:
    """Show a state on a page of the window that all these tests share."""

    def show(page: str, state: ExplorerState) -> FrameDriver:
        window = page_window(page)
        window.show_page(page)
        show_state(window, state)
        driver = FrameDriver(window, hand)
        driver.settle()
        return driver

    return show


# ---- Views ----


@pytest.mark.parametrize("page", PAGE_IDS)
def test_views_are_shown_by_their_buttons_and_by_keys(on, page: str) -> None:
    at = on(page, first_state(page))
    views, places = views_of(at), set[int]()
    for view, before in zip(views, (views[-1], *views), strict=False):
        at.show(view.id)
        assert at.view.id is view.id
        assert at.bar.view_row.buttons[view.id].isChecked()
        assert at.shown_title()
        places.add(at.bar.view_row.x())
        number = at.page.views.index(view)
        if number < 9:
            at.show(before.id)
            at.key(Qt.Key(Qt.Key.Key_1 + number), CTRL)
            assert at.view.id is view.id
    assert len(places) == 1, "the buttons stay where they are"


def test_the_name_of_an_example_is_whole_where_there_is_room_for_it(on) -> None:
    at = on("lookup", first_state("lookup"))
    for width in (1024, 1280):
        at.window.resize(width, 800)
        at.settle()
        box = at.bar.examples[at.view.id]
        assert box.currentText() == "Two keys, values are the keys"
        assert box.width() >= box.width_for((box.currentText(),), at.page.look)


@pytest.mark.parametrize("page", PAGE_IDS)
def test_a_narrow_window_puts_the_panel_below_the_picture(on, page: str) -> None:
    at = on(page, first_state(page))
    for width, is_below in ((900, True), (1280, False)):
        at.window.resize(width, 650)
        at.settle()
        panel, card = in_window(at.page.panel), in_window(at.page.card)
        assert (panel.top() > card.bottom()) is is_below
        assert (panel.left() > card.right()) is not is_below


@pytest.mark.parametrize("page", PAGE_IDS)
def test_in_a_narrow_window_the_picture_is_as_high_as_if_its_state_had_just_been_opened(make_window, page: str) -> None:
    def opened(state: ExplorerState, on: str) -> Any:
        return make_window(state, Settings(theme=ThemeChoice.LIGHT, page=on), (800, 800))

    window, first = opened(ExplorerState(), "lookup" if page != "lookup" else "heads"), next(iter(presets_of(page)))
    window.show_preset(first)
    catch_up(window)
    other = opened(window.session.state, page)
    catch_up(other)
    assert window.page.canvas.size() == other.page.canvas.size()
    window.page.show_view(window.page.views[-1])
    window.page.show_view(window.page.view_named(other.page.view.id))
    catch_up(window)
    assert window.page.canvas.size() == other.page.canvas.size()


def test_in_a_narrow_window_all_heads_are_as_large_as_if_they_had_just_been_opened(make_window) -> None:
    settings, size = Settings(theme=ThemeChoice.LIGHT, page="heads"), (740, 760)
    window = make_window(find_preset("learned-repeat").state, settings, size)
    for name in ("learned-repeat", "learned-translation"):  # the words below the large map get longer
        window.show_preset(find_preset(name))
        catch_up(window)
        state = window.session.state
        window.session.apply(replace(state, heads=state.heads.with_view(picture=Picture.ALL)), "All heads")
        catch_up(window)
    other = make_window(window.session.state, settings, size)
    catch_up(other)
    assert window.page.wall.size() == other.page.wall.size()


# ---- Coming back ----


@pytest.mark.parametrize("page", [each for each in PAGE_IDS if each != "lookup"])
def test_a_page_that_hears_of_a_change_before_it_has_shown_anything_shows_all_of_it(make_window, page: str) -> None:
    """As where a drag on another page is taken back because that page loses the keyboard to this one."""
    window = make_window(ExplorerState(), Settings(page="lookup"), (1100, 800))
    old, made = window.session.state, window.made_page(next(each for each in PAGES if each.id == page))
    window.session.apply(replace(old, lookup=replace(old.lookup, temperature=2.0)), "Set the temperature")
    made.follow(old, window.session.state)
    window.show_page(page)
    assert made.requests.wanted == made.request_now()


@pytest.mark.parametrize("page", PAGE_IDS)
def test_who_comes_back_to_a_page_finds_it_as_it_was_and_it_shows_anew_only_what_has_changed(
    on, page: str, monkeypatch
) -> None:
    at = on(page, first_state(page))
    window, other = at.window, next(each for each in PAGE_IDS if each != page)
    own, shown, another = window.page, list[ExplorerState](), list(presets_of(other))[-1]
    render = own.render_state

    def see(old: ExplorerState, new: ExplorerState) -> None:
        shown.append(new)
        render(old, new)

    def come_back() -> QImage:
        at.press(window.rail.buttons[page])
        at.settle()
        assert window.page is own
        return own.grab().toImage()

    monkeypatch.setattr(own, "render_state", see)
    before = come_back()
    at.press(window.rail.buttons[other])
    assert window.page is not own
    assert come_back() == before
    assert shown == []
    for change in (window.switch_theme, lambda: window.show_preset(another)):
        at.press(window.rail.buttons[other])
        change()
        assert shown == []
        come_back()
        assert shown == [window.session.state]
        shown.clear()


# ---- Examples ----


@pytest.mark.parametrize("ready", EXAMPLES, ids=name_of)
def test_an_example_is_chosen_says_what_to_look_for_and_is_one_step(on, ready: ReadyMade) -> None:
    at = on(ready.page, ready.state)
    view, wanted = at.view.id, shown_by(at)
    at = on(ready.page, another_than(ready).state)
    at.show(view)
    before, looks = at.state, at.looks
    at.load(ready.id)
    assert (shown_by(at), at.told) == (wanted, "")
    assert at.example.currentText() == ready.title
    assert (at.steps, at.undo_text) == (1, f"Load “{ready.title}”")
    assert at._opened(lambda: at.drawer.example.text()) == ready.look_for.replace("\N{NO-BREAK SPACE}", " ")
    at.undo()
    assert (at.state, at.looks) == (before, looks)


@pytest.mark.parametrize("page", PAGE_IDS)
def test_an_example_opens_with_something_to_try_and_nothing_ticked(on, page: str) -> None:
    at = on(page, first_state(page))
    for ready in presets_of(page):
        at.window.show_preset(ready)
        boxes = at.tries
        assert 1 <= len(boxes) <= 3 or not at.view.tries, ready.id
        assert [words for words, box in boxes.items() if box.isChecked()] == [], ready.id


def another_than(ready: ReadyMade) -> ReadyMade:
    return next(each for each in presets_in(ready.part) if each.page == ready.page and each.id != ready.id)


def shown_by(at: FrameDriver) -> object:
    """Return the numbers on show, or why there are none."""
    try:
        arrays = at.page.figure().numbers().arrays
    except ExplorerError as error:
        return str(error)
    return {name: np.asarray(array).tobytes() for name, array in arrays.items()}


# ---- The main quantity ----


@pytest.mark.parametrize("page", PAGE_IDS)
def test_the_main_quantity_is_dragged_as_one_step_and_escape_puts_it_back(on, page: str) -> None:
    dragged = 0
    for ready in first_of_each_view(page):
        at = on(page, ready.state)
        if not at.view.main or not at.main.isVisible() or not at.main.slider.isEnabled():
            continue
        slider, before, steps = at.main.slider, at.state, at.steps + at.looks
        place = slider.value()
        by = slider.width() * (0.3 if slider.value() < (slider.minimum() + slider.maximum()) / 2 else -0.3)
        mouse = at.press_handle(slider, by)
        assert (at.state != before, at.steps + at.looks) == (True, steps), ready.id
        QTest.keyClick(slider, Qt.Key.Key_Escape)
        mouse.release()
        assert (at.state, at.steps + at.looks, slider.value()) == (before, steps, place), ready.id
        at.drag_slider(slider, by)
        at.settle()
        assert at.steps + at.looks == steps + 1, ready.id
        said = declaration_of(at.view.part.kind, at.view.main)
        assert said.undo == (at.back_text if said.is_view else at.undo_text), ready.id
        (at.back if said.is_view else at.undo)()
        assert at.state == before, ready.id
        dragged += 1
    assert dragged or page in ("circuits", "training")  # which has none, and none before something is learned


def first_of_each_view(page: str) -> list[ReadyMade]:
    """Return an example of each view."""
    found: dict[object, ReadyMade] = {}
    for ready in EXAMPLES:
        if ready.page == page:
            part = getattr(ready.state, ready.part)
            view = getattr(part, "view", None) or part.picture
            found.setdefault((ready.part, getattr(view, "picture", view)), ready)
    return list(found.values())


# ---- Taking it away ----


@pytest.mark.parametrize("page", PAGE_IDS)
def test_every_view_is_written_in_every_format(on, page: str) -> None:
    at = on(page, first_state(page))
    for view in views_of(at):
        if view.id is TrainingView.SEEDS:
            continue  # which says that something is to be learned first
        at.show(view.id)
        if view.presets:
            at.load(view.presets[0].id)
        figure = at.page.figure()
        files = {each.suffix: figure_bytes(figure, FigureOptions(each.suffix)) for each in EXPORT_FORMATS}
        assert all(len(data) > 100 for data in files.values()), view.id
        image = QImage.fromData(files[".png"])
        assert (image.width(), image.height()) == (figure.size * SHARPNESS).toTuple(), view.id
        assert files[".pdf"].startswith(b"%PDF"), view.id
        drawing = ET.fromstring(files[".svg"])  # noqa: S314 # our own output
        assert any("".join(text.itertext()).strip() for text in drawing.iter(f"{SPACE}text")), view.id
        assert view.id is LookupView.PLANE or not list(drawing.iter(f"{SPACE}image")), f"{view.id}: letters, no pixels"
        first = np.asarray(next(iter(figure.numbers().arrays.values())))
        np.testing.assert_array_equal(np.load(io.BytesIO(files[".npy"])), first)


@pytest.mark.parametrize("page", PAGE_IDS)
def test_the_menu_on_the_picture_is_that_of_share(on, page: str) -> None:
    at = on(page, first_state(page))
    place = at.canvas.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, at.canvas.mapToGlobal(place))
    QApplication.sendEvent(at.canvas, event)
    menu = next(menu for menu in at.page.findChildren(QMenu) if menu.isVisible())
    texts = [action.text() for action in menu.actions()]
    menu.close()
    assert [text for text in texts if text in TAKEN] == TAKEN
