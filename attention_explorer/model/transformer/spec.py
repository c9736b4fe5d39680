"""What a tower is: the switches by which families of models differ, as its configuration says them.

One forward pass follows them. What stands here is arithmetic only: how a file calls and packs its tensors, fused
projections among them, is the table of its family.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer.rope import Rope

PROJECTIONS = frozenset({"q", "k", "v", "output", "up", "down"})
"""Those of a layer; a gate has a bias where ``up`` has one."""


class QkNorm(StrEnum):
    """What of queries and keys is normalised, before they are turned."""

    NONE = "none"
    HEAD = "head"
    """Each head by itself: Dehghani et al. 2023, section 2; Qwen3, Gemma 3."""
    WHOLE = "whole"
    """All heads of a token together: OLMo 2 (OLMo team 2024, section 3.3)."""


class NormPlace(Enum):
    """Where the norms of a part f of a layer stand: after(x + inner(f(before(x))))."""

    PRE = ("before",)
    """Xiong et al. 2020."""
    POST = ("after",)
    """Vaswani et al. 2017, section 3.1."""
    INNER = ("inner",)
    """OLMo 2 (OLMo team 2024, section 3.3)."""
    SANDWICH = ("before", "inner")
    """Ding et al. 2021, section 2.3; Gemma 2."""


class NormSpec(NamedTuple):
    """The norms of a tower."""

    kind: NormKind
    eps: float
    place: NormPlace
    adds_one: bool = False
    """Whether a file stores gains less 1, as those of Gemma do."""
    has_bias: bool = True
    """Whether layer norms add a bias; those of ModernBERT do not."""


class LayerSpec(NamedTuple):
    """What may differ from layer to layer."""

    name: str
    """What its file calls it: layers of one name share their weights (ALBERT: Lan et al. 2020, section 3.1)."""
    scale: float
    """What q · k is multiplied by: 1/√d (Vaswani et al. 2017, eq. 1), 1 in T5, or as a file says."""
    window: int | None = None
    """How many keys a query sees: |i − j| < window (Beltagy et al. 2020, section 3.1)."""
    rope: Rope | None = None
    """Turns queries and keys; None where it does not, as every fourth layer of SmolLM3."""
    is_normed: bool = True
    """Whether its attention has norms; that of the first layer of ModernBERT is given x as it is."""


class Buckets(NamedTuple):
    """The classes of distances of a bias that is learned for each of them: Raffel et al. 2020, section 2.1."""

    number: int
    farthest: int
    """From here on all distances are one class."""


class Places(NamedTuple):
    """Learned vectors of positions."""

    rows: int
    offset: int = 0
    """The row of the first token."""
    padding: int | None = None
    """An id that has no position of its own, but takes row ``offset − 1``: RoBERTa counts so."""
    is_wide: bool = False
    """Whether they are added to words that were widened to d_model already, as in the OPT of 350 M."""


class Blank(NamedTuple):
    """An id whose vector is 0: the others grow by what a share of such tokens in training took (ESM-2)."""

    id: int
    share: float
    """Of the tokens of a text, in training."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One tower.

    Parameters
    ----------
    width, inner : int
        d_model and d_ff.
    heads, kv_heads, head_width : int
        Heads of the queries, those of keys and values, of which each serves heads ÷ kv_heads (Ainslie et al. 2023), and
        d of each.
    vocabulary : int
        How many ids there are.
    layers : tuple of LayerSpec
        From below: their scales, windows and rotary positions.
    is_causal : bool
        Whether a token sees only itself and those before it.
    norm : NormSpec
        Kind and place of the norms.
    activation : str
        A name of `ACTIVATIONS`.
    gated : bool
        Whether networks have a gate: Shazeer 2020, eq. 6.
    biases : frozenset of str
        Which of `PROJECTIONS` have one.
    qk_norm : QkNorm
        Of queries and keys.
    soft_cap, logit_cap : float, optional
        Scores, or logits, become c · tanh(· / c): Gemma 2 (Gemma team 2024, section 2).
    buckets : Buckets, optional
        A learned bias is added to the scores, by distance.
    parallel : bool
        Whether attention and network are given the same x, and added together: Wang & Komatsuzaki 2021 (GPT-J).
    embedding_scale, residual_scale, logit_scale : float
        Factors of word vectors, of what a part adds to x, and of the last hidden states: Granite, T5, Gemma.
    places : Places, optional
        Learned positions, added to the words.
    kinds : int
        Of sentences in a pair, each with a learned vector; 0 where there are none.
    narrow : int, optional
        The length of word vectors, if it is not d_model (ALBERT: Lan et al. 2020, section 3.1).
    blank : Blank, optional
        A token without a vector: that of a masked letter in ESM-2 (Lin et al. 2023).
    """

    width: int
    inner: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    layers: tuple[LayerSpec, ...]
    is_causal: bool
    norm: NormSpec
    activation: str
    gated: bool = False
    biases: frozenset[str] = PROJECTIONS
    qk_norm: QkNorm = QkNorm.NONE
    soft_cap: float | None = None
    logit_cap: float | None = None
    buckets: Buckets | None = None
    parallel: bool = False
    embedding_scale: float = 1.0
    residual_scale: float = 1.0
    logit_scale: float = 1.0
    places: Places | None = None
    kinds: int = 0
    narrow: int | None = None
    blank: Blank | None = None

    @property
    def divides_by_root(self) -> bool:
        """Whether scores are q · k ÷ √d and nothing else."""
        by_root = all(layer.scale == self.head_width**-0.5 for layer in self.layers)
        return by_root and self.soft_cap is None and self.buckets is None
