"""Figures of the Heads page as files: text that is text, colours that are numbers, white paper, safe names."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import sequential
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage
from svg_reader import texts_in
from written_numbers import json_text

from attention_explorer.core.map_picture import Contrast, Window
from attention_explorer.errors import ExportError
from attention_explorer.kit.drawing.heatmap_layout import layout_of
from attention_explorer.kit.export.figure import encoded, figure_image
from attention_explorer.kit.pictures.figure import MARGIN, TITLE_HEIGHT
from attention_explorer.kit.theme import LIGHT
from attention_explorer.pages.heads.export import difference_numbers, map_numbers, stages_numbers, wall_numbers
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import (
    Aggregate,
    HeadsSetup,
    HeadsState,
    HeadsView,
    Hidden,
    MaskChoice,
    MaskKind,
    Picture,
)
from attention_explorer.pages.heads.ui.figure import DRAWN, HeadsFigure
from attention_explorer.pages.heads.ui.maps_item import compare_layout
from attention_explorer.pages.heads.ui.stages import stages_layout
from attention_explorer.session.settings import ThemeChoice
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe

SVG = "{http://www.w3.org/2000/svg}"
KINDS = ("heatmap", "lines", "stages", "compare", "wall")

pytestmark = pytest.mark.usefixtures("qapp")


def words(count: int) -> tuple[str, ...]:
    """So many tokens, each another; as long as they suffice, syllables."""
    syllables = [consonant + vowel for consonant in "bdgklmnprstvz" for vowel in "aeiou"]
    return tuple(syllables[:count] if count <= len(syllables) else (f"w{i}" for i in range(count)))


def figure_of(kind: str, tokens: int = 11) -> HeadsFigure:
    """A figure of a causal head, compared with the same head without a mask."""
    setup = HeadsState().with_recipe(sentence=" ".join(words(tokens))).setup
    picture = Picture.HEATMAP if kind == "wall" else Picture(kind)
    masked = replace(setup, mask=MaskChoice(MaskKind.CAUSAL))
    return HeadsFigure(HeadsState(masked, HeadsView(picture=picture), setup), is_wall=kind == "wall")


def texts_of(figure: HeadsFigure) -> list[str]:
    return texts_in(encoded(figure, ".svg"))


def room_of(figure: HeadsFigure) -> QRectF:
    return QRectF(MARGIN, MARGIN + TITLE_HEIGHT, *figure._space())


def colour_in(image: QImage, box: QRectF, scale: float = 1.0) -> str:
    """The colour near the corner of a cell, where no number and no hatching is."""
    place = box.topLeft() + QPointF(0.17 * box.width(), 0.17 * box.height())
    return image.pixelColor((place * scale).toPoint()).name()


# ---- Every picture in every format ----


@pytest.mark.parametrize("tokens", [3, 11, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_svg_holds_every_token_as_text(kind, tokens):
    figure = figure_of(kind, tokens)
    texts = texts_of(figure)
    if kind == "wall":
        assert [text for text in texts if text.startswith("head ")] == [f"head {i}" for i in range(1, 9)]
    else:
        rows_and_columns = [text for text in texts if text in words(tokens)]
        assert set(rows_and_columns) == set(words(tokens))
        assert len(rows_and_columns) >= 2 * tokens, "as queries and as keys"
    assert figure.title in texts
    assert " ".join(texts).count("seed 42") == 1


@pytest.mark.parametrize("tokens", [3, 11, 64])
def test_a_wall_says_what_its_rows_and_columns_are(tokens):
    texts = texts_of(figure_of("wall", tokens))
    assert {"query ↓", "key →"} <= set(texts)
    said = [text for text in texts if text in words(tokens)]
    if tokens <= 11:  # eight heads in three columns and three rows
        assert sorted(said) == sorted(6 * words(tokens))
    else:
        assert words(tokens)[0] in said, "as many as there is room for"
        assert len(said) >= 6 * 8


def test_the_words_of_a_wall_leave_one_another_alone():
    texts = texts_of(HeadsFigure(HeadsState(), is_wall=True))
    assert any(text.endswith(", largest of all") for text in texts)
    assert "weight" in texts
    long = HeadsFigure(HeadsState().with_recipe(sentence="Donaudampfschifffahrtsgesellschaft a b"), is_wall=True)
    assert any(text.startswith("Donaudampf") and text.endswith("…") for text in texts_of(long))


def test_files_of_a_long_map_stay_small():
    figure = figure_of("heatmap", 300)
    data = encoded(figure, ".svg")
    assert len(data) < 1_500_000
    assert data.count(b"<rect") + data.count(b"<path") < 2000, "the cells are one image"
    assert b"<image" in data


# ---- Colours are numbers ----


@pytest.mark.parametrize("tokens", [3, 11, 64])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_png_shows_every_weight_in_its_colour(tokens, scale):
    figure = figure_of("heatmap", tokens)
    image = figure_image(figure, scale)
    layout, weights = layout_of(figure.picture, figure.look, room_of(figure)), figure.frame.map.weights()
    step = max(1, tokens // 12)
    for row in range(0, tokens, step):
        for column in range(0, tokens, step):
            expected = sequential(weights[row, column] / weights.max()) if column <= row else LIGHT.masked
            assert colour_in(image, layout.rectangle(row, column), scale) == expected, (row, column)


@pytest.mark.parametrize("colour_map", ["viridis", "cividis", "magma"])
def test_png_wears_the_colour_map_of_the_view(colour_map):
    figure = HeadsFigure(HeadsState().with_view(colour_map=colour_map, contrast=Contrast.LOG))
    image, weights = figure_image(figure), figure.frame.map.weights()
    box = layout_of(figure.picture, figure.look, room_of(figure)).rectangle(4, 5)
    assert colour_in(image, box) == sequential(1 + math.log10(weights[4, 5]) / 4, colour_map)


def test_png_of_the_stages_shows_scores_around_zero():
    figure = figure_of("stages", 5)
    image = figure_image(figure, 2.0)
    maps = stages_layout(figure.picture, figure.look, room_of(figure)).maps
    head = figure.frame.head_map
    raw = head.q @ head.k.T
    end = np.abs(raw).max()
    expected = sequential((raw[3, 1] + end) / (2 * end), "brown-teal")
    assert colour_in(image, maps[0].layout.rectangle(3, 1), 2.0) == expected
    assert colour_in(image, maps[1].layout.rectangle(3, 1), 2.0) == expected, "scaling does not alter the colours"
    assert colour_in(image, maps[2].layout.rectangle(1, 3), 2.0) == LIGHT.masked
    assert colour_in(image, maps[3].layout.rectangle(0, 0), 2.0) == sequential(1.0)


def test_png_of_a_comparison_shows_the_difference():
    figure = figure_of("compare", 5)
    image = figure_image(figure, 2.0)
    maps = compare_layout(figure.picture, figure.look, room_of(figure)).maps
    a, b = figure.frame.map.weights(), heads_frame(figure.heads.other).map.weights()
    end = np.abs(a - b).max()
    for cell in ((0, 0), (2, 4), (4, 1)):
        drawn = colour_in(image, maps[2].layout.rectangle(*cell), 2.0)
        assert drawn == sequential(((a - b)[cell] + end) / (2 * end), "brown-teal")
    top = max(a.max(), b.max())
    assert colour_in(image, maps[1].layout.rectangle(4, 1), 2.0) == sequential(b[4, 1] / top)


def test_png_of_the_wall_shows_every_head():
    figure = figure_of("wall", 5)
    image = figure_image(figure)
    seen = {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}
    for map_ in figure.frame.layers[0].maps:
        weights = map_.weights()
        assert {sequential(weights[4, column] / weights.max()) for column in range(5)} <= seen
    assert LIGHT.masked in seen


def test_a_part_in_view_is_the_part_in_the_file():
    figure = HeadsFigure(figure_of("heatmap", 64).heads.with_view(window=Window(10, 20, 4, 14)))
    texts = texts_of(figure)
    assert set(words(64)[4:20]) <= set(texts)
    assert not {*words(64)[:4], *words(64)[20:]} & set(texts)
    image, weights = figure_image(figure), figure.frame.map.weights()
    box = layout_of(figure.picture, figure.look, room_of(figure)).rectangle(5, 1)
    assert colour_in(image, box) == sequential(weights[15, 5] / weights[10:20, 4:14].max())


def test_hard_lookup_and_rows_with_nothing_are_drawn():
    heads = HeadsState().with_setup(mask=MaskChoice(MaskKind.STRICT), hard=True)
    for picture in DRAWN:
        figure = HeadsFigure(heads.with_view(picture=picture))
        assert not figure_image(figure).isNull()
        assert "hard lookup" in figure.caption


# ---- Paper is white ----


@pytest.mark.parametrize("kind", KINDS)
def test_figures_are_drawn_on_white_up_to_their_edges(kind):
    image = figure_image(figure_of(kind))
    edges = [(x, y) for x in range(image.width()) for y in (0, image.height() - 1)]
    edges += [(x, y) for x in (0, image.width() - 1) for y in range(image.height())]
    assert {image.pixelColor(x, y).name() for x, y in edges} == {"#ffffff"}


@pytest.mark.parametrize("kind", ["heatmap", "stages"])
def test_figures_are_white_whatever_the_screen_wears(open_heads, kind):
    driver = open_heads(figure_of(kind).heads, theme=ThemeChoice.DARK, zoom=1.5)
    image = figure_image(driver.page.figure())
    for x, y in ((1, 1), (image.width() - 2, 1), (1, image.height() - 2), (image.width() - 2, image.height() - 2)):
        assert image.pixelColor(x, y).name() == "#ffffff"
    assert image == figure_image(figure_of(kind)), "the zoom of the screen is no size of the paper either"


# ---- Words ----


@pytest.mark.parametrize("ready", HEADS_PRESETS, ids=lambda ready: ready.id)
def test_every_file_name_is_safe(ready):
    for aggregate in Aggregate:
        figure = HeadsFigure(ready.state.with_setup(aggregate=aggregate))
        assert re.fullmatch(r"\w[\w-]{2,80}", figure.file_stem), figure.file_stem
    assert replace(figure, is_wall=True).file_stem == "heads"


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        (HeadsState(), "seed 42"),
        (HeadsState(HeadsSetup(HandMadeRecipe())), "and-made"),
        (HeadsState(HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL))), "mask: causal"),
        (HeadsState(HeadsSetup(mask=MaskChoice(hidden=frozenset({(1, 1)})))), "mask: 1 cell hidden by hand"),
        (HeadsState(HeadsSetup(hard=True)), "hard lookup"),
        (HeadsState(HeadsSetup(temperature=0.25)), "temperature 0.25"),
        (HeadsState(HeadsSetup(scaled=False)), "not divided by √d_k"),
        (HeadsState(HeadsSetup(aggregate=Aggregate.MAX)), "rows need not sum to 1"),
        (HeadsState(view=HeadsView(contrast=Contrast.LOG)), "powers of ten"),
        (HeadsState(view=HeadsView(hidden=Hidden.FIRST)), "rows renormalised"),
        (HeadsState(view=HeadsView(window=Window(1, 6, 0, 5))), "queries 2 to 6 of 11; keys 1 to 5 of 11"),
        (HeadsState(view=HeadsView(window=Window(0, 11, 3, 5))), "in view; keys 4 to 5 of 11"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_caption_says_what_made_the_numbers(heads, said):
    figure = HeadsFigure(heads)
    assert said in figure.caption
    assert figure.caption.endswith(".")
    assert said.split()[-1].rstrip(".") in " ".join(texts_of(figure)), "and it is drawn"


def test_the_caption_is_not_cut_off():
    setup = HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL, hidden=frozenset({(1, 1)})), temperature=0.3, scaled=False)
    heads = HeadsState(setup, HeadsView(contrast=Contrast.LOG, hidden=Hidden.FIRST)).with_recipe(sentence="One two")
    figure = HeadsFigure(heads)
    texts = texts_of(figure)
    assert figure.caption.split()[-1] in texts[-1]
    image = figure_image(figure)
    last_line = QRectF(MARGIN, image.height() - 10, image.width() - 2 * MARGIN, 8)
    found = {
        image.pixelColor(x, y).name()
        for x in range(int(last_line.left()), 300)
        for y in range(image.height() - 3, image.height())
    }
    assert found == {"#ffffff"}, "the last line ends above the edge"


# ---- From the window ----


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_the_picture(kind):
    figure = figure_of(kind, 5)
    frame, view = figure.frame, figure.view
    expected = {
        "wall": lambda: wall_numbers(frame, view, figure.surveys),
        "stages": lambda: stages_numbers(frame),
        "compare": lambda: difference_numbers(frame, heads_frame(figure.heads.other), view),
    }.get(kind, lambda: map_numbers(frame, view))()
    assert json_text(figure.numbers()) == json_text(expected)


def test_too_many_numbers_are_refused_in_words():
    figure = HeadsFigure(HeadsState().with_recipe(sentence=" ".join(words(3000))), is_wall=True)
    with pytest.raises(ExportError, match=r"72\s048\s000 cells, .* Choose NPY or NPZ, shorten the sentence"):
        encoded(figure, ".csv")


def test_a_preset_of_many_layers_has_a_row_of_heads_for_each():
    figure = HeadsFigure(heads_preset("stacked").state, is_wall=True)
    texts = texts_of(figure)
    assert [text for text in texts if text.startswith("layer")] == [
        f"layer {layer}, head {head}" for layer in range(1, 5) for head in range(1, 5)
    ]


def test_lines_are_described_as_far_as_paper_has_room_for_them():
    state = HeadsState().with_recipe(sentence=" ".join(words(200))).with_view(picture=Picture.LINES)
    said = HeadsFigure(state).description
    assert "In view: queries 1 to 160 of 200, keys 1 to 160 of 200." in said
