"""Text that is written with keys and values kept is that of the whole model run anew for each token."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from families_of_fixtures import DECODERS, ENCODERS, IDS, PAIRS, TARGET, opened, target_of
from oracles import MODELS

from attention_explorer.errors import ArrayError
from attention_explorer.model.transformer import Inputs, Writer
from attention_explorer.sources.models import Change, Model, load_model

STEPS = 11
"""Past the window of the model that has one, and past where positions turn otherwise."""


def anew(model: Model, ids: Sequence[int], target: Sequence[int] | None, changes: list[Change]) -> np.ndarray:
    logits = model(ids, target, changes=changes).logits
    assert logits is not None
    return logits[-1]


@pytest.mark.parametrize("name", [*DECODERS, *PAIRS])
def test_each_token_is_run_as_in_the_whole(name: str) -> None:
    changes = [Change("v", 0, 1, value=0.3, how="add"), Change("head", 1, 0), Change("network", 1)]
    if name in PAIRS:
        changes += [Change("k", 1, 0, value=0.5, how="add", kind="cross"), Change("head", 0, 0, 2, kind="encoder")]
    for made in ([], changes):
        compare(opened(name), target_of(name), made)


def test_where_positions_turn_otherwise_in_a_longer_text_all_keys_are_made_again(tmp_path: Path) -> None:
    for file, name in (("dynamic.json", "config.json"), ("model.safetensors", "model.safetensors")):
        shutil.copy(MODELS / "llama-ropes" / file, tmp_path / name)
    compare(load_model(tmp_path), None, [])


def compare(model: Model, target: tuple[int, ...] | None, changes: list[Change]) -> None:
    main = list(IDS if target is None else target)
    aim = None if target is None else Inputs(np.array(target))
    writer = Writer(model.transformer, Inputs(np.array(IDS)), aim, changes)
    for step in range(STEPS):
        expected = anew(model, main if target is None else IDS, None if target is None else main, changes)
        np.testing.assert_allclose(writer.logits(), expected, rtol=2e-4, atol=2e-4)
        main.append(step * 7 % 37)
        writer.write(main[-1])


@pytest.mark.parametrize("name", ["gpt2", "qwen3", "bart"])
def test_the_most_probable_tokens_are_written(name: str) -> None:
    model, target = opened(name), target_of(name)
    found = model.generate(IDS, 4, target)
    main = list(IDS if target is None else target)
    for index, token, probability in zip(found.ids, found.tokens, found.probabilities, strict=True):
        logits = anew(model, IDS if target else main, main if target else None, []).astype(float)
        assert index == int(np.argmax(logits))
        assert token == model.token(index)
        assert probability == pytest.approx(float(1 / np.exp(logits - logits.max()).sum()), rel=1e-3)
        main.append(index)


def test_what_is_drawn_follows_the_seed() -> None:
    model = opened("llama")
    first, again = (model.generate(IDS, 8, temperature=1.5, seed=3) for _ in range(2))
    assert first.ids == again.ids
    assert first.ids != model.generate(IDS, 8, temperature=1.5, seed=4).ids
    assert model.generate("The cat sat", 5).text == model.text_after(
        model.tokenize("The cat sat").ids, model.generate("The cat sat", 5).ids
    )
    assert model.generate(IDS, 0).text == ""


@pytest.mark.parametrize(
    ("name", "given", "options", "reason"),
    [
        ("gpt2", IDS, {"tokens": 60}, "at most 64"),
        ("gpt2", IDS, {"tokens": -1}, "tokens"),
        ("gpt2", IDS, {"temperature": -1.0}, "temperature must be 0"),
        ("gpt2", IDS, {"top_k": 0}, "top_k"),
        ("gpt2", IDS, {"changes": [Change("head", 0, position=1)]}, "what is written grows"),
        ("gpt2", IDS, {"changes": [Change("weights", 0)]}, "what is written grows"),
        ("gpt2", IDS, {"changes": [Change("head", 0, into=(1, 0, "q"))]}, "what is written grows"),
        ("gpt2", IDS, {"changes": [Change("residual", 0, value=np.ones((8, 32)))]}, r"must be \(1, 32\)"),
        ("gpt2", IDS, {"changes": ["head"]}, "a list of Change"),
        ("gpt2", IDS, {"target": TARGET}, "single tower"),
        *((name, IDS, {}, "generate is for decoders") for name in ENCODERS[:2]),
        ("llama", [], {}, "no tokens"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_in_words(
    name: str, given: object, options: dict[str, object], reason: str
) -> None:
    with pytest.raises(ArrayError, match=reason):
        opened(name).generate(given, **{"tokens": 3, **options})
