"""Collections: every document is a patent, merged into one, or rejected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.corpus.collection import RejectsFile, find_patent, only_patent, survey, survey_table
from antecede.errors import InputError, UsageError
from antecede.patent import Patent
from tests.corpus.worlds import COLLECTION, marec, write_jsonl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "EP-1000000-A1.xml").write_text(marec("1000000", "A1", date="20000517"))
    write_jsonl(tmp_path / "Middle.jsonl", *COLLECTION)
    (tmp_path / "zz.xml").write_text(
        marec(
            "1000000",
            "B1",
            extra="<claims lang='EN'><claim num='1'><claim-text>1. A press.</claim-text></claim></claims>",
        )
    )
    (tmp_path / "broken.xml").write_text("<patent-document>")
    return tmp_path


def test_documents_of_a_patent_meet_wherever_they_stand(folder: Path) -> None:
    collection = Collection(folder)
    patents = {patent.doc_id: patent for patent in collection.patents()}
    assert patents["EP1000000"].kinds == ("A1", "B1")
    assert patents["EP1000000"].claims == {"en": ("1. A press.",)}
    ledger = collection.ledger
    assert (ledger.read, ledger.patents, ledger.merged, ledger.rejected) == (8, 6, 1, 1)
    assert len(patents) == ledger.patents
    assert ledger.failed


def test_rejects_are_told_with_file_and_reason(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "rejects.jsonl"
    with RejectsFile(path) as rejects:
        assert list(Collection(folder / "broken.xml", on_reject=rejects).documents()) == []
    (line,) = map(json.loads, path.read_text().splitlines())
    assert line["file"].endswith("broken.xml")
    assert line["reason"]


def test_strict_stops_at_the_first(folder: Path) -> None:
    with pytest.raises(InputError, match=r"broken\.xml"):
        list(Collection(folder, strict=True).documents())


def test_a_field_that_is_none_of_ours_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no field 'name'"):
        Collection("x", names={"name": "y"})


def test_a_patent_is_found_by_any_writing_of_its_number(folder: Path) -> None:
    for written in ("EP1000000", "EP-1000000-B1", "EP 1 000 000"):
        assert find_patent(Collection(folder), written).kinds == ("A1", "B1")
    with pytest.raises(InputError, match="document EP7: not found"):
        find_patent(Collection(folder), "EP7")


def test_one_patent_is_given_whole_and_several_as_a_list(folder: Path) -> None:
    (folder / "broken.xml").unlink()
    (folder / "Middle.jsonl").unlink()
    one = only_patent(Collection(folder))
    assert isinstance(one, Patent)
    assert one.claims
    several = only_patent(Collection(write_jsonl(folder / "m.jsonl", *COLLECTION)))
    assert isinstance(several, list)
    assert [patent.doc_id for patent in several] == [each["doc_id"] for each in COLLECTION]
    assert not any(patent.description for patent in several)


def test_a_survey_counts_what_is_there(folder: Path) -> None:
    found = survey(Collection(folder))
    assert (found.files, found.documents, found.ledger.rejected) == (4, 7, 1)
    assert found.formats == {"jsonl": 5, "marec": 2}
    shares = found.to_dict()["shares"]
    assert shares["title"] == 1
    assert shares["claims"] == pytest.approx(1 / 7)
    assert survey_table([found]).rows[0][2] == 7
