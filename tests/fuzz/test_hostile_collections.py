"""Hostile files in a collection: each document is a patent, merged or rejected, and the files beside it are unharmed.

Small valid documents are made hostile by the structure of their format (entities, encodings, types, sizes in headers)
and read through `Collection`, between two good files. `tests/corpus/test_hostile.py` has the large ones.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import signal
import tarfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import zstandard

from antecede.corpus import Collection
from antecede.errors import AntecedeError
from tests.corpus.hostile_files import deflated, gzip_bomb, many_zeros, tarred, zip_of, zipped
from tests.corpus.worlds import marec

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from antecede.patent import Patent
    from tests.fuzz.outcomes import Fuzz

HANGS = 60
"""Seconds after which a case counts as hung; none takes one."""
MOST_GROWTH = 400
"""MB by which the memory of the process may grow over all cases of a test."""
FIRST, LAST = marec("9999991", "B1"), {"doc_id": "neighbour", "title": "A good line", "language": "en"}


@contextmanager
def guard(case: int) -> Iterator[None]:
    """End a case that hangs."""

    def hung(*_: object) -> None:
        raise TimeoutError(f"case {case} hangs")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(fuzz: Fuzz, case: int, folder: Path, name: str, data: bytes) -> None:
    """Read a file between two good ones, and see that all is counted and the good ones are what they are alone."""
    path = folder / name
    path.write_bytes(data)
    collection = Collection(folder)
    refusal = ""
    patents: dict[str, Patent] = {}
    try:
        with guard(case):
            patents = {patent.doc_id: patent for patent in collection.patents()}
    except AntecedeError as error:
        refusal = str(error)
    finally:
        path.unlink()
    assert "\n" not in refusal, f"case {case}"
    if refusal:
        fuzz.count("refused")
        return
    count = len(patents)
    ledger = collection.ledger
    assert ledger.read == ledger.patents + ledger.merged + ledger.rejected, f"case {case}"
    assert ledger.patents >= count >= 2, f"case {case}"
    assert ledger.rejected == sum(ledger.reasons.values()), f"case {case}"
    assert all(reason and "\n" not in reason for reason in ledger.reasons), f"case {case}: {list(ledger.reasons)}"
    assert patents["EP9999991"].title == {"en": "Press 9999991"}, f"case {case}"
    assert patents["EP9999991"].source == str(folder / "a.xml"), f"case {case}"
    assert patents["neighbour"].to_dict() == {**LAST, "title": {"en": LAST["title"]}, "source": str(folder / "z.jsonl")}
    assert ledger.read > 2, f"case {case}: the hostile file is neither read nor rejected"
    kinds = ["read"] * (count > 2) + ["rejected"] * (ledger.rejected > 0)
    fuzz.count(" and ".join(kinds) or "merged")


def memory() -> int:
    """The most memory the process ever had, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def run(fuzz: Fuzz, folder: Path, count: int, name: str, make: Callable[[random.Random], bytes]) -> None:
    (folder / "a.xml").write_text(FIRST, encoding="utf-8")
    (folder / "z.jsonl").write_text(json.dumps(LAST) + "\n", encoding="utf-8")
    before = memory()
    for case, draw in fuzz.cases(count):
        check(fuzz, case, folder, name, make(draw))
    assert memory() - before < MOST_GROWTH


# bytes of any format


