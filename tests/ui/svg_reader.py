"""Reads the texts of an SVG, also with the places they take: as boxes that may be turned."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPolygonF, QTransform

from attention_explorer.kit.theme import LIGHT, Look

SVG = "{http://www.w3.org/2000/svg}"


def texts_in(data: bytes) -> list[str]:
    """Return each text of a drawing, with plain spaces."""
    texts = ("".join(element.itertext()) for element in ET.fromstring(data).iter(f"{SVG}text"))  # noqa: S314
    return [text.replace("\N{NO-BREAK SPACE}", " ").strip() for text in texts]


def text_places(data: bytes) -> list[tuple[str, QPolygonF]]:
    """Return each text with the box of its letters, baseline to the height of an x, in pixels of the figure."""
    found = []
    for group in ET.fromstring(data).iter(f"{SVG}g"):  # noqa: S314  # our own output
        matrix = re.fullmatch(r"matrix\((.*)\)", group.get("transform", "matrix(1,0,0,1,0,0)"))
        turned = QTransform(*(float(number) for number in matrix[1].split(",")))
        for element in group.findall(f"{SVG}text"):
            text = "".join(element.itertext()).strip()
            font = Look(LIGHT).font(float(element.get("font-size")), bold=element.get("font-weight") != "400")
            metrics = QFontMetricsF(font)
            x, y = float(element.get("x")), float(element.get("y"))
            box = QRectF(x, y - metrics.xHeight(), metrics.horizontalAdvance(text), metrics.xHeight())
            if text:
                found.append((text, turned.map(QPolygonF(box))))
    return found


def overlaps(places: list[tuple[str, QPolygonF]]) -> list[tuple[str, str]]:
    """Return the pairs of texts that lie on each other."""
    pairs = []
    for index, (text, place) in enumerate(places):
        bounds = place.boundingRect().adjusted(0.3, 0.3, -0.3, -0.3)
        for other, elsewhere in places[index + 1 :]:
            if not bounds.intersects(elsewhere.boundingRect()):
                continue
            if _area(place.intersected(elsewhere)) > 1.0:
                pairs.append((text, other))
    return pairs


def _area(polygon: QPolygonF) -> float:
    points = [(point.x(), point.y()) for point in polygon.toList()]
    ahead = [*points[1:], *points[:1]]
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(points, ahead, strict=True))) / 2
