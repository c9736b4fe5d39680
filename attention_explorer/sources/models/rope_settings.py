"""Rotary positions as configurations describe them, with the ways in which they were stretched for longer texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer import Rope
from attention_explorer.sources.models.refusals import check_asked
from attention_explorer.sources.models.settings import Settings

DEFAULT, LINEAR, DYNAMIC, YARN, LLAMA3, LONGROPE = "default", "linear", "dynamic", "yarn", "llama3", "longrope"
KINDS = MappingProxyType({kind: kind for kind in (DEFAULT, LINEAR, DYNAMIC, YARN, LLAMA3, LONGROPE)})
_TRAINED = "original_max_position_embeddings"
"""The longest text of the training, before positions were stretched."""
_NEW, _OLD = "rope_parameters", "rope_scaling"


class RopeNames(NamedTuple):
    """How a family says what it turns."""

    base: str = "rope_theta"
    usual_base: float = 10000.0
    share: str = ""
    """The setting that says how much of a head is turned; empty where that is all of it."""
    usual_share: float = 1.0
    kinds: Mapping[str, str] = KINDS
    """The ways to stretch positions, by the names that the family gives them."""
    usual_trained: int | None = None
    """The longest text of the training, where nothing says it; of most families that is the longest there can be."""


class _Head(NamedTuple):
    """What is turned of a head."""

    base: float
    width: int


def read_rope(settings: Settings, width: int, names: RopeNames = RopeNames()) -> Rope:  # noqa: B008 - immutable
    """Return how a model turns queries and keys, alike in all layers.

    Parameters
    ----------
    settings : Settings
        Of the model: ``rope_parameters``, or as older versions wrote it, ``rope_theta`` and ``rope_scaling``.
    width : int
        d of a head.
    names : RopeNames
        How its family says it.

    Raises
    ------
    FileError
        If the kind is unknown or something is missing.

    Notes
    -----
    Linear: Chen et al. 2023. Dynamic: the base grows with the text (“NTK-aware”). YaRN: Peng et al. 2023, section 3.
    Llama 3: slow pairs are stretched, fast ones are not, and those between are in between. LongRoPE (Ding et al. 2024):
    each pair by a factor of its own, by others in long texts.
    """
    new, old = settings.part(_NEW), settings.part(_OLD)
    if new is not None and old is not None and not new.says_the_same(old):
        raise FileError(f"{settings.where} says {quoted(_NEW)} and {quoted(_OLD)}, of which only one can be meant.")
    scaling = new or old or Settings(settings.where, {})
    if scaling.has_parts:
        raise FileError(f"{scaling.where} differ by kind of layer, which is not supported in models of this type.")
    return _rope(settings, scaling, width, names)


def read_ropes(settings: Settings, width: int, kinds: Mapping[str, RopeNames], old: Collection[str]) -> dict[str, Rope]:
    """Return how a model turns queries and keys in each kind of its layers; as `read_rope`.

    Parameters
    ----------
    settings : Settings
        Of the model: ``rope_parameters`` with a list for each kind, or what older versions wrote.
    width : int
        d of a head.
    kinds : mapping of str to RopeNames
        How older versions wrote the base of each.
    old : collection of str
        The kinds that the ``rope_scaling`` of older versions is about.
    """
    new, scaling = settings.part(_NEW), settings.part(_OLD)
    if new is not None and (scaling is not None or not new.has_parts):
        raise FileError(
            f"{new.where} must have a part for each of {', '.join(kinds)}, with no {quoted(_OLD)} beside it."
        )
    found = {}
    for kind, names in kinds.items():
        part = new.part(kind) if new is not None else scaling if kind in old else None
        found[kind] = _rope(settings, part or Settings(settings.where, {}), width, names)
    return found


def _rope(settings: Settings, scaling: Settings, width: int, names: RopeNames) -> Rope:
    usual, share = settings.number(names.base, names.usual_base), 1.0
    base = scaling.number("rope_theta", usual)
    if names.share:
        share = scaling.number("partial_rotary_factor", settings.number(names.share, names.usual_share))
    check_asked(scaling, is_causal=True)
    turned = int(width * share)
    if turned % 2 or not 0 < turned <= width:
        raise FileError(
            f"{settings.where} turns {turned} of {width} features of a head, but rotary turns pairs of them."
        )
    return checked_rope(settings, base, lambda: _stretched(settings, scaling, _Head(base, turned), names))


def checked_rope(settings: Settings, base: float, make: Callable[[], Rope]) -> Rope:
    """Return a rotation that was made of what a file says.

    Raises
    ------
    FileError
        If its frequencies are no numbers.
    """
    with np.errstate(all="ignore"):  # looked for in the next lines
        rope = make()
        if base > 1.0 and np.isfinite(rope.frequencies(1)).all() and np.isfinite(rope.factor):
            return rope
    raise FileError(f"{settings.where} describes rotary positions whose frequencies are no numbers: it is damaged.")


def _stretched(settings: Settings, scaling: Settings, head: _Head, names: RopeNames) -> Rope:
    """Return the rotation, in the way in which it was stretched for longer texts."""
    said = scaling.one_of("rope_type" if scaling.has("rope_type") else "type", names.kinds, DEFAULT)
    kind = names.kinds[said]
    base, width = head
    plain = inverse_wavelengths(base, width)
    if kind == DEFAULT:
        return plain_rope(base, width)
    longest = settings.whole("max_position_embeddings")
    if kind == LONGROPE:
        return _longrope(settings, scaling, plain, longest, names.usual_trained)
    factor = scaling.number("factor")
    if kind == LINEAR:
        return Rope(lambda _n: plain / np.float32(factor))
    if kind == DYNAMIC:
        return dynamic_rope(base, width, factor, longest)
    trained = scaling.whole(_TRAINED, longest)
    if kind == LLAMA3:
        low, high = scaling.number("low_freq_factor"), scaling.number("high_freq_factor")
        stretched = _in_between(plain, factor, trained / low, trained / high)
        return Rope(lambda _n: stretched)
    return _yarn(scaling, head, factor, trained)


def _longrope(settings: Settings, scaling: Settings, plain: Floats, longest: int, usual: int | None) -> Rope:
    """Return a rotation with a factor for each pair; what the configuration itself says counts first."""
    listed = scaling.whole(_TRAINED, longest)
    trained = settings.whole(_TRAINED, usual or listed)
    short, long = (plain / scaling.numbers(f"{name}_factor", len(plain)) for name in ("short", "long"))
    factor = scaling.number("factor", longest / trained)
    sharper = math.sqrt(1.0 + math.log(factor) / math.log(max(trained, 2))) if factor > 1.0 else 1.0
    return Rope(lambda n: long if n > trained else short, scaling.number("attention_factor", sharper))


def plain_rope(base: float, width: int) -> Rope:
    """Return a rotation that is not stretched (Su et al. 2021, eq. 15)."""
    plain = inverse_wavelengths(base, width)
    return Rope(lambda _n: plain)


def dynamic_rope(base: float, width: int, factor: float, longest: int) -> Rope:
    """Return a rotation whose base grows with texts that are longer than those of the training (“NTK-aware”)."""
    return Rope(lambda n: inverse_wavelengths(_grown(base, width, factor, max(n / longest, 1.0)), width))


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


class Yarn(NamedTuple):
    """How YaRN stretches (Peng et al. 2023, section 3)."""

    factor: float
    trained: int
    """The longest text of the training."""
    fast: float = 32.0
    slow: float = 1.0
    """Pairs that turn more often in such a text are left as they are, or less often, stretched."""
    truncate: bool = True
    """Whether the pairs at which that begins and ends are whole numbers."""


def yarn_rope(base: float, width: int, yarn: Yarn, attention: float | None = None) -> Rope:
    """Return a rotation that YaRN stretched; cosines and sines are multiplied by ``attention``."""

    def pair_that_turns(times: float) -> float:
        return width * math.log(yarn.trained / (times * 2 * math.pi)) / (2 * max(math.log(base), 1e-9))

    first, last = pair_that_turns(yarn.fast), pair_that_turns(yarn.slow)
    if yarn.truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    ramp = (np.arange(width // 2, dtype=np.float32) - np.float32(first)) / np.float32(max(last - first, 0.001))
    stretched = np.clip(ramp, 0, 1)
    plain = inverse_wavelengths(base, width)
    mixed = plain / np.float32(yarn.factor) * stretched + plain * (1 - stretched)
    return Rope(lambda _n: mixed, _grown_attention(yarn.factor) if attention is None else attention)


def _grown_attention(factor: float, times: float = 1.0) -> float:
    return 0.1 * times * math.log(factor) + 1.0 if factor > 1 else 1.0


def _yarn(scaling: Settings, head: _Head, factor: float, trained: int) -> Rope:
    fast, slow = scaling.number("beta_fast", 32.0), scaling.number("beta_slow", 1.0)
    yarn = Yarn(factor, trained, fast, slow, scaling.flag("truncate", True))
    return yarn_rope(head.base, head.width, yarn, _yarn_factor(scaling, factor))


def _yarn_factor(scaling: Settings, factor: float) -> float | None:
    """Return what YaRN multiplies cosines and sines by, which sharpens the weights of long texts."""
    if scaling.has("attention_factor"):
        return scaling.number("attention_factor")
    if scaling.has("mscale") and scaling.has("mscale_all_dim"):
        grown = (_grown_attention(factor, scaling.number(name)) for name in ("mscale", "mscale_all_dim"))
        return next(grown) / next(grown)
    return None
