"""Configurations that say something else: computed as they say, or refused in words, and never computed wrongly."""

from __future__ import annotations

import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import more_mutations
import mutations
import numpy as np
import pytest
from mutations import ALSO, NONE, READ_BY, SAME, WRONG, Change, Means, unchanged
from oracles import MODELS

from attention_explorer.errors import ExplorerError
from attention_explorer.model.transformer import (
    Attention,
    FastNorm,
    Inputs,
    Layer,
    Norms,
    Stack,
    Transformer,
    TransformerRun,
)
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.gguf_file import read_gguf
from attention_explorer.sources.models.gguf_model import read_gguf_model
from attention_explorer.sources.recorded.file_bytes import FileBytes

Config = dict[str, Any]
CLOSE = 3e-5
"""The same sums of the same numbers, but for last digits; what a setting means moves some number ten times as far."""
IDS = (5, 17, 3, 39, 1, 0, 22, 5, 9, 30, 31, 2)
COUNT = 36
"""Of each family."""
COMPUTED = {**mutations.COMPUTED, **more_mutations.COMPUTED}
HEADS = {**mutations.HEADS, **more_mutations.HEADS}


# ---- What nobody computes ----

REFUSED = [
    (("llama", "qwen3", "mistral"), "attn_logit_softcapping", 50.0),
    (("llama", "gpt2"), "final_logit_softcapping", 30.0),
    (("llama",), "query_pre_attn_scalar", 256),
    (("llama", "qwen2"), "attention_multiplier", 0.0156),
    (("llama", "gpt2", "bert"), "embedding_multiplier", 12.0),
    (("llama",), "residual_multiplier", 0.22),
    (("llama",), "logits_scaling", 8.0),
    (("llama", "gpt2"), "logit_scale", 0.0625),
    (("llama", "mistral", "qwen2", "qwen3"), "num_local_experts", 8),
    (("llama", "qwen3"), "num_experts", 128),
    (("llama", "bert"), "n_routed_experts", 64),
    (("llama", "mistral", "qwen2"), "use_qk_norm", True),
    (("llama",), "qk_layernorm", True),
    (("llama", "gpt2", "bert", "roberta"), "sliding_window", 4),
    (("llama", "mistral"), "layer_types", ["full_attention", "sliding_attention", "full_attention"]),
    (("qwen2", "qwen3"), "layer_types", ["full_attention", "chunked_attention", "full_attention"]),
    (("llama", "bert"), "attention_chunk_size", 8192),
    (("bert", "roberta"), "local_attention", 128),
    (("bert",), "global_attn_every_n_layers", 3),
    (("llama", "gpt2"), "alibi", True),
    (("bert", "roberta"), "position_embedding_type", "alibi"),
    (("bert", "albert"), "position_embedding_type", "relative_key_query"),
    (("bert", "roberta", "gpt2", "distilbert", "bart", "t5"), "rope_theta", 10000.0),
    (("bert",), "rotary_emb_fraction", 1.0),
    (("llama", "mistral", "qwen2", "qwen3"), "partial_rotary_factor", 0.75),
    (("llama", "gpt2"), "rotary_pct", 0.25),
    (("gpt2",), "rotary_dim", 64),
    (("llama",), "no_rope_layers", [1, 1, 0]),
    (("llama",), "no_rope_layer_interval", 4),
    (("llama", "qwen3"), "attention_sinks", True),
    (("llama",), "kv_lora_rank", 512),
    (("llama", "qwen3"), "attn_output_gate", True),
    (("llama",), "sandwich_norm", True),
    (("llama", "gpt2"), "parallel_attn", True),
    (("llama",), "use_parallel_residual", True),
    (("llama", "qwen2", "gpt2"), "is_causal", False),
    (("bert",), "is_causal", True),
    (("llama",), "use_bidirectional_attention", True),
    (("bert", "roberta", "albert"), "is_decoder", True),
    (("gpt2", "bert"), "add_cross_attention", True),
    (("llama",), "clip_qkv", 8.0),
    (("bart",), "normalize_embedding", False),
    (("bart",), "extra_pos_embeddings", 0),
    (("llama", "bert", "gpt2", "t5"), "num_experts_per_tok", 2),
]


