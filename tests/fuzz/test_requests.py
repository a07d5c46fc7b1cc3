"""Cookies and headers of a stranger: each request is answered, never with a failure, and lets nobody in."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from antecede.review.store import CaseStore
from antecede.web.access import Gate, make_access, put_user, read_cookie
from antecede.web.sign_ins import Failures
from tests.web.world import Client, build_world, open_world

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from tests.fuzz.outcomes import Fuzz

NAMES = (
    "cookie", "origin", "host", "content-type", "content-length", "accept", "range", "if-range", "if-none-match",
    "if-modified-since", "sec-fetch-site", "x-csrf-token", "referer", "transfer-encoding", "expect", "upgrade",
    "connection", "x-forwarded-for", "accept-encoding", "authorization",
)  # fmt: skip
PIECES = (
    b"antecede-0", b"=", b";", b'"', b"\\", b"\\" * 3000, b"\\101", b",", b" ", b"\t", b"null", b"http://", b"[",
    b"]", b"::1", b"127.0.0.1", b"localhost", b":", b"99999", b"-1", b"\xff", b"\xb2", b"%00", b"%", b"bytes=0-1",
    b"-", b"/",
    b"*/*", b"multipart/form-data; boundary=", b"application/json; charset=utf-7", b"W/", b"Sat, 99 Foo 0000",
    b"0" * 40, b"@",
)  # fmt: skip
CALLS = (
    ("GET", "/login"), ("POST", "/login"), ("GET", "/api/session"), ("GET", "/static/css/base.css"), ("GET", "/cases"),
    ("POST", "/logout"), ("POST", "/api/cases/import"), ("PATCH", "/api/cases/0123456789abcdef/marks"),
    ("OPTIONS", "/"),
)  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("requests")
    put_user(folder / "users.json", "ann", "correct horse")
    access = make_access("127.0.0.1", users=folder / "users.json")
    with (
        closing(CaseStore(folder / "cases.sqlite")) as store,
        Client(open_world(build_world(folder)), store, access, raise_server_exceptions=False) as opened,
    ):
        yield opened


def draw_value(chance: random.Random) -> bytes:
    """The value of a header, as HTTP allows it."""
    return b"".join(chance.choice(PIECES) for _ in range(chance.randrange(8))).strip()


def test_whatever_the_headers_are_no_answer_is_a_failure(client: Client, fuzz: Fuzz) -> None:
    for number, chance in fuzz.cases(150):
        method, path = chance.choice(CALLS)
        headers = [(chance.choice(NAMES).encode(), draw_value(chance)) for _ in range(chance.randrange(1, 5))]
        form = b"&".join(chance.choice((b"user=ann", b"password=", b"next=//x", b"a")) for _ in range(20))
        client.api.state.sign_ins.failures = Failures()
        client.cookies.clear()
        answer = client.request(method, path, headers=headers, content=form if method == "POST" else None)
        what = f"case {number}: {method} {path} {headers!r:.300} {answer.status_code}"
        assert answer.status_code < 500, what
        assert "set-cookie" not in answer.headers or path == "/logout", what
        assert not path.startswith("/api/") or answer.status_code >= 400, what
        fuzz.count(str(answer.status_code))


def test_a_cookie_is_found_among_others_and_nothing_else_is_taken_for_it(fuzz: Fuzz) -> None:
    for number, chance in fuzz.cases(300):
        others = [draw_value(chance).decode("latin-1").replace("antecede-0", "other") for _ in range(4)]
        header = "; ".join([*others[:2], "antecede-0=value", *others[2:]])
        assert read_cookie(header, "antecede-0") == "value", (number, header)
        assert read_cookie("; ".join(others), "antecede-0") == "", (number, others)
        fuzz.count("found")


def test_cookies_are_not_parsed_again_by_the_framework(client: Client) -> None:
    """The standard library takes a time quadratic in the number of backslashes, in the event loop."""
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.extend(name for name, _ in scope["headers"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    gate = Client.__mro__[1](Gate(application, client.access), base_url="http://127.0.0.1:8765")
    assert gate.get("/login", headers={"Cookie": 'a="' + "\\" * 16_000 + '"', "Accept": "*/*"}).status_code == 204
    assert b"accept" in seen
    assert b"cookie" not in seen
    assert gate.get("/login", headers={"Cookie": "a=" + "\\" * 40_000}).status_code == 431
