"""Dropout in models: the rates that configurations say, and what a run with them computes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.model import Dropout, DropoutPlace
from attention_explorer.model.transformer import Change, Inputs
from attention_explorer.model.transformer.transformer import DRAWS
from attention_explorer.sources.models.dropout_rates import dropout_of
from attention_explorer.sources.models.loading import load_model
from attention_explorer.sources.models.settings import Settings

MODELS = Path(__file__).parents[2] / "data" / "models"
IDS = Inputs(np.array([5, 7, 6, 9, 8]))
ATTENTION, NETWORK = DropoutPlace.ATTENTION.value, DropoutPlace.NETWORK.value


def rates(**settings: object) -> dict[str, float]:
    """Return the rates that are read."""
    found = dropout_of(Settings("config.json", settings))
    return {} if found is None else {place.value: found.rate(place) for place in found.places}


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [  # as transformers 5.24 leaves numbers out in train(), layer by layer
        (
            {"model_type": "bert", "attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.2},
            {"weights": 0.1, ATTENTION: 0.2, NETWORK: 0.2},
        ),
        (
            {
                "model_type": "gpt2",
                "attn_pdrop": 0.1,
                "resid_pdrop": 0.2,
                "embd_pdrop": 0.3,
                "summary_first_dropout": 0.4,
            },
            {"weights": 0.1, ATTENTION: 0.2, NETWORK: 0.2},
        ),
        (
            {"model_type": "bart", "attention_dropout": 0.1, "dropout": 0.2, "activation_dropout": 0.3},
            {"weights": 0.1, ATTENTION: 0.2, "hidden": 0.3, NETWORK: 0.2},
        ),
        ({"model_type": "t5", "dropout_rate": 0.1}, {"weights": 0.1, ATTENTION: 0.1, "hidden": 0.1, NETWORK: 0.1}),
        ({"model_type": "llama", "attention_dropout": 0.1}, {"weights": 0.1}),
        ({"model_type": "phi3", "resid_pdrop": 0.2}, {ATTENTION: 0.2, NETWORK: 0.2}),
        (
            {"model_type": "gpt_neox", "attention_dropout": 0.1, "hidden_dropout": 0.2},
            {"weights": 0.1, ATTENTION: 0.2, NETWORK: 0.2},
        ),
        ({"model_type": "distilbert", "attention_dropout": 0.1, "dropout": 0.2}, {"weights": 0.1, NETWORK: 0.2}),
        ({"model_type": "albert", "hidden_dropout_prob": 0.2}, {ATTENTION: 0.2}),
        ({"model_type": "opt", "dropout": 0.2, "activation_dropout": 0.3}, {ATTENTION: 0.2, NETWORK: 0.2}),
        (
            {"model_type": "modernbert", "attention_dropout": 0.1, "mlp_dropout": 0.3},
            {"weights": 0.1, ATTENTION: 0.1, "hidden": 0.3},
        ),
        ({"model_type": "llama", "attention_dropout": 0.0}, {}),
        ({"model_type": "bert"}, {}),
    ],
)
def test_rates_count_where_the_family_has_them(settings: dict[str, object], wanted: dict[str, float]) -> None:
    assert rates(**settings) == wanted


@pytest.mark.parametrize("rate", [1.0, 1.5, -0.1, math.nan, "0.1", True, [0.1], None])
def test_a_rate_that_cannot_be_one_says_nothing(rate: object) -> None:
    assert rates(model_type="bert", hidden_dropout_prob=rate) == {}


def test_a_model_knows_its_rates() -> None:
    found = load_model(MODELS / "esm1b").dropout
    assert found == Dropout(weights=0.1, attention_output=0.1, feed_forward_output=0.1)
    assert load_model(MODELS / "llama").dropout is None


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "bart", "gemma2"])
def test_a_run_is_that_in_which_what_is_left_out_is_set_by_hand(name: str) -> None:
    """Layer by layer: what each place computes, times 0 or 2, is put in its place."""
    model = load_model(MODELS / name).transformer
    target = None if model.encoder is None else Inputs(np.array([2, 4]))
    kind = "self" if model.encoder is None else "encoder"
    dropout = Dropout(weights=0.5, attention_output=0.5, feed_forward_output=0.5, seed=3)
    changes: list[Change] = []
    stack = model.main if model.encoder is None else model.encoder
    for layer in range(len(stack.layers)):
        for where, place in (
            ("weights", DropoutPlace.WEIGHTS),
            ("attention", DropoutPlace.ATTENTION),
            ("network", DropoutPlace.NETWORK),
        ):
            before = model.run(IDS, target, changes=changes, room=0).part(where, layer, kind)
            kept = dropout.of_layer(DRAWS[kind] + layer).kept(place, before.shape)
            changes.append(Change(where, layer, value=np.where(kept, 2 * before, 0), kind=kind))
    wanted, found = (
        model.run(IDS, target, changes=given, dropout=drops, room=0)
        for given, drops in ((changes, None), ((), dropout))
    )
    for where in ("weights", "attention", "network", "after"):
        last = len(stack.layers) - 1
        ours, theirs = (run.part(where, last, kind) for run in (found, wanted))
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    assert found.is_altered
    assert not np.allclose(found.part("after", 0, kind), model.run(IDS, target, room=0).part("after", 0, kind))


def test_hidden_units_are_left_out_before_the_second_matrix() -> None:
    model = load_model(MODELS / "bert").transformer
    found = model.run(IDS, None, dropout=Dropout(hidden=0.5, seed=1), room=0).main.layer(0)
    plain = model.run(IDS, None, room=0).main.layer(0)
    kept = Dropout(hidden=0.5, seed=1).kept(DropoutPlace.HIDDEN, plain.network.hidden.shape)
    hidden = np.where(kept, 2 * plain.network.hidden, 0)
    np.testing.assert_allclose(found.network.hidden, hidden, rtol=1e-6)
    down = model.main.layers[0].network.down
    np.testing.assert_allclose(found.network.output, down(hidden.astype(np.float32)), rtol=1e-5, atol=1e-5)


def test_towers_leave_out_different_numbers_and_a_run_the_same_again() -> None:
    model = load_model(MODELS / "bart").transformer
    drops = Dropout(weights=0.5, seed=2)
    run, again = (model.run(IDS, IDS, dropout=drops, room=0) for _ in range(2))
    own, cross, encoder = (run.part("weights", 0, kind) == 0.0 for kind in ("self", "cross", "encoder"))
    assert not np.array_equal(cross, encoder)
    assert not np.array_equal(own[:, -1], cross[:, -1])
    np.testing.assert_array_equal(run.part("after", 1), again.part("after", 1))
