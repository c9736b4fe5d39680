"""What is learned, on other pages: as a source of the Heads page, as layers, and a dictionary as a lookup."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.model.arrays import Floats
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.state import (
    LEARNED_DICTIONARY,
    MOST_KEYS,
    Entry,
    LookupState,
    Overlay,
    ValueKind,
    checked_coordinate,
)
from attention_explorer.pages.stack.learned import learned_block, reason_against
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.sources.learned_recipe import LearnedRecipe

NOTHING_LEARNED = "Let it learn first: press Play."
BROKEN = "Undo the changes in Break it first: another page shows the network as it was learned."
NO_DICTIONARY = "Lookup can only show the queries and keys of the dictionary: choose that task."
ROOM_AROUND = 1.3
"""From the farthest point to the edge of the first view."""


def reason_against_heads(state: TrainingState) -> str:
    """Return why the Heads page cannot show what is on show here, and what to do; empty if it can."""
    if not state.step:
        return NOTHING_LEARNED
    return BROKEN if state.is_broken else ""


def in_heads(state: ExplorerState) -> ExplorerState:
    """Return the state with the network of the step on the Heads page, with the same head and row.

    Raises
    ------
    ExplorerError
        The sentence is no question to the task.
    """
    training = state.training
    setup, task, (layer, head) = training.setup, training.task, training.head_shown
    batch = task.question(training.sentence_shown, setup).batch
    written, context = task.texts(training.sentence_shown, setup)
    task.typed(written, context, setup)  # what only answers can be asked of is refused here
    row = training.row if 0 <= training.row < batch.tokens.shape[-1] else int(batch.asked[-1])
    recipe = LearnedRecipe(setup, training.step, written, context)
    shown = HeadsSetup(recipe, layer=layer, head=head, count=state.heads.setup.count)
    return replace(state, heads=HeadsState(shown, HeadsView(row=row), preset=""))


def reason_against_block(state: TrainingState) -> str:
    """Return why the Layer page cannot show what is on show here, and what to do; empty if it can."""
    return reason_against(state.setup) or reason_against_heads(state)


def in_block(state: ExplorerState) -> ExplorerState:
    """Return the state with the layers of the step on the Layer page, at the weights of the same head and row.

    Raises
    ------
    ExplorerError
        The sentence is no question to the task.
    """
    training = state.training
    written, _ = training.task.texts(training.sentence_shown, training.setup)
    training.task.question(training.sentence_shown, training.setup)
    layer, head = training.head_shown
    block = learned_block(training.setup, training.step, written)
    row = training.row if training.row >= 0 else None
    shown = replace(block, layer=layer, head=head, box="weights", token=row, count=state.block.count)
    return replace(state, block=shown)


def reason_against_lookup(state: TrainingState) -> str:
    """Return why the Lookup page cannot show what is on show here, and what to do; empty if it can."""
    if state.setup.task != "dictionary":
        return NO_DICTIONARY
    if state.setup.length > MOST_KEYS:
        return f"A lookup has up to {MOST_KEYS} keys, and this dictionary {state.setup.length}: choose a length."
    return BROKEN if state.is_broken else ""


def in_lookup(state: ExplorerState, points: tuple[Floats, Floats]) -> ExplorerState:
    """Return the state with a dictionary on the Lookup page, its query that of the row on show.

    Parameters
    ----------
    state : ExplorerState
        With a dictionary on the Training page.
    points : (Floats, Floats)
        Where its queries and keys stand, each (n, 2). The values are the queries: a query that finds its partner
        delivers itself.

    Raises
    ------
    ExplorerError
        A point lies too far out.
    """
    setup, wished = state.training.setup, state.training.row
    queries, keys = (
        [(checked_coordinate(f"{name}{number}", x), checked_coordinate(f"{name}{number}", y))
         for number, (x, y) in enumerate(rows.tolist(), start=1)]
        for name, rows in zip("qk", points, strict=True)
    )  # fmt: skip
    far = max(1.0, *(abs(number) for point in (*queries, *keys) for number in point)) * ROOM_AROUND
    lookup = LookupState(
        query=queries[wished if 0 <= wished < len(queries) else -1],
        entries=tuple(
            Entry(key, query, float(number)) for number, (query, key) in enumerate(zip(queries, keys, strict=True), 1)
        ),
        values=ValueKind.VECTORS,
        hard=setup.hard,
        scaled=setup.scaled,
        overlays=frozenset({Overlay.FIELD, Overlay.TIE}),
        target=(0.0, 0.0),
        rate=state.lookup.rate,
        extent=Extent(-far, far, -far, far),
        preset=LEARNED_DICTIONARY,
    )
    return replace(state, lookup=lookup)
