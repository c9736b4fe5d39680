"""The arrays behind a head, from the embeddings to the output of the layer: which there are, and their names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.core.role import Role
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.sources.source import Ability

MOST_SHOWN = 512
"""Tokens up to which arrays are shown: some hold a number for every pair."""

MOST_CELLS = 2**22
"""Weights of all heads up to which their outputs are put side by side."""


class ArrayKind(StrEnum):
    """An array by its symbol."""

    EMBEDDINGS = "E"
    ENCODING = "PE"
    X = "X"
    CONTEXT = "X′"
    W_Q = "W_Q"
    W_K = "W_K"
    W_V = "W_V"
    Q = "Q"
    K = "K"
    V = "V"
    SCORES = "QKᵀ"
    SCALED = "S"
    WEIGHTS = "A"
    HEAD_OUTPUT = "A·V"
    CONCAT = "concat"
    W_O = "W_O"
    OUTPUT = "output"


ROLES = {
    ArrayKind.W_Q: Role.QUERY,
    ArrayKind.Q: Role.QUERY,
    ArrayKind.W_K: Role.KEY,
    ArrayKind.K: Role.KEY,
    ArrayKind.W_V: Role.VALUE,
    ArrayKind.V: Role.VALUE,
}

STAGES = {ArrayKind.SCORES: Stage.SCORES, ArrayKind.SCALED: Stage.SCALED, ArrayKind.WEIGHTS: Stage.WEIGHTS}

LIBRARY = (
    "As in a library: you come with a question (query), compare it with the label of every book (key), and take more "
    "from the books (values) the better their labels fit."
)
ROLE_CARDS = {
    ArrayKind.Q: f"A query says what its token looks for. Where it was learned, no word may exist for that. {LIBRARY}",
    ArrayKind.K: f"A key says what its token can be found by; each query is compared with all keys. {LIBRARY}",
    ArrayKind.V: f"A value is what its token hands over once it is found. {LIBRARY}",
}
"""What the three roles of a token mean."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadArray:
    """An array of the chosen head or of its layer."""

    kind: ArrayKind
    title: str
    source: str
    """Where its numbers come from."""
    values: FloatArray  # (rows, columns)
    masked: BoolArray  # (rows, columns), cells that no query may look at
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    axes: tuple[str, str]
    """What a row and a column are."""
    whole: str = ""
    """The shape with all heads, where this is a part of a larger array."""
    own_rows: slice | None = None
    """The rows of the chosen head, where the array holds those of all heads."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    @property
    def role(self) -> Role | None:
        """Whether it is about queries, keys or values."""
        return ROLES.get(self.kind)

    @property
    def card(self) -> str:
        """What the role of the token means; empty for arrays without one."""
        return ROLE_CARDS.get(self.kind, "")


# ---- Which there are ----


def reason_against(frame: HeadsFrame) -> str:
    """Return why the arrays of a frame are not shown; empty if they are."""
    longest = max(frame.shape)
    if longest > MOST_SHOWN:
        return f"Arrays are shown up to {MOST_SHOWN} tokens, and there are {longest}: shorten the sentence."
    lacking = frame.source.traits.reason_against(Ability.SCORES)
    if lacking:
        return lacking
    if min(frame.shape) == 0:
        return "There is no token, so there are no arrays: type a sentence."
    return ""


def arrays_of(frame: HeadsFrame) -> tuple[ArrayKind, ...]:
    """Return which arrays there are, in the order of computation."""
    absent: set[ArrayKind] = set()
    if not (frame.source.is_encoded and frame.layer == 0):
        absent |= {ArrayKind.EMBEDDINGS, ArrayKind.ENCODING}
    layer = frame.layers[frame.layer]
    if layer.x is None:
        absent |= {ArrayKind.X, ArrayKind.CONTEXT}
    if layer.values is None:
        absent |= {ArrayKind.V, ArrayKind.HEAD_OUTPUT}
    if not frame.is_cross:
        absent.add(ArrayKind.CONTEXT)
    if not frame.has_projections:
        absent |= {ArrayKind.W_Q, ArrayKind.W_K, ArrayKind.W_V, ArrayKind.W_O, ArrayKind.CONCAT, ArrayKind.OUTPUT}
    if frame.heads * frame.shape[0] * frame.shape[1] > MOST_CELLS:
        absent |= {ArrayKind.CONCAT, ArrayKind.OUTPUT}
    return tuple(kind for kind in ArrayKind if kind not in absent)


def formula(frame: HeadsFrame) -> tuple[tuple[str, ArrayKind | None], ...]:
    """Return softmax(QKᵀ/√d_k)V piece by piece, each with the array behind it if there is one.

    Nothing where queries and keys are not known.
    """
    if frame.source.traits.reason_against(Ability.SCORES):
        return ()
    name = "arg max" if frame.setup.hard else "softmax"
    pieces: list[tuple[str, ArrayKind | None]] = [(frame.count.head(frame.head), ArrayKind.HEAD_OUTPUT), ("=", None)]
    pieces += [(name, ArrayKind.WEIGHTS), ("(", None), ("Q", ArrayKind.Q), ("Kᵀ", ArrayKind.K)]
    if frame.setup.scaled:
        pieces.append((f"÷ √{frame.head_width}", ArrayKind.SCALED))
    there = arrays_of(frame)
    return tuple((text, kind if kind in there else None) for text, kind in (*pieces, (")", None), ("V", ArrayKind.V)))


def projections(frame: HeadsFrame) -> tuple[tuple[str, ArrayKind | None], ...]:
    """Return how Q, K, V and the output are made, piece by piece; nothing for heads made by hand."""
    if not frame.has_projections:
        return ()
    asked = ArrayKind.CONTEXT if frame.is_cross else ArrayKind.X
    pieces: list[tuple[str, ArrayKind | None]] = []
    for made, source, weight in (
        (ArrayKind.Q, ArrayKind.X, ArrayKind.W_Q),
        (ArrayKind.K, asked, ArrayKind.W_K),
        (ArrayKind.V, asked, ArrayKind.W_V),
        (ArrayKind.OUTPUT, ArrayKind.CONCAT, ArrayKind.W_O),
    ):
        pieces += [(made.value, made), ("=", None), (source.value, source), (weight.value, weight), (" ", None)]
    there = arrays_of(frame)
    return tuple((text, kind if kind in there else None) for text, kind in pieces[:-1])


def shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape as it is written: (8, 11, 8)."""
    return f"({', '.join(map(str, shape))})"


def shape_text(array: HeadArray) -> str:
    """Return the shape of an array as it is written: (11, 8)."""
    return shape_words(array.shape)
