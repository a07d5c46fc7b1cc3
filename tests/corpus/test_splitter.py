"""Files cut into documents: every one of them whole, none twice, and what is none named for what it is."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.files import Entry, find_entries
from antecede.corpus.safe_xml import parse_xml
from antecede.corpus.splitter import split

if TYPE_CHECKING:
    from pathlib import Path

ROOTS = ("patent", "exchange-document", "us-patent-grant", "PATDOC", "{")
CONTAINERS = ("exchange-documents", "world-patent-data")

GRANT = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "grant.dtd" [ ]>
<us-patent-grant id="%d"><?BRFSUM end="lead"?><p>A hinge &amp; its pin</p><?BRFSUM end="tail"?></us-patent-grant>
"""


def pieces(data: bytes, step: int = 1 << 20, limit: int = 1 << 20) -> list[RawDocument | Rejected]:
    return list(split(io.BytesIO(data), "f", limit=limit, roots=ROOTS, containers=CONTAINERS, step=step))


def read(data: bytes, step: int = 1 << 20, limit: int = 1 << 20) -> list[bytes]:
    found = pieces(data, step, limit)
    assert not [each.reason for each in found if isinstance(each, Rejected)]
    return [each.data for each in found if isinstance(each, RawDocument)]


def reasons(data: bytes, step: int = 1 << 20, limit: int = 1 << 20) -> list[str]:
    return [each.reason for each in pieces(data, step, limit) if isinstance(each, Rejected)]


def outcome(data: bytes, step: int = 1 << 20, limit: int = 1 << 20) -> list[str]:
    """What became of each in order: a document's root, or the reason of its rejection."""
    return [each.root if isinstance(each, RawDocument) else each.reason for each in pieces(data, step, limit)]


@pytest.mark.parametrize("step", [1, 7, 50, 1 << 20])
def test_documents_in_a_row_are_cut_as_they_stand(step: int) -> None:
    whole = b"".join(GRANT % number for number in range(5))
    found = pieces(whole, step)
    assert [each.number for each in found] == [1, 2, 3, 4, 5]
    for each in found:
        assert isinstance(each, RawDocument)
        assert each.root == "us-patent-grant"
        assert whole[each.offset :].startswith(each.data)
        assert parse_xml(each).get("id") == str(each.number - 1)
    assert b"".join(each.data for each in found if isinstance(each, RawDocument)) == whole.replace(
        b"grant>\n", b"grant>"
    )


@pytest.mark.parametrize(
    "between", [b"", b"\n\n", b"\r\n", b"\x00\x00", b"\xef\xbb\xbf", b"<!-- a remark -->", b"<?keep it?>", b"\x1a"]
)
def test_what_stands_between_documents_does_no_harm(between: bytes) -> None:
    assert len(read((GRANT + between) % 1 + (GRANT + between) % 2)) == 2


SGML = b'<!DOCTYPE PATDOC PUBLIC "-//X//EN" [\n<!ENTITY A.TIF SYSTEM "A]>.TIF" NDATA TIF>\n]>\n<PATDOC>x</PATDOC>\n'


@pytest.mark.parametrize(
    ("data", "documents"),
    [
        (
            b"<patent>1</patent><patent/>\n<patent a='>'>3</patent >",
            [b"<patent>1</patent>", b"<patent/>", b"<patent a='>'>3</patent >"],
        ),
        (SGML * 3, [SGML.rstrip()] * 3),
        (
            b"<?xml version='1.0'?><all>\n<!-- mine --><patent>1</patent><patent>2</patent></all>",
            [b"<patent>1</patent>", b"<patent>2</patent>"],
        ),
        (b'{"id": 1}\n\n{"id": "}{"}\r\n{"id": 3}', [b'{"id": 1}', b'{"id": "}{"}', b'{"id": 3}']),
    ],
)
def test_documents_without_declarations_in_sgml_in_a_container_and_in_lines(
    data: bytes, documents: list[bytes]
) -> None:
    assert read(data) == read(data, 1) == documents


