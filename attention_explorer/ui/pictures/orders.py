"""What a page with one large picture orders, at once or from the worker, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from attention_explorer.model.checkpoint import watched
from attention_explorer.session.jobs import Deliver, Report
from attention_explorer.ui.pictures.drawing import PictureDrawing

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Order(Generic[S]):
    """What is to be computed."""

    state: S
    tiles: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """What has been computed."""

    picture: object
    beside: object


def carried_out(order: Order[S], drawing: PictureDrawing[S, Any, Any], beside: Callable[[S], object]) -> Ready:
    """Compute a picture and what stands beside it. Raises `ExplorerError` for what cannot be shown."""
    return Ready(drawing.compute(order.state, order.tiles), beside(order.state))


def work_for(
    order: Order[S], drawing: PictureDrawing[S, Any, Any], beside: Callable[[S], object]
) -> Callable[[Report, Deliver], None]:
    """Return what the worker has to do, which can be ended at each of its checkpoints."""

    def work(report: Report, deliver: Deliver) -> None:
        done = 0.0

        def pass_block() -> None:
            report(done)  # which ends the work if nobody wants it any more

        pass_block()
        with watched(pass_block):
            if drawing.stream is None:
                deliver(carried_out(order, drawing, beside))
                return
            also = beside(order.state)
            for fraction, picture in drawing.stream(order.state, order.tiles):
                done = fraction
                pass_block()
                if picture is not None:
                    deliver(Ready(picture, also))

    return work
