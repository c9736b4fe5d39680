"""Write the fixtures of families, each with its tokeniser: python -m tests.sources.models.write_families [NAME …]

It needs torch, transformers and tokenizers (these files: torch 2.13.0, transformers 5.24.0, tokenizers 0.23.3). As in
`write_fixtures`, every parameter is random, and the oracle is the eager attention of PyTorch in float32. The oracle
holds a text too, with its tokens as the tokeniser of the folder cuts it.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.sources.models.fixture_tokenisers import AMINO, KINDS, TEXT
from tests.sources.models.gguf_writing import write_gguf_file
from tests.sources.models.relaid import as_nomic_writes
from tests.sources.models.write_fixtures import TARGET, eager, randomised, save, truth

Settings = dict[str, Any]
PROTEIN = "MKTAYIAKQR QISF<mask>KSHFJJSR.x"
_READ_BY_TRANSFORMERS = ("qwen2", "qwen3", "gemma2", "gemma3", "phi3")
"""What a .gguf file is of where transformers has a reader; other files hold the very numbers of the model."""
LENGTH = 24
"""Of what the oracle is about: the tokens of the text, and others at random."""
_HEADS = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 24}
_PLACES = {**_HEADS, "max_position_embeddings": 40}


def _rope(base: float, **more: Any) -> Settings:
    return {"rope_type": "default", "rope_theta": base, **more}


_QWEN = {**_HEADS, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_key_value_heads": 2}
_QWEN |= {"tie_word_embeddings": True, "max_position_embeddings": 64, "rope_parameters": _rope(30.0)}

_BY_KIND = {"rope_parameters": {"full_attention": _rope(90.0), "sliding_attention": _rope(20.0)}}
_MODERN = {**_HEADS, "num_hidden_layers": 4, "pad_token_id": 0}
_MODERN |= {"bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
_GEMMA = {**_HEADS, "num_hidden_layers": 2, "num_key_value_heads": 2, "head_dim": 6, "query_pre_attn_scalar": 9}
_GEMMA |= {"sliding_window": 4, "max_position_embeddings": 64}

_GEMMA_GGUF = {**_GEMMA, "hidden_size": 32, "intermediate_size": 32, "head_dim": 8, "query_pre_attn_scalar": 8}
_GEMMA_ROPES = {"full_attention": _rope(90.0), "sliding_attention": _rope(10_000.0)}

_SMALL_LLAMA = {**_HEADS, "num_hidden_layers": 3, "num_key_value_heads": 2, "max_position_embeddings": 64}
_SMALL_LLAMA |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_PHI3 = {"rope_parameters": _rope(60.0)}
_PHI4 = {
    "hidden_size": 32,
    "original_max_position_embeddings": 16,
    "partial_rotary_factor": 0.75,
    "tie_word_embeddings": True,
    "rope_parameters": {
        "rope_type": "longrope",
        "rope_theta": 60.0,
        "short_factor": [1.0, 1.1, 1.5],
        "long_factor": [1.2, 2.0, 4.0],
        "partial_rotary_factor": 0.75,
    },
}
_NO_WORDS = {"vocab_size": 60}
_EVEN = {"intermediate_size": 32}
"""Rows of whole blocks of Q8_0."""
_FACTORS = {
    "embedding_multiplier": 3.0,
    "residual_multiplier": 0.4,
    "attention_multiplier": 0.3,
    "logits_scaling": 4.0,
    "tie_word_embeddings": True,
}
_OPT = {"hidden_size": 16, "ffn_dim": 24, "num_hidden_layers": 3, "num_attention_heads": 4}
_OPT |= {"max_position_embeddings": 40, "word_embed_proj_dim": 16}
_TOWER = {"layers": 2, "ffn_dim": 24, "attention_heads": 4}
_BART = {f"{tower}_{part}": size for tower in ("encoder", "decoder") for part, size in _TOWER.items()}
_BART |= {"d_model": 16, "max_position_embeddings": 40, "scale_embedding": True, "decoder_start_token_id": 2}
_MARIAN = {"vocab_size": 60, "pad_token_id": 59, "decoder_start_token_id": 59, "activation_function": "swish"}
_T5 = {"d_model": 16, "d_kv": 6, "d_ff": 24, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4}
_T5 |= {"relative_attention_num_buckets": 12, "relative_attention_max_distance": 10, "decoder_start_token_id": 0}
_NEOX = {**_HEADS, "hidden_size": 32, "num_hidden_layers": 2, "max_position_embeddings": 64}
_ESM2 = {"position_embedding_type": "rotary", "token_dropout": True}
_ESM = {"mask_token_id": 32, "pad_token_id": 1, "vocab_size": 33, "layer_norm_eps": 1e-5}


class Case(NamedTuple):
    """A model."""

    kind: str
    """Its class in transformers."""
    settings: Settings
    tokeniser: str
    """One of `KINDS`."""
    relaid: Callable[[Settings, dict[str, Any]], tuple[Settings, dict[str, Any]]] | None = None
    """Returns configuration and tensors as the makers of the family publish them, where that is otherwise."""
    gguf: str = ""
    """What a .gguf file calls the family, if it is one, which transformers then reads itself."""
    pre: str = ""
    """How such a file says that text is cut before the merges."""


def _nomic_as_published(config: Settings, tensors: dict[str, Any]) -> tuple[Settings, dict[str, Any]]:
    """As the authors' own program writes it."""
    said = {
        "model_type": "nomic_bert",
        "architectures": ["NomicBertForPreTraining"],
        "activation_function": "swiglu",
        "causal": False,
        "layer_norm_epsilon": config["layer_norm_eps"],
        "max_trained_positions": 2048,
        "mlp_fc1_bias": False,
        "mlp_fc2_bias": False,
        "n_embd": config["hidden_size"],
        "n_head": config["num_attention_heads"],
        "n_inner": config["intermediate_size"],
        "n_layer": config["num_hidden_layers"],
        "n_positions": 8192,
        "pad_vocab_size_multiple": 1,
        "parallel_block": False,
        "prenorm": False,
        "qkv_proj_bias": False,
        "rotary_emb_base": config["rope_parameters"]["rope_theta"],
        "rotary_emb_fraction": 1.0,
        "rotary_emb_interleaved": False,
        "rotary_emb_scale_base": None,
        "rotary_scaling_factor": None,
        "scale_attn_by_inverse_layer_idx": False,
        "scale_attn_weights": True,
        "tie_word_embeddings": True,
        "type_vocab_size": config["type_vocab_size"],
        "use_rms_norm": False,
        "vocab_size": config["vocab_size"],
    }
    return said, as_nomic_writes(tensors)


