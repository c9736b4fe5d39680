"""Small tokenisers of the kinds that families of models come with, for their fixtures.

They are trained on a few sentences, and built of the parts that the makers' ``tokenizer.json`` have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tokenizers as tk
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = "The cat sat on the mat, because it was soft: 2024!"
CORPUS = [
    TEXT,
    "the cat sat on the soft mat because the cat was tired",
    "the mat was soft and the cat was soft",
    "keys to the cabinet are on the mat in the hall",
    "because it was late the cats sat there in 2024 and 2025",
    "she gave him the book that was on the table",
]
WORDS = 72
"""Of a vocabulary without bytes."""
BYTES = 300
"""Of one with them."""
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = QWEN2.replace(r"\p{N}|", r"\p{N}{1,3}|", 1)
UNKNOWN = "<unk>"
AMINO = ["<cls>", "<pad>", "<eos>", "<unk>", *"LAGVSERTIDPKQNFYMHWCXBUZO", ".", "-", "<null_1>", "<mask>"]
"""The vocabulary of ESM-2, which its makers publish as vocab.txt."""


def _ends(made: Any, before: str, after: str) -> Any:
    """Let texts begin and end with special tokens."""
    first, last = (f"{each} " if each else "" for each in (before, after))
    special = [(each, made.token_to_id(each)) for each in (before, after) if each]
    made.post_processor = processors.TemplateProcessing(
        single=f"{first}$A {last}".strip(), pair=f"{first}$A {last}$B:1 {last}".strip(), special_tokens=special
    )
    return made


def word_pieces(special: list[str], begin: str, end: str) -> Any:
    """BERT's: Wu et al. 2016."""
    unknown = next(each for each in special if "unk" in each.lower())
    made = tk.Tokenizer(models.WordPiece(unk_token=unknown))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=WORDS, special_tokens=special))
    return _ends(made, begin, end)


def unigram(special: list[str], begin: str, end: str) -> Any:
    """SentencePiece's, as XLM-RoBERTa and T5 have it: Kudo 2018."""
    made = tk.Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(tk.Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.UnigramTrainer(vocab_size=WORDS, special_tokens=special, unk_token=UNKNOWN)
    made.train_from_iterator(CORPUS, trainer)
    return _ends(made, begin, end)


def byte_pairs(special: list[str], begin: str = "", end: str = "", cut: str = "") -> Any:
    """GPT-2's, or with a pattern of its own: Radford et al. 2019, section 2.2."""
    made = tk.Tokenizer(models.BPE())
    if cut == QWEN2:
        made.normalizer = normalizers.NFC()
    by_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not cut)
    before = [pre_tokenizers.Split(tk.Regex(cut), "isolated")] if cut else []
    made.pre_tokenizer = pre_tokenizers.Sequence([*before, by_bytes])
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=BYTES, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    made.train_from_iterator(CORPUS, trainer)
    return _ends(made, begin, end)


def sentence_pieces(special: list[str], begin: str) -> Any:
    """SentencePiece's byte-pair encoding with bytes for what is unknown, as Gemma and Phi-3 have it."""
    letters = [f"<0x{byte:02X}>" for byte in range(256)]
    trained = tk.Tokenizer(models.BPE(unk_token=UNKNOWN))
    trained.normalizer = normalizers.Replace(" ", "▁")
    trained.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=WORDS, special_tokens=["<unk>"]))
    stored = trained.model
    pieces = [piece for piece in sorted(trained.get_vocab(), key=trained.get_vocab().get) if piece != "<unk>"]
    vocabulary = {piece: place for place, piece in enumerate([*special, *letters, *pieces])}
    merges = [(a, b) for a, b in _merges(stored, pieces)]
    made = tk.Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token=UNKNOWN, fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens(special)
    return _ends(made, begin, "")


def _merges(model: Any, pieces: list[str]) -> list[tuple[str, str]]:
    import json

    stored = json.loads(model.__getstate__())
    return [tuple(pair) for pair in stored["merges"] if "".join(pair) in pieces]


_ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
KINDS: Mapping[str, Callable[[], Any]] = {
    "bert": lambda: word_pieces(_BERT, "[CLS]", "[SEP]"),
    "mpnet": lambda: word_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"], "<s>", "</s>"),
    "xlm-roberta": lambda: unigram(_ROBERTA, "<s>", "</s>"),
    "t5": lambda: unigram(["<pad>", "</s>", "<unk>"], "", "</s>"),
    "mbart": lambda: unigram([*_ROBERTA, "en_XX", "de_DE"], "", "</s>"),
    "qwen": lambda: byte_pairs(["<|endoftext|>", "<|im_start|>", "<|im_end|>"], cut=QWEN2),
    "llama3": lambda: byte_pairs(["<|begin_of_text|>", "<|end_of_text|>"], "<|begin_of_text|>", cut=LLAMA3),
    "modernbert": lambda: byte_pairs(_BERT, "[CLS]", "[SEP]"),
    "neox": lambda: byte_pairs(["<|endoftext|>", "<|padding|>"]),
    "opt": lambda: byte_pairs(["<s>", "<pad>", "</s>", "<unk>"], "</s>"),
    "gemma": lambda: sentence_pieces(["<pad>", "<eos>", "<bos>", "<unk>"], "<bos>"),
    "gpt4o": lambda: byte_pairs(["<|endoftext|>", "<|end|>"], cut=LLAMA3),
    "phi3": lambda: sentence_pieces(["<unk>", "<s>", "</s>", "<|endoftext|>"], ""),
}
