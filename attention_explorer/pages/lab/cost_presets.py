"""Ready-made states of the pictures of cost, each with a sentence that says what to look for."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.preset import Preset
from attention_explorer.pages.lab.cost_state import CostPicture, CostState, Quantity, Scope
from attention_explorer.pages.lab.precision import Precision

_SMALL = CostState()
_LONG = replace(_SMALL, n=100_000)

COST_PRESETS: tuple[Preset[CostState], ...] = (
    Preset(
        "gpt2",
        "GPT-2 small, 1024 tokens",
        "1 048 576 numbers in each head: 4 MiB in float32, 576 MiB for all 12 × 12 heads. Doubling n makes a matrix "
        "four times as large, but a layer only 2.364 times as costly.",
        _SMALL,
    ),
    Preset(
        "gpt2-xl",
        "GPT-2 XL, 1024 tokens",
        "48 layers of 25 heads: 1200 matrices of 4 MiB are 4.69 GiB if all are kept, as in training without "
        "recomputation. Each head is still 64 wide: 1600 ÷ 25.",
        replace(_SMALL, d_model=1600, heads=25, d_ff=6400, layers=48, preset="gpt2-xl"),
    ),
    Preset(
        "base",
        "2017 base model, 512 tokens",
        "Each head is 512 ÷ 8 = 64 wide. The n² part is a seventh of the layer: the feed-forward part costs more.",
        CostState(512, 512, 8, 2048, 6, preset="base"),
    ),
    Preset(
        "tutorial",
        "Very short: 10 tokens, d = 512",
        "So short that doubling n costs only 2.006 times as much: the n² part, which does become four times as large, "
        "is 0.3 %.",
        CostState(10, 512, 8, 2048, 1, preset="tutorial"),
    ),
    Preset(
        "long",
        "100 000 tokens",
        "10 000 000 000 numbers in each head: 37.3 GiB in float32, if the matrix is ever stored whole. Now the n² part "
        "is most of the layer, and doubling n costs 3.91 times as much.",
        replace(_LONG, preset="long"),
    ),
    Preset(
        "window",
        "100 000 tokens, window of 4096",
        "Each query scores only the 4096 nearest keys: n·w numbers instead of n², 24 times fewer, and doubling n "
        "doubles the cost. Reach shows the price: the first token is 25 layers away.",
        replace(_LONG, windowed=True, window=4096, preset="window"),
    ),
    Preset(
        "gpt3",
        "GPT-3, 2048 tokens, float16",
        "96 layers of 96 heads, each 128 wide, not 64. d = 12288 is so wide that the n² part is below 3 %; it only "
        "overtakes the rest at 73 728 tokens.",
        CostState(2048, 12288, 96, 49152, 96, Precision.FLOAT16, preset="gpt3"),
    ),
    Preset(
        "measure",
        "Measure this machine",
        "Press Measure here: the points are this machine’s times. By the clock, doubling n rarely takes exactly "
        "4 times as long.",
        CostState(picture=CostPicture.GROWTH, quantity=Quantity.OPERATIONS, scope=Scope.HEAD, preset="measure"),
    ),
    Preset(
        "reach",
        "What earlier models could see",
        "A bigram sees one token, a fixed context a few. A recurrent state fades by ρ at each step: move ρ. Attention "
        "has every token of its context one step away.",
        CostState(64, 512, 8, 2048, 6, picture=CostPicture.REACH, preset="reach"),
    ),
    Preset(
        "inputs",
        "Two inputs, one list of operations",
        "Inputs of the same length take the same operations; only the weights differ. Make one sentence longer, and "
        "the list changes.",
        CostState(6, 64, 8, 256, 1, picture=CostPicture.INPUTS, preset="inputs"),
    ),
)
