"""How little a model expected each token of a text, from those before it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.transformer.head import Head

_AT_ONCE = 2**22
"""Logits that are in memory at a time: 32 MiB, of a large vocabulary some thirty positions."""


def log_probabilities(logits: Floats, ids: Sequence[int]) -> Floats:
    """Return log softmax(logits) of one token in each row.

    Parameters
    ----------
    logits : ndarray, (n, vocabulary)
        Numbers of the vocabulary.
    ids : sequence of int
        Which token of each row, (n,).

    Returns
    -------
    ndarray, (n,)
        In nats, float64.
    """
    wide = logits.astype(np.float64)
    top = wide.max(axis=1)
    found: Floats = wide[np.arange(len(wide)), list(ids)] - top - np.log(np.exp(wide - top[:, None]).sum(axis=1))
    return found


def surprise(head: Head, hidden: Floats, ids: Sequence[int]) -> Floats:
    """Return −log₂ p of each token, given those before it.

    Parameters
    ----------
    head : Head
        Of a model that foretells the token that comes next.
    hidden : ndarray, (n, d_model)
        What leaves its last layer.
    ids : sequence of int
        The tokens that it read, (n,).

    Returns
    -------
    ndarray, (n,)
        In bits, float64: 0 for what was certain, 1 for one of two. NaN for the first, which nothing foretells.

    Notes
    -----
    Shannon 1951, Prediction and Entropy of Printed English. 2 to the mean of it is the perplexity of the text.
    """
    found = np.full(len(ids), np.nan)
    step = max(_AT_ONCE // head.decode.weight.shape[1], 1)
    for start in range(0, len(ids) - 1, step):
        checkpoint()
        end = min(start + step, len(ids) - 1)
        found[start + 1 : end + 1] = log_probabilities(head(hidden[start:end]), ids[start + 1 : end + 1])
    return found / -math.log(2.0)
