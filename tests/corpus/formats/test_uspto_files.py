"""Real USPTO files of every generation: what stands in their bytes, counted without our readers, must come out."""

from __future__ import annotations

import html
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest

from antecede.corpus.document import RawDocument
from antecede.corpus.formats import by_root
from antecede.corpus.markup import find_character

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from antecede.patent import Patent

ROOT = re.compile(r"<(us-patent-grant|us-patent-application|PATDOC|patent-application-publication|sequence-cwu)[\s>]")
FRONT = r"</us-application-series-code>(?:(?!<invention-title).)*?"
"""Between the application number and the title: no class of a citation stands there."""
RIGHTS = r"<priority-claim |<us-provisional-application>|<(?:continuation|continuation-in-part|division|reissue)>"
REDBOOK = {
    "title": r"<invention-title[^>]*>\s*\S",
    "abstract": r"<abstract[ >]",
    "claims": r"<claim[ >]",
    "description": r"<description[ >].*?<p[ >]",
    "ipc": FRONT + r"<(?:main-classification>[A-H]\d\d[A-Z]|classification-ipcr>)",
    "cpc": r"<classifications-cpc>",
    "citations": r"<patcit ",
    "publication_date": r"<publication-reference>.*?<date>\d",
    "filing_date": r"<application-reference.*?<date>\d",
    "priority_date": RIGHTS + r"|<pct-or-regional-filing-data>",
    "inventors": r"app-type=\"applicant-inventor\"|<inventor[ >]",
    "applicants": r"<assignee>|<applicant |<us-applicant ",
}
PATDOC = {
    "title": r"<B540>",
    "abstract": r"<SDOAB",
    "claims": r"<CLM ",
    "description": r"<SDODE.*?<PARA",
    "ipc": r"<B511><PDAT>[A-H]\d",
    "citations": r"<B561>",
    "publication_date": r"<B140>",
    "filing_date": r"<B220>",
    "priority_date": r"<B320>|<PDOC>|<B680US>",
    "inventors": r"<B721>",
    "applicants": r"<B731>",
}
PAP = {
    "title": r"<title-of-invention>",
    "abstract": r"<subdoc-abstract>",
    "claims": r"<claim ",
    "description": r"<subdoc-description>",
    "ipc": r"<ipc>[A-H]\d",
    "publication_date": r"<document-date>",
    "filing_date": r"<filing-date>",
    "priority_date": r"<foreign-priority-data>|<parent>|<non-provisional-of-provisional>",
    "inventors": r"inventor>",
    "applicants": r"<assignee>",
}
FIELDS = {
    "us-patent-grant": REDBOOK,
    "us-patent-application": REDBOOK,
    "PATDOC": PATDOC,
    "patent-application-publication": PAP,
}
INLINE = {
    "us-patent-grant": r"</?(?:b|i|u|o|sub|sup|sub2|sup2|figref|claim-ref|crossref|smallcaps)(?: [^>]*)?/?>",
    "PATDOC": r"</?(?:PDAT|HIL|SB|SP|BOLD|ITALIC|FGREF|CLREF|F)(?: [^>]*)?/?>|(?<=<F>)<PTEXT>|</PTEXT>(?=</F>)",
    "patent-application-publication": r"</?(?:highlight|bold|cross-reference)(?: [^>]*)?/?>|<number>.*?</number>",
}
INLINE["us-patent-application"] = INLINE["us-patent-grant"]
"""Marks that part no words; all others do."""
TEXTS = {
    "us-patent-grant": ("abstract", "description", "claims"),
    "us-patent-application": ("abstract", "description", "claims"),
    "PATDOC": ("SDOAB", "SDODE", "CL"),
    "patent-application-publication": ("subdoc-abstract", "subdoc-description", "subdoc-claims"),
}
UNSEEN = re.compile("[\u2061-\u2064]")


@cache
def documents(data: Path) -> list[tuple[RawDocument, str]]:
    """Every document of the two folders, with its text: cut at the XML declarations, and nothing else."""
    found: list[tuple[RawDocument, str]] = []
    for file in sorted([*data.glob("formats/uspto-redbook/*.xml"), *data.glob("formats/uspto-samples/*/US*.xml")]):
        pieces = [piece for piece in re.split(r"(?=<\?xml )", file.read_text("utf-8")) if piece.strip()]
        for number, text in enumerate(pieces, 1):
            root = ROOT.search(text)
            assert root is not None, f"{file}: a document of a kind nobody knows"
            found.append((RawDocument(text.encode(), root[1], file.name, number, number), text))
    return found


@cache
def patents(data: Path) -> list[tuple[Patent, str, str]]:
    """The patents in them, with root and text. Whatever cannot be read fails the test."""
    known = by_root()
    return [
        (known[raw.root].parse(raw, {}), raw.root, text) for raw, text in documents(data) if raw.root != "sequence-cwu"
    ]


