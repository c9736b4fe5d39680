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
from attention_explorer.model.learning.exact import ARITHMETIC, Arithmetic, Exact, NormalDraws, Plain
from attention_explorer.model.learning.network import (
    AS_LEARNED,
    NOT_ASKED,
    Batch,
    Gradients,
    Network,
    NetworkTrace,
    Scoring,
)
from attention_explorer.model.learning.parameters import Parameters
from attention_explorer.model.learning.plane_network import PlaneNetwork, PlaneSetting
from attention_explorer.model.learning.sequence_network import SequenceNetwork, SequenceSetting
from attention_explorer.model.learning.tape import Looked, Tape, Value
from attention_explorer.model.learning.training import ExplodedError, Training, measure
from attention_explorer.model.learning.translation_network import TranslationNetwork, TranslationSetting

__all__ = [
    "ARITHMETIC",
    "AS_LEARNED",
    "NOT_ASKED",
    "AdamSetting",
    "AdamState",
    "Arithmetic",
    "Batch",
    "CrossEntropy",
    "Exact",
    "ExplodedError",
    "Gradients",
    "Looked",
    "Network",
    "NetworkTrace",
    "NormalDraws",
    "Parameters",
    "Plain",
    "PlaneNetwork",
    "PlaneSetting",
    "Scoring",
    "SequenceNetwork",
    "SequenceSetting",
    "Tape",
    "Training",
    "TranslationNetwork",
    "TranslationSetting",
    "Value",
    "adam_step",
    "clipped",
    "cross_entropy",
    "cross_entropy_reverse",
    "measure",
]
