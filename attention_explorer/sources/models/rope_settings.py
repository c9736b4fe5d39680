"""Rotary positions as configurations describe them, with the ways in which they were stretched for longer texts."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.errors import FileError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer import Rope
from attention_explorer.sources.models.refusals import check_asked
from attention_explorer.sources.models.settings import Settings

KINDS = ("default", "linear", "dynamic", "yarn", "llama3")


def read_rope(settings: Settings, width: int) -> Rope:
    """Return how a model turns queries and keys.

    Parameters
    ----------
    settings : Settings
        Of the model: ``rope_parameters``, or as older versions wrote it, ``rope_theta`` and ``rope_scaling``.
    width : int
        d of a head.

    Raises
    ------
    FileError
        If the kind is unknown or something is missing.

    Notes
    -----
    Linear: Chen et al. 2023. Dynamic: the base grows with the text (“NTK-aware”). YaRN: Peng et al. 2023, section 3.
    Llama 3: slow pairs are stretched, fast ones are not, and those between are in between.
    """
    old, usual = settings.part("rope_scaling"), settings.number("rope_theta", 10000.0)
    scaling = settings.part("rope_parameters") or old or Settings(settings.where, {})
    if scaling.has_parts:
        raise FileError(f"{scaling.where} differ by kind of layer, which is not supported in models of this type.")
    if width % 2:
        raise FileError(f"{settings.where} says a head of {width} features, but rotary turns pairs of them.")
    base = scaling.number("rope_theta", usual)
    check_asked(scaling, is_causal=True)
    with np.errstate(all="ignore"):  # looked for in the next line
        rope = _stretched(settings, scaling, base, width)
        if base > 1.0 and np.isfinite(rope.frequencies(1)).all():
            return rope
    raise FileError(f"{settings.where} describes rotary positions whose frequencies are no numbers: it is damaged.")


def _stretched(settings: Settings, scaling: Settings, base: float, width: int) -> Rope:
    """Return the rotation, in the way in which it was stretched for longer texts."""
    kind = scaling.one_of("rope_type" if scaling.has("rope_type") else "type", KINDS, "default")
    plain = inverse_wavelengths(base, width)
    if kind == "default":
        return Rope(lambda _n: plain)
    factor = scaling.number("factor")
    if kind == "linear":
        return Rope(lambda _n: plain / np.float32(factor))
    longest = settings.whole("max_position_embeddings")
    if kind == "dynamic":
        return Rope(lambda n: inverse_wavelengths(_grown(base, width, factor, max(n / longest, 1.0)), width))
    trained = scaling.whole("original_max_position_embeddings", longest)
    if kind == "llama3":
        low, high = scaling.number("low_freq_factor"), scaling.number("high_freq_factor")
        stretched = _in_between(plain, factor, trained / low, trained / high)
        return Rope(lambda _n: stretched)
    return _yarn(scaling, base, width, factor, trained)


def inverse_wavelengths(base: float, width: int) -> Floats:
    """Return base^(−2i/d) of each pair, (d/2,), float32."""
    exponents = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    return np.asarray(np.float32(1.0) / np.float32(base) ** exponents)


def _grown(base: float, width: int, factor: float, times: float) -> float:
    """Return the base for a text that is so many times as long as those of the training."""
    slower: float = (factor * times - (factor - 1)) ** (width / max(width - 2, 1))  # of one pair, any base is 1
    return base * slower


def _in_between(plain: Floats, factor: float, longest: float, shortest: float) -> Floats:
    """Stretch pairs of a wavelength above one length, none below another, and mix between the two."""
    waves = np.float32(2 * math.pi) / plain
    mix = (np.float32(shortest * longest) / waves - np.float32(shortest)) / np.float32(longest - shortest)
    mixed = (1 - mix) * plain / np.float32(factor) + mix * plain
    return np.where(waves > longest, plain / np.float32(factor), np.where(waves < shortest, plain, mixed))


def _yarn(scaling: Settings, base: float, width: int, factor: float, trained: int) -> Rope:
    def pair_that_turns(times: float) -> float:
        return width * math.log(trained / (times * 2 * math.pi)) / (2 * max(math.log(base), 1e-9))

    first = pair_that_turns(scaling.number("beta_fast", 32.0))
    last = pair_that_turns(scaling.number("beta_slow", 1.0))
    if scaling.flag("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    ramp = (np.arange(width // 2, dtype=np.float32) - np.float32(first)) / np.float32(max(last - first, 0.001))
    stretched = np.clip(ramp, 0, 1)
    plain = inverse_wavelengths(base, width)
    mixed = plain / np.float32(factor) * stretched + plain * (1 - stretched)
    return Rope(lambda _n: mixed, _yarn_factor(scaling, factor))


def _yarn_factor(scaling: Settings, factor: float) -> float:
    """Return what YaRN multiplies cosines and sines by, which sharpens the weights of long texts."""
    if scaling.has("attention_factor"):
        return scaling.number("attention_factor")

    def grown(times: float) -> float:
        return 0.1 * times * math.log(factor) + 1.0 if factor > 1 else 1.0

    if scaling.has("mscale") and scaling.has("mscale_all_dim"):
        return grown(scaling.number("mscale")) / grown(scaling.number("mscale_all_dim"))
    return grown(1.0)
