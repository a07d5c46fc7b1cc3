"""Experiments with runs alone: what is written, what is redone, and that saved results are the results."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede import evaluate, rank_table, study
from antecede.errors import AntecedeError, InputError, UsageError
from antecede.experiment import load_experiment, plan_experiment, run_experiment
from tests.experiment.conftest import without_drawing, write_inputs

if TYPE_CHECKING:
    from antecede.report.results import ReportContents

FILE = """title = "Four runs"
qrels = "qrels.txt"
runs = ["a.run", "b.run", "c.run", { path = "d.run", name = "best" }]
[evaluation]
measures = ["AP", "R@5", "GMAP"]
baseline = "a.run"
[study]
robustness = { samples = 5, measures = ["AP", "R@5"] }
cutoffs = { at = [1, 5, 10] }
"""


def run(folder: Path, text: str = FILE, **how: Any) -> dict[str, str]:
    """Run an experiment; what became of each step."""
    (folder / "x.toml").write_text(text)
    return {each.step: each.state for each in run_experiment(folder / "x.toml", **how).events}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that is done, to be copied."""
    folder = tmp_path_factory.mktemp("finished")
    write_inputs(folder)
    with pytest.MonkeyPatch.context() as patch:
        without_drawing(patch)
        run(folder)
    return folder


@pytest.fixture
def done(finished: Path, tmp_path: Path, plain: None) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "done"))


STEPS = ["part all", "ranks all", "tables all", *(f"study all/{name}" for name in ("robustness", "agreement"))]
STEPS += [*(f"study all/{name}" for name in ("correlation", "cutoffs")), "tables", "report"]


def test_the_folder_holds_all_of_it(here: Path) -> None:
    assert run(here) == dict.fromkeys(STEPS, "made")
    part = here / "x" / "parts" / "all"
    assert (here / "x" / "report.html").read_text().splitlines() == [
        "Four runs",
        "all robustness, agreement, correlation, cutoffs",
    ]
    assert (here / "x" / "experiment.toml").read_text() == FILE
    tables = {each.name for each in (part / "tables").iterdir()}
    for name in ("scores", "comparison", "differences", "audit", "robustness", "agreement", "correlation", "cutoffs"):
        assert {f"{name}.csv", f"{name}.md", f"{name}.tex"} <= tables
    assert "cost.csv" not in tables
    with (part / "tables" / "scores.csv").open() as file:
        rows = [*csv.DictReader(file)]
    expected = evaluate(rank_table(here / "qrels.txt", [here / f"{name}.run" for name in "abcd"]), ["AP", "R@5"])
    assert [row["run"] for row in rows] == ["a.run", "b.run", "c.run", "best"]
    assert [float(row["AP"]) for row in rows] == expected.totals[0].tolist()
    assert {each.stem for each in (part / "studies").iterdir()} == {"robustness", "agreement", "correlation", "cutoffs"}
    assert (here / "x" / "tables" / "summary.tex").read_text().count("\nFour runs &") == 1
    with (here / "x" / "tables" / "summary.csv").open() as file:  # for programs, every row says of which part it is
        assert [(row["part"], row["run"]) for row in csv.DictReader(file)] == [
            ("Four runs", row["run"]) for row in rows
        ]


def test_the_share_of_the_whole_grows_to_all_of_it(here: Path) -> None:
    (here / "x.toml").write_text(FILE)
    with pytest.raises(UsageError, match="workers"):
        run_experiment(here / "x.toml", workers=0)
    shares = [event.share for event in run_experiment(here / "x.toml").events]
    assert shares == [(at + 1) / len(STEPS) for at in range(len(STEPS))]


def test_a_stranger_finds_all_in_the_record(done: Path) -> None:
    record = json.loads((done / "x" / "record.json").read_text())
    assert {*record["inputs"]} == {"x.toml", "qrels.txt", "a.run", "b.run", "c.run", "d.run"}
    assert all(each.startswith("sha256:") and len(each) == 71 for each in record["inputs"].values())
    assert record["seeds"] == {"evaluation": 0, "robustness": 0, "agreement": 0}
    assert record["options"]["evaluation"]["correction"] == "holm"
    assert {"numpy", "polars"} <= record["packages"].keys()
    assert "report.html" in record["outputs"]
    for name in record["outputs"]:
        assert (done / "x" / name).is_file()
    assert str(done) not in json.dumps(record)


