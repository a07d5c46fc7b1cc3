"""The parts of an application by its headings, in three languages."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection, pdf
from antecede.corpus.applications import is_application, read_application, read_text, recognise_parts
from antecede.corpus.collection import read_patents
from antecede.errors import InputError
from tests.corpus import application_files as files
from tests.corpus.hostile_files import zipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.patent import Patent

ENGLISH = """Press for making bricks

Technical field
The invention relates to a press for making bricks from clay, with a frame and a ram.

Background of the Invention
Presses are known from the prior art.

CLAIMS

1. A press comprising a frame
and a ram.
2. The press of claim 1, wherein the ram is driven by a motor.

Abstract
A press for making bricks is disclosed.
"""
FRENCH = """Presse à briques
Description
L'invention concerne une presse pour la fabrication de briques en argile, avec un bâti et un piston.
Revendications
1. Presse comprenant un bâti.
2. Presse selon la revendication 1, caractérisée en ce que le piston est entraîné par un moteur.
Abrégé
La presse comprend un bâti et un piston.
"""
GERMAN = """Bezeichnung: Ziegelpresse
Beschreibung
Die Erfindung betrifft eine Presse für die Herstellung von Ziegeln aus Ton mit einem Rahmen und einem Stempel.
Stand der Technik
Pressen sind aus dem Stand der Technik bekannt.
Patentansprüche
1. Presse mit einem Rahmen.
2. Presse nach Anspruch 1, dadurch gekennzeichnet, dass der Stempel von einem Motor angetrieben wird.
Zusammenfassung
Die Presse weist einen Rahmen und einen Stempel auf.
"""


def lines_of(text: str, first: int, last: int) -> str:
    """Lines of a text, counted from 1, without blank ones."""
    return "\n".join(filter(None, text.split("\n")[first - 1 : last]))


@pytest.mark.parametrize(
    ("text", "language", "title", "claims", "abstract", "description"),
    [
        (ENGLISH, "en", "Press for making bricks", [(11, 12), (13, 13)], (16, 16), (3, 7)),
        (FRENCH, "fr", "Presse à briques", [(5, 5), (6, 6)], (8, 8), (3, 3)),
        (GERMAN, "de", "Ziegelpresse", [(7, 7), (8, 8)], (10, 10), (3, 5)),
    ],
)
def test_no_line_of_a_part_is_lost_in_three_languages(
    text: str, language: str, title: str, claims: list[tuple[int, int]], abstract: tuple[int, int],
    description: tuple[int, int],
) -> None:  # fmt: skip
    found = recognise_parts(text.split("\n"))
    assert (found.language, found.title) == (language, {language: title})
    assert found.claims == {language: tuple(lines_of(text, *place) for place in claims)}
    assert found.abstract == {language: lines_of(text, *abstract)}
    assert found.description == {language: lines_of(text, *description)}


DRAFT = [
    "Scroll pump with a floating seal",
    "",
    "A scroll pump has a seal that floats on the pressure of the gas, so that it follows the wear of the plates.",
    "It needs no spring.",
    "",
    "1. A scroll pump comprising two plates and a seal",
    "between the plates.",
    "",
    "2. The scroll pump of",
    "claim 1, wherein the seal floats.",
]


@pytest.mark.parametrize("heading", [[], ["Description"], ["Abstract"]])
def test_a_draft_without_headings_has_its_title_and_its_claims(heading: list[str]) -> None:
    found = recognise_parts([*DRAFT[:2], *heading, *DRAFT[2:]])
    assert found.title == {"en": DRAFT[0]}
    assert [claim[:2] for claim in found.claims["en"]] == ["1.", "2."]
    text = (found.abstract if heading == ["Abstract"] else found.description)["en"]
    assert text == "\n".join(DRAFT[2:4])


@pytest.mark.parametrize(
    "lines",
    [
        ["The pump has a seal that", "floats on the pressure of the gas and", "follows the wear."],  # a wrapped text
        ["The pump has a seal.", "", "It floats."],
        ["The steps are:", "1. fill the pump", "2. start the pump", "and it runs."],
        ["Pump", "", "It has a seal."],
        ["A press", "The press makes bricks of clay and has a frame.", "We claim that claims: matter."],
    ],
)
def test_what_is_not_a_title_nor_a_claim_is_description(lines: list[str]) -> None:
    found = recognise_parts(lines)
    assert (found.title, found.abstract, found.claims) == ({}, {}, {})
    assert [*found.description.values()] == ["\n".join(lines)]


def test_the_style_of_a_title_in_a_docx_file(tmp_path: Path) -> None:
    paragraph = '<w:p><w:pPr><w:pStyle w:val="{}"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    body = "".join(
        map(paragraph.format, ("Normal", "Titel", "Normal"), ("Dr. No", "Pump", "It has the seal of steel."))
    )
    whole = f'<w:document xmlns:w="{files.NAMESPACE}"><w:body>{body}</w:body></w:document>'
    assert read_application(write(tmp_path, "a.docx", files.docx([], xml=whole))).title == {"en": "Pump"}


@pytest.mark.parametrize(
    "heading",
    [
        "Claims",
        "CLAIMS:",
        "C L A I M S",
        "What is claimed is:",
        "We claim:",
        "5. Claims",
        "[0041] Claims",
        "IV. CLAIMS",
    ],
)
def test_headings_of_claims(heading: str) -> None:
    found = recognise_parts(["Description", "The press is made of the steel.", heading, "1. A press.", "2. A ram."])
    assert found.claims == {"en": ("1. A press.", "2. A ram.")}


def test_the_codes_of_a_front_page() -> None:
    found = recognise_parts(
        ["(54) BRICK PRESS", "(57) ABSTRACT", "A press for the bricks.", "DESCRIPTION", "The press."]
    )
    assert (found.title, found.abstract) == ({"en": "BRICK PRESS"}, {"en": "A press for the bricks."})
    assert found.description == {"en": "The press."}


def test_claims_in_three_languages_are_kept_apart() -> None:
    text = "\n".join(each.split("\n", 1)[1] for each in (ENGLISH, FRENCH, GERMAN))
    long = text.replace(
        "a ram.", "a ram, in which the frame is made of the steel and the ram is made of the same steel."
    )
    found = recognise_parts(long.split("\n"))
    assert {language: len(claims) for language, claims in found.claims.items()} == {"en": 2, "fr": 2, "de": 2}


def test_a_description_after_the_abstract_without_a_heading_is_not_the_abstract() -> None:
    lines = ["Abstract", "A press for the bricks.", "", *(f"The press {at} is made of the steel." for at in range(200))]
    found = recognise_parts(lines)
    assert found.abstract == {"en": "A press for the bricks."}
    assert found.description["en"].count("\n") == 199
    found = recognise_parts([line for line in lines if line])
    assert (found.abstract, found.description["en"].count("\n")) == ({}, 200)


def test_a_title_further_down_is_that_of_something_else() -> None:
    lines = [
        "Brick press", "Description", "The press is made of the steel.", "Title: A study of the press", "Claims",
        "1. A press.",
    ]  # fmt: skip
    assert recognise_parts(lines).title == {"en": "Brick press"}
    lines = ["DESCRIPTION", "TITLE OF THE INVENTION", "", "Brick press", "The press is made of the steel."]
    found = recognise_parts(lines)
    assert (found.title, found.description) == ({"en": "Brick press"}, {"en": "The press is made of the steel."})


# Files


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


def test_words_divided_in_a_pdf_its_pages_without_text_and_its_name(tmp_path: Path) -> None:
    notes: list[str] = []
    path = write(tmp_path, "# my press.pdf", files.pdf(["an instru-", "ment and X-", "Ray"], [], []))
    assert read_text(path, notes.append) == "an instrument and X-\nRay"
    assert notes == [f"{path}: 2 of 3 pages have no text"]
    assert read_application(path).doc_id == "__my_press.pdf"  # which can be written to a run


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
HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "empty.txt": (b"", "an empty file"),
    "blank.txt": (b" \n\n", "white space only"),
    "binary.txt": (bytes(range(256)) * 8, "a binary file"),
    "late-binary.txt": (b"text " * 20_000 + bytes(100), "a binary file, not text"),
    "latin1.txt": ("Die Prëssé für Ziegel\n".encode("latin-1"), "is not UTF-8"),
    "broken.pdf": (b"%PDF-1.4\n" + b"garbage " * 100, "a PDF file that is cut off or damaged"),
    "cut.pdf": (files.pdf(["The press"])[:200], "a PDF file that is cut off or damaged"),
    "scan.pdf": (files.pdf([], []), "without text; if it is a scan, run text recognition (OCR)"),
    "encrypted.pdf": (encrypted_pdf, "encrypted; save it without a password"),
    "cut.docx": (files.docx(["The press"])[:-30], "zip archive"),
    "bomb.docx": (lambda: files.docx([], xml="<w>" + " " * (80 << 20) + "</w>"), "times its size"),
    "xml-bomb.docx": (files.docx([], xml=BOMB), "is not expanded"),
    "external.docx": (files.docx([], xml=EXTERNAL), "refers to another file, which is not opened"),
    "not-xml.docx": (files.docx([], xml="<w:document"), "not well-formed XML"),
    "blank.docx": (files.docx([""]), "has no text"),
    "old.doc": (b"\xd0\xcf\x11\xe0" + bytes(600), "encrypted or in the format before 2007"),
    "sheet.xlsx": (
        zipped({"[Content_Types].xml": b"<w/>", "xl/workbook.xml": b"<w/>"}),
        "an Excel workbook that cannot be read",
    ),
    "text.rtf": (b"{\\rtf1 The press}", "an RTF text"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    data, reason = HOSTILE[name]
    path = write(tmp_path, name, data if isinstance(data, bytes) else data())
    with pytest.raises(InputError) as error:
        read_patents(str(path))
    message = str(error.value)
    assert reason in message
    assert str(path) in message
    assert message.isprintable()


@pytest.mark.parametrize(("name", "start"), [("a.txt", b"The press of the bricks.\n"), ("a.pdf", b"%PDF-1.4\n")])
def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(name: str, start: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, name, start)
    with path.open("r+b") as file:
        file.truncate(1 << 30)  # sparse: it takes no room
    with pytest.raises(InputError, match=r"longer than the limit of|a binary file"):
        read_patents(str(path))


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        ("import time; time.sleep(60)", "takes longer than"),
        ("from antecede.corpus.pdf import limit_memory; limit_memory(); bytearray(3 << 30)", "GB of memory"),
    ],
)
def test_a_pdf_that_takes_too_much_is_given_up(
    work: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "SECONDS", 0.3 if "sleep" in work else pdf.SECONDS)
    monkeypatch.setattr(pdf, "START", pdf.START.partition("from")[0] + work)
    with pytest.raises(InputError, match=reason):
        read_application(write(tmp_path, "a.pdf", files.pdf(["The press"])))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xml", b"<patent-document/>"),
        ("a.jsonl", b'{"doc_id": "EP1"}'),
        ("a.json", b'[{"doc_id": "EP1"}]'),
        ("a.csv", b"id,title\nEP1,Press\n"),
        ("a.zip", zipped({"a.xml": b"<patent-document/>"})),
    ],
)
def test_formats_of_collections_are_not_applications(name: str, data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, name, data)
    assert not is_application(path)
    if name != "a.zip":
        with pytest.raises(InputError, match="give it as the patent to search with"):
            read_text(path)


def test_office_files_in_a_collection_are_one_rejection_each(tmp_path: Path) -> None:
    write(tmp_path, "a.docx", files.docx(["The press"]))
    write(tmp_path, "a.jsonl", b'{"doc_id": "EP1", "title": "Press"}\n')
    collection = Collection(tmp_path)
    assert [each.doc_id for each in collection.patents()] == ["EP1"]
    assert (collection.ledger.rejected, collection.ledger.failed) == (1, False)
    write(tmp_path, "a.xlsx", zipped({"[Content_Types].xml": b"<w/>", "xl/workbook.xml": b"<w/>"}))
    assert len([*collection.patents()]) == 1
    assert (collection.ledger.rejected, collection.ledger.failed) == (2, True)
    assert any("an Excel workbook that cannot be read" in reason for reason in collection.ledger.reasons)
    marked = zipped({"content.xml": b"<w/>", "META-INF/manifest.xml": b"", "mimetype": b""})
    with pytest.raises(InputError, match="an OpenDocument file"):
        read_patents(str(write(tmp_path, "a.odt", marked)))
