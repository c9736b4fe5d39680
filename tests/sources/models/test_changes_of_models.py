"""Changes of the models of every family: from a run before, many at once, or the whole model anew."""

from __future__ import annotations

from itertools import cycle, product

import numpy as np
import pytest
from families_of_fixtures import FAMILIES, IDS, PAIRS, TARGET, TWIN, opened, target_of

from attention_explorer.errors import ArrayError
from attention_explorer.model.transformer import together
from attention_explorer.model.transformer.changes import OF_ATTENTION, OF_HEADS, PARTS
from attention_explorer.sources.models import Change, Trace

CLOSE = 1e-4
"""Of hidden states: a batch is summed in another order."""


def everywhere(name: str, twin: Trace) -> list[Change]:
    """Return a change of every part of every kind, on the middle layer or another."""
    kinds = ("self", "encoder", "cross") if name in PAIRS else ("self",)
    places = product(zip(cycle(range(2)), PARTS, strict=False), kinds)
    return [
        Change(where, layer, 1 if where in OF_HEADS else None, 2, twin if layer else 1.5, kind=kind)
        for (layer, where), kind in places
        if kind != "cross" or where in OF_ATTENTION
    ]


@pytest.mark.parametrize("name", FAMILIES)
def test_changes_of_a_run_before_and_many_at_once_are_those_of_the_model_run_anew(name: str) -> None:
    model, target = opened(name), target_of(name)
    before, twin = model(IDS, target), model(TWIN, target and (0, 7, 30, 8))
    changes = everywhere(name, twin)
    anew = [model(IDS, target, changes=[each]) for each in changes]
    for each, expected in zip(changes, anew, strict=True):
        again = model(IDS, target, changes=[each], since=before)
        np.testing.assert_array_equal(again.hidden[-1], expected.hidden[-1])
    batch = [model.lazily(IDS, target, changes=[each], since=before.run) for each in changes]
    together(each.run for each in batch)
    for found, expected in zip(batch, anew, strict=True):
        np.testing.assert_allclose(found.hidden[-1], expected.hidden[-1], rtol=CLOSE, atol=CLOSE)
        assert np.abs(found.hidden[-1] - before.hidden[-1]).max() > 1e-6, "it changes something"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_list_is_many_texts(name: str) -> None:
    model, target = opened(name), target_of(name)
    texts = [IDS, IDS[:3], TWIN, IDS[2:5]]
    change = [Change("attention", 1, position=2, value="mean", texts=[TWIN])] if target is None else []
    found = model([list(each) for each in texts], target, changes=change)
    for trace, text in zip(found, texts, strict=True):
        alone = model(text, target, changes=change)
        assert trace.tokens == alone.tokens
        np.testing.assert_allclose(trace.hidden[-1], alone.hidden[-1], rtol=CLOSE, atol=CLOSE)
        np.testing.assert_allclose(trace.weights[1], alone.weights[1], rtol=0, atol=CLOSE)


def test_each_of_many_texts_has_its_target() -> None:
    model = opened("t5")
    found = model(["the cat", "the dog sat"], ["the", "a cat"])
    assert [trace.tokens for trace in found] == [
        model("the cat", "the").tokens,
        model("the dog sat", "a cat").tokens,
    ]
    with pytest.raises(ArrayError, match="2 texts, but 1 targets"):
        model(["a", "b"], ["c"])


def test_many_pairs_are_pairs() -> None:
    model = opened("bert")
    (found,) = model([("She sat.", "It was soft.")])
    np.testing.assert_allclose(found.hidden[-1], model(("She sat.", "It was soft.")).hidden[-1], atol=CLOSE)


@pytest.mark.parametrize("name", ["llama", "bert", "t5"])
def test_off_masks_and_patterns_are_changes(name: str) -> None:
    model, target = opened(name), target_of(name)
    n = len(target or IDS)
    mask, pattern = np.tri(n, dtype=np.bool_) & (np.arange(n) != 1) | np.eye(n, dtype=np.bool_), np.eye(n)
    for short, change in (
        ({"off": [(1, 2)]}, Change("head", 1, 2)),
        ({"masks": {(1, 2): mask}}, Change("scores", 1, 2, value=mask)),
        ({"masks": {(1, 2): mask}}, Change("scores", 1, 2, value=np.where(mask, 0, -np.inf), how="add")),
        ({"patterns": {(1, 2): pattern}}, Change("weights", 1, 2, value=pattern)),
    ):
        np.testing.assert_allclose(
            model(IDS, target, changes=[change]).hidden[-1], model(IDS, target, **short).hidden[-1], atol=1e-5
        )


@pytest.mark.parametrize("name", FAMILIES)
def test_along_all_ways_that_lead_straight_to_a_head_a_change_is_as_made_on_its_own(name: str) -> None:
    """What is changed in what enters a layer reaches queries, keys and values of all its heads, and nothing else."""
    model, target, kind = opened(name), target_of(name), "encoder" if name in PAIRS else "self"
    value = np.random.default_rng(1).standard_normal(model(IDS, target).hidden[0].shape[1])
    change = Change("residual", 1, position=1, value=value, how="add", kind=kind)
    twin = model(IDS, target, changes=[change])
    into = [
        Change("residual", 1, position=1, value=value, how="add", into=(1, head, part), kind=kind)
        for head, part in product(range(4), "qkv")
    ]
    found = model(IDS, target, changes=into)
    np.testing.assert_allclose(found.part("attention", 1, kind), twin.part("attention", 1, kind), atol=1e-5)
    before = model(IDS, target)
    np.testing.assert_array_equal(found.part("residual", 1, kind), before.part("residual", 1, kind))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"changes": Change("head", 0)}, "a list of Change"),
        ({"changes": "head"}, "a list of Change"),
        ({"changes": [("head", 0)]}, "a list of Change"),
        ({"changes": [Change("head", 0, value="mean", texts="abc")]}, "a list of texts"),
        ({"changes": [Change("head", 0, value="mean", texts=3)]}, "a list of texts"),
        ({"changes": [Change("head", 0, value="mean", texts=[[999]])]}, "id 999"),
        ({"changes": [Change("head", 0, kind="encoder")]}, "kind is “encoder”"),
        ({"target": TARGET}, "single tower"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(options: dict[str, object], reason: str) -> None:
    with pytest.raises(ArrayError, match=reason):
        opened("llama")(IDS, **options)
    with pytest.raises(ArrayError, match="of one text"):
        opened("llama")([[1, 2], [3]], since=opened("llama")([1, 2]))
