"""A hand and an eye for the Lookup page: its plane, what stands beside it, the table and the way downhill."""

from __future__ import annotations

from typing import Any

from frame_driver import FrameDriver
from people_driver import let_work
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from attention_explorer.core.role import Role
from attention_explorer.kit.items.bars import NamedBars
from attention_explorer.kit.items.plot import Plot
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import LookupState, Overlay, Part
from attention_explorer.pages.lookup.sums import Column
from attention_explorer.pages.lookup.ui.overlays import OVERLAY_NAMES
from attention_explorer.session.settings import Settings, ThemeChoice

TITLES = {name.overlay: name.title for name in OVERLAY_NAMES}
K1, K2 = Part(Role.KEY, 0), Part(Role.KEY, 1)


class LookupDriver(FrameDriver):
    """The window on the Lookup page."""

    @classmethod
    def open(
        cls,
        make_window: Any,  # the fixture
        hand: Any,  # the fixture
        lookup: LookupState | None = None,
        size: tuple[int, int] = (1280, 800),
        settings: Settings | None = None,
    ) -> LookupDriver:
        """Open a window of the test's own on a lookup, by default that which it opens with."""
        state = ExplorerState() if lookup is None else ExplorerState(lookup=lookup)
        chosen = Settings(theme=ThemeChoice.LIGHT, page="lookup") if settings is None else settings
        driver = cls(make_window(state, chosen, size), hand)
        driver.settle()
        return driver

    # ---- What there is ----

    @property
    def session(self) -> Any:
        return self.window.session

    @property
    def lookup(self) -> LookupState:
        """The page's part of the window's state, as it is."""
        return self.session.state.lookup

    @property
    def frame(self) -> LookupFrame:
        return lookup_frame(self.lookup)

    @property
    def output(self) -> tuple[float, ...]:
        return tuple(self.frame.output.tolist())

    @property
    def selected(self) -> Part | None:
        return self.canvas.selected

    @property
    def labels(self) -> list[str]:
        """What was done, and then what was looked at."""
        return self.session.history.labels + self.session.views.labels

    def apply(self, lookup: LookupState, label: str = "Set up") -> None:
        """Have another lookup without any hand."""
        self.session.apply(ExplorerState(lookup=lookup), label)
        self.settle()

    # ---- Beside the plane ----

    @property
    def sum(self) -> str:
        """The formulas that are set beside the plane, in words; after a change they are set a moment later."""
        while self.page.panel.formula._waits.isActive():
            let_work()
        return self.page.panel.formula.spoken().replace("\N{NO-BREAK SPACE}", " ")

    @property
    def sentence(self) -> str:
        return self.panel_words()[1]

    @property
    def items(self) -> dict[str, Any]:
        """What stands in the panel, by its name."""
        above = self.page.panel.items._items
        return {} if above is None else {item.name: item for item in above.items}

    @property
    def bars(self) -> NamedBars:
        return self.items["Weights"]

    @property
    def hint(self) -> str:
        """What the example says that there is to be seen; it stands in the drawer."""
        return self._opened(lambda: self.drawer.example.text())

    def bar_place(self, index: int) -> QPointF:
        """Return where a bar is in the panel."""
        placed = self.page.panel.items._layout()
        layout = next(each.layout for each in placed if isinstance(each.item, NamedBars))
        return layout.rows[index].center()

    def plot(self, name: str) -> Plot:
        """Return a plot in the panel."""
        return self.items[name]

    # ---- The few controls ----

    def press_hard(self) -> None:
        self.press(self.few("hard").buttons[True])

    def press_soft(self) -> None:
        self.press(self.few("hard").buttons[False])

    def type_temperature(self, text: str) -> None:
        self.type_into(self.main.box, text)

    def choose_example(self, name: str) -> None:
        """Choose an example of the view on show by its id."""
        self.load(name)

    # ---- What is drawn over the plane ----

    def _open_overlays(self) -> dict[str, Any]:
        """Open the list of what can be drawn, and return the boxes in it by their titles."""
        button = self.page._overlays[self.view.id]
        self.press(button)
        assert button.list.isVisible()
        return {box.text(): box for box in button.list.boxes.values() if not box.isHidden()}

    def _close_overlays(self) -> None:
        found = self.page._overlays[self.view.id].list
        QTest.keyClick(found, Qt.Key.Key_Escape)
        assert not found.isVisible()
        self.window.activateWindow()  # as any platform does by itself when a popup closes, save the off-screen one
        QApplication.processEvents()

    def overlays_offered(self) -> dict[str, Any]:
        """Look into the list of what can be drawn, and return the boxes that are in it by their titles."""
        offered = self._open_overlays()
        self._close_overlays()
        return offered

    def switch(self, overlay: Overlay) -> None:
        """Open the list, click an overlay, and close the list."""
        self.press(self._open_overlays()[TITLES[overlay]])
        self._close_overlays()

    # ---- The plane ----

    def place(self, part: Part) -> QPointF:
        """Return where a part is drawn."""
        return self.canvas.scene().place(part)

    def at(self, x: float, y: float) -> QPointF:
        """Return where a place of the plane is on the canvas."""
        return self.canvas.scene().point((x, y))

    def drag(self, part: Part, x: float, y: float, **how: Any) -> None:  # as a hand takes them
        """Take a part and let go of it at a place of the plane."""
        self.hand().drag(self.place(part), self.at(x, y), **how)

    @property
    def seen(self) -> Any:
        """How the plane is seen now."""
        return self.canvas.scene().transform

    def pixels(self) -> QImage:
        """Return what the canvas shows with the keyboard, and without a pointer, on it."""
        self.canvas.setFocus()
        QApplication.sendEvent(self.canvas, QEvent(QEvent.Type.Leave))
        return self.canvas.grab().toImage()

    # ---- The table below it ----

    @property
    def table(self) -> Any:
        """The exact numbers, which are there with the drawer."""
        if not self.page.is_open:
            self.press(self.page.panel.more)
        return self.page.table

    @property
    def model(self) -> Any:
        return self.table.numbers

    def cell(self, name: str, column: Column) -> str:
        """Return what the table shows in the row of a vector."""
        model = self.model
        names = [model.data(model.index(row, 0)) for row in range(model.rowCount())]
        return str(model.data(model.index(names.index(name), column)))

    def weights_told(self) -> list[str]:
        """Return the weights that the table shows, in the order of the keys."""
        return [self.cell(Part(Role.KEY, i).symbol, Column.WEIGHT) for i in range(len(self.lookup.entries))]

    def type_cell(self, row: int, column: Column, text: str) -> None:
        """Type into a cell as a person does: choose it, type, press Return."""
        table = self.table
        table.setFocus()
        table.setCurrentIndex(table.numbers.index(row, column))
        QTest.keyClick(table, Qt.Key.Key_F2)
        editor = table.findChild(QLineEdit)
        editor.selectAll()
        QTest.keyClick(editor, Qt.Key.Key_Delete)
        QTest.keyClicks(editor, text)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        QApplication.processEvents()  # Qt lets the editor finish with the key before it takes the text

    # ---- The curves of the view Temperature ----

    @property
    def curves(self) -> Plot:
        """The plot on show."""
        return self.layout.item

    def on_curves(self, temperature: float, weight: float = 0.5) -> QPointF:
        """Return where a temperature and a weight are on the canvas."""
        return self.layout.layout.place(temperature, weight)
