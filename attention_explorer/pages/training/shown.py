"""What lessons can ask of the Training page besides its fields."""

from __future__ import annotations

import math

from attention_explorer.core.named import (
    Chooser,
    Group,
    Members,
    Shown,
    members_of_row,
    place_of,
)
from attention_explorer.errors import quoted
from attention_explorer.pages.training.moment import MomentRequest, accuracy_at, answer_at, trained
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.sources.learned.learned_model import Answer


def training_members(state: TrainingState) -> Members:
    """Return what is known of a step; where nobody has learned so far, it is learned now."""

    def answer() -> Answer:
        return answer_at(*MomentRequest.of(state).asked_at(state.step))

    def accuracy() -> Shown:
        share = accuracy_at(state.setup, state.step, state.broken)
        return Shown(share, "the share of right answers to sentences never seen")

    def weight() -> Shown:
        run = trained(state.setup, state.step)
        found = run.trial.measure(run.at(state.step).network).weight
        return Shown(math.nan if found is None else found, "the weight of the best head on what answers")

    def row(which: str | int) -> Group:
        layer, head = state.head_shown
        asked = answer()
        place = place_of(asked.tokens, which)
        weights = asked.weights[layer][head][place]
        return Group(members_of_row(quoted(asked.tokens[place]), asked.context_tokens, weights))

    return {
        "accuracy": accuracy,
        "weight": weight,
        "answer": lambda: Shown(answer().answers[-1], "what it answers"),
        "right_answer": lambda: Shown(answer().right[-1] or "", "what is right"),
        "words": lambda: Shown(answer().context_tokens, "the words it looks at, word"),
        "row": lambda: Chooser(row),
        "heads_off": lambda: Shown(len(state.broken.off), "how many heads are off"),
    }
