"""The server: listens on an address, prints where to open the page, and goes on until it is stopped."""

from __future__ import annotations

import asyncio
import gc
import html
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import webbrowser
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING, Any

import uvicorn

from antecede.engine import find_patent, read_record
from antecede.errors import AntecedeError, UsageError, printable
from antecede.review.case import Review
from antecede.review.marks import Mark, current_time
from antecede.review.searches import store_search
from antecede.review.store import CaseStore
from antecede.review.workbench import Workbench
from antecede.search.facets import count_facets
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings
from antecede.web.access import LARGEST_HEADERS, Gate
from antecede.web.app import create_api
from antecede.web.connections import Connection, Connections
from antecede.web.events import Watcher
from antecede.web.workbench import Workers

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from antecede.engine import Engine
    from antecede.web.access import Access

PORT = 8765
FURTHER_PORTS = 20
"""Ports that are tried after the default one, if it is in use."""
BACKLOG = 200
"""Connections that may wait to be accepted. A client that finds the queue full tries again after a second."""
WORK_SECONDS, STOP_SECONDS, LAST_SECONDS = 0.5, 2, 4.5
"""When the server is stopped: the time until work that goes on is abandoned, until requests are, and until the process
ends anyway."""
CALIBRATION_TOPICS = 200
"""Patents of the index whose citations a calibration in the background is made from, at the most."""


def protocol_of(connections: Connections) -> type[asyncio.Protocol]:
    """What uvicorn makes for each connection: a `Connection` around its own protocol."""
    plain = uvicorn.Config(connections, http="h11", ws="none", log_level="error")
    plain.load()

    class Limited(Connection):
        def __init__(self, **given: Any) -> None:
            super().__init__(connections, plain.http_protocol_class, **given)

    return Limited


class Server(uvicorn.Server):
    """A server whose process ends soon after a signal, also while a thread works that cannot be interrupted."""

    last: threading.Timer | None = None

    def __init__(self, settings: uvicorn.Config, workers: Workers, watcher: Watcher) -> None:
        super().__init__(settings)
        self.workers, self.watcher = workers, watcher

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.watcher.close()
        asyncio.get_running_loop().call_later(WORK_SECONDS, self.workers.abandon)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self.last is None:
            self.last = threading.Timer(LAST_SECONDS, os._exit, (128 + sig,))
            self.last.daemon = True
            self.last.start()

    def stay(self) -> None:
        """Let the process go on: everything has ended."""
        if self.last is not None:
            self.last.cancel()


def bind(host: str, port: int | None) -> socket.socket:
    """A socket on an address. Without a port, the first free one from the default on."""
    tried = [port] if port is not None else [*range(PORT, PORT + FURTHER_PORTS)]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: OSError | None = None
    for each in tried:
        # With its protocol, or asyncio would not turn off the delay of small packets (TCP_NODELAY) of its connections.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host.strip("[]"), each))
            listener.listen()  # at once: two servers that bind and do not yet listen could share a port
        except OSError as error:
            listener.close()
            problem = error
            continue
        return listener
    reason = problem.strerror if problem is not None and problem.strerror else str(problem)
    where = f"{printable(host)}:{tried[0]}" if port is not None else printable(host)
    raise UsageError(f"{where}: cannot listen there ({reason}); choose another --host or --port")


def page_address(access: Access, port: int) -> str:
    host = access.host if access.host not in ("0.0.0.0", "::", "") else "127.0.0.1"  # noqa: S104
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    return f"{base}?token={access.token}" if access.token is not None else base


def open_page(address: str, folder: str) -> None:
    """Open the page in a browser by a file that only its user can read: every user can read a command line."""
    file = Path(folder) / "antecede.html"
    file.touch(0o600)
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(address)}">')
    webbrowser.open(file.as_uri())


def stop(number: int, _: FrameType | None) -> None:
    """End the program at a signal as at Ctrl+C, with the case store closed."""
    if number == signal.SIGTERM:
        raise SystemExit(128 + number)
    signal.raise_signal(signal.SIGTERM)  # which uvicorn handles while it runs


