"""The server as a user starts it: it prints its address, answers, and refuses what it cannot do."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import httpx2
import pytest

from antecede.cli.verbs.search import can_calibrate, choose_calibration
from antecede.review.calibration import fit_calibration, write_calibration
from antecede.review.store import CaseStore
from antecede.review.workbench import Workbench
from antecede.web.connections import MOST_CONNECTIONS, Connection, Connections
from antecede.web.server import begin_calibration, bind
from tests.conftest import call_program
from tests.review.drawn_topics import draw_topics
from tests.web.world import TOPIC, Client, complete

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine

pytestmark = pytest.mark.kill

ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)")


@contextmanager
def started(world: Path, cases: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], httpx2.Client]]:
    """A server, and a client that is signed in."""
    program = [sys.executable, "-m", "antecede", "serve", str(world)]
    words = [*program, "--cases", str(cases), "--port", "0", "--no-calibrate", *more]
    hang_up = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # which a program started by nohup ignores
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, preexec_fn=hang_up) as process:
        try:
            assert process.stderr is not None
            found = ADDRESS.search(process.stderr.readline())
            assert found is not None
            with httpx2.Client(base_url=found[1], follow_redirects=True, timeout=600) as client:
                client.get("/api/session", params={"token": found[2]})
                client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
                yield process, client
        finally:
            process.kill()


def test_idle_connections_lock_nobody_out_and_control_c_prints_nothing(world: Path, tmp_path: Path) -> None:
    with started(world, tmp_path / "cases.sqlite") as (process, client):
        place = client.base_url.host, client.base_url.port
        with ExitStack() as stack:
            idle = [stack.enter_context(socket.create_connection(place)) for _ in range(MOST_CONNECTIONS + 10)]
            assert client.get("/api/session").status_code == 200
            idle[0].settimeout(10)  # less than the time that an idle connection has
            with suppress(ConnectionResetError):
                assert idle[0].recv(1) == b""
        with socket.create_connection(place) as leaving:
            head = f"POST /login HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\nContent-Length: 1000\r\n\r\nuser=ann"
            leaving.sendall(head.encode())
        assert client.get("/api/index").status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        rest = process.stderr.read()
        process.wait(timeout=600)
    assert "Traceback" not in rest, rest
    assert process.returncode in (0, 130, -signal.SIGINT)


def test_a_signal_that_ends_the_server_leaves_all_cases_in_their_file(world: Path, tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        cases, copied = tmp_path / f"{number}.sqlite", tmp_path / f"{number}-copied.sqlite"
        with started(world, cases) as (process, client):
            topic = client.post("/api/topics", json={"number": TOPIC}).json()
            assert client.post("/api/cases", json={"patent": topic["patent"]}).status_code == 201
            process.send_signal(number)
            assert process.wait(600) == 128 + signal.SIGTERM
        shutil.copy(cases, copied)
        assert len(call_program("review", "list", copied, "--json").json) == 1


def test_requests_that_fail_are_logged_where_it_is_asked_for(world: Path, tmp_path: Path) -> None:
    with started(world, tmp_path / "cases.sqlite", "--log") as (process, client):
        assert client.get("/api/session?token=secret").status_code == 200
        assert client.get("/api/nothing%0Aelse?token=secret").status_code == 404
        assert httpx2.get(client.base_url.copy_with(path="/api/cases")).status_code == 401
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        lines = [line for line in process.stderr.read().splitlines() if " 40" in line]  # and those that were slow
    shapes = [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (\d{3}) \d+\.\d{3} s", r"\1", line) for line in lines]
    assert shapes == ["404 127.0.0.1 - GET /api/nothing\\nelse", "401 127.0.0.1 - GET /api/cases"]


def test_a_slow_request_is_logged(index: EmbeddedEngine, store: CaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    with Client(index, store, log=lines.append) as client:
        client.sign_in()
        assert lines == []
        monkeypatch.setattr("antecede.web.access.SLOW_SECONDS", 0.0)
        client.get("/api/session")
    assert [line.endswith("GET /api/session") for line in lines] == [True]
    assert " 200 " in lines[0]


class Wire:
    """What a connection writes to."""

    def __init__(self) -> None:
        self.aborted = asyncio.Event()

    def abort(self) -> None:
        self.aborted.set()

    def get_extra_info(self, _: str) -> tuple[str, int]:
        return "127.0.0.1", 1


def test_a_client_that_is_too_slow_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.connections.CLIENT_SECONDS", 0.0)

    async def run(*parts: bytes) -> None:
        wire, connections = Wire(), Connections(cast("Any", None))
        connection = Connection(connections, asyncio.Protocol)
        connection.connection_made(cast("Any", wire))
        for part in parts:
            connection.data_received(part)
        await asyncio.wait_for(wire.aborted.wait(), 60)

    for parts in ((), (b"GET / HTTP/1.1\r\n", b"Host: a\r\n")):
        complete(partial(run, *parts))


def test_a_request_that_is_answered_slowly_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.connections.CLIENT_SECONDS", 0.05)

    async def answer(*_: Any) -> None:
        await asyncio.sleep(0.2)

    async def run() -> None:
        wire, connections = Wire(), Connections(answer)
        connection = Connection(connections, asyncio.Protocol)
        connection.connection_made(cast("Any", wire))
        await connections({"type": "http", "client": ("127.0.0.1", 1)}, cast("Any", None), cast("Any", None))
        assert not wire.aborted.is_set()
        connection.pause_writing()  # the client does not read the answer
        await asyncio.wait_for(wire.aborted.wait(), 60)
        connection.connection_lost(None)
        assert connections.open == {}

    complete(run)


def test_what_cannot_be_served_is_refused_in_one_line(world: Path, tmp_path: Path) -> None:
    cases = str(tmp_path / "cases.sqlite")
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for words, message in (
            ((tmp_path / "nothing",), "nothing"),
            ((world, "--port", taken.getsockname()[1]), "cannot listen there"),
            ((world, "--host", "0.0.0.0"), "ANTECEDE_TOKEN"),  # noqa: S104
            ((world, "--host", "203.0.113.7", "--users", tmp_path / "none.json"), "antecede review user"),
            ((world, "--calibration", tmp_path / "none.json"), "calibrate"),
        ):
            done = call_program("serve", *words, "--cases", cases)
            assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
            assert message in done.err


def test_a_calibration_is_made_while_the_page_is_open(
    index: EmbeddedEngine, store: CaseStore, world: Path, documented_folder: Path, tmp_path: Path
) -> None:
    folder, few = tmp_path / "w.index", tmp_path / "few.index"
    folder.symlink_to(documented_folder / "clefip.index")
    few.symlink_to(world)
    for place, said in ((folder, ""), (few, "no calibration could be made of this index: ")):
        workbench = Workbench(index, store)
        with ExitStack() as stack:
            begin_calibration(workbench, place, stack)
            assert "is being made" in workbench.calibration_note
            (waiting,) = (each for each in threading.enumerate() if each.name == "antecede-calibration")
            waiting.join()
        assert workbench.calibration_note.startswith(said)
        assert (workbench.calibration == tmp_path / "w.calibration.json") == (not said)
    assert choose_calibration(str(folder), None) == tmp_path / "w.calibration.json"
    assert not can_calibrate(str(folder), None)
    assert can_calibrate(str(tmp_path / "other"), None)


def test_a_calibration_with_feedback_is_refused_and_beside_the_index_left_out(world: Path, tmp_path: Path) -> None:
    """The page reads in the order of a search: the risks of active learning would be wrong without a word."""
    index = tmp_path / "w.index"
    index.symlink_to(world)
    file = tmp_path / "w.calibration.json"
    write_calibration(fit_calibration(draw_topics(20, 1), method="evidence, active"), file)
    done = call_program("serve", index, "--calibration", file, "--cases", tmp_path / "cases.sqlite")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert "was made with active feedback, but the review has static" in done.err
    assert choose_calibration(str(index), None) is None
    write_calibration(fit_calibration(draw_topics(20, 1), method="evidence, static"), file)
    assert choose_calibration(str(index), None) == file


def test_a_port_that_is_in_use_is_passed_over_unless_it_was_asked_for() -> None:
    with closing(bind("127.0.0.1", None)) as first, closing(bind("127.0.0.1", None)) as second:
        assert first.getsockname() != second.getsockname()


def test_small_answers_are_sent_at_once() -> None:
    """Else an answer waits for the delayed acknowledgement of its head, 40 ms on Linux."""

    async def delayed(listener: socket.socket) -> bool:
        made: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        async with await asyncio.start_server(lambda _, writer: made.set_result(writer), sock=listener):
            _, leaving = await asyncio.open_connection(*listener.getsockname()[:2])
            accepted = await made
            own = accepted.get_extra_info("socket")
            for writer in (leaving, accepted):
                writer.close()
            return not own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    with closing(bind("127.0.0.1", 0)) as listener:
        assert complete(partial(delayed, listener)) is False


def test_cases_on_the_command_line(world: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.sqlite"
    with closing(CaseStore(cases)) as store:
        one = store.create({"doc_id": "A", "title": {"en": "A valve"}}, name="one")
        store.create({"doc_id": "B", "title": {"en": "A pump"}}, name="two")
        store.create({"doc_id": "B", "title": {"en": "A pump"}}, name="two")
    assert {each["name"] for each in call_program("review", "list", cases, "--json").json} == {"one", "two"}
    out = tmp_path / "one.json"
    assert call_program("review", "export", cases, one[:6], "--out", out).code == 0
    assert call_program("review", "import", tmp_path / "other.sqlite", out).code == 0
    again = tmp_path / "again.json"
    assert call_program("review", "export", tmp_path / "other.sqlite", "one", "--out", again).code == 0
    assert again.read_bytes() == out.read_bytes()
    alone = tmp_path / "alone.json"
    assert call_program("review", "export", tmp_path / "other.sqlite", "--out", alone).code == 0
    assert alone.read_bytes() == out.read_bytes()
    assert call_program("review", "export", cases, "--case", "one", "--out", tmp_path / "named.json").code == 0
    report = tmp_path / "report.html"
    assert call_program("review", "export", cases, "one", "--out", report, "--index", world).code == 0
    assert "Search report: one" in report.read_text()
    for ending in (".ris", ".csv"):
        done = call_program("review", "export", cases, "one", "--out", tmp_path / f"one{ending}", "--index", world)
        assert done.code == 0
    assert "patent,mark,category" in (tmp_path / "one.csv").read_text()
    for words, message in (
        (("list", tmp_path / "absent.sqlite"), "there is no such file"),
        (("export", cases, "two", "--out", tmp_path / "x.json"), "name of 2 cases"),
        (("export", cases, "three", "--out", tmp_path / "x.json"), "has no case"),
        (("export", cases, "one", "--case", "one", "--out", tmp_path / "x.json"), "the case is named twice"),
        (("import", cases, report), "not JSON"),
        (("user", tmp_path / "users.json", "ann"), "password"),
    ):
        done = call_program("review", *words, stdin=b"short\n")
        assert (done.code, done.err.count("\n")) == (2, 1), done
        assert message in done.err


@pytest.mark.parametrize("verb", ["serve", "review"])
def test_help_loads_neither_the_server_nor_the_search_engine(verb: str) -> None:
    script = (
        f"import sys; sys.argv[1:] = [{verb!r}, '--help']\nfrom antecede.cli import main\n"
        "try: main()\nexcept SystemExit: pass\nprint(sorted({'fastapi', 'uvicorn', 'numba'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_tools_for_cases_do_not_load_the_server() -> None:
    script = "import sys, antecede.review.case_file, antecede.review.exports; assert 'fastapi' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
