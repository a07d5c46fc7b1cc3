"""The gate of the server: each request passes the checks of `access` and gets the security headers, or is refused."""

from __future__ import annotations

import asyncio
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from antecede.web.workbench import environment

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from antecede.web.access import Access

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
LOGIN = "/login"
LARGEST_FORM = 10_000
LARGEST_UPLOAD = 64 << 20
LIMITS = {"/api/topics/file": LARGEST_UPLOAD, "/api/cases/import": LARGEST_UPLOAD, LOGIN: LARGEST_FORM}
"""Bytes of requests with a limit of their own."""
STALL_SECONDS, LEAST_RATE = 20.0, 50_000
"""The time without a byte of the body after which a request ends, and the bytes per second it needs after that time."""
TITLES = {401: "This page needs its key", 404: "There is nothing here", 403: "This is not allowed"}


class Gate:
    """Checks the host, the session and the token of each request before the application sees it."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # there are no web sockets here
            return None

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
    title = TITLES.get(status, "This did not work")
    if status == 404 and detail == "Not Found":
        detail = "there is no page at this address"
    template = environment("templates").get_template("problem.html")
    text = template.render(title=title, detail=detail[:1].upper() + detail[1:], start=status != 401)
    return HTMLResponse(text, status)
