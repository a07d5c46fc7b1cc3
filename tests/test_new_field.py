"""A new filter takes two files: a declaration in `conditions/fields.py` and a column in `patent/record.py`.

A new field of patents takes one line there, and is then found wherever patents are read, stored and shown.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from antecede.index import build_index
from antecede.index.documents import COLUMNS
from tests.new_field import EXAMINER, Copy, granted
from tests.web.world import TOPIC, patents

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
ALL = {each["doc_id"] for each in patents()} - {"DE3000001"}  # which has no text in English
PAGE = """
import json, sys
from antecede.engine import open_index
from antecede.review.store import CaseStore
from tests.web.world import Client
with Client(open_index("x.index"), CaseStore("cases.sqlite")) as client:
    case = client.sign_in().case()
    told = client.ask("GET", "/api/index")
    client.ask("PUT", f"{case}/query", json={"filters": {"kind": ["B"]}})
    found = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    facets = client.ask("GET", f"{case}/searches/1/facets")
    document = client.ask("GET", f"{case}/document", params={"id": found["hits"][0]["doc_id"]})
print(json.dumps([told, found, facets, document]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    with Copy(tmp_path_factory.mktemp("new_field")) as made:
        made.run("index", made.documents, "--out", "x.index")
        yield made


@pytest.fixture(scope="module")
def page(copy: Copy) -> Any:
    """What the page is told: of the index, a search, its facets and a document."""
    return json.loads(copy.python("-c", PAGE))


def test_the_field_is_part_of_expressions(copy: Copy) -> None:
    assert copy.search("x.index", "--where", "kind:B1")[0] == granted(patents(), "B1")
    assert copy.search("x.index", "--where", "kind:b")[0] == granted(patents(), "B")
    found, excluded = copy.search("x.index", "--where", "NOT kind:A valve")
    assert found <= ALL - granted(patents(), "A")
    assert excluded.keys() == {"where"}
    assert "kind" in copy.run("search", "x.index", "--text", "valve", "--where", "kinf:B1", code=2)


def test_the_field_is_an_option_and_its_effect_is_counted(copy: Copy) -> None:
    assert "--kind CODE" in copy.run("search", "--help")
    found, excluded = copy.search("x.index", "--kind", "b")
    assert found == granted(patents(), "B")
    assert excluded == {"kind": len(patents()) - len(found)}
    assert copy.search("x.index", "--kind", "B1", "--kind", "A1")[0] == granted(patents(), "B1") | granted(
        patents(), "A1"
    )
    told = copy.run("search", "x.index", "--text", "valve", "--kind", "B1")
    assert "of kind B1" in told
    assert f"another kind of publication {len(patents()) - len(granted(patents(), 'B1'))}" in told


def test_the_field_is_a_key_of_experiments(copy: Copy) -> None:
    (copy.folder / "topics.txt").write_text(f"{TOPIC}\n")
    (copy.folder / "qrels.txt").write_text("".join(f"{TOPIC} 0 {name} 1\n" for name in sorted(granted(patents(), "B"))))
    (copy.folder / "x.toml").write_text(
        'index = "x.index"\ntopics = "topics.txt"\nqrels = "qrels.txt"\n'
        '[search]\nmethods = ["tf"]\nk = 50\nbefore = "off"\nkind = ["B"]\n'
        '[evaluation]\nmeasures = ["R@50"]\n'
        "[study]\nrobustness = false\nagreement = false\ncutoffs = false\n"
    )
    copy.run("experiment", "x.toml")
    run = next((copy.folder).rglob("*.run"))
    found = {line.split()[2] for line in run.read_text().splitlines()}
    assert found
    assert found <= granted(patents(), "B") - {TOPIC}


def test_the_field_is_a_facet_of_the_page(page: Any) -> None:
    told, found, facets, _ = page
    assert {"facet": "kinds", "setting": "kind", "title": "Kind", "tree": False, "names": False} in told["facets"]
    hits = {hit["doc_id"] for hit in found["hits"]}
    assert hits
    assert hits <= granted(patents(), "B") - {TOPIC}
    assert found["documents"]["excluded"]["kind"] > 0
    counted = {each["value"]: each["documents"] for each in facets["kinds"]}
    assert counted.keys() == {"A1", "B1", "B2"}
    assert counted["B1"] == len(granted(patents(), "B1") - {TOPIC})


def test_the_index_is_consistent(copy: Copy) -> None:
    copy.run("verify", "x.index")


def test_a_new_field_of_patents_is_shown(copy: Copy) -> None:
    name = min(granted(patents(), "B1"))
    assert f"examiners:  {EXAMINER}" in copy.run("show", "x.index", name)
    assert json.loads(copy.run("show", "x.index", name, "--json"))["examiners"] == [EXAMINER]
    header, row = csv.reader(copy.run("show", "x.index", name, "--format", "csv").splitlines())
    assert dict(zip(header, row, strict=True))["examiners"] == EXAMINER


def test_a_new_field_of_patents_is_exported_with_the_hits(copy: Copy) -> None:
    words = ("search", "x.index", "--text", "valve router lamp pump")
    hits = json.loads(copy.run(*words, "--json"))["hits"]
    with_examiner = {hit["doc_id"] for hit in hits if hit.get("examiners") == [EXAMINER]}
    assert with_examiner == granted(patents(), "B1")
    rows = csv.DictReader(copy.run(*words, "--format", "csv").splitlines())
    assert {row["patent"] for row in rows if row["examiners"] == EXAMINER} == with_examiner


def test_a_new_field_of_patents_is_on_the_page(page: Any) -> None:
    _, found, _, document = page
    assert all(hit["examiners"] == ([EXAMINER] if "B1" in hit["kinds"] else []) for hit in found["hits"])
    assert document["facts"]["examiners"] == EXAMINER


def test_an_index_that_was_made_before_the_field_still_opens(copy: Copy) -> None:
    old = copy.folder / "old.index"
    build_index(copy.documents, old)
    old_hits, new_hits = (
        json.loads(copy.run("search", index, "--text", "valve", "--json"))["hits"] for index in (old, "x.index")
    )
    assert [hit["doc_id"] for hit in old_hits] == [hit["doc_id"] for hit in new_hits]
    assert copy.search(old, "--kind", "B1")[0] == set()  # its column is empty
    copy.run("verify", old)
    more = copy.folder / "more.jsonl"
    more.write_text(json.dumps({"doc_id": "EP1999999", "title": {"en": "A valve"}, "kinds": ["B1"]}) + "\n")
    copy.run("add", old, more)
    assert copy.search(old, "--kind", "B1")[0] == {"EP1999999"}
    copy.run("merge", old)  # the records have what the old column lacked
    assert copy.search(old, "--kind", "B1")[0] == granted(patents(), "B1") | {"EP1999999"}
    copy.run("verify", old)


def test_columns_are_stored_in_the_order_of_their_introduction() -> None:
    """A cluster stores the columns of a document in this order: a new one comes last."""
    assert COLUMNS[9:14] == ("ipc", "cpc", "applicants", "inventors", "citations")
