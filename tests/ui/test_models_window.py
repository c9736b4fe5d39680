"""A model in the window: dropped, typed into, masked, undone, saved in a session, gone."""

from __future__ import annotations

import gc
import json
import shutil
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from heads_driver import Controls
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from scripted_model import logits_for
from sentence_models import sentence_model, with_masked_words
from window_driver import drop

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, MaskKind, Picture
from attention_explorer.pages.heads.wording import query_name, weight_text
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.session import memory
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources import model_reader
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import Trace, load_model
from attention_explorer.sources.models.found import find_models
from attention_explorer.sources.models.model import FULL
from attention_explorer.sources.recorded import readable_piece
from attention_explorer.sources.registry import source_of, tokens_of
from attention_explorer.tools.lessons import reading
from attention_explorer.window import model_dialog
from attention_explorer.window.model_dialog import ModelDialog

MODELS = Path(__file__).parents[1] / "data" / "models"


@pytest.fixture
def window(make_window):
    return make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))


@pytest.fixture
def open_dropped(qtbot):
    def opened(window, path: Path) -> None:
        state = window.session.state
        assert drop(window, QUrl.fromLocalFile(str(path)))
        qtbot.waitUntil(lambda: window.session.state != state or bool(boxes(window)), timeout=20_000)
        settled(window)

    return opened


def settled(window) -> None:
    window.page.settle()
    QApplication.processEvents()


def forget() -> None:
    """Forget what is in memory, as after a new start."""
    memory.empty()
    source_of.cache_clear()
    model_reader._opened.cache_clear()
    model_reader._in_use.clear()  # windows of earlier tests may still hold some


def boxes(window) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def shown_weights(window) -> np.ndarray:
    return window.page._frame.map.weights()


def of_head(window, weights) -> np.ndarray:
    """Those of the head on show, which is the clearest of a model that was just opened."""
    frame = window.page._frame
    return weights[frame.layer][frame.head]


def type_text(window, text: str) -> None:
    field = Controls(window).sentence
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    settled(window)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama-gguf/model-q4_1.gguf", "bert/config.json"])
def test_what_is_typed_is_what_the_model_reads(window, open_dropped, name: str) -> None:
    open_dropped(window, MODELS / name)
    page, model = window.page, load_model(MODELS / name.removesuffix("/config.json"))
    assert isinstance(window.session.state.heads.setup.recipe, ModelRecipe)
    for text in (window.session.state.heads.setup.recipe.sentence, "it was soft"):
        if text == "it was soft":
            type_text(window, text)
        trace = model(text)
        assert page._frame.exact_tokens[0] == trace.tokens
        np.testing.assert_allclose(shown_weights(window), of_head(window, trace.weights), atol=2e-6)
    QTest.mouseClick(page.wall, Qt.MouseButton.LeftButton, pos=page.wall.box_of(6).center().toPoint())
    settled(window)
    np.testing.assert_allclose(shown_weights(window), model("it was soft").weights[1][2], atol=2e-6)


def test_a_mask_makes_the_model_read_again(window, open_dropped) -> None:
    open_dropped(window, MODELS / "bert")
    before = window.session.state
    window.page.form_of(window.page.view).set_value("setup.mask.kind", MaskKind.CAUSAL)
    heads = window.session.state.heads
    n = len(tokens_of(heads.setup.recipe))
    causal = np.tri(n, dtype=np.bool_)
    expected = load_model(MODELS / "bert")(heads.setup.recipe.sentence, masks=causal)
    settled(window)
    np.testing.assert_allclose(shown_weights(window), of_head(window, expected.weights), atol=2e-6)
    window.session.undo()
    assert window.session.state == before


def test_a_head_that_is_switched_off_is_left_out_of_the_model(window, open_dropped) -> None:
    open_dropped(window, MODELS / "bert")
    wall, sentence = window.page.wall, window.session.state.heads.setup.recipe.sentence
    said: list[str] = []
    wall.said.connect(said.append)
    place = wall.box_of(1).center().toPoint()
    QTest.mouseClick(wall, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=wall.box_of(6).center().toPoint())
    settled(window)
    expected = load_model(MODELS / "bert")(sentence, off=[(0, 1)])
    np.testing.assert_allclose(shown_weights(window), expected.weights[1][2], atol=2e-6)
    assert "later layers change" in said[0]
    window.session.undo()
    window.session.go_back()
    settled(window)
    np.testing.assert_allclose(
        shown_weights(window), of_head(window, load_model(MODELS / "bert")(sentence).weights), atol=2e-6
    )


