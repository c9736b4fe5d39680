"""The parts of the state that the Lab page shows: what is said of each, written to files, and changed with a field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.declared import with_value
from attention_explorer.core.numbers_export import Arrays, Numbers
from attention_explorer.kit.form import Written
from attention_explorer.kit.frame.view import Part
from attention_explorer.pages.lab import cost_wording, layers_wording, scores_wording
from attention_explorer.pages.lab.bench import parsed_rows, rows_text
from attention_explorer.pages.lab.cost_export import cost_numbers
from attention_explorer.pages.lab.cost_presets import COST_PRESETS
from attention_explorer.pages.lab.cost_presets import is_changed as is_cost_changed
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.scores_export import scaling_numbers
from attention_explorer.pages.lab.scores_presets import SCALING_PRESETS, scaling_preset
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.stack.export import stack_numbers
from attention_explorer.pages.stack.presets import BLOCK_PRESETS
from attention_explorer.pages.stack.presets import is_changed as is_stack_changed
from attention_explorer.pages.stack.state import BlockState


def _scores_changed(state: ScalingState) -> bool:
    ready = scaling_preset(state.preset).state
    bench = replace(state.bench, row=ready.bench.row, key=ready.bench.key)
    return replace(state, picture=ready.picture, shared_axis=ready.shared_axis, axis_d_k=0, bench=bench) != ready


def _change_scores(state: ScalingState, name: str, value: Any) -> ScalingState:  # noqa: ANN401 # of the type of its field
    if name == "d_k":
        return state.with_d_k(round(value))
    if name == "holds_axes":
        return replace(state, axis_d_k=state.d_k if value else 0)
    return with_value(state, name, value)


def _about_scores(state: ScalingState) -> tuple[str, ...]:
    verdict = scores_wording.verdict(state)
    return tuple(filter(None, (verdict.claim, verdict.title, verdict.text)))


def _change_cost(state: CostState, name: str, value: Any) -> CostState:  # noqa: ANN401 # of the type of its field
    if name == "d_k":
        return state.with_d_k(value)
    return state.with_sizes(**{name: value}) if name in _SIZES else with_value(state, name, value)


_SIZES = ("n", "d_model", "heads", "layers", "d_ff", "window", "context")


def _stack_what(state: BlockState, _numbers: object, arrays: Arrays) -> Numbers:
    what = f"{layers_wording.TITLES[state.picture]}. {layers_wording.settings_words(state)}"
    return stack_numbers(state, what, arrays)


SCORES = Part(
    "scaling",
    ScalingState,
    SCALING_PRESETS,
    _scores_changed,
    lambda state: scores_wording.settings_words(state) + ".",
    _about_scores,
    lambda state, _numbers, arrays: scaling_numbers(state, arrays),
    _change_scores,
    {"bench.rows": Written(rows_text, parsed_rows)},
)
COST = Part(
    "cost",
    CostState,
    COST_PRESETS,
    is_cost_changed,
    cost_wording.settings_words,
    cost_wording.verdict,
    lambda _state, numbers, _arrays: cost_numbers(numbers),
    _change_cost,
)
STACK = Part(
    "block",
    BlockState,
    BLOCK_PRESETS,
    is_stack_changed,
    layers_wording.settings_words,
    layers_wording.verdict,
    _stack_what,
)