CASES: Mapping[str, Case] = {
    "xlm-roberta": Case("XLMRobertaForMaskedLM", {**_PLACES, "type_vocab_size": 1, "pad_token_id": 1}, "xlm-roberta"),
    "camembert": Case("CamembertForMaskedLM", {**_PLACES, "type_vocab_size": 1, "pad_token_id": 1}, "xlm-roberta"),
    "electra": Case("ElectraForMaskedLM", {**_PLACES, "embedding_size": 8}, "bert"),
    "mpnet": Case("MPNetForMaskedLM", _PLACES, "mpnet"),
    "nomic-bert": Case("NomicBertForMaskedLM", {**_HEADS, "rope_parameters": _rope(30.0)}, "bert"),
    "nomic-bert-published": Case(
        "NomicBertModel", {**_HEADS, "rope_parameters": _rope(50.0)}, "bert", _nomic_as_published
    ),
    "modernbert": Case("ModernBertForMaskedLM", {**_MODERN, "local_attention": 6, **_BY_KIND}, "modernbert"),
    "gemma2": Case(
        "Gemma2ForCausalLM", {**_GEMMA, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}, "gemma"
    ),
    "gemma3": Case(
        "Gemma3ForCausalLM", {**_GEMMA, "num_hidden_layers": 3, "sliding_window_pattern": 3, **_BY_KIND}, "gemma"
    ),
    "smollm3": Case(
        "SmolLM3ForCausalLM", {**_SMALL_LLAMA, "num_hidden_layers": 4, "rope_parameters": _rope(60.0)}, "llama3"
    ),
    "mt5": Case("MT5ForConditionalGeneration", {**_T5, "feed_forward_proj": "gated-gelu"}, "t5"),
    "phi3": Case("Phi3ForCausalLM", {**_SMALL_LLAMA, **_PHI3, "sliding_window": 5}, "phi3"),
    "phi4-mini": Case("Phi3ForCausalLM", {**_SMALL_LLAMA, **_PHI3, **_PHI4}, "gpt4o"),
    "olmo2": Case("Olmo2ForCausalLM", _SMALL_LLAMA, "neox"),
    "granite": Case("GraniteForCausalLM", {**_SMALL_LLAMA, **_FACTORS}, "neox"),
    "gpt-neox": Case("GPTNeoXForCausalLM", _NEOX, "neox"),
    "opt": Case("OPTForCausalLM", _OPT, "opt"),
    "opt-narrow": Case("OPTForCausalLM", {**_OPT, "do_layer_norm_before": False, "word_embed_proj_dim": 8}, "opt"),
    "mbart": Case("MBartForConditionalGeneration", {**_BART, "pad_token_id": 1}, "mbart"),
    "marian": Case("MarianMTModel", {**_BART, **_MARIAN}, "marian"),
    "esm2": Case("EsmForMaskedLM", {**_PLACES, **_ESM, **_ESM2}, "esm"),
    "esm1b": Case("EsmForMaskedLM", {**_PLACES, **_ESM, "emb_layer_norm_before": True}, "esm"),
    "qwen2-gguf": Case("Qwen2ForCausalLM", _QWEN, "qwen", gguf="qwen2", pre="qwen2"),
    "phi3-gguf": Case(
        "Phi3ForCausalLM", {**_SMALL_LLAMA, **_PHI4, **_NO_WORDS, "intermediate_size": 32}, "", gguf="phi3"
    ),
    "smollm3-gguf": Case(
        "SmolLM3ForCausalLM", {**_SMALL_LLAMA, **_PHI3, **_NO_WORDS, "num_hidden_layers": 4}, "", gguf="smollm3"
    ),
    "granite-gguf": Case("GraniteForCausalLM", {**_SMALL_LLAMA, **_FACTORS, **_NO_WORDS}, "", gguf="granite"),
    "olmo2-gguf": Case("Olmo2ForCausalLM", {**_SMALL_LLAMA, **_NO_WORDS}, "", gguf="olmo2"),
    "gemma2-gguf": Case("Gemma2ForCausalLM", {**_GEMMA_GGUF, "attn_logit_softcapping": 2.0}, "gemma", gguf="gemma2"),
    "gemma3-gguf": Case(
        "Gemma3ForCausalLM",
        {**_GEMMA_GGUF, "num_hidden_layers": 6, "rope_parameters": _GEMMA_ROPES},
        "gemma",
        gguf="gemma3",
    ),
    "qwen3-gguf": Case("Qwen3ForCausalLM", {**_QWEN, "head_dim": 8}, "qwen", gguf="qwen3", pre="qwen2"),
}


