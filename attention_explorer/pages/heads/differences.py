"""What tells two setups apart, in a few words each."""

from __future__ import annotations

from collections.abc import Iterator

from attention_explorer.core.counting import Count
from attention_explorer.core.numerals import coordinate
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, MaskChoice
from attention_explorer.sources.masked_layers import words_of_mask
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

NO_MASK = "no mask"
LONGEST_SENTENCE = 24
"""Letters of a sentence that are quoted."""


def what_differs(a: HeadsSetup, b: HeadsSetup) -> tuple[str, str]:
    """Return titles for two setups that name what differs and nothing else: "A: head 3", "B: head 5, causal"."""
    pairs = [(first, second) for first, second in _aspects(a, b) if first != second]
    if not pairs:
        return "A: the same as B", "B: the same as A"
    first, second = zip(*pairs, strict=True)
    return f"A: {_listed(first)}", f"B: {_listed(second)}"


def _listed(words: tuple[str, ...]) -> str:
    # Without a mask is how a map is unless something is said: it is said only where nothing else is.
    return ", ".join([word for word in words if word and word != NO_MASK] or [words[0]])


def _aspects(a: HeadsSetup, b: HeadsSetup) -> Iterator[tuple[str, str]]:
    """Yield what there is to say about both setups, the most telling first."""
    first, second = source_of(a.recipe), source_of(b.recipe)
    yield first.traits.kind, second.traits.kind
    yield _which(a, with_layer=_layer(a) != _layer(b)), _which(b, with_layer=_layer(a) != _layer(b))
    yield _masks(a, b)
    yield ("scaled", "scaled") if a.scaled == b.scaled else (_scaled(a), _scaled(b))
    yield ("hard" if a.hard else "soft"), ("hard" if b.hard else "soft")
    if not (a.hard and b.hard):
        yield f"T = {coordinate(a.temperature, 4)}", f"T = {coordinate(b.temperature, 4)}"
    if a.aggregate is not Aggregate.ONE and b.aggregate is not Aggregate.ONE:
        yield _switched_off(a), _switched_off(b)
    if a.aggregate is b.aggregate is Aggregate.ROLLOUT:
        yield (
            ("with identity" if a.identity else "without identity"),
            ("with identity" if b.identity else "without identity"),
        )
    lack_typing = first.traits.reason_against(Ability.TYPING) and second.traits.reason_against(Ability.TYPING)
    if first.traits.kind == second.traits.kind or not lack_typing:  # else their names tell recordings apart
        yield _quoted(first.sentence, second.sentence)
        yield _contexts(first.context, second.context)
    if type(first) is type(second):
        yield from first.differences(second)


def _layer(setup: HeadsSetup) -> int:
    """Return the layer, which a rollout does not have: it takes all."""
    layers = len(source_of(setup.recipe).heads)
    return -1 if setup.aggregate is Aggregate.ROLLOUT else min(setup.layer, layers - 1)


def which_map(setup: HeadsSetup) -> str:
    """Return which map of its source a setup shows: “layer 4, head 2”, “mean of heads”."""
    return _which(setup, with_layer=True)


def _which(setup: HeadsSetup, *, with_layer: bool) -> str:
    source, shown = source_of(setup.recipe), _layer(setup)
    layer = f"{setup.count.layer(shown)}, " if with_layer and len(source.heads) > 1 and shown >= 0 else ""
    if setup.aggregate is not Aggregate.ONE:
        return f"{layer}{setup.aggregate.words}"
    head = min(setup.head, source.heads[shown] - 1)
    return source.head_name(shown, head) or f"{layer}{setup.count.head(head)}"


def _masks(a: HeadsSetup, b: HeadsSetup) -> tuple[str, str]:
    first, second = _mask(a), _mask(b)
    if first == second and (a.mask.hidden, a.mask.shown) != (b.mask.hidden, b.mask.shown):
        # As many cells, but other ones.
        return f"{first} {_own_cell(a.mask, b.mask, a.count)}", f"{second} {_own_cell(b.mask, a.mask, a.count)}"
    return first, second


def _own_cell(mask: MaskChoice, other: MaskChoice, count: Count) -> str:
    row, column = min((mask.hidden - other.hidden) | (mask.shown - other.shown))
    return f"(row {count.number(row)}, key {count.number(column)})"


def _mask(setup: HeadsSetup) -> str:
    """Return the mask that counts: that of the weights themselves, or else that of the setup."""
    source = source_of(setup.recipe)
    return source.mask_words() or words_of_mask(source, setup.mask) or NO_MASK


def _scaled(setup: HeadsSetup) -> str:
    return "scaled" if setup.scaled else "not scaled"


def _switched_off(setup: HeadsSetup) -> str:
    off = sorted(setup.switched_off)
    if not off:
        return "all heads on"
    layers = len(source_of(setup.recipe).heads)
    number = setup.count.number
    named = [f"{number(layer)}.{number(head)}" if layers > 1 else str(number(head)) for layer, head in off]
    return f"without head{'s' * (len(off) > 1)} {' and '.join(named) if len(named) < 3 else ' '.join(named)}"


def _quoted(a: str, b: str) -> tuple[str, str]:
    """Return both sentences in quotation marks, long ones from the first word that differs."""
    start = 0
    if max(len(a), len(b)) > LONGEST_SENTENCE:
        same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        start = a.rfind(" ", 0, same) + 1
    return _shortened(a, start), _shortened(b, start)


def _shortened(sentence: str, start: int) -> str:
    rest = sentence[start:].strip()
    if len(rest) > LONGEST_SENTENCE:
        rest = f"{rest[: LONGEST_SENTENCE - 1].rstrip()}…"
    return f"“{'… ' if start else ''}{rest}”"


def _contexts(a: str | None, b: str | None) -> tuple[str, str]:
    first, second = _quoted(a or "", b or "")
    return "on itself" if a is None else f"on {first}", "on itself" if b is None else f"on {second}"
