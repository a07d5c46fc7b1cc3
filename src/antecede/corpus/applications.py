"""Applications as their authors have them, to search with: text, PDF and DOCX files.

An application becomes a patent: its text, and its parts where headings make them plain.
"""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from collections import Counter
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from antecede.compression import PATENT_RATIO, Meter, MeteredFile
from antecede.corpus.claims import SPACED, find_claims
from antecede.corpus.detection import PLAIN_TEXT, describe_content
from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.files import DOCUMENT, DOCX, ZIP, ZipStream, check_directory, check_member, explain_office, label
from antecede.corpus.language import detect_language
from antecede.corpus.pdf import LARGEST, read_pdf
from antecede.corpus.splitter import JSON_START, XML_START
from antecede.corpus.streams import decode, read_fully, strip_byte_order_marks, wide_encoding
from antecede.corpus.table_splitter import find_table
from antecede.errors import InputError, printable
from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml.etree import _Element as Element

_HEAD = 1 << 16
_STDIN = "-"
_LARGEST_TEXT = 64 << 20
_PDF, _OLE, _RTF = b"%PDF-", b"\xd0\xcf\x11\xe0", b"{\\rtf"
_REFUSED = {
    _OLE: "a Microsoft Office file that is encrypted or in the format before 2007; save it as DOCX without a password",
    _RTF: "an RTF text; save it as DOCX or as plain text",
}
_NOT_IN_NAMES = re.compile(r"[\s\x00\ufeff]+|\A#+")


def is_application(path: str | Path) -> bool:
    """Whether a file is the text of an application, and not patents in one of the formats of collections."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return _kind_of(file) != ""
    except (OSError, ValueError):
        return False


def _kind_of(file: IO[bytes]) -> str:
    """The kind of a file: `pdf`, `docx`, `text`, or why one that resembles them is refused; empty for all others."""
    head = file.read(_HEAD)
    file.seek(0)
    if head.startswith(_PDF):
        return "pdf"
    if head.startswith(ZIP):
        kind = _office_kind(file)
        file.seek(0)
        return kind
    refused = next((reason for start, reason in _REFUSED.items() if head.startswith(start)), None)
    return refused if refused is not None else "text" if _is_prose(head) else ""


def _is_prose(head: bytes) -> bool:
    """Whether a file begins as a plain text: no markup, no JSON, no table."""
    if (wide := wide_encoding(head[:4])) is not None:
        head = head[: len(head) // 4 * 4].decode(wide, "replace").lstrip("\ufeff").encode()
    head = strip_byte_order_marks(head).lstrip()
    if head.startswith(b"<") or JSON_START.match(head) is not None or XML_START.search(head) is not None:
        return False
    return describe_content(head) == PLAIN_TEXT and find_table(head, {}) is None


def read_application(path: str | Path, on_note: Callable[[str], None] | None = None) -> Patent:
    """The application in a text, PDF or DOCX file, as a patent to search with.

    Title, abstract, claims and description are those that its headings name; without headings all is description. Its
    doc_id is the name of the file, so it is never taken for a document of an index. A file that cannot be read raises
    `InputError`.

    Args:
        path: The file; `-` is standard input.
        on_note: Called with notes on how the file was read.
    """
    name = "standard-input" if str(path) == _STDIN else _NOT_IN_NAMES.sub("_", label(Path(Path(path).name)))
    patent = recognise_parts(_read_lines(path, on_note), name, label(Path(path)))
    if not any((patent.title, patent.abstract, patent.claims, patent.description)):
        raise InputError("has no text", source=_named(path))
    return patent


def read_text(path: str | Path, on_note: Callable[[str], None] | None = None) -> str:
    """The whole text of a text, PDF or DOCX file, or of standard input (`-`)."""
    text = "\n".join(_read_lines(path, on_note)).strip()
    if not text:
        raise InputError("has no text", source=_named(path))
    return text


def _read_lines(path: str | Path, on_note: Callable[[str], None] | None) -> list[str]:
    try:
        with _open_file(path) as file:
            kind = _kind_of(file)
            if kind not in _READERS:
                raise DocumentError(kind or _explain_content(file))
            largest, read = _READERS[kind]
            if file.seek(0, 2) > largest:
                raise DocumentError(f"longer than the limit of {largest >> 20} MB")
            file.seek(0)
            lines, notes = read(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=_named(path)) from None
    except DocumentError as error:
        raise InputError(error.reason, source=_named(path)) from None
    if on_note is not None:
        for note in notes:
            on_note(f"{_named(path)}: {note}")
    return lines


def _explain_content(file: IO[bytes]) -> str:
    head = file.read(_HEAD)
    if head.startswith(ZIP):
        return "a zip archive, or a DOCX file that is cut off or damaged"
    content = describe_content(head)
    structured = "markup, JSON or a table, not a plain text; give it as the patent to search with"
    return structured if content == PLAIN_TEXT else content


@contextmanager
def _open_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A seekable file; standard input and pipes are copied to a temporary one."""
    with nullcontext() if str(path) == _STDIN else Path(path).open("rb") as file:
        if file is not None and file.seekable():
            yield file
            return
        stream = sys.stdin.buffer if file is None else file
        with tempfile.TemporaryFile(prefix="antecede-") as copy:
            while part := stream.read(1 << 20):
                copy.write(part)
                if copy.tell() > LARGEST:
                    raise DocumentError(f"longer than the limit of {LARGEST >> 20} MB")
            copy.seek(0)
            yield cast("IO[bytes]", copy)


