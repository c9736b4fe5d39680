"""The few words that the hand-made heads know: a tutorial's table for “it”, and a small dictionary."""

from __future__ import annotations

TUTORIAL_WORDS = ("The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "soft")
"""The sentence of the tutorial with the table for “it”, without its full stop, which has no number there."""

_HUNDREDTHS = {
    "The": 2,
    "cat": 8,
    "sat": 3,
    "on": 1,
    "the": 1,
    "mat": 72,
    "because": 3,
    "it": 5,
    "was": 3,
    "soft": 2,
    "tired": 2,
}
"""How much “it” attends to each word of `TUTORIAL_WORDS`, in hundredths, which a tutorial invented; and "tired"."""

_STANDS_FOR = {"animal": "cat", "street": "mat", "wide": "soft"}
"""Words of "The animal did not cross the street because it was too tired" (or "wide"), each with its like above."""

ANTECEDENT_GLOSSES: dict[str, str] = {
    "The": "Not very relevant",
    "cat": "Could be the referent",
    "sat": "Action, not a referent",
    "on": "Preposition, irrelevant",
    "the": "Article, irrelevant",
    "mat": "Most likely referent — “it” = mat",
    "because": "Conjunction",
    "it": "Self-reference",
    "was": "Verb",
    "soft": "Adjective describing mat",
}
"""Why, in the tutorial's words, for the sentence that ends in "soft"."""

_GLOSSES_IF_TIRED = {
    "cat": "Most likely referent — “it” = cat",
    "mat": "Could be the referent",
    "tired": "Adjective describing cat",
}

_LITTLE_WORDS = """
a an and at because but by did didn't do does doesn't don't for from had has have he her his i in is isn't it its my no
not of on or our she so than that the their then they this to too very was wasn't we were with you your
"""
_NO_CONTENT = frozenset(_LITTLE_WORDS.split())
"""Words that name nothing and say what nothing does."""

_CONCEPTS = (
    ("the", "le", "la", "les"),
    ("a", "an", "un", "une"),
    ("cat", "chat", "chatte"),
    ("dog", "chien"),
    ("sat", "s'est", "assis", "assise"),
    ("on", "sur"),
    ("mat", "tapis"),
    ("because", "parce", "que"),
    ("it", "il", "elle", "qu'il", "qu'elle"),
    ("was", "était"),
    ("is", "est"),
    ("tired", "fatigué", "fatiguée"),
    ("soft", "doux", "douce"),
)
"""Words that translate each other, the English one first."""

_CONCEPT_OF = {word: words[0] for words in _CONCEPTS for word in words}


def antecedent_hundredths(tokens: tuple[str, ...]) -> tuple[int, ...]:
    """Say how much “it” attends to each token.

    Parameters
    ----------
    tokens : tuple of str
        The sentence.

    Returns
    -------
    tuple of int
        Shares of the weight: hundredths in the tutorial's sentence, 1 for a word that is not in its table. With
        "tired" in the sentence, cat and mat change places, as a cat gets tired and a mat does not. "animal" counts
        as a cat and "street" as a mat.
    """
    tired = _is_tired(tokens)
    return tuple(_HUNDREDTHS.get(_table_word(_swapped(token) if tired else token), 1) for token in tokens)


def referent(tokens: tuple[str, ...]) -> str | None:
    """Find what “it” stands for.

    Parameters
    ----------
    tokens : tuple of str
        The sentence.

    Returns
    -------
    str or None
        The token that gets the most weight, as the table knows it; None if there is none of its nouns.
    """
    return _noun("cat" if _is_tired(tokens) else "mat", tokens)


def two_nouns(tokens: tuple[str, ...]) -> tuple[int, ...]:
    """Find two tokens that a head could attend to at once.

    Parameters
    ----------
    tokens : tuple of str
        The sentence.

    Returns
    -------
    tuple of int
        Their places, from 0: those of the nouns that the table for “it” knows, else of the first two words that are
        more than “the” or “did not”, else of the second and third token; fewer than two if there are fewer tokens.
    """
    words = [_table_word(token).casefold() for token in tokens]
    nouns = [words.index(noun) for noun in ("cat", "mat") if noun in words]
    content = [place for place, word in enumerate(words) if word[0].isalpha() and _plain(word) not in _NO_CONTENT]
    pair = next((found for found in (nouns, content[:2]) if len(found) == 2), None)
    return tuple(pair or ([1, 2] if len(words) > 2 else range(len(words))))


def antecedent_gloss(token: str, tokens: tuple[str, ...]) -> str | None:
    """Say why “it” attends to a token as it does.

    Parameters
    ----------
    token : str
        One of the tokens.
    tokens : tuple of str
        The sentence.

    Returns
    -------
    str or None
        A few words, or None for a word that is not in the tutorial's table.
    """
    word = _table_word(token)
    glosses = ANTECEDENT_GLOSSES | _GLOSSES_IF_TIRED if _is_tired(tokens) else ANTECEDENT_GLOSSES
    gloss = glosses.get(word)
    if gloss is None or not gloss.endswith((" cat", " mat")):
        return gloss
    start, _, noun = gloss.rpartition(" ")
    named = token.casefold() if word == noun else _noun(noun, tokens)
    return f"{start} {named}" if named else "Adjective"


def concept(token: str) -> str | None:
    """Look a token up in the small dictionary.

    Parameters
    ----------
    token : str
        An English or French word, capital or not, with either apostrophe.

    Returns
    -------
    str or None
        The English word for it: two tokens of one concept translate each other. None for unknown words.
    """
    return _CONCEPT_OF.get(_plain(token))


def translation_gloss(asking: str, asked: str, others: tuple[str, ...]) -> str:
    """Say why a token attends to another one as it does in the translation head.

    Parameters
    ----------
    asking, asked : str
        The token that looks for its translation, and the one that it looks at.
    others : tuple of str
        The sentence of the second.

    Returns
    -------
    str
        A few words; which word is not known, if it is that.
    """
    wanted = concept(asking)
    if wanted is None:
        return f"“{asking}” is not in the dictionary: no preference"
    if wanted not in {concept(token) for token in others}:
        return f"no translation of “{asking}” in the other sentence"
    if concept(asked) is None:
        return f"“{asked}” is not in the dictionary"
    return f"“{asked}” translates “{asking}”" if concept(asked) == wanted else ""


def _is_tired(tokens: tuple[str, ...]) -> bool:
    return any(token.casefold() == "tired" for token in tokens)


def _swapped(token: str) -> str:
    return {"cat": "mat", "mat": "cat"}.get(_table_word(token), token)


def _noun(like: str, tokens: tuple[str, ...]) -> str | None:
    """Find the first token that counts as the cat or the mat of the table."""
    return next((token.casefold() for token in tokens if _table_word(token) == like), None)


def _table_word(token: str) -> str:
    """Find the table's word: "The" and "the" are two of it, "Cat" and "cat" one, and an animal counts as a cat."""
    word = token.casefold()
    return token if token in _HUNDREDTHS else _STANDS_FOR.get(word, word)


def _plain(token: str) -> str:
    return token.casefold().replace("’", "'")
