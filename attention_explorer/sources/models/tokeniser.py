"""Tokenisers of models, as the library ``tokenizers`` runs them: WordPiece, byte-level BPE, SentencePiece, Unigram.

The library is loaded when a text comes. Ids need none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from attention_explorer.errors import ArrayError, ExplorerError, FileError

MOST_CHARACTERS = 100_000
"""Of one text: more tokens than any model has memory for."""


MASKS = ("[MASK]", "<mask>")
"""How vocabularies spell a masked word."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text in tokens.

    Attributes
    ----------
    ids : tuple of int
        What the model is given, special tokens included.
    tokens : tuple of str
        The pieces as the vocabulary spells them: "Ġcat", "##ing", "[CLS]".
    offsets : tuple of (int, int)
        Where each piece stands in its text, in characters; (0, 0) for special tokens.
    type_ids : tuple of int
        0, and 1 in the second text of a pair.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    type_ids: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of_ids(cls, ids: tuple[int, ...], tokeniser: Tokeniser) -> Tokens:
        """Return ids that belong to no text."""
        return cls(ids, tuple(map(tokeniser.token, ids)), ((0, 0),) * len(ids), (0,) * len(ids))

    def followed_by(self, ids: tuple[int, ...], tokeniser: Tokeniser) -> Tokens:
        """Return them with more after them, which belong to no text."""
        more = Tokens.of_ids(ids, tokeniser)
        return Tokens(
            self.ids + more.ids, self.tokens + more.tokens, self.offsets + more.offsets, self.type_ids + more.type_ids
        )

    def begun_with(self, start: int, tokeniser: Tokeniser) -> Tokens:
        """Return them after a token that begins them, without what ends them: what a decoder has written so far.

        Behind the token that ends them may stand the name of their language.
        """
        end = next((place for place in (-1, -2) if self.ids[place:][:1] == (tokeniser.end,)), len(self.ids))
        return Tokens(
            (start, *self.ids[:end]),
            (tokeniser.token(start), *self.tokens[:end]),
            ((0, 0), *self.offsets[:end]),
            (0, *self.type_ids[:end]),
        )


class Tokeniser:
    """The tokeniser of a model, made when it is first needed.

    Parameters
    ----------
    where : str
        Its file, for messages.
    make : callable
        Makes a ``tokenizers.Tokenizer``; raises a FileError if it cannot.
    end : int, optional
        The id that ends a text.
    written : Tokeniser, optional
        That of what a decoder writes, where it is another: of the language that is translated into.
    """

    def __init__(
        self, where: str, make: Callable[[], Any], end: int | None = None, written: Tokeniser | None = None
    ) -> None:
        self._where, self._make, self.end = where, make, end
        self.written = self if written is None else written
        self._made: Any = None
        self._refusal: ExplorerError | None = None
        self._lock = Lock()

    def __call__(self, text: str | tuple[str, str], vocabulary: int) -> Tokens:
        """Cut a text, or a pair.

        Parameters
        ----------
        text : str or (str, str)
            Whose special tokens are added, whose file's padding and shortening are not.
        vocabulary : int
            How many ids the model knows.

        Raises
        ------
        ArrayError
            If it is neither, or too long.
        ExplorerError
            If ``tokenizers`` is not installed, or the tokeniser cannot be used.
        """
        parts = (text,) if isinstance(text, str) else tuple(text)
        if not 1 <= len(parts) <= 2 or not all(isinstance(part, str) for part in parts):
            raise ArrayError(f"text must be a text or a pair of texts, not {text!r:.60}")
        if sum(map(len, parts)) > MOST_CHARACTERS:
            raise ArrayError(f"text has {sum(map(len, parts))} characters, but at most {MOST_CHARACTERS} are taken")
        clean = [part.encode("utf-8", "replace").decode() for part in parts]  # halves of characters become “?”
        found = guarded(self._where, lambda: self._library.encode(*clean))
        ids = tuple(found.ids)
        if ids and max(ids) >= vocabulary:
            raise FileError(
                f"{self._where} gives {found.tokens[ids.index(max(ids))]!r:.40} the id {max(ids)}, but the model knows "
                f"only {vocabulary} ids: it belongs to another model."
            )
        # A mask may take the space before it along, as RoBERTa's does; the vocabulary spells it without.
        tokens = tuple(token.strip() if token.strip() in MASKS else token for token in found.tokens)
        return Tokens(ids, tokens, tuple(found.offsets), tuple(found.type_ids))

    def text_after(self, ids: tuple[int, ...], new: tuple[int, ...]) -> str:
        """Return what is written by tokens that follow others.

        That is empty where the last is a special one, such as the one that ends a text, and has “\ufffd” where bytes
        are no character, or none yet.
        """
        if new[-1] == self.end:
            return ""
        library = self._library
        before = guarded(self._where, lambda: library.decode(ids))
        both = guarded(self._where, lambda: library.decode((*ids, *new)))
        return str(both.removeprefix(before) if both.startswith(before) else library.decode(new))

    @property
    def cuts_bytes(self) -> bool:
        """Whether its pieces are bytes, written in letters that stand for them, as those of GPT-2 are."""
        return b"ByteLevel" in self._library.decoder.__getstate__() if self._library.decoder is not None else False

    def pieces(self, text: str) -> tuple[int, ...]:
        """Return the ids of a text without any special tokens.

        Raises
        ------
        ExplorerError
            If the tokeniser cannot be used.
        """
        library = self._library
        return tuple(guarded(self._where, lambda: library.encode(text, add_special_tokens=False).ids))

    def mask(self) -> str:
        """Return how a masked word is written; empty where the vocabulary has nothing for it."""
        library = self._library
        return next((token for token in MASKS if library.token_to_id(token) is not None), "")

    def token(self, index: int) -> str:
        """Return how the vocabulary spells an id, or the id itself where nothing can tell."""
        try:
            found = self._library.id_to_token(index)
        except ExplorerError:
            found = None
        return f"<{index}>" if found is None else str(found)

    @property
    def _library(self) -> Any:  # noqa: ANN401 - of a package that may not be installed
        with self._lock:
            if self._refusal is not None:
                raise self._refusal.again()
            if self._made is None:
                try:
                    self._made = self._make()
                except ExplorerError as error:
                    self._refusal = error.again()
                    raise
                self._made.no_padding()
                self._made.no_truncation()
            return self._made


def library() -> Any:  # noqa: ANN401 - a package that may not be installed
    """Return the package ``tokenizers``.

    Raises
    ------
    ExplorerError
        If it is not installed; the message says what to do.
    """
    try:
        import tokenizers  # loaded when a text comes
    except ImportError:
        raise ExplorerError(
            "To cut text as a model does, the package “tokenizers” is needed: pip install tokenizers, or install this "
            "program as attention-explorer[models]. Ids can be given without it."
        ) from None
    return tokenizers


def guarded(where: str, run: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the library returns
    """Run something of ``tokenizers``, whose errors are of the most general kinds there are.

    Raises
    ------
    FileError
        If it fails.
    """
    try:
        return run()
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, ExplorerError):
        raise
    except BaseException as error:  # noqa: BLE001 - Exception itself, or a panic, which is not even that
        raise FileError(f"{where} is no tokeniser that can be used ({error!s:.200}): copy it again.") from None
