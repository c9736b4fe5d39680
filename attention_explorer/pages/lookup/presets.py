"""Ready-made lookups, each with a sentence that says what to look for; and one that was learned."""

from __future__ import annotations

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.pages.lookup.state import LEARNED_DICTIONARY, LookupState, LookupView
from attention_explorer.pages.preset_files import presets_in_file

PRESETS: tuple[Preset[LookupState], ...] = presets_in_file("lookup", LookupState)
WORDS_PRESETS: tuple[Preset[LookupState], ...] = tuple(
    ready for ready in PRESETS if ready.state.view is LookupView.WORDS
)


def preset(identifier: str) -> Preset[LookupState]:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    return preset_of(PRESETS, identifier)


LEARNED: Preset[LookupState] = Preset(
    LEARNED_DICTIONARY,
    "A learned dictionary",
    "These keys and queries were learned on the Training page: each value is the query that is to find this key. Drag "
    "q onto another value, and the weight moves to its key. Shorten q, and the lookup blends: its length is what makes "
    "it sharp.",
    LookupState(),
)
"""A lookup that is in no list: where it comes from is said until another is chosen."""
