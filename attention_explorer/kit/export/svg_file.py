"""Figures as files of SVG and PDF."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from xml.sax.saxutils import escape

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QHashSeed,
    QIODevice,
    QMarginsF,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import QFont, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from attention_explorer import __version__
from attention_explorer.core.figure_options import MILLIMETRES_PER_INCH, PIXELS_PER_INCH
from attention_explorer.kit.theme import searchable

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """Return a text with a sign in place of each character that XML cannot hold: a token may be any character."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


FONT_FAMILIES = "Inter, 'Helvetica Neue', Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
"""Where Inter is not installed another sans serif takes its place, narrow ones first: then all text still fits."""

_HEAD = re.compile(r'<svg width="[^"]*" height="[^"]*"\s*viewBox="[^"]*"')
_GROUP_FONT = re.compile(
    r'(<g [^>]*?)\nfont-family="[^"]*" font-size="[^"]*" font-weight="[^"]*" font-style="[^"]*" (?=\n>)'
)
_FILLED = re.compile(
    r'<g fill="(#\w{6})" fill-opacity="1" stroke="none" transform="matrix\(1,0,0,1,0,0\)"\s*>\s*'
    r'<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"/>\s*</g>\s*'
)
_SHARP = 'image-rendering="optimizeSpeed" style="image-rendering:pixelated"'


def svg_bytes(paint: Callable[[QPainter], None], size: QSize, scale: float, title: str, description: str) -> bytes:
    """Return an SVG of ``scale`` × ``size`` pixels of 1/96 inch, painted in pixels of ``size``."""
    buffer = QBuffer()  # with an array of its own: it does not keep one that it is given
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(PIXELS_PER_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    generator.setDescription(description)
    with QPainter(generator) as painter:
        paint(painter)
    text = bytes(buffer.data().data()).decode("utf-8")
    return _mended(text, size, scale).encode()


def _mended(text: str, size: QSize, scale: float) -> str:
    wide, high = (side * scale / PIXELS_PER_INCH * MILLIMETRES_PER_INCH for side in size.toTuple())
    # Qt rounds what it is given to whole pixels.
    head = f'<svg width="{wide:.6g}mm" height="{high:.6g}mm" viewBox="0 0 {size.width()} {size.height()}"'
    text = _HEAD.sub(head, text, count=1)
    # Every text has its font; repeating it on every group, text or not, makes a map of many cells two thirds larger.
    text = _GROUP_FONT.sub(r"\1", text)
    # A cell is one element, not a rectangle in a group with a transformation that does nothing.
    text = _FILLED.sub(r'<rect fill="\1" stroke="none" x="\2" y="\3" width="\4" height="\5"/>\n', text)
    text = xml_text(text)
    # The old word for edges that stay sharp is no longer understood by all viewers.
    text = text.replace('image-rendering="optimizeSpeed"', _SHARP)
    return text.replace('font-family="Inter"', f'font-family="{FONT_FAMILIES}"')


POINTS_PER_INCH = 72
PROGRAM = f"Attention Explorer {__version__}"
ENLARGED_TO = 256
"""Pixels of an image of cells at least: some viewers blur images, which is seen at the edges of what is enlarged."""

_INFO = re.compile(rb"/Info (\d+) 0 R")
_MEDIA_BOX = re.compile(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]")
_ID = re.compile(rb"/ID \[[^\]]*\]")

_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{description}</rdf:li></rdf:Alt></dc:description>
<xmp:CreatorTool>{program}</xmp:CreatorTool>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>
"""


def pdf_bytes(paint: Callable[[QPainter], None], size: QSize, scale: float, title: str, description: str) -> bytes:
    """Return a PDF of one page of ``scale`` × ``size`` pixels of 1/96 inch, painted in pixels of ``size``."""
    with _fixed_order():
        data, points = _written(paint, size, scale, title, description)
    return with_words(data, points, title, description)


@contextmanager
def _fixed_order() -> Iterator[None]:
    """Let Qt write what it keeps in hash tables, such as its fonts, in one order: else each process has its own."""
    QHashSeed.setDeterministicGlobalSeed()
    try:
        yield
    finally:
        QHashSeed.resetRandomGlobalSeed()


def _written(
    paint: Callable[[QPainter], None], size: QSize, scale: float, title: str, description: str
) -> tuple[bytes, QSizeF]:
    """Return what Qt makes of a picture, and its size in points."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    points = QSizeF(size) * (scale * POINTS_PER_INCH / PIXELS_PER_INCH)
    writer.setResolution(PIXELS_PER_INCH)
    page = QSizeF(math.ceil(points.width()), math.ceil(points.height()))
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "figure", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Point)
    writer.setCreator(PROGRAM)
    words = {"title": title, "description": description, "program": PROGRAM}
    xmp = _XMP.format(**{name: escape(xml_text(it)) for name, it in words.items()})
    writer.setDocumentXmpMetadata(QByteArray(xmp.encode()))
    with _PdfPainter(writer) as painter:
        painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
        painter.scale(scale, scale)
        paint(painter)
    return bytes(buffer.data().data()), points


