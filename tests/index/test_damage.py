"""A damaged index is found out: by verify always, and by a reader before it gives a wrong ranking."""

from __future__ import annotations

import json
import random
import shutil
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.conditions.filters import Filters, limit_field
from antecede.embedded.engine import EmbeddedEngine
from antecede.engine import read_headers
from antecede.errors import AntecedeError, InputError
from antecede.index import SpacePlan, add_to_index, build_index, merge_index, verify_index
from antecede.index.manifest import COUNTED, NAME, serialize
from antecede.query.query import Query
from tests.index.worlds import WORDS, each_once, records, write
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


pytestmark = pytest.mark.fuzz


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two segments, some documents of the first replaced, one rejected."""
    folder = tmp_path_factory.mktemp("whole")
    first = write(folder / "a.jsonl", [*each_once(1, 30), {"title": "no name"}])
    build_index(first, folder / "index", workers=1, spaces=[SpacePlan("lsa", 5), SpacePlan("words", 4)])
    add_to_index(folder / "index", write(folder / "b.jsonl", each_once(2, 30)), workers=1)
    index = EmbeddedEngine.open(folder / "index")
    assert index.documents < 60
    assert len(index.languages) == 4
    return folder / "index"


@pytest.fixture
def index(whole: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged."""
    shutil.copytree(whole, tmp_path / "index")
    return tmp_path / "index"


def searched(index: EmbeddedEngine) -> dict[str, Any]:
    """What searches find, how documents are shown, and the documents themselves."""
    found: dict[str, Any] = {}
    for language in index.languages:
        terms = dict.fromkeys(index.analyzer(language).terms(" ".join(WORDS)), 1.0)
        for others in ((), (limit_field("ipc", ("H04L",)),)):
            hits = retrieve(index, Query.from_terms(terms, language), 30, Filters(others=others))
            found[f"{language} {len(others)}"] = hits.doc_ids, np.asarray(hits.scores).view(np.uint32).tolist()
        for space in filter(None, (index.space(language, kind) for kind in ("lsa", "words"))):
            vector = space.query_vector(list(terms), [1.0] * len(terms))
            found[f"{language} {space.kind}"] = space.nearest(vector, 30)[0].tolist()
    found["heads"] = read_headers(index, index.all_numbers())
    found["vectors"] = [
        matrix.vectors_of(np.arange(matrix.rows)).items.tolist()
        for segment in index.segments
        for matrix in segment.matrices.values()
    ]
    return found | {"records": records(index), "days": [segment.days.tolist() for segment in index.segments]}


def some_of_each(index: Path, first: int, step: int) -> list[Path]:
    """Files with something in them, some of each name: there is one in every language, segment and space."""
    named: dict[str, list[Path]] = {}
    for path in sorted(index.rglob("*")):
        if path.is_file() and path.name != "lock" and path.stat().st_size:
            named.setdefault(path.name, []).append(path)
    return sorted(path for paths in named.values() for path in paths[first::step] or paths)


def test_damage_is_named_by_verify_and_never_changes_a_ranking_in_silence(whole: Path, index: Path) -> None:
    """Bytes are flipped in some files; others are cut off, emptied, extended or removed."""
    wanted, chance = searched(EmbeddedEngine.open(whole)), random.Random(5)  # noqa: S311
    flipped = [(path, "flip") for path in some_of_each(index, 0, 2)]
    others = zip(some_of_each(index, 1, 3), cycle(["cut", "empty", "extend", "remove"]), strict=False)
    seen = 0
    for path, kind in [*flipped, *others]:
        data = path.read_bytes()
        at = chance.choice([0, len(data) - 1, chance.randrange(len(data))])
        changed = data[:at] + bytes([data[at] ^ chance.choice([1, 16, 128, 255])]) + data[at + 1 :]
        path.write_bytes({"flip": changed, "cut": data[:-1], "empty": b"", "extend": data + b"x"}.get(kind, data))
        if kind == "remove":
            path.unlink()
        found = verify_index(index)
        named = path.name if path.name != NAME else "manifest"
        assert any(named in problem for problem in found.problems), (path.name, kind, at, found.problems)
        seen += told(index, wanted)
        path.write_bytes(data)
    assert seen > 50
    assert verify_index(index).ok


def told(index: Path, wanted: dict[str, Any]) -> bool:
    """Whether a reader says that something is wrong; if not, it must find what it should."""
    try:
        found = searched(EmbeddedEngine.open(index))
    except AntecedeError as error:
        return str(index) in str(error)
    assert found == wanted
    return False


def test_a_missing_segment_is_named(index: Path) -> None:
    shutil.rmtree(index / "segments" / "s000001")
    with pytest.raises(InputError, match="segments/s000001 is missing"):
        EmbeddedEngine.open(index)
    assert not verify_index(index).ok


def rewritten(index: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """A manifest changed by somebody who does not know of its checksum."""
    whole = json.loads((index / NAME).read_bytes())
    change(whole)
    (index / NAME).write_text(json.dumps(whole, indent=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda whole: whole.update(version=6), "index format version 6, this program reads version 7"),
        (lambda whole: whole.update(version=8), "index format version 8, this program reads version 7"),
        (lambda whole: whole.update(format="another index"), "is not an index of antecede"),
        (lambda whole: whole.pop("index"), "is not an index of antecede"),
        (lambda whole: whole["index"].update(generation=9), "is damaged"),
        (lambda whole: whole["index"].pop("segments"), "is damaged"),
        (lambda whole: whole["index"].update(more=1), "is damaged"),
        (lambda whole: whole.pop("sha256"), "is damaged"),
        (lambda whole: whole.update(whole), "is damaged"),  # the same, but not as we write it
    ],
)
def test_a_foreign_newer_or_changed_manifest_is_refused(
    index: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    rewritten(index, change)
    with pytest.raises(InputError, match=message):
        EmbeddedEngine.open(index)
    assert not verify_index(index).ok


@pytest.mark.parametrize("count", [*COUNTED, "documents"])
def test_counts_that_contradict_one_another_are_refused_though_the_checksum_is_right(index: Path, count: str) -> None:
    whole = json.loads((index / NAME).read_bytes())["index"]
    segment = whole["segments"][0]
    (segment if count == "documents" else segment["counts"])[count] += 1
    (index / NAME).write_bytes(serialize(whole))
    with pytest.raises(InputError, match=r"do not add up|the counts say otherwise"):
        EmbeddedEngine.open(index)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"[" * 100000, b'"index"', b"\xff\xfe"])
def test_a_manifest_of_anything_is_refused(index: Path, content: bytes) -> None:
    (index / NAME).write_bytes(content)
    with pytest.raises(InputError, match="manifest"):
        EmbeddedEngine.open(index)
    assert not verify_index(index).ok


def test_a_folder_that_is_no_index_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    works = (EmbeddedEngine.open, verify_index, merge_index, lambda folder: add_to_index(folder, tmp_path / "file"))
    for name, message in (("nowhere", "no such index"), (".", "no manifest.json"), ("file", "is a file")):
        for work in works:
            with pytest.raises(InputError, match=message):
                work(tmp_path / name)
    assert not (tmp_path / "nowhere").exists()


def test_an_index_that_cannot_be_read_may_be_made_anew(index: Path, tmp_path: Path) -> None:
    (index / NAME).write_bytes(b"{")
    path = write(tmp_path / "c.jsonl", each_once(3, 5))
    with pytest.raises(InputError, match="damaged"):
        build_index(path, index, workers=1)
    build_index(path, index, workers=1, overwrite=True)
    assert EmbeddedEngine.open(index).documents == 5
    assert verify_index(index).ok
