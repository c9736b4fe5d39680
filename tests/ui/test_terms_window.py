"""Terms in the window: where they stand in hints and lessons, the card that explains them, and the help window."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QSlider
from window_driver import WindowDriver

from attention_explorer.core.terms import WHOLE, Term, mentions, term_named, terms
from attention_explorer.kit.controls.text_block import TermLabel
from attention_explorer.kit.theme import Look
from attention_explorer.pages.registry import PAGES, find_preset
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.expression import expression
from attention_explorer.tools.lessons.names import names_in
from attention_explorer.tools.lessons.reading import lesson_from
from attention_explorer.tools.lessons.writing import QUESTION, example
from attention_explorer.tools.terms.references import PAPERS, TO_READ_ON
from attention_explorer.tools.terms.ui.page import (
    GLOSSARY,
    KEYS,
    LESSONS,
    SOURCES,
    TABS,
    THE_NUMBERS,
    HelpWindow,
)
from attention_explorer.tools.terms.ui.panel import HIGH, WIDE, TermCard, painted, shown_by

SHIFT = Qt.KeyboardModifier.ShiftModifier


class Reader(WindowDriver):
    """Somebody who asks what words mean."""

    @property
    def explainer(self):
        return self.window.tools.terms

    @property
    def card(self) -> TermCard:
        return self.explainer.card

    @property
    def help(self) -> HelpWindow:
        return self.explainer.opened

    @property
    def hint(self):
        """What the example says that there is to be seen: it stands in the drawer."""
        if not self.page.is_open:
            self.press(self.page.panel.more)
            while not self.page.drawer.example._is_searched:  # as it is once the words have been painted
                QTest.qWait(10)
        return self.page.drawer.example

    def click_term(self, number: int) -> str:
        """Click a term of the hint, and return its name."""
        place = self.hint.places()[number][0].center().toPoint()
        QTest.mouseClick(self.hint, Qt.MouseButton.LeftButton, pos=place)
        return mentions(self.hint.text())[number].term.name

    def look_for(self, text: str) -> None:
        self.help.field.selectAll()
        QTest.keyClicks(self.help.field, text)

    def terms_listed(self) -> list[str]:
        return [term.name for item, term in self.help.glossary.items() if not item.isHidden()]

    def rows_shown(self, part) -> list[str]:
        return [label.text() for label in part.findChildren(QLabel) if not label.isHidden()]

    def help_is_whole(self) -> bool:
        """Whether what the help window had put off is there: it was begun, and is done."""
        return not self.help._adding.isActive()


@pytest.fixture
def reader(make_window, hand) -> Reader:
    return Reader(make_window(), hand)


def test_the_card_wears_the_look_of_the_window_and_there_is_one_of_it(reader):
    for zoom in (1.0, 1.25, 1.5):
        reader.window.set_zoom(zoom)
        reader.click_term(0)
        assert reader.card.look.zoom == zoom
        QTest.keyClick(reader.card, Qt.Key.Key_Escape)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert reader.window.findChildren(TermCard) == [reader.card]


def test_a_click_on_a_term_of_the_hint_explains_it_and_show_me_can_be_undone(reader, qtbot):
    before = reader.window.session.state
    names = [mention.term.name for mention in mentions(reader.hint.text())]
    assert names == ["output", "key"]
    for number, name in enumerate(names):
        assert reader.click_term(number) == name
        assert reader.card.view.term.name == name
        assert name in reader.card.view.spoken()
        if number == 0:
            QTest.keyClick(reader.card, Qt.Key.Key_Escape)
            qtbot.waitUntil(lambda: not reader.card.isVisible())
    qtbot.waitUntil(lambda: not reader.card.view.picture._image.isNull(), timeout=20_000)
    assert reader.card.view.picture.spoken().startswith("Lookup page.")
    reader.press(reader.card.view.show_me)
    qtbot.waitUntil(lambda: not reader.card.isVisible())
    ready = shown_by(term_named("key"))
    assert reader.window.session.state.lookup == ready.state.lookup != before.lookup
    assert reader.undo_text == f"Load “{ready.title}”"
    reader.undo()
    assert reader.window.session.state == before


def test_show_me_goes_to_the_page_of_the_preset(reader, qtbot):
    reader.window.tools.explain("causal mask")
    reader.press(reader.card.view.show_me)
    assert reader.window.settings.page == "heads"
    assert reader.window.session.state.heads.preset == "running-mean"
    reader.undo()
    assert reader.window.session.state.heads.preset != "running-mean"


SHOWS = {
    "arg max": "lookup.hard and lookup.tied and lookup.winner == 0",
    "embedding": "block.box == 'x'",
    "equivariant": "positions.is_equivariant and positions.shuffle > 0",
    "hard lookup": "lookup.hard and not lookup.tied",
    "previous-token head": "heads.of_head.previous > 0.7",
    "residual": "block.residual",
    "RMS norm": "block.norm_kind == 'rms'",
    "sink": "heads.of_head.first > 0.9",
    "sliding window": "heads.setup.mask.kind == 'window'",
    "soft lookup": "not lookup.hard",
    "temperature": "lookup.temperature != 1",
}
"""By term, what holds of the picture beside it."""


def test_the_picture_of_a_term_shows_what_the_word_says():
    for term in terms():
        state = shown_by(term).state
        assert expression(SHOWS.get(term.name, "1 == 1")).holds(names_in(state)), term.name


def test_show_me_shows_what_the_picture_did(reader):
    reader.window.tools.explain("hard lookup")
    reader.press(reader.card.view.show_me)
    assert reader.window.session.state.lookup == shown_by(term_named("hard lookup")).state.lookup
    assert reader.window.session.state.lookup.hard


def test_a_click_beside_the_terms_explains_nothing(reader):
    box = reader.hint.places()[0][0]
    QTest.mouseClick(reader.hint, Qt.MouseButton.LeftButton, pos=box.topLeft().toPoint() - QPoint(12, 0))
    assert "terms" not in vars(reader.window.tools)


def test_a_pointer_that_is_there_before_the_terms_are_looked_for_costs_none_of_them(reader, qtbot):
    reader.window.resize(1600, 1000)  # no scroll bar comes, which would make the text narrower and lay it out anew
    assert reader.hint.places()
    terms.cache_clear()  # as at the start of the program: they are looked for once the text has been painted
    reader.window.session.apply(find_preset("three-keys").state, "Load")
    QTest.mouseMove(reader.hint, reader.hint.rect().center())
    assert not reader.hint.places()
    qtbot.waitUntil(lambda: reader.hint._mentions != ())
    name = reader.click_term(0)
    assert reader.card.view.term.name == name


def test_the_dots_are_below_the_words(reader):
    """Each box is as wide as its word, within the block, and something is drawn at its foot."""
    reader.window.resize(1024, 768)
    QApplication.processEvents()
    image = reader.hint.grab().toImage()
    for boxes in reader.hint.places():
        for box in boxes:
            assert reader.hint.rect().contains(box.toAlignedRect().adjusted(1, 1, -1, -1))
            foot = round(box.bottom())
            row = {image.pixel(x, y) for x in range(int(box.left()), int(box.right())) for y in (foot - 1, foot)}
            assert len(row) > 1


def test_keys_reach_the_terms_of_a_hint(reader, qtbot):
    reader.hint.setFocus(Qt.FocusReason.TabFocusReason)
    reader.key(Qt.Key.Key_Right, widget=reader.hint)
    reader.key(Qt.Key.Key_F1, widget=reader.hint)
    assert reader.card.view.term.name == "key"
    QTest.keyClick(reader.card, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not reader.card.isVisible())
    reader.key(Qt.Key.Key_Left, widget=reader.hint)
    reader.key(Qt.Key.Key_Return, widget=reader.hint)
    assert reader.card.view.term.name == "output"


def test_f1_on_a_control_explains_it_and_elsewhere_opens_the_keys(reader):
    reader.key(Qt.Key.Key_F1)
    assert reader.help.tabs.currentIndex() == KEYS
    reader.help.reject()
    QApplication.processEvents()
    reader.window.activateWindow()
    QApplication.processEvents()
    sliders = reader.page.findChildren(QSlider)
    slider = next(slider for slider in sliders if "emperature" in slider.accessibleName())
    slider.setFocus()
    reader.key(Qt.Key.Key_F1, widget=slider)
    assert reader.card.view.term.name == "temperature"


def test_a_lesson_links_its_terms_but_shows_no_other_picture(reader, qtbot):
    reader.window.tools.show_lessons()
    lessons = reader.window.tools.lessons
    lessons.start(next(lesson for lesson in reading.lessons() if lesson.name == "soft"))
    label = next(label for label in lessons.card.findChildren(TermLabel) if "term:weight" in label.text())
    label.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(label, Qt.Key.Key_Tab)
    label.linkActivated.emit("term:weight")
    view = reader.card.view
    assert view.term.name == "weight"
    assert not view.picture.isVisible(), "which might give an answer away"
    assert not view.show_me.isEnabled()
    assert "Leave it" in view.show_me.toolTip()


def test_links_keep_the_colour_of_the_words_in_other_colours(qtbot, reader):
    label = TermLabel('A <a href="term:weight" style="text-underline-style: dotted">weight</a>.')
    label.setStyleSheet("font-size: 30px")
    qtbot.addWidget(label)
    label.show()
    asked = []
    label.term_wanted.connect(asked.append)
    QTest.keyClick(label, Qt.Key.Key_Tab)
    label.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(label, Qt.Key.Key_Return)
    assert asked == ["weight"]


# ---- The help window ----


def test_the_glossary_is_searched_as_one_types(reader, qtbot):
    reader.key(Qt.Key.Key_F1, SHIFT)
    assert reader.help.tabs.currentIndex() == GLOSSARY
    everything = reader.terms_listed()
    assert len(everything) >= 40
    reader.look_for("rotary")
    assert reader.terms_listed() == ["RoPE"]
    assert reader.help.glossary.view.term.name == "RoPE"
    assert reader.help.tabs.tabText(GLOSSARY) == "Glossary (1)"
    reader.look_for("mask")
    assert reader.help.glossary.view.term.name == "mask", "what is called so, before what mentions it"
    reader.help.field.clear()
    assert reader.terms_listed() == everything
    assert [reader.help.tabs.tabText(tab) for tab in range(len(TABS))] == list(TABS)
    reader.key(Qt.Key.Key_Down, widget=reader.help.glossary.list)
    name = reader.help.glossary.view.term.name
    reader.press(reader.help.glossary.view.show_me)
    session = reader.window.session
    assert any(label.startswith("Load “") for label in (*session.history.labels, *session.views.labels)), name
    assert reader.help.isVisible(), "it stands beside the window"


def test_the_keys_of_all_pages_are_listed_from_their_actions(reader, qtbot):
    reader.window.tools.terms.show_help(KEYS)
    qtbot.waitUntil(reader.help_is_whole, timeout=20_000)
    QApplication.processEvents()
    assert list(reader.window._pages) == [reader.window.settings.page], "no page is made for its keys"
    shown = reader.rows_shown(reader.help.keys)
    for entry in PAGES:
        assert entry.title in shown
        for keys, what in entry.kind.keys_offered():
            assert keys in shown
            assert what in shown
    for keys, what in reader.window.keys_offered():
        assert keys in shown
        assert what in shown
    assert {"Alt+1", "Ctrl+K", "F5", "Ctrl+PgDown"} <= set(shown)
    reader.look_for("rail above")
    assert reader.rows_shown(reader.help.keys) == []
    reader.look_for("undo")
    assert {"Ctrl+Z", "Undo"} <= set(reader.rows_shown(reader.help.keys))


def test_what_is_not_on_the_tab_leads_to_another(reader, qtbot):
    reader.window.tools.terms.show_help(THE_NUMBERS)
    assert any("Rows are queries" in text for text in reader.rows_shown(reader.help.numbers))
    reader.look_for("kobayashi")
    assert reader.help.tabs.currentIndex() == SOURCES
    assert len(reader.rows_shown(reader.help.sources)) == 2, "the heading and the paper"
    reader.look_for("slips")
    qtbot.waitUntil(lambda: reader.help.tabs.currentIndex() == LESSONS, timeout=20_000)
    assert QUESTION["slips"] in reader.rows_shown(reader.help.lessons), "which nobody had opened"
    qtbot.waitUntil(reader.help_is_whole, timeout=20_000)
    reader.look_for("kobayashi slips")
    assert all(reader.help.tabs.tabText(tab).endswith("(0)") for tab in range(len(TABS)))


@pytest.mark.parametrize(("name", "link"), [("hard lookup", "https://arxiv.org/abs/1502.03044"), ("seed", "")])
def test_the_card_links_the_paper_that_a_term_is_from(reader, name, link):
    reader.window.tools.explain(name)
    (source,) = (label for label in reader.card.findChildren(QLabel) if term_named(name).source[:8] in label.text())
    assert re.findall(r'href="([^"]*)"', source.text()) == [link] * bool(link)
    assert source.openExternalLinks()
    assert "href" not in reader.card.view.spoken()
    assert term_named(name).source in reader.card.view.spoken()


def test_the_sources_link_each_paper(reader):
    reader.window.tools.terms.show_help(SOURCES)
    shown = "\n".join(reader.rows_shown(reader.help.sources))
    for reference in (*PAPERS, *TO_READ_ON):
        assert reference.link.replace("&", "&amp;") in shown
        assert f"{reference.authors} ({reference.year})" in shown


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800)])
@pytest.mark.parametrize("zoom", [1.0, 1.75])
def test_the_help_fits_the_window(make_window, hand, size, zoom):
    reader = Reader(make_window(None, Settings(theme=ThemeChoice.DARK, zoom=zoom), size), hand)
    reader.window.tools.terms.show_help(GLOSSARY)
    assert reader.help.height() <= size[1]
    assert reader.help.width() <= max(size[0], reader.help.minimumSizeHint().width())


PARTS = [term for term in terms() if term.part != WHOLE]


def pixels(term: Term, part: tuple[float, ...]) -> np.ndarray:
    """Return the picture of a term, two pixels for one."""
    ready = shown_by(term)
    entry = next(entry for entry in PAGES if entry.id == ready.page)
    image = painted(entry.figure(ready.state), part, Look(), 2.0).convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


@pytest.mark.parametrize("term", PARTS, ids=lambda term: term.name)
def test_a_part_of_a_picture_is_cut_where_nothing_is_drawn(qapp, term):
    """Its edges are of one colour, it fits the place, and its letters are nearly as large as those of the window."""
    left, top, wide, high = term.part
    found = pixels(term, term.part)
    edges = {"top": (top, found[0]), "bottom": (1 - top - high, found[-1])}
    edges |= {"left": (left, found[:, 0]), "right": (1 - left - wide, found[:, -1])}
    for edge, (outside, row) in edges.items():
        assert outside < 1e-9 or len(set(row.tolist())) == 1, edge
    assert found.shape[1] <= 2 * WIDE + 1
    assert found.shape[0] <= 2 * HIGH + 1
    assert found.shape[1] >= 0.9 * 2 * WIDE * wide, "or it could not be read"


# ---- How to write a lesson ----


def test_the_format_of_lessons_is_in_the_help_and_is_searched(reader, qtbot):
    reader.window._actions["write-lesson"].trigger()
    assert reader.help.tabs.tabText(LESSONS) == TABS[LESSONS]
    qtbot.waitUntil(lambda: "Names of the page training" in reader.rows_shown(reader.help.lessons), timeout=20_000)
    assert {"until", "answer", "slips", "heads.mask"} <= set(reader.rows_shown(reader.help.lessons))
    reader.look_for("slips")
    assert reader.rows_shown(reader.help.lessons)[:3] == ["In a question", "slips", QUESTION["slips"]]


def test_the_example_of_a_lesson_opens_with_one_click(reader):
    reader.window._actions["write-lesson"].trigger()
    reader.press(reader.help.play)
    assert reader.help is None
    assert reader.window.tools.has_lesson
    assert reader.window.tools.lessons.place.lesson.title == lesson_from(example(), "example").title


def test_the_example_is_saved_to_be_changed(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), "Lesson (*.lesson.toml)"))
    reader.window._actions["write-lesson"].trigger()
    reader.press(reader.help.save)
    assert (tmp_path / "mine.lesson.toml").read_bytes() == example()
    assert "mine.lesson.toml" in reader.told
