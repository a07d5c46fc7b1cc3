"""Experiments that search: from a synthetic collection to tables, interrupted and resumed, changed and repeated."""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antecede import evaluate, open_index, rank_table, study
from antecede.errors import InputError, UsageError
from antecede.experiment import load_experiment, plan_experiment, run_experiment
from antecede.patent import Patent
from antecede.search.batch import run_topics
from antecede.search.settings import SearchSettings
from antecede.trec import read_qrels, read_run
from tests.experiment.test_running import numbers

if TYPE_CHECKING:
    from antecede.experiment import Outcome
    from antecede.report.results import Queries

FILE = """languages = ["en", "fr", "de"]
[collection]
synthetic = { patents = 120, seed = 3, topics = 40, length = 300 }
[search]
methods = ["full", "tf", "tfidf+lm"]
terms = 20
k = 50
[evaluation]
measures = ["AP", "R@10", "PRES@50"]
[study]
robustness = false
agreement = false
correlation = { measures = ["AP", "R@10"] }
cutoffs = false
query_length = { methods = "tfidf", at = [2, 8], measures = "AP" }
retrievability = { methods = "tf", at = [10] }
"""
LANGUAGES = ("en", "fr", "de")


def run(folder: Path, text: str = FILE, **how: Any) -> Outcome:
    (folder / "x.toml").write_text(text)
    return run_experiment(folder / "x.toml", threads=2, **how)


