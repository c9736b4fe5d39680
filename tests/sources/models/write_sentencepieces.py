"""Write vocabularies of SentencePiece: python -m tests.sources.models.write_sentencepieces; and how 500 texts are cut.

It needs sentencepiece, protobuf and transformers (these files: 0.2.3, 7.35 and 5.24.0). Ids of Marian, T5, XLM-RoBERTa
and CamemBERT are those of transformers; those of mBART and Llama are made of SentencePiece's own as their makers do it:
of these, version 5 of transformers leaves out that letters are replaced.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.sources.models.fixture_tokenisers import CORPUS
from tests.sources.models.write_fixtures import TARGET

SENTENCEPIECES = TARGET.parent / "sentencepiece"
TEXTS = 500
GERMAN = ["Die Katze saß auf der Matte, weil sie müde war.", "der Schlüssel für die Tür liegt auf dem Tisch"]
ODD = (
    *("\u00a0", "\u3000", "\t", "\n", " ", "  ", "\u200b", "\ufeff", "\u0301", "é", "e\u0301", "ﬁ", "①", "ｃａｔ", "½"),
    *("🙂", "👩‍👩‍👧", "नमस्ते", "漢字", "가", "…", "“", "’", "—", "<s>", "</s>", "<unk>", "<pad>", "<mask>", "▁", "▁▁"),
    *("<0x41>", "de_DE", "<extra_id_0>", ">>deu<<", "?!", "...", "ß", "İ", "\r", "\u2028", "<sep>", "\x07"),
)
SPECIAL = ("<s>", "</s>", "<unk>", "<pad>", "<mask>", "de_DE", "<extra_id_0>")
CLASSES = {
    "t5": ("t5.model", "spiece.model", "T5Tokenizer"),
    "xlm-roberta": ("unigram.model", "sentencepiece.bpe.model", "XLMRobertaTokenizer"),
    "camembert": ("unigram.model", "sentencepiece.bpe.model", "CamembertTokenizer"),
}


def texts() -> list[str]:
    """Return words, odd letters and spaces of every kind, put together at random."""
    chance, words = random.Random(3), " ".join(CORPUS + GERMAN).split()  # noqa: S311 - texts
    parts: list[Callable[[], str]] = [
        lambda: " ".join(chance.choices(words, k=chance.randint(1, 4))),
        lambda: chance.choice(ODD),
        lambda: "".join(chr(chance.choice((chance.randrange(32, 127), chance.randrange(160, 0x2FFF)))) for _ in "ab"),
    ]
    between = (" ", "", "  ", " ", "\n")
    return ["".join(chance.choice(parts)() + chance.choice(between) for _ in range(k % 6)) for k in range(TEXTS)]


def main() -> None:
    """Write all of it."""
    SENTENCEPIECES.mkdir(exist_ok=True)
    marian = TARGET / "marian"
    _train("source", CORPUS, marian / "source.spm", vocab_size=48)
    _train("target", [*CORPUS[:2], *GERMAN], marian / "target.spm", vocab_size=52)
    _train("unigram", CORPUS + GERMAN, SENTENCEPIECES / "unigram.model", vocab_size=70)
    ids = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    _train("t5", CORPUS + GERMAN, SENTENCEPIECES / "t5.model", vocab_size=70, **ids)
    pairs = {"model_type": "bpe", "byte_fallback": True, "remove_extra_whitespaces": False, "vocab_size": 340}
    pairs |= {"user_defined_symbols": ["<sep>"]}
    _train("pairs", CORPUS + GERMAN, SENTENCEPIECES / "pairs.model", **pairs)
    found = texts()
    rows = _of_marian(marian, found)
    for family in CLASSES:
        rows[family] = _of_transformers(family, found)
    rows |= _of_sentencepiece(found)
    stored: dict[str, Any] = {"texts": np.array("\x00".join(found))}
    for name, cut in rows.items():
        stored[name] = np.array([each for row in cut for each in (*row, -1)], np.int16)
    np.savez_compressed(SENTENCEPIECES / "oracle.npz", **stored)


def _train(name: str, lines: Sequence[str], to: Path, **how: Any) -> None:
    """Train a vocabulary that replaces a few letters, as those of models replace many."""
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        rules = {
            "\u00a0": " ",
            "\u3000": " ",
            "\t": " ",
            "\n": " ",
            "\r": " ",
            "\u200b": " ",
            "ﬁ": "fi",
            "e\u0301": "é",
        }
        rules |= {"…": "...", "½": "1⁄2", **{chr(0xFF41 + k): chr(97 + k) for k in range(26)}}
        if name in ("unigram", "t5"):  # as the published ones do, and of other files their tokenisers rely on it
            rules |= dict.fromkeys(("▁", "\u2028", "\u2029", "\u1680", *map(chr, range(0x2000, 0x200B))), " ")
        table = Path(folder) / "rules.tsv"
        table.write_text("".join(f"{_hex(a)}\t{_hex(b)}\n" for a, b in rules.items()))
        (Path(folder) / "text").write_text("\n".join(line for line in lines for _ in range(20)))
        if how.get("model_type") != "bpe":
            how["normalization_rule_tsv"] = str(table)
        else:
            how["normalization_rule_name"] = "identity"
        sentencepiece.SentencePieceTrainer.train(
            input=f"{folder}/text", model_prefix=f"{folder}/{name}", minloglevel=2, hard_vocab_limit=False, **how
        )
        shutil.copy(Path(folder) / f"{name}.model", to)


def _hex(text: str) -> str:
    return " ".join(f"{ord(letter):X}" for letter in text)


def _of_marian(folder: Path, found: list[str]) -> dict[str, list[list[int]]]:
    """Write the ids of both languages, of which a few pieces are left out, and cut texts of both."""
    import sentencepiece
    import transformers as hf

    vocabulary = {"</s>": 0, "<unk>": 1, ">>deu<<": 2}
    for name in ("source", "target"):
        made = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))
        for place in range(3, made.get_piece_size()):
            if len(vocabulary) < 59:
                vocabulary.setdefault(made.id_to_piece(place), len(vocabulary))
    vocabulary["<pad>"] = 59
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False, indent=0))
    said = {"source_lang": "eng", "target_lang": "deu", "tokenizer_class": "MarianTokenizer", "model_max_length": 512}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    made = hf.MarianTokenizer.from_pretrained(folder)
    source = [made(text)["input_ids"] for text in found]
    return {"source": source, "target": [made(text_target=text)["input_ids"] for text in found]}


def _of_transformers(family: str, found: list[str]) -> list[list[int]]:
    import transformers as hf

    ours, theirs, kind = CLASSES[family]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SENTENCEPIECES / ours, Path(folder) / theirs)
        (Path(folder) / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
        made = getattr(hf, kind).from_pretrained(folder)
        return [made(text)["input_ids"] for text in found]


def _of_sentencepiece(found: list[str]) -> dict[str, list[list[int]]]:
    """Return those of mBART and Llama, of texts in which no special token is written; of others nothing."""
    import sentencepiece

    made = {
        name: sentencepiece.SentencePieceProcessor(model_file=str(SENTENCEPIECES / f"{name}.model"))
        for name in ("unigram", "pairs")
    }
    rows: dict[str, list[list[int]]] = {"mbart": [], "mbart-50": [], "llama": []}
    german = made["unigram"].get_piece_size() + 1 + 2  # it is the third of the languages, which come after all pieces
    for text in found:
        is_plain = not any(each in text for each in SPECIAL)
        ids = [each + 1 if each else 3 for each in made["unigram"].encode(text)]
        rows["mbart"].append([*ids, 2, german] if is_plain else [])
        rows["mbart-50"].append([german, *ids, 2] if is_plain else [])
        rows["llama"].append([1, *made["pairs"].encode(text)] if is_plain else [])
    return rows


if __name__ == "__main__":
    main()
