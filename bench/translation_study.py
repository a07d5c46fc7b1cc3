"""How many parallel claims a table of translations needs: the table of docs/verbs/translate.md.

    python bench/translation_study.py FOLDER

FOLDER keeps what is made. A synthetic collection of 3,000 patents and 150 topics, each reduced to the text in its own
language, is searched with `--language all`, without a table and with tables learned from 100, 1,000 and 10,000 parallel
claims of another synthetic collection with another seed: no claim of a document that is searched is learned from.
Judgements are split into those whose document is in the language of the topic and those in another.

    python bench/translation_study.py FOLDER as-written

measures the collection as it is written, as the EPO does: titles in three languages, claims in three of granted
patents. The searches are those of a user: the default, `--language all`, and that with a table of 10,000 claims. The
figures go to docs/studies/languages.csv, with paired t tests against the default (Holm's correction).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import zstandard
from bench.ranking_study import antecede, show

from docs.site.evidence import Figure, read_figures, write_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

PATENTS, TOPICS, SEED = 3000, 150, 11
PARALLEL, OTHER_SEED = 5000, 12
CLAIMS = (100, 1_000, 10_000)
TEXTS = ("title", "abstract", "description", "claims")
RANKINGS = ("auto", "classic")
PARTS = ("cross", "same", "all")
MEASURES = ("R@100", "AP", "PRES@1000")
ALPHA = 0.05


def synthesize(folder: Path, patents: int, topics: int, seed: int) -> Path:
    """A synthetic collection, made once."""
    if not folder.exists():
        size = ("--patents", patents, "--topics", topics, "--seed", seed)
        antecede("synthesize", *size, "--form", "jsonl", "--workers", 1, "--out", folder)
    return folder


def read_patents(folder: Path) -> Iterator[dict[str, Any]]:
    """The patents of a folder, each with the text in its own language only."""
    with zstandard.open(folder / "patents.jsonl.zst", "rt") as lines:
        for line in lines:
            patent = json.loads(line)
            own = patent["language"]
            yield patent | {field: {own: patent[field][own]} for field in TEXTS if own in patent.get(field, {})}


def reduce(source: Path, out: Path) -> dict[str, str]:
    """Write patents with the text in their own language only; name → language."""
    languages = {}
    with out.open("w", encoding="utf-8") as file:
        for patent in read_patents(source):
            languages[patent["doc_id"]] = patent["language"]
            file.write(json.dumps(patent, ensure_ascii=False) + "\n")
    return languages


def split(folder: Path, languages: dict[str, str]) -> int:
    """Write the judgements of each part; how many topics have relevant documents in another language."""
    rows = [line.split() for line in (folder / "collection" / "qrels.txt").read_text().splitlines()]
    parts = {
        "cross": [row for row in rows if languages[row[0]] != languages[row[2]]],
        "same": [row for row in rows if languages[row[0]] == languages[row[2]]],
        "all": rows,
    }
    for part, chosen in parts.items():
        (folder / f"{part}.qrels").write_text("".join(" ".join(row) + "\n" for row in chosen))
    return len({row[0] for row in parts["cross"]})


def measure_as_written(folder: Path) -> None:
    """The figures of the collection as it is written."""
    collection = synthesize(folder / "collection", PATENTS, TOPICS, SEED)
    parallel = synthesize(folder / "parallel", PARALLEL, 10, OTHER_SEED)
    index, table = folder / "written.index", folder / f"{CLAIMS[-1]}.table"
    if not index.exists():
        antecede("index", collection / "collection", "--out", index)
    if not table.exists():
        antecede("learn", "translations", parallel / "collection", "--claims", CLAIMS[-1], "--out", table)
    languages = {each["doc_id"]: each["language"] for part in ("collection", "topics")
                 for each in read_patents(collection / part)}  # fmt: skip
    split(folder, languages)
    ways: dict[str, tuple[str, ...]] = {
        "default": (),
        "all": ("--language", "all"),
        "all with a table": ("--language", "all", "--translation", str(table)),
    }
    runs = []
    for name, given in ways.items():
        out = folder / f"written.{name.replace(' ', '_')}.run"
        if not out.exists():
            antecede("run", index, collection / "topics", *given, "--threads", 1, "--out", out)
        runs.append(f"{name}={out}")
    figures = [figure for figure in read_figures("languages") if figure.collection != "synthetic"]
    for part in PARTS:
        base: dict[str, float] = {}
        how = ("-m", ",".join(MEASURES), "--baseline", "default", "--test", "t", "--correction", "holm")
        for run in antecede("compare", folder / f"{part}.qrels", *runs, *how)["runs"]:
            for measure in MEASURES:
                value, p = run["scores"][measure], (run.get("p") or {}).get(measure)
                better = value > base.setdefault(measure, value)
                mark = "" if p is None or p >= ALPHA else "better" if better else "worse"
                figures.append(Figure("synthetic", part, run["name"], measure, f"{value:.4f}", mark))
    write_figures("languages", figures)


def main() -> None:
    folder = Path(sys.argv[1])
    if sys.argv[2:] == ["as-written"]:
        measure_as_written(folder)
        return
    collection = synthesize(folder / "collection", PATENTS, TOPICS, SEED)
    parallel = synthesize(folder / "parallel", PARALLEL, 10, OTHER_SEED)
    languages = reduce(collection / "collection", folder / "patents.jsonl")
    languages |= reduce(collection / "topics", folder / "topics.jsonl")
    index = folder / "index"
    if not index.exists():
        antecede("index", folder / "patents.jsonl", "--out", index)
    crossing = split(folder, languages)
    tables: dict[str, tuple[str, ...]] = {"none": ()}
    for claims in CLAIMS:
        table = folder / f"{claims}.table"
        if not table.exists():
            antecede("learn", "translations", parallel / "collection", "--claims", claims, "--out", table)
        tables[f"{claims:,} parallel claims"] = ("--translation", str(table))
    runs = {}
    for ranking in RANKINGS:
        for name, given in tables.items():
            out = folder / f"{ranking}.{name.replace(' ', '_')}.run"
            if not out.exists():
                how = ("--language", "all", *given, "--ranking", ranking, "--threads", 1)
                antecede("run", index, folder / "topics.jsonl", *how, "--out", out)
            runs[ranking, name] = f"{ranking} {name}={out}"
    found = {}
    for part in PARTS:
        compared = antecede("compare", folder / f"{part}.qrels", *runs.values(), "-m", "R@100,R@1000")
        found[part] = {each["name"]: each["scores"] for each in compared["runs"]}
    rows = []
    for name in tables:
        auto, classic = (f"{ranking} {name}" for ranking in RANKINGS)
        cells = (
            found["cross"][auto]["R@100"],
            found["cross"][auto]["R@1000"],
            found["same"][auto]["R@100"],
            found["all"][auto]["R@100"],
            found["all"][classic]["R@100"],
        )
        rows.append((name, *(f"{each:.3f}" for each in cells)))
    heads = ("table", "cross R@100", "cross R@1000", "same R@100", "all R@100", "all R@100, classic")
    show(f"{crossing} of {TOPICS} topics have relevant documents in another language", heads, rows)


if __name__ == "__main__":
    main()
