"""The two lines above the pictures: the sentence, the mask, and what is shown how."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.colour_scale import Contrast
from attention_explorer.core.declared import declarations
from attention_explorer.core.mask import default_size
from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.more_button import MoreButton
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.preset_box import PresetBox
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox
from attention_explorer.kit.theme import Look
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset, is_changed, loaded
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.shown_map import stage_shown
from attention_explorer.pages.heads.state import HeadsState, HeadsView, MaskChoice, MaskKind, Picture
from attention_explorer.pages.heads.ui.choices import (
    CHOSEN_TOKENS,
    CONTRASTS,
    HIDINGS,
    MASKS,
    OWN_MASK,
    PAINTED,
    PICTURES,
    VALUE_WEIGHTED,
    WITH_VALUES,
    plain_mask,
)
from attention_explorer.pages.heads.value_weighted import WEIGHED, why_without_values
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import context_tokens_of, sentence_of, source_of
from attention_explorer.sources.source import Ability

NARROW_BAR = 760
"""Below this width, in pixels at zoom 1, the presets give room to the sentence."""
LEAST_FOR_SENTENCE = 180
"""Where less is left beside it, in pixels at zoom 1, the sentence begins a new line."""
SENTENCE_COLUMN = 2

VIEW, MASK = declarations(HeadsView), declarations(MaskChoice)
HIDING_TIP = VIEW["hidden"].tip


class HeadsBar(QWidget):
    """The controls above the pictures. They show the state and turn what is done to them into a new one.

    Signals
    -------
    refused : str
        Why something cannot be done.
    export_wanted
        The button was pressed.
    find_wanted
        Tokens are to be found, and hidden.
    height_changed
        Its controls take more lines than before, or fewer.
    paint_toggled : bool
        The mask is to be painted by hand, or no longer.
    """

    refused = Signal(str)
    export_wanted = Signal()
    find_wanted = Signal()
    height_changed = Signal()
    paint_toggled = Signal(bool)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._wanted: dict[QWidget, bool] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._rows = [self._make_sentence_row(), self._make_context_row(), self._make_view_row()]
        for row in self._rows:
            self._column.addWidget(row)
        self.set_look(look)

    # ---- Building ----

    def _row(self) -> tuple[QWidget, QHBoxLayout]:
        widget = QWidget()
        row = QHBoxLayout(widget)
        row.setContentsMargins(0, 0, 0, 0)
        return widget, row

    def _make_sentence_row(self) -> QWidget:
        widget = QWidget()
        row = self._sentence_row = QGridLayout(widget)
        row.setContentsMargins(0, 0, 0, 0)
        title = QLabel("Heads")
        title.setObjectName("title")
        tip = "Where the attention comes from; each preset says what to look for"
        self.presets = PresetBox(tip, HEADS_PRESETS, self._on_preset_chosen)
        self.sentence = self._sentence_field("Sentence", "sentence")
        self.cross = QPushButton("+ second")
        self.cross.setCheckable(True)
        self.cross.setAccessibleName("Second sentence, for cross-attention")
        self.cross.setToolTip(
            "A second sentence. In cross-attention the queries come from this one, keys and values from the second,\n"
            "as a translation looks at its source, and the map need not be square.\n"
            "A model that reads in both directions reads the two as one text."
        )
        self.cross.clicked.connect(self._on_cross_clicked)
        self.export_button = QPushButton("Export…")
        self.export_button.setToolTip("Save the picture (PNG, SVG, PDF) or the numbers (CSV, NPY, NPZ, JSON)")
        self.export_button.clicked.connect(self.export_wanted)
        self._is_sentence_alone = False
        self._beside_sentence = (title, self.presets, self.cross, self.export_button)
        row.setColumnStretch(SENTENCE_COLUMN, 1)
        for column, shown in enumerate((title, self.presets, self.sentence, self.cross, self.export_button)):
            row.addWidget(shown, 0, column)
        return widget

    def _make_context_row(self) -> QWidget:
        widget, row = self._row()
        self._context_label = QLabel("keys and values come from")
        self._context_label.setObjectName("muted")
        self.context = self._sentence_field("Second sentence", "context")
        row.addWidget(self._context_label)
        row.addWidget(self.context, 1)
        widget.hide()
        return widget

    def _sentence_field(self, name: str, field: str) -> SentenceField:
        tip = declarations(ToyRecipe)[field].tip
        line = SentenceField(name, tip, lambda: getattr(self._session.state.heads.setup.recipe, field) or "")
        line.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        line.typed.connect(lambda text: self._on_sentence_typed(field, text))
        line.refused.connect(self.refused)
        line.editingFinished.connect(self._session.commit)
        return line

    def _make_view_row(self) -> QWidget:
        self._make_views()
        self._make_masks()
        self.more = MoreButton()
        self.more.toggled.connect(lambda _on: self._fold())
        settings = (self.stages, self.contrast, self.mass, self.hidden, self.masks, self.mask_size)
        # What comes with the first painted cell stands last: it must not take the place of the button just pressed.
        painting = (self.paint, self.unpaint)
        widget = QWidget()
        row = FlowLayout(widget)
        for shown in (self.pictures, self.more, *settings, *painting):
            row.addWidget(shown)
        self._wanted = dict.fromkeys((self.cross, *settings, *painting), True)
        self._arranged: tuple[object, ...] = ()  # what the room for the controls was found for
        return widget

    def _make_views(self) -> None:
        self.pictures = ChoiceRow("Picture", PICTURES, self._on_picture_chosen)
        self.stages = ChoiceBox("Stage", VIEW["stage"].tip, WITH_VALUES, self._on_stage_chosen)
        self.contrast = ChoiceBox(
            "Contrast",
            VIEW["contrast"].tip,
            CONTRASTS,
            lambda value: self._apply(self._session.state.heads.with_view(contrast=value), VIEW["contrast"].undo),
        )
        self.hidden = ChoiceBox(
            "Hidden keys",
            HIDING_TIP,
            HIDINGS,
            self._on_hiding_chosen,
        )
        self.mass = NumberBox(1.0, 100.0, "Share of each row’s weight drawn as lines, in percent")
        self.mass.setSuffix(" % of each row")
        self.mass.setToolTip(VIEW["mass"].tip)
        self.mass.valueChanged.connect(self._on_mass_changed)
        self.mass.refused.connect(self.refused)

    def _make_masks(self) -> None:
        self.masks = ChoiceBox("Mask", MASK["kind"].tip, MASKS, self._on_mask_chosen)
        # “the model’s own (causal)” is longer than any of the entries that the box is made with.
        self.masks.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.mask_size = WholeNumberBox(round(MASK["size"].low), round(MASK["size"].high), "Number of the mask")
        self.mask_size.setPrefix("n = ")  # as the tips of the masks call it
        self.mask_size.refused.connect(self.refused)
        self.mask_size.setToolTip(MASK["size"].tip)
        self.mask_size.valueChanged.connect(self._on_mask_size_changed)
        self.paint = QPushButton("Paint")
        self.paint.setCheckable(True)
        self.paint.setAccessibleName("Paint the mask")
        self.paint.setToolTip(
            "Paint your own mask: drag over cells of the map to hide them, or to show them again.\n"
            "On a token: its whole row or column."
        )
        self.paint.toggled.connect(self.paint_toggled)
        self.unpaint = QPushButton("Clear")
        self.unpaint.setToolTip("Forget the cells painted by hand")
        self.unpaint.setAccessibleName("Clear the painted cells")
        self.unpaint.clicked.connect(self._on_unpaint_clicked)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._column.setSpacing(look.px(6))
        for widget in self._rows:
            row = widget.layout()
            if row is not None:
                row.setSpacing(look.px(6))
        self.mask_size.setFixedWidth(look.px(78))
        self._look = look
        self.fit()

    def hasHeightForWidth(self) -> bool:
        return False  # see `fit`: asked by the layout of the page, it would make the whole page as high as it likes

    def fit(self) -> None:
        """Take the height that the controls need at this width: in a narrow window they begin new lines."""
        narrow = self.width() < self._look.px(NARROW_BAR)
        own = self.presets.width_for([self.presets.currentText()], self._look)
        self.presets.setFixedWidth(min(own, self._look.px(240)) if narrow else self.presets.widest(self._look))
        self._place_sentence()
        for row in self._rows:  # what was hidden just now is remembered at its old height
            layout = row.layout()
            if layout is not None:
                layout.invalidate()
            row.updateGeometry()
        self._take_height()

    def _take_height(self) -> None:
        height = max(self._column.heightForWidth(self.width()), self._look.px(30))
        if height != self.maximumHeight():
            self.setFixedHeight(height)
            self.height_changed.emit()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            # The style sheet of another size comes after `set_look`; Start leaves out what stands beside the sentence.
            self._place_sentence()
            self._take_height()
        return handled

    def _place_sentence(self) -> None:
        """Give the sentence a line of its own where some words of it could not be read beside the others.

        In a low window that is not opened, it gets the room of the button for a second sentence instead.
        """
        row, others = self._sentence_row, [other for other in self._beside_sentence if not other.isHidden()]
        taken = sum(
            other.sizeHint().expandedTo(other.minimumSize()).boundedTo(other.maximumSize()).width() + row.spacing()
            for other in others
        )
        alone = self.more.is_open and self.width() - taken < self._look.px(LEAST_FOR_SENTENCE)
        if alone is self._is_sentence_alone:
            return
        self._is_sentence_alone = alone
        row.removeWidget(self.sentence)
        if alone:
            row.addWidget(self.sentence, 1, 0, 1, len(self._beside_sentence) + 1)
        else:
            row.addWidget(self.sentence, 0, SENTENCE_COLUMN)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self.fit()

    def be_low(self, low: bool) -> None:
        """Keep all but the pictures behind a button from now on, where a window has few lines; or show all."""
        if low == self.more.isHidden():
            self.more.setVisible(low)
            self._fold()

    def _shows_too_much(self) -> bool:
        """Whether something is shown that is folded away: the level Full gives back all that Start left out."""
        is_open = self.more.is_open
        return any(not widget.isHidden() and not (wanted and is_open) for widget, wanted in self._wanted.items())

    def _fold(self) -> None:
        self.more.take_keyboard(*self._wanted)
        for widget, wanted in self._wanted.items():
            widget.setVisible(wanted and self.more.is_open)
        self.fit()

    def show_frame(self, state: HeadsState, frame: HeadsFrame | None) -> None:
        """Show a state and what can be chosen for a frame; None where there is none yet."""
        recipe, view, mask = state.setup.recipe, state.view, resolved(state.setup).mask
        stage = view.stage if frame is None else stage_shown(frame, view)
        source = source_of(recipe)
        traits = source.traits
        no_scores, no_masks = (traits.reason_against(each) for each in (Ability.SCORES, Ability.MASKS))
        no_typing, no_second = (traits.reason_against(each) for each in (Ability.TYPING, Ability.SECOND_SENTENCE))
        allow_unless(no_typing, self.sentence)
        for line in (self.sentence, self.context):  # where nothing can be typed, as with a file that is gone, none asks
            line.setPlaceholderText("" if no_typing else "Type at least one word")
        allow_unless(no_typing or no_second, self.context, self.cross)
        allow_unless(no_masks, self.masks, self.mask_size, self.unpaint)
        allow_unless(no_scores, self.pictures.buttons[Picture.STAGES])
        self.sentence.show_sentence(source.sentence)
        self.context.show_sentence(source.context or "")
        self.cross.setChecked(source.context is not None)
        self._context_label.setText(source.second_words)
        self._rows[1].setVisible(source.context is not None)
        self.pictures.show_value(view.picture)
        marked = self.pictures.buttons[Picture.MARKED]
        marked.setVisible(bool(view.marked) or view.picture is Picture.MARKED)
        self._show_stage(view, frame, stage)
        self._wanted[self.stages] = view.picture in (Picture.HEATMAP, Picture.COMPARE, Picture.MARKED)
        self.paint.setEnabled(view.picture is Picture.HEATMAP and not no_masks)
        if not self.paint.isEnabled():
            self.paint.setChecked(False)  # only the map can be painted on
        self._wanted[self.mass] = view.picture is Picture.LINES
        with QSignalBlocker(self.mass):
            self.mass.setValue(100.0 * view.mass)
        self.contrast.show_value(view.contrast)
        self._wanted[self.contrast] = view.picture is not Picture.LINES
        self.contrast.setEnabled(stage is Stage.WEIGHTS)
        self.hidden.show_value(CHOSEN_TOKENS if view.hidden_tokens else view.hidden)
        self._show_what_hiding_does(view.picture, stage)
        # What is painted holds under every kind; a mask that belongs to the weights is none of them.
        plain, tip = plain_mask(source.mask_words())
        first = OWN_MASK if no_masks and source.mask_words() else PAINTED if mask.is_painted else plain
        self.masks.setItemText(0, first)
        self.masks.setItemData(0, tip, Qt.ItemDataRole.ToolTipRole)
        self.masks.show_value(mask.kind)
        self._wanted[self.mask_size] = mask.kind.has_size
        with QSignalBlocker(self.mask_size):
            self.mask_size.setValue(mask.size)
        self._wanted[self.unpaint] = mask.is_painted
        self.presets.show_preset(state.preset, changed=is_changed(state), otherwise=traits.kind)
        arranged = (source.context is None, self.presets.currentText(), marked.isHidden(), *self._wanted.values())
        # A typed letter leaves it as it is, and the page need not be laid out anew.
        if arranged != self._arranged or self._shows_too_much():
            self._arranged = arranged
            self._fold()

    def _show_stage(self, view: HeadsView, frame: HeadsFrame | None, stage: Stage) -> None:
        """Show what is in the picture, and let be chosen what there is."""
        has_scores = frame is None or frame.map.has_scores
        weighs = view.picture in WEIGHED and (frame is None or not why_without_values(frame))
        is_weighted = weighs and view.value_weighted and stage is Stage.WEIGHTS
        self.stages.show_value(VALUE_WEIGHTED if is_weighted else stage)
        self.stages.enable_values(lambda value: weighs if value == VALUE_WEIGHTED else has_scores or value == stage)
        self.stages.setEnabled(has_scores or weighs)
        lengths_only = (Contrast.UNIT, Contrast.LOG) if is_weighted else ()
        self.contrast.enable_values(lambda value: value not in lengths_only)

    def _show_what_hiding_does(self, picture: Picture, stage: Stage) -> None:
        """Let keys be hidden where that changes the picture, and say why not elsewhere."""
        tip = HIDING_TIP
        if picture is Picture.STAGES:
            tip = "The stages show every key: hide keys in the map, the lines or the comparison"
        elif stage is not Stage.WEIGHTS and picture is not Picture.LINES:
            tip = "Scores have no rows to renormalise: choose the weights to hide keys"
        self.hidden.setEnabled(tip == HIDING_TIP)
        self.hidden.setToolTip(tip)

    # ---- Acting ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.paint.isChecked():
            self.paint.setChecked(False)
        else:
            super().keyPressEvent(event)

    def _apply(self, heads: HeadsState, label: str, merge: str = "") -> None:
        self._session.apply(replace(self._session.state, heads=heads), label, merge)

    def _on_hiding_chosen(self, value: object) -> None:
        view = self._session.state.heads.view
        if value != CHOSEN_TOKENS:
            heads = self._session.state.heads.with_view(hidden=value, hidden_tokens=frozenset())
            self._apply(heads, VIEW["hidden"].undo)
            return
        self.hidden.show_value(CHOSEN_TOKENS if view.hidden_tokens else view.hidden)  # nothing is hidden yet
        self.find_wanted.emit()

    def _on_stage_chosen(self, value: object) -> None:
        is_weighted = value == VALUE_WEIGHTED
        heads = self._session.state.heads.with_view(
            stage=Stage.WEIGHTS if is_weighted else value, value_weighted=is_weighted
        )
        self._apply(heads, VIEW["value_weighted" if is_weighted else "stage"].undo)

    def _on_picture_chosen(self, picture: object) -> None:
        heads = self._session.state.heads.with_view(picture=picture)
        if picture is Picture.COMPARE and heads.other is None:
            # There must be something to compare with: from here on, what is changed makes the difference.
            heads = replace(heads, other=heads.setup)
        self._apply(heads, VIEW["picture"].undo)

    def _on_mass_changed(self, percent: float) -> None:
        heads = self._session.state.heads.with_view(mass=percent / 100.0)
        self._apply(heads, VIEW["mass"].undo, merge="mass")

    def _on_preset_chosen(self, identifier: str) -> None:
        ready = heads_preset(identifier)
        self._apply(loaded(ready, self._session.state.heads), f"Load “{ready.title}”")

    def _on_sentence_typed(self, name: str, text: str) -> None:
        self._apply(self._session.state.heads.with_recipe(**{name: text}), "Type", merge=f"type {name}")

    def _on_cross_clicked(self, cross: bool) -> None:
        heads = self._session.state.heads
        context = sentence_of(heads.setup.recipe) if cross else None
        self._apply(heads.with_recipe(context=context), "Second sentence" if cross else "One sentence")
        if cross:
            self.context.setFocus()
            self.context.selectAll()

    def _on_mask_chosen(self, kind: object) -> None:
        heads, chosen = self._session.state.heads, MaskKind(str(kind))
        size = default_size(chosen, len(context_tokens_of(heads.setup.recipe)))
        title = next(title for value, title, _ in MASKS if value is chosen)
        if chosen is MaskKind.NONE:
            title, _ = plain_mask(source_of(heads.setup.recipe).mask_words())
        mask = replace(heads.setup.mask, kind=chosen, size=size)
        self._apply(heads.with_setup(mask=mask), f"Mask: {title}")

    def _on_mask_size_changed(self, size: float) -> None:
        heads = self._session.state.heads
        mask = replace(heads.setup.mask, size=round(size))
        self._apply(heads.with_setup(mask=mask), MASK["size"].undo, merge="mask size")

    def _on_unpaint_clicked(self) -> None:
        heads = self._session.state.heads
        self._apply(heads.with_setup(mask=heads.setup.mask.without_paint()), "Clear the painted cells")