def _read_plain(file: IO[bytes]) -> tuple[list[str], list[str]]:
    """The lines of a plain text in UTF-8, or in UTF-16 with a byte order mark."""
    data = file.read()
    if b"\x00" in data and wide_encoding(data[:4]) is None:
        raise DocumentError("a binary file, not text")
    wide = wide_encoding(data[:4])
    try:
        text = decode(strip_byte_order_marks(data), wide or "utf-8").lstrip("\ufeff")
    except DocumentError as error:
        raise DocumentError(f"{error.reason}; save it as UTF-8") from None
    return re.split(r"\r\n?|\n|\f", text), []


def _named(path: str | Path) -> str:
    return "standard input" if str(path) == _STDIN else printable(label(Path(path)), 200)


# DOCX, paragraph by paragraph: a zip archive with XML, read with the limits of any other

_LARGEST_XML = 64 << 20
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SKIPPED = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "instrText"})
"""Deleted and moved text, and the second form of what an older program could not show."""
_DEEPEST = 200
_TITLE_STYLES = ("Title", "Titel", "Titre")
"""The style of a title in English, German and French word processors."""


def _office_kind(file: IO[bytes]) -> str:
    """The kind of an archive: `docx`, why a file of another office program is refused, empty for all others."""
    try:
        check_directory(file)
        with zipfile.ZipFile(file) as archive:
            names = {*archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, DocumentError):
        return ""
    reason = explain_office(names)
    return "docx" if reason == DOCX else reason


