"""Views of Heads out of sight: they wear a new look when they are shown, and take no room from the map."""

from __future__ import annotations

import pytest
from heads_driver import pixels
from people_driver import catch_up
from PySide6.QtWidgets import QApplication, QScrollBar

from attention_explorer.pages.heads.state import Picture
from attention_explorer.session.settings import ThemeChoice

VIEWS = (Picture.ALL, Picture.ROW, Picture.STAGES, Picture.CHECK)


def _look_at(driver, picture: Picture, *, is_open: bool = False) -> None:
    driver.page.show_view(driver.page.view_named(picture))
    driver.page.open_drawer(is_open)
    driver.page.settle()
    catch_up(driver.window)


def _seen(driver):
    focused = QApplication.focusWidget()
    if focused is not None:
        focused.clearFocus()
    for bar in driver.page.findChildren(QScrollBar):
        bar.setValue(0)  # opening the drawer may have scrolled it
    catch_up(driver.window)
    return pixels(driver.page.grab().toImage())


@pytest.mark.parametrize("is_open", [False, True], ids=["panel", "drawer"])
@pytest.mark.parametrize("picture", VIEWS, ids=lambda picture: picture.name)
def test_a_view_out_of_sight_wears_the_new_look_when_it_is_shown(open_heads, picture, is_open) -> None:
    used, fresh = open_heads(), open_heads(theme=ThemeChoice.DARK, zoom=1.25)
    _look_at(used, picture, is_open=is_open)
    _look_at(used, Picture.HEATMAP)
    used.window.set_theme(ThemeChoice.DARK)
    used.window.set_zoom(1.25)
    catch_up(used.window)
    for driver in (used, fresh):
        _look_at(driver, picture, is_open=is_open)
    assert (_seen(used) == _seen(fresh)).all()


@pytest.mark.parametrize("picture", VIEWS, ids=lambda picture: picture.name)
@pytest.mark.parametrize("zoom", [0.8, 1.25])
def test_another_size_while_the_map_is_out_of_sight_leaves_it_its_room(open_heads, picture, zoom) -> None:
    used, fresh = open_heads(), open_heads(zoom=zoom)
    _look_at(used, picture, is_open=True)
    used.window.set_zoom(zoom)
    _look_at(used, Picture.HEATMAP)
    assert used.canvas.size() == fresh.canvas.size()
