"""What headers of .gguf files say of the families, and what they leave out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import MODELS

from attention_explorer.errors import FileError
from attention_explorer.model.transformer import Inputs, Spec
from attention_explorer.sources.models.gguf_families import ARCHITECTURES
from attention_explorer.sources.models.gguf_file import GgufFile, read_gguf
from attention_explorer.sources.models.gguf_model import read_gguf_model
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors
from attention_explorer.sources.recorded.file_bytes import FileBytes

HEADER: dict[str, Any] = {
    "block_count": 6,
    "context_length": 64,
    "embedding_length": 40,
    "feed_forward_length": 8,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.key_length": 6,
    "attention.layer_norm_rms_epsilon": 1e-6,
    "attention.sliding_window": 5,
}


def spec_of(name: str, **said: object) -> Spec:
    values = {key: value for key, value in {**HEADER, **said}.items() if value is not None}
    return ARCHITECTURES[name].spec(Settings("“a.gguf”", values), Tensors("“a.gguf”", {}), 300)


def base_of(spec: Spec, layer: int) -> float:
    rope = spec.layers[layer].rope
    assert rope is not None
    return float(rope.frequencies(1)[1] ** (-spec.head_width / 2))


def windows_of(spec: Spec) -> list[int | None]:
    return [layer.window for layer in spec.layers]


def test_what_older_files_of_gemma_do_not_say_is_the_rule() -> None:
    two, three = spec_of("gemma2"), spec_of("gemma3")
    assert windows_of(two) == [5, None] * 3
    assert windows_of(three) == [5] * 5 + [None]
    assert (two.soft_cap, two.logit_cap, three.soft_cap, three.logit_cap) == (50.0, 30.0, None, None)
    assert [base_of(three, place) for place in (4, 5)] == pytest.approx([10_000.0, 1_000_000.0], rel=1e-4)
    assert [base_of(two, place) for place in (0, 1)] == pytest.approx([10_000.0] * 2, rel=1e-4)


def test_what_newer_files_of_gemma_say_is_taken() -> None:
    pattern = np.array([1, 0, 1, 1, 1, 0], bool)
    said = {"attention.sliding_window_pattern": pattern, "rope.freq_base_swa": 500.0, "rope.freq_base": 9000.0}
    spec = spec_of("gemma3", **said, final_logit_softcapping=7.0)
    assert windows_of(spec) == [5, None, 5, 5, 5, None]
    assert [base_of(spec, place) for place in (0, 1)] == pytest.approx([500.0, 9000.0], rel=1e-4)
    assert spec.logit_cap == 7.0
    assert windows_of(spec_of("gemma3", **{"attention.sliding_window_pattern": 2})) == [5, None] * 3
    with pytest.raises(FileError, match="6 layers and 2 of their types"):
        spec_of("gemma3", **{"attention.sliding_window_pattern": pattern[:2]})


@pytest.mark.parametrize(("name", "layers"), [("gemma2", 46), ("gemma3", 62)])
def test_the_largest_gemmas_divide_scores_by_their_width(name: str, layers: int) -> None:
    assert spec_of(name).layers[0].scale == 6**-0.5
    assert spec_of(name, block_count=layers).layers[0].scale == (40 / 4) ** -0.5
    assert spec_of(name, **{"attention.scale": 0.25}).layers[0].scale == 0.25


def test_only_layers_that_see_all_are_stretched() -> None:
    plain, spec = spec_of("gemma3"), spec_of("gemma3", **{"rope.scaling.type": "linear", "rope.scaling.factor": 8.0})
    for place, factor in ((4, 1.0), (5, 8.0)):
        a, b = plain.layers[place].rope, spec.layers[place].rope
        assert a is not None
        assert b is not None
        np.testing.assert_allclose(a.frequencies(1), b.frequencies(1) * factor, rtol=1e-6)


def test_a_window_of_0_is_none_in_phi3_and_only_there() -> None:
    assert windows_of(spec_of("phi3", **{"attention.sliding_window": 0})) == [None] * 6
    assert windows_of(spec_of("phi3")) == [5] * 6
    with pytest.raises(FileError, match=r"“attention\.sliding_window”: 0, but it must be"):
        spec_of("gemma3", **{"attention.sliding_window": 0})


def test_every_fourth_layer_of_smollm3_has_no_positions() -> None:
    assert [layer.rope is None for layer in spec_of("smollm3").layers] == [False, False, False, True, False, False]


def test_granite_without_factors_is_llama() -> None:
    spec = spec_of("granite")
    assert (spec.embedding_scale, spec.residual_scale, spec.logit_scale) == (1.0, 1.0, 1.0)
    assert spec.layers[0].scale == 6**-0.5
    assert spec_of("granite", logit_scale=8.0).logit_scale == 0.125


@pytest.mark.parametrize("turned", [3, 8])
def test_a_part_of_a_head_that_cannot_be_turned_is_refused(turned: int) -> None:
    with pytest.raises(FileError, match=f"turns {turned} of the 6"):
        spec_of("phi3", **{"rope.dimension_count": turned})


FILES = ("qwen2", "qwen3", "gemma2", "gemma3", "phi3", "smollm3", "granite", "olmo2")
NOBODY: list[tuple[tuple[str, ...], str, object]] = [
    (FILES, "expert_count", 8),
    (FILES, "attention.max_alibi_bias", 8.0),
    (FILES, "attention.causal", False),
    (FILES, "use_parallel_residual", True),
    (FILES, "attention.value_length", 512),
    (("qwen2", "qwen3", "phi3", "smollm3", "olmo2"), "attention.scale", 0.5),
    (("qwen2", "qwen3", "smollm3", "granite", "olmo2"), "attention.sliding_window", 4),
    (("qwen2", "qwen3", "smollm3", "granite", "olmo2"), "attn_logit_softcapping", 50.0),
    (("qwen2", "qwen3", "gemma2", "gemma3", "smollm3", "granite", "olmo2"), "rope.dimension_count", 2),
    (("qwen2", "gemma3", "smollm3", "olmo2", "phi3"), "embedding_scale", 12.0),
    (("qwen2", "qwen3", "granite", "olmo2", "smollm3"), "rope.scaling.type", "longrope"),
    (("phi3",), "rope.scaling.type", "yarn"),
    (("gemma3",), "attn_logit_softcapping", 50.0),
    (("qwen2", "qwen3"), "rope.scaling.attn_factor", 1.2),
]


@pytest.mark.parametrize(("names", "key", "value"), NOBODY)
def test_what_nobody_computes_is_refused_by_name(names: tuple[str, ...], key: str, value: object) -> None:
    for name in names:
        file = read_gguf(FileBytes(MODELS / f"{name}-gguf" / "model.gguf"))
        read_gguf_model("“a.gguf”", file, 0)
        with pytest.raises(FileError, match=re.escape(f"“a.gguf” says “{key}”: ")):
            read_gguf_model("“a.gguf”", file._replace(values={**file.values, f"{name}.{key}": value}), 0)


def test_a_file_without_one_of_its_tensors_is_refused() -> None:
    for name in FILES:
        file = read_gguf(FileBytes(MODELS / f"{name}-gguf" / "model.gguf"))
        for lacking in file.arrays.keys() - {"output.weight"}:  # for which that of the embeddings stands in
            arrays = {each: array for each, array in file.arrays.items() if each != lacking}
            with pytest.raises(FileError, match=r"tensor|attn_factor"):
                read_gguf_model("“a.gguf”", file._replace(arrays=arrays), 0)


# ---- Headers that say something else ----

NOTHING = object()
"""The name is left out."""
SAID: tuple[object, ...] = (
    *(NOTHING, 0, -1, 1, 3, 7, 2**31, 2**62, 0.0, 1e-40, 0.5, 1e30, float("nan"), float("inf"), "x", "", True, False),
    *(np.array([1, 2], np.int32), np.array([], np.int32), np.array([1.0])),
)
NUMBERS = re.compile(
    r"\.(attention\.layer_norm_rms_epsilon|rope\.freq_base|attention\.sliding_window|attn_logit_softcapping|"
    r"final_logit_softcapping|attention\.scale|embedding_scale|residual_scale|logit_scale|"
    r"rope\.scaling\.(original_context_length|attn_factor))$"
)
"""What a family computes with: another number of it is another model, where it is one that a model may have."""


@pytest.mark.parametrize(
    "path", sorted(MODELS.glob("*-gguf/*.gguf")), ids=lambda path: f"{path.parent.name} {path.stem}"
)
def test_altered_headers_are_refused_or_computed(path: Path) -> None:
    file = read_gguf(FileBytes(path))
    plain, refusals, mutations = _hidden(file), set[str](), 0
    for key in (name for name in file.values if name.startswith(f"{file.values['general.architecture']}.")):
        for value in SAID:
            values = {**file.values, key: value}
            if value is NOTHING:
                del values[key]
            mutations += 1
            try:
                hidden = _hidden(file._replace(values=values))
            except FileError as error:
                refusals.add(str(error))
            else:
                assert np.isfinite(hidden).all(), (key, value)
                assert NUMBERS.search(key) or np.array_equal(hidden, plain), (key, value)
    assert mutations > 150
    assert [said for said in refusals if not ("“a.gguf”" in said and said.endswith("."))] == []


def _hidden(file: GgufFile) -> np.ndarray:
    model = read_gguf_model("“a.gguf”", file, 0)
    ids = np.array((5, 17, 3, 39, 1, 0, 22, 5, 9, 30, 31, 2)) % model.main.spec.vocabulary
    return np.stack(list(model.run(Inputs(ids), None, room=2**20).main.hidden))
