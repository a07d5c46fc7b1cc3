"""Input of half a megabyte made to take long: the time grows with its length, not with the square of it.

No test here asserts a time. All of it is read in one process, which would need hours if any of it were quadratic, and
is ended as hung after ten minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.corpus.hostile_documents import MB

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.fuzz

SIZE = MB // 2
BIBLIOGRAPHY = (
    "<bibliographic-data><publication-reference><document-id><country>EP</country><doc-number>1000000</doc-number>"
    "<kind>A1</kind></document-id></publication-reference></bibliographic-data>"
)


def marec(text: str = "", bibliography: str = "", attributes: str = "") -> str:
    return (
        f'<patent-document ucid="EP-1000000-A1" country="EP" doc-number="1000000" kind="A1" lang="EN"{attributes}>'
        f"<bibliographic-data>{bibliography}</bibliographic-data>{text}</patent-document>"
    )


def described(text: str) -> str:
    return marec(f'<description lang="EN">{text}</description>')


def claimed(text: str) -> str:
    return marec(f'<claims lang="EN"><claim>{text}</claim></claims>')


def epo_claims(text: str) -> str:
    return (
        '<ep-patent-document country="EP" doc-number="1000000" kind="A1"><SDOBI/>'
        f'<claims lang="en">{text}</claims></ep-patent-document>'
    )


def ops_claims(text: str) -> str:
    claim = f"<claim><claim-text>{text}</claim-text></claim>"
    return f'<fulltext-document>{BIBLIOGRAPHY}<claims lang="EN">{claim}</claims></fulltext-document>'


def applicant(name: str) -> str:
    return marec(
        "",
        f"<parties><applicants><applicant><addressbook><last-name>{name}</last-name></addressbook></applicant></applicants></parties>",
    )


def fill(unit: str, size: int = SIZE) -> str:
    return unit * (size // len(unit))


def counted(unit: Callable[[int], str], size: int = SIZE) -> str:
    return "".join(unit(at) for at in range(size // len(unit(10_000))))


CASES: dict[str, Callable[[], str]] = {
    "namespaces of their own": lambda: described(counted(lambda at: f'<n{at}:a xmlns:n{at}="u{at}"/>')),
    "namespaces under one prefix": lambda: described(counted(lambda at: f'<x:a xmlns:x="u{at}"/>')),
    "namespaces of the root": lambda: marec(
        "<p/>" * 50_000, attributes=counted(lambda at: f' xmlns:n{at}="u{at}"', SIZE // 2)
    ),
    "namespaces of a container": lambda: (
        f"<exchange-documents{counted(lambda at: f' xmlns:n{at}={chr(34)}u{at}{chr(34)}', SIZE // 2)}>"
        + "<exchange-document/>" * 5_000
        + "</exchange-documents>"
    ),
    "a container with a long start tag": lambda: (
        f"<exchange-documents a='{fill('x', SIZE // 2)}'>" + "<exchange-document/>" * 5_000 + "</exchange-documents>"
    ),
    "prefixes that nobody declared": lambda: described(counted(lambda at: f"<x{at}:a/>")),
    "a tag of one long name": lambda: "<" + fill("a"),
    "tags of long names": lambda: fill("<" + "a" * 100_000),
    "attributes": lambda: described(f"<a {counted(lambda at: f'a{at}=' + repr('1') + ' ', SIZE)}/>"),
    "elements": lambda: described(fill("<p>a</p>")),
    "comments": lambda: described(fill("a<!--c-->")),
    "instructions": lambda: described(fill("a<?c?>")),
    "CDATA sections": lambda: described(fill("a<![CDATA[b]]>")),
    "character references": lambda: described(fill("&#65;")),
    "entities": lambda: described(fill("&agr;")),
    "preformatted text in itself": lambda: described("<pre>" * 200 + fill("<b>a</b>") + "</pre>" * 200),
    "tables": lambda: described("<table>" + fill("<row><entry>a</entry></row>") + "</table>"),
    "white space": lambda: described(fill(" \n \t") + "x"),
    "claims in one line": lambda: claimed(fill("1. A b. ")),
    "claims in one line of the EPO": lambda: epo_claims(counted(lambda at: f"{at + 1}. A b. ")),
    "claims in one line of OPS": lambda: ops_claims(counted(lambda at: f"{at + 1}. A b. ")),
    "claims in claims": lambda: epo_claims("<claim>" * 200 + fill("<b>a</b>") + "</claim>" * 200),
    "claims in claims of MAREC": lambda: marec(
        '<claims lang="EN">' + "<claim>" * 200 + fill("<b>a</b>") + "</claim>" * 200 + "</claims>"
    ),
    "a name of commas": lambda: applicant(f"A{fill(',')}B"),
    "a name of commas and blanks": lambda: applicant(f"A{fill(', ')}B"),
    "digits in a claim": lambda: claimed(fill("1 ")),
    "SGML": lambda: "<PATDOC><SDODE>" + fill("<A B=c></B>a & b <") + "</SDODE></PATDOC>",
    "deep JSON": lambda: '{"doc_id":"a","x":' + "[" * (SIZE // 2) + "]" * (SIZE // 2) + "}\n",
    "a number of half a million digits": lambda: '{"doc_id":"a","x":' + "1" * SIZE + "}\n",
    "endless numbers": lambda: '{"doc_id":"a","x":1e999999,"y":-1e999,"z":1.' + "1" * SIZE + "}\n",
    "a line of many keys": lambda: "{" + counted(lambda at: f'"k{at}":1,') + '"doc_id":"a"}\n',
    "a line of one key": lambda: "{" + fill('"title":"x",') + '"doc_id":"a"}\n',
    "citations": lambda: json.dumps({"doc_id": "a", "citations": [f"EP{at}" for at in range(25_000)]}),
    "patent numbers in a text": lambda: json.dumps({"doc_id": "a", "description": fill("US 5,123,456, ", SIZE // 2)}),
}
RESULTS = {
    "namespaces of their own": (1, 0),
    "namespaces under one prefix": (1, 0),
    "namespaces of the root": (1, 0),
    "namespaces of a container": (0, 5_001),  # which is rejected; its records are read without them
    "a tag of one long name": (0, 1),
    "claims in claims": (1, 0),
    "a name of commas": (1, 0),
    "citations": (1, 0),
}
PROBE = """
import json, sys
from pathlib import Path
from antecede.corpus import Collection
from antecede.corpus.citations import numbers_in
found = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    collection = Collection(path)
    texts = 0
    for patent in collection.patents():
        texts += sum(len(claim) for claims in patent.claims.values() for claim in claims)
        for text in patent.description.values():
            numbers_in(text[: 1 << 20])
    found[path.name] = (collection.ledger.patents, collection.ledger.rejected, texts)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """Patents, rejected documents and characters of claims, for each case."""
    folder: Path = tmp_path_factory.mktemp("scaling")
    for name, make in CASES.items():
        (folder / name).write_text(make(), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", PROBE, folder], capture_output=True, check=True, timeout=600)
    for path in folder.iterdir():
        path.unlink()
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", CASES)
def test_it_is_read_or_rejected_in_time(name: str, probed: dict[str, list[int]]) -> None:
    patents, rejected, claims = probed[name]
    assert patents + rejected >= 1
    assert (patents, rejected) == RESULTS.get(name, (patents, rejected))
    assert claims <= 2 * SIZE  # nothing is kept twice
