"""What a state of the Training page shows, as a figure and as numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter

from attention_explorer import __version__
from attention_explorer.core.numbers_export import Arrays, Numbers, Table
from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.export.frame import FigureFrame, room_for, styled_frame
from attention_explorer.pages.training import pair_words, words
from attention_explorer.pages.training.moment import Moment, MomentRequest, moment_at
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.training.ui.pictures import LearningScene, spoken

ROOM = (900.0, 520.0)


def training_figure(state: TrainingState, moment: Moment | None = None) -> TrainingFigure:
    """Return the figure of a state, trained that far where nobody has."""
    return TrainingFigure(state, moment or moment_at(MomentRequest.of(state)))


@dataclass(frozen=True, eq=False)
class TrainingFigure:
    """A `Figure` of what the page shows of a step."""

    state: TrainingState
    moment: Moment
    style: FigureStyle = FigureStyle()

    @property
    def title(self) -> str:
        """What is drawn."""
        return words.title(self.moment, self.state)

    @property
    def description(self) -> str:
        """The picture in words."""
        return f"Training page. {spoken(self.moment, self.state)}"

    @property
    def file_stem(self) -> str:
        """The name a file is proposed."""
        return f"training-{self.state.setup.task}-step-{self.state.step}"

    @property
    def _caption(self) -> str:
        origin = words.origin(self.state)
        compared = f" {pair_words.spoken(self.moment, self.state)}" if self.state.other else ""
        return f"{origin[0].upper()}{origin[1:]}.{compared} Rows are queries; each sums to 1."

    def styled(self, style: FigureStyle) -> TrainingFigure:
        """Return the same picture in a style."""
        return replace(self, style=style)

    @cached_property
    def _frame(self) -> FigureFrame:
        return styled_frame(self.style, room_for(self.style, ROOM), self.title, self._caption)

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        return self._frame.size

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        frame = self._frame
        frame.paint_ground(painter)
        painter.save()
        scene = LearningScene(frame.look)
        scene.fit_heads(self.state)
        scene.show(self.moment, self.state)
        scene.lay_out(frame.room)
        scene.paint(painter)
        painter.restore()
        frame.paint_caption(painter)

    def _arrays_of_other(self) -> Arrays:
        """Return the same of B; nothing where none is compared, or it has no answer."""
        other = self.moment.other
        if other is None or other.answer is None:
            return {}
        arrays: Arrays = {f"b_weights_layer_{layer + 1}": each for layer, each in enumerate(other.answer.weights)}
        arrays["b_probabilities"] = other.answer.probabilities
        curve = other.curve
        return arrays if curve is None else arrays | {
            "b_steps": curve.steps, "b_loss": curve.loss, "b_accuracy": curve.accuracy
        }  # fmt: skip

    def numbers(self) -> Numbers:
        """Return the weights of all heads, the answers, and the curves so far."""
        answer, state = self.moment.answer, self.state
        curve = self.moment.curve
        rows = [
            (layer + 1, head + 1, asking, key, float(weights[head, row, column]))
            for layer, weights in enumerate(answer.weights)
            for head in range(len(weights))
            for row, asking in enumerate(answer.tokens)
            for column, key in enumerate(answer.context_tokens)
        ]
        arrays: Arrays = {f"weights_layer_{layer + 1}": weights for layer, weights in enumerate(answer.weights)}
        arrays |= {"probabilities": answer.probabilities, "steps": curve.steps, "loss": curve.loss}
        arrays |= {"accuracy": curve.accuracy, "training_loss": curve.training_loss}
        arrays |= self._arrays_of_other()
        parameters: dict[str, object] = {
            "program": f"Attention Explorer {__version__}",
            "what": words.origin(state),
            "setup": asdict(state.setup),
            "step": state.step,
            "other_setup": state.other and asdict(state.other),
            "tokens": list(answer.tokens),
            "context_tokens": list(answer.context_tokens),
            "off": sorted(state.off_shown),
            "as_drawn": sorted(state.drawn_shown),
            "hidden": sorted(state.hidden),
        }
        table = Table.of(("layer", "head", "query", "key", "weight"), rows)
        listed = {**parameters, "weights": [np.asarray(weights).tolist() for weights in answer.weights]}
        return Numbers(table, listed, arrays, parameters)
