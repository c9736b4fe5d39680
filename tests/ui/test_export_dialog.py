"""Asking where to save and how large, and copying: any page, any figure."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from attention_explorer.errors import ExplorerError
from attention_explorer.session.session import Session
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.lookup import LookupState
from attention_explorer.state.lookup_export import lookup_csv
from attention_explorer.state.numbers_export import Numbers
from attention_explorer.state.presets import PRESETS, preset
from attention_explorer.ui import export_dialog
from attention_explorer.ui.figure import EXPORT_FORMATS
from attention_explorer.ui.lookup_figure import LookupFigure
from attention_explorer.ui.page import PAGES, Page
from attention_explorer.ui.theme import LIGHT, Look


class SquareFigure:
    """A picture of one colour, with one number."""

    title = "square"
    description = "A red square"
    file_stem = "red-square"

    def __init__(self, side: int) -> None:
        self.size = QSize(side, side // 2)

    def paint(self, painter):
        painter.fillRect(0, 0, self.size.width(), self.size.height(), "#d55e00")

    def numbers(self):
        return Numbers("side\n7\n", "{}", {"side": np.array(7)}, {})


class SquarePage(Page):
    """A page of another kind, which has only a figure to offer."""

    side = 40

    def figure(self):
        if not self.side:
            raise ExplorerError("There is no square yet. Draw one first.")
        return SquareFigure(self.side)


@pytest.fixture
def page(qtbot):
    page = SquarePage(Session(), Look(LIGHT))
    qtbot.addWidget(page)
    page.heard = []
    page.said.connect(lambda text: page.heard.append(("said", text)))
    page.refused.connect(lambda text: page.heard.append(("refused", text)))
    return page


class Answers:
    """What the dialogs asked, and what they are told."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, ...]] = []
        self.file = ("", "")
        self.choose = lambda sizes: (sizes[0], True)


@pytest.fixture
def asked(monkeypatch):
    asked = Answers()

    def file_name(_parent, title, start, filters):
        asked.questions.append((title, start, filters))
        return asked.file

    def item(_parent, title, label, sizes, current, editable):
        assert not editable
        asked.questions.append((title, label, *sizes, sizes[current]))
        return asked.choose(sizes)

    monkeypatch.setattr(QFileDialog, "getSaveFileName", file_name)
    monkeypatch.setattr(QInputDialog, "getItem", item)
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, *texts: asked.questions.append(("warning", *texts)))
    return asked


# ---- What is asked ----


def test_the_dialog_names_the_figure_and_every_format(page, asked):
    page.export()
    ((title, start, filters),) = asked.questions
    assert title == "Export the square"
    assert start.endswith("/red-square.png")
    assert filters.split(";;") == [f"{known.title} (*{known.suffix})" for known in EXPORT_FORMATS]
    assert page.heard == [], "it was cancelled"


def test_the_size_is_asked_in_pixels_and_dots(page, asked, tmp_path):
    asked.file = (str(tmp_path / "square.png"), "")
    asked.choose = lambda sizes: (sizes[2], True)
    page.export()
    title, label, *sizes, current = asked.questions[1]
    assert (title, label) == ("Size of the picture", "Resolution (2× or more for print):")
    assert sizes == [
        "1× — 40 × 20 px, 96 dpi",
        "2× — 80 × 40 px, 192 dpi",
        "3× — 120 × 60 px, 288 dpi",
        "4× — 160 × 80 px, 384 dpi",
        "6× — 240 × 120 px, 576 dpi",
        "8× — 320 × 160 px, 768 dpi",
    ]
    assert current == sizes[1]
    assert QImage(str(tmp_path / "square.png")).size() == QSize(120, 60), "the size that was chosen"
    assert page.heard == [("said", f"Saved {tmp_path / 'square.png'}")]


def test_every_size_offered_for_the_lookup_is_the_size_of_the_picture(qapp):
    figure = LookupFigure(LookupState())
    assert f"2× — 1440 × {2 * figure.size.height()} px, 192 dpi" in export_dialog.png_sizes(figure)


@pytest.mark.parametrize(
    ("side", "scales"), [(16_000, [1]), (8000, [1, 2]), (5400, [1, 2]), (2000, [1, 2, 3, 4, 6, 8])]
)
def test_only_sizes_that_can_be_made_are_offered(side, scales, page, asked, tmp_path):
    asked.file = (str(tmp_path / "square.png"), "")
    asked.choose = lambda sizes: ("", False)
    page.side = side
    page.export()
    *sizes, current = asked.questions[1][2:]
    assert [int(text.split("×")[0]) for text in sizes] == scales
    assert current == sizes[min(1, len(sizes) - 1)]
    assert list(tmp_path.iterdir()) == []


