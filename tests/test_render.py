"""`attention_explorer.render`: the same bytes as the window writes, Qt only when it is needed."""

from __future__ import annotations

import doctest
import hashlib
import io
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import get_type_hints

import pytest
from PySide6.QtCore import QHashSeed
from PySide6.QtWidgets import QWidget

import attention_explorer
from attention_explorer import cli, rendering
from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.figure_options import Cells, FigureOptions, FigureTheme, Length
from attention_explorer.core.map_picture import Window
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.export import dialog
from attention_explorer.kit.export.dialog import export_or_explain
from attention_explorer.kit.export.figure import EXPORT_FORMATS, Figure
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.registry import PAGES, PageEntry, find_preset
from attention_explorer.pages.session_file import write_session
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recipe import ToyRecipe

pytestmark = pytest.mark.usefixtures("qapp")

FORMATS = [each.suffix.removeprefix(".") for each in EXPORT_FORMATS]

SHOWN = [
    ("lookup", "quiz"),
    ("lookup", "descent"),
    ("heads", "random-words"),
    ("heads", "pipeline"),
    ("positions", "sinusoidal"),
    ("positions", "rotary"),
    ("block", "encoder"),
    ("block", "norm"),
    ("scaling", "variance"),
    ("scaling", "overflow"),
    ("cost", "gpt2"),
    ("cost", "measure"),
]
"""Two of every page: among them one with a trail, one computed on the worker, and charts."""


# ---- The window, the clipboard and this are the same ----


@pytest.mark.parametrize(("page", "preset"), SHOWN)
def test_the_window_writes_the_same_bytes(page: str, preset: str, make_window: Callable, tmp_path: Path) -> None:
    ready = find_preset(preset, page)
    state = ready.state
    window = make_window(state, Settings(theme=ThemeChoice.DARK, page=ready.page), (1100, 760))
    window.page.settle()
    for kind in FORMATS:
        path = tmp_path / f"window.{kind}"
        assert "window" in export_or_explain(window.page, window.page.figure(), path)
        assert attention_explorer.render(state, format=kind, page=page) == path.read_bytes(), kind


