"""Work whose client has gone: not begun, or ended at its next check, and never stored."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from antecede.parallel import AbandonedError, while_wanted
from antecede.review import searches
from antecede.review.case import Review
from antecede.review.workbench import Workbench
from antecede.web.workbench import (
    MOST_SLOW,
    MOST_WAITING,
    SIGN_INS,
    Kind,
    OverloadError,
    Workers,
)
from tests.web.world import TOPIC, complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.review.store import CaseStore


class Connection:
    """A request whose client goes when it is told to."""

    def __init__(self) -> None:
        self.gone = False

    async def is_disconnected(self) -> bool:
        return self.gone


@pytest.fixture
def workers() -> Iterator[Workers]:
    opened = Workers(1)
    yield opened
    opened.close()


def run(workers: Workers, work: Callable[[], Any], connection: Connection, kind: Kind = "search") -> Any:
    return complete(lambda: workers.run(kind, cast("Any", connection), work))


def test_work_is_answered_at_once_when_its_client_goes_and_ends_at_its_next_check(workers: Workers) -> None:
    connection, begun, released, ended = Connection(), threading.Event(), threading.Event(), threading.Event()
    steps: list[int] = []

    def work() -> None:
        begun.set()
        connection.gone = True
        released.wait(600)
        try:
            steps.extend(while_wanted(range(3)))
        finally:
            ended.set()

    with pytest.raises(AbandonedError):
        run(workers, work, connection)
    assert begun.is_set()
    assert workers.waiting.total() == 0
    released.set()
    assert ended.wait(600)
    assert steps == []
    assert run(workers, lambda: "the next one", Connection()) == "the next one"


def test_work_that_waits_for_a_thread_is_not_begun(workers: Workers) -> None:
    begun: list[int] = []
    connection = Connection()
    connection.gone = True
    with workers.turns["search"], pytest.raises(AbandonedError):
        run(workers, lambda: begun.append(1), connection)
    assert run(workers, lambda: 5, Connection()) == 5
    assert begun == []


def test_reading_waits_for_no_search(workers: Workers) -> None:
    with workers.turns["search"]:
        assert run(workers, lambda: 5, Connection(), "read") == 5


@pytest.mark.parametrize("kind", ["search", "read"])
def test_work_that_is_slow_keeps_nobody_waiting_and_takes_one_turn(workers: Workers, kind: Kind) -> None:
    done = threading.Event()
    with ThreadPoolExecutor(MOST_SLOW) as threads:
        slow = [threads.submit(run, workers, partial(done.wait, 600), Connection(), kind) for _ in range(MOST_SLOW)]
        assert run(workers, lambda: not done.is_set(), Connection(), kind)
        done.set()
        assert [each.result() for each in slow] == [True] * MOST_SLOW
    assert workers.turns[kind].acquire(blocking=False)
    assert not workers.turns[kind].acquire(blocking=False)
    workers.turns[kind].release()


def test_few_passwords_are_checked_at_a_time_and_not_all_work_may_wait(workers: Workers) -> None:
    workers.waiting["search"] = MOST_WAITING
    with pytest.raises(OverloadError):
        run(workers, lambda: 5, Connection())
    workers.waiting["search"] = 0
    occupied, begun = threading.Event(), threading.Semaphore(0)

    def check() -> None:
        begun.release()
        occupied.wait(600)

    waiting = [workers.pools["sign-in"].submit(check) for _ in range(5)]
    assert [begun.acquire(timeout=600) for _ in range(SIGN_INS)] == [True] * SIGN_INS
    assert not begun.acquire(blocking=False)
    assert run(workers, lambda: 5, Connection()) == 5
    occupied.set()
    assert [each.result(30) for each in waiting] == [None] * 5


def test_search_that_nobody_waits_for_is_not_stored(
    index: EmbeddedEngine, store: CaseStore, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = store.case(store.create(index.patent(TOPIC).to_dict(), name="a case"))
    case = Review(store, row, workbench=Workbench(index, store))
    connection, found, left = Connection(), threading.Event(), threading.Event()

    search_topic = searches.search_topic

    def slow(*given: Any) -> Any:
        result = search_topic(*given)
        connection.gone = True
        found.set()
        left.wait(600)
        return result

    monkeypatch.setattr(searches, "search_topic", slow)
    with pytest.raises(AbandonedError):
        run(workers, lambda: searches.store_search(case), connection)
    left.set()
    assert run(workers, lambda: store.searches(case.id), Connection()) == []
    assert found.is_set()
    monkeypatch.undo()
    assert run(workers, lambda: searches.store_search(case), Connection()).number == 1
