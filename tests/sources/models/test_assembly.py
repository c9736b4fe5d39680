"""A family that is a table: each switch of its specification decides which tensors are read, and as what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from attention_explorer.errors import FileError
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import LayerSpec, NormPlace, NormSpec, QkNorm, Spec, Stack
from attention_explorer.sources.models.assembly import assembled
from attention_explorer.sources.models.family import AttentionNames, Family, NetworkNames, Tower, TowerNames
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import Tensors
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.safetensors_file import read_safetensors

SPEC = Spec(
    width=6,
    inner=5,
    heads=2,
    kv_heads=1,
    head_width=4,
    vocabulary=7,
    layers=(LayerSpec("0", 0.5),),
    is_causal=True,
    norm=NormSpec(NormKind.RMS, 1e-6, NormPlace.SANDWICH, adds_one=True),
    activation="silu",
    gated=True,
    biases=frozenset({"q", "v", "down"}),
    qk_norm=QkNorm.WHOLE,
)
NAMES = TowerNames(
    words="words",
    layer="{}.",
    attention=AttentionNames(("q", "k", "v"), "o", ("in", "out"), ("qn", "kn")),
    network=NetworkNames(("gate", "up"), "down", ("in2", "out2")),
    final_norm="last",
)
FAMILY = Family(towers=(Tower(spec=lambda _: SPEC, names=NAMES),))
SHAPES = {
    "words": (7, 6),
    "0.q.weight": (8, 6),
    "0.q.bias": (8,),
    "0.k.weight": (4, 6),
    "0.v.weight": (4, 6),
    "0.v.bias": (4,),
    "0.o.weight": (6, 8),
    "0.in.weight": (6,),
    "0.out.weight": (6,),
    "0.qn.weight": (8,),
    "0.kn.weight": (4,),
    "0.gate.weight": (5, 6),
    "0.up.weight": (5, 6),
    "0.down.weight": (6, 5),
    "0.down.bias": (6,),
    "0.in2.weight": (6,),
    "0.out2.weight": (6,),
    "last.weight": (6,),
}


def drawn() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(3)
    return {name: draw.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}


def stack_of(tmp_path: Path, spec: Spec, arrays: dict[str, np.ndarray]) -> Stack:
    save_file(arrays, tmp_path / "a.safetensors")
    found = read_safetensors(FileBytes(tmp_path / "a.safetensors"))
    family = replace(FAMILY, towers=(Tower(spec=lambda _: spec, names=NAMES),))
    return assembled(family, Settings("“a”", {}), Tensors("“a”", found.arrays, found.unfit), 2**20).main


def test_each_tensor_is_read_as_what_the_specification_says(tmp_path: Path) -> None:
    arrays = drawn()
    stack = stack_of(tmp_path, SPEC, arrays)
    attention, network = stack.layers[0].attention, stack.layers[0].network
    joined = np.concatenate([arrays[f"0.{name}.weight"] for name in "qkv"])
    np.testing.assert_array_equal(attention.project.weight, joined.T)
    biases = np.concatenate([arrays["0.q.bias"], np.zeros(4, np.float32), arrays["0.v.bias"]])
    np.testing.assert_array_equal(attention.project.bias, biases)
    assert attention.output.bias is None
    assert network.up.bias is None
    np.testing.assert_array_equal(network.up.weight, np.concatenate([arrays["0.gate.weight"], arrays["0.up.weight"]]).T)
    assert attention.qk_norms is not None
    for norm, name in (
        (attention.norms.before, "0.in"),
        (attention.norms.inner, "0.out"),
        (network.norms.before, "0.in2"),
        (network.norms.inner, "0.out2"),
        (attention.qk_norms[0], "0.qn"),
        (attention.qk_norms[1], "0.kn"),
        (stack.final_norm, "last"),
    ):
        assert norm is not None
        np.testing.assert_array_equal(norm.gain, arrays[f"{name}.weight"] + np.float32(1.0))
        assert norm.bias is None
    assert (attention.norms.after, network.norms.after) == (None, None)


def test_gains_are_taken_as_they_are_where_no_one_is_added(tmp_path: Path) -> None:
    arrays = drawn()
    stack = stack_of(tmp_path, replace(SPEC, norm=SPEC.norm._replace(adds_one=False)), arrays)
    assert stack.final_norm is not None
    np.testing.assert_array_equal(stack.final_norm.gain, arrays["last.weight"])


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (replace(SPEC, biases=SPEC.biases | {"k"}), "no tensor “0.k.bias”"),
        (replace(SPEC, biases=frozenset({"q", "v"})), "“0.down.bias” .*is no tensor of a model"),
        (replace(SPEC, qk_norm=QkNorm.HEAD), r"“0.qn.weight” .* shape \[8\].* asks for \[4\]"),
        (replace(SPEC, qk_norm=QkNorm.NONE), "“0.kn.weight” .*is no tensor of a model"),
        (replace(SPEC, head_width=2), r"“0.q.weight” .* asks for \[4, 6\]"),
        (replace(SPEC, norm=SPEC.norm._replace(kind=NormKind.LAYER)), "no tensor “0.in.bias”"),
    ],
)
def test_a_specification_of_another_model_does_not_fit(tmp_path: Path, spec: Spec, reason: str) -> None:
    with pytest.raises(FileError, match=reason):
        stack_of(tmp_path, spec, drawn())


def test_layers_of_one_name_share_their_weights_and_not_their_scales(tmp_path: Path) -> None:
    layers = (LayerSpec("0", 0.5), LayerSpec("0", 0.5), LayerSpec("0", 0.25))
    found = stack_of(tmp_path, replace(SPEC, layers=layers), drawn()).layers
    assert found[0] is found[1]
    assert [layer.attention.scale for layer in found] == [0.5, 0.5, 0.25]