def test_the_window_and_this_agree_on_every_option(make_window: Callable, tmp_path: Path) -> None:
    state = find_preset("pipeline", "heads").state
    window = make_window(state, Settings(page="heads"))
    window.page.settle()
    said = FigureOptions("", 150, Length(89), FigureTheme.DARK, False, False, False, False, Cells.IMAGE, False)
    wishes = {"dpi": 150, "size": "89mm", "theme": "dark", "cells": "image"}
    wishes |= dict.fromkeys(("title", "axis_names", "token_labels", "colour_bar", "caption"), False)
    for kind in ("png", "svg", "pdf"):
        path = tmp_path / f"window.{kind}"
        export_or_explain(window.page, window.page.figure(), path, said)
        drawn = attention_explorer.render(state, format=kind, **wishes)
        assert drawn == path.read_bytes()
        assert drawn != attention_explorer.render(state, format=kind)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_wall_of_heads_is_what_the_window_exports(
    kind: str, make_window: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = find_preset("stacked", "heads").state
    window = make_window(state, Settings(theme=ThemeChoice.DARK, page="heads"))
    window.page.settle()
    path = tmp_path / f"wall.{kind}"
    asked: list[Figure] = []

    def export(parent: QWidget, figure: Figure) -> str:
        asked.append(figure)
        return export_or_explain(parent, figure, path)

    monkeypatch.setattr(dialog, "export_with_dialog", export)
    window.page.export_wall()
    assert len(asked) == 1
    drawn = attention_explorer.render(state, format=kind, page="heads", what="wall")
    assert drawn == path.read_bytes()
    assert drawn != attention_explorer.render(state, format=kind, page="heads")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_every_page_has_its_picture_first(page: PageEntry) -> None:
    assert next(iter(page.figures)) == "picture"
    drawn = attention_explorer.render(ExplorerState(), page=page.id, what="picture", format="svg")
    assert drawn == attention_explorer.render(ExplorerState(), page=page.id, format="svg")


def test_every_figure_is_named_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["render", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    about = re.search(r"--what FIGURE (.*?) --", said)
    assert about is not None
    for page in PAGES:
        assert all(name in about[1] for name in page.figures)
        assert len(page.figures) == 1 or page.id in about[1]


def test_every_page_and_format_is_named_where_people_read_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    about = attention_explorer.render.__doc__ or ""
    assert all(f"``{name}``" in about for name in (*FORMATS, *(page.id for page in PAGES)))
    with pytest.raises(SystemExit):
        cli.main(["render", "--help"])
    said = capsys.readouterr().out
    assert all(f".{kind}" in said for kind in FORMATS)


def test_a_part_of_a_map_in_view_is_drawn_and_named() -> None:
    whole = HeadsState().with_recipe(sentence=" ".join(f"w{i}" for i in range(20)))
    part = whole.with_view(window=Window(3, 9, 5, 10))
    drawn = attention_explorer.render(part, format="svg")
    assert drawn != attention_explorer.render(whole, format="svg")
    assert b"In view: queries 4 to 9 of 20, keys 6 to 10 of 20." in drawn
    assert b">w12<" not in drawn
    numbers, everything = (json.loads(attention_explorer.render(state, format="json")) for state in (part, whole))
    assert numbers.pop("in_view") == (
        "queries 4 to 9 of 20, keys 6 to 10 of 20; the numbers are those of the whole map"
    )
    assert numbers == everything


def test_a_pdf_does_not_depend_on_how_qt_orders_its_tables() -> None:
    drawn = set()
    for _ in range(8):
        QHashSeed.resetRandomGlobalSeed()  # as each process begins
        drawn.add(attention_explorer.render("causal", format="pdf"))
    assert len(drawn) == 1


# ---- Sources ----


def test_a_session_is_drawn_on_the_page_it_was_saved_on(tmp_path: Path) -> None:
    state = ExplorerState(lookup=LookupState(hard=True), positions=PositionsState(length=20))
    path = tmp_path / "lesson.attn.json"
    write_session(path, state, page="positions")
    drawn = attention_explorer.render(path, format="svg")
    assert drawn == attention_explorer.render(str(path), format="svg")
    assert drawn == attention_explorer.render(PositionsState(length=20), format="svg")
    other = attention_explorer.render(path, format="svg", page="lookup")
    assert other == attention_explorer.render(LookupState(hard=True), format="svg") != drawn


def test_a_session_without_a_page_has_to_say_something_on_one_only(tmp_path: Path) -> None:
    path = tmp_path / "by-hand.json"
    write_session(path, ExplorerState(heads=HeadsState().with_recipe(sentence="a b c")))
    assert b"Heads page" in attention_explorer.render(path, format="svg")
    write_session(path, ExplorerState(LookupState(hard=True), HeadsState().with_recipe(sentence="a b c")))
    with pytest.raises(ExplorerError, match=r"several pages: lookup, heads\. Name the page"):
        attention_explorer.render(path, format="svg")


def test_a_preset_comes_before_a_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_session(Path("quiz"), ExplorerState(), page="cost")
    write_session(Path("mine"), ExplorerState(), page="cost")
    assert b"Lookup page" in attention_explorer.render("quiz", format="svg")
    assert b"Lab page" in attention_explorer.render("./quiz", format="svg")
    assert b"Lab page" in attention_explorer.render("mine", format="svg")


def test_what_a_session_says_in_vain_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    write_session(path, ExplorerState(), {("future",): 1}, page="lookup")
    with pytest.warns(UserWarning, match="“future” is not known to this version"):
        attention_explorer.render(path, format="csv")


def test_a_page_that_cannot_be_read_is_not_drawn_but_the_others_are(tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    state = ExplorerState(lookup=LookupState(hard=True))
    write_session(path, state, page="heads")
    path.write_bytes(path.read_bytes().replace(b'"kind": "toy"', b'"kind": "dump"'))
    with pytest.raises(
        ExplorerError, match=r"The page heads of the session cannot be read: heads.setup.recipe.kind is"
    ):
        attention_explorer.render(path, format="csv")
    with pytest.warns(UserWarning, match="The page heads cannot be read and is left out"):
        drawn = attention_explorer.render(path, page="lookup", format="csv")
    assert drawn == attention_explorer.render(state, page="lookup", format="csv")
    path.write_bytes(path.read_bytes().replace(b'"page": "heads",', b""))
    with pytest.raises(
        ExplorerError, match=r"does not say which page to draw, and heads cannot be read. Name the page"
    ):
        attention_explorer.render(path, format="csv")


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("nonsense", {"format": "png"}, "There is no preset “nonsense”"),
        ("pipeline", {"format": "png"}, "Several pages have a preset “pipeline”: heads, layer"),
        ("no/such.attn.json", {"format": "png"}, "“such.attn.json” cannot be opened: there is no such file"),
        (3, {"format": "png"}, "A value of type int cannot be drawn. Give a state, the name of a preset"),
        (LookupState(), {"format": "png", "page": "heads"}, "LookupState is shown by the page lookup, not by heads"),
        (ExplorerState(), {"format": "png", "page": "dance"}, "There is no page “dance”"),
        ("quiz", {}, "Without the name of a file the kind of file cannot be told. Give a format: png, svg"),
        ("quiz", {"out": "figure"}, "Of “figure”, which has no ending, the kind of file cannot be told"),
        ("quiz", {"out": "figure.gif"}, "Files ending in “.gif” cannot be written. Choose one of: .png"),
        ("quiz", {"out": "figure.png", "format": "gif"}, "Files ending in “.gif” cannot be written"),
        ("quiz", {"out": "lesson.attn.json"}, "“lesson.attn.json” would pass for a session"),
        ("quiz", {"out": "no/such/figure.png"}, "The folder “no/such” does not exist"),
        ("quiz", {"format": "png", "size": "wide"}, "“wide” is no width"),
        ("quiz", {"format": "png", "dpi": float("nan")}, "There is no resolution of nan dpi"),
        ("quiz", {"format": "png", "dpi": 50_000}, "is too large. Choose fewer dots per inch"),
        ("quiz", {"format": "png", "theme": "pink"}, "There is no theme “pink”. Choose one of: print, light, dark"),
        ("quiz", {"format": "png", "what": "wall"}, "The page lookup has no “wall” to draw. Choose one of: picture."),
        (
            "causal",
            {"format": "png", "what": "all"},
            "The page heads has no “all” to draw. Did you mean “wall”?",
        ),
        ("quiz", {"format": "svg", "cells": "round"}, "There is no kind of cells “round”. Choose one of: auto"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(
    source: object, options: dict[str, object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExplorerError) as caught:
        attention_explorer.render(source, **options)
    assert words in str(caught.value)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


# ---- Targets ----


@pytest.mark.parametrize("kind", FORMATS)
def test_files_streams_and_bytes_are_the_same(kind: str, tmp_path: Path) -> None:
    path, stream = tmp_path / f"figure.{kind}", io.BytesIO()
    data = attention_explorer.render("quiz", path)
    assert attention_explorer.render("quiz", stream, format=f".{kind}") == data
    assert path.read_bytes() == stream.getvalue() == data
    attention_explorer.render("quiz", str(tmp_path / "figure.bin"), format=kind)
    assert (tmp_path / "figure.bin").read_bytes() == data


# ---- Qt comes late, and once ----


def test_many_pictures_take_no_more_memory_than_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    CACHE.clear()
    monkeypatch.setattr(CACHE, "other_bytes", 2**20)
    for seed in range(6):
        state = HeadsState(setup=HeadsSetup(recipe=ToyRecipe(sentence="word " * 60, seed=seed)))
        attention_explorer.render(state, format="svg")
        assert CACHE.other_bytes_used <= 2**20


def test_the_examples_of_the_docstring_are_true() -> None:
    done = doctest.testmod(rendering)
    assert done.attempted >= 5
    assert done.failed == 0


def test_the_package_offers_what_it_says() -> None:
    assert {"model", "render", "__version__"} <= set(attention_explorer.__all__) <= set(dir(attention_explorer))
    assert attention_explorer.render is rendering.render
    assert attention_explorer.HeadsState is HeadsState
    parts = {hint.__name__ for hint in get_type_hints(ExplorerState).values()}
    assert {"ExplorerState", "ExplorerError", *parts} <= set(attention_explorer.__all__)
    for name in attention_explorer.__all__:
        assert getattr(attention_explorer, name) is not None
    assert attention_explorer.model.softmax is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = attention_explorer.nonsense


def run_alone(code: str) -> str:
    """Run code in a process without an application and return what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_qt_starts_with_the_first_picture_and_off_screen() -> None:
    said = run_alone(
        "import os, sys\n"
        "os.environ.pop('DISPLAY', None), os.environ.pop('QT_QPA_PLATFORM', None)\n"
        "import attention_explorer\n"
        "print('numpy' in sys.modules)\n"
        "attention_explorer.model.softmax([0.0, 1.0])\n"
        "draw = attention_explorer.render\n"
        "try:\n    draw('nonsense', format='png')\nexcept Exception as error:\n    print(type(error).__name__)\n"
        "print('PySide6.QtWidgets' in sys.modules)\n"
        "print(draw('quiz', format='png') == draw('quiz', format='png'))\n"
        "from PySide6.QtGui import QGuiApplication\n"
        "print(QGuiApplication.platformName(), 'QT_QPA_PLATFORM' in os.environ)\n"
    )
    assert said.split() == ["False", "ExplorerError", "False", "True", "offscreen", "False"]


def test_an_application_of_the_caller_is_used_and_left_as_it_is() -> None:
    said = run_alone(
        "from PySide6.QtGui import QGuiApplication\n"
        "application = QGuiApplication(['mine', '-platform', 'offscreen'])\n"
        "name = application.applicationName()\n"
        "import attention_explorer, hashlib\n"
        "print(hashlib.sha256(attention_explorer.render('quiz', format='png')).hexdigest())\n"
        "print(application.applicationName() == name, QGuiApplication.instance() is application)\n"
    )
    digest, *rest = said.split()
    assert digest == hashlib.sha256(attention_explorer.render("quiz", format="png")).hexdigest()
    assert rest == ["True", "True"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("from PySide6.QtCore import QCoreApplication\nmine = QCoreApplication([])\ndraw()", "which cannot draw"),
        ("import threading\nrun = threading.Thread(target=draw)\nrun.start()\nrun.join()", "on the main thread only"),
    ],
)
def test_where_qt_cannot_start_a_sentence_says_so(code: str, words: str) -> None:
    said = run_alone(
        "import attention_explorer\n"
        "from attention_explorer.errors import ExplorerError\n"
        "def draw():\n"
        "    try:\n        attention_explorer.render('quiz', format='png')\n"
        "    except ExplorerError as error:\n        print(error)\n"
        f"{code}\n"
    )
    assert words in said


def test_other_threads_draw_the_same(qapp: object) -> None:
    drawn: list[bytes] = []
    thread = threading.Thread(target=lambda: drawn.append(attention_explorer.render("quiz", format="svg")))
    thread.start()
    thread.join()
    assert drawn == [attention_explorer.render("quiz", format="svg")]
