"""What the default ranking finds on real patents, beside the classic search: as tables.

    python bench/ranking_study.py FOLDER

FOLDER keeps indexes, run files and judgements, which are made where they are missing; the patents are those of
$ANTECEDE_DATA, else of ../shared/data. Every ranking is a run file of `antecede run`, every test one of `antecede
compare` (paired t test, Holm's correction). Topics with a date are sorted by it: the default weights were derived from
the earlier half of each collection (bench/default_weights.py), so the halves are shown apart. bench/candidates_study.py
shows what each step of the default is worth.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.evaluation import command_line

from docs.site.evidence import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.search import Index

DATA = Path(os.environ.get("ANTECEDE_DATA", Path(__file__).resolve().parent.parent.parent / "shared" / "data"))
WHOLE = ("AP", "R@100", "R@1000", "PRES@1000", "P@10")
PLAIN = "auto,latent_space=0,word_vectors=0"
"""The default in an index without spaces."""


@dataclass(frozen=True)
class Collection:
    """A collection of patents with judgements."""

    name: str
    folder: Path
    source: str
    """Its folder in the data."""
    keep: Callable[[dict[str, Any]], bool] | None = None
    """Which documents belong to it; None for all."""
    drafts: bool = False
    """Whether the topics have only their title and abstract, as a draft that somebody pastes."""

    @property
    def index(self) -> Path:
        return self.folder / f"{self.name.removesuffix(' drafts')}.index"

    @property
    def topics(self) -> Path:
        """What is searched with: the patents that the judgements name, or drafts of them."""
        return self.folder / f"{self.name}.jsonl" if self.drafts else self.qrels

    @property
    def qrels(self) -> Path:
        return self.folder / f"{self.name}.qrels"

    def judgements(self, part: str = "") -> Path:
        """The judgements of a part of the topics."""
        return self.folder / f"{self.name}.{part}.qrels" if part else self.qrels

    def provide(self) -> None:
        """Make the index with both spaces, and the judgements of all topics and of the parts by date."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = [line.split() for line in (DATA / self.source / "qrels.txt").read_text().splitlines()]
        if not self.index.exists():
            patents = next((DATA / self.source).glob("patents.jsonl.*"))
            if self.keep is not None:
                with gzip.open(patents, "rt") as whole:
                    kept = [line for line in whole if self.keep(json.loads(line))]
                patents = self.folder / f"{self.name}.jsonl"
                patents.write_text("".join(kept), encoding="utf-8")
            antecede("index", patents, "--out", self.index)
            antecede("learn", "space", self.index, "--kind", "both", "--workers", 1)
        if not self.qrels.exists():
            self.split(lines)
        if self.drafts and not self.topics.exists():
            self.write_drafts()

    def write_drafts(self) -> None:
        """Write the topics with title and abstract only."""
        from antecede.search import open_index

        index = open_index(self.index)
        names = dict.fromkeys(line.split()[0] for line in self.qrels.read_text().splitlines())
        drafts = (replace(index.patent(name), description={}, claims={}).to_dict() for name in names)
        self.topics.write_text("".join(json.dumps(each) + "\n" for each in drafts), encoding="utf-8")

    def split(self, lines: list[list[str]]) -> None:
        """Write the judgements: those whose topic and document belong to the collection."""
        from antecede.engine import number_of
        from antecede.search import open_index

        index = open_index(self.index)
        here = {each for row in lines for each in (row[0], row[2]) if number_of(index, each) is not None}
        rows = [row for row in lines if {row[0], row[2]} <= here]
        names = sort_by_date(index, {row[0] for row in rows})
        half = len(names) // 2
        parts = {
            "earlier": names[:half],
            "later": names[half:],
            "undated": {row[0] for row in rows}.difference(names),
        }
        for part, topics in parts.items():
            self.judgements(part).write_text("".join(" ".join(row) + "\n" for row in rows if row[0] in {*topics}))
        self.qrels.write_text("".join(" ".join(row) + "\n" for row in rows))

    def run(self, name: str, *options: str) -> str:
        """Rank all topics, once; the argument of `compare` for it."""
        out = self.folder / f"{self.name}.{name}.run".replace(" ", "_")
        if not out.exists():
            antecede("run", self.index, self.topics, *options, "--out", out, "--threads", 1)
        return f"{name}={out}"

    def compare(
        self, runs: Sequence[str], part: str, baseline: str = "classic"
    ) -> tuple[int, dict[str, dict[str, Any]]]:
        """The number of topics, and what `antecede compare` says of each run beside the baseline."""
        options = ("--baseline", baseline, "-m", ",".join(WHOLE))
        found = antecede("compare", self.judgements(part), *runs, *options)
        return found["topics"], {each["name"]: each for each in found["runs"]}