def test_nothing_is_redone_where_nothing_changed_not_even_when_files_are_touched(done: Path) -> None:
    for name in ("a.run", "qrels.txt"):
        (done / name).write_bytes((done / name).read_bytes())
    assert run(done) == dict.fromkeys(STEPS, "kept")


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("samples = 5", "samples = 6", {*STEPS} - {"study all/robustness", "report"}),
        ('"GMAP"', '"P@2"', {"part all", "ranks all", *(step for step in STEPS if "study" in step)}),
        ("Four runs", "Runs", {*STEPS} - {"tables", "report"}),
        ('"b.run", "c.run"', '"c.run", "b.run"', {"part all"}),
        ('baseline = "a.run"', 'baseline = "best"', {"part all", "ranks all", *(s for s in STEPS if "study" in s)}),
    ],
)
def test_only_what_depends_on_a_change_is_redone(done: Path, old: str, new: str, kept: set[str]) -> None:
    found = run(done, FILE.replace(old, new))
    assert {step for step, state in found.items() if state == "kept"} == kept
    assert {*found.values()} <= {"kept", "made"}


def numbers(results: ReportContents) -> Any:
    """All numbers of results, to be held beside others."""
    return json.dumps(
        [
            [
                part.name,
                part.title,
                part.scores.to_dict(per_topic=True),
                part.comparison.to_dict() if part.comparison else None,
                {name: study.to_dict() for name, study in part.studies.items()},
                part.audit.to_dict(),
                [*part.notes],
                dict(part.titles),
                {name: [run.method, run.terms, run.milliseconds, run.notes] for name, run in part.runs.items()},
            ]
            for part in results.parts
        ]
    )


def test_saved_results_are_the_results(here: Path) -> None:
    (here / "x.toml").write_text(FILE)
    outcome = run_experiment(here / "x.toml")
    loaded = load_experiment(here / "x")
    assert numbers(loaded) == numbers(outcome.results)
    assert loaded.record == json.loads(json.dumps(outcome.record))
    part = loaded.parts[0]
    assert np.array_equal(part.ranks.ranks.ranks, outcome.parts[0].ranks.ranks.ranks)
    assert part.notes == ("comparison: GMAP cannot be tested topic by topic",)
    assert part.queries("a.run") == {}
    assert numbers(load_experiment(here / "x")) == numbers(loaded)


def test_one_run_is_scored_and_not_compared(here: Path) -> None:
    (here / "x.toml").write_text('qrels = "qrels.txt"\nruns = "a.run"\n')
    part = run_experiment(here / "x.toml").results.parts[0]
    assert (part.comparison, part.studies) == (None, {})
    assert not (here / "x" / "parts" / "all" / "tables" / "comparison.csv").exists()


def test_a_study_that_cannot_be_made_is_said_and_the_rest_goes_on(here: Path) -> None:
    text = 'qrels = "qrels.txt"\nruns = ["a.run", "b.run", "c.run"]\n'
    text += '[study]\nrobustness = { measures = ["R@13", "AP"] }\n'
    (here / "x.toml").write_text(text)
    part = run_experiment(here / "x.toml").results.parts[0]
    assert "robustness: R@13 is left out, since all runs have the same total" in part.notes
    (here / "x.toml").write_text(text.replace(', "AP"', ""))
    part = run_experiment(here / "x.toml").results.parts[0]
    assert any(note.startswith("robustness: not made: R@13") for note in part.notes)
    assert "robustness" not in part.studies
    assert [*load_experiment(here / "x").parts[0].notes] == [*part.notes]


def test_two_judges_and_published_tables_are_studied_as_their_functions_do(here: Path) -> None:
    (here / "second.txt").write_text((here / "qrels.txt").read_text().replace("d10 1", "d10 0"))
    text = FILE.replace("[study]\n", "[study]\nagreement = false\ncorrelation = false\n")
    text += "judges = { second = 'second.txt', measures = 'AP', alpha = 0.1 }\npublished = { samples = 2 }\n"
    assert run(here, text)["study all/judges"] == "made"
    runs = {"a.run": here / "a.run", "b.run": here / "b.run", "c.run": here / "c.run", "best": here / "d.run"}
    direct = study.judges(here / "x/parts/all/qrels.txt", here / "second.txt", runs, "AP", alpha=0.1)
    part = load_experiment(here / "x").parts[0]
    kept = part.studies["judges"].tables()
    assert [table.cells() for table in kept] == [table.cells() for table in direct.tables()]
    assert json.loads((here / "x/parts/all/studies/judges.json").read_text()) == direct.to_dict()
    assert part.studies["published"].table() == study.published(samples=2).table()
    assert run(here, text) == dict.fromkeys([*STEPS[:4], *STEPS[6:], "study all/judges", "study all/published"], "kept")
    (here / "second.txt").write_text((here / "qrels.txt").read_text())
    assert run(here, text)["study all/judges"] == "made"


def test_judges_need_the_other_judgements(here: Path) -> None:
    with pytest.raises(
        InputError, match=r"study\.judges: needs the key second, the path of a file; give second = PATH"
    ):
        run(here, FILE + "judges = true\n")