def main() -> None:
    """Write those that are named, or all."""
    import transformers as hf

    for name in sys.argv[1:] or CASES:
        _write(hf, name, CASES[name])
        print(name, sum(path.stat().st_size for path in (TARGET / name).iterdir()))  # noqa: T201


def _write(hf: Any, name: str, case: Case) -> None:
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(zlib.crc32(name.encode()))
    folder, tokeniser = TARGET / name, KINDS[case.tokeniser]() if case.tokeniser in KINDS else None
    kind = getattr(hf, case.kind)
    words = {} if tokeniser is None else {"vocab_size": tokeniser.get_vocab_size()}
    config = kind.config_class(**{**words, **case.settings})
    model = randomised(kind(eager(config)), None, 0.0 if "Gemma" in case.kind else 1.0)  # Gemma adds the 1 itself
    with torch.no_grad():
        for buffer, numbers in model.named_buffers():
            if "final_logits_bias" in buffer:
                numbers.normal_(0.0, 0.3)
    if case.gguf:
        folder.mkdir(exist_ok=True)
        quantised = model.config.hidden_size % 32 == 0
        write_gguf_file(model, folder / "model.gguf", case.gguf, tokeniser, case.pre, quantised=quantised)
        if case.gguf in _READ_BY_TRANSFORMERS:
            how = {"gguf_file": "model.gguf", "config": eager(config), "dtype": torch.float32}
            model = kind.from_pretrained(folder, **how)
    else:
        save(model, folder)
    if case.relaid is not None:
        said, tensors = case.relaid(json.loads(config.to_json_string(use_diff=False)), model.state_dict())
        (folder / "config.json").write_text(json.dumps(said, indent=1))
        save_file({key: value.contiguous() for key, value in tensors.items()}, folder / "model.safetensors")
    text, cut, spelt = _cut(hf, case, tokeniser, folder)
    chance = np.random.default_rng(zlib.crc32(name.encode()))
    ids = cut[: LENGTH - 8]
    ids += chance.integers(0, config.vocab_size, LENGTH - len(ids)).tolist()
    found = truth(model.eval(), config.is_encoder_decoder, ids)
    if text:
        found |= {"text": np.array(text), "text_ids": np.array(cut), "text_tokens": np.array(spelt)}
    np.savez_compressed(folder / "oracle.npz", **found)


def _cut(hf: Any, case: Case, tokeniser: Any, folder: Path) -> tuple[str, list[int], list[str]]:
    """Write the tokeniser, and cut a text as transformers does that reads it from its file."""
    if case.tokeniser == "esm":
        (folder / "vocab.txt").write_text("\n".join(AMINO))
        made, text = hf.EsmTokenizer(folder / "vocab.txt"), PROTEIN
    elif case.tokeniser == "marian":  # whose files `write_sentencepieces` writes
        made = hf.MarianTokenizer.from_pretrained(folder)
        return TEXT, made(TEXT)["input_ids"], [*made.tokenize(TEXT), "</s>"]
    elif tokeniser is None:
        return "", [], []
    else:
        with tempfile.TemporaryDirectory() as other:
            path = Path(other if case.gguf else folder) / "tokenizer.json"
            tokeniser.save(str(path))
            made, text = hf.PreTrainedTokenizerFast(tokenizer_file=str(path)), TEXT
    ids = [int(each) for each in made(text)["input_ids"]]
    return text, ids, made.convert_ids_to_tokens(ids)


if __name__ == "__main__":
    main()
