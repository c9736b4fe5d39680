"""The table of the families that open, `benchmarks/families.md`: how close they are, and what is refused of them.

`python tests/sources/models/families_table.py` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from oracles import MODELS, oracle_of
from test_forward_pass import NAMES, compared, texts_of

from attention_explorer.sources.models import Trace, load_model
from attention_explorer.sources.models.families import FAMILIES, family_of
from attention_explorer.sources.models.refusals import REFUSED
from attention_explorer.sources.models.settings import Settings

TABLE = Path(__file__).parents[3] / "benchmarks" / "families.md"
HEAD = """\
# The families of models that open

Written by `tests/sources/models/families_table.py`; a test sees that no family is missing. Each was compared with
PyTorch (`transformers`, eager attention) on small models all of whose parameters are random: the largest deviation of
any weight of attention, and of any hidden state or logit, in float32, on the machine that wrote this. Other processors
add up in another order; tests allow 2e-5 and 5e-5 (weights of T5 and mT5, whose scores are not divided: 5e-5).

| family | format | weights | hidden states, logits | follows, where others refuse it |
| --- | --- | --- | --- | --- |
"""
TAIL = """
## What is refused

A model of any other type, and a setting that is not followed, is refused in one sentence that names it. These settings
are followed by the families that the table says, and refused, by these sentences, in all others:

"""
OF_TEXTS = ("bert", "gpt2", "llama", "llama-spm", "bart", "t5")
"""Fixtures whose truths are those of texts."""
NOT_ALONE = ("llama-ropes", "tied", "llama-gguf")
"""Whose configurations stand beside them, or whose files are several."""


class Watched(Settings):
    """Settings that tell what was asked of them."""

    @property
    def asked(self) -> frozenset[str]:
        """The names that somebody asked for."""
        return frozenset(self._read)


def fixtures() -> dict[tuple[str, str], list[str]]:
    """Return the small models by family and format."""
    found: dict[tuple[str, str], list[str]] = {}
    for folder in sorted(path for path in MODELS.iterdir() if path.is_dir() and path.name not in NOT_ALONE):
        is_gguf = any(folder.glob("*.gguf"))
        family = folder.name.removesuffix("-gguf") if is_gguf else _configuration(folder)["model_type"]
        found.setdefault((str(family), ".gguf" if is_gguf else "folder"), []).append(folder.name)
    found["llama", ".gguf"] = ["tied/gguf-tied", "tied/gguf-own-output"]
    return found


def lines() -> Iterator[str]:
    """Yield the lines of the table, in the order of `FAMILIES`, with what was measured here."""
    found = fixtures()
    for family in FAMILIES:
        for place in ("folder", ".gguf"):
            if names := found.pop((family, place), None) or found.pop((family.removesuffix("_text"), place), None):
                weights, numbers = deviations(names)
                follows = "; ".join(followed(names)) if place == "folder" else "as its folders"
                yield f"| {family} | {place} | {weights:.0e} | {numbers:.0e} | {follows} |"
    assert not found, found


def deviations(names: list[str]) -> tuple[float, float]:
    """Return the largest deviation from PyTorch of weights, and of hidden states and logits."""
    largest = {True: 0.0, False: 0.0}
    for name in names:
        for trace, truths in _runs(name):
            for what, array, numbers in compared(trace, truths):
                is_weights = "weights" in what
                largest[is_weights] = max(largest[is_weights], float(np.abs(array - numbers).max()))
    return largest[True], largest[False]


def followed(names: list[str]) -> list[str]:
    """Return what the small models of a family follow that is refused elsewhere: the settings, in groups."""
    asked: set[str] = set()
    for name in names:
        settings = Watched(name, _configuration(MODELS / name))
        for tower in family_of(settings).towers:
            tower.spec(settings)
        asked |= settings.asked
    return [
        ", ".join(f"`{name}`" for name in group if name in asked) for group in _groups().values() if asked & set(group)
    ]


def _runs(name: str) -> Iterator[tuple[Trace, dict[str, np.ndarray]]]:
    if name in OF_TEXTS:
        for model, _text, tokens, expected in texts_of(name):
            target = expected.pop("target", None)
            yield model(tokens, target), {NAMES[key]: numbers for key, numbers in expected.items()}
        return
    folder, oracle = MODELS / name, oracle_of(name)
    ids, target = oracle.pop("ids"), oracle.pop("target", None)
    truths = {key: numbers for key, numbers in oracle.items() if not key.startswith("text")}
    yield load_model(next(folder.glob("*.gguf"), folder))(ids, target), truths


def _configuration(folder: Path) -> Mapping[str, object]:
    return dict(json.loads((folder / "config.json").read_text(encoding="utf-8")))


def _groups() -> dict[str, tuple[str, ...]]:
    """Return the settings that are refused, by the sentence that refuses them."""
    return {
        why: tuple(name for name, asks in REFUSED.items() if asks.why == why)
        for why in dict.fromkeys(asks.why for asks in REFUSED.values())
    }


def written() -> str:
    """Return the whole file."""
    refusals = "".join(f"- {why} {', '.join(f'`{name}`' for name in names)}\n" for why, names in _groups().items())
    return HEAD + "\n".join(lines()) + "\n" + TAIL + refusals


if __name__ == "__main__":
    TABLE.write_text(written(), encoding="utf-8")
