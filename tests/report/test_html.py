"""The report: everything is in it, once; nothing is loaded; no name can become markup."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.report.figures import render
from antecede.report.figures.comparisons import means
from antecede.report.figures.paper import find_figure
from antecede.report.html import render_report, write_report
from antecede.report.input_sections import describe_record, format_date
from antecede.report.results import Results
from antecede.report.topic_section import link_document, list_documents
from antecede.study import Robustness
from tests.report.sample_reports import ATTACK, part, stand_ins, tree, unpacked, whole, without_relevant, written
from tests.report.sample_results import HOSTILE, make_ranks, make_term_counts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def root() -> Any:
    return tree(written(whole()))


def cells(root: Any, anchor: str, place: int = 0) -> list[list[str]]:
    """The texts of a table of a section."""
    found = root.xpath(f"//section[@id='{anchor}']//table")[place]
    return [[" ".join(cell.text_content().split()) for cell in row] for row in found.iter("tr")]


@pytest.mark.slow
def test_ids_are_unique_and_every_link_leads_somewhere(root: Any) -> None:
    ids = root.xpath("//@id")
    assert len(ids) == len(set(ids))
    links = [link for link in root.xpath("//@href") if link.startswith("#")]
    assert len(links) > 30
    assert {link[1:] for link in links} <= set(ids)
    pointed = {one for value in root.xpath("//@clip-path") for one in re.findall(r"url\(#([^)]+)\)", value)}
    assert pointed
    assert pointed <= set(ids)


@pytest.mark.slow
def test_figures_that_are_drawn_already_are_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one = part(studies={"query_length": make_term_counts()})
    results = {"systems": one.scores, "relevant_per_topic": one.ranks, "compare": one.comparison, **one.studies}
    drawn = {name: render(find_figure(result)(result), "svg") for name, result in results.items()}
    drawn["means"] = render(means(one.scores, 0, one.baseline_run), "svg")
    expected = render_report(Results("x", (one,)))
    monkeypatch.setattr("antecede.report.figures.paper.FigureDefinition.__call__", None)
    assert render_report(Results("x", (replace(one, figures=drawn),))) == expected


def test_nothing_is_loaded(root: Any) -> None:
    text = written(whole())
    script = root.xpath("//script[not(@type)]")[0].text
    assert not re.findall(r"\w+://", text.replace(script, ""))
    assert re.findall(r"https?://[\w./]+", script) == ["http://www.w3.org/2000/svg"], "the name of a kind of element"
    assert not root.xpath("//*[@src or @srcset or @action]")
    assert [link.get("href") for link in root.iter("link")] == ["data:,"]
    assert "@import" not in text
    assert "url(" not in root.xpath("//style")[0].text


def test_only_the_script_it_was_written_with_may_run(root: Any) -> None:
    (script,) = root.xpath("//script[not(@type)]")
    (policy,) = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    digest = b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert not root.xpath("//@*[starts-with(name(), 'on')]")
    assert "innerHTML" not in script.text


def test_every_table_and_figure_is_there(root: Any) -> None:
    captions = [caption.text_content() for caption in root.iter("caption")]
    once = ("The best run and the baseline", "Methods by part: PRES@100, AP@100 and R@100", "Robustness by part")
    assert [captions.count(caption) for caption in (*once, "Scores by run")] == [1, 1, 1, 2]
    for study in whole().parts[0].studies.values():
        assert study.table().title in captions
    assert "Where runs change places" in captions
    # Two parts with systems, means, differences from the baseline and relevant documents; five studies, and one.
    assert len(root.xpath("//main//figure//svg")) == 2 * 4 + 5 + 1
    assert all(svg.get("aria-label") for svg in root.iter("svg"))
    for grid in root.iter("table"):
        assert {len(row) for row in grid.xpath("./tbody/tr")} == {len(grid.xpath("./thead/tr")[-1])}
        assert grid.xpath("./thead//th/@scope")
        assert grid.xpath("./tbody/tr/th/@scope")


def test_methods_stand_side_by_side_over_parts(root: Any) -> None:
    english, german = whole().parts
    head, *rows = cells(root, "overview", 2)[1:]
    assert head == ["method", "EN", "DE", "EN", "DE", "EN", "DE"]
    assert [row[0] for row in rows] == list(english.scores.runs)
    # PRES, the last measure of the sample, comes first.
    for column, totals in {
        1: english.scores.totals[2],
        4: german.scores.totals[0],
        5: english.scores.totals[1],
    }.items():
        assert [row[column] for row in rows] == [f"{total:.4f}" for total in totals]
    taus = english.studies["robustness"]
    assert isinstance(taus, Robustness)
    assert cells(root, "overview", 1)[1][2:] == [f"{value:.3f}" for value in taus.mean[:, 0]]


def test_scores_are_those_of_the_evaluation_with_marks_and_costs(root: Any) -> None:
    english = whole().parts[0]
    head, *rows = cells(root, "en-scores")
    assert head == ["run", "AP@100", "R@100", "PRES@100", "terms", "ms per topic", "ms for the query"]
    comparison = english.comparison
    assert comparison is not None
    for run, row in enumerate(rows):
        assert row[0] == english.scores.runs[run] + (" baseline" if run == 1 else "")
        shown = [re.sub("[†‡]", "", text) for text in row[1:4]]
        assert shown == [f"{total:.4f}" for total in english.scores.totals[:, run]]
        assert row[4] == f"{12.25 + run:.1f}"
    marks = {(r, c): sign for (r, c), sign in comparison.table().marks.items()}
    assert {(r, c) for r, row in enumerate(rows) for c, text in enumerate(row) if re.search("[†‡]", text)} == set(marks)
    bold = root.xpath("//section[@id='en-scores']//tbody//td[b]")
    assert len(bold) >= 3


def test_won_and_lost_topics_are_counted(root: Any) -> None:
    scores = whole().parts[0].scores
    difference = scores.values[0] - scores.values[0, 1]
    wanted = {
        run: [str(int((difference[at] > 5e-7).sum())), str(int((abs(difference[at]) <= 5e-7).sum()))]
        for at, run in enumerate(scores.runs)
        if at != 1
    }
    found = {row[0]: row[1:3] for row in cells(root, "en-topics")[1:]}
    assert found == wanted


def test_without_javascript_the_topics_are_a_table() -> None:
    text = re.search(r"<noscript>(.*?)</noscript>", written(whole()), re.DOTALL)
    assert text is not None
    rows = [[cell.text_content() for cell in row] for row in tree(text[1]).iter("tr")]
    assert rows[0][:3] == ["topic", "title", "relevant"]
    assert rows[1][:2] == ["T0", "Valve with a spring"]
    assert len(rows) == 1 + 12


def test_the_record_is_folded_away_and_says_when(root: Any) -> None:
    assert root.xpath("//header/p")[0].text_content().endswith("; 15 November 2026, 08:02 UTC.")
    record = root.get_element_by_id("record")
    assert (record.tag, record.get("open")) == ("details", None)
    assert record.xpath(".//pre")[0].text == "[queries]\nterms = 75"
    assert [dd.text for dd in record.xpath(".//summary[.='1']/following-sibling::dl//dd")] == ["index", "1.5"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-16T08:16:56+00:00", "16 November 2026, 08:16 UTC"),
        ("2026-03-01T23:05:00+01:00", "1 March 2026, 23:05 UTC+01:00"),
        ("last Tuesday", "last Tuesday"),
    ],
)
def test_dates_are_written_as_people_read_them(text: str, shown: str) -> None:
    assert format_date(text) == shown


def test_results_come_before_options(root: Any) -> None:
    sections = root.xpath("//main//section/@id")
    wanted = ["overview", "en", "en-scores", "en-comparison", "en-topics", "en-input", "de", "measures", "experiment"]
    assert [each for each in sections if each in wanted] == wanted
    tables = [table.xpath("string(caption)") for table in root.xpath("//section[@id='en']//table")]
    assert tables.index("Scores by run") == 0
    assert tables.index("Audit counts by run") > tables.index("Agreement of measures")


def test_measures_are_explained_where_their_numbers_stand(root: Any) -> None:
    links = root.xpath("//section[@id='en-scores']//thead//a[@class='measure']")
    assert [link.text for link in links] == ["AP@100", "R@100", "PRES@100"]
    entry = root.get_element_by_id(links[2].get("href")[1:])
    assert "Magdy & Jones" in entry.text_content()
    assert "never exceeds recall" in entry.text_content()


def test_findings_come_first_and_a_clean_input_is_quiet(root: Any) -> None:
    assert not root.xpath("//section[@id='en']/ul[@class='findings']")
    assert "No irregularities" in root.xpath("//section[@id='en-input']/p[@class='quiet']")[0].text
    odd = tree(render_report(Results("Odd", (part("x", ranks=without_relevant(), figures=stand_ins()),))))
    lines = odd.xpath("//section[@id='x-scores']/preceding-sibling::ul[@class='findings']/li/text()")
    assert lines[0] == "Qrels: 2 topics without a relevant document."
    assert "run03 (1)" in lines[1]


@pytest.mark.slow
def test_no_name_becomes_markup() -> None:
    names = (*HOSTILE, ATTACK)
    titles = dict.fromkeys(("T0", "d0"), ATTACK)
    hostile = part("x", names, titles=titles, queries=lambda _: {"T0": {ATTACK: 1.0}}, notes=(ATTACK,))
    hostile = replace(hostile, title=ATTACK, name=ATTACK)
    text = render_report(Results(ATTACK, (hostile,), {ATTACK: {ATTACK: ATTACK}}))
    root = tree(text)
    assert not root.xpath("//img | //b[.='&amp;\"']")
    assert root.get_element_by_id("part-1") is not None
    assert root.xpath("//h1")[0].text == ATTACK
    heads = [head.text_content() for head in root.xpath("//section[@id='part-1-scores']//tbody/tr/th")]
    assert ATTACK in heads
    assert "<b>&amp;\"'</b>" in heads
    assert len(heads) == len(names)
    assert text.count("<script") == 1 + len(root.xpath("//script[@type]"))
    text.encode()


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    results = Results("Small", (part(runs=2, figures=stand_ins()),))
    for name in ("one", "two"):
        write_report(results, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_one_run_without_comparison_queries_or_studies() -> None:
    root = tree(render_report(Results("One", (part(runs=1, figures=stand_ins()),))))
    assert not root.xpath("//section[@id='en-comparison']")
    assert cells(root, "overview")[1][2] == "run00"
    assert not root.xpath("//table[contains(@class, 'tallies')]")


def test_what_a_run_never_reaches_is_said() -> None:
    effort = part("x", measures="Effort@100,GMAP,AP@100", ranks=without_relevant(), figures=stand_ins())
    root = tree(render_report(Results("Effort", (effort,))))
    rows = cells(root, "x-scores")
    assert rows[4][1] == "never: 1"
    keys = root.xpath("//section[@id='x-scores']//tbody/tr[4]/td[1]/@data-key")
    assert keys == ["Infinity"], "it is sorted behind all others"


def test_without_a_baseline_runs_have_letters() -> None:
    root = tree(render_report(Results("Pairs", (part(runs=14, baseline=None, figures=stand_ins()),))))
    assert [row[0] for row in cells(root, "en-scores")[1:3]] == ["a", "b"]
    details = cells(root, "en-comparison")
    best = make_ranks(14).runs[int(np.argmax(part(runs=14, baseline=None).scores.totals[0]))]
    assert len(details) == 1 + 3 * 13
    assert all(best in row for row in details[1:])


# The data of topics: unpacked, it is what the rank table and the scores hold


def test_the_list_and_the_scores_unpack_to_those_of_the_evaluation(root: Any) -> None:
    english = whole().parts[0]
    listed = unpacked(root, "en-list")
    assert listed["runs"] == list(english.scores.runs)
    assert listed["topics"] == list(english.ranks.topics)
    assert listed["titles"][:3] == ["Valve with a spring", "Ventil & Feder", ""]
    assert listed["relevant"] == english.ranks.relevant_per_topic()[1].tolist()
    assert (listed["baseline"], listed["measures"]) == (1, ["AP@100", "R@100", "PRES@100"])
    assert listed["best"] == int(np.argmax(english.scores.totals[0])) == listed["order"][0]
    for measure in range(3):
        scores = np.array(unpacked(root, f"en-scores-{measure}"), dtype=np.float64) / listed["steps"]
        np.testing.assert_allclose(scores, english.scores.values[measure], atol=5.1e-7, rtol=0)


def test_ranks_unpack_to_those_of_the_table(root: Any) -> None:
    table = whole().parts[0].ranks
    ids = table.doc_ids.to_list()
    block = unpacked(root, "en-topics-0")
    assert len(block["topics"]) == len(table.topics)
    for at, topic in enumerate(block["topics"]):
        first, end = table.ranks.offsets[at : at + 2]
        assert topic["docs"] == ids[first:end]
        assert topic["ranks"] == table.ranks.ranks[:, first:end].tolist()
    assert block["topics"][0]["titles"][0] == "A <b>seal</b>"
    assert "titles" not in block["topics"][1]


def test_patents_have_links_and_other_documents_none() -> None:
    assert link_document("EP-1000000-B1") == [
        "https://worldwide.espacenet.com/patent/search?q=pn%3DEP1000000B1",
        "https://patents.google.com/patent/EP1000000B1/en",
    ]
    assert link_document("FT911-3") is None
    found = replace(part(), titles={"d1": "A seal", "EP1000000": "A valve"})
    assert all("links" not in list_documents(found, topic) for topic in range(len(found.ranks.topics)))


def test_queries_are_kept_once_with_their_weights(root: Any) -> None:
    block = unpacked(root, "en-topics-0")
    topic = block["topics"][0]
    assert topic["query"] == [0, 1, 0, 1]
    terms, weights, count = topic["queries"][0]
    assert [block["words"][term] for term in terms] == ["valve", "spring", "seal"]
    assert weights == [3.14, 2.0, -0.5]
    assert count == 3
    assert "queries" not in block["topics"][3]


def test_left_out_topics_and_those_never_reached_are_told_apart() -> None:
    odd = part("x", measures="GMAP,Effort@100,AP", ranks=without_relevant(), figures=stand_ins())
    root = tree(render_report(Results("Odd", (odd,))))
    assert unpacked(root, "x-list")["measures"] == ["Effort@100", "AP"], "a single topic has no GMAP"
    assert unpacked(root, "x-list")["relevant"][:2] == [0, 0]
    efforts = unpacked(root, "x-scores-0")
    assert [row[:2] for row in efforts] == [[None, None]] * 4
    assert [row[5] == "never" for row in efforts] == [False, False, False, True]
    topics = unpacked(root, "x-topics-0")["topics"]
    assert topics[0]["docs"] == []
    assert [topic["silent"] for topic in topics[4:6]] == [[], [3]]
    assert not any(topics[5]["ranks"][3])


@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(),
            lambda each: st.lists(each) | st.dictionaries(st.text(), each),
            max_leaves=8,
        ),
    )
)
def test_a_record_of_any_shape_can_be_shown(record: dict[str, Any]) -> None:
    described = describe_record(record) if record else []
    assert len(described) == len(record)
    texts = [
        text for name, inside in described for text in (name, *(inside.split("\n") if isinstance(inside, str) else ()))
    ]
    assert all(text.isprintable() for text in texts)
