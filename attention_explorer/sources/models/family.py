"""What there is to say of a family of models: how it reads a configuration, and what its files call their tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_explorer.model.transformer import Spec
from attention_explorer.sources.models.settings import Settings


@dataclass(frozen=True, slots=True)
class AttentionNames:
    """What a file calls the parts of an attention."""

    project: tuple[str, ...]
    """Queries, keys and values; or the one matrix that holds all three in this order."""
    output: str
    norms: tuple[str, ...]
    """One for each place that norms have (`NormPlace`)."""
    qk_norms: tuple[str, ...] = ()
    """Of queries and of keys, where they are normalised."""
    by_head: bool = False
    """Whether the one matrix holds the queries, keys and values of the first head, then those of the next."""


@dataclass(frozen=True, slots=True)
class NetworkNames:
    """What a file calls the parts of a network."""

    up: tuple[str, ...]
    """The gate before what it is multiplied by, where there is one; or the one matrix that holds both so."""
    down: str
    norms: tuple[str, ...]
    ungated: str = ""
    """``up`` of those models of the family that have no gate, if others have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TowerNames:
    """What a file calls the parts of a tower; empty for those that it does not have."""

    words: str
    layer: str
    """What names in a layer begin with, {} for its own."""
    attention: AttentionNames
    cross: AttentionNames | None = None
    network: NetworkNames
    final_norm: str = ""
    places: str = ""
    kinds: str = ""
    embedding_norm: str = ""
    widen: str = ""
    widen_has_bias: bool = True
    relative: str = ""
    input_first: bool = False
    """Whether matrices are (d_in, d_out), as GPT-2 has them."""
    has_waves: bool = False
    """Whether positions are sines and cosines, which a file need not hold: `waves`."""


@dataclass(frozen=True, slots=True)
class HeadNames:
    """What a file calls the parts of what gives logits; ``dense`` and ``norm`` where it fills in masked words."""

    decode: str = "lm_head"
    bias: str = ""
    dense: str = ""
    norm: str = ""
    activation: str = ""
    """After ``dense``, if it is not that of the tower."""
    narrow: str = ""
    """The matrix before ``decode``, without a bias, of models whose words are narrower."""
    dense_bias: str = ""
    """The setting that says whether ``dense`` has a bias, if not all have one; usually it has none then."""
    decode_bias: str = ""
    """The setting that says whether ``decode`` has a bias, if not all have one; usually it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tower:
    """One tower of a family."""

    spec: Callable[[Settings], Spec]
    names: TowerNames
    at: str = ""
    """What all its names begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of models."""

    towers: tuple[Tower, ...]
    """One, or the encoder and the decoder that looks at it."""
    head: HeadNames = HeadNames()
    prefixes: tuple[str, ...] = ()
    """What tensors may be named with, beside nothing."""
    tables: tuple[str, ...] = ()
    """The table of words that the towers share; where it is tied, what stands in for it if a file lacks it."""
    usually_tied: bool = True
    """Whether first and last table are one where the configuration does not say."""
    always_tied: bool = False
    """Whether the last is the first where a file lacks it, whatever the configuration says."""
    unused: tuple[str, ...] = ()
    """Patterns of tensors that hidden states do not depend on."""
