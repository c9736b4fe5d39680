"""The lessons that come with the program: all that their files say can be."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from attention_explorer import cli
from attention_explorer.core import files
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import frame_to_show
from attention_explorer.pages.lookup.state import HeadRow, LookupState, ValueKind
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import drawn, judged, offered, truth
from attention_explorer.tools.lessons.lesson import Draw, Kind, Lesson, Step
from attention_explorer.tools.lessons.names import names_in, with_fields
from attention_explorer.tools.lessons.reading import SUFFIX
from attention_explorer.tools.lessons.walk import begun, checked, ended, named_page, unproved_numbers
from attention_explorer.tools.lessons.words import drawn_words, read_answer, rich, spoken, truth_words
from attention_explorer.tools.lessons.writing import EXAMPLE

ROW_ASKED = re.compile(r"heads\.row\(([^)]*)\)")
FOLDER = Path(files.path(reading.FOLDER))
WALKED = (*reading.lessons(), reading.bank())
"""The lessons, and the questions that no lesson shows."""


def test_every_file_is_on_the_shelf() -> None:
    found = {path.name for path in FOLDER.iterdir()}
    assert found == {*(f"{name}{SUFFIX}" for name in reading.NAMES), EXAMPLE}, "which the help offers instead"


@pytest.mark.parametrize("name", reading.NAMES)
def test_a_lesson_passes_its_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lesson", "check", str(FOLDER / f"{name}{SUFFIX}")]) == 0
    assert "answer = " in capsys.readouterr().out


@pytest.mark.parametrize("lesson", reading.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_has_questions_and_comes_after_what_it_needs(lesson) -> None:
    place = reading.NAMES.index(lesson.name)
    assert set(lesson.after) <= set(reading.NAMES[:place])
    assert lesson.learned
    assert sum(name == "answer" for _, name, _ in checked(lesson)) >= 2
    for step in lesson.steps:
        assert step.until is None or step.hint, f"line {step.line}: a task needs a hint"


@pytest.mark.parametrize("lesson", WALKED, ids=lambda lesson: lesson.name)
def test_nothing_is_said_twice_to_who_is_told_the_answer(lesson: Lesson) -> None:
    state = ExplorerState()
    for step in lesson.steps:
        state = begun(step, state)
        if step.answer is not None:
            case = drawn(step, state, 1)
            said = truth_words(step.answer, truth(step.answer, case), offered(step.answer, case)).strip("“”.")
            assert not re.match(rf"{re.escape(said)}\b", step.wrong.lstrip("“"), re.IGNORECASE), f"line {step.line}"
        state = ended(step, state)


@pytest.mark.parametrize("lesson", WALKED, ids=lambda lesson: lesson.name)
@pytest.mark.parametrize(
    "lookup",
    [LookupState(scaled=True), LookupState(row=HeadRow(ToyRecipe()), preset="", values=ValueKind.VECTORS)],
    ids=["scaled", "row"],
)
def test_a_lesson_can_be_taken_with_ones_own_work_in_the_window(lesson: Lesson, lookup: LookupState) -> None:
    state = ExplorerState(lookup=lookup)
    for step in lesson.steps:
        state = ended(step, begun(step, state))


def test_there_are_questions_enough_and_half_of_them_are_drawn_afresh() -> None:
    questions = [step for lesson in reading.lessons() for step in lesson.steps if step.answer is not None]
    assert len(questions) >= 30
    assert 2 * sum(bool(step.draw) for step in questions) >= len(questions)
    assert {step.answer.kind for step in questions} == set(Kind)


@pytest.mark.parametrize("lesson", WALKED, ids=lambda lesson: lesson.name)
def test_the_right_answer_to_any_case_that_is_drawn_is_right(lesson: Lesson) -> None:
    state = ExplorerState()
    for step in lesson.steps:
        state = begun(step, state)
        for seed in range(6) if step.answer is not None and step.draw else ():
            case = drawn(step, state, seed)
            assert judged(step, case, truth(step.answer, case)).is_right, f"line {step.line}, seed {seed}"
        state = ended(step, state)


@pytest.mark.parametrize("lesson", WALKED, ids=lambda lesson: lesson.name)
def test_no_text_says_a_number_that_nothing_vouches_for(lesson: Lesson) -> None:
    assert [(step.line, number) for step, number in unproved_numbers(lesson)] == []


@pytest.mark.parametrize(
    "lesson",
    [each for each in reading.lessons() if each.name != "real"],  # it asks what a causal mask hides, on a map just seen
    ids=lambda lesson: lesson.name,
)
def test_no_map_shows_what_a_later_step_hides(lesson: Lesson) -> None:
    state, page, seen = ExplorerState(), "", list[tuple[str, ExplorerState, int]]()
    for step in lesson.steps:
        state, page = begun(step, state), named_page(step) or page
        if step.answer is not None and not step.draw:
            for earlier, before, line in seen:
                shows = earlier == page == "heads" and step.hide and _hidden(step, before) == _hidden(step, state)
                assert not shows, f"line {line} shows what line {step.line} asks"
        ends = ended(step, state)
        seen += [(page, each, step.line) for each in ((state, ends) if step.answer is None else (state,))]
        state = ends


def _hidden(step: Step, state: ExplorerState) -> list[object]:
    """Return what is hidden, as plain lists; another case has no such words or cells."""
    try:
        return [np.asarray(each.value(names_in(state))).tolist() for each in step.hide]
    except ExplorerError:
        return []


@pytest.mark.parametrize(
    ("symbol", "word"),
    [
        ("q", "query"),
        ("k₁", "keys"),
        ("v₁", "value"),
        ("o", "output"),
        ("α", "weight"),
        ("t", "target"),
        ("x", "vector"),
        ("W_Q", "matrix"),
        ("W_K", "matrix"),
        ("W_V", "third matrix"),
        ("v", "value"),
        ("d_k", "numbers"),
        ("d_model", "numbers"),
        ("σ", "standard deviation"),
    ],
)
def test_no_symbol_comes_before_its_word(symbol: str, word: str) -> None:
    """In the first eight lessons, up to where a symbol is read first."""
    steps = (step for lesson in reading.lessons()[:8] for step in lesson.steps)
    read = "\n".join(spoken(text) for step in steps for text in (step.text, step.right, step.wrong))
    met = re.search(rf"(?<![\w’])(?<!the ){symbol}(?![\w’])", read)
    assert met is not None
    assert word in read[: met.start()]


def test_an_index_stands_lower_and_code_stays_as_it_is() -> None:
    assert "W<sub>Q</sub> and d<sub>model</sub>" in rich("W_Q and d_model")
    assert "<code>w_q</code>" in rich("`w_q`")


def test_texts_are_marked_and_nothing_in_them_is_html() -> None:
    text = "**q** is *a* `q·k` < 3 & <img src='x'>\n\nnext"
    assert "<b>q</b> is <i>a</i> <code>q·k</code> &lt; 3 &amp; &lt;img" in rich(text)
    assert rich(text).count("<p ") == 2
    assert spoken(text) == "q is a q·k < 3 & <img src='x'> next"


@pytest.mark.parametrize(
    ("kind", "text", "given"),
    [
        (Kind.NUMBER, " −0,25", -0.25),
        (Kind.POINT, "(0.5, −1)", (0.5, -1.0)),
        (Kind.POINT, "0.1; 0.2", (0.1, 0.2)),
    ],
)
def test_answers_are_read_as_people_type_them(kind: Kind, text: str, given: object) -> None:
    assert read_answer(kind, text) == given
    with pytest.raises(ExplorerError, match="Type an answer"):
        read_answer(kind, "  ")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"scaling.d_k": 16}, "This time: d_k = 16."),
        ({"positions.d_model": 32, "heads.setup.recipe.d_model": 64}, "This time: d_model = 32, d_model = 64."),
        ({"block.embedding_scale": 2.0}, "This time: the embeddings are multiplied by 2."),
        ({"positions.kind": "none", "positions.causal": True}, "This time: no positions, a causal mask."),
        ({"heads.setup.recipe.heads": 4, "block.residual": False}, "This time: 4 heads, without the residual."),
        ({"lookup.entries[0].value": [2.5, 0], "positions.shift": 7}, "This time: v₁ = (2.5, 0), k = 7."),
        ({"lookup.query": [-1, 0.5]}, "This time: q = (−1, 0.5)."),
    ],
)
def test_what_was_drawn_is_called_as_the_formulas_have_it(settings, said):
    step = Step(0, "", draw=tuple(Draw(name, (value,)) for name, value in settings.items()))
    assert drawn_words(step, with_fields(ExplorerState(), settings)) == said


@pytest.mark.parametrize("lesson", WALKED, ids=lambda lesson: lesson.name)
def test_what_is_drawn_is_said_in_words_and_not_in_names_of_fields(lesson: Lesson) -> None:
    state = ExplorerState()
    for step in lesson.steps:
        state = begun(step, state)
        for seed in range(6 if step.draw else 0):
            said = drawn_words(step, drawn(step, state, seed))
            assert not re.search(r"= (yes|no|[a-z])|\b(?!d_|W_)\w+_|[a-z]{2} = ", said.replace("d_model = ", "")), said
        state = ended(step, state)


@pytest.mark.parametrize("lesson", WALKED, ids=lambda lesson: lesson.name)
def test_the_row_that_is_framed_is_the_one_that_is_asked(lesson: Lesson) -> None:
    state = ExplorerState()
    for step in lesson.steps:
        state = begun(step, state)
        asked = ROW_ASKED.search(step.answer.of.text) if step.answer is not None and step.answer.of else None
        for seed in range(6) if asked else ():
            case = drawn(step, state, seed)
            which = ast.literal_eval(asked[1])
            row = list(frame_to_show(case.heads.setup).queries).index(which) if isinstance(which, str) else which
            assert case.heads.view.row in (None, row), f"line {step.line}"
        state = ended(step, state)


def test_a_letter_and_what_it_equals_stay_on_one_line() -> None:
    said = rich("This time: q = (−1, 0.5), t = 2, and a, b.").replace("\N{NO-BREAK SPACE}", "~")
    assert "This time: q~=~(−1,~0.5), t~=~2, and a, b." in said
