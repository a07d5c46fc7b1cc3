"""The order of attempts to sign in, and how late failures are answered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from antecede.web.sign_ins import (
    ANSWER_SECONDS,
    BUSY_FACTOR,
    EVERYWHERE,
    FAILURES,
    MOST_WAITING,
    SECONDS,
    Attempt,
    Failures,
    SignIns,
)
from antecede.web.workbench import OverloadError
from tests.web.world import complete

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def answering(cookie: str | None) -> Callable[[], Awaitable[str | None]]:
    """A check with this result."""

    async def check() -> str | None:
        return cookie

    return check


class Checks:
    """Checks of which the first waits until it may end, in the order in which they begin."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.ended = asyncio.Event()

    def of(self, name: str) -> Callable[[], Awaitable[str | None]]:
        async def check() -> str | None:
            self.order.append(name)
            await self.ended.wait()
            return name

        return check


def test_the_newest_and_the_oldest_from_the_addresses_with_the_fewest_failures_are_checked_by_turns() -> None:
    async def run() -> list[str]:
        sign_ins, checks = SignIns(), Checks()
        for _ in range(FAILURES):
            await sign_ins.run("10.0.0.9", "ann", answering(None))
        tasks = []
        for name, address in (
            ("first", "10.0.0.9"),
            ("old", "10.0.0.1"),
            ("guess", "10.0.0.9"),
            ("middle", "10.0.0.2"),
            ("new", "10.0.0.1"),
            ("newest guess", "10.0.0.9"),
        ):
            tasks.append(asyncio.create_task(sign_ins.run(address, "ann", checks.of(name))))
            await asyncio.sleep(0)
        checks.ended.set()
        await asyncio.gather(*tasks)
        return checks.order

    assert complete(run) == ["first", "old", "new", "middle", "newest guess", "guess"]


def test_one_check_at_a_time_and_the_next_one_after_one_that_was_cancelled() -> None:
    async def run() -> list[str]:
        sign_ins, checks = SignIns(), Checks()
        tasks = []
        for name in ("cancelled", "waits", "cancelled too", "begins"):
            tasks.append(asyncio.create_task(sign_ins.run("10.0.0.1", "ann", checks.of(name))))
            await asyncio.sleep(0)
        assert checks.order == ["cancelled"]
        tasks[0].cancel()
        tasks[2].cancel()
        await asyncio.wait(tasks[:1])
        checks.ended.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert sign_ins.checking is None
        assert sign_ins.waiting == []
        return checks.order

    assert complete(run) == ["cancelled", "waits", "begins"]


