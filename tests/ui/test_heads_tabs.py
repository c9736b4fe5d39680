"""The tabs beside the map: those out of view cost nothing at a change of looks, and wear it when they are opened."""

from __future__ import annotations

import pytest
from heads_driver import Watch, pixels
from people_driver import catch_up
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from attention_explorer.session.settings import Settings, ThemeChoice


@pytest.mark.parametrize("tab", [1, 2], ids=["setup", "checks"])
def test_a_tab_out_of_view_wears_the_new_look_when_it_is_opened(open_heads, tab):
    used, fresh = open_heads(), open_heads(theme=ThemeChoice.DARK, zoom=1.25)
    for index in (tab, 0):
        used.page.tabs.setCurrentIndex(index)
        catch_up(used.window)
    used.window.set_theme(ThemeChoice.DARK)
    used.window.set_zoom(1.25)
    catch_up(used.window)
    assert used.page.tabs.widget(tab).widget() is None, "Qt would style what is in there along"
    for driver in (used, fresh):
        driver.page.tabs.setCurrentIndex(tab)
        catch_up(driver.window)
    assert (pixels(used.page.tabs.grab().toImage()) == pixels(fresh.page.tabs.grab().toImage())).all()


@pytest.mark.parametrize("tab", [1, 2], ids=["setup", "checks"])
def test_the_tab_in_view_changes_its_look_at_once(open_heads, tab):
    used, fresh = open_heads(), open_heads(theme=ThemeChoice.DARK)
    for driver in (used, fresh):
        driver.page.tabs.setCurrentIndex(tab)
        catch_up(driver.window)
    used.window.set_theme(ThemeChoice.DARK)
    catch_up(used.window)
    assert (pixels(used.page.tabs.grab().toImage()) == pixels(fresh.page.tabs.grab().toImage())).all()


@pytest.mark.parametrize("tab", [1, 2], ids=["setup", "checks"])
@pytest.mark.parametrize("zoom", [0.8, 1.25])
def test_another_size_while_the_reading_is_out_of_view_leaves_the_map_its_room(open_heads, tab, zoom):
    used, fresh = open_heads(), open_heads(zoom=zoom)
    for driver in (used, fresh):
        driver.page.tabs.setCurrentIndex(tab)
        catch_up(driver.window)
    used.window.set_zoom(zoom)
    catch_up(used.window)
    assert used.canvas.size() == fresh.canvas.size()
    assert used.page.tabs.minimumSizeHint() == fresh.page.tabs.minimumSizeHint()


def test_a_tab_that_was_taken_out_is_deleted_with_its_page(make_window, qtbot):
    """It has no parent then: in a soak of ten minutes every window that was closed left 160 widgets."""
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))
    panel = window.page._panel
    for tab in (1, 2, 0):
        panel.tabs.setCurrentIndex(tab)
        catch_up(window)
    window.set_theme(ThemeChoice.DARK)
    catch_up(window)
    taken = [panel.setup, panel.checks]
    assert [each.parent() for each in taken] == [None, None]
    window.close()
    window.deleteLater()
    for _ in range(2):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not any(isValid(each) for each in taken)


def test_another_frame_lays_out_no_tab_anew_that_stays_as_it_is(open_heads):
    driver = open_heads()
    catch_up(driver.window)
    asked = list[None]()
    Watch(driver.page._panel, QEvent.Type.LayoutRequest, lambda: asked.append(None))
    driver.page._panel.show_frame(driver.heads, driver.canvas.frame)
    QApplication.processEvents()
    assert not asked
    driver.page.tabs.setTabVisible(3, True)  # what does change is seen
    QApplication.processEvents()
    assert asked
