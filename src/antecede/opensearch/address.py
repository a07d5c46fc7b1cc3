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
from typing import Any

from antecede.errors import InputError, UsageError, shown

SCHEMES = {"opensearch": False, "opensearchs": True}
"""Scheme → whether the connection is encrypted."""
PORT = 9200
PREFIX = "ANTECEDE_OPENSEARCH_"
HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?")
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,99}")
HOW = "write it as opensearch://host:9200/name"


@dataclass(frozen=True)
class Address:
    """Where an index is on a cluster."""

    hosts: tuple[tuple[str, int], ...]
    name: str
    secure: bool = False

    def __str__(self) -> str:
        hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{'opensearchs' if self.secure else 'opensearch'}://{hosts}/{self.name}"


class FolderOnly:
    """A part of an index on a cluster. What only an index in a folder has is refused in one line, as an attribute."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise needs_folder()


def needs_folder() -> UsageError:
    """The error of a function that cannot do its work on a cluster."""
    return UsageError("this needs an index in a folder, not on a cluster")


def is_address(where: object) -> bool:
    """Whether a place is the address of an index on a cluster, not a folder."""
    # A path collapses the two slashes into one.
    scheme, separator, _ = str(where).partition(":/")
    return bool(separator) and scheme in SCHEMES


def parse_address(where: object) -> Address:
    """The address that a text denotes."""
    text = str(where)
    scheme, _, rest = text.partition(":/")
    if scheme not in SCHEMES:
        raise UsageError(f"{shown(text)}: is not the address of a cluster; {HOW}")
    places, _, name = rest.lstrip("/").partition("/")
    if "@" in places:
        raise UsageError(
            f"{shown(scheme)}://…@…: an address has no user or password; "
            f"set {PREFIX}USER and {PREFIX}PASSWORD, or {PREFIX}CREDENTIALS to a file"
        )
    hosts = []
    for place in places.split(","):
        found = HOST.fullmatch(place)
        port = int(found[2] or PORT) if found is not None else 0
        if found is None or not 0 < port < 1 << 16:
            raise UsageError(f"{shown(text)}: {shown(place)!r} is not a host with a port; {HOW}")
        hosts.append((found[1].strip("[]"), port))
    if NAME.fullmatch(name.rstrip("/")) is None:
        raise UsageError(
            f"{shown(text)}: {shown(name)!r} is not a name of an index on a cluster: lower-case letters, digits, "
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