def test_every_generation_is_there(data: Path) -> None:
    versions = Counter(
        found[0] if (found := re.search(r"v\d\d(?=-)|ST32|pap-v1\d", text[:800])) else root
        for _, root, text in patents(data)
    )
    assert {"v40", "v41", "v42", "v43", "v45", "ST32", "pap-v16"} <= set(versions)


def test_no_number_is_read_for_another(data: Path) -> None:
    """The document's own file name, where it gives one, says the same."""
    for patent, _, text in patents(data):
        if (file := re.search(r" file=\"US([A-Z]*)0*(\d+)-", text[:800])) is not None:
            assert patent.doc_id == f"US{file[1]}{file[2]}"


@pytest.mark.parametrize("root", FIELDS)
def test_what_the_bytes_have_the_record_has(data: Path, root: str) -> None:
    """Of the documents that have a field, all give it (95 % are asked for); and none gives one it does not have."""
    fields = {name: re.compile(pattern, re.DOTALL) for name, pattern in FIELDS[root].items()}
    there: Counter[str] = Counter()
    wrong: list[str] = []
    for patent, _, text in (each for each in patents(data) if each[1] == root):
        for name, pattern in fields.items():
            has = pattern.search(text) is not None
            there[name] += has
            if has != bool(getattr(patent, name)):
                wrong.append(f"{patent.source}: {name}")
    assert there["title"] == there["claims"] > 0
    assert wrong == []


def words(text: str, root: str, name: str) -> list[str]:
    """The words of a part of a document, taken from its bytes by cutting the tags away."""
    found = re.search(rf"<{name}[ >].*?</{name}>", text, re.DOTALL)
    if found is None:
        return []
    bare = re.sub(INLINE[root], "", re.sub(r"<\?.*?\?>|<!--.*?-->", "", found[0], flags=re.DOTALL), flags=re.DOTALL)
    if name == "subdoc-claims":
        bare = re.sub(r"<heading.*?</heading>", "", bare, count=1)
    bare = re.sub(r"<[^>]*>", " ", bare)
    named = re.sub(r"&([A-Za-z]+);", lambda sign: find_character(sign[1]) or sign[0], bare)
    return UNSEEN.sub(" ", html.unescape(named)).split()


def written(patent: Patent) -> Iterator[list[str]]:
    """The words of its abstract, description and claims, without the strokes that we put into fractions."""
    yield patent.abstract.get("en", "").split()
    yield patent.description.get("en", "").split()
    yield " ".join(patent.claims.get("en", ())).split()


def test_every_word_once_in_order_none_glued_none_torn(data: Path) -> None:
    wrong = []
    for patent, root, text in patents(data):
        for name, ours in zip(TEXTS[root], written(patent), strict=True):
            theirs = words(text, root, name)
            if name in {"claims", "CL"} and theirs[:1] != ["1."]:
                theirs = ["1.", *theirs]  # designs and plants do not number their only claim
            if [word for word in ours if word != "/"] != [word for word in theirs if word != "/"]:
                wrong.append(f"{patent.source}: {name}")
    assert wrong == []


def test_claims_are_counted_right(data: Path) -> None:
    for patent, _, text in patents(data):
        stated = re.search(r"<number-of-claims>(\d+)<|<B577><PDAT>(\d+)<", text)
        marked = len(re.findall(r"<claim[ >]|<CLM ", text))
        assert len(patent.claims["en"]) == marked == (int(stated[1] or stated[2]) if stated else marked)
        assert [re.match(r"\d+", claim)[0] for claim in patent.claims["en"]] == [str(n + 1) for n in range(marked)]  # type: ignore[index]


def test_cited_patents_are_kept(data: Path) -> None:
    """Nearly all: designs of the EU and the Hague union under the codes of other offices are no patent numbers."""
    marked = sum(len(set(re.findall(r"<doc-number>([^<]*)</doc-number>", part))) for part in cited(data))
    found = sum(len(patent.citations) for patent, root, _ in patents(data) if root.startswith("us-"))
    assert found >= 0.99 * marked > 0
    phases = {citation.phase for patent, _, _ in patents(data) for citation in patent.citations}
    assert phases == {"examination", "applicant"}


def cited(data: Path) -> Iterator[str]:
    """The cited documents of each patent, as text."""
    for _, root, text in patents(data):
        if root.startswith("us-"):
            yield "".join(re.findall(r"<patcit .*?</patcit>", text, re.DOTALL))


def test_priority_is_never_later_than_filing_or_publication(data: Path) -> None:
    for patent, _, _ in patents(data):
        assert patent.filing_date is not None
        assert patent.publication_date is not None
        assert patent.filing_date < patent.publication_date
        assert patent.priority_date is None or patent.priority_date <= patent.filing_date
