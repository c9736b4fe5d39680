"""Everything the window can do, as one table: menus, keys, the help and the search are built from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from attention_explorer.pages.registry import PAGES
from attention_explorer.session.settings import ThemeChoice

if TYPE_CHECKING:
    from attention_explorer.window.window import MainWindow


@dataclass(frozen=True, slots=True)
class WindowAction:
    """One entry of the menu bar."""

    id: str
    text: str
    tip: str
    run: Callable[[MainWindow], object] = lambda window: None
    shortcuts: tuple[str, ...] = ()
    checked: Callable[[MainWindow], bool] | None = None


def _wear(choice: ThemeChoice, window: MainWindow) -> None:
    window.set_theme(choice)


def _wears(choice: ThemeChoice, window: MainWindow) -> bool:
    return window.settings.theme is choice


def _show_page(page: str, window: MainWindow) -> None:
    window.show_page(page)


PAGE_MENU = "&Page"
"""The menu that is filled by the page on show."""

Offered: TypeAlias = tuple[WindowAction | None, ...]
"""What a menu offers, in its order; None is a line between."""

_FILE: Offered = (
    WindowAction("new", "&New", "Begin a new session", lambda w: w.files.new(), ("Ctrl+N",)),
    WindowAction(
        "open",
        "&Open…",
        "Open a session, a lesson, a .gguf model or attention (.npz, .npy, .safetensors). A file can also be dropped "
        "on the window.",
        lambda w: w.files.ask_what_to_open(),
        ("Ctrl+O",),
    ),
    WindowAction(
        "open-model",
        "Open &model…",
        "Open a trained model that is on this computer: a Hugging Face folder or a .gguf file. Nothing is downloaded.",
        lambda w: w.files.ask_which_model(),
    ),
    WindowAction("open-recent", "Open &recent", "Open a file that was recently opened or saved"),
    WindowAction(
        "read-again",
        "How the file is rea&d…",
        "Choose which array of a file holds the weights, which axis is which, and how rows of scores become weights",
        lambda w: w.files.ask_how_to_read(),
    ),
    None,
    WindowAction("save", "&Save", "Save every page to a session file", lambda w: w.files.save(), ("Ctrl+S",)),
    WindowAction(
        "save-as",
        "Save &as…",
        "Save every page to another session file",
        lambda w: w.files.save_as(),
        ("Ctrl+Shift+S",),
    ),
    None,
    WindowAction("export", "&Export…", "Save the picture or the numbers", lambda w: w.page.export(), ("Ctrl+E",)),
    WindowAction(
        "present-files",
        "&Present files…",
        "Show session files one after another: Page Down and Page Up go from scene to scene, Esc leaves",
        lambda w: w.tools.presenting.ask(),
    ),
    None,
    WindowAction(
        "goes-on",
        "&Go on where I left off",
        "Start with what was open when the window was last closed. What has no file yet is then kept without asking.",
        lambda w: w.files.set_goes_on(not w.settings.goes_on),
        checked=lambda w: w.settings.goes_on,
    ),
    None,
    WindowAction("quit", "&Quit", "Close the window", lambda w: w.close(), ("Ctrl+Q",)),
)

_EDIT: Offered = (
    WindowAction(
        "undo",
        "&Undo",
        "Undo the last change of what is shown; Back undoes one of how it is looked at",
        lambda w: w.session.undo(),
        ("Ctrl+Z",),
    ),
    WindowAction(
        "redo", "&Redo", "Redo the change that was undone", lambda w: w.session.redo(), ("Ctrl+Shift+Z", "Ctrl+Y")
    ),
    None,
    WindowAction(
        "copy-picture",
        "Copy &picture",
        "Put the picture on the clipboard",
        lambda w: w.page.copy_picture(),
        ("Ctrl+Shift+C",),
    ),
    WindowAction(
        "copy-numbers",
        "Copy &numbers",
        "Put the numbers on the clipboard, as CSV",
        lambda w: w.page.copy_numbers(),
        ("Ctrl+Shift+N",),
    ),
)

_VIEW: Offered = (
    WindowAction("larger", "&Larger", "Enlarge everything", lambda w: w.step_zoom(1), ("Ctrl+=", "Ctrl++")),
    WindowAction("smaller", "S&maller", "Shrink everything", lambda w: w.step_zoom(-1), ("Ctrl+-",)),
    WindowAction("normal", "&Normal size", "100 %", lambda w: w.set_zoom(1.0), ("Ctrl+0",)),
    None,
    *(
        WindowAction(f"theme-{choice}", title, tip, partial(_wear, choice), checked=partial(_wears, choice))
        for choice, title, tip in (
            (ThemeChoice.SYSTEM, "Colours of the &system", "Light or dark, like the desktop"),
            (ThemeChoice.LIGHT, "Li&ght colours", "Dark words on a light window"),
            (ThemeChoice.DARK, "&Dark colours", "Light words on a dark window"),
        )
    ),
    None,
    WindowAction(
        "reduced-motion",
        "&Reduce motion",
        "Nothing moves by itself: Play goes one step at a time, and what is chosen is there at once",
        lambda w: w.set_reduced_motion(not w.settings.reduced_motion),
        checked=lambda w: w.settings.reduced_motion,
    ),
    WindowAction(
        "from-zero",
        "&Count from 0",
        "Number layers, heads and tokens from 0, as papers and code do, in the window, in exports and in typed names",
        lambda w: w.set_from_zero(not w.settings.from_zero),
        checked=lambda w: w.settings.from_zero,
    ),
    WindowAction(
        "memory",
        "&Memory…",
        "How much memory long texts may take while they are on the screen or kept as B",
        lambda w: w.ask_for_memory(),
    ),
    WindowAction(
        "code",
        "&Code in NumPy…",
        "The short program that computes what the page shows now, with its numbers; and what PyTorch does differently",
        lambda w: w.tools.show_code(),
        ("Ctrl+U",),
    ),
    None,
    WindowAction("full-screen", "&Full screen", "Use the whole screen", lambda w: w.toggle_full_screen(), ("F11",)),
    WindowAction(
        "present",
        "&Present",
        "Show the picture alone, with large words; F2 writes a caption, Esc leaves. In a lesson Page Down and Page Up "
        "go from step to step.",
        lambda w: w.tools.presenting.toggle(),
        ("F5",),
    ),
)

_GO: Offered = (
    WindowAction(
        "search", "&Search…", "Find examples, terms, pages and commands", lambda w: w.tools.search.open(), ("Ctrl+K",)
    ),
    None,
    WindowAction(
        "back",
        "&Back",
        "Look at what was looked at before: the page, the picture, what is pinned, the part in view. A button of the "
        "mouse does it too.",
        lambda w: w.session.go_back(),
        ("Alt+Left",),
    ),
    WindowAction(
        "forward", "&Forward", "Look again at what Back has left", lambda w: w.session.go_forward(), ("Alt+Right",)
    ),
    None,
    *(
        WindowAction(
            f"page-{entry.id}", f"&{number} {entry.title}", entry.tip, partial(_show_page, entry.id), (f"Alt+{number}",)
        )
        for number, entry in enumerate(PAGES, 1)
    ),
    None,
    WindowAction(
        "next-page", "&Next page", "Show the page below in the rail", lambda w: w.step_page(1), ("Ctrl+PgDown",)
    ),
    WindowAction("previous-page", "&Previous page", "Show the page above", lambda w: w.step_page(-1), ("Ctrl+PgUp",)),
)

_HELP: Offered = (
    WindowAction(
        "lessons",
        "&Lessons…",
        "Learn attention step by step: predict, then see",
        lambda w: w.tools.show_lessons(),
        ("Ctrl+L",),
    ),
    WindowAction(
        "record-lesson",
        "&Record a lesson…",
        "Do what the class is to see: each change becomes a step, with words and a question if you like. Once more "
        "shows the steps, to be put in order and saved.",
        lambda w: w.tools.record_lesson(),
        ("Ctrl+Shift+R",),
    ),
    None,
    WindowAction(
        "glossary",
        "&Glossary",
        "What the words of the subject mean",
        lambda w: w.tools.terms.show_help(0),
        ("Shift+F1",),
    ),
    WindowAction(
        "shortcuts",
        "&Keys",
        "What the mouse and the keys do; on a control or a term, what that means",
        lambda w: w.tools.terms.help(),
        ("F1",),
    ),
    WindowAction("sources", "&Sources", "The papers cited, and where to read on", lambda w: w.tools.terms.show_help(2)),
    WindowAction(
        "numbers", "What the &numbers are", "How far they can be trusted", lambda w: w.tools.terms.show_help(3)
    ),
    WindowAction(
        "write-lesson",
        "&Write a lesson",
        "The format of lesson files, with an example to begin with",
        lambda w: w.tools.terms.show_help(4),
    ),
    None,
    WindowAction("about", "&About", "Version and licence", lambda w: w.show_about()),
)

MENUS: Mapping[str, Offered] = {
    "&File": _FILE,
    "&Edit": _EDIT,
    "&View": _VIEW,
    "&Go": _GO,
    PAGE_MENU: (),
    "&Help": _HELP,
}

WINDOW_ACTIONS = tuple(action for menu in MENUS.values() for action in menu if action is not None)
