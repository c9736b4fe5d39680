"""What a page with one large picture asks for, at once or from the worker, and what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from attention_explorer.kit.picture import Picture
from attention_explorer.model.checkpoint import watched
from attention_explorer.session.jobs import Deliver, Report, Work, stoppable

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class PictureRequest(Generic[S]):
    """All that a picture depends on."""

    state: S
    tiles: tuple[int, int]
    """(rows, columns) of pixels there are; (0, 0) for a picture that does not depend on them."""
    measured: object = None
    """What the page shows that is no part of the state, because it belongs to the machine."""


def is_resized(wanted: Any, request: Any) -> bool:  # noqa: ANN401 # requests of one kind, with ``tiles``
    """Whether a request differs from the one that is wanted only in the room there is."""
    return bool(request == replace(wanted, tiles=request.tiles))


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """What has been computed."""

    picture: object


def work_for(request: PictureRequest[S], picture: Picture[S, Any], *, at_once: bool = False) -> Work:
    """Return the work for a request, which can be ended at each of its checkpoints; ``at_once``: without streaming."""

    def work(report: Report, deliver: Deliver) -> None:
        with stoppable(report) as tell:
            tell(0.0)  # which ends the work if nobody wants it any more
            if picture.stream is None or at_once:
                with _counted(picture.checkpoints(request.state), tell):
                    deliver(Ready(picture.compute(request.state, request.tiles)))
                return
            for fraction, numbers in picture.stream(request.state, request.tiles):
                tell(fraction)
                if numbers is not None:
                    deliver(Ready(numbers))

    return work


@contextmanager
def _counted(expected: int, tell: Report) -> Iterator[None]:
    """Have each checkpoint tell which share of those that are expected has been passed."""
    passed = 0

    def count() -> None:
        nonlocal passed
        passed = min(passed + 1, expected)
        tell(passed / (expected + 1))

    if expected:
        with watched(count):
            yield
    else:
        yield