@pytest.mark.parametrize(
    "inside",
    [
        b"<!-- </patent> -->",
        b"<![CDATA[ </patent> ]]>",
        b"<?note </patent> ?>",
        b"<!-- <patent> -->",
        b"<patent>inner</patent>",
        b"<patent a='/>'/>",
        b"<patentee></patentee>",
        b'<a b="<!-- not a comment"/><!-- x -->'.replace(b"<!-- not", b"!-- not"),
        b"<![CDATA[<?xml version='1.0'?><!DOCTYPE x>]]>",
        b"<!-- <?xml version='1.0'?> <![CDATA[ -->",
        b"no! why? ",
    ],
)
@pytest.mark.parametrize("step", [3, 1 << 20])
def test_the_end_is_the_roots_own(inside: bytes, step: int) -> None:
    one = b"<patent>" + inside + b"</patent>"
    assert read(one + b"\n" + one, step) == [one, one]


def test_a_document_that_lost_its_end_costs_only_itself() -> None:
    whole = GRANT % 1 + GRANT[:150] + GRANT % 3
    found = outcome(whole)
    assert found[0] == found[2] == "us-patent-grant"
    assert found[1].startswith("ends inside the document: the next one begins at byte")
    plain = outcome(b"<patent>1</patent><patent>2<patent>3</patent>")
    assert plain[0] == plain[2] == "patent"
    assert plain[1].startswith("ends inside the document")


def test_a_file_that_is_cut_off_says_so() -> None:
    whole = GRANT % 1 + GRANT % 2
    for end in (len(GRANT) + 20, len(GRANT) + 110, len(whole) - 5):
        found = outcome(whole[:end])
        assert found[0] == "us-patent-grant"
        assert len(found) == 2
        assert found[1] in ("ends inside the document: the file is cut off", "an XML prolog without a document")


def test_a_document_beyond_the_limit_is_passed_by() -> None:
    long = b"<patent>" + b"x" * 5000 + b"</patent>"
    for step in (100, 1 << 20):
        found = outcome(b"<patent>1</patent>" + long + b"<patent>3</patent>" + long, step, limit=2048)
        assert found[0] == found[2] == "patent"
        assert found[1] == found[3] == "longer than the limit of 0.00195312 MB"
        assert len(found) == 4


def test_a_prolog_beyond_the_limit_is_not_kept() -> None:
    for step in (64, 1 << 20):
        found = outcome(b"<!-- x -->" * 1000 + b"<patent>1</patent>" + GRANT % 2, step, limit=2048)
        assert found[0].endswith(" MB before it begins")
        assert found[1:] == ["patent", "us-patent-grant"]


EXCHANGE = b"""<?xml version="1.0"?>
<exch:exchange-documents xmlns:exch="urn:e" xmlns="urn:d" date="x">
 <!-- first --> <exch:exchange-document country="EP"><title>A</title></exch:exchange-document>
 <exch:exchange-document xmlns="urn:other" country="US"/>text
 <ops:meta xmlns:ops="urn:o"/>
 <group xmlns:g="urn:g"><exch:exchange-document><g:b>C</g:b></exch:exchange-document></group>
</exch:exchange-documents>
"""


@pytest.mark.parametrize("step", [1, 40, 1 << 20])
def test_records_of_a_container_keep_their_namespaces(step: int) -> None:
    found = pieces(EXCHANGE * 2, step)
    assert [each.number for each in found] == [1, 2, 3, 4, 5, 6]
    roots = [parse_xml(each) for each in found if isinstance(each, RawDocument)]
    assert [root.get("country") for root in roots] == ["EP", "US", None] * 2
    assert [root.tag for root in roots] == ["exchange-document"] * 6
    assert roots[2].findtext("b") == "C"
    one = found[0]
    assert isinstance(one, RawDocument)
    assert one.data.startswith(b'<exch:exchange-document xmlns:exch="urn:e" xmlns="urn:d" country="EP"><title>A</')
    assert one.data.endswith(b"</exch:exchange-document>")
    assert EXCHANGE[one.offset :].startswith(b'<exch:exchange-document country="EP">')


def test_records_in_an_old_encoding_keep_its_declaration() -> None:
    whole = '<?xml version="1.0" encoding="ISO-8859-1"?><exchange-documents><exchange-document>é</exchange-document>'
    (one, cut_off) = pieces(whole.encode("latin-1"))
    assert isinstance(one, RawDocument)
    assert parse_xml(one).text == "é"
    assert isinstance(cut_off, Rejected)
    assert cut_off.reason == "ends inside <exchange-documents>: the file is cut off"


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("step", [5, 1 << 20])
def test_wide_characters_are_brought_to_utf8(codec: str, step: int) -> None:
    text = f'<?xml version="1.0" encoding="{codec.removesuffix("-sig")}"?><patent>Größe 発明</patent>\n'
    found = pieces((text * 2).encode(codec), step)
    assert [parse_xml(each).text for each in found if isinstance(each, RawDocument)] == ["Größe 発明"] * 2
    assert len(found) == 2
    assert [each.data for each in pieces('{"a": "é"}\n'.encode(codec), step) if isinstance(each, RawDocument)]


