"""Choosing the token that is written next, and those that it needs to be a whole character."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats

PART = "\ufffd"
"""What a tokeniser writes for bytes that are no character."""
LONGEST_CHARACTER = 4
"""Bytes of a character in UTF-8 at the most, and so the tokens that one can take."""


def drawn_tokens(logits: Floats, temperature: float, top_k: int, draw: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return ids in the order in which they are drawn, none twice; the first is the one to be written.

    Parameters
    ----------
    logits : ndarray, (vocabulary,)
        Of one position.
    temperature : float
        What they are divided by; at 0 the order is that of their size, and of equal ones the lower id is first.
    top_k : int
        From how many of the largest is drawn.
    draw : Generator
        Of random numbers.

    Notes
    -----
    The first is distributed as softmax(logits ÷ temperature) of those top_k, each next one as that of what is left:
    the Gumbel-top-k trick (Kool et al. 2019, section 2.3).
    """
    best = np.argsort(-logits, kind="stable")[:top_k]
    if temperature == 0.0:
        return best
    noise = draw.gumbel(size=len(best))
    return best[np.argsort(-(logits[best].astype(np.float64) / temperature + noise), kind="stable")]


def whole_text(
    text: Callable[[tuple[int, ...]], str], drawn: Callable[[tuple[int, ...]], Iterable[int]], index: int
) -> str | None:
    """Return what a token writes, with those after it that complete the character whose first bytes it is.

    Parameters
    ----------
    text : callable
        What some tokens write one after the other, with `PART` for bytes that are no character.
    drawn : callable
        The tokens after some, in the order in which they are drawn.
    index : int
        The token.

    Returns
    -------
    str or None
        None if what follows completes no character.
    """
    pieces: tuple[int, ...] | None = (index,)
    while pieces is not None and len(pieces) <= LONGEST_CHARACTER:
        said = text(pieces)
        if PART not in said:
            return said
        longer = ((*pieces, int(following)) for following in drawn(pieces))
        pieces = next((each for each in longer if _may_become_whole(text(each))), None)
    return None


def _may_become_whole(said: str) -> bool:
    """Whether only its end is no character; one that ended the text would never be whole."""
    return said != "" and PART not in said.rstrip(PART)
