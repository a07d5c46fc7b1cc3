"""The server: listens on an address, prints where to open the page, and goes on until it is stopped."""

from __future__ import annotations

import gc
import socket
import threading
import webbrowser
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import uvicorn

from antecede.errors import AntecedeError, UsageError, shown
from antecede.search.facets import count_facets
from antecede.search.result_pages import search_pages
from antecede.search.settings import SearchSettings
from antecede.web.app import create_app
from antecede.web.store import CaseStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.index import Index
    from antecede.web.access import Access

PORT = 8765
FURTHER_PORTS = 20
"""Ports that are tried after the default one, if it is in use."""


def bind(host: str, port: int | None) -> socket.socket:
    """A socket on an address. Without a port, the first free one from the default on."""
    tried = [port] if port is not None else [*range(PORT, PORT + FURTHER_PORTS)]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: OSError | None = None
    for each in tried:
        listener = socket.socket(family, socket.SOCK_STREAM)
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
    where = f"{shown(host)}:{tried[0]}" if port is not None else shown(host)
    raise UsageError(f"{where}: cannot listen there ({reason}); choose another --host or --port")


def page_address(access: Access, port: int) -> str:
    """The address of the page, with the token where there is one."""
    host = access.host if access.host not in ("0.0.0.0", "::", "") else "127.0.0.1"  # noqa: S104
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    return f"{base}?token={access.token}" if access.token is not None else base


def warm_up(index: Index) -> None:
    """Search once, so that the first user does not wait for what is compiled and loaded on first use.

    What is in memory then stays there; the garbage collector need not look at it again, while users wait.
    """
    segment = next((each for each in index.segments if each.documents), None)
    if segment is not None:
        with suppress(AntecedeError):  # the first document need not be one that can be searched with
            search_pages(index, segment.store.record(0), SearchSettings(k=1000, before="off")).hits(range(1, 3))
            count_facets(index)
    gc.collect()
    gc.freeze()


def serve(
    index: Index,
    cases: str | Path,
    access: Access,
    *,
    port: int | None = None,
    open_browser: bool = False,
    announce: Callable[[str], None] = print,
    on_start: Callable[[CaseStore], None] | None = None,
    calibration: Path | None = None,
) -> None:
    """Serve the page until it is stopped.

    Args:
        index: The index, from `open_index`.
        cases: The file of the case store.
        access: Who gets in.
        port: The port; by default the first free one from 8765 on.
        open_browser: Open the page in a browser.
        announce: Called with the address of the page.
        on_start: Called with the store before the server starts.
        calibration: A file of `antecede review calibrate`, for estimates and advice.
    """
    listener = bind(access.host, port)
    with closing(listener), closing(CaseStore(cases)) as store:
        access.port = listener.getsockname()[1]
        if on_start is not None:
            on_start(store)
        app = create_app(index, store, access, calibration=calibration)
        address = page_address(access, access.port)
        announce(address)
        threading.Thread(target=warm_up, args=(index,), daemon=True, name="antecede-warm-up").start()
        if open_browser:
            threading.Timer(1.0, webbrowser.open, (address,)).start()
        settings = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            h11_max_incomplete_event_size=64 << 10,
        )
        uvicorn.Server(settings).run(sockets=[listener])
