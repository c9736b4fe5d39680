"""What a clumsy user does: each function is one thing done to whatever is on the screen, chosen by a random number."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from attention_explorer.pages.registry import PAGE_IDS, presets_of
from attention_explorer.pages.session_file import SUFFIX, write_session
from attention_explorer.pages.training.ui.page import TrainingPage
from attention_explorer.pages.training.ui.take import TAKINGS
from attention_explorer.tools.lessons.progress import TAKES
from attention_explorer.tools.lessons.reading import SUFFIX as LESSON_SUFFIX
from attention_explorer.tools.lessons.reading import lessons
from attention_explorer.window.actions import WINDOW_ACTIONS
from soak.scene import Scene, named

FIELDS = (QAbstractSpinBox, QLineEdit, QPlainTextEdit)
FILES = (f"one{SUFFIX}", "two", "figure.png", "figure.svg", "numbers.csv", "a b ü.pdf", "x.unknown")
MODIFIERS = (
    *[Qt.KeyboardModifier.NoModifier] * 6,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier,
)
CONTROL = Qt.KeyboardModifier.ControlModifier
WORDS = (
    "the cat sat",
    "it",
    "x",
    "",
    " ",
    "tired because it was too wide " * 3,
    "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 3,
    "🙂🙃👩‍👩‍👧‍👦 🇩🇪",
    "שלום עולם مرحبا",
    "é́́́ ﬁ İı ß",
    "tab\tand\x00null\x07\x1b[31m",
    "line\nfeed\r\n",
    "\u202eright to left\u202c \u200b zero",
    "<b>bold</b> &amp; &x %s {0} \\",
    "𝔘𝔫𝔦 漢字 한국",
    "1 2 3; 4 5 6",
)
NUMBERS = (
    *("nan", "NaN", "inf", "-inf", "1e400", "-1e400", "1e-400", "-0", "-0.0", "", "1,5", "1.5", "0", "7", "-3", "+2"),
    *("1e3", "0x10", "١٢", "½", "1 000", "--", "e", ".", "99999999999999999999", "0.1", "64", "12.345678901234567"),
)
SEARCHED = ("soft", "key", "pos", "lesson", "e", "play", "s m", "zzz")
DATA = Path(__file__).parents[1] / "data"
LESSON_FILES = sorted((DATA / "lessons").glob(f"*{LESSON_SUFFIX}"))
OF_ATTENTION = ("bert", "gpt2", "t5", "llama-gguf/model-q8_0.gguf", "oracle_minilm.npz")
"""Models, and a file of attention that asks how it is to be read."""
KEYS = tuple(
    getattr(Qt.Key, f"Key_{name}")
    for name in (
        *("Left", "Right", "Up", "Down", "Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown", "Space"),
        *("Return", "Escape", "Delete", "Insert", "Backspace", "Tab", "Backtab", "Plus", "Minus", "F1", "F5", "F11"),
        *("A", "B", "C", "E", "H", "M", "N", "P", "S", "T", "0", "1", "2", "5", "9"),
    )
)
SIZES = ((640, 480), (800, 600), (1024, 700), *[(1280, 800)] * 6, (1920, 1080), (2560, 1440), (3840, 2160))


# ---- The mouse ----


def click_control(scene: Scene) -> None:
    """Click a button, tab, field, slider …"""
    control = scene.any_control()
    if control is None:
        return
    at = scene.place_on(control)
    scene.note(f"click {named(control)} at {at.x()}, {at.y()}")
    scene.hand.click(control, at, keys=scene.dice.choice(MODIFIERS))


def click_anywhere(scene: Scene) -> None:
    """Click wherever it may be, with any button."""
    target = scene.dice.choice((scene.surface, scene.any_canvas()))
    at = scene.place_on(target)
    button = scene.dice.choice(
        (*[Qt.MouseButton.LeftButton] * 4, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)
    )
    keys = scene.dice.choice(MODIFIERS)
    scene.note(f"{button.name} on {named(target)} at {at.x()}, {at.y()} {keys.name}")
    scene.hand.click(target, at, button, keys)
    if scene.dice.random() < 0.2:
        scene.hand.double_click(target, at)


def drag(scene: Scene) -> None:
    """Press, move, perhaps do something silly meanwhile, let go."""
    dice, hand = scene.dice, scene.hand
    target = scene.any_canvas() if dice.random() < 0.75 else (scene.any_control() or scene.surface)
    start, end = scene.place_on(target), scene.place_on(target)
    if dice.random() < 0.15:
        end += QPoint(dice.randint(-2000, 2000), dice.randint(-2000, 2000))
    button = dice.choice((*[Qt.MouseButton.LeftButton] * 6, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton))
    keys, moves, at_move = dice.choice(MODIFIERS), dice.randint(1, 8), dice.randint(0, 9)
    silly = dice.choice(SILLY)
    scene.note(f"drag {button.name} {named(target)} {start.x()},{start.y()} to {end.x()},{end.y()} {keys.name}")
    hand.move(target, start)
    hand.press(target, start, button, keys)
    for i in range(moves):
        hand.move(target, start + (end - start) * ((i + 1) / moves))
        if i == at_move:
            scene.note(f"in it: {silly.__name__.strip('_')}")
            silly(scene, target, end)
    hand.release(target, end, button, keys)


def _escape(scene: Scene, _target: QWidget, _at: QPoint) -> None:
    scene.hand.key(Qt.Key.Key_Escape)


def _undo(scene: Scene, _target: QWidget, _at: QPoint) -> None:
    for _ in range(scene.dice.randint(1, 15)):
        scene.hand.key(Qt.Key.Key_Z, CONTROL)


def _keys_meanwhile(scene: Scene, _target: QWidget, _at: QPoint) -> None:
    for _ in range(scene.dice.randint(1, 3)):
        scene.hand.key(scene.dice.choice(KEYS))


def _shortcut_meanwhile(scene: Scene, _target: QWidget, _at: QPoint) -> None:
    press_shortcut(scene)


def _second_button(scene: Scene, target: QWidget, at: QPoint) -> None:
    scene.hand.press(target, at, Qt.MouseButton.RightButton)
    scene.hand.release(target, at, Qt.MouseButton.RightButton)


def _wheel_meanwhile(scene: Scene, target: QWidget, at: QPoint) -> None:
    scene.hand.wheel(target, at, scene.dice.choice((-3, 3)))


def _switch_page(scene: Scene, _target: QWidget, _at: QPoint) -> None:
    # Not possible with one hand on the mouse; the keyboard has it in menus.
    scene.world.turn(lambda: scene.world.window.show_page(scene.dice.choice(PAGE_IDS)))


def _resize_meanwhile(scene: Scene, _target: QWidget, _at: QPoint) -> None:
    scene.world.turn(lambda: scene.world.window.resize(*scene.dice.choice(SIZES)))


SILLY = (
    _escape,
    _undo,
    _keys_meanwhile,
    _shortcut_meanwhile,
    _second_button,
    _wheel_meanwhile,
    _switch_page,
    _resize_meanwhile,
)
"""What may happen in the middle of a drag."""


def turn_wheel(scene: Scene) -> None:
    """Turn the wheel over a picture, a control or anything."""
    target = scene.dice.choice((scene.any_canvas(), scene.any_control() or scene.surface, scene.surface))
    at, keys = scene.place_on(target), scene.dice.choice(MODIFIERS)
    scene.note(f"wheel over {named(target)} {keys.name}")
    for _ in range(scene.dice.randint(1, 5)):
        scene.hand.wheel(target, at, scene.dice.choice((-1, 1, 0.2, -0.2, -4, 4)), keys)


def hover(scene: Scene) -> None:
    """Move the pointer over a picture."""
    target = scene.any_canvas()
    scene.note(f"hover over {named(target)}")
    for _ in range(scene.dice.randint(1, 12)):
        scene.hand.move(target, scene.place_on(target))


# ---- The keyboard ----


def press_keys(scene: Scene) -> None:
    """Press some keys, one of them perhaps many times."""
    keys = [scene.dice.choice(KEYS) for _ in range(scene.dice.randint(1, 4))]
    modifiers = scene.dice.choice(MODIFIERS)
    times = scene.dice.choice((1, 1, 1, 12))
    scene.note(f"keys {' '.join(key.name for key in keys)} {modifiers.name} × {times}")
    for key in keys:
        for _ in range(times):
            if not (key == Qt.Key.Key_F11 and times > 1):
                scene.hand.key(key, modifiers)


def write_into_field(scene: Scene) -> None:
    """Click into a field and write words or numbers, sensible and not."""
    field, dice = scene.any_control(*FIELDS), scene.dice
    if field is None:
        return
    text = dice.choice(NUMBERS if isinstance(field, QAbstractSpinBox) or dice.random() < 0.3 else WORDS)
    end = dice.choice((Qt.Key.Key_Return, Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape, None))
    scene.note(f"write {text!r} into {named(field)}, then {end.name if end else 'nothing'}")
    scene.hand.click(field, field.visibleRegion().boundingRect().center())
    if dice.random() < 0.8:
        scene.hand.key(Qt.Key.Key_A, CONTROL)
    if dice.random() < 0.3:
        scene.hand.paste(text)
    else:
        scene.hand.write(text)
    if dice.random() < 0.1:
        scene.hand.key(Qt.Key.Key_Z, CONTROL)
    if end is not None:
        scene.hand.key(end)


def walk_with_tab(scene: Scene) -> None:
    """Walk over what takes the keyboard, and press something on the way."""
    scene.note("walk with Tab")
    for _ in range(scene.dice.randint(2, 15)):
        scene.hand.key(scene.dice.choice((Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)))
        if scene.dice.random() < 0.15:
            scene.hand.key(scene.dice.choice((Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)))


def press_shortcut(scene: Scene) -> None:
    """Press a shortcut of the window."""
    chosen = scene.dice.choice([spec for spec in WINDOW_ACTIONS if spec.shortcuts and spec.id != "quit"])
    scene.note(f"shortcut {chosen.shortcuts[0]}")
    _press_combination(scene, chosen.shortcuts[0])


def _press_combination(scene: Scene, text: str) -> None:
    from PySide6.QtGui import QKeySequence

    combination = QKeySequence(text)[0]
    scene.hand.key(combination.key(), combination.keyboardModifiers())


def undo_storm(scene: Scene) -> None:
    """Undo and redo many times, or go back and forward."""
    back, again = scene.dice.randint(1, 40), scene.dice.randint(0, 40)
    there, here = scene.dice.choice((("Ctrl+Z", "Ctrl+Shift+Z"), ("Alt+Left", "Alt+Right")))
    scene.note(f"{there} × {back}, {here} × {again}")
    for shortcut, times in ((there, back), (here, again)):
        for _ in range(times):
            _press_combination(scene, shortcut)


# ---- The window ----


def choose_page(scene: Scene) -> None:
    """Click a page in the rail, or several in a row without waiting."""
    for _ in range(scene.dice.choice((1, 1, 1, 4))):
        page = scene.dice.choice(PAGE_IDS)
        button = scene.world.window.rail.buttons[page]
        scene.note(f"page {page}")
        if button.visibleRegion().isEmpty():
            scene.world.turn(lambda page=page: scene.world.window.show_page(page))
        else:
            scene.hand.click(button, button.visibleRegion().boundingRect().center())


def open_menu(scene: Scene) -> None:
    """Open a menu of the menu bar; what follows walks in it."""
    bar = scene.world.window.menuBar()
    action = scene.dice.choice(bar.actions())
    scene.note(f"menu {action.text()}")
    scene.hand.click(bar, bar.actionGeometry(action).center())


def open_context_menu(scene: Scene) -> None:
    """Press the right button on a picture."""
    target = scene.any_canvas()
    at = scene.place_on(target)
    scene.note(f"context menu of {named(target)} at {at.x()}, {at.y()}")
    scene.hand.click(target, at, Qt.MouseButton.RightButton)


def resize(scene: Scene) -> None:
    """Make the window small, large, minimised, whole again."""
    window, dice = scene.world.window, scene.dice
    if dice.random() < 0.15:
        scene.note("minimise and restore")
        scene.world.turn(window.showMinimized)
        scene.world.turn(dice.choice((window.showNormal, window.showMaximized)))
        scene.world.turn(window.activateWindow)
        return
    size = dice.choice(SIZES)
    scene.note(f"resize to {size[0]}×{size[1]}")
    scene.world.turn(lambda: window.resize(*size))


def change_look(scene: Scene) -> None:
    """Switch colours and size some times."""
    for _ in range(scene.dice.randint(1, 3)):
        shortcut = scene.dice.choice(("Ctrl+=", "Ctrl+-", "Ctrl+0", "theme", "motion"))
        scene.note(f"look {shortcut}")
        window = scene.world.window
        if shortcut == "theme":
            scene.world.turn(window.switch_theme)
        elif shortcut == "motion":
            scene.world.turn(lambda window=window: window.set_reduced_motion(not window.settings.reduced_motion))
        else:
            _press_combination(scene, shortcut)


def drop_file(scene: Scene) -> None:
    """Drop a session, or something else, on the window."""
    name = scene.dice.choice((f"kept{SUFFIX}", f"broken{SUFFIX}", f"own{LESSON_SUFFIX}", "none.txt", "."))
    path = scene.world.folder / name
    if name.startswith("kept"):
        write_session(path, scene.world.window.session.state, page=scene.world.window.settings.page)
    elif name.startswith("broken"):
        path.write_text('{"format": "attention', encoding="utf-8")
    elif name.startswith("own"):
        shutil.copyfile(scene.dice.choice(LESSON_FILES), path)
    _drop(scene, path)


def drop_attention(scene: Scene) -> None:
    """Drop a model, or a file of attention, on the window."""
    name = scene.dice.choice(OF_ATTENTION)
    path = scene.world.folder / "of attention" / name
    if not path.exists():  # what is open already stays as it is: one that was written over is another
        path.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (DATA / "models" / name).is_dir() else shutil.copyfile)(DATA / "models" / name, path)
    _drop(scene, path)


def _drop(scene: Scene, path: Path) -> None:
    scene.note(f"drop {path.relative_to(scene.world.folder)}")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    scene.hand.drop(scene.world.window, scene.world.window.rect().center(), data)


def close_window(scene: Scene) -> None:
    """Close the window, whatever it is doing."""
    if scene.dice.random() < 0.5:
        scene.note("change something heavy, then close")
        scene.world.turn(lambda: scene.world.window.show_page(scene.dice.choice(PAGE_IDS)))
    scene.note("close the window")
    scene.world.turn(scene.world.window.close)


def take_along(scene: Scene) -> None:
    """Open what is learned on the Training page on another page."""
    window, dice = scene.world.window, scene.dice
    scene.world.turn(lambda: window.show_page("training"))
    state = window.session.state
    if not state.training.step or dice.random() < 0.5:
        ready, step = dice.choice(list(presets_of("training"))).state.training, dice.choice((1, 5, 20, 60))
        scene.note(f"learn “{ready.preset}” for {step} steps")
        learned = replace(state, training=replace(ready, step=step, learned=step, count=state.training.count))
        scene.world.turn(lambda: window.session.apply(learned, f"Go to step {step}"))
    page = window.page
    if not isinstance(page, TrainingPage):
        return  # a model that was dropped before is open by now, and shown
    possible = [each for each in TAKINGS if each.title.startswith("Open in ") and not each.reason(page.state)]
    if possible:
        taking = dice.choice(possible)
        scene.note(taking.title)
        scene.world.turn(lambda: page.take(taking))


# ---- What stands beside the pages ----


def take_lesson(scene: Scene) -> None:
    """Begin a lesson, or questions, and perhaps skip some steps, or do something in the card that is open."""
    window, card = scene.world.window, scene.world.window.tools.lesson_card
    if card is None:
        player, lesson, when = window.tools.lessons, scene.dice.choice(lessons()), scene.dice.choice(tuple(TAKES))
        ways = {
            f"lesson {lesson.name}": lambda: player.start(lesson),
            f"thirty questions {when}": lambda: player.take(when),
            f"lesson {lesson.name} again": lambda: player.ask_again(lesson),
        }
        way = scene.dice.choice(tuple(ways))
        scene.note(way)
        scene.world.turn(ways[way])
        for _ in range(scene.dice.choice((0, 0, 2, 5))):  # the first steps of a lesson are much alike
            _skip(scene)
        return
    within = replace(scene, surface=card)
    scene.dice.choice((click_control, click_control, click_control, write_into_field, drag, walk_with_tab))(within)


def _skip(scene: Scene) -> None:
    card = scene.world.window.tools.lesson_card
    button = None if card is None else card.skip if card.skip.isVisible() else card.next
    if button is not None and button.isVisible():
        scene.hand.click(button, button.rect().center())


def open_helper(scene: Scene) -> None:
    """Open the search, the program of the page, the lessons page or the help."""
    keys = scene.dice.choice(("Ctrl+K", "Ctrl+K", "Ctrl+U", "Ctrl+L", "F1", "Shift+F1"))
    scene.note(f"open with {keys}")
    _press_combination(scene, keys)


def present(scene: Scene) -> None:
    """Present what is on show, or some sessions, or stop presenting; walk in it."""
    if scene.dice.random() < 0.6:
        scene.note("present with F5")
        _press_combination(scene, "F5")
        return
    paths = []
    for number in range(scene.dice.randint(1, 3)):
        page = scene.dice.choice(PAGE_IDS)
        ready = scene.dice.choice(list(presets_of(page)))
        paths.append(scene.world.folder / f"scene {number}{SUFFIX}")
        write_session(paths[-1], ready.state, page=page)
    scene.note(f"present {len(paths)} sessions")
    presenter = scene.world.window.tools.presenting
    scene.world.turn(lambda: presenter.start(paths))
    for _ in range(scene.dice.randint(0, 4)):
        scene.hand.key(scene.dice.choice((Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)))


def open_and_close(scene: Scene) -> None:
    """Present, take a lesson, open the help or close the window, and leave it at once: what is made is deleted soon."""
    window = scene.world.window
    way = scene.dice.choice(("present", "lesson", "help", "help", "window"))
    scene.note(f"open and close: {way}")
    if way == "present":
        _press_combination(scene, "F5")
        for _ in range(scene.dice.randint(0, 3)):
            _switch_page(scene, window, QPoint())
        scene.world.leave_presentation()
    elif way == "lesson":
        scene.world.turn(lambda: window.tools.lessons.start(scene.dice.choice(lessons())))
        _skip(scene)
        scene.world.turn(window.tools.leave_lesson)
    elif way == "help":
        scene.world.turn(lambda: window.tools.terms.show_help(scene.dice.randrange(4)))
        for each in scene.world.shown_windows():
            if each is not window:
                scene.world.turn(each.close)
    else:
        scene.world.turn(window.close)


# ---- Popups and dialogs ----


def act_on_popup(scene: Scene) -> None:
    """Choose in a menu or a list, walk in it, or leave it."""
    dice, hand = scene.dice, scene.hand
    way = dice.choice(("click", "click", "keys", "escape", "outside"))
    scene.note(f"{way} in popup {named(scene.surface)}")
    if scene.widgets(QLineEdit) and dice.random() < 0.6:
        hand.write(dice.choice(SEARCHED))
    if way == "click":
        view = next(iter(scene.widgets(QAbstractItemView)), scene.surface)
        hand.click(view, scene.place_on(view))
    elif way == "outside":
        hand.click(scene.surface, QPoint(scene.surface.width() + 5, -5))
        hand.key(Qt.Key.Key_Escape)
    else:
        for _ in range(dice.randint(0, 8)):
            hand.key(dice.choice((Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_End)))
        hand.key(Qt.Key.Key_Return if way == "keys" else Qt.Key.Key_Escape)


def answer_file_dialog(scene: Scene) -> None:
    """Name a file in the folder of the test, or cancel. Nothing else: a file dialog can delete what it shows."""
    dialog = scene.surface
    if not isinstance(dialog, QFileDialog):
        return
    dialog.setDirectory(str(scene.world.folder))
    name = scene.dice.choice(
        (f"one{SUFFIX}", "two", "figure.png", "figure.svg", "numbers.csv", "a b ü.pdf", "x.unknown")
    )
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    cancels = scene.dice.random() < 0.4 or field is None
    scene.note(f"file dialog: {'cancel' if cancels else name}")
    if cancels:
        scene.hand.key(Qt.Key.Key_Escape)
        return
    field.setText(str(Path(scene.world.folder) / name))
    field.setFocus()
    scene.hand.key(Qt.Key.Key_Return)


def leave_dialog(scene: Scene) -> None:
    """Press Esc, and where that does not help, close it."""
    scene.note(f"leave {named(scene.surface)}")
    scene.hand.key(Qt.Key.Key_Escape)
    if scene.surface.isVisible() and isinstance(scene.surface, QDialog):
        scene.world.turn(scene.surface.reject)
