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
d_ff      hidden units of a feed-forward network
m         the newest tokens, in decoding
n, d      keys and features of a lookup, which has no sequence of queries
h, w      rows and columns of a grid of lookups, or of the tiles of a picture
b         rows of a map that are computed together
========= =================================================================

Every row of weights sums to 1, or is zero throughout if there is nothing to attend to. A mask is True where
a query may attend. Functions return every intermediate. Arguments that cannot be used raise `ArrayError`,
which is a `ValueError`.

Matrices are (in, out), as x @ w is written in the papers; `torch.nn.Linear` keeps them (out, in). In words of PyTorch:

========================================== =====================================================================
w_q, w_k, w_v, w_o, w1, w2, w3             ``linear.weight.T``
b_q, b_k, b_v, b_o, b1, b2, b3             ``linear.bias``
gain, bias of a norm                       ``norm.weight``, ``norm.bias``
w_q, w_k, w_v of `nn.MultiheadAttention`   ``in_proj_weight.T`` in three blocks of columns, in this order
w_o of it                                  ``out_proj.weight.T``
mask, True may attend                      ``attn_mask`` of `scaled_dot_product_attention`; of `nn.MultiheadAttention`
                                           ``~attn_mask``; for numbers to add: bias
layer.reverse(trace, d_output)             ``output.backward(d_output)``, then ``x.grad``
layer(x), layer(x, dropout=Dropout(…))     ``layer.eval()``, ``layer.train()``
========================================== =====================================================================
"""

from attention_explorer.model.activations import Activation, activate, activation_slope
from attention_explorer.model.aggregates import max_of_heads, mean_of_heads, renormalised, rollout
from attention_explorer.model.alibi import alibi_bias, alibi_slopes
from attention_explorer.model.array_map import ArrayMap
from attention_explorer.model.attention import Attention, KeptAttention, scaled_dot_product_attention
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.attention_reverse import AttentionDerivative, attention_reverse, softmax_reverse
from attention_explorer.model.combined_map import CombinedMap
from attention_explorer.model.decoder_layer import DecoderDerivative, DecoderLayer, DecoderTrace
from attention_explorer.model.depth import DepthSurvey, mean_token_cosine, survey_depth
from attention_explorer.model.dropout import Dropout, DropoutPlace
from attention_explorer.model.encoder_layer import EncoderLayer, EncoderTrace
from attention_explorer.model.encodings import (
    learned_encoding,
    shift_matrix,
    sinusoidal_encoding,
    sinusoidal_rows,
    wavelengths,
)
from attention_explorer.model.feed_forward import FeedForward, FeedForwardTrace, feed_forward
from attention_explorer.model.field import LookupField, lookup_field
from attention_explorer.model.gradient import LookupGradient, lookup_gradient
from attention_explorer.model.head_axis import merge_heads, split_heads
from attention_explorer.model.initialisers import Initialiser, StackSetting, initial_gain, random_layer, random_stack
from attention_explorer.model.kv_cache import KVCache, attend_with_cache
from attention_explorer.model.layer_comparison import (
    attention_path,
    recurrent_flops,
    recurrent_influence,
    recurrent_path,
)
from attention_explorer.model.layer_stack import EncoderStack, StackTrace
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
from attention_explorer.model.model_size import GPT2_SMALL, GPT2_XL, LONG_CONTEXT, ModelSize, product_flops
from attention_explorer.model.multi_head import AttentionCall, MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.norm import Norm, NormKind
from attention_explorer.model.normal import normal_cdf, normal_density, normal_tail
from attention_explorer.model.norms import layer_norm, rms_norm
from attention_explorer.model.pooling import Pooled, tile_bounds
from attention_explorer.model.precision import PrecisionSoftmax, softmax_in_precision
from attention_explorer.model.query_key_map import QueryKeyMap
from attention_explorer.model.renormalised_map import RenormalisedMap
from attention_explorer.model.rotary import RotaryPositions, rotary
from attention_explorer.model.row_array import RowArray
from attention_explorer.model.row_mask import RowMask
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource, draw_scores
from attention_explorer.model.softmax import entropy, hard_weights, softmax, tied
from attention_explorer.model.softmax_slope import softmax_gradient_norm, softmax_jacobian, two_key_slope
from attention_explorer.model.sublayer import NormPlacement, SublayerTrace, Wiring

__all__ = [
    "GPT2_SMALL",
    "GPT2_XL",
    "LONG_CONTEXT",
    "Activation",
    "ArrayMap",
    "Attention",
    "AttentionCall",
    "AttentionDerivative",
    "AttentionMap",
    "CombinedMap",
    "DecoderDerivative",
    "DecoderLayer",
    "DecoderTrace",
    "DepthSurvey",
    "Dropout",
    "DropoutPlace",
    "EncoderLayer",
    "EncoderStack",
    "EncoderTrace",
    "EntryDistribution",
    "FeedForward",
    "FeedForwardTrace",
    "Initialiser",
    "KVCache",
    "KeptAttention",
    "LookupField",
    "LookupGradient",
    "MapSummary",
    "MaskFill",
    "ModelSize",
    "MultiHeadAttention",
    "MultiHeadTrace",
    "Norm",
    "NormKind",
    "NormPlacement",
    "Pooled",
    "PrecisionSoftmax",
    "QueryKeyMap",
    "RenormalisedMap",
    "RotaryPositions",
    "RowArray",
    "RowMask",
    "RowSummary",
    "ScoreSetting",
    "ScoreSource",
    "StackSetting",
    "StackTrace",
    "Stage",
    "SublayerTrace",
    "Wiring",
    "activate",
    "activation_slope",
    "alibi_bias",
    "alibi_slopes",
    "attend_with_cache",
    "attention_path",
    "attention_reverse",
    "block_mask",
    "causal_mask",
    "draw_scores",
    "entropy",
    "feed_forward",
    "filled_weights",
    "hard_weights",
    "initial_gain",
    "layer_norm",
    "learned_encoding",
    "lookup",
    "lookup_field",
    "lookup_gradient",
    "max_of_heads",
    "mean_of_heads",
    "mean_token_cosine",
    "merge_heads",
    "normal_cdf",
    "normal_density",
    "normal_tail",
    "padding_mask",
    "prefix_mask",
    "product_flops",
    "random_layer",
    "random_stack",
    "recurrent_flops",
    "recurrent_influence",
    "recurrent_path",
    "renormalised",
    "rms_norm",
    "rollout",
    "rotary",
    "scaled_dot_product_attention",
    "shift_matrix",
    "sinusoidal_encoding",
    "sinusoidal_rows",
    "softmax",
    "softmax_gradient_norm",
    "softmax_in_precision",
    "softmax_jacobian",
    "softmax_reverse",
    "split_heads",
    "strictly_causal_mask",
    "survey_depth",
    "tied",
    "tile_bounds",
    "two_key_slope",
    "wavelengths",
    "window_mask",
]
