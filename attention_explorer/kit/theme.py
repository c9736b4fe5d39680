"""Colours and sizes. A colour means the same thing on every page, in every picture and in every sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette

from attention_explorer.core import files
from attention_explorer.core.role import Role

FONT_FAMILY = "Inter"
_FONT_FILES = ("fonts/Inter-Regular.otf", "fonts/Inter-SemiBold.otf")


@dataclass(frozen=True, slots=True)
class Theme:
    """A set of colours, as #rrggbb.

    Query, key, value and output follow Okabe and Ito (2008), who chose them to be told apart with every kind of colour
    vision. A darker orange would look like the vermillion of the query to many: where it lies on white, it has an edge
    in the colour of its ink. The ``*_ink`` variants are the same hues with enough contrast for text on every ground
    (WCAG AA, 4.5 : 1).
    """

    name: str
    window: str
    rail: str
    card: str
    plane: str
    border: str
    text: str
    muted: str
    grid: str
    axis: str
    track: str
    query: str
    key: str
    value: str
    output: str
    loss: str
    query_ink: str
    key_ink: str
    value_ink: str
    output_ink: str
    loss_ink: str
    masked: str
    masked_line: str
    note: str
    note_border: str
    strong: str
    strong_text: str
    focus: str
    focus_on_strong: str
    tints: tuple[str, ...]

    def of_role(self, role: Role) -> str:
        """Return the colour of a query, key, value or target."""
        return {
            Role.QUERY: self.query,
            Role.KEY: self.key,
            Role.VALUE: self.value,
            Role.TARGET: self.loss,
        }[role]

    def ink_of_role(self, role: Role) -> str:
        """Return the colour of text about a query, key, value or target."""
        return {
            Role.QUERY: self.query_ink,
            Role.KEY: self.key_ink,
            Role.VALUE: self.value_ink,
            Role.TARGET: self.loss_ink,
        }[role]


LIGHT = Theme(
    name="light",
    window="#f6f7f9",
    rail="#eceef2",
    card="#ffffff",
    plane="#ffffff",
    border="#d9dde4",
    text="#1d2127",
    muted="#59616d",
    grid="#e3e7ec",
    axis="#858e9a",
    track="#e6e9ee",
    query="#d55e00",
    key="#0072b2",
    value="#009e73",
    output="#e69f00",
    loss="#b0508a",
    query_ink="#a04700",
    key_ink="#00659f",
    value_ink="#006f53",
    output_ink="#835800",
    loss_ink="#9a4177",
    masked="#e6e9ed",
    masked_line="#bcc3cc",
    note="#fff8ea",
    note_border="#f0dfb8",
    strong="#22262c",
    strong_text="#ffffff",
    focus="#0072b2",
    focus_on_strong="#6cb9ec",
    # Pale, so that every ink stays readable on them; neighbours in this list differ in lightness as well as in hue.
    tints=(
        "#d4e6f4",
        "#f5eedb",
        "#dcefe0",
        "#ecdcf0",
        "#fbe0d6",
        "#e2e5ea",
        "#cfeaea",
        "#f6e3ea",
        "#e9efcf",
        "#d9dcf2",
        "#f3e2cc",
        "#e6ecf2",
        "#e3e1dd",
    ),
)

DARK = Theme(
    name="dark",
    window="#16181c",
    rail="#101215",
    card="#1f2227",
    plane="#1a1d21",
    border="#363b43",
    text="#eceef1",
    muted="#a3abb7",
    grid="#2b3037",
    axis="#6b7480",
    track="#31363e",
    query="#ff7a1f",
    key="#46a3e0",
    value="#22c08f",
    output="#f0e442",
    loss="#dd86b6",
    query_ink="#ff9a52",
    key_ink="#6cb9ec",
    value_ink="#3fd0a2",
    output_ink="#f0e442",
    loss_ink="#e79fc6",
    masked="#3a4048",
    masked_line="#6a727e",
    note="#2b2718",
    note_border="#4d4526",
    strong="#eceef1",
    strong_text="#16181c",
    focus="#6cb9ec",
    focus_on_strong="#0072b2",
    tints=(
        "#1c3446",
        "#3b3421",
        "#203b2b",
        "#37263d",
        "#452a22",
        "#33373e",
        "#1b3d3f",
        "#43263a",
        "#363c1c",
        "#292e4b",
        "#43311f",
        "#2b333c",
        "#302f2d",
    ),
)

THEMES = (LIGHT, DARK)

PRINT = replace(LIGHT, name="print", window="#ffffff", text="#000000", muted="#30353c", axis="#7a828d")
"""For paper: black words; all other colours as on a light screen, for they mean the same."""


LARGEST_ON_PAPER = 17.0
"""Pixels at zoom 1 of the largest letters in a figure."""


@dataclass(frozen=True, slots=True)
class Look:
    """A theme at a size: what anything that draws needs to know.

    The rest is for figures: whether the names of axes, the tokens beside maps and lines, and colour bars are drawn, and
    from how many cells on a map goes into a drawing as one image: nobody edits so many one by one, and files stay
    small. What is ``still`` can neither be pointed at nor dragged: it shows some of the labels where there is no room
    for all, and speaks of no mouse.
    """

    theme: Theme = LIGHT
    zoom: float = 1.0
    axis_names: bool = True
    token_labels: bool = True
    colour_bars: bool = True
    most_rectangles: int = 150 * 150
    still: bool = False

    def px(self, size: float) -> int:
        """Return a length in pixels at this zoom, at least 1."""
        return max(1, round(size * self.zoom))

    def font(self, size: float = 13.0, *, bold: bool = False) -> QFont:
        """Return the interface font with digits of equal width; ``size`` in pixels at zoom 1. Do not alter it.

        What is still has no larger letters than a journal takes, about 10 points.
        """
        return _font(round((min(size, LARGEST_ON_PAPER) if self.still else size) * self.zoom), bold)


@lru_cache(maxsize=64)
def _font(pixels: int, bold: bool) -> QFont:
    font = QFont(FONT_FAMILY)
    font.setPixelSize(max(1, pixels))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def load_fonts() -> None:
    """Register the bundled font, so that every machine shows the same letters, also one without any.

    Raises
    ------
    ExplorerError
        A file of it is missing or damaged.
    """
    for name in _FONT_FILES:
        if QFontDatabase.addApplicationFont(files.path(name)) < 0:
            files.read_bytes(name)  # says so if it is missing
            raise files.damaged(name)


def palette(theme: Theme) -> QPalette:
    """Return Qt's palette for a theme, for the widgets that Qt draws itself."""
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.card,
        QPalette.ColorRole.AlternateBase: theme.window,
        QPalette.ColorRole.ToolTipBase: theme.card,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.muted,
        QPalette.ColorRole.Button: theme.card,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.Highlight: theme.focus,
        QPalette.ColorRole.HighlightedText: theme.card,
        QPalette.ColorRole.Accent: theme.focus,
        QPalette.ColorRole.Link: theme.key_ink,
        QPalette.ColorRole.Light: theme.card,
        QPalette.ColorRole.Midlight: theme.window,
        QPalette.ColorRole.Mid: theme.border,
        QPalette.ColorRole.Dark: theme.axis,
        QPalette.ColorRole.Shadow: theme.axis,
    }
    result = QPalette()
    for role, colour in roles.items():
        result.setColor(role, QColor(colour))
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(colour))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.axis))
    return result


