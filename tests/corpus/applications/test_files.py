"""Text, PDF and DOCX files: the same application from each, and hostile files refused in one line."""

from __future__ import annotations

import importlib.util
import io
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.corpus.applications import is_application, pdf, read_application, read_text
from antecede.corpus.lookup import read_patents
from antecede.errors import InputError
from tests.corpus.applications import files
from tests.corpus.applications.test_parts import ENGLISH, FRENCH, GERMAN

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.patent import Patent


def write(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def parts_of(patent: Patent) -> tuple[object, ...]:
    """The parts of a patent, whatever its lines were broken at."""
    claims = {language: [" ".join(each.split()) for each in found] for language, found in patent.claims.items()}
    return patent.language, patent.title, patent.abstract, claims, " ".join(patent.description.values()).split()


@pytest.mark.parametrize("text", [ENGLISH, FRENCH, GERMAN])
def test_the_same_application_from_every_kind_of_file(text: str, tmp_path: Path) -> None:
    lines = text.split("\n")
    places = [
        write(tmp_path, "a.txt", text.encode()),
        write(tmp_path, "b.txt", text.encode("utf-16")),
        write(tmp_path, "c.txt", text.replace("\n", "\r\n").encode("utf-8-sig")),
        write(tmp_path, "a.docx", files.docx(lines)),
        write(tmp_path, "a.pdf", files.pdf([*lines[:5], "1"], [*lines[5:], "- 2 -"])),
    ]
    assert all(map(is_application, places))
    found = [read_application(path) for path in places]
    assert [each.doc_id for each in found] == ["a.txt", "b.txt", "c.txt", "a.docx", "a.pdf"]
    for each in found[1:]:
        assert parts_of(each) == parts_of(found[0]), each.doc_id
    assert read_patents(str(places[3])) == found[3]


def test_numbers_that_a_word_processor_counts(tmp_path: Path) -> None:
    paragraphs = ["Press", "Description", "The press is made of the steel.", "Claims", "A press.", "The press, hot."]
    found = read_application(write(tmp_path, "a.docx", files.docx(paragraphs, numbered=[4, 5])))
    assert found.claims == {"en": ("1. A press.", "2. The press, hot.")}


def test_deleted_text_and_second_forms_are_not_read(tmp_path: Path) -> None:
    xml = (
        f'<w:document xmlns:w="{files.NAMESPACE}" xmlns:mc="m"><w:body><w:p><w:r><w:t>one</w:t></w:r><w:del><w:r>'
        "<w:delText>two</w:delText><w:t>three</w:t></w:r></w:del><w:r><w:tab/><w:t>four</w:t><w:br/></w:r>"
        "<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>five</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r>"
        "<w:t>six</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:p></w:body></w:document>"
    )
    assert read_text(write(tmp_path, "a.docx", files.docx([], xml=xml))) == "one\tfour\n\nfive"


def test_words_divided_at_the_end_of_a_line_in_a_pdf(tmp_path: Path) -> None:
    path = write(tmp_path, "a.pdf", files.pdf(["an instru-", "ment and X-", "Ray"]))
    assert read_text(path) == "an instrument and X-\nRay"


def test_pages_without_text_are_reported(tmp_path: Path) -> None:
    notes: list[str] = []
    path = write(tmp_path, "a.pdf", files.pdf(["The press"], [], []))
    assert read_text(path, notes.append) == "The press"
    assert notes == [f"{path}: 2 of 3 pages have no text"]


def encrypted_pdf() -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(io.BytesIO(files.pdf(["secret"]))))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