def test_where_too_many_wait_one_of_those_who_fail_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.sign_ins.GRACE_SECONDS", 0.01)

    async def run() -> None:
        sign_ins, checks = SignIns(), Checks()
        for number in range(FAILURES):
            await sign_ins.run("10.0.0.9", f"user{number}", answering(None))
        guesses = [
            asyncio.create_task(sign_ins.run("10.0.0.9", "ann", checks.of("guess"))) for _ in range(MOST_WAITING)
        ]
        await asyncio.sleep(0)
        others = [asyncio.create_task(sign_ins.run("10.0.0.1", "ann", checks.of("ann"))) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.wait([guesses[1]])
        checks.ended.set()
        results = await asyncio.gather(*guesses, *others, return_exceptions=True)
        assert [isinstance(result, OverloadError) for result in results] == [False, True] + [False] * MOST_WAITING
        assert checks.order[:3] == ["guess", "ann", "ann"]

    complete(run)


def test_clients_that_go_before_their_check_have_failed() -> None:
    async def run() -> None:
        sign_ins, checks = SignIns(), Checks()
        running = asyncio.create_task(sign_ins.run("10.0.0.1", "bob", checks.of("first")))
        gone = [
            asyncio.create_task(sign_ins.run("10.0.0.9", f"user{number}", checks.of("gone")))
            for number in range(FAILURES + 1)
        ]
        await asyncio.sleep(0)
        for task in gone:
            task.cancel()
        await asyncio.wait(gone)
        assert sign_ins.waiting == []
        late = asyncio.create_task(sign_ins.run("10.0.0.9", "ann", answering(None)))
        checks.ended.set()
        await running
        while not sign_ins.unanswered:
            await asyncio.sleep(0)
        late.cancel()
        assert sign_ins.timer is not None
        sign_ins.timer.cancel()
        assert checks.order == ["first"]

    complete(run)


def test_failures_are_forgotten_after_a_minute_and_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.sign_ins.MOST_FAILURES", 50)
    now = 100.0
    monkeypatch.setattr("antecede.web.sign_ins.time.monotonic", lambda: now)
    failures = Failures()
    for number in range(90):
        failures.add(Attempt("10.0.0.9", f"user{number}"))
    assert (failures.addresses, len(failures.users), len(failures.recent)) == ({"10.0.0.9": 50}, 50, 50)
    now += SECONDS + 1
    failures.forget()
    assert (failures.addresses, failures.users, [*failures.recent]) == ({}, {}, [])


def test_where_a_check_takes_long_answers_to_failures_are_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        sign_ins = SignIns()
        monkeypatch.setattr(asyncio.get_running_loop(), "call_later", lambda seconds, _: delays.append(seconds))
        sign_ins.check_seconds = 3.0
        sign_ins._set_timer()
        sign_ins.check_seconds = 0.1
        sign_ins._set_timer()

    delays: list[float] = []
    complete(run)
    assert delays == [3.0 * BUSY_FACTOR, ANSWER_SECONDS]


def test_clients_that_have_gone_do_not_count_among_those_who_wait() -> None:
    async def run() -> None:
        sign_ins, checks = SignIns(), Checks()
        tasks = [
            asyncio.create_task(sign_ins.run("10.0.0.1", "ann", checks.of("gone"))) for _ in range(2 * MOST_WAITING)
        ]
        ann = asyncio.create_task(sign_ins.run("10.0.0.1", "ann", checks.of("ann")))
        await asyncio.sleep(0)
        assert sign_ins.refusing is not None
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        sign_ins.refusing.cancel()
        sign_ins._refuse()
        checks.ended.set()
        assert await ann == "ann"

    complete(run)


@pytest.mark.parametrize(
    ("address", "user", "free"),
    [
        ("10.0.0.9", "user{}", FAILURES),
        ("10.0.0.{}", "ann", FAILURES),
        ("10.0.0.{}", "user{}", FAILURES * EVERYWHERE + EVERYWHERE - 1),
    ],
    ids=["one address", "one name", "many of both"],
)
def test_only_repeated_failures_are_answered_late(
    address: str, user: str, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antecede.web.sign_ins.ANSWER_SECONDS", 0.02)

    async def run() -> None:
        sign_ins, answered = SignIns(), list[int]()

        async def fail(number: int) -> None:
            assert await sign_ins.run(address.format(number), user.format(number), answering(None)) is None
            answered.append(number)

        for number in range(free):
            await fail(number)
        assert sign_ins.timer is None
        tasks = [asyncio.create_task(fail(number)) for number in range(free, free + 3)]
        while len(sign_ins.unanswered) < 3:
            await asyncio.sleep(0)
        assert await sign_ins.run("10.0.0.9", "ann", answering("a cookie")) == "a cookie"
        await asyncio.gather(*tasks)
        newest = max(answered[free:])
        assert (len(answered), answered[free] == newest, sign_ins.unanswered) == (free + 3, True, [])

    complete(run)


def test_a_failure_elsewhere_is_answered_before_those_of_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.sign_ins.ANSWER_SECONDS", 0.05)

    async def run() -> None:
        sign_ins, checks = SignIns(), Checks()
        for _ in range(FAILURES):
            await sign_ins.run("10.0.0.9", "ann", answering(None))
        running = asyncio.create_task(sign_ins.run("10.0.0.9", "ann", checks.of("guess")))
        tasks = [
            asyncio.create_task(sign_ins.run(address, "ann", answering(None)))
            for address in ("10.0.0.9", "10.0.0.1", "10.0.0.9")
        ]
        await asyncio.sleep(0)
        checks.ended.set()
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        assert [task.done() for task in tasks] == [False, True, False]
        await asyncio.gather(running, *tasks)

    complete(run)


def test_where_too_many_wait_for_an_answer_the_oldest_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.sign_ins.ANSWER_SECONDS", 600.0)

    async def run() -> None:
        sign_ins = SignIns()
        tasks = [
            asyncio.create_task(sign_ins.run("10.0.0.9", "ann", answering(None)))
            for _ in range(FAILURES + MOST_WAITING + 1)
        ]
        done, left = await asyncio.wait(tasks, timeout=0.5)
        assert len(sign_ins.unanswered) == len(left) == MOST_WAITING
        for task in left:
            task.cancel()
        await asyncio.wait(left)
        assert sign_ins.unanswered == []
        assert sign_ins.timer is not None
        sign_ins.timer.cancel()
        assert done

    complete(run)
