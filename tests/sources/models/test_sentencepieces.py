"""Folders with SentencePiece's own files and no tokenizer.json cut text as the tokenisers of their makers do."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS, oracle_of

from attention_explorer.errors import ExplorerError, FileError
from attention_explorer.sources.models import load_model
from attention_explorer.sources.models.marian_tokeniser import SOURCE, TARGET, two_languages
from attention_explorer.sources.models.sentencepiece_file import read_sentencepieces
from attention_explorer.sources.models.sentencepieces import FILES, sentencepieces
from attention_explorer.sources.models.settings import Settings

STORED = MODELS.parent / "sentencepiece"
HOW: dict[str, dict[str, object]] = {
    "mbart": {"src_lang": "de_DE"},
    "mbart-50": {"src_lang": "de_DE", "tokenizer_class": "MBart50Tokenizer"},
}
FROM = {"t5": "t5.model", "llama": "pairs.model"}
"""The vocabulary of a family; that of all others is the same one."""
TEXT = "The cat sat on the mat, because it was soft: 2024!"


def truths(name: str) -> list[tuple[str, list[int]]]:
    """Return texts with the ids of their makers' tokeniser."""
    oracle = oracle_of(str(STORED / "oracle.npz"))
    rows: list[list[int]] = [[]]
    for each in oracle[name].tolist():
        rows[-1].append(each)
        if each == -1:
            rows[-1].pop()
            rows.append([])
    return list(zip(str(oracle["texts"]).split("\x00"), rows[:-1], strict=True))


def folder_of(name: str, folder: Path, **how: object) -> tuple[Path, Settings]:
    """Return a folder with the vocabulary of a family, and its configuration."""
    family = name.removesuffix("-50")
    shutil.copy(STORED / FROM.get(family, "unigram.model"), folder / FILES[family][0])
    (folder / "tokenizer_config.json").write_text(json.dumps({**HOW.get(name, {}), **how}))
    return folder, Settings("“config.json”", {"model_type": family, "vocab_size": 90})


@pytest.mark.parametrize("name", ["t5", "xlm-roberta", "camembert", "mbart", "mbart-50", "llama"])
def test_500_odd_texts_are_cut_as_their_makers_cut_them(name: str, tmp_path: Path) -> None:
    made, found = sentencepieces(*folder_of(name, tmp_path)), truths(name)
    told = [(text, ids) for text, ids in found if ids]
    assert len(told) > 300
    wrong = [text for text, ids in told if made.encode(text).ids != ids]
    assert not wrong, f"{len(wrong)} of {len(told)}, such as {wrong[0]!r}"


@pytest.mark.parametrize(("name", "file"), [("source", SOURCE), ("target", TARGET)])
def test_500_odd_texts_are_cut_as_marian_cuts_them(name: str, file: str) -> None:
    made, found = two_languages(MODELS / "marian", file), truths(name)
    wrong = [text for text, ids in found if list(made.encode(text).ids) != ids]
    assert not wrong, f"{len(wrong)} of {len(found)}, such as {wrong[0]!r}"


def test_a_marian_is_typed_into_in_one_language_and_answers_in_the_other() -> None:
    model, text = load_model(MODELS / "marian"), ">>deu<< The cat sat"
    trace = model(text, "die Katze saß")
    assert trace.context_tokens == (">>deu<<", "▁", "T", "he", "▁cat", "▁s", "at", "</s>")
    assert trace.tokens == ("<pad>", "▁", "d", "ie", "▁", "K", "at", "z", "e", "▁sa", "ß")  # no “</s>”: it goes on
    offsets = model.tokenize(text).offsets
    assert [text[slice(*place)].strip() for place in offsets] == [">>deu<<", "T", "T", "he", "cat", "s", "at", ""]
    assert model.text_after((59,), (52, 3, 57)) == "de K"
    assert model.text_after((59,), (0,)) == ""


