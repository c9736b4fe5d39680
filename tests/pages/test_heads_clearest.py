"""A model is opened at the head that looks at one kind of token most clearly, and at a word that names something."""

from pathlib import Path

import numpy as np
import pytest

from attention_explorer.pages.heads import recorded
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.recorded import at_its_clearest, heads_of_file, heads_of_model

MODELS = Path(__file__).parents[1] / "data" / "models"
SENTENCE = "the cat sat on the mat"


def _clarity(weights: np.ndarray) -> float:
    """Return the most weight on the next token, or one to half the length back: no word but “the” comes twice here."""
    n = len(weights)
    ways = [np.diagonal(weights, 1).mean(), np.diagonal(weights, -1).sum() / n]
    return float(max([*ways, *(np.diagonal(weights, -back).mean() for back in range(2, n // 2 + 1))]))


@pytest.mark.parametrize(("family", "word"), [("bert", "cat"), ("gpt2", "mat")])
def test_a_model_opens_at_its_clearest_head_and_a_word_that_sees_much(family: str, word: str) -> None:
    opened = at_its_clearest(heads_of_model(MODELS / family, SENTENCE.replace("the mat", "a mat")))
    frame = heads_frame(opened.setup)
    clear = [_clarity(frame.layers[layer].maps[head].weights()) for layer, head in frame.places]
    assert clear[frame.places.index((frame.layer, frame.head))] == pytest.approx(max(clear), abs=1e-6)
    assert frame.exact_tokens[0][opened.view.row].strip("Ġ") == word


def test_one_that_takes_long_to_read_and_a_file_of_attention_stay_at_the_first_head(monkeypatch, tmp_path) -> None:
    model = heads_of_model(MODELS / "bert", SENTENCE)
    monkeypatch.setattr(recorded, "QUICK", 1)
    assert at_its_clearest(model) == model
    path = tmp_path / "attention.npy"
    np.save(path, np.full((1, 2, 3, 3), 1 / 3))
    file = heads_of_file(path)
    assert at_its_clearest(file) == file
