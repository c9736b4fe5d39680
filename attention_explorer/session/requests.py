"""What a picture is asked for, which request the picture on show answers, and why the two differ where they do."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from enum import Enum
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.errors import ExplorerError, LostFileError
from attention_explorer.session.jobs import Cancelled, Deliver, JobQueue, Report, Work
from attention_explorer.session.memory import tidy

R = TypeVar("R", bound=Hashable)

SO_FAR = "Stopped. This is what had been computed so far."
STILL = "This is still the picture of the earlier settings."
BEFORE = f"Stopped. {STILL}"
NOT_COMPUTED = "This could not be computed: an error in the program, or not enough memory."

TIDY_AFTER_MILLISECONDS = 3000
"""How long after something is on show what it does not need is dropped."""


class Standing(Enum):
    """How the newest request stands."""

    CURRENT = "on show, all of it"
    PENDING = "being computed; until its parts arrive, what is on show is older"
    STOPPED = "not computed until a person asks for it"
    REFUSED = "impossible; `Requests.reason` says why"
    LEFT = "not computed because nobody looks; it is when it is wanted again"


class Requests(QObject, Generic[R]):
    """The newest request wins, an older picture stays until then, and every delivery carries its request.

    A request is a small value that says all that a picture depends on. Its work runs at once, or on a worker, and
    delivers one or more parts. A newer request does not cancel the work that runs, or nothing would be seen during a
    drag; except work that streams, once its first part is there.

    Parameters
    ----------
    parent : QObject
        Who owns it.
    streams : callable
        (request, part) -> whether with this part a picture is on show, so that the rest makes way for a newer request.
    akin : callable
        (shown, wanted) -> whether the picture of one may stay on show where the other is refused: it is of the same
        thing, with earlier settings.
    resized : callable
        (wanted, request) -> whether one asks for the same as the other, but for the room there is: what a person has
        stopped stays so.

    Signals
    -------
    delivered : (request, part)
        A part is on show from now on. It may be that of an older request while a newer one is pending.
    progressed : float
        So much of the work is done, 0…1.
    forgotten
        Nothing is on show from now on: what was belongs to something else than what is wanted and refused.
    changed
        `standing` or `reason` is another.
    """

    delivered = Signal(object, object)
    progressed = Signal(float)
    forgotten = Signal()
    changed = Signal()

    def __init__(
        self,
        parent: QObject,
        streams: Callable[[R, object], bool] = lambda _request, _part: False,
        akin: Callable[[R, R], bool] = lambda _shown, _wanted: True,
        resized: Callable[[R, R], bool] = lambda _wanted, _request: False,
    ) -> None:
        super().__init__(parent)
        self.wanted: R | None = None
        """The newest request."""
        self.shown: R | None = None
        """The request that what is on show answers."""
        self.is_whole = False
        """Whether all parts of that are on show."""
        self.standing = Standing.LEFT
        self.reason = ""
        """Why the newest request was refused; empty if it was not."""
        self.lost: LostFileError | None = None
        """The file for lack of which it was refused, if that is why."""
        self._work: Work | None = None
        self._streams, self._akin, self._resized = streams, akin, resized
        self._makes_way = False
        """Whether the work that runs has shown a picture, and streams."""
        self._has_all = False
        """Whether the work that runs has delivered its last part."""
        self._on_show: list[object] = []
        """What is on show."""
        self._tidying = QTimer(self, singleShot=True, interval=TIDY_AFTER_MILLISECONDS)
        self._tidying.timeout.connect(tidy)
        self.destroyed.connect(partial(CACHE.hide, id(self)))
        self.jobs = JobQueue(self)
        self.jobs.started.connect(self._on_started)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.progressed.connect(self._on_progressed)
        self.jobs.failed.connect(self._on_failed)
        self.jobs.finished.connect(self._on_finished)

    # ---- How it stands ----

    @property
    def is_pending(self) -> bool:
        """Whether something is on its way."""
        return self.standing is Standing.PENDING

    @property
    def is_old(self) -> bool:
        """Whether what is on show answers another request than the newest."""
        return self.shown != self.wanted

    @property
    def misleads(self) -> bool:
        """Whether what is on show would be taken for what is wanted, which it is not, and nothing better is coming."""
        return self.standing is Standing.REFUSED or (self.standing is Standing.STOPPED and self.is_old)

    @property
    def sentence(self) -> str:
        """Why the newest request is not what is on show, and will not be by itself; empty otherwise."""
        if self.standing is Standing.STOPPED:
            return BEFORE if self.is_old else SO_FAR
        if self.standing is Standing.REFUSED and self.shown is not None and self.is_old:
            return f"{self.reason} {STILL}"
        return self.reason

    # ---- What is wanted ----

    def want(self, request: R, work: Work, *, at_once: bool = False, replace: bool = False) -> bool:
        """Ask for a request, if it is not the newest already; return whether it was computed, and delivered, at once.

        With ``replace``, work that runs for an older request is cancelled.
        """
        if request == self.wanted and self.standing is not Standing.LEFT:
            return False
        if self.standing is Standing.STOPPED and self.wanted is not None and self._resized(self.wanted, request):
            self.hold(request, work)
            return False
        self.wanted, self._work = request, work
        if request == self.shown and self.is_whole:
            self.jobs.cancel()
            self._stand(Standing.CURRENT)
        elif at_once:
            return self._compute(request, work)
        else:
            self._stand(Standing.PENDING)
            self._ask_worker(replace=replace)
        return False

    def hold(self, request: R, work: Work) -> None:
        """Have a request computed only when `resume` is called."""
        if request != self.wanted or self.standing is Standing.LEFT:
            self.jobs.cancel()
            self.wanted, self._work = request, work
            self._stand(Standing.CURRENT if request == self.shown and self.is_whole else Standing.STOPPED)

    def stop(self) -> bool:
        """Stop computing until `resume` or another request; return whether there was something to stop."""
        if not self.is_pending:
            return False
        self.jobs.cancel()
        self._stand(Standing.STOPPED)
        return True

    def resume(self) -> None:
        """Compute what was stopped."""
        if self.standing is Standing.STOPPED:
            self._stand(Standing.PENDING)
            self._ask_worker()

    def refuse(self, error: ExplorerError) -> None:
        """Say that the newest request cannot be answered any more: the numbers behind its picture are gone."""
        self.jobs.cancel()
        self._refuse(error)

    def leave(self) -> None:
        """Stop computing what nobody looks at; it is computed when it is wanted again."""
        if self.is_pending:
            self.jobs.cancel()
            self._stand(Standing.LEFT)

    # ---- Computing ----

    def _compute(self, request: R, work: Work) -> bool:
        self.jobs.cancel()
        try:
            work(lambda _fraction: None, partial(self._deliver_at_once, request))
        except Cancelled:
            return True  # showing a part has led to another request, which is newer
        except ExplorerError as error:
            self._refuse(error)
            return False
        self._end(request)
        return True

    def _deliver_at_once(self, request: R, part: object) -> None:
        self._show(request, part)
        if request != self.wanted:
            raise Cancelled

    def _ask_worker(self, *, replace: bool = False) -> None:
        if self._work is not None:
            self.jobs.request(self.wanted, partial(_to_the_end, self._work), replace=replace or self._makes_way)

    def _on_started(self, _request: R) -> None:
        self._makes_way = self._has_all = False

    def _on_delivered(self, request: R, part: object) -> None:
        if part is _END:
            self._has_all = True
            return
        self._makes_way = self._streams(request, part)
        self._show(request, part)
        if self._makes_way and self.is_pending and request != self.wanted:
            self._ask_worker()

    def _on_progressed(self, _request: R, fraction: float) -> None:
        self.progressed.emit(fraction)

    def _on_failed(self, request: R, error: Exception) -> None:
        if request == self.wanted:
            self._refuse(error)

    def _on_finished(self, request: R) -> None:
        if self._has_all:
            self._end(request)

    def _show(self, request: R, part: object) -> None:
        if request != self.shown or self.is_whole:
            self._on_show = []
        self._on_show.append(part)
        self.shown, self.is_whole = request, False
        self.delivered.emit(request, part)
        CACHE.show(id(self), self._on_show)
        if not self._tidying.isActive():  # while something is dragged, now and then
            self._tidying.start()

    def _end(self, request: R) -> None:
        self.is_whole = self.is_whole or request == self.shown
        if request == self.wanted:
            self._stand(Standing.CURRENT)

    def _refuse(self, error: Exception) -> None:
        if self.shown is not None and self.wanted is not None and not self._akin(self.shown, self.wanted):
            self.shown, self.is_whole, self._on_show = None, False, []
            CACHE.show(id(self), [])
            self.forgotten.emit()
        self.lost = LostFileError.behind(error)
        self._stand(Standing.REFUSED, str(error) if isinstance(error, ExplorerError) else NOT_COMPUTED)

    def _stand(self, standing: Standing, reason: str = "") -> None:
        if standing in (Standing.CURRENT, Standing.REFUSED):
            self._work = None  # it may hold large arrays
        if standing is not Standing.REFUSED:
            self.lost = None
        if (standing, reason) != (self.standing, self.reason):
            self.standing, self.reason = standing, reason
            self.changed.emit()


_END = object()
"""What work delivers last, if it was not cancelled."""


def _to_the_end(work: Work, report: Report, deliver: Deliver) -> None:
    work(report, deliver)
    deliver(_END)
