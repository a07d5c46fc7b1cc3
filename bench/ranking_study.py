"""The figures of docs/ranking.md: what rankings by evidence, and learned ones, find on real patents.

    python bench/ranking_study.py FOLDER [PART …]

FOLDER keeps indexes, run files and judgements, which are made where they are missing; the patents are those of
$ANTECEDE_DATA, else of ../shared/data. Every ranking is a run file of `antecede run`, every test one of `antecede
compare` (paired t test, Holm's correction). PART is one of those in `PARTS`, by default all; each prints a table in
Markdown.

Topics with a date are sorted by it. The default weights were derived from the earlier half of each collection
(bench/default_weights.py), so `runs` shows the halves apart. Rankings are learned from the earlier 60 % of the topics
with a date and tested on the later 40 %.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.evaluation import command_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

DATA = Path(os.environ.get("ANTECEDE_DATA", Path(__file__).resolve().parent.parent.parent / "shared" / "data"))
WHOLE = ("AP", "R@100", "R@1000", "PRES@1000", "P@10")
MAIN = ("R@100", "AP", "PRES@1000")
PLAIN = "auto,latent_space=0,word_vectors=0"
"""The default in an index without spaces."""
GROUPS = {
    "jelinek_mercer, cosine": ("jelinek_mercer", "cosine"),
    "latent_space, word_vectors": ("latent_space", "word_vectors"),
    "title": ("title",),
    "classes": ("classes",),
    "cited_by_hits, co_citation": ("cited_by_hits", "co_citation"),
    "same_applicant": ("same_applicant",),
}
LAMBDAS, NUMBERS, WEIGHTS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9), (75, 150, 300, 3000), ("root", "tf", "none")
CLAIMS = (100, 1000, 10_000)
LEARNED_FROM = 0.6
"""The share of the topics with a date that rankings are learned from, the earlier ones."""


@dataclass(frozen=True)
class Collection:
    """A collection of patents with judgements."""

    name: str
    folder: Path
    source: str
    """Its folder in the data."""
    keep: Callable[[dict[str, Any]], bool] | None = None
    """Which documents belong to it; None for all."""
    cite: bool = False
    """Whether what the judgements say is written into the documents as their citations."""

    @property
    def index(self) -> Path:
        return self.folder / f"{self.name}.index"

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
            patents = self.folder / f"{self.name}.jsonl"
            cited = defaultdict(list)
            for topic, _, document, _ in lines if self.cite else ():
                cited[topic].append(document)
            with gzip.open(DATA / self.source / "patents.jsonl.gz", "rt") as whole, patents.open("w") as out:
                for patent in map(json.loads, whole):
                    if self.keep is None or self.keep(patent):
                        out.write(json.dumps({**patent, **({"refs": cited[patent["id"]]} if self.cite else {})}) + "\n")
            antecede("index", patents, "--out", self.index)
            antecede("space", self.index, "--kind", "both", "--workers", 1)
        if not self.qrels.exists():
            self.split(lines)

    def split(self, lines: list[list[str]]) -> None:
        """Write the judgements: those whose topic and document belong to the collection."""
        from antecede.index import open_index

        index = open_index(self.index)
        here = {each for row in lines for each in (row[0], row[2]) if index.find(each) is not None}
        rows = [row for row in lines if {row[0], row[2]} <= here]
        dates = {topic: index.patent(topic).date for topic in {row[0] for row in rows}}
        dated = sorted((str(day), topic) for topic, day in dates.items() if day is not None)
        names = [topic for _, topic in dated]
        half, cut = len(names) // 2, round(LEARNED_FROM * len(names))
        parts = {
            "earlier": names[:half],
            "later": names[half:],
            "undated": [topic for topic, day in dates.items() if day is None],
            "learned": names[:cut],
            "tested": names[cut:],
        }
        for part, topics in parts.items():
            self.judgements(part).write_text("".join(" ".join(row) + "\n" for row in rows if row[0] in {*topics}))
        self.qrels.write_text("".join(" ".join(row) + "\n" for row in rows))

    def run(self, name: str, ranking: str | Path, part: str = "") -> str:
        """Rank all topics, or those of a part, once; the argument of `compare` for it."""
        out = self.folder / f"{self.name}{part and '.'}{part}.{name.replace(' ', '_')}.run"
        if not out.exists():
            antecede("run", self.index, self.judgements(part), "--ranking", ranking, "--out", out, "--threads", 1)
        return f"{name}={out}"

    def compare(
        self, runs: Sequence[str], baseline: str, part: str = "", measures: Sequence[str] = MAIN
    ) -> tuple[int, dict[str, dict[str, Any]]]:
        """The number of topics, and what `antecede compare` says of each run."""
        options = ("--baseline", baseline, "-m", ",".join(measures))
        found = antecede("compare", self.judgements(part), *runs, *options)
        return found["topics"], {each["name"]: each for each in found["runs"]}


def antecede(*arguments: Any) -> Any:
    """Run a verb of antecede; its JSON."""
    command = [command_line(), *map(str, arguments), "--json"]
    print("  " + " ".join(map(str, arguments)), file=sys.stderr, flush=True)
    command += ["-q"] if arguments[0] != "compare" else []
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def is_alike(patent: dict[str, Any]) -> bool:
    """Whether an abstract has a title, a date, classes of both schemes and a family."""
    return all(patent.get(field) for field in ("title", "date", "ipc", "cpc", "family"))


def collections(folder: Path) -> tuple[Collection, Collection, Collection, Collection]:
    """Full texts, abstracts, the homogeneous part of these, and full texts with citations."""
    found = (
        Collection("fulltexts", folder, "patents-fulltext"),
        Collection("abstracts", folder, "patents-abstract"),
        Collection("homogeneous", folder, "patents-abstract", is_alike),
        Collection("cited-fulltexts", folder, "patents-fulltext", cite=True),
    )
    for each in found:
        each.provide()
    return found


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


def gain(found: dict[str, Any], measure: str) -> str:
    """A difference from the baseline as +.012, with * where it is significant."""
    each = found["difference"][measure]
    written = f"{abs(each):.3f}".removeprefix("0")
    return ("" if written == ".000" else "+" if each > 0 else "−") + written + "*" * found["significant"][measure]


# Parts


def show_runs(*sets: Collection) -> None:
    """The classic search and the default, with and without spaces; whole collections, and by date."""
    heads = ("", "topics", *WHOLE)
    for each in sets:
        rankings = {"classic": "classic", "default": PLAIN, "default with spaces": "auto"}
        if each.source == "patents-fulltext":
            rankings["default without same_applicant"] = f"{PLAIN},same_applicant=0"
        runs = [each.run(name, ranking) for name, ranking in rankings.items()]
        rows = []
        for part in ("", "earlier", "later", "undated"):
            if each.judgements(part).stat().st_size:
                topics, found = each.compare(runs, "classic", part, WHOLE)
                for name in rankings:
                    scores = (score(found[name], measure) for measure in WHOLE)
                    rows.append((f"{part or 'all'}: {name}", str(topics), *scores))
        show(f"{each.name}; † better than classic", heads, rows)


def show_worth(*sets: Collection) -> None:
    """What each group of features is worth: left out of the default with spaces."""
    rows = defaultdict(list)
    for each in sets:
        left_out = {name: ",".join(["auto", *(f"{one}=0" for one in group)]) for name, group in GROUPS.items()}
        runs = [each.run(f"without {name}".replace(",", ""), ranking) for name, ranking in left_out.items()]
        _, found = each.compare([each.run("default with spaces", "auto"), *runs], "default with spaces")
        for name in GROUPS:
            one = found[f"without {name}".replace(",", "")]
            rows[name].append(" ".join(gain(one, measure) for measure in MAIN))
    heads = ("left out of the default with spaces", *(f"{each.name}: {', '.join(MAIN)}" for each in sets))
    show("Worth; * significant", heads, ((name, *cells) for name, cells in rows.items()))


def learn(each: Collection, kind: str, part: str = "") -> Path:
    """A ranking learned from topics, once."""
    out = each.folder / f"{each.name}{part and '.'}{part}.{kind}.json"
    if not out.exists():
        topics = each.judgements(part)
        if kind.startswith("ascent"):
            ascend_weights(each, topics, float(kind.partition(" ")[2]), out)
        else:
            antecede("learn", each.index, topics, topics, "--kind", kind, "--most", 10**6, "--threads", 1, "--out", out)
    return out


def ascend_weights(each: Collection, topics: Path, least: float, out: Path) -> None:
    """Weights by coordinate ascent from the default; a change must gain `least`."""
    from antecede.index import open_index
    from antecede.learning import collect_topics, gather_examples
    from antecede.learning.ascent import ascend
    from antecede.ranking.weights import weigh, write_weights

    opened = open_index(each.index)
    judged = collect_topics(opened, str(topics), str(topics), most=10**6)
    examples = gather_examples(opened, judged.patents, judged.relevant, threads=1)
    found = ascend(examples, examples.fixed, least=least, fixed=(examples.features.index("bm25"),))
    write_weights(weigh(dict(zip(examples.features, found.tolist(), strict=True))), out)


def show_learned(*sets: Collection) -> None:
    """Rankings learned from the earlier topics, on the later ones."""
    kinds = ("linear", "trees", "ascent 0.002", "ascent 0.005")
    for each in sets:
        runs = [each.run("classic", "classic"), each.run("default with spaces", "auto")]
        runs += [each.run(kind, learn(each, kind, "learned"), "tested") for kind in kinds]
        topics, classic = each.compare(runs, "classic", "tested")
        _, default = each.compare(runs, "default with spaces", "tested")
        rows = [
            (
                name,
                " ".join(score(classic[name], measure) for measure in MAIN),
                " ".join(gain(default[name], measure) for measure in MAIN) if "default" not in name else "",
            )
            for name in classic
        ]
        title = f"{each.name}, {topics} later topics; † better than classic, * differs from the default"
        show(title, ("", ", ".join(MAIN), "from the default"), rows)


def show_curve(*sets: Collection) -> None:
    """Cross-validation by date, leave-one-out and the learning curve of `antecede learn` over all topics."""
    for each in sets:
        out, topics = each.folder / f"{each.name}.curve.json", each.qrels
        options = ("--most", 10**6, "--threads", 1, "--curve", "--out", out)
        found = antecede("learn", each.index, topics, topics, *options)
        (each.folder / f"{each.name}.learned.json").write_text(json.dumps(found))
        rows = [
            (name, f"{weight:g}", " ".join(f"{value:+.3f}" for value in found["worth"][name].values()))
            for name, weight in found["weights"].items()
        ]
        show(f"{each.name}, learned from {found['topics']} topics", ("feature", "weight", "worth"), rows)
        print(json.dumps(found["comparison"]), "\n", json.dumps(found.get("curve")))


def show_transfer(*sets: Collection) -> None:
    """Rankings learned on one collection and used on another."""
    rows = []
    for each in sets:
        for other in sets:
            if each is not other:
                runs = [each.run("classic", "classic"), each.run("default with spaces", "auto")]
                name = f"learned on {other.name}"
                runs.append(each.run(name, learn(other, "linear")))
                _, classic = each.compare(runs, "classic")
                _, default = each.compare(runs, "default with spaces")
                cells = (" ".join(score(classic[one], measure) for measure in MAIN) for one in classic)
                rows.append((each.name, *cells, " ".join(gain(default[name], measure) for measure in MAIN)))
    heads = ("", "classic", "default with spaces", "learned on the other", "from the default")
    show(f"{', '.join(MAIN)}; † better than classic, * differs from the default", heads, rows)


def show_jelinek(*sets: Collection) -> None:
    """Jelinek–Mercer by λ, number of terms and weighting, beside BM25."""
    models = ["bm25", *(f"lm_jelinek_mercer(lambda={each})" for each in LAMBDAS)]
    for each in sets:
        for weights in WEIGHTS:
            rows = [(model, *sweep(each, model, weights)) for model in models]
            heads = ("", *(f"{number} terms" if number < NUMBERS[-1] else "all" for number in NUMBERS))
            show(f"{each.name}, weights {weights}: {', '.join(MAIN)}", heads, rows)


def sweep(each: Collection, model: str, weights: str) -> Iterator[str]:
    """The scores of a classic search by number of terms."""
    import antecede as ac
    from antecede.index import open_index
    from antecede.search.settings import SearchSettings
    from antecede.search.term_sweep import TermSweep
    from antecede.search.topics import read_topics

    index = open_index(each.index)
    settings = SearchSettings(method="logtfidf", model=model, weights=weights, k=1000)
    swept = TermSweep(index, read_topics(index, str(each.qrels)), settings, NUMBERS[-1])
    for number in NUMBERS:
        table = ac.rank_table(str(each.qrels), [swept.rankings("logtfidf", number)])
        row = ac.evaluate(table, list(MAIN)).table().rows[0]
        yield " ".join(f"{float(value):.3f}".removeprefix("0") for value in row[1:])


def show_languages(folder: Path) -> None:
    """Across languages, on synthetic patents of which each has text in its own language only."""
    home, index, topics = folder / "synthetic", folder / "synthetic.index", folder / "synthetic.topics.jsonl"
    if not index.exists():
        antecede("synthesize", "--patents", 3000, "--topics", 150, "--form", "jsonl", "--out", home)
        own = folder / "synthetic.jsonl"
        languages = {**keep_own_language(home / "collection", own), **keep_own_language(home / "topics", topics)}
        antecede("index", own, "--out", index)
        lines = [line.split() for line in (home / "qrels.txt").read_text().splitlines()]
        across = [line for line in lines if languages[line[0]] != languages[line[2]]]
        for name, chosen in (("across", across), ("within", [line for line in lines if line not in across])):
            (folder / f"synthetic.{name}.qrels").write_text("".join(" ".join(line) + "\n" for line in chosen))
    runs = {"no table": ()}
    for number in CLAIMS:
        table = folder / f"synthetic.{number}.table"
        if not table.exists():
            antecede("translate", "learn", home / "collection", "--claims", number, "--out", table)
        runs[f"{number:,} claims"] = ("--translation", table)
    rows = []
    for name, options in runs.items():
        out = folder / f"synthetic.{name.replace(' ', '_')}.run"
        if not out.exists():
            antecede("run", index, topics, "--language", "all", *options, "--threads", 1, "--out", out)
        cells = []
        for part in ("across", "within"):
            found = antecede("compare", folder / f"synthetic.{part}.qrels", f"run={out}", "-m", "R@100,R@1000")
            scores = found["runs"][0]["scores"]
            cells += [f"{scores[each]:.3f}".removeprefix("0") for each in ("R@100", "R@1000")]
        rows.append((name, *cells))
    show("Documents in other languages than the topic, and in the same", ("", *(("R@100", "R@1000") * 2)), rows)


def keep_own_language(source: Path, target: Path) -> dict[str, str]:
    """Write patents with the text in their own language only; the language of each."""
    from dataclasses import replace

    from antecede.corpus import Collection as Patents

    languages = {}
    with target.open("w", encoding="utf-8") as out:
        for patent in Patents(str(source)).patents():
            fields = ("title", "abstract", "claims", "description")
            own = {
                field: {k: text for k, text in getattr(patent, field).items() if k == patent.language}
                for field in fields
            }
            languages[patent.doc_id] = patent.language
            out.write(json.dumps(replace(patent, **own).to_dict(), default=str) + "\n")
    return languages


PARTS = ("runs", "worth", "learned", "curve", "transfer", "jelinek", "languages")


def main() -> None:
    folder, *parts = sys.argv[1:]
    if unknown := {*parts} - {*PARTS}:
        sys.exit(f"{', '.join(sorted(unknown))}: not one of {', '.join(PARTS)}")
    fulltexts, abstracts, homogeneous, cited = collections(Path(folder))
    shown: dict[str, Callable[[], None]] = {
        "runs": lambda: show_runs(fulltexts, abstracts, homogeneous, cited),
        "worth": lambda: show_worth(fulltexts, abstracts, homogeneous),
        "learned": lambda: show_learned(abstracts, homogeneous, fulltexts),
        "curve": lambda: show_curve(abstracts, homogeneous, fulltexts),
        "transfer": lambda: show_transfer(fulltexts, abstracts),
        "jelinek": lambda: show_jelinek(fulltexts, abstracts),
        "languages": lambda: show_languages(Path(folder)),
    }
    for part in parts or PARTS:
        shown[part]()


if __name__ == "__main__":
    main()
