"""What a model keeps as squares: dragged by the corner, walked by keys, true to scale at every size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of, panel_words
from PySide6.QtCore import QPointF, QRectF, Qt

from attention_explorer.kit.theme import DARK, Look
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.ui.cost import AMOUNTS, LAYER, TERMS, Cost
from attention_explorer.pages.preset_lists import preset_list

COST_PRESETS = preset_list("cost")

COST = Cost()
EXTREMES = (
    CostState(n=1),
    CostState(n=2**24),
    CostState(1, 1, 1, 1, 1),
    CostState(2**24, 131072, 1024, 2**20, 1000),
    CostState(1, 131072, 1, 2**20, 1000),
    CostState(windowed=True, window=1),
    CostState(windowed=True, window=1500),
)


@pytest.fixture
def shown(qtbot, hand) -> Callable[..., PictureOnCanvas]:
    return lambda state=None: PictureOnCanvas(qtbot, hand, COST, state or CostState())


def test_areas_are_bytes_at_one_scale(shown) -> None:
    at = shown()
    layout = at.laid.layout
    areas = [box.width() ** 2 * layout.scale / 2**20 for box in (*layout.now, *layout.doubled)]
    assert areas == pytest.approx([576, 324, 72, 4 * 576, 324, 2 * 72])
    assert {"576 MiB", "2.25 GiB", "324 MiB", "72 MiB"} <= set(at.texts())


def test_the_corner_stays_under_the_pointer_while_it_is_dragged(shown) -> None:
    at = shown()
    layout = at.laid.layout
    start, scale = layout.corner, layout.scale
    there = layout.region.topLeft() + (start - layout.region.topLeft()) * 2
    at.mouse.press(start)
    at.mouse.move(there)
    assert at.state.n == 2048
    assert at.laid.layout.scale == scale
    assert at.laid.layout.corner == there
    at.mouse.move(start)
    assert at.state.n == 1024
    at.mouse.move(there)
    at.mouse.release()
    assert at.laid.layout.scale > scale  # now that it is let go, 4096 has room too
    assert at.labels[-1] == "Change n to 2048"


def test_keys_double_and_halve_and_the_dashed_square_doubles(shown) -> None:
    at = shown(CostState(n=2))
    for key, n in ((Qt.Key.Key_Left, 1), (Qt.Key.Key_Left, 1), (Qt.Key.Key_Right, 2), (Qt.Key.Key_Right, 4)):
        at.key(key)
        assert at.state.n == n
    at = shown()
    at.click(at.laid.layout.doubled[0].bottomRight() - QPointF(5, 5))
    assert at.state.n == 2048
    at.click(at.laid.layout.now[0].center())
    assert at.state.n == 2048


def test_everything_says_its_arithmetic(shown) -> None:
    at = shown()
    now, then = at.laid.layout.now, at.laid.layout.doubled
    side = now[0].width() / 12
    said = at.point_at(now[0].topLeft() + QPointF(4.5 * side, 2.5 * side))
    assert said.startswith("Layer 3, head 5: 4 MiB. Whole model: L·h·n² = 12 · 12 · 1024² = 150 994 944 numbers · 4")
    assert "= 576 MiB; × 4 on doubling n" in at.point_at(then[0].bottomRight() - QPointF(3, 3))
    assert at.point_at(now[1].center()).startswith("all W, model: L·(4·d² + 2·d·d_ff) = 12 · (4 · 768²")
    assert at.point_at(now[2].center()).startswith("KV cache, model: L·2·n·d = 12 · 2 · 1024 · 768")
    numbers = at.canvas.picture
    first = panel_words(COST, numbers, LAYER, (0, 0))
    assert first.startswith("Q, K, V = X·W: 3 × (n, d) · (d, d), 6·n·d²")
    assert panel_words(COST, numbers, LAYER, (0, 3)).startswith("scores Q·Kᵀ: ")
    assert panel_words(COST, numbers, TERMS, 4).startswith("feed-forward: ")
    assert "2.3636" in " ".join(COST.says(numbers))
    assert "576" in at.item.spoken()


def test_the_tables_have_the_arithmetic_of_everything() -> None:
    n, d, heads, d_ff, layers = 2048, 512, 8, 2048, 6
    terms, amounts = COST.table(COST.compute(CostState(n, d, heads, d_ff, layers), (0, 0))).items
    operations = [2 * n**2 * d, 2 * n**2 * d, 6 * n * d**2, 2 * n * d**2, 4 * n * d * d_ff]
    rows = [tuple(cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row) for row in (*terms.rows, *amounts.rows)]
    shares = [float(row[4].removesuffix(" %")) for row in rows[:5]]
    assert shares == pytest.approx([100 * each / sum(operations) for each in operations], abs=0.06)
    assert [row[-1] for row in rows] == ["× 4"] * 2 + ["× 2"] * 3 + ["× 4"] * 3 + ["× 2", "× 1"]
    kept = [n**2, heads * n**2, layers * heads * n**2, layers * 2 * n * d, layers * (4 * d**2 + 2 * d * d_ff)]
    assert [int(row[2].replace(" ", "")) for row in rows[5:]] == kept
    mebibytes = [float(row[3].split()[0]) * {"MiB": 1, "GiB": 1024}[row[3].split()[1]] for row in rows[5:]]
    assert mebibytes == pytest.approx([4 * count / 2**20 for count in kept], rel=1e-2)
    assert {row[1] for row in rows} >= {"2·n²·d", "6·n·d²", "L·h·n²", "L·2·n·d", "L·(4·d² + 2·d·d_ff)"}


def test_fewer_heads_leave_nothing_lit_that_is_gone(shown) -> None:
    at = shown()
    now = at.laid.layout.now[0]
    at.point_at(now.bottomRight() - QPointF(30, 30))
    at.state = replace(at.state, heads=1, layers=1)
    at.show()
    at.canvas.grab()
    assert "layer 12" not in at.said.lower()


@pytest.mark.parametrize("state", [*(ready.state for ready in COST_PRESETS), *EXTREMES])
@pytest.mark.parametrize("size", [(800, 540), (640, 500), (360, 560)])
def test_every_size_has_room_without_overlap(qapp, state, size) -> None:
    numbers = COST.compute(state, (0, 0))
    assert faults_of(drawing_of(COST, numbers, size), size) == []
    layout = COST.item(numbers).layout(Look(DARK), QRectF(0, 0, *size))
    assert all(QRectF(0, 0, *size).contains(box) for box in layout.doubled)
    assert len(COST.headline(numbers).split()) <= 10
    panel = COST.panel(numbers)
    assert len(f"{COST.headline(numbers)} {panel.title} {panel.sentence}".split()) <= 50


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (CostState(), "At n = 4608 both cost the same. Beyond that"),
        (CostState(d_ff=100), "At n = 1636 both cost the same."),
        (CostState(windowed=True, window=4608), "only beyond 4608 keys. The window has 4608."),
        (CostState(windowed=True, window=4609), "At n = 4608 both cost the same. Beyond that"),
    ],
)
def test_where_both_parts_are_equal_is_true_of_every_state(state, said) -> None:
    assert said in COST.panel(COST.compute(state, (0, 0))).sentence


def test_nothing_tells_the_answer_while_it_is_asked_for(shown) -> None:
    at = shown()
    at.canvas.withhold(True)
    assert at.texts() == [AMOUNTS, "?"]
    assert at.canvas.spoken() == "Hidden until you answer: Bytes that the model keeps."
    at.key(Qt.Key.Key_Right)
    assert at.state.n == 1024