def broken(draw: random.Random, data: bytes) -> bytes:
    """Bits flipped, stretches cut out, doubled or overwritten, or all but the beginning lost."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        at, length = draw.randint(0, len(changed)), draw.choice([1, 4, 60, 600])
        how = draw.choice(["flip", "cut", "double", "write", "truncate"])
        if how == "flip" and at < len(changed):
            changed[at] ^= 1 << draw.randint(0, 7)
        elif how == "cut":
            del changed[at : at + length]
        elif how == "double":
            changed[at:at] = changed[at : at + length]
        elif how == "write":
            changed[at : at + 4] = draw.choice(
                [b"\xff\xfe", b"\x00" * 8, b"\xef\xbb\xbf", b"<", b"]]>", b"&", b"{", b'"']
            )
        else:
            del changed[at:]
    return bytes(changed)


def between(draw: random.Random) -> bytes:
    """What stands before, after and between joined documents."""
    marks = [
        b"", b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\x00", b"\x1a", b"junk", b"<!-- c -->", b"<?p?>",
    ]  # fmt: skip
    return b"".join(draw.choices(marks, k=draw.randint(0, 2)))


def joined(draw: random.Random, documents: Sequence[bytes]) -> bytes:
    return b"".join(part for each in documents for part in (between(draw), each)) + between(draw)


# XML

ROOTS = ["ep-patent-document", "us-patent-grant", "us-patent-application", "patent-application-publication", "PATDOC"]
ROOTS += ["exchange-document", "fulltext-document", "exchange-documents", "patent-document", "foo"]
CODECS = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "shift_jis", "euc_jp", "koi8-r"]
NAMES = ["UTF-8", "utf-16", "ISO-8859-1", "Shift_JIS", "x-none", "zlib", "rot13", "", "UTF-7", "idna", "cp65001"]
ENTITIES = [
    '<!ENTITY e "short">',
    '<!ENTITY e "&#60;p/>">',
    '<!ENTITY e "&e;">',
    '<!ENTITY f "x"><!ENTITY e "&f;&f;&f;">',
    '<!ENTITY e SYSTEM "file:///etc/passwd">',
    '<!ENTITY e PUBLIC "a" "http://127.0.0.1:9/e">',
    "<!ENTITY % p \"<!ENTITY e 'y'>\"> %p;",
    '<!ENTITY e "' + "z" * 3000 + '">',
    "<!-- <!ENTITY e 'c'> -->",
    '<!ELEMENT x ANY><!ATTLIST x y CDATA "z">',
    "<!ENTITY e '",
    "]",
]
PIECES = [
    "<!-- c -->", "<!--", "<?p i?>", "<?xml version='1.0'?>", "<![CDATA[<&]]>", "<![CDATA[", "]]>", "&e;", "&agr;",
    "&nosuch;", "&#0;", "&#xD800;", "&#x110000;", "&#65;", "&", "& ", "<", ">", "\x0b", "\ufffe", "\u2028", "\u2029",
    "<x:y/>", "<p xmlns='u'/>", '<a b="1" b="2"/>', "<pre>a\n\nb</pre>", "<mfrac><a/><b/></mfrac>",
    "<claim>1. A b. 2. C d.</claim>", "<!DOCTYPE x>", "</description>", "<description>", "</patent-document>",
    "<patent-document>",
]  # fmt: skip


def attributes(draw: random.Random) -> str:
    """Attributes of an element: many, long, twice, or namespaces."""
    count = draw.choice([0, 0, 1, 3, 300])
    return "".join(
        draw.choice(
            [f' a{at}="x"', f" xmlns:n{at}='u{at}'", ' b="1"', f' c{at}="{"y" * 200}"', f" n{at}:d='1'", " e", " f=g"]
        )
        for at in range(count)
    )


def xml_document(draw: random.Random, number: int) -> bytes:
    """A document of MAREC, or a relative of it, with hostile content."""
    pieces = "".join(draw.choices([*PIECES, "text ", "US 5,123,456 "], k=draw.choice([0, 0, 1, 2, 5])))
    depth = draw.choice([0, 0, 0, 0, 3, 200, 260, 3000])
    inner = f"<a{attributes(draw)}>" * min(depth, 1) + "<b>" * depth + pieces + "</b>" * depth + "</a>" * min(depth, 1)
    extra = (
        f'<description lang="EN"><p>{inner}</p></description><claims lang="EN"><claim num="1">{pieces}</claim></claims>'
    )
    text = marec(str(number), draw.choice(["A1", "B1", "", "Z9"]), extra=extra if draw.random() < 0.8 else "")
    if draw.random() < 0.3:
        declared = "".join(draw.choices(ENTITIES, k=draw.randint(1, 3)))
        text = text.replace("<patent-document", f"<!DOCTYPE patent-document [{declared}]><patent-document", 1)
    if draw.random() < 0.3:
        text = text.replace("patent-document", draw.choice(ROOTS))
    if draw.random() < 0.3:
        text = text.replace('encoding="UTF-8"', f'encoding="{draw.choice(NAMES)}"')
    if draw.random() < 0.2:
        text = text.replace('country="EP"', f"{attributes(draw)} country='EP'", 1)
    codec = draw.choice(CODECS) if draw.random() < 0.3 else "utf-8"
    return text.encode(codec, "xmlcharrefreplace" if not codec.startswith("utf") else "replace")


def xml_file(draw: random.Random) -> bytes:
    documents = [xml_document(draw, 2_000_000 + at) for at in range(draw.choice([1, 1, 2, 4]))]
    data = joined(draw, documents) if len(documents) > 1 or draw.random() < 0.2 else documents[0]
    if draw.random() < 0.2:
        name = draw.choice(["exchange-documents", "all", "world-patent-data"]).encode()
        data = b"<%b%b>%b</%b>" % (name, attributes(draw).encode(), data, name)
    return broken(draw, data) if draw.random() < 0.5 else data


def test_hostile_xml(fuzz: Fuzz, tmp_path: Path) -> None:
    run(fuzz, tmp_path, 600, "m.xml", xml_file)


# lines of JSON

VALUES: list[Any] = [
    None, True, 0, -1, 7.5, 1e300, 10**30, "", " ", "x", "\x00", "\ud800", "\ufeff", "#", "a b", [], {},
]  # fmt: skip
VALUES += [[[]], {"": ""}, [None], {"en": ["x"]}, ["x", 1], {"number": {}}, "2004-06-09", "20041399", "EP1000000A1"]
VALUES += ["CH1-11", "H04L 12/56", [{"number": "EP1"}], {"en": 1}, "y" * 5000]
KEYS = ["doc_id", "number", "kinds", "language", "title", "abstract", "claims", "description", "ipc", "cpc", "date"]
KEYS += ["priority_date", "applicants", "inventors", "family_id", "citations", "id", "pub", "refs", "text", "other"]
RAW = [
    "1" * 5000, "1e999999", "-Infinity", "NaN", "[" * 2000, "[" * 100_000, '"\\ud800"', '"\\u0000"', "01", "tru", '"a',
]  # fmt: skip


def json_line(draw: random.Random, number: int) -> str:
    """A line with wrong types under any key, keys twice, and values that are no JSON."""
    line: dict[str, Any] = {
        "doc_id": f"JX{number}",
        "title": "A hinge",
        "claims": ["1. A hinge."],
        "date": "2004-06-09",
    }
    for _ in range(draw.choice([0, 1, 1, 3])):
        key = draw.choice(KEYS)
        line[key] = (
            {draw.choice(["en", "de", "", "zz"]): draw.choice(VALUES)} if draw.random() < 0.3 else draw.choice(VALUES)
        )
    text = json.dumps(line, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, None, None, 1]))
    if draw.random() < 0.3:
        key, value = draw.choice(KEYS), draw.choice([*RAW, json.dumps(draw.choice(VALUES))])
        text = text[:-1] + f', "{key}": {value}}}'
    return text


def json_file(draw: random.Random) -> bytes:
    lines = [json_line(draw, at) for at in range(draw.choice([1, 2, 5]))]
    text = draw.choice(["\n", "\n", "\r\n", "", ",\n", "\n\n"]).join(lines)
    text = f"[{text}]" if draw.random() < 0.15 else text + draw.choice(["", "\n"])
    text = "\ufeff" * draw.choice([0, 0, 1, 2]) + text
    codec = draw.choice(["utf-8", "utf-8", "utf-8", "utf-16", "utf-16-le", "utf-32", "latin-1"])
    data = text.encode(codec, "surrogatepass" if codec.startswith("utf") else "replace")
    return broken(draw, data) if draw.random() < 0.4 else data


def test_hostile_json_lines(fuzz: Fuzz, tmp_path: Path) -> None:
    run(fuzz, tmp_path, 800, "m.jsonl", json_file)


# archives

MEMBERS = [
    "a.xml", "b/c.xml", "a.xml", "../x.xml", "/etc/x.xml", "C:x.xml", "..\\x", "x\x00y", "", ".", "é.xml", "-",
    "a" * 300,
]  # fmt: skip
KINDS = [tarfile.REGTYPE] * 6 + [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
EXTREMES = [0, 1, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF]
COMPRESSIONS: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress, zstandard.compress]
BOMB, ZEROS = gzip_bomb(b'{"doc_id": "'), many_zeros(100)


def content(draw: random.Random) -> bytes:
    """What a member holds: mostly a valid document."""
    number = draw.randint(2_000_000, 2_999_999)
    kind = draw.random()
    if kind < 0.6:
        return marec(str(number), "A1").encode()
    if kind < 0.8:
        return json.dumps({"doc_id": f"JX{number}", "title": "t"}).encode()
    return draw.choice([b"", bytes(3000), b"plain text", b"%PDF-1.4", b"\x1f\x8b\x08", b"PK\x03\x04"])


def with_lies(draw: random.Random, data: bytes) -> bytes:
    """A zip in whose headers sizes, offsets and counts are wrong; some lead to fields of zip64 that are not there."""
    changed = bytearray(data)
    for magic, fields in (
        (b"PK\x01\x02", (16, 20, 24, 28, 42)),
        (b"PK\x05\x06", (8, 10, 12, 16)),
        (b"PK\x03\x04", (14, 18, 26)),
    ):
        at = changed.find(magic)
        if at >= 0 and draw.random() < 0.6:
            place = at + draw.choice(fields)
            width = draw.choice([2, 4])
            changed[place : place + width] = (draw.choice(EXTREMES) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    if draw.random() < 0.2:
        locator = b"PK\x06\x07" + draw.randbytes(16)
        record = b"PK\x06\x06" + (44).to_bytes(8, "little") + draw.randbytes(44)
        end = changed.rfind(b"PK\x05\x06")
        changed[max(0, end) : max(0, end)] = record + locator
    return bytes(changed)


def archive(draw: random.Random, depth: int) -> bytes:
    """An archive of hostile members, or of archives, or something compressed."""
    inner = [
        archive(draw, depth - 1) if depth and draw.random() < 0.4 else content(draw) for _ in range(draw.randint(1, 3))
    ]
    kind = draw.choice(["zip", "zip", "tar", "tar", "compressed", "zip by hand"])
    if kind == "zip":
        names = draw.sample([each for each in MEMBERS if "\x00" not in each and each], len(inner))
        data = zipped(dict(zip(names, inner, strict=True)))
        return with_lies(draw, data) if draw.random() < 0.5 else data
    if kind == "tar":
        members = [(draw.choice(MEMBERS) or "x", draw.choice(KINDS), each) for each in inner]
        return tarred(*((name, of, each if of == tarfile.REGTYPE else b"") for name, of, each in members))
    if kind == "compressed":
        return draw.choice(COMPRESSIONS)(inner[0])
    name = draw.choice(MEMBERS).encode()
    crc, size = draw.choice([0, 1, 0xFFFFFFFF]), draw.choice([0, 9, len(inner[0]), 1 << 31])
    packed = ZEROS if draw.random() < 0.05 else deflated(inner[0])
    return zip_of(name, packed, crc, size, draw.choice([0, 8, 8, 8, 12, 14, 93, 99]))


def archive_file(draw: random.Random) -> bytes:
    data = BOMB if draw.random() < 0.005 else archive(draw, draw.choice([0, 1, 2, 5]))
    if draw.random() < 0.2:
        data += draw.choice([b"\x00" * 1000, b"junk", data, content(draw)])
    return broken(draw, data) if draw.random() < 0.4 else data


def test_hostile_archives(fuzz: Fuzz, tmp_path: Path) -> None:
    run(fuzz, tmp_path, 500, "m.bin", archive_file)
