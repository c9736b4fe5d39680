"""What the card of a lesson says: texts with emphasis, answers as they are typed, and what an answer is worth."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attention_explorer.core.numerals import coordinate, parsed_number, subscript
from attention_explorer.core.terms import link_to, term_named
from attention_explorer.errors import ExplorerError, full_stop, quoted
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.kinds.registry import KINDS
from attention_explorer.sources.registry import source_of
from attention_explorer.tools.lessons.answers import Given, Offer, Right, Verdict
from attention_explorer.tools.lessons.calculating import calculated
from attention_explorer.tools.lessons.lesson import Answer, Kind, Step
from attention_explorer.tools.lessons.names import names_in, spelled
from attention_explorer.tools.lessons.walk import texts_of

TYPED = {
    Kind.NUMBER: "A number",
    Kind.POINT: "Its two numbers, or click the plane",
}
"""The kinds of answers that are typed, and what is to be typed."""

MARKED = (Kind.BARS, Kind.CELLS)
"""The kinds of answers that stay in the card, where the truth is drawn beside the guess."""

NOTHING_OFFERED = Offer()

_EQUALS = re.compile(r" = (?=[(\d−-])")
_SUM = re.compile(r" ([−+÷·]) ")
_PAIR = re.compile(r"\((−?[\d.]+), (−?[\d.]+)\)")
_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\n]+)\)")
_SYMBOL = re.compile(r"\b([A-Za-z])_([A-Za-z]+)\b(?![^<]*</code>)")
_BOLD = re.compile(r"<b>([^<]+)</b>")
_MARKS = (
    (re.compile(r"`([^`\n]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*\n]+)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*([^*\n]+)\*"), r"<i>\1</i>"),
)
_DRAWN: Mapping[str, str | Mapping[str, str]] = {
    "lookup.query": "q = {}",
    "lookup.target": "t = {}",
    **{
        f"lookup.entries[{at}].{kind}": f"v{subscript(at + 1)} = {{}}"
        for at in range(3)
        for kind in ("value", "number")
    },
    "lookup.temperature": "the temperature is {}",
    "lookup.words.first.w_q": "W_Q has the rows {}",
    "lookup.words.first.w_k": "W_K has the rows {}",
    "lookup.words.first.w_v": "W_V has the rows {}",
    "lookup.words.second.w_v": "W_V of the second head has the rows {}",
    "heads.setup.recipe.heads": "{} heads",
    "heads.setup.recipe.recording": {
        f"{model}-{word}": f"the sentence ends in “{word}”"
        for model in ("minilm", "smollm2")
        for word in ("tired", "soft")
    },
    "scaling.bench.factor": "the gap is {}",
    "scaling.bench.shift": "{} is added",
    "positions.position": "p = {}",
    "positions.shift": "k = {}",
    "positions.kind": {kind: each.told for kind, each in KINDS.items()},
    "positions.causal": {"yes": "a causal mask", "no": "no mask"},
    "block.heads": "{} heads",
    "block.embedding_scale": "the embeddings are multiplied by {}",
    "block.residual": {"yes": "with the residual", "no": "without the residual"},
    "cost.n": "n = {}",
}
"""What is said of a field that was drawn, with its number in the place of {}, or by its value."""


def rich(text: str) -> str:
    """Return a text of a lesson as HTML: paragraphs, bold, italic, code, indices and terms; nothing else is HTML.

    A term is linked where it is bold, and where it stands as [words](term).
    """
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        marked = html.escape(_unbroken(" ".join(paragraph.split())))
        for mark, becomes in _MARKS:
            marked = mark.sub(becomes, marked)
        marked = _LINK.sub(lambda link: _linked(link[1], link[2]), marked)
        marked = _BOLD.sub(lambda bold: f"<b>{_linked(bold[1], bold[1])}</b>", marked)
        marked = _SYMBOL.sub(r"\1<sub>\2</sub>", marked)
        parts.append(f"<p style='margin: 0 0 4px 0'>{marked}</p>")
    return "".join(parts)


def _unbroken(text: str) -> str:
    """Keep “q = (0, 1)” and “(2 − 0.4) ÷ 2” on one line each."""
    text = _PAIR.sub("(\\1,\N{NO-BREAK SPACE}\\2)", _EQUALS.sub("\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}", text))
    return _SUM.sub("\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)


def unknown_terms(step: Step) -> tuple[str, ...]:
    """Return what links in the texts of a step lead to, and is no term."""
    named = (link[2] for text in texts_of(step) for link in _LINK.finditer(text))
    return tuple(dict.fromkeys(name for name in named if term_named(name) is None))


def _linked(words: str, name: str) -> str:
    """Return words as a link to the term of that name; as they are if there is none."""
    term = term_named(html.unescape(name))
    return words if term is None else link_to(term, words)


def spoken(text: str) -> str:
    """Return a text of a lesson without its marks, for a screen reader."""
    words = _LINK.sub(r"\1", " ".join(text.split()))
    for mark, _ in _MARKS:
        words = mark.sub(r"\1", words)
    return words


def drawn_words(step: Step, case: ExplorerState) -> str:
    """Say what was drawn for a question: “This time: q = (−1, 0.5).”; empty if nothing was that means something."""
    drawn = [_drawn(draw.name, case) for draw in step.draw if not draw.name.endswith(".seed")]
    return f"This time: {', '.join(drawn)}." if drawn else ""


def _drawn(name: str, case: ExplorerState) -> str:
    found = _field(name, case)
    if name.endswith(".sentence"):
        return quoted_whole(found)
    said = _DRAWN.get(name, f"{spelled(name.rpartition('.')[2])} = {{}}")
    return said.format(found) if isinstance(said, str) else said.get(found, found)


def _field(name: str, state: ExplorerState) -> str:
    part: object = state
    for key, index in re.findall(r"([a-z_]+)|\[(\d+)\]", name):
        part = getattr(part, key) if key else part[int(index)]  # type: ignore[index]
    return _numbers(part) if isinstance(part, tuple) else _one(part)


def _one(part: object) -> str:
    if isinstance(part, bool):
        return "yes" if part else "no"
    return coordinate(part) if isinstance(part, float) else str(part)


def _numbers(numbers: Sequence[Any]) -> str:
    """Return a vector, or the rows of a matrix."""
    if all(isinstance(row, tuple) for row in numbers):
        return " and ".join(_numbers(row) for row in numbers)
    return f"({', '.join(coordinate(number, 4) for number in numbers)})"


def read_answer(kind: Kind, text: str) -> Given:
    """Return an answer that was typed.

    Raises
    ------
    ExplorerError
        It is none of this kind.
    """
    if not text.strip():
        raise ExplorerError("Type an answer first.")
    if kind is Kind.NUMBER:
        return calculated(text)
    return tuple(parsed_number(part) for part in re.split(r"[\s;()]+|,\s+", text) if part)


def truth_words(answer: Answer, truth: Right, offer: Offer = NOTHING_OFFERED) -> str:
    """Say what is right."""
    return said_words(answer, truth, offer, near=answer.within)


def said_words(answer: Answer, given: Given | Right, offer: Offer, near: float = 0.0) -> str:
    """Say an answer as it was given."""
    if answer.kind is Kind.CHOICE:
        return quoted_whole(answer.options[int(str(given))].say)
    if isinstance(given, str):
        return quoted(given)
    if isinstance(given, frozenset):
        return ", ".join(_cell(place, offer) for place in sorted(given)) or "none"
    if answer.kind is Kind.ORDER and not isinstance(given, int | float):
        return ", ".join(offer.labels[int(place)] for place in given)
    if isinstance(given, int | float):
        return _rounded(float(given), near)
    return f"({', '.join(_rounded(float(number), near) for number in given)})"


def _cell(place: tuple[int, ...], offer: Offer) -> str:
    name = quoted(offer.labels[place[-1]])
    return f"{quoted(offer.rows[place[0]])} → {name}" if offer.rows else name


def _rounded(number: float, near: float) -> str:
    """Return a number with the digits that the question asks for and one more, or as it was typed."""
    return coordinate(round(number, max(3, len(f"{near:f}".rstrip("0").partition(".")[2]) + 1)) if near else number)


def quoted_whole(text: str) -> str:
    """Return a sentence of a lesson in quotation marks, however long."""
    return f"“{text}”"


def verdict_words(step: Step, given: Given, verdict: Verdict, offer: Offer = NOTHING_OFFERED) -> str:
    """Say what an answer is worth, with the truth beside the guess, and why."""
    answer = step.answer
    if answer is None:
        return ""
    right = truth_words(answer, verdict.truth, offer)
    if verdict.is_right:
        exact = f"**Right.** It is {right}." if answer.kind in TYPED else "**Right.**"
        return f"{exact} {_reply(answer, given) or step.right}".strip()
    why = verdict.slip.say if verdict.slip else _reply(answer, given) or step.wrong
    off = _off_words(answer, verdict.error)
    if answer.kind in MARKED:
        return f"**Not this time.** {off} {why}".strip()
    return f"**Not this time.** You said {said_words(answer, given, offer)}; it is {right}{off}. {why}".strip()


def mistake_words(step: Step, given: Given, verdict: Verdict) -> str:
    """Say which known mistake explains a wrong answer; nothing if none does."""
    if verdict.is_right or step.answer is None:
        return ""
    return verdict.slip.say if verdict.slip else _reply(step.answer, given)


def _off_words(answer: Answer, error: float) -> str:
    if answer.kind is Kind.CELLS:
        return f"{round(error)} {'is' if error == 1 else 'are'} wrong: ✗ is one too many, ○ one that you missed."
    if answer.kind is Kind.BARS:
        return f"The worst bar is {_rounded(error, answer.within)} off; each mark is the truth."
    return f", so you were {_rounded(error, answer.within)} off" if error else ""


def _reply(answer: Answer, given: Given) -> str:
    return answer.options[given].reply if answer.kind is Kind.CHOICE and isinstance(given, int) else ""


def told_words(step: Step, truth: Right, offer: Offer = NOTHING_OFFERED) -> str:
    """Say the answer to somebody who did not try."""
    if step.answer is None:
        return ""
    return f"It is {full_stop(truth_words(step.answer, truth, offer))} {step.wrong or step.right}".strip()


def asks_what_must_be_learned(step: Step, state: ExplorerState) -> bool:
    """Whether the condition of a step is about a page whose network has to learn first, which takes seconds."""
    pages = set() if step.until is None else {name.partition(".")[0] for name in step.until.names}
    learned = state.block.learned
    if "block" in pages and learned is not None:
        from attention_explorer.sources.learned_source import float64_network  # of learned layers alone

        if float64_network.peek(learned.setup, learned.step) is None:
            return True
    return "heads" in pages and source_of(state.heads.setup.recipe).checkpoints() > 0


def is_met(step: Step, state: ExplorerState) -> bool:
    """Return whether a step is done in a state; one whose names are not there in this state is not."""
    try:
        return step.until is not None and step.until.holds(names_in(state))
    except ExplorerError:
        return False  # a key that the step names was deleted: undo brings it back