@pytest.mark.parametrize(("names", "key", "value"), [*REFUSED, *more_mutations.REFUSED])
def test_what_nobody_computes_is_refused_by_name(
    tmp_path: Path, names: tuple[str, ...], key: str, value: object
) -> None:
    for name in names:
        with pytest.raises(ExplorerError) as caught:
            load_model(mutated(tmp_path, name, {key: value}))
        said = str(caught.value)
        assert ("chunked_attention" if "chunked" in str(value) else f"“{key}”") in said
        assert "config.json" in said
        assert len(said) < 300
        assert said.endswith(".")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("expert_count", 8),
        ("attention.sliding_window", 4096),
        ("attention.scale", 0.0156),
        ("attention.max_alibi_bias", 8.0),
        ("attention.causal", False),
        ("attn_logit_softcapping", 50.0),
        ("final_logit_softcapping", 30.0),
        ("embedding_scale", 12.0),
        ("logit_scale", 0.125),
        ("use_parallel_residual", True),
        ("rope.dimension_count", 4),
        ("attention.value_length", 16),
        ("rope.scaling.type", "longrope"),
        ("rope.scaling.yarn_ext_factor", 0.5),
        ("rope.scaling.yarn_log_multiplier", 0.1),
    ],
)
def test_what_nobody_computes_of_a_gguf_file_is_refused_by_name(key: str, value: object) -> None:
    file = read_gguf(FileBytes(MODELS / "llama-gguf" / "model-f16.gguf"))
    read_gguf_model("“a.gguf”", file, 0)
    with pytest.raises(ExplorerError, match=re.escape(f"“a.gguf” says “{key}”: ")):
        read_gguf_model("“a.gguf”", file._replace(values={**file.values, f"llama.{key}": value}), 0)


@pytest.mark.parametrize("kind", ["su", "mrope", "ntk", "proportional"])
@pytest.mark.parametrize("name", ["llama", "mistral", "qwen2", "qwen3"])
def test_unknown_rotary_positions_are_refused_by_name(tmp_path: Path, name: str, kind: str) -> None:
    for change in (
        {"rope_parameters": {"rope_type": kind, "factor": 2.0}},
        {"rope_parameters": None, "rope_scaling": {"type": kind, "factor": 2.0}},
    ):
        with pytest.raises(ExplorerError, match=f"“{kind}”, which this program does not know"):
            load_model(mutated(tmp_path, name, change))


def test_rotary_positions_by_kind_of_layer_are_refused(tmp_path: Path) -> None:
    by_kind = {"full_attention": {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 1e4}}
    with pytest.raises(ExplorerError, match=r"“rope_parameters” of .* differ by kind of layer"):
        load_model(mutated(tmp_path, "qwen3", {"rope_parameters": by_kind}))


@pytest.mark.parametrize("key", ["partial_rotary_factor", "rotary_dim"])
def test_rotary_in_a_part_is_refused_where_versions_write_it(tmp_path: Path, key: str) -> None:
    parameters = {"rope_theta": 1e4, "rope_type": "default", key: 0.5}
    with pytest.raises(ExplorerError, match="only a part"):
        load_model(mutated(tmp_path, "llama", {"rope_parameters": parameters}))


EXTREME = (1e-30, 1e-9, 0.5, 1.0, 1.0 + 1e-12, 2.0, 1e9, 9e29)


@pytest.mark.parametrize("kind", ["default", "linear", "dynamic", "yarn", "llama3"])
def test_rotary_numbers_out_of_the_ordinary_do_no_harm(tmp_path: Path, kind: str) -> None:
    chance, opened, refused = random.Random(kind), 0, list[str]()  # noqa: S311 - numbers, no secrets
    names = ("rope_theta", "factor", "low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow")
    for _ in range(40):
        parameters = {
            "rope_type": kind,
            "rope_theta": 1e4,
            "factor": 2.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
        }
        parameters |= {name: chance.choice(EXTREME) for name in chance.sample(names, 2)}
        parameters["original_max_position_embeddings"] = chance.choice((1, 16, 2**30))
        try:
            model = load_model(mutated(tmp_path, "llama", {"rope_parameters": parameters}))
            assert np.isfinite(model(IDS).hidden[-1]).all()
            opened += 1
        except ExplorerError as error:
            refused.append(str(error))
    assert opened
    assert all("rotary positions" in said or "range of float32" in said for said in refused)


# ---- What is computed as it is said ----


