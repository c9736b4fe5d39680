"""What a picture of the page is drawn from, and what files of it hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numbers_export import Arrays, Table
from attention_explorer.pages.training import pair_words, words
from attention_explorer.pages.training.held_out import HeldAnswer, held_answers
from attention_explorer.pages.training.moment import Moment, MomentRequest, Worth, moment_at, picture_of, worth_at
from attention_explorer.pages.training.state import Head, TrainingState

ROWS = "Each row sums to 1"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A moment as a state looks at it.

    Attributes
    ----------
    state : TrainingState
        At the step of the moment.
    moment : Moment
        What is seen of that step.
    worth : Worth or None
        What heads are worth, where that was asked for.
    answers : tuple of HeldAnswer
        What is answered to held-out sentences, where that was asked for.
    """

    state: TrainingState
    moment: Moment
    worth: Worth | None = None
    answers: tuple[HeldAnswer, ...] = ()

    @property
    def row(self) -> int:
        """The query that is followed."""
        return self.moment.row_of(self.state)

    @property
    def heads(self) -> list[Head]:
        """All heads."""
        setup = self.state.setup
        return [(layer, head) for layer in range(setup.layers) for head in range(setup.heads)]

    def map_of(self, head: Head) -> MapPicture:
        """Return the map of a head."""
        return self.moment.picture(head, is_causal=self.state.task.causal)

    @property
    def map_of_other(self) -> MapPicture | None:
        """B's map of the head on show; None where it has no answer, or there is no B."""
        other = self.moment.other
        if other is None or other.answer is None:
            return None
        head = replace(self.state, setup=other.setup).head_shown
        return picture_of(other.answer, head, is_causal=self.state.task.causal)


def seen(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seen:
    """Compute what is seen of a state, training that far where nobody has."""
    return Seen(state, moment_at(MomentRequest.of(state)))


def seen_with_worth(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seen:
    """Compute that, and what each head is worth."""
    found = worth_at(state.setup, state.step, state.broken)
    return replace(seen(state), worth=found)


def seen_with_answers(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seen:
    """Compute that, and what is answered to held-out sentences."""
    found = seen(state)
    return replace(found, answers=held_answers(state.setup, state.step, state.broken))


def arrays(found: Seen) -> Arrays:
    """Return the weights of all heads, the answers, and the curves so far, for files."""
    answer, curve = found.moment.answer, found.moment.curve
    named: Arrays = {f"weights_layer_{layer + 1}": weights for layer, weights in enumerate(answer.weights)}
    named |= {"probabilities": answer.probabilities, "steps": curve.steps, "loss": curve.loss}
    named |= {"accuracy": curve.accuracy, "training_loss": curve.training_loss}
    other = found.moment.other
    if other is None or other.answer is None:
        return named
    named |= {f"b_weights_layer_{layer + 1}": weights for layer, weights in enumerate(other.answer.weights)}
    named["b_probabilities"] = other.answer.probabilities
    curve_of_b = other.curve
    return named if curve_of_b is None else named | {
        "b_steps": curve_of_b.steps, "b_loss": curve_of_b.loss, "b_accuracy": curve_of_b.accuracy
    }  # fmt: skip


def lines(found: Seen) -> Table:
    """Return what a CSV file holds: a line a weight."""
    answer = found.moment.answer
    rows = [
        (layer + 1, head + 1, asking, key, float(weights[head, row, column]))
        for layer, weights in enumerate(answer.weights)
        for head in range(len(weights))
        for row, asking in enumerate(answer.tokens)
        for column, key in enumerate(answer.context_tokens)
    ]
    return Table.of(("layer", "head", "query", "key", "weight"), rows)


def told(found: Seen) -> dict[str, object]:
    """Return what files say besides arrays and settings."""
    state, answer, written = found.state, found.moment.answer, found.moment.written
    return {
        "what": words.origin(state),
        "setup": asdict(state.setup),
        "step": state.step,
        "other_setup": state.other and asdict(state.other),
        "tokens": list(answer.tokens),
        "context_tokens": list(answer.context_tokens),
        "written": None if written is None else state.task.said(written, state.setup),
        "off": sorted(state.broken.off),
        "as_drawn": sorted(state.broken.drawn),
        "hidden": sorted(state.hidden),
        "weights": [weights.tolist() for weights in answer.weights],
    }


def made_of(state: TrainingState) -> tuple[str, ...]:
    """Return where the numbers come from, for captions."""
    compared = () if state.other is None else (f"B: {pair_words.how_it_differs(state.other, state.setup)}",)
    origin = words.origin(state)
    return (f"{origin[0].upper()}{origin[1:]}", *compared, ROWS)
