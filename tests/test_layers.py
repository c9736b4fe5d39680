"""Who imports whom: the floors of the program, and what starting it brings along."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import attention_explorer
from attention_explorer.pages.registry import PAGE_IDS

PACKAGE = Path(attention_explorer.__file__).parent
QT = {"PySide6", "shiboken6", "pyqtgraph"}
NETWORK = {"socket", "ssl", "http.client", "urllib.request", "ftplib", "smtplib", "asyncio", "PySide6.QtNetwork"}

PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
CONTRACTS = {contract["id"]: contract for contract in PROJECT["importlinter"]["contracts"]}
GROUND = ("errors", "fields")
"""What every floor stands on."""
ORDER = (*(name.removeprefix("attention_explorer.") for name in reversed(CONTRACTS["floors"]["layers"])), "__main__")
"""From the ground up; an import goes down, or stays within its own folder."""
FLOORS, TOP = ORDER[: ORDER.index("app")], ORDER[ORDER.index("app") :]
"""The floors, and what stands on all of them and puts them together."""
ASIDE = ("desktop", "display", "platform_check")
"""Modules that ask about this computer before anything of the program is loaded."""


def may_know_qt(path: Path) -> bool:
    """Return whether a file may import Qt: of pages and tools only what is in a folder called ui, and their lists."""
    own = floor_name(path)
    if own in ("pages", "tools"):
        return "ui" in path.parts or (path.parent.name == own and path.stem in ("registry", "host"))
    return own in ("session", "kit", "window", "app")


def modules_after(code: str, *arguments: str) -> set[str]:
    """Run code in a fresh process and return the names of all modules it has loaded by its end."""
    script = f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


# ---- Arrows point down ----


def imports_of(path: Path, *, typing: bool = True) -> Iterator[str]:
    """Yield every module that a file imports anywhere, inside functions too, or not what only type checkers see."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    of_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in of_types and not typing:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if module.startswith("attention_explorer"))


SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def floor_name(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    own = floor_name(path)
    order = (*ASIDE, *ORDER)
    assert own in order, f"{own} is on no floor"
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] != "attention_explorer" or len(parts) == 1:
            continue
        below = parts[1]
        if below not in ("resources", "__version__"):
            assert below in order, f"{own} imports {name}, which is on no floor"
            assert own in ASIDE or order.index(below) <= order.index(own), f"{own} imports {name}"


