"""The six files of docs/extending.md, put into their rooms as they stand there, and used as the page says; and a model,
a feature and a query method that run unchanged on every engine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.address import parse_address
from antecede.engine import open_index
from antecede.index import build_index
from antecede.models import MODELS, model
from antecede.opensearch.load import load_collection
from antecede.query.methods import METHODS, WeightedTerms, method
from antecede.query.query import Query
from antecede.ranking.features import FEATURES, feature
from antecede.search.engine import search_index
from tests.conftest import ROOT
from tests.documented import SHELL, blocks
from tests.engine.contract import World, write_collection
from tests.opensearch.conftest import cluster, turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from antecede.models import CollectionFacts, Postings
    from antecede.patent import Patent
    from antecede.query.material import Material
    from antecede.ranking.evidence import Evidence
    from tests.opensearch.local_cluster import LocalCluster

__all__ = ["cluster", "turn"]

pytestmark = pytest.mark.docs
PAGE = ROOT / "docs/extending.md"
PROGRAM = """
import importlib, sys
from pathlib import Path
for room in Path("rooms").iterdir():
    importlib.import_module(room.name).__path__.append(str(room.absolute()))
for file in Path("my_package").glob("*.py"):
    importlib.import_module(f"my_package.{file.stem}")
from tests.documented import run_line
for line in Path("commands.txt").read_text().splitlines():
    outcome = run_line(line)
    print("$", line, outcome.code, outcome.out, outcome.err, sep="\\n")
import antecede as ac
from antecede.report.figures import FIGURES
scores = ac.evaluate(ac.rank_table("qrels.txt", ["a.run", "b.run"]), ["AP", "R@100"])
drawn = FIGURES["score_spread"].write("spread.svg", scores, measure="R@100")
print("median", *(line.get_ydata()[0] for line in drawn.axes[0].lines[4::6]))
print("expected", *map(float, __import__("numpy").median(scores.of("R@100"), axis=1)))
print("figure", FIGURES["score_spread"].summary, Path("spread.svg").read_text()[:5])
print(ac.score("HalfR@10", found=[1, 9], relevant=2))
"""


@pytest.fixture(scope="module")
def told(documented_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a process prints that has the six files, for every command of the page."""
    here = shutil.copytree(documented_folder, tmp_path_factory.mktemp("extending") / "here")
    for block in blocks(PAGE, "python"):
        put(here, block.text)
    (here / "disclosures.xml").write_text(blocks(PAGE, "xml")[0].text)
    lines = [line for block in blocks(PAGE, *SHELL) for line in block.commands]
    (here / "commands.txt").write_text("\n".join(lines))
    known = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=here, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def put(folder: Path, code: str) -> None:
    """Write a file that says in its first line where it belongs: a package of antecede, or one of the reader's own."""
    place = re.match(r"# (?:src/(antecede/.+)|(my_package))/(\w+\.py)\n", code)
    assert place, code
    room = folder / "rooms" / place[1].replace("/", ".") if place[1] else folder / place[2]
    room.mkdir(parents=True, exist_ok=True)
    (room / place[3]).write_text(code)


def answer(told: str, line: str) -> tuple[int, str]:
    """How a command ended, and what it said."""
    code, _, rest = told.partition(f"$\n{line}\n")[2].partition("\n")
    return int(code), rest.partition("\n$\n")[0]


def test_the_page_names_every_kind_of_entry_point_and_no_other() -> None:
    written = {*re.findall(r'entry-points\."(antecede\.\w+)"', PAGE.read_text())}
    sources = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    assert written == {*re.findall(r'(?:group=|VERBS = )"(antecede\.\w+)"', sources)}


def test_the_measure(told: str) -> None:
    assert told.rstrip().endswith("\n0.5")
    code, said = answer(told, "antecede list measures HalfR")
    assert (code, "k at N/2, divided by n" in said) == (0, True)
    code, said = answer(told, "antecede evaluate qrels.txt a.run b.run -m HalfR@100,R@50")
    assert code == 0
    for line in said.splitlines()[2:4]:
        _, half, recall = line.replace("*", "").split()
        assert half == recall, "HalfR@100 is R@50"


def test_the_query_method(told: str) -> None:
    code, said = answer(told, 'antecede query clefip.index EP1234567 --method "rarest(least=3)" --terms 10')
    rows = [line.split() for line in said.splitlines()[3:13]]
    assert code == 0
    assert min(int(n) for _, _, n, _ in rows) >= 3
    assert [int(df) for *_, df in rows] == sorted(int(df) for *_, df in rows)
    assert answer(told, "antecede run clefip.index topics/ --method rarest --out rarest.run")[0] == 0


def test_the_ranking_model(told: str) -> None:
    code, said = answer(told, "antecede search clefip.index EP1234567 --model coordination -k 5")
    assert (code, "coordination" in said) == (0, True)