def test_the_stages_of_a_model_are_its_own(window, open_dropped) -> None:
    open_dropped(window, MODELS / "llama")
    buttons = window.page.bar.view_row.buttons
    QTest.mouseClick(buttons[Picture.STAGES], Qt.MouseButton.LeftButton)
    settled(window)
    assert window.session.state.heads.view.picture is Picture.STAGES
    assert window.page._frame.mask_words == "causal"


def test_the_mask_of_a_causal_model_is_called_its_own(window, open_dropped) -> None:
    masks = Controls(window).masks
    assert masks.itemText(0) == "no mask"
    open_dropped(window, MODELS / "llama")
    assert masks.currentText() == "the model’s own (causal)"
    for _ in range(3):  # the line is laid out, then what it stands in
        QApplication.processEvents()
    window.grab()
    assert masks.currentText() not in masks.toolTip(), "the tip says what is cut"
    masks.setFocus()
    QTest.keyClick(masks, Qt.Key.Key_Down)
    QTest.keyClick(masks, Qt.Key.Key_Home)
    settled(window)
    assert window.session.undo_text == "Change the mask"
    assert np.triu(shown_weights(window), 1).max() == 0
    open_dropped(window, MODELS / "bert")
    assert masks.currentText() == "no mask"


def test_a_model_of_ollama_is_called_by_name_and_tag(window, open_dropped, tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / "sha256-abc"
    blob.parent.mkdir()
    shutil.copy(MODELS / "llama-gguf" / "model-q4_1.gguf", blob)
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "tiny" / "1b"
    manifest.parent.mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc"}
    manifest.write_text(json.dumps({"layers": [layer]}))
    open_dropped(window, blob)
    assert window.session.undo_text == "Open “tiny:1b”"
    assert Controls(window).presets.placeholderText() == "“tiny:1b”"


def test_t5_shows_weights_and_says_why_no_stages(window, open_dropped) -> None:
    open_dropped(window, MODELS / "t5")
    button = window.page.bar.view_row.buttons[Picture.STAGES]
    assert not button.isEnabled()
    assert "√d_k alone" in button.toolTip()
    assert Controls(window).cross.isEnabled()
    QTest.mouseClick(Controls(window).cross, Qt.MouseButton.LeftButton)
    settled(window)
    frame, recipe = window.page._frame, window.session.state.heads.setup.recipe
    expected = load_model(MODELS / "t5")(recipe.context, recipe.sentence)
    assert frame.exact_tokens == (expected.tokens, expected.context_tokens)
    assert expected.cross_weights is not None
    np.testing.assert_allclose(frame.map.weights(), of_head(window, expected.cross_weights), atol=2e-6)


def test_a_session_names_the_model_and_finds_it_beside_itself(window, open_dropped, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "bert", tmp_path / "a" / "bert"))
    open_dropped(window, folder)
    shown = shown_weights(window)
    write_session(tmp_path / "a" / "s.attn.json", window.session.state, page="heads")
    assert str(tmp_path) not in (tmp_path / "a" / "s.attn.json").read_text()
    shutil.move(tmp_path / "a", tmp_path / "b")
    forget()
    state = read_session(tmp_path / "b" / "s.attn.json").state
    window.session.apply(state, "Open")
    settled(window)
    np.testing.assert_array_equal(shown_weights(window), shown)


