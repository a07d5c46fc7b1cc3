"""Who gets in, and what a request from elsewhere can do: nothing."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.exceptions import HTTPException

from antecede import InputError, UsageError
from antecede.review.database import to_json
from antecede.web.access import (
    HEADERS,
    LARGEST_BODY,
    Access,
    check_password,
    host_of,
    keep_token,
    limit_body,
    make_access,
    put_user,
    read_users,
)
from antecede.web.server import page_address
from tests.web.world import TOPIC, Client, complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.review.store import CaseStore

PASSWORDS = {"ann": "correct horse", "<b>bob</b>": "battery staple"}


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("users") / "users.json"
    for name, password in PASSWORDS.items():
        put_user(path, name, password)
    return path


@pytest.fixture
def stranger(index: EmbeddedEngine, store: CaseStore) -> Iterator[Client]:
    with Client(index, store) as opened:
        yield opened


@pytest.fixture
def team(index: EmbeddedEngine, store: CaseStore, users: Path) -> Iterator[Client]:
    with Client(index, store, make_access("127.0.0.1", users=users)) as opened:
        yield opened


def sign_in(team: Client, name: str) -> Client:
    """Sign in as a user; the client then carries the user's cookie and token."""
    team.cookies.clear()
    done = team.post("/login", data={"user": name, "password": PASSWORDS[name], "next": "/cases"})
    assert (done.status_code, done.headers["location"]) == (303, "/cases")
    team.headers["X-CSRF-Token"] = team.get("/api/session").json()["csrf"]
    return team


def renamed(data: bytes, case_id: str) -> bytes:
    """A case file with another id."""
    whole = json.loads(data)
    for rows in whole["case"].values():
        for row in rows:
            row[0] = case_id
    whole["sha256"] = sha256(to_json(whole["case"]).encode()).hexdigest()
    return to_json(whole).encode()


def test_without_the_token_nothing_is_shown(stranger: Client) -> None:
    for path in ("/", "/cases", "/api/session", "/api/index", "/api/cases", "/api/docs", "/api/openapi.json"):
        assert stranger.get(path).status_code == 401, path
    for token in ("", "wrong", "x" * 5000, (stranger.access.token or "")[:-1]):
        assert stranger.get("/", params={"token": token}).status_code == 401
    assert stranger.post("/api/cases", params={"token": stranger.access.token or ""}).status_code == 401


def test_the_token_becomes_a_cookie_that_no_script_reads_and_no_site_sends(stranger: Client) -> None:
    done = stranger.get("/cases", params={"token": stranger.access.token or "", "a": "b c"})
    assert (done.status_code, done.headers["location"]) == (303, "/cases?a=b+c")
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert (stranger.access.token or "?") not in cookie
    assert stranger.get("/api/session").status_code == 200
    for path in ("//evil.example/", "/\\evil.example/"):
        target = stranger.get("http://127.0.0.1:8765" + path, params={"token": "x"}).headers.get("location", "/")
        assert not target.startswith(("//", "/\\", "http"))


def test_the_cookie_and_an_open_page_survive_a_restart(client: Client, store: CaseStore) -> None:
    again = make_access("127.0.0.1", token=client.access.token)
    with Client(client.index, store, again) as restarted:
        restarted.cookies, restarted.headers["X-CSRF-Token"] = client.cookies, client.headers["X-CSRF-Token"]
        assert restarted.case()
    with Client(client.index, store) as other:  # which has another token
        other.cookies = client.cookies
        assert other.get("/api/session").status_code == 401


def test_the_token_is_drawn_once_and_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    token, path = keep_token(), tmp_path / "settings/antecede/token"
    assert keep_token() == token == path.read_text().strip()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)  # others could have read it
    assert keep_token() not in (token, "")
    assert path.stat().st_mode & 0o777 == 0o600
    for content in (b"", b"short", b"\xff" * 30):
        path.write_bytes(content)
        assert len(keep_token()) > 30
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", "")  # as if it were not set
    assert keep_token() == keep_token()
    assert not (tmp_path / "antecede").exists()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(path))  # no folder: the token holds until the server ends
    assert keep_token() != keep_token()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/", 401, "Open the address that <code>antecede serve</code> printed."),
        ("/elsewhere", 404, "There is no page at this address."),
        ("/api/cases/0123456789abcdef/export/report.html", 404, "There is no case"),
        ("/api/<b>nothing</b>", 404, "&lt;b&gt;nothing"),
    ],
)
def test_a_person_gets_a_page_and_a_program_gets_json(
    stranger: Client, client: Client, path: str, status: int, words: str
) -> None:
    who = stranger if status == 401 else client
    page = who.get(path, headers={"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert words.casefold() in page.text.casefold()
    assert page.headers["X-Frame-Options"] == "DENY"
    told = who.get(path)
    assert (told.status_code, *told.json()) == (status, "detail")


def test_every_answer_has_the_security_headers(client: Client) -> None:
    case = client.case()
    for path in ("/api/session", case, "/api/nothing", "/api/docs", "/elsewhere", f"{case}/export/case.json"):
        found = client.get(path).headers
        for name, value in HEADERS.items():
            assert found[name] == value, (path, name)
        assert found["cache-control"] == "no-store"
    assert "unsafe-inline" not in HEADERS["Content-Security-Policy"]
    assert "unsafe-eval" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "", "a@127.0.0.1",
             "10.0.0.1", "127.0.0.1:99999", "127.0.0.1/x"]
)  # fmt: skip
def test_a_name_that_leads_here_is_not_enough(client: Client, host: str) -> None:
    """DNS rebinding: the page of another site asks under its own name, which now leads to this machine."""
    assert client.get("/api/cases", headers={"Host": host}).status_code == 421
    assert client.get("/", params={"token": client.access.token or ""}, headers={"Host": host}).status_code == 421


