"""A field says once what it is; of which kind it is follows from its type, or is said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pytest

from attention_explorer.core.declared import (
    Kind,
    declaration_of,
    declarations,
    declared,
    derived,
    hint_of,
    kind_of,
    said_of,
)
from attention_explorer.errors import ExplorerError


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    size: int = 1


SAID = ("label", "What it does", "Change it")


@dataclass(frozen=True)
class Example:
    number: float = declared(1.0, *SAID, high=2.0)
    whole: int | None = declared(None, *SAID)
    colour: Colour = declared(Colour.RED, *SAID)
    on: bool = declared(True, *SAID)
    text: str = declared("", *SAID)
    cells: frozenset[int] = declared(frozenset(), *SAID)
    inner: Inner = declared(Inner, *SAID)
    trail: tuple[float, ...] = declared((), *SAID, kind=Kind.HISTORY)
    pair: tuple[float, float] = declared((0.0, 0.0), *SAID)
    unsaid: int = 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("number", Kind.NUMBER),
        ("whole", Kind.NUMBER),
        ("colour", Kind.CHOICE),
        ("on", Kind.SWITCH),
        ("text", Kind.SENTENCE),
        ("cells", Kind.SET),
        ("inner", Kind.PART),
        ("trail", Kind.HISTORY),
    ],
)
def test_the_kind_follows_from_the_type_or_is_said(name: str, kind: Kind) -> None:
    assert kind_of(Example, name) is kind


def test_a_type_that_does_not_say_its_kind_is_refused() -> None:
    with pytest.raises(ExplorerError, match=r"Example\.pair has to say"):
        kind_of(Example, "pair")


def test_a_default_that_is_a_function_is_called_each_time() -> None:
    assert Example().inner == Inner()
    assert "unsaid" not in declarations(Example)


def test_what_is_shown_and_forbidden_is_asked_of_the_state() -> None:
    @dataclass(frozen=True)
    class Asked:
        on: bool = False
        size: int = declared(
            1, *SAID, shown=lambda state: state.on, forbids=lambda state: "" if state.on else "It is off. Turn it on."
        )

    said = declarations(Asked)["size"]
    assert (said.is_shown(Asked()), said.reason_against(Asked())) == (False, "It is off. Turn it on.")
    assert (said.is_shown(Asked(on=True)), said.reason_against(Asked(on=True))) == (True, "")


def test_what_is_derived_says_what_it_is_beside_the_fields() -> None:
    @dataclass(frozen=True, slots=True)
    class Halved:
        whole: int = declared(4, *SAID)

        @property
        @derived("half", "Half of it", "Change the half", high=9)
        def half(self) -> int:
            return self.whole // 2

    said = declaration_of(Halved, "half")
    assert (said.label, said.high, Halved().half) == ("half", 9, 2)
    assert kind_of(Halved, "half") is Kind.NUMBER
    assert hint_of(Halved, "half") is int
    assert list(declarations(Halved)) == ["whole"]


@dataclass(frozen=True)
class Told:
    whole: int = declared(3, "n", *SAID[1:])
    number: float = declared(0.3, "σ_w", *SAID[1:])
    colour: Colour = declared(Colour.RED, "ink", *SAID[1:])
    named: Colour = declared(Colour.RED, "ink", *SAID[1:], names={"red": "scarlet"})
    on: bool = declared(True, "residual", *SAID[1:])
    axis: bool = declared(True, "axis", *SAID[1:], names={"off": "over keys", "on": "over queries"})
    text: str = declared("the cat", "sentence", *SAID[1:])
    rows: tuple[float, ...] = declared((1.0, 2.0), "scores", *SAID[1:], kind=Kind.LIST)


@dataclass(frozen=True)
class Holder:
    inner: Told = declared(Told, *SAID)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("whole", 3, "n = 3"),
        ("whole", 9999, "n = 9999"),
        ("whole", 100_000, "n = 100 000"),
        ("number", 0.3, "σ_w = 0.3"),
        ("number", 2.0, "σ_w = 2"),
        ("number", -0.5, "σ_w = −0.5"),
        ("number", 1e-6, "σ_w = 1·10⁻⁶"),
        ("colour", Colour.RED, "ink: red"),
        ("named", Colour.RED, "ink: scarlet"),
        ("on", True, "residual"),
        ("on", False, "no residual"),
        ("axis", True, "over queries"),
        ("axis", False, "over keys"),
        ("text", "the cat", "sentence: “the cat”"),
        ("rows", (1.0, 2.0), "scores: 1.0 and 2.0"),
    ],
)
def test_a_field_is_said_with_what_it_holds(name: str, value: object, said: str) -> None:
    def text(rows: tuple[float, ...]) -> str:
        return " and ".join(map(str, rows))

    told = Told(**{name: value})  # type: ignore[arg-type]
    assert said_of(told, name, text).replace("\N{NO-BREAK SPACE}", " ") == said
    assert said_of(Holder(told), f"inner.{name}", text) == said_of(told, name, text)


def test_what_is_said_of_a_field_is_not_torn_at_the_end_of_a_line() -> None:
    for name in ("whole", "number", "colour", "on"):
        assert " " not in said_of(Told(on=False), name)
    assert "the cat" in said_of(Told(), "text"), "a sentence may be"
