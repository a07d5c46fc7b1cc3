"""Manifests of a stranger, with the right checksum: refused in one line or used without harm, and only in their folder.

Beside the index are a neighbour, whose segments have the same names, and a file: both must be the same afterwards.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import AntecedeError
from antecede.index import add_to_index, build_index, merge_index, verify_index
from antecede.index.files import SEGMENTS
from antecede.index.manifest import FORMAT, NAME, VERSION, serialize
from antecede.index.statistics import describe_index
from antecede.query.query import Query
from tests.fuzz.index_worlds import build_world, plain_manifest
from tests.index.worlds import WORDS, all_bytes, write
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fuzz.outcomes import Fuzz

BAD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 2**31, 2**63, 10**400, 1e308, 1.5, float("nan"), float("inf"), "", "x", "s000001",
    "s000009", "s000001\n", "../../neighbour/segments/s000001", "../../neighbour/segments", "..", ".",
    "s000001/../../../neighbour", "/etc/passwd", "s000001-deleted-000002.u32", "en/../../../../outside", "\x00",
    "a" * 5000, [], {}, [[]], {"name": "s000001"},
)  # fmt: skip


def build_small_world(folder: Path) -> Path:
    """An index of three segments in one language, with a replaced document and a rejected one: of few files."""
    index = folder / "index"

    def some(name: str, *numbers: int) -> Path:
        return write(folder / name, [{"doc_id": f"EP{1000000 + each}", "title": {"en": "a valve"}} for each in numbers])

    with some("a.jsonl", *range(6)).open("a") as file:
        file.write('{"title": "no name"}\n')
    build_index(folder / "a.jsonl", index, workers=1)
    add_to_index(index, some("b.jsonl", 7, 8, 9), workers=1)
    add_to_index(index, some("c.jsonl", 1, 10), workers=1)
    some("more.jsonl", 2, 11, 12)
    assert len(EmbeddedEngine.open(index).segments) == 3
    return index


def with_neighbour(folder: Path, index: Path) -> Path:
    """A folder of the whole index, of its neighbour and of the file: nobody may change the last two."""
    index.rename(folder / "whole")
    shutil.copytree(folder / "whole", folder / "neighbour")
    (folder / "outside").write_text("keep me")
    return folder


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small index, which is copied for each test."""
    folder = tmp_path_factory.mktemp("world")
    return with_neighbour(folder, build_small_world(folder))


@pytest.fixture(scope="module")
def neighbour(world: Path) -> dict[str, bytes]:
    """All that the neighbour holds."""
    return all_bytes(world / "neighbour")


