"""Where a token is after its sentence was edited."""

from __future__ import annotations

Tokens = tuple[str, ...]


def place_after_edit(place: int, old: Tokens, new: Tokens) -> int:
    """Return which place of the new tokens belongs to a place of the old ones.

    Tokens that both have at their beginning stay where they are, and those that both have at their end move with it.
    Of what was changed in between, a token goes to the nearest one that is the same word. If a single word was cut in
    two, its place goes to the second part if that ends the word: "big" was typed before it. A word that is gone leaves
    its place to what comes next. A place beyond the old tokens stays, also if there are fewer new ones: it is shown on
    the last one, and comes back when the sentence is as long again.
    """
    start, end = shared_ends(old, new)
    if place < start or place >= len(old):
        return place
    if place >= len(old) - end:
        return place + len(new) - len(old)
    changed = range(start, len(new) - end)
    same = [at for at in changed if new[at] == old[place]]
    if same:
        return min(same, key=lambda at: abs(at - place))
    if len(changed) > 1 and start + end == len(old) - 1 and old[place].endswith(new[changed[-1]]):
        return changed[-1]
    return min(place, max(len(new) - end - 1, start)) if end else place


def shared_ends(old: Tokens, new: Tokens) -> tuple[int, int]:
    """Return how many tokens both have in common at their beginning and, of the rest, at their end."""
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    rest = range(1, most - start + 1)
    return start, next((at - 1 for at in rest if old[-at] != new[-at]), len(rest))
