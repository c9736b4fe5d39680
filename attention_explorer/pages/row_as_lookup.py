"""A row of the Heads page on the Lookup page."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.errors import ExplorerError
from attention_explorer.model.row_lookup import row_query
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import HeadsFrame, heads_run_without
from attention_explorer.pages.lookup.state import HeadRow, LookupState, Overlay, ValueKind
from attention_explorer.sources.source import Ability

NOTHING_PINNED = "Pin a row first: click a cell, or a token of a query."
WITHOUT_HEADS = "The model is run without the heads that are off, which a lookup cannot name: switch them on first."
SEVERAL_HEADS = "Several heads in one have no queries and keys: show one head."


def reason_against_lookup(frame: HeadsFrame, row: int | None) -> str:
    """Return why a row of a frame cannot be shown as a lookup, and what to do instead; empty if it can."""
    traits = frame.source.traits
    lacking = traits.reason_against(Ability.SCORES) or traits.reason_against(Ability.VALUES)
    if lacking:
        return lacking
    if heads_run_without(frame.setup):
        return WITHOUT_HEADS
    if not frame.is_one_head:
        return SEVERAL_HEADS
    if row is None:
        return NOTHING_PINNED
    if row >= frame.shape[0]:
        return "There is no such row in A: pin a row of A."
    if not frame.head_map.allowed(row).any():
        return "This query may attend to no key: there is nothing to look up."
    return ""


def as_lookup(state: ExplorerState, frame: HeadsFrame, row: int | None) -> ExplorerState:
    """Return the state with a row of the head on show on the Lookup page, its query where the head has it.

    Raises
    ------
    ExplorerError
        It cannot be shown; the message says why.
    """
    reason = reason_against_lookup(frame, row)
    if reason or row is None:
        raise ExplorerError(reason)
    setup = frame.setup
    x, y = row_query(frame.query_key_map, row).tolist()
    lookup = LookupState(
        query=(x, y),
        entries=state.lookup.entries,
        values=ValueKind.VECTORS,
        hard=setup.hard,
        temperature=setup.temperature,
        overlays=frozenset({Overlay.FIELD, Overlay.HULL}),
        target=(0.0, 0.0),  # in view whatever the values are
        rate=state.lookup.rate,
        preset="",
        row=HeadRow(
            recipe=setup.recipe,
            mask=setup.mask,
            scaled=setup.scaled,
            hard=setup.hard,
            temperature=setup.temperature,
            layer=frame.layer,
            head=frame.head,
            row=row,
            count=setup.count,
        ),
    )
    return replace(state, lookup=lookup)