def test_a_session_opens_its_model_on_the_worker(window, tmp_path: Path, monkeypatch) -> None:
    setup, path = HeadsSetup(model_recipe(MODELS / "llama"), layer=1, head=2), tmp_path / "s.attn.json"
    write_session(path, replace(ExplorerState(), heads=HeadsState(setup)), page="heads")
    forget()
    may_open, opened_by = threading.Event(), list[threading.Thread]()

    def load(*args, **options):
        opened_by.append(threading.current_thread())
        assert may_open.wait(20)
        return load_model(*args, **options)

    monkeypatch.setattr(model_reader, "load_model", load)
    window.files.open(path)
    QApplication.processEvents()
    assert window.page.requests.is_pending
    may_open.set()
    settled(window)
    assert opened_by
    assert threading.main_thread() not in opened_by
    expected = load_model(MODELS / "llama")(setup.recipe.sentence).weights[1][2]
    np.testing.assert_allclose(shown_weights(window), expected, atol=2e-6)
    assert set(window.page.requests.shown.layers) == {0, 1, 2}


@pytest.mark.parametrize("is_b", [False, True])
def test_a_model_that_nobody_looks_at_gives_its_memory_back(window, open_dropped, monkeypatch, *, is_b: bool) -> None:
    forget()
    monkeypatch.setattr(CACHE, "other_bytes", 0)
    before = window.session.state
    open_dropped(window, MODELS / "gpt2")
    source = source_of(window.session.state.heads.setup.recipe)
    weights = sum(layer.nbytes for layer in source.model.transformer.main.layers)
    CACHE.tidy()
    assert source.is_open  # it is on show
    heads = before.heads
    if is_b:
        heads = replace(heads, other=window.session.state.heads.setup).with_view(picture=Picture.COMPARE)
    window.session.apply(replace(before, heads=heads), "Back, or compare")
    settled(window)
    used = CACHE.other_bytes_used
    CACHE.tidy()
    gc.collect()
    assert source.is_open is is_b
    if not is_b:
        assert used >= weights  # it was counted
    window.session.undo()
    settled(window)
    expected = load_model(MODELS / "gpt2")(source.recipe.sentence).weights
    np.testing.assert_allclose(shown_weights(window), of_head(window, expected), atol=2e-6)


def let_go(window) -> None:
    """Pin nothing: a model opens at a word of content."""
    window.page.canvas.pin(NOWHERE)
    settled(window)


def next_words(window):
    """Open the drawer, where it says what comes next; None if it does not."""
    window.page.open_drawer(True)
    settled(window)
    parts = window.page.drawer_parts
    return parts.next if "next" in parts.__dict__ and parts.next.isVisible() else None


def bars_shown(window, qtbot, row: int):
    """Wait until what comes next is that of a query."""
    words = next_words(window)
    qtbot.waitUntil(lambda: words.found is not None and words.found.reading.index == row, timeout=20_000)
    found = words.found.reading
    (bars,) = words.bars._items.items
    assert tuple(bar.words for bar in bars.bars) == found.tokens
    assert [bar.share for bar in bars.bars] == pytest.approx(found.weights / found.weights.max())
    assert [float(bar.text.split()[0]) for bar in bars.bars] == pytest.approx(found.weights, abs=5e-4)
    return found


@pytest.mark.parametrize("name", ["llama", "llama-gguf/model-q8_0.gguf"])
def test_what_comes_next_is_shown_at_every_position(window, open_dropped, qtbot, name: str) -> None:
    open_dropped(window, MODELS / name)
    trace = load_model(MODELS / name)(window.session.state.heads.setup.recipe.sentence)
    top = trace.top(30)
    let_go(window)
    last = len(trace.tokens) - 1
    found = bars_shown(window, qtbot, last)
    np.testing.assert_allclose(found.weights, top.probabilities[last], rtol=1e-5)
    QTest.mouseClick(
        window.page.canvas, Qt.MouseButton.LeftButton, pos=window.page.canvas.cell_box(2, 1).center().toPoint()
    )
    found = bars_shown(window, qtbot, 2)
    np.testing.assert_allclose(found.weights, top.probabilities[2], rtol=1e-5)
    assert found.tokens == tuple(readable_piece(token, of_bytes=True) for token in top.tokens[2])
    assert found.title == f"after {query_name(window.page._frame, 2)} the model expects"


def test_without_a_head_nothing_is_predicted(window, open_dropped) -> None:
    assert next_words(window) is None
    open_dropped(window, MODELS / "gpt2")
    assert next_words(window) is not None
    open_dropped(window, MODELS / "bert")
    assert next_words(window) is None


