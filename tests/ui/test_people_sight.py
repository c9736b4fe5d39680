"""Everything can be read: nothing written is cut off or lies over something else, at any size, on any page."""

from __future__ import annotations

import pytest
from people_driver import (
    Scene,
    catch_up,
    first_state,
    misplaced,
    scenes_of,
    show_state,
    widgets_shown,
    windows_beside,
    with_all_changed,
)
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from writing_driver import Written, cut_texts, is_measured, name_of, written_on, written_over

from attention_explorer.kit.drawing import marks
from attention_explorer.kit.drawing.colour_maps import GRAPHICS_CONTRAST, TEXT_CONTRAST, contrast
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.pages.lookup.ui import plane_foreground, plane_output
from attention_explorer.pages.registry import PAGE_IDS, presets_of
from attention_explorer.session.settings import Settings, ThemeChoice

LIGHT, DARK = ThemeChoice.LIGHT, ThemeChoice.DARK
SIZES = (
    (900, 650, 1.0, LIGHT),
    (1280, 800, 1.0, LIGHT),
    (1280, 800, 1.0, DARK),
    (2560, 1440, 1.0, DARK),
    (1280, 800, 2.0, LIGHT),
)
"""Not every size in both themes: the test after the next says that colours move nothing."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]} at {size[2]:.0%}, {size[3]}")
@pytest.mark.parametrize("page", PAGE_IDS)
def test_nothing_is_cut_off_or_covered_or_faint(page_window, page, size):
    window, faults, measured = page_window(page), [], 0
    width, height, zoom, theme = size
    window.set_theme(theme)
    window.set_zoom(zoom)
    window.resize(width, height)
    for scene in (*scenes_of(page), Scene("changed preset", lambda window: show_state(window, with_all_changed(page)))):
        scene.show(window)
        found, lines = _faults(window)
        measured += lines
        faults += [f"{scene.name}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)
    assert measured > 100


def _faults(root: QWidget) -> tuple[list[str], int]:
    """Return what is wrong, and of how many lines of text."""
    faults, count = misplaced(root), 0
    for widget in widgets_shown(root):
        if is_measured(widget):
            lines = written_on(widget)
            count += len(lines)
            faults += cut_texts(widget, lines) + written_over(widget, lines)
            faults += [fault for line in lines for fault in _faint(line)]
    return faults, count


def _faint(line: Written) -> list[str]:
    needed = GRAPHICS_CONTRAST if line.is_large else TEXT_CONTRAST
    return [
        f"“{line.text}” {line.colour.name()} on {ground.name()}: {contrast(line.colour, ground):.2f}"
        for ground in line.grounds
        if contrast(line.colour, ground) < needed
    ]


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_nor_is_anything_in_the_windows_beside_the_page(page_window, zoom):
    window = page_window("heads")
    window.set_zoom(zoom)
    faults = []
    for dialog in windows_beside(window):
        faults += [f"{dialog.windowTitle()}: {fault}" for fault in _faults(dialog)[0]]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("page", PAGE_IDS)
def test_colours_move_nothing(page_window, page):
    window = page_window(page)
    show_state(window, first_state(page))
    places = {widget: widget.geometry().getRect() for widget in widgets_shown(window)}
    window.set_theme(DARK)
    catch_up(window)
    assert places == {widget: widget.geometry().getRect() for widget in widgets_shown(window)}


@pytest.mark.parametrize("page", PAGE_IDS)
def test_another_size_leaves_nothing_behind(make_window, page):
    for before, zoom in ((1.5, 1.0), (0.8, 1.25)):
        window, fresh = (
            make_window(settings=Settings(zoom=each, page=page), size=(640, 480)) for each in (before, zoom)
        )
        for scene in scenes_of(page):
            window.set_zoom(before)
            scene.show(window)
            window.set_zoom(zoom)
            catch_up(window)
            scene.show(fresh)
            here, there = _sizes(window.page), _sizes(fresh.page)
            assert here == there, f"{scene.name}, {before} and then {zoom}: {set(here) ^ set(there)}"


def _sizes(page: QWidget) -> list[tuple[str, tuple[int, int]]]:
    return [(name_of(widget), widget.size().toTuple()) for widget in widgets_shown(page)]


@pytest.mark.parametrize("page", ["lookup", "heads", "lab"])
def test_the_bar_of_the_frame_is_low_at_twice_the_size(page_window, page):
    window = page_window(page)
    window.set_zoom(2.0)
    catch_up(window)
    assert window.page.bar.height() <= 0.13 * window.page.height()
    window.set_zoom(1.0)


def test_the_whole_map_is_seen_at_twice_the_size(page_window):
    window = page_window("heads")
    scenes_of("heads")[0].show(window)
    window.set_zoom(2.0)
    catch_up(window)
    canvas, page = window.page.canvas, window.page
    assert canvas.mapTo(page, QPoint(0, canvas.height())).y() <= page.height()
    window.set_zoom(1.0)


# ---- The measuring itself ----


class _Painted(QWidget):
    """Writes two words, the second over the first and beyond its edge."""

    __module__ = "attention_explorer.window.test"

    def paintEvent(self, event: object) -> None:  # noqa: N802  # Qt's name
        painter = QPainter(self)
        painter.drawText(QRectF(0, 0, 60, 20), 0, "first word")
        painter.drawText(QRectF(20, 2, 400, 20), 0, "a second one, much too long")
        painter.end()


@pytest.mark.parametrize("page", PAGE_IDS)
def test_the_smallest_window_gives_most_of_its_height_to_the_picture(page_window, page):
    window = page_window(page)
    window.resize(640, 480)
    show_state(window, first_state(page))
    shown = window.page.canvas
    top = shown.mapTo(window.page, QPoint(0, 0)).y()
    assert top < window.page.height() / 2
    if page == "heads":
        assert shown.cell_box(0, 0).height() > 10, "eleven tokens"


@pytest.mark.parametrize(
    "ready",
    [ready for ready in presets_of("lookup") if ready.state.lookup.view in (LookupView.PLANE, LookupView.GRADIENT)],
    ids=lambda ready: ready.id,
)
def test_no_label_on_the_plane_is_written_over_another(page_window, monkeypatch, ready):
    """Labels with a halo are kept as pictures, so the test of all pages does not find them in what is painted."""
    window, written = page_window("lookup"), []
    show_state(window, ready.state)
    canvas = window.page.canvas
    draw = marks.draw_haloed_text

    def watched(painter, box, text, *rest) -> None:
        written.append((text, box))
        draw(painter, box, text, *rest)

    for painting in (plane_foreground, plane_output):
        if hasattr(painting, "draw_haloed_text"):
            monkeypatch.setattr(painting, "draw_haloed_text", watched)
    canvas.repaint()
    assert "o" in dict(written)
    for number, (text, box) in enumerate(written):
        for other, its_box in written[:number]:
            assert not box.intersects(its_box), f"{text} over {other}"


def test_cut_and_covered_words_are_found(qtbot):
    widget = _Painted()
    qtbot.addWidget(widget)
    widget.resize(100, 30)
    widget.show()
    lines = written_on(widget)
    assert [line.text for line in lines] == ["first word", "a second one, much too long"]
    assert "much too long" in "".join(cut_texts(widget, lines))
    assert len(written_over(widget, lines)) == 1


def test_a_button_that_is_too_narrow_and_a_widget_over_another_are_found(qtbot):
    whole = QWidget()
    qtbot.addWidget(whole)
    whole.resize(200, 100)
    button, label, outside = QPushButton("Much too long for this", whole), QLabel("below", whole), QLabel("out", whole)
    button.setGeometry(10, 10, 60, 30)
    label.setGeometry(40, 20, 60, 30)
    outside.setGeometry(180, 70, 60, 20)
    whole.show()
    assert cut_texts(button, written_on(button))
    found = "\n".join(misplaced(whole))
    assert "lies over" in found
    assert "leaves" in found
