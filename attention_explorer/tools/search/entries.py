"""What can be searched for, and what is found for typed letters. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

NOT_FOUND = 9


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to go to or to do.

    Attributes
    ----------
    kind : str
        What it is: “Preset”, “Term” …
    title : str
        What it is called.
    note : str
        What else is said of it; it is searched too, and counts least.
    words : tuple of str
        Other names of it.
    keys : str
        The keys that do the same.
    run : callable
        Goes there, or does it.
    """

    kind: str
    title: str
    note: str = ""
    words: tuple[str, ...] = ()
    keys: str = ""
    run: Callable[[], object] = field(default=lambda: None, compare=False)


def found(entries: Iterable[Entry], text: str) -> tuple[Entry, ...]:
    """Return the entries that a text finds, the best first; all of them if it is empty.

    Best are titles that begin with it, then those whose words begin with all that was typed, then other names, and last
    those that have it anywhere. Equally good ones keep their order.
    """
    typed = text.casefold().split()
    if not typed:
        return tuple(entries)
    ranked = [(_rank(entry, typed), entry) for entry in entries]
    kept = [pair for pair in ranked if pair[0] < NOT_FOUND]
    return tuple(entry for _, entry in sorted(kept, key=lambda pair: pair[0]))


def _rank(entry: Entry, typed: Sequence[str]) -> int:
    title, names = entry.title.casefold(), " ".join((entry.title, entry.kind, *entry.words)).casefold()
    if title.startswith(" ".join(typed)):
        return 0
    if _begin(title, typed):
        return 1
    if _begin(names, typed):
        return 2
    if all(each in names for each in typed):
        return 3
    everything = f"{names} {entry.note.casefold()}"
    return 4 if all(each in everything for each in typed) else NOT_FOUND


def _begin(text: str, typed: Sequence[str]) -> bool:
    """Whether each typed word is the beginning of a word of a text."""
    words = [word.strip("“”(),:;.") for word in text.replace("-", " ").split()] + text.split()
    return all(any(word.startswith(each) for word in words) for each in typed)