def test_a_second_sentence_makes_a_pair_where_the_model_reads_both_ways(window, open_dropped) -> None:
    open_dropped(window, MODELS / "gpt2")
    bar = Controls(window)
    assert not bar.cross.isEnabled()
    assert "both directions" in bar.cross.toolTip()
    open_dropped(window, MODELS / "bert")
    QTest.mouseClick(bar.cross, Qt.MouseButton.LeftButton)
    QTest.keyClicks(bar.context, "it was soft")
    settled(window)
    trace = load_model(MODELS / "bert")((window.session.state.heads.setup.recipe.sentence, "it was soft"))
    assert window.page._frame.exact_tokens == (trace.tokens, trace.tokens)
    np.testing.assert_allclose(shown_weights(window), of_head(window, trace.weights), atol=2e-6)


def test_a_lesson_is_taken_while_a_model_is_open_and_gives_it_back(window, open_dropped) -> None:
    open_dropped(window, MODELS / "gpt2")
    own = window.session.state
    lesson = next(each for each in reading.lessons() if each.name == "dictionary")
    window.tools.lessons.start(lesson)
    for _ in range(len(lesson.steps) - 1):
        QTest.mouseClick(window.tools.lesson_card.skip, Qt.MouseButton.LeftButton)
    assert f"Step {len(lesson.steps)} of" in window.tools.lesson_card.spoken()
    window.tools.leave_lesson()
    settled(window)
    assert window.session.state == own


def most_probable_text(model, ids: tuple[int, ...], trace) -> str:
    """Return what the most probable token writes, which is no part of a character here."""
    text = model.text_after(ids, (int(np.argmax(trace.logits[-1])),))
    assert "\ufffd" not in text
    return text


@pytest.mark.parametrize(("name", "text"), [("gpt2", "soft"), ("llama-gguf/model-q8_0.gguf", "the cat")])
def test_a_model_writes_token_by_token_and_each_has_its_maps(window, open_dropped, qtbot, name: str, text: str) -> None:
    open_dropped(window, MODELS / name)
    type_text(window, text)
    before, tab, model = window.session.state, next_words(window), load_model(MODELS / name)
    expected = most_probable_text(model, model.tokenize(text).ids, model(text))
    assert expected
    QTest.mouseClick(tab.one, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not tab.writer.is_writing, timeout=20_000)
    settled(window)
    sentence = window.session.state.heads.setup.recipe.sentence
    assert sentence == text + expected
    np.testing.assert_allclose(shown_weights(window), of_head(window, model(sentence).weights), atol=2e-6)
    assert window.page._frame.exact_tokens[0] == model(sentence).tokens
    assert window.session.undo_text == "Write"
    window.session.undo()
    assert window.session.state == before


def test_an_emoji_is_written_as_a_whole_and_its_bytes_stand_at_the_map(
    window, open_dropped, qtbot, monkeypatch
) -> None:
    open_dropped(window, MODELS / "gpt2")
    type_text(window, "the cat")
    tab, model = next_words(window), load_model(MODELS / "gpt2")
    logits_for(monkeypatch, model.tokenize("the cat🙂").ids)
    QTest.mouseClick(tab.one, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not tab.writer.is_writing, timeout=20_000)
    settled(window)
    assert window.session.state.heads.setup.recipe.sentence == "the cat🙂"
    assert window.page._frame.exact_tokens[0] == model.tokenize("the cat🙂").tokens
    assert len(window.page._frame.exact_tokens[0]) == len(model.tokenize("the cat").tokens) + 4


