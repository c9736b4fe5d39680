"""Files of attention: opened, looked for where they are gone, and taken along when a session is saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from attention_explorer.errors import ArrayError, ExplorerError, FileAccessError
from attention_explorer.pages.file_places import named_files, with_files
from attention_explorer.session import memory
from attention_explorer.session.jobs import Deliver, JobQueue, Report, Working, stoppable
from attention_explorer.sources.model_recipe import model_at
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import recipe_as, source_of
from attention_explorer.sources.source import Ability, Lookup, Recipe

if TYPE_CHECKING:
    from attention_explorer.pages.explorer import ExplorerState
    from attention_explorer.pages.heads.file_reading import Choice
    from attention_explorer.pages.heads.state import HeadsState
    from attention_explorer.sources.lost_files import Found
    from attention_explorer.sources.saved_files import SavedFiles
    from attention_explorer.window.window import MainWindow


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file that is to be opened, and whether beside what is on show, as B."""

    path: Path
    as_b: bool = False


class Recordings(QObject):
    """Opens files of attention in a window.

    Parameters
    ----------
    window : MainWindow
        Whose session they go into.
    opened : callable
        Called with the path of a file that was opened.
    failed : callable
        Called with the path of one that was not, and why.
    """

    def __init__(
        self, window: MainWindow, opened: Callable[[Path], object], failed: Callable[[Path, str], object]
    ) -> None:
        super().__init__(window)
        self._window, self._opened, self._failed = window, opened, failed
        self._opened_from: dict[Recipe, str] = {}  # the page that was in view before each file was opened
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    def open(self, path: Path) -> None:
        """Look at a file, then show what it holds; where that cannot be told, ask. A model reads what is typed."""
        self._look_at(_Wanted(path.absolute()))

    def compare_with(self, path: Path) -> None:
        """Look at a file or a model, then show it as B, beside what is on show on the Heads page."""
        self._look_at(_Wanted(path.absolute(), as_b=True))

    def _look_at(self, wanted: _Wanted) -> None:
        path, model = wanted.path, model_at(wanted.path)
        if model is not None:
            self._open_model(model, wanted)
            return

        def work(report: Report, deliver: Deliver) -> None:
            from attention_explorer.pages.heads.file_reading import candidates
            from attention_explorer.pages.heads.recorded import heads_of_file

            with stoppable(report):
                try:
                    found: object = heads_of_file(path)
                except ExplorerError as error:
                    found = () if isinstance(error, FileAccessError) else candidates(path)
                    if not found:
                        raise
                deliver(found)

        self._window.tell(f"Opening {path.name} …")
        self.jobs.request(wanted, work, replace=True)

    def _open_model(self, path: Path, wanted: _Wanted) -> None:
        from attention_explorer.sources.models.names import name_by_place

        recipe = self._window.session.state.heads.setup.recipe
        source = source_of(recipe)
        is_typed = not source.traits.reason_against(Ability.TYPING)
        sentence = source.sentence if is_typed and source.sentence.strip() else None

        def work(report: Report, deliver: Deliver) -> None:
            from attention_explorer.pages.heads.recorded import at_its_clearest, heads_of_model
            from attention_explorer.sources.models.found import look_at

            with stoppable(report):
                seen = look_at(path)
                if not seen.reason:
                    deliver(seen.cost)
                try:
                    found = heads_of_model(path, sentence)
                except ArrayError:  # too long for it, or of no token
                    found = heads_of_model(path)
                deliver(found if wanted.as_b else at_its_clearest(found))

        self._window.tell(f"Opening {name_by_place(path)} …")
        self.jobs.request(wanted, work, replace=True)

    def ask_again(self, refused: str = "") -> None:
        """Ask how the file that is open on the Heads page is to be read; ``refused`` says what is wrong with a row."""
        recipe = recipe_as(self._window.session.state.heads.setup.recipe, FileRecipe)
        if recipe is None:
            self._window.tell("There is no file of attention on the Heads page. Open one: File → Open.")
            return
        if recipe.layout:
            self._window.tell("Python opened this array and said how to read it: name axes and rows there, in show().")
            return
        from attention_explorer.pages.heads.file_reading import Choice, candidates

        path = Path(recipe.path)
        try:
            arrays = candidates(path)
        except ExplorerError as error:
            self._failed(path, str(error))
            return
        choice = Choice(recipe.attention, recipe.axes, recipe.batch, recipe.is_causal, recipe.rows)
        self._ask(_Wanted(path), arrays, choice, refused)

    def _on_delivered(self, wanted: _Wanted, found: HeadsState | tuple[tuple[str, str], ...] | str) -> None:
        if isinstance(found, tuple):
            self._ask(wanted, found)
        elif isinstance(found, str):  # what it will cost, before it is read
            self._window.tell(f"Opening {wanted.path.name}: {found} …")
        else:
            self._show(wanted, found)

    def _ask(
        self, wanted: _Wanted, arrays: tuple[tuple[str, str], ...], choice: Choice | None = None, refused: str = ""
    ) -> None:
        from attention_explorer.pages.heads.file_reading import Choice
        from attention_explorer.pages.heads.recorded import page_of
        from attention_explorer.window.reading_dialog import ReadingDialog

        # Of several arrays none is chosen beforehand, and of one it is known.
        begin = Choice(arrays[0][0] if len(arrays) == 1 else "") if choice is None else choice
        window = self._window
        ReadingDialog(
            window, window.look, wanted.path, arrays, begin, lambda recipe: self._show(wanted, page_of(recipe)), refused
        ).open()

    def _show(self, wanted: _Wanted, found: HeadsState) -> None:
        from attention_explorer.pages.heads.presets import kept_by_hand
        from attention_explorer.pages.heads.recorded import as_b
        from attention_explorer.pages.heads.state import Picture

        window, state, path = self._window, self._window.session.state, wanted.path
        if wanted.as_b:
            heads = replace(state.heads, other=as_b(state.heads, found.setup)).with_view(picture=Picture.COMPARE)
            step = f"Compare with {_called(found.setup.recipe)}"
        else:
            heads = replace(found, other=kept_by_hand(state.heads))
            step = _step(found.setup.recipe)
            self._opened_from[heads.setup.recipe] = window.settings.page
        window.show_page("heads")
        window.session.apply(replace(state, heads=heads), step)
        self._opened(path)
        window.tell(f"Opened{' as B' * wanted.as_b}. {source_of(found.setup.recipe).verdict()[1]}")

    def page_before(self, heads: HeadsState, step: str) -> str:
        """Return the page that was in view before a step of this name that led here; nothing if it opened no file."""
        recipe = recipe_as(heads.setup.recipe, FileRecipe)
        opened = recipe is not None and step == _step(recipe)
        return self._opened_from.get(heads.setup.recipe, "") if opened else ""

    def _on_failed(self, wanted: _Wanted, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self._failed(wanted.path, str(error))


def _step(recipe: Recipe) -> str:
    """Return what undo calls the opening of a file or model."""
    return f"Open {_called(recipe)}"


def _called(recipe: Recipe) -> str:
    """Return what people call a file or a model."""
    file = recipe_as(recipe, FileRecipe)
    return source_of(recipe).traits.kind if file is None else Path(file.path).name


class LostFiles(QObject):
    """Puts other files in place of those that the state names and that are not what they were, in one undo step.

    Parameters
    ----------
    window : MainWindow
        Whose session it is.
    failed : callable
        Called with the reason why a file cannot be taken.
    """

    def __init__(self, window: MainWindow, failed: Callable[[str], object]) -> None:
        super().__init__(window)
        self._window, self._failed = window, failed
        self.looking, self.checking = Working(self), Working(self)

    def find(self, path: str) -> None:
        """Ask where the file is that was at a path."""
        from attention_explorer.window.session_dialogs import ask_where_it_is

        ask_where_it_is(self._window, Path(path), lambda chosen: self.look_at(path, chosen))

    def look_at(self, path: str, chosen: Path) -> None:
        """Take a file for the one that was at a path, if it holds the same; else say what is different, and ask."""
        files, name = self._files, Path(path).name

        def compute() -> dict[FileRecipe, Found]:
            from attention_explorer.sources.lost_files import found_among

            return found_among(files, path, chosen)

        def use(found: dict[FileRecipe, Found]) -> None:
            differences = [each.difference for each in found.values() if each.difference]
            if not differences:
                self._put(found, f"Find {name}")
                return
            from attention_explorer.window.session_dialogs import ask_whether_another_will_do

            take = partial(self._put, found, f"Open {chosen.name} in place of {name}")
            ask_whether_another_will_do(self._window, name, differences[0], take)

        self._window.tell(f"Looking at {chosen.name} …")
        self.looking.find_out(compute, use, self._refuse)

    def reopen(self, path: str) -> None:
        """Show what the file at a path holds now."""
        files = self._files

        def compute() -> dict[FileRecipe, Found]:
            from attention_explorer.sources.lost_files import Found, as_it_is

            return {file: Found(as_it_is(file), "") for file in files if Path(file.path) == Path(path)}

        label = f"Open {Path(path).name} as it is now"
        self.looking.find_out(compute, lambda found: self._put(found, label), self._refuse)

    def check(self) -> None:
        """Look, beside the work, whether files that were written since the session was saved are still the same."""
        files = tuple(file for file in self._files if file.whole)
        if not files:
            return

        def compute() -> tuple[FileRecipe, ...]:
            from attention_explorer.sources.lost_files import others_than_saved

            return others_than_saved(files)

        self.checking.find_out(compute, self._on_checked)

    def _on_checked(self, others: tuple[FileRecipe, ...]) -> None:
        from attention_explorer.pages.ui.page import RequestingPage

        page = self._window.page
        for other in set(others) & set(self._files):
            source_of.cache_clear()
            memory.empty()  # what was computed of it is not of what was saved
            try:
                source_of(other).layers(Lookup())
            except ExplorerError as error:
                if isinstance(page, RequestingPage) and self._window.settings.page == "heads":
                    page.requests.refuse(error)

    @property
    def _files(self) -> tuple[FileRecipe, ...]:
        return named_files(self._window.session.state)

    def _put(self, found: dict[FileRecipe, Found], label: str) -> None:
        session = self._window.session
        session.apply(with_files(session.state, {old: each.recipe for old, each in found.items()}), label)

    def _refuse(self, error: ExplorerError) -> None:
        self._window.statusBar().clearMessage()
        self._failed(str(error))


def prepare(
    working: Working,
    state: ExplorerState,
    path: Path,
    save: Callable[[SavedFiles], None],
    failed: Callable[[str], None],
) -> None:
    """Call ``save`` with what is to be named in a session at a path: at once where nothing takes time.

    What a session is saved with is read and copied aside; ``failed`` hears why that could not be done.
    """
    from attention_explorer.sources.saved_files import SavedFiles, files_to_save, takes_time

    files = named_files(state)
    if any(map(takes_time, files)):
        working.find_out(lambda: files_to_save(files, path), save, lambda error: failed(str(error)))
    else:
        save(SavedFiles({}, ()))
