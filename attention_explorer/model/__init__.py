"""Attention in NumPy, written as in the paper: softmax(Q Kᵀ / √d_k) V (Vaswani et al. 2017, eq. 1).

The letters of the shape comments:

========= =================================================================
...       any leading axes: sequences of a batch, heads
batch…    those of the sequences alone
heads     attention heads of one layer
n_q       queries; the rows of scores, mask and weights
n_k       keys, each with its value; the columns of scores, mask and weights
d_model   features of a token where queries come from
d_context features of a token where keys and values come from
d_k       features of a query and of a key, in one head
d_v       features of a value and of what a head puts out
d_out     features of a token after the heads are mixed
n, d      keys and features of a lookup, which has no sequence of queries
h, w      rows and columns of a grid of lookups, or of the tiles of a picture
b         rows of a map that are computed together
========= =================================================================

Every row of weights sums to 1, or is zero throughout if there is nothing to attend to. A mask is True where
a query may attend. Functions return every intermediate. Arguments that cannot be used raise `ArrayError`,
which is a `ValueError`.
"""

from attention_explorer.model.aggregates import max_of_heads, mean_of_heads, renormalised, rollout
from attention_explorer.model.alibi import alibi_bias, alibi_slopes
from attention_explorer.model.array_map import ArrayMap
from attention_explorer.model.attention import Attention, scaled_dot_product_attention
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.combined_map import CombinedMap
from attention_explorer.model.encodings import (
    learned_encoding,
    shift_matrix,
    sinusoidal_encoding,
    sinusoidal_rows,
    wavelengths,
)
from attention_explorer.model.field import LookupField, lookup_field
from attention_explorer.model.gradient import LookupGradient, lookup_gradient
from attention_explorer.model.head_axis import merge_heads, split_heads
from attention_explorer.model.lookup import lookup
from attention_explorer.model.map_summary import MapSummary, RowSummary
from attention_explorer.model.mask_fill import MaskFill, filled_weights
from attention_explorer.model.masks import (
    block_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    strictly_causal_mask,
    window_mask,
)
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.norms import layer_norm
from attention_explorer.model.pooling import Pooled, tile_bounds
from attention_explorer.model.query_key_map import QueryKeyMap, RowMask
from attention_explorer.model.renormalised_map import RenormalisedMap
from attention_explorer.model.rotary import rotary
from attention_explorer.model.softmax import entropy, hard_weights, softmax, tied

__all__ = [
    "ArrayMap",
    "Attention",
    "AttentionMap",
    "CombinedMap",
    "LookupField",
    "LookupGradient",
    "MapSummary",
    "MaskFill",
    "MultiHeadAttention",
    "MultiHeadTrace",
    "Pooled",
    "QueryKeyMap",
    "RenormalisedMap",
    "RowMask",
    "RowSummary",
    "Stage",
    "alibi_bias",
    "alibi_slopes",
    "block_mask",
    "causal_mask",
    "entropy",
    "filled_weights",
    "hard_weights",
    "layer_norm",
    "learned_encoding",
    "lookup",
    "lookup_field",
    "lookup_gradient",
    "max_of_heads",
    "mean_of_heads",
    "merge_heads",
    "padding_mask",
    "prefix_mask",
    "renormalised",
    "rollout",
    "rotary",
    "scaled_dot_product_attention",
    "shift_matrix",
    "sinusoidal_encoding",
    "sinusoidal_rows",
    "softmax",
    "split_heads",
    "strictly_causal_mask",
    "tied",
    "tile_bounds",
    "wavelengths",
    "window_mask",
]
