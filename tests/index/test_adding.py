"""Documents are added: an index in parts is as one that was built at once, and segments are merged by tiers."""

from __future__ import annotations

import os
import random
from importlib import import_module
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus import Collection
from antecede.embedded.engine import EmbeddedEngine
from antecede.index import add_to_index, build_index, merge_index, verify_index
from antecede.index.assembly import assemble
from antecede.index.build import WIDTH, first_to_merge, tier_of
from antecede.query.query import Query
from tests.index.worlds import WORDS, by_row, by_term, each_once, random_patent, records, write
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.corpus.document import Rejected


def facts(index: EmbeddedEngine) -> dict[str, Any]:
    """All that is in an index, whatever the numbers of documents and terms."""
    # Documents say which file they were read from, and that is not the same one here.
    plain = {name: {**each.to_dict(), "source": ""} for name, each in records(index).items()}
    found: dict[str, Any] = {"records": plain, "documents": index.documents, "languages": index.languages}
    for language in index.languages:
        statistics, rows = index.statistics(language), by_row(index, language)
        assert by_term(index, language) == rows
        often = statistics.frequencies(sorted({term for counts in rows.values() for term in counts}))
        found[language] = (
            *(rows, statistics.documents, statistics.tokens, statistics.average_length),
            *(often.documents.tolist(), often.occurrences.tolist()),
        )
    return found


def rankings(index: EmbeddedEngine) -> dict[str, Any]:
    """What searches find, with every digit of the scores."""
    found: dict[str, Any] = {}
    for model in ("bm25", "lm_dirichlet", "pl2"):
        for language in index.languages:
            analyzer = index.analyzer(language)
            for words in (WORDS, WORDS[:3], WORDS[3:9]):
                terms = {term: float(1 + len(term) % 3) for word in words for term in analyzer.terms(word)}
                hits = retrieve(index, Query.from_terms(terms, language), 50, model=model)
                scores = np.asarray(hits.scores).view(np.uint32).tolist()
                found[f"{model} {language} {len(words)}"] = list(zip(hits.doc_ids, scores, strict=True))
    return found


