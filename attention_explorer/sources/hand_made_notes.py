"""What a hand-made head does with the words it is given, and which of them it does not know."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attention_explorer.core.numerals import listed
from attention_explorer.sources.hand_made import hand_made_heads
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.hand_made_words import antecedent_hundredths, concept, referent, two_nouns

MOST_NAMED = 4
"""Words that are named before the rest is counted."""

_NO_OTHER = "no other token has a preference"
"""So all scores of its row are the same: even weights in a soft lookup, the first key in a hard one."""


def pattern_words(recipe: HandMadeRecipe, head: int) -> str:
    """Say what a head looks for in these sentences, without a mask.

    Parameters
    ----------
    recipe : HandMadeRecipe
        The sentences.
    head : int
        The head, from 0.

    Returns
    -------
    str
        One or two sentences, true for these words, soft or hard and at any temperature; empty without words.
    """
    asking, asked = recipe.tokens, recipe.context_tokens
    if not asking or not asked:
        return ""
    pattern = hand_made_heads(recipe)[head].id
    if pattern == "antecedent" and recipe.has_own_shares and _has_it(asking):
        return f"“it” attends as typed in its table; {_NO_OTHER}."
    return _NOTES[pattern](asking, asked)


def untranslated(asking: tuple[str, ...], asked: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find the words that the translation head can do nothing with.

    Parameters
    ----------
    asking, asked : tuple of str
        The tokens of the two sentences.

    Returns
    -------
    unknown : tuple of str
        Tokens that are not in its dictionary, each once.
    alone : tuple of str
        Tokens that are, but whose translation is not in the other sentence, each once.
    """
    held = {concept(token) for token in asked} - {None}
    unknown = [token for token in asking if concept(token) is None]
    alone = [token for token in asking if concept(token) is not None and concept(token) not in held]
    return tuple(dict.fromkeys(unknown)), tuple(dict.fromkeys(alone))


def _previous_token(_asking: tuple[str, ...], _asked: tuple[str, ...]) -> str:
    return "Every token looks for the one before it; the first, which has none, for itself."


def _first_token(_asking: tuple[str, ...], _asked: tuple[str, ...]) -> str:
    return "Every token looks for the first one."


def _same_word(asking: tuple[str, ...], asked: tuple[str, ...]) -> str:
    held = {token.casefold() for token in asked}
    alone = dict.fromkeys(token for token in asking if token.casefold() not in held)
    said = "Every token looks for the same word, capital or not."
    if not alone:
        return said
    return f"{said} {_named(alone)} {_is(alone)} not in the other sentence and {_has_no_preference(alone)}."


def _antecedent(asking: tuple[str, ...], asked: tuple[str, ...]) -> str:
    if not _has_it(asking):
        return "It looks for what “it” stands for, but there is no “it” here: no token has a preference."
    found = referent(asked)
    if found is not None:
        return f"“it” looks for “{found}”; {_NO_OTHER}. Made after a tutorial’s invented numbers."
    wanted = "“cat” or “animal”" if any(token.casefold() == "tired" for token in asked) else "“mat” or “street”"
    shares = antecedent_hundredths(asked)
    most = asked[shares.index(max(shares))]
    return (
        f"It knows only the words of the tutorials, where “it” would stand for {wanted}, which is not here. Its "
        f"largest share goes to “{most}”, which means nothing; {_NO_OTHER}."
    )


def _two_at_once(asking: tuple[str, ...], asked: tuple[str, ...]) -> str:
    pair = two_nouns(asked)
    if len(pair) < 2:
        return "It looks for two tokens at once, but there is only one."
    who = "“it”" if _has_it(asking) else f"the last token, “{asking[-1]}”,"
    first, second = (f"“{asked[place]}” ({place + 1})" for place in pair)
    return f"One head, two tokens: {who} looks for {first} as much as for {second}; {_NO_OTHER}."


def _even(_asking: tuple[str, ...], _asked: tuple[str, ...]) -> str:
    return "No token has a preference: all scores are 0."


def _translation(asking: tuple[str, ...], asked: tuple[str, ...]) -> str:
    unknown, alone = untranslated(asking, asked)
    idle = {*unknown, *alone}
    if idle.issuperset(asking):
        return f"It knows {_all_of(asking)} and finds no translation here: no token has a preference."
    said = ["Every word looks for its translation, from a dictionary of a few words."]
    if unknown:
        said.append(f"It does not know {_named(unknown)}, which {_has_no_preference(unknown)}.")
    if alone:
        said.append(f"{_named(alone)} {_has_no_preference(alone)}, as no translation is in the other sentence.")
    return " ".join(said)


def _has_it(asking: tuple[str, ...]) -> bool:
    return any(token.casefold() == "it" for token in asking)


def _all_of(asking: tuple[str, ...]) -> str:
    known = dict.fromkeys(token for token in asking if concept(token) is not None)
    return f"only {_named(known)}" if known else "none of these words"


def _named(words: Iterable[str]) -> str:
    return listed((f"“{word}”" for word in words), MOST_NAMED)


def _is(words: Iterable[str]) -> str:
    return "are" if len(list(words)) > 1 else "is"


def _has_no_preference(words: Iterable[str]) -> str:
    return f"{'have' if len(list(words)) > 1 else 'has'} no preference"


_NOTES: dict[str, Callable[[tuple[str, ...], tuple[str, ...]], str]] = {
    "previous-token": _previous_token,
    "first-token": _first_token,
    "same-word": _same_word,
    "antecedent": _antecedent,
    "two-at-once": _two_at_once,
    "even": _even,
    "translation": _translation,
}