def sort_by_date(index: Index, topics: Iterable[str]) -> list[str]:
    """The topics that have a date, the earliest first."""
    dates = {topic: index.patent(topic).date for topic in topics}
    return [topic for _, topic in sorted((str(day), topic) for topic, day in dates.items() if day is not None)]


def antecede(*arguments: Any) -> Any:
    """Run a verb of antecede; its JSON."""
    command = [command_line(), *map(str, arguments), "--json"]
    print("  " + " ".join(map(str, arguments)), file=sys.stderr, flush=True)
    command += ["-q"] if arguments[0] != "compare" else []
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def is_alike(patent: dict[str, Any]) -> bool:
    """Whether an abstract has a title, a date, classes of both schemes and a family."""
    return all(patent.get(field) for field in ("title", "date", "ipc", "cpc", "family"))


# Tables


def show(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    print(f"\n{title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def score(found: dict[str, Any], measure: str) -> str:
    """A mean as .943, with † where it is significantly better than the baseline and ‡ where it is worse."""
    mark = "" if not found["significant"][measure] else "†" if found["difference"][measure] > 0 else "‡"
    return f"{found['scores'][measure]:.3f}".removeprefix("0") + mark


def figures_of(
    name: str, part: str, topics: int, systems: Iterable[str], found: dict[str, dict[str, Any]]
) -> Iterator[Figure]:
    """What `antecede compare` says of each system, as figures of a study."""
    yield Figure(name, part, "", "topics", str(topics))
    for system in systems:
        for measure, value in found[system]["scores"].items():
            significant = found[system]["significant"].get(measure)
            better = significant and found[system]["difference"][measure] > 0
            mark = "" if not significant else "better" if better else "worse"
            yield Figure(name, part, system, measure, f"{value:.4f}", mark)


def show_runs(each: Collection) -> None:
    """The classic search and the default, with and without spaces; whole collections, and by date."""
    rankings = {"classic": "classic", "default": PLAIN, "default with spaces": "auto"}
    if each.source != "patents-abstract":
        rankings["default without same_applicant"] = f"{PLAIN},same_applicant=0"
    runs = [each.run(name, "--ranking", ranking) for name, ranking in rankings.items()]
    rows: list[Sequence[str]] = []
    for part in ("", "earlier", "later", "undated"):
        if each.judgements(part).stat().st_size:
            topics, found = each.compare(runs, part)
            rows += [
                (f"{part or 'all'}: {name}", str(topics), *(score(found[name], one) for one in WHOLE))
                for name in rankings
            ]
    show(f"{each.name}; † better than classic, ‡ worse", ("", "topics", *WHOLE), rows)


def collections(folder: Path) -> Iterator[Collection]:
    """The collections that are studied, with their indexes and judgements."""
    for each in (
        Collection("large", folder, "patents-large"),
        Collection("large drafts", folder, "patents-large", drafts=True),
        Collection("fulltexts", folder, "patents-fulltext"),
        Collection("fulltexts drafts", folder, "patents-fulltext", drafts=True),
        Collection("abstracts", folder, "patents-abstract"),
        Collection("homogeneous", folder, "patents-abstract", is_alike),
    ):
        each.provide()
        yield each


def main() -> None:
    for each in collections(Path(sys.argv[1])):
        show_runs(each)


if __name__ == "__main__":
    main()
