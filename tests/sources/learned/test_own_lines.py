"""Lines of one's own: what is read, cut, left out and held out, and what is said of them, against plain Python."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.numerals import percent
from attention_explorer.errors import ExplorerError
from attention_explorer.model.learning import AS_LEARNED, NOT_ASKED, Batch
from attention_explorer.sources.learned.as_model import as_model
from attention_explorer.sources.learned.own_lines import (
    END,
    MOST_KNOWN,
    MOST_PLACES,
    SPACE,
    own_lines,
    said_of,
    said_of_left_out,
    said_of_right,
    sure_range,
    too_little_for,
)
from attention_explorer.sources.learned.own_text import ARROW, MOST_CHARACTERS, lines_from, text_in
from attention_explorer.sources.learned.run import Run
from attention_explorer.sources.learned.setup import MOST_LINES, LearningSetup, LineCut
from attention_explorer.sources.learned.task import UNKNOWN
from attention_explorer.sources.learned.tasks import TASKS

OWN = TASKS["own"]
VERBS = ("walk", "jump", "play", "call", "help", "look", "talk", "open", "wash", "push", "pull", "kick")
PAST = tuple(f"{verb} -> {verb}ed" for verb in VERBS)


def setup_of(lines: tuple[str, ...], **changes: object) -> LearningSetup:
    return replace(OWN.setup, lines=lines, **{"d_model": 16, "d_ff": 0, "batch": 8, **changes})  # type: ignore[arg-type]


def read(*lines: str, cut: LineCut = LineCut.CHARACTERS) -> dict[str, str]:
    """What is taken, joined again."""
    return {"".join(line.question): "".join(line.answer) for line in own_lines(lines, cut).every}


# ---- Reading ----


@pytest.mark.parametrize(
    "between", [" -> ", "->", " → ", " => ", "-->", " ==> ", " –> ", "⇒", "＝＞", "\t", ",", ", ", ";"]
)
def test_an_arrow_or_two_columns(between: str) -> None:
    lines = tuple(f"{verb}{between}{verb}ed" for verb in VERBS)
    assert read(*lines) == {verb: f"{verb}ed" for verb in VERBS}


def test_a_table_may_have_quotes_and_an_arrow_comes_before_commas() -> None:
    assert read(*(f'"{verb}, I",{verb}ed' for verb in VERBS))[f"walk,{SPACE}I"] == "walked"
    assert read(*PAST, "go, now -> went, then")[f"go,{SPACE}now"] == f"went,{SPACE}then"


def test_one_arrow_makes_no_table_something_else() -> None:
    found = own_lines((*(f"{verb}, {verb}ed" for verb in VERBS), "a -> b, c"), LineCut.CHARACTERS)
    assert len(found.every) == len(VERBS)
    assert found.left_out == ((13, "has an arrow, where the others have a comma"),)


def test_empty_cells_of_a_table_are_no_columns_but_missing_sides() -> None:
    found = own_lines((*(f"{verb}\t{verb}ed\t\t" for verb in VERBS), "\tb", "c\t", "d\te\tf"), LineCut.CHARACTERS)
    assert len(found.every) == len(VERBS)
    assert found.left_out == ((13, "has no input"), (14, "has no answer"), (15, "has more than one tab"))


def test_what_is_not_seen_is_no_character() -> None:
    """Marks that turn the direction of writing, joiners, soft hyphens, and the mark at the beginning of a file."""
    lines, _ = lines_from("\ufeff" + "\n".join(f"\u200f{verb} -> {verb}\u00ad\u200ded" for verb in VERBS))
    assert read(*lines) == {verb: f"{verb}ed" for verb in VERBS}
    assert read(*(f"{verb}\u05e9\u05dc -> \u05dd{verb}" for verb in VERBS))["walk\u05e9\u05dc"] == "\u05ddwalk"


def test_what_is_left_out_is_said_with_its_number() -> None:
    bad = (
        "no arrow here",
        "",
        "a -> b -> c",
        "-> nothing",
        "nothing ->",
        PAST[2],
        "x" * 63 + " -> y",
        "e■ -> z",
        "\u200b -> z",
    )
    found = own_lines((*PAST, *bad), LineCut.CHARACTERS)
    assert found.left_out == (
        (13, "has no arrow"),
        (15, "has more than one arrow"),
        (16, "has no input"),
        (17, "has no answer"),
        (18, "is the same as line 3"),
        (19, f"has more than {MOST_PLACES - 1} characters"),
        (20, "has “■”, which cannot be learned"),
        (21, "has no input"),
    )
    assert len(found.every) == len(PAST)
    said = said_of_left_out(found)
    assert said[:2] == ("Left out: 8 lines.", "Line 13, “no arrow here”, has no arrow.")
    assert said[-1] == "So are 2 others."
    assert own_lines((*PAST, "x" * 62 + " -> y"), LineCut.CHARACTERS).places == MOST_PLACES


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((), "There are no lines yet"),
        (("", "  "), "There are no lines yet"),
        (("walk walked", "play played"), "No line can be learned: write “input -> answer” on each"),
        (("walk walked", "play played"), "Line 1 has no arrow."),
        (("walk ->", "play ->"), "Line 1 has no answer."),
        (tuple(f"{verb}, {verb}ed, x" for verb in VERBS), "Line 1 has no arrow."),
        ((*PAST, "a -> b\nc -> d"), "Line 13 goes over several lines"),
        (PAST[:4], "4 inputs can be learned, and it takes 5 that differ"),
        ((*PAST[:4], "x" * 10_000 + " -> y"), "Line 5 has more than 63 characters"),
        (tuple(f"{verb} -> verb" for verb in VERBS), "Every answer is “verb”: there is nothing to tell apart"),
        (PAST * 200, "There are 2400 lines, and at most 2000"),
        (("x" * 40_000,), "Line 1 has 40 000 characters"),
        (("x -> " + "y" * 20_000,) * 20, "300 000 are possible"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_words(lines: tuple[str, ...], said: str) -> None:
    with pytest.raises(ExplorerError) as error:
        OWN.check(replace(OWN.setup, lines=lines))
    assert said in str(error.value).replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_more_tokens_than_can_be_answered_with_are_refused() -> None:
    numbers = tuple(f"w{number} -> v{number}" for number in range(MOST_KNOWN // 2 + 1))
    with pytest.raises(ExplorerError, match="2002 different words, and at most 2000 are learned: cut into char"):
        own_lines(numbers, LineCut.WORDS)
    assert own_lines(numbers[1:], LineCut.WORDS).known == MOST_KNOWN


def test_other_tasks_take_no_lines() -> None:
    with pytest.raises(ExplorerError, match="has sentences of its own: it cannot learn lines"):
        TASKS["it"].check(replace(TASKS["it"].setup, lines=PAST))


def test_of_a_long_text_the_first_lines_are_kept_and_the_others_counted() -> None:
    text = "\r\n".join(f"{number} -> {number + 1}" for number in range(5000)) + "\n\n"
    lines, more = lines_from(text)
    assert (len(lines), lines[0], more) == (MOST_LINES, "0 -> 1", 3000)


@pytest.mark.parametrize(("text", "said"), [("", "no lines yet"), (" \n\n", "no lines yet"), ("a\0b", "is no text")])
def test_texts_without_lines(text: str, said: str) -> None:
    with pytest.raises(ExplorerError, match=said):
        lines_from(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_of_lines(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes("été -> Sommer\n".encode(encoding))
    assert text_in(path) == "été -> Sommer\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"\x89PNG\r\n\x1a\n\0\0", "is no text"), (b"\xff\xfe\0", "is no text"), (b"a" * 2_000_000, "is too large"),
     (b"\n\n", "no lines yet"), (b"a" * 40_000, "cut it into lines"),
     (b"a\0b -> c", "is no text"), (None, "cannot be read")],
)  # fmt: skip
def test_files_that_hold_no_lines(tmp_path: Path, data: bytes | None, said: str) -> None:
    path = tmp_path / "lines.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ExplorerError, match=said):
        text_in(path)
    assert MOST_CHARACTERS < 2_000_000


# ---- Words or characters ----


def test_the_data_decide_into_what_they_are_cut() -> None:
    sums = tuple(f"{a} plus {b} -> {a + b}" for a in range(4) for b in range(4))
    assert own_lines(sums, LineCut.BY_THE_DATA).cut is LineCut.WORDS
    assert own_lines(PAST, LineCut.BY_THE_DATA).cut is LineCut.CHARACTERS
    unlike = tuple(f"{a} {b} -> {b}" for a, b in zip(VERBS, VERBS[::-1], strict=True))  # no word comes thrice
    assert own_lines(unlike, LineCut.BY_THE_DATA).cut is LineCut.CHARACTERS
    assert own_lines(sums, LineCut.CHARACTERS).every[0].question == tuple(f"0{SPACE}plus{SPACE}0")


# ---- Held out ----


def test_one_input_in_five_is_held_out_and_never_on_both_sides() -> None:
    lines = tuple(f"{number} -> {word}" for number in range(50) for word in ("odd", "even"))
    found = own_lines(lines, LineCut.CHARACTERS)
    sides = [{line.question for line in side} for side in (found.learned, found.held_out)]
    assert not sides[0] & sides[1]
    assert [len(side) for side in sides] == [40, 10]
    assert len(found.every) == len(lines)
    words = own_lines(lines, LineCut.WORDS)  # into whatever they are cut
    assert {line.number for line in words.held_out} == {line.number for line in found.held_out}


def test_nothing_that_is_held_out_is_drawn() -> None:
    setup = setup_of(PAST)
    held = {tuple(row) for row in OWN.held_out(setup).tokens.tolist()}
    drawn = {tuple(row) for row in OWN.draw(np.random.RandomState(0), 500, setup).tokens.tolist()}
    assert len(held) == 2
    assert len(drawn) == 10
    assert not held & drawn


# ---- Batches, against plain Python ----


def test_a_batch_asks_for_the_answer_behind_the_arrow_and_for_its_end() -> None:
    setup = setup_of(PAST)
    words = OWN.vocabulary(setup).words
    batch = OWN.draw(np.random.RandomState(1), 30, setup)
    for tokens, targets in zip(batch.tokens.tolist(), batch.targets.tolist(), strict=True):
        text = "".join(words[token] for token in tokens)
        asked = {place: words[token] for place, token in enumerate(targets) if token != NOT_ASKED}
        verb = text[: text.index(ARROW)]
        whole = f"{verb}{ARROW}{verb}ed"
        assert text == whole.ljust(OWN.places(setup), END)
        assert asked == {place: (whole + END)[place + 1] for place in range(len(verb), len(whole))}


@pytest.mark.parametrize(
    ("sentence", "text", "right"),
    [
        ("walk", "walk→walked", "walked■"),
        ("walk ->", "walk→", "w"),
        ("walk -> wa", "walk→wa", "wal"),
        ("walk -> we", "walk→we", "wa?"),
        ("talk --> talked", "talk→talked", "talked■"),
        ("wall", "wall→", "?"),
        ("Walk", "walk→walked", "walked■"),
    ],
)
def test_questions(sentence: str, text: str, right: str) -> None:
    setup = setup_of(PAST)
    words = OWN.vocabulary(setup).words
    found = OWN.question(sentence, setup)
    assert "".join(words[token] for token in found.batch.tokens[0]) == text
    assert "".join("?" if token == UNKNOWN else words[token] for token in found.right) == right


def test_of_several_answers_each_is_right_and_where_they_part_nobody_can_tell() -> None:
    setup = setup_of((*PAST, "walk -> waltzed"))
    assert OWN.right_texts("walk", setup) == ("walked", "waltzed")
    assert OWN.right_texts("wall", setup) == ()
    words = OWN.vocabulary(setup).words
    right = OWN.question("walk -> waltz", setup).right
    assert "".join("?" if token == UNKNOWN else words[token] for token in right) == "wal?ze"


def test_it_is_said_of_each_input_whether_it_is_held_out() -> None:
    setup = setup_of(PAST)
    held = {"".join(line.question) for line in own_lines(PAST, LineCut.BY_THE_DATA).held_out}
    assert {verb for verb in VERBS if OWN.is_held_out(verb, setup)} == held
    assert not OWN.is_held_out("wall", setup)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [("", "Write an input"), ("a -> b -> c", "Write an input"), ("Zoo", "has not learned “Z”"),
     ("walk" * 20, "This input has 80 characters, and the model has room for 10 and")],
)  # fmt: skip
def test_questions_that_are_none(sentence: str, said: str) -> None:
    with pytest.raises(ExplorerError, match=said):
        OWN.question(sentence, setup_of(PAST))


def test_the_text_for_other_pages_has_its_tokens_apart() -> None:
    setup = setup_of(PAST)
    text, context = OWN.texts("walk", setup)
    assert (text, context) == ("w a l k → w a l k e d", None)
    np.testing.assert_array_equal(OWN.typed(text, None, setup).tokens, OWN.question("walk", setup).batch.tokens)
    with pytest.raises(ExplorerError, match="reads characters: write them apart"):
        OWN.typed("walk", None, setup)
    model = as_model(Run(setup).at())
    assert model.tokenize(text).ids == tuple(OWN.typed(text, None, setup).tokens[0].tolist())
    with pytest.raises(ExplorerError, match="reads characters: write them apart"):
        model.tokenize("walk")


# ---- Writing, against a loop ----


def test_what_is_written_is_the_most_probable_token_each_time() -> None:
    run = Run(setup_of(PAST))
    run.advance(30)
    model, words = run.at(), OWN.vocabulary(run.setup)
    places = OWN.places(run.setup)
    verbs = [*VERBS, "wall", "p"]
    for verb, written in zip(verbs, model.write(verbs), strict=True):
        tokens = words.numbers(*verb, ARROW).tolist()
        while True:
            targets = np.full((1, len(tokens)), NOT_ASKED)
            targets[0, -1] = 0
            best = int(model.network(Batch(np.array([tokens]), targets), AS_LEARNED).logits[0].argmax())
            if words.words[best] == END:
                break
            tokens.append(best)
            if len(tokens) > places:
                break
        assert tuple(words.words[token] for token in tokens[len(verb) + 1 :]) == written


def test_a_line_is_right_if_what_is_written_is() -> None:
    """Measured with the right beginnings, but no line is right throughout unless each is what it would write."""
    run = Run(setup_of(PAST, batch=16, rate=0.01))
    run.advance(60)
    found = own_lines(PAST, LineCut.BY_THE_DATA)
    written = run.at().write(["".join(line.question) for line in found.held_out])
    right = [text == line.answer for text, line in zip(written, found.held_out, strict=True)]
    assert run.measured().whole == pytest.approx(np.mean(right))


def test_lines_are_learned() -> None:
    run = Run(OWN.setup)
    run.advance(150)
    assert run.measured().accuracy > OWN.goal
    assert run.curve().training_accuracy[-1] > 0.99
    assert OWN.said(run.at().write(["nine twenty two"])[0], OWN.setup) == "9 2 2"


# ---- What they are too few for ----


def test_the_sure_range_holds_the_truth_in_95_of_100_draws() -> None:
    numbers = np.random.default_rng(0)
    for truth, count in ((0.3, 12), (0.8, 40), (0.5, 200)):
        ranges = [sure_range(int(right), count) for right in numbers.binomial(count, truth, 4000)]
        assert np.mean([low <= truth <= high for low, high in ranges]) == pytest.approx(0.95, abs=0.03)
    assert all(sure_range(0, count)[0] == 0.0 and sure_range(count, count)[1] == 1.0 for count in range(1, 100))
    assert said_of_right(5, 5) == "95 % sure: 57 % to 100 % of all such lines."


def test_what_lines_are_too_few_for_is_counted() -> None:
    words = tuple(f"{a}{b} -> {a}" for a in "abcdefgh" for b in "xyz")
    held = len(own_lines(words, LineCut.CHARACTERS).held_out)
    low, high = sure_range(held // 2, held)
    assert (
        f"With {held} lines held out the share that is right is known to about ±{round(50 * (high - low))} points; "
        "a smaller difference says nothing."
    ) in too_little_for(own_lines(words, LineCut.CHARACTERS))
    both = own_lines((*words, "ax -> b"), LineCut.CHARACTERS)
    assert "2 lines have an input that has another answer too: not all of them can be right." in too_little_for(both)


def test_held_out_lines_of_characters_that_are_in_no_other_line() -> None:
    alike = own_lines(tuple(f"{a} -> {a}{a}" for a in "abcde"), LineCut.CHARACTERS)
    assert list(too_little_for(alike))[1:] == [
        "1 held-out input has characters that no input to learn from has.",
        "1 held-out answer has characters that no answer to learn from has: it cannot come out.",
    ]
    found = own_lines(tuple(f"{a} -> {a}" for a in "abcdefghij"), LineCut.CHARACTERS)
    assert list(too_little_for(found))[1:] == [
        "2 held-out inputs have characters that no input to learn from has.",
        "2 held-out answers have characters that no answer to learn from has: they cannot come out.",
    ]


def test_what_always_the_same_answer_would_be_worth_is_said() -> None:
    odd = own_lines(tuple(f"{n} -> {'odd' if n % 2 else 'even'}" for n in range(40)), LineCut.CHARACTERS)
    answers = Counter("".join(line.answer) for line in odd.learned)
    (always, _), *_ = answers.most_common()
    share = sum("".join(line.answer) == always for line in odd.held_out) / len(odd.held_out)
    assert f"Always answering “{always}” would be right for {percent(share)} of the held-out lines." in too_little_for(
        odd
    )
    assert not any("Always" in said for said in too_little_for(own_lines(PAST, LineCut.CHARACTERS)))


def test_what_the_lines_are_is_said() -> None:
    assert said_of(own_lines(PAST, LineCut.BY_THE_DATA)) == (
        f"12 lines, cut into characters: {len(set(''.join(VERBS)) | set('ed'))} different ones.",
        "The longest is line 1, with 4 → 6 characters.",
        "Held out, never learned from, whatever the seed: 2 of 12 inputs.",
    )
