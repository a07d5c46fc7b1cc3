"""Every line that the PRES authors' own script printed for six CLEF-IP 2011 runs, through the command line."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path


class Line(NamedTuple):
    run: str
    topic: str
    pres: str
    ap: str
    found: int
    n: int
    ranks: list[int]

    @property
    def has_duplicates(self) -> bool:
        return self.found > self.n


def lines_of(data: Path) -> list[Line]:
    text = (data / "pres-reference" / "vectors.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in text]
    return [
        Line(run, topic, pres, ap, int(found), int(n), [int(rank) for rank in ranks.split(",") if rank])
        for run, _, topic, pres, ap, _, found, n, ranks in rows
    ]


def write_files(lines: list[Line], folder: Path) -> tuple[Path, Path]:
    """A run with relevant documents at the printed ranks, and qrels with as many as were printed.

    Where more were found than there are, the last ones are copies of the first: what the script must have seen.
    """
    qrels, run = folder / "qrels.txt", folder / "a.run"
    judged, retrieved = [], []
    for line in lines:
        judged += [f"{line.topic} 0 relevant-{i} 1\n" for i in range(line.n)]
        at = {rank: f"relevant-{i % line.n}" for i, rank in enumerate(line.ranks)}
        depth = max([100, *line.ranks])
        retrieved += [
            f"{line.topic} Q0 {at.get(rank, f'other-{rank}')} {rank} {2000 - rank} script\n"
            for rank in range(1, depth + 1)
        ]
    qrels.write_text("".join(judged))
    run.write_text("".join(retrieved))
    return qrels, run


def close_to(value: float, printed: str) -> bool:
    return value == pytest.approx(float(printed), abs=1e-12, rel=1e-12)


def check(lines: list[Line], folder: Path, *options: str) -> None:
    qrels, run = write_files(lines, folder)
    outcome = call_program("evaluate", qrels, run, "-m", "PRES@1000,AP", "--json", "--per-topic", *options)
    assert outcome.code == 0, outcome.err
    topics = outcome.json["runs"][0]["per_topic"]
    for line in lines:
        assert close_to(topics[line.topic]["PRES@1000"], line.pres), line
        assert close_to(topics[line.topic]["AP"], line.ap), line


def test_every_line_without_duplicates(data: Path, tmp_path: Path) -> None:
    by_run: dict[str, list[Line]] = defaultdict(list)
    for line in lines_of(data):
        if not line.has_duplicates:
            by_run[line.run].append(line)
    assert sum(map(len, by_run.values())) == 1792
    for lines in by_run.values():
        check(lines, tmp_path)


def test_lines_with_duplicates_are_refused_and_kept_only_if_asked(data: Path, tmp_path: Path) -> None:
    lines = [line for line in lines_of(data) if line.has_duplicates]
    assert len(lines) == 8
    qrels, run = write_files(lines, tmp_path)
    refused = call_program("evaluate", qrels, run, "-m", "PRES@1000")
    assert refused.code == 2
    assert "appears twice" in refused.err
    assert str(run) in refused.err
    assert refused.err.count("\n") == 1
    check(lines, tmp_path, "--duplicates", "keep")


CLEFIP_2011 = {
    "CORI": "CORI.res",
    "GMs_decision_tree": "global_decision_tree.res",
    "GMs_svr": "global_svr.res",
    "MMs_polynomial_x2": "polynomial_x2_SSL_merged_results.res",
    "MMs_random_forest": "likeSSL_random_forest.res",
}


@pytest.mark.parametrize("name", CLEFIP_2011)
def test_clefip_2011_end_to_end(data: Path, name: str) -> None:
    folder = data / "clefip2011"
    run = folder / f"{name}.res.gz"
    options = ["--duplicates", "keep"] if name == "MMs_random_forest" else []
    outcome = call_program(
        "evaluate", folder / "qrels.partial.txt", run, "-m", "PRES@1000", "--json", "--per-topic", *options
    )
    assert outcome.code == 0, outcome.err
    ours = {topic.lower(): scores["PRES@1000"] for topic, scores in outcome.json["runs"][0]["per_topic"].items()}
    printed = {line.topic: line.pres for line in lines_of(data) if line.run == CLEFIP_2011[name]}
    wrong = {
        topic: (ours.get(topic), pres) for topic, pres in printed.items() if not close_to(ours.get(topic) or 0.0, pres)
    }
    assert not wrong
    assert len(printed) == 300


def test_the_run_with_duplicates_is_refused_as_it_stands(data: Path) -> None:
    folder = data / "clefip2011"
    outcome = call_program("evaluate", folder / "qrels.partial.txt", folder / "MMs_random_forest.res.gz")
    assert outcome.code == 2
    assert "appears twice" in outcome.err