def test_json_over_many_lines_and_in_an_array() -> None:
    pretty = b'{\n  "a": "x\\"}",\n  "b": {"c": [1, {"d": 2}]}\n}\n'
    compact = b'{"a": 1}'
    assert [each.offset for each in pieces(compact + b"\n\n\n" + compact)] == [0, 11]
    for step in (1, 6, 1 << 20):
        assert read(pretty + pretty, step) == [pretty.strip()] * 2
        assert read(b"[" + compact + b",\n" + compact + b"]\n", step) == [compact] * 2
        assert read(b"[\n" + pretty + b", " + pretty + b"]", step) == [pretty.strip()] * 2


def test_json_that_is_broken() -> None:
    assert outcome(b'{"a": 1}\nnot json\n{"a": 2}') == ["{", "not a JSON object, though the file began with one", "{"]
    assert outcome(b'{"a": 1}\n{"a": ') == ["{", "ends inside the document: the file is cut off"]
    assert outcome(b'{\n"a": {') == ["ends inside the document: the file is cut off"]
    for step in (64, 1 << 20):
        long = b'{"a": "' + b"x" * 5000 + b'"}\n'
        found = outcome(b'{"a": 1}\n' + long + b'{"a": 2}\n', step, limit=1000)
        assert found == ["{", "longer than the limit of 0.000953674 MB", "{"]
    assert outcome(b"[ ]") == ["contains no document"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "an empty file"),
        (b"  \n\t", "a file of white space only"),
        (bytes(10_000), "a file of zeros"),
        (b"%PDF-1.4 <?xml version='1.0'?>", "a PDF file, not a patent"),
        (b"II*\x00abc", "a TIFF image, not a patent"),
        (b"[0001] The invention relates to a hinge.", "plain text, not a supported format"),
        (b"<!ELEMENT p (#PCDATA)>", "a DTD or a part of one, not a patent"),
        (b"<?xml version='1.0'?>\n<!-- entities -->\n<!ENTITY agr 'x'>", "a DTD or a part of one, not a patent"),
        (b"<!DOCTYPE html><html><p>x</html>", "an HTML page, not a patent"),
        (b"<!doctype html>\n<title>x", "an HTML page, not a patent"),
        (b"<?xml version='1.0'?><!-- nothing -->", "an XML prolog without a document"),
        (b"09204581\tB2\nA title\n*** BRS DOCUMENT BOUNDARY ***\nWKU 09204581\n", "a USPTO BRS text file"),
        (b"HHHHHT  APS1 ISSUE\nPATN\nWKU  039300100\nSRC  5\n", "a USPTO APS text file"),
        (b"<sequence-cwu id='1'><p/></sequence-cwu>", "a sequence listing of the USPTO, not a patent"),
        (b"<foo><bar/></foo><foo/>", "unknown root element <foo>; supported formats: "),
        (
            b"<world-patent-data><legal/><legal>x</legal></world-patent-data>",
            "<world-patent-data> contains no document",
        ),
        (b"<world-patent-data/>", "<world-patent-data> contains no document of a supported format"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (bytes(range(1, 256)), "a binary file, not a supported format"),
    ],
)
def test_what_is_no_patent_is_named(data: bytes, reason: str) -> None:
    (told,) = reasons(data)
    assert told.startswith(reason)
    if b"PDF" not in data:
        (told,) = reasons(data, 3)


def test_bytes_that_belong_to_nothing_are_counted() -> None:
    found = pieces(GRANT % 1 + b"oops <b>x</b> more" + GRANT % 2)
    assert [type(each) for each in found] == [RawDocument, Rejected, RawDocument]
    assert isinstance(found[1], Rejected)
    assert found[1].reason.startswith("18 bytes outside any document: oops <b>x</b> more")
    (junk, document) = pieces(b"Received: today\n\n" + GRANT % 1)
    assert isinstance(junk, Rejected)
    assert isinstance(document, RawDocument)


