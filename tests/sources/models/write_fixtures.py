"""Write the small models that PyTorch is the truth for: python -m tests.sources.models.write_fixtures [NAME …]

It needs torch and transformers, which nothing else here does (these files: torch 2.13.0, transformers 5.23.0). Every
parameter is random, biases and norms too, so that none can be left out unnoticed. The oracle is the eager attention of
PyTorch in float32, on weights that were first rounded to the type in which they are saved. With names, only those of
`LATER` are written, each of which draws by itself.
"""

import json
import sys
import zlib
from pathlib import Path

import numpy as np

from tests.sources.models.gguf_writing import write_gguf_file
from tests.sources.models.random_folders import numbers_of

TARGET = Path(__file__).parents[2] / "data" / "models"
SMALL = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 24}
ENCODER = {**SMALL, "max_position_embeddings": 32, "pad_token_id": 1, "hidden_act": "gelu"}
DECODER = {**SMALL, "max_position_embeddings": 64, "num_key_value_heads": 2, "tie_word_embeddings": False}
TINY = {**SMALL, "num_hidden_layers": 1, "max_position_embeddings": 32}
TOWER = {"layers": 1, "ffn_dim": 24, "attention_heads": 4}
TOWERS = {f"{tower}_{part}": size for tower in ("encoder", "decoder") for part, size in TOWER.items()}
BART = {"vocab_size": 40, "d_model": 16, "max_position_embeddings": 32, "pad_token_id": 1, **TOWERS}
T5 = {"vocab_size": 40, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_layers": 1, "num_heads": 4}
TIES = {
    "llama-own-head": ("LlamaForCausalLM", {**TINY, "tie_word_embeddings": True}, ()),
    "gpt2-head-only": (
        "GPT2LMHeadModel",
        {"vocab_size": 40, "n_embd": 16, "n_layer": 1, "n_head": 4, "n_inner": 24, "n_positions": 32},
        ("transformer.wte.weight",),
    ),
    "bert-own-head": ("BertForMaskedLM", {**TINY, "pad_token_id": 1}, ()),
    "bert-untied": ("BertForMaskedLM", {**TINY, "pad_token_id": 1, "tie_word_embeddings": False}, ()),
    "distilbert-own-head": (
        "DistilBertForMaskedLM",
        {"vocab_size": 40, "dim": 16, "n_layers": 1, "n_heads": 4, "hidden_dim": 24, "max_position_embeddings": 32},
        (),
    ),
    "bart-own-encoder": ("BartForConditionalGeneration", BART, ("model.decoder.embed_tokens.weight", "lm_head.weight")),
    "bart-untied": ("BartForConditionalGeneration", {**BART, "tie_word_embeddings": False}, ()),
    "t5-own-tables": ("T5ForConditionalGeneration", {**T5, "decoder_start_token_id": 0}, ()),
    "t5-decoder-only-table": (
        "T5ForConditionalGeneration",
        {**T5, "decoder_start_token_id": 0},
        ("shared.weight", "encoder.embed_tokens.weight", "lm_head.weight"),
    ),
}
"""The class, its settings, and which tensors the file lacks; those that it has all differ, though some say that they
are one."""
ROPES = {
    "linear": {"rope_type": "linear", "rope_theta": 500.0, "factor": 2.5},
    "dynamic": {"rope_type": "dynamic", "rope_theta": 500.0, "factor": 2.0},
    "yarn": {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "original_max_position_embeddings": 16},
    "llama3": {
        "rope_type": "llama3",
        "rope_theta": 500.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16,
    },
}
IDS = (5, 17, 3, 39, 1, 0, 22, 5, 9, 30, 31, 2, 2, 11, 25, 8, 19, 33, 4, 12)
LATER = {
    "qwen3": (
        "Qwen3ForCausalLM",
        {**DECODER, "head_dim": 6, "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
    )
}
"""The class and its settings."""


def main():
    import torch
    import transformers as hf

    if sys.argv[1:]:
        _write_later(hf, sys.argv[1:])
        return
    torch.manual_seed(7)
    cases = {
        "distilbert": (
            hf.DistilBertForMaskedLM,
            hf.DistilBertConfig(
                vocab_size=40, dim=16, n_layers=3, n_heads=4, hidden_dim=24, max_position_embeddings=32
            ),
            {},
        ),
        "roberta": (hf.RobertaForMaskedLM, hf.RobertaConfig(**ENCODER, type_vocab_size=1), {}),
        "albert": (
            hf.AlbertForMaskedLM,
            hf.AlbertConfig(**ENCODER, embedding_size=8, num_hidden_groups=2, inner_group_num=1),
            {},
        ),
        "bert-words": (hf.BertForMaskedLM, hf.BertConfig(**ENCODER, type_vocab_size=2), {"dtype": torch.bfloat16}),
        "mistral": (
            hf.MistralForCausalLM,
            hf.MistralConfig(**DECODER, sliding_window=5),
            {"dtype": torch.float16, "shard": "4KB"},
        ),
        "qwen2": (
            hf.Qwen2ForCausalLM,
            hf.Qwen2Config(**DECODER, use_sliding_window=True, sliding_window=4, max_window_layers=1),
            {},
        ),
        "gpt2-scaled": (
            hf.GPT2LMHeadModel,
            hf.GPT2Config(
                vocab_size=40,
                n_embd=16,
                n_layer=3,
                n_head=4,
                n_inner=24,
                n_positions=32,
                scale_attn_by_inverse_layer_idx=True,
                activation_function="gelu_new",
            ),
            {},
        ),
        "t5-gated": (
            hf.T5ForConditionalGeneration,
            hf.T5Config(
                vocab_size=40,
                d_model=16,
                d_kv=6,
                d_ff=24,
                num_layers=2,
                num_decoder_layers=3,
                num_heads=4,
                feed_forward_proj="gated-gelu",
                tie_word_embeddings=False,
                relative_attention_num_buckets=12,
                relative_attention_max_distance=10,
                decoder_start_token_id=0,
            ),
            {},
        ),
    }
    for name, (kind, config, how) in cases.items():
        model, folder = randomised(kind(eager(config)), how.get("dtype")), TARGET / name
        save(model, folder, **how)
        np.savez_compressed(folder / "oracle.npz", **truth(model, config.is_encoder_decoder))
    _write_ropes(hf)
    _write_ties(hf)
    _write_later(hf, LATER)


def _write_later(hf, names):
    import torch

    for name in names:
        torch.manual_seed(zlib.crc32(name.encode()))
        kind, settings = LATER[name]
        model = randomised(getattr(hf, kind)(eager(getattr(hf, kind).config_class(**settings))), None)
        save(model, TARGET / name)
        np.savez_compressed(TARGET / name / "oracle.npz", **truth(model, model.config.is_encoder_decoder))


def _write_ties(hf):
    """Models whose tables are tied, by the configuration or by what the file holds: as transformers reads the file."""
    import torch
    from safetensors.torch import save_file

    for name, (kind, settings, lacks) in TIES.items():
        folder, model_class = TARGET / "tied" / name, getattr(hf, kind)
        folder.mkdir(parents=True, exist_ok=True)
        config = model_class.config_class(**settings, architectures=[kind])
        config.save_pretrained(folder)
        numbers = {key: value for key, value in numbers_of(model_class(config)).items() if key not in lacks}
        save_file(numbers, folder / "model.safetensors")
        model = model_class.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
        np.savez_compressed(folder / "oracle.npz", **truth(model.eval(), config.is_encoder_decoder))
    for name, tied in (("gguf-tied", True), ("gguf-own-output", False)):
        folder = TARGET / "tied" / name
        folder.mkdir(parents=True, exist_ok=True)
        model = hf.LlamaForCausalLM(eager(hf.LlamaConfig(**TINY, tie_word_embeddings=tied)))
        model.load_state_dict(numbers_of(model))
        model.tie_weights()
        write_gguf_file(model, folder / "model.gguf", "llama")
        np.savez_compressed(folder / "oracle.npz", **truth(model.eval(), False))


def _write_ropes(hf):
    """One model, whose positions are turned in four ways."""
    sizes = {**DECODER, "max_position_embeddings": 16, "num_attention_heads": 2, "num_key_value_heads": 1}
    folder, found, weights = TARGET / "llama-ropes", {}, None
    for name, rope in ROPES.items():
        longer = {"max_position_embeddings": 64} if "original_max_position_embeddings" in rope else {}
        config = hf.LlamaConfig(
            **{**sizes, **longer}, head_dim=12, attention_bias=True, mlp_bias=True, rope_parameters=rope
        )
        model = hf.LlamaForCausalLM(eager(config))
        if weights is None:
            weights = randomised(model, None).state_dict()
            save(model, folder)
        model.load_state_dict(weights)
        found |= {f"{name}_{key}": array for key, array in truth(model.eval(), False).items()}
        (folder / f"{name}.json").write_text(json.dumps(json.loads(config.to_json_string(use_diff=False)), indent=1))
    np.savez_compressed(folder / "oracle.npz", **found)


def eager(config):
    config._attn_implementation = "eager"
    return config


def randomised(model, dtype, gain=1.0):
    import torch

    with torch.no_grad():
        for name, numbers in model.named_parameters():
            if not numbers.requires_grad:  # what nobody trains, such as the sines of Marian
                continue
            mean = gain if "norm" in name.lower() and name.endswith("weight") else 0.0
            numbers.normal_(mean, 0.3)
            if dtype is not None:
                numbers.copy_(numbers.to(dtype).float())
    model.tie_weights()
    return model.eval()


def save(model, folder, dtype=None, shard="1GB"):
    """Save in a type, without altering the model: its tables of frequencies would be rounded with it."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {name: numbers.to(dtype) for name, numbers in model.state_dict().items()} if dtype else None
    model.save_pretrained(folder, state_dict=numbers, max_shard_size=shard)
    (folder / "generation_config.json").unlink(missing_ok=True)


def truth(model, is_pair, ids=IDS):
    import torch

    ids = torch.tensor([ids])
    target = torch.tensor([[0, 7, 38, 7, 13, 2, 21, 16, 16, 35]])
    how = {"output_attentions": True, "output_hidden_states": True}
    with torch.no_grad():
        run = model(input_ids=ids, **({"decoder_input_ids": target} if is_pair else {}), **how)
    names = {"attentions": "weights", "hidden_states": "hidden"}
    if is_pair:
        names = {
            "decoder_attentions": "weights",
            "encoder_attentions": "encoder_weights",
            "cross_attentions": "cross_weights",
            "decoder_hidden_states": "hidden",
            "encoder_hidden_states": "encoder_hidden",
        }
    alike = {ours: run[theirs] for theirs, ours in names.items() if len({each.shape for each in run[theirs]}) == 1}
    found = {ours: torch.stack(every)[:, 0].numpy() for ours, every in alike.items()}
    found |= {"ids": ids[0].numpy()} | ({"logits": run.logits[0].numpy()} if "logits" in run else {})
    return found | ({"target": target[0].numpy()} if is_pair else {})


if __name__ == "__main__":
    main()
