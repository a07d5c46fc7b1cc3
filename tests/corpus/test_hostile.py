"""Hostile and broken input: one rejected row each. Nothing hangs, grows without bound, or reads outside its input."""

from __future__ import annotations

import gzip
import inspect
import json
import socket
import subprocess
import sys
import tarfile
import zlib
from typing import TYPE_CHECKING

import pytest

from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.safe_xml import parse_xml
from tests.corpus.hostile_documents import GOOD, MB, ROOT, START, XML, doctype, rows, survives
from tests.corpus.hostile_files import FILES, deflated, tarred, zip_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.fuzz


def test_nobody_is_called() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        for inner in (f'<!ENTITY % p SYSTEM "{url}"> %p;', f'<!ENTITY x SYSTEM "{url}">', ""):
            data = doctype(inner, "&x;").replace(b" [", f' SYSTEM "{url}" ['.encode())
            with pytest.raises(DocumentError):
                parse_xml(RawDocument(data, ROOT, "f"))
        include = f'<{ROOT} xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{url}"/></{ROOT}>'
        assert parse_xml(RawDocument(include.encode(), ROOT, "f"))[0].tag == "include"
        with pytest.raises(BlockingIOError):
            server.accept()


# all of it, read in a process of its own, whose memory tells

PROBE = f"""
import json, re, sys
from pathlib import Path
from antecede.corpus.detection import detect_format
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.safe_xml import parse_xml
from antecede.corpus.files import find_entries
from antecede.corpus.splitter import split
{inspect.getsource(rows).replace(": Path) -> tuple[list[str], list[str]]", ")")}
found = {{path.name: rows(path) for path in sorted(Path(sys.argv[1]).iterdir())}}
status = Path("/proc/self/status")  # what getrusage says begins with the memory of the parent
peak = int(re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1]) // 1024 if status.exists() else 0
print(json.dumps([found, peak]))
"""


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[list[str], list[str]]], int]:
    """What became of every hostile file, and the most memory it took, in MB."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, (make, _) in XML.items():
        data = make()
        (folder / f"{name}.xml").write_bytes(data)
        (folder / f"{name}, then another.xml").write_bytes(data + b"\n" + GOOD)
    for name, (make, _) in FILES.items():
        (folder / name).write_bytes(make())
    with (folder / "a line of a gigabyte").open("wb") as out:
        out.write(b'{"doc_id": "')
        out.seek(1 << 30)
        out.write(b'"}\n')
    done = subprocess.run([sys.executable, "-c", PROBE, folder], capture_output=True, check=True, timeout=600)
    for path in folder.iterdir():
        path.unlink()
    found, peak = json.loads(done.stdout)
    return {name: (texts, reasons) for name, (texts, reasons) in found.items()}, peak


Probed = tuple[dict[str, tuple[list[str], list[str]]], int]


@pytest.mark.parametrize("name", XML)
def test_a_hostile_document_is_one_row(name: str, probed: Probed) -> None:
    texts, reasons = probed[0][f"{name}.xml"]
    assert texts == []
    assert len(reasons) == 1
    assert reasons[0].startswith(XML[name][1])
    texts, reasons = probed[0][f"{name}, then another.xml"]  # which is none the worse for it
    assert texts == ["A hinge"]
    assert len(reasons) == 1


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_one_row(name: str, probed: Probed) -> None:
    texts, reasons = probed[0][name]
    assert texts == []
    assert len(reasons) == 1
    assert reasons[0].startswith(FILES[name][1])


def test_a_line_of_a_gigabyte(probed: Probed) -> None:
    assert probed[0]["a line of a gigabyte"] == ([], ["longer than the limit of 64 MB"])


def test_memory_stays_bounded_over_all_of_it(probed: Probed) -> None:
    assert probed[1] < 370  # MB, 60 of them numba


@pytest.mark.parametrize("part", [b"<!-- ", b"<![CDATA[", b"<!DOCTYPE x [<!-- ", b"<!DOCTYPE x '", b"<a b='", b"<a "])
def test_ends_are_not_looked_for_forever(part: bytes) -> None:
    """Thousands of things that never end, each of which would be searched for to the end of the file."""
    whole = (START + part) * 20_000
    read, rejected = survives(whole, step=1 << 16, limit=64 * MB)
    assert read == 0
    assert 1 <= rejected <= 40_000


MEMBER = ("1.xml", tarfile.REGTYPE, GOOD)
BAD = [("../a", tarfile.REGTYPE, GOOD), ("b", tarfile.SYMTYPE, b""), ("c", tarfile.REGTYPE, bytes(3000))]
PARTLY_GOOD = [
    (gzip.compress(GOOD, mtime=0)[:-3], 1, ["the gzip data ends early: the file is cut off"]),
    (tarred(MEMBER)[:1024] + b"junk" * 200, 1, ["a damaged tar archive: a header is missing"]),
    (tarred(MEMBER, MEMBER)[:1024], 1, ["the tar archive ends early: it is cut off"]),
    (tarred(MEMBER, *BAD, MEMBER), 2, ["../a: its path leads", "not a complete file but a link", "a file of zeros"]),
    (zip_of(b"a.xml", deflated(GOOD), zlib.crc32(GOOD), 9999), 1, []),  # its size is wrong, its sum is right
]


@pytest.mark.parametrize(("data", "read", "reasons"), PARTLY_GOOD, ids=range(len(PARTLY_GOOD)))
def test_what_is_whole_beside_damage_is_read(data: bytes, read: int, reasons: list[str], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(data)
    texts, given = rows(tmp_path / "x")
    assert texts == ["A hinge"] * read
    assert [reason[: len(start)] for reason, start in zip(given, reasons, strict=True)] == reasons
