"""Tensors as files of a family have them, where transformers has others."""

from __future__ import annotations

from typing import Any


def as_nomic_writes(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return tensors under the names that files of nomic-bert have, some of them joined."""
    import torch

    names = (
        ("layers.", "encoder.layers."),
        ("embeddings.LayerNorm", "emb_ln"),
        ("self_attn.o_proj", "attn.out_proj"),
        ("up_proj", "fc11"),
        ("gate_proj", "fc12"),
        ("down_proj", "fc2"),
        ("post_attention_layernorm", "norm1"),
        ("post_mlp_layernorm", "norm2"),
        ("self_attn.q_proj", "attn.Wqkv"),
    )
    found = {}
    for name, value in tensors.items():
        if "k_proj" in name or "v_proj" in name:
            continue
        short, new = name, value
        if "q_proj" in name:
            new = torch.cat([tensors[name.replace("q_proj", f"{part}_proj")] for part in "qkv"])
        for ours, theirs in names:
            short = short.replace(ours, theirs)
        found[short] = new
    return found


def as_neox_writes(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return tensors under the names that files of GPT-NeoX have."""
    return {name.replace("lm_head", "embed_out"): value for name, value in tensors.items()}