class _PdfPainter(QPainter):
    """Writes letters that can be searched and copied, and images of cells that stay sharp."""

    def setFont(self, font: QFont | str | Sequence[str]) -> None:
        super().setFont(searchable(QFont(font)))

    def drawImage(  # type: ignore[override]
        self, place: QRectF | QRect | QPointF | QPoint, image: QImage, *more: object
    ) -> None:
        if (
            not self.testRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            and isinstance(place, QRectF)
            and not more
        ):
            times = max(1, -(-ENLARGED_TO // max(image.width(), image.height(), 1)))
            image = image.scaled(image.size() * times, Qt.AspectRatioMode.IgnoreAspectRatio)
        super().drawImage(place, image, *more)


def with_words(data: bytes, points: QSizeF, title: str, subject: str) -> bytes:
    """Return a PDF of Qt's with title and subject, its exact size, and nothing that differs from time to time.

    Qt knows no subject, rounds pages to whole points, and writes the time and an id made up for each file. What tells
    these is written anew, and the table of places after it; the id is made from the content.
    """
    number = int(_INFO.findall(data)[-1])
    table = int(data[data.rindex(b"startxref") + 9 :].split()[0])
    places = _places(data, table)
    start = places[number]
    changes = [(start, data.index(b"endobj", start), _info(number, title, subject))]
    box = _MEDIA_BOX.search(data)
    if box is not None:
        high = float(box[2])  # the picture hangs from the upper edge
        exact = b"/MediaBox [0 %.4f %.4f %.4f]" % (high - points.height(), points.width(), high)
        changes.append((box.start(), box.end(), exact))
    body, places = _changed(data[:table], places, sorted(changes))
    listed = b"".join(b"%010d %05d %s \n" % (p, 0 if i else 65535, b"n" if i else b"f") for i, p in enumerate(places))
    trailer = data[data.index(b"trailer", table) : data.rindex(b"startxref")]
    name = hashlib.md5(body, usedforsecurity=False).hexdigest().encode()
    trailer = _ID.sub(b"/ID [ <%s> <%s> ]" % (name, name), trailer)
    return b"%sxref\n0 %d\n%s%sstartxref\n%d\n%%%%EOF\n" % (body, len(places), listed, trailer, len(body))


def _info(number: int, title: str, subject: str) -> bytes:
    entries = {"Title": title, "Subject": subject, "Creator": PROGRAM, "Producer": PROGRAM}
    lines = b"".join(b"/%s %s\n" % (name.encode(), _text(words)) for name, words in entries.items())
    return b"%d 0 obj\n<<\n%s>>\n" % (number, lines)


def _changed(body: bytes, places: list[int], changes: list[tuple[int, int, bytes]]) -> tuple[bytes, list[int]]:
    """Return a text with some parts replaced, from first to last, and where its objects begin then."""
    pieces, done = [], 0
    for start, end, new in changes:
        pieces += [body[done:start], new]
        done = end
    grown = [(start, len(new) - (end - start)) for start, end, new in changes]
    moved = [place + sum(more for start, more in grown if place > start) for place in places]
    return b"".join([*pieces, body[done:]]), moved


def _places(data: bytes, table: int) -> list[int]:
    """Return where each object of a PDF begins, from its table of places."""
    _, counted, *rest = data[table:].split(b"\n", 2)
    count = int(counted.split()[1])
    return [int(line.split()[0]) for line in rest[0].split(b"\n")[:count]]


def _text(words: str) -> bytes:
    """Return a text as PDF spells it in any script: in UTF-16, as hexadecimal digits, so that none must be escaped."""
    return b"<FEFF%s>" % words.encode("utf-16-be", "replace").hex().upper().encode()
