"""The parts of the state that the Lab page shows: their examples, and what changing a field of them changes too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.declared import with_value
from attention_explorer.kit.form import Written
from attention_explorer.kit.frame.view import Part
from attention_explorer.pages.lab.bench import parsed_rows, rows_text
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.state import BlockState


def _change_scores(state: ScalingState, name: str, value: Any) -> ScalingState:  # noqa: ANN401 # of the type of its field
    if name == "d_k":
        return state.with_d_k(round(value))
    if name == "holds_axes":
        return replace(state, axis_d_k=state.d_k if value else 0)
    return with_value(state, name, value)


def _change_cost(state: CostState, name: str, value: Any) -> CostState:  # noqa: ANN401 # of the type of its field
    if name == "d_k":
        return state.with_d_k(value)
    return state.with_sizes(**{name: value}) if name in _SIZES else with_value(state, name, value)


_MODEL = ("n", "d_model", "heads", "layers", "d_ff")
_SIZES = (*_MODEL, "window", "context")
_ROWS = {"bench.rows": Written(rows_text, parsed_rows)}

PARTS: dict[str, Part[Any]] = {
    "scaling": Part("scaling", ScalingState, preset_list("scaling"), _change_scores, _ROWS),
    "cost": Part("cost", CostState, preset_list("cost"), _change_cost, together=_MODEL),
    "block": Part("block", BlockState, preset_list("block")),
}
