"""Requests for a picture: the newest wins, and it is always known what is on show and why."""

from __future__ import annotations

import threading

import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.session.requests import BEFORE, NOT_COMPUTED, SO_FAR, STILL, Requests, Standing


class Page:
    """Asks for letters, each of which comes in parts; the worker waits before each of them."""

    def __init__(self) -> None:
        self.requests: Requests[str] = Requests(
            None,
            lambda letter, _part: letter.isupper(),  # capital letters stream
            resized=lambda wanted, letter: letter.rstrip("'") == wanted.rstrip("'"),
        )
        self.parts: list[tuple[str, int]] = []
        self.standings: list[Standing] = []
        self.steps = threading.Semaphore(0)
        self.requests.delivered.connect(lambda request, part: self.parts.append((request, part)))
        self.requests.changed.connect(lambda: self.standings.append(self.requests.standing))

    def want(self, letter: str, *, at_once: bool = False, hold: bool = False, **how: bool) -> bool:
        def work(report, deliver) -> None:
            for part in range(2):
                if not at_once:
                    assert self.steps.acquire(timeout=20)
                report(part / 2)
                if letter == "x":
                    raise ExplorerError("There is no x.")
                if letter == "y":
                    raise MemoryError
                deliver(part)

        if hold:
            self.requests.hold(letter, work)
            return False
        return self.requests.want(letter, work, at_once=at_once, **how)

    def pass_steps(self, count: int = 1000) -> None:
        for _ in range(count):
            self.steps.release()


@pytest.fixture
def page(qapp):
    page = Page()
    yield page
    page.pass_steps()
    page.requests.jobs.stop()


def at_rest(page: Page) -> tuple[str | None, Standing, bool]:
    page.pass_steps()
    assert page.requests.jobs.wait(20)
    return page.requests.shown, page.requests.standing, page.requests.is_whole


def test_what_is_quick_is_there_at_once(page):
    assert page.want("a", at_once=True)
    assert page.parts == [("a", 0), ("a", 1)]
    assert at_rest(page) == ("a", Standing.CURRENT, True)
    assert not page.want("a", at_once=True), "and is not computed again"


def test_the_older_picture_stands_only_while_the_newer_is_pending(page):
    page.want("a", at_once=True)
    page.want("b")
    assert (page.requests.shown, page.requests.wanted, page.requests.standing) == ("a", "b", Standing.PENDING)
    assert not page.requests.misleads
    assert at_rest(page) == ("b", Standing.CURRENT, True)


def test_a_newer_request_lets_the_older_end_so_that_something_is_seen_in_a_drag(page):
    for letter in "abc":
        page.want(letter)
    assert at_rest(page) == ("c", Standing.CURRENT, True)
    assert page.parts == [("a", 0), ("a", 1), ("c", 0), ("c", 1)]


def test_what_streams_makes_way_after_its_first_part(page, qtbot):
    page.want("A")
    page.pass_steps(1)
    qtbot.waitUntil(lambda: page.parts == [("A", 0)])
    page.want("b")
    assert at_rest(page) == ("b", Standing.CURRENT, True)
    assert ("A", 1) not in page.parts


def test_what_streams_makes_way_also_if_the_newer_request_was_first(page, qtbot):
    page.want("A")
    page.want("b")
    assert at_rest(page) == ("b", Standing.CURRENT, True)
    assert ("A", 0) in page.parts


def test_back_to_what_is_on_show_nothing_is_computed(page):
    page.want("a", at_once=True)
    page.want("b")
    page.want("a")
    assert page.requests.standing is Standing.CURRENT
    assert at_rest(page) == ("a", Standing.CURRENT, True)
    assert len(page.parts) == 2


def test_back_to_what_is_on_show_in_part_the_rest_is_computed(page, qtbot):
    page.want("A")
    page.pass_steps(1)
    qtbot.waitUntil(lambda: page.parts == [("A", 0)])
    page.want("b")
    page.want("A")
    assert at_rest(page) == ("A", Standing.CURRENT, True)


