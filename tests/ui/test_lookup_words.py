"""Words in the plane, as hands have them: dragged, turned, typed, clicked, looked at, written to files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from lookup_driver import LookupDriver
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from svg_reader import text_places
from writing_driver import written_by

from attention_explorer.kit.items.columns import Placed
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plane import Dot, Plane
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.lookup.presets import WORDS_PRESETS, preset
from attention_explorer.pages.lookup.state import LookupState, LookupView
from attention_explorer.pages.lookup.ui.words import MOVED, PLANE, PLANES, SENTENCE, WordsPicture
from attention_explorer.pages.lookup.words_plane import numbers_of, words_numbers
from attention_explorer.pages.lookup.words_state import MATRICES, WordsShown, WordsState
from attention_explorer.tools.code.ui.panel import CodeWindow

BY_COMPUTING = ("queries", "keys", "values", "scores", "scaled", "weights", "handed_over", "output", "moved")
"""How lines of the program begin that compute."""
Opens = Callable[..., LookupDriver]
BANK = preset("bank-of-the-river").state


@pytest.fixture
def opens(make_window, hand) -> Opens:
    return lambda lookup=BANK, **how: LookupDriver.open(make_window, hand, lookup, **how)


@pytest.fixture
def at(opens) -> LookupDriver:
    return opens()


def placed(at: LookupDriver, name: str) -> Placed:
    """Return an item of the picture with its layout."""
    rest = [Placed(at.layout.item, at.layout.layout)]
    while rest:
        each = rest.pop()
        if each.item.name == name:
            return each
        rest += each.layout if isinstance(each.layout, tuple) else ()
    raise AssertionError(name)


def place_of(at: LookupDriver, name: str, part: object) -> QPointF:
    """Return where a point, or the tip of an arrow, of a plane is drawn."""
    plane = placed(at, name)
    found = next(spot for each, spot in plane.item._parts() if each == part)
    return plane.layout.pixel(found)


def pull(at: LookupDriver, name: str, part: object, by: QPointF) -> tuple[float, float]:
    """Drag a point of a plane so many pixels, and return the point that is there now."""
    start = place_of(at, name, part)
    to = placed(at, name).layout.point(start + by)
    at.hand().drag(start, start + by)
    return to


# ---- The plane of words ----


def test_a_word_is_dragged_and_all_that_follows_from_it_moves(at: LookupDriver) -> None:
    before = words_numbers(at.lookup)
    to = pull(at, PLANE, "river", QPointF(40.0, 30.0))
    words = at.lookup.words
    assert words.known["river"] == to != (0.2, 2.0)
    assert at.undo_text == "Move “river”"
    after = words_numbers(at.lookup)
    assert after.moved.tolist() != before.moved.tolist()
    assert at.items["Output"].text == f"o = ({after.output[0]:+.2f}, {after.output[1]:+.2f})".replace("-", "−")
    at.undo()
    assert at.lookup == BANK


def test_the_plane_holds_still_while_something_is_dragged(at: LookupDriver) -> None:
    hand, start = at.hand(), place_of(at, PLANE, "river")
    before = placed(at, PLANE).layout
    hand.press(start)
    hand.move(start + QPointF(60.0, -110.0))
    held = placed(at, PLANE).layout
    assert (held.centre, held.scale) == (before.centre, before.scale)
    hand.release()
    assert placed(at, PLANE).layout.scale < before.scale, "and makes room once it is let go"


def test_a_word_that_is_not_in_the_sentence_is_dragged_too(at: LookupDriver) -> None:
    to = pull(at, PLANE, "money", QPointF(-30.0, -20.0))
    assert at.lookup.words.known["money"] == to
    assert "not in the sentence" in at.point_at(place_of(at, PLANE, "money"))


def test_arrow_keys_move_the_word_that_asks(at: LookupDriver) -> None:
    at.canvas.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_Down):
        at.key(key)
    assert at.lookup.words.known["bank"] == (0.9, 0.7)
    assert at.steps == 1, "keys that follow each other are one step"


def test_the_share_of_o_is_typed_where_the_lookup_is_hard(opens) -> None:
    at = opens(replace(BANK, hard=True))
    at.press(at.main.box)
    at.main.box.selectAll()
    for key in (Qt.Key.Key_0, Qt.Key.Key_Return):
        QTest.keyClick(at.main.box, key)
    assert (at.lookup.words.share, at.lookup.hard) == (0.0, True)


def test_another_word_asks_when_it_is_clicked(at: LookupDriver) -> None:
    line = placed(at, SENTENCE)
    at.click(line.layout.places[3].center())
    assert at.lookup.words.asks == "river"
    assert at.undo_text == "Let “river” ask"
    assert at.panel_words()[0].startswith("“river”")
    assert at.canvas.spoken().count("river asks") == 0, "what the picture says is in its notes"


def test_pointing_tells_the_numbers(at: LookupDriver) -> None:
    river = at.point_at(place_of(at, PLANE, "river"))
    assert river.startswith("“river” (+0.20, +2.00); query (+2.30, +3.20); key (+1.04, +2.48); value (−0.70, +0.74)")
    assert "q·k = +7.04, ÷ √2 +4.98; weight 77 %" in river
    assert at.point_at(place_of(at, PLANE, MOVED)).startswith("bank + o = (+0.28, +1.39): o = (−0.52, +0.59) is 0.78")
    assert at.point_at(placed(at, SENTENCE).layout.places[3].center()) == river
    assert at.point_at(place_of(at, PLANES["w_v"], 3)) == river


# ---- Matrices ----


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("row", [0, 1])
def test_a_matrix_is_turned_by_the_arrows_of_its_axes(at: LookupDriver, name: str, row: int) -> None:
    to = pull(at, PLANES[name], (name, row), QPointF(12.0, -15.0))
    matrix = getattr(at.lookup.words.first, name)
    assert matrix[row] == to
    assert matrix[1 - row] == getattr(WordsState().first, name)[1 - row]
    assert at.undo_text == f"Turn {name[0].upper()}_{name[-1].upper()}"
    pointed = at.point_at(place_of(at, PLANES[name], (name, row)))
    assert pointed.startswith(f"W_{name[-1].upper()}: “how much it is about")
    at.undo()
    assert at.lookup == BANK


def test_turning_one_matrix_leaves_what_the_others_make(at: LookupDriver) -> None:
    before = words_numbers(at.lookup).head
    pull(at, PLANES["w_v"], ("w_v", 1), QPointF(-14.0, 22.0))
    after = words_numbers(at.lookup).head
    assert after.weights.tolist() == before.weights.tolist(), "what is found"
    assert after.attention.output.tolist() != before.attention.output.tolist(), "what is handed over"


def test_matrices_and_features_are_typed(at: LookupDriver) -> None:
    at.type_into(at.field("words.w_k"), "1 0; 0 2")
    assert at.lookup.words.first.w_k == ((1.0, 0.0), (0.0, 2.0))
    at.type_into(at.field("words.lexicon"), "bank 1 1; river 0 3; of 0 0; the 0 0")
    assert at.lookup.words.known["river"] == (0.0, 3.0)
    at.type_into(at.field("words.w_k"), "1 2 3")
    assert "two rows of two numbers" in at.told
    assert at.lookup.words.first.w_k == ((1.0, 0.0), (0.0, 2.0))
    at.type_into(at.field("words.asks"), "river")
    assert words_numbers(at.lookup).word == "river"


# ---- The sentence, one head and two ----


def test_another_sentence_moves_the_word_the_other_way(at: LookupDriver) -> None:
    river = words_numbers(at.lookup).moved
    at.type_into(at.few("words.sentence"), "bank of the money")
    money = words_numbers(at.lookup)
    assert (money.moved[0], money.moved[1]) != tuple(river)
    assert money.moved[0] > 1.0 > river[0]
    assert at.panel_words()[0] == "“bank” moves toward “money”"
    assert at.tries["Change “river” to “money”"].isChecked()


def test_two_heads_have_matrices_of_their_own(opens: Opens) -> None:
    at = opens(preset("one-head").state)
    assert not at.few("words.second_shown").isVisible()
    at.press(at.few("words.two"))
    assert at.lookup.words.two
    assert at.tries["Press Two heads"].isChecked()
    at.press(at.few("words.second_shown"))
    assert at.looks == 1, "which of the two is looked at is only a view"
    second = words_numbers(at.lookup).heads[1]
    assert [bar.share for bar in at.items["Weights of the row"].bars] == second.weights.tolist()
    to = pull(at, PLANES["w_q"], ("w_q", 1), QPointF(0.0, 25.0))
    assert at.lookup.words.second.w_q[1] == to
    assert at.lookup.words.first == preset("one-head").state.words.first
    assert {"first head", "second head"} <= set(at.texts())


def test_less_of_o_is_added_by_the_slider(at: LookupDriver) -> None:
    at.main.slider.setFocus()
    before = placed(at, PLANE).layout
    QTest.keyClick(at.main.slider, Qt.Key.Key_Home)
    assert placed(at, PLANE).layout == before, "all else stays where it is"
    assert at.lookup.words.share == 0.0
    assert not at.steps, "no number of the row changes"
    spots = {dot.part: dot.at for dot in placed(at, PLANE).item.dots}
    assert spots[MOVED] == spots["bank"]
    QTest.keyClick(at.main.slider, Qt.Key.Key_Right)
    assert at.lookup.words.share == pytest.approx(0.05)


def test_gradients_are_arrows_at_keys_and_values(at: LookupDriver) -> None:
    few = len(placed(at, PLANES["w_v"]).item.arrows)
    at.press(at.field("words.gradients"))
    numbers = words_numbers(at.lookup)
    arrows = placed(at, PLANES["w_v"]).item.arrows[2:]
    assert len(placed(at, PLANES["w_v"]).item.arrows) == few + 4
    for arrow, value, slope in zip(arrows, numbers.head.values, numbers.slopes[0].values, strict=True):
        assert arrow.start == tuple(value)
        assert arrow.end == pytest.approx(tuple(value - slope))
    assert "∂L/∂k" in at.point_at(place_of(at, PLANE, "river"))
    assert "∂L/∂v = (+0.06, −0.47)" in at.notes
    at.choose(at.field("hard"), True)
    assert len(placed(at, PLANES["w_k"]).item.arrows) == 2, "a hard lookup has no slope by keys"
    assert len(placed(at, PLANES["w_v"]).item.arrows) == 3, "but the value of the winner learns"


# ---- Beside the other views ----


def test_words_and_the_lookup_leave_each_other_alone(opens: Opens) -> None:
    at = opens(replace(LookupState(), query=(0.3, 0.9)))
    at.show(LookupView.WORDS)
    assert at.example.placeholderText() == "Bank of the river"
    at.load("library")
    assert at.lookup.words == preset("library").state.words
    assert at.lookup.query == (0.3, 0.9)
    at.show(LookupView.PLANE)
    assert at.canvas.is_plane
    at.load("long-key")
    assert at.lookup.words == preset("library").state.words
    at.show(LookupView.WORDS)
    assert at.example.placeholderText() == "A library: label and content"


def test_no_table_of_the_lookup_stands_below_words(at: LookupDriver) -> None:
    at.press(at.page.panel.more)
    assert at.page._table is None or not at.page._table.isVisible()
    (above,) = at.page.drawer.table._items.items
    assert [column.title for table in above.items for column in table.columns] == ["", "x", "q", "", "k", "v"]


@pytest.mark.parametrize("ready", WORDS_PRESETS, ids=lambda ready: ready.id)
def test_nothing_is_tried_before_somebody_does(opens: Opens, ready) -> None:
    at = opens(ready.state)
    assert 1 <= len(at.tries) <= 3
    assert not [words for words, box in at.tries.items() if box.isChecked()]


def test_a_matrix_that_hands_over_nothing_makes_the_word_stay(at: LookupDriver) -> None:
    at.type_into(at.field("words.w_v"), "0 0; 0 0")
    at.page.open_drawer(False)
    assert at.tries["Make the word stay where it is"].isChecked()
    assert at.tries["Turn W_V: what is handed over?"].isChecked()


def test_code_says_how_many_lines_it_has(at: LookupDriver, qtbot) -> None:
    at.window.tools.show_code()
    (code,) = at.window.findChildren(CodeWindow)
    qtbot.waitUntil(lambda: code.program is not None, timeout=60_000)
    text = code.text.toPlainText()
    lines = [line for line in text.splitlines() if line.strip()]
    assert code.note.text().startswith(f"{len(lines)} lines: ")
    assert "w_q = np.array([" in text
    given, computing = (int(word) for word in code.note.text().split() if word.isdigit() and word != str(len(lines)))
    assert computing == sum(line.startswith(BY_COMPUTING) for line in lines)
    assert given + computing + 3 == len(lines)
    code.close()


# ---- Every size and every picture ----


@pytest.fixture
def shown(qtbot, hand) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, WordsPicture(), BANK)


@pytest.mark.parametrize("ready", WORDS_PRESETS, ids=lambda ready: ready.id)
@pytest.mark.parametrize("size", [(570, 600), (820, 640), (1800, 1200)])
def test_no_word_is_cut_or_lies_on_another(shown: PictureOnCanvas, ready, size) -> None:
    shown.show(ready.state)
    assert not shown.badly_written(*size)


@pytest.mark.parametrize("ready", WORDS_PRESETS, ids=lambda ready: ready.id)
@pytest.mark.parametrize("size", [(570, 600), (720, 640)])
@pytest.mark.parametrize("name", PLANES.values())
def test_no_name_covers_a_point_or_the_tip_of_a_matrix(shown: PictureOnCanvas, ready, size, name: str) -> None:
    shown.show(ready.state)
    shown.canvas.resize(*size)
    plane = shown.placed(name)
    dots = {dot.text for dot in plane.item.dots if dot.text}
    spots = [QRectF(0, 0, 6, 6).translated(plane.layout.pixel(at) - QPointF(3, 3)) for _, at in plane.item._parts()]
    for line in written_by(shown.canvas.paint_picture, QRectF(shown.canvas.rect())):
        if line.text in dots and plane.layout.box.contains(line.box):
            assert not [spot for spot in spots if line.box.intersects(spot)], line.text


@pytest.mark.parametrize("ready", WORDS_PRESETS, ids=lambda ready: ready.id)
def test_a_drawing_has_every_word(ready) -> None:
    size = (640, 480)
    drawing = drawing_of(WordsPicture(), words_numbers(ready.state), size)
    assert not faults_of(drawing, size)
    written = {text for text, _ in text_places(drawing)}
    assert set(ready.state.words.tokens) <= written


@pytest.mark.parametrize("size", [(700, 520), (560, 480)])
def test_numbers_of_a_matrix_stand_clear_of_each_other_and_of_the_bracket(size) -> None:
    first = replace(BANK.words.first, w_q=((-0.25, 1.55), (-2.35, -0.45)))
    lookup = replace(BANK, words=replace(BANK.words, first=first))
    found = text_places(drawing_of(WordsPicture(), words_numbers(lookup), size))
    places = {text: place.boundingRect() for text, place in found}
    assert not places["−2.35"].intersects(places["−0.45"])
    assert places["−2.35"].left() > places["W"].left() + 3, "the bracket stands below the W"


def test_while_its_numbers_are_asked_for_it_tells_nothing(shown: PictureOnCanvas) -> None:
    shown.canvas.withhold(True)
    told = " ".join(shown.texts())
    assert "?" in told
    assert "bank + o" not in told
    assert "W" in shown.texts(), "the matrices are given"


def test_words_and_matrices_are_given_and_where_they_stand_tells_nothing(shown: PictureOnCanvas) -> None:
    shown.canvas.withhold(True)
    before = shown.placed(PLANE)
    assert [dot.at for dot in before.item.dots if dot.text == "bank"] == [(0.8, 0.8)]
    assert not before.item.arrows
    shown.show(replace(BANK, words=BANK.words.with_matrix("w_v", ((9.0, 0.0), (0.0, 9.0)))))
    assert shown.placed(PLANE).layout == before.layout


@pytest.mark.parametrize(
    ("much", "seen", "unseen"),
    [
        (WordsShown.WORDS, {"bank", "river"}, {"W", "asks", "bank + o"}),
        (WordsShown.QUERIES, {"W", "asks"}, {"is found by", "bank + o"}),
        (WordsShown.KEYS, {"asks", "is found by"}, {"hands over", "bank + o"}),
        (WordsShown.ALL, {"asks", "is found by", "hands over", "bank + o"}, set()),
    ],
)
def test_as_much_is_on_show_as_is_wanted(opens: Opens, shown: PictureOnCanvas, much, seen, unseen) -> None:
    state = replace(BANK, words=replace(BANK.words, shown=much))
    shown.show(state)
    texts = set(shown.texts())
    assert seen <= texts
    assert not unseen & texts
    at = opens(state)
    assert at.page.main.slider_of(at.page.view).isVisible() == (much is WordsShown.ALL), "there is no o to add"
    assert at.page.panel.tries.isVisible() == (much is WordsShown.ALL)
    told = at.point_at(place_of(at, PLANE, "river"))
    assert ("key" in told, "value" in told) == (much in ("keys", "all"), much is WordsShown.ALL)


def test_the_query_is_said_as_the_sum_that_it_is(opens: Opens) -> None:
    words = replace(BANK.words.moved("bank", (2.0, 1.0)), shown=WordsShown.QUERIES)
    at = opens(replace(BANK, words=words.with_matrix("w_q", ((1.0, 0.0), (-0.5, 2.0)))))
    assert at.items["Query"].text == "q = 2·(1, 0)"
    assert at.items["Query, on"].text.strip() == "+ 1·(−0.5, 2) = (1.5, 2)"


def test_a_plane_names_only_what_it_is_given() -> None:
    plane = Plane("plane", (Dot(None, (1.0, 1.0), "a name", radius=0.0), Dot("a", (2.0, 0.5))))
    laid = plane.layout(Look(LIGHT), QRectF(0, 0, 300, 200))
    assert plane.hit(laid, laid.pixel((1.0, 1.0))) is None
    assert plane.hit(laid, laid.pixel((2.0, 0.5))) == Hit("plane", "a")
    assert plane.grab(laid, laid.pixel((2.0, 0.5))) is None, "no handle"
    assert laid.point(laid.pixel((1.25, 0.75))) == (1.25, 0.75)


def test_a_word_with_a_place_far_out_is_drawn(shown: PictureOnCanvas) -> None:
    far = BANK.words.moved("river", (100.0, -100.0))
    shown.show(replace(BANK, words=far))
    assert np.isfinite(numbers_of(far, hard=False).moved).all()
    assert "river" in shown.texts()


def test_the_small_planes_say_how_large_they_are(at):
    for name in PLANES.values():
        found = placed(at, name)
        plane, layout = found.item, found.layout
        steps = list(plane._steps(layout, at.window.look))
        assert steps, name
        for place, text in steps:
            step = float(text)
            ends = layout.pixel((step, 0.0)), layout.pixel((0.0, step))
            assert any(place.adjusted(-5, -1, 5, 1).contains(end) for end in ends), "it stands at its line"
            assert layout.box.contains(place)
        names = [place for _, place in plane._labels(layout, at.window.look)]
        assert not any(name.intersects(place) for name in names for place, _ in steps), "no name lies on it"
