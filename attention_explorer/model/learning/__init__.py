"""Learning in NumPy: forward returns a trace, backward takes it.

The parts are those of `attention_explorer.model`; here are the gradients by their parameters, what is minimised, and
how the parameters move. Beyond the letters of `attention_explorer.model`:

========== ====================================================
vocabulary how many tokens there are
places     the longest sentence
asked      places of a batch at which an answer is wanted
answers    how many possible answers there are
count      learned numbers of a whole network
========== ====================================================
"""

from attention_explorer.model.learning.adam import AdamSetting, AdamState, adam_step, clipped
from attention_explorer.model.learning.cross_entropy import CrossEntropy, cross_entropy, cross_entropy_reverse
from attention_explorer.model.learning.embedding import Embedding
from attention_explorer.model.learning.gradients import (
    AttentionGradient,
    DecoderGradient,
    Gradient,
    attention_gradient,
    decoder_gradient,
    encoder_gradient,
    feed_forward_gradient,
    norm_gradient,
    parameters_of,
    stack_gradient,
)
from attention_explorer.model.learning.network import (
    AS_LEARNED,
    NOT_ASKED,
    Attended,
    Batch,
    Network,
    NetworkTrace,
    Scoring,
)
from attention_explorer.model.learning.parameters import Parameters
from attention_explorer.model.learning.plane_network import PlaneNetwork, PlaneSetting
from attention_explorer.model.learning.sequence_network import SequenceNetwork, SequenceSetting
from attention_explorer.model.learning.training import ExplodedError, Training, measure
from attention_explorer.model.learning.translation_network import TranslationNetwork, TranslationSetting

__all__ = [
    "AS_LEARNED",
    "NOT_ASKED",
    "AdamSetting",
    "AdamState",
    "Attended",
    "AttentionGradient",
    "Batch",
    "CrossEntropy",
    "DecoderGradient",
    "Embedding",
    "ExplodedError",
    "Gradient",
    "Network",
    "NetworkTrace",
    "Parameters",
    "PlaneNetwork",
    "PlaneSetting",
    "Scoring",
    "SequenceNetwork",
    "SequenceSetting",
    "Training",
    "TranslationNetwork",
    "TranslationSetting",
    "adam_step",
    "attention_gradient",
    "clipped",
    "cross_entropy",
    "cross_entropy_reverse",
    "decoder_gradient",
    "encoder_gradient",
    "feed_forward_gradient",
    "measure",
    "norm_gradient",
    "parameters_of",
    "stack_gradient",
]
