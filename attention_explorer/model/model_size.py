"""What a transformer costs: numbers, memory and arithmetic, split into what grows with n and with n²."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attention_explorer.model.head_axis import check_width
from attention_explorer.model.scalars import size, size_from


def product_flops(rows: int, inner: int, columns: int) -> int:
    """Count the operations of a matrix product.

    Parameters
    ----------
    rows, inner, columns : int
        (rows, inner) @ (inner, columns).

    Returns
    -------
    int
        2 · rows · inner · columns: a multiplication and an addition for each of `inner` terms.

    Raises
    ------
    ArrayError
        If a size is no integer or below 0.
    """
    return 2 * size("rows", rows) * size("inner", inner) * size("columns", columns)


@dataclass(frozen=True, slots=True)
class ModelSize:
    """The sizes that decide what a transformer costs for one sequence. All counts are exact integers.

    All arithmetic is that of the matrix products alone, in FLOPs: a multiplication and an addition are two. Softmax,
    norms, residuals, activations and biases are left out, which weigh little (Kaplan et al. 2020, section 2.1);
    `softmax_flops` says how little.

    Parameters
    ----------
    tokens : int
        n, at least 1.
    d_model : int
        Features of a token, at least 1.
    heads : int
        Attention heads of a layer; must divide d_model.
    layers : int
        At least 1.
    d_ff : int, optional
        Hidden units of the feed-forward network; 4 · d_model if not given, as in the 2017 model and in GPT-2.
    bytes_per_number : int
        4 for float32, 2 for float16, 8 for float64.
    window : int, optional
        How many keys a query scores, at least 1; all n if not given. Counted as a band n × window, as it is stored; the
        first queries have fewer keys.

    Raises
    ------
    ArrayError
        If a size is no integer or below 1, or the heads do not divide d_model.

    Notes
    -----
    Vaswani et al. 2017, sections 3.2 and 3.3: each head compares d_model / heads features, so the heads together do
    the work of one of full width. Their table 1 gives the same as orders of magnitude.
    """

    tokens: int
    d_model: int
    heads: int
    layers: int = 1
    d_ff: int | None = None
    bytes_per_number: int = 4
    window: int | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "d_model", "heads", "layers", "d_ff", "bytes_per_number", "window"):
            value = getattr(self, name)
            if value is not None or name not in ("d_ff", "window"):  # a NumPy integer would overflow in a product
                object.__setattr__(self, name, size_from(1, name, value))
        check_width("d_model", self.d_model, self.heads)

    @property
    def hidden_units(self) -> int:
        """Hidden units of the feed-forward network, d_ff."""
        return 4 * self.d_model if self.d_ff is None else self.d_ff

    @property
    def d_k(self) -> int:
        """Features of a query and of a key, in one head."""
        return self.d_model // self.heads

    @property
    def keys(self) -> int:
        """How many keys each query scores: n, or the window."""
        return self.tokens if self.window is None else min(self.tokens, self.window)

    def at(self, tokens: int) -> ModelSize:
        """Return the same model for another number of tokens."""
        return replace(self, tokens=tokens)

    # ---- Numbers and memory ----

    @property
    def matrix_elements(self) -> int:
        """Entries of the attention matrix of one head in one layer: n². With a window some of n · keys are empty."""
        return self.tokens * self.keys

    @property
    def all_matrix_elements(self) -> int:
        """Entries of the attention matrices of all heads and layers together."""
        return self.layers * self.heads * self.matrix_elements

    @property
    def matrix_bytes(self) -> int:
        """Memory of the attention matrix of one head in one layer, in bytes."""
        return self.matrix_elements * self.bytes_per_number

    @property
    def all_matrix_bytes(self) -> int:
        """Memory of all attention matrices if all are kept, in bytes."""
        return self.all_matrix_elements * self.bytes_per_number

    @property
    def cache_elements(self) -> int:
        """Numbers of the KV cache of all layers: a key and a value of d_model numbers for every token in reach."""
        return 2 * self.layers * self.keys * self.d_model

    @property
    def cache_bytes(self) -> int:
        """Memory of the KV cache, in bytes."""
        return self.cache_elements * self.bytes_per_number

    @property
    def parameters(self) -> int:
        """Entries of the six matrices of all layers, without biases, norms and embeddings."""
        return self.layers * (4 * self.d_model**2 + 2 * self.d_model * self.hidden_units)

    # ---- Arithmetic of one layer, product by product ----

    @property
    def query_key_value_flops(self) -> int:
        """X W_q, X W_k and X W_v: 6 n d_model²."""
        return 3 * product_flops(self.tokens, self.d_model, self.d_model)

    @property
    def output_flops(self) -> int:
        """Concatenated heads times W_O: 2 n d_model²."""
        return product_flops(self.tokens, self.d_model, self.d_model)

    @property
    def projection_flops(self) -> int:
        """Q, K, V and the mixing of the heads: 8 n d_model²."""
        return self.query_key_value_flops + self.output_flops

    @property
    def score_flops(self) -> int:
        """Q Kᵀ in all heads: 2 n² d_model."""
        return self.heads * product_flops(self.tokens, self.d_k, self.keys)

    @property
    def weighted_value_flops(self) -> int:
        """Weights times V in all heads: 2 n² d_model."""
        return self.heads * product_flops(self.tokens, self.keys, self.d_k)

    @property
    def feed_forward_flops(self) -> int:
        """Both products of the feed-forward network: 4 n d_model d_ff."""
        return 2 * product_flops(self.tokens, self.d_model, self.hidden_units)

    @property
    def softmax_flops(self) -> int:
        """About what the softmax would add, 5 a score: scale, subtract the maximum, exponential, sum, divide."""
        return 5 * self.heads * self.matrix_elements

    # ---- Arithmetic, summed ----

    @property
    def linear_flops(self) -> int:
        """What grows with n, of one layer: projections and feed-forward network."""
        return self.projection_flops + self.feed_forward_flops

    @property
    def quadratic_flops(self) -> int:
        """What grows with n², of one layer: Q Kᵀ and the product with V, 4 n² d_model; with a window 4 n w d_model."""
        return self.score_flops + self.weighted_value_flops

    @property
    def layer_flops(self) -> int:
        """All of one layer."""
        return self.linear_flops + self.quadratic_flops

    @property
    def flops(self) -> int:
        """All layers."""
        return self.layers * self.layer_flops

    @property
    def doubling_ratio(self) -> float:
        """How many times as much arithmetic twice as many tokens need: 2 to 4."""
        return self.at(2 * self.tokens).layer_flops / self.layer_flops

    @property
    def matrix_doubling_ratio(self) -> float:
        """How many times as large the attention matrix is for twice as many tokens: 4, or less with a window."""
        return self.at(2 * self.tokens).matrix_elements / self.matrix_elements

    @property
    def balance_tokens(self) -> int:
        """The n at which n² and n parts cost the same: 2 d_model + d_ff, so 6 d_model if d_ff is 4 d_model.

        From 4 n² d = 8 n d² + 4 n d d_ff. A window narrower than that keeps the n² part below for ever.
        """
        return 2 * self.d_model + self.hidden_units

    # ---- Decoding one token after the other ----

    @property
    def next_token_flops(self) -> int:
        """The last of the n tokens alone, in one layer, when keys and values of those before it are in a cache."""
        return self.linear_flops // self.tokens + 4 * self.keys * self.d_model

    @property
    def decoding_flops(self) -> int:
        """Writing n tokens one by one with a KV cache: token t compares itself with t keys, or those of the window."""
        n, w = self.tokens, self.keys
        pairs = w * (w + 1) // 2 + (n - w) * w
        return self.layers * (self.linear_flops + 4 * self.d_model * pairs)

    @property
    def decoding_flops_without_cache(self) -> int:
        """Writing n tokens one by one with all that came before computed anew: step t is a layer of t tokens."""
        n, w = self.tokens, self.keys
        steps, within = n * (n + 1) // 2, w * (w + 1) // 2
        pairs = w * (w + 1) * (2 * w + 1) // 6 + w * (steps - within)  # t² while all is in the window, then t · w
        return self.layers * (self.linear_flops // n * steps + 4 * self.d_model * pairs)


GPT2_SMALL = ModelSize(tokens=1024, d_model=768, heads=12, layers=12)
"""Radford et al. 2019, table 2; the number of heads is that of the published model."""

GPT2_XL = ModelSize(tokens=1024, d_model=1600, heads=25, layers=48)
"""Radford et al. 2019, table 2; the number of heads is that of the published model."""

LONG_CONTEXT = ModelSize(tokens=100_000, d_model=768, heads=1, layers=1)
"""One head of one layer, 100 000 tokens."""
