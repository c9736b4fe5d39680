"""A page in the one frame: bar, picture and panel, the main quantity below, and a drawer for everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QMenu, QSlider, QVBoxLayout, QWidget

from attention_explorer.core.declared import declaration_of, is_same_subject
from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.errors import ExplorerError
from attention_explorer.kit import reach
from attention_explorer.kit.controls.made import Card, in_column, in_row, keep_out_of_sight, words
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, PageScroll, PanelScroll, keep_in_view
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.form import Form
from attention_explorer.kit.frame.bar import FrameBar
from attention_explorer.kit.frame.drawer import Drawer
from attention_explorer.kit.frame.main_quantity import MainQuantity
from attention_explorer.kit.frame.panel import FramePanel
from attention_explorer.kit.frame.view import Try, View, loaded
from attention_explorer.kit.picture import Change, Item, Panel
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.request import PictureRequest, Ready, is_resized, work_for
from attention_explorer.kit.pictures.request_note import RequestNote
from attention_explorer.kit.reach import in_order
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.session import Session
from attention_explorer.pages.ui.views_page import ViewsPage
from attention_explorer.session.jobs import JobQueue
from attention_explorer.session.requests import Requests

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure

PANEL_WIDTH, NARROW_PANEL_WIDTH = 340, 326
NARROW_PAGE, WIDE_PAGE = 900, 1900
"""Pixels at zoom 1: below the first the panel stands under the picture; above the second it is wider."""
SETTLES_MILLISECONDS = 500
"""How long the drawer may take to find its place when it is opened."""
LEAST_HEIGHT, PEEK = 280, 44
"""Pixels at zoom 1 of the picture before the page scrolls, and of the panel that are seen below the main quantity."""
_STEPS: dict[int, QSlider.SliderAction] = {
    Qt.Key.Key_Plus: QSlider.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_Equal: QSlider.SliderAction.SliderSingleStepAdd,  # where a plus sign is, without Shift
    Qt.Key.Key_Minus: QSlider.SliderAction.SliderSingleStepSub,
}
"""What keys do to the main quantity wherever the keyboard is on the page."""
_NOT_TYPED = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class FramePage(ViewsPage):
    """What pages in the frame share: the widgets around their views."""

    presented: tuple[str, ...] = ("title", "canvas", "main")
    in_line = False
    """Whether the few controls of every view stand in the line of the main quantity, and not below the picture."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self.requests = self.make_requests()
        self.is_open = False
        """Whether the drawer is open."""
        self._is_lent = False  # because something of it was named, not because somebody wanted it
        self._begun: dict[str, Any] = {}  # by part: with what it was opened, if that is no example
        self._names_examples = True
        self._forms: dict[object, Form[Any]] = {}
        self._in_order: View[Any] | None = None  # the view whose controls Tab goes through
        self.bar = FrameBar(self.name, self.views, look)
        self.title = TextBlock(look, 1, "What the picture shows")
        self.also = words("", "muted", wraps=True)
        """What counts in the view on show, and was set in another or in the drawer."""
        self.canvas = self.make_canvas()
        self.main = self.make_main()
        self.panel = FramePanel(look)
        self.drawer = Drawer(look)
        self._build()
        self._connect()
        self.set_look(look)

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        self.canvas.moves = moves

    # ---- For the pages ----

    def make_canvas(self) -> PicturesCanvas:
        """Return what shows the picture."""
        return PicturesCanvas(self.look, "Large picture", lambda: self.state)

    def make_requests(self) -> Requests[Any]:
        """Return what the numbers of a picture are asked of."""
        return Requests(self, self._streams, resized=is_resized)

    def make_main(self) -> MainQuantity:
        """Return by what the main quantity is moved."""
        return MainQuantity(self.session, self.look)

    def panel_of(self, view: View[Any], numbers: Any) -> Panel:  # noqa: ANN401 # of the picture of the view
        """Return what stands beside the picture of a view."""
        panel: Panel = view.picture.panel(numbers)
        return panel

    def table_of(self, view: View[Any], numbers: Any) -> Item[Any] | None:  # noqa: ANN401 # of the picture of the view
        """Return the table of the numbers of a picture for the drawer; None where it has none."""
        table: Item[Any] | None = view.picture.table(numbers)
        return table

    @property
    def measured(self) -> object:
        """What the page shows that is no part of the state, if there is such a thing."""
        return None

    def controls_of(self, _view: View[Any]) -> Sequence[QWidget]:
        """Return widgets of a view that set no field, such as a button that measures."""
        return ()

    @property
    def read_first(self) -> Sequence[QWidget]:
        """What of the page is read before the picture."""
        return ()

    @property
    def jobs(self) -> JobQueue:
        """What computes for the page now."""
        return self.requests.jobs

    # ---- Building ----

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._all = QVBoxLayout(content)
        self._all.addWidget(self.bar)
        self.card = Card(self.look)
        self.card.body.addWidget(self.title)
        self.card.body.addWidget(self.canvas, 1)
        self.card.body.addWidget(self.also)
        self.note = RequestNote(self.requests, self.session, self.look, self.title, self.canvas, (self.canvas,))
        self.note.dim_too(self.panel.card)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addWidget(self.card, 1)
        self._beside = QWidget()
        in_column(self.panel, self.drawer, within=self._beside)
        self.drawer.hide()
        self._panel_scroll = PanelScroll(self._beside)
        self._columns.addWidget(self._panel_scroll)
        self._all.addLayout(self._columns, 1)
        self._all.addWidget(self.main)
        self._scroll = PageScroll(content)
        self._scroll.laid_out.connect(self._fit_height)
        in_row(self._scroll, within=self)

    def _connect(self) -> None:
        self.bar.view_wanted.connect(lambda name: self.show_view(self.view_named(name)))
        self.bar.example_wanted.connect(self.show_example)
        self.bar.code_wanted.connect(self.code_wanted)
        self.bar.present_wanted.connect(self.present_wanted)
        self.bar.share_wanted.connect(self.offer_taking)
        self.canvas.spot_changed.connect(lambda _spot: self.say_spot())
        self.canvas.menu_wanted.connect(self._on_menu_wanted)
        self.canvas.resized.connect(self._on_resized)
        self.canvas.changed.connect(self._on_changed)
        self.canvas.dragged.connect(self._on_dragged)
        self.canvas.guessed.connect(self.guessed)
        self.canvas.dropped.connect(lambda kept: self.session.commit() if kept else self.session.revert())
        for items in (self.panel.items, self.drawer.table):
            items.spot_changed.connect(self._say_of_panel)
        self.panel.more_wanted.connect(lambda: self.open_drawer(True))
        self.panel.tries.wanted.connect(self._show_where)
        self.drawer.closed.connect(lambda: self.open_drawer(False))
        self.drawer.changed.connect(self._on_field)
        self.drawer.refused.connect(self.refused)
        self.main.refused.connect(self.refused)
        for taken_back in (self.session.undone, self.session.went_back):
            taken_back.connect(self._on_taken_back)
        self.requests.delivered.connect(self._on_delivered)
        self.requests.changed.connect(self.on_requests_changed)
        self.note.said.connect(self.said)

    def form_of(self, view: View[Any]) -> Form[Any]:
        """Return the few controls of a view, made when it is first shown."""
        if view.id not in self._forms:
            line = self._is_in_line(view)
            form = view.part.form(view.fields, self.look, in_line=line, most_buttons=2)
            for widget in self.controls_of(view):
                form.add(widget)
            form.changed.connect(self._on_field)
            form.refused.connect(self.refused)
            self._forms[view.id] = form
            if line:
                self.main.lead(form)
            else:
                self.card.body.insertWidget(self.card.body.indexOf(self.also), form)
        return self._forms[view.id]

    # ---- Room ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._all.setContentsMargins(px(14), px(8), px(14), px(10))
        self._all.setSpacing(px(10))
        self._columns.setSpacing(px(10))
        parts: list[Any] = [self.bar, self.card, self.title, self.canvas, self.main, self.panel, self.drawer, self.note]
        for part in (*parts, *self._forms.values()):
            part.set_look(look)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Two columns, or one that scrolls where the window is too narrow: there the panel comes last."""
        px, wide = self.look.px, self.width()
        narrow = wide < px(NARROW_PAGE) and not self.is_alone
        self.bar.fit(wide - px(28))
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        panel = px(NARROW_PANEL_WIDTH if wide < px(1100) else PANEL_WIDTH * (1.3 if wide > px(WIDE_PAGE) else 1))
        self._panel_scroll.setMinimumWidth(0 if narrow else panel)
        self._panel_scroll.setMaximumWidth(UNBOUNDED if narrow else panel)
        self._panel_scroll.be_whole(narrow)
        if narrow != self._is_narrow:
            self._move_main()
        fills = self.view.picture.fills_card and not self.is_alone
        self.card.be_filled(self.look, filled=fills)
        self.title.setHidden(fills or self.view.picture.names_itself)
        self.also.setContentsMargins(*((px(14), px(3), px(14), px(5)) if fills else (0, 0, 0, 0)))
        self._fit_height()

    def _fit_height(self) -> None:
        """Keep room for the picture; in a narrow window as much as what stands around it leaves of the first sight."""
        least = self.look.px(LEAST_HEIGHT)
        high = max(least, self._first_sight()) if self._is_narrow else least
        self.canvas.setMinimumHeight(0 if self.is_alone else high)

    @property
    def _is_narrow(self) -> bool:
        """Whether the main quantity stands between picture and panel."""
        return self._columns.indexOf(self.main) >= 0

    def _move_main(self) -> None:
        """Let the main quantity stand below everything, or between picture and panel where it was below everything."""
        if self._is_narrow:
            self._columns.removeWidget(self.main)
            self._all.addWidget(self.main)
        else:
            self._all.removeWidget(self.main)
            self._columns.insertWidget(self._columns.indexOf(self.card) + 1, self.main)
        if self._in_order is not None:
            self._order_tabs()

    def _order_tabs(self) -> None:
        """Let Tab go through everything as it stands."""
        beside = self.drawer.parts if self.is_open else self.panel.parts
        last = (self.main, *beside) if self._is_narrow else (*beside, self.main)
        in_order(self.bar, *self.read_first, self.card, *last)

    def _first_sight(self) -> int:
        """Return how high the picture is if it, the main quantity and a bit of the panel fill what is seen first."""
        px = self.look.px
        main = self.main.sizeHint().height() if self._has_line(self.view) else 0
        below = 3 * px(10) + self.room_around_picture() + main + px(PEEK)
        return self.height() - self._all.contentsMargins().top() - self.bar.sizeHint().height() - below

    def room_around_picture(self) -> int:
        """Return how much of the height of its card is not the picture’s: that of its title and of what is below it."""
        body, around = self.card.body, self._all.contentsMargins()
        width = max(self.width() - around.left() - around.right(), 0)
        high = body.minimumHeightForWidth(width) if body.hasHeightForWidth() else body.minimumSize().height()
        return high - (self.canvas.minimumHeight() or self.canvas.minimumSizeHint().height())

    def begin_open(self, is_open: bool) -> None:
        self.is_open = is_open
        self.drawer.setVisible(is_open)
        self.panel.setHidden(is_open)

    def open_drawer(self, is_open: bool) -> None:
        """Show everything else in place of the panel, or put it away."""
        self._is_lent = False
        first = self.drawer.search if is_open else self.panel.more
        self._exchange(first, is_open=is_open)
        if not is_open:
            self.drawer.search.clear()  # opened again, it has everything
        keep_in_view(first, SETTLES_MILLISECONDS)
        self.drawer_turned.emit(is_open)

    def _exchange(self, first: QWidget | None, *, is_open: bool) -> None:
        """Show the drawer in place of the panel, or the panel; ``first`` gets the keyboard, if it is given."""
        self.is_open = is_open
        self._fill_drawer()
        self._order_tabs()
        comes, goes = (self.drawer, self.panel) if is_open else (self.panel, self.drawer)
        comes.show()
        if first is not None:
            first.setFocus()  # before what had the keyboard is hidden: it would go elsewhere, and the page scroll there
        goes.hide()

    def reveal(self, names: tuple[str, ...]) -> None:
        """Open the drawer while something of it is named; it goes again if nobody has opened it meanwhile."""
        wanted = bool(names) and self.is_in_drawer(names)
        if wanted and not self.is_open:
            self._exchange(None, is_open=True)
            self._is_lent = True
        elif not wanted:
            self._take_back_drawer()

    def show_top(self) -> None:
        for bar in (self._scroll.verticalScrollBar(), self._scroll.horizontalScrollBar()):
            bar.setValue(0)

    def is_in_drawer(self, names: tuple[str, ...]) -> bool:
        """Whether one of these accessible names is seen only with the drawer."""
        view = self.view
        beside = [self.form_of(view), *([self.main.control_of(view)] if view.main else [])]
        elsewhere = (name for name in names if all(reach.part(each, name) is None for each in beside))
        return any(reach.part(self.drawer.form_of(view), name) is not None for name in elsewhere)

    def _take_back_drawer(self) -> None:
        if self._is_lent and self.is_open:
            self._exchange(None, is_open=False)
        self._is_lent = False

    def leave(self) -> None:
        super().leave()
        self._take_back_drawer()

    # ---- Showing ----

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        view = self.view_of(new)
        if old is not new and view is self.view_of(old) and self._part(old) == self._part(new):
            return
        state, held = self.state, self._seen_with_keyboard()
        self.drawer.show_view(view)  # first: what follows may deliver a picture
        if view is not self._in_order or old is new:  # what was presented may have been another view
            self._show_view(view)
        self.form_of(view).show_state(state)
        is_arranged = old is not new and view is self._in_order and is_same_subject(self._part(old), state)
        if not is_arranged:  # or else only where one looks has changed
            self._show_settings(view, state)
        self.main.show_view(view, state)
        self._fill_drawer()
        if old is not new and self._part(old).preset != state.preset:
            self.panel.tries.forget(view.id.value)
            self._begun[view.part.name] = state
        self._show_tries()
        if view is not self._in_order:
            self._in_order = view
            self._order_tabs()
        if not is_arranged:
            self._arrange()
        if held is not None and not held.isVisible():  # Qt gave it to whatever comes next
            self.focus_first()
            self.show_top()
        self._load()

    def _seen_with_keyboard(self) -> QWidget | None:
        """Return what of the page has the keyboard; None if nothing has, or it is out of sight."""
        held = QApplication.focusWidget()
        return held if held is not None and self.isAncestorOf(held) and held.isVisible() else None

    def _show_view(self, view: View[Any]) -> None:
        """Show the controls of another view."""
        own = self.form_of(view)
        for form in self._forms.values():
            form.setVisible(form is own)

    def _show_settings(self, view: View[Any], state: Any) -> None:  # noqa: ANN401 # of its part
        """Show which example the settings are those of, what of them is set elsewhere, and the line below if needed."""
        self.main.setVisible(self._has_line(view))
        ready = self.example_of(view, state)
        self.bar.show_view(view, state.preset, ready, self.shown_without_example())
        self._show_elsewhere(view, state, ready)

    def _show_elsewhere(self, view: View[Any], state: Any, ready: Preset[Any] | None) -> None:  # noqa: ANN401
        """Say in the line below the picture what is set elsewhere, if anything is."""
        elsewhere = "" if ready in self._presets[view.id] else self.set_elsewhere(view, state)
        self.also.setText(f"Also set: {elsewhere}")
        self.also.setVisible(bool(elsewhere) and self._names_examples)

    def _has_line(self, view: View[Any]) -> bool:
        """Whether something stands in the line of the main quantity."""
        return self._is_in_line(view) or self._has_main(view)

    def _is_in_line(self, view: View[Any]) -> bool:
        """Whether the few controls of a view stand in that line."""
        return self.in_line or view.picture.fills_card

    def _has_main(self, view: View[Any]) -> bool:
        """Whether there is a main quantity that does anything in the state on show."""
        return bool(view.main) and declaration_of(view.part.kind, view.main).is_shown(self.state)

    def _show_tries(self) -> None:
        view, tries = self.view, self.view.tries if self._names_examples else ()
        self.panel.tries.show_tries(view.id.value, tries, self.state, self._opened(view, self.state))

    def _opened(self, view: View[Any], state: Any) -> Any:  # noqa: ANN401 # of its part
        """Return the state that was opened: that of the example, or what came from a file or another page."""
        begun = None if state.preset else self._begun.setdefault(view.part.name, state)
        return view.opened(state, self._others[view.id]) if begun is None else view.of(begun)

    def _on_taken_back(self, old: ExplorerState, new: ExplorerState, _text: str) -> None:
        """Take back the ticks of what Undo has taken back, or Back where it was done by looking."""
        view = self.view_of(new)
        before, after = (view.of(getattr(each, view.part.name)) for each in (old, new))
        opened = self._opened(view, before)
        self.panel.tries.take_back(view.id.value, view.tries, before, after, opened)
        self._show_tries()

    def request_now(self) -> PictureRequest[Any]:
        """Return what the present state asks for."""
        view = self.view
        tiles = self.canvas.tiles if view.picture.uses_pixels else (0, 0)
        return PictureRequest(view.asked(self.state), tiles, self.measured)

    def _load(self) -> None:
        """Compute what the state needs, if it is not what is shown already: at once, or on the worker."""
        request, picture = self.request_now(), self.view.picture
        at_once = picture.is_quick(request.state) or self._is_step(request)
        work = work_for(request, picture, at_once=at_once)
        self.requests.want(request, work, at_once=at_once)

    def _on_resized(self) -> None:
        if self._in_order is not None:  # else nothing was shown yet, and what will be loads it
            self._load()

    def _is_step(self, request: PictureRequest[Any]) -> bool:
        """Whether it takes little to go to a request from the picture on show."""
        shown = self.requests.shown
        if shown is None or shown.tiles != request.tiles or self.jobs.is_busy():
            return False
        view = self._view_for(request.state)
        return view is self._view_for(shown.state) and view.picture.is_step(shown.state, request.state)

    def _streams(self, request: PictureRequest[Any], _part: object) -> bool:
        return self._view_for(request.state).picture.stream is not None

    def _on_delivered(self, request: PictureRequest[Any], ready: Ready) -> None:
        view = self._view_for(request.state)
        picture, numbers = view.picture, ready.picture
        self.canvas.heading = picture.title(numbers)
        self.canvas.show_picture(picture, numbers)
        self._show_title()
        self.show_panel_of(view, numbers)
        self._fill_drawer()
        self.say_spot()

    def show_panel_of(self, view: View[Any], numbers: Any) -> None:  # noqa: ANN401 # of the picture of the view
        """Show what stands beside a picture."""
        panel = Panel() if view.picture.reason(numbers) else self.panel_of(view, numbers)
        lines = len(self.panel.formula.lines)
        self.panel.show_panel(panel, is_dragged=self.session.is_held)
        if lines != len(self.panel.formula.lines):
            self._order_tabs()  # a line that is new comes last

    def _fill_drawer(self) -> None:
        """Show in the drawer what the state has, and what is said of the picture on show; of one that is open."""
        if not self.is_open or self._in_order is None:
            return  # a drag need not write what nobody reads, and before the first view there is nothing
        self.drawer.show_state(self.state)
        numbers, shown = self.canvas.picture, self.requests.shown
        if shown is None or numbers is None:
            return
        view = self._view_for(shown.state)
        is_complete = getattr(numbers, "is_complete", True)  # what an example says is of all draws
        ready = self.example_of(view, shown.state) if is_complete else None
        look_for = ready.look_for if ready is not None and self.is_for(view, ready) else ""
        truths = () if ready is None else ready.truths
        self.drawer.show_words(view.picture.notes(numbers), look_for, (*truths, *view.picture.truths))
        self.drawer.show_table(None if view.picture.reason(numbers) else self.table_of(view, numbers))

    def _show_title(self) -> None:
        words = self.view.title if self.withheld else self.canvas.heading
        self.title.set_text(TextLine(words, bold=True, size=20))

    def finished_numbers(self) -> object:
        """Return the numbers of the picture on the screen if it is that of the state, and all of it; else None."""
        requests = self.requests
        is_finished = requests.is_whole and requests.shown is not None and requests.shown.state == self.state
        return self.canvas.picture if is_finished else None

    def show_withheld(self) -> bool:
        self.canvas.withhold(bool(self.withheld))
        self._show_title()
        keep_out_of_sight(bool(self.withheld), self._panel_scroll)
        self._show_examples()
        self.say_spot()
        return True

    def name_examples(self, named: bool) -> None:
        self._names_examples = named
        self._show_examples()
        self._show_tries()
        self.also.setVisible(self.also.isVisible() and named)

    def _show_examples(self) -> None:
        self.bar.keep_examples_to_themselves(bool(self.withheld) or not self._names_examples)

    def ask_for_place(self, wanted: bool) -> None:
        self.canvas.ask_for_place(wanted)

    def show_guess(self, place: tuple[float, float] | None) -> None:
        self.canvas.show_guess(place)

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.kit.pictures.figure import figure_of

        view, state, shown = self.view, self.state, self.finished_numbers()
        if shown is None and not view.picture.is_quick(state):
            raise ExplorerError("The picture is not finished yet. Wait for it, or choose fewer draws, then export it.")
        return figure_of(view, state, self.name, shown)

    # ---- Acting ----

    def show_example(self, ready: Preset[Any]) -> None:
        """Show an example of the view on show; what other views alone set stays."""
        state = loaded(self.state, ready, self._others[self.view.id])
        self.apply(Change(state, f"Load “{ready.title}”"))
        self.begin_again()

    def begin_again(self) -> None:
        self.panel.tries.forget(self.view.id.value)
        self._show_tries()

    def _on_field(self, state: Any, label: str, merge: str) -> None:  # noqa: ANN401 # of the part of the view
        self.apply(Change(state, label, merge))

    def _on_changed(self, change: Change[Any]) -> None:
        """Do what a click on the picture or a key means, or say why it cannot be."""
        if not self._is_refused(change):
            self.apply(change)

    def _is_refused(self, change: Change[Any]) -> bool:
        """Say why the picture cannot change a field, where a control for it would stand grey."""
        reason = self.view.part.reason_against_change(self.state, change.state)
        if reason:
            self.refused.emit(reason)
        return bool(reason)

    def _on_dragged(self, change: Change[Any]) -> None:
        if self._is_refused(change):
            return
        self.session.preview(self.showing(self.view, self.session.state, change.state), change.label)

    def _show_where(self, wanted: Try[Any]) -> None:
        """Give the keyboard to the control that does something to try, or open the example that shows it."""
        reason = Qt.FocusReason.TabFocusReason
        if wanted.example:
            self.show_example(preset_of(self.view.presets, wanted.example))
        elif not wanted.light:
            self.canvas.setFocus(reason)
        elif self.view.main and wanted.light == self.view.main:
            self.main.take_keyboard(self.view, reason)
        elif wanted.light in self.form_of(self.view).controls:
            _focus(self.form_of(self.view).controls[wanted.light])
        else:
            self.open_drawer(True)
            self.drawer.search.clear()
            _focus(self.drawer.form.controls[wanted.light])
        keep_in_view(self.focusWidget() or self.canvas, SETTLES_MILLISECONDS)

    def say_spot(self) -> None:
        self.said.emit(self.canvas.words())

    def _say_of_panel(self, spot: Any) -> None:  # noqa: ANN401 # NOWHERE or a Hit
        # By the picture on show, which may still be that of the view before, as the panel is.
        self.said.emit(self.canvas.words_of(spot))

    def _on_menu_wanted(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.offer_taking(menu)
        menu.popup(where)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_escape = event.key() == Qt.Key.Key_Escape
        if is_escape and self.cancel():
            return
        step = _STEPS.get(event.key())
        if is_escape and self.is_open and not self.is_alone:
            self.open_drawer(False)
        elif step is not None and not event.modifiers() & _NOT_TYPED and self._has_main(self.view):
            self.main.step(self.view, self.state, step)
        else:
            super().keyPressEvent(event)

    def focus_first(self) -> None:
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def _focus(control: QWidget) -> None:
    """Give the keyboard to a control, or to the first of several buttons."""
    takes = control.focusPolicy() != Qt.FocusPolicy.NoFocus
    first = control if takes else next((each for each in control.findChildren(QWidget) if each.isEnabled()), control)
    first.setFocus(Qt.FocusReason.TabFocusReason)
