"""What every picture of the page has in common: it is the answer to a question, which may take long."""

from __future__ import annotations

from typing import Any

from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.picture import Picture
from attention_explorer.pages.circuits import said, seen
from attention_explorer.pages.circuits.state import CircuitsState


class AskedPicture(Picture[CircuitsState, Any]):
    """An answer. A click asks of another head or token, once: it does not follow the pointer."""

    follows = False
    is_quick = staticmethod(seen.is_known)

    def made_of(self, state: CircuitsState) -> tuple[str, ...]:
        return said.origin(state), *said.asked_for(state)

    def shape(self, _numbers: Any) -> tuple[int, ...]:  # noqa: ANN401 # what the picture shows
        """Return how many places there are, as the parts of hits count them."""
        raise NotImplementedError

    def has(self, numbers: Any, hit: Hit) -> bool:  # noqa: ANN401 # what the picture shows
        return all(at < count for at, count in zip(hit.part, self.shape(numbers), strict=True))