def test_the_names_of_this_machine_are_allowed() -> None:
    own = Access(host="127.0.0.1", names=("search.example.org",))
    names = ("127.0.0.1:1", "localhost:8765", "LOCALHOST", "[::1]:8765", "search.example.org", "Search.Example.org:80")
    for host in names:
        assert own.allows_host(host), host
    assert not own.allows_host("192.168.0.7:8765")
    assert Access(host="0.0.0.0").allows_host("192.168.0.7:8765")  # noqa: S104
    assert not Access(host="0.0.0.0").allows_host("evil.example:8765")  # noqa: S104
    assert host_of("[::1]:8765") == "[::1]"


CHANGES: list[tuple[str, str, Any]] = [
    ("POST", "/api/topics", {"number": TOPIC}),
    ("POST", "/api/cases", {}),
    ("PATCH", "CASE", {"name": "theirs"}),
    ("DELETE", "CASE", None),
    ("PATCH", "CASE/marks", {"doc_id": "EP1000004", "relevance": "relevant"}),
    ("POST", "CASE/search", {}),
    ("POST", "CASE/query/undo", None),
    ("POST", "/api/cases/import", None),
    ("POST", "/api/topics/file", None),
    ("POST", "/logout", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_change_from_another_site_is_refused(client: Client, method: str, path: str, body: Any) -> None:
    case = client.case()
    path = path.replace("CASE", case)
    token = client.headers.pop("X-CSRF-Token")
    for headers in (
        {},
        {"X-CSRF-Token": "wrong"},
        {"X-CSRF-Token": token, "Origin": "https://evil.example"},
        {"X-CSRF-Token": token, "Origin": "null"},
        {"X-CSRF-Token": token, "Sec-Fetch-Site": "cross-site"},
    ):
        assert client.request(method, path, json=body, headers=headers).status_code == 403, headers
    client.headers["X-CSRF-Token"] = token
    assert client.ask("GET", case)["marks"] == []


def test_another_address_needs_a_token_or_users(users: Path) -> None:
    for host in ("0.0.0.0", "192.168.1.2", "::", "example.org"):  # noqa: S104
        with pytest.raises(UsageError, match="ANTECEDE_TOKEN"):
            make_access(host)
        assert make_access(host, users=users).token is None
        assert make_access(host, token="t" * 16).token == "t" * 16
    with pytest.raises(UsageError, match="16 characters"):
        make_access("127.0.0.1", token="short")  # noqa: S106
    assert len(make_access("127.0.0.1").token or "") > 30
    assert make_access("127.0.0.1").token != make_access("127.0.0.1").token


def test_users_sign_in_and_their_marks_carry_their_name(team: Client) -> None:
    assert team.get("/cases").headers["location"] == "/login?next=%2Fcases"
    assert team.get("/api/cases").status_code == 401
    sign_in(team, "ann")
    case = team.case()
    assert (
        team.ask("PATCH", f"{case}/marks", json={"doc_id": "EP1000004", "relevance": "maybe"})["mark"]["user"] == "ann"
    )
    assert team.post("/logout").status_code == 204
    assert team.get("/api/cases").status_code == 401


@pytest.mark.slow
def test_a_case_of_another_user_is_not_there_unless_shared(team: Client) -> None:
    sign_in(team, "ann")
    case = team.case(name="secret")
    team.ask("POST", f"{case}/search", json={})
    exported = team.get(f"{case}/export/case.json").content
    unknown = renamed(exported, case.rpartition("/")[2][::-1])
    sign_in(team, "<b>bob</b>")
    assert team.ask("GET", "/api/cases") == []
    for method, path in (
        ("GET", ""), ("GET", "/topic"), ("GET", "/query"), ("POST", "/search"), ("GET", "/searches/1"),
        ("GET", "/marks"), ("GET", "/progress"), ("GET", "/chart"), ("GET", "/export/case.json"), ("DELETE", ""),
        ("GET", "/document?id=EP1000004"), ("GET", "/compare?first=1&second=1"), ("GET", "/searches/1/facets"),
    ):  # fmt: skip
        found = team.request(method, case + path, json={} if method == "POST" else None)
        assert found.status_code == 404, (method, path)
        assert "secret" not in found.text
    copied = [team.ask("POST", "/api/cases/import", 201, content=each)["id"] for each in (exported, exported, unknown)]
    assert copied[0] == copied[1]  # twice is once, and an id that nobody has is treated in the same way
    assert not {*copied} & {case.rpartition("/")[2], case.rpartition("/")[2][::-1]}
    sign_in(team, "ann")
    team.ask("PATCH", case, json={"shared": True})
    sign_in(team, "<b>bob</b>")
    assert (
        team.ask("PATCH", f"{case}/marks", json={"doc_id": "EP1000004", "relevance": "not"})["mark"]["user"]
        == "<b>bob</b>"
    )
    assert "only the owner" in team.ask("DELETE", case, 403)["detail"]
    assert "only the owner" in team.ask("PATCH", case, 403, json={"shared": False})["detail"]


@pytest.mark.slow
def test_wrong_passwords_are_refused_and_lock_nobody_out(team: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.sign_ins.ANSWER_SECONDS", 0.0)
    access = team.access
    for password in ("", "wrong", "correct horse ", "x" * 5000):
        assert access.sign_in("ann", password) is None
    assert access.sign_in("nobody", "correct horse") is None
    for number in range(12):
        assert team.post("/login", data={"user": "ann", "password": f"guess {number}"}).status_code == 401
    assert access.user_of(team.cookies.get(access.cookie) or "") is None
    sign_in(team, "ann")


def test_a_form_with_many_fields_or_an_origin_of_nonsense_is_refused(team: Client) -> None:
    fields = "&".join(f"field{number}=x" for number in range(11))
    assert team.post("/login", content=f"{fields}&user=ann&password=wrong").status_code == 401
    assert team.post("/login", content=b"user=" + b"a" * 10_000).status_code == 413
    for origin in ("http://[", "null", "http://127.0.0.1:1"):
        assert team.post("/login", data={"user": "ann"}, headers={"Origin": origin}).status_code == 403


def test_a_link_from_elsewhere_leads_to_a_page_that_the_browser_sends_the_cookie_to(stranger: Client) -> None:
    """After a redirect that another site began, no browser sends a cookie that is SameSite=Strict."""
    token = {"token": stranger.access.token or "", "a": '"><b>'}
    done = stranger.get("/cases", params=token, headers={"Sec-Fetch-Site": "cross-site"})
    assert (done.status_code, "HttpOnly" in done.headers["set-cookie"]) == (200, True)
    assert 'content="0; url=/cases?a=%22%3E%3Cb%3E"' in done.text


def test_a_request_that_does_not_arrive_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antecede.web.access.STALL_SECONDS", 0.0)

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def run() -> None:
        await limit_body(receive, None, LARGEST_BODY)()

    with pytest.raises(HTTPException, match="does not arrive") as caught:
        complete(run)
    assert caught.value.status_code == 408


def test_an_address_with_brackets_is_printed_once() -> None:
    assert page_address(make_access("[::1]"), 80).startswith("http://[::1]:80/?token=")


@pytest.mark.slow
def test_a_users_file_holds_hashes_only_and_can_be_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "users.json"
    modes: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", lambda self, _: modes.append(self.stat().st_mode & 0o777))
        put_user(path, "ann", "correct horse")
    assert modes == [0o600]  # from the beginning, and not once it has its name
    put_user(path, "ann", "correct horse")
    assert "correct horse" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    put_user(path, "ann", "another horse")
    assert check_password(read_users(path)["ann"], "another horse")
    assert not check_password(read_users(path)["ann"], "correct horse")
    for name, password in (("", "long enough"), ("a\nb", "long enough"), ("bob", "short")):
        with pytest.raises(UsageError):
            put_user(path, name, password)
    put_user(path, "ann", None)
    with pytest.raises(InputError, match="no user"):
        read_users(path)
    for text in ("{", "[]", '{"format": "antecede users", "users": {"a": "plain"}}'):
        path.write_text(text)
        with pytest.raises(InputError, match="not a users file"):
            read_users(path)
