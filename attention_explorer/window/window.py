"""The main window: a rail of pages, menus, status bar, and the look of it all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QChildEvent, QEvent, QObject, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QIcon,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QLabel,
    QLayout,
    QMenu,
    QStackedWidget,
    QWidget,
)

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.counting import Count
from attention_explorer.kit.controls.made import discard, in_column, in_row
from attention_explorer.kit.controls.panel_scroll import bring_into_view
from attention_explorer.kit.controls.text_block import TermBlock
from attention_explorer.kit.reach import Spotlight, written
from attention_explorer.kit.read_out import ReadOut
from attention_explorer.kit.theme import DARK, LIGHT, Look, Theme, palette, stylesheet
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.old_names import PAGES as OLD_PAGES
from attention_explorer.pages.registry import PAGES, PageEntry, ReadyMade, in_view, pages_changed
from attention_explorer.pages.ui.page import Page
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import (
    LEAST_MEMORY,
    MOST_MEMORY,
    ZOOM_STEPS,
    Settings,
    SettingsStore,
    ThemeChoice,
)
from attention_explorer.tools.host import Host
from attention_explorer.tools.registry import Tools
from attention_explorer.window.actions import MENUS, PAGE_MENU, WINDOW_ACTIONS, WindowAction
from attention_explorer.window.rail import Rail, program_icon
from attention_explorer.window.session_files import SessionFiles

FIRST_SIZE = QSize(1280, 800)
TITLE_BAR = 36
"""Pixels kept for the title bar, whose height is not known before the window is there."""
MESSAGE_MILLISECONDS = 6000
_CLICKS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease)


def system_is_dark() -> bool:
    """Return whether the desktop asks for dark colours."""
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark


class MainWindow(Host):
    """Shows one page at a time and keeps what belongs to all of them."""

    def __init__(self, session: Session, store: SettingsStore, settings: Settings | None = None) -> None:
        super().__init__()
        self.session: Session = session
        session.setParent(self)  # so that it goes after the window, not while the window still listens to it
        self._store = store
        self.settings: Settings = store.load() if settings is None else settings
        if self.settings.page in OLD_PAGES:  # as it was called when the settings were stored
            page, state = in_view(session.state, self.settings.page)
            self.settings = replace(self.settings, page=page)
            session.restart(state)
        CACHE.on_show_bytes = self.settings.memory * 2**20
        session.count_from(Count.FROM_ZERO if self.settings.from_zero else Count.FROM_ONE)
        self.look = Look(self._theme(), self.settings.zoom)
        self._sheet, self._bare_zoom = "", 0.0
        self.setWindowIcon(program_icon())
        self._pages: dict[str, Page] = {}
        self._page_actions: dict[Page, list[QAction]] = {}
        self._actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self._stack = QStackedWidget()
        self.tools = Tools(self)
        self._spotlight: Spotlight | None = None
        self._lit: tuple[str, ...] = ()
        self._lit_picture = ""
        self.instead: QWidget | None = None
        self._aside: list[QWidget] = []
        self._make_rail()
        self._make_body()
        self._make_menus()
        self._make_status_bar()
        self.files: SessionFiles = SessionFiles(self, store)
        self._actions["open-recent"].setMenu(self.files.recent_menu)
        self.setAcceptDrops(True)
        self.session.changed.connect(self._on_changed)
        self.session.undone.connect(self._on_undone)
        self.session.redone.connect(lambda old, new, text: self._show_step(old, new, f"Redone: {text}."))
        self.session.turned_back.connect(self.show_page)
        self.session.went_back.connect(lambda _old, _new, text: self._say_where("Back to before", text))
        self.session.went_forward.connect(lambda _old, _new, text: self._say_where("Forward to", text))
        for steps in (self.session.history, self.session.views):
            steps.changed.connect(self._show_history)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_scheme_changed)
        self._colour_application()
        self.show_page(self.settings.page)
        self._wear()
        self._restore_geometry()
        self._show_history()

    # ---- Building ----

    def _make_rail(self) -> None:
        rail = self.rail = Rail()
        rail.add_place("lessons", "Lessons", "Learn attention step by step (Ctrl+L)", self.tools.show_lessons)
        for number, entry in enumerate(PAGES, 1):
            rail.add_place(entry.id, entry.title, f"{entry.tip} (Alt+{number})", partial(self.show_page, entry.id))
        rail.add_stretch()
        rail.add("back", "Back", "Look at what was looked at before (Alt+Left)", self.session.go_back)
        rail.add("undo", "Undo", "Undo the last change (Ctrl+Z)", self.session.undo)
        rail.add("redo", "Redo", "Redo the change that was undone (Ctrl+Shift+Z)", self.session.redo)
        rail.add("theme", "Colours", "Light or dark", self.switch_theme)

    def _make_body(self) -> None:
        body = self._body = QWidget()
        self._cover = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._cover.setObjectName("muted")
        self._cover.hide()
        self._column = in_column((self._stack, 1), (self._cover, 1), space=0)
        in_row(self.rail, (self._column, 1), within=body, space=0)
        self.setCentralWidget(body)

    def _make_menus(self) -> None:
        for title, offered in MENUS.items():
            menu = self._menus[title] = self.menuBar().addMenu(title)
            for spec in offered:
                if spec is None:
                    menu.addSeparator()
                else:
                    menu.addAction(self._action(spec))

    def _action(self, spec: WindowAction) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(key) for key in spec.shortcuts])
        action.setStatusTip(spec.tip)
        action.setCheckable(spec.checked is not None)
        action.triggered.connect(lambda: spec.run(self))
        self._actions[spec.id] = action
        return action

    def action(self, identifier: str) -> QAction:
        """Return an action of the menus by its id."""
        return self._actions[identifier]

    def actions_offered(self) -> list[QAction]:
        """Return what the menus offer on every page, each with its id as its name."""
        return list(self._actions.values())

    @staticmethod
    def keys_offered() -> list[tuple[str, str]]:
        """Return every shortcut that works on all pages with what it does, for the help."""
        rows = ((", ".join(map(written, each.shortcuts)), each.text) for each in WINDOW_ACTIONS if each.shortcuts)
        return [(keys, text.replace("&", "").rstrip("…")) for keys, text in rows]

    def _make_status_bar(self) -> None:
        self._readout = ReadOut(self.look, "Read-out")
        self._history = QLabel()
        # The read-out shows the messages of the bar too. The bar would hide it and paint them in its place, but laying
        # out anew, at another size, shows what it hid: the first letter of a message stayed beside the read-out.
        self.statusBar().addPermanentWidget(self._readout, 1)
        self.statusBar().addPermanentWidget(self._history)
        self.statusBar().messageChanged.connect(self._readout.set_message)
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().setContentsMargins(0, 0, 6, 0)

    # ---- Pages ----

    @property
    def page(self) -> Page:
        """The page on show."""
        page = self._stack.currentWidget()
        if not isinstance(page, Page):
            raise TypeError("The window holds pages only.")
        return page

    @property
    def kept_folder(self) -> Path | None:
        """Where what is not saved is kept; None where nothing is."""
        return None if self.files.keeper is None else self.files.keeper.folder

    def show_page(self, identifier: str) -> None:
        """Show a page, making it if it was not shown before; an old name shows where that is now, others the first."""
        if identifier in OLD_PAGES:
            identifier, state = in_view(self.session.state, identifier)
            self.session.apply(state, "Show another picture")
        entry = next((entry for entry in PAGES if entry.id == identifier), PAGES[0])
        self.show_page_again()
        page = self.made_page(entry)
        if page is not self.page:
            self.page.leave()
            self.say("")  # what was said of the other page
            self.statusBar().clearMessage()
        self._dress(page)
        self._stack.setCurrentWidget(page)
        self.rail.mark(entry.id)
        self.settings = replace(self.settings, page=entry.id)
        self.session.turn_to(entry.id, f"Show {entry.title}")
        self._fill_page_menu(page, entry.title)
        page.enter(self.session.state)
        page.focus_first()
        self.turned.emit()

    def begin_on(self, identifier: str) -> None:
        """Show a page that was asked for before there was a window: there is nothing to go back to."""
        self.show_page(identifier)
        self.session.views.clear()

    def made_page(self, entry: PageEntry) -> Page:
        """Return a page, making it if it was not shown before."""
        if entry.id not in self._pages:
            page = entry.make(self.session, self.look)
            page.said.connect(self.say)
            page.under_way.connect(self.tell)
            page.done.connect(self.tell)
            page.refused.connect(self.tell)
            page.compare_wanted.connect(self.files.ask_what_to_compare)
            page.files_to_compare_wanted.connect(self.files.add_what_to_compare)
            page.find_wanted.connect(self.files.lost.find)
            page.reopen_wanted.connect(self.files.lost.reopen)
            page.reading_wanted.connect(self.files.ask_how_to_read)
            page.page_wanted.connect(self.show_page)
            page.guessed.connect(self.guessed)
            page.code_wanted.connect(self.tools.show_code)
            page.present_wanted.connect(self.tools.present)
            page.withholding.connect(self.turned)
            page.drawer_turned.connect(partial(self._remember_drawer, entry.id))
            page.set_moves(not self.settings.reduced_motion)
            page.begin_open(entry.id in self.settings.drawers)
            self._pages[entry.id] = page
            self._page_actions[page] = self._actions_of(page)
            self._stack.addWidget(page)
            for words in page.findChildren(TermBlock):
                words.term_wanted.connect(self.tools.explain)
        return self._pages[entry.id]

    def _remember_drawer(self, page: str, is_open: bool) -> None:
        others = tuple(other for other in self.settings.drawers if other != page)
        self.settings = replace(self.settings, drawers=(*others, page) if is_open else others)

    def step_page(self, steps: int) -> None:
        """Show the page so many below in the rail, from the last on the first again."""
        at = next(place for place, entry in enumerate(PAGES) if entry.id == self.settings.page)
        self.show_page(PAGES[(at + steps) % len(PAGES)].id)

    def show_preset(self, ready: ReadyMade) -> None:
        """Show a preset on its page; undo brings back what was there."""
        self.page.stop()
        self.session.apply(ready.put_into(self.session.state), f"Load “{ready.title}”")
        self.show_page(ready.page)
        self.page.begin_again()

    # ---- What of a page is shown ----

    def light(self, names: tuple[str, ...]) -> None:
        """Dim the page on show but for some parts, by the names of `reach`; for none, dim nothing."""
        self._lit = names
        self.page.reveal(names)
        if self._spotlight is not None:
            discard(self._spotlight)
        self._spotlight = Spotlight(self.page, names, self.look) if names else None
        self._lit_picture = self.page.picture_name

    def show_lit(self) -> None:
        """Scroll the page to what is lit, or to its top where nothing is."""
        if self._spotlight is None:
            self.page.show_top()
        else:
            self._spotlight.bring_into_view()

    def _fill_page_menu(self, page: Page, title: str) -> None:
        menu = self._menus[PAGE_MENU]
        menu.clear()  # which deletes none of them: they are the pages'
        menu.setTitle(f"&{title}")
        menu.addActions(self._page_actions[page])

    @staticmethod
    def _actions_of(page: Page) -> list[QAction]:
        """Return what stands in the menu of a page; made once, as its keys take longer than to show them again."""
        made = []
        for offered in page.actions_offered():
            action = QAction(offered.text, page)
            action.setSeparator(not offered.text)
            action.setShortcut(QKeySequence(offered.shortcut))
            action.setStatusTip(offered.tip)
            action.triggered.connect(lambda _checked=False, run=offered.run: run(page))
            made.append(action)
        return made

    def _on_changed(self, old: ExplorerState, new: ExplorerState) -> None:
        self.statusBar().clearMessage()  # what was refused before is no longer what is shown
        self.show_page_again()
        self.page.follow(old, new)
        if self._spotlight is not None and self._lit_picture != self.page.picture_name:
            self.light(self._lit)  # another view has parts of the same names
        offered = self._actions["undo"].isEnabled(), self._actions["back"].isEnabled()
        if offered != (self.session.can_undo, self.session.can_go_back):
            self._show_history()

    def _on_undone(self, old: ExplorerState, new: ExplorerState, label: str) -> None:
        before = self.files.recordings.page_before(old.heads, label)
        if before:
            self.show_page(before)
            self.tell(f"Undone: {label}.")
        else:
            self._show_step(old, new, f"Undone: {label}.")

    def _show_step(self, old: ExplorerState, new: ExplorerState, message: str) -> None:
        """Go to the page on which undo or redo has changed something, if that is not seen here, and say what."""
        changed = pages_changed(old, new)
        if changed and self.settings.page not in changed:
            self.show_page(changed[0])
            self.tell(message)

    def _say_where(self, way: str, text: str) -> None:
        if text:
            self.tell(f"{way} “{text}”.")

    # ---- Beside and over the page ----

    def stand_below(self, words: QWidget) -> None:
        """Let words stand below whatever page is on show."""
        words.setStyleSheet(self._sheet)
        self._column.addWidget(words)
        words.show()

    def stand_above(self, card: QWidget) -> None:
        """Let a card stand above whatever page is on show."""
        card.setStyleSheet(self._sheet)
        self._column.insertWidget(0, card)
        card.show()  # now: Qt would show it an event later, and what is to have the keyboard could not take it

    def cover(self, words: str) -> None:
        """Show words in place of the page, until it may be seen."""
        self._cover.setText(words)
        self._cover.show()
        self._stack.hide()
        self.turned.emit()

    def uncover(self) -> None:
        """Show the page again."""
        self._cover.hide()
        self._stack.show()
        self.turned.emit()

    def show_instead(self, other: QWidget, button: str) -> None:
        """Show something in place of the page and what stands around it, as the rail's button of that name says."""
        if self.instead is None:
            self.page.stop()  # also what is dragged: the button is let go where nobody hears it
            self.session.revert()
            parts = self._body.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            self._aside = [part for part in parts if self._column.indexOf(part) >= 0 and not part.isHidden()]
            for part in self._aside:
                part.hide()
        else:
            discard(self.instead)
        self.instead = other
        self._menus[PAGE_MENU].menuAction().setEnabled(False)  # and with it the keys of a page that is not seen
        other.setStyleSheet(self._sheet)
        self._column.addWidget(other, 1)
        other.show()
        self.rail.mark(button)
        self.turned.emit()

    def show_page_again(self) -> None:
        """Show the page again in place of what was shown instead, if anything was."""
        if self.instead is None:
            return
        discard(self.instead)
        self.instead = None
        self._menus[PAGE_MENU].menuAction().setEnabled(True)
        for part in self._aside:
            part.show()
        self._aside = []
        self.rail.mark(self.settings.page)
        self.page.focus_first()
        self.turned.emit()

    # ---- Status bar ----

    def say(self, text: str) -> None:
        """Show a read-out in the status bar."""
        self._readout.set_text(text)

    def tell(self, text: str) -> None:
        """Say for some seconds what was done, or why something was refused."""
        self.statusBar().showMessage(text, MESSAGE_MILLISECONDS)

    def _show_history(self) -> None:
        session = self.session
        for name, words, possible, text in (
            ("undo", "&Undo", session.can_undo, session.undo_text),
            ("redo", "&Redo", session.history.can_redo, session.history.redo_text),
            ("back", "&Back to before", session.can_go_back, session.back_text),
            ("forward", "&Forward to", session.views.can_redo, session.views.redo_text),
        ):
            self._actions[name].setEnabled(possible)
            self._actions[name].setText(f"{words} “{text}”" if possible else words.split()[0])
            if name in self.rail.buttons:
                keys, tip = written(self._actions[name].shortcut().toString()), self._actions[name].text()
                self.rail.enable(name, f"{tip.replace('&', '')} ({keys})" if possible else "")
        self._history.setText(f"undo: {session.undo_text}" if session.can_undo else "")

    # ---- Look ----

    def _theme(self) -> Theme:
        choice = self.settings.theme
        if choice is ThemeChoice.SYSTEM:
            return DARK if system_is_dark() else LIGHT
        return DARK if choice is ThemeChoice.DARK else LIGHT

    def _wear(self) -> None:
        """Put the current look on everything."""
        self.look = look = Look(self._theme(), self._bare_zoom or self.settings.zoom)
        self._colour_application()
        # Not on the window as a whole: Qt would style every widget of every page anew, seen or not.
        self._sheet = stylesheet(look)
        own = [child for child in self.children() if isinstance(child, QWidget) and child.isWindow()]
        shown = [] if self.instead is None else [self.instead]
        for part in (self.menuBar(), self.rail, self.statusBar(), self._cover, *shown, *own):
            part.setStyleSheet(self._sheet)
        self.statusBar().setFixedHeight(look.px(26))
        self._readout.set_look(look)
        self.rail.set_look(look)
        self._fit_rail()
        if self._spotlight is not None:
            self._spotlight.set_look(look)
        self.worn.emit()
        self._dress(self.page)
        for spec in WINDOW_ACTIONS:
            if spec.checked is not None:
                self._actions[spec.id].setChecked(spec.checked(self))

    def _dress(self, page: Page) -> None:
        """Put the current look on a page. One that is not seen goes on wearing another until it is shown."""
        if page.look != self.look:
            if page is not self.page:
                page.on_show = None
            page.set_look(self.look)
        # Last and once: while a page is still being put together every new widget would be styled over and over.
        if page.styleSheet() != self._sheet:
            page.setStyleSheet(self._sheet)
            # Qt leaves those within a tab out of view as they are, and what they ask for counts all the same.
            for layout in page.findChildren(QLayout):
                layout.invalidate()

    def childEvent(self, event: QChildEvent) -> None:
        """Style dialogs and menus that belong to no page."""
        super().childEvent(event)
        if event.type() is not QEvent.Type.ChildPolished:
            return  # to learn of what class a child is, PySide makes a hundred others first
        child = event.child()
        if isinstance(child, QWidget) and child.isWindow():
            child.setStyleSheet(self._sheet)
            for box in child.findChildren(QDialogButtonBox):  # made before there was a style sheet that says so
                for button in box.buttons():
                    button.setIcon(QIcon())

    def _fit_rail(self) -> None:
        self.rail.fit(self.height() - self.look.px(60))

    def focusNextPrevChild(self, forward: bool) -> bool:
        reached = super().focusNextPrevChild(forward)
        bring_into_view(self.focusWidget())
        return reached

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().height() != event.oldSize().height():
            self._fit_rail()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.windowHandle().installEventFilter(self)  # pictures would take every button of the mouse for themselves

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go back and forward with the buttons of the mouse that are there for it, wherever the pointer is."""
        if watched is self.windowHandle() and event.type() in _CLICKS and isinstance(event, QMouseEvent):
            ways = {Qt.MouseButton.BackButton: "back", Qt.MouseButton.ForwardButton: "forward"}
            way = ways.get(event.button())
            if way is not None:
                if event.type() is not QEvent.Type.MouseButtonRelease and event.buttons() == event.button():
                    self._actions[way].trigger()
                return True
        return super().eventFilter(watched, event)

    def _colour_application(self) -> None:
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.setPalette(palette(self.look.theme))
            application.setFont(self.look.font())

    def set_theme(self, choice: ThemeChoice) -> None:
        """Wear light or dark colours, or those of the system."""
        self.settings = replace(self.settings, theme=choice)
        self._wear()

    def set_bare(self, zoom: float) -> None:
        """Show the page alone at a size of its own, without menus, rail and status bar; 0 shows the whole window."""
        self._bare_zoom = zoom
        for part in (self.menuBar(), self.rail, self.statusBar()):
            part.setVisible(not zoom)
        self._wear()

    def switch_theme(self) -> None:
        """Wear the other colours."""
        self.set_theme(ThemeChoice.LIGHT if self.look.theme is DARK else ThemeChoice.DARK)

    def _on_system_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self.settings.theme is ThemeChoice.SYSTEM and self._theme() is not self.look.theme:
            self._wear()

    def set_zoom(self, zoom: float) -> None:
        """Show everything at another size."""
        if zoom != self.settings.zoom:
            self.settings = replace(self.settings, zoom=zoom)
            self._wear()
        self.tell(f"Size {round(zoom * 100)} %")

    def step_zoom(self, steps: int) -> None:
        """Show everything some steps larger or smaller."""
        at = ZOOM_STEPS.index(self.settings.zoom) + steps
        self.set_zoom(ZOOM_STEPS[min(max(at, 0), len(ZOOM_STEPS) - 1)])

    def set_reduced_motion(self, reduced: bool) -> None:
        """Let nothing move by itself, or let it move again."""
        self.settings = replace(self.settings, reduced_motion=reduced)
        self._actions["reduced-motion"].setChecked(reduced)
        for page in self._pages.values():
            page.set_moves(not reduced)

    def set_from_zero(self, from_zero: bool) -> None:
        """Count layers, heads and tokens from 0, or from 1."""
        self.settings = replace(self.settings, from_zero=from_zero)
        self._actions["from-zero"].setChecked(from_zero)
        self.session.count_from(Count.FROM_ZERO if from_zero else Count.FROM_ONE)

    def ask_for_memory(self) -> None:
        """Ask how much memory may be taken for what is on show."""
        # Not before it is wanted: the window opens faster.
        from PySide6.QtWidgets import QInputDialog

        label = "Memory for what is on the screen or kept as B, in MiB:"
        bounds = LEAST_MEMORY, MOST_MEMORY, 256  # and the step of the arrows
        memory, is_chosen = QInputDialog.getInt(self, "Memory", label, self.settings.memory, *bounds)
        if is_chosen:
            self.settings = replace(self.settings, memory=memory)
            CACHE.on_show_bytes = memory * 2**20

    def toggle_full_screen(self) -> None:
        """Use the whole screen, or go back."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    # ---- Dialogs and closing ----

    def show_about(self) -> None:
        """Say what the program is."""
        from attention_explorer.window.session_dialogs import about_dialog

        about_dialog(self).open()

    def could_not_open(self, path: Path, reason: str) -> None:
        """Say why a file cannot be opened."""
        self.files.could_not_open(path, reason)

    def _restore_geometry(self) -> None:
        if not (self.settings.geometry and self.restoreGeometry(QByteArray(self.settings.geometry))):
            screen = QGuiApplication.primaryScreen().availableSize()
            self.resize(FIRST_SIZE.boundedTo(screen - QSize(0, TITLE_BAR)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.files.dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.files.drop(event.mimeData()):
            event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.page.stop()
        self.tools.leave_lesson()
        if not self.files.may_close():
            event.ignore()
            return
        self.tools.keep_recording()
        self.page.leave()
        self.settings = replace(self.settings, geometry=bytes(self.saveGeometry().data()))
        self._store.save(self.settings)
        super().closeEvent(event)
