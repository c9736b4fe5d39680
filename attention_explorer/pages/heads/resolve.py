"""What a source makes of the settings: a wish that it cannot carry out stays in the state and alters nothing."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

_PLAIN = HeadsSetup()


def resolved(setup: HeadsSetup) -> HeadsSetup:
    """Return a setup as its source carries it out; numbers and words are made of nothing else.

    Weights without scores are not computed anew: scale, temperature and hard lookup do nothing to them. Where the mask
    cannot be chosen, the one that is wished for hides nothing.

    Parameters
    ----------
    setup : HeadsSetup
        What is wished for.

    Returns
    -------
    HeadsSetup
        With the defaults in place of what the source cannot do.
    """
    traits = source_of(setup.recipe).traits
    if traits.reason_against(Ability.SCORES):
        setup = replace(setup, scaled=_PLAIN.scaled, hard=_PLAIN.hard, temperature=_PLAIN.temperature)
    return replace(setup, mask=MaskChoice()) if traits.reason_against(Ability.MASKS) else setup
