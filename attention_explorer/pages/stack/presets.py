"""What is said of layers that are in no list of examples: of those that were learned, and of what Heads shows."""

from __future__ import annotations

from attention_explorer.core.preset import Preset
from attention_explorer.pages.stack.choices import LearnedStack
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Recipe


def learned_settings(learned: LearnedStack) -> Preset[BlockState]:
    """Return what is said of learned layers, which are in no list."""
    return Preset(
        "learned",
        f"Learned: {task_of(learned.setup.task).title}, step {learned.step}",
        "These numbers were learned on the Training page; none is random. Go from box to box with ← and →, and "
        "from layer to layer below; in the weights each word shows what it looks at. Type other words that it knows.",
        BlockState(),
    )


def model_settings(model: Recipe) -> Preset[BlockState]:
    """Return what is said of the layer of what Heads shows, which is in no list."""
    return Preset(
        "model",
        source_of(model).traits.kind,
        "Every array that the sentence passes through in what Heads shows, with the same weights. Follow a word, go "
        "from head to head, and compare what a head looks at with what arrives.",
        BlockState(),
    )
