"""What was computed is free as soon as nobody needs it: it holds no circle, which would wait for Python's collector.

The collector comes seldom, and until then a circle keeps its arrays: some runs of Training were hundreds of MiB.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest
from sentence_models import MODELS

from attention_explorer.core.byte_cache import CACHE, arrays_in
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.training.moment import MomentRequest, moment_at
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Lookup

STEPS = 3


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Only we collect."""
    source_of.cache_clear()  # one that a test before has opened would have its arrays already
    CACHE.clear()
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def arrays_in_circles(compute: Callable[[], object]) -> list[tuple[int, ...]]:
    """Return the shapes of the arrays that were computed and that only the collector frees."""
    computed = [compute(), *(entry.value for entry in CACHE._entries.values())]
    arrays = [(array.shape, weakref.ref(array)) for array in arrays_in(computed)]
    assert arrays
    computed.clear()
    CACHE.clear()
    left = [(shape, array) for shape, array in arrays if array() is not None]
    gc.collect()
    return [shape for shape, array in left if array() is None]


@pytest.mark.parametrize("preset", HEADS_PRESETS, ids=lambda preset: preset.id)
def test_a_frame_of_heads_holds_no_circle(preset) -> None:
    assert arrays_in_circles(lambda: heads_frame(preset.state.setup)) == []


@pytest.mark.parametrize("preset", TRAINING_PRESETS, ids=lambda preset: preset.id)
def test_a_run_of_training_holds_no_circle(preset) -> None:
    asked = MomentRequest.of(preset.state.with_setup(preset.state.setup).at_step(STEPS))
    assert arrays_in_circles(lambda: moment_at(asked)) == []


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "bart", "t5", "llama-gguf/model-q8_0.gguf"])
def test_a_model_with_its_layers_holds_no_circle(name: str) -> None:
    recipe = model_recipe(MODELS / name, "The cat sat.")
    assert arrays_in_circles(lambda: [*source_of(recipe).layers(Lookup())]) == []
