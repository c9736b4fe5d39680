"""What the drawer has besides declared fields: numbers of random heads and made by hand, what a model expects."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.map_picture import Contrast
from attention_explorer.core.numerals import counted
from attention_explorer.kit.controls.choice import ChoiceBox
from attention_explorer.kit.controls.made import FlowLayout, allow_unless
from attention_explorer.kit.form import Form
from attention_explorer.kit.theme import Look
from attention_explorer.model import Stage
from attention_explorer.pages.heads.choices import AGGREGATES, OWN_MASK, PAINTED, plain_mask
from attention_explorer.pages.heads.frame import HeadsFrame, can_roll_out
from attention_explorer.pages.heads.it_table import antecedent_head
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.shown_map import WEIGHED, why_without_values
from attention_explorer.pages.heads.state import Aggregate, HeadsState, SortBy
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

if TYPE_CHECKING:
    # Made when the drawer is first open: the page opens faster.
    from attention_explorer.pages.heads.ui.embeddings_part import EmbeddingsPart
    from attention_explorer.pages.heads.ui.it_table_part import ItTablePart
    from attention_explorer.pages.heads.ui.next_words import NextWords
    from attention_explorer.pages.heads.ui.random_heads import RandomHeads


P = TypeVar("P", bound=QWidget)
PARTS = ("random", "embeddings", "it_table", "next")
"""The sections, by their names; each is made when it is first wanted."""


class DrawerParts(QWidget):
    """Sections below the form; each is seen where it does something.

    Signals
    -------
    refused : str
        Why something that was asked for cannot be done.
    find_wanted
        Tokens are to be found, and hidden.
    """

    refused = Signal(str)
    find_wanted = Signal()

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._frame: HeadsFrame | None = None
        self.find_button = QPushButton("Hide tokens…")
        self.find_button.setToolTip(
            "Find tokens (Ctrl+F) and leave them out of the keys; the rest of each row stays as it is"
        )
        self.find_button.setAccessibleName("Hide tokens")
        self.find_button.clicked.connect(self.find_wanted)
        self.counts, self.cannot = QLabel(), QLabel()
        self.counts.setAccessibleName("Layers and heads")
        for label in (self.counts, self.cannot):
            label.setWordWrap(True)
            label.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._rare = FlowLayout()
        self._column.addLayout(self._rare)
        for part in (self.cannot, self.counts):
            self._column.addWidget(part)
        self.add_rare(self.find_button)

    def add_rare(self, *buttons: QWidget) -> None:
        """Add what is seldom pressed."""
        for button in buttons:
            self._rare.addWidget(button)

    def add_first(self, *parts: QWidget) -> None:
        """Add what is seen where it does something, above the rest."""
        for place, part in enumerate(parts):
            self._column.insertWidget(place, part)

    @cached_property
    def random(self) -> RandomHeads:
        """The numbers of random heads."""
        from attention_explorer.pages.heads.ui.random_heads import RandomHeads

        return self._added(RandomHeads(self._session, self._look))

    @cached_property
    def embeddings(self) -> EmbeddingsPart:
        """The vectors of the tokens, to be typed, with their dot products."""
        from attention_explorer.pages.heads.ui.embeddings_part import EmbeddingsPart

        return self._added(EmbeddingsPart(self._session, self._look))

    @cached_property
    def it_table(self) -> ItTablePart:
        """What “it” attends to in heads made by hand, to be typed."""
        from attention_explorer.pages.heads.ui.it_table_part import ItTablePart

        return self._added(ItTablePart(self._session, self._look))

    @cached_property
    def next(self) -> NextWords:
        """What a model expects next, how it goes on, or how near two sentences are."""
        from attention_explorer.pages.heads.ui.next_words import NextWords

        return self._added(NextWords(self._session, self._look))

    def _added(self, part: P) -> P:
        section: Any = part  # has what refuses
        section.refused.connect(self.refused)
        self._column.addWidget(part)
        return part

    def holds(self, name: str) -> bool:
        """Whether a control of this accessible name is in one of the sections, made or not."""
        from attention_explorer.pages.heads.ui.random_heads import NAMES

        return name in NAMES

    @property
    def made(self) -> tuple[Any, ...]:
        """What has been made of the sections so far."""
        return tuple(self.__dict__[name] for name in PARTS if name in self.__dict__)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._column.setSpacing(look.px(10))
        self._rare.setSpacing(look.px(6))
        for part in self.made:
            part.set_look(look)

    def show_frame(self, heads: HeadsState, frame: HeadsFrame | None) -> None:
        """Show the settings of a state, and what a frame tells."""
        source = source_of(heads.setup.recipe)
        no_drawing, no_scores = (source.traits.reason_against(each) for each in (Ability.DRAWING, Ability.SCORES))
        self.counts.setText(counts_words(source.heads) if no_drawing else "")
        self.counts.setVisible(bool(no_drawing))
        self.cannot.setText("\n".join(dict.fromkeys(filter(None, (no_drawing, no_scores)))))
        self.cannot.setVisible(bool(no_drawing or no_scores))
        if not no_drawing or "random" in self.__dict__:
            self.random.show_state(heads)
            if frame is not None:
                self.random.show_spread(frame)
        if self._shows("embeddings", not source.traits.reason_against(Ability.EMBEDDINGS)):
            self.embeddings.show_recipe(heads.setup.recipe, heads.setup.count)
        is_by_hand = antecedent_head(heads.setup.recipe) is not None
        if self._shows("it_table", is_by_hand and frame is not None) and frame is not None:
            self.it_table.show_frame(frame)
        offers = source.predicts or source.is_sentence_model
        if self._shows("next", offers and frame is not None) and frame is not None:
            self.next.show_frame(frame, heads.view.row)

    def _shows(self, name: str, is_wanted: bool) -> bool:
        """Show a section if it does something, made when it first does; return whether it does."""
        if is_wanted or name in self.__dict__:
            getattr(self, name).setVisible(is_wanted)
        return is_wanted

    def stop_writing(self) -> None:
        """Have the model write no more, if it does."""
        if "next" in self.__dict__:
            self.next.writer.stop()


def counts_words(heads: tuple[int, ...]) -> str:
    """Return how many layers of how many heads there are."""
    if len(heads) == 1:
        return f"{counted(heads[0], 'head')}."
    least, most = min(heads), max(heads)
    each = counted(most, "head") if least == most else f"{least} to {most} heads"
    return f"{counted(len(heads), 'layer')} of {each}."


def limit_choices(form: Form[HeadsState], heads: HeadsState, frame: HeadsFrame | None) -> None:
    """Let only those values be chosen that there are, and call the first mask what it is."""
    box: Any
    for name, box in form.controls.items():
        if name == "view.value_weighted" and frame is not None and box.isEnabled():
            allow_unless(why_without_values(frame), box)
        if not isinstance(box, ChoiceBox):
            continue
        if name == "setup.aggregate":
            box.enable_values(
                lambda value: value is not Aggregate.ROLLOUT or frame is None or can_roll_out(frame.layers)
            )
            box.setToolTip(next(tip for value, _, tip in AGGREGATES if value is heads.setup.aggregate))
        elif name == "view.sort":
            box.enable_values(lambda value: value is not SortBy.DIFFERENCE or heads.other is not None)
        elif name == "setup.mask.kind":
            source, mask = source_of(heads.setup.recipe), resolved(heads.setup).mask
            # What is painted holds under every kind; a mask that belongs to the weights is none of them.
            plain, tip = plain_mask(source.mask_words())
            own = OWN_MASK if source.traits.reason_against(Ability.MASKS) and source.mask_words() else plain
            box.setItemText(0, PAINTED if mask.is_painted else own)
            box.setItemData(0, tip, Qt.ItemDataRole.ToolTipRole)
            box.show_value(mask.kind)
        elif name == "view.contrast":
            box.enable_values(lambda value: not (is_weighted(heads) and value in (Contrast.UNIT, Contrast.LOG)))


def is_weighted(heads: HeadsState) -> bool:
    """Whether the picture shows lengths, which have no largest that is known beforehand."""
    return heads.view.value_weighted and heads.view.stage is Stage.WEIGHTS and heads.view.picture in WEIGHED
