"""What a method of ours raises where Qt calls it is reported, and the process lives."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QValidator
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

import attention_explorer
from attention_explorer.session.guard import CALLED_BY_PYTHON_ALONE, empty_answer, guarded, overridden

PACKAGE = Path(attention_explorer.__file__).parent

SCENE = """
import math, sys
import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QGraphicsView
from attention_explorer.app import make_application

class Broken(QGraphicsItem):
    __module__ = "attention_explorer.made_for_a_test"

    def boundingRect(self):
        return QRectF(0, 0, 9, 9)

    def paint(self, painter, option, widget=None):
        self.draw()

    def draw(self):
        exec(statement, globals())

def report(kind, error, trace):
    names = []
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    print(kind.__name__, *names)

application = make_application()
sys.excepthook = report
scene, item = QGraphicsScene(), Broken()
scene.addItem(item)
view = QGraphicsView(scene)
for statement in sys.argv[1:]:
    print(statement)
    view.grab()  # Python calls Qt, which calls Python
"""

STATEMENTS = {
    "list(zip((1,), (1, 2), strict=True))": "ValueError",
    "math.log(0)": "ValueError",
    "int('one')": "ValueError",
    "[][3]": "IndexError",
    "max(())": "ValueError",
    "np.zeros(3) + np.zeros(4)": "ValueError",
    "1 / 0": "ZeroDivisionError",
    "raise KeyError('raised by a line of its own')": "KeyError",
}
"""What fails, most of it in C, and how."""


@pytest.fixture(scope="module")
def printed() -> str:
    """What a process prints in which all of them fail, one after the other."""
    command = [sys.executable, "-c", SCENE, *STATEMENTS]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("statement", STATEMENTS)
def test_an_error_where_qt_calls_us_is_reported_and_the_process_lives(statement: str, printed: str) -> None:
    assert f"{statement}\n{STATEMENTS[statement]} paint draw <module>\n" in printed


class Failing(QWidget):
    """Fails in the middle of painting."""

    __module__ = "attention_explorer.made_for_a_test"

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 # Qt's name
        painter = QPainter(self)
        painter.drawLine(0, 0, 1 // (self.width() - self.width()), 9)

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.nothing_of_that_name  # type: ignore[no-any-return, attr-defined]

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.User:
            raise KeyboardInterrupt
        return super().event(event)


def test_it_is_reported_like_any_other_error_and_the_painter_ends(qtbot: QtBot) -> None:
    failing = Failing()
    qtbot.addWidget(failing)
    with qtbot.capture_exceptions() as captured:
        assert failing.sizeHint() == QSize()
        failing.resize(40, 30)
        first, second = failing.grab(), failing.grab()
    assert first.toImage() == second.toImage()
    kinds = [kind for kind, _, _ in captured]
    assert kinds.count(ZeroDivisionError) == 2
    assert set(kinds) == {ZeroDivisionError, AttributeError}
    assert captured[0][2].tb_frame.f_code.co_name == "sizeHint", "the guard is no line of the report"


def test_who_ends_the_program_is_not_kept_from_it(qtbot: QtBot) -> None:
    failing = Failing()
    qtbot.addWidget(failing)
    with pytest.raises(KeyboardInterrupt):
        QApplication.sendEvent(failing, QEvent(QEvent.Type.User))


def classes_of(kind: type) -> Iterator[type]:
    for below in type.__subclasses__(kind):
        yield below
        yield from classes_of(below)


@pytest.fixture(scope="module")
def ours() -> set[type]:
    """All classes of the package that derive from one of Qt's."""
    for module in walk_packages(attention_explorer.__path__, "attention_explorer."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return {kind for kind in classes_of(Shiboken.Object) if (PACKAGE.parent / _file(kind)).exists()}


def _file(kind: type) -> str:
    return kind.__module__.replace(".", "/") + ".py"


def test_every_method_in_place_of_one_of_qt_is_guarded(ours: set[type]) -> None:
    methods = [(kind, name) for kind in ours for name in overridden(kind)]
    assert len(methods) > 200
    assert [(kind, name) for kind, name in methods if not hasattr(vars(kind)[name], "__wrapped__")] == []
    for kind, name in methods:
        empty, said = empty_answer(vars(kind)[name].__wrapped__), vars(kind)[name].__annotations__["return"]
        assert empty is not None or said in ("None", "Any", "object") or said.endswith("| None"), (kind, name)


def test_what_is_not_guarded_is_called_by_python_alone(ours: set[type]) -> None:
    assert {name for kind in ours for name in CALLED_BY_PYTHON_ALONE & vars(kind).keys()} == CALLED_BY_PYTHON_ALONE


def test_a_module_with_such_classes_comes_after_the_guard(ours: set[type]) -> None:
    """Whichever module is imported first: the rooms that guard classes do so before anything in them is imported."""
    rooms = ("attention_explorer.session", "attention_explorer.window", "attention_explorer.kit")
    for kind in (kind for kind in ours if overridden(kind) and not kind.__module__.startswith(rooms)):
        files = {_file(each) for each in kind.__mro__ if each in ours and not each.__module__.startswith(rooms)}
        trees = [ast.parse((PACKAGE.parent / file).read_text(encoding="utf-8")) for file in files]
        assert any(
            isinstance(node, ast.ImportFrom) and node.module.startswith(rooms) for tree in trees for node in tree.body
        ), f"{kind} or a class that it is made from"


def test_what_has_nothing_to_say_says_so_in_its_type() -> None:
    def state(_text: str) -> tuple[QValidator.State, str, int]:
        raise ValueError

    def flags() -> Qt.ItemFlag:
        raise ValueError

    def unknown() -> OnlyForTypeCheckers:  # type: ignore[name-defined] # noqa: F821
        raise ValueError

    assert empty_answer(state) == (QValidator.State.Invalid, "", 0)
    assert empty_answer(flags) == Qt.ItemFlag.NoItemFlags
    assert empty_answer(unknown) is None


def test_what_returns_is_returned() -> None:
    assert guarded(lambda number, by=1: number + by)(2, by=3) == 5
