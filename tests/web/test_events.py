"""What others do reaches an open page: through a server that runs, from another page and from the terminal."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import call_program
from tests.web.test_server import started
from tests.web.world import TOPIC

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2

pytestmark = pytest.mark.kill


class Page:
    """A page that listens to the events of a case."""

    def __init__(self, client: httpx2.Client, case: str, after: int, **headers: str) -> None:
        self.events: list[tuple[str, dict[str, Any], float]] = []
        self.ready = threading.Condition()
        self.address, self.headers = f"{case}/events?after={after}", headers
        self.client = client
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self) -> None:
        kind = ""
        with self.client.stream("GET", self.address, headers=self.headers) as answer:
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                if line.startswith("data: "):
                    with self.ready:
                        self.events.append((kind, json.loads(line.removeprefix("data: ")), time.monotonic()))
                        self.ready.notify_all()

    def wait(self, number: int, kind: str = "change") -> list[tuple[dict[str, Any], float]]:
        """The first events of a kind, when there are so many."""

        def having() -> list[tuple[dict[str, Any], float]]:
            return [(data, when) for known, data, when in self.events if known == kind]

        with self.ready:
            assert self.ready.wait_for(lambda: len(having()) >= number, 60), self.events
        return having()


def test_changes_of_others_reach_an_open_page(world: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.sqlite"
    with started(world, cases) as (_, client):
        record = client.post("/api/topics", json={"number": TOPIC}).json()["patent"]
        made = client.post("/api/cases", json={"patent": record}).json()
        case, version = f"/api/cases/{made['id']}", made["version"]
        page = Page(client, case, version)
        assert page.wait(1, "present")[0][0] == {"users": [{"user": "", "pages": 1}]}
        body = {"doc_id": "EP1000004", "relevance": "relevant", "version": 0}
        mark = client.patch(f"{case}/marks", json=body).json()
        (first, _) = page.wait(1)[0]
        assert (first["kind"], first["key"], first["version"]) == ("mark", "EP1000004", mark["version"])
        assert first["record"] == mark["mark"]
        client.post(f"{case}/search", json={})
        client.patch(case, json={"notes": "ours", "version": mark["version"]})
        told = [data for data, _ in page.wait(3)]
        assert [data["kind"] for data in told] == ["mark", "search", "notes"]
        assert told[2]["record"] == {"notes": "ours"}
        done = call_program("review", "mark", cases, "EP1000008", "not", "--user", "ann")
        assert done.code == 0, done.err
        ((terminal, when),) = page.wait(4)[3:]
        assert (terminal["key"], terminal["user"], terminal["record"]["relevance"]) == ("EP1000008", "ann", "not")
        assert time.monotonic() - when < 60
        other = Page(client, case, 0, **{"Last-Event-ID": str(told[1]["version"])})
        assert [data["kind"] for data, _ in other.wait(2)] == ["notes", "mark"]
        assert page.wait(2, "present")[1][0] == {"users": [{"user": "", "pages": 2}]}
        client.delete(case)
        assert "no case" in page.wait(1, "gone")[0][0]["detail"]
        page.thread.join(60)
        assert not page.thread.is_alive()
        assert client.get(f"{case}/events").status_code == 404
