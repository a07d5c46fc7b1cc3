"""Who gets in: the rules of a server, and the gate that applies them to each request and adds the security headers.

The token, or the session of a user who signed in, becomes a cookie that no script can read and no other site can send.
The token of a user's own servers is kept in a file, and the cookie is derived from it, so that bookmarks, reloads and
pages that are open survive a restart. Sessions of users who signed in end with the server.
Every change must carry a token derived from that cookie (`X-CSRF-Token`), and a request whose Host header names another
machine is refused, so that no other site can reach the server through a name of its own (DNS rebinding).
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import os
import secrets
import stat
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from antecede.errors import InputError, UsageError, printable
from antecede.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
SESSION_SECONDS = 12 * 3600
LONGEST_USER, LONGEST_PASSWORD = 100, 1000
SHORTEST_TOKEN = 16
USERS_FORMAT = "antecede users"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # `no-referrer` would make the Origin of the form to sign in `null`
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
CSRF_HEADER = "x-csrf-token"
LARGEST_HEADERS = 32 << 10
"""Bytes of the headers of a request; browsers send the cookies of all servers on this machine."""
LARGEST_BODY = 16 << 20
"""Bytes of a request that is not an upload."""
COOKIE_SECONDS = 30 * 24 * 3600
"""How long a browser that opened the start-up address gets in without it."""
SLOW_SECONDS = 1.0
"""How long the answer to a request may take to begin that is not logged."""
LONGEST_PATH = 200
LOGIN = "/login"
LARGEST_FORM = 10_000
LARGEST_UPLOAD = 64 << 20
LIMITS = {"/api/topics/file": LARGEST_UPLOAD, "/api/cases/import": LARGEST_UPLOAD, LOGIN: LARGEST_FORM}
"""Bytes of requests with a limit of their own."""
STALL_SECONDS, LEAST_RATE = 20.0, 50_000
"""The time without a byte of the body after which a request ends, and the bytes per second it needs after that time."""
PROBLEM_TITLES = {401: "This page needs its key", 404: "There is nothing here", 403: "This is not allowed"}


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    address = parse_address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def parse_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """A host that is written as an IP address, which no DNS server can redirect; None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def host_of(header: str) -> str:
    """The host in a Host header, in lower case without the port; empty where it is malformed."""
    try:
        parts = urlsplit(f"//{header}")
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if any(char in header for char in "/@?# \t\\,"):
        return ""
    return f"[{host}]" if ":" in host else host.rstrip(".")


NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
"""A hash of no password, with the same cost as a real one."""


def check_password(known: str | None, password: str) -> bool:
    """Whether a password has this hash. Without one, as of an unknown name, it takes as long as a wrong password."""
    from argon2 import PasswordHasher
    from argon2.exceptions import Argon2Error, InvalidHashError

    try:
        PasswordHasher().verify(known or NOBODY, password)
    except (Argon2Error, InvalidHashError):
        return False
    return known is not None


def read_users(path: str | Path) -> dict[str, str]:
    """Named users with hashed passwords (argon2), from a file that `antecede review user` writes."""
    source = printable(str(path), 200)
    try:
        whole = json.loads(Path(path).read_bytes())
    except OSError as error:
        remedy = "create it with `antecede review user FILE NAME`"
        raise InputError(f"cannot be read ({error.strerror})", source=source, remedy=remedy) from None
    except (ValueError, RecursionError):
        raise InputError("is not a users file: it is not JSON", source=source) from None
    users = whole.get("users") if isinstance(whole, dict) and whole.get("format") == USERS_FORMAT else None
    if not isinstance(users, dict) or not all(str(value).startswith("$argon2") for value in users.values()):
        raise InputError("is not a users file", source=source, remedy="create it with `antecede review user FILE NAME`")
    if not users:
        raise InputError("has no user", source=source, remedy="add one with `antecede review user FILE NAME`")
    return users