def added(folder: Path, parts: list[list[dict[str, Any]]]) -> Path:
    """An index built of the first part, with the others added."""
    folder.mkdir(exist_ok=True)
    for at, part in enumerate(parts):
        path = write(folder / f"{at}.jsonl", part)
        if at == 0:
            build_index(path, folder / "index", workers=1)
        else:
            add_to_index(folder / "index", path, workers=1)
    return folder / "index"


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("replacing", [False, True])
@pytest.mark.parametrize(("seed", "size"), [(1, 3), (4, 40)])
def test_three_parts_are_as_one_build_before_and_after_a_merge(
    tmp_path: Path, seed: int, size: int, replacing: bool
) -> None:
    patents, chance = each_once(seed, size), random.Random(seed)  # noqa: S311
    numbers = [int(patent["doc_id"][3:]) for patent in patents]
    third = size // 3
    parts = [patents[:third], patents[third : 2 * third], patents[2 * third :]]
    if replacing:
        parts = [patents, *([random_patent(chance, at) for at in chance.sample(numbers, size // n)] for n in (2, 3))]
    final = {patent["doc_id"]: patent for part in parts for patent in part}
    whole = EmbeddedEngine.open(added(tmp_path / "one", [list(final.values())]))
    path = added(tmp_path / "three", parts)
    in_parts = EmbeddedEngine.open(path)
    assert replacing or len(in_parts.segments) == 3
    assert (facts(in_parts), rankings(in_parts)) == (facts(whole), rankings(whole))
    assert verify_index(path).ok
    assert merge_index(path).removed == sum(map(len, parts)) - size
    merged = EmbeddedEngine.open(path)
    assert [len(segment.deleted) for segment in merged.segments] == [0]
    assert (facts(merged), rankings(merged)) == (facts(whole), rankings(whole))


def test_records_say_which_file_they_came_from(tmp_path: Path) -> None:
    index = EmbeddedEngine.open(added(tmp_path, [each_once(1, 3), each_once(2, 3)]))
    sources = {each.source.rpartition("/")[2].partition("#")[0] for each in records(index).values()}
    assert "1.jsonl" in sources


def test_a_merge_keeps_the_counts_and_the_rejected_documents_of_all_segments(tmp_path: Path) -> None:
    patents = each_once(3, 9)
    path = added(tmp_path, [[*patents[:6], {"title": "x"}], [*patents[4:], {"title": "y"}, {"title": "z"}]])
    for _ in range(2):
        opened = EmbeddedEngine.open(path)
        assert opened.manifest.counts == {"read": 14, "indexed": 11, "merged": 0, "rejected": 3, "replaced": 2}
        assert opened.documents == 9
        assert sum(len(list(segment.rejects())) for segment in opened.segments) == 3
        merge_index(path)


def test_a_name_that_another_patent_has_is_replaced_too(tmp_path: Path) -> None:
    one, other = {"doc_id": "a", "number": "EP1000001", "title": "x"}, {"doc_id": "a", "number": "EP1000002"}
    index = EmbeddedEngine.open(added(tmp_path, [[one], [other]]))
    assert (index.documents, str(index.patent("a").number)) == (1, "EP1000002")


def test_what_is_added_is_treated_as_the_index_was_built(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", [{"doc_id": "a", "language": "de", "title": "Pressen", "abstract": "Ventile"}])
    build_index(path, tmp_path / "index", profile="published", fields=["title"], workers=1)
    more = write(tmp_path / "d.jsonl", [{"doc_id": "b", "language": "de", "title": "Pressen", "abstract": "Ventile"}])
    add_to_index(tmp_path / "index", more, workers=1)
    assert by_row(EmbeddedEngine.open(tmp_path / "index"), "de") == {"a": {"pressen": 1}, "b": {"pressen": 1}}


def sizes_after(sizes: list[int], replaced: list[int]) -> tuple[list[int], int]:
    """The segments after adds of these sizes, and how many documents were written; the oldest are replaced first."""
    segments: list[int] = []
    wrote = 0
    for size, gone in zip(sizes, replaced, strict=True):
        for at, documents in enumerate(segments):
            segments[at] -= min(documents, gone)
            gone -= min(documents, gone)
        segments.append(size)
        first = first_to_merge(segments)
        segments[first:] = [sum(segments[first:])]
        wrote += segments[-1]
    return segments, wrote


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 60)), min_size=1, max_size=300))
def test_replaced_documents_make_no_more_segments(steps: list[tuple[int, int]]) -> None:
    sizes, replaced = map(list, zip(*steps, strict=True))
    segments, _ = sizes_after(sizes, replaced)
    assert len(segments) <= (WIDTH - 1) * (1 + int(log10(sum(sizes))))


@given(st.lists(st.integers(1, 9) | st.integers(1, 5000), min_size=1, max_size=300))
def test_segments_are_few_and_documents_are_seldom_written_again(sizes: list[int]) -> None:
    segments, wrote = sizes_after(sizes, [0] * len(sizes))
    total = sum(sizes)
    assert sum(segments) == total
    tiers = [tier_of(size) for size in segments]
    assert tiers == sorted(tiers, reverse=True)
    assert all(tiers.count(each) < WIDTH for each in tiers)
    assert len(segments) <= (WIDTH - 1) * (1 + int(log10(total)))
    assert wrote <= total * (1 + 1 + int(log10(total)))


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """An index to which documents were added one by one, some of them replaced later; and the documents."""
    folder, chance = tmp_path_factory.mktemp("adds"), random.Random(3)  # noqa: S311
    patents = [random_patent(chance, chance.randint(1, 19)) for _ in range(25)]
    return added(folder, [[each] for each in patents]), patents


@pytest.mark.slow
def test_many_adds_rank_as_one_build(tmp_path: Path, one_by_one: tuple[Path, list[dict[str, Any]]]) -> None:
    path, patents = one_by_one
    last = {each["doc_id"]: each for each in patents}
    index, whole = EmbeddedEngine.open(path), EmbeddedEngine.open(added(tmp_path, [list(last.values())]))
    assert len(index.segments) < 12
    assert {each.name for each in (path / "segments").iterdir() if each.is_dir()} == {
        segment.name for segment in index.segments
    }
    assert facts(index) == facts(whole)
    assert rankings(index) == rankings(whole)
    assert verify_index(path).problems == ()
    counts = index.manifest.counts
    assert (counts["read"], counts["indexed"], counts["replaced"]) == (25, 25, 25 - len(last))


def test_an_add_reports_what_it_added_not_what_it_merged(tmp_path: Path) -> None:
    build_index(write(tmp_path / "a.jsonl", [*each_once(1, 5), {"title": "x"}]), tmp_path / "index", workers=1)
    rejects: list[Rejected] = []
    new = [{"doc_id": f"EP{2000000 + number}", "language": "en", "title": "a press"} for number in range(12)]
    collection = Collection(write(tmp_path / "b.jsonl", [*new, {"title": "y"}]), on_reject=rejects.append)
    done = add_to_index(tmp_path / "index", collection, workers=1)
    assert (done.read, done.indexed, done.rejected, dict(done.languages)) == (13, 12, 1, {"en": 12})
    assert len(rejects) == 1
    index = EmbeddedEngine.open(tmp_path / "index")
    assert len(index.segments) == 1
    assert len(list(index.segments[0].rejects())) == 2
    assert verify_index(tmp_path / "index").problems == ()


def test_where_the_disk_is_too_full_to_merge_the_add_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(write(tmp_path / "a.jsonl", each_once(1, 5)), tmp_path / "index", workers=1)

    def full(out: Any, parts: Any, *given: Any, **how: Any) -> Any:
        if len(parts) > 1:
            raise OSError(28, "No space left on device")
        return assemble(out, parts, *given, **how)

    monkeypatch.setattr(import_module("antecede.index.build"), "assemble", full)
    add_to_index(tmp_path / "index", write(tmp_path / "b.jsonl", each_once(2, 12)), workers=1)
    assert len(EmbeddedEngine.open(tmp_path / "index").segments) == 2
    monkeypatch.undo()
    more = [{"doc_id": f"EP{2000000 + number}", "language": "en", "title": "a press"} for number in range(100)]
    add_to_index(tmp_path / "index", write(tmp_path / "c.jsonl", more), workers=1)
    assert len(EmbeddedEngine.open(tmp_path / "index").segments) == 1
    assert verify_index(tmp_path / "index").problems == ()


@pytest.mark.slow
def test_open_files_do_not_grow_with_adds(one_by_one: tuple[Path, list[dict[str, Any]]]) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    index = EmbeddedEngine.open(one_by_one[0])
    rankings(index)
    assert len(os.listdir("/proc/self/fd")) - before <= 2 * len(index.segments) * 2  # noqa: PTH208
    assert len(index.segments) <= 2 * (WIDTH - 1)
