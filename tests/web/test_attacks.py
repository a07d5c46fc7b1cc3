"""A real server while others send expressions that are hard to evaluate: all else is answered, and it can be ended.

Each attack is sent as a client would send it, by two at once.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antecede.corpus import Collection
from antecede.index import build_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.kill, pytest.mark.slow]

TRUNCATION = "ff*f*f*f*f*f*f*f*f*f*f*f*fx"
PROXIMITY = "(the NEAR/1000 of) NEAR/1000 (a NEAR/1000 to)"
DEEPER = f"({PROXIMITY}) NEAR/1000 ((in NEAR/1000 by) NEAR/1000 (is NEAR/1000 for))"
"""It is not found out within the ten seconds that an expression has on the page."""
WORDS = [
    "the",
    "of",
    "a",
    "to",
    "in",
    "by",
    "is",
    "for",
    "valve",
    "spring",
    "seat",
    "housing",
    "piston",
    "pump",
    "line",
    "motor",
]
TOPIC = {"doc_id": "mine", "language": "en", "title": {"en": "A valve"}, "abstract": {"en": "A valve with a spring."}}

MEMORY, WARM_SECONDS = 1_500_000_000, 0.1


@pytest.fixture(scope="module")
def crowded(once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path) -> Path:
    """An index of long texts of frequent words, and of a word of 64 letters."""

    def make() -> str:
        folder, draw = shared_folder / "crowded", random.Random(1)  # noqa: S311
        folder.mkdir()
        with (folder / "patents.jsonl").open("w") as file:
            for at in range(400):
                text = " ".join(draw.choices(WORDS, k=8000))
                record = {"doc_id": f"EP{1000000 + at}", "language": "en", "title": {"en": f"Valve {'f' * 64}"}}
                file.write(json.dumps(record | {"description": {"en": text}, "publication_date": "2001-01-01"}) + "\n")
        build_index(Collection(str(folder / "patents.jsonl")), folder / "index")
        return str(folder / "index")

    return Path(once("crowded", make))


class Client:
    """A user on a connection of their own, with a session of their own."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection(host, port, timeout=60)
        self.connection.request("GET", f"/?token={token}")
        answer = self.connection.getresponse()
        answer.read()
        self.headers = {"Cookie": str(answer.getheader("set-cookie")).split(";")[0], "Content-Type": "application/json"}
        self.headers["X-CSRF-Token"] = self.ask("GET", "/api/session")["csrf"]

    def send(self, method: str, path: str, body: Any = None) -> None:
        self.connection.request(method, path, json.dumps(body) if body is not None else None, self.headers)

    def receive(self) -> tuple[int, Any]:
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        self.send(method, path, body)
        status, answer = self.receive()
        assert status in (200, 201), answer
        return answer

    def close(self) -> None:
        self.connection.close()


class Attacked:
    """A server with a case, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        found = re.search(r"http://(127\.0\.0\.1):(\d+)/\?token=(\S+)", address)
        assert found is not None, address
        self.process, self.where = process, (found[1], int(found[2]), found[3])
        self.user = self.enter()
        self.case = f"/api/cases/{self.user.ask('POST', '/api/cases', {'patent': TOPIC})['id']}"
        for _ in range(1000):  # until all is compiled and loaded that a server prepares when it begins
            self.user.ask("POST", f"{self.case}/query/expression", {"where": "motor NEAR/2 pum*", "sets": []})
            if max(seconds for _, seconds in self.time_others()) < WARM_SECONDS:
                break

    def enter(self) -> Client:
        return Client(*self.where)

    @contextmanager
    def attack(self, where: str, clients: int = 2) -> Iterator[list[Client]]:
        """Clients that have sent an expression."""
        with ExitStack() as stack:
            attackers = [stack.enter_context(closing(self.enter())) for _ in range(clients)]
            for attacker in attackers:
                attacker.send("POST", f"{self.case}/query/expression", {"where": where, "sets": []})
            yield attackers

    def time_others(self) -> Iterator[tuple[str, float]]:
        """How long each kind of request of another user takes."""
        case = self.case
        asked = ("GET", "/api/cases"), ("POST", f"{case}/search"), ("GET", f"{case}/query"), ("GET", f"{case}/searches")
        for method, path in asked:
            begun = time.monotonic()
            self.user.ask(method, path, {} if method == "POST" else None)
            yield f"{method} {path}", time.monotonic() - begun

    @property
    def peak(self) -> int:
        """The most memory that it has taken, in bytes."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found is not None
        return int(found[1]) * 1024

    @property
    def work(self) -> float:
        """The seconds that its threads have worked."""
        user, system = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(index: Path, folder: Path) -> Iterator[Attacked]:
    words = [sys.executable, "-m", "antecede", "serve", str(index), "--cases", str(folder / "cases.sqlite")]
    words += ["--port", "0", "--no-calibrate"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            opened = Attacked(process, process.stderr.readline())
            with closing(opened.user):
                yield opened
        finally:
            process.kill()


@pytest.fixture
def server(crowded: Path, tmp_path: Path) -> Iterator[Attacked]:
    with served(crowded, tmp_path) as opened:
        yield opened


def test_others_are_answered_while_expressions_are_evaluated_in_bounded_memory(server: Attacked) -> None:
    answers: dict[str, list[Any]] = {}
    for where in (TRUNCATION, PROXIMITY, DEEPER):
        times: list[tuple[str, float]] = []
        begun = time.monotonic()
        with server.attack(where) as attackers, ThreadPoolExecutor(2) as threads:
            waiting = [threads.submit(attacker.receive) for attacker in attackers]
            while not times or not all(each.done() for each in waiting):
                times += server.time_others()
            results = [each.result() for each in waiting]
        answers[where] = [answer for _, answer in results]
        assert max(seconds for _, seconds in times) < 1, (where, sorted(times, key=lambda each: -each[1])[:5])
        assert time.monotonic() - begun < 20
        for status, answer in results:
            assert status == 200 or "is too wide: the time limit of 10 s is spent; use rarer" in answer["detail"]
    assert [each["documents"] for each in answers[TRUNCATION]] == [0, 0]
    assert all("detail" in each for each in answers[DEEPER])
    assert server.peak < MEMORY


def test_nothing_goes_on_for_clients_that_have_left(server: Attacked) -> None:
    with server.attack(DEEPER):
        time.sleep(1)
    time.sleep(2)
    before = server.work
    time.sleep(1)
    assert server.work - before < 0.5  # of two processors
    assert all(seconds < 1 for _, seconds in server.time_others())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
@pytest.mark.parametrize("where", [TRUNCATION, DEEPER], ids=["truncation", "proximity"])
def test_a_signal_ends_the_server_during_an_attack(server: Attacked, where: str, number: int) -> None:
    with server.attack(where):
        time.sleep(0.5)
        server.process.send_signal(number)
        server.process.wait(5)
    assert server.process.stderr is not None
    said = "" if number == signal.SIGTERM else "antecede: interrupted\n"
    assert server.process.stderr.read() == f"Stop with Ctrl+C.\n{said}"
    assert server.process.returncode == 128 + number


def test_ctrl_c_ends_a_search_from_the_shell(crowded: Path) -> None:
    words = [sys.executable, "-m", "antecede", "search", str(crowded), "--where", DEEPER]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(4)  # by now it is evaluated, or what evaluates it compiled
        process.send_signal(signal.SIGINT)
        process.wait(5)
        assert process.stdout is not None
        assert process.stderr is not None
        said = process.stdout.read(), process.stderr.read()
    assert (process.returncode, said) == (130, ("", "antecede: interrupted\n"))