def put_user(path: str | Path, user: str, password: str | None) -> None:
    """Add a user to a users file, or change the password; without a password, remove the user."""
    from argon2 import PasswordHasher

    user = user.strip()
    if not user or len(user) > LONGEST_USER or not user.isprintable():
        raise UsageError(f"a user's name has 1 to {LONGEST_USER} printable characters, not {printable(user)!r}")
    users = read_users(path) if Path(path).exists() else {}
    if password is None:
        if user not in users:
            raise UsageError(f"{printable(str(path), 200)}: has no user {printable(user)!r}")
        del users[user]
    elif not 8 <= len(password) <= LONGEST_PASSWORD:
        raise UsageError(f"a password has 8 to {LONGEST_PASSWORD} characters")
    else:
        users[user] = PasswordHasher().hash(password)
    text = json.dumps({"format": USERS_FORMAT, "users": dict(sorted(users.items()))}, ensure_ascii=False, indent=1)
    write_whole(path, (text + "\n").encode(), private=True)


@dataclass
class Access:
    """The rules of one server.

    Args:
        host: The address it listens on.
        token: The token of the start-up address; None where there are users.
        users: The named users, with their hashed passwords.
        names: Further names under which the server may be called.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    users: Mapping[str, str] | None = None
    names: tuple[str, ...] = ()
    port: int = 0
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """What cookies and tokens of changes are derived from."""
    sessions: dict[str, tuple[str, float]] = field(default_factory=dict)
    """The user of each session, and until when it holds."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies do not depend on the port, so the name does."""
        return f"antecede-{self.port}"

    def allows_host(self, header: str) -> bool:
        host = host_of(header)
        known = {*LOOPBACK_NAMES, *(name.lower() for name in (self.host, *self.names))} - {""}
        return host in known or (not is_loopback(self.host) and parse_address(host) is not None)

    def allows_origin(self, origin: str | None, host: str) -> bool:
        """Whether a change may come from a page of this origin: only from a page of this server."""
        if origin is None:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

    def check_token(self, given: str) -> bool:
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())

    @property
    def token_cookie(self) -> str:
        return hmac.new(self.secret, b"opened by the token", sha256).hexdigest()

    def start_session(self, user: str) -> str:
        """A new session of a user; returns the value of its cookie."""
        name = secrets.token_urlsafe(32)
        now = time.monotonic()
        with self.lock:
            for old in [key for key, each in self.sessions.items() if each[1] < now]:
                del self.sessions[old]
            self.sessions[name] = user, now + SESSION_SECONDS
        return name

    def user_of(self, cookie: str) -> str | None:
        """The user of a session; None where there is no such session, or it has ended."""
        if self.token is not None:
            return "" if hmac.compare_digest(cookie.encode(), self.token_cookie.encode()) else None
        now = time.monotonic()
        with self.lock:
            user, until = self.sessions.get(cookie, ("", 0.0))
            if until < now or (self.users is not None and user not in self.users):
                return None
            self.sessions[cookie] = user, now + SESSION_SECONDS
            return user

    def end_session(self, cookie: str) -> None:
        with self.lock:
            self.sessions.pop(cookie, None)

    def csrf_token(self, cookie: str) -> str:
        return hmac.new(self.secret, cookie.encode(), sha256).hexdigest()

    def check_csrf(self, cookie: str, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(self.csrf_token(cookie).encode(), given.encode())

    def sign_in(self, user: str, password: str) -> str | None:
        """Sign a user in; returns the value of the cookie, None where name or password is wrong."""
        if self.users is None or len(password) > LONGEST_PASSWORD or len(user) > LONGEST_USER:
            return None
        return self.start_session(user) if check_password(self.users.get(user), password) else None


def make_access(
    host: str, *, token: str | None = None, users: str | Path | None = None, names: Iterable[str] = ()
) -> Access:
    """The rules of a server that listens on an address. One that others can reach needs a token or users.

    Args:
        host: The address it listens on.
        token: A token; by default one is drawn, unless there are users.
        users: A users file.
        names: Further names under which the server may be called.
    """
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise UsageError(f"a token has at least {SHORTEST_TOKEN} characters")
    if not is_loopback(host) and token is None and users is None:
        raise UsageError(
            f"{printable(host)}: other machines could reach this address; set ANTECEDE_TOKEN or give --users FILE first"
        )
    host = host.strip("[]")  # an IPv6 address as it is written in URLs
    if users is not None:
        return Access(host=host, users=read_users(users), names=tuple(names))
    chosen = token or secrets.token_urlsafe(24)
    return Access(host, chosen, names=tuple(names), secret=sha256(b"antecede serve " + chosen.encode()).digest())


def keep_token() -> str:
    """The token of this user's servers on this machine: drawn once, and kept where only the user can read it."""
    path = user_settings() / "antecede" / "token"
    try:
        status = path.lstat()
        private = stat.S_ISREG(status.st_mode) and (sys.platform == "win32" or not status.st_mode & 0o077)
        own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        known = path.read_text("ascii").strip() if private and own else ""
    except (OSError, ValueError):
        known = ""
    if len(known) >= SHORTEST_TOKEN:
        return known
    token = secrets.token_urlsafe(24)
    with suppress(OSError):  # then the address holds until the server ends
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # or the new one would have its permissions
        write_whole(path, f"{token}\n".encode(), private=True)
    return token


def user_settings() -> Path:
    chosen = os.environ.get("XDG_CONFIG_HOME") or (os.environ.get("APPDATA") if sys.platform == "win32" else None)
    if chosen:
        return Path(chosen)
    below = "Library/Application Support" if sys.platform == "darwin" else ".config"
    return Path(os.path.expanduser("~"), below)  # noqa: PTH111  # Path.expanduser fails without a home


# The gate


class Gate:
    """Checks the host, the session and the token of each request before the application sees it.

    Args:
        app: The application.
        access: Who gets in.
        log: Called with a line about each request that fails or is slow.
    """

    def __init__(self, app: ASGIApp, access: Access, log: Callable[[str], None] | None = None) -> None:
        self.app, self.access, self.log = app, access, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # there are no web sockets here
            return None
        if self.log is None:
            return await self.answer(scope, receive, send)
        status, begun = 500, time.monotonic()
        seconds: float | None = None

        async def send_and_note(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":  # a stream of events goes on for hours
                status, seconds = message["status"], time.monotonic() - begun
            await send(message)

        try:
            await self.answer(scope, receive, send_and_note)
        finally:
            seconds = time.monotonic() - begun if seconds is None else seconds
            if status >= 400 or seconds >= SLOW_SECONDS:
                self.log(describe_request(scope, status, seconds))

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        cookie = read_cookie(headers.get("cookie", ""), self.access.cookie)
        user = self.access.user_of(cookie)
        refusal = self.check(scope, headers, cookie, user)
        if refusal is not None:
            return await refusal(scope, receive, send_with_headers)
        # The framework would parse all cookies again, in quadratic time.
        scope["headers"] = [header for header in headers.raw if header[0] != b"cookie"]
        scope["state"] = {**scope.get("state", {}), "user": user, "cookie": cookie}
        limit = LIMITS.get(scope["path"], LARGEST_BODY)
        return await self.app(scope, limit_body(receive, headers.get("content-length"), limit), send_with_headers)

    def check(self, scope: Scope, headers: Headers, cookie: str, user: str | None) -> Response | None:
        """The answer to a request that the application does not see; None where it does."""
        if sum(len(name) + len(value) for name, value in headers.raw) > LARGEST_HEADERS:
            return answer_problem(headers, 431, f"the headers are larger than the limit of {LARGEST_HEADERS >> 10} kB")
        host, path = headers.get("host", ""), scope["path"]
        if not self.access.allows_host(host):
            return answer_problem(headers, 421, "the Host header does not name this server")
        safe = scope["method"] in SAFE_METHODS
        if user is None:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if safe and self.access.check_token(given):
                return self.admit(scope)
            # The page to sign in and its style are for everybody.
            if path != LOGIN and (not path.startswith("/static/") or path.endswith("/")):
                return self.turn_away(scope, headers)
        return None if safe else self.check_change(headers, host, cookie, path)

    def check_change(self, headers: Headers, host: str, cookie: str, path: str) -> Response | None:
        """The refusal of a change; None where it may be made."""
        site = headers.get("sec-fetch-site", "same-origin")
        if not self.access.allows_origin(headers.get("origin"), host) or site not in ("same-origin", "none"):
            return answer_problem(headers, 403, "a change must come from a page of this server")
        # At sign-in there is no session yet; the cookie of a new one is not sent by other sites.
        if path != LOGIN and not self.access.check_csrf(cookie, headers.get(CSRF_HEADER)):
            return answer_problem(headers, 403, "the X-CSRF-Token header is missing or wrong; load the page again")
        return None

    def admit(self, scope: Scope) -> Response:
        """Turn the token of the start-up address into a cookie, and the address into one without the token."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        rest = urlencode({name: values for name, values in query.items() if name != "token"}, doseq=True)
        target = quote(scope["path"] if scope["path"].startswith("/") else "/", safe="/") + (f"?{rest}" if rest else "")
        target = "/" + target.lstrip("/\\")  # never another host
        answer: Response = RedirectResponse(target, 303)
        if Headers(scope=scope).get("sec-fetch-site") == "cross-site":
            # Opened by a link elsewhere: the browser sends the cookie only to what a page of this server opens.
            answer = HTMLResponse(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(target)}">')
        put_cookie(answer, self.access.cookie, self.access.token_cookie, COOKIE_SECONDS)
        return answer

    def turn_away(self, scope: Scope, headers: Headers) -> Response:
        """Refuse a request without a session, or send a person to the page to sign in."""
        path = scope["path"]
        if self.access.users is not None and not path.startswith("/api/") and scope["method"] == "GET":
            return RedirectResponse(f"{LOGIN}?{urlencode({'next': path})}", 303)
        how = "sign in first" if self.access.users is not None else "open the address that `antecede serve` printed"
        return answer_problem(headers, 401, f"access is not allowed; {how}")


def describe_request(scope: Scope, status: int, seconds: float) -> str:
    """A line of the log: when a request ended, its status, how long it took, who sent it, and what it asked for.

    Its query is left out: it may hold the token, and says what is sought.
    """
    client = (scope.get("client") or ("-",))[0]
    user = printable(scope.get("state", {}).get("user") or "-", LONGEST_USER)
    when = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"{when} {status} {seconds:.3f} s {client} {user} {scope['method']} {printable(scope['path'], LONGEST_PATH)}"


def read_cookie(header: str, name: str) -> str:
    """The value of a cookie that this server set, which is never quoted; empty where it is not there."""
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return next((value for key, _, value in pairs if key == name), "")


def put_cookie(answer: Response, name: str, value: str, seconds: int | None = None) -> None:
    """Set a cookie that no script can read and no other site can send; by default it ends with the browser."""
    answer.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict")


def limit_body(receive: Receive, declared: str | None, largest: int) -> Receive:
    """Receive the body of a request up to a limit of bytes, as long as it does not stall."""
    size = int(declared) if declared is not None and declared.isdecimal() else 0
    seen, complete = 0, False
    begun = asyncio.get_running_loop().time()

    def check_size() -> None:
        if max(size, seen) > largest:
            limit = f"{largest >> 20} MB" if largest >> 20 else f"{largest} bytes"
            raise HTTPException(413, f"the request is larger than the limit of {limit}")

    async def limited() -> Message:
        nonlocal seen, complete
        if complete:  # what follows is that the client has gone, for which there is no limit
            return await receive()
        check_size()
        now = asyncio.get_running_loop().time()
        try:
            until = min(now, begun + seen / LEAST_RATE) + STALL_SECONDS
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "the rest of the request does not arrive; send it again") from None
        seen += len(message.get("body", b""))
        check_size()
        complete = not message.get("more_body", False)
        return message

    return limited


def answer_problem(asked: Headers, status: int, detail: str, **more: Any) -> Response:
    """What is wrong, in one line: as a page for a person in a browser, as JSON, with `more`, for a program."""
    if status < 400 or "text/html" not in asked.get("accept", ""):
        return JSONResponse({"detail": detail, **more}, status)
    title = PROBLEM_TITLES.get(status, "This did not work")
    if status == 404 and detail == "Not Found":
        detail = "there is no page at this address"
    from antecede.web.workbench import environment  # with which the search engine is loaded

    template = environment("templates").get_template("problem.html")
    text = template.render(title=title, detail=detail[:1].upper() + detail[1:], start=status != 401)
    return HTMLResponse(text, status)