def places(whole: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a manifest, but only a few of the many stop words."""
    yield at
    if isinstance(whole, dict):
        for key, value in whole.items():
            yield from places(value, (*at, key))
    elif isinstance(whole, list):
        for number, value in enumerate(whole[:4]):
            yield from places(value, (*at, number))


def mutate(chance: random.Random, whole: dict[str, Any]) -> str:
    """Change a manifest in one place: what is there, its name, or how often it is there."""
    *path, last = chance.choice([place for place in places(whole) if place])
    parent: Any = whole
    for key in path:
        parent = parent[key]
    kind = chance.choice(["replace", "replace", "remove", "rename", "double", "add"])
    value = copy.deepcopy(chance.choice(BAD))
    if kind == "replace":
        parent[last] = value
    elif kind == "remove":
        del parent[last]
    elif kind == "rename" and isinstance(parent, dict):
        parent[value if isinstance(value, str) else str(value)] = parent.pop(last)
    elif kind == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    elif isinstance(parent, dict):
        parent["more" if kind == "add" else f"{last}x"] = copy.deepcopy(parent[last])
    else:
        parent.append(value)
    return f"{kind} {'.'.join(map(str, [*path, last]))} {value!r:.40}"


def search(folder: Path) -> Any:
    """What is found, and how much there is."""
    index = EmbeddedEngine.open(folder)
    found = []
    for language in index.languages:
        terms = index.analyzer(language).terms(" ".join(WORDS))
        found.append(retrieve(index, Query.from_terms(dict.fromkeys(terms, 1.0), language)).doc_ids)
        spaces = filter(None, (index.space(language, kind) for kind in ("lsa", "words")))
        found += [each.nearest(each.query_vector(terms, [1.0] * len(terms)), 30)[0].tolist() for each in spaces]
    return found, describe_index(index)["documents"], [index.patent(found[0][0])] if found and found[0] else []


def operations(folder: Path) -> dict[str, Callable[[], object]]:
    """All that can be done with an index, readers first."""
    return {
        "search": lambda: search(folder),
        "verify": lambda: verify_index(folder),
        "add": lambda: add_to_index(folder, folder.parent / "more.jsonl", workers=1),
        "merge": lambda: merge_index(folder, workers=1),
        "index": lambda: build_index(folder.parent / "more.jsonl", folder, workers=1),
        "overwrite": lambda: build_index(folder.parent / "more.jsonl", folder, workers=1, overwrite=True),
    }


def refusals(folder: Path, wanted: list[str]) -> dict[str, str]:
    """Do these things; the line of each that is refused. Any other error is a failure of the test."""
    found = {}
    for name in wanted:
        try:
            operations(folder)[name]()
        except AntecedeError as error:
            found[name] = str(error)
    assert not any("\n" in line for line in found.values())
    return found


@pytest.fixture
def here(world: Path) -> Iterator[Path]:
    """The world with a copy of the whole index, which may be damaged."""
    shutil.copytree(world / "whole", world / "index")
    yield world
    shutil.rmtree(world / "index")


def test_changed_manifests(tmp_path: Path, fuzz: Fuzz) -> None:
    here, index = with_neighbour(tmp_path, build_world(tmp_path)), tmp_path / "index"
    right, neighbour = search(here / "whole"), all_bytes(here / "neighbour")
    for number, chance in fuzz.cases(60):
        shutil.rmtree(index, ignore_errors=True)
        shutil.copytree(here / "whole", index)
        whole = plain_manifest(index)
        how = mutate(chance, whole)
        try:
            (index / NAME).write_bytes(serialize(whole))
        except UnicodeEncodeError:
            fuzz.count("not a manifest")
            continue
        found = refusals(index, ["search"])
        if found:
            assert str(index) in found["search"], f"case {number} ({how}): {found}"
            assert not verify_index(index).ok, f"case {number} ({how}): refused, and verify finds nothing"
            refusals(index, chance.choice([["add"], ["merge"], ["index"], ["overwrite"]]))
            fuzz.count("refused")
        else:
            fuzz.count("exact" if search(index) == right else "another")
            refusals(index, chance.choice([["verify"], ["add", "merge"], ["overwrite"]]))
        assert all_bytes(here / "neighbour") == neighbour, f"case {number} ({how})"
        assert (here / "outside").read_text() == "keep me", f"case {number} ({how})"
    assert fuzz.outcomes["refused"] > fuzz.outcomes.total() // 2


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_nesting_is_refused(here: Path, depth: int) -> None:
    index = json.dumps(plain_manifest(here / "index"), ensure_ascii=False)
    deep = index.replace('"versions": {', f'"more": {"[" * depth}{"]" * depth}, "versions": {{', 1)
    assert deep != index
    digest = hashlib.sha256(deep.encode()).hexdigest()
    head = json.dumps({"format": FORMAT, "version": VERSION, "sha256": digest})
    (here / "index" / NAME).write_text(f'{head[:-1]}, "index": {deep}}}\n')
    assert set(refusals(here / "index", ["search", "add", "merge"])) == {"search", "add", "merge"}


LINKS = {
    "manifest.json": "neighbour/manifest.json",
    "lock": "outside",
    "segments": "neighbour/segments",
    "segments/s000001": "neighbour/segments/s000001",
    "segments/s000001/en": "neighbour/segments/s000001/en",
    "segments/s000001/en/by_term.u8": "neighbour/segments/s000001/en/by_term.u8",
    "segments/s000001/documents.sqlite": "neighbour/segments/s000001/documents.sqlite",
    "segments/s000001/rejects.jsonl": "neighbour/segments/s000001/rejects.jsonl",
    "segments/s000001-deleted-000003.u32": "neighbour/segments/s000001-deleted-000003.u32",
    "work": "neighbour",
    "work.gone": "neighbour",
    "segments/s000004": "neighbour/segments/s000001",
    "segments/s000004.part": "neighbour/segments/s000001",
    "segments/s000009": "neighbour",
    "segments/s000009.gone": "neighbour",
    "segments/s000002-deleted-000004.u32": "outside",
    ".antecede-0123456789abcdef.tmp": "outside",
}
READ_THROUGH = ("manifest.json", "segments", "segments/s000001", "segments/s000001/en/by_term.u8")


@pytest.mark.parametrize("work", ["add", "merge", "index", "overwrite"])
@pytest.mark.parametrize("link", LINKS)
def test_links_are_never_followed_out_of_the_index(
    here: Path, neighbour: dict[str, bytes], link: str, work: str
) -> None:
    path, target = here / "index" / link, here / LINKS[link]
    assert target.exists()
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    if link in READ_THROUGH:
        assert "search" in refusals(here / "index", ["search"])
        assert not verified(here / "index")
    if link in ("segments", "segments/s000001"):
        (problem,) = verify_index(here / "index").problems
        assert "is a link" in problem
    refusals(here / "index", [work])
    assert all_bytes(here / "neighbour") == neighbour
    assert (here / "outside").read_text() == "keep me"
    assert (here / "neighbour" / "lock").exists()


def verified(index: Path) -> bool:
    """Whether verify finds nothing wrong."""
    try:
        return verify_index(index).ok
    except AntecedeError:
        return False


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(here: Path) -> None:
    path = here / "index" / SEGMENTS / "s000001" / "en" / "by_row.u8"
    path.unlink()
    os.mkfifo(path)
    assert not verify_index(here / "index").ok
    assert "merge" in refusals(here / "index", ["merge"])


@pytest.mark.parametrize("work", ["add", "merge", "index", "overwrite"])
def test_a_pipe_in_the_place_of_the_manifest_is_not_waited_for(here: Path, work: str) -> None:
    before = all_bytes(here / "index" / SEGMENTS)
    (here / "index" / NAME).unlink()
    os.mkfifo(here / "index" / NAME)
    assert work in refusals(here / "index", [work])
    assert all_bytes(here / "index" / SEGMENTS) == before