def stylesheet(look: Look) -> str:
    """Return the style sheet for a look: only what Fusion does not do by itself."""
    t, px = look.theme, look.px
    handle = px(4) + 2 * px(6)  # groove and margins: with a radius above half of its height it would be a square
    wider = px(2) - 1  # the frame of what has the keyboard, taken from its padding: nothing moves or is cut
    return f"""
* {{ font-family: "{FONT_FAMILY}"; font-size: {px(13)}px; }}
QMainWindow, QDialog, #page, #panel {{ background: {t.window}; }}
QMenuBar {{ background: {t.rail}; padding: {px(1)}px {px(4)}px; }}
QMenuBar::item {{ padding: {px(4)}px {px(9)}px; border-radius: {px(5)}px; background: transparent; }}
QMenuBar::item:selected {{ background: {t.card}; }}
QMenu {{ background: {t.card}; border: 1px solid {t.border}; padding: {px(4)}px; }}
QMenu::item {{ padding: {px(5)}px {px(24)}px; border-radius: {px(4)}px; }}
QMenu::item:selected {{ background: {t.track}; color: {t.text}; }}
QMenu::item:disabled {{ color: {t.axis}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: {px(4)}px {px(8)}px; }}
QToolTip {{ background: {t.card}; color: {t.text}; border: 1px solid {t.border}; padding: {px(5)}px; }}
QStatusBar {{ background: {t.rail}; color: {t.muted}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {t.muted}; padding: 0 {px(8)}px; }}
#rail {{ background: {t.rail}; }}
#rail QToolButton {{ border: 1px solid transparent; border-radius: {px(8)}px; padding: {px(5)}px {px(2)}px;
    color: {t.muted}; background: transparent; font-size: {px(11)}px; }}
#rail QToolButton:hover {{ color: {t.text}; }}
#rail QToolButton:checked {{ background: {t.card}; border-color: {t.border}; color: {t.text}; font-weight: 600; }}
#rail QToolButton:focus, #rail QToolButton:checked:focus {{ border: {px(2)}px solid {t.focus};
    padding: {px(5) - wider}px {max(px(2) - wider, 0)}px; }}
#title {{ font-size: {px(19)}px; font-weight: 600; }}
#lead {{ font-size: {px(15)}px; }}
#cardTitle {{ font-weight: 600; }}
#muted, #source {{ color: {t.muted}; }}
#link, #source {{ border: {px(2)}px solid transparent; border-radius: {px(4)}px; }}
#link:focus, #source:focus {{ border-color: {t.focus}; }}
#ownCaption {{ font-size: {px(20)}px; font-weight: 600; margin: {px(4)}px {px(10)}px; }}
#ownCaption:!focus {{ background: transparent; border-color: transparent; }}
#caption {{ font-size: {px(15)}px; color: {t.text}; padding: {px(2)}px {px(16)}px {px(8)}px {px(16)}px; }}
#card {{ background: {t.card}; border: 1px solid {t.border}; border-radius: {px(8)}px; }}
#note {{ background: {t.note}; border: 1px solid {t.note_border}; border-radius: {px(8)}px; }}
#close {{ border: {px(2)}px solid transparent; border-radius: {px(4)}px; background: transparent; color: {t.muted};
    font-size: {px(16)}px; padding: 0; }}
#close:hover {{ color: {t.text}; border-color: {t.note_border}; }}
#close:focus {{ border-color: {t.focus}; }}
QScrollArea {{ border: none; background: transparent; }}
QScrollArea:focus {{ border: {px(2)}px solid {t.focus}; }}
QPushButton, QComboBox, QDoubleSpinBox, QLineEdit, #tool {{ background: {t.card}; color: {t.text};
    border: 1px solid {t.border}; border-radius: {px(6)}px; padding: {px(4)}px {px(9)}px;
    min-height: {px(18)}px; }}
QDoubleSpinBox, QLineEdit {{ padding: {px(4)}px {px(5)}px; }}
QDoubleSpinBox QLineEdit, QDoubleSpinBox QLineEdit:focus {{ border: none; padding: 0 {px(3)}px; background: transparent;
    min-height: 0; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QCheckBox, QRadioButton {{ border: {px(2)}px solid transparent; border-radius: {px(4)}px; }}
QCheckBox:focus, QRadioButton:focus {{ border-color: {t.focus}; }}
QCheckBox::indicator, QRadioButton::indicator {{ width: {px(14)}px; height: {px(14)}px; }}
QCheckBox::indicator {{ width: {px(14) - 2}px; height: {px(14) - 2}px; border: 1px solid {t.axis};
    border-radius: {px(3)}px; background: {t.card}; }}
QCheckBox::indicator:checked {{ background: {t.strong}; border-color: {t.strong};
    image: url("{files.path(f"icons/tick-{t.name}.svg")}"); }}
QRadioButton::indicator {{ width: {px(14) - 2}px; height: {px(14) - 2}px; border: 1px solid {t.axis};
    border-radius: {px(14) // 2}px; background: {t.card}; }}
QRadioButton::indicator:checked {{ background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
    stop: 0 {t.strong}, stop: 0.55 {t.strong}, stop: 0.65 {t.card}, stop: 1 {t.card}); border-color: {t.strong}; }}
QRadioButton::indicator:disabled {{ border-color: {t.border}; }}
QCheckBox::indicator:disabled {{ border-color: {t.border}; }}
QCheckBox::indicator:checked:disabled {{ background: {t.axis}; border-color: {t.axis}; }}
QPushButton:hover, QComboBox:hover, #tool:hover {{ border-color: {t.axis}; }}
QPushButton:pressed, #tool:pressed {{ background: {t.track}; }}
QPushButton:checked {{ background: {t.strong}; color: {t.strong_text}; border-color: {t.strong}; }}
QPushButton:disabled, #tool:disabled, QComboBox:disabled, QDoubleSpinBox:disabled {{ color: {t.axis}; }}
QPushButton:checked:disabled {{ background: {t.track}; color: {t.axis}; border-color: {t.border}; }}
QPushButton:focus, QComboBox:focus, QDoubleSpinBox:focus, QLineEdit:focus, QToolButton:focus, QTableView:focus,
QPlainTextEdit:focus {{ border: {px(2)}px solid {t.focus}; }}
QPushButton:focus, QComboBox:focus, #tool:focus {{ padding: {px(4) - wider}px {px(9) - wider}px; }}
QDoubleSpinBox:focus, QLineEdit:focus {{ padding: {px(4) - wider}px {px(5) - wider}px; }}
QDoubleSpinBox[refused="true"], QDoubleSpinBox[refused="true"]:focus,
QLineEdit[refused="true"], QLineEdit[refused="true"]:focus {{ background: {t.note};
    border: {px(2)}px dashed {t.text}; padding: {px(4) - wider}px {px(5) - wider}px; }}
QPushButton:checked:focus {{ border-color: {t.focus_on_strong}; }}
#chip {{ padding: {px(2)}px {px(8)}px {px(2)}px {px(5)}px; border-radius: {px(11)}px; color: {t.muted};
    background: transparent; border: 1px solid {t.border}; min-height: {px(18)}px; }}
#chip:checked {{ background: {t.card}; color: {t.text}; border-color: {t.axis}; font-weight: normal; }}
#chip:hover {{ border-color: {t.muted}; }}
#chip:focus, #chip:checked:focus {{ border: {px(2)}px solid {t.focus};
    padding: {max(px(2) - wider, 0)}px {px(8) - wider}px {max(px(2) - wider, 0)}px {px(5) - wider}px; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox::drop-down {{ border: none; width: {px(22)}px; }}
QComboBox::down-arrow {{ image: url("{files.path("icons/arrow-down.svg")}"); width: {px(12)}px; height: {px(12)}px; }}
QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 0; border: none; }}
QComboBox QAbstractItemView {{ background: {t.card}; border: 1px solid {t.border};
    selection-background-color: {t.track}; selection-color: {t.text}; outline: none; }}
#list {{ background: {t.card}; border: none; outline: none; }}
#list::item {{ padding: {px(4)}px {px(8)}px; border-radius: {px(4)}px; color: {t.text}; }}
#list::item:selected {{ background: {t.track}; }}
#list:focus {{ border: {px(2)}px solid {t.focus}; }}
QTableCornerButton::section {{ background: {t.card}; border: none; }}
QTabWidget::pane {{ border: 1px solid {t.border}; border-radius: {px(8)}px; background: {t.card}; top: -1px; }}
QTabBar::tab {{ padding: {px(5)}px {px(12)}px; color: {t.muted}; background: transparent; border: none;
    border-bottom: {px(2)}px solid transparent; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: {px(2)}px solid {t.strong}; font-weight: 600; }}
QTabBar::tab:selected:focus {{ color: {t.card}; background: {t.focus}; border-radius: {px(4)}px; }}
QTableView {{ background: {t.card}; border: 1px solid {t.border}; border-radius: {px(8)}px; gridline-color: transparent;
    selection-background-color: {t.track}; selection-color: {t.text}; outline: none; }}
QHeaderView {{ background: transparent; }}
QHeaderView::section {{ background: {t.card}; color: {t.muted}; border: none; border-bottom: 1px solid {t.border};
    padding: {px(3)}px {px(6)}px; font-size: {px(12)}px; }}
QTableView QLineEdit {{ border-radius: 0; padding: 0 {px(4)}px; min-height: 0; }}
QSlider:horizontal {{ min-height: {handle}px; border: {px(2)}px solid transparent; }}
QSlider::groove:horizontal {{ height: {px(4)}px; background: {t.track}; border-radius: {px(2)}px; }}
QSlider::handle:horizontal {{ width: {handle}px; height: {handle}px; margin: {-px(6)}px 0;
    border-radius: {handle // 2}px; background: {t.strong}; }}
QSlider::handle:horizontal:disabled {{ background: {t.axis}; }}
QSlider:focus {{ border: {px(2)}px solid {t.focus}; border-radius: {px(6)}px; }}
QScrollBar:vertical {{ background: transparent; width: {px(10)}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {px(10)}px; margin: 0; }}
QScrollBar::handle {{ background: {t.axis}; border-radius: {px(4)}px; margin: {px(1)}px; min-height: {px(24)}px; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: transparent; }}
QPlainTextEdit {{ background: {t.card}; border: 1px solid {t.border}; border-radius: {px(6)}px; }}
"""


def searchable(font: QFont) -> QFont:
    """Return a font whose letters a PDF can be searched for.

    Qt's table from glyphs back to letters knows only the glyphs that the font has for letters as such: digits of equal
    width are others, and a reader would find holes in their place. Digits as such are narrower, so that all text fits.
    """
    plain = QFont(font)
    plain.clearFeatures()
    # Brackets and signs between capitals and digits would be raised, which takes other glyphs again.
    plain.setFeature(QFont.Tag("calt"), 0)
    return plain