@pytest.mark.parametrize("name", COMPUTED)
def test_mutated_configurations_are_computed_as_they_say_or_refused(tmp_path: Path, name: str) -> None:
    chance = random.Random(f"mutated {name}")  # noqa: S311 - damage, no secrets
    plain = load_model(MODELS / name).transformer
    meant, computed, refused = list(COMPUTED[name].items()), 0, 0
    nothing = [key for key in SAME if key not in {each for each, _value in COMPUTED[name]}]
    wrong = [*READ_BY.get(name, ()), *ALSO.get(name, ()), *more_mutations.WRONG_FOR.get(name, ())]
    for number in range(COUNT):
        (key, value), means = meant[number % len(meant)] if number % 3 else (("my_own_note", ""), Means(unchanged))
        mutation: Config = {key: json.loads(value) if str(value)[:1] in "[{" and value else value, **means.other}
        harmless = chance.choice(nothing)
        mutation.setdefault(harmless, chance.choice(SAME[harmless]))
        if number % 4 == 3:
            bad = chance.choice(wrong)
            mutation[bad] = chance.choice(WRONG[bad])
            with pytest.raises(ExplorerError):
                ran(load_model(mutated(tmp_path, name, mutation)).transformer)
            refused += 1
            continue
        agree(
            ran(load_model(mutated(tmp_path, name, mutation)).transformer),
            ran(respecified(plain, means.change, HEADS.get(name))),
        )
        computed += 1
    assert refused == COUNT // 4
    assert computed + refused == COUNT


@pytest.mark.parametrize("name", COMPUTED)
def test_every_meaning_shows_in_the_numbers(name: str) -> None:
    """Else a mutation that is overlooked would pass."""
    plain = load_model(MODELS / name).transformer
    before = ran(plain)
    for (key, value), means in COMPUTED[name].items():
        if means.change is not unchanged and (key, value) != ("sliding_window", NONE):
            after = ran(respecified(plain, means.change, HEADS.get(name)))
            pairs = zip((*before.main.hidden, before.logits()), (*after.main.hidden, after.logits()), strict=True)
            assert any(a is not None and np.abs(a - b).max() > 10 * CLOSE for a, b in pairs), (key, value)


def mutated(tmp_path: Path, name: str, mutation: Config) -> Path:
    """Return a folder with another configuration, and the weights of a small model."""
    folder = tmp_path / name
    if not folder.exists():
        shutil.copytree(MODELS / name, folder)
    config = {**json.loads((MODELS / name / "config.json").read_text()), **mutation}
    said = {key: value for key, value in config.items() if value is not NONE}
    (folder / "config.json").write_text(json.dumps(said))
    return folder


def ran(transformer: Transformer) -> TransformerRun:
    ids = np.array(IDS) % transformer.main.spec.vocabulary
    given, target = Inputs(ids), Inputs(ids[:5]) if transformer.encoder else None
    return transformer.run(given, target, room=2**20)


def respecified(transformer: Transformer, change: Change, of_head: str | None) -> Transformer:
    """Return a model with the same weights and another specification."""

    def stack(old: Stack) -> Stack:
        spec = change(old.spec)

        def norm(found: FastNorm | None) -> FastNorm | None:
            return found and replace(found, eps=spec.norm.eps)

        def attention(found: Attention, scale: float) -> Attention:
            norms = Norms(*map(norm, found.norms))
            both = found.qk_norms and tuple(replace(each, eps=spec.norm.eps) for each in found.qk_norms)
            return replace(found, spec=spec, scale=scale, norms=norms, qk_norms=both)  # type: ignore[arg-type]

        def layer(found: Layer, scale: float) -> Layer:
            network = replace(found.network, spec=spec, norms=Norms(*map(norm, found.network.norms)))
            cross = found.cross and attention(found.cross, scale)
            return Layer(spec, attention(found.attention, scale), network, cross)

        layers = [layer(found, at.scale) for found, at in zip(old.layers, spec.layers, strict=True)]
        embedding = replace(old.embedding, spec=spec, norm=norm(old.embedding.norm))
        return Stack(spec, embedding, layers, norm(old.final_norm), old.relative)

    fetch, spec = transformer.head, change(transformer.main.spec)

    def head() -> Any:
        found = fetch() if fetch is not None else None
        assert found is not None
        norm = found.norm and replace(found.norm, eps=spec.norm.eps)
        activation = spec.activation if of_head is None else of_head
        return replace(found, scale=spec.logit_scale, cap=spec.logit_cap, activation=activation, norm=norm)

    encoder = None if transformer.encoder is None else stack(transformer.encoder)
    return Transformer(stack(transformer.main), encoder, None if fetch is None else head)


def agree(found: TransformerRun, expected: TransformerRun) -> None:
    pairs = [*zip(found.main.hidden, expected.main.hidden, strict=True)]
    pairs += zip(found.main.weights, expected.main.weights, strict=True)
    if found.encoder is not None and expected.encoder is not None:
        pairs += zip(found.encoder.hidden, expected.encoder.hidden, strict=True)
    logits, others = found.logits(), expected.logits()
    assert (logits is None) == (others is None)
    if logits is not None and others is not None:
        pairs.append((logits, others))
    for a, b in pairs:
        np.testing.assert_allclose(a, b, rtol=CLOSE, atol=CLOSE)
