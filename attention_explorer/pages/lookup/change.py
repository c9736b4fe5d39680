"""What setting a field of a lookup changes besides the field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.declared import with_value
from attention_explorer.pages.lookup.state import LookupState


def changed(state: LookupState, name: str, value: Any) -> LookupState:  # noqa: ANN401 # of the type of the field
    """Return the state with another value in a field, held within its range.

    Raises
    ------
    ExplorerError
        It cannot hold that; the message says why.
    """
    match name:
        case "values":
            return state.with_values(value)
        case "temperature":
            return state.with_temperature(value)
        case "rate":
            return state.with_rate(value)
        case "words.w_q" | "words.w_k" | "words.w_v":
            return replace(state, words=state.words.with_matrix(name.removeprefix("words."), value))
    return with_value(state, name, value)
