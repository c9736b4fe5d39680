"""Networks that were learned here as models of which circuits are asked, and the circuit that is found in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.transformer import Change
from attention_explorer.sources.circuits.detect import random_texts
from attention_explorer.sources.circuits.find import HARDLY, Finding, finding
from attention_explorer.sources.circuits.lens import decided
from attention_explorer.sources.learned.as_model import as_model
from attention_explorer.sources.learned.box import BOX, Boxed
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.learned_source import learned_model
from attention_explorer.sources.models import Model
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import source_of

DEEP = Boxed(LearningSetup("sort", layers=3, heads=2, d_model=16, d_ff=8, length=6, scaled=False, positions=False), 3)


def learned_dictionary() -> LearningSetup:
    return task_of("dictionary").setup


def repeats(name: str = "repeat-4") -> Model:
    return source_of(LearnedRecipe(*BOX[name])).model_to_ask()


@pytest.mark.parametrize("boxed", [BOX["repeat"], BOX["repeat-4"], BOX["it"], DEEP], ids=str)
def test_it_looks_and_answers_as_the_network_does(boxed: Boxed) -> None:
    learned = learned_model(*boxed)
    sentence = learned.task.probe(learned.setup)
    trace, answer = as_model(learned)(sentence), learned.ask(sentence)
    for mine, theirs in zip(trace.weights, answer.weights, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=2e-5)
    if trace.logits is not None:
        logits = trace.logits[list(answer.places)].astype(np.float64)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        np.testing.assert_allclose(chances / chances.sum(axis=1, keepdims=True), answer.probabilities, atol=2e-4)


def test_it_has_a_head_only_where_it_answers_with_the_words_that_it_reads() -> None:
    sort = learned_model(*DEEP)
    assert as_model(sort).transformer.head is not None
    it = learned_model(*BOX["it"])
    has_them = it.task.answers(it.setup).words == it.task.vocabulary(it.setup).words
    assert (as_model(it).transformer.head is not None) == has_them
    assert repeats().unembed.decode.weight.shape == (48, 20)


def test_words_are_whole_and_known() -> None:
    model = repeats()
    assert model.tokenize("q C m").ids == tuple("abcdefghijklmnopqrst".index(each) for each in "qcm")
    with pytest.raises(ExplorerError, match="has not learned"):
        model("q ?")
    with pytest.raises(ArrayError, match="not a pair"):
        model(("q", "c"))
    with pytest.raises(ArrayError, match="24"):
        model([0] * 25)
    assert model.generate("q c m b q c", 2).text.split() == ["m", "b"]


@pytest.mark.parametrize(
    ("boxed", "said"),
    [
        (BOX["translation"], "no stack of layers over one sentence"),
        (Boxed(learned_dictionary(), 0), "no stack of layers over one sentence"),
        (Boxed(LearningSetup("repeat", hard=True), 0), "lookup is soft"),
        (Boxed(LearningSetup("repeat", residual=False), 0), "have a residual"),
    ],
)
def test_other_networks_are_refused(boxed: Boxed, said: str) -> None:
    with pytest.raises(ExplorerError, match=said):
        source_of(LearnedRecipe(*boxed)).model_to_ask()


def test_what_cannot_be_run_is_not_asked() -> None:
    source = source_of(ToyRecipe())
    assert not source.can_be_asked
    with pytest.raises(ExplorerError, match="can be run again"):
        source.model_to_ask()
    assert source_of(LearnedRecipe(*BOX["repeat"])).can_be_asked


# ---- The circuit ----


def loss(model: Model, text: list[int], positions: range, changes: Any = ()) -> float:
    """Return the mean loss of tokens, all run anew."""
    logits = model(text, changes=[*changes]).logits
    assert logits is not None
    wide = logits.astype(np.float64)
    logs = wide - np.log(np.exp(wide - wide.max(1, keepdims=True)).sum(1, keepdims=True)) - wide.max(1, keepdims=True)
    return -float(np.mean([logs[at - 1, text[at]] for at in positions]))


def test_in_a_small_vocabulary_all_tokens_of_a_text_are_different() -> None:
    texts = random_texts(repeats(), 3)
    for text in texts:
        half = text[: len(text) // 2]
        assert text == half * 2
        assert len(set(half)) == len(half) == 12
    assert texts != random_texts(repeats(), 4)


def test_the_circuit_that_repeats_is_found_as_a_loop_finds_it() -> None:
    model = repeats()
    found = model.find_circuit(whole=True)
    text = random_texts(model, 0)[0]
    copy = range(len(text) // 2 + 1, len(text))
    assert found.all_on == pytest.approx(loss(model, text, copy), abs=1e-4)
    assert found.first == pytest.approx(loss(model, text, range(1, len(text) // 2)), abs=1e-4)
    for layer in range(2):
        for head in range(4):
            alone = loss(model, text, copy, [Change("head", layer, head)])
            assert np.asarray(found.loss)[layer, head] == pytest.approx(alone, abs=1e-3)
    for heads, without in ((found.back, found.without_back), (found.copy, found.without_copy)):
        assert without == pytest.approx(loss(model, text, copy, [Change("head", *each) for each in heads]), abs=1e-3)
    assert found.back == ((0, 3),)
    assert {*found.copy} == {(1, head) for head in range(4)} == {*found.idle}
    assert found.strongest is not None
    assert found.strongest[0] == (0, 3)
    assert found.strongest[2] == pytest.approx(float(np.nanmax(np.asarray(model.composition().k))))
    assert all(found.loss[each] - found.all_on < HARDLY * (found.first - found.all_on) for each in found.idle)
    assert "hardly anything alone" in repr(found)


def test_named_heads_come_first_and_the_whole_grid_at_last() -> None:
    model = repeats()
    steps = [found for _, found in finding(model, 1)]
    assert not steps[0].is_found
    assert [step.is_found for step in steps] == sorted(step.is_found for step in steps)
    assert steps[-1].is_complete
    shares = [share for share, _ in finding(model, 1)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert isinstance(model.find_circuit(seed=1), Finding)
    assert model.find_circuit(seed=1).is_found


def test_a_model_that_cannot_have_it_says_why() -> None:
    one = source_of(LearnedRecipe(LearningSetup("previous", layers=1, length=8), 1)).model_to_ask()
    with pytest.raises(ExplorerError, match="one layer"):
        one.find_circuit()
    last = [found for _, found in finding(one, 0)][-1]
    assert last.is_complete
    assert last.strongest is None


def test_the_lens_of_all_positions_is_that_of_each() -> None:
    trace = repeats()("q c m b q c m")
    found = decided(trace, 3)
    for position in range(7):
        lens = trace.lens(position)
        plain = np.asarray(lens.probabilities)
        for row in range(3):
            best = np.argsort(-plain[row], kind="stable")[:3]
            assert found.ids[row, position].tolist() == best.tolist()
            np.testing.assert_allclose(found.probabilities[row, position], plain[row, best], atol=1e-5)