def test_a_figure_too_large_for_any_picture_is_refused_without_a_question(page, asked, tmp_path):
    asked.file = (str(tmp_path / "square.png"), "")
    page.side = 16_001
    page.export()
    assert asked.questions[1:] == [
        ("warning", "Not exported", "A picture of 16001 × 8000 pixels is too large. Choose SVG or PDF.")
    ]
    asked.file = (str(tmp_path / "square.svg"), "")
    page.export()
    assert [path.name for path in tmp_path.iterdir()] == ["square.svg"]


@pytest.mark.parametrize("known", EXPORT_FORMATS, ids=lambda known: known.suffix)
def test_the_chosen_format_gives_the_suffix(known, page, asked, tmp_path):
    asked.file = (str(tmp_path / "square"), f"{known.title} (*{known.suffix})")
    page.export()
    assert [path.name for path in tmp_path.iterdir()] == [f"square{known.suffix}"]


def test_the_next_export_from_any_page_of_the_window_starts_where_the_last_ended(make_window, asked, tmp_path):
    window, other = make_window(), make_window()
    asked.file = (str(tmp_path / "lookup.csv"), "")
    window.page.export()
    another = SquarePage(window.session, Look(LIGHT), window)
    another.export()
    assert asked.questions[1][1] == str(tmp_path / "red-square.png")
    other.page.export()
    assert not asked.questions[2][1].startswith(str(tmp_path)), "another window remembers for itself"


# ---- What becomes of it ----


def test_a_path_that_cannot_be_written_is_explained_in_a_box(make_window, tmp_path, monkeypatch):
    window = make_window()
    said = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, text: said.append(text))
    missing = tmp_path / "no such folder" / "figure.png"
    assert export_dialog.export_or_explain(window, LookupFigure(LookupState()), missing) == ""
    assert "no such folder" in said[0]
    assert "does not exist" in said[0]


def test_the_dialog_writes_what_was_asked_for(make_window, tmp_path, monkeypatch):
    window = make_window(ExplorerState(lookup=preset("quiz").state))
    target = tmp_path / "quiz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(target), "PDF page (*.pdf)"))
    said = []
    window.page.said.connect(said.append)
    window._actions["export"].trigger()
    assert (tmp_path / "quiz.pdf").read_bytes().startswith(b"%PDF")
    assert said == [f"Saved {tmp_path / 'quiz.pdf'}"]


def test_cancelling_writes_nothing(make_window, tmp_path, monkeypatch):
    window = make_window()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: ("", ""))
    window.page.export()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "a.png"), ""))
    monkeypatch.setattr(QInputDialog, "getItem", lambda *a: ("2×", False))
    window.page.export()
    assert list(tmp_path.glob("*.png")) == []


def test_copying_puts_picture_and_numbers_on_the_clipboard(make_window):
    window = make_window()
    window.page.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * 720
    window.page.copy_numbers()
    assert QGuiApplication.clipboard().text().startswith("name,x,y")
    assert QGuiApplication.clipboard().text() == lookup_csv(window.session.state.lookup)


def test_another_page_copies_its_own_picture_and_numbers(page):
    page.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.size() == QSize(80, 40)
    assert image.pixelColor(79, 39).name() == "#d55e00"
    page.copy_numbers()
    assert list(csv.reader(io.StringIO(QGuiApplication.clipboard().text()))) == [["side"], ["7"]]
    assert page.heard == [
        ("said", "The picture is on the clipboard."),
        ("said", "The numbers are on the clipboard, as CSV."),
    ]


@pytest.mark.parametrize("act", [Page.export, Page.copy_picture, Page.copy_numbers])
def test_a_page_with_nothing_to_take_away_says_so(act, page, asked):
    page.side = 0
    act(page)
    assert page.heard == [("refused", "There is no square yet. Draw one first.")]
    assert asked.questions == []


def test_a_picture_too_large_for_the_clipboard_is_refused_in_words(page):
    QGuiApplication.clipboard().setText("before")
    page.side = 8001
    page.copy_picture()
    ((how, text),) = page.heard
    assert how == "refused"
    assert "16002 × 8000 pixels is too large" in text
    assert QGuiApplication.clipboard().text() == "before"


# ---- Examples ----


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.id)
def test_every_page_has_examples_with_names_fit_for_files(entry):
    names = [name for name, _ in entry.examples()]
    assert names
    assert len(set(names)) == len(names)
    assert all(name and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)
    assert all(isinstance(state, ExplorerState) for _, state in entry.examples())


def test_the_examples_of_the_lookup_are_its_presets():
    examples = next(entry.examples for entry in PAGES if entry.id == "lookup")
    assert list(examples()) == [(ready.id, ExplorerState(lookup=ready.state)) for ready in PRESETS]
