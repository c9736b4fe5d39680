"""Maps of what each key adds to the output of a head: its weight times the length of its value."""

from __future__ import annotations

from attention_explorer.core.byte_cache import kept
from attention_explorer.errors import ExplorerError
from attention_explorer.model.value_weighted import ValueWeightedMap, output_rows
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsView, Picture
from attention_explorer.sources.source import Ability

SOURCE = "Kobayashi et al. 2020"
WEIGHED = (Picture.HEATMAP, Picture.MARKED)
"""The pictures in which weights can be multiplied by their values."""


def lengths_shown(frame: HeadsFrame, view: HeadsView) -> ValueWeightedMap | None:
    """Return the lengths ‖α·v·W_O‖ that a view shows in place of weights; None if it shows weights or scores."""
    if not view.value_weighted or view.picture not in WEIGHED:
        return None
    found = _lengths_of(frame)
    return found if isinstance(found, ValueWeightedMap) else None


def why_not_weighted(frame: HeadsFrame) -> str:
    """Return why there are no lengths of what is large, as a sentence; empty if there are."""
    found = _lengths_of(frame)
    return found if isinstance(found, str) else ""


def why_without_values(frame: HeadsFrame) -> str:
    """Return why there can be no lengths of what is large; empty if there can be. Nothing is computed."""
    if not frame.is_one_head:
        return "Several heads in one have no values: choose one head."
    lacks = frame.source.traits.reason_against(Ability.VALUES)
    return lacks or ("The values are not known." if frame.layers[frame.layer].values is None else "")


@kept
def _lengths_of(frame: HeadsFrame) -> ValueWeightedMap | str:
    """Return the lengths of the head on show, with W_O where it is known, or why there are none."""
    if reason := why_without_values(frame):
        return reason
    layer = frame.layers[frame.layer]
    try:
        w_o = None if layer.attention is None else output_rows(layer.attention.w_o, len(layer.maps), frame.head)
        return ValueWeightedMap(frame.head_map, layer.v[frame.head], w_o)
    except ExplorerError as error:
        return f"The values cannot be weighed: {error}."


def lengths_words(lengths: ValueWeightedMap) -> str:
    """Return what the numbers of a value-weighted map are."""
    known = "" if lengths.is_projected else ", W_O is not known"
    return f"{lengths.symbol}, how long what each key adds to the output is ({SOURCE}{known}): rows do not sum to 1"