def test_writing_goes_on_until_it_is_stopped_and_is_one_step_back(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    type_text(window, "the cat")
    before, tab, seen = window.session.state, next_words(window), []
    window.page.requests.delivered.connect(lambda request, _part: seen.append(request.state.setup.recipe.sentence))
    QTest.mouseClick(tab.write, Qt.MouseButton.LeftButton)
    assert tab.write.text() == "Stop"
    qtbot.waitUntil(lambda: len(dict.fromkeys(seen)) >= 4, timeout=20_000)
    QTest.mouseClick(tab.write, Qt.MouseButton.LeftButton)
    assert (tab.write.text(), tab.writer.is_writing) == ("Write", False)
    settled(window)
    stopped = window.session.state
    qtbot.wait(100)
    assert window.session.state == stopped
    written = list(dict.fromkeys(seen))
    assert all(later.startswith(earlier) for earlier, later in pairwise(written))
    window.session.undo()
    assert window.session.state == before


def test_typing_and_closing_the_drawer_end_the_writing(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    tab = next_words(window)
    for end in (lambda: type_text(window, "it was"), lambda: window.page.open_drawer(False)):
        next_words(window)
        QTest.mouseClick(tab.write, Qt.MouseButton.LeftButton)
        end()
        qtbot.waitUntil(lambda: not tab.writer.is_writing, timeout=20_000)


def test_a_text_that_gets_too_long_for_the_model_ends_with_the_reason(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    type_text(window, "the " * 62)
    tab = next_words(window)
    said = []
    tab.writer.said.connect(said.append)
    QTest.mouseClick(tab.write, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not tab.writer.is_writing, timeout=20_000)
    assert said == [FULL]
    settled(window)
    assert window.page._frame.exact_tokens[0]
    assert window.page.requests.reason == ""


def test_the_decoder_writes_into_the_second_text(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "bart")
    QTest.mouseClick(Controls(window).cross, Qt.MouseButton.LeftButton)
    type_text(window, "the")
    tab, model = next_words(window), load_model(MODELS / "bart")
    recipe = window.session.state.heads.setup.recipe
    given, aim = model.taken(recipe.context, recipe.sentence)
    expected = most_probable_text(model, aim.ids, model(given, aim))
    QTest.mouseClick(tab.one, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not tab.writer.is_writing, timeout=20_000)
    assert window.session.state.heads.setup.recipe.sentence == f"the{expected}"


def test_how_it_writes_is_in_the_state(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    tab = next_words(window)
    box = tab.form.controls["temperature"]
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "1.5")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.session.state.heads.writing.temperature == 1.5
    window.session.undo()
    assert window.session.state.heads.writing.temperature == 0.0


def test_a_sentence_model_says_how_near_two_sentences_are(window, open_dropped, qtbot, tmp_path: Path) -> None:
    folder = sentence_model(tmp_path)
    open_dropped(window, folder)
    tab = next_words(window)
    qtbot.waitUntil(lambda: "+ second" in tab.note.text(), timeout=20_000)
    QTest.mouseClick(Controls(window).cross, Qt.MouseButton.LeftButton)
    QTest.keyClicks(Controls(window).context, "it was soft")
    settled(window)
    model, sentence = load_model(MODELS / "bert"), window.session.state.heads.setup.recipe.sentence
    a, b = (model(text).hidden[-1].mean(axis=0) for text in (sentence, "it was soft"))
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    qtbot.waitUntil(lambda: tab.title.text() == f"cosine {expected:.3f}".replace("-", "−"), timeout=20_000)


def test_a_masked_word_is_filled_in(window, open_dropped, qtbot, tmp_path: Path) -> None:
    folder = with_masked_words(tmp_path)
    open_dropped(window, folder)
    type_text(window, "the cat sat")
    tab = next_words(window)
    qtbot.waitUntil(lambda: "Type [MASK] in place of a word" in tab.note.text(), timeout=20_000)
    assert not tab.write.isVisible()
    type_text(window, "the [MASK] sat")
    place = window.page._frame.exact_tokens[0].index("[MASK]")
    box = window.page.canvas.cell_box(place, 1)
    QTest.mouseClick(window.page.canvas, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    found = bars_shown(window, qtbot, place)
    top = load_model(folder)("the [MASK] sat").top(30)
    np.testing.assert_allclose(found.weights, top.probabilities[place], rtol=1e-5)
    assert found.title.startswith("in place of “[MASK]”")
    assert "Type" not in tab.note.text()


def test_heads_that_are_off_change_what_comes_next(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    let_go(window)
    heads = window.session.state.heads.with_setup(switched_off=frozenset({(0, 1)}))
    window.session.apply(replace(window.session.state, heads=heads), "Switch off")
    settled(window)
    trace = load_model(MODELS / "gpt2")(heads.setup.recipe.sentence, off=[(0, 1)])
    found = bars_shown(window, qtbot, len(trace.tokens) - 1)
    np.testing.assert_allclose(found.weights, trace.top(30).probabilities[-1], rtol=1e-4)
    whole = load_model(MODELS / "gpt2")(heads.setup.recipe.sentence)
    assert_changes(window, trace, whole)
    assert "Before, with all heads on, “" in next_words(window).note.text()


def test_a_hidden_word_changes_what_comes_next(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    let_go(window)
    heads = window.session.state.heads
    window.session.apply(replace(window.session.state, heads=heads.with_word(1, hide=True)), "Hide a word")
    settled(window)
    model = load_model(MODELS / "gpt2")
    whole = model(heads.setup.recipe.sentence)
    n = len(whole.tokens)
    mask = np.ones((n, n), np.bool_)
    mask[:, 1] = False
    masked = model(heads.setup.recipe.sentence, masks=dict.fromkeys(range(len(whole.weights)), mask))
    found = bars_shown(window, qtbot, n - 1)
    np.testing.assert_allclose(found.weights, masked.top(30).probabilities[-1], rtol=1e-4)
    assert_changes(window, masked, whole)
    assert "Before, with every word to be seen, “" in next_words(window).note.text()


def assert_changes(window, now: Trace, before: Trace, when: str = "before") -> None:
    """Compare what stands behind the bars with the probabilities of two runs of a model, at the last token."""
    words = next_words(window)
    first, second = (np.exp(trace.logits[-1] - np.logaddexp.reduce(trace.logits[-1])) for trace in (now, before))
    listed = now.top(30).ids[-1]
    changes = words.found.change
    np.testing.assert_allclose(changes, (first - second)[listed], rtol=0, atol=5e-5)
    assert np.abs(changes).max() > 1e-4
    (bars,) = words.bars._items.items
    assert bars.titles == (when, "now, and Δ")
    said = [bar.text.replace("−", "-").split() for bar in bars.bars]
    assert [float(change) for _, change in said] == pytest.approx(changes, abs=5e-5)
    assert [bar.number for bar in bars.bars[:3]] == [weight_text(float(each)) for each in second[listed][:3]]
    first_said = " ".join(bars.bars[0].text.split())
    assert f" {when} {bars.bars[0].number}, {first_said}" in words.bars.spoken()
    layout = bars.layout(window.look, words.bars.room)
    assert layout.number.width() > 0
    assert layout.track.width() > 40, "no number is cut off, and the bars have room"


def test_compared_with_b_what_comes_next_has_that_of_b_beside_it(window, open_dropped, qtbot) -> None:
    open_dropped(window, MODELS / "gpt2")
    let_go(window)
    model, state = load_model(MODELS / "gpt2"), window.session.state
    setup = state.heads.setup
    assert bars_shown(window, qtbot, len(window.page._frame.queries) - 1) is not None
    assert next_words(window).found.change is None
    assert "Δ" not in next_words(window).note.text()
    sentence = "The cat sat on the mat because it was soft."
    other = replace(setup, recipe=replace(setup.recipe, sentence=sentence))
    heads = replace(state.heads, other=other).with_view(picture=Picture.COMPARE)
    window.session.apply(replace(state, heads=heads), "Compare")
    settled(window)
    tab = next_words(window)
    qtbot.waitUntil(lambda: "In B “" in tab.note.text(), timeout=20_000)
    trace = model(sentence)
    assert_changes(window, model(setup.recipe.sentence), trace, "in B")
    for token, probability in zip(trace.top(3).tokens[-1], trace.top(3).probabilities[-1], strict=True):
        assert f"“{readable_piece(token, of_bytes=True)}” {probability:.3f}" in tab.note.text()


@pytest.fixture
def dialog(window, qtbot, monkeypatch, tmp_path: Path) -> ModelDialog:
    """The list of models on this computer, where there are one that can be opened and one that cannot."""
    hub = tmp_path / "hub"
    for name in ("good", "odd"):
        shutil.copytree(MODELS / "bert", hub / f"models--a--{name}" / "snapshots" / "1")
    config = hub / "models--a--odd" / "snapshots" / "1" / "config.json"
    config.write_text('{"model_type": "mamba"}')
    monkeypatch.setattr(
        model_dialog, "find_models", lambda used: find_models({"HF_HUB_CACHE": str(hub)}, tmp_path, used)
    )
    window.files.ask_which_model()
    (opened,) = window.findChildren(ModelDialog)
    assert opened.said.text() == model_dialog.SEARCHING
    qtbot.waitUntil(lambda: opened.list.topLevelItemCount() >= 2, timeout=20_000)
    return opened


def row_of(dialog: ModelDialog, name: str):
    (item,) = dialog.list.findItems(name, Qt.MatchFlag.MatchExactly)
    return item


def test_a_model_on_this_computer_is_opened_from_a_list(window, dialog, qtbot) -> None:
    item = row_of(dialog, "a/good")
    assert (item.text(1), item.text(4)) == ("bert", "Hugging Face")
    rectangle = dialog.list.visualItemRect(item)
    QTest.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=rectangle.center())
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(window.session.state.heads.setup.recipe, ModelRecipe), timeout=20_000)
    settled(window)
    assert "snapshots" in window.session.state.heads.setup.recipe.path
    assert Controls(window).presets.placeholderText() == "“a/good”"


def test_a_model_that_cannot_be_run_is_listed_with_the_reason(dialog) -> None:
    item = row_of(dialog, "a/odd")
    assert item.isDisabled()
    assert "mamba" in item.toolTip(0)
    QTest.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=dialog.list.visualItemRect(item).center())
    assert item not in dialog.list.selectedItems()


def test_what_the_weights_take_in_memory_is_said_before_a_model_is_opened(window, dialog, qtbot, monkeypatch) -> None:
    item, megabytes = row_of(dialog, "a/good"), f"{(MODELS / 'bert' / 'model.safetensors').stat().st_size / 1e6:.0f} MB"
    assert item.text(3) == megabytes
    assert "stay there" in item.toolTip(3)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    monkeypatch.setattr(CACHE, "on_show_bytes", 1000)
    window.files.ask_which_model()
    again = next(each for each in window.findChildren(ModelDialog) if each.isVisible())
    qtbot.waitUntil(lambda: again.list.topLevelItemCount() >= 2, timeout=20_000)
    assert row_of(again, "a/good").text(3) == f"{megabytes}, slow"
    assert "View → Memory" in row_of(again, "a/good").toolTip(3)


def test_a_model_that_was_opened_before_is_offered_again(window, open_dropped, dialog, qtbot) -> None:
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    open_dropped(window, MODELS / "gpt2" / "config.json")
    window.files.ask_which_model()
    again = next(each for each in window.findChildren(ModelDialog) if each.isVisible())
    qtbot.waitUntil(lambda: again.list.topLevelItemCount() >= 3, timeout=20_000)
    assert row_of(again, "gpt2").text(4) == "opened before"


def test_enter_opens_the_first_model_and_escape_leaves(window, dialog, qtbot) -> None:
    before = window.session.state
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert window.session.state == before
    window.files.ask_which_model()
    again = next(each for each in window.findChildren(ModelDialog) if each.isVisible())
    qtbot.waitUntil(lambda: again.list.topLevelItemCount() >= 2, timeout=20_000)
    QTest.keyClick(again.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.state != before, timeout=20_000)


def test_where_nothing_is_found_that_is_said(window, qtbot, monkeypatch) -> None:
    monkeypatch.setattr(model_dialog, "find_models", lambda used: ())
    window.files.ask_which_model()
    (opened,) = window.findChildren(ModelDialog)
    qtbot.waitUntil(lambda: opened.said.text() == model_dialog.NOTHING, timeout=20_000)
    assert not opened.open_button.isEnabled()


def test_a_model_that_cannot_be_opened_says_why_and_leaves_the_page(window, open_dropped, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "bert", tmp_path / "bert"))
    (folder / "model.safetensors").unlink()
    before = window.session.state
    open_dropped(window, folder)
    assert "has no weights" in boxes(window)[0].text()
    assert window.session.state == before