BOMB = (
    '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    f'<w:document xmlns:w="{files.NAMESPACE}"><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>'
)
EXTERNAL = (
    '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    f'<w:document xmlns:w="{files.NAMESPACE}"><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>'
)
HOSTILE = {
    "empty.txt": (b"", "an empty file"),
    "blank.txt": (b" \n\n", "white space only"),
    "binary.txt": (bytes(range(256)) * 8, "a binary file"),
    "late-binary.txt": (b"text " * 20_000 + bytes(100), "a binary file, not text"),
    "latin1.txt": ("Die Prëssé für Ziegel\n".encode("latin-1"), "is not UTF-8"),
    "broken.pdf": (b"%PDF-1.4\n" + b"garbage " * 100, "a PDF file that is cut off or damaged"),
    "cut.pdf": (files.pdf(["The press"])[:200], "a PDF file that is cut off or damaged"),
    "scan.pdf": (files.pdf([], []), "without text; if it is a scan, run text recognition (OCR)"),
    "cut.docx": (files.docx(["The press"])[:-30], "zip archive"),
    "bomb.docx": (files.docx([], xml="<w>" + " " * (80 << 20) + "</w>"), "times its size"),
    "xml-bomb.docx": (files.docx([], xml=BOMB), "is not expanded"),
    "external.docx": (files.docx([], xml=EXTERNAL), "refers to another file, which is not opened"),
    "not-xml.docx": (files.docx([], xml="<w:document"), "not well-formed XML"),
    "blank.docx": (files.docx([""]), "has no text"),
    "old.doc": (b"\xd0\xcf\x11\xe0" + bytes(600), "encrypted or in the format before 2007"),
    "sheet.xlsx": (
        files.archive({"[Content_Types].xml": b"<w/>", "xl/workbook.xml": b"<w/>"}),
        "save the sheet as CSV",
    ),
    "text.rtf": (b"{\\rtf1 The press}", "an RTF text"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    data, reason = HOSTILE[name]
    path = write(tmp_path, name, data)
    with pytest.raises(InputError) as error:
        read_patents(str(path))
    message = str(error.value)
    assert reason in message
    assert str(path) in message
    assert message.isprintable()


def test_an_encrypted_pdf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="encrypted; save it without a password"):
        read_application(write(tmp_path, "a.pdf", encrypted_pdf()))


@pytest.mark.parametrize(("name", "start"), [("a.txt", b"The press of the bricks.\n"), ("a.pdf", b"%PDF-1.4\n")])
def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(name: str, start: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, name, start)
    with path.open("r+b") as file:
        file.truncate(1 << 30)  # sparse: it takes no room
    with pytest.raises(InputError, match=r"longer than the limit of|a binary file"):
        read_patents(str(path))


def test_a_pdf_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "SECONDS", 0.3)
    monkeypatch.setattr(pdf, "START", "import time; time.sleep(60)")
    with pytest.raises(InputError, match="takes longer than"):
        read_application(write(tmp_path, "a.pdf", files.pdf(["The press"])))


def test_a_pdf_that_takes_too_much_memory_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = "from antecede.corpus.applications.pdf import limit_memory; limit_memory(); bytearray(3 << 30)"
    monkeypatch.setattr(pdf, "START", pdf.START.partition("from")[0] + start)
    with pytest.raises(InputError, match="GB of memory"):
        read_application(write(tmp_path, "a.pdf", files.pdf(["The press"])))


def test_without_pypdf_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"needs pypdf: pip install 'antecede\[office\]'"):
        read_application(write(tmp_path, "a.pdf", files.pdf(["The press"])))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xml", b"<patent-document/>"),
        ("a.jsonl", b'{"doc_id": "EP1"}'),
        ("a.json", b'[{"doc_id": "EP1"}]'),
        ("a.csv", b"id,title\nEP1,Press\n"),
        ("a.zip", files.archive({"a.xml": b"<patent-document/>"})),
    ],
)
def test_formats_of_collections_are_not_applications(name: str, data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, name, data)
    assert not is_application(path)
    if name != "a.zip":
        with pytest.raises(InputError, match="give it as the patent to search with"):
            read_text(path)


def test_the_name_of_an_application_can_be_written_to_a_run(tmp_path: Path) -> None:
    assert read_application(write(tmp_path, "# my press.txt", b"The press.")).doc_id == "__my_press.txt"


def test_office_files_in_a_collection_are_one_rejection_each(tmp_path: Path) -> None:
    write(tmp_path, "a.docx", files.docx(["The press"]))
    write(tmp_path, "a.jsonl", b'{"doc_id": "EP1", "title": "Press"}\n')
    collection = Collection(tmp_path)
    assert [each.doc_id for each in collection.patents()] == ["EP1"]
    assert (collection.ledger.rejected, collection.ledger.failed) == (1, False)
    write(tmp_path, "a.xlsx", files.archive({"[Content_Types].xml": b"<w/>", "xl/workbook.xml": b"<w/>"}))
    assert len([*collection.patents()]) == 1
    assert (collection.ledger.rejected, collection.ledger.failed) == (2, True)
    assert any("save the sheet as CSV" in reason for reason in collection.ledger.reasons)
    marked = files.archive({"content.xml": b"<w/>", "META-INF/manifest.xml": b"", "mimetype": b""})
    with pytest.raises(InputError, match="an OpenDocument file"):
        read_patents(str(write(tmp_path, "a.odt", marked)))