def _read_docx(file: IO[bytes]) -> tuple[list[str], list[str]]:
    """The paragraphs of a DOCX file, and no notes; raises `DocumentError` if it cannot be read."""
    meter = Meter(DocumentError, PATENT_RATIO)
    metered = MeteredFile(file, meter)
    check_directory(file)
    try:
        with zipfile.ZipFile(metered) as archive:
            info = archive.getinfo(DOCUMENT)
            if reason := check_member(info, meter):
                raise DocumentError(f"{DOCUMENT}: {reason}")
            with archive.open(info) as stream:
                data = read_fully(ZipStream(stream, meter), _LARGEST_XML + 1)
    except (zipfile.BadZipFile, KeyError, RuntimeError, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise DocumentError(f"a DOCX file that is cut off or damaged: {error}") from None
    if len(data) > _LARGEST_XML:
        raise DocumentError(f"its text is longer than the limit of {_LARGEST_XML >> 20} MB")
    from antecede.corpus.safe_xml import parse_xml  # loads lxml, which a search rarely needs

    root = parse_xml(RawDocument(data, "document", DOCUMENT))
    numbers: Counter[str] = Counter()
    paragraphs = (
        element for element in root.iter("p") if _SKIPPED.isdisjoint(outer.tag for outer in element.iterancestors())
    )
    return [_mark_of(paragraph, numbers) + "".join(_text_in(paragraph)) for paragraph in paragraphs], []


def _mark_of(paragraph: Element, numbers: Counter[str]) -> str:
    """What a word processor puts before a paragraph: the number in a list, as claims are; the heading of a title."""
    if _value_of(paragraph.find("pPr/pStyle")) in _TITLE_STYLES and any(_text_in(paragraph)):
        return "Title: "
    level = paragraph.find("pPr/numPr/ilvl")
    listed = paragraph.find("pPr/numPr/numId")
    if listed is None or _value_of(level) not in ("", "0") or _value_of(listed) in ("", "0"):
        return ""
    numbers[_value_of(listed)] += 1
    return f"{numbers[_value_of(listed)]}. "


def _value_of(element: Element | None) -> str:
    """The attribute `val`, whatever its namespace."""
    given = () if element is None else element.attrib.items()
    return next((str(value) for name, value in given if str(name).rpartition("}")[2] == "val"), "")


def _text_in(element: Element, depth: int = 0) -> Iterator[str]:
    """The text of a paragraph, without paragraphs inside of it, which are read by themselves."""
    if depth > _DEEPEST:
        raise DocumentError(f"elements nested more than {_DEEPEST} deep")
    for each in element:
        if each.tag == "t":
            yield each.text or ""
        elif each.tag in _BREAKS:
            yield _BREAKS[str(each.tag)]
        elif each.tag not in _SKIPPED and each.tag != "p":
            yield from _text_in(each, depth + 1)


_READERS: dict[str, tuple[int, Callable[[IO[bytes]], tuple[list[str], list[str]]]]] = {
    "text": (_LARGEST_TEXT, _read_plain),
    "pdf": (LARGEST, read_pdf),
    "docx": (LARGEST, _read_docx),
}
"""Kind of file → its largest size, and the function that gives its lines and notes."""


# The parts of an application, recognised by its headings in English, French and German.
#
# A heading is a line of its own (`CLAIMS`, `What is claimed is:`, `Patentansprüche`), or the beginning of a line before
# a colon (`Abstract: …`), also after the codes of a front page (`(57) Abstract`). Claims without a heading are known by
# their numbers, a title by standing alone and short before the first paragraph. All else is description.

_TITLE, _ABSTRACT, _CLAIMS, _DESCRIPTION = "title", "abstract", "claims", "description"
_HEADINGS = {
    _TITLE: (
        "title|title of the invention|title of invention|invention title"
        "|titre|titre de l invention|titel|titel der erfindung|bezeichnung|bezeichnung der erfindung"
    ),
    _ABSTRACT: (
        "abstract|abstract of the disclosure|abstract of the invention|abrégé|abrégé descriptif|abrégé du descriptif"
        "|résumé|zusammenfassung"
    ),
    _CLAIMS: (
        "claim|claims|patent claims|listing of claims|what is claimed|what is claimed is|what we claim|what we claim is"
        "|we claim|i claim|the invention claimed is|the claims defining the invention are as follows"
        "|revendication|revendications|les revendications|nous revendiquons"
        "|anspruch|ansprüche|patentanspruch|patentansprüche|schutzansprüche"
    ),
    _DESCRIPTION: (
        "description|specification|detailed description|detailed description of the invention"
        "|detailed description of the drawings|detailed description of the embodiments"
        "|detailed description of the preferred embodiments|detailed description of preferred embodiments"
        "|description of the embodiments|description of embodiments|description of the preferred embodiments"
        "|technical field|field|field of the invention|field of invention|background|background of the invention"
        "|background art|technical background|prior art|related art|summary|summary of the invention|brief summary"
        "|brief summary of the invention|disclosure of the invention|brief description of the drawings"
        "|brief description of drawings|brief description of the figures|description of the drawings"
        "|cross reference to related applications|cross reference to related application|related applications"
        "|industrial applicability|list of reference signs|reference signs list|list of reference numerals"
        "|domaine technique|domaine de l invention|domaine technique de l invention|arrière plan technologique"
        "|arrière plan de l invention|état de la technique|art antérieur|technique antérieure|exposé de l invention"
        "|résumé de l invention|présentation de l invention|brève description des dessins|brève description des figures"
        "|description des figures|description détaillée|description détaillée de l invention"
        "|description des modes de réalisation|exposé détaillé de modes de réalisation|liste des références"
        "|beschreibung|technisches gebiet|gebiet der erfindung|hintergrund|hintergrund der erfindung"
        "|stand der technik|aufgabe der erfindung|darstellung der erfindung|zusammenfassung der erfindung"
        "|kurze beschreibung der zeichnungen|kurze beschreibung der figuren|beschreibung der zeichnungen"
        "|figurenbeschreibung|detaillierte beschreibung|detaillierte beschreibung der erfindung"
        "|ausführungsbeispiel|ausführungsbeispiele|beschreibung der ausführungsbeispiele|bezugszeichenliste"
    ),
}
"""The headings of each part, in lower case, without punctuation."""
_PART_OF = {heading: part for part, headings in _HEADINGS.items() for heading in headings.split("|")}
_INLINE = (_TITLE, _ABSTRACT, _CLAIMS)
"""Parts whose heading may have the text on its own line, after a colon."""
_UNTITLED = ("description", "specification", "beschreibung")
"""Headings that are only names of the part, and not a part of its text."""
_MAX_HEADING_LENGTH = 80
_NUMBERING = re.compile(r"[(\[]?(?:[0-9]{1,4}|[ivxIVX]{1,5}|[A-Ha-h])[).\]]\s+|[0-9]{1,2}(?:\.[0-9]{1,2})*\s+")
_FRONT_PAGE_CODE = re.compile(r"\((54|57)\)\s*")
_FRONT_PAGE_PARTS = {"54": _TITLE, "57": _ABSTRACT}
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_INLINE_HEADING = re.compile(r"([^:]{3,60}?)\s*(?::|\s[-–—])\s+(\S.*)")
_FIRST_CLAIM = re.compile(r"\s*1\s*[.)]\s+\S")
_DEPENDENT_CLAIM = re.compile(r"\s*2\s*[.)]\s.*\b(?:claim|anspruch|revendication)s?\s+1\b", re.IGNORECASE)
_MAX_TITLE_LENGTH = 250
_WORDS_OF_TITLE = range(2, 26)
_LAST_TITLE = 5
"""The sections at the beginning of which one may be the title."""
_MAX_ABSTRACT_LENGTH = 600
"""Words of the longest abstract; where more follow the heading, something else follows it too."""
_MIN_WORDS = 20
"""Words from which on the language of a part is detected by itself."""


class _Section(NamedTuple):
    """What follows a heading; before the first one, the part is empty."""

    part: str
    lines: list[str]


def recognise_parts(lines: Sequence[str], doc_id: str = "", source: str = "") -> Patent:
    """The application with its parts, given its lines or paragraphs."""
    title, rest = _find_title(_find_claims(_split_sections(lines)))
    abstracts, rest = _find_abstracts(rest)
    claims = ["\n".join(each.lines).strip() for each in rest if each.part == _CLAIMS]
    description = "\n".join("\n".join(each.lines).strip("\n") for each in rest if each.part != _CLAIMS).strip()
    language = next(filter(None, map(detect_language, (description, *claims, *abstracts, title))), "")
    return Patent(
        doc_id,
        language=language,
        title={language: title} if title else {},
        abstract={each: "\n".join(texts) for each, texts in _group_by_language(abstracts, language).items()},
        claims={
            each: tuple(claim for text in texts for claim in find_claims(text) or _paragraphs_of(text))
            for each, texts in _group_by_language(filter(None, claims), language).items()
        },
        description={language: description} if description else {},
        source=source,
    )


def _split_sections(lines: Iterable[str]) -> list[_Section]:
    sections = [_Section("", [])]
    for line in lines:
        text = line.strip()
        part, rest = _find_heading(text)
        if part:
            sections.append(_Section(part, [rest] if rest else []))
        else:
            sections[-1].lines.append(text)
    return sections


def _find_heading(text: str) -> tuple[str, str]:
    """The part that a line is the heading of, and what of the line belongs to the part; empty if it is not one."""
    code = _FRONT_PAGE_CODE.match(text)
    if code is not None:
        text = text[code.end() :]
    if len(text) <= _MAX_HEADING_LENGTH and (part := _PART_OF.get(_normalise(text))) is not None:
        return part, text if part == _DESCRIPTION and _normalise(text) not in _UNTITLED else ""
    inline = _INLINE_HEADING.match(text)
    if inline is not None and (part := _PART_OF.get(_normalise(inline[1]))) in _INLINE:
        return str(part), inline[2]
    return (_FRONT_PAGE_PARTS[code[1]], text) if code is not None and text else ("", "")


def _normalise(text: str) -> str:
    """A heading in the form in which headings are compared: `1. C L A I M S:` is `claims`."""
    text = _NUMBERING.sub("", text, count=1) if _NUMBERING.match(text) is not None else text
    return _NOT_LETTERS.sub(" ", SPACED.sub("", text).casefold()).strip()


def _find_claims(sections: list[_Section]) -> list[_Section]:
    """The sections, where none has claims with those that are known by their numbers: from 1, and 2 refers to it."""
    if any(section.part == _CLAIMS for section in sections):
        return sections
    found: list[_Section] = []
    for section in sections:
        lines = section.lines
        second = next((at for at in range(len(lines)) if _DEPENDENT_CLAIM.match(" ".join(lines[at : at + 3]))), 0)
        first = next((at for at in reversed(range(second)) if _FIRST_CLAIM.match(lines[at])), None)
        if first is None and section is sections[0] and lines and _FIRST_CLAIM.match("\n".join(lines)):
            first = 0  # a text that begins with claims
        kept = lines if first is None else lines[:first]
        found.append(_Section(section.part, kept))
        if first is not None:
            found.append(_Section(_CLAIMS, lines[first:]))
    return found


def _stands_alone(lines: Sequence[str]) -> bool:
    """Whether the first of some lines is a title: short, no sentence, and before a blank or a much longer line."""
    first, *others = lines
    is_short = len(first) <= _MAX_TITLE_LENGTH and len(first.split()) in _WORDS_OF_TITLE
    if not is_short or first[-1] in ".;:,!?" or not any(others):
        return False
    return not others[0] or len(others[0]) > 2 * max(len(first), _MAX_HEADING_LENGTH)


def _find_title(sections: list[_Section]) -> tuple[str, list[_Section]]:
    """The title, and the sections without it: the line under its heading, else the one that stands alone at the
    beginning, else the short text before the first heading.

    A heading of a title further down, where there is a text before the first, is that of something else.
    """
    before = " ".join(line for line in sections[0].lines if line)
    is_title = bool(before) and len(sections) > 1 and len(before) <= _MAX_TITLE_LENGTH
    for at in range(1, min(len(sections), 2 if is_title else _LAST_TITLE)):
        lines = [line for line in sections[at].lines if line]
        if sections[at].part == _TITLE and lines and len(lines[0]) <= _MAX_TITLE_LENGTH:
            return lines[0], [*sections[:at], _Section("", lines[1:]), *sections[at + 1 :]]
    lines = [*sections[0].lines]
    while lines and not lines[0]:
        lines.pop(0)
    if lines and _stands_alone(lines):
        return lines[0], [_Section("", lines[1:]), *sections[1:]]
    return (before, sections[1:]) if is_title else ("", sections)


def _find_abstracts(sections: list[_Section]) -> tuple[list[str], list[_Section]]:
    """The abstracts, and the sections without them. Of a longer section only the first paragraph can be one."""
    abstracts: list[str] = []
    rest: list[_Section] = []
    for section in sections:
        lines = [*section.lines]
        while lines and not lines[0]:
            lines.pop(0)
        if section.part == _ABSTRACT and len(" ".join(lines).split()) > _MAX_ABSTRACT_LENGTH:
            end = lines.index("") if "" in lines else 0
            rest.append(_Section(_DESCRIPTION, lines[end:]))
            lines = lines[:end]
        elif section.part != _ABSTRACT:
            rest.append(section)
            continue
        if text := "\n".join(lines).strip():
            abstracts.append(text)
    return abstracts, rest


def _paragraphs_of(text: str) -> list[str]:
    return [paragraph for part in re.split(r"\n\s*\n", text) if (paragraph := part.strip())]


def _group_by_language(texts: Iterable[str], main: str) -> dict[str, list[str]]:
    """Texts by language; one that is too short to tell is in the main one."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        detected = detect_language(text) if len(text.split()) >= _MIN_WORDS else ""
        groups.setdefault(detected or main, []).append(text)
    return groups
