"""Hostile and broken input: one rejected row each. Nothing hangs, grows without bound, or reads outside its input."""

from __future__ import annotations

import bz2
import gzip
import inspect
import io
import json
import lzma
import random
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.cutting.detect import detect
from antecede.corpus.cutting.splitting import cut, documents
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.files.sources import entries
from antecede.corpus.xml.safe_xml import parse_xml

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = "patent-document"
START = f'<?xml version="1.0"?>\n<{ROOT} ucid="EP-1-A1">'.encode()
END = f"</{ROOT}>".encode()
GOOD = START + b"<p>A hinge</p>" + END
MB = 1 << 20


def rows(*paths: Path) -> tuple[list[str], list[str]]:
    """The texts of the documents that were read, and the reasons of those that were not."""
    texts, reasons = [], []
    for entry in entries(paths):
        for found in (entry,) if isinstance(entry, Rejected) else documents(entry):
            try:
                if isinstance(found, Rejected):
                    raise DocumentError(found.reason)
                detect(found)
                texts.append("".join(map(str, parse_xml(found).itertext())))
            except DocumentError as error:
                reasons.append(error.reason)
    return texts, reasons


# what is wrong with one document


def doctype(inner: str, text: str) -> bytes:
    return f'<?xml version="1.0"?><!DOCTYPE {ROOT} [{inner}]><{ROOT}>{text}</{ROOT}>'.encode()


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
XML = {
    "entity of a file": (
        doctype('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"),
        "the entity &x; stands for another file, which is not opened",
    ),
    "public entity": (
        doctype('<!ENTITY x PUBLIC "a" "http://127.0.0.1/x">', "&x;"),
        "the entity &x; stands for another",
    ),
    "parameter entity": (doctype('<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;', "&y;"), "unknown entity &y;"),
    "billion laughs": (
        doctype(f'<!ENTITY l0 "lol">{LAUGHS}', "&l9;"),
        "the entity &l9; is defined by more than a short",
    ),
    "quadratic blow-up": (
        doctype(f'<!ENTITY q "{"q" * 90}">', "&q;" * 100_000),
        "its entities, &q; among them, would blow",
    ),
    "long entity": (
        doctype(f'<!ENTITY q "{"q" * 50_000}">', "&q;" * 50_000),
        "the entity &q; is defined by more than a short",
    ),
    "entity that is itself": (doctype('<!ENTITY q "&q;">', "&q;"), "the entity &q; is defined by more than a short"),
    "markup in an entity": (doctype('<!ENTITY q "&#60;p/>">', "&q;"), "the entity &q; is defined by more than a short"),
    "a million elements deep": (START + b"<a>" * 1_000_000, "ends inside the document: the file is cut off"),
    "deep and closed": (START + b"<a>" * 9000 + b"</a>" * 9000 + END, "elements nested more than 256 deep"),
    "a million attributes": (
        START + b"<a " + b" ".join(b"a%d='x'" % n for n in range(1_000_000)) + b"/>" + END,
        "a single tag or text of more than 10 MB",
    ),
    "a million attributes of the root": (
        START[:-1] + b" " + b" ".join(b"a%d='x'" % n for n in range(1_000_000)) + b"/>",
        "a tag of more than 1 MB, or one that does not end",
    ),
    "three million elements": (START + b"<p/>" * 3_000_000 + END, "has more than 2,000,000 elements and attributes"),
    "a million entities": (START + b"&agr;" * 1_100_000 + END, "has more than 1,000,000 entities"),
    "a long text": (START + b"x" * (11 * MB) + END, "a single text of more than 10 MB"),
    "unending comment": (START + b"<!--" * MB + END, "ends inside the document: the file is cut off"),
    "unending CDATA": (START + b"<![CDATA[" * MB + END, "ends inside the document: the file is cut off"),
    "latin-1 called utf-8": (START + b"caf\xe9\n" + END, "byte 0xe9 on line 2 is not UTF-8"),
    "unknown encoding": (START.replace(b"?>", b' encoding="x-klingon"?>') + END, "declares the encoding 'x-klingon'"),
    "encoding that is none": (START.replace(b"?>", b' encoding="zlib"?>') + END, "declares the encoding 'zlib'"),
    "unknown entity": (START + b"&nosuch;" + END, "unknown entity &nosuch;"),
    "crossed tags": (START + b"<a><b></a></b>" + END, "not well-formed XML: Opening and ending tag mismatch"),
    "two million quotes": (START + b"<a b='" * 400_000 + END, "not well-formed XML: Unescaped '<' not allowed"),
    "ampersands": (START + b"& " * 1_200_000 + END, "has more than 1,000,000 entities"),
}


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


# what is wrong with a file


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(*members: tuple[str, bytes, bytes], size: int | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, "/etc/passwd", len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def many_zeros(count: int) -> bytes:
    """Deflated zeros by the MB, without the time to deflate them."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    one = squeeze.compress(bytes(MB)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    return one * count


def gzip_bomb(begin: bytes) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = squeeze.compress(begin) + squeeze.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + head + many_zeros(2000)


def zip_of(name: bytes, packed: bytes, crc: int, size: int, method: int = 8) -> bytes:
    """A zip with whatever its headers are to say."""
    fields = struct.pack("<HHHHHLLLHH", 20, 0, method, 0, 33, crc, len(packed), size, len(name), 0)
    local = b"PK\x03\x04" + fields + name + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + fields + bytes(14) + name
    end = struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + end


def crowded_zip(count: int) -> bytes:
    """A list of members and nothing else."""
    central = b"PK\x01\x02" + struct.pack("<HHHHHHLLLHH", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + bytes(14) + b"x"
    end = struct.pack("<HHHHLLH", 0, 0, 0xFFFF, 0xFFFF, len(central) * count, 0, 0)
    return b"PK\x03\x04" + bytes(26) + central * count + b"PK\x05\x06" + end


def nested_zip(levels: int) -> bytes:
    """As 42.zip: zips in zips, zeros at the bottom."""
    data = zipped({"zeros": bytes(MB)})
    for _ in range(levels):
        data = zipped({f"{n}.zip": data for n in range(8)})
    return data


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


def pax_bomb() -> bytes:
    """A header that says it has 8 GB."""
    block = bytearray(tarred(("x", tarfile.XHDTYPE, b""))[:512])
    block[124:136] = b"77777777777\x00"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\x00 " % sum(block)
    return bytes(block) + bytes(3 * MB)


BIG = zipped({f"{n}.xml": random.Random(n).randbytes(40_000) for n in range(3)})  # noqa: S311 - bytes for a test
NOISE = random.Random(1).randbytes(200_000)  # noqa: S311

FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "zeros": (lambda: bytes(5 * MB), "a file of zeros"),
    "noise": (lambda: NOISE, "a binary file, no format that is read"),
    "zip bomb": (
        lambda: zip_of(b"b.xml", many_zeros(4000), 0, 4000 * MB),
        "unpacks to more than 200 times its size",
    ),
    "zip bomb that lies": (
        lambda: zip_of(b"b.xml", many_zeros(1000), 0, 1000),
        "damaged in the zip archive: Bad CRC-32",
    ),
    "gzip bomb": (lambda: gzip_bomb(START), "longer than the limit of 64 MB, and unpacks to more than 200 times"),
    "gzip bomb of JSON": (
        lambda: gzip_bomb(b'{"a": "'),
        "longer than the limit of 64 MB, and unpacks to more than 200",
    ),
    "bzip2 bomb": (
        lambda: bz2.compress(START + bytes(70 * MB)),
        "ends inside the document: unpacks to more than 200 times",
    ),
    "tar of a bomb": (
        lambda: gzip.compress(tarred(("x.xml", tarfile.REGTYPE, START + bytes(90 * MB)))),
        "longer than the limit of 64 MB, and unpacks to more than 200 times",
    ),
    "42.zip": (lambda: nested_zip(4), "more than 3 archives inside one another"),
    "gzip of gzip of gzip": (lambda: deep_gzip(20), "more than 3 archives inside one another"),
    "crowded zip": (lambda: crowded_zip(400_000), "a zip archive whose list of members has 17 MB"),
    "crowded zip in a zip": (lambda: zipped({"in.zip": crowded_zip(400_000)}), "a zip archive whose list of members"),
    "zip slip": (
        lambda: zip_of(b"../../etc/x.xml", deflated(GOOD), 0, 9),
        "../../etc/x.xml: its path escapes from the",
    ),
    "zip slip of DOS": (lambda: zip_of(b"..\\..\\x.xml", deflated(GOOD), 0, 9), "..\\..\\x.xml: its path escapes"),
    "absolute zip": (lambda: zip_of(b"/etc/passwd", deflated(GOOD), 0, 9), "/etc/passwd: its path escapes"),
    "zip with a drive": (lambda: zip_of(b"C:x.xml", deflated(GOOD), 0, 9), "C:x.xml: its path escapes"),
    "zip with NUL": (lambda: zip_of(b"a.xml\x00b", deflated(GOOD), 0, 9), "a.xml\\x00b: its path escapes"),
    "tar slip": (lambda: tarred(("../x.xml", tarfile.REGTYPE, GOOD)), "../x.xml: its path escapes from the archive"),
    "tar link": (lambda: tarred(("x.xml", tarfile.SYMTYPE, b"")), "a link in the tar archive, not read"),
    "tar hard link": (lambda: tarred(("x.xml", tarfile.LNKTYPE, b"")), "a link in the tar archive, not read"),
    "tar device": (lambda: tarred(("x.xml", tarfile.CHRTYPE, b"")), "a device in the tar archive, not read"),
    "pax bomb": (pax_bomb, "a tar header of more than 1 MB"),
    "wrong CRC": (lambda: zip_of(b"a.xml", deflated(GOOD), 1, len(GOOD)), "damaged in the zip archive: Bad CRC-32"),
    "size too small": (
        lambda: zip_of(b"a.xml", deflated(GOOD), zlib.crc32(GOOD), 20),
        "damaged in the zip archive: Bad CRC",
    ),
    "odd method": (lambda: zip_of(b"a.xml", b"?", 0, 9, method=97), "compressed in the zip archive by a method that"),
    "encrypted": (lambda: encrypted(), "encrypted in the zip archive"),
    "truncated zip": (lambda: BIG[:50_000], "a zip archive that is cut off or damaged"),
    "truncated gzip": (
        lambda: gzip.compress(START + NOISE)[:-500],
        "ends inside the document: the gzip data ends early",
    ),
    "gzip with a wrong sum": (lambda: gzip.compress(GOOD)[:-8] + bytes(8), "damaged gzip data: "),
    "truncated bzip2": (lambda: bz2.compress(NOISE)[:-500], "the bzip2 data ends early: the file is cut off"),
    "truncated xz": (lambda: lzma.compress(NOISE)[:-500], "the xz data ends early: the file is cut off"),
    "truncated zstd": (
        lambda: zstandard.compress(START + NOISE)[:-500],
        "ends inside the document: the zstd data ends",
    ),
    "truncated xz of XML": (
        lambda: lzma.compress(START + NOISE)[:-500],
        "ends inside the document: the xz data ends early",
    ),
    "truncated tar": (
        lambda: tarred(("x.xml", tarfile.REGTYPE, START + b"x" * 5000 + END))[:3000],
        "ends inside the document: the tar archive ends early",
    ),
    "damaged tar": (
        lambda: tarred(("x", tarfile.DIRTYPE, b""))[:512] + b"junk" * 200,
        "a damaged tar archive: no header",
    ),
    "long DOCTYPE": (
        lambda: b"<?xml version='1.0'?><!DOCTYPE x [" + b"<!ENTITY a 'b'>" * (7 * MB) + b"]><x/>",
        "its DOCTYPE is longer than 4 MB",
    ),
    "200 MB text": (lambda: START + b"x" * (200 * MB) + END, "longer than the limit of 64 MB"),
    "deep JSON": (lambda: b'[{"a": 1' + b"{" * MB, "objects nested more than 1000 deep"),
    "deep container": (lambda: b"<exchange-documents>" + b"<a>" * 1000, "elements nested more than 256 deep around"),
    "a document in itself": (lambda: f"<{ROOT}>".encode() * 100_000, "nested in itself more than 256 deep"),
    "something behind gzip": (lambda: gzip.compress(b"") + b"GARBAGE", "something else follows the gzip data"),
}


def deep_gzip(levels: int) -> bytes:
    data = GOOD
    for _ in range(levels):
        data = gzip.compress(data)
    return data


def encrypted() -> bytes:
    data = bytearray(zip_of(b"a.xml", deflated(GOOD), 0, len(GOOD)))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def test_good_members_beside_bad_ones(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    bad = [("../a", tarfile.REGTYPE, GOOD), ("b", tarfile.SYMTYPE, b""), ("c", tarfile.REGTYPE, bytes(3000))]
    path.write_bytes(tarred(("1.xml", tarfile.REGTYPE, GOOD), *bad, ("2.xml", tarfile.REGTYPE, GOOD)))
    texts, reasons = rows(path)
    assert texts == ["A hinge"] * 2
    assert len(reasons) == 3


def test_a_tar_cut_off_between_members_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(tarred(("1.xml", tarfile.REGTYPE, GOOD), ("2.xml", tarfile.REGTYPE, GOOD))[:1024])
    assert rows(path) == (["A hinge"], ["the tar archive ends early: it is cut off"])


# all of it, read in a process of its own, whose memory tells

PROBE = f"""
import json, re, sys
from pathlib import Path
from antecede.corpus.cutting.detect import detect
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.xml.safe_xml import parse_xml
from antecede.corpus.files.sources import entries
from antecede.corpus.cutting.splitting import documents
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
    for name, (data, _) in XML.items():
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
    assert probed[1] < 300  # MB


@pytest.mark.parametrize("part", [b"<!-- ", b"<![CDATA[", b"<!DOCTYPE x [<!-- ", b"<!DOCTYPE x '", b"<a b='", b"<a "])
def test_ends_are_not_looked_for_forever(part: bytes) -> None:
    """Thousands of things that never end, each of which would be searched for to the end of the file."""
    whole = (START + part) * 20_000
    read, rejected = survives(whole, step=1 << 16, limit=64 * MB)
    assert read == 0
    assert 1 <= rejected <= 40_000


def test_damage_behind_a_document(tmp_path: Path) -> None:
    """What was whole before the damage is read."""
    path = tmp_path / "x"
    for data, reason in (
        (gzip.compress(GOOD)[:-3], "the gzip data ends early: the file is cut off"),
        (tarred(("x", tarfile.REGTYPE, GOOD))[:1024] + b"junk" * 200, "a damaged tar archive: no header"),
    ):
        path.write_bytes(data)
        texts, reasons = rows(path)
        assert texts == ["A hinge"]
        assert len(reasons) == 1
        assert reasons[0].startswith(reason)
    path.write_bytes(zip_of(b"a.xml", deflated(GOOD), zlib.crc32(GOOD), 9999))
    assert rows(path) == (["A hinge"], [])  # its size is wrong, but its sum says that nothing is


# fuzzing

VALID = GOOD + b"\n" + doctype('<!ENTITY a "b">', "x &a; &agr; <![CDATA[<&]]><!-- c --> y") + b"\n" + GOOD


@st.composite
def mutated(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bits flipped, stretches cut out, doubled or overwritten."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 60))
        change = draw(st.sampled_from(["flip", "cut", "double", "write"]))
        if change == "flip" and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "cut":
            del data[at : at + length]
        elif change == "double":
            data[at:at] = data[at : at + length]
        else:
            data[at:at] = draw(st.binary(max_size=10))
    return bytes(data)


def survives(data: bytes, step: int = 64, limit: int = 2000) -> tuple[int, int]:
    """Documents read and not read; anything else than a reason is a failure."""
    read = rejected = 0
    for found in cut(io.BytesIO(data), "f", limit=limit, roots=(ROOT, "PATDOC", "{"), containers=("all",), step=step):
        if isinstance(found, Rejected):
            rejected += 1
            continue
        try:
            parse_xml(found)
            read += 1
        except DocumentError as error:
            rejected += bool(error.reason)
    return read, rejected


@given(mutated(VALID))
def test_mutated_documents_are_read_or_rejected(data: bytes) -> None:
    read, rejected = survives(data)
    assert read + rejected >= 1


@given(mutated(VALID.replace(ROOT.encode(), b"PATDOC")))
def test_mutated_sgml_is_read_or_rejected(data: bytes) -> None:
    assert sum(survives(data)) >= 1


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_rejected(data: bytes) -> None:
    assert survives(data)[1] >= 1
    assert survives(START + data + END)[0] + survives(START + data + END)[1] >= 1


ARCHIVES = (
    zipped({"a.xml": GOOD, "b/c.xml": GOOD}),
    tarred(("a.xml", tarfile.REGTYPE, GOOD), ("b", tarfile.SYMTYPE, b"")),
    gzip.compress(GOOD),
    lzma.compress(GOOD),
)


@given(st.sampled_from(ARCHIVES).flatmap(mutated))
def test_mutated_archives_are_read_or_rejected(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        texts, reasons = rows(Path(file.name))
        assert texts or reasons
