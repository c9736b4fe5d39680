"""Reads the texts of a PDF file of one page as any reader would: by the tables that the file brings along."""

from __future__ import annotations

import re
import zlib


def pdf_runs(data: bytes) -> list[tuple[str, tuple[float, ...]]]:
    """Return each text, spaces as they come, with (cos, sin) of the angle it is drawn at."""
    bodies = {int(number): body for number, body in re.findall(rb"\n(\d+) 0 obj\n(.*?)\nendobj", data, re.DOTALL)}
    letters = _letters(bodies)
    page = int(re.search(rb"/Contents (\d+) 0 R", data)[1])
    content = zlib.decompress(bodies[page].split(b"\nstream\n", 1)[1].rsplit(b"endstream", 1)[0])
    runs, matrix = [], ()
    for run in re.findall(rb"[^\n]* cm\n|^BT\n.*?^ET\n", content, re.DOTALL | re.MULTILINE):
        if run.endswith(b" cm\n"):
            matrix = tuple(float(number) for number in run.split()[:2])
            continue
        font = int(re.search(rb"/F(\d+) ", run)[1])
        codes = [int(code, 16) for code in re.findall(rb"<(\w+)> Tj", run)]
        runs.append(("".join(letters[font, code] for code in codes), matrix))
    return runs


def _letters(bodies: dict[int, bytes]) -> dict[tuple[int, int], str]:
    """Return the letter of each code of each font."""
    letters = {}
    for font, body in bodies.items():
        if found := re.search(rb"/ToUnicode (\d+) 0 R", body):
            table = bodies[int(found[1])].split(b"beginbfrange\n")[1].split(b"endbfrange")[0]
            for start, end, listed in re.findall(rb"<(\w+)> <(\w+)> (<\w+>|\[.*?\])\n", table, re.DOTALL):
                units = [bytes.fromhex(unit.decode()).decode("utf-16-be") for unit in re.findall(rb"<(\w+)>", listed)]
                for place, code in enumerate(range(int(start, 16), int(end, 16) + 1)):
                    # A range of codes goes on from one letter, or has a list of letters.
                    letters[font, code] = chr(ord(units[0]) + place) if len(units) == 1 else units[place]
    return letters
