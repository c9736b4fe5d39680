"""Attention in NumPy, written as in the paper: softmax(Q Kᵀ / √d_k) V (Vaswani et al. 2017, eq. 1).

The letters of the shape comments:

===== =====================================================================
...   any leading axes: sequences of a batch, heads
n_q   queries; the rows of scores, mask and weights
n_k   keys, each with its value; the columns of scores, mask and weights
d_k   features of a query and of a key
d_v   features of a value and of the output
n, d  keys and features of a lookup, which has no sequence of queries
h, w  rows and columns of a grid of lookups
===== =====================================================================

Every row of weights sums to 1, or is zero throughout if there is nothing to attend to. A mask is True where
a query may attend. Functions return every intermediate. Arguments that cannot be used raise `ArrayError`,
which is a `ValueError`.
"""

from attention_explorer.model.attention import Attention, scaled_dot_product_attention
from attention_explorer.model.field import LookupField, lookup_field
from attention_explorer.model.gradient import LookupGradient, lookup_gradient
from attention_explorer.model.lookup import lookup
from attention_explorer.model.masks import causal_mask, padding_mask, prefix_mask, window_mask
from attention_explorer.model.softmax import entropy, hard_weights, softmax, tied

__all__ = [
    "Attention",
    "LookupField",
    "LookupGradient",
    "causal_mask",
    "entropy",
    "hard_weights",
    "lookup",
    "lookup_field",
    "lookup_gradient",
    "padding_mask",
    "prefix_mask",
    "scaled_dot_product_attention",
    "softmax",
    "tied",
    "window_mask",
]
