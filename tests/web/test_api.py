"""The JSON API on a small index: what each request returns, and that it is right."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from antecede import evaluate, rank_table, search_index
from antecede.review.calibration import fit_calibration, write_calibration
from tests.corpus.application_files import docx, pdf
from tests.review.drawn_topics import draw_topics
from tests.web.world import CLAIM, MARKUP, TOPIC, Client, patent

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.review.store import CaseStore


def text_of(runs: list[Any]) -> str:
    return "".join(run if isinstance(run, str) else run[0] for run in runs)


def doc_ids(results: dict[str, Any]) -> list[str]:
    return [hit["doc_id"] for hit in results["hits"]]


# Topics


@pytest.mark.parametrize("spelling", ["EP1000001", "EP 1 000 001 A1", "ep1000001", "EP-1000001-A1"])
def test_a_topic_is_found_by_its_number_in_any_spelling(client: Client, spelling: str) -> None:
    found = client.ask("POST", "/api/topics", json={"number": spelling})
    assert (found["doc_id"], found["in_index"], found["source"]) == (TOPIC, True, "number")
    assert (found["date"], found["date_is"], found["language"]) == ("2015-01-01", "priority", "en")
    assert found["claims"][0] == CLAIM
    assert found["doubts"] == []


def test_a_number_that_is_not_there_is_refused_in_one_line(client: Client) -> None:
    for asked, message in (
        ({"number": "EP9999999"}, "EP9999999 is not in this index"),
        ({"number": "a valve"}, "not a patent number"),
        ({"text": "12 – 34"}, "no word"),
        ({}, "either"),
    ):
        assert message in client.ask("POST", "/api/topics", 422, json=asked)["detail"]


def test_a_pasted_text_is_understood_and_its_doubts_are_shown(client: Client) -> None:
    text = f"Claims\n{CLAIM}\nDescription\nA valve with a flat spring closes a line under pressure, as is known.\n"
    found = client.ask("POST", "/api/topics", json={"text": text})
    assert (found["source"], found["in_index"], found["language"]) == ("text", False, "en")
    assert len(found["claims"]) == 1
    assert any("No date is known" in each for each in found["doubts"])
    claims = f"{CLAIM}\n2. The valve of claim 1, wherein the disc is made of steel."
    assert client.ask("POST", "/api/topics", json={"text": claims})["claims"] == claims.split("\n")
    assert client.ask("POST", "/api/topics", json={"text": CLAIM})["claims"] == [CLAIM]


FILES = {
    "application.txt": b"Valve\nDescription\nA valve has a seat and a spring.\nClaims\n1. A valve with a seat.\n",
    "application.pdf": pdf(["Description", "A valve has a seat and a spring of flat wire.", "Claims", "1. A valve."]),
    "application.docx": docx(["Description", "A valve has a seat and a spring.", "Claims", "1. A valve with a seat."]),
    "patent.jsonl": json.dumps(patent(8)).encode(),
    "patent.csv": b"Publication Number,Title,Abstract\nEP1000000,Valve,A valve closes a line with a spring.\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_each_kind_opens_a_case_that_can_be_searched(client: Client, name: str) -> None:
    found = client.ask("POST", "/api/topics/file", params={"name": name}, content=FILES[name])
    assert found["source"] == "file"
    assert "valve" in json.dumps(found["patent"]).lower()
    case = client.ask("POST", "/api/cases", 201, json={"patent": found["patent"], "source": "file"})
    results = client.ask("POST", f"/api/cases/{case['id']}/search", json={})
    assert any("valve" in hit["title"].lower() for hit in results["hits"][:3])


@pytest.mark.slow
def test_a_file_with_several_patents_asks_which_one(client: Client) -> None:
    content = "".join(json.dumps(patent(at)) + "\n" for at in (8, 11)).encode()
    answer = client.ask("POST", "/api/topics/file", 300, params={"name": "two.jsonl"}, content=content)
    assert [each["doc_id"] for each in answer["choices"]] == ["EP1000008", "EP1000011"]
    chosen = {"name": "two.jsonl", "doc_id": "EP1000011"}
    assert client.ask("POST", "/api/topics/file", params=chosen, content=content)["doc_id"] == "EP1000011"


def test_what_the_user_corrects_counts(client: Client) -> None:
    record = client.ask("POST", "/api/topics", json={"number": TOPIC})["patent"]
    record["priority_date"] = "1995-01-01"
    case = client.ask("POST", "/api/cases", 201, json={"patent": record, "name": "  my\ncase "})
    assert (case["name"], case["topic"]["date"]) == ("my case", "1995-01-01")
    results = client.ask("POST", f"/api/cases/{case['id']}/search", json={"limit": 100, "family": False})
    assert all(hit["date"] is None or hit["date"] < "1995-01-01" for hit in results["hits"])
    record["priority_date"] = "soon"
    detail = client.ask("PATCH", f"/api/cases/{case['id']}", 422, json={"patent": record})["detail"]
    assert "not a day" in detail


# Queries


def test_the_terms_of_a_query_are_whole_words_with_weights_and_counts(client: Client) -> None:
    view = client.ask("GET", f"{client.case()}/query")
    words = {each["word"]: each for each in view["terms"]}
    assert {"valve", "spring", "seat"} <= words.keys()
    records = [json.dumps(client.index.patent(doc_id).to_dict()) for doc_id in every(client)]
    assert words["spring"]["df"] == sum("spring" in record for record in records)
    assert all(each["weight"] == each["base"] for each in view["terms"])
    assert (view["undo"], view["redo"], view["method"]) == (0, 0, "auto")


def every(client: Client) -> list[str]:
    return [each for segment in client.index.segments for each in segment.doc_ids(segment.order.argsort())
            if client.index.patent(each).language == "en"]  # fmt: skip


def test_an_unedited_search_ranks_as_the_command_line_does(client: Client, index: Any) -> None:
    results = client.ask("POST", f"{client.case()}/search", json={"limit": 100, "family": False})
    wanted = search_index(index, index.patent(TOPIC), k=1000)
    assert [(hit["doc_id"], hit["score"]) for hit in results["hits"]] == [
        (hit.doc_id, hit.score) for hit in wanted.hits
    ]
    assert TOPIC not in doc_ids(results)


def test_a_term_that_is_off_no_longer_counts_and_one_that_is_heavier_counts_more(client: Client) -> None:
    case = client.case()
    terms = {each["word"]: each for each in client.ask("GET", f"{case}/query")["terms"]}
    before = client.ask("POST", f"{case}/search", json={"family": False})
    edits = [
        {"term": terms["spring"]["term"], "language": "en", "off": True},
        {"term": terms["housing"]["term"], "language": "en", "weight": 40.0},
    ]
    view = client.ask("PUT", f"{case}/query", json={"terms": edits})
    chips = {each["word"]: each for each in view["terms"]}
    assert (chips["spring"]["off"], chips["housing"]["weight"]) == (True, 40.0)
    assert chips["housing"]["base"] == terms["housing"]["weight"]
    after = client.ask("POST", f"{case}/search", json={"family": False})
    assert after["search"]["number"] == 2
    assert "spring" not in {each["word"] for each in after["terms"]}
    assert doc_ids(after) != doc_ids(before)
    lamp = next(hit for hit in after["hits"] if "lamp" in hit["title"])  # a lamp has a housing
    assert "housing" in {each["word"] for each in lamp["why"]}


def test_an_excluded_term_leaves_its_documents_out(client: Client) -> None:
    case = client.case()
    searched = client.ask("GET", f"{case}/query")["documents"]["searched"]
    term = next(each for each in client.ask("GET", f"{case}/query")["terms"] if each["word"] == "spring")
    view = client.ask("PUT", f"{case}/query", json={"terms": [{**keep(term), "exclude": True}]})
    left_out = view["documents"]["excluded"]["must_not"]
    assert left_out > 0
    assert view["documents"]["searched"] == searched - left_out
    found = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    for hit in found["hits"]:
        assert "spring" not in json.dumps(client.index.patent(hit["doc_id"]).to_dict())


def keep(term: dict[str, Any]) -> dict[str, Any]:
    return {name: term[name] for name in ("term", "language", "word")}


def test_words_and_phrases_are_added_and_undone(client: Client) -> None:
    case = client.case()
    view = client.ask("POST", f"{case}/query/words", json={"words": "sensors", "as": "weight"})
    added = next(each for each in view["terms"] if each["word"] == "sensors")
    assert (added["added"], added["base"]) == (True, None)
    assert added["df"] > 0
    everything = view["documents"]["searched"]
    view = client.ask("POST", f"{case}/query/words", json={"words": "mesh network", "as": "must"})
    assert view["phrases"] == [{"words": "mesh network", "exclude": False, "off": False}]
    assert 0 < view["documents"]["searched"] < everything
    assert (view["undo"], view["redo"]) == (2, 0)
    found = client.ask("POST", f"{case}/search", json={"family": False})
    assert {hit["title"].split()[1] for hit in found["hits"]} == {"router"}
    view = client.ask("POST", f"{case}/query/undo")
    assert (view["phrases"], view["undo"], view["redo"]) == ([], 1, 1)
    assert client.ask("POST", f"{case}/query/redo")["phrases"] != []
    client.ask("POST", f"{case}/query/undo")
    client.ask("POST", f"{case}/query/undo")
    assert "nothing to undo" in client.ask("POST", f"{case}/query/undo", 409)["detail"]
    client.ask("POST", f"{case}/query/words", json={"words": "pump", "as": "weight"})
    assert client.ask("GET", f"{case}/query")["redo"] == 0
    assert (
        "function word"
        in client.ask("POST", f"{case}/query/words", 422, json={"words": "the", "as": "weight"})["detail"]
    )


def test_a_query_that_cannot_be_searched_is_refused_and_not_stored(client: Client) -> None:
    case = client.case()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"settings": {"method": ["nonsense"]}}, "method"),
        ({"settings": {"terms": 0}}, "terms"),
        ({"settings": {"ranking": "/etc/passwd"}}, "ranking"),
        ({"settings": {"translation": "/etc/passwd"}}, "translation"),
        ({"settings": {"k": 5}}, "k"),
        ({"filters": {"before": "tomorrow"}}, "before"),
        ({"filters": {"ipc": ["nonsense"]}}, "IPC"),
        ({"terms": [{"term": "x", "weight": -1}]}, "weight"),
        ({"terms": [{"term": "x"}, {"term": "x"}]}, "twice"),
        ({"phrases": [{"words": "---"}]}, "no word"),
        ({"other": 1}, "other"),
    ]
    for state, word in wrong:
        assert word in client.ask("PUT", f"{case}/query", 422, json=state)["detail"], state
    terms = [{**keep(term), "off": True} for term in client.ask("GET", f"{case}/query")["terms"]]
    assert "no term" in client.ask("PUT", f"{case}/query", 422, json={"terms": terms})["detail"]
    assert client.ask("GET", f"{case}/query")["undo"] == 0


def test_settings_choose_method_fields_and_number_of_terms(client: Client) -> None:
    case = client.case()
    state = {"settings": {"method": ["tf"], "terms": 3, "fields": ["claims"], "model": "bm25(k1=0.9,b=0.4)"}}
    view = client.ask("PUT", f"{case}/query", json=state)
    assert (view["method"], len(view["terms"])) == ("tf", 3)
    found = client.ask("POST", f"{case}/search", json={})
    assert (found["model"], found["search"]["label"]) == ("bm25(k1=0.9,b=0.4)", "tf, 3 terms, en, before 2015-01-01")


# Results


def test_results_come_in_pages_and_by_family(client: Client) -> None:
    case = client.case()
    whole = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    parts = [client.ask("GET", f"{case}/searches/1", params={"offset": at, "limit": 7, "family": False})
             for at in range(0, whole["total"], 7)]  # fmt: skip
    assert [hit for part in parts for hit in part["hits"]] == whole["hits"]
    grouped = client.ask("GET", f"{case}/searches/1", params={"limit": 100})
    assert grouped["total"] < whole["total"] == grouped["retrieved"]
    ids = [doc_id for hit in grouped["hits"] for doc_id in (hit["doc_id"], *(each["doc_id"] for each in hit["family"]))]
    assert sorted(ids) == sorted(doc_ids(whole))
    for hit in grouped["hits"]:
        for member in hit["family"]:
            assert client.index.patent(member["doc_id"]).family_id == hit["family_id"]
            assert member["rank"] > hit["rank"]


def test_a_hit_says_why_it_is_there(client: Client) -> None:
    found = client.ask("POST", f"{client.case()}/search", json={"family": False})
    best = found["hits"][0]
    assert "valve" in best["title"].lower()
    assert sum(each["share"] for each in best["features"]) == pytest.approx(1)
    assert best["why"][0]["share"] > 0
    words = [run[0].lower() for passage in best["passages"] for run in passage["runs"] if not isinstance(run, str)]
    assert "spring" in words
    for passage in best["passages"]:
        record = client.index.patent(best["doc_id"])
        texts = (*record.description.values(), *record.abstract.values(), *record.claims["en"])
        assert any(text_of(passage["runs"]) in text for text in texts)
        for run in passage["runs"]:
            if not isinstance(run, str):
                assert found["terms"][run[1]]["word"][:4].lower() == run[0][:4].lower()
    assert best["links"]["google_patents"].startswith("https://patents.google.com/patent/")


def test_facets_count_what_other_choices_would_give(client: Client) -> None:
    case = client.case()
    everything = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    facets = client.ask("GET", f"{case}/searches/1/facets")
    assert facets["documents"] == everything["documents"]["searched"]
    assert sum(each["documents"] for each in facets["offices"]) == facets["documents"]
    offices = {each["value"]: each["documents"] for each in facets["offices"]}
    state = {"filters": {"country": ["US"], "ipc": ["F16K"]}}
    client.ask("PUT", f"{case}/query", json=state)
    narrow = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    assert narrow["documents"]["searched"] < offices["US"]
    assert {hit["doc_id"][:2] for hit in narrow["hits"]} == {"US"}
    facets = client.ask("GET", f"{case}/searches/2/facets")
    ep = next(each["documents"] for each in facets["offices"] if each["value"] == "EP")
    client.ask("PUT", f"{case}/query", json={"filters": {"country": ["EP"], "ipc": ["F16K"]}})
    other = client.ask("POST", f"{case}/search", json={"limit": 100})
    assert other["documents"]["searched"] == ep
    assert [each["value"] for each in facets["ipc"]] == ["F", "H"]
    under = client.ask("GET", f"{case}/searches/2/facets", params={"ipc": "F16K 31"})["ipc"]
    assert [(each["value"], each["level"], each["children"]) for each in under] == [("F16K 31/06", "subgroup", False)]
    assert "IPC" in client.ask("GET", f"{case}/searches/2/facets", 422, params={"ipc": "x y z"})["detail"]


def test_undated_documents_are_a_choice_of_their_own(client: Client) -> None:
    case = client.case()
    client.ask("POST", f"{case}/search", json={})
    assert client.ask("GET", f"{case}/searches/1/facets")["undated"]["documents"] == 1
    client.ask("PUT", f"{case}/query", json={"filters": {"undated": "drop"}})
    found = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    assert found["documents"]["excluded"]["undated"] == 1
    assert "EP1000007" not in doc_ids(found)


def test_the_same_search_again_is_the_same_search(client: Client) -> None:
    case = client.case()
    first = client.ask("POST", f"{case}/search", json={})
    assert client.ask("POST", f"{case}/search", json={}) == first
    assert len(client.ask("GET", f"{case}/searches")) == 1


def test_a_search_made_with_another_topic_keeps_its_ranking(client: Client) -> None:
    case = client.case()
    before = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    record = client.ask("GET", f"{case}/topic")["patent"]
    description = {"en": "A pump with a piston and a crank moves a liquid."}
    record |= {"title": {}, "abstract": {}, "claims": {}, "description": description}
    client.ask("PATCH", case, json={"patent": record})
    old = client.ask("GET", f"{case}/searches/1", params={"limit": 100, "family": False})
    assert (old["stale"], doc_ids(old)) == (True, doc_ids(before))
    assert old["hits"][0]["passages"] != []
    assert "search again" in client.ask("GET", f"{case}/searches/1/facets", 409)["detail"]
    new = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    assert (new["search"]["number"], new["stale"]) == (2, False)
    assert "pump" in new["hits"][0]["title"].lower()


# Reading


def test_a_document_is_read_whole_with_its_terms_marked(client: Client) -> None:
    case = client.case()
    found = client.ask("POST", f"{case}/search", json={})
    view = client.ask("GET", f"{case}/document", params={"id": "EP1000008", "search": 1})
    record = client.index.patent("EP1000008")
    texts = view["texts"]["en"]
    assert text_of(texts["title"]) == record.title["en"]
    assert [text_of(each) for each in texts["claims"]] == list(record.claims["en"])
    assert "\n".join(text_of(each) for each in texts["description"]) == record.description["en"].strip("\n")
    parts = [texts["title"], *texts["abstract"], *texts["claims"], *texts["description"]]
    counted = sum(not isinstance(run, str) for part in parts for run in part)
    assert counted == sum(each["count"] for each in view["terms"]) > 5
    assert [each["term"] for each in view["terms"]] == [each["term"] for each in found["terms"]]
    assert [(each["number"], each["doc_id"], each["category"]) for each in view["cites"]] == [
        ("EP1000004", "EP1000004", "X")
    ]
    back = client.ask("GET", f"{case}/document", params={"id": "EP1000004"})
    assert sorted(each["doc_id"] for each in back["cited_by"]) == ["EP1000008", "US7000012"]
    assert client.ask("GET", f"{case}/document", 404, params={"id": "EP4711"})["detail"].endswith("is not in the index")


# Marks, feedback, progress


def mark_first(client: Client, case: str, number: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})["hits"]
    found = found[:number]
    for hit in found:
        relevance = "relevant" if "valve" in hit["title"].lower() else "not"
        category = "X" if hit["rank"] == 1 else None
        body = {"doc_id": hit["doc_id"], "relevance": relevance, "category": category, "search": 1, "rank": hit["rank"]}
        client.ask("PATCH", f"{case}/marks", json=body)
    return found


def test_a_mark_carries_everything_and_can_be_changed_and_withdrawn(client: Client) -> None:
    case = client.case()
    hit = client.ask("POST", f"{case}/search", json={})["hits"][0]
    body = {"doc_id": hit["doc_id"], "relevance": "maybe", "category": "Y", "claims": "1, 3-5", "note": MARKUP,
            "search": 1, "rank": 1}  # fmt: skip
    mark = client.ask("PATCH", f"{case}/marks", json=body)["mark"]
    other = ("user", "time", "title", "grade", "query", "version")
    assert {**body, **{name: mark[name] for name in other}} == mark
    client.ask("PATCH", f"{case}/marks", json={**body, "relevance": "relevant"})
    assert [each["relevance"] for each in client.ask("GET", f"{case}/marks")] == ["relevant"]
    assert client.ask("GET", f"{case}/searches/1")["hits"][0]["mark"]["note"] == MARKUP
    client.ask("DELETE", f"{case}/marks", 200, params={"id": hit["doc_id"]})
    assert client.ask("GET", f"{case}/marks") == []
    assert "no mark" in client.ask("DELETE", f"{case}/marks", 422, params={"id": hit["doc_id"]})["detail"]
    assert "not in the index" in client.ask("PATCH", f"{case}/marks", 422, json={**body, "doc_id": "EP4711"})["detail"]


def test_more_like_these_moves_the_list_and_says_what_is_new(client: Client) -> None:
    case = client.case()
    assert "mark at least one" in client.ask("POST", f"{case}/more", 409, json={})["detail"]
    body = {"doc_id": "EP1000005", "relevance": "relevant"}  # a router, which the topic does not resemble
    before = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    client.ask("PATCH", f"{case}/marks", json=body)
    after = client.ask("POST", f"{case}/more", json={"limit": 100, "family": False})
    assert (after["search"]["kind"], after["search"]["relevant_marks"]) == ("feedback", 1)
    assert "EP1000005" not in doc_ids(after)
    first, then = (
        next(hit["rank"] for hit in found["hits"] if "router" in hit["title"] and hit["doc_id"] != "EP1000005")
        for found in (before, after)
    )
    assert then < first
    fresh = {hit["doc_id"] for hit in after["hits"] if hit["new"]}
    assert fresh == {*doc_ids(after)[:100]} - {*doc_ids(before)[:100]}
    assert after["new"] == len(fresh)


def test_progress_counts_what_was_read_and_estimates_the_rest(client: Client) -> None:
    case = client.case()
    empty = client.ask("GET", f"{case}/progress")
    assert (empty["read"], empty["curve"], empty["estimates"]) == (0, [[0, 0]], [])
    marked = mark_first(client, case, 10)
    found = client.ask("GET", f"{case}/progress")
    relevant = ["valve" in hit["title"].lower() for hit in marked]
    assert (found["read"], found["relevant"], found["not"]) == (10, sum(relevant), 10 - sum(relevant))
    assert found["curve"] == [[at, sum(relevant[:at])] for at in range(11)]
    assert {"stop", "rule", "reason", "more"} == found["advice"].keys()
    assert any("20 documents must be read before an estimate" in note for note in found["notes"])
    assert 0 < found["advice"]["more"] <= 17
    assert "ranked quasi-sampling" in found["advice"]["rule"]
    assert "the rule stops below 10 %" in found["advice"]["reason"]
    coverage = client.ask("GET", "/api/index")["coverage"]
    assert (coverage["documents"], coverage["offices"]) == (27, {"EP": 18, "US": 8, "DE": 1})
    assert sum(coverage["years"].values()) + coverage["undated"] == 27


def test_a_calibration_is_not_used_where_feedback_changed_the_order(
    index: EmbeddedEngine, store: CaseStore, tmp_path: Path
) -> None:
    """It was made without feedback, so that its risk would be that of another order of reading."""
    file = tmp_path / "c.json"
    write_calibration(fit_calibration(draw_topics(20, 1), method="evidence, static"), file)
    with Client(index, store, calibration=file) as opened:
        client = opened.sign_in()
        case = client.case()
        client.ask("PUT", f"{case}/query", json={"filters": {"before": "off"}})
        mark_first(client, case, 10)
        before = client.ask("GET", f"{case}/progress")
        (first, *_) = client.ask("POST", f"{case}/more", json={})["hits"]
        between = client.ask("GET", f"{case}/progress")
        client.ask(
            "PATCH", f"{case}/marks", json={"doc_id": first["doc_id"], "relevance": "not", "search": 2, "rank": 1}
        )
        after = client.ask("GET", f"{case}/progress")
    for progress in (before, between):  # a search alone changes nothing of what was read
        assert progress["advice"]["rule"].startswith("rule: Calibrated on this index")
    assert "Calibrated" not in after["advice"]["rule"]
    assert any("the calibration is not used" in note for note in after["notes"])


# Chart, comparison, exports


def test_searches_are_named_documents_are_read_against_the_claims_and_applicants_are_found(client: Client) -> None:
    case = client.case()
    client.ask("POST", f"{case}/search", json={})
    named = client.ask("PATCH", f"{case}/searches/1", json={"name": " broad\nfirst "})
    assert (named["name"], named["title"]) == ("broad first", "broad first")
    assert client.ask("GET", f"{case}/searches") == [named]
    assert "broad first" in client.get(f"{case}/export/report.html").text
    exported = client.get(f"{case}/export/case.json").content
    client.ask("DELETE", case, 204)
    assert client.ask("POST", "/api/cases/import", 201, content=exported)["searches"][0]["name"] == "broad first"
    client.ask("PATCH", f"{case}/searches/9", 404, json={"name": "x"})
    application = client.ask("GET", f"{case}/document", params={"search": 1})
    assert application["doc_id"] == TOPIC
    found = client.ask("GET", f"{case}/document", params={"id": "EP1000004", "search": 1, "against": True})
    assert len(found["against"]) == len(application["texts"]["en"]["claims"]) == 2
    assert found["against"][0]["strength"] >= 0.25
    assert all(each["worth"] > 0 for each in found["terms"])
    cites = client.ask("GET", f"{case}/document", params={"id": "EP1000008"})["cites"]
    assert [(each["doc_id"], each["title"]) for each in cites] == [("EP1000004", "The valve number 4")]
    facets = client.ask("GET", f"{case}/searches/1/facets", params={"applicant": "ACME"})
    assert [each["value"] for each in facets["applicants"]] == ["Acme GmbH"]
    counts = [each["documents"] for each in client.ask("GET", f"{case}/searches/1/facets")["applicants"]]
    assert counts == sorted(counts, reverse=True)


def test_the_claim_chart_shows_the_best_passage_and_keeps_what_is_edited(client: Client) -> None:
    case = client.case()
    mark_first(client, case, 2)
    chart = client.ask("GET", f"{case}/chart")
    assert len(chart["features"]) >= 4
    assert " ".join(each["text"] for each in chart["features"]) == CLAIM.removeprefix("1. ")
    assert len(chart["cells"]) == len(chart["features"]) * len(chart["documents"])
    cell = next(each for each in chart["cells"] if "spring" in each["text"])
    edit = {"feature": cell["feature"], "doc_id": cell["doc_id"], "text": f"mine {MARKUP}"}
    changed = client.ask("PUT", f"{case}/chart/cell", json=edit)
    assert [each["text"] for each in changed["cells"] if each["edited"]] == [f"mine {MARKUP}"]
    more = client.ask("POST", f"{case}/chart/features", json={"claims": [1, 2]})
    assert {each["claim"] for each in more["features"]} == {1, 2}
    assert [each["text"] for each in more["cells"] if each["edited"]] == [f"mine {MARKUP}"]
    restored = client.ask("PUT", f"{case}/chart/cell", json={**edit, "text": None})
    assert not any(each["edited"] for each in restored["cells"])
    texts = ["a spring that presses a disc onto the seat", "a sensor of the soil moisture with a spring"]
    own = {"features": [{"text": text} for text in texts], "documents": ["EP1000004"]}
    chosen = client.ask("PUT", f"{case}/chart", json=own)
    assert [each["text"] for each in chosen["features"]] == texts
    full, empty = chosen["cells"]
    assert "spring" in full["text"]
    assert 0.25 <= full["strength"] <= 1
    assert (empty["text"], empty["strength"]) == ("", None)  # one common word is no match
    for wrong in ({**own, "documents": ["EP4711"]}, {**own, "features": [{"id": 99, "text": "x"}]}):
        client.ask("PUT", f"{case}/chart", 422, json=wrong)
    both = client.ask("POST", f"{case}/chart/features", json={"claims": [2]})["features"]
    assert [each["claim"] for each in both][-2:] == [None, None]  # what the searcher wrote stays
    assert [each["text"] for each in both][-2:] == texts
    rest = client.ask("POST", f"{case}/chart/features", json={"claims": [1]})["features"]
    assert {each["claim"] for each in rest} == {1, None}
    client.ask("POST", f"{case}/chart/features", 422, json={"claims": [3]})


def test_two_searches_are_compared(client: Client) -> None:
    case = client.case()
    one = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    client.ask("PUT", f"{case}/query", json={"filters": {"country": ["US"]}})
    two = client.ask("POST", f"{case}/search", json={"limit": 100, "family": False})
    found = client.ask("GET", f"{case}/compare", params={"first": 1, "second": 2, "depth": 100})
    assert [each["doc_id"] for each in found["only_second"]] == []
    assert {each["doc_id"] for each in found["both"]} == {*doc_ids(two)}
    assert {each["doc_id"] for each in found["only_first"]} == {*doc_ids(one)} - {*doc_ids(two)}
    assert found["overlap"] == len(two["hits"]) / len(one["hits"])
    assert "no search 3" in client.ask("GET", f"{case}/compare", 404, params={"first": 1, "second": 3})["detail"]


def test_exported_qrels_and_run_evaluate(client: Client, tmp_path: Path) -> None:
    case = client.case()
    assert "nothing is marked" in client.ask("GET", f"{case}/export/qrels.txt", 409)["detail"]
    assert "nothing was searched" in client.ask("GET", f"{case}/export/run.txt", 409)["detail"]
    marked = mark_first(client, case, 6)
    for name in ("qrels.txt", "run.txt"):
        (tmp_path / name).write_bytes(client.ask("GET", f"{case}/export/{name}").content)
    scores = evaluate(rank_table(tmp_path / "qrels.txt", [tmp_path / "run.txt"]), ["P@6"])
    wanted = sum("valve" in hit["title"].lower() for hit in marked) / 6
    assert scores.to_dict()["runs"][0]["scores"]["P@6"] == pytest.approx(wanted)
    with zipfile.ZipFile(io.BytesIO(client.ask("GET", f"{case}/export/trec.zip").content)) as archive:
        assert archive.namelist() == ["qrels.txt", "reading.run", "searches.csv", "search1.run"]
        order = [line.split()[2] for line in archive.read("reading.run").decode().splitlines()]
    assert order == [hit["doc_id"] for hit in marked]


def test_the_run_of_a_case_is_that_of_its_current_query(client: Client) -> None:
    case = client.case()
    mark_first(client, case, 2)
    client.ask("POST", f"{case}/more", json={})
    client.ask("PUT", f"{case}/query", json={"filters": {"country": ["US"]}})
    client.ask("POST", f"{case}/search", json={})

    def tag(**more: Any) -> str:
        return str(client.ask("GET", f"{case}/export/run.txt", params=more).text.split()[5])

    assert tag() == "search3"
    client.ask("POST", f"{case}/query/undo")  # the query that was learned
    client.ask("POST", f"{case}/query/undo")
    assert (tag(), tag(search=2)) == ("search1", "search2")


def test_tables_open_in_a_spreadsheet(client: Client) -> None:
    case = client.case()
    mark_first(client, case, 3)
    client.ask("PATCH", f"{case}/marks", json={"doc_id": "EP1000004", "relevance": "maybe", "note": "=HYPERLINK(1)"})
    data = client.ask("GET", f"{case}/export/marks.csv").content
    assert data.startswith(b"\xef\xbb\xbfpatent,")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert len(rows) == len(client.ask("GET", f"{case}/marks"))
    assert not any(value.startswith("=") for row in rows for value in row.values())
    data = client.ask("GET", f"{case}/export/results.csv").content
    results = [*csv.DictReader(io.StringIO(data.decode("utf-8-sig")))]
    assert [row["patent"] for row in results] == [doc_id for doc_id, _ in client.store.search(case[-16:], 1).ranking]
    for name in ("case.xlsx", "chart.xlsx"):
        with zipfile.ZipFile(io.BytesIO(client.ask("GET", f"{case}/export/{name}").content)) as book:
            assert book.testzip() is None


@pytest.mark.parametrize("name", ["report.html", "chart.html"])
def test_a_page_that_is_exported_has_no_markup_of_others(client: Client, name: str) -> None:
    case = client.case(name=MARKUP)
    client.ask("POST", f"{case}/search", json={})
    body = {"doc_id": "EP1000099", "relevance": "relevant", "category": "X", "note": MARKUP, "claims": "<b>1</b>"}
    client.ask("PATCH", f"{case}/marks", json=body)
    client.ask("PATCH", case, json={"notes": MARKUP})
    answer = client.ask("GET", f"{case}/export/{name}", params={"view": True})
    assert not any(markup in answer.text for markup in ("<script", "<img", "<svg"))
    assert "EP1000099" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "unsafe-inline" not in policy
    assert "style-src 'sha256-" in policy
    assert answer.headers["content-disposition"].startswith("inline")


def test_the_description_of_the_api_is_served_from_disk(client: Client) -> None:
    page = client.ask("GET", "/api/docs")
    assert "/api/cases/{case_id}/search" in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    described = client.ask("GET", "/api/openapi.json")
    assert "/api/cases/{case_id}/marks" in described["paths"]
    assert "nothing at /api/elsewhere" in client.ask("GET", "/api/elsewhere", 404)["detail"]


def test_a_method_that_an_address_does_not_have_gets_those_that_it_has(client: Client) -> None:
    case = client.case()
    for method, path, allowed in (
        ("DELETE", "/api/session", "GET"),
        ("PUT", case, "DELETE, GET, PATCH"),
        ("GET", f"{case}/search", "POST"),
        ("PUT", "/login", "GET, POST"),
        ("POST", "/cases", "GET"),
        ("POST", "/static/icon.svg", "GET, HEAD"),
    ):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers.get("allow")) == (405, allowed), (method, path)
        assert answer.json()["detail"] == f"{method} is not possible here, but {allowed}"
    for method, path in (("POST", "/api/nothing"), ("OPTIONS", "/api/nothing"), ("PUT", "/nothing")):
        assert client.request(method, path).status_code == 404


@pytest.mark.slow
def test_the_search_report_is_also_a_document(client: Client) -> None:
    import docx

    case = client.case(name="A case \x0b & more")
    mark_first(client, case, 3)
    hit = client.ask("GET", f"{case}/searches/1")["hits"][0]
    client.ask("PATCH", f"{case}/marks", json={"doc_id": hit["doc_id"], "note": f"see {MARKUP}"})
    document = docx.Document(io.BytesIO(client.ask("GET", f"{case}/export/report.docx").content))
    said = [paragraph.text for paragraph in document.paragraphs]
    for heading in ("Application", "Documents considered relevant", "Claim chart", "Searches", "What was searched"):
        assert heading in said
    assert f"Note: see {MARKUP}" in said
    assert any(f"publication date {hit['publication_date']}" in text for text in said)
    log = [[cell.text for cell in row.cells] for row in document.tables[-1].rows]
    assert log[0][0] == "No."
    assert [row[0] for row in log[1:]] == ["1"]
    rows = [*csv.DictReader(io.StringIO(client.get(f"{case}/export/searches.csv").content.decode("utf-8-sig")))]
    assert [row["search"] for row in rows] == ["1"]
