"""The cross-check of the model layer in short, and that nothing public is left out of it."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer import model
from tests.truth.__main__ import main
from tests.truth.circuits import ROWS, Row, validated, validation_table
from tests.truth.draw import Draw
from tests.truth.measure import Deviation, measured, table
from tests.truth.register import EXACT, PLAIN, REFERENCE, Check, all_checks

CASES = 3


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: f"{check.names[0]}-{check.against}")
def test_the_model_layer_is_right(check: Check) -> None:
    found = measured(check, CASES, seed=7)
    assert found.is_fine, f"\n{table([found])}"


def test_every_public_name_has_a_check() -> None:
    checked = {name for check in all_checks() if check.against in (PLAIN, REFERENCE) for name in check.names}
    assert set(model.__all__) - checked == set(), "write a check for these in tests/truth"


def test_no_check_is_of_a_name_that_is_gone() -> None:
    assert {name for check in all_checks() for name in check.names} <= set(model.__all__)


@pytest.mark.parametrize(
    ("ours", "truth", "ulp"),
    [
        (np.float64(1.0) + np.finfo(float).eps, 1.0, 1.0),
        (np.float32(2.0) + 2 * np.finfo(np.float32).eps, 2.0, 1.0),
        ([1.0, -np.inf], [1.0, -np.inf], 0.0),
        ([1.0, np.nan], [1.0, 0.0], np.inf),
        ([True, False], [True, True], 1.0),
        ([0.0], [1e-300], 1 / np.finfo(float).eps),
    ],
)
def test_a_deviation_is_seen(ours: object, truth: object, ulp: float) -> None:
    found = Deviation(Check(("softmax",), PLAIN, EXACT, lambda _: iter(())))
    assert not found.is_fine, "nothing was compared"
    found.add(ours, truth)  # type: ignore[arg-type]
    assert found.ulp == pytest.approx(ulp)
    assert found.is_fine == (ulp == 0.0)


def test_the_command_says_by_its_exit_code_whether_all_is_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["softmax", "--cases", "2"]) == 0
    printed = capsys.readouterr().out
    assert "softmax" in printed
    assert "all within their bounds" in printed
    right = model.softmax
    monkeypatch.setattr(model, "softmax", lambda *given, **options: right(*given, **options) * (1 + 1e-6))
    assert main(["softmax", "--cases", "2"]) == 1
    assert "beyond their bounds: entropy, softmax" in capsys.readouterr().out


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.method)
def test_what_is_asked_of_circuits_is_right(row: Row) -> None:
    found = validated(row)
    assert found.is_fine, f"\n{validation_table([found])}"
    assert all(cell.strip() for cell in found.cells())


def test_the_same_seed_draws_the_same() -> None:
    assert np.array_equal(Draw(3, 1).numbers(4), Draw(3, 1).numbers(4))
    assert not np.array_equal(Draw(3, 1).numbers(4), Draw(3, 2).numbers(4))
