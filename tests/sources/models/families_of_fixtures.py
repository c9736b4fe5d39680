"""The small models of every family, as what circuits are looked for in."""

from __future__ import annotations

from functools import lru_cache

from oracles import MODELS

from attention_explorer.sources.models import Model, load_model

ENCODERS = (
    *("bert", "bert-words", "distilbert", "roberta", "albert", "xlm-roberta", "electra", "mpnet"),
    *("nomic-bert", "nomic-bert-published", "modernbert", "esm1b", "esm2"),
)
CAPPED = "gemma2"
"""Its logits are capped, so they are no sum."""
DECODERS = (
    *("gpt2", "gpt2-scaled", "llama", "llama-gguf/model-q8_0.gguf", "mistral", "qwen2", "qwen3", CAPPED, "gemma3"),
    *("smollm3", "phi3", "phi4-mini", "olmo2", "granite", "gpt-neox", "opt", "opt-narrow"),
)
PAIRS = ("bart", "t5", "t5-gated", "mt5", "marian", "mbart")
"""Of an encoder and a decoder."""
FAMILIES = (*ENCODERS, *DECODERS, *PAIRS)
IDS = (5, 17, 3, 29, 1, 7, 22, 5)
TWIN = (5, 17, 30, 29, 1, 7, 22, 6)
TARGET = (0, 7, 38, 7)


@lru_cache
def opened(name: str) -> Model:
    return load_model(MODELS / name)


def target_of(name: str) -> tuple[int, ...] | None:
    return TARGET if name in PAIRS else None
