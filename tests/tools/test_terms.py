"""The words of the subject: that each is explained, shown and sourced, and where they are found in texts."""

from __future__ import annotations

import re

import pytest

from attention_explorer.core import files
from attention_explorer.core import terms as terms_module
from attention_explorer.core.terms import Term, link_to, mentions, term_named, term_of_link, terms
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.registry import PAGE_IDS, find_preset, presets_of
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.words import rich, spoken
from attention_explorer.tools.terms.references import PAPERS


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.name)
def test_every_term_is_explained_shown_and_sourced(term: Term) -> None:
    sentences = re.split(r"(?<=[.])\s+(?=[A-ZØ-Þ])", term.says)
    assert len(sentences) == 2
    assert all(sentence.endswith(".") and sentence[0].isupper() for sentence in sentences)
    assert max(len(sentence.split()) for sentence in sentences) <= 28
    assert not re.search(r"[*`\[\]<>&]|  ", term.says), "plain words, no marks"
    ready = find_preset(term.show, term.page)
    assert ready.page != "training", "whose picture needs something to be learned first"
    assert not term.page or len([page for page in PAGE_IDS if term.show in {r.id for r in presets_of(page)}]) > 1
    cited = {paper.cited for paper in PAPERS}
    assert term.source == "This program" or term.source.partition("), ")[0].removesuffix(")") + ")" in cited


def test_there_are_enough_and_each_spelling_leads_to_one() -> None:
    assert len(terms()) >= 40
    spellings = [word.casefold() for term in terms() for word in (term.name, *term.also, *term.quiet)]
    assert len(spellings) == len(set(spellings))
    assert [term.name.casefold() for term in terms()] == sorted(term.name.casefold() for term in terms())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Drag the query; queries are compared.", ["query"]),
        ("A hard lookup has no gradient.", ["hard lookup", "gradient"]),
        ("KEYS and Values", ["KEYS", "Values"]),
        ("keyboard, overvalued, masking, self-score", []),
        ("÷√d_k of a causal mask", ["d_k", "causal mask"]),
        ("induction", []),
        ("The arrow keys move on. Arrow keys: a key", ["key"]),
    ],
)
def test_terms_are_found_as_whole_words_once_and_the_longest_first(text: str, found: list[str]) -> None:
    assert [text[mention.start : mention.end] for mention in mentions(text)] == found


def test_a_link_leads_back_to_its_term() -> None:
    for term in terms():
        href = re.search(r'href="([^"]*)"', link_to(term, "words"))[1]
        assert term_of_link(href) == term
    assert term_of_link("https://example.org/query") is None
    assert term_named("no such term") is None
    assert term_named(" Queries ") == term_named("query")


def test_lessons_link_terms_that_are_bold_or_named_in_brackets() -> None:
    text = "A **weight** of [those](key), and **q** [elsewhere](nowhere) <b>bold</b>."
    made = rich(text)
    assert re.findall(r'href="term:([^"]*)"[^>]*>([^<]*)<', made) == [("weight", "weight"), ("key", "those")]
    assert "<b>q</b> elsewhere &lt;b&gt;bold&lt;/b&gt;" in made
    assert spoken(text) == "A weight of those, and q elsewhere <b>bold</b>."


def test_the_lessons_of_the_program_link_terms_that_there_are() -> None:
    texts = [
        text for lesson in reading.lessons() for step in lesson.steps for text in (step.text, step.hint, step.right)
    ]
    linked = [name for text in texts for name in re.findall(r"\]\(([^)]+)\)", text)]
    assert [name for name in linked if term_named(name) is None] == []
    assert any("term:" in rich(text) for text in texts)


@pytest.mark.parametrize("text", ["", "[[term]]\nname = 'x'", "term = 3", "[[term]]\nname = 3\nnothing = 1", "[["])
def test_a_damaged_file_says_so(monkeypatch, text: str) -> None:
    monkeypatch.setattr(files, "read_text", lambda _name, _package="": text)
    with pytest.raises(ExplorerError, match="damaged"):
        terms_module.terms.__wrapped__()
