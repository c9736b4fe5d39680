"""A model on this computer is offered, once it was found, where the small one of the box reads the sentence."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.models.found import FoundModel
from attention_explorer.window.model_at_hand import ModelAtHand, best_of

BERT = Path(__file__).parents[1] / "data" / "models" / "bert"


@pytest.fixture
def window(make_window, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "LLAMA_CACHE", "OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    state = ExplorerState(heads=heads_preset("learned-it").state)
    return make_window(state, settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))


def test_the_sentence_is_read_by_a_model_that_was_found_at_one_click(window, qtbot) -> None:
    button, state = window.page.subject.read_it, window.session.state
    window.page.settle()
    QApplication.processEvents()
    assert not button.isVisible(), "nobody looked for a model"
    ModelAtHand(window).look([BERT], 0)
    qtbot.waitUntil(button.isVisible, timeout=20_000)
    assert button.text() == "Read it with bert"
    assert window.session.state == state, "it is offered, not opened"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(window.session.state.heads.setup.recipe, ModelRecipe), timeout=20_000)
    assert window.session.state.heads.setup.recipe.sentence == state.heads.setup.recipe.sentence
    assert not button.isVisible()
    window.session.undo()
    assert (window.session.state.heads.setup, button.isVisible()) == (state.heads.setup, True)


def _model(name: str, needed: int, family: str = "bert", reason: str = "") -> FoundModel:
    return FoundModel(name, Path("/models") / name, "", family, needed, needed, reason)


def test_the_one_that_was_opened_last_is_offered_or_else_the_smallest_that_reads_words() -> None:
    models = [_model("large", 300), _model("small", 200), _model("protein", 1, "esm"), _model("odd", 1, reason="odd")]
    assert best_of(models, ()).name == "small"
    assert best_of([*models, _model("too large", 2**60)], ()).name == "small"
    assert best_of(models[2:], ()) is None


def test_a_model_that_was_used_comes_before_a_smaller_one(tmp_path) -> None:
    used = tmp_path / "used"
    used.mkdir()
    (used / "config.json").write_text("{}")
    models = [_model("small", 1), FoundModel("used", used, "", "bert", 9, 9, "")]
    assert best_of(models, [tmp_path / "a.attn.json", used]).name == "used"