def test_the_feature(told: str) -> None:
    code, said = answer(told, "antecede list features same_office")
    assert (code, "of the topic's office" in said) == (0, True)
    line = "antecede search clefip.index EP1234567 --ranking auto,same_office=0.2 -k 5 --explain"
    code, said = answer(told, line)
    assert (code, "same_office 0.20" in said) == (0, True)


def test_the_format(told: str) -> None:
    code, said = answer(told, "antecede list formats disclosures.xml")
    assert code == 1, "one of the two was rejected, which is more than 5 %"
    assert "a disclosure without an id" in said
    code, said = answer(told, "antecede show disclosures.xml D-7")
    assert (code, "Valve with a soft seat" in said) == (0, True)


def test_the_figure(told: str) -> None:
    lines = dict(line.split(" ", 1) for line in told.rstrip().splitlines()[-4:-1])
    assert lines["median"] == lines["expected"]
    assert lines["figure"] == "The spread of the scores over the topics, one box per run. <?xml"


# Written against the protocol alone: the same on an index in a folder, on a cluster, and on one that is a list

SETTINGS: dict[str, dict[str, Any]] = {
    "model": {"model": "shared_terms(reward=2)", "method": "full"},
    "feature": {"ranking": "classic=1,family_size=0.5"},
    "method": {"method": "neighbours(documents=3)", "model": "bm25"},
    "all": {"method": "neighbours", "model": "shared_terms", "ranking": "classic=1,family_size=0.3"},
}


@pytest.fixture
def extensions() -> Iterator[None]:
    """A model, a feature and a query method, registered while a test runs."""
    assert all([len(MODELS), len(FEATURES), len(METHODS)])  # loads what else would be loaded after these

    @model("shared_terms", cite="this test", script="return reward * n / (n + length / average);")
    def shared_terms(at: Postings, collection: CollectionFacts, *, reward: float = 1.0) -> Any:
        """A point for each shared term, nearly.

        impact = reward · n / (n + |d| / avg|d|)
        """
        return reward * at.counts / (at.counts + at.lengths / collection.average_length)

    @feature("family_size", kind="metadata", cite="this test")
    def family_size(at: Evidence) -> Any:
        """How many documents the family of a candidate has."""
        families = [family for (family,) in at.index.columns(at.pool.numbers, "family_id")]
        known = at.index.having("family_id", sorted({family for family in families if family}))
        return np.array([len(known.get(family, ())) for family in families], np.float64)

    @method("neighbours", cite="this test", cut=True)
    def neighbours(at: Material, *, documents: int = 2) -> WeightedTerms:
        """The terms of the documents that the terms of the topic find."""
        query = Query.from_terms(dict(zip(at.names, at.counts.tolist(), strict=True)), at.topic.language)
        found = at.index.retrieve(query, documents, at.index.select(at.filters))
        vectors = at.index.vectors(found.numbers, query.language)
        names = [vectors.vocabulary[place] for place in range(len(vectors.vocabulary))]
        return WeightedTerms(names, vectors.by_term(np.ones(len(vectors))))

    yield
    for registry, name in ((MODELS, "shared_terms"), (FEATURES, "family_size"), (METHODS, "neighbours")):
        del registry.entries[name]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("extended") / "a.jsonl", 3, range(60))


@pytest.fixture(scope="module")
def folder_and_list(file: Path) -> list[Any]:
    build_index(file, file.with_suffix(".index"), workers=1)
    engine = open_index(file.with_suffix(".index"))
    return [engine, World.of(engine, file).plain]


def search(engine: Any, topic: Patent, settings: dict[str, Any]) -> list[tuple[str, float]]:
    """What a search finds, and that it can be explained."""
    result = search_index(engine, topic, k=20, before="off", explain=True, **settings)
    assert [hit.doc_id for hit in result.hits] == [*result.doc_ids]
    return [*zip(result.doc_ids, result.scores, strict=True)]


def compare(engines: Sequence[Any], settings: dict[str, Any]) -> None:
    topics = [patent for patent in engines[0].records(range(0, 60, 7)) if patent.description.get("en")]
    found = [[search(engine, topic, settings) for topic in topics] for engine in engines]
    assert sum(map(len, found[0])) > 5 * len(topics)
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("name", SETTINGS)
def test_extensions_run_on_a_folder_and_on_a_list(extensions: None, folder_and_list: list[Any], name: str) -> None:
    compare(folder_and_list, SETTINGS[name])


def test_extensions_run_on_a_cluster(
    extensions: None,
    folder_and_list: list[Any],
    file: Path,
    cluster: LocalCluster,
) -> None:
    address = parse_address(cluster.address("extended"))
    load_collection(file, address, shards=3, replicas=0, workers=1)
    for settings in SETTINGS.values():
        compare([open_index(str(address)), *folder_and_list], settings)