def test_the_language_that_ends_a_text_of_mbart_is_not_written_on(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "mbart", tmp_path / "mbart"))
    tokens = load_model(folder).tokenize("the cat")
    config = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    german = next(each["id"] for each in config["added_tokens"] if each["content"] == "de_DE")
    single = config["post_processor"]["single"]
    config["post_processor"]["special_tokens"]["de_DE"] = {"id": "de_DE", "ids": [german], "tokens": ["de_DE"]}
    single.append({"SpecialToken": {"id": "de_DE", "type_id": 0}})
    (folder / "tokenizer.json").write_text(json.dumps(config), "utf-8")
    model = load_model(folder)
    assert model.tokenize("the cat").tokens == (*tokens.tokens, "de_DE")
    assert model("the cat", "the cat").tokens[1:] == tokens.tokens[:-1]


def test_a_t5_of_which_only_spiece_model_is_there_takes_text(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "mt5", tmp_path / "mt5"))
    (folder / "tokenizer.json").unlink()
    shutil.copy(STORED / "t5.model", folder / "spiece.model")
    model = load_model(folder)
    assert model.tokenize("the cat sat").tokens[-3:] == ("▁s", "at", "</s>")
    assert len(model("the cat").context_tokens) == len(model.tokenize("the cat"))


@pytest.mark.parametrize("damage", range(200))
def test_a_damaged_vocabulary_is_read_rightly_or_refused_in_words(damage: int, tmp_path: Path) -> None:
    chance, path = random.Random(damage), tmp_path / "spiece.model"  # noqa: S311 - of damage
    data = bytearray((STORED / ("pairs.model" if damage % 2 else "t5.model")).read_bytes())
    for _ in range(chance.randint(0, 3)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(data[: chance.randint(1, len(data))] if damage % 3 else data)
    try:
        found = read_sentencepieces(path)
    except FileError:
        return
    assert all(piece.text and np.isfinite(piece.score) for piece in found.pieces)


def _without_source(folder: Path) -> None:
    (folder / SOURCE).unlink()


def _not_a_number(folder: Path) -> None:
    (folder / "vocab.json").write_text('{"</s>": 0, "<unk>": "1"}')


def _no_end(folder: Path) -> None:
    (folder / "vocab.json").write_text('{"<unk>": 0}')


def _text_file(folder: Path) -> None:
    (folder / SOURCE).write_text("not a vocabulary")


def _another_models(folder: Path) -> None:
    ids = json.loads((folder / "vocab.json").read_text("utf-8"))
    (folder / "vocab.json").write_text(json.dumps({piece: place + 1000 for piece, place in ids.items()}))


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (_without_source, "has no source.spm, so this model takes ids, but no text"),
        (_not_a_number, "gives “<unk>” no id"),
        (_no_end, "has no “</s>”"),
        (_text_file, "is no vocabulary of SentencePiece"),
        (_another_models, "belongs to another model"),
    ],
)
def test_what_is_wrong_with_a_marian_is_said(harm: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "marian", tmp_path / "marian"))
    harm(folder)
    model = load_model(folder)
    assert model((5, 6, 7)).tokens  # ids are taken all the same
    with pytest.raises(FileError, match=reason):
        model.tokenize("the cat")


def test_what_is_not_followed_is_refused_by_name(tmp_path: Path) -> None:
    folder, said = folder_of("llama", tmp_path)
    (folder / "added_tokens.json").write_text('{"<pad>": 340}')
    with pytest.raises(FileError, match=r"“added_tokens\.json”, which is followed only where"):
        sentencepieces(folder, said)
    (folder / "added_tokens.json").unlink()
    shutil.copy(STORED / "unigram.model", folder / "tokenizer.model")
    data = (folder / "tokenizer.model").read_bytes()
    (folder / "tokenizer.model").write_bytes(data + bytes((0x12, 0x02, 0x18, 0x03)))  # a trainer that cuts at spaces
    with pytest.raises(FileError, match="only Unigram and BPE are"):
        sentencepieces(folder, said)
    with pytest.raises(ExplorerError, match="“src_lang”: “xx_XX”, which this program does not know"):
        sentencepieces(*folder_of("mbart", tmp_path, src_lang="xx_XX"))
