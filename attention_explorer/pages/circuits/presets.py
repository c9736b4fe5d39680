"""Ready-made questions of the Circuits page, of the two models in the box that repeat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_explorer.core.preset import Preset
from attention_explorer.pages.circuits.state import TEXT, Breaks, CircuitsState, CircuitsView, Looks, PutIn
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned_recipe import LearnedRecipe


def _ready(identifier: str, title: str, look_for: str, view: CircuitsView, **changes: Any) -> Preset[CircuitsState]:  # noqa: ANN401 # fields
    return Preset(identifier, title, look_for, replace(CircuitsState(), preset=identifier, view=view, **changes))


CIRCUITS_PRESETS: tuple[Preset[CircuitsState], ...] = (
    _ready(
        "looks",
        "Who looks one back",
        "One head of the first layer looks at the letter before. Click another head, and see its map. Then "
        "ask who looks at what followed.",
        CircuitsView.LOOKS,
    ),
    _ready(
        "look-alikes",
        "Four that look alike",
        "All four heads of the second layer look at what followed an equal letter. Are all needed? Ask What breaks.",
        CircuitsView.LOOKS,
        look=Looks.INDUCTION,
        layer=1,
    ),
    _ready(
        "breaks",
        "A look is not a function",
        "Four heads look at what followed, and none of them alone is missed. The one that looks back is.",
        CircuitsView.BREAKS,
        look=Looks.INDUCTION,
        layer=1,
        head=0,
    ),
    _ready(
        "breaks-answer",
        "What breaks the answer",
        "The same heads, asked for one answer: “m” after the last “c”.",
        CircuitsView.BREAKS,
        breaks=Breaks.ANSWER,
    ),
    _ready(
        "decided",
        "Where it is decided",
        "Each cell has the word that the model would say if it ended there. Follow the last column down: the "
        "answer comes with the second layer.",
        CircuitsView.DECIDED,
    ),
    _ready(
        "writes",
        "Who writes the answer",
        "The bars add up to the logit of the answer over that of another. Those of the second layer make it, together.",
        CircuitsView.WRITES,
    ),
    _ready(
        "words",
        "Which words made it",
        "Only the letters behind an earlier “c” matter. The gradient’s estimate below finds the same letters, "
        "and gets the sizes wrong.",
        CircuitsView.WORDS,
    ),
    _ready(
        "reads",
        "Who reads whom",
        "The four heads that copy read by their keys what one head wrote, and the weights alone say so. Point at it.",
        CircuitsView.READS,
    ),
    _ready(
        "twins",
        "A twin takes the answer over",
        "In the twin “p” follows “c”. Look for the places where one value of the sentence turns the answer into “m”.",
        CircuitsView.TWINS,
    ),
    _ready(
        "twins-heads",
        "Which head carries it over",
        "One head at a time is put into the twin, at all positions.",
        CircuitsView.TWINS,
        put_in=PutIn.HEAD,
    ),
    _ready(
        "found",
        "The circuit that copies",
        "One head looks back, four copy, joined by keys. Without the first the copy fails; each of the four "
        "alone is hardly missed.",
        CircuitsView.FOUND,
    ),
    _ready(
        "smallest",
        "The smallest there is",
        "One head a layer. The second copies; the first looks back in part only, so it is not named. Without "
        "it the copy fails all the same.",
        CircuitsView.FOUND,
        recipe=LearnedRecipe(*BOX["repeat"], sentence=TEXT),
    ),
)
