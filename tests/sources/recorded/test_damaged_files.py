"""Two hundred damaged files of each format: each opens, or is refused in words, within little memory."""

from __future__ import annotations

import random
import re
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.recorded import contents_of, guess_axes, layers_of, open_arrays

COUNT = 200
MOST_BYTES = 100 * 2**20
_RANDOM = np.random.default_rng(7)
WEIGHTS = _RANDOM.dirichlet(np.ones(12), size=(2, 3, 12)).astype(np.float32)
TOKENS = [f"Ġ{letter}" for letter in "abcdefghijkl"]
ARRAYS = {
    "attention": WEIGHTS,
    "q": _RANDOM.normal(size=(2, 3, 12, 4)).astype(np.float16),
    "k": _RANDOM.normal(size=(2, 3, 12, 4)).astype(np.float16),
    "mask": np.ones((12, 12), np.bool_),
}


def safetensors(path: Path) -> None:
    save_file(ARRAYS, path, metadata={"tokens": str(TOKENS).replace("'", '"')})


GOOD: dict[str, Callable[[Path], None]] = {
    ".npy": lambda path: np.save(path, WEIGHTS),
    ".plain.npz": lambda path: np.savez(path, tokens=np.array(TOKENS), **ARRAYS),
    ".packed.npz": lambda path: np.savez_compressed(path, tokens=np.array(TOKENS), **ARRAYS),
    ".safetensors": safetensors,
}


def explore(path: Path) -> int:
    """Do with a file what the program does with one that is opened; return how many weights were read."""
    contents = contents_of(open_arrays(path))
    if contents.attention:
        guess = guess_axes(contents.attention, is_list=contents.is_list)
        layers = layers_of(contents, guess.checked(), is_causal=guess.is_causal)
    else:
        layers = layers_of(contents)
    read = 0
    for head in (layers[0][0], layers[-1][-1]):
        read += head.map().weights().size
        if head.q is not None:
            read += head.scores_map().weights().size
    return read


def a_byte(chance: random.Random, content: bytes) -> bytes:
    """Change some bytes, more of them where headers are: at both ends."""
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = chance.choice((chance.randrange(len(content)), chance.randrange(200), -chance.randrange(1, 400)))
        damaged[place] = chance.choice((0, 255, damaged[place] ^ (1 << chance.randrange(8)), chance.randrange(256)))
    return bytes(damaged)


def a_field(chance: random.Random, content: bytes) -> bytes:
    """Write another number, or another word, over one that a header has."""
    words = [*re.finditer(rb"[0-9]+|[A-Za-z_]{3,}", content[:600]), *re.finditer(rb"PK(?s:.{26})", content)]
    word = chance.choice(words)
    if word[0].startswith(b"PK"):
        place = word.start() + chance.randrange(4, 26)
        value = struct.pack("<I", chance.choice((0, 1, 2**31, 2**32 - 1, chance.randrange(2**32))))
        return content[:place] + value + content[place + 4 :]
    value = chance.choice((b"0", b"1", b"-1", b"7", b"999999999999", b"1" * 30, b"1e9", b"null", b"F64", b"'", b"\\x"))
    if chance.random() < 0.5:  # so that nothing behind it moves
        value = value[: len(word[0])].ljust(len(word[0]))
    return content[: word.start()] + value + content[word.end() :]


def an_end(chance: random.Random, content: bytes) -> bytes:
    """Cut a file short, or write something behind its end."""
    if chance.random() < 0.2:
        return content + chance.randbytes(chance.randrange(1, 100))
    return content[: chance.choice((chance.randrange(len(content)), chance.randrange(300), len(content) - 1))]


@pytest.mark.parametrize("ending", GOOD)
def test_damaged_files_open_or_are_refused_in_words(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    GOOD[ending](path)
    content = path.read_bytes()
    assert explore(path) >= 2 * 144, "the good one"
    chance = random.Random(f"seed {ending}")  # noqa: S311 - damage, no secrets
    tracemalloc.start()
    refused: list[str] = []
    for number in range(COUNT):
        damage = (a_byte, a_field, an_end)[number % 3]
        path.write_bytes(damage(chance, content))
        try:
            explore(path)
        except ExplorerError as error:
            refused.append(str(error))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert COUNT / 4 < len(refused) < COUNT, "some damage is harmless, such as that of a low bit of a weight"
    assert all(text and len(text) < 800 for text in refused)
