"""The small models of every family, as what circuits are looked for in."""

from __future__ import annotations

from functools import lru_cache

from oracles import MODELS

from attention_explorer.sources.models import Model, load_model

ENCODERS = ("bert", "bert-words", "distilbert", "roberta", "albert")
DECODERS = ("gpt2", "gpt2-scaled", "llama", "llama-gguf/model-q8_0.gguf", "mistral", "qwen2", "qwen3")
PAIRS = ("bart", "t5", "t5-gated")
"""Of an encoder and a decoder."""
FAMILIES = (*ENCODERS, *DECODERS, *PAIRS)
IDS = (5, 17, 3, 39, 1, 7, 22, 5)
TWIN = (5, 17, 30, 39, 1, 7, 22, 6)
TARGET = (0, 7, 38, 7)


@lru_cache
def opened(name: str) -> Model:
    return load_model(MODELS / name)


def target_of(name: str) -> tuple[int, ...] | None:
    return TARGET if name in PAIRS else None
