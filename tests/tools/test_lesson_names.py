"""The dotted names of lessons: each gives what its page shows, worked out here in another way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import find_preset
from attention_explorer.pages.stack.stack import block_trace
from attention_explorer.sources.learned.run import run_of
from attention_explorer.tools.lessons.expression import expression
from attention_explorer.tools.lessons.names import names_in, with_fields
from attention_explorer.tools.lessons.reading import lesson_from
from attention_explorer.tools.lessons.walk import checked


def shown(preset: str, page: str, text: str, /, **fields: Any) -> Any:
    """Return what an expression comes to in a preset with some fields of its page changed."""
    changes = {f"{page}.{name}": value for name, value in fields.items()}
    return expression(text).value(names_in(with_fields(find_preset(preset, page).state, changes)))


# ---- The same by another way ----


def slope_of_value() -> float:
    """Return by how much the loss of the preset of the gradient grows with the x of v₂, −0.6, as a value of its own."""
    before, after = (
        shown("descent", "lookup", "lookup.loss", **{"values": "vectors", "entries[1].value": [-0.6 + by, 1.6]})
        for by in (-1e-6, 1e-6)
    )
    return (after - before) / 2e-6


def fastest_move() -> float:
    """Return the Frobenius norm of ∂o/∂q by moving q a little."""
    query = shown("descent", "lookup", "lookup.query")

    def output(x: float, y: float) -> Any:
        return shown("descent", "lookup", "lookup.output", query=[query[0] + x, query[1] + y])

    step = 1e-6
    return math.hypot(
        *((output(step, 0) - output(-step, 0)) / (2 * step)), *((output(0, step) - output(0, -step)) / (2 * step))
    )


def weights_of_five_tokens() -> Any:
    return shown("five-token", "heads", "heads.weights")


def alike_by_waves(offset: int) -> float:
    return sum(math.cos(offset * 10000.0 ** (-2 * pair / 64)) for pair in range(32))


def mean_cosine() -> float:
    rows = block_trace(find_preset("encoder", "block").state.block).layers[0].output[0]
    pairs = [(a, b) for a in range(len(rows)) for b in range(len(rows)) if a != b]
    return sum(
        rows[a] @ rows[b] / math.dist(rows[a], 0 * rows[a]) / math.dist(rows[b], 0 * rows[b]) for a, b in pairs
    ) / len(pairs)


def operations(n: int, d: int = 768) -> int:
    """Return those of a layer of GPT-2: 24 n d² + 4 n² d."""
    return 24 * n * d * d + 4 * n * n * d


def measured_while_learning() -> float:
    run = run_of(find_preset("dictionary", "training").state.training.setup)
    return float(run.curve().accuracy[0])


@pytest.mark.parametrize(
    ("preset", "page", "text", "fields", "wanted"),
    [
        ("descent", "lookup", "lookup.value_gradients[1][0]", {"values": "vectors"}, slope_of_value),
        ("descent", "lookup", "lookup.slope", {}, fastest_move),
        ("five-token", "heads", "heads.row_sums[3]", {}, lambda: weights_of_five_tokens()[3].sum()),
        ("five-token", "heads", "heads.column_sums[3]", {}, lambda: weights_of_five_tokens()[:, 3].sum()),
        ("five-token", "heads", "heads.of_head.previous", {}, lambda: np.diag(weights_of_five_tokens(), -1).sum() / 5),
        ("five-token", "heads", "heads.of_heads.first[0]", {}, lambda: weights_of_five_tokens()[:, 0].mean()),
        ("five-token", "heads", "heads.of_head.largest", {}, lambda: weights_of_five_tokens().max(axis=1).mean()),
        ("multi-head", "heads", "heads.head_width * heads.head_count", {}, lambda: 64),
        ("minilm", "heads", "heads.row('it').heads", {}, lambda: 6 * 12),
        ("variance", "scaling", "scaling.raw_std", {"d_k": 9}, lambda: 3),
        ("variance", "scaling", "scaling.scaled_std", {"d_k": 9}, lambda: 1),
        ("gap", "scaling", "scaling.bench_largest[0]", {}, lambda: 1 / (1 + math.exp(-10))),
        ("gap", "scaling", "scaling.bench_slope", {}, lambda: math.exp(-10) / (1 + math.exp(-10)) ** 2),
        ("tutorial", "positions", "positions.alike[15]", {}, lambda: alike_by_waves(15)),
        ("clocks", "positions", "positions.angles[1]", {"d_model": 4, "base": 100}, lambda: 1.0),
        ("clocks", "positions", "positions.advances[1]", {"d_model": 4, "base": 100}, lambda: 0.7),
        ("alibi", "positions", "positions.penalty", {"shift": 7}, lambda: 3.5),
        ("encoder", "block", "block.array('weights').count", {}, lambda: 8 * 6 * 6),
        ("encoder", "block", "block.array('output').row_stds[2]", {}, lambda: 1.0),
        ("encoder", "block", "block.likeness", {}, mean_cosine),
        ("gpt2", "cost", "cost.matrix", {"n": 30}, lambda: 900),
        ("gpt2", "cost", "cost.layer_growth", {"n": 30}, lambda: operations(60) / operations(30)),
        ("dictionary", "training", "training.accuracy", {}, measured_while_learning),
    ],
)
def test_a_number_is_what_it_is_called(
    preset: str, page: str, text: str, fields: dict[str, Any], wanted: Callable[[], float]
) -> None:
    assert shown(preset, page, text, **fields) == pytest.approx(wanted(), rel=1e-5, abs=1e-9)


def test_what_is_measured_of_rows_that_are_drawn_lies_where_theory_has_it() -> None:
    assert 0.4 < shown("variance", "scaling", "scaling.scaled_largest", draws=500) < 0.45
    assert shown("variance", "scaling", "scaling.raw_saturated", draws=500) > 0.3


@pytest.mark.parametrize(
    ("kind", "causal", "wanted"), [("none", False, True), ("none", True, False), ("ALiBi", False, False)]
)
def test_only_attention_without_positions_and_mask_is_blind_to_order(kind: str, causal: bool, wanted: bool) -> None:
    assert shown("sinusoidal", "positions", "positions.is_equivariant", kind=kind, causal=causal, shuffle=1) is wanted


def test_a_run_is_asked_for_its_answer_and_its_attention() -> None:
    asked = "training.answer", "training.right_answer", "training.row('it').top", "training.heads_off"
    answer, right, top, off = (shown("it", "training", text, step=60, off=[[0, 0]]) for text in asked)
    assert right == "cat"
    assert answer in shown("it", "training", "training.words") or answer.isalpha()
    assert top in shown("it", "training", "training.words")
    assert off == 1


def test_a_row_of_a_head_is_known_on_the_plane() -> None:
    assert shown("two-keys", "lookup", "lookup.is_row") is False
    row = {"recipe": {"kind": "toy", "sentence": "The cat sat"}, "row": 2}
    assert shown("two-keys", "lookup", "lookup.is_row", **{"row": row, "preset": "", "values": "vectors"}) is True


@pytest.mark.parametrize(
    ("preset", "page", "text", "what"),
    [
        ("two-keys", "lookup", "lookup.weight", "Did you mean “weights”"),
        ("five-token", "heads", "heads.row('dog').top", "there is no token “dog”"),
        ("five-token", "heads", "heads.row(9).top", "there is no row 9"),
        ("five-token", "heads", "heads.of_head.prevoius", "Did you mean “previous”"),
        ("variance", "scaling", "scaling.raw_sdt", "there is no “raw_sdt”"),
        ("alibi", "positions", "positions.angles[0]", "ALiBi has no clocks"),
        ("alibi", "positions", "positions.slop", "Did you mean “slope”"),
        ("encoder", "block", "block.array('wieghts').count", "Did you mean “weights”"),
        ("gpt2", "cost", "cost.matrx", "Did you mean “matrix”"),
        ("it", "training", "training.accuracy[0]", "an index too many"),
    ],
)
def test_an_unknown_name_is_refused_with_its_line(preset: str, page: str, text: str, what: str) -> None:
    show = f'show = "{preset}"\npage = "{page}"\nask = "?"\nanswer = {{ number = "{text}", within = 1 }}'
    lesson = f'format = 1\ntitle = "t"\n\n[[step]]\n{show}\n'
    with pytest.raises(ExplorerError, match="line 4, step 1") as refused:
        list(checked(lesson_from(lesson.encode(), "my.lesson.toml")))
    assert what in str(refused.value)


def test_nothing_is_computed_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention_explorer.pages.training.moment.trained", lambda *_: pytest.fail("it learns"))
    names = names_in(ExplorerState())
    assert expression("training.step").value(names) == 0
    assert expression("training.heads_off").value(names) == 0
