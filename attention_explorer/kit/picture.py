"""A picture is one object: what it computes of a state, what it is made of, what it says, and what a drag on it means.

Whoever shows a picture lays it out, paints it, lights up what is under the pointer, speaks it and writes it to files:
that is the same for all of them, and is said here and by the items (`kit/items/`). The words that every picture is
written in come from here: `Panel`, `Item`, `Hit`, `Value`, `Change`, `Arrays`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numbers_export import Table
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.blanks import paint_guess
from attention_explorer.kit.drawing.marks import paint_reason
from attention_explorer.kit.items.item import Arrays as Arrays
from attention_explorer.kit.items.item import Hit as Hit
from attention_explorer.kit.items.item import Item as Item
from attention_explorer.kit.items.item import Value as Value
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.pictures.pointed_picture import Change as Change
from attention_explorer.kit.theme import Look

NOTHING = "There is nothing to draw."
"""What stands above a picture that has a reason why it cannot be drawn."""

S = TypeVar("S")
N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class Laid:
    """A picture with where everything of it is, and the look it was laid out for: with larger words in a large room."""

    item: Item[Any]
    layout: Any
    look: Look


@dataclass(frozen=True, slots=True)
class Panel:
    """What stands beside a picture: so little that it is read.

    Attributes
    ----------
    title : str
        What the panel is about, in a few words.
    items : tuple of Item
        Numbers that are read at a glance, a small picture.
    sentence : str
        What follows from it, in 35 words at most.
    formula : str or callable
        What is computed, in the notation of formulas, a line for each; none if empty. Or () -> that, if it has numbers
        in it: of a drag, not every picture is asked.
    """

    title: str = ""
    items: tuple[Item[Any], ...] = ()
    sentence: str = ""
    formula: str | Callable[[], str] = ""


class Picture(Generic[S, N]):
    """A large picture of a state ``S``, drawn from numbers ``N``.

    ``compute`` knows nothing of Qt and may run on the worker; everything else runs on the GUI thread. Where there is a
    `reason` why numbers cannot be drawn, nothing else is asked of them.
    """

    fills_card = False
    """Whether it goes from edge to edge of its card, its title in the panel, its controls beside the main quantity."""
    names_itself = False
    """Whether its title is painted in it, and none stands above it even where it is presented."""
    uses_pixels = False
    """Whether the picture depends on how many pixels there are."""
    asked_in = ""
    """The name of its plane on which a question may ask for a place; none if empty."""
    narrowest = 360.0
    """Pixels that it has room in at least, on paper 76 mm; a narrower figure is a smaller one as a whole."""
    truths: tuple[str, ...] = ()
    """What is true of what it shows, whatever the settings are, in whole sentences."""

    # ---- For the kinds of pictures: each a method, or a function that is there already ----

    compute: Callable[[S, tuple[int, int]], N]
    """(state, pixels) -> the numbers, for so many (rows, columns) of pixels, or (0, 0) if it does not use them.

    It raises an `ExplorerError` that says why for what cannot be shown.
    """
    headline: Callable[[N], str]
    """(numbers) -> in one short sentence what is to be seen; it stands large above the picture."""
    says: Callable[[N], tuple[str, ...]] = staticmethod(lambda _numbers: ())
    """(numbers) -> what it says besides headline and panel, in whole sentences, the most important first."""
    arrays: Callable[[N], Arrays] | None = None
    """(numbers) -> the numbers by their names, for files, the main one first; None for those of the items."""
    axes = ""
    """What the axes of its arrays are, for files."""
    lines: Callable[[N], Table] | None = None
    """(numbers) -> what a CSV file holds; None for a row a number."""
    is_quick: Callable[[S], bool] = staticmethod(lambda _state: True)
    """(state) -> whether computing takes less than about 20 ms; what takes longer is done on the worker."""
    checkpoints: Callable[[S], int] = staticmethod(lambda _state: 0)
    """(state) -> how many checkpoints are passed before the picture is there, where that can be told."""
    stream: Callable[[S, tuple[int, int]], Iterator[tuple[float, N | None]]] | None = None
    """For long work: (share done, the numbers so far), again and again; used on the worker instead of ``compute``.

    None in place of numbers leaves the picture before on show.
    """
    follows = True
    """Whether what a click sets goes on following the pointer until the button is let go."""

    goes_on: Callable[[N, N], bool] = staticmethod(lambda _shown, _wanted: False)
    """(numbers on show, numbers to show) -> whether the same parts go to other places, and are seen going."""

    def item(self, numbers: N) -> Item[Any]:
        """Return what the picture is made of."""
        raise NotImplementedError

    def panel(self, numbers: N) -> Panel:
        """Return what stands beside the picture."""
        raise NotImplementedError

    def words(self, numbers: N, hit: Hit) -> str:
        """Return what was hit, with its numbers, for the status line and the screen reader."""
        raise NotImplementedError

    def made_of(self, _state: S) -> tuple[str, ...]:
        """Return what the numbers are made of that no field of the state says, in a few words each."""
        return ()

    def told(self, _numbers: N) -> Mapping[str, object]:
        """Return what files of numbers say besides arrays and settings; it can be written as JSON."""
        return {}

    def changed(self, _state: S, _numbers: N, _hit: Hit, _to: Value) -> Change[S] | None:
        """Return what it means that something is dragged, or sent by a key, to what `Item.value_at` gives; or clicked.

        None: nothing, and what is clicked is pinned.
        """
        return None

    def reason(self, numbers: N) -> str:
        """Return why there is nothing to draw, in a sentence that stands in its place; empty if there is."""
        return getattr(numbers, "reason", "")

    def place_asked(self, _numbers: N) -> tuple[float, float] | None:
        """Return the place on `asked_in` that a question asks for, to be joined to a guess; None if it has none."""
        return None

    def table(self, _numbers: N) -> Item[Any] | None:
        """Return all numbers as a table, for the drawer; None if the picture has none."""
        return None

    def has_cells(self, numbers: N) -> bool:
        """Whether there are maps in it, with tokens and a colour bar."""
        return not self.reason(numbers) and self.item(numbers).has_cells

    def given(self, numbers: N) -> Item[Any]:
        """Return what is seen while its numbers are asked for."""
        return self.item(numbers).hidden()

    def hides(self, numbers: N) -> tuple[str, ...]:
        """Return what is hidden of it while its numbers are asked for, by its names."""
        return ("The picture",) if self.reason(numbers) else self.item(numbers).names()

    def withheld(self) -> Picture[S, N]:
        """Return how it is drawn while its numbers are asked for."""
        return Withheld(self)

    # ---- How long it takes ----

    def is_step(self, _shown: S, _wanted: S) -> bool:
        """Whether it takes little to go from the state on show to another, although its picture is not quick."""
        return False

    def height(self, _numbers: N, _width: float) -> float | None:
        """Return the height of a figure laid out for a width, at zoom 1; None for the usual proportions."""
        return None

    # ---- The same for all ----

    def layout(self, numbers: N, look: Look, room: QRectF) -> Laid | QRectF:
        """Lay it out in a room."""
        return room if self.reason(numbers) else laid_out(self.item(numbers), look, room)

    def held(self, numbers: N, look: Look, room: QRectF, pressed: Laid | QRectF) -> Laid | QRectF:
        """Lay it out while something of it is dragged, at the scale of the layout that was pressed."""
        if self.reason(numbers) or not isinstance(pressed, Laid):
            return self.layout(numbers, look, room)
        item = self.item(numbers)
        if type(item) is not type(pressed.item):
            return laid_out(item, look, room)
        return Laid(item, item.held(pressed.layout, pressed.look, room), pressed.look)

    def paint(self, painter: QPainter, numbers: N, laid: Laid | QRectF, look: Look, *, vector: bool = False) -> None:
        """Paint it where it was laid out."""
        if isinstance(laid, Laid):
            laid.item.paint(painter, laid.layout, laid.look, vector=vector)
        else:
            paint_reason(painter, self.reason(numbers), laid, look)

    def mark(self, painter: QPainter, _numbers: N, laid: Laid | QRectF, _look: Look, hit: Hit) -> None:
        """Light up what was hit."""
        if isinstance(laid, Laid):
            laid.item.mark(painter, laid.layout, laid.look, hit)

    def spot_at(self, _numbers: N, laid: Laid | QRectF, place: QPointF) -> Any:  # noqa: ANN401 # NOWHERE or a Hit
        """Return what is at a place."""
        found = laid.item.hit(laid.layout, place) if isinstance(laid, Laid) else None
        return NOWHERE if found is None else found

    def click(self, state: S, numbers: N, laid: Laid | QRectF, place: QPointF) -> Change[S] | None:
        """Return what a click at a place changes."""
        hit = self.spot_at(numbers, laid, place)
        return None if hit == NOWHERE else self._moved(state, numbers, laid, hit, place)

    def grab(self, _numbers: N, laid: Laid | QRectF, place: QPointF) -> Hit | None:
        """Return the handle at a place."""
        return laid.item.grab(laid.layout, place) if isinstance(laid, Laid) else None

    def drag(self, state: S, numbers: N, laid: Laid | QRectF, handle: Hit, place: QPointF) -> Change[S] | None:
        """Return what it means that a handle is dragged to a place; all else is as it was when it was grabbed."""
        return self._moved(state, numbers, laid, handle, place)

    def _moved(self, state: S, numbers: N, laid: Laid | QRectF, hit: Hit, place: QPointF) -> Change[S] | None:
        if not isinstance(laid, Laid):
            return None
        return self.changed(state, numbers, hit, laid.item.value_at(laid.layout, hit, place))

    def _plane(self, laid: Laid | QRectF) -> Any:  # noqa: ANN401 # the layout of a `Plane`
        leaves = laid.item.leaves(laid.layout) if self.asked_in and isinstance(laid, Laid) else ()
        return next((layout for item, layout in leaves if item.name == self.asked_in), None)

    def place_at(self, laid: Laid | QRectF, at: QPointF) -> tuple[float, float] | None:
        """Return which place of the plane in which places are asked for a pixel is; None beside it."""
        plane = self._plane(laid)
        return plane.point(at) if plane is not None and plane.box.contains(at) else None

    def mark_guess(
        self, painter: QPainter, numbers: N, laid: Laid | QRectF, look: Look, guess: tuple[float, float]
    ) -> None:
        """Mark where somebody thinks that what is asked for is, and once that is shown, how far off it was."""
        plane, truth = self._plane(laid), self.place_asked(numbers)
        if plane is not None:
            paint_guess(painter, plane.pixel(guess), None if truth is None else plane.pixel(truth), look)

    def press(self, state: S, numbers: N, key: int) -> Change[S] | None:
        """Return what a key (of Qt.Key) changes; at the last stop nothing."""
        step = None if self.reason(numbers) else self.item(numbers).press(key)
        change = None if step is None else self.changed(state, numbers, step.hit, step.to)
        return None if change is None or change.state == state else change

    def walk(self, numbers: N, hit: Hit | None, key: int) -> Hit | None:
        """Return what a key leads to from what is chosen, where it changes nothing."""
        return None if self.reason(numbers) else self.item(numbers).walk(hit, key)

    def has(self, _numbers: N, _hit: Hit) -> bool:
        """Whether what keys have chosen in an earlier picture is still there."""
        return False

    def title(self, numbers: N) -> str:
        """Return what stands above it."""
        return NOTHING if self.reason(numbers) else self.headline(numbers)

    def notes(self, numbers: N) -> tuple[TextLine, ...]:
        """Return what it says, the first line as a headline."""
        reason = self.reason(numbers)
        if reason:
            return _notes((NOTHING, reason))
        return _notes((self.headline(numbers), *filter(None, (self.panel(numbers).sentence, *self.says(numbers)))))

    def numbers(self, numbers: N) -> Arrays:
        """Return its arrays."""
        return self.item(numbers).arrays() if self.arrays is None else self.arrays(numbers)


class Withheld(Picture[S, N]):
    """A picture while its numbers are asked for: it tells nothing, and nothing moves it."""

    def __init__(self, picture: Picture[S, N]) -> None:
        self._picture = picture
        self.asked_in = picture.asked_in

    def item(self, numbers: N) -> Item[Any]:
        return self._picture.given(numbers)

    def reason(self, numbers: N) -> str:
        return self._picture.reason(numbers)

    def notes(self, numbers: N) -> tuple[TextLine, ...]:
        return (TextLine(f"Hidden until you answer: {', '.join(self._picture.hides(numbers))}."),)

    def words(self, _numbers: N, _hit: Hit) -> str:
        return ""

    def spot_at(self, _numbers: N, _laid: Laid | QRectF, _place: QPointF) -> Any:  # noqa: ANN401 # as of all pictures
        return NOWHERE

    def grab(self, _numbers: N, _laid: Laid | QRectF, _place: QPointF) -> None:
        """Let nothing be dragged."""

    def press(self, _state: S, _numbers: N, _key: int) -> None:
        """Leave all keys to others."""

    def walk(self, _numbers: N, _hit: Hit | None, _key: int) -> None:
        """Leave all keys to others."""


def _notes(sentences: tuple[str, ...]) -> tuple[TextLine, ...]:
    """Return sentences as they are written, the first as a headline."""
    first, *rest = sentences
    return (TextLine(first, bold=True), *(TextLine(sentence) for sentence in rest))


def laid_out(item: Item[Any], look: Look, room: QRectF) -> Laid:
    """Lay an item out in a room."""
    look = roomy(look, room)
    return Laid(item, item.layout(look, room), look)


WIDE, HIGH, LARGEST = 1000, 700, 1.4
"""Pixels at zoom 1 up to which a room is an ordinary one; and how much larger words are in it at most."""


def roomy(look: Look, room: QRectF) -> Look:
    """Return the look to draw with in a room: the same in an ordinary one, larger in a very large one."""
    factor = min(room.width() / look.px(WIDE), room.height() / look.px(HIGH), LARGEST)
    return replace(look, zoom=look.zoom * factor) if factor > 1.0 else look
