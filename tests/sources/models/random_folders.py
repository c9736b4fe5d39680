"""Random small models of every family, and how far what comes out here is from what transformers computes on them.

``python -m tests.sources.models.random_folders --count 300`` prints the largest deviations by family. It needs torch
and transformers (this was written for 2.13.0 and 5.23.0). The folders differ in all that decides which tensor is used
where: what is tied, by the configuration and in the file; which of several tied tensors a file holds; biases, heads,
prefixes, types of numbers, and which settings a configuration leaves out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))  # where pytest finds them by itself

from gguf_writing import write_gguf_file
from more_random_families import NEWER
from random_families import OLDER, VOCABULARY, Chance, Family

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.models import Model, Tokens, load_model

CLOSE, CLOSE_T5, CLOSE_NUMBERS = 2e-5, 5e-5, 5e-5
"""Of weights, of those whose scores are not divided, and of hidden states and logits."""
NOT_DIVIDED = ("t5", "mt5", "granite", "granite-gguf")
"""Whose scores are not divided by √d, but multiplied by what the configuration says or not at all."""
Numbers = dict[str, Any]
FAMILIES = {**OLDER, **NEWER}


class Deviation(NamedTuple):
    """How far two computations of one model are from each other, at most."""

    weights: float
    logits: float
    """NaN without a head."""
    told: str
    """What was tried, in words."""
    notes: tuple[str, ...]


def deviation_of(family: str, seed: int, folder: Path) -> Deviation:
    """Make a model, write it to a folder, run it here and in PyTorch, and compare.

    Raises
    ------
    ExplorerError
        If it is refused here.
    """
    chance = Chance(f"{family} {seed}")
    if family in GGUF:
        theirs, ours, told = _gguf(family, chance, folder)
    else:
        theirs, told = _folder(FAMILIES[family], chance, folder)
        ours = load_model(folder)
    return _compared(theirs, ours, chance, told)


def _folder(family: Family, chance: Chance, folder: Path) -> tuple[Any, str]:
    """Write a model, and return it as transformers reads it. What that would make up at random is not left out."""
    import torch
    import transformers as hf
    from safetensors.torch import save_file

    torch.manual_seed(chance.randrange(2**31))
    tied, name = chance.random() < 0.6, chance.choice((family.classes[0],) * 3 + family.classes)
    model_class = getattr(hf, name)
    config = getattr(hf, family.config)(**family.sizes(chance), tie_word_embeddings=tied)
    config.architectures = [name]
    numbers = numbers_of(model_class(config))
    of_file = _in_file(family, numbers, chance, tied=config.tie_word_embeddings)
    bare = name in family.classes and not any(key.startswith(family.prefix) for key in numbers)
    as_stored = chance.choice((torch.float32, torch.float32, torch.float16, torch.bfloat16))
    if not bare and family.prefix and chance.random() < 0.2:
        of_file = {key.removeprefix(family.prefix): value for key, value in of_file.items()}
    kept = {*of_file, *(family.prefix + key for key in of_file)}
    of_file = family.relaid(of_file)
    save_file({key: value.to(as_stored).contiguous() for key, value in of_file.items()}, folder / "model.safetensors")
    settings = json.loads(config.to_json_string(use_diff=False))
    usual = getattr(hf, family.config)().to_dict()
    left_out = {key for key in family.optional if chance.random() < 0.3 and settings.get(key) == usual.get(key)}
    settings = {key: value for key, value in settings.items() if key not in left_out}
    (folder / "config.json").write_text(json.dumps({**settings, "model_type": config.model_type}))
    model, info = model_class.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True
    )
    made_up = {key for key in info["missing_keys"] if "pooler" not in key and "inv_freq" not in key}
    assert not made_up, f"the folder lacks {made_up}"
    lacks = sorted(set(numbers) - kept)
    return model.eval(), f"{name}, says {'tied' if tied else 'untied'}, lacks {lacks}, {as_stored}, without {left_out}"


def numbers_of(model: Any) -> Numbers:
    """Return all tensors of a model at random, each for itself, though some may be tied."""
    import torch

    adds_one = "gemma" in model.config.model_type  # to gains, itself

    def drawn(name: str, like: Any) -> Any:
        is_gain = not adds_one and ("norm" in name.lower() or ".ln_" in name)
        return torch.randn(like.shape) * 0.3 + float(is_gain and name.endswith("weight"))

    return {
        name: drawn(name, numbers)
        for name, numbers in model.state_dict().items()
        if numbers.is_floating_point() and "inv_freq" not in name
    }


def _in_file(family: Family, numbers: Numbers, chance: Chance, *, tied: bool) -> Numbers:
    """Return what a file holds of tensors that may be tied: all of them, equal or not, or some."""
    found = dict(numbers)
    for first, others in family.ties.items():
        spelt = [name for name in (first, *others) if name in found or name.removeprefix(family.prefix) in found]
        spelt = [name if name in found else name.removeprefix(family.prefix) for name in spelt]
        if not tied or len(spelt) < 2:
            continue
        how = chance.choice(("equal", "differ", "some", "some that differ", "first"))
        if how in ("equal", "some"):
            found |= {name: found[spelt[0]].clone() for name in spelt}
        kept = spelt
        if how == "first":
            kept = spelt[:1]
        elif how.startswith("some"):
            kept = chance.sample(spelt, chance.randint(1, len(spelt)))
        found = {name: value for name, value in found.items() if name not in spelt or name in kept}
    return found


GGUF = {
    "llama-gguf": ("LlamaForCausalLM", "llama"),
    "qwen2-gguf": ("Qwen2ForCausalLM", "qwen2"),
    "qwen3-gguf": ("Qwen3ForCausalLM", "qwen3"),
    "gemma2-gguf": ("Gemma2ForCausalLM", "gemma2"),
    "gemma3-gguf": ("Gemma3ForCausalLM", "gemma3"),
    "smollm3-gguf": ("SmolLM3ForCausalLM", "smollm3"),
    "granite-gguf": ("GraniteForCausalLM", "granite"),
    "olmo2-gguf": ("Olmo2ForCausalLM", "olmo2"),
    "phi3-gguf": ("Phi3ForCausalLM", "phi3"),
}
"""What .gguf files are of: of which class of transformers, and what they call it."""


def _gguf(name: str, chance: Chance, folder: Path) -> tuple[Any, Model, str]:
    """Write a model as llama.cpp has it."""
    import torch
    import transformers as hf

    torch.manual_seed(chance.randrange(2**31))
    tied, (kind, architecture) = chance.random() < 0.5, GGUF[name]
    sizes = FAMILIES[architecture].sizes(chance)
    sizes |= {**GGUF_LACKS, **({} if architecture == "phi3" else {"rope_parameters": _gguf_rope(chance)})}
    if "gemma" in architecture:
        tied = True  # there is no name for a last matrix of their own
        sizes |= {name: sizes[name] or usual for name, usual in CAPS.items() if architecture == "gemma2"}
        sizes["query_pre_attn_scalar"] = sizes["head_dim"]
    if architecture == "gemma3":
        sliding = {"rope_type": "default", "rope_theta": 10000.0}
        kinds = {"full_attention": sizes["rope_parameters"], "sliding_attention": sliding}
        sizes |= {"rope_parameters": kinds, "sliding_window_pattern": 6, "use_bidirectional_attention": False}
    model_class = getattr(hf, kind)
    config = model_class.config_class(**sizes, tie_word_embeddings=tied, attn_implementation="eager")
    model = model_class(config)
    model.load_state_dict(numbers_of(model))
    model.tie_weights()
    write_gguf_file(model, folder / "model.gguf", architecture)
    return model.eval(), load_model(folder / "model.gguf"), f"gguf, {'no output' if tied else 'output'}"


CAPS = {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}
"""Of Gemma 2, where a file says none."""
GGUF_LACKS = {
    "no_rope_layer_interval": 4,
    "mlp_bias": False,
    "use_sliding_window": False,
    "max_position_embeddings": 64,
}
"""What cannot be said in such a file."""


def _gguf_rope(chance: Chance) -> dict[str, object]:
    rope: dict[str, object] = {"rope_type": chance.choice(("default", "linear", "yarn")), "rope_theta": 30.0}
    more = {"factor": 4.0} if rope["rope_type"] != "default" else {}
    trained = {"original_max_position_embeddings": 16} if rope["rope_type"] == "yarn" else {}
    return {**rope, **more, **trained}


def _compared(theirs: Any, ours: Model, chance: Chance, told: str) -> Deviation:
    import torch

    is_pair, types = ours.transformer.encoder is not None, ours.transformer.main.embedding.kinds
    ids = [chance.randrange(VOCABULARY) for _ in range(chance.randint(1, 24))]
    target = [chance.randrange(VOCABULARY) for _ in range(chance.randint(1, 9))] if is_pair else None
    kinds = [0] * len(ids) if types is None else [chance.randrange(len(types)) for _ in ids]
    given: dict[str, Any] = {"input_ids": torch.tensor([ids])}
    if types is not None:
        given["token_type_ids"] = torch.tensor([kinds])
    if target is not None:
        given["decoder_input_ids"] = torch.tensor([target])
    with torch.no_grad():
        expected = theirs(**given, output_attentions=True, output_hidden_states=True)
    trace = ours(Tokens(tuple(ids), ("",) * len(ids), ((0, 0),) * len(ids), tuple(kinds)), target)
    pairs = [(trace.weights, "decoder_attentions" if is_pair else "attentions")]
    if trace.encoder_weights is not None and trace.cross_weights is not None:
        pairs += [(trace.encoder_weights, "encoder_attentions"), (trace.cross_weights, "cross_attentions")]
    weights = max(_largest(list(found), [each[0] for each in expected[name]]) for found, name in pairs)
    logits = expected.get("logits", expected.get("prediction_logits"))
    if logits is None or logits.shape[-1] != VOCABULARY:
        return Deviation(weights, float("nan"), told, ours.notes)
    assert trace.logits is not None, f"no logits: {told}"
    return Deviation(weights, _largest([trace.logits], [logits[0]]), told, ours.notes)


def _largest(found: Sequence[np.ndarray], expected: Sequence[Any]) -> float:
    assert len(found) == len(expected)
    return max(float(np.abs(a - b.numpy()).max()) for a, b in zip(found, expected, strict=True))


def main() -> None:
    """Try many, and print a table; the seeds of those that are too far off stand below it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=(), help="families")
    options = parser.parse_args()
    kinds = options.only or (*FAMILIES, *GGUF)
    found: dict[str, list[Deviation]] = defaultdict(list)
    wrong: list[str] = []
    for place in range(options.count):
        family, seed = kinds[place % len(kinds)], options.seed + place // len(kinds)
        with tempfile.TemporaryDirectory() as folder:
            try:
                deviation = deviation_of(family, seed, Path(folder))
            except ExplorerError as error:
                wrong.append(f"{family} {seed} is refused: {error}")
                continue
        found[family].append(deviation)
        if not is_close(family, deviation):
            wrong.append(f"{family} {seed}: {deviation}")
    print("family      folders  with a note  largest deviation of weights, of logits")  # noqa: T201
    for family, tried in found.items():
        noted, logits = sum(bool(each.notes) for each in tried), [each.logits for each in tried]
        weights = max(each.weights for each in tried)
        print(f"{family:12}{len(tried):7}{noted:13}  {weights:.1e}  {np.nanmax(logits):.1e}")  # noqa: T201
    print("\n".join(wrong) or "All agree.")  # noqa: T201


def is_close(family: str, deviation: Deviation) -> bool:
    """Tell whether a deviation is rounding alone."""
    logits = 0.0 if np.isnan(deviation.logits) else deviation.logits
    return deviation.weights <= (CLOSE_T5 if family in NOT_DIVIDED else CLOSE) and logits <= CLOSE_NUMBERS


if __name__ == "__main__":
    main()
