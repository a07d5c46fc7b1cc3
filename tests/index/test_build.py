"""An index holds what the collection says: every count, every document, every number of them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus import Collection
from antecede.embedded.engine import EmbeddedEngine
from antecede.engine import UNKNOWN_DAY, read_headers, read_lists
from antecede.errors import InputError, UsageError
from antecede.index import build_index, verify_index
from antecede.index.chunk import CHUNK_DOCUMENTS
from antecede.index.documents import day_number
from antecede.index.files import folder_of
from tests.index.worlds import WORDS, by_row, by_term, chunks_of, collection, counts_of, merged, records, write

LANGUAGES = ("en", "de", "fr", "ja", "")


def built(folder: Path, patents: list[dict[str, Any]], **how: Any) -> tuple[EmbeddedEngine, Path]:
    path = write(folder / "c.jsonl", patents)
    done = build_index(path, folder / "index", workers=1, **how)
    assert done.read == len(patents) == done.indexed + done.merged + done.rejected
    return EmbeddedEngine.open(folder / "index"), path


def check_contents(index: EmbeddedEngine, path: Path) -> None:
    """Compare an index with what plain counting makes of the same file."""
    wanted = merged(path)
    assert records(index) == wanted
    assert index.documents == len(wanted)
    counts_by_language = {language: counts_of(wanted.values(), language) for language in LANGUAGES}
    assert {*index.languages} == {language for language, counts in counts_by_language.items() if counts}
    for language, counts in counts_by_language.items():
        assert by_row(index, language) == by_term(index, language) == counts
        statistics = index.statistics(language)
        assert statistics.documents == len(counts)
        assert statistics.tokens == sum(terms.total() for terms in counts.values())
        asked = [*sorted({term for terms in counts.values() for term in terms}), "unheard", ""]
        frequencies = statistics.frequencies(asked)
        assert frequencies.documents.tolist() == [sum(term in terms for terms in counts.values()) for term in asked]
        assert frequencies.occurrences.tolist() == [sum(terms[term] for terms in counts.values()) for term in asked]


@pytest.mark.slow
@given(collection, st.sampled_from([3, 3, CHUNK_DOCUMENTS]))
def test_an_index_holds_what_plain_counting_finds(patents: list[dict[str, Any]], chunk: int) -> None:
    with TemporaryDirectory() as folder, chunks_of(chunk):
        check_contents(*built(Path(folder), patents))


def document(number: int, kind: str, day: str, **more: Any) -> dict[str, Any]:
    return {"doc_id": f"EP{1000000 + number}", "kinds": [kind], "publication_date": day, "language": "en", **more}


APPLICATION = document(1, "A1", "2001-01-01", description={"en": "a press with a valve"}, title={"en": "Press"})
GRANT = document(1, "B1", "2004-01-01", claims={"en": ["1. A press."], "de": ["1. Eine Presse."]})
REPORT = document(1, "A3", "2002-01-01", title={"en": "Press of old"}, abstract={"en": "housing"})
OTHERS = [document(number, "A1", "2003-01-01", title={"en": f"{WORDS[number % 9]} valve"}) for number in range(2, 12)]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "order",
    [
        [APPLICATION, REPORT, GRANT, *OTHERS],  # neighbours in one chunk
        [*OTHERS[:1], APPLICATION, GRANT, REPORT, *OTHERS[1:]],  # neighbours across a border of chunks
        [*OTHERS[:2], APPLICATION, GRANT, REPORT, *OTHERS[2:]],
        [GRANT, *OTHERS, APPLICATION, REPORT],  # far apart
        [GRANT, *OTHERS[:4], REPORT, *OTHERS[4:], APPLICATION],
        [APPLICATION, OTHERS[0], GRANT, *OTHERS[1:], REPORT],  # apart in one chunk
    ],
)
def test_the_documents_of_a_patent_are_merged_wherever_they_stand(tmp_path: Path, order: list[dict[str, Any]]) -> None:
    index, path = built(tmp_path, order)
    check_contents(index, path)
    patent = index.patent("EP-1000001-B1")
    assert patent.kinds == ("A1", "A3", "B1")
    assert patent.title == {"en": "Press of old"}
    assert patent.claims["de"] == ("1. Eine Presse.",)


def test_days_are_those_of_publication_or_the_earliest_known(tmp_path: Path) -> None:
    given = [
        {"doc_id": "a", "publication_date": "2004-05-06", "priority_date": "2001-01-01"},
        {"doc_id": "b", "filing_date": "1960-01-02", "priority_date": "1959-01-01"},
        {"doc_id": "c", "priority_date": "1971-01-01"},
        {"doc_id": "d"},
    ]
    index, _ = built(tmp_path, given)
    (segment,) = index.segments
    days = [day_number(day) for day in ("2004-05-06", "1960-01-02", "1971-01-01")]
    assert segment.days.tolist() == [*days, UNKNOWN_DAY]
    assert days[0] == 12544
    assert [head.day for head in read_headers(index, np.array([0, 3]))] == ["2004-05-06", None]


def test_what_is_known_of_documents_finds_them(tmp_path: Path) -> None:
    given = [
        document(1, "A1", "2001-01-01", ipc=["H04L 12/56", "H04L 12/58"], family_id="7"),
        document(2, "A1", "2001-01-01", ipc=["H04L 1/00"], family_id="7"),
        {"doc_id": "x", "language": "de", "ipc": ["A61K 31/44"]},
    ]
    store = built(tmp_path, given)[0].segments[0].store
    assert store.numbers_with_prefix("ipc", "H04L").tolist() == [0, 1]
    assert store.numbers_with_prefix("ipc", "H04L 12/").tolist() == [0]
    assert store.numbers_with_prefix("ipc", "G").tolist() == []
    assert store.numbers_with("family_id", "7").tolist() == [0, 1]
    assert store.numbers_with("country", "EP").tolist() == [0, 1]
    assert store.numbers_with("language", "de").tolist() == [2]
    assert store.numbers_with("doc_id", "x", "EP1000002", "y").tolist() == [1, 2]
    assert [store.numbers_named(name) for name in ("x", "EP 1 000 001 B1", "nobody")] == [[2], [0], []]


def test_classes_names_and_citations_find_documents(tmp_path: Path) -> None:
    given = [
        document(1, "A1", "2001-01-01", cpc=["H04L 45/00"], applicants=["Müller & Söhne  GmbH"], inventors=["Ann Lee"]),
        document(
            2, "A1", "2002-01-01", applicants=["MUELLER", "Muller Sohne GmbH"], citations=["EP-1000001-A1", "US5123456"]
        ),
        document(3, "A1", "2003-01-01", citations=["EP 1 000 001 B1", "EP1000001", "EP1000002"]),
    ]
    index, _ = built(tmp_path, given)
    store = index.segments[0].store
    assert store.numbers_with_prefix("cpc", "H04L").tolist() == [0]
    assert store.numbers_with_name("applicants", "MÜLLER").tolist() == [0, 1]
    assert store.numbers_with_name("applicants", "sohne gmbh").tolist() == [0, 1]
    assert store.numbers_with_name("applicants", "mull").tolist() == []
    assert store.numbers_with_name("inventors", "lee").tolist() == [0]
    cited = [("EP1000001", "EP1000002"), ("EP1000001", "US5123456"), ()]
    assert read_lists(index, np.array([2, 1, 0]), "citations") == cited
    assert read_lists(index, np.array([0]), "applicants") == [("Müller & Söhne GmbH",)]
    citing = index.having("citations", ["EP1000001", "EP1000002", "EP9"])
    assert citing == {"EP1000001": [1, 2], "EP1000002": [2]}
    assert index.having("patent_number", ["EP1000002", "EP1000009"]) == {"EP1000002": [1]}
    assert verify_index(tmp_path / "index").ok


def test_rejected_documents_are_counted_and_kept_with_their_reasons(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    lines = [json.dumps({"doc_id": f"d{at}", "title": "press"}) for at in range(5)]
    path.write_text("\n".join([*lines, '{"title": "no name"}', '{"doc_id": "d9", "publication_date": "soon"}']) + "\n")
    told: list[Any] = []
    done = build_index(Collection(path, on_reject=told.append), tmp_path / "index", workers=1)
    assert (done.read, done.indexed, done.merged, done.rejected) == (7, 5, 0, 2)
    assert [each.number for each in told] == [6, 7]
    kept = [json.loads(line) for line in EmbeddedEngine.open(tmp_path / "index").segments[0].rejects()]
    assert [each["document"] for each in kept] == [6, 7]
    assert sum(done.reasons.values()) == 2


def test_two_patents_of_one_name_are_not_both_indexed(tmp_path: Path) -> None:
    given = [
        {"doc_id": "a", "number": "EP1000001", "title": "press"},
        {"doc_id": "b", "number": "EP1000002", "title": "valve"},
        {"doc_id": "a", "number": "EP1000003", "title": "housing"},
    ]
    path = write(tmp_path / "c.jsonl", given)
    done = build_index(path, tmp_path / "index", workers=1)
    assert (done.read, done.indexed, done.merged, done.rejected) == (3, 2, 0, 1)
    index = EmbeddedEngine.open(tmp_path / "index")
    assert str(index.patent("a").number) == "EP1000001"
    (line,) = index.segments[0].rejects()
    assert json.loads(line)["doc_id"] == "a"


def test_only_the_chosen_fields_are_counted_but_all_are_kept(tmp_path: Path) -> None:
    index, path = built(tmp_path, [APPLICATION, GRANT, *OTHERS], fields=["abstract", "title"])
    wanted = merged(path)
    assert by_row(index, "en") == counts_of(wanted.values(), "en", ("title", "abstract"))
    assert records(index) == wanted
    assert index.settings["fields"] == ["title", "abstract"]


def test_a_language_may_be_called_anything(tmp_path: Path) -> None:
    index, path = built(tmp_path, [{"doc_id": "a", "title": {"日本": "press", "en": "valve"}}])
    assert records(index) == merged(path)
    assert by_row(index, "日本") == {"a": {"press": 1}}
    assert folder_of("en") == "en"
    named = {folder_of(language) for language in ("", "日本", "../", "/etc", "a b", "unknown")}
    assert len(named) == 6
    assert all(name.replace("-", "").isalnum() and name.isascii() for name in named)


def test_a_collection_without_a_patent_makes_no_index(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"title": "no name"}\n')
    with pytest.raises(InputError, match="no patent could be read"):
        build_index(tmp_path / "c.jsonl", tmp_path / "index", workers=1)
    assert not (tmp_path / "index").exists()


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", [{"doc_id": "a"}])
    mine = tmp_path / "mine" / "segments"
    mine.mkdir(parents=True)
    (mine / "photo.jpg").write_bytes(b"mine")
    with pytest.raises(UsageError, match="holds other files"):
        build_index(path, tmp_path / "mine", overwrite=True)
    with pytest.raises(UsageError, match="is a file"):
        build_index(path, path)
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["segments"]
