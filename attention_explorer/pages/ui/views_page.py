"""A page of views: which of them is on show, what a state shows in it, and which example that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from attention_explorer.core.declared import value_of, with_value
from attention_explorer.core.preset import Preset
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.picture import Change
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.page import PageAction, RequestingPage
from attention_explorer.pages.ui.session import Session


class ViewsPage(RequestingPage):
    """What a page knows of its views, whatever widgets show them.

    A subclass sets ``name`` and ``part``, and its `make_views`.
    """

    name = ""
    part = ""
    """The field of `ExplorerState` that says which view is on show."""
    shown_by = "view"
    """The field of it that does, by its dotted name."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self.views = self.make_views()
        self._views_of_examples = {(view.part.name, ready.id): view for view in self.views for ready in view.presets}
        self._viewed: tuple[ExplorerState | None, View[Any]] = None, self.views[0]  # a state, and what it shows
        self._named: dict[object, View[Any]] = {view.id: view for view in self.views}
        self._presets = {view.id: view.presets for view in self.views}
        self._others = {view.id: view.fields_of_others(self.views) for view in self.views}

    def make_views(self) -> tuple[View[Any], ...]:
        """Return the views, in their order."""
        raise NotImplementedError

    @property
    def view(self) -> View[Any]:
        """The view on show."""
        return self.view_of(self.session.state)

    @property
    def picture_name(self) -> str:
        return str(self.view.id)

    def view_of(self, state: ExplorerState) -> View[Any]:
        """Return the view that a state shows."""
        if state is not self._viewed[0]:
            self._viewed = state, self.view_named(value_of(getattr(state, self.part), self.shown_by))
        return self._viewed[1]

    def view_named(self, name: object) -> View[Any]:
        """Return a view by its name in the state."""
        return self._named[name]

    @property
    def state(self) -> Any:  # noqa: ANN401 # of the part of the view on show
        """What the view on show shows."""
        return self.view.of(getattr(self.session.state, self.view.part.name))

    def showing(self, view: View[Any], state: Any, part: Any = None) -> ExplorerState:  # noqa: ANN401 # as of its part
        """Return a state of the window with another view on show, of another state of its part if that is given."""
        own = view.of(getattr(state, view.part.name) if part is None else part)
        new: ExplorerState = replace(state, **{view.part.name: own})
        # Taken from what was just made: a page may show views of the very part that says which is on show.
        return replace(new, **{self.part: with_value(getattr(new, self.part), self.shown_by, view.id)})

    def apply(self, change: Change[Any]) -> None:
        """Change what is on show, as one undo step."""
        new = self.showing(self.view, self.session.state, change.state)
        self.session.apply(new, change.label, change.merge and f"{self.view.part.name} {change.merge}")

    def show_view(self, view: View[Any]) -> None:
        """Show another view."""
        self.session.apply(self.showing(view, self.session.state), f"Show {view.title}")

    def example_of(self, view: View[Any], state: Any) -> Preset[Any] | None:  # noqa: ANN401 # of its part
        """Return the example that a state is still that of, in all that counts in the view which has it."""
        own = self._views_of_examples.get((view.part.name, state.preset), view)
        return own.example(state, self._others[own.id])

    def is_for(self, view: View[Any], ready: Preset[Any]) -> bool:
        """Whether what an example says to look for is to be seen in a view; one that is in no list is for any."""
        return ready in self._presets[view.id] or (view.part.name, ready.id) not in self._views_of_examples

    def shown_without_example(self) -> str:
        """Return what the list of examples says where the settings come from none of them."""
        return "Examples"

    def set_elsewhere(self, view: View[Any], state: Any) -> str:  # noqa: ANN401 # of its part
        """Return what counts in a view and was set in another or in the drawer."""
        return view.set_elsewhere(state)

    @classmethod
    def view_actions(cls, views: Iterable[View[Any]]) -> tuple[PageAction, ...]:
        """Return for the menu that each of the views is shown; the first nine have keys."""
        return tuple(
            PageAction(f"Show {view.title}", partial(_show, view.id), f"Ctrl+{number}" if number < 10 else "", view.tip)
            for number, view in enumerate(views, start=1)
        )

    def _view_for(self, state: object) -> View[Any]:
        """Return the view that asked for a state of its part."""
        return next(view for view in self.views if isinstance(state, view.part.kind) and view.shows(state))

    def _part(self, state: ExplorerState) -> Any:  # noqa: ANN401 # of the view on show
        return getattr(state, self.view_of(state).part.name)


def _show(name: object, page: Any) -> None:  # noqa: ANN401 # a page with a view of that name
    page.show_view(page.view_named(name))
