"""Hostile files and archives, each with the reason why it must be rejected."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING

import zstandard

from tests.corpus.hostile_documents import END, GOOD, MB, ROOT, START

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def zipped(members: Mapping[str, bytes]) -> bytes:
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


BIG = zipped({f"{n}.xml": random.Random(n).randbytes(40_000) for n in range(3)})  # noqa: S311 - bytes for a test
NOISE = random.Random(1).randbytes(200_000)  # noqa: S311

FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "zeros": (lambda: bytes(5 * MB), "a file of zeros"),
    "noise": (lambda: NOISE, "a binary file, not a supported format"),
    "zip bomb": (lambda: zip_of(b"b.xml", many_zeros(4000), 0, 4000 * MB), "unpacks to more than 200 times its size"),
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
    "42.zip": (lambda: nested_zip(4), "more than 3 archives nested in one another"),
    "gzip of gzip of gzip": (lambda: deep_gzip(20), "more than 3 archives nested in one another"),
    "crowded zip": (lambda: crowded_zip(400_000), "a zip archive with a central directory of 17 MB"),
    "crowded zip in a zip": (
        lambda: zipped({"in.zip": crowded_zip(400_000)}),
        "a zip archive with a central directory",
    ),
    "zip slip": (
        lambda: zip_of(b"../../etc/x.xml", deflated(GOOD), 0, 9),
        "../../etc/x.xml: its path leads outside the",
    ),
    "zip slip of DOS": (
        lambda: zip_of(b"..\\..\\x.xml", deflated(GOOD), 0, 9),
        "..\\..\\x.xml: its path leads outside",
    ),
    "absolute zip": (lambda: zip_of(b"/etc/passwd", deflated(GOOD), 0, 9), "/etc/passwd: its path leads outside"),
    "zip with a drive": (lambda: zip_of(b"C:x.xml", deflated(GOOD), 0, 9), "C:x.xml: its path leads outside"),
    "zip with NUL": (lambda: zip_of(b"a.xml\x00b", deflated(GOOD), 0, 9), "a.xml\\x00b: its path leads outside"),
    "zip without a name": (lambda: zip_of(b"", deflated(GOOD), 0, 9), "a member of the archive without a name"),
    "tar slip": (lambda: tarred(("../x.xml", tarfile.REGTYPE, GOOD)), "../x.xml: its path leads outside the archive"),
    "tar link": (lambda: tarred(("x.xml", tarfile.SYMTYPE, b"")), "not a complete file but a link"),
    "tar hard link": (lambda: tarred(("x.xml", tarfile.LNKTYPE, b"")), "not a complete file but a link"),
    "tar device": (lambda: tarred(("x.xml", tarfile.CHRTYPE, b"")), "not a complete file but a link"),
    "pax bomb": (pax_bomb, "a tar header of more than 1 MB"),
    "wrong CRC": (lambda: zip_of(b"a.xml", deflated(GOOD), 1, len(GOOD)), "damaged in the zip archive: Bad CRC-32"),
    "size too small": (
        lambda: zip_of(b"a.xml", deflated(GOOD), zlib.crc32(GOOD), 20),
        "damaged in the zip archive: Bad CRC",
    ),
    "odd method": (
        lambda: zip_of(b"a.xml", b"?", 0, 9, method=97),
        "compressed in the zip archive by an unsupported method",
    ),
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
        "a damaged tar archive: a header is missing",
    ),
    "long DOCTYPE": (
        lambda: b"<?xml version='1.0'?><!DOCTYPE x [" + b"<!ENTITY a 'b'>" * (2 * MB) + b"]><x/>",
        "its DOCTYPE is longer than 4 MB",
    ),
    "80 MB text": (lambda: START + b"x" * (80 * MB) + END, "longer than the limit of 64 MB"),
    "deep JSON": (lambda: b'[{"a": 1' + b"{" * MB, "objects nested more than 1000 deep"),
    "deep container": (lambda: b"<exchange-documents>" + b"<a>" * 1000, "elements nested more than 256 deep around"),
    "a document in itself": (lambda: f"<{ROOT}>".encode() * 100_000, "nested in itself more than 256 deep"),
    "something behind gzip": (lambda: gzip.compress(b"") + b"GARBAGE", "something else follows the gzip data"),
}