def handle_signals(stack: ExitStack) -> None:
    """Stop at signals that would end the process at once: SIGTERM, and SIGHUP when a terminal is closed."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            stack.callback(signal.signal, number, signal.signal(number, stop))


def warm_up(index: Engine) -> None:
    """Search once, so that the first user does not wait for what is compiled and loaded on first use.

    What is in memory then stays there; the garbage collector need not look at it again, while users wait.
    """
    if index.size:
        with suppress(AntecedeError):  # the first document need not be one that can be searched with
            index.prepare()
            result = Ranker(index, SearchSettings(k=1000, before="off")).rank(read_record(index, 0))
            result.show(passages=2, bibliography=True)
            for rank in range(1, min(len(result), 2) + 1):
                result.hit(rank)
            count_facets(index)
    gc.collect()
    gc.freeze()


def add_example(index: Engine, store: CaseStore, doc_id: str) -> None:
    """Add a case with one search to a store that has none: the best documents that the topic cites are relevant."""
    if store.cases():
        return
    workbench = Workbench(index, store)
    patent = find_patent(index, doc_id)
    row = store.case(store.create(patent.to_dict(), name=f"Example: {patent.doc_id}"))
    case = Review(store, row, workbench=workbench)
    search = store_search(case)
    cited = {citation.number.key for citation in patent.citations}
    for rank, (found, _) in enumerate(search.ranking[:5], 1):
        number = find_patent(index, found).known_number
        relevant = number is not None and number.key in cited
        relevance, category, claims = (
            ("relevant", "A", "1") if relevant else ("maybe" if rank == 1 else "not", None, "")
        )
        title = workbench.name_document(found)["title"]
        where = {"time": current_time(), "search": search.number, "rank": rank, "title": title}
        store.put_marks(case.id, [Mark(found, relevance, category=category, claims=claims, **where)])


def begin_calibration(workbench: Workbench, folder: Path, stack: ExitStack) -> None:
    """Make a calibration from the citations between the documents of an index, and use it once it is there.

    Another process makes it, at a low priority, and ends with the server.
    """
    folder = folder.absolute()
    out = folder.with_suffix(".calibration.json")
    words = [sys.executable, "-m", "antecede", "review", "calibrate", str(folder), "--out", str(out), "--quiet"]
    words += ["--citations", "both", "--most", str(CALIBRATION_TOPICS)]
    process = subprocess.Popen(words, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, text=True)  # noqa: S603 - this program
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, process.pid, 10)
    workbench.calibration_note = (
        "a calibration is being made from the citations of this index; with it, estimates and advice will be narrower"
    )

    def finish() -> None:
        said = process.communicate()[1].strip().rpartition("\n")[2]
        if process.returncode == 0:
            workbench.calibration, workbench.calibration_note = out, ""
        else:
            why = said.removeprefix(f"antecede: {folder}: ") or "its process ended"
            workbench.calibration_note = f"no calibration could be made of this index: {why}"

    waiting = threading.Thread(target=finish, daemon=True, name="antecede-calibration")
    waiting.start()
    stack.callback(waiting.join)
    stack.callback(process.terminate)


def serve(
    index: Engine,
    cases: str | Path,
    access: Access,
    *,
    port: int | None = None,
    open_browser: bool = False,
    announce: Callable[[str], None] = print,
    example: str | None = None,
    calibration: Path | None = None,
    calibrate: Path | None = None,
    log: Callable[[str], None] | None = None,
) -> None:
    """Serve the page until it is stopped.

    Args:
        index: The index, from `open_index`.
        cases: The file of the case store.
        access: Who gets in.
        port: The port; by default the first free one from 8765 on.
        open_browser: Open the page in a browser.
        announce: Called with the address of the page.
        example: A patent of the index that the first case is about, where the store has none.
        calibration: A file of `antecede review calibrate`, for estimates and advice.
        calibrate: The folder of the index, of which a calibration is to be made meanwhile, beside it.
        log: Called with a line about each request that fails or is slow; by default there is no log.
    """
    listener = bind(access.host, port)
    warming = threading.Thread(target=warm_up, args=(index,), daemon=True, name="antecede-warm-up")
    with ExitStack() as stack:
        stack.enter_context(closing(listener))
        store = stack.enter_context(closing(CaseStore(cases)))
        if threading.current_thread() is threading.main_thread():
            handle_signals(stack)
        access.port = listener.getsockname()[1]
        if example is not None:
            add_example(index, store, example)
        api = create_api(index, store, access, calibration=calibration)
        if calibrate is not None:
            begin_calibration(api.state.workbench, calibrate, stack)
        address = page_address(access, access.port)
        announce(address)
        if open_browser:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="antecede-open-"))
            timer = threading.Timer(1.0, open_page, (address, folder))
            stack.callback(timer.cancel)
            timer.start()
        connections = Connections(Gate(api, access, log))
        settings = uvicorn.Config(
            connections,
            http=protocol_of(connections),
            ws="none",
            log_level="error",  # no client can fill a disk with messages
            access_log=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=STOP_SECONDS,
            h11_max_incomplete_event_size=LARGEST_HEADERS,
        )
        server = Server(settings, api.state.workers, api.state.watcher)
        warming.start()
        try:
            server.run(sockets=[listener])
        finally:
            stack.close()
            warming.join()  # Python cannot end while another thread compiles
            if not api.state.workers.running:
                server.stay()
