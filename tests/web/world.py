"""A small index with everything that the page shows, and a client that is signed in."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

from antecede.corpus import Collection
from antecede.embedded.engine import EmbeddedEngine
from antecede.index import build_index
from antecede.review.workbench import Workbench
from antecede.web.access import Gate, make_access
from antecede.web.app import create_api
from antecede.web.events import Watcher
from antecede.web.sign_ins import SignIns
from antecede.web.workbench import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from fastapi import FastAPI

    from antecede.review.store import CaseStore
    from antecede.web.access import Access

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"
SUBJECTS = (
    ("valve", "A valve with a seat and a spring closes a pressure line. The spring presses the disc onto the seat."),
    ("router", "A router forwards packets through a mesh network of sensors. Each sensor measures the soil moisture."),
    ("lamp", "A lamp with a filament in a glass housing. The filament is heated by a current until it glows."),
    ("pump", "A pump with a piston moves a liquid through a line. The piston is driven by a crank and a motor."),
)
CLAIM = (
    "1. A valve comprising: a housing made of brass; a seat that is held by the housing; and a spring that presses a "
    "disc onto the seat, characterised in that the spring is wound of flat wire."
)
TOPIC = "EP1000001"


def patent(at: int) -> dict[str, Any]:
    """One of the patents: the subject changes with the number, every fourth is about the same."""
    name, text = SUBJECTS[at % 4]
    record: dict[str, Any] = {
        "doc_id": f"EP{1000000 + at}" if at % 3 else f"US{7000000 + at}",
        "kinds": ["A1"],
        "language": "en",
        "title": {"en": f"The {name} number {at}"},
        "abstract": {"en": f"This {name} is made of part {at}. {text}"},
        "claims": {"en": [f"1. A {name} with part {'abcdefghijkl'[at % 12]}.", f"2. The {name} of claim 1, of metal."]},
        "description": {
            "en": f"{text}\nThe {name} is used in a plant.\n" + f"A further {name} is shown. " * (1 + at % 5)
        },
        "ipc": ["F16K 1/00", "F16K 31/06"] if name == "valve" else ["H04L 12/56"],
        "cpc": ["F16K 1/02"] if name == "valve" else [],
        "applicants": ["Acme GmbH" if at % 2 else "Société L'Air"],
        "inventors": ["Müller, Jörg"],
        "priority_date": f"{1985 + at}-03-04",
        "publication_date": f"{1986 + at}-09-01",
        "family_id": f"f{at // 8}" if at >= 8 else None,
        "citations": [{"number": "EP1000004", "category": "X", "phase": "search"}] if at in (8, 12) else [],
    }
    if at == 7:
        record |= {"publication_date": None, "priority_date": None}
    return {name: value for name, value in record.items() if value is not None}


def patents() -> list[dict[str, Any]]:
    """The topic, 24 patents about four subjects, one in German, one undated, one with markup everywhere."""
    topic = {
        **patent(1),
        "doc_id": TOPIC,
        "title": {"en": "Valve with a flat spring"},
        "abstract": {"en": f"This valve is made of part 1. {SUBJECTS[0][1]}"},
        "claims": {"en": [CLAIM, "2. The valve of claim 1, wherein the disc is made of steel."]},
        "description": {"en": SUBJECTS[0][1] + "\nThe valve has a housing of brass and a spring of flat wire.\n"},
        "ipc": ["F16K 1/00"],
        "family_id": "own",
        "priority_date": "2015-01-01",
        "publication_date": "2016-07-01",
    }
    german = {
        "doc_id": "DE3000001",
        "language": "de",
        "title": {"de": "Ventil mit Feder"},
        "description": {"de": "Das Ventil hat einen Sitz und eine Feder, die den Teller auf den Sitz drückt."},
        "ipc": ["F16K 1/00"],
        "publication_date": "1999-05-06",
    }
    hostile = {
        **patent(4),
        "doc_id": "EP1000099",
        "title": {"en": f"Valve {MARKUP}"},
        "abstract": {"en": f"A valve with a spring {MARKUP}"},
        "claims": {"en": [f"1. A valve {MARKUP} with a spring and a seat."]},
        "description": {"en": f"{SUBJECTS[0][1]} {MARKUP}"},
        "applicants": [MARKUP],
        "inventors": ['"><svg onload=alert(3)>'],
    }
    return [topic, *(patent(at) for at in range(2, 26)), german, hostile]


def build_world(folder: Path) -> Path:
    """The index on disk."""
    source = folder / "patents.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in patents()))
    build_index(Collection(str(source)), folder / "world.index", workers=1)
    return folder / "world.index"


UNVERSIONED = ("/search", "/seen", "/query/expression")
"""What is posted to a case and changes nothing that has a version."""
IDLE: list[FastAPI] = []
"""Applications of clients that are done: FastAPI takes a quarter of a second to analyse the routes of a new one."""


class Client(TestClient):
    """A client that is signed in; every change carries the token."""

    def __init__(
        self,
        index: EmbeddedEngine,
        store: CaseStore,
        access: Access | None = None,
        calibration: Path | None = None,
        log: Callable[[str], None] | None = None,
        **more: Any,
    ) -> None:
        self.access = access or make_access("127.0.0.1")
        self.store, self.index = store, index
        self.api = IDLE.pop() if IDLE else create_api(index, store, self.access)
        self.api.state.workbench = Workbench(index, store, calibration)
        self.api.state.access, self.api.state.workers, self.api.state.sign_ins = self.access, Workers(), SignIns()
        self.api.state.watcher = Watcher(store)
        gate = Gate(self.api, self.access, log)
        super().__init__(gate, base_url="http://127.0.0.1:8765", follow_redirects=False, **more)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        IDLE.append(self.api)

    def sign_in(self) -> Client:
        """Open the start-up address, as a browser would."""
        assert self.get("/", params={"token": self.access.token or ""}).status_code == 303
        self.headers["X-CSRF-Token"] = self.get("/api/session").json()["csrf"]
        return self

    def ask(self, method: str, path: str, status: int = 200, **more: Any) -> Any:
        """The JSON of an answer, whose status must be as given; a change without a version has seen everything."""
        found = self.request(method, path, **self.with_version(method, path, more))
        assert found.status_code == status, (method, path, found.status_code, found.text[:500])
        return found.json() if found.content and "json" in found.headers.get("content-type", "") else found

    def with_version(self, method: str, path: str, more: dict[str, Any]) -> dict[str, Any]:
        """A request with the version of its case, where it changes one and names none."""
        case = re.match(r"/api/cases/([0-9a-f]{16})(.*)", path)
        if case is None or method == "GET" or case[2] in UNVERSIONED or "content" in more:
            return more
        version = next((row.version for row in self.store.cases(case_id=case[1])), 0)
        if method == "DELETE":
            return {**more, "params": {"version": version, **more.get("params", {})}} if case[2] else more
        given = more.get("json", {})
        return {**more, "json": {"version": version, **given}} if isinstance(given, dict) else more

    def case(self, number: str = TOPIC, **more: Any) -> str:
        """The address of a new case."""
        record = self.ask("POST", "/api/topics", json={"number": number})["patent"]
        return f"/api/cases/{self.ask('POST', '/api/cases', 201, json={'patent': record, **more})['id']}"


def complete(begin: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """The result of a coroutine in a thread of its own: that of the tests may have an event loop of the browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(begin())).result()


def open_world(index: Path) -> EmbeddedEngine:
    """The index, opened."""
    return EmbeddedEngine.open(index)
