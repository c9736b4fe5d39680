"""LoRA adapters on their models, against folders whose matrices were merged beforehand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from families_of_fixtures import IDS
from safetensors.numpy import load_file, save_file

from attention_explorer.errors import ExplorerError, FileError
from attention_explorer.session import memory
from attention_explorer.sources.model_recipe import model_at
from attention_explorer.sources.model_source import ModelSource, model_recipe
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.found import find_models

MODELS = Path(__file__).parents[2] / "data" / "models"
PLAIN: dict[str, object] = {"peft_type": "LORA", "r": 4, "lora_alpha": 8}
MATRICES = {
    "llama": ("model.layers.0.self_attn.q_proj", "model.layers.1.self_attn.v_proj", "model.layers.1.mlp.down_proj"),
    "bert": ("bert.encoder.layer.0.attention.self.query", "bert.encoder.layer.1.output.dense"),
    "gpt2": ("transformer.h.0.attn.c_attn", "transformer.h.1.mlp.c_proj"),
}


def tensor_of(name: str, stored: Mapping[str, np.ndarray]) -> str:
    """Return what the file of a model calls the matrix of a module."""
    return next(key for key in stored if f"{name}.weight".endswith(key) or key.endswith(f"{name}.weight"))


class Adapter:
    """An adapter in a folder beside its model, and the model merged by hand."""

    def __init__(self, folder: Path, model: str, *, rank: int = 4, scale: float = 2.0, **settings: object) -> None:
        self.base, self.path, self.merged = folder / model, folder / "tuned", folder / "merged"
        shutil.copytree(MODELS / model, self.base)
        shutil.copytree(MODELS / model, self.merged)
        self.path.mkdir()
        stored, draw = load_file(self.base / "model.safetensors"), np.random.default_rng(3)
        self.tensors: dict[str, np.ndarray] = {}
        for module in MATRICES[model]:
            key = tensor_of(module, stored)
            turned = bool(settings.get("fan_in_fan_out"))
            d_out, d_in = stored[key].shape[:: -1 if turned else 1]
            a, b = (draw.normal(0, 0.3, shape).astype(np.float32) for shape in ((rank, d_in), (d_out, rank)))
            self.tensors[f"base_model.model.{module}.lora_A.weight"] = a
            self.tensors[f"base_model.model.{module}.lora_B.weight"] = b
            added = np.float32(scale) * (b @ a)
            stored[key] = stored[key] + (added.T if turned else added)
        self.settings = {**PLAIN, "base_model_name_or_path": str(self.base), **settings}
        save_file(stored, self.merged / "model.safetensors")
        self.save()

    def save(self) -> Adapter:
        (self.path / "adapter_config.json").write_text(json.dumps(self.settings))
        save_file(self.tensors, self.path / "adapter_model.safetensors")
        return self


@pytest.mark.parametrize(
    ("model", "settings", "rank", "scale"),
    [
        ("llama", {}, 4, 2.0),
        ("llama", {"use_rslora": True}, 4, 4.0),
        ("llama", {"rank_pattern": {"q_proj": 4}, "r": 16, "alpha_pattern": {"q_proj": 8, "mlp.down_proj": 8}}, 4, 2.0),
        ("bert", {"init_lora_weights": "gaussian"}, 3, 8 / 3),
        ("gpt2", {"fan_in_fan_out": True, "bias": "none"}, 4, 2.0),
    ],
)
def test_it_computes_what_the_merged_model_does(
    tmp_path: Path, model: str, settings: dict[str, object], rank: int, scale: float
) -> None:
    adapter = Adapter(tmp_path, model, rank=rank, scale=scale, **settings)
    tuned, merged, base = (load_model(path)(IDS) for path in (adapter.path, adapter.merged, adapter.base))
    for layer in range(len(merged.weights)):
        np.testing.assert_allclose(tuned.weights[layer], merged.weights[layer], atol=1e-6)
    np.testing.assert_allclose(tuned.hidden[-1], merged.hidden[-1], atol=1e-5)
    assert np.abs(tuned.hidden[-1] - base.hidden[-1]).max() > 1e-2
    note = load_model(adapter.path).notes[0]
    assert f"merged into {len(adapter.tensors) // 2} tensors" in note
    assert f"rank {rank}" in note


def test_tensors_that_were_learned_whole_take_the_place_of_the_models(tmp_path: Path) -> None:
    adapter = Adapter(tmp_path, "llama")
    table = load_file(adapter.base / "model.safetensors")["model.embed_tokens.weight"] + 1.0
    adapter.tensors["base_model.model.model.embed_tokens.modules_to_save.weight"] = table
    adapter.save()
    np.testing.assert_allclose(load_model(adapter.path)(IDS).hidden[0], table[list(IDS)], atol=1e-6)


def test_embeddings_have_a_lora_of_their_own(tmp_path: Path) -> None:
    adapter, draw = Adapter(tmp_path, "llama"), np.random.default_rng(5)
    table = load_file(adapter.base / "model.safetensors")["model.embed_tokens.weight"]
    a, b = (draw.normal(size=shape).astype(np.float32) for shape in ((4, len(table)), (table.shape[1], 4)))
    name = "base_model.model.model.embed_tokens.lora_embedding_"
    adapter.tensors |= {f"{name}A": a, f"{name}B": b}
    adapter.save()
    np.testing.assert_allclose(load_model(adapter.path)(IDS).hidden[0], (table + 2.0 * (b @ a).T)[list(IDS)], atol=1e-5)


def test_its_model_is_found_beside_it_in_it_or_where_programs_keep_models(tmp_path: Path, monkeypatch) -> None:
    adapter = Adapter(tmp_path, "llama", base_model_name_or_path="maker/llama")
    assert load_model(adapter.path).notes
    shutil.move(adapter.base, adapter.path / "base")
    assert load_model(adapter.path).notes
    hub = tmp_path / "hub"
    shutil.move(adapter.path / "base", hub / "models--maker--llama" / "snapshots" / "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(hub))
    assert load_model(adapter.path).notes
    shutil.move(adapter.path, hub / "models--maker--tuned" / "snapshots" / "2")
    listed = {model.name: model for model in find_models(home=tmp_path)}
    assert listed["maker/tuned"].family == "LoRA of llama"
    assert not listed["maker/tuned"].reason


def test_it_is_opened_by_its_folder_or_a_file_of_it_and_compared_with_its_model(tmp_path: Path) -> None:
    adapter = Adapter(tmp_path, "gpt2", fan_in_fan_out=True)
    for path in (adapter.path, adapter.path / "adapter_config.json", adapter.path / "adapter_model.safetensors"):
        assert model_at(path) == adapter.path
    tuned, base = (ModelSource(model_recipe(path, "Hello you")) for path in (adapter.path, adapter.base))
    assert tuned.tokens == base.tokens
    assert "LoRA “tuned” is merged" in tuned.verdict()[1]


SENTENCES = [
    ({"peft_type": "LOHA"}, "only LoRA can be merged"),
    ({"use_dora": True}, "asks for “use_dora”"),
    ({"init_lora_weights": "pissa"}, "changes the model itself"),
    ({"lora_alpha": "much"}, "lora_alpha"),
    ({"alpha_pattern": {"(q|v)_proj": 3}}, "only names are read"),
    ({"base_model_name_or_path": "maker/gone"}, "“maker/gone”, which is not where programs keep models"),
    ({"base_model_name_or_path": 7}, "base_model_name_or_path"),
]


@pytest.mark.parametrize(("settings", "said"), SENTENCES)
def test_what_would_be_merged_wrongly_is_refused(tmp_path: Path, settings: dict[str, object], said: str) -> None:
    adapter = Adapter(tmp_path, "llama")
    adapter.settings |= settings
    adapter.save()
    with pytest.raises(FileError, match=said.replace("(", r"\(")):
        load_model(adapter.path)


FIRST = "base_model.model.model.layers.0.self_attn.q_proj.lora_"


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({f"{FIRST}A.weight": None}, "only one of the two matrices"),
        ({f"{FIRST}A.weight": np.zeros((3, 32), np.float32)}, "do not fit together"),
        ({f"{FIRST}magnitude_vector": np.zeros(3, np.float32)}, "no tensor of a LoRA"),
        ({"other": np.zeros(3, np.float32)}, "no tensor of a LoRA"),
        ({f"{FIRST}A.weight": np.zeros((4, 5), np.float32)}, "belongs to another model"),
        ({f"{FIRST}A.weight": np.zeros((4, 32), np.int32)}, "no floating-point numbers"),
        (
            {
                "base_model.model.elsewhere.lora_A.weight": np.zeros((4, 32), np.float32),
                "base_model.model.elsewhere.lora_B.weight": np.zeros((32, 4), np.float32),
            },
            "which the model does not have",
        ),
    ],
)
def test_tensors_that_are_no_lora_of_the_model_are_refused(
    tmp_path: Path, tensors: dict[str, np.ndarray | None], said: str
) -> None:
    adapter = Adapter(tmp_path, "llama")
    for name, array in tensors.items():
        adapter.tensors.pop(name, None)
        if array is not None:
            adapter.tensors[name] = array
    adapter.save()
    with pytest.raises(FileError, match=said):
        load_model(adapter.path)


def test_a_number_that_is_not_finite_is_refused_when_the_matrix_is_read(tmp_path: Path) -> None:
    adapter = Adapter(tmp_path, "llama")
    adapter.tensors[f"{FIRST}A.weight"][0, 0] = np.nan
    adapter.save()
    with pytest.raises(FileError, match="NaN or infinity"):
        load_model(adapter.path)(IDS)


def test_an_adapter_kept_as_a_pickle_is_not_opened(tmp_path: Path) -> None:
    adapter = Adapter(tmp_path, "llama")
    (adapter.path / "adapter_model.safetensors").rename(adapter.path / "adapter_model.bin")
    with pytest.raises(FileError, match=r"only adapters kept as \.safetensors"):
        load_model(adapter.path)


def _other_numbers(weights: Path) -> None:
    stored = load_file(weights)
    save_file({name: array * np.float32(1.5) for name, array in stored.items()}, weights)


@pytest.mark.parametrize("of_base", [False, True])
def test_a_session_notices_that_the_adapter_or_its_model_was_changed(of_base: bool, tmp_path: Path) -> None:
    adapter = Adapter(tmp_path, "llama")
    recipe = model_recipe(adapter.path, "a b")
    weights = adapter.base / "model.safetensors" if of_base else adapter.path / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes())  # written again as it was
    assert ModelSource(recipe).model.notes
    _other_numbers(weights)
    memory.empty()
    with pytest.raises(ExplorerError, match="“tuned” or its model “llama” has other numbers now: it was changed"):
        ModelSource(recipe).open()
    assert model_recipe(adapter.path, "a b") != recipe


def test_a_session_says_that_the_model_of_an_adapter_is_gone(tmp_path: Path) -> None:
    adapter = Adapter(tmp_path, "llama")
    recipe = model_recipe(adapter.path, "a b")
    shutil.rmtree(adapter.base)
    memory.empty()
    with pytest.raises(ExplorerError, match=r"is an adapter .* Put the folder of that model beside it"):
        ModelSource(recipe).open()
