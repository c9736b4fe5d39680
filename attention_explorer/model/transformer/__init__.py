"""The forward pass of trained transformers: decoders, encoders and encoder–decoders, in float32.

`Spec` says what a tower is: the switches by which families differ. `Stack` is that tower with its embeddings, `Layer`
is what papers draw as one box, and `Transformer` runs one tower, or two of which the second looks at the first. What a
run gives is a `TransformerRun`. Nothing here knows of files: weights come in as arrays, or as functions that fetch them
when their layer is run.
"""

from attention_explorer.model.transformer.activations import ACTIVATIONS
from attention_explorer.model.transformer.attention import Attention, AttentionRun
from attention_explorer.model.transformer.bare import bare
from attention_explorer.model.transformer.change import Change, Twin
from attention_explorer.model.transformer.changes import AS_TRAINED, CROSS, ENCODER, SELF, Softmax
from attention_explorer.model.transformer.embedding import Embedding, Inputs
from attention_explorer.model.transformer.head import Head
from attention_explorer.model.transformer.head_weights import HeadWeights, head_weights
from attention_explorer.model.transformer.layer import Layer, LayerRun
from attention_explorer.model.transformer.network import Network, NetworkRun
from attention_explorer.model.transformer.parts import FastNorm, Linear, Norms
from attention_explorer.model.transformer.relative import RelativePositions
from attention_explorer.model.transformer.reverse import Gradients, reverse, reverse_head
from attention_explorer.model.transformer.rope import Rope
from attention_explorer.model.transformer.spec import (
    PROJECTIONS,
    Blank,
    Buckets,
    LayerSpec,
    NormPlace,
    NormSpec,
    Places,
    QkNorm,
    Spec,
)
from attention_explorer.model.transformer.stack import Stack, StackRun
from attention_explorer.model.transformer.surprise import log_probabilities, surprise
from attention_explorer.model.transformer.together import together
from attention_explorer.model.transformer.transformer import Transformer, TransformerRun
from attention_explorer.model.transformer.writer import Writer

__all__ = [
    "ACTIVATIONS",
    "AS_TRAINED",
    "CROSS",
    "ENCODER",
    "PROJECTIONS",
    "SELF",
    "Attention",
    "AttentionRun",
    "Blank",
    "Buckets",
    "Change",
    "Embedding",
    "FastNorm",
    "Gradients",
    "Head",
    "HeadWeights",
    "Inputs",
    "Layer",
    "LayerRun",
    "LayerSpec",
    "Linear",
    "Network",
    "NetworkRun",
    "NormPlace",
    "NormSpec",
    "Norms",
    "Places",
    "QkNorm",
    "RelativePositions",
    "Rope",
    "Softmax",
    "Spec",
    "Stack",
    "StackRun",
    "Transformer",
    "TransformerRun",
    "Twin",
    "Writer",
    "bare",
    "head_weights",
    "log_probabilities",
    "reverse",
    "reverse_head",
    "surprise",
    "together",
]