def states(outcome: Outcome) -> dict[str, str]:
    return {each.step: each.state for each in outcome.events}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that is done, to be copied."""
    from tests.experiment import conftest

    folder = tmp_path_factory.mktemp("done")
    with pytest.MonkeyPatch.context() as patch:
        conftest.without_drawing(patch)
        run(folder)
    return folder


@pytest.fixture
def here(done: Path, tmp_path: Path, plain: None) -> Path:
    shutil.copytree(done, tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.slow
def test_every_language_is_a_part_with_its_runs_queries_and_tables(here: Path) -> None:
    results = load_experiment(here / "x")
    qrels = read_qrels(here / "x" / "collection" / "qrels.txt")
    assert [part.name for part in results.parts] == [*LANGUAGES]
    assert [part.title for part in results.parts] == ["English", "French", "German"]
    assert sorted(topic for part in results.parts for topic in part.ranks.topics) == sorted(qrels.topics)
    for part in results.parts:
        folder = here / "x" / "parts" / part.name
        assert {each.name for each in (folder / "runs").iterdir()} == {"full.run", "tf.run", "tfidf+lm.run"}
        assert part.ranks.runs == ("full", "tf", "tfidf+lm")
        assert [part.runs[name].terms for name in ("tf", "tfidf+lm")] == [20, 40]
        assert part.runs["full"].terms > 20  # type: ignore[operator]
        assert part.runs["tf"].milliseconds > part.runs["tf"].making > 0  # type: ignore[operator]
        queries = part.queries("tf")
        assert {*queries} == {*part.ranks.topics}
        assert {len(terms) for terms in queries.values()} == {20}
        assert methods_in(part.queries("tfidf+lm")) == {"tfidf", "lm"}
        judged = {*part.ranks.docs}
        assert {*part.titles} == {*part.ranks.topics} | judged
        assert all(part.titles.values())
        assert [*part.studies] == ["correlation", "query_length", "retrievability"]
    assert [part.comparison and part.comparison.baseline for part in results.parts] == ["full", None, "full"]
    assert "runs tf and full have 1 topic in common; a paired test needs two" in results.parts[1].notes[0]
    assert (here / "x" / "tables" / "cost.md").read_text().count("tfidf+lm") == 3


def test_retrievability_is_that_of_the_topics_and_its_tables_are_kept(here: Path) -> None:
    index = open_index(here / "x/index")
    part = load_experiment(here / "x").parts[0]
    topics = [Patent.from_dict(json.loads(line)) for line in (here / "x/topics/topics.jsonl").read_text().splitlines()]
    direct = study.retrievability(
        index,
        [topic for topic in topics if topic.doc_id in part.ranks.topics],
        SearchSettings(k=50, terms=20),
        qrels=here / "x/parts/en/qrels.txt",
        methods=["tf"],
        models=["bm25"],
        at=[10],
    )
    assert part.studies["retrievability"].table() == direct.table()
    assert part.studies["retrievability"].tables()[1] == direct.groups_table()
    assert json.loads((here / "x/parts/en/studies/retrievability.json").read_text()) == direct.to_dict()


def test_an_index_of_the_same_name_elsewhere_is_another(here: Path, tmp_path: Path) -> None:
    wanted = (here / "x/parts/en/runs/tf.run").read_bytes()
    for name in ("first", "second"):
        with chdir(shutil.copytree(here, tmp_path / name)):
            shutil.rmtree("x/parts")
            run(Path())
            assert Path("x/parts/en/runs/tf.run").read_bytes() == wanted
        shutil.rmtree(tmp_path / name)


def test_queries_are_shown_in_words_and_saved_as_terms(here: Path) -> None:
    index = open_index(here / "x" / "index")
    changed = 0
    for part in load_experiment(here / "x").parts:
        analyzer = index.analyzer(part.name)
        lines = (here / "x" / "parts" / part.name / "queries" / "tf.jsonl").read_text("utf-8").splitlines()
        for saved in map(json.loads, lines):
            words, terms = part.queries("tf")[saved["topic"]], saved["queries"]["tf"]
            assert [(analyzer.terms(word), weight) for word, weight in words.items()] == [
                ([term], weight) for term, weight in terms.items()
            ]
            changed += sum(word.lower() != term for word, term in zip(words, terms, strict=True))
    assert changed > 20  # words that are longer than their stems


def methods_in(queries: Queries) -> set[str]:
    return {term.partition(": ")[0] for each in queries.values() for term in each}


def test_runs_are_those_that_a_batch_gives(here: Path) -> None:
    index = open_index(here / "x" / "index")
    topics = [
        Patent.from_dict(json.loads(line)) for line in (here / "x" / "topics" / "topics.jsonl").read_text().splitlines()
    ]
    german = [each for each in topics if each.language == "de"]
    plan = SearchSettings(("tfidf", "lm"), terms=20, k=50)
    expected = read_run(run_topics(index, german, plan).rankings)
    found = read_run(here / "x" / "parts" / "de" / "runs" / "tfidf+lm.run")
    assert found.to_polars().equals(expected.to_polars())
    scores = evaluate(rank_table(here / "x" / "collection" / "qrels.txt", {"x": found}), "AP", missing="skip")
    part = load_experiment(here / "x").parts[2]
    assert part.scores.totals[0, 2] == pytest.approx(scores.totals[0, 0], abs=1e-12)


def test_nothing_is_redone_and_saved_results_are_the_results(here: Path) -> None:
    outcome = run(here)
    assert {*states(outcome).values()} == {"kept"}
    assert numbers(load_experiment(here / "x")) == numbers(outcome.results)


def test_one_methods_terms_redo_its_runs_and_what_depends_on_them_alone(here: Path) -> None:
    changed = FILE.replace('methods = ["full", "tf", "tfidf+lm"]', 'methods = ["full"]')
    changed += '[[runs]]\nname = "tf"\nmethod = "tf"\nterms = 30\nk = 50\n'
    changed += '[[runs]]\nname = "tfidf+lm"\nmethods = "tfidf+lm"\nterms = 20\nk = 50\n'
    outcome = run(here, changed)
    made = [step for step, state in states(outcome).items() if state == "made"]
    each = ["run {}/tf", "words {}", "ranks {}", "tables {}", "study {}/correlation", "study {}/retrievability"]
    assert made == [step.format(name) for name in LANGUAGES for step in each] + ["tables", "report"]
    why = next(event.why for event in outcome.events if event.step == "run fr/tf")
    assert why == "terms: 20 → 30"
    assert run(here, changed).events[-1].state == "kept"


def stop_at(what: str, share: float = 0.5) -> Any:
    def progress(step: str, at: int, of: int) -> None:
        if step.startswith(what) and at > share * of:
            raise KeyboardInterrupt

    return progress


@pytest.mark.slow
def test_a_stopped_experiment_goes_on_and_comes_to_the_same(here: Path, tmp_path: Path, done: Path) -> None:
    place = tmp_path / "again"
    place.mkdir()
    for what in ("writing patents", "reading topics", "searching, en, tf", "searching, de, full"):
        with pytest.raises(KeyboardInterrupt):
            run(place, progress=stop_at(what))
        assert not (place / "x" / "record.json").exists()
    outcome = run(place)
    resumed = {event.step: event.why for event in outcome.events if event.state == "resumed"}
    assert [*resumed] == ["run de/full"]
    assert resumed["run de/full"].startswith("resumes after ")
    assert states(outcome)["run en/tf"] == "kept"
    for path in sorted((done / "x" / "parts").rglob("*.run")):
        assert (place / "x" / path.relative_to(done / "x")).read_bytes() == path.read_bytes()
    assert not [*(place / "x").rglob("*.partial")]
    first, second = (
        [part.scores.to_dict(per_topic=True) for part in load_experiment(each / "x").parts] for each in (place, here)
    )
    assert first == second


@pytest.mark.slow
def test_an_index_that_was_not_finished_is_gone_on_with(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("antecede.index.maintain.commit", killed)
        with pytest.raises(KeyboardInterrupt):
            run(here, FILE.replace("[search]", "[index]\nprofile = 'published'\n[search]"))
    outcome = run(here, FILE.replace("[search]", "[index]\nprofile = 'published'\n[search]"))
    found = {event.step: (event.state, event.why) for event in outcome.events}
    assert found["index"][0] == "resumed"
    assert found["index"][1].startswith('resumes an unfinished build; profile: "default" → "published"')
    assert found["run en/tf"][0] == "made"
    assert states(run(here, FILE))["index"] == "made"


@pytest.mark.slow
def test_another_seed_makes_another_collection_but_never_removes_what_is_not_its_own(here: Path) -> None:
    changed = FILE.replace("seed = 3", "seed = 4")
    mine = here / "x" / "collection" / "notes.txt"
    mine.write_text("mine")
    with pytest.raises(UsageError, match=r"x/collection: already exists and is not an empty folder; remove it"):
        run(here, changed)
    assert mine.read_text() == "mine"
    mine.unlink()
    outcome = run(here, changed)
    why = next(event.why for event in outcome.events if event.step == "collection")
    assert why == "synthetic.seed: 3 → 4"
    assert states(outcome)["index"] == "made"


@pytest.mark.slow
def test_a_collection_of_files_its_citations_and_an_index_that_is_there(here: Path) -> None:
    patents = here / "x" / "collection" / "collection"
    cited = f"collection = '{patents}'\n[topics]\nafter = 1990-01-01\nfewest = 2\n[search]\nmethods = ['full', 'tf']\n"
    (here / "cited.toml").write_text(cited)
    outcome = run_experiment(here / "cited.toml")
    assert (here / "cited" / "topics" / "qrels.txt").exists()
    assert {part.name for part in outcome.parts} <= {"en", "fr", "de"}
    by_name = "qrels = 'cited/topics/qrels.txt'\nindex = 'cited/index'\nlanguages = 'together'\n"
    (here / "named.toml").write_text(by_name + "[search]\nmethods = ['full', 'tf']\n")
    named = run_experiment(here / "named.toml")
    (here / "both.toml").write_text(by_name + "collection = 'x/collection/collection'\n")
    with pytest.raises(InputError, match="toml: index: an index and a collection are given; leave one of them out"):
        plan_experiment(here / "both.toml")
    assert not (here / "named" / "index").exists()
    assert [part.name for part in named.parts] == ["all"]
    topics = {topic for part in outcome.parts for topic in part.ranks.topics}
    assert {*named.parts[0].ranks.topics} == topics
    for part in outcome.parts:
        together = {
            entry["name"]: entry["per_topic"] for entry in named.parts[0].scores.to_dict(per_topic=True)["runs"]
        }
        for entry in part.scores.to_dict(per_topic=True)["runs"]:
            for topic, scores in entry["per_topic"].items():
                assert together[entry["name"]][topic] == scores


def test_another_judgement_redoes_no_run(here: Path) -> None:
    shutil.copy(here / "x" / "collection" / "qrels.txt", here / "qrels.txt")
    text = "qrels = 'qrels.txt'\ntopics = 'x/topics/topics.jsonl'\nindex = 'x/index'\nlanguages = ['de']\n"
    text += "[search]\nmethods = ['full', 'tf']\n"
    run_experiment(here / write(here, text))
    german = load_experiment(here / "y").parts[0].ranks.topics[0]
    (here / "qrels.txt").write_text((here / "qrels.txt").read_text() + f"{german} 0 EP1 0\n")
    found = states(run_experiment(here / "y.toml"))
    assert {step: state for step, state in found.items() if step.startswith("run ")} == {
        "run de/full": "kept",
        "run de/tf": "kept",
    }
    assert (found["topics"], found["part de"], found["ranks de"]) == ("kept", "made", "made")


def test_a_language_that_no_topic_or_no_text_has_is_said_before_anything_is_searched(here: Path) -> None:
    patents = here / "x" / "collection"
    text = "languages = ['en', '{}']\nqrels = 'x/collection/qrels.txt'\ntopics = '{}'\ncollection = '{}'\n"
    lines = (here / "x" / "topics" / "topics.jsonl").read_text().splitlines()
    (here / "english.jsonl").write_text("".join(f"{e}\n" for e in lines if json.loads(e)["language"] == "en"))
    with pytest.raises(InputError, match=r"toml: languages\[2\]: no judged topic is in 'fr'; topics are in: en"):
        run_experiment(here / write(here, text.format("fr", "english.jsonl", patents / "collection")))
    with pytest.raises(InputError, match=r"toml: languages\[2\]: the collection has no text in 'it'"):
        run_experiment(here / write(here, text.format("it", "english.jsonl", patents / "collection")))
    assert not (here / "y" / "parts").exists()


def write(folder: Path, text: str) -> str:
    (folder / "y.toml").write_text(text)
    return "y.toml"


@pytest.mark.slow
def test_topics_that_cannot_be_used_are_counted_and_a_run_of_others_stands_beside(here: Path) -> None:
    lines = (here / "x" / "topics" / "topics.jsonl").read_text().splitlines()
    kept = [line for line in lines if json.loads(line)["language"] != "fr"]
    (here / "topics.jsonl").write_text(
        "\n".join([*kept[1:], '{"doc_id": "EP77", "title": "Unjudged gear"}', "{broken"])
    )
    german = (here / "x" / "parts" / "de" / "runs" / "tf.run").read_text()
    (here / "theirs.run").write_text(german)
    text = f"qrels = 'x/collection/qrels.txt'\ntopics = 'topics.jsonl'\ncollection = '{here}/x/collection/collection'\n"
    text += "languages = ['en', 'de']\nruns = ['theirs.run']\n[search]\nmethods = ['full', 'tf']\n"
    outcome = run_experiment(here / write(here, text))
    english, german_part = outcome.results.parts
    french = sum(json.loads(line)["language"] == "fr" for line in lines)
    assert any(f"left out: {french + 1} (" in note for note in english.notes)
    assert any("Not judged, and not searched for: 1 (EP77)." in note for note in english.notes)
    assert any("1 topics left out: " in note for note in english.notes)
    assert "Run theirs.run has no topic of this part." in english.notes
    assert english.ranks.runs == ("full", "tf")
    assert german_part.ranks.runs == ("full", "tf", "theirs.run")
    assert [*german_part.runs] == ["full", "tf"]
    (here / "theirs.run").write_text("broken\n")
    with pytest.raises(InputError, match=r"theirs\.run"):
        run_experiment(here / write(here, text.replace("['full', 'tf']", "['full', 'uft']")))
    assert not [*(here / "y" / "parts").rglob("uft*")]


def test_a_list_ends_where_nothing_more_can_be_told(here: Path, tmp_path: Path) -> None:
    (tmp_path / "new.toml").write_text(FILE)
    _, events = plan_experiment(tmp_path / "new.toml")
    assert [(event.step, event.state) for event in events] == [
        (step, "to be made") for step in ("collection", "topics", "index")
    ]
    (here / "x.toml").write_text(FILE.replace("k = 50", "k = 40"))
    states = {event.step: event.state for event in plan_experiment(here / "x.toml")[1]}
    assert (states["index"], states["run de/tf"], states["tables de"]) == ("kept", "to be made", "to be made")
    assert [*states][-2:] == ["tables", "report"]


def test_changed_topics_are_searched_with_their_new_text_in_the_same_process(here: Path) -> None:
    lines = (here / "x" / "topics" / "topics.jsonl").read_text().splitlines()
    german = [json.loads(line) for line in lines if json.loads(line)["language"] == "de"][:2]
    text = "qrels = 'x/collection/qrels.txt'\ntopics = 'topics.jsonl'\nindex = 'x/index'\nlanguages = ['de']\n"
    queries = []
    for first, second in (german, german[::-1]):
        swapped = [{**first, "doc_id": german[0]["doc_id"]}, {**second, "doc_id": german[1]["doc_id"]}]
        (here / "topics.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in swapped))
        run_experiment(here / write(here, text + "[search]\nmethods = 'tf'\n[study]\n"))
        saved = (here / "y" / "parts" / "de" / "queries" / "tf.jsonl").read_text().splitlines()
        queries.append([json.loads(line)["queries"]["tf"] for line in saved])
    assert queries[0] == queries[1][::-1]
    assert queries[0] != queries[1]