def test_every_room_is_installed_and_watched() -> None:
    """A page that `pyproject.toml` does not name would be left out of the wheel, and might import any other."""
    rooms = {".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in PACKAGE.rglob("__init__.py")}
    assert set(PROJECT["setuptools"]["packages"]) == {*rooms, "attention_explorer.resources"}
    assert set(FLOORS) == {*GROUND, *(path.parent.name for path in PACKAGE.glob("*/__init__.py"))} - set(TOP)
    assert set(CONTRACTS["pages"]["modules"]) == {f"attention_explorer.pages.{page}" for page in PAGE_IDS}
    assert {"attention_explorer.pages.*.*", "attention_explorer.tools.*.*"} <= set(CONTRACTS["qt"]["source_modules"])


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {_name(path): set(imports_of(path, typing=False)) - {_name(path)} for path in SOURCES}
    TopologicalSorter(graph).prepare()  # which raises CycleError with one that it has found


def _name(path: Path) -> str:
    return ".".join(("attention_explorer", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def test_only_the_upper_floors_know_qt() -> None:
    knowing = {path for path in SOURCES if QT & tops(set(imports_of(path)))}
    assert knowing
    assert not [path for path in knowing if not may_know_qt(path)]


def test_the_session_knows_no_widget() -> None:
    for path in SOURCES:
        if floor_name(path) == "session":
            assert "PySide6.QtWidgets" not in set(imports_of(path))


def test_one_module_starts_threads() -> None:
    """It keeps Python from collecting garbage on them, with widgets in it."""
    makers = {"Thread", "Timer", "start_new_thread", "ThreadPoolExecutor", "QThread", "QThreadPool", "to_thread"}
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in makers
    }
    assert found == {"session/threads.py"}


def test_nothing_is_asked_that_pyside_keeps_too_long_or_frees_too_early() -> None:
    """An item when Qt has deleted it: see `tests/ui/item_wrappers.py`; and what `singleShot` was given: see `later`.

    Nor what it frees too early: see `session/history.py`.
    """
    asked = ("itemAt", "takeAt", "itemAtPosition", "singleShot", "QUndoStack", "QUndoCommand")
    for path in set(SOURCES) - {PACKAGE / "session/later.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.attr] if isinstance(node, ast.Attribute) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            assert not set(names) & set(asked), f"{path}:{node.lineno}: {names}"


def test_only_the_look_for_a_display_opens_sockets() -> None:
    # A socket of this machine: it asks whether a display answers.
    users = {floor_name(path) for path in SOURCES if NETWORK & set(imports_of(path))}
    assert users == {"display"}


# ---- What an import brings along, in a fresh process ----


def test_the_package_itself_imports_nothing_heavy() -> None:
    modules = modules_after("import attention_explorer")
    assert "attention_explorer" in modules
    assert not (QT | {"numpy"}) & tops(modules)
    assert not NETWORK & modules
    assert not [name for name in modules if name.startswith("attention_explorer.")]


def test_what_the_package_offers_comes_without_qt() -> None:
    modules = modules_after("import attention_explorer\nattention_explorer.model\nattention_explorer.render")
    assert {"attention_explorer.model", "attention_explorer.rendering"} <= modules
    assert not QT & tops(modules), "Qt is loaded by the first picture"
    assert not NETWORK & modules


def test_states_come_from_the_package_without_qt() -> None:
    modules = modules_after(
        "from attention_explorer import ExplorerState, HeadsState\nExplorerState(heads=HeadsState())"
    )
    assert "attention_explorer.pages.heads.state" in modules
    assert not QT & tops(modules)


def test_presets_are_listed_without_qt() -> None:
    modules = modules_after("from attention_explorer.cli import main\nassert main(['presets']) == 0")
    assert "attention_explorer.pages.lab.cost_state" in modules
    assert not QT & tops(modules)


def test_model_and_state_run_without_qt() -> None:
    names = [
        "attention_explorer." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for path in SOURCES
        if not may_know_qt(path) and floor_name(path) not in TOP
    ]
    names = [name.removesuffix(".__init__") for name in names]
    assert len(names) > 15
    modules = modules_after(
        "\n".join(f"import {name}" for name in names)
        + "\nfrom attention_explorer.pages.lookup.state import LookupState"
        + "\nfrom attention_explorer.pages.lookup.export import lookup_numbers"
        + "\nfrom attention_explorer.core.numbers_files import as_csv"
        + "\ntable = lookup_numbers(LookupState()).table"
        + "\nassert as_csv(table.header, table.rows())"
    )
    assert set(names) <= modules
    assert "numpy" in modules
    assert not QT & tops(modules)
    assert not NETWORK & modules


def test_the_command_line_answers_without_qt_and_numpy() -> None:
    modules = modules_after("from attention_explorer.cli import parser\nparser().parse_args(['gallery', 'x'])")
    assert not (QT | {"numpy"}) & tops(modules)
    assert not NETWORK & modules, "a socket is only loaded to ask a display that the environment names"


def test_the_session_runs_without_widgets() -> None:
    modules = modules_after(
        "import attention_explorer.session.session, attention_explorer.session.settings\n"
        "from attention_explorer.pages.ui.session import Session\n"
        "session = Session()\nsession.undo()"
    )
    assert "PySide6.QtCore" in modules
    assert "PySide6.QtWidgets" not in modules
    assert "pyqtgraph" not in tops(modules)
    assert not [name for name in modules if name.startswith("attention_explorer.window")]


FIRST_PAGE = """
import sys
from pathlib import Path

reached = []
def listen(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
        reached.append(event)
sys.addaudithook(listen)

from attention_explorer.app import make_application
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import SettingsStore
from attention_explorer.window.window import MainWindow

application = make_application()
window = MainWindow(Session(), SettingsStore(Path(sys.argv[1])))
window.show()
for _ in range(5):
    application.processEvents()
assert window.isVisible() and window.page.isVisible()
assert not reached, reached
"""


@pytest.fixture(scope="module")
def after_first_page(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return modules_after(FIRST_PAGE, str(tmp_path_factory.mktemp("settings") / "settings.ini"))


def test_showing_the_first_page_loads_no_chart_and_no_exporter(after_first_page: set[str]) -> None:
    assert "attention_explorer.pages.lookup.ui.page" in after_first_page
    assert not {"pyqtgraph", "matplotlib"} & tops(after_first_page)
    assert "attention_explorer.kit.export.figure" not in after_first_page
    assert "attention_explorer.kit.items.plot" not in after_first_page


def test_showing_the_first_page_loads_nothing_that_speaks_to_the_network(after_first_page: set[str]) -> None:
    # The process itself has failed if it opened any socket.
    assert not NETWORK & after_first_page
