"""The API under requests made from its own description (schemathesis): whatever is sent, no answer is a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import HealthCheck, given, settings

from antecede.review.store import CaseStore
from antecede.web.access import Access
from antecede.web.app import create_api
from tests.web.test_api import mark_first
from tests.web.world import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.embedded.engine import EmbeddedEngine

EXAMPLES = 6
"""Requests per operation."""
READ_APART = {"/api/cases/import": 2, "/api/topics/file": 3}
"""Requests per operation whose files are read by a process of their own, which takes a second to start."""
pytestmark = pytest.mark.fuzz
DESCRIPTION = create_api(cast("Any", None), cast("Any", None), Access()).openapi()
ENDLESS = "/api/cases/{case_id}/events"
"""A stream without an end, which the client of these tests would wait for; `test_events.py` reads it from a server."""
OPERATIONS = [(path, method) for path, methods in DESCRIPTION["paths"].items() for method in methods if path != ENDLESS]


@pytest.fixture(scope="module")
def schema() -> Any:
    """Made here, and its plug-in is off: to import it takes three seconds of every process that runs tests."""
    from schemathesis import openapi

    return openapi.from_dict(DESCRIPTION)


@pytest.fixture(scope="module")
def fuzzed(index: EmbeddedEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, str]]:
    store = CaseStore(tmp_path_factory.mktemp("fuzz") / "cases.sqlite")
    with Client(index, store, raise_server_exceptions=False) as client:
        client.sign_in()
        case = client.case()
        mark_first(client, case, 3)
        yield client, case.rpartition("/")[2]
    store.close()


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_no_request_makes_the_server_fail(path: str, method: str, schema: Any, fuzzed: tuple[Client, str]) -> None:
    @settings(max_examples=READ_APART.get(path, EXAMPLES), suppress_health_check=[*HealthCheck])
    @given(case=schema[path][method].as_strategy())
    def check(case: Any) -> None:
        send(case, *fuzzed)

    check()


def send(case: Any, client: Client, case_id: str) -> None:
    """Send a request, to a case that exists: it is answered, or refused in one line."""
    if case.method == "DELETE" and case.path.endswith("{case_id}"):
        case.path_parameters["case_id"] = "0" * 16  # the others need the case
    elif "case_id" in (case.path_parameters or {}):
        case.path_parameters["case_id"] = case_id
    if "number" in (case.path_parameters or {}):
        case.path_parameters["number"] = 1
    call = case.as_transport_kwargs(base_url="http://127.0.0.1:8765")
    headers = {**(call.pop("headers", None) or {}), "X-CSRF-Token": client.headers["X-CSRF-Token"]}
    taken = {name: call[name] for name in ("params", "json", "content", "data", "files") if call.get(name) is not None}
    if isinstance(taken.get("data"), bytes | str):
        taken["content"] = taken.pop("data")
    answer = client.request(call["method"], call["url"], headers=headers, **taken)
    assert answer.status_code < 500, (case.method, case.path, taken, answer.text[:300])
    if answer.status_code >= 400:
        assert "\n" not in answer.json()["detail"]
