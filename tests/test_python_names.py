"""A Python program that was written for the names of today runs for good: they are there, and are called as then."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from python_names import UNKNOWN, kept, offered, parameters
from sentence_models import MODELS

import attention_explorer
from attention_explorer import ToyRecipe

pytestmark = pytest.mark.usefixtures("qapp")

KEPT, NOW = kept(), offered()
TOP = {name.removeprefix("attention_explorer."): told for name, told in KEPT.items() if name.count(".") == 1}
EYE = np.eye(3)

NEEDED: dict[str, dict[str, object]] = {
    "Change": {"where": "head", "layer": 0},
    "Entry": {"key": (1.0, 0.0), "value": (0.0, 1.0), "number": 2.0},
    "Extent": {"left": -1.0, "right": 1.0, "bottom": -1.0, "top": 1.0},
    "HeadRow": {"recipe": ToyRecipe()},
    "LearningSetup": {"task": "it"},
    "Threshold": {"by": attention_explorer.SortBy.ENTROPY},
    "Word": {"text": "river", "place": (0.2, 2.0)},
    "Window": {"top": 0, "bottom": 1, "left": 0, "right": 1},
}
"""What a class must be given."""


def call_of(name: str, folder: Path) -> dict[str, object]:
    """Return something for every keyword of a function."""
    np.save(folder / "weights.npy", EYE)
    calls: dict[str, dict[str, object]] = {
        "load": {"path": folder / "weights.npy", "tokens": list("abc"), "attention": "", "axes": "qk", "batch": None},
        "load_model": {"path": MODELS / "bert", "attention_bytes": 2**20, "weight_bytes": 2**24},
        "render": {
            "source": "random-words", "out": folder / "wall.png", "page": "heads", "what": "wall", "format": "png",
            "size": "300px", "dpi": 96, "theme": "dark", "title": False, "axis_names": False, "colour_bar": False,
            "caption": False, "cells": "image", "token_labels": False, "from_zero": True,
        },
        "show": {
            "weights": None, "tokens": list("abc"), "context_tokens": list("def"), "q": EYE, "k": EYE, "v": EYE,
            "mask": None, "axes": None, "batch": None, "title": "three",
        },
        "train": {"task": "dictionary", "steps": 1, "seed": 1, "cancelled": lambda: False, "length": 3},
    }  # fmt: skip
    return calls[name]


def names(told: list[str]) -> list[str]:
    """Return the names of parameters without what is said of them."""
    return [each.strip("*=") for each in told]


def required(told: list[str]) -> set[str]:
    """Return the names of those that must be given."""
    return {each.strip("*=") for each in told if not each.endswith("=")}


@pytest.mark.parametrize("name", KEPT)
def test_a_name_stays_with_all_that_is_asked_of_it(name: str) -> None:
    then, now = KEPT[name], NOW[name]
    if "members" in then:
        assert isinstance(now, type)
        assert issubclass(now, Enum)
        assert then["members"].items() <= {member.name: member.value for member in now}.items()
    assert set(then.get("has", ())) <= set(dir(now))
    told = then.get("parameters", UNKNOWN)
    if told != UNKNOWN:
        today = parameters(now)
        by_place = [each for each in told if not each.startswith("*")]
        assert names([*today])[: len(by_place)] == names(by_place), "they may be given by their place"
        assert set(names(told)) <= set(names([*today]))
        assert required([*today]) <= required(told)


@pytest.mark.parametrize("name", [name for name, told in TOP.items() if name[0].isupper() and told.get("parameters")])
def test_a_value_is_made_with_all_of_its_keywords(name: str) -> None:
    kind: Any = getattr(attention_explorer, name)
    if TOP[name]["parameters"] == UNKNOWN or name in ("Trained", "View"):  # errors, and what functions return
        return
    made = kind(**NEEDED.get(name, {}))
    assert kind(**{each: getattr(made, each) for each in names(TOP[name]["parameters"])}) == made


@pytest.mark.parametrize("name", [name for name, told in TOP.items() if name[0].islower() and told.get("parameters")])
def test_a_function_is_called_with_all_of_its_keywords(name: str, tmp_path: Path) -> None:
    call = call_of(name, tmp_path)
    open_ended = {each.strip("*=") for each in TOP[name]["parameters"] if each.startswith("**")}
    assert set(names(TOP[name]["parameters"])) - open_ended <= set(call)
    assert getattr(attention_explorer, name)(**call)
