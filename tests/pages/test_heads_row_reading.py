"""Rows and columns read aloud: the weights of the map, in order, with notes that are true."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.numbers_files import as_csv
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.reading import (
    COLUMNS,
    Reading,
    column_reading,
    gloss,
    places_of,
    reading_table,
    row_reading,
)
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, MaskChoice, MaskKind
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

STACKED = ToyRecipe(sentence="a b c d e", d_model=16, heads=4, layers=3)
CROSS = heads_frame(HeadsSetup(HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat"), head=2))
FRAMES = [
    heads_frame(HeadsSetup()),
    heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL))),
    heads_frame(HeadsSetup(HandMadeRecipe(), head=3)),
    heads_frame(HeadsSetup(STACKED, layer=1, aggregate=Aggregate.MEAN)),
    CROSS,
]


def readings(frame: HeadsFrame) -> list[Reading]:
    n_q, n_k = frame.shape
    return [*(row_reading(frame, row) for row in range(n_q)), *(column_reading(frame, key) for key in range(n_k))]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_reading_is_a_row_or_a_column_of_the_map(frame: HeadsFrame) -> None:
    weights, allowed = frame.map.weights(), frame.map.allowed()
    for reading in readings(frame):
        at = (reading.index, slice(None)) if reading.is_row else (slice(None), reading.index)
        np.testing.assert_allclose(reading.weights, weights[at], rtol=1e-12)
        np.testing.assert_array_equal(reading.masked, ~allowed[at])
        assert reading.tokens == (frame.keys if reading.is_row else frame.queries)


@given(st.sampled_from(FRAMES), st.data())
@settings(max_examples=60, deadline=None)
def test_the_heaviest_come_first_and_masked_ones_last(frame: HeadsFrame, data: st.DataObject) -> None:
    reading = data.draw(st.sampled_from(readings(frame)))
    keys = [(bool(reading.masked[i]), -float(reading.weights[i]), i) for i in range(len(reading.tokens))]
    assert reading.order == tuple(i for *_, i in sorted(keys)), "equals in the order of the sentence"


def test_titles_name_the_token_with_its_place() -> None:
    frame = heads_frame(HeadsSetup())
    assert row_reading(frame, 7).title == "“it” (8) attends to"
    assert column_reading(frame, 1).title == "who attends to “cat” (2)"


# ---- Notes ----


def test_a_row_says_its_sum_and_entropy() -> None:
    frame = heads_frame(HeadsSetup())
    row = frame.map.weights()[7].tolist()
    entropy = -sum(weight * math.log(weight) for weight in row)
    assert row_reading(frame, 7).note == f"sum 1.0000 · entropy {entropy:.2f} nats"


def test_a_row_with_one_key_is_certain() -> None:
    frame = heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL)))
    assert row_reading(frame, 0).note == "sum 1.0000 · entropy 0.00 nats"


def test_a_row_with_nothing_to_attend_to_says_so() -> None:
    reading = row_reading(heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.STRICT))), 0)
    assert reading.note == "nothing to attend to: all weights are 0"
    assert reading.masked.all()
    assert reading.order == tuple(range(11))


def test_a_column_says_that_it_need_not_sum_to_1() -> None:
    frame = heads_frame(HeadsSetup())
    total = frame.map.weights()[:, 3].sum()
    assert abs(total - 1) > 0.1
    assert column_reading(frame, 3).note == f"sum {total:.4f}: columns need not sum to 1"


def test_the_largest_of_several_heads_is_no_distribution() -> None:
    frame = heads_frame(HeadsSetup(aggregate=Aggregate.MAX))
    total = frame.map.weights()[2].sum()
    assert row_reading(frame, 2).note == f"sum {total:.4f}: the largest weights of several heads need not sum to 1"


def test_a_rollout_past_an_empty_row_says_what_was_lost() -> None:
    setup = HeadsSetup(STACKED, MaskChoice(MaskKind.STRICT), aggregate=Aggregate.ROLLOUT)
    said = row_reading(heads_frame(setup), 0).note
    assert said == "sum 0.1250: part of it went to queries with nothing to attend to"
    without = heads_frame(HeadsSetup(STACKED, setup.mask, aggregate=Aggregate.ROLLOUT, identity=False))
    assert row_reading(without, 0).note == "nothing to attend to: all weights are 0"


def test_a_sentence_of_one_token() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="cat")))
    assert row_reading(frame, 0).order == (0,)
    assert row_reading(frame, 0).note == "sum 1.0000 · entropy 0.00 nats"


def test_a_visible_key_without_weight_comes_before_a_masked_one() -> None:
    frame = heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.BLOCK, size=3), hard=True))
    assert {row_reading(frame, row).order for row in range(3, 6)} <= {
        (first, *others, 0, 1, 2, 6, 7, 8, 9, 10) for first, *others in ((3, 4, 5), (4, 3, 5), (5, 3, 4))
    }


def test_a_word_that_comes_again_is_told_by_its_place() -> None:
    assert places_of(row_reading(heads_frame(HeadsSetup(ToyRecipe("the cat and the"))), 0)) == (" (1)", "", "", " (4)")


# ---- Glosses ----


def test_why_it_attends_to_mat_or_cat() -> None:
    soft = heads_frame(HeadsSetup(HandMadeRecipe(), head=3))
    assert gloss(soft, 7, 5) == "Most likely referent — “it” = mat"
    tired = heads_frame(HeadsSetup(HandMadeRecipe("The cat sat on the mat because it was tired"), head=3))
    assert gloss(tired, 7, 1) == "Most likely referent — “it” = cat"
    assert int(soft.map.weights()[7].argmax()) == 5
    assert int(tired.map.weights()[7].argmax()) == 1


def test_other_heads_and_unknown_words_have_no_gloss() -> None:
    assert [gloss(heads_frame(HeadsSetup(HandMadeRecipe(), head=head)), 7, 5) != "" for head in range(5)] == [
        False,
        False,
        False,
        True,
        False,
    ]
    assert gloss(heads_frame(HeadsSetup(HandMadeRecipe(), head=99)), 7, 5) == "", "that is the last head, not one more"
    assert gloss(heads_frame(HeadsSetup()), 7, 1) == ""
    assert gloss(heads_frame(HeadsSetup(HandMadeRecipe("it saw xyzzy"), head=3)), 0, 2) == ""


def test_only_it_has_a_referent() -> None:
    soft = heads_frame(HeadsSetup(HandMadeRecipe(), head=3))
    assert gloss(soft, 2, 5) == "Only “it” looks for a referent", "“sat” attends evenly, whatever the key is"
    causal = heads_frame(HeadsSetup(HandMadeRecipe(), mask=MaskChoice(MaskKind.CAUSAL), head=3))
    assert gloss(causal, 7, 9) == "", "a hidden key has no weight to explain"


def test_the_translation_says_which_word_it_does_not_know() -> None:
    frame = heads_frame(HeadsSetup(HandMadeRecipe("le oiseau chien", "the bird cat"), head=2))
    assert gloss(frame, 0, 0) == "“the” translates “le”"
    assert gloss(frame, 0, 1) == "“bird” is not in the dictionary"
    assert gloss(frame, 0, 2) == ""
    assert gloss(frame, 1, 1) == "“oiseau” is not in the dictionary: no preference"
    assert gloss(frame, 2, 2) == "no translation of “chien” in the other sentence"
    np.testing.assert_allclose(frame.map.weights()[1:], 1 / 3)


# ---- The table ----


@pytest.mark.parametrize("frame", FRAMES)
def test_the_table_reads_back_bit_for_bit(frame: HeadsFrame) -> None:
    for reading in readings(frame):
        header, rows = reading_table(frame, reading)
        lines = list(csv.reader(io.StringIO(as_csv(header, rows)), strict=True))
        assert lines[0] == list(header)
        table = {name: [line[place] for line in lines[1:]] for place, name in enumerate(header)}
        assert tuple(table["token"]) == reading.tokens
        assert table["position"] == [str(i + 1) for i in range(len(reading.tokens))]
        assert [float(cell) for cell in table["weight"]] == reading.weights.tolist()
        if frame.map.has_scores:
            assert header == COLUMNS
            at = (reading.index, slice(None)) if reading.is_row else (slice(None), reading.index)
            for name, stage in (
                ("raw score", Stage.SCORES),
                ("scaled score", Stage.SCALED),
                ("masked score", Stage.MASKED),
            ):
                np.testing.assert_allclose(
                    [float(cell) for cell in table[name]], frame.map.scores(stage=stage)[at], rtol=1e-9, atol=1e-14
                )
        else:
            assert header == ("token", "position", "weight")


def test_masked_scores_are_minus_infinity_and_their_weights_exactly_0() -> None:
    frame = FRAMES[1]
    _, rows = reading_table(frame, row_reading(frame, 2))
    for column, row in enumerate(rows):
        assert (row[4] == -math.inf) == (column > 2)
        assert (row[5] == 0.0) == (column > 2)


def test_tokens_that_a_table_must_quote() -> None:
    tokens = [",", '"', "שלום", "👩‍👩‍👧", "a\nb", "'", ";"]
    text = as_csv(("token", "weight"), [(token, 0.1 + 0.2) for token in tokens])
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert lines == [["token", "weight"], *([token, "0.30000000000000004"] for token in tokens)]
    assert "\r" not in text
