"""What sessions showed when they were saved, and must show for good: ``python -m tests.kept`` saves what is new.

``tests/data/kept/`` holds sessions: every preset, and states to which somebody clicked and dragged. Beside them lie a
picture of each, and what was in the arrays that it exports. `test_kept.py` opens and draws them all, by the names that
pages and their pictures had when they were saved.

What the pages say in all of these, and in more, is written anew at every run, to ``tests/data/said/``, and what is new
of it is printed (`ui/said.py`).
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

import attention_explorer
from attention_explorer.core.numbers_export import PARAMETERS
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.registry import PAGES, PARTS, ReadyMade, presets_in
from attention_explorer.pages.session_file import SUFFIX, read_session, write_session

FOLDER = Path(__file__).parent / "data" / "kept"
ARRAYS = FOLDER / "arrays.json"
WALKED = "walked"
"""How the names of sessions begin that are no preset; of them every page is looked at."""
COLOURS = 255
"""Of a picture as it is kept: each place has the nearest of those that it needs most. A third of the bytes."""

ROUNDING = re.compile("[0-9](\\.[0-9]+)?·10⁻[¹²³][⁰¹²³⁴-⁹]+")
"""Numbers in texts that are smaller than 10⁻⁹: every processor has others."""


class Described(NamedTuple):
    """What an array holds, in few numbers.

    Attributes
    ----------
    shape : list of int
        Its shape.
    first, second : float
        Of numbers the mean of those that are finite, and of their absolute values. Of text its checksum, and 0.
    """

    shape: list[int]
    first: float
    second: float


Pictures = dict[str, dict[str, Described]]
"""By “page/what”, such as “heads/wall”: the arrays of a picture by their names. Empty: it could not be drawn."""


def presets() -> dict[str, ReadyMade]:
    """Return every preset, by the name of its session."""
    return {f"{page}-{ready.id}": ready for page in PARTS for ready in presets_in(page)}


def sessions() -> list[Path]:
    """Return the sessions that are kept."""
    return sorted(FOLDER.glob(f"*{SUFFIX}"))


def stem(path: Path) -> str:
    """Return the name of a session."""
    return path.name.removesuffix(SUFFIX)


def picture_path(path: Path) -> Path:
    """Return where the picture of a session is."""
    return path.with_name(f"{stem(path)}.png")


def drawn(path: Path) -> Image.Image:
    """Return the picture of a session as it is drawn now."""
    data = attention_explorer.render(path, format="png", size="560px", theme="light", dpi=96)
    return Image.open(io.BytesIO(data)).convert("RGB")


def described(path: Path, picture: str) -> dict[str, Described]:
    """Return what the arrays hold that a picture exports; nothing if it cannot be drawn."""
    page, _, what = picture.partition("/")
    try:
        data = attention_explorer.render(path, page=page, what=what, format="npz")
    except ExplorerError:
        return {}
    with np.load(io.BytesIO(data)) as arrays:
        return {name: _describe(arrays[name]) for name in arrays if name != PARAMETERS}


def _describe(array: npt.NDArray[Any]) -> Described:
    shape = [*array.shape]
    if array.dtype.kind in "US":
        text = ROUNDING.sub("rounding", "\n".join(map(str, array.ravel())))
        return Described(shape, zlib.crc32(text.encode()), 0)
    finite = array[np.isfinite(array)].astype(np.float64)
    shares = finite / max(finite.size, 1)  # the sum of all may be too large for a float
    return Described(shape, float(f"{shares.sum():.7g}"), float(f"{np.abs(shares).sum():.7g}"))


def read_arrays() -> dict[str, Pictures]:
    """Return what is kept of the arrays, by the names of sessions."""
    stored = json.loads(ARRAYS.read_text()) if ARRAYS.exists() else {}
    return {
        session: {
            picture: {name: Described(*told) for name, told in arrays.items()} for picture, arrays in pictures.items()
        }
        for session, pictures in stored.items()
    }


def main() -> None:
    """Save presets that are new, and draw sessions without a picture: new ones, and those that are to look otherwise.

    The picture of such a one is deleted first.
    """
    for name, ready in presets().items():
        if not (path := FOLDER / f"{name}{SUFFIX}").exists():
            write_session(path, ready.state, page=ready.page)
    kept = read_arrays()
    for path in sessions():
        if stem(path) in kept and picture_path(path).exists():
            continue
        drawn(path).quantize(COLOURS, dither=Image.Dither.NONE).save(picture_path(path), optimize=True)
        shown = [page for page in PAGES if page.id == read_session(path).page or path.name.startswith(WALKED)]
        now = [f"{page.id}/{what}" for page in shown for what in page.figures]
        # By the names that pages had when it was saved, also where the picture is drawn anew.
        kept[stem(path)] = {picture: described(path, picture) for picture in kept.get(stem(path), now)}
        sys.stdout.write(f"{path.name}\n")
    lines = (f"{json.dumps(session)}: {json.dumps(kept[session])}" for session in sorted(kept))
    ARRAYS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    _approve_what_is_said()


def _approve_what_is_said() -> None:
    """Write what the pages say in all of these; it is read in a window."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "ui")]
    from said import approve

    approve()


if __name__ == "__main__":
    main()