def test_stopped_before_there_was_a_picture(page):
    page.want("a", at_once=True)
    page.want("b")
    assert page.requests.stop()
    assert (page.requests.sentence, page.requests.misleads) == (BEFORE, True)
    page.want("b")
    assert at_rest(page) == ("a", Standing.STOPPED, True)
    assert not page.requests.stop()
    page.requests.resume()
    assert at_rest(page) == ("b", Standing.CURRENT, True)


def test_stopped_it_stays_so_in_another_size_and_not_for_another_letter(page):
    page.want("a", at_once=True)
    page.want("b")
    page.requests.stop()
    page.want("b'")
    assert at_rest(page) == ("a", Standing.STOPPED, True)
    page.requests.resume()
    assert at_rest(page) == ("b'", Standing.CURRENT, True)
    page.want("c")
    page.requests.stop()
    page.want("d")
    assert at_rest(page) == ("d", Standing.CURRENT, True)


def test_stopped_in_the_middle(page, qtbot):
    page.want("A")
    page.pass_steps(1)
    qtbot.waitUntil(lambda: page.parts == [("A", 0)])
    page.requests.stop()
    assert (page.requests.sentence, page.requests.misleads) == (SO_FAR, False)
    assert at_rest(page) == ("A", Standing.STOPPED, False)


@pytest.mark.parametrize("at_once", [True, False])
def test_refused_until_another_is_wanted(page, at_once):
    page.want("a", at_once=True)
    page.want("x", at_once=at_once)
    assert at_rest(page) == ("a", Standing.REFUSED, True)
    assert (page.requests.sentence, page.requests.misleads) == (f"There is no x. {STILL}", True)
    page.want("a", at_once=at_once)
    assert at_rest(page) == ("a", Standing.CURRENT, True)
    assert page.requests.sentence == ""


def test_a_mistake_in_the_program_is_a_refusal_too(page, monkeypatch):
    raised = []
    monkeypatch.setattr("sys.excepthook", lambda kind, *_error: raised.append(kind))
    page.want("y")
    assert at_rest(page) == (None, Standing.REFUSED, False)
    assert page.requests.sentence == NOT_COMPUTED
    assert raised == [MemoryError]


def test_what_nobody_looks_at_is_computed_when_it_is_wanted_again(page):
    page.want("a")
    page.requests.leave()
    assert at_rest(page) == (None, Standing.LEFT, False)
    page.want("a")
    assert at_rest(page) == ("a", Standing.CURRENT, True)


def test_showing_a_part_may_lead_to_another_request(page):
    page.requests.delivered.connect(lambda request, _part: request == "a" and page.want("b", at_once=True))
    page.want("a", at_once=True)
    assert page.parts == [("a", 0), ("b", 0), ("b", 1)]
    assert at_rest(page) == ("b", Standing.CURRENT, True)


def test_a_change_is_told_once(page):
    for letter in "abc":
        page.want(letter)
    at_rest(page)
    assert page.standings == [Standing.PENDING, Standing.CURRENT]


def test_a_newer_request_may_end_the_older(page):
    page.want("a")
    page.want("b", replace=True)
    assert at_rest(page) == ("b", Standing.CURRENT, True)
    assert page.parts == [("b", 0), ("b", 1)]


def test_what_takes_long_may_wait_until_it_is_asked_for(page):
    page.want("a", at_once=True)
    page.want("b")
    page.want("c", hold=True)
    assert at_rest(page) == ("a", Standing.STOPPED, True)
    page.want("a", hold=True)
    assert page.requests.standing is Standing.CURRENT, "it is on show already"
    page.want("c", hold=True)
    page.requests.resume()
    page.want("c", hold=True)
    assert at_rest(page) == ("c", Standing.CURRENT, True), "it was asked for"
