"""How little a model expected each token of the sentence."""

from __future__ import annotations

import math

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import plain
from attention_explorer.pages.heads.guess import run_of
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.sources.registry import source_of


def shows_surprise(heads: HeadsState) -> bool:
    """Whether the tokens are to have it, and the model foretells them; known without running it."""
    return heads.view.surprise and source_of(heads.setup.recipe).writes


@kept
def surprise(setup: HeadsSetup) -> tuple[float, ...]:
    """Return −log₂ p of each token in bits, NaN for the first; none where the model foretells none.

    Parameters
    ----------
    setup : HeadsSetup
        Made by `guess_setup`.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    found = source_of(setup.recipe).surprise(run_of(setup))
    return () if found is None else tuple(found.tolist())


def surprise_words(bits: tuple[float, ...], full: float, unit: str) -> str:
    """Return what the bars below the tokens mean, and the mean of the text.

    Parameters
    ----------
    bits : tuple of float
        Of each token; NaN for one that nothing foretells.
    full : float
        The bits at which a bar has its full colour.
    unit : str
        What each is of: token or word.
    """
    known = [each for each in bits if not math.isnan(each)]
    if not known:
        return f"Surprise: no {unit} comes after another one" if bits else "Surprise: …"
    mean = sum(known) / len(known)
    scale = f"pale 0 bits, full colour {plain(full, 0)} or more"
    return f"Surprise, {scale}: {plain(mean, 1)} bits a {unit} on average (perplexity {plain(2**mean, 1)})"
