"""All heads coloured by what they do to an answer, and from a head of Heads to Circuits and back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from heads_driver import HeadsDriver
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.circuits.state import Breaks, CircuitsView
from attention_explorer.pages.circuits_elsewhere import NO_MODEL
from attention_explorer.pages.heads.head_difference import TWO_TOWERS, Effects, question_of
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui.acting import CIRCUITS
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.pages.heads.ui.wall import wall_scale
from attention_explorer.sources.circuits import asking
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.registry import source_of

MODELS = Path(__file__).parents[1] / "data" / "models"
COPIES = LearnedRecipe(*BOX["repeat-4"], sentence="q c m b t f k q c m b t f k q c")
Open = Callable[..., HeadsDriver]


def all_heads(recipe: Any = COPIES, picture: Picture = Picture.ALL, **view: Any) -> HeadsState:
    heads = replace(HeadsState().with_setup(recipe=recipe), preset="")
    return heads.with_view(**{"picture": picture, "row": None, **view})


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch) -> None:
    """Measure anew in every test."""
    for kept in (asking.knocked, asking._stopped):
        monkeypatch.setattr(kept, "get" if kept is asking._stopped else "peek", lambda *_: None)


def note(at: HeadsDriver) -> str:
    return at.page.wall_side.note.text().replace("\N{NO-BREAK SPACE}", " ")


def effects_shown(at: HeadsDriver) -> np.ndarray:
    """By layer and head, what the tiles say."""
    surveys = sorted(at.page.wall.all_surveys, key=lambda survey: survey.place)
    return np.array([survey.effect for survey in surveys], np.float64)


def colour_by_effect(at: HeadsDriver, wait: Any) -> None:
    wait(at)
    at.press(at.page.form_of(at.page.view).controls["view.effect"])
    wait(at)


def test_all_heads_are_coloured_by_what_the_answer_changes_by_without_them(open_heads: Open, wait: Any) -> None:
    at = open_heads(all_heads())
    colour_by_effect(at, wait)
    model = source_of(COPIES).model_to_ask()
    best = model(COPIES.sentence).top(2).ids[-1].tolist()
    asked = tuple(best)
    expected = np.asarray(model.knock_out(COPIES.sentence, asked))
    np.testing.assert_allclose(effects_shown(at), expected.ravel(), atol=1e-4)
    assert "the change of the logit of “m” over" in note(at)
    assert note(at).endswith("Measured.")
    survey = max(at.page.wall.all_surveys, key=lambda each: abs(each.effect))
    scale = wall_scale(at.page.wall.all_surveys, at.heads.view.contrast)
    assert scale.is_diverging
    assert scale.high == pytest.approx(abs(survey.effect))
    assert "off: the answer changes by" in at.page.wall.tip_at(at.page.wall.place_of(*survey.place).center())


def test_another_answer_is_typed_and_one_that_is_no_token_gets_a_sentence(open_heads: Open, wait: Any) -> None:
    at = open_heads(all_heads())
    colour_by_effect(at, wait)
    before = effects_shown(at)
    field = at.controls.answer
    at.type_into(field, "t")
    QTest.keyClick(field, Qt.Key.Key_Return)
    wait(at)
    assert "the logit of “t” over “m”" in note(at)
    assert not np.allclose(before, effects_shown(at))
    at.type_into(field, "cat")
    QTest.keyClick(field, Qt.Key.Key_Return)
    wait(at)
    assert "“cat”" in note(at)
    assert all(survey.effect is None for survey in at.page.wall.all_surveys), "the maps are still to be seen"
    assert at.page.requests.sentence == ""


def test_the_effect_is_measured_once_for_heads_and_circuits(open_heads: Open, wait: Any, monkeypatch) -> None:
    monkeypatch.undo()
    recipe = replace(COPIES, sentence="c m b t q f k c m b t q f k c m")
    at = open_heads(all_heads(recipe))
    colour_by_effect(at, wait)
    question = question_of(at.heads)
    assert question is not None
    assert asking.knocked.peek(recipe, question) is not None
    at.key(Qt.Key.Key_W)
    circuits = at.window.session.state.circuits
    assert at.window.settings.page == "circuits"
    assert (circuits.view, circuits.breaks) == (CircuitsView.BREAKS, Breaks.ANSWER)
    shown = at.window.page.requests
    at.page.requests.jobs.wait(20.0)
    assert not shown.is_pending
    (_, known) = next(iter(asking.knocked(recipe, question)))
    np.testing.assert_array_equal(at.window.page.canvas.picture.effect, known.effect)


def test_esc_stops_and_what_was_measured_stays(open_heads: Open, qtbot: Any, monkeypatch) -> None:
    def slowly(_recipe: object, _question: object):
        effect = np.full((2, 4), np.nan)
        answer = asking.Answer(("m", "a"), (0, 1), 15, tuple("qcmbtfkqcmbtfkqc"), 0.9)
        for at in range(3):
            effect[0, at] = -1.0 - at
            yield (at + 1) / 8, Effects(effect.copy(), 5.0, answer)
        while True:
            time.sleep(0.002)
            checkpoint()

    monkeypatch.setattr(asking, "knocked", slowly)
    monkeypatch.setattr("attention_explorer.pages.heads.ui.loader.are_known", lambda _question: False)
    at = open_heads(all_heads(effect=True))
    qtbot.waitUntil(lambda: "3 of 8" in note(at), timeout=20_000)
    assert at.page.requests.is_pending
    at.key(Qt.Key.Key_Escape, widget=at.page.wall)
    qtbot.waitUntil(lambda: not at.page.requests.is_pending and not at.page.requests.jobs.is_busy(), timeout=20_000)
    assert "Measured so far: 3 of 8" in note(at)
    assert effects_shown(at)[:3].tolist() == [-1.0, -2.0, -3.0]
    assert np.isnan(effects_shown(at)[3:]).all()


def test_what_was_stopped_goes_on_where_it_was(monkeypatch) -> None:
    monkeypatch.undo()
    recipe = replace(COPIES, sentence="k f q t b m c k f q t b m c k f")
    question = asking.Question(recipe)
    asked: list[int] = []
    steps = asking.knock_out_steps

    def counted(model: Any, text: Any, wanted: Any, heads: Any, **options: Any):
        asked.append(len(heads))
        for each in heads:
            yield from steps(model, text, wanted, [each], **options)

    monkeypatch.setattr(asking, "knock_out_steps", counted)
    running = asking.knocked(recipe, question)
    for share, _ in running:
        if share >= 3 / 8:
            break
    running.close()
    (*_, (share, found)) = asking.knocked(recipe, question)
    assert asked == [8, 5]
    assert share == 1.0
    expected = source_of(recipe).model_to_ask().knock_out(recipe.sentence, found.answer.ids)
    np.testing.assert_allclose(found.effect, np.asarray(expected), atol=1e-5)


def test_the_strip_beside_the_map_shows_weights(open_heads: Open, wait: Any) -> None:
    at = open_heads(all_heads(picture=Picture.HEATMAP, effect=True))
    wait(at)
    assert all(survey.effect is None for survey in at.page.wall.all_surveys)
    assert question_of(at.heads) is None


def test_a_picture_on_paper_has_the_colours_and_says_so(open_heads: Open) -> None:
    figure = HeadsFigure(all_heads(effect=True), is_wall=True)
    assert all(survey.effect is not None for survey in figure.surveys)
    assert "each head off alone: the change of the logit of “m”" in figure.caption.replace("Each", "each")
    assert "The largest change is without layer" in figure.description
    effects = figure.numbers().arrays["effects"]
    assert effects.tolist() == [survey.effect for survey in figure.surveys]


def test_a_model_that_says_no_words_and_one_of_two_towers_get_a_sentence(open_heads: Open, wait: Any) -> None:
    for name, said in (("bert", "predicts no words"), ("t5", TWO_TOWERS)):
        at = open_heads(all_heads(model_recipe(MODELS / name, "The cat sat."), effect=True))
        wait(at)
        assert said in note(at), name
        assert at.page.wall.all_surveys[0].is_computed
    at = open_heads(replace(HeadsState(), view=replace(HeadsState().view, picture=Picture.ALL)))
    wait(at)
    assert not at.page.form_of(at.page.view).controls["view.effect"].isVisible()


# ---- To Circuits and back ----


def test_a_double_click_on_a_head_goes_to_it_in_circuits_and_its_map_goes_back(open_heads: Open, wait: Any) -> None:
    at = open_heads(all_heads(picture=Picture.HEATMAP))
    wait(at)
    wall = at.page.wall
    where = wall.place_of(1, 2).center().toPoint()
    QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=where)
    QTest.mouseDClick(wall, Qt.MouseButton.LeftButton, pos=where)
    assert at.window.settings.page == "circuits"
    circuits = at.window.session.state.circuits
    assert (circuits.recipe, circuits.layer, circuits.head) == (COPIES, 1, 2)
    assert circuits.view is CircuitsView.LOOKS
    at.window.page.requests.jobs.wait(20.0)
    panel = at.window.page.panel.items
    mouse = at.hand(panel)
    mouse.press(QPointF(panel.width() / 2, 100.0))
    mouse.release()
    assert at.window.settings.page == "heads"
    assert (at.heads.setup.recipe, at.heads.setup.layer, at.heads.setup.head) == (COPIES, 1, 2)


def test_another_head_of_a_model_that_is_asked_already_is_shown_too(open_heads: Open, wait: Any) -> None:
    at = open_heads(all_heads(picture=Picture.HEATMAP))
    wait(at)
    for head in (1, 3):
        at.window.session.apply(
            replace(at.window.session.state, heads=at.heads.with_setup(layer=0, head=head)), "Another head"
        )
        wait(at)
        at.key(Qt.Key.Key_W)
        assert at.window.session.state.circuits.head == head
        at.window.page.requests.jobs.wait(20.0)
        at.window.show_page("heads")
        wait(at)


def test_heads_that_nobody_can_ask_say_so(open_heads: Open, wait: Any) -> None:
    at = open_heads()
    wait(at)
    next(action for action in at.window.findChildren(QAction) if action.text() == CIRCUITS).trigger()
    assert at.told == NO_MODEL
    assert at.window.settings.page == "heads"
