"""What the help window says of the numbers."""

from __future__ import annotations

NUMBERS = (
    (
        "What you see is what was computed",
        "Every number in a picture was computed by the program’s model layer, or measured on this machine. What is "
        "rounded on the screen has all its digits in the read-out, in copies and in exports.",
    ),
    (
        "Rows are queries",
        "In every map a row is a query and a column a key. The weights of a row add up to 1; those of a column need "
        "not.",
    ),
    (
        "Masked is not small",
        "A masked cell has a score of −∞ and a weight of exactly 0, and is drawn grey, which is not a colour of the "
        "bar. A row that sees nothing has weights of 0 and an output of 0.",
    ),
    (
        "Where weights come from",
        "The caption says whether they are random, made by hand, learned here, recorded from a trained model, or "
        "computed by one on this computer. Random heads mean nothing: they show how the arithmetic works.",
    ),
    (
        "Pictures that change the numbers",
        "Where a picture is normalised, clipped or on a log scale, a badge says so. The read-out has the raw number.",
    ),
    (
        "Digits",
        "What is random or made by hand is computed in float64, so that it matches a calculation on paper; what is "
        "learned or trained in float32. A tie of a hard lookup goes to the lowest index, and is shown.",
    ),
    (
        "Numbers that are typed",
        "Those in hints and in tutorials’ tables were typed, not computed. The table under Lab, Depth was measured "
        "with PyTorch.",
    ),
)
"""Headings, and what they say."""
