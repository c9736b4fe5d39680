"""Everything the window can do, as one table: menus, keys, the help and the search are built from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention_explorer.pages.registry import PAGES
from attention_explorer.session.settings import ThemeChoice

if TYPE_CHECKING:
    from attention_explorer.window.window import MainWindow


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

MENUS = ("&File", "&Edit", "&View", "&Go", PAGE_MENU, "&Help")

WINDOW_ACTIONS: tuple[WindowAction, ...] = (
    WindowAction("new", "&File", "&New", lambda w: w.files.new(), ("Ctrl+N",), "Begin a new session"),
    WindowAction(
        "open",
        "&File",
        "&Open…",
        lambda w: w.files.ask_what_to_open(),
        ("Ctrl+O",),
        "Open a session, a lesson, a .gguf model or attention (.npz, .npy, .safetensors). A file can also be dropped "
        "on the window.",
    ),
    WindowAction(
        "open-model",
        "&File",
        "Open &model…",
        lambda w: w.files.ask_which_model(),
        (),
        "Open a trained model that is on this computer: a Hugging Face folder or a .gguf file. Nothing is downloaded.",
    ),
    WindowAction("open-recent", "&File", "Open &recent", tip="Open a file that was recently opened or saved"),
    WindowAction(
        "read-again",
        "&File",
        "How the file is rea&d…",
        lambda w: w.files.ask_how_to_read(),
        (),
        "Choose which array of a file holds the weights, which axis is which, and how rows of scores become weights",
    ),
    WindowAction("file-2", "&File"),
    WindowAction("save", "&File", "&Save", lambda w: w.files.save(), ("Ctrl+S",), "Save every page to a session file"),
    WindowAction(
        "save-as",
        "&File",
        "Save &as…",
        lambda w: w.files.save_as(),
        ("Ctrl+Shift+S",),
        "Save every page to another session file",
    ),
    WindowAction("file-3", "&File"),
    WindowAction(
        "export",
        "&File",
        "&Export…",
        lambda w: w.page.export(),
        ("Ctrl+E",),
        "Save the picture or the numbers",
    ),
    WindowAction(
        "present-files",
        "&File",
        "&Present files…",
        lambda w: w.tools.presenting.ask(),
        (),
        "Show session files one after another: Page Down and Page Up go from scene to scene, Esc leaves",
    ),
    WindowAction("file-1", "&File"),
    WindowAction(
        "goes-on",
        "&File",
        "&Go on where I left off",
        lambda w: w.files.set_goes_on(not w.settings.goes_on),
        (),
        "Start with what was open when the window was last closed. What has no file yet is then kept without asking.",
        lambda w: w.settings.goes_on,
    ),
    WindowAction("file-4", "&File"),
    WindowAction("quit", "&File", "&Quit", lambda w: w.close(), ("Ctrl+Q",), "Close the window"),
    WindowAction(
        "undo",
        "&Edit",
        "&Undo",
        lambda w: w.session.undo(),
        ("Ctrl+Z",),
        "Undo the last change of what is shown; Back undoes one of how it is looked at",
    ),
    WindowAction(
        "redo",
        "&Edit",
        "&Redo",
        lambda w: w.session.redo(),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "Redo the change that was undone",
    ),
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
            (ThemeChoice.SYSTEM, "Colours of the &system", "Light or dark, like the desktop"),
            (ThemeChoice.LIGHT, "Li&ght colours", "Dark words on a light window"),
            (ThemeChoice.DARK, "&Dark colours", "Light words on a dark window"),
        )
    ),
    WindowAction("view-4", "&View"),
    WindowAction(
        "reduced-motion",
        "&View",
        "&Reduce motion",
        lambda w: w.set_reduced_motion(not w.settings.reduced_motion),
        (),
        "Nothing moves by itself: Play goes one step at a time, and what is chosen is there at once",
        lambda w: w.settings.reduced_motion,
    ),
    WindowAction(
        "from-zero",
        "&View",
        "&Count from 0",
        lambda w: w.set_from_zero(not w.settings.from_zero),
        (),
        "Number layers, heads and tokens from 0, as papers and code do, in the window, in exports and in typed names",
        lambda w: w.settings.from_zero,
    ),
    WindowAction(
        "memory",
        "&View",
        "&Memory…",
        lambda w: w.ask_for_memory(),
        (),
        "How much memory long texts may take while they are on the screen or kept as B",
    ),
    WindowAction(
        "code",
        "&View",
        "&Code in NumPy…",
        lambda w: w.tools.show_code(),
        ("Ctrl+U",),
        "The short program that computes what the page shows now, with its numbers; and what PyTorch does differently",
    ),
    WindowAction("view-3", "&View"),
    WindowAction(
        "full-screen",
        "&View",
        "&Full screen",
        lambda w: w.toggle_full_screen(),
        ("F11",),
        "Use the whole screen",
    ),
    WindowAction(
        "present",
        "&View",
        "&Present",
        lambda w: w.tools.presenting.toggle(),
        ("F5",),
        "Show the picture alone, with large words; F2 writes a caption, Esc leaves. In a lesson Page Down and Page Up "
        "go from step to step.",
    ),
    WindowAction(
        "search",
        "&Go",
        "&Search…",
        lambda w: w.tools.search.open(),
        ("Ctrl+K",),
        "Find examples, terms, pages and commands",
    ),
    WindowAction("go-3", "&Go"),
    WindowAction(
        "back",
        "&Go",
        "&Back",
        lambda w: w.session.go_back(),
        ("Alt+Left",),
        "Look at what was looked at before: the page, the picture, what is pinned, the part in view. A button of the "
        "mouse does it too.",
    ),
    WindowAction(
        "forward",
        "&Go",
        "&Forward",
        lambda w: w.session.go_forward(),
        ("Alt+Right",),
        "Look again at what Back has left",
    ),
    WindowAction("go-1", "&Go"),
    *(
        WindowAction(
            f"page-{entry.id}",
            "&Go",
            f"&{number} {entry.title}",
            lambda w, page=entry.id: w.show_page(page),  # type: ignore[misc]
            (f"Alt+{number}",),
            entry.tip,
        )
        for number, entry in enumerate(PAGES, 1)
    ),
    WindowAction("go-2", "&Go"),
    WindowAction(
        "next-page", "&Go", "&Next page", lambda w: w.step_page(1), ("Ctrl+PgDown",), "Show the page below in the rail"
    ),
    WindowAction(
        "previous-page", "&Go", "&Previous page", lambda w: w.step_page(-1), ("Ctrl+PgUp",), "Show the page above"
    ),
    WindowAction(
        "lessons",
        "&Help",
        "&Lessons…",
        lambda w: w.tools.show_lessons(),
        ("Ctrl+L",),
        "Learn attention step by step: predict, then see",
    ),
    WindowAction(
        "record-lesson",
        "&Help",
        "&Record a lesson…",
        lambda w: w.tools.record_lesson(),
        ("Ctrl+Shift+R",),
        "Do what the class is to see: each change becomes a step, with words and a question if you like. Once more "
        "shows the steps, to be put in order and saved.",
    ),
    WindowAction("help-1", "&Help"),
    WindowAction(
        "glossary",
        "&Help",
        "&Glossary",
        lambda w: w.tools.terms.show_help(0),
        ("Shift+F1",),
        "What the words of the subject mean",
    ),
    WindowAction(
        "shortcuts",
        "&Help",
        "&Keys",
        lambda w: w.tools.terms.help(),
        ("F1",),
        "What the mouse and the keys do; on a control or a term, what that means",
    ),
    WindowAction(
        "sources",
        "&Help",
        "&Sources",
        lambda w: w.tools.terms.show_help(2),
        (),
        "The papers cited, and where to read on",
    ),
    WindowAction(
        "numbers",
        "&Help",
        "What the &numbers are",
        lambda w: w.tools.terms.show_help(3),
        (),
        "How far they can be trusted",
    ),
    WindowAction(
        "write-lesson",
        "&Help",
        "&Write a lesson",
        lambda w: w.tools.terms.show_help(4),
        (),
        "The format of lesson files, with an example to begin with",
    ),
    WindowAction("help-2", "&Help"),
    WindowAction("about", "&Help", "&About", lambda w: w.show_about(), (), "Version and licence"),
)
