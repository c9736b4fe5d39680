"""What setting a field of the Heads page means, where other fields go with it; and why some cannot be set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attention_explorer.core.declared import with_value
from attention_explorer.core.mask import MaskKind, default_size
from attention_explorer.model import Stage
from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.heads.shown_map import HIDING, WEIGHED
from attention_explorer.pages.heads.state import Aggregate, HeadsState, Hidden, Picture
from attention_explorer.sources.registry import context_tokens_of, source_of
from attention_explorer.sources.source import Ability

SCORES = ("setup.temperature", "setup.hard", "setup.scaled", "view.stage")
"""The fields that do something to scores."""
MASK = ("setup.mask.kind", "mask_size")
STAGED = (Picture.HEATMAP, Picture.COMPARE, Picture.MARKED)
"""The pictures of which one stage is shown."""
NO_ROWS = "Scores have no rows to renormalise: choose the weights to hide keys"
EVERY_KEY = "Every key is shown here: hide keys in the map, the lines or the comparison"
ONLY_WEIGHTS = "Several heads in one have weights only: show one head for its scores"


def changed(heads: HeadsState, field: str, value: Any) -> HeadsState:  # noqa: ANN401 # of the type of the field
    """Return the state with a field changed, and what must go with it."""
    if field == "setup.mask.kind":
        size = default_size(MaskKind(value), len(context_tokens_of(heads.setup.recipe)))
        return heads.with_setup(mask=replace(heads.setup.mask, kind=MaskKind(value), size=size))
    if field == "token_changed":
        return replace(heads, experiment=replace(heads.experiment, token=heads.setup.count.index_of(value)))
    if field == "mask_size":
        return heads.with_setup(mask=replace(heads.setup.mask, size=value))
    if field == "whole_words":
        return by_word(heads, whole=value)
    if field == "checkpoint":
        return heads.with_setup(recipe=source_of(heads.setup.recipe).at_saved_step(value - 1))
    if field == "view.hidden":
        return heads.with_view(hidden=Hidden(value), hidden_tokens=frozenset())
    if field == "view.stage":
        return heads.with_view(stage=Stage(value), value_weighted=False)
    if field == "view.value_weighted":
        return heads.with_view(value_weighted=value, stage=Stage.WEIGHTS if value else heads.view.stage)
    return with_value(heads, field, value)


def reasons_against(heads: HeadsState) -> Mapping[str, str]:
    """Return by field why it cannot be set: what a source forbids, it says."""
    traits, view = source_of(heads.setup.recipe).traits, heads.view
    found = dict.fromkeys(SCORES, traits.reason_against(Ability.SCORES))
    found |= dict.fromkeys(MASK, traits.reason_against(Ability.MASKS))
    if heads.setup.aggregate is not Aggregate.ONE:
        found["view.stage"] = found["view.stage"] or ONLY_WEIGHTS
    if heads.setup.hard:
        found["setup.temperature"] = found["setup.temperature"] or "A hard lookup has no temperature: choose Soft"
    if view.picture not in (*HIDING, Picture.COMPARE):
        found["view.hidden"] = EVERY_KEY
    elif view.stage is not Stage.WEIGHTS and view.picture is not Picture.LINES:
        found["view.hidden"] = NO_ROWS
    if view.stage is not Stage.WEIGHTS and view.picture in STAGED:
        found["view.contrast"] = "The contrast is of weights: choose the weights"
    if view.picture not in WEIGHED:
        found["view.value_weighted"] = "Choose the map or the marked heads to weigh the values"
    return {name: reason for name, reason in found.items() if reason}
