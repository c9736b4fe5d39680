"""Telling apart what a state is about from how it is looked at, through parts within parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from attention_explorer.core.declared import declared, is_same_subject, with_step, with_subject_of, with_view_of
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields


@dataclass(frozen=True)
class Colour(CheckedFields):
    shade: int = declared(0, "shade", "How dark", "Change the shade", is_view=True)
    paint: str = "oil"


@dataclass(frozen=True)
class Pencil(CheckedFields):
    shade: int = declared(0, "shade", "How dark", "Change the shade", is_view=True)


@dataclass(frozen=True)
class House(CheckedFields):
    rooms: int = 3
    seen_from: str = declared("north", "side", "Where one stands", "Walk round", is_view=True)
    wall: Colour | Pencil = field(default_factory=Colour)
    fence: Colour | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rooms == 1 and self.seen_from == "within":
            raise ExplorerError("Nothing is seen from within one room.")


HERE = House(5, "south", Colour(2, "lime"), Colour(4, "tar"))
THERE = House(7, "east", Colour(9, "oil"), None)


def test_the_subject_of_another_is_taken_and_the_view_is_kept_in_every_part() -> None:
    assert with_subject_of(HERE, THERE) == House(7, "south", Colour(2, "oil"), None)
    assert with_view_of(HERE, THERE) == House(5, "east", Colour(9, "lime"), Colour(4, "tar"))


@pytest.mark.parametrize(("mine", "its"), [(None, Colour(9)), (Colour(9), None), (Colour(9), Colour(1))])
def test_a_part_that_only_one_has_is_taken_whole(mine: Colour | None, its: Colour | None) -> None:
    taken = with_subject_of(replace(HERE, fence=mine), replace(THERE, fence=its)).fence
    assert taken == (its if mine is None or its is None else Colour(9))


def test_a_part_of_another_class_is_taken_whole_with_its_view() -> None:
    other = replace(THERE, wall=Pencil(8))
    assert with_subject_of(HERE, other).wall == Pencil(8)
    assert with_view_of(HERE, other).wall == HERE.wall
    assert not is_same_subject(Colour(), Pencil())


def test_what_differs_in_the_view_alone_is_the_same_subject() -> None:
    assert is_same_subject(HERE, replace(HERE, seen_from="east", wall=Colour(9, "lime")))
    assert not is_same_subject(HERE, replace(HERE, rooms=6))
    assert not is_same_subject(HERE, replace(HERE, wall=Colour(2, "oil")))
    assert not is_same_subject(HERE, replace(HERE, fence=None))


def test_nothing_is_made_anew_that_stays() -> None:
    assert with_subject_of(HERE, HERE) is HERE
    assert with_subject_of(HERE, replace(HERE, rooms=9)).wall is HERE.wall
    assert with_subject_of(HERE, replace(HERE, seen_from="west")) is HERE


def test_a_step_takes_its_own_change_of_the_view_along_unless_somebody_looked_elsewhere_since() -> None:
    old, new = replace(HERE, rooms=6), replace(HERE, rooms=7, seen_from="west")
    assert with_step(old, old, new) == new
    assert with_step(replace(old, seen_from="east"), old, new) == replace(new, seen_from="east")
    assert with_step(replace(new, wall=Colour(5, "lime")), new, old) == replace(old, wall=Colour(5, "lime"))


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(ExplorerError, match="within one room"):
        with_subject_of(replace(HERE, seen_from="within"), replace(HERE, rooms=1))
