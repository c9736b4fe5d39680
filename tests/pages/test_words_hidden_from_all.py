"""Words that are hidden from a model: cells of the mask, that stay with their words while the sentence is edited."""

from __future__ import annotations

import pytest

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.pages.heads.guess import hidden_words
from attention_explorer.pages.heads.presets import HIDING, heads_preset
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.sources.registry import tokens_of

START = HeadsState()
WORDS = tokens_of(START.setup.recipe)


@pytest.mark.parametrize("kind", MaskKind)
def test_a_word_is_hidden_and_seen_again_whatever_the_mask(kind):
    mask = MaskChoice(kind)
    hidden = mask.with_word(2, 5, hide=True)
    assert hidden.words_hidden(5, 5) == (2,)
    assert hidden.hidden == {(row, 2) for row in range(5)}
    assert hidden.with_word(2, 5, hide=False) == mask


def test_a_column_with_a_gap_is_no_hidden_word():
    mask = MaskChoice().with_painted(frozenset((row, 1) for row in range(4)), hide=True)
    assert mask.words_hidden(4, 4) == (1,)
    assert mask.words_hidden(5, 5) == ()
    assert mask.words_hidden(4, 1) == (), "beyond the sentence"


@pytest.mark.parametrize(
    ("sentence", "hidden"),
    [
        ("The big cat sat on the mat because it was tired.", ("cat",)),
        ("The cat", ("cat",)),
        ("cat sat", ("cat",)),
        ("The dog sat on the mat because it was tired.", ("dog",)),
    ],
)
def test_a_hidden_word_stays_hidden_where_it_is_after_an_edit(sentence, hidden):
    heads = START.with_word(WORDS.index("cat"), hide=True).with_recipe(sentence=sentence)
    words = tokens_of(heads.setup.recipe)
    assert tuple(words[place] for place in heads.words_hidden) == hidden
    assert all(row < len(words) for row, _ in heads.setup.mask.hidden), "and no other cell is"


def test_what_was_painted_cell_by_cell_stays_where_it_is_while_words_move():
    painted = START.setup.mask.with_painted(frozenset({(0, 4), (3, 3)}), hide=True)
    heads = START.with_setup(mask=painted).with_word(1, hide=True).with_recipe(sentence="A cat sat on the mat")
    assert {(0, 4), (3, 3)} <= heads.setup.mask.hidden
    assert heads.words_hidden == (1,)


def test_where_no_mask_can_be_chosen_nothing_counts_as_hidden():
    heads = heads_preset("smollm2").state
    assert hidden_words(heads.with_word(2, hide=True)) == ()
    assert hidden_words(heads_preset(HIDING).state.with_word(2, hide=True)) == (2,)
