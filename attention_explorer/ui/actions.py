"""Everything the window can do, as one table: menus, shortcuts and the shortcut sheet are built from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention_explorer.session.settings import ThemeChoice

if TYPE_CHECKING:
    from attention_explorer.ui.window import MainWindow


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One entry of the menu bar; an empty text is a separator."""

    id: str
    menu: str
    text: str = ""
    run: Callable[[MainWindow], object] = lambda window: None
    shortcuts: tuple[str, ...] = ()
    tip: str = ""
    checked: Callable[[MainWindow], bool] | None = None


PAGE_MENU = "&Page"
"""The menu that is filled by the page on show."""

MENUS = ("&File", "&Edit", "&View", PAGE_MENU, "&Help")

WINDOW_ACTIONS: tuple[WindowAction, ...] = (
    WindowAction(
        "export",
        "&File",
        "&Export…",
        lambda w: w.page.export(),
        ("Ctrl+E",),
        "Save the picture or the numbers",
    ),
    WindowAction("file-1", "&File"),
    WindowAction("quit", "&File", "&Quit", lambda w: w.close(), ("Ctrl+Q",), "Close the window"),
    WindowAction("undo", "&Edit", "&Undo", lambda w: w.session.undo(), ("Ctrl+Z",), "Take back the last change"),
    WindowAction("redo", "&Edit", "&Redo", lambda w: w.session.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"), "Do it again"),
    WindowAction("edit-1", "&Edit"),
    WindowAction(
        "copy-picture",
        "&Edit",
        "Copy &picture",
        lambda w: w.page.copy_picture(),
        ("Ctrl+Shift+C",),
        "Put the picture on the clipboard",
    ),
    WindowAction(
        "copy-numbers",
        "&Edit",
        "Copy &numbers",
        lambda w: w.page.copy_numbers(),
        ("Ctrl+Shift+N",),
        "Put the numbers on the clipboard, as CSV",
    ),
    WindowAction("larger", "&View", "&Larger", lambda w: w.step_zoom(1), ("Ctrl+=", "Ctrl++"), "Enlarge everything"),
    WindowAction("smaller", "&View", "S&maller", lambda w: w.step_zoom(-1), ("Ctrl+-",), "Shrink everything"),
    WindowAction("normal", "&View", "&Normal size", lambda w: w.set_zoom(1.0), ("Ctrl+0",), "100 %"),
    WindowAction("view-1", "&View"),
    *(
        WindowAction(
            f"theme-{choice}",
            "&View",
            title,
            lambda w, choice=choice: w.set_theme(choice),  # type: ignore[misc]
            (),
            tip,
            lambda w, choice=choice: w.settings.theme is choice,  # type: ignore[misc]
        )
        for choice, title, tip in (
            (ThemeChoice.SYSTEM, "Colours of the &system", "Light or dark, as the desktop is"),
            (ThemeChoice.LIGHT, "Li&ght colours", "Dark on light"),
            (ThemeChoice.DARK, "&Dark colours", "Light on dark"),
        )
    ),
    WindowAction("view-2", "&View"),
    WindowAction(
        "full-screen",
        "&View",
        "&Full screen",
        lambda w: w.toggle_full_screen(),
        ("F11",),
        "Use the whole screen",
    ),
    WindowAction("shortcuts", "&Help", "&Shortcuts", lambda w: w.show_shortcuts(), ("F1",), "What mouse and keys do"),
    WindowAction("about", "&Help", "&About", lambda w: w.show_about(), (), "Version and licence"),
)
