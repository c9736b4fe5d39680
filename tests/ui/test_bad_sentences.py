"""What people paste into the fields for sentences: it is drawn, kept, saved and exported, or refused in words."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import Controls
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from written_numbers import csv_text, json_text, npz_bytes

from attention_explorer.core.numbers_export import Numbers, Table
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.export.figure import EXPORT_FORMATS, FigureOptions, figure_bytes
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES, in_view
from attention_explorer.pages.session_file import session_bytes, session_from
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.tokens import MOST_TOKENS, tokens_in

PASTED = {
    "empty": "",
    "blank": " \t ",
    "one token": "x",
    "controls": "a\x01b \x7fc \x1b[31mred\x1b[0m",
    "nothing but controls": "\x01\x02\u200b\u200e",
    "right to left": "שלום \u202eabc\u202c العالم",
    "isolates left open": "a \u2067b \u2066c",
    "zalgo": "z" + "\u0315\u0321\u0489\u0300" * 300 + "algo",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽 1️⃣",
    "half a character": "a\ud83d b\udc00 \ud800",
    "no characters": "a\ufffe b\uffff \U0010ffff",
    "lines": "one\ntwo\r\nthree\tfour\u2028five",
    "markup": "<b>bold</b> &amp; &lt; </svg> ]]> %s {0} \\n",
    "a formula": '=1+1,"a";b',
}


def pasted(window, field: QLineEdit, text: str) -> None:
    """Replace what a field says by what is on the clipboard, and leave the field."""
    QApplication.clipboard().setText(text)
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    if not text:
        QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClick(field, Qt.Key.Key_Return)


def fields_of(window, page: str) -> list[QLineEdit]:
    return [
        field
        for field in window.page.findChildren(QLineEdit)
        if field.isVisible() and (isinstance(field, SentenceField) or "sentence" in field.accessibleName().lower())
    ]


def page_states():
    """Every page that has a sentence, in the states in which its fields show."""
    from attention_explorer.pages.registry import presets_of

    start = ExplorerState()
    heads = replace(start, heads=start.heads.with_recipe(context="die Katze schläft"))
    order = next(each.state for each in presets_of("positions") if each.id == "sinusoidal")
    order = replace(order, positions=replace(order.positions, picture=type(order.positions.picture)("order")))
    inputs = next(each.state for each in presets_of("cost") if each.id == "inputs")
    return {"heads": heads, "positions": order, "layer": start, "cost": inputs}


@pytest.mark.parametrize("page", ["heads", "positions", "layer", "cost"])
def test_whatever_is_pasted_is_drawn_or_refused(make_window, qtbot, page: str) -> None:
    window = make_window(page_states()[page], Settings(theme=ThemeChoice.LIGHT, page=page))
    if page == "heads":  # its fields show while they are typed in
        controls = Controls(window)
        fields = [controls.sentence, controls.context]
    else:
        fields = fields_of(window, page)
    assert len(fields) == {"heads": 2, "positions": 1, "layer": 1, "cost": 2}[page]
    for field in fields:
        for name, text in PASTED.items():
            before = window.session.state
            window.statusBar().clearMessage()
            pasted(window, field, text)
            window.grab()
            if tokens_in(text):
                assert window.session.state != before, name
                assert tokens_in(field.text()), name
            else:
                assert window.session.state == before, name
                assert window.statusBar().currentMessage().endswith("."), f"{name}: nothing is said"
                assert tokens_in(field.text()), f"{name}: what is used is not shown again"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ab " * 300_000, "what comes after its first 4096 tokens is left out."),
        (" ".join(f"w{number}" for number in range(5000)), "what comes after its first 4096 tokens is left out."),
        ("z" + "\u0301" * 40_000, "what comes after its first 32767 characters is left out."),
    ],
    ids=["letters", "words", "marks"],
)
def test_what_is_left_out_of_a_long_text_is_said(make_window, qtbot, text: str, said: str) -> None:
    window = make_window(page_states()["cost"], Settings(theme=ThemeChoice.LIGHT, page="cost"))
    field = fields_of(window, "cost")[0]
    pasted(window, field, text)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage().endswith(said))
    window.grab()
    assert session_from(session_bytes(window.session.state), "again").state == window.session.state


@pytest.mark.parametrize(("more", "is_told"), [(0, False), (1, True)])
def test_as_many_tokens_as_there_is_room_for_leave_nothing_out(make_window, more: int, is_told: bool) -> None:
    window = make_window(page_states()["cost"], Settings(theme=ThemeChoice.LIGHT, page="cost"))
    pasted(window, fields_of(window, "cost")[0], " ".join(f"w{number}" for number in range(MOST_TOKENS + more)))
    QTest.qWait(50)
    assert ("is left out" in window.statusBar().currentMessage()) == is_told


def test_whatever_is_shown_is_saved_and_exported(qapp) -> None:
    text = " ".join(PASTED.values())
    start = ExplorerState()
    states = {
        "heads": replace(start, heads=start.heads.with_recipe(sentence=text, context=text)),
        "positions": replace(start, positions=replace(page_states()["positions"].positions, sentence=text)),
        "block": replace(start, block=replace(start.block, sentence=text)),
        "cost": replace(start, cost=replace(page_states()["cost"].cost, sentence=text, other_sentence=text)),
    }
    for name in states:
        page, state = in_view(states[name], name)
        entry = next(entry for entry in PAGES if entry.id == page)
        again = session_from(session_bytes(state), "again").state
        assert session_bytes(again) == session_bytes(state)
        figure = entry.figure(state)
        assert "\ud83d" not in json_text(figure.numbers())
        for kind in EXPORT_FORMATS:
            data = figure_bytes(figure, FigureOptions(kind.suffix))
            if kind.suffix in (".json", ".csv", ".svg"):
                assert "\x00" not in data.decode("utf-8")
            if kind.suffix == ".json":
                json.loads(data)


def test_numbers_that_are_exported_hold_no_half_characters() -> None:
    numbers = Numbers(Table.of(("a\ud83d",), ()), {"b": "\udc00"}, {"a": np.zeros(1)}, {"sentence": "\ud800"})
    assert (csv_text(numbers), json_text(numbers)) == ("a\ufffd\n", '{"b": "\ufffd"}\n')
    with np.load(io.BytesIO(npz_bytes(numbers))) as archive:
        assert json.loads(str(archive["parameters"])) == {"sentence": "\ufffd"}
