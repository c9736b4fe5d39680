"""The sentence about the largest products of a cell: its numbers are those of the products, and add up."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.counting import Count
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, MaskChoice, MaskKind
from attention_explorer.pages.heads.wording import MOST_NAMED, why, why_short
from attention_explorer.sources.recipe import Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe

GIVEN = ToyRecipe(
    "a b c",
    d_model=4,
    heads=1,
    vectors=TokenVectors.GIVEN,
    given=((2.0, 1.0, 0.5, 0.0), (3.0, -4.0, 0.25, 7.0), (1.0, 1.0, 1.0, 1.0)),
    projections=Projections.IDENTITY,
)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ((0, 1), "Features 1 and 3 add 6 and 0.125, feature 2 takes 4 away and the other product is 0. Of the 2 "),
        ((0, 0), "Features 1, 2 and 3 add 4, 1 and 0.25 and the other product is 0. No other key of the row scores "),
        (
            (1, 2),
            "Features 4 and 1 add 7 and 3, feature 2 takes 4 away and the other product comes to +0.25. Of the 2 ",
        ),
    ],
)
def test_it_names_the_largest_products_with_their_sign(cell, said: str) -> None:
    assert why(heads_frame(HeadsSetup(GIVEN)), *cell).startswith(f"Why? {said}")


@pytest.mark.parametrize("cell", [(0, 0), (3, 7), (10, 2)])
@pytest.mark.parametrize("count", list(Count))
def test_its_numbers_add_up_to_the_score(cell, count: Count) -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(), count=count))
    row, column = cell
    text = why(frame, row, column).replace("−", "-")
    terms = frame.query_key_map.q[row] * frame.query_key_map.k[column]
    adding = re.search(r"[Ff]eatures? ([\d, and]+?) adds? ([-\d., and]+)", text)
    taking = re.search(r"[Ff]eatures? ([\d, and]+?) takes? ([-\d., and]+?) away", text)
    rest = re.search(r"come to ([-+\d.]+)", text)
    found = 0.0
    for match, sign in ((adding, 1), (taking, -1)):
        if match is not None:
            places = [int(number) - count.first for number in re.findall(r"\d+", match[1])]
            sizes = [float(number.rstrip(".")) for number in re.findall(r"\d+\.?\d*", match[2])]
            for place, size in zip(places, sizes, strict=True):
                assert sign * size == pytest.approx(terms[place], rel=6e-3)
                assert (np.abs(terms) > abs(terms[place])).sum() < MOST_NAMED
            found += sign * sum(sizes)
    assert rest is not None
    assert found + float(rest[1].rstrip(".")) == pytest.approx(terms.sum(), abs=0.02)


def test_it_counts_the_keys_that_score_less() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(), mask=MaskChoice(MaskKind.CAUSAL)))
    scores = frame.map.scores(slice(5, 6), stage=Stage.MASKED)[0, :6]
    best, worst = int(scores.argmax()), int(scores.argmin())
    assert why(frame, 5, best).endswith("No other key of the row scores as much.")
    assert why(frame, 5, worst).endswith("Of the 5 other keys, none score less.")
    middle = int(np.argsort(scores)[1])
    assert why(frame, 5, middle).endswith("Of the 5 other keys, 1 scores less.")
    assert why(frame, 0, 0).endswith("It is the only key that this query sees.")


@pytest.mark.parametrize(
    ("setup", "cell"),
    [
        (HeadsSetup(ToyRecipe(), mask=MaskChoice(MaskKind.CAUSAL)), (0, 3)),
        (HeadsSetup(ToyRecipe(), aggregate=Aggregate.MEAN), (0, 3)),
        (HeadsSetup(BoxRecipe()), (0, 3)),
    ],
)
def test_nothing_is_said_of_what_no_products_decide(setup: HeadsSetup, cell) -> None:
    assert why(heads_frame(setup), *cell) == why_short(heads_frame(setup), *cell) == ""


def test_products_of_nothing_are_said_to_be_0() -> None:
    frame = heads_frame(HeadsSetup(replace(GIVEN, given=((0.0,) * 4, *GIVEN.given[1:]))))
    assert why_short(frame, 0, 1) == "Why? All products of query and key are 0."
    assert why(frame, 0, 1) == "Why? All products of query and key are 0. Of the 2 other keys, none score less."


def test_in_short_it_names_two() -> None:
    frame = heads_frame(HeadsSetup(GIVEN))
    assert why_short(frame, 0, 1) == "Why? +6 from feature 1, −4 from 2."
    assert why_short(frame, 0, 0) == "Why? +4 from feature 1, +1 from 2."
