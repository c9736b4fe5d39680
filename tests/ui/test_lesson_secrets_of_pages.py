"""While a question is open, no page tells its answer: not a word, a tip, a table, a pixel, a key or another window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from test_lesson_secrets import leaks, window_texts
from test_lessons import OWN, Learner

from attention_explorer.kit.drawing import blanks
from attention_explorer.kit.items import item

QUESTION = """
show = "{show}"
page = "{page}"
set = {{ {set} }}
ask = "What comes out?"
answer = {{ number = "{answer}", within = 0.001 }}
hide = {hide}
draw = {{ {draw} }}
"""
WEIGHTS = ("heads.weights[2][1]", ["heads.weights", "heads.scores", "heads.row_sums", "heads.column_sums"])
BENCH = ("scaling.bench_weights[0]", ["scaling.bench_weights", "scaling.bench_largest", "scaling.bench_slope"])
DRAWN = ("scaling.raw_std", ["scaling.raw_std", "scaling.scaled_largest", "scaling.scaled_saturated"])
ANGLES = ("positions.angles[1]", ["positions.angles", "positions.advances", "positions.wavelengths"])
ALIKE = ("positions.alike[2]", ["positions.alike"])
LAYER = (
    "block.array('output').row_stds[0]",
    ["block.array('output').std", "block.array('weights').mean", "block.norms_before", "block.norms_after"],
)
COST = ("cost.matrix", ["cost.matrix", "cost.matrix_bytes", "cost.cache", "cost.parameters"])
RIGHT = ("training.accuracy", ["training.accuracy", "training.weight", "training.row('it').weights"])
WORDS = (
    "lookup.word_moved[0]",
    ["lookup.word_queries", "lookup.word_scores", "lookup.word_weights", "lookup.word_output", "lookup.word_moved"],
)
CASES = {
    "map": ("random-words", '"heads.view.row" = 2, "heads.view.column" = 1', *WEIGHTS, "heads.setup.recipe.seed", 4711),
    "scores": ("random-words", '"heads.view.stage" = "scaled"', *WEIGHTS, "heads.setup.recipe.seed", 4712),
    "sums": ("five-token", '"heads.view.row_sums" = true', *WEIGHTS, "heads.setup.temperature", 1.3717),
    "lines": ("random-words", '"heads.view.picture" = "lines"', *WEIGHTS, "heads.setup.recipe.seed", 4713),
    "stages": ("random-words", '"heads.view.picture" = "stages"', *WEIGHTS, "heads.setup.recipe.seed", 4714),
    "bench": ("gap", '"scaling.bench.rows" = [[0.7371, 0.4619, -1.2713]]', *BENCH, "scaling.bench.factor", 1.3717),
    "draws": ("variance", '"scaling.draws" = 400', *DRAWN, "scaling.d_k", 97),
    "growth": ("variance", '"scaling.draws" = 400, "scaling.picture" = "against d_k"', *DRAWN, "scaling.d_k", 96),
    "clocks": ("clocks", '"positions.d_model" = 4', *ANGLES, "positions.position", 57),
    "similarity": ("sinusoidal", '"positions.picture" = "similarity"', *ALIKE, "positions.base", 737.1),
    "layer": ("encoder", '"block.token" = 0', *LAYER, "block.seed", 4711),
    "depth": ("no-residual", '"block.residual" = true', *LAYER, "block.seed", 4712),
    "cost": ("gpt2", '"cost.layers" = 12', *COST, "cost.n", 97),
    "words": ("bank-of-the-river", '"lookup.words.gradients" = true', *WORDS, "lookup.words.first.w_q[0][0]", 1.3717),
    "learned": ("it", '"training.step" = 20', *RIGHT, "training.setup.seed", 4),
}
"""By name: what is shown, what is set, the answer, what is hidden, and the field that decides it with its number."""


@pytest.fixture
def learner(make_window, hand) -> Learner:
    return Learner(make_window(OWN), hand)


def ask(learner: Learner, folder: Path, name: str, drawn: float | None = None) -> None:
    show, settings, answer, hide, field, number = CASES[name]
    draw = f'"{field}" = {[drawn or number] * 2}'
    page = answer.partition(".")[0]
    text = QUESTION.format(show=show, page=page, set=settings, answer=answer, hide=json.dumps(hide), draw=draw)
    learner.open_steps(folder, text)
    assert learner.place is not None, learner.told
    settled(learner)


def settled(learner: Learner) -> None:
    learner.comes_back()
    learner.learned()
    learner.page.settle()
    QApplication.processEvents()


def hover(learner: Learner) -> str:
    """Go with the mouse all over the picture, and with the keys through it; return what is said."""
    canvas, said = learner.canvas, []
    high, wide = canvas.height(), canvas.width()
    for place in [QPoint(wide * x // 9, high * y // 9) for x in range(1, 9) for y in range(1, 9)]:
        QTest.mouseMove(canvas, place)
        QApplication.processEvents()
        said += [learner.said, canvas.toolTip(), canvas.spoken()]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_R, Qt.Key.Key_C):
        QTest.keyClick(canvas, key)
        said += [learner.said, canvas.spoken()]
    settled(learner)
    return "\n".join(said)


@pytest.mark.parametrize("name", CASES)
def test_no_word_on_the_page_tells_a_hidden_number(learner, tmp_path, name):
    ask(learner, tmp_path, name)
    assert learner.page.isVisible(), "the page is there to be thought about"
    assert not leaks(learner, window_texts(learner) + hover(learner) + window_texts(learner))
    learner.press(learner.card.tell)
    settled(learner)
    assert leaks(learner, window_texts(learner) + hover(learner)), "or this test could not find them"


@pytest.mark.parametrize("name", ["map", "scores", "lines", "stages"])
def test_a_page_is_the_same_whatever_the_answer_is(learner, tmp_path, name):
    pictures = []
    for drawn in (4711, 4715):
        ask(learner, tmp_path, name, drawn)
        QTest.mouseMove(learner.window, QPoint(2, 2))
        pictures.append(grabbed(learner))
        learner.press(learner.card.tell)
        settled(learner)
        pictures.append(grabbed(learner))
        learner.press(learner.card.leave)
    assert pictures[0] == pictures[2]
    assert pictures[1] != pictures[3]


def grabbed(learner: Learner):
    learner.window.setFocus()
    QTest.qWait(250)
    return learner.page.grab().toImage()


@pytest.mark.parametrize("name", ["map", "draws"])
def test_no_action_of_the_page_opens_what_is_hidden(learner, tmp_path, name):
    ask(learner, tmp_path, name)
    page = learner.page
    for action in page.actions_offered():
        action.run(page)
        settled(learner)
    for taken in ("copy-picture", "copy-numbers", "export", "save"):
        learner.window._actions[taken].trigger()
        assert ("answer it first" in learner.told) or ("Leave it first" in learner.told), taken
    assert learner.page is page
    assert not leaks(learner, window_texts(learner))


def test_presenting_shows_nothing_of_what_is_hidden(learner, tmp_path):
    ask(learner, tmp_path, "map")
    wide = learner.canvas.width() / learner.page.width()
    for _ in range(2):
        learner.window.tools.presenting.toggle()
        settled(learner)
        assert not leaks(learner, window_texts(learner))
        if learner.window.tools.presenting.is_on:
            assert learner.canvas.width() / learner.page.width() > 1.5 * wide, "what is out of sight takes no room"
    learner.press(learner.card.tell)
    settled(learner)
    assert leaks(learner, window_texts(learner))


def test_a_map_whose_mask_is_asked_for_hides_it_too(learner, tmp_path):
    pictures = []
    for mask in ("causal", "strictly causal"):
        learner.open_steps(
            tmp_path,
            f'show = "causal"\nset = {{ "heads.setup.mask.kind" = "{mask}" }}\n'
            'ask = "?"\nhide = ["heads.masked"]\nanswer = { cells = "heads.row(1).masked" }',
        )
        settled(learner)
        pictures.append(learner.canvas.grab().toImage())
        learner.press(learner.card.leave)
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("draws", "Scores"),
        ("layer", "softmax"),
        ("similarity", "All pairs of positions"),
        ("cost", "Bytes that the model keeps"),
    ],
)
def test_what_is_hidden_is_named(learner, tmp_path, name, names):
    ask(learner, tmp_path, name)
    assert "Hidden until you answer" in learner.canvas.spoken()
    assert names in learner.canvas.spoken()
    learner.press(learner.card.tell)
    settled(learner)
    assert "Hidden" not in learner.canvas.spoken()


def test_places_of_what_is_hidden_stand_apart_and_fill_the_room(learner, tmp_path, monkeypatch):
    for name, least in (("layer", 3), ("similarity", 3), ("draws", 1)):
        places = []
        for painting in (blanks, item):
            monkeypatch.setattr(painting, "paint_blank", lambda _painter, at, *_rest, found=places: found.append(at))
        ask(learner, tmp_path, name)
        learner.canvas.grab()
        room = learner.canvas.room
        while room.topLeft() in [place.topLeft() for place in places[1:]]:
            del places[0]  # of a painting before, of a canvas that had not its size yet
        assert len(places) == len(set(map(str, places))) >= least
        assert all(room.adjusted(-1, -1, 1, 1).contains(place) for place in places)
        assert not any(a.intersects(b) for at, a in enumerate(places) for b in places[:at])
        assert sum(place.width() * place.height() for place in places) > 0.6 * room.width() * room.height()
        learner.press(learner.card.leave)


@pytest.mark.parametrize("room", [QRectF(6, 6, 0, 200), QRectF(6, 6, -4, 200), QRectF(6, 6, 200, 0)])
def test_nothing_is_painted_where_there_is_no_room(learner, room):
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    blanks.paint_blanks(painter, room, ("softmax", "norm"), learner.page.look)
    painter.end()
    assert {image.pixel(x, y) for x in range(20) for y in range(20)} == {0xFFFFFFFF}
