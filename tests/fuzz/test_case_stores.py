"""Damaged case stores: every verb gives what was stored or one line with exit code 2, every request an answer."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from antecede.errors import AntecedeError
from antecede.review.case_file import export_case
from antecede.review.store import CaseStore
from tests.fuzz.calls import call
from tests.web.world import Client, build_world, open_world

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine
    from tests.fuzz.outcomes import Fuzz

VIEWS = ("", "/query", "/searches/1", "/marks", "/chart", "/progress", "/export/case.json", "/export/report.html")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedEngine:
    return open_world(build_world(tmp_path_factory.mktemp("stores")))


@pytest.fixture(scope="module")
def stored(index: EmbeddedEngine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with a case, and the address of the case."""
    path = tmp_path_factory.mktemp("stored") / "cases.sqlite"
    with closing(CaseStore(path)) as store, Client(index, store) as client:
        case = client.sign_in().case()
        hit = client.ask("POST", f"{case}/search", json={})["hits"][0]["doc_id"]
        client.ask("PATCH", f"{case}/marks", json={"doc_id": hit, "relevance": "relevant", "note": "a note " * 500})
    return path, case


def damage(chance: random.Random, path: Path) -> str:
    """Change a file as a bad disk or a broken transfer does."""
    data = bytearray(path.read_bytes())
    kind = chance.choice(["bytes", "bytes", "page", "cut"])
    at = chance.randrange(len(data))
    if kind == "bytes":
        for place in (chance.randrange(len(data)) for _ in range(chance.choice((1, 10, 200)))):
            data[place] = chance.randrange(256)
    elif kind == "page":
        at -= at % 4096
        data[at : at + 4096] = chance.randbytes(4096) if chance.random() < 0.5 else bytes(4096)
    else:
        del data[at:]
    path.write_bytes(bytes(data))
    return f"{kind} at {at}"


def test_a_damaged_store_gives_what_was_stored_or_one_line(
    index: EmbeddedEngine, stored: tuple[Path, str], tmp_path: Path, fuzz: Fuzz
) -> None:
    with closing(CaseStore(stored[0])) as store:
        whole = export_case(store, stored[1].rpartition("/")[2])
    for number, chance in fuzz.cases(25):
        path = tmp_path / f"{number}.sqlite"
        shutil.copy(stored[0], path)
        what = f"case {number}: {damage(chance, path)}"
        for words in (("list", path, "--json"), ("export", path, stored[1].rpartition("/")[2], "--out", "case.json")):
            done = call(tmp_path, "review", *words)
            assert done.code in (0, 2), (what, words, done)
            assert done.code == 0 or done.err.count("\n") == 1, (what, words, done)
            fuzz.count("answered" if done.code == 0 else "refused")
        exported = tmp_path / "case.json"
        assert not exported.exists() or exported.read_bytes() == whole, what
        exported.unlink(missing_ok=True)
        for status in ask(index, path, stored[1], what):
            fuzz.count(str(status))


def ask(index: EmbeddedEngine, path: Path, case: str, what: str) -> list[int]:
    """The status of each view of a case, and of a mark."""
    try:
        store = CaseStore(path)
    except AntecedeError:
        return []
    with closing(store), Client(index, store, raise_server_exceptions=False) as client:
        client.sign_in()
        answers = {view: client.get(case + view) for view in VIEWS}
        mark = {"doc_id": "EP1000004", "relevance": "not", "version": 2**20}
        answers["mark"] = client.patch(f"{case}/marks", json=mark)
        answers["list"] = client.get("/api/cases")
    for view, answer in answers.items():
        assert answer.status_code < 500 or answer.status_code == 507, (what, view, answer.text[:300])
    return [answer.status_code for answer in answers.values()]
