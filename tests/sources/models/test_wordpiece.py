"""Older BERTs, whose folder has a vocabulary and no tokenizer.json, cut text as those that have one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from oracles import MODELS

from attention_explorer.errors import FileError
from attention_explorer.sources.models import load_model

TEXTS = (
    "The cat sat on the mat because it was soft.",
    "Crème brûlée, 猫 and ﬁsh! [MASK] is special; unbelievablyxyz is not.",
    "",
    ("She gave him the book.", "It WAS soft"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A BERT without tokenizer.json, but with the same vocabulary."""
    target = Path(shutil.copytree(MODELS / "bert", tmp_path / "bert"))
    described = json.loads((target / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = described["model"]["vocab"]
    (target / "tokenizer.json").unlink()
    (target / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n", "utf-8")
    return target


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("config", [None, {"do_lower_case": True}, {"tokenizer_class": "BertTokenizer"}])
def test_a_vocabulary_alone_cuts_text_as_a_tokenizer_json(folder: Path, text: str, config: dict | None) -> None:
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    assert load_model(folder).tokenize(text) == load_model(MODELS / "bert").tokenize(text)


@pytest.mark.parametrize("config", [{"do_lower_case": False}, None])
def test_large_letters_stay_where_they_are_to(folder: Path, config: dict | None) -> None:
    path = folder / "vocab.txt"
    if config is None:
        path.write_text(path.read_text("utf-8").replace("\nthe\n", "\nThe\n"), "utf-8")
    else:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    tokens = load_model(folder).tokenize("The").tokens
    assert tokens == (("[CLS]", "The", "[SEP]") if config is None else ("[CLS]", "[UNK]", "[SEP]"))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("vocab.txt", b"a\nb\n", "has no “\\[CLS\\]”"),
        ("vocab.txt", b"\xff\xfe", "no text in UTF-8"),
        ("tokenizer_config.json", b'{"tokenizer_class": "BertJapaneseTokenizer"}', "“BertJapaneseTokenizer”"),
        ("tokenizer_config.json", b'{"do_lower_case": "no"}', "true or false"),
    ],
)
def test_what_is_no_such_vocabulary_is_said(folder: Path, name: str, content: bytes, reason: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(FileError, match=reason):
        load_model(folder).tokenize("a")


def test_a_folder_without_either_says_how_to_make_one(folder: Path) -> None:
    (folder / "vocab.txt").unlink()
    with pytest.raises(FileError, match=r"takes ids, but no text\. .* AutoTokenizer"):
        load_model(folder).tokenize("a")


@pytest.fixture
def mpnet(tmp_path: Path) -> Path:
    """An MPNet without tokenizer.json, but with a vocabulary."""
    target = Path(shutil.copytree(MODELS / "mpnet", tmp_path / "mpnet"))
    described = json.loads((target / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = described["model"]["vocab"]
    (target / "tokenizer.json").unlink()
    (target / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n", "utf-8")
    return target


@pytest.mark.parametrize("text", ["The cat sat on the mat, because it was soft.", "", "Crème brûlée and ﬁsh!"])
def test_that_of_an_mpnet_has_its_own_special_tokens(mpnet: Path, text: str) -> None:
    assert load_model(mpnet).tokenize(text) == load_model(MODELS / "mpnet").tokenize(text)


def test_two_texts_of_an_mpnet_are_parted_as_transformers_parts_them(mpnet: Path) -> None:
    tokens = load_model(mpnet).tokenize(("the cat", "the mat"))
    assert tokens.tokens == ("<s>", "the", "cat", "</s>", "</s>", "the", "mat", "</s>")
    assert set(tokens.type_ids) == {0}


def test_a_mask_that_takes_the_space_before_it_along_is_found(mpnet: Path) -> None:
    model = load_model(mpnet)
    tokens = model.tokenize("the <mask> sat")
    assert tokens.tokens[2] == model.mask == "<mask>"
    assert tokens.offsets[2] == (3, 10)