def test_a_folder_of_somebody_is_left_alone(here: Path) -> None:
    (here / "x").mkdir()
    (here / "x" / "thesis.tex").write_text("mine")
    with pytest.raises(UsageError, match="is neither empty nor an experiment folder"):
        run(here)
    assert [each.name for each in (here / "x").iterdir()] == ["thesis.tex"]
    assert run(here, out=here / "deep" / "y")["report"] == "made"
    (here / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        run(here, out=here / "file")


def test_a_run_that_does_not_fit_is_an_error(here: Path) -> None:
    (here / "b.run").write_text("99 Q0 d1 1 1.0 t\n")
    with pytest.raises(InputError, match="no topic in common"):
        run(here)
    with pytest.raises(InputError, match="this experiment was never finished"):
        load_experiment(here / "x")
    (here / "b.run").write_text("broken\n")
    with pytest.raises(AntecedeError, match=r"b\.run"):
        run(here)


def test_a_list_says_what_would_be_done_and_does_nothing(here: Path) -> None:
    (here / "x.toml").write_text(FILE)
    settings, events = plan_experiment(here / "x.toml")
    assert settings.names == ("a.run", "b.run", "c.run", "best")
    assert {each.state for each in events} == {"to be made"}
    assert not (here / "x").exists()
    run(here)
    before = {each: each.stat().st_mtime_ns for each in (here / "x").rglob("*")}
    (here / "x.toml").write_text(FILE.replace("samples = 5", "samples = 6"))
    states = {each.step: (each.state, each.why) for each in plan_experiment(here / "x.toml")[1]}
    assert states["study all/robustness"] == ("to be made", "options.samples: 5 → 6")
    assert states["ranks all"] == ("kept", "")
    assert {each: each.stat().st_mtime_ns for each in (here / "x").rglob("*")} == before


@pytest.mark.slow
def test_runs_alone_never_load_what_reads_and_searches_patents(here: Path) -> None:
    (here / "x.toml").write_text(FILE)
    script = (
        "import sys; from antecede.experiment import load_experiment, run_experiment;"
        "import antecede.report as r, types;"
        "page = types.ModuleType('antecede.report.html');"
        "page.write_report = lambda results, path: path.write_text('');"
        f"sys.modules['antecede.report.html'] = page; run_experiment({str(here / 'x.toml')!r});"
        f"load_experiment({str(here / 'x')!r});"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    left = ("patent", "corpus", "text", "index", "query", "search")
    # (Not lxml: a library below matplotlib takes it where it is there.)
    assert not {"numba", "Stemmer", *(f"antecede.{room}" for room in left)} & {*loaded}


def test_inputs_cannot_lie_where_results_are_written(done: Path) -> None:
    inside = done / "x" / "parts" / "all" / "qrels.txt"
    with pytest.raises(InputError, match=r"x\.toml: qrels: .* where the results are written; choose another folder"):
        run(done, FILE.replace("qrels.txt", "x/parts/all/qrels.txt"))
    inside.unlink()
    inside.symlink_to(done / "qrels.txt")  # results would be written through the link
    with pytest.raises(InputError, match="where the results are written"):
        run(done)
    assert (done / "qrels.txt").read_text().count("\n") == 36


def test_the_copy_of_the_file_can_be_run_again(done: Path) -> None:
    copy = done / "x" / "experiment.toml"
    copy.write_text(FILE.replace('"qrels.txt"', '"../qrels.txt"').replace('.run"', '.run"').replace('["a', '["../a'))
    copy.write_text(copy.read_text().replace('"b.run"', '"../b.run"').replace('"c.run"', '"../c.run"'))
    copy.write_text(copy.read_text().replace('"d.run"', '"../d.run"') + "# mine\r\n")
    before = copy.read_bytes()
    run_experiment(copy, out=done / "x")
    assert copy.read_bytes() == before


def test_a_record_or_results_that_were_changed_are_refused(done: Path) -> None:
    with pytest.raises(InputError, match="is not an experiment folder"):
        load_experiment(done)
    record = done / "x" / "record.json"
    whole = record.read_text()
    for noise in ("{", "[]", '{"format": "antecede experiment", "version": 99}', '{"format": "x"}'):
        record.write_text(noise)
        with pytest.raises(InputError, match=r"record\.json"):
            load_experiment(done / "x")
    record.write_text(whole.replace('"samples": 5', '"samples": 6', 1))
    assert record.read_text() != whole
    with pytest.raises(InputError, match=r"record\.json was modified or is damaged"):
        load_experiment(done / "x")
    record.write_text(whole)
    ranks = done / "x" / "parts" / "all" / "ranks.npz"
    rank_table(done / "qrels.txt", [done / "a.run"]).save(ranks)
    with pytest.raises(InputError, match=r"parts/all/ranks\.npz was modified or is damaged"):
        load_experiment(done / "x")
    ranks.unlink()
    with pytest.raises(InputError, match=r"parts/all/ranks\.npz cannot be read"):
        load_experiment(done / "x")
