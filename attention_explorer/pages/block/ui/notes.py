"""What the diagram of a layer says, for the panel beside it: the box that is looked at, the shapes, the token's way."""

from __future__ import annotations

from attention_explorer.core.numerals import percent
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.pages.block.boxes import Box
from attention_explorer.pages.block.diagram import DiagramPicture, shape_trace
from attention_explorer.pages.block.diagram_words import (
    likeness_sentences,
    parameter_words,
    row_sentences,
    short,
    token_name,
    token_path,
)
from attention_explorer.pages.stack.learned import recipe_of
from attention_explorer.sources.registry import source_of


def diagram_notes(picture: DiagramPicture) -> tuple[TextLine, ...]:
    """Return the notes."""
    box = picture.chosen
    number = picture.boxes.index(box) + 1
    return (
        TextLine(f"{box.what} {box.shape_text}", bold=True),
        *(TextLine(line) for line in (*_box_lines(box), *row_sentences(picture, box))),
        *_path_lines(picture),
        TextLine("The layer", bold=True),
        *_origin_lines(picture),
        TextLine(shape_trace(picture)),
        *(TextLine(line) for line in likeness_sentences(picture)),
        *_zero_lines(picture),
        TextLine(parameter_words(picture)),
        TextLine(
            f"Box {number} of {len(picture.boxes)}: ← → go from box to box, ↑ ↓ follow a token"
            + (", Page Up and Down change the head." if box.has_heads and picture.state.heads > 1 else "."),
            "muted",
        ),
    )


def _origin_lines(picture: DiagramPicture) -> list[TextLine]:
    """Return how the layers were learned, if they were."""
    recipe = recipe_of(picture.state)
    if recipe is None:
        return []
    origin = source_of(recipe).origin
    return [TextLine(f"{origin[0].upper()}{origin[1:]}.")]


def _box_lines(box: Box) -> list[str]:
    found = box.summary
    lines = [
        f"mean {short(found.mean)}, standard deviation {short(found.std)}",
        f"norm {short(found.norm)}, of a row {short(found.row_norm)} on average",
        f"range {short(found.low)} to {short(found.high)}",
    ]
    if found.masked:
        lines.append(f"{percent(found.masked)} masked: −∞, not counted here.")
    return lines


def _zero_lines(picture: DiagramPicture) -> list[TextLine]:
    share = picture.trace.feed_forward.inside.zero_share
    return [TextLine(f"{percent(share)} of the hidden units are exactly 0.")] if share else []


def _path_lines(picture: DiagramPicture) -> list[TextLine]:
    """Return how long the followed token's row is in box after box."""
    if picture.token is None:
        return []
    way = ", ".join(f"{title} {short(norm)}".replace(" ", "\N{NO-BREAK SPACE}") for title, norm in token_path(picture))
    return [
        TextLine(f"{token_name(picture, picture.token)} from box to box", bold=True),
        TextLine(f"Norm of its row: {way}."),
    ]
