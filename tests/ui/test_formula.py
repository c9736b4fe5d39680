"""Formulas: what is refused and why, where each part stands, what is pointed at, and what is said and copied."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QRawFont,
)
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from svg_reader import text_places

from attention_explorer.core.formula_text import ROLES, SIGNS, read_formula
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.formula_label import FormulaLabel
from attention_explorer.kit.drawing.colour_maps import TEXT_CONTRAST, contrast
from attention_explorer.kit.drawing.marks import outline_of
from attention_explorer.kit.export.svg_file import pdf_bytes, svg_bytes
from attention_explorer.kit.formula import (
    LIT_OPACITY,
    SMALLEST,
    FormulaLayout,
    Letters,
    Line,
    Place,
    ink_of_part,
    layout,
    leaning,
)
from attention_explorer.kit.theme import DARK, LIGHT, THEMES, Look

ATTENTION = "α_{i j} = softmax({[q:query]{q_i} · [k:key]{k_j}}/{√[d]{d_k}}) [v:value]{v_j}"
TRANSFORMER = (
    ATTENTION,
    "Attention(Q, K, V) = softmax({Q Kᵀ}/{√d_k}) V",
    "α_i = {exp([q:query]{q} · [k:key]{k_i} / T)}/{Σ_{j = 1}^n exp([q:query]{q} · [k:key]{k_j} / T)}",
    "LayerNorm(x) = γ {x − μ}/{√{σ² + ε}} + β",
    "RMSNorm(x) = γ {x}/{√{{1}/{d} Σ_i x_i² + ε}}",
    "x ← x + Attention(LayerNorm(x))",
    "FFN(x) = GELU(x W_1 + b_1) W_2 + b_2",
    "PE(pos, 2 i) = sin({pos}/{10 000^{2 i/d}})",
    "[L:loss]{L} = −{1}/{n} Σ_{t = 1}^n log p_{t, y_t}",
    "4·n²·d + 8·n·d² = 4·4 608²·768 + 8·4 608·768²",
    "cos(θ) = {[q:query]{q} · [k:key]{k}}/{‖[q:query]{q}‖ ‖[k:key]{k}‖}",
)


def laid_out(source: str, size: float = 22.0, look: Look = Look(LIGHT)) -> FormulaLayout:
    return layout(read_formula(source), look, size)


def letters(drawn: FormulaLayout, text: str) -> Letters:
    return next(piece for piece in drawn.pieces if isinstance(piece, Letters) and piece.text == text)


def line(drawn: FormulaLayout, points: int) -> Line:
    """Return the first bar (of two points) or root."""
    return next(p for p in drawn.pieces if isinstance(p, Line) and (len(p.points) > 2) == (points > 2))


# ---- What is read ----


@pytest.mark.parametrize(
    ("source", "place", "said"),
    [
        ("  ", 1, "it is empty"),
        ("a + {b", 7, "“{” of character 5 is not closed by “}”"),
        ("softmax(x", 10, "“(” of character 8 is not closed by “)”"),
        ("a)", 2, "“)” closes nothing"),
        ("x^", 2, "nothing follows “^”"),
        ("(x_)", 3, "nothing follows “_”"),
        ("^2", 1, "nothing stands before “^”"),
        ("²", 1, "nothing stands before “²”"),
        ("x_1_2", 4, "a second “_”"),
        ("{a}/b", 5, "braces on both sides, as in {a}/{b}"),
        ("x + {}", 5, "nothing between the braces"),
        ("√", 2, "something is missing"),
        ("[q:quary]{q}", 4, "“quary” is no role. Did you mean “query”?"),
        (r"\alpha", 1, r"there is no sign “\”"),
        ('for "all', 5, "the quotation mark has no second one"),
        ("(" * 30, 20, "more than 20 parts"),
    ],
)
def test_a_mistake_is_told_with_its_place(source, place, said):
    with pytest.raises(ExplorerError) as error:
        read_formula(source)
    assert f"at character {place}: " in str(error.value)
    assert said in str(error.value)
    assert str(error.value).endswith((".", "?"))


def test_the_font_of_the_program_has_every_sign_that_can_be_written(qapp):
    font = QRawFont.fromFont(Look().font(20))
    assert not [sign for sign in (*SIGNS, *"√()[]|‖\N{THIN SPACE}") if not font.supportsCharacter(ord(sign))]


@pytest.mark.parametrize(
    ("source", "text", "words"),
    [
        (
            "α = softmax({q·k}/{√d_k})",
            "α = softmax((q·k)/√d_k)",
            "alpha equals softmax of q dot k over square root of d_k",
        ),
        (
            TRANSFORMER[3],
            "LayerNorm(x) = γ(x − μ)/√(σ² + ε) + β",
            "LayerNorm of x, equals gamma the fraction with x minus mu above and square root of sigma squared plus "
            "epsilon, below, plus beta",
        ),
        (
            TRANSFORMER[8],
            "L = −1/n Σ_(t = 1)^n log p_(t, y_t)",
            "L equals minus 1 over n the sum from t equals 1 to n of log p sub t, y_t",
        ),
        ("10 000^{2 i/d}", "10 000^(2i/d)", "10 000 to the power of 2 i over d"),
        ("max_j |x_j| ≤ x^{-1}", "max_j |x_j| ≤ x⁻¹", "max over j of the absolute value of x_j, is at most x to the "
         "power of minus 1"),
        ('[K:key]{K}ᵀ "for each head"', "Kᵀ for each head", "K transposed for each head"),
    ],
)  # fmt: skip
def test_a_formula_is_one_line_of_text_and_a_sentence(qapp, source, text, words):
    assert laid_out(source).plain() == text
    assert laid_out(source).spoken() == words


# ---- Where it stands ----


def ink(piece: Letters | Line) -> QPainterPath:
    """Return the outline of what is drawn."""
    if isinstance(piece, Letters):
        outline = outline_of(piece.text, Look(LIGHT).font(piece.size), QPointF())
        return leaning(piece.slanted, piece.tall).map(outline).translated(piece.at)
    path = QPainterPath(piece.points[0])
    for point in piece.points[1:]:
        path.lineTo(point)
    stroker = QPainterPathStroker()
    stroker.setWidth(piece.width)
    stroker.setCapStyle(Qt.PenCapStyle.FlatCap)
    return stroker.createStroke(path).translated(piece.at)


@pytest.mark.parametrize("size", [13.0, 15.0, 22.0, 40.0])
@pytest.mark.parametrize("source", TRANSFORMER)
def test_nothing_lies_on_anything_else_or_outside(qapp, source, size):
    drawn = laid_out(source, size)
    inks = [(piece, ink(piece)) for piece in drawn.pieces if isinstance(piece, Letters | Line)]
    assert not [(one, other) for (one, a), (other, b) in combinations(inks, 2) if a.intersects(b)]
    for _, path in inks:
        box = path.boundingRect()
        assert box.left() > -1
        assert box.right() < drawn.width + 1
        assert box.top() > -drawn.ascent - 1
        assert box.bottom() < drawn.descent + 1


def test_the_bar_of_a_fraction_is_between_its_parts_and_as_wide_as_the_wider(qapp):
    drawn = laid_out("{a}/{b + c}")
    bar = line(drawn, 2)
    assert letters(drawn, "a").covers.bottom() < bar.covers.top()
    assert bar.covers.bottom() < letters(drawn, "b").covers.top()
    row = laid_out("b + c")
    assert bar.covers.width() == pytest.approx(row.width)
    over = letters(drawn, "a")
    assert bar.covers.center().x() == pytest.approx(over.at.x() + laid_out("a").width / 2)


@pytest.mark.parametrize("size", [13.0, 15.0, 18.0, 22.0])
def test_a_bar_stands_at_the_height_of_a_minus_on_whole_pixels(qapp, size):
    drawn = laid_out("− {a}/{b}", size)
    bar = line(drawn, 2).covers
    assert bar.center().y() == pytest.approx(letters(drawn, "−").covers.center().y(), abs=1)
    assert bar.top() == round(bar.top())


def test_an_index_is_below_the_baseline_an_exponent_above_and_both_are_smaller(qapp):
    drawn = laid_out("x_i^n", 20)
    base, below, above = (letters(drawn, text) for text in "xin")
    assert below.covers.bottom() > base.covers.bottom()
    assert above.covers.top() < base.covers.top()
    assert above.covers.bottom() < below.covers.top()
    assert below.size == above.size == 14
    assert min(below.covers.left(), above.covers.left()) >= base.covers.right() - 1


def test_a_root_covers_what_is_in_it(qapp):
    drawn = laid_out("√{d_k + 1} x")
    root = line(drawn, 5)
    points = [point + root.at for point in root.points]
    bar_left, bar_right = (point.x() for point in points[-2:])
    assert bar_left < letters(drawn, "d").covers.left()
    assert letters(drawn, "1").covers.right() < bar_right < letters(drawn, "x").covers.left()
    assert points[-1].y() < min(letters(drawn, text).covers.top() for text in "dk1")
    assert max(point.y() for point in points) >= letters(drawn, "k").covers.bottom() - 0.5


def test_parentheses_grow_with_a_fraction_and_not_with_an_index(qapp):
    plain, tall = laid_out("(x_i)"), laid_out("({a}/{b_i})")
    assert letters(plain, "(").tall == letters(plain, ")").tall == 1
    for side in "()":
        box = letters(tall, side).covers
        assert box.top() <= letters(tall, "a").covers.top()
        assert box.bottom() >= letters(tall, "i").covers.bottom() - 0.5
    assert letters(tall, "(").covers.right() < line(tall, 2).covers.left()
    assert letters(tall, ")").covers.left() > line(tall, 2).covers.right()


def test_limits_of_a_sum_are_below_and_above_it(qapp):
    drawn = laid_out("Σ_i^n x")
    total, below, above = (letters(drawn, text).covers for text in "Σin")
    assert above.bottom() < total.top()
    assert total.bottom() < below.top()
    assert below.center().x() == pytest.approx(total.center().x(), abs=2)


def test_letters_lean_words_do_not(qapp):
    pieces = [piece for piece in laid_out("softmax(x) + 4 608 γ").pieces if isinstance(piece, Letters)]
    assert [piece.text for piece in pieces if piece.slanted] == ["x", "γ"]
    assert "4\N{THIN SPACE}608" in [piece.text for piece in pieces]


def test_a_formula_too_wide_for_its_room_is_smaller_but_can_be_read(qapp):
    formula, look = read_formula(ATTENTION), Look(LIGHT)
    whole = layout(formula, look, 22)
    fitted = layout(formula, look, 22, whole.width * 0.8)
    assert fitted.width <= whole.width * 0.8
    assert SMALLEST < fitted.size < 22
    assert layout(formula, look, 22, 10).size == SMALLEST


# ---- Colours and files ----


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("role", ["", *ROLES])
def test_every_ink_can_be_read_also_where_it_is_lit(theme, role):
    top = QColor(ink_of_part(theme, role))
    for ground in map(QColor, (theme.card, theme.window, theme.plane, theme.note)):
        pairs = (top.redF(), ground.redF()), (top.greenF(), ground.greenF()), (top.blueF(), ground.blueF())
        lit = QColor.fromRgbF(*(LIT_OPACITY * over + (1 - LIT_OPACITY) * under for over, under in pairs))
        assert contrast(top, ground) >= TEXT_CONTRAST
        assert contrast(top, lit) >= TEXT_CONTRAST


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_marked_symbol_has_the_ink_of_its_role(qapp, theme):
    drawn = laid_out("[q:query]{q} k", 40, Look(theme))
    image = QImage(100, 60, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.card))
    with QPainter(image) as painter:
        drawn.paint(painter, QPointF(5, 45))
    seen = {image.pixelColor(x, y).name() for x in range(100) for y in range(60)}
    assert {theme.query_ink, theme.text} <= seen


def test_a_drawing_holds_real_text_and_no_image(qapp):
    drawn = laid_out(ATTENTION)
    size = QSize(math.ceil(drawn.width) + 20, math.ceil(drawn.ascent + drawn.descent) + 20)

    def paint(painter):
        drawn.paint(painter, QPointF(10, 10 + drawn.ascent), {"q"})

    data = svg_bytes(paint, size, 1.0, "Attention", "")
    assert b"<image" not in data
    texts = [text for text, _ in text_places(data)]
    assert sorted(texts) == sorted(piece.text for piece in drawn.pieces if isinstance(piece, Letters))
    assert b"/Subtype /Image" not in pdf_bytes(paint, size, 1.0, "Attention", "")


# ---- The label ----


@pytest.fixture
def label(qtbot) -> FormulaLabel:
    label = FormulaLabel(Look(LIGHT), read_formula(ATTENTION), 22)
    qtbot.addWidget(label)
    label.resize(label.sizeHint())
    label.show()
    qtbot.waitExposed(label)
    return label


@pytest.fixture
def pointed(label) -> list[str]:
    """The names that the label has told so far."""
    names: list[str] = []
    label.pointed.connect(names.append)
    return names


def place_of(label: FormulaLabel, text: str) -> QPointF:
    return letters(label.laid_out, text).covers.center() + label.origin


def test_the_pointer_on_a_symbol_gives_its_name(label, hand, pointed):
    mouse = hand(label)
    for text in ("q", "k", "d", "softmax", "v"):
        mouse.move(place_of(label, text))
    assert pointed == ["q", "k", "d", "", "v"]


def test_the_pointer_leaves(label, hand, qtbot, pointed):
    hand(label).move(place_of(label, "q"))
    QApplication.sendEvent(label, QEvent(QEvent.Type.Leave))
    assert pointed == ["q", ""]


def test_the_innermost_mark_answers(qapp):
    drawn = laid_out("[score]{[q:query]{q} · [k:key]{k}} + 1")
    at = {text: drawn.at(letters(drawn, text).covers.center()) for text in "q·k1"}
    assert at == {"q": "q", "·": "score", "k": "k", "1": ""}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_what_is_lit_has_a_ground_with_an_edge(label, theme):
    label.set_look(Look(theme))
    box = next(p for p in label.laid_out.pieces if isinstance(p, Place) and p.name == "q").ground(Look(theme))
    before = label.grab().toImage()
    label.light(["q"])
    after = label.grab().toImage()
    corner = (label.origin + QPointF(box.center().x(), box.bottom() - 1.5)).toPoint()
    assert before.pixelColor(corner) != after.pixelColor(corner)
    elsewhere = (place_of(label, "v") + QPointF(0, 12)).toPoint()
    assert before.pixelColor(elsewhere) == after.pixelColor(elsewhere)
    label.light([])
    assert label.grab().toImage() == before


def test_arrow_keys_walk_the_symbols(qtbot, label, pointed):
    label.setFocus(Qt.FocusReason.TabFocusReason)
    keys = Qt.Key
    for key in (
        keys.Key_Right,
        keys.Key_Right,
        keys.Key_Left,
        keys.Key_Left,
        keys.Key_Down,
        keys.Key_Escape,
        keys.Key_Up,
    ):
        qtbot.keyClick(label, key)
    assert pointed == ["q", "k", "q", "k", "", "v"]


def test_ctrl_c_copies_it_as_a_line(qtbot, label):
    qtbot.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "α_(ij) = softmax((q_i·k_j)/√d_k) v_j"


def test_another_formula_ends_what_was_pointed_at(label, hand, pointed):
    hand(label).move(place_of(label, "q"))
    label.show_formula(read_formula("x + 1"))
    assert pointed == ["q", ""]
    assert label.focusPolicy() is Qt.FocusPolicy.NoFocus
    assert label.spoken() == "x plus 1"


def test_a_narrow_label_draws_it_smaller(qtbot):
    whole = QWidget()
    qtbot.addWidget(whole)
    column = QVBoxLayout(whole)
    label = FormulaLabel(Look(LIGHT), read_formula(ATTENTION), 22)
    column.addWidget(label)
    whole.resize(label.minimumSizeHint().width() + 40, 120)
    whole.show()
    qtbot.waitExposed(whole)
    assert SMALLEST <= label.laid_out.size < 22
    assert label.laid_out.width <= label.width()
    assert label.height() >= label.laid_out.ascent + label.laid_out.descent
