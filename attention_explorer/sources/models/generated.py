"""Text that a model writes, token by token."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.scalars import finite_number, size_from
from attention_explorer.model.softmax import softmax
from attention_explorer.model.transformer import Writer
from attention_explorer.sources.models.sampling import drawn_tokens


class Written(NamedTuple):
    """What a model wrote after a text."""

    text: str
    """Empty where nothing can tell how the ids are written."""
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    """As the vocabulary spells them."""
    probabilities: Floats
    """(tokens,): what the model gave to each, whatever the temperature."""


class Drawing(NamedTuple):
    """How the next token is chosen."""

    temperature: float
    top_k: int
    seed: int

    def checked(self) -> Drawing:
        """Return the same.

        Raises
        ------
        ArrayError
            If the temperature is below 0, or there are no tokens to choose from.
        """
        temperature = finite_number("temperature", self.temperature)
        if temperature < 0.0:
            raise ArrayError(
                f"temperature must be 0, which takes the most probable token, or above it, not {temperature}"
            )
        return Drawing(temperature, size_from(1, "top_k", self.top_k), size_from(0, "seed", self.seed))


def written_ids(
    writer: Writer, count: int, end: int | None, how: Drawing, length: int
) -> tuple[tuple[int, ...], Floats]:
    """Write some tokens, or fewer if one of them ends the text.

    Parameters
    ----------
    writer : Writer
        Which has read what is before.
    count : int
        How many at most.
    end : int, optional
        What ends a text; the last of the tokens if it is written.
    how : Drawing
        How each is chosen.
    length : int
        How many tokens are before: by it and the seed each one is drawn.

    Returns
    -------
    ids : tuple of int
    probabilities : ndarray, (ids,)
    """
    ids: list[int] = []
    probabilities = []
    while len(ids) < count and (not ids or ids[-1] != end):
        if ids:
            writer.write(ids[-1])
        logits = writer.logits()
        draw = np.random.default_rng((how.seed, length + len(ids)))
        ids.append(int(drawn_tokens(logits, how.temperature, how.top_k, draw)[0]))
        probabilities.append(softmax(logits)[ids[-1]])
    return tuple(ids), np.array(probabilities, np.float32)
