"""What several programs have in common, lines and a sentence, each written once."""

from __future__ import annotations

LEARNED = "It has what was learned up to this step; how it was learned is not in the program."

BY_WORD = (
    "The vector of each word is drawn from a generator of its own, seeded with the SHA-256 of seed and word: NumPy "
    "alone cannot do that, so the vectors are in the file."
)
"""Why the vectors of words are not drawn by a program."""

SOFTMAX = """
    def softmax(scores, temperature=1.0):
        e = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
        return e / e.sum(axis=-1, keepdims=True)
"""

MASKED_SOFTMAX = """
    def softmax(scores, temperature=1.0):  # a row that may see nothing has weights of zero
        top = scores.max(axis=-1, keepdims=True)
        e = np.exp((scores - np.where(np.isfinite(top), top, 0.0)) / temperature)
        total = e.sum(axis=-1, keepdims=True)
        return e / np.where(total > 0.0, total, 1.0)
"""

ARG_MAX = """
    def arg_max(scores):  # the best key takes all, the first among equals; none where nothing may be seen
        best = np.arange(scores.shape[-1]) == scores.argmax(axis=-1)[..., None]
        return np.where(np.isfinite(scores), best, False).astype(scores.dtype)
"""

SINUSOIDS = """
    def sinusoids(positions, d_model, base=10000.0):  # Vaswani et al. 2017, section 3.5
        angles = positions[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
        encoding = np.empty((len(positions), d_model))
        encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles[:, : d_model // 2])
        return encoding
"""

LAYER_NORM = """
    def layer_norm(x, eps=1e-5):
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
"""

ROTARY = """
    def rotary(x, positions, base=10000.0, layout="half"):  # Su et al. 2021, eq. 34
        d = x.shape[-1]
        angles = positions[:, None] / base ** (np.arange(0, d, 2) / d)
        cos, sin = np.cos(angles), np.sin(angles)
        first, second = (slice(0, d // 2), slice(d // 2, d)) if layout == "half" else (slice(0, d, 2), slice(1, d, 2))
        a, b, turned = x[..., first], x[..., second], np.empty(np.broadcast_shapes(x.shape, (len(positions), d)))
        turned[..., first], turned[..., second] = a * cos - b * sin, a * sin + b * cos
        return turned
"""
