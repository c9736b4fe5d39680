"""Ready-made states of the Positions page, each with a sentence that says what to look for."""

from __future__ import annotations

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import Likeness, PositionsPicture, PositionsState

POSITIONS_PRESETS: tuple[Preset[PositionsState], ...] = (
    Preset(
        "sinusoidal",
        "Sinusoidal, 64 × 64",
        "The waves at the left repeat after 6.28 positions. From dimension 40 on, nothing changes by more than 0.2 "
        "over all 64 positions. Every row has the norm √32 = 5.657. Click a column to draw its wave.",
        PositionsState(preset="sinusoidal"),
    ),
    Preset(
        "tutorial",
        "Near and far positions, 20 × 64",
        "PE[0]·PE[1] = 30.917 of a possible 32, and PE[0]·PE[19] = 19.974: near positions are more alike here. But "
        "nearer is not always more alike: offset 15 has 19.470, and offset 25 would have 20.135.",
        PositionsState(length=20, position=1, shift=1, preset="tutorial"),
    ),
    Preset(
        "eight-clocks",
        "Eight clocks",
        "Eight pairs of dimensions, each a clock. Turn the hand of clock 0 once round: the position moves by 6.28. "
        "Then turn clock 3: one turn is 199 positions, more than there are. Together they tell every position apart.",
        PositionsState(d_model=16, position=3, picture=PositionsPicture.CLOCKS, preset="eight-clocks"),
    ),
    Preset(
        "clocks",
        "Clocks: a shift is a rotation",
        "Move the position: every hand turns at its own speed. Then change the shift k: each hand turns by its own "
        "angle k·θ wherever it stands, so PE(p + k) = R_k·PE(p), here to within 2·10⁻¹⁴.",
        PositionsState(length=100, position=10, shift=7, picture=PositionsPicture.CLOCKS, preset="clocks"),
    ),
    Preset(
        "long",
        "Long: 8192 × 1024",
        "Eight million numbers, of which only as many are computed as there are pixels. The slowest wave is 61712 "
        "positions long: over all 8192 positions its hand makes 0.13 of a turn.",
        PositionsState(length=8192, d_model=1024, dimensions=(0, 256, 512, 768), position=4096, preset="long"),
    ),
    Preset(
        "learned",
        "Learned, before training",
        "No waves: random numbers with a standard deviation of 0.02. PE[0] is closer to PE[5] (cosine 0.33) than to "
        "its neighbour PE[1] (0.02): that neighbours are alike has to be learned.",
        PositionsState(PositionKind.LEARNED, preset="learned"),
    ),
    Preset(
        "rotary",
        "Rotary (RoPE)",
        "Nothing is added: pair i of a query at position p is turned by p·θ_i. Turning by p and then by k is turning "
        "by p + k, so the product of a query and a key depends on their offset alone. Look at Attention.",
        PositionsState(PositionKind.ROTARY, picture=PositionsPicture.CLOCKS, preset="rotary"),
    ),
    Preset(
        "alibi",
        "ALiBi, 8 heads",
        "The first head takes 1/2 off the score for each position of distance, the last only 1/256. Ten positions "
        "away that multiplies a weight by 0.0067 in the first and by 0.96 in the last, before the weights are "
        "normalised.",
        PositionsState(PositionKind.ALIBI, preset="alibi"),
    ),
    Preset(
        "fingerprints",
        "Fingerprints",
        "The distance of two positions is 1.472 between neighbours and 6.104 at most, and 0 on the diagonal alone. It "
        "does not always grow with the offset. After random W_q and W_k the offset alone no longer decides.",
        PositionsState(
            picture=PositionsPicture.SIMILARITY, likeness=Likeness.DISTANCE, position=1, preset="fingerprints"
        ),
    ),
    Preset(
        "rotary-product",
        "Rotary: the offset decides",
        "One query and one key, turned to every pair of positions: each diagonal has one number, and after W_q and W_k "
        "too. Choose sinusoidal, and the right map loses its diagonals.",
        PositionsState(PositionKind.ROTARY, picture=PositionsPicture.SIMILARITY, preset="rotary-product"),
    ),
    Preset(
        "lines",
        "A line for each query",
        "The strong line is the score of query 40 against the distance. Move the query: the line changes its shape, "
        "because a sinusoid goes through W_q and W_k. Choose rotary, and the line stays.",
        PositionsState(picture=PositionsPicture.ATTENTION, preset="lines"),
    ),
    Preset(
        "nearsighted",
        "ALiBi: ten keys back",
        "With the slope 1/2 a query gives itself 0.393 and the ten keys before it nearly all the rest: together 0.996. "
        "The last head, with 1/256, gives itself 0.026 and the first key still 0.023.",
        PositionsState(PositionKind.ALIBI, picture=PositionsPicture.ATTENTION, causal=True, preset="nearsighted"),
    ),
    Preset(
        "bag-of-words",
        "A bag of words",
        "Shuffle the words: the outputs are the same rows, shuffled, but for rounding. A causal mask ends that, and so "
        "does every encoding: choose one, or click its line in the table.",
        PositionsState(PositionKind.NONE, picture=PositionsPicture.ORDER, preset="bag-of-words"),
    ),
    Preset(
        "order-matters",
        "Who bites whom",
        "With sines and cosines added, “the dog bites the man” shuffled gives other outputs: the vectors that are "
        "added stay where they are while the words move. Choose none to compare.",
        PositionsState(picture=PositionsPicture.ORDER, preset="order-matters"),
    ),
)


def positions_preset(identifier: str) -> Preset[PositionsState]:
    """Return the preset with this id.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    return preset_of(POSITIONS_PRESETS, identifier)
