"""The address of an index on a cluster: `opensearch://host:port[,host:port]/name`, `opensearchs://` for TLS.

A user and a password are never part of it, since command lines are visible to others. They are taken from the
environment, `ANTECEDE_OPENSEARCH_USER` and `ANTECEDE_OPENSEARCH_PASSWORD`, or from the file that
`ANTECEDE_OPENSEARCH_CREDENTIALS` names, with one line `user:password`. `ANTECEDE_OPENSEARCH_CA` names the certificates
of the authority that signed those of the cluster, where the system does not know it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from antecede.errors import InputError, UsageError, printable

SCHEMES = {"opensearch": False, "opensearchs": True}
"""Scheme → whether the connection is encrypted."""
PORT = 9200
PREFIX = "ANTECEDE_OPENSEARCH_"
HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?")
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")
HOW = "write it as opensearch://host:9200/name"
URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
"""An address with any scheme; a path has one slash only. A single letter is a drive of Windows."""


@dataclass(frozen=True)
class Address:
    """Where an index is on a cluster."""

    hosts: tuple[tuple[str, int], ...]
    name: str
    secure: bool = False

    def __str__(self) -> str:
        hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{'opensearchs' if self.secure else 'opensearch'}://{hosts}/{self.name}"


def is_address(where: object) -> bool:
    """Whether a place is an address, not a folder; also one of a scheme that is not ours, for it to be refused."""
    found = URL.fullmatch(str(where))
    return found is not None and (found[1].lower() in SCHEMES or not os.path.exists(str(where)))  # noqa: PTH110 - any text


def parse_address(where: object) -> Address:
    """The address that a text denotes. A text that may hold a password is never part of a message."""
    text = str(where)
    found = URL.fullmatch(text)
    scheme, rest = (found[1].lower(), found[2]) if found is not None else ("", text)
    if "@" in rest or "?" in rest:
        raise UsageError(
            f"{printable(scheme)}://…: an address has no user, password or parameters; "
            f"set {PREFIX}USER and {PREFIX}PASSWORD, or {PREFIX}CREDENTIALS to a file"
        )
    if scheme not in SCHEMES:
        raise UsageError(f"{printable(text)}: is not the address of a cluster; {HOW}")
    places, _, name = rest.partition("/")
    hosts = []
    for place in places.split(","):
        host = HOST.fullmatch(place)
        if host is None or not 0 < int(host[2] or PORT) < 1 << 16:
            raise UsageError(f"{printable(text)}: {printable(place)!r} is not a host with a port; {HOW}")
        hosts.append((host[1].strip("[]"), int(host[2] or PORT)))
    if NAME.fullmatch(name.rstrip("/")) is None:
        raise UsageError(
            f"{printable(text)}: {printable(name)!r} is not a name of an index on a cluster: "
            f"lower-case letters, digits, "
            f"- _ . and at most 100; {HOW}"
        )
    return Address(tuple(hosts), name.rstrip("/"), SCHEMES[scheme])


def credentials() -> tuple[str, str] | None:
    """User and password from the environment or from a file; None where neither is given."""
    user, password = os.environ.get(f"{PREFIX}USER"), os.environ.get(f"{PREFIX}PASSWORD")
    if user is not None and password is not None:
        return user, password
    if user is not None or password is not None:
        raise UsageError(f"{PREFIX}USER and {PREFIX}PASSWORD belong together; set both")
    path = os.environ.get(f"{PREFIX}CREDENTIALS")
    if path is None:
        return None
    try:
        line = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", source=path, remedy="write user:password into it") from None
    user, separator, password = line.partition(":")
    if not separator or not user or "\n" in line:
        raise InputError("is not one line with user:password", source=path)
    return user, password


def authority() -> str | None:
    """The file of the certificates that those of the cluster are checked against; None for those of the system."""
    path = os.environ.get(f"{PREFIX}CA")
    if path is not None and not Path(path).is_file():
        raise InputError("there is no such file of certificates", source=path, remedy=f"check {PREFIX}CA")
    return path
