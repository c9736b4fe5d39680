"""When attention is called nearly uniform: one criterion for the note, the wall and the checks.

Entropy alone does not do: it is flat at its top, so three weights of .42, .33 and .25, a pattern that anybody sees,
have 98 % of the largest entropy; and with many keys 98 % leaves room for some with several times their share. So two
things are asked for, both on a scale that is free of the number of keys:

- the mean of entropy ÷ ln n over the rows, n the keys that a row sees, is at least `EVEN`;
- no weight is further from an even share 1/n than `CLOSE` times that share, |w − 1/n| ÷ (1/n) = |n·w − 1|.

The tutorials whose small gains hide that nothing is looked at have 0.07 (four tokens, no weight further than 0.018 from
1/4) and 0.02 (three tokens, 0.007 from 1/3) of the share.
"""

from __future__ import annotations

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, FloatArray

EVEN = 0.98
CLOSE = 0.25


def is_nearly_uniform(evenness: float, excess: float) -> bool:
    """Whether weights with this mean of entropy ÷ ln n and this largest |n·w − 1| look at nothing; NaN is no."""
    return evenness >= EVEN and excess <= CLOSE


def largest_excess(weights: FloatArray, allowed: BoolArray) -> float:
    """Return the largest |n·w − 1| over the visible weights (n_q, n_k), n the visible keys of the row; 0 if none is."""
    visible = allowed.sum(axis=1, keepdims=True)
    return float(np.abs(weights * visible - 1.0).max(where=allowed, initial=0.0))
