"""A new filter takes two files: a declaration in `conditions/fields.py` and a column in `index/documents.py`."""

from __future__ import annotations

import json

import pytest

from tests.new_field import Copy, granted
from tests.web.world import TOPIC, patents

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
print(json.dumps([told, found, facets]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    made = Copy(tmp_path_factory.mktemp("new_field"))
    made.run("index", made.documents, "--out", "x.index")
    return made


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


def test_the_field_is_a_facet_of_the_page(copy: Copy) -> None:
    told, found, facets = json.loads(copy.python("-c", PAGE))
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