def test_a_stream_that_fails_keeps_what_came_before() -> None:
    class Failing:
        def __init__(self, data: bytes) -> None:
            self.stream = io.BytesIO(data)

        def read(self, size: int, /) -> bytes:
            data = self.stream.read(min(size, 50))
            if not data:
                raise DocumentError("the tape tore")
            return data

    for data, told in (
        (GRANT % 1, "the tape tore"),
        (GRANT % 1 + GRANT[:150], "ends inside the document: the tape tore"),
        (b'{"a": 1}\n', "the tape tore"),
        (b'{"a": 1}\n{"a"', "ends inside the document: the tape tore"),
        (b"", "the tape tore"),
    ):
        found = list(split(Failing(data), "f", roots=ROOTS))
        assert [each.reason for each in found if isinstance(each, Rejected)] == [told]
        assert len(found) == (2 if data else 1)


# properties

PARTS = [
    GRANT % 1, b"<patent>a</patent>", b"<patent><!-- </patent> --></patent>", EXCHANGE, b"<foo>x</foo>",
    b"<!DOCTYPE patent [", b"]>", b"<?xml version='1.0'?>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"</patent>",
    b"<patent a='", b"'>", b'{"a": 1}\n', b"\n", b"\x00", b"text", b"<", b"&agr;",
]  # fmt: skip
broken = st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(PARTS), max_size=12).map(b"".join))


@given(broken, st.integers(1, 60))
def test_cutting_does_not_depend_on_how_the_bytes_come(data: bytes, step: int) -> None:
    assert outcome(data, step) == outcome(data)
    assert [each.offset for each in pieces(data, step)] == [each.offset for each in pieces(data)]


@given(broken)
def test_anything_is_cut_into_documents_and_reasons(data: bytes) -> None:
    found = pieces(data)
    assert found
    offsets = [each.offset for each in found]
    assert offsets == sorted(offsets)
    for each in found:
        if isinstance(each, RawDocument) and each.root != "exchange-document" and b"\x00" not in data[:4]:
            assert each.data in data
        if isinstance(each, RawDocument) and each.root != "{":
            with contextlib.suppress(DocumentError):
                assert parse_xml(each).tag == each.root


@given(st.lists(st.sampled_from([b"<patent>1</patent>", GRANT % 7, b"<patent/>", GRANT % 8]), min_size=1), st.data())
def test_a_fault_costs_no_more_than_what_it_touches(whole: list[bytes], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole) - 1))
    kept = whole[at]
    whole[at] = kept[: data.draw(st.integers(0, len(kept)))]
    whole[at + 1 : at + 2] = [GRANT % 9]  # the next has a declaration, as in the files of the offices
    found = [each.data.strip() for each in pieces(b"\n".join(whole)) if isinstance(each, RawDocument)]
    for other in (*whole[:at], *whole[at + 1 :]):
        assert other.strip() in found


# real files


def of_file(path: Path) -> list[RawDocument | Rejected]:
    """Everything a file holds; an entry is read before the next is asked for."""
    return [
        each
        for entry in find_entries([path])
        for each in (split(entry.stream, entry.label) if isinstance(entry, Entry) else [entry])
    ]


def test_no_document_of_the_real_files_is_lost(data: Path) -> None:
    starts = re.compile(
        rb"<(?:\w+:)?(us-patent-grant|us-patent-application|patent-application-publication|PATDOC|patent-document"
        rb"|ep-patent-document|fulltext-document|exchange-document)[\s>]"
    )
    files = [path for path in sorted((data / "formats").rglob("*.xml")) if path.is_file()]
    for path in files:
        members = len(re.findall(rb"<ops:family-member[\s>]", path.read_bytes()))
        want = members or len(starts.findall(path.read_bytes()))
        found = [each for each in of_file(path) if isinstance(each, RawDocument) and each.root != "{"]
        assert len(found) == want, path
    assert len(files) > 260


def test_everything_else_in_the_real_folders_is_named(data: Path) -> None:
    told: dict[str, int] = {}
    for entry in find_entries([data / "formats"]):
        assert isinstance(entry, Entry)
        for each in split(entry.stream, entry.label):
            if isinstance(each, Rejected):
                told[each.reason] = told.get(each.reason, 0) + 1
    assert told["a DTD or a part of one, not a patent"] == 38
    assert told["plain text, not a supported format"] == 4
    assert told["a sequence listing of the USPTO, not a patent"] == 7
    assert sum("BRS" in reason for reason in told) == 1
    assert not any("bytes outside any document" in reason or "cut off" in reason for reason in told)
