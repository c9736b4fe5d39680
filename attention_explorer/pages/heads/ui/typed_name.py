"""The name of a head that is being typed, L7H3, wherever on the page the keyboard is."""

from __future__ import annotations

import re

_BEGUN = re.compile(r"L(\d{1,4}(H\d{0,4})?)?")
_NAME = re.compile(r"L(\d{1,4})H(\d{1,4})")


class TypedName:
    """Takes the letters of a name, one after the other.

    Parameters are the letters and where the keyboard was: elsewhere, another name begins.
    """

    def __init__(self) -> None:
        self.text = ""
        """So much of a name has been typed, in capitals."""
        self._where: object = None

    def wants_h(self, where: object) -> bool:
        """Whether an H would be a letter of the name, and not the key of something else."""
        return where is self._where and re.fullmatch(r"L\d{1,4}", self.text) is not None

    @staticmethod
    def is_letter(text: str) -> bool:
        """Whether a key belongs to names, or makes a capital of one that does."""
        return text.upper() in "LH0123456789"

    def end(self) -> None:
        """Forget what was typed."""
        self.text = ""

    def take(self, letter: str, where: object) -> bool:
        """Take a letter; return whether it belongs to a name. One that does not ends the name that was begun."""
        begun = self.text if where is self._where else ""
        letter = letter.upper()
        self._where = where
        self.text = letter if letter == "L" else begun + letter
        if not letter or _BEGUN.fullmatch(self.text) is None:
            self.text = ""
        return bool(self.text)

    @property
    def place(self) -> tuple[int, int] | None:
        """The numbers of layer and head as they were typed; None while one is missing."""
        named = _NAME.fullmatch(self.text)
        return None if named is None else (int(named[1]), int(named[2]))
