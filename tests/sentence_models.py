"""Models made of a stored one: a sentence model as sentence-transformers lays it out, and one that fills in words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

MODELS = Path(__file__).parent / "data" / "models"
FLAGS = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}


def sentence_model(folder: Path, mode: str = "mean", *, as_flag: bool = True) -> Path:
    """Lay the files of a sentence model beside those of a small BERT, and return the folder."""
    target = Path(shutil.copytree(MODELS / "bert", folder / "sentences"))
    kinds = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    modules = [{"type": f"sentence_transformers.models.{kind}", "path": path} for kind, path in kinds]
    (target / "modules.json").write_text(json.dumps(modules))
    chosen: dict[str, object] = {"pooling_mode": mode}
    if as_flag:
        chosen = {flag: name == mode for name, flag in FLAGS.items()} | (
            {} if mode in FLAGS else {f"pooling_mode_{mode}": True}
        )
    (target / "1_Pooling").mkdir()
    (target / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **chosen}))
    return target


def with_masked_words(folder: Path) -> Path:
    """Give a small BERT a head, drawn at random, that fills in masked words, and return the folder."""
    target = Path(shutil.copytree(MODELS / "bert", folder / "words"))
    tensors, draw = load_file(target / "model.safetensors"), np.random.default_rng(0)
    vocabulary, width = tensors["embeddings.word_embeddings.weight"].shape
    shapes: dict[str, tuple[int, ...]] = {"transform.dense.weight": (width, width), "bias": (vocabulary,)}
    shapes |= dict.fromkeys(
        ("transform.dense.bias", "transform.LayerNorm.weight", "transform.LayerNorm.bias"), (width,)
    )
    for name, shape in shapes.items():
        tensors[f"cls.predictions.{name}"] = draw.standard_normal(shape, dtype=np.float32)
    save_file(tensors, target / "model.safetensors")
    config = json.loads((target / "config.json").read_text())
    (target / "config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    return target
