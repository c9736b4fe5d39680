"""A threshold for the heads of the wall: who meets it is counted, the others are dimmed or left out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from heads_driver import colour_distance, widget_texts
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from attention_explorer.kit.theme import LIGHT
from attention_explorer.model import entropy
from attention_explorer.pages.heads.export import wall_numbers
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, Picture, SortBy, Threshold
from attention_explorer.pages.heads.ui.figure import HeadsFigure


@pytest.fixture
def driver(open_heads):
    """The heads of a recorded model, all in the grid."""
    driver = open_heads(heads_preset("minilm").state.with_view(picture=Picture.ALL))
    driver.page.settle()
    return driver


def entropies(driver) -> dict[tuple[int, int], float]:
    frame = driver.frame
    return {place: float(entropy(frame.layers[place[0]].maps[place[1]].weights()).mean()) for place in frame.places}


def on_the_wall(driver) -> set[tuple[int, int]]:
    return {survey.place for survey in driver.page.wall.surveys}


def pale(driver) -> set[tuple[int, int]]:
    """The heads of which hardly anything is seen: no pixel differs much from what is behind the maps."""
    wall = driver.page.wall
    image, found = wall.grab().toImage(), set()
    for place in driver.frame.places:
        box = wall.place_of(*place)
        steps = np.linspace(0.25, 0.75, 9)
        spots = [box.topLeft() + QPointF(x * box.width(), y * box.height()) for x in steps for y in steps]
        if max(colour_distance(image.pixelColor(spot.toPoint()).name(), LIGHT.card) for spot in spots) < 60:
            found.add(place)
    return found


def test_the_grid_dims_the_heads_below_the_threshold_and_counts_the_others(driver):
    side, means = driver.page.wall_side, entropies(driver)
    assert not side.filter.isVisible()
    assert pale(driver) == set()
    driver.press(side.only)
    first = driver.heads.view.threshold
    QApplication.processEvents()
    assert side.filter.controls["value"].hasFocus()
    assert not side.filter.visibleRegion().isEmpty()
    assert first == Threshold(SortBy.ENTROPY, float(f"{np.median(list(means.values())):.2g}"))
    driver.type_into(side.filter.controls["value"], "1.5")
    kept = {place for place, mean in means.items() if mean >= 1.5}
    assert 0 < len(kept) < len(means)
    assert side.note.text() == f"{len(kept)} of {len(means)} heads with entropy ≥ 1.5"
    assert pale(driver) == set(means) - kept
    assert on_the_wall(driver) == set(means), "each stays where it is"
    driver.press(side.filter.controls["at_most"].buttons[True])
    assert side.filter.controls["at_most"].buttons[True].isChecked()
    assert pale(driver) == kept
    driver.page.open_drawer(False)
    assert not side.filter.isVisible()
    assert side.note.text().endswith(" with entropy ≤ 1.5"), "above the heads stands which they are"
    driver.press(side.only)
    assert driver.heads.view.threshold is None
    assert not side.note.isVisible()
    assert pale(driver) == set()


def test_the_list_leaves_them_out_in_its_order_and_the_arrows_walk_what_is_left(driver):
    side, means = driver.page.wall_side, entropies(driver)
    driver.choose(driver.controls.sort, SortBy.ENTROPY)
    driver.press(side.only)
    driver.type_into(side.filter.controls["value"], "1.5")
    driver.show(Picture.HEATMAP)
    kept = sorted((place for place, mean in means.items() if mean >= 1.5), key=lambda place: -means[place])
    assert [survey.place for survey in driver.page.wall.surveys] == kept
    names = [text for text in widget_texts(driver.page.wall) if re.fullmatch(r"\d+\.\d+", text)]
    own = [f"{layer + 1}.{head + 1}" for layer, head in kept]
    assert names == [name for name in own if name in names]
    left_out = next(place for place in means if place not in kept)
    driver.page.wall.choose(*left_out)
    driver.page.wall.setFocus()
    shown = []
    for _ in range(3):
        driver.key(Qt.Key.Key_Right, widget=driver.page.wall)
        shown.append((driver.heads.setup.layer, driver.heads.setup.head))
    assert shown == kept[:3]
    driver.show(Picture.ALL)
    assert on_the_wall(driver) == set(means)


def test_another_summary_and_no_head_at_all(driver):
    side = driver.page.wall_side
    driver.press(side.only)
    driver.choose(side.filter.controls["by"], SortBy.PREVIOUS)
    driver.type_into(side.filter.controls["value"], "0.9")
    high = [
        place
        for place in driver.frame.places
        if np.trace(driver.frame.layers[place[0]].maps[place[1]].weights(), -1) / len(driver.frame.queries) >= 0.9
    ]
    assert side.note.text() == f"{len(high)} of {len(driver.frame.places)} heads with weight on previous ≥ 0.9"
    driver.choose(side.filter.controls["by"], SortBy.NEXT)
    driver.type_into(side.filter.controls["value"], "2")
    assert side.note.text().startswith("0 of ")
    driver.show(Picture.HEATMAP)
    assert on_the_wall(driver) == set()
    driver.key(Qt.Key.Key_Right, widget=driver.page.wall)
    driver.show(Picture.ALL)
    driver.type_into(side.filter.controls["value"], "many")
    assert "many" in driver.told
    assert driver.heads.view.threshold.value == 2.0


def test_it_is_undone_and_computes_nothing(driver):
    side, before = driver.page.wall_side, driver.page.requests.wanted
    driver.press(side.only)
    driver.press(side.filter.controls["at_most"].buttons[True])
    assert driver.page.requests.wanted == before
    driver.back()
    assert side.filter.controls["at_most"].buttons[False].isChecked()
    driver.back()
    assert driver.heads.view.threshold is None
    assert not side.filter.isVisible()


def test_files_say_which_heads_meet_it():
    threshold = Threshold(SortBy.MAX_WEIGHT, 0.25)
    heads = HeadsState().with_view(threshold=threshold)
    figure = HeadsFigure(heads, is_wall=True)
    frame = figure.frame
    meeting = [f"head {h + 1}" for h, map_ in enumerate(frame.layers[0].maps) if map_.weights().max(1).mean() >= 0.25]
    assert 0 < len(meeting) < 8
    assert f"{len(meeting)} of 8 heads with mean of row maxima ≥ 0.25, the others pale" in figure.caption
    parameters = wall_numbers(frame, heads.view).parameters
    assert (parameters["threshold"], parameters["heads_that_meet_it"]) == ("mean of row maxima ≥ 0.25", meeting)
