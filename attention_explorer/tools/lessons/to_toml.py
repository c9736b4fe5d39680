"""A lesson as the text of a lesson file: what `reading` makes of that text is the same lesson."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attention_explorer.tools.lessons.expression import Expression
from attention_explorer.tools.lessons.lesson import Answer, Draw, Fact, Kind, Labels, Lesson, Slip, Step
from attention_explorer.tools.lessons.reading import FORMAT, GRID, GRID_VALUES, usual_picture

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""What TOML has only as an escape; a tab and the end of a line may stand in a text of several lines."""


def lesson_text(lesson: Lesson) -> str:
    """Return the text of the file of a lesson.

    Raises
    ------
    TypeError
        A field of the lesson is set to what no file can say, as None.
    """
    head = dict(_head(lesson))
    lines = (*_lines(head), *(line for step in lesson.steps for line in _step(step, "step")))
    return "\n".join(lines) + "\n"


def _head(lesson: Lesson) -> Iterator[tuple[str, object]]:
    picture, letters = usual_picture(lesson.steps)
    yield from (("format", FORMAT), ("title", lesson.title), ("minutes", lesson.minutes))
    yield from _given(edition=lesson.edition if lesson.edition != 1 else 0, after=lesson.after)
    yield from _given(about=lesson.about, learned=lesson.learned)
    if lesson.picture != picture:
        yield "picture", lesson.picture + 1
    if lesson.letters != letters:
        yield "letters", lesson.letters


def _step(step: Step, way: str) -> Iterator[str]:
    """Yield the lines of a step, or of the question that comes in its place on another day."""
    is_again = way != "step"
    yield from ("", f"[{way}]" if is_again else f"[[{way}]]")
    yield from _lines(dict(_keys(step)))
    for option in () if step.answer is None else step.answer.options:
        yield from ("", f"[[{way}.answer.choice]]")
        said = {"say": option.say, "if": option.condition, **dict(_given(reply=option.reply))}
        yield from _lines(said)
    for slip in step.slips:
        yield from ("", f"[[{way}.slips]]")
        yield from _lines(dict(_slip(slip)))
    if step.again is not None:
        yield from _step(step.again, f"{way}.again")


def _keys(step: Step) -> Iterator[tuple[str, object]]:
    yield from _given(show=step.show, page=step.page, set=step.set)
    yield "say" if step.answer is None else "ask", step.text
    yield from _given(hide=step.hide)
    if step.answer is not None and step.answer.kind is not Kind.CHOICE:
        yield "answer", dict(_answer(step.answer))
    yield from _given(draw={draw.name: _drawn(draw) for draw in step.draw}, where=step.where, light=step.light)
    yield from _given(until=step.until, done=step.done, hint=step.hint, right=step.right, wrong=step.wrong)
    yield from _given(facts={fact.said: _fact(fact) for fact in step.facts})


def _given(**values: object) -> Iterator[tuple[str, object]]:
    """Yield what is not empty: that is what is read where nothing is said."""
    yield from ((key, value) for key, value in values.items() if value)


def _answer(answer: Answer) -> Iterator[tuple[str, object]]:
    yield answer.kind.value, answer.of
    yield from _given(within=answer.within, labels=_labels(answer.labels), rows=_labels(answer.rows))
    if answer.low != 0.0:
        yield "from", answer.low
    if answer.high != 1.0:
        yield "to", answer.high


def _labels(labels: Labels) -> object:
    return labels if isinstance(labels, Expression) else list(labels)


def _slip(slip: Slip) -> Iterator[tuple[str, object]]:
    yield from _given(set=slip.set, of=slip.of)
    yield "say", slip.say


def _fact(fact: Fact) -> object:
    return {"of": fact.of, "set": fact.set} if fact.set else fact.of


def _drawn(draw: Draw) -> object:
    return GRID if draw.values == GRID_VALUES else list(draw.values)


# ---- TOML ----


def _lines(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, str) and "\n" in value:
            yield f'{key} = """\n{_escaped(value)}"""'
        else:
            yield f"{key} = {_value(value)}"


def _value(value: Any) -> str:  # noqa: ANN401 # whatever a file can say
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Expression):
        return _value(value.text)
    if isinstance(value, str):
        return f'"{_escaped(value).replace(chr(10), chr(92) + "n")}"'
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"A lesson file cannot hold a {type(value).__name__}.")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _escaped(text: str) -> str:
    """Return a text as it stands between quotation marks, with its lines."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return _UNSEEN.sub(lambda sign: f"\\u{ord(sign[0]):04x}", plain)
