"""TLS and a password in front of a node, which has neither: its security plug-in is not part of the jars."""

from __future__ import annotations

import base64
import http.client
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

USER, PASSWORD = "reader", "right"


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*words.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


class Handler(BaseHTTPRequestHandler):
    """Passes requests on to a node, from those who know the password."""

    protocol_version = "HTTP/1.1"
    port: ClassVar[int]
    expected: ClassVar[str] = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    def pass_on(self) -> None:
        """Answer a request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != self.expected:
            self.answer(401, "text/plain", b"Unauthorized")
            return
        node = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            kind = self.headers.get("Content-Type", "application/json")
            node.request(self.command, self.path, body or None, {"Content-Type": kind})
            found = node.getresponse()
            self.answer(found.status, found.getheader("Content-Type", "application/json"), found.read())
        finally:
            node.close()

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = pass_on  # noqa: N815 - the names of the standard library

    def answer(self, status: int, kind: str, body: bytes) -> None:
        """Send an answer."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class SecureProxy(ThreadingHTTPServer):
    """A proxy with TLS and a password in front of the node at a port."""

    daemon_threads = True

    def __init__(self, node: int, certificate: Path, key: Path) -> None:
        super().__init__(("127.0.0.1", 0), type("NodeHandler", (Handler,), {"port": node}))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Say nothing: a client that does not accept the certificate hangs up."""
